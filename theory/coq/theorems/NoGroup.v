(* NoGroup.v: networks of one layer of the delta rule with betas and keys as a sigmoid and a norm give them. With one
   margin above 0 they track aperiodic automata only (AL.3 of theory/pages/all-lengths.md), and a limit with an answer
   says from where on words are wrong (AL.5).

   The read-out is any function of the last letter and of the states of all heads that is continuous. Words are z u^t v with
   v not empty; the page's z u^t w is v = w, or v = u and one u less where w is empty. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Shrink Settle.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

(* ---- statement -------------------------------------------------------------------------------- *)

Section Network.
Variables (F : realFieldType) (n d : nat) (letter : Type) (heads Q : finType).
Definition state := heads -> 'M[F]_(d, n).
Record network : Type := Network {
  factors : letter -> heads -> seq (factor F n d);
  start : state;
  logit : letter -> state -> Q -> F  (* the last letter, the states after it, and a state of the automaton *)
}.
Variable N : network.
Definition sound_network : Prop := forall a h, all (@sound F n d) (factors N a h).
Definition continuous : Prop := forall a (S : state) (e : F), 0 < e -> exists r : F, 0 < r /\
  forall T : state, (forall h, sq (T h - S h) <= r) -> forall p, `|logit N a T p - logit N a S p| <= e.
Definition by_head (w : seq letter) h := flatten [seq factors N a h | a <- w].
Definition moved (w : seq letter) (S : state) : state := fun h => read (by_head w h) (S h).
Definition after (w : seq letter) : state := moved w (start N).
(* No logit is larger than that of p; all others are smaller; they are smaller by g. *)
Definition answers a (S : state) p : Prop := forall r, logit N a S r <= logit N a S p.
Definition answers_only a (S : state) p : Prop := forall r, r != p -> logit N a S r < logit N a S p.
Definition answers_by (g : F) a (S : state) p : Prop := forall r, r != p -> logit N a S r + g <= logit N a S p.

(* An automaton, and the words z u^t v. *)
Variables (next : Q -> letter -> Q) (first : Q).
Definition run p w := foldl next p w.
Definition right_by (g : F) : Prop := forall w a, answers_by g a (after (rcons w a)) (run first (rcons w a)).
Definition word (z u : seq letter) t v := z ++ flatten (nseq t u) ++ v.
(* The limit of the states after z u^t. *)
Definition settles z u (L : state) : Prop := forall h, limit (by_head u h) (after z h) (L h).
End Network.

(* ---- words ------------------------------------------------------------------------------------ *)

Section Words.
Variables (F : realFieldType) (n d : nat) (letter : Type) (heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Hypothesis sN : sound_network N.
Notation run p w := (run next p w).
Implicit Types (z u v w : seq letter) (S L : state F n d heads).

Lemma by_head_cat v w h : by_head N (v ++ w) h = by_head N v h ++ by_head N w h.
Proof. by rewrite /by_head map_cat flatten_cat. Qed.
Lemma by_head_repeat t u h : by_head N (flatten (nseq t u)) h = flatten (nseq t (by_head N u h)).
Proof. by elim: t => //= t IH; rewrite by_head_cat IH. Qed.
Lemma by_head_sound w h : all (@sound F n d) (by_head N w h).
Proof. by elim: w => //= a w IH; rewrite /by_head /= all_cat sN. Qed.
Lemma after_word z u t v h :
  after N (word z u t v) h = read (by_head N v h) (iter t (read (by_head N u h)) (after N z h)).
Proof. by rewrite /after /moved /word !by_head_cat !read_cat by_head_repeat read_repeat. Qed.

Lemma run_cat p v w : run p (v ++ w) = run (run p v) w. Proof. exact: foldl_cat. Qed.
Lemma run_repeat p t u : run p (flatten (nseq t u)) = iter t (fun q => run q u) p.
Proof. by elim: t p => //= t IH p; rewrite run_cat IH -iterSr. Qed.
Lemma run_word z u t v : run first (word z u t v) = run (iter t (fun q => run q u) (run first z)) v.
Proof. by rewrite /word !run_cat run_repeat. Qed.

Lemma AL3_limit z u : exists L, settles N z u L.
Proof.
have each h : exists T, limit (by_head N u h) (after N z h) T by apply: AL2_limit; apply: by_head_sound.
by have [L lim] := fin_all_exists each; exists L.
Qed.

(* ---- AL.5: from where on, over every ordered field ------------------------------------------- *)

(* q h is what reads head h, and R h bounds the square of the norm of the state's distance from the limit after z u^s. *)
Theorem AL5_answer z u v a L (q : heads -> 'cV[F]_n) (R : heads -> F) s j :
  settles N z u L -> (forall h, 0 <= R h) ->
  (forall h, bounds (R h) (iter s (read (by_head N u h)) (after N z h) - L h)) ->
  (forall S, (forall h, sq (S h *m q h - moved N v L h *m q h) <= R h * sq (q h)) -> answers_only N a S j) ->
  forall t, (s <= t)%N -> answers_only N a (after N (word z u t v)) j.
Proof.
move=> lim R0 bR ball t st; apply: ball => h; have [fL _] := limit_fixed (lim h).
by rewrite after_word; apply: AL5_ball => //; apply: by_head_sound.
Qed.

Lemma only_wrong a S j p : answers_only N a S j -> p != j -> ~ answers N a S p.
Proof. by move=> only ne /(_ j); rewrite leNgt only. Qed.
(* Of m of these words in a row, W lead to other states than j, if z u^s leads to a cycle of m states; one of the first
   m - W + 1 does. By only_wrong all these words are wrong. *)
Theorem AL5_wrong z u v s m j : run first (word z u (s + m) [::]) = run first (word z u s [::]) ->
  let wrong t := run first (word z u t v) != j in let W := count wrong (iota s m) in
  (forall t, (s <= t)%N -> count wrong (iota t m) = W) /\
  ((0 < W)%N -> exists t, [/\ (s <= t)%N, wrong t &
    (size (word z u t v) <= size z + (s + m - W) * size u + size v)%N]).
Proof.
move=> back wrong W; set p := run first z; set f := fun q => run q u.
have e : iter (s + m) f p = iter s f p by move: back; rewrite !run_word.
have period t : (s <= t)%N -> wrong (t + m)%N = wrong t.
  by move=> st; rewrite /wrong !run_word -/p -/f -[in (t + m)%N](subnK st) -addnA iterD e -iterD subnK.
split=> [t st|W0].
  rewrite -(subnK st); elim: (t - s)%N => [//|k IH]; rewrite addSn.
  have := congr1 (count wrong) (iotaD (k + s) m 1); rewrite addn1 count_cat /= period ?leq_addl //.
  by rewrite IH addn0 [LHS]addnC => /addIn.
have Wm : (W <= m)%N by rewrite -[X in (_ <= X)%N](size_iota s m) count_size.
have sum : ((m - W).+1 + W.-1 = m)%N by rewrite addSnnS prednK // subnK.
have : has wrong (iota s (m - W).+1).
  rewrite has_count lt0n; apply/negP=> /eqP none.
  have := count_size wrong (iota (s + (m - W).+1) W.-1); rewrite size_iota leqNgt => /negP; apply.
  have : W = (count wrong (iota s (m - W).+1) + count wrong (iota (s + (m - W).+1) W.-1))%N.
    by rewrite -count_cat -iotaD sum.
  by rewrite none add0n => <-; rewrite ltn_predL.
case/hasP=> t; rewrite mem_iota => /andP[st lt] bad; exists t; split=> //.
rewrite /word !size_cat size_flatten /shape map_nseq sumn_nseq addnA leq_add2r leq_add2l.
rewrite [(size u * t)%N]mulnC leq_mul2r; apply/orP; right.
by move: lt; rewrite addnS ltnS addnBA.
Qed.
End Words.

(* ---- AL.3: limits, over archimedean fields --------------------------------------------------- *)

Section Groups.
Variables (F : archiFieldType) (n d : nat) (letter : Type) (heads Q : finType).
Variables (N : network F n d letter heads Q) (next : Q -> letter -> Q) (first : Q).
Hypotheses (sN : sound_network N) (cN : continuous N).
Notation run p w := (run next p w).
Notation "p ^^ ( t , u )" := (iter t (fun q => run q u) p) (at level 30).
Implicit Types (z u v w : seq letter) (L : state F n d heads).

(* What holds of each of finitely many from somewhere on holds of all from somewhere on. *)
Lemma uniform (I : finType) (P : I -> nat -> Prop) :
  (forall i, exists t0, forall t, (t0 <= t)%N -> P i t) -> exists t0, forall t, (t0 <= t)%N -> forall i, P i t.
Proof.
move=> each; suff [t0 h] : exists t0, forall t, (t0 <= t)%N -> forall i, i \in enum I -> P i t.
  by exists t0 => t le i; apply: h le _ _; rewrite mem_enum.
elim: (enum I) => [|i s [t0 h]]; first by exists 0%N.
have [t1 h1] := each i; exists (maxn t0 t1) => t; rewrite geq_max => /andP[le le1] k.
by rewrite inE => /orP[/eqP ->|]; [apply: h1 | apply: h].
Qed.

(* The logits after z u^t v converge. *)
Theorem AL3_converges z u v a L (e : F) : settles N z u L -> 0 < e -> exists t0, forall t, (t0 <= t)%N ->
  forall p, `|logit N a (after N (word z u t v)) p - logit N a (moved N v L) p| <= e.
Proof.
move=> lim e0; have [r [r0 near]] := cN a (moved N v L) e0.
have [|t0 h] := @uniform heads (fun h t => sq (after N (word z u t v) h - moved N v L h) <= r).
  move=> h; have [t0 le] := AL2_converges (by_head_sound sN u h) (lim h) r0; exists t0 => t /le.
  by apply: le_trans; rewrite after_word readB shorter // by_head_sound.
by exists t0 => t /h; apply: near.
Qed.

Lemma third (g : F) : 0 < g -> ~ g <= g / 3%:R + g / 3%:R.
Proof.
move=> g0; rewrite -mulrDl ler_pdivl_mulr ?ltr0n // -[g + g]mulr2n -[g *+ 2]mulr_natr ler_pmul2l //.
by rewrite ler_nat.
Qed.

(* A state that does not have the largest logit at the limit is not answered from somewhere on: all words z u^t v that
   lead to it are wrong. *)
Theorem AL3_wrong z u v a L p r : settles N z u L ->
  logit N a (moved N v L) p < logit N a (moved N v L) r ->
  exists t0, forall t, (t0 <= t)%N -> ~ answers N a (after N (word z u t v)) p.
Proof.
rewrite -subr_gt0 => lim; set g := _ - _ => g0; have e0 : 0 < g / 3%:R by rewrite divr_gt0 // ltr0n.
have [t0 h] := AL3_converges v a lim e0; exists t0 => t /h near /(_ r).
have := near p; have := near r; rewrite !ler_distl => /andP[lr _] /andP[_ lp] le.
have := le_trans lr (le_trans le lp); rewrite ler_subl_addr -addrA -ler_subl_addl -/g.
exact: third.
Qed.

Lemma back p u m k : p ^^ (m, u) = p -> p ^^ (k * m, u) = p.
Proof. by move=> e; elim: k => // k IH; rewrite mulSn iterD IH. Qed.

(* AL.3: where p = p u^m, m > 0, is the state after z, and the network is right after z u^t v from some t on, the states
   p u^i v all have the largest logit at the limit. *)
Theorem AL3_ties z u v a L m t0 : settles N z u L -> (0 < m)%N -> run first z ^^ (m, u) = run first z ->
  (forall t, (t0 <= t)%N -> answers N a (after N (word z u t v)) (run first (word z u t v))) ->
  forall i, answers N a (moved N v L) (run (run first z ^^ (i, u)) v).
Proof.
move=> lim m0 pm right i r; rewrite leNgt; apply/negP=> /(AL3_wrong lim)[t1 wrong].
pose t := (i + (t0 + t1) * m)%N; have le k : (k <= t0 + t1)%N -> (k <= t)%N.
  by move=> h; rewrite /t (leq_trans _ (leq_addl _ _)) // (leq_trans h) // leq_pmulr.
apply: (wrong t); first by rewrite le // leq_addl.
by have := right t (le t0 (leq_addr _ _)); rewrite run_word /t iterD back.
Qed.

(* With a margin a word cannot lead around a cycle, *)
Lemma margin_cycle g z u m : 0 < g -> right_by N next first g -> (0 < m)%N ->
  run first z ^^ (m, u) = run first z -> run (run first z) u = run first z.
Proof.
move=> g0 right m0 pm; set p := run first z; case/lastP E: u => [//|v a]; rewrite -E.
have [L lim] := AL3_limit sN z u; have e0 : 0 < g / 3%:R by rewrite divr_gt0 // ltr0n.
have wE t : word z u t u = rcons (z ++ flatten (nseq t u) ++ v) a by rewrite /word {2}E !rcons_cat.
have rt t : answers_by N g a (after N (word z u t u)) (run first (word z u t u)) by rewrite wE; apply: right.
have weak t : answers N a (after N (word z u t u)) (run first (word z u t u)).
  move=> r; have [->//|/rt] := eqVneq r (run first (word z u t u)); apply: le_trans.
  by rewrite ler_addl ltW.
have ties := @AL3_ties z u u a L m 0%N lim m0 pm (fun t _ => weak t).
have same : run (run p u) u = run p u.
  apply/eqP/negPn/negP=> ne; have [t0 h] := AL3_converges u a lim e0.
  have := rt (t0 * m)%N; rewrite run_word back // => /(_ _ ne).
  have near := h (t0 * m)%N (leq_pmulr t0 m0); have := near (run (run p u) u); have := near (run p u).
  rewrite !ler_distl => /andP[_ lp] /andP[lq _] le; have le' := ties 1%N (run p u).
  have := le_trans (le_trans (ler_add lq (lexx g)) le) (le_trans lp (ler_add le' (lexx _))).
  by rewrite -addrA ler_add2l addrC ler_subl_addr => /(third g0).
have stay k : p ^^ (k.+1, u) = run p u by elim: k => //= k ->.
by rewrite -[RHS]pm -(prednK m0) stay.
Qed.
(* and so the automaton is aperiodic. *)
Theorem AL3_aperiodic g z u : 0 < g -> right_by N next first g ->
  run first (word z u #|Q|.+1 [::]) = run first (word z u #|Q| [::]).
Proof.
move=> g0 right; pose p := run first z; pose f := fun q => run q u; rewrite !run_word.
change (iter #|Q|.+1 f p = iter #|Q| f p).
have /loopingP/(_ (order f p))/trajectP[i lt e] := looping_order f p.
have fix_i : f (iter i f p) = iter i f p.
  have zi : run first (z ++ flatten (nseq i u)) = iter i f p by rewrite run_cat run_repeat.
  have := @margin_cycle g (z ++ flatten (nseq i u)) u (order f p - i) g0 right; rewrite zi; apply; first by rewrite subn_gt0.
  by rewrite -iterD subnK // ltnW.
have stay k : iter (k + i) f p = iter i f p by elim: k => // k IH; rewrite addSn iterS IH.
have le : (i <= #|Q|)%N by rewrite ltnW // (leq_trans lt) // max_card.
by rewrite iterS; have -> : iter #|Q| f p = iter i f p by rewrite -(subnK le) stay.
Qed.
End Groups.
