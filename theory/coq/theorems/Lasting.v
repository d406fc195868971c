(* Lasting.v: which networks of one layer of the delta rule are right for ever. Without a margin parity can be one of these
   (AL.6 of theory/pages/all-lengths.md); with one, and where every letter shortens all of every head, the last letters of a
   word tell the automaton's state (AL.10). *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink Settle NoGroup.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

(* `ring` works for any numbers, and so for those of F. *)
Section AnyRing.
Variables (T : Type) (zero one : T) (add mul sub : T -> T -> T) (opp : T -> T).
Hypothesis Tr : ring_theory zero one add mul sub opp eq.
Add Ring T_ring : Tr.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub.
Lemma weigh_abstract (e f x y : T) : (one + e) * (x * x) + (one + f) * (y * y) - (x + y) * (x + y) =
  f * ((e * x - y) * (e * x - y)) + (one - f * e) * (e * (x * x) - (x * y + x * y)).
Proof. ring. Qed.
End AnyRing.

(* ---- AL.6 ------------------------------------------------------------------------------------- *)

Section Parity.
Variables (F : realFieldType) (b s : F).
Hypotheses (b01 : 0 < b < 1) (s0 : 0 < s).

(* The letter true takes the one number of the state to -b times itself, the other letter does nothing; the read-out is
   odd. *)
Definition flip : factor F 1 1 := Factor (1 + b) 1 0.
Definition parity : network F 1 1 [finType of bool] [finType of unit] [finType of bool] := {|
  factors := fun a _ => if a then [:: flip] else [::];
  start := fun _ => s%:M;
  logit := fun _ S q => if q then - S tt 0 0 else S tt 0 0 |}.
Notation run w := (run addb false w).

Lemma turn_flip S : turn S flip = - b *: S.
Proof.
rewrite /turn /flip /= !trmx1 !mulmx1 raddf0 subr0 scalerDl scale1r opprD addrA subrr add0r.
by rewrite scaleNr.
Qed.
Lemma parity_sound : sound_network parity.
Proof.
case/andP: b01 => b0 b1 [] h //=; rewrite andbT /sound /= /sq !big_ord1 !mxE eqxx expr1n mulr1.
by rewrite addr_gt0 ?ltr01 //=; have := b1; move=> lt1; have := ltr_add2l 1 b 1; rewrite lt1.
Qed.
Lemma parity_continuous : continuous parity.
Proof.
move=> a S e e0; exists (e ^+ 2); split=> [|T /(_ tt) le p]; first exact: exprn_gt0.
have near : `|T tt 0 0 - S tt 0 0| <= e.
  rewrite -ler_sqr ?nnegrE ?normr_ge0 ?(ltW e0) // real_normK ?num_real //.
  by move: le; rewrite /sq !big_ord1 !mxE.
by case: p; rewrite /= ?near // -opprD normrN.
Qed.
Lemma parity_state w : exists t, after parity w tt = ((if run w then -1 else 1) * b ^+ t * s)%:M.
Proof.
elim/last_ind: w => [|w a [t e]]; first by exists 0%N; rewrite expr0 !mul1r.
have -> : after parity (rcons w a) tt = moved parity [:: a] (after parity w) tt.
  by rewrite /after /moved -cats1 by_head_cat read_cat.
have -> : run (rcons w a) = run w (+) a by rewrite -cats1 run_cat.
rewrite /moved /by_head /= cats0 e; case: a; last by exists t; rewrite addbF.
exists t.+1; rewrite /= turn_flip scale_scalar_mx exprS; congr (_%:M).
by case: (run w); rewrite /= ?mulN1r ?mul1r !mulNr ?mulrN ?opprK ?mulrA.
Qed.
(* It is right after every word, *)
Theorem AL6_right w a : answers_only parity a (after parity w) (run w).
Proof.
have [t e] := parity_state w; have x0 : 0 < b ^+ t * s by rewrite mulr_gt0 // exprn_gt0 //; case/andP: b01.
move: e; case: (run w) => e [] //= _; rewrite e !mxE eqxx mulr1n.
  by rewrite -mulrA mulN1r opprK gtr_opp.
by rewrite mul1r gtr_opp.
Qed.
(* and at the limit of the states after z 1 1 1 .. both logits are equal. *)
Theorem AL6_tie z a : settles parity z [:: true] (fun _ => 0) /\
  forall p q, logit parity a (fun _ => 0) p = logit parity a (fun _ => 0) q.
Proof.
split=> [[]|[] []]; rewrite /= ?mxE ?oppr0 //; apply: limitP.
  by rewrite /by_head /= turn_flip scaler0.
apply: submx_full; rewrite /span /by_head /= big_seq1.
by rewrite -sub1mx genmxE.
Qed.
End Parity.

(* ---- AL.10 ------------------------------------------------------------------------------------ *)

Section Definite.
Variables (F : archiFieldType) (n d : nat) (letter heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Notation run p w := (run next p w).
Implicit Types (u w z : seq letter) (S T : state F n d heads).

(* Every letter shortens all of every head: r bounds |A_w|^2. *)
Definition shortens (r : F) : Prop :=
  0 <= r < 1 /\ forall a h (X : 'M[F]_(d, n)), sq (X *m linear (factors N a h)) <= r * sq X.
(* On states that are not longer than a bound logits are uniformly continuous. *)
Definition uniformly : Prop := forall M e : F, 0 < e -> exists r : F, 0 < r /\
  forall a S T, (forall h, sq (S h) <= M) -> (forall h, sq (T h) <= M) -> (forall h, sq (S h - T h) <= r) ->
  forall p, `|logit N a S p - logit N a T p| <= e.

Lemma sq_weigh m k (e : F) (X Y : 'M[F]_(m, k)) : 0 < e -> sq (X + Y) <= (1 + e) * sq X + (1 + e^-1) * sq Y.
Proof.
move=> e0; rewrite /sq !mulr_sumr -big_split; apply: ler_sum => i _ /=; rewrite !mulr_sumr -big_split.
apply: ler_sum => j _ /=; rewrite mxE !expr2 -subr_ge0 (weigh_abstract (F_ring F)) mulVf ?gt_eqF //.
by rewrite subrr mul0r addr0 -expr2 mulr_ge0 ?sqr_ge0 // invr_ge0 ltW.
Qed.

(* States of all words are bounded, *)
Lemma bounded r : shortens r -> exists M : F, 0 <= M /\ forall w h, sq (after N w h) <= M.
Proof.
case=> /andP[r0 r1] short; pose e := (1 - r) / 2%:R; have e0 : 0 < e by rewrite divr_gt0 ?ltr0n // subr_gt0.
have er : (1 + e) * r <= 1 - e.
  have half : e + e = 1 - r by rewrite /e -mulr2n -[_ *+ 2]mulr_natr mulfVK // pnatr_eq0.
  have -> : 1 - e = r + e by apply/eqP; rewrite subr_eq -addrA half addrCA subrr addr0.
  by rewrite mulrDl mul1r ler_add2l ger_pmulr // ltW.
pose C := (1 + e^-1) * \sum_a \sum_h sq (read (factors N a h) 0).
have i0 : 0 <= 1 + e^-1 by rewrite addr_ge0 ?ler01 // invr_ge0 ltW.
have C0 : 0 <= C by apply: mulr_ge0 => //; do 2!(apply: sumr_ge0 => ? _); apply: sq_ge0.
pose M := C / e + \sum_h sq (start N h).
have S0 : 0 <= \sum_h sq (start N h) by apply: sumr_ge0 => h _; apply: sq_ge0.
have M0 : 0 <= M by rewrite addr_ge0 // divr_ge0 // ltW.
exists M; split=> // w; elim/last_ind: w => [|w a IH] h.
  have -> : after N [::] h = start N h by [].
  apply: (@le_trans _ _ (\sum_h sq (start N h))); last by rewrite ler_addr divr_ge0 // ltW.
  by rewrite (bigD1 h) //= ler_addl sumr_ge0 // => i _; apply: sq_ge0.
have -> : after N (rcons w a) h = read (factors N a h) (after N w h).
  by rewrite /after /moved -cats1 by_head_cat read_cat /by_head /= cats0.
rewrite readE; apply: le_trans (sq_weigh _ _ e0) _.
have part : (1 + e^-1) * sq (read (factors N a h) 0) <= C.
  rewrite ler_wpmul2l // (bigD1 a) //= (bigD1 h) //= -addrA ler_addl addr_ge0 //.
    by apply: sumr_ge0 => i _; apply: sq_ge0.
  by apply: sumr_ge0 => b _; apply: sumr_ge0 => i _; apply: sq_ge0.
apply: le_trans (ler_add _ part) (_ : (1 - e) * M + C <= M).
  apply: (@le_trans _ _ ((1 + e) * (r * M))).
    rewrite ler_wpmul2l ?addr_ge0 ?ler01 ?(ltW e0) //; apply: le_trans (short _ _ _) _.
    by rewrite ler_wpmul2l.
  by rewrite mulrA ler_wpmul2r.
have -> : C = e * (C / e) by rewrite mulrC mulfVK // gt_eqF.
by rewrite mulrBl mul1r -addrA ger_addl addrC subr_le0 ler_pmul2l // /M ler_addl.
Qed.
Lemma shorter_words r u h (X : 'M[F]_(d, n)) : shortens r ->
  sq (X *m linear (by_head N u h)) <= r ^+ size u * sq X.
Proof.
case=> /andP[r0 _] short; elim: u X => [|a u IH] X; first by rewrite /by_head /= mulmx1 expr0 mul1r.
rewrite /by_head /= linear_cat mulmxA; apply: le_trans (IH _) _.
by rewrite exprSr -mulrA ler_wpmul2l ?exprn_ge0.
Qed.

(* AL.10: with a margin the last m letters tell the automaton's state. *)
Theorem AL10 g r : 0 < g -> right_by N next first g -> shortens r -> uniformly ->
  exists m, forall u z z', (m <= size u)%N -> run first (z ++ u) = run first (z' ++ u).
Proof.
move=> g0 right short uni; have [M [M0 bound]] := bounded short.
have e0 : 0 < g / 3%:R by rewrite divr_gt0 // ltr0n.
have [rho [rho0 near]] := uni M _ e0; have /andP[r0 r1] := short.1.
have [t0 vanish] := @powers_vanish F r (2%:R * (M + M)) rho (introT andP (conj r0 r1))
  (mulr_ge0 (ler0n _ 2) (addr_ge0 M0 M0)) rho0.
exists t0.+1 => u z z'; case/lastP: u => [//|v a]; rewrite size_rcons ltnS => le.
rewrite -!rcons_cat; set w := z ++ v; set w' := z' ++ v.
have close h : sq (after N (rcons w a) h - after N (rcons w' a) h) <= rho.
  have eE y : after N (rcons (y ++ v) a) h = read (by_head N (rcons v a) h) (after N y h).
    by rewrite rcons_cat /after /moved by_head_cat read_cat.
  rewrite !eE readB; apply: le_trans (shorter_words _ _ _ short) _.
  apply: le_trans (vanish _ (leqW le)); rewrite size_rcons ler_wpmul2l ?exprn_ge0 //.
  apply: le_trans (sq_add _ _) _; rewrite sqN ler_wpmul2l ?ler0n // ler_add //; exact: bound.
have dist := near a _ _ (bound _) (bound _) close.
have := right w a; have := right w' a; set p := run first (rcons w a); set q := run first (rcons w' a) => rq rp.
apply/eqP/negPn/negP=> ne; have np : q != p by rewrite eq_sym.
have := dist p; have := dist q; rewrite !ler_distl => /andP[q1 _] /andP[_ p1].
have le1 : logit N a (after N (rcons w a)) q <= logit N a (after N (rcons w' a)) p + g / 3%:R.
  by apply: le_trans p1; apply: le_trans (rp q np); rewrite ler_addl ltW.
have le2 : logit N a (after N (rcons w' a)) q <= logit N a (after N (rcons w a)) q + g / 3%:R.
  by rewrite -ler_subl_addr.
have := le_trans (le_trans (rq p ne) le2) (ler_add le1 (lexx _)).
by rewrite -addrA ler_add2l => /(third g0).
Qed.
End Definite.
