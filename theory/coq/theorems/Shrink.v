(* Shrink.v: factors of the delta rule never lengthen (AL.1 of theory/pages/all-lengths.md).

   A state is written in rows, as the page's S^T, so that words act from the right and keys are rows. In place of a norm
   there is its square, the sum of the squares of all entries, so that no root is needed; and in place of a compact
   sphere there is Gram's matrix of the keys, so that all of this holds over every ordered field. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

(* `ring` works for any numbers, and so for those of F. *)
Section AnyRing.
Variables (T : Type) (zero one : T) (add mul sub : T -> T -> T) (opp : T -> T).
Hypothesis Tr : ring_theory zero one add mul sub opp eq.
Add Ring T_ring : Tr.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub.
Lemma drop_abstract (x y q b : T) :
  x - (x - b * y - (b * y - b * (b * (y * q)))) = b * (one + one - b * q) * y.
Proof. ring. Qed.
Lemma weigh_abstract (a v t q : T) : a * v + t * (a * v * q) = (one + t * q) * v * a.
Proof. ring. Qed.
Lemma turn_abstract (a b x y : T) : (a * x - b * y) * (a * x - b * y) + (b * x + a * y) * (b * x + a * y) =
  (a * a + b * b) * (x * x + y * y).
Proof. ring. Qed.
End AnyRing.
Lemma F_ring (F : realFieldType) : ring_theory 0 1 +%R *%R (fun x y : F => x - y) -%R eq.
Proof.
by constructor; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC | exact: mulrA
  | exact: mulrDl | | exact: subrr].
Qed.

Section Statement.
Variable F : realFieldType.

(* |X|^2 *)
Definition sq m n (X : 'M[F]_(m, n)) : F := \sum_i \sum_j X i j ^+ 2.

Variables n d : nat.
Record factor : Type := Factor {beta : F; key : 'rV[F]_n; value : 'rV[F]_d}.
(* b = beta |k|^2 is below 2; a key of 0 is allowed, and its factor is the identity. *)
Definition sound (f : factor) : bool := (0 < beta f) && (beta f * sq (key f) < 2%:R).
(* S <- S - beta (S k^T - v^T) k, by each factor of a word. *)
Definition turn (S : 'M[F]_(d, n)) (f : factor) : 'M[F]_(d, n) :=
  S - beta f *: ((S *m (key f)^T - (value f)^T) *m key f).
Definition read (u : seq factor) (S : 'M[F]_(d, n)) : 'M[F]_(d, n) := foldl turn S u.
(* A_u and K_u *)
Definition mirror (f : factor) : 'M[F]_n := 1%:M - beta f *: ((key f)^T *m key f).
Definition linear (u : seq factor) : 'M[F]_n := foldr (fun f A => mirror f *m A) 1%:M u.
Definition span (u : seq factor) : 'M[F]_n := (\sum_(f <- u) <<key f>>)%MS.
(* The rows of X are orthogonal to all keys. *)
Definition orthogonal m (u : seq factor) (X : 'M[F]_(m, n)) : Prop :=
  forall f, List.In f u -> X *m (key f)^T = 0.
End Statement.

(* ---- sums of squares ------------------------------------------------------------------------- *)

Section Squares.
Variable F : realFieldType.

Lemma sq_trace m n (X : 'M[F]_(m, n)) : sq X = \tr (X *m X^T).
Proof. by apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => j _; rewrite mxE expr2. Qed.
Lemma sq_ge0 m n (X : 'M[F]_(m, n)) : 0 <= sq X.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.
Lemma sq0 m n : sq (0 : 'M[F]_(m, n)) = 0.
Proof. by rewrite sq_trace mul0mx mxtrace0. Qed.
Lemma sq_eq0 m n (X : 'M[F]_(m, n)) : sq X = 0 -> X = 0.
Proof.
move=> /eqP; rewrite psumr_eq0 => [/allP z|i _]; last by apply: sumr_ge0 => j _; apply: sqr_ge0.
apply/matrixP=> i j; have := z i (mem_index_enum i); rewrite psumr_eq0 => [/allP y|k _]; last exact: sqr_ge0.
by have := y j (mem_index_enum j); rewrite sqrf_eq0 mxE => /eqP.
Qed.
Lemma sq_le0 m n (X : 'M[F]_(m, n)) : sq X <= 0 -> X = 0.
Proof. by move=> le; apply/sq_eq0/le_anti; rewrite le sq_ge0. Qed.
Lemma sqN m n (X : 'M[F]_(m, n)) : sq (- X) = sq X.
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mxE sqrrN. Qed.
Lemma sqZ m n a (X : 'M[F]_(m, n)) : sq (a *: X) = a ^+ 2 * sq X.
Proof.
by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mxE exprMn.
Qed.
Lemma sqT m n (X : 'M[F]_(m, n)) : sq X^T = sq X.
Proof. by rewrite /sq exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mxE. Qed.
Lemma sq_add m n (X Y : 'M[F]_(m, n)) : sq (X + Y) <= 2%:R * (sq X + sq Y).
Proof.
have -> : 2%:R * (sq X + sq Y) = sq (X + Y) + sq (X - Y).
  rewrite /sq -!big_split mulr_sumr; apply: eq_bigr => i _ /=.
  rewrite -!big_split mulr_sumr; apply: eq_bigr => j _ /=; rewrite !mxE.
  by rewrite sqrrD sqrrB addrAC [X in _ = _ + X]addrAC addrACA subrr addr0 mulr_natl mulr2n.
by rewrite ler_addl sq_ge0.
Qed.
(* A column times a row. *)
Lemma sq_outer m n (X : 'cV[F]_m) (k : 'rV[F]_n) : sq (X *m k) = sq X * sq k.
Proof.
rewrite sq_trace trmx_mul mulmxA -(mulmxA X) (mx11_scalar (k *m k^T)) mul_mx_scalar -scalemxAl mxtraceZ.
by rewrite -sq_trace mulrC; congr (_ * _); rewrite sq_trace /mxtrace big_ord1.
Qed.
End Squares.

(* ---- factors and words ----------------------------------------------------------------------- *)

Section Words.
Variables (F : realFieldType) (n d : nat).
Implicit Types (f : factor F n d) (u : seq (factor F n d)).

Lemma mirrorE m f (X : 'M[F]_(m, n)) : X *m mirror f = X - beta f *: (X *m (key f)^T *m key f).
Proof. by rewrite mulmxBr mulmx1 -scalemxAr mulmxA. Qed.
Lemma mirror_sym f : (mirror f)^T = mirror f.
Proof. by rewrite /mirror linearB linearZ /= trmx1 trmx_mul trmxK. Qed.
(* |X|^2 - |X F|^2 = beta (2 - b) |X k^T|^2 *)
Lemma sq_mirror m f (X : 'M[F]_(m, n)) :
  sq X - sq (X *m mirror f) = beta f * (2%:R - beta f * sq (key f)) * sq (X *m (key f)^T).
Proof.
set k := key f; set b := beta f; pose Y := X *m k^T.
have cross : \tr (X *m (Y *m k)^T) = sq Y by rewrite trmx_mul mulmxA sq_trace.
have cross' : \tr (Y *m k *m X^T) = sq Y by rewrite -mulmxA sq_trace trmx_mul trmxK.
have -> : sq (X *m mirror f) = sq X - b * sq Y - (b * sq Y - b * (b * (sq Y * sq k))).
  rewrite mirrorE -/b -/k -/Y -sq_outer !sq_trace; have trB p (A B : 'M[F]_(p, n)) : (A - B)^T = A^T - B^T.
    by apply/matrixP=> i j; rewrite !mxE.
  have trZ p c (A : 'M[F]_(p, n)) : (c *: A)^T = c *: A^T by apply/matrixP=> i j; rewrite !mxE.
  rewrite trB trZ mulmxBl !mulmxBr -!scalemxAl -!scalemxAr !raddfB /= !mxtraceZ cross cross'.
  by rewrite -!sq_trace.
exact: (drop_abstract (F_ring F)).
Qed.

Lemma sound_gain f : sound f -> 0 < beta f * (2%:R - beta f * sq (key f)).
Proof. by case/andP=> b0 b2; rewrite mulr_gt0 // subr_gt0. Qed.

Lemma read_cat u w S : read (u ++ w) S = read w (read u S). Proof. exact: foldl_cat. Qed.
Lemma linear_cat u w : linear (u ++ w) = linear u *m linear w.
Proof. by elim: u => [|f u IH] /=; rewrite ?mul1mx // IH mulmxA. Qed.
Lemma readB u S T : read u S - read u T = (S - T) *m linear u.
Proof.
elim: u S T => [|f u IH] S T /=; first by rewrite mulmx1.
rewrite IH mulmxA mirrorE; congr (_ *m _).
have -> : (S - T) *m (key f)^T *m key f
    = (S *m (key f)^T - (value f)^T) *m key f - (T *m (key f)^T - (value f)^T) *m key f.
  by rewrite -[RHS]mulmxBl opprB addrA subrK [(S - T) *m _]mulmxBl.
by rewrite /turn scalerBr !opprB addrACA [RHS]addrACA [- _ - T]addrC.
Qed.
Lemma readE u S : read u S = S *m linear u + read u 0.
Proof. by rewrite -[S in S *m _]subr0 -readB subrK. Qed.

(* ---- what a word sees of a state, and Gram's matrix -------------------------------------------- *)

Definition sees m u (X : 'M[F]_(m, n)) : F := foldr (fun f s => sq (X *m (key f)^T) + s) 0 u.
Definition gram u : 'M[F]_n := foldr (fun f M => (key f)^T *m key f + M) 0 u.

Lemma sees_ge0 m u (X : 'M[F]_(m, n)) : 0 <= sees u X.
Proof. by elim: u => //= f u IH; rewrite addr_ge0 ?sq_ge0. Qed.
Lemma sees_gram m u (X : 'M[F]_(m, n)) : sees u X = \tr (X *m gram u *m X^T).
Proof.
elim: u => [|f u IH] /=; first by rewrite mulmx0 mul0mx mxtrace0.
by rewrite IH mulmxDr mulmxDl mxtraceD sq_trace trmx_mul trmxK !mulmxA.
Qed.
Lemma sees_add m u (X Y : 'M[F]_(m, n)) : sees u (X + Y) <= 2%:R * (sees u X + sees u Y).
Proof.
elim: u => [|f u IH] /=; first by rewrite addr0 mulr0.
by rewrite addrACA mulrDr ler_add // mulmxDl sq_add.
Qed.
Lemma sees_outer m u (X : 'cV[F]_m) (k : 'rV[F]_n) : sees u (X *m k) = sq X * sees u k.
Proof. by elim: u => [|f u IH] /=; rewrite ?mulr0 // IH -mulmxA mulrDr sq_outer. Qed.
Lemma seesZ m u a (X : 'M[F]_(m, n)) : sees u (a *: X) = a ^+ 2 * sees u X.
Proof. by elim: u => [|f u IH] /=; rewrite ?mulr0 // IH -scalemxAl sqZ mulrDr. Qed.
Lemma sees_le0 m u (X : 'M[F]_(m, n)) : sees u X <= 0 -> orthogonal u X.
Proof.
elim: u => [_ f []|g u IH /= le f [<-|fu]].
  by apply: sq_le0; apply: le_trans le; rewrite ler_addl sees_ge0.
by apply: IH => //; apply: le_trans le; rewrite ler_addr sq_ge0.
Qed.
Lemma orthogonal_gram m u (X : 'M[F]_(m, n)) : orthogonal u X <-> X *m gram u = 0.
Proof.
split=> [o|e]; last by apply: sees_le0; rewrite sees_gram e mul0mx mxtrace0.
elim: u o => [|f u IH] o /=; first exact: mulmx0.
by rewrite mulmxDr mulmxA (o f) ?mul0mx ?add0r ?IH //=; [move=> g gu; apply: o; right | left].
Qed.
Lemma gram_sym u : (gram u)^T = gram u.
Proof. by elim: u => [|f u IH] /=; rewrite ?trmx0 // linearD /= IH trmx_mul trmxK. Qed.

Lemma span_sub u p (M : 'M[F]_(p, n)) : (forall f, List.In f u -> (key f <= M)%MS) -> (span u <= M)%MS.
Proof.
elim: u => [|f u IH] sub; rewrite /span ?big_nil ?sub0mx // big_cons addsmx_sub genmxE sub /=; last by left.
by apply: IH => g gu; apply: sub; right.
Qed.
Lemma key_span u f : List.In f u -> (key f <= span u)%MS.
Proof.
elim: u => //= g u IH [<-|/IH sub]; rewrite /span big_cons; last exact: submx_trans sub (addsmxSr _ _).
by apply: submx_trans (addsmxSl _ _); rewrite genmxE.
Qed.
Lemma span_gram u : (span u <= gram u)%MS.
Proof.
apply: span_sub => f fu; rewrite submxE; set C := cokermx _.
have : C^T *m gram u = 0 by rewrite -gram_sym -trmx_mul mulmx_coker trmx0.
by move/orthogonal_gram/(_ f fu) => e; rewrite -[_ *m C]trmxK trmx_mul e trmx0.
Qed.
Lemma gram_span u : (gram u <= span u)%MS.
Proof.
elim: u => [|f u IH] /=; first exact: sub0mx.
apply: addmx_sub; first by apply: submx_trans (submxMl _ _) _; apply: key_span; left.
by apply: submx_trans IH _; rewrite /span big_cons addsmxSr.
Qed.
Lemma gram_square u : (gram u <= gram u *m gram u)%MS.
Proof.
rewrite submxE; set M := gram u; set C := cokermx _; apply/eqP/sq_eq0.
by rewrite -sqT sq_trace trmxK trmx_mul gram_sym -mulmxA (mulmxA M) mulmx_coker mulmx0 mxtrace0.
Qed.

(* P_u, the orthogonal projection onto K_u. *)
Lemma root_of u : {R : 'M[F]_n | R *m (gram u *m gram u) = gram u}.
Proof. by exists (gram u *m pinvmx (gram u *m gram u)); exact: mulmxKpV (gram_square u). Qed.
Definition root u : 'M[F]_n := sval (root_of u).
Definition proj u : 'M[F]_n := root u *m gram u.
Lemma rootK u : root u *m (gram u *m gram u) = gram u.
Proof. exact: svalP (root_of u). Qed.
Lemma rootT u : gram u *m gram u *m (root u)^T = gram u.
Proof. by have := congr1 trmx (rootK u); rewrite trmx_mul [(gram u *m gram u)^T]trmx_mul gram_sym. Qed.
Lemma proj_span m u (X : 'M[F]_(m, n)) : (X *m proj u <= span u)%MS.
Proof. by rewrite mulmxA; apply: submx_trans (submxMl _ _) (gram_span u). Qed.
Lemma proj_orthogonal m u (X : 'M[F]_(m, n)) : orthogonal u (X - X *m proj u).
Proof. by apply/orthogonal_gram; rewrite mulmxBl -(mulmxA X) -(mulmxA (root u)) rootK subrr. Qed.
Lemma orthogonal_span m u (X : 'M[F]_(m, n)) : orthogonal u X -> (X <= span u)%MS -> X = 0.
Proof.
move=> /orthogonal_gram o /submx_trans/(_ (span_gram u))/submxP[D e]; apply: sq_eq0.
by rewrite sq_trace {2}e trmx_mul gram_sym mulmxA o mul0mx mxtrace0.
Qed.
Lemma proj_id m u (X : 'M[F]_(m, n)) : (X <= span u)%MS -> X *m proj u = X.
Proof.
move=> sub; apply/eqP; rewrite eq_sym -subr_eq0; apply/eqP; apply: (@orthogonal_span _ u); first exact: proj_orthogonal.
by apply: addmx_sub => //; rewrite -mulNmx proj_span.
Qed.

(* ---- AL.1 ------------------------------------------------------------------------------------- *)

Notation all_sound u := (all (@sound F n d) u).

Lemma shorter m u (X : 'M[F]_(m, n)) : all_sound u -> sq (X *m linear u) <= sq X.
Proof.
elim: u X => [|f u IH] X /=; first by rewrite mulmx1.
case/andP=> sf su; rewrite mulmxA; apply: le_trans (IH _ su) _; rewrite -subr_ge0 sq_mirror.
by rewrite mulr_ge0 ?sq_ge0 // ltW // sound_gain.
Qed.
Lemma orthogonal_kept m u (X : 'M[F]_(m, n)) : orthogonal u X -> X *m linear u = X.
Proof.
elim: u => [|f u IH] o /=; first exact: mulmx1.
by rewrite mulmxA mirrorE (o f) ?mul0mx ?scaler0 ?subr0 ?IH //=; [move=> g gu; apply: o; right | left].
Qed.

Lemma weigh (two a b c g q S T : F) : 0 <= two -> 0 <= a -> 0 <= b -> 0 <= c -> 0 < g -> 0 <= q ->
  S <= two * (T + a / g * q) -> T <= c * b -> a / g + S <= ((1 + two * q) / g + two * c) * (a + b).
Proof.
move=> t0 a0 b0 c0 g0 q0 leS leT; set p := (1 + two * q) / g.
have p0 : 0 <= p by rewrite divr_ge0 ?addr_ge0 ?mulr_ge0 ?ler01 // ltW.
have pE : a / g + two * (a / g * q) = p * a by exact: (weigh_abstract (F_ring F)).
apply: (@le_trans _ _ (p * a + two * (c * b))).
  rewrite -pE -addrA ler_add2l; apply: le_trans leS _; rewrite [two * (_ + _)]mulrDr addrC ler_add2l.
  exact: ler_wpmul2l.
rewrite [_ * (a + b)]mulrDl ![_ * (a + b)]mulrDr; clearbody p; apply: ler_add.
  by rewrite ler_addl mulr_ge0.
by rewrite mulrA ler_addr mulr_ge0 // mulr_ge0.
Qed.
(* What a word sees is at most a multiple of the square that is lost. *)
Lemma sees_lost u : all_sound u ->
  exists c, 0 <= c /\ forall m (X : 'M[F]_(m, n)), sees u X <= c * (sq X - sq (X *m linear u)).
Proof.
elim: u => [|f u IH] /=; first by exists 0; split=> // m X; rewrite mul0r.
case/andP=> sf su; have [c [c0 le]] := IH su; set g := beta f * (2%:R - beta f * sq (key f)).
have g0 : 0 < g by exact: sound_gain.
set q := beta f ^+ 2 * sees u (key f); have q0 : 0 <= q by rewrite mulr_ge0 ?sqr_ge0 ?sees_ge0.
exists ((1 + 2%:R * q) / g + 2%:R * c); split=> [|m X].
  exact: addr_ge0 (divr_ge0 (addr_ge0 ler01 (mulr_ge0 (ler0n F 2) q0)) (ltW g0)) (mulr_ge0 (ler0n F 2) c0).
set Y := X *m mirror f; set s := sq (X *m (key f)^T).
pose a := sq X - sq Y; pose b := sq Y - sq (Y *m linear u).
have sE : s = a / g by rewrite /a sq_mirror -/g -/s mulrAC divff ?mul1r // gt_eqF.
have a0 : 0 <= a by rewrite /a sq_mirror -/g mulr_ge0 ?sq_ge0 // ltW.
have b0 : 0 <= b by rewrite subr_ge0 shorter.
have saw : sees u X <= 2%:R * (sees u Y + s * q).
  have -> : X = Y + beta f *: (X *m (key f)^T *m key f) by rewrite /Y mirrorE subrK.
  by apply: le_trans (sees_add _ _ _) _; rewrite seesZ sees_outer mulrCA lexx.
have -> : sq X - sq (X *m (mirror f *m linear u)) = a + b by rewrite mulmxA addrA subrK.
rewrite sE in saw *; exact: (weigh (ler0n F 2) a0 b0 c0 g0 q0 saw (le _ Y)).
Qed.

(* On K_u a state is at most a multiple of what the word sees of it. *)
Lemma gram_sees u (G : 'M[F]_n) :
  exists c, 0 <= c /\ forall m (X : 'M[F]_(m, n)), sq (X *m gram u *m G) <= c * sees u X.
Proof.
elim: u => [|f u [c [c0 le]]] /=; first by exists 0; split=> // m X; rewrite mulmx0 mul0mx sq0 mul0r.
set w := sq (key f *m G); have w0 : 0 <= w := sq_ge0 _.
exists (2%:R * (w + c)); split=> [|m X]; first exact: mulr_ge0 (ler0n _ 2) (addr_ge0 w0 c0).
rewrite mulmxDr mulmxDl; apply: le_trans (sq_add _ _) _; rewrite -mulrA ler_pmul2l ?ltr0n //.
rewrite !mulmxA -(mulmxA _ (key f)) sq_outer -/w mulrDl !mulrDr; apply: ler_add.
  by rewrite mulrC ler_addl mulr_ge0 ?sees_ge0.
by apply: le_trans (le _ _) _; rewrite ler_addr mulr_ge0 ?sq_ge0.
Qed.
Lemma span_sees u :
  exists c, 0 <= c /\ forall m (X : 'M[F]_(m, n)), (X <= span u)%MS -> sq X <= c * sees u X.
Proof.
have [c [c0 le]] := gram_sees u (root u)^T; exists c; split=> // m X.
move=> /submx_trans/(_ (span_gram u))/submxP[D e]; apply: le_trans (le _ _).
by rewrite e -(mulmxA D) -(mulmxA D) rootT.
Qed.

(* AL.1: a word never lengthens, and what keeps its length is fixed. *)
Theorem AL1_shorter m u (X : 'M[F]_(m, n)) : all_sound u ->
  sq (X *m linear u) <= sq X /\ (sq (X *m linear u) = sq X -> X *m linear u = X).
Proof.
move=> su; split=> [|e]; first exact: shorter.
have [c [_ le]] := sees_lost su; apply/orthogonal_kept/sees_le0.
by have := le m X; rewrite e subrr mulr0.
Qed.
(* It fixes just what is orthogonal to its keys. *)
Theorem AL1_fixed m u (X : 'M[F]_(m, n)) : all_sound u -> X *m linear u = X <-> orthogonal u X.
Proof.
move=> su; split=> [e|]; last exact: orthogonal_kept.
by have [c [_ le]] := sees_lost su; apply: sees_le0; have := le m X; rewrite e subrr mulr0.
Qed.
(* It changes a state within the span of its keys. *)
Theorem AL1_moves u (S : 'M[F]_(d, n)) : (read u S - S <= span u)%MS.
Proof.
elim: u S => [|f u IH] S /=; first by rewrite subrr sub0mx.
rewrite -[read _ _](subrK (turn S f)) -addrA /span big_cons; apply: addmx_sub.
  exact: submx_trans (IH _) (addsmxSr _ _).
apply: submx_trans (addsmxSl _ _); rewrite genmxE /turn addrAC subrr add0r scalemxAl -mulNmx.
exact: submxMl.
Qed.
Lemma linear_moves m u (X : 'M[F]_(m, n)) : (X *m linear u - X <= span u)%MS.
Proof.
elim: u X => [|f u IH] X /=; first by rewrite mulmx1 subrr sub0mx.
rewrite mulmxA -[_ *m linear u](subrK (X *m mirror f)) -addrA /span big_cons; apply: addmx_sub.
  exact: submx_trans (IH _) (addsmxSr _ _).
apply: submx_trans (addsmxSl _ _); rewrite genmxE mirrorE addrAC subrr add0r scalemxAl -mulNmx.
exact: submxMl.
Qed.
(* There it has a norm below 1. *)
Theorem AL1_contracts u : all_sound u -> exists r, 0 <= r < 1 /\
  forall m (X : 'M[F]_(m, n)), (X <= span u)%MS ->
    (X *m linear u <= span u)%MS /\ sq (X *m linear u) <= r * sq X.
Proof.
move=> su; have [c [c0 lost]] := sees_lost su; have [e [e0 seen]] := span_sees u.
pose C := e * c + 1; have C1 : 1 <= C by rewrite ler_addr mulr_ge0.
have C0 : 0 < C by apply: lt_le_trans C1; exact: ltr01.
exists (1 - C^-1); split=> [|m X sub].
  by rewrite subr_ge0 invf_le1 // C1 ltr_subl_addl ltr_addr invr_gt0.
split.
  by rewrite -[_ *m _](subrK X) addmx_sub ?linear_moves.
rewrite mulrBl mul1r ler_subr_addl -ler_subr_addr mulrC ler_pdivr_mulr // mulrC.
apply: le_trans (seen _ _ sub) _; apply: le_trans (ler_wpmul2l e0 (lost _ X)) _.
by rewrite mulrA ler_wpmul2r ?subr_ge0 ?shorter // ler_addl.
Qed.
End Words.
