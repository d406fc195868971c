#include "models/learn/train/adamw.h"
#include <math.h>

#define REAL float
#define SQRT sqrtf
#define NAME(f) f##_f32
#include "models/learn/train/adamw.inc"
#undef REAL
#undef SQRT
#undef NAME

#define REAL double
#define SQRT sqrt
#define NAME(f) f##_f64
#include "models/learn/train/adamw.inc"
#undef REAL
#undef SQRT
#undef NAME
