(* ========================================================================== *)
(* The words of the book: mechanisms, levels, records, flip sets.             *)
(*                                                                            *)
(* Everything is over any ordered field R.  A level epsilon never appears     *)
(* itself, only its exponential E = e^epsilon: levels that add up are here    *)
(* numbers E that multiply.                                                   *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* -------------------------------------------------------------------------- *)
(* Mechanisms and levels (chapter 1).                                         *)
(* P u v is the probability of the answer u when the truth is v.              *)
(* -------------------------------------------------------------------------- *)
Section Mechanism.
Variables (R : realFieldType) (U V : finType).
Implicit Types (P : U -> V -> R) (E : R).

(* a distortion matrix: entries are not negative, and its columns sum to 1 *)
Definition mechanism P :=
  (forall u v, 0 <= P u v) /\ (forall v, \sum_u P u v = 1).

(* def-ldp: "A randomized answer has level epsilon if for every possible
   answer u and every two truths v, v', P_uv <= e^epsilon P_uv'." *)
Definition level E P := forall u v v', P u v <= E * P u v'.

(* def-ldp: "The smallest such epsilon is the level of the mechanism." *)
Definition smallest_level E P :=
  level E P /\ forall E', level E' P -> E <= E'.

(* e^epsilon is at least 1: no level is negative (unless there is no truth) *)
Lemma level_ge1 P E (v : V) : mechanism P -> level E P -> 1 <= E.
Proof.
move=> [_ P1] lv; have s1 : \sum_u P u v <= \sum_u E * P u v by apply: ler_sum.
by move: s1; rewrite -mulr_sumr !P1 mulr1.
Qed.

End Mechanism.

(* -------------------------------------------------------------------------- *)
(* Records (chapter 2): attribute i has the values A i, and a record is a     *)
(* choice of one value for each attribute.                                    *)
(* -------------------------------------------------------------------------- *)
Section Records.
Variables (I : finType) (A : I -> finType).

Definition record := {dffun forall i : I, A i}.
Implicit Types (u v : record) (S : {set I}).

Lemma recordP u v : (forall i, u i = v i) -> u = v.
Proof. by move=> uv; apply/ffunP. Qed.

(* the record u with another value x of attribute i *)
Definition put_value u (i : I) (x : A i) (j : I) : A j :=
  match eqVneq i j with
  | EqNotNeq e => ecast j (A j) e x
  | NeqNotEq _ => u j
  end.
Definition put u (i : I) (x : A i) : record := [ffun j => put_value u x j].

Lemma put_same u i (x : A i) : put u x i = x.
Proof.
rewrite ffunE /put_value; case: eqVneq => [e|]; last by rewrite eqxx.
by rewrite eq_axiomK.
Qed.

Lemma put_other u i (x : A i) j : j != i -> put u x j = u j.
Proof.
by rewrite ffunE /put_value; case: eqVneq => [e|//] /negP[]; apply/eqP.
Qed.

Lemma put_id u i : put u (u i) = u.
Proof.
by apply: recordP => j; have [->|ji] := eqVneq j i; rewrite ?put_same ?put_other.
Qed.

Lemma put_put u i (x y : A i) : put (put u x) y = put u y.
Proof.
apply: recordP => j; have [->|ji] := eqVneq j i; first by rewrite !put_same.
by rewrite !put_other.
Qed.

(* many-def-flip: "The flip set of a released record u and a true record v is
   the set S of the attributes in which they differ." *)
Definition flips u v : {set I} := [set i | u i != v i].

Lemma flips_id u : flips u u = set0.
Proof. by apply/setP => i; rewrite !inE eqxx. Qed.

Lemma flipsC u v : flips u v = flips v u.
Proof. by apply/setP => i; rewrite !inE eq_sym. Qed.

Lemma flips_put u v i (x : A i) :
  flips (put u x) v = if x == v i then flips u v :\ i else i |: flips u v.
Proof.
apply/setP => j; case: ifP => xv; rewrite !inE;
  have [->|ji] /= := eqVneq j i; rewrite ?put_same ?put_other ?xv //.
Qed.

(* sums of products over all records are products of sums *)
Section Distr.
Variable R : comRingType.

Let tagged_record u : {ffun I -> {i : I & A i}} := [ffun i => Tagged A (u i)].

Let tagged_record_inj : injective tagged_record.
Proof.
move=> u v /ffunP uv; apply: recordP => i; move: (uv i); rewrite !ffunE.
by move/eqP; rewrite eq_Tagged /= => /eqP.
Qed.

Lemma sum_prod (F : forall i, A i -> R) :
  \sum_(u : record) \prod_i F i (u i) = \prod_i \sum_x F i x.
Proof.
pose Q i (j : {i : I & A i}) := tag j == i.
transitivity (\prod_i \sum_(j | Q i j) F (tag j) (tagged j)); last first.
  apply: eq_bigr => i _.
  transitivity (\sum_(j in [set Tagged A x | x in [set: A i]]) F (tag j) (tagged j)).
    apply: eq_bigl => -[i' x]; rewrite /Q /=; apply/eqP/imsetP => [e | [y _]].
      by subst i'; exists x; rewrite ?inE.
    by move=> /eqP; rewrite -tag_eqE /tag_eq /= => /andP[/eqP].
  rewrite big_imset /=; first by apply: eq_bigl => x; rewrite inE.
  by move=> x y _ _ /eqP; rewrite eq_Tagged => /eqP.
rewrite bigA_distr_big_dep.
transitivity (\sum_(f in [set tagged_record u | u in [set: record]])
                \prod_i F (tag (f i)) (tagged (f i))).
  rewrite big_imset /=; last by move=> u v _ _; apply: tagged_record_inj.
  apply: eq_big => [u|u _]; first by rewrite inE.
  by apply: eq_bigr => i _; rewrite ffunE.
apply: eq_bigl => f; apply/imsetP/familyP => [[u _ ->] i|ff].
  by rewrite ffunE unfold_in.
have tf i : tag (f i) = i by apply/eqP/ff.
exists [ffun i => ecast i (A i) (tf i) (tagged (f i))]; first by rewrite inE.
apply/ffunP => i; rewrite !ffunE.
case: (f i) (tf i) => i' x /= e; by subst i'.
Qed.

End Distr.

(* On the way from v to v', changing one attribute after the other: the
   attributes S have been changed already. *)
Definition part_way v v' S : record := [ffun i => if i \in S then v' i else v i].

Lemma part_way0 v v' : part_way v v' set0 = v.
Proof. by apply: recordP => i; rewrite ffunE inE. Qed.

Lemma part_wayT v v' : part_way v v' setT = v'.
Proof. by apply: recordP => i; rewrite ffunE inE. Qed.

Lemma part_way_before v v' i S : i \notin S -> part_way v v' S i = v i.
Proof. by move=> /negbTE iS; rewrite ffunE iS. Qed.

Lemma part_way_next v v' i S : part_way v v' (i |: S) = put (part_way v v' S) (v' i).
Proof.
apply: recordP => j; rewrite ffunE !inE; have [->|ji] /= := eqVneq j i.
  by rewrite put_same.
by rewrite put_other // ffunE.
Qed.

(* what holds at the start and is kept by each change holds at the end *)
Lemma set_walk (Q : {set I} -> Prop) :
  Q set0 -> (forall i S, i \notin S -> Q S -> Q (i |: S)) -> Q setT.
Proof.
move=> Q0 step; move: [set: I] => S; elim: {S}_.+1 {-2}S (ltnSn #|S|) => // m IH S Sm.
have [-> // | [i iS]] := set_0Vmem S; rewrite -(setD1K iS).
apply: step; first by rewrite setD11.
by apply: IH; rewrite (cardsD1 i) iS in Sm.
Qed.

End Records.

(* -------------------------------------------------------------------------- *)
(* Flip laws (chapter 2).  Attribute i has n i values; a symmetric mechanism  *)
(* is a number X S for each flip set S, the probability of each single        *)
(* release that differs from the truth exactly in S (many-thm-numbers).       *)
(* -------------------------------------------------------------------------- *)
Section FlipLaw.
Variables (R : realFieldType) (I : finType) (n : I -> nat).
Implicit Types (i j : I) (S : {set I}) (X F : {set I} -> R).

Definition sizeof i : R := (n i)%:R.

(* many-times: how many releases have flip set S, t_S *)
Definition times S : R := \prod_(i in S) (sizeof i - 1).

(* p_i, the chance that a uniformly random value is a flip *)
Definition p i : R := (sizeof i - 1) / sizeof i.

(* many-law: the numbers t_S X_S are probabilities *)
Definition flip_law X := (forall S, 0 <= X S) /\ \sum_S times S * X S = 1.

(* the flip probability of attribute i, q_i (many-thm-prior) *)
Definition flip X i : R := \sum_(S : {set I} | i \in S) times S * X S.

(* "A further flip never makes a record likelier" (lp-monotone) *)
Definition decreasing X := forall i S, X (i |: S) <= X S.

(* S with attribute i flipped the other way *)
Definition toggle i S := if i \in S then S :\ i else i |: S.

Lemma times_ge0 S : (forall i, 0 < n i)%N -> 0 <= times S.
Proof. by move=> n0; apply: prodr_ge0 => i _; rewrite subr_ge0 ler1n. Qed.

Lemma times_gt0 S : (forall i, 1 < n i)%N -> 0 < times S.
Proof. by move=> n1; apply: prodr_gt0 => i _; rewrite subr_gt0 ltr1n. Qed.

Lemma times_add i S : i \notin S -> times (i |: S) = (sizeof i - 1) * times S.
Proof. by move=> iS; rewrite /times big_setU1. Qed.

(* every flip set without i is paired with the one that has i as well *)
Lemma sum_with i (Q : pred {set I}) F :
  \sum_(S : {set I} | Q S && (i \in S)) F S =
  \sum_(S : {set I} | Q (i |: S) && (i \notin S)) F (i |: S).
Proof.
rewrite (reindex_onto (fun S => i |: S) (fun S => S :\ i)) /=; last first.
  by move=> S /andP[_ iS]; rewrite setD1K.
apply: eq_bigl => S; rewrite setU11 andbT; congr (_ && _).
by apply/eqP/idP => [<- | iS]; rewrite ?setD11 // setU1K.
Qed.

Lemma pair_up i (Q : pred {set I}) F : (forall S, Q (i |: S) = Q S) ->
  \sum_(S | Q S) F S = \sum_(S : {set I} | Q S && (i \notin S)) (F S + F (i |: S)).
Proof.
move=> Qi; rewrite (bigID (fun S => i \in S)) /= sum_with addrC big_split /=.
by congr (_ + _); apply: eq_bigl => S; rewrite Qi.
Qed.

Lemma keep_pair X i : \sum_S times S * X S = 1 ->
  \sum_(S : {set I} | i \notin S) times S * X S = 1 - flip X i.
Proof. by move=> <-; rewrite [in RHS](bigID (fun S => i \in S)) /= addrC addKr. Qed.

End FlipLaw.

(* -------------------------------------------------------------------------- *)
(* Symmetric mechanisms on records: P u v depends on the flip set only.       *)
(* -------------------------------------------------------------------------- *)
Section Symmetric.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Implicit Types (S : {set I}) (X : {set I} -> R) (P : record A -> record A -> R).

Definition symmetric_with X P := forall u v, P u v = X (flips u v).

Definition values (i : I) : nat := #|A i|.

(* the mean of a product over all releases, by flip sets *)
Lemma sum_by_flips X (g : forall i, A i -> R) (v : record A) :
  \sum_(u : record A) X (flips u v) * \prod_i g i (u i) =
  \sum_S X S * \prod_i (if i \in S then \sum_(x | x != v i) g i x else g i (v i)).
Proof.
rewrite (partition_big (fun u : record A => flips u v) predT) //=; apply: eq_bigr => S _.
rewrite (eq_bigr (fun u : record A => X S * \prod_i g i (u i))) => [|u /eqP -> //].
rewrite -mulr_sumr; congr (_ * _); rewrite big_mkcond /=.
pose G i (x : A i) := if (x != v i) == (i \in S) then g i x else 0.
transitivity (\sum_(u : record A) \prod_i G i (u i)).
  apply: eq_bigr => u _; case: ifP => [/eqP eS | /negbT ne].
    by apply: eq_bigr => i _; rewrite /G -eS inE eqxx.
  have [i /negbTE ne_i] : exists i, (u i != v i) != (i \in S).
    apply/existsP; apply: contraR ne; rewrite negb_exists => /forallP all.
    apply/eqP/setP => i; rewrite inE.
    by have := all i; rewrite negbK => /eqP.
  by rewrite (bigD1 i) //= {1}/G ne_i mul0r.
rewrite sum_prod; apply: eq_bigr => i _; rewrite /G; case: ifP => iS.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => x _; rewrite eqb_id.
rewrite (bigD1 (v i)) //= eqxx eqxx big1 ?addr0 // => x /negbTE xv.
by rewrite xv.
Qed.

(* t_S releases have flip set S, whatever the truth *)
Lemma sum_flips X (v : record A) :
  \sum_(u : record A) X (flips u v) = \sum_S times R values S * X S.
Proof.
have := sum_by_flips X (fun i (_ : A i) => 1) v.
rewrite (eq_bigr (fun u : record A => X (flips u v))) => [-> | u _]; last first.
  by rewrite big1 // mulr1.
apply: eq_bigr => S _; rewrite mulrC; congr (_ * _).
rewrite [RHS]big_mkcond; apply: eq_bigr => i _; case: ifP => // _.
rewrite sumr_const cardC1 /sizeof /values.
by rewrite -subn1 natrB //; apply/card_gt0P; exists (v i).
Qed.

Lemma symmetric_mechanism X P : symmetric_with X P ->
  flip_law values X -> mechanism P.
Proof.
move=> sym [X0 X1]; split=> [u w | w]; first by rewrite sym.
by rewrite (eq_bigr (fun u : record A => X (flips u w))) // sum_flips.
Qed.

(* The flip rate of attribute i (chapters 5 and 16): the chance that a mechanism,
   symmetric or not, flips it when the truth is uniformly random. *)
Definition flip_rate P i : R :=
  (\sum_u \sum_v P u v * (i \in flips u v)%:R) / #|{: record A}|%:R.

End Symmetric.
