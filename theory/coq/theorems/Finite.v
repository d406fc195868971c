(* Finite.v: networks of one layer of the delta rule some of whose heads have finitely many states, which are followed by
   rational matrices (AL.12 of theory/pages/all-lengths.md, without roundings).

   A state is written in rows, as the page's S^T: it is S_0^T P^T + U^T Q^T, and P^T and Q^T are one matrix here, the one
   above the other, S_0^T and U^T one beside the other. What the other heads do is left open: an answer has to be right
   for all states of theirs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink NoGroup.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

(* ---- statement -------------------------------------------------------------------------------- *)

(* A factor of an exact head: beta is the whole number r and the key t / |t|, or t is 0 and the factor the identity, since
   beta or the key is 0; its value over |t| is column i of all parts, or there is no value. *)
Record action (n m : nat) : Type := Action {ends : int; whole : 'rV[int]_n; part : option 'I_m}.

Section Statement.
Variables (F : numFieldType) (n m : nat).
Implicit Types (C : 'M[F]_(m, n)) (a : action n m).
(* t and |t|^2 *)
Definition direction a : 'rV[F]_n := map_mx (fun x : int => x%:~R) (whole a).
Definition size_of a : F := (direction a *m (direction a)^T) 0 0.
Definition unit_row a : 'rV[F]_m := if part a is Some i then delta_mx 0 i else 0.
(* C <- C - r / |t|^2 (C t^T) t + r e t, e being 1 in the row of the value; where t is 0 nothing happens. *)
Definition act C a : 'M[F]_(m, n) :=
  C - ((ends a)%:~R / size_of a) *: (C *m (direction a)^T *m direction a)
    + (ends a)%:~R *: ((unit_row a)^T *m direction a).
Definition act_all : 'M[F]_(m, n) -> seq (action n m) -> 'M[F]_(m, n) := foldl act.
End Statement.

(* The factor f does what the action says, if the parts are the columns of G. *)
Definition follows (F : realFieldType) n d m (G : 'M[F]_(d, m)) (f : factor F n d) (a : action n m) : Prop :=
  if whole a == 0 then beta f = 0 \/ key f = 0 else
  exists size : F, [/\ size ^+ 2 = size_of F a, beta f = (ends a)%:~R, key f = size^-1 *: direction F a &
    G *m (unit_row F a)^T = size^-1 *: (value f)^T].

(* ---- one factor ------------------------------------------------------------------------------- *)

Section Factors.
Variables (F : realFieldType) (n d m : nat) (G : 'M[F]_(d, m)).
Implicit Types (f : factor F n d) (a : action n m) (C : 'M[F]_(m, n)).

Lemma direction0 a : whole a = 0 -> direction F a = 0.
Proof. by move=> e; rewrite /direction e; apply/rowP=> i; rewrite !mxE. Qed.
Lemma size_of_gt0 a : whole a != 0 -> 0 < size_of F a.
Proof.
move=> ne; have -> : size_of F a = sq (direction F a).
  by rewrite sq_trace /size_of [_ *m _]mx11_scalar mxtrace_scalar !mxE mulr1n.
rewrite lt_def sq_ge0 andbT; apply: contra ne => /eqP/sq_eq0 e; apply/eqP/rowP=> i.
by have /rowP/(_ i) := e; rewrite !mxE => /eqP; rewrite intr_eq0 => /eqP.
Qed.
Lemma follows_turn f a C : follows G f a -> turn (G *m C) f = G *m act C a.
Proof.
rewrite /follows /turn /act; case: eqP => [/direction0 e none|/eqP ne [s [ss -> -> ue]]].
  by rewrite e !mulmx0 !scaler0 !subr0 addr0; case: none => ->; rewrite ?scale0r ?mulmx0 ?scaler0 subr0.
have s0 : s != 0 by apply: contraTneq (size_of_gt0 ne) => s0; rewrite -ss s0 expr0n ltxx.
set t := direction F a; set r := _%:~R; have trZ (c : F) (X : 'rV[F]_n) : (c *: X)^T = c *: X^T.
  by apply/matrixP=> i j; rewrite !mxE.
rewrite mulmxDr mulmxBr -!scalemxAr trZ -!scalemxAr -ss expr2 invfM.
have -> : (value f)^T = s *: (G *m (unit_row F a)^T) by rewrite ue scalerA mulfV // scale1r.
rewrite mulmxBl -!scalemxAl scalerBr scalerBr opprB addrA addrAC; congr (_ + _).
  by rewrite !mulmxA !scalerA; congr (_ - _); rewrite mulrA.
by rewrite !scalerA mulVf // mulr1 mulmxA.
Qed.
Lemma follows_read fs acts C : List.Forall2 (follows G) fs acts -> read fs (G *m C) = G *m act_all C acts.
Proof. by move=> all; elim: all C => //= f a r r' fa _ IH C; rewrite (follows_turn C fa) IH. Qed.
End Factors.

(* ---- AL.12 ------------------------------------------------------------------------------------ *)

Section Finite.
Variables (F : realFieldType) (n d : nat) (letter : Type) (heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Notation run p w := (run next p w).
(* The heads that are followed, with the parts of each and the actions of letters. *)
Variables (followed : pred heads) (m : nat) (G : heads -> 'M[F]_(d, m)) (acts : letter -> heads -> seq (action n m)).
Hypothesis exact : forall a h, followed h -> List.Forall2 (follows (G h)) (factors N a h) (acts a h).

(* Of a followed head a matrix of rational numbers. *)
Definition joint : Type := (Q * (heads -> 'M[rat]_(m, n)))%type.
Definition meant (c : heads -> 'M[rat]_(m, n)) h : 'M[F]_(d, n) := G h *m map_mx ratr (c h).
Definition like (c : heads -> 'M[rat]_(m, n)) (S : state F n d heads) : Prop := forall h, followed h -> S h = meant c h.
Definition step (a : letter) (c : heads -> 'M[rat]_(m, n)) h : 'M[rat]_(m, n) := act_all (c h) (acts a h).

(* X, finite or not, has the start and what letters make of its elements; only followed heads count in it. After every
   letter the answer is right for every state of which the followed heads are those of the element. *)
Variable X : joint -> Prop.
Definition followed_set : Prop :=
  (exists c, X (first, c) /\ like c (start N)) /\
  forall p c a, X (p, c) -> exists c', [/\ X (next p a, c'), forall h, followed h -> c' h = step a c h &
    forall S, like c' S -> answers_only N a S (next p a)].

Lemma act_ratr (C : 'M[rat]_(m, n)) a : map_mx ratr (act C a) = act (map_mx ratr C) a :> 'M[F]_(m, n).
Proof.
have dE : map_mx ratr (direction [numFieldType of rat] a) = direction F a.
  by apply/matrixP=> i j; rewrite !mxE ratr_int.
have sE : ratr (size_of [numFieldType of rat] a) = size_of F a.
  by rewrite /size_of !mxE rmorph_sum; apply: eq_bigr => i _; rewrite !mxE rmorphM !rmorph_int.
have uE : map_mx ratr (unit_row [numFieldType of rat] a) = unit_row F a.
  by rewrite /unit_row; case: (part a) => [i|]; rewrite ?map_delta_mx ?map_mx0.
by rewrite /act map_mxD map_mxB !map_mxZ !map_mxM -!map_trmx dE uE rmorphM fmorphV !rmorph_int -sE.
Qed.
Lemma step_meant a c h (S : state F n d heads) : followed h -> like c S -> moved N [:: a] S h = meant (step a c) h.
Proof.
move=> fh lk; rewrite /moved /by_head /= cats0 (lk h fh) /meant /step (follows_read _ (exact a fh)); congr (_ *m _).
by elim: (acts a h) (c h) => //= b r IH C; rewrite -act_ratr IH.
Qed.
Lemma after_rcons w a h : after N (rcons w a) h = moved N [:: a] (after N w) h.
Proof. by rewrite /after /moved -cats1 by_head_cat read_cat. Qed.
Lemma run_rcons p w a : run p (rcons w a) = next (run p w) a.
Proof. by rewrite -cats1 run_cat. Qed.

(* Every word is followed, *)
Lemma AL12_followed w : followed_set -> exists c, X (run first w, c) /\ like c (after N w).
Proof.
case=> [[c0 [X0 l0]] cl]; elim/last_ind: w => [|w a [c [Xc lc]]]; first by exists c0.
have [c' [Xc' e _]] := cl _ _ a Xc; rewrite run_rcons; exists c'; split=> // h fh.
by rewrite after_rcons (step_meant a fh lc) /meant (e h fh).
Qed.
(* and so every word that is not empty is answered rightly. *)
Theorem AL12 w a : followed_set -> answers_only N a (after N (rcons w a)) (run first (rcons w a)).
Proof.
move=> fs; have [c [Xc lc]] := AL12_followed w fs; case: fs => _ cl; have [c' [_ e right]] := cl _ _ a Xc.
rewrite run_rcons; apply: right => h fh.
by rewrite after_rcons (step_meant a fh lc) /meant (e h fh).
Qed.
End Finite.
