/* The table of targets. */
#include "models/export/impl.h"

const f2l_export_dtype f2l_export_float32 = {"float32", "fp32"},
                       f2l_export_float64 = {"float64", "fp64"};

const f2l_export_dtype *const f2l_export_dtypes[] = {&f2l_export_float32, &f2l_export_float64,
                                                     NULL};

/* One target a line, by name. */
/* clang-format off */
const f2l_export_target *const f2l_export_targets[] = {&f2l_target_npz,
                                                       &f2l_target_onnx,
                                                       &f2l_target_pytorch,
                                                       NULL};
/* clang-format on */

const char *const f2l_export_names[] = {
    "README.md",   F2L_EXPORT_ABOUT, "model.onnx",          "model.py",
    "stream.onnx", "tensors.npz",    "weights.safetensors", NULL};

const char *const f2l_export_halves[] = {"every", "recurrent", NULL};
