#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/models/net_samples.h"
#include <stdlib.h>

Test(run_exact_refuse, says_where_a_code_is_missing)
{
    f2l_net net;
    f2l_exact *run;
    f2l_error err = {0};
    sample_s3_layers(&net);
    mpq_set_ui(net.layer[1].code[3].value[0], 7, 1); /* the code of element 3 is gone */
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint[2], label = 77, layer = 9;
    cr_assert(f2l_exact_start(run, joint, NULL) == F2L_OK);
    cr_assert(f2l_exact_step(run, joint, 3, &label, &layer, &err) == F2L_EDOMAIN && layer == 1);
    cr_assert(strstr(err.text, "without a code") != NULL && label == 77 && joint[0] == 0 &&
              joint[1] == 0);
    cr_assert(f2l_exact_step(run, joint, 3, &label, &layer, NULL) == F2L_EDOMAIN && layer == 1);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

Test(run_exact_refuse, says_where_a_symbol_is_missing)
{
    f2l_net net;
    f2l_exact *run;
    f2l_error err = {0};
    sample_s3_layers(&net);
    net.layer[0].symbol[1] = F2L_NO_SYMBOL; /* after letter 1 in code 2 */
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint[2], label, layer = 9;
    cr_assert(f2l_exact_start(run, joint, NULL) == F2L_OK);
    cr_assert(f2l_exact_step(run, joint, 0, &label, &layer, &err) == F2L_EDOMAIN && layer == 0);
    cr_assert(strstr(err.text, "no symbol") != NULL && joint[0] == 0);
    cr_assert(f2l_exact_step(run, joint, 3, &label, &layer, NULL) == F2L_OK && label == 3);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

Test(run_exact_refuse, an_initial_state_without_a_code_is_no_start)
{
    f2l_net net;
    f2l_exact *run;
    sample_read(&net, SAMPLE_PARITY);
    mpq_set_ui(net.layer[0].head[0].initial.value[0], 3, 1);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    size_t joint;
    cr_assert(f2l_exact_start(run, &joint, NULL) == F2L_EDOMAIN);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

Test(run_exact_refuse, refuses_a_network_that_is_not_valid)
{
    f2l_net net;
    f2l_exact *run;
    sample_read(&net, SAMPLE_PARITY);
    mpq_set_ui(net.layer[0].head[0].letter[1].factor[0].beta, 3, 1);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_EDOMAIN && run == NULL);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
static f2l_status build_and_walk(const f2l_net *net)
{
    f2l_exact *run;
    size_t joint[2], label;
    f2l_status status = f2l_exact_new(&run, net, NULL);
    if (status != F2L_OK) return status;
    status = f2l_exact_start(run, joint, NULL);
    for (size_t w = 0; w < 6 && status == F2L_OK; w++)
        status = f2l_exact_step(run, joint, w, &label, NULL, NULL);
    f2l_exact_free(run);
    return status;
}

Test(run_exact_refuse, survives_every_failed_allocation)
{
    f2l_net net;
    sample_s3_layers(&net);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = build_and_walk(&net);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 30);
    f2l_net_clear(&net);
}

static f2l_status bias_step(const f2l_net *net)
{
    f2l_exact *run;
    size_t joint, label;
    f2l_status status = f2l_exact_new(&run, net, NULL);
    if (status != F2L_OK) return status;
    status = f2l_exact_start(run, &joint, NULL);
    if (status == F2L_OK) status = f2l_exact_step(run, &joint, 1, &label, NULL, NULL);
    f2l_exact_free(run);
    return status;
}

Test(run_exact_refuse, biases_survive_every_failed_allocation)
{
    for (size_t small = 0; small < 2; small++) {
        f2l_net net;
        char *text = sample_edited(SAMPLE_RAW, "c 1:1\n", small ? "c 1:1\n" : "c 1:4/3\n");
        char *whole = sample_edited(text, "bias 1.1:2", small ? "bias 1.1:2" : "bias 1.1:5/3");
        sample_read(&net, whole);
        size_t failures = 0;
        for (size_t n = 1; failures + 1 == n; n++) {
            f2l_mem_fail_after(n, n % 2 == 0);
            f2l_status status = bias_step(&net);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                      f2l_status_name(status));
            if (status == F2L_ENOMEM) failures++;
        }
        cr_assert(failures > 25, "%zu", failures);
        f2l_net_clear(&net);
        free(text);
        free(whole);
    }
}
#endif
