(* Loops.v: words and loops (OL.7 of theory/pages/one-layer.md). A word that an automaton with the states Q reads is at
   the same time a path in a graph with the vertices V. If all loops act as idempotents, and efe = fe holds for those
   at one vertex, then the order in which a path passes its edges for the last time tells what the word does.

   The graph may be a finite group (Slots.v), or any device that reads the letters (OL.10). Nothing has to be finite. *)
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---- the last occurrences in a sequence --------------------------------------------------------- *)

(* undup keeps the last occurrence of every element. Its first element then is the one that occurs last the earliest. *)
Lemma undup_first (T : eqType) (E : seq T) e L : undup E = e :: L ->
  exists E1 E2, [/\ E = E1 ++ e :: E2, e \notin E2 & undup E2 = L].
Proof.
elim: E => //= x E IH; case: ifP => [_ /IH[E1 [E2 [-> ne eL]]]|/negbT ne [<- <-]].
  by exists (x :: E1), E2.
by exists [::], E.
Qed.

Section Loops.
Variables (A V : eqType) (Q : Type) (step : V -> A -> V) (act : Q -> A -> Q) (R : V -> Q -> Prop).
(* The pairs in R are those that the words lead to. *)
Hypothesis R_step : forall v q a, R v q -> R (step v a) (act q a).
Implicit Types (v z c : V) (p k s u w : seq A).

Definition ends v p := foldl step v p.
Definition does q p := foldl act q p.
Fixpoint path_edges v p : seq (V * A) := if p is a :: r then (v, a) :: path_edges (step v a) r else [::].
Definition loop v p := ends v p = v.

(* ---- statement ---------------------------------------------------------------------------------- *)

Definition loops_idempotent := forall v q p, R v q -> p <> [::] -> loop v p -> does q (p ++ p) = does q p.
Definition loops_right_regular := forall v q p k, R v q -> p <> [::] -> k <> [::] -> loop v p -> loop v k ->
  does q (p ++ k ++ p) = does q (k ++ p).

(* ---- paths that act alike ------------------------------------------------------------------------- *)

Lemma ends_cat v p s : ends v (p ++ s) = ends (ends v p) s. Proof. exact: foldl_cat. Qed.
Lemma does_cat q p s : does q (p ++ s) = does (does q p) s. Proof. exact: foldl_cat. Qed.
Lemma R_does v q p : R v q -> R (ends v p) (does q p).
Proof. by elim: p v q => //= a p IH v q r; apply: IH; apply: R_step. Qed.
Lemma path_edges_cat v p s : path_edges v (p ++ s) = path_edges v p ++ path_edges (ends v p) s.
Proof. by elim: p v => //= a p IH v; rewrite IH. Qed.
Lemma split_path v p E1 e E2 : path_edges v p = E1 ++ e :: E2 ->
  exists u s, [/\ p = u ++ e.2 :: s, ends v u = e.1, path_edges v u = E1 & path_edges (step e.1 e.2) s = E2].
Proof.
elim: E1 v p => [|e1 E1 IH] v [|a p] //=.
  by case=> <- <-; exists [::], p.
by case=> <- /IH[u [s [-> eu u1 s2]]]; exists (a :: u), s; rewrite /= u1.
Qed.
Lemma pass_edge v p e : e \in path_edges v p -> exists u s, p = u ++ e.2 :: s /\ ends v u = e.1.
Proof.
move eE: (path_edges v p) => E ie; case/splitPr: ie eE => E1 E2 /split_path[u [s [-> ? _ _]]].
by exists u, s.
Qed.

Definition alike v p s := ends v p = ends v s /\ forall q, R v q -> does q p = does q s.
Lemma alike_refl v p : alike v p p. Proof. by []. Qed.
Lemma alike_sym v p s : alike v p s -> alike v s p.
Proof. by case=> e h; split=> // q r; rewrite h. Qed.
Lemma alike_trans v p s u : alike v p s -> alike v s u -> alike v p u.
Proof. by case=> e h [e' h']; split=> [|q r]; rewrite ?e ?h ?h'. Qed.
Lemma alike_right v p s u : alike v p s -> alike v (p ++ u) (s ++ u).
Proof. by case=> e h; split=> [|q r]; rewrite ?ends_cat ?does_cat ?e ?h. Qed.
Lemma alike_left v u p s : alike (ends v u) p s -> alike v (u ++ p) (u ++ s).
Proof. by case=> e h; split=> [|q r]; rewrite ?ends_cat ?does_cat ?e ?h //; apply: R_does. Qed.

Hypotheses (idem : loops_idempotent) (regular : loops_right_regular).
Lemma twice v p : loop v p -> alike v (p ++ p) p.
Proof.
move=> l; case: (p =P [::]) => [-> //|ne]; split=> [|q r]; first by rewrite ends_cat !l.
exact: idem r ne l.
Qed.
Lemma absorb v p k : loop v p -> loop v k -> alike v (p ++ k ++ p) (k ++ p).
Proof.
move=> l lk; case: (p =P [::]) => [->|ne]; first by rewrite cats0.
case: (k =P [::]) => [-> /=|ne']; first exact: twice.
by split=> [|q r]; [rewrite !ends_cat !(l, lk) | apply: regular r _ _ l lk].
Qed.

(* Step (i): AB AkB ~ AkB. *)
Lemma repeat_without_loop z p k s : loop (ends z p) k -> ends (ends z p) s = z ->
  alike z ((p ++ s) ++ p ++ k ++ s) (p ++ k ++ s).
Proof.
move=> lk ls; set c := ends z p; have lz : loop z (p ++ k ++ s) by rewrite /loop !ends_cat lk.
have lc : loop c (s ++ p) by rewrite /loop ends_cat ls.
apply: alike_sym; apply: alike_trans (alike_sym (twice lz)) _.
have -> : (p ++ k ++ s) ++ p ++ k ++ s = p ++ (k ++ (s ++ p) ++ k) ++ s by rewrite -!catA.
have -> : (p ++ s) ++ p ++ k ++ s = p ++ ((s ++ p) ++ k) ++ s by rewrite -!catA.
by apply/alike_left/alike_right/absorb.
Qed.

(* w is v with loops put in. *)
Inductive inserted : V -> seq A -> seq A -> Prop :=
| Inserted_nil z : inserted z [::] [::]
| Inserted_letter z a p w : inserted (step z a) p w -> inserted z (a :: p) (a :: w)
| Inserted_loop z k p w : loop z k -> inserted z p w -> inserted z p (k ++ w).
Lemma inserted_ends z p w : inserted z p w -> ends z w = ends z p.
Proof. by elim=> // {}z k {}p {}w l _ <-; rewrite ends_cat l. Qed.
Lemma inserted_cat z p w p' w' : inserted z p w -> inserted (ends z p) p' w' -> inserted z (p ++ p') (w ++ w').
Proof.
elim=> // {}z => [a {}p {}w _ IH|k {}p {}w l _ IH] h; first by apply: Inserted_letter; apply: IH.
by rewrite -catA; apply: Inserted_loop => //; apply: IH.
Qed.

(* Step (ii), for a loop p s, in whose part s loops are put. *)
Lemma skeleton_part c s w : inserted c s w -> forall z p, ends z p = c -> loop z (p ++ s) ->
  alike z ((p ++ s) ++ p ++ w) (p ++ w).
Proof.
elim=> [{}c|{}c a {}s {}w _ IH|{}c k {}s {}w lk ins IH] z p ec lz.
- by rewrite !cats0 in lz *; apply: twice.
- by have := IH z (rcons p a); rewrite -!cats1 !ends_cat -!catA /= ec; apply.
have ls : ends c w = z by rewrite (inserted_ends ins) -ec -ends_cat.
have lk' : loop (ends z p) k by rewrite ec.
have step1 := repeat_without_loop lk' (etrans (congr1 (ends^~ w) ec) ls).
have := IH z p ec lz => step2.
apply: alike_trans (alike_left (alike_sym (_ : alike (ends z (p ++ s)) _ _))) _.
  by rewrite lz; exact: step1.
have -> : (p ++ s) ++ (p ++ w) ++ p ++ k ++ w = ((p ++ s) ++ p ++ w) ++ p ++ k ++ w by rewrite -!catA.
by apply: alike_trans (alike_right _ step2) step1.
Qed.
Lemma skeleton z p w : inserted z p w -> loop z p -> alike z (p ++ w) w.
Proof. by move=> ins; apply: (skeleton_part ins (z := z) (p := [::])). Qed.

(* Step (iii): a loop may be left out before a path that passes all its edges. *)
Lemma find_inserted z p : forall p1 w t s, inserted z p1 w -> alike z s (w ++ t) ->
  {subset path_edges z (p1 ++ p) <= path_edges z (w ++ t)} ->
  exists w' t', inserted z (p1 ++ p) w' /\ alike z s (w' ++ t').
Proof.
elim: p => [|a p IH] p1 w t s ins al sub; first by rewrite cats0; exists w, t.
set c := ends z p1; have ew : ends z w = c := inserted_ends ins.
have next k : loop c k -> inserted z (p1 ++ [:: a]) (w ++ k ++ [:: a]).
  by move=> l; apply: inserted_cat ins (Inserted_loop l _); apply/Inserted_letter/Inserted_nil.
have : (c, a) \in path_edges z (w ++ t).
  by apply: sub; rewrite path_edges_cat mem_cat inE eqxx orbT.
rewrite path_edges_cat mem_cat => in_; rewrite -cat1s catA in sub *; case/orP: in_ => [/pass_edge[u [y []]]|] /=.
  move=> eu ec; have ly : loop c (a :: y) by rewrite /loop -[in ends c _]ec -ends_cat -eu.
  apply: (IH _ _ (y ++ t) s (next [::] erefl)) => [|x /sub].
    apply: alike_trans al _; have -> : (w ++ [::] ++ [:: a]) ++ y ++ t = u ++ ((a :: y) ++ a :: y) ++ t.
      by rewrite eu -!catA.
    have -> : w ++ t = u ++ (a :: y) ++ t by rewrite eu -catA.
    by apply/alike_left/alike_right/alike_sym/twice; rewrite ec.
  have -> : (w ++ [::] ++ [:: a]) ++ y ++ t = w ++ (a :: y) ++ t by rewrite -!catA.
  by rewrite !(path_edges_cat, mem_cat) ew ly; case/orP=> ->; rewrite ?orbT.
rewrite ew => /pass_edge[k [y [/= et ec]]].
have e : w ++ t = (w ++ k ++ [:: a]) ++ y by rewrite et -cat1s -!catA.
by apply: (IH _ _ y s (next k ec)); rewrite -e.
Qed.
Lemma drop_loop z p s : loop z p -> {subset path_edges z p <= path_edges z s} -> alike z (p ++ s) s.
Proof.
move=> l sub; have [|w [t [ins al]]] := @find_inserted z p [::] [::] s s (Inserted_nil z) (alike_refl _ _) _.
  exact: sub.
apply: alike_trans (alike_left (_ : alike (ends z p) s (w ++ t))) _; first by rewrite l.
by rewrite catA; apply: alike_trans (alike_right _ (skeleton ins l)) (alike_sym al).
Qed.

(* OL.7: paths from one vertex act alike if their edges have one order of last occurrences. *)
Theorem OL7 v p p' : undup (path_edges v p) = undup (path_edges v p') -> alike v p p'.
Proof.
move eL: (undup (path_edges v p)) => L eL'; elim: L v p p' eL eL' => [|e L IH] v p p'.
  by move/undup_nil; case: p => // _ /esym/undup_nil; case: p'.
move=> lp /esym lp'; have [E1 [E2 [ep _ eL]]] := undup_first lp; have [E1' [E2' [ep' _ eL']]] := undup_first lp'.
have [u [s [pE eu _ es]]] := split_path ep; have [u' [s' [pE' eu' _ es']]] := split_path ep'.
set a := e.2 in pE pE' es es'; have ss : alike (step e.1 a) s s' by apply: IH; rewrite ?es ?es'.
have ass (x : seq A) : ends v x = e.1 -> alike v (x ++ a :: s) (x ++ a :: s').
  by move=> ez; apply: alike_left; rewrite ez -(cat1s a s) -(cat1s a s'); apply: alike_left.
have memp y : (y \in path_edges v p) = (y \in e :: L) by rewrite -lp mem_undup.
have memp' y : (y \in path_edges v p') = (y \in e :: L) by rewrite -lp' mem_undup.
have mems y : (y \in path_edges e.1 (a :: s)) = (y \in e :: L).
  by rewrite /= -/a es !inE -(mem_undup E2) eL /a -surjective_pairing.
suff h : alike v (u ++ a :: s) (u' ++ a :: s) by rewrite pE pE'; exact: alike_trans h (ass u' eu').
case: u eu pE => [|b r] eu pE.
  apply: alike_sym; apply: drop_loop; first by rewrite /loop eu' -eu.
  have ev : v = e.1 := eu; move=> y yin; rewrite [X in path_edges X _]ev mems -memp' pE'.
  by rewrite path_edges_cat mem_cat yin.
set u := b :: r in eu pE *; have [beta [gamma [eg e1]]] : exists beta gamma,
    a :: s = beta ++ b :: gamma /\ ends e.1 beta = v.
  by apply: (@pass_edge e.1 (a :: s) (v, b)); rewrite mems -memp pE inE eqxx.
set t := b :: gamma; pose l := u ++ beta; pose l' := u' ++ beta.
have ll : loop v l by rewrite /loop ends_cat eu. have ll' : loop v l' by rewrite /loop ends_cat eu'.
have part x y : x = u \/ x = u' -> y \in path_edges e.1 (beta ++ x) -> y \in path_edges e.1 (a :: s).
  move=> xu; rewrite path_edges_cat mem_cat e1 => /orP[h|].
    by rewrite eg path_edges_cat mem_cat h.
  by case: xu => -> h; [rewrite mems -memp pE | rewrite mems -memp' pE']; rewrite path_edges_cat mem_cat h.
have swap_ x x' : ends v x = e.1 -> ends v x' = e.1 -> x' = u \/ x' = u' ->
    alike v ((x ++ beta) ++ (x' ++ beta) ++ t) ((x ++ beta) ++ t).
  move=> ex ex' h; have -> : (x ++ beta) ++ (x' ++ beta) ++ t = x ++ (beta ++ x') ++ a :: s by rewrite eg -!catA.
  have -> : (x ++ beta) ++ t = x ++ a :: s by rewrite eg catA.
  apply: alike_left; rewrite ex; apply: drop_loop; first by rewrite /loop ends_cat e1.
  by move=> y; apply: part.
have h1 : alike v (l ++ l' ++ t) (l ++ t) by apply: swap_ => //; right.
have h2 : alike v (l' ++ l ++ t) (l' ++ t) by apply: swap_ => //; left.
have -> : u ++ a :: s = l ++ t by rewrite eg catA.
have -> : u' ++ a :: s = l' ++ t by rewrite eg catA.
apply: alike_sym; apply: alike_trans (alike_sym h2) _.
apply: alike_trans (_ : alike v (l' ++ l ++ l' ++ t) _).
  by apply: alike_left; rewrite ll'; apply: alike_sym.
have -> : l' ++ l ++ l' ++ t = (l' ++ l ++ l') ++ t by rewrite -!catA.
by apply: alike_trans (alike_right _ (absorb ll' ll)) _; rewrite -catA.
Qed.
End Loops.
Print Assumptions OL7.
