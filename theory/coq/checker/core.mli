
val negb : bool -> bool

type nat =
| O
| S of nat

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

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

val revapp : uint -> uint -> uint

val rev : uint -> uint

module Little :
 sig
  val double : uint -> uint

  val succ_double : uint -> uint
 end

val add : nat -> nat -> nat

val eqb : bool -> bool -> bool

module type EqLtLe =
 sig
  type t
 end

module MakeOrderTac :
 functor (O:EqLtLe) ->
 functor (P:sig
 end) ->
 sig
 end

module Nat :
 sig
  val pred : nat -> nat

  val eqb : nat -> nat -> bool
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : Big_int_Z.big_int -> Big_int_Z.big_int

  val add : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val add_carry : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int

  type mask = Pos.mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : Big_int_Z.big_int -> mask

  val sub_mask : Big_int_Z.big_int -> Big_int_Z.big_int -> mask

  val sub_mask_carry : Big_int_Z.big_int -> Big_int_Z.big_int -> mask

  val sub : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val mul : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val size_nat : Big_int_Z.big_int -> nat

  val compare_cont :
    comparison -> Big_int_Z.big_int -> Big_int_Z.big_int -> comparison

  val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison

  val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val gcdn :
    nat -> Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val gcd : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val ggcdn :
    nat -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int)

  val ggcd :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int)

  val iter_op : ('a1 -> 'a1 -> 'a1) -> Big_int_Z.big_int -> 'a1 -> 'a1

  val to_nat : Big_int_Z.big_int -> nat

  val of_nat : nat -> Big_int_Z.big_int

  val of_succ_nat : nat -> Big_int_Z.big_int

  val to_little_uint : Big_int_Z.big_int -> uint

  val to_uint : Big_int_Z.big_int -> uint
 end

module N :
 sig
  val succ : Big_int_Z.big_int -> Big_int_Z.big_int

  val add : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val sub : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val mul : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison

  val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val of_nat : nat -> Big_int_Z.big_int
 end

val zero : char

val one : char

val shift : bool -> char -> char

val ascii_of_pos : Big_int_Z.big_int -> char

val ascii_of_N : Big_int_Z.big_int -> char

val ascii_of_nat : nat -> char

val n_of_digits : bool list -> Big_int_Z.big_int

val n_of_ascii : char -> Big_int_Z.big_int

val hd : 'a1 -> 'a1 list -> 'a1

val tl : 'a1 list -> 'a1 list

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> nat -> 'a1 option

val removelast : 'a1 list -> 'a1 list

val concat : 'a1 list list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val firstn : nat -> 'a1 list -> 'a1 list

val skipn : nat -> 'a1 list -> 'a1 list

val seq : nat -> nat -> nat list

module Z :
 sig
  val double : Big_int_Z.big_int -> Big_int_Z.big_int

  val succ_double : Big_int_Z.big_int -> Big_int_Z.big_int

  val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int

  val pos_sub : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val add : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val opp : Big_int_Z.big_int -> Big_int_Z.big_int

  val sub : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val mul : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison

  val sgn : Big_int_Z.big_int -> Big_int_Z.big_int

  val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val abs : Big_int_Z.big_int -> Big_int_Z.big_int

  val to_pos : Big_int_Z.big_int -> Big_int_Z.big_int

  val pos_div_eucl :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * Big_int_Z.big_int

  val div_eucl :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * Big_int_Z.big_int

  val div : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val modulo : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val gcd : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val ggcd :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int)
 end

val zeq_bool : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

type string =
| EmptyString
| String of char * string

val list_ascii_of_string : string -> char list

type q = { qnum : Big_int_Z.big_int; qden : Big_int_Z.big_int }

val qeq_bool : q -> q -> bool

val qle_bool : q -> q -> bool

val qplus : q -> q -> q

val qmult : q -> q -> q

val qred : q -> q

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

module NilEmpty :
 sig
  val string_of_uint : uint -> string
 end

module NilZero :
 sig
  val string_of_uint : uint -> string
 end

val b : string -> bytes

val newline : char

val nl : bytes

type tokens = bytes list

val pos : Big_int_Z.big_int -> bytes

val count : 'a1 list -> bytes

val int : Big_int_Z.big_int -> bytes

val rat : q -> tokens

val each : ('a1 -> tokens) -> 'a1 list -> tokens

val numbered_from :
  Big_int_Z.big_int -> (Big_int_Z.big_int -> 'a1 -> tokens) -> 'a1 list ->
  tokens

val numbered : (Big_int_Z.big_int -> 'a1 -> tokens) -> 'a1 list -> tokens

val nth_name : name list -> index -> name

val names : name list -> tokens

val accept_tokens : automaton -> tokens

val output_tokens : automaton -> tokens

val added_tokens : name list -> automaton -> tokens

val cycle : index list -> tokens

val cycles : index list list -> tokens

val edge_tokens : name list -> name -> name -> edge -> tokens

val automaton_tokens : automaton -> tokens

val svec_tokens : svec -> tokens

val smat_tokens : smat -> tokens

val factor_tokens : factor -> tokens

val action_tokens : index -> action -> tokens

val head_tokens : index -> head -> tokens

val joined : ('a1 -> tokens) -> 'a1 list -> tokens

val symbol_token : index option -> bytes

val commas : index list -> tokens

val answer_tokens : answer -> tokens

val code_tokens : index -> code -> tokens

val box_tokens : box -> tokens

val boxes_tokens : index -> box list -> tokens

val yield_tokens : ((index * index) * index) -> tokens

val part_tokens : index -> (index * index option list) -> tokens

val layer_tokens : index -> layer -> tokens

val network_tokens : network -> tokens

val eat : bytes -> bytes -> bytes option

val spells : tokens -> bytes -> bool

val get : 'a1 list -> index -> 'a1 option

val same_name : name -> name -> bool

val follows : index -> index list -> index -> index option

val image : index list list -> index -> index

val upto : Big_int_Z.big_int -> index list

val orbit : nat -> index list -> index -> index -> index list

val cycle_at : index list -> index -> index list list

val quote : char

val cycle_name : index list -> name

type state = index list

val start : automaton -> state

val state_name : automaton -> state -> name

val label_of : labelling -> automaton -> state -> name option

val letter_names : automaton -> name list

val code_of : char -> Big_int_Z.big_int

val among : Big_int_Z.big_int list -> char -> bool

val control : char -> bool

val hexadecimal : char -> Big_int_Z.big_int option

val escaped_control : char -> char -> bool

val quoted : bytes -> bool -> bool option

val words : bytes list

val word : bytes -> bool

val bare : char -> bool

val name_ok : name -> bool

val distinct : ('a1 -> 'a1 -> bool) -> 'a1 list -> bool

val all2 : ('a1 -> 'a2 -> bool) -> 'a1 list -> 'a2 list -> bool

val part_of : name list -> name list -> bool

val state_names : automaton -> name list option

val marks_ok : automaton -> bool

val some : 'a1 option -> bool

val at_most : Big_int_Z.big_int -> index -> bool

val hash_ok : bytes -> bool

val added_ok : automaton -> bool

val cycles_ok : index -> index list list -> bool

val well_formed : automaton -> bool

val lowest : q -> bool

val number_ok : q -> bool

val nonempty : 'a1 list -> bool

val length_is : 'a1 list -> Big_int_Z.big_int -> bool

val svec_from : Big_int_Z.big_int -> Big_int_Z.big_int -> svec -> bool

val svec_ok : Big_int_Z.big_int -> svec -> bool

val smat_from :
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> smat -> bool

val smat_ok : Big_int_Z.big_int -> Big_int_Z.big_int -> smat -> bool

val factor_ok : head -> factor -> bool

val action_ok : head -> action -> bool

val head_ok : Big_int_Z.big_int -> head -> bool

val symbol_ok : Big_int_Z.big_int -> index option -> bool

val answer_ok : decoder -> Big_int_Z.big_int -> answer -> bool

val code_ok : layer -> code -> bool

val box_from :
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> box -> bool

val box_ok : head -> box -> bool

val boxes_ok : layer -> bool

val yields_from :
  layer -> Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  ((index * index) * index) list -> bool

val table_ok :
  layer -> Big_int_Z.big_int list -> (index * index option list) -> bool

val decoder_ok : layer -> bool

val layer_ok : Big_int_Z.big_int -> layer -> bool

val layers_ok : Big_int_Z.big_int -> Big_int_Z.big_int -> layer list -> bool

val classes_from : Big_int_Z.big_int -> index list -> Big_int_Z.big_int

val classes_ok :
  Big_int_Z.big_int -> (Big_int_Z.big_int * index list) option -> bool

val hex_digit : char -> bool

val start_ok : network -> bool

val well_spelled : network -> bool

val cat : 'a1 list -> 'a1 list -> 'a1 list

val map0 : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val iota : nat -> nat -> nat list

val foldl : ('a2 -> 'a1 -> 'a2) -> 'a2 -> 'a1 list -> 'a2

val entry : svec -> nat -> q

val entry2 : smat -> nat -> nat -> q

val symbol : layer -> index -> index -> index option

val lows : box -> smat

val highs : box -> smat

val q0 : q

val q1 : q

val q2 : q

val square : svec -> nat -> q

val factor_in_class : head -> factor -> bool

val in_class : network -> bool

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

module OrderedTypeFacts :
 functor (O:OrderedType) ->
 sig
  module TO :
   sig
    type t = O.t
   end

  module IsTO :
   sig
   end

  module OrderTac :
   sig
   end

  val eq_dec : O.t -> O.t -> bool

  val lt_dec : O.t -> O.t -> bool

  val eqb : O.t -> O.t -> bool
 end

module KeyOrderedType :
 functor (O:OrderedType) ->
 sig
  module MO :
   sig
    module TO :
     sig
      type t = O.t
     end

    module IsTO :
     sig
     end

    module OrderTac :
     sig
     end

    val eq_dec : O.t -> O.t -> bool

    val lt_dec : O.t -> O.t -> bool

    val eqb : O.t -> O.t -> bool
   end
 end

module PositiveOrderedTypeBits :
 sig
  type t = Big_int_Z.big_int

  val compare : t -> t -> Big_int_Z.big_int compare0

  val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool
 end

val append : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

module PositiveMap :
 sig
  module E :
   sig
    type t = Big_int_Z.big_int

    val compare : t -> t -> Big_int_Z.big_int compare0

    val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool
   end

  module ME :
   sig
    module MO :
     sig
      module TO :
       sig
        type t = Big_int_Z.big_int
       end

      module IsTO :
       sig
       end

      module OrderTac :
       sig
       end

      val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

      val lt_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

      val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool
     end
   end

  type key = Big_int_Z.big_int

  type 'a tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  val empty : 'a1 t

  val is_empty : 'a1 t -> bool

  val find : key -> 'a1 t -> 'a1 option

  val mem : key -> 'a1 t -> bool

  val add : key -> 'a1 -> 'a1 t -> 'a1 t

  val remove : key -> 'a1 t -> 'a1 t

  val xelements : 'a1 t -> key -> (key * 'a1) list

  val elements : 'a1 t -> (key * 'a1) list

  val cardinal : 'a1 t -> nat

  val xfind : key -> key -> 'a1 t -> 'a1 option

  val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t

  val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t

  val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t

  val xmap2_l : ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t

  val xmap2_r : ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t

  val _map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val xfoldi : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2

  val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2

  val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool
 end

module PM :
 sig
  module E :
   sig
    type t = Big_int_Z.big_int

    val compare : t -> t -> Big_int_Z.big_int compare0

    val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool
   end

  module ME :
   sig
    module MO :
     sig
      module TO :
       sig
        type t = Big_int_Z.big_int
       end

      module IsTO :
       sig
       end

      module OrderTac :
       sig
       end

      val eq_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

      val lt_dec : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

      val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool
     end
   end

  type key = Big_int_Z.big_int

  type 'a tree = 'a PositiveMap.tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  val empty : 'a1 t

  val is_empty : 'a1 t -> bool

  val find : key -> 'a1 t -> 'a1 option

  val mem : key -> 'a1 t -> bool

  val add : key -> 'a1 -> 'a1 t -> 'a1 t

  val remove : key -> 'a1 t -> 'a1 t

  val xelements : 'a1 t -> key -> (key * 'a1) list

  val elements : 'a1 t -> (key * 'a1) list

  val cardinal : 'a1 t -> nat

  val xfind : key -> key -> 'a1 t -> 'a1 option

  val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t

  val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t

  val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t

  val xmap2_l : ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t

  val xmap2_r : ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t

  val _map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val xfoldi : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2

  val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2

  val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool
 end

val mapo : ('a1 -> 'a2 option) -> 'a1 list -> 'a2 list option

val table_from : Big_int_Z.big_int -> 'a1 list -> 'a1 PM.t

val table : 'a1 list -> 'a1 PM.t

val map1 : ('a1 -> 'a2 -> 'a3) -> 'a1 list -> 'a2 list -> 'a3 list

val common : q list -> Big_int_Z.big_int

val scale : Big_int_Z.big_int -> q -> Big_int_Z.big_int option

val dot :
  Big_int_Z.big_int list -> Big_int_Z.big_int list -> Big_int_Z.big_int

type dmat = { den : Big_int_Z.big_int; columns : Big_int_Z.big_int list list }

val dense_vec :
  nat -> Big_int_Z.big_int -> svec -> Big_int_Z.big_int list option

val dense_mat : nat -> nat -> smat -> dmat option

val equal0 : dmat -> dmat -> bool

val at_most_all : dmat -> dmat -> bool

type dfactor = { fa : Big_int_Z.big_int; fm : Big_int_Z.big_int;
                 fu : Big_int_Z.big_int list; fc : Big_int_Z.big_int list }

type daction = { gn : Big_int_Z.big_int; gd : Big_int_Z.big_int;
                 dfs : dfactor list; db : dmat option }

val prepare : bool -> nat -> nat -> factor -> dfactor option

val prepare_action : bool -> nat -> nat -> action -> daction option

val dturn : dfactor -> dmat -> dmat

val dadd : dmat -> dmat -> dmat

val dact : daction -> dmat -> dmat

type span = { number : q; low : q; high : q }

val less : q -> q -> bool

val same_span : span -> span -> bool

val around : span -> bool

val before : span -> span -> bool

val spans_apart : span list -> span list -> bool

val span_of : nat -> nat -> (smat list * box list) -> span

val boxes_apart : head list -> (smat list * box list) list -> bool

val single : factor -> bool

val one_entry : head list -> bool

val nat_of : Big_int_Z.big_int -> nat

val prepare_head : head -> daction list option

val prepare_code : head list -> smat list -> dmat list option

type region =
| Point of dmat list
| Between of dmat list * dmat list

val corners : region -> dmat list list

val in_region : dmat list -> region -> bool

val prepare_box : head list -> box list -> region option

val regions : layer -> dmat list list -> region list option

type dlayer = { moves : daction PM.t list; places : region PM.t }

val prepare_layer : layer -> dlayer option

val heads_act : daction PM.t list -> index -> dmat list -> dmat list option

val leads : dlayer -> index -> index -> index -> bool

val passes :
  layer list -> dlayer list -> index -> index list -> index list -> index
  option

val begins : layer list -> dlayer list -> index list -> bool

type row = { at_state : state; at_codes : index list; next : index list }

val same_state : state -> state -> bool

val same_label : name option -> name option -> bool

val successors : automaton -> state -> (state * name option) list

val targets :
  network -> dlayer list -> (row * name option) PM.t -> row -> index -> index
  list -> ((row * name option) * index) list option

val by_letter : network -> 'a1 list -> 'a1 list option

val right_target :
  network -> name PM.t -> (state * name option) -> ((row * name
  option) * index) -> bool

val check_row :
  automaton -> network -> dlayer list -> (row * name option) PM.t -> name
  PM.t -> row -> bool

val start_right : automaton -> network -> name PM.t -> bool

val check : automaton -> network -> row list -> bool

val check_files : bytes -> bytes -> automaton -> network -> row list -> bool

type context = { heard : index; letter : index; from : index; to0 : index }

type pair = { set_of : index; codes_of : index list; child : index;
              nexts : index list }

type level = { width : nat; contexts : context list; pairs : pair list }

type cascade = { sets : state list list; levels : level list;
                 starts : index list }

val by_heard : context list -> context list PM.t

val means : index -> index -> index -> context -> bool

val class_list : network -> index list

val holds : state list PM.t -> index -> state -> bool

val right_letter :
  automaton -> network -> state list PM.t -> name PM.t -> index -> index ->
  index -> (state * name option) -> index -> bool

val right_set :
  automaton -> network -> state list PM.t -> name PM.t -> index -> index ->
  index -> index -> bool

val handed :
  automaton -> network -> state list PM.t -> name PM.t -> context list PM.t
  option -> index -> index -> index -> index -> bool

val good_step :
  automaton -> network -> state list PM.t -> name PM.t -> layer list ->
  dlayer list -> context list PM.t option -> pair PM.t -> pair -> context ->
  index -> bool

val good_steps :
  automaton -> network -> state list PM.t -> name PM.t -> layer list ->
  dlayer list -> context list PM.t option -> pair PM.t -> pair -> context
  list -> index list -> bool

val next_contexts : level list -> context list PM.t option

val closed :
  automaton -> network -> state list PM.t -> name PM.t -> level list -> layer
  list -> dlayer list -> bool

val initial_codes :
  automaton -> state list PM.t -> level list -> index list -> index -> index
  list option

val first_contexts :
  automaton -> network -> state list PM.t -> name PM.t -> level list -> bool

val check_cascade : automaton -> network -> cascade -> bool

val check_cascade_files :
  bytes -> bytes -> automaton -> network -> cascade -> bool
