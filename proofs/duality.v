(* Linear programs have no duality gap, over any ordered field: what chapter 5 takes   *)
(* from the textbooks in "The best weights close the gap".                             *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section Farkas.
Variables (R : realFieldType) (N : finType).
Implicit Types (c u v x : N -> R) (t : R).

Definition dot u x : R := \sum_j u j * x j.

(* u - t v *)
Definition less u t v j : R := u j - t * v j.

Lemma dot_less u t v x : dot (less u t v) x = dot u x - t * dot v x.
Proof. by rewrite mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite mulrBl mulrA. Qed.

Lemma dot_lessr u x t v : dot u (less x t v) = dot u x - t * dot u v.
Proof. by rewrite mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite mulrBr mulrCA. Qed.

(* A multiplier for the first row, and those for the others. *)
Definition first_row m t (ts : 'I_m -> R) (i : 'I_m.+1) : R :=
  if unlift ord0 i is Some i' then ts i' else t.

Lemma first_row_ge0 m t (ts : 'I_m -> R) :
  0 <= t -> (forall i, 0 <= ts i) -> forall i, 0 <= first_row t ts i.
Proof. by move=> t0 ts0 i; rewrite /first_row; case: unlift. Qed.

Lemma first_row_sum m t (ts : 'I_m -> R) (F : 'I_m.+1 -> R) :
  \sum_i first_row t ts i * F i = t * F ord0 + \sum_i ts i * F (lift ord0 i).
Proof.
rewrite big_ord_recl /first_row unlift_none; congr (_ + _).
by apply: eq_bigr => i _; rewrite liftK.
Qed.

(* Farkas' lemma: either some x has u.x <= 0 for every row u and c.x > 0, or c is a    *)
(* sum of the rows with multipliers that are not negative. By induction on the rows,   *)
(* in the manner of Bartl, "A very short algebraic proof of the Farkas Lemma" (2012).  *)
Theorem farkas m (rows : 'I_m -> N -> R) c :
  (exists2 x, forall i, dot (rows i) x <= 0 & 0 < dot c x) \/
  (exists2 ts : 'I_m -> R, forall i, 0 <= ts i & forall j, c j = \sum_i ts i * rows i j).
Proof.
elim: m rows c => [|m IH] rows c.
  have [/existsP[j cj] | /existsPn c0] := boolP [exists j, c j != 0]; last first.
    by right; exists (fun=> 0) => // j; rewrite big_ord0; apply/eqP/negPn/c0.
  left; exists c => [[] //|]; rewrite /dot (bigD1 j) //= ltr_paddr //.
    by apply: sumr_ge0 => l _; rewrite -expr2 sqr_ge0.
  by rewrite -expr2 lt_def sqr_ge0 sqrf_eq0 cj.
pose u := rows ord0; pose others i := rows (lift ord0 i).
have [[x0 le0 c0]|[ts ts0 e]] := IH others c; last first.
  right; exists (first_row 0 ts); first exact: first_row_ge0.
  by move=> j; rewrite first_row_sum mul0r add0r; apply: e.
have all_rows x : dot u x <= 0 -> (forall i, dot (others i) x <= 0) ->
    forall i, dot (rows i) x <= 0.
  by move=> ux ox i; case: (unliftP ord0 i) => [i'|] ->; [apply: ox | apply: ux].
case: (leP (dot u x0) 0) => ux0; first by left; exists x0 => //; apply: all_rows.
have nz : dot u x0 != 0 by rewrite gt_eqF.
pose at0 v := dot v x0 / dot u x0.
have [[x le1 c1]|[ts ts0 e]] := IH (fun i => less (others i) (at0 (others i)) u)
                                   (less c (at0 c) u).
  left; pose x' := less x (dot u x / dot u x0) x0.
  have same v : dot v x' = dot (less v (at0 v) u) x.
    by rewrite dot_lessr dot_less mulrAC [in RHS]mulrAC [dot u x * _]mulrC.
  exists x'; last by rewrite same.
  apply: all_rows => [|i]; last by rewrite same.
  by rewrite same dot_less /at0 divff // mul1r subrr.
right; pose t := (dot c x0 - \sum_i ts i * dot (others i) x0) / dot u x0.
exists (first_row t ts).
  apply: first_row_ge0 => //; rewrite divr_ge0 ?(ltW ux0) // addr_ge0 ?(ltW c0) //.
  by rewrite -sumrN sumr_ge0 // => i _; rewrite -mulrN mulr_ge0 // oppr_ge0.
move=> j; have /eqP := e j; rewrite first_row_sum subr_eq => /eqP->.
rewrite (eq_bigr (fun i => ts i * others i j - ts i * dot (others i) x0 / dot u x0 * u j)).
  by rewrite sumrB -!mulr_suml /t !mulrBl addrC addrA addrAC.
by move=> i _; rewrite /less /at0 mulrBr !mulrA.
Qed.
End Farkas.

(* The same for x that are not negative, and rows named as one likes. *)
Section FarkasNonnegative.
Variables (R : realFieldType) (M N : finType) (A : M -> N -> R) (c : N -> R).

Lemma farkas_ge0 :
  (exists2 x, (forall j, 0 <= x j) /\ (forall i, dot (A i) x <= 0) & 0 < dot c x) \/
  (exists2 t : M -> R, forall i, 0 <= t i & forall j, c j <= \sum_i t i * A i j).
Proof.
pose row (r : M + N) : N -> R :=
  match r with inl i => A i | inr j => fun l => - (l == j)%:R end.
have [[x le0 pos]|[ts ts0 e]] := farkas (fun r : 'I_#|{: M + N}| => row (enum_val r)) c.
  have rows r : dot (row r) x <= 0 by have := le0 (enum_rank r); rewrite enum_rankK.
  left; exists x => //; split=> [j|i]; last exact: rows (inl i).
  have := rows (inr j); rewrite /dot (bigD1 j) //= eqxx mulN1r big1 ?addr0 ?oppr_le0 //.
  by move=> l /negPf->; rewrite oppr0 mul0r.
right; exists (fun i => ts (enum_rank (inl i))) => // j; rewrite e.
rewrite (reindex (@enum_rank [finType of M + N])) /=; last exact: onW_bij (enum_rank_bij _).
rewrite (eq_bigr (fun r => ts (enum_rank r) * row r j)) => [|r _]; last by rewrite enum_rankK.
rewrite big_sumType /= ger_addl -oppr_ge0 -sumrN sumr_ge0 // => l _.
by rewrite mulrN opprK mulr_ge0 ?ler0n.
Qed.
End FarkasNonnegative.

(* The linear program: minimize c.x over x >= 0 with A x >= b. Its dual: maximize b.y  *)
(* over y >= 0 with y A <= c.                                                          *)
Section Programs.
Variables (R : realFieldType) (M N : finType) (A : M -> N -> R) (b : M -> R) (c : N -> R).
Implicit Types (x : N -> R) (y : M -> R).

Definition feasible x := (forall j, 0 <= x j) /\ forall i, b i <= dot (A i) x.
Definition dual_feasible y := (forall i, 0 <= y i) /\ forall j, \sum_i y i * A i j <= c j.

Lemma exchange_dots x y : \sum_i y i * dot (A i) x = \sum_j (\sum_i y i * A i j) * x j.
Proof.
under eq_bigr do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _; rewrite mulr_suml.
by apply: eq_bigr => i _; rewrite mulrA.
Qed.

Lemma weak_duality x y : feasible x -> dual_feasible y -> dot b y <= dot c x.
Proof.
move=> [x0 Ax] [y0 yA]; apply: (@le_trans _ _ (\sum_i y i * dot (A i) x)).
  by apply: ler_sum => i _; rewrite mulrC ler_wpmul2l.
by rewrite exchange_dots; apply: ler_sum => j _; rewrite ler_wpmul2r.
Qed.

(* Theorem (linear programs have no duality gap). If both can be satisfied, both have  *)
(* an optimum, and the two are equal.                                                  *)
Theorem no_gap : (exists x, feasible x) -> (exists y, dual_feasible y) ->
  exists x y, [/\ feasible x, dual_feasible y & dot c x = dot b y].
Proof.
move=> [x1 fx1] [y1 fy1].
(* both programs and "c.x is at most b.y", homogeneous in x, y and a scale *)
pose row (r : M + (N + unit)) (v : N + (M + unit)) : R :=
  match r, v with
  | inl i, inl j => - A i j
  | inl i, inr (inr tt) => b i
  | inr (inl j), inr (inl i) => A i j
  | inr (inl j), inr (inr tt) => - c j
  | inr (inr tt), inl j => c j
  | inr (inr tt), inr (inl i) => - b i
  | _, _ => 0
  end.
pose scale (v : N + (M + unit)) : R := if v is inr (inr tt) then 1 else 0.
have sum_unit (F : unit -> R) : \sum_u F u = F tt by rewrite (big_pred1 tt) => // -[].
have [[z [z0 le0] pos]|[t t0 e]] := farkas_ge0 row scale.
  pose s := z (inr (inr tt)); pose x j := z (inl j) / s; pose y i := z (inr (inl i)) / s.
  have s_gt0 : 0 < s.
    move: pos; rewrite /dot !big_sumType sum_unit /= mul1r.
    by rewrite !big1 ?add0r // => ? _; rewrite mul0r.
  have dx (u : N -> R) : dot u x = (\sum_j u j * z (inl j)) / s.
    by rewrite mulr_suml; apply: eq_bigr => j _; rewrite mulrA.
  have dy (u : M -> R) : dot u y = (\sum_i u i * z (inr (inl i))) / s.
    by rewrite mulr_suml; apply: eq_bigr => i _; rewrite mulrA.
  have fx : feasible x.
    split=> [j|i]; first by rewrite divr_ge0 ?(ltW s_gt0).
    have := le0 (inl i); rewrite /dot !big_sumType sum_unit /= [X in _ + (X + _)]big1 => [|l _].
      rewrite add0r; under eq_bigr do rewrite mulNr.
      by rewrite sumrN addrC subr_le0 -ler_pdivl_mulr // -dx.
    by rewrite mul0r.
  have fy : dual_feasible y.
    split=> [i|j]; first by rewrite divr_ge0 ?(ltW s_gt0).
    have := le0 (inr (inl j)); rewrite /dot !big_sumType sum_unit /= big1 => [|l _].
      rewrite add0r mulNr subr_le0 -ler_pdivr_mulr // -dy /dot.
      by under eq_bigr do rewrite mulrC.
    by rewrite mul0r.
  exists x, y; split=> //; apply/eqP; rewrite eq_le weak_duality // andbT.
  rewrite dx dy ler_pmul2r ?invr_gt0 //; have := le0 (inr (inr tt)).
  rewrite /dot !big_sumType sum_unit /= mul0r addr0.
  under [X in _ + X]eq_bigr do rewrite mulNr.
  by rewrite sumrN subr_le0.
(* multipliers v for A x >= b, s for y A <= c, and th for the last row *)
pose v i := t (inl i); pose s j := t (inr (inl j)); pose th := t (inr (inr tt)).
have eN j : \sum_i v i * A i j <= th * c j.
  have := e (inl j); rewrite !big_sumType sum_unit /= [X in _ + (X + _)]big1 => [|l _].
    by rewrite add0r; under eq_bigr do rewrite mulrN; rewrite sumrN addrC subr_ge0.
  by rewrite mulr0.
have eM i : th * b i <= dot (A i) s.
  have := e (inr (inl i)); rewrite !big_sumType sum_unit /= big1 => [|l _].
    rewrite add0r mulrN subr_ge0 /dot; by under eq_bigr do rewrite mulrC.
  by rewrite mulr0.
have more : 1 <= dot b v - dot c s.
  have := e (inr (inr tt)); rewrite !big_sumType sum_unit /= mulr0 addr0.
  under [X in _ + X]eq_bigr do rewrite mulrN.
  rewrite sumrN /dot; under eq_bigr do rewrite mulrC.
  by under [X in _ - X]eq_bigr do rewrite mulrC.
have th_le0 : th <= 0.
  have le : th * dot b v <= th * dot c s.
    rewrite /dot !mulr_sumr; apply: (@le_trans _ _ (\sum_i v i * dot (A i) s)).
      by apply: ler_sum => i _; rewrite mulrA [X in _ <= X]mulrC ler_wpmul2r ?t0.
    rewrite exchange_dots; apply: ler_sum => j _.
    by rewrite mulrA ler_wpmul2r ?t0.
  rewrite leNgt; apply/negP => th0; move: le; rewrite ler_pmul2l // -subr_le0 => /(le_trans more).
  by rewrite ler10.
have th0 : th = 0 by apply/eqP; rewrite eq_le th_le0 t0.
have bv : dot b v <= 0.
  apply: (@le_trans _ _ (\sum_i v i * dot (A i) x1)).
    by apply: ler_sum => i _; rewrite mulrC ler_wpmul2l ?t0 ?fx1.2.
  rewrite exchange_dots -oppr_ge0 -sumrN sumr_ge0 // => j _.
  by rewrite -mulNr mulr_ge0 ?fx1.1 // oppr_ge0 (le_trans (eN j)) // th0 mul0r.
have cs : 0 <= dot c s.
  apply: (@le_trans _ _ (\sum_i y1 i * dot (A i) s)).
    by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?fy1.1 // -(mul0r (b i)) -th0.
  rewrite exchange_dots; apply: ler_sum => j _; rewrite ler_wpmul2r ?t0 ?fy1.2 //.
have := le_trans more (ler_sub bv cs); by rewrite subr0 ler10.
Qed.
End Programs.
