(* Counting.v: what networks of any number of layers cannot count (T1 and T2 of theory/pages/obstruct.md). *)
From Coq Require Import List ZArith QArith Ascii String.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Print Automaton Spelling Model Numbers Recurrences T1 Periods Class Obstruct T3.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* ---- statement ------------------------------------------------------------------------------- *)

(* Letters with eigenvalues that are real and not negative; layers 1, 2, 3, .. whose products of 1, 2, 4, .. letters
   have real eigenvalues. *)
Definition nonneg_letters (F : realFieldType) (m : network) : Prop :=
  forall l h x, List.In l (layers m) -> List.In h (heads l) -> only_eigenvalues (@nonneg F) (letter_matrix F h x).
Fixpoint real_products (F : realFieldType) (ls : list layer) (words : seq index -> Prop) (P : nat) : Prop :=
  if ls is l :: r then @products F predT l words /\ real_products F r (words_over (gives l) P.*2) P.*2 else True.

(* The label that is right after t letters of u w w w .. *)
Definition right_label m a u w t := run_automaton (labels_are m) a (prefix u w t).

Section Tracking.
Variable F : realFieldType.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_settles : settling (@decode).
Variables (a : automaton) (m : network).
Hypothesis ok : well_spelled m.
Hypothesis right : tracks (@decode) a m.

Lemma forall_nth (Q : index -> Prop) s i : List.Forall Q s -> i < size s -> Q (nth 1%positive s i).
Proof. by move=> h; elim: h i => [|y r q _ IH] [|i] //=; apply: IH. Qed.
Lemma prefix_over u w t : over m u -> over m w -> w <> [::] -> over m (prefix u w t).
Proof.
move=> ou ow w0; have P0 : 0 < size w by case: (w) w0.
elim: t => [|t IH]; first exact: List.Forall_nil.
rewrite prefix_rcons -cats1; apply/List.Forall_app; split=> //; apply: List.Forall_cons => //.
by rewrite /letter_at; case: ifP => [/(forall_nth ou)|_] //; apply: (forall_nth ow); rewrite ltn_mod.
Qed.
Lemma same_name_dec (x y : option name) : {x = y} + {x <> y}.
Proof. by decide equality; apply: List.list_eq_dec; apply: ascii_dec. Qed.

(* Labels that have any period from length n on have the period Q of OB.3 from there on. *)
Theorem tracked_period u w Q n k : over m u -> over m w -> w <> [::] ->
  periods F (layers m) (eq (class_word m w)) (size w) Q ->
  0 < n -> 0 < k -> (forall t, n <= t -> right_label m a u w (t + k) = right_label m a u w t) ->
  forall t, n <= t -> right_label m a u w (t + Q) = right_label m a u w t.
Proof.
move=> ou ow w0 pq n0 k0 per t le; case: (same_name_dec (right_label m a u w (t + Q)) (right_label m a u w t)) => // ne.
have lab s : n <= s -> exists2 y, right_label m a u w s = Some y & run (@decode) m (prefix u w s) = Some y.
  move=> ns; have [|y [h1 h2]] := right (prefix_over s ou ow w0); last by exists y.
  by case: s ns => [|s]; [rewrite leqNgt n0 | case: (labels_are m)].
have perN N s : n <= s -> right_label m a u w (s + N * k) = right_label m a u w s.
  move=> ns; elim: N => [|N IH]; first by rewrite addn0.
  by rewrite mulSn addnCA addnC per // (leq_trans ns) ?leq_addr.
have labelled : exists N, forall t, N <= t -> run (@decode) m (prefix u w t) <> None.
  by exists n => s /lab[y _ ->].
exfalso; apply: (OB3 decode_settles ok w0 pq labelled) => -[N rep]; apply: ne.
have le' : n <= t + Q by rewrite (leq_trans le) ?leq_addr.
rewrite -(perN N _ le') -(perN N _ le) -addnAC.
have far : N <= t + N * k by rewrite (leq_trans _ (leq_addl t _)) // leq_pmulr.
have big : n <= t + N * k by rewrite (leq_trans le) ?leq_addr.
have [y -> ey] := lab _ big; have [z -> ez] := lab _ (leq_trans big (leq_addr Q _)).
by rewrite -ey -ez rep.
Qed.

Lemma word_of_letter h x : word_matrix F h [:: x] = letter_matrix F h x.
Proof. by rewrite /word_matrix /product /= mulmx1. Qed.
Lemma periods_nonneg ls (words : seq index -> Prop) :
  (forall l h x, List.In l ls -> List.In h (heads l) -> only_eigenvalues (@nonneg F) (letter_matrix F h x)) ->
  (forall v, words v -> size v = 1%nat) -> periods F ls words 1 1.
Proof.
elim: ls words => [//|l ls IH] words real one; left; split.
  move=> [|x [|y v]] h /one // _ inh; rewrite word_of_letter; apply: real inh; by left.
by apply: IH => [l' h x inl|v []//]; apply: real; right.
Qed.
Lemma periods_real ls (words words' : seq index -> Prop) P : (forall v, words' v -> words v) ->
  real_products F ls words P -> periods F ls words' P (P * 2 ^ size ls).
Proof.
elim: ls words words' P => [|l ls IH] words words' P sub /=; first by rewrite muln1.
case=> pr rest; right; split; first by move=> v h /sub; apply: pr.
by rewrite expnS mulnA muln2; apply: IH rest.
Qed.

(* T1: where a letter leads round a cycle all labels are the same. *)
Theorem T1_network u x n k : nonneg_letters F m -> over m u -> over m [:: x] ->
  0 < n -> 0 < k -> (forall t, n <= t -> right_label m a u [:: x] (t + k) = right_label m a u [:: x] t) ->
  forall t, n <= t -> right_label m a u [:: x] t.+1 = right_label m a u [:: x] t.
Proof.
move=> real ou ox n0 k0 per t le; rewrite -addn1; apply: (tracked_period ou ox _ _ n0 k0 per le) => //.
by apply: periods_nonneg => // v <-.
Qed.
(* T2: where a letter leads round a cycle the labels have the period 2^L. *)
Theorem T2_network u x n k : real_products F (layers m) (fun v => size v = 1) 1 -> over m u -> over m [:: x] ->
  0 < n -> 0 < k -> (forall t, n <= t -> right_label m a u [:: x] (t + k) = right_label m a u [:: x] t) ->
  forall t, n <= t -> right_label m a u [:: x] (t + 2 ^ size (layers m)) = right_label m a u [:: x] t.
Proof.
move=> real ou ox n0 k0 per; apply: tracked_period k0 per => //; rewrite -[2 ^ _]mul1n.
by apply: periods_real real => v <-.
Qed.
End Tracking.

(* ---- counting modulo n ------------------------------------------------------------------------- *)

(* The automaton with one letter whose n states form a cycle. *)
Definition counter (names : list name) : automaton :=
  let n := size names in
  Automaton (Table [:: b "a"] names 1%positive [seq [:: (Pos.of_succ_nat (i.+1 %% n), None)] | i <- iota 0 n])
    None None None.
Definition parity := counter [:: b "even"; b "odd"].
Definition modulo_3 := counter [:: b "0"; b "1"; b "2"].

Lemma counter_label m names t : labels_are m = States -> 0 < size names ->
  right_label m (counter names) [::] [:: 1%positive] t = Some (nth [::] names (t %% size names)).
Proof.
move=> st n0; set n := size names in n0 *; rewrite /right_label /run_automaton st.
have at_ i : state_name (counter names) [:: Pos.of_succ_nat i] = nth [::] names i.
  rewrite /state_name /= /nth_name SuccNat2Pos.id_succ /=.
  by elim: (names) i => [|x r IH] [|i] /=.
suff -> : reached States (counter names) (prefix [::] [:: 1%positive] t) =
          Some ([:: Pos.of_succ_nat (t %% n)], Some (nth [::] names (t %% n))) by [].
elim: t => [|t IH]; first by rewrite mod0n -at_.
rewrite prefix_rcons -cats1 /reached List.fold_left_app -/(reached _ _ _) IH /letter_at /= modn1 /=.
rewrite /delta /transition /= /get SuccNat2Pos.id_succ /=.
rewrite (nth_error_seq (fun i => [:: (Pos.of_succ_nat (i.+1 %% n), None : option name)])) ?ltn_mod //.
have -> : (t %% n).+1 %% n = t.+1 %% n by rewrite -addn1 modnDml addn1.
by rewrite /= /label_after -at_.
Qed.

Section Impossible.
Variable F : realFieldType.
Variable decode : forall l : layer, states F (heads l) -> option index.
Hypothesis decode_settles : settling (@decode).
Variable m : network.
Hypotheses (ok : well_spelled m) (by_states : labels_are m = States).

Lemma over_first : over m [:: 1%positive].
Proof.
apply: List.Forall_cons (List.Forall_nil _); move: ok; rewrite /well_spelled.
by case: (alphabet m) => [|x r] //=; rewrite ?andbF.
Qed.

(* A network that counts modulo n with the labels `names` gives them a period that divides 2^L, and 1 if no
   eigenvalue is negative. *)
Lemma counter_fixed names t Q : 0 < size names -> tracks (@decode) (counter names) m ->
  (forall t, 0 < t -> right_label m (counter names) [::] [:: 1%positive] (t + Q) =
                      right_label m (counter names) [::] [:: 1%positive] t) ->
  nth [::] names ((t + Q) %% size names) = nth [::] names (t %% size names).
Proof.
move=> n0 tr per; have lt : 0 < t + size names by rewrite addn_gt0 n0 orbT.
by have := per _ lt; rewrite !counter_label // addnAC !modnDr => -[].
Qed.
Lemma counter_cycle names t : 0 < size names ->
  right_label m (counter names) [::] [:: 1%positive] (t + size names) =
  right_label m (counter names) [::] [:: 1%positive] t.
Proof. by move=> n0; rewrite !counter_label // modnDr. Qed.

Theorem no_counting names t : 0 < size names -> nonneg_letters F m -> tracks (@decode) (counter names) m ->
  nth [::] names (t.+1 %% size names) = nth [::] names (t %% size names).
Proof.
move=> n0 real tr; rewrite -addn1; apply: counter_fixed => // s s0; rewrite addn1.
apply: (T1_network decode_settles ok tr real (List.Forall_nil _) over_first (n := 1) (k := size names)) s0 => // r _.
exact: counter_cycle.
Qed.
Theorem no_odd_counting names t : 0 < size names -> real_products F (layers m) (fun v => size v = 1) 1 ->
  tracks (@decode) (counter names) m ->
  nth [::] names ((t + 2 ^ size (layers m)) %% size names) = nth [::] names (t %% size names).
Proof.
move=> n0 real tr; apply: counter_fixed => // s s0.
apply: (T2_network decode_settles ok tr real (List.Forall_nil _) over_first (n := 1) (k := size names)) s0 => // r _.
exact: counter_cycle.
Qed.

Corollary no_parity : nonneg_letters F m -> ~ tracks (@decode) parity m.
Proof. by move=> real tr; have := no_counting 0 (names := [:: b "even"; b "odd"]) isT real tr. Qed.
Corollary no_counting_modulo_3 : real_products F (layers m) (fun v => size v = 1) 1 -> ~ tracks (@decode) modulo_3 m.
Proof.
move=> real tr; have := no_odd_counting 0 (names := [:: b "0"; b "1"; b "2"]) isT real tr.
have : 2 ^ size (layers m) %% 3 != 0 by apply/eqP=> /eqP; rewrite -/(dvdn _ _) Euclid_dvdX.
by rewrite add0n /=; case: (_ %% 3) (ltn_pmod (2 ^ size (layers m)) (isT : 0 < 3)) => [|[|[|]]].
Qed.
End Impossible.

(* ---- one factor a letter with beta <= 1 --------------------------------------------------------- *)

Definition small_factors (m : network) : bool :=
  List.forallb (fun l => List.forallb (fun h => List.forallb (fun a =>
    match factors a with
    | [::] => true
    | [:: f] => ~~ raw h && Qle_bool (beta f) q1
    | _ => false
    end) (on h)) (heads l)) (layers m).

Section Small.
Variable F : realFieldType.
Local Open Scope ring_scope.

Lemma one_factor n (g s : F) (u : 'cV[F]_n) : 0 <= g -> s * (u^T *m u) 0 0 <= 1 ->
  only_eigenvalues (@nonneg F) (householder s u *m g%:M).
Proof.
move=> g0 le; set q := (u^T *m u) 0 0 in le; pose W := u *m u^T; pose c := g * (1 - s * q).
have eA : householder s u *m g%:M = g%:M - (g * s) *: W.
  by rewrite mul_mx_scalar /householder scalerBr scalemx1 scalerA.
have WW : W *m W = q *: W.
  by rewrite /W mulmxA -[u *m u^T *m u]mulmxA [u^T *m u]mx11_scalar mul_mx_scalar scalemxAl.
exists [:: c; g]; first by rewrite /= /nonneg g0 mulr_ge0 ?subr_ge0.
rewrite /kill /= mulmx1 eA addrAC subrr add0r mulNmx -scalemxAl !mulmxBr !mul_mx_scalar -scalemxAr WW scalerA.
by rewrite -!scalerBl -addrA -opprD /c mulrBr mulr1 mulrA [_ + (g - _)]addrCA subrr addr0 subrr scale0r scaler0 oppr0.
Qed.
Theorem small_nonneg m : in_class m -> small_factors m -> nonneg_letters F m.
Proof.
move=> cl sm l h x inl inh; rewrite /letter_matrix; case g: (get (on h) x) => [a|]; last first.
  by exists [:: 1] => [|/=]; rewrite /kill /= ?subrr ?mul0mx // /nonneg ler01.
move/List.forallb_forall/(_ _ inl)/List.forallb_forall/(_ _ inh)/List.forallb_forall/(_ _ (get_in g)): sm.
move/List.forallb_forall/(_ _ inl)/List.forallb_forall/(_ _ inh)/List.forallb_forall/(_ _ (get_in g)): cl.
case/and3P=> /(@Qf_ge0 F) g0 _ _; case: (factors a) => [|f [|//]] /=.
  move=> _; exists [:: Qf F (gate a)]; first by rewrite /= /nonneg g0.
  by rewrite /kill /= mulmx1 subrr.
case/andP=> /negbTE -> /(@Qf_le1 F) le; apply: one_factor g0 _; rewrite /scale_of.
have [->|q0] := eqVneq (((column F (Pos.to_nat (rows h)) (key f))^T *m column F (Pos.to_nat (rows h)) (key f)) 0 0) 0.
  by rewrite mulr0 ler01.
by rewrite divfK.
Qed.
End Small.

(* DeltaNet with beta <= 1 and gates not negative: no number of layers and heads gives parity. *)
Theorem small_factors_no_parity m : well_spelled m -> in_class m -> small_factors m -> labels_are m = States ->
  forall F, ~ tracks (@exactly F) parity m /\ ~ tracks (@nearest F) parity m.
Proof.
move=> ok cl sm st F; have real := small_nonneg F cl sm; split.
  exact: (no_parity (@exactly_settles F) ok st real).
exact: (no_parity (@nearest_settles F) ok st real).
Qed.
Print Assumptions small_factors_no_parity.
Print Assumptions no_counting_modulo_3.
