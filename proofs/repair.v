(* ========================================================================== *)
(* Chapter 5, The certificate: re-randomizing (post-processing).              *)
(*                                                                            *)
(* First for any mechanism on records, symmetric or not, one truth at a time; *)
(* then for symmetric mechanisms, which are numbers X S on flip sets; then    *)
(* all attributes in turn.                                                    *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import basics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* -------------------------------------------------------------------------- *)
(* Any mechanism.                                                             *)
(* -------------------------------------------------------------------------- *)
Section AnyMechanism.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Variables (P : record A -> record A -> R) (i : I) (s : R).
Implicit Types (u v : record A) (j : I).

Let a : R := sizeof R (values A) i.

(* with probability s, replace the released value of attribute i by a
   uniformly random one *)
Definition rerandomized u v :=
  (1 - s) * P u v + s * ((\sum_(x : A i) P (put u x) v) / a).

(* the chance that attribute j flips when the truth is v (the flip rate of the
   book is its mean over all truths) *)
Definition flip_given (Q : record A -> record A -> R) j v :=
  \sum_(u : record A | u j != v j) Q u v.

(* exchanging the released value and the value drawn *)
Lemma exchange (G : record A -> A i -> R) :
  \sum_u \sum_(x : A i) G (put u x) (u i) = \sum_u \sum_x G u x.
Proof.
rewrite !pair_bigA /=.
rewrite [RHS](reindex_inj (h := fun ux : record A * A i => (put ux.1 ux.2, ux.1 i))) //.
apply: inv_inj => -[u x] /=.
by rewrite put_put put_same put_id.
Qed.

Hypothesis someA : (0 < #|A i|)%N.
Let a_ge0 : 0 <= a. Proof. exact: ler0n. Qed.
Let a0 : a != 0. Proof. by rewrite pnatr_eq0 -lt0n. Qed.

Lemma mean_total (T : record A -> R) v :
  \sum_u T u * ((\sum_(x : A i) P (put u x) v) / a) =
  (\sum_u P u v * \sum_(x : A i) T (put u x)) / a.
Proof.
rewrite mulr_suml.
under eq_bigr do rewrite mulrA mulr_sumr.
under [RHS]eq_bigr do rewrite mulr_sumr.
rewrite -!mulr_suml; congr (_ / _).
rewrite -(exchange (fun u (x : A i) => P u v * T (put u x))) /=.
apply: eq_bigr => u _; apply: eq_bigr => x _.
by rewrite put_put put_id mulrC.
Qed.

Theorem rerandomized_mechanism : 0 <= s <= 1 -> mechanism P -> mechanism rerandomized.
Proof.
move=> /andP[s0 s1] [P0 P1]; split=> [u v | v].
  by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?invr_ge0 // sumr_ge0.
rewrite big_split /= -!mulr_sumr P1 mulr1.
have := mean_total (fun=> 1) v; under eq_bigr do rewrite mul1r; move=> ->.
rewrite -mulr_suml P1 mul1r sumr_const -[1 *+ _]/a mulfV // mulr1.
by rewrite subrK.
Qed.

(* It flips with probability (1 - s) q' + s p_i, ... *)
Theorem rerandomized_flip v : \sum_u P u v = 1 ->
  flip_given rerandomized i v = (1 - s) * flip_given P i v + s * p R (values A) i.
Proof.
move=> P1; rewrite /flip_given big_split /= -!mulr_sumr; congr (_ + _ * _).
rewrite big_mkcond /=.
have := mean_total (fun u => (u i != v i)%:R) v.
rewrite (eq_bigr _ (fun u _ => mulrC _ _)).
rewrite (eq_bigr _ (fun u _ => mulr_natr _ _)).
under eq_bigr do rewrite mulrb; move=> ->.
rewrite (eq_bigr (fun u => P u v * (a - 1))) => [|u _].
  by rewrite -mulr_suml P1 mul1r.
congr (_ * _); rewrite (bigD1 (v i)) //= put_same eqxx add0r.
rewrite (eq_bigr (fun=> 1)) => [|x xv]; last by rewrite put_same xv.
by rewrite sumr_const cardC1 -subn1 natrB.
Qed.

(* ... the other flip probabilities stay, ... *)
Theorem rerandomized_other j v : j != i ->
  flip_given rerandomized j v = flip_given P j v.
Proof.
move=> ji; rewrite /flip_given big_split /= -!mulr_sumr.
have -> : \sum_(u : record A | u j != v j) (\sum_(x : A i) P (put u x) v) / a
    = flip_given P j v; last by rewrite -mulrDl subrK mul1r.
rewrite big_mkcond /=.
have := mean_total (fun u => (u j != v j)%:R) v.
rewrite (eq_bigr _ (fun u _ => mulrC _ _)).
rewrite (eq_bigr _ (fun u _ => mulr_natr _ _)).
under eq_bigr do rewrite mulrb; move=> ->.
rewrite (eq_bigr (fun u => P u v *+ (u j != v j) * a)) => [|u _]; last first.
  rewrite (eq_bigr (fun=> (u j != v j)%:R)) => [|x _]; last by rewrite put_other.
  by rewrite sumr_const -[P u v *+ _]mulr_natr -mulrA -[_ *+ #|_|]mulr_natr.
rewrite -mulr_suml mulfK // [RHS]big_mkcond /=.
by apply: eq_bigr => u _; rewrite mulrb.
Qed.

(* ... and no level rises: what holds between two truths v and v', whichever
   they are, still holds.  With all v, v' this is the overall level, with v, v'
   that differ in attribute j only the neighbour level of j. *)
Theorem rerandomized_level E v v' : 0 <= s <= 1 ->
  (forall u, P u v <= E * P u v') -> forall u, rerandomized u v <= E * rerandomized u v'.
Proof.
move=> /andP[s0 s1] lE u; rewrite mulrDr ler_add //.
  by rewrite mulrCA ler_wpmul2l // subr_ge0.
rewrite [E * _]mulrCA ler_wpmul2l // mulrA ler_wpmul2r ?invr_ge0 //.
by rewrite mulr_sumr; apply: ler_sum => x _.
Qed.

End AnyMechanism.

(* -------------------------------------------------------------------------- *)
(* Symmetric mechanisms: the numbers X S become means of themselves and of    *)
(* X (S + i) and X (S - i).                                                   *)
(* -------------------------------------------------------------------------- *)
Section Symmetric.
Variables (R : realFieldType) (I : finType) (n : I -> nat).
Hypothesis n0 : forall i, (0 < n i)%N.
Implicit Types (i j : I) (S : {set I}) (X Y : {set I} -> R) (s : R).

Notation sizeof := (sizeof R n).
Notation times := (times R n).
Notation p := (p R n).

Lemma setD1_id i S : i \notin S -> S :\ i = S.
Proof. by move=> iS; apply/setDidPl; rewrite disjoint_sym disjoints1. Qed.

(* the mean over the values of attribute i *)
Definition mean i X S := (X (S :\ i) + (sizeof i - 1) * X (i |: S)) / sizeof i.

(* re-randomizing attribute i with probability s *)
Definition repair i s X S := (1 - s) * X S + s * mean i X S.

Let size_gt0 i : 0 < sizeof i. Proof. by rewrite ltr0n. Qed.
Let size_ge1 i : 0 <= sizeof i - 1. Proof. by rewrite subr_ge0 ler1n. Qed.

Lemma mean_const i c S : mean i (fun=> c) S = c.
Proof.
by rewrite /mean -{1}[c]mul1r -mulrDl [1 + _]addrC subrK mulrAC mulfV ?mul1r ?gt_eqF.
Qed.

Lemma mean_le i X Y S : (forall S', X S' <= Y S') -> mean i X S <= mean i Y S.
Proof.
move=> XY; rewrite /mean ler_pmul2r ?invr_gt0 // ler_add //.
by rewrite ler_wpmul2l.
Qed.

Lemma mean_scale i c X S : mean i (fun S' => c * X S') S = c * mean i X S.
Proof. by rewrite /mean [(_ - 1) * (c * _)]mulrCA -mulrDr mulrA. Qed.

Lemma mean_add i X S : mean i X (i |: S) = mean i X S.
Proof. by rewrite /mean setUA setUid setDUl setDv set0U. Qed.

Lemma mean_toggle i X S : mean i X (toggle i S) = mean i X S.
Proof.
by rewrite /toggle; case: ifP => iS; rewrite ?mean_add // -[in RHS](setD1K iS) mean_add.
Qed.

(* re-randomizing is an averaging: it keeps constants and the order *)
Lemma repair_const i s c S : repair i s (fun=> c) S = c.
Proof. by rewrite /repair mean_const -mulrDl subrK mul1r. Qed.

Lemma repair_le i s X Y S : 0 <= s <= 1 ->
  (forall S', X S' <= Y S') -> repair i s X S <= repair i s Y S.
Proof.
move=> /andP[s0 s1] XY; rewrite ler_add ?ler_wpmul2l ?subr_ge0 //.
exact: mean_le.
Qed.

Lemma repair_scale i s c X S : repair i s (fun S' => c * X S') S = c * repair i s X S.
Proof. by rewrite /repair mean_scale mulrDr ![c * (_ * _)]mulrCA. Qed.

(* what a change of attribute j does commutes with re-randomizing attribute i *)
Lemma repair_comp i s X (g : {set I} -> {set I}) S :
    (forall S', g S' :\ i = g (S' :\ i)) -> (forall S', i |: g S' = g (i |: S')) ->
  repair i s X (g S) = repair i s (fun S' => X (g S')) S.
Proof. by move=> gD gU; rewrite /repair /mean gD gU. Qed.

Lemma add_comp i j S : j != i -> (j |: S) :\ i = j |: (S :\ i).
Proof.
move=> ji; apply/setP => l; rewrite !inE.
by have [->|] := eqVneq l j; rewrite ?ji //= andbT.
Qed.

Lemma toggle_compD i j S : j != i -> toggle j S :\ i = toggle j (S :\ i).
Proof.
move=> ji; rewrite /toggle !inE ji /=; case: ifP => _; last exact: add_comp.
by rewrite !setDDl setUC.
Qed.

Lemma toggle_compU i j S : j != i -> i |: toggle j S = toggle j (i |: S).
Proof.
move=> ji; rewrite /toggle !inE (negbTE ji) /=; case: ifP => _.
  by rewrite add_comp // eq_sym.
by rewrite setUCA.
Qed.

(* the mass does not change, nor does the part of it in a set of flip sets that
   does not look at attribute i *)
Lemma mean_pair i X S : i \notin S ->
  times S * mean i X S + times (i |: S) * mean i X (i |: S) =
  times S * X S + times (i |: S) * X (i |: S).
Proof.
move=> iS; rewrite mean_add times_add //; set t := times S; set m := mean i X S.
have -> : t * m + (sizeof i - 1) * t * m = t * (sizeof i * m).
  by rewrite -mulrDl -{1}[t]mul1r -mulrDl [1 + _]addrC subrK -mulrA mulrCA.
have -> : sizeof i * m = X S + (sizeof i - 1) * X (i |: S).
  by rewrite /m /mean (setD1_id iS) mulrC divfK ?gt_eqF.
by rewrite mulrDr mulrCA mulrA.
Qed.

Lemma mean_mass i X (Q : pred {set I}) : (forall S, Q (i |: S) = Q S) ->
  \sum_(S | Q S) times S * mean i X S = \sum_(S | Q S) times S * X S.
Proof.
move=> Qi; rewrite !(pair_up _ Qi); apply: eq_bigr => S /andP[_ iS].
exact: mean_pair.
Qed.

Lemma times_repair i s X S :
  times S * repair i s X S = (1 - s) * (times S * X S) + s * (times S * mean i X S).
Proof. by rewrite mulrDr mulrCA [in X in _ + X]mulrCA. Qed.

Lemma repair_mass i s X (Q : pred {set I}) : (forall S, Q (i |: S) = Q S) ->
  \sum_(S | Q S) times S * repair i s X S = \sum_(S | Q S) times S * X S.
Proof.
move=> Qi; rewrite (eq_bigr _ (fun S _ => times_repair i s X S)).
by rewrite big_split /= -!mulr_sumr mean_mass // -mulrDl subrK mul1r.
Qed.

Lemma repair_flip i s X : \sum_S times S * X S = 1 ->
  flip n (repair i s X) i = (1 - s) * flip n X i + s * p i.
Proof.
move=> X1; rewrite /flip (eq_bigr _ (fun S _ => times_repair i s X S)).
rewrite big_split /= -!mulr_sumr; congr (_ + _ * _).
rewrite -[RHS]mul1r -X1 -(mean_mass (i := i) X (Q := predT)) //.
rewrite (pair_up (i := i) (Q := predT)) // (sum_with i predT) mulr_suml /=.
apply: eq_bigr => S iS; rewrite mean_add times_add //.
set t := times S; set m := mean i X S.
have -> : t * m + (sizeof i - 1) * t * m = sizeof i * (t * m).
  by rewrite -mulrDl -{1}[t]mul1r -mulrDl [1 + _]addrC subrK -mulrA.
by rewrite /p [RHS]mulrC -[RHS]mulrA mulKf ?gt_eqF // -mulrA.
Qed.

(* ------------------------------------------------------------------------ *)
(* What is asked of a mechanism Y that replaces X: the smallest share does    *)
(* not fall, the largest does not rise, the overall level does not rise, no   *)
(* neighbour level rises, and lp-monotone is kept if it held.                 *)
(* ------------------------------------------------------------------------ *)
Definition no_worse X Y :=
  [/\ forall m, (forall S, m <= X S) -> forall S, m <= Y S,
      forall M, (forall S, X S <= M) -> forall S, Y S <= M,
      forall E, (forall S S', X S <= E * X S') -> forall S S', Y S <= E * Y S',
      forall j E, 1 <= E -> (forall S, X S <= E * X (toggle j S)) ->
        forall S, Y S <= E * Y (toggle j S)
    & decreasing X -> decreasing Y].

Lemma no_worse_trans X Y Z : no_worse X Y -> no_worse Y Z -> no_worse X Z.
Proof.
move=> [a1 a2 a3 a4 a5] [b1 b2 b3 b4 b5]; split.
- by move=> m /a1; apply: b1.
- by move=> M /a2; apply: b2.
- by move=> E /a3; apply: b3.
- by move=> j E E1 /(a4 _ _ E1); apply: b4.
- by move=> /a5; apply: b5.
Qed.

Lemma repair_no_worse i s X : 0 <= s <= 1 -> (forall S, 0 <= X S) ->
  no_worse X (repair i s X).
Proof.
move=> s01 X0; have mean0 S : 0 <= mean i X S by rewrite -(mean_const i 0 S) mean_le.
have /andP[s0 s1] := s01; split.
- by move=> m mX S; rewrite -(repair_const i s m S) repair_le.
- by move=> M XM S; rewrite -(repair_const i s M S) repair_le.
- move=> E lE S S'; rewrite -repair_scale -(repair_const i s (repair i s X S) S').
  apply: repair_le => // S''; rewrite -[X in _ <= X](repair_const i s _ S).
  exact: repair_le.
- move=> j E E1 capX S; have [ij | ji] := eqVneq j i.
    rewrite {j}ij in capX *; rewrite /repair mean_toggle mulrDr ler_add //.
      by rewrite mulrCA ler_wpmul2l ?subr_ge0.
    by rewrite ler_pemull // mulr_ge0.
  rewrite (@repair_comp i s X (toggle j)) => [| S' | S'].
  + by rewrite -repair_scale; apply: repair_le.
  + exact: toggle_compD.
  + exact: toggle_compU.
- move=> decX j S; have [-> | ji] := eqVneq j i.
    by rewrite /repair mean_add ler_add2r ler_wpmul2l ?subr_ge0.
  rewrite (@repair_comp i s X (fun S' => j |: S')) => [| S' | S'].
  + exact: repair_le.
  + exact: add_comp.
  + by rewrite setUCA.
Qed.

Lemma repair_law i s X : 0 <= s <= 1 -> flip_law n X -> flip_law n (repair i s X).
Proof.
move=> s01 [X0 X1]; split; last by rewrite (repair_mass _ _ _ (Q := predT)).
by have [+ _ _ _ _] := repair_no_worse i s01 X0; apply.
Qed.

(* ------------------------------------------------------------------------ *)
(* cert-lem-repair, Re-randomizing:                                           *)
(* Let attribute i of a symmetric mechanism flip with probability q' < q_i,   *)
(* where q_i <= p_i as for every level that is not negative.  Replace its     *)
(* released value by a uniformly random one with probability                  *)
(* s = (q_i - q')/(p_i - q').  Then it flips with probability q_i, the other  *)
(* flip probabilities stay, the overall level does not rise, and lp-monotone  *)
(* is kept if it held.  (Nor does any neighbour level rise: price-thm-fade.   *)
(* Here q' = q_i is allowed; if p_i = q', s = 0.)                             *)
(* ------------------------------------------------------------------------ *)
Theorem rerandomizing X i (q : R) :
    flip_law n X -> flip n X i <= q -> q <= p i ->
  let s := (q - flip n X i) / (p i - flip n X i) in
  [/\ 0 <= s <= 1, flip_law n (repair i s X),
      flip n (repair i s X) i = q,
      forall j, j != i -> flip n (repair i s X) j = flip n X j
    & no_worse X (repair i s X)].
Proof.
move=> lawX q'q qp s; have [X0 X1] := lawX.
have s01 : 0 <= s <= 1.
  rewrite divr_ge0 ?subr_ge0 //=; last exact: le_trans qp.
  have [z | nz] := eqVneq (p i - flip n X i) 0.
    by rewrite /s z invr0 mulr0 ler01.
  have pos : 0 < p i - flip n X i by rewrite lt_def nz subr_ge0 (le_trans q'q).
  by rewrite ler_pdivr_mulr // mul1r ler_add2r.
split=> //; first exact: repair_law; last exact: repair_no_worse.
  rewrite repair_flip // mulrBl mul1r -addrA addrC -[X in - X]mulrC.
  have -> : - (flip n X i * s) + s * p i = s * (p i - flip n X i).
    by rewrite mulrBr addrC [s * flip _ _ _]mulrC.
  have [z | nz] := eqVneq (p i - flip n X i) 0; last by rewrite divfK // subrK.
  rewrite z mulr0 add0r; apply/eqP; rewrite eq_le q'q /= (le_trans qp) //.
  by rewrite -subr_le0 z.
move=> j ji; rewrite /flip (repair_mass _ _ _ (Q := fun S => j \in S)) // => S.
by rewrite !inE (negbTE ji).
Qed.

(* ------------------------------------------------------------------------ *)
(* All attributes in turn (the last words of lp-thm-tight):                    *)
(* a mechanism at least as accurate as asked becomes one that is exactly as   *)
(* accurate, and no level rises.                                              *)
(* ------------------------------------------------------------------------ *)
Theorem repair_all X (q : I -> R) :
    flip_law n X -> (forall i, flip n X i <= q i) -> (forall i, q i <= p i) ->
  exists Y, [/\ flip_law n Y, forall i, flip n Y i = q i & no_worse X Y].
Proof.
move=> lawX Xq qp.
suff /(_ (enum I) (enum_uniq I)) [Y [lawY Yq _ nw]] : forall r : seq I, uniq r ->
  exists Y, [/\ flip_law n Y, forall i, i \in r -> flip n Y i = q i,
               forall i, i \notin r -> flip n Y i = flip n X i & no_worse X Y].
  by exists Y; split=> // i; rewrite Yq // mem_enum.
elim=> [_ | i r IH /= /andP[ir /IH [Y [lawY Yq YX nw]]]]; first by exists X.
have Yqi : flip n Y i <= q i by rewrite YX.
have [_ lawZ Zq ZY nwZ] := rerandomizing lawY Yqi (qp i).
eexists; split; [exact: lawZ | | | exact: no_worse_trans nwZ].
  move=> j; rewrite inE; have [-> // | ji /= jr] := eqVneq j i.
  by rewrite ZY // Yq.
by move=> j; rewrite inE negb_or => /andP[ji jr]; rewrite ZY // YX.
Qed.

End Symmetric.

(* -------------------------------------------------------------------------- *)
(* The two agree: a symmetric mechanism, re-randomized, is symmetric, with    *)
(* the numbers above.                                                         *)
(* -------------------------------------------------------------------------- *)
Section Agree.
Variables (R : realFieldType) (I : finType) (A : I -> finType).

Theorem rerandomized_symmetric (X : {set I} -> R) (P : record A -> record A -> R) i s :
  symmetric_with X P -> symmetric_with (repair (values A) i s X) (rerandomized P i s).
Proof.
move=> sym u v; rewrite /rerandomized /repair sym; congr (_ + _ * (_ / _)).
rewrite (bigD1 (v i)) //= sym flips_put eqxx; congr (_ + _).
rewrite (eq_bigr (fun=> X (i |: flips u v))) => [|x /negbTE xv].
  rewrite sumr_const cardC1 -mulr_natl -subn1 natrB //.
  by apply/card_gt0P; exists (v i).
by rewrite sym flips_put xv.
Qed.

End Agree.
