(* The optimum is a weighted ball, and what all optima have in common (chapter 11).    *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import setting bound tight.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section Shape.
Variables (R : realFieldType) (I : finType) (a : I -> nat).
Hypothesis a_gt1 : forall i, (1 < a i)%N.
Variable q : I -> R.
Hypothesis q_gt0 : forall i, 0 < q i.
Hypothesis q_le : forall i, q i <= p R a i.
Implicit Types (S : {set I}) (f : {set I} -> R) (y : I -> R) (x : R).

Let a_gt0 i : (0 < a i)%N. Proof. exact: ltnW. Qed.

(* y(S), the weight of a flip set, and the radius y.q *)
Definition weight y S : R := \sum_(i in S) y i.
Definition radius y : R := \sum_i y i * q i.

(* Best weights are those that prove the largest bound. *)
Definition best y :=
  weights y /\ forall y', weights y' -> bound_of a q y' <= bound_of a q y.

(* The optimal e^eps*, in any of the ways of `best_weights_close_the_gap`. *)
Definition optimum x := smallest (with_fewer_flips a q) x.

Lemma best_attains y x : best y -> optimum x -> gain a q y = (x - 1) * short a q y.
Proof.
move=> [wy most] [inx least]; have some_attribute : (0 < #|I|)%N.
  by have [_ [i _]] := wy; apply/card_gt0P; exists i.
have [x' [[_ [[y' wy' x'_is] above] _ _] [[inx' least'] _]]] :=
  best_weights_close_the_gap a_gt0 q_gt0 q_le (A := fun i => [finType of 'I_(a i)])
    (fun i => card_ord (a i)) some_attribute.
have -> : x = x' by apply/eqP; rewrite eq_le least // least'.
have -> : x' = bound_of a q y.
  by apply/eqP; rewrite eq_le {1}x'_is most //= above //; exists y.
by rewrite /bound_of addrAC subrr add0r mulfVK // gt_eqF ?short_pos.
Qed.

(* Theorem (chapter 11, "The optimum is a weighted ball"). Let y be best weights. Let  *)
(* f be the density of any symmetric mechanism whose overall level is eps* and whose   *)
(* flip probabilities are at most q_i. Then                                            *)
(* 1. f(S) = max f where y(S) < y.q, and f(S) = min f where y(S) > y.q;                *)
(* 2. y.q = E[f sum_i y_i B_i], the expected weighted number of flips;                 *)
(* 3. no record is likelier than the truth, and none is rarer than one in which        *)
(*    everything is flipped.                                                           *)
Theorem weighted_ball y f x : best y -> optimum x ->
    density a f -> (forall i, rate a f i <= q i) -> has_level x f ->
  [/\ forall S, weight y S < radius y -> f S = f set0,
      forall S, radius y < weight y S -> f S = f setT,
      radius y = E a (fun S => f S * \sum_i y i * B R i S)
    & forall S, f setT <= f S <= f set0].
Proof.
move=> by_ ox df fq fx; have [y_ge0 y_neq0] := by_.1.
have [[c c_gt0 bars] exact_rates] :=
  two_heights a_gt0 y_ge0 a_gt1 df fq fx (best_attains by_ ox).
have r_gt0 : 0 < radius y by have [i yi] := y_neq0; apply: budget_gt0 yi.
have truth : f set0 = x * c.
  have [_ high _] := bars set0; apply: high.
  by rewrite h_weight /weight big_set0 subr0.
have all_flipped : f setT = c.
  have [_ _ low] := bars setT; apply: low; rewrite h_weight subr_lt0 /weight /radius.
  have small j : q j < 1.
    by apply: le_lt_trans (q_le j) _; rewrite p_def // ltr_subl_addr ltr_addl invr_gt0 ltr0n.
  have [i yi] := y_neq0; rewrite [X in _ < X](bigD1 i) ?inE //= (bigD1 i) //= ltr_le_add //.
    by rewrite gtr_pmulr ?small // lt_def yi y_ge0.
  rewrite [X in _ <= X](eq_bigl (fun j => j != i)) => [|j]; last by rewrite inE.
  by apply: ler_sum => j _; rewrite ler_pimulr // ltW.
split.
- by move=> S light; have [_ high _] := bars S; rewrite truth high // h_weight subr_gt0.
- by move=> S heavy; have [_ _ low] := bars S; rewrite all_flipped low // h_weight subr_lt0.
- rewrite (eq_E _ (f := fun S => \sum_i y i * (f S * B R i S))) => [|S]; last first.
    by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
  rewrite E_sum; apply: eq_bigr => i _; rewrite E_scale.
  have [->|yi] := eqVneq (y i) 0; first by rewrite !mul0r.
  by rewrite -/(rate a f i) exact_rates // lt_def yi y_ge0.
by move=> S; have [bar _ _] := bars S; rewrite truth all_flipped.
Qed.

(* Theorem (chapter 11, "All optima", the first claim). Let y be best weights, and P   *)
(* any mechanism, symmetric or not, with flip rates of at most q_i and overall level   *)
(* eps*. With c_u the smallest P_uv over v, P_uv is e^eps* c_u if y(S_uv) < y.q, and   *)
(* c_u if y(S_uv) > y.q.                                                               *)
Theorem all_optima (A : I -> finType) (a_values : forall i, #|A i| = a i)
    (P : record A -> record A -> R) y x : best y -> optimum x ->
    mechanism P -> (forall i, flip_rate P i <= q i) -> level x P -> forall u v,
  (weight y (flips u v) < radius y -> P u v = x * least_entry a_values a_gt0 P u) /\
  (radius y < weight y (flips u v) -> P u v = least_entry a_values a_gt0 P u).
Proof.
move=> by_ ox mP Pq Px u v.
have := two_heights_any a_values a_gt0 by_.1.1 mP Pq Px (best_attains by_ ox) u v.
by rewrite h_weight subr_gt0 subr_lt0.
Qed.
End Shape.
