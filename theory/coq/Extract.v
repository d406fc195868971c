(* Extract.v: check_files as OCaml. Z, N and positive become Zarith's integers; nat stays as it is. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlChar ExtrOcamlZBigInt ZArith.
From Lrnn Require Import Ast Print Automaton Spelling Model Check.
Extraction Language OCaml.
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extraction "core.ml" check_files start delta state_name letter_names.
