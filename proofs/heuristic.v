(* Algorithm 3 ends at the left end of the line, and when that is optimal (chapter 7). *)
(*                                                                                     *)
(* induction.v has the algorithm, radius_one.v the line of all mechanisms with given   *)
(* flip probabilities and at most one flip above the uniform part. Here they meet: at  *)
(* its achieved levels, if there are at least three attributes, the algorithm returns  *)
(* the mechanism of the line at M = max w_i. What is true there is true of it.         *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import algebra setting radius_one two_attribute induction.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

(* An attribute is a pair of a size a and of e = e^eps; its w is (e - 1)/a. *)
Section OneAttribute.
Variable R : realFieldType.
Add Field R_is_field : (field_of R).
Implicit Type ae : nat * R.

Definition need ae : R := (ae.2 - 1) / ae.1%:R.

(* What a flip of this attribute alone gets of the mass M. *)
Definition share M ae : R := (M - need ae) / (ae.1%:R * (1 + need ae)).

Lemma need_gt0 ae : proper ae -> 0 < need ae.
Proof. by case/andP=> a1 e1; rewrite divr_gt0 ?subr_gt0 ?ltr0n // ltnW. Qed.

Lemma room_gt0 ae : proper ae -> 0 < ae.1%:R * (1 + need ae).
Proof.
move=> ok; rewrite mulr_gt0 ?addr_gt0 ?ltr01 ?need_gt0 // ltr0n ltnW //.
by case/andP: ok.
Qed.

Lemma share_ge0 M ae : proper ae -> (0 <= share M ae) = (need ae <= M).
Proof. by move=> ok; rewrite pmulr_lge0 ?invr_gt0 ?room_gt0 // subr_ge0. Qed.

Lemma share_eq0 M ae : proper ae -> (share M ae == 0) = (need ae == M).
Proof.
move=> ok; have room0 := lt0r_neq0 (room_gt0 ok).
by rewrite mulf_eq0 invr_eq0 (negPf room0) orbF subr_eq0 eq_sym.
Qed.

(* The level that a fallback achieves is the one whose w is M. *)
Lemma need_fallback M a : (0 < a)%N -> need (a, 1 + a%:R * M) = M.
Proof.
move=> a_gt0; have a0 : a%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
by rewrite /need /=; fields R.
Qed.

Lemma parts_neq0 ae : proper ae ->
  [/\ ae.1%:R != 0 :> R, ae.1%:R - 1 != 0 :> R & ae.2 + (ae.1%:R - 1) != 0].
Proof.
case/andP=> a1 e1; have b_gt0 : 0 < ae.1%:R - 1 :> R by rewrite subr_gt0 ltr1n.
rewrite pnatr_eq0 -lt0n ltnW // !gt_eqF // addr_gt0 //; exact: lt_trans ltr01 e1.
Qed.

(* If it meets the level equation, it has this share. *)
Lemma share_of_level ae M x : proper ae ->
  ae.1%:R^-1 + M - (ae.1%:R - 1) * x = ae.2 * (ae.1%:R^-1 + x) -> x = share M ae.
Proof.
case: ae => a e ok; have [/= a0 _ eb0] := parts_neq0 ok.
by move=> lv; apply/level_equation; rewrite // [_ - 1 + e]addrC.
Qed.
End OneAttribute.

(* The first two attributes. From two_attribute.v we know that their closed form meets *)
(* the level equations and is in order; this alone puts it on the line.                *)
Section Start.
Variables (R : realFieldType) (m n : nat) (E1 E2 : R).
Hypothesis m_gt1 : (1 < m)%N.
Hypothesis n_gt1 : (1 < n)%N.
Hypothesis E1_gt1 : 1 < E1.
Hypothesis E2_gt1 : 1 < E2.
Add Field R_is_field_too : (field_of R).
Section ClosedForm.
Variables x0 x1 x2 : R.
Hypothesis x_eq : closed_form m n E1 E2 = (x0, x1, x2).
Let T : R := m%:R * n%:R.
Let z0 : R := (x0 - 1) / T.
Let z1 : R := (x1 - 1) / T.
Let z2 : R := (x2 - 1) / T.
Let M : R := z0 + (m%:R - 1) * z1 + (n%:R - 1) * z2.

(* The closed form gives every flip its share, and none more than the truth. *)
Lemma closed_form_shares : [/\ z1 = share M (m, E1), z2 = share M (n, E2),
  0 <= z1 <= z0 & 0 <= z2 <= z0].
Proof.
have [l1 l2] := closed_form_levels m_gt1 n_gt1 E1_gt1 E2_gt1.
have := closed_form_order m_gt1 n_gt1 E1_gt1 E2_gt1.
rewrite /in_order x_eq /= in l1 l2 * => /andP[/andP[lo1 hi1] /andP[lo2 hi2]].
have m0 : m%:R != 0 :> R by rewrite pnatr_eq0 -lt0n ltnW.
have n0 : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n ltnW.
have T_gt0 : 0 < T by rewrite mulr_gt0 ?ltr0n // ltnW.
have bars x : 1 <= x -> x <= x0 -> 0 <= (x - 1) / T <= z0.
  move=> lo hi; rewrite divr_ge0 ?subr_ge0 ?(ltW T_gt0) //=.
  by rewrite ler_pmul2r ?invr_gt0 // ler_add2r.
split; [| | exact: bars | exact: bars].
  apply: share_of_level => /=; first by apply/andP.
  transitivity ((x0 + (n%:R - 1) * x2) / T); first by rewrite /M /z0 /z1 /z2 /T; fields R.
  by rewrite l1 /z1 /T; fields R.
apply: share_of_level => /=; first by apply/andP.
transitivity ((x0 + (m%:R - 1) * x1) / T); first by rewrite /M /z0 /z1 /z2 /T; fields R.
by rewrite l2 /z2 /T; fields R.
Qed.

(* In cases (I) and (II) one of the two has no share, in (III) and (IV) one ties with  *)
(* the truth.                                                                          *)
Lemma closed_form_end : [|| z1 == 0, z2 == 0, z0 == z1 | z0 == z2].
Proof.
move: x_eq; rewrite /closed_form /z0 /z1 /z2.
by case: ifP => _; case: ifP => _ [<- <- <-]; rewrite ?subrr ?mul0r ?eqxx ?orbT.
Qed.
End ClosedForm.
End Start.

(* The loop. At the achieved levels every flip has its share, no w is above M, and the *)
(* truth is likeliest, from the first two attributes to the last.                      *)
Section Loop.
Variables (R : realFieldType) (M : R).
Hypothesis M_gt0 : 0 < M.
Add Field R_is_field_again : (field_of R).
Implicit Types (s : seq nat) (st : scaled_state R).

Definition on_line s st :=
  let achieved := zip s (reached' st) in
  [/\ size s = size (reached' st), z_j st = [seq share M ae | ae <- achieved],
      all (fun ae => proper ae && (need ae <= M)) achieved,
      M = z_0 st + single_flips s (z_j st)
    & all (fun z => z <= top st) (z_j st) && (0 <= top st <= z_0 st)].

(* The left end: some w is M. *)
Definition at_the_end s st := has (fun ae => need ae == M) (zip s (reached' st)).

Lemma step_on_line s st ae : proper ae -> on_line s st ->
  on_line (rcons s ae.1) (scaled_step M st ae).
Proof.
case: ae => a e ok; have [/= a_gt1 e_gt1] := andP ok.
case: st => z0 v t lev back [/= eqs v_eq fine mass /and3P[vt t0 tz]].
have eqv : size s = size v by rewrite v_eq size_map size_zip -eqs minnn.
rewrite -[X in if X || _ then _ else _]/(share M (a, e) < 0).
case: ifP => [_|/negbT].
  have low : need (a, 1 + a%:R * M) = M by apply: need_fallback; apply: ltnW.
  split=> /=.
  - by rewrite !size_rcons eqs.
  - by rewrite zip_rcons // map_rcons -v_eq /share low subrr mul0r.
  - rewrite zip_rcons // all_rcons fine low lexx /proper /= a_gt1 ltr_addl.
    by rewrite mulr_gt0 ?ltr0n // ltnW.
  - by rewrite single_flips_rcons // mulr0 addr0.
  by rewrite (max_idPl t0) all_rcons t0 vt tz.
rewrite negb_or -!leNgt share_ge0 // => /andP[low fits]; split=> /=.
- by rewrite !size_rcons eqs.
- by rewrite zip_rcons // map_rcons -v_eq.
- by rewrite zip_rcons // all_rcons fine ok low.
- by rewrite single_flips_rcons // mass; rings R.
rewrite all_rcons !le_maxr lexx orbT t0 fits !andbT /=.
by apply: sub_all vt => z zt; rewrite le_maxr zt.
Qed.

(* After a tie nothing is left to pay for a flip, so the next attribute ends with      *)
(* w = M: because it needs no share, or because it falls back.                         *)
Lemma step_end s st ae : proper ae -> on_line s st ->
  at_the_end s st || (z_0 st == top st) -> at_the_end (rcons s ae.1) (scaled_step M st ae).
Proof.
case: ae => a e ok; have [/= a_gt1 e_gt1] := andP ok.
case: st => z0 v t lev back [/= eqs _ _ _ _] ended.
rewrite -[X in if X || _ then _ else _]/(share M (a, e) < 0) /at_the_end.
case: ifP => [_|/negbT]; rewrite /= zip_rcons // has_rcons.
  by rewrite need_fallback ?eqxx // ltnW.
rewrite negb_or -!leNgt le_maxl => /and3P[share0 tie _].
apply/orP; case/orP: ended => [|/eqP z0t]; [by right | left].
rewrite -share_eq0 // eq_le share0 andbT.
move: tie; rewrite -z0t ler_subr_addr ger_addl pmulr_rle0 //.
by rewrite subr_gt0 ltr1n.
Qed.

Lemma run_on_line rest s st : all (@proper R) rest -> on_line s st ->
  on_line (s ++ [seq ae.1 | ae <- rest]) (foldl (scaled_step M) st rest).
Proof.
elim: rest s st => [|ae rest IH] s st /=; first by rewrite cats0.
by move=> /andP[ok all_ok] ol; rewrite -cat_rcons; apply: IH => //; apply: step_on_line.
Qed.

Lemma run_end rest s st : all (@proper R) rest -> on_line s st ->
  at_the_end s st || (rest != [::]) && (z_0 st == top st) ->
  at_the_end (s ++ [seq ae.1 | ae <- rest]) (foldl (scaled_step M) st rest).
Proof.
elim: rest s st => [|ae rest IH] s st /=; first by rewrite cats0 orbF.
move=> /andP[ok all_ok] ol ended; rewrite -cat_rcons; apply: IH => //.
  exact: step_on_line.
by rewrite step_end.
Qed.
End Loop.

(* Algorithm 3 for at least three attributes. *)
Section Algorithm3.
Variables (R : realFieldType) (first second : nat * R) (rest : seq (nat * R)).
Hypothesis first_ok : proper first.
Hypothesis second_ok : proper second.
Hypothesis rest_ok : all (@proper R) rest.
Hypothesis three : rest != [::].
Add Field R_is_field_once_more : (field_of R).

Notation attributes := [:: first, second & rest].
Notation k := (size attributes).
Notation to_the_letter := (literal first second rest).
Notation run := (scaled first second rest).

(* The sizes, the achieved e^{eps_i}, and their flip probabilities.                    *)
Definition size_list := [seq ae.1 | ae <- attributes].
Definition a (i : 'I_k) : nat := nth 0%N size_list i.
Definition achieved (i : 'I_k) : R := nth 0 (reached to_the_letter) i.
Definition q (i : 'I_k) : R := ((a i)%:R - 1) / (achieved i + ((a i)%:R - 1)).

(* The mechanism that it returns: a record with no flip, with a flip of attribute i    *)
(* alone and with more flips has a probability in the ratio x_{k,0} to x_{k,i} to 1.   *)
Definition ratio (S : {set 'I_k}) : R :=
  if S == set0 then x_0 to_the_letter
  else if [pick i | S == [set i]] is Some i then nth 0 (x_j to_the_letter) i else 1.
Definition heuristic S : R := ratio S / E a ratio.

(* From the closed form for the first two through the loop. *)
Lemma run_fine : exists M, [/\ 0 < M, on_line M size_list run & at_the_end M size_list run].
Proof.
rewrite /size_list /scaled.
case: first second first_ok second_ok => [m E1] [n E2] ok1 ok2.
have [/= m1 e1] := andP ok1; have [/= n1 e2] := andP ok2.
case x_eq: (closed_form m n E1 E2) => [[x0 x1] x2].
have [] := closed_form_shares m1 n1 e1 e2 x_eq; have := closed_form_end x_eq.
set M := (X in scaled_step X).
set z0 := (x0 - 1) / _; set z1 := (x1 - 1) / _; set z2 := (x2 - 1) / _.
move=> ended z1_eq z2_eq /andP[z1_ge0 z1_le] /andP[z2_ge0 z2_le].
have w1 : need (m, E1) <= M by rewrite -share_ge0 // -z1_eq.
have w2 : need (n, E2) <= M by rewrite -share_ge0 // -z2_eq.
have M_gt0 : 0 < M by apply: lt_le_trans (need_gt0 ok1) w1.
set st := Scaled _ _ _ _ _.
have ol : on_line M [:: m; n] st.
  split=> //=.
  - by rewrite -z1_eq -z2_eq.
  - by rewrite ok1 ok2 w1 w2.
  - by rewrite /single_flips /= !big_cons big_nil addr0 addrA.
  by rewrite !le_maxr !lexx z1_ge0 orbT /= le_maxl z1_le.
exists M; split=> //; first exact: (run_on_line M_gt0 rest_ok ol).
apply: (run_end M_gt0 rest_ok ol); rewrite three /at_the_end /=.
rewrite -!share_eq0 // -z1_eq -z2_eq orbF.
case/or4P: ended => [->|->|/eqP e|/eqP e]; rewrite ?orbT //.
  by rewrite e (max_idPl _) ?eqxx ?orbT // -e.
by rewrite e (max_idPr _) ?eqxx ?orbT // -e.
Qed.

Lemma achieved_scaled : reached to_the_letter = reached' run.
Proof. by have [_ _ ->] := algorithm_3_scaled first_ok second_ok rest_ok. Qed.

Lemma size_achieved : size (zip size_list (reached' run)) = k.
Proof.
by have [M [_ [e _ _ _ _] _]] := run_fine; rewrite size_zip -e minnn size_map.
Qed.

Lemma size_masses : size (z_j run) = k.
Proof. by have [M [_ [_ -> _ _ _] _]] := run_fine; rewrite size_map size_achieved. Qed.

Lemma nth_achieved (i : 'I_k) :
  nth (0%N, 0) (zip size_list (reached' run)) i = (a i, achieved i).
Proof.
have [M [_ [e _ _ _ _] _]] := run_fine.
by rewrite nth_zip // /achieved achieved_scaled.
Qed.

Lemma mem_achieved i : (a i, achieved i) \in zip size_list (reached' run).
Proof. by rewrite -nth_achieved mem_nth ?size_achieved. Qed.

Lemma achieved_proper i : proper (a i, achieved i).
Proof.
have [M [_ [_ _ /allP fine _ _] _]] := run_fine.
by have /andP[] := fine _ (mem_achieved i).
Qed.

Lemma a_gt1 i : (1 < a i)%N. Proof. by have /andP[] := achieved_proper i. Qed.

Lemma T_neq0 : T R a != 0.
Proof. by rewrite gt_eqF // T_gt0 // => i; apply: ltnW (a_gt1 i). Qed.

Lemma q_gt0 i : 0 < q i.
Proof.
have /andP[/= a1 e1] := achieved_proper i.
have b_gt0 : 0 < (a i)%:R - 1 :> R by rewrite subr_gt0 ltr1n.
by rewrite divr_gt0 // addr_gt0 // (lt_trans ltr01).
Qed.

(* w_i and z_i of the line are those of the algorithm. *)
Lemma w_achieved i : w a q i = need (a i, achieved i).
Proof.
have [/= a0 b0 eb0] := parts_neq0 (achieved_proper i).
by rewrite /w /d /p /sizeof /q /need /=; fields R.
Qed.

Lemma z_achieved M i : z a q M i = share M (a i, achieved i).
Proof.
have [/= a0 b0 eb0] := parts_neq0 (achieved_proper i).
rewrite /z w_achieved /share mulrC; congr (_ * _).
have -> : (a i)%:R * (1 + need (a i, achieved i)) = achieved i + ((a i)%:R - 1).
  by rewrite /need /=; fields R.
by rewrite /q /b; fields R.
Qed.

Lemma q_le i : q i <= p R a i.
Proof.
rewrite -subr_ge0 -/(d a q i) -(qw _ q_gt0) w_achieved.
by rewrite ltW // mulr_gt0 ?q_gt0 ?need_gt0 ?achieved_proper.
Qed.

(* Its masses are those of the line at M = w_*. *)
Lemma run_left : exists2 star, forall i, w a q i <= w a q star & let M := w a q star in
  [/\ z_0 run = z0 a q M, forall i : 'I_k, nth 0 (z_j run) i = z a q M i
    & forall i, z a q M i <= z0 a q M].
Proof.
have [M [_ [_ zj /allP fine total /and3P[/allP tops _ tz]]]] := run_fine.
case/hasP=> ae /(nthP (0%N, 0))[j]; rewrite size_achieved => jk <-.
have -> := nth_achieved (Ordinal jk); set star := Ordinal jk => /eqP starM.
have masses (i : 'I_k) : nth 0 (z_j run) i = z a q M i.
  by rewrite zj (nth_map (0%N, 0)) ?size_achieved // nth_achieved z_achieved.
have z0_eq : z_0 run = z0 a q M.
  apply: (addIr (\sum_i b R a i * z a q M i)).
  rewrite (mass_total a_gt1 q_gt0) [RHS]total; congr (_ + _).
  rewrite /single_flips (big_nth (0%N, 0)) big_mkord size_zip size_masses size_map minnn.
  by apply: eq_bigr => i _; rewrite nth_zip ?size_map ?size_masses //= masses.
exists star => [i|]; rewrite [w a q star]w_achieved starM.
  by rewrite w_achieved; have /andP[] := fine _ (mem_achieved i).
split=> // i; rewrite -masses -z0_eq (le_trans _ tz) // tops //.
by rewrite mem_nth ?size_masses.
Qed.

Lemma T_eq : T R a = product R size_list.
Proof. by rewrite /product (big_nth 0%N) size_map big_mkord; apply: eq_bigr. Qed.

Lemma x_0_scaled : x_0 to_the_letter = 1 + T R a * z_0 run.
Proof.
have [-> _ _ _] := algorithm_3_scaled first_ok second_ok rest_ok.
by rewrite -T_eq mulrC mulfVK ?T_neq0 // addrC subrK.
Qed.

Lemma x_j_scaled (i : 'I_k) : nth 0 (x_j to_the_letter) i = 1 + T R a * nth 0 (z_j run) i.
Proof.
have [_ x_eq _ _] := algorithm_3_scaled first_ok second_ok rest_ok.
have := size_masses; rewrite x_eq size_map => size_x.
by rewrite (nth_map 0) ?size_x // -T_eq mulrC mulfVK ?T_neq0 // addrC subrK.
Qed.

(* Theorem (chapter 7, "Where is the heuristic?"). At its achieved levels the          *)
(* heuristic is the left end of the line, for all k >= 3: where attribute * has the    *)
(* largest w_i, its mechanism is that of the line at M = w_*. The z_0 and z_i of the   *)
(* algorithm are those of the line, x_{k,0} = 1 + T z_0, and no z_i is above z_0.      *)
Theorem ends_at_the_left_end :
  exists2 star, forall i, w a q i <= w a q star & let M := w a q star in
  [/\ heuristic =1 line a q M, x_0 to_the_letter = 1 + T R a * z0 a q M,
      z_0 run = z0 a q M, forall i : 'I_k, nth 0 (z_j run) i = z a q M i
    & forall i, z a q M i <= z0 a q M].
Proof.
have [star largest [z0_eq z_eq z_le]] := run_left; exists star => //.
set M := w a q star in z0_eq z_eq z_le *.
have M_ge0 : 0 <= M by exact: w_ge0 q_gt0 q_le star.
have M1 : 1 + M != 0 by rewrite gt_eqF // ltr_paddr ?ltr01.
have x0_eq : x_0 to_the_letter = 1 + T R a * z0 a q M by rewrite x_0_scaled z0_eq.
have ratio_eq S : ratio S = 1 + T R a * mass a q M S.
  move: S; apply: (mass_cases (P := fun S m => ratio S = 1 + T R a * m)).
  - by rewrite /ratio eqxx.
  - move=> i; rewrite /ratio set1_neq0; case: pickP => [j /eqP/set1_inj<-|/(_ i)].
      by rewrite x_j_scaled z_eq.
    by rewrite eqxx.
  move=> S two; rewrite /ratio mulr0 addr0; case: eqP => [S0|_].
    by rewrite S0 cards0 in two.
  by case: pickP => // i /eqP Si; rewrite Si cards1 in two.
have total : E a ratio = 1 + M.
  have := line_total a_gt1 q_gt0 M_ge0.
  rewrite (eq_E _ (_ : _ =1 fun S => (1 + M)^-1 * ratio S)) => [|S].
    by rewrite E_scale => e; apply: (mulfI (invr_neq0 M1)); rewrite e mulVf.
  by rewrite /line ratio_eq mulrC.
by split=> // S; rewrite /heuristic total ratio_eq.
Qed.

(* Theorem (chapter 7, what the heuristic returns). For all k >= 3, whatever was       *)
(* asked, this is a symmetric mechanism. Its flip probabilities are exactly those of   *)
(* the achieved levels, and its overall level is log x_{k,0}, not more and not less.   *)
Theorem heuristic_mechanism : [/\ density a heuristic, forall i, rate a heuristic i = q i,
  has_level (x_0 to_the_letter) heuristic
  & forall x, has_level x heuristic -> x_0 to_the_letter <= x].
Proof.
have [star largest [f_eq -> _ _ z_le]] := ends_at_the_left_end.
set M := w a q star in f_eq z_le *.
have M_ge0 : 0 <= M by exact: w_ge0 q_gt0 q_le star.
have z_ge0 i : 0 <= z a q M i.
  by rewrite z_achieved share_ge0 ?achieved_proper // -!w_achieved largest.
have z0_ge0 := le_trans (z_ge0 star) (z_le star).
have [f_ge0 f_total] := line_mechanism a_gt1 q_gt0 M_ge0 z_ge0 z_le z0_ge0.
split; first split.
- by move=> S; rewrite f_eq.
- by rewrite (eq_E _ f_eq).
- move=> i; rewrite -[RHS](line_rate a_gt1 q_gt0 M_ge0).
  by apply: eq_E => S; rewrite f_eq.
- move=> S S'; rewrite !f_eq; exact: (line_level a_gt1 M_ge0).
move=> x /(_ set0 setT); rewrite !f_eq /line mass_empty.
have -> : mass a q M setT = 0.
  apply: (@mass_cases _ _ a q M (fun S m => (1 < #|S|)%N -> m = 0)) => //.
  - by rewrite cards0.
  - by move=> i; rewrite cards1.
  by rewrite cardsT card_ord.
by rewrite mulr0 addr0 mulrA mulr1 ler_pmul2r // invr_gt0 ltr_paddr ?ltr01.
Qed.

(* Theorem (chapter 7, "When the heuristic is optimal"). Let k >= 3, and let q_i, w_i, *)
(* z_i belong to the achieved levels of Algorithm 3.                                   *)
(* 1. If sum q_i <= 1, its overall level is the smallest that any symmetric mechanism  *)
(*    with these levels can have, or any other one whose flip rates are at most q_i.   *)
(* 2. If sum q_i > 1 and z_0 > max z_i, it is not: some symmetric mechanism with the   *)
(*    same flip probabilities has a smaller one.                                       *)
Theorem heuristic_optimal :
  (\sum_i q i <= 1 -> optimal a q heuristic (x_0 to_the_letter))
  /\ (1 < \sum_i q i -> (forall i : 'I_k, nth 0 (z_j run) i < z_0 run) ->
      exists f x, [/\ density a f, forall i, rate a f i = q i, has_level x f
        & x < x_0 to_the_letter]).
Proof.
have [mech rates level _] := heuristic_mechanism.
have [star largest [_ x0_eq z0_eq z_eq z_le]] := ends_at_the_left_end.
split=> [q1|q1 strict].
  split=> //; rewrite x0_eq.
  by have [_ _ _] := left_end a_gt1 q_gt0 q_le largest q1 z_le.
rewrite x0_eq; apply: (left_end_not_optimal a_gt1 q_gt0 q_le largest q1) => i.
by rewrite -z_eq -z0_eq.
Qed.
End Algorithm3.
