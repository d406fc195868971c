"""Compiles FlashInfer's decode kernel with a bf16 state for a GPU of compute capability 9.0, on a
machine that needs no GPU: the cubin is for flashinfer_states.py, where FlashInfer is not installed.

    python3 tests/engines/flashinfer_compile.py --kernel gdn_decode_bf16_state.py --out fi.cubin

--kernel is flashinfer/gdn_kernels/gdn_decode_bf16_state.py of its wheel. PyTorch, cuda-bindings
and nvidia-cutlass-dsl are needed; the shapes are those of flashinfer_states.py, so that the kernel
takes twelve addresses and nothing else."""

import argparse
import importlib.util
import math
import os
import sys
import tempfile
import types
from pathlib import Path

from flashinfer_states import K, TILE, V


def load(path):
    """Returns the kernel's module; what it imports of FlashInfer is about the device."""
    for name, word, value in (("fp4_common", "get_sm_version", 90), ("utils", "get_num_sm", 132)):
        for part in ("flashinfer", "flashinfer.cute_dsl", f"flashinfer.cute_dsl.{name}"):
            sys.modules.setdefault(part, types.ModuleType(part))
        setattr(sys.modules[f"flashinfer.cute_dsl.{name}"], word, lambda _, value=value: value)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(module, folder):
    import cuda.bindings.driver as cuda
    import torch
    from cutlass import cute
    from cutlass.cute.runtime import from_dlpack

    narrow, one = {"dtype": torch.bfloat16}, (1, 1, 1)
    index = torch.zeros(1, dtype=torch.int32)
    of_heads, key, value = torch.zeros(1), torch.zeros(1, 1, 1, K, **narrow), (1, 1, 1, V)
    shapes = [torch.zeros(1, 1, V, K, **narrow), torch.zeros(one, **narrow), of_heads]
    shapes += [torch.zeros(one, **narrow), of_heads.clone(), key, key.clone()]
    shapes += [torch.zeros(value, **narrow), torch.zeros(one, **narrow)]
    shapes += [torch.zeros(value, **narrow), index, index.clone()]
    tile, _ = module._get_bf16_mtp_config(1, 1, 1, V, device=None)
    assert tile == TILE, tile
    numbers = [1.0, 20.0, 1 / math.sqrt(K), 1, 1, 1, 1, K, V, tile]  # softplus, scale, HV B T H
    flags = [True, False, False, False, True]  # a norm, updates, no cache, no pairs, one pool
    cute.compile(
        module.run_gdn_decode_bf16state_mtp_ilp4,
        *(from_dlpack(x, assumed_align=32) for x in shapes),
        *numbers,
        *flags,
        cuda.CUstream(0),
        options="--generate-line-info --opt-level 3",
    )
    (file,) = Path(folder).glob("*.cubin")
    return file.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("ARCH", "sm_90a"), ("KEEP_CUBIN", "1"), ("DUMP_DIR", folder)):
            os.environ[f"CUTE_DSL_{name}"] = value
        args.out.write_bytes(compiled(load(args.kernel), folder))


if __name__ == "__main__":
    main()
