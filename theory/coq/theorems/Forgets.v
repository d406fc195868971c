(* Forgets.v: networks of one layer of the delta rule whose keys are independent, or that have no values, remember the last
   letter and nothing else (AL.4 of theory/pages/all-lengths.md); a word whose keys are independent leaves no trace of where
   it was cut off, so that it cannot set and clear a bit (AL.11). *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink Settle NoGroup.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

(* ---- a state that factors fix ----------------------------------------------------------------- *)

Section Point.
Variables (F : realFieldType) (n d : nat).
Implicit Types (f : factor F n d) (fs : seq (factor F n d)) (S c : 'M[F]_(d, n)).

Definition consistent fs : Prop := exists c, forall f, List.In f fs -> turn c f = c.
(* The keys that are not 0 are linearly independent. *)
Definition active fs := [seq f <- fs | key f != 0].
Definition keys fs : 'M[F]_(size fs, n) := \matrix_(i < size fs) key (nth (Factor 0 0 0) fs i).
Definition independent fs : bool := row_free (keys (active fs)).

Lemma turn_solved c f : c *m (key f)^T = (value f)^T -> turn c f = c.
Proof. by move=> e; rewrite /turn e subrr mul0mx scaler0 subr0. Qed.
Lemma turn_key0 c f : key f = 0 -> turn c f = c.
Proof. by move=> e; rewrite /turn e mulmx0 scaler0 subr0. Qed.

Lemma no_values fs : (forall f, List.In f fs -> value f = 0) -> consistent fs.
Proof. by move=> v0; exists 0 => f /v0 e; apply: turn_solved; rewrite e mul0mx trmx0. Qed.
Lemma independent_consistent fs : independent fs -> consistent fs.
Proof.
rewrite /independent; set gs := active fs; set K := keys gs => free; pose f0 : factor F n d := Factor 0 0 0.
pose V : 'M[F]_(d, size gs) := \matrix_(i, j) value (nth f0 gs j) 0 i.
have full : (V <= K^T)%MS by apply: submx_full; rewrite /row_full mxrank_tr.
exists (V *m pinvmx K^T) => f; have := mulmxKpV full; set c := V *m _ => e fin.
have [k0|ne] := eqVneq (key f) 0; first exact: turn_key0.
have [i lt fE] : exists2 i, (i < size gs)%N & nth f0 gs i = f.
  rewrite /gs /active; elim: (fs) fin => //= g r IH [->|/IH[i lt fi]]; first by rewrite ne; exists 0%N.
  by case: (key g != 0); [exists i.+1 | exists i].
apply: turn_solved; apply/matrixP=> x y; rewrite ord1 [RHS]mxE -fE.
transitivity ((c *m K^T) x (Ordinal lt)); last by rewrite e mxE.
by rewrite !mxE; apply: eq_bigr => j _; rewrite !mxE.
Qed.

(* There is one that differs from S within the span of the keys only. *)
Lemma nearby fs S : consistent fs -> exists c, (forall f, List.In f fs -> turn c f = c) /\ (S - c <= span fs)%MS.
Proof.
case=> c fc; exists (S - S *m proj fs + c *m proj fs); split=> [f fin|].
  have o := proj_orthogonal (u := fs); set c' := _ + _.
  have same : c' *m (key f)^T = c *m (key f)^T.
    rewrite mulmxDl (o _ S f fin) add0r; apply/eqP; rewrite -subr_eq0 -mulmxBl -opprB mulNmx oppr_eq0.
    by apply/eqP/o.
  have /eqP := fc f fin; rewrite /turn same -subr_eq0 addrAC subrr add0r oppr_eq0 => /eqP ->.
  by rewrite subr0.
by rewrite opprD opprB addrA addrCA subrr addr0 -mulmxBl proj_span.
Qed.
Lemma read_fixed fs c : (forall f, List.In f fs -> turn c f = c) -> read fs c = c.
Proof. by elim: fs => //= f r IH fc; rewrite fc ?IH //; [move=> g gr; apply: fc; right | left]. Qed.
End Point.

(* ---- networks --------------------------------------------------------------------------------- *)

Section Forgets.
Variables (F : archiFieldType) (n d : nat) (letter : Type) (heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Hypotheses (sN : sound_network N) (cN : continuous N).
Notation run p w := (run next p w).
Implicit Types (z u v w x : seq letter) (c L S T : state F n d heads).

Lemma logit_ext a S T : (forall h, S h = T h) -> logit N a S =1 logit N a T.
Proof.
move=> e p; apply/eqP; rewrite -subr_eq0 -normr_le0 leNgt; apply/negP=> pos.
have half : 0 < `|logit N a S p - logit N a T p| / 2%:R by rewrite divr_gt0 ?ltr0n.
have [r [r0 near]] := cN a T half; have := near S; have z h : sq (S h - T h) <= r by rewrite e subrr sq0 ltW.
by move/(_ z p); rewrite ler_pdivl_mulr ?ltr0n // ger_pmulr // -[X in _ <= X]/(1%:R) ler_nat.
Qed.
Lemma in_by_head u h f : List.In f (by_head N u h) <-> exists a, List.In a u /\ List.In f (factors N a h).
Proof.
elim: u => [|b u IH] /=; first by split=> [|[a []]].
rewrite /by_head /= List.in_app_iff; split=> [[fb|/IH[a [au fa]]]|[a [[->|au] fa]]].
- by exists b; split=> //; left.
- by exists a; split=> //; right.
- by left.
by right; apply/IH; exists a.
Qed.
Definition within x u : Prop := forall a, List.In a x -> List.In a u.
Lemma within_head x u h f : within x u -> List.In f (by_head N x h) -> List.In f (by_head N u h).
Proof. by move=> sub /in_by_head[a [ax fa]]; apply/in_by_head; exists a; split=> //; apply: sub. Qed.

(* The states after z u^t tend to one that all letters of u fix; if u has all letters, to one for all z. *)
Lemma fixed_limit z u : (forall h, consistent (by_head N u h)) ->
  exists c, settles N z u c /\ forall x h, within x u -> moved N x c h = c h.
Proof.
move=> con; have each h := nearby (after N z h) (con h).
have [c fc] := fin_all_exists each; exists c; split=> [h|x h sub].
  by have [fix_ near] := fc h; apply: limitP => //; apply: read_fixed.
by apply: read_fixed => f fx; have [fix_ _] := fc h; apply: fix_; apply: within_head sub fx.
Qed.
Theorem AL4_limit u : (forall h, consistent (by_head N u h)) -> (forall a, List.In a u) ->
  exists c, (forall z, settles N z u c) /\ forall x h, moved N x c h = c h.
Proof.
move=> con full; have [c [lim fc]] := fixed_limit [::] con; exists c; split=> [z h|x h]; last exact: fc.
have fixes w : read (by_head N w h) (c h) = c h by apply: fc.
apply: limitP; first exact: fixes.
have [_ near] := limit_fixed (lim h); rewrite -{1}(fixes z) readB -[_ *m _](subrK (start N h - c h)).
apply: addmx_sub; last exact: near.
apply: submx_trans (linear_moves _ _) _; apply: span_sub => f fz; apply: key_span.
exact: within_head fz.
Qed.

(* Where limits have the same logits, a margin allows one state of the automaton. *)
Lemma from_on g z u v t : 0 < g -> right_by N next first g -> (#|Q| <= t)%N ->
  run first (word z u t v) = run first (word z u #|Q| v).
Proof.
move=> g0 right; have := AL3_aperiodic sN cN z u g0 right; rewrite !run_word => e /subnK <-.
by congr (run _ _); elim: (t - #|Q|)%N => // k IH; rewrite addSn iterS IH; exact: e.
Qed.
Lemma one_state g z u v z' u' v' a L L' : 0 < g -> right_by N next first g -> settles N z u L -> settles N z' u' L' ->
  logit N a (moved N (rcons v a) L) =1 logit N a (moved N (rcons v' a) L') ->
  run first (word z u #|Q| (rcons v a)) = run first (word z' u' #|Q| (rcons v' a)).
Proof.
move=> g0 right lim lim' same; have e0 : 0 < g / 3%:R by rewrite divr_gt0 // ltr0n.
have [t0 near] := AL3_converges sN cN (rcons v a) a lim e0.
have [t1 near'] := AL3_converges sN cN (rcons v' a) a lim' e0.
pose t := (maxn (maxn t0 t1) #|Q|)%N; have tQ : (#|Q| <= t)%N by rewrite leq_maxr.
have le0 : (t0 <= t)%N by rewrite /t !leq_max leqnn.
have le1 : (t1 <= t)%N by rewrite /t !leq_max leqnn orbT.
rewrite -!(from_on _ _ _ g0 right tQ).
have wE y x w : word y x t (rcons w a) = rcons (y ++ flatten (nseq t x) ++ w) a by rewrite /word !rcons_cat.
have := right (z ++ flatten (nseq t u) ++ v) a; have := right (z' ++ flatten (nseq t u') ++ v') a; rewrite -!wE.
move: (run _ _) (run _ _) => q p rq rp; apply/eqP/negPn/negP=> ne.
have far S (l : Q -> F) b b' : b' != b -> answers_by N g a S b ->
    (forall r, `|logit N a S r - l r| <= g / 3%:R) -> l b' < l b.
  move=> neb right_b nb; have := nb b; have := nb b'; rewrite !ler_distl => /andP[lo _] /andP[_ hi].
  rewrite ltNge; apply/negP=> le; apply: (third g0).
  have := le_trans (le_trans (ler_add lo (lexx g)) (right_b b' neb)) (le_trans hi (ler_add le (lexx _))).
  by rewrite -addrA ler_add2l addrC ler_subl_addr.
have nqp : p != q by rewrite eq_sym.
have := far _ _ _ _ nqp rp (near t le0); rewrite !same => lt.
by have := lt_trans lt (far _ _ _ _ ne rq (near' t le1)); rewrite ltxx.
Qed.

(* AL.4: if u has all letters, the state after z u^n v, n the number of states, depends on the last letter of v alone. *)
Theorem AL4 g u z z' v v' a : 0 < g -> right_by N next first g -> (forall h, consistent (by_head N u h)) ->
  (forall b, List.In b u) ->
  run first (word z u #|Q| (rcons v a)) = run first (word z' u #|Q| (rcons v' a)).
Proof.
move=> g0 right con full; have [c [lim fc]] := AL4_limit con full.
by apply: (one_state g0 right (lim z) (lim z')); apply: logit_ext => h; rewrite !fc.
Qed.
(* AL.11: letters of u after z u^n are forgotten. With u = s r and x = s no bit is set by s, cleared by r, and kept by v. *)
Theorem AL11 g z u x v a : 0 < g -> right_by N next first g -> (forall h, consistent (by_head N u h)) -> within x u ->
  run first (word z u #|Q| (x ++ rcons v a)) = run first (word z u #|Q| (rcons v a)).
Proof.
move=> g0 right con sub; have [c [lim fc]] := fixed_limit z con; rewrite -rcons_cat.
apply: (one_state g0 right lim lim); apply: logit_ext => h.
by rewrite /moved rcons_cat by_head_cat read_cat -/(moved N x c h) fc.
Qed.
End Forgets.
