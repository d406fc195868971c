(* Exact.v: the integer matrices of Check.v are the matrices of Model.v (C2 of theory/pages/closure.md). *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Spelling Model Numbers Check.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope. Delimit Scope Z_scope with cZ.

(* ---- lists --------------------------------------------------------------- *)
Lemma mapo_ok A B (f : A -> option B) l r : mapo f l = Some r ->
  size r = size l /\ forall x0 y0 i, (i < size l)%N -> f (nth x0 l i) = Some (nth y0 r i).
Proof.
elim: l r => [|x l IH] r /=; first by case=> <-.
case e: (f x) => [y|//]; case e': (mapo f l) => [s|//] [<-].
have [sz IHn] := IH _ e'; split=> [|x0 y0 [|i]] //=; first by rewrite sz.
by rewrite ltnS => /IHn.
Qed.
Lemma size_map2 A B C (f : A -> B -> C) l m : size l = size m -> size (map2 f l m) = size l.
Proof. by elim: l m => [|x l IH] [|y m] //= [/IH ->]. Qed.
Lemma nth_map2 A B C (f : A -> B -> C) x0 y0 z0 l m i : size l = size m -> (i < size l)%N ->
  nth z0 (map2 f l m) i = f (nth x0 l i) (nth y0 m i).
Proof. by elim: l m i => [|x l IH] [|y m] [|i] //= [e]; rewrite ltnS; apply: IH. Qed.
Lemma all2P A B (f : A -> B -> bool) x0 y0 l m :
  reflect (size l = size m /\ forall i, (i < size l)%N -> f (nth x0 l i) (nth y0 m i)) (all2 f l m).
Proof.
apply: (iffP idP).
  elim: l m => [|x l IH] [|y m] //= /andP[fxy /IH[-> H]]; split=> // -[|i] //; exact: H.
elim: l m => [|x l IH] [|y m] //= [] // [e] H; rewrite (H 0%N) // IH //.
by split=> // i lt; apply: (H i.+1).
Qed.

Arguments Z.mul : simpl never. Arguments Z.sub : simpl never. Arguments Z.add : simpl never.
Section Exact.
Variable F : realFieldType.
Notation Zf := (@Zf F). Notation Qf := (@Qf F).

Lemma scale_ok e q z : scale e q = Some z -> Zf e != 0 -> Qf q = Zf z / Zf e.
Proof.
rewrite /scale; case: ifP => // /Z.eqb_eq h [<-] e0; apply/eqP.
by rewrite Qf_def cross ?den_neq0 //; apply/Z.eqb_eq; rewrite h.
Qed.

Lemma dot_ok u s : size u = size s -> Zf (dot u s) = \sum_(i < size u) Zf (nth Z0 u i) * Zf (nth Z0 s i).
Proof.
elim: u s => [|x u IH] [|y s] //=; first by rewrite big_ord0.
by case=> e; rewrite big_ord_recl Zf_add Zf_mul IH.
Qed.

(* ---- matrices ------------------------------------------------------------ *)
Definition at_ (M : dmat) (i j : nat) : Z := nth Z0 (nth [::] (columns M) j) i.
Definition meaning n d (M : dmat) : 'M[F]_(n, d) := \matrix_(i, j) (Zf (at_ M i j) / Zf (den M)).
Definition shaped n d (M : dmat) : bool :=
  [&& ~~ Z.eqb (den M) 0, size (columns M) == d & all (fun c => size c == n) (columns M)].

Lemma shaped_den n d M : shaped n d M -> Zf (den M) != 0.
Proof. by case/and3P=> h _ _; rewrite Zf_eq0. Qed.
Lemma shaped_size n d M : shaped n d M -> size (columns M) = d.
Proof. by case/and3P=> _ /eqP. Qed.
Lemma shaped_col n d M j : shaped n d M -> (j < d)%N -> size (nth [::] (columns M) j) = n.
Proof. by case/and3P=> _ /eqP <- /(all_nthP [::]) h lt; apply/eqP/h. Qed.

Lemma dense_mat_ok n d m M : dense_mat n d m = Some M -> shaped n d M /\ meaning n d M = matrix_of F n d m.
Proof.
rewrite /dense_mat; set e := common _; case e0: (Z.eqb e 0) => //.
case h: (mapo _ _) => [c|//] [<-]; have [sz H] := mapo_ok h; rewrite size_iota in sz H.
have colH j : (j < d)%N -> mapo (fun i => scale e (entry2 m i j)) (iota 0 n) = Some (nth [::] c j).
  by move=> lt; rewrite -(H 0%N [::] _ lt) nth_iota.
split.
  rewrite /shaped /= e0 sz eqxx /=; apply/(all_nthP [::]) => j; rewrite sz => /colH/mapo_ok[-> _].
  by rewrite size_iota.
apply/matrixP=> i j; rewrite !mxE /at_ /=.
have [_ /(_ 0%N Z0 i)] := mapo_ok (colH j (ltn_ord j)).
rewrite size_iota nth_iota // => /(_ (ltn_ord i)) /scale_ok -> //.
exact: Zf_neq0.
Qed.

Lemma equalP n d M N : shaped n d M -> shaped n d N ->
  equal M N = (meaning n d M == meaning n d N).
Proof.
move=> gM gN; have M0 := shaped_den gM; have N0 := shaped_den gN.
apply/(all2P _ [::] [::])/eqP => [[_ H]|e].
  apply/matrixP=> i j; rewrite !mxE; apply/eqP; rewrite cross //.
  have lt: (j < size (columns M))%N by rewrite (shaped_size gM).
  have /(all2P _ Z0 Z0)[_ /(_ i)] := H j lt.
  by rewrite (shaped_col gM) // => ->.
rewrite (shaped_size gM) (shaped_size gN); split=> // j lt.
apply/(all2P _ Z0 Z0); rewrite (shaped_col gM lt) (shaped_col gN lt); split=> // i lti.
move/matrixP: e => /(_ (Ordinal lti) (Ordinal lt)); rewrite !mxE /= => /eqP.
by rewrite cross.
Qed.

Lemma at_most_allP n d M N : shaped n d M -> shaped n d N -> at_most_all M N ->
  forall i j, meaning n d M i j <= meaning n d N i j.
Proof.
move=> gM gN /andP[/andP[M0 N0] /(all2P _ [::] [::])[_ H]] i j; rewrite !mxE cross_le ?Zf_gt0 //.
have lt: (j < size (columns M))%N by rewrite (shaped_size gM).
by have /(all2P _ Z0 Z0)[_ ->] := H j lt; rewrite ?(shaped_col gM).
Qed.

(* ---- one factor --------------------------------------------------------------------------- *)

Definition scale_at (n : nat) (raw : bool) (f : factor) : F :=
  scale_of raw (Qf (beta f)) (column F n (key f)).
Lemma square_sum n (f : factor) : ((column F n (key f))^T *m column F n (key f)) 0 0
  = \sum_(k < n) Qf (entry (key f) k) * Qf (entry (key f) k).
Proof. by rewrite mxE; apply: eq_bigr => k _; rewrite !mxE. Qed.

Lemma turnE n d raw f (H : 'M[F]_(n, d)) i j : turn raw f H i j = H i j -
  scale_at n raw f * Qf (entry (key f) i) *
  (\sum_(k < n) Qf (entry (key f) k) * H k j - Qf (entry (value f) j)).
Proof.
rewrite /turn /householder -/(scale_at n raw f); set u := column F n (key f).
have uE k l : u k l = Qf (entry (key f) k) by rewrite mxE.
set b := scale_at _ _ _; rewrite mulmxBl mul1mx -scalemxAl -mulmxA.
have -> : (H - b *: (u *m (u^T *m H)) + b *: (u *m row_of F d (value f))) i j
        = H i j - b * (u *m (u^T *m H)) i j + b * (u *m row_of F d (value f)) i j by rewrite !mxE.
have -> : (u *m (u^T *m H)) i j = Qf (entry (key f) i) * \sum_(k < n) Qf (entry (key f) k) * H k j.
  by rewrite mxE big_ord1 uE; congr (_ * _); rewrite mxE; apply: eq_bigr => k _; rewrite mxE uE.
have -> : (u *m row_of F d (value f)) i j = Qf (entry (key f) i) * Qf (entry (value f) j).
  by rewrite mxE big_ord1 uE mxE.
by rewrite [LHS]addrAC mulrBr opprB [in RHS]addrA !mulrA.
Qed.

Definition prepared n d raw (f : factor) (p : dfactor) : Prop :=
  exists E : Z, [/\ Zf E != 0, Zf (fm p) != 0, size (fu p) = n /\ size (fc p) = d,
    (forall i, (i < n)%N -> Qf (entry (key f) i) = Zf (nth Z0 (fu p) i) / Zf E)
    /\ (forall j, (j < d)%N -> Qf (entry (value f) j) = Zf (nth Z0 (fc p) j) / Zf E) &
    scale_at n raw f = Zf (fa p) / Zf (fm p) * (Zf E * Zf E)].

Lemma dense_vec_ok n e v zs : dense_vec n e v = Some zs -> Zf e != 0 ->
  size zs = n /\ forall i, (i < n)%N -> Qf (entry v i) = Zf (nth Z0 zs i) / Zf e.
Proof.
move=> /mapo_ok[sz H] e0; rewrite size_iota in sz H; split=> // i lt.
by have := H 0%N Z0 i lt; rewrite nth_iota // => /scale_ok ->.
Qed.

Lemma prepare_ok n d raw f p : prepare raw n d f = Some p -> prepared n d raw f p.
Proof.
rewrite /prepare; set e := common _.
case hu: (dense_vec _ _ _) => [u|//]; case hc: (dense_vec _ _ _) => [c|//].
set uu := (if raw then _ else _).
set a := Qnum _; set m := Z.mul _ uu; set a' := Z.div a _; set m' := Z.div m _.
case: ifP => // /negbT; rewrite !negb_or negbK => /andP[/andP[/andP[e0 uu0] m0] /Z.eqb_eq am] [<-].
exists e; rewrite /= !Zf_eq0 e0 m0; have e0' : Zf e != 0 by rewrite Zf_eq0.
have [su Hu] := dense_vec_ok hu e0'; have [sc Hc] := dense_vec_ok hc e0'.
split=> //.
have u0 : Zf uu != 0 by rewrite Zf_eq0.
have m0' : Zf m' != 0 by rewrite Zf_eq0.
(* The quotient a' / m' is beta / uu. *)
have -> : Zf a' / Zf m' = Qf (beta f) / Zf uu.
  apply/eqP; rewrite Qf_def -mulrA -invfM -Zf_mul -/a -/m.
  rewrite cross //; last by rewrite Zf_mul mulf_neq0 ?den_neq0.
  by apply/Z.eqb_eq; rewrite am.
rewrite /scale_at /scale_of square_sum; move: u0; rewrite /uu; case: (raw) => u0.
  by rewrite -mulrA Zf_mul mulVf ?mulr1 // mulf_neq0.
have -> : \sum_(k < n) Qf (entry (key f) k) * Qf (entry (key f) k) = Zf (dot u u) / (Zf e * Zf e).
  rewrite dot_ok // su mulr_suml; apply: eq_bigr => k _.
  by rewrite (Hu k) // mulrACA -invfM.
by rewrite invf_div [RHS]mulrAC [LHS]mulrA.
Qed.

Lemma dturn_ok n d raw f p M : prepared n d raw f p -> shaped n d M ->
  shaped n d (dturn p M) /\ meaning n d (dturn p M) = turn raw f (meaning n d M).
Proof.
case=> E [E0 m0 [su sc] [Hu Hc] HU] g; have D0 := shaped_den g.
have szc := shaped_size g; have szs : size (columns M) = size (fc p) by rewrite szc.
have colE j : (j < d)%N -> nth [::] (columns (dturn p M)) j =
    map2 (fun s u => (fm p * s - u * (fa p * (dot (fu p) (nth [::] (columns M) j) - den M * nth Z0 (fc p) j)))%cZ)
         (nth [::] (columns M) j) (fu p).
  by move=> lt; rewrite /dturn /= (nth_map2 _ [::] Z0) ?szc.
split.
  apply/and3P; split; first by rewrite -(Zf_eq0 F) /= Zf_mul mulf_neq0.
    by rewrite /= size_map2 ?szc.
  apply/(all_nthP [::]) => j; rewrite /= size_map2 // szc => lt.
  by rewrite colE // size_map2 (shaped_col g lt).
apply/matrixP=> i j; rewrite turnE !mxE /at_ colE // (nth_map2 _ Z0 Z0) ?(shaped_col g) //.
rewrite Zf_sub !Zf_mul Zf_sub Zf_mul (Hu i) // (Hc j) // HU.
have -> : \sum_(k < n) Qf (entry (key f) k) * meaning n d M k j
        = Zf (dot (fu p) (nth [::] (columns M) j)) / (Zf E * Zf (den M)).
  rewrite dot_ok ?(shaped_col g) // su mulr_suml; apply: eq_bigr => k _.
  by rewrite (Hu k) // !mxE mulrACA -invfM.
exact: turn_identity.
Qed.

(* ---- one letter of one head --------------------------------------------------------------- *)

Lemma dadd_ok n d M B : shaped n d M -> shaped n d B ->
  shaped n d (dadd M B) /\ meaning n d (dadd M B) = meaning n d M + meaning n d B.
Proof.
move=> gM gB; have sz : size (columns M) = size (columns B) by rewrite (shaped_size gM) (shaped_size gB).
have cs j : (j < d)%N -> size (nth [::] (columns M) j) = size (nth [::] (columns B) j).
  by move=> lt; rewrite (shaped_col gM) ?(shaped_col gB).
split.
  apply/and3P; split; first by rewrite -(Zf_eq0 F) /= Zf_mul mulf_neq0 ?(shaped_den gM) ?(shaped_den gB).
    by rewrite /= size_map2 // (shaped_size gM).
  apply/(all_nthP [::]) => j; rewrite /= size_map2 // (shaped_size gM) => lt.
  by rewrite (nth_map2 _ [::] [::] _ sz) ?(shaped_size gM) // size_map2; [rewrite (shaped_col gM) | exact: cs].
apply/matrixP=> i j; rewrite !mxE /at_ /= (nth_map2 _ [::] [::] _ sz) ?(shaped_size gM) //.
rewrite (nth_map2 _ Z0 Z0 _ (cs j (ltn_ord j))) ?(shaped_col gM) //.
by rewrite Zf_add !Zf_mul add_fractions ?(shaped_den gM) ?(shaped_den gB).
Qed.

Lemma matrix_of_nil n d : matrix_of F n d [::] = 0.
Proof. by apply/matrixP=> i j; rewrite !mxE /Qf /= mul0r. Qed.

Lemma dact_ok n d raw x p M : prepare_action raw n d x = Some p -> shaped n d M ->
  shaped n d (dact p M) /\ meaning n d (dact p M) = act raw x (meaning n d M).
Proof.
move=> prep g.
pose M0 := DMat (Zpos (Qden (gate x)) * den M) (map (map (Z.mul (Qnum (gate x)))) (columns M)).
have [g0 e0] : shaped n d M0 /\ meaning n d M0 = Qf (gate x) *: meaning n d M.
  split.
    apply/and3P; split; first by rewrite -(Zf_eq0 F) /= Zf_mul mulf_neq0 ?den_neq0 // (shaped_den g).
      by rewrite /= size_map (shaped_size g).
    rewrite /= all_map; apply/(all_nthP [::]) => c cM /=; rewrite size_map.
    by case/and3P: g => _ _ /(all_nthP [::]); apply.
  apply/matrixP=> i j; rewrite !mxE /at_ /= (nth_map [::]) ?(shaped_size g) //.
  rewrite (nth_map Z0) ?(shaped_col g) // !Zf_mul Qf_def -/(Zf (Zpos (Qden (gate x)))).
  by rewrite mulrACA invfM.
have folded fs : mapo (prepare raw n d) (factors x) = Some fs ->
    let N := foldl (fun N f => dturn f N) M0 fs in
    shaped n d N /\ meaning n d N = foldl (fun S f => turn raw f S) (Qf (gate x) *: meaning n d M) (factors x).
  rewrite -e0; elim: (factors x) fs M0 g0 {e0 prep} => [|f l IH] /= fs M1 g1; first by case=> <-.
  case hp: (prepare raw n d f) => [p'|//]; case hl: (mapo _ _) => [r|//] [<-] /=.
  have [g2 e2] := dturn_ok (prepare_ok hp) g1.
  by have [g3 ->] := IH _ _ g2 hl; rewrite e2.
move: prep; rewrite /prepare_action; case h: (mapo _ _) => [fs|//].
have [gN eN] := folded _ h; rewrite /act -eN {eN}; case: (bias x) => [|b r].
  by case=> <-; rewrite matrix_of_nil addr0.
case hb: (dense_mat n d _) => [B|//] [<-]; have [gB <-] := dense_mat_ok hb.
by have [? ->] := dadd_ok gN gB.
Qed.
End Exact.
