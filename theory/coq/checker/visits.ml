(* Lines of a certificate are all different, and each is the start or named by an earlier one. *)

(* Returns a function of a line's number, what it says, and the lines that it names, to be called in order. *)
let make count start =
  let reached = Array.make (count + 1) false and seen = Hashtbl.create count in
  reached.(start) <- true;
  fun i key next ->
    if Hashtbl.mem seen key then Text.bad "an earlier line is the same";
    Hashtbl.add seen key ();
    if not reached.(i) then Text.bad "no earlier line leads to this one";
    List.iter (fun n -> reached.(n) <- true) next
