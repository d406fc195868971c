(* Settle.v: a word that is read again and again leads to a limit (AL.2 of theory/pages/all-lengths.md), and from where on
   an answer is certain (AL.5).

   Fields are archimedean where there is a limit: the rationals, the real algebraic numbers, any model of the reals. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

(* ---- AL.2 ------------------------------------------------------------------------------------- *)

Section Settle.
Variables (F : realFieldType) (n d : nat).
Implicit Types (u w : seq (factor F n d)) (S T : 'M[F]_(d, n)).
Notation all_sound u := (all (@sound F n d) u).
Notation again t u S := (iter t (read u) S).

(* f_u has a fixed point in K_u, and one only. *)
Lemma fixed_in_span u : all_sound u -> exists x, read u x = x /\ (x <= span u)%MS.
Proof.
move=> su; set A := linear u; set M := gram u.
have kernel : (kermx (M *m (1%:M - A)) <= kermx M)%MS.
  apply/sub_kermxP; set y := kermx _.
  have /eqP := mulmx_ker (M *m (1%:M - A)); rewrite -/y mulmxA mulmxBr mulmx1 subr_eq0 eq_sym => /eqP e.
  have o : orthogonal u (y *m M) by apply/(AL1_fixed _ su).
  by apply: (orthogonal_span o); apply: submx_trans (submxMl _ _) (gram_span u).
have rank : (\rank M <= \rank (M *m (1%:M - A)))%N.
  have := mxrankS kernel; rewrite !mxrank_ker leq_subLR addnBA ?rank_leq_row //.
  by rewrite leq_subRL ?leq_add2r // (leq_trans (rank_leq_row _) (leq_addl _ _)).
have stay m (X : 'M_(m, n)) : (X <= span u)%MS -> (X *m (1%:M - A) <= span u)%MS.
  by move=> sub; rewrite mulmxBr mulmx1 -opprB (eqmx_opp _) linear_moves.
have sub : (M *m (1%:M - A) <= M)%MS.
  by apply: submx_trans (stay _ _ (gram_span u)) (span_gram u).
have back : (M <= M *m (1%:M - A))%MS by rewrite -(geq_leqif (mxrank_leqif_sup sub)).
have := AL1_moves u 0; rewrite subr0 => /submx_trans/(_ (span_gram u))/submx_trans/(_ back)/submxP[D e].
exists (D *m M); split; last by apply: submx_trans (submxMl _ _) (gram_span u).
by rewrite readE e [D *m (_ *m _)]mulmxA mulmxBr mulmx1 addrC subrK.
Qed.

(* The limit is S off K_u, and the fixed point there. *)
Definition limit u S T : Prop :=
  exists x, [/\ read u x = x, (x <= span u)%MS & T = S - S *m proj u + x].
Lemma limit_fixed u S T : limit u S T -> read u T = T /\ (S - T <= span u)%MS.
Proof.
case=> x [fx sub ->]; split.
  have := readB u (S - S *m proj u + x) x; rewrite fx addrK orthogonal_kept; last exact: proj_orthogonal.
  by move/eqP; rewrite subr_eq => /eqP.
by rewrite opprD opprB addrA addrCA subrr addr0 addmx_sub ?proj_span // -scaleN1r scalemx_sub.
Qed.
Lemma limitP u S T : read u T = T -> (S - T <= span u)%MS -> limit u S T.
Proof.
move=> fT sub; exists (T *m proj u); split; last 1 first.
- by have := proj_id sub; rewrite mulmxBl => e; rewrite -addrA [- _ + _]addrC -opprB e opprB addrCA subrr addr0.
- have := readB u T (T *m proj u); rewrite fT orthogonal_kept; last exact: proj_orthogonal.
  by move/addrI/oppr_inj.
exact: proj_span.
Qed.
Theorem AL2_limit u S : all_sound u -> exists T, limit u S T.
Proof. by case/fixed_in_span=> x [fx sub]; exists (S - S *m proj u + x), x. Qed.

(* The distance never grows, also after the letters of a word, *)
Lemma again_fixed t u T : read u T = T -> again t u T = T.
Proof. by move=> fT; elim: t => //= t ->. Qed.
Theorem AL2_nearer u S T s t : all_sound u -> read u T = T -> (s <= t)%N ->
  sq (again t u S - T) <= sq (again s u S - T).
Proof.
move=> su fT; elim: t => [|t IH]; first by rewrite leqn0 => /eqP ->.
rewrite leq_eqVlt => /orP[/eqP -> //|]; rewrite ltnS => /IH; apply: le_trans.
by rewrite /= -{1}fT readB shorter.
Qed.
(* and it falls geometrically. *)
Theorem AL2_geometric u : all_sound u -> exists r, 0 <= r < 1 /\
  forall S T t, limit u S T -> sq (again t u S - T) <= r ^+ t * sq (S - T).
Proof.
move=> su; have [r [r01 le]] := AL1_contracts su; exists r; split=> // S T t lim.
have [fT sub] := limit_fixed lim.
suff : (again t u S - T <= span u)%MS /\ sq (again t u S - T) <= r ^+ t * sq (S - T) by case.
elim: t => [|t [sub' le']] /=; first by rewrite expr0 mul1r.
have [sub2 le2] := le _ _ sub'; rewrite -{1 2}fT readB; split=> //.
by apply: le_trans le2 _; rewrite exprS -mulrA ler_wpmul2l //; case/andP: r01.
Qed.

(* All eigenvalues a + b i, with a vector x + y i, are 1 or lie in the open unit disc. *)
Lemma sq_turn (a b : F) (x y : 'rV[F]_n) :
  sq (a *: x - b *: y) + sq (b *: x + a *: y) = (a ^+ 2 + b ^+ 2) * (sq x + sq y).
Proof.
rewrite /sq !big_ord1 -!big_split mulr_sumr /=; apply: eq_bigr => j _; rewrite !mxE !expr2.
exact: (turn_abstract (F_ring F)).
Qed.
Theorem AL2_eigenvalues u (a b : F) (x y : 'rV[F]_n) : all_sound u -> (x != 0) || (y != 0) ->
  x *m linear u = a *: x - b *: y -> y *m linear u = b *: x + a *: y ->
  a ^+ 2 + b ^+ 2 < 1 \/ (a = 1 /\ b = 0).
Proof.
move=> su ne ex ey; have z0 : 0 < sq x + sq y.
  rewrite lt_neqAle eq_sym paddr_eq0 ?sq_ge0 // addr_ge0 ?sq_ge0 // andbT negb_and.
  by case/orP: ne => ne; apply/orP; [left|right]; apply: contraNneq ne => /sq_eq0 ->.
have zE := sq_turn a b x y; rewrite -ex -ey in zE.
have [lex kx] := AL1_shorter x su; have [ley ky] := AL1_shorter y su.
have : (a ^+ 2 + b ^+ 2) * (sq x + sq y) <= sq x + sq y by rewrite -zE ler_add.
rewrite ger_pmull // le_eqVlt => /orP[/eqP one|]; last by left.
right; move: zE; rewrite one mul1r => zE.
have xe : sq (x *m linear u) = sq x.
  by apply/le_anti; rewrite lex /= -(ler_add2r (sq y)) -zE ler_add2l.
have ye : sq (y *m linear u) = sq y by move: zE; rewrite xe => /addrI.
have e1 : (a - 1) *: x - b *: y = 0 by rewrite scalerBl scale1r addrAC -ex (kx xe) subrr.
have e2 : b *: x + (a - 1) *: y = 0 by rewrite scalerBl scale1r addrA -ey (ky ye) subrr.
have := sq_turn (a - 1) b x y; rewrite e1 e2 !sq0 addr0 => /esym/eqP.
rewrite mulf_eq0 (gt_eqF z0) orbF paddr_eq0 ?sqr_ge0 // !sqrf_eq0 subr_eq0.
by case/andP=> /eqP -> /eqP ->.
Qed.

(* ---- AL.5 ------------------------------------------------------------------------------------- *)

Lemma sound_repeat t u : all_sound u -> all_sound (flatten (nseq t u)).
Proof. by move=> su; elim: t => //= t IH; rewrite all_cat su. Qed.
Lemma read_repeat t u S : read (flatten (nseq t u)) S = again t u S.
Proof. by elim: t S => //= t IH S; rewrite read_cat IH -iterSr. Qed.
Lemma linear_tr u : (linear u)^T = linear (rev u).
Proof.
elim: u => [|f u IH] /=; first exact: trmx1.
by rewrite trmx_mul IH mirror_sym rev_cons -cats1 linear_cat /= mulmx1.
Qed.
Lemma shorter_column u (y : 'cV[F]_n) : all_sound u -> sq (linear u *m y) <= sq y.
Proof. by move=> su; rewrite -sqT trmx_mul linear_tr -[sq y]sqT shorter // all_rev. Qed.

(* N bounds the square of the spectral norm of D. *)
Definition bounds m (N : F) (D : 'M[F]_(m, n)) : Prop := forall y : 'cV[F]_n, sq (D *m y) <= N * sq y.
(* From T on, after another word w too, what is read by q is as near to the limit as at T. *)
Theorem AL5_ball u w S L N s t (q : 'cV[F]_n) : 0 <= N -> all_sound u -> all_sound w -> read u L = L ->
  bounds N (again s u S - L) -> (s <= t)%N ->
  sq (read w (again t u S) *m q - read w L *m q) <= N * sq q.
Proof.
move=> N0 su sw fL bN st; set v := flatten (nseq (t - s) u) ++ w.
have vE X : read v X = read w (again (t - s) u X) by rewrite read_cat read_repeat.
have -> : again t u S = again (t - s) u (again s u S) by rewrite -iterD subnK.
rewrite -(again_fixed (t - s) fL) -!vE -mulmxBl readB -mulmxA.
apply: le_trans (bN _) _; rewrite ler_wpmul2l // shorter_column //.
by rewrite all_cat sound_repeat.
Qed.
End Settle.

(* ---- limits ----------------------------------------------------------------------------------- *)

Section Limits.
Variable F : archiFieldType.

Lemma powers_slope (r : F) t : 0 <= r -> r <= 1 -> r ^+ t * (1 + (1 - r) *+ t) <= 1.
Proof.
move=> r0 r1; elim: t => [|t IH]; first by rewrite expr0 mulr0n addr0 mulr1.
apply: le_trans IH; rewrite exprSr -mulrA ler_wpmul2l ?exprn_ge0 // mulrSr addrA.
have h0 : 0 <= 1 - r by rewrite subr_ge0.
set w := 1 + _; have w1 : 1 <= w by rewrite ler_addl mulrn_wge0.
rewrite mulrDr -ler_subr_addl -{1}[w]mul1r -mulrBl [r * _]mulrC ler_wpmul2l //.
exact: le_trans r1 w1.
Qed.
Lemma powers_vanish (r c e : F) : 0 <= r < 1 -> 0 <= c -> 0 < e ->
  exists t0, forall t, (t0 <= t)%N -> r ^+ t * c <= e.
Proof.
case/andP=> r0 r1 c0 e0; have h0 : 0 < 1 - r by rewrite subr_gt0.
exists (Num.bound (c / (e * (1 - r)))) => t le.
have ct : c <= e * (1 - r) *+ t.
  rewrite -mulr_natr -ler_pdivr_mull ?mulr_gt0 // mulrC.
  apply: le_trans (ltW (archi_boundP _)) _; first by rewrite divr_ge0 // mulr_ge0 // ltW.
  by rewrite ler_nat.
apply: le_trans (ler_wpmul2l (exprn_ge0 t r0) ct) _.
rewrite -mulrnAr mulrCA ger_pmulr //; apply: le_trans (powers_slope t r0 (ltW r1)).
by rewrite ler_wpmul2l ?exprn_ge0 // ler_addr ler01.
Qed.

Theorem AL2_converges n d (u : seq (factor F n d)) S T e : all (@sound F n d) u -> limit u S T -> 0 < e ->
  exists t0, forall t, (t0 <= t)%N -> sq (iter t (read u) S - T) <= e.
Proof.
move=> su lim e0; have [r [r01 le]] := AL2_geometric su.
have [t0 h] := powers_vanish r01 (sq_ge0 (S - T)) e0; exists t0 => t /h; apply: le_trans.
exact: le lim.
Qed.
End Limits.
