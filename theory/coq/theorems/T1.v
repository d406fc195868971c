(* T1.v: eigenvalues that are real and not negative cannot turn a label in a cycle (T1 and T2 of
   theory/pages/obstruct.md, and its OB.3 for one layer, in exact arithmetic).

   Neither a closed field nor a Jordan form is needed, but Cayley and Hamilton, and a lemma on recurrences that is
   Rolle's theorem for sequences. "Settles" is stated with two negations, as from when on it does so cannot be
   computed. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Recurrences.
Variable F : realFieldType.
Implicit Types (s : nat -> F) (l : F).
Definition op l s : nat -> F := fun k => s k.+1 - l * s k.
Definition settles s := exists N x, forall k, (N <= k)%N -> Num.sg (s k) = x.

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
End Recurrences.

Section T1.
Variables (F : realFieldType) (n d : nat) (A : 'M[F]_n.+1) (B H0 : 'M[F]_(n.+1, d)).
(* The state after t times the same letter. *)
Definition state t := iter t (fun H => A *m H + B) H0.

(* All eigenvalues of A are in F, and none is negative. *)
Variable eigenvalues : seq F.
Hypothesis real : char_poly A = \prod_(l <- eigenvalues) ('X - l%:P).
Definition reading (r : 'M[F]_(d, n.+1) * F) (H : 'M[F]_(n.+1, d)) : F := \tr (r.1 *m H) + r.2.

Lemma ops_powers W ls (V : 'M[F]_(n.+1, d)) k :
  ops ls (fun k => \tr (W *m (A ^+ k *m V))) k = \tr (W *m (A ^+ k *m ((\prod_(l <- ls) (A - l%:M)) *m V))).
Proof.
elim: ls V k => [|l ls IH] V k /=; first by rewrite big_nil mul1mx.
rewrite big_cons (@eq_ops F ls _ (fun k => \tr (W *m (A ^+ k *m ((A - l%:M) *m V))))); last first.
  move=> j; rewrite /op exprSr -mulmxE -mulmxA mulmxBl mul_scalar_mx !mulmxBr raddfB /=.
  by rewrite -!scalemxAr mxtraceZ.
rewrite IH; congr (\tr (W *m (_ *m _))); rewrite !mulmxA; congr (_ *m V).
have comm : GRing.comm (A - l%:M) (\prod_(i <- ls) (A - i%:M)).
  apply: commr_prod => i _; apply: commrB; last by apply: comm_mx_scalar.
  by apply/commr_sym/commrB; [apply: commr_refl | apply: comm_mx_scalar].
by rewrite -[RHS]/(_ * _) comm.
Qed.

Lemma reading_killed r k : ops (1 :: eigenvalues) (fun t => reading r (state t)) k = 0.
Proof.
case: r => W c /=; set V := A *m H0 + B - H0.
rewrite (@eq_ops F eigenvalues _ (fun k => \tr (W *m (A ^+ k *m V)))).
  rewrite ops_powers; suff -> : \prod_(l <- eigenvalues) (A - l%:M) = 0 by rewrite mul0mx !mulmx0 mxtrace0.
  rewrite -(Cayley_Hamilton A) real rmorph_prod; apply: eq_bigr => l _.
  by rewrite rmorphB /= horner_mx_X horner_mx_C.
move=> j; rewrite /op /reading mul1r opprD addrACA subrr addr0 -raddfB -mulmxBr; congr (\tr (W *m _)).
elim: j => [|j IH]; first by rewrite expr0 mul1mx.
by rewrite exprS -mulmxE -mulmxA -IH mulmxBr /state /= opprD addrACA subrr addr0.
Qed.
Hypothesis positive : all (fun l => 0 <= l) eigenvalues.
Theorem reading_settles r : ~ ~ settles (fun t => reading r (state t)).
Proof. by apply: settles_ops (reading_killed r); rewrite /= ler01. Qed.

(* This is about any decoder that looks at the signs of finitely many readings: nearest codes (differences of
   squared distances are affine), exact codes, thresholds, argmax. On the words a, aa, aaa and so on its answer
   remains the same from some length on. *)
Theorem T1 (rs : seq ('M[F]_(d, n.+1) * F)) (Y : Type) (out : seq F -> Y) :
  ~ ~ exists N y, forall t, (N <= t)%N -> out [seq Num.sg (reading r (state t)) | r <- rs] = y.
Proof.
suff: ~ ~ exists N xs, forall t, (N <= t)%N -> [seq Num.sg (reading r (state t)) | r <- rs] = xs.
  by move=> h nh; apply: h => -[N [xs h]]; apply: nh; exists N, (out xs) => t /h ->.
elim: rs => [|r rs IH] nh; first by apply: nh; exists 0%N, [::].
apply: IH => -[N [xs h]]; apply: (@reading_settles r) => -[M [x h']]; apply: nh.
exists (maxn N M), (x :: xs) => t; rewrite geq_max => /andP[lN lM] /=.
by rewrite h // -(h' t lM).
Qed.

Corollary no_parity rs (out : seq F -> bool) :
  ~ forall t, out [seq Num.sg (reading r (state t)) | r <- rs] = odd t.
Proof.
move=> par; apply: (@T1 rs bool out) => -[N [y h]].
by have := h N.+1 (leqnSn N); rewrite -(h N (leqnn N)) !par /=; case: odd.
Qed.
End T1.

(* T2: real eigenvalues of either sign give a period that divides 2. *)
Section T2.
Variables (F : realFieldType) (n d : nat) (A : 'M[F]_n.+1) (B H0 : 'M[F]_(n.+1, d)).
Variable eigenvalues : seq F.
Hypothesis real : char_poly A = \prod_(l <- eigenvalues) ('X - l%:P).

Lemma even_settles H r : ~ ~ settles (fun t => reading r (state A B H t.*2)).
Proof.
have z := reading_killed B H real r; have z2 := ops_squares z.
apply: (settles_ops _ z2); apply/allP=> x /mapP[l _ ->]; exact: sqr_ge0.
Qed.

Theorem T2 (rs : seq ('M[F]_(d, n.+1) * F)) (Y : Type) (out : seq F -> Y) H :
  ~ ~ exists N y, forall t, (N <= t)%N -> out [seq Num.sg (reading r (state A B H t.*2)) | r <- rs] = y.
Proof.
suff: ~ ~ exists N xs, forall t, (N <= t)%N -> [seq Num.sg (reading r (state A B H t.*2)) | r <- rs] = xs.
  by move=> h nh; apply: h => -[N [xs h]]; apply: nh; exists N, (out xs) => t /h ->.
elim: rs => [|r rs IH] nh; first by apply: nh; exists 0%N, [::].
apply: IH => -[N [xs h]]; apply: (@even_settles H r) => -[M [x h']]; apply: nh.
exists (maxn N M), (x :: xs) => t; rewrite geq_max => /andP[lN lM] /=.
by rewrite h // -(h' t lM).
Qed.

Corollary no_counting_modulo_3 rs (out : seq F -> nat) :
  ~ forall t, out [seq Num.sg (reading r (state A B H0 t)) | r <- rs] = (t %% 3)%N.
Proof.
move=> par; apply: (@T2 rs nat out H0) => -[N [y h]].
have le : (N <= 3 * N)%N by rewrite leq_pmull.
have := h _ le; rewrite -(h _ (leqW le)) !par doubleS -muln2 (mulnC 3%N) mulnAC.
by rewrite -[(_ * 3).+2%N]addn2 modnMDl modnMl.
Qed.
End T2.

(* ---- words (OB.3 with one layer) ---------------------------------------------------------- *)

Section Words.
Variables (F : realFieldType) (n d : nat) (letter : Type).
Variables (A : letter -> 'M[F]_n.+1) (B : letter -> 'M[F]_(n.+1, d)).
Definition read (H : 'M[F]_(n.+1, d)) x := A x *m H + B x.
(* A word is read from the left, and its matrix has the first letter's at the right. *)
Definition product w : 'M[F]_n.+1 := foldl (fun M x => A x *m M) 1%:M w.
Fixpoint power (w : seq letter) t := if t is t'.+1 then power w t' ++ w else [::].

Lemma product_foldl w (M : 'M[F]_n.+1) : foldl (fun M x => A x *m M) M w = product w *m M.
Proof.
elim/last_ind: w => [|w x IH]; first by rewrite mul1mx.
by rewrite /product !foldl_rcons IH -mulmxA.
Qed.
Lemma read_affine w (H : 'M[F]_(n.+1, d)) : foldl read H w = product w *m H + foldl read 0 w.
Proof.
elim/last_ind: w => [|w x IH]; first by rewrite mul1mx addr0.
by rewrite /product !foldl_rcons {1}/read IH mulmxDr mulmxA -addrA.
Qed.
Lemma read_power H w t :
  foldl read H (power w t) = state (product w) (foldl read 0 w) H t.
Proof. by elim: t => //= t IH; rewrite foldl_cat IH read_affine. Qed.

Variables (H0 : 'M[F]_(n.+1, d)) (u w : seq letter) (eigenvalues : seq F).
Hypothesis real : char_poly (product w) = \prod_(l <- eigenvalues) ('X - l%:P).
Variables (rs : seq ('M[F]_(d, n.+1) * F)) (Y : Type) (out : seq F -> Y).
Definition answer v := out [seq Num.sg (reading r (foldl read H0 v)) | r <- rs].

(* After u, u w, u w w and so on the answer remains the same from some length on; with eigenvalues of either sign
   after u, u w w, u w w w w and so on. *)
Theorem periods_of_words : all (fun l => 0 <= l) eigenvalues ->
  ~ ~ exists N y, forall t, (N <= t)%N -> answer (u ++ power w t) = y.
Proof.
move=> pos nh; apply: (@T1 _ _ _ _ (foldl read 0 w) (foldl read H0 u) _ real pos rs Y out) => -[N [y h]].
by apply: nh; exists N, y => t /h <-; rewrite /answer foldl_cat read_power.
Qed.
Theorem even_periods_of_words :
  ~ ~ exists N y, forall t, (N <= t)%N -> answer (u ++ power w t.*2) = y.
Proof.
move=> nh; apply: (@T2 _ _ _ _ (foldl read 0 w) _ real rs Y out (foldl read H0 u)) => -[N [y h]].
by apply: nh; exists N, y => t /h <-; rewrite /answer foldl_cat read_power.
Qed.
End Words.
Print Assumptions no_parity.
Print Assumptions no_counting_modulo_3.
Print Assumptions periods_of_words.
