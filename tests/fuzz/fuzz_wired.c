/* Wired networks: a network that is read is valid and has exactly the spelling of the writer;
 * running it stays within memory. */
#include "models/network/exact/run_exact.h"
#include "models/network/net/wired.h"
#include "models/network/schedule/schedule.h"
#include <stdlib.h>
#include <string.h>

static void must(bool condition)
{
    if (!condition) abort();
}

static void run_exact(const f2l_net *net)
{
    f2l_exact *run;
    must(f2l_exact_new(&run, net, NULL) == F2L_OK);
    size_t *joint = calloc(f2l_net_joint(net) + 1, sizeof *joint);
    size_t label;
    if (f2l_exact_start(run, joint, NULL) == F2L_OK) {
        for (size_t t = 0; t < 8; t++) {
            f2l_status status =
                f2l_exact_step(run, joint, f2l_letter_class(&net->classes, t % net->letters.count),
                               &label, NULL, NULL);
            must(status == F2L_EDOMAIN || (status == F2L_OK && label < net->labels.count));
        }
    }
    free(joint);
    f2l_exact_free(run);
}

static void run_rounded(const f2l_net *net)
{
    f2l_float_net *run;
    const f2l_schedule *schedule = f2l_schedule_find("every");
    must(f2l_float_net_new(&run, net, f2l_format_find("bf16"), schedule, NULL) == F2L_OK);
    double *joint = calloc(f2l_float_size(run) + 1, sizeof *joint);
    f2l_float_start(run, joint);
    for (size_t t = 0; t < 8; t++) {
        uint32_t label;
        must(f2l_float_step(run, joint, f2l_letter_class(&net->classes, t % net->letters.count),
                            &label, NULL) == F2L_OK);
        must(label == F2L_NO_SYMBOL || label < net->labels.count);
    }
    free(joint);
    f2l_float_net_free(run);
}

/* Returns whether the network is small enough to be run, including blocks that no stage uses. */
static bool is_small(const f2l_net *net)
{
    f2l_net_size size;
    f2l_net_measure(&size, net);
    bool small = size.states <= 4096;
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t h = 0; h < net->block[b].heads; h++)
            small = small && net->block[b].head[h].head.n * net->block[b].head[h].head.d <= 4096;
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_net net;
    f2l_net_init(&net);
    f2l_error err;
    f2l_status status = f2l_wired_read(&net, (const char *)data, size, &err);
    must(status == F2L_OK || (status == F2L_EFORMAT && err.line > 0 && err.column > 0));
    if (status == F2L_OK) {
        f2l_buf again;
        f2l_buf_init(&again);
        must(f2l_wired_validate(&net, NULL) == F2L_OK);
        must(f2l_wired_write(&again, &net, NULL) == F2L_OK);
        must(again.size == size && memcmp(again.data, data, size) == 0);
        f2l_buf_clear(&again);
        if (size <= 8192 && is_small(&net)) {
            run_exact(&net);
            run_rounded(&net);
        }
    }
    f2l_net_clear(&net);
    return 0;
}
