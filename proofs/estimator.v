(* ========================================================================== *)
(* Chapters 1 and 17: estimates are unbiased, and the exact condition for a   *)
(* table to be recoverable.                                                   *)
(*                                                                            *)
(* A release of N people is a function o from people to released records;     *)
(* they randomize independently, so its probability is a product.             *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics symmetric mixture.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* -------------------------------------------------------------------------- *)
(* The mean over the releases of a fixed population x.                        *)
(* -------------------------------------------------------------------------- *)
Section Mean.
Variables (R : realFieldType) (U V : finType) (P : U -> V -> R) (N : nat) (x : 'I_N -> V).
Hypothesis mP : mechanism P.

Definition release := {ffun 'I_N -> U}.
Definition chance (o : release) : R := \prod_k P (o k) (x k).
Definition mean (g : release -> R) : R := \sum_o chance o * g o.

Lemma mean_const c : mean (fun=> c) = c.
Proof.
rewrite /mean -mulr_suml -(bigA_distr_bigA (fun k u => P u (x k))) /= big1 ?mul1r //.
by move=> k _; apply: mP.2.
Qed.

Lemma mean_one k (g : U -> R) : mean (fun o => g (o k)) = \sum_u P u (x k) * g u.
Proof.
rewrite /mean; pose G l u := P u (x l) * (if l == k then g u else 1).
rewrite (eq_bigr (fun o : release => \prod_l G l (o l))) => [|o _].
  rewrite -(bigA_distr_bigA G) /= (bigD1 k) //= [X in _ * X]big1 ?mulr1 => [|l lk].
    by apply: eq_bigr => u _; rewrite /G eqxx.
  rewrite -(mP.2 (x l)); apply: eq_bigr => u _.
  by rewrite /G (negbTE lk) mulr1.
rewrite /chance big_split /=; congr (_ * _); rewrite (bigD1 k) //= eqxx big1 ?mulr1 //.
by move=> l /negbTE ->.
Qed.

(* the mean of a sum over people, one person at a time *)
Lemma mean_sum (g : U -> R) :
  mean (fun o => \sum_k g (o k)) = \sum_k \sum_u P u (x k) * g u.
Proof.
rewrite /mean (eq_bigr _ (fun o _ => mulr_sumr _ _ _ _)) exchange_big /=.
by apply: eq_bigr => k _; apply: mean_one.
Qed.

Lemma mean_affine (g : release -> R) b c :
  mean (fun o => (g o - b) / c) = (mean g - b) / c.
Proof.
rewrite -{2}(mean_const b) /mean -sumrB mulr_suml.
by apply: eq_bigr => o _; rewrite mulrA mulrBr.
Qed.

(* Counts of two kinds: those who have a property are released with it with
   probability 1 - q, the others with probability r.  Then turning the line
   around is right on average. *)
Lemma unbiased_count (has : pred V) (shows : pred U) (q r : R) :
    (forall v, \sum_(u | shows u) P u v = if has v then 1 - q else r) ->
    1 - q - r != 0 ->
  mean (fun o => (\sum_k (shows (o k))%:R - N%:R * r) / (1 - q - r)) =
  \sum_k (has (x k))%:R.
Proof.
move=> line rho0; rewrite mean_affine (mean_sum (fun u => (shows u)%:R)).
apply: (mulIf rho0).
rewrite divfK // mulr_suml.
have -> : N%:R * r = \sum_(k < N) r by rewrite sumr_const card_ord mulr_natl.
rewrite -sumrB; apply: eq_bigr => k _.
have -> : \sum_u P u (x k) * (shows u)%:R = \sum_(u | shows u) P u (x k).
  by rewrite [RHS]big_mkcond; apply: eq_bigr => u _; case: (shows u); rewrite ?mulr1 ?mulr0.
by rewrite line; case: (has _); rewrite ?mul1r // mul0r subrr.
Qed.

End Mean.

(* -------------------------------------------------------------------------- *)
(* Chapter 1: one answer.                                                     *)
(* -------------------------------------------------------------------------- *)
Section OneAnswer.
Variables (R : realFieldType) (A : finType) (N : nat) (x : 'I_N -> A) (E : R).
Hypothesis two_values : (1 < #|A|)%N.
Hypothesis E1 : 1 < E.

Let q := flip_probability A E.
Let r := q / (mixture.a R A - 1).

(* the slope rho of the line *)
Lemma rho_is : 1 - q - r = (E - 1) / (E + mixture.a R A - 1).
Proof.
have a1 : mixture.a R A - 1 != 0 by rewrite subr_eq0 pnatr_eq1 gtn_eqF.
have D0 : 0 < E + mixture.a R A - 1.
  by apply: denominator_gt0; [apply: ltnW | apply: lt_trans E1].
have -> : r = 1 / (E + mixture.a R A - 1).
  by rewrite /r /q /flip_probability mulrAC divff.
rewrite -{1}(divff (lt0r_neq0 D0)) /q /flip_probability -!mulrBl; congr (_ / _).
by rewrite -[E + _ - 1]addrA addrK.
Qed.

(* "It equals w/(1+w), the chance of having told the truth outright." *)
Theorem rho_truth : 1 - q - r = w A E / (1 + w A E).
Proof.
have a0 : mixture.a R A != 0 by rewrite pnatr_eq0 -lt0n ltnW.
rewrite rho_is; have -> : 1 + w A E = (E + mixture.a R A - 1) / mixture.a R A.
  by rewrite /w -{1}(divff a0) -mulrDl addrCA addrA.
by rewrite /w invf_div mulrA divfK.
Qed.

(* ------------------------------------------------------------------------ *)
(* one-thm-error, first part (eq. estimator):                                 *)
(* For a fixed population of N people, n_v of whom have value v, the estimate *)
(* (seen_v - N r)/rho, rho = 1 - q - r, is unbiased.                          *)
(* ------------------------------------------------------------------------ *)
Theorem one_answer_unbiased (v : A) :
  mean (randomized_response E) x
    (fun o => (\sum_k (o k == v)%:R - N%:R * r) / (1 - q - r)) = \sum_k (x k == v)%:R.
Proof.
have E0 : 0 < E := lt_trans ltr01 E1; have s0 := ltnW two_values.
have a1 : mixture.a R A - 1 != 0 by rewrite subr_eq0 pnatr_eq1 gtn_eqF.
have D0 := denominator_gt0 (R := R) s0 E0.
have mRR := randomized_response_mechanism s0 E0.
apply: (@unbiased_count R A A _ N x mRR (pred1 v) (pred1 v) q r).
- move=> y; rewrite big_pred1_eq /randomized_response /= [v == y]eq_sym; case: eqP => _.
    rewrite /q /flip_probability -[X in _ = X - _](divff (lt0r_neq0 D0)) -mulrBl; congr (_ / _).
    by rewrite -[E + _ - 1]addrA addrK.
  by rewrite /r /q /flip_probability mulrAC divff.
- by rewrite rho_is mulf_neq0 ?invr_eq0 ?gt_eqF // subr_gt0.
Qed.

End OneAnswer.

(* -------------------------------------------------------------------------- *)
(* Chapter 17: what happens to a table.                                       *)
(* -------------------------------------------------------------------------- *)
Section Tables.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Hypothesis two_values : forall i, (1 < #|A i|)%N.
Variables (X : {set I} -> R) (P : record A -> record A -> R).
Hypothesis sym : symmetric_with X P.
Hypothesis law : flip_law (values A) X.
Implicit Types (u v c : record A) (S C D : {set I}) (i : I).

Notation sizeof := (sizeof R (values A)).
Notation times := (times R (values A)).
Notation p := (p R (values A)).
Notation flip := (flip (values A) X).

Let mP : mechanism P := symmetric_mechanism sym law.
Let size_gt1 i : 0 < sizeof i - 1.
Proof. by rewrite subr_gt0 ltr1n; apply: two_values. Qed.
Let size_gt0 i : 0 < sizeof i.
Proof. by rewrite ltr0n; apply/ltnW/two_values. Qed.

(* 1 - q - q/(a-1) is 1 - q/p *)
Lemma slope i : 1 - flip i - flip i / (sizeof i - 1) = 1 - flip i / p i.
Proof.
rewrite -addrA -opprD; congr (_ - _); rewrite /p invf_div -{1}[flip i]mulr1 -mulrDr.
rewrite -[X in X + _](divff (lt0r_neq0 (size_gt1 i))) -[X in _ + X]mul1r.
by rewrite -mulrDl subrK.
Qed.

(* The counts of one attribute have an unbiased estimate if q_i < p_i, as for
   every positive level: (seen - N q/(a-1)) / (1 - q a/(a-1)), whatever the
   mechanism does to the other attributes. *)
Theorem one_attribute_unbiased N (x : 'I_N -> record A) i (y : A i) :
  let r := flip i / (sizeof i - 1) in
  flip i < p i ->
  mean P x (fun o => (\sum_k (o k i == y)%:R - N%:R * r) / (1 - flip i - r)) =
  \sum_k (x k i == y)%:R.
Proof.
move=> r qp; pose shows (u : record A) := u i == y.
apply: (@unbiased_count R _ _ P N x mP shows shows) => [v | ].
  rewrite -/(one_column P y v).
  by rewrite (attribute_needs_no_prior two_values sym _ _ law) eq_sym.
have p0 : 0 < p i by rewrite divr_gt0.
by rewrite slope subr_eq0 gt_eqF // ltr_pdivr_mulr // mul1r.
Qed.

(* price-chi: chi_C(S), the product over i in C of 1 - B_i/p_i *)
Definition chi C S : R := \prod_(i in C) (1 - (i \in S)%:R / p i).

(* price-rho: rho_C = E[f chi_C].  Under the law of a uniformly random record S
   has probability t_S/T, and f = T X, so this is the sum of t_S X_S chi_C(S). *)
Definition rho C : R := \sum_S times S * X S * chi C S.

Lemma rho0 : rho set0 = 1.
Proof.
by rewrite -law.2; apply: eq_bigr => S _; rewrite /chi big_set0 mulr1.
Qed.

(* for one attribute rho is 1 - q_i/p_i *)
Lemma rho1 i : rho [set i] = 1 - flip i / p i.
Proof.
rewrite -{1}law.2 /rho /basics.flip mulr_suml [X in _ - X]big_mkcond -sumrB.
apply: eq_bigr => S _; rewrite /chi big_set1 mulrBr mulr1.
by case: ifP => _; rewrite ?mul1r ?mul0r ?mulr0.
Qed.

(* a function of records of type C: a product over C of functions phi_i of one
   value that sum to 0 for each i in C *)
Definition of_type C (phi : forall i, A i -> R) v : R := \prod_(i in C) phi i (v i).
Definition sums_to_0 C (phi : forall i, A i -> R) :=
  forall i, i \in C -> \sum_y phi i y = 0.

(* ------------------------------------------------------------------------ *)
(* price-thm-diagonal, A release shrinks each interaction by its factor:      *)
(* Let phi be of type C.  Given the true record v, the release U of a         *)
(* symmetric mechanism has E[phi(U) | v] = rho_C phi(v).                      *)
(* ------------------------------------------------------------------------ *)
Theorem release_shrinks C phi v : sums_to_0 C phi ->
  \sum_u P u v * of_type C phi u = rho C * of_type C phi v.
Proof.
move=> phi0; pose g i (y : A i) : R := if i \in C then phi i y else 1.
transitivity (\sum_u X (flips u v) * \prod_i g i (u i)).
  by apply: eq_bigr => u _; rewrite sym /of_type [X in _ * X]big_mkcond.
rewrite sum_by_flips /rho mulr_suml; apply: eq_bigr => S _.
rewrite [times S * _]mulrC -!mulrA; congr (_ * _).
rewrite /times /chi /of_type [\prod_(i in S) _]big_mkcond.
rewrite [\prod_(i in C) (1 - _)]big_mkcond [\prod_(i in C) phi _ _]big_mkcond /=.
rewrite -!big_split /=; apply: eq_bigr => i _; rewrite /g.
case: (i \in S); case: (boolP (i \in C)) => iC; rewrite ?mul0r ?subr0 ?mulr1 ?mul1r //.
  have -> : \sum_(y | y != v i) phi i y = - phi i (v i).
    by have := phi0 i iC; rewrite (bigD1 (v i)) //= => /(canRL (addKr _)) ->; rewrite addr0.
  rewrite mulrA /p invf_div mulrBr mulr1 mulrCA divff ?gt_eqF // mulr1.
  by rewrite addrAC subrr add0r mulN1r.
rewrite sumr_const cardC1 -subn1 natrB //; exact/ltnW/two_values.
Qed.

(* ------------------------------------------------------------------------ *)
(* The estimate of one cell of the table over D.  The cell is given by the    *)
(* values of a record c in D.                                                 *)
(* ------------------------------------------------------------------------ *)
Definition in_cell D c v : bool := [forall (i | i \in D), v i == c i].

Definition phi_cell c i (y : A i) : R := sizeof i * (y == c i)%:R - 1.

(* psi_c(u) = 1/T_D times the sum over C in D of phi_C(u)/rho_C *)
Definition psi D c u : R :=
  (\sum_(C : {set I} | C \subset D) of_type C (phi_cell c) u / rho C) /
  \prod_(i in D) sizeof i.

Lemma phi_cell0 C c : sums_to_0 C (phi_cell c).
Proof.
move=> i _; rewrite /phi_cell sumrB sumr_const -mulr_sumr (bigD1 (c i)) //= eqxx.
by rewrite big1 ?addr0 ?mulr1 ?subrr // => y /negbTE ->.
Qed.

(* products of sums, by subsets *)
Lemma prod_add D (y : I -> R) :
  \prod_(i in D) (1 + y i) = \sum_(C : {set I} | C \subset D) \prod_(i in C) y i.
Proof.
pose F i (b : bool) : R := if b then (if i \in D then y i else 0) else 1.
transitivity (\prod_i \sum_b F i b).
  rewrite big_mkcond; apply: eq_bigr => i _; rewrite big_bool /F /= [RHS]addrC.
  by case: (i \in D); rewrite ?addr0.
rewrite bigA_distr_bigA /= (reindex (fun C : {set I} => [ffun i => i \in C])) /=; last first.
  exists (fun f : {ffun I -> bool} => [set i | f i]) => [C _ | f _].
    by apply/setP => i; rewrite !inE ffunE.
  by apply/ffunP => i; rewrite ffunE inE.
rewrite [RHS]big_mkcond; apply: eq_bigr => C _; case: ifP => [sub | /negbT/subsetPn].
  rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite ffunE /F.
  by case: ifP => // iC; rewrite (subsetP sub).
by case=> i iC /negbTE iD; rewrite (bigD1 i) //= ffunE iC /F iD mul0r.
Qed.

Lemma in_cellE D c v : (in_cell D c v)%:R = \prod_(i in D) (v i == c i)%:R :> R.
Proof.
case: (boolP (in_cell D c v)) => [/forall_inP all | ].
  by rewrite big1 // => i /all ->.
rewrite negb_forall_in => /exists_inP [i iD /negbTE ne].
by rewrite (bigD1 i) //= ne mul0r.
Qed.

Lemma cell_expansion D c v : (in_cell D c v)%:R =
  (\sum_(C : {set I} | C \subset D) of_type C (phi_cell c) v) / \prod_(i in D) sizeof i.
Proof.
rewrite -prod_add in_cellE -prodf_div; apply: eq_bigr => i _.
by rewrite /phi_cell addrC subrK mulrAC mulfV ?mul1r // gt_eqF.
Qed.

(* the estimate looks at the attributes D only *)
Lemma psi_local D c u u' : (forall i, i \in D -> u i = u' i) -> psi D c u = psi D c u'.
Proof.
move=> uu'; congr (_ / _); apply: eq_bigr => C sub; congr (_ / _).
by apply: eq_bigr => i iC; rewrite uu' // (subsetP sub).
Qed.

Section Recover.
Variable D : {set I}.
Hypothesis rhoD : forall C, C \subset D -> rho C != 0.

(* its mean is 1 if the truth is in the cell, else 0 *)
Lemma psi_mean c v : \sum_u P u v * psi D c u = (in_cell D c v)%:R.
Proof.
rewrite cell_expansion /psi (eq_bigr _ (fun u _ => mulrA _ _ _)) -mulr_suml.
congr (_ / _); rewrite (eq_bigr _ (fun u _ => mulr_sumr _ _ _ _)) exchange_big /=.
apply: eq_bigr => C sub; rewrite (eq_bigr _ (fun u _ => mulrA _ _ _)) -mulr_suml.
by rewrite (release_shrinks v (@phi_cell0 C c)) mulrC (mulKf (rhoD sub)).
Qed.

(* ------------------------------------------------------------------------ *)
(* price-thm-recover, first part:                                             *)
(* If rho_C <> 0 for every C in D, the table over D has an unbiased estimate. *)
(* ------------------------------------------------------------------------ *)
Theorem table_unbiased N (x : 'I_N -> record A) c :
  mean P x (fun o => \sum_k psi D c (o k)) = \sum_k (in_cell D c (x k))%:R.
Proof.
rewrite (mean_sum x mP (psi D c)); apply: eq_bigr => k _; exact: psi_mean.
Qed.

End Recover.

(* ------------------------------------------------------------------------ *)
(* Populations, their tables, and the law of a release.                       *)
(* ------------------------------------------------------------------------ *)
Implicit Types (mu nu : record A -> R).

Definition population mu := (forall v, 0 <= mu v) /\ \sum_v mu v = 1.
Definition released mu u : R := \sum_v P u v * mu v.
Definition table D mu c : R := \sum_(v | in_cell D c v) mu v.

Lemma tableE D mu c : table D mu c = \sum_v mu v * (in_cell D c v)%:R.
Proof.
by rewrite /table big_mkcond; apply: eq_bigr => v _; case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma table_from_release D mu c : (forall C, C \subset D -> rho C != 0) ->
  table D mu c = \sum_u released mu u * psi D c u.
Proof.
move=> rhoD; rewrite tableE (eq_bigr _ (fun u _ => mulr_suml _ _ _ _)) exchange_big /=.
apply: eq_bigr => v _; rewrite -(psi_mean rhoD) mulr_sumr; apply: eq_bigr => u _.
by rewrite mulrCA mulrA.
Qed.

(* a mean of the estimate is a combination of the cells of the table *)
Lemma psi_by_cells D c nu nu' :
  (forall c', table D nu c' = table D nu' c') ->
  \sum_u nu u * psi D c u = \sum_u nu' u * psi D c u.
Proof.
move=> same; pose cut u : record A := [ffun i => if i \in D then u i else c i].
have cutP u c' : cut c' = c' -> (cut u == c') = in_cell D c' u.
  move=> cc; apply/eqP/forall_inP => [<- i iD | all]; first by rewrite ffunE iD.
  by apply: recordP => i; rewrite -cc !ffunE; case: ifP => // /all /eqP.
have cut_cut u : cut (cut u) = cut u.
  by apply: recordP => i; rewrite /cut !ffunE; case: (i \in D).
have by_cells mu : \sum_u mu u * psi D c u =
    \sum_(c' | cut c' == c') table D mu c' * psi D c c'.
  rewrite (partition_big cut (fun c' => cut c' == c')) /=; last first.
    by move=> u _; rewrite cut_cut.
  apply: eq_bigr => c' /eqP cc; rewrite mulr_suml; apply: eq_big => u.
    exact: cutP.
  move=> /eqP <-; congr (_ * _); apply: psi_local => i iD.
  by rewrite ffunE iD.
by rewrite !by_cells; apply: eq_bigr => c' _; rewrite same.
Qed.

(* If rho_C <> 0 for every C in D, the released table over D, even without the
   other attributes, determines the true table over D. *)
Theorem released_table_determines D mu mu' :
    (forall C, C \subset D -> rho C != 0) ->
    (forall c, table D (released mu) c = table D (released mu') c) ->
  forall c, table D mu c = table D mu' c.
Proof.
by move=> rhoD same c; rewrite !table_from_release //; apply: psi_by_cells.
Qed.

(* ------------------------------------------------------------------------ *)
(* price-thm-recover, second part:                                            *)
(* If rho_C = 0, there are two populations with different tables over C whose *)
(* releases have exactly the same law.  (So have their tables over every D    *)
(* that contains C.)                                                          *)
(* ------------------------------------------------------------------------ *)
Theorem lost_table C : rho C = 0 ->
  exists mu mu', [/\ population mu, population mu',
    forall u, released mu u = released mu' u
  & forall D, C \subset D -> exists c, table D mu c <> table D mu' c].
Proof.
move=> rhoC; pose c := some_record two_values.
pose d i := xchoose (other_value two_values (c i)).
have dc i : d i != c i by apply: (xchooseP (other_value two_values (c i))).
pose g i (y : A i) : R := (y == c i)%:R - (y == d i)%:R.
have g0 : sums_to_0 C g.
  have one i (z : A i) : \sum_y (y == z)%:R = 1 :> R.
    by rewrite (bigD1 z) //= eqxx big1 ?addr0 // => y /negbTE ->.
  by move=> i _; rewrite sumrB !one subrr.
pose phi := of_type C g.
have phi1 v : `|phi v| <= 1.
  rewrite normr_prod [X in _ <= X](_ : 1 = \prod_(i in C) (1 : R)); last by rewrite big1.
  apply: ler_prod => i _; rewrite normr_ge0 /= /g.
  have [-> | _] := eqVneq (v i) (c i).
    by rewrite eq_sym (negbTE (dc i)) subr0 normr1.
  by case: (v i == d i); rewrite sub0r normrN ?normr1 ?normr0 ?ler01.
have [i0 iC] : exists i, i \in C.
  by apply/set0Pn; apply: contra_eq_neq rhoC => ->; rewrite rho0 oner_eq0.
have sum0 : \sum_v phi v = 0.
  rewrite (eq_bigr (fun v : record A => \prod_i (if i \in C then g i (v i) else 1))).
    rewrite (sum_prod (fun i y => if i \in C then g i y else 1)) (bigD1 i0) //= iC.
    by rewrite g0 // mul0r.
  by move=> v _; rewrite /phi /of_type big_mkcond.
pose T : R := #|{: record A}|%:R.
have T0 : 0 < T by rewrite ltr0n; apply/card_gt0P; exists c.
pose mu (s : R) v := (1 + s * phi v) / T.
have pop s : `|s| = 1 -> population (mu s).
  move=> s1; split=> [v|].
    rewrite divr_ge0 ?(ltW T0) //; have : `|s * phi v| <= 1 by rewrite normrM s1 mul1r.
    by rewrite ler_norml => /andP[+ _]; rewrite -subr_ge0 opprK addrC.
  by rewrite -mulr_suml big_split /= -mulr_sumr sum0 mulr0 addr0 sumr_const divff ?gt_eqF.
exists (mu 1), (mu (-1)); split.
- by apply: pop; rewrite normr1.
- by apply: pop; rewrite normrN normr1.
- have rel s u : released (mu s) u = (\sum_v P u v) / T.
    rewrite /released /mu (eq_bigr _ (fun v _ => mulrA _ _ _)) -mulr_suml; congr (_ / _).
    rewrite (eq_bigr _ (fun v _ => mulrDr _ _ _)) big_split /=.
    rewrite (eq_bigr _ (fun v _ => mulr1 _)) -[RHS]addr0; congr (_ + _).
    rewrite (eq_bigr (fun v => s * (P v u * phi v))) => [|v _].
      by rewrite -mulr_sumr release_shrinks // rhoC mul0r mulr0.
    by rewrite mulrCA !sym flipsC.
  by move=> u; rewrite !rel.
- move=> D sub; exists c.
  have tab s : table D (mu s) c = (1 + s) * (\sum_(v | in_cell D c v) 1) / T.
    rewrite /table /mu -mulr_suml mulr_sumr; congr (_ / _); apply: eq_bigr => v.
    move=> /forall_inP vc; rewrite mulr1 /phi /of_type big1 ?mulr1 // => i iCi.
    by rewrite (eqP (vc i (subsetP sub i iCi))) /g eqxx eq_sym (negbTE (dc i)) subr0.
  have cells : 0 < \sum_(v | in_cell D c v) (1 : R).
    rewrite (bigD1 c) /=; last by apply/forall_inP.
    by rewrite (lt_le_trans ltr01) // ler_addl sumr_ge0 // => v _; apply: ler01.
  have pos : 0 < (1 + 1) * (\sum_(v | in_cell D c v) (1 : R)) / T.
    by rewrite divr_gt0 // mulr_gt0 // addr_gt0 ?ltr01.
  by rewrite !tab subrr !mul0r => e; rewrite e ltxx in pos.
Qed.

(* ------------------------------------------------------------------------ *)
(* price-thm-recover, both parts: a table over D is recoverable if and only   *)
(* if rho_C <> 0 for every C in D.                                            *)
(* Recoverable: the law of the whole release determines the table.            *)
(* ------------------------------------------------------------------------ *)
Definition recoverable D := forall mu mu', population mu -> population mu' ->
  (forall u, released mu u = released mu' u) -> forall c, table D mu c = table D mu' c.

Theorem recoverable_iff D : recoverable D <-> forall C, C \subset D -> rho C != 0.
Proof.
split=> [rec C sub | rhoD mu mu' _ _ same c].
  apply/eqP => /lost_table [mu [mu' [pop pop' same diff]]].
  by have [c] := diff D sub; apply; apply: rec.
by rewrite !table_from_release //; apply: eq_bigr => u _; rewrite same.
Qed.

End Tables.
