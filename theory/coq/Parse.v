(* Parse.v: a file says one thing.

   A parser in Coq, and the theorem that it returns what Print.v printed, of everything that is well formed
   and well spelled. So two automata, or two networks, with the same bytes are the same. The checker does not use
   this parser. *)
From Coq Require Import List Ascii String ZArith QArith Bool Lia DecimalString Decimal DecimalPos.
From Lrnn Require Import Ast Print Automaton Spelling.
Import ListNotations.
Local Open Scope list_scope.

Definition parser A := bytes -> option (A * bytes).
Definition bind {A B} (p : parser A) (f : A -> parser B) : parser B := fun s =>
  match p s with Some (x, r) => f x r | None => None end.
Definition ret {A} (x : A) : parser A := fun s => Some (x, s).
Notation "x <- p ;; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).
Notation "p ;;; q" := (bind p (fun _ => q)) (at level 61, right associativity).

(* ---- parsers of pieces -------------------------------------------------------------------- *)

Definition lit (t : bytes) : parser unit := fun s =>
  match eat t s with Some r => Some (tt, r) | None => None end.

Definition digit (c : ascii) : bool := N.leb 48 (code_of c) && N.leb (code_of c) 57.
Fixpoint digits (s : bytes) : bytes * bytes :=
  match s with
  | c :: r => if digit c then let (d, r') := digits r in (c :: d, r') else ([], s)
  | [] => ([], [])
  end.
Definition p_natural : parser N := fun s =>
  let (d, r) := digits s in
  match NilZero.uint_of_string (string_of_list_ascii d) with
  | Some u => Some (Pos.of_uint u, r)
  | None => None
  end.
Definition p_pos : parser positive := fun s =>
  match p_natural s with Some (Npos p, r) => Some (p, r) | _ => None end.
Definition p_count : parser nat := n <- p_natural ;; ret (N.to_nat n).
Definition head_is (c : ascii) (s : bytes) : bool :=
  match s with d :: _ => Ascii.eqb d c | [] => false end.
Definition p_int : parser Z := fun s =>
  if head_is "-" s then (n <- p_pos ;; ret (Zneg n)) (tl s)
  else (n <- p_natural ;; ret (Z.of_N n)) s.
Definition p_rat : parser Q :=
  n <- p_int ;;
  fun s => if head_is "/" s then (d <- p_pos ;; ret (Qmake n d)) (tl s) else Some (Qmake n 1, s).

Fixpoint while (f : ascii -> bool) (s : bytes) : bytes * bytes :=
  match s with
  | c :: r => if f c then let (d, r') := while f r in (c :: d, r') else ([], s)
  | [] => ([], [])
  end.
(* Up to the closing quotation mark. *)
Fixpoint to_quote (s : bytes) : option (bytes * bytes) :=
  match s with
  | [] => None
  | c :: r =>
      if N.eqb (code_of c) 34 then Some ([c], r)
      else if N.eqb (code_of c) 92 then
        match r with
        | e :: r1 => match to_quote r1 with Some (n, r') => Some (c :: e :: n, r') | None => None end
        | [] => None
        end
      else match to_quote r with Some (n, r') => Some (c :: n, r') | None => None end
  end.
Definition p_name : parser name := fun s =>
  match s with
  | c :: r => if N.eqb (code_of c) 34
              then match to_quote r with Some (n, r') => Some (c :: n, r') | None => None end
              else Some (while bare s)
  | [] => None
  end.
Definition keyword (w : bytes) : parser unit := fun s =>
  match p_name s with Some (n, r) => if same_name n w then Some (tt, r) else None | None => None end.

Fixpoint p_bytes (n : nat) : parser bytes :=
  match n with
  | O => ret []
  | S n' => fun s => match s with c :: r => (l <- p_bytes n' ;; ret (c :: l)) r | [] => None end
  end.

(* As often as p reads something. The bytes themselves bound how often; a number would have to be counted. *)
Fixpoint many_from {A} (fuel : bytes) (p : parser A) (s : bytes) : option (list A * bytes) :=
  match fuel with
  | [] => None
  | _ :: k => match p s with
              | Some (x, r) => match many_from k p r with
                               | Some (l, r') => Some (x :: l, r') | None => None end
              | None => Some ([], s)
              end
  end.
Definition many {A} (p : parser A) : parser (list A) := fun s => many_from (newline :: s) p s.
Fixpoint times_from {A} (k : positive) (n : nat) (p : positive -> parser A) : parser (list A) :=
  match n with
  | O => ret []
  | S n' => x <- p k ;; l <- times_from (Pos.succ k) n' p ;; ret (x :: l)
  end.
(* What p reads, or d where it reads nothing. *)
Definition optional {A} (d : A) (p : parser A) : parser A := fun s =>
  match p s with Some y => Some y | None => Some (d, s) end.

(* ---- the pieces are read back ------------------------------------------------------------- *)

Definition starts_number (s : bytes) : bool := match s with c :: _ => digit c | [] => false end.
Definition stop (r : bytes) : bool := negb (starts_number r) && negb (head_is "/" r).

Lemma lit_ok t r : lit t (t ++ r) = Some (tt, r).
Proof.
  unfold lit; replace (eat t (t ++ r)) with (Some r); auto.
  induction t as [|c t IH]; simpl; auto. now rewrite Ascii.eqb_refl.
Qed.

Lemma bytes_read l r : p_bytes (List.length l) (l ++ r) = Some (l, r).
Proof. induction l as [|c l IH]; auto. cbn [List.length p_bytes Datatypes.app]. unfold bind, ret. now rewrite IH. Qed.

Lemma digits_ok d r : forallb digit d = true -> starts_number r = false -> digits (d ++ r) = (d, r).
Proof.
  induction d as [|c d IH]; simpl.
  - destruct r as [|c r]; simpl; auto. now intros _ ->.
  - rewrite andb_true_iff; intros [-> H] Hr. now rewrite (IH H Hr).
Qed.
Lemma uint_digits u : forallb digit (b (NilEmpty.string_of_uint u)) = true.
Proof. induction u; simpl; auto. Qed.
Lemma pos_digits i : forallb digit (pos i) = true.
Proof.
  unfold pos, NilZero.string_of_uint. destruct (Pos.to_uint i); try apply uint_digits; reflexivity.
Qed.
Lemma natural_ok i r : starts_number r = false -> p_natural (pos i ++ r) = Some (Npos i, r).
Proof.
  intro H. unfold p_natural. rewrite (digits_ok _ _ (pos_digits i) H). unfold pos, b.
  rewrite string_of_list_ascii_of_string, NilZero.usu by apply Unsigned.to_uint_nonnil.
  now rewrite Unsigned.of_to.
Qed.
Lemma zero_ok r : starts_number r = false -> p_natural (b "0" ++ r) = Some (N0, r).
Proof. intro H. unfold p_natural. now rewrite (digits_ok (b "0") r eq_refl H). Qed.
Lemma pos_ok i r : starts_number r = false -> p_pos (pos i ++ r) = Some (i, r).
Proof. intro H. unfold p_pos. now rewrite natural_ok. Qed.
Lemma pos_first i : exists c r, pos i = c :: r /\ digit c = true.
Proof.
  pose proof (pos_digits i) as D. destruct (pos i) as [|c r] eqn:E.
  - assert (H := natural_ok i [] eq_refl). now rewrite E in H.
  - simpl in D. apply andb_true_iff in D. now exists c, r.
Qed.
Lemma pos_starts i r : starts_number (pos i ++ r) = true.
Proof. destruct (pos_first i) as [c [s [-> D]]]. exact D. Qed.
Lemma starts_head c r : starts_number r = true -> digit c = false -> head_is c r = false.
Proof.
  destruct r as [|d r]; simpl; auto. intros H H'. destruct (Ascii.eqb_spec d c) as [->|]; congruence.
Qed.
Lemma count_ok {A} (l : list A) r : starts_number r = false ->
  p_count (count l ++ r) = Some (List.length l, r).
Proof.
  intro H. unfold p_count, count, bind, ret. destruct (List.length l) as [|n].
  - now rewrite zero_ok.
  - rewrite natural_ok by auto. now rewrite <- SuccNat2Pos.id_succ at 1.
Qed.
Lemma int_ok z r : starts_number r = false -> p_int (int z ++ r) = Some (z, r).
Proof.
  intro H. unfold p_int, bind, ret. destruct z as [|p|p]; unfold int.
  - now rewrite zero_ok.
  - rewrite (starts_head "-") by (auto using pos_starts). now rewrite natural_ok.
  - simpl. now rewrite pos_ok.
Qed.
Lemma stop_number r : stop r = true -> starts_number r = false.
Proof. unfold stop. now destruct (starts_number r). Qed.
Lemma stop_slash r : stop r = true -> head_is "/" r = false.
Proof. unfold stop. destruct (head_is "/" r); auto. now rewrite andb_false_r. Qed.

(* Brings the spelling of a list of tokens into the form t1 ++ (t2 ++ .. (tn ++ r)). *)
Lemma concat_cons (t : bytes) ts : List.concat (t :: ts) = t ++ List.concat ts.
Proof. reflexivity. Qed.
Lemma concat_nil : List.concat (@nil bytes) = [].
Proof. reflexivity. Qed.
Ltac flat := repeat (rewrite ?concat_app, ?concat_cons, ?concat_nil, <- ?app_assoc, ?app_nil_l, <- ?app_comm_cons).

Lemma rat_ok q r : stop r = true -> p_rat (List.concat (rat q) ++ r) = Some (q, r).
Proof.
  intro H. unfold p_rat, bind. destruct q as [n d]. unfold rat; simpl Qden; simpl Qnum.
  assert (whole : forall s, starts_number s = false -> p_int (int n ++ s) = Some (n, s)) by (intros; now apply int_ok).
  destruct d as [d|d|].
  1, 2: flat; rewrite whole by reflexivity; simpl head_is; cbv iota; simpl tl; unfold bind;
    now rewrite pos_ok by now apply stop_number.
  flat. rewrite whole by now apply stop_number. now rewrite stop_slash.
Qed.

(* ---- lists -------------------------------------------------------------------------------- *)

(* What may follow an element of the list. *)
Lemma many_from_ok {A} (f : A -> tokens) (p : parser A) (good : bytes -> Prop) l r fuel :
  (forall x s, In x l -> good s -> p (List.concat (f x) ++ s) = Some (x, s)) ->
  (forall x s, In x l -> good (List.concat (f x) ++ s)) ->
  p r = None -> good r -> (List.length l < List.length fuel)%nat ->
  many_from fuel p (List.concat (each f l) ++ r) = Some (l, r).
Proof.
  intros reads goods fails gr. revert fuel. induction l as [|x l IH]; intros [|c k] lt; simpl in lt; try lia.
  - simpl. now rewrite fails.
  - simpl. flat. rewrite reads.
    + rewrite IH; auto; try lia; intros; [apply reads | apply goods]; simpl; auto.
    + simpl; auto.
    + destruct l as [|y l]; simpl; auto. flat. apply goods. simpl; auto.
Qed.
Lemma each_length {A} (f : A -> tokens) l : (forall x, In x l -> List.concat (f x) <> []) ->
  (List.length l <= List.length (List.concat (each f l)))%nat.
Proof.
  induction l as [|x l IH]; simpl; intro H; auto. rewrite concat_app, app_length.
  assert (List.concat (f x) <> []) by (apply H; auto).
  destruct (List.concat (f x)); [congruence|]. simpl.
  assert (List.length l <= List.length (List.concat (each f l)))%nat by auto. unfold each in *. lia.
Qed.
Lemma many_ok {A} (f : A -> tokens) (p : parser A) (good : bytes -> Prop) l r :
  (forall x s, In x l -> good s -> p (List.concat (f x) ++ s) = Some (x, s)) ->
  (forall x s, In x l -> good (List.concat (f x) ++ s)) ->
  (forall x, In x l -> List.concat (f x) <> []) ->
  p r = None -> good r -> many p (List.concat (each f l) ++ r) = Some (l, r).
Proof.
  intros. unfold many. eapply many_from_ok; eauto. cbn [List.length].
  rewrite app_length. pose proof (each_length f l). intuition lia.
Qed.
Lemma times_ok {A} (f : positive -> A -> tokens) (p : positive -> parser A) (good : bytes -> Prop) l r k :
  (forall k x s, In x l -> good s -> p k (List.concat (f k x) ++ s) = Some (x, s)) ->
  (forall k x s, In x l -> good (List.concat (f k x) ++ s)) ->
  good r -> times_from k (List.length l) p (List.concat (numbered_from k f l) ++ r) = Some (l, r).
Proof.
  intros reads goods gr. revert k. induction l as [|x l IH]; intro k; simpl; auto.
  unfold bind, ret. flat. rewrite reads.
  - rewrite IH; auto; intros; [apply reads | apply goods]; simpl; auto.
  - simpl; auto.
  - destruct l as [|y l]; simpl; auto. flat. apply goods. simpl; auto.
Qed.
(* The same for elements that are not numbered. *)
Lemma each_numbered {A} (f : A -> tokens) l k : each f l = numbered_from k (fun _ => f) l.
Proof. revert k; induction l as [|x l IH]; simpl; intro k; auto. now rewrite <- IH. Qed.

(* ---- names -------------------------------------------------------------------------------- *)

(* What follows a name. *)
Definition blank (r : bytes) : bool := match r with c :: _ => negb (bare c) | [] => true end.

Lemma while_ok f d r : forallb f d = true ->
  match r with c :: _ => f c = false | [] => True end -> while f (d ++ r) = (d, r).
Proof.
  induction d as [|c d IH]; simpl.
  - destruct r as [|c r]; simpl; auto. now intros _ ->.
  - rewrite andb_true_iff; intros [-> H] Hr. now rewrite (IH H Hr).
Qed.

Local Arguments among : simpl never.
Lemma among_single n c : among [n] c = true -> code_of c = n.
Proof. unfold among; simpl. rewrite orb_false_r. now intro H; apply N.eqb_eq. Qed.
Lemma hexadecimal_plain c h : hexadecimal c = Some h ->
  N.eqb (code_of c) 34 = false /\ N.eqb (code_of c) 92 = false.
Proof.
  unfold hexadecimal. intro H. split; apply N.eqb_neq; intro E; rewrite E in H; discriminate.
Qed.
Lemma quoted_ok : forall n s special y r, (List.length s <= n)%nat -> quoted s special = Some y ->
  to_quote (s ++ r) = Some (s, r).
Proof.
  induction n as [|n IH]; intros s special y r len H.
  { destruct s; simpl in *; try lia; discriminate. }
  destruct s as [|c s]; [discriminate|]. simpl in H, len. simpl.
  destruct (N.eqb (code_of c) 34) eqn:E34.
  { destruct s; [reflexivity|discriminate]. }
  destruct (N.eqb (code_of c) 92) eqn:E92.
  - destruct s as [|e s]; [discriminate|]. simpl in len. simpl.
    destruct (N.eqb (code_of e) 92).
    { rewrite (IH s _ _ r ltac:(lia) H). reflexivity. }
    destruct (among [34; 98; 102; 110; 114; 116]%N e).
    { rewrite (IH s _ _ r ltac:(lia) H). reflexivity. }
    destruct s as [|z [|z' [|h [|l s]]]]; try discriminate. simpl in len.
    destruct (_ && _) eqn:C in H; [|discriminate].
    rewrite !andb_true_iff in C. destruct C as [[[_ Z] Z'] C]. apply among_single in Z, Z'.
    unfold escaped_control in C.
    destruct (hexadecimal h) eqn:Eh; [|discriminate]. destruct (hexadecimal l) eqn:El; [|discriminate].
    apply hexadecimal_plain in Eh, El. destruct Eh as [h1 h2], El as [l1 l2].
    simpl. rewrite Z, Z', h1, h2, l1, l2. simpl. rewrite (IH s _ _ r ltac:(lia) H). reflexivity.
  - destruct (control c); [discriminate|].
    rewrite (IH s _ _ r ltac:(lia) H). reflexivity.
Qed.
Lemma name_read n r : name_ok n = true -> blank r = true -> p_name (n ++ r) = Some (n, r).
Proof.
  unfold name_ok, p_name. destruct n as [|c n]; [discriminate|]. rewrite <- app_comm_cons.
  destruct (N.eqb (code_of c) 34).
  - destruct (quoted n false) as [y|] eqn:Q; [|discriminate]. intros _ _.
    now rewrite (quoted_ok (List.length n) n false y r (le_n _) Q).
  - intros H B. apply andb_true_iff in H. destruct H as [H _].
    rewrite app_comm_cons. rewrite while_ok; auto.
    unfold blank in B. destruct r as [|d r]; auto. now destruct (bare d).
Qed.
Lemma same_name_refl n : same_name n n = true.
Proof. induction n as [|c n IH]; simpl; auto. now rewrite Ascii.eqb_refl. Qed.
Lemma same_name_eq x y : same_name x y = true -> x = y.
Proof.
  revert y. induction x as [|c x IH]; intros [|d y]; simpl; try discriminate; auto.
  rewrite andb_true_iff. intros [E H]. apply Ascii.eqb_eq in E. now rewrite E, (IH y H).
Qed.
(* A word that begins lines is not the name of a state. *)
Lemma not_keyword n r w : name_ok n = true -> blank r = true -> In w words -> keyword w (n ++ r) = None.
Proof.
  intros H B I. unfold keyword. rewrite name_read by auto.
  destruct (same_name n w) eqn:E; auto. apply same_name_eq in E. subst n. exfalso. revert H. unfold name_ok.
  simpl in I. intuition; subst w; discriminate.
Qed.
Lemma keyword_ok w r : forallb bare w = true -> w <> [] -> blank r = true -> keyword w (w ++ r) = Some (tt, r).
Proof.
  intros H N B. unfold keyword, p_name. destruct w as [|c w]; [congruence|]. rewrite <- app_comm_cons.
  assert (E : N.eqb (code_of c) 34 = false).
  { simpl in H. apply andb_true_iff in H. destruct H as [H _]. apply N.eqb_neq. intro E.
    unfold bare, among in H. simpl in H. rewrite E in H. rewrite orb_comm in H. discriminate. }
  rewrite E, app_comm_cons, while_ok; auto.
  - now rewrite same_name_refl.
  - unfold blank in B. destruct r as [|d r]; auto. now destruct (bare d).
Qed.

(* ---- automaton.fsa ------------------------------------------------------------------------ *)

Definition p_names : parser (list name) := many (lit (b " ") ;;; p_name).
Fixpoint index_from (k : positive) (n : name) (l : list name) : option positive :=
  match l with
  | [] => None
  | x :: r => if same_name x n then Some k else index_from (Pos.succ k) n r
  end.
Definition p_known (l : list name) : parser index := fun s =>
  match p_name s with
  | Some (n, r) => match index_from 1 n l with Some i => Some (i, r) | None => None end
  | None => None
  end.
Definition p_added (states : list name) : parser (option (index * bytes)) :=
  keyword (b "fsa") ;;; lit (b " added ") ;;; q <- p_known states ;; lit (b " source ") ;;; h <- p_bytes 64 ;;
  lit nl ;;; ret (Some (q, h)).
Definition p_accept : parser (option (list name)) :=
  keyword (b "accept") ;;; l <- p_names ;; lit nl ;;; ret (Some l).
Definition p_output : parser (name * name) :=
  keyword (b "output") ;;; lit (b " ") ;;; q <- p_name ;; lit (b " ") ;;; y <- p_name ;; lit nl ;;;
  ret (q, y).
Definition p_outputs : parser (option (list (name * name))) :=
  l <- many p_output ;; ret match l with [] => None | _ => Some l end.
Definition p_edge (states : list name) (from letter : name) : parser edge :=
  lit from ;;; lit (b " ") ;;; lit letter ;;; lit (b " ") ;;; i <- p_known states ;;
  y <- optional None (lit (b " ") ;;; y <- p_name ;; ret (Some y)) ;; lit nl ;;; ret (i, y).
Fixpoint p_row (states : list name) (from : name) (letters : list name) : parser (list edge) :=
  match letters with
  | [] => ret []
  | x :: l => e <- p_edge states from x ;; r <- p_row states from l ;; ret (e :: r)
  end.
Fixpoint p_rows (states from letters : list name) : parser (list (list edge)) :=
  match from with
  | [] => ret []
  | q :: l => e <- p_row states q letters ;; r <- p_rows states l letters ;; ret (e :: r)
  end.
Definition p_table : parser automaton :=
  lit (b "letters") ;;; letters <- p_names ;; lit nl ;;;
  lit (b "states") ;;; states <- p_names ;; lit nl ;;;
  lit (b "start ") ;;; start <- p_known states ;; lit nl ;;; added <- optional None (p_added states) ;;
  accepts <- optional None p_accept ;; outputs <- p_outputs ;;
  edges <- p_rows states states letters ;;
  ret (Automaton (Table letters states start edges) accepts outputs added).

Definition p_cycle : parser (list index) :=
  lit (b "(") ;;; p <- p_pos ;; r <- many (lit (b " ") ;;; p_pos) ;; lit (b ")") ;;; ret (p :: r).
Definition p_cycles : parser (list (list index)) := fun s =>
  match lit (b "()") s with Some (_, r) => Some ([], r) | None => many p_cycle s end.
Definition p_permute : parser (name * list (list index)) :=
  lit (b "permute ") ;;; x <- p_name ;; lit (b " ") ;;; c <- p_cycles ;; lit nl ;;; ret (x, c).
Definition p_tracked : parser tracked := fun s =>
  match lit (b "track elements") s with
  | Some (_, r) => Some (Elements, r)
  | None => (lit (b "track points ") ;;; i <- p_pos ;; ret (Points i)) s
  end.
Definition p_permutations : parser automaton :=
  lit (b "points ") ;;; n <- p_pos ;; lit nl ;;; what <- p_tracked ;; lit nl ;;;
  accepts <- optional None p_accept ;; outputs <- p_outputs ;; letters <- many p_permute ;;
  ret (Automaton (Permutations n what letters) accepts outputs None).
Definition p_automaton : parser automaton :=
  lit (b "fsa 1") ;;; lit nl ;;;
  fun s => match lit (b "letters") s with Some _ => p_table s | None => p_permutations s end.
Definition whole {A} (p : parser A) (s : bytes) : option A :=
  match p s with Some (x, []) => Some x | _ => None end.
Definition parse_automaton := whole p_automaton.

(* ---- it is read back ---------------------------------------------------------------------- *)

Ltac bools := repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
  | H : negb _ = true |- _ => apply negb_true_iff in H
  end.
Lemma forallb_in {A} f (l : list A) x : forallb f l = true -> In x l -> f x = true.
Proof. rewrite forallb_forall. auto. Qed.

Lemma names_ok l r : forallb name_ok l = true -> blank r = true -> head_is " " r = false ->
  p_names (List.concat (names l) ++ r) = Some (l, r).
Proof.
  intros H B N. apply many_ok with (good := fun r => blank r = true); auto.
  - intros n s I Bs. unfold bind. flat. rewrite lit_ok. apply name_read; auto. eapply forallb_in; eauto.
  - intros n s I. discriminate.
  - unfold bind, lit. destruct r as [|c r]; auto. unfold b. cbn [list_ascii_of_string eat].
    cbn [head_is] in N. now rewrite Ascii.eqb_sym, N.
Qed.

Lemma existsb_not {A} f (l : list A) x : existsb f l = false -> In x l -> f x = false.
Proof.
  intros H I. destruct (f x) eqn:E; auto. rewrite <- H. symmetry. apply existsb_exists. eauto.
Qed.
Lemma index_ok l : forall k m n, distinct same_name l = true -> nth_error l m = Some n ->
  index_from (Pos.of_succ_nat k) n l = Some (Pos.of_succ_nat (k + m)).
Proof.
  induction l as [|x l IH]; intros k m n D E; destruct m as [|m]; try discriminate; simpl in D; bools.
  - injection E as ->. simpl. rewrite same_name_refl. now rewrite Nat.add_0_r.
  - simpl in E. assert (I := nth_error_In _ _ E). simpl. rewrite (existsb_not _ _ _ H I).
    change (Pos.succ (Pos.of_succ_nat k)) with (Pos.of_succ_nat (S k)).
    rewrite (IH (S k) m n); auto. do 2 f_equal. lia.
Qed.
Lemma at_most_nth {A} (l : list A) i : at_most (N.of_nat (List.length l)) i = true ->
  (Nat.pred (Pos.to_nat i) < List.length l)%nat.
Proof. unfold at_most. rewrite N.leb_le. pose proof (Pos2Nat.is_pos i). lia. Qed.
Lemma known_ok l i r : distinct same_name l = true -> forallb name_ok l = true ->
  at_most (N.of_nat (List.length l)) i = true -> blank r = true ->
  p_known l (nth_name l i ++ r) = Some (i, r).
Proof.
  intros D K M B. apply at_most_nth in M. unfold p_known, nth_name.
  destruct (nth_error l (Nat.pred (Pos.to_nat i))) as [n|] eqn:E.
  2: { apply nth_error_None in E. lia. }
  rewrite (nth_error_nth _ _ _ E). rewrite name_read; auto.
  2: { apply (forallb_in _ _ _ K). eapply nth_error_In; eauto. }
  change 1%positive with (Pos.of_succ_nat 0). rewrite (index_ok l 0 _ n D E). do 2 f_equal. simpl. apply Pos2Nat.inj.
  rewrite SuccNat2Pos.id_succ. pose proof (Pos2Nat.is_pos i). lia.
Qed.

Lemma accept_ok l r : forallb name_ok l = true -> p_accept (b "accept" ++ List.concat (names l) ++ nl ++ r) = Some (Some l, r).
Proof.
  intro H. unfold p_accept, bind, ret. rewrite keyword_ok; try reflexivity; try discriminate.
  - now rewrite names_ok.
  - destruct l; reflexivity.
Qed.
Lemma outputs_ok l r : forallb (fun p => name_ok (fst p) && name_ok (snd p)) l = true ->
  keyword (b "output") r = None ->
  many p_output (List.concat (each (fun p => [b "output "; fst p; b " "; snd p; nl]) l) ++ r) = Some (l, r).
Proof.
  intros H K. apply many_ok with (good := fun _ => True); auto.
  - intros [q y] s I _. flat. unfold p_output, bind, ret. change (b "output ") with (b "output" ++ b " "). flat.
    apply (forallb_in _ _ _ H) in I. simpl in I. bools.
    rewrite keyword_ok; auto; try discriminate. rewrite lit_ok, name_read, lit_ok, name_read, lit_ok; auto.
  - discriminate.
  - unfold p_output, bind. now rewrite K.
Qed.
(* accept and output lines, before lines that begin with no such word. *)
Definition marks_named (a : automaton) : bool :=
  match accepts a with Some l => forallb name_ok l | None => true end &&
  match outputs a with
  | Some l => nonempty l && forallb (fun p => name_ok (fst p) && name_ok (snd p)) l
  | None => true
  end.
Lemma marks_read a r : marks_named a = true -> keyword (b "accept") r = None -> keyword (b "output") r = None ->
  (x <- optional None p_accept ;; y <- p_outputs ;; ret (x, y))
    (List.concat (accept_tokens a) ++ List.concat (output_tokens a) ++ r) = Some ((accepts a, outputs a), r).
Proof.
  intros H A O. unfold marks_named in H. bools.
  assert (E : p_outputs (List.concat (output_tokens a) ++ r) = Some (outputs a, r)).
  { unfold p_outputs, output_tokens, bind, ret. destruct (outputs a) as [l|].
    - bools. rewrite outputs_ok; auto. now destruct l.
    - generalize (outputs_ok [] r eq_refl O). cbn [each flat_map List.concat Datatypes.app].
      intro E. now rewrite E. }
  unfold bind at 1. unfold accept_tokens, optional. destruct (accepts a) as [l|].
  - flat. rewrite accept_ok; auto. unfold bind. now rewrite E.
  - flat. replace (p_accept _) with (@None (option (list name) * bytes)).
    + unfold bind. now rewrite E.
    + unfold p_accept, bind, output_tokens in *. destruct (outputs a) as [[|[q y] l]|]; auto.
      * flat. now rewrite A.
      * flat. now rewrite A.
Qed.

Lemma digit_bare c : digit c = true -> bare c = true /\ N.eqb (code_of c) 34 = false.
Proof.
  destruct c as [[] [] [] [] [] [] [] []]; vm_compute; auto; discriminate.
Qed.
Lemma pos_name i : name_ok (pos i) = true.
Proof.
  pose proof (pos_digits i) as D. destruct (pos_first i) as [c [r [E Dc]]]. unfold name_ok. rewrite E in *.
  destruct (digit_bare c Dc) as [_ ->]. apply andb_true_iff. split.
  - apply forallb_forall. intros d I. apply digit_bare. now apply (forallb_in _ _ _ D).
  - apply negb_true_iff. unfold word, words. clear D E.
    destruct c as [[] [] [] [] [] [] [] []]; try discriminate; reflexivity.
Qed.
Lemma part_of_named l m : part_of l m = true -> forallb name_ok m = true -> forallb name_ok l = true.
Proof.
  revert l. induction m as [|y m IH]; intros [|x l] P K; auto; try discriminate; simpl in *; bools.
  destruct (same_name x y) eqn:E.
  - apply same_name_eq in E. subst. apply andb_true_iff. auto.
  - now apply (IH (x :: l)).
Qed.
Lemma all2_named l m : all2 same_name l m = true -> forallb name_ok m = true -> forallb name_ok l = true.
Proof.
  revert m. induction l as [|x l IH]; intros [|y m] P K; auto; try discriminate; simpl in *; bools.
  match goal with E : same_name _ _ = true |- _ => apply same_name_eq in E; subst end.
  apply andb_true_iff. split; auto. eapply IH; eauto.
Qed.
Lemma forallb_pair {A B} (f : A -> bool) (g : B -> bool) l : forallb f (map fst l) = true ->
  forallb g (map snd l) = true -> forallb (fun p => f (fst p) && g (snd p)) l = true.
Proof.
  induction l as [|[x y] l IH]; simpl; auto. intros P K. bools. apply andb_true_iff.
  split; auto. now apply andb_true_iff.
Qed.
Lemma marks_ok_named a : marks_ok a = true ->
  match state_names a with Some l => forallb name_ok l = true | None => True end -> marks_named a = true.
Proof.
  unfold marks_ok, marks_named. intros M S. bools. apply andb_true_iff. split.
  - destruct (accepts a) as [l|]; auto. destruct (state_names a) as [m|].
    + eapply part_of_named; eauto.
    + now bools.
  - destruct (outputs a) as [l|]; auto. destruct (state_names a) as [m|]; bools; apply andb_true_iff; split;
      try apply forallb_pair; auto; try (destruct l; auto; discriminate).
    eapply all2_named; eauto.
Qed.

Definition edge_good (n : N) (outputs : bool) (e : edge) : bool :=
  at_most n (fst e) && eqb (some (snd e)) outputs && match snd e with Some y => name_ok y | None => true end.
Lemma edge_read states from letter e r o : distinct same_name states = true -> forallb name_ok states = true ->
  edge_good (N.of_nat (List.length states)) o e = true ->
  p_edge states from letter (List.concat (edge_tokens states from letter e) ++ r) = Some (e, r).
Proof.
  intros D K G. unfold edge_good in G. bools. destruct e as [i y]. cbn [fst snd] in *.
  unfold p_edge, edge_tokens, bind, ret. cbn [fst snd]. flat. rewrite !lit_ok. destruct y as [y|]; flat; rewrite known_ok; auto.
  unfold optional. rewrite lit_ok, name_read, lit_ok; auto.
Qed.
Lemma row_read states from letters row r o : distinct same_name states = true -> forallb name_ok states = true ->
  List.length row = List.length letters ->
  forallb (edge_good (N.of_nat (List.length states)) o) row = true ->
  p_row states from letters (List.concat (each (fun e : name * edge => edge_tokens states from (fst e) (snd e))
    (combine letters row)) ++ r) = Some (row, r).
Proof.
  intros D K. revert row. induction letters as [|x letters IH]; intros [|e row] L G; try discriminate; auto.
  cbn [combine each flat_map fst snd p_row forallb] in *. bools. unfold bind, ret in *. flat. rewrite edge_read with (o := o); auto.
  change (flat_map ?f ?l) with (each f l). rewrite IH; auto.
Qed.
Lemma rows_read states left letters edges r o : distinct same_name states = true -> forallb name_ok states = true ->
  List.length edges = List.length left ->
  forallb (fun row => Nat.eqb (List.length row) (List.length letters) &&
    forallb (edge_good (N.of_nat (List.length states)) o) row) edges = true ->
  p_rows states left letters (List.concat (each (fun row : name * list edge =>
    each (fun e : name * edge => edge_tokens states (fst row) (fst e) (snd e)) (combine letters (snd row)))
    (combine left edges)) ++ r) = Some (edges, r).
Proof.
  intros D K. revert edges. induction left as [|q left IH]; intros [|row edges] L G; try discriminate; auto.
  cbn [combine each flat_map fst snd p_rows forallb] in *. bools. unfold bind, ret in *. flat.
  change (flat_map ?f ?l) with (each f l).
  match goal with E : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in E end. rewrite row_read with (o := o); auto.
  change (flat_map ?f ?l) with (each f l). rewrite IH; auto.
Qed.

(* Edges begin with names of states, so that no accept or output line begins there. *)
Lemma rows_no_mark w states letters edges r : In w words -> forallb name_ok states = true ->
  states <> [] -> letters <> [] -> List.length edges = List.length states ->
  forallb (fun row : list edge => Nat.eqb (List.length row) (List.length letters)) edges = true ->
  keyword w (List.concat (each (fun row : name * list edge =>
    each (fun e : name * edge => edge_tokens states (fst row) (fst e) (snd e)) (combine letters (snd row)))
    (combine states edges)) ++ r) = None.
Proof.
  intros I K S T L G. destruct edges as [|[|e row] edges], states as [|q states], letters as [|x letters];
    try congruence; try discriminate.
  cbn [combine each flat_map fst snd]. unfold edge_tokens at 1. flat. apply not_keyword; auto.
  simpl in K. now bools.
Qed.

Lemma edges_split n o letters edges :
  forallb (fun r : list edge => Nat.eqb (List.length r) (List.length (letters : list name)) &&
    forallb (fun e : edge => at_most n (fst e) && eqb (some (snd e)) o &&
      match snd e with Some y => name_ok y | None => true end) r) edges = true ->
  forallb (fun row : list edge => Nat.eqb (List.length row) (List.length letters)) edges = true.
Proof.
  induction edges as [|e edges IH]; simpl; auto. intro H. bools. apply andb_true_iff. auto.
Qed.

Lemma accept_word : In (b "accept") words.
Proof. simpl; auto 20. Qed.
Lemma output_word : In (b "output") words.
Proof. simpl; auto 20. Qed.
Lemma fsa_word : In (b "fsa") words.
Proof. simpl; auto 20. Qed.
(* The line of the added state, before lines that begin with another word. *)
Lemma added_read states a r : distinct same_name states = true -> forallb name_ok states = true ->
  match added a with
  | Some (q, hash) => at_most (N.of_nat (List.length states)) q = true /\ List.length hash = 64%nat
  | None => True
  end ->
  keyword (b "fsa") r = None ->
  optional None (p_added states) (List.concat (added_tokens states a) ++ r) = Some (added a, r).
Proof.
  intros D K H F. unfold optional, p_added, added_tokens. destruct (added a) as [[q hash]|].
  - destruct H as [M E]. flat. change (b "fsa added ") with (b "fsa" ++ b " added "). flat. unfold bind, ret.
    rewrite keyword_ok; try reflexivity; try discriminate. rewrite lit_ok, known_ok; auto. rewrite lit_ok, <- E.
    now rewrite bytes_read, lit_ok.
  - flat. unfold bind. now rewrite F.
Qed.
Lemma marks_no_fsa a r : marks_named a = true -> keyword (b "fsa") r = None ->
  keyword (b "fsa") (List.concat (accept_tokens a) ++ List.concat (output_tokens a) ++ r) = None.
Proof.
  intros M F. unfold marks_named in M. bools. unfold accept_tokens, output_tokens.
  destruct (accepts a) as [l|]; [destruct l; reflexivity|]. flat.
  destruct (outputs a) as [[|[q y] l]|]; auto; flat; reflexivity.
Qed.
Lemma table_ok_read letters states start edges acc out more r :
  well_formed (Automaton (Table letters states start edges) acc out more) = true ->
  p_automaton (print_automaton (Automaton (Table letters states start edges) acc out more) ++ r)
  = Some (Automaton (Table letters states start edges) acc out more, r).
Proof.
  intro W. unfold well_formed in W. cbn [shape letter_names] in W. bools.
  set (a := Automaton (Table letters states start edges) acc out more) in *.
  assert (M : marks_named a = true) by now apply marks_ok_named.
  assert (LL : List.length edges = List.length states) by now apply Nat.eqb_eq.
  assert (letters <> []) by (destruct letters; congruence).
  assert (states <> []).
  { intro E. rewrite E in H3. unfold at_most in H3. apply N.leb_le in H3. simpl in H3. lia. }
  unfold print_automaton, automaton_tokens, p_automaton. cbn [shape a].
  flat. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok. rewrite lit_ok.
  unfold p_table. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite names_ok; auto.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite names_ok; auto.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite known_ok; auto.
  unfold bind at 1. rewrite lit_ok.
  match goal with |- context [List.concat (output_tokens a) ++ ?x] => set (rest := x) end.
  assert (R : forall w, In w words -> keyword w rest = None).
  { intros w I. apply rows_no_mark; auto. eapply edges_split; eauto. }
  unfold bind at 1. rewrite added_read; auto using marks_no_fsa, fsa_word.
  2: { match goal with G : added_ok a = true |- _ => unfold added_ok in G; cbn [a shape added] in G end.
    cbn [a added]. destruct more as [[q hash]|]; auto. unfold hash_ok in *. bools. split; auto.
    now apply Nat.eqb_eq. }
  assert (A := marks_read a rest M (R _ accept_word) (R _ output_word)). unfold bind, ret in A |- *.
  destruct (optional None p_accept _) as [[x s]|]; [|discriminate A].
  destruct (p_outputs s) as [[y s']|]; [|discriminate A]. injection A as -> -> ->.
  unfold rest. erewrite rows_read; eauto.
Qed.

(* Cycles have two points or more. *)
Lemma cycles_ok_nonempty least l : cycles_ok least l = true -> forallb nonempty l = true.
Proof.
  revert least. induction l as [|c l IH]; simpl; auto. intros least H.
  destruct c as [|p [|q c]]; try discriminate. bools. simpl. eauto.
Qed.
Lemma points_read (l : list index) r : head_is " " r = false -> starts_number r = false ->
  many (lit (b " ") ;;; p_pos) (List.concat (each (fun q => [b " "; pos q]) l) ++ r) = Some (l, r).
Proof.
  intros N S. apply many_ok with (good := fun r => starts_number r = false); auto.
  - intros n s I Bs. unfold bind. flat. rewrite lit_ok. now apply pos_ok.
  - intros n s I. discriminate.
  - unfold bind, lit. destruct r as [|c r]; auto. unfold b. cbn [list_ascii_of_string eat].
    cbn [head_is] in N. now rewrite Ascii.eqb_sym, N.
Qed.
Lemma cycle_read c r : nonempty c = true -> p_cycle (List.concat (cycle c) ++ r) = Some (c, r).
Proof.
  destruct c as [|p c]; [discriminate|]. intros _. unfold p_cycle, cycle, bind, ret. flat.
  rewrite lit_ok, pos_ok.
  - rewrite points_read; auto.
  - destruct c; reflexivity.
Qed.
Lemma lit_second c e d r : Ascii.eqb e d = false -> lit [c; e] ([c] ++ d :: r) = None.
Proof. intro H. unfold lit. cbn [eat Datatypes.app]. now rewrite Ascii.eqb_refl, H. Qed.
Lemma cycles_read l r : forallb nonempty l = true -> head_is "(" r = false ->
  p_cycles (List.concat (cycles l) ++ r) = Some (l, r).
Proof.
  intros H N. unfold p_cycles, cycles. destruct l as [|c l].
  - flat. now rewrite lit_ok.
  - assert (E : lit (b "()") (List.concat (each cycle (c :: l)) ++ r) = None).
    { destruct c as [|p c]; [discriminate|]. cbn [each flat_map cycle]. flat.
      destruct (pos_first p) as [d [s [-> D]]]. rewrite <- app_comm_cons.
      apply (lit_second "(" ")" d). destruct (Ascii.eqb_spec ")" d); [subst; discriminate | reflexivity]. }
    rewrite E. apply many_ok with (good := fun _ => True); auto.
    + intros x s I _. apply cycle_read. now apply (forallb_in _ _ _ H).
    + intros x I. pose proof (forallb_in _ _ _ H I). destruct x; discriminate.
    + unfold p_cycle, bind, lit. destruct r as [|d r]; auto. unfold b. cbn [list_ascii_of_string eat].
      cbn [head_is] in N. now rewrite Ascii.eqb_sym, N.
Qed.
Lemma permute_read l r : name_ok (fst l) = true -> forallb nonempty (snd l) = true ->
  p_permute (List.concat ([b "permute "; fst l; b " "] ++ cycles (snd l) ++ [nl]) ++ r) = Some (l, r).
Proof.
  intros K C. unfold p_permute, bind, ret. flat. rewrite lit_ok, name_read, lit_ok, cycles_read, lit_ok; auto.
  now destruct l.
Qed.

Lemma permutations_ok_read n what letters acc out more :
  well_formed (Automaton (Permutations n what letters) acc out more) = true ->
  p_automaton (print_automaton (Automaton (Permutations n what letters) acc out more))
  = Some (Automaton (Permutations n what letters) acc out more, []).
Proof.
  destruct more as [more|].
  { intro W. unfold well_formed, added_ok in W. cbn [shape added] in W. bools. destruct more. discriminate. }
  intro W. unfold well_formed in W. cbn [shape letter_names] in W. bools.
  set (a := Automaton (Permutations n what letters) acc out None) in *.
  assert (M : marks_named a = true).
  { apply marks_ok_named; auto. unfold state_names. cbn [a shape]. destruct what; auto.
    apply forallb_forall. intros x I. apply in_map_iff in I. destruct I as [i [<- _]]. apply pos_name. }
  unfold print_automaton, automaton_tokens, p_automaton. cbn [shape a].
  rewrite <- (app_nil_r (List.concat _)). flat.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok.
  change (lit (b "letters") (b "points " ++ ?x)) with (@None (unit * bytes)). cbv iota beta.
  unfold p_permutations. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite pos_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok.
  match goal with |- context [List.concat (output_tokens a) ++ ?x] => set (rest := x) end.
  unfold bind at 1.
  match goal with |- context [p_tracked ?s] => assert (T : p_tracked s =
    Some (what, nl ++ List.concat (accept_tokens a) ++ List.concat (output_tokens a) ++ rest)) end.
  { unfold p_tracked. destruct what as [|s]; flat.
    - now rewrite lit_ok.
    - change (lit (b "track elements") (b "track points " ++ ?x)) with (@None (unit * bytes)).
      unfold bind, ret. now rewrite lit_ok, pos_ok. }
  rewrite T. unfold bind at 1. rewrite lit_ok.
  assert (rest_first : letters <> [] -> exists s, rest = b "permute " ++ s).
  { intro N. unfold rest. destruct letters as [|l letters]; [congruence|]. cbn [each flat_map]. flat. eauto. }
  assert (letters <> []) as NL by (intro E; subst letters; discriminate).
  destruct (rest_first NL) as [s E].
  assert (A := marks_read a rest M). rewrite E in A at 1 2. specialize (A eq_refl eq_refl).
  unfold bind, ret in A |- *.
  destruct (optional None p_accept _) as [[x s1]|]; [|discriminate A].
  destruct (p_outputs s1) as [[y s2]|]; [|discriminate A]. injection A as -> -> ->.
  unfold rest. rewrite many_ok with (good := fun _ => True) (l := letters); auto.
  - intros l t I _. apply permute_read.
    + apply (forallb_in name_ok (map fst letters)); auto. now apply in_map.
    + eapply cycles_ok_nonempty. match goal with G : forallb _ letters = true |- _ => apply (forallb_in _ _ _ G) in I end.
      bools. eassumption.
  - discriminate.
Qed.

(* A well-formed automaton is read back from its bytes. *)
Theorem parse_print_automaton a : well_formed a = true -> parse_automaton (print_automaton a) = Some a.
Proof.
  intro W. unfold parse_automaton, whole. destruct a as [[letters states start edges|n what letters] acc out more].
  - rewrite <- (app_nil_r (print_automaton _)). now rewrite table_ok_read.
  - now rewrite permutations_ok_read.
Qed.

(* ---- network.lrnn ------------------------------------------------------------------------- *)

Definition p_svec : parser svec :=
  many (lit (b " ") ;;; i <- p_pos ;; lit (b ":") ;;; q <- p_rat ;; ret (i, q)).
Definition p_smat : parser smat :=
  many (lit (b " ") ;;; i <- p_pos ;; lit (b ".") ;;; j <- p_pos ;; lit (b ":") ;;; q <- p_rat ;;
        ret (i, j, q)).
Definition p_factor : parser factor :=
  lit (b "factor ") ;;; q <- p_rat ;; lit (b " u") ;;; u <- p_svec ;;
  c <- optional [] (lit (b " c") ;;; p_svec) ;; lit nl ;;; ret (Factor q u c).
Definition p_action (x : positive) : parser action :=
  lit (b "on ") ;;; lit (pos x) ;;; lit (b " gate ") ;;; g <- p_rat ;; lit (b " factors ") ;;;
  n <- p_count ;; m <- optional [] (lit (b " bias") ;;; p_smat) ;; lit nl ;;;
  fs <- times_from 1 n (fun _ => p_factor) ;; ret (Action g m fs).
Definition p_head (letters : positive) (i : positive) : parser head :=
  lit (b "head ") ;;; lit (pos i) ;;; lit (b " key ") ;;; n <- p_pos ;; lit (b " value ") ;;; d <- p_pos ;;
  lit nl ;;; w <- optional false (lit (b "raw") ;;; lit nl ;;; ret true) ;;
  lit (b "initial") ;;; m <- p_smat ;; lit nl ;;;
  l <- times_from 1 (Pos.to_nat letters) p_action ;; ret (Head n d w m l).
Definition p_box : parser box :=
  many (lit (b " ") ;;; i <- p_pos ;; lit (b ".") ;;; j <- p_pos ;; lit (b ":") ;;; low <- p_rat ;;
        lit (b ",") ;;; high <- p_rat ;; ret (i, j, (low, high))).
Fixpoint p_joined {A} (p : parser A) (n : nat) : parser (list A) :=
  match n with
  | O => ret []
  | S O => m <- p ;; ret [m]
  | S n' => m <- p ;; lit (b " ;") ;;; l <- p_joined p n' ;; ret (m :: l)
  end.
Definition p_symbol : parser (option index) := fun s =>
  if head_is "-" s then Some (None, tl s) else (i <- p_pos ;; ret (Some i)) s.
Fixpoint p_commas (n : nat) : parser (list index) :=
  match n with
  | O => ret []
  | S O => v <- p_pos ;; ret [v]
  | S n' => v <- p_pos ;; lit (b ",") ;;; l <- p_commas n' ;; ret (v :: l)
  end.

(* How a layer decodes, before its yield lines are read. *)
Inductive plan := PlanState | PlanStep | PlanPart (sizes : list positive).
Definition p_answer (by_ : plan) : parser answer :=
  match by_ with
  | PlanState => y <- p_symbol ;; ret (Symbol y)
  | PlanStep => lit (b "*") ;;; ret Star
  | PlanPart sizes => v <- p_commas (List.length sizes) ;; ret (Values v)
  end.
Definition p_code (by_ : plan) (heads : nat) (i : positive) : parser code :=
  lit (b "code ") ;;; lit (pos i) ;;; lit (b " ") ;;; a <- p_answer by_ ;; l <- p_joined p_smat heads ;; lit nl ;;;
  ret (Code a l).
Definition p_line (heads : nat) (i : positive) : parser (list box) :=
  lit (b "box ") ;;; lit (pos i) ;;; l <- p_joined p_box heads ;; lit nl ;;; ret l.
(* Boxes for n codes, or none. *)
Definition p_boxes (heads n : nat) : parser (list (list box)) := fun s =>
  match lit (b "box ") s with Some _ => times_from 1 n (p_line heads) s | None => Some ([], s) end.
Definition p_yield : parser (index * index * index) :=
  lit (b "yield ") ;;; x <- p_pos ;; lit (b " ") ;;; i <- p_pos ;; lit (b " ") ;;; y <- p_pos ;; lit nl ;;;
  ret (x, i, y).
Definition p_part (x : positive) : parser (index * list (option index)) :=
  lit (b "yield ") ;;; lit (pos x) ;;; lit (b " ") ;;; p <- p_pos ;;
  l <- many (lit (b " ") ;;; p_symbol) ;; lit nl ;;; ret (p, l).
Definition p_plan : parser plan := fun s =>
  match lit (b " decode state") s with
  | Some (_, r) => (lit nl ;;; ret PlanState) r
  | None =>
      match lit (b " decode step") s with
      | Some (_, r) => (lit nl ;;; ret PlanStep) r
      | None => (lit (b " decode part") ;;; lit nl ;;; lit (b "parts") ;;;
                 l <- many (lit (b " ") ;;; p_pos) ;; lit nl ;;; ret (PlanPart l)) s
      end
  end.
Definition p_decoder (by_ : plan) (letters : positive) : parser decoder :=
  match by_ with
  | PlanState => ret ByState
  | PlanStep => l <- many p_yield ;; ret (ByStep l)
  | PlanPart sizes => l <- times_from 1 (Pos.to_nat letters) p_part ;; ret (ByPart sizes l)
  end.
Definition p_layer (i : positive) : parser layer :=
  lit (b "layer ") ;;; lit (pos i) ;;; lit (b " letters ") ;;; k <- p_pos ;; lit (b " heads ") ;;; h <- p_count ;;
  lit (b " codes ") ;;; c <- p_count ;; lit (b " symbols ") ;;; m <- p_pos ;; by_ <- p_plan ;;
  hs <- times_from 1 h (p_head k) ;; cs <- times_from 1 c (p_code by_ h) ;; bs <- p_boxes h c ;;
  d <- p_decoder by_ k ;; ret (Layer k m hs cs bs d).
Definition p_labelling : parser labelling := fun s =>
  match lit (b "label states") s, lit (b "label outputs") s, lit (b "label accept") s with
  | Some (_, r), _, _ => Some (States, r)
  | _, Some (_, r), _ => Some (Outputs, r)
  | _, _, Some (_, r) => Some (Acceptance, r)
  | _, _, _ => (lit (b "label edges") ;;; ret Edges) s
  end.
Definition p_classes : parser (option (positive * list index)) :=
  lit (b "letter-classes ") ;;; n <- p_pos ;; l <- many (lit (b " ") ;;; p_pos) ;; lit nl ;;; ret (Some (n, l)).
Definition p_named (w : bytes) (_ : positive) : parser name := lit w ;;; n <- p_name ;; lit nl ;;; ret n.
Definition p_network : parser network :=
  lit (b "lrnn 2") ;;; lit nl ;;; lit (b "fsa ") ;;; h <- p_bytes 64 ;; lit nl ;;; lit (b "field Q") ;;; lit nl ;;;
  f <- optional false (lit (b "read-out fitted") ;;; lit nl ;;; ret true) ;;
  kind <- p_labelling ;; lit nl ;;; lit (b "letters ") ;;; k <- p_count ;; lit nl ;;;
  alphabet <- times_from 1 k (p_named (b "letter ")) ;;
  cl <- optional None p_classes ;; lit (b "labels ") ;;; m <- p_count ;; lit nl ;;;
  labels <- times_from 1 m (p_named (b "symbol ")) ;;
  lit (b "start ") ;;; s <- p_symbol ;; lit nl ;;; lit (b "layers ") ;;; n <- p_count ;; lit nl ;;;
  ls <- times_from 1 n p_layer ;; lit (b "end") ;;; lit nl ;;;
  ret (Network h f kind alphabet cl labels s ls).
Definition parse_network := whole p_network.

(* ---- it is read back ---------------------------------------------------------------------- *)

(* What may follow entries: no number, and no blank with a digit behind it. *)
Definition no_entry (r : bytes) : bool :=
  stop r && match r with c :: s => negb (Ascii.eqb c " " && starts_number s) | [] => true end.
Lemma no_entry_stop r : no_entry r = true -> stop r = true.
Proof. unfold no_entry. now destruct (stop r). Qed.
Lemma pos_fails r : starts_number r = false -> p_pos r = None.
Proof.
  intro H. unfold p_pos, p_natural. destruct r as [|c r]; auto. cbn [digits]. simpl in H. now rewrite H.
Qed.
Lemma no_entry_fails {A} (f : positive -> parser A) r : no_entry r = true ->
  (lit (b " ") ;;; i <- p_pos ;; f i) r = None.
Proof.
  unfold no_entry, bind, lit, b. intro H. bools. destruct r as [|c r]; auto. cbn [list_ascii_of_string eat].
  destruct (Ascii.eqb_spec " " c) as [<-|]; auto. apply negb_true_iff in H0. rewrite Ascii.eqb_refl in H0.
  simpl in H0. now rewrite pos_fails.
Qed.
Lemma svec_read v r : no_entry r = true -> p_svec (List.concat (svec_tokens v) ++ r) = Some (v, r).
Proof.
  intro H. apply many_ok with (good := fun r => stop r = true); auto using no_entry_stop.
  - intros [i q] s _ S. unfold bind, ret. cbn [fst snd]. flat. rewrite lit_ok, pos_ok, lit_ok, rat_ok; auto.
  - discriminate.
  - now apply no_entry_fails.
Qed.
Lemma smat_read m r : no_entry r = true -> p_smat (List.concat (smat_tokens m) ++ r) = Some (m, r).
Proof.
  intro H. apply many_ok with (good := fun r => stop r = true); auto using no_entry_stop.
  - intros [[i j] q] s _ S. unfold bind, ret. cbn [fst snd]. flat.
    rewrite lit_ok, pos_ok, lit_ok, pos_ok, lit_ok, rat_ok; auto.
  - discriminate.
  - now apply no_entry_fails.
Qed.
Lemma box_read x r : no_entry r = true -> p_box (List.concat (box_tokens x) ++ r) = Some (x, r).
Proof.
  intro H. apply many_ok with (good := fun r => stop r = true); auto using no_entry_stop.
  - intros [[i j] [p q]] s _ S. unfold bind, ret. cbn [fst snd]. flat.
    rewrite lit_ok, pos_ok, lit_ok, pos_ok, lit_ok, rat_ok, lit_ok, rat_ok; auto.
  - discriminate.
  - now apply no_entry_fails.
Qed.
(* Entries, a blank with a letter or the end of the line never look like more of what came before. *)
Lemma svec_stop v r : stop r = true -> stop (List.concat (svec_tokens v) ++ r) = true.
Proof. now destruct v. Qed.
Lemma smat_stop m r : stop r = true -> stop (List.concat (smat_tokens m) ++ r) = true.
Proof. now destruct m. Qed.

Lemma factor_read f r : p_factor (List.concat (factor_tokens f) ++ r) = Some (f, r).
Proof.
  destruct f as [q u c]. unfold p_factor, factor_tokens, bind, ret. cbn [beta key value]. flat.
  rewrite lit_ok, rat_ok, lit_ok by reflexivity. destruct c as [|e c]; flat.
  - now rewrite svec_read.
  - rewrite svec_read by reflexivity. unfold optional. rewrite lit_ok, svec_read, lit_ok; auto.
Qed.
Lemma action_read x a r : p_action x (List.concat (action_tokens x a) ++ r) = Some (a, r).
Proof.
  destruct a as [g m fs]. unfold p_action, action_tokens, bind, ret. cbn [gate bias factors]. flat.
  rewrite !lit_ok, rat_ok, lit_ok by reflexivity. destruct m as [|e m]; flat.
  - rewrite count_ok by reflexivity. unfold optional. change (lit (b " bias") (nl ++ ?s)) with (@None (unit * bytes)).
    cbv iota beta. rewrite lit_ok, each_numbered with (k := 1%positive).
    rewrite times_ok with (good := fun _ => True); auto using factor_read.
  - rewrite count_ok by reflexivity. unfold optional. rewrite lit_ok, smat_read, lit_ok by reflexivity.
    rewrite each_numbered with (k := 1%positive).
    rewrite times_ok with (good := fun _ => True); auto using factor_read.
Qed.
Lemma length_is_eq {A} (l : list A) n : length_is l n = true -> Pos.to_nat n = List.length l.
Proof. unfold length_is. rewrite N.eqb_eq. lia. Qed.
Lemma head_read k i h r : length_is (on h) k = true ->
  p_head k i (List.concat (head_tokens i h) ++ r) = Some (h, r).
Proof.
  intro L. apply length_is_eq in L. destruct h as [n d w m l]. unfold p_head, head_tokens, bind, ret.
  cbn [rows cols raw initial on] in *. flat.
  rewrite !lit_ok, pos_ok, lit_ok, pos_ok, lit_ok by reflexivity. unfold optional.
  destruct w; flat.
  - rewrite !lit_ok, smat_read, lit_ok by reflexivity. unfold numbered. rewrite L.
    rewrite times_ok with (good := fun _ => True); auto using action_read.
  - change (lit (b "raw") (b "initial" ++ ?s)) with (@None (unit * bytes)). cbv iota beta.
    rewrite !lit_ok, smat_read, lit_ok by reflexivity. unfold numbered. rewrite L.
    rewrite times_ok with (good := fun _ => True); auto using action_read.
Qed.
Lemma joined_read {A} (f : A -> tokens) (p : parser A) l r :
  (forall x s, no_entry s = true -> p (List.concat (f x) ++ s) = Some (x, s)) -> no_entry r = true ->
  p_joined p (List.length l) (List.concat (joined f l) ++ r) = Some (l, r).
Proof.
  intros R H. induction l as [|m [|m' l] IH]; auto.
  - cbn [List.length p_joined joined]. unfold bind, ret. now rewrite R.
  - cbn [List.length p_joined] in *. change (joined f (m :: m' :: l)) with (f m ++ b " ;" :: joined f (m' :: l)).
    flat. unfold bind at 1. rewrite R by reflexivity. unfold bind at 1. rewrite lit_ok.
    unfold bind at 1. now rewrite IH.
Qed.
Lemma symbol_read y r : stop r = true -> p_symbol (symbol_token y ++ r) = Some (y, r).
Proof.
  intro H. unfold p_symbol, symbol_token, bind, ret. destruct y as [i|]; auto.
  rewrite (starts_head "-") by auto using pos_starts. rewrite pos_ok; auto using stop_number.
Qed.
Lemma commas_read v r : starts_number r = false -> p_commas (List.length v) (List.concat (commas v) ++ r) = Some (v, r).
Proof.
  intro H. induction v as [|i [|j v] IH]; auto.
  - cbn [List.length p_commas commas]. flat. unfold bind, ret. now rewrite pos_ok.
  - cbn [List.length p_commas] in *. change (commas (i :: j :: v)) with (pos i :: b "," :: commas (j :: v)).
    flat. unfold bind at 1. rewrite pos_ok by reflexivity. unfold bind at 1. rewrite lit_ok.
    unfold bind at 1. now rewrite IH.
Qed.

Definition plan_of (d : decoder) : plan :=
  match d with ByState => PlanState | ByStep _ => PlanStep | ByPart sizes _ => PlanPart sizes end.
Lemma all2_length {A B} (f : A -> B -> bool) l m : all2 f l m = true -> List.length l = List.length m.
Proof. revert m. induction l as [|x l IH]; intros [|y m]; simpl; try discriminate; auto. intro H. bools. auto. Qed.
Lemma code_read l i c r : code_ok l c = true ->
  p_code (plan_of (decode_by l)) (List.length (heads l)) i (List.concat (code_tokens i c) ++ r) = Some (c, r).
Proof.
  intro H. unfold code_ok in H. bools. destruct c as [a ms]. cbn [says matrices] in *.
  rewrite (all2_length _ _ _ H0). unfold p_code, code_tokens, bind at 1 2 3. cbn [says matrices]. flat. rewrite !lit_ok.
  assert (S : stop (List.concat (joined smat_tokens ms) ++ nl ++ r) = true).
  { destruct ms as [|[|e m] [|m' ms]]; reflexivity. }
  assert (A : p_answer (plan_of (decode_by l)) (List.concat (answer_tokens a) ++ List.concat (joined smat_tokens ms) ++ nl ++ r)
    = Some (a, List.concat (joined smat_tokens ms) ++ nl ++ r)).
  { unfold answer_ok in H. destruct (decode_by l) as [|ys|sizes ts], a as [y| |v]; try discriminate;
      cbn [plan_of p_answer answer_tokens]; flat; unfold bind, ret.
    - now rewrite symbol_read.
    - now rewrite lit_ok.
    - rewrite <- (all2_length _ _ _ H), commas_read; auto using stop_number. }
  unfold bind, ret. rewrite A, joined_read, lit_ok; auto using smat_read.
Qed.
(* What follows a layer begins with no line of boxes, and with no yield line. *)
Definition no_box (r : bytes) : Prop := lit (b "box ") r = None.
Definition no_yield (r : bytes) : Prop := lit (b "yield ") r = None.
Lemma boxes_read l r : boxes_ok l = true -> no_box r ->
  p_boxes (List.length (heads l)) (List.length (codes l))
    (List.concat (numbered boxes_tokens (boxes l)) ++ r) = Some (boxes l, r).
Proof.
  unfold boxes_ok, p_boxes. intros H N. destruct (boxes l) as [|x xs]; cbn [numbered numbered_from].
  - flat. now rewrite N.
  - bools. unfold boxes_tokens at 1. flat. rewrite lit_ok.
    match goal with E : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in E; rewrite <- E end.
    rewrite <- (times_ok boxes_tokens (p_line (List.length (heads l))) (fun _ => True) (x :: xs) r 1); auto.
    + cbn [numbered_from]. unfold boxes_tokens at 2. flat. reflexivity.
    + intros k y s I _. match goal with G : forallb _ _ = true |- _ => apply (forallb_in _ _ _ G) in I end.
      unfold p_line, boxes_tokens, bind, ret. flat.
      rewrite !lit_ok, (all2_length _ _ _ I), joined_read, lit_ok; auto using box_read.
Qed.
Lemma yield_read y r : p_yield (List.concat (yield_tokens y) ++ r) = Some (y, r).
Proof.
  destruct y as [[x i] y]. unfold p_yield, yield_tokens, bind, ret. cbn [fst snd]. flat.
  rewrite lit_ok, pos_ok, lit_ok, pos_ok, lit_ok, pos_ok, lit_ok by reflexivity. auto.
Qed.
Lemma part_read x t r : p_part x (List.concat (part_tokens x t) ++ r) = Some (t, r).
Proof.
  destruct t as [p l]. unfold p_part, part_tokens. cbn [fst snd]. flat.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite lit_ok.
  unfold bind at 1. rewrite pos_ok by (destruct l; reflexivity).
  unfold bind at 1. rewrite many_ok with (good := fun r => stop r = true) (l := l); auto.
  - intros y s _ S. unfold bind. flat. now rewrite lit_ok, symbol_read.
  - discriminate.
Qed.
Lemma decoder_read l r : decoder_ok l = true -> no_yield r ->
  p_decoder (plan_of (decode_by l)) (reads l)
    (List.concat match decode_by l with ByState => [] | ByStep ys => each yield_tokens ys
                                      | ByPart _ ts => numbered part_tokens ts end ++ r) = Some (decode_by l, r).
Proof.
  unfold decoder_ok. intros H Y. destruct (decode_by l) as [|ys|sizes ts]; cbn [plan_of p_decoder]; auto; unfold bind, ret.
  - rewrite many_ok with (good := fun _ => True) (l := ys); auto using yield_read.
    + discriminate.
    + unfold p_yield, bind. now rewrite Y.
  - bools. rewrite (length_is_eq ts); auto. unfold numbered.
    rewrite times_ok with (good := fun _ => True); auto using part_read.
Qed.
(* And no line of a decoder is one of boxes. *)
Lemma decoder_no_box d r : no_box r ->
  no_box (List.concat match d with ByState => [] | ByStep ys => each yield_tokens ys
                                 | ByPart _ ts => numbered part_tokens ts end ++ r).
Proof. intro N. now destruct d as [|[|y ys]|sizes [|t ts]]. Qed.
Lemma layer_read k i l r : layer_ok k l = true -> no_box r /\ no_yield r ->
  p_layer i (List.concat (layer_tokens i l) ++ r) = Some (l, r).
Proof.
  intros H [N Y]. unfold layer_ok in H. bools. destruct l as [rd gv hs cs bs d].
  cbn [reads gives heads codes boxes decode_by] in *.
  match goal with E : (rd =? k)%positive = true |- _ => apply Pos.eqb_eq in E; subst rd end.
  unfold p_layer, layer_tokens. cbn [reads gives heads codes boxes decode_by]. flat.
  do 4 (unfold bind at 1; rewrite ?lit_ok; rewrite ?pos_ok by reflexivity).
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite count_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite count_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite pos_ok by (destruct d; reflexivity).
  match goal with |- context [List.concat (numbered head_tokens hs) ++ ?x] => set (rest := x) end.
  unfold bind at 1.
  match goal with |- context [p_plan ?s] =>
    assert (P : p_plan s = Some (plan_of d, List.concat (numbered head_tokens hs) ++ rest)) end.
  { unfold p_plan. destruct d as [|ys|sizes ts]; flat; cbn [plan_of].
    - rewrite lit_ok. unfold bind, ret. now rewrite lit_ok.
    - change (lit (b " decode state") (b " decode step" ++ ?s)) with (@None (unit * bytes)). cbv iota beta.
      rewrite lit_ok. unfold bind, ret. now rewrite lit_ok.
    - change (lit (b " decode state") (b " decode part" ++ ?s)) with (@None (unit * bytes)). cbv iota beta.
      change (lit (b " decode step") (b " decode part" ++ ?s)) with (@None (unit * bytes)). cbv iota beta.
      unfold bind, ret. rewrite !lit_ok, points_read, lit_ok; auto. }
  rewrite P. unfold numbered, bind at 1.
  rewrite times_ok with (good := fun _ => True); auto.
  2: { intros j h s I _. apply head_read.
       match goal with G : forallb (head_ok k) hs = true |- _ => apply (forallb_in _ _ _ G) in I end.
       unfold head_ok in I. now bools. }
  unfold rest, numbered, bind at 1.
  rewrite times_ok with (good := fun _ => True); auto.
  2: { intros j c s I _. apply (code_read (Layer k gv hs cs bs d)).
       match goal with G : forallb (code_ok _) cs = true |- _ => apply (forallb_in _ _ _ G) in I end. auto. }
  unfold bind at 1.
  match goal with G : boxes_ok _ = true |- _ => pose proof (boxes_read _ _ G (decoder_no_box d r N)) as B end.
  cbn [heads codes boxes decode_by] in B.
  match type of B with _ = ?y => match goal with |- context [p_boxes ?h ?c ?s] =>
    replace (p_boxes h c s) with y by (symmetry; exact B) end end.
  unfold bind, ret.
  match goal with G : decoder_ok _ = true |- _ => pose proof (decoder_read _ r G Y) as R end.
  cbn [reads decode_by] in R.
  match goal with |- context [p_decoder ?p ?n ?s] => replace (p_decoder p n s) with (Some (d, r)) by (symmetry; exact R) end.
  reflexivity.
Qed.

Lemma layers_each k n ls l : layers_ok k n ls = true -> In l ls -> exists k', layer_ok k' l = true.
Proof.
  revert k. induction ls as [|x ls IH]; [contradiction|]. intros k H [<-|I].
  - destruct ls; cbn [layers_ok] in H; bools; eauto.
  - destruct ls as [|y ls]; [contradiction|]. cbn [layers_ok] in H. apply andb_true_iff in H. destruct H as [_ H].
    exact (IH _ H I).
Qed.
Lemma layers_read k n ls r : layers_ok k n ls = true -> no_box r /\ no_yield r ->
  times_from 1 (List.length ls) p_layer (List.concat (numbered layer_tokens ls) ++ r) = Some (ls, r).
Proof.
  intros H Y. unfold numbered. rewrite times_ok with (good := fun r => no_box r /\ no_yield r); auto.
  - intros i l s I N. destruct (layers_each _ _ _ _ H I) as [k' L]. eapply layer_read; eauto.
  - split; reflexivity.
Qed.
Lemma named_read w l r : forallb name_ok l = true ->
  times_from 1 (List.length l) (p_named w) (List.concat (each (fun n => [w; n; nl]) l) ++ r) = Some (l, r).
Proof.
  intro H. rewrite each_numbered with (k := 1%positive). rewrite times_ok with (good := fun _ => True); auto.
  intros i n s I _. unfold p_named, bind, ret. flat. rewrite lit_ok, name_read, lit_ok; auto.
  eapply forallb_in; eauto.
Qed.
Lemma labelling_read k r : p_labelling (match k with States => b "label states" | Outputs => b "label outputs"
  | Acceptance => b "label accept" | Edges => b "label edges" end ++ nl ++ r) = Some (k, nl ++ r).
Proof. destruct k; reflexivity. Qed.

(* A well-spelled network is read back from its bytes. *)
Theorem parse_print_network m : well_spelled m = true -> parse_network (print_network m) = Some m.
Proof.
  intro W. unfold well_spelled in W. destruct m as [h f kind alphabet cl labels s ls].
  cbn [fsa_hash fitted labels_are Ast.alphabet Ast.classes Ast.labels start_label layers] in W. bools.
  unfold parse_network, whole. replace (p_network _) with (Some (Network h f kind alphabet cl labels s ls, @nil ascii)); auto.
  symmetry. rewrite <- (app_nil_r (print_network _)). unfold print_network, network_tokens, p_network.
  cbn [fsa_hash fitted labels_are Ast.alphabet Ast.classes Ast.labels start_label layers]. flat.
  assert (E64 : List.length h = 64%nat) by now apply Nat.eqb_eq.
  do 3 (unfold bind at 1; rewrite lit_ok). rewrite <- E64. unfold bind at 1. rewrite bytes_read.
  do 3 (unfold bind at 1; rewrite lit_ok).
  match goal with |- context [match kind with States => _ | Outputs => _ | Acceptance => _ | Edges => _ end ++ ?x] =>
    set (rest := x) end.
  unfold bind at 1.
  match goal with |- context [optional false ?p ?t] => assert (F : optional false p t
    = Some (f, match kind with States => b "label states" | Outputs => b "label outputs"
      | Acceptance => b "label accept" | Edges => b "label edges" end ++ rest)) end.
  { unfold optional. destruct f; flat.
    - unfold bind, ret. now rewrite !lit_ok.
    - unfold bind. destruct kind; reflexivity. }
  rewrite F. unfold rest. unfold bind at 1. rewrite labelling_read.
  do 2 (unfold bind at 1; rewrite lit_ok). unfold bind at 1. rewrite count_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite named_read by auto.
  unfold bind at 1.
  match goal with |- context [b "labels " ++ ?x] => set (rest' := b "labels " ++ x) end.
  match goal with |- context [optional None p_classes ?t] => assert (C : optional None p_classes t = Some (cl, rest')) end.
  { unfold optional, p_classes. destruct cl as [[n l]|]; flat.
    - unfold bind, ret. rewrite lit_ok, pos_ok by (destruct l; reflexivity). rewrite points_read, lit_ok; auto.
    - unfold bind. reflexivity. }
  rewrite C. unfold rest'. unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite count_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite named_read by auto.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1. rewrite symbol_read by reflexivity.
  do 2 (unfold bind at 1; rewrite lit_ok). unfold bind at 1. rewrite count_ok by reflexivity.
  unfold bind at 1. rewrite lit_ok. unfold bind at 1.
  match goal with G : layers_ok _ _ ls = true |- _ => rewrite (layers_read _ _ _ _ G) by (split; reflexivity) end.
  unfold bind, ret. now rewrite !lit_ok.
Qed.

(* Nothing else has these bytes. *)
Corollary print_automaton_injective a a' : well_formed a = true -> well_formed a' = true ->
  print_automaton a = print_automaton a' -> a = a'.
Proof.
  intros W W' E. apply parse_print_automaton in W, W'. rewrite E in W. congruence.
Qed.
Corollary print_network_injective m m' : well_spelled m = true -> well_spelled m' = true ->
  print_network m = print_network m' -> m = m'.
Proof.
  intros W W' E. apply parse_print_network in W, W'. rewrite E in W. congruence.
Qed.
