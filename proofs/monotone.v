(* ========================================================================== *)
(* Monotone for free (chapter 5): where a flip is likelier than the truth     *)
(* beside it, move mass until the two shares are equal.                       *)
(*                                                                            *)
(* X S is the share of each single release with flip set S; attribute i has   *)
(* n i values.  level_out does it for attribute i at every flip set.  One     *)
(* sweep over the attributes, in any order, makes every mechanism monotone.   *)
(* This is not the book's proof of lp-thm-tight; orr/optimum/cell_program.py  *)
(* moves mass like this.                                                      *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics symmetric repair.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Monotone.
Variables (R : realFieldType) (I : finType) (n : I -> nat).
Hypothesis n0 : forall i, (0 < n i)%N.
Implicit Types (i j : I) (S : {set I}) (X Y : {set I} -> R).

Notation sizeof := (sizeof R n).
Notation times := (times R n).
Notation mean := (mean n).

(* At a pair S, S + i where the flip of i is likelier than the truth beside it,
   both shares become their common mean, in which S + i counts a_i - 1 times. *)
Definition level_out i X S := if X (S :\ i) < X (i |: S) then mean i X S else X S.

(* sorted in direction i: a flip of i never makes a record likelier *)
Definition sorted_at X i := forall S, X (i |: S) <= X S.

Let size_gt0 i : 0 < sizeof i. Proof. by rewrite ltr0n. Qed.
Let size_ge1 i : 0 <= sizeof i - 1. Proof. by rewrite subr_ge0 ler1n. Qed.

Let size_split i c : sizeof i * c = c + (sizeof i - 1) * c.
Proof. by rewrite mulrBl mul1r addrC subrK. Qed.

Lemma addU i S : i |: (i |: S) = i |: S.
Proof. by rewrite setUA setUid. Qed.

Lemma addD i S : (i |: S) :\ i = S :\ i.
Proof. by rewrite setDUl setDv set0U. Qed.

Lemma addUD i S : i |: (S :\ i) = i |: S.
Proof. by apply/setP => j; rewrite !inE; case: eqP. Qed.

Lemma with_or_without i S : S = i |: S \/ S = S :\ i.
Proof.
case: (boolP (i \in S)) => iS; [left | right]; last by rewrite setD1_id.
by apply/esym/setUidPr; rewrite sub1set.
Qed.

(* the mean is between the two *)
Lemma mean_ge i X S : X (S :\ i) <= X (i |: S) -> X (S :\ i) <= mean i X S.
Proof.
move=> le; rewrite /mean ler_pdivl_mulr // mulrC size_split ler_add2l.
by rewrite ler_wpmul2l.
Qed.

Lemma mean_le_with i X S : X (S :\ i) <= X (i |: S) -> mean i X S <= X (i |: S).
Proof.
by move=> le; rewrite /mean ler_pdivr_mulr // [X in _ <= X]mulrC size_split ler_add2r.
Qed.

Lemma level_out_sorts i X : sorted_at (level_out i X) i.
Proof.
move=> S; rewrite /level_out addD addU mean_add; case: ltP => // le.
by case: (with_or_without i S) => {2}->.
Qed.

(* the order is kept: if X lies below Y, so it does afterwards *)
Lemma level_out_le i X Y S :
  (forall S', X S' <= Y S') -> level_out i X S <= level_out i Y S.
Proof.
move=> XY; rewrite /level_out; case: ltP => ltX; case: ltP => ltY //.
- exact: mean_le.
- apply: le_trans (mean_le_with (ltW ltX)) _; apply: le_trans (XY _) _.
  by case: (with_or_without i S) => {2}->.
- case: (with_or_without i S) => {1}->.
    apply: le_trans ltX _; apply: le_trans (XY _) _; exact: mean_ge (ltW ltY).
  apply: le_trans (XY _) _; exact: mean_ge (ltW ltY).
Qed.

Lemma level_out_const i c S : level_out i (fun=> c) S = c.
Proof. by rewrite /level_out ltxx. Qed.

Lemma level_out_scale i c X S : 0 < c ->
  level_out i (fun S' => c * X S') S = c * level_out i X S.
Proof. by move=> c0; rewrite /level_out ltr_pmul2l // mean_scale; case: ifP. Qed.

Lemma level_out_comp i X (g : {set I} -> {set I}) S :
    (forall S', g S' :\ i = g (S' :\ i)) -> (forall S', i |: g S' = g (i |: S')) ->
  level_out i X (g S) = level_out i (fun S' => X (g S')) S.
Proof. by move=> gD gU; rewrite /level_out /mean gD gU. Qed.

(* no share passes the largest or the smallest, and no level rises *)
Lemma level_out_no_worse i X : (forall S, 0 <= X S) -> no_worse X (level_out i X).
Proof.
move=> X0.
have low m : (forall S, m <= X S) -> forall S, m <= level_out i X S.
  by move=> mX S; rewrite -(level_out_const i m S) level_out_le.
have high M : (forall S, X S <= M) -> forall S, level_out i X S <= M.
  by move=> XM S; rewrite -(level_out_const i M S) level_out_le.
split=> //.
- move=> E lE S S'; have [E0 | E0] := ltP 0 E.
    rewrite -level_out_scale // -(level_out_const i (level_out i X S) S').
    apply: level_out_le => S''; rewrite -[X in _ <= X](level_out_const i _ S).
    exact: level_out_le.
  have XE S'' : X S'' <= 0 by apply: le_trans (lE S'' S'') _; rewrite mulr_le0_ge0.
  have z S'' : level_out i X S'' = 0 by apply/eqP; rewrite eq_le high //= low.
  by rewrite !z mulr0.
- move=> j E E1 capX S; have E0 : 0 < E := lt_le_trans ltr01 E1.
  have [ij | ji] := eqVneq j i.
    rewrite {j}ij in capX *; rewrite /level_out mean_toggle.
    have -> : toggle i S :\ i = S :\ i.
      by rewrite /toggle; case: ifP; rewrite ?addD // setDDl setUid.
    have -> : i |: toggle i S = i |: S.
      rewrite /toggle; case: ifP => iS; rewrite ?addU // setD1K //.
      by apply/esym/setUidPr; rewrite sub1set.
    by case: ifP => // _; rewrite ler_pemull // -(mean_const n0 i 0 S) mean_le.
  rewrite (@level_out_comp i X (toggle j)) => [| S' | S'].
  + by rewrite -level_out_scale //; apply: level_out_le.
  + exact: toggle_compD.
  + exact: toggle_compU.
- move=> decX; suff e S : level_out i X S = X S by move=> j S; rewrite !e.
  by rewrite /level_out ltNge -addUD decX.
Qed.

(* what was sorted stays sorted *)
Lemma level_out_keeps i j X : sorted_at X j -> sorted_at (level_out i X) j.
Proof.
have [-> _ | ji sX S] := eqVneq j i; first exact: level_out_sorts.
rewrite (@level_out_comp i X (fun S' => j |: S')) => [| S' | S'].
- exact: level_out_le.
- exact: add_comp.
- by rewrite setUCA.
Qed.

Lemma level_out_mass i X (Q : pred {set I}) : (forall S, Q (i |: S) = Q S) ->
  \sum_(S | Q S) times S * level_out i X S = \sum_(S | Q S) times S * X S.
Proof.
move=> Qi; rewrite !(pair_up _ Qi); apply: eq_bigr => S /andP[_ iS].
by rewrite /level_out addD addU; case: ifP => // _; apply: mean_pair.
Qed.

Lemma level_out_law i X : flip_law n X -> flip_law n (level_out i X).
Proof.
move=> [X0 X1]; split; last by rewrite (level_out_mass _ (Q := predT)).
by have [+ _ _ _ _] := level_out_no_worse i X0; apply.
Qed.

Lemma level_out_with i X S : level_out i X (i |: S) <= X (i |: S).
Proof.
rewrite /level_out addD addU mean_add; case: ifP => // lt.
exact: mean_le_with (ltW lt).
Qed.

Lemma level_out_flip i X : flip n (level_out i X) i <= flip n X i.
Proof.
rewrite /flip !(sum_with i predT) /=; apply: ler_sum => S _.
by rewrite ler_wpmul2l ?times_ge0 // level_out_with.
Qed.

Lemma level_out_flip_lt i X S : (forall j, 1 < n j)%N ->
  X (S :\ i) < X (i |: S) -> flip n (level_out i X) i < flip n X i.
Proof.
move=> n1 lt; rewrite /flip !(sum_with i predT) /=.
have iS : i \notin S :\ i by rewrite !inE eqxx.
rewrite (bigD1 (S :\ i)) //= [X in _ < X](bigD1 (S :\ i)) //=; apply: ltr_le_add.
  rewrite addUD ltr_pmul2l ?times_gt0 // /level_out addD addU lt mean_add.
  by rewrite /mean ltr_pdivr_mulr // [X in _ < X]mulrC size_split ltr_add2r.
apply: ler_sum => S' _; by rewrite ler_wpmul2l ?times_ge0 // level_out_with.
Qed.

Lemma level_out_other i j X : j != i -> flip n (level_out i X) j = flip n X j.
Proof.
move=> ji; rewrite /flip (level_out_mass _ (Q := fun S => j \in S)) // => S.
by rewrite !inE (negbTE ji).
Qed.

(* ------------------------------------------------------------------------ *)
(* One attribute: where a flip is likelier than the truth beside it, move     *)
(* mass until the two shares are equal.  Total mass and other attributes      *)
(* stay, this attribute's flips fall, no share passes the largest or the      *)
(* smallest, and no overall or neighbour level rises.                         *)
(* ------------------------------------------------------------------------ *)
Theorem monotone_at X i : flip_law n X ->
  [/\ flip_law n (level_out i X),
      sorted_at (level_out i X) i,
      flip n (level_out i X) i <= flip n X i
        /\ ((forall j, 1 < n j)%N -> (exists S, X (S :\ i) < X (i |: S)) ->
            flip n (level_out i X) i < flip n X i),
      forall j, j != i -> flip n (level_out i X) j = flip n X j
    & no_worse X (level_out i X)].
Proof.
move=> lawX; split; [exact: level_out_law | exact: level_out_sorts | | |].
- split=> [| n1 [S lt]]; first exact: level_out_flip.
  exact: level_out_flip_lt lt.
- by move=> j ji; apply: level_out_other.
- by apply: level_out_no_worse; case: lawX.
Qed.

(* ------------------------------------------------------------------------ *)
(* One sweep mends every case: do it for each attribute once, in any order,
   and no flip makes a record likelier. *)
(* ------------------------------------------------------------------------ *)
Definition sweep (r : seq I) X := foldr level_out X r.

Theorem one_sweep X (r : seq I) : flip_law n X -> (forall i, i \in r) ->
  [/\ flip_law n (sweep r X), decreasing (sweep r X),
      forall i, flip n (sweep r X) i <= flip n X i & no_worse X (sweep r X)].
Proof.
move=> lawX all_r.
suff [lawY sY fY nwY] : [/\ flip_law n (sweep r X),
    forall i, i \in r -> sorted_at (sweep r X) i,
    forall i, flip n (sweep r X) i <= flip n X i & no_worse X (sweep r X)].
  by split=> // i; apply: sY.
elim: r {all_r} => [|i r [lawY sY fY nwY]] /=; first by split.
split; first exact: level_out_law.
- move=> j; rewrite inE => /orP[/eqP -> | jr]; first exact: level_out_sorts.
  by apply: level_out_keeps; apply: sY.
- move=> j; apply: le_trans (fY j).
  have [-> | ji] := eqVneq j i; first exact: level_out_flip.
  by rewrite level_out_other.
- by apply: no_worse_trans nwY _; apply: level_out_no_worse; case: lawY.
Qed.

(* ------------------------------------------------------------------------ *)
(* The last words of lp-thm-tight, without a dual: "The optimum stays the same
   if lp-monotone is weakened ..., or if levels of at least epsilon_i are
   allowed."  Whatever symmetric mechanism flips each attribute i at most q_i
   of the time, there is a monotone one with flip probabilities exactly q_i
   and no larger overall level, nor any larger neighbour level. *)
(* ------------------------------------------------------------------------ *)
Theorem monotone_for_free X (q : I -> R) :
    flip_law n X -> (forall i, flip n X i <= q i) -> (forall i, q i <= p R n i) ->
  exists Y, [/\ flip_law n Y, decreasing Y, forall i, flip n Y i = q i & no_worse X Y].
Proof.
move=> lawX Xq qp.
have [lawZ decZ fZ nwZ] := one_sweep lawX (fun i => mem_enum I i).
have Zq i : flip n (sweep (enum I) X) i <= q i by apply: le_trans (Xq i).
have [Y [lawY Yq nwY]] := repair_all n0 lawZ Zq qp.
exists Y; split=> //; last exact: no_worse_trans nwY.
by have [_ _ _ _] := nwY; apply.
Qed.

End Monotone.

(* -------------------------------------------------------------------------- *)
(* The same for mechanisms on records and the levels of many-def-levels: all  *)
(* of them hold of the monotone mechanism too.                                *)
(* -------------------------------------------------------------------------- *)
Theorem monotone_mechanism (R : realFieldType) (I : finType) (A : I -> finType)
    (X : {set I} -> R) (P : record A -> record A -> R) (q : I -> R) :
    (forall i, 1 < #|A i|)%N -> symmetric_with X P -> flip_law (values A) X ->
    (forall i, flip (values A) X i <= q i) -> (forall i, q i <= p R (values A) i) ->
  exists (Y : {set I} -> R) (P' : record A -> record A -> R),
  [/\ symmetric_with Y P' /\ mechanism P',
    decreasing Y,
    forall i, flip (values A) Y i = q i,
    forall E, level E P -> level E P'
  & forall i E, 1 <= E -> neighbour_level_le E i P -> neighbour_level_le E i P'].
Proof.
move=> two sym lawX Xq qp.
have some i : (0 < values A i)%N by apply/ltnW/two.
have [Y [lawY decY Yq [low _ lev nb _]]] := monotone_for_free some lawX Xq qp.
pose P' (u v : record A) := Y (flips u v).
have symY : symmetric_with Y P' by [].
exists Y, P'; split=> //.
- by split=> //; apply: symmetric_mechanism lawY.
- move=> E /(level_in_numbers two sym) lX; apply: (level_in_numbers two symY E).2.
  exact: lev.
- move=> i E E1 /(neighbour_in_numbers two sym) nX.
  apply: (neighbour_from_numbers symY) => //; last exact: nb.
  by case: lawY.
Qed.
