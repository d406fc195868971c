(* Sound.v: what the checker accepts is right, by induction on the length of words (C1 of
   theory/pages/closure.md). *)
From Coq Require Import List ZArith QArith Lia FMapPositive Bool Ascii.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Check Exact Boxes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- indices ------------------------------------------------------------- *)
Notation idx n := (Pos.of_succ_nat n).
Lemma idx_nat i : idx (Nat.pred (Pos.to_nat i)) = i.
Proof. by apply: Pos2Nat.inj; rewrite SuccNat2Pos.id_succ; have := Pos2Nat.is_pos i; lia. Qed.
Lemma get_idx A (l : list A) n : get l (idx n) = nth_error l n.
Proof. by rewrite /get SuccNat2Pos.id_succ. Qed.
Lemma get_nat A (l : list A) i : get l i = nth_error l (Nat.pred (Pos.to_nat i)).
Proof. by []. Qed.

Lemma find_table_from A (l : list A) m n :
  PM.find (idx (m + n)%nat) (table_from (idx m) l) = nth_error l n.
Proof.
elim: l m n => [|x l IH] m n /=; first by rewrite PM.gempty; case: n.
case: n => [|n] /=; first by rewrite addn0 PM.gss.
rewrite PM.gso; last by move=> e; have := SuccNat2Pos.inj _ _ e; rewrite -[RHS]addn0 => /eqP; rewrite eqn_add2l.
by rewrite addnS -addSn; apply: (IH m.+1).
Qed.
Lemma find_table A (l : list A) i : PM.find i (table l) = get l i.
Proof. by rewrite -{1}(idx_nat i); apply: (find_table_from l 0). Qed.

Lemma mapo_get A B (f : A -> option B) l r i y : mapo f l = Some r -> get r i = Some y ->
  exists2 x, get l i = Some x & f x = Some y.
Proof.
rewrite !get_nat; elim: l r (Nat.pred _) => [|x l IH] r n /=; first by case=> <-; case: n.
case e: (f x) => [z|//]; case e': (mapo f l) => [s|//] [<-].
by case: n => [[<-]|n /(IH _ _ e')] //=; exists x.
Qed.
Lemma mapo_get' A B (f : A -> option B) l r i x : mapo f l = Some r -> get l i = Some x ->
  exists2 y, get r i = Some y & f x = Some y.
Proof.
rewrite !get_nat; elim: l r (Nat.pred _) => [|z l IH] r n /=; first by case: n.
case e: (f z) => [y|//]; case e': (mapo f l) => [s|//] [<-].
by case: n => [[<-]|n /(IH _ _ e')] //=; exists y.
Qed.

Lemma nth_error_map' A B (f : A -> B) l n y : nth_error (map f l) n = Some y ->
  exists2 x, nth_error l n = Some x & y = f x.
Proof. by elim: l n => [|x l IH] [|n] //=; [case=> <-; exists x | apply: IH]. Qed.

Lemma same_nameP x y : same_name x y -> x = y.
Proof. by elim: x y => [|c x IH] [|d y] //= /andP[/Ascii.eqb_eq -> /IH ->]. Qed.
Lemma same_labelP x y : same_label x y -> exists2 s, x = Some s & y = Some s.
Proof. by case: x y => [s|] [t|] //= /same_nameP ->; exists t. Qed.
Lemma same_stateP x y : same_state x y -> x = y.
Proof. by elim: x y => [|i x IH] [|j y] //= /andP[/Pos.eqb_eq -> /IH ->]. Qed.
Lemma same_namesP x y : all2 same_name x y -> x = y.
Proof. by elim: x y => [|i x IH] [|j y] //= /andP[/same_nameP -> /IH ->]. Qed.

Section Sound.
Variable F : realFieldType.

(* ---- layers -------------------------------------------------------------- *)
Fixpoint means (hs : list head) (Ms : list dmat) : states F hs -> Prop :=
  match hs, Ms return states F hs -> Prop with
  | [::], [::] => fun _ => True
  | h :: hs', M :: Ms' => fun S =>
      [/\ shaped (Pos.to_nat (rows h)) (Pos.to_nat (cols h)) M, meaning F _ _ M = S.1 & means Ms' S.2]
  | [::], _ :: _ => fun _ => False
  | _ :: _, [::] => fun _ => False
  end.

Lemma prepare_code_ok hs ms Ms : prepare_code hs ms = Some Ms -> means Ms (states_of F hs ms).
Proof.
elim: hs ms Ms => [|h hs IH] ms Ms /=; first by case=> <-.
case e: (dense_mat _ _ _) => [M|//]; case e': (prepare_code _ _) => [r|//] [<-].
by have [g ->] := dense_mat_ok F e; split=> //; apply: IH.
Qed.
Lemma initialsE hs : states_of F hs (List.map initial hs) = initials F hs.
Proof. by elim: hs => //= h hs ->. Qed.

Lemma sameP hs (S T : states F hs) : same S T <-> S = T.
Proof.
elim: hs S T => [|h hs IH] /= S T; first by split=> // _; case: S; case: T.
split=> [/andP[/eqP e /IH e']|->]; last by rewrite eqxx; apply/IH.
by case: S T e e' => [S1 S2] [T1 T2] /= -> ->.
Qed.
Lemma means_equal hs Ms Ns (S T : states F hs) : means Ms S -> means Ns T ->
  all2 equal Ms Ns = same S T.
Proof.
elim: hs Ms Ns S T => [|h hs IH] [|M Ms] [|N Ns] //= S T [gM eM hM] [gN eN hN].
by rewrite (IH _ _ _ _ hM hN) (equalP F gM gN) eM eN.
Qed.
Lemma means_below hs Ms Ns (S T : states F hs) : means Ms S -> means Ns T ->
  all2 at_most_all Ms Ns -> below S T.
Proof.
elim: hs Ms Ns S T => [|h hs IH] [|M Ms] [|N Ns] //= S T [gM <- hM] [gN <- hN] /andP[le les].
by apply/andP; split; [apply/all_entriesP; apply: at_most_allP | apply: IH hM hN les].
Qed.
Lemma heads_act_ok hs tabs x Ms Ns (S : states F hs) : mapo prepare_head hs = Some tabs ->
  means Ms S -> heads_act (List.map table tabs) x Ms = Some Ns -> means Ns (acts x S).
Proof.
elim: hs tabs Ms Ns S => [|h hs IH] tabs [|M Ms] Ns //= S.
  by case=> <- _ [<-].
case e: (prepare_head h) => [t|//]; case e': (mapo _ hs) => [ts|//] [<-] [gM eM hM] /=; rewrite find_table.
case ea: (get t x) => [a|//]; case er: (heads_act _ _ _) => [r|//] [<-].
have [act0 -> pa] := mapo_get e ea; have [gA eA] := dact_ok F pa gM.
by split=> //; [rewrite eA eM | apply: IH e' hM er].
Qed.

(* The state has code i: it is the code, or lies in its box. *)
Definition place (l : layer) (i : index) (S : states F (heads l)) : Prop :=
  if boxes l is [::] then exists2 c, get (codes l) i = Some c & S = states_of F (heads l) (matrices c)
  else exists2 bs, get (boxes l) i = Some bs & inside S bs.
(* Then this code is nearer than every other one. *)
Definition apart (l : layer) : Prop := forall i (S : states F (heads l)), place i S ->
  exists2 c, get (codes l) i = Some c & forall j c', get (codes l) j = Some c' -> i <> j ->
    distance S (states_of F (heads l) (matrices c)) < distance S (states_of F (heads l) (matrices c')).
Lemma apart_one l i j (S : states F (heads l)) : apart l -> place i S -> place j S -> i = j.
Proof.
move=> ap pi pj; have [c gc near] := ap _ _ pi; have [c' gc' near'] := ap _ _ pj.
case: (Pos.eq_dec i j) => // ne; have := Order.POrderTheory.lt_trans (near _ _ gc' ne) (near' _ _ gc (not_eq_sym ne)).
by rewrite Order.POrderTheory.ltxx.
Qed.
Lemma points_apart l : boxes l = [::] ->
  (forall i j (S : states F (heads l)), place i S -> place j S -> i = j) -> apart l.
Proof.
rewrite /apart /place => -> one i S [c gc eS]; exists c => // j c' gc' ne.
rewrite -eS (proj2 (distance_eq0 S S) erefl) lt0r distance_ge0 andbT; apply/eqP=> /distance_eq0 e.
by apply/ne/(one _ _ S); [exists c | exists c'].
Qed.

Lemma distinct_nth A (eqb : A -> A -> bool) l i j x y : distinct eqb l ->
  nth_error l i = Some x -> nth_error l j = Some y -> (i < j)%N -> eqb x y = false.
Proof.
elim: l i j => [|z l IH] [|i] [|j] //= /andP[h1 h2]; last by rewrite ltnS; apply: IH.
move=> [ez] ej _; apply/negbTE/negP=> e; move/negP: h1; apply.
by apply/existsb_exists; exists y; rewrite ez; split=> //; apply: nth_error_In ej.
Qed.

Lemma codes_differ hs (cs : list code) Ms i j c c' :
  mapo (fun c => prepare_code hs (matrices c)) cs = Some Ms -> distinct (all2 equal) Ms ->
  get cs i = Some c -> get cs j = Some c' -> i <> j ->
  same (states_of F hs (matrices c)) (states_of F hs (matrices c')) = false.
Proof.
move=> e dist gi gj ne.
have [Xs gXs /prepare_code_ok hX] := mapo_get' e gi; have [Ys gYs /prepare_code_ok hY] := mapo_get' e gj.
rewrite !get_nat in gXs gYs; rewrite -(means_equal hX hY).
case: (ltngtP (Nat.pred (Pos.to_nat i)) (Nat.pred (Pos.to_nat j))) => [lt|lt|e'].
- exact: (distinct_nth dist gXs gYs lt).
- have := distinct_nth dist gYs gXs lt; rewrite (means_equal hX hY) (means_equal hY hX) => ne'.
  by apply/negbTE/negP=> /sameP e'; move/negP: (negbT ne'); apply; apply/sameP.
- by case: ne; rewrite -(idx_nat i) -(idx_nat j) e'.
Qed.

(* What the layer's region of code i means. *)
Definition region_of (l : layer) (i : index) (r : region) : Prop :=
  if boxes l is [::] then exists c Ms, [/\ get (codes l) i = Some c, r = Point Ms &
      means Ms (states_of F (heads l) (matrices c))]
  else exists bs L H, [/\ get (boxes l) i = Some bs, r = Between L H,
      means L (states_of F (heads l) (List.map lows bs)) & means H (states_of F (heads l) (List.map highs bs))].
Lemma in_region_ok l i r Ms (S : states F (heads l)) : region_of l i r -> means Ms S -> in_region Ms r -> place i S.
Proof.
rewrite /region_of /place; case: (boxes l) => [|x xs] => [[c [Ns [gc -> hN]]]|[bs [L [H [gb -> hL hH]]]]] hM /=.
  by rewrite (means_equal hM hN) => /sameP ->; exists c.
by case/andP=> b1 b2; exists bs => //; rewrite /inside (means_below hL hM b1) (means_below hM hH b2).
Qed.

Lemma nth_error_combine A B (l : list A) (m : list B) n x y :
  nth_error l n = Some x -> nth_error m n = Some y -> List.In (x, y) (combine l m).
Proof. by elim: l m n => [|a l IH] [|c m] [|n] //= => [[->] [->]|? ?]; [left | right; apply: IH; eauto]. Qed.

Lemma same_length A B (l : list A) (m : list B) i y : List.length l = List.length m -> get m i = Some y ->
  exists x, get l i = Some x.
Proof.
rewrite !get_nat => sz g; case e: (nth_error l _) => [x|]; first by exists x.
by move: e g => /List.nth_error_None; rewrite sz => /List.nth_error_None ->.
Qed.
Lemma prepare_layer_ok l d : prepare_layer l = Some d -> [/\ apart l,
  exists2 tabs, mapo prepare_head (heads l) = Some tabs & moves d = List.map table tabs,
  forall i r, PM.find i (places d) = Some r -> region_of l i r & boxes l <> [::] -> one_entry (heads l)].
Proof.
rewrite /prepare_layer; case em: (mapo _ (heads l)) => [tabs|//]; case e: (mapo _ (codes l)) => [cs|//].
case: ifP => // dist; case er: (regions l cs) => [rs|//] [<-] /=.
have differ := codes_differ e dist.
suff [ap rg one] : [/\ apart l, forall i r, get rs i = Some r -> region_of l i r &
    boxes l <> [::] -> one_entry (heads l)].
  by split=> //; [exists tabs | move=> i r; rewrite find_table; apply: rg].
move: er; rewrite /regions; case eb: (boxes l) => [|x xs].
  case=> <-; split=> //.
  - apply: points_apart => // i j S; rewrite /place eb => -[c gi ->] [c' gj /sameP eS].
    by case: (Pos.eq_dec i j) => // ne; rewrite (differ _ _ _ _ gi gj ne) in eS.
  - move=> i r; rewrite /region_of eb get_nat => h; have [Ms gM ->] := nth_error_map' h.
    by have [c gc /prepare_code_ok hM] := mapo_get e gM; exists c, Ms.
rewrite -eb; case: ifP => // /andP[/andP[/Nat.eqb_eq sz one] sep] pr; split=> //.
- move=> i S; rewrite /place eb -eb => -[bs gb ins].
  have [c gc] : exists c, get (codes l) i = Some c by apply: same_length gb.
  exists c => // j c' gj ne; have [bs' gb'] : exists bs, get (boxes l) j = Some bs by apply: same_length gj.
  have paired k k' bk : get (codes l) k = Some k' -> get (boxes l) k = Some bk ->
      List.In (matrices k', bk) (combine (List.map matrices (codes l)) (boxes l)).
    by rewrite !get_nat => h; apply: nth_error_combine; rewrite List.nth_error_map h.
  rewrite (Order.POrderTheory.lt_leif (boxes_apart_ok sep (paired _ _ _ gc gb) (paired _ _ _ gj gb') ins)).
  by rewrite (differ _ _ _ _ gc gj ne).
- move=> i r; rewrite /region_of eb -eb => gr; have [bs gb] := mapo_get pr gr; rewrite /prepare_box.
  case eL: (prepare_code _ _) => [L|//]; case eH: (prepare_code _ _) => [H|//] [<-].
  by exists bs, L, H; split=> //; apply: prepare_code_ok.
Qed.
Lemma leads_ok l d x i j (S : states F (heads l)) : prepare_layer l = Some d -> leads d x i j -> place i S ->
  place j (acts x S).
Proof.
case/prepare_layer_ok=> _ [tabs em emv] rg one; rewrite /leads.
case gi: (PM.find i _) => [r|//]; case gj: (PM.find j _) => [r'|//]; have := rg _ _ gj; have := rg _ _ gi.
have act_ok Ms (T : states F (heads l)) : means Ms T ->
    match heads_act (moves d) x Ms with Some Ns => in_region Ns r' | None => false end ->
    exists2 Ns, means Ns (acts x T) & in_region Ns r'.
  rewrite emv => hM; case eA: (heads_act _ _ _) => [Ns|//] ok; exists Ns => //.
  exact: heads_act_ok em hM eA.
rewrite /place => rgi rgj; move: (rgi); rewrite {1}/region_of; case eb: (boxes l) => [|y ys].
  case=> c [Ms [gc -> hM]] /=; rewrite andbT => ok [c0 gc0 ->]; move: gc0; rewrite gc => -[<-].
  have [Ns hN inr] := act_ok _ _ hM ok.
  by have := in_region_ok rgj hN inr; rewrite /place eb.
case=> bs [L [H [gb -> hL hH]]] /= /andP[/(act_ok _ _ hL)[N1 h1 i1] /andP[/(act_ok _ _ hH)[N2 h2 i2] _]].
case=> bs0; rewrite gb => -[<-] /andP[b1 b2].
have := in_region_ok rgj h1 i1; have := in_region_ok rgj h2 i2; rewrite /place eb.
case=> bs2 g2 in2 [bs1 g1 in1]; move: g2 in2; rewrite g1 => -[<-] in2; exists bs1 => //.
by apply: acts_between b1 b2 in1 in2; apply: one; rewrite eb.
Qed.

(* ---- the network, with any decoder that is right on codes ----------------- *)
Variable decode : forall l : layer, states F (heads l) -> option index.
Definition right_on_codes := forall l i (S : states F (heads l)), apart l -> place i S -> decode S = Some i.
Hypothesis decode_right : right_on_codes.

Fixpoint located (ls : list layer) (ps : list index) : net_state F ls -> Prop :=
  match ls, ps return net_state F ls -> Prop with
  | [::], [::] => fun _ => True
  | l :: ls', i :: ps' => fun S => place i S.1 /\ located ps' S.2
  | [::], _ :: _ => fun _ => False
  | _ :: _, [::] => fun _ => False
  end.

Lemma passes_ok ls ds x y from to (S : net_state F ls) :
  mapo prepare_layer ls = Some ds -> passes ls ds x from to = Some y -> located from S ->
  exists2 T, step (@decode) x S = (T, Some y) & located to T.
Proof.
elim: ls ds x from to S => [|l ls IH] ds x [|i from] [|j to] S //=; try by case: ds.
  by case=> <- [->]; exists S.
all: case e: (prepare_layer l) => [d|//]; case e': (mapo _ ls) => [ds'|//] [<-] //.
case hl: (leads d x i j) => //; case hs: (symbol l x j) => [z|//] hp [pS lS].
have [ap _ _ _] := prepare_layer_ok e; have pT := leads_ok e hl pS; rewrite (decode_right ap pT) hs.
by have [R -> lR] := IH _ _ _ _ _ e' hp lS; exists (acts x S.1, R).
Qed.

Lemma begins_ok ls ds ps : mapo prepare_layer ls = Some ds -> begins ls ds ps -> located ps (net_start F ls).
Proof.
elim: ls ds ps => [|l ls IH] ds [|i ps] //=; try by case: ds.
all: case e: (prepare_layer l) => [d|//]; case e': (mapo _ ls) => [ds'|//] [<-] //=.
case e1: (prepare_code _ _) => [Ms|//]; case/andP=> + /(IH _ _ e') h; have [_ _ rg _] := prepare_layer_ok e.
case gi: (PM.find i _) => [r|//] inr; split=> //.
by apply: in_region_ok (rg _ _ gi) _ inr; rewrite -initialsE; apply: prepare_code_ok e1.
Qed.

(* ---- a row -------------------------------------------------------------------------------- *)

Lemma successors_ok a q n r y : nth_error (successors a q) n = Some (r, y) ->
  delta a q (idx n) = Some r /\ edge_output a q (idx n) = y.
Proof.
rewrite /successors /delta /edge_output /transition; case: (shape a) => [ls ss s0 es|k what ls].
  case: (get es _) => [row|]; last by case: n.
  by move=> h; have [[r' y'] e [-> ->]] := nth_error_map' h; rewrite get_idx e.
by move=> h; have [l e [-> ->]] := nth_error_map' h; rewrite get_idx e.
Qed.

Section Rows.
Variables (a : automaton) (m : network) (ds : list dlayer).
Variables (rs : PM.t (row * option name)) (ls : PM.t name).

Lemma targets_ok r n0 l ts n r' lab y : targets m ds rs r (idx n0) l = Some ts ->
  nth_error ts n = Some ((r', lab), y) ->
  (exists k, PM.find k rs = Some (r', lab)) /\
  passes (layers m) ds (idx (n0 + n)%nat) (at_codes r) (at_codes r') = Some y.
Proof.
elim: l n0 ts n => [|k l IH] n0 ts n /=; first by case=> <-; case: n.
case fk: (PM.find k rs) => [r1|//]; case pk: (passes _ _ _ _ _) => [y1|//].
case tk: (targets _ _ _ _ _ _) => [ts'|//] [<-]; case: n => [|n] /=.
  by case=> er ey; rewrite addn0 -ey; move: fk pk; rewrite er => fk pk; split=> //; exists k.
by move/(IH n0.+1 _ _ tk); rewrite addSnnS.
Qed.

Lemma by_letter_ok A (l l' : list A) n t : by_letter m l = Some l' -> nth_error l' n = Some t ->
  exists2 c, class_of m (idx n) = Some c & get l c = Some t.
Proof.
rewrite /by_letter /class_of; case: (classes m) => [[k cs]|]; last first.
  by case=> -> e; exists (idx n); rewrite // get_idx.
by move=> e en; have [c gc tc] := mapo_get e (etrans (get_idx _ _) en); exists c.
Qed.

Lemma all2_nth A B (f : A -> B -> bool) l l' n y : all2 f l l' -> nth_error l' n = Some y ->
  exists2 x, nth_error l n = Some x & f x y.
Proof.
elim: l l' n => [|x l IH] [|z l'] [|n] //= /andP[h1 h2]; first by case=> <-; exists x.
exact: IH.
Qed.

Lemma check_row_ok r x : check_row a m ds rs ls r -> (Pos.to_nat x <= List.length (alphabet m))%N ->
  exists c r' lab y, [/\ class_of m x = Some c, exists k, PM.find k rs = Some (r', lab),
    passes (layers m) ds c (at_codes r) (at_codes r') = Some y,
    delta a (at_state r) x = Some (at_state r') &
    same_label (PM.find y ls)
      match labels_are m with Edges => edge_output a (at_state r) x | _ => lab end].
Proof.
rewrite /check_row; case tk: (targets _ _ _ _ _ _) => [ts|//]; case bl: (by_letter _ _) => [ts'|//].
case/andP=> /Nat.eqb_eq sz ok le.
have lt : (Nat.pred (Pos.to_nat x) < List.length ts')%coq_nat.
  by move/leP: le; rewrite sz; have := Pos2Nat.is_pos x; lia.
case e: (nth_error ts' (Nat.pred (Pos.to_nat x))) => [[[r' lab] y]|]; last first.
  by have := proj1 (List.nth_error_None _ _) e; move: lt; lia.
have [c cx gc] := by_letter_ok bl e; have [[q out] es] := all2_nth ok e.
rewrite /right_target /= => /andP[/same_stateP eq lab_ok].
rewrite idx_nat in cx; have [dq eo] := successors_ok es; rewrite idx_nat in dq eo.
have [kr py] := targets_ok (n0 := 0%nat) tk gc; rewrite add0n idx_nat in py.
exists c, r', lab, y; split=> //; first by rewrite dq eq.
by move: lab_ok; rewrite -eo; case: (labels_are m).
Qed.
End Rows.

Lemma start_right_ok a m ls : start_right a m ls -> has_label (labels_are m) [::] ->
  exists i s, [/\ start_label m = Some i, PM.find i ls = Some s &
    label_of (labels_are m) a (start a) = Some s].
Proof.
rewrite /start_right; case: (labels_are m) => //; case: (start_label m) => [i|//];
  case f: (PM.find i ls) => [s|//]; case: (label_of _ _ _) => [t|//] /= /same_nameP est _;
  by exists i, t; rewrite f est.
Qed.

Theorem check_tracks a m c : check a m c -> tracks (@decode) a m.
Proof.
rewrite /check; case e: (mapo prepare_layer (layers m)) => [ds|//]; case: c => [//|r0 c].
set kind := labels_are m; set ls := table (labels m); set rs := table _.
case/andP=> /andP[/andP[/andP[/andP[wf cl] al] /same_stateP st] bg] /andP[l0 rows_ok] w wv hl.
have labelled k r lab : PM.find k rs = Some (r, lab) -> List.In r (r0 :: c) /\ lab = label_of kind a (at_state r).
  rewrite find_table get_nat => h; have [r1 e1 [-> ->]] := nth_error_map' h; split=> //.
  exact: nth_error_In e1.
(* Every word leads the automaton and the network to the state and the codes of some row. *)
have inv : exists r t y S, [/\ List.In r (r0 :: c), reached kind a w = Some (at_state r, t),
    after (@decode) m w = (S, y), located (at_codes r) S &
    has_label kind w -> exists i s, [/\ y = Some i, get (labels m) i = Some s & t = Some s]].
  elim/last_ind: w wv {hl} => [|w x IH] wv.
    exists r0, (label_of kind a (start a)), (start_label m), (net_start F (layers m)); split=> //.
    - by left.
    - by rewrite /reached /= st.
    - exact: begins_ok e bg.
    - by move=> h; have [i [s [ey gs et]]] := start_right_ok l0 h; exists i, s; rewrite -find_table.
  rewrite -cats1 in wv *; have [wv' wx] := proj1 (List.Forall_app _ _ _) wv.
  have xk : (Pos.to_nat x <= List.length (alphabet m))%N by move: (List.Forall_inv wx).
  clear wx wv.
  have [r [t [y [S [inr rq aft loc _]]]]] := IH wv'.
  have ok := proj1 (List.forallb_forall _ _) rows_ok _ inr.
  have [cl' [r' [lab [y' [cx [k fk] py dq lab_ok]]]]] := check_row_ok ok xk.
  have [inr' elab] := labelled _ _ _ fk; have [T eT lT] := passes_ok e py loc.
  exists r', (label_after kind a (at_state r) x (at_state r')), (Some y'), T; split=> //.
  - by rewrite /reached List.fold_left_app -/(reached kind a w) rq /= dq.
  - by rewrite /after foldl_cat -/(after (@decode) m w) aft /= /read_letter cx eT.
  - move=> _; have [s fs es] := same_labelP lab_ok; exists y', s; rewrite -find_table; split=> //.
    by rewrite -es elab /label_after.
have [r [t [y [S [_ rq aft _ lab]]]]] := inv.
have [i [s [ey gs et]]] := lab hl.
by exists s; rewrite /run_automaton -/kind rq et /run aft ey.
Qed.
End Sound.
