(* Obstruct.v: on u w w w .. the labels of a network have a period, from some length on, if the products of its
   letters have real eigenvalues (OB.3 of theory/pages/obstruct.md; Counting.v has T1 and T2).

   Networks are those of Model.v, with any number of layers and heads. Nothing is rounded. *)
From Coq Require Import List ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Spelling Model Recurrences T1 Periods.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.

(* ---- statement ------------------------------------------------------------------------------- *)

(* The letters of u w w w .., and its first t letters. *)
Definition letter_at (u w : seq index) t : index :=
  if t < size u then nth 1%positive u t else nth 1%positive w ((t - size u) %% size w).
Definition prefix u w t : seq index := mkseq (letter_at u w) t.
(* What the first layer reads of a word. *)
Definition class_word (m : network) (w : seq index) : seq index := [seq odflt 1%positive (class_of m x) | x <- w].

Section Statement.
Variable F : realFieldType.

(* In every head of layer l the matrices of these words have eigenvalues in F only, and they satisfy p. *)
Definition products (p : pred F) (l : layer) (words : seq index -> Prop) : Prop :=
  forall v h, words v -> List.In h (heads l) -> only_eigenvalues p (word_matrix F h v).
(* Words of P of the letters 1 .. k. *)
Definition words_over (k : positive) (P : nat) (v : seq index) : Prop :=
  size v = P /\ all (fun x => Pos.to_nat x <= Pos.to_nat k) v.

(* Q = P_L for the layers ls above a period P: the period doubles where eigenvalues are real but may be negative.
   A layer reads the symbols of the one below. *)
Fixpoint periods (ls : list layer) (words : seq index -> Prop) (P Q : nat) : Prop :=
  if ls is l :: r then
    products (@nonneg F) l words /\ periods r (words_over (gives l) P) P Q \/
    products predT l words /\ periods r (words_over (gives l) P.*2) P.*2 Q
  else P = Q.
End Statement.

(* ---- symbols are letters of the layer above --------------------------------------------------- *)

Definition symbols_in (l : layer) := forall x i y, symbol l x i = Some y -> Pos.to_nat y <= Pos.to_nat (gives l).

Lemma get_in A (l : list A) i x : get l i = Some x -> List.In x l.
Proof. exact: nth_error_In. Qed.
Lemma pos_le i j : Pos.leb i j -> Pos.to_nat i <= Pos.to_nat j.
Proof. by move/Pos.leb_le/Pos2Nat.inj_le/leP. Qed.
Lemma yields_in l n x0 i0 ys y : yields_from l n x0 i0 ys -> List.In y ys -> Pos.leb y.2 (gives l).
Proof. by elim: ys x0 i0 => [//|[[x i] z] ys IH] x0 i0 /= /andP[/andP[_ h] /IH r] [<-|/r]. Qed.
Lemma layer_symbols k l : layer_ok k l -> symbols_in l.
Proof.
rewrite /layer_ok => /andP[/andP[/andP[_ /List.forallb_forall codes_] _] decoder_] x i y; rewrite /symbol.
move: decoder_; rewrite /decoder_ok; case e: (decode_by l) => [|ys|sizes tables].
- move=> _; case gc: (get (codes l) i) => [c|//]; case s: (says c) => [z||] // ez.
  by move: (codes_ _ (get_in gc)); rewrite /code_ok e s ez => /andP[/pos_le].
- move=> ok; case f: (List.find _ ys) => [z|//] [<-]; apply: pos_le.
  exact: yields_in ok (proj1 (List.find_some _ _ f)).
- case/andP=> _ /List.forallb_forall ok; case gt: (get tables x) => [t|//].
  case: (get (codes l) i) => [c|//]; case: (says c) => // vs; case: (get vs t.1) => [v|//].
  case g: (get t.2 v) => [z|//] ez; move: (ok _ (get_in gt)); rewrite /table_ok.
  case: (get sizes t.1) => [n|//] /andP[_ /List.forallb_forall/(_ _ (get_in g))].
  by rewrite ez => /pos_le.
Qed.
Lemma layers_symbols k n ls : layers_ok k n ls -> forall l, List.In l ls -> symbols_in l.
Proof.
elim: ls k => [//|l ls IH] k ok l' /= [<-|].
  by case: ls ok {IH} => [|l2 ls] /andP[/layer_symbols].
by case: ls ok IH => [//|l2 ls] /andP[_ ok] IH inl; apply: IH ok _ inl.
Qed.

Section OB3.
Variable F : realFieldType.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_settles : settling (@decode).

(* ---- layers, from the bottom to the top -------------------------------------------------------- *)

Lemma stack_repeats ls (words : seq index -> Prop) (x : nat -> index) (T : nat -> net_state F ls) y N P Q :
  (forall l, List.In l ls -> symbols_in l) -> 0 < P ->
  (forall t, N <= t -> step (@decode) (x t) (T t) = (T t.+1, y t)) -> (forall t, N <= t -> y t <> None) ->
  (forall t, N <= t -> x (t + P) = x t) -> (forall t, N <= t -> words (block x P t)) ->
  periods F ls words P Q -> ~ ~ repeats y Q.
Proof.
elim: ls words x T y N P => [|l ls IH] words x T y N P sym P0 runs lab per wd.
  move=> /= <-; apply; exists N => t le; have := runs t le; have := runs (t + P) (leq_trans le (leq_addr _ _)).
  by move=> /= [_ <-] [_ <-]; rewrite per.
pose S t := (T t).1; pose z t := if decode (S t.+1) is Some i then symbol l (x t) i else None.
pose x' t := odflt 1%positive (z t).
have go t : N <= t -> [/\ S t.+1 = acts (x t) (S t), z t = Some (x' t) &
    step (@decode) (x' t) (T t).2 = ((T t.+1).2, y t)].
  move=> le; have := runs t le; have := lab t le; rewrite /x' /z /S /=.
  case ed: (decode _) => [i|]; last by move=> + [_ e]; rewrite -e.
  case es: (symbol _ _ _) => [s|]; last by move=> + [_ e]; rewrite -e.
  by case er: (step _ _ _) => [R q] _ [<- <-] /=; rewrite ed es.
have next Q1 : repeats (fun t => decode (S t)) Q1 -> (forall t, N <= t -> x (t + Q1) = x t) -> 0 < Q1 ->
    periods F ls (words_over (gives l) Q1) Q1 Q -> ~ ~ repeats y Q.
  case=> M rep per1 Q10; apply: (IH _ x' (fun t => (T t).2) y (maxn N M)) => // [l' inl|t|t|t|t].
  - by apply: sym; right.
  - by rewrite geq_max => /andP[/go[]].
  - by rewrite geq_max => /andP[/lab].
  - by rewrite geq_max => /andP[le leM]; rewrite /x' /z -addSn rep ?(leqW leM) // per1.
  - rewrite geq_max => /andP[le _]; split; first by rewrite size_mkseq.
    rewrite all_map; apply/allP=> i _ /=; have [_ ez _] := go _ (leq_trans le (leq_addr i t)).
    move: ez; rewrite {1}/z; case: (decode _) => // c es; apply: (sym l _ _ _ _ es); by left.
have runs' t : N <= t -> S t.+1 = acts (x t) (S t) by case/go.
have real p : products p l words -> real_blocks l x N P p by move=> pr t h le; apply: pr (wd t le).
case=> -[/real pr pq] nh.
  by apply: (layer_repeats decode_settles runs' per P0 pr) => rep; apply: (next P) nh.
apply: (layer_repeats_twice decode_settles runs' per P0 pr) => rep; apply: (next P.*2) nh => // [t le|].
  by rewrite -addnn addnA !per // (leq_trans le) ?leq_addr.
by rewrite double_gt0.
Qed.

(* ---- the first layer --------------------------------------------------------------------------- *)

Lemma prefix_rcons u w t : prefix u w t.+1 = rcons (prefix u w t) (letter_at u w t).
Proof. by rewrite /prefix /mkseq -[in LHS]addn1 iotaD map_cat /= cats1. Qed.
Lemma letter_at_later u w k : letter_at u w (size u + k) = nth 1%positive w (k %% size w).
Proof. by rewrite /letter_at ltnNge leq_addr addKn. Qed.

Lemma mkseq_rot Y (f : nat -> Y) n k : k <= n -> mkseq (fun i => f ((k + i) %% n)) n = rot k (mkseq f n).
Proof.
move=> le; rewrite /rot /mkseq -map_drop -map_take drop_iota take_iota (minn_idPl le) add0n.
rewrite -[X in iota 0 X](subnK le) iotaD map_cat; congr (_ ++ _).
  rewrite -[in RHS](addn0 k) iotaDl -map_comp addn0; apply/eq_in_map=> i /=; rewrite mem_iota add0n => /andP[_ lt].
  by rewrite modn_small // -ltn_subRL.
rewrite add0n -[X in iota X k]addn0 iotaDl -map_comp; apply/eq_in_map=> i /=.
rewrite mem_iota => /andP[_ lt]; rewrite addnA subnKC // modnDl modn_small //; exact: leq_trans lt le.
Qed.
(* Where w has real eigenvalues its rotations have. *)
Lemma products_rot (p : pred F) l v : p 0%R -> products p l (eq v) ->
  products p l (fun v' => exists k, v' = rot k v).
Proof.
move=> p0 pr v' h [k ->] inh; rewrite /rot /word_matrix product_cat; apply: only_swap p0 _.
by rewrite -product_cat cat_take_drop; apply: pr inh.
Qed.
Lemma periods_rot ls v P Q : periods F ls (eq v) P Q -> periods F ls (fun v' => exists k, v' = rot k v) P Q.
Proof.
case: ls => //= l ls [] [pr h]; [left | right]; split=> //; apply: products_rot pr => //.
exact: Order.POrderTheory.lexx.
Qed.

(* Either there is no label at infinitely many lengths, or the labels have the period Q from some length on. *)
Theorem OB3 m u w Q (label := fun t => run (@decode) m (prefix u w t)) :
  well_spelled m -> w <> [::] -> periods F (layers m) (eq (class_word m w)) (size w) Q ->
  (exists N, forall t, N <= t -> label t <> None) -> ~ ~ repeats label Q.
Proof.
move=> ok w0 pq [N lab]; set W := class_word m w in pq.
have P0 : 0 < size w by case: (w) w0.
pose x t := odflt 1%positive (class_of m (letter_at u w t)).
pose T t := (after (@decode) m (prefix u w t)).1; pose y t := (after (@decode) m (prefix u w t.+1)).2.
set M := maxn N (size u).
have aft t : after (@decode) m (prefix u w t.+1) =
    if class_of m (letter_at u w t) is Some c then step (@decode) c (T t) else (T t, None).
  by rewrite prefix_rcons /after foldl_rcons.
have go t : M <= t -> step (@decode) (x t) (T t) = (T t.+1, y t).
  rewrite geq_max => /andP[le _]; have := lab t.+1 (leqW le).
  rewrite /y /label /run [T t.+1]/T aft /x; case: (class_of m _) => [c|] /=; last by case.
  by case: (step _ _ _).
suff: ~ ~ repeats y Q.
  move=> h nh; apply: h => -[K h]; apply: nh; exists K.+1 => -[|t] // le.
  by rewrite /label /run addSn -/(y _) -/(y t) h.
apply: (stack_repeats (words := fun v => exists k, v = rot k W) (x := x) (T := T) (N := M) _ P0) (periods_rot pq).
- by move: ok; rewrite /well_spelled => /andP[_] /andP[_]; apply: layers_symbols.
- exact: go.
- rewrite /y => t; rewrite geq_max => /andP[le _] e.
  by apply: (lab t.+1 (leqW le)); rewrite /label /run e.
- move=> t; rewrite geq_max => /andP[_ le]; rewrite /x -(subnKC le) -addnA !letter_at_later.
  by rewrite modnDr.
- move=> t; rewrite geq_max => /andP[_ le]; exists ((t - size u) %% size w).
  have sW : size w = size W by rewrite size_map.
  have eW : W = mkseq (nth 1%positive W) (size w) by rewrite sW mkseq_nth.
  rewrite eW -mkseq_rot ?(ltnW (ltn_pmod _ P0)) //; apply: eq_mkseq => i.
  rewrite -{1}(subnKC le) -addnA /x letter_at_later modnDml (nth_map 1%positive) //.
  by rewrite ltn_mod.
Qed.
Corollary OB3_page m u w Q (label := fun t => run (@decode) m (prefix u w t)) :
  well_spelled m -> w <> [::] -> periods F (layers m) (eq (class_word m w)) (size w) Q ->
  ~ ~ ((forall N, ~ ~ exists2 t, N <= t & label t = None) \/ repeats label Q).
Proof.
move=> ok w0 pq nh; apply: (nh); left=> N none; apply: (OB3 (u := u) ok w0 pq) => [|rep]; last first.
  by apply: nh; right.
by exists N => t le e; apply: none; exists t.
Qed.
End OB3.
