(* Sets.v: networks of one layer of the delta rule that are right on all words, by sets of states that letters keep and a
   tree of suffixes (AL.7 and AL.9 of theory/pages/all-lengths.md, without roundings).

   A set is given by bounds in finitely many directions. How a read-out is decided on a set is left open: what a leaf
   needs is that the answer is right for all states of the set. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink NoGroup.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

Section Sets.
Variables (F : realFieldType) (n d : nat) (letter : Type) (heads Q I : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Notation run p w := (run next p w).
Implicit Types (u z w : seq letter) (S : state F n d heads).

(* ---- AL.7 ------------------------------------------------------------------------------------- *)

(* The directions of each head, and the bound of state p in head h, column v of the page's state, direction i. *)
Variables (direction : heads -> I -> 'cV[F]_n) (bound : Q -> heads -> 'I_d -> I -> F).
Definition inside p S : Prop := forall h v i, (S h *m direction h i) v 0 <= bound p h v i.
(* The words lead to p. *)
Definition reached p : Prop := exists w, p = run first w.

(* What letter a makes of direction j is a sum of directions with weights that are not negative, and a rest e. *)
Definition closed p a h v j : Prop := exists (c : I -> F) (e : 'cV[F]_n) (E : F),
  [/\ forall i, 0 <= c i,
      linear (factors N a h) *m direction h j = \sum_i c i *: direction h i + e,
      forall S, inside p S -> (S h *m e) v 0 <= E &
      \sum_i c i * bound p h v i + E + (read (factors N a h) 0 *m direction h j) v 0 <= bound (next p a) h v j].
Definition all_closed : Prop := inside first (start N) /\ forall p a h v j, reached p -> closed p a h v j.

Lemma inside_step p a S : reached p -> all_closed -> inside p S -> inside (next p a) (moved N [:: a] S).
Proof.
move=> rp [_ cl] ins h v j; have [c [e [E [c0 de eE]]]] := cl p a h v j rp; apply: le_trans.
rewrite /moved /by_head /= cats0 readE mulmxDl -mulmxA de mulmxDr mulmx_sumr !mxE summxE.
rewrite ler_add2r ler_add //; last by have := eE S ins; rewrite mxE.
apply: ler_sum => i _; rewrite -scalemxAr mxE ler_wpmul2l //; exact: ins.
Qed.
Theorem AL7 w : all_closed -> inside (run first w) (after N w).
Proof.
move=> cl; elim/last_ind: w => [|w a IH] /=; first by case: cl.
have -> : run first (rcons w a) = next (run first w) a by rewrite /NoGroup.run -cats1 foldl_cat.
have := @inside_step (run first w) a (after N w) _ cl IH.
have e h : after N (rcons w a) h = moved N [:: a] (after N w) h.
  by rewrite /after /moved -cats1 by_head_cat read_cat.
by move=> step h v i; rewrite e; apply: step; exists w.
Qed.

(* ---- AL.9 ------------------------------------------------------------------------------------- *)

(* Words by their last letter: a leaf, or a node with a child for each letter in front. *)
Inductive tree : Type := Leaf | Node (child : letter -> tree).
(* u ends in a. A leaf is right for all states of all sets, a node is right as a word, and its children are checked. *)
Fixpoint checked a (t : tree) u : Prop :=
  match t with
  | Leaf => forall p S T, reached p -> inside p S -> (forall h, T h = moved N u S h) -> answers_only N a T (run p u)
  | Node child => answers_only N a (after N u) (run first u) /\ forall b, checked a (child b) (b :: u)
  end.
Lemma checked_right a t u z : all_closed -> checked a t u ->
  answers_only N a (after N (z ++ u)) (run first (z ++ u)).
Proof.
move=> cl; elim: t u z => [|child IH] u z /=.
  move=> leaf; rewrite run_cat; apply: leaf (AL7 z cl) _; first by exists z.
  by move=> h; rewrite /after /moved by_head_cat read_cat.
by case/lastP: z => [|z b] [word child_]; rewrite ?cat_rcons; [| apply: (IH b)].
Qed.
(* With a tree for each last letter the network is right on all words. *)
Theorem AL9 (trees : letter -> tree) w a : all_closed -> (forall b, checked b (trees b) [:: b]) ->
  answers_only N a (after N (rcons w a)) (run first (rcons w a)).
Proof. by move=> cl ch; rewrite -cats1; apply: checked_right cl (ch a). Qed.
End Sets.
