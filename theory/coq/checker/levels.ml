(* Claim cascade (lrnn-cert(5)), as a guess for Core.check_cascade_files. What that needs not know, such as the
   covers of sets, is checked here as lrnn-check does, which only refuses more. *)

open Text

let z = Z.of_int

type set = { level : int; members : int list; cover : int array }

let increasing l = ignore (List.fold_left (fun a b -> if b <= a then bad "expected increasing states"; b) 0 l)
let more t () = peek t = ' ' && is_digit (after t 1)
let numbers t w most = expect t w; many (more t) (fun () -> number ~most t " ")

let set t ~states ~levels ~sets i =
  the t "set " i;
  let level = number ~most:(levels + 1) t " level " in
  let members = numbers t " members" states in
  if members = [] then bad "expected a number";
  increasing members;
  let cover = if peek t = '\n' then [] else numbers t " cover" sets in
  if peek t <> '\n' || (cover <> [] && (List.length members = 1 || level > levels)) then
    bad "a set that has no cover";
  end_line t;
  { level; members; cover = Array.of_list cover }

let context t ~letters ~sets ~first ~known ~seen i =
  the t "context " i;
  let letter = number ~most:letters t " letter " in
  let from = number ~most:sets t " from " in
  let to_ = number ~most:sets t " to " in
  if first && (letter <> i || from <> 1 || to_ <> 1) then bad "level 1 reads the letters";
  if i = 1 && (not first) && comes t " reads " then known := true;
  let heard = if !known then number t " reads " else i in
  if !known then begin
    if Hashtbl.mem seen (letter, from, to_) then bad "a context is one of those before it";
    Hashtbl.add seen (letter, from, to_) ()
  end;
  end_line t;
  { Core.heard = z heard; letter = z letter; from = z from; to0 = z to_ }

(* The set that the level hands on: as listed, or the member of the cover that part 1 of the code names. *)
let child sets v set (layer : Core.layer) codes =
  let s = sets.(set - 1) in
  if s.level <> v then set
  else
    match (List.nth layer.Core.codes (List.hd codes - 1)).Core.says with
    | Core.Values (p :: _) when Z.to_int p <= Array.length s.cover -> s.cover.(Z.to_int p - 1)
    | _ -> bad "a set has no such member in its cover"

type listed = { set : int; codes : int list; child : int option; next : int list }

let pair t ~sets ~layers ~contexts ~pairs ~given i =
  the t "pair " i;
  let set = number ~most:sets t " set " in
  expect t " codes";
  let codes = List.map (fun l -> number ~most:(List.length l.Core.codes) t " ") layers in
  if i = 1 && comes t " child" then given := true;
  let child = if !given then Some (number ~most:sets t " child ") else None in
  expect t " next";
  let next = List.filter_map
      (fun c -> if Z.to_int c.Core.from = set then Some (number ~most:pairs t " ") else None) contexts in
  end_line t;
  { set; codes; child; next }

let rec nat n = if n = 0 then Core.O else Core.S (nat (n - 1))

let rec split n l = if n = 0 then ([], l) else match l with
  | x :: r -> let a, b = split (n - 1) r in (x :: a, b)
  | [] -> bad "a level has more layers than there are"

(* A level with number v; returns it with the layers behind it. *)
let level t ~letters ~sets v layers =
  the t "level " v;
  let width = number ~most:(List.length layers) t " layers " in
  let mine, rest = split width layers in
  let by_part l = match l.Core.decode_by with Core.ByPart _ -> true | _ -> false in
  if not (List.for_all by_part mine) then bad "one of the layers is not decode part";
  let count = number t " contexts " in
  let pairs = number t " pairs " in
  end_line t;
  if count > String.length t.s || pairs > String.length t.s then bad "the file is too short";
  let known = ref false and given = ref false and seen = Hashtbl.create 64 in
  let contexts = times count
      (context t ~letters ~sets:(Array.length sets) ~first:(v = 1) ~known ~seen) in
  let reads = Z.to_int (List.hd mine).Core.reads in
  if (not !known) && count <> reads then bad "a level has not as many contexts as letters";
  if List.exists (fun c -> Z.to_int c.Core.heard > reads) contexts then bad "a context reads no letter";
  let listed = times pairs (pair t ~sets:(Array.length sets) ~layers:mine ~contexts ~pairs ~given) in
  let children = List.map (fun p ->
      match p.child with Some c -> c | None -> child sets v p.set (List.hd mine) p.codes) listed in
  let pairs_of = List.map2 (fun p c ->
      { Core.set_of = z p.set; codes_of = List.map z p.codes; child = z c; nexts = List.map z p.next })
      listed children in
  ((listed, Array.of_list children, { Core.width = nat width; contexts; pairs = pairs_of }), rest)

(* What each step of a level hands on: every state of the old set is led by the letter into the new one; the
   last level hands on sets of level V + 1. *)
let check_sets sets next ~last (listed, children, level) =
  let known = Hashtbl.create 64 in
  let inside from letter to_ =
    if not (Hashtbl.mem known (from, letter, to_)) then begin
      Hashtbl.add known (from, letter, to_) ();
      let members = sets.(to_ - 1).members in
      if not (List.for_all (fun q -> List.mem (next q letter) members) sets.(from - 1).members) then
        bad "a letter leads out of a set"
    end
  in
  let step i p =
    let contexts = List.filter (fun c -> Z.to_int c.Core.from = p.set) level.Core.contexts in
    List.iter2 (fun c n ->
        inside children.(i) (Z.to_int c.Core.letter) children.(n - 1);
        if last <> 0 && sets.(children.(n - 1) - 1).level <> last then
          bad "a set is not of the last level") contexts p.next
  in
  List.iteri step listed

(* The number of the state after state q and a letter of class c. *)
let next_of states a m =
  let number_of = Hashtbl.create (Array.length states) in
  Array.iteri (fun i q -> Hashtbl.replace number_of q (i + 1)) states;
  let classes = match m.Core.classes with
    | Some (_, l) -> List.map Z.to_int l
    | None -> List.mapi (fun i _ -> i + 1) m.Core.alphabet in
  let row q =
    let t = Hashtbl.create 16 in
    List.iter2 (fun c (r, _) -> Hashtbl.replace t c (Hashtbl.find number_of r)) classes
      (Core.successors a q);
    t
  in
  let rows = Array.map row states in
  fun q c -> Hashtbl.find rows.(q - 1) c

(* Returns the cascade and the number of its pairs. *)
let read t letters states a m =
  let n = number t " sets " in
  let v = number ~most:(List.length m.Core.layers) t " levels " in
  end_line t;
  if n > String.length t.s then bad "the file is too short";
  let sets = Array.of_list (times n (set t ~states:(Array.length states) ~levels:v ~sets:n)) in
  if List.length sets.(0).members < Array.length states then bad "set 1 is not all states";
  let rest = ref m.Core.layers in
  let levels = times v (fun i ->
      let l, r = level t ~letters ~sets i !rest in
      rest := r;
      l) in
  if !rest <> [] then bad "a layer belongs to no level";
  expect t "start";
  let starts = List.map (fun (listed, _, _) -> number ~most:(List.length listed) t " ") levels in
  end_line t;
  the t "end " n;
  end_line t;
  let next = next_of states a m in
  List.iteri (fun i l -> check_sets sets next ~last:(if i = v - 1 then v + 1 else 0) l) levels;
  List.iter2 (fun (listed, _, _) start ->
      let visit = Visits.make (List.length listed) start in
      List.iteri (fun i p -> visit (i + 1) (p.set, p.codes) p.next) listed) levels starts;
  let entered = List.fold_left2 (fun _ (_, children, _) s -> children.(s - 1)) 1 levels starts in
  if sets.(entered - 1).level <> v + 1 then bad "the last set is not of the last level";
  ( { Core.sets = List.map (fun s -> List.map (fun q -> states.(q - 1)) s.members) (Array.to_list sets);
      levels = List.map (fun (_, _, l) -> l) levels;
      starts = List.map z starts },
    List.fold_left (fun k (listed, _, _) -> k + List.length listed) 0 levels )
