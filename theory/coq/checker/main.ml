(* lrnn-check-coq AUTOMATON NETWORK CERTIFICATE: does the network give, after every letter of every word, the
   label of the automaton? The theorems check_files_sound (theory/coq/Main.v) and check_cascade_files_sound
   (Cascade.v) say that Core.check_files and Core.check_cascade_files are true of the bytes of two files only if
   it does. What you must believe of `s VERIFIED` from this program: these theorems, Coq's extraction, OCaml,
   Zarith and GMP, and this file, which reads the files and prints the verdict. Guess and its parts only make a
   guess that is checked.

   The verdict is one line, as from lrnn-check:
       s VERIFIED CLAIM label KIND ..   exit status 0; CLAIM: exact or cascade
       s NOT VERIFIED                   1
       s UNKNOWN                        2: a file cannot be read, or the files are about something that this
                                        program does not know *)

(* The files are read once, to their ends, so that they may be pipes; the three have at most so many bytes. *)
let unread = ref (384 lsl 20)

let read path =
  let c = open_in_bin path and b = Buffer.create 65536 in
  let rec go () =
    match input_char c with
    | _ when !unread = 0 -> raise (Text.Unsupported "files larger than 384 MiB together")
    | x -> decr unread; Buffer.add_char b x; go ()
    | exception End_of_file -> close_in c; Buffer.contents b
  in
  go ()

let kind m =
  match m.Core.labels_are with
  | Core.States -> "states" | Core.Outputs -> "outputs" | Core.Acceptance -> "accept" | Core.Edges -> "edges"

let flags m =
  let heads f = List.exists (fun l -> List.exists f l.Core.heads) m.Core.layers in
  let has =
    [ ("raw", heads (fun h -> h.Core.raw));
      ("bias", heads (fun h -> List.exists (fun a -> a.Core.bias <> []) h.Core.on));
      ("boxes", List.exists (fun l -> l.Core.boxes <> []) m.Core.layers);
      ("letter-classes", m.Core.classes <> None) ]
  in
  match List.filter snd has with
  | [] -> ""
  | l -> " with " ^ String.concat " " (List.map fst l)

(* The state that takes the transitions which the source lacks. *)
let added a =
  let text l = String.of_seq (List.to_seq l) in
  match (a.Core.added, a.Core.shape) with
  | Some (q, hash), Core.Table (_, states, _, _) ->
      Printf.sprintf " added %s absorbing%s source %s"
        (text (List.nth states (Z.to_int q - 1)))
        (if a.Core.accepts = None then "" else " rejecting")
        (text hash)
  | _ -> ""

(* Boxes that Core does not know (R8.4 and R8.8 of theory/pages/decay.md): of keys with several entries, or such
   that no number keeps every two of them apart. *)
let has_wide_boxes m =
  let narrow l =
    List.length l.Core.boxes <> List.length l.Core.codes
    || Core.one_entry l.Core.heads
       && Core.boxes_apart l.Core.heads (List.map2 (fun c b -> (c.Core.matrices, b)) l.Core.codes l.Core.boxes)
  in
  not (List.for_all narrow m.Core.layers)

(* The verdict of check_files, and its line. *)
let judge fsa lrnn cert =
  let fsa_hash = Sha256.hex fsa and network_hash = Sha256.hex lrnn in
  let a = Guess.automaton fsa in
  let named, m = Guess.network lrnn in
  if named <> fsa_hash then Text.bad "the network is for another automaton";
  let states = Guess.states a in
  Guess.check_marks a states;
  Guess.check_classes a m states;
  let c = Guess.certificate cert ~fsa_hash ~network_hash ~states a m in
  let fsa = Guess.bytes fsa and lrnn = Guess.bytes lrnn in
  let right, claim, count, lines =
    match c with
    | Guess.Exact rows -> (Core.check_files fsa lrnn a m rows, "exact", List.length rows, "rows")
    | Guess.Cascade (c, pairs) -> (Core.check_cascade_files fsa lrnn a m c, "cascade", pairs, "pairs")
  in
  if (not right) && has_wide_boxes m then
    Text.unsupported "boxes of keys with several entries, or that only all numbers together keep apart";
  ( right,
    Printf.sprintf "s VERIFIED %s label %s letters %d states %d %s %s %d%s%s fsa %s network %s" claim (kind m)
      (List.length m.Core.alphabet) (Array.length states) (Guess.size m) lines count (flags m) (added a)
      fsa_hash network_hash )

let usage =
  "usage: lrnn-check-coq AUTOMATON NETWORK CERTIFICATE\n\
  \       lrnn-check-coq --help | --version\n\
   Checks automaton.fsa, network.lrnn and certificate.cert of an output folder of fsa2lrnn\n\
   by a function that is proved in Coq. Prints `s VERIFIED ...` (exit status 0),\n\
   `s NOT VERIFIED` (1), or `s UNKNOWN` (2) of what it does not know: claims other than exact\n\
   and cascade, wired networks, heads over number fields or with forms.\n\n\
   example: lrnn-check-coq parity.lrnn/automaton.fsa parity.lrnn/network.lrnn \\\n\
  \             parity.lrnn/certificate.cert\n"

let give status line reason =
  if reason <> "" then prerr_endline ("lrnn-check-coq: " ^ reason);
  print_endline line;
  exit status

let check fsa lrnn cert =
  match judge (read fsa) (read lrnn) (read cert) with
  | true, line -> give 0 line ""
  | false, _ -> give 1 "s NOT VERIFIED" "the network or its certificate is wrong, or a spelling"
  | exception Text.Unsupported what -> give 2 "s UNKNOWN" ("this program does not know " ^ what)
  | exception (Stack_overflow | Out_of_memory) -> give 2 "s UNKNOWN" "the files are too large"
  | exception Sys_error what -> give 2 "s UNKNOWN" ("a file cannot be read: " ^ what)
  | exception Text.Bad what -> give 1 "s NOT VERIFIED" what
  | exception (Invalid_argument _ | Failure _ | End_of_file | Z.Overflow) ->
      give 1 "s NOT VERIFIED" "a file is not of its grammar"

let () =
  match Sys.argv with
  | [| _; "--help" |] -> print_string usage
  | [| _; "--version" |] -> print_endline ("lrnn-check-coq, theory/coq sha256 " ^ Version.sources)
  | [| _; fsa; lrnn; cert |] when fsa <> "" && fsa.[0] <> '-' -> check fsa lrnn cert
  | _ -> prerr_string usage; exit 64
