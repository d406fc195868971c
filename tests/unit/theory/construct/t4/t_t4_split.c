/* Levels on several heads (T4.13): random products of permutation-reset automata below and above
 * others, with and without the split, compared by figures, tables, words and closures. */
#include "numeric/base/mem.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/theory/local_support.h"
#include "tests/support/theory/t4_support.h"
#include "theory/construct/t4/t4_level.h"

/* A machine whose letters permute its points or reset them: a product of others. */
typedef struct machine {
    size_t points, acts;
    uint32_t image[8][36]; /* [acts][points] */
} machine;

static const struct {
    size_t points, acts;
    uint32_t image[2][6];
} part[] = {{2, 1, {{1, 0}}},
            {3, 1, {{1, 2, 0}}},
            {3, 2, {{1, 2, 0}, {1, 0, 2}}},
            {4, 1, {{1, 2, 3, 0}}},
            {5, 1, {{1, 2, 3, 4, 0}}},
            {3, 1, {{0, 1, 2}}},
            {4, 1, {{1, 0, 2, 3}}},
            {6, 2, {{1, 2, 3, 4, 5, 0}, {5, 4, 3, 2, 1, 0}}}};
#define PARTS (sizeof part / sizeof *part)

/* Makes the product of parts p and q, with its points in an order that `rng` draws. */
static machine product_of(size_t p, size_t q, f2l_rng *rng)
{
    const size_t m = part[p].points, n = part[q].points;
    machine out = {.points = m * n, .acts = part[p].acts + part[q].acts};
    uint32_t name[36] = {0};
    for (uint32_t i = 0; i < m * n; i++) {
        const size_t j = f2l_rng_below(rng, i + 1);
        name[i] = name[j];
        name[j] = i;
    }
    for (size_t a = 0; a < out.acts; a++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) {
                const bool first = a < part[p].acts;
                const size_t x = first ? part[p].image[a][i] : i;
                const size_t y = first ? j : part[q].image[a - part[p].acts][j];
                out.image[a][name[i * n + j]] = name[x * n + y];
            }
    return out;
}

/* Draws what a letter does to the machine: two of its acts, a reset, or nothing. */
static void draw(uint32_t *map, const machine *of, f2l_rng *rng)
{
    const size_t kind = f2l_rng_below(rng, 10);
    const uint32_t to = (uint32_t)f2l_rng_below(rng, of->points);
    const size_t one = f2l_rng_below(rng, of->acts), two = f2l_rng_below(rng, of->acts);
    for (uint32_t i = 0; i < of->points; i++)
        map[i] = kind < 3   ? to
                 : kind < 5 ? i
                 : kind < 8 ? of->image[one][i]
                            : of->image[two][of->image[one][i]];
}

/* Makes an automaton of two components with k letters: the lower one acts by itself, and what the
 * upper one does depends on the letter and the lower state. */
static void cascade_of(f2l_fsa *out, const machine *lower, const machine *upper, size_t k,
                       f2l_rng *rng)
{
    const size_t m = upper->points;
    uint32_t below[36], above[36];
    size_t dropped;
    table_init(out, lower->points * m, k);
    for (size_t a = 0; a < k; a++) {
        draw(below, lower, rng);
        for (size_t x = 0; x < lower->points; x++) {
            draw(above, upper, rng);
            for (size_t y = 0; y < m; y++) table_set(out, x * m + y, a, below[x] * m + above[y]);
        }
    }
    cr_assert_eq(f2l_fsa_trim(out, &dropped, NULL), F2L_OK);
}

typedef struct counts {
    size_t plain, registers, delays, fewer; /* split levels by kind; levels with fewer factors */
    size_t refused, unharmed;               /* networks with a damaged head */
} counts;

/* Checks that level l has the same tables with one head, and no worse figures in the order of the
 * compiler. */
static void compare_level(counts *count, const f2l_t4_level *split, const f2l_t4_level *whole,
                          const f2l_layer *x, const f2l_layer *y)
{
    cr_assert(whole->heads == 1 && split->heads >= 1);
    cr_assert(split->factors <= whole->factors && split->householders <= whole->householders);
    cr_assert(split->width == whole->width && split->contexts == whole->contexts);
    if (split->heads == 1) return;
    size_t numbers = 0, most = 0;
    for (size_t h = 0; h < split->heads; h++) {
        const f2l_t4_held *held = &split->form[h];
        cr_assert(held->n == x->head[h].n && held->d == x->head[h].d);
        cr_assert(held->points > 1 && held->points < split->width);
        numbers += held->n * held->d;
        if (held->n > most) most = held->n;
    }
    const f2l_t4_held *one = &whole->form[0];
    const bool same_way = split->delays == whole->delays && split->saves == whole->saves;
    cr_assert(split->factors < whole->factors || numbers < one->n * one->d ||
              split->householders < whole->householders || !same_way);
    count->fewer += split->factors < whole->factors;
    count->delays += split->delays;
    count->registers += split->saves;
    count->plain += !split->delays && !split->saves;
    if (!same_way) return;
    cr_assert(split->factors < whole->factors || numbers <= one->n * one->d);
    cr_assert_leq(most, one->n);
    cr_assert(x->letters == y->letters && x->codes == y->codes && x->parts == y->parts &&
              x->symbols == y->symbols);
    cr_assert_arr_eq(x->part, y->part, x->codes * x->parts * sizeof *x->part);
    cr_assert_arr_eq(x->reads, y->reads, x->letters * sizeof *x->reads);
    cr_assert_arr_eq(x->symbol, y->symbol, x->symbol_at[x->letters] * sizeof *x->symbol);
}

/* Compares the network of the fixture with the one of whole levels. */
static void compare(counts *count, const local_fixture *f, bool gated)
{
    f2l_net whole;
    f2l_t4_report report = {0};
    f2l_t4_figures figures;
    f2l_net_size size, other;
    f2l_net_init(&whole);
    cr_assert_eq(f2l_t4_build_whole(&whole, &report, &f->cascade, &f->fsa, F2L_LABEL_STATES, gated,
                                    NULL, NULL),
                 F2L_OK);
    size_t at = 0, was = 0, splits = 0;
    for (size_t l = 0; l < report.levels; l++) {
        compare_level(count, &f->report.level[l], &report.level[l], &f->net.layer[at],
                      &whole.layer[was]);
        at += f->report.layers[l];
        was += report.layers[l];
        splits += f->report.level[l].heads > 1;
    }
    cr_assert(at == f->net.layers && f->report.splits == splits && report.splits == 0);
    f2l_net_measure(&size, &f->net);
    f2l_net_measure(&other, &whole);
    cr_assert(size.layers <= other.layers && size.householders <= other.householders);
    cr_assert_leq(size.factors_per_token, other.factors_per_token);
    cr_assert_eq(f2l_t4_measure_plan(&figures, &f->cascade, gated, NULL, NULL), F2L_OK);
    cr_assert(figures.layers == size.layers && figures.householders == size.householders &&
              figures.key_dim == size.key_dim);
    f2l_t4_report_clear(&report);
    f2l_net_clear(&whole);
}

/* Checks words, and the local closure exactly and, where it is small, in formats. */
static void prove(local_fixture *f, f2l_rng *rng)
{
    static const char *const format[] = {"bf16", "fp16", "fp32", "fp64"};
    runner r;
    cr_assert_eq(f2l_net_validate(&f->net, &f->err), F2L_OK, "%s", f->err.text);
    runner_init(&r, &f->net, &f->fsa);
    t4_run_word(&r, rng, 300);
    for (int word = 0; word < 5; word++) t4_run_word(&r, rng, 12);
    runner_clear(&r);
    cr_assert_eq(local_exact(f), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f->local.verdict, F2L_OK, "%s", f->local.reason);
    const size_t pairs = f->local.pairs;
    for (size_t i = 0; i < 4 && pairs < 20000; i++) {
        cr_assert_eq(local_in(f, format[i]), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s: %s", format[i], f->local.reason);
        cr_assert_eq(f->local.pairs, pairs);
    }
}

/* Returns the first layer of a level on several heads, or NULL. */
static f2l_layer *split_layer(local_fixture *f)
{
    f2l_layer *layer = f->net.layer;
    for (size_t l = 0; l < f->report.levels; layer += f->report.layers[l++])
        if (f->report.level[l].heads > 1) return layer;
    return NULL;
}

/* Leaves out the first factor of every letter on head h; returns whether there was one. */
static bool damage(f2l_layer *layer, size_t h)
{
    bool done = false;
    for (size_t x = 0; x < layer->letters; x++) {
        f2l_transition *t = &layer->head[h].letter[x];
        if (t->factors == 0) continue;
        done = true;
        mpq_set_ui(t->factor[0].beta, 0, 1);
    }
    return done;
}

/* Damages a head of a split level. The closure refuses the network unless no word reaches a state
 * in which the head's first factors change anything. */
static void refuse(local_fixture *f, size_t seed, counts *count)
{
    f2l_layer *layer = split_layer(f);
    if (layer == NULL || !damage(layer, seed % 2)) return;
    cr_assert_eq(local_exact(f), F2L_OK, "%s", f->err.text);
    count->refused += f->local.verdict != F2L_OK;
    count->unharmed += f->local.verdict == F2L_OK;
}

static void check(counts *count, const f2l_fsa *fsa, size_t seed, f2l_rng *rng)
{
    static const f2l_cascade_kind kind[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED};
    for (size_t i = 0; i < (fsa->states.count < 10 ? 4 : 2); i++) {
        local_fixture f;
        f2l_buf text;
        f2l_buf_init(&text);
        cr_assert_eq(f2l_fsa_write(&text, fsa, NULL), F2L_OK);
        fsa_from_text(&f.fsa, text.data);
        f2l_buf_clear(&text);
        local_build(&f, kind[i / 2], F2L_LABEL_STATES, i % 2);
        compare(count, &f, i % 2);
        prove(&f, rng);
        refuse(&f, seed, count);
        local_clear(&f);
    }
}

/* Draws a product below or above a flip-flop or a machine of three points, of few states, so that
 * the cascade is small. */
static void draw_cascade(f2l_fsa *out, f2l_rng *rng, size_t seed)
{
    const machine two = {.points = 2, .acts = 1, .image = {{1, 0}}};
    const machine three = {.points = 3, .acts = 1, .image = {{0, 1, 2}}};
    const machine *other = seed % 3 ? &two : &three;
    machine product;
    do {
        const size_t first = f2l_rng_below(rng, PARTS);
        product = product_of(first, f2l_rng_below(rng, 3), rng);
    } while (product.points * other->points > 18);
    cascade_of(out, seed % 2 ? &product : other, seed % 2 ? other : &product, 3 + seed % 3, rng);
}

Test(t4_split, random_products)
{
    const size_t share = brute_force_is_short() ? 3 : 1;
    counts count = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, 411, 0);
    for (size_t seed = 0; seed < 60 / share; seed++) {
        f2l_fsa fsa;
        draw_cascade(&fsa, &rng, seed);
        check(&count, &fsa, seed, &rng);
        f2l_fsa_clear(&fsa);
    }
    printf("split levels: %zu plain, %zu with registers, %zu with delays; fewer factors on %zu; "
           "%zu refused, %zu unharmed\n",
           count.plain, count.registers, count.delays, count.fewer, count.refused, count.unharmed);
    cr_assert(count.plain > 30 / share && count.registers > 10 / share &&
              count.delays > 10 / share && count.fewer > 50 / share &&
              count.refused > 10 * count.unharmed);
}

/* Forms of the only level of a product with resets to all of its points. */
static void check_flat(size_t p, size_t q, bool gated, const char *forms, size_t factors)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 412, 0);
    const machine of = product_of(p, q, &rng);
    local_fixture f;
    table_init(&f.fsa, of.points, of.acts + of.points);
    for (size_t s = 0; s < of.points; s++) {
        for (size_t a = 0; a < of.acts; a++) table_set(&f.fsa, s, a, of.image[a][s]);
        for (size_t a = 0; a < of.points; a++) table_set(&f.fsa, s, of.acts + a, a);
    }
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, gated);
    cr_assert_eq(f.report.levels, 1);
    const f2l_t4_level *level = &f.report.level[0];
    char text[200] = "";
    for (size_t h = 0; h < level->heads; h++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %zu", h ? ", " : "",
                 f2l_t4_form_name(level->form[h].form), level->form[h].points);
    cr_assert_str_eq(text, forms, "%s", text);
    cr_assert_eq(level->factors, factors, "%zu", level->factors);
    prove(&f, &rng);
    local_clear(&f);
}

Test(t4_split, forms)
{
    check_flat(0, 0, false, "scalar 2, scalar 2", 2);
    check_flat(0, 1, false, "roots 3, scalar 2", 5);
    check_flat(0, 1, true, "doubled 3, scalar 2", 3);
    check_flat(1, 1, false, "roots 3, roots 3", 8);
    check_flat(0, 5, false, "write 3, scalar 2", 2);
    check_flat(3, 1, true, "doubled 3, roots 4", 5);
    /* One head writes 9 points that nothing permutes by one factor, two heads by two. */
    check_flat(5, 5, false, "write 9", 1);
}

static size_t splits_of(const f2l_fsa *fsa, const f2l_cascade *c, bool gated)
{
    f2l_net net;
    f2l_t4_report report = {0};
    f2l_net_init(&net);
    cr_assert_eq(f2l_t4_build(&net, &report, c, fsa, F2L_LABEL_STATES, gated, NULL, NULL), F2L_OK);
    const size_t splits = report.splits;
    f2l_t4_report_clear(&report);
    f2l_net_clear(&net);
    return splits;
}

/* Draws the product of a bit and a cycle of 3, and a bit above it, until a level is split with
 * gates as well as without. */
static void draw_small(f2l_fsa *out, f2l_cascade *c, f2l_rng *rng)
{
    const machine two = {.points = 2, .acts = 1, .image = {{1, 0}}};
    for (;;) {
        const machine product = product_of(0, 1, rng);
        cascade_of(out, &product, &two, 3, rng);
        cr_assert_eq(f2l_cascade_build(c, out, F2L_CASCADE_HOLONOMY, 0, NULL, NULL), F2L_OK);
        if (splits_of(out, c, false) > 0 && splits_of(out, c, true) > 0) return;
        f2l_cascade_clear(c);
        f2l_fsa_clear(out);
    }
}

/* Labels of transitions: the last level keeps the old coordinate, on all of its heads. */
Test(t4_split, labels_edges)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 413, 0);
    size_t splits = 0;
    for (size_t seed = 0; seed < 20; seed++) {
        const machine product = product_of(0, f2l_rng_below(&rng, 3), &rng);
        const machine two = {.points = 2, .acts = 1, .image = {{1, 0}}};
        local_fixture f;
        cascade_of(&f.fsa, &two, &product, 4, &rng);
        const size_t edges = f.fsa.states.count * f.fsa.letters.count;
        f.fsa.edge_output = f2l_calloc(edges, sizeof *f.fsa.edge_output);
        for (size_t e = 0; e < edges; e++) {
            char name[32];
            size_t index;
            const int size = snprintf(name, sizeof name, "%zu", e);
            cr_assert_eq(f2l_names_add(&f.fsa.edge_outputs, name, (size_t)size, &index, NULL),
                         F2L_OK);
            f.fsa.edge_output[e] = (uint32_t)index;
        }
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_EDGES, seed % 2);
        cr_assert_eq(local_exact(&f), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.local.verdict, F2L_OK, "%s", f.local.reason);
        splits += f.report.splits;
        local_clear(&f);
    }
    cr_assert_gt(splits, 10, "%zu", splits);
}

/* Every budget of steps gives a network that is right, or none. */
Test(t4_split, budgets)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_cascade c;
    size_t stopped = 0, split = 0;
    f2l_rng_init(&rng, 414, 0);
    draw_small(&fsa, &c, &rng);
    for (uint64_t limit = 100; limit < 400000; limit += limit / 16) {
        f2l_effort effort = {.limit = limit};
        const f2l_task task = {.effort = &effort};
        f2l_net net;
        f2l_t4_report report = {0};
        f2l_error err = {0};
        f2l_net_init(&net);
        const f2l_status status =
            f2l_t4_build(&net, &report, &c, &fsa, F2L_LABEL_STATES, false, &task, &err);
        cr_assert(status == F2L_OK || status == F2L_UNKNOWN, "%s", f2l_status_name(status));
        cr_assert_leq(effort.spent, limit);
        stopped += status == F2L_UNKNOWN;
        split += status == F2L_OK && report.splits > 0;
        f2l_t4_report_clear(&report);
        f2l_net_clear(&net);
    }
    cr_assert(stopped > 10 && split > 10, "%zu stopped, %zu split", stopped, split);
    f2l_cascade_clear(&c);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(t4_split, survives_every_failed_allocation)
{
    f2l_fsa fsa;
    f2l_cascade c;
    f2l_rng rng;
    size_t failures = 0, splits = 0;
    f2l_rng_init(&rng, 415, 0);
    draw_small(&fsa, &c, &rng);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_net net;
        f2l_t4_report report = {0};
        f2l_error err = {0};
        f2l_net_init(&net);
        f2l_mem_fail_after(n, n % 2 == 0);
        const f2l_status status =
            f2l_t4_build(&net, &report, &c, &fsa, F2L_LABEL_STATES, n % 3 == 0, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        failures += status == F2L_ENOMEM;
        splits += report.splits;
        cr_assert(status == F2L_OK || (net.layers == 0 && report.level == NULL));
        f2l_t4_report_clear(&report);
        f2l_net_clear(&net);
    }
    cr_assert(failures > 100 && splits > 0, "%zu failures, %zu splits", failures, splits);
    f2l_cascade_clear(&c);
    f2l_fsa_clear(&fsa);
}
#endif
