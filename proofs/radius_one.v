(* The radius-one closed forms are optimal (chapter 7, "When the heuristic is optimal" *)
(* and "The right end").                                                               *)
(*                                                                                     *)
(* With odds M : 1 draw a record with at most one flip, else a uniformly random one.   *)
(* In units of the uniform part z_0 is the mass of the true record and z_i that of     *)
(* each record in which attribute i alone is flipped:                                  *)
(*   (a_i - 1) z_i = q_i (M - w_i),  z_0 = sum_i d_i + (1 - sum_i q_i) M,  d_i = q_i w_i. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra setting bound.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section RadiusOne.
Variables (R : realFieldType) (k : nat) (a : 'I_k -> nat).
Hypothesis a_gt1 : forall i, (1 < a i)%N.
Variable q : 'I_k -> R.
Hypothesis q_gt0 : forall i, 0 < q i.
Add Field R_is_field : (field_of R).
Implicit Types S : {set 'I_k}.

Let a_gt0 i : (0 < a i)%N. Proof. exact: ltnW. Qed.
Notation E := (@E R _ a).
Notation p := (p R a).
Notation T := (T R a).
Notation pi := (pi R a).

Definition b i : R := (a i)%:R - 1.
Definition d i : R := p i - q i.
Definition w i : R := d i / q i.

Lemma b_gt0 i : 0 < b i. Proof. by rewrite subr_gt0 ltr1n. Qed.
Lemma qw i : q i * w i = d i.
Proof. by rewrite mulrC mulfVK // gt_eqF. Qed.

(* A line that holds all mechanisms with these flip probabilities and at most one flip *)
(* above the uniform part. Points with a z_i < 0 are not of this kind.                 *)
Section Line.
Variable M : R.
Definition z i : R := q i / b i * (M - w i).
Definition z0 : R := \sum_i d i + (1 - \sum_i q i) * M.

(* The mass of a record with flip set S. *)
Definition mass S : R :=
  if S == set0 then z0 else \sum_i (if S == [set i] then z i else 0).
Definition line S : R := (1 + T * mass S) / (1 + M).

Lemma mass_empty : mass set0 = z0. Proof. by rewrite /mass eqxx. Qed.

Lemma set1_neq0 (i : 'I_k) : ([set i] == set0) = false.
Proof. by apply/negbTE/set0Pn; exists i; rewrite inE. Qed.

Lemma mass_single i : mass [set i] = z i.
Proof.
rewrite /mass set1_neq0 (bigD1 i) //= eqxx big1 ?addr0 // => j ji.
by rewrite (inj_eq set1_inj) eq_sym (negPf ji).
Qed.

(* Either nothing is flipped, or one attribute, or the record is of the uniform part. *)
Lemma mass_cases (P : {set 'I_k} -> R -> Prop) :
  P set0 z0 -> (forall i, P [set i] (z i)) ->
  (forall S, (1 < #|S|)%N -> P S 0) -> forall S, P S (mass S).
Proof.
move=> P0 P1 P2 S; case: (ltnP 1 #|S|) => cS.
  have S0 : (S == set0) = false by apply/negP => /eqP S0; rewrite S0 cards0 in cS.
  rewrite /mass S0 big1 => [|i _]; first exact: P2.
  by case: eqP => // Si; rewrite Si cards1 in cS.
have [->|] := eqVneq S set0; first by rewrite mass_empty.
rewrite -card_gt0 => S0; have /cards1P[i ->] : #|S| == 1%N by rewrite eqn_leq cS S0.
by rewrite mass_single.
Qed.

Lemma qM i : b i * z i = q i * M - d i.
Proof.
rewrite -qw /z; have : b i != 0 by rewrite gt_eqF ?b_gt0.
by move=> b0; fields R.
Qed.

(* Together they use up all there is. *)
Lemma mass_total : z0 + \sum_i b i * z i = M.
Proof.
under eq_bigr do rewrite qM.
rewrite sumrB -mulr_suml /z0; set Q := \sum_i q i; set D := \sum_i d i.
by rings R.
Qed.

(* Theorem (chapter 7, "Weights and masses"). For every mechanism on the line and all  *)
(* weights with sum y_i q_i = 1, sum y_i d_i = z_0 + sum (1 - y_i)(a_i - 1) z_i.       *)
Theorem weights_and_masses (y : 'I_k -> R) : \sum_i y i * q i = 1 ->
  \sum_i y i * d i = z0 + \sum_i (1 - y i) * (b i * z i).
Proof.
move=> yq; have e i : (1 - y i) * (b i * z i) = b i * z i - (y i * q i * M - y i * d i).
  by rewrite qM; rings R.
under [X in _ + X]eq_bigr do rewrite e.
by rewrite sumrB addrA mass_total sumrB -mulr_suml yq mul1r opprB addrC subrK.
Qed.

(* Expectations of what is not zero only where at most one attribute is flipped. *)
Lemma E_mass (F : {set 'I_k} -> R) :
  E (fun S => T * mass S * F S) = z0 * F set0 + \sum_i b i * z i * F [set i].
Proof.
have T0 : T != 0 by rewrite gt_eqF ?T_gt0.
rewrite /setting.E (bigD1 set0) //= mass_empty pi_empty //; congr (_ + _).
  by fields R.
transitivity (\sum_(S | S != set0) \sum_i (if S == [set i] then b i * z i * F [set i] else 0)).
  apply: eq_bigr => S S0; rewrite /mass (negPf S0) mulr_sumr mulr_suml mulr_sumr.
  apply: eq_bigr => i _; case: eqP => [->|_]; last by rewrite mulr0 mul0r mulr0.
  by rewrite pi_single // -/(b i); fields R.
rewrite exchange_big /=; apply: eq_bigr => i _.
rewrite (bigD1 [set i]) ?set1_neq0 //= eqxx big1 ?addr0 // => S /andP[_ /negPf->].
by [].
Qed.

Hypothesis M_ge0 : 0 <= M.
Let M1 : 1 + M != 0. Proof. by rewrite gt_eqF // ltr_paddr ?ltr01. Qed.

Lemma line_E (F : {set 'I_k} -> R) : E (fun S => line S * F S)
  = (E F + (z0 * F set0 + \sum_i b i * z i * F [set i])) / (1 + M).
Proof.
rewrite -E_mass -E_add mulrC -E_scale; apply: eq_E => S.
by rewrite /line; rings R.
Qed.

Lemma line_total : E line = 1.
Proof.
have := line_E (fun=> 1); rewrite E_const mulr1; under eq_bigr do rewrite mulr1.
rewrite mass_total divff // => <-; apply: eq_E => S; by rewrite mulr1.
Qed.

(* Its flip probabilities are q_i, whatever M is. *)
Lemma line_rate i : rate a line i = q i.
Proof.
rewrite /rate line_E E_B /B inE mulr0 add0r (bigD1 i) //= inE eqxx mulr1 big1; last first.
  by move=> j ji; rewrite inE eq_sym (negPf ji) mulr0.
rewrite addr0 qM -[p i](subrK (q i)) -/(d i); fields R.
Qed.

Section Height.
Hypothesis z_ge0 : forall i, 0 <= z i.
Hypothesis z_le : forall i, z i <= z0.
Hypothesis z0_ge0 : 0 <= z0.

Lemma mass_bars S : 0 <= mass S <= z0.
Proof.
move: S; apply: (mass_cases (P := fun _ m => 0 <= m <= z0)) => [|i|S _].
- by rewrite z0_ge0 lexx.
- by rewrite z_ge0 z_le.
by rewrite lexx z0_ge0.
Qed.

Lemma line_bars S : (1 + M)^-1 <= line S <= (1 + T * z0) * (1 + M)^-1.
Proof.
have /andP[lo hi] := mass_bars S; have M1' : 0 < (1 + M)^-1.
  by rewrite invr_gt0 ltr_paddr ?ltr01.
have T0 := T_gt0 R a_gt0.
rewrite /line ler_pmul2r // ler_add2l ler_pmul2l // hi andbT.
by rewrite -{1}[_^-1]mul1r ler_pmul2r // ler_addl mulr_ge0 // ltW.
Qed.

Lemma line_mechanism : density a line.
Proof.
split=> [S|]; last exact: line_total.
have /andP[lo _] := line_bars S; apply: le_trans lo.
by rewrite invr_ge0 addr_ge0 ?ler01.
Qed.

Lemma line_level : has_level (1 + T * z0) line.
Proof.
move=> S S'; have /andP[_ hi] := line_bars S; have /andP[lo _] := line_bars S'.
apply: le_trans hi _; rewrite ler_wpmul2l // addr_ge0 ?ler01 // mulr_ge0 //.
by rewrite ltW ?T_gt0.
Qed.

(* A mechanism on the line in which the truth is likeliest has the smallest overall    *)
(* level, log(1 + T z_0), of all mechanisms whose flip rates are at most q_i, if there *)
(* are weights y >= 0 with sum y_i q_i = 1 such that two flips together weigh at least *)
(* 1, a flip that weighs less than 1 is as likely as the truth, and one that weighs    *)
(* more has z_i = 0.                                                                   *)
Lemma line_optimal (y : 'I_k -> R) :
  (forall i, 0 <= y i) -> \sum_i y i * q i = 1 ->
  (forall i, y i < 1 -> z i = z0) -> (forall i, 1 < y i -> z i = 0) ->
  (forall S, (1 < #|S|)%N -> 1 <= \sum_(i in S) y i) ->
  forall (K : record_of a -> record_of a -> R) x,
  mechanism K -> (forall i, flip_rate K i <= q i) -> level x K -> 1 + T * z0 <= x.
Proof.
move=> y_ge0 yq light heavy two.
have hS S : h q y S = 1 - \sum_(i in S) y i by rewrite h_weight yq.
have h1 i : h q y [set i] = 1 - y i by rewrite hS big_set1.
have h0 : h q y set0 = 1 by rewrite hS big_set0 subr0.
have full S : 0 < h q y S -> mass S = z0.
  move: S; apply: (mass_cases (P := fun S m => 0 < h q y S -> m = z0)) => [//|i|S cS].
    by rewrite h1 subr_gt0; apply: light.
  by rewrite hS subr_gt0 ltNge two.
have even S : h q y S < 0 -> mass S = 0.
  move: S; apply: (mass_cases (P := fun S m => h q y S < 0 -> m = 0)) => [|i|//].
    by rewrite h0 ltNge ler01.
  by rewrite h1 subr_lt0; apply: heavy.
apply: (two_heights_optimal_any (fun i => card_ord (a i)) a_gt0 y_ge0 _ (invr_neq0 M1)
          line_total line_bars).
- by rewrite yq ltr01.
- by move=> S hS0; rewrite /line full.
- by move=> S hS0; rewrite /line even // mulr0 addr0 mul1r.
by move=> i _; rewrite line_rate.
Qed.
End Height.
End Line.

(* What it means that a mechanism f with e^eps = x is optimal for these flip           *)
(* probabilities: it has them, and no mechanism whose flip rates are at most q_i has a *)
(* smaller overall level.                                                              *)
Definition optimal (f : {set 'I_k} -> R) (x : R) :=
  [/\ density a f, forall i, rate a f i = q i, has_level x f
    & forall (K : record_of a -> record_of a -> R) x',
      mechanism K -> (forall i, flip_rate K i <= q i) -> level x' K -> x <= x'].

Hypothesis q_le : forall i, q i <= p i.

Lemma w_ge0 i : 0 <= w i.
Proof. by rewrite divr_ge0 ?subr_ge0 // ltW. Qed.

(* The weights of both ends: 1, but for attribute j, which takes what is left. *)
Section OneWeight.
Variable j : 'I_k.
Definition surplus : R := (1 - \sum_(i | i != j) q i) / q j.
Definition one_weight i : R := if i == j then surplus else 1.

Lemma one_weight_sum : \sum_i one_weight i * q i = 1.
Proof.
rewrite (bigD1 j) //= /one_weight eqxx (eq_bigr q) => [|i /negPf->]; last by rewrite mul1r.
by rewrite mulfVK ?subrK // gt_eqF.
Qed.

Lemma surplus_ge0 : \sum_(i | i != j) q i <= 1 -> 0 <= surplus.
Proof. by move=> le; rewrite divr_ge0 ?subr_ge0 // ltW. Qed.

Lemma surplus_ge1 : (1 <= surplus) = (\sum_i q i <= 1).
Proof.
by rewrite ler_pdivl_mulr // mul1r ler_subr_addr [in RHS](bigD1 j).
Qed.

Lemma one_weight_ge0 i : \sum_(i | i != j) q i <= 1 -> 0 <= one_weight i.
Proof. by move=> le; rewrite /one_weight; case: eqP => _; rewrite ?ler01 ?surplus_ge0. Qed.

(* Of two flips one is not that of attribute j. *)
Lemma one_weight_two S : \sum_(i | i != j) q i <= 1 -> (1 < #|S|)%N ->
  1 <= \sum_(i in S) one_weight i.
Proof.
move=> le cS; have /card_gt0P[i] : (0 < #|S :\ j|)%N.
  by move: cS; rewrite (cardsD1 j); case: (j \in S); rewrite ?add0n ?add1n // => /ltnW.
rewrite !inE => /andP[ij iS]; rewrite (bigD1 i) //= /one_weight (negPf ij).
by rewrite ler_addl sumr_ge0 // => l _; apply: one_weight_ge0.
Qed.
End OneWeight.

(* Theorem (chapter 7, the left end). Let attribute * have the largest w_i, let        *)
(* M = w_*, let sum q_i <= 1 and let z_0 >= max z_i. Then the mechanism of the line at *)
(* M has the smallest overall level, log(1 + T z_0), of all mechanisms whose flip      *)
(* rates are at most q_i.                                                              *)
Theorem left_end star : (forall i, w i <= w star) -> \sum_i q i <= 1 ->
  (forall i, z (w star) i <= z0 (w star)) ->
  optimal (line (w star)) (1 + T * z0 (w star)).
Proof.
move=> largest q1 zle; set M := w star; have M0 : 0 <= M by exact: w_ge0.
have z_ge0 i : 0 <= z M i.
  by rewrite mulr_ge0 ?subr_ge0 ?largest // divr_ge0 // ltW ?b_gt0.
have zs : z M star = 0 by rewrite /z /M subrr mulr0.
have z0_ge0 : 0 <= z0 M by rewrite -zs zle.
have others : \sum_(i | i != star) q i <= 1.
  by apply: le_trans q1; rewrite [X in _ <= X](bigD1 star) //= ler_addr ltW.
split; [exact: line_mechanism | exact: line_rate | exact: line_level |].
apply: (line_optimal M0 z_ge0 zle z0_ge0 (y := one_weight star)).
- by move=> i; apply: one_weight_ge0.
- exact: one_weight_sum.
- by move=> i; rewrite /one_weight; case: eqP => _; rewrite ltNge ?lexx // surplus_ge1 q1.
- by move=> i; rewrite /one_weight; case: eqP => [-> _ //|_]; rewrite ltxx.
by move=> S; apply: one_weight_two.
Qed.

(* The mass at which a flip of attribute i alone is as likely as the truth. *)
Definition meet i : R := (\sum_l d l + d i / b i) / (\sum_l q l - 1 + q i / b i).

Lemma z0_minus_z M i : z0 M - z M i
  = (\sum_l d l + d i / b i) - (\sum_l q l - 1 + q i / b i) * M.
Proof.
rewrite /z0 /z mulrBr -[d i / b i]mulr1 -qw.
set D := \sum_l d l; set Q := \sum_l q l.
have b0 : b i != 0 by rewrite gt_eqF ?b_gt0.
by fields R.
Qed.

(* Theorem (chapter 7, "The right end"). Let sum q_i > 1, and let z_0 first meet a     *)
(* single flip, that of attribute j, at M = meet j. If M >= max w_i and                *)
(* sum_{i != j} q_i <= 1, this point of the line has the smallest overall level of all *)
(* mechanisms whose flip rates are at most q_i.                                        *)
Theorem right_end j : 1 < \sum_i q i -> (forall i, meet j <= meet i) ->
  (forall i, w i <= meet j) -> \sum_(i | i != j) q i <= 1 ->
  optimal (line (meet j)) (1 + T * z0 (meet j)).
Proof.
move=> q1 first largest others; set M := meet j.
have slope i : 0 < \sum_l q l - 1 + q i / b i.
  by rewrite addr_gt0 ?subr_gt0 // divr_gt0 ?b_gt0.
have M0 : 0 <= M by apply: le_trans (w_ge0 j) (largest j).
have z_ge0 i : 0 <= z M i.
  by rewrite mulr_ge0 ?subr_ge0 ?largest // divr_ge0 // ltW ?b_gt0.
have zle i : z M i <= z0 M.
  rewrite -subr_ge0 z0_minus_z subr_ge0 mulrC -ler_pdivl_mulr //; exact: first.
have zj : z M j = z0 M.
  apply/esym/eqP; rewrite -subr_eq0 z0_minus_z /M /meet [_ * (_ / _)]mulrC mulfVK ?subrr //.
  by rewrite gt_eqF.
have z0_ge0 : 0 <= z0 M by rewrite -zj.
split; [exact: line_mechanism | exact: line_rate | exact: line_level |].
apply: (line_optimal M0 z_ge0 zle z0_ge0 (y := one_weight j)).
- by move=> i; apply: one_weight_ge0.
- exact: one_weight_sum.
- by move=> i; rewrite /one_weight; case: eqP => [-> _ //|_]; rewrite ltxx.
- move=> i; rewrite /one_weight; case: eqP => [_|_]; last by rewrite ltxx.
  by move=> /ltW; rewrite surplus_ge1 leNgt q1.
by move=> S; apply: one_weight_two.
Qed.

(* Theorem (chapter 7, "When the heuristic is optimal", part 2). If sum q_i > 1 and    *)
(* the truth is strictly likeliest at the left end M = max w_i, then the left end is   *)
(* not optimal: some mechanism with the same flip probabilities has a smaller overall  *)
(* level.                                                                              *)
Theorem left_end_not_optimal star : (forall i, w i <= w star) -> 1 < \sum_i q i ->
  (forall i, z (w star) i < z0 (w star)) ->
  exists f x, [/\ density a f, forall i, rate a f i = q i, has_level x f
    & x < 1 + T * z0 (w star)].
Proof.
move=> largest q1 strict; set M := w star in strict *.
have slope i : 0 < \sum_l q l - 1 + q i / b i.
  by rewrite addr_gt0 ?subr_gt0 // divr_gt0 ?b_gt0.
have later i : M < meet i.
  by rewrite ltr_pdivl_mulr // -subr_gt0 [M * _]mulrC -z0_minus_z subr_gt0.
case: (@arg_minP _ R _ star xpredT meet isT) => j _ first.
have M0 : 0 <= meet j by apply: le_trans (w_ge0 star) (ltW (later j)).
have z_ge0 i : 0 <= z (meet j) i.
  rewrite mulr_ge0 ?divr_ge0 ?(ltW (q_gt0 i)) ?(ltW (b_gt0 i)) // subr_ge0.
  by rewrite (le_trans (largest i)) // ltW.
have zle i : z (meet j) i <= z0 (meet j).
  by rewrite -subr_ge0 z0_minus_z subr_ge0 mulrC -ler_pdivl_mulr // first.
have z0_ge0 := le_trans (z_ge0 j) (zle j).
exists (line (meet j)), (1 + T * z0 (meet j)).
split; [exact: line_mechanism | exact: line_rate | exact: line_level |].
rewrite ltr_add2l ltr_pmul2l ?T_gt0 // ltr_add2l.
by rewrite ltr_nmul2l // subr_lt0.
Qed.

(* Theorem (chapter 7, "No point of the line"). If z_0 < z_i for some i at the left    *)
(* end, then z_0 < z_i for every larger M.                                             *)
Theorem no_point star i M : w star <= M -> z0 (w star) < z (w star) i -> z0 M < z M i.
Proof.
move=> le; rewrite -subr_lt0 z0_minus_z -[z0 M < _]subr_lt0 z0_minus_z.
set n := \sum_l d l + _; set s := \sum_l q l - 1 + _; rewrite !subr_lt0 => lt.
have d_ge0 l : 0 <= d l by rewrite subr_ge0.
have n0 : 0 <= n by rewrite addr_ge0 ?sumr_ge0 // divr_ge0 // ltW ?b_gt0.
have s0 : 0 < s.
  rewrite ltNge; apply/negP => s0; have := lt_le_trans lt (mulr_le0_ge0 s0 (w_ge0 star)).
  by rewrite ltNge n0.
by apply: lt_le_trans lt _; rewrite ler_pmul2l.
Qed.
End RadiusOne.
