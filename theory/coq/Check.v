(* Check.v: the checker. It computes with integers over a common denominator, and searches nothing.

   What it takes as hints are the automaton, the network and the rows of the certificate (lrnn-cert(5), claim
   exact). Main.v states what follows when it says true. *)
From Coq Require Import List ZArith QArith FMapPositive Bool Ascii.
From mathcomp Require Import all_ssreflect.
From Lrnn Require Import Ast Print Automaton Spelling Model.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Module PM := PositiveMap.
Local Open Scope Z_scope.

(* ---- lists -------------------------------------------------------------------------------- *)

(* f of every element, if f is defined for all of them. *)
Fixpoint mapo {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [::] => Some [::]
  | x :: r => match f x, mapo f r with Some y, Some s => Some (y :: s) | _, _ => None end
  end.
Fixpoint table_from {A} (k : positive) (l : list A) : PM.t A :=
  match l with [::] => PM.empty _ | x :: r => PM.add k x (table_from (Pos.succ k) r) end.
Definition table {A} := @table_from A 1.
Fixpoint map2 {A B C} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with x :: r, y :: s => f x y :: map2 f r s | _, _ => [::] end.

(* ---- numbers ------------------------------------------------------------------------------ *)

(* A multiple of all denominators; scale checks that it is one. *)
Definition common (l : list Q) : Z :=
  fold_left (fun d q => if Z.eqb (d mod Zpos (Qden q)) 0 then d else d * Zpos (Qden q)) l 1.
(* The integer z with q = z / e. *)
Definition scale (e : Z) (q : Q) : option Z :=
  let z := Qnum q * (e / Zpos (Qden q)) in
  if Z.eqb (z * Zpos (Qden q)) (Qnum q * e) then Some z else None.

Fixpoint dot (u s : list Z) : Z :=
  match u, s with x :: u', y :: s' => x * y + dot u' s' | _, _ => 0 end.

(* ---- matrices: columns of integers over one denominator ----------------------------------- *)

Record dmat := DMat { den : Z; columns : list (list Z) }.

Definition dense_vec (n : nat) (e : Z) (v : svec) : option (list Z) :=
  mapo (fun i => scale e (entry v i)) (iota 0 n).
Definition dense_mat (n d : nat) (m : smat) : option dmat :=
  let e := common (map snd m) in
  if e =? 0 then None else
  match mapo (fun j => mapo (fun i => scale e (entry2 m i j)) (iota 0 n)) (iota 0 d) with
  | Some c => Some (DMat e c)
  | None => None
  end.
Definition equal (x y : dmat) : bool :=
  all2 (all2 (fun a b => a * den y =? b * den x)) (columns x) (columns y).
(* Entry by entry at most y. *)
Definition at_most_all (x y : dmat) : bool :=
  (0 <? den x) && (0 <? den y) &&
  all2 (all2 (fun a b => a * den y <=? b * den x)) (columns x) (columns y).

(* S <- S - a/m u (u^T S - c), with the same multiple of key and value. *)
Record dfactor := DFactor { fa : Z; fm : Z; fu : list Z; fc : list Z }.
Record daction := DAction { gn : Z; gd : Z; dfs : list dfactor; db : option dmat }.

(* With u and c over e, a/m is beta / u^T u of the integer u, and in a raw head beta / e^2. *)
Definition prepare (raw : bool) (n d : nat) (f : factor) : option dfactor :=
  let e := common (map snd (key f) ++ map snd (value f)) in
  match dense_vec n e (key f), dense_vec d e (value f) with
  | Some u, Some c =>
      let uu := if raw then e * e else dot u u in
      let a := Qnum (beta f) in let m := Zpos (Qden (beta f)) * uu in
      let g := Z.gcd a m in
      let a' := a / g in let m' := m / g in
      if (e =? 0) || (uu =? 0) || (m' =? 0) || negb (a' * m =? a * m') then None
      else Some (DFactor a' m' u c)
  | _, _ => None
  end.
Definition prepare_action (raw : bool) (n d : nat) (x : action) : option daction :=
  match mapo (prepare raw n d) (factors x), bias x with
  | Some fs, [::] => Some (DAction (Qnum (gate x)) (Zpos (Qden (gate x))) fs None)
  | Some fs, m => match dense_mat n d m with
                  | Some B => Some (DAction (Qnum (gate x)) (Zpos (Qden (gate x))) fs (Some B))
                  | None => None
                  end
  | None, _ => None
  end.

Definition dturn (f : dfactor) (M : dmat) : dmat :=
  DMat (fm f * den M)
       (map2 (fun col c => let p := fa f * (dot (fu f) col - den M * c) in
                           map2 (fun s u => fm f * s - u * p) col (fu f))
             (columns M) (fc f)).
Definition dadd (M B : dmat) : dmat :=
  DMat (den M * den B)
       (map2 (map2 (fun s t => s * den B + t * den M)) (columns M) (columns B)).
Definition dact (a : daction) (M : dmat) : dmat :=
  let N := foldl (fun N f => dturn f N) (DMat (gd a * den M) (map (map (Z.mul (gn a))) (columns M)))
                 (dfs a) in
  match db a with Some B => dadd N B | None => N end.

(* ---- boxes of codes (R8.4 of theory/pages/decay.md) --------------------------------------- *)

(* For one entry of a code: its number there, and the interval of its box. *)
Record span := Span { number : Q; low : Q; high : Q }.
Definition less (x y : Q) : bool := negb (Qle_bool y x).
Definition same_span (s t : span) : bool :=
  [&& Qeq_bool (number s) (number t), Qeq_bool (low s) (low t) & Qeq_bool (high s) (high t)].
Definition around (s : span) : bool := Qle_bool (low s) (number s) && Qle_bool (number s) (high s).
(* The interval of s ends before the middle of the two numbers, and that of t begins behind it. *)
Definition before (s t : span) : bool :=
  let sum := Qplus (number s) (number t) in
  less (Qplus (high s) (high s)) sum && less sum (Qplus (low t) (low t)).
(* Each is one of those that were seen, or lies apart from all of them. *)
Fixpoint spans_apart (seen l : list span) : bool :=
  match l with
  | [::] => true
  | s :: r => if existsb (same_span s) seen then spans_apart seen r
              else around s && forallb (fun t => before s t || before t s) seen && spans_apart (s :: seen) r
  end.
(* Entry i, j of the first head, of a code with its box. *)
Definition span_of (i j : nat) (p : list smat * list box) : span :=
  let x := List.hd [::] p.2 in
  Span (entry2 (List.hd [::] p.1) i j) (entry2 (lows x) i j) (entry2 (highs x) i j).
(* The codes of a layer, each with its box. *)
Fixpoint boxes_apart (hs : list head) (l : list (list smat * list box)) : bool :=
  match hs with
  | [::] => true
  | h :: r =>
      forallb (fun i => forallb (fun j => spans_apart [::] (map (span_of i j) l))
                                (iota 0 (Pos.to_nat (cols h)))) (iota 0 (Pos.to_nat (rows h))) &&
      boxes_apart r (map (fun p => (List.tl p.1, List.tl p.2)) l)
  end.
(* Keys of one entry: then a letter moves every number of the state alone. *)
Definition single (f : factor) : bool := match key f with [:: _] => true | _ => false end.
Definition one_entry (hs : list head) : bool :=
  forallb (fun h => forallb (fun a => forallb single (factors a)) (on h)) hs.

(* ---- layers ------------------------------------------------------------------------------- *)

Definition nat_of := Pos.to_nat.
Definition prepare_head (h : head) : option (list daction) :=
  mapo (prepare_action (raw h) (nat_of (rows h)) (nat_of (cols h))) (on h).
Fixpoint prepare_code (hs : list head) (ms : list smat) : option (list dmat) :=
  match hs with
  | [::] => Some [::]
  | h :: r => match dense_mat (nat_of (rows h)) (nat_of (cols h)) (List.hd [::] ms),
                    prepare_code r (List.tl ms) with
              | Some x, Some s => Some (x :: s) | _, _ => None end
  end.
(* The states that have a code: one, or those between two corners of a box. *)
Inductive region := Point (M : list dmat) | Between (lowest highest : list dmat).
Definition corners (r : region) : list (list dmat) :=
  match r with Point M => [:: M] | Between L H => [:: L; H] end.
Definition in_region (M : list dmat) (r : region) : bool :=
  match r with
  | Point N => all2 equal M N
  | Between L H => all2 at_most_all L M && all2 at_most_all M H
  end.
Definition prepare_box (hs : list head) (bs : list box) : option region :=
  match prepare_code hs (map lows bs), prepare_code hs (map highs bs) with
  | Some L, Some H => Some (Between L H)
  | _, _ => None
  end.
(* The regions of the codes, whose matrices are cs. *)
Definition regions (l : layer) (cs : list (list dmat)) : option (list region) :=
  match boxes l with
  | [::] => Some (map Point cs)
  | bs => if Nat.eqb (List.length bs) (List.length (codes l)) && one_entry (heads l) &&
             boxes_apart (heads l) (combine (map matrices (codes l)) bs)
          then mapo (prepare_box (heads l)) bs else None
  end.
Record dlayer := DLayer { moves : list (PM.t daction); places : PM.t region }.

(* The layer's letters and codes as integers, if no two codes are equal and boxes are apart. *)
Definition prepare_layer (l : layer) : option dlayer :=
  match mapo prepare_head (heads l),
        mapo (fun c => prepare_code (heads l) (matrices c)) (codes l) with
  | Some acts, Some cs =>
      if distinct (all2 equal) cs then
        match regions l cs with
        | Some rs => Some (DLayer (map table acts) (table rs))
        | None => None
        end
      else None
  | _, _ => None
  end.

Fixpoint heads_act (ms : list (PM.t daction)) (x : index) (from : list dmat) : option (list dmat) :=
  match ms, from with
  | [::], [::] => Some [::]
  | m :: ms', M :: from' =>
      match PM.find x m, heads_act ms' x from' with
      | Some a, Some r => Some (dact a M :: r)
      | _, _ => None
      end
  | _, _ => None
  end.
(* Does letter x lead all states of code i to states of code j? It is enough to look at the corners. *)
Definition leads (d : dlayer) (x i j : index) : bool :=
  match PM.find i (places d), PM.find j (places d) with
  | Some r, Some r' =>
      forallb (fun M => match heads_act (moves d) x M with Some N => in_region N r' | None => false end)
              (corners r)
  | _, _ => false
  end.

(* The symbol of the last layer, if all layers go from code to code (C2 and C3 of theory/pages/closure.md). *)
Fixpoint passes (ls : list layer) (ds : list dlayer) (x : index) (from to : list index) : option index :=
  match ls, ds, from, to with
  | [::], [::], [::], [::] => Some x
  | l :: ls', d :: ds', i :: from', j :: to' =>
      if leads d x i j then
        match symbol l x j with Some y => passes ls' ds' y from' to' | None => None end
      else None
  | _, _, _, _ => None
  end.
Fixpoint begins (ls : list layer) (ds : list dlayer) (at_ : list index) : bool :=
  match ls, ds, at_ with
  | [::], [::], [::] => true
  | l :: ls', d :: ds', i :: at' =>
      match prepare_code (heads l) (map initial (heads l)), PM.find i (places d) with
      | Some M, Some r => in_region M r | _, _ => false end && begins ls' ds' at'
  | _, _, _ => false
  end.

(* ---- the certificate ---------------------------------------------------------------------- *)

Record row := Row { at_state : state; at_codes : list index; next : list index }.

Definition same_state (x y : state) : bool := all2 Pos.eqb x y.
Definition same_label (x y : option name) : bool :=
  match x, y with Some s, Some t => same_name s t | _, _ => false end.

(* The states after every letter, and the outputs of these transitions. *)
Definition successors (a : automaton) (q : state) : list (state * option name) :=
  match shape a with
  | Table _ _ _ edges =>
      match get edges (hd 1%positive q) with
      | Some row => map (fun e : edge => ([:: fst e], snd e)) row
      | None => [::]
      end
  | Permutations _ _ letters => map (fun l => (map (image (snd l)) q, None)) letters
  end.

Section Checked.
Variables (a : automaton) (m : network) (ds : list dlayer).
(* The rows by their numbers, each with the label of its state; the labels by their numbers. *)
Variables (rs : PM.t (row * option name)) (ls : PM.t name).

(* The row to which each letter of the first layer leads, and the symbol of the last layer there. *)
Fixpoint targets (r : row) (x : index) (l : list index) : option (list ((row * option name) * index)) :=
  match l with
  | [::] => Some [::]
  | k :: l' =>
      match PM.find k rs with
      | Some r' =>
          match passes (layers m) ds x (at_codes r) (at_codes r'.1), targets r (Pos.succ x) l' with
          | Some y, Some s => Some ((r', y) :: s)
          | _, _ => None
          end
      | None => None
      end
  end.
(* The same for each letter of the automaton. *)
Definition by_letter {A} (l : list A) : option (list A) :=
  match classes m with None => Some l | Some (_, cs) => mapo (get l) cs end.
Definition right_target (s : state * option name) (t : (row * option name) * index) : bool :=
  same_state s.1 (at_state t.1.1) &&
  same_label (PM.find t.2 ls) match labels_are m with Edges => s.2 | _ => t.1.2 end.
Definition check_row (r : row) : bool :=
  match targets r 1%positive (next r) with
  | Some ts =>
      match by_letter ts with
      | Some ts => Nat.eqb (List.length ts) (List.length (alphabet m)) &&
                   all2 right_target (successors a (at_state r)) ts
      | None => false
      end
  | None => false
  end.
End Checked.

Definition start_right (a : automaton) (m : network) (ls : PM.t name) : bool :=
  match labels_are m, start_label m with
  | Edges, None => true
  | Edges, Some _ => false
  | kind, Some y => same_label (PM.find y ls) (label_of kind a (start a))
  | _, None => false
  end.

Definition check (a : automaton) (m : network) (c : list row) : bool :=
  match mapo prepare_layer (layers m), c with
  | Some ds, r0 :: _ =>
      well_formed a && (in_class m && well_spelled m) &&
      all2 same_name (alphabet m) (letter_names a) &&
      same_state (at_state r0) (start a) &&
      begins (layers m) ds (at_codes r0) &&
      (let ls := table (labels m) in
       let rs := table (map (fun r => (r, label_of (labels_are m) a (at_state r))) c) in
       start_right a m ls && forallb (check_row a m ds rs ls) c)
  | _, _ => false
  end.

(* fsa and lrnn are the bytes of the two files. *)
Definition check_files (fsa lrnn : bytes) (a : automaton) (m : network) (c : list row) : bool :=
  spells (automaton_tokens a) fsa && spells (network_tokens m) lrnn && check a m c.
