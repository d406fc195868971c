(* Formats.v: networks some of whose factors reset, negate or overwrite one number of a key, in a number format (AL.13 of
   theory/pages/all-lengths.md): their states do not drift, however long a word is, since a number is only rounded when it
   is written anew.

   A machine may evaluate a sum of products in any order, fused or not, and another way each time; its operations are off by
   u of the result and eta, and give the result itself where the format has it. The read-out is left open, as that of
   Finite.v: an answer has to be right for all states near those of the elements. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink NoGroup Finite.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

(* `ring` works for any numbers, and so for those of F. *)
Section AnyRing.
Variables (T : Type) (zero one : T) (add mul sub : T -> T -> T) (opp : T -> T).
Hypothesis Tr : ring_theory zero one add mul sub opp eq.
Add Ring T_ring : Tr.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub.
Lemma written_abstract (s x v b t : T) : s * s = one ->
  t - v * s = (t - (x + s * b)) + s * (b - (v - s * x)).
Proof.
move=> ss; have -> : s * (b - (v - s * x)) = s * b - v * s + (s * s) * x by ring.
rewrite ss; ring.
Qed.
Lemma size_abstract (u r k : T) :
  u * (r + (u * (r + k * r) + zero)) + zero + (u * (r + k * r) + zero) = u * r * (one + (one + k) * u + (one + k)).
Proof. ring. Qed.
Lemma put_abstract (s x v b : T) : s * s = one -> x + s * b = s * v + s * (b - (v - s * x)).
Proof.
move=> ss; have -> : s * v + s * (b - (v - s * x)) = s * b + (s * s) * x by ring.
rewrite ss; ring.
Qed.
End AnyRing.

(* ---- statement -------------------------------------------------------------------------------- *)

Section Machine.
Variables (F : realFieldType).
(* The numbers of the format, and what an operation may give for an exact result. *)
Variables (rep : F -> Prop) (op : F -> F -> Prop) (u eta : F).
Definition format : Prop := [/\ 0 <= u, 0 <= eta, rep 0 /\ (forall x, rep x -> rep (- x)),
  forall x z, op x z -> rep z /\ `|z - x| <= u * `|x| + eta & forall x z, rep x -> op x z -> z = x].

(* The values that a sum of products may have: any order, fused or not, and zeros among them. *)
Inductive sums : seq (F * F) -> F -> Prop :=
| SumOne p x : op (p.1 * p.2) x -> sums [:: p] x
| SumBoth ps qs x y z : sums ps x -> sums qs y -> op (x + y) z -> sums (ps ++ qs) z
| SumFused p ps x z : sums ps x -> op (x + p.1 * p.2) z -> sums (p :: ps) z
| SumZero ps x : sums ((0, 0) :: ps) x -> sums ps x
| SumOrder ps qs x : perm_eq ps qs -> sums ps x -> sums qs x.

Variables (n d : nat).
Implicit Types (f : factor F n d) (S T : 'M[F]_(d, n)).
(* s + k (beta b) or s + (beta k) b *)
Definition puts (s k beta b z : F) : Prop := exists x y : F,
  [/\ op (beta * b) x /\ y = k * x \/ op (beta * k) x /\ y = x * b & op (s + y) z \/ exists p, op y p /\ op (s + p) z].
(* a = S k^T, b = v - a, S <- S + b (beta k), where v is the machine's; R bounds it, and off is how far it is from v. *)
Variables (valued : bool) (R off : F).
Definition machine_turn f S T : Prop := forall e, exists v a b : F,
  [/\ [/\ rep v, `|v| <= R, `|v - value f 0 e| <= off & valued \/ v = 0],
      sums [seq (S e i, key f 0 i) | i <- enum 'I_n] a, op (v - a) b & forall i, puts (S e i) (key f 0 i) (beta f) b (T e i)].
Inductive machine_reads : seq (factor F n d) -> 'M[F]_(d, n) -> 'M[F]_(d, n) -> Prop :=
| ReadNone S : machine_reads [::] S S
| ReadOne f fs S T V : machine_turn f S T -> machine_reads fs T V -> machine_reads (f :: fs) S V.

(* The factor does nothing, or its key has one number, 1 or -1, and it overwrites; without values beta may be 2, too. *)
Definition lone f : Prop := [/\ beta f = 0 \/ beta f = 1 \/ beta f = 2%:R /\ valued = false,
  valued \/ value f = 0 & key f = 0 \/ exists i (s : F), [/\ s = 1 \/ s = -1 & key f = s *: delta_mx 0 i]].
End Machine.

(* ---- sums with one product that is not 0 ------------------------------------------------------- *)

Section Sums.
Variables (F : realFieldType) (rep : F -> Prop) (op : F -> F -> Prop) (u eta : F).
Hypothesis fmt : format rep op u eta.
Implicit Types (ps : seq (F * F)) (p : F * F).
Notation product p := (p.1 * p.2).

Lemma rep0 : rep 0. Proof. by case: fmt => _ _ [] *. Qed.
Lemma repN x : rep x -> rep (- x). Proof. by case: fmt => _ _ [_ h] _ _; apply: h. Qed.
Lemma op_rep x z : op x z -> rep z. Proof. by case: fmt => _ _ _ h _ /h[]. Qed.
Lemma op_near x z : op x z -> `|z - x| <= u * `|x| + eta. Proof. by case: fmt => _ _ _ h _ /h[]. Qed.
Lemma op_exact x z : rep x -> op x z -> z = x. Proof. by case: fmt => _ _ _ _; apply. Qed.

Definition total ps : F := \sum_(p <- ps) product p.
Definition few ps : bool := (count (fun p => (product p != 0)%R) ps <= 1)%N.
Lemma total0 ps : count (fun p => product p != 0) ps = 0%N -> total ps = 0.
Proof.
move=> c; apply: big1_seq => p /andP[_ pin]; apply/eqP/negPn/negP => ne.
by have : has (fun p => product p != 0) ps; [apply/hasP; exists p | rewrite has_count c].
Qed.
Lemma sums_exact ps x : sums op ps x -> few ps -> (forall p, p \in ps -> rep (product p)) -> x = total ps /\ rep x.
Proof.
elim=> {ps x} [p x o|ps qs x y z _ IHp _ IHq o|p ps x z _ IH o|ps x _ IH|ps qs x pq _ IH] c all.
- by rewrite /total big_seq1; split; [apply: op_exact o; apply: all; rewrite mem_head | exact: op_rep o].
- move: c; rewrite /few count_cat => c.
  have [ex rx] : x = total ps /\ rep x.
    by apply: IHp => [|p pin]; [exact: leq_trans (leq_addr _ _) c | apply: all; rewrite mem_cat pin].
  have [ey ry] : y = total qs /\ rep y.
    by apply: IHq => [|p pin]; [exact: leq_trans (leq_addl _ _) c | apply: all; rewrite mem_cat pin orbT].
  split; last exact: op_rep o.
  rewrite /total big_cat /= -/(total ps) -/(total qs) -ex -ey; apply: op_exact o.
  case: (posnP (count (fun p => product p != 0) ps)) => [/total0|pos]; first by rewrite -ex => ->; rewrite add0r.
  have /total0 : count (fun p => product p != 0) qs = 0%N.
    by apply/eqP; rewrite -leqn0 -ltnS; apply: leq_trans c; rewrite -addn1 addnC leq_add2r.
  by rewrite -ey => ->; rewrite addr0.
- move: c; rewrite /few /= => c.
  have [ex rx] : x = total ps /\ rep x.
    by apply: IH => [|q qin]; [exact: leq_trans (leq_addl _ _) c | apply: all; rewrite inE qin orbT].
  split; last exact: op_rep o.
  rewrite /total big_cons -/(total ps) -ex addrC; apply: op_exact o.
  case: eqP c => [->|ne] /=; first by rewrite addr0.
  rewrite add1n ltnS leqn0 => /eqP/total0; rewrite -ex => ->; rewrite add0r.
  by apply: all; rewrite mem_head.
- have [||e r] := IH; first by rewrite /few /= mulr0 eqxx.
    by move=> p; rewrite inE => /orP[/eqP ->|/all //]; rewrite mulr0; exact: rep0.
  by split=> //; rewrite e /total big_cons mulr0 add0r.
- have [||e r] := IH; first by rewrite /few (permP pq).
    by move=> p; rewrite (perm_mem pq) => /all.
  by split=> //; rewrite e; apply: perm_big.
Qed.
End Sums.

(* ---- one factor ------------------------------------------------------------------------------- *)

Section Turn.
Variables (F : realFieldType) (rep : F -> Prop) (op : F -> F -> Prop) (u eta : F).
Hypothesis fmt : format rep op u eta.
Hypothesis twice : forall x, rep x -> rep (2%:R * x).
Variables (n d : nat) (valued : bool) (R off B E : F).
Implicit Types (f : factor F n d) (S T V : 'M[F]_(d, n)).

(* How far a number that is written anew is from the value: two roundings. *)
Definition written : F := u * (R + (u * (R + B) + eta)) + eta + (u * (R + B) + eta).
(* Without underflow, and for B = 1.01 R, this is (3.01 + 2.01 u) u R, as the page has it. *)
Lemma written_size k : B = k * R -> eta = 0 -> written = u * R * (1 + (1 + k) * u + (1 + k)).
Proof. by rewrite /written => -> ->; exact: (size_abstract (F_ring F)). Qed.
Hypotheses (sizes : R + written <= B) (offs : off + written <= E).
Definition fits S : Prop := forall e i, rep (S e i) /\ `|S e i| <= B.
Definition near S T : Prop := forall e i, `|S e i - T e i| <= E.

(* Where the key's number is 0, or the sum is, nothing changes. *)
Lemma puts_none s k b c z : rep s -> rep b -> k = 0 \/ c = 0 -> puts op s k c b z -> z = s.
Proof.
move=> rs rb no [x [y [xy how]]].
have y0 : y = 0.
  case: xy => [[o ->]|[o ->]]; case: no => e.
  - by rewrite e mul0r.
  - by move: o; rewrite e mul0r => /(op_exact fmt (rep0 fmt)) ->; rewrite mulr0.
  - by move: o; rewrite e mulr0 => /(op_exact fmt (rep0 fmt)) ->; rewrite mul0r.
  - by move: o; rewrite e mul0r => /(op_exact fmt (rep0 fmt)) ->; rewrite mul0r.
move: how; rewrite y0 addr0 => -[/(op_exact fmt rs)//|[p [/(op_exact fmt (rep0 fmt)) ->]]].
by rewrite addr0 => /(op_exact fmt rs).
Qed.
(* Else one number is added, with one rounding. *)
Lemma puts_one s k b c z : k = 1 \/ k = -1 -> rep 1 -> rep c -> rep b -> rep (c * b) -> puts op s k c b z ->
  op (s + k * (c * b)) z.
Proof.
move=> k1 r1 rc rb rcb [x [y [xy how]]].
have ck : rep (c * k) by case: k1 => ->; rewrite ?mulrN mulr1 //; exact: (repN fmt rc).
have ye : y = k * (c * b).
  case: xy => [[/(op_exact fmt rcb) -> //]|[/(op_exact fmt ck) -> ->]].
  by rewrite mulrCA mulrA.
have ry : rep y by rewrite ye; case: k1 => ->; rewrite ?mulNr mul1r //; exact: (repN fmt rcb).
rewrite -ye; case: how => // -[p [/(op_exact fmt ry) ->]] //.
Qed.

Lemma turn_entry f S e i : turn S f e i = S e i - beta f * ((S *m (key f)^T) e 0 - value f 0 e) * key f 0 i.
Proof. by rewrite /turn !mxE big_ord1 !mxE mulrA. Qed.

Lemma machine_near f S S' T : rep 1 -> lone valued f -> fits S -> near S S' -> machine_turn rep op valued R off f S T ->
  fits T /\ near T (turn S' f).
Proof.
case: (fmt) => u0 eta0 _ _ _ r1 [betas vs keys] fs ns mt; suff all : forall e i,
  [/\ rep (T e i), `|T e i| <= B & `|T e i - turn S' f e i| <= E].
  by split=> e i; case: (all e i) => rT BT nT; [split|].
move=> e i; have [v [a [b [[rv vR voff v0] sa ob all]]]] := mt e; have rb := op_rep fmt ob.
have [rS SB] := fs e i; have nS := ns e i; have pi := all i.
(* Nothing happens in this place. *)
have idle : key f 0 i = 0 \/ beta f = 0 -> [/\ rep (T e i), `|T e i| <= B & `|T e i - turn S' f e i| <= E].
  move=> no; rewrite (puts_none rS rb no pi) turn_entry; split=> //.
  by case: no => ->; rewrite ?mulr0 ?mul0r subr0.
case: keys => [k0|[j [s [s1 ke]]]]; first by apply: idle; rewrite k0 mxE; left.
have kE l : key f 0 l = if l == j then s else 0.
  by rewrite ke !mxE eqxx /=; case: (l == j); rewrite ?mulr1 ?mulr0.
case: (eqVneq i j) => [ij|ne]; last by apply: idle; left; rewrite kE (negbTE ne).
have ss : s * s = 1 by case: s1 => ->; rewrite ?mulrNN mulr1.
have rmul x : rep x -> rep (s * x) by case: s1 => -> rx; rewrite ?mulN1r ?mul1r //; exact: (repN fmt rx).
have ki : key f 0 i = s by rewrite kE ij eqxx.
have [ae ra] : a = s * S e i /\ rep a.
  have [||-> ra] := sums_exact fmt sa.
  - rewrite /few count_map; apply: (@leq_trans (count (pred1 j) (enum 'I_n))).
      by apply: sub_count => l /=; rewrite kE; case: (l == j); rewrite // mulr0 eqxx.
    by rewrite count_uniq_mem ?enum_uniq // leq_b1.
  - move=> p /mapP[l _ ->] /=; rewrite kE; case: eqP => [->|_]; last by rewrite mulr0; exact: (rep0 fmt).
    by rewrite mulrC; apply: rmul; case: (fs e j).
  split=> //; rewrite /total big_map big_enum /= (bigD1 j) //= big1 ?addr0 => [|l nl].
    by rewrite kE eqxx mulrC ij.
  by rewrite kE (negbTE nl) mulr0.
have ex : turn S' f e i = S' e i - beta f * (s * S' e i - value f 0 e) * s.
  rewrite turn_entry ki; congr (_ - _ * (_ - _) * _); rewrite !mxE (bigD1 j) //= big1 ?addr0 => [|l nl].
    by rewrite !mxE kE eqxx mulrC ij.
  by rewrite !mxE kE (negbTE nl) mulr0.
have s1' : `|s| = 1 by case: s1 => ->; rewrite ?normrN normr1.
case: betas => [b0|betas]; first by apply: idle; right.
have rbeta : rep (beta f) by case: betas => [->//|[-> _]]; rewrite -[2%:R]mulr1; apply: twice.
have rcb : rep (beta f * b) by case: betas => [->|[-> _]]; [rewrite mul1r | apply: twice].
have := puts_one _ r1 rbeta rb rcb pi; rewrite ki => /(_ s1) oz.
case: (boolP valued) betas v0 vs => [val|/negbTE val] betas v0 vs.
  have be1 : beta f = 1 by case: betas => [//|[_]].
  move: ex oz; rewrite be1 !mul1r => ex oz.
  have exact : turn S' f e i = value f 0 e * s.
    by rewrite ex mulrBl mulrAC ss mul1r opprB addrC subrK.
  have aB : `|v - a| <= R + B.
    by apply: le_trans (ler_norm_sub _ _) _; rewrite ae normrM s1' mul1r ler_add.
  have bo : `|b - (v - a)| <= u * (R + B) + eta.
    by apply: le_trans (op_near fmt ob) _; rewrite ler_add2r ler_wpmul2l.
  have put : S e i + s * b = s * v + s * (b - (v - a)) by rewrite ae; exact: (put_abstract (F_ring F)).
  have size : `|S e i + s * b| <= R + (u * (R + B) + eta).
    by rewrite put; apply: le_trans (ler_norm_add _ _) _; rewrite !normrM s1' !mul1r ler_add.
  have W : `|T e i - v * s| <= written.
    rewrite (written_abstract (F_ring F) (S e i) v b (T e i) ss) -ae.
    apply: le_trans (ler_norm_add _ _) _; rewrite normrM s1' mul1r ler_add //.
    by apply: le_trans (op_near fmt oz) _; rewrite ler_add2r ler_wpmul2l.
  split; first exact: (op_rep fmt oz).
    rewrite -[T e i](subrK (v * s)) addrC; apply: le_trans (ler_norm_add _ _) _; apply: le_trans sizes.
    by rewrite normrM s1' mulr1 ler_add.
  have -> : T e i - turn S' f e i = (v - value f 0 e) * s + (T e i - v * s).
    by rewrite exact mulrBl [RHS]addrC addrA subrK.
  apply: le_trans (ler_norm_add _ _) _; apply: le_trans offs.
  by rewrite normrM s1' mulr1 ler_add.
have vz : v = 0 by case: v0.
have fz : value f = 0 by case: vs.
have be : b = - a by move: ob; rewrite vz sub0r => /(op_exact fmt (repN fmt ra)).
have zE : S e i + s * (beta f * b) = (1 - beta f) * S e i.
  by rewrite be ae !mulrN mulrCA [s * (s * _)]mulrA ss mul1r mulrBl mul1r.
have eE : turn S' f e i = (1 - beta f) * S' e i.
  by rewrite ex fz mxE subr0 mulrBl mul1r -[_ * _ * s]mulrA [s * _ * s]mulrAC ss mul1r.
have rz : rep ((1 - beta f) * S e i).
  case: betas => [->|[-> _]]; first by rewrite subrr mul0r; exact: (rep0 fmt).
  by rewrite -[1 - 2%:R]/(1 - (1 + 1)) opprD addrA subrr add0r mulN1r; exact: (repN fmt rS).
have c1 : `|1 - beta f| <= 1.
  case: betas => [->|[-> _]]; first by rewrite subrr normr0 ler01.
  by rewrite -[1 - 2%:R]/(1 - (1 + 1)) opprD addrA subrr add0r normrN normr1.
move: oz; rewrite zE => /(op_exact fmt rz) ->; split=> //.
  by rewrite normrM; apply: le_trans SB; rewrite ler_pimull.
by rewrite eE -mulrBr normrM; apply: le_trans nS; rewrite ler_pimull.
Qed.
Lemma machine_reads_near fs S S' T : rep 1 -> List.Forall (lone valued) fs -> fits S -> near S S' ->
  machine_reads rep op valued R off fs S T -> fits T /\ near T (read fs S').
Proof.
move=> r1 all fS nS m; elim: m S' all fS nS => {fs S T} [S|f fs S T V mt _ IH] S' all fS nS //=.
have [fT nT] := machine_near r1 (List.Forall_inv all) fS nS mt.
exact: IH (List.Forall_inv_tail all) fT nT.
Qed.
End Turn.

(* ---- AL.13 ------------------------------------------------------------------------------------ *)

Section Words.
Variables (F : realFieldType) (rep : F -> Prop) (op : F -> F -> Prop) (u eta : F).
Hypotheses (fmt : format rep op u eta) (rep1 : rep 1) (twice : forall x, rep x -> rep (2%:R * x)).
Variables (n d : nat) (letter : Type) (heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Notation run p w := (run next p w).
(* All heads are followed, as in AL.12. *)
Variables (m : nat) (G : heads -> 'M[F]_(d, m)) (acts : letter -> heads -> seq (action n m)) (X : joint n heads Q m -> Prop).
Hypothesis exact : forall a h, List.Forall2 (follows (G h)) (factors N a h) (acts a h).
(* Of each head: whether there are values, how long they are, how far the machine's are off, how long its numbers are at
   most, and how far these are from the exact ones. *)
Variables (valued : heads -> bool) (R off B E : heads -> F).
Hypotheses (sizes : forall h, R h + written u eta (R h) (B h) <= B h)
  (offs : forall h, off h + written u eta (R h) (B h) <= E h) (nearness : forall h, 0 <= E h)
  (alone : forall a h, List.Forall (lone (valued h)) (factors N a h)) (starts : forall h, fits rep (B h) (start N h)).

(* The states that a machine may have after a word. *)
Inductive machine_after : seq letter -> state F n d heads -> Prop :=
| AfterNone : machine_after [::] (start N)
| AfterOne w a S T : machine_after w S ->
    (forall h, machine_reads rep op (valued h) (R h) (off h) (factors N a h) (S h) (T h)) -> machine_after (rcons w a) T.
(* What it may answer for them is right for all states near those of the elements. *)
Variable machine_answers : letter -> state F n d heads -> Q -> Prop.
Definition machine_right : Prop := forall p c a, X (p, c) ->
  forall S, (forall h, near (E h) (S h) (meant G (step acts a c) h)) -> machine_answers a S (next p a).

(* The machine's states stay near the exact ones, for all lengths, *)
Theorem AL13_near w S : machine_after w S -> forall h, fits rep (B h) (S h) /\ near (E h) (S h) (after N w h).
Proof.
elim=> {w S} [|w a S T _ IH mr] h; first by split=> // e i; rewrite subrr normr0.
have [fS nS] := IH h; rewrite after_rcons /moved /by_head /= cats0.
exact: (machine_reads_near fmt twice (sizes h) (offs h) rep1 (alone a h) fS nS (mr h)).
Qed.
(* and so every word that is not empty is answered rightly. *)
Theorem AL13 w a S : followed_set N next first predT G acts X -> machine_right -> machine_after (rcons w a) S ->
  machine_answers a S (run first (rcons w a)).
Proof.
move=> fs right ms; have [c [Xc lc]] := AL12_followed (fun a h _ => exact a h) w fs; rewrite run_rcons.
apply: (right _ c) => // h; have [_] := AL13_near ms h.
by rewrite after_rcons (step_meant (fun a h _ => exact a h) a _ lc).
Qed.
End Words.
