/* The closures of chunk64 run in integers where they can. Here the same networks have all states
 * and values times 2^-60, which has too many places for integers, so that rationals are used: sets
 * and bounds must be the same, times 2^-60. */
#include "models/network/net/net.h"
#include "numeric/base/mem.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_rows.h"
#include "tests/support/theory/unrounded_support.h"
#include "theory/certify/unrounded/unrounded.h"
#include <math.h>

#define SEED 20261122
#define SHIFT 60

/* Three kinds of heads. With reflections their sets are finite; with values, or with any raw
 * factors, mostly not, and then a bound of few bits ends the search. */
enum { REFLECTIONS, VALUES, RAW, KINDS };

typedef struct shape {
    int kind;
    size_t n, d, letters, codes, factors;
} shape;

/* Draws a raw factor, or the reflection in e_i - e_j or in e_i. */
static void random_factor(f2l_factor *out, f2l_rng *rng, const shape *s)
{
    mpq_t x;
    mpq_init(x);
    if (s->kind == RAW) {
        mpq_set_ui(out->beta, 1, 2);
        while (out->u.count == 0) random_dyadics(&out->u, rng, s->n, 1, 1);
    } else {
        const size_t i = f2l_rng_below(rng, s->n), j = f2l_rng_below(rng, s->n);
        mpq_set_ui(out->beta, i == j ? 2 : 1, 1);
        mpq_set_ui(x, 1, 1);
        cr_assert_eq(f2l_qvec_push(&out->u, (uint32_t)(i < j ? i : j), x, NULL), F2L_OK);
        mpq_set_si(x, -1, 1);
        if (i != j)
            cr_assert_eq(f2l_qvec_push(&out->u, (uint32_t)(i < j ? j : i), x, NULL), F2L_OK);
    }
    if (s->kind != REFLECTIONS && f2l_rng_below(rng, 3) == 0)
        random_dyadics(&out->c, rng, s->d, 2, 1);
    mpq_clear(x);
}

static void build(f2l_net *net, f2l_rng *rng, const shape *s)
{
    size_t index;
    char name[8];
    f2l_net_init(net);
    memcpy(net->fsa_sha256, SAMPLE_SHA, sizeof net->fsa_sha256);
    net->label = F2L_LABEL_STATES;
    for (size_t a = 0; a < s->letters; a++) {
        const int size = snprintf(name, sizeof name, "x%zu", a);
        cr_assert_eq(f2l_names_add(&net->letters, name, (size_t)size, &index, NULL), F2L_OK);
    }
    cr_assert_eq(f2l_names_add(&net->labels, "l", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    f2l_layer *layer = &net->layer[0];
    cr_assert_eq(f2l_layer_set_heads(layer, s->letters, 1, NULL), F2L_OK);
    f2l_head *head = &layer->head[0];
    head->n = s->n;
    head->d = s->d;
    head->raw = true;
    for (size_t a = 0; a < s->letters; a++) {
        const size_t factors = f2l_rng_below(rng, s->factors + 1);
        cr_assert_eq(f2l_transition_set_factors(&head->letter[a], factors, NULL), F2L_OK);
        for (size_t m = 0; m < factors; m++) random_factor(&head->letter[a].factor[m], rng, s);
    }
    random_dyadics(&head->initial, rng, s->n * s->d, 3, 1);
    cr_assert_eq(f2l_layer_set_codes(layer, s->codes, 1, false, NULL), F2L_OK);
    for (size_t c = 0; c < s->codes; c++) {
        random_dyadics(&layer->code[c], rng, s->n * s->d, 3, 1);
        layer->symbol[c] = 0;
    }
}

static void shrink_vector(f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) mpq_div_2exp(v->value[i], v->value[i], SHIFT);
}

static void shrink(f2l_net *net)
{
    f2l_layer *layer = &net->layer[0];
    f2l_head *head = &layer->head[0];
    shrink_vector(&head->initial);
    for (size_t c = 0; c < layer->codes; c++) shrink_vector(&layer->code[c]);
    for (size_t a = 0; a < layer->letters; a++)
        for (size_t m = 0; m < head->letter[a].factors; m++)
            shrink_vector(&head->letter[a].factor[m].c);
}

static void find(f2l_unrounded *u, const f2l_net *net, const f2l_format *format,
                 const f2l_schedule *schedule)
{
    f2l_net model;
    f2l_net_init(&model);
    model = *net; /* borrowed */
    find_unrounded(u, &model, format, schedule);
}

static bool same_vector(const f2l_qvec *a, f2l_qvec *shrunk, bool moves)
{
    bool same = a->count == shrunk->count;
    for (size_t i = 0; i < a->count && same; i++) {
        if (moves) mpq_mul_2exp(shrunk->value[i], shrunk->value[i], SHIFT);
        same = a->index[i] == shrunk->index[i] && mpq_equal(a->value[i], shrunk->value[i]) != 0;
    }
    return same;
}

static void compare_sets(const f2l_unrounded_set *a, const f2l_unrounded_set *shrunk)
{
    cr_assert_eq(a->count, shrunk->count);
    for (size_t i = 0; i < a->count; i++) {
        cr_assert_eq(a->column[i], shrunk->column[i]);
        cr_assert(
            same_vector(&a->vector[i], &shrunk->vector[i], a->column[i] < F2L_UNROUNDED_IMAGE),
            "%zu", i);
    }
}

/* Returns whether the bound is linear in states and values, so that it is scaled too; the other
 * bounds stay. */
static bool has_states(const char *what)
{
    static const char *const moved[] = {"value",    "beta-value", "u-sums",     "new",
                                        "new-sums", "state",      "state-sums", "output-sums"};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        if (strcmp(what, moved[i]) == 0) return true;
    return false;
}

static void compare_bounds(const f2l_unrounded *a, f2l_unrounded *shrunk)
{
    cr_assert_eq(a->bounds, shrunk->bounds);
    for (size_t i = 0; i < a->bounds; i++) {
        const f2l_unrounded_bound *x = &a->bound[i];
        f2l_unrounded_bound *y = &shrunk->bound[i];
        cr_assert_str_eq(x->what, y->what);
        if (has_states(x->what)) mpq_mul_2exp(y->most, y->most, SHIFT);
        cr_assert(mpq_equal(x->most, y->most) != 0, "%s", x->what);
        if (mpq_sgn(x->most) != 0)
            cr_assert_eq(y->places - x->places, has_states(x->what) ? SHIFT : 0, "%s", x->what);
    }
}

/* Returns a format whose range of exponents never matters. */
static f2l_format wide_format(int precision)
{
    f2l_format format = named_format("fp32");
    format.name = "a wide format";
    format.precision = precision;
    return format;
}

static void check(f2l_rng *rng, const shape *s, int precision, size_t *sure, size_t *unsure)
{
    f2l_net net;
    f2l_unrounded plain, shrunk;
    const f2l_format format = wide_format(precision);
    const f2l_schedule schedule = named_schedule("chunk64");
    build(&net, rng, s);
    f2l_unrounded_init(&plain);
    f2l_unrounded_init(&shrunk);
    if (f2l_net_validate(&net, NULL) == F2L_OK) {
        find(&plain, &net, &format, &schedule);
        shrink(&net);
        find(&shrunk, &net, &format, &schedule);
        cr_assert_eq(plain.verdict, shrunk.verdict, "%s, %s", plain.reason, shrunk.reason);
        compare_bounds(&plain, &shrunk);
        if (plain.verdict == F2L_OK) {
            cr_assert_eq(plain.sets, 1);
            compare_sets(&plain.set[0], &shrunk.set[0]);
        }
        ++*(plain.verdict == F2L_OK ? sure : unsure);
    }
    f2l_unrounded_clear(&plain);
    f2l_unrounded_clear(&shrunk);
    f2l_net_clear(&net);
}

Test(unrounded_integers, same_as_in_rationals)
{
    f2l_rng rng;
    size_t sure = 0, unsure = 0;
    f2l_rng_init(&rng, SEED, 0);
    for (size_t i = 0; i < 300; i++) {
        const int kind = (int)(i % KINDS);
        const shape s = {.kind = kind,
                         .n = 1 + f2l_rng_below(&rng, kind == VALUES ? 2 : 4),
                         .d = 1 + f2l_rng_below(&rng, 2),
                         .letters = 1 + f2l_rng_below(&rng, 3),
                         .codes = 1 + f2l_rng_below(&rng, 3),
                         .factors = 3};
        check(&rng, &s, kind == REFLECTIONS ? 24 : 5, &sure, &unsure);
    }
    cr_log_info("%zu sure, %zu unsure", sure, unsure);
    cr_assert_gt(sure, 50);
    cr_assert_gt(unsure, 50);
}

#ifdef F2L_MEM_FAILURES
/* Too little memory for integers is not a failure: rationals find the same sets. */
Test(unrounded_integers, memory)
{
    static const shape s = {
        .kind = REFLECTIONS, .n = 4, .d = 1, .letters = 3, .codes = 2, .factors = 3};
    const f2l_format format = wide_format(24);
    const f2l_schedule schedule = named_schedule("chunk64");
    f2l_rng rng;
    f2l_net model;
    f2l_unrounded all, u;
    size_t failed = 0;
    f2l_rng_init(&rng, SEED, 1);
    f2l_net_init(&model);
    build(&model, &rng, &s);
    f2l_unrounded_init(&all);
    f2l_unrounded_init(&u);
    find(&all, &model, &format, &schedule);
    cr_assert_eq(all.verdict, F2L_OK, "%s", all.reason);
    for (size_t n = 1; n < 1500; n++) {
        f2l_mem_fail_after(n, false);
        const f2l_status status = f2l_unrounded_find(&u, &model, &format, &schedule, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (status == F2L_OK && u.verdict == F2L_OK), "%zu", n);
        failed += status == F2L_ENOMEM;
        for (size_t i = 0; status == F2L_OK && i < u.set[0].count; i++)
            cr_assert(same_vector(&all.set[0].vector[i], &u.set[0].vector[i], false), "%zu: %zu", n,
                      i);
    }
    cr_log_info("%zu vectors, %zu failures", all.set[0].count, failed);
    cr_assert_gt(failed, 100);
    f2l_unrounded_clear(&u);
    f2l_unrounded_clear(&all);
    f2l_net_clear(&model);
}
#endif

static bool has_few_exponents(const char *format)
{
    return strcmp(format, "fp16") == 0 || strcmp(format, "e4m3") == 0 ||
           strcmp(format, "e5m2") == 0;
}

/* Returns whether states may be 2^SHIFT times smaller without another verdict: formats of few
 * exponents hold states with a scale only, and one that follows their size; a ring holds multiples
 * of 2^-10 (EN.14). */
static bool may_shrink(const f2l_schedule *schedule, const char *format)
{
    const f2l_schedule_store *store = &schedule->store;
    const bool narrow = has_few_exponents(format);
    /* A scale for the numbers of fp32 is near the least power of two. */
    const bool low = store->scale_format != NULL &&
                     (store->format == NULL || has_few_exponents(store->scale_format));
    return !narrow && !low && !store->ring && !schedule->handover && !schedule->output &&
           store->scale != F2L_SCALE_STATIC &&
           (store->format == NULL || store->scale != F2L_SCALE_NONE);
}

Test(unrounded_integers, rows_of_the_cross_product_as_in_rationals)
{
    drawn_rows rows;
    f2l_rng rng;
    size_t sure = 0, unsure = 0;
    f2l_rng_init(&rng, SEED, 1);
    draw_rows(&rows, SEED);
    for (size_t i = 0; i < rows.count; i++) {
        char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
        f2l_schedule schedule;
        f2l_format format;
        cr_assert_eq(f2l_schedule_parse(&schedule, name, rows.row[i].schedule, NULL), F2L_OK);
        cr_assert_eq(f2l_format_parse(&format, format_name, rows.row[i].format, NULL), F2L_OK);
        for (size_t k = 0; k < 12 && may_shrink(&schedule, rows.row[i].format); k++) {
            const shape s = {.kind = (int)(k % KINDS),
                             .n = 3,
                             .d = 1 + k % 2,
                             .letters = 2,
                             .codes = 2,
                             .factors = 2};
            f2l_net net;
            f2l_unrounded plain, shrunk;
            f2l_unrounded_init(&plain);
            f2l_unrounded_init(&shrunk);
            build(&net, &rng, &s);
            if (f2l_net_validate(&net, NULL) == F2L_OK) {
                find(&plain, &net, &format, &schedule);
                shrink(&net);
                find(&shrunk, &net, &format, &schedule);
                cr_assert_eq(plain.verdict, shrunk.verdict, "%s in %s: %s, %s",
                             rows.row[i].schedule, rows.row[i].format, plain.reason, shrunk.reason);
                ++*(plain.verdict == F2L_OK ? &sure : &unsure);
            }
            f2l_unrounded_clear(&plain);
            f2l_unrounded_clear(&shrunk);
            f2l_net_clear(&net);
        }
    }
    cr_log_info("%zu sure, %zu unsure", sure, unsure);
    cr_assert_gt(sure, 50);
    cr_assert_gt(unsure, 50);
    drawn_rows_clear(&rows);
}
