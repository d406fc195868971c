/* Declarations shared by the parts of check_train. */
#ifndef CHECK_TRAIN_RUN_H
#define CHECK_TRAIN_RUN_H

#include "cuda/check/check_train_arrays.h"

static f2l_error why;
#define RUN(call) demand((call), &why)

static const f2l_cuda_type types[2] = {F2L_CUDA_F32, F2L_CUDA_BF16};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static void *scratch(device_array *work, size_t bytes)
{
    *work = device_filled(bytes, 0xff, 0, run_stream);
    return work->data;
}

static void scratch_clear(device_array *work)
{
    if (!device_read(NULL, work, run_stream)) {
        printf("FAIL something was written behind a workspace\n");
        failures++;
    }
    device_clear(work);
}

#endif
