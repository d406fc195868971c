(* Covers.v: a compiler that gives an automaton of n >= 2 states a network of n - 1 layers, proved right (T4.2, T4.6 and
   T4.9 of theory/pages/t4.md). Spelled.v has the theorem.

   The cover is Zeiger's: the members of a set are the sets that lack one of its states. A level knows, from the letter
   that it reads, the letter a of the automaton and the sets X before and Y after it. Coordinates are the states that
   are taken away, so that there are n of them at every level, and 2 n rows with the register. *)
From Coq Require Import List ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Model Numbers Exact Sound Main T3 Levels.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

(* ---- the compiler ------------------------------------------------------------------------------- *)

Section Cover.
Variables (k' n' : nat).
Notation k := k'.+1. Notation n := n'.+2.
Variables (delta : 'I_k -> 'I_n -> 'I_n) (q0 : 'I_n).
Implicit Types (a : 'I_k) (X Y Z : {set 'I_n}) (q : 'I_n).

(* A letter of a level: the letter of the automaton, and the sets before and after it. *)
Definition context := ('I_k * {set 'I_n} * {set 'I_n})%type.
Definition none : context := (ord0, set0, set0).
(* Whether a maps X onto Y, one to one. *)
Definition permutes_sets (c : context) : bool := let: (a, X, Y) := c in (delta a @: X == Y) && (#|X| == #|Y|).
(* A permutation of all states that does on X what a does. *)
Definition extension a X : seq nat :=
  let s := enum X ++ enum (~: X) in
  let t := [seq delta a q | q <- enum X] ++ enum (~: (delta a @: X)) in
  [seq val (nth ord0 t (seq.index q s)) | q <- enum 'I_n].
(* T4.2: the coordinate is permuted, or set to a state of Y that is not in Xa. *)
Definition rule_of (c : context) : rule :=
  let: (a, X, Y) := c in
  if permutes_sets c then Permute (extension a X)
  else Set_to (odflt ord0 [pick y in Y :\: delta a @: X]).
(* The context of the next level, from the coordinate and the register after the letter. *)
Definition next (c : context) (p : nat * nat) : context :=
  let: (a, X, Y) := c in
  let old := if permutes_sets c then odflt ord0 [pick q in X | val (delta a q) == p.1] else inord p.2 in
  (a, X :\ old, Y :\ inord p.1).
Definition other Z : 'I_n := odflt ord0 [pick q in Z :\ q0].

(* The level that reads the contexts cs, the set Z being there at first, and j levels above it. The last one gives
   the state that is left. *)
Fixpoint stack (j : nat) (cs : seq context) (Z : {set 'I_n}) : list layer :=
  let rules := [seq rule_of c | c <- cs] in
  if j is j'.+1 then
    level n rules (fun x p => num (enum_rank (next (nth none cs x) p))) (Pos.of_nat #|{: context}|) (other Z)
    :: stack j' (enum {: context}) (Z :\ other Z)
  else [:: level n rules (fun x p => num (odflt ord0 [pick q in (next (nth none cs x) p).2])) (Pos.of_nat n) (other Z)].
Definition first_contexts : seq context := [seq (a, setT, setT) | a <- enum 'I_k].
Definition cover_layers := stack n' first_contexts setT.

(* ---- one level ------------------------------------------------------------------------------------ *)

Lemma extension_ok a X : {in X &, injective (delta a)} ->
  permutes n (extension a X) /\ forall q, q \in X -> nth 0 (extension a X) q = delta a q.
Proof.
move=> inj; rewrite /extension; set s := enum X ++ _; set t := _ ++ enum (~: _).
have szs : size s = n by rewrite size_cat -!cardE cardsC card_ord.
have szt : size t = n.
  by rewrite size_cat size_map -!cardE -(card_in_imset inj) cardsC card_ord.
have us : uniq s.
  by rewrite cat_uniq !enum_uniq andbT; apply/hasPn=> q /=; rewrite !mem_enum inE.
have ut : uniq t.
  rewrite cat_uniq enum_uniq andbT map_inj_in_uniq ?enum_uniq /=; last by move=> x y; rewrite !mem_enum; apply: inj.
  apply/hasPn=> q /=; rewrite mem_enum inE => h; apply/mapP=> -[r]; rewrite mem_enum => rX e.
  by move: h; rewrite e imset_f.
have ins q : q \in s by rewrite mem_cat !mem_enum inE orbN.
have idx q : seq.index q s < n by rewrite -[X in _ < X]szs index_mem.
have at_ q : nth 0 [seq val (nth ord0 t (seq.index q s)) | q <- enum 'I_n] q = nth ord0 t (seq.index q s).
  by rewrite (nth_map q) ?size_enum_ord // nth_ord_enum.
split; last first.
  move=> q qX; rewrite at_ /t /s index_cat mem_enum qX nth_cat size_map index_mem mem_enum qX.
  by rewrite (nth_map q) ?index_mem ?mem_enum // nth_index ?mem_enum.
split; first by rewrite size_map size_enum_ord.
  by move=> q lt; rewrite -[q]/(val (Ordinal lt)) at_ ltn_ord.
move=> q r lq lr; rewrite -[q]/(val (Ordinal lq)) -[r]/(val (Ordinal lr)) !at_ => /val_inj/eqP.
rewrite nth_uniq ?szt ?idx // => /eqP e.
by rewrite -(nth_index ord0 (ins (Ordinal lq))) e nth_index.
Qed.

Lemma obey_ok a X Y p (c := (a, X, Y)) (p' := obey (rule_of c) p) : inside n p -> inord p.1 \in X -> #|X| = #|Y| ->
  delta a @: X \subset Y ->
  [/\ rule_ok n (rule_of c), inside n p', inord p'.1 \in Y, next c p' = (a, X :\ inord p.1, Y :\ inord p'.1) &
      delta a @: (X :\ inord p.1) \subset Y :\ inord p'.1].
Proof.
case: p @p' => i s /= /andP[/= li ls] iX card sub; rewrite /c /rule_of /next /=.
have [/andP[/eqP onto _]|no] := boolP ((delta a @: X == Y) && (#|X| == #|Y|)).
  have inj : {in X &, injective (delta a)} by apply/imset_injP; rewrite onto card.
  have [per at_] := extension_ok inj; have := at_ _ iX; rewrite inordK // => ei.
  rewrite /= ei inord_val; split=> //.
  - by rewrite /inside /= ltn_ord ls.
  - by rewrite -onto imset_f.
  - congr (_, _ :\ _, _); case: pickP => [q /andP[qX /eqP/val_inj e]|none_] /=.
      exact: inj e.
    by have := none_ (inord i); rewrite /= iX eqxx.
  - apply/subsetP=> y /imsetP[q]; rewrite !inE => /andP[qi qX] ->; rewrite -onto imset_f // andbT.
    by apply: contra qi => /eqP/(inj _ _ qX iX) ->.
have : Y :\: delta a @: X != set0.
  apply: contraNneq no => /eqP; rewrite setD_eq0 => sup; rewrite card eqxx andbT eqEsubset sub; exact: sup.
case/set0Pn=> y0 y0in; case: pickP => [y|/(_ y0)]; last by rewrite y0in.
rewrite inE => /andP[yX yY] /=; rewrite inord_val; split=> //.
  by rewrite /inside /= ltn_ord li.
apply/subsetP=> z /imsetP[q]; rewrite !inE => /andP[_ qX] ->.
rewrite (subsetP sub) ?imset_f // andbT; apply: contraNneq yX => <-; exact: imset_f.
Qed.

(* ---- all levels ------------------------------------------------------------------------------------ *)

Variables (F : realFieldType) (dec : forall l : layer, states F (heads l) -> option index).
Hypothesis right : right_on_codes (@dec).
Notation E := (E F n).

(* The chain of sets from X on that the coordinates tell ends in {q}. *)
Fixpoint chain j cs Z X q : net_state F (stack j cs Z) -> Prop :=
  match j return net_state F (stack j cs Z) -> Prop with
  | 0 => fun S => exists p, [/\ inside n p, inord p.1 \in X, S.1 = (E p, tt) & X :\ inord p.1 = [set q]]
  | j'.+1 => fun S => exists p, [/\ inside n p, inord p.1 \in X, S.1 = (E p, tt) &
                                    @chain j' (enum {: context}) (Z :\ other Z) (X :\ inord p.1) q S.2]
  end.

Lemma card_less X q m : q \in X -> #|X| = m.+1 -> #|X :\ q| = m.
Proof. by move=> qX; rewrite (cardsD1 q) qX => -[]. Qed.

(* One level: from coordinates p with the letter (a, X, Y). *)
Lemma level_step cs out symbols c x a X Y p (l := level n [seq rule_of c | c <- cs] out symbols c) :
  x < size cs -> nth none cs x = (a, X, Y) -> inside n p -> inord p.1 \in X -> #|X| = #|Y| -> delta a @: X \subset Y ->
  let p' := obey (rule_of (a, X, Y)) p in
  acts (hs := heads l) (num x) ((E p, tt) : states F (heads l)) = (E p', tt) /\
  exists2 i, dec (l := l) (E p', tt) = Some i & symbol l (num x) i = Some (out x p').
Proof.
move=> lt e ins pX card sub p'; have [ok ins' _ _ _] := obey_ok ins pX card sub.
have szr : x < size [seq rule_of c | c <- cs] by rewrite size_map.
have er : nth (Set_to 0) [seq rule_of c | c <- cs] x = rule_of (a, X, Y) by rewrite (nth_map none) // e.
split; first by rewrite /l acts_level ?er.
exists (num (code_of_pair n p')); last by rewrite symbol_level.
by apply: right; [apply: apart_level | apply: place_level].
Qed.

Lemma step_cons l r x (S : net_state F (l :: r)) H0 H i y : S.1 = H0 -> acts x H0 = H -> dec (l := l) H = Some i ->
  symbol l x i = Some y -> step (@dec) (ls := l :: r) x S = ((H, (step (@dec) y S.2).1), (step (@dec) y S.2).2).
Proof. by move=> /= -> -> -> ->; case: (step _ _ _). Qed.

Lemma stack_step j cs Z X Y q a x (S : net_state F (stack j cs Z)) : x < size cs -> nth none cs x = (a, X, Y) ->
  #|X| = j.+2 -> #|Y| = j.+2 -> delta a @: X \subset Y -> chain X q S ->
  exists S', step (@dec) (num x) S = (S', Some (num (delta a q))) /\ chain Y (delta a q) S'.
Proof.
elim: j cs Z X Y x S => [|j IH] cs Z X Y x S lt e cX cY sub [p [ins pX eS]];
  (have card : #|X| = #|Y| by rewrite cX cY); have [ok ins' pY en sub'] := obey_ok ins pX card sub;
  set p' := obey _ p in ins' pY en sub'.
- move=> left_; have [ea [i di si]] := level_step (fun x p => num (odflt ord0 [pick q in (next (nth none cs x) p).2]))
    (Pos.of_nat n) (other Z) lt e ins pX card sub.
  have eY : Y :\ inord p'.1 = [set delta a q].
    have /eqP/cards1P[r er] := card_less pY cY; move: sub'; rewrite left_ imset_set1 er sub1set inE => /eqP ->.
    by [].
  exists ((E p', tt), tt); split; last by exists p'.
  have ep : odflt ord0 [pick r in [set delta a q]] = delta a q.
    by case: pickP => [r|/(_ (delta a q))] /=; rewrite inE ?eqxx // => /eqP ->.
  rewrite -/p' e en [(_, _).2]/= eY ep in si; rewrite (step_cons (r := [::]) eS ea di si).
  by case: (S.2).
- move=> ch; have [ea [i di si]] := level_step (fun x p => num (enum_rank (next (nth none cs x) p)))
    (Pos.of_nat #|{: context}|) (other Z) lt e ins pX card sub.
  have rk : enum_rank (next (nth none cs x) p') < size (enum {: context}) by rewrite -cardE ltn_ord.
  have er : nth none (enum {: context}) (enum_rank (next (nth none cs x) p')) = (a, X :\ inord p.1, Y :\ inord p'.1).
    by rewrite nth_enum_rank e en.
  have [S' [eS' ch']] := IH _ _ _ _ _ S.2 rk er (card_less pX cX) (card_less pY cY) sub' ch.
  exists ((E p', tt), S'); split; last by exists p'.
  by rewrite (step_cons (r := stack j _ _) eS ea di si) eS'.
Qed.

Lemma other_in Z j : q0 \in Z -> #|Z| = j.+2 -> other Z \in Z /\ q0 \in Z :\ other Z.
Proof.
move=> qZ c; rewrite /other; case: pickP => [q|none_] /=; first by rewrite !inE => /andP[ne ->]; rewrite eq_sym ne qZ.
have : #|Z :\ q0| = 0 by apply: eq_card0 => q; apply: none_.
by rewrite (card_less qZ c).
Qed.
Lemma chain_start j cs Z : q0 \in Z -> #|Z| = j.+2 -> chain Z q0 (net_start F (stack j cs Z)).
Proof.
elim: j cs Z => [|j IH] cs Z qZ c; have [oZ qo] := other_in qZ c; set p := (val (other Z), val (other Z));
  (have ins : inside n p by rewrite /inside /= !ltn_ord); (have ep : inord p.1 = other Z by rewrite inord_val);
  exists p; rewrite ep; split=> //; try by rewrite -(pointE F ins).
  by have /eqP/cards1P[r er] := card_less oZ c; move: qo; rewrite er inE => /eqP <-.
by apply: IH => //; apply: card_less.
Qed.

Lemma rule_of_ok (c : context) : rule_ok n (rule_of c).
Proof.
case: c => [[a X] Y]; rewrite /rule_of /=; case: ifP => [/andP[/eqP onto /eqP card]|_]; last exact: ltn_ord.
by have [] := @extension_ok a X; first by apply/imset_injP; rewrite onto card.
Qed.
Lemma stack_in_class j cs Z l : List.In l (stack j cs Z) -> layer_in_class l.
Proof.
have ok cs' out symbols c : layer_in_class (level n [seq rule_of c | c <- cs'] out symbols c).
  by apply: level_in_class => r /List.in_map_iff[c' [<- _]]; apply: rule_of_ok.
by elim: j cs Z => [|j IH] cs Z /= [<-|]; [apply: ok | | apply: ok | apply: IH].
Qed.
Lemma size_stack j cs Z : size (stack j cs Z) = j.+1.
Proof. by elim: j cs Z => //= j IH cs Z; rewrite IH. Qed.
End Cover.

(* ---- every automaton given by its transitions --------------------------------------------------------- *)

Section Automaton.
Variables (letters sts : seq name) (st : index) (edges : seq (seq edge)).
Variables (accepts_ : option (seq name)) (outputs_ : option (seq (name * name)))
  (added_ : option (index * bytes)) (hash : bytes).
Notation a := (Automaton (Table letters sts st edges) accepts_ outputs_ added_).
Variables (k' n' : nat).
Hypotheses (szl : size letters = k'.+1) (szs : size sts = n'.+2) (wf : well_formed a).

Definition letter_map (x : 'I_k'.+1) (q : 'I_n'.+2) : 'I_n'.+2 := inord (after_letter edges x q).
Definition cover_network : network :=
  Network hash false States letters None sts (Some st) (cover_layers letter_map (inord (Nat.pred (Pos.to_nat st)))).

Lemma row_of_state q : q < n'.+2 -> exists r, nth_error edges q = Some r /\ size r = k'.+1 /\
  forall e, List.In e r -> Pos.to_nat e.1 <= n'.+2.
Proof.
move=> lt; move: wf; rewrite /well_formed => /andP[_] /=.
case/andP=> /andP[/andP[_ _] /Nat.eqb_eq sz] /List.forallb_forall rows_.
case e: (nth_error edges q) => [r|]; last first.
  have := proj1 (List.nth_error_None _ _) e; rewrite sz; move: lt; rewrite -szs => /ssrnat.ltP.
  by rewrite -[size sts]/(List.length sts) => ? ?; lia.
have /andP[/Nat.eqb_eq szr /List.forallb_forall ok] := rows_ _ (nth_error_In _ _ e).
exists r; split=> //; split; first by rewrite -szl; exact: szr.
move=> d /ok /andP[/andP[le _] _]; move: le; rewrite /at_most -szs => /N.leb_le le.
by apply/ssrnat.leP; rewrite -[size sts]/(List.length sts); lia.
Qed.
Lemma delta_table x (q : 'I_n'.+2) : x < k'.+1 ->
  delta a [:: num q] (num x) = Some [:: num (letter_map (inord x) q)].
Proof.
move=> lt; have [r [er [szr ok]]] := row_of_state (ltn_ord q); rewrite /delta /= /transition get_idx er get_idx.
have [e ee] : exists e, nth_error r x = Some e.
  case ee: (nth_error r x) => [e|]; first by exists e.
  have := proj1 (List.nth_error_None _ _) ee; move: lt; rewrite -szr => /ssrnat.ltP.
  by rewrite -[size r]/(List.length r); lia.
have ix : (inord x : 'I_k'.+1) = x :> nat by rewrite inordK.
rewrite ee /letter_map /after_letter ix (List.nth_error_nth _ _ _ er) (List.nth_error_nth _ _ _ ee).
have := ok _ (nth_error_In _ _ ee); have := Pos2Nat.is_pos e.1 => p0 /ssrnat.leP le.
by rewrite inordK ?idx_nat //; apply/ssrnat.ltP; lia.
Qed.
Lemma start_state : num (inord (Nat.pred (Pos.to_nat st)) : 'I_n'.+2) = st.
Proof.
move: wf; rewrite /well_formed => /andP[_] /= /andP[/andP[/andP[_ /N.leb_le le] _] _].
rewrite inordK ?idx_nat //; apply/ssrnat.ltP; rewrite -szs -[size sts]/(List.length sts).
by have := Pos2Nat.is_pos st; lia.
Qed.

Section Tracks.
Variables (F : realFieldType) (dec : forall l : layer, states F (heads l) -> option index).
Hypothesis right : right_on_codes (@dec).
Lemma cover_tracks : tracks (@dec) a cover_network.
Proof.
move=> w wv _; pose q0 : 'I_n'.+2 := inord (Nat.pred (Pos.to_nat st)).
have inv : exists (q : 'I_n'.+2) S, [/\ reached States a w = Some ([:: num q], Some (nth_name sts (num q))),
    after (@dec) cover_network w = (S, Some (num q)) & chain (delta := letter_map) (q0 := q0) (j := n')
      (cs := first_contexts k' n') (Z := setT) setT q S].
  elim/last_ind: w wv => [_|w x IH].
    exists q0, (net_start F (cover_layers letter_map q0)); rewrite /after /= start_state; split=> //.
    by apply: chain_start; rewrite ?inE // cardsT card_ord.
  rewrite -cats1 => wv; have [wv' wx] := proj1 (List.Forall_app _ _ _) wv.
  have [q [S [rq aft ch]]] := IH wv'; set k := Nat.pred (Pos.to_nat x).
  have ltk : k < k'.+1.
    move: (List.Forall_inv wx) => /= /ssrnat.leP; rewrite -[List.length letters]/(size letters) szl.
    by have := Pos2Nat.is_pos x; rewrite /k => ? ?; apply/ssrnat.ltP; lia.
  have szf : k < size (first_contexts k' n') by rewrite size_map size_enum_ord.
  have ef : nth (none k' n') (first_contexts k' n') k = (inord k, setT, setT).
    rewrite (nth_map ord0) ?size_enum_ord //; congr (_, _, _); apply: val_inj.
    by rewrite /= nth_enum_ord // inordK.
  have cT : #|[set: 'I_n'.+2]| = n'.+2 by rewrite cardsT card_ord.
  have [S' [eS' ch']] := stack_step right szf ef cT cT (subsetT _) ch.
  exists (letter_map (inord k) q), S'; split=> //.
    by rewrite /reached List.fold_left_app -/(reached States a w) rq /= -(idx_nat x) -/k delta_table.
  rewrite /after foldl_cat -/(after (@dec) cover_network w) aft.
  by rewrite -(idx_nat x) -/k; exact: eS'.
have [q [S [rq aft _]]] := inv; exists (nth_name sts (num q)).
rewrite /run_automaton /run [labels_are _]/= rq aft /= get_idx; split=> //.
rewrite /nth_name SuccNat2Pos.id_succ; apply: nth_error_nth'; apply/ssrnat.ltP.
by rewrite -[List.length sts]/(size sts) szs ltn_ord.
Qed.
End Tracks.
End Automaton.

Print Assumptions cover_tracks.
