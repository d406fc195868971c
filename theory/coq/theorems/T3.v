(* T3.v: the compiler for permutation automata, proved right for all of them (T3 of theory/pages/t3.md, with the states
   themselves as the points Omega and naive keys e_i - e_j).

   `t3` gives the network in the data of Ast.v. Printed, it is what `fsa2lrnn --keys naive` writes where it takes
   the states as the points; tests/coq/coq_export.py compares the bytes. *)
From Coq Require Import List ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Check Exact Sound Main.
From Lrnn Require Parse.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* ---- permutations by transpositions (T3.9) ------------------------------------------------ *)

(* A permutation of 0, .., n - 1 is the list of its images. From the least point i that moves, i is exchanged with its
   image j; what remains to be done fixes j. So a cycle (p1 p2 .. pr) gives (p1 p2), (p1 p3), .., (p1 pr), and the first
   is applied first. *)
Definition swap (i j q : nat) : nat := if q == i then j else if q == j then i else q.
Definition peel (p : seq nat) (i j : nat) : seq nat := set_nth 0%N (set_nth 0%N p i (nth 0%N p j)) j j.
Fixpoint stars (fuel i : nat) (p : seq nat) : seq (nat * nat) :=
  if fuel is f.+1 then
    if (size p <= i)%N then [::] else
    let j := nth 0%N p i in
    if j == i then stars f i.+1 p else (i, j) :: stars f i (peel p i j)
  else [::].
Definition transpositions (p : seq nat) : seq (nat * nat) := stars (size p + size p).+1 0 p.
Definition swaps (ts : seq (nat * nat)) (q : nat) : nat := foldl (fun q t => swap t.1 t.2 q) q ts.

Definition permutes n (p : seq nat) :=
  [/\ size p = n, forall i, (i < n)%N -> (nth 0%N p i < n)%N &
      forall i j, (i < n)%N -> (j < n)%N -> nth 0%N p i = nth 0%N p j -> i = j].

Lemma swapK i j : involutive (swap i j).
Proof.
move=> q; rewrite /swap; case: (q =P i) => [->|qi].
  by rewrite eqxx; case: (j =P i) => [->|].
by case: (q =P j) => [->|qj]; rewrite ?eqxx // (introF eqP qi) (introF eqP qj).
Qed.
Lemma swap_inj i j : injective (swap i j).
Proof. exact: can_inj (@swapK i j). Qed.
Lemma swap_lt n i j q : (i < n)%N -> (j < n)%N -> (q < n)%N -> (swap i j q < n)%N.
Proof. by rewrite /swap; case: eqP => // _; case: eqP. Qed.

Lemma nth_peel p i q : nth 0%N p i != i -> nth 0%N (peel p i (nth 0%N p i)) q = nth 0%N p (swap i (nth 0%N p i) q).
Proof.
move=> ne; set j := nth 0%N p i; have ij : i != j by rewrite eq_sym.
rewrite /peel /swap nth_set_nth /= nth_set_nth /=.
case: (q =P i) => [->|qi]; first by rewrite (negPf ij).
by case: (q =P j).
Qed.
Lemma peel_permutes n p i : permutes n p -> (i < n)%N -> nth 0%N p i != i ->
  permutes n (peel p i (nth 0%N p i)).
Proof.
case=> sz lt inj lti ne; have ltj := lt i lti; split.
- by rewrite /peel !size_set_nth sz; move: lti ltj; rewrite -sz => /maxn_idPr -> /maxn_idPr.
- by move=> q ltq; rewrite nth_peel // lt // swap_lt.
- by move=> q r ltq ltr; rewrite !nth_peel // => /inj e; apply: (@swap_inj i (nth 0%N p i)); apply: e; apply: swap_lt.
Qed.

(* The number of points that move. *)
Definition moved (p : seq nat) : nat := seq.count (fun q => nth 0%N p q != q) (iota 0 (size p)).
Lemma moved_peel n p i : permutes n p -> (i < n)%N -> nth 0%N p i != i ->
  (moved (peel p i (nth 0%N p i)) < moved p)%N.
Proof.
move=> per lti ne; have [sz lt inj] := per; have [sz' _ _] := peel_permutes per lti ne.
set j := nth 0%N p i; have ltj : (j < n)%N := lt i lti.
rewrite /moved sz sz' -/j.
have pj : nth 0%N p j != j by apply: contraNneq ne => e; apply/eqP/inj; rewrite ?e.
pose fixed q := (q == j) && (nth 0%N p q != q).
have sub q : (nth 0%N (peel p i j) q != q) + fixed q <= (nth 0%N p q != q).
  rewrite nth_peel // -/j /swap /fixed; case: (q =P i) => [->|_].
    by rewrite ne (eq_sym i) (negPf ne) addn0; case: (_ != _).
  by case: (q =P j) => [->|_]; rewrite ?eqxx ?addn0 // -/j eqxx pj.
have sums : forall P : pred nat, seq.count P (iota 0 n) = \sum_(q <- iota 0 n) P q.
  by move=> P; rewrite -sum1_count big_mkcond; apply: eq_bigr => q _; case: (P q).
rewrite !sums -addn1.
apply: (@leq_trans (\sum_(q <- iota 0 n) ((nth 0%N (peel p i j) q != q) + fixed q))); last by apply: leq_sum => q _; apply: sub.
rewrite big_split /= leq_add2l.
by rewrite (bigD1_seq j) ?mem_iota ?iota_uniq //= /fixed eqxx pj.
Qed.

Lemma stars_ok n : forall fuel i p, permutes n p -> (forall q, q < i -> nth 0 p q = q) -> (n - i) + moved p < fuel ->
  [/\ forall q, q < n -> swaps (stars fuel i p) q = nth 0 p q &
      forall t, t \in stars fuel i p -> [/\ t.1 < n, t.2 < n & t.1 < t.2]].
Proof.
elim=> [|f IH] i p per below //=; rewrite ltnS => fuel; have [sz lt inj] := per.
rewrite sz; case: (leqP n i) => [le|lti].
  by split=> // q ltq; rewrite below // (leq_trans ltq).
case: (nth 0 p i =P i) => [pi|/eqP ne].
  apply: IH => // [q|].
    by rewrite ltnS leq_eqVlt => /orP[/eqP ->|/below].
  by apply: leq_trans fuel; rewrite -addSn leq_add2r subnSK.
set j := nth 0 p i; have ltj := lt i lti.
have ij : i < j.
  by rewrite ltn_neqAle eq_sym ne leqNgt; apply/negP=> /below; rewrite -/j => e; case/eqP: ne; apply: inj.
have per' := peel_permutes per lti ne.
have [] := IH i _ per'.
- move=> q ltq; rewrite nth_peel // /swap (ltn_eqF ltq) (ltn_eqF (ltn_trans ltq ij)); exact: below.
- by apply: leq_trans fuel; rewrite ltn_add2l; apply: moved_peel per lti ne.
move=> h1 h2; split=> [q ltq|t].
  rewrite -[LHS]/(swaps (stars f i (peel p i j)) (swap i j q)) h1 ?swap_lt // nth_peel //.
  by rewrite -/j swapK.
by rewrite inE => /orP[/eqP ->|/h2].
Qed.

Lemma transpositions_ok n p : permutes n p ->
  [/\ forall q, q < n -> swaps (transpositions p) q = nth 0 p q &
      forall t, t \in transpositions p -> [/\ t.1 < n, t.2 < n & t.1 < t.2]].
Proof.
move=> per; have [sz _ _] := per; apply: stars_ok => //.
by rewrite ltnS subn0 sz leq_add2l /moved sz -[X in _ <= X](size_iota 0 n) count_size.
Qed.

(* At most as many as points move. *)
Lemma transpositions_size p n : permutes n p -> size (transpositions p) <= moved p.
Proof.
rewrite /transpositions; move: (_.+1) 0 => fuel i; elim: fuel i p => //= f IH i p per.
have [sz _ _] := per; rewrite sz; case: (leqP n i) => // lti.
case: eqP => [_|/eqP ne]; first exact: IH.
by apply: leq_trans (moved_peel per lti ne); rewrite ltnS; apply/IH/peel_permutes.
Qed.

Local Open Scope ring_scope.

(* ---- the compiler ------------------------------------------------------------------------- *)
Notation num := Pos.of_succ_nat.
Definition one := Qmake 1 1. Definition minus_one := Qmake (-1) 1. Definition two := Qmake 2 1.
Definition reflection (t : nat * nat) : factor :=
  Factor two [:: (num t.1, one); (num t.2, minus_one)] [::].
Definition unit_at (q : nat) : smat := [:: (num q, 1%positive, one)].
(* Where letter x leads state q, and its permutation of the states; both count from 0. *)
Definition after_letter (edges : seq (seq edge)) (x q : nat) : nat :=
  Nat.pred (Pos.to_nat (List.nth x (List.nth q edges [::]) (1%positive, None)).1).
Definition letter_images (n : nat) (edges : seq (seq edge)) (x : nat) : seq nat :=
  List.map (after_letter edges x) (List.seq 0 n).

Definition t3 (hash : bytes) (letters sts : seq name) (st : index) (edges : seq (seq edge)) : network :=
  let n := List.length sts in
  let on x := Action one [::] (List.map reflection (transpositions (letter_images n edges x))) in
  let h := Head (Pos.of_nat n) 1 false (unit_at (Nat.pred (Pos.to_nat st)))
                (List.map on (List.seq 0 (List.length letters))) in
  let l := Layer (Pos.of_nat (List.length letters)) (Pos.of_nat n) [:: h]
                 (List.map (fun q => Code (Symbol (Some (num q))) [:: unit_at q]) (List.seq 0 n)) [::] ByState in
  Network hash false States letters None sts (Some st) [:: l].

(* ---- its proof ---------------------------------------------------------------------------- *)
Section Proof.
Variable F : realFieldType.

Lemma Qf1 : Qf F one = 1. Proof. by rewrite /Qf /= divr1. Qed.
Lemma Qfm1 : Qf F minus_one = -1. Proof. by rewrite /Qf /= divr1. Qed.
Lemma Qf2 : Qf F two = 2%:R. Proof. by rewrite /Qf /= divr1. Qed.
Lemma Qf0 : Qf F (Qmake 0 1) = 0. Proof. by rewrite /Qf /= mul0r. Qed.
Lemma num_eqb i j : Pos.eqb (num i) (num j) = (i == j).
Proof. by apply/Pos.eqb_spec/eqP => [/SuccNat2Pos.inj|->]. Qed.

Definition e_ n q : 'M[F]_(n, 1) := matrix_of F n 1 (unit_at q).
Lemma eE n q i j : e_ n q i j = (i == q :> nat)%:R.
Proof.
rewrite mxE /entry2 /= -[1%positive]/(num 0) !num_eqb (ord1 j) eqxx andbT eq_sym.
by case: eqP => _; rewrite ?Qf1 ?Qf0.
Qed.
Lemma sum_delta n (i : nat) (f : nat -> F) : (i < n)%N -> \sum_(k < n) (k == i :> nat)%:R * f k = f i.
Proof.
move=> lt; rewrite (bigD1 (Ordinal lt)) //= eqxx mul1r big1 ?addr0 // => k ne.
by rewrite -(inj_eq val_inj) /= in ne; rewrite (negPf ne) mul0r.
Qed.

(* A column of numbers. *)
Definition col n (f : nat -> F) : 'M[F]_(n, 1) := \matrix_(i, j) f i.
Lemma col_eq n f g : (forall i, (i < n)%N -> f i = g i) -> col n f = col n g.
Proof. by move=> e; apply/matrixP=> i j; rewrite !mxE e. Qed.

Lemma turn_reflection n (t : nat * nat) f : (t.1 < n)%N -> (t.2 < n)%N -> t.1 != t.2 ->
  turn false (reflection t) (col n f) = col n (f \o swap t.1 t.2).
Proof.
case: t => i j /= lti ltj ne; apply/matrixP=> k c; rewrite turnE /scale_at /scale_of square_sum /=.
have uE l : Qf F (entry [:: (num i, one); (num j, minus_one)] l) = (l == i)%:R - (l == j)%:R.
  rewrite /entry /= !num_eqb eq_sym; case: eqP => [->|_].
    by rewrite (negPf ne) Qf1 subr0.
  by rewrite (eq_sym j l) mulr0n sub0r; case: (l == j); rewrite ?Qfm1 ?Qf0 ?mulr0n ?oppr0.
have sumE g : \sum_(l < n) Qf F (entry [:: (num i, one); (num j, minus_one)] l) * g (l : nat) = g i - g j.
  rewrite -(sum_delta g lti) -(sum_delta g ltj) -sumrB; apply: eq_bigr => l _.
  by rewrite uE mulrBl.
rewrite (sumE (fun l => Qf F (entry [:: (num i, one); (num j, minus_one)] l))).
have -> : \sum_(l < n) Qf F (entry [:: (num i, one); (num j, minus_one)] l) * col n f l c = f i - f j.
  by rewrite -sumE; apply: eq_bigr => l _; rewrite mxE.
rewrite !uE !eqxx (negPf ne) (eq_sym j i) (negPf ne) mulr0n subr0 sub0r opprK Qf0 subr0 Qf2 !mxE.
have -> : 2%:R / (1 + 1) = 1 :> F by rewrite divff // pnatr_eq0.
rewrite mul1r /= /swap; case: (k =P i :> nat) => [->|ki].
  by rewrite (negPf ne) subr0 mul1r opprB addrC subrK.
case: (k =P j :> nat) => [->|kj]; last by rewrite mulr0n subrr mul0r subr0.
by rewrite mulr0n sub0r mulN1r opprK addrC subrK.
Qed.
Lemma e_col n q : e_ n q = col n (fun i => (i == q)%:R).
Proof. by apply/matrixP=> i j; rewrite eE mxE. Qed.
Lemma turn_swap n (t : nat * nat) q : (t.1 < n)%N -> (t.2 < n)%N -> t.1 != t.2 ->
  turn false (reflection t) (e_ n q) = e_ n (swap t.1 t.2 q).
Proof.
move=> l1 l2 ne; rewrite !e_col turn_reflection //; apply: col_eq => i _ /=.
by rewrite (inv_eq (@swapK _ _)).
Qed.

Lemma act_swaps n ts q : (forall t, t \in ts -> [/\ (t.1 < n)%N, (t.2 < n)%N & t.1 != t.2]) ->
  act false (Action one [::] (List.map reflection ts)) (e_ n q) = e_ n (swaps ts q).
Proof.
rewrite /act /= matrix_of_nil addr0 Qf1 scale1r => ok; elim: ts q ok => //= t ts IH q ok.
have [h1 h2 h3] := ok t (mem_head _ _); rewrite turn_swap // IH // => r rin.
by apply: ok; rewrite inE rin orbT.
Qed.

Lemma nth_error_seq (A : Type) (f : nat -> A) k n : (k < n)%N ->
  nth_error (List.map f (List.seq 0 n)) k = Some (f k).
Proof.
move=> /ssrnat.ltP lt; rewrite (nth_error_nth' _ (f 0%N)); last by rewrite map_length seq_length.
by rewrite (map_nth f (List.seq 0 n) 0%N) seq_nth.
Qed.

Lemma nth_of_error A d (l : seq A) q y : nth_error l q = Some y -> nth d l q = y.
Proof. by elim: l q => [|x l IH] [|q] //=; [case | apply: IH]. Qed.
Lemma images_nth n edges x q : (q < n)%N -> nth 0%N (letter_images n edges x) q = after_letter edges x q.
Proof. by move=> lt; apply: nth_of_error; apply: nth_error_seq. Qed.
Lemma images_permute n edges x :
  (forall q, (q < n)%N -> (after_letter edges x q < n)%N) ->
  (forall q r, (q < n)%N -> (r < n)%N -> after_letter edges x q = after_letter edges x r -> q = r) ->
  permutes n (letter_images n edges x).
Proof.
move=> lt inj; split.
- by rewrite /letter_images -[size _]/(List.length _) map_length seq_length.
- by move=> q ltq; rewrite images_nth // lt.
- by move=> q r ltq ltr; rewrite !images_nth //; apply: inj.
Qed.

(* Every permutation automaton, however many states and letters. *)
Theorem t3_tracks hash letters sts st edges accepts_ outputs_ added_ :
  let a := Automaton (Table letters sts st edges) accepts_ outputs_ added_ in
  let n := List.length sts in
  (0 < n)%N -> (Pos.to_nat st <= n)%N -> List.length edges = n ->
  List.Forall (fun r => List.length r = List.length letters) edges ->
  (forall x, (x < List.length letters)%N -> permutes n (letter_images n edges x)) ->
  tracks (@exactly F) a (t3 hash letters sts st edges) /\ tracks (@nearest F) a (t3 hash letters sts st edges).
Proof.
move=> a n n0 stn szn szr perm; set m := t3 _ _ _ _ _.
have posn : Pos.to_nat (Pos.of_nat n) = n by rewrite Nat2Pos.id //; move: n0; clear; case: n.
suff main (dec : forall l, states F (heads l) -> option index) : right_on_codes dec -> tracks dec a m.
  by split; apply: main; [apply: exactly_right | apply: nearest_right].
move=> right w wv _; set l := List.hd (Layer 1 1 [::] [::] [::] ByState) (layers m).
have placeE q : (q < n)%N -> place (l := l) (num q) ((e_ (Pos.to_nat (Pos.of_nat n)) q, tt) : states F (heads l)).
  by move=> lt; exists (Code (Symbol (Some (num q))) [:: unit_at q]); rewrite ?get_idx ?nth_error_seq.
have ap : apart F l.
  apply: points_apart => // i j S [c gi ->] [c' gj].
  have ltc k d : get (codes l) k = Some d -> (Nat.pred (Pos.to_nat k) < n)%N /\ d = Code (Symbol (Some k)) [:: unit_at (Nat.pred (Pos.to_nat k))].
    rewrite get_nat => g; have lt : (Nat.pred (Pos.to_nat k) < n)%N.
      apply/ssrnat.ltP; have := proj1 (nth_error_Some (codes l) (Nat.pred (Pos.to_nat k))).
      by rewrite g map_length seq_length; apply.
    by split=> //; move: g; rewrite nth_error_seq // idx_nat => -[].
  have [lti ->] := ltc _ _ gi; have [ltj ->] := ltc _ _ gj; case=> /matrixP e.
  move: (e); rewrite posn => _; have lti' : (Nat.pred (Pos.to_nat i) < Pos.to_nat (Pos.of_nat n))%N by rewrite posn.
  have := e (Ordinal lti') 0; rewrite -!/(e_ _ _) !eE /= eqxx.
  case: eqP => [eq _|_ /eqP]; last by rewrite oner_eq0.
  by rewrite -(idx_nat i) -(idx_nat j) eq.
have inv : exists q t, [/\ (q < n)%N, reached States a w = Some ([:: num q], t), t = Some (nth_name sts (num q)) &
    after dec m w = (((e_ (Pos.to_nat (Pos.of_nat n)) q, tt), tt), Some (num q))].
  elim/last_ind: w wv => [|w x IH] wv.
    exists (Nat.pred (Pos.to_nat st)), (Some (nth_name sts st)); rewrite idx_nat; split=> //.
    by have := Pos2Nat.is_pos st; move/ssrnat.leP: stn => stn ?; apply/ssrnat.ltP; lia.
  rewrite -cats1 in wv *; have [wv' wx] := proj1 (List.Forall_app _ _ _) wv.
  have xk : (Pos.to_nat x <= List.length letters)%N by move: (List.Forall_inv wx).
  have [q [t [ltq rq _ aft]]] := IH wv'; set k := Nat.pred (Pos.to_nat x).
  have ltk : (k < List.length letters)%N.
    by move/ssrnat.leP: xk => xk; have := Pos2Nat.is_pos x; rewrite /k => ?; apply/ssrnat.ltP; lia.
  have [szp ltp _] := perm k ltk; have [h1 h3] := transpositions_ok (perm k ltk).
  have ltn : (after_letter edges k q < n)%N by rewrite -(images_nth (n := n)) // ltp.
  exists (after_letter edges k q), (Some (nth_name sts (num (after_letter edges k q)))); split=> //.
  - rewrite /reached List.fold_left_app -/(reached States a w) rq /= /delta /= /transition get_idx.
    have gq : nth_error edges q = Some (List.nth q edges [::]).
      by apply: nth_error_nth'; rewrite szn; apply/ssrnat.ltP.
    rewrite gq get_nat -/k (nth_error_nth' _ (1%positive, None)); last first.
      by rewrite (proj1 (List.Forall_forall _ _) szr _ (nth_error_In _ _ gq)); apply/ssrnat.ltP.
    by rewrite /= /after_letter idx_nat.
  - rewrite /after foldl_cat -/(after dec m w) aft.
    have -> : foldl (read_letter dec (m := m)) (((e_ (Pos.to_nat (Pos.of_nat n)) q, tt), tt) : net_state F (layers m), Some (num q)) [:: x]
      = step (ls := layers m) dec x (((e_ (Pos.to_nat (Pos.of_nat n)) q, tt), tt) : net_state F (layers m)) by [].
    have ax : acts (hs := heads l) x ((e_ (Pos.to_nat (Pos.of_nat n)) q, tt) : states F (heads l))
            = (e_ (Pos.to_nat (Pos.of_nat n)) (after_letter edges k q), tt).
      rewrite /acts /= get_nat -/k nth_error_seq // act_swaps ?h1 ?images_nth // => s sin.
      by rewrite posn; have [? ? lt3] := h3 s sin; split=> //; rewrite ltn_eqF.
    have pl := placeE _ ltn.
    have dE := right l _ _ ap pl.
    change (layers m) with [:: l]; cbn [step]; rewrite [fst _]/= [snd _]/= ax dE.
    by rewrite /symbol /= get_idx nth_error_seq.
have [q [t [ltq rq et aft]]] := inv; rewrite /run_automaton /run [labels_are m]/= rq aft et /= get_idx.
exists (nth_name sts (num q)); split=> //; rewrite /nth_name SuccNat2Pos.id_succ.
by apply: nth_error_nth'; apply/ssrnat.ltP.
Qed.
End Proof.

(* The network's file for an automaton's file; tests compare it with what the compiler writes. *)
Definition t3_of (fsa hash : bytes) : option bytes :=
  if Parse.parse_automaton fsa is Some a then
    if shape a is Table letters sts st edges then Some (print_network (t3 hash letters sts st edges)) else None
  else None.
Print Assumptions t3_tracks.
