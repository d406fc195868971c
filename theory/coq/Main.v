(* Main.v: the theorems about the checker. *)
From Coq Require Import List ZArith QArith Lia FMapPositive Bool Ascii.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Check Exact Sound.
From Lrnn Require Parse.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(* ---- both decoders are right where the state is a code ------------------------------------ *)

Section Decoders.
Variable F : realFieldType.

Lemma exactly_right : right_on_codes (@exactly F).
Proof.
move=> l i S ap pl; rewrite /exactly.
have [c gc eS] := pl; have below j cj : (j < Nat.pred (Pos.to_nat i))%N -> nth_error (codes l) j = Some cj ->
    same S (states_of F (heads l) (matrices cj)) = false.
  move=> lt gj; apply/negbTE/negP=> /sameP e; have pj : place (idx j) S by exists cj; rewrite ?get_idx.
  by move: lt; rewrite (ap _ _ _ pl pj) SuccNat2Pos.id_succ ltnn.
suff gen cs m n : nth_error cs n = Some c ->
    (forall j cj, (j < n)%N -> nth_error cs j = Some cj -> same S (states_of F (heads l) (matrices cj)) = false) ->
    find_code S (idx m) cs = Some (idx (m + n)%N).
  by have := gen (codes l) 0%N _ gc below; rewrite add0n idx_nat.
elim: cs m n {gc below} => [|d cs IH] m [|n] //=.
  by case=> -> _; rewrite (proj2 (sameP _ _) eS) addn0.
move=> gn below; rewrite (below 0%N d) // -addSnnS -(IH m.+1 n gn) // => j cj lt gj.
exact: (below j.+1).
Qed.

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

Lemma nearest_right : right_on_codes (@nearest F).
Proof.
move=> l i S ap pl; rewrite /nearest; have [c gc eS] := pl.
set n := Nat.pred (Pos.to_nat i); have ei : i = idx n by rewrite idx_nat.
have Sn : S = code_state F l n by rewrite /code_state (nth_error_nth _ _ _ gc).
have ltn : (n < List.length (codes l))%N by apply/ssrnat.ltP/nth_error_Some; rewrite -/(get (codes l) i) gc.
have pos k : (k < List.length (codes l))%N -> k != n -> 0 < distance S (code_state F l k).
  move=> lt ne; rewrite lt_def distance_ge0 andbT; apply/eqP=> /distance_eq0 e.
  case/eqP: ne; have gk : nth_error (codes l) k = Some (List.nth k (codes l) (Code (Symbol None) [::])).
    by apply: nth_error_nth'; apply/ssrnat.ltP.
  have pk : place (idx k) S by exists (List.nth k (codes l) (Code (Symbol None) [::])); rewrite ?get_idx.
  by have := ap _ _ _ pk pl; rewrite ei => /SuccNat2Pos.inj.
have d0 : distance S (code_state F l n) = 0 by apply/distance_eq0.
have -> : [seq m <- iota 0 (List.length (codes l)) |
    all (fun k => (k == m) || (distance S (code_state F l m) < distance S (code_state F l k)))
        (iota 0 (List.length (codes l)))] = [:: n]; last by rewrite ei.
rewrite -[[:: n]](filter_pred1_uniq (iota_uniq 0 (List.length (codes l)))) ?mem_iota ?add0n //.
apply: eq_in_filter => m; rewrite mem_iota add0n => /= ltm.
apply/allP/eqP => [/(_ n)|-> k]; rewrite mem_iota add0n => /= h.
  by move: (h ltn); rewrite d0; case: eqP => //= _; rewrite ltNge distance_ge0.
by rewrite d0; case: eqP => //= /eqP ne; apply: pos.
Qed.
End Decoders.

(* ---- the theorems ------------------------------------------------------------------------- *)

(* Over any ordered field, for the network that answers where its state is a code. *)
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
