(* Extract.v: the checkers as OCaml. Z, N and positive become Zarith's integers; nat stays as it is. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlChar ExtrOcamlZBigInt ZArith.
From Lrnn Require Import Ast Print Automaton Spelling Model Check Cascade.
Extraction Language OCaml.
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extraction "core.ml" check_files check_cascade_files successors state_name letter_names.
