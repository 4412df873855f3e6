(* The two-attribute closed form, all four cases (chapter 3, "Two attributes"), as a   *)
(* corollary of the radius-one closed forms.                                           *)
(*                                                                                     *)
(* Attribute 1 has m values and e^{eps_1} = E1, attribute 2 has n values and           *)
(* e^{eps_2} = E2. x_0, x_1, x_2 are the probabilities of a record with no flip, with  *)
(* a flip of attribute 1 alone and of attribute 2 alone, over that of one with both.   *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra setting bound radius_one.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Ltac nonneg := repeat first [assumption | apply: mulr_ge0 | apply: addr_ge0].

Lemma pair_cases (i j l : 'I_2) : i != j -> (l == i) || (l == j).
Proof. by case: i j l => [[|[|i]] ?] [[|[|j]] ?] [[|[|l]] ?]. Qed.

Lemma sum_other (R : realFieldType) (i j : 'I_2) (F : 'I_2 -> R) :
  i != j -> \sum_(l | l != j) F l = F i.
Proof.
move=> ij; rewrite (bigD1 i) //= big1 ?addr0 // => l /andP[lj li].
by have := pair_cases l ij; rewrite (negPf lj) (negPf li).
Qed.

Lemma sum_pair (R : realFieldType) (i j : 'I_2) (F : 'I_2 -> R) :
  i != j -> \sum_l F l = F i + F j.
Proof. by move=> ij; rewrite (bigD1 j) //= (sum_other _ ij) addrC. Qed.

(* The attributes by any names: i and j. *)
Section Pair.
Variables (R : realFieldType) (a : 'I_2 -> nat) (e : 'I_2 -> R).
Hypothesis a_gt1 : forall i, (1 < a i)%N.
Hypothesis e_gt1 : forall i, 1 < e i.
Add Field R_is_field : (field_of R).
Notation A i := ((a i)%:R : R).
Notation b i := (A i - 1).

(* The flip probability of attribute i. *)
Definition q i : R := b i / (e i + b i).

Lemma A_neq0 i : A i != 0. Proof. by rewrite pnatr_eq0 -lt0n ltnW. Qed.
Lemma b_pos i : 0 < b i. Proof. by rewrite subr_gt0 ltr1n. Qed.
Lemma b_neq0 i : b i != 0. Proof. by rewrite gt_eqF ?b_pos. Qed.
Lemma eb_gt0 i : 0 < e i + b i.
Proof. by rewrite addr_gt0 ?b_pos // (lt_trans ltr01). Qed.
Lemma eb_neq0 i : e i + b i != 0. Proof. by rewrite gt_eqF ?eb_gt0. Qed.
Lemma q_gt0 i : 0 < q i. Proof. by rewrite divr_gt0 ?b_pos ?eb_gt0. Qed.

(* Its gain d_i = p_i - q_i, which is positive, and its w_i = (e^eps_i - 1)/a_i. *)
Lemma d_level i : d a q i = b i * (e i - 1) / (A i * (e i + b i)).
Proof.
rewrite /d /p /sizeof /q; have A0 := A_neq0 i; have eb0 := eb_neq0 i; by fields R.
Qed.

Lemma d_gt0 i : 0 < d a q i.
Proof.
rewrite d_level divr_gt0 ?mulr_gt0 ?b_pos ?eb_gt0 ?subr_gt0 //.
by rewrite ltr0n ltnW.
Qed.

Lemma w_level i : w a q i = (e i - 1) / A i.
Proof.
rewrite /w d_level /q; have A0 := A_neq0 i; have eb0 := eb_neq0 i; have b0 := b_neq0 i.
by fields R.
Qed.

Lemma q_le i : q i <= p R a i.
Proof. by rewrite -subr_ge0 ltW ?d_gt0. Qed.

(* How x_0, x_1, x_2 are read off a mechanism. *)
Definition ratios (f : {set 'I_2} -> R) i j x0 xi xj :=
  [/\ f set0 = x0 * f setT, f [set i] = xi * f setT & f [set j] = xj * f setT].

Lemma line_ratios M i j : ratios (line a q M) i j (1 + T R a * z0 a q M)
  (1 + T R a * z a q M i) (1 + T R a * z a q M j).
Proof.
have full : mass a q M setT = 0.
  apply: (@mass_cases _ _ a q M (fun S m => (1 < #|S|)%N -> m = 0)) => //.
  - by rewrite cards0.
  - by move=> l; rewrite cards1.
  by rewrite cardsT card_ord.
by split; rewrite /line full ?mass_empty ?mass_single mulr0 addr0 mul1r.
Qed.

Variables i j : 'I_2.
Hypothesis ij : i != j.

Lemma T_pair : T R a = A i * A j.
Proof.
rewrite /T (bigD1 i) //= (bigD1 j) 1?eq_sym //= big1 ?mulr1 // => l /andP[li lj].
by have := pair_cases l ij; rewrite (negPf lj) (negPf li).
Qed.

(* E1 E2 >= (m-1)(n-1) says that q_1 + q_2 <= 1. *)
Lemma det_sum : 1 - \sum_l q l
  = (e i * e j - b i * b j) / ((e i + b i) * (e j + b j)).
Proof.
rewrite (sum_pair _ ij) /q; have ebi := eb_neq0 i; have ebj := eb_neq0 j; by fields R.
Qed.

Lemma det_ge0 : (0 <= e i * e j - b i * b j) = (\sum_l q l <= 1).
Proof.
by rewrite -subr_ge0 -[in RHS]subr_ge0 subr0 det_sum pmulr_lge0 // invr_gt0 mulr_gt0 ?eb_gt0.
Qed.

(* The left end, where attribute i has the larger w: cases (I) and (II). *)
Definition left0 : R := (A j * e i * e j + b i * b j * (e j - 1)) / (e j + b j).
Definition left_j : R := (A j * e i - b i * (e j - 1)) / (e j + b j).

Lemma left_case : b i * b j <= e i * e j -> A i * (e j - 1) <= A j * (e i - 1) ->
  let f := line a q (w a q i) in optimal a q f left0 /\ ratios f i j left0 1 left_j.
Proof.
move=> det larger f.
have Ai := A_neq0 i; have Aj := A_neq0 j; have ebi := eb_neq0 i; have ebj := eb_neq0 j.
have bi := b_neq0 i; have bj := b_neq0 j.
have x0 : 1 + T R a * z0 a q (w a q i) = left0.
  by rewrite /z0 T_pair !(sum_pair _ ij) w_level !d_level /q /left0; fields R.
have xi : 1 + T R a * z a q (w a q i) i = 1 by rewrite /z subrr !mulr0 addr0.
have xj : 1 + T R a * z a q (w a q i) j = left_j.
  by rewrite /z T_pair /radius_one.b !w_level /q /left_j; fields R.
split; last by rewrite -x0 -xj -[X in ratios _ _ _ _ X]xi; exact: line_ratios.
rewrite -x0; apply: (left_end a_gt1 q_gt0 q_le).
- move=> l; have /orP[/eqP->|/eqP->] := pair_cases l ij; rewrite ?lexx //.
  by rewrite !w_level ler_pdivr_mulr ?ltr0n ?(ltnW (a_gt1 _)) // mulrAC ler_pdivl_mulr
    ?ltr0n ?(ltnW (a_gt1 _)) // ![_ * A _]mulrC.
- by rewrite -det_ge0 subr_ge0.
move=> l; have T0 : 0 < T R a by apply: T_gt0 => ?; apply: ltnW.
rewrite -(ler_pmul2l T0) -(ler_add2l 1) x0.
have ei : 0 <= e i - 1 by rewrite subr_ge0 ltW.
have ej : 0 <= e j - 1 by rewrite subr_ge0 ltW.
have e0 : 0 <= e i by rewrite ltW // (lt_trans ltr01).
have e0' : 0 <= e j by rewrite ltW // (lt_trans ltr01).
have b0 := ltW (b_pos i); have b0' := ltW (b_pos j).
have /orP[/eqP->|/eqP->] := pair_cases l ij; rewrite ?xi ?xj -subr_ge0.
  have -> : left0 - 1 = (b j * ((e i - 1) * e j + (e j - 1)) + e j * (e i - 1)
      + b i * b j * (e j - 1)) / (e j + b j) by rewrite /left0; fields R.
  by rewrite divr_ge0 ?(ltW (eb_gt0 j)) //; nonneg.
have -> : left0 - left_j = (e j - 1) * (A j * (e i + b i)) / (e j + b j).
  by rewrite /left0 /left_j; fields R.
have A0 : 0 <= A j by exact: ler0n.
by rewrite divr_ge0 ?(ltW (eb_gt0 j)) //; nonneg.
Qed.

(* The right end, where the flip of attribute i ties with the truth: cases (III), (IV). *)
Definition tie : R := A i * b j - (e i - 1) * e j.
Definition right0 : R := b j * (e i + b i) * e j / tie.
Definition right_j : R := (A i * b j * e i + b i * (e i - 1) * e j) / tie.

Lemma slope_tie (l l' : 'I_2) : l != l' -> \sum_r q r - 1 + q l / radius_one.b R a l
  = (A l * b l' - (e l - 1) * e l') / ((e l + b l) * (e l' + b l')).
Proof.
move=> ll; rewrite (sum_pair _ ll) /q /radius_one.b.
have ebl := eb_neq0 l; have ebl' := eb_neq0 l'; have bl := b_neq0 l; by fields R.
Qed.

Lemma over_tie (l l' : 'I_2) : l != l' -> \sum_r d a q r + d a q l / radius_one.b R a l
  = ((e l - 1) * (e l' + b l') + b l' * (e l' - 1) * (e l + b l) / A l')
    / ((e l + b l) * (e l' + b l')).
Proof.
move=> ll; rewrite (sum_pair _ ll) !d_level /radius_one.b.
have ebl := eb_neq0 l; have ebl' := eb_neq0 l'; have bl := b_neq0 l.
have Al := A_neq0 l; have Al' := A_neq0 l'; by fields R.
Qed.

Lemma slope_gt0 l : 1 < \sum_r q r -> 0 < \sum_r q r - 1 + q l / radius_one.b R a l.
Proof. by move=> q1; rewrite addr_gt0 ?subr_gt0 // divr_gt0 ?q_gt0 // b_pos. Qed.

Lemma q_lt1 l : q l < 1.
Proof. by rewrite ltr_pdivr_mulr ?eb_gt0 // mul1r ltr_addr (lt_trans ltr01). Qed.

Lemma below_meet (l : 'I_2) : 1 < \sum_r q r -> w a q l <= meet a q i.
Proof.
move=> q1; rewrite ler_pdivl_mulr ?slope_gt0 // -subr_ge0 !(sum_pair _ ij).
have bi := b_neq0 i; have ebi := eb_neq0 i.
have w0 r : 0 <= w a q r by rewrite divr_ge0 // ltW ?d_gt0 ?q_gt0.
have qd r : d a q r = q r * w a q r by rewrite qw //; exact: q_gt0.
have d0 r := ltW (d_gt0 r).
have /orP[/eqP->|/eqP->] := pair_cases l ij.
  have -> : d a q i + d a q j + d a q i / radius_one.b R a i
      - w a q i * (q i + q j - 1 + q i / radius_one.b R a i) = d a q j + w a q i * (1 - q j).
    by rewrite (qd i); rings R.
  by rewrite addr_ge0 // mulr_ge0 // subr_ge0 ltW ?q_lt1.
have -> : d a q i + d a q j + d a q i / radius_one.b R a i
    - w a q j * (q i + q j - 1 + q i / radius_one.b R a i)
  = d a q i + d a q i / radius_one.b R a i + w a q j * ((e i - 1) / (e i + b i)).
  rewrite (qd j); move: (w a q j) (d a q i) => W D; rewrite /q /radius_one.b.
  by have ebj := eb_neq0 j; fields R.
have b0 : 0 <= (radius_one.b R a i)^-1 by rewrite invr_ge0 ltW ?b_pos.
have e0 : 0 <= e i - 1 by rewrite subr_ge0 ltW.
have eb0 : 0 <= (e i + b i)^-1 by rewrite invr_ge0 ltW ?eb_gt0.
have wj := w0 j; have di := d0 i; by nonneg.
Qed.

Lemma first_meet : 1 < \sum_r q r ->
  0 <= (A j - A i) * e i * e j - A i * b j * e i + b i * A j * e j ->
  meet a q i <= meet a q j.
Proof.
move=> q1 cond; have si := slope_gt0 i q1; have sj := slope_gt0 j q1.
have ji : j != i by rewrite eq_sym.
rewrite /meet ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -subr_ge0.
rewrite !(slope_tie ij) !(slope_tie ji) !(over_tie ij) !(over_tie ji).
set X := (X in 0 <= X).
have -> : X = ((A j - A i) * e i * e j - A i * b j * e i + b i * A j * e j)
    / (A i * A j * (e i + b i) * (e j + b j)).
  rewrite /X; have Ai := A_neq0 i; have Aj := A_neq0 j; have ebi := eb_neq0 i.
  by have ebj := eb_neq0 j; fields R.
have A0 r : 0 <= A r by exact: ler0n.
have eb0 r := ltW (eb_gt0 r).
by rewrite divr_ge0 // !mulr_ge0.
Qed.

Lemma right_case : e i * e j < b i * b j ->
  0 <= (A j - A i) * e i * e j - A i * b j * e i + b i * A j * e j ->
  let f := line a q (meet a q i) in optimal a q f right0 /\ ratios f i j right0 right0 right_j.
Proof.
move=> det cond f.
have Ai := A_neq0 i; have Aj := A_neq0 j; have ebi := eb_neq0 i; have ebj := eb_neq0 j.
have bi := b_neq0 i; have bj := b_neq0 j.
have q1 : 1 < \sum_r q r by rewrite ltNge -det_ge0 subr_ge0 -ltNge.
have t0 : tie != 0.
  have := slope_gt0 i q1; rewrite (slope_tie ij) -/tie => s0.
  by apply: contraTneq s0 => ->; rewrite mul0r ltxx.
have x0 : 1 + T R a * z0 a q (meet a q i) = right0.
  rewrite /z0 T_pair /meet (slope_tie ij) (over_tie ij) -/tie !(sum_pair _ ij) !d_level /q.
  by rewrite /right0; move: t0; rewrite /tie => t0; fields R.
have xj : 1 + T R a * z a q (meet a q i) j = right_j.
  rewrite /z T_pair /meet (slope_tie ij) (over_tie ij) -/tie w_level /q /radius_one.b.
  by rewrite /right_j; move: t0; rewrite /tie => t0; fields R.
have xi : 1 + T R a * z a q (meet a q i) i = right0.
  rewrite /z T_pair /meet (slope_tie ij) (over_tie ij) -/tie w_level /q /radius_one.b.
  by rewrite /right0; move: t0; rewrite /tie => t0; fields R.
split; last by rewrite -xj -{1}x0 -xi; exact: line_ratios.
rewrite -x0; apply: (right_end a_gt1 q_gt0 q_le) => //.
- move=> l; have /orP[/eqP->|/eqP->] := pair_cases l ij; rewrite ?lexx //.
  exact: first_meet.
- by move=> l; apply: below_meet.
by rewrite (sum_other (i := j)) 1?eq_sym // ltW ?q_lt1.
Qed.
End Pair.

Section TwoAttributes.
Variables (R : realFieldType) (m n : nat) (E1 E2 : R).
Hypothesis m_gt1 : (1 < m)%N.
Hypothesis n_gt1 : (1 < n)%N.
Hypothesis E1_gt1 : 1 < E1.
Hypothesis E2_gt1 : 1 < E2.
Add Field R_is_field_too : (field_of R).
Notation M := (m%:R : R).
Notation N := (n%:R : R).

Definition first : 'I_2 := @Ordinal 2 0 isT.
Definition second : 'I_2 := @Ordinal 2 1 isT.
Definition sizes (i : 'I_2) : nat := if i == first then m else n.
Definition exp_levels (i : 'I_2) : R := if i == first then E1 else E2.

(* q_1 = (m-1)/(E1+m-1) and q_2 = (n-1)/(E2+n-1). *)
Definition flip_probabilities : 'I_2 -> R := q sizes exp_levels.

(* x_0, x_1, x_2 in the four cases, as printed. *)
Definition case_I : R * R * R :=
  ((N * E1 * E2 + (M - 1) * (N - 1) * (E2 - 1)) / (E2 + (N - 1)), 1,
   (N * E1 - (M - 1) * (E2 - 1)) / (E2 + (N - 1))).
Definition case_II : R * R * R :=
  ((M * E1 * E2 + (M - 1) * (N - 1) * (E1 - 1)) / (E1 + (M - 1)),
   (M * E2 - (N - 1) * (E1 - 1)) / (E1 + (M - 1)), 1).
Definition case_III : R * R * R :=
  let t := M * (N - 1) - (E1 - 1) * E2 in
  let x0 := (N - 1) * (E1 + (M - 1)) * E2 / t in
  (x0, x0, (M * (N - 1) * E1 + (M - 1) * (E1 - 1) * E2) / t).
Definition case_IV : R * R * R :=
  let t := (M - 1) * N - E1 * (E2 - 1) in
  let x0 := (M - 1) * E1 * (E2 + (N - 1)) / t in
  (x0, ((M - 1) * N * E2 + (N - 1) * E1 * (E2 - 1)) / t, x0).

Definition closed_form : R * R * R :=
  if (M - 1) * (N - 1) <= E1 * E2 then
    if M * (E2 - 1) <= N * (E1 - 1) then case_I else case_II
  else if 0 <= (N - M) * E1 * E2 - M * (N - 1) * E1 + (M - 1) * N * E2
  then case_III else case_IV.

(* A mechanism with these ratios is optimal: it has the flip probabilities q_1 and     *)
(* q_2, and no mechanism whose flip rates are at most these has a smaller overall      *)
(* level than log x_0.                                                                 *)
Definition is_optimal (x : R * R * R) := exists2 f : {set 'I_2} -> R,
  optimal sizes flip_probabilities f x.1.1 & ratios f first second x.1.1 x.1.2 x.2.

Let sizes_gt1 i : (1 < sizes i)%N. Proof. by rewrite /sizes; case: eqP. Qed.
Let exp_gt1 i : 1 < exp_levels i. Proof. by rewrite /exp_levels; case: eqP. Qed.

Lemma ratios_swap f i j x0 xi xj : @ratios R f i j x0 xi xj -> ratios f j i x0 xj xi.
Proof. by case. Qed.

(* Case (I). *)
Lemma optimal_I : (M - 1) * (N - 1) <= E1 * E2 -> M * (E2 - 1) <= N * (E1 - 1) ->
  is_optimal case_I.
Proof.
by move=> det larger; have [||opt rat] := @left_case R sizes exp_levels sizes_gt1 exp_gt1
  first second isT; [exact: det | exact: larger | eexists; [exact: opt | exact: rat]].
Qed.

(* Case (II). *)
Lemma optimal_II : (M - 1) * (N - 1) <= E1 * E2 -> N * (E1 - 1) <= M * (E2 - 1) ->
  is_optimal case_II.
Proof.
move=> det larger; have [||opt rat] := @left_case R sizes exp_levels sizes_gt1 exp_gt1
  second first isT; first by rewrite mulrC [X in _ <= X]mulrC; exact: det.
  exact: larger.
have x0 : left0 sizes exp_levels second first = case_II.1.1.
  rewrite /left0 -[sizes second]/n -[sizes first]/m.
  by rewrite -[exp_levels second]/E2 -[exp_levels first]/E1 /case_II /=; congr (_ / _); rings R.
rewrite x0 in opt rat; eexists; [exact: opt | exact: ratios_swap rat].
Qed.

(* Case (III). *)
Lemma optimal_III : E1 * E2 < (M - 1) * (N - 1) ->
  0 <= (N - M) * E1 * E2 - M * (N - 1) * E1 + (M - 1) * N * E2 -> is_optimal case_III.
Proof.
by move=> det cond; have [||opt rat] := @right_case R sizes exp_levels sizes_gt1 exp_gt1
  first second isT; [exact: det | exact: cond | eexists; [exact: opt | exact: rat]].
Qed.

(* Case (IV). *)
Lemma optimal_IV : E1 * E2 < (M - 1) * (N - 1) ->
  (N - M) * E1 * E2 - M * (N - 1) * E1 + (M - 1) * N * E2 <= 0 -> is_optimal case_IV.
Proof.
move=> det cond; have [||opt rat] := @right_case R sizes exp_levels sizes_gt1 exp_gt1
  second first isT; first by rewrite mulrC [X in _ < X]mulrC; exact: det.
  rewrite -[sizes second]/n -[sizes first]/m -[exp_levels second]/E2 -[exp_levels first]/E1.
  rewrite -oppr_le0; set X := (X in X <= 0).
  have -> : X = (N - M) * E1 * E2 - M * (N - 1) * E1 + (M - 1) * N * E2 by rewrite /X; rings R.
  exact: cond.
have t : tie sizes exp_levels second first = (M - 1) * N - E1 * (E2 - 1).
  rewrite /tie -[sizes second]/n -[sizes first]/m.
  by rewrite -[exp_levels second]/E2 -[exp_levels first]/E1; rings R.
have x0 : right0 sizes exp_levels second first = case_IV.1.1.
  rewrite /right0 t -[sizes second]/n -[sizes first]/m.
  by rewrite -[exp_levels second]/E2 -[exp_levels first]/E1 /case_IV /=; congr (_ / _); rings R.
have xj : right_j sizes exp_levels second first = case_IV.1.2.
  rewrite /right_j t -[sizes second]/n -[sizes first]/m.
  by rewrite -[exp_levels second]/E2 -[exp_levels first]/E1 /case_IV /=; congr (_ / _); rings R.
rewrite x0 xj in opt rat; eexists; [exact: opt | exact: ratios_swap rat].
Qed.

(* Theorem (chapter 3, "Two attributes"). Let m, n >= 2 and E1, E2 > 1. The closed     *)
(* form is optimal in all four cases.                                                  *)
Theorem two_attributes : is_optimal closed_form.
Proof.
rewrite /closed_form; case: (leP _ (E1 * E2)) => det; case: leP => cond.
- exact: optimal_I.
- by apply: optimal_II => //; apply: ltW.
- exact: optimal_III.
by apply: optimal_IV => //; apply: ltW.
Qed.

(* x_0 in the book's words: what is saved of E1 E2, with D = E1 E2 - (m-1)(n-1). *)
Let D := E1 * E2 - (M - 1) * (N - 1).

Lemma saving_I : case_I.1.1 = E1 * E2 - D * ((E2 - 1) / (E2 + (N - 1))).
Proof.
have e0 : E2 + (N - 1) != 0.
  by rewrite gt_eqF // addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01).
by rewrite /case_I /D /=; fields R.
Qed.

Lemma saving_II : case_II.1.1 = E1 * E2 - D * ((E1 - 1) / (E1 + (M - 1))).
Proof.
have e0 : E1 + (M - 1) != 0.
  by rewrite gt_eqF // addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01).
by rewrite /case_II /D /=; fields R.
Qed.

(* The denominators of cases (III) and (IV) are positive where D < 0. *)
Lemma tie_III : E1 * E2 < (M - 1) * (N - 1) -> 0 < M * (N - 1) - (E1 - 1) * E2.
Proof.
move=> det.
have -> : M * (N - 1) - (E1 - 1) * E2
  = ((M - 1) * (N - 1) - E1 * E2) + (E2 + (N - 1)) by rings R.
by rewrite addr_gt0 ?subr_gt0 // addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01).
Qed.

Lemma tie_IV : E1 * E2 < (M - 1) * (N - 1) -> 0 < (M - 1) * N - E1 * (E2 - 1).
Proof.
move=> det.
have -> : (M - 1) * N - E1 * (E2 - 1)
  = ((M - 1) * (N - 1) - E1 * E2) + (E1 + (M - 1)) by rings R.
by rewrite addr_gt0 ?subr_gt0 // addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01).
Qed.

Lemma saving_III : E1 * E2 < (M - 1) * (N - 1) -> case_III.1.1
  = E1 * E2 + D * ((E1 - 1) * E2) / (M * (N - 1) - (E1 - 1) * E2).
Proof. by move=> /tie_III/lt0r_neq0 t0; rewrite /case_III /D /=; fields R. Qed.

Lemma saving_IV : E1 * E2 < (M - 1) * (N - 1) -> case_IV.1.1
  = E1 * E2 + D * (E1 * (E2 - 1)) / ((M - 1) * N - E1 * (E2 - 1)).
Proof. by move=> /tie_IV/lt0r_neq0 t0; rewrite /case_IV /D /=; fields R. Qed.

(* ------------------------------------------------------------------------------------*)
(* The theorem in the book's words: the smallest x_0 under the level equations, number *)
(* (4) of the paper, and the order x_0 >= x_1, x_2 >= 1.                               *)
(* ------------------------------------------------------------------------------------*)
Definition level_equations (x : R * R * R) :=
  x.1.1 + (N - 1) * x.2 = E1 * (x.1.2 + (N - 1)) /\
  x.1.1 + (M - 1) * x.1.2 = E2 * (x.2 + (M - 1)).
Definition in_order (x : R * R * R) := (1 <= x.1.2 <= x.1.1) && (1 <= x.2 <= x.1.1).

(* The four values of x_0 in the book. *)
Definition x0_I : R := E1 * E2 - D * ((E2 - 1) / (E2 + (N - 1))).
Definition x0_II : R := E1 * E2 - D * ((E1 - 1) / (E1 + (M - 1))).
Definition x0_III : R := E1 * E2 + D * ((E1 - 1) * E2) / (M * (N - 1) - (E1 - 1) * E2).
Definition x0_IV : R := E1 * E2 + D * (E1 * (E2 - 1)) / ((M - 1) * N - E1 * (E2 - 1)).

Let e1_pos : 0 < E1 + (M - 1). Proof. by rewrite addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01). Qed.
Let e2_pos : 0 < E2 + (N - 1). Proof. by rewrite addr_gt0 ?subr_gt0 ?ltr1n // (lt_trans ltr01). Qed.

Lemma closed_form_levels : level_equations closed_form.
Proof.
have e1 := lt0r_neq0 e1_pos; have e2 := lt0r_neq0 e2_pos.
rewrite /closed_form; case: (leP _ (E1 * E2)) => det; case: leP => _; split=> /=.
- by fields R.
- by fields R.
- by fields R.
- by fields R.
- by have t0 := lt0r_neq0 (tie_III det); fields R.
- by have t0 := lt0r_neq0 (tie_III det); fields R.
- by have t0 := lt0r_neq0 (tie_IV det); fields R.
by have t0 := lt0r_neq0 (tie_IV det); fields R.
Qed.

(* What is optimal is in order: a ratio below 1 would raise the level. *)
Lemma closed_form_order : in_order closed_form.
Proof.
have [f [[f_ge0 f_total] _ level _] [r0 r1 r2]] := two_attributes.
have c_gt0 : 0 < f setT.
  rewrite lt_def f_ge0 andbT; apply/eqP => c0.
  have f0 S : f S = 0 by apply/eqP; rewrite eq_le f_ge0 andbT (le_trans (level S setT)) // c0 mulr0.
  by move/eqP: f_total; rewrite (eq_E _ f0) E_const eq_sym oner_eq0.
have x0_ge1 : 1 <= closed_form.1.1 by rewrite -(ler_pmul2r c_gt0) mul1r; exact: level.
have x0_gt0 := lt_le_trans ltr01 x0_ge1.
have bars x S : f S = x * f setT -> 1 <= x <= closed_form.1.1.
  move=> fS; have := level set0 S; rewrite r0 fS mulrA ler_pmul2r // ler_pmulr // => ->.
  by have := level S setT; rewrite fS ler_pmul2r.
by apply/andP; split; [exact: bars r1 | exact: bars r2].
Qed.

(* two-solution, the level equations solved for x_1 and x_2 *)
Lemma solved x : level_equations x ->
  D * x.1.2 = (E2 + (N - 1)) * x.1.1 - (N - 1) * E2 * (E1 + (M - 1)) /\
  D * x.2 = (E1 + (M - 1)) * x.1.1 - (M - 1) * E1 * (E2 + (N - 1)).
Proof.
case: x => [[x0 x1] x2] /= [l1 l2]; split; apply/eqP; rewrite -subr_eq0; apply/eqP.
  transitivity (E2 * (E1 * (x1 + (N - 1)) - (x0 + (N - 1) * x2))
    + (N - 1) * (E2 * (x2 + (M - 1)) - (x0 + (M - 1) * x1))); first by rewrite /D; rings R.
  by rewrite l1 l2 !subrr !mulr0 addr0.
transitivity (E1 * (E2 * (x2 + (M - 1)) - (x0 + (M - 1) * x1))
  + (M - 1) * (E1 * (x1 + (N - 1)) - (x0 + (N - 1) * x2))); first by rewrite /D; rings R.
by rewrite l1 l2 !subrr !mulr0 addr0.
Qed.

Lemma at_least_I_II x : 0 <= D -> level_equations x -> in_order x ->
  x0_I <= x.1.1 /\ x0_II <= x.1.1.
Proof.
move=> D0 /solved[s1 s2] /andP[/andP[x1 _] /andP[x2 _]]; split.
  have -> : x0_I = (D + (N - 1) * E2 * (E1 + (M - 1))) / (E2 + (N - 1)).
    by have e0 := lt0r_neq0 e2_pos; rewrite /x0_I /D; fields R.
  by rewrite ler_pdivr_mulr // [X in _ <= X]mulrC -ler_subr_addr -s1 ler_pemulr.
have -> : x0_II = (D + (M - 1) * E1 * (E2 + (N - 1))) / (E1 + (M - 1)).
  by have e0 := lt0r_neq0 e1_pos; rewrite /x0_II /D; fields R.
by rewrite ler_pdivr_mulr // [X in _ <= X]mulrC -ler_subr_addr -s2 ler_pemulr.
Qed.

Lemma at_least_III_IV x : D < 0 -> level_equations x -> in_order x ->
  x0_III <= x.1.1 /\ x0_IV <= x.1.1.
Proof.
move=> D0 /solved[s1 s2] /andP[/andP[_ x1] /andP[_ x2]].
have det : E1 * E2 < (M - 1) * (N - 1) by rewrite -subr_lt0.
have t3 := tie_III det; have t4 := tie_IV det; split.
  have -> : x0_III = (N - 1) * E2 * (E1 + (M - 1)) / (M * (N - 1) - (E1 - 1) * E2).
    by have t0 := lt0r_neq0 t3; rewrite /x0_III /D; fields R.
  have -> : M * (N - 1) - (E1 - 1) * E2 = E2 + (N - 1) - D by rewrite /D; rings R.
  rewrite ler_pdivr_mulr; last by move: t3; rewrite /D; congr (0 < _); rings R.
  by rewrite mulrBr ler_subr_addr -ler_subr_addl ![x.1.1 * _]mulrC -s1 ler_nmul2l.
have -> : x0_IV = (M - 1) * E1 * (E2 + (N - 1)) / ((M - 1) * N - E1 * (E2 - 1)).
  by have t0 := lt0r_neq0 t4; rewrite /x0_IV /D; fields R.
have -> : (M - 1) * N - E1 * (E2 - 1) = E1 + (M - 1) - D by rewrite /D; rings R.
rewrite ler_pdivr_mulr; last by move: t4; rewrite /D; congr (0 < _); rings R.
by rewrite mulrBr ler_subr_addr -ler_subr_addl ![x.1.1 * _]mulrC -s2 ler_nmul2l.
Qed.

(* Theorem (chapter 3, "Two attributes"). Let m, n >= 2 and E1, E2 > 1. The smallest   *)
(* x_0 under the level equations and the order is, for D >= 0, the larger of (I) and   *)
(* (II), and for D < 0 the larger of (III) and (IV).                                   *)
Theorem smallest_x0 : [/\ level_equations closed_form, in_order closed_form,
    forall x, level_equations x -> in_order x -> closed_form.1.1 <= x.1.1
  & closed_form.1.1 = if 0 <= D then Num.max x0_I x0_II else Num.max x0_III x0_IV].
Proof.
have lv := closed_form_levels; have ord := closed_form_order.
set larger := if _ then _ else _.
have least x : level_equations x -> in_order x -> larger <= x.1.1.
  rewrite /larger => lx ox; case: (leP 0 D) => D0; rewrite le_maxl; apply/andP.
    exact: at_least_I_II.
  exact: at_least_III_IV.
suff is_larger : closed_form.1.1 = larger by split=> // x lx ox; rewrite is_larger least.
apply/eqP; rewrite eq_le least // andbT /larger.
rewrite /closed_form /D subr_ge0 -/D; case: (leP _ (E1 * E2)) => det.
  have -> : x0_I = case_I.1.1 by rewrite saving_I.
  have -> : x0_II = case_II.1.1 by rewrite saving_II.
  by case: (leP (M * _)) => _; rewrite le_maxr lexx ?orbT.
have -> : x0_III = case_III.1.1 by rewrite saving_III.
have -> : x0_IV = case_IV.1.1 by rewrite saving_IV.
by case: (leP 0) => _; rewrite le_maxr lexx ?orbT.
Qed.
End TwoAttributes.
