(* Export.v: a certificate as a theorem about three strings of bytes.

   `fsa2lrnn export NET --to coq` writes a file with the bytes of automaton.fsa, network.lrnn and certificate.cert
   as string literals, and applies check_bytes_sound to them. *)
From Coq Require Import List ZArith QArith FMapPositive Ascii String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Check Parse Main Cascade.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---- claim exact: the rows of a certificate, as a hint ------------------------------------ *)

(* A line "row i state q codes c_1 .. next r_1 ..": the codes and the next rows. *)
Definition numbers : parser (list index) := many (lit (b " ") ;;; p_pos).
Definition p_row : parser (list index * list index) :=
  lit (b "row ") ;;; p_pos ;;; lit (b " state ") ;;; p_pos ;;; lit (b " codes") ;;; c <- numbers ;;
  lit (b " next") ;;; n <- numbers ;; lit nl ;;; ret (c, n).
(* The bytes from the first place on where w is. *)
Fixpoint from_word (w s : bytes) : bytes :=
  match s with
  | [::] => [::]
  | _ :: r => if lit w s is Some _ then s else from_word w r
  end.

(* The rows with their states: row 1 has the start, and each row gives states to the rows that follow it. *)
Fixpoint reach (t : PM.t state) (qs : seq (state * option name)) (rs : seq index) : PM.t state :=
  match qs, rs with
  | (q, _) :: qs', r :: rs' => reach (if PM.mem r t then t else PM.add r q t) qs' rs'
  | _, _ => t
  end.
Fixpoint with_states (a : automaton) (m : network) (t : PM.t state) (i : index)
    (l : seq (list index * list index)) : seq row :=
  match l with
  | [::] => [::]
  | (codes, next) :: r =>
      let q := if PM.find i t is Some q then q else [::] in
      let t' := if by_letter m next is Some rs then reach t (successors a q) rs else t in
      Row q codes next :: with_states a m t' (Pos.succ i) r
  end.
Definition rows_of (a : automaton) (m : network) (cert : bytes) : seq row :=
  if many p_row (from_word (b "row ") cert) is Some (l, _)
  then with_states a m (PM.add 1%positive (start a) (PM.empty _)) 1%positive l else [::].

(* ---- claim cascade: its lines, as a hint -------------------------------------------------- *)

Record set_line := SetLine { of_level : index; members : list index; cover : list index }.
Definition p_set : parser set_line :=
  lit (b "set ") ;;; p_pos ;;; lit (b " level ") ;;; v <- p_pos ;; lit (b " members") ;;; l <- numbers ;;
  c <- optional [::] (lit (b " cover") ;;; numbers) ;; lit nl ;;; ret (SetLine v l c).
Definition p_context : parser context :=
  lit (b "context ") ;;; i <- p_pos ;; lit (b " letter ") ;;; x <- p_pos ;; lit (b " from ") ;;; f <- p_pos ;;
  lit (b " to ") ;;; t <- p_pos ;; h <- optional i (lit (b " reads ") ;;; p_pos) ;; lit nl ;;;
  ret (Context h x f t).
(* A pair, with the set that it hands on if it is listed. *)
Definition p_pair : parser (pair * option index) :=
  lit (b "pair ") ;;; p_pos ;;; lit (b " set ") ;;; s <- p_pos ;; lit (b " codes") ;;; l <- numbers ;;
  c <- optional None (lit (b " child ") ;;; c <- p_pos ;; ret (Some c)) ;; lit (b " next") ;;; n <- numbers ;;
  lit nl ;;; ret (Pair s l 1%positive n, c).
Definition p_level : parser (index * list context * list (pair * option index)) :=
  lit (b "level ") ;;; p_pos ;;; lit (b " layers ") ;;; w <- p_pos ;; lit (b " contexts ") ;;; p_pos ;;;
  lit (b " pairs ") ;;; p_pos ;;; lit nl ;;; c <- many p_context ;; p <- many p_pair ;; ret (w, c, p).

(* The set that a pair hands on: the member of the cover that part 1 of its first code names. *)
Definition handed_on (sets : PM.t set_line) (codes : PM.t code) (v : index) (p : pair * option index) : index :=
  if p.2 is Some c then c else
  if PM.find (set_of p.1) sets is Some z then
    if Pos.eqb (of_level z) v then
      if PM.find (List.hd 1%positive (codes_of p.1)) codes is Some c then
        if says c is Values (i :: _) then
          if get (cover z) i is Some x then x else 1%positive
        else 1%positive else 1%positive
    else set_of p.1
  else 1%positive.
Fixpoint levels_of (sets : PM.t set_line) (ls : list layer) (v : index)
    (l : list (index * list context * list (pair * option index))) : list level :=
  match l with
  | [::] => [::]
  | (w, c, ps) :: r =>
      let first := if ls is y :: _ then table (codes y) else PM.empty _ in
      let pair_of p := Pair (set_of p.1) (codes_of p.1) (handed_on sets first v p) (nexts p.1) in
      let n := Pos.to_nat w in
      Level n c (List.map pair_of ps) :: levels_of sets (skipn n ls) (Pos.succ v) r
  end.
(* States are numbers here; the elements of a group have no certificates of this claim. *)
Definition cascade_of (m : network) (cert : bytes) : option cascade :=
  let p := l <- many p_set ;; vs <- many p_level ;; lit (b "start") ;;; s <- numbers ;; ret (l, vs, s) in
  if p (from_word (b "set ") cert) is Some ((l, vs, s), _) then
    Some (Cascade (List.map (fun z => List.map (fun q => [:: q]) (members z)) l)
                  (levels_of (table l) (layers m) 1%positive vs) s)
  else None.

(* ---- the theorem -------------------------------------------------------------------------- *)

Definition check_bytes (fsa lrnn cert : bytes) : bool :=
  match parse_automaton fsa, parse_network lrnn with
  | Some a, Some m =>
      if cascade_of m cert is Some c then check_cascade_files fsa lrnn a m c
      else check_files fsa lrnn a m (rows_of a m cert)
  | _, _ => false
  end.

(* What the bytes of two files say: an automaton and a network, which nothing else is spelled like, and the
   network's label is the automaton's after every word, over every ordered field, where the decoder takes the code
   that is equal, or whose box holds the state, and where it takes the code that is nearest. *)
Definition proved (fsa lrnn : bytes) : Prop :=
  exists a m, [/\ parse_automaton fsa = Some a /\ print_automaton a = fsa,
    parse_network lrnn = Some m /\ print_network m = lrnn, in_class m = true &
    forall F : realFieldType, tracks (@exactly F) a m /\ tracks (@nearest F) a m].

Theorem check_bytes_sound fsa lrnn cert : check_bytes fsa lrnn cert = true -> proved fsa lrnn.
Proof.
rewrite /check_bytes; case pa: (parse_automaton fsa) => [a|//]; case pm: (parse_network lrnn) => [m|//].
case: (cascade_of m cert) => [c|] ok.
  have [ef el [_ cl _] _ t] := check_cascade_files_sound ok.
  by exists a, m; split=> //; split.
have [ef el [_ cl _] _ t] := check_files_sound ok.
by exists a, m; split=> //; split.
Qed.
Print Assumptions check_bytes_sound.
