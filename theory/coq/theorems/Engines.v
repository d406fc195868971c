(* Engines.v: where an engine rounds nothing, and closure modulo powers of two (EN of theory/pages/engines.md). *)
From Coq Require Import List ZArith Lia.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- statement ------------------------------------------------------------------------------- *)

(* EN.1. A number (N + f / 2^s) w, and s random bits r. *)
Definition drawn (N f s r : Z) : Z := if 2 ^ s <=? f + r then N + 1 else N.
Definition EN1_stays : Prop := forall N s r, 0 <= r < 2 ^ s -> drawn N 0 s r = N.
Definition EN1_top : Prop := forall N f s b, 0 <= b <= s -> 0 <= f < 2 ^ s ->
  (exists r, 0 <= r < 2 ^ b /\ drawn N f s (r * 2 ^ (s - b)) = N + 1) <-> 2 ^ (s - b) <= f.
Definition EN1_bottom : Prop := forall N f s b, 0 <= b <= s -> 0 <= f < 2 ^ s ->
  (exists r, 0 <= r < 2 ^ b /\ drawn N f s r = N + 1) <-> 2 ^ s - 2 ^ b < f.

(* EN.3 and EN.4. Stores: a number is taken there (scaled, and rounded by g), rounded to a value of the format in one of
   some ways, and taken back. Where the way there is exact, as for a power of two, what stays is a value there. Where it is
   not, for two neighbours q < Q between which the number lies, at most one of them comes back as x. *)
Definition EN3 : Prop := forall (number scaled : Type) (there : number -> scaled) (back : scaled -> number)
  (value : scaled -> Prop) (R : scaled -> scaled), (forall x, back (there x) = x) -> (forall y, there (back y) = y) ->
  (forall y, value (R y)) -> (forall y, value y -> R y = y) ->
  forall x, back (R (there x)) = x <-> value (there x).
Definition EN4 : Prop := forall (back : Z -> Z) (q Q x : Z), back q < back Q -> ~ (back q = x /\ back Q = x).

(* EN.5. A sum of terms, in units of w, in some order: terms are rounded first, or fused into the sum before them. *)
Inductive order : Type :=
| Term (t : Z)
| Add (l r : order)
| Fuse (l : order) (t : Z).
Fixpoint exactly (o : order) : Z :=
  match o with Term t => t | Add l r => exactly l + exactly r | Fuse l t => exactly l + t end.
Fixpoint sizes (o : order) : Z :=
  match o with Term t => Z.abs t | Add l r => sizes l + sizes r | Fuse l t => sizes l + Z.abs t end.
Fixpoint rounding (R : Z -> Z) (o : order) : Z :=
  match o with
  | Term t => R t
  | Add l r => R (rounding R l + rounding R r)
  | Fuse l t => R (rounding R l + t)
  end.
Definition EN5 : Prop := forall (R : Z -> Z) p, (forall m, Z.abs m <= 2 ^ p -> R m = m) ->
  forall o, sizes o <= 2 ^ p -> rounding R o = exactly o.

(* EN.11 and EN.12. States with powers of two on them, and an automaton beside. *)
Section Machines.
Variables (state letter place label : Type).
Variables (step : state -> letter -> state) (scale : Z -> state -> state) (read : state -> label).
Variables (next : place -> letter -> place) (wanted : place -> label).
Definition run := fold_left step.
Definition walk := fold_left next.
Definition commutes : Prop :=
  (forall s, scale 0 s = s) /\ (forall i j s, scale i (scale j s) = scale (i + j) s) /\
  (forall j s a, step (scale j s) a = scale j (step s a)) /\ (forall j s, read (scale j s) = read s).
Definition closed (row : state -> place -> Prop) : Prop := forall s q a, row s q ->
  read (step s a) = wanted (next q a) /\ exists j t, step s a = scale j t /\ row t (next q a).
Definition EN11 : Prop := commutes -> forall row, closed row -> forall j s q, row s q -> forall w a,
  read (run (w ++ [a]) (scale j s)) = wanted (walk (w ++ [a]) q).
Definition EN12 : Prop := commutes -> forall w s j, run w s = scale j s -> forall n,
  run (concat (repeat w n)) s = scale (Z.of_nat n * j) s.
End Machines.

(* ---- proofs ---------------------------------------------------------------------------------- *)

Lemma drawn_up N f s r : drawn N f s r = N + 1 <-> 2 ^ s <= f + r.
Proof. unfold drawn; destruct (Z.leb_spec (2 ^ s) (f + r)); lia. Qed.

Theorem EN1_stays_proved : EN1_stays.
Proof. intros N s r H; unfold drawn; destruct (Z.leb_spec (2 ^ s) (0 + r)); lia. Qed.

Lemma powers s b : 0 <= b <= s -> 2 ^ s = 2 ^ b * 2 ^ (s - b) /\ 0 < 2 ^ b /\ 0 < 2 ^ (s - b).
Proof.
intros H; split; [|split]; try (apply Z.pow_pos_nonneg; lia).
rewrite <- Z.pow_add_r by lia; f_equal; lia.
Qed.

Theorem EN1_top_proved : EN1_top.
Proof.
intros N f s b Hb Hf; destruct (powers s b Hb) as (E & P & T); split.
- intros (r & Hr & D); apply drawn_up in D; nia.
- intros H; exists (2 ^ b - 1); split; [lia|]; apply drawn_up; nia.
Qed.

Theorem EN1_bottom_proved : EN1_bottom.
Proof.
intros N f s b Hb Hf; destruct (powers s b Hb) as (E & P & T); split.
- intros (r & Hr & D); apply drawn_up in D; lia.
- intros H; exists (2 ^ b - 1); split; [lia|]; apply drawn_up; lia.
Qed.

Theorem EN3_proved : EN3.
Proof.
intros number scaled there back value R bt tb vR fixes x; split; intros H.
- rewrite <- H, tb; apply vR.
- rewrite (fixes _ H); apply bt.
Qed.

Theorem EN4_proved : EN4.
Proof. intros back q Q x H; lia. Qed.

Lemma exactly_sizes o : Z.abs (exactly o) <= sizes o.
Proof. induction o; simpl; lia. Qed.

Theorem EN5_proved : EN5.
Proof.
intros R p fixes o; induction o as [t|l IHl r IHr|l IHl t]; simpl; intros H.
- apply fixes; lia.
- pose proof (exactly_sizes l); pose proof (exactly_sizes r).
  rewrite IHl, IHr by lia; apply fixes; lia.
- pose proof (exactly_sizes l); rewrite IHl by lia; apply fixes; lia.
Qed.

Section Proofs.
Variables (state letter place label : Type).
Variables (step : state -> letter -> state) (scale : Z -> state -> state) (read : state -> label).
Variables (next : place -> letter -> place) (wanted : place -> label).

Theorem EN11_proved : EN11 state letter place label step scale read next wanted.
Proof.
intros (C0 & C1 & C2 & C3) row C j s q r w; revert j s q r.
induction w as [|x w IH]; intros j s q r a; simpl.
- rewrite C2, C3; apply C; exact r.
- destruct (C s q x r) as (_ & i & t & E & r'); rewrite C2, E, C1; apply IH; exact r'.
Qed.

Lemma run_scaled : commutes state letter label step scale read ->
  forall w j s, run state letter step w (scale j s) = scale j (run state letter step w s).
Proof.
intros (C0 & C1 & C2 & C3) w; induction w as [|x w IH]; intros j s; simpl; [reflexivity|].
rewrite C2; apply IH.
Qed.

Theorem EN12_proved : EN12 state letter label step scale read.
Proof.
intros C w s j E n; pose proof C as (C0 & C1 & C2 & C3).
induction n as [|n IH]; [rewrite Z.mul_0_l; symmetry; apply C0|].
change (concat (repeat w (S n))) with (w ++ concat (repeat w n)).
unfold run in *; rewrite fold_left_app, E.
change (run state letter step (concat (repeat w n)) (scale j s) = scale (Z.of_nat (S n) * j) s).
rewrite (run_scaled C); unfold run; rewrite IH, C1; f_equal; lia.
Qed.
End Proofs.
