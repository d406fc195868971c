(* Bands.v: idempotents of one layer satisfy efe = fe (OL.1 of theory/pages/one-layer.md), so that an automaton that one
   finite layer tracks does, too (OL.2, OL.3).

   As in Forks.v there are distances only. The gap of two pairs is twice the inner product of their differences. *)
From Coq Require Import List ZArith QArith String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Model Numbers Boxes T1 Periods Class Sound Forks NoFork.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* ---- one layer ------------------------------------------------------------------------------- *)

Section Layer.
Variables (F : realFieldType) (hs : list head).
Hypothesis con : contracting F hs.
Implicit Types (s t p q y z : states F hs) (e f : seq index).
Notation by_ e s := (read_word e s).

Lemma distance_self s : distance s s = 0. Proof. by apply/distance_eq0. Qed.

(* 2 (s - t).(p - q) *)
Definition gap s t p q : F := (distance t p - distance t q) - (distance s p - distance s q).
Lemma gap_sym s t p q : gap s t p q = gap p q s t.
Proof.
rewrite /gap (distance_sym q s) (distance_sym q t) (distance_sym p s) (distance_sym p t) !opprB.
by rewrite [LHS]addrACA [RHS]addrACA [distance t p + _]addrC.
Qed.
Lemma gap_none s p q : gap s s p q = 0. Proof. exact: subrr. Qed.
Lemma gap_zero p q : gap p q p q = 0 -> p = q.
Proof.
rewrite /gap !distance_self (distance_sym q p) subr0 sub0r opprK => /eqP.
by rewrite -mulr2n mulrn_eq0 /= => /eqP/distance_eq0.
Qed.
Lemma gap_kept e s t p q : distance (by_ e p) (by_ e q) = distance p q ->
  gap (by_ e s) (by_ e t) (by_ e p) (by_ e q) = gap s t p q.
Proof. by move=> iso; rewrite /gap !kept_difference. Qed.
Lemma gap_fixed e s t p q : by_ e p = p -> by_ e q = q -> gap (by_ e s) (by_ e t) p q = gap s t p q.
Proof. by move=> fp fq; have := @gap_kept e s t p q; rewrite fp fq; apply. Qed.

(* Two words that act on the states X as idempotents. *)
Definition idempotents (X : states F hs -> Prop) e f :=
  forall s, X s -> [/\ X (by_ e s), X (by_ f s), by_ e (by_ e s) = by_ e s & by_ f (by_ f s) = by_ f s].
Lemma idempotents_sym X e f : idempotents X e f -> idempotents X f e.
Proof. by move=> h s /h[]. Qed.
Definition both e f s := by_ e (by_ f s).

Section Pair.
Variable X : states F hs -> Prop.

Lemma cancel e f y z : idempotents X e f -> X y -> X z -> by_ e y = y -> by_ e z = z -> both e f y = both e f z ->
  by_ f y = by_ f z.
Proof.
move=> h Xy Xz ey ez same_; have [_ _ _ fy] := h y Xy; have [_ _ _ fz] := h z Xz; apply: gap_zero.
rewrite (gap_fixed y z fy fz) gap_sym -(gap_fixed _ _ ey ez); rewrite /both in same_; rewrite same_.
exact: gap_none.
Qed.
Lemma descent e f k : idempotents X e f -> forall y z, X y -> X z -> by_ e y = y -> by_ e z = z ->
  iter k.+1 (both e f) y = iter k.+1 (both e f) z -> by_ f y = by_ f z.
Proof.
move=> h; elim: k => [|k IH] y z Xy Xz ey ez; first exact: cancel.
have [_ Xfy _ ffy] := h y Xy; have [_ Xfz _ ffz] := h z Xz.
have [Xgy _ gy _] := h _ Xfy; have [Xgz _ gz _] := h _ Xfz.
rewrite iterSr [in RHS]iterSr => /(IH _ _ Xgy Xgz gy gz) e1; apply: (cancel h) => //.
exact: (cancel (idempotents_sym h) Xfy Xfz ffy ffz).
Qed.

(* The distance between what e fixes and what f fixes only gets smaller. *)
Lemma nearer e f z : idempotents X e f -> X z -> by_ e z = z ->
  distance (both e f z) (by_ f (both e f z)) + distance (both e f z) z <= distance z (by_ f z).
Proof.
move=> h Xz ez; have [_ Xf _ ff] := h z Xz; have [Xg _ eg _] := h _ Xf; have [_ _ _ fg] := h _ Xg.
have := fixed_difference (by_ f z) con ez eg; have := fixed_difference (both e f z) con ff fg.
rewrite !distance_self !subr0 -/(both e f z) => e1 e2.
rewrite e2 (distance_sym (by_ f z) (both e f z)) addrC -addrA [distance z _]distance_sym ger_addl.
rewrite addrC subr_le0 -subr_ge0 -e1; exact: distance_ge0.
Qed.
Lemma cycle e f k z : idempotents X e f -> X z -> by_ e z = z -> iter k.+1 (both e f) z = z -> both e f z = z.
Proof.
move=> h Xz ez back; apply/distance_eq0/le_anti; rewrite distance_ge0 andbT.
have step y : X y -> by_ e y = y -> X (both e f y) /\ by_ e (both e f y) = both e f y.
  by move=> Xy _; have [_ Xf _ _] := h y Xy; have [? _ ? _] := h _ Xf.
suff le i : [/\ X (iter i.+1 (both e f) z), by_ e (iter i.+1 (both e f) z) = iter i.+1 (both e f) z &
    distance (iter i.+1 (both e f) z) (by_ f (iter i.+1 (both e f) z)) + distance (both e f z) z
      <= distance z (by_ f z)].
  by have [_ _] := le k; rewrite back ger_addl.
elim: i => [|i [Xi ei lei]].
  by have [? ?] := step z Xz ez; split=> //; apply: nearer.
have [? ?] := step _ Xi ei; split=> //; apply: le_trans lei; rewrite ler_add2r.
by apply: le_trans (nearer h Xi ei); rewrite ler_addl distance_ge0.
Qed.

(* OL.1, for states on which the powers of fe end in an idempotent. *)
Lemma idempotents_right_regular e f k s : idempotents X e f ->
  (forall s, X s -> iter k.+1 (both f e) (iter k.+1 (both f e) s) = iter k.+1 (both f e) s) ->
  X s -> by_ e (by_ f (by_ e s)) = by_ e (by_ f s).
Proof.
move=> h power Xs; have h' := idempotents_sym h.
have settles t : X t -> both e f (both e f t) = both e f t.
  move=> Xt; have [_ Xy _ fy] := h t Xt; rewrite /both; move: (by_ f t) Xy fy => y Xy fy.
  have inX i : X (iter i (both f e) y) by elim: i => //= i Xi; have [Xe _ _ _] := h _ Xi; have [] := h _ Xe.
  have fz : by_ f (iter k.+1 (both f e) y) = iter k.+1 (both f e) y.
    by rewrite /=; have [Xe _ _ _] := h _ (inX k); have [_ _ _ ->] := h _ Xe.
  have ez : by_ e y = by_ e (iter k.+1 (both f e) y) by apply: (descent h' (k := k)) => //; rewrite power.
  have back : by_ f (by_ e (iter k.+1 (both f e) y)) = iter k.+1 (both f e) y.
    exact: (cycle h' (inX k.+1) fz (power y Xy)).
  by rewrite ez back.
have [Xe Xf ee ff] := h s Xs; have [_ _ _ ffe] := h _ Xe.
have pE := settles s Xs; have qE := settles _ Xe.
have ep : by_ e (both e f s) = both e f s by have [] := h _ Xf.
have eq : by_ e (both e f (by_ e s)) = both e f (by_ e s) by have [_ Xfe _ _] := h _ Xe; have [] := h _ Xfe.
have Xp : X (both e f s) by have [] := h _ Xf.
have Xq : X (both e f (by_ e s)) by have [_ Xfe _ _] := h _ Xe; have [] := h _ Xfe.
suff : both e f (by_ e s) = both e f s by [].
set p := both e f s in pE ep Xp *; set q := both e f (by_ e s) in qE eq Xq *.
have iso : distance (by_ e (by_ f p)) (by_ e (by_ f q)) = distance (by_ f p) (by_ f q).
  apply/le_anti; rewrite word_contracts //= -!/(both e f _) pE qE; exact: word_contracts.
have [_ _ _ fp] := h p Xp; have [_ _ _ fq] := h q Xq.
apply/esym/gap_zero; rewrite {1}/p {1}/q (gap_fixed _ _ ep eq) gap_sym -(gap_fixed p q ff ffe) gap_sym.
rewrite (gap_fixed s (by_ e s) fp fq) -(gap_kept s (by_ e s) iso) ee; exact: gap_none.
Qed.
End Pair.
End Layer.

Section Finite.
Variables (F : realFieldType) (hs : list head).
Hypothesis con : contracting F hs.
Variable X : seq (states_eqType F hs).
Implicit Types (u v e f : seq index).

(* OL.1: words that act as idempotents on finitely many states. *)
Theorem OL1 e f : {in X, forall S, read_word e S \in X} -> {in X, forall S, read_word f S \in X} ->
  {in X, forall S, read_word (e ++ e) S = read_word e S} -> {in X, forall S, read_word (f ++ f) S = read_word f S} ->
  {in X, forall S : states F hs, read_word (e ++ f ++ e) S = read_word (f ++ e) S}.
Proof.
move=> eX fX ee ff S SX.
have h : idempotents (fun S => S \in X) e f.
  by move=> T TX; split; [apply: eX | apply: fX | rewrite -read_cat ee | rewrite -read_cat ff].
have [[|k] // _ power] : exists2 N, (0 < N)%N & {in X, forall T : states_eqType F hs,
    iter N (both f e) (iter N (both f e) T) = iter N (both f e) T}.
  by apply: idempotent_power => T TX; apply/fX/eX.
rewrite !read_cat; exact: (idempotents_right_regular con h power SX).
Qed.
(* Hence their product is an idempotent. *)
Corollary OL1_product e f : {in X, forall S, read_word e S \in X} -> {in X, forall S, read_word f S \in X} ->
  {in X, forall S, read_word (e ++ e) S = read_word e S} -> {in X, forall S, read_word (f ++ f) S = read_word f S} ->
  {in X, forall S : states F hs, read_word ((e ++ f) ++ e ++ f) S = read_word (e ++ f) S}.
Proof.
move=> eX fX ee ff S SX; have fef := OL1 fX eX ff ee; have Xe := eX S SX.
have := fef (read_word e S) Xe; rewrite -!read_cat -catA => ->.
by rewrite catA !(read_cat _ f) ee.
Qed.

Lemma band_in_layer u v : {in X, forall S, read_word u S \in X} -> {in X, forall S, read_word v S \in X} ->
  exists N M, [/\ (0 < N)%N, (0 < M)%N & {in X, forall S : states F hs,
    read_word (repeat u N ++ repeat v M ++ repeat u N) S = read_word (repeat v M ++ repeat u N) S}].
Proof.
move=> uX vX; have [N N0 uu] := idempotent_power uX; have [M M0 vv] := idempotent_power vX.
have inX w k : {in X, forall S, read_word w S \in X} -> {in X, forall S, read_word (repeat w k) S \in X}.
  by move=> wX S SX; rewrite read_repeat; elim: k => //= k; apply: wX.
exists N, M; split=> //; apply: OL1; try exact: inX.
- by move=> S SX; rewrite read_cat !read_repeat uu.
- by move=> S SX; rewrite read_cat !read_repeat vv.
Qed.
End Finite.

(* ---- the automaton ----------------------------------------------------------------------------- *)

(* The words u and v act as idempotents where the words uvu and vu lead from the state after w (the pattern of OL.3). *)
Definition band (a : automaton) (w u v : seq index) : Prop :=
  let s := after_word a w in
  [/\ goes a s (u ++ u) = goes a s u, goes a s (u ++ v ++ v) = goes a s (u ++ v),
      goes a s (u ++ v ++ u ++ u) = goes a s (u ++ v ++ u), goes a s (v ++ v) = goes a s v &
      goes a s (v ++ u ++ u) = goes a s (v ++ u)].
(* A word that is not empty acts as an idempotent on all states. *)
Definition acts_idempotent a u := forall q, goes a q (u ++ u) = goes a q u.
Lemma idempotents_band a w u v : acts_idempotent a u -> acts_idempotent a v -> band a w u v.
Proof.
move=> hu hv; have tail z x : acts_idempotent a x ->
    goes a (after_word a w) (z ++ x ++ x) = goes a (after_word a w) (z ++ x).
  by move=> hx; rewrite !(goes_cat _ _ z) hx.
by split; rewrite ?tail //; have := tail (u ++ v) u hu; rewrite -!catA.
Qed.

Section Labels.
Variables (a : automaton) (w u v t : seq index) (kind : labelling).
Hypotheses (pattern : band a w u v) (hl : has_label kind t).
Hypothesis apart_ : run_automaton kind a (w ++ u ++ v ++ u ++ t) <> run_automaton kind a (w ++ v ++ u ++ t).

Lemma band_not_empty : u <> [::].
Proof. by move=> u0; apply: apart_; case: pattern; rewrite u0 /= => _ e _ _ _; rewrite !catA; apply: label_goes. Qed.
Lemma goes_power q z k : (0 < k)%N -> goes a (goes a q z) z = goes a q z -> goes a q (repeat z k) = goes a q z.
Proof. by case: k => // k _ e; rewrite -[repeat z k.+1]/(z ++ repeat z k) goes_cat goes_repeat. Qed.
Lemma band_labels N M : (0 < N)%N -> (0 < M)%N ->
  run_automaton kind a (w ++ (repeat u N ++ repeat v M ++ repeat u N) ++ u ++ t) <>
  run_automaton kind a (w ++ (repeat v M ++ repeat u N) ++ u ++ t).
Proof.
move=> N0 M0; case: pattern => uu uvv uvuu vv vuu; rewrite !goes_cat in uu uvv uvuu vv vuu.
have e1 : after_word a (w ++ (repeat u N ++ repeat v M ++ repeat u N) ++ u) = after_word a (w ++ u ++ v ++ u).
  by rewrite /after_word !goes_cat -/(after_word a w) !(goes_power N0 uu) (goes_power M0 uvv) (goes_power N0 uvuu) uvuu.
have e2 : after_word a (w ++ (repeat v M ++ repeat u N) ++ u) = after_word a (w ++ v ++ u).
  by rewrite /after_word !goes_cat -/(after_word a w) (goes_power M0 vv) (goes_power N0 vuu) vuu.
have -> : w ++ (repeat u N ++ repeat v M ++ repeat u N) ++ u ++ t =
  (w ++ (repeat u N ++ repeat v M ++ repeat u N) ++ u) ++ t by rewrite -!catA.
have -> : w ++ (repeat v M ++ repeat u N) ++ u ++ t = (w ++ (repeat v M ++ repeat u N) ++ u) ++ t.
  by rewrite -!catA.
rewrite (label_goes e1 hl) (label_goes e2 hl); move: apart_; rewrite -!catA; exact.
Qed.
End Labels.

(* ---- labels that read the last letter and the states before and after it --------------------------- *)

(* Letter x is read as the word letter x; out says the label. *)
Section Any.
Variables (F : realFieldType) (hs : list head) (start_ : states F hs).
Variables (letter : index -> seq index) (ok : pred index) (out : index -> states F hs -> states F hs -> option name).
Definition state_after w := read_word (flatten (map letter w)) start_.
Lemma state_cat p z : state_after (p ++ z) = read_word (flatten (map letter z)) (state_after p).
Proof. by rewrite /state_after map_cat flatten_cat read_cat. Qed.
Definition says_label kind a := forall w x, all ok (rcons w x) ->
  run_automaton kind a (rcons w x) = out x (state_after w) (state_after (rcons w x)).

Theorem OL2_any kind a w u v t : contracting F hs -> (exists X, forall w, all ok w -> List.In (state_after w) X) ->
  all ok (w ++ u ++ v ++ t) -> band a w u v -> has_label kind t ->
  run_automaton kind a (w ++ u ++ v ++ u ++ t) <> run_automaton kind a (w ++ v ++ u ++ t) -> ~ says_label kind a.
Proof.
move=> con [X0 inX0]; rewrite !all_cat => /and4P[ow ou ov ot] pattern hl ne says.
pose reach (S : states F hs) := exists2 z, all ok z & S = state_after z.
apply: (sublist (P := reach) (X := X0)) => -[X' hX']; pose X : seq (states_eqType F hs) := X'.
have inX z : all ok z -> state_after z \in X by move=> oz; apply/in_seq/hX'; split; [apply: inX0 | exists z].
have closed z : all ok z -> {in X, forall S, read_word (flatten (map letter z)) S \in X}.
  move=> oz S /in_seq/hX'[_ [y oy ->]]; rewrite /state_after -read_cat -flatten_cat -map_cat.
  by apply: inX; rewrite all_cat oy.
have [N [M [N0 M0 same_]]] := band_in_layer con (closed u ou) (closed v ov).
have rep z k : flatten (map letter (repeat z k)) = repeat (flatten (map letter z)) k.
  by elim: k => //= k IH; rewrite map_cat flatten_cat IH.
have orep z k : all ok z -> all ok (repeat z k) by move=> oz; elim: k => //= k IH; rewrite all_cat oz.
set e := repeat u N ++ repeat v M ++ repeat u N; set f := repeat v M ++ repeat u N.
have eS : state_after (w ++ e) = state_after (w ++ f).
  by rewrite !state_cat !(map_cat, flatten_cat, rep); apply: same_ (inX w ow).
have [z [x ez]] : exists z x, u ++ t = rcons z x.
  have : u ++ t <> [::] by case: (u) (band_not_empty pattern hl ne).
  by case/lastP: (u ++ t) => // z x _; exists z, x.
have on y : all ok y -> all ok (rcons (w ++ y ++ z) x).
  by move=> oy; rewrite !rcons_cat -ez !all_cat ow oy ou ot.
apply: (band_labels pattern hl ne N0 M0); rewrite -/e -/f ez -!rcons_cat.
rewrite !says; try by apply: on; rewrite /e /f !all_cat !orep.
have st y : state_after (w ++ e ++ y) = state_after (w ++ f ++ y).
  by rewrite (catA w e) (catA w f) (state_cat (w ++ e)) (state_cat (w ++ f)) eS.
by rewrite st !rcons_cat st.
Qed.
End Any.

(* ---- networks ------------------------------------------------------------------------------------ *)

Section Network.
Variable F : realFieldType.

Section Decoder.
Variables (decode : forall l : layer, states F (heads l) -> option index) (m : network).
Definition only ls : states F (first_heads ls) -> net_state F ls :=
  match ls return states F (first_heads ls) -> net_state F ls with
  | l :: r => fun S => (S, net_start F r) | [::] => fun _ => tt end.
Lemma only_first ls (S : net_state F ls) : size ls = 1%N -> only (first S) = S.
Proof. by case: ls S => [|l [|//]] // [S []]. Qed.
Definition class_letter x : seq index := if class_of m x is Some c then [:: c] else [::].
Lemma class_letters w : flatten (map class_letter w) = pmap (class_of m) w.
Proof. by elim: w => //= x w ->; rewrite /class_letter; case: class_of. Qed.

(* OL.2 and OL.3 for networks of one layer, with any decoder. The word t tells uvu and vu apart. *)
Theorem OL2 a w u v t : in_class m -> size (layers m) = 1%N -> finite_states (@decode) m ->
  over m (w ++ u ++ v ++ t) -> band a w u v -> has_label (labels_are m) t ->
  run_automaton (labels_are m) a (w ++ u ++ v ++ u ++ t) <> run_automaton (labels_are m) a (w ++ v ++ u ++ t) ->
  ~ tracks (@decode) a m.
Proof.
move=> cl one [X inX] ov pattern hl ne tr; pose ok x := (Pos.to_nat x <= List.length (alphabet m))%N.
have allP z : all ok z <-> over m z.
  elim: z => [|x z IH] /=; first by split=> // _; apply: List.Forall_nil.
  split=> [/andP[ox /IH oz]|o]; first exact: List.Forall_cons.
  by apply/andP; split; [exact: List.Forall_inv o | apply/IH; exact: List.Forall_inv_tail o].
have con : contracting F (first_heads (layers m)).
  move=> h x; case e: (layers m) => [//|l r] inh; apply: (letter_contracts x cl _ inh); rewrite e; by left.
pose S0 := first (net_start F (layers m)).
have stE z : state_after S0 class_letter z = first (after (@decode) m z).1.
  by rewrite /state_after class_letters -[z in RHS]cat0s first_after.
pose out x (S S' : states F (first_heads (layers m))) : option name :=
  if class_of m x is Some c then
    if (step (@decode) c (only S)).2 is Some y then get (labels m) y else None else None.
apply: (OL2_any (start_ := S0) (letter := class_letter) (ok := ok) (out := out) con _ _ pattern hl ne).
- exists (List.map (@first _ _) X) => z /allP oz; rewrite stE; apply: List.in_map; exact: inX.
- exact/allP.
move=> z x oz; have hz : has_label (labels_are m) (rcons z x) by case: (labels_are m); case: (z).
have [y [-> <-]] := tr _ (proj1 (allP _) oz) hz; rewrite stE /run /after foldl_rcons -/(after _ m z) /out only_first //.
by rewrite /read_letter; case: (class_of m x).
Qed.
(* The same as an equation: efe and fe are alike for idempotents e and f of the automaton. *)
Corollary OL2_idempotents a w u v t : in_class m -> size (layers m) = 1%N -> finite_states (@decode) m ->
  tracks (@decode) a m -> over m (w ++ u ++ v ++ t) -> acts_idempotent a u -> acts_idempotent a v ->
  has_label (labels_are m) t ->
  run_automaton (labels_are m) a (w ++ u ++ v ++ u ++ t) = run_automaton (labels_are m) a (w ++ v ++ u ++ t).
Proof.
move=> cl one fin tr ov iu iv hl; set x := run_automaton _ _ _; set y := run_automaton _ _ _.
have dec : {x = y} + {x <> y} by do 4 (decide equality).
case: dec => // ne; case: (OL2 cl one fin ov (idempotents_band w iu iv) hl ne tr).
Qed.
End Decoder.

(* With exact codes. *)
Theorem OL2_exactly a m w u v t : in_class m -> size (layers m) = 1%N -> without_boxes (layers m) ->
  over m (w ++ u ++ v ++ t) -> band a w u v -> has_label (labels_are m) t ->
  run_automaton (labels_are m) a (w ++ u ++ v ++ u ++ t) <> run_automaton (labels_are m) a (w ++ v ++ u ++ t) ->
  ~ tracks (@exactly F) a m.
Proof. by move=> cl one nb ov pattern hl ne tr; apply: (OL2 cl one (exactly_finite one nb tr) ov pattern hl ne). Qed.
End Network.

(* The copy automaton: states are pairs of bits, b and c write the first bit, a copies it into the second. It has no
   fork, and ab is not idempotent though a and b are. *)
Definition copy : automaton :=
  let e q := (q, None) in
  Automaton (Table [:: b "a"; b "b"; b "c"] [:: b "00"; b "01"; b "10"; b "11"] 1%positive
    (List.map (List.map e) [:: [:: 1; 1; 3]; [:: 1; 2; 4]; [:: 4; 1; 3]; [:: 4; 2; 4]])%positive) None None None.
Theorem copy_needs_two_layers m : in_class m -> size (layers m) = 1%N -> without_boxes (layers m) ->
  labels_are m = States -> alphabet m = letter_names copy -> forall F, ~ tracks (@exactly F) copy m.
Proof.
move=> cl one nb st al F.
apply: (OL2_exactly (w := [:: 3]) (u := [:: 2]) (v := [:: 1]) (t := [::]) cl one nb)%positive; rewrite ?st //.
by rewrite /over al; do 3 (apply: List.Forall_cons => //).
Qed.
Print Assumptions OL1.
Print Assumptions OL2_any.
Print Assumptions OL2.
Print Assumptions copy_needs_two_layers.
