"""Trains a row: transformers.Trainer with a class of fla and our operators.

    torchrun --nproc_per_node GPUS train.py --config configs/delta-11.json --tokens TOKENS --to RUN

AdamW (0.9, 0.95), weight decay 0.1 on matrices, gradients clipped at 1, 2 % of the steps to the
rate and a cosine to a tenth of it, bf16 autocast on weights in float32, windows of 4,096 tokens,
131,072 tokens a step over all GPUs. The windows come in an order that the seed decides, the same
for all rows; a state is not set back where a document ends.

RUN/result.json has the losses of all steps and the rest of the record, with --evaluate that of
evaluate.py too, and comes last. With --save-every N the run can be gone on with by the same command
with --resume. RUN/model is for from_pretrained, unless --keep-nothing."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import networks
import numpy as np
from corpus import Refused
from tokens import Tokens, held

WINDOW, TOKENS_A_STEP = 4096, 131072
RECIPE = {
    "adam_beta1": 0.9,
    "adam_beta2": 0.95,
    "weight_decay": 0.1,
    "max_grad_norm": 1.0,
    "lr_scheduler_type": "cosine_with_min_lr",
    "lr_scheduler_kwargs": {"min_lr_rate": 0.1},
}

PLAIN = {
    "logging_steps": 1,
    "logging_nan_inf_filter": False,
    "save_total_limit": 2,
    "report_to": "none",
    "disable_tqdm": True,
    "remove_unused_columns": False,
    "ddp_find_unused_parameters": False,
}


def arguments(args, steps, gpus, **changes):
    """Returns the TrainingArguments of a run; changes are for tests."""
    import torch
    from transformers import TrainingArguments

    each = args.step_tokens // args.window // gpus
    micro = min(args.micro, each)
    if micro < 1 or each % micro or each * gpus * args.window != args.step_tokens:
        raise Refused(
            f"{args.step_tokens} tokens a step are not windows of {args.window} on {gpus} GPUs, "
            f"{args.micro} at a time"
        )
    on_gpu = torch.cuda.is_available()
    if on_gpu and "WORLD_SIZE" not in os.environ and torch.cuda.device_count() > 1:
        raise Refused("several GPUs: use torchrun, or name one in CUDA_VISIBLE_DEVICES")
    settings = {
        "output_dir": str(args.to),
        "max_steps": steps,
        "per_device_train_batch_size": micro,
        "gradient_accumulation_steps": each // micro,
        "learning_rate": args.rate,
        "warmup_steps": max(1, round(0.02 * steps)),
        "bf16": True,
        "optim": "adamw_torch_fused" if on_gpu else "adamw_torch",
        "save_strategy": "steps" if args.save_every else "no",
        "save_steps": args.save_every or 500,
        "seed": args.seed,
        "data_seed": args.seed,
        "dataloader_num_workers": args.workers,
        "use_cpu": not on_gpu,
    }
    return TrainingArguments(**{**settings, **RECIPE, **PLAIN, **changes})


def trainer_class():
    """Returns Trainer without weight decay on what fla says is to have none."""
    from transformers import Trainer

    class Plain(Trainer):
        def get_decay_parameter_names(self, model):
            free = {n for n, p in model.named_parameters() if getattr(p, "_no_weight_decay", False)}
            return [n for n in super().get_decay_parameter_names(model) if n not in free]

        def log(self, logs, *more, **named):
            entry = {**logs, "step": self.state.global_step, "time": time.monotonic()}
            self.state.log_history.append(entry)
            if self.state.global_step % 20 == 0:
                print(entry, flush=True)

    return Plain


def history_of(trainer):
    """Returns the losses of step 1, 2, ..., the lengths of the gradients, and the median of the
    seconds that a step took, of this and earlier parts of the run."""
    by_step = {entry["step"]: entry for entry in trainer.state.log_history if "loss" in entry}
    found = [by_step[step] for step in sorted(by_step)]
    took = np.diff([entry["time"] for entry in found])
    lengths = [float(entry.get("grad_norm", 0)) for entry in found]
    return [entry["loss"] for entry in found], lengths, float(np.median(took)) if len(took) else 0.0


def stopping(step):
    """Returns a callback that ends a run after so many steps."""
    from transformers import TrainerCallback

    class Stop(TrainerCallback):
        def on_step_end(self, args, state, control, **named):
            control.should_training_stop |= state.global_step >= step

    return Stop()


def train(args, config, data, **changes):
    """Makes the steps; returns the trainer and how long they took. Changes are for tests."""
    import torch
    from transformers import default_data_collator, set_seed

    set_seed(args.seed)
    gpus = int(os.environ.get("WORLD_SIZE", "1"))
    steps = round(args.count / args.step_tokens)
    if steps < 1:
        raise Refused(f"{args.count} tokens are no step of {args.step_tokens}")
    settings = arguments(args, steps, gpus, **changes)
    model = networks.make(config, str(args.config), args.operators)
    if config["options"]["vocab_size"] != data.about["vocabulary"]:
        raise Refused(
            f"{args.config}: {config['options']['vocab_size']} tokens, and the tokenizer has "
            f"{data.about['vocabulary']}"
        )
    trainer = trainer_class()(
        model=model, args=settings, train_dataset=data, data_collator=default_data_collator
    )
    if args.stop:
        trainer.add_callback(stopping(args.stop))
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=args.resume or None)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return trainer, time.monotonic() - began


def record(args, config, data, trainer, seconds):
    """Returns what result.json has of a run, without its evaluation."""
    import torch

    losses, lengths, step_seconds = history_of(trainer)
    model, on_gpu = trainer.model, torch.cuda.is_available()
    steps = len(losses)
    return {
        "row": args.config.stem,
        "config": config,
        "seed": args.seed,
        "rate": args.rate,
        "operators": args.operators,
        "parameters": networks.parameters(model),
        "steps": steps,
        "tokens": steps * args.step_tokens,
        "passes": round(steps * args.step_tokens / len(data.tokens), 3),
        "window": args.window,
        "step_tokens": args.step_tokens,
        "seconds": round(seconds, 2),
        "step_seconds": round(step_seconds, 4),
        "memory": torch.cuda.max_memory_allocated() if on_gpu else 0,
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "gpus": int(os.environ.get("WORLD_SIZE", "1")),
        "torch": torch.__version__,
        "data": {name: data.about[name] for name in ("tokenizer", "sha256")},
        "weights": networks.weights_sha256(model),
        "losses": [round(x, 5) for x in losses],
        "gradients": [round(x, 4) for x in lengths],
    }


def write(path, about):
    """Writes JSON whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(about) + "\n", encoding="utf-8")
    new.rename(path)


def run(args, **changes):
    """Trains and writes; returns the record."""
    config = networks.read(args.config)
    data = Tokens(args.tokens, args.window)
    trainer, seconds = train(args, config, data, **changes)
    about = record(args, config, data, trainer, seconds)
    if trainer.is_world_process_zero():
        args.to.mkdir(parents=True, exist_ok=True)
        if not args.keep_nothing:
            trainer.model.save_pretrained(str(args.to / "model"))
        if args.evaluate:
            from evaluate import evaluate

            began = time.monotonic()
            pieces = held(args.tokens, data.about["tokenizer"])
            about["evaluation"] = evaluate(trainer.model.eval(), pieces)
            about["evaluation"]["seconds"] = round(time.monotonic() - began, 2)
        write(args.to / "result.json", about)
        print(f"{about['row']}: loss {about['losses'][-1]}, {seconds:.1f} s")
    return about


def parse(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--count", type=float, default=100e6, help="tokens that are read")
    parser.add_argument("--stop", type=int, default=0, metavar="STEP", help="end there, as if cut")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--window", type=int, default=WINDOW)
    parser.add_argument("--step-tokens", type=int, default=TOKENS_A_STEP)
    parser.add_argument("--micro", type=int, default=32, help="windows at a time on a GPU")
    parser.add_argument("--workers", type=int, default=0)
    which = (networks.OURS, networks.THEIRS)
    parser.add_argument("--operators", choices=which, default=networks.OURS)
    parser.add_argument("--save-every", type=int, default=0, metavar="STEPS")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--keep-nothing", action="store_true")
    parser.add_argument("--evaluate", action="store_true")
    return parser.parse_args(argv)


def main():
    try:
        run(parse())
    except Refused as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
