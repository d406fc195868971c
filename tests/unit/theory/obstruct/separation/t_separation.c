/* Forms and chains: known automata, all maps of three states, random ones against the definition of
 * a form in doubles, and chains that say too much. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/obstruct/separation/one_layer.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void build(f2l_separation *out, const f2l_maps *maps)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_separation_build(out, maps, NULL, &err), F2L_OK, "%s", err.text);
}

static f2l_separation_verdict verdict_of(size_t states, size_t letters, const uint32_t *next)
{
    f2l_separation s;
    const f2l_maps maps = {.states = states, .letters = letters, .next = next};
    build(&s, &maps);
    const f2l_separation_verdict verdict = s.verdict;
    f2l_separation_clear(&s);
    return verdict;
}

Test(separation, known_automata)
{
    const uint32_t parity[] = {0, 1, 1, 0}, reset[] = {0, 1, 0, 1};
    cr_assert_eq(verdict_of(2, 2, parity), F2L_SEPARATION_FEASIBLE);
    cr_assert_eq(verdict_of(2, 2, reset), F2L_SEPARATION_FEASIBLE);
    const uint32_t single[] = {0, 0};
    cr_assert_eq(verdict_of(1, 2, single), F2L_SEPARATION_FEASIBLE);
    /* saturating counter 0..3 with the letters up and down */
    const uint32_t counter[] = {1, 0, 2, 0, 3, 1, 3, 2};
    cr_assert_eq(verdict_of(4, 2, counter), F2L_SEPARATION_FEASIBLE);
    /* S_3 with a map that merges two points */
    const uint32_t merge[] = {1, 1, 0, 2, 0, 0, 0, 2, 2};
    cr_assert_eq(verdict_of(3, 3, merge), F2L_SEPARATION_INFEASIBLE);
}

/* The first letter is kept for ever: no form separates the states, and one step does not show it,
 * since for every eps > 0 a form nearly suffices. */
Test(separation, first_letter_takes_two_steps)
{
    f2l_separation s;
    const uint32_t next[] = {1, 2, 1, 1, 2, 2};
    const f2l_maps maps = {.states = 3, .letters = 2, .next = next};
    build(&s, &maps);
    cr_assert_eq(s.verdict, F2L_SEPARATION_INFEASIBLE);
    cr_assert_geq(s.chain.steps, 2);
    cr_assert(f2l_chain_holds(&s.chain, &maps, NULL));
    f2l_separation_clear(&s);
}

/* Returns z^T G z - (F_w z)^T G (F_w z), in doubles; w == letters: z^T G z. */
static double decrease(const fmpq_mat_t form, const f2l_maps *maps, size_t w, const double *z)
{
    const size_t n = maps->states;
    double image[8] = {0}, value[2] = {0, 0};
    for (size_t q = 0; w < maps->letters && q < n; q++)
        image[maps->next[q * maps->letters + w]] += z[q];
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t j = 0; j + 1 < n; j++) {
            const double g = fmpq_get_d(fmpq_mat_entry(form, (slong)i, (slong)j));
            value[0] += g * z[i] * z[j];
            value[1] += g * image[i] * image[j];
        }
    return value[0] - value[1];
}

static void check_form(const fmpq_mat_t form, const f2l_maps *maps, f2l_rng *rng)
{
    cr_assert(f2l_separation_form_holds(form, maps));
    for (int trial = 0; trial < 20; trial++) {
        double z[8] = {0}, size = 0;
        for (size_t q = 0; q + 1 < maps->states; q++) {
            z[q] = (double)f2l_rng_below(rng, 201) - 100;
            z[maps->states - 1] -= z[q];
        }
        size = decrease(form, maps, maps->letters, z);
        cr_assert_geq(size, -1e-9);
        for (size_t w = 0; w < maps->letters; w++)
            cr_assert_geq(decrease(form, maps, w, z), -1e-9 * (1 + size));
    }
}

/* Checks that the verdict is decided, and that forms and chains exclude each other: the terms of a
 * chain's first step, which has no known terms, are not negative for a form. */
static void check(const f2l_maps *maps, f2l_rng *rng, size_t *count)
{
    f2l_separation s;
    build(&s, maps);
    count[s.verdict]++;
    if (s.verdict == F2L_SEPARATION_FEASIBLE) check_form(s.form, maps, rng);
    if (s.verdict == F2L_SEPARATION_INFEASIBLE) {
        cr_assert(f2l_chain_holds(&s.chain, maps, NULL));
        cr_assert(s.chain.p != s.chain.q && s.chain.p < maps->states);
    }
    f2l_separation_clear(&s);
}

Test(separation, all_pairs_of_maps_of_three_states)
{
    f2l_rng rng;
    size_t count[3] = {0};
    f2l_rng_init(&rng, 1, 0);
    for (uint32_t x = 0; x < 729; x++) {
        uint32_t next[6], rest = x;
        for (size_t i = 0; i < 6; i++, rest /= 3) next[i] = rest % 3;
        const f2l_maps maps = {.states = 3, .letters = 2, .next = next};
        check(&maps, &rng, count);
    }
    cr_assert_eq(count[F2L_SEPARATION_UNKNOWN], 0);
    cr_assert_eq(count[F2L_SEPARATION_FEASIBLE], 465);
    cr_assert_eq(count[F2L_SEPARATION_INFEASIBLE], 264);
}

Test(separation, random_maps)
{
    f2l_rng rng;
    size_t count[3] = {0};
    f2l_rng_init(&rng, 2, 0);
    for (size_t trial = 0; trial < 150; trial++) {
        uint32_t next[15];
        const f2l_maps maps = {.states = 4 + trial % 2, .letters = 2 + trial % 3 / 2, .next = next};
        for (size_t i = 0; i < maps.states * maps.letters; i++)
            next[i] = (uint32_t)f2l_rng_below(&rng, maps.states);
        check(&maps, &rng, count);
    }
    cr_assert_leq(count[F2L_SEPARATION_UNKNOWN], 3);
    cr_assert_gt(count[F2L_SEPARATION_FEASIBLE], 20);
}

/* Names of states do not matter: the verdict is the same after any permutation of them. */
Test(separation, renamed)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 3, 0);
    for (size_t trial = 0; trial < 60; trial++) {
        uint32_t next[8], renamed[8];
        const uint32_t name[] = {2, 0, 3, 1};
        for (size_t i = 0; i < 8; i++) next[i] = (uint32_t)f2l_rng_below(&rng, 4);
        for (size_t q = 0; q < 4; q++)
            for (size_t w = 0; w < 2; w++) renamed[name[q] * 2 + w] = name[next[q * 2 + w]];
        cr_assert_eq(verdict_of(4, 2, next), verdict_of(4, 2, renamed));
    }
}

/* Returns whether the letter of the term fixes z, so that the term is 0 for every form. */
static bool is_trivial(const f2l_chain_term *t, const f2l_maps *maps)
{
    bool fixed = t->kind == F2L_CHAIN_LETTER;
    for (size_t q = 0; fixed && q < maps->states; q++)
        fixed = fmpq_is_zero(&t->z[q]) || maps->next[q * maps->letters + t->letter] == q;
    return fixed;
}

static void add(fmpq *place, slong value)
{
    fmpq_add_si(place, place, value);
}

/* A chain with a changed term proves nothing. */
Test(separation, changed_chains)
{
    f2l_separation s;
    size_t changed = 0;
    const uint32_t next[] = {1, 2, 1, 1, 2, 2};
    const f2l_maps maps = {.states = 3, .letters = 2, .next = next};
    build(&s, &maps);
    for (size_t i = 0; i < s.chain.terms; i++) {
        f2l_chain_term *t = &s.chain.term[i];
        if (is_trivial(t, &maps)) continue;
        changed++;
        for (int mutant = 0; mutant < 4; mutant++) {
            fmpq *place = mutant == 0 && !t->y ? t->scale : mutant % 2 || !t->y ? t->z : t->y;
            const slong by = mutant < 2 ? 1 : -2;
            add(place, by);
            if (mutant > 0) add(&place[1], mutant == 3 ? -by : 0);
            cr_assert_not(f2l_chain_holds(&s.chain, &maps, NULL), "term %zu mutant %d", i, mutant);
            if (mutant > 0) add(&place[1], mutant == 3 ? by : 0);
            add(place, -by);
        }
    }
    cr_assert_geq(changed, 3);
    cr_assert(f2l_chain_holds(&s.chain, &maps, NULL));
    fmpq_neg(s.chain.term[0].scale, s.chain.term[0].scale);
    cr_assert_not(f2l_chain_holds(&s.chain, &maps, NULL));
    fmpq_neg(s.chain.term[0].scale, s.chain.term[0].scale);
    for (size_t i = 0; i < s.chain.terms; i++) s.chain.term[i].step = 0;
    cr_assert_not(f2l_chain_holds(&s.chain, &maps, NULL));
    f2l_separation_clear(&s);
}

/* A chain of one automaton proves nothing about another that has a form. */
Test(separation, chains_of_others)
{
    f2l_separation s;
    const uint32_t next[] = {1, 2, 1, 1, 2, 2}, other[] = {1, 2, 1, 2, 1, 2};
    const f2l_maps maps = {.states = 3, .letters = 2, .next = next},
                   others = {.states = 3, .letters = 2, .next = other};
    build(&s, &maps);
    cr_assert_eq(verdict_of(3, 2, other), F2L_SEPARATION_FEASIBLE);
    cr_assert_not(f2l_chain_holds(&s.chain, &others, NULL));
    f2l_separation_clear(&s);
}

Test(separation, forms_that_are_none)
{
    fmpq_mat_t form;
    const uint32_t counter[] = {1, 0, 2, 0, 2, 1};
    const f2l_maps maps = {.states = 3, .letters = 2, .next = counter};
    fmpq_mat_init(form, 2, 2);
    cr_assert_not(f2l_separation_form_holds(form, &maps)); /* separates nothing */
    fmpq_mat_one(form); /* |e_0 - e_1|^2 = 2, but |e_1 - e_2|^2 = 1, where up leads */
    cr_assert_not(f2l_separation_form_holds(form, &maps));
    fmpq_set_si(fmpq_mat_entry(form, 0, 0), 2, 1);
    fmpq_set_si(fmpq_mat_entry(form, 0, 1), 1, 1);
    fmpq_set_si(fmpq_mat_entry(form, 1, 0), 1, 1);
    cr_assert(f2l_separation_form_holds(form, &maps)); /* the path 0, 1, 2 with unit steps */
    fmpq_set_si(fmpq_mat_entry(form, 1, 1), -1, 1);
    cr_assert_not(f2l_separation_form_holds(form, &maps));
    fmpq_mat_clear(form);
}

/* Decides for the automaton in the text, checks the pair and its word where it is infeasible, and
 * returns the answer: the name of the decoder, "infeasible" or "unknown". */
static const char *one_layer(const char *text, f2l_label label)
{
    f2l_fsa fsa, least;
    f2l_one_layer one;
    f2l_error err = {0};
    uint32_t *classes;
    fsa_from_text(&fsa, text);
    cr_assert_eq(f2l_one_layer_find(&one, &fsa, label, NULL, NULL, &err), F2L_OK, "%s", err.text);
    const f2l_separation_verdict verdict = one.separation.verdict;
    const char *name = verdict == F2L_SEPARATION_FEASIBLE     ? f2l_decoder_name(one.decoder)
                       : verdict == F2L_SEPARATION_INFEASIBLE ? "infeasible"
                                                              : "unknown";
    f2l_fsa_init(&least);
    cr_assert_eq(f2l_fsa_minimal(&least, &classes, &fsa, label, NULL, &err), F2L_OK);
    if (verdict == F2L_SEPARATION_INFEASIBLE) {
        const f2l_maps maps = f2l_maps_of(&least);
        const f2l_word before = {one.apart.letter, one.apart.length - 1};
        cr_assert_gt(one.apart.length, 0);
        cr_assert(f2l_chain_holds(&one.separation.chain, &maps, NULL));
        const uint32_t from[] = {(uint32_t)f2l_word_lead(&least, one.separation.chain.p, &before),
                                 (uint32_t)f2l_word_lead(&least, one.separation.chain.q, &before)};
        const size_t last = one.apart.letter[before.length];
        cr_assert_str_neq(f2l_fsa_edge_label(&least, label, from[0], last),
                          f2l_fsa_edge_label(&least, label, from[1], last));
    }
    f2l_free(classes);
    f2l_fsa_clear(&least);
    f2l_one_layer_clear(&one);
    f2l_fsa_clear(&fsa);
    return name;
}

/* What the decoder reads decides which states need different codes. */
Test(separation, decoders)
{
    static const struct {
        const char *text;
        f2l_label label;
        const char *expected;
    } table[] = {
        {"fsa 1\nletters a b\nstates p q\nstart p\np a q\np b p\nq a p\nq b q\n", F2L_LABEL_STATES,
         "state"},
        /* a leads to q0 only, b to q2 only, which have equal futures */
        {"fsa 1\nletters a b\nstates q0 q1 q2\nstart q0\n"
         "q0 a q1\nq0 b q1\nq1 a q0\nq1 b q2\nq2 a q1\nq2 b q1\n",
         F2L_LABEL_STATES, "step"},
        {"fsa 1\nletters a b\nstates q0 q1 q2\nstart q0\naccept q0 q1\n"
         "q0 a q1\nq0 b q1\nq1 a q0\nq1 b q2\nq2 a q1\nq2 b q1\n",
         F2L_LABEL_ACCEPT, "step"},
        /* 1 and 3 have equal futures, and b leads to both */
        {"fsa 1\nletters a b\nstates 0 1 2 3\nstart 0\n"
         "0 a 0\n0 b 1\n1 a 1\n1 b 2\n2 a 2\n2 b 3\n3 a 1\n3 b 2\n",
         F2L_LABEL_STATES, "before"},
        {"fsa 1\nletters u v\nstates s p q\nstart s\n"
         "s u p\ns v q\np u p\np v p\nq u q\nq v q\n",
         F2L_LABEL_STATES, "infeasible"},
        /* the same states, and outputs of transitions that tell all states apart */
        {"fsa 1\nletters a b\nstates q0 q1 q2\nstart q0\n"
         "q0 a q1 x\nq0 b q1 x\nq1 a q0 x\nq1 b q2 x\nq2 a q1 y\nq2 b q1 x\n",
         F2L_LABEL_EDGES, "infeasible"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_expect_str_eq(one_layer(table[i].text, table[i].label), table[i].expected, "%zu", i);
}

/* --- limits --- */

typedef struct countdown {
    volatile sig_atomic_t cancel;
    size_t polls, last; /* `last`: the poll that cancels; 0: none */
} countdown;

static void count_down(void *context, const char *phase, double done, double total)
{
    countdown *c = context;
    (void)phase;
    (void)done;
    (void)total;
    if (++c->polls == c->last) c->cancel = 1;
}

static f2l_task counted(countdown *c, size_t last)
{
    *c = (countdown){.last = last};
    return (f2l_task){.cancel = &c->cancel, .progress = count_down, .context = c};
}

/* Four bits, each with a letter that sets it and one that clears it: without limits the search
 * takes minutes. */
static void four_bits(uint32_t next[16 * 8])
{
    for (uint32_t q = 0; q < 16; q++)
        for (uint32_t b = 0; b < 4; b++) {
            next[q * 8 + 2 * b] = q | 1U << b;
            next[q * 8 + 2 * b + 1] = q & ~(1U << b);
        }
}

/* A path, its Newton steps, and the elimination behind it are polled: 1,000 polls come in seconds,
 * and after the last one none. */
Test(separation, stops_within_a_step)
{
    uint32_t next[16 * 8];
    const f2l_maps maps = {.states = 16, .letters = 8, .next = next};
    four_bits(next);
    for (size_t last = 1; last <= 1000; last *= 10) {
        countdown c;
        f2l_separation s;
        f2l_error err = {0};
        const f2l_task task = counted(&c, last);
        cr_assert_eq(f2l_separation_build(&s, &maps, &task, &err), F2L_UNKNOWN, "%zu", last);
        cr_assert_eq(c.polls, last);
        cr_assert(strstr(err.text, "interrupted"), "%s", err.text);
        cr_assert_not(s.has_form);
        f2l_separation_clear(&s);
    }
}

/* Wherever a search is stopped, it claims nothing. */
Test(separation, stopped_anywhere)
{
    static const uint32_t counter[] = {1, 0, 2, 0, 3, 1, 4, 2, 5, 3, 6, 4, 6, 5},
                          first[] = {1, 2, 1, 1, 2, 2};
    const f2l_maps each[] = {{.states = 7, .letters = 2, .next = counter},
                             {.states = 3, .letters = 2, .next = first}};
    for (size_t i = 0; i < 2; i++)
        for (size_t last = 1, ends = 0; !ends; last += 1 + last / 4) {
            countdown c;
            f2l_separation s;
            f2l_error err = {0};
            const f2l_task task = counted(&c, last);
            const f2l_status status = f2l_separation_build(&s, &each[i], &task, &err);
            ends = c.polls < last;
            cr_assert(status == F2L_OK || (status == F2L_UNKNOWN && c.polls == last));
            cr_assert((status == F2L_OK) == (s.verdict != F2L_SEPARATION_UNKNOWN));
            f2l_separation_clear(&s);
        }
}

Test(separation, tables_fit_the_memory)
{
    uint32_t next[16 * 8];
    const f2l_maps maps = {.states = 16, .letters = 8, .next = next};
    const f2l_task task = {.memory = 1 << 20};
    f2l_separation s;
    f2l_error err = {0};
    four_bits(next);
    cr_assert_eq(f2l_separation_build(&s, &maps, &task, &err), F2L_UNKNOWN);
    cr_assert(strstr(err.text, "memory limit reached: forms that separate states"), "%s", err.text);
}

static void random_matrix(fmpq_mat_t m, f2l_rng *rng)
{
    fmpq_mat_init(m, 1 + (slong)f2l_rng_below(rng, 6), 1 + (slong)f2l_rng_below(rng, 6));
    for (slong i = 0; i < fmpq_mat_nrows(m); i++)
        for (slong j = 0; j < fmpq_mat_ncols(m); j++)
            if (f2l_rng_below(rng, 3) > 0)
                fmpq_set_si(fmpq_mat_entry(m, i, j), (slong)f2l_rng_below(rng, 9) - 4,
                            1 + f2l_rng_below(rng, 4));
}

/* Rows are reduced as FLINT reduces them. */
Test(separation, elimination)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    for (int round = 0; round < 500; round++) {
        fmpq_mat_t m, reduced, basis, product, transposed;
        random_matrix(m, &rng);
        fmpq_mat_init_set(reduced, m);
        const slong rank = fmpq_mat_rref(reduced, m), columns = fmpq_mat_ncols(m);
        fmpq_mat_init(basis, 0, 0);
        f2l_null_space(basis, m, NULL);
        cr_assert_eq(fmpq_mat_nrows(basis), columns - rank);
        fmpq_mat_init(transposed, columns, columns - rank);
        fmpq_mat_init(product, fmpq_mat_nrows(m), columns - rank);
        fmpq_mat_transpose(transposed, basis);
        fmpq_mat_mul(product, m, transposed);
        cr_assert(fmpq_mat_is_zero(product));
        cr_assert_eq(f2l_reduce_rows(m, NULL), rank);
        cr_assert(fmpq_mat_equal(m, reduced));
        fmpq_mat_clear(m);
        fmpq_mat_clear(reduced);
        fmpq_mat_clear(basis);
        fmpq_mat_clear(product);
        fmpq_mat_clear(transposed);
    }
}
