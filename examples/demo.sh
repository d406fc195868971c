#!/bin/sh
# make demo: a permutation, a group, a protocol that merges states, and a network that is wrong; the
# independent checker confirms each proof. docs/tutorial.md has what it prints.
# usage: demo.sh FSA2LRNN LRNN_CHECK FOLDER
set -eu
tool=$1 checker=$2 dir=$3
examples=$(dirname "$0")
mkdir -p "$dir"

# Prints a title and a sentence.
tell() {
    printf '\n%s\n' "$1"
    shift
    printf '%s\n' "$@"
}

# Compiles an automaton and shows the lines that say what was built and proved; the page has the
# rest. Then lets the checker confirm the proof, and reads a word.
show() {
    name=$1 words=$2
    out="$dir/$name.lrnn"
    echo "  \$ fsa2lrnn $name.fsa"
    "$tool" "$dir/$name.fsa" --out "$out" --force --require bf16 > "$dir/printed"
    grep -E '^(construction|exact|bf16 every)' "$dir/printed"
    echo "  \$ lrnn-check automaton.fsa network.lrnn certificate.cert"
    "$checker" "$out/automaton.fsa" "$out/network.lrnn" "$out/certificate.cert" > "$dir/printed"
    sed 's/ letters .*/ .../' "$dir/printed"
    echo "  \$ echo '$words' | fsa2lrnn run $name.lrnn --format bf16"
    echo "$words" | "$tool" run "$out" --format bf16
}

tell '1. Parity: is the number of 1s even or odd?' \
    'One number is the whole state. The letter 1 turns its sign, which needs an eigenvalue of -1.'
cp "$examples/parity.fsa" "$dir"
show parity '0110'

tell '2. A group: the six ways to permute three things, each a letter; their product is followed.' \
    'Two reflections for each letter follow it in one layer, in bf16 without any error.'
"$tool" new symmetric 3 > "$dir/s3.fsa"
show s3 '"(1 2)" "(2 3)" "(1 2 3)"'

tell '3. A protocol: "reset" leads every state into one, which no permutation does.' \
    'The network is a cascade of layers: each reads the letter and the layers below.'
cp "$examples/session.fsa" "$dir"
show session 'connect answer close reset'

tell '4. A network that is wrong: the one for the protocol, its letters close and reset mixed up.' \
    'Nothing is believed: the answer is a word on which it is wrong.'
sed -e 's/^letter close$/letter -/' -e 's/^letter reset$/letter close/' \
    -e 's/^letter -$/letter reset/' "$dir/session.lrnn/network.lrnn" > "$dir/wrong.lrnn"
echo "  \$ fsa2lrnn certify session.fsa wrong.lrnn"
status=0
"$tool" certify "$dir/session.fsa" "$dir/wrong.lrnn" || status=$?
[ "$status" -eq 1 ] || exit 1
rm "$dir/printed"

tell 'Look at it: open these in a browser; each has the automaton, the matrices and the proofs.' \
    "  $dir/parity.lrnn/report.html" "  $dir/s3.lrnn/report.html" "  $dir/session.lrnn/report.html"
tell 'What to try next (fsa2lrnn is in build/release; "make install" puts it on the PATH):' \
    "  fsa2lrnn --regex '(ab|ba)*' --label accept       an automaton of your own, in any syntax" \
    "  fsa2lrnn choose $dir/session.fsa    which layer to take, and what a cheaper one loses" \
    "  fsa2lrnn export $dir/s3.lrnn --to npz -o weights    or to pytorch, onnx, fla, transformers" \
    '  docs/tutorial.md    from here on, step by step'
