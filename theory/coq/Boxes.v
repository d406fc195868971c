(* Boxes.v: boxes of codes (R8.3 and R8.4 of theory/pages/decay.md). A letter leads a box where it leads the two
   corners, and in the box of a code this code is the nearest one. *)
From Coq Require Import List ZArith QArith Bool.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Model Numbers Check Exact.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Boxes.
Variable F : realFieldType.
Notation Qf := (@Qf F).

(* ---- a letter moves each number by an affine function ------------------------------------- *)

Section Affine.
Variables n d : nat.
Definition affine (f : 'M[F]_(n, d) -> 'M[F]_(n, d)) : Prop :=
  exists A B : 'M[F]_(n, d), forall S i j, f S i j = A i j * S i j + B i j.

Lemma affine_comp f g : affine f -> affine g -> affine (fun S => g (f S)).
Proof.
case=> A [B hf] [C [D hg]]; exists (\matrix_(i, j) (C i j * A i j)), (\matrix_(i, j) (C i j * B i j + D i j)).
by move=> S i j; rewrite !mxE hg hf mulrDr mulrA addrA.
Qed.

Lemma turn_affine raw f : single f -> affine (turn raw f).
Proof.
rewrite /single => one_key; pose v k := Qf (entry (key f) k); set s := scale_at F n raw f.
have apart k l : k != l -> v k * v l = 0.
  rewrite /v; case: (key f) one_key => [|[p q] []] //= _ ne; rewrite /entry /=.
  case: Pos.eqb_spec => [->|_]; last by rewrite /Model.Qf /= !mul0r.
  case: Pos.eqb_spec => [/SuccNat2Pos.inj e|_]; first by rewrite e eqxx in ne.
  by rewrite [X in _ * X]/Model.Qf /= !(mul0r, mulr0).
exists (\matrix_(i, j) (1 - s * (v i * v i))), (\matrix_(i, j) (s * v i * Qf (entry (value f) j))) => S i j.
have one : v i * (\sum_(k < n) v k * S k j) = v i * v i * S i j.
  rewrite mulr_sumr (bigD1 i) //= big1 => [|k ne]; first by rewrite addr0 mulrA.
  by rewrite mulrA apart ?mul0r // eq_sym.
rewrite turnE -/s !mxE -/(v i) mulrBr -[s * v i * _]mulrA one.
by rewrite opprB addrA addrAC mulrBl mul1r -!mulrA.
Qed.

Lemma act_affine raw a : forallb single (factors a) -> affine (act raw a).
Proof.
move=> singles; have scaled : affine (fun S => Qf (gate a) *: S).
  by exists (const_mx (Qf (gate a))), 0 => S i j; rewrite !mxE addr0.
have folded fs g : forallb single fs -> affine g ->
    affine (fun S => foldl (fun T f => turn raw f T) (g S) fs).
  elim: fs g => //= f fs IH g /andP[sf sfs] ag.
  exact: (IH (fun S => turn raw f (g S)) sfs (affine_comp ag (turn_affine raw sf))).
apply: (affine_comp (g := fun T => T + matrix_of F n d (bias a)) (folded _ _ singles scaled)).
exists (const_mx 1), (matrix_of F n d (bias a)) => S i j.
by rewrite !mxE mul1r.
Qed.
End Affine.

Lemma hull (a b lo hi s L H : F) : lo <= s -> s <= hi -> L <= a * lo + b -> a * lo + b <= H ->
  L <= a * hi + b -> a * hi + b <= H -> L <= a * s + b /\ a * s + b <= H.
Proof.
move=> ls sh l1 h1 l2 h2; case: (leP 0 a) => [a0|/ltW a0].
  by split; [apply: le_trans l1 _ | apply: le_trans h2]; rewrite ler_add2r ler_wpmul2l.
by split; [apply: le_trans l2 _ | apply: le_trans h1]; rewrite ler_add2r ler_wnmul2l.
Qed.

Lemma all_entriesP n d (S T : 'M[F]_(n, d)) : reflect (forall i j, S i j <= T i j) [forall i, forall j, S i j <= T i j].
Proof. by apply: (iffP forallP) => h i; [have /forallP := h i | apply/forallP]. Qed.

(* R8.3: between the images of the corners is the image of all that is between the corners. *)
Lemma acts_between hs x (lo hi S L H : states F hs) : one_entry hs -> below lo S -> below S hi ->
  below L (acts x lo) && below (acts x lo) H -> below L (acts x hi) && below (acts x hi) H ->
  below L (acts x S) && below (acts x S) H.
Proof.
elim: hs lo hi S L H => //= h hs IH lo hi S L H /andP[one ones].
move=> /andP[/all_entriesP l1 l2] /andP[/all_entriesP h1 h2].
case/andP=> /andP[/all_entriesP a1 a2] /andP[/all_entriesP a3 a4].
case/andP=> /andP[/all_entriesP b1 b2] /andP[/all_entriesP b3 b4].
have /andP[-> ->] := IH _ _ _ _ _ ones l2 h2 (introT andP (conj a2 a4)) (introT andP (conj b2 b4)).
have [g [A [B gE]] act_g] : exists2 g, affine g & forall T : states F (h :: hs),
    (if get (on h) x is Some a then act (raw h) a T.1 else T.1) = g T.1.
  case e: (get (on h) x) => [a|]; last first.
    by exists id => //; exists (const_mx 1), 0 => T i j; rewrite !mxE mul1r addr0.
  exists (act (raw h) a) => //; apply: act_affine.
  exact: (proj1 (List.forallb_forall _ _) one _ (nth_error_In _ _ e)).
rewrite !andbT; move: a1 a3 b1 b3; rewrite (act_g lo) (act_g hi) (act_g S) => a1 a3 b1 b3.
apply/andP; split; apply/all_entriesP=> i j; rewrite gE;
  have [] := @hull (A i j) (B i j) (lo.1 i j) (hi.1 i j) (S.1 i j) (L.1 i j) (H.1 i j);
  by rewrite -?gE.
Qed.

(* ---- intervals that are apart ------------------------------------------------------------- *)

Notation num s := (Qf (number s)). Notation lo s := (Qf (low s)). Notation hi s := (Qf (high s)).
(* The interval of s is on its side of the middle between s and t, or their numbers are equal. *)
Definition nearer_than (s t : span) : Prop :=
  [\/ num s = num t, num s < num t /\ hi s + hi s < num s + num t |
      num t < num s /\ num s + num t < lo s + lo s].

Lemma same_spanP s t : same_span s t -> [/\ num s = num t, lo s = lo t & hi s = hi t].
Proof. by case/and3P=> /(Qf_eq F) ? /(Qf_eq F) ? /(Qf_eq F) ?. Qed.
Lemma less_ok p q : less p q -> Qf p < Qf q.
Proof. by rewrite /less (Qf_le F) ltNge. Qed.
Lemma double_lt (x y : F) : x + x < y + y -> x < y.
Proof. by apply: contraTT; rewrite -!leNgt => h; rewrite ler_add. Qed.
Lemma before_ok s t : around s -> around t -> before s t -> nearer_than s t /\ nearer_than t s.
Proof.
rewrite /around !(Qf_le F) => /andP[_ h1] /andP[h2 _] /andP[/less_ok + /less_ok]; rewrite !Qf_add => b1 b2.
have lt : num s < num t.
  apply: double_lt; apply: (@lt_le_trans _ _ (lo t + lo t)); last by rewrite ler_add.
  apply: (le_lt_trans _ b2); rewrite ler_add2l.
  have := le_lt_trans (ler_add h1 h1) b1; rewrite ltr_add2l; exact: ltW.
by split; [constructor 2 | constructor 3]; rewrite 1?[num t + _]addrC.
Qed.

Lemma spans_apart_ok seen l s t : spans_apart seen l -> (forall r, In r seen -> around r) ->
  (forall r r', In r seen -> In r' seen -> nearer_than r r') ->
  In s (seen ++ l) -> In t (seen ++ l) -> nearer_than s t.
Proof.
elim: l seen s t => [|x l IH] seen s t /=; first by rewrite cats0 => _ _; apply.
case e: (existsb _ _) => ok ar ne ins int_.
  have [y [iny /same_spanP ey]] := proj1 (existsb_exists _ _) e.
  have alias r : In r (seen ++ x :: l)%list ->
      exists2 r', In r' (seen ++ l)%list & [/\ num r = num r', lo r = lo r' & hi r = hi r'].
    move=> h; case: (in_app_or _ _ _ h) => {}h; last case: h => [<-|h].
    - by exists r => //; apply: in_or_app; left.
    - by exists y => //; apply: in_or_app; left.
    - by exists r => //; apply: in_or_app; right.
  have [s' ins' [e1 e2 e3]] := alias _ ins; have [t' int' [e4 e5 e6]] := alias _ int_.
  by have := IH _ _ _ ok ar ne ins' int'; rewrite /nearer_than e1 e2 e3 e4.
case/andP: ok => /andP[ax /forallb_forall sep] ok.
have pairs r : In r seen -> nearer_than x r /\ nearer_than r x.
  move=> inr; case/orP: (sep _ inr) => /before_ok; [apply=> //; exact: ar | ].
  by case; [exact: ar | | split].
have move_ r : In r (seen ++ x :: l)%list -> In r ((x :: seen) ++ l)%list.
  move=> h; case: (in_app_or _ _ _ h) => [h'|[e'|h']]; [right | by left | right].
    by apply: in_or_app; left.
  by apply: in_or_app; right.
apply: (IH (x :: seen)) => //; [by move=> r [<-|/ar] | | exact: move_ | exact: move_].
move=> r r' [<-|h] [<-|h']; [by constructor 1 | by have [] := pairs _ h' | by have [] := pairs _ h | exact: ne].
Qed.

Lemma nearer_square s t (x : F) : nearer_than s t -> lo s <= x -> x <= hi s ->
  (x - num s) ^+ 2 <= (x - num t) ^+ 2 ?= iff (num s == num t).
Proof.
have diff (a c : F) : (x - c) ^+ 2 - (x - a) ^+ 2 = (a - c) * (x + x - (a + c)).
  rewrite subr_sqr; congr (_ * _); first by rewrite opprB addrC addrA subrK.
  by rewrite addrACA -opprD [c + a]addrC.
move=> near lx xh; apply/leifP; case: near => [->|[lt side]|[lt side]].
- by rewrite eqxx.
- rewrite (lt_eqF lt) -subr_gt0 diff nmulr_rgt0 ?subr_lt0 //.
  exact: le_lt_trans (ler_add xh xh) side.
- rewrite (gt_eqF lt) -subr_gt0 diff pmulr_rgt0 ?subr_gt0 //.
  exact: lt_le_trans side (ler_add lx lx).
Qed.

(* ---- distances ---------------------------------------------------------------------------- *)

Lemma distance_ge0 hs (S T : states F hs) : 0 <= distance S T.
Proof.
by elim: hs S T => //= h hs IH S T; rewrite addr_ge0 // sumr_ge0 // => i _; rewrite sumr_ge0 // => j _; rewrite sqr_ge0.
Qed.
Lemma distance_eq0 hs (S T : states F hs) : distance S T = 0 <-> S = T.
Proof.
elim: hs S T => [|h hs IH] /= S T; first by split=> // _; case: S; case: T.
have ge i : true -> 0 <= \sum_j (S.1 i j - T.1 i j) ^+ 2 by move=> _; rewrite sumr_ge0 // => j _; rewrite sqr_ge0.
split=> [/eqP|->]; last first.
  by rewrite (proj2 (IH _ _) erefl) // addr0 big1 // => i _; rewrite big1 // => j _; rewrite subrr expr0n.
rewrite paddr_eq0 ?sumr_ge0 ?distance_ge0 // => /andP[/eqP e /eqP/IH e'].
case: S T e e' ge => [S1 S2] [T1 T2] /= e -> ge; congr pair; apply/matrixP=> i j.
have /psumr_eq0P e1 := psumr_eq0P ge e (erefl true : xpredT i).
by apply/eqP; rewrite -subr_eq0 -sqrf_eq0 e1 // => k _; rewrite sqr_ge0.
Qed.

Lemma all_equal n d (M N : 'M[F]_(n, d)) : (M == N) = [forall i, forall j, M i j == N i j].
Proof.
apply/eqP/forallP => [-> i|h]; first by apply/forallP=> j.
by apply/matrixP=> i j; apply/eqP/(forallP (h i)).
Qed.

Lemma in_iota m n k : (k < n)%N -> In (m + k)%N (iota m n).
Proof.
elim: n m k => // n IH m [|k] lt /=; first by left; rewrite addn0.
by right; rewrite addnS -addSn; apply: IH.
Qed.

(* R8.4, 1: in its box a code is nearer than every other one. *)
Lemma boxes_apart_ok hs l p q (S : states F hs) : boxes_apart hs l -> In p l -> In q l -> inside S p.2 ->
  distance S (states_of F hs p.1) <= distance S (states_of F hs q.1)
    ?= iff same (states_of F hs p.1) (states_of F hs q.1).
Proof.
elim: hs l p q S => [|h hs IH] l p q S /=; first by move=> *; apply/leifP.
move=> /andP[/forallb_forall ok rest] inp inq /andP[/= /andP[/all_entriesP L Lr] /andP[/all_entriesP H Hr]].
apply: leif_add; last first.
  have := IH _ (List.tl p.1, List.tl p.2) (List.tl q.1, List.tl q.2) S.2 rest _ _; apply.
  - by apply/in_map_iff; exists p.
  - by apply/in_map_iff; exists q.
  - by rewrite /inside /=; case: (p.2) Lr Hr => [|x xs] /= -> ->.
rewrite all_equal; apply: leif_sum => i _; apply: leif_sum => j _; rewrite !mxE.
have near : nearer_than (span_of i j p) (span_of i j q).
  have /forallb_forall/(_ _ (in_iota 0 (ltn_ord j))) := ok _ (in_iota 0 (ltn_ord i)).
  by move/spans_apart_ok; apply=> //; apply: in_map.
have hd_map (f : box -> smat) : f [::] = [::] -> List.hd [::] (List.map f p.2) = f (List.hd [::] p.2).
  by case: (p.2).
apply: (nearer_square near); rewrite /=.
- by have := L i j; rewrite mxE hd_map.
- by have := H i j; rewrite mxE hd_map.
Qed.
End Boxes.
