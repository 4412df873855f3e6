(* Densities (chapter 11): the numbers X_S of basics.v, in units of 1/T.               *)
(*                                                                                     *)
(* Attribute i has a_i values, and T is the number of records. pi is the law of the    *)
(* flip set S when the released record is uniformly random, E the expectation under    *)
(* pi, and B_i is 1 if i is in S, else 0.                                              *)
(*                                                                                     *)
(* A symmetric mechanism is a density f on flip sets: a given record at flip set S     *)
(* from the truth is released with probability X_S = f(S)/T. Its flip probabilities    *)
(* are E[f B_i], and its overall level is at most log x if f(S) <= x f(S') for all S,  *)
(* S'. `density_law` and `rate_flip` say that mechanisms and flip probabilities are    *)
(* those of basics.v, `level_in_numbers` of symmetric.v that levels are.               *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Export basics.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

(* A product of sums is a sum over subsets. *)
Lemma prod_sum_sets (R : comRingType) (I : finType) (F G : I -> R) :
  \prod_i (F i + G i) = \sum_(S : {set I}) \prod_i (if i \in S then F i else G i).
Proof.
pose H i b := if b then F i else G i.
have e i : F i + G i = \sum_b H i b by rewrite big_bool.
under eq_bigr do rewrite e.
rewrite bigA_distr_bigA (reindex (fun S : {set I} => [ffun i => i \in S])) /=.
  by apply: eq_bigr => S _; apply: eq_bigr => i _; rewrite ffunE.
exists (fun f : {ffun I -> bool} => [set i | f i]) => [S | f] _.
  by apply/setP => i; rewrite inE ffunE.
by apply/ffunP => i; rewrite ffunE inE.
Qed.

Section Setting.
Variables (R : realFieldType) (I : finType) (a : I -> nat).
Implicit Types (S : {set I}) (F f : {set I} -> R).
Notation p := (p R a).

Definition pi S : R := \prod_i (if i \in S then p i else 1 - p i).
Definition E F : R := \sum_S pi S * F S.
Definition B i S : R := (i \in S)%:R.
Definition T : R := \prod_i (a i)%:R.

Definition density f := (forall S, 0 <= f S) /\ E f = 1.
Definition rate f i : R := E (fun S => f S * B i S).
Definition has_level (x : R) f := forall S S', f S <= x * f S'.

Lemma eq_E F f : F =1 f -> E F = E f.
Proof. by move=> e; apply: eq_bigr => S _; rewrite e. Qed.

Lemma E_add F f : E (fun S => F S + f S) = E F + E f.
Proof. by rewrite -big_split; apply: eq_bigr => S _; rewrite mulrDr. Qed.

Lemma E_scale x F : E (fun S => x * F S) = x * E F.
Proof. by rewrite mulr_sumr; apply: eq_bigr => S _; rewrite mulrCA. Qed.

Lemma E_sub F f : E (fun S => F S - f S) = E F - E f.
Proof. by rewrite -sumrB; apply: eq_bigr => S _; rewrite mulrBr. Qed.

Lemma E_sum (J : finType) (F : J -> {set I} -> R) :
  E (fun S => \sum_i F i S) = \sum_i E (F i).
Proof. by rewrite exchange_big; apply: eq_bigr => S _; rewrite mulr_sumr. Qed.

Lemma pi_sum : \sum_S pi S = 1.
Proof. by rewrite -prod_sum_sets big1 // => i _; rewrite addrC subrK. Qed.

Lemma E_const x : E (fun=> x) = x.
Proof. by rewrite /E -mulr_suml pi_sum mul1r. Qed.

(* A uniformly random value differs with probability p_i. *)
Lemma E_B i : E (B i) = p i.
Proof.
pose F j := p j; pose G j := if j == i then 0 else 1 - p j.
transitivity (\prod_j (F j + G j)).
  rewrite prod_sum_sets; apply: eq_bigr => S _; rewrite /pi /B.
  rewrite (bigD1 i) //= [RHS](bigD1 i) //= /G eqxx.
  case: (i \in S); rewrite ?mulr1 ?mulr0 ?mul0r //; congr (_ * _).
  by apply: eq_bigr => j ji; rewrite (negPf ji).
rewrite (bigD1 i) //= /F /G eqxx addr0 big1 ?mulr1 // => j /negPf->.
by rewrite addrC subrK.
Qed.

Hypothesis a_gt0 : forall i, (0 < a i)%N.

Lemma aR_gt0 i : 0 < (a i)%:R :> R.
Proof. by rewrite ltr0n. Qed.

Lemma p_def i : p i = 1 - (a i)%:R^-1.
Proof. by rewrite /basics.p mulrBl mul1r divff // gt_eqF ?aR_gt0. Qed.

Lemma T_gt0 : 0 < T.
Proof. by apply: prodr_gt0 => i _; apply: aR_gt0. Qed.

(* pi counts records: prod_{i in S} (a_i - 1) of the T records have flip set S. *)
Lemma pi_count S : pi S * T = times R a S.
Proof.
rewrite /pi /T /times [RHS]big_mkcond -big_split; apply: eq_bigr => i _ /=; rewrite p_def.
have n0 : (a i)%:R != 0 :> R by rewrite gt_eqF ?aR_gt0.
case: ifP => _; first by rewrite mulrBl mul1r mulVf.
by rewrite opprB addrC subrK mulVf.
Qed.

Lemma pi_ge0 S : 0 <= pi S.
Proof. by rewrite -(pmulr_lge0 _ T_gt0) pi_count times_ge0. Qed.

Lemma pi_gt0 S : (forall i, (1 < a i)%N) -> 0 < pi S.
Proof. by move=> a1; rewrite -(pmulr_lgt0 _ T_gt0) pi_count times_gt0. Qed.

Lemma pi_empty : pi set0 = T^-1.
Proof.
apply: (mulIf (lt0r_neq0 T_gt0)); rewrite pi_count mulVf ?gt_eqF ?T_gt0 //.
by rewrite /times big_set0.
Qed.

Lemma pi_single i : pi [set i] = ((a i)%:R - 1) / T.
Proof.
apply: (mulIf (lt0r_neq0 T_gt0)); rewrite pi_count mulfVK ?gt_eqF ?T_gt0 //.
by rewrite /times big_set1.
Qed.

Lemma E_ge0 F : (forall S, 0 <= F S) -> 0 <= E F.
Proof. by move=> F0; apply: sumr_ge0 => S _; rewrite mulr_ge0 ?pi_ge0. Qed.

(* One vocabulary: f is a density if and only if the numbers X_S = f(S)/T are a flip   *)
(* law of basics.v, and both have the same flip probabilities.                         *)
Lemma E_times F : E F = \sum_S times R a S * (F S / T).
Proof.
apply: eq_bigr => S _; rewrite -pi_count mulrACA mulfV ?mulr1 //.
by rewrite gt_eqF ?T_gt0.
Qed.

Theorem density_law f : density f <-> flip_law a (fun S => f S / T).
Proof.
have T0 := T_gt0; split=> -[f0 f1]; split=> [S|].
- by rewrite divr_ge0 // ltW.
- by rewrite -E_times.
- by have := f0 S; rewrite pmulr_lge0 ?invr_gt0.
by rewrite E_times.
Qed.

Theorem rate_flip f i : rate f i = flip a (fun S => f S / T) i.
Proof.
rewrite /rate E_times /flip [RHS]big_mkcond; apply: eq_bigr => S _; rewrite /B.
by case: (i \in S); rewrite ?mulr1 // mulr0 mul0r mulr0.
Qed.
End Setting.
