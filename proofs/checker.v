(* A checker for certificates, on exact natural numbers (chapters 5 and 14).           *)
(*                                                                                     *)
(* A certificate names, for every attribute, its number of values a_i, a number n_i    *)
(* such that the flip probability is at most n_i / unit, and a whole weight y_i; and   *)
(* it claims that e^eps - 1 is at least claim_num / claim_den. The checker counts      *)
(* how many records have flips of weight s, for every s below the threshold, adds up   *)
(* E[(y.(q - B))+], and accepts if y.d is at least the claim times that. `check`       *)
(* rounds nothing; `check_levels` rounds exponentials down, which can only weaken      *)
(* what is proved. Only the standard library is needed; `certificate.v` proves it      *)
(* right.                                                                              *)
(*                                                                                     *)
(* Upper bounds of the flip probabilities are all it takes: the theorem speaks of      *)
(* every mechanism whose flip rates are at most those, so that it covers all q_i below *)
(* n_i / unit; with a smaller q_i, y.d is larger and E[(y.(q - B))+] is smaller.       *)
From Coq Require Import NArith List Bool.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope bool_scope.

Record attribute := Attribute { values : N; most : N; weight : N }.

Record certificate := Certificate {
  unit_of : N;                  (* the denominator of all bounds of flip probabilities *)
  attributes : list attribute;
  claim_num : N;
  claim_den : N
}.

(* How many records have flips of weight s: pairs (s, count), s increasing. *)
Definition table := list (N * N).

(* The union of two tables; counts of the same weight are added. *)
Fixpoint merge (c : table) : table -> table :=
  fix merge_c (d : table) : table :=
    match c, d with
    | [], _ => d
    | _, [] => c
    | (s, m) :: c', (t, n) :: d' =>
        match s ?= t with
        | Lt => (s, m) :: merge c' d
        | Eq => (s, m + n) :: merge c' d'
        | Gt => (t, n) :: merge_c d'
        end
    end.

(* The records of a table with one more attribute flipped, in b ways, of weight y; *)
(* those that reach the limit are dropped, because they have nothing left.         *)
Fixpoint flipped (limit b y : N) (c : table) : table :=
  match c with
  | [] => []
  | (s, n) :: c' =>
      if limit <=? s + y then flipped limit b y c'
      else (s + y, b * n) :: flipped limit b y c'
  end.

Definition step (limit : N) (c : table) (x : attribute) : table :=
  merge c (flipped limit (values x - 1) (weight x) c).

Definition count (limit : N) (l : list attribute) : table :=
  fold_left (step limit) l [(0, 1)].

(* What the records of a table leave of the threshold. *)
Fixpoint left_over (unit threshold : N) (c : table) : N :=
  match c with
  | [] => 0
  | (s, n) :: c' => n * (threshold - unit * s) + left_over unit threshold c'
  end.

(* The threshold y.q, times the unit. *)
Fixpoint threshold_of (l : list attribute) : N :=
  match l with [] => 0 | x :: l' => weight x * most x + threshold_of l' end.

(* T, the number of records. *)
Fixpoint records (l : list attribute) : N :=
  match l with [] => 1 | x :: l' => values x * records l' end.

(* T times y.p, the weight of the flips of all records together. *)
Fixpoint load (l : list attribute) : N :=
  match l with
  | [] => 0
  | x :: l' => values x * load l' + weight x * (values x - 1) * records l'
  end.

Definition shortfall (c : certificate) : N :=
  let t := threshold_of (attributes c) in
  left_over (unit_of c) t (count (t / unit_of c + 1) (attributes c)).

Definition well_formed (c : certificate) : bool :=
  (0 <? unit_of c) && (0 <? claim_den c) && (0 <? threshold_of (attributes c))
  && forallb (fun x => 0 <? values x) (attributes c).

Definition check (c : certificate) : bool :=
  let l := attributes c in
  well_formed c
  && (claim_num c * shortfall c + claim_den c * (records l * threshold_of l)
      <=? claim_den c * (unit_of c * load l)).

(* Flip probabilities from levels: an attribute of a values and level eps has          *)
(* q = (a - 1)/(e^eps + a - 1), and e^eps is at least every partial sum of its series. *)
(* With eps = num/den, `series` adds `terms` terms, each rounded down to a multiple of *)
(* 1/scale; `enough` tells whether n/unit is then at least q.                          *)
Fixpoint series (terms : nat) (num den j term : N) : N :=
  match terms with
  | O => 0
  | S m => term + series m num den (j + 1) (term * num / (den * (j + 1)))
  end.

Definition enough (terms : nat) (scale unit : N) (x : attribute) (eps : N * N) : bool :=
  let e := series terms (fst eps) (snd eps) 0 scale in
  (0 <? snd eps)
  && (unit * ((values x - 1) * scale) <=? most x * (e + (values x - 1) * scale)).

(* The same checker for levels eps_i, given as fractions, in place of bounds of q_i.   *)
Definition check_levels (terms : nat) (scale : N) (levels : list (N * N))
    (c : certificate) : bool :=
  check c && (0 <? scale) && Nat.eqb (length levels) (length (attributes c))
  && forallb (fun xe => enough terms scale (unit_of c) (fst xe) (snd xe))
       (combine (attributes c) levels).
