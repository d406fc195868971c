(* Norms.v: what a head's norm gives when its numbers lie in intervals, and answers that are decided on a box by halving it
   (AL.8 of theory/pages/all-lengths.md, without roundings).

   There are square roots here: fields are real closed, as the reals and the real algebraic numbers are. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

(* ---- one number ------------------------------------------------------------------------------- *)

Section One.
Variable F : rcfType.
Implicit Types x y c : F.

Definition share x c : F := x / Num.sqrt (x ^+ 2 + c).

Lemma root_gt0 x c : 0 < c -> 0 < Num.sqrt (x ^+ 2 + c).
Proof. by move=> c0; rewrite sqrtr_gt0 ltr_paddl ?sqr_ge0. Qed.
Lemma shareN x c : share (- x) c = - share x c.
Proof. by rewrite /share sqrrN mulNr. Qed.
Lemma share_ge0 x c : 0 < c -> (0 <= share x c) = (0 <= x).
Proof. by move=> c0; rewrite pmulr_lge0 // invr_gt0 root_gt0. Qed.
Lemma share_sq x c : 0 < c -> share x c ^+ 2 = x ^+ 2 / (x ^+ 2 + c).
Proof. by move=> c0; rewrite expr_div_n sqr_sqrtr // addr_ge0 ?sqr_ge0 // ltW. Qed.

(* It rises with x, *)
Lemma share_rises_pos x y c : 0 < c -> 0 <= x -> x <= y -> share x c <= share y c.
Proof.
move=> c0 x0 xy; have y0 := le_trans x0 xy.
rewrite -ler_sqr ?nnegrE ?share_ge0 // !share_sq // ler_pdivr_mulr ?ltr_paddl ?sqr_ge0 //.
rewrite mulrAC ler_pdivl_mulr ?ltr_paddl ?sqr_ge0 // !mulrDr [y ^+ 2 * x ^+ 2]mulrC ler_add2l ler_pmul2r //.
by rewrite ler_sqr ?nnegrE.
Qed.
Lemma share_rises x y c : 0 < c -> x <= y -> share x c <= share y c.
Proof.
move=> c0 xy; have [x0|x0] := leP 0 x; first exact: share_rises_pos.
have [y0|y0] := leP 0 y.
  by apply: (@le_trans _ _ 0); rewrite ?share_ge0 // -oppr_ge0 -shareN share_ge0 // oppr_ge0 ltW.
by rewrite -ler_opp2 -!shareN; apply: share_rises_pos; rewrite // ?oppr_ge0 ?ler_opp2 // ltW.
Qed.
(* and falls in size with c. *)
Lemma share_falls x c e : 0 < c -> c <= e -> 0 <= x -> share x e <= share x c.
Proof.
move=> c0 ce x0; rewrite ler_wpmul2l // lef_pinv ?posrE ?root_gt0 ?(lt_le_trans c0) //.
by rewrite ler_wsqrtr // ler_add2l.
Qed.
Lemma share_falls_neg x c e : 0 < c -> c <= e -> x <= 0 -> share x c <= share x e.
Proof. by move=> c0 ce x0; rewrite -ler_opp2 -!shareN share_falls ?oppr_ge0. Qed.

Lemma share_between l x u cl c cu : 0 < cl -> cl <= c -> c <= cu -> l <= x -> x <= u ->
  share l (if 0 < l then cu else cl) <= share x c <= share u (if 0 < u then cl else cu).
Proof.
move=> c0 lc cu' lx xu; have cp := lt_le_trans c0 lc; apply/andP; split.
  apply: le_trans (share_rises cp lx); case: ltP => [l0|l0]; first by rewrite share_falls // ltW.
  exact: share_falls_neg.
apply: le_trans (share_rises cp xu) _; case: ltP => [u0|u0]; first by rewrite share_falls // ltW.
exact: share_falls_neg.
Qed.
End One.

(* ---- AL.8 ------------------------------------------------------------------------------------- *)

Section Norm.
Variables (F : rcfType) (V : nat) (epsilon : F) (low high : 'I_V -> F).
Hypothesis epsilon0 : 0 < epsilon.
Implicit Types (o : 'I_V -> F) (v : 'I_V).

(* What the norm makes of number v of o, before its weights. *)
Definition normed o v : F := Num.sqrt V%:R * o v / Num.sqrt (\sum_u o u ^+ 2 + V%:R * epsilon).
(* The least and the largest |o_v| of the interval. *)
Definition least v : F := if 0 < low v then low v else if high v < 0 then - high v else 0.
Definition most v : F := Num.max `|low v| `|high v|.
Definition others (size : 'I_V -> F) v : F := \sum_(u | u != v) size u ^+ 2 + V%:R * epsilon.
Definition lowest v : F := Num.sqrt V%:R * share (low v) (others (if 0 < low v then most else least) v).
Definition highest v : F := Num.sqrt V%:R * share (high v) (others (if 0 < high v then least else most) v).

Lemma least_le o v : low v <= o v <= high v -> 0 <= least v <= `|o v|.
Proof.
case/andP=> lo hi; rewrite /least; case: ltP => [l0|_]; first by rewrite ltW //= (le_trans lo) ?ler_norm.
case: ltP => [h0|_]; last by rewrite lexx normr_ge0.
by rewrite oppr_ge0 ltW //= -normrN (le_trans _ (ler_norm _)) // ler_opp2.
Qed.
Lemma le_most o v : low v <= o v <= high v -> `|o v| <= most v.
Proof.
case/andP=> lo hi; rewrite /most le_maxr; have [o0|o0] := leP 0 (o v).
  by apply/orP; right; rewrite ger0_norm // (le_trans hi) ?ler_norm.
by apply/orP; left; rewrite ltr0_norm // -[`|low v|]normrN (le_trans _ (ler_norm _)) // ler_opp2.
Qed.
Theorem AL8_interval o v : (forall u, low u <= o u <= high u) -> lowest v <= normed o v <= highest v.
Proof.
move=> box; have V0 : 0 < V%:R :> F by rewrite ltr0n; case: (V) v => [[]|].
have e0 : 0 < V%:R * epsilon by rewrite mulr_gt0.
have -> : normed o v = Num.sqrt V%:R * share (o v) (others o v).
  by rewrite /normed /share /others (bigD1 v) //= -addrA mulrA.
have sums (f g : 'I_V -> F) : (forall u, 0 <= f u <= `|g u|) -> others f v <= others g v.
  move=> fg; rewrite ler_add2r ler_sum // => u _; have /andP[f0 le] := fg u.
  by rewrite -[g u ^+ 2]real_normK ?num_real // ler_sqr ?nnegrE.
have lc : others least v <= others o v by apply: sums => u; apply: least_le.
have cm : others o v <= others most v.
  rewrite ler_add2r ler_sum // => u _; rewrite -[o u ^+ 2]real_normK ?num_real //.
  by rewrite ler_sqr ?nnegrE ?normr_ge0 //; [apply: le_most | rewrite /most le_maxr normr_ge0].
have c0 : 0 < others least v by rewrite ltr_paddl // sumr_ge0 // => u _; apply: sqr_ge0.
have /andP[lo hi] := box v; have /andP[] := share_between c0 lc cm lo hi.
rewrite /lowest /highest; have s0 : 0 <= Num.sqrt V%:R :> F := sqrtr_ge0 _.
move=> a b; apply/andP; split; rewrite ler_wpmul2l //.
  by apply: le_trans a; case: ifP.
by apply: le_trans b _; case: ifP.
Qed.
End Norm.

(* A box is decided if what is claimed holds in the ball around its middle, in each of some groups of numbers (the heads)
   with the root of the sum of the squares of half its widths, or if both halves in some number are. *)
Section Halves.
Variables (F : realFieldType) (I heads : finType) (head : I -> heads) (P : (I -> F) -> Prop).
Implicit Types (low high n : I -> F).

Definition change low (i : I) (x : F) : I -> F := fun j => if j == i then x else low j.
Definition middle low high i : F := (low i + high i) / 2%:R.
Inductive decided low high : Prop :=
| Ball : (forall n, (forall h, \sum_(i | head i == h) (n i - middle low high i) ^+ 2
      <= \sum_(i | head i == h) ((high i - low i) / 2%:R) ^+ 2) -> P n) -> decided low high
| Halves i x : decided low (change high i x) -> decided (change low i x) high -> decided low high.

Theorem AL8_halves low high n : decided low high -> (forall i, low i <= n i <= high i) -> P n.
Proof.
move=> dec; elim: dec n => {low high} [low high ball n box|low high i x _ lo _ hi n box].
  apply: ball => h; apply: ler_sum => i _; have /andP[l u] := box i.
  rewrite -[(n i - _) ^+ 2]real_normK ?num_real // ler_sqr ?nnegrE ?normr_ge0 //; last first.
    by rewrite divr_ge0 ?ler0n // subr_ge0 (le_trans l).
  have two : (2%:R : F) != 0 by rewrite pnatr_eq0.
  have half (x : F) : (x + x) / 2%:R = x by rewrite -mulr2n -[x *+ 2]mulr_natr mulfK.
  rewrite /middle ler_distl -mulrBl -mulrDl opprB addrACA subrr addr0 half l /=.
  by rewrite [low i + _]addrC addrACA subrr addr0 half.
have [le|gt] := leP (n i) x; [apply: lo | apply: hi] => j; rewrite /change; case: eqP => [->|_] //.
  by have /andP[-> _] := box i.
by have /andP[_ ->] := box i; rewrite ltW.
Qed.
End Halves.
