(* ========================================================================== *)
(* Chapter 2, Many answers: what a symmetric mechanism is, and what its       *)
(* levels are in the numbers X S.                                             *)
(*                                                                            *)
(* Attribute i has the values A i.  A renaming is a permutation of the values *)
(* of each attribute.                                                         *)
(* ========================================================================== *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From Orr Require Import basics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Implicit Types (u v : record A) (S : {set I}) (X : {set I} -> R).
Implicit Types (P : record A -> record A -> R) (i : I).

Definition rename (s : forall i, {perm A i}) u : record A := [ffun i => s i (u i)].

(* many-def-symmetric: "A mechanism is symmetric if renaming the values of an
   attribute, in the truth and in the release alike, changes no probability."
   Here the values of all attributes may be renamed at once, which is renaming
   one attribute after the other. *)
Definition symmetric P := forall s u v, P (rename s u) (rename s v) = P u v.

Lemma flips_rename s u v : flips (rename s u) (rename s v) = flips u v.
Proof. by apply/setP => i; rewrite !inE !ffunE (inj_eq perm_inj). Qed.

(* some renaming takes x to x' and y to y' *)
Lemma renaming (T : finType) (x y x' y' : T) : (x == y) = (x' == y') ->
  exists s : {perm T}, s x = x' /\ s y = y'.
Proof.
move=> e; exists (tperm x x' * tperm (tperm x x' y) y')%g; rewrite !permM !tpermL.
split=> //; move: e; have [<- | xy] := eqVneq x y.
  by rewrite tpermL => /esym/eqP ->; rewrite tperm1 perm1.
move=> /esym/negbT xy'; have z : tperm x x' y != x'.
  by rewrite -[X in _ != X](tpermL x x') (inj_eq perm_inj) eq_sym.
by rewrite tpermD // eq_sym.
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-numbers, A symmetric mechanism is 2^k numbers:                    *)
(* A mechanism is symmetric if and only if there are numbers X_S, one for     *)
(* each flip set, such that P_uv = X_S whenever u and v have flip set S.      *)
(* ------------------------------------------------------------------------ *)
Theorem symmetric_numbers P : symmetric P <-> exists X, symmetric_with X P.
Proof.
split=> [symP | [X sym] s u v]; last by rewrite !sym flips_rename.
have same u v u' v' : flips u v = flips u' v' -> P u v = P u' v'.
  move=> e; have ei i : (u i == v i) = (u' i == v' i).
    by have /setP /(_ i) := e; rewrite !inE => /negb_inj.
  have both i : exists s : {perm A i}, (s (u i) == u' i) && (s (v i) == v' i).
    by have [s [su sv]] := renaming (ei i); exists s; rewrite su sv !eqxx.
  pose s i := xchoose (both i).
  rewrite -(symP s u v); congr P; apply: recordP => i; rewrite ffunE;
    by have /andP[/eqP ? /eqP] := xchooseP (both i).
exists (fun S => if [pick t : record A * record A | flips t.1 t.2 == S] is Some t
                 then P t.1 t.2 else 0) => u v.
case: pickP => [[u' v'] /eqP /= e | /(_ (u, v))]; last by rewrite eqxx.
exact: same.
Qed.

End Numbers.

(* -------------------------------------------------------------------------- *)
(* Levels in the numbers X S, where every attribute has two values at least.  *)
(* -------------------------------------------------------------------------- *)
Section Levels.
Variables (R : realFieldType) (I : finType) (A : I -> finType).
Hypothesis two_values : forall i, (1 < #|A i|)%N.
Implicit Types (u v : record A) (S : {set I}).

(* many-def-levels: the neighbour level n_i is at most log E if, for two truths
   that differ in attribute i only, no release is more than E times as likely
   under the one as under the other *)
Definition neighbour_level_le (E : R) (i : I) (P : record A -> record A -> R) :=
  forall u v v' : record A, (forall j, j != i -> v j = v' j) -> P u v <= E * P u v'.

(* many-def-levels: the released value of attribute i alone.  Pr[U_i = x | V = v] *)
Definition one_column (P : record A -> record A -> R) i (x : A i) v :=
  \sum_(u : record A | u i == x) P u v.

Notation sizeof := (sizeof R (values A)).
Notation times := (times R (values A)).

Let size_gt1 i : 0 < sizeof i - 1.
Proof. by rewrite subr_gt0 ltr1n; apply: two_values. Qed.

Definition some_record : record A :=
  [ffun i => enum_val (Ordinal (ltnW (two_values i)))].

(* another value than x *)
Lemma other_value i (x : A i) : exists y, y != x.
Proof.
have /card_gt0P [y] : (0 < #|predC1 x|)%N by rewrite cardC1 -subn1 subn_gt0.
by rewrite !inE; exists y.
Qed.

(* every flip set occurs, whatever the release *)
Lemma some_truth u S : exists v, flips u v = S.
Proof.
pose y j := xchoose (other_value (u j)).
exists [ffun j => if j \in S then y j else u j]; apply/setP => j.
rewrite !inE ffunE; case: ifP; rewrite ?eqxx // eq_sym.
by rewrite (xchooseP (other_value (u j))).
Qed.

Variables (X : {set I} -> R) (P : record A -> record A -> R).
Hypothesis sym : symmetric_with X P.

(* the overall level is that of the largest and the smallest X S *)
Theorem level_in_numbers E : level E P <-> forall S S', X S <= E * X S'.
Proof.
split=> [lv S S' | lv u v v']; last by rewrite !sym.
have [v <-] := some_truth some_record S; have [v' <-] := some_truth some_record S'.
by rewrite -!sym.
Qed.

(* the neighbour level is that of X S and X S' where S, S' differ in i only *)
Theorem neighbour_in_numbers E i :
  neighbour_level_le E i P -> forall S, X S <= E * X (toggle i S).
Proof.
move=> nb S; have [v eS] := some_truth some_record S; pose u := some_record.
have [y yv] := other_value (v i).
pose v' := if i \in S then put v (u i) else put v y.
have eS' : flips u v' = toggle i S.
  rewrite flipsC /v' /toggle -eS; case: ifP; rewrite !inE flips_put flipsC => uv.
    by rewrite eqxx.
  by move/negbFE/eqP: uv => ->; rewrite (negbTE yv).
rewrite -eS' -{1}eS -!sym; apply: nb => j ji.
by rewrite /v'; case: ifP => _; rewrite put_other.
Qed.

Theorem neighbour_from_numbers E i : 1 <= E -> (forall S, 0 <= X S) ->
  (forall S, X S <= E * X (toggle i S)) -> neighbour_level_le E i P.
Proof.
move=> E1 X0 nb u v v' vv'; rewrite !sym.
have off j : j != i -> (j \in flips u v) = (j \in flips u v').
  by move=> ji; rewrite !inE vv'.
have [e | ne] := eqVneq (flips u v') (flips u v); first by rewrite e ler_pemull.
suff -> : flips u v' = toggle i (flips u v) by apply: nb.
have ni : (i \in flips u v) != (i \in flips u v').
  apply: contraNN ne => /eqP e; apply/eqP/setP => j.
  by have [-> | /off] := eqVneq j i.
apply/setP => j; rewrite /toggle; case: ifP ni => iS; rewrite ?eqbF_neg => ni.
  by rewrite in_setD1; have [-> | /off //] := eqVneq j i; apply/negbTE; move: ni.
by rewrite in_setU1; have [-> | /off //] := eqVneq j i; move: ni; case: (i \in flips u v').
Qed.

(* ------------------------------------------------------------------------ *)
(* many-thm-prior, The attribute level needs no prior:                        *)
(* Let a symmetric mechanism flip attribute i with probability                *)
(* q_i = sum_{S with i} t_S X_S.  Whatever the true records are, for all      *)
(* values x <> v_i, Pr[U_i = v_i | V = v] = 1 - q_i and                       *)
(* Pr[U_i = x | V = v] = q_i/(a_i - 1).                                       *)
(* ------------------------------------------------------------------------ *)
Theorem attribute_needs_no_prior i v (x : A i) : flip_law (values A) X ->
  one_column P x v =
    if x == v i then 1 - flip (values A) X i
    else flip (values A) X i / (sizeof i - 1).
Proof.
move=> [X0 X1]; rewrite /one_column.
pose g j (y : A j) : R :=
  match eqVneq j i with
  | EqNotNeq e => (ecast j (A j) e y == x)%:R
  | NeqNotEq _ => 1
  end.
have gE u : \prod_j g j (u j) = (u i == x)%:R.
  rewrite (bigD1 i) //= big1 => [|j ji]; last first.
    by rewrite /g; case: eqVneq ji => // ->; rewrite eqxx.
  by rewrite mulr1 /g; case: eqVneq => [e|]; rewrite ?eqxx // eq_axiomK.
have g_other j y : j != i -> g j y = 1.
  by rewrite /g; case: eqVneq => // ->; rewrite eqxx.
have gi y : g i y = (y == x)%:R.
  by rewrite /g; case: eqVneq => [e|]; rewrite ?eqxx // eq_axiomK.
transitivity (\sum_u X (flips u v) * \prod_j g j (u j)).
  rewrite big_mkcond; apply: eq_bigr => u _; rewrite gE sym.
  by case: eqP; rewrite ?mulr1 ?mulr0.
rewrite sum_by_flips.
have prodE S : \prod_j (if j \in S then \sum_(y | y != v j) g j y else g j (v j)) =
    (if i \in S then (x != v i)%:R / (sizeof i - 1) else (x == v i)%:R) * times S.
  rewrite (bigD1 i) //= gi.
  have -> : \prod_(j | j != i)
      (if j \in S then \sum_(y | y != v j) g j y else g j (v j)) =
      \prod_(j in S | j != i) (sizeof j - 1).
    rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => j _.
    case: (boolP (j != i)) => ji; rewrite ?andbF // andbT.
    case: ifP => _; last exact: g_other.
    rewrite (eq_bigr (fun=> 1)) => [|y _]; last exact: g_other.
    by rewrite sumr_const cardC1 -subn1 natrB // ltnW.
  case: ifP => iS; last first.
    rewrite eq_sym; congr (_ * _); apply: eq_bigl => j.
    by have [->|] := eqVneq j i; rewrite ?iS ?andbT.
  rewrite /times (bigD1 i iS) /= mulrA divfK ?gt_eqF //; congr (_ * _).
  rewrite (eq_bigr _ (fun y _ => gi y)); have [xv | xv] := eqVneq x (v i).
    by rewrite big1 // => y; rewrite xv => /negbTE ->.
  by rewrite (bigD1 x) //= eqxx big1 ?addr0 // => y /andP[_ /negbTE ->].
rewrite (eq_bigr _ (fun S _ => congr1 (fun z => X S * z) (prodE S))).
rewrite -(keep_pair i X1) (bigID (fun S => i \in S)) /= /flip mulr_suml.
have [xv | xv] := eqVneq x (v i); rewrite /=.
  rewrite big1 ?add0r => [|S iS]; last by rewrite iS mul0r mul0r mulr0.
  by apply: eq_bigr => S /negbTE ->; rewrite mul1r mulrC.
rewrite [X in _ + X]big1 ?addr0 => [|S /negbTE ->]; last by rewrite mul0r mulr0.
by apply: eq_bigr => S ->; rewrite mul1r mulrCA [X S * _]mulrC mulrC.
Qed.

End Levels.
