(* What the three files say, as a guess: Core.check_files prints the automaton and the network again and
   compares them with the files byte by byte. So these functions may be lax, and nothing here is trusted. *)

open Text

let z = Z.of_int
let bytes s = List.init (String.length s) (String.get s)
let unsupported_lines t l = List.iter (fun w -> if comes t w then unsupported ("`" ^ w ^ "`")) l

(* ---- automaton.fsa ---- *)

let names t = many (fun () -> peek t = ' ') (fun () -> bytes (name t " "))
let cycle t =
  let p = number t "(" in
  let rest = many (fun () -> peek t = ' ') (fun () -> z (number t " ")) in
  expect t ")";
  z p :: rest

let cycles t = if comes t "()" then (expect t "()"; []) else many (fun () -> peek t = '(') (fun () -> cycle t)

let marks t =
  let accepts =
    if comes t "accept " || comes t "accept\n" then begin
      expect t "accept";
      let l = names t in
      end_line t;
      Some l
    end
    else None
  in
  let output () =
    let state = name t "output " in
    let label = name t " " in
    end_line t;
    (bytes state, bytes label)
  in
  let outputs = many (fun () -> comes t "output ") output in
  (accepts, if outputs = [] then None else Some outputs)

let permutations t =
  let n = number t "points " in
  end_line t;
  expect t "track ";
  let elements = comes t "elements" in
  if elements then expect t "elements";
  let what = if elements then Core.Elements else Core.Points (z (number t "points ")) in
  end_line t;
  let accepts, outputs = marks t in
  let letter () =
    let x = name t "permute " in
    expect t " ";
    let c = cycles t in
    end_line t;
    (bytes x, c)
  in
  let letters = many (fun () -> t.at < String.length t.s) letter in
  { Core.shape = Core.Permutations (z n, what, letters); accepts; outputs; added = None }

let known l =
  let h = Hashtbl.create 64 in
  List.iteri (fun i n -> Hashtbl.replace h n (i + 1)) l;
  fun n -> match Hashtbl.find_opt h n with Some i -> z i | None -> bad "an unknown name"

let table t =
  let plain () = many (fun () -> peek t = ' ') (fun () -> name t " ") in
  expect t "letters";
  let letters = plain () in
  end_line t;
  expect t "states";
  let states = plain () in
  end_line t;
  let state = known states in
  let start = state (name t "start ") in
  end_line t;
  let added =
    if not (comes t "fsa ") then None
    else begin
      let q = state (name t "fsa added ") in
      let hash = name t " source " in
      end_line t;
      Some (q, bytes hash)
    end
  in
  let accepts, outputs = marks t in
  let edge q x =
    expect t q;
    expect t (" " ^ x);
    let to_ = state (name t " ") in
    let output = if peek t = ' ' then Some (bytes (name t " ")) else None in
    end_line t;
    (to_, output)
  in
  let row q = List.map (edge q) letters in
  let edges = List.rev (List.rev_map row states) in
  let l = List.map bytes in
  { Core.shape = Core.Table (l letters, l states, start, edges); accepts; outputs; added }

let automaton s =
  let t = { s; at = 0 } in
  line t "fsa 1";
  let a = if comes t "points" then permutations t else table t in
  at_end t;
  a

(* ---- network.lrnn ---- *)

let more_entries t () = peek t = ' ' && is_digit (after t 1)
let fraction t w = let a, d = rational t w in { Core.qnum = a; qden = d }

let svec t =
  many (more_entries t) (fun () ->
      let i = number t " " in
      (z i, fraction t ":"))

let smat t =
  many (more_entries t) (fun () ->
      let i = number t " " in
      let j = number t "." in
      ((z i, z j), fraction t ":"))

let optional t w f = if comes t w then (expect t w; f t) else []

let factor t =
  let beta = fraction t "factor " in
  expect t " u";
  let key = svec t in
  let value = optional t " c" svec in
  end_line t;
  { Core.beta; key; value }

let action t x =
  the t "on " x;
  let gate = fraction t " gate " in
  let n = count t " factors " in
  let bias = optional t " bias" smat in
  end_line t;
  let factors = times n (fun _ -> factor t) in
  { Core.gate; bias; factors }

let head t letters i =
  the t "head " i;
  let n = number t " key " in
  let d = number t " value " in
  end_line t;
  let raw = comes t "raw" in
  if raw then line t "raw";
  unsupported_lines t [ "field "; "form " ];
  expect t "initial";
  let initial = smat t in
  end_line t;
  let on = times letters (fun x -> action t x) in
  { Core.rows = z n; cols = z d; raw; initial; on }

let symbol t =
  if comes t " -" then (expect t " -"; None) else Some (z (number t " "))

let code t by heads i =
  the t "code " i;
  let says =
    match by with
    | `State -> Core.Symbol (symbol t)
    | `Step -> expect t " *"; Core.Star
    | `Part ->
        let first = z (number t " ") in
        Core.Values (first :: many (fun () -> peek t = ',') (fun () -> z (number t ",")))
  in
  let matrices =
    List.mapi (fun i () -> if i > 0 then expect t " ;"; smat t) (List.init heads (fun _ -> ()))
  in
  end_line t;
  { Core.says; matrices }

(* All entries of a head, between two numbers each. *)
let interval t =
  let i = number t " " in
  let j = number t "." in
  let low = fraction t ":" in
  let high = fraction t "," in
  ((z i, z j), (low, high))

let box t heads i =
  the t "box " i;
  let between = List.init heads (fun i -> if i = 0 then "" else " ;") in
  let l = List.map (fun w -> expect t w; many (more_entries t) (fun () -> interval t)) between in
  end_line t;
  l

let step t =
  let x = number t "yield " in
  let i = number t " " in
  let y = number t " " in
  end_line t;
  ((z x, z i), z y)

let part t x =
  the t "yield " x;
  let p = number t " " in
  let ys = many (fun () -> peek t = ' ') (fun () -> symbol t) in
  end_line t;
  (z p, ys)

let layer t letters l =
  the t "layer " l;
  the t " letters " letters;
  let heads = number t " heads " in
  let codes = number t " codes " in
  let symbols = number t " symbols " in
  expect t " decode ";
  let by = if comes t "step" then `Step else if comes t "part" then `Part else `State in
  line t (match by with `Step -> "step" | `Part -> "part" | `State -> "state");
  let sizes =
    if by <> `Part then []
    else begin
      expect t "parts";
      let l = many (fun () -> peek t = ' ') (fun () -> z (number t " ")) in
      end_line t;
      l
    end
  in
  let hs = times heads (head t letters) in
  let cs = times codes (code t by heads) in
  let boxes = if comes t "box " then times codes (box t heads) else [] in
  let decode_by =
    match by with
    | `State -> Core.ByState
    | `Step -> Core.ByStep (many (fun () -> comes t "yield ") (fun () -> step t))
    | `Part -> Core.ByPart (sizes, times letters (part t))
  in
  ( { Core.reads = z letters; gives = z symbols; heads = hs; codes = cs; boxes; decode_by },
    symbols )

let labelling t =
  let l = [ ("states", Core.States); ("outputs", Core.Outputs); ("accept", Core.Acceptance);
            ("edges", Core.Edges) ] in
  expect t "label ";
  match List.find_opt (fun (w, _) -> comes t (w ^ "\n")) l with
  | Some (w, k) -> line t w; k
  | None -> bad "expected a kind of label"

let letter_classes t letters =
  if not (comes t "letter-classes") then None
  else begin
    let n = number t "letter-classes " in
    let l = times letters (fun _ -> z (number t " ")) in
    end_line t;
    Some (z n, l)
  end

let network s =
  let t = { s; at = 0 } in
  unsupported_lines t [ "lrnn-wired 2\n" ];
  line t "lrnn 2";
  expect t "fsa ";
  let fsa_hash = name t "" in
  end_line t;
  line t "field Q";
  let fitted = comes t "read-out" in
  if fitted then line t "read-out fitted";
  let labels_are = labelling t in
  let k = number t "letters " in
  end_line t;
  let named w _ = let n = name t w in end_line t; bytes n in
  let alphabet = times k (named "letter ") in
  let classes = letter_classes t k in
  let m = number t "labels " in
  end_line t;
  let labels = times m (named "symbol ") in
  expect t "start";
  let start_label = symbol t in
  end_line t;
  let n = number t "layers " in
  end_line t;
  let letters = ref (match classes with Some (c, _) -> Z.to_int c | None -> k) in
  let layers = times n (fun i -> let l, symbols = layer t !letters i in letters := symbols; l) in
  line t "end";
  at_end t;
  ( fsa_hash,
    { Core.fsa_hash = bytes fsa_hash; fitted; labels_are; alphabet; classes; labels; start_label; layers } )

(* ---- the states of the automaton, in the order of the certificate ---- *)

let image cycles n =
  let g = Array.init n (fun i -> i) in
  let turn c =
    let c = Array.of_list (List.map Z.to_int c) in
    Array.iteri (fun i p -> g.(p - 1) <- c.((i + 1) mod Array.length c) - 1) c
  in
  List.iter turn cycles;
  g

(* Breadth-first from the identity. *)
let elements n letters =
  let seen = Hashtbl.create 1000 and queue = Queue.create () and out = ref [] in
  let add g =
    let key = String.concat "," (List.map string_of_int (Array.to_list g)) in
    if not (Hashtbl.mem seen key) then begin
      Hashtbl.add seen key ();
      Queue.add g queue;
      out := g :: !out
    end
  in
  add (Array.init n (fun i -> i));
  while not (Queue.is_empty queue) do
    let g = Queue.pop queue in
    List.iter (fun h -> add (Array.map (fun p -> h.(p)) g)) letters
  done;
  Array.of_list (List.rev_map (fun g -> List.map (fun p -> z (p + 1)) (Array.to_list g)) !out)

let states a =
  let numbers n = Array.init n (fun i -> [ z (i + 1) ]) in
  match a.Core.shape with
  | Core.Table (_, s, _, _) -> numbers (List.length s)
  | Core.Permutations (n, Core.Points _, _) -> numbers (Z.to_int n)
  | Core.Permutations (n, Core.Elements, l) ->
      let n = Z.to_int n in
      elements n (List.map (fun (_, c) -> image c n) l)

(* Letters of one class act alike on all states, as lrnn-check wants it; Core.check looks at states that
   words lead to. *)
let check_classes a m states =
  match m.Core.classes with
  | None -> ()
  | Some (_, classes) ->
      let alike q =
        let first = Hashtbl.create 64 in
        let compare_one c next =
          match Hashtbl.find_opt first c with
          | None -> Hashtbl.add first c next
          | Some other -> if other <> next then bad "a letter does not act as its class does"
        in
        List.iter2 compare_one classes (Core.successors a q)
      in
      Array.iter alike states

(* ---- certificate.cert ---- *)

let most f l = List.fold_left (fun a x -> max a (f x)) 0 l

let size m =
  let heads f = most (fun l -> most f l.Core.heads) m.Core.layers in
  Printf.sprintf "layers %d heads %d householders %d key %d value %d" (List.length m.Core.layers)
    (most (fun l -> List.length l.Core.heads) m.Core.layers)
    (heads (fun h -> most (fun a -> List.length a.Core.factors) h.Core.on))
    (heads (fun h -> Z.to_int h.Core.rows))
    (heads (fun h -> Z.to_int h.Core.cols))

let other_claims = [ "zeiger"; "d1"; "blocks"; "points"; "product"; "swaps"; "float"; "refuted" ]

(* The last line, without which the file is no certificate. Returns where it begins. *)
let footer s =
  let n = String.length s - 72 in
  if n < 1 || s.[n - 1] <> '\n' then bad "expected a certificate";
  let t = { s; at = n } in
  line t ("sha256 " ^ Sha256.hex (String.sub s 0 n));
  n

(* The rows of claim exact; the states are those of the automaton in order. *)
let rows t letters states m =
  let rows = number t " rows " in
  end_line t;
  if rows > String.length t.s then bad "the file is too short for its rows";
  let visit = Visits.make rows 1 in
  let row i =
    the t "row " i;
    let q = number ~most:(Array.length states) t " state " in
    expect t " codes";
    let codes = List.map (fun _ -> number t " ") m.Core.layers in
    expect t " next";
    let next = times letters (fun _ -> number ~most:rows t " ") in
    end_line t;
    visit i (q, codes) next;
    { Core.at_state = states.(q - 1); at_codes = List.map z codes; next = List.map z next }
  in
  let c = times rows row in
  the t "end " rows;
  end_line t;
  c

type claim = Exact of Core.row list | Cascade of Core.cascade * int (* the number of pairs *)

(* The claim of the certificate with its lines. *)
let certificate s ~fsa_hash ~network_hash ~states a m =
  let last = footer s in
  let t = { s; at = 0 } in
  line t "lrnn-certificate 2";
  line t ("fsa " ^ fsa_hash);
  line t ("network " ^ network_hash);
  unsupported_lines t (List.map (fun c -> "claim " ^ c ^ "\n") other_claims);
  let exact = comes t "claim exact\n" in
  line t (if exact then "claim exact" else "claim cascade");
  unsupported_lines t [ "unrounded format " ];
  line t ("size " ^ size m);
  let letters = match m.Core.classes with
    | Some (c, _) -> Z.to_int c | None -> List.length (Core.letter_names a) in
  the t "letters " letters;
  the t " states " (Array.length states);
  let c =
    if exact then Exact (rows t letters states m)
    else
      let c, pairs = Levels.read t letters states a m in
      Cascade (c, pairs)
  in
  if t.at <> last then bad "expected one line more";
  c

(* Where the states are the elements of a group, marks name elements in their order; Core.check does not
   list a group. *)
let check_marks a states =
  match a.Core.shape with
  | Core.Permutations (_, Core.Elements, _) when a.Core.accepts <> None || a.Core.outputs <> None ->
      let names = List.map (Core.state_name a) (Array.to_list states) in
      let rec in_order l names =
        match (l, names) with
        | [], _ -> ()
        | _, [] -> bad "accept"
        | x :: l', n :: names' -> if x = n then in_order l' names' else in_order l names'
      in
      Option.iter (fun l -> in_order l names) a.Core.accepts;
      Option.iter (fun l -> if List.map fst l <> names then bad "output") a.Core.outputs
  | _ -> ()
