(* Levels.v: a level of a cascade as one layer (T4.9 of theory/pages/t4.md): a coordinate that letters permute or set,
   and a register that keeps the coordinate before it was set. Covers.v makes a network of such layers.

   The state is e_i + e_{n+s}, with the coordinate i and the register s, both below n. *)
From Coq Require Import List ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Model Numbers Exact Sound Main T3.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- statement ------------------------------------------------------------------------------- *)

Inductive rule := Permute (p : seq nat) | Set_to (j : nat).
(* What a rule does to coordinate and register. *)
Definition obey (r : rule) (p : nat * nat) : nat * nat :=
  match r with Permute g => (nth 0%N g p.1, p.2) | Set_to j => (j, p.1) end.
Definition rule_ok n (r : rule) : Prop := match r with Permute g => permutes n g | Set_to j => (j < n)%N end.

(* Writes 1 or 0 into row i. *)
Definition put (i : nat) (c : bool) : factor :=
  Factor one [:: (num i, one)] (if c then [:: (1%positive, one)] else [::]).
Notation clear i := (put i false).
Definition level_action n (r : rule) : action :=
  match r with
  | Permute g => Action one [::] (List.map reflection (transpositions g))
  | Set_to j => Action one (unit_at j)
      ([seq reflection (i, n + i)%N | i <- iota 0 n] ++ [seq clear i | i <- iota 0 n])
  end.
Definition point n (p : nat * nat) : smat := [:: (num p.1, 1%positive, one); (num (n + p.2), 1%positive, one)].
Definition pair_of n q : nat * nat := (q %/ n, q %% n)%N.
Definition code_of_pair n (p : nat * nat) : nat := (p.1 * n + p.2)%N.

(* The layer whose letter x follows rule nth x rules, and then gives the symbol out x p, p being the coordinate and the
   register after it. At first both are c. *)
Definition level n (rules : seq rule) (out : nat -> nat * nat -> index) (symbols : positive) (c : nat) : layer :=
  let N := (n * n)%N in
  Layer (Pos.of_nat (size rules)) symbols
    [:: Head (Pos.of_nat (n + n)) 1 false (point n (c, c)) [seq level_action n r | r <- rules]]
    (List.map (fun q => Code Star [:: point n (pair_of n q)]) (List.seq 0 N)) [::]
    (ByStep [seq (num (q %/ N), num (q %% N), out (q %/ N)%N (pair_of n (q %% N))) | q <- iota 0 (size rules * N)]).

(* ---- its proof --------------------------------------------------------------------------------- *)

(* Gates, betas and keys are as the class asks (C2 of theory/pages/closure.md). *)
Definition layer_in_class (l : layer) : bool := in_class (Network [::] false States [::] None [::] None [:: l]).
Lemma in_class_layers h f k al cl lb s ls : (forall l, List.In l ls -> layer_in_class l) ->
  in_class (Network h f k al cl lb s ls).
Proof. by move=> ok; apply/List.forallb_forall=> l /ok; rewrite /layer_in_class /in_class /= andbT. Qed.
Lemma key_in_class h f i R : raw h = false -> rows h = Pos.of_nat R -> (i < R)%N -> entry (key f) i = one ->
  Qle_bool q0 (beta f) && Qle_bool (beta f) q2 -> factor_in_class h f.
Proof.
move=> rw rs lt e /andP[b0 b2]; rewrite /factor_in_class rw rs b0 b2.
apply/List.existsb_exists; exists i; split; last by rewrite e.
have -> : Pos.to_nat (Pos.of_nat R) = R by rewrite Nat2Pos.id //; move: lt; case: (R).
by apply: (proj2 (List.in_seq R 0 i)); split; [apply: Nat.le_0_l | apply/ssrnat.ltP].
Qed.
Lemma level_in_class n rules out symbols c : (forall r, List.In r rules -> rule_ok n r) ->
  layer_in_class (level n rules out symbols c).
Proof.
move=> ok; rewrite /layer_in_class /in_class /= !andbT; apply/List.forallb_forall=> a /List.in_map_iff[r [<- /ok okr]].
have big i : (i < n)%N -> (i < n + n)%N by move=> lt; rewrite ltn_addr.
have refl h t : raw h = false -> rows h = Pos.of_nat (n + n) -> (t.1 < n + n)%N -> factor_in_class h (reflection t).
  by move=> rw rs lt; apply: (key_in_class rw rs lt); rewrite /entry /= ?num_eqb ?eqxx.
have below i : List.In i (iota 0 n) -> (i < n)%N by move/(proj1 (List.in_seq n 0 i))=> [_ /ssrnat.ltP].
case: r okr => [g per|j lt] /=; apply/List.forallb_forall=> f.
  have [_ h2] := transpositions_ok per => /List.in_map_iff[t [<- tin]].
  apply: refl => //; apply: big; suff: t \in transpositions g by case/h2.
  by elim: (transpositions g) tin => //= s r IH [->|/IH]; rewrite inE ?eqxx // => ->; rewrite orbT.
case/List.in_app_iff=> /List.in_map_iff[i [<- /below lti]]; first by apply: refl => //; apply: big.
by apply: (@key_in_class _ _ i (n + n)) => //=; rewrite ?big // /entry /= num_eqb eqxx.
Qed.

Lemma turn_put (F : realFieldType) n i c (f : nat -> F) : (i < n)%N -> turn false (put i c) (col n f) = col n (fun q => if q == i then c%:R else f q).
Proof.
move=> lt; apply/matrixP=> k j; rewrite turnE /scale_at /scale_of square_sum /= Qf1.
have uE l : Qf F (entry [:: (num i, one)] l) = (l == i)%:R.
  by rewrite /entry /= num_eqb eq_sym; case: eqP => _; rewrite ?Qf1 ?Qf0.
have sumE g : \sum_(l < n) Qf F (entry [:: (num i, one)] l) * g (l : nat) = g i.
  by rewrite -(sum_delta g lt); apply: eq_bigr => l _; rewrite uE.
rewrite (sumE (fun l => Qf F (entry [:: (num i, one)] l))) uE eqxx divr1 mul1r uE.
have -> : \sum_(l < n) Qf F (entry [:: (num i, one)] l) * col n f l j = f i.
  by rewrite -sumE; apply: eq_bigr => l _; rewrite mxE.
have -> : Qf F (entry (if c then [:: (1%positive, one)] else [::]) j) = c%:R.
  by rewrite (ord1 j); case: (c); rewrite /entry /= ?Qf1 ?Qf0.
by rewrite !mxE; case: eqP => [->|_]; [rewrite mul1r opprB addrC subrK | rewrite mul0r subr0].
Qed.


Section Level.
Variables (F : realFieldType) (n : nat).
Hypothesis n0 : (0 < n)%N.
Notation R := (Pos.to_nat (Pos.of_nat (n + n))).
Lemma RE : R = (n + n)%N.
Proof. by rewrite Nat2Pos.id //; move: n0; case: n. Qed.

Definition E (p : nat * nat) : 'M[F]_(R, 1) := e_ F R p.1 + e_ F R (n + p.2).
Definition inside (p : nat * nat) := (p.1 < n)%N && (p.2 < n)%N.

Lemma pointE p : inside p -> matrix_of F R 1 (point n p) = E p.
Proof.
case/andP=> l1 l2; apply/matrixP=> i j; rewrite !mxE /entry2 /= -[1%positive]/(num 0) !num_eqb (ord1 j) eqxx !andbT.
rewrite eq_sym [(n + p.2)%N == _]eq_sym; case: (i =P p.1 :> nat) => [->|_].
  by rewrite ltn_eqF ?(leq_trans l1) ?leq_addr //= Qf1 Qf0 addr0.
by rewrite Qf0 add0r.
Qed.
Lemma E_inj p q : inside p -> inside q -> E p = E q -> p = q.
Proof.
move=> /andP[l1 l2] /andP[k1 k2] /matrixP e.
have at_ i : (i < n + n)%N -> ((i == p.1) || (i == n + p.2)%N) = ((i == q.1) || (i == n + q.2)%N).
  rewrite -RE => lt; have := e (Ordinal lt) 0; rewrite [E p _ _]mxE [E q _ _]mxE !eE /=.
  have ne (r : nat * nat) : (r.1 < n)%N -> ~~ ((i == r.1) && (i == n + r.2)%N).
    by move=> l; apply/negP=> /andP[/eqP -> /eqP h]; move: l; rewrite h ltnNge leq_addr.
  have := ne _ l1; have := ne _ k1; do 4 case: (_ == _) => //=; rewrite ?addr0 ?add0r => _ _ /eqP;
    by rewrite ?oner_eq0 // eq_sym oner_eq0.
have h1 := at_ p.1 (ltn_addr _ l1); have h2 := at_ (n + p.2)%N; rewrite ltn_add2l in h2.
move: h1 (h2 l2); rewrite eqxx /= !eqn_add2l eqxx orbT => /esym/orP[/eqP e1|/eqP e1].
  move/esym/orP=> [/eqP e2|]; first by move: k1; rewrite -e2 ltnNge leq_addr.
  by case: p q e1 {l1 l2 k1 k2 e at_ h2} => [? ?] [? ?] /= -> /eqP ->.
by move: l1; rewrite e1 ltnNge leq_addr.
Qed.

(* ---- factors on e_q ---- *)

Lemma turn_sum f (A B : 'M[F]_(R, 1)) : value f = [::] -> turn false f (A + B) = turn false f A + turn false f B.
Proof.
move=> v; have z : row_of F 1 (value f) = 0 by apply/rowP=> j; rewrite v !mxE Qf0.
by rewrite /turn z !mulmx0 !scaler0 !addr0 mulmxDr.
Qed.
Notation turns := (foldl (fun T f => turn (F := F) (n := R) (d := 1) false f T)).
Lemma turns_sum fs A B : (forall f, List.In f fs -> value f = [::]) -> turns (A + B) fs = turns A fs + turns B fs.
Proof.
elim: fs A B => //= f fs IH A B v; rewrite turn_sum; last by apply: v; left.
by apply: IH => g ing; apply: v; right.
Qed.
Lemma turns_swaps ts q : (forall t, t \in ts -> [/\ (t.1 < R)%N, (t.2 < R)%N & t.1 != t.2]) ->
  turns (e_ F R q) [seq reflection t | t <- ts] = e_ F R (swaps ts q).
Proof.
by move/(act_swaps F q); rewrite /act /= matrix_of_nil addr0 Qf1 scale1r.
Qed.
Lemma turn_clear i q : (i < R)%N -> turn false (clear i) (e_ F R q) = if q == i then 0 else e_ F R q.
Proof.
move=> lt; rewrite e_col turn_put //; apply/matrixP=> k j; rewrite mxE; case: (q =P i) => [->|ne]; rewrite !mxE.
  by case: eqP.
by case: eqP => // ->; rewrite eq_sym (introF eqP ne).
Qed.
Lemma turns_clear k q : (k <= n)%N ->
  turns (e_ F R q) [seq clear i | i <- iota 0 k] = if (q < k)%N then 0 else e_ F R q.
Proof.
elim: k => [//|k IH] lt; rewrite -[k.+1]addn1 iotaD map_cat foldl_cat IH ?(ltnW lt) //= add0n addn1 ltnS.
case: ltngtP => [lt'|gt|->].
- rewrite /turn mulmx0 add0r (_ : row_of F 1 _ = 0) ?mulmx0 ?scaler0 //.
  by apply/rowP=> j; rewrite !mxE Qf0.
- by rewrite turn_clear ?gtn_eqF // RE ltn_addr.
- by rewrite turn_clear ?eqxx // RE ltn_addr.
Qed.
Lemma swaps_fix ts q : (forall t, t \in ts -> q != t.1 /\ q != t.2) -> swaps ts q = q.
Proof.
elim: ts => //= t ts IH ok; rewrite /swaps /= -/(swaps ts _); have [/negPf h1 /negPf h2] := ok t (mem_head _ _).
by rewrite {1}/swap h1 h2 IH // => s sin; apply: ok; rewrite inE sin orbT.
Qed.
Lemma swaps_register k q : (k <= n)%N -> (q < n)%N ->
  swaps [seq (i, n + i)%N | i <- iota 0 k] q = (if q < k then n + q else q)%N /\
  swaps [seq (i, n + i)%N | i <- iota 0 k] (n + q)%N = (if q < k then q else n + q)%N.
Proof.
move=> + lq; elim: k => [//|k IH] lt; have [h1 h2] := IH (ltnW lt).
have far i j : (i < n)%N -> ((n + j)%N == i) = false by move=> l; rewrite gtn_eqF // ltn_addr.
rewrite -[k.+1]addn1 iotaD map_cat /swaps !foldl_cat -!/(swaps _ _) h1 h2 /= add0n addn1 ltnS /swap /=.
have near i j : (i < n)%N -> (i == (n + j)%N) = false by move=> l; rewrite eq_sym far.
case: (ltngtP q k) => [l|l|->].
- by rewrite !(far k) // eqn_add2l (ltn_eqF l) near.
- by rewrite !(far k) // eqn_add2l (gtn_eqF l) near.
- by rewrite !(far k) // !eqxx.
Qed.

Lemma level_action_ok r p : rule_ok n r -> inside p -> act false (level_action n r) (E p) = E (obey r p).
Proof.
move=> ok /andP[l1 l2]; have big i : (i < n)%N -> (i < R)%N by move=> l; rewrite RE ltn_addr.
case: r ok => [g|j] /= ok.
  have [h1 h2] := transpositions_ok ok.
  rewrite /act /= matrix_of_nil addr0 Qf1 scale1r turns_sum => [|f /List.in_map_iff[t [<-]]] //.
  have okt t : t \in transpositions g -> [/\ (t.1 < R)%N, (t.2 < R)%N & t.1 != t.2].
    by move/h2=> [? ? lt]; rewrite !big ?ltn_eqF.
  rewrite !turns_swaps // h1 // swaps_fix // => t /h2[k1 k2 _].
  by rewrite !gtn_eqF // ltn_addr.
rewrite /act /= Qf1 scale1r foldl_cat turns_sum => [|f]; last first.
  by elim: (iota 0 n) => //= i s IH [<-|].
set ts := [seq (i, n + i)%N | i <- iota 0 n].
have -> : [seq reflection (i, n + i)%N | i <- iota 0 n] = [seq reflection t | t <- ts] by rewrite -map_comp.
have [h1 _] := swaps_register (leqnn n) l1; have [_ h2] := swaps_register (leqnn n) l2; rewrite l1 l2 in h1 h2.
have okt t : t \in ts -> [/\ (t.1 < R)%N, (t.2 < R)%N & t.1 != t.2].
  move=> /mapP[i]; rewrite mem_iota => /andP[_ li] -> /=; rewrite big // RE ltn_add2l li; split=> //.
  by rewrite ltn_eqF // ltn_addr.
rewrite !turns_swaps // h1 h2 turns_sum => [|f]; last by elim: (iota 0 n) => //= i s IH [<-|].
rewrite !turns_clear // l2 ltnNge leq_addr addr0 /= addrC.
by [].
Qed.

(* ---- the layer ---- *)

Lemma pair_of_code p : inside p -> pair_of n (code_of_pair n p) = p.
Proof.
by case: p => i s /andP[/= _ ls]; rewrite /pair_of /code_of_pair /= divnMDl // divn_small // addn0 modnMDl modn_small.
Qed.
Lemma code_lt p : inside p -> (code_of_pair n p < n * n)%N.
Proof.
case: p => i s /andP[/= li ls]; rewrite /code_of_pair /=; apply: (@leq_trans (i * n + n)%N).
  by rewrite ltn_add2l.
by rewrite addnC -mulSn leq_mul2r li orbT.
Qed.

Variables (rules : seq rule) (out : nat -> nat * nat -> index) (symbols : positive) (c : nat).
Notation l := (level n rules out symbols c).

Lemma acts_level x p : (x < size rules)%N -> rule_ok n (nth (Set_to 0) rules x) -> inside p ->
  acts (hs := heads l) (num x) ((E p, tt) : states F (heads l)) = (E (obey (nth (Set_to 0) rules x) p), tt).
Proof.
move=> lt ok ins; rewrite /acts /= get_idx (_ : nth_error _ x = Some (level_action n (nth (Set_to 0) rules x))).
  by rewrite level_action_ok.
by elim: rules x lt {ok} => //= r rs IH [|x] //=; apply: IH.
Qed.
Lemma place_level p : inside p -> place (l := l) (num (code_of_pair n p)) ((E p, tt) : states F (heads l)).
Proof.
move=> ins; exists (Code Star [:: point n p]); last by rewrite /= pointE.
by rewrite get_idx /= nth_error_seq ?code_lt // pair_of_code.
Qed.
Lemma apart_level : apart F l.
Proof.
have back k S : place (F := F) (l := l) k S -> exists2 p, inside p & k = num (code_of_pair n p) /\ S = (E p, tt).
  case=> d g ->; set q := Nat.pred (Pos.to_nat k); have lt : (q < n * n)%N.
    apply/ssrnat.ltP; move: g; rewrite get_nat -/q => g; have := proj1 (nth_error_Some (codes l) q).
    by rewrite g map_length seq_length; apply.
  have ins : inside (pair_of n q) by rewrite /inside /= ltn_divLR // lt ltn_mod.
  exists (pair_of n q) => //; move: g; rewrite get_nat -/q /= nth_error_seq // => -[<-]; rewrite /= pointE //.
  by split=> //; rewrite /code_of_pair /= -divn_eq idx_nat.
by apply: points_apart => // i j S /back[p ip [-> ->]] /back[q iq [-> []]] /(E_inj ip iq) ->.
Qed.
Lemma symbol_level x p : (x < size rules)%N -> inside p ->
  symbol l (num x) (num (code_of_pair n p)) = Some (out x p).
Proof.
move=> lt ins; rewrite /symbol /=; set N := (n * n)%N; set k := code_of_pair n p; have lk : (k < N)%N := code_lt ins.
have N0 : (0 < N)%N by rewrite muln_gt0 n0.
set f := fun q : nat => _; set P := fun y : index * index * index => _.
have Pf q : P (f q) = ((q %/ N == x)%N && (q %% N == k)%N) by rewrite /P /f /= !num_eqb.
case fd: (List.find P _) => [z|].
  have [] := List.find_some _ _ fd; rewrite -[List.In _ _]/(List.In z (List.map f _)) => /List.in_map_iff[q [<- _]].
  by rewrite Pf => /andP[/eqP e1 /eqP e2]; rewrite /f /= e1 e2 pair_of_code.
have := List.find_none _ _ fd (f (x * N + k)%N).
rewrite Pf divnMDl // divn_small // addn0 eqxx modnMDl modn_small // eqxx.
suff inL : List.In (f (x * N + k)%N) [seq f q | q <- iota 0 (size rules * N)] by move=> /(_ inL).
apply: nth_error_In (nth_error_seq f _); apply: leq_trans (_ : (x.+1 * N <= _)%N); last by rewrite leq_mul2r lt orbT.
by rewrite mulSn addnC ltn_add2r.
Qed.
End Level.
