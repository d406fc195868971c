(* Slots.v: slots that letters move by a finite group and overwrite with 0 and 1 (OL.8 of theory/pages/one-layer.md).
   Their contents tell the state of the automaton. SlotLayer.v makes one layer of them.

   A slot that began at the place j of its orbit is at the place j x after a word that leads to x in the group. *)
From mathcomp Require Import all_ssreflect fingroup.
From Lrnn Require Import Loops.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GroupScope.

(* ---- which of two elements occurred last, for all pairs ------------------------------------------- *)

Section Last.
Variable T : eqType.
Implicit Types (E : seq T) (e x y : T).
Definition marks x y e (c : bool) := if e == x then true else if e == y then false else c.
(* Did x occur, and y not since then? With x = y: did x occur? *)
Definition is_last x y E := foldl (fun c e => marks x y e c) false E.

Lemma is_last_rcons x y E e : is_last x y (rcons E e) = marks x y e (is_last x y E).
Proof. exact: foldl_rcons. Qed.
Lemma is_last_filter e x y E : x != e -> y != e -> is_last x y [seq z <- E | z != e] = is_last x y E.
Proof.
move=> nx ny; elim/last_ind: E => // E z IH; rewrite filter_rcons; case: ifP => [_|/negbFE/eqP ->].
  by rewrite !is_last_rcons IH.
by rewrite is_last_rcons IH /marks eq_sym (negPf nx) eq_sym (negPf ny).
Qed.
Lemma is_last_absent e x E : e \notin E -> is_last e x E = false /\ is_last x e E = is_last x x E.
Proof.
elim/last_ind: E => // E z IH; rewrite mem_rcons inE negb_or => /andP[ne /IH[h1 h2]].
by rewrite !is_last_rcons h1 h2 /marks eq_sym (negPf ne) if_same; case: (z == x).
Qed.
Lemma same_last E E' : (forall x y, is_last x y E = is_last x y E') -> undup E = undup E'.
Proof.
have [n] := ubnP (size E); elim: n E E' => // n IH E E'; case/lastP: E => [_|E e].
  case/lastP: E' => // E' e same_; have := same_ e e; rewrite is_last_rcons /marks eqxx; by [].
rewrite size_rcons ltnS => le; case/lastP: E' => [|E' e'] same_.
  by have := same_ e e; rewrite is_last_rcons /marks eqxx.
have ee : e = e'.
  by have := same_ e e'; rewrite !is_last_rcons /marks !eqxx; case: (e' =P e) => [->|] //.
rewrite -{e'}ee in same_ *; rewrite !undup_rcons !filter_undup; congr rcons; apply: IH => [|x y].
  by apply: leq_ltn_trans le; rewrite size_filter count_size.
have ne D : e \notin [seq z <- D | z != e] by rewrite mem_filter eqxx.
have one x' y' : x' != e -> y' != e -> is_last x' y' [seq z <- E | z != e] = is_last x' y' [seq z <- E' | z != e].
  move=> nx ny; rewrite !is_last_filter //; have := same_ x' y'; rewrite !is_last_rcons /marks.
  by rewrite eq_sym (negPf nx) eq_sym (negPf ny).
case: (x =P e) => [->|/eqP nx]; first by rewrite !(proj1 (is_last_absent y (ne _))).
case: (y =P e) => [->|/eqP ny]; last exact: one.
by rewrite !(proj2 (is_last_absent x (ne _))) one.
Qed.
End Last.

Section Slots.
Variables (gT : finGroupType) (A Q : finType) (h : A -> gT) (act : Q -> A -> Q) (q0 : Q).
Implicit Types (w u p k : seq A) (x : gT).

Definition turn_by x a := x * h a.
(* Where a word leads in the group, and which edges (x, a) it passes there. *)
Definition place_of w : gT := ends turn_by 1 w.
Definition edges_of w := path_edges turn_by 1 w.
Definition state_of w : Q := does act q0 w.
Definition met x q := exists w, place_of w = x /\ state_of w = q.

(* ---- statement ---------------------------------------------------------------------------------- *)

(* Words that the group does not see: they act as idempotents, and efe = fe for two of them. *)
Definition loops_are_bands := forall u k q,
  \prod_(a <- u) h a = 1 -> \prod_(a <- k) h a = 1 -> u <> [::] -> k <> [::] ->
  does act q (u ++ u) = does act q u /\ does act q (u ++ k ++ u) = does act q (k ++ u).

(* The orbits of slots: one for each pair of edges, and one that tells the place. *)
Definition orbit := option ((gT * A) * (gT * A)).
Definition slot := (orbit * gT)%type.
Definition contents := {ffun slot -> bool}.
(* What letter a writes into the slot that it finds at the place x. *)
Definition written (o : orbit) x a : option bool :=
  if o is Some (e, f) then if (x, a) == e then Some true else if (x, a) == f then Some false else None else None.
Definition first_contents : contents := [ffun s => s == (None, 1)].
(* Letter a moves a slot from x to x h(a), and then it is overwritten. *)
Definition next (c : contents) a : contents :=
  [ffun s => let x := s.2 * (h a)^-1 in odflt (c (s.1, x)) (written s.1 x a)].
Definition contents_after w := foldl next first_contents w.

(* ---- its proof ------------------------------------------------------------------------------------ *)

Lemma place_rcons w a : place_of (rcons w a) = place_of w * h a. Proof. exact: foldl_rcons. Qed.
Lemma ends_prod x w : ends turn_by x w = x * \prod_(a <- w) h a.
Proof.
elim: w x => [|a w IH] x; first by rewrite big_nil mulg1.
by rewrite big_cons mulgA [LHS]/= -/(ends _ _ _) IH.
Qed.
Lemma edges_rcons w a : edges_of (rcons w a) = rcons (edges_of w) (place_of w, a).
Proof. by rewrite -!cats1 /edges_of path_edges_cat. Qed.
Lemma after_rcons w a : contents_after (rcons w a) = next (contents_after w) a. Proof. exact: foldl_rcons. Qed.

Lemma token w x : contents_after w (None, x) = (x == place_of w).
Proof.
elim/last_ind: w x => [|w a IH] x; first by rewrite ffunE xpair_eqE eqxx.
by rewrite after_rcons ffunE /= IH place_rcons (can2_eq (mulgKV _) (mulgK _)).
Qed.
Lemma pair_slot w e f : contents_after w (Some (e, f), place_of w) = is_last e f (edges_of w).
Proof.
elim/last_ind: w => [|w a IH]; first by rewrite ffunE.
rewrite after_rcons ffunE /= place_rcons mulgK IH edges_rcons is_last_rcons /marks.
by case: ifP => // _; case: ifP.
Qed.

Hypothesis bands : loops_are_bands.
Lemma contents_tell w w' : contents_after w = contents_after w' -> state_of w = state_of w'.
Proof.
move=> e; have ep : place_of w = place_of w'.
  by apply/eqP; rewrite -token -e token.
have eu : undup (edges_of w) = undup (edges_of w') by apply: same_last => x y; rewrite -!pair_slot e ep.
have trivial_ x u : ends turn_by x u = x -> \prod_(a <- u) h a = 1.
  by rewrite ends_prod => /(canRL (mulKg x)); rewrite mulVg.
suff [_ al] : alike turn_by act (fun _ _ => True) 1 w w' by apply: al.
apply: OL7 eu => //.
- by move=> v q p _ ne /trivial_ l; have [] := bands q l l ne ne.
- by move=> v q p k _ ne ne' /trivial_ l /trivial_ l'; have [] := bands q l l' ne ne'.
Qed.

(* The state that goes with contents. *)
Definition jrel : rel (contents * Q) := fun s t => [exists a, t == (next s.1 a, act s.2 a)].
Definition state_at (c : contents) : Q := odflt q0 [pick q | connect jrel (first_contents, q0) (c, q)].
Lemma joint_reached w : connect jrel (first_contents, q0) (contents_after w, state_of w).
Proof.
elim/last_ind: w => [|w a IH]; first exact: connect0.
apply: connect_trans IH (connect1 _); apply/existsP; exists a.
by rewrite after_rcons /state_of /does foldl_rcons.
Qed.
Lemma joint_word s t : connect jrel s t -> exists w, t = (foldl next s.1 w, does act s.2 w).
Proof.
case/connectP=> p; elim: p s => [|y p IH] s /=; first by move=> _ ->; exists [::]; case: (s).
case/andP=> /existsP[a /eqP ey] pth et; have [w ->] := IH y pth et.
by exists (a :: w); rewrite ey.
Qed.
Lemma state_at_right w : state_at (contents_after w) = state_of w.
Proof.
rewrite /state_at; case: pickP => [q /joint_word[w' [ec ->]]|/(_ (state_of w))]; last by rewrite joint_reached.
exact/esym/contents_tell.
Qed.
End Slots.
Print Assumptions state_at_right.
