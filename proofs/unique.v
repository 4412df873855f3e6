(* ========================================================================== *)
(* Chapters 2 and 16: neighbours never learn less, and only the Kronecker     *)
(* mechanism has neighbour levels equal to its attribute levels.  First for   *)
(* any mechanism (chapter 16), then for symmetric ones (chapter 2).           *)
(*                                                                            *)
(* Attribute i has the values A i, at least two; E i stands for e^(epsilon_i) *)
(* and N i for e^(n_i).                                                       *)
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

Let size_gt1 i : 0 < sizeof i - 1.
Proof. by rewrite subr_gt0 ltr1n; apply: two_values. Qed.

(* price-rate: e^(epsilon_i) = (a_i - 1) (1 - Q_i) / Q_i, where Q_i is the flip rate *)
Definition rate_level P i : R := (sizeof i - 1) * ((1 - flip_rate P i) / flip_rate P i).

(* -------------------------------------------------------------------------- *)
(* One attribute of any mechanism.                                            *)
(* -------------------------------------------------------------------------- *)
Section AnyMechanism.
Variables (P : record A -> record A -> R) (i : I).
Hypothesis mP : mechanism P.

Let T : R := #|{: record A}|%:R.
Let Q : R := flip_rate P i.

Let T0 : 0 < T.
Proof. by rewrite ltr0n; apply/card_gt0P; exists (some_record two_values). Qed.

Lemma rate_flipped : \sum_(u : record A) \sum_(v : record A | v i != u i) P u v = T * Q.
Proof.
rewrite /Q /flip_rate mulrC divfK ?gt_eqF //; apply: eq_bigr => u _.
rewrite big_mkcond; apply: eq_bigr => v _; rewrite inE eq_sym.
by case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma rate_kept : \sum_(u : record A) \sum_(v : record A | v i == u i) P u v = T * (1 - Q).
Proof.
have all : \sum_u \sum_v P u v = T.
  by rewrite exchange_big /= (eq_bigr _ (fun v _ => mP.2 v)) sumr_const.
rewrite mulrBr mulr1 -rate_flipped -all -sumrB; apply: eq_bigr => u _.
by rewrite [X in _ = X - _](bigID (fun v : record A => v i == u i)) /= addrK.
Qed.

(* each v that differs from z in attribute i comes from one that does not *)
Lemma sum_changed (F : record A -> R) (z : A i) :
  \sum_(v : record A | v i == z) \sum_(x | x != z) F (put v x) =
  \sum_(v : record A | v i != z) F v.
Proof.
rewrite pair_big_dep /= [RHS](reindex_onto (fun t : record A * A i => put t.1 t.2)
  (fun v => (put v z, v i))) /= => [|v _]; last by rewrite put_put put_id.
apply: eq_bigl => -[v x] /=; rewrite put_same put_put andbC; congr (_ && _).
by apply/eqP/eqP => [<- | [<-]]; rewrite ?put_id ?put_same.
Qed.

(* what is missing in P_uv <= E P_uv', summed over all u, all v with v_i = u_i
   and all v' that differ from v in attribute i only *)
Lemma sum_missing E :
  \sum_(u : record A) \sum_(v : record A | v i == u i) \sum_(x | x != u i)
    (E * P u (put v x) - P u v) =
  T * (E * Q - (sizeof i - 1) * (1 - Q)).
Proof.
rewrite mulrBr mulrCA -rate_flipped [T * (_ * _)]mulrCA -rate_kept !mulr_sumr -sumrB.
apply: eq_bigr => u _; rewrite -sum_changed !mulr_sumr -sumrB; apply: eq_bigr => v _.
rewrite sumrB mulr_sumr; congr (_ - _).
by rewrite sumr_const cardC1 -mulr_natl -subn1 natrB // ltnW.
Qed.

Section Neighbours.
Variable N : R.
Hypothesis nb : neighbour_level_le N i P.

Let missing_ge0 u v (x : A i) : 0 <= N * P u (put v x) - P u v.
Proof. by rewrite subr_ge0; apply: nb => j ji; rewrite put_other. Qed.

Lemma neighbours_no_division : (sizeof i - 1) * (1 - Q) <= N * Q.
Proof.
rewrite -subr_ge0 -(pmulr_rge0 _ T0) -sum_missing.
by do 3!(apply: sumr_ge0 => ? _).
Qed.

(* ------------------------------------------------------------------------ *)
(* price-thm-lunch, Only the Kronecker mechanism holds neighbours to the      *)
(* attribute levels, first part, for any mechanism:                           *)
(* Let n_i < infinity.  Then Q_i > 0 and n_i >= epsilon_i.                    *)
(* ------------------------------------------------------------------------ *)
Theorem neighbours_any : 0 < flip_rate P i /\ rate_level P i <= N.
Proof.
have Q_gt0 : 0 < Q.
  rewrite -(pmulr_rgt0 _ T0) -rate_flipped lt_def.
  rewrite (_ : 0 <= _); last by do 2!(apply: sumr_ge0 => ? _); apply: mP.1.
  rewrite andbT rate_flipped; apply/eqP => TQ; have := neighbours_no_division.
  have -> : Q = 0 by apply: (mulfI (lt0r_neq0 T0)); rewrite TQ mulr0.
  by rewrite subr0 mulr1 mulr0 leNgt size_gt1.
split=> //; rewrite /rate_level mulrA ler_pdivr_mulr //.
exact: neighbours_no_division.
Qed.

(* If n_i <= epsilon_i, nothing is missing: each flip of attribute i divides the
   probability by e^(epsilon_i), whatever the other attributes do. *)
Theorem flip_divides u v (x : A i) : N <= rate_level P i -> v i = u i -> x != u i ->
  P u v = rate_level P i * P u (put v x).
Proof.
move=> le vu xu; have [Q_gt0 ge] := neighbours_any.
have <- : N = rate_level P i by apply/eqP; rewrite eq_le le ge.
have missing0 : \sum_(u : record A) \sum_(v : record A | v i == u i) \sum_(x | x != u i)
    (N * P u (put v x) - P u v) = 0.
  apply/eqP; rewrite eq_le andbC; apply/andP; split.
    by do 3!(apply: sumr_ge0 => ? _).
  rewrite sum_missing pmulr_rle0 // subr_le0 -ler_pdivl_mulr // -mulrA.
  exact: le.
have missing_v u' v' := sumr_ge0 (index_enum _) (P := fun x : A i => x != u' i)
  (fun x' _ => missing_ge0 u' v' x').
have missing_u u' := sumr_ge0 (index_enum _) (P := fun v' : record A => v' i == u' i)
  (fun v' _ => missing_v u' v').
have /(_ u isT) u0 := psumr_eq0P (fun u' _ => missing_u u') missing0.
have /(_ v (introT eqP vu)) v0 := psumr_eq0P (fun v' _ => missing_v u v') u0.
have /(_ x xu) := psumr_eq0P (fun x' _ => missing_ge0 u v x') v0.
by move/eqP; rewrite subr_eq0 => /eqP ->.
Qed.

End Neighbours.
End AnyMechanism.

(* -------------------------------------------------------------------------- *)
(* The Kronecker mechanism: attribute by attribute randomized response.       *)
(* -------------------------------------------------------------------------- *)
Definition one_by_one (E : I -> R) := kron (fun i => @randomized_response R (A i) (E i)).

(* each flip of attribute i divides the probability by E i *)
Definition each_flip_divides (E : I -> R) P := forall i u v (x : A i),
  v i = u i -> x != u i -> P u v = E i * P u (put v x).

Section OneByOne.
Variable E : I -> R.
Hypothesis E_ge1 : forall i, 1 <= E i.

Let E_gt0 i : 0 < E i. Proof. exact: lt_le_trans ltr01 (E_ge1 i). Qed.
Let some i : (0 < #|A i|)%N. Proof. exact/ltnW/two_values. Qed.

Lemma one_by_one_mechanism : mechanism (one_by_one E).
Proof. by apply: kron_mechanism => i; apply: randomized_response_mechanism. Qed.

Lemma one_by_one_truth u : one_by_one E u u = \prod_i (E i / (E i + mixture.a R (A i) - 1)).
Proof. by apply: eq_bigr => i _; rewrite /randomized_response eqxx. Qed.

Lemma one_by_one_truth_gt0 u : 0 < one_by_one E u u.
Proof.
by rewrite one_by_one_truth; apply: prodr_gt0 => i _; rewrite divr_gt0 ?denominator_gt0.
Qed.

Lemma one_by_one_divides : each_flip_divides E (one_by_one E).
Proof.
move=> i u v x vu xu; rewrite /one_by_one /kron (bigD1 i) //= [in RHS](bigD1 i) //= mulrA.
rewrite put_same /randomized_response vu eqxx [u i == x]eq_sym (negbTE xu) mulrA mulr1.
by congr (_ * _); apply: eq_bigr => j ji; rewrite put_other.
Qed.

Lemma one_by_one_level : smallest_level (\prod_i E i) (one_by_one E).
Proof.
apply: levels_add_up => i; first exact: randomized_response_mechanism.
apply: attained_smallest; first exact: randomized_response_level.
have [y yx] := other_value two_values (some_record two_values i).
exists (some_record two_values i), (some_record two_values i), y.
rewrite /randomized_response eqxx eq_sym (negbTE yx) mul1r; split=> //.
by rewrite invr_gt0 denominator_gt0.
Qed.

(* each row is a multiple of that of the Kronecker mechanism *)
Lemma rows_proportional P u v : each_flip_divides E P ->
  P u v * one_by_one E u u = P u u * one_by_one E u v.
Proof.
move=> divP; rewrite -(part_wayT u v); set w := part_way u v.
pose Q S := P u (w S) * one_by_one E u u = P u u * one_by_one E u (w S).
apply: (set_walk (Q := Q)) => [|i S iS]; rewrite /Q /w ?part_way0 // part_way_next.
have wi := part_way_before u v iS; have [vu | vu] := eqVneq (v i) (u i).
  by rewrite vu -wi put_id.
rewrite (divP i _ _ (v i)) // (one_by_one_divides wi vu) -mulrA [RHS]mulrCA.
exact/mulfI/lt0r_neq0.
Qed.

End OneByOne.

(* ------------------------------------------------------------------------ *)
(* price-thm-lunch, second part, for any mechanism:                           *)
(* If 0 < n_i <= epsilon_i for every attribute, P is the Kronecker mechanism, *)
(* attribute by attribute randomized response at the levels epsilon_i, and    *)
(* its overall level is epsilon_1 + ... + epsilon_k.                          *)
(* ------------------------------------------------------------------------ *)
Theorem only_kronecker_any P (N : I -> R) : mechanism P ->
    (forall i, neighbour_level_le (N i) i P) ->
    (forall i, 1 < N i <= rate_level P i) ->
  (forall u v, P u v = one_by_one (rate_level P) u v) /\
  smallest_level (\prod_i rate_level P i) P.
Proof.
move=> mP nb N_le; set E := rate_level P; pose K := one_by_one E.
have E_gt1 i : 1 < E i by have /andP[gt le] := N_le i; apply: lt_le_trans le.
have E_ge1 i : 1 <= E i := ltW (E_gt1 i).
have divP : each_flip_divides E P.
  by move=> i u v x; apply: (flip_divides mP (nb i)); have /andP[] := N_le i.
pose c u := P u u / K u u.
have PE u v : P u v = c u * K u v.
  by rewrite mulrAC -rows_proportional // mulfK // gt_eqF // one_by_one_truth_gt0.
have column v : \sum_u (c u - 1) * K u v = 0.
  rewrite (eq_bigr _ (fun u _ => mulrBl _ _ _)) sumrB.
  rewrite -(eq_bigr _ (fun u _ => PE u v)) (eq_bigr _ (fun u _ => mul1r _)).
  by rewrite mP.2 (one_by_one_mechanism E_ge1).2 subrr.
pose J := kron (fun i => @undo_response R (A i) (E i)).
have KJ u w : \sum_v K u v * J v w = (u == w)%:R.
  apply: kron_inverse => i x z; apply: randomized_response_inverse => //.
  exact/ltnW/two_values.
have c1 w : c w = 1.
  apply/eqP; rewrite -subr_eq0; apply/eqP.
  transitivity (\sum_u (c u - 1) * \sum_v K u v * J v w).
    rewrite (bigD1 w) //= KJ eqxx mulr1 big1 ?addr0 // => u uw.
    by rewrite KJ (negbTE uw) mulr0.
  rewrite (eq_bigr _ (fun u _ => mulr_sumr _ _ _ _)) exchange_big big1 //= => v _.
  by rewrite (eq_bigr _ (fun u _ => mulrA _ _ _)) -mulr_suml column mul0r.
have PK u v : P u v = K u v by rewrite PE c1 mul1r.
split=> //; have [lv min] : smallest_level (\prod_i E i) K := one_by_one_level E_ge1.
split=> [u v v' | E' lv']; first by rewrite !PK.
by apply: min => u v v'; rewrite -!PK.
Qed.

(* -------------------------------------------------------------------------- *)
(* Symmetric mechanisms.                                                      *)
(* -------------------------------------------------------------------------- *)

(* many-marginal: e^(epsilon_i) = (1 - q_i) / (q_i / (a_i - 1)), written without
   a division by q_i *)
Definition attribute_level (E : R) X i :=
  1 - flip (values A) X i = E * (flip (values A) X i / (sizeof i - 1)).

Section OneAttribute.
Variables (X : {set I} -> R) (P : record A -> record A -> R) (i : I).
Hypothesis sym : symmetric_with X P.
Hypothesis law : flip_law (values A) X.

Let mP : mechanism P := symmetric_mechanism sym law.
Let rate : flip_rate P i = flip (values A) X i := symmetric_flip_rate two_values sym i law.

(* many-def-levels: this is the ratio of Pr[U_i = x | V_i = x] to
   Pr[U_i = x | V_i = y], y <> x, the same for all x and y and for all truths v
   and v' that have these values of attribute i *)
Theorem attribute_level_ratio E (v v' : record A) : v i != v' i ->
  attribute_level E X i <-> one_column P (v i) v = E * one_column P (v i) v'.
Proof.
move=> vv'; rewrite !(attribute_needs_no_prior two_values sym _ _ law) eqxx.
by rewrite (negbTE vv').
Qed.

(* "epsilon_i is its attribute level" (below price-rate) *)
Lemma attribute_rate_level E :
  attribute_level E X i -> 0 < flip_rate P i -> E = rate_level P i.
Proof.
rewrite /attribute_level /rate_level -rate => -> /lt0r_neq0 q0.
have a0 := lt0r_neq0 (size_gt1 i).
by rewrite -[X in _ * X]mulrA [X in _ * (_ * X)]mulrAC divff // mul1r mulrCA mulfV ?mulr1.
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-lunch, first part (and the first inequality of many-thm-order):   *)
(* Every symmetric mechanism has n_i >= epsilon_i.                            *)
(*                                                                            *)
(* First without epsilon_i: if n_i is finite, q_i > 0 and                     *)
(* (1 - q_i)/(q_i/(a_i - 1)) is at most e^(n_i).                              *)
(* ------------------------------------------------------------------------ *)
Theorem neighbours_in_flips N : neighbour_level_le N i P ->
  0 < flip (values A) X i /\
  1 - flip (values A) X i <= N * (flip (values A) X i / (sizeof i - 1)).
Proof.
move=> nb; rewrite -rate; have [q0 _] := neighbours_any mP nb; split=> //.
rewrite mulrA ler_pdivl_mulr // mulrC.
exact: neighbours_no_division.
Qed.

Theorem neighbours_never_learn_less E N :
  attribute_level E X i -> neighbour_level_le N i P -> E <= N.
Proof.
move=> att nb; have [q0 le] := neighbours_any mP nb.
by rewrite (attribute_rate_level att q0).
Qed.

(* If n_i <= epsilon_i for this one attribute, all its ratios are equal:
   attribute i is randomized independently of the rest (ex-many-alone). *)
Theorem one_attribute_alone E : attribute_level E X i -> neighbour_level_le E i P ->
  forall S, i \notin S -> X S = E * X (i |: S).
Proof.
move=> att nb S iS; have [q0 _] := neighbours_any mP nb.
have eE := attribute_rate_level att q0; pose u := some_record two_values.
have [v eS] := some_truth two_values u S; have [x xu] := other_value two_values (u i).
have vu : v i = u i by apply/esym/eqP; move: iS; rewrite -eS inE negbK.
have := flip_divides mP nb _ vu xu; rewrite -eE => /(_ (lexx E)).
by rewrite !sym eS flipsC flips_put (negbTE xu) flipsC eS.
Qed.

End OneAttribute.

(* ------------------------------------------------------------------------ *)
(* many-thm-lunch, second part:                                               *)
(* If n_i <= epsilon_i for every attribute, it is the Kronecker mechanism of  *)
(* randomized responses at the levels epsilon_i, and its overall level is     *)
(* epsilon_1 + ... + epsilon_k.                                               *)
(* (Here a level may be 0: a symmetric mechanism needs no inverse.)           *)
(* ------------------------------------------------------------------------ *)
Section OnlyKronecker.
Variables (X : {set I} -> R) (P : record A -> record A -> R) (E : I -> R).
Hypothesis sym : symmetric_with X P.
Hypothesis law : flip_law (values A) X.
Hypothesis att : forall i, attribute_level (E i) X i.
Hypothesis nb : forall i, neighbour_level_le (E i) i P.

Let mP : mechanism P := symmetric_mechanism sym law.
Let E_ge1 i : 1 <= E i := neighbour_ge1 (some_record two_values) mP (@nb i).

Theorem only_kronecker : forall u v, P u v = one_by_one E u v.
Proof.
have divP : each_flip_divides E P.
  move=> i u v x vu xu; have [q0 _] := neighbours_any mP (@nb i).
  have eE := attribute_rate_level sym law (att i) q0.
  by rewrite eE; apply: (flip_divides mP (@nb i)) => //; rewrite eE.
pose k := \prod_i (E i / (E i + mixture.a R (A i) - 1)).
have row u v : P u v * k = X set0 * one_by_one E u v.
  by have := rows_proportional E_ge1 u v divP; rewrite one_by_one_truth (sym u u) flips_id.
have k0 : k != 0.
  by rewrite lt0r_neq0 // /k -(one_by_one_truth E (some_record two_values)) one_by_one_truth_gt0.
have kX : k = X set0.
  pose v := some_record two_values; rewrite -[k]mul1r -(mP.2 v) mulr_suml.
  rewrite (eq_bigr _ (fun u _ => row u v)) -mulr_sumr.
  by rewrite (one_by_one_mechanism E_ge1).2 mulr1.
by move=> u v; apply: (mulIf k0); rewrite row kX mulrC.
Qed.

Theorem only_kronecker_level : smallest_level (\prod_i E i) P.
Proof.
have [lv min] := one_by_one_level E_ge1.
split=> [u v v' | E' lv']; first by rewrite !only_kronecker.
by apply: min => u v v'; rewrite -!only_kronecker.
Qed.

End OnlyKronecker.
End Levels.
