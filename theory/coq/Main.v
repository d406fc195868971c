(* Main.v: the theorems about the checker. *)
From Coq Require Import List ZArith QArith Lia FMapPositive Bool Ascii.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Check Exact Sound.
From Lrnn Require Parse.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* ---- both decoders are right where the state has a code ----------------------------------- *)

Section Decoders.
Variable F : realFieldType.

Lemma first_of_ok A (f : A -> bool) l i x : get l i = Some x -> f x ->
  (forall j y, get l j = Some y -> f y -> j = i) -> first_of f 1%positive l = Some i.
Proof.
move=> gx fx one.
have below j y : (j < Nat.pred (Pos.to_nat i))%N -> nth_error l j = Some y -> f y = false.
  move=> lt gy; apply/negbTE/negP=> /(one (idx j)) e; move: lt.
  by rewrite -e ?get_idx // SuccNat2Pos.id_succ ltnn.
suff gen m n : nth_error m n = Some x -> (forall j y, (j < n)%N -> nth_error m j = Some y -> f y = false) ->
    forall k, first_of f (idx k) m = Some (idx (k + n)%N).
  by have := gen l _ gx below 0%N; rewrite add0n idx_nat.
elim: m n {gx below} => [|z m IH] [|n] //= => [[->] _ k|gn below k]; first by rewrite fx addn0.
rewrite (below 0%N z) // -addSnnS -(IH n gn) // => j y lt gj.
exact: (below j.+1).
Qed.
Lemma exactly_right : right_on_codes (@exactly F).
Proof.
move=> l i S ap pl; have one j := apart_one (j := j) ap pl.
move: pl one; rewrite /exactly /place; case: (boxes l) => [|y ys] [c gc h] one; apply: first_of_ok gc _ _.
- exact/sameP.
- by move=> j c' gj /sameP e; rewrite (one j) //; exists c'.
- by [].
- by move=> j c' gj ins; rewrite (one j) //; exists c'.
Qed.

Lemma nearest_right : right_on_codes (@nearest F).
Proof.
move=> l i S ap pl; rewrite /nearest; have [c gc near] := ap _ _ pl.
set n := Nat.pred (Pos.to_nat i); have ei : i = idx n by rewrite idx_nat.
have ltn : (n < List.length (codes l))%N by apply/ssrnat.ltP/nth_error_Some; rewrite -/(get (codes l) i) gc.
have cE : states_of F (heads l) (matrices c) = code_state F l n by rewrite /code_state (nth_error_nth _ _ _ gc).
have less k : (k < List.length (codes l))%N -> k != n -> distance S (code_state F l n) < distance S (code_state F l k).
  move=> lt ne; rewrite -cE; apply: (near (idx k)).
    by rewrite get_idx; apply: nth_error_nth'; apply/ssrnat.ltP.
  by rewrite ei => /SuccNat2Pos.inj e; rewrite e eqxx in ne.
have -> : [seq m <- iota 0 (List.length (codes l)) |
    all (fun k => (k == m) || (distance S (code_state F l m) < distance S (code_state F l k)))
        (iota 0 (List.length (codes l)))] = [:: n]; last by rewrite ei.
rewrite -[[:: n]](filter_pred1_uniq (iota_uniq 0 (List.length (codes l)))) ?mem_iota ?add0n //.
apply: eq_in_filter => m; rewrite mem_iota add0n => /= ltm.
apply/allP/eqP => [/(_ n)|-> k]; rewrite mem_iota add0n => /= h.
  move: (h ltn); case: (n =P m) => // ne /=; rewrite ltNge ltW // less //.
  by apply/eqP=> e; apply: ne.
by case: eqP => //= /eqP ne; apply: less.
Qed.
End Decoders.

(* ---- the theorems ------------------------------------------------------------------------- *)

(* Over any ordered field, for the network that answers where its state is a code or in a box. *)
Theorem check_sound (F : realFieldType) a m c : check a m c = true -> tracks (@exactly F) a m.
Proof. exact: (check_tracks (@exactly_right F)). Qed.

(* The same for the network that answers by the nearest code. *)
Theorem check_sound_nearest (F : realFieldType) a m c : check a m c = true -> tracks (@nearest F) a m.
Proof. exact: (check_tracks (@nearest_right F)). Qed.

(* For files: fsa and lrnn are the bytes of automaton.fsa and network.lrnn. They spell a and m, and by Parse.v
   nothing else; a, m and c are hints, whatever parser they are from. *)
Theorem check_files_sound (fsa lrnn : bytes) a m c : check_files fsa lrnn a m c = true ->
  [/\ fsa = print_automaton a, lrnn = print_network m,
      [/\ well_formed a, in_class m & well_spelled m], alphabet m = letter_names a &
      forall F : realFieldType, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
rewrite /check_files => /andP[/andP[/spells_ok -> /spells_ok ->] ok]; split=> //; last first.
- by move=> F; split; [apply: check_sound ok | apply: check_sound_nearest ok].
- by move: ok; rewrite /check; case: mapo => // ds; case: c => // r c /andP[/andP[/andP[/andP[_ /same_namesP]]]].
- by move: ok; rewrite /check; case: mapo => // ds; case: c => // r c /andP[/andP[/andP[/andP[/andP[wf /andP[cl ws]] _] _] _] _].
Qed.

(* The same by what the bytes mean: the automaton and the network that they spell, of which there is only one
   each (Parse.v), agree after every word. *)
Corollary check_files_meaning (fsa lrnn : bytes) a m c : check_files fsa lrnn a m c = true ->
  [/\ Parse.parse_automaton fsa = Some a, Parse.parse_network lrnn = Some m &
      forall F : realFieldType, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
case/check_files_sound=> -> -> [wf _ ws] _ t; split=> //; first exact: Parse.parse_print_automaton.
exact: Parse.parse_print_network.
Qed.
Print Assumptions check_files_sound.
Print Assumptions check_files_meaning.
