(* Spelling.v: what lrnn(5) asks of a network beyond the grammar of Print.v.

   These conditions leave one spelling for a network: numbers in lowest terms, entries in order and none of
   them 0, names in their one spelling, and counts that agree. Parse.v proves that a file then says one thing. *)
From Coq Require Import List Ascii String ZArith QArith Bool.
From Lrnn Require Import Ast Print Automaton.
Import ListNotations.
Local Open Scope list_scope. Local Open Scope positive_scope.

Definition lowest (q : Q) : bool := Z.eqb (Z.gcd (Qnum q) (Zpos (Qden q))) 1.
Definition number_ok (q : Q) : bool := lowest q && negb (Z.eqb (Qnum q) 0).
Definition nonempty {A} (l : list A) : bool := match l with [] => false | _ => true end.
Definition length_is {A} (l : list A) (n : positive) : bool := N.eqb (N.of_nat (List.length l)) (Npos n).

(* Indices increase and are at most n; `before` is the index of the entry before, or 0. *)
Fixpoint svec_from (n : positive) (before : N) (v : svec) : bool :=
  match v with
  | [] => true
  | (i, q) :: r => N.ltb before (Npos i) && (i <=? n) && number_ok q && svec_from n (Npos i) r
  end.
Definition svec_ok n v := svec_from n 0 v.
(* Row by row: the place of R.C is C + n (R - 1) with n columns. *)
Fixpoint smat_from (n d : positive) (before : N) (m : smat) : bool :=
  match m with
  | [] => true
  | (i, j, q) :: r =>
      let at_ := (Npos j + Npos d * (Npos i - 1))%N in
      N.ltb before at_ && (i <=? n) && (j <=? d) && number_ok q && smat_from n d at_ r
  end.
Definition smat_ok n d m := smat_from n d 0 m.

Definition factor_ok (h : head) (f : factor) : bool :=
  lowest (beta f) && svec_ok (rows h) (key f) && svec_ok (cols h) (value f).
Definition action_ok (h : head) (a : action) : bool :=
  lowest (gate a) && smat_ok (rows h) (cols h) (bias a) && forallb (factor_ok h) (factors a).
Definition head_ok (letters : positive) (h : head) : bool :=
  smat_ok (rows h) (cols h) (initial h) && length_is (on h) letters && forallb (action_ok h) (on h).

Definition symbol_ok (symbols : positive) (y : option index) : bool :=
  match y with Some i => i <=? symbols | None => true end.
Definition answer_ok (by_ : decoder) (symbols : positive) (a : answer) : bool :=
  match by_, a with
  | ByState, Symbol y => symbol_ok symbols y
  | ByStep _, Star => true
  | ByPart sizes _, Values v => all2 (fun i n => i <=? n) v sizes
  | _, _ => false
  end.
Definition code_ok (l : layer) (c : code) : bool :=
  answer_ok (decode_by l) (gives l) (says c) &&
  all2 (fun h m => smat_ok (rows h) (cols h) m) (heads l) (matrices c).
(* All entries row by row; `before` of them come before those of x. *)
Fixpoint box_from (n d : positive) (before : N) (x : box) : bool :=
  match x with
  | [] => N.eqb before (Npos (n * d))
  | (i, j, (low, high)) :: r =>
      (i <=? n) && (j <=? d) && N.eqb (Npos j + Npos d * (Npos i - 1)) (N.succ before) &&
      lowest low && lowest high && box_from n d (N.succ before) r
  end.
Definition box_ok (h : head) (x : box) : bool := box_from (rows h) (cols h) 0 x.
Definition boxes_ok (l : layer) : bool :=
  match boxes l with
  | [] => true
  | bs => Nat.eqb (List.length bs) (List.length (codes l)) && forallb (all2 box_ok (heads l)) bs
  end.
(* Yield lines go by letters, and then by codes. *)
Fixpoint yields_from (l : layer) (n x0 i0 : N) (ys : list (index * index * index)) : bool :=
  match ys with
  | [] => true
  | (x, i, y) :: r =>
      (N.ltb x0 (Npos x) || (N.eqb x0 (Npos x) && N.ltb i0 (Npos i))) &&
      (x <=? reads l) && N.leb (Npos i) n && (y <=? gives l) && yields_from l n (Npos x) (Npos i) r
  end.
Definition table_ok (l : layer) (sizes : list positive) (t : index * list (option index)) : bool :=
  match get sizes (fst t) with
  | Some n => length_is (snd t) n && forallb (symbol_ok (gives l)) (snd t)
  | None => false
  end.
Definition decoder_ok (l : layer) : bool :=
  match decode_by l with
  | ByState => true
  | ByStep ys => yields_from l (N.of_nat (List.length (codes l))) 0 0 ys
  | ByPart sizes tables => nonempty sizes && length_is tables (reads l) &&
                           forallb (table_ok l sizes) tables
  end.
Definition layer_ok (letters : positive) (l : layer) : bool :=
  (reads l =? letters) && nonempty (heads l) && nonempty (codes l) &&
  forallb (head_ok letters) (heads l) && forallb (code_ok l) (codes l) && boxes_ok l && decoder_ok l.

(* A layer reads the symbols of the one below, and the symbols of the last one are the labels. *)
Fixpoint layers_ok (letters labels : positive) (ls : list layer) : bool :=
  match ls with
  | [] => false
  | [l] => layer_ok letters l && (gives l =? labels)
  | l :: r => layer_ok letters l && layers_ok (gives l) labels r
  end.

(* Classes are numbered by their first letters. *)
Fixpoint classes_from (n : N) (cs : list index) : N :=
  match cs with
  | [] => n
  | c :: r => if N.ltb n (Npos c) then if N.eqb (Npos c) (N.succ n) then classes_from (N.succ n) r else 0
              else classes_from n r
  end.
Definition classes_ok (letters : positive) (c : option (positive * list index)) : bool :=
  match c with
  | None => true
  | Some (n, cs) => (n <? letters) && length_is cs letters && N.eqb (classes_from 0 cs) (Npos n)
  end.

Definition hex_digit (c : ascii) : bool := some (hexadecimal c).
Definition start_ok (m : network) : bool :=
  match labels_are m, start_label m with
  | Edges, None => true
  | Edges, Some _ => false
  | _, Some i => N.leb (Npos i) (N.of_nat (List.length (labels m)))
  | _, None => false
  end.
Definition well_spelled (m : network) : bool :=
  Nat.eqb (List.length (fsa_hash m)) 64 && forallb hex_digit (fsa_hash m) &&
  forallb name_ok (alphabet m) && nonempty (alphabet m) && nonempty (labels m) &&
  forallb name_ok (labels m) && distinct same_name (labels m) && start_ok m &&
  let k := Pos.of_nat (List.length (alphabet m)) in
  classes_ok k (classes m) &&
  layers_ok match classes m with Some (n, _) => n | None => k end
            (Pos.of_nat (List.length (labels m))) (layers m).
