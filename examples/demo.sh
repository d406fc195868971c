#!/bin/sh
# make demo: compiles four automata, shows the verdicts, and lets the independent checker confirm
# each proof.
# usage: demo.sh FSA2LRNN LRNN_CHECK FOLDER
set -eu
tool=$1 checker=$2 dir=$3
mkdir -p "$dir"
"$tool" new parity > "$dir/parity.fsa"
"$tool" new cyclic 5 > "$dir/cyclic5.fsa"
"$tool" new symmetric 3 > "$dir/s3.fsa"
"$tool" new symmetric 5 > "$dir/s5.fsa"
for name in parity cyclic5 s3 s5; do
    out="$dir/$name.lrnn"
    echo "== fsa2lrnn $name.fsa"
    "$tool" "$dir/$name.fsa" --out "$out" --force --require bf16
    echo "== lrnn-check (libc and GMP only, shares no code)"
    "$checker" "$out/automaton.fsa" "$out/network.lrnn" "$out/certificate.cert"
    echo
done
echo "The words 1, 1 1 and 1 1 1 through the parity network, exactly and in bf16:"
printf '1\n1 1\n1 1 1\n' | "$tool" run "$dir/parity.lrnn"
printf '1\n1 1\n1 1 1\n' | "$tool" run "$dir/parity.lrnn" --format bf16
