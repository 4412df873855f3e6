(* From theorem to certificate: whatever `check` of `checker.v` accepts is true        *)
(* (chapters 5 and 14).                                                                *)
From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra setting bound checker.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

(* The natural numbers of the checker in the field R. *)
Section Embedding.
Variable R : realFieldType.
Definition r (n : N) : R := (N.to_nat n)%:R.

Lemma r0 : r 0 = 0. Proof. by []. Qed.
Lemma r1 : r 1 = 1. Proof. by []. Qed.
Lemma r_add m n : r (m + n) = r m + r n.
Proof. by rewrite /r N2Nat.inj_add plusE natrD. Qed.
Lemma r_mul m n : r (m * n) = r m * r n.
Proof. by rewrite /r N2Nat.inj_mul multE natrM. Qed.
Lemma r_ge0 n : 0 <= r n. Proof. exact: ler0n. Qed.

Lemma r_le m n : (m <=? n)%num = true -> r m <= r n.
Proof. by move/N.leb_le => le; rewrite /r ler_nat; apply/ssrnat.leP; lia. Qed.

Lemma r_gt0 n : (0 <? n)%num = true -> 0 < r n.
Proof. by move/N.ltb_lt => n0; rewrite /r ltr0n; apply/ssrnat.ltP; lia. Qed.

(* Truncated subtraction is the positive part. *)
Lemma r_sub m n : r (m - n) = pos_part (r m - r n).
Proof.
rewrite /r N2Nat.inj_sub minusE /pos_part; set m' := N.to_nat m; set n' := N.to_nat n.
case: (leqP n' m') => le.
  by rewrite natrB // max_l // subr_ge0 ler_nat.
have le' := ltnW le; rewrite max_r ?subr_le0 ?ler_nat //.
by have /eqP-> : (m' - n' == 0)%N by rewrite subn_eq0.
Qed.

Lemma r_pred n : (0 <? n)%num = true -> r (n - 1) = r n - 1.
Proof.
move=> n0; rewrite r_sub r1 /pos_part max_l // subr_ge0 /r ler1n.
by have := r_gt0 n0; rewrite /r ltr0n.
Qed.
End Embedding.

Section Counting.
Variable R : realFieldType.
Variables (D th : N).
Hypothesis D_gt0 : (0 <? D)%num = true.
Notation r := (r R).

(* What a record whose flips weigh s leaves of the threshold, times the unit D. *)
Definition rest (s : nat) : R := pos_part (r th - r D * s%:R).
Definition limit : N := (th / D + 1)%num.

Lemma rest_limit s : (limit <=? s)%num = true -> rest (N.to_nat s) = 0.
Proof.
move=> /N.leb_le ls; rewrite /rest /pos_part -/(r s) max_r // subr_le0 -r_mul.
apply: r_le; apply/N.leb_le; apply: N.le_trans (N.mul_le_mono_l _ _ D ls).
apply: N.lt_le_incl; rewrite /limit N.add_1_r; apply: N.mul_succ_div_gt.
by move=> z; move: D_gt0; rewrite z.
Qed.

(* The count of records below the threshold, as a functional on polynomials: the       *)
(* coefficient of X^s is the number of records whose flips weigh s.                    *)
Definition bound_of : nat := N.to_nat limit.
Definition fall (P : {poly R}) : R := \sum_(s < bound_of) P`_s * rest s.

Lemma fallD P Q : fall (P + Q) = fall P + fall Q.
Proof. by rewrite -big_split; apply: eq_bigr => s _; rewrite coefD mulrDl. Qed.

Lemma fallZ b P : fall (b *: P) = b * fall P.
Proof. by rewrite mulr_sumr; apply: eq_bigr => s _; rewrite coefZ mulrA. Qed.

Lemma fall_sum (I : finType) (P : I -> {poly R}) : fall (\sum_i P i) = \sum_i fall (P i).
Proof.
rewrite exchange_big; apply: eq_bigr => s _ /=.
by rewrite coef_sum mulr_suml.
Qed.

Lemma fallXn s : fall 'X^s = rest s.
Proof.
rewrite /fall; case: (ltnP s bound_of) => ss.
  rewrite (bigD1 (Ordinal ss)) //= coefXn eqxx mul1r big1 ?addr0 // => j js.
  by rewrite coefXn (_ : (j == s :> nat) = false) ?mul0r //; apply/negbTE.
rewrite big1 => [|j _]; last first.
  by rewrite coefXn ltn_eqF ?mul0r // (leq_trans (ltn_ord j)).
rewrite -[s]Nat2N.id rest_limit //; apply/N.leb_le.
by move: ss => /ssrnat.leP; rewrite /bound_of; lia.
Qed.

(* The generating polynomial of an attribute: one way not to flip it, a - 1 to do so. *)
Definition factor (x : attribute) : {poly R} := 1 + r (values x - 1) *: 'X^(N.to_nat (weight x)).
Definition generating (l : seq attribute) : {poly R} := \prod_(x <- l) factor x.

(* A table as such a functional, with the attributes l still to come. *)
Definition value (l : seq attribute) (c : table) : R :=
  \sum_(sn <- c) r sn.2 * fall ('X^(N.to_nat sn.1) * generating l).

Lemma value_cons l s n c : value l ((s, n) :: c)
  = r n * fall ('X^(N.to_nat s) * generating l) + value l c.
Proof. by rewrite /value big_cons. Qed.

Lemma value_merge l c d : value l (merge c d) = value l c + value l d.
Proof.
elim: c d => [|[s m] c IHc] d; first by case: d => [|? ?]; rewrite /value big_nil add0r.
elim: d => [|[t n] d IHd]; first by rewrite /= [value l [::]]/value big_nil addr0.
rewrite [merge _ _]/=; case: N.compare_spec => [<-|_|_].
- by rewrite !value_cons IHc r_add mulrDl addrACA.
- by rewrite value_cons IHc [in RHS]value_cons addrA.
by rewrite value_cons [X in _ + X]IHd [in RHS](value_cons _ t) addrCA.
Qed.

(* Beyond the threshold nothing is left, whatever else is flipped. *)
Lemma fall_beyond l s : (limit <=? s)%num = true ->
  fall ('X^(N.to_nat s) * generating l) = 0.
Proof.
move=> /N.leb_le ls; apply: big1 => j _; rewrite coefXnM.
suff -> : (j < N.to_nat s)%N by rewrite mul0r.
by apply: leq_trans (ltn_ord j) _; rewrite /bound_of; apply/ssrnat.leP; lia.
Qed.

Lemma value_flipped l x c :
  value l (flipped limit (values x - 1) (weight x) c)
  = \sum_(sn <- c) r sn.2
      * (r (values x - 1) * fall ('X^(N.to_nat sn.1 + N.to_nat (weight x)) * generating l)).
Proof.
elim: c => [|[s n] c IH]; first by rewrite /value !big_nil.
rewrite [flipped _ _ _ _]/= big_cons -IH /=.
have e : (N.to_nat s + N.to_nat (weight x))%N = N.to_nat (s + weight x).
  by rewrite N2Nat.inj_add plusE.
case: ifP => far; first by rewrite e (fall_beyond _ far) !mulr0 add0r.
by rewrite value_cons e r_mul mulrA (mulrC (r n)).
Qed.

Lemma value_step l x c : value l (step limit c x) = value (x :: l) c.
Proof.
rewrite /step value_merge value_flipped -big_split; apply: eq_bigr => -[s n] _ /=.
rewrite -mulrDr -fallZ -fallD; congr (_ * fall _).
by rewrite /generating big_cons /factor mulrA mulrDr mulr1 mulrDl -scalerAr -exprD scalerAl.
Qed.

Lemma value_count l c : value [::] (List.fold_left (step limit) l c) = value l c.
Proof. by elim: l c => [|x l IH] c //=; rewrite IH value_step. Qed.

Lemma value_left_over c : value [::] c = r (left_over D th c).
Proof.
elim: c => [|[s n] c IH]; first by rewrite /value big_nil.
rewrite value_cons IH /= r_add r_mul r_sub r_mul /generating big_nil mulr1 fallXn.
by rewrite /rest.
Qed.

Lemma count_right l : r (left_over D th (count limit l)) = fall (generating l).
Proof.
rewrite -value_left_over /count value_count /value big_seq1 /= r1 mul1r.
by rewrite expr0 mul1r.
Qed.
End Counting.

(* Sums over lists. *)
Section Lists.
Variable R : realFieldType.
Notation r := (r R).

Lemma threshold_right l :
  r (threshold_of l) = \sum_(x <- l) r (weight x) * r (most x).
Proof. by elim: l => [|x l IH]; rewrite ?big_nil ?big_cons //= r_add r_mul IH. Qed.

Lemma records_right l : r (records l) = \prod_(x <- l) r (values x).
Proof. by elim: l => [|x l IH]; rewrite ?big_nil ?big_cons //= r_mul IH. Qed.

Lemma load_right l : List.forallb (fun x => 0 <? values x)%num l = true ->
  r (load l) = (\prod_(x <- l) r (values x))
    * \sum_(x <- l) r (weight x) * (1 - (r (values x))^-1).
Proof.
elim: l => [|x l IH] /=; first by rewrite !big_nil mulr0.
move=> /andP[x0 l0]; rewrite !big_cons r_add !r_mul IH // r_pred // records_right.
set A := \prod_(x <- l) _; set Y := \sum_(x <- l) _.
have n0 : r (values x) != 0 by rewrite gt_eqF ?r_gt0.
rewrite mulrDr addrC [r (values x) * (A * Y)]mulrA; congr (_ + _).
have -> : r (values x) - 1 = r (values x) * (1 - (r (values x))^-1).
  by rewrite mulrBr mulr1 mulfV.
by rewrite [RHS]mulrACA (mulrC (r (values x)) (r (weight x))) (mulrC A) !mulrA.
Qed.
End Lists.

Section Soundness.
Variables (R : realFieldType) (c : certificate).
Notation r := (r R).
Notation l := (attributes c).
Notation k := (size l).

(* The problem that a certificate speaks of. *)
Definition attribute_of (i : 'I_k) : attribute := nth (Attribute 0 0 0) l i.
Definition sizes (i : 'I_k) : nat := N.to_nat (values (attribute_of i)).
Definition most_flips (i : 'I_k) : R := r (most (attribute_of i)) / r (unit_of c).
Definition weights (i : 'I_k) : R := r (weight (attribute_of i)).
Definition claim : R := r (claim_num c) / r (claim_den c).

Lemma sum_attributes (F : attribute -> R) : \sum_(x <- l) F x = \sum_i F (attribute_of i).
Proof. by rewrite (big_nth (Attribute 0 0 0)) big_mkord. Qed.
Lemma prod_attributes (A : comRingType) (F : attribute -> A) :
  \prod_(x <- l) F x = \prod_i F (attribute_of i).
Proof. by rewrite (big_nth (Attribute 0 0 0)) big_mkord. Qed.

Lemma forall_attributes (P : attribute -> bool) :
  List.forallb P l = true -> forall i, P (attribute_of i).
Proof.
rewrite (_ : List.forallb P l = all P l); last by elim: {+}l => //= x s ->.
by move=> /(all_nthP (Attribute 0 0 0)) al i; apply: al.
Qed.

Hypothesis wf : well_formed c = true.
Let unit_gt0 : (0 <? unit_of c)%num = true.
Proof. by move: wf; rewrite /well_formed => /andP[/andP[/andP[]]]. Qed.
Let den_gt0 : (0 <? claim_den c)%num = true.
Proof. by move: wf; rewrite /well_formed => /andP[/andP[/andP[]]]. Qed.
Let th_gt0 : (0 <? threshold_of l)%num = true.
Proof. by move: wf; rewrite /well_formed => /andP[/andP[]]. Qed.
Let values_gt0 : List.forallb (fun x => 0 <? values x)%num l = true.
Proof. by move: wf; rewrite /well_formed => /andP[]. Qed.

Lemma values_of_gt0 i : (0 <? values (attribute_of i))%num = true.
Proof. exact: (forall_attributes values_gt0). Qed.

Lemma sizes_gt0 i : (0 < sizes i)%N.
Proof. by have := r_gt0 R (values_of_gt0 i); rewrite /r ltr0n. Qed.

Lemma T_right : r (records l) = T R sizes.
Proof. by rewrite records_right prod_attributes. Qed.

Lemma threshold_sum : r (threshold_of l) = r (unit_of c) * \sum_i weights i * most_flips i.
Proof.
rewrite threshold_right sum_attributes mulr_sumr; apply: eq_bigr => i _.
by rewrite /weights /most_flips mulrCA [r (unit_of c) * _]mulrC mulfVK // gt_eqF ?r_gt0.
Qed.

Lemma load_sum : r (load l) = T R sizes * \sum_i weights i * p R sizes i.
Proof.
rewrite load_right // sum_attributes -records_right T_right; congr (_ * _).
by apply: eq_bigr => i _; rewrite (p_def R sizes_gt0).
Qed.

Definition flip_weight (S : {set 'I_k}) : nat :=
  (\sum_(i in S) N.to_nat (weight (attribute_of i)))%N.

Lemma rest_h S : rest R (unit_of c) (threshold_of l) (flip_weight S)
  = r (unit_of c) * pos_part (h most_flips weights S).
Proof.
have u0 := r_gt0 R unit_gt0.
rewrite /rest /pos_part maxr_pmulr ?(ltW u0) // mulr0 threshold_sum -mulrBr.
congr (Num.max (_ * _) _).
rewrite /flip_weight natr_sum [X in _ - X]big_mkcond -sumrB; apply: eq_bigr => i _.
by rewrite mulrBr /B; case: (i \in S); rewrite ?mulr1 ?mulr0.
Qed.

Lemma generating_sets : generating R l
  = \sum_S (pi R sizes S * T R sizes) *: 'X^(flip_weight S).
Proof.
rewrite /generating prod_attributes.
under eq_bigr do rewrite /factor addrC.
rewrite prod_sum_sets; apply: eq_bigr => S _.
rewrite (pi_count R sizes_gt0) /times /flip_weight -prodrXr -mul_polyC rmorph_prod.
rewrite -big_split [RHS]big_mkcond; apply: eq_bigr => i _ /=; case: ifP => // _.
by rewrite mul_polyC r_pred ?values_of_gt0.
Qed.

(* The dynamic program computes T unit E[(y.(q - B))+]. *)
Lemma shortfall_right :
  r (shortfall c) = r (unit_of c) * (T R sizes * short sizes most_flips weights).
Proof.
rewrite /shortfall count_right // generating_sets fall_sum mulr_sumr mulr_sumr.
apply: eq_bigr => S _; rewrite fallZ fallXn // rest_h.
by rewrite [LHS]mulrCA (mulrC (pi R sizes S)) -mulrA.
Qed.

Lemma gain_sum : gain sizes most_flips weights
  = \sum_i weights i * p R sizes i - \sum_i weights i * most_flips i.
Proof. by rewrite -sumrB; apply: eq_bigr => i _; rewrite mulrBr. Qed.

Lemma weights_ge0 i : 0 <= weights i. Proof. exact: r_ge0. Qed.

Lemma budget_gt0 : 0 < \sum_i weights i * most_flips i.
Proof. by rewrite -(pmulr_rgt0 _ (r_gt0 R unit_gt0)) -threshold_sum r_gt0. Qed.

Add Field R_is_field : (field_of R).

(* What the checker has compared. *)
Lemma claim_proved :
  (claim_num c * shortfall c + claim_den c * (records l * threshold_of l)
     <=? claim_den c * (unit_of c * load l))%num = true ->
  claim * short sizes most_flips weights <= gain sizes most_flips weights.
Proof.
move=> /(r_le R); rewrite r_add !r_mul shortfall_right T_right load_sum threshold_sum gain_sum.
set D := r (unit_of c); set A := T R sizes; set n := r (claim_num c); set d := r (claim_den c).
set s := short _ _ _; set yp := \sum_i _ * p _ _ _; set yq := \sum_i _ * most_flips _.
have d0 : 0 < d by exact: r_gt0.
have DA : 0 < D * A by rewrite mulr_gt0 ?r_gt0 ?T_gt0 //; exact: sizes_gt0.
have -> : n * (D * (A * s)) + d * (A * (D * yq)) = (D * A) * (n * s + d * yq) by rings R.
have -> : d * (D * (A * yp)) = (D * A) * (d * yp) by rings R.
rewrite ler_pmul2l // -ler_subr_addr -mulrBr /claim -/n -/d => le.
by rewrite mulrAC ler_pdivr_mulr // [_ * d]mulrC.
Qed.
End Soundness.

Lemma check_parts c : check c = true -> well_formed c = true /\
  (claim_num c * shortfall c + claim_den c * (records (attributes c) * threshold_of (attributes c))
     <=? claim_den c * (unit_of c * load (attributes c)))%num = true.
Proof. by move=> /andP[]. Qed.

(* Theorem (a certificate is a proof). If the checker accepts a certificate, then      *)
(* every mechanism, symmetric or not, whose flip rates are at most the bounds n_i/unit *)
(* has an overall level eps with e^eps >= 1 + claim.                                   *)
Theorem certificate_sound (R : realFieldType) (c : certificate) : check c = true ->
  forall (K : record_of (@sizes c) -> record_of (@sizes c) -> R) (x : R),
  mechanism K -> (forall i, flip_rate K i <= most_flips R i) -> level x K ->
  1 + claim R c <= x.
Proof.
move=> /check_parts[wf accepted] K x cK Kq Kx.
have sizes0 := sizes_gt0 R wf.
have le := any_mechanism (fun i => card_ord (sizes i)) sizes0 (fun i => weights_ge0 R i) cK Kq Kx.
have := le_trans (claim_proved R wf accepted) le.
by rewrite ler_pmul2r ?(short_gt0 sizes0) ?budget_gt0 // ler_subr_addl.
Qed.

(* Levels in place of flip probabilities. The field R need not have an exponential     *)
(* function; all that is used of E_i = e^{eps_i} is that it is at least every partial  *)
(* sum of the exponential series.                                                      *)
Section Levels.
Variable R : realFieldType.
Notation r := (r R).
Add Field R_is_field_too : (field_of R).

Definition exp_sum (n : nat) (x : R) : R := \sum_(j < n) x ^+ j / (j`!)%:R.
Definition above_exp (x E : R) := forall n, exp_sum n x <= E.

Lemma r_div m n : (0 <? n)%num = true -> r (m / n) <= r m / r n.
Proof.
move=> n0; rewrite ler_pdivl_mulr ?r_gt0 // mulrC -r_mul; apply: r_le; apply/N.leb_le.
by apply: N.mul_div_le => z; move: n0; rewrite z.
Qed.

Lemma series_below (scale : R) num den terms j term : (0 <? den)%num = true ->
  let x := r num / r den in
  r term <= scale * (x ^+ N.to_nat j / ((N.to_nat j)`!)%:R) ->
  r (series terms num den j term)
  <= scale * \sum_(i < terms) x ^+ (N.to_nat j + i) / ((N.to_nat j + i)`!)%:R.
Proof.
move=> den0 x; elim: terms j term => [|m IH] j term le; first by rewrite big_ord0 mulr0.
rewrite /= r_add big_ord_recl addn0 mulrDr ler_add //.
have j1 : N.to_nat (j + 1) = (N.to_nat j).+1 by lia.
have dj0 : (0 <? den * (j + 1))%num = true.
  by apply/N.ltb_lt; move/N.ltb_lt: den0 => ?; lia.
have := IH (j + 1)%num (term * num / (den * (j + 1)))%num.
rewrite j1 => /(_ _)/le_trans; apply; last first.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _); apply: eq_bigr => i _;
     rewrite addSnnS.
apply: (le_trans (r_div _ dj0)); rewrite !r_mul.
have -> : r (j + 1) = (N.to_nat j).+1%:R by rewrite /r j1.
rewrite -mulf_div exprSr factS natrM (mulrC _.+1%:R) -mulf_div.
have -> : r term / r den * (r num / (N.to_nat j).+1%:R)
        = r term * (x / (N.to_nat j).+1%:R) by rewrite /x; rings R.
by rewrite [scale * _]mulrA ler_wpmul2r // divr_ge0 ?ler0n // divr_ge0 ?r_ge0.
Qed.

(* The flip probability of an attribute with a values and e^eps = E. *)
Definition flip_probability (a E : R) : R := (a - 1) / (E + (a - 1)).

Lemma enough_right terms scale unit x eps E :
  (0 <? scale)%num = true -> (0 <? unit)%num = true -> (0 <? values x)%num = true ->
  enough terms scale unit x eps = true -> above_exp (r eps.1 / r eps.2) E ->
  flip_probability (r (values x)) E <= r (most x) / r unit.
Proof.
move=> scale0 unit0 x0 /andP[den0 accepted] aboveE; have := r_le R accepted.
have scaleR := r_gt0 R scale0; have unitR := r_gt0 R unit0.
rewrite !r_mul r_add !r_mul r_pred //; set e := r (series _ _ _ _ _); set b := r (values x) - 1.
have b0 : 0 <= b by rewrite /b -r_pred // r_ge0.
have E0 : 0 < E.
  apply: lt_le_trans (aboveE 1%N); rewrite /exp_sum big_ord_recl big_ord0 addr0 /=.
  by rewrite expr0 fact0 divr1 ltr01.
have eE : e <= r scale * E.
  apply: (@le_trans _ _ (r scale * exp_sum terms (r eps.1 / r eps.2))); last first.
    by rewrite ler_pmul2l.
  apply: (@series_below (r scale) eps.1 eps.2 terms 0 scale den0).
  by rewrite expr0 fact0 divr1 mulr1.
move=> le; rewrite /flip_probability -/b ler_pdivr_mulr ?ltr_paddr //.
rewrite mulrAC ler_pdivl_mulr // -(ler_pmul2r scaleR).
have -> : b * r unit * r scale = r unit * (b * r scale) by rings R.
apply: (le_trans le); rewrite -[X in _ <= X]mulrA ler_wpmul2l ?r_ge0 //.
by rewrite [(E + b) * _]mulrDl ler_add2r mulrC.
Qed.
End Levels.

Section LevelsOfCertificate.
Variables (R : realFieldType) (c : certificate) (levels : seq (N * N)).
Notation k := (size (attributes c)).

(* The levels asked, as fractions. *)
Definition asked (i : 'I_k) : R :=
  r R (nth (0, 1)%num levels i).1 / r R (nth (0, 1)%num levels i).2.

Lemma enough_all terms scale : List.length levels = List.length (attributes c) ->
  List.forallb (fun xe => enough terms scale (unit_of c) (fst xe) (snd xe))
    (List.combine (attributes c) levels) = true ->
  forall i : 'I_k, enough terms scale (unit_of c) (attribute_of i) (nth (0, 1)%num levels i).
Proof.
rewrite /attribute_of => eqs al [i lt] /=.
elim: (attributes c) levels i lt eqs al => [|x l IH] [|e v] [|i] //= lt.
  by move=> _ /andP[].
by move=> [eqs] /andP[_ al]; apply: IH.
Qed.

(* Theorem (a certificate for levels). If the checker accepts a certificate together   *)
(* with levels eps_i, then every mechanism whose flip rates are at most                *)
(* q_i = (a_i - 1)/(e^{eps_i} + a_i - 1) has an overall level eps with                 *)
(* e^eps >= 1 + claim.                                                                 *)
Theorem certificate_levels terms scale : check_levels terms scale levels c = true ->
  forall (E : 'I_k -> R) (K : record_of (@sizes c) -> record_of (@sizes c) -> R) (x : R),
  (forall i, above_exp (asked i) (E i)) ->
  mechanism K ->
  (forall i, flip_rate K i <= flip_probability (sizes i)%:R (E i)) ->
  level x K ->
  1 + claim R c <= x.
Proof.
move=> /andP[/andP[/andP[accepted scale0] /PeanoNat.Nat.eqb_eq eqs] al] E K x aboveE cK Kq Kx.
apply: (certificate_sound accepted cK _ Kx) => i; apply: le_trans (Kq i) _.
have [wf _] := check_parts accepted.
apply: (enough_right scale0) (enough_all eqs al i) (aboveE i).
  by move: wf; rewrite /well_formed => /andP[/andP[/andP[]]].
exact: values_of_gt0.
Qed.
End LevelsOfCertificate.
