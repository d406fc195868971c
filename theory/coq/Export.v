(* Export.v: a certificate as a theorem about three strings of bytes.

   `fsa2lrnn export NET --to coq` writes a file with the bytes of automaton.fsa, network.lrnn and certificate.cert
   as string literals, and applies check_bytes_sound to them. *)
From Coq Require Import List ZArith QArith FMapPositive Ascii String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Check Parse Main.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---- the rows of a certificate, as a hint ------------------------------------------------- *)

(* A line "row i state q codes c_1 .. next r_1 ..": the codes and the next rows. *)
Definition numbers : parser (list index) := many (lit (b " ") ;;; p_pos).
Definition p_row : parser (list index * list index) :=
  lit (b "row ") ;;; p_pos ;;; lit (b " state ") ;;; p_pos ;;; lit (b " codes") ;;; c <- numbers ;;
  lit (b " next") ;;; n <- numbers ;; lit nl ;;; ret (c, n).
Fixpoint from_rows (s : bytes) : bytes :=
  match s with
  | [::] => [::]
  | _ :: r => if lit (b "row ") s is Some _ then s else from_rows r
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
  if many p_row (from_rows cert) is Some (l, _)
  then with_states a m (PM.add 1%positive (start a) (PM.empty _)) 1%positive l else [::].

(* ---- the theorem -------------------------------------------------------------------------- *)

Definition check_bytes (fsa lrnn cert : bytes) : bool :=
  match parse_automaton fsa, parse_network lrnn with
  | Some a, Some m => check_files fsa lrnn a m (rows_of a m cert)
  | _, _ => false
  end.

(* What the bytes of two files say: an automaton and a network, which nothing else is spelled like, and the
   network's label is the automaton's after every word, over every ordered field, where the decoder takes the code
   that is equal and where it takes the code that is nearest. *)
Definition proved (fsa lrnn : bytes) : Prop :=
  exists a m, [/\ parse_automaton fsa = Some a /\ print_automaton a = fsa,
    parse_network lrnn = Some m /\ print_network m = lrnn, in_class m = true &
    forall F : realFieldType, tracks (@exactly F) a m /\ tracks (@nearest F) a m].

Theorem check_bytes_sound fsa lrnn cert : check_bytes fsa lrnn cert = true -> proved fsa lrnn.
Proof.
rewrite /check_bytes; case pa: (parse_automaton fsa) => [a|//]; case pm: (parse_network lrnn) => [m|//] ok.
have [ef el [_ cl _] _ t] := check_files_sound ok.
by exists a, m; split=> //; split.
Qed.
Print Assumptions check_bytes_sound.
