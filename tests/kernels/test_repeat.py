"""What is repeatable (docs/kernels.md), bit by bit: between runs, batch sizes, packed and alone, in
pieces and whole; outputs and gradients of one path."""

import support
import torch
from support import BF16, F16, F32

# H, Hk, n_h, K, V, type, gate: those of both paths.
KINDS = [
    (2, 2, 1, 32, 32, F32, None),
    (4, 2, 2, 16, 24, F32, "head"),
    (2, 1, 3, 32, 16, BF16, "key"),
    (2, 2, 1, 128, 128, BF16, None),
    (4, 2, 2, 64, 64, BF16, None),
    (2, 2, 3, 128, 64, F16, None),
    (2, 2, 4, 32, 32, BF16, None),
    (2, 2, 1, 32, 32, BF16, "head"),
    (4, 2, 3, 128, 64, F16, "head"),
    (2, 2, 1, 256, 128, BF16, None),
    (2, 1, 3, 256, 64, F16, "head"),
]
SMALL = [(2, 2, 1, 8, 8, F32, None), (4, 2, 2, 4, 6, F32, "head"), (2, 1, 3, 6, 4, BF16, "key")]


@support.on_devices
class Repeat:
    def kinds(self):
        return SMALL if self.device == "cpu" else KINDS

    def make(self, kind, batch, tokens, seed=0):
        heads, key_heads, n_h, key, value, dtype, gate = kind
        shape = (batch, tokens, heads, key_heads, n_h, key, value)
        return support.inputs(shape, dtype, gate=gate, state="kv", seed=seed, device=self.device)

    def run_kind(self, kind, x, weights=None, **options):
        return support.run(x, {"n_h": kind[2], "output_final_state": True, **options}, weights)

    def same(self, kind, got, want):
        for name, value in want.items():
            equal = torch.equal(got[name], value)
            support.record(
                test=self.id().split(".")[-1],
                device=self.device,
                kind=str(kind),
                what=name,
                equal=equal,
            )
            self.assertTrue(equal, (kind, name, support.error_of(got[name], value)))

    def rows(self, x, name, n_h, start, end):
        """Returns tokens start .. end - 1 of a tensor, which has n_h rows for each where it has."""
        per = n_h if name.lstrip("d") in ("k", "v", "beta") else 1
        return x[:, start * per : end * per].contiguous()

    def test_runs(self):
        for kind in self.kinds():
            with self.subTest(kind=kind):
                x = self.make(kind, 3, 41)
                want = self.run_kind(kind, x)
                for _ in range(3):
                    self.same(kind, self.run_kind(kind, x), want)

    def test_deterministic_algorithms(self):
        torch.use_deterministic_algorithms(True)
        try:
            self.test_runs()
        finally:
            torch.use_deterministic_algorithms(False)

    def test_batch_of_one_and_64(self):
        for kind in self.kinds():
            with self.subTest(kind=kind):
                x = self.make(kind, 64, 21)
                outputs = self.run_kind(kind, x)
                weights = support.weights_of({n: outputs[n] for n in ("out", "final")})
                for i in (0, 17, 63):
                    one = {
                        n: None if t is None else t[i : i + 1].contiguous() for n, t in x.items()
                    }
                    mine = {n: t[i : i + 1] for n, t in weights.items()}
                    got = self.run_kind(kind, one, mine)
                    self.same(kind, got, {n: t[i : i + 1] for n, t in outputs.items()})

    def test_packed_and_alone(self):
        ends = [0, 5, 5, 6, 38, 55]
        for kind in self.kinds():
            with self.subTest(kind=kind):
                n_h = kind[2]
                x = self.make(kind, 1, ends[-1])
                states = self.make(kind, len(ends) - 1, 1)["initial_state"]
                x["initial_state"] = states
                cu = torch.tensor(ends, device=self.device)
                whole = self.run_kind(kind, x, cu_seqlens=cu)
                weights = support.weights_of({n: whole[n] for n in ("out", "final")})
                for i in range(len(ends) - 1):
                    at = (n_h, ends[i], ends[i + 1])
                    one = {n: None if t is None else self.rows(t, n, *at) for n, t in x.items()}
                    one["initial_state"] = states[i : i + 1]
                    mine = {"out": weights["out"][:, ends[i] : ends[i + 1]]}
                    mine["final"] = weights["final"][i : i + 1]
                    got = self.run_kind(kind, one, mine)
                    want = {n: self.rows(t, n, *at) for n, t in whole.items()}
                    for name in ("final", "dinitial_state"):
                        want[name] = whole[name][i : i + 1]
                    self.same(kind, got, want)

    def test_prefix_and_rest(self):
        """The state after a prefix, in fp32, goes into the rest, and its gradient back. On tensor
        cores a prefix has a multiple of 16 / n_h (rounded down) tokens, and gradients differ in
        roundings: backward computes earlier states from the last one, which is another one."""
        for kind in self.kinds():
            with self.subTest(kind=kind):
                cores = self.device == "cuda" and kind[5] != F32 and kind[6] != "key"
                self.cut(kind, 3 * (16 // kind[2]), ("out", "final") if cores else None)

    def test_gradients_of_prefix_and_rest(self):
        """Where states are kept, gradients are those of the whole, with a prefix of a multiple of
        twice as many tokens: with gates, and with path="tensor_states"."""
        for kind in self.kinds():
            cores = kind[5] != F32 and kind[6] != "key" or self.device == "cpu"
            for path in ("tensor_states", *(["tensor"] if kind[6] else [])) * cores:
                with self.subTest(kind=kind, path=path):
                    self.cut(kind, 2 * (16 // kind[2]), None, path=path)

    def cut(self, kind, tokens, names, **options):
        """Compares a sequence whole and as `tokens` and a rest."""
        n_h = kind[2]
        x = self.make(kind, 2, 50)
        whole = self.run_kind(kind, x, **options)
        weights = support.weights_of({n: whole[n] for n in ("out", "final")})
        first = {n: None if t is None else self.rows(t, n, n_h, 0, tokens) for n, t in x.items()}
        rest = {n: None if t is None else self.rows(t, n, n_h, tokens, 50) for n, t in x.items()}
        first["initial_state"] = x["initial_state"]
        nothing = {"out": weights["out"][:, :tokens], "final": torch.zeros_like(weights["final"])}
        rest["initial_state"] = self.run_kind(kind, first, nothing, **options)["final"]
        mine = {**weights, "out": weights["out"][:, tokens:]}
        later = self.run_kind(kind, rest, mine, **options)
        begun = {**nothing, "final": later["dinitial_state"].double().cpu()}
        before = self.run_kind(kind, first, begun, **options)
        got = {"final": later["final"], "dinitial_state": before["dinitial_state"]}
        for name in whole:
            if name not in got:
                got[name] = torch.cat([before[name], later[name]], 1)
        self.same(kind, got, {name: whole[name] for name in names or whole})
