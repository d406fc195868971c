(* Forks.v: two words of a layer cannot lead from one state to two states that both of them fix (FK.1 of
   theory/pages/layers.md). NoFork.v has what follows for automata.

   Distances are those of Model.v, sums of squares, so that no root is needed. In place of an inner product there is
   Stewart's theorem, on the distances of a point from the points of a line. *)
From Coq Require Import List ZArith QArith String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Model Numbers Boxes T1 Periods Class.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section AnyRing.
Variables (T : Type) (zero one : T) (add mul sub : T -> T -> T) (opp : T -> T).
Hypothesis Tr : ring_theory zero one add mul sub opp eq.
Add Ring T_ring : Tr.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub.
Lemma stewart_abstract (s a b c : T) : (s - (a + c * (b - a))) * (s - (a + c * (b - a))) =
  (one - c) * ((s - a) * (s - a)) + c * ((s - b) * (s - b)) - c * (one - c) * ((a - b) * (a - b)).
Proof. ring. Qed.
Lemma regroup (x y z r s t c : T) :
  (one - c) * (x + r) + c * (y + s) - c * (one - c) * (z + t) =
  ((one - c) * x + c * y - c * (one - c) * z) + ((one - c) * r + c * s - c * (one - c) * t).
Proof. ring. Qed.
End AnyRing.

(* ---- one layer ------------------------------------------------------------------------------- *)

Section Layer.
Variable F : realFieldType.
Implicit Types (hs : list head) (c : F) (v e f : seq index).

(* S + c (T - S) *)
Fixpoint line hs : states F hs -> states F hs -> F -> states F hs :=
  match hs return states F hs -> states F hs -> F -> states F hs with
  | h :: r => fun S T c => (S.1 + c *: (T.1 - S.1), line S.2 T.2 c)
  | [::] => fun _ _ _ => tt
  end.

Lemma stewart hs (S x y : states F hs) c :
  distance S (line x y c) = (1 - c) * distance S x + c * distance S y - c * (1 - c) * distance x y.
Proof.
have R := F_R (F_field F); elim: hs S x y => [|h hs IH] S x y /=; first by rewrite !mulr0 addr0 subr0.
rewrite IH (regroup R); congr (_ + _); rewrite !mulr_sumr -big_split -sumrB; apply: eq_bigr => i _.
rewrite !mulr_sumr -big_split -sumrB; apply: eq_bigr => j _; rewrite !mxE !expr2.
exact: (stewart_abstract R).
Qed.

Lemma acts_line hs x (S T : states F hs) c : acts x (line S T c) = line (acts x S) (acts x T) c.
Proof.
elim: hs S T => //= h hs IH S T; congr pair; last exact: IH.
rewrite -!/(letter_act x _) !letter_affine /read mulmxDr -scalemxAr mulmxBr opprD addrACA subrr addr0.
by rewrite addrAC.
Qed.
Lemma word_line hs v (S T : states F hs) c : read_word v (line S T c) = line (read_word v S) (read_word v T) c.
Proof. by elim: v S T => //= x v IH S T; rewrite acts_line IH. Qed.

Definition contracting hs := forall h x, List.In h hs -> contracts F h x.
Lemma word_contracts hs v (S T : states F hs) : contracting hs ->
  distance (read_word v S) (read_word v T) <= distance S T.
Proof.
move=> c; elim: v S T => //= x v IH S T; apply: Order.POrderTheory.le_trans (IH _ _) _.
by apply: acts_contracts => h; apply: c.
Qed.

Lemma distance_sym hs (S T : states F hs) : distance S T = distance T S.
Proof.
elim: hs S T => //= h hs IH S T; rewrite IH; congr (_ + _); apply: eq_bigr => i _; apply: eq_bigr => j _.
by rewrite -sqrrN opprB.
Qed.
(* A word that keeps the distance of x and y keeps the difference of a state's distances from them. *)
Lemma kept_difference hs v (s x y : states F hs) : contracting hs ->
  distance (read_word v x) (read_word v y) = distance x y ->
  distance (read_word v s) (read_word v x) - distance (read_word v s) (read_word v y) = distance s x - distance s y.
Proof.
move=> con iso; pose a := distance (read_word v s) (read_word v x) - distance s x.
pose b := distance (read_word v s) (read_word v y) - distance s y.
have le c : a + c * (b - a) <= 0.
  have := word_contracts v s (line x y c) con; rewrite word_line !stewart iso ler_add2r -subr_le0.
  rewrite opprD addrACA -!mulrBr -/a -/b; move: (a) (b) => p q.
  by rewrite mulrBl mul1r mulrBr addrAC addrA.
suff e : b - a = 0.
  move/subr0_eq: e; rewrite /a /b; move: (distance _ _) (distance _ _) (distance s x) (distance s y) => A B A0 B0 e.
  by rewrite -(subrK A0 A) -e addrAC [B - B0]addrC addrK addrC.
apply/eqP; rewrite -[_ == _]negbK; apply/negP=> ne; have := le ((1 - a) / (b - a)).
by rewrite divfK // addrC subrK ler10.
Qed.
Lemma fixed_difference hs v (s x y : states F hs) : contracting hs -> read_word v x = x -> read_word v y = y ->
  distance (read_word v s) x - distance (read_word v s) y = distance s x - distance s y.
Proof. by move=> con fx fy; have := @kept_difference _ v s x y con; rewrite fx fy; apply. Qed.

(* FK.1: two words cannot lead from one state to two states that both of them fix. *)
Theorem FK1 hs e f (s x y : states F hs) : contracting hs -> read_word e s = x -> read_word f s = y ->
  read_word e x = x -> read_word e y = y -> read_word f x = x -> read_word f y = y -> x = y.
Proof.
move=> con es fs ex ey fx fy; apply/distance_eq0.
have := fixed_difference s con ex ey; have := fixed_difference s con fx fy.
have self (S : states F hs) : distance S S = 0 by apply/distance_eq0.
rewrite es fs !self (distance_sym y x) subr0 sub0r => <- /eqP.
by rewrite eq_sym -addr_eq0 -mulr2n mulrn_eq0 /= => /eqP.
Qed.
End Layer.
