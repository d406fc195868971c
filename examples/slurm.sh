#!/bin/bash
# One run of a plan in each task of a Slurm array; the plan names folders that all nodes see.
#
#   fsa2lrnn reproduce s3 --seeds 3 --plan > plan.jsonl
#   sbatch --array=1-$(wc -l < plan.jsonl) examples/slurm.sh plan.jsonl
#   fsa2lrnn reproduce --table plan.jsonl
#
# A task that is preempted, or whose node fails, is put into the queue again and continues from its
# last checkpoint. The second line, given again, continues what failed and leaves what has ended.
# For GPUs: --backend cuda in the first line, and --gres=gpu:1 in the second.
#SBATCH --job-name=fsa2lrnn
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
set -eu
command=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1" | jq -r .command)
# The run takes the place of this shell, so that the signals of Slurm reach it.
eval "exec $command"
