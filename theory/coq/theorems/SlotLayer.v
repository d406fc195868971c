(* SlotLayer.v: one layer that holds slots of 0 and 1 (OL.8 of theory/pages/one-layer.md). A finite group whose loops
   are bands for the automaton gives a network of one layer with one head, one number a slot, beta in {1, 2} and no
   gates. BandGroups.v has a test that Coq can run. *)
From Coq Require Import List ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra fingroup.
From Lrnn Require Import Ast Print Automaton Model Numbers Exact Sound Main T3 Levels Covers Loops Slots.
From Lrnn Require NoFork.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* ---- a column of numbers, moved and overwritten --------------------------------------------------- *)

Section Column.
Variables (F : realFieldType) (n : nat).
Local Open Scope ring_scope.
Notation turns := (foldl (fun T f => turn (F := F) (n := n) (d := 1) false f T)).
Lemma turns_reflections ts f : (forall t, t \in ts -> [/\ (t.1 < n)%N, (t.2 < n)%N & t.1 != t.2]) ->
  turns (col n f) [seq reflection t | t <- ts] = col n (fun q => f (swaps (rev ts) q)).
Proof.
elim: ts f => //= t ts IH f ok; have [h1 h2 h3] := ok t (mem_head _ _).
rewrite turn_reflection // IH => [|s sin]; last by apply: ok; rewrite inE sin orbT.
by apply: col_eq => i _; rewrite rev_cons /swaps foldl_rcons.
Qed.
Lemma swaps_back ts q : swaps (rev ts) (swaps ts q) = q.
Proof.
by elim: ts q => //= t ts IH q; rewrite rev_cons /swaps foldl_rcons -!/(swaps _ _) /= IH swapK.
Qed.
Lemma turns_put (is_ : seq nat) (c : nat -> bool) f : (forall i, i \in is_ -> (i < n)%N) ->
  turns (col n f) [seq put i (c i) | i <- is_] = col n (fun q => if q \in is_ then (c q)%:R else f q).
Proof.
elim: is_ f => //= i r IH f ok; rewrite turn_put ?ok ?mem_head // IH => [|j jr]; last by apply: ok; rewrite inE jr orbT.
by apply: col_eq => q _; rewrite inE; case: (q =P i) => [->|_]; rewrite ?if_same.
Qed.
End Column.

Lemma error_nth (T : Type) (d : T) s i : i < size s -> nth_error s i = Some (nth d s i).
Proof. by elim: s i => // x s IH [|i] //=; apply: IH. Qed.

(* ---- the layer ------------------------------------------------------------------------------------- *)

Section Layer.
Variables (gT : finGroupType) (k' n' : nat).
Variables (h : 'I_k'.+1 -> gT) (delta : 'I_k'.+1 -> 'I_n'.+2 -> 'I_n'.+2) (q0 : 'I_n'.+2).
Notation A := 'I_k'.+1. Notation Q := 'I_n'.+2.
Notation slot_ := (slot gT [finType of A]). Notation contents_ := (contents gT [finType of A]).
Definition act_ (q : Q) (a : A) : Q := delta a q.

Definition slots : seq slot_ := enum [finType of slot_].
Definition K : nat := size slots.
Definition row (s : slot_) : nat := seq.index s slots.
Definition slot_at (i : nat) : slot_ := nth (None, 1%g) slots i.
Definition moved_row (a : A) (i : nat) : nat := row ((slot_at i).1, ((slot_at i).2 * h a)%g).
Definition overwritten (a : A) (i : nat) : option bool := written (slot_at i).1 ((slot_at i).2 * (h a)^-1)%g a.

Definition slot_action (a : A) : action :=
  Action one [::] ([seq reflection t | t <- transpositions [seq moved_row a i | i <- iota 0 K]] ++
    [seq put i (odflt false (overwritten a i)) | i <- [seq i <- iota 0 K | overwritten a i]]).
Definition marked (c : contents_) : smat := [seq (num i, 1%positive, one) | i <- iota 0 K & c (slot_at i)].
Definition all_contents : seq contents_ := enum [finType of contents_].
Definition slot_layer : layer :=
  Layer (Pos.of_nat k'.+1) (Pos.of_nat n'.+2)
    [:: Head (Pos.of_nat K) 1 false (marked (first_contents gT [finType of A])) [seq slot_action a | a <- enum A]]
    [seq Code (Symbol (Some (num (state_at h act_ q0 c)))) [:: marked c] | c <- all_contents] [::] ByState.

Lemma slot_lt s : row s < K. Proof. by rewrite /row index_mem mem_enum. Qed.
Lemma row_slot i : i < K -> row (slot_at i) = i. Proof. by move=> lt; rewrite /row index_uniq // enum_uniq. Qed.
Lemma slot_row s : slot_at (row s) = s. Proof. by rewrite /slot_at nth_index // mem_enum. Qed.
Lemma K_gt0 : 0 < K. Proof. exact: leq_ltn_trans (leq0n _) (slot_lt (None, 1%g)). Qed.
Lemma moved_permutes a : permutes K [seq moved_row a i | i <- iota 0 K].
Proof.
have at_ i : i < K -> nth 0 [seq moved_row a i | i <- iota 0 K] i = moved_row a i.
  by move=> lt; rewrite (nth_map 0) ?size_iota // nth_iota.
split=> [|i lt|i j lti ltj]; first by rewrite size_map size_iota.
  by rewrite at_ // slot_lt.
rewrite !at_ // => /(congr1 slot_at); rewrite !slot_row => -[e1 /mulIg e2].
by rewrite -(row_slot lti) -(row_slot ltj) [slot_at i]surjective_pairing e1 e2 -surjective_pairing.
Qed.

Section Field.
Variable F : realFieldType.
Notation R := (Pos.to_nat (Pos.of_nat K)).
Lemma rowsE : R = K. Proof. by rewrite Nat2Pos.id //; move: K_gt0; case: K. Qed.
Definition bits (c : contents_) (i : nat) : F := (c (slot_at i))%:R%R.
Definition vec c : 'M[F]_(R, 1) := col R (bits c).

Lemma markedE c : matrix_of F R 1 (marked c) = vec c.
Proof.
apply/matrixP=> i j; rewrite !mxE /bits (ord1 j) /entry2 /marked /=.
have lt : i < K by rewrite -[X in _ < X]rowsE.
case fd: (List.find _ _) => [z|].
  have [/List.in_map_iff[k [<- /NoFork.in_seq]]] := List.find_some _ _ fd.
  rewrite mem_filter /= andbT num_eqb => /andP[ck _] /eqP <-.
  by rewrite ck Qf1.
rewrite Qf0; case ci: (c (slot_at i)) => //.
have inL : List.In (num i, 1%positive, one) [seq (num i, 1%positive, one) | i <- iota 0 K & c (slot_at i)].
  by apply/List.in_map_iff; exists (i : nat); split=> //; apply/NoFork.in_seq; rewrite mem_filter ci mem_iota.
have := List.find_none _ _ fd _ inL; by rewrite /= num_eqb eqxx.
Qed.
Lemma vec_inj c c' : vec c = vec c' -> c = c'.
Proof.
move/matrixP=> e; apply/ffunP=> s; have lt : row s < R by rewrite rowsE slot_lt.
have := e (Ordinal lt) 0%R; rewrite !mxE /bits /= slot_row.
by case: (c s); case: (c' s) => // /eqP; rewrite ?oner_eq0 // eq_sym oner_eq0.
Qed.

Lemma slot_action_ok a c : act false (slot_action a) (vec c) = vec (next h c a).
Proof.
rewrite /act /= matrix_of_nil addr0 Qf1 scale1r foldl_cat.
have [h1 h2] := transpositions_ok (moved_permutes a).
rewrite turns_reflections => [|t /h2[? ? lt]]; last by rewrite rowsE; split=> //; rewrite ltn_eqF.
rewrite turns_put => [|i]; last by rewrite mem_filter mem_iota rowsE => /andP[_ /andP[_ ?]].
apply: col_eq => i; rewrite rowsE => lt; rewrite mem_filter mem_iota /= add0n lt andbT /bits ffunE /=.
rewrite -/(overwritten a i) /overwritten; case: (written _ _ a) => [b|] //=; congr (_%:R)%R; congr (c _).
set s := slot_at i; set s' : slot_ := (s.1, (s.2 * (h a)^-1)%g).
have -> : i = swaps (transpositions [seq moved_row a i | i <- iota 0 K]) (row s').
  rewrite h1 ?slot_lt // (nth_map 0) ?size_iota ?slot_lt // nth_iota ?slot_lt // add0n /moved_row !slot_row /=.
  by rewrite mulgKV -surjective_pairing row_slot.
by rewrite swaps_back slot_row.
Qed.

Lemma acts_slots (a : A) c :
  acts (hs := heads slot_layer) (num a) ((vec c, tt) : states F (heads slot_layer)) = (vec (next h c a), tt).
Proof.
rewrite /acts /= get_idx (_ : nth_error _ a = Some (slot_action a)) ?slot_action_ok //.
by rewrite List.nth_error_map (error_nth a) ?size_enum_ord //= nth_ord_enum.
Qed.
Lemma place_slots c :
  place (l := slot_layer) (num (seq.index c all_contents)) ((vec c, tt) : states F (heads slot_layer)).
Proof.
exists (Code (Symbol (Some (num (state_at h act_ q0 c)))) [:: marked c]); last by rewrite /= markedE.
have lt : seq.index c all_contents < size all_contents by rewrite index_mem mem_enum.
by rewrite get_idx /= List.nth_error_map (error_nth c) //= nth_index // mem_enum.
Qed.
Lemma back_slots k S : place (F := F) (l := slot_layer) k S ->
  exists c, k = num (seq.index c all_contents) /\ S = (vec c, tt).
Proof.
case=> d; rewrite get_nat => g ->; set q := Nat.pred (Pos.to_nat k) in g.
have lt : q < size all_contents.
  apply/ssrnat.ltP; have := proj1 (nth_error_Some (codes slot_layer) q).
  by rewrite g /= List.map_length; apply.
set c0 : contents_ := first_contents gT [finType of A]; exists (nth c0 all_contents q).
rewrite index_uniq ?enum_uniq // idx_nat; move: g; rewrite /= List.nth_error_map (error_nth c0) // => -[<-] /=.
by rewrite markedE.
Qed.
Lemma apart_slots : apart F slot_layer.
Proof. by apply: points_apart => // i j S /back_slots[c [-> ->]] /back_slots[c' [-> [/vec_inj ->]]]. Qed.
End Field.

Lemma slots_in_class : layer_in_class slot_layer.
Proof.
rewrite /layer_in_class /in_class /= !andbT; apply/List.forallb_forall=> x /List.in_map_iff[a [<- _]] /=.
have [_ h2] := transpositions_ok (moved_permutes a).
apply/List.forallb_forall=> f /List.in_app_iff[] /List.in_map_iff[].
  move=> t [<- /NoFork.in_seq/h2[lt _ _]]; apply: (@key_in_class _ _ t.1 K) => //.
  by rewrite /entry /= num_eqb eqxx.
move=> i [<- /NoFork.in_seq]; rewrite mem_filter mem_iota => /andP[_ /andP[_ lt]].
by apply: (@key_in_class _ _ i K) => //; rewrite /entry /= num_eqb eqxx.
Qed.
End Layer.

(* ---- automata given by their transitions ------------------------------------------------------------- *)

Section Automaton.
Variables (letters sts : seq name) (st : index) (edges : seq (seq edge)).
Variables (accepts_ : option (seq name)) (outputs_ : option (seq (name * name)))
  (added_ : option (index * bytes)) (hash : bytes).
Notation a := (Automaton (Table letters sts st edges) accepts_ outputs_ added_).
Variables (k' n' : nat) (gT : finGroupType) (h : 'I_k'.+1 -> gT).
Hypotheses (szl : size letters = k'.+1) (szs : size sts = n'.+2) (wf : well_formed a).
Notation delta_ := (@letter_map edges k' n').
Hypothesis bands : loops_are_bands h (act_ delta_).
Definition start_ : 'I_n'.+2 := inord (Nat.pred (Pos.to_nat st)).
Notation l := (slot_layer h delta_ start_).
Definition slot_network : network := Network hash false States letters None sts (Some st) [:: l].

Section Tracks.
Variables (F : realFieldType) (dec : forall l : layer, states F (heads l) -> option index).
Hypothesis right : right_on_codes (@dec).
Lemma slots_track : tracks (@dec) a slot_network.
Proof.
move=> w wv _; pose start_of := start_state szl szs wf.
have inv : exists v : seq 'I_k'.+1, let q := state_of (act_ delta_) start_ v in
    reached States a w = Some ([:: num q], Some (nth_name sts (num q))) /\
    after (@dec) slot_network w = (((vec F (contents_after h v), tt), tt), Some (num q)).
  elim/last_ind: w wv => [_|w x IH].
    by exists [::]; rewrite /= /after /= markedE /state_of /= start_of.
  rewrite -cats1 => wv; have [wv' wx] := proj1 (List.Forall_app _ _ _) wv.
  have [v [rq aft]] := IH wv'; set q := state_of _ _ v in rq aft; set k := Nat.pred (Pos.to_nat x).
  have ltk : k < k'.+1.
    move: (List.Forall_inv wx) => /= /ssrnat.leP; rewrite -[List.length letters]/(size letters) szl.
    by have := Pos2Nat.is_pos x; rewrite /k => ? ?; apply/ssrnat.ltP; lia.
  have ex : x = num (inord k : 'I_k'.+1) by rewrite inordK ?idx_nat.
  exists (rcons v (inord k)); rewrite /state_of /does foldl_rcons -/(does _ _ v) -/(state_of _ _ v) -/q /act_.
  split.
    by rewrite /reached List.fold_left_app -/(reached States a w) rq /= -(idx_nat x) -/k (delta_table szl szs wf).
  rewrite /after foldl_cat -/(after (@dec) slot_network w) aft after_rcons.
  have -> (S : net_state F (layers slot_network)) y :
    foldl (read_letter dec (m := slot_network)) (S, y) [:: x] = step (ls := layers slot_network) dec x S by [].
  set c := next h (contents_after h v) (inord k).
  have acE : acts (hs := heads l) x ((vec F (contents_after h v), tt) : states F (heads l)) = (vec F c, tt).
    by rewrite ex acts_slots.
  have pl := @place_slots gT k' n' h delta_ start_ F c; have ap := @apart_slots gT k' n' h delta_ start_ F.
  have dE := right ap pl; change (layers slot_network) with [:: l]; cbn [step]; rewrite [fst _]/= [snd _]/= acE dE.
  rewrite /symbol /= get_idx /= List.nth_error_map (error_nth c); last by rewrite index_mem mem_enum.
  rewrite /= nth_index ?mem_enum // /c -after_rcons state_at_right //.
  by rewrite /state_of /does foldl_rcons.
have [v [rq aft]] := inv; set q := state_of _ _ v in rq aft; exists (nth_name sts (num q)).
rewrite /run_automaton /run [labels_are _]/= rq aft /= get_idx; split=> //.
rewrite /nth_name SuccNat2Pos.id_succ; apply: nth_error_nth'; apply/ssrnat.ltP.
by rewrite -[List.length sts]/(size sts) szs ltn_ord.
Qed.
End Tracks.
End Automaton.

(* OL.8: where a finite group has bands as its loops, one layer tracks the automaton. *)
Theorem one_layer_of_words a letters sts st edges k' n' (gT : finGroupType) (h : 'I_k'.+1 -> gT) (hash : bytes) :
  well_formed a -> shape a = Table letters sts st edges -> size letters = k'.+1 -> size sts = n'.+2 ->
  loops_are_bands h (act_ (letter_map edges (n' := n'))) ->
  exists m, [/\ in_class m, size (layers m) = 1, NoFork.without_boxes (layers m), labels_are m = States &
    alphabet m = letter_names a /\ forall F, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
case: a => sh acc out more wf /= e szl szs bands; rewrite {}e in wf *.
exists (slot_network letters sts st edges hash n' h); split=> //.
  by apply: in_class_layers => l [<-|//]; apply: slots_in_class.
  by move=> l [<-|[]].
by split=> // F; split; apply: slots_track => //; [apply: exactly_right | apply: nearest_right].
Qed.

Print Assumptions one_layer_of_words.
