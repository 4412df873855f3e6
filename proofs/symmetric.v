(* ========================================================================== *)
(* Chapter 2, Many answers: what a symmetric mechanism is, and what its       *)
(* levels are in the numbers X S.                                             *)
(*                                                                            *)
(* Attribute i has the values A i.  A renaming is a permutation of the values *)
(* of one attribute.                                                          *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From Orr Require Import basics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Implicit Types (u v : record A) (S : {set I}) (X : {set I} -> R).
Implicit Types (P : record A -> record A -> R) (i : I).

(* the record u with the values of attribute i renamed by s *)
Definition rename i (s : {perm A i}) u : record A := put u (s (u i)).

(* many-def-symmetric: "A mechanism is symmetric if renaming the values of an
   attribute, in the truth and in the release alike, changes no probability." *)
Definition symmetric P :=
  forall i (s : {perm A i}) u v, P (rename s u) (rename s v) = P u v.

Lemma flips_rename i (s : {perm A i}) u v : flips (rename s u) (rename s v) = flips u v.
Proof.
apply/setP => j; rewrite !inE; have [-> | ji] := eqVneq j i.
  by rewrite !put_same (inj_eq perm_inj).
by rewrite !put_other.
Qed.

(* some renaming takes x to x' and y to y' *)
Lemma renaming (T : finType) (x y x' y' : T) : (x == y) = (x' == y') ->
  exists s : {perm T}, s x = x' /\ s y = y'.
Proof.
move=> e; exists (tperm x x' * tperm (tperm x x' y) y')%g; rewrite !permM !tpermL.
split=> //; move: e; have [<- | xy] := eqVneq x y.
  by rewrite tpermL => /esym/eqP ->; rewrite tperm1 perm1.
move=> /esym/negbT xy'; have z : tperm x x' y != x'.
  by rewrite -[X in _ != X](tpermL x x') (inj_eq perm_inj) eq_sym.
by rewrite tpermD // eq_sym.
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-numbers, A symmetric mechanism is 2^k numbers:                    *)
(* A mechanism is symmetric if and only if there are numbers X_S, one for     *)
(* each flip set, such that P_uv = X_S whenever u and v have flip set S.      *)
(* ------------------------------------------------------------------------ *)
Theorem symmetric_numbers P : symmetric P <-> exists X, symmetric_with X P.
Proof.
split=> [symP | [X sym] i s u v]; last by rewrite !sym flips_rename.
have same u v u' v' : flips u v = flips u' v' -> P u' v' = P u v.
  move=> e; rewrite -(part_wayT u u') -(part_wayT v v').
  pose Q S := P (part_way u u' S) (part_way v v' S) = P u v.
  apply: (set_walk (Q := Q)) => [|i S iS]; rewrite /Q ?part_way0 // => <-.
  have ei : (u i == v i) = (u' i == v' i).
    by have /setP /(_ i) := e; rewrite !inE => /negb_inj.
  have [s [su sv]] := renaming ei.
  rewrite -[RHS](symP i s) /rename; congr P; rewrite part_way_next.
    by rewrite part_way_before // su.
  by rewrite part_way_before // sv.
exists (fun S => if [pick t : record A * record A | flips t.1 t.2 == S] is Some t
                 then P t.1 t.2 else 0) => u v.
case: pickP => [[u' v'] /eqP /= e | /(_ (u, v))]; last by rewrite eqxx.
exact: same.
Qed.

End Numbers.

(* -------------------------------------------------------------------------- *)
(* Levels in the numbers X S, where every attribute has two values at least.  *)
(* -------------------------------------------------------------------------- *)
Section Levels.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Hypothesis two_values : forall i, (1 < #|A i|)%N.
Implicit Types (u v : record A) (S : {set I}) (X : {set I} -> R).
Implicit Types (P : record A -> record A -> R) (i : I) (E : R).

(* many-def-levels: the neighbour level n_i is at most log E if, for two truths
   that differ in attribute i only, no release is more than E times as likely
   under the one as under the other *)
Definition neighbour_level_le E i P :=
  forall u v v' : record A, (forall j, j != i -> v j = v' j) -> P u v <= E * P u v'.

(* many-def-levels: the released value of attribute i alone.  Pr[U_i = x | V = v] *)
Definition one_column P i (x : A i) v :=
  \sum_(u : record A | u i == x) P u v.

Notation sizeof := (sizeof R (values A)).
Notation times := (times R (values A)).

Let size_gt1 i : 0 < sizeof i - 1.
Proof. by rewrite subr_gt0 ltr1n; apply: two_values. Qed.

Definition some_record : record A :=
  [ffun i => enum_val (Ordinal (ltnW (two_values i)))].

(* another value than x *)
Lemma other_value i (x : A i) : exists y, y != x.
Proof.
have /card_gt0P [y] : (0 < #|predC1 x|)%N by rewrite cardC1 -subn1 subn_gt0.
by rewrite !inE; exists y.
Qed.

(* every flip set occurs, whatever the release *)
Lemma some_truth u S : exists v, flips u v = S.
Proof.
pose y j := xchoose (other_value (u j)).
exists [ffun j => if j \in S then y j else u j]; apply/setP => j.
rewrite !inE ffunE; case: ifP; rewrite ?eqxx // eq_sym.
by rewrite (xchooseP (other_value (u j))).
Qed.

(* The numbers X S of a symmetric mechanism are a law on flip sets (many-law). *)
Lemma symmetric_law X P : symmetric_with X P -> mechanism P -> flip_law (values A) X.
Proof.
move=> sym [P0 P1]; split=> [S|].
  by have [v <-] := some_truth some_record S; rewrite -sym.
rewrite -(sum_flips X some_record) -(P1 some_record).
by apply: eq_bigr => u _; rewrite sym.
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-numbers with many-law: a symmetric mechanism is a law on flip     *)
(* sets.                                                                      *)
(* ------------------------------------------------------------------------ *)
Theorem symmetric_is_law P : symmetric P /\ mechanism P <->
  exists X, symmetric_with X P /\ flip_law (values A) X.
Proof.
split=> [[/symmetric_numbers [X sym] mP] | [X [sym law]]].
  by exists X; split=> //; apply: symmetric_law mP.
by split; [apply/symmetric_numbers; exists X | apply: symmetric_mechanism law].
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-order, the second and the third inequality, for any mechanism:    *)
(* n_i <= epsilon <= n_1 + ... + n_k.                                         *)
(* ------------------------------------------------------------------------ *)
Theorem neighbour_le_overall P E i : level E P -> neighbour_level_le E i P.
Proof. by move=> lv u v v' _; apply: lv. Qed.

(* no neighbour level is negative (unless there is no truth) *)
Lemma neighbour_ge1 P N i v : mechanism P -> neighbour_level_le N i P -> 1 <= N.
Proof.
move=> [_ P1] nb; have : \sum_u P u v <= \sum_u N * P u v.
  by apply: ler_sum => u _; apply: nb.
by rewrite -mulr_sumr P1 mulr1.
Qed.

Theorem overall_le_sum P (N : I -> R) : mechanism P ->
  (forall i, neighbour_level_le (N i) i P) -> level (\prod_i N i) P.
Proof.
move=> mP nb u v v'; have N0 i : 0 <= N i.
  exact: le_trans ler01 (neighbour_ge1 v mP (nb i)).
have -> : \prod_i N i = \prod_(i in [set: I]) N i by apply: eq_bigl => i; rewrite inE.
rewrite -(part_wayT v v').
apply: (set_walk (Q := fun S => P u v <= \prod_(i in S) N i * P u (part_way v v' S))).
  by rewrite big_set0 mul1r part_way0.
move=> i S iS /le_trans; apply; rewrite big_setU1 //= [N i * _]mulrC -mulrA.
rewrite ler_wpmul2l ?prodr_ge0 // part_way_next.
by apply: nb => j ji; rewrite put_other.
Qed.

Variables (X : {set I} -> R) (P : record A -> record A -> R).
Hypothesis sym : symmetric_with X P.

(* the overall level is that of the largest and the smallest X S *)
Theorem level_in_numbers E : level E P <-> forall S S', X S <= E * X S'.
Proof.
split=> [lv S S' | lv u v v']; last by rewrite !sym.
have [v <-] := some_truth some_record S; have [v' <-] := some_truth some_record S'.
by rewrite -!sym.
Qed.

(* the neighbour level is that of X S and X S' where S, S' differ in i only *)
Theorem neighbour_in_numbers E i :
  neighbour_level_le E i P -> forall S, X S <= E * X (toggle i S).
Proof.
move=> nb S; have [v eS] := some_truth some_record S; pose u := some_record.
have [y yv] := other_value (v i).
pose v' := if i \in S then put v (u i) else put v y.
have eS' : flips u v' = toggle i S.
  rewrite flipsC /v' /toggle -eS; case: ifP; rewrite !inE flips_put flipsC => uv.
    by rewrite eqxx.
  by move/negbFE/eqP: uv => ->; rewrite (negbTE yv).
rewrite -eS' -{1}eS -!sym; apply: nb => j ji.
by rewrite /v'; case: ifP => _; rewrite put_other.
Qed.

Theorem neighbour_from_numbers E i : 1 <= E -> (forall S, 0 <= X S) ->
  (forall S, X S <= E * X (toggle i S)) -> neighbour_level_le E i P.
Proof.
move=> E1 X0 nb u v v' vv'; rewrite !sym.
have off j : j != i -> (j \in flips u v) = (j \in flips u v').
  by move=> ji; rewrite !inE vv'.
have [e | ne] := eqVneq (flips u v') (flips u v); first by rewrite e ler_pemull.
suff -> : flips u v' = toggle i (flips u v) by apply: nb.
have ni : (i \in flips u v) != (i \in flips u v').
  apply: contraNN ne => /eqP e; apply/eqP/setP => j.
  by have [-> | /off] := eqVneq j i.
apply/setP => j; rewrite /toggle; case: ifP ni => iS; rewrite ?eqbF_neg => ni.
  by rewrite in_setD1; have [-> | /off //] := eqVneq j i; apply/negbTE; move: ni.
by rewrite in_setU1; have [-> | /off //] := eqVneq j i; move: ni; case: (i \in flips u v').
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-prior, The attribute level needs no prior:                        *)
(* Let a symmetric mechanism flip attribute i with probability                *)
(* q_i = sum_{S with i} t_S X_S.  Whatever the true records are, for all      *)
(* values x <> v_i, Pr[U_i = v_i | V = v] = 1 - q_i and                       *)
(* Pr[U_i = x | V = v] = q_i/(a_i - 1).                                       *)
(* ------------------------------------------------------------------------ *)
Theorem attribute_needs_no_prior i v (x : A i) : flip_law (values A) X ->
  one_column P x v =
    if x == v i then 1 - flip (values A) X i
    else flip (values A) X i / (sizeof i - 1).
Proof.
move=> [X0 X1]; rewrite /one_column.
pose g j (y : A j) : R :=
  match eqVneq j i with
  | EqNotNeq e => (ecast j (A j) e y == x)%:R
  | NeqNotEq _ => 1
  end.
have gE u : \prod_j g j (u j) = (u i == x)%:R.
  rewrite (bigD1 i) //= big1 => [|j ji]; last first.
    by rewrite /g; case: eqVneq ji => // ->; rewrite eqxx.
  by rewrite mulr1 /g; case: eqVneq => [e|]; rewrite ?eqxx // eq_axiomK.
have g_other j y : j != i -> g j y = 1.
  by rewrite /g; case: eqVneq => // ->; rewrite eqxx.
have gi y : g i y = (y == x)%:R.
  by rewrite /g; case: eqVneq => [e|]; rewrite ?eqxx // eq_axiomK.
transitivity (\sum_u X (flips u v) * \prod_j g j (u j)).
  rewrite big_mkcond; apply: eq_bigr => u _; rewrite gE sym.
  by case: eqP; rewrite ?mulr1 ?mulr0.
rewrite sum_by_flips.
have prodE S : \prod_j (if j \in S then \sum_(y | y != v j) g j y else g j (v j)) =
    (if i \in S then (x != v i)%:R / (sizeof i - 1) else (x == v i)%:R) * times S.
  rewrite (bigD1 i) //= gi.
  have -> : \prod_(j | j != i)
      (if j \in S then \sum_(y | y != v j) g j y else g j (v j)) =
      \prod_(j in S | j != i) (sizeof j - 1).
    rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => j _.
    case: (boolP (j != i)) => ji; rewrite ?andbF // andbT.
    case: ifP => _; last exact: g_other.
    rewrite (eq_bigr (fun=> 1)) => [|y _]; last exact: g_other.
    by rewrite sumr_const cardC1 -subn1 natrB // ltnW.
  case: ifP => iS; last first.
    rewrite eq_sym; congr (_ * _); apply: eq_bigl => j.
    by have [->|] := eqVneq j i; rewrite ?iS ?andbT.
  rewrite /times (bigD1 i iS) /= mulrA divfK ?gt_eqF //; congr (_ * _).
  rewrite (eq_bigr _ (fun y _ => gi y)); have [xv | xv] := eqVneq x (v i).
    by rewrite big1 // => y; rewrite xv => /negbTE ->.
  by rewrite (bigD1 x) //= eqxx big1 ?addr0 // => y /andP[_ /negbTE ->].
rewrite (eq_bigr _ (fun S _ => congr1 (fun z => X S * z) (prodE S))).
rewrite -(keep_pair i X1) (bigID (fun S => i \in S)) /= /flip mulr_suml.
have [xv | xv] := eqVneq x (v i); rewrite /=.
  rewrite big1 ?add0r => [|S iS]; last by rewrite iS mul0r mul0r mulr0.
  by apply: eq_bigr => S /negbTE ->; rewrite mul1r mulrC.
rewrite [X in _ + X]big1 ?addr0 => [|S /negbTE ->]; last by rewrite mul0r mulr0.
by apply: eq_bigr => S ->; rewrite mul1r mulrCA [X S * _]mulrC mulrC.
Qed.

(* The same in the book's words: given V_i = y alone, where the true records are
   drawn from any population mu.  Both sides are multiplied by Pr[V_i = y]. *)
Theorem attribute_any_population (mu : record A -> R) i (x y : A i) :
  flip_law (values A) X ->
  \sum_(v : record A | v i == y) mu v * one_column P x v =
    (if x == y then 1 - flip (values A) X i else flip (values A) X i / (sizeof i - 1)) *
    \sum_(v : record A | v i == y) mu v.
Proof.
move=> law; rewrite mulr_sumr; apply: eq_bigr => v /eqP <-.
by rewrite attribute_needs_no_prior // mulrC.
Qed.

(* q_i is the probability that P flips attribute i, whatever the truth, ... *)
Theorem flip_probability_of i v : flip_law (values A) X ->
  \sum_(u : record A | u i != v i) P u v = flip (values A) X i.
Proof.
move=> law; have [_ /(_ v)] := symmetric_mechanism sym law.
rewrite (bigID (fun u : record A => u i == v i)) /= -/(one_column P (v i) v).
by rewrite attribute_needs_no_prior // eqxx => /(canRL (addKr _)) ->; rewrite opprB subrK.
Qed.

(* ... and so it is its flip rate, too (chapters 5 and 16) *)
Theorem symmetric_flip_rate i : flip_law (values A) X ->
  flip_rate P i = flip (values A) X i.
Proof.
move=> law; have T0 : #|{: record A}|%:R != 0 :> R.
  by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists some_record.
apply: (mulIf T0); rewrite /flip_rate divfK // exchange_big /=.
rewrite (eq_bigr (fun=> flip (values A) X i)) => [|v _].
  by rewrite sumr_const mulr_natr.
rewrite -(flip_probability_of i v law) [RHS]big_mkcond; apply: eq_bigr => u _.
by rewrite inE; case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

End Levels.
