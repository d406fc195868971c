#include "theory/certify/forms/wired_closure.h"
#include "theory/certify/closure/closure_machine.h"

/* Returns the number of bytes that hold a code of any readout. */
static size_t readout_code_width(const f2l_net *net)
{
    size_t most = 1;
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t r = 0; r < net->block[b].readouts; r++)
            if (net->block[b].readout[r].codes > most) most = net->block[b].readout[r].codes;
    return f2l_pairs_width_of(most - 1);
}

static f2l_status start_wired_exactly(void *run, uint32_t *joint, f2l_error *err)
{
    return f2l_wired_exact_start(run, joint, err);
}

static f2l_status step_wired_exactly(void *run, uint32_t *joint, size_t letter, size_t *label,
                                     f2l_error *err)
{
    return f2l_wired_exact_step(run, joint, letter, label, err);
}

f2l_status f2l_wired_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                   size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_wired_exact *run;
    f2l_error why = {0};
    f2l_closure_clear(out);
    f2l_status status = f2l_task_spend(task, "preparing exact steps", f2l_wired_weigh(net), &why);
    if (status == F2L_OK)
        status =
            f2l_task_table(task, "a joint state", f2l_wired_joint(net) * sizeof(uint32_t), &why);
    if (status != F2L_OK) return f2l_search_unknown(out, 0, &why);
    status = f2l_wired_exact_new(&run, net, err);
    if (status != F2L_OK) return status;
    const f2l_codes_machine machine = {.run = run,
                                       .codes = f2l_wired_joint(net),
                                       .width = readout_code_width(net),
                                       .start = start_wired_exactly,
                                       .step = step_wired_exactly,
                                       .steps = 2 * f2l_wired_letter_steps(net)};
    status = f2l_codes_close(out, &machine, &face, fsa, max_rows, task, err);
    f2l_wired_exact_free(run);
    return status;
}

static void start_wired_in_format(const void *run, double *joint)
{
    f2l_wired_float_start(run, joint);
}

static f2l_status step_wired_in_format(void *run, double *joint, size_t letter, uint32_t *label,
                                       f2l_error *err)
{
    return f2l_wired_float_step(run, joint, letter, label, err);
}

/* Returns the numbers of a joint state. */
static size_t joint_numbers(const f2l_net *net)
{
    f2l_net_size size;
    f2l_net_measure(&size, net);
    return size.states;
}

f2l_status f2l_wired_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                   const f2l_format *format, const f2l_schedule *schedule,
                                   size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_wired_float *run;
    f2l_error why = {0};
    f2l_closure_clear(out);
    f2l_status status = f2l_task_spend(task, "rounding a network", f2l_wired_weigh(net), &why);
    if (status == F2L_OK)
        status = f2l_task_table(task, "a joint state", joint_numbers(net) * sizeof(double), &why);
    if (status != F2L_OK) return f2l_search_unknown(out, 0, &why);
    status = f2l_wired_float_new(&run, net, format, schedule, err);
    if (status != F2L_OK) return status;
    const f2l_numbers_machine machine = {run, f2l_wired_float_numbers(run), start_wired_in_format,
                                         step_wired_in_format, f2l_wired_letter_steps(net)};
    status = f2l_numbers_close(out, &machine, &face, fsa, format, max_rows, task, err);
    out->layers = f2l_wired_joint(net);
    f2l_wired_float_free(run);
    return status;
}
