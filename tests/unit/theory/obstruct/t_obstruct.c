/* Words that act as cycles, compared with all short words; runs until a pair recurs, compared with
 * a list of all pairs; networks that are known to fail, and one that does not; certificates. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/models/hand_nets.h"
#include "theory/certify/cert/refute_cert.h"
#include "theory/obstruct/obstruct.h"
#include <math.h>
#include <stdio.h>

#define SEED 20261122
#define STATES 4

/* --- words --- */

static void random_fsa(f2l_fsa *fsa, size_t states, size_t letters, f2l_rng *rng)
{
    char text[600];
    size_t at = (size_t)snprintf(text, sizeof text, "start q0\naccept q%zu\n", states - 1);
    for (size_t q = 0; q < states; q++)
        for (size_t a = 0; a < letters; a++)
            at += (size_t)snprintf(text + at, sizeof text - at, "q%zu %zu q%zu\n", q, a,
                                   (size_t)f2l_rng_below(rng, states));
    fsa_from_text(fsa, text);
}

static size_t reads(const f2l_fsa *fsa, size_t q, const size_t *word, size_t length)
{
    for (size_t i = 0; i < length; i++) q = fsa->next[q * fsa->letters.count + word[i]];
    return q;
}

/* Returns whether the word leads some state round a cycle with two labels. */
static bool cycles(const f2l_fsa *fsa, f2l_label label, const size_t *word, size_t length)
{
    bool found = false;
    for (size_t q = 0; q < fsa->states.count; q++) {
        size_t p = q;
        for (size_t i = 0; i < 2 * fsa->states.count; i++) p = reads(fsa, p, word, length);
        const char *first = f2l_fsa_label(fsa, label, p);
        for (size_t i = 0; i < fsa->states.count; i++) {
            p = reads(fsa, p, word, length);
            found = found || strcmp(f2l_fsa_label(fsa, label, p), first) != 0;
        }
    }
    return found;
}

/* Returns the length of a shortest such word, 0 when none has up to `most` letters. All states are
 * reachable in the automata of these tests, because others are dropped when they are read. */
static size_t shortest(const f2l_fsa *fsa, f2l_label label, size_t most)
{
    for (size_t length = 1; length <= most; length++) {
        size_t count = 1;
        for (size_t i = 0; i < length; i++) count *= fsa->letters.count;
        for (size_t w = 0; w < count; w++) {
            size_t word[8], rest = w;
            for (size_t i = 0; i < length; i++, rest /= fsa->letters.count)
                word[i] = rest % fsa->letters.count;
            if (cycles(fsa, label, word, length)) return length;
        }
    }
    return 0;
}

/* Checks the witness: labels from `from` on have its period and no smaller one. */
static void check_witness(const f2l_fsa *fsa, f2l_label label, const f2l_witness *w)
{
    const char *at[400];
    size_t q = reads(fsa, fsa->start, w->letter, w->prefix);
    cr_assert(w->from >= w->prefix && w->from + 3 * w->period < 400);
    for (size_t i = w->prefix; i < 400; i++) {
        at[i] = f2l_fsa_label(fsa, label, q);
        q = reads(fsa, q, w->letter + w->prefix + (i - w->prefix) % w->length, 1);
    }
    for (size_t p = 1; p <= w->period; p++) {
        bool repeats = true;
        for (size_t i = (size_t)w->from; i + p < 400; i++)
            repeats = repeats && strcmp(at[i], at[i + p]) == 0;
        cr_assert_eq(repeats, p == w->period || (p % w->period == 0));
    }
}

Test(obstruct, shortest_words)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    size_t found = 0, none = 0;
    for (size_t i = 0; i < 300; i++) {
        f2l_fsa fsa;
        f2l_witness w;
        size_t dropped;
        random_fsa(&fsa, 2 + i % 3, 2, &rng);
        cr_assert_eq(f2l_fsa_trim(&fsa, &dropped, NULL), F2L_OK);
        const f2l_label label = i % 2 ? F2L_LABEL_ACCEPT : F2L_LABEL_STATES;
        f2l_witness_init(&w);
        cr_assert_eq(f2l_witness_find(&w, &fsa, label, 0, NULL, NULL), F2L_OK);
        const size_t length = shortest(&fsa, label, 6);
        if (length > 0) cr_assert_eq(w.length, length);
        cr_assert(length > 0 || w.length == 0 || w.length > 6);
        if (w.length > 0) {
            cr_assert(w.words > 1 && cycles(&fsa, label, w.letter + w.prefix, w.length));
            check_witness(&fsa, label, &w);
        }
        found += w.length > 0;
        none += w.length == 0;
        f2l_witness_clear(&w);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(found > 50 && none > 50);
}

/* The cycle comes after a transient, and a word of one letter with an odd cycle comes before an
 * even one. */
Test(obstruct, prefix_and_odd_cycles)
{
    f2l_fsa fsa;
    f2l_witness w;
    fsa_from_text(&fsa, "start s\ns a s\ns b p\np a q\np b p\nq a p\nq b q\n");
    f2l_witness_init(&w);
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 0, NULL, NULL), F2L_OK);
    cr_assert(w.prefix == 1 && w.length == 1 && w.letter[0] == 1 && w.letter[1] == 0 &&
              w.period == 2);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "points 5\ntrack elements\npermute a (1 2)\npermute b (3 4 5)\n");
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 0, NULL, NULL), F2L_OK);
    cr_assert(w.prefix == 0 && w.length == 1 && w.letter[0] == 1 && w.period == 3);
    /* a limit, so no statement */
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "start s\ns a t\ns b s\nt a t\nt b u\nu a t\nu b u\n");
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 1, NULL, NULL), F2L_UNKNOWN);
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 2, NULL, NULL), F2L_UNKNOWN);
    const f2l_task small = {.memory = 80};
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 0, &small, NULL), F2L_UNKNOWN);
    /* all words, a, b and ab, were tried: there is none */
    cr_assert_eq(f2l_witness_find(&w, &fsa, F2L_LABEL_STATES, 3, NULL, NULL), F2L_OK);
    cr_assert_eq(w.length, 0);
    f2l_witness_clear(&w);
    f2l_fsa_clear(&fsa);
}

/* --- runs --- */

static long small(f2l_rng *rng)
{
    return (long)f2l_rng_below(rng, 9) - 4;
}

/* Draws one or two layers of one raw head (n <= 2, d = 1) for the automaton, with random codes and
 * symbols. */
static void random_net(f2l_net *net, const f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t layers = 1 + f2l_rng_below(rng, 2), states = fsa->states.count;
    hand_net(net, fsa, F2L_LABEL_STATES, layers);
    for (size_t l = 0; l < layers; l++) {
        f2l_layer *layer = &net->layer[l];
        const size_t letters = l == 0 ? fsa->letters.count : states;
        cr_assert_eq(f2l_layer_set_heads(layer, letters, 1, NULL), F2L_OK);
        f2l_head *head = &layer->head[0];
        head->n = 1 + f2l_rng_below(rng, 2);
        head->d = 1;
        head->raw = true;
        cr_assert_eq(f2l_qvec_push_si(&head->initial, 0, 1, 1, NULL), F2L_OK);
        for (size_t a = 0; a < letters; a++) {
            f2l_transition *t = &head->letter[a];
            cr_assert_eq(f2l_transition_set_factors(t, f2l_rng_below(rng, 2), NULL), F2L_OK);
            mpq_set_si(t->gate, (long)f2l_rng_below(rng, 5), 4);
            mpq_canonicalize(t->gate);
            for (size_t f = 0; f < t->factors; f++) {
                mpq_set_si(t->factor[f].beta, (long)f2l_rng_below(rng, 9), 4);
                mpq_canonicalize(t->factor[f].beta);
                cr_assert_eq(f2l_qvec_push_si(&t->factor[f].u,
                                              (uint32_t)f2l_rng_below(rng, head->n),
                                              f2l_rng_below(rng, 2) ? 1 : -1, 1, NULL),
                             F2L_OK);
            }
            for (size_t i = 0; i < head->n; i++)
                cr_assert_eq(f2l_qvec_push_si(&t->bias, (uint32_t)i, small(rng), 4, NULL), F2L_OK);
        }
        cr_assert_eq(f2l_layer_set_codes(layer, 3, states, false, NULL), F2L_OK);
        for (size_t c = 0; c < 3; c++) {
            cr_assert_eq(f2l_qvec_push_si(&layer->code[c], 0, 2 * (long)c - 2, 1, NULL), F2L_OK);
            layer->symbol[c] =
                f2l_rng_below(rng, 8) ? (uint32_t)f2l_rng_below(rng, states) : F2L_NO_SYMBOL;
        }
    }
}

#define PAIRS 3000

/* Checks a run by keeping every pair on the way: it finds the first recurrence at the end of a w by
 * comparing all. */
static void check_run(const f2l_failure *f, const f2l_net *model, const f2l_fsa *fsa,
                      const f2l_witness *w, const f2l_format *format, const f2l_schedule *schedule)
{
    static double joint[PAIRS][8];
    static size_t state[PAIRS];
    static bool wrong[PAIRS];
    f2l_float_net *net;
    cr_assert_eq(f2l_float_net_new(&net, model, format, schedule, NULL), F2L_OK);
    const size_t size = f2l_float_size(net);
    cr_assert(size <= 8);
    size_t n = 0, back = PAIRS, first = 0;
    bool finite = true;
    f2l_float_start(net, joint[0]);
    state[0] = fsa->start;
    for (; finite && n + 1 < PAIRS; n++) {
        if (n >= w->prefix && (n - w->prefix) % w->length == 0) {
            for (back = w->prefix; back < n; back += w->length) {
                bool same = state[back] == state[n];
                for (size_t i = 0; i < size; i++) same = same && joint[back][i] == joint[n][i];
                if (same) break;
            }
            if (back < n) break;
        }
        const size_t letter =
            n < w->prefix ? w->letter[n] : w->letter[w->prefix + (n - w->prefix) % w->length];
        uint32_t label;
        memcpy(joint[n + 1], joint[n], sizeof *joint);
        cr_assert_eq(f2l_float_step(net, joint[n + 1], letter, &label, NULL), F2L_OK);
        state[n + 1] = reads(fsa, state[n], &letter, 1);
        wrong[n + 1] =
            label == F2L_NO_SYMBOL || strcmp(f2l_names_get(&model->labels, label),
                                             f2l_names_get(&fsa->states, state[n + 1])) != 0;
        for (size_t i = 0; i < size; i++) finite = finite && isfinite(joint[n + 1][i]);
        if (wrong[n + 1] && first == 0) first = n + 1;
    }
    f2l_float_net_free(net);
    cr_assert(n + 1 < PAIRS);
    cr_assert_eq(f->first, first);
    cr_assert_eq(f->recurs, finite);
    cr_assert_eq(f->verdict, first ? F2L_REFUTED : F2L_OK);
    if (!finite) return;
    size_t before = 0, around = 0;
    for (size_t i = 1; i <= n; i++) *(i <= back ? &before : &around) += wrong[i];
    cr_assert(f->preperiod == back && f->period == n - back && f->wrong == around &&
              f->wrong_before == before);
    cr_assert_eq(f->period % f->pattern, 0);
    size_t residues = 0;
    for (size_t i = back + 1; i <= n; i++) {
        bool listed = false;
        for (size_t r = 0; r < f->residues; r++) listed = listed || i % f->pattern == f->residue[r];
        cr_assert(listed == wrong[i] || f->residues == F2L_FAILURE_RESIDUES);
        residues += wrong[i];
    }
    cr_assert(f->residues == F2L_FAILURE_RESIDUES ||
              residues == f->residues * (f->period / f->pattern));
}

Test(obstruct, runs_are_those_of_a_list)
{
    f2l_rng rng;
    size_t recurred = 0, refuted = 0, late = 0;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t i = 0; i < 400; i++) {
        f2l_fsa fsa;
        f2l_net model;
        f2l_witness w;
        f2l_failure f;
        char name[F2L_FORMAT_NAME];
        f2l_format format;
        f2l_error err = {0};
        random_fsa(&fsa, 2 + i % 2, 2, &rng);
        f2l_net_init(&model);
        random_net(&model, &fsa, &rng);
        const size_t prefix = f2l_rng_below(&rng, 3), length = 1 + f2l_rng_below(&rng, 3);
        size_t letters[6];
        for (size_t j = 0; j < prefix + length; j++) letters[j] = f2l_rng_below(&rng, 2);
        f2l_witness_init(&w);
        cr_assert_eq(f2l_witness_set(&w, &fsa, F2L_LABEL_STATES, letters, prefix, length, NULL),
                     F2L_OK);
        check_witness(&fsa, F2L_LABEL_STATES, &w);
        cr_assert_eq(f2l_format_parse(&format, name,
                                      i % 2 ? "p=4,emin=-4,emax=4" : "p=3,emin=-3,emax=1", &err),
                     F2L_OK, "%s", err.text);
        const f2l_schedule *schedule = &f2l_schedules[i % 3 == 2 ? 2 : i % 3];
        cr_assert_eq(f2l_failure_find(&f, &model, &fsa, &w, &format, schedule, 0, NULL, &err),
                     F2L_OK, "%s", err.text);
        check_run(&f, &model, &fsa, &w, &format, schedule);
        recurred += f.recurs;
        refuted += f.verdict == F2L_REFUTED;
        late += f.recurs && f.preperiod > 8;
        f2l_witness_clear(&w);
        f2l_net_clear(&model);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(recurred > 100 && refuted > 100 && late > 5, "%zu %zu %zu", recurred, refuted, late);
}

/* Makes parity with A = numerator/denominator: letter 1 moves S towards -1 (beta <= 1) or changes
 * its sign (beta 2). */
static void parity_net(f2l_net *model, f2l_fsa *fsa, long numerator, long denominator, long write)
{
    fsa_from_text(fsa, hand_parity_text);
    f2l_net_init(model);
    hand_net(model, fsa, F2L_LABEL_STATES, 1);
    static const long one[] = {1}, codes[] = {1, -1};
    f2l_head *head = hand_head(model, 0, 2, 1, one);
    hand_factor(head, 1, 1, one, write);
    mpq_set_si(head->letter[1].factor[0].beta, numerator, (unsigned long)denominator);
    mpq_canonicalize(head->letter[1].factor[0].beta);
    hand_codes(model, 0, 2, codes);
}

static f2l_failure run_of(const f2l_net *model, const f2l_fsa *fsa, const char *format,
                          uint64_t limit)
{
    f2l_witness w;
    f2l_failure f;
    f2l_error err = {0};
    f2l_witness_init(&w);
    cr_assert_eq(f2l_witness_find(&w, fsa, F2L_LABEL_STATES, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_failure_find(&f, model, fsa, &w, format ? f2l_format_find(format) : NULL,
                                  f2l_schedule_find("every"), limit, NULL, &err),
                 F2L_OK, "%s", err.text);
    f2l_witness_clear(&w);
    return f;
}

Test(obstruct, parity_without_negative_eigenvalues)
{
    f2l_net model;
    f2l_fsa fsa;
    parity_net(&model, &fsa, 1, 1, -1); /* a reset: every state is a code */
    f2l_failure f = run_of(&model, &fsa, NULL, 0);
    cr_assert(f.verdict == F2L_REFUTED && f.codes && f.recurs && f.first == 2 && f.preperiod == 1 &&
              f.period == 2);
    cr_assert(f.constant && f.constant_label == 1 && f.pattern == 2 && f.residues == 1 &&
              f.residue[0] == 0);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
    parity_net(&model, &fsa, 3, 4, -1); /* S -> S/4 - 3/4: exact states never recur */
    f = run_of(&model, &fsa, NULL, 0);
    cr_assert(f.verdict == F2L_REFUTED && !f.codes && !f.recurs && f.first == 2 && *f.reason);
    f = run_of(&model, &fsa, "bf16", 0);
    cr_assert(f.verdict == F2L_REFUTED && f.recurs && f.first == 2 && f.constant &&
              f.pattern == 2 && f.wrong == 1);
    f = run_of(&model, &fsa, "bf16", 3); /* too short to recur, but wrong */
    cr_assert(f.verdict == F2L_REFUTED && !f.recurs && f.first == 2);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
    parity_net(&model, &fsa, 2, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        f = run_of(&model, &fsa, i ? f2l_formats[i].name : NULL, 0);
        cr_assert(f.verdict == F2L_OK && f.recurs && !f.first && f.preperiod == 0 &&
                  f.period == 2 && !f.constant);
    }
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}

/* A = -3/4 is right in formats, at every length, and exactly too with nearest codes, as far as it
 * is run (theory/pages/parity.md, P9). */
Test(obstruct, decaying_parity)
{
    f2l_net model;
    f2l_fsa fsa;
    parity_net(&model, &fsa, 7, 4, 0);
    f2l_failure f = run_of(&model, &fsa, "fp16", 0);
    cr_assert(f.verdict == F2L_OK && f.recurs && f.preperiod > 20);
    f = run_of(&model, &fsa, NULL, 0);
    cr_assert(f.verdict == F2L_UNKNOWN && !f.recurs && !f.first && f.letters > 1000);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}

Test(obstruct, refused)
{
    f2l_net model;
    f2l_fsa fsa;
    f2l_witness w;
    f2l_failure f;
    char name[F2L_FORMAT_NAME];
    f2l_format stochastic;
    parity_net(&model, &fsa, 2, 1, 0);
    f2l_witness_init(&w);
    cr_assert_eq(f2l_witness_set(&w, &fsa, F2L_LABEL_STATES, (const size_t[]){1}, 0, 1, NULL),
                 F2L_OK);
    cr_assert_eq(f2l_format_parse(&stochastic, name, "bf16,round=stochastic", NULL), F2L_OK);
    cr_assert_eq(f2l_failure_find(&f, &model, &fsa, &w, &stochastic, f2l_schedule_find("every"), 0,
                                  NULL, NULL),
                 F2L_OK);
    cr_assert(f.verdict == F2L_UNKNOWN && *f.reason && !f.letters);
    cr_assert_eq(f2l_failure_find(&f, &model, &fsa, &w, f2l_format_find("bf16"),
                                  f2l_schedule_find("chunk64"), 0, NULL, NULL),
                 F2L_OK);
    cr_assert(f.verdict == F2L_UNKNOWN && *f.reason && !f.letters);
    f2l_witness_clear(&w);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}

/* --- certificates --- */

#define NET_SHA "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

Test(obstruct, certificates)
{
    f2l_net model;
    f2l_fsa fsa;
    f2l_buf out;
    f2l_error err;
    static const size_t word[] = {0, 1};
    const f2l_format *bf16 = f2l_format_find("bf16");
    const f2l_schedule *every = f2l_schedule_find("every");
    parity_net(&model, &fsa, 3, 4, -1);
    f2l_refuting_run run = {word + 1, 0, 1, 5, 2};
    f2l_buf_init(&out);
    cr_assert_eq(f2l_refute_cert_write(&out, &model, &fsa, &run, bf16, every, NET_SHA, &err),
                 F2L_OK);
    cr_assert(strstr(out.data, "\nclaim refuted\nformat precision 8 "));
    cr_assert(strstr(out.data, "\n"
                               "letters 2 states 2 numbers 1 rows 7\n"
                               "word 2\n"
                               "row 1 state 1 numbers 1\n"));
    cr_assert(strstr(out.data, "\nrow 7 state 1 numbers -1\nback 6\nend 7\nsha256 "));
    f2l_buf_clear(&out);
    run = (f2l_refuting_run){word, 1, 1, 6, 2}; /* the same after a letter that does nothing */
    cr_assert_eq(f2l_refute_cert_write(&out, &model, &fsa, &run, bf16, every, NET_SHA, &err),
                 F2L_OK);
    cr_assert(strstr(out.data, "\n"
                               "prefix 1\n"
                               "word 2\n"
                               "row 1 state 1 numbers 1\n"
                               "row 2 state 1 numbers 1\n"));
    f2l_buf_clear(&out);
    static const f2l_refuting_run bad[] = {{word + 1, 0, 1, 4, 2},
                                           {word + 1, 0, 1, 5, 1},
                                           {word + 1, 0, 1, 5, 3},
                                           {word, 0, 2, 5, 3},
                                           {word, 1, 1, 0, 2},
                                           {word + 1, 0, 1, 5, 0},
                                           {word + 1, 0, 1, 5, F2L_REFUTE_ROWS}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(f2l_refute_cert_write(&out, &model, &fsa, &bad[i], bf16, every, NET_SHA, &err),
                     F2L_EDOMAIN, "%zu", i);
        cr_assert_eq(out.size, 0);
    }
    run = (f2l_refuting_run){word + 1, 0, 1, 5, 2};
    cr_assert_eq(f2l_refute_cert_write(&out, &model, &fsa, &run, bf16, f2l_schedule_find("chunk64"),
                                       NET_SHA, &err),
                 F2L_EDOMAIN);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
    parity_net(&model, &fsa, 2, 1, 0); /* is right */
    run = (f2l_refuting_run){word + 1, 0, 1, 0, 2};
    cr_assert_eq(f2l_refute_cert_write(&out, &model, &fsa, &run, bf16, every, NET_SHA, &err),
                 F2L_EDOMAIN);
    f2l_buf_clear(&out);
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
static f2l_status everything(const f2l_net *model, const f2l_fsa *fsa, const f2l_format *format)
{
    f2l_witness w;
    f2l_failure f;
    f2l_buf out;
    f2l_witness_init(&w);
    f2l_buf_init(&out);
    f2l_status status = f2l_witness_find(&w, fsa, F2L_LABEL_STATES, 0, NULL, NULL);
    if (status == F2L_OK)
        status = f2l_failure_find(&f, model, fsa, &w, format, f2l_schedule_find("every"), 200, NULL,
                                  NULL);
    if (status == F2L_OK && format) {
        const f2l_refuting_run run = {w.letter, w.prefix, w.length, f.preperiod, f.period};
        status = f2l_refute_cert_write(&out, model, fsa, &run, format, f2l_schedule_find("every"),
                                       NET_SHA, NULL);
    }
    f2l_buf_clear(&out);
    f2l_witness_clear(&w);
    return status;
}

Test(obstruct, memory_failures)
{
    f2l_net model;
    f2l_fsa fsa;
    parity_net(&model, &fsa, 3, 4, -1);
    for (int exact = 0; exact < 2; exact++) {
        size_t n = 0;
        f2l_status status = F2L_ENOMEM;
        while (status == F2L_ENOMEM) {
            f2l_mem_fail_after(++n, false);
            status = everything(&model, &fsa, exact ? NULL : f2l_format_find("bf16"));
            f2l_mem_fail_after(0, false);
        }
        cr_assert(status == F2L_OK && n > 20, "%d %zu", (int)status, n);
    }
    f2l_net_clear(&model);
    f2l_fsa_clear(&fsa);
}
#endif
