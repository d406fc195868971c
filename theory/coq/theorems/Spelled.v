(* Spelled.v: every automaton of n >= 2 states has a network of n - 1 layers (T4.6 and T4.9 of theory/pages/t4.md). The
   network of Covers.v is spelled as lrnn(5) asks, so that its file says it and nothing else (Parse.v). *)
From Coq Require Import List ZArith QArith Lia Ascii.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Exact Sound Main T3 Levels Covers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

(* ---- numbers ------------------------------------------------------------------------------------- *)

Lemma num_le i R : i < R -> Pos.leb (num i) (Pos.of_nat R).
Proof. by move=> /ssrnat.ltP lt; apply/Pos.leb_le; lia. Qed.
Lemma num_lt i j : i < j -> N.ltb (Npos (num i)) (Npos (num j)).
Proof. by move=> /ssrnat.ltP lt; apply/N.ltb_lt; lia. Qed.
Lemma of_nat_eq i j : i = j -> Pos.eqb (Pos.of_nat i) (Pos.of_nat j).
Proof. by move=> ->; apply: Pos.eqb_refl. Qed.
Lemma length_of A (l : seq A) n : size l = n.+1 -> length_is l (Pos.of_nat n.+1).
Proof. by move=> e; apply/N.eqb_eq; rewrite -[length l]/(size l) e; lia. Qed.

(* Entries of one column, and of a key. *)
Lemma smat_two r i j : Pos.leb (num i) r -> Pos.leb (num j) r -> i < j ->
  smat_ok r 1 [:: (num i, 1%positive, one); (num j, 1%positive, one)].
Proof.
move=> li lj /ssrnat.ltP lt; rewrite /smat_ok /smat_from li lj.
by rewrite !(proj2 (N.ltb_lt _ _)) //; lia.
Qed.
Lemma smat_one r i : Pos.leb (num i) r -> smat_ok r 1 (unit_at i).
Proof. by move=> li; rewrite /smat_ok /unit_at /smat_from li (proj2 (N.ltb_lt _ _)) //; lia. Qed.
Lemma svec_two r i j : Pos.leb (num i) r -> Pos.leb (num j) r -> i < j ->
  svec_ok r [:: (num i, one); (num j, minus_one)].
Proof. by move=> li lj lt; rewrite /svec_ok /= li lj num_lt. Qed.

(* ---- a level --------------------------------------------------------------------------------------- *)

Section Level.
Variables (n : nat) (rules : seq rule) (out : nat -> nat * nat -> index) (symbols letters : positive) (c : nat).
Hypothesis n0 : 0 < n.
Notation R := (Pos.of_nat (n + n)).
Notation l := (level n rules out symbols c).

Lemma point_ok p : inside n p -> smat_ok R 1 (point n p).
Proof.
case: p => i s /andP[li ls]; apply: smat_two; last exact: ltn_addr.
  exact: num_le (ltn_addr _ li).
by apply: num_le; rewrite ltn_add2l.
Qed.
Lemma level_action_spelled h r : rows h = R -> cols h = 1%positive -> rule_ok n r -> action_ok h (level_action n r).
Proof.
move=> rh ch; have le i : i < n -> Pos.leb (num i) R by move=> lt; apply: num_le; rewrite ltn_addr.
have refl i j : i < j -> Pos.leb (num i) R -> Pos.leb (num j) R -> factor_ok h (reflection (i, j)).
  by move=> lt li lj; rewrite /factor_ok rh andbT; apply: svec_two.
rewrite /action_ok; case: r => [g per|j lj] /=.
  have [_ h2] := transpositions_ok per; apply/List.forallb_forall=> f /List.in_map_iff[[i j] [<- tin]].
  suff /h2[/= k1 k2 lt] : (i, j) \in transpositions g by apply: refl; rewrite ?le.
  by elim: (transpositions g) tin => //= s r IH [->|/IH]; rewrite inE ?eqxx // => ->; rewrite orbT.
have below i : List.In i (iota 0 n) -> i < n by move/(proj1 (List.in_seq n 0 i))=> [_ /ssrnat.ltP].
apply/andP; split; first by rewrite rh ch smat_one ?le.
apply/List.forallb_forall=> f /List.in_app_iff[] /List.in_map_iff[i [<- /below lt]].
  by apply: refl; [rewrite ltn_addr | apply: le | apply: num_le; rewrite ltn_add2l].
by rewrite /factor_ok rh /= andbT /svec_ok /= le.
Qed.

Hypothesis rules_ok : forall r, List.In r rules -> rule_ok n r.
Hypothesis letters_ok : 0 < size rules /\ letters = Pos.of_nat (size rules).
Hypothesis out_ok : forall x p, x < size rules -> inside n p -> Pos.leb (out x p) symbols.
Hypothesis c_lt : c < n.

Lemma yields_ok N k s x0 i0 : N = n * n -> s + k = size rules * N ->
  (N.ltb x0 (Npos (num (s %/ N))) || (N.eqb x0 (Npos (num (s %/ N))) && N.ltb i0 (Npos (num (s %% N))))) ->
  yields_from l (N.of_nat N) x0 i0
    [seq (num (q %/ N), num (q %% N), out (q %/ N) (pair_of n (q %% N))) | q <- iota s k].
Proof.
move=> eN; have N0 : 0 < N by rewrite eN muln_gt0 n0.
elim: k s x0 i0 => //= k IH s x0 i0 e before; have lt : s %/ N < size rules.
  by rewrite ltn_divLR // -e addnS ltnS leq_addr.
have lm : s %% N < N by rewrite ltn_mod.
have ins : inside n (pair_of n (s %% N)) by rewrite /inside /= ltn_divLR // -eN lm ltn_mod.
rewrite before out_ok // num_le // !andbT /=; apply/andP; split.
  by apply/N.leb_le; move/ssrnat.ltP: lm; lia.
apply: IH; first by rewrite addSnnS.
have [last|more] := eqVneq (s %% N).+1 N.
  have -> : s.+1 %/ N = (s %/ N).+1.
    by rewrite {1}(divn_eq s N) -addnS last -mulSnr mulnK.
  by rewrite num_lt.
have lt' : (s %% N).+1 < N by rewrite ltn_neqAle more.
have -> : s.+1 %/ N = s %/ N by rewrite {1}(divn_eq s N) -addnS divnMDl // (divn_small lt') addn0.
have -> : s.+1 %% N = (s %% N).+1 by rewrite {1}(divn_eq s N) -addnS modnMDl modn_small.
by rewrite N.eqb_refl (num_lt (ltnSn _)) orbT.
Qed.
Lemma level_spelled : layer_ok letters l.
Proof.
have [r0 eL] := letters_ok; rewrite /layer_ok; apply/andP; split; last first.
  rewrite /decoder_ok /=; set N := n * n; rewrite map_length seq_length.
  by apply: (yields_ok (N := N)) => //; rewrite mod0n div0n.
rewrite /boxes_ok !andbT; apply/andP; split; last first.
  apply/List.forallb_forall=> d /List.in_map_iff[q [<- qin]]; rewrite /code_ok /= andbT.
  apply: point_ok; have [_ /ssrnat.ltP lt] := proj1 (List.in_seq _ _ _) qin.
  by rewrite /inside /= ltn_divLR // lt ltn_mod.
rewrite /= andbT; apply/andP; split; first by rewrite eL Pos.eqb_refl; case: (n) n0.
rewrite /head_ok point_ok /inside /= ?c_lt //; apply/andP; split.
  by rewrite eL; case: (rules) r0 => // r rs _; apply: length_of; rewrite size_map.
apply/List.forallb_forall=> f /List.in_map_iff[r [<- /rules_ok ok]]; exact: level_action_spelled.
Qed.
End Level.

(* ---- the network ------------------------------------------------------------------------------------- *)

Lemma layers_cons k labels l r : r <> [::] ->
  layers_ok k labels (l :: r) = layer_ok k l && layers_ok (gives l) labels r.
Proof. by case: r. Qed.
Lemma stack_spelled k' n' (delta : 'I_k'.+1 -> 'I_n'.+2 -> 'I_n'.+2) q0 j cs Z letters :
  0 < size cs -> letters = Pos.of_nat (size cs) -> layers_ok letters (Pos.of_nat n'.+2) (stack delta q0 j cs Z).
Proof.
have ok cs' : forall r, List.In r [seq rule_of delta c | c <- cs'] -> rule_ok n'.+2 r.
  by move=> r /List.in_map_iff[c [<- _]]; apply: rule_of_ok.
elim: j cs Z letters => [|j IH] cs Z letters c0 eL.
  rewrite /stack /layers_ok Pos.eqb_refl andbT.
  by apply: level_spelled => //; [apply: ok | rewrite size_map | move=> x p _ _; apply: num_le].
rewrite layers_cons; last by case: (j).
apply/andP; split; last first.
  by apply: IH; rewrite -cardE //; apply/card_gt0P; exists (none k' n').
by apply: level_spelled => //; [apply: ok | rewrite size_map | move=> x p _ _; apply: num_le].
Qed.

Theorem cover_spelled a letters sts st edges hash k' n' : well_formed a -> shape a = Table letters sts st edges ->
  size letters = k'.+1 -> size sts = n'.+2 -> size hash = 64 -> List.forallb hex_digit hash ->
  well_spelled (cover_network letters sts st edges hash k' n').
Proof.
case: a => sh acc out more wf /= e szl szs szh hx; rewrite {}e in wf; move: wf; rewrite /well_formed /=.
case/andP=> /andP[/andP[/andP[/andP[_ nl] _] _] _] /andP[/andP[/andP[/andP[ds ns] st_ok] _] _].
rewrite /well_spelled /cover_network /= nl ns ds hx -[length hash]/(size hash) szh /=.
rewrite -[length letters]/(size letters) -[length sts]/(size sts) szl szs.
have -> : nonempty letters by case: (letters) szl.
have -> : nonempty sts by case: (sts) szs.
have -> : start_ok (cover_network letters sts st edges hash k' n') by exact: st_ok.
by rewrite /=; apply: stack_spelled; rewrite size_map size_enum_ord.
Qed.

(* T4.9 with T4.6, as a file: n - 1 layers suffice. *)
Theorem covers_suffice a letters sts st edges hash : well_formed a -> shape a = Table letters sts st edges ->
  1 < size sts -> size hash = 64 -> List.forallb hex_digit hash ->
  exists m, [/\ size (layers m) = (size sts).-1, in_class m, well_spelled m, alphabet m = letter_names a &
    labels_are m = States /\ forall F, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
move=> wf; case e: sts => [|s0 [|s1 r]] // sh _ szh hx; have szs : size sts = (size r).+2 by rewrite e.
rewrite -{}e in sh szs *; case szl: (size letters) => [|k'].
  by move: wf; rewrite /well_formed /letter_names sh (size0nil szl).
have cs := cover_spelled wf sh szl szs szh hx; exists (cover_network letters sts st edges hash k' (size r)); split=> //.
- by rewrite /= size_stack szs.
- by apply: in_class_layers => l; apply: stack_in_class.
- by rewrite /letter_names sh.
- split=> // F; case: a sh wf => sh' acc out more /= -> wf.
  by split; apply: cover_tracks => //; [apply: exactly_right | apply: nearest_right].
Qed.
Print Assumptions covers_suffice.
