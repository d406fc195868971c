/* Networks: a network that is read is valid and has exactly the spelling of the writer; running it
 * and writing its weights stays within memory. */
#include "models/network/exact/run_exact.h"
#include "models/network/schedule/schedule.h"
#include "models/network/weights/weights.h"
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
    size_t *joint = calloc(net->layers, sizeof *joint), label;
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
    must(f2l_float_net_new(&run, net, f2l_format_find("bf16"), f2l_schedule_find("every"), NULL) ==
         F2L_OK);
    double *joint = calloc(f2l_float_size(run), sizeof *joint);
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

static void write_weights(const f2l_net *net)
{
    f2l_fsa fsa;
    f2l_buf out;
    f2l_weights_report report;
    f2l_fsa_init(&fsa);
    f2l_buf_init(&out);
    must(f2l_names_copy(&fsa.letters, &net->letters, NULL) == F2L_OK);
    f2l_status status = f2l_weights_write(&out, &report, net, &fsa, F2L_WEIGHTS_AUTO, NULL);
    must(status == F2L_EDOMAIN || (status == F2L_OK && report.bytes == out.size));
    f2l_buf_clear(&out);
    f2l_fsa_clear(&fsa);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_net net;
    f2l_net_init(&net);
    f2l_error err;
    f2l_status status = f2l_net_read(&net, (const char *)data, size, &err);
    must(status == F2L_OK || (status == F2L_EFORMAT && err.line > 0 && err.column > 0));
    if (status == F2L_OK) {
        f2l_buf again;
        f2l_buf_init(&again);
        must(f2l_net_validate(&net, NULL) == F2L_OK);
        must(f2l_net_write(&again, &net, NULL) == F2L_OK);
        must(again.size == size && memcmp(again.data, data, size) == 0);
        f2l_buf_clear(&again);
        f2l_net_size measure;
        f2l_net_measure(&measure, &net);
        if (size <= 4096 && measure.states <= 4096) {
            run_exact(&net);
            run_rounded(&net);
            write_weights(&net);
        }
    }
    f2l_net_clear(&net);
    return 0;
}
