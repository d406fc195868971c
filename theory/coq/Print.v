(* Print.v: how an automaton and a network are spelled.

   This is the grammar of the two files (fsa(5), canonical form, and lrnn(5)) as a function: a file says x
   just if it is the bytes print_automaton x or print_network x. Theorems about files need no parser
   for this. Parse.v proves that no file says two things. *)
From Coq Require Import List Ascii String ZArith QArith DecimalString Decimal.
From Lrnn Require Import Ast.
Import ListNotations.
Local Open Scope list_scope.

Definition b (s : string) : bytes := list_ascii_of_string s.
Arguments b s%string.
Definition newline : ascii := ascii_of_nat 10.
Definition nl : bytes := [newline].
Definition tokens := list bytes.

(* ---- numbers ------------------------------------------------------------------------------ *)

Definition pos (i : positive) : bytes := b (NilZero.string_of_uint (Pos.to_uint i)).
Definition count {A} (l : list A) : bytes :=
  match List.length l with O => b "0" | S n => pos (Pos.of_succ_nat n) end.
Definition int (z : Z) : bytes :=
  match z with Z0 => b "0" | Zpos p => pos p | Zneg p => b "-" ++ pos p end.
Definition rat (q : Q) : tokens :=
  match Qden q with
  | xH => [int (Qnum q)]
  | d => [int (Qnum q); b "/"; pos d]
  end.

(* ---- lists -------------------------------------------------------------------------------- *)

Definition each {A} (f : A -> tokens) (l : list A) : tokens := List.flat_map f l.
(* The same, where f is told the number of the element: k, k + 1, and so on. *)
Fixpoint numbered_from {A} (k : positive) (f : positive -> A -> tokens) (l : list A) : tokens :=
  match l with
  | [] => []
  | x :: r => f k x ++ numbered_from (Pos.succ k) f r
  end.
Definition numbered {A} := @numbered_from A 1.

(* ---- automaton.fsa ------------------------------------------------------------------------ *)

Definition nth_name (l : list name) (i : index) : name := nth (Nat.pred (Pos.to_nat i)) l [].
Definition names (l : list name) : tokens := each (fun n => [b " "; n]) l.

Definition accept_tokens (a : automaton) : tokens :=
  match accepts a with Some l => b "accept" :: names l ++ [nl] | None => [] end.
Definition output_tokens (a : automaton) : tokens :=
  match outputs a with
  | Some l => each (fun p => [b "output "; fst p; b " "; snd p; nl]) l
  | None => []
  end.

Definition added_tokens (states : list name) (a : automaton) : tokens :=
  match added a with
  | Some (q, hash) => [b "fsa added "; nth_name states q; b " source "; hash; nl]
  | None => []
  end.

Definition cycle (c : list index) : tokens :=
  match c with
  | [] => [b "()"]
  | p :: r => [b "("; pos p] ++ each (fun q => [b " "; pos q]) r ++ [b ")"]
  end.
Definition cycles (l : list (list index)) : tokens :=
  match l with [] => [b "()"] | _ => each cycle l end.

Definition edge_tokens (states : list name) (from letter : name) (e : edge) : tokens :=
  [from; b " "; letter; b " "; nth_name states (fst e)] ++
  match snd e with Some y => [b " "; y] | None => [] end ++ [nl].

Definition automaton_tokens (a : automaton) : tokens :=
  [b "fsa 1"; nl] ++
  match shape a with
  | Table letters states start edges =>
      b "letters" :: names letters ++ [nl] ++
      b "states" :: names states ++ [nl] ++
      [b "start "; nth_name states start; nl] ++ added_tokens states a ++ accept_tokens a ++ output_tokens a ++
      each (fun row : name * list edge =>
        each (fun e : name * edge => edge_tokens states (fst row) (fst e) (snd e))
          (combine letters (snd row)))
        (combine states edges)
  | Permutations n what letters =>
      [b "points "; pos n; nl] ++
      match what with
      | Elements => [b "track elements"; nl]
      | Points s => [b "track points "; pos s; nl]
      end ++ accept_tokens a ++ output_tokens a ++
      each (fun l : name * list (list index) =>
        [b "permute "; fst l; b " "] ++ cycles (snd l) ++ [nl]) letters
  end.

(* ---- network.lrnn ------------------------------------------------------------------------- *)

Definition svec_tokens (v : svec) : tokens :=
  each (fun e => [b " "; pos (fst e); b ":"] ++ rat (snd e)) v.
Definition smat_tokens (m : smat) : tokens :=
  each (fun e => [b " "; pos (fst (fst e)); b "."; pos (snd (fst e)); b ":"] ++ rat (snd e)) m.

Definition factor_tokens (f : factor) : tokens :=
  b "factor " :: rat (beta f) ++ b " u" :: svec_tokens (key f) ++
  match value f with [] => [] | c => b " c" :: svec_tokens c end ++ [nl].
Definition action_tokens (x : index) (a : action) : tokens :=
  [b "on "; pos x; b " gate "] ++ rat (gate a) ++ [b " factors "; count (factors a)] ++
  match bias a with [] => [] | m => b " bias" :: smat_tokens m end ++ nl ::
  each factor_tokens (factors a).
Definition head_tokens (i : index) (h : head) : tokens :=
  [b "head "; pos i; b " key "; pos (rows h); b " value "; pos (cols h); nl] ++
  (if raw h then [b "raw"; nl] else []) ++
  b "initial" :: smat_tokens (initial h) ++ nl :: numbered action_tokens (on h).

(* The matrices of a code, with a semicolon between two; and the same for boxes. *)
Fixpoint joined {A} (f : A -> tokens) (l : list A) : tokens :=
  match l with
  | [] => []
  | [m] => f m
  | m :: r => f m ++ b " ;" :: joined f r
  end.
Definition symbol_token (y : option index) : bytes :=
  match y with Some i => pos i | None => b "-" end.
Fixpoint commas (l : list index) : tokens :=
  match l with [] => [] | [v] => [pos v] | v :: r => pos v :: b "," :: commas r end.
Definition answer_tokens (a : answer) : tokens :=
  match a with Symbol y => [symbol_token y] | Star => [b "*"] | Values v => commas v end.
Definition code_tokens (i : index) (c : code) : tokens :=
  [b "code "; pos i; b " "] ++ answer_tokens (says c) ++ joined smat_tokens (matrices c) ++ [nl].

Definition box_tokens (x : box) : tokens :=
  each (fun e => [b " "; pos (fst (fst e)); b "."; pos (snd (fst e)); b ":"] ++
                 rat (fst (snd e)) ++ b "," :: rat (snd (snd e))) x.
Definition boxes_tokens (i : index) (l : list box) : tokens :=
  [b "box "; pos i] ++ joined box_tokens l ++ [nl].

Definition yield_tokens (y : index * index * index) : tokens :=
  [b "yield "; pos (fst (fst y)); b " "; pos (snd (fst y)); b " "; pos (snd y); nl].
Definition part_tokens (x : index) (t : index * list (option index)) : tokens :=
  [b "yield "; pos x; b " "; pos (fst t)] ++ each (fun y => [b " "; symbol_token y]) (snd t) ++ [nl].
Definition layer_tokens (i : index) (l : layer) : tokens :=
  [b "layer "; pos i; b " letters "; pos (reads l); b " heads "; count (heads l);
   b " codes "; count (codes l); b " symbols "; pos (gives l);
   match decode_by l with ByState => b " decode state" | ByStep _ => b " decode step"
                        | ByPart _ _ => b " decode part" end; nl] ++
  match decode_by l with
  | ByPart sizes _ => b "parts" :: each (fun n => [b " "; pos n]) sizes ++ [nl]
  | _ => []
  end ++
  numbered head_tokens (heads l) ++ numbered code_tokens (codes l) ++ numbered boxes_tokens (boxes l) ++
  match decode_by l with
  | ByState => []
  | ByStep yields => each yield_tokens yields
  | ByPart _ tables => numbered part_tokens tables
  end.

Definition network_tokens (m : network) : tokens :=
  [b "lrnn 2"; nl; b "fsa "; fsa_hash m; nl; b "field Q"; nl] ++
  (if fitted m then [b "read-out fitted"; nl] else []) ++
  [match labels_are m with States => b "label states" | Outputs => b "label outputs"
                         | Acceptance => b "label accept" | Edges => b "label edges" end; nl;
   b "letters "; count (alphabet m); nl] ++
  each (fun n => [b "letter "; n; nl]) (alphabet m) ++
  match classes m with
  | None => []
  | Some (n, l) => [b "letter-classes "; pos n] ++ each (fun c => [b " "; pos c]) l ++ [nl]
  end ++
  [b "labels "; count (labels m); nl] ++
  each (fun n => [b "symbol "; n; nl]) (labels m) ++
  [b "start "; symbol_token (start_label m); nl; b "layers "; count (layers m); nl] ++
  numbered layer_tokens (layers m) ++ [b "end"; nl].

Definition print_automaton a : bytes := List.concat (automaton_tokens a).
Definition print_network m : bytes := List.concat (network_tokens m).

(* ---- comparing a file with what is printed, from the left --------------------------------- *)

Fixpoint eat (t s : bytes) : option bytes :=
  match t, s with
  | [], _ => Some s
  | x :: t', y :: s' => if Ascii.eqb x y then eat t' s' else None
  | _ :: _, [] => None
  end.
Fixpoint spells (ts : tokens) (s : bytes) : bool :=
  match ts with
  | [] => match s with [] => true | _ => false end
  | t :: ts' => match eat t s with Some s' => spells ts' s' | None => false end
  end.

Lemma eat_ok t s r : eat t s = Some r -> s = t ++ r.
Proof.
  revert s; induction t as [|x t IH]; intros [|y s]; simpl; intro H; try congruence.
  destruct (Ascii.eqb_spec x y) as [->|]; try discriminate. now rewrite (IH _ H).
Qed.
Theorem spells_ok ts s : spells ts s = true -> s = List.concat ts.
Proof.
  revert s; induction ts as [|t ts IH]; simpl; intros s H.
  - destruct s; congruence.
  - destruct (eat t s) as [r|] eqn:E; try discriminate.
    now rewrite (eat_ok _ _ _ E), (IH _ H).
Qed.
