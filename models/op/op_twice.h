/* One source, two types. A source file x.c holds
 *
 *     #ifndef REAL
 *     #include ...
 *     #define F2L_OP_SELF "models/op/x.c"
 *     #include "models/op/op_twice.h"
 *     #else
 *     ... code with REAL for the type, OP(name) for the name, R(function) for exp or expf ...
 *     #endif
 *
 * and so is read once for float and once for double. This header has no guard on purpose: every
 * source file includes it once. */
#include "models/op/op.h"

#ifdef F2L_OP_SELF

#define REAL float
#define OP(name) name##_f32
#define R(function) function##f
#include F2L_OP_SELF /* NOLINT(bugprone-suspicious-include) */
#undef REAL
#undef OP
#undef R

#define REAL double
#define OP(name) name##_f64
#define R(function) function
#include F2L_OP_SELF /* NOLINT(bugprone-suspicious-include) */
#undef REAL
#undef OP
#undef R

#endif
