(* GDN2.v: the letters of GDN-2, an erase gate for each channel (GD of theory/pages/gdn2.md). *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Import GRing.Theory Num.Theory Order.POrderTheory.
Local Open Scope ring_scope.

(* ---- statement ------------------------------------------------------------------------------- *)

(* A letter has a key k of length 1, erase gates b and decays w, and acts by A = (I - k (b o k)^T) diag(w). *)
Section Letter.
Variables (F : realFieldType) (n : nat).
Implicit Types x y : 'I_n -> F.
Definition dot x y : F := \sum_i x i * y i.
Record letter : Type := Letter {key : 'I_n -> F; erase : 'I_n -> F; decay : 'I_n -> F}.
Definition gated (a : letter) : Prop :=
  dot (key a) (key a) = 1 /\ forall i, 0 <= erase a i <= 1 /\ 0 <= decay a i <= 1.
Definition mask (a : letter) i := erase a i * key a i.
Definition act (a : letter) x i :=
  decay a i * x i - key a i * dot (mask a) (fun j => decay a j * x j).
Definition fixes (a : letter) x : Prop := forall i, act a x i = x i.
Definition kills (a : letter) x : Prop := forall i, act a x i = 0.
End Letter.

(* GD.1, parts 2 and 3. What a letter fixes, its decay fixes and its mask does not meet; what it kills, its decay kills,
   or it is an orthogonal projection after its decay; and the two are orthogonal. *)
Definition GD1_fixed : Prop := forall (F : realFieldType) n (a : letter F n) f, gated a -> fixes a f ->
  (forall i, decay a i * f i = f i) /\ dot (mask a) f = 0.
Definition GD1_killed : Prop := forall (F : realFieldType) n (a : letter F n) e, gated a -> kills a e ->
  (forall i, decay a i * e i = 0) \/ (forall i, mask a i = key a i).
Definition GD1_orthogonal : Prop := forall (F : realFieldType) n (a : letter F n) f e,
  gated a -> fixes a f -> kills a e -> dot f e = 0.

(* ---- proof ----------------------------------------------------------------------------------- *)

Section Proof.
Variables (F : realFieldType) (n : nat) (a : letter F n).
Hypothesis good : gated a.
Local Notation k := (key a).
Local Notation b := (erase a).
Local Notation w := (decay a).

Lemma fixed f : fixes a f -> (forall i, w i * f i = f i) /\ dot (mask a) f = 0.
Proof.
move=> fix_f; have [_ range] := good.
set c := dot (mask a) (fun j => w j * f j).
have each i : (1 - w i) * f i = - (c * k i).
  by have := fix_f i; rewrite /act -/c => h; rewrite mulrBl mul1r -{1}h [c * _]mulrC addrC addKr.
have sum : \sum_i b i * w i * (1 - w i) * (f i * f i) = - (c * c).
  transitivity (\sum_i - c * (mask a i * (w i * f i))); last by rewrite -mulr_sumr mulNr.
  apply: eq_bigr => i _; rewrite /mask -mulrA [(1 - w i) * _]mulrA each.
  by rewrite !(mulrN, mulNr); congr (- _); rewrite -!mulrA; rewrite !(mulrCA _ c); congr (c * _);
     rewrite (mulrCA (w i)).
have c0 : c = 0.
  apply/eqP; rewrite -sqrf_eq0 expr2 eq_le; apply/andP; split; last by rewrite -expr2 sqr_ge0.
  rewrite -oppr_ge0 -sum; apply: sumr_ge0 => i _.
  have [/andP[b0 _] /andP[w0 w1]] := range i.
  by apply: mulr_ge0; [rewrite !mulr_ge0 ?subr_ge0 | rewrite -expr2 sqr_ge0].
have wf i : w i * f i = f i.
  by have := each i; rewrite c0 mul0r oppr0 mulrBl mul1r => /eqP; rewrite subr_eq0 => /eqP.
split=> //; rewrite -[RHS]c0; apply: eq_bigr => i _; by rewrite wf.
Qed.

Lemma killed e : kills a e -> (forall i, w i * e i = 0) \/ (forall i, mask a i = k i).
Proof.
move=> kill_e; have [unit range] := good.
set c := dot (mask a) (fun j => w j * e j).
have each i : w i * e i = k i * c by have /eqP := kill_e i; rewrite /act -/c subr_eq0 => /eqP.
have [c0|c_n0] := eqVneq c 0; first by left=> i; rewrite each c0 mulr0.
right; have one : \sum_i b i * (k i * k i) = 1.
  apply: (mulIf c_n0); rewrite mul1r mulr_suml; transitivity c; last by [].
  rewrite {2}/c /dot; apply: eq_bigr => i _; by rewrite each /mask !mulrA.
have zero : \sum_i (1 - b i) * (k i * k i) = 0.
  by under eq_bigr do rewrite mulrBl mul1r; rewrite sumrB one -[X in _ - X]unit subrr.
move=> i; have pos j : true -> 0 <= (1 - b j) * (k j * k j).
  by move=> _; have [/andP[_ b1] _] := range j; apply: mulr_ge0; [rewrite subr_ge0 | rewrite -expr2 sqr_ge0].
have /eqP := zero; rewrite psumr_eq0 // => /allP /(_ i); rewrite mem_index_enum /= => /(_ isT).
rewrite mulf_eq0 subr_eq0 -expr2 sqrf_eq0 /mask => /orP[/eqP <-|/eqP ->]; by rewrite ?mul1r ?mulr0.
Qed.

Lemma orthogonal f e : fixes a f -> kills a e -> dot f e = 0.
Proof.
move=> fix_f kill_e; have [wf mf] := fixed fix_f.
have shift : dot f e = \sum_i f i * (w i * e i).
  by apply: eq_bigr => i _; rewrite -{1}wf -mulrA mulrCA.
have [we|mk] := killed kill_e; rewrite shift; first by rewrite big1 // => i _; rewrite we mulr0.
set c := dot (mask a) (fun j => w j * e j).
have each i : w i * e i = k i * c by have /eqP := kill_e i; rewrite /act -/c subr_eq0 => /eqP.
transitivity (\sum_i mask a i * f i * c); last by rewrite -mulr_suml -/(dot _ _) mf mul0r.
by apply: eq_bigr => i _; rewrite each mulrA mk [f i * _]mulrC.
Qed.
End Proof.

Theorem GD1_fixed_proved : GD1_fixed.
Proof. by move=> F n a f good; exact: fixed. Qed.
Theorem GD1_killed_proved : GD1_killed.
Proof. by move=> F n a e good; exact: killed. Qed.
Theorem GD1_orthogonal_proved : GD1_orthogonal.
Proof. by move=> F n a f e good; exact: orthogonal. Qed.
