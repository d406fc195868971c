(* Class.v: in a network of the class every letter is a contraction (C2 of theory/pages/closure.md), for the sum of the
   squares of all entries of all heads. *)
From Coq Require Import List ZArith QArith Qreduction.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Model Numbers Exact T1 Periods.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Class.
Variable F : realFieldType.
Notation Qf := (Qf F). Notation Zf := (Zf F).

(* ---- order and arithmetic of rationals in F --------------------------------------------------- *)

Lemma Zf_ge0 z : Zle_bool 0 z -> 0 <= Zf z.
Proof. by case: z => // p _; rewrite /= ler0n. Qed.
Lemma den_gt0 p : 0 < Zf (Zpos p).
Proof. by rewrite /= ltr0n; apply/ssrnat.ltP/Pos2Nat.is_pos. Qed.
Lemma Qf_le p q : Qle_bool p q -> Qf p <= Qf q.
Proof.
move=> le; rewrite !Qf_def ler_pdivr_mulr ?den_gt0 // mulrAC ler_pdivl_mulr ?den_gt0 // -!Zf_mul -subr_ge0 -Zf_sub.
by apply: Zf_ge0; move: le => /Z.leb_le le; apply/Z.leb_le/Z.le_0_sub.
Qed.
Lemma Qf_q0 : Qf q0 = 0. Proof. by rewrite Qf_def mul0r. Qed.
Lemma Qf_q1 : Qf q1 = 1. Proof. by rewrite Qf_def divr1. Qed.
Lemma Qf_q2 : Qf q2 = 2%:R. Proof. by rewrite Qf_def divr1. Qed.
Lemma Qf_ge0 q : Qle_bool q0 q -> 0 <= Qf q. Proof. by move/Qf_le; rewrite Qf_q0. Qed.
Lemma Qf_le1 q : Qle_bool q q1 -> Qf q <= 1. Proof. by move/Qf_le; rewrite Qf_q1. Qed.

Lemma Qf_eq p q : Qeq p q -> Qf p = Qf q.
Proof. by move=> e; apply/eqP; rewrite !Qf_def cross ?den_neq0 //; apply/Z.eqb_eq. Qed.
Lemma Qf_mul p q : Qf (Qmult p q) = Qf p * Qf q.
Proof. by rewrite !Qf_def mulf_div -!Zf_mul -Pos2Z.inj_mul. Qed.
Lemma Qf_add p q : Qf (Qplus p q) = Qf p + Qf q.
Proof. by rewrite !Qf_def addf_div ?den_neq0 // -!Zf_mul -Zf_add -Pos2Z.inj_mul. Qed.
Lemma Qf_square v n : Qf (square v n) = ((column F n v)^T *m column F n v) 0 0.
Proof.
rewrite mxE (eq_bigr (fun i : 'I_n => Qf (entry v i) * Qf (entry v i))) => [|i _]; last by rewrite !mxE.
rewrite -(big_mkord xpredT (fun i => Qf (entry v i) * Qf (entry v i))) /index_iota subn0 /square.
suff e s q : Qf (List.fold_left (fun s i => Qred (Qplus s (Qmult (entry v i) (entry v i)))) s q) =
    Qf q + \sum_(i <- s) Qf (entry v i) * Qf (entry v i) by rewrite e Qf_q0 add0r.
elim: s q => [|i s IH] q; first by rewrite big_nil addr0.
by rewrite [LHS]IH big_cons addrA; congr (_ + _); rewrite (Qf_eq (Qred_correct _)) Qf_add Qf_mul.
Qed.

(* ---- contractions ---------------------------------------------------------------------------- *)

Definition norm n d (M : 'M[F]_(n, d)) : F := \tr (M^T *m M).
Lemma normE n d (M : 'M[F]_(n, d)) : norm M = \sum_i \sum_j M i j ^+ 2.
Proof.
rewrite /norm /mxtrace exchange_big; apply: eq_bigr => j _; rewrite mxE; apply: eq_bigr => i _.
by rewrite mxE expr2.
Qed.
Lemma norm_ge0 n d (M : 'M[F]_(n, d)) : 0 <= norm M.
Proof. by rewrite normE; apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; apply: sqr_ge0. Qed.

Lemma householder_contracts n d (s : F) (u : 'cV[F]_n) (D : 'M[F]_(n, d)) :
  0 <= s -> s * (u^T *m u) 0 0 <= 2%:R -> norm (householder s u *m D) <= norm D.
Proof.
move=> s0; set q := (u^T *m u) 0 0 => le; pose r := u^T *m D.
have -> : householder s u *m D = D - s *: (u *m r).
  by rewrite /householder mulmxBl mul1mx -scalemxAl mulmxA.
suff -> : norm (D - s *: (u *m r)) = norm D - s * (2%:R - s * q) * norm r.
  by rewrite ler_subl_addr ler_addl mulr_ge0 ?norm_ge0 // mulr_ge0 // subr_ge0.
have e1 : D^T *m (u *m r) = r^T *m r by rewrite mulmxA /r trmx_mul trmxK.
have e2 : (u *m r)^T *m D = r^T *m r by rewrite trmx_mul -mulmxA.
have e3 : (u *m r)^T *m (u *m r) = q *: (r^T *m r).
  by rewrite trmx_mul mulmxA -[r^T *m u^T *m u]mulmxA [u^T *m u]mx11_scalar mul_mx_scalar scalemxAl.
have e4 : (D - s *: (u *m r))^T = D^T - s *: (u *m r)^T by rewrite linearB /= linearZ.
rewrite /norm e4 mulmxBl !mulmxBr -!scalemxAl -!scalemxAr e1 e2 e3 !scalerA !raddfB /= !mxtraceZ.
move: (\tr (D^T *m D)) (\tr (r^T *m r)) => a b.
rewrite mulrBr mulrBl !mulrA opprB opprK mulr_natr mulr2n mulrDl opprD -addrA; congr (a + _).
by rewrite addrA [RHS]addrC.
Qed.

Definition contracts (h : head) x := forall d (D : 'M[F]_(_, d)), norm (letter_matrix F h x *m D) <= norm D.
Lemma factor_scale h f (u := column F (Pos.to_nat (rows h)) (key f)) (s := scale_of (raw h) (Qf (beta f)) u) :
  factor_in_class h f -> 0 <= s /\ s * (u^T *m u) 0 0 <= 2%:R.
Proof.
case/and3P=> /Qf_ge0 b0 le _; have q0 : 0 <= (u^T *m u) 0 0.
  by rewrite mxE; apply: sumr_ge0 => i _; rewrite !mxE -expr2 sqr_ge0.
move: le; rewrite /s /scale_of; case: (raw h) => /Qf_le; rewrite Qf_q2.
  by rewrite Qf_mul Qf_square.
move=> le; split; first by rewrite divr_ge0.
by have [->|ne] := eqVneq ((u^T *m u) 0 0) 0; [rewrite mulr0 ler0n | rewrite divfK].
Qed.
Lemma letter_contracts m l h x : in_class m -> List.In l (layers m) -> List.In h (heads l) -> contracts h x.
Proof.
move=> cl inl inh d D; rewrite /letter_matrix; case g: (get (on h) x) => [a|]; last by rewrite mul1mx.
move/List.forallb_forall/(_ _ inl)/List.forallb_forall/(_ _ inh)/List.forallb_forall: cl.
move/(_ _ (nth_error_In _ _ g)) => /and3P[/Qf_ge0 g0 /Qf_le1 g1 /List.forallb_forall fs].
have : norm ((Qf (gate a))%:M *m D) <= norm D.
  have e : (Qf (gate a) *: D)^T = Qf (gate a) *: D^T by rewrite linearZ.
  rewrite mul_scalar_mx /norm e -scalemxAl -scalemxAr scalerA mxtraceZ ler_pimull ?norm_ge0 //.
  by rewrite mulr_ile1.
elim: (factors a) (_%:M) fs => //= f r IH M fs le; apply: IH => [f' inf|]; first by apply: fs; right.
have [s0 s2] := factor_scale (fs f (or_introl erefl)).
by rewrite -mulmxA; apply: Order.POrderTheory.le_trans le; apply: householder_contracts.
Qed.

Lemma acts_contracts hs x (S T : states F hs) : (forall h, List.In h hs -> contracts h x) ->
  distance (acts x S) (acts x T) <= distance S T.
Proof.
elim: hs S T => //= h hs IH S T c; apply: ler_add; last by apply: IH => h' inh; apply: c; right.
have e (U V : head_state F h) : \sum_i \sum_j (U i j - V i j) ^+ 2 = norm (U - V).
  by rewrite normE; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE.
rewrite !e; have := c h (or_introl erefl) _ (S.1 - T.1); rewrite mulmxBr.
by rewrite -/(letter_act x S.1) -/(letter_act x T.1) !letter_affine /read opprD addrACA subrr addr0.
Qed.
End Class.
