(* Model.v: what a network computes, and what it means that it tracks an automaton.

   The states of heads are MathComp matrices over any ordered field F: the rationals, the real algebraic
   numbers, any model of the reals. Nothing is rounded. Layers, heads and labels are as in models/network/net/net.h
   and lrnn(5); the decoders are "the code that equals the state", in a layer with boxes "the code whose box holds
   the state" (R8.4 of theory/pages/decay.md), and "the code that is strictly nearest" (F6 of
   theory/pages/formats.md, without rounding). *)
From Coq Require Import List ZArith QArith Qreduction.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Network.
Variable F : realFieldType.

(* ---- numbers, vectors and matrices of the file -------------------------------------------- *)

Definition Zf (z : Z) : F :=
  match z with
  | Z0 => 0 | Zpos p => (Pos.to_nat p)%:R | Zneg p => - (Pos.to_nat p)%:R
  end.
Definition Qf (q : Q) : F := Zf (Qnum q) / (Pos.to_nat (Qden q))%:R.

(* Entries that are not listed are 0. Here i and j count from 0, as MathComp's matrices do. *)
Definition entry (v : svec) (i : nat) : Q :=
  let k := Pos.of_succ_nat i in
  if List.find (fun e => Pos.eqb e.1 k) v is Some e then e.2 else Qmake Z0 xH.
Definition entry2 (m : smat) (i j : nat) : Q :=
  let r := Pos.of_succ_nat i in let c := Pos.of_succ_nat j in
  if List.find (fun e => Pos.eqb e.1.1 r && Pos.eqb e.1.2 c) m is Some e then e.2 else Qmake Z0 xH.
Definition column n (v : svec) : 'cV[F]_n := \col_i Qf (entry v i).
Definition row_of d (v : svec) : 'rV[F]_d := \row_j Qf (entry v j).
Definition matrix_of n d (m : smat) : 'M[F]_(n, d) := \matrix_(i, j) Qf (entry2 m i j).

(* ---- a head (C2 of theory/pages/closure.md names the class) ------------------------------- *)

(* The multiple of u u^T: with k = u / |u| it is beta k k^T, without a square root. *)
Definition scale_of n (raw : bool) (beta : F) (u : 'cV[F]_n) : F :=
  if raw then beta else beta / (u^T *m u) 0 0.
(* The generalized Householder matrix I - scale u u^T. *)
Definition householder n (scale : F) (u : 'cV[F]_n) : 'M[F]_n := 1%:M - scale *: (u *m u^T).

(* S <- (I - scale u u^T) S + scale u c^T *)
Definition turn n d (raw : bool) (f : factor) (S : 'M[F]_(n, d)) : 'M[F]_(n, d) :=
  let u := column n (key f) in
  let scale := scale_of raw (Qf (beta f)) u in
  householder scale u *m S + scale *: (u *m row_of d (value f)).
(* What a letter does: the gate, the factors in order, the bias. *)
Definition act n d (raw : bool) (a : action) (S : 'M[F]_(n, d)) : 'M[F]_(n, d) :=
  foldl (fun T f => turn raw f T) (Qf (gate a) *: S) (factors a) + matrix_of n d (bias a).

(* ---- a layer: its heads side by side ------------------------------------------------------ *)

Definition head_state (h : head) := 'M[F]_(Pos.to_nat (rows h), Pos.to_nat (cols h)).
Fixpoint states (hs : list head) : Type :=
  if hs is h :: r then (head_state h * states r)%type else unit.
Fixpoint acts (hs : list head) (x : index) : states hs -> states hs :=
  if hs is h :: r return states hs -> states hs then
    fun S => ((if get (on h) x is Some a then act (raw h) a S.1 else S.1), acts x S.2)
  else fun S => S.
Fixpoint states_of (hs : list head) (ms : list smat) : states hs :=
  if hs is h :: r return states hs then (matrix_of _ _ (List.hd [::] ms), states_of r (List.tl ms))
  else tt.
Fixpoint initials (hs : list head) : states hs :=
  if hs is h :: r return states hs then (matrix_of _ _ (initial h), initials r) else tt.

(* The symbol of a layer when letter x has led it to code i. *)
Definition symbol (l : layer) (x i : index) : option index :=
  match decode_by l with
  | ByState => if get (codes l) i is Some c then
                 if says c is Symbol y then y else None else None
  | ByStep yields => if List.find (fun y => Pos.eqb y.1.1 x && Pos.eqb y.1.2 i) yields
                       is Some y then Some y.2 else None
  | ByPart _ tables =>
      if get tables x is Some t then
        if get (codes l) i is Some c then
          if says c is Values vs then
            if get vs t.1 is Some v then
              if get t.2 v is Some y then y else None
            else None else None else None else None
  end.

(* ---- decoders ----------------------------------------------------------------------------- *)

Fixpoint same (hs : list head) : states hs -> states hs -> bool :=
  if hs is h :: r return states hs -> states hs -> bool then
    fun S T => (S.1 == T.1) && same S.2 T.2
  else fun _ _ => true.
(* Entry by entry at most T. *)
Fixpoint below (hs : list head) : states hs -> states hs -> bool :=
  if hs is h :: r return states hs -> states hs -> bool then
    fun S T => [forall i, forall j, S.1 i j <= T.1 i j] && below S.2 T.2
  else fun _ _ => true.
(* The two ends of a box, and whether the state lies between them (R8.4 of theory/pages/decay.md). *)
Definition lows (x : box) : smat := List.map (fun e => (e.1, e.2.1)) x.
Definition highs (x : box) : smat := List.map (fun e => (e.1, e.2.2)) x.
Definition inside (hs : list head) (S : states hs) (bs : list box) : bool :=
  below (states_of hs (List.map lows bs)) S && below S (states_of hs (List.map highs bs)).

(* The number of the first element that has the property, counting from i. *)
Fixpoint first_of A (f : A -> bool) (i : index) (l : list A) : option index :=
  if l is x :: r then if f x then Some i else first_of f (Pos.succ i) r else None.
(* The code that is equal to the state; in a layer with boxes, the code whose box holds it. *)
Definition exactly (l : layer) (S : states (heads l)) : option index :=
  if boxes l is [::] then first_of (fun c => same S (states_of (heads l) (matrices c))) 1%positive (codes l)
  else first_of (inside S) 1%positive (boxes l).

(* The sum of the squares of all entries of all heads. *)
Fixpoint distance (hs : list head) : states hs -> states hs -> F :=
  if hs is h :: r return states hs -> states hs -> F then
    fun S T => \sum_i \sum_j (S.1 i j - T.1 i j) ^+ 2 + distance S.2 T.2
  else fun _ _ => 0.
Definition code_state (l : layer) (n : nat) : states (heads l) :=
  states_of (heads l) (matrices (List.nth n (codes l) (Code (Symbol None) [::]))).
(* The code that is nearer than all others; none if there is no such code. *)
Definition nearest (l : layer) (S : states (heads l)) : option index :=
  let all_codes := iota 0 (List.length (codes l)) in
  let is_nearest n :=
    all (fun k => (k == n) || (distance S (code_state l n) < distance S (code_state l k))) all_codes in
  if filter is_nearest all_codes is n :: _ then Some (Pos.of_succ_nat n) else None.

(* ---- a network: each layer reads the symbol of the one below (C3 of closure.md) ------------ *)

Variable decode : forall l : layer, states (heads l) -> option index.

Fixpoint net_state (ls : list layer) : Type :=
  if ls is l :: r then (states (heads l) * net_state r)%type else unit.
Fixpoint net_start (ls : list layer) : net_state ls :=
  if ls is l :: r return net_state ls then (initials (heads l), net_start r) else tt.
(* One letter: the new states, and the symbol of the last layer. Where a layer has no symbol, the layers
   above keep their states, and there is no label. *)
Fixpoint step (ls : list layer) (x : index) : net_state ls -> net_state ls * option index :=
  if ls is l :: r return net_state ls -> net_state ls * option index then
    fun S =>
      let H := acts x S.1 in
      if (if decode H is Some i then symbol l x i else None) is Some y then
        let: (R, z) := step y S.2 in ((H, R), z)
      else ((H, S.2), None)
  else fun S => (S, Some x).

(* Letters of one class are read as one letter of the first layer (C11 of closure.md). *)
Definition class_of (m : network) (x : index) : option index :=
  if classes m is Some c then get c.2 x else Some x.
Definition read_letter (m : network) (s : net_state (layers m) * option index) (x : index) :=
  if class_of m x is Some c then step c s.1 else (s.1, None).
Definition after (m : network) (w : list index) : net_state (layers m) * option index :=
  foldl (read_letter (m := m)) (net_start (layers m), start_label m) w.
Definition run (m : network) (w : list index) : option name :=
  if (after m w).2 is Some y then get (labels m) y else None.
End Network.

(* ---- what is proved about a network ------------------------------------------------------- *)

(* Its class (C2): 0 <= gate <= 1, keys not 0, and 0 <= beta <= 2; in a raw head 0 <= beta and
   beta u^T u <= 2. Every transition then is a contraction, with eigenvalues in [-1, 1]. *)
Definition q0 := Qmake Z0 xH. Definition q1 := Qmake 1 1. Definition q2 := Qmake 2 1.
Definition square (v : svec) (n : nat) : Q :=
  List.fold_left (fun s i => Qred (Qplus s (Qmult (entry v i) (entry v i)))) (iota 0 n) q0.
Definition factor_in_class (h : head) (f : factor) : bool :=
  [&& Qle_bool q0 (beta f),
      (if raw h then Qle_bool (Qmult (beta f) (square (key f) (Pos.to_nat (rows h)))) q2
       else Qle_bool (beta f) q2) &
      List.existsb (fun i => ~~ Qeq_bool (entry (key f) i) q0) (iota 0 (Pos.to_nat (rows h)))].
Definition in_class (m : network) : bool :=
  List.forallb (fun l => List.forallb (fun h => List.forallb (fun a =>
    [&& Qle_bool q0 (gate a), Qle_bool (gate a) q1 & List.forallb (factor_in_class h) (factors a)])
    (on h)) (heads l)) (layers m).

(* Letters exist, and with labels of transitions the empty word has no label. *)
Definition over (m : network) (w : list index) : Prop :=
  List.Forall (fun x => (Pos.to_nat x <= length (alphabet m))%N) w.
Definition has_label (kind : labelling) (w : list index) : bool :=
  match kind, w with Edges, [::] => false | _, _ => true end.

(* The network tracks the automaton: after every word over the alphabet it gives the automaton's label. This
   is about every prefix of a word, too, as each is a word (C1 of theory/pages/closure.md). *)
Definition tracks F (decode : forall l : layer, states F (heads l) -> option index)
           (a : automaton) (m : network) : Prop :=
  forall w, over m w -> has_label (labels_are m) w ->
  exists y, run_automaton (labels_are m) a w = Some y /\ run decode m w = Some y.
