/* The table of targets. */
#include "models/doors/export/impl.h"
#include <string.h>

static const f2l_export_dtype bfloat16 = {"bfloat16", "bf16"}, float16 = {"float16", "fp16"},
                              float64 = {"float64", "fp64"};
const f2l_export_dtype f2l_export_float32 = {"float32", "fp32"};

const f2l_export_dtype *const f2l_export_dtypes[] = {&bfloat16, &float16, &f2l_export_float32,
                                                     &float64, NULL};
const f2l_export_dtype *const f2l_export_short_dtypes[] = {&bfloat16, &float16, NULL};
const f2l_export_dtype *const f2l_export_wide_dtypes[] = {&f2l_export_float32, &float64, NULL};

/* One target a line, by name. */
/* clang-format off */
const f2l_export_target *const f2l_export_targets[] = {&f2l_target_coq,
                                                       &f2l_target_fla_deltanet,
                                                       &f2l_target_fla_deltaproduct,
                                                       &f2l_target_npz,
                                                       &f2l_target_olmo_hybrid,
                                                       &f2l_target_onnx,
                                                       &f2l_target_pytorch,
                                                       NULL};
/* clang-format on */

const char *const f2l_export_names[] = {
    "README.md",   F2L_EXPORT_ABOUT,    "config.json",         "model.onnx",
    "model.py",    "model.safetensors", "network.v",           "prefix.json",
    "stream.onnx", "tensors.npz",       "weights.safetensors", NULL};

const char *const f2l_tokenizer_names[] = {F2L_EXPORT_ABOUT, "tokenizer.json",
                                           "tokenizer_config.json", NULL};

const char *const f2l_export_halves[] = {"every,sum=halves", "every", "recurrent", NULL};

const f2l_export_dtype *f2l_export_dtype_find(const f2l_export_dtype *const *list, const char *name)
{
    while (*list && strcmp((*list)->name, name) != 0) list++;
    return *list;
}
