#include "tests/support/theory/t4_support.h"

void compare_states(const f2l_net *net, const size_t *joint, const double *numbers)
{
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; h < layer->heads; h++) {
            const f2l_qvec *code = &layer->code[joint[l] * layer->heads + h];
            size_t size = layer->head[h].n * layer->head[h].d, next = 0;
            for (size_t i = 0; i < size; i++) {
                double value = 0;
                if (next < code->count && code->index[next] == i)
                    value = mpq_get_d(code->value[next++]);
                cr_assert(numbers[i] == value, "layer %zu, head %zu, number %zu", l + 1, h + 1,
                          i + 1);
            }
            numbers += size;
        }
    }
}

void runner_init(runner *r, const f2l_net *net, const f2l_fsa *fsa)
{
    f2l_error err = {0};
    *r = (runner){.net = net, .fsa = fsa};
    cr_assert(f2l_exact_new(&r->exact, net, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_float_net_new(&r->rounded, net, f2l_format_find("bf16"),
                                f2l_schedule_find("every"), &err) == F2L_OK,
              "%s", err.text);
    r->joint = calloc(net->layers, sizeof *r->joint);
    r->numbers = calloc(f2l_float_size(r->rounded), sizeof *r->numbers);
}

void runner_clear(runner *r)
{
    f2l_exact_free(r->exact);
    f2l_float_net_free(r->rounded);
    free(r->joint);
    free(r->numbers);
}

void t4_run_word(runner *r, f2l_rng *rng, size_t length)
{
    f2l_error err = {0};
    size_t q = r->fsa->start, k = r->fsa->letters.count;
    cr_assert(f2l_exact_start(r->exact, r->joint, &err) == F2L_OK, "%s", err.text);
    f2l_float_start(r->rounded, r->numbers);
    cr_assert_str_eq(f2l_names_get(&r->net->labels, r->net->start),
                     f2l_fsa_label(r->fsa, r->net->label, q));
    for (size_t t = 0; t < length; t++) {
        size_t letter = f2l_rng_below(rng, k), label, layer = 0;
        uint32_t rounded;
        q = r->fsa->next[q * k + letter];
        cr_assert(f2l_exact_step(r->exact, r->joint, letter, &label, &layer, &err) == F2L_OK,
                  "letter %zu: %s", t + 1, err.text);
        cr_assert_str_eq(f2l_names_get(&r->net->labels, label),
                         f2l_fsa_label(r->fsa, r->net->label, q));
        cr_assert(f2l_float_step(r->rounded, r->numbers, letter, &rounded, &err) == F2L_OK &&
                  rounded == label);
        compare_states(r->net, r->joint, r->numbers);
    }
}
