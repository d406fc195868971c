"""Our operators inside flash-linear-attention (fla): `accelerate_fla()`, `restore_fla()`.

`chunk_gated_delta_rule` has a registry of backends in fla, where ours is registered for callers
that hold fla's function already. It and `chunk_delta_rule` and `chunk_gated_delta_product`, which
have none, are also replaced by name in fla.ops and fla.layers: fla excludes its functions from
torch.compile, and ours need not be. The layer Mamba has no function of its own for what it
computes, so its forward is replaced (fla_mamba.py). A call that ours does not take goes to fla's
function, and the log says why, once."""

from __future__ import annotations

import functools
import importlib
import logging
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor

from ._errors import ArgumentError, DomainError
from .autograd import delta_product
from .fla_mamba import set_low, wrap_mamba

TESTED = ("0.5.2", "0.6.0")
ENVIRONMENT = "FLA_FSA2LRNN"  # 0: neither registered nor replaced
OPERATION, BACKEND = "gated_delta_rule", "fsa2lrnn"
PRIORITY = 1  # before FlashQLA's 3
# A call for delta_product, or the reason why there is none.
Adapted = Union[str, Dict[str, Any]]

logger = logging.getLogger(__name__)
_said: set[Tuple[str, str]] = set()
_replaced: List[Tuple[Any, str, Any, Any]] = []  # module or class, name, fla's function, ours
_registered: List[Any] = []  # registries


def _reason(q: Any, k: Any, v: Any, n_h: int, cu_seqlens: Any, others: Dict[str, Any]) -> str:
    """Returns why a call of fla is not ours, "" where it is."""
    for name, value in others.items():
        if name != "chunk_size" and value is not None and value is not False:
            return f"{name} is given"
    if not (q.dtype == k.dtype == v.dtype) or q.dtype == torch.float64:
        return f"q, k, v are {q.dtype}, {k.dtype}, {v.dtype}"
    if q.dim() != 4 or k.dim() != 4 or v.dim() != 4:
        return f"q, k, v have {q.dim()}, {k.dim()}, {v.dim()} dimensions"
    if max(q.shape[3], v.shape[3]) > 256 or not 1 <= n_h <= 8:
        return f"{q.shape[3]} keys, {v.shape[3]} values, {n_h} factors"
    if cu_seqlens is not None and q.shape[0] != 1:
        return f"cu_seqlens with batch {q.shape[0]}"
    return ""


def _wide(x: Optional[Tensor]) -> Optional[Tensor]:
    return None if x is None else x.float()


def _numbers(beta: Tensor, g: Optional[Tensor]) -> Dict[str, Optional[Tensor]]:
    """Returns beta and g for the operator, which reads them in any type that both have: a
    conversion costs a kernel, and its gradient another one."""
    if beta.dtype != torch.float64 and (g is None or g.dtype == beta.dtype):
        return {"beta": beta, "g": g}
    return {"beta": beta.float(), "g": _wide(g)}


def _gated_delta_rule(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    g: Optional[Tensor],
    beta: Tensor,
    scale: Optional[float] = None,
    initial_state: Optional[Tensor] = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    state_v_first: bool = False,
    cu_seqlens: Optional[Tensor] = None,
    cu_seqlens_cpu: Optional[Tensor] = None,
    chunk_indices: Optional[Tensor] = None,
    **others: Any,
) -> Adapted:
    reason = _reason(q, k, v, 1, cu_seqlens, others)
    if not reason and allow_neg_eigval and not use_beta_sigmoid_in_kernel:
        reason = "allow_neg_eigval without use_beta_sigmoid_in_kernel"
    if reason:
        return reason
    sigmoid = "two_sigmoid" if allow_neg_eigval else "sigmoid"
    return {
        **{"q": q, "k": k, "v": v, "scale": scale, **_numbers(beta, g)},
        **{"initial_state": _wide(initial_state), "output_final_state": output_final_state},
        "l2norm": "add" if use_qk_l2norm_in_kernel else None,
        "beta_kind": sigmoid if use_beta_sigmoid_in_kernel else "number",
        "state_order": "vk" if state_v_first else "kv",
        "cu_seqlens": cu_seqlens,
    }


def _delta_rule(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    beta: Tensor,
    scale: Optional[float] = None,
    initial_state: Optional[Tensor] = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    cu_seqlens: Optional[Tensor] = None,
    cu_seqlens_cpu: Optional[Tensor] = None,
    **others: Any,
) -> Adapted:
    return _gated_delta_product(
        *(q, k, v, None, beta, 1, scale, initial_state, output_final_state),
        *(use_qk_l2norm_in_kernel, cu_seqlens, cu_seqlens_cpu),
        **others,
    )


def _gated_delta_product(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    g: Optional[Tensor],
    beta: Tensor,
    num_householder: int,
    scale: Optional[float] = None,
    initial_state: Optional[Tensor] = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    cu_seqlens: Optional[Tensor] = None,
    cu_seqlens_cpu: Optional[Tensor] = None,
    **others: Any,
) -> Adapted:
    reason = _reason(q, k, v, num_householder, cu_seqlens, others)
    if not reason and q.dtype == torch.float32:
        reason = "float32, which fla refuses"
    if reason:
        return reason
    return {
        **{"q": q, "k": k, "v": v, "scale": scale, **_numbers(beta, g)},
        **{"initial_state": _wide(initial_state), "output_final_state": output_final_state},
        "l2norm": "add" if use_qk_l2norm_in_kernel else None,
        **{"n_h": num_householder, "cu_seqlens": cu_seqlens},
    }


TARGETS: Dict[str, Tuple[str, Callable[..., Adapted]]] = {
    "chunk_delta_rule": ("fla.ops.delta_rule", _delta_rule),
    "chunk_gated_delta_rule": ("fla.ops.gated_delta_rule", _gated_delta_rule),
    "chunk_gated_delta_product": ("fla.ops.gated_delta_product", _gated_delta_product),
}


def _say(name: str, reason: str) -> None:
    """Says once why a call is not ours."""
    if not torch.compiler.is_compiling() and (name, reason) not in _said:
        _said.add((name, reason))
        logger.warning("%s stays fla's: %s (said once)", name, reason)


def _wrap(name: str, original: Callable[..., Any], adapt: Callable[..., Adapted]) -> Any:
    @functools.wraps(original)
    def ours(*arguments: Any, **named: Any) -> Any:
        adapted = adapt(*arguments, **named)
        if isinstance(adapted, str):
            _say(name, adapted)
            return original(*arguments, **named)
        return delta_product(**adapted)

    ours.fsa2lrnn = True  # type: ignore[attr-defined]
    return ours


def _registry(fla_version: str) -> Tuple[Any, Any]:
    """Returns fla's registry of the gated delta rule's backends, and their base class."""
    if fla_version == "0.5.2":
        backends = importlib.import_module("fla.ops.backends")
        backends.BackendRegistry.ensure_initialized(OPERATION)
        registries = backends.BackendRegistry._registries
        return registries.get(OPERATION) or backends.BackendRegistry(
            OPERATION
        ), backends.BaseBackend
    backends = importlib.import_module("fla.backends")
    return backends._get_operation_registry(OPERATION), backends.BaseBackend


def _verify(self: Any, *arguments: Any, **named: Any) -> Tuple[bool, Optional[str]]:
    adapted = _gated_delta_rule(*arguments, **named)
    return (False, adapted) if isinstance(adapted, str) else (True, None)


def _run(self: Any, *arguments: Any, **named: Any) -> Any:
    adapted = _gated_delta_rule(*arguments, **named)
    assert not isinstance(adapted, str)
    return delta_product(**adapted)


def _register(fla_version: str) -> None:
    registry, base = _registry(fla_version)
    names = {"backend_type": BACKEND, "env_var": ENVIRONMENT, "priority": PRIORITY}
    functions = {"chunk_gated_delta_rule": _run, "chunk_gated_delta_rule_verifier": _verify}
    registry.register(type("Fsa2lrnnBackend", (base,), {**names, **functions})())
    _registered.append(registry)


def _places(original: Any, home: str) -> List[Tuple[Any, str]]:
    """Returns the modules of fla.ops and fla.layers, with the names, in which a function is. Where
    it is defined, and in references to compare with, it stays."""
    found = []
    for module_name, module in list(sys.modules.items()):
        ours = module_name.startswith(("fla.ops", "fla.layers"))
        kept = module_name.startswith(f"{home}.") or module_name.rpartition(".")[2] == "chunk_ref"
        if ours and not kept and module is not None:
            names = [name for name, value in vars(module).items() if value is original]
            found += [(module, name) for name in names]
    return found


def _installed_version() -> str:
    try:
        fla = importlib.import_module("fla")
    except ImportError as error:
        raise ArgumentError(f"fla cannot be imported: {error}") from error
    version = str(getattr(fla, "__version__", "unknown"))
    if version not in TESTED:
        raise DomainError(f"fla is version {version}, and this is tested with {', '.join(TESTED)}")
    return version


def _replace(home: str, name: str, adapt: Callable[..., Adapted]) -> None:
    """Puts ours in the place of a function of fla wherever it is."""
    function = getattr(importlib.import_module(home), name)
    known = [theirs for _, _, theirs, ours in _replaced if ours is function]
    original = known[0] if known else function
    ours = function if known else _wrap(name, original, adapt)
    for module, place in _places(original, home):
        setattr(module, place, ours)
        _replaced.append((module, place, original, ours))


def _replace_mamba() -> None:
    layer = importlib.import_module("fla.layers.mamba").Mamba
    original = layer.forward
    if not getattr(original, "fsa2lrnn", False):
        utils = importlib.import_module("fla.layers.utils")
        layer.forward = wrap_mamba(original, utils, _say)
        _replaced.append((layer, "forward", original, layer.forward))


def _name_of(place: Any, name: str) -> str:
    home = f"{place.__module__}.{place.__qualname__}" if isinstance(place, type) else place.__name__
    return f"{home}.{name}"


def accelerate_fla(mamba_low: Optional[int] = None) -> List[str]:
    """Lets fla compute with our kernels: chunk_delta_rule, chunk_gated_delta_rule,
    chunk_gated_delta_product, and the layer Mamba. Returns the names that are replaced, those of
    earlier calls too.

    mamba_low: -1 gives Mamba layers eigenvalues in [-1, 1] in the place of fla's [0, 1], until
    `restore_fla`; None: as before. A layer with an attribute `low` of 0 or -1 has its own.

    Only for the versions of TESTED: DomainError for another. With FLA_FSA2LRNN=0 in the environment
    nothing is done, and mamba_low -1 is an error. Names that a program took from fla before this
    call are not replaced; of these only chunk_gated_delta_rule is ours, by fla's registry."""
    version = _installed_version()
    if os.environ.get(ENVIRONMENT) == "0":
        if mamba_low:
            raise DomainError(f"mamba_low is {mamba_low}, and {ENVIRONMENT}=0 leaves fla as it is")
        return []
    if mamba_low is not None:
        set_low(mamba_low)
    importlib.import_module("fla.ops")
    importlib.import_module("fla.layers")
    for name, (home, adapt) in TARGETS.items():
        _replace(home, name, adapt)
    _replace_mamba()
    _register(version)
    return sorted({_name_of(place, name) for place, name, _, _ in _replaced})


def restore_fla() -> None:
    """Leaves fla as it was before `accelerate_fla`."""
    while _replaced:
        module, name, theirs, ours = _replaced.pop()
        if getattr(module, name, None) is ours:
            setattr(module, name, theirs)
    while _registered:
        _registered.pop()._backends.pop(BACKEND, None)
    set_low(0)
    _said.clear()
