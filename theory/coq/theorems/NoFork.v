(* NoFork.v: an automaton with a fork has no finite network of one layer (FK.3 of theory/pages/layers.md).

   Networks are those of Model.v in their class, with any number of heads and factors, and any decoder. Finite means
   that words lead to finitely many states, exactly; with exact codes and no boxes it follows. *)
From Coq Require Import List ZArith QArith Ascii String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import T1 Periods Class Forks Ast Print Automaton Model Numbers Sound.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* ---- statement ------------------------------------------------------------------------------- *)

(* Where a word leads from a state. *)
Definition goes (a : automaton) (q : option state) (w : seq index) : option state :=
  foldl (fun q x => if q is Some q then delta a q x else None) q w.
Definition after_word a w := goes a (Some (start a)) w.

(* The word w leads to a state s with s u = p and s v = q, and u and v fix both p and q. *)
Definition fork (a : automaton) (w u v : seq index) : Prop :=
  exists p q, [/\ after_word a (w ++ u) = Some p, after_word a (w ++ v) = Some q,
    goes a (Some p) u = Some p /\ goes a (Some p) v = Some p &
    goes a (Some q) u = Some q /\ goes a (Some q) v = Some q].

Definition finite_states F (decode : forall l : layer, states F (heads l) -> option index) (m : network) :=
  exists X : list (net_state F (layers m)), forall w, over m w -> List.In (after (@decode) m w).1 X.

(* ---- powers of a map that are idempotent on finitely many points ------------------------------- *)

Lemma idempotent_power (T : eqType) (X : seq T) (g : T -> T) : {in X, forall s, g s \in X} ->
  exists2 N, 0 < N & {in X, forall s, iter N g (iter N g s) = iter N g s}.
Proof.
move=> gX; exists (size X)`! => [|s sX]; first exact: fact_gt0.
have n0 : 0 < size X by case: X {gX} sX.
have inX k : iter k g s \in X by elim: k => //= k; apply: gX.
have : ~~ uniq (traject g s (size X).+1).
  apply/negP=> /uniq_leq_size le; have := le X; rewrite size_traject ltnn => h; suff: false by [].
  by apply: h => t /trajectP[k _ ->].
rewrite looping_uniq negbK => /trajectP[i lt ei].
have shift k : i <= k -> iter (k + (size X - i)) g s = iter k g s.
  by move=> le; rewrite -{1}(subnK le) -addnA subnKC ?(ltnW lt) // iterD ei -iterD subnK.
have shifts q k : i <= k -> iter (k + q * (size X - i)) g s = iter k g s.
  move=> le; elim: q => [|q IH]; first by rewrite addn0.
  by rewrite mulSn addnCA addnC shift // (leq_trans le) ?leq_addr.
have dv : size X - i %| (size X)`! by apply: dvdn_fact; rewrite subn_gt0 lt leq_subr.
have big : i <= (size X)`!.
  by apply: ltnW; apply: leq_trans lt _; apply: dvdn_leq; rewrite ?fact_gt0 // dvdn_fact ?n0 /=.
by rewrite -iterD; case/dvdnP: dv => q e; rewrite {2}e shifts.
Qed.

(* ---- the automaton ----------------------------------------------------------------------------- *)

Definition repeat (v : seq index) N := flatten (nseq N v).

Section Automaton.
Variable a : automaton.
Lemma goes_cat q v w : goes a q (v ++ w) = goes a (goes a q v) w.
Proof. exact: foldl_cat. Qed.
Lemma goes_repeat q v N : goes a q v = q -> goes a q (repeat v N) = q.
Proof. by move=> e; elim: N => //= N IH; rewrite goes_cat e. Qed.

Lemma reached_rcons kind w x : reached kind a (w ++ [:: x]) = read kind a (reached kind a w) x.
Proof. by rewrite /reached List.fold_left_app. Qed.
Lemma reached_goes kind w : omap fst (reached kind a w) = after_word a w.
Proof.
elim/last_ind: w => [//|w x IH]; rewrite -cats1 reached_rcons /after_word goes_cat -/(after_word a w) -IH.
by case: (reached kind a w) => [[q y]|] //=; case: (delta a q x).
Qed.
Lemma reached_label kind w : kind <> Edges ->
  reached kind a w = omap (fun q => (q, label_of kind a q)) (after_word a w).
Proof.
move=> ne; elim/last_ind: w => [//|w x IH]; rewrite -cats1 reached_rcons IH /after_word goes_cat /=.
case: (goes _ _ w) => [q|] //=; case: (delta a q x) => //= r.
by case: kind ne {IH}.
Qed.
(* What an automaton says depends on the state that it is in. *)
Lemma label_goes kind w w' t : after_word a w = after_word a w' -> has_label kind t ->
  run_automaton kind a (w ++ t) = run_automaton kind a (w' ++ t).
Proof.
rewrite /run_automaton => e; case: t => [|x t] hl.
  by rewrite !cats0 !reached_label ?e //; case: kind hl.
suff e' : reached kind a (w ++ [:: x]) = reached kind a (w' ++ [:: x]).
  by rewrite -cat1s !catA /reached !(List.fold_left_app _ (_ ++ _)) -!/(reached _ _ _) e'.
rewrite !reached_rcons; move: e; rewrite -!(reached_goes kind).
by case: (reached kind a w) => [[q y]|]; case: (reached kind a w') => [[q' y']|] //= [->].
Qed.
End Automaton.

(* ---- the layer --------------------------------------------------------------------------------- *)

Section Network.
Variable F : realFieldType.

Definition states_eqMixin hs := EqMixin (fun S T : states F hs => iffP idP (proj1 (sameP S T)) (proj2 (sameP S T))).
Definition states_eqType hs := EqType (states F hs) (states_eqMixin hs).

Lemma read_cat hs v w (S : states F hs) : read_word (v ++ w) S = read_word w (read_word v S).
Proof. exact: foldl_cat. Qed.
Lemma read_repeat hs v N (S : states F hs) : read_word (repeat v N) S = iter N (read_word v) S.
Proof. by elim: N S => //= N IH S; rewrite read_cat IH -iterSr. Qed.

(* FK.2 and the first part of FK.3: in a layer with finitely many states X, words e = v^N (u v^N)^M and
   f = (u v^N)^M do the same. *)
Lemma no_fork_in_layer hs (X : seq (states_eqType hs)) u v : contracting F hs ->
  {in X, forall S, read_word u S \in X} -> {in X, forall S, read_word v S \in X} ->
  exists N M, [/\ 0 < N, 0 < M & {in X, forall S : states_eqType hs,
    read_word (repeat v N ++ repeat (u ++ repeat v N) M) S = read_word (repeat (u ++ repeat v N) M) S}].
Proof.
move=> con uX vX; have [N N0 PP] := idempotent_power vX.
have PX : {in X, forall S, iter N (read_word v) S \in X}.
  by move=> S SX; elim: (N) => //= n; apply: vX.
pose g S := iter N (@read_word F hs v) (read_word u S).
have gX : {in X, forall S : states_eqType hs, g S \in X} by move=> S SX; apply/PX/uX.
have [M M0 ff] := idempotent_power gX; exists N, M; split=> // S SX.
set P := repeat v N; set f := repeat (u ++ P) M.
have fE T : read_word f T = iter M g T.
  by rewrite read_repeat; apply: eq_iter => {}T; rewrite read_cat read_repeat.
have fX : {in X, forall S : states_eqType hs, iter M g S \in X} by move=> T TX; elim: (M) => //= k; apply: gX.
have fP : {in X, forall T : states_eqType hs, iter N (read_word v) (iter M g T) = iter M g T}.
  move=> T TX; case: (M) M0 => // k _ /=; apply: PP; apply: uX; by elim: (k) => //= j; apply: gX.
have eE T : read_word (P ++ f) T = iter M g (iter N (read_word v) T) by rewrite read_cat fE read_repeat.
apply: (FK1 (e := P ++ f) (f := f) (s := S) con) => //; rewrite ?eE ?fE.
- by rewrite fP ?ff ?PX // PX.
- by rewrite fP ?ff.
- by rewrite ff ?PX.
- by rewrite ff.
Qed.

(* ---- the network ------------------------------------------------------------------------------- *)

Variable decode : forall l : layer, states F (heads l) -> option index.

Lemma same_future m w w' z : (after (@decode) m w).1 = (after (@decode) m w').1 -> z <> [::] ->
  after (@decode) m (w ++ z) = after (@decode) m (w' ++ z).
Proof. by case: z => // x z e _; rewrite /after !foldl_cat /= /read_letter e. Qed.

(* Of finitely many things some have a property. *)
Lemma sublist T (P : T -> Prop) X : ~ ~ exists Y, forall s, List.In s Y <-> List.In s X /\ P s.
Proof.
elim: X => [|x X IH] nh; first by apply: nh; exists [::] => s; split=> [|[]].
apply: IH => -[Y h]; have no : ~ P x.
  move=> Px; apply: nh; exists (x :: Y) => s /=; rewrite h; split=> [[<-|[]]|[[]]]; tauto.
apply: nh; exists Y => s; rewrite h /=; split=> [[]|[[<-|]]]; tauto.
Qed.

Lemma in_seq (T : eqType) (X : seq T) S : S \in X <-> List.In S X.
Proof.
elim: X => // y X IH /=; rewrite inE; split=> [/orP[/eqP ->|/IH]|[->|/IH ->]]; rewrite ?eqxx ?orbT //; tauto.
Qed.

(* The first layer of a state of the network. *)
Definition first_heads (ls : list layer) : list head := if ls is l :: _ then heads l else [::].
Definition first ls : net_state F ls -> states F (first_heads ls) :=
  match ls return net_state F ls -> states F (first_heads ls) with l :: r => fun S => S.1 | [::] => fun _ => tt end.
Lemma first_step ls x (S : net_state F ls) : first (step (@decode) x S).1 = acts x (first S).
Proof.
case: ls S => [|l r] //= S; case: (decode _) => [i|] //=; case: (symbol l x i) => [y|] //=.
by case: (step _ _ _).
Qed.
Lemma first_inj ls (S S' : net_state F ls) : size ls = 1 -> first S = first S' -> S = S'.
Proof. by case: ls S S' => [|l [|//]] // [S []] [S' []] _ /= ->. Qed.

Lemma first_after m w z : first (after (@decode) m (w ++ z)).1 =
  read_word (pmap (class_of m) z) (first (after (@decode) m w).1).
Proof.
elim/last_ind: z => [|z x IH]; first by rewrite cats0.
rewrite -cats1 catA pmap_cat read_cat -IH {1}/after foldl_cat /= {1}/read_letter -/(after _ m _).
by case: (class_of m x) => [c|] //=; rewrite first_step.
Qed.
Lemma pmap_repeat m v N : pmap (class_of m) (repeat v N) = repeat (pmap (class_of m) v) N.
Proof. by elim: N => //= N IH; rewrite pmap_cat IH. Qed.
Lemma over_cat m v w : over m v -> over m w -> over m (v ++ w).
Proof. by move=> ov ow; apply/List.Forall_app. Qed.
Lemma over_repeat m v N : over m v -> over m (repeat v N).
Proof. by move=> ov; elim: N => [|N IH]; [apply: List.Forall_nil | apply: over_cat]. Qed.

(* FK.3, for any decoder. The word t tells p and q apart. *)
Theorem FK3 a m w u v t : in_class m -> size (layers m) = 1 -> finite_states (@decode) m ->
  over m w -> over m u -> over m v -> over m t -> fork a w u v -> has_label (labels_are m) t ->
  run_automaton (labels_are m) a (w ++ u ++ t) <> run_automaton (labels_are m) a (w ++ v ++ t) ->
  ~ tracks (@decode) a m.
Proof.
move=> cl one [X0 inX0] ow ou ov ot [p [q [wp wq [pu pv] [qu qv]]]] hl apart_ tr.
pose T z := first (after (@decode) m z).1.
pose reach (S : states F (first_heads (layers m))) := exists2 z, over m z & S = T z.
apply: (sublist (P := reach) (X := List.map (@first _) X0)) => -[X' hX'].
pose X : seq (states_eqType (first_heads (layers m))) := X'.
have inX z : over m z -> T z \in X.
  by move=> oz; apply/in_seq/hX'; split; [apply: List.in_map; apply: inX0 | exists z].
have closed x : over m x -> {in X, forall S, read_word (pmap (class_of m) x) S \in X}.
  move=> ox S /in_seq/hX'[_ [z oz ->]]; rewrite -first_after; apply: inX; exact: over_cat.
have con : contracting F (first_heads (layers m)).
  move=> h x; case e: (layers m) => [//|l r] inh; apply: (letter_contracts x cl _ inh); rewrite e; by left.
have [N [M [N0 M0 same_]]] := no_fork_in_layer con (closed u ou) (closed v ov).
set e := repeat v N ++ repeat (u ++ repeat v N) M; set f := repeat (u ++ repeat v N) M.
have eT : T (w ++ e) = T (w ++ f).
  rewrite /T !first_after /e /f !(pmap_cat, pmap_repeat); exact: same_ (inX w ow).
have u0 : u <> [::].
  move=> u0; apply: apart_; rewrite !catA; apply: label_goes hl; rewrite wp wq -wq.
  by rewrite /after_word goes_cat; move: wp; rewrite u0 cats0 /after_word => ->; rewrite pv.
(* f leads to p and e to q, and after both the network does the same. *)
have wf : after_word a (w ++ f) = Some p.
  rewrite /f; case: (M) M0 => // k _; rewrite /= catA -/(repeat _ k) /after_word goes_cat.
  rewrite catA goes_cat -/(after_word a _) wp goes_repeat // goes_repeat //.
  by rewrite goes_cat pu goes_repeat.
have we : after_word a (w ++ e) = Some q.
  rewrite /e /f; case: (N) N0 => // k _; rewrite /= -!catA catA /after_word goes_cat -/(after_word a _) wq.
  rewrite goes_cat goes_repeat // goes_repeat // goes_cat qu (goes_repeat k.+1) //.
have oF : over m f by apply/over_repeat/over_cat/over_repeat.
have oE : over m e by apply/over_cat => //; apply: over_repeat.
clearbody e f.
have fut : after (@decode) m (w ++ e ++ u ++ t) = after (@decode) m (w ++ f ++ u ++ t).
  rewrite !(catA w); apply: same_future; last by case: (u) u0.
  exact: (first_inj one eT).
have ofut z : over m z -> over m (w ++ z ++ u ++ t) by move=> oz; do 3 apply: over_cat => //.
have said z : over m z -> exists2 y, run_automaton (labels_are m) a (w ++ z ++ u ++ t) = Some y &
    run (@decode) m (w ++ z ++ u ++ t) = Some y.
  move=> oz; have [|y [h1 h2]] := tr _ (ofut z oz); last by exists y.
  by case: (labels_are m); case: (w) => //; case: (z) => //; case: (u) u0.
have [y ye ne] := said e oE; have [y' yf nf] := said f oF.
apply: apart_; rewrite !catA.
have -> : run_automaton (labels_are m) a ((w ++ u) ++ t) = run_automaton (labels_are m) a ((w ++ f ++ u) ++ t).
  by apply: label_goes hl; rewrite wp catA /after_word goes_cat -/(after_word a _) wf pu.
have -> : run_automaton (labels_are m) a ((w ++ v) ++ t) = run_automaton (labels_are m) a ((w ++ e ++ u) ++ t).
  by apply: label_goes hl; rewrite wq catA /after_word goes_cat -/(after_word a _) we qu.
by rewrite -!catA ye yf; move: ne nf; rewrite /run fut => -> [->].
Qed.
End Network.

(* ---- exact codes --------------------------------------------------------------------------------- *)

(* A box may hold infinitely many states. *)
Definition without_boxes (ls : list layer) : Prop := forall l, List.In l ls -> boxes l = [::].

Section Exact.
Variable F : realFieldType.

Definition code_states ls : list (net_state F ls) :=
  match ls return list (net_state F ls) with
  | l :: r => [seq (states_of F (heads l) (matrices c), net_start F r) | c <- codes l]
  | [::] => [:: tt]
  end.
Lemma first_of_in hs (S : states F hs) i cs j :
  first_of (fun c => same S (states_of F hs (matrices c))) i cs = Some j ->
  List.In S [seq states_of F hs (matrices c) | c <- cs].
Proof.
elim: cs i => //= c cs IH i; case: ifP => [/sameP e _|_ /IH h]; [left | right]; by rewrite ?e.
Qed.
Lemma step_exactly ls x (S T : net_state F ls) y : size ls = 1 -> without_boxes ls ->
  step (@exactly F) x S = (T, Some y) -> List.In T (code_states ls).
Proof.
case: ls S T => [|l [|//]] // [S []] [T []] _ /(_ l (or_introl erefl)) nb /=.
rewrite /exactly nb; case e: (first_of _ _ _) => [i|] //.
case: (symbol l x i) => [z|] // [<- _]; have := first_of_in e; set cs := codes l.
by elim: cs => //= c cs IH [->|/IH]; [left | right].
Qed.
Lemma exactly_finite a m : size (layers m) = 1 -> without_boxes (layers m) -> tracks (@exactly F) a m ->
  finite_states (@exactly F) m.
Proof.
move=> one nb tr; exists (net_start F (layers m) :: code_states (layers m)).
elim/last_ind => [|w x _] ow; [by left | right]; have hl : has_label (labels_are m) (rcons w x) by case: (labels_are m); case: (w).
have [y [_]] := tr _ ow hl; rewrite /run /after foldl_rcons; move: (foldl _ _ w) => s; rewrite /read_letter.
case: (class_of m x) => [c|] //; case e: (step _ _ _) => [T [z|]] //= _.
exact: step_exactly one nb e.
Qed.

(* With exact codes an automaton that has a fork needs two layers. *)
Theorem FK3_exactly a m w u v t : in_class m -> size (layers m) = 1 -> without_boxes (layers m) ->
  over m w -> over m u -> over m v -> over m t -> fork a w u v -> has_label (labels_are m) t ->
  run_automaton (labels_are m) a (w ++ u ++ t) <> run_automaton (labels_are m) a (w ++ v ++ t) ->
  ~ tracks (@exactly F) a m.
Proof.
move=> cl one nb ow ou ov ot fk hl ne tr.
exact: (FK3 cl one (exactly_finite one nb tr) ow ou ov ot fk hl ne tr).
Qed.
End Exact.

(* Which letter was the first? *)
Definition first_letter : automaton :=
  Automaton (Table [:: b "a"; b "b"] [:: b "none"; b "a"; b "b"] 1%positive
    [:: [:: (2%positive, None); (3%positive, None)]; [:: (2%positive, None); (2%positive, None)];
        [:: (3%positive, None); (3%positive, None)]]) None None None.
Theorem first_letter_needs_two_layers m : in_class m -> size (layers m) = 1 -> without_boxes (layers m) ->
  labels_are m = States ->
  alphabet m = letter_names first_letter -> forall F, ~ tracks (@exactly F) first_letter m.
Proof.
move=> cl one nb st al F; have ov x : (Pos.to_nat x <= 2)%N -> over m [:: x].
  by move=> le; apply: List.Forall_cons (List.Forall_nil _); rewrite al.
apply: (FK3_exactly (w := [::]) (u := [:: 1%positive]) (v := [:: 2%positive]) (t := [::])) => //; rewrite ?st //.
- exact: ov.
- exact: ov.
- by exists [:: 2%positive], [:: 3%positive].
Qed.
Print Assumptions FK3.
Print Assumptions first_letter_needs_two_layers.
