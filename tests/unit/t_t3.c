#include "dense.h"
#include "f2l_closure.h"
#include "f2l_family.h"
#include "f2l_mem.h"
#include "f2l_perm.h"
#include "f2l_rng.h"
#include "f2l_t3.h"
#include "fsa_text.h"
#include <stdio.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
    f2l_t3_report report;
} fixture;

static void build(fixture *f, f2l_label label, f2l_t3_keys keys)
{
    f2l_error err = {0};
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_t3_build(&f->net, &f->report, &f->fsa, label, keys, &f->set, NULL, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_net_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

static void represent(fixture *f)
{
    f2l_error err = {0};
    f2l_gset_init(&f->set);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
}

static void open_text(fixture *f, const char *text)
{
    fsa_from_text(&f->fsa, text);
    represent(f);
}

static void open_family(fixture *f, const char *kind, uint64_t n, bool generators)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s", err.text);
    represent(f);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

/* S <- A S for the letter, where A = (I - beta_F uu^T/u^Tu) .. (I - beta_1 uu^T/u^Tu) is multiplied out
 * first. */
static void letter_matrix(dense *a, const f2l_transition *letter)
{
    const size_t n = a->rows;
    mpq_t norm, sum, t;
    mpq_inits(norm, sum, t, NULL);
    for (size_t i = 0; i < n * n; i++) mpq_set_ui(a->at[i], i / n == i % n, 1);
    for (size_t f = 0; f < letter->factors; f++) {
        dense u;
        dense_init(&u, n, 1);
        dense_load(&u, &letter->factor[f].u);
        cr_assert_eq(letter->factor[f].c.count, 0);
        mpq_set_ui(norm, 0, 1);
        for (size_t i = 0; i < n; i++) {
            mpq_mul(t, u.at[i], u.at[i]);
            mpq_add(norm, norm, t);
        }
        for (size_t j = 0; j < n; j++) {
            mpq_set_ui(sum, 0, 1);
            for (size_t i = 0; i < n; i++) {
                mpq_mul(t, u.at[i], a->at[i * n + j]);
                mpq_add(sum, sum, t);
            }
            mpq_mul(sum, sum, letter->factor[f].beta);
            mpq_div(sum, sum, norm);
            for (size_t i = 0; i < n; i++) {
                mpq_mul(t, sum, u.at[i]);
                mpq_sub(a->at[i * n + j], a->at[i * n + j], t);
            }
        }
        dense_clear(&u);
    }
    mpq_clears(norm, sum, t, NULL);
}

/* Random words through dense rational matrices: at every letter the state is that one code whose label the
 * automaton has. */
static void check_words(const fixture *f, uint64_t seed)
{
    const f2l_layer *layer = &f->net.layer[0];
    const f2l_head *head = &layer->head[0];
    const size_t letters = f->fsa.letters.count;
    dense *a = calloc(letters, sizeof *a), s, t;
    for (size_t x = 0; x < letters; x++) {
        dense_init(&a[x], head->n, head->n);
        letter_matrix(&a[x], &head->letter[x]);
    }
    dense_init(&s, head->n, head->d);
    dense_init(&t, head->n, head->d);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int word = 0; word < 4; word++) {
        size_t q = f->fsa.start;
        dense_load(&s, &head->initial);
        for (int step = 0; step < 40; step++) {
            const size_t x = (size_t)f2l_rng_below(&rng, letters);
            dense_multiply(&t, &a[x], &s);
            const dense swap = s;
            s = t;
            t = swap;
            q = f->fsa.next[q * letters + x];
            size_t found = layer->codes;
            for (size_t c = 0; c < layer->codes; c++) {
                if (!dense_equals(&s, &layer->code[c])) continue;
                cr_assert_eq(found, layer->codes, "two equal codes");
                found = c;
            }
            cr_assert_lt(found, layer->codes, "step %d: no code", step);
            cr_assert_str_eq(f2l_names_get(&f->net.labels, layer->symbol[found]),
                             f2l_fsa_label(&f->fsa, f->net.label, q));
        }
    }
    for (size_t x = 0; x < letters; x++) dense_clear(&a[x]);
    dense_clear(&s);
    dense_clear(&t);
    free(a);
}

static void check_exact(const fixture *f)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_exact(&c, &f->net, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(c.verdict, F2L_OK, "%s %s", c.expected, c.got);
    f2l_closure_clear(&c);
}

static f2l_status verdict_in(const fixture *f, const char *format, size_t *rows)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_float(&c, &f->net, &f->fsa, f2l_format_find(format), f2l_schedule_find("every"),
                                   20000, NULL, &err),
                 F2L_OK, "%s", err.text);
    const f2l_status verdict = c.verdict;
    *rows = c.rows;
    f2l_closure_clear(&c);
    return verdict;
}

static const f2l_t3_keys all_keys[] = {F2L_T3_EXACT, F2L_T3_DOUBLED, F2L_T3_NAIVE};

typedef struct named {
    const char *kind;
    uint64_t n;
    bool generators;
    size_t points, householders, k_states, k_points, n_exact;
} named;

static const named families[] = {
    {"parity", 0, false, 2, 1, 2, 2, 1},       {"cyclic", 5, false, 5, 4, 5, 5, 6},
    {"cyclic", 6, false, 5, 3, 6, 5, 5},       {"cyclic", 12, true, 7, 5, 12, 7, 8},
    {"symmetric", 3, false, 3, 2, 6, 3, 4},    {"symmetric", 4, false, 4, 3, 24, 4, 4},
    {"symmetric", 5, false, 5, 4, 120, 5, 6},  {"symmetric", 6, true, 6, 3, 720, 6, 6},
    {"alternating", 5, false, 5, 4, 60, 5, 6}, {"alternating", 7, true, 7, 6, 2520, 7, 7},
    {"dihedral", 5, false, 5, 4, 10, 5, 6},    {"dihedral", 9, true, 9, 8, 18, 9, 8},
    {"quaternion", 0, false, 8, 6, 8, 8, 7},   {"cyclic", 11, true, 11, 10, 11, 11, 22},
};

/* Both counts of k (T3.11), and the network against the automaton in three ways. */
Test(t3, families)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const named *e = &families[i];
        for (size_t k = 0; k < 3; k++) {
            fixture f;
            size_t rows;
            open_family(&f, e->kind, e->n, e->generators);
            build(&f, F2L_LABEL_STATES, all_keys[k]);
            cr_expect_eq(f.report.points, e->points, "%s %d", e->kind, (int)e->n);
            cr_expect_eq(f.report.householders, e->householders, "%s %d: %zu", e->kind, (int)e->n,
                         f.report.householders);
            cr_expect_eq(f.report.k_states, e->k_states, "%s %d: %zu", e->kind, (int)e->n, f.report.k_states);
            cr_expect_eq(f.report.k_points, e->k_points, "%s %d: %zu", e->kind, (int)e->n, f.report.k_points);
            cr_expect(f.report.search_exhausted);
            if (k == 0) cr_expect_eq(f.net.layer[0].head[0].n, e->n_exact, "%s %d", e->kind, (int)e->n);
            check_exact(&f);
            if (f.fsa.states.count <= 120) check_words(&f, 77 + i);
            if (k != 2) {
                cr_expect_eq(verdict_in(&f, "bf16", &rows), F2L_OK, "%s %d", e->kind, (int)e->n);
                cr_expect_eq(rows, f.fsa.states.count);
            }
            done(&f);
        }
    }
}

/* Textbook keys are rounded, so that bf16 needs more states than the automaton has, or fails. */
Test(t3, naive_keys_are_not_exact)
{
    fixture f;
    size_t rows;
    open_family(&f, "symmetric", 5, false);
    build(&f, F2L_LABEL_STATES, F2L_T3_NAIVE);
    cr_assert(verdict_in(&f, "bf16", &rows) != F2L_OK || rows > 120);
    cr_assert_eq(f.net.layer[0].head[0].n, 5);
    cr_assert(strstr(f.report.keys, "one coordinate a point (dimension 5)") != NULL, "%s", f.report.keys);
    done(&f);
}

static void random_permutation(uint32_t *image, size_t n, f2l_rng *rng)
{
    for (size_t i = 0; i < n; i++) image[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)f2l_rng_below(rng, i);
        const uint32_t t = image[i - 1];
        image[i - 1] = image[j];
        image[j] = t;
    }
}

/* T3.9: the factors of a random letter multiply to a matrix that sends every weight w_p to w_{p a}, and there
 * are n - #cycles of them; for naive keys that is the permutation matrix itself, whose A - I has that very
 * rank. */
Test(t3, factors_multiply_to_the_permutation)
{
    f2l_rng rng;
    printf("seed 31\n");
    f2l_rng_init(&rng, 31, 0);
    for (int round = 0; round < 60; round++) {
        const size_t n = 2 + (size_t)f2l_rng_below(&rng, 11);
        uint32_t image[2 * 12];
        random_permutation(image, n, &rng);
        for (uint32_t p = 0; p < n; p++) image[n + p] = (p + 1) % (uint32_t)n; /* transitive */
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_printf(&text, "points %zu\ntrack points 1\npermute a ", n);
        f2l_perm_write(&text, image, n);
        f2l_buf_text(&text, "\npermute b ");
        f2l_perm_write(&text, image + n, n);
        f2l_buf_text(&text, "\n");
        fixture f;
        fsa_from_text(&f.fsa, text.data);
        f2l_buf_clear(&text);
        /* The points themselves, whatever the search would find. */
        size_t orbit[2] = {0, n};
        uint32_t code[12] = {1};
        f.set = (f2l_gset){.letters = 2,
                           .points = n,
                           .image = image,
                           .orbits = 1,
                           .orbit = orbit,
                           .colours = 2,
                           .code = code,
                           .origin = "points"};
        for (size_t k = 0; k < 3; k++) {
            build(&f, F2L_LABEL_STATES, all_keys[k]);
            const f2l_head *head = &f.net.layer[0].head[0];
            size_t roots;
            const f2l_key_kind kind = k == 2 ? F2L_KEYS_NAIVE
                                      : k == 0 && f2l_keys_dimension(F2L_KEYS_ROOTS, n, &roots)
                                          ? F2L_KEYS_ROOTS
                                          : F2L_KEYS_DOUBLED;
            dense a, w, out;
            dense_init(&a, head->n, head->n);
            dense_init(&w, head->n, n);
            dense_init(&out, head->n, n);
            for (size_t p = 0; p < n; p++) {
                long twice[24];
                f2l_keys_weight(twice, kind, n, p);
                for (size_t c = 0; c < head->n; c++) mpq_set_si(w.at[c * n + p], twice[c], 1);
            }
            for (size_t x = 0; x < 2; x++) {
                cr_assert_eq(head->letter[x].factors, n - f2l_perm_cycles(image + x * n, n));
                letter_matrix(&a, &head->letter[x]);
                dense_multiply(&out, &a, &w);
                for (size_t p = 0; p < n; p++) {
                    for (size_t c = 0; c < head->n; c++) {
                        cr_assert(mpq_equal(out.at[c * n + p], w.at[c * n + image[x * n + p]]), "round %d",
                                  round);
                    }
                }
            }
            dense_clear(&a);
            dense_clear(&w);
            dense_clear(&out);
            f2l_net_clear(&f.net);
        }
        f2l_fsa_clear(&f.fsa);
    }
}

/* Random tables: whatever representation is found, the network is the automaton. */
Test(t3, random_permutation_automata)
{
    f2l_rng rng;
    printf("seed 8\n");
    f2l_rng_init(&rng, 8, 0);
    for (int round = 0; round < 40; round++) {
        const size_t n = 2 + (size_t)f2l_rng_below(&rng, 5), letters = 1 + (size_t)f2l_rng_below(&rng, 3);
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_printf(&text, "points %zu\ntrack %s\n", n, round % 2 == 0 ? "elements" : "points 1");
        for (size_t a = 0; a < letters; a++) {
            uint32_t image[8];
            random_permutation(image, n, &rng);
            f2l_buf_printf(&text, "permute l%zu ", a);
            f2l_perm_write(&text, image, n);
            f2l_buf_text(&text, "\n");
        }
        fixture f;
        open_text(&f, text.data);
        f2l_buf_clear(&text);
        for (size_t k = 0; k < 3; k++) {
            build(&f, F2L_LABEL_STATES, all_keys[k]);
            check_exact(&f);
            if (f.fsa.states.count <= 24) check_words(&f, (uint64_t)round);
            f2l_net_clear(&f.net);
        }
        done(&f);
    }
}

/* T3.8: more than 128 colours take two value columns, and bf16 stays exact. */
Test(t3, many_colours_take_digits)
{
    fixture f;
    size_t rows;
    open_family(&f, "dihedral", 131, true);
    cr_assert_eq(f.set.colours, 132); /* codes 1 .. 131 */
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].head[0].n, 262);
    cr_assert_eq(f.net.layer[0].head[0].d, 2);
    cr_assert_eq(verdict_in(&f, "bf16", &rows), F2L_OK);
    cr_assert_eq(rows, 262);
    check_exact(&f);
    done(&f);
    open_family(&f, "dihedral", 128, true);
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].head[0].d, 1);
    cr_assert_eq(verdict_in(&f, "bf16", &rows), F2L_OK);
    done(&f);
}

Test(t3, labels)
{
    const char *const text =
        "fsa 1\nletters a\nstates p q r s\nstart q\naccept p r\noutput p x\noutput q y\noutput r x\n"
        "output s z\np a q\nq a r\nr a s\ns a p\n";
    fixture f;
    open_text(&f, text);
    build(&f, F2L_LABEL_OUTPUTS, F2L_T3_EXACT);
    cr_assert_eq(f.net.labels.count, 3);
    cr_assert_str_eq(f2l_names_get(&f.net.labels, 0), "x");
    cr_assert_str_eq(f2l_names_get(&f.net.labels, f.net.start), "y");
    check_exact(&f);
    check_words(&f, 1);
    f2l_net_clear(&f.net);
    build(&f, F2L_LABEL_ACCEPT, F2L_T3_EXACT);
    cr_assert_eq(f.net.labels.count, 2);
    cr_assert_str_eq(f2l_names_get(&f.net.labels, f.net.start), "reject");
    check_exact(&f);
    done(&f);
}

/* Points of a group form that nobody reaches get no code and no label. */
Test(t3, unreached_points)
{
    fixture f;
    open_text(&f, "points 7\ntrack points 4\npermute a (1 2 3)(4 5)\npermute b (4 6)\n");
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_eq(f.net.layer[0].codes, 3);
    cr_assert_eq(f.net.labels.count, 3);
    cr_assert_eq(f.report.k_states, 2);
    check_exact(&f);
    check_words(&f, 2);
    done(&f);
}

Test(t3, one_state)
{
    fixture f;
    open_text(&f, "start p\np a p\np b p\n");
    for (size_t k = 0; k < 3; k++) {
        build(&f, F2L_LABEL_STATES, all_keys[k]);
        cr_assert(f.net.layer[0].head[0].n == 1 && f.report.householders == 0 && f.report.k_states == 0);
        check_exact(&f);
        f2l_net_clear(&f.net);
    }
    done(&f);
}

Test(t3, reports_its_key_systems)
{
    fixture f;
    open_text(&f, "points 9\ntrack elements\npermute a (1 2)\npermute b (3 4)\npermute c (5 6 7 8 9)\n");
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert_str_eq(f.report.keys, "2 x (2 points: sign (dimension 1)); 5 points: D6 roots (dimension 6)");
    cr_assert_eq(f.net.layer[0].head[0].n, 8);
    check_words(&f, 3);
    f2l_net_clear(&f.net);
    build(&f, F2L_LABEL_STATES, F2L_T3_DOUBLED);
    cr_assert_eq(f.net.layer[0].head[0].n, 18);
    check_words(&f, 3);
    done(&f);
}

Test(t3, long_lists_of_key_systems_are_cut)
{
    f2l_buf text;
    f2l_buf_init(&text);
    const unsigned length[] = {2, 3, 5, 7, 11, 13, 17};
    f2l_buf_text(&text, "points 58\ntrack points 1\npermute a ");
    unsigned point = 1;
    for (size_t i = 0; i < 7; i++) {
        for (unsigned k = 0; k < length[i]; k++) {
            f2l_buf_printf(&text, "%s%u", k == 0 ? "(" : " ", point++);
        }
        f2l_buf_text(&text, ")");
    }
    f2l_buf_text(&text, "\n");
    fixture f;
    open_text(&f, text.data);
    f2l_buf_clear(&text);
    /* All seven orbits although one would do. */
    f2l_gset_clear(&f.set);
    size_t orbit[8] = {0};
    uint32_t image[58], code[58] = {1};
    for (size_t i = 0; i < 7; i++) orbit[i + 1] = orbit[i] + length[i];
    memcpy(image, f.fsa.perm, sizeof image);
    f.set = (f2l_gset){
        .letters = 1, .points = 58, .image = image, .orbits = 7, .orbit = orbit, .colours = 2, .code = code};
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    cr_assert(strstr(f.report.keys, "more orbits") != NULL && strlen(f.report.keys) < 160, "%s",
              f.report.keys);
    check_exact(&f);
    f2l_net_clear(&f.net);
    f2l_fsa_clear(&f.fsa);
}

Test(t3, refuses)
{
    f2l_error err = {0};
    fixture f;
    open_text(&f, "start p\np a q\nq a p\n");
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_OUTPUTS, F2L_T3_EXACT, &f.set, NULL, &err),
                 F2L_EDOMAIN); /* no outputs */
    f2l_fsa other;
    fsa_from_text(&other, "start p\np a q\nq a p\np b q\nq b p\n");
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &other, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, NULL, &err),
                 F2L_EDOMAIN); /* a representation of other letters */
    f2l_fsa_clear(&other);
    fsa_from_text(&other, "start p\np reset q\nq reset q\n");
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &other, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "'reset'") && strstr(err.text, "'p'") && strstr(err.text, "'q'"), "%s",
              err.text);
    cr_assert(f.net.layers == 0 && f.report.points == 0);
    f2l_fsa_clear(&other);
    done(&f);
}

/* 2,000 points are sparse: four non-zeros a factor, two a code. */
Test(t3, large_and_sparse)
{
    const size_t n = 2000;
    f2l_rng rng;
    f2l_buf text;
    printf("seed 6\n");
    f2l_rng_init(&rng, 6, 0);
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "points %zu\ntrack points 1\n", n);
    uint32_t *image = calloc(n, sizeof *image);
    for (int a = 0; a < 4; a++) {
        random_permutation(image, n, &rng);
        f2l_buf_printf(&text, "permute l%d ", a);
        f2l_perm_write(&text, image, n);
        f2l_buf_text(&text, "\n");
    }
    free(image);
    fixture f;
    open_text(&f, text.data);
    f2l_buf_clear(&text);
    build(&f, F2L_LABEL_STATES, F2L_T3_EXACT);
    const f2l_layer *layer = &f.net.layer[0];
    for (size_t a = 0; a < 4; a++) {
        for (size_t i = 0; i < layer->head[0].letter[a].factors; i++) {
            cr_assert_eq(layer->head[0].letter[a].factor[i].u.count, 4);
        }
    }
    for (size_t c = 0; c < layer->codes; c++) cr_assert_eq(layer->code[c].count, 2);
    check_exact(&f);
    done(&f);
}

Test(t3, stops_when_told)
{
    fixture f;
    f2l_error err = {0};
    const f2l_task poor = {.memory = 100};
    open_family(&f, "symmetric", 5, false);
    f2l_net_init(&f.net);
    cr_assert_eq(f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, &poor, &err),
                 F2L_UNKNOWN);
    cr_assert(f.net.layers == 0 && strstr(err.text, "memory") != NULL);
    done(&f);
    const volatile sig_atomic_t cancel = 15;
    const f2l_task cancelled = {.cancel = &cancel};
    open_family(&f, "cyclic", 300, false);
    f2l_net_init(&f.net);
    cr_assert_eq(
        f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, &cancelled, &err),
        F2L_UNKNOWN);
    cr_assert(f.net.layers == 0 && strstr(err.text, "interrupted") != NULL);
    done(&f);
}

#ifdef F2L_MEM_FAILURES
Test(t3, out_of_memory)
{
    fixture f;
    open_text(&f, "points 5\ntrack elements\npermute a (1 2)\npermute b (3 4 5)\n");
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        n++;
        f2l_net_init(&f.net);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_t3_build(&f.net, &f.report, &f.fsa, F2L_LABEL_STATES, F2L_T3_EXACT, &f.set, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && f.net.layers == 0));
        f2l_net_clear(&f.net);
    }
    cr_assert(status == F2L_OK && n > 30);
    done(&f);
}
#endif
