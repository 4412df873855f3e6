(* ========================================================================== *)
(* Chapter 1, One answer: randomized response is a mixture, and no mechanism  *)
(* of its level tells the truth more often.                                   *)
(*                                                                            *)
(* An answer has a = #|A| values; E stands for e^epsilon.                     *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section RandomizedResponse.
Variables (R : realFieldType) (A : finType).

Definition a : R := #|A|%:R.

(* eq. grr: P_uv = e^epsilon/(e^epsilon + a - 1) if u = v, and
   1/(e^epsilon + a - 1) if u <> v *)
Definition randomized_response (E : R) (u v : A) : R :=
  if u == v then E / (E + a - 1) else 1 / (E + a - 1).

(* eq. flip: q = (a - 1)/(e^epsilon + a - 1) *)
Definition flip_probability (E : R) : R := (a - 1) / (E + a - 1).

(* thm-mixture: "Let w = (e^epsilon - 1)/a. Answering a uniformly random value
   with probability 1/(1+w), and the truth otherwise": the random value is u
   with probability 1/a, and the truth is u if u = v. *)
Definition w (E : R) : R := (E - 1) / a.
Definition mixture (E : R) (u v : A) : R :=
  1 / (1 + w E) * (1 / a) + (1 - 1 / (1 + w E)) * (u == v)%:R.

Variable E : R.
Implicit Types (P : A -> A -> R) (u v : A).

Section NotEmpty.
Hypothesis someA : (0 < #|A|)%N.

Let a0 : 0 < a. Proof. by rewrite ltr0n. Qed.
Let a1 : 1 <= a. Proof. by rewrite ler1n. Qed.

Lemma denominator_gt0 : 0 < E -> 0 < E + a - 1.
Proof. by move=> E0; rewrite -addrA ltr_paddr // subr_ge0. Qed.

(* the mixture is one: its two probabilities are between 0 and 1 *)
Lemma mixture_weight : 1 <= E -> 0 < 1 / (1 + w E) <= 1.
Proof.
move=> E1; have w0 : 0 <= w E by rewrite divr_ge0 ?subr_ge0 // ltW.
have w1 : 0 < 1 + w E by rewrite (lt_le_trans ltr01) // ler_addl.
by rewrite div1r invr_gt0 w1 /= invf_le1 // ler_addl.
Qed.

(* w is the odds of telling the truth outright against drawing at random *)
Lemma mixture_odds : 1 <= E -> 1 - 1 / (1 + w E) = w E * (1 / (1 + w E)).
Proof.
move=> E1; have /andP[pos _] := mixture_weight E1.
have ne : 1 + w E != 0 by move: pos; rewrite div1r invr_gt0 => /gt_eqF ->.
by apply: (mulIf ne); rewrite mulrBl !mul1r -mulrA !mulVf // mulr1 addrC addKr.
Qed.

(* ------------------------------------------------------------------------ *)
(* thm-mixture, Randomized response is a mixture:                             *)
(* Let w = (e^epsilon - 1)/a.  Answering a uniformly random value with        *)
(* probability 1/(1+w), and the truth otherwise, is the mechanism grr.        *)
(* ------------------------------------------------------------------------ *)
Theorem randomized_response_is_mixture u v :
  0 < E -> mixture E u v = randomized_response E u v.
Proof.
move=> E0; have D0 := denominator_gt0 E0; rewrite /mixture /randomized_response.
have -> : 1 / (1 + w E) = a / (E + a - 1).
  have -> : 1 + w E = (E + a - 1) / a.
    by apply: (mulIf (lt0r_neq0 a0)); rewrite mulrDl mul1r !divfK ?gt_eqF // addrCA addrA.
  by rewrite div1r invf_div.
have -> : a / (E + a - 1) * (1 / a) = 1 / (E + a - 1).
  by rewrite mul1r mulrAC mulfV ?gt_eqF.
case: eqP => _; rewrite ?mulr0 ?addr0 // mulr1.
rewrite -{3}(divff (lt0r_neq0 D0)) -mulrBl -mulrDl; congr (_ / _).
by rewrite addrAC addrK addrC subrK.
Qed.

(* It is a mechanism, has level epsilon and flips with probability q. *)
Lemma randomized_response_mechanism :
  0 < E -> mechanism (randomized_response E).
Proof.
move=> E0; have D0 := denominator_gt0 E0; split=> [u v | v].
  by rewrite /randomized_response; case: eqP => _; rewrite divr_ge0 ?(ltW E0) ?(ltW D0) ?ler01.
rewrite (bigD1 v) //= /randomized_response eqxx.
rewrite (eq_bigr (fun=> 1 / (E + a - 1))) => [|u /negbTE -> //].
rewrite sumr_const cardC1 -mulr_natl mulrA mulr1 -mulrDl.
have -> : #|A|.-1%:R = a - 1 :> R by rewrite /a -{2}(prednK someA) mulrS addrC addKr.
by rewrite addrA divff ?gt_eqF.
Qed.

Lemma randomized_response_level :
  1 <= E -> level E (randomized_response E).
Proof.
move=> E1 u v v'; have E0 : 0 < E := lt_le_trans ltr01 E1.
have D0 := denominator_gt0 E0; rewrite /randomized_response.
case: eqP => _; case: eqP => _; rewrite ?mulrA ?mulr1 //.
- by rewrite ler_pmul2r ?invr_gt0 // ler_pmulr.
- by rewrite ler_pmul2r ?invr_gt0 // (le_trans E1) // ler_pmulr.
- by rewrite ler_pmul2r ?invr_gt0.
Qed.

Lemma randomized_response_flips v : 0 < E ->
  \sum_(u | u != v) randomized_response E u v = flip_probability E.
Proof.
move=> E0; have [_ /(_ v)] := randomized_response_mechanism E0.
rewrite (bigD1 v) //= => /(canRL (addKr _)) ->; rewrite addrC.
have D0 := denominator_gt0 E0; rewrite /randomized_response eqxx.
rewrite -{1}(divff (lt0r_neq0 D0)) -mulrBl; congr (_ / _).
by apply/eqP; rewrite subr_eq -addrA addrC.
Qed.

(* Randomized response has an inverse, unless E = 1 (in the proof of
   price-thm-lunch). *)
Definition undo_response (u v : A) : R := ((E + a - 1) * (u == v)%:R - 1) / (E - 1).

Lemma randomized_response_inverse u v : 1 < E ->
  \sum_t randomized_response E u t * undo_response t v = (u == v)%:R.
Proof.
move=> E1; have D0 := lt0r_neq0 (denominator_gt0 (lt_trans ltr01 E1)).
have e0 : E - 1 != 0 by rewrite subr_eq0 gt_eqF.
have rrE t : randomized_response E u t = (1 + (E - 1) * (t == u)%:R) / (E + a - 1).
  rewrite /randomized_response eq_sym; case: eqP => _; rewrite ?mulr0 ?addr0 // mulr1.
  by rewrite [1 + _]addrC subrK.
have one (x : A) (F : A -> R) : \sum_t (t == x)%:R * F t = F x.
  by rewrite (bigD1 x) //= eqxx mul1r big1 ?addr0 // => t /negbTE ->; rewrite mul0r.
apply: (mulIf e0); apply: (mulIf D0); rewrite !mulr_suml.
pose F t := (E + a - 1) * (t == v)%:R - 1.
transitivity (\sum_t (F t + (E - 1) * ((t == u)%:R * F t))).
  apply: eq_bigr => t _; rewrite rrE /undo_response -/(F t).
  by rewrite [_ / _ * _]mulrA divfK // mulrAC divfK // mulrDl mul1r -mulrA.
rewrite big_split /= -mulr_sumr one /F sumrB -mulr_sumr.
rewrite (eq_bigr _ (fun t _ => esym (mulr1 _))) (one v (fun=> 1)) mulr1 sumr_const -/a.
rewrite mulrBr mulr1 [X in X + _](_ : _ = E - 1); last by rewrite addrAC addrK.
by rewrite addrC subrK [RHS]mulrAC mulrC [_%:R * _]mulrC.
Qed.

(* ------------------------------------------------------------------------ *)
(* thm-single, No more truth at this level:                                   *)
(* Every mechanism of level epsilon with answers in 0, ..., a-1 tells the     *)
(* truth, averaged over the a truths, with probability at most                *)
(* e^epsilon/(e^epsilon + a - 1).                                             *)
(* ------------------------------------------------------------------------ *)
Theorem no_more_truth P : mechanism P -> level E P ->
  (\sum_u P u u) / a <= E / (E + a - 1).
Proof.
move=> mP lP; have /card_gt0P [v0 _] := someA.
have E1 := level_ge1 v0 mP lP; have D0 := denominator_gt0 (lt_le_trans ltr01 E1).
have [P0 P1] := mP.
rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // [X in X <= _]mulrC.
have all_entries : \sum_u \sum_v P u v = a.
  by rewrite exchange_big /= (eq_bigr _ (fun v _ => P1 v)) sumr_const.
have one_row u : (a - 1) * P u u <= E * (\sum_v P u v - P u u).
  rewrite (bigD1 u) //= addrAC subrr add0r mulr_sumr.
  have -> : (a - 1) * P u u = \sum_(v | v != u) P u u.
    rewrite sumr_const cardC1 -[P u u *+ _]mulr_natl; congr (_ * _).
    by rewrite /a -{1}(prednK someA) mulrS addrC addKr.
  by apply: ler_sum => v _; apply: lP.
have : \sum_u (a - 1) * P u u <= \sum_u E * (\sum_v P u v - P u u).
  exact: ler_sum.
rewrite -!mulr_sumr sumrB all_entries mulrBr ler_subr_addr -mulrDl.
by rewrite addrC addrA.
Qed.

(* randomized response attains it *)
Lemma randomized_response_truth : 0 < E ->
  (\sum_u randomized_response E u u) / a = E / (E + a - 1).
Proof.
move=> E0; rewrite /randomized_response (eq_bigr (fun=> E / (E + a - 1))).
  by rewrite sumr_const -[X in X / a]mulr_natl mulrAC mulfV ?mul1r // gt_eqF.
by move=> u _; rewrite eqxx.
Qed.

End NotEmpty.
End RandomizedResponse.
