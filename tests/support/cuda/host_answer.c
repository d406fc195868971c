/* The operators of answers on the host: for tests, slow. */
#include "tests/support/cuda/host_operators.h"
#include "tests/support/cuda/replay_recurrent.h"
#include <math.h>

static f2l_status host_recurrent(void *out, float *state, void *kept, const f2l_recurrent_in *in,
                                 const f2l_delta_shape *shape, void *stream, f2l_error *err)
{
    (void)stream;
    return f2l_replay_recurrent_forward(out, state, kept, in, shape, err);
}

static f2l_status host_answers(uint32_t *answer, const float *logits, size_t stride, size_t rows,
                               size_t classes, void *stream, f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t r = 0; r < rows; r++) {
        const float *row = logits + r * stride;
        bool number = true;
        uint32_t best = 0;
        for (uint32_t i = 0; i < classes; i++) {
            number = number && !isnan(row[i]);
            if (row[i] > row[best]) best = i;
        }
        answer[r] = number ? best : UINT32_MAX;
    }
    return F2L_OK;
}

const f2l_cuda_answer_kernels f2l_cuda_answer_host = {.step = &f2l_cuda_kernels_host,
                                                      .recurrent = host_recurrent,
                                                      .select = f2l_host_select_stream,
                                                      .pairs = f2l_host_pairs_stream,
                                                      .answers = host_answers};
