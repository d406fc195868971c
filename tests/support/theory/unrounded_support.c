#include "tests/support/theory/unrounded_support.h"

f2l_format named_format(const char *name)
{
    const f2l_format *format = f2l_format_find(name);
    cr_assert_not_null(format, "%s", name);
    return *format;
}

f2l_schedule named_schedule(const char *name)
{
    const f2l_schedule *schedule = f2l_schedule_find(name);
    cr_assert_not_null(schedule, "%s", name);
    return *schedule;
}

void random_dyadic(mpq_t out, f2l_rng *rng, long most, unsigned places)
{
    const long x = (long)f2l_rng_below(rng, (uint64_t)(2 * most + 1)) - most;
    mpq_set_si(out, x, 1);
    mpq_div_2exp(out, out, (mp_bitcnt_t)f2l_rng_below(rng, places + 1));
}

void random_dyadics(f2l_qvec *out, f2l_rng *rng, size_t n, long most, unsigned places)
{
    mpq_t x;
    mpq_init(x);
    for (size_t i = 0; i < n; i++) {
        random_dyadic(x, rng, most, places);
        cr_assert_eq(f2l_qvec_push(out, (uint32_t)i, x, NULL), F2L_OK);
    }
    mpq_clear(x);
}

size_t other_numbers(const f2l_layer *layer, size_t code, const double *number)
{
    size_t wrong = 0;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_qvec *exact = &layer->code[code * layer->heads + h];
        size_t e = 0;
        for (size_t i = 0; i < layer->head[h].n * layer->head[h].d; i++) {
            const bool is = e < exact->count && exact->index[e] == i;
            wrong += *number++ != (is ? mpq_get_d(exact->value[e]) : 0);
            e += is;
        }
    }
    return wrong;
}

size_t chunked_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length)
{
    f2l_error err = {0};
    f2l_chunk *run;
    uint32_t got[F2L_CHUNK];
    size_t wrong = 0;
    cr_assert_eq(f2l_chunk_new(&run, rounded, &err), F2L_OK, "%s", err.text);
    f2l_chunk_start(run);
    for (size_t at = 0; at < length; at += F2L_CHUNK) {
        const size_t count = length - at < F2L_CHUNK ? length - at : F2L_CHUNK;
        cr_assert_eq(f2l_chunk_feed(run, got, letter + at, count, &err), F2L_OK, "%s", err.text);
        for (size_t t = 0; t < count; t++) {
            wrong += got[t] != label[at + t];
            for (size_t l = 0; l < net->layers; l++)
                wrong += other_numbers(&net->layer[l], joint[(at + t) * net->layers + l],
                                       f2l_chunk_reading(run, l, t));
        }
    }
    f2l_chunk_free(run);
    return wrong;
}

size_t stepped_differs(const f2l_net *net, const f2l_float_net *rounded, const uint32_t *letter,
                       const size_t *joint, const size_t *label, size_t length)
{
    double *number = calloc(f2l_float_size(rounded) + 1, sizeof *number);
    size_t wrong = 0;
    f2l_float_start(rounded, number);
    for (size_t t = 0; t < length; t++) {
        uint32_t got;
        const double *layer = number;
        cr_assert_eq(f2l_float_step(rounded, number, letter[t], &got, NULL), F2L_OK);
        wrong += got != label[t];
        for (size_t l = 0; l < net->layers; l++) {
            wrong += other_numbers(&net->layer[l], joint[t * net->layers + l], layer);
            layer += f2l_float_layer_size(rounded, l);
        }
    }
    free(number);
    return wrong;
}

size_t run_differs(const f2l_net *net, const f2l_format *format, const f2l_schedule *schedule,
                   uint64_t seed, size_t length)
{
    f2l_error err = {0};
    f2l_rng rng;
    f2l_exact *exact;
    f2l_float_net *rounded;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_exact_new(&exact, net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_float_net_new(&rounded, net, format, schedule, &err), F2L_OK, "%s", err.text);
    uint32_t *letter = calloc(length, sizeof *letter);
    size_t *joint = calloc((length + 1) * net->layers, sizeof *joint),
           *label = calloc(length, sizeof *label);
    size_t *now = calloc(net->layers, sizeof *now), failed;
    cr_assert_eq(f2l_exact_start(exact, now, &err), F2L_OK, "%s", err.text);
    for (size_t t = 0; t < length; t++) {
        letter[t] = (uint32_t)f2l_rng_below(&rng, net->letters.count);
        cr_assert_eq(f2l_exact_step(exact, now, letter[t], &label[t], &failed, &err), F2L_OK, "%s",
                     err.text);
        memcpy(joint + t * net->layers, now, net->layers * sizeof *now);
    }
    const bool chunked = schedule->kind == F2L_SCHEDULE_CHUNK64;
    const size_t wrong =
        (chunked ? chunked_differs : stepped_differs)(net, rounded, letter, joint, label, length);
    free(letter);
    free(joint);
    free(label);
    free(now);
    f2l_float_net_free(rounded);
    f2l_exact_free(exact);
    return wrong;
}

void find_unrounded(f2l_unrounded *u, const f2l_model *model, const f2l_format *format,
                    const f2l_schedule *schedule)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_unrounded_find(u, model, format, schedule, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert((u->verdict == F2L_OK) == (u->reason[0] == '\0'));
}
