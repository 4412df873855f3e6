(* The lower bound behind every certificate, and when it is attained                   *)
(* (chapter 5, "Any weights prove a bound"; chapter 11, two heights).                  *)
(*                                                                                     *)
(* h = y.(q - B) is what a release leaves of the budget y.q at weights y, gain = y.d   *)
(* with d = p - q is what a uniformly random record overspends, short = E[h+].         *)
From mathcomp Require Import all_ssreflect all_algebra.
From Orr Require Import setting.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope.

Definition pos_part (R : realFieldType) (x : R) := Num.max x 0.

Lemma pos_part_ge0 (R : realFieldType) (x : R) : 0 <= pos_part x.
Proof. by rewrite /pos_part le_maxr lexx orbT. Qed.

(* The bathtub: if no bar rises above x times the even layer c, nothing earns more     *)
(* than filling the bars with h > 0 and leaving the others alone.                      *)
Section Bathtub.
Variables (R : realFieldType) (S : finType) (P : S -> R) (f h : S -> R) (c x : R).
Hypothesis P_ge0 : forall s, 0 <= P s.
Hypothesis low : forall s, c <= f s.
Hypothesis high : forall s, f s <= x * c.

Definition filled s := c * h s + (x - 1) * c * pos_part (h s).

Lemma bathtub_point s : f s * h s <= filled s.
Proof.
rewrite /filled /pos_part; case: (leP (h s) 0) => hs.
  by rewrite mulr0 addr0 -subr_le0 -mulrBl mulr_ge0_le0 ?subr_ge0.
rewrite -mulrDl ler_wpmul2r ?(ltW hs) // (le_trans (high s)) //.
by rewrite mulrBl mul1r addrC subrK.
Qed.

Lemma filled_sum : \sum_s P s * filled s
  = c * (\sum_s P s * h s + (x - 1) * \sum_s P s * pos_part (h s)).
Proof.
rewrite mulrDr mulrA (mulrC c (x - 1)) !mulr_sumr -big_split; apply: eq_bigr => s _ /=.
by rewrite mulrDr !(mulrCA (P s)).
Qed.

Lemma bathtub : \sum_s P s * (f s * h s)
  <= c * (\sum_s P s * h s + (x - 1) * \sum_s P s * pos_part (h s)).
Proof.
by rewrite -filled_sum; apply: ler_sum => s _; rewrite ler_wpmul2l ?bathtub_point.
Qed.

(* Nothing else earns as much: then the bars with h > 0 are full, those with h < 0 are *)
(* at the even layer.                                                                  *)
Lemma bathtub_full : (forall s, 0 < P s) ->
  \sum_s P s * (f s * h s)
    = c * (\sum_s P s * h s + (x - 1) * \sum_s P s * pos_part (h s)) ->
  forall s, (0 < h s -> f s = x * c) /\ (h s < 0 -> f s = c).
Proof.
move=> P_gt0; rewrite -filled_sum => /eqP.
rewrite eq_sym -subr_eq0 -sumrB psumr_eq0 => [/allP all0 s|s _]; last first.
  by rewrite -mulrBr mulr_ge0 // subr_ge0 bathtub_point.
have := all0 s (mem_index_enum s).
rewrite -mulrBr mulf_eq0 gt_eqF //= subr_eq0 /filled /pos_part => /eqP e.
split=> hs.
  apply: (mulIf (lt0r_neq0 hs)); rewrite -e max_l ?(ltW hs) // -mulrDl; congr (_ * _).
  by rewrite mulrBl mul1r addrC subrK.
by apply: (mulIf (ltr0_neq0 hs)); rewrite -e max_r ?(ltW hs) // mulr0 addr0.
Qed.

(* And bars that are full where h > 0, and at the even layer where h < 0, earn just as *)
(* much.                                                                               *)
Lemma bathtub_attained :
  (forall s, 0 < h s -> f s = x * c) -> (forall s, h s < 0 -> f s = c) ->
  \sum_s P s * (f s * h s)
    = c * (\sum_s P s * h s + (x - 1) * \sum_s P s * pos_part (h s)).
Proof.
move=> full even; rewrite -filled_sum; apply: eq_bigr => s _; congr (_ * _).
rewrite /filled /pos_part; case: (ltrgt0P (h s)) => hs.
- by rewrite (full _ hs) -mulrDl mulrBl mul1r addrC subrK.
- by rewrite (even _ hs) mulr0 addr0.
- by rewrite hs !mulr0 addr0.
Qed.
End Bathtub.

Section Weights.
Variables (R : realFieldType) (I : finType) (a : I -> nat).
Hypothesis a_gt0 : forall i, (0 < a i)%N.
Variables (q y : I -> R).
Implicit Types (S : {set I}) (f : {set I} -> R).

Definition h S : R := \sum_i y i * (q i - B R i S).
Definition gain : R := \sum_i y i * (p R a i - q i).
Definition short : R := E a (fun S => pos_part (h S)).

Lemma E_h : E a h = - gain.
Proof.
rewrite /gain -sumrN [LHS](E_sum a (fun i S => y i * (q i - B R i S))).
apply: eq_bigr => i _.
by rewrite E_scale E_sub E_const E_B -[RHS]mulrN opprB.
Qed.

Lemma E_fh f : E a f = 1 ->
  E a (fun S => f S * h S) = \sum_i y i * (q i - rate a f i).
Proof.
move=> f1; rewrite (eq_E _ (f := fun S => \sum_i y i * (q i * f S - f S * B R i S))).
  by rewrite E_sum; apply: eq_bigr => i _; rewrite E_scale E_sub E_scale f1 mulr1.
move=> S; rewrite mulr_sumr; apply: eq_bigr => i _.
by rewrite mulrCA [f S * (_ - _)]mulrBr (mulrC (f S) (q i)).
Qed.

(* h is what the weight y(S) of the flips leaves of the radius y.q *)
Lemma h_weight S : h S = \sum_i y i * q i - \sum_(i in S) y i.
Proof.
rewrite /h [X in _ - X]big_mkcond -sumrB; apply: eq_bigr => i _.
by rewrite mulrBr /B; case: (i \in S); rewrite ?mulr1 ?mulr0.
Qed.

(* The truth has h = y.q > 0, hence E[h+] > 0, and we may divide. *)
Lemma short_gt0 : 0 < \sum_i y i * q i -> 0 < short.
Proof.
move=> yq; rewrite /short /E (bigD1 set0) //= ltr_paddr //.
  by apply: sumr_ge0 => S _; rewrite mulr_ge0 ?pi_ge0 ?pos_part_ge0.
by rewrite pi_empty // mulr_gt0 ?invr_gt0 ?T_gt0 // /pos_part h_weight big_set0 subr0 max_l // ltW.
Qed.

(* Weights that are not negative and not all zero make a positive budget. *)
Lemma budget_gt0 i : (forall j, 0 <= y j) -> (forall j, 0 < q j) -> y i != 0 ->
  0 < \sum_j y j * q j.
Proof.
move=> y_ge0 q_gt0 yi; rewrite (bigD1 i) //= ltr_paddr //.
  by apply: sumr_ge0 => j _; rewrite mulr_ge0 // ltW.
by rewrite mulr_gt0 // lt_def yi y_ge0.
Qed.

(* The even layer of a symmetric mechanism: its smallest height. *)
Lemma even_layer f x : density a f -> has_level x f ->
  exists2 c, 0 < c & forall S, c <= f S <= x * c.
Proof.
case=> f0 f1 fx; case: (@arg_minP _ R _ set0 xpredT f isT) => S0 _ least.
exists (f S0); last by move=> S; rewrite least ?fx.
rewrite lt_def f0 andbT; apply/negP => /eqP z.
have f_is0 S : f S = 0 by apply/eqP; rewrite eq_le f0 andbT (le_trans (fx S S0)) ?z ?mulr0.
by move/eqP: f1; rewrite (eq_E _ f_is0) E_const eq_sym oner_eq0.
Qed.

Section LowerBound.
Hypothesis y_ge0 : forall i, 0 <= y i.

(* Theorem (chapter 5, "Any weights prove a bound", symmetric mechanisms). Let y >= 0. *)
(* Every symmetric mechanism whose flip probabilities are at most q_i has an overall   *)
(* level eps with  y.d <= (e^eps - 1) E[(y.(q - B))+].                                 *)
Theorem any_weights f x :
  density a f -> (forall i, rate a f i <= q i) -> has_level x f ->
  gain <= (x - 1) * short.
Proof.
move=> mf fq fx; have [c c0 bars] := even_layer mf fx; case: mf => f0 f1.
have low S : c <= f S by have /andP[] := bars S.
have high S : f S <= x * c by have /andP[] := bars S.
have := bathtub h (pi_ge0 R a_gt0) low high.
rewrite -/(E a (fun S => f S * h S)) -/(E a h) -/short E_h E_fh // => le.
rewrite -subr_ge0 addrC -(pmulr_rge0 _ c0); apply: le_trans le.
by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?subr_ge0.
Qed.

(* Corollary, which needs no normalisation of the weights:                             *)
(* e^eps >= 1 + y.d / E[(y.(q - B))+] where y.q > 0.                                   *)
Corollary any_weights_ratio f x : 0 < \sum_i y i * q i ->
  density a f -> (forall i, rate a f i <= q i) -> has_level x f ->
  1 + gain / short <= x.
Proof.
move=> yq mf fq fx; rewrite addrC -ler_subr_addr ler_pdivr_mulr ?short_gt0 //.
exact: (any_weights mf fq fx).
Qed.

(* Theorem (chapter 11, two heights). Where the bound is attained there are two        *)
(* heights: f is largest where h > 0 and smallest where h < 0; and the flip            *)
(* probability of every attribute with positive weight is exactly q_i.                 *)
Theorem two_heights f x : (forall i, (1 < a i)%N) ->
  density a f -> (forall i, rate a f i <= q i) -> has_level x f ->
  gain = (x - 1) * short ->
  (exists2 c, 0 < c & forall S,
     [/\ c <= f S <= x * c, 0 < h S -> f S = x * c & h S < 0 -> f S = c])
  /\ forall i, 0 < y i -> rate a f i = q i.
Proof.
move=> a1 mf fq fx tight; have [c c0 bars] := even_layer mf fx; case: mf => f0 f1.
have low S : c <= f S by have /andP[] := bars S.
have high S : f S <= x * c by have /andP[] := bars S.
have := bathtub h (pi_ge0 R a_gt0) low high.
have := bathtub_full (h := h) (pi_ge0 R a_gt0) low high (fun S => pi_gt0 R a_gt0 S a1).
rewrite -/(E a (fun S => f S * h S)) -/(E a h) -/short E_h E_fh //.
rewrite -tight addNr mulr0 => full le.
have terms i : true -> 0 <= y i * (q i - rate a f i) by rewrite mulr_ge0 ?subr_ge0.
have zero : \sum_i y i * (q i - rate a f i) = 0.
  by apply/eqP; rewrite eq_le le sumr_ge0.
split; first by exists c => // S; have [] := full zero S; split.
move=> i yi; have /allP/(_ i (mem_index_enum i)) : all (fun i => true ==>
    (y i * (q i - rate a f i) == 0)) (index_enum _) by rewrite -psumr_eq0 // zero.
by rewrite /= mulf_eq0 gt_eqF //= subr_eq0 => /eqP.
Qed.
End LowerBound.

(* Theorem (the converse). A law with two heights, high on the ball {h > 0} and low on *)
(* {h < 0}, whose flip probabilities are exactly q_i, attains the bound.               *)
Theorem two_heights_attain f c x : c != 0 -> E a f = 1 ->
  (forall S, c <= f S <= x * c) ->
  (forall S, 0 < h S -> f S = x * c) -> (forall S, h S < 0 -> f S = c) ->
  (forall i, y i != 0 -> rate a f i = q i) ->
  gain = (x - 1) * short.
Proof.
move=> c0 f1 bars full even fq.
have low S : c <= f S by have /andP[] := bars S.
have high S : f S <= x * c by have /andP[] := bars S.
have := bathtub_attained (pi R a) full even.
rewrite -/(E a (fun S => f S * h S)) -/(E a h) -/short E_h E_fh //.
rewrite big1 => [/esym/eqP | i _]; last first.
  by have [->|/fq->] := eqVneq (y i) 0; rewrite ?mul0r // subrr mulr0.
by rewrite mulf_eq0 (negPf c0) /= addrC subr_eq0 => /eqP.
Qed.
End Weights.

(* Mechanisms that need not be symmetric: K u v is the probability of releasing the    *)
(* record u when the truth is v. The values A i of attribute i are any a i things.     *)
Section AnyMechanism.
Variables (R : realFieldType) (I : finType) (a : I -> nat) (A : I -> finType).
Hypothesis a_values : forall i, #|A i| = a i.
Hypothesis a_gt0 : forall i, (0 < a i)%N.
Implicit Types (u v : record A) (K : record A -> record A -> R).

Lemma some_record : record A.
Proof.
by apply: [ffun i => enum_val (Ordinal (_ : 0 < #|A i|)%N)] => i; rewrite a_values.
Qed.

Lemma card_record : #|{: record A}|%:R = T R a.
Proof.
rewrite card_dep_ffun foldrE big_map big_enum /= natr_prod.
by apply: eq_bigr => i _; rewrite a_values.
Qed.

(* prod_{i in S} (a_i - 1) truths v have flip set S from the release u. *)
Lemma card_flips u S : #|[pred v | flips u v == S]|%:R = pi R a S * T R a.
Proof.
pose F i := [pred x : A i | (u i != x) == (i \in S)].
have -> : #|[pred v | flips u v == S]| = #|(family F : simpl_pred (record A))|.
  apply: eq_card => v; rewrite !inE; apply/eqP/familyP => [e i | e].
    by rewrite inE -e inE.
  by apply/setP => i; have := e i; rewrite !inE => /eqP.
rewrite pi_count // card_family foldrE big_map big_enum /= natr_prod [RHS]big_mkcond.
apply: eq_bigr => i _; have := cardC1 (u i); rewrite a_values => c1.
case: ifP => iS.
  rewrite -[1]/(1%:R) -natrB // subn1 -c1; congr _%:R; apply: eq_card => x.
  by rewrite !inE unfold_in eqb_id eq_sym.
rewrite -[RHS]/(1%:R) -(card1 (u i)); congr _%:R; apply: eq_card => x.
by rewrite !inE unfold_in eqbF_neg negbK eq_sym.
Qed.

(* For a fixed release and a uniformly random truth, the flips are those of a          *)
(* uniformly random record.                                                            *)
Lemma sum_truths u (F : {set I} -> R) : \sum_v F (flips u v) = T R a * E a F.
Proof.
rewrite (partition_big (flips u) xpredT) //= mulr_sumr; apply: eq_bigr => S _.
rewrite (eq_bigr (fun=> F S)) => [|v /eqP-> //].
rewrite sumr_const -mulr_natl -[#|_|]/#|[pred v | flips u v == S]| card_flips.
by rewrite mulrAC mulrC.
Qed.

Section LowerBound.
Variables q y : I -> R.
Hypothesis y_ge0 : forall i, 0 <= y i.

(* The smallest entry of a row. *)
Definition least_entry K u : R := K u [arg min_(v < some_record) K u v]%O.

Lemma least_entry_le K u v : least_entry K u <= K u v.
Proof. by rewrite /least_entry; case: arg_minP => // w _ ->. Qed.

Section OneMechanism.
Variables (K : record A -> record A -> R) (x : R).
Hypothesis mK : mechanism K.
Hypothesis Kq : forall i, flip_rate K i <= q i.
Hypothesis Kx : level x K.

(* The bathtub for one row. *)
Lemma row_bathtub u : \sum_v K u v * h q y (flips u v)
  <= least_entry K u * (T R a * (- gain a q y + (x - 1) * short a q y)).
Proof.
have := @bathtub _ _ (fun=> 1) (K u) (fun v => h q y (flips u v)) (least_entry K u) x
  (fun=> ler01) (least_entry_le K u) (fun v => Kx u v _).
have e (F : record A -> R) : \sum_v 1 * F v = \sum_v F v.
  by under eq_bigr do rewrite mul1r.
rewrite !e (sum_truths u (h q y)) (sum_truths u (fun S => pos_part (h q y S))).
by rewrite E_h -/(short a q y) (mulrCA (x - 1)) -mulrDr.
Qed.

(* All rows together keep to the flip rates. *)
Lemma rows_ge0 : 0 <= \sum_u \sum_v K u v * h q y (flips u v).
Proof.
rewrite (_ : \sum_u _ = \sum_i y i * (T R a * (q i - flip_rate K i))).
  apply: sumr_ge0 => i _; rewrite mulr_ge0 // mulr_ge0 ?subr_ge0 //.
  by rewrite ltW ?T_gt0.
have mass : \sum_u \sum_v K u v = T R a.
  by rewrite exchange_big (eq_bigr (fun=> 1)) ?sumr_const ?card_record // => v _; apply: mK.2.
under eq_bigr => u _ do under eq_bigr => v _ do rewrite mulr_sumr.
under eq_bigr => u _ do rewrite exchange_big.
rewrite exchange_big; apply: eq_bigr => i _ /=.
rewrite mulrBr /flip_rate card_record [T R a * (_ / _)]mulrCA mulfV ?gt_eqF ?T_gt0 //.
rewrite mulr1 -mass mulr_suml -sumrB mulr_sumr; apply: eq_bigr => u _.
rewrite mulr_suml -sumrB mulr_sumr; apply: eq_bigr => v _.
by rewrite mulrCA [K u v * (_ - _)]mulrBr.
Qed.

Lemma least_entries_gt0 : 0 < \sum_u least_entry K u.
Proof.
have c_ge0 u : 0 <= least_entry K u by apply: mK.1.
rewrite lt_def sumr_ge0 // andbT; apply/negP => /eqP z.
have /eqP := mK.2 some_record; rewrite big1 ?(eq_sym 0) ?oner_eq0 // => u _.
have /allP/(_ u (mem_index_enum u)) :
    all (fun u => true ==> (least_entry K u == 0)) (index_enum _) by rewrite -psumr_eq0 // z.
move=> /eqP cu; apply/eqP; rewrite eq_le mK.1 andbT.
have := Kx u some_record [arg min_(v < some_record) K u v]%O.
by rewrite -/(least_entry K u) cu mulr0.
Qed.

(* Theorem (chapter 5, "Any weights prove a bound"). Let y_i >= 0. Every mechanism     *)
(* whose flip rates are at most q_i has an overall level eps with                      *)
(* y.d <= (e^eps - 1) E[(y.(q - B))+].                                                 *)
Theorem any_mechanism : gain a q y <= (x - 1) * short a q y.
Proof.
have := le_trans rows_ge0 (ler_sum _ (fun u _ => row_bathtub u)).
rewrite -mulr_suml pmulr_rge0 ?least_entries_gt0 // pmulr_rge0 ?T_gt0 //.
by rewrite addrC subr_ge0.
Qed.

(* Theorem (chapter 11, "All optima", the first claim). Where the bound is attained,   *)
(* every row has two heights: the record released is e^eps times as likely as its      *)
(* smallest entry c_u where y(S) < y.q, and as likely as c_u where y(S) > y.q.         *)
Theorem two_heights_any : gain a q y = (x - 1) * short a q y -> forall u v,
  (0 < h q y (flips u v) -> K u v = x * least_entry K u) /\
  (h q y (flips u v) < 0 -> K u v = least_entry K u).
Proof.
move=> tight u v; have row_le w : \sum_v K w v * h q y (flips w v) <= 0.
  by apply: le_trans (row_bathtub w) _; rewrite tight addNr !mulr0.
have zero : \sum_v K u v * h q y (flips u v) = 0.
  apply/eqP; rewrite eq_le row_le /=; apply: le_trans rows_ge0 _.
  rewrite (bigD1 u) //= ger_addl -oppr_ge0 -sumrN sumr_ge0 // => w _.
  by rewrite oppr_ge0.
apply: (@bathtub_full _ _ (fun=> 1) (K u) (fun v => h q y (flips u v)) (least_entry K u) x
  (fun=> ler01) (least_entry_le K u) (fun v => Kx u v _) (fun=> ltr01)).
have e (F : record A -> R) : \sum_v 1 * F v = \sum_v F v.
  by under eq_bigr do rewrite mul1r.
rewrite !e zero (sum_truths u (h q y)) (sum_truths u (fun S => pos_part (h q y S))).
by rewrite E_h -/(short a q y) (mulrCA (x - 1)) -mulrDr tight addNr !mulr0.
Qed.
End OneMechanism.

(* The theorem as the book prints it. Let y_i >= 0, not all zero (and q_i > 0). Every  *)
(* mechanism whose flip rates are at most q_i has an overall level eps with            *)
(* e^eps >= 1 + y.d / E[(y.(q - B))+].                                                 *)
Corollary any_mechanism_ratio K x : (forall i, 0 < q i) -> (exists i, y i != 0) ->
  mechanism K -> (forall i, flip_rate K i <= q i) -> level x K ->
  1 + gain a q y / short a q y <= x.
Proof.
move=> q_gt0 [i yi] cK Kq Kx; have yq := budget_gt0 y_ge0 q_gt0 yi.
rewrite addrC -ler_subr_addr ler_pdivr_mulr ?short_gt0 //.
exact: (any_mechanism cK Kq Kx).
Qed.

(* No mechanism whose flip rates are at most q_i has a smaller overall level than a    *)
(* density with two heights that flips attribute i with probability q_i wherever       *)
(* y_i is not 0.                                                                       *)
Corollary two_heights_optimal_any f c x : 0 < \sum_i y i * q i ->
  c != 0 -> E a f = 1 -> (forall S, c <= f S <= x * c) ->
  (forall S, 0 < h q y S -> f S = x * c) -> (forall S, h q y S < 0 -> f S = c) ->
  (forall i, y i != 0 -> rate a f i = q i) ->
  forall K x', mechanism K -> (forall i, flip_rate K i <= q i) -> level x' K -> x <= x'.
Proof.
move=> yq c0 f1 bars full even fq K x' cK Kq Kx.
have := any_mechanism cK Kq Kx.
rewrite (two_heights_attain c0 f1 bars full even fq).
by rewrite ler_pmul2r ?short_gt0 // ler_add2r.
Qed.
End LowerBound.

(* A density is a mechanism: its matrix is f(flips)/T, its flip rates are the flip     *)
(* probabilities E[f B_i], and its overall level is that of f.                         *)
Definition matrix_of (f : {set I} -> R) u v := f (flips u v) / T R a.

Lemma matrix_mechanism f : density a f -> mechanism (matrix_of f).
Proof.
case=> f0 f1; split=> [u v | v]; first by rewrite divr_ge0 // ltW ?T_gt0.
rewrite -mulr_suml; under eq_bigr do rewrite flipsC.
by rewrite sum_truths f1 mulr1 divff // gt_eqF ?T_gt0.
Qed.

Lemma matrix_rate f i : flip_rate (matrix_of f) i = rate a f i.
Proof.
have T0 : T R a != 0 by rewrite gt_eqF ?T_gt0.
apply: (mulIf T0); rewrite /flip_rate card_record mulfVK // (eq_bigr (fun=> rate a f i)).
  by rewrite sumr_const -mulr_natr card_record.
move=> u _; rewrite (eq_bigr (fun v => (f (flips u v) * B R i (flips u v)) / T R a)).
  rewrite -mulr_suml (sum_truths u (fun S => f S * B R i S)).
  by rewrite mulrC mulKf.
by move=> v _; rewrite mulrAC.
Qed.

Lemma matrix_level f x : has_level x f -> level x (matrix_of f).
Proof. by move=> fx u v v'; rewrite mulrA ler_pmul2r ?fx // invr_gt0 T_gt0. Qed.
End AnyMechanism.

(* Records whose values are numbers: attribute i has the values 0, ..., a_i - 1. *)
Notation record_of a := (record (fun i => [finType of 'I_(a i)])).
