(* Ast.v: what automaton.fsa and network.lrnn hold, as data.

   Print.v says how this is spelled (fsa(5) and lrnn(5) in docs/man), Automaton.v and Model.v what it
   means. Indices count from 1, as in the files. A name is kept as the file spells it, with its quotation
   marks and escapes; well_formed in Automaton.v admits one spelling of a name only. *)
From Coq Require Import List Ascii String ZArith QArith.
Import ListNotations.

Definition bytes := list ascii.
Definition name := bytes.
Definition index := positive.

(* ---- automaton.fsa: fsa(5), the canonical form ------------------------------------------- *)

(* What the states of a group of permutations are: its elements, or the places of one point. *)
Inductive tracked := Elements | Points (start : index).

(* A transition: the state that it leads to, and its output if transitions have outputs. *)
Definition edge := (index * option name)%type.

Inductive machine :=
  (* edges: for every state, for every letter, the transition *)
| Table (letters states : list name) (start : index) (edges : list (list edge))
  (* letters permute the points 1, .., points; each is given by its cycles, and acts from the right *)
| Permutations (points : positive) (what : tracked)
               (letters : list (name * list (list index))).

Record automaton := Automaton {
  shape   : machine;
  accepts : option (list name);                (* the names of the accepting states *)
  outputs : option (list (name * name));       (* for every state its name and its output *)
  added   : option (index * bytes) }.          (* the state that takes the transitions which the source
                                                  lacks, and the SHA-256 of the source *)

(* ---- network.lrnn: lrnn(5), networks of layers over Q ------------------------------------- *)

Definition svec := list (index * Q).           (* " I:V" ..; entries that are not listed are 0 *)
Definition smat := list (index * index * Q).   (* " R.C:V" ..; the same for matrices *)

(* One step S <- S - (beta / u^T u) u (u^T S - c^T), with u = key and c = value. *)
Record factor := Factor { beta : Q; key : svec; value : svec }.

(* What a letter does to the state of a head: S <- gate S, the factors in order, S <- S + bias. *)
Record action := Action { gate : Q; bias : smat; factors : list factor }.

Record head := Head {
  rows : positive;                             (* key dimension *)
  cols : positive;                             (* value dimension *)
  raw : bool;                                  (* factors have 1 in the place of u^T u *)
  initial : smat;
  on : list action }.                          (* one for every letter of the layer *)

(* What follows the number on the line of a code. *)
Inductive answer :=
| Symbol (y : option index)                    (* decode state: the symbol, or none *)
| Star                                         (* decode step: yield lines have the symbol *)
| Values (v : list index).                     (* decode part: the value of every part *)

Record code := Code { says : answer; matrices : list smat }.   (* one matrix for every head *)

(* " R.C:A,B" ..: A <= entry <= B; all entries of a head are listed. *)
Definition box := list (index * index * (Q * Q)).

Inductive decoder :=
| ByState
| ByStep (yields : list (index * index * index))               (* letter, code, symbol *)
| ByPart (sizes : list positive)                               (* number of values of every part *)
         (tables : list (index * list (option index))).        (* for every letter the part that it
                                                                  reads, and a symbol for each value *)

Record layer := Layer {
  reads : positive;                            (* number of letters *)
  gives : positive;                            (* number of symbols *)
  heads : list head;
  codes : list code;
  boxes : list (list box);                     (* for every code a box for every head; or none *)
  decode_by : decoder }.

(* Which name of the automaton a label is. *)
Inductive labelling := States | Outputs | Acceptance | Edges.

Record network := Network {
  fsa_hash : bytes;                            (* SHA-256 of automaton.fsa *)
  fitted : bool;                               (* the line "read-out fitted"; it has no meaning here *)
  labels_are : labelling;
  alphabet : list name;
  classes : option (positive * list index);    (* their number, and the class of every letter *)
  labels : list name;
  start_label : option index;                  (* the label of the empty word, if it has one *)
  layers : list layer }.
