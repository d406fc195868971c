/* bench_answer [LETTERS] [SEQUENCES] [JOBS]: an evaluation of long words on a device, for the layer
 * that learns S_5 (4 heads of 32, 4 factors per letter, 120 letters), with random weights; by
 * default 10^6 letters of 256 sequences. Prints one JSON line for float and one for bf16: seconds
 * of the whole evaluation, with letters drawn and answers compared on the host. */
#include "automata/family/family.h"
#include "cuda/device/cuda_ready.h"
#include "models/learn/train/seq_cuda.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <stdlib.h>

static f2l_error why;

static void demand(f2l_status status)
{
    if (status == F2L_OK) return;
    printf("FAIL %s\n", why.text);
    exit(1);
}

int main(int count, char **argument)
{
    const size_t length = count > 1 ? strtoul(argument[1], NULL, 10) : 1000000;
    const size_t sequences = count > 2 ? strtoul(argument[2], NULL, 10) : 256;
    const f2l_task task = {.jobs = count > 3 ? (unsigned)strtoul(argument[3], NULL, 10) : 8};
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .seed = 1, .stream = F2L_DATA_TEST};
    const uint64_t five = 5;
    char device[256];
    f2l_fsa fsa;
    f2l_data data;
    f2l_seq model;
    f2l_cuda_model map;
    f2l_fsa_init(&fsa);
    f2l_data_init(&data);
    demand(f2l_cuda_ready(device, sizeof device, &why));
    demand(f2l_family_build(&fsa, "symmetric", &five, 1, false, &why));
    demand(f2l_data_build(&data, &options, &fsa, &why));
    f2l_seq_config config = f2l_seq_config_default(data.letters.count, data.labels.count);
    config.householders = 4;
    demand(f2l_seq_init(&model, &config, &why));
    demand(f2l_cuda_model_init(&map, &model, &why));
    float *parameter = f2l_calloc(model.parameters, sizeof *parameter);
    f2l_seq_start_f32(parameter, &model, 1);
    for (size_t type = 0; type < 2; type++) {
        f2l_train_score score = {.length = length};
        const double from = f2l_now();
        demand(f2l_seq_cuda_evaluate(&score, 1, NULL, sequences, &map.shape, parameter, &data,
                                     &f2l_cuda_answer_device, type ? F2L_CUDA_BF16 : F2L_CUDA_F32,
                                     &task, &why));
        const double seconds = f2l_now() - from;
        printf("{\"bench\":\"answer\",\"device\":\"%s\",\"type\":\"%s\",\"letters\":%zu,"
               "\"sequences\":%zu,\"jobs\":%u,\"seconds\":%.3f,\"letters_per_second\":%.4g,"
               "\"microseconds_per_letter\":%.3f,\"accuracy\":%.4f}\n",
               device, type ? "bf16" : "f32", length, sequences, task.jobs, seconds,
               (double)length * (double)sequences / seconds, 1e6 * seconds / (double)length,
               f2l_train_accuracy(&score));
        fflush(stdout);
    }
    f2l_free(parameter);
    f2l_cuda_model_clear(&map);
    f2l_seq_clear(&model);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
    return 0;
}
