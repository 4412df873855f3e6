(* A ball is a mechanism: mix, scale, repair, and when it is optimal (chapter 14).     *)
(*                                                                                     *)
(* D(S), between 0 and 1, is the chance that flip set S belongs to the ball, which has *)
(* probability pi(D) = E[D]. A random record of the ball has the density D/pi(D). It   *)
(* is released with odds M to 1, and otherwise a uniformly random record.              *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra setting repair bound.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section Ball.
Variables (R : realFieldType) (I : finType) (a : I -> nat).
Hypothesis a_gt0 : forall i, (0 < a i)%N.
Variables (q : I -> R) (M : R).
Hypothesis q_lt : forall i, q i < p R a i.
Hypothesis M_gt0 : 0 < M.
Add Field R_is_field : (field_of R).
Implicit Types (S : {set I}) (D f : {set I} -> R) (i : I).

Definition d i : R := p R a i - q i.

(* A random record of density f with odds M to 1, else a uniformly random one. *)
Definition mixed f S : R := (1 + M * f S) / (1 + M).

Let d_gt0 i : 0 < d i. Proof. by rewrite subr_gt0. Qed.
Let M1 : 0 < 1 + M. Proof. by rewrite ltr_paddl // ler01. Qed.

Lemma mixed_E f (F : {set I} -> R) :
  E a (fun S => mixed f S * F S) = (E a F + M * E a (fun S => f S * F S)) / (1 + M).
Proof.
rewrite mulrC -[M * _](E_scale a M (fun S => f S * F S)) -E_add -E_scale; apply: eq_E => S.
by rewrite /mixed; rings R.
Qed.

Lemma mixed_rate f i : rate a (mixed f) i = (p R a i + M * rate a f i) / (1 + M).
Proof. by rewrite /rate mixed_E E_B. Qed.

Lemma mixed_density f : density a f -> density a (mixed f).
Proof.
case=> f0 f1; split=> [S|]; first by rewrite divr_ge0 ?addr_ge0 ?mulr_ge0 ?ler01 // ltW.
have := mixed_E f (fun=> 1); rewrite E_const (eq_E _ (f := mixed f)) => [->|S]; last first.
  by rewrite mulr1.
by rewrite (eq_E _ (f := f)) ?f1 ?mulr1 ?divff ?gt_eqF // => S; rewrite mulr1.
Qed.

Lemma mixed_level f h : (forall S, 0 <= f S) -> (forall S, f S <= h) ->
  has_level (1 + M * h) (mixed f).
Proof.
move=> f0 fh S S'; rewrite mulrA ler_pmul2r ?invr_gt0 //.
apply: (@le_trans _ _ (1 + M * h)); first by rewrite ler_add2l ler_pmul2l.
rewrite ler_pmulr ?ler_addl ?mulr_ge0 ?(ltW M_gt0) //.
by rewrite ltr_paddr ?ltr01 // mulr_ge0 ?(ltW M_gt0) // (le_trans (f0 S)).
Qed.

(* s_i = M (q_i - r_i)/d_i, where r_i is the flip rate in the ball. *)
Definition s f i : R := M * (q i - rate a f i) / d i.

Lemma rate_s f i : rate a (mixed f) i = q i + (1 - s f i) * (d i / (1 + M)).
Proof.
have d0 := lt0r_neq0 (d_gt0 i); have M0 := lt0r_neq0 M1.
rewrite mixed_rate /s; have -> : p R a i = d i + q i by rewrite subrK.
by fields R.
Qed.

(* The probability with which the value of attribute i is replaced. *)
Definition replaced f i : R := (s f i - 1) / (s f i + M).
Definition repaired f (r : seq I) := foldr (fun i => repair a i (replaced f i)) f r.

(* Replacing a value in densities, as in repair.v. *)
Lemma repair_density i t f : 0 <= t <= 1 -> density a f ->
  [/\ density a (repair a i t f), forall h, (forall S, f S <= h) -> forall S, repair a i t f S <= h,
      rate a (repair a i t f) i = (1 - t) * rate a f i + t * p R a i
    & forall j, j != i -> rate a (repair a i t f) j = rate a f j].
Proof.
move=> t01 df; pose X S := f S / T R a; have lawX : flip_law a X by apply/density_law.
have [X0 X1] := lawX; have [f0 _] := df.
have scaled S : repair a i t f S / T R a = repair a i t X S.
  rewrite mulrC -repair_scale; congr (_ + _ * _); rewrite /X ?[_ / _]mulrC //.
  by rewrite /mean !(mulrC _^-1).
have flips_of j : rate a (repair a i t f) j = flip a (repair a i t X) j.
  by rewrite rate_flip //; apply: eq_bigr => S _; rewrite scaled.
split.
- apply: (density_law a_gt0 _).2; have [Y0 Y1] := repair_law a_gt0 i t01 lawX.
  by split=> [S|]; [rewrite scaled | rewrite -Y1; apply: eq_bigr => S _; rewrite scaled].
- by have [_ high _ _ _] := repair_no_worse a_gt0 i t01 f0.
- by rewrite flips_of repair_flip // rate_flip.
move=> j ji; rewrite flips_of rate_flip // /flip.
by apply: (repair_mass a_gt0 _ _ (Q := fun S => j \in S)) => S; rewrite !inE (negPf ji).
Qed.

Lemma repaired_ok f h (r : seq I) : uniq r -> density a f -> (forall S, f S <= h) ->
    (forall i, 0 <= replaced f i <= 1) ->
  [/\ density a (repaired f r), forall S, repaired f r S <= h,
      forall i, i \in r -> rate a (repaired f r) i
        = (1 - replaced f i) * rate a f i + replaced f i * p R a i
    & forall i, i \notin r -> rate a (repaired f r) i = rate a f i].
Proof.
move=> ur df fh t01; elim: r ur => [_ | i r IH /= /andP[ir /IH [dg gh inr out]]] //=.
have [dg' le same other] := repair_density i (t01 i) dg; split=> //; first exact: le.
- move=> j; rewrite inE; have [->|ji /= jr] := eqVneq j i; first by rewrite same out.
  by rewrite other ?inr.
by move=> j; rewrite inE negb_or => /andP[ji jr]; rewrite other ?out.
Qed.

(* Theorem (chapter 14, "Mix, scale, repair"). Let pi(D) > 0 and r_i < q_i for all i.  *)
(* 1. Attribute i flips with probability at most q_i if and only if s_i >= 1.          *)
(* 2. The overall level is at most log(1 + M/pi(D)).                                   *)
(* 3. Let all s_i >= 1. In records of the ball, replace the value of attribute i by a  *)
(*    uniformly random one with probability (s_i - 1)/(s_i + M), independently for     *)
(*    each i. Then every attribute flips with probability exactly q_i, and (2) still   *)
(*    holds.                                                                           *)
(* (That r_i < q_i is not needed: s_i >= 1 implies it.)                                *)
Section OneBall.
Variable D : {set I} -> R.
Hypothesis D01 : forall S, 0 <= D S <= 1.
Hypothesis piD : 0 < E a D.

Definition ball S : R := D S / E a D.

Lemma ball_density : density a ball.
Proof.
split=> [S|]; first by have /andP[D0 _] := D01 S; rewrite divr_ge0 // ltW.
rewrite (eq_E _ (f := fun S => (E a D)^-1 * D S)) => [|S]; last by rewrite mulrC.
by rewrite E_scale mulVf // gt_eqF.
Qed.

Lemma ball_le S : ball S <= (E a D)^-1.
Proof. by have /andP[_ D1] := D01 S; rewrite ler_pimull // invr_ge0 ltW. Qed.

Theorem mix_scale_repair :
  [/\ density a (mixed ball),
      forall i, (rate a (mixed ball) i <= q i) = (1 <= s ball i),
      has_level (1 + M / E a D) (mixed ball)
    & (forall i, 1 <= s ball i) ->
      let f := mixed (repaired ball (enum I)) in
      [/\ forall i, 0 <= replaced ball i <= 1, density a f, forall i, rate a f i = q i
        & has_level (1 + M / E a D) f]].
Proof.
have db := ball_density; split; first exact: mixed_density.
- by move=> i; rewrite rate_s ger_addl pmulr_lle0 ?divr_gt0 // subr_le0.
- by apply: mixed_level ball_le; case: db.
move=> s_ge1; have sM i : 0 < s ball i + M.
  by rewrite addr_gt0 // (lt_le_trans ltr01).
have t01 i : 0 <= replaced ball i <= 1.
  rewrite divr_ge0 ?subr_ge0 ?(ltW (sM i)) //= ler_pdivr_mulr // mul1r ler_add2l.
  by rewrite (le_trans _ (ltW M_gt0)) // oppr_le0 ler01.
have [dg gh rates _] := repaired_ok (enum_uniq I) db ball_le t01.
split=> //; [exact: mixed_density | | by apply: mixed_level gh; case: dg].
move=> i; rewrite mixed_rate rates ?mem_enum // /replaced.
have s0 := lt0r_neq0 (sM i); have M0 := lt0r_neq0 M1; have d0 := lt0r_neq0 (d_gt0 i).
have m0 := lt0r_neq0 M_gt0.
have r_is : rate a ball i = q i - s ball i * d i / M by rewrite /s; fields R.
have p_is : p R a i = d i + q i by rewrite subrK.
by rewrite r_is p_is; move: s0; set t := s ball i => s0; fields R.
Qed.

(* Theorem (chapter 14, "When a ball is optimal"). Let all s_i = 1. Then               *)
(* r_i = q_i (1 - w_i/M), where w_i = d_i/q_i. If also, for some weights y >= 0, not   *)
(* all 0, D(S) = 1 where y(S) < y.q and D(S) = 0 where y(S) > y.q, then y proves the   *)
(* level log(1 + M/pi(D)) optimal: no mechanism whose flip rates are at most q_i has a *)
(* smaller one.                                                                        *)
Theorem ball_optimal (y : I -> R) : (forall i, 0 < q i) -> (forall i, s ball i = 1) ->
  (forall i, rate a ball i = q i * (1 - d i / q i / M)) /\
  ((forall i, 0 <= y i) -> (exists i, y i != 0) ->
   (forall S, \sum_(i in S) y i < \sum_i y i * q i -> D S = 1) ->
   (forall S, \sum_i y i * q i < \sum_(i in S) y i -> D S = 0) ->
   forall (A : I -> finType), (forall i, #|A i| = a i) ->
   forall (K : record A -> record A -> R) x,
   mechanism K -> (forall i, flip_rate K i <= q i) -> level x K -> 1 + M / E a D <= x).
Proof.
move=> q_gt0 s1; split=> [i | y_ge0 [i yi] full even A a_values K x mK Kq Kx].
  have d0 := lt0r_neq0 (d_gt0 i); have m0 := lt0r_neq0 M_gt0; have q0 := lt0r_neq0 (q_gt0 i).
  have -> : rate a ball i = q i - s ball i * d i / M by rewrite /s; fields R.
  by rewrite s1; fields R.
have piD0 := lt0r_neq0 piD; have [ball0 _] := ball_density; have c_gt0 : 0 < (1 + M)^-1.
  by rewrite invr_gt0.
apply: (two_heights_optimal_any a_values a_gt0 y_ge0 (f := mixed ball) (c := (1 + M)^-1) _ _
          (mixed_density ball_density).2 _ _ _ _ mK Kq Kx).
- exact: budget_gt0 yi.
- exact: lt0r_neq0.
- move=> S; rewrite /mixed ler_pmul2r // ler_add2l ler_pmul2l // ball_le andbT.
  by rewrite -{1}[_^-1]mul1r ler_pmul2r // ler_addl mulr_ge0 // ltW.
- by move=> S; rewrite h_weight subr_gt0 => /full D1; rewrite /mixed /ball D1 mul1r.
- move=> S; rewrite h_weight subr_lt0 => /even D0.
  by rewrite /mixed /ball D0 mul0r mulr0 addr0 mul1r.
by move=> j _; rewrite rate_s s1 subrr mul0r addr0.
Qed.
End OneBall.
End Ball.
