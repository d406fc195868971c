/* check_backend [host] [gpus N] [model M] [SEED]: training with the numbers on a device against
 * training on the CPU, for several models (M: only the M-th), in float and in bf16. Prints one line
 * per property: the largest error, ok or FAIL. Exit status 1 when anything failed. The properties:
 * - steps: 100 steps, each from the same numbers on both sides: loss, gradient (relative
 *   Frobenius), numbers after the update, curriculum (check_backend_steps.h)
 * - course: 100 steps without interference: relative distance of the running means of the loss
 * - bits: the same run twice, and in pieces with checkpoints in between: equal weights
 * - answers: an evaluation against the CPU's
 * - devices: with `gpus N`: sums over N devices, bit by bit; a run on N devices twice, and against
 *   a run on one device
 * With `host` the host's operators replace the device's: a test of this program. */
#include "cuda/check/check_backend_runs.h"
#include "cuda/check/check_backend_steps.h"
#include "cuda/device/cuda_ready.h"
#include <time.h>

static size_t only; /* 0: all models */

static void read_arguments(int count, char **argument)
{
    seed = (uint32_t)time(NULL);
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "host") == 0) {
            kernels = &f2l_cuda_answer_host;
            group = &f2l_cuda_group_host;
        } else if (strcmp(argument[i], "gpus") == 0 && i + 1 < count) {
            devices = strtoul(argument[++i], NULL, 10);
        } else if (strcmp(argument[i], "model") == 0 && i + 1 < count) {
            only = strtoul(argument[++i], NULL, 10);
        } else {
            seed = (uint32_t)strtoul(argument[i], NULL, 10);
        }
    }
}

static void check_model(const trial *t)
{
    static const char *const word[] = {"f32", "bf16"};
    const double from = f2l_now();
    setting s;
    course here = {{0}, 0, 0};
    open_setting(&s, t);
    if (devices == 1 && !t->steps_only) follow_here(&here, &s);
    for (size_t type = 0; type < 2; type++) {
        s.device.type = type ? F2L_CUDA_BF16 : F2L_CUDA_F32;
        if (devices > 1) {
            if (!t->steps_only) check_devices(&s, word[type]);
        } else {
            check_steps(&s, word[type]);
            if (!t->steps_only) check_runs(&s, word[type], &here);
        }
    }
    close_setting(&s);
    printf("%-24s %.1f s\n", t->name, f2l_now() - from);
    fflush(stdout);
}

int main(int count, char **argument)
{
    char device[256] = "the host";
    read_arguments(count, argument);
    if (kernels == &f2l_cuda_answer_device) demand(f2l_cuda_ready(device, sizeof device, &why));
    printf("check_backend on %s, seed %lu\n", device, (unsigned long)seed);
    for (size_t c = 0; devices > 1 && c < 4; c++)
        check_sum((const size_t[]){1, 7, 4096, 10000019}[c]);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        if (only == 0 || only == i + 1) check_model(&trials[i]);
    printf(failed ? "FAIL\n" : "ok\n");
    return failed ? 1 : 0;
}
