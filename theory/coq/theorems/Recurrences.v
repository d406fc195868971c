(* Recurrences.v: sequences with a linear recurrence of constant coefficients whose roots are real (the exact part
   of theory/pages/obstruct.md, OB.3).

   Neither a closed field nor a Jordan form is needed, but a lemma that is Rolle's theorem for sequences. "From some
   time on" is stated with two negations, as the time cannot be computed. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* ---- sequences that are constant from some time on ----------------------------------------- *)

Definition steady (Y : Type) (f : nat -> Y) := exists N y, forall t, (N <= t)%N -> f t = y.

Lemma steady_eq Y (f g : nat -> Y) : f =1 g -> ~ ~ steady f -> ~ ~ steady g.
Proof. by move=> e h nh; apply: h => -[N [y h]]; apply: nh; exists N, y => t /h <-; rewrite e. Qed.
Lemma steady_const Y (y : Y) : ~ ~ steady (fun _ => y).
Proof. by apply; exists 0%N, y. Qed.
Lemma steady_map Y Z (g : Y -> Z) f : ~ ~ steady f -> ~ ~ steady (fun t => g (f t)).
Proof. by move=> h nh; apply: h => -[N [y h]]; apply: nh; exists N, (g y) => t /h ->. Qed.
Lemma steady_pair Y Z (f : nat -> Y) (g : nat -> Z) :
  ~ ~ steady f -> ~ ~ steady g -> ~ ~ steady (fun t => (f t, g t)).
Proof.
move=> hf hg nh; apply: hf => -[N [y hf]]; apply: hg => -[M [z hg]]; apply: nh.
by exists (maxn N M), (y, z) => t; rewrite geq_max => /andP[/hf -> /hg ->].
Qed.
Lemma steady_seq (T : eqType) Y (f : T -> nat -> Y) l : (forall x, x \in l -> ~ ~ steady (f x)) ->
  ~ ~ steady (fun t => [seq f x t | x <- l]).
Proof.
elim: l => [|x l IH] h /=; first exact: steady_const.
apply: (@steady_map _ _ (fun q => q.1 :: q.2) (fun t => (f x t, [seq f z t | z <- l]))); apply: steady_pair.
  by apply: h; rewrite mem_head.
by apply: IH => y yl; apply: h; rewrite inE yl orbT.
Qed.

(* A sequence has the period Q from some time on if it is steady on every residue modulo Q. *)
Definition repeats Y (f : nat -> Y) Q := exists N, forall t, (N <= t)%N -> f (t + Q)%N = f t.
Lemma steady_repeats Y (f : nat -> Y) N Q : (0 < Q)%N ->
  (forall r, (N <= r)%N -> ~ ~ steady (fun k => f (r + k * Q)%N)) -> ~ ~ repeats f Q.
Proof.
move=> Q0 h nh; suff: ~ ~ steady (fun k => [seq f (r + k * Q)%N | r <- iota N Q]).
  apply=> -[K [ys hk]]; apply: nh; exists (N + K * Q)%N => t le.
  have [le' Kq] : (N <= t)%N /\ (K <= (t - N) %/ Q)%N.
    by rewrite (leq_trans (leq_addr _ _) le) leq_divRL // leq_subRL // (leq_trans (leq_addr _ _) le).
  set r := (N + (t - N) %% Q)%N; set k := ((t - N) %/ Q)%N.
  have et : t = (r + k * Q)%N by rewrite /r -addnA [(_ %% _ + _)%N]addnC -divn_eq subnKC.
  have rin : r \in iota N Q by rewrite mem_iota leq_addr ltn_add2l ltn_mod.
  have /eq_in_map/(_ r rin) := etrans (hk k.+1 (leqW Kq)) (esym (hk k Kq)).
  by rewrite {1 2}et => <-; rewrite mulSn addnCA addnC.
by apply: steady_seq => r; rewrite mem_iota => /andP[/h].
Qed.

(* ---- recurrences --------------------------------------------------------------------------- *)

Section Recurrences.
Variable F : realFieldType.
Implicit Types (s t : nat -> F) (l : F) (p : pred F).
Definition op l s : nat -> F := fun k => s k.+1 - l * s k.
Definition settles s := steady (fun k => Num.sg (s k)).

Lemma keeps l s N x : 0 < l -> (forall k, (N <= k)%N -> Num.sg (op l s k) = x) -> 0 <= x ->
  forall k, (N <= k)%N -> l * s k <= s k.+1.
Proof. by move=> l0 h x0 k lk; rewrite -subr_ge0 -sgr_ge0 (h k lk). Qed.

Lemma settles_up l s N : 0 < l -> (forall k, (N <= k)%N -> l * s k <= s k.+1) -> ~ ~ settles s.
Proof.
move=> l0 up ns.
have above k0 k : (N <= k0)%N -> (k0 <= k)%N -> 0 < s k0 -> 0 < s k.
  move=> n0 /subnK <- h; elim: (k - k0)%N => // i ih.
  by apply: lt_le_trans (up _ (leq_trans n0 (leq_addl _ _))); rewrite mulr_gt0.
have above0 k0 k : (N <= k0)%N -> (k0 <= k)%N -> 0 <= s k0 -> 0 <= s k.
  move=> n0 /subnK <- h; elim: (k - k0)%N => // i ih.
  by apply: le_trans (up _ (leq_trans n0 (leq_addl _ _))); rewrite mulr_ge0 // ltW.
have le0 k : (N <= k)%N -> s k <= 0.
  move=> nk; rewrite leNgt; apply/negP=> h; apply: ns; exists k, 1 => j lj.
  by rewrite gtr0_sg // (above k).
have lt0 k : (N <= k)%N -> s k < 0.
  move=> nk; rewrite lt_neqAle le0 // andbT; apply/eqP=> h; apply: ns; exists k, 0 => j lj.
  by apply/eqP; rewrite sgr_eq0 eq_le le0 ?(leq_trans nk) // (above0 k) // h.
by apply: ns; exists N, (-1) => k nk; rewrite ltr0_sg // lt0.
Qed.

Lemma settles_opp s : settles (fun k => - s k) -> settles s.
Proof. by case=> N [x h]; exists N, (- x) => k /h; rewrite sgrN => <-; rewrite opprK. Qed.

Lemma settles_op l s : 0 <= l -> ~ ~ settles (op l s) -> ~ ~ settles s.
Proof.
rewrite le_eqVlt => /orP[/eqP <-|l0] h ns.
  apply: h => -[N [x h]]; apply: ns; exists N.+1, x => -[|k] // lk.
  by rewrite -(h k) // /op mul0r subr0.
apply: h => -[N [x h]]; case: (leP 0 x) => [x0|x0].
  by apply: (settles_up l0 (keeps l0 h x0)).
apply: (@settles_up l (fun k => - s k) N l0) => [k nk|/settles_opp //].
rewrite mulrN ler_opp2 -subr_ge0 -oppr_le0 opprB -sgr_le0.
by rewrite -/(op l s k) (h k nk) ltW.
Qed.

Fixpoint ops ls s := if ls is l :: r then ops r (op l s) else s.
Lemma settles_ops ls s : all (fun l => 0 <= l) ls -> (forall k, ops ls s k = 0) -> ~ ~ settles s.
Proof.
elim: ls s => [|l ls IH] s /= => [_ z|/andP[l0 ls0] z].
  by apply; exists 0%N, 0 => k _; rewrite z sgr0.
exact: settles_op l0 (IH _ ls0 z).
Qed.
Lemma eq_ops ls s t : s =1 t -> ops ls s =1 ops ls t.
Proof. by elim: ls s t => //= l ls IH s t e; apply: IH => k; rewrite /op !e. Qed.

(* Every second term of a sequence whose roots are real belongs to the squares of the roots. *)
Lemma opC a l s : op a (op l s) =1 op l (op a s).
Proof.
by move=> k; rewrite /op !mulrBr !opprB !addrA (mulrCA a l) addrAC [X in X + _ = _]addrAC [RHS]addrAC.
Qed.
Lemma ops_op ls a s : ops ls (op a s) =1 op a (ops ls s).
Proof.
elim: ls s => //= l ls IH s k; rewrite -IH; apply: eq_ops; exact: opC.
Qed.
Lemma op_square l s k : op (l * l) (fun k => s k.*2) k = op (- l) (op l s) k.*2.
Proof.
by rewrite /op doubleS mulNr opprK mulrBr mulrA addrA subrK.
Qed.
Lemma ops_squares ls s : (forall k, ops ls s k = 0) -> forall k, ops [seq l * l | l <- ls] (fun k => s k.*2) k = 0.
Proof.
elim: ls s => [|l ls IH] s z k /=; first exact: z.
rewrite (@eq_ops _ _ _ (op_square l s)); apply: (IH (op (- l) (op l s))) => j.
have e q : ops ls (op l s) q = 0 := z q.
by rewrite ops_op -[op _ _ j]/(ops ls (op l s) j.+1 - - l * ops ls (op l s) j) !e mulr0 subr0.
Qed.

(* ---- sequences that obey a recurrence whose roots are in p ---------------------------------- *)

Lemma ops_cat ls ls' s : ops (ls ++ ls') s = ops ls' (ops ls s).
Proof. by elim: ls s => /=. Qed.
Lemma ops_swap ls ls' s : ops ls (ops ls' s) =1 ops ls' (ops ls s).
Proof.
elim: ls s => [|l ls IH] s k //=; rewrite -(IH (op l s)); apply: eq_ops => j; exact: esym (ops_op _ _ _ _).
Qed.
Lemma ops_add ls s t : ops ls (fun k => s k + t k) =1 (fun k => ops ls s k + ops ls t k).
Proof.
elim: ls s t => //= l ls IH s t k; rewrite -IH; apply: eq_ops => j; by rewrite /op mulrDr opprD addrACA.
Qed.
Lemma ops_scale c ls s : ops ls (fun k => c * s k) =1 (fun k => c * ops ls s k).
Proof.
elim: ls s => //= l ls IH s k; rewrite -IH; apply: eq_ops => j; by rewrite /op mulrBr mulrCA.
Qed.
Lemma ops_zero ls s : (forall k, s k = 0) -> forall k, ops ls s k = 0.
Proof. by elim: ls s => //= l ls IH s z; apply: IH => k; rewrite /op !z mulr0 subr0. Qed.

Definition nonneg : pred F := fun l => 0 <= l.
Definition rooted (p : pred F) s := exists2 ls, all p ls & forall k, ops ls s k = 0.

Lemma rooted_eq p s t : s =1 t -> rooted p s -> rooted p t.
Proof. by move=> e [ls pl z]; exists ls => // k; rewrite -(eq_ops ls e). Qed.
Lemma rooted_const (p : pred F) c : p 1 -> rooted p (fun _ => c).
Proof. by move=> p1; exists [:: 1] => [|k] /=; rewrite ?p1 // /op mul1r subrr. Qed.
Lemma rooted_add p s t : rooted p s -> rooted p t -> rooted p (fun k => s k + t k).
Proof.
move=> [ls pl zs] [ls' pl' zt]; exists (ls ++ ls') => [|k]; first by rewrite all_cat pl.
by rewrite ops_cat (eq_ops _ (ops_add _ _ _)) ops_add ops_zero // ops_swap ops_zero // addr0.
Qed.
Lemma rooted_scale p c s : rooted p s -> rooted p (fun k => c * s k).
Proof. by move=> [ls pl z]; exists ls => // k; rewrite ops_scale z mulr0. Qed.
Lemma rooted_sum (I : finType) p (s : I -> nat -> F) : p 1 -> (forall i, rooted p (s i)) ->
  rooted p (fun k => \sum_i s i k).
Proof.
move=> p1 h; elim: (index_enum I) => [|i r IH].
  by apply: rooted_eq (rooted_const 0 p1) => k; rewrite big_nil.
by apply: rooted_eq (rooted_add (h i) IH) => k; rewrite big_cons.
Qed.

Lemma rooted_settles s : rooted nonneg s -> ~ ~ settles s.
Proof. by case=> ls; apply: settles_ops. Qed.
Lemma rooted_even p s : rooted p s -> rooted nonneg (fun k => s k.*2).
Proof.
case=> ls _ /ops_squares z; exists [seq l * l | l <- ls] => //.
by apply/allP=> x /mapP[l _ ->]; apply: sqr_ge0.
Qed.
End Recurrences.
