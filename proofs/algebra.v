(* Coq's tactics ring and field, for the fields of MathComp: `rings R` and `fields R`. *)
(* MathComp writes the same operation of R in many ways; `to_field` writes it in one.  *)
From Coq Require Export Ring Field.
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section Operations.
Variable R : realFieldType.
Definition zeroR : R := 0.
Definition oneR : R := 1.
Definition addR (x y : R) : R := x + y.
Definition mulR (x y : R) : R := x * y.
Definition oppR (x : R) : R := - x.
Definition invR (x : R) : R := x^-1.
Definition natR (n : nat) : R := n%:R.
Definition subR (x y : R) : R := addR x (oppR y).
Definition divR (x y : R) : R := mulR x (invR y).

Lemma field_of : field_theory zeroR oneR addR mulR subR oppR divR invR eq.
Proof.
split; last by move=> x /eqP x0; rewrite /mulR /invR mulVf.
- split=> //; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC
              | exact: mulrA | exact: mulrDl | exact: subrr].
- by apply/eqP; rewrite oner_eq0.
- by [].
Qed.
End Operations.

Ltac to_field R :=
  repeat match goal with
  | |- context [@GRing.natmul ?V (GRing.one ?W) ?n] =>
      change (@GRing.natmul V (GRing.one W) n) with (natR R n)
  | |- context [@GRing.add ?V ?x ?y] => change (@GRing.add V x y) with (@addR R x y)
  | |- context [@GRing.mul ?V ?x ?y] => change (@GRing.mul V x y) with (@mulR R x y)
  | |- context [@GRing.opp ?V ?x] => change (@GRing.opp V x) with (@oppR R x)
  | |- context [@GRing.inv ?V ?x] => change (@GRing.inv V x) with (@invR R x)
  | |- context [GRing.one ?V] => change (GRing.one V) with (oneR R)
  | |- context [GRing.zero ?V] => change (GRing.zero V) with (zeroR R)
  end;
  match goal with |- @eq _ ?x ?y => change (@eq (Num.RealField.sort R) x y) end.
Ltac nonzero :=
  match goal with H : is_true (~~ _) |- _ <> _ => exact (elimN eqP H) end.
Ltac fields R := to_field R; field; repeat split; nonzero.
Ltac rings R := to_field R; ring.
