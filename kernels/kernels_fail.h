#include "kernels/base/kernels_fail.h"
