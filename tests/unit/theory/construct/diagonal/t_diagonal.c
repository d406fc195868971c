/* Diagonal targets: automata that compile into them, checks of the results, and refusals. */
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "tests/support/theory/diagonal_support.h"

#define SEED 606

/* Runs exact steps only, since floating point cannot hold a field's numbers. */
static void run_exactly(const diagonal_fixture *f, f2l_rng *rng, size_t length)
{
    f2l_exact *run;
    f2l_error err = {0};
    size_t *joint = calloc(f->net.layers, sizeof *joint);
    size_t q = f->fsa.start;
    cr_assert_eq(f2l_exact_new(&run, &f->net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_exact_start(run, joint, &err), F2L_OK);
    for (size_t t = 0; t < length; t++) {
        const size_t a = f2l_rng_below(rng, f->fsa.letters.count);
        size_t label, layer = 0;
        q = f->fsa.next[q * f->fsa.letters.count + a];
        cr_assert_eq(f2l_exact_step(run, joint, a, &label, &layer, &err), F2L_OK,
                     "letter %zu, layer %zu: %s", t + 1, layer + 1, err.text);
        cr_assert_str_eq(f2l_names_get(&f->net.labels, label),
                         f2l_fsa_label(&f->fsa, F2L_LABEL_STATES, q));
    }
    f2l_exact_free(run);
    free(joint);
}

/* Checks the network by the closure and on random words; in bf16 state for state if all numbers are
 * rational. */
static void check_right(diagonal_fixture *f, f2l_rng *rng, size_t words)
{
    runner r;
    diagonal_close(f);
    /* An automaton of one state has no level to close over. */
    if (f->cascade.levels > 0) cr_assert_eq(f->local.verdict, F2L_OK, "%s", f->local.reason);
    for (size_t w = 0; w < words; w++) run_exactly(f, rng, 40);
    if (!f2l_net_is_plain(&f->net)) return;
    runner_init(&r, &f->net, &f->fsa);
    for (size_t w = 0; w < words; w++) t4_run_word(&r, rng, 40);
    runner_clear(&r);
}

/* Checks that every head has at most one factor for a letter, and no gates. */
static void check_one_reflection(const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            for (size_t a = 0; a < net->layer[l].letters; a++) {
                const f2l_transition *t = &net->layer[l].head[h].letter[a];
                cr_assert(t->factors <= 1 && mpq_cmp_ui(t->gate, 1, 1) == 0,
                          "layer %zu, head %zu, letter %zu", l + 1, h + 1, a + 1);
            }
}

/* Checks a solvable automaton. */
static void check_one(diagonal_fixture *f, f2l_rng *rng, size_t words)
{
    cr_assert_eq(diagonal_build(f, F2L_DIAGONAL_ONE), F2L_OK, "%s", f->err.text);
    check_right(f, rng, words);
    check_one_reflection(&f->net);
}

typedef struct expected {
    const char *kind;
    size_t numbers;
    uint64_t a, b;
    bool real, solvable;
    size_t layers;     /* layers of the least target; 0: not checked */
    const char *group; /* name in the refusal of real targets */
} expected;

static const expected families[] = {
    {"parity", 0, 0, 0, true, true, 1, NULL},
    {"cyclic", 1, 2, 0, true, true, 1, NULL},
    {"cyclic", 1, 3, 0, false, true, 1, "Z_3"},
    {"cyclic", 1, 4, 0, true, true, 2, NULL},
    {"cyclic", 1, 5, 0, false, true, 1, "Z_5"},
    {"cyclic", 1, 6, 0, false, true, 1, "Z_6"},
    {"cyclic", 1, 8, 0, true, true, 3, NULL},
    {"symmetric", 1, 3, 0, false, true, 2, "S_3"},
    {"symmetric", 1, 4, 0, false, true, 3, "S_4"},
    {"symmetric", 1, 5, 0, false, false, 0, "S_5"},
    {"alternating", 1, 4, 0, false, true, 2, "A_4"},
    {"alternating", 1, 5, 0, false, false, 0, "A_5"},
    {"dihedral", 1, 4, 0, true, true, 0, NULL},
    {"quaternion", 0, 0, 0, true, true, 0, NULL},
    {"tomita", 1, 1, 0, true, true, 0, NULL},
    {"tomita", 1, 2, 0, true, true, 0, NULL},
    {"tomita", 1, 3, 0, true, true, 0, NULL},
    {"tomita", 1, 4, 0, true, true, 0, NULL},
    {"tomita", 1, 5, 0, true, true, 1, NULL},
    {"tomita", 1, 6, 0, false, true, 1, "Z_3"},
    {"tomita", 1, 7, 0, true, true, 0, NULL},
    {"flipflop", 0, 0, 0, true, true, 1, NULL},
    {"definite", 1, 3, 0, true, true, 0, NULL},
    {"dyck", 2, 1, 3, true, true, 0, NULL},
    {"dyck", 2, 2, 2, true, true, 0, NULL},
    {"counter", 1, 4, 0, true, true, 0, NULL},
    {"modarith", 1, 3, 0, false, true, 0, ""},
    {"elevator", 1, 5, 0, true, true, 0, NULL},
    {"modarith-prec", 1, 3, 0, false, true, 0, "Z_3"},
    {"transformations", 1, 3, 0, false, true, 0, "S_3"},
    {"transformations", 1, 4, 0, false, true, 0, "S_4"},
    {"transformations", 1, 5, 0, false, false, 0, "S_5"},
};

static void check_family(const expected *e, f2l_diagonal_target target, f2l_rng *rng)
{
    diagonal_fixture f;
    const bool real = target == F2L_DIAGONAL_REAL, good = real ? e->real : e->solvable;
    diagonal_family(&f, e->kind, e->numbers, e->a, e->b);
    const f2l_status status = diagonal_build(&f, target);
    printf("%s %zu %s: %s, %zu layers, %s\n", e->kind, (size_t)e->a, real ? "real" : "complex",
           f2l_status_name(status), f.net.layers, f.err.text);
    cr_assert_eq(status, good ? F2L_OK : F2L_EDOMAIN, "%s: %s", e->kind, f.err.text);
    if (good) {
        check_right(&f, rng, 10);
        cr_assert_leq(f2l_diagonal_classify(&f.net), e->real ? F2L_CLASS_REAL : F2L_CLASS_COMPLEX);
        if (e->layers)
            cr_assert_eq(f.net.layers, e->layers, "%s: %zu layers", e->kind, f.net.layers);
    } else {
        cr_assert(f.net.layers == 0 && f.how.level == NULL && f.report.level == NULL);
        cr_assert(strstr(f.err.text, e->group), "%s", f.err.text);
        cr_assert(strstr(f.err.text, real ? "no 2-group" : "not solvable"), "%s", f.err.text);
    }
    if (e->solvable && !real) {
        check_one(&f, rng, 10);
        printf("%s %zu one reflection: %zu layers\n", e->kind, (size_t)e->a, f.net.layers);
    }
    diagonal_clear(&f);
}

Test(diagonal, families)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        check_family(&families[i], F2L_DIAGONAL_REAL, &rng);
        check_family(&families[i], F2L_DIAGONAL_COMPLEX, &rng);
    }
}

/* Returns whether some word acts as a cycle of three states, by listing at most 27 maps. */
static bool turns_three(const f2l_fsa *fsa)
{
    bool seen[27] = {false};
    size_t queue[27], count = 0;
    seen[0 * 9 + 1 * 3 + 2] = true;
    queue[count++] = 0 * 9 + 1 * 3 + 2;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < 2; a++) {
            const size_t m = queue[i], at[3] = {m / 9, m / 3 % 3, m % 3};
            const size_t next = fsa->next[at[0] * 2 + a] * 9 + fsa->next[at[1] * 2 + a] * 3 +
                                fsa->next[at[2] * 2 + a];
            if (!seen[next]) queue[count++] = next;
            seen[next] = true;
        }
    return seen[1 * 9 + 2 * 3 + 0] || seen[2 * 9 + 0 * 3 + 1];
}

Test(diagonal, all_automata_of_three_states_and_two_letters)
{
    f2l_rng rng;
    size_t real = 0, complex = 0, delays = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t code = 0; code < 729; code++) {
        diagonal_fixture f;
        table_init(&f.fsa, 3, 2);
        for (size_t i = 0, rest = code; i < 6; i++, rest /= 3) f.fsa.next[i] = (uint32_t)(rest % 3);
        diagonal_open(&f);
        if (f.fsa.states.count < 3) {
            diagonal_clear(&f);
            continue;
        }
        const bool three = turns_three(&f.fsa);
        const f2l_status status = diagonal_build(&f, F2L_DIAGONAL_REAL);
        cr_assert_eq(status, three ? F2L_EDOMAIN : F2L_OK, "%zu: %s", code, f.err.text);
        if (three) cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_COMPLEX), F2L_OK, "%s", f.err.text);
        check_right(&f, &rng, 3);
        cr_assert_eq(f2l_diagonal_classify(&f.net) == F2L_CLASS_COMPLEX, three);
        real += !three;
        complex += three;
        delays += f.report.delays;
        check_one(&f, &rng, 3);
        diagonal_clear(&f);
    }
    printf("%zu real, %zu complex, %zu delays\n", real, complex, delays);
    cr_assert(real > 300 && complex > 50 && delays > 100);
}

/* For random automata the answer agrees with their groups. */
Test(diagonal, random_automata)
{
    f2l_rng rng;
    size_t built = 0, refused = 0;
    f2l_rng_init(&rng, SEED, 2);
    for (size_t i = 0; i < 120; i++) {
        diagonal_fixture f;
        bool two = true;
        table_random(&f.fsa, f2l_rng_below(&rng, 4) + 3, f2l_rng_below(&rng, 2) + 2, &rng);
        diagonal_open(&f);
        for (size_t k = 0; k < f.groups.count; k++) {
            const unsigned long order = strtoul(f.groups.component[k].order, NULL, 10);
            two = two && (order & (order - 1)) == 0;
        }
        const f2l_status real = diagonal_build(&f, F2L_DIAGONAL_REAL);
        cr_assert_eq(real, two ? F2L_OK : F2L_EDOMAIN, "%s", f.err.text);
        const f2l_status status = real == F2L_OK ? real : diagonal_build(&f, F2L_DIAGONAL_COMPLEX);
        if (status == F2L_OK) {
            check_right(&f, &rng, 3);
            check_one(&f, &rng, 3);
            built++;
        }
        refused += real != F2L_OK;
        diagonal_clear(&f);
    }
    printf("%zu built, %zu not real\n", built, refused);
    cr_assert(built > 60 && refused > 20);
}

/* Permutations of points 0 .. n-1, and resets to two of them, which generate the level's group. */
typedef struct wreath {
    size_t n, letters;
    const char *image[3];
    size_t reset[2];
    bool real;
    size_t layers; /* fewest layers of the two diagonal targets */
} wreath;

static const wreath wreaths[] = {
    {8, 3, {"10234567", "23014567", "45670123"}, {0, 5}, false, 0}, /* also merges two points */
    {8, 3, {"10234567", "23014567", "45670123"}, {0, 5}, true, 3},
    {9, 2, {"120345678", "345678012"}, {0, 4}, false, 2},
    {9, 1, {"123456780"}, {0, 4}, false, 2},
    {4, 2, {"1023", "0132"}, {0, 2}, true, 1},
    {3, 1, {"102"}, {0, 2}, true, 1},
    {6, 2, {"120345", "012453"}, {0, 3}, false, 1},
    {6, 2, {"120345", "345012"}, {1, 5}, false, 2},
    {6, 2, {"103254", "234501"}, {1, 5}, false, 0},
};

static void build_wreath(diagonal_fixture *f, const wreath *w)
{
    table_init(&f->fsa, w->n, w->letters + 2);
    for (size_t a = 0; a < w->letters + 2; a++)
        for (size_t q = 0; q < w->n; q++)
            table_set(&f->fsa, q, a,
                      a < w->letters ? (size_t)(w->image[a][q] - '0') : w->reset[a - w->letters]);
}

Test(diagonal, groups_by_blocks_and_by_series)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 3);
    for (size_t i = 0; i < sizeof wreaths / sizeof *wreaths; i++) {
        const wreath *w = &wreaths[i];
        diagonal_fixture f;
        build_wreath(&f, w);
        if (i == 0) table_set(&f.fsa, 7, 0, 6);
        diagonal_open(&f);
        const f2l_status real = diagonal_build(&f, F2L_DIAGONAL_REAL);
        const char *group = f.groups.component[0].name;
        if (i > 0)
            cr_assert_eq(real, w->real ? F2L_OK : F2L_EDOMAIN, "%zu, %s: %s", i, group, f.err.text);
        if (real != F2L_OK)
            cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_COMPLEX), F2L_OK, "%s", f.err.text);
        printf("%s: %zu levels, %zu layers\n", group, f.cascade.levels, f.net.layers);
        if (w->layers)
            cr_assert_eq(f.net.layers, w->layers, "%zu, %s: %zu layers", i, group, f.net.layers);
        check_right(&f, &rng, 20);
        check_one(&f, &rng, 20);
        diagonal_clear(&f);
    }
}

/* A network with one changed symbol is not proved. */
Test(diagonal, a_changed_symbol_is_noticed)
{
    size_t noticed = 0, tried = 0;
    diagonal_fixture f;
    diagonal_family(&f, "tomita", 1, 7, 0);
    cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_REAL), F2L_OK);
    for (size_t l = 0; l < f.net.layers; l++) {
        f2l_layer *layer = &f.net.layer[l];
        for (size_t i = 0; i < layer->symbol_at[layer->letters]; i++) {
            const uint32_t kept = layer->symbol[i];
            if (kept == F2L_NO_SYMBOL || layer->symbols < 2) continue;
            layer->symbol[i] = (kept + 1) % (uint32_t)layer->symbols;
            diagonal_close(&f);
            noticed += f.local.verdict != F2L_OK;
            tried++;
            layer->symbol[i] = kept;
        }
    }
    printf("%zu of %zu\n", noticed, tried);
    cr_assert(noticed > 20 && 2 * noticed > tried);
    diagonal_clear(&f);
}

/* Returns the other of two coordinates. */
static bool read_wrongly(const void *context, size_t l, uint32_t set, const size_t *code,
                         uint32_t *coordinate)
{
    const bool read = f2l_diagonal_coordinate(context, l, set, code, coordinate);
    *coordinate = 1 - *coordinate % 2;
    return read;
}

static bool read_nothing(const void *context, size_t l, uint32_t set, const size_t *code,
                         uint32_t *coordinate)
{
    (void)context, (void)l, (void)set, (void)code, (void)coordinate;
    return false;
}

Test(diagonal, wrong_readings_prove_nothing)
{
    diagonal_fixture f;
    diagonal_family(&f, "parity", 0, 0, 0);
    cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_REAL), F2L_OK);
    diagonal_close(&f);
    cr_assert_eq(f.local.verdict, F2L_OK);
    const f2l_local_reading wrong[] = {{read_wrongly, &f.how, NULL}, {read_nothing, &f.how, NULL}};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(f2l_local_exact(&f.local, &f.net, &f.cascade, f.report.layers, wrong[i],
                                     &f.fsa, 0, NULL, &f.err),
                     F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    }
    diagonal_clear(&f);
}

Test(diagonal, certificate_lists_children)
{
    diagonal_fixture f;
    f2l_buf text;
    char network[65];
    memset(network, 'a', 64);
    network[64] = '\0';
    f2l_buf_init(&text);
    diagonal_family(&f, "parity", 0, 0, 0);
    cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_REAL), F2L_OK);
    diagonal_close(&f);
    cr_assert_eq(f2l_cascade_cert_write(&text, &f.net, &f.cascade, &f.local,
                                        &(f2l_local_reading){NULL, NULL, NULL}, &f.fsa, NULL,
                                        network, &f.err),
                 F2L_OK);
    cr_assert(strstr(text.data, "\n"
                                "pair 1 set 1 codes 1 child 2 next 1 2\n"
                                "pair 2 set 1 codes 2 child 3 next 2 1\n"),
              "%s", text.data);
    f2l_buf_clear(&text);
    diagonal_clear(&f);
}

Test(diagonal, classes_of_other_networks)
{
    diagonal_fixture f;
    f2l_error err = {0};
    f2l_t4_report report = {0};
    diagonal_family(&f, "symmetric", 1, 4, 0);
    cr_assert_eq(
        f2l_t4_build(&f.net, &report, &f.cascade, &f.fsa, F2L_LABEL_STATES, false, NULL, &err),
        F2L_OK);
    cr_assert_eq(f2l_diagonal_classify(&f.net), F2L_CLASS_OTHER);
    f2l_t4_report_clear(&report);
    diagonal_clear(&f);
    diagonal_family(&f, "flipflop", 0, 0, 0);
    cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_REAL), F2L_OK);
    cr_assert_eq(f2l_diagonal_classify(&f.net), F2L_CLASS_POSITIVE);
    diagonal_clear(&f);
    diagonal_family(&f, "parity", 0, 0, 0);
    cr_assert_eq(diagonal_build(&f, F2L_DIAGONAL_COMPLEX), F2L_OK);
    cr_assert_eq(f2l_diagonal_classify(&f.net), F2L_CLASS_REAL);
    diagonal_clear(&f);
}

#ifdef F2L_MEM_FAILURES
static void fail_allocations(const char *kind, size_t numbers, uint64_t a,
                             f2l_diagonal_target target)
{
    diagonal_fixture f;
    size_t failures = 0;
    diagonal_family(&f, kind, numbers, a, 0);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        const f2l_status status = diagonal_build(&f, target);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) {
            failures++;
            cr_assert(f.net.layers == 0 && f.how.level == NULL && f.report.level == NULL);
        }
    }
    printf("%s: %zu allocations\n", kind, failures);
    cr_assert(failures > 50);
    diagonal_clear(&f);
}

Test(diagonal, survives_every_failed_allocation)
{
    fail_allocations("tomita", 1, 7, F2L_DIAGONAL_REAL);
    fail_allocations("symmetric", 1, 3, F2L_DIAGONAL_COMPLEX);
    fail_allocations("cyclic", 1, 5, F2L_DIAGONAL_COMPLEX);
    fail_allocations("modarith", 1, 2, F2L_DIAGONAL_ONE);
    fail_allocations("symmetric", 1, 3, F2L_DIAGONAL_ONE);
}
#endif
