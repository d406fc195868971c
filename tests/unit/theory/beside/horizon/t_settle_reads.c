/* What the search reads of many limits at once is what each limit gives by itself. */
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/horizon/learned_settle.h"
#include "theory/beside/horizon/limit_span.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MOST_STATE = 4096, MOST_O = 512, HEADS = 64, MOST_CYCLE = 64, MOST_LETTERS = 6 };

typedef struct fixture {
    trained_run run;
    f2l_learned_net net;
    f2l_limit limit;
    f2l_span span;
} fixture;

static void build(fixture *f)
{
    cr_assert(f2l_learned_net_build(&f->net, &f->run.model, f->run.parameters,
                                    f2l_learned_scope_at(0), NULL, &f->run.err) == F2L_OK);
    cr_assert(f2l_limit_init(&f->limit, &f->net, &f->run.err) == F2L_OK);
    cr_assert(f2l_span_init(&f->span, &f->net, &f->run.err) == F2L_OK);
    cr_assert(f->net.c->heads * f->net.c->key_dim * f->net.c->value_dim <= MOST_STATE);
}

static void clear(fixture *f)
{
    f2l_limit_clear(&f->limit);
    f2l_span_clear(&f->span);
    f2l_learned_net_clear(&f->net);
}

static void open_run(fixture *f, const char *folder)
{
    *f = (fixture){0};
    trained_run_open(&f->run, folder);
    build(f);
}

/* Opens a network with values, random weights and the sizes of learned-s3; letters have large
 * embeddings, so that states change few answers. */
static void open_values(fixture *f)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    open_run(f, "tests/data/learned-s3");
    clear(f);
    f2l_seq_config config = f->run.model.config;
    config.additive = true;
    f2l_seq_clear(&f->run.model);
    f2l_free(f->run.parameters);
    cr_assert(f2l_seq_init(&f->run.model, &config, &f->run.err) == F2L_OK);
    f->run.parameters = f2l_calloc(f->run.model.parameters, sizeof *f->run.parameters);
    for (size_t i = 0; i < f->run.model.parameters; i++)
        f->run.parameters[i] = (double)f2l_rng_u32(&rng) * 0x1p-31 - 1;
    const f2l_seq_tensor *e = &f->run.model.tensor[f->run.model.embedding];
    for (size_t i = 0; i < e->count; i++) f->run.parameters[e->offset + i] *= 8;
    build(f);
    cr_assert(f->span.values);
}

static void done(fixture *f)
{
    clear(f);
    trained_run_clear(&f->run);
}

/* Returns how many of the periods of one and two letters span the space. */
static size_t check_spans(fixture *f)
{
    const f2l_seq_config *c = f->net.c;
    const size_t H = c->heads, K = c->key_dim, V = c->value_dim;
    static double state[MOST_STATE], o[MOST_O], query[MOST_O], shift[MOST_O];
    size_t whole = 0;
    for (f2l_settle_word u = {1, {0}}; u.count < 3; f2l_settle_next_word(&u, c->letters)) {
        const size_t last = u.letter[u.count - 1];
        f2l_limit_set(&f->limit, &u);
        f2l_span_set(&f->span, &u);
        whole += f->span.full;
        cr_assert(f->span.full == f->limit.full && f->limit.fits);
        if (f->span.kind == F2L_SPAN_ROUGH) continue;
        cr_assert(f->span.kind == F2L_SPAN_FINE);
        const double rate = f2l_span_rate(&f->span), exact = f2l_limit_rate(&f->limit);
        cr_assert(isnan(rate) || rate == exact ||
                  fabs(log(rate) - log(exact)) <= -1e-6 * log(exact));
        limit_state_after(state, &f->net, &(f2l_settle_word){2, {1, 0}});
        f2l_limit_read(o, &f->limit, state);
        f2l_span_read(query, shift, &f->span, f->net.query + last * H * K);
        for (size_t i = 0; i < H * V; i++) {
            double sum = shift[i];
            for (size_t l = 0; l < K; l++)
                sum += query[i / V * K + l] * state[(i / V * K + l) * V + i % V];
            cr_assert_float_eq(sum / sqrt((double)K), o[i], 1e-10, "%zu", i);
        }
    }
    return whole;
}

/* Nearly dependent keys, and a map that is nearly 1, are left to f2l_limit_set. */
Test(settle_reads, spans_give_the_limits)
{
    fixture f;
    open_run(&f, "tests/data/learned-s3");
    const f2l_settle_word two = {2, {0, 1}};
    const size_t each = f.net.c->heads * f.net.c->key_dim;
    cr_assert(check_spans(&f) == 0);
    double *key = f.net.letter.array[F2L_DELTA_LETTER_KEY];
    f2l_span_set(&f.span, &two);
    cr_assert(f.span.kind == F2L_SPAN_FINE);
    memcpy(key + each, key, f.net.c->key_dim * sizeof *key);
    key[each] += 1e-6;
    f2l_span_set(&f.span, &two);
    cr_assert(f.span.kind == F2L_SPAN_ROUGH);
    key[each] -= 1e-6;
    f2l_span_set(&f.span, &two);
    f2l_limit_set(&f.limit, &two);
    cr_assert(f.span.kind == F2L_SPAN_DEPENDENT && !f.limit.fits);
    done(&f);
    open_values(&f);
    cr_assert(check_spans(&f) == 0);
    done(&f);
}

/* Returns the label of the largest logit for o, by the read-out of LH.5. */
static size_t answer_of(fixture *f, double *o, size_t letter)
{
    double radius[HEADS] = {0};
    size_t j = 0;
    for (f2l_learned_margin margin = {0}; j < f->net.c->labels; j++) {
        const f2l_learned_question q = {
            .letter = letter, .right = j, .centre = o, .radius = radius};
        f2l_learned_answer(&margin, &f->net, &q);
        if (margin.difference > 0) break;
    }
    cr_assert(j < f->net.c->labels, "a tie");
    return j;
}

/* Returns whether a state of the cycle that u leads a state to answers otherwise after w. */
static bool is_wrong(const f2l_fsa *fsa, size_t state, const f2l_settle_word *u,
                     const f2l_settle_word *w, size_t answer)
{
    bool wrong = false;
    for (size_t t = 0; t < 2 * MOST_CYCLE; t++) {
        for (size_t i = 0; i < u->count; i++)
            state = fsa->next[state * fsa->letters.count + u->letter[i]];
        size_t to = state;
        for (size_t i = 0; i < w->count; i++)
            to = fsa->next[to * fsa->letters.count + w->letter[i]];
        if (t >= MOST_CYCLE) wrong |= to != answer;
    }
    return wrong;
}

/* Sets the answers at the limit after z u^t w, for w empty and of one letter. */
static void find_answers(size_t *answer, fixture *f, const f2l_settle_word *z)
{
    const f2l_settle_word *u = &f->limit.period;
    static double limit[MOST_STATE], next[MOST_STATE], o[MOST_O];
    limit_state_after(next, &f->net, z);
    f2l_limit_states(limit, &f->limit, next);
    for (f2l_settle_word w = {0}; w.count < 2; f2l_settle_next_word(&w, f->net.c->letters)) {
        const size_t last = w.count > 0 ? w.letter[0] : u->letter[u->count - 1];
        memcpy(next, limit, sizeof next);
        limit_walk(&f->net, next, &w);
        limit_read_states(o, &f->net, next, last);
        *answer++ = answer_of(f, o, last);
    }
}

/* Returns whether the limit after z u^t w is wrong for some w of at most so many letters. */
static bool is_pair_wrong(fixture *f, const f2l_settle_word *z, size_t suffix)
{
    const f2l_fsa *fsa = &f->run.file.fsa;
    size_t at = fsa->start, answer[1 + MOST_LETTERS], i = 0;
    for (size_t l = 0; l < z->count; l++) at = fsa->next[at * fsa->letters.count + z->letter[l]];
    find_answers(answer, f, z);
    bool wrong = false;
    for (f2l_settle_word w = {0}; w.count <= suffix; f2l_settle_next_word(&w, fsa->letters.count))
        wrong |= is_wrong(fsa, at, &f->limit.period, &w, answer[i++]);
    return wrong;
}

/* Counts the wrong pairs of words of at most two letters, one by one. */
static size_t count_wrong(fixture *f, size_t suffix)
{
    const size_t letters = f->net.c->letters;
    size_t wrong = 0;
    for (f2l_settle_word u = {1, {0}}; u.count <= 2; f2l_settle_next_word(&u, letters)) {
        if (u.count == 2 && u.letter[0] == u.letter[1]) continue;
        f2l_limit_set(&f->limit, &u);
        cr_assert(f->limit.fits);
        for (f2l_settle_word z = {0}; z.count <= 2; f2l_settle_next_word(&z, letters))
            wrong += is_pair_wrong(f, &z, suffix);
    }
    return wrong;
}

static void check_count(fixture *f, size_t suffix)
{
    f2l_settle s;
    const f2l_settle_ask ask = {2, 1000, 4, suffix, 60, 100};
    cr_assert(f2l_settle_find(&s, &f->run.model, f->run.parameters, &f->run.file.fsa, false, &ask,
                              NULL, &f->run.err) == F2L_OK);
    const size_t wrong = count_wrong(f, suffix);
    cr_assert(s.complete && s.ties == 0 && s.wrong == wrong, "%zu %zu", s.wrong, wrong);
}

/* Makes the automaton one whose state is the most frequent answer after a letter. */
static void take_answers(fixture *f)
{
    const size_t letters = f->net.c->letters, labels = f->net.c->labels;
    size_t count[MOST_LETTERS][MOST_LETTERS] = {0}, answer[1 + MOST_LETTERS];
    cr_assert(letters <= MOST_LETTERS && labels == f->run.file.fsa.states.count);
    for (f2l_settle_word u = {1, {0}}; u.count <= 2; f2l_settle_next_word(&u, letters)) {
        f2l_limit_set(&f->limit, &u);
        for (f2l_settle_word z = {0}; z.count < 2; f2l_settle_next_word(&z, letters)) {
            find_answers(answer, f, &z);
            for (size_t w = 0; w < letters; w++) count[w][answer[1 + w]]++;
        }
    }
    for (size_t w = 0; w < letters; w++) {
        uint32_t best = 0;
        for (uint32_t j = 1; j < labels; j++)
            if (count[w][j] > count[w][best]) best = j;
        for (size_t q = 0; q < labels; q++) f->run.file.fsa.next[q * letters + w] = best;
    }
}

/* Also with automata whose state tells the last letter: one that is often right, and in every order
 * of the states, so that each answer is right in one of them. */
static void check_counts(fixture *f)
{
    const f2l_fsa *fsa = &f->run.file.fsa;
    const size_t letters = fsa->letters.count, states = fsa->states.count;
    cr_assert(states == letters);
    for (size_t suffix = 0; suffix < 2; suffix++) check_count(f, suffix);
    for (size_t i = 0; i < letters; i++) {
        for (size_t q = 0; q < states; q++)
            for (size_t w = 0; w < letters; w++)
                fsa->next[q * letters + w] = (uint32_t)((w + i) % states);
        check_count(f, 0);
    }
    take_answers(f);
    check_count(f, 1);
}

/* Without values answers are shared by periods, with values by prefixes only. */
Test(settle_reads, every_wrong_pair_is_counted)
{
    fixture f;
    open_run(&f, "tests/data/learned-s3");
    cr_assert(!f.span.values);
    check_counts(&f);
    done(&f);
    open_values(&f);
    check_counts(&f);
    done(&f);
}
