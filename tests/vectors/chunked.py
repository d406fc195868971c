"""The delta product in NumPy, in fp32 with what is stored rounded to a format: row by row and in
chunks, forward and backward. A chunked pass takes a `Fault`, whose functions replace a step by the
one of a kernel that is wrong; models/doors/vectors/vector_chunks.c has the same names."""

from dataclasses import dataclass

import numpy as np

F = np.float32


def cut(x, bits):
    """Returns x rounded to nearest even to fp32 numbers without the last `bits` bits."""
    whole = np.ascontiguousarray(x, F).view(np.uint32)
    even = (whole >> bits & 1) + np.uint32((1 << (bits - 1)) - 1)
    return ((whole + even) >> bits << bits).view(F)


ROUND = {
    "fp32": lambda x: np.asarray(x, F),
    "tf32": lambda x: cut(x, 13),
    "bf16": lambda x: cut(x, 16),
    "fp16": lambda x: np.asarray(x, F).astype(np.float16).astype(F),
}


def substitution(A, cast=ROUND["fp32"]):
    """Returns (I + A)^-1 row by row, its operands cast first."""
    X, A = np.eye(len(A), dtype=F), cast(A)
    for i in range(1, len(A)):
        X[i, :i] = -(A[i, :i] @ cast(X[:i, :i]))
    return X


def neumann(A, cast=ROUND["fp32"]):
    """Returns the series 1 - A + A^2 - .. by doubling."""
    P, X, n = cast(-A), cast(np.eye(len(A), dtype=F) - A), 2
    while n < len(A):
        P = cast(P @ P)
        X, n = cast(X + X @ P), 2 * n
    return X


def newton(rounds):
    """Returns the inverse by that many rounds of Newton and Schulz."""

    def invert(A):
        one = np.eye(len(A), dtype=F)
        X = one - A
        for _ in range(rounds):
            X = X @ (2 * one - (one + A) @ X)
        return X

    return invert


def keep(x):
    return x


@dataclass
class Fault:
    """Functions in place of the right ones."""

    rows: tuple = (64,)  # sizes of chunks that have the fault
    invert: object = substitution
    carry: object = keep  # of a state, and of its gradient, at a border
    read_out: object = keep  # of q S before the scale
    beta: object = keep
    start: object = None  # the state before a sequence, from the one after the sequence before it
    head: object = None  # the key head of a value head, of (value head, heads, value heads)
    end: object = keep  # the gradient that arrives at the final state
    gate: object = None  # of (gates of rows, factors)
    results: object = keep  # of all results, by name


def gates_of_rows(gate, factors):
    rows = np.ones(len(gate) * factors, F)
    rows[::factors] = gate
    return rows


def products_of_gates(gate):
    """Returns d_ij of a chunk, and d_i from its first row on."""
    n = len(gate)
    d = np.zeros((n, n), F)
    for i in range(n):
        d[i, i] = 1
        d[i, :i] = gate[i] * d[i - 1, :i]
    return d, np.cumprod(gate, dtype=F)


class Lane:
    """One sequence of one value head, in chunks of `rows`."""

    def __init__(self, tensors, rows, factors, scale, store, fault):
        self.__dict__.update(tensors)
        self.rows, self.scale = rows, F(scale)
        self.factors, self.store, self.fault = factors, store, fault
        self.o = np.zeros_like(self.do)
        self.dq, self.dk = np.zeros_like(self.q), np.zeros_like(self.k)
        self.dv, self.dbeta = np.zeros_like(self.v), np.zeros_like(self.beta)
        self.dlog = np.zeros_like(self.gate)

    def chunks(self):
        return [slice(a, min(a + self.rows, len(self.k))) for a in range(0, len(self.k), self.rows)]

    def tokens(self, at):
        """Returns the tokens whose last row is in the chunk, and the places of these rows in it."""
        last = np.arange(at.start, at.stop)
        last = last[(last + 1) % self.factors == 0]
        return last // self.factors, last - at.start

    def solve(self, at, S):
        """Returns what forward and backward need of a chunk."""
        c, store = {}, self.store
        k, beta = self.k[at], self.beta[at, None]
        c["d"], c["reach"] = products_of_gates(self.gate[at])
        c["G"] = k @ k.T * c["d"]
        c["A"] = np.tril(store(beta * c["G"]), -1)
        c["X"] = store(self.fault.invert(c["A"]))
        c["kb"] = store(beta * c["reach"][:, None] * k)
        c["vb"] = store(beta * self.v[at])
        c["W"], c["U"] = store(c["X"] @ c["kb"]), store(c["X"] @ c["vb"])
        c["N"] = store(c["U"] - c["W"] @ store(S))
        c["t"], c["i"] = self.tokens(at)
        c["P"] = store(self.q[c["t"]] @ k.T * c["d"][c["i"]])
        c["rq"] = c["reach"][c["i"], None] * self.q[c["t"]]
        return c

    def forward(self, S):
        """Returns the final state; keeps the states at the borders and what chunks are made of."""
        self.kept = []
        for at in self.chunks():
            c = self.solve(at, S)
            self.kept.append((at, S, c))
            read = self.fault.read_out(c["rq"] @ self.store(S) + c["P"] @ c["N"])
            self.o[c["t"]] = self.store(self.scale * read)
            after = c["d"][-1][:, None] * self.k[at]
            S = self.fault.carry(c["reach"][-1] * S + after.T @ c["N"])
        return S

    def backward(self, Z):
        """Returns the gradient of the initial state."""
        for at, S, c in reversed(self.kept):
            Z = self.fault.carry(self.back(at, S, Z, c))
        return Z

    def back(self, at, S, Z, c):
        store, s = self.store, self.scale
        k, q, do = self.k[at], self.q[c["t"]], self.do[c["t"]]
        last, S, Zs = c["d"][-1][:, None], store(S), store(Z)
        dP = store(s * (do @ c["N"].T) * c["d"][c["i"]])
        state = last * (c["N"] @ Zs.T)  # d k_j through the state after the chunk
        dN = store(s * (c["P"].T @ do) + (last * k) @ Zs)
        dW = store(-(dN @ S.T))
        dX = store(np.tril(dW @ c["kb"].T + dN @ c["vb"].T, -1))
        dA = store(np.tril(-(c["X"].T @ store(dX @ c["X"].T)), -1))
        dkb, dvb = c["X"].T @ dW, c["X"].T @ dN
        dread = s * (do @ S.T)
        self.dq[c["t"]] = store(c["reach"][c["i"], None] * dread + dP @ k)
        beta, reach = self.beta[at, None], c["reach"][:, None]
        inner = beta * dA * c["d"]
        from_inverse = store(beta * reach * dkb + inner @ k + inner.T @ k)
        self.dk[at] = store(store(dP.T @ q + state) + from_inverse)
        self.dv[at] = store(beta * dvb)
        self.dbeta[at] = (reach * dkb * k).sum(1)
        self.dbeta[at] += (dvb * self.v[at]).sum(1) + (dA * c["G"]).sum(1)
        log = (dkb * c["kb"]).sum(1) + (dA * c["A"]).sum(1) - (dA * c["A"]).sum(0)
        log -= (dP * c["P"]).sum(0) + (state * k).sum(1)
        np.add.at(log, c["i"], (dP * c["P"]).sum(1) + (c["rq"] * dread).sum(1))
        log[-1] += c["reach"][-1] * (S * Zs).sum() + (state * k).sum()
        self.dlog[at] = np.cumsum(log[::-1])[::-1]
        return c["reach"][-1] * Z + s * (c["rq"].T @ do) - c["W"].T @ dN


class Rows(Lane):
    """The same row by row."""

    def forward(self, S):
        self.border = []
        for r, (k, v, beta, gate) in enumerate(zip(self.k, self.v, self.beta, self.gate)):
            self.border.append(S)
            S = gate * S
            S = S + np.outer(k, beta * (v - k @ S))
            if (r + 1) % self.factors == 0:
                t = r // self.factors
                self.o[t] = self.store(self.scale * (self.q[t] @ S))
        self.border.append(S)
        return S

    def backward(self, Z):
        for r in reversed(range(len(self.k))):
            t, k, beta = r // self.factors, self.k[r], self.beta[r]
            if (r + 1) % self.factors == 0:
                self.dq[t] = self.store(self.scale * (self.border[r + 1] @ self.do[t]))
                Z = Z + self.scale * np.outer(self.q[t], self.do[t])
            S = self.gate[r] * self.border[r]
            e, dv = self.v[r] - k @ S, k @ Z
            self.dbeta[r], self.dv[r] = dv @ e, beta * dv
            self.dk[r] = self.store(beta * (Z @ e - S @ dv))
            Z = Z - np.outer(k, beta * dv)
            self.dlog[r] = (Z * S).sum()
            Z = self.gate[r] * Z
        return Z


def lane_of(file, fault, where, head):
    """Returns the inputs of one sequence and value head."""
    batch, first, end = where
    n, heads, value_heads = file.factors, file["k"].shape[2], file["v"].shape[2]
    group = value_heads // heads
    shared = fault.head(head, heads, value_heads) if fault.head else head // group
    token, row = slice(first, end), slice(n * first, n * end)
    gate = file["gate"][batch, token, head] if file["gate"] is not None else np.ones(end - first, F)
    return shared, {
        "q": file["q"][batch, token, shared],
        "k": file["k"][batch, row, shared],
        "v": file["v"][batch, row, head],
        "do": file["do"][batch, token, head],
        "beta": fault.beta(file["beta"][batch, row, head]),
        "gate": (fault.gate or gates_of_rows)(gate, n),
    }


def run(file, rows, fault=None):
    """Returns the results of a file by name, in chunks of that many rows; 0: row by row."""
    fault = fault or Fault()
    found = {name: np.zeros_like(array) for name, array in file.results().items()}
    shape = file["final_state"].shape
    start, arriving = (file[name] for name in ("initial_state", "d_final_state"))
    start = np.zeros(shape, F) if start is None else start
    arriving = fault.end(np.zeros(shape, F) if arriving is None else arriving)
    n = file.factors
    with np.errstate(all="ignore"):
        for s, (batch, first, end) in enumerate(file.sequences()):
            for head in range(shape[1]):
                shared, tensors = lane_of(file, fault, (batch, first, end), head)
                kind = Lane if rows else Rows
                lane = kind(tensors, rows, n, file.scale, ROUND[file.format], fault)
                S = start[s, head]
                if fault.start and s > 0:
                    S = fault.start(S, found["final_state"][s - 1, head])
                found["final_state"][s, head] = lane.forward(S)
                gradient = lane.backward(arriving[s, head])
                token, row = slice(first, end), slice(n * first, n * end)
                found["o"][batch, token, head] = lane.o
                found["dq"][batch, token, shared] += lane.dq
                found["dk"][batch, row, shared] += lane.dk
                found["dv"][batch, row, head] = lane.dv
                found["dbeta"][batch, row, head] = lane.dbeta
                if "dg" in found:
                    found["dg"][batch, token, head] = lane.dlog[::n]
                if "d_initial_state" in found:
                    found["d_initial_state"][s, head] = gradient
    return fault.results(found)


def difference(found, wanted):
    """Returns the largest difference of two arrays; infinity where a number is none."""
    if wanted.size == 0:
        return 0.0
    with np.errstate(all="ignore"):
        apart = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    return float(np.where(np.isnan(apart), np.inf, apart).max())


def differences(found, file):
    return {name: difference(found[name], array) for name, array in file.results().items()}
