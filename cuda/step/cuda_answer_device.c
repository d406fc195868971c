#include "cuda/step/cuda_answer.h"

const f2l_cuda_answer_kernels f2l_cuda_answer_device = {.step = &f2l_cuda_kernels_device,
                                                        .recurrent = f2l_cuda_recurrent_forward,
                                                        .select = f2l_cuda_select_stream,
                                                        .pairs = f2l_cuda_pairs_stream,
                                                        .answers = f2l_cuda_answers};
