#!/bin/sh
# The proofs of this folder, and the checker that is extracted from them.
#   proofs.sh hash            prints the SHA-256 of the sources that the checker comes from
#   proofs.sh compare         compares the hashes of these sources and of the committed checker with
#                             checker/extracted.sha256, which only the two commands below write
#   proofs.sh checker FOLDER  builds the committed checker as FOLDER/lrnn-check-coq (OCaml, Zarith)
#   proofs.sh prove FOLDER    compiles and checks all proofs in FOLDER, and compares the extracted
#                             checker with the committed one, and records their hashes where it is
#                             the same; Debian 12's Coq and libraries
#   proofs.sh extract FOLDER  the same, and replaces the committed checker
# Status 77: what is needed is not installed, and nothing was done.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
proved='Numbers Check Exact Boxes Sound Main Cascade'
checker="Ast Print Automaton Spelling Parse Model $proved Extract"
others='Export'
theorems='T3 T3Fewest Recurrences T1 Periods Class Obstruct Counting'
theorems="$theorems Forks NoFork Bands Loops Slots Levels Covers SlotLayer BandGroups Spelled"
theorems="$theorems Engines GDN2 Shrink Settle NoGroup Forgets Sets Finite Lasting Norms Formats"
needed='Debian 12: coq libcoq-mathcomp-algebra ocaml-findlib libzarith-ocaml-dev'

hash_sources() {
    for f in $checker; do
        printf '%s ' "$f"
        sha256sum <"$here/$f.v"
    done | sha256sum | cut -d ' ' -f 1
}

hashes() {
    echo "sources $(hash_sources)"
    for f in core.ml core.mli; do
        echo "$f $(sha256sum <"$here/checker/$f" | cut -d ' ' -f 1)"
    done
}

# What was found the same as what Coq extracts.
record=$here/checker/extracted.sha256

skip() {
    echo "proofs: skipped: $1 ($needed)"
    exit 77
}

build_checker() {
    ocamlfind query zarith >/dev/null 2>&1 || skip 'OCaml with Zarith is not installed'
    mkdir -p "$1"
    cp "$here"/checker/*.ml "$here"/checker/*.mli "$1"
    committed=$(sed -n 's/.*sources sha256 \([0-9a-f]*\).*/\1/p' "$here/checker/core.ml")
    echo "let sources = \"$committed\"" >"$1/version.ml"
    (cd "$1" && ocamlfind ocamlopt -w -a -package zarith -linkpkg core.mli core.ml sha256.ml \
        text.ml version.ml visits.ml levels.ml guess.ml main.ml -o lrnn-check-coq)
}

# Prints the version of an installed Debian package.
version_of() {
    dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo none
}

versions() {
    coq=$(coqc --version 2>/dev/null | sed -n 's/.*version \([0-9.]*\).*/\1/p')
    mathcomp=$(version_of libcoq-mathcomp-algebra)
    case "$coq $mathcomp" in
    8.16.*\ 1.15.*) ;;
    *)
        here_are="here are Coq ${coq:-none} and MathComp $mathcomp"
        skip "the proofs are for Coq 8.16 and MathComp 1.15, and $here_are"
        ;;
    esac
    echo "Coq $coq, MathComp $mathcomp, OCaml $(ocamlfind ocamlopt -version)"
}

# A proof that is not finished is no proof, and nothing may be assumed.
refuse_gaps() {
    if grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture|native_compute|ExtrOcamlNatInt)\b' \
        "$here"/*.v "$here"/theorems/*.v; then
        echo 'proofs: the lines above are not proofs'
        exit 1
    fi
}

prove() {
    versions
    refuse_gaps
    mkdir -p "$1"
    modules=
    for f in $checker $others; do
        cp "$here/$f.v" "$1"
        modules="$modules $f.v"
    done
    for f in $theorems; do
        cp "$here/theorems/$f.v" "$1"
        modules="$modules $f.v"
    done
    cd "$1"
    {
        echo '-Q . Lrnn'
        echo '-arg -w -arg -notation-overridden,-ambiguous-paths,-extraction-opaque-accessed'
        echo "$modules" | tr ' ' '\n'
    } >_CoqProject
    coq_makefile -f _CoqProject -o Makefile.coq >/dev/null
    make -s -j "$(nproc)" -f Makefile.coq
    libraries=
    for f in $modules; do
        [ "$f" = Extract.v ] || libraries="$libraries Lrnn.${f%.v}"
    done
    # shellcheck disable=SC2086
    coqchk -silent -o -Q . Lrnn $libraries >coqchk.log 2>&1 || { tail -n 20 coqchk.log; exit 1; }
    sed -n '/^CONTEXT SUMMARY/,$p' coqchk.log
    grep -A 1 '^\* Axioms:' coqchk.log | grep -q '<none>' ||
        { echo 'proofs: there are axioms'; exit 1; }
    {
        echo "(* Extracted from theory/coq, sources sha256 $(hash_sources), by Coq $coq with"
        echo "   MathComp ${mathcomp%%-*}. proofs.sh extract writes this file. *)"
        cat core.ml
    } >core.ml.new
    cp core.mli core.mli.new
}

case "${1-}" in
hash) hash_sources ;;
compare) hashes | diff -u --label recorded --label here "$record" - ;;
checker) build_checker "$2" ;;
prove)
    prove "$2"
    for f in core.ml core.mli; do
        diff -u --label "committed $f" --label "extracted $f" "$here/checker/$f" "$f.new"
    done
    hashes >"$record"
    echo 'proofs: all proofs are checked, and the committed checker is extracted from them'
    ;;
extract)
    prove "$2"
    cp core.ml.new "$here/checker/core.ml"
    cp core.mli.new "$here/checker/core.mli"
    hashes >"$record"
    ;;
*)
    sed -n '2,/^# Status/s/^# \{0,1\}//p' "$0"
    exit 64
    ;;
esac
