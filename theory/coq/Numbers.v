(* Numbers.v: the integers and rationals of Coq inside an ordered field. *)
From Coq Require Import ZArith QArith Lia Field.
From mathcomp Require Import all_ssreflect all_algebra.
From Lrnn Require Import Ast Automaton Model.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope. Delimit Scope Z_scope with cZ.

Section AnyField.
Variables (T : Type) (zero one : T) (add mul sub : T -> T -> T) (opp : T -> T)
          (div : T -> T -> T) (inv : T -> T).
Hypothesis Tf : field_theory zero one add mul sub opp div inv eq.
Add Field T_field : Tf.
Infix "+" := add. Infix "*" := mul. Infix "-" := sub. Infix "/" := div.
Lemma turn_abstract (s a m u P D c E : T) : m <> zero -> D <> zero -> E <> zero ->
  (m * s - u * (a * (P - D * c))) / (m * D)
  = s / D - (a / m * (E * E)) * (u / E) * (P / (E * D) - c / E).
Proof. by move=> m0 D0 E0; field. Qed.
End AnyField.

Section Numbers.
Variable F : realFieldType.
Notation Zf := (@Zf F). Notation Qf := (@Qf F).

Lemma Zf_opp z : Zf (- z)%cZ = - Zf z.
Proof. by case: z => [|p|p] /=; rewrite ?oppr0 ?opprK. Qed.
Lemma Zf_nat n : Zf (Z.of_nat n) = n%:R.
Proof. by case: n => // n; rewrite /= SuccNat2Pos.id_succ. Qed.
Lemma Zf_diff m n : Zf (Z.of_nat m - Z.of_nat n)%cZ = m%:R - n%:R.
Proof.
case: (leqP n m) => [le|/ltnW le].
  have -> : (Z.of_nat m - Z.of_nat n)%cZ = Z.of_nat (m - n)%N.
    by rewrite -Nat2Z.inj_sub //; apply/leP.
  by rewrite Zf_nat natrB.
have -> : (Z.of_nat m - Z.of_nat n)%cZ = (- Z.of_nat (n - m)%N)%cZ.
  rewrite -[in RHS]/(Nat.sub n m) Nat2Z.inj_sub; [lia | by apply/leP].
by rewrite Zf_opp Zf_nat natrB // opprB.
Qed.
Lemma Z_diff z : exists m n, z = (Z.of_nat m - Z.of_nat n)%cZ.
Proof. by exists (Z.to_nat z), (Z.to_nat (- z)); lia. Qed.
Lemma Zf_add x y : Zf (x + y)%cZ = Zf x + Zf y.
Proof.
have [a [c ->]] := Z_diff x; have [d [e ->]] := Z_diff y.
have -> : (Z.of_nat a - Z.of_nat c + (Z.of_nat d - Z.of_nat e))%cZ
        = (Z.of_nat (a + d)%N - Z.of_nat (c + e)%N)%cZ by rewrite !Nat2Z.inj_add; lia.
by rewrite !Zf_diff !natrD opprD addrACA.
Qed.
Lemma Zf_sub x y : Zf (x - y)%cZ = Zf x - Zf y.
Proof. by rewrite -Zf_opp -Zf_add. Qed.
Lemma Zf_mul x y : Zf (x * y)%cZ = Zf x * Zf y.
Proof.
have [a [c ->]] := Z_diff x; have [d [e ->]] := Z_diff y.
have -> : ((Z.of_nat a - Z.of_nat c) * (Z.of_nat d - Z.of_nat e))%cZ
        = (Z.of_nat (a * d + c * e)%N - Z.of_nat (a * e + c * d)%N)%cZ.
  by rewrite !Nat2Z.inj_add !Nat2Z.inj_mul; lia.
rewrite !Zf_diff !natrD !natrM mulrBl !mulrBr opprB opprD.
by rewrite [c%:R * e%:R - _]addrC addrACA; congr (_ + _); rewrite addrC.
Qed.
Lemma Zf_eq0 z : (Zf z == 0) = (Z.eqb z 0).
Proof.
by case: z => [|p|p] /=; rewrite ?oppr_eq0 ?pnatr_eq0 ?eqxx //; have := Pos2Nat.is_pos p; case: Pos.to_nat => //; lia.
Qed.
Lemma Zf_neq0 z : Z.eqb z 0 = false -> Zf z != 0.
Proof. by rewrite Zf_eq0 => ->. Qed.
Lemma Zf_inj x y : Zf x = Zf y -> x = y.
Proof.
move=> e; have : Zf (x - y)%cZ == 0 by rewrite Zf_sub e subrr.
by rewrite Zf_eq0 => /Z.eqb_eq; lia.
Qed.
Lemma Zf_pos p : Zf (Zpos p) = (Pos.to_nat p)%:R. Proof. by []. Qed.
Lemma Qf_def q : Qf q = Zf (Qnum q) / Zf (Zpos (Qden q)). Proof. by []. Qed.
Lemma den_neq0 p : Zf (Zpos p) != 0. Proof. exact: Zf_neq0. Qed.

(* Two fractions are equal just if their cross products are. *)
Lemma cross (a c d e : Z) : Zf c != 0 -> Zf e != 0 ->
  (Zf a / Zf c == Zf d / Zf e) = Z.eqb (a * e) (d * c).
Proof.
move=> c0 e0; rewrite eqr_div // -!Zf_mul.
by apply/eqP/Z.eqb_spec => [/Zf_inj|->].
Qed.

(* The same for their order, and the order and sums of rationals. *)
Lemma Zf_ge0 z : (0 <= Zf z) = Z.leb 0 z.
Proof.
case: z => [|p|p] /=; rewrite ?Order.POrderTheory.lexx ?ler0n // oppr_ge0 lern0.
by have := Pos2Nat.is_pos p; case: Pos.to_nat => //; lia.
Qed.
Lemma Zf_gt0 z : Z.ltb 0 z -> 0 < Zf z.
Proof.
move/Z.ltb_lt=> h; rewrite lt0r Zf_eq0 Zf_ge0.
by apply/andP; split; [apply/Z.eqb_spec | apply/Z.leb_le]; lia.
Qed.
Lemma Zf_le x y : (Zf x <= Zf y) = Z.leb x y.
Proof. by rewrite -subr_ge0 -Zf_sub Zf_ge0; apply/Z.leb_spec0/Z.leb_spec0; lia. Qed.
Lemma cross_le (a c d e : Z) : 0 < Zf c -> 0 < Zf e -> (Zf a / Zf c <= Zf d / Zf e) = Z.leb (a * e) (d * c).
Proof. by move=> c0 e0; rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -!Zf_mul Zf_le. Qed.
Lemma den_gt0 p : 0 < Zf (Zpos p). Proof. exact: Zf_gt0. Qed.
Lemma Qf_le p q : Qle_bool p q = (Qf p <= Qf q).
Proof. by rewrite !Qf_def cross_le ?den_gt0. Qed.
Lemma Qf_eq p q : Qeq_bool p q -> Qf p = Qf q.
Proof. by move=> h; apply/eqP; rewrite !Qf_def cross ?den_neq0 //; apply/Z.eqb_spec/Zeq_bool_eq. Qed.
Lemma Qf_add p q : Qf (Qplus p q) = Qf p + Qf q.
Proof. by rewrite !Qf_def addf_div ?den_neq0 // -!Zf_mul -Zf_add. Qed.

Lemma F_field : field_theory (0 : F) 1 +%R *%R (fun x y => x - y) -%R (fun x y => x / y) GRing.inv eq.
Proof.
constructor; [ | | by [] | by move=> x /eqP; apply: mulVf].
  constructor; [exact: add0r|exact: addrC|exact: addrA|exact: mul1r|exact: mulrC|exact: mulrA|exact: mulrDl|by []|exact: subrr].
by apply/eqP; rewrite oner_eq0.
Qed.
(* One step of the recurrence over common denominators: u and c over E, the state over D. *)
Lemma turn_identity (s a m u P D c E : F) : m != 0 -> D != 0 -> E != 0 ->
  (m * s - u * (a * (P - D * c))) / (m * D)
  = s / D - (a / m * (E * E)) * (u / E) * (P / (E * D) - c / E).
Proof. by move=> /eqP m0 /eqP D0 /eqP E0; apply: (turn_abstract F_field). Qed.
(* The sum of two fractions. *)
Lemma add_fractions (s t D B : F) : D != 0 -> B != 0 ->
  (s * B + t * D) / (D * B) = s / D + t / B.
Proof. by move=> D0 B0; rewrite addf_div // mulrC. Qed.
End Numbers.
