(* lies AUTOMATON NETWORK CERTIFICATE: the files are right, and the parser lies about them. What it says of the
   automaton and the network is changed in each way below; the checker compares what it is told with the bytes,
   and must say false. Changes that keep all values, such as 2/4 for 1/2, are lies, too. Prints the lies that
   were told and refused; exit status 1 if one was believed, or the truth was not. *)

module Integer = Z
open Core
module Z = Integer

let read path =
  let c = open_in_bin path in
  let s = really_input_string c (in_channel_length c) in
  close_in c;
  s

let one = Z.one
let next i = Z.add i one
let rat a b = { qnum = Z.of_int a; qden = Z.of_int b }
let doubled q = { qnum = Z.mul (Z.of_int 2) q.qnum; qden = Z.mul (Z.of_int 2) q.qden }
let first f = function [] -> [] | x :: r -> f x :: r
let last_lost l = match List.rev l with [] -> [] | _ :: r -> List.rev r
let rotated = function [] -> [] | x :: r -> r @ [ x ]
let quoted n = ('"' :: n) @ [ '"' ]

(* ---- about the automaton ---- *)

let shape f a = { a with shape = f a.shape }

let table f = shape (function
  | Table (l, s, q, e) -> let l, s, q, e = f (l, s, q, e) in Table (l, s, q, e)
  | p -> p)

let permutations f = shape (function
  | Permutations (n, w, l) -> let n, w, l = f (n, w, l) in Permutations (n, w, l)
  | t -> t)

let automaton_lies =
  [ ("another start", table (fun (l, s, q, e) -> (l, s, (if Z.equal q one then next q else one), e)));
    ("a letter less", table (fun (l, s, q, e) -> (last_lost l, s, q, e)));
    ("a state less", table (fun (l, s, q, e) -> (l, last_lost s, q, e)));
    ("a row of edges less", table (fun (l, s, q, e) -> (l, s, q, last_lost e)));
    ("rows of edges rotated", table (fun (l, s, q, e) -> (l, s, q, rotated e)));
    ("another target", table (fun (l, s, q, e) -> (l, s, q, first (first (fun (q, y) -> (next q, y))) e)));
    ("outputs of edges", table (fun (l, s, q, e) -> (l, s, q, first (first (fun (q, _) -> (q, Some [ 'y' ]))) e)));
    ("states quoted", table (fun (l, s, q, e) -> (l, List.map quoted s, q, e)));
    ("letters quoted", table (fun (l, s, q, e) -> (List.map quoted l, s, q, e)));
    ("a point more", permutations (fun (n, w, l) -> (next n, w, l)));
    ("elements for points", permutations (fun (n, w, l) ->
         (n, (match w with Elements -> Points one | Points _ -> Elements), l)));
    ("cycles turned", permutations (fun (n, w, l) -> (n, w, List.map (fun (x, c) -> (x, List.map rotated c)) l)));
    ("a cycle of one point", permutations (fun (n, w, l) -> (n, w, first (fun (x, c) -> (x, [ n ] :: c)) l)));
    ("letters exchanged", permutations (fun (n, w, l) -> (n, w, rotated l)));
    ("no accepting states", fun a -> { a with accepts = None });
    ("nothing accepts", fun a -> { a with accepts = Option.map (fun _ -> []) a.accepts });
    ("accepting states", fun a -> { a with accepts = Some [ [ 'q' ] ] });
    ("another added state", fun a ->
      { a with added = (if a.added = None then Some (one, List.init 64 (fun _ -> '0')) else None) });
    ("no outputs", fun a -> { a with outputs = None });
    ("empty outputs", fun a -> { a with outputs = (if a.outputs = None then Some [] else a.outputs) });
    ("outputs exchanged", fun a -> { a with outputs = Option.map rotated a.outputs }) ]

(* ---- about the network ---- *)

let layer f m = { m with layers = first f m.layers }
let head f = layer (fun l -> { l with heads = first f l.heads })
let some_action f = head (fun h -> { h with on = List.map f h.on })
let some_factor f = some_action (fun a -> { a with factors = first f a.factors })
let code f = layer (fun l -> { l with codes = first f l.codes })
let boxes f = layer (fun l -> { l with boxes = f l.boxes })
let interval f = boxes (first (first (first (fun (i, (low, high)) -> let low, high = f (low, high) in (i, (low, high))))))
let entry f v = first (fun (i, q) -> (i, f q)) v

let network_lies =
  [ ("another hash", fun m -> { m with fsa_hash = rotated m.fsa_hash });
    ("fitted", fun m -> { m with fitted = not m.fitted });
    ("labels of another kind", fun m ->
      { m with labels_are = (match m.labels_are with States -> Outputs | _ -> States) });
    ("letters rotated", fun m -> { m with alphabet = rotated m.alphabet });
    ("letters quoted", fun m -> { m with alphabet = List.map quoted m.alphabet });
    ("a line in a name", fun m -> { m with labels = first (fun n -> n @ [ '\n'; 'x' ]) m.labels });
    ("labels rotated", fun m -> { m with labels = rotated m.labels });
    ("labels joined", fun m ->
      { m with labels = (match m.labels with a :: b :: r -> (a @ List.of_seq (String.to_seq "\nsymbol ") @ b) :: r
                                           | l -> l) });
    ("another start", fun m -> { m with start_label = Option.map next m.start_label });
    ("no start", fun m -> { m with start_label = None });
    ("classes", fun m ->
      { m with classes = (if m.classes = None then Some (one, List.map (fun _ -> one) m.alphabet) else None) });
    ("a layer less", fun m -> { m with layers = last_lost m.layers });
    ("a layer twice", fun m -> { m with layers = m.layers @ m.layers });
    ("reads more", layer (fun l -> { l with reads = next l.reads }));
    ("gives more", layer (fun l -> { l with gives = next l.gives }));
    ("a head less", layer (fun l -> { l with heads = last_lost l.heads }));
    ("a code less", layer (fun l -> { l with codes = last_lost l.codes }));
    ("codes rotated", layer (fun l -> { l with codes = rotated l.codes }));
    ("decodes otherwise", layer (fun l ->
         { l with decode_by = (match l.decode_by with ByState -> ByStep [] | _ -> ByState) }));
    ("yields rotated", layer (fun l ->
         { l with decode_by = (match l.decode_by with ByStep y -> ByStep (rotated y)
                                                    | ByPart (s, t) -> ByPart (s, rotated t) | d -> d) }));
    ("another symbol", code (fun c ->
         { c with says = (match c.says with Symbol (Some y) -> Symbol (Some (next y))
                                          | Symbol None -> Symbol (Some one) | Star -> Symbol None
                                          | Values v -> Values (first next v)) }));
    ("a matrix more", code (fun c -> { c with matrices = c.matrices @ [ [] ] }));
    ("code not in lowest terms", code (fun c -> { c with matrices = first (entry doubled) c.matrices }));
    ("an entry 0 in a code", code (fun c -> { c with matrices = first (fun m -> ((one, one), rat 0 1) :: m) c.matrices }));
    ("no boxes", boxes (fun _ -> []));
    ("boxes of points", layer (fun l ->
         let point = List.map (fun (i, q) -> (i, (q, q))) in
         { l with boxes = List.map (fun c -> List.map point c.matrices) l.codes }));
    ("boxes rotated", boxes rotated);
    ("a box less", boxes last_lost);
    ("boxes of a head less", boxes (first last_lost));
    ("an interval less", boxes (first (first last_lost)));
    ("an interval twice", boxes (first (first (function e :: r -> e :: e :: r | [] -> []))));
    ("another interval", interval (fun (low, high) -> (rat (-1) 1, high)));
    ("an interval turned", interval (fun (low, high) -> (high, low)));
    ("an interval not in lowest terms", interval (fun (low, high) -> (doubled low, high)));
    ("more rows", head (fun h -> { h with rows = next h.rows }));
    ("more columns", head (fun h -> { h with cols = next h.cols }));
    ("raw", head (fun h -> { h with raw = not h.raw }));
    ("another initial state", head (fun h -> { h with initial = entry (fun _ -> rat 7 3) h.initial }));
    ("initial not in lowest terms", head (fun h -> { h with initial = entry doubled h.initial }));
    ("letters rotated in a head", head (fun h -> { h with on = rotated h.on }));
    ("another gate", some_action (fun a -> { a with gate = rat 1 7 }));
    ("gate 2/2", some_action (fun a -> { a with gate = doubled a.gate }));
    ("a bias", some_action (fun a -> { a with bias = ((one, one), rat 1 3) :: a.bias }));
    ("a factor less", some_action (fun a -> { a with factors = last_lost a.factors }));
    ("a factor twice", some_action (fun a ->
         { a with factors = (match a.factors with f :: r -> f :: f :: r | [] -> []) }));
    ("another beta", some_factor (fun f -> { f with beta = rat 1 9 }));
    ("beta not in lowest terms", some_factor (fun f -> { f with beta = doubled f.beta }));
    ("key doubled", some_factor (fun f ->
         { f with key = List.map (fun (i, q) -> (i, { q with qnum = Z.mul (Z.of_int 2) q.qnum })) f.key }));
    ("key not in lowest terms", some_factor (fun f -> { f with key = entry doubled f.key }));
    ("key with an entry 0", some_factor (fun f -> { f with key = (one, rat 0 1) :: f.key }));
    ("another value", some_factor (fun f -> { f with value = (one, rat 5 1) :: f.value })) ]

let () =
  let fsa = read Sys.argv.(1) and lrnn = read Sys.argv.(2) and cert = read Sys.argv.(3) in
  let a = Guess.automaton fsa and fsa_hash, m = Guess.network lrnn in
  let states = Guess.states a in
  let c = Guess.certificate cert ~fsa_hash ~network_hash:(Sha256.hex lrnn) ~states a m in
  let ask a m =
    match c with
    | Guess.Exact rows -> check_files (Guess.bytes fsa) (Guess.bytes lrnn) a m rows
    | Guess.Cascade (c, _) -> check_cascade_files (Guess.bytes fsa) (Guess.bytes lrnn) a m c
  in
  let told = ref 0 and believed = ref 0 in
  let tell what changed truth lie =
    if changed <> truth then begin
      incr told;
      if lie () then (incr believed; Printf.printf "believed: %s\n" what)
    end
  in
  List.iter (fun (what, f) -> let a' = f a in tell what (`A a') (`A a) (fun () -> ask a' m)) automaton_lies;
  List.iter (fun (what, f) -> let m' = f m in tell what (`M m') (`M m) (fun () -> ask a m')) network_lies;
  let truth = ask a m in
  if not truth then print_endline "the truth is not believed";
  Printf.printf "%d lies, %d believed\n" !told !believed;
  exit (if truth && !believed = 0 then 0 else 1)
