(* Automaton.v: what an automaton says of a word, and which automata are well formed.

   Words act from the right, so that the first letter acts first (conventions of theory/pages/index.md). Plain
   lists, and no library but Coq's own. *)
From Coq Require Import List Ascii String ZArith QArith Bool.
From Lrnn Require Import Ast Print.
Import ListNotations.
Local Open Scope list_scope. Local Open Scope positive_scope.

(* The element with number i, counting from 1. *)
Definition get {A} (l : list A) (i : index) : option A := nth_error l (Nat.pred (Pos.to_nat i)).

Fixpoint same_name (x y : name) : bool :=
  match x, y with
  | [], [] => true
  | c :: x', d :: y' => Ascii.eqb c d && same_name x' y'
  | _, _ => false
  end.

(* ---- permutations ------------------------------------------------------------------------- *)

(* The point after p in a cycle that begins with the point `first`; None if p is not in it. *)
Fixpoint follows (first : index) (c : list index) (p : index) : option index :=
  match c with
  | [] => None
  | q :: r => if q =? p then Some match r with q' :: _ => q' | [] => first end
              else follows first r p
  end.
(* Where a permutation, given by its cycles, takes p. *)
Fixpoint image (cs : list (list index)) (p : index) : index :=
  match cs with
  | [] => p
  | c :: r => match follows (hd 1 c) c p with Some q => q | None => image r p end
  end.

Definition upto (n : positive) : list index :=       (* 1 .. n *)
  map Pos.of_succ_nat (seq 0 (Pos.to_nat n)).

(* The cycles of a permutation g, given by the images of all points. Each begins with its least point: the
   points after p, until p comes again. *)
Fixpoint orbit (fuel : nat) (g : list index) (p q : index) : list index :=
  match fuel with
  | O => []
  | S k => if q =? p then [] else q :: orbit k g p (nth (Nat.pred (Pos.to_nat q)) g 1)
  end.
Definition cycle_at (g : list index) (p : index) : list (list index) :=
  let c := orbit (List.length g) g p (nth (Nat.pred (Pos.to_nat p)) g 1) in
  match c with [] => [] | _ => if forallb (fun q => p <? q) c then [p :: c] else [] end.
Definition quote : ascii := ascii_of_nat 34.
Definition cycle_name (g : list index) : name :=
  [quote] ++ List.concat (cycles (flat_map (cycle_at g) (map Pos.of_succ_nat (seq 0 (List.length g)))))
  ++ [quote].

(* ---- the run on a word -------------------------------------------------------------------- *)

(* A state is one number (a state of a table, a point), or the images of all points. *)
Definition state := list index.

Definition start (a : automaton) : state :=
  match shape a with
  | Table _ _ s _ => [s]
  | Permutations n Elements _ => upto n
  | Permutations _ (Points s) _ => [s]
  end.

Definition transition (edges : list (list edge)) (q : state) (x : index) : option edge :=
  match get edges (hd 1 q) with Some row => get row x | None => None end.
Definition delta (a : automaton) (q : state) (x : index) : option state :=
  match shape a with
  | Table _ _ _ edges =>
      match transition edges q x with Some e => Some [fst e] | None => None end
  | Permutations _ _ letters =>
      match get letters x with Some l => Some (map (image (snd l)) q) | None => None end
  end.

Definition state_name (a : automaton) (q : state) : name :=
  match shape a with
  | Table _ states _ _ => nth_name states (hd 1 q)
  | Permutations _ Elements _ => cycle_name q
  | Permutations _ (Points _) _ => pos (hd 1 q)
  end.

(* The label of a state; transitions, not states, have the labels of kind Edges. *)
Definition label_of (kind : labelling) (a : automaton) (q : state) : option name :=
  match kind with
  | States => Some (state_name a q)
  | Outputs =>
      match outputs a with
      | Some l => match find (fun p => same_name (fst p) (state_name a q)) l with
                  | Some p => Some (snd p) | None => None end
      | None => None
      end
  | Acceptance =>
      match accepts a with
      | Some l => Some (if existsb (same_name (state_name a q)) l
                        then quote :: b "accept" ++ [quote] else b "reject")
      | None => None
      end
  | Edges => None
  end.

Definition edge_output (a : automaton) (q : state) (x : index) : option name :=
  match shape a with
  | Table _ _ _ edges => match transition edges q x with Some e => snd e | None => None end
  | _ => None
  end.
(* The label after letter x, which is read in state q and leads to state r (theory/pages/closure.md, C11). *)
Definition label_after (kind : labelling) (a : automaton) (q : state) (x : index) (r : state) :
    option name :=
  match kind with Edges => edge_output a q x | _ => label_of kind a r end.

Definition read (kind : labelling) (a : automaton) (s : option (state * option name)) (x : index) :
    option (state * option name) :=
  match s with
  | Some (q, _) => match delta a q x with
                   | Some r => Some (r, label_after kind a q x r)
                   | None => None
                   end
  | None => None
  end.
(* The state after a word, and the label there. *)
Definition reached (kind : labelling) (a : automaton) (w : list index) : option (state * option name) :=
  fold_left (read kind a) w (Some (start a, label_of kind a (start a))).
Definition run_automaton (kind : labelling) (a : automaton) (w : list index) : option name :=
  match reached kind a w with Some (_, y) => y | None => None end.

Definition letter_names (a : automaton) : list name :=
  match shape a with Table l _ _ _ => l | Permutations _ _ l => map fst l end.

(* ---- the one spelling of a name (fsa(5)) -------------------------------------------------- *)

Definition code_of (c : ascii) : N := N_of_ascii c.
Definition among (l : list N) (c : ascii) : bool := existsb (N.eqb (code_of c)) l.
Definition control (c : ascii) : bool := N.ltb (code_of c) 32 || N.eqb (code_of c) 127.

(* Hexadecimal digits of 0x01 to 0x1f and 0x7f, without the five that have an escape of their own. *)
Definition hexadecimal (c : ascii) : option N :=
  let n := code_of c in
  if N.leb 48 n && N.leb n 57 then Some (n - 48)%N
  else if N.leb 97 n && N.leb n 102 then Some (n - 87)%N else None.
Definition escaped_control (h l : ascii) : bool :=
  match hexadecimal h, hexadecimal l with
  | Some h, Some l =>
      let v := (16 * h + l)%N in
      (N.eqb v 127 || (N.ltb 0 v && N.ltb v 32)) && negb (existsb (N.eqb v) [8; 9; 10; 12; 13]%N)
  | _, _ => false
  end.

(* What follows the opening quotation mark: None if it is no name, else whether it has a byte that only a
   quoted name may have. 34 is the quotation mark, 92 the backslash. *)
Fixpoint quoted (s : bytes) (special : bool) : option bool :=
  match s with
  | [] => None
  | c :: r =>
      if N.eqb (code_of c) 34 then match r with [] => Some special | _ => None end
      else if N.eqb (code_of c) 92 then
        match r with
        | e :: r1 =>
            if N.eqb (code_of e) 92 then quoted r1 special
            else if among [34; 98; 102; 110; 114; 116]%N e then quoted r1 true
            else match r1 with
                 | z :: z' :: h :: l :: r2 =>
                     if N.eqb (code_of e) 117 && among [48]%N z && among [48]%N z' && escaped_control h l
                     then quoted r2 true else None
                 | _ => None
                 end
        | [] => None
        end
      else if control c then None
      else quoted r (special || among [32; 35; 40; 41]%N c)
  end.
Definition words : list bytes :=
  map b ["eps"; "fsa"; "letters"; "states"; "start"; "accept"; "output"; "points"; "track"; "permute"]%string.
Definition word (x : bytes) : bool := existsb (same_name x) words.
Definition bare (c : ascii) : bool := negb (control c || among [32; 34; 35; 40; 41]%N c).
Definition name_ok (x : name) : bool :=
  match x with
  | [] => false
  | c :: r =>
      if N.eqb (code_of c) 34 then
        match quoted r false with
        | Some special => special || match r with [_] => true | _ => word (removelast r) end
        | None => false
        end
      else forallb bare x && negb (word x)
  end.

(* ---- well-formed automata ----------------------------------------------------------------- *)

Fixpoint distinct {A} (eqb : A -> A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: r => negb (existsb (eqb x) r) && distinct eqb r end.
Fixpoint all2 {A B} (f : A -> B -> bool) (l : list A) (m : list B) : bool :=
  match l, m with
  | [], [] => true | x :: r, y :: s => f x y && all2 f r s | _, _ => false
  end.
(* Is l what is left of m when elements are deleted? *)
Fixpoint part_of (l m : list name) : bool :=
  match l, m with
  | [], _ => true
  | _, [] => false
  | x :: l', y :: m' => if same_name x y then part_of l' m' else part_of l m'
  end.

(* The names of the states, in their order; the elements of a group are not listed. *)
Definition state_names (a : automaton) : option (list name) :=
  match shape a with
  | Table _ states _ _ => Some states
  | Permutations n (Points _) _ => Some (map pos (upto n))
  | Permutations _ Elements _ => None
  end.
(* The accepting states are states, each named once, in the order of the states; outputs name all states in
   this order. Where the states are the elements of a group, each is named at most once. *)
Definition marks_ok (a : automaton) : bool :=
  match accepts a, state_names a with
  | None, _ => true
  | Some l, Some names => part_of l names
  | Some l, None => distinct same_name l && forallb name_ok l
  end &&
  match outputs a, state_names a with
  | None, _ => true
  | Some l, Some names => negb (match l with [] => true | _ => false end) &&
                          all2 same_name (map fst l) names && forallb name_ok (map snd l)
  | Some l, None => negb (match l with [] => true | _ => false end) &&
                    distinct same_name (map fst l) && forallb name_ok (map fst l)
                    && forallb name_ok (map snd l)
  end.

Definition some {A} (x : option A) : bool := match x with Some _ => true | None => false end.
Definition at_most (n : N) (i : index) : bool := N.leb (Npos i) n.

Definition hash_ok (h : bytes) : bool := Nat.eqb (List.length h) 64 && forallb (fun c => some (hexadecimal c)) h.
(* The added state is not the start, does not accept, and every letter leads it to itself; where states or
   transitions have outputs, no other state, and no transition to another state, has its output. *)
Definition added_ok (a : automaton) : bool :=
  match added a, shape a with
  | None, _ => true
  | Some (q, hash), Table letters states start edges =>
      hash_ok hash && at_most (N.of_nat (List.length states)) q && negb (q =? start) &&
      match get edges q with Some row => forallb (fun e : edge => fst e =? q) row | None => false end &&
      match accepts a with Some l => negb (existsb (same_name (nth_name states q)) l) | None => true end &&
      match outputs a with
      | Some l =>
          match find (fun p => same_name (fst p) (nth_name states q)) l with
          | Some s => forallb (fun p => same_name (fst p) (fst s) || negb (same_name (snd p) (snd s))) l
          | None => false
          end
      | None => true
      end &&
      match get edges q with
      | Some ((_, Some y) :: _) =>
          forallb (forallb (fun e : edge =>
            match snd e with Some z => eqb (same_name z y) (fst e =? q) | None => false end)) edges
      | _ => true
      end
  | Some _, Permutations _ _ _ => false
  end.

(* A cycle has two points or more and begins with its least one; the next cycle begins later. *)
Fixpoint cycles_ok (least : index) (l : list (list index)) : bool :=
  match l with
  | [] => true
  | c :: r => match c with
              | p :: (_ :: _) as q => (least <=? p) && forallb (fun i => p <? i) (tl c) &&
                                      cycles_ok (Pos.succ p) r
              | _ => false
              end
  end.

Definition well_formed (a : automaton) : bool :=
  distinct same_name (letter_names a) && forallb name_ok (letter_names a) &&
  negb (match letter_names a with [] => true | _ => false end) && marks_ok a && added_ok a &&
  match shape a with
  | Table letters states start edges =>
      let outputs := existsb (existsb (fun e : edge => some (snd e))) edges in
      let n := N.of_nat (List.length states) in let k := List.length letters in
      distinct same_name states && forallb name_ok states && at_most n start &&
      Nat.eqb (List.length edges) (List.length states) &&
      forallb (fun r => Nat.eqb (List.length r) k &&
        forallb (fun e : edge => at_most n (fst e) && eqb (some (snd e)) outputs &&
          match snd e with Some y => name_ok y | None => true end) r) edges
  | Permutations n what letters =>
      forallb (fun l : name * list (list index) =>
        cycles_ok 1 (snd l) &&
        distinct Pos.eqb (List.concat (snd l)) && forallb (fun p => p <=? n) (List.concat (snd l)))
        letters &&
      match what with Elements => true | Points s => s <=? n end
  end.
