(* BandGroups.v: a test that Coq runs (OL.7 and OL.8 of theory/pages/one-layer.md). For an automaton and one permutation
   for each of its letters, it lists the maps that words make; if it says true, one layer tracks the automaton. *)
From Coq Require Import List ZArith QArith Lia String.
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From Lrnn Require Import Ast Print Automaton Model T3 Levels Covers Loops Slots SlotLayer.
From Lrnn Require NoFork.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

(* Words are pairs: the images of the states, and the images of the points of a group of permutations. *)
Definition tables := (seq nat * seq nat)%type.
Definition then_ (t u : seq nat) : seq nat := [seq nth 0 u i | i <- t].
Definition after_pair (p r : tables) : tables := (then_ p.1 r.1, then_ p.2 r.2).
(* The pairs of all words, from the letters' pairs, in at most so many rounds. *)
Fixpoint close (rounds : nat) (gens known new : seq tables) : seq tables :=
  if rounds is k.+1 then
    let fresh := undup [seq p <- new | p \notin known] in
    if fresh is [::] then known else close k gens (known ++ fresh) (allpairs after_pair fresh gens)
  else known.
(* gens: the pairs of the letters; L: the pairs of all words. *)
Definition pairs_are_bands (d : nat) (gens L : seq tables) : bool :=
  let E := [seq p.1 | p <- L & p.2 == iota 0 d] in
  [&& all (fun r : tables => perm_eq r.2 (iota 0 d)) gens, all (mem L) gens,
      all (fun p => all (fun r => after_pair p r \in L) gens) L &
      all (fun t => (then_ t t == t) && all (fun u => then_ t (then_ u t) == then_ u t) E) E].
Definition letter_pairs (n : nat) (edges : seq (seq edge)) (perms : seq (seq nat)) : seq tables :=
  [seq (letter_images n edges x, nth [::] perms x) | x <- iota 0 (size perms)].
(* The letters of the automaton go with these permutations of 0, .., d - 1. *)
Definition band_group (a : automaton) (d : nat) (perms : seq (seq nat)) : bool :=
  if shape a is Table letters sts st edges then
    let gens := letter_pairs (size sts) edges perms in
    [&& well_formed a, 1 < size sts, 0 < d, size perms == size letters &
        pairs_are_bands d gens (close 1000 gens [::] gens)]
  else false.

Section Test.
Variables (edges : seq (seq edge)) (perms : seq (seq nat)) (k' n' d' : nat) (L : seq tables).
Notation gens := (letter_pairs n'.+2 edges perms).
Hypothesis maps_ok : forall x q, x < k'.+1 -> q < n'.+2 -> after_letter edges x q < n'.+2.
Hypotheses (szp : size perms = k'.+1) (tested : pairs_are_bands d'.+1 gens L).
Notation act := (act_ (letter_map edges (k' := k') (n' := n'))).
Definition perm_of (x : 'I_k'.+1) : 'S_d'.+1 :=
  odflt 1%g [pick s : 'S_d'.+1 | [forall i, val (s i) == nth 0 (nth [::] perms x) i]].

Lemma perms_ok (x : 'I_k'.+1) : perm_eq (nth [::] perms x) (iota 0 d'.+1).
Proof.
have /and4P[/allP /(_ (nth ([::], [::]) gens x)) h _ _ _] := tested.
have lt : x < size gens by rewrite size_map size_iota szp.
by move: (h (mem_nth _ lt)); rewrite (nth_map 0) ?size_iota ?szp // nth_iota ?szp.
Qed.
Lemma perm_ofE x i : perm_of x i = nth 0 (nth [::] perms x) i :> nat.
Proof.
set g := nth [::] perms x; have pg : perm_eq g (iota 0 d'.+1) := perms_ok x.
have szg : size g = d'.+1 by rewrite (perm_size pg) size_iota.
have lt j : j < d'.+1 -> nth 0 g j < d'.+1.
  by move=> lj; have := mem_nth 0 (s := g) (n := j); rewrite szg (perm_mem pg) mem_iota => /(_ lj).
have inj : injective (fun j : 'I_d'.+1 => inord (nth 0 g j) : 'I_d'.+1).
  move=> j j' /(congr1 val); rewrite /= !inordK ?lt // => /eqP.
  by rewrite nth_uniq ?szg ?ltn_ord // ?(perm_uniq pg) ?iota_uniq // => /eqP /val_inj.
rewrite /perm_of; case: pickP => [s /forallP /(_ i) /eqP -> //|/(_ (perm inj)) /negP[]].
by apply/forallP=> j; rewrite permE /= inordK // lt.
Qed.
Definition word_pair (w : seq 'I_k'.+1) : tables :=
  ([seq val (does act q w) | q <- enum 'I_n'.+2], [seq val ((\prod_(x <- w) perm_of x)%g i) | i <- enum 'I_d'.+1]).
Lemma letter_pair_in (x : 'I_k'.+1) : (letter_images n'.+2 edges x, nth [::] perms x) \in gens.
Proof. by apply/mapP; exists (x : nat) => //; rewrite mem_iota szp ltn_ord. Qed.
Lemma pair_rcons w x : word_pair (rcons w x) = after_pair (word_pair w) (letter_images n'.+2 edges x, nth [::] perms x).
Proof.
congr pair; rewrite /= /then_ -map_comp; apply: eq_map => i /=.
  by rewrite /does foldl_rcons /= images_nth ?ltn_ord // /act_ /letter_map inordK // maps_ok.
by rewrite -cats1 big_cat /= big_seq1 permM perm_ofE.
Qed.
Lemma pair_letter x : word_pair [:: x] = (letter_images n'.+2 edges x, nth [::] perms x).
Proof.
congr pair.
  rewrite /letter_images -[List.map _ _]/[seq after_letter edges x q | q <- iota 0 n'.+2] -val_enum_ord -[RHS]map_comp.
  by apply: eq_map => q; rewrite /= /act_ /letter_map inordK // maps_ok.
have sz : size (nth [::] perms x) = d'.+1 by rewrite (perm_size (perms_ok x)) size_iota.
rewrite -[RHS](mkseq_nth 0) sz /mkseq -val_enum_ord -[RHS]map_comp; apply: eq_map => i.
by rewrite /= big_seq1 perm_ofE.
Qed.
Lemma pair_in w : w <> [::] -> word_pair w \in L.
Proof.
have /and4P[_ /allP gensL /allP closed_ _] := tested; elim/last_ind: w => // w x IH _.
case: (w =P [::]) => [->|/IH inL]; first by rewrite pair_letter; apply/gensL/letter_pair_in.
by rewrite pair_rcons; move/allP: (closed_ _ inL); apply; apply: letter_pair_in.
Qed.
Lemma then_does u w : then_ (word_pair u).1 (word_pair w).1 = (word_pair (u ++ w)).1.
Proof.
rewrite /then_ /= -map_comp; apply: eq_map => q; rewrite /= does_cat (nth_map ord0) ?size_enum_ord //.
by rewrite nth_ord_enum.
Qed.
Lemma tested_bands : loops_are_bands perm_of act.
Proof.
have /and4P[_ _ _ /allP bands] := tested; move=> u k q pu pk nu nk.
have inE_ w : (\prod_(a <- w) perm_of a)%g = 1%g -> w <> [::] ->
    (word_pair w).1 \in [seq p.1 | p <- L & p.2 == iota 0 d'.+1].
  move=> pw nw; have e : (word_pair w).2 = iota 0 d'.+1.
    by rewrite -val_enum_ord /word_pair pw; apply: eq_map => i; rewrite perm1.
  by apply: map_f; rewrite mem_filter pair_in // e eqxx.
have same_ w w' : (word_pair w).1 = (word_pair w').1 -> does act q w = does act q w'.
  move=> e; apply: val_inj; have := congr1 (nth 0^~ q) e.
  have at_ v : nth 0 (word_pair v).1 q = does act q v by rewrite (nth_map ord0) ?size_enum_ord // nth_ord_enum.
  by rewrite !at_.
have /andP[/eqP uu /allP /(_ _ (inE_ k pk nk)) /eqP uku] := bands _ (inE_ u pu nu).
by split; apply: same_; [rewrite -then_does | rewrite -!then_does].
Qed.
End Test.

(* OL.8 for an automaton and a group of permutations at hand. *)
Theorem one_layer_by_test a d perms (hash : bytes) : band_group a d perms ->
  exists m, [/\ in_class m, size (layers m) = 1, NoFork.without_boxes (layers m), labels_are m = States &
    alphabet m = letter_names a /\ forall F, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
rewrite /band_group; case sh: (shape a) => [letters sts st edges|//]; case/and5P=> wf n1 d0 /eqP szp tested.
case szs: (size sts) n1 tested => [|[|n']] // _ tested; case: d d0 tested => // d' _ tested.
have [k' szl] : exists k', size letters = k'.+1.
  by case: letters sh wf {szp} => [|x r] sh wf; [move: wf; rewrite /well_formed /letter_names sh | exists (size r)].
rewrite szl in szp; apply: (one_layer_of_words hash wf sh szl szs (h := @perm_of perms k' d')).
apply: tested_bands tested => // x q ltx ltq; case: a sh wf => sh' acc out more /= -> wf.
have [r [er [szr ok]]] := row_of_state szl szs wf ltq.
rewrite /after_letter (List.nth_error_nth _ _ _ er) -/(List.nth x r _).
have [e ee] : exists e, nth_error r x = Some e by exists (nth (1%positive, None) r x); apply: error_nth; rewrite szr.
have := ok _ (nth_error_In _ _ ee); have := Pos2Nat.is_pos e.1; rewrite (List.nth_error_nth _ _ _ ee).
by move=> p0 /ssrnat.leP le; apply/ssrnat.ltP; lia.
Qed.

(* The automaton 021 100 of docs/census.md: a exchanges the states 1 and 2, and b takes 0 to 1 and the others to 0. Its
   group has 4 elements. *)
Definition example : automaton :=
  let e q := (q, None) in
  Automaton (Table [:: b "a"; b "b"] [:: b "0"; b "1"; b "2"] 1%positive
    (List.map (List.map e) [:: [:: 1; 2]; [:: 3; 1]; [:: 2; 1]])%positive) None None None.
Theorem example_in_one_layer (hash : bytes) : exists m,
  [/\ in_class m, size (layers m) = 1, NoFork.without_boxes (layers m), labels_are m = States &
    alphabet m = letter_names example /\ forall F, tracks (@exactly F) example m /\ tracks (@nearest F) example m].
Proof.
apply: (@one_layer_by_test example 4 [:: [:: 0; 1; 3; 2]; [:: 1; 0; 2; 3]] hash).
by vm_compute.
Qed.
Print Assumptions one_layer_by_test.
Print Assumptions example_in_one_layer.
