(* T1.v: eigenvalues that are real and not negative cannot turn a label in a cycle (T1 and T2 of
   theory/pages/obstruct.md for one layer, in exact arithmetic). Obstruct.v has OB.3, for several layers.

   What is used of the eigenvalues is Cayley's and Hamilton's theorem. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Recurrences.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* ---- real eigenvalues ---------------------------------------------------------------------- *)

Section Eigenvalues.
Variable F : realFieldType.
Implicit Types (p : pred F) (ls : seq F).

(* (A - l_k) .. (A - l_1) M *)
Definition kill n d (A : 'M[F]_n) ls (M : 'M[F]_(n, d)) := foldl (fun M l => (A - l%:M) *m M) M ls.
(* All eigenvalues of A, in any field around F, are in F and satisfy p: A is a root of a product of factors X - l
   with such l. So with the real algebraic numbers as F, predT says that all eigenvalues are real. *)
Definition only_eigenvalues p n (A : 'M[F]_n) := exists2 ls, all p ls & kill A ls 1%:M = 0.

Lemma killE n d (A : 'M[F]_n) ls (M : 'M[F]_(n, d)) : kill A ls M = kill A ls 1%:M *m M.
Proof.
rewrite /kill; elim/last_ind: ls => [|ls l IH]; first by rewrite mul1mx.
by rewrite !foldl_rcons IH mulmxA.
Qed.

(* It is enough that the characteristic polynomial is such a product. *)
Lemma only_char_poly p n (A : 'M[F]_n) ls : all p ls -> char_poly A = \prod_(l <- ls) ('X - l%:P) ->
  only_eigenvalues p A.
Proof.
case: n A => [|n] A pl e; first by exists [::] => //; rewrite thinmx0.
exists (rev ls); first by rewrite all_rev.
have <- : \prod_(l <- ls) (A - l%:M) = kill A (rev ls) 1%:M.
  rewrite /kill foldl_rev; elim: ls {pl e} => [|l ls IH]; first by rewrite big_nil.
  by rewrite big_cons IH.
rewrite -(Cayley_Hamilton A) e rmorph_prod; apply: eq_bigr => l _.
by rewrite rmorphB /= horner_mx_X horner_mx_C.
Qed.
Lemma only_eigenvalue p n (A : 'M[F]_n) a : only_eigenvalues p A -> eigenvalue A a -> p a.
Proof.
case=> ls /allP pl z /eigenvalueP[v ev v0].
have e M : v *m kill A ls M = (\prod_(l <- ls) (a - l)) *: (v *m M).
  elim: ls M {pl z} => [|l ls IH] M /=; first by rewrite big_nil scale1r.
  by rewrite IH big_cons mulrC -scalerA mulmxA mulmxBr ev mul_mx_scalar -scalerBl -scalemxAl.
have := e _ 1%:M; rewrite z mulmx0 mulmx1 => /esym/eqP; rewrite scaler_eq0 (negPf v0) orbF.
by rewrite prodf_seq_eq0 => /hasP[l /pl pa /=]; rewrite subr_eq0 => /eqP ->.
Qed.
(* X Y and Y X have the same eigenvalues, except 0. *)
Lemma only_swap p n (X Y : 'M[F]_n) : p 0 -> only_eigenvalues p (X *m Y) -> only_eigenvalues p (Y *m X).
Proof.
move=> p0 [ls pl z]; exists (0 :: ls); first by rewrite /= p0.
have e M : kill (Y *m X) ls (Y *m M) = Y *m kill (X *m Y) ls M.
  rewrite /kill; elim: ls M {pl z} => //= l ls IH M; rewrite -IH; congr foldl.
  by rewrite !mulmxBl mulmxBr !mulmxA mul_scalar_mx mul_mx_scalar.
by rewrite /= -/(kill _ ls _) mulmx1 raddf0 subr0 e killE z mul0mx mulmx0.
Qed.

(* ---- one letter again and again ------------------------------------------------------------ *)

Section Letter.
Variables (n d : nat) (A : 'M[F]_n) (B H0 : 'M[F]_(n, d)).
(* The state after t times the same letter. *)
Definition state t := iter t (fun H => A *m H + B) H0.

Lemma ops_powers ls (V : 'M[F]_(n, d)) i j :
  ops ls (fun k => iter k (mulmx A) V i j) =1 (fun k => iter k (mulmx A) (kill A ls V) i j).
Proof.
elim: ls V => //= l ls IH V k; rewrite -/(kill A ls _) -IH; apply: eq_ops => q; rewrite /op iterSr.
have -> : l * iter q (mulmx A) V i j = iter q (mulmx A) (l *: V) i j.
  suff -> : iter q (mulmx A) (l *: V) = l *: iter q (mulmx A) V by rewrite mxE.
  by elim: q => //= q ->; rewrite scalemxAr.
rewrite mulmxBl mul_scalar_mx; move: (A *m V) (l *: V) => X Y.
suff -> : iter q (mulmx A) (X - Y) = iter q (mulmx A) X - iter q (mulmx A) Y by rewrite !mxE.
by elim: q => //= q ->; rewrite mulmxBr.
Qed.
Lemma state_rooted p i j : p 1 -> only_eigenvalues p A -> rooted p (fun t => state t i j).
Proof.
move=> p1 [ls pl z]; exists (1 :: ls) => [|k] /=; first by rewrite p1.
have e q : op 1 (fun t => state t i j) q = iter q (mulmx A) (state 1 - H0) i j.
  rewrite /op mul1r; suff <- : state q.+1 - state q = iter q (mulmx A) (state 1 - H0) by rewrite !mxE.
  by elim: q => //= q <-; rewrite mulmxBr [X in X - _]/= opprD addrACA subrr addr0.
rewrite (eq_ops _ e) ops_powers killE z mul0mx.
suff -> : iter k (mulmx A) 0 = 0 :> 'M[F]_(n, d) by rewrite mxE.
by elim: k => //= k ->; rewrite mulmx0.
Qed.

(* A reading is an affine function of the state. *)
Definition reading (r : 'M[F]_(d, n) * F) (H : 'M[F]_(n, d)) : F := \tr (r.1 *m H) + r.2.
Lemma reading_rooted p r : p 1 -> only_eigenvalues p A -> rooted p (fun t => reading r (state t)).
Proof.
move=> p1 h; apply: rooted_add; last exact: rooted_const.
apply: rooted_sum => // i; apply: (@rooted_eq _ _ (fun t => \sum_j r.1 i j * state t j i)) => [t|].
  by rewrite mxE.
by apply: rooted_sum => // j; apply/rooted_scale/state_rooted.
Qed.
End Letter.
End Eigenvalues.

Section T1.
Variables (F : realFieldType) (n d : nat) (A : 'M[F]_n) (B : 'M[F]_(n, d)).
Variables (rs : seq ('M[F]_(d, n) * F)) (Y : Type) (out : seq F -> Y).
(* This is about any decoder that looks at the signs of finitely many readings: nearest codes (differences of
   squared distances are affine), exact codes, thresholds, argmax. *)
Definition answer_in (H : 'M[F]_(n, d)) := out [seq Num.sg (reading r H) | r <- rs].

(* On the words a, aa, aaa and so on the answer remains the same from some length on. *)
Theorem T1 H : only_eigenvalues (@nonneg F) A -> ~ ~ steady (fun t => answer_in (state A B H t)).
Proof.
move=> real; apply: (steady_map (g := out)); apply: steady_seq => r _.
by apply/rooted_settles/reading_rooted; rewrite // /nonneg ler01.
Qed.
(* Real eigenvalues of either sign give a period that divides 2. *)
Theorem T2 H : only_eigenvalues predT A -> ~ ~ steady (fun t => answer_in (state A B H t.*2)).
Proof.
move=> real; apply: (steady_map (g := out)); apply: steady_seq => r _.
by apply: rooted_settles (rooted_even (reading_rooted B H r _ real)).
Qed.
End T1.

(* ---- words --------------------------------------------------------------------------------- *)

Section Words.
Variables (F : realFieldType) (n d : nat) (letter : Type).
Variables (A : letter -> 'M[F]_n) (B : letter -> 'M[F]_(n, d)).
Definition read (H : 'M[F]_(n, d)) x := A x *m H + B x.
(* A word is read from the left, and its matrix has the first letter's at the right. *)
Definition product w : 'M[F]_n := foldl (fun M x => A x *m M) 1%:M w.

Lemma product_cat v w : product (v ++ w) = product w *m product v.
Proof.
rewrite {1}/product foldl_cat -/(product v).
elim/last_ind: w => [|w x IH]; first by rewrite mul1mx.
by rewrite {2}/product !foldl_rcons IH -mulmxA.
Qed.
Lemma read_affine w (H : 'M[F]_(n, d)) : foldl read H w = product w *m H + foldl read 0 w.
Proof.
elim/last_ind: w => [|w x IH]; first by rewrite mul1mx addr0.
by rewrite /product !foldl_rcons {1}/read IH mulmxDr mulmxA -addrA.
Qed.
Lemma read_power H w t :
  iter t (fun H => foldl read H w) H = state (product w) (foldl read 0 w) H t.
Proof. by elim: t => //= t ->; rewrite read_affine. Qed.

(* After u, u w, u w w and so on the answer remains the same from some length on; H is the state after u. *)
Theorem T1_words w H rs Y (out : seq F -> Y) : only_eigenvalues (@nonneg F) (product w) ->
  ~ ~ steady (fun t => answer_in rs out (iter t (fun H => foldl read H w) H)).
Proof.
move=> real nh; apply: (T1 (B := foldl read 0 w) (rs := rs) (out := out) (H := H) real) => -[N [y h]].
by apply: nh; exists N, y => t le; rewrite read_power h.
Qed.
End Words.
Print Assumptions T1_words.
Print Assumptions T2.
