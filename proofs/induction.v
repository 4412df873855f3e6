(* Algorithm 3 in scaled variables is Algorithm 3 to the letter (chapter 6).           *)
(*                                                                                     *)
(* `literal` follows the paper step by step, in the variables x_{i,0}, ..., x_{i,i};   *)
(* `scaled` is the loop of the book in z_j = (x_{i,j} - 1)/(a_1 ... a_i), in which no  *)
(* single flip is ever rewritten. Attributes are pairs of a size and of E = e^eps.     *)
(* Both start with the closed form for attributes 1 and 2.                             *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra two_attribute.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Section Induction.
Variable R : realFieldType.
Add Field R_is_field : (field_of R).

(* sum_h (a_h - 1) v_h *)
Definition single_flips (s : seq nat) (v : seq R) : R :=
  \sum_(av <- zip s v) (av.1%:R - 1) * av.2.
Definition product (s : seq nat) : R := \prod_(a <- s) a%:R.
Definition total (s : seq nat) : R := \sum_(a <- s) a%:R.

(* To the letter: the sizes so far, x_{i,0}, the x_{i,j}, the achieved E_j and who     *)
(* fell back.                                                                          *)
Record literal_state := Literal {
  sizes_of : seq nat; x_0 : R; x_j : seq R; reached : seq R; fell : seq bool }.

Definition literal_step (st : literal_state) (attribute : nat * R) : literal_state :=
  let: Literal s before old levels back := st in
  let: (size_i, e) := attribute in
  let a := size_i%:R in
  let x := [seq a * xj - a + 1 | xj <- old] in
  let A := single_flips s x in
  let B := product s - total s + (size s).+1%:R - (2%:R) in
  let C := product s - 1 in
  let right := - A - B + e * C in
  let xi := (a * before - right) / (a - 1 + e) in
  let x0 := right + e * xi in
  if (x0 < 1) || (xi < 1) || has (fun xj => x0 < xj) x || (x0 < xi) then
    let x0 := a * before - a + 1 in
    let xi := 1 in
    Literal (rcons s size_i) x0 (rcons x xi)
      (rcons levels ((x0 + A + B) / (xi + C))) (rcons back true)
  else Literal (rcons s size_i) x0 (rcons x xi) (rcons levels e) (rcons back false).

(* Scaled: z_0, the z_j, the largest of these, the achieved E_j and who fell back; the *)
(* mass M above the uniform part never changes.                                        *)
Record scaled_state := Scaled {
  z_0 : R; z_j : seq R; top : R; reached' : seq R; fell' : seq bool }.

Definition scaled_step (M : R) (st : scaled_state) (attribute : nat * R) : scaled_state :=
  let: Scaled z0 z top levels back := st in
  let: (size_i, e) := attribute in
  let a := size_i%:R in
  let w := (e - 1) / a in
  let zi := (M - w) / (a * (1 + w)) in
  if (zi < 0) || (z0 - (a - 1) * zi < Num.max top zi) then
    Scaled z0 (rcons z 0) (Num.max top 0) (rcons levels (1 + a * M)) (rcons back true)
  else Scaled (z0 - (a - 1) * zi) (rcons z zi) (Num.max top zi)
         (rcons levels e) (rcons back false).

(* What the two have to do with each other, M being the mass of the scaled one. *)
Definition same (M : R) (l : literal_state) (s : scaled_state) :=
  [/\ x_0 l = 1 + product (sizes_of l) * z_0 s,
      x_j l = [seq 1 + product (sizes_of l) * z | z <- z_j s],
      reached l = reached' s & fell l = fell' s]
  /\ [/\ size (sizes_of l) = size (z_j s), all (leq 1) (sizes_of l),
      M = z_0 s + single_flips (sizes_of l) (z_j s)
      & forall t, has (fun z => t < z) (z_j s) = (t < top s)].

Lemma product_rcons s a : product (rcons s a) = product s * a%:R.
Proof. by rewrite /product -cats1 big_cat big_seq1. Qed.

Lemma product_gt0 s : all (leq 1) s -> 0 < product s.
Proof.
elim: s => [|a s IH] /=; first by rewrite /product big_nil ltr01.
by move=> /andP[a0 /IH s0]; rewrite /product big_cons mulr_gt0 ?ltr0n.
Qed.

Lemma single_flips_rcons s v a x : size s = size v ->
  single_flips (rcons s a) (rcons v x) = single_flips s v + (a%:R - 1) * x.
Proof. by move=> e; rewrite /single_flips zip_rcons // -cats1 big_cat big_seq1. Qed.

(* A = sum (a_h - 1) + T sum (a_h - 1) z_h, where x_h = 1 + T z_h. *)
Lemma single_flips_scaled s v (c : R) : size s = size v ->
  single_flips s [seq 1 + c * z | z <- v]
  = total s - (size s)%:R + c * single_flips s v.
Proof.
rewrite /single_flips /total; elim: s v => [|a s IH] [|z v] //=.
  by move=> _; rewrite !big_nil mulr0 subr0 addr0.
move=> [eqs]; rewrite !big_cons IH //= mulrSr.
set S := \sum_(a <- s) _; set F := \sum_(av <- zip s v) _; by rings R.
Qed.

(* The equation of part 3 of the book's theorem, solved. *)
Lemma level_equation (a e M z : R) : a != 0 -> a - 1 + e != 0 ->
  (a^-1 + M - (a - 1) * z = e * (a^-1 + z))
  <-> (z = (M - (e - 1) / a) / (a * (1 + (e - 1) / a))).
Proof.
move=> a0 ae0; have -> : a * (1 + (e - 1) / a) = a - 1 + e by fields R.
split=> [level | ->]; last by fields R.
apply: (mulIf ae0); rewrite mulfVK //.
have -> : z * (a - 1 + e) = e * (a^-1 + z) - e / a + (a - 1) * z by rings R.
by rewrite -level; fields R.
Qed.

Lemma has_scaled (t P : R) v : 0 < P ->
  has (fun x => 1 + P * t < x) [seq 1 + P * z | z <- v] = has (fun z => t < z) v.
Proof.
by move=> P0; rewrite has_map; apply: eq_has => z /=; rewrite ltr_add2l ltr_pmul2l.
Qed.

Lemma step_same M l s a e : same M l s -> (0 < a)%N -> 1 <= e ->
  same M (literal_step l (a, e)) (scaled_step M s (a, e)).
Proof.
case: l s => [s before old lev back] [z0 v t lev' back'] /= [[/= -> -> -> ->]].
move=> [/= eqs s0 mass tops] a_gt0 e_ge1.
set P := product s; have P_gt0 : 0 < P by exact: product_gt0.
set c := a%:R : R; have c_gt0 : 0 < c by rewrite ltr0n.
have c0 : c != 0 by rewrite gt_eqF.
have P0 : P != 0 by rewrite gt_eqF.
have ce0 : c - 1 + e != 0.
  rewrite gt_eqF //; apply: (@lt_le_trans _ _ c) => //.
  by rewrite -addrA ler_addl addrC subr_ge0.
have cP : 0 < P * c by rewrite mulr_gt0.
(* the old single flips *)
have -> : [seq c * xj - c + 1 | xj <- [seq 1 + P * z | z <- v]]
        = [seq 1 + P * c * z | z <- v].
  by rewrite -map_comp; apply: eq_map => z /=; rings R.
set zi := (M - (e - 1) / c) / (c * (1 + (e - 1) / c)).
have zi_eq : zi = (M - (e - 1) / c) / (c - 1 + e).
  by congr (_ / _); fields R.
(* A + B *)
rewrite single_flips_scaled //; set F := single_flips s v; set Sg := total s.
set n := (size s)%:R : R; have -> : (size s).+1%:R = n + 1 :> R by rewrite mulrSr.
rewrite -/F in mass.
set A := Sg - n + P * c * F; set B := P - Sg + (n + 1) - 2%:R.
have AB : A + B = P * c * (M - z0) + P - 1.
  by rewrite /A /B mass -[2%:R]/(1 + 1); rings R.
set right := - A - B + e * (P - 1).
have right_eq : right = - (P * c * (M - z0) + P - 1) + e * (P - 1).
  by rewrite /right -AB; rings R.
set xi := (c * (1 + P * z0) - right) / (c - 1 + e).
have xi_eq : xi = 1 + P * c * zi.
  by rewrite /xi right_eq zi_eq; fields R.
have x0_eq : right + e * xi = 1 + P * c * (z0 - (c - 1) * zi).
  by rewrite xi_eq right_eq zi_eq; fields R.
rewrite x0_eq xi_eq has_scaled // tops.
(* the checks *)
have -> : (1 + P * c * (z0 - (c - 1) * zi) < 1) || (1 + P * c * zi < 1)
    || (z0 - (c - 1) * zi < t) || (1 + P * c * (z0 - (c - 1) * zi) < 1 + P * c * zi)
  = (zi < 0) || (z0 - (c - 1) * zi < Num.max t zi).
  have lt1 u : (1 + P * c * u < 1) = (u < 0) by rewrite gtr_addl pmulr_rlt0.
  have lt2 u u' : (1 + P * c * u < 1 + P * c * u') = (u < u').
    by rewrite ltr_add2l ltr_pmul2l.
  rewrite !lt1 lt2 lt_maxr.
  case: (ltP zi 0) => [_|zi0]; first by rewrite orbT.
  rewrite orbF /= -orbA; case: (ltP _ 0) => //= neg.
  by rewrite (lt_le_trans neg zi0) orbT.
case: ifP => _.
  (* the fallback *)
  split; split=> //=; rewrite ?product_rcons ?size_rcons ?eqs ?all_rcons ?a_gt0 //.
  - by rewrite -/P -/c; rings R.
  - by rewrite map_rcons mulr0 addr0.
  - congr (rcons _ _); rewrite -addrA AB -/P; have -> : 1 + (P - 1) = P by rings R.
    by fields R.
  - by rewrite single_flips_rcons // mulr0 addr0 -/F -mass.
  by move=> u; rewrite has_rcons tops lt_maxr orbC.
split; split=> //=; rewrite ?product_rcons ?size_rcons ?eqs ?all_rcons ?a_gt0 //.
- by rewrite map_rcons.
- by rewrite single_flips_rcons // -/F -/c mass; rings R.
by move=> u; rewrite has_rcons tops lt_maxr orbC.
Qed.

Definition proper (attribute : nat * R) := (1 < attribute.1)%N && (1 < attribute.2).

Lemma run_same M l s rest : same M l s -> all proper rest ->
  same M (foldl literal_step l rest) (foldl (scaled_step M) s rest).
Proof.
elim: rest l s => [|[a e] rest IH] l s //= sm /andP[/andP[/= a1 e1] ok].
by apply: IH => //; apply: step_same => //; [apply: ltnW | apply: ltW].
Qed.

(* Both algorithms, from the closed form for attributes 1 and 2. *)
Definition literal (first second : nat * R) (rest : seq (nat * R)) : literal_state :=
  let: (m, E1) := first in let: (n, E2) := second in
  let: (x0, x1, x2) := closed_form m n E1 E2 in
  foldl literal_step (Literal [:: m; n] x0 [:: x1; x2] [:: E1; E2] [:: false; false]) rest.

Definition scaled (first second : nat * R) (rest : seq (nat * R)) : scaled_state :=
  let: (m, E1) := first in let: (n, E2) := second in
  let: (x0, x1, x2) := closed_form m n E1 E2 in
  let T := m%:R * n%:R in
  let z0 := (x0 - 1) / T in let z1 := (x1 - 1) / T in let z2 := (x2 - 1) / T in
  let M := z0 + (m%:R - 1) * z1 + (n%:R - 1) * z2 in
  foldl (scaled_step M) (Scaled z0 [:: z1; z2] (Num.max z1 z2) [:: E1; E2]
    [:: false; false]) rest.

Lemma sizes_of_run rest l :
  sizes_of (foldl literal_step l rest) = sizes_of l ++ [seq ae.1 | ae <- rest].
Proof.
elim: rest l => [|[a e] rest IH] [s x0 x lev back] /=; first by rewrite cats0.
by rewrite IH /=; case: ifP => _ /=; rewrite cat_rcons.
Qed.

(* Theorem (chapter 6, "Algorithm 3 in scaled variables"). For all sizes of at least 2 *)
(* and all levels asked that are positive, Algorithm 3 in scaled variables is          *)
(* Algorithm 3 to the letter: with T the product of the sizes, z_j = (x_{k,j} - 1)/T   *)
(* for j = 0, ..., k, and the achieved levels and the fallbacks are the same.          *)
Theorem algorithm_3_scaled first second rest : proper first -> proper second ->
  all proper rest ->
  let l := literal first second rest in let s := scaled first second rest in
  let T := product [seq ae.1 | ae <- [:: first, second & rest]] in
  [/\ z_0 s = (x_0 l - 1) / T, z_j s = [seq (x - 1) / T | x <- x_j l],
      reached' s = reached l & fell' s = fell l].
Proof.
case: first second => [m E1] [n E2] /andP[/= m1 e1] /andP[/= n1 e2] ok.
rewrite /literal /scaled; case: (closed_form m n E1 E2) => [[x0 x1] x2].
set T := m%:R * n%:R : R; set M := (X in scaled_step X).
have T_eq : product [:: m; n] = T by rewrite /product !big_cons big_nil mulr1.
have T0 : T != 0 by rewrite gt_eqF // mulr_gt0 ?ltr0n // ltnW.
have base : same M (Literal [:: m; n] x0 [:: x1; x2] [:: E1; E2] [:: false; false])
    (Scaled ((x0 - 1) / T) [:: (x1 - 1) / T; (x2 - 1) / T]
      (Num.max ((x1 - 1) / T) ((x2 - 1) / T)) [:: E1; E2] [:: false; false]).
  have scale (x : R) : x = 1 + T * ((x - 1) / T) by fields R.
  split; split=> //=; rewrite ?T_eq ?(ltnW m1) ?(ltnW n1) //.
  - by rewrite -!scale.
  - by rewrite /single_flips /= !big_cons big_nil addr0 /= addrA.
  by move=> t; rewrite orbF lt_maxr.
have := run_same base ok.
set l := foldl _ _ _; set s := foldl (scaled_step M) _ _.
move=> [[-> -> -> ->]]; rewrite sizes_of_run /= => -[_ s0 _ _].
set Q := product _; have Q0 : Q != 0 by rewrite gt_eqF ?product_gt0.
split=> //; first by rewrite addrC addKr mulrC mulKf.
rewrite -map_comp -[LHS]map_id; apply: eq_map => z /=.
by rewrite addrC addKr mulrC mulKf.
Qed.
End Induction.
