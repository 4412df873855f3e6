(* The best weights close the gap, and any weights prove a bound for levels, too       *)
(* (chapter 5).                                                                        *)
(*                                                                                     *)
(* Attribute i has a_i values and flips with probability at most q_i, or exactly q_i,  *)
(* where 0 < q_i <= p_i, as for every level that is not negative.                      *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import setting symmetric unique repair monotone bound duality.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

(* The smallest and the largest number with a property. *)
Definition smallest (R : realFieldType) (P : R -> Prop) x := P x /\ forall x', P x' -> x <= x'.
Definition largest (R : realFieldType) (P : R -> Prop) x := P x /\ forall x', P x' -> x' <= x.

Section Tight.
Variables (R : realFieldType) (I : finType) (a : I -> nat).
Hypothesis a_gt0 : forall i, (0 < a i)%N.
Variable q : I -> R.
Hypothesis q_gt0 : forall i, 0 < q i.
Hypothesis q_le : forall i, q i <= p R a i.
Implicit Types (S : {set I}) (f : {set I} -> R) (y : I -> R) (x : R).
Notation E := (@E R I a).
Notation p := (p R a).
Notation T := (T R a).
Notation pi := (pi R a).
Notation B := (B R).

(* ------------------------------------------------------------------------------------*)
(* The program of the proof. Minimize g over 0 <= G <= g with E[G (q_i - B_i)] >= d_i. *)
(* ------------------------------------------------------------------------------------*)
Section Program.
Let variable := [finType of {set I} + unit].   (* G(S), and g *)
Let row := [finType of I + {set I}].           (* one for each attribute, and g >= G(S) *)
Let coefficient (r : row) (v : variable) : R :=
  match r, v with
  | inl i, inl s => pi s * (q i - B i s)
  | inr s, inl s' => - (s' == s)%:R
  | inr _, inr tt => 1
  | _, _ => 0
  end.
Let demand (r : row) : R := if r is inl i then p i - q i else 0.
Let cost (v : variable) : R := if v is inr tt then 1 else 0.

Let sum_unit (F : unit -> R) : \sum_u F u = F tt.
Proof. by rewrite (big_pred1 tt) => // -[]. Qed.

Let row_attribute i z :
  dot (coefficient (inl i)) z = E (fun S => z (inl S) * (q i - B i S)).
Proof.
rewrite /dot big_sumType sum_unit /= mul0r addr0; apply: eq_bigr => S _ /=.
by rewrite -mulrA [z _ * _]mulrC.
Qed.

Let row_cap S z : dot (coefficient (inr S)) z = z (inr tt) - z (inl S).
Proof.
rewrite /dot big_sumType sum_unit /= mul1r addrC (bigD1 S) //= eqxx mulN1r big1 ?addr0 //.
by move=> S' /negPf->; rewrite oppr0 mul0r.
Qed.

(* "Feasible": all the excess on the truth will do. *)
Let feasible_point : exists z, feasible coefficient demand z.
Proof.
pose g : R := \sum_l (p l - q l) / q l.
have part l : 0 <= (p l - q l) / q l by rewrite divr_ge0 ?subr_ge0 // ltW.
have g_ge0 : 0 <= T * g by rewrite mulr_ge0 ?sumr_ge0 // ltW ?T_gt0.
exists (fun v => match v with inl s => if s == set0 then T * g else 0 | inr _ => T * g end).
split=> [[S|]|[i|S]] //; first by case: ifP.
  rewrite row_attribute /setting.E (bigD1 set0) //= eqxx big1 => [|S /negPf->]; last first.
    by rewrite mul0r mulr0.
  rewrite addr0 pi_empty // !mulrA mulVf ?gt_eqF ?T_gt0 // mul1r /B inE subr0.
  by rewrite -ler_pdivr_mulr // /g (bigD1 i) //= ler_addl sumr_ge0.
by rewrite row_cap subr_ge0 /=; case: ifP.
Qed.

Let dual_point : exists z, dual_feasible coefficient cost z.
Proof.
exists (fun=> 0); split=> // -[S|[]]; rewrite big1 ?ler01 // => r _; exact: mul0r.
Qed.

(* A density f and weights y at which the bound is attained. *)
Lemma attained_bound : exists f y x,
  [/\ density a f, forall i, rate a f i <= q i & has_level x f] /\
  [/\ forall i, 0 <= y i, gain a q y = x - 1, gain a q y = (x - 1) * short a q y
    & x = 1 -> forall i, p i = q i].
Proof.
have [z [w [fz fw gap]]] := no_gap feasible_point dual_point.
pose G S := z (inl S); pose g := z (inr tt); pose y i := w (inl i).
have [z_ge0 rows] := fz; have [w_ge0 columns] := fw.
have G_ge0 S : 0 <= G S by exact: z_ge0.
have G_le S : G S <= g by have := rows (inr S); rewrite row_cap subr_ge0.
have demands i : p i - q i <= E (fun S => G S * (q i - B i S)).
  by have := rows (inl i); rewrite row_attribute.
have cost_g : dot cost z = g.
  by rewrite /dot big_sumType sum_unit /= mul1r big1 ?add0r // => S _; rewrite mul0r.
have gain_y : dot demand w = gain a q y.
  rewrite /dot big_sumType /= [X in _ + X]big1 ?addr0 => [|S _]; last by rewrite mul0r.
  by apply: eq_bigr => i _; rewrite mulrC.
have short_le : short a q y <= 1.
  have total : \sum_S w (inr S) <= 1.
    have := columns (inr tt); rewrite big_sumType /= big1 ?add0r => [|i _]; last by rewrite mulr0.
    by under eq_bigr do rewrite mulr1.
  apply: le_trans total; apply: ler_sum => S _.
  rewrite /pos_part maxr_pmulr ?pi_ge0 // mulr0 le_maxl w_ge0 andbT.
  have := columns (inl S); rewrite big_sumType /= [X in _ + X](bigD1 S) //= eqxx mulrN1.
  rewrite [X in _ + (_ + X)]big1 => [|S' /negPf S'S]; last first.
    by rewrite eq_sym S'S oppr0 mulr0.
  rewrite addr0 subr_le0 /h mulr_sumr; apply: le_trans.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _; rewrite mulrCA.
pose c := 1 + E G; have c_gt0 : 0 < c.
  by rewrite ltr_paddr ?ltr01 // E_ge0.
pose f S := (1 + G S) / c.
have Ef F : E (fun S => f S * F S) = (E F + E (fun S => G S * F S)) / c.
  rewrite mulrC -E_add -E_scale; apply: eq_E => S.
  by rewrite /f mulrAC mulrC mulrDl mul1r.
have f1 : E f = 1.
  have := Ef (fun=> 1); rewrite E_const (eq_E _ (f := f)) => [->|S]; last by rewrite mulr1.
  by rewrite (eq_E _ (f := G)) ?divff ?gt_eqF // => S; rewrite mulr1.
have df : density a f by split=> [S|//]; rewrite /f divr_ge0 ?(ltW c_gt0) ?addr_ge0 ?ler01.
have fq i : rate a f i <= q i.
  rewrite /rate Ef E_B ler_pdivr_mulr // /c mulrDr mulr1; have := demands i.
  rewrite (eq_E _ (f := fun S => q i * G S - G S * B i S)) => [|S]; last first.
    by rewrite mulrBr mulrC.
  by rewrite E_sub E_scale ler_subr_addr addrAC ler_subl_addr [q i * _ + _]addrC.
have fx : has_level (1 + g) f.
  have g_ge0 : 0 <= g by exact: z_ge0.
  move=> S S'; rewrite mulrA ler_pmul2r ?invr_gt0 //.
  apply: (@le_trans _ _ (1 + g)); first by rewrite ler_add2l.
  by rewrite ler_pmulr ?ler_addl // ltr_paddr ?ltr01.
exists f, y, (1 + g); split=> //; rewrite [1 + g]addrC addrK; split=> //.
- by move=> i; apply: w_ge0.
- by rewrite -gain_y -gap.
- have le := any_weights a_gt0 (fun i => w_ge0 (inl i)) df fq fx.
  rewrite [1 + g]addrC addrK -/y in le; apply/eqP; rewrite eq_le le /=.
  by rewrite -gain_y -gap cost_g ler_pimulr //; apply: z_ge0.
move=> x1 i; have g0 : g = 0 by apply: (addIr 1); rewrite x1 add0r.
apply/eqP; rewrite eq_le q_le andbT.
rewrite -subr_le0; apply: le_trans (demands i) _.
rewrite (eq_E _ (f := fun=> 0)) ?E_const // => S.
by have /eqP-> : G S == 0; rewrite ?mul0r // eq_le G_ge0 andbT -g0.
Qed.
End Program.

(* ------------------------------------------------------------------------------------*)
(* Five ways to ask for the smallest x = e^eps. The first is the paper's program, of   *)
(* which x_S = f(S)/f(all) are the variables: levels are met exactly, and a further    *)
(* flip never makes a record likelier.                                                 *)
(* ------------------------------------------------------------------------------------*)
Definition in_program x := exists f,
  [/\ density a f, forall i, rate a f i = q i, decreasing f & f set0 = x * f setT].
(* (lp-monotone) weakened to 1 <= x_S <= x_0 *)
Definition weakened x := exists f, [/\ density a f, forall i, rate a f i = q i,
  forall S, f setT <= f S <= f set0 & f set0 = x * f setT].
(* levels of at least eps_i allowed *)
Definition higher_levels x := exists f,
  [/\ density a f, forall i, rate a f i <= q i, decreasing f & f set0 = x * f setT].
(* both, and no order at all *)
Definition with_fewer_flips x := exists f,
  [/\ density a f, forall i, rate a f i <= q i & has_level x f].
(* any mechanism, symmetric or not *)
Definition any_level (A : I -> finType) x := exists K : record A -> record A -> R,
  [/\ mechanism K, forall i, flip_rate K i <= q i & level x K].
(* The bounds that weights prove (lp-thm-bound). *)
Definition weights y := (forall i, 0 <= y i) /\ exists i, y i != 0.
Definition bound_of y : R := 1 + gain a q y / short a q y.
Definition proved_bound x := exists2 y, weights y & x = bound_of y.

Lemma decreasing_sub f S S' : decreasing f -> S \subset S' -> f S' <= f S.
Proof.
move=> dec; elim: {S'}_.+1 {-2}S' (ltnSn #|S'|) => // m IH S' Sm sub.
have [<-//|neq] := eqVneq S S'; have /set0Pn[i] : S' :\: S != set0.
  by rewrite setD_eq0; apply: contraNN neq => back; rewrite eqEsubset sub.
rewrite inE => /andP[iS iS']; rewrite -(setD1K iS'); apply: le_trans (dec i _) _.
apply: IH; first by rewrite (cardsD1 i) iS' in Sm.
by rewrite subsetD1 sub iS.
Qed.

Lemma decreasing_between f : decreasing f -> forall S, f setT <= f S <= f set0.
Proof. by move=> dec S; rewrite !decreasing_sub ?subsetT ?sub0set. Qed.

Lemma program_level f x : density a f -> (forall S, f setT <= f S <= f set0) ->
  f set0 = x * f setT -> has_level x f.
Proof.
move=> [f_ge0 f1] between fx S S'; have /andP[low _] := between S'.
have /andP[_ high] := between S.
apply: le_trans high _; rewrite fx ler_wpmul2l //; case: (leP 0 x) => // x_lt0.
have f0 S'' : f S'' = 0.
  apply/eqP; rewrite eq_le f_ge0 andbT; have /andP[_] := between S''; rewrite fx.
  by move=> /le_trans; apply; rewrite nmulr_rle0.
by move/eqP: f1; rewrite (eq_E _ f0) E_const eq_sym oner_eq0.
Qed.

Lemma short_pos y : weights y -> 0 < short a q y.
Proof. by move=> [y0 [i yi]]; apply: short_gt0 => //; apply: budget_gt0 yi. Qed.

(* Theorem (chapter 5, "The best weights close the gap"). Let eps* = log x_0 at the    *)
(* optimum of the linear program. Then e^eps* is 1 + the largest                       *)
(* y.d / E[(y.(q - B))+] over all weights y >= 0 that are not all zero. The optimum    *)
(* stays the same if (lp-monotone) is weakened to 1 <= x_S <= x_0 for all S, or if     *)
(* levels of at least eps_i are allowed; without any order; and for mechanisms that    *)
(* are not symmetric.                                                                  *)
Theorem best_weights_close_the_gap (A : I -> finType) :
  (forall i, #|A i| = a i) -> (0 < #|I|)%N ->
  exists x, [/\ smallest in_program x, largest proved_bound x, smallest weakened x
    & smallest higher_levels x] /\ smallest with_fewer_flips x /\ smallest (any_level A) x.
Proof.
move=> a_values /card_gt0P[i0 _].
have [f [y [x [[df fq fx] [y_ge0 gain_x tight flat]]]]] := attained_bound.
have [y' wy tight'] : exists2 y', weights y' & gain a q y' = (x - 1) * short a q y'.
  have [/existsP[i yi]|/existsPn y0] := boolP [exists i, y i != 0].
    by exists y => //; split=> //; exists i.
  have x1 : x = 1.
    apply/eqP; rewrite -subr_eq0 -gain_x /gain big1 // => i _.
    by have /negPn/eqP-> := y0 i; rewrite mul0r.
  exists (fun=> 1); first by split=> [i|]; [exact: ler01 | exists i0; rewrite oner_eq0].
  by rewrite x1 subrr mul0r /gain big1 // => i _; rewrite (flat x1) subrr mulr0.
have x_bound : x = bound_of y'.
  by rewrite /bound_of tight' mulfK ?gt_eqF ?short_pos // addrC subrK.
(* no mechanism is better *)
have least_any x' : any_level A x' -> x <= x'.
  case=> K [mK Kq Kx]; have [y'_ge0 y'_neq0] := wy; rewrite x_bound.
  exact: any_mechanism_ratio Kx.
have least_fewer x' : with_fewer_flips x' -> x <= x'.
  case=> f' [df' fq' fx']; apply: least_any; exists (matrix_of a f'); split.
  - exact: matrix_mechanism.
  - by move=> i; rewrite matrix_rate.
  - exact: matrix_level.
have least_higher x' : higher_levels x' -> x <= x'.
  case=> f' [df' fq' dec fx']; apply: least_fewer; exists f'; split=> //.
  by apply: program_level => //; apply: decreasing_between.
have least_weakened x' : weakened x' -> x <= x'.
  case=> f' [df' fq' between fx']; apply: least_fewer; exists f'; split=> [//|i|].
    by rewrite fq'.
  exact: program_level.
have least_program x' : in_program x' -> x <= x'.
  case=> f' [df' fq' dec fx']; apply: least_higher; exists f'; split=> // i.
  by rewrite fq'.
(* a monotone density with exact levels, as good as f *)
have T0 := T_gt0 R a_gt0.
have [X [lawX dec Xq nw]] : exists X, [/\ flip_law a X, decreasing X,
    forall i, flip a X i = q i & no_worse (fun S => f S / T) X].
  apply: monotone_for_free => //; first by apply: (density_law a_gt0 _).1.
  by move=> i; rewrite -rate_flip.
pose f' S := X S * T.
have X_is S : f' S / T = X S by rewrite mulfK // gt_eqF.
have df' : density a f'.
  apply: (density_law a_gt0 _).2; case: lawX => X0 X1; split=> [S|]; rewrite ?X_is //.
  by under eq_bigr do rewrite X_is.
have fq' i : rate a f' i = q i.
  by rewrite rate_flip // -Xq; apply: eq_bigr => S _; rewrite X_is.
have dec' : decreasing f' by move=> i S; rewrite ler_pmul2r.
have fx' : has_level x f'.
  have [_ _ lv _ _] := nw; move=> S S'; rewrite mulrA ler_pmul2r //; apply: lv => S1 S2.
  by rewrite mulrA ler_pmul2r ?invr_gt0.
have pos : 0 < f' setT.
  rewrite lt_def df'.1 andbT; apply/eqP => z.
  have f0 S : f' S = 0.
    by apply/eqP; rewrite eq_le df'.1 andbT (le_trans (fx' S setT)) // z mulr0.
  by have /eqP := df'.2; rewrite (eq_E _ f0) E_const eq_sym oner_eq0.
have in_x : in_program x.
  exists f'; split=> //; apply/eqP; rewrite eq_le fx' /= -ler_pdivl_mulr //.
  by apply: least_program; exists f'; split=> //; rewrite mulfVK ?gt_eqF.
have [g [dg gq decg gx]] := in_x.
exists x; split; [split | split]; split=> //.
- by exists y'.
- move=> x' [y'' wy'' ->]; have [y''_ge0 _] := wy''; apply: any_weights_ratio df fq fx => //.
  by have [i yi] := wy''.2; apply: budget_gt0 yi.
- by exists g; split=> //; apply: decreasing_between.
- by exists g; split=> // i; rewrite gq.
- by exists f.
- exists (matrix_of a f); split; [exact: matrix_mechanism | | exact: matrix_level].
  by move=> i; rewrite matrix_rate.
Qed.
End Tight.

(* Theorem (chapter 5, "Any weights prove a bound", the last sentence). In particular  *)
(* this holds for every symmetric mechanism with the attribute levels eps_i. E_i       *)
(* stands for e^(eps_i).                                                               *)
Theorem symmetric_levels_bound (R : realFieldType) (I : finType) (A : I -> finType)
    (X : {set I} -> R) (P : record A -> record A -> R) (E : I -> R) y x :
    (forall i, 1 < #|A i|)%N -> (forall i, 0 < E i) ->
    symmetric_with X P -> mechanism P -> (forall i, attribute_level A (E i) X i) ->
    weights y -> level x P ->
  bound_of (values A) (fun i => (#|A i|%:R - 1) / (E i + (#|A i|%:R - 1))) y <= x.
Proof.
move=> two E0 sym mP lev [y0 yi] lx; set a := values A; set q := fun i => _.
have lawX := symmetric_law two sym mP.
have some i : (0 < a i)%N by apply: ltnW; apply: two.
have b0 i : 0 < #|A i|%:R - 1 :> R by rewrite subr_gt0 ltr1n; apply: two.
have q0 i : 0 < q i by rewrite divr_gt0 // addr_gt0.
apply: (any_mechanism_ratio (fun=> erefl) some y0 q0 yi mP _ lx) => i.
rewrite (symmetric_flip_rate two sym) // le_eqVlt; apply/orP; left; apply/eqP.
have := lev i; rewrite /attribute_level /sizeof /values /q; set t := flip _ X i => e.
have eb : E i + (#|A i|%:R - 1) != 0 by rewrite gt_eqF // addr_gt0.
apply: (mulIf eb); rewrite mulfVK // mulrDr [t * E i]mulrC.
have -> : E i * t = (1 - t) * (#|A i|%:R - 1) by rewrite e -mulrA mulfVK // gt_eqF.
by rewrite -mulrDl subrK mul1r.
Qed.
