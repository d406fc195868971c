/* Ranges are closed, as in theory/pages/ladder.md: a sigmoid reaches their ends by rounding. */
#include "theory/choose/released.h"
#include <stddef.h>

#define ON(kind, class, name, setting) \
    { \
        F2L_RELEASED_##kind, name, setting, F2L_LADDER_##class, NULL \
    }
#define OPEN(kind, name, setting) \
    { \
        F2L_RELEASED_##kind, name, setting, F2L_LADDER_CLASSES, NULL \
    }
#define ENGINE(name, setting, library) \
    { \
        F2L_RELEASED_ENGINE, name, setting, F2L_LADDER_CLASSES, library \
    }

/* One released layer, hybrid or engine a line. */
/* clang-format off */
const f2l_released f2l_released_table[] = {
    ON(LAYER, DIAGONAL_POSITIVE, "Mamba, Mamba-2, GLA, mLSTM", "as released"),
    ON(LAYER, DELTANET_POSITIVE, "DeltaNet", "fla: allow_neg_eigval = false, the default"),
    ON(LAYER, DELTANET, "DeltaNet", "fla: allow_neg_eigval = true"),
    ON(LAYER, DELTANET_POSITIVE, "Gated DeltaNet", "fla: allow_neg_eigval = false, the default"),
    ON(LAYER, DELTANET, "Gated DeltaNet", "fla: allow_neg_eigval = true"),
    ON(LAYER, GATED, "Gated DeltaProduct", "fla: allow_neg_eigval = true"),
    ON(LAYER, GATED_POSITIVE, "Gated DeltaProduct", "Megatron-LM: beta a plain sigmoid"),
    ON(LAYER, KDA_POSITIVE, "KDA", "fla: allow_neg_eigval = false, the default"),
    ON(LAYER, KDA, "KDA", "fla: allow_neg_eigval = true"),
    ON(LAYER, RWKV7, "RWKV-7", "as released, c = 1"),
    ON(LAYER, MAMBA3, "Mamba-3", "as released, A_floor = 1e-4"),
    ON(LAYER, DIAGONAL_COMPLEX, "Mamba-3", "A_floor = 0: complex diagonal"),
    ON(LAYER, PD_SSM, "PD-SSM", "column-one-hot"),
    ON(LAYER, GDN2, "GDN-2", "b in [0,1]"),
    ON(LAYER, GDN2_DOUBLE, "GDN-2", "b in [0,2]"),
    ON(LAYER, COMPLEX_KDA, "Complex KDA", "beta in [0,2], and beyond"),
    ON(LAYER, KACZMARZ, "Kaczmarz steps", "epsilon > 0"),
    ON(LAYER, M2RNN, "M2RNN", "as in the paper"),
    ON(LAYER, PATH, "PaTH", "fla"),
    ON(LAYER, LOG_LINEAR_POSITIVE, "Log-Linear Mamba-2", "fla"),
    ON(LAYER, MOMENTUM, "Momentum DeltaNet", "fla 0.6.0"),
    OPEN(LAYER, "sLSTM, RG-LRU", "as released"),
    ON(HYBRID, DELTANET, "Olmo Hybrid", "Gated DeltaNet; linear_allow_neg_eigval = true"),
    ON(HYBRID, DELTANET_POSITIVE, "Qwen3-Next", "Gated DeltaNet; beta a plain sigmoid"),
    ON(HYBRID, KDA_POSITIVE, "Kimi Linear", "KDA without negative eigenvalues"),
    ENGINE("transformers", "PyTorch, without kernels", "transformers"),
    ENGINE("flash-linear-attention", "its kernels", "fla"),
    ENGINE("vLLM", "", NULL),
    ENGINE("SGLang", "", NULL),
    ENGINE("TensorRT-LLM", "", NULL),
    ENGINE("FlashInfer", "", NULL),
    ENGINE("llama.cpp", "", NULL),
    ENGINE("MLX", "", NULL),
    ENGINE("Megatron-LM", "", NULL),
    {F2L_RELEASED_LAYER, NULL, NULL, F2L_LADDER_CLASSES, NULL}};
/* clang-format on */
