(* T3Fewest.v: the compiler of T3.v writes n - #cycles factors for a letter, and no fewer do (T3.9 of
   theory/pages/t3.md). *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Lrnn Require Import Model T3.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.

(* ---- the number of factors ---------------------------------------------------------------- *)

Section Count.
Variable n : nat.
Local Open Scope nat_scope.

Lemma image_lt p (per : permutes n p) (i : 'I_n) : nth 0 p i < n.
Proof. by case: per => _ lt _; apply: lt. Qed.
Definition image_of p (per : permutes n p) (i : 'I_n) : 'I_n := Ordinal (image_lt per i).
Lemma image_inj p (per : permutes n p) : injective (image_of per).
Proof.
move=> i j /(congr1 val) /= e; apply: val_inj; have [_ _ inj] := per; exact: inj e.
Qed.
(* The permutation of a list of images. *)
Definition perm_of p (per : permutes n p) : {perm 'I_n} := perm (@image_inj p per).
Lemma perm_ofE p (per : permutes n p) i : perm_of per i = nth 0 p i :> nat.
Proof. by rewrite permE. Qed.

Lemma perm_of_peel p (per : permutes n p) (i : 'I_n) (ne : nth 0 p i != i) (per' : permutes n (peel p i (nth 0 p i))) :
  perm_of per' = (tperm i (perm_of per i) * perm_of per)%g.
Proof.
apply/permP=> q; apply: val_inj; rewrite /= permM !perm_ofE nth_peel //; congr nth.
rewrite /swap; case: tpermP => [->|->|/eqP qi /eqP qj].
- by rewrite eqxx perm_ofE.
- by rewrite perm_ofE eqxx (negPf ne).
- by rewrite -(inj_eq val_inj) in qi; rewrite -(inj_eq val_inj) /= perm_ofE in qj; rewrite (negPf qi) (negPf qj).
Qed.

Lemma stars_size fuel i p (per : permutes n p) : (forall q, q < i -> nth 0 p q = q) -> (n - i) + moved p < fuel ->
  size (stars fuel i p) + #|porbits (perm_of per)| = n.
Proof.
elim: fuel i p per => [|f IH] i p per below //=; rewrite ltnS => le; have [sz lt inj] := per.
rewrite sz; case: (leqP n i) => [le'|lti].
  have -> : perm_of per = 1%g.
    by apply/permP=> q; apply: val_inj; rewrite perm1 /= perm_ofE below // (leq_trans (ltn_ord q)).
  rewrite add0n -[RHS]card_ord /porbits card_imset // => q r e.
  have : q \in porbit 1 r by rewrite -e porbit_id.
  by case/porbitP=> k ->; rewrite expg1n perm1.
case: (nth 0 p i =P i) => [pi|/eqP ne].
  apply: IH => [q|].
    by rewrite ltnS leq_eqVlt => /orP[/eqP ->|/below].
  by apply: leq_trans le; rewrite -addSn leq_add2r subnSK.
have per' := peel_permutes per lti ne; set oi := Ordinal lti.
have ij : i < nth 0 p i.
  by rewrite ltn_neqAle eq_sym ne leqNgt; apply/negP=> /below e; case/eqP: ne; apply: inj => //; apply: lt.
have IH' := IH i _ per'; rewrite /= addSn -addnS.
have -> : #|porbits (perm_of per)|.+1 = #|porbits (perm_of per')|.
  have e : perm_of per' = (tperm oi (perm_of per oi) * perm_of per)%g := @perm_of_peel p per oi ne per'.
  have := porbits_mul_tperm (perm_of per) oi (perm_of per oi).
  cbv zeta; rewrite -e porbit_sym (mem_porbit _ 1 oi : perm_of per oi \in porbit (perm_of per) oi) addn0 => ->.
  have -> : oi != perm_of per oi by rewrite -(inj_eq val_inj) /= perm_ofE eq_sym.
  by rewrite addn1.
apply: IH' => [q ltq|].
- rewrite nth_peel // /swap (ltn_eqF ltq) (ltn_eqF (ltn_trans ltq ij)); exact: below.
- by apply: leq_trans le; rewrite ltn_add2l; apply: moved_peel per lti ne.
Qed.
(* A permutation of n points with c cycles, fixed points among them, has n - c factors. *)
Theorem transpositions_count p (per : permutes n p) :
  size (transpositions p) + #|porbits (perm_of per)| = n.
Proof.
have [sz _ _] := per; apply: stars_size => //.
by rewrite ltnS subn0 sz leq_add2l /moved sz -[X in _ <= X](size_iota 0 n) count_size.
Qed.
End Count.

(* ---- no fewer factors do ------------------------------------------------------------------ *)

Section Fewest.
Variables (F : fieldType) (n : nat).
Local Open Scope ring_scope.

(* A product of r matrices of the form I - u v, for a column u and a row v, fixes all but at most r dimensions. *)
Definition product (us : seq ('cV[F]_n * 'rV[F]_n)) : 'M[F]_n :=
  foldr (fun t M => (1%:M - t.1 *m t.2) *m M) 1%:M us.
Lemma rank_product us : (\rank (product us - 1%:M)%R <= size us)%N.
Proof.
elim: us => [|t us IH] /=; first by rewrite subrr mxrank0.
have -> : (1%:M - t.1 *m t.2) *m product us - 1%:M = t.1 *m (- (t.2 *m product us)) + (product us - 1%:M).
  by rewrite mulmxBl mul1mx mulmxN mulmxA [RHS]addrC addrAC.
apply: leq_trans (mxrank_add _ _) _; rewrite -[(size us).+1]add1n; apply: leq_add IH.
by apply: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.

(* A row that a permutation fixes is constant on its cycles, so that the fixed rows have at most as many dimensions as
   there are cycles. *)
Variable s : {perm 'I_n}.
Definition cycles_of : {set {set 'I_n}} := porbits s.
Definition indicator : 'M[F]_(#|cycles_of|, n) :=
  \matrix_(c, i) (i \in (enum_val c : {set 'I_n}))%:R.

Lemma fixed_constant (x : 'rV[F]_n) i j : x *m perm_mx s = x -> j \in porbit s i -> x 0 j = x 0 i.
Proof.
move=> fx; have fixed y : x 0 (s y) = x 0 y by rewrite -{1}fx -{1}[s]invgK -col_permE mxE permK.
by case/porbitP=> k ->; elim: k => [|k IH]; rewrite ?expg0 ?perm1 // expgSr permM fixed.
Qed.
Lemma fixed_rows (x : 'rV[F]_n) : x *m perm_mx s = x -> (x <= indicator)%MS.
Proof.
move=> fx; apply/submxP.
exists (\row_c (if [pick i in (enum_val c : {set 'I_n})] is Some i then x 0 i else 0)).
apply/rowP=> j; rewrite mxE.
have orb : porbit s j \in cycles_of by apply: imset_f.
rewrite (bigD1 (enum_rank_in orb (porbit s j))) //= !mxE enum_rankK_in // porbit_id mulr1.
case: pickP => [i|/(_ j)]; last by rewrite porbit_id.
move=> ij; rewrite (fixed_constant fx ij) big1 ?addr0 // => c ne; rewrite !mxE.
case jc: (j \in enum_val c); last by rewrite mulr0.
case/eqP: ne; apply: enum_val_inj; rewrite enum_rankK_in //.
have /imsetP[k _ ek] := enum_valP c; rewrite ek in jc *.
by apply/eqP; rewrite eq_porbit_mem porbit_sym.
Qed.
Definition moves : 'M[F]_n := perm_mx s - 1%:M.
Lemma rank_permutation : (n - #|porbits s| <= \rank moves)%N.
Proof.
have le : (\rank (kermx moves) <= #|porbits s|)%N.
  apply: leq_trans (rank_leq_row indicator); apply: mxrankS; apply/row_subP=> i; apply: fixed_rows.
  have /sub_kermxP := row_sub i (kermx moves).
  by rewrite /moves mulmxBr mulmx1 => /eqP; rewrite subr_eq0 => /eqP.
by rewrite mxrank_ker in le; rewrite leq_subLR addnC -leq_subLR.
Qed.

(* So no product of fewer than n - c such factors moves the n points as a permutation with c cycles does. *)
Theorem fewest_factors us : product us = perm_mx s -> (n - #|porbits s| <= size us)%N.
Proof. by move=> e; apply: leq_trans rank_permutation _; rewrite /moves -e; apply: rank_product. Qed.
End Fewest.

(* The same for the factors of Model.v. A matrix that takes the column e_q to e_(s q) is perm_mx of the inverse of s, which
   has the cycles of s. *)
Corollary fewest_householders (F : realFieldType) n (s : {perm 'I_n}) (fs : seq (F * 'cV[F]_n)) :
  foldr (fun t M => mulmx (householder t.1 t.2) M) 1%:M%R fs = perm_mx s^-1 -> (n - #|porbits s| <= size fs)%N.
Proof.
have -> : foldr (fun t M => mulmx (householder t.1 t.2) M) 1%:M%R fs
        = product [seq (t.2, t.1 *: t.2^T)%R | t <- fs].
  by elim: fs => //= t fs ->; rewrite /householder -scalemxAr.
move=> /fewest_factors; rewrite size_map.
suff -> : porbits s^-1 = porbits s by [].
by apply: eq_imset => x; apply: porbitV.
Qed.
Print Assumptions transpositions_count.
Print Assumptions fewest_householders.
Print Assumptions fewest_factors.
