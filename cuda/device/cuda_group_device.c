#include "cuda/device/cuda_group.h"

const f2l_cuda_group_kernels f2l_cuda_group_device = {.create = f2l_cuda_group_new,
                                                      .destroy = f2l_cuda_group_free,
                                                      .use = f2l_cuda_group_use,
                                                      .sum = f2l_cuda_group_sum,
                                                      .wait = f2l_cuda_group_wait};
