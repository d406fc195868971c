(* Periods.v: a layer that reads letters with a period, when the products of its letters have real eigenvalues
   (the induction step of OB.3 of theory/pages/obstruct.md). Obstruct.v has OB.3 itself.

   Layers, states and decoders are those of Model.v. *)
From Coq Require Import List ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Model Check Exact Boxes Recurrences T1.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Periods.
Variable F : realFieldType.
Implicit Types (p : pred F) (h : head) (hs : list head) (x : index) (v : seq index).

(* ---- letters as matrices ------------------------------------------------------------------- *)

(* The matrix of a letter: (I - s_N u_N u_N^T) .. (I - s_1 u_1 u_1^T) g. *)
Definition letter_matrix h x : 'M[F]_(Pos.to_nat (rows h)) :=
  if get (on h) x is Some a then
    foldl (fun M f => let u := column F _ (key f) in householder (scale_of (raw h) (Qf F (beta f)) u) u *m M)
          (Qf F (gate a))%:M (factors a)
  else 1%:M.
Definition letter_act h x (S : head_state F h) := if get (on h) x is Some a then act (raw h) a S else S.
(* The matrix of a word, with its first letter's at the right. *)
Definition word_matrix h v := product (letter_matrix h) v.

Lemma letter_affine h x S : letter_act (h := h) x S = read (letter_matrix h) (fun x => letter_act x 0) S x.
Proof.
rewrite /read /letter_act /letter_matrix; case: get => [a|]; last by rewrite mul1mx addr0.
rewrite /act addrA; congr (_ + _); rewrite -[_ *: S]mul_scalar_mx -[_%:M *m S]addr0 -{1}(scaler0 _ (Qf F (gate a))).
elim: (factors a) (_%:M) (_ *: 0) => //= f fs IH M T; rewrite -IH; congr foldl.
by rewrite /turn /= mulmxDr mulmxA addrA.
Qed.

Definition read_word hs v (S : states F hs) : states F hs := foldl (fun S x => acts x S) S v.

(* ---- sequences of states whose entries obey recurrences ------------------------------------- *)

Fixpoint entries p hs : (nat -> states F hs) -> Prop :=
  match hs return (nat -> states F hs) -> Prop with
  | h :: r => fun S => (forall i j, rooted p (fun t => (S t).1 i j)) /\ entries p (fun t => (S t).2)
  | [::] => fun _ => True
  end.
Lemma entries_eq p hs (S T : nat -> states F hs) : S =1 T -> entries p S -> entries p T.
Proof.
elim: hs S T => //= h hs IH S T e [hd tl]; split=> [i j|].
  by apply: rooted_eq (hd i j) => t; rewrite e.
by apply: IH tl => t; rewrite e.
Qed.
Lemma entries_even p hs (S : nat -> states F hs) : entries p S -> entries (@nonneg F) (fun k => S k.*2).
Proof. by elim: hs S => //= h hs IH S [hd /IH tl]; split=> // i j; apply: rooted_even (hd i j). Qed.

Lemma word_entries p hs v (S : states F hs) : p 1 ->
  (forall h, List.In h hs -> only_eigenvalues p (word_matrix h v)) -> entries p (fun k => iter k (read_word v) S).
Proof.
move=> p1; elim: hs S => // h hs IH S real; pose B x : head_state F h := letter_act x 0.
have e1 (T : states F (h :: hs)) : read_word v T = (foldl (read (letter_matrix h) B) T.1 v, read_word v T.2).
  case: T => T1 T2; rewrite /read_word /=; elim: (v) T1 T2 => //= x w IHw T1 T2.
  by rewrite IHw /= -letter_affine.
have e2 k : iter k (read_word v) S =
    (state (word_matrix h v) (foldl (read (letter_matrix h) B) 0 v) S.1 k, iter k (read_word v) S.2).
  by rewrite -read_power; elim: k => [|k /= ->]; [case: (S) | rewrite e1].
split=> [i j|].
  apply: rooted_eq (state_rooted _ S.1 i j p1 (real h _)) => [k|]; last by left.
  by rewrite e2.
by apply: entries_eq (IH S.2 _) => [k|h' ?]; [rewrite e2 | apply: real; right].
Qed.

(* ---- decoders settle ------------------------------------------------------------------------ *)

Definition settling (decode : forall l : layer, states F (heads l) -> option index) :=
  forall l S, entries (@nonneg F) S -> ~ ~ steady (fun t => decode l (S t)).
Lemma nonneg1 : nonneg (1 : F). Proof. exact: ler01. Qed.

Lemma below_by_signs n d (U V : 'M[F]_(n, d)) (signs := [seq Num.sg (U q.1 q.2 - V q.1 q.2) | q <- enum predT]) :
  [forall i, forall j, U i j <= V i j] = all (fun s => s <= 0) signs /\
  [forall i, forall j, V i j <= U i j] = all (fun s => 0 <= s) signs.
Proof.
have q_in i j : Num.sg (U i j - V i j) \in signs by apply/mapP; exists (i, j); rewrite ?mem_enum.
split; apply/all_entriesP/allP => [le s /mapP[q _ ->]|z i j].
- by rewrite sgr_le0 subr_le0.
- by have := z _ (q_in i j); rewrite sgr_le0 subr_le0.
- by rewrite sgr_ge0 subr_ge0.
- by have := z _ (q_in i j); rewrite sgr_ge0 subr_ge0.
Qed.
Lemma below_steady hs (S : nat -> states F hs) T : entries (@nonneg F) S ->
  ~ ~ steady (fun t => (below (S t) T, below T (S t))).
Proof.
elim: hs S T => [|h hs IH] S T /=; first by move=> _; apply: steady_const.
case=> hd /IH tl; pose signs t := [seq Num.sg ((S t).1 q.1 q.2 - T.1 q.1 q.2) | q <- enum predT].
have st : ~ ~ steady signs.
  by apply: steady_seq => q _; apply/rooted_settles/(rooted_add (hd _ _))/(rooted_const _ nonneg1).
pose g (q : seq F * (bool * bool)) := (all (fun s => s <= 0) q.1 && q.2.1, all (fun s => 0 <= s) q.1 && q.2.2).
apply: steady_eq (steady_map (g := g) (steady_pair st (tl T.2))) => t; rewrite /g /=.
by have [-> ->] := below_by_signs (S t).1 T.1.
Qed.
Lemma same_below hs (S T : states F hs) : same S T = below S T && below T S.
Proof.
elim: hs S T => //= h hs IH S T; rewrite IH andbACA; congr (_ && _).
apply/eqP/andP => [->|[/all_entriesP h1 /all_entriesP h2]]; last by apply/matrixP=> i j; apply/le_anti/andP.
by split; apply/all_entriesP=> i j; apply: lexx.
Qed.
Lemma first_of_steady A (f : nat -> A -> bool) l i : (forall y, ~ ~ steady (fun t => f t y)) ->
  ~ ~ steady (fun t => first_of (f t) i l).
Proof.
move=> h; elim: l i => [|y l IH] i /=; first exact: steady_const.
exact: (steady_map (g := fun q => if q.1 then Some i else q.2) (steady_pair (h y) (IH _))).
Qed.
Lemma exactly_settles : settling (@exactly F).
Proof.
move=> l S e; rewrite /exactly; case: (boxes l) => [|bs0 r]; apply: first_of_steady => y.
  have h := steady_map (g := fun q => q.1 && q.2) (below_steady (T := states_of F (heads l) (matrices y)) e).
  by apply: steady_eq h => t; rewrite same_below.
pose g (q : bool * bool * (bool * bool)) := q.1.2 && q.2.1.
have h := steady_pair (below_steady (T := states_of F (heads l) (List.map lows y)) e)
  (below_steady (T := states_of F (heads l) (List.map highs y)) e).
exact: (steady_map (g := g) h).
Qed.

Lemma distance_rooted p hs (S : nat -> states F hs) T T' : p 1 -> entries p S ->
  rooted p (fun t => distance (S t) T - distance (S t) T').
Proof.
move=> p1; elim: hs S T T' => [|h hs IH] S T T' /=; first by move=> _; apply: rooted_const.
case=> hd /IH tl; pose lin t i j := (T'.1 i j - T.1 i j) * ((S t).1 i j + (S t).1 i j - (T.1 i j + T'.1 i j)).
apply: (@rooted_eq _ _ (fun t => (\sum_i \sum_j lin t i j) + (distance (S t).2 T.2 - distance (S t).2 T'.2))) => [t|].
  rewrite opprD addrACA; congr (_ + _); rewrite -sumrB; apply: eq_bigr => i _; rewrite -sumrB.
  apply: eq_bigr => j _; rewrite subr_sqr /lin; congr (_ * _); last by rewrite addrACA opprD.
  by rewrite opprB [RHS]addrC addrA subrK.
apply: rooted_add (tl _ _); apply: rooted_sum => // i; apply: rooted_sum => // j.
by apply/rooted_scale/(rooted_add _ (rooted_const _ p1))/rooted_add.
Qed.
Lemma nearest_settles : settling (@nearest F).
Proof.
move=> l S e; rewrite /nearest; set cs := iota 0 _; pose D t n := distance (S t) (code_state F l n).
pose nearer t n := [seq (k == n) || (Num.sg (D t n - D t k) < 0) | k <- cs].
apply: (@steady_eq _ (fun t => if mask (map (all id) [seq nearer t n | n <- cs]) cs is n :: _
                               then Some (Pos.of_succ_nat n) else None)) => [t|].
  rewrite filter_mask -map_comp (@eq_map _ _ _ (fun n => all (fun k => (k == n) || (D t n < D t k)) cs)) // => n /=.
  by rewrite all_map; apply: eq_all => k /=; rewrite sgr_lt0 subr_lt0.
apply: (steady_map (g := fun L => if mask (map (all id) L) cs is n :: _ then _ else _)).
apply: steady_seq => n _; apply: steady_seq => k _.
apply: (steady_map (g := fun s : F => (k == n) || (s < 0))); apply: rooted_settles.
exact: distance_rooted nonneg1 e.
Qed.

(* ---- a layer that reads letters with a period ------------------------------------------------ *)

Section Layer.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_settles : settling (@decode).
Variables (l : layer) (x : nat -> index) (S : nat -> states F (heads l)) (N P : nat).
Hypothesis runs : forall t, (N <= t)%N -> S t.+1 = acts (x t) (S t).
Hypothesis period : forall t, (N <= t)%N -> x (t + P)%N = x t.
Hypothesis P0 : (0 < P)%N.

(* The P letters from time t on. *)
Definition block t := mkseq (fun i => x (t + i)%N) P.
Lemma run_blocks t k : (N <= t)%N -> S (t + k * P)%N = iter k (read_word (block t)) (S t).
Proof.
move=> le; elim: k => [|k IH]; first by rewrite addn0.
rewrite /= -{}IH mulSn addnCA addnC; set t' := (t + k * P)%N.
have le' : (N <= t')%N by rewrite (leq_trans le) ?leq_addr.
have -> : block t = mkseq (fun i => x (t' + i)%N) P.
  apply: eq_mkseq => i; rewrite /t' addnAC; elim: (k) => [|j IH]; first by rewrite addn0.
  by rewrite IH mulSn [(P + _)%N]addnC addnA period // -addnA (leq_trans le) ?leq_addr.
rewrite /mkseq; elim: (P) => [|Q IH]; first by rewrite addn0.
by rewrite addnS runs ?(leq_trans le') ?leq_addr // IH -[in RHS]addn1 iotaD map_cat /read_word foldl_cat.
Qed.

Definition real_blocks p := forall t h,
  (N <= t)%N -> List.In h (heads l) -> only_eigenvalues p (word_matrix h (block t)).
Lemma layer_repeats : real_blocks (@nonneg F) -> ~ ~ repeats (fun t => decode (S t)) P.
Proof.
move=> real; apply: (steady_repeats (N := N) P0) => r le; apply: decode_settles.
apply: entries_eq (word_entries (S r) nonneg1 (fun h => real r h le)) => k.
by rewrite run_blocks.
Qed.
Lemma layer_repeats_twice : real_blocks predT -> ~ ~ repeats (fun t => decode (S t)) P.*2.
Proof.
move=> real; apply: (steady_repeats (N := N)) => [|r le]; first by rewrite double_gt0.
apply: decode_settles; have h := word_entries (S r) (p := predT) isT (fun h => real r h le).
apply: entries_eq (entries_even h) => k.
by rewrite -doubleMr doubleMl run_blocks.
Qed.
End Layer.
End Periods.
