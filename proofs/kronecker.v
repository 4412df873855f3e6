(* ========================================================================== *)
(* Chapter 2, Many answers: one by one, levels add up.                        *)
(*                                                                            *)
(* I is the set of attributes.  Attribute i has the truths V i, and its       *)
(* mechanism P i answers in U i (in the book the two are the same set, and    *)
(* U = V is allowed here).  E i stands for e^(epsilon_i), so that the sum of  *)
(* the levels is the product of the E i.                                      *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* -------------------------------------------------------------------------- *)
(* The smallest level of a mechanism is the ratio of two entries of one row.  *)
(* -------------------------------------------------------------------------- *)
Section Attained.
Variables (R : realFieldType) (U V : finType) (P : U -> V -> R) (E : R).

Definition attained := exists u v v', 0 < P u v' /\ P u v = E * P u v'.

Lemma attained_smallest : level E P -> attained -> smallest_level E P.
Proof.
move=> lE [u [v [v' [pos e]]]]; split=> // E' /(_ u v v').
by rewrite e ler_pmul2r.
Qed.

Lemma smallest_attained : mechanism P -> smallest_level E P -> attained.
Proof.
move=> [P0 P1] [lE minE].
have [v0 _ | noV] := pickP (predT : pred V); last first.
  have : level (E - 1) P by move=> u v; have := noV v.
  by move=> /minE; rewrite ler_subr_addr ger_addl ler10.
have [u0 pos0] : exists u, 0 < P u v0.
  apply/existsP; apply: contraT; rewrite negb_exists => /forallP neg.
  have : \sum_u P u v0 = 0.
    by apply: big1 => u _; apply/eqP; rewrite eq_le P0 leNgt neg.
  by rewrite P1 => /eqP; rewrite oner_eq0.
pose Q (t : U * V * V) := 0 < P t.1.1 t.2.
pose ratio (t : U * V * V) := P t.1.1 t.1.2 / P t.1.1 t.2.
have Q0 : Q (u0, v0, v0) by [].
case: (arg_maxP ratio Q0) => -[[u v] v'] /= pos max.
exists u, v, v'; split=> //.
have lr : level (P u v / P u v') P.
  move=> x y y'; have := P0 x y'; rewrite le_eqVlt => /orP[/eqP z | xpos].
    by rewrite -z mulr0 (le_trans (lE x y y')) // -z mulr0.
  by rewrite -ler_pdivr_mulr //; apply: (max (x, y, y')).
apply/eqP; rewrite eq_le lE /=.
by rewrite -ler_pdivl_mulr //; apply: minE.
Qed.

End Attained.

(* -------------------------------------------------------------------------- *)
(* The Kronecker product.                                                     *)
(* -------------------------------------------------------------------------- *)
Section Kronecker.
Variables (R : realFieldType) (I : finType) (U V : I -> finType).
Variables (P : forall i, U i -> V i -> R) (E : I -> R).

(* many-kron: the entry of the product is the product of the entries *)
Definition kron (u : record U) (v : record V) : R := \prod_i P (u i) (v i).

Hypothesis mechP : forall i, mechanism (@P i).

Lemma kron_mechanism : mechanism kron.
Proof.
split=> [u v | v]; first by apply: prodr_ge0 => i _; apply: (mechP i).1.
rewrite (sum_prod (fun i x => P x (v i))) big1 // => i _.
exact: (mechP i).2.
Qed.

Lemma kron_level : (forall i, level (E i) (@P i)) -> level (\prod_i E i) kron.
Proof.
move=> lE u v v'; rewrite /kron -big_split /=; apply: ler_prod => i _.
by rewrite lE (mechP i).1.
Qed.

Lemma kron_attained :
  (forall i, attained (@P i) (E i)) -> attained kron (\prod_i E i).
Proof.
move=> att.
have att' i : exists t : U i * V i * V i,
    (0 < P t.1.1 t.2) && (P t.1.1 t.1.2 == E i * P t.1.1 t.2).
  by have [u [v [v' [pos e]]]] := att i; exists (u, v, v'); rewrite /= pos e eqxx.
pose t i := xchoose (att' i).
have tP i : 0 < P (t i).1.1 (t i).2 /\
    P (t i).1.1 (t i).1.2 = E i * P (t i).1.1 (t i).2.
  by have /andP[? /eqP] := xchooseP (att' i).
exists [ffun i => (t i).1.1], [ffun i => (t i).1.2], [ffun i => (t i).2]; split.
  by apply: prodr_gt0 => i _; rewrite !ffunE; case: (tP i).
by rewrite /kron -big_split /=; apply: eq_bigr => i _; rewrite !ffunE; case: (tP i).
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-sum, One by one, levels add up:                                   *)
(* If the mechanism P_i has smallest level epsilon_i for each i, then         *)
(* P_1 (x) ... (x) P_k has smallest level epsilon_1 + ... + epsilon_k.        *)
(* ------------------------------------------------------------------------ *)
Theorem levels_add_up :
  (forall i, smallest_level (E i) (@P i)) -> smallest_level (\prod_i E i) kron.
Proof.
move=> sE; apply: attained_smallest.
  by apply: kron_level => i; apply: (sE i).1.
by apply: kron_attained => i; apply: smallest_attained.
Qed.

End Kronecker.

(* The product of inverses is an inverse of the product. *)
Lemma kron_inverse (R : realFieldType) (I : finType) (A : I -> finType)
    (P J : forall i, A i -> A i -> R) :
    (forall i x z, \sum_y P i x y * J i y z = (x == z)%:R) ->
  forall u w : record A, \sum_v kron P u v * kron J v w = (u == w)%:R.
Proof.
move=> inv u w; rewrite (eq_bigr _ (fun v _ => esym (big_split _ _ _ _ _))) /=.
rewrite (sum_prod (fun i y => P i (u i) y * J i y (w i))).
rewrite (eq_bigr _ (fun i _ => inv i (u i) (w i))); have [-> | uw] := eqVneq u w.
  by rewrite big1 // => i _; rewrite eqxx.
have [i /negbTE ui] : exists i, u i != w i.
  apply/existsP; apply: contraR uw; rewrite negb_exists => /forallP same.
  by apply/eqP/recordP => i; apply/eqP; rewrite -[_ == _]negbK.
by rewrite (bigD1 i) //= ui mul0r.
Qed.
