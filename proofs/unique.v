(* ========================================================================== *)
(* Chapter 2, Many answers: neighbours never learn less, and only the         *)
(* Kronecker mechanism has neighbour levels equal to its attribute levels.    *)
(*                                                                            *)
(* Attribute i has the values A i, at least two; E i stands for e^(epsilon_i).*)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics symmetric mixture kronecker.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Levels.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Hypothesis two_values : forall i, (1 < #|A i|)%N.
Implicit Types (u v : record A) (S : {set I}) (X : {set I} -> R).
Implicit Types (P : record A -> record A -> R) (i : I).

Notation sizeof := (sizeof R (values A)).
Notation times := (times R (values A)).

(* many-marginal: e^(epsilon_i) = (1 - q_i) / (q_i / (a_i - 1)), written without
   a division by q_i *)
Definition attribute_level (E : R) X i :=
  1 - flip (values A) X i = E * (flip (values A) X i / (sizeof i - 1)).

Let size_gt1 i : 0 < sizeof i - 1.
Proof. by rewrite subr_gt0 ltr1n; apply: two_values. Qed.

Let times_nonneg S : 0 <= times S.
Proof. by apply: times_ge0 => i; apply/ltnW/two_values. Qed.

Section OneAttribute.
Variables (X : {set I} -> R) (P : record A -> record A -> R) (i : I).
Hypothesis sym : symmetric_with X P.
Hypothesis law : flip_law (values A) X.

(* many-def-levels: this is the ratio of Pr[U_i = x | V_i = x] to
   Pr[U_i = x | V_i = y], y <> x, the same for all x and y and for all truths v
   and v' that have these values of attribute i *)
Theorem attribute_level_ratio E (v v' : record A) : v i != v' i ->
  attribute_level E X i <-> one_column P (v i) v = E * one_column P (v i) v'.
Proof.
move=> vv'; rewrite !(attribute_needs_no_prior two_values sym _ _ law) eqxx.
by rewrite (negbTE vv').
Qed.

(* the neighbour level in the numbers X S *)
Lemma neighbour_ratio E S : neighbour_level_le E i P -> i \notin S ->
  X S <= E * X (i |: S).
Proof.
move=> nb iS; have := neighbour_in_numbers two_values sym nb S.
by rewrite /toggle (negbTE iS).
Qed.

Lemma marginal_sum : flip (values A) X i / (sizeof i - 1) =
  \sum_(S : {set I} | i \notin S) times S * X (i |: S).
Proof.
rewrite flip_pair mulr_suml; apply: eq_bigr => S _.
by rewrite [times S * (_ * _)]mulrCA [LHS]mulrC mulKf ?gt_eqF.
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-lunch, first part (and many-thm-order):                           *)
(* Every symmetric mechanism has n_i >= epsilon_i.                            *)
(* ------------------------------------------------------------------------ *)
Theorem neighbours_never_learn_less E N :
  attribute_level E X i -> neighbour_level_le N i P -> E <= N.
Proof.
have [X0 X1] := law; move=> att nb; pose c := flip (values A) X i / (sizeof i - 1).
have c_ge0 : 0 <= c.
  by rewrite /c marginal_sum sumr_ge0 // => S _; rewrite mulr_ge0.
have c_gt0 : 0 < c.
  rewrite lt_def c_ge0 andbT; apply/eqP => c0.
  have q0 : flip (values A) X i = 0.
    by apply/eqP; move/eqP: c0; rewrite /c mulf_eq0 invr_eq0 (gt_eqF (size_gt1 i)) orbF.
  move: att; rewrite /attribute_level -/c c0 q0 mulr0 subr0.
  by move/eqP; rewrite oner_eq0.
rewrite -(ler_pmul2r c_gt0) -att -(keep_pair i X1) /c marginal_sum mulr_sumr.
by apply: ler_sum => S iS; rewrite mulrCA ler_wpmul2l ?neighbour_ratio.
Qed.

(* If n_i <= epsilon_i for this one attribute, all its ratios are equal:
   attribute i is randomized independently of the rest (ex-many-alone). *)
Theorem one_attribute_alone E : attribute_level E X i -> neighbour_level_le E i P ->
  forall S, i \notin S -> X S = E * X (i |: S).
Proof.
have [X0 X1] := law; move=> att nb S iS.
have slack0 S' : i \notin S' -> 0 <= times S' * (E * X (i |: S') - X S').
  by move=> iS'; rewrite mulr_ge0 ?subr_ge0 ?neighbour_ratio.
have : \sum_(S' : {set I} | i \notin S') times S' * (E * X (i |: S') - X S') == 0.
  rewrite (eq_bigr _ (fun S' _ => mulrBr _ _ _)) sumrB (keep_pair i X1) att.
  rewrite marginal_sum mulr_sumr subr_eq0; apply/eqP; apply: eq_bigr => S' _.
  by rewrite mulrCA.
rewrite psumr_eq0 // => /allP /(_ S (mem_index_enum S)) /implyP /(_ iS).
rewrite mulf_eq0 gt_eqF ?times_gt0 //= subr_eq0 => /eqP.
by move=> ->.
Qed.

End OneAttribute.

(* ------------------------------------------------------------------------ *)
(* many-thm-lunch, second part:                                               *)
(* If n_i <= epsilon_i for every attribute, it is the Kronecker mechanism of  *)
(* randomized responses at the levels epsilon_i, and its overall level is     *)
(* epsilon_1 + ... + epsilon_k.                                               *)
(* ------------------------------------------------------------------------ *)
Section OnlyKronecker.
Variables (X : {set I} -> R) (P : record A -> record A -> R) (E : I -> R).
Hypothesis sym : symmetric_with X P.
Hypothesis law : flip_law (values A) X.
Hypothesis att : forall i, attribute_level (E i) X i.
Hypothesis nb : forall i, neighbour_level_le (E i) i P.

Definition one_by_one := kron (fun i => @randomized_response R (A i) (E i)).

Lemma E_ge1 i : 1 <= E i.
Proof.
have mP := symmetric_mechanism sym law; pose v := some_record two_values.
have : \sum_u P u v <= \sum_u E i * P u v by apply: ler_sum => u _; apply: nb.
by rewrite -mulr_sumr mP.2 mulr1.
Qed.

Let E_gt0 i : 0 < E i. Proof. exact: lt_le_trans ltr01 (E_ge1 i). Qed.

Lemma telescope (Y : {set I} -> R) S :
  (forall i S', i \notin S' -> Y S' = E i * Y (i |: S')) ->
  Y S * \prod_(i in S) E i = Y set0.
Proof.
move=> step; elim: {S}_.+1 {-2}S (ltnSn #|S|) => // m IH S Sm.
have [-> | [i iS]] := set_0Vmem S; first by rewrite big_set0 mulr1.
have iD : i \notin S :\ i by rewrite !inE eqxx.
rewrite -(IH (S :\ i)); last by rewrite (cardsD1 i) iS in Sm.
rewrite (step i (S :\ i)) // setD1K // -{2}(setD1K iS) big_setU1 //=.
by rewrite mulrA [E i * _]mulrC.
Qed.

(* the numbers of the Kronecker mechanism *)
Definition Y S : R := \prod_i
  (if i \in S then 1 / (E i + mixture.a R (A i) - 1) else E i / (E i + mixture.a R (A i) - 1)).

Lemma kron_symmetric : symmetric_with Y one_by_one.
Proof.
move=> u v; apply: eq_bigr => i _; rewrite /randomized_response inE.
by case: eqP.
Qed.

Lemma Y_step i S : i \notin S -> Y S = E i * Y (i |: S).
Proof.
move=> iS; rewrite /Y (bigD1 i) //= (negbTE iS) [in RHS](bigD1 i) //= setU11.
rewrite !mulrA mulr1; congr (_ * _); apply: eq_bigr => j ji.
by rewrite !inE (negbTE ji).
Qed.

Lemma one_by_one_mechanism : mechanism one_by_one.
Proof.
by apply: kron_mechanism => i; apply: randomized_response_mechanism => //; apply: ltnW.
Qed.

Lemma Y_law : \sum_S times S * Y S = 1.
Proof.
rewrite -(one_by_one_mechanism.2 (some_record two_values)) -(sum_flips Y (some_record two_values)).
by apply: eq_bigr => u _; rewrite kron_symmetric.
Qed.

Theorem only_kronecker : forall u v, P u v = one_by_one u v.
Proof.
move=> u v; rewrite sym kron_symmetric; set S := flips u v.
have X_step i S' : i \notin S' -> X S' = E i * X (i |: S').
  by move=> iS'; rewrite (one_attribute_alone sym law (att i) (@nb i) iS').
have same0 : X set0 = Y set0.
  have prop S' : X S' * Y set0 = Y S' * X set0.
    by rewrite -(telescope S' X_step) -(telescope S' Y_step) mulrCA.
  have : \sum_S' times S' * (X S' * Y set0) = \sum_S' times S' * (Y S' * X set0).
    by apply: eq_bigr => S' _; rewrite prop.
  rewrite (eq_bigr _ (fun S' _ => mulrA _ _ _)) -mulr_suml law.2 mul1r => ->.
  by rewrite (eq_bigr _ (fun S' _ => mulrA _ _ _)) -mulr_suml Y_law mul1r.
have prod_neq0 : \prod_(i in S) E i != 0.
  by apply/prodf_neq0 => i _; rewrite gt_eqF.
by apply: (mulIf prod_neq0); rewrite (telescope S X_step) (telescope S Y_step).
Qed.

Theorem only_kronecker_level : smallest_level (\prod_i E i) P.
Proof.
suff [lv min] : smallest_level (\prod_i E i) one_by_one.
  split=> [u v v' | E' lE']; first by rewrite !only_kronecker.
  by apply: min => u v v'; rewrite -!only_kronecker.
apply: levels_add_up => i.
  by apply: randomized_response_mechanism => //; apply: ltnW.
have s0 : (0 < #|A i|)%N by apply: ltnW.
apply: attained_smallest; first by apply: randomized_response_level => //; apply: E_ge1.
have [y yx] := other_value two_values (some_record two_values i).
exists (some_record two_values i), (some_record two_values i), y.
rewrite /randomized_response eqxx eq_sym (negbTE yx) mul1r; split=> //.
by rewrite invr_gt0 denominator_gt0.
Qed.

End OnlyKronecker.
End Levels.
