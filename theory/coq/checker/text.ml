(* Reading a file from the left: literal text, numbers and names. *)

exception Bad of string (* something in the files is wrong *)
exception Unsupported of string (* the files are about something that this checker does not know *)

type t = { s : string; mutable at : int }

let bad what = raise (Bad what)
let unsupported what = raise (Unsupported what)
let peek t = if t.at < String.length t.s then t.s.[t.at] else '\000'
let after t k = if t.at + k < String.length t.s then t.s.[t.at + k] else '\000'

let comes t w =
  let n = String.length w in
  t.at + n <= String.length t.s
  &&
  let rec same i = i = n || (t.s.[t.at + i] = w.[i] && same (i + 1)) in
  same 0

let expect t w = if comes t w then t.at <- t.at + String.length w else bad ("expected `" ^ w ^ "`")
let end_line t = expect t "\n"
let line t w = expect t w; end_line t
let at_end t = if t.at <> String.length t.s then bad "expected the end of the file"
let is_digit c = '0' <= c && c <= '9'

let digits t =
  let from = t.at in
  while is_digit (peek t) do t.at <- t.at + 1 done;
  if t.at = from then bad "expected a number";
  String.sub t.s from (t.at - from)

(* A number from 1 to `most`, after the text w. *)
let number ?(most = 1 lsl 40) t w =
  expect t w;
  let d = digits t in
  if String.length d > 12 || d.[0] = '0' then bad ("expected a number from 1 after `" ^ w ^ "`");
  let n = int_of_string d in
  if n < 1 || n > most then bad ("a number after `" ^ w ^ "` is out of range");
  n

(* The same, where only one number is right. *)
let the t w n = if number t w <> n then bad ("another number after `" ^ w ^ "`")
let count t w = if comes t (w ^ "0") then (expect t (w ^ "0"); 0) else number t w

let rational t w =
  expect t w;
  let negative = peek t = '-' in
  if negative then t.at <- t.at + 1;
  let a = Z.of_string (digits t) in
  let d = if peek t = '/' then (t.at <- t.at + 1; Z.of_string (digits t)) else Z.one in
  if Z.equal d Z.zero then bad "a denominator is 0";
  ((if negative then Z.neg a else a), d)

(* A byte of UTF-8 that continues a character is in 0x80 .. 0xbf; this returns the length (RFC 3629). *)
let utf8_length t =
  let c = Char.code (peek t) and next = Char.code (after t 1) in
  let length = if c >= 0xc2 && c < 0xe0 then 2 else if c land 0xf0 = 0xe0 then 3
    else if c >= 0xf0 && c < 0xf5 then 4 else bad "expected UTF-8" in
  for i = 1 to length - 1 do
    if Char.code (after t i) land 0xc0 <> 0x80 then bad "expected UTF-8"
  done;
  if (c = 0xe0 && next < 0xa0) || (c = 0xf0 && next < 0x90) || (c = 0xed && next > 0x9f)
     || (c = 0xf4 && next > 0x8f) then bad "expected UTF-8";
  length

(* A name as it is spelled. Whether this is its one spelling is decided in Coq, but for UTF-8. *)
let name t w =
  expect t w;
  let from = t.at and quoted = peek t = '"' in
  if quoted then t.at <- t.at + 1;
  let rec go () =
    match peek t with
    | '"' when quoted -> t.at <- t.at + 1
    | '\000' .. '\031' | '\127' -> if quoted then bad "a name is not closed"
    | ' ' | '"' | '#' | '(' | ')' when not quoted -> ()
    | '\\' when quoted -> t.at <- t.at + 2; go ()
    | c -> t.at <- t.at + (if c >= '\128' then utf8_length t else 1); go ()
  in
  go ();
  if t.at = from || t.at > String.length t.s then bad "expected a name";
  String.sub t.s from (t.at - from)

(* What f reads, as long as `more` says so. *)
let many more f =
  let rec go l = if more () then go (f () :: l) else List.rev l in
  go []

(* f 1, .., f n, in this order. *)
let times n f =
  let rec go i l = if i > n then List.rev l else go (i + 1) (f i :: l) in
  go 1 []
