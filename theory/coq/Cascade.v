(* Cascade.v: claim cascade. The layers of a cascade have too many joint states to list; the certificate lists pairs
   for one level at a time (T4.10 of theory/pages/t4.md, whose conditions (1), (2), (4), (5) and (0) are named below).

   First the checker, and then its proof. A level is one layer or several after each other. *)
From Coq Require Import List ZArith QArith Lia FMapPositive Bool Ascii.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Check Exact Sound Main.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* ---- the certificate ---------------------------------------------------------------------- *)

(* What a letter of the level's first layer means: the input letter, the old and the new set. *)
Record context := Context { heard : index; letter : index; from : index; to : index }.
(* A set and a code for every layer of the level; the set that it hands on; the pairs after each context from its set. *)
Record pair := Pair { set_of : index; codes_of : list index; child : index; nexts : list index }.
Record level := Level { width : nat; contexts : list context; pairs : list pair }.
Record cascade := Cascade {
  sets : list (list state);
  levels : list level;
  starts : list index }.                        (* the initial pair of every level *)

(* ---- the checker -------------------------------------------------------------------------- *)

Fixpoint by_heard (cs : list context) : PM.t (list context) :=
  match cs with
  | [::] => PM.empty _
  | c :: r => let t := by_heard r in
              PM.add (heard c) (c :: (if PM.find (heard c) t is Some l then l else [::])) t
  end.
Definition means (a X Y : index) (c : context) : bool :=
  [&& Pos.eqb (letter c) a, Pos.eqb (from c) X & Pos.eqb (to c) Y].
(* The class of every letter of the automaton. *)
Definition class_list (m : network) : list index :=
  match classes m with
  | Some c => c.2
  | None => List.map Pos.of_succ_nat (List.seq 0 (List.length (alphabet m)))
  end.

Section Checker.
Variables (a : automaton) (m : network) (ss : PM.t (list state)) (names : PM.t name).

Definition holds (X : index) (q : state) : bool :=
  if PM.find X ss is Some l then existsb (same_state q) l else false.
(* After letters of class c, each state of X is in Y and has the label y: (4) and (5). *)
Definition right_letter (c Y y : index) (s : state * option name) (k : index) : bool :=
  ~~ Pos.eqb k c ||
  (holds Y s.1 && same_label (PM.find y names)
                    match labels_are m with Edges => s.2 | kind => label_of kind a s.1 end).
Definition right_set (y c X Y : index) : bool :=
  if PM.find X ss is Some l
  then forallb (fun q => all2 (right_letter c Y y) (successors a q) (class_list m)) l else false.

(* Whether y is the letter of the next level that has this meaning (2), or the label after the last level. *)
Definition handed (next : option (PM.t (list context))) (y c X Y : index) : bool :=
  match next with
  | Some t => if PM.find y t is Some l then existsb (means c X Y) l else false
  | None => right_set y c X Y
  end.

Section Level.
Variables (ls : list layer) (ds : list dlayer) (next : option (PM.t (list context))) (ps : PM.t pair).
Definition good_step (p : pair) (c : context) (n : index) : bool :=
  if PM.find n ps is Some p' then
    Pos.eqb (set_of p') (to c) &&                                              (* (1) *)
    if passes ls ds (heard c) (codes_of p) (codes_of p') is Some y
    then handed next y (letter c) (child p) (child p') else false
  else false.
Fixpoint good_steps (p : pair) (cs : list context) (ns : list index) : bool :=
  match cs with
  | [::] => true
  | c :: cs' => if Pos.eqb (from c) (set_of p)
                then if ns is n :: ns' then good_step p c n && good_steps p cs' ns' else false
                else good_steps p cs' ns
  end.
End Level.

Definition next_contexts (r : list level) : option (PM.t (list context)) :=
  if r is lv :: _ then Some (by_heard (contexts lv)) else None.
Fixpoint closed (lvs : list level) (ls : list layer) (ds : list dlayer) : bool :=
  match lvs with
  | [::] => match ls, ds with [::], [::] => true | _, _ => false end
  | lv :: r =>
      let w := width lv in
      let l1 := firstn w ls in let d1 := firstn w ds in
      let next := next_contexts r in let ps := table (pairs lv) in
      forallb (fun p => good_steps l1 d1 next ps p (contexts lv) (nexts p)) (pairs lv) &&
      closed r (skipn w ls) (skipn w ds)
  end.
(* (0): the codes of the initial pairs, from the set X on, if the last set holds the start. *)
Fixpoint initial_codes (lvs : list level) (ps : list index) (X : index) : option (list index) :=
  match lvs, ps with
  | [::], [::] => if holds X (start a) then Some [::] else None
  | lv :: lvs', i :: ps' =>
      if PM.find i (table (pairs lv)) is Some p then
        if Pos.eqb (set_of p) X then
          if initial_codes lvs' ps' (child p) is Some cs then Some (codes_of p ++ cs)%list else None
        else None
      else None
  | _, _ => None
  end.
(* Level 1 reads the letters, from all states to all states, that is from set 1 to set 1. *)
Definition first_contexts (lvs : list level) : bool :=
  let next := next_contexts lvs in
  forallb (fun c => if next is Some t then handed next c c 1%positive 1%positive else false) (class_list m).
End Checker.

Definition check_cascade (a : automaton) (m : network) (c : cascade) : bool :=
  match mapo prepare_layer (layers m) with
  | Some ds =>
      let ss := table (sets c) in let names := table (labels m) in
      well_formed a && (in_class m && well_spelled m) &&
      all2 same_name (alphabet m) (letter_names a) && start_right a m names &&
      Nat.eqb (List.length (class_list m)) (List.length (alphabet m)) &&
      first_contexts a m ss names (levels c) && closed a m ss names (levels c) (layers m) ds &&
      if initial_codes a ss (levels c) (starts c) 1%positive is Some cs
      then begins (layers m) ds cs else false
  | None => false
  end.
Definition check_cascade_files (fsa lrnn : bytes) (a : automaton) (m : network) (c : cascade) : bool :=
  spells (automaton_tokens a) fsa && spells (network_tokens m) lrnn && check_cascade a m c.

(* ---- the proof ---------------------------------------------------------------------------- *)

Lemma by_heard_ok cs y l c : PM.find y (by_heard cs) = Some l -> List.In c l -> List.In c cs /\ heard c = y.
Proof.
elim: cs y l => [|d cs IH] y l /=; first by rewrite PM.gempty.
case: (Pos.eq_dec (heard d) y) => [e|ne].
  rewrite e PM.gss => -[<-] [<-|]; first by split=> //; left.
  case f: (PM.find y _) => [l'|] // => /(IH _ _ f)[? ?]; split=> //; by right.
by rewrite PM.gso => [f /(IH _ _ f)[? ?]|/esym //]; split=> //; right.
Qed.

Lemma passes_cat l1 l2 d1 d2 x f1 f2 t1 t2 y :
  passes l1 d1 x f1 t1 = Some y ->
  passes (l1 ++ l2) (d1 ++ d2) x (f1 ++ f2) (t1 ++ t2) = passes l2 d2 y f2 t2.
Proof.
elim: l1 d1 f1 t1 x => [|l l1 IH] [|d d1] [|i f1] [|j t1] x //=; first by case=> ->.
by case: (leads _ _ _ _) => //; case: (symbol _ _ _) => // z; apply: IH.
Qed.

Section Proof.
Variable F : realFieldType.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_right : right_on_codes decode.
Variables (a : automaton) (m : network) (ss : PM.t (list state)).
Notation names := (table (labels m)).

(* The pairs of the levels that words lead to, one after the other, and the automaton's state in the last set. *)
Fixpoint chain (lvs : list level) (X : index) (q : state) (cs : list index) : Prop :=
  match lvs with
  | [::] => cs = [::] /\ holds ss X q
  | lv :: r => exists p cs', [/\ List.In p (pairs lv), set_of p = X, cs = (codes_of p ++ cs')%list &
                              chain r (child p) q cs']
  end.
(* Letter y of the levels means (c, X, Y). *)
Definition meant (lvs : list level) (y c X Y : index) : Prop := handed a m ss names (next_contexts lvs) y c X Y.

Lemma holdsP X q : holds ss X q -> exists2 l, PM.find X ss = Some l & List.In q l.
Proof.
rewrite /holds; case: (PM.find X ss) => [l|//] /existsb_exists[r [inr /same_stateP ->]].
by exists l.
Qed.

Lemma good_steps_ok ls ds next ps p cs ns k : good_steps a m ss names ls ds next ps p cs ns ->
  List.In k cs -> from k = set_of p -> exists n, good_step a m ss names ls ds next ps p k n.
Proof.
elim: cs ns => [|d cs IH] ns //=; case: Pos.eqb_spec => [e|ne].
  case: ns => // n ns /andP[g gs] [<-|ink] fk; [by exists n | exact: IH gs ink fk].
by move=> gs [ed|ink] fk; [case: ne; rewrite ed | exact: IH gs ink fk].
Qed.

Lemma one_letter lvs ls ds y c X Y q cs x : closed a m ss names lvs ls ds -> meant lvs y c X Y ->
  get (class_list m) x = Some c -> chain lvs X q cs ->
  exists cs' z r, [/\ passes ls ds y cs cs' = Some z, delta a q x = Some r, chain lvs Y r cs' &
    same_label (PM.find z names) match labels_are m with Edges => edge_output a q x | kind => label_of kind a r end].
Proof.
elim: lvs ls ds y X Y cs => [|lv r IH] ls ds y X Y cs /=.
  case: ls => //; case: ds => //; rewrite /meant /= /right_set => _ mean gx [-> /holdsP[l f inq]].
  move: mean; rewrite f => /List.forallb_forall /(_ q inq) ok.
  have [[s out] es] := all2_nth ok gx; have [dq eo] := successors_ok es; rewrite idx_nat in dq eo.
  rewrite /right_letter Pos.eqb_refl /= => /andP[hy lab].
  by exists [::], y, s; split=> //; rewrite eo.
case/andP=> /List.forallb_forall steps clr; rewrite /meant /= => mean gx [p [cs' [inp setp ecs ch]]].
move: mean; case fy: (PM.find y _) => [l|//] /existsb_exists[k [ink]].
have [inc hk] := by_heard_ok fy ink => /and3P[/Pos.eqb_eq lk /Pos.eqb_eq fk /Pos.eqb_eq tk].
have [n] := good_steps_ok (steps p inp) inc (etrans fk (esym setp)).
rewrite /good_step find_table; case fn: (get (pairs lv) n) => [p'|//] /andP[/Pos.eqb_eq setp'].
case py: (passes _ _ _ _ _) => [z|//]; rewrite lk => mean'.
have [cs'' [z' [q' [py' dq ch' lab]]]] := IH _ _ _ _ _ _ clr mean' gx ch.
exists (codes_of p' ++ cs'')%list, z', q'; split=> //; last first.
  by exists p', cs''; split=> //; [apply: nth_error_In fn | rewrite setp' tk].
rewrite ecs -(firstn_skipn (width lv) ls) -(firstn_skipn (width lv) ds) -hk.
by rewrite (passes_cat _ _ _ _ py).
Qed.

Lemma initial_ok lvs ps X cs : initial_codes a ss lvs ps X = Some cs -> chain lvs X (start a) cs.
Proof.
elim: lvs ps X cs => [|lv r IH] [|i ps] X cs //=; first by case h: (holds _ _ _) => // -[<-].
rewrite find_table; case f: (get _ _) => [p|//]; case: Pos.eqb_spec => // setp.
case e: (initial_codes _ _ _ _ _) => [cs'|//] [<-]; exists p, cs'; split=> //; last exact: (IH _ _ _ e).
exact: nth_error_In f.
Qed.
End Proof.

Section Tracks.
Variable F : realFieldType.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_right : right_on_codes decode.

Theorem cascade_tracks a m c : check_cascade a m c -> tracks (@decode) a m.
Proof.
rewrite /check_cascade; case e: (mapo prepare_layer (layers m)) => [ds|//].
set ss := table (sets c); set names := table (labels m); set kind := labels_are m.
case/andP=> /andP[/andP[/andP[/andP[/andP[/andP[wf cl] al] sr] /Nat.eqb_eq szc] fc] clo].
case ei: (initial_codes _ _ _ _ _) => [cs0|//] bg w wv hl.
have classE x : (Pos.to_nat x <= length (alphabet m))%N -> exists2 k, get (class_list m) x = Some k & class_of m x = Some k.
  move=> xk; rewrite /class_list /class_of in szc *; case: (classes m) szc => [[k l]|] /= szc.
    case g: (get l x) => [k'|]; first by exists k'.
    move: g; rewrite get_nat => /List.nth_error_None; rewrite szc; move/leP: xk.
    by have := Pos2Nat.is_pos x; lia.
  exists x => //; rewrite get_nat List.nth_error_map.
  have lt : (Nat.pred (Pos.to_nat x) < length (alphabet m))%coq_nat by move/leP: xk; have := Pos2Nat.is_pos x; lia.
  by rewrite (List.nth_error_nth' _ 0%N) ?List.seq_length // List.seq_nth //= idx_nat.
have first k x : get (class_list m) x = Some k -> meant a m ss (levels c) k k 1%positive 1%positive.
  move=> gx; have /List.forallb_forall /(_ k (nth_error_In _ _ gx)) := fc.
  by rewrite /meant; case: (next_contexts _).
have inv : exists q t y S cs, [/\ reached kind a w = Some (q, t), after (@decode) m w = (S, y), located cs S,
    chain ss (levels c) 1%positive q cs &
    has_label kind w -> exists i s, [/\ y = Some i, get (labels m) i = Some s & t = Some s]].
  elim/last_ind: w wv {hl} => [|w x IH] wv.
    exists (start a), (label_of kind a (start a)), (start_label m), (net_start F (layers m)), cs0; split=> //.
    - exact: begins_ok e bg.
    - exact: initial_ok ei.
    - by move=> h; have [i [s [es gs et]]] := start_right_ok sr h; exists i, s; rewrite -find_table.
  rewrite -cats1 in wv *; have [wv' wx] := proj1 (List.Forall_app _ _ _) wv.
  have xk : (Pos.to_nat x <= length (alphabet m))%N by move: (List.Forall_inv wx).
  clear wx wv.
  have [q [t [y [S [cs [rq aft loc ch _]]]]]] := IH wv'; have [k gk ck] := classE x xk.
  have [cs' [z [r [py dq ch' lab]]]] := one_letter clo (first _ _ gk) gk ch.
  have [T eT lT] := passes_ok decode_right e py loc.
  exists r, (label_after kind a q x r), (Some z), T, cs'; split=> //.
  - by rewrite /reached List.fold_left_app -/(reached kind a w) rq /= dq.
  - by rewrite /after foldl_cat -/(after (@decode) m w) aft /= /read_letter ck eT.
  - move=> _; have [s fs es] := same_labelP lab; exists z, s; rewrite -find_table; split=> //.
    by rewrite -es /label_after /kind; case: (labels_are m).
have [q [t [y [S [cs [rq aft _ _ lab]]]]]] := inv.
have [i [s [ey gs et]]] := lab hl.
by exists s; rewrite /run_automaton -/kind rq et /run aft ey.
Qed.
End Tracks.

(* As check_files_sound, for claim cascade. *)
Theorem check_cascade_files_sound (fsa lrnn : bytes) a m c : check_cascade_files fsa lrnn a m c = true ->
  [/\ fsa = print_automaton a, lrnn = print_network m,
      [/\ well_formed a, in_class m & well_spelled m], alphabet m = letter_names a &
      forall F : realFieldType, tracks (@exactly F) a m /\ tracks (@nearest F) a m].
Proof.
rewrite /check_cascade_files => /andP[/andP[/spells_ok -> /spells_ok ->] ok]; split=> //; last first.
- by move=> F; split; [apply: (cascade_tracks (@exactly_right F) ok) | apply: (cascade_tracks (@nearest_right F) ok)].
- by move: ok; rewrite /check_cascade; case: mapo => // ds /andP[/andP[/andP[/andP[/andP[/andP[_ /same_namesP]]]]]].
- by move: ok; rewrite /check_cascade; case: mapo => // ds /andP[/andP[/andP[/andP[/andP[/andP[/andP[wf /andP[cl ws]] _] _] _] _] _] _].
Qed.
Print Assumptions check_cascade_files_sound.
