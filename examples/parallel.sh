#!/bin/sh
# All lines of plans by GNU parallel, on this machine or on nodes that see the folders of the plans.
#
#   fsa2lrnn plan -- automata/ --label accept > plan.jsonl
#   sh examples/parallel.sh plan.jsonl
#   NODES=nodes.txt sh examples/parallel.sh plan.jsonl
#   fsa2lrnn table plan.jsonl
#
# nodes.txt has a line for each node, such as 8/user@node1: eight at once, over ssh. JOBS says how
# many run at once here (default: one for each processor). A line that fails is begun again twice,
# and the same command does what is left. With GPUS=1 each of the JOBS has a GPU of its own.
set -eu
cat "$@" > /dev/null
if [ "${GPUS-}" ]; then
    set -- "$@" 'export CUDA_VISIBLE_DEVICES=$(({%} - 1)); eval exec {}'
else
    set -- "$@" 'eval exec {}'
fi
for command; do :; done # the last word
[ "${NODES-}" ] && nodes="--sshloginfile $NODES --workdir $PWD" || nodes="--jobs ${JOBS:-100%}"
while [ $# -gt 1 ]; do jq -r .command "$1"; shift; done |
    parallel --retries 3 $nodes "$command" > /dev/null
