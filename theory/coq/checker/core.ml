(* Extracted from theory/coq, sources sha256 a12355df1f5335514e5bd45c89378401340a584346bf9b4500f1fc7ded8a2a52, by Coq 8.16.1 with
   MathComp 1.15.0. proofs.sh extract writes this file. *)

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

type uint =
| Nil
| D0 of uint
| D1 of uint
| D2 of uint
| D3 of uint
| D4 of uint
| D5 of uint
| D6 of uint
| D7 of uint
| D8 of uint
| D9 of uint

(** val revapp : uint -> uint -> uint **)

let rec revapp d d' =
  match d with
  | Nil -> d'
  | D0 d0 -> revapp d0 (D0 d')
  | D1 d0 -> revapp d0 (D1 d')
  | D2 d0 -> revapp d0 (D2 d')
  | D3 d0 -> revapp d0 (D3 d')
  | D4 d0 -> revapp d0 (D4 d')
  | D5 d0 -> revapp d0 (D5 d')
  | D6 d0 -> revapp d0 (D6 d')
  | D7 d0 -> revapp d0 (D7 d')
  | D8 d0 -> revapp d0 (D8 d')
  | D9 d0 -> revapp d0 (D9 d')

(** val rev : uint -> uint **)

let rev d =
  revapp d Nil

module Little =
 struct
  (** val double : uint -> uint **)

  let rec double = function
  | Nil -> Nil
  | D0 d0 -> D0 (double d0)
  | D1 d0 -> D2 (double d0)
  | D2 d0 -> D4 (double d0)
  | D3 d0 -> D6 (double d0)
  | D4 d0 -> D8 (double d0)
  | D5 d0 -> D0 (succ_double d0)
  | D6 d0 -> D2 (succ_double d0)
  | D7 d0 -> D4 (succ_double d0)
  | D8 d0 -> D6 (succ_double d0)
  | D9 d0 -> D8 (succ_double d0)

  (** val succ_double : uint -> uint **)

  and succ_double = function
  | Nil -> D1 Nil
  | D0 d0 -> D1 (double d0)
  | D1 d0 -> D3 (double d0)
  | D2 d0 -> D5 (double d0)
  | D3 d0 -> D7 (double d0)
  | D4 d0 -> D9 (double d0)
  | D5 d0 -> D1 (succ_double d0)
  | D6 d0 -> D3 (succ_double d0)
  | D7 d0 -> D5 (succ_double d0)
  | D8 d0 -> D7 (succ_double d0)
  | D9 d0 -> D9 (succ_double d0)
 end

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n0 m =
   match n0 with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module type EqLtLe =
 sig
  type t
 end

module MakeOrderTac =
 functor (O:EqLtLe) ->
 functor (P:sig
 end) ->
 struct
 end

module Nat =
 struct
  (** val pred : nat -> nat **)

  let pred n0 = match n0 with
  | O -> n0
  | S u -> u

  (** val eqb : nat -> nat -> bool **)

  let rec eqb n0 m =
    match n0 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec succ = Big_int_Z.succ_big_int

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec add = Big_int_Z.add_big_int

  (** val add_carry :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  and add_carry x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (add_carry p q3))
        (fun q3 -> Big_int_Z.mult_int_big_int 2 (add_carry p q3))
        (fun _ ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (succ p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> Big_int_Z.mult_int_big_int 2 (add_carry p q3))
        (fun q3 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (add p q3))
        (fun _ -> Big_int_Z.mult_int_big_int 2 (succ p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (succ q3))
        (fun q3 -> Big_int_Z.mult_int_big_int 2 (succ q3))
        (fun _ ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        Big_int_Z.unit_big_int)
        y)
      x

  (** val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec pred_double x =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      (Big_int_Z.mult_int_big_int 2 p))
      (fun p ->
      (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      (pred_double p))
      (fun _ -> Big_int_Z.unit_big_int)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Big_int_Z.unit_big_int
  | IsPos p ->
    IsPos ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (Big_int_Z.mult_int_big_int 2 p)
  | x0 -> x0

  (** val double_pred_mask : Big_int_Z.big_int -> mask **)

  let double_pred_mask x =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p -> IsPos (Big_int_Z.mult_int_big_int 2
      (Big_int_Z.mult_int_big_int 2 p)))
      (fun p -> IsPos (Big_int_Z.mult_int_big_int 2
      (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Big_int_Z.big_int -> Big_int_Z.big_int -> mask **)

  let rec sub_mask x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> double_mask (sub_mask p q3))
        (fun q3 -> succ_double_mask (sub_mask p q3))
        (fun _ -> IsPos (Big_int_Z.mult_int_big_int 2 p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> succ_double_mask (sub_mask_carry p q3))
        (fun q3 -> double_mask (sub_mask p q3))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Big_int_Z.big_int -> Big_int_Z.big_int -> mask **)

  and sub_mask_carry x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> succ_double_mask (sub_mask_carry p q3))
        (fun q3 -> double_mask (sub_mask p q3))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> double_mask (sub_mask_carry p q3))
        (fun q3 -> succ_double_mask (sub_mask_carry p q3))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = (fun n m -> Big_int_Z.max_big_int
  Big_int_Z.unit_big_int (Big_int_Z.sub_big_int n m))

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec mul = Big_int_Z.mult_big_int

  (** val size_nat : Big_int_Z.big_int -> nat **)

  let rec size_nat p =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 -> S (size_nat p0))
      (fun p0 -> S (size_nat p0))
      (fun _ -> S O)
      p

  (** val compare_cont :
      comparison -> Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let rec compare_cont = (fun c x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then c else if s < 0 then Lt else Gt)

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let rec eqb = Big_int_Z.eq_big_int

  (** val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val gcdn :
      nat -> Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec gcdn n0 a b0 =
    match n0 with
    | O -> Big_int_Z.unit_big_int
    | S n1 ->
      ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
         (fun a' ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun b' ->
           match compare a' b' with
           | Eq -> a
           | Lt -> gcdn n1 (sub b' a') a
           | Gt -> gcdn n1 (sub a' b') b0)
           (fun b1 -> gcdn n1 a b1)
           (fun _ -> Big_int_Z.unit_big_int)
           b0)
         (fun a0 ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun _ -> gcdn n1 a0 b0)
           (fun b1 -> Big_int_Z.mult_int_big_int 2 (gcdn n1 a0 b1))
           (fun _ -> Big_int_Z.unit_big_int)
           b0)
         (fun _ -> Big_int_Z.unit_big_int)
         a)

  (** val gcd :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let gcd a b0 =
    gcdn (Coq__1.add (size_nat a) (size_nat b0)) a b0

  (** val ggcdn :
      nat -> Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let rec ggcdn n0 a b0 =
    match n0 with
    | O -> (Big_int_Z.unit_big_int, (a, b0))
    | S n1 ->
      ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
         (fun a' ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun b' ->
           match compare a' b' with
           | Eq -> (a, (Big_int_Z.unit_big_int, Big_int_Z.unit_big_int))
           | Lt ->
             let (g, p) = ggcdn n1 (sub b' a') a in
             let (ba, aa) = p in
             (g, (aa, (add aa (Big_int_Z.mult_int_big_int 2 ba))))
           | Gt ->
             let (g, p) = ggcdn n1 (sub a' b') b0 in
             let (ab, bb) = p in
             (g, ((add bb (Big_int_Z.mult_int_big_int 2 ab)), bb)))
           (fun b1 ->
           let (g, p) = ggcdn n1 a b1 in
           let (aa, bb) = p in (g, (aa, (Big_int_Z.mult_int_big_int 2 bb))))
           (fun _ -> (Big_int_Z.unit_big_int, (a, Big_int_Z.unit_big_int)))
           b0)
         (fun a0 ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun _ ->
           let (g, p) = ggcdn n1 a0 b0 in
           let (aa, bb) = p in (g, ((Big_int_Z.mult_int_big_int 2 aa), bb)))
           (fun b1 ->
           let (g, p) = ggcdn n1 a0 b1 in
           ((Big_int_Z.mult_int_big_int 2 g), p))
           (fun _ -> (Big_int_Z.unit_big_int, (a, Big_int_Z.unit_big_int)))
           b0)
         (fun _ -> (Big_int_Z.unit_big_int, (Big_int_Z.unit_big_int, b0)))
         a)

  (** val ggcd :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let ggcd a b0 =
    ggcdn (Coq__1.add (size_nat a) (size_nat b0)) a b0

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Big_int_Z.big_int -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Big_int_Z.big_int -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)

  (** val of_nat : nat -> Big_int_Z.big_int **)

  let rec of_nat = function
  | O -> Big_int_Z.unit_big_int
  | S x -> (match x with
            | O -> Big_int_Z.unit_big_int
            | S _ -> succ (of_nat x))

  (** val of_succ_nat : nat -> Big_int_Z.big_int **)

  let rec of_succ_nat = function
  | O -> Big_int_Z.unit_big_int
  | S x -> succ (of_succ_nat x)

  (** val to_little_uint : Big_int_Z.big_int -> uint **)

  let rec to_little_uint p =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 -> Little.succ_double (to_little_uint p0))
      (fun p0 -> Little.double (to_little_uint p0))
      (fun _ -> D1 Nil)
      p

  (** val to_uint : Big_int_Z.big_int -> uint **)

  let to_uint p =
    rev (to_little_uint p)
 end

module N =
 struct
  (** val succ : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let succ = Big_int_Z.succ_big_int

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let add = Big_int_Z.add_big_int

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = (fun n m -> Big_int_Z.max_big_int Big_int_Z.zero_big_int
  (Big_int_Z.sub_big_int n m))

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let mul = Big_int_Z.mult_big_int

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let eqb n0 m =
    (fun fO fp n -> if Big_int_Z.sign_big_int n <= 0 then fO () else fp n)
      (fun _ ->
      (fun fO fp n -> if Big_int_Z.sign_big_int n <= 0 then fO () else fp n)
        (fun _ -> true)
        (fun _ -> false)
        m)
      (fun p ->
      (fun fO fp n -> if Big_int_Z.sign_big_int n <= 0 then fO () else fp n)
        (fun _ -> false)
        (fun q3 -> Coq_Pos.eqb p q3)
        m)
      n0

  (** val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val of_nat : nat -> Big_int_Z.big_int **)

  let of_nat = function
  | O -> Big_int_Z.zero_big_int
  | S n' -> (Coq_Pos.of_succ_nat n')
 end

(** val zero : char **)

let zero = '\000'

(** val one : char **)

let one = '\001'

(** val shift : bool -> char -> char **)

let shift = fun b c -> Char.chr (((Char.code c) lsl 1) land 255 + if b then 1 else 0)

(** val ascii_of_pos : Big_int_Z.big_int -> char **)

let ascii_of_pos =
  let rec loop n0 p =
    match n0 with
    | O -> zero
    | S n' ->
      ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
         (fun p' -> shift true (loop n' p'))
         (fun p' -> shift false (loop n' p'))
         (fun _ -> one)
         p)
  in loop (S (S (S (S (S (S (S (S O))))))))

(** val ascii_of_N : Big_int_Z.big_int -> char **)

let ascii_of_N n0 =
  (fun fO fp n -> if Big_int_Z.sign_big_int n <= 0 then fO () else fp n)
    (fun _ -> zero)
    (fun p -> ascii_of_pos p)
    n0

(** val ascii_of_nat : nat -> char **)

let ascii_of_nat a =
  ascii_of_N (N.of_nat a)

(** val n_of_digits : bool list -> Big_int_Z.big_int **)

let rec n_of_digits = function
| [] -> Big_int_Z.zero_big_int
| b0 :: l' ->
  N.add (if b0 then Big_int_Z.unit_big_int else Big_int_Z.zero_big_int)
    (N.mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)
      (n_of_digits l'))

(** val n_of_ascii : char -> Big_int_Z.big_int **)

let n_of_ascii a =
  (* If this appears, you're using Ascii internals. Please don't *)
 (fun f c ->
  let n = Char.code c in
  let h i = (n land (1 lsl i)) <> 0 in
  f (h 0) (h 1) (h 2) (h 3) (h 4) (h 5) (h 6) (h 7))
    (fun a0 a1 a2 a3 a4 a5 a6 a7 ->
    n_of_digits
      (a0 :: (a1 :: (a2 :: (a3 :: (a4 :: (a5 :: (a6 :: (a7 :: [])))))))))
    a

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  match n0 with
  | O -> (match l with
          | [] -> default
          | x :: _ -> x)
  | S m -> (match l with
            | [] -> default
            | _ :: t0 -> nth m t0 default)

(** val nth_error : 'a1 list -> nat -> 'a1 option **)

let rec nth_error l = function
| O -> (match l with
        | [] -> None
        | x :: _ -> Some x)
| S n1 -> (match l with
           | [] -> None
           | _ :: l0 -> nth_error l0 n1)

(** val removelast : 'a1 list -> 'a1 list **)

let rec removelast = function
| [] -> []
| a :: l0 -> (match l0 with
              | [] -> []
              | _ :: _ -> a :: (removelast l0))

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t0 -> (f a) :: (map f t0)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t0 -> app (f x) (flat_map f t0)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b0 :: t0 -> fold_left f t0 (f a0 b0)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl0 -> if f x then Some x else find f tl0

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl0 ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl0 tl'))

(** val firstn : nat -> 'a1 list -> 'a1 list **)

let rec firstn n0 l =
  match n0 with
  | O -> []
  | S n1 -> (match l with
             | [] -> []
             | a :: l0 -> a :: (firstn n1 l0))

(** val skipn : nat -> 'a1 list -> 'a1 list **)

let rec skipn n0 l =
  match n0 with
  | O -> l
  | S n1 -> (match l with
             | [] -> []
             | _ :: l0 -> skipn n1 l0)

(** val seq : nat -> nat -> nat list **)

let rec seq start0 = function
| O -> []
| S len0 -> start0 :: (seq (S start0) len0)

module Z =
 struct
  (** val double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun p -> (Big_int_Z.mult_int_big_int 2 p))
      (fun p -> Big_int_Z.minus_big_int (Big_int_Z.mult_int_big_int 2 p))
      x

  (** val succ_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let succ_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p ->
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      p))
      (fun p -> Big_int_Z.minus_big_int (Coq_Pos.pred_double p))
      x

  (** val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let pred_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
      (fun p -> (Coq_Pos.pred_double p))
      (fun p -> Big_int_Z.minus_big_int
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x)) p))
      x

  (** val pos_sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec pos_sub x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> double (pos_sub p q3))
        (fun q3 -> succ_double (pos_sub p q3))
        (fun _ -> (Big_int_Z.mult_int_big_int 2 p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> pred_double (pos_sub p q3))
        (fun q3 -> double (pos_sub p q3))
        (fun _ -> (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q3 -> Big_int_Z.minus_big_int (Big_int_Z.mult_int_big_int 2
        q3))
        (fun q3 -> Big_int_Z.minus_big_int (Coq_Pos.pred_double q3))
        (fun _ -> Big_int_Z.zero_big_int)
        y)
      x

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let add = Big_int_Z.add_big_int

  (** val opp : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let opp = Big_int_Z.minus_big_int

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = Big_int_Z.sub_big_int

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let mul = Big_int_Z.mult_big_int

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val sgn : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sgn z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun _ -> Big_int_Z.unit_big_int)
      (fun _ -> Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
      z0

  (** val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let eqb = Big_int_Z.eq_big_int

  (** val abs : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let abs = Big_int_Z.abs_big_int

  (** val to_pos : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let to_pos z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p -> p)
      (fun _ -> Big_int_Z.unit_big_int)
      z0

  (** val pos_div_eucl :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * Big_int_Z.big_int **)

  let rec pos_div_eucl a b0 =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun a' ->
      let (q3, r) = pos_div_eucl a' b0 in
      let r' =
        add (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) r)
          Big_int_Z.unit_big_int
      in
      if ltb r' b0
      then ((mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q3),
             r')
      else ((add
              (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q3)
              Big_int_Z.unit_big_int), (sub r' b0)))
      (fun a' ->
      let (q3, r) = pos_div_eucl a' b0 in
      let r' = mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) r in
      if ltb r' b0
      then ((mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q3),
             r')
      else ((add
              (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q3)
              Big_int_Z.unit_big_int), (sub r' b0)))
      (fun _ ->
      if leb (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) b0
      then (Big_int_Z.zero_big_int, Big_int_Z.unit_big_int)
      else (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int))
      a

  (** val div_eucl :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * Big_int_Z.big_int **)

  let div_eucl = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> (zero_big_int, x)
  | 1 -> quomod_big_int x y
  | _ -> let (q, r) = quomod_big_int (add_int_big_int (-1) x) y in
          (add_int_big_int (-1) q, add_big_int (add_int_big_int 1 y) r))

  (** val div :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let div = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> zero_big_int
  | 1 -> div_big_int x y
  | _ -> add_int_big_int (-1) (div_big_int (add_int_big_int (-1) x) y))

  (** val modulo :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let modulo = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> x
  | 1 -> mod_big_int x y
  | _ -> add_big_int y (add_int_big_int 1 (mod_big_int (add_int_big_int (-1) x) y)))

  (** val gcd :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let gcd a b0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> abs b0)
      (fun a0 ->
      (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
        (fun _ -> abs a)
        (fun b1 -> (Coq_Pos.gcd a0 b1))
        (fun b1 -> (Coq_Pos.gcd a0 b1))
        b0)
      (fun a0 ->
      (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
        (fun _ -> abs a)
        (fun b1 -> (Coq_Pos.gcd a0 b1))
        (fun b1 -> (Coq_Pos.gcd a0 b1))
        b0)
      a

  (** val ggcd :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let ggcd a b0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> ((abs b0), (Big_int_Z.zero_big_int, (sgn b0))))
      (fun a0 ->
      (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
        (fun _ -> ((abs a), ((sgn a), Big_int_Z.zero_big_int)))
        (fun b1 ->
        let (g, p) = Coq_Pos.ggcd a0 b1 in let (aa, bb) = p in (g, (aa, bb)))
        (fun b1 ->
        let (g, p) = Coq_Pos.ggcd a0 b1 in
        let (aa, bb) = p in (g, (aa, (Big_int_Z.minus_big_int bb))))
        b0)
      (fun a0 ->
      (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
        (fun _ -> ((abs a), ((sgn a), Big_int_Z.zero_big_int)))
        (fun b1 ->
        let (g, p) = Coq_Pos.ggcd a0 b1 in
        let (aa, bb) = p in (g, ((Big_int_Z.minus_big_int aa), bb)))
        (fun b1 ->
        let (g, p) = Coq_Pos.ggcd a0 b1 in
        let (aa, bb) = p in
        (g, ((Big_int_Z.minus_big_int aa), (Big_int_Z.minus_big_int bb))))
        b0)
      a
 end

(** val zeq_bool : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

let zeq_bool x y =
  match Z.compare x y with
  | Eq -> true
  | _ -> false

type string =
| EmptyString
| String of char * string

(** val list_ascii_of_string : string -> char list **)

let rec list_ascii_of_string = function
| EmptyString -> []
| String (ch, s0) -> ch :: (list_ascii_of_string s0)

type q = { qnum : Big_int_Z.big_int; qden : Big_int_Z.big_int }

(** val qeq_bool : q -> q -> bool **)

let qeq_bool x y =
  zeq_bool (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)

(** val qle_bool : q -> q -> bool **)

let qle_bool x y =
  Z.leb (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)

(** val qplus : q -> q -> q **)

let qplus x y =
  { qnum = (Z.add (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)); qden =
    (Coq_Pos.mul x.qden y.qden) }

(** val qmult : q -> q -> q **)

let qmult x y =
  { qnum = (Z.mul x.qnum y.qnum); qden = (Coq_Pos.mul x.qden y.qden) }

(** val qred : q -> q **)

let qred q3 =
  let { qnum = q4; qden = q5 } = q3 in
  let (r1, r2) = snd (Z.ggcd q4 q5) in { qnum = r1; qden = (Z.to_pos r2) }

type bytes = char list

type name = bytes

type index = Big_int_Z.big_int

type tracked =
| Elements
| Points of index

type edge = index * name option

type machine =
| Table of name list * name list * index * edge list list
| Permutations of Big_int_Z.big_int * tracked * (name * index list list) list

type automaton = { shape : machine; accepts : name list option;
                   outputs : (name * name) list option;
                   added : (index * bytes) option }

type svec = (index * q) list

type smat = ((index * index) * q) list

type factor = { beta : q; key : svec; value : svec }

type action = { gate : q; bias : smat; factors : factor list }

type head = { rows : Big_int_Z.big_int; cols : Big_int_Z.big_int; raw : 
              bool; initial : smat; on : action list }

type answer =
| Symbol of index option
| Star
| Values of index list

type code = { says : answer; matrices : smat list }

type box = ((index * index) * (q * q)) list

type decoder =
| ByState
| ByStep of ((index * index) * index) list
| ByPart of Big_int_Z.big_int list * (index * index option list) list

type layer = { reads : Big_int_Z.big_int; gives : Big_int_Z.big_int;
               heads : head list; codes : code list; boxes : box list list;
               decode_by : decoder }

type labelling =
| States
| Outputs
| Acceptance
| Edges

type network = { fsa_hash : bytes; fitted : bool; labels_are : labelling;
                 alphabet : name list;
                 classes : (Big_int_Z.big_int * index list) option;
                 labels : name list; start_label : index option;
                 layers : layer list }

module NilEmpty =
 struct
  (** val string_of_uint : uint -> string **)

  let rec string_of_uint = function
  | Nil -> EmptyString
  | D0 d0 -> String ('0', (string_of_uint d0))
  | D1 d0 -> String ('1', (string_of_uint d0))
  | D2 d0 -> String ('2', (string_of_uint d0))
  | D3 d0 -> String ('3', (string_of_uint d0))
  | D4 d0 -> String ('4', (string_of_uint d0))
  | D5 d0 -> String ('5', (string_of_uint d0))
  | D6 d0 -> String ('6', (string_of_uint d0))
  | D7 d0 -> String ('7', (string_of_uint d0))
  | D8 d0 -> String ('8', (string_of_uint d0))
  | D9 d0 -> String ('9', (string_of_uint d0))
 end

module NilZero =
 struct
  (** val string_of_uint : uint -> string **)

  let string_of_uint d = match d with
  | Nil -> String ('0', EmptyString)
  | _ -> NilEmpty.string_of_uint d
 end

(** val b : string -> bytes **)

let b =
  list_ascii_of_string

(** val newline : char **)

let newline =
  ascii_of_nat (S (S (S (S (S (S (S (S (S (S O))))))))))

(** val nl : bytes **)

let nl =
  newline :: []

type tokens = bytes list

(** val pos : Big_int_Z.big_int -> bytes **)

let pos i =
  b (NilZero.string_of_uint (Coq_Pos.to_uint i))

(** val count : 'a1 list -> bytes **)

let count l =
  match length l with
  | O -> b (String ('0', EmptyString))
  | S n0 -> pos (Coq_Pos.of_succ_nat n0)

(** val int : Big_int_Z.big_int -> bytes **)

let int z0 =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> b (String ('0', EmptyString)))
    (fun p -> pos p)
    (fun p -> app (b (String ('-', EmptyString))) (pos p))
    z0

(** val rat : q -> tokens **)

let rat q3 =
  (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
    (fun p ->
    (int q3.qnum) :: ((b (String ('/', EmptyString))) :: ((pos
                                                            ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                            p)) :: [])))
    (fun p ->
    (int q3.qnum) :: ((b (String ('/', EmptyString))) :: ((pos
                                                            (Big_int_Z.mult_int_big_int 2
                                                            p)) :: [])))
    (fun _ -> (int q3.qnum) :: [])
    q3.qden

(** val each : ('a1 -> tokens) -> 'a1 list -> tokens **)

let each =
  flat_map

(** val numbered_from :
    Big_int_Z.big_int -> (Big_int_Z.big_int -> 'a1 -> tokens) -> 'a1 list ->
    tokens **)

let rec numbered_from k f = function
| [] -> []
| x :: r -> app (f k x) (numbered_from (Coq_Pos.succ k) f r)

(** val numbered :
    (Big_int_Z.big_int -> 'a1 -> tokens) -> 'a1 list -> tokens **)

let numbered f =
  numbered_from Big_int_Z.unit_big_int f

(** val nth_name : name list -> index -> name **)

let nth_name l i =
  nth (Nat.pred (Coq_Pos.to_nat i)) l []

(** val names : name list -> tokens **)

let names l =
  each (fun n0 -> (b (String (' ', EmptyString))) :: (n0 :: [])) l

(** val accept_tokens : automaton -> tokens **)

let accept_tokens a =
  match a.accepts with
  | Some l ->
    (b (String ('a', (String ('c', (String ('c', (String ('e', (String ('p',
      (String ('t', EmptyString))))))))))))) :: (app (names l) (nl :: []))
  | None -> []

(** val output_tokens : automaton -> tokens **)

let output_tokens a =
  match a.outputs with
  | Some l ->
    each (fun p ->
      (b (String ('o', (String ('u', (String ('t', (String ('p', (String
        ('u', (String ('t', (String (' ', EmptyString))))))))))))))) :: (
      (fst p) :: ((b (String (' ', EmptyString))) :: ((snd p) :: (nl :: [])))))
      l
  | None -> []

(** val added_tokens : name list -> automaton -> tokens **)

let added_tokens states a =
  match a.added with
  | Some p ->
    let (q3, hash) = p in
    (b (String ('f', (String ('s', (String ('a', (String (' ', (String ('a',
      (String ('d', (String ('d', (String ('e', (String ('d', (String (' ',
      EmptyString))))))))))))))))))))) :: ((nth_name states q3) :: ((b
                                                                    (String
                                                                    (' ',
                                                                    (String
                                                                    ('s',
                                                                    (String
                                                                    ('o',
                                                                    (String
                                                                    ('u',
                                                                    (String
                                                                    ('r',
                                                                    (String
                                                                    ('c',
                                                                    (String
                                                                    ('e',
                                                                    (String
                                                                    (' ',
                                                                    EmptyString))))))))))))))))) :: (hash :: (nl :: []))))
  | None -> []

(** val cycle : index list -> tokens **)

let cycle = function
| [] -> (b (String ('(', (String (')', EmptyString))))) :: []
| p :: r ->
  app ((b (String ('(', EmptyString))) :: ((pos p) :: []))
    (app
      (each (fun q3 -> (b (String (' ', EmptyString))) :: ((pos q3) :: [])) r)
      ((b (String (')', EmptyString))) :: []))

(** val cycles : index list list -> tokens **)

let cycles l = match l with
| [] -> (b (String ('(', (String (')', EmptyString))))) :: []
| _ :: _ -> each cycle l

(** val edge_tokens : name list -> name -> name -> edge -> tokens **)

let edge_tokens states from0 letter0 e =
  app
    (from0 :: ((b (String (' ', EmptyString))) :: (letter0 :: ((b (String
                                                                 (' ',
                                                                 EmptyString))) :: (
    (nth_name states (fst e)) :: [])))))
    (app
      (match snd e with
       | Some y -> (b (String (' ', EmptyString))) :: (y :: [])
       | None -> []) (nl :: []))

(** val automaton_tokens : automaton -> tokens **)

let automaton_tokens a =
  app
    ((b (String ('f', (String ('s', (String ('a', (String (' ', (String ('1',
       EmptyString))))))))))) :: (nl :: []))
    (match a.shape with
     | Table (letters, states, start0, edges) ->
       (b (String ('l', (String ('e', (String ('t', (String ('t', (String
         ('e', (String ('r', (String ('s', EmptyString))))))))))))))) :: 
         (app (names letters)
           (app (nl :: [])
             ((b (String ('s', (String ('t', (String ('a', (String ('t',
                (String ('e', (String ('s', EmptyString))))))))))))) :: 
             (app (names states)
               (app (nl :: [])
                 (app
                   ((b (String ('s', (String ('t', (String ('a', (String
                      ('r', (String ('t', (String (' ',
                      EmptyString))))))))))))) :: ((nth_name states start0) :: (nl :: [])))
                   (app (added_tokens states a)
                     (app (accept_tokens a)
                       (app (output_tokens a)
                         (each (fun row0 ->
                           each (fun e ->
                             edge_tokens states (fst row0) (fst e) (snd e))
                             (combine letters (snd row0)))
                           (combine states edges)))))))))))
     | Permutations (n0, what, letters) ->
       app
         ((b (String ('p', (String ('o', (String ('i', (String ('n', (String
            ('t', (String ('s', (String (' ', EmptyString))))))))))))))) :: (
         (pos n0) :: (nl :: [])))
         (app
           (match what with
            | Elements ->
              (b (String ('t', (String ('r', (String ('a', (String ('c',
                (String ('k', (String (' ', (String ('e', (String ('l',
                (String ('e', (String ('m', (String ('e', (String ('n',
                (String ('t', (String ('s',
                EmptyString))))))))))))))))))))))))))))) :: (nl :: [])
            | Points s ->
              (b (String ('t', (String ('r', (String ('a', (String ('c',
                (String ('k', (String (' ', (String ('p', (String ('o',
                (String ('i', (String ('n', (String ('t', (String ('s',
                (String (' ', EmptyString))))))))))))))))))))))))))) :: (
                (pos s) :: (nl :: [])))
           (app (accept_tokens a)
             (app (output_tokens a)
               (each (fun l ->
                 app
                   ((b (String ('p', (String ('e', (String ('r', (String
                      ('m', (String ('u', (String ('t', (String ('e', (String
                      (' ', EmptyString))))))))))))))))) :: ((fst l) :: (
                   (b (String (' ', EmptyString))) :: [])))
                   (app (cycles (snd l)) (nl :: []))) letters)))))

(** val svec_tokens : svec -> tokens **)

let svec_tokens v =
  each (fun e ->
    app
      ((b (String (' ', EmptyString))) :: ((pos (fst e)) :: ((b (String (':',
                                                               EmptyString))) :: [])))
      (rat (snd e))) v

(** val smat_tokens : smat -> tokens **)

let smat_tokens m =
  each (fun e ->
    app
      ((b (String (' ', EmptyString))) :: ((pos (fst (fst e))) :: ((b (String
                                                                    ('.',
                                                                    EmptyString))) :: (
      (pos (snd (fst e))) :: ((b (String (':', EmptyString))) :: [])))))
      (rat (snd e))) m

(** val factor_tokens : factor -> tokens **)

let factor_tokens f =
  (b (String ('f', (String ('a', (String ('c', (String ('t', (String ('o',
    (String ('r', (String (' ', EmptyString))))))))))))))) :: (app
                                                                (rat f.beta)
                                                                ((b (String
                                                                   (' ',
                                                                   (String
                                                                   ('u',
                                                                   EmptyString))))) :: 
                                                                (app
                                                                  (svec_tokens
                                                                    f.key)
                                                                  (app
                                                                    (
                                                                    match f.value with
                                                                    | [] -> []
                                                                    | p :: l ->
                                                                    (b
                                                                    (String
                                                                    (' ',
                                                                    (String
                                                                    ('c',
                                                                    EmptyString))))) :: 
                                                                    (svec_tokens
                                                                    (p :: l)))
                                                                    (nl :: [])))))

(** val action_tokens : index -> action -> tokens **)

let action_tokens x a =
  app
    ((b (String ('o', (String ('n', (String (' ', EmptyString))))))) :: (
    (pos x) :: ((b (String (' ', (String ('g', (String ('a', (String ('t',
                  (String ('e', (String (' ', EmptyString))))))))))))) :: [])))
    (app (rat a.gate)
      (app
        ((b (String (' ', (String ('f', (String ('a', (String ('c', (String
           ('t', (String ('o', (String ('r', (String ('s', (String (' ',
           EmptyString))))))))))))))))))) :: ((count a.factors) :: []))
        (app
          (match a.bias with
           | [] -> []
           | p :: l ->
             (b (String (' ', (String ('b', (String ('i', (String ('a',
               (String ('s', EmptyString))))))))))) :: (smat_tokens (p :: l)))
          (nl :: (each factor_tokens a.factors)))))

(** val head_tokens : index -> head -> tokens **)

let head_tokens i h =
  app
    ((b (String ('h', (String ('e', (String ('a', (String ('d', (String (' ',
       EmptyString))))))))))) :: ((pos i) :: ((b (String (' ', (String ('k',
                                                (String ('e', (String ('y',
                                                (String (' ',
                                                EmptyString))))))))))) :: (
    (pos h.rows) :: ((b (String (' ', (String ('v', (String ('a', (String
                       ('l', (String ('u', (String ('e', (String (' ',
                       EmptyString))))))))))))))) :: ((pos h.cols) :: (nl :: [])))))))
    (app
      (if h.raw
       then (b (String ('r', (String ('a', (String ('w', EmptyString))))))) :: (nl :: [])
       else [])
      ((b (String ('i', (String ('n', (String ('i', (String ('t', (String
         ('i', (String ('a', (String ('l', EmptyString))))))))))))))) :: 
      (app (smat_tokens h.initial) (nl :: (numbered action_tokens h.on)))))

(** val joined : ('a1 -> tokens) -> 'a1 list -> tokens **)

let rec joined f = function
| [] -> []
| m :: r ->
  (match r with
   | [] -> f m
   | _ :: _ ->
     app (f m)
       ((b (String (' ', (String (';', EmptyString))))) :: (joined f r)))

(** val symbol_token : index option -> bytes **)

let symbol_token = function
| Some i -> pos i
| None -> b (String ('-', EmptyString))

(** val commas : index list -> tokens **)

let rec commas = function
| [] -> []
| v :: r ->
  (match r with
   | [] -> (pos v) :: []
   | _ :: _ -> (pos v) :: ((b (String (',', EmptyString))) :: (commas r)))

(** val answer_tokens : answer -> tokens **)

let answer_tokens = function
| Symbol y -> (symbol_token y) :: []
| Star -> (b (String ('*', EmptyString))) :: []
| Values v -> commas v

(** val code_tokens : index -> code -> tokens **)

let code_tokens i c =
  app
    ((b (String ('c', (String ('o', (String ('d', (String ('e', (String (' ',
       EmptyString))))))))))) :: ((pos i) :: ((b (String (' ', EmptyString))) :: [])))
    (app (answer_tokens c.says)
      (app (joined smat_tokens c.matrices) (nl :: [])))

(** val box_tokens : box -> tokens **)

let box_tokens x =
  each (fun e ->
    app
      ((b (String (' ', EmptyString))) :: ((pos (fst (fst e))) :: ((b (String
                                                                    ('.',
                                                                    EmptyString))) :: (
      (pos (snd (fst e))) :: ((b (String (':', EmptyString))) :: [])))))
      (app (rat (fst (snd e)))
        ((b (String (',', EmptyString))) :: (rat (snd (snd e)))))) x

(** val boxes_tokens : index -> box list -> tokens **)

let boxes_tokens i l =
  app
    ((b (String ('b', (String ('o', (String ('x', (String (' ',
       EmptyString))))))))) :: ((pos i) :: []))
    (app (joined box_tokens l) (nl :: []))

(** val yield_tokens : ((index * index) * index) -> tokens **)

let yield_tokens y =
  (b (String ('y', (String ('i', (String ('e', (String ('l', (String ('d',
    (String (' ', EmptyString))))))))))))) :: ((pos (fst (fst y))) :: (
    (b (String (' ', EmptyString))) :: ((pos (snd (fst y))) :: ((b (String
                                                                  (' ',
                                                                  EmptyString))) :: (
    (pos (snd y)) :: (nl :: []))))))

(** val part_tokens : index -> (index * index option list) -> tokens **)

let part_tokens x t0 =
  app
    ((b (String ('y', (String ('i', (String ('e', (String ('l', (String ('d',
       (String (' ', EmptyString))))))))))))) :: ((pos x) :: ((b (String
                                                                (' ',
                                                                EmptyString))) :: (
    (pos (fst t0)) :: []))))
    (app
      (each (fun y ->
        (b (String (' ', EmptyString))) :: ((symbol_token y) :: [])) 
        (snd t0)) (nl :: []))

(** val layer_tokens : index -> layer -> tokens **)

let layer_tokens i l =
  app
    ((b (String ('l', (String ('a', (String ('y', (String ('e', (String ('r',
       (String (' ', EmptyString))))))))))))) :: ((pos i) :: ((b (String
                                                                (' ', (String
                                                                ('l', (String
                                                                ('e', (String
                                                                ('t', (String
                                                                ('t', (String
                                                                ('e', (String
                                                                ('r', (String
                                                                ('s', (String
                                                                (' ',
                                                                EmptyString))))))))))))))))))) :: (
    (pos l.reads) :: ((b (String (' ', (String ('h', (String ('e', (String
                        ('a', (String ('d', (String ('s', (String (' ',
                        EmptyString))))))))))))))) :: ((count l.heads) :: (
    (b (String (' ', (String ('c', (String ('o', (String ('d', (String ('e',
      (String ('s', (String (' ', EmptyString))))))))))))))) :: ((count
                                                                   l.codes) :: (
    (b (String (' ', (String ('s', (String ('y', (String ('m', (String ('b',
      (String ('o', (String ('l', (String ('s', (String (' ',
      EmptyString))))))))))))))))))) :: ((pos l.gives) :: ((match l.decode_by with
                                                            | ByState ->
                                                              b (String (' ',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String ('c',
                                                                (String ('o',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String (' ',
                                                                (String ('s',
                                                                (String ('t',
                                                                (String ('a',
                                                                (String ('t',
                                                                (String ('e',
                                                                EmptyString))))))))))))))))))))))))))
                                                            | ByStep _ ->
                                                              b (String (' ',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String ('c',
                                                                (String ('o',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String (' ',
                                                                (String ('s',
                                                                (String ('t',
                                                                (String ('e',
                                                                (String ('p',
                                                                EmptyString))))))))))))))))))))))))
                                                            | ByPart (_, _) ->
                                                              b (String (' ',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String ('c',
                                                                (String ('o',
                                                                (String ('d',
                                                                (String ('e',
                                                                (String (' ',
                                                                (String ('p',
                                                                (String ('a',
                                                                (String ('r',
                                                                (String ('t',
                                                                EmptyString))))))))))))))))))))))))) :: (nl :: []))))))))))))
    (app
      (match l.decode_by with
       | ByPart (sizes, _) ->
         (b (String ('p', (String ('a', (String ('r', (String ('t', (String
           ('s', EmptyString))))))))))) :: (app
                                             (each (fun n0 ->
                                               (b (String (' ', EmptyString))) :: (
                                               (pos n0) :: [])) sizes)
                                             (nl :: []))
       | _ -> [])
      (app (numbered head_tokens l.heads)
        (app (numbered code_tokens l.codes)
          (app (numbered boxes_tokens l.boxes)
            (match l.decode_by with
             | ByState -> []
             | ByStep yields -> each yield_tokens yields
             | ByPart (_, tables) -> numbered part_tokens tables)))))

(** val network_tokens : network -> tokens **)

let network_tokens m =
  app
    ((b (String ('l', (String ('r', (String ('n', (String ('n', (String (' ',
       (String ('2', EmptyString))))))))))))) :: (nl :: ((b (String ('f',
                                                           (String ('s',
                                                           (String ('a',
                                                           (String (' ',
                                                           EmptyString))))))))) :: (m.fsa_hash :: (nl :: (
    (b (String ('f', (String ('i', (String ('e', (String ('l', (String ('d',
      (String (' ', (String ('Q', EmptyString))))))))))))))) :: (nl :: [])))))))
    (app
      (if m.fitted
       then (b (String ('r', (String ('e', (String ('a', (String ('d',
              (String ('-', (String ('o', (String ('u', (String ('t', (String
              (' ', (String ('f', (String ('i', (String ('t', (String ('t',
              (String ('e', (String ('d',
              EmptyString))))))))))))))))))))))))))))))) :: (nl :: [])
       else [])
      (app
        ((match m.labels_are with
          | States ->
            b (String ('l', (String ('a', (String ('b', (String ('e', (String
              ('l', (String (' ', (String ('s', (String ('t', (String ('a',
              (String ('t', (String ('e', (String ('s',
              EmptyString))))))))))))))))))))))))
          | Outputs ->
            b (String ('l', (String ('a', (String ('b', (String ('e', (String
              ('l', (String (' ', (String ('o', (String ('u', (String ('t',
              (String ('p', (String ('u', (String ('t', (String ('s',
              EmptyString))))))))))))))))))))))))))
          | Acceptance ->
            b (String ('l', (String ('a', (String ('b', (String ('e', (String
              ('l', (String (' ', (String ('a', (String ('c', (String ('c',
              (String ('e', (String ('p', (String ('t',
              EmptyString))))))))))))))))))))))))
          | Edges ->
            b (String ('l', (String ('a', (String ('b', (String ('e', (String
              ('l', (String (' ', (String ('e', (String ('d', (String ('g',
              (String ('e', (String ('s', EmptyString))))))))))))))))))))))) :: (nl :: (
        (b (String ('l', (String ('e', (String ('t', (String ('t', (String
          ('e', (String ('r', (String ('s', (String (' ',
          EmptyString))))))))))))))))) :: ((count m.alphabet) :: (nl :: [])))))
        (app
          (each (fun n0 ->
            (b (String ('l', (String ('e', (String ('t', (String ('t',
              (String ('e', (String ('r', (String (' ',
              EmptyString))))))))))))))) :: (n0 :: (nl :: []))) m.alphabet)
          (app
            (match m.classes with
             | Some p ->
               let (n0, l) = p in
               app
                 ((b (String ('l', (String ('e', (String ('t', (String ('t',
                    (String ('e', (String ('r', (String ('-', (String ('c',
                    (String ('l', (String ('a', (String ('s', (String ('s',
                    (String ('e', (String ('s', (String (' ',
                    EmptyString))))))))))))))))))))))))))))))) :: ((pos n0) :: []))
                 (app
                   (each (fun c ->
                     (b (String (' ', EmptyString))) :: ((pos c) :: [])) l)
                   (nl :: []))
             | None -> [])
            (app
              ((b (String ('l', (String ('a', (String ('b', (String ('e',
                 (String ('l', (String ('s', (String (' ',
                 EmptyString))))))))))))))) :: ((count m.labels) :: (nl :: [])))
              (app
                (each (fun n0 ->
                  (b (String ('s', (String ('y', (String ('m', (String ('b',
                    (String ('o', (String ('l', (String (' ',
                    EmptyString))))))))))))))) :: (n0 :: (nl :: [])))
                  m.labels)
                (app
                  ((b (String ('s', (String ('t', (String ('a', (String ('r',
                     (String ('t', (String (' ', EmptyString))))))))))))) :: (
                  (symbol_token m.start_label) :: (nl :: ((b (String ('l',
                                                            (String ('a',
                                                            (String ('y',
                                                            (String ('e',
                                                            (String ('r',
                                                            (String ('s',
                                                            (String (' ',
                                                            EmptyString))))))))))))))) :: (
                  (count m.layers) :: (nl :: []))))))
                  (app (numbered layer_tokens m.layers)
                    ((b (String ('e', (String ('n', (String ('d',
                       EmptyString))))))) :: (nl :: []))))))))))

(** val eat : bytes -> bytes -> bytes option **)

let rec eat t0 s =
  match t0 with
  | [] -> Some s
  | x :: t' ->
    (match s with
     | [] -> None
     | y :: s' -> if (=) x y then eat t' s' else None)

(** val spells : tokens -> bytes -> bool **)

let rec spells ts s =
  match ts with
  | [] -> (match s with
           | [] -> true
           | _ :: _ -> false)
  | t0 :: ts' ->
    (match eat t0 s with
     | Some s' -> spells ts' s'
     | None -> false)

(** val get : 'a1 list -> index -> 'a1 option **)

let get l i =
  nth_error l (Nat.pred (Coq_Pos.to_nat i))

(** val same_name : name -> name -> bool **)

let rec same_name x y =
  match x with
  | [] -> (match y with
           | [] -> true
           | _ :: _ -> false)
  | c :: x' ->
    (match y with
     | [] -> false
     | d :: y' -> (&&) ((=) c d) (same_name x' y'))

(** val follows : index -> index list -> index -> index option **)

let rec follows first c p =
  match c with
  | [] -> None
  | q3 :: r ->
    if Coq_Pos.eqb q3 p
    then Some (match r with
               | [] -> first
               | q' :: _ -> q')
    else follows first r p

(** val image : index list list -> index -> index **)

let rec image cs p =
  match cs with
  | [] -> p
  | c :: r ->
    (match follows (hd Big_int_Z.unit_big_int c) c p with
     | Some q3 -> q3
     | None -> image r p)

(** val upto : Big_int_Z.big_int -> index list **)

let upto n0 =
  map Coq_Pos.of_succ_nat (seq O (Coq_Pos.to_nat n0))

(** val orbit : nat -> index list -> index -> index -> index list **)

let rec orbit fuel g p q3 =
  match fuel with
  | O -> []
  | S k ->
    if Coq_Pos.eqb q3 p
    then []
    else q3 :: (orbit k g p
                 (nth (Nat.pred (Coq_Pos.to_nat q3)) g Big_int_Z.unit_big_int))

(** val cycle_at : index list -> index -> index list list **)

let cycle_at g p =
  let c =
    orbit (length g) g p
      (nth (Nat.pred (Coq_Pos.to_nat p)) g Big_int_Z.unit_big_int)
  in
  (match c with
   | [] -> []
   | _ :: _ ->
     if forallb (fun q3 -> Coq_Pos.ltb p q3) c then (p :: c) :: [] else [])

(** val quote : char **)

let quote =
  ascii_of_nat (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S O))))))))))))))))))))))))))))))))))

(** val cycle_name : index list -> name **)

let cycle_name g =
  app (quote :: [])
    (app
      (concat
        (cycles
          (flat_map (cycle_at g) (map Coq_Pos.of_succ_nat (seq O (length g))))))
      (quote :: []))

type state = index list

(** val start : automaton -> state **)

let start a =
  match a.shape with
  | Table (_, _, s, _) -> s :: []
  | Permutations (n0, what, _) ->
    (match what with
     | Elements -> upto n0
     | Points s -> s :: [])

(** val state_name : automaton -> state -> name **)

let state_name a q3 =
  match a.shape with
  | Table (_, states, _, _) -> nth_name states (hd Big_int_Z.unit_big_int q3)
  | Permutations (_, what, _) ->
    (match what with
     | Elements -> cycle_name q3
     | Points _ -> pos (hd Big_int_Z.unit_big_int q3))

(** val label_of : labelling -> automaton -> state -> name option **)

let label_of kind a q3 =
  match kind with
  | States -> Some (state_name a q3)
  | Outputs ->
    (match a.outputs with
     | Some l ->
       (match find (fun p -> same_name (fst p) (state_name a q3)) l with
        | Some p -> Some (snd p)
        | None -> None)
     | None -> None)
  | Acceptance ->
    (match a.accepts with
     | Some l ->
       Some
         (if existsb (same_name (state_name a q3)) l
          then quote :: (app
                          (b (String ('a', (String ('c', (String ('c',
                            (String ('e', (String ('p', (String ('t',
                            EmptyString))))))))))))) (quote :: []))
          else b (String ('r', (String ('e', (String ('j', (String ('e',
                 (String ('c', (String ('t', EmptyString)))))))))))))
     | None -> None)
  | Edges -> None

(** val letter_names : automaton -> name list **)

let letter_names a =
  match a.shape with
  | Table (l, _, _, _) -> l
  | Permutations (_, _, l) -> map fst l

(** val code_of : char -> Big_int_Z.big_int **)

let code_of =
  n_of_ascii

(** val among : Big_int_Z.big_int list -> char -> bool **)

let among l c =
  existsb (N.eqb (code_of c)) l

(** val control : char -> bool **)

let control c =
  (||)
    (N.ltb (code_of c) (Big_int_Z.mult_int_big_int 2
      (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
      (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
      Big_int_Z.unit_big_int))))))
    (N.eqb (code_of c)
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      Big_int_Z.unit_big_int)))))))

(** val hexadecimal : char -> Big_int_Z.big_int option **)

let hexadecimal c =
  let n0 = code_of c in
  if (&&)
       (N.leb (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
         (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
         Big_int_Z.unit_big_int))))) n0)
       (N.leb n0
         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
         (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
         Big_int_Z.unit_big_int))))))
  then Some
         (N.sub n0 (Big_int_Z.mult_int_big_int 2
           (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
           (Big_int_Z.mult_int_big_int 2
           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
           Big_int_Z.unit_big_int))))))
  else if (&&)
            (N.leb
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
              (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              Big_int_Z.unit_big_int)))))) n0)
            (N.leb n0 (Big_int_Z.mult_int_big_int 2
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              Big_int_Z.unit_big_int)))))))
       then Some
              (N.sub n0
                ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                (Big_int_Z.mult_int_big_int 2
                ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))))))
       else None

(** val escaped_control : char -> char -> bool **)

let escaped_control h l =
  match hexadecimal h with
  | Some h0 ->
    (match hexadecimal l with
     | Some l0 ->
       let v =
         N.add
           (N.mul (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
             (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
             Big_int_Z.unit_big_int)))) h0) l0
       in
       (&&)
         ((||)
           (N.eqb v
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             Big_int_Z.unit_big_int)))))))
           ((&&) (N.ltb Big_int_Z.zero_big_int v)
             (N.ltb v (Big_int_Z.mult_int_big_int 2
               (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
               (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
               Big_int_Z.unit_big_int))))))))
         (negb
           (existsb (N.eqb v) ((Big_int_Z.mult_int_big_int 2
             (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
             Big_int_Z.unit_big_int))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
             Big_int_Z.unit_big_int))) :: ((Big_int_Z.mult_int_big_int 2
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             (Big_int_Z.mult_int_big_int 2
             Big_int_Z.unit_big_int))) :: ((Big_int_Z.mult_int_big_int 2
             (Big_int_Z.mult_int_big_int 2
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             Big_int_Z.unit_big_int))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             (Big_int_Z.mult_int_big_int 2
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             Big_int_Z.unit_big_int))) :: [])))))))
     | None -> false)
  | None -> false

(** val quoted : bytes -> bool -> bool option **)

let rec quoted s special =
  match s with
  | [] -> None
  | c :: r ->
    if N.eqb (code_of c) (Big_int_Z.mult_int_big_int 2
         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
         (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
         (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))))
    then (match r with
          | [] -> Some special
          | _ :: _ -> None)
    else if N.eqb (code_of c) (Big_int_Z.mult_int_big_int 2
              (Big_int_Z.mult_int_big_int 2
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
              (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int))))))
         then (match r with
               | [] -> None
               | e :: r1 ->
                 if N.eqb (code_of e) (Big_int_Z.mult_int_big_int 2
                      (Big_int_Z.mult_int_big_int 2
                      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                      (Big_int_Z.mult_int_big_int 2
                      Big_int_Z.unit_big_int))))))
                 then quoted r1 special
                 else if among ((Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           Big_int_Z.unit_big_int))))) :: ((Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           Big_int_Z.unit_big_int)))))) :: ((Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           Big_int_Z.unit_big_int)))))) :: ((Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           Big_int_Z.unit_big_int)))))) :: ((Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           Big_int_Z.unit_big_int)))))) :: ((Big_int_Z.mult_int_big_int 2
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           (Big_int_Z.mult_int_big_int 2
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                           Big_int_Z.unit_big_int)))))) :: [])))))) e
                      then quoted r1 true
                      else (match r1 with
                            | [] -> None
                            | z0 :: l0 ->
                              (match l0 with
                               | [] -> None
                               | z' :: l1 ->
                                 (match l1 with
                                  | [] -> None
                                  | h :: l2 ->
                                    (match l2 with
                                     | [] -> None
                                     | l :: r2 ->
                                       if (&&)
                                            ((&&)
                                              ((&&)
                                                (N.eqb (code_of e)
                                                  ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                  (Big_int_Z.mult_int_big_int 2
                                                  ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                  (Big_int_Z.mult_int_big_int 2
                                                  ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                  ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                  Big_int_Z.unit_big_int)))))))
                                                (among
                                                  ((Big_int_Z.mult_int_big_int 2
                                                  (Big_int_Z.mult_int_big_int 2
                                                  (Big_int_Z.mult_int_big_int 2
                                                  (Big_int_Z.mult_int_big_int 2
                                                  ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                  Big_int_Z.unit_big_int))))) :: [])
                                                  z0))
                                              (among
                                                ((Big_int_Z.mult_int_big_int 2
                                                (Big_int_Z.mult_int_big_int 2
                                                (Big_int_Z.mult_int_big_int 2
                                                (Big_int_Z.mult_int_big_int 2
                                                ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                                                Big_int_Z.unit_big_int))))) :: [])
                                                z')) (escaped_control h l)
                                       then quoted r2 true
                                       else None)))))
         else if control c
              then None
              else quoted r
                     ((||) special
                       (among ((Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         Big_int_Z.unit_big_int))))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         Big_int_Z.unit_big_int))))) :: ((Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                         (Big_int_Z.mult_int_big_int 2
                         Big_int_Z.unit_big_int))))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                         (Big_int_Z.mult_int_big_int 2
                         (Big_int_Z.mult_int_big_int 2
                         ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                         (Big_int_Z.mult_int_big_int 2
                         Big_int_Z.unit_big_int))))) :: [])))) c))

(** val words : bytes list **)

let words =
  map b ((String ('e', (String ('p', (String ('s',
    EmptyString)))))) :: ((String ('f', (String ('s', (String ('a',
    EmptyString)))))) :: ((String ('l', (String ('e', (String ('t', (String
    ('t', (String ('e', (String ('r', (String ('s',
    EmptyString)))))))))))))) :: ((String ('s', (String ('t', (String ('a',
    (String ('t', (String ('e', (String ('s',
    EmptyString)))))))))))) :: ((String ('s', (String ('t', (String ('a',
    (String ('r', (String ('t', EmptyString)))))))))) :: ((String ('a',
    (String ('c', (String ('c', (String ('e', (String ('p', (String ('t',
    EmptyString)))))))))))) :: ((String ('o', (String ('u', (String ('t',
    (String ('p', (String ('u', (String ('t',
    EmptyString)))))))))))) :: ((String ('p', (String ('o', (String ('i',
    (String ('n', (String ('t', (String ('s',
    EmptyString)))))))))))) :: ((String ('t', (String ('r', (String ('a',
    (String ('c', (String ('k', EmptyString)))))))))) :: ((String ('p',
    (String ('e', (String ('r', (String ('m', (String ('u', (String ('t',
    (String ('e', EmptyString)))))))))))))) :: []))))))))))

(** val word : bytes -> bool **)

let word x =
  existsb (same_name x) words

(** val bare : char -> bool **)

let bare c =
  negb
    ((||) (control c)
      (among ((Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        (Big_int_Z.mult_int_big_int 2
        Big_int_Z.unit_big_int))))) :: ((Big_int_Z.mult_int_big_int 2
        ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        (Big_int_Z.mult_int_big_int 2
        Big_int_Z.unit_big_int))))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        (Big_int_Z.mult_int_big_int 2
        Big_int_Z.unit_big_int))))) :: ((Big_int_Z.mult_int_big_int 2
        (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (Big_int_Z.mult_int_big_int 2
        Big_int_Z.unit_big_int))))) :: (((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
        ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int))))) :: [])))))
        c))

(** val name_ok : name -> bool **)

let name_ok x = match x with
| [] -> false
| c :: r ->
  if N.eqb (code_of c) (Big_int_Z.mult_int_big_int 2
       ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
       (Big_int_Z.mult_int_big_int 2 (Big_int_Z.mult_int_big_int 2
       (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))))
  then (match quoted r false with
        | Some special ->
          (||) special
            (match r with
             | [] -> word (removelast r)
             | _ :: l ->
               (match l with
                | [] -> true
                | _ :: _ -> word (removelast r)))
        | None -> false)
  else (&&) (forallb bare x) (negb (word x))

(** val distinct : ('a1 -> 'a1 -> bool) -> 'a1 list -> bool **)

let rec distinct eqb0 = function
| [] -> true
| x :: r -> (&&) (negb (existsb (eqb0 x) r)) (distinct eqb0 r)

(** val all2 : ('a1 -> 'a2 -> bool) -> 'a1 list -> 'a2 list -> bool **)

let rec all2 f l m =
  match l with
  | [] -> (match m with
           | [] -> true
           | _ :: _ -> false)
  | x :: r -> (match m with
               | [] -> false
               | y :: s -> (&&) (f x y) (all2 f r s))

(** val part_of : name list -> name list -> bool **)

let rec part_of l m =
  match l with
  | [] -> true
  | x :: l' ->
    (match m with
     | [] -> false
     | y :: m' -> if same_name x y then part_of l' m' else part_of l m')

(** val state_names : automaton -> name list option **)

let state_names a =
  match a.shape with
  | Table (_, states, _, _) -> Some states
  | Permutations (n0, what, _) ->
    (match what with
     | Elements -> None
     | Points _ -> Some (map pos (upto n0)))

(** val marks_ok : automaton -> bool **)

let marks_ok a =
  (&&)
    (match a.accepts with
     | Some l ->
       (match state_names a with
        | Some names0 -> part_of l names0
        | None -> (&&) (distinct same_name l) (forallb name_ok l))
     | None -> true)
    (match a.outputs with
     | Some l ->
       (match state_names a with
        | Some names0 ->
          (&&)
            ((&&) (negb (match l with
                         | [] -> true
                         | _ :: _ -> false))
              (all2 same_name (map fst l) names0))
            (forallb name_ok (map snd l))
        | None ->
          (&&)
            ((&&)
              ((&&) (negb (match l with
                           | [] -> true
                           | _ :: _ -> false))
                (distinct same_name (map fst l)))
              (forallb name_ok (map fst l))) (forallb name_ok (map snd l)))
     | None -> true)

(** val some : 'a1 option -> bool **)

let some = function
| Some _ -> true
| None -> false

(** val at_most : Big_int_Z.big_int -> index -> bool **)

let at_most n0 i =
  N.leb i n0

(** val hash_ok : bytes -> bool **)

let hash_ok h =
  (&&)
    (Nat.eqb (length h) (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
    (forallb (fun c -> some (hexadecimal c)) h)

(** val added_ok : automaton -> bool **)

let added_ok a =
  match a.added with
  | Some p ->
    let (q3, hash) = p in
    (match a.shape with
     | Table (_, states, start0, edges) ->
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) (hash_ok hash) (at_most (N.of_nat (length states)) q3))
                 (negb (Coq_Pos.eqb q3 start0)))
               (match get edges q3 with
                | Some row0 -> forallb (fun e -> Coq_Pos.eqb (fst e) q3) row0
                | None -> false))
             (match a.accepts with
              | Some l -> negb (existsb (same_name (nth_name states q3)) l)
              | None -> true))
           (match a.outputs with
            | Some l ->
              (match find (fun p0 -> same_name (fst p0) (nth_name states q3))
                       l with
               | Some s ->
                 forallb (fun p0 ->
                   (||) (same_name (fst p0) (fst s))
                     (negb (same_name (snd p0) (snd s)))) l
               | None -> false)
            | None -> true))
         (match get edges q3 with
          | Some l ->
            (match l with
             | [] -> true
             | e :: _ ->
               let (_, o) = e in
               (match o with
                | Some y ->
                  forallb
                    (forallb (fun e0 ->
                      match snd e0 with
                      | Some z0 ->
                        eqb (same_name z0 y) (Coq_Pos.eqb (fst e0) q3)
                      | None -> false)) edges
                | None -> true))
          | None -> true)
     | Permutations (_, _, _) -> false)
  | None -> true

(** val cycles_ok : index -> index list list -> bool **)

let rec cycles_ok least = function
| [] -> true
| c :: r ->
  (match c with
   | [] -> false
   | p :: q3 ->
     (match q3 with
      | [] -> false
      | _ :: _ ->
        (&&)
          ((&&) (Coq_Pos.leb least p)
            (forallb (fun i -> Coq_Pos.ltb p i) (tl c)))
          (cycles_ok (Coq_Pos.succ p) r)))

(** val well_formed : automaton -> bool **)

let well_formed a =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) (distinct same_name (letter_names a))
            (forallb name_ok (letter_names a)))
          (negb (match letter_names a with
                 | [] -> true
                 | _ :: _ -> false))) (marks_ok a)) (added_ok a))
    (match a.shape with
     | Table (letters, states, start0, edges) ->
       let outputs0 = existsb (existsb (fun e -> some (snd e))) edges in
       let n0 = N.of_nat (length states) in
       let k = length letters in
       (&&)
         ((&&)
           ((&&) ((&&) (distinct same_name states) (forallb name_ok states))
             (at_most n0 start0)) (Nat.eqb (length edges) (length states)))
         (forallb (fun r ->
           (&&) (Nat.eqb (length r) k)
             (forallb (fun e ->
               (&&) ((&&) (at_most n0 (fst e)) (eqb (some (snd e)) outputs0))
                 (match snd e with
                  | Some y -> name_ok y
                  | None -> true)) r)) edges)
     | Permutations (n0, what, letters) ->
       (&&)
         (forallb (fun l ->
           (&&)
             ((&&) (cycles_ok Big_int_Z.unit_big_int (snd l))
               (distinct Coq_Pos.eqb (concat (snd l))))
             (forallb (fun p -> Coq_Pos.leb p n0) (concat (snd l)))) letters)
         (match what with
          | Elements -> true
          | Points s -> Coq_Pos.leb s n0))

(** val lowest : q -> bool **)

let lowest q3 =
  Z.eqb (Z.gcd q3.qnum q3.qden) Big_int_Z.unit_big_int

(** val number_ok : q -> bool **)

let number_ok q3 =
  (&&) (lowest q3) (negb (Z.eqb q3.qnum Big_int_Z.zero_big_int))

(** val nonempty : 'a1 list -> bool **)

let nonempty = function
| [] -> false
| _ :: _ -> true

(** val length_is : 'a1 list -> Big_int_Z.big_int -> bool **)

let length_is l n0 =
  N.eqb (N.of_nat (length l)) n0

(** val svec_from : Big_int_Z.big_int -> Big_int_Z.big_int -> svec -> bool **)

let rec svec_from n0 before0 = function
| [] -> true
| p :: r ->
  let (i, q3) = p in
  (&&) ((&&) ((&&) (N.ltb before0 i) (Coq_Pos.leb i n0)) (number_ok q3))
    (svec_from n0 i r)

(** val svec_ok : Big_int_Z.big_int -> svec -> bool **)

let svec_ok n0 v =
  svec_from n0 Big_int_Z.zero_big_int v

(** val smat_from :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> smat ->
    bool **)

let rec smat_from n0 d before0 = function
| [] -> true
| p :: r ->
  let (p0, q3) = p in
  let (i, j) = p0 in
  let at_ = N.add j (N.mul d (N.sub i Big_int_Z.unit_big_int)) in
  (&&)
    ((&&)
      ((&&) ((&&) (N.ltb before0 at_) (Coq_Pos.leb i n0)) (Coq_Pos.leb j d))
      (number_ok q3)) (smat_from n0 d at_ r)

(** val smat_ok : Big_int_Z.big_int -> Big_int_Z.big_int -> smat -> bool **)

let smat_ok n0 d m =
  smat_from n0 d Big_int_Z.zero_big_int m

(** val factor_ok : head -> factor -> bool **)

let factor_ok h f =
  (&&) ((&&) (lowest f.beta) (svec_ok h.rows f.key)) (svec_ok h.cols f.value)

(** val action_ok : head -> action -> bool **)

let action_ok h a =
  (&&) ((&&) (lowest a.gate) (smat_ok h.rows h.cols a.bias))
    (forallb (factor_ok h) a.factors)

(** val head_ok : Big_int_Z.big_int -> head -> bool **)

let head_ok letters h =
  (&&) ((&&) (smat_ok h.rows h.cols h.initial) (length_is h.on letters))
    (forallb (action_ok h) h.on)

(** val symbol_ok : Big_int_Z.big_int -> index option -> bool **)

let symbol_ok symbols = function
| Some i -> Coq_Pos.leb i symbols
| None -> true

(** val answer_ok : decoder -> Big_int_Z.big_int -> answer -> bool **)

let answer_ok by_ symbols a =
  match by_ with
  | ByState -> (match a with
                | Symbol y -> symbol_ok symbols y
                | _ -> false)
  | ByStep _ -> (match a with
                 | Star -> true
                 | _ -> false)
  | ByPart (sizes, _) ->
    (match a with
     | Values v -> all2 Coq_Pos.leb v sizes
     | _ -> false)

(** val code_ok : layer -> code -> bool **)

let code_ok l c =
  (&&) (answer_ok l.decode_by l.gives c.says)
    (all2 (fun h m -> smat_ok h.rows h.cols m) l.heads c.matrices)

(** val box_from :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> box -> bool **)

let rec box_from n0 d before0 = function
| [] -> N.eqb before0 (Coq_Pos.mul n0 d)
| p :: r ->
  let (p0, p1) = p in
  let (i, j) = p0 in
  let (low0, high0) = p1 in
  (&&)
    ((&&)
      ((&&)
        ((&&) ((&&) (Coq_Pos.leb i n0) (Coq_Pos.leb j d))
          (N.eqb (N.add j (N.mul d (N.sub i Big_int_Z.unit_big_int)))
            (N.succ before0))) (lowest low0)) (lowest high0))
    (box_from n0 d (N.succ before0) r)

(** val box_ok : head -> box -> bool **)

let box_ok h x =
  box_from h.rows h.cols Big_int_Z.zero_big_int x

(** val boxes_ok : layer -> bool **)

let boxes_ok l =
  match l.boxes with
  | [] -> true
  | l0 :: l1 ->
    let bs = l0 :: l1 in
    (&&) (Nat.eqb (length bs) (length l.codes))
      (forallb (all2 box_ok l.heads) bs)

(** val yields_from :
    layer -> Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    ((index * index) * index) list -> bool **)

let rec yields_from l n0 x0 i0 = function
| [] -> true
| p :: r ->
  let (p0, y) = p in
  let (x, i) = p0 in
  (&&)
    ((&&)
      ((&&)
        ((&&) ((||) (N.ltb x0 x) ((&&) (N.eqb x0 x) (N.ltb i0 i)))
          (Coq_Pos.leb x l.reads)) (N.leb i n0)) (Coq_Pos.leb y l.gives))
    (yields_from l n0 x i r)

(** val table_ok :
    layer -> Big_int_Z.big_int list -> (index * index option list) -> bool **)

let table_ok l sizes t0 =
  match get sizes (fst t0) with
  | Some n0 ->
    (&&) (length_is (snd t0) n0) (forallb (symbol_ok l.gives) (snd t0))
  | None -> false

(** val decoder_ok : layer -> bool **)

let decoder_ok l =
  match l.decode_by with
  | ByState -> true
  | ByStep ys ->
    yields_from l (N.of_nat (length l.codes)) Big_int_Z.zero_big_int
      Big_int_Z.zero_big_int ys
  | ByPart (sizes, tables) ->
    (&&) ((&&) (nonempty sizes) (length_is tables l.reads))
      (forallb (table_ok l sizes) tables)

(** val layer_ok : Big_int_Z.big_int -> layer -> bool **)

let layer_ok letters l =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) ((&&) (Coq_Pos.eqb l.reads letters) (nonempty l.heads))
            (nonempty l.codes)) (forallb (head_ok letters) l.heads))
        (forallb (code_ok l) l.codes)) (boxes_ok l)) (decoder_ok l)

(** val layers_ok :
    Big_int_Z.big_int -> Big_int_Z.big_int -> layer list -> bool **)

let rec layers_ok letters labels0 = function
| [] -> false
| l :: r ->
  (match r with
   | [] -> (&&) (layer_ok letters l) (Coq_Pos.eqb l.gives labels0)
   | _ :: _ -> (&&) (layer_ok letters l) (layers_ok l.gives labels0 r))

(** val classes_from :
    Big_int_Z.big_int -> index list -> Big_int_Z.big_int **)

let rec classes_from n0 = function
| [] -> n0
| c :: r ->
  if N.ltb n0 c
  then if N.eqb c (N.succ n0)
       then classes_from (N.succ n0) r
       else Big_int_Z.zero_big_int
  else classes_from n0 r

(** val classes_ok :
    Big_int_Z.big_int -> (Big_int_Z.big_int * index list) option -> bool **)

let classes_ok letters = function
| Some p ->
  let (n0, cs) = p in
  (&&) ((&&) (Coq_Pos.ltb n0 letters) (length_is cs letters))
    (N.eqb (classes_from Big_int_Z.zero_big_int cs) n0)
| None -> true

(** val hex_digit : char -> bool **)

let hex_digit c =
  some (hexadecimal c)

(** val start_ok : network -> bool **)

let start_ok m =
  match m.labels_are with
  | Edges -> (match m.start_label with
              | Some _ -> false
              | None -> true)
  | _ ->
    (match m.start_label with
     | Some i -> N.leb i (N.of_nat (length m.labels))
     | None -> false)

(** val well_spelled : network -> bool **)

let well_spelled m =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&)
              ((&&)
                ((&&)
                  (Nat.eqb (length m.fsa_hash) (S (S (S (S (S (S (S (S (S (S
                    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
                    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
                    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
                    O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
                  (forallb hex_digit m.fsa_hash))
                (forallb name_ok m.alphabet)) (nonempty m.alphabet))
            (nonempty m.labels)) (forallb name_ok m.labels))
        (distinct same_name m.labels)) (start_ok m))
    (let k = Coq_Pos.of_nat (length m.alphabet) in
     (&&) (classes_ok k m.classes)
       (layers_ok
         (match m.classes with
          | Some p -> let (n0, _) = p in n0
          | None -> k) (Coq_Pos.of_nat (length m.labels)) m.layers))

(** val cat : 'a1 list -> 'a1 list -> 'a1 list **)

let rec cat s1 s2 =
  match s1 with
  | [] -> s2
  | x :: s1' -> x :: (cat s1' s2)

(** val map0 : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map0 f = function
| [] -> []
| x :: s' -> (f x) :: (map0 f s')

(** val iota : nat -> nat -> nat list **)

let rec iota m = function
| O -> []
| S n' -> m :: (iota (S m) n')

(** val foldl : ('a2 -> 'a1 -> 'a2) -> 'a2 -> 'a1 list -> 'a2 **)

let rec foldl f z0 = function
| [] -> z0
| x :: s' -> foldl f (f z0 x) s'

(** val entry : svec -> nat -> q **)

let entry v i =
  let k = Coq_Pos.of_succ_nat i in
  (match find (fun e -> Coq_Pos.eqb (fst e) k) v with
   | Some e -> snd e
   | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int })

(** val entry2 : smat -> nat -> nat -> q **)

let entry2 m i j =
  let r = Coq_Pos.of_succ_nat i in
  let c = Coq_Pos.of_succ_nat j in
  (match find (fun e ->
           (&&) (Coq_Pos.eqb (fst (fst e)) r) (Coq_Pos.eqb (snd (fst e)) c)) m with
   | Some e -> snd e
   | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int })

(** val symbol : layer -> index -> index -> index option **)

let symbol l x i =
  match l.decode_by with
  | ByState ->
    (match get l.codes i with
     | Some c -> (match c.says with
                  | Symbol y -> y
                  | _ -> None)
     | None -> None)
  | ByStep yields ->
    (match find (fun y ->
             (&&) (Coq_Pos.eqb (fst (fst y)) x) (Coq_Pos.eqb (snd (fst y)) i))
             yields with
     | Some y -> Some (snd y)
     | None -> None)
  | ByPart (_, tables) ->
    (match get tables x with
     | Some t0 ->
       (match get l.codes i with
        | Some c ->
          (match c.says with
           | Values vs ->
             (match get vs (fst t0) with
              | Some v ->
                (match get (snd t0) v with
                 | Some y -> y
                 | None -> None)
              | None -> None)
           | _ -> None)
        | None -> None)
     | None -> None)

(** val lows : box -> smat **)

let lows x =
  map (fun e -> ((fst e), (fst (snd e)))) x

(** val highs : box -> smat **)

let highs x =
  map (fun e -> ((fst e), (snd (snd e)))) x

(** val q0 : q **)

let q0 =
  { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val q1 : q **)

let q1 =
  { qnum = Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int }

(** val q2 : q **)

let q2 =
  { qnum = (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int); qden =
    Big_int_Z.unit_big_int }

(** val square : svec -> nat -> q **)

let square v n0 =
  fold_left (fun s i -> qred (qplus s (qmult (entry v i) (entry v i))))
    (iota O n0) q0

(** val factor_in_class : head -> factor -> bool **)

let factor_in_class h f =
  (&&) (qle_bool q0 f.beta)
    ((&&)
      (if h.raw
       then qle_bool (qmult f.beta (square f.key (Coq_Pos.to_nat h.rows))) q2
       else qle_bool f.beta q2)
      (existsb (fun i -> negb (qeq_bool (entry f.key i) q0))
        (iota O (Coq_Pos.to_nat h.rows))))

(** val in_class : network -> bool **)

let in_class m =
  forallb (fun l ->
    forallb (fun h ->
      forallb (fun a ->
        (&&) (qle_bool q0 a.gate)
          ((&&) (qle_bool a.gate q1) (forallb (factor_in_class h) a.factors)))
        h.on) l.heads) m.layers

type 'x compare0 =
| LT
| EQ
| GT

module type OrderedType =
 sig
  type t

  val compare : t -> t -> t compare0

  val eq_dec : t -> t -> bool
 end

module OrderedTypeFacts =
 functor (O:OrderedType) ->
 struct
  module TO =
   struct
    type t = O.t
   end

  module IsTO =
   struct
   end

  module OrderTac = MakeOrderTac(TO)(IsTO)

  (** val eq_dec : O.t -> O.t -> bool **)

  let eq_dec =
    O.eq_dec

  (** val lt_dec : O.t -> O.t -> bool **)

  let lt_dec x y =
    match O.compare x y with
    | LT -> true
    | _ -> false

  (** val eqb : O.t -> O.t -> bool **)

  let eqb x y =
    if eq_dec x y then true else false
 end

module KeyOrderedType =
 functor (O:OrderedType) ->
 struct
  module MO = OrderedTypeFacts(O)
 end

module PositiveOrderedTypeBits =
 struct
  type t = Big_int_Z.big_int

  (** val compare : t -> t -> Big_int_Z.big_int compare0 **)

  let rec compare p y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun p1 -> compare p0 p1)
        (fun _ -> GT)
        (fun _ -> GT)
        y)
      (fun p0 ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> LT)
        (fun p1 -> compare p0 p1)
        (fun _ -> LT)
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> LT)
        (fun _ -> GT)
        (fun _ -> EQ)
        y)
      p

  (** val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let eq_dec x y =
    match Coq_Pos.compare x y with
    | Eq -> true
    | _ -> false
 end

(** val append :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let rec append i j =
  (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
    (fun ii ->
    (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
    (append ii j))
    (fun ii -> Big_int_Z.mult_int_big_int 2 (append ii j))
    (fun _ -> j)
    i

module PositiveMap =
 struct
  module E = PositiveOrderedTypeBits

  module ME = KeyOrderedType(E)

  type key = Big_int_Z.big_int

  type 'a tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  (** val empty : 'a1 t **)

  let empty =
    Leaf

  (** val is_empty : 'a1 t -> bool **)

  let rec is_empty = function
  | Leaf -> true
  | Node (l, o, r) ->
    (match o with
     | Some _ -> false
     | None -> (&&) (is_empty l) (is_empty r))

  (** val find : key -> 'a1 t -> 'a1 option **)

  let rec find i = function
  | Leaf -> None
  | Node (l, o, r) ->
    ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
       (fun ii -> find ii r)
       (fun ii -> find ii l)
       (fun _ -> o)
       i)

  (** val mem : key -> 'a1 t -> bool **)

  let rec mem i = function
  | Leaf -> false
  | Node (l, o, r) ->
    ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
       (fun ii -> mem ii r)
       (fun ii -> mem ii l)
       (fun _ -> match o with
                 | Some _ -> true
                 | None -> false)
       i)

  (** val add : key -> 'a1 -> 'a1 t -> 'a1 t **)

  let rec add i v = function
  | Leaf ->
    ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
       (fun ii -> Node (Leaf, None, (add ii v Leaf)))
       (fun ii -> Node ((add ii v Leaf), None, Leaf))
       (fun _ -> Node (Leaf, (Some v), Leaf))
       i)
  | Node (l, o, r) ->
    ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
       (fun ii -> Node (l, o, (add ii v r)))
       (fun ii -> Node ((add ii v l), o, r))
       (fun _ -> Node (l, (Some v), r))
       i)

  (** val remove : key -> 'a1 t -> 'a1 t **)

  let rec remove i m =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun ii ->
      match m with
      | Leaf -> Leaf
      | Node (l, o, r) ->
        (match l with
         | Leaf ->
           (match o with
            | Some _ -> Node (l, o, (remove ii r))
            | None ->
              (match remove ii r with
               | Leaf -> Leaf
               | Node (t0, o0, t1) -> Node (Leaf, None, (Node (t0, o0, t1)))))
         | Node (_, _, _) -> Node (l, o, (remove ii r))))
      (fun ii ->
      match m with
      | Leaf -> Leaf
      | Node (l, o, r) ->
        (match o with
         | Some _ -> Node ((remove ii l), o, r)
         | None ->
           (match r with
            | Leaf ->
              (match remove ii l with
               | Leaf -> Leaf
               | Node (t0, o0, t1) -> Node ((Node (t0, o0, t1)), None, Leaf))
            | Node (_, _, _) -> Node ((remove ii l), o, r))))
      (fun _ ->
      match m with
      | Leaf -> Leaf
      | Node (l, _, r) ->
        (match l with
         | Leaf ->
           (match r with
            | Leaf -> Leaf
            | Node (_, _, _) -> Node (l, None, r))
         | Node (_, _, _) -> Node (l, None, r)))
      i

  (** val xelements : 'a1 t -> key -> (key * 'a1) list **)

  let rec xelements m i =
    match m with
    | Leaf -> []
    | Node (l, o, r) ->
      (match o with
       | Some x ->
         app
           (xelements l
             (append i (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))
           ((i,
           x) :: (xelements r
                   (append i
                     ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
                     Big_int_Z.unit_big_int))))
       | None ->
         app
           (xelements l
             (append i (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))
           (xelements r
             (append i
               ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
               Big_int_Z.unit_big_int))))

  (** val elements : 'a1 t -> (key * 'a1) list **)

  let elements m =
    xelements m Big_int_Z.unit_big_int

  (** val cardinal : 'a1 t -> nat **)

  let rec cardinal = function
  | Leaf -> O
  | Node (l, o, r) ->
    (match o with
     | Some _ -> S (Coq__1.add (cardinal l) (cardinal r))
     | None -> Coq__1.add (cardinal l) (cardinal r))

  (** val xfind : key -> key -> 'a1 t -> 'a1 option **)

  let rec xfind i j m =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun ii ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun jj -> xfind ii jj m)
        (fun _ -> None)
        (fun _ -> find i m)
        j)
      (fun ii ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> None)
        (fun jj -> xfind ii jj m)
        (fun _ -> find i m)
        j)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> None)
        (fun _ -> None)
        (fun _ -> find i m)
        j)
      i

  (** val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t **)

  let rec xmapi f m i =
    match m with
    | Leaf -> Leaf
    | Node (l, o, r) ->
      Node
        ((xmapi f l
           (append i (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int))),
        (option_map (f i) o),
        (xmapi f r
          (append i
            ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
            Big_int_Z.unit_big_int))))

  (** val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t **)

  let mapi f m =
    xmapi f m Big_int_Z.unit_big_int

  (** val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t **)

  let map f m =
    mapi (fun _ -> f) m

  (** val xmap2_l :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t **)

  let rec xmap2_l f = function
  | Leaf -> Leaf
  | Node (l, o, r) -> Node ((xmap2_l f l), (f o None), (xmap2_l f r))

  (** val xmap2_r :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t **)

  let rec xmap2_r f = function
  | Leaf -> Leaf
  | Node (l, o, r) -> Node ((xmap2_r f l), (f None o), (xmap2_r f r))

  (** val _map2 :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t **)

  let rec _map2 f m1 m2 =
    match m1 with
    | Leaf -> xmap2_r f m2
    | Node (l1, o1, r1) ->
      (match m2 with
       | Leaf -> xmap2_l f m1
       | Node (l2, o2, r2) ->
         Node ((_map2 f l1 l2), (f o1 o2), (_map2 f r1 r2)))

  (** val map2 :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t **)

  let map2 f =
    _map2 (fun o1 o2 ->
      match o1 with
      | Some _ -> f o1 o2
      | None -> (match o2 with
                 | Some _ -> f o1 o2
                 | None -> None))

  (** val xfoldi :
      (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2 **)

  let rec xfoldi f m v i =
    match m with
    | Leaf -> v
    | Node (l, o, r) ->
      (match o with
       | Some x ->
         xfoldi f r
           (f i x
             (xfoldi f l v
               (append i (Big_int_Z.mult_int_big_int 2
                 Big_int_Z.unit_big_int))))
           (append i
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             Big_int_Z.unit_big_int))
       | None ->
         xfoldi f r
           (xfoldi f l v
             (append i (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int)))
           (append i
             ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
             Big_int_Z.unit_big_int)))

  (** val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2 **)

  let fold f m i =
    xfoldi f m i Big_int_Z.unit_big_int

  (** val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool **)

  let rec equal cmp m1 m2 =
    match m1 with
    | Leaf -> is_empty m2
    | Node (l1, o1, r1) ->
      (match m2 with
       | Leaf -> is_empty m1
       | Node (l2, o2, r2) ->
         (&&)
           ((&&)
             (match o1 with
              | Some v1 ->
                (match o2 with
                 | Some v2 -> cmp v1 v2
                 | None -> false)
              | None -> (match o2 with
                         | Some _ -> false
                         | None -> true)) (equal cmp l1 l2)) (equal cmp r1 r2))
 end

module PM = PositiveMap

(** val mapo : ('a1 -> 'a2 option) -> 'a1 list -> 'a2 list option **)

let rec mapo f = function
| [] -> Some []
| x :: r ->
  (match f x with
   | Some y -> (match mapo f r with
                | Some s -> Some (y :: s)
                | None -> None)
   | None -> None)

(** val table_from : Big_int_Z.big_int -> 'a1 list -> 'a1 PM.t **)

let rec table_from k = function
| [] -> PM.empty
| x :: r -> PM.add k x (table_from (Coq_Pos.succ k) r)

(** val table : 'a1 list -> 'a1 PM.t **)

let table l =
  table_from Big_int_Z.unit_big_int l

(** val map1 : ('a1 -> 'a2 -> 'a3) -> 'a1 list -> 'a2 list -> 'a3 list **)

let rec map1 f l m =
  match l with
  | [] -> []
  | x :: r -> (match m with
               | [] -> []
               | y :: s -> (f x y) :: (map1 f r s))

(** val common : q list -> Big_int_Z.big_int **)

let common l =
  fold_left (fun d q3 ->
    if Z.eqb (Z.modulo d q3.qden) Big_int_Z.zero_big_int
    then d
    else Z.mul d q3.qden) l Big_int_Z.unit_big_int

(** val scale : Big_int_Z.big_int -> q -> Big_int_Z.big_int option **)

let scale e q3 =
  let z0 = Z.mul q3.qnum (Z.div e q3.qden) in
  if Z.eqb (Z.mul z0 q3.qden) (Z.mul q3.qnum e) then Some z0 else None

(** val dot :
    Big_int_Z.big_int list -> Big_int_Z.big_int list -> Big_int_Z.big_int **)

let rec dot u s =
  match u with
  | [] -> Big_int_Z.zero_big_int
  | x :: u' ->
    (match s with
     | [] -> Big_int_Z.zero_big_int
     | y :: s' -> Z.add (Z.mul x y) (dot u' s'))

type dmat = { den : Big_int_Z.big_int; columns : Big_int_Z.big_int list list }

(** val dense_vec :
    nat -> Big_int_Z.big_int -> svec -> Big_int_Z.big_int list option **)

let dense_vec n0 e v =
  mapo (fun i -> scale e (entry v i)) (iota O n0)

(** val dense_mat : nat -> nat -> smat -> dmat option **)

let dense_mat n0 d m =
  let e = common (map0 snd m) in
  if Z.eqb e Big_int_Z.zero_big_int
  then None
  else (match mapo (fun j ->
                mapo (fun i -> scale e (entry2 m i j)) (iota O n0)) (iota O d) with
        | Some c -> Some { den = e; columns = c }
        | None -> None)

(** val equal0 : dmat -> dmat -> bool **)

let equal0 x y =
  all2 (all2 (fun a b0 -> Z.eqb (Z.mul a y.den) (Z.mul b0 x.den))) x.columns
    y.columns

(** val at_most_all : dmat -> dmat -> bool **)

let at_most_all x y =
  (&&)
    ((&&) (Z.ltb Big_int_Z.zero_big_int x.den)
      (Z.ltb Big_int_Z.zero_big_int y.den))
    (all2 (all2 (fun a b0 -> Z.leb (Z.mul a y.den) (Z.mul b0 x.den)))
      x.columns y.columns)

type dfactor = { fa : Big_int_Z.big_int; fm : Big_int_Z.big_int;
                 fu : Big_int_Z.big_int list; fc : Big_int_Z.big_int list }

type daction = { gn : Big_int_Z.big_int; gd : Big_int_Z.big_int;
                 dfs : dfactor list; db : dmat option }

(** val prepare : bool -> nat -> nat -> factor -> dfactor option **)

let prepare raw0 n0 d f =
  let e = common (cat (map0 snd f.key) (map0 snd f.value)) in
  (match dense_vec n0 e f.key with
   | Some u ->
     (match dense_vec d e f.value with
      | Some c ->
        let uu = if raw0 then Z.mul e e else dot u u in
        let a = f.beta.qnum in
        let m = Z.mul f.beta.qden uu in
        let g = Z.gcd a m in
        let a' = Z.div a g in
        let m' = Z.div m g in
        if (||)
             ((||)
               ((||) (Z.eqb e Big_int_Z.zero_big_int)
                 (Z.eqb uu Big_int_Z.zero_big_int))
               (Z.eqb m' Big_int_Z.zero_big_int))
             (negb (Z.eqb (Z.mul a' m) (Z.mul a m')))
        then None
        else Some { fa = a'; fm = m'; fu = u; fc = c }
      | None -> None)
   | None -> None)

(** val prepare_action : bool -> nat -> nat -> action -> daction option **)

let prepare_action raw0 n0 d x =
  match mapo (prepare raw0 n0 d) x.factors with
  | Some fs ->
    (match x.bias with
     | [] -> Some { gn = x.gate.qnum; gd = x.gate.qden; dfs = fs; db = None }
     | p :: l ->
       (match dense_mat n0 d (p :: l) with
        | Some b0 ->
          Some { gn = x.gate.qnum; gd = x.gate.qden; dfs = fs; db = (Some
            b0) }
        | None -> None))
  | None -> None

(** val dturn : dfactor -> dmat -> dmat **)

let dturn f m =
  { den = (Z.mul f.fm m.den); columns =
    (map1 (fun col c ->
      let p = Z.mul f.fa (Z.sub (dot f.fu col) (Z.mul m.den c)) in
      map1 (fun s u -> Z.sub (Z.mul f.fm s) (Z.mul u p)) col f.fu) m.columns
      f.fc) }

(** val dadd : dmat -> dmat -> dmat **)

let dadd m b0 =
  { den = (Z.mul m.den b0.den); columns =
    (map1 (map1 (fun s t0 -> Z.add (Z.mul s b0.den) (Z.mul t0 m.den)))
      m.columns b0.columns) }

(** val dact : daction -> dmat -> dmat **)

let dact a m =
  let n0 =
    foldl (fun n0 f -> dturn f n0) { den = (Z.mul a.gd m.den); columns =
      (map0 (map0 (Z.mul a.gn)) m.columns) } a.dfs
  in
  (match a.db with
   | Some b0 -> dadd n0 b0
   | None -> n0)

type span = { number : q; low : q; high : q }

(** val less : q -> q -> bool **)

let less x y =
  negb (qle_bool y x)

(** val same_span : span -> span -> bool **)

let same_span s t0 =
  (&&) (qeq_bool s.number t0.number)
    ((&&) (qeq_bool s.low t0.low) (qeq_bool s.high t0.high))

(** val around : span -> bool **)

let around s =
  (&&) (qle_bool s.low s.number) (qle_bool s.number s.high)

(** val before : span -> span -> bool **)

let before s t0 =
  let sum = qplus s.number t0.number in
  (&&) (less (qplus s.high s.high) sum) (less sum (qplus t0.low t0.low))

(** val spans_apart : span list -> span list -> bool **)

let rec spans_apart seen = function
| [] -> true
| s :: r ->
  if existsb (same_span s) seen
  then spans_apart seen r
  else (&&)
         ((&&) (around s)
           (forallb (fun t0 -> (||) (before s t0) (before t0 s)) seen))
         (spans_apart (s :: seen) r)

(** val span_of : nat -> nat -> (smat list * box list) -> span **)

let span_of i j p =
  let x = hd [] (snd p) in
  { number = (entry2 (hd [] (fst p)) i j); low = (entry2 (lows x) i j);
  high = (entry2 (highs x) i j) }

(** val boxes_apart : head list -> (smat list * box list) list -> bool **)

let rec boxes_apart hs l =
  match hs with
  | [] -> true
  | h :: r ->
    (&&)
      (forallb (fun i ->
        forallb (fun j -> spans_apart [] (map0 (span_of i j) l))
          (iota O (Coq_Pos.to_nat h.cols))) (iota O (Coq_Pos.to_nat h.rows)))
      (boxes_apart r (map0 (fun p -> ((tl (fst p)), (tl (snd p)))) l))

(** val single : factor -> bool **)

let single f =
  match f.key with
  | [] -> false
  | _ :: l -> (match l with
               | [] -> true
               | _ :: _ -> false)

(** val one_entry : head list -> bool **)

let one_entry hs =
  forallb (fun h -> forallb (fun a -> forallb single a.factors) h.on) hs

(** val nat_of : Big_int_Z.big_int -> nat **)

let nat_of =
  Coq_Pos.to_nat

(** val prepare_head : head -> daction list option **)

let prepare_head h =
  mapo (prepare_action h.raw (nat_of h.rows) (nat_of h.cols)) h.on

(** val prepare_code : head list -> smat list -> dmat list option **)

let rec prepare_code hs ms =
  match hs with
  | [] -> Some []
  | h :: r ->
    (match dense_mat (nat_of h.rows) (nat_of h.cols) (hd [] ms) with
     | Some x ->
       (match prepare_code r (tl ms) with
        | Some s -> Some (x :: s)
        | None -> None)
     | None -> None)

type region =
| Point of dmat list
| Between of dmat list * dmat list

(** val corners : region -> dmat list list **)

let corners = function
| Point m -> m :: []
| Between (l, h) -> l :: (h :: [])

(** val in_region : dmat list -> region -> bool **)

let in_region m = function
| Point n0 -> all2 equal0 m n0
| Between (l, h) -> (&&) (all2 at_most_all l m) (all2 at_most_all m h)

(** val prepare_box : head list -> box list -> region option **)

let prepare_box hs bs =
  match prepare_code hs (map0 lows bs) with
  | Some l ->
    (match prepare_code hs (map0 highs bs) with
     | Some h -> Some (Between (l, h))
     | None -> None)
  | None -> None

(** val regions : layer -> dmat list list -> region list option **)

let regions l cs =
  match l.boxes with
  | [] -> Some (map0 (fun x -> Point x) cs)
  | l0 :: l1 ->
    let bs = l0 :: l1 in
    if (&&) ((&&) (Nat.eqb (length bs) (length l.codes)) (one_entry l.heads))
         (boxes_apart l.heads
           (combine (map0 (fun c -> c.matrices) l.codes) bs))
    then mapo (prepare_box l.heads) bs
    else None

type dlayer = { moves : daction PM.t list; places : region PM.t }

(** val prepare_layer : layer -> dlayer option **)

let prepare_layer l =
  match mapo prepare_head l.heads with
  | Some acts ->
    (match mapo (fun c -> prepare_code l.heads c.matrices) l.codes with
     | Some cs ->
       if distinct (all2 equal0) cs
       then (match regions l cs with
             | Some rs ->
               Some { moves = (map0 table acts); places = (table rs) }
             | None -> None)
       else None
     | None -> None)
  | None -> None

(** val heads_act :
    daction PM.t list -> index -> dmat list -> dmat list option **)

let rec heads_act ms x from0 =
  match ms with
  | [] -> (match from0 with
           | [] -> Some []
           | _ :: _ -> None)
  | m :: ms' ->
    (match from0 with
     | [] -> None
     | m0 :: from' ->
       (match PM.find x m with
        | Some a ->
          (match heads_act ms' x from' with
           | Some r -> Some ((dact a m0) :: r)
           | None -> None)
        | None -> None))

(** val leads : dlayer -> index -> index -> index -> bool **)

let leads d x i j =
  match PM.find i d.places with
  | Some r ->
    (match PM.find j d.places with
     | Some r' ->
       forallb (fun m ->
         match heads_act d.moves x m with
         | Some n0 -> in_region n0 r'
         | None -> false) (corners r)
     | None -> false)
  | None -> false

(** val passes :
    layer list -> dlayer list -> index -> index list -> index list -> index
    option **)

let rec passes ls ds x from0 to1 =
  match ls with
  | [] ->
    (match ds with
     | [] ->
       (match from0 with
        | [] -> (match to1 with
                 | [] -> Some x
                 | _ :: _ -> None)
        | _ :: _ -> None)
     | _ :: _ -> None)
  | l :: ls' ->
    (match ds with
     | [] -> None
     | d :: ds' ->
       (match from0 with
        | [] -> None
        | i :: from' ->
          (match to1 with
           | [] -> None
           | j :: to' ->
             if leads d x i j
             then (match symbol l x j with
                   | Some y -> passes ls' ds' y from' to'
                   | None -> None)
             else None)))

(** val begins : layer list -> dlayer list -> index list -> bool **)

let rec begins ls ds at_ =
  match ls with
  | [] ->
    (match ds with
     | [] -> (match at_ with
              | [] -> true
              | _ :: _ -> false)
     | _ :: _ -> false)
  | l :: ls' ->
    (match ds with
     | [] -> false
     | d :: ds' ->
       (match at_ with
        | [] -> false
        | i :: at' ->
          (&&)
            (match prepare_code l.heads (map0 (fun h -> h.initial) l.heads) with
             | Some m ->
               (match PM.find i d.places with
                | Some r -> in_region m r
                | None -> false)
             | None -> false) (begins ls' ds' at')))

type row = { at_state : state; at_codes : index list; next : index list }

(** val same_state : state -> state -> bool **)

let same_state x y =
  all2 Coq_Pos.eqb x y

(** val same_label : name option -> name option -> bool **)

let same_label x y =
  match x with
  | Some s -> (match y with
               | Some t0 -> same_name s t0
               | None -> false)
  | None -> false

(** val successors : automaton -> state -> (state * name option) list **)

let successors a q3 =
  match a.shape with
  | Table (_, _, _, edges) ->
    (match get edges (hd Big_int_Z.unit_big_int q3) with
     | Some row0 -> map0 (fun e -> (((fst e) :: []), (snd e))) row0
     | None -> [])
  | Permutations (_, _, letters) ->
    map0 (fun l -> ((map0 (image (snd l)) q3), None)) letters

(** val targets :
    network -> dlayer list -> (row * name option) PM.t -> row -> index ->
    index list -> ((row * name option) * index) list option **)

let rec targets m ds rs r x = function
| [] -> Some []
| k :: l' ->
  (match PM.find k rs with
   | Some r' ->
     (match passes m.layers ds x r.at_codes (fst r').at_codes with
      | Some y ->
        (match targets m ds rs r (Coq_Pos.succ x) l' with
         | Some s -> Some ((r', y) :: s)
         | None -> None)
      | None -> None)
   | None -> None)

(** val by_letter : network -> 'a1 list -> 'a1 list option **)

let by_letter m l =
  match m.classes with
  | Some p -> let (_, cs) = p in mapo (get l) cs
  | None -> Some l

(** val right_target :
    network -> name PM.t -> (state * name option) -> ((row * name
    option) * index) -> bool **)

let right_target m ls s t0 =
  (&&) (same_state (fst s) (fst (fst t0)).at_state)
    (same_label (PM.find (snd t0) ls)
      (match m.labels_are with
       | Edges -> snd s
       | _ -> snd (fst t0)))

(** val check_row :
    automaton -> network -> dlayer list -> (row * name option) PM.t -> name
    PM.t -> row -> bool **)

let check_row a m ds rs ls r =
  match targets m ds rs r Big_int_Z.unit_big_int r.next with
  | Some ts ->
    (match by_letter m ts with
     | Some ts0 ->
       (&&) (Nat.eqb (length ts0) (length m.alphabet))
         (all2 (right_target m ls) (successors a r.at_state) ts0)
     | None -> false)
  | None -> false

(** val start_right : automaton -> network -> name PM.t -> bool **)

let start_right a m ls =
  match m.labels_are with
  | Edges -> (match m.start_label with
              | Some _ -> false
              | None -> true)
  | x ->
    (match m.start_label with
     | Some y -> same_label (PM.find y ls) (label_of x a (start a))
     | None -> false)

(** val check : automaton -> network -> row list -> bool **)

let check a m c =
  match mapo prepare_layer m.layers with
  | Some ds ->
    (match c with
     | [] -> false
     | r0 :: _ ->
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&) (well_formed a) ((&&) (in_class m) (well_spelled m)))
               (all2 same_name m.alphabet (letter_names a)))
             (same_state r0.at_state (start a)))
           (begins m.layers ds r0.at_codes))
         (let ls = table m.labels in
          let rs =
            table
              (map0 (fun r -> (r, (label_of m.labels_are a r.at_state))) c)
          in
          (&&) (start_right a m ls) (forallb (check_row a m ds rs ls) c)))
  | None -> false

(** val check_files :
    bytes -> bytes -> automaton -> network -> row list -> bool **)

let check_files fsa lrnn a m c =
  (&&)
    ((&&) (spells (automaton_tokens a) fsa) (spells (network_tokens m) lrnn))
    (check a m c)

type context = { heard : index; letter : index; from : index; to0 : index }

type pair = { set_of : index; codes_of : index list; child : index;
              nexts : index list }

type level = { width : nat; contexts : context list; pairs : pair list }

type cascade = { sets : state list list; levels : level list;
                 starts : index list }

(** val by_heard : context list -> context list PM.t **)

let rec by_heard = function
| [] -> PM.empty
| c :: r ->
  let t0 = by_heard r in
  PM.add c.heard
    (c :: (match PM.find c.heard t0 with
           | Some l -> l
           | None -> [])) t0

(** val means : index -> index -> index -> context -> bool **)

let means a x y c =
  (&&) (Coq_Pos.eqb c.letter a)
    ((&&) (Coq_Pos.eqb c.from x) (Coq_Pos.eqb c.to0 y))

(** val class_list : network -> index list **)

let class_list m =
  match m.classes with
  | Some c -> snd c
  | None -> map Coq_Pos.of_succ_nat (seq O (length m.alphabet))

(** val holds : state list PM.t -> index -> state -> bool **)

let holds ss x q3 =
  match PM.find x ss with
  | Some l -> existsb (same_state q3) l
  | None -> false

(** val right_letter :
    automaton -> network -> state list PM.t -> name PM.t -> index -> index ->
    index -> (state * name option) -> index -> bool **)

let right_letter a m ss names0 c y y0 s k =
  (||) (negb (Coq_Pos.eqb k c))
    ((&&) (holds ss y (fst s))
      (same_label (PM.find y0 names0)
        (match m.labels_are with
         | Edges -> snd s
         | x -> label_of x a (fst s))))

(** val right_set :
    automaton -> network -> state list PM.t -> name PM.t -> index -> index ->
    index -> index -> bool **)

let right_set a m ss names0 y c x y0 =
  match PM.find x ss with
  | Some l ->
    forallb (fun q3 ->
      all2 (right_letter a m ss names0 c y0 y) (successors a q3)
        (class_list m)) l
  | None -> false

(** val handed :
    automaton -> network -> state list PM.t -> name PM.t -> context list PM.t
    option -> index -> index -> index -> index -> bool **)

let handed a m ss names0 next0 y c x y0 =
  match next0 with
  | Some t0 ->
    (match PM.find y t0 with
     | Some l -> existsb (means c x y0) l
     | None -> false)
  | None -> right_set a m ss names0 y c x y0

(** val good_step :
    automaton -> network -> state list PM.t -> name PM.t -> layer list ->
    dlayer list -> context list PM.t option -> pair PM.t -> pair -> context
    -> index -> bool **)

let good_step a m ss names0 ls ds next0 ps p c n0 =
  match PM.find n0 ps with
  | Some p' ->
    (&&) (Coq_Pos.eqb p'.set_of c.to0)
      (match passes ls ds c.heard p.codes_of p'.codes_of with
       | Some y -> handed a m ss names0 next0 y c.letter p.child p'.child
       | None -> false)
  | None -> false

(** val good_steps :
    automaton -> network -> state list PM.t -> name PM.t -> layer list ->
    dlayer list -> context list PM.t option -> pair PM.t -> pair -> context
    list -> index list -> bool **)

let rec good_steps a m ss names0 ls ds next0 ps p cs ns =
  match cs with
  | [] -> true
  | c :: cs' ->
    if Coq_Pos.eqb c.from p.set_of
    then (match ns with
          | [] -> false
          | n0 :: ns' ->
            (&&) (good_step a m ss names0 ls ds next0 ps p c n0)
              (good_steps a m ss names0 ls ds next0 ps p cs' ns'))
    else good_steps a m ss names0 ls ds next0 ps p cs' ns

(** val next_contexts : level list -> context list PM.t option **)

let next_contexts = function
| [] -> None
| lv :: _ -> Some (by_heard lv.contexts)

(** val closed :
    automaton -> network -> state list PM.t -> name PM.t -> level list ->
    layer list -> dlayer list -> bool **)

let rec closed a m ss names0 lvs ls ds =
  match lvs with
  | [] ->
    (match ls with
     | [] -> (match ds with
              | [] -> true
              | _ :: _ -> false)
     | _ :: _ -> false)
  | lv :: r ->
    let w = lv.width in
    let l1 = firstn w ls in
    let d1 = firstn w ds in
    let next0 = next_contexts r in
    let ps = table lv.pairs in
    (&&)
      (forallb (fun p ->
        good_steps a m ss names0 l1 d1 next0 ps p lv.contexts p.nexts)
        lv.pairs) (closed a m ss names0 r (skipn w ls) (skipn w ds))

(** val initial_codes :
    automaton -> state list PM.t -> level list -> index list -> index ->
    index list option **)

let rec initial_codes a ss lvs ps x =
  match lvs with
  | [] ->
    (match ps with
     | [] -> if holds ss x (start a) then Some [] else None
     | _ :: _ -> None)
  | lv :: lvs' ->
    (match ps with
     | [] -> None
     | i :: ps' ->
       (match PM.find i (table lv.pairs) with
        | Some p ->
          if Coq_Pos.eqb p.set_of x
          then (match initial_codes a ss lvs' ps' p.child with
                | Some cs -> Some (app p.codes_of cs)
                | None -> None)
          else None
        | None -> None))

(** val first_contexts :
    automaton -> network -> state list PM.t -> name PM.t -> level list -> bool **)

let first_contexts a m ss names0 lvs =
  let next0 = next_contexts lvs in
  forallb (fun c ->
    match next0 with
    | Some _ ->
      handed a m ss names0 next0 c c Big_int_Z.unit_big_int
        Big_int_Z.unit_big_int
    | None -> false) (class_list m)

(** val check_cascade : automaton -> network -> cascade -> bool **)

let check_cascade a m c =
  match mapo prepare_layer m.layers with
  | Some ds ->
    let ss = table c.sets in
    let names0 = table m.labels in
    (&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&)
              ((&&)
                ((&&) (well_formed a) ((&&) (in_class m) (well_spelled m)))
                (all2 same_name m.alphabet (letter_names a)))
              (start_right a m names0))
            (Nat.eqb (length (class_list m)) (length m.alphabet)))
          (first_contexts a m ss names0 c.levels))
        (closed a m ss names0 c.levels m.layers ds))
      (match initial_codes a ss c.levels c.starts Big_int_Z.unit_big_int with
       | Some cs -> begins m.layers ds cs
       | None -> false)
  | None -> false

(** val check_cascade_files :
    bytes -> bytes -> automaton -> network -> cascade -> bool **)

let check_cascade_files fsa lrnn a m c =
  (&&)
    ((&&) (spells (automaton_tokens a) fsa) (spells (network_tokens m) lrnn))
    (check_cascade a m c)
