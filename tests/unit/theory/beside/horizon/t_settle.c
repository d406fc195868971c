#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/horizon/learned_settle.h"
#include "theory/beside/horizon/limit.h"
#include "theory/beside/horizon/suffixes.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define RUN "tests/data/learned-s3"
enum { MOST_STATE = 4096, HEADS = 64 };

typedef struct fixture {
    trained_run run;
    f2l_learned_net net;
} fixture;

static void build_net(fixture *f)
{
    f2l_learned_net_clear(&f->net);
    cr_assert(f2l_learned_net_build(&f->net, &f->run.model, f->run.parameters,
                                    f2l_learned_scope_at(0), NULL, &f->run.err) == F2L_OK);
    const f2l_seq_config *c = f->net.c;
    cr_assert(c->heads * c->key_dim * c->value_dim <= MOST_STATE && c->heads <= HEADS);
}

static void open_run(fixture *f)
{
    f->net = (f2l_learned_net){0};
    trained_run_open(&f->run, RUN);
    build_net(f);
}

static void done(fixture *f)
{
    f2l_learned_net_clear(&f->net);
    trained_run_clear(&f->run);
}

static f2l_status find(fixture *f, f2l_settle *out, size_t length, size_t words,
                       const f2l_task *task)
{
    const f2l_settle_ask ask = {length, words, 24, 1, 60, 2000};
    return f2l_settle_find(out, &f->run.model, f->run.parameters, &f->run.file.fsa, false, &ask,
                           task, &f->run.err);
}

/* Returns the greatest distance of two o in a head, in units of the radii. */
static double distance(const f2l_learned_net *net, const double *o, const double *p,
                       const double *radius)
{
    const size_t V = net->c->value_dim;
    double most = 0;
    for (size_t h = 0; h < net->c->heads; h++) {
        double squares = 0;
        for (size_t j = h * V; j < (h + 1) * V; j++) squares += (o[j] - p[j]) * (o[j] - p[j]);
        most = fmax(most, sqrt(squares) / (radius ? radius[h] : 1));
    }
    return most;
}

/* States are in the ball of each t from t on, also far behind it; returns how many limits leave a
 * part of the state alone. */
static size_t check_balls(fixture *f)
{
    static const f2l_settle_word periods[] = {
        {1, {2}}, {1, {4}}, {2, {1, 3}}, {3, {5, 1, 2}}, {4, {0, 1, 3, 5}}};
    static const f2l_settle_word prefixes[] = {{0, {0}}, {2, {3, 4}}};
    static const f2l_settle_word suffixes[] = {{0, {0}}, {1, {0}}, {3, {2, 5, 1}}};
    static double state[MOST_STATE], o[MOST_STATE], p[MOST_STATE], radius[HEADS];
    static double after_suffix[MOST_STATE];
    const double off[HEADS] = {0};
    f2l_limit limit;
    size_t parts = 0;
    cr_assert(f2l_limit_init(&limit, &f->net, &f->run.err) == F2L_OK);
    for (size_t i = 0; i < sizeof periods / sizeof *periods * 2; i++) {
        const f2l_settle_word *u = &periods[i / 2], *z = &prefixes[i % 2];
        const f2l_settle_word *w = &suffixes[i % 3], *end = w->count > 0 ? w : u;
        const size_t last = end->letter[end->count - 1];
        f2l_limit_set(&limit, u);
        cr_assert(limit.fits);
        parts += !limit.full;
        cr_assert(f2l_limit_rate(&limit) < 1 + 1e-5);
        for (size_t after = 0; after <= 32; after = 2 * after + 1) {
            limit_state_after(state, &f->net, z);
            f2l_limit_ball(o, radius, &limit, state, off, after, w);
            for (size_t t = 0; t < 64; t++, limit_walk(&f->net, state, u)) {
                memcpy(after_suffix, state, sizeof state);
                limit_walk(&f->net, after_suffix, w);
                limit_read_states(p, &f->net, after_suffix, last);
                if (t >= after) cr_assert(distance(&f->net, o, p, radius) <= 1, "%zu %zu", i, t);
            }
        }
        limit_state_after(state, &f->net, z);
        f2l_limit_ball(o, radius, &limit, state, off, 20000, w);
        const double far = radius[0];
        for (size_t t = 0; t < 20000; t++) limit_walk(&f->net, state, u);
        limit_walk(&f->net, state, w);
        limit_read_states(p, &f->net, state, last);
        cr_assert(distance(&f->net, o, p, radius) <= 1, "%zu", i);
        limit_state_after(state, &f->net, z);
        f2l_limit_ball(o, radius, &limit, state, off, 0, w);
        cr_assert(far < 0.1 * radius[0] || radius[0] < 1e-6, "%zu: %g %g", i, far, radius[0]);
    }
    f2l_limit_clear(&limit);
    return parts;
}

/* Four letters have as many keys as dimensions, three have fewer; with the keys of the first
 * factors 0 four have fewer, too. */
Test(settle, balls_hold_the_states)
{
    fixture f;
    open_run(&f);
    cr_assert(check_balls(&f) == 8);
    const f2l_seq_tensor *key = &f.run.model.tensor[f.run.model.layer[0].mixer[F2L_DELTA_KEY]];
    const size_t factors = f.run.model.config.householders;
    for (size_t i = 0; i < key->count / factors; i++) f.run.parameters[key->offset + i] = 0;
    build_net(&f);
    cr_assert(check_balls(&f) == 10);
    done(&f);
}

/* What suffixes read of a state is what is read of the state after them, and states follow. */
Test(settle, suffixes_are_read)
{
    static double state[MOST_STATE], next[MOST_STATE], o[MOST_STATE], p[MOST_STATE];
    fixture f;
    f2l_suffixes x;
    open_run(&f);
    const f2l_fsa *fsa = &f.run.file.fsa;
    cr_assert(f2l_suffixes_init(&x, &f.net, fsa, 1 + 6 + 36 + 1, &f.run.err) == F2L_OK);
    cr_assert(x.word[0].count == 0 && x.word[7].count == 2 && x.word[43].count == 3);
    limit_state_after(state, &f.net, &(f2l_settle_word){3, {4, 1, 2}});
    for (size_t i = 1; i < x.count; i++) {
        const f2l_settle_word *w = &x.word[i];
        memcpy(next, state, sizeof next);
        limit_walk(&f.net, next, w);
        limit_read_states(p, &f.net, next, w->letter[w->count - 1]);
        f2l_suffixes_read(o, &x, i, state);
        cr_assert(distance(&f.net, o, p, NULL) < 1e-12, "%zu", i);
        for (size_t q = 0; q < fsa->states.count; q++) {
            size_t to = q;
            for (size_t j = 0; j < w->count; j++)
                to = fsa->next[to * fsa->letters.count + w->letter[j]];
            cr_assert(x.state[i * fsa->states.count + q] == to && x.state[q] == q);
        }
    }
    f2l_suffixes_clear(&x);
    done(&f);
}

/* Returns letter i of z u^t w of that length. */
static uint32_t letter_of(const f2l_settle *s, size_t i, size_t length)
{
    if (i < s->prefix.count) return s->prefix.letter[i];
    if (length - i <= s->suffix.count) return s->suffix.letter[i + s->suffix.count - length];
    return s->period.letter[(i - s->prefix.count) % s->period.count];
}

/* Returns the trained model's answer to z u^t w, in float32. */
static size_t answer_to(fixture *f, const f2l_settle *s, size_t t)
{
    const size_t length = s->prefix.count + t * s->period.count + s->suffix.count;
    uint32_t *letter = f2l_calloc(2 * length, sizeof *letter), *answer = letter + length;
    const f2l_seq_plan plan = {1, length, false};
    const f2l_seq_batch batch = {.sequences = 1, .length = length, .letter = letter};
    f2l_seq_work_f32 *work = NULL;
    for (size_t i = 0; i < length; i++) letter[i] = letter_of(s, i, length);
    cr_assert(f2l_seq_work_new_f32(&work, &f->run.model, &plan, NULL, &f->run.err) == F2L_OK);
    cr_assert(f2l_seq_answers_f32(answer, NULL, &batch, f->run.stored, work, &f->run.err) ==
              F2L_OK);
    const size_t last = answer[length - 1];
    f2l_seq_work_free_f32(work);
    f2l_free(letter);
    return last;
}

/* Float32 is another scope, but margins are large here. */
Test(settle, claim_is_what_the_model_answers)
{
    fixture f;
    f2l_settle s;
    open_run(&f);
    cr_assert(find(&f, &s, 2, 1000, NULL) == F2L_OK);
    cr_assert(s.verdict == F2L_SETTLE_FAILS && s.complete && s.group && s.length == 2);
    cr_assert(s.prefixes == 1 + 6 + 36 && s.periods == 6 + 36 - 6);
    cr_assert(s.suffixes == 1 + 6);
    cr_assert(s.cycle > 1 && s.wrong_states + 1 >= s.cycle && s.after > 0);
    cr_assert((double)s.found <= s.within && s.found > 5);
    for (size_t t = s.after; t < s.after + 3; t++)
        cr_assert(answer_to(&f, &s, t) == s.answer, "%zu", t);
    done(&f);
}

/* Ends the task at the eighth period. */
typedef struct ending {
    volatile sig_atomic_t cancel;
    sig_atomic_t by;
} ending;

static void end_early(void *context, const char *phase, double done, double total)
{
    ending *e = context;
    (void)total;
    if (strcmp(phase, "periods") == 0 && done >= 8) e->cancel = e->by;
}

/* A limit of the task leaves what was found, a signal nothing. */
Test(settle, a_limit_keeps_what_was_found)
{
    fixture f;
    f2l_settle s;
    ending e = {.by = F2L_CANCEL_MEMORY};
    const f2l_task task = {.cancel = &e.cancel, .progress = end_early, .context = &e};
    open_run(&f);
    cr_assert(find(&f, &s, 2, 1000, &task) == F2L_OK);
    cr_assert(s.ended == F2L_STOP_MEMORY && s.verdict == F2L_SETTLE_FAILS && !s.complete);
    cr_assert(s.periods >= 6 && s.periods <= 9 && s.wrong > 0);
    for (size_t t = s.after; t < s.after + 2; t++)
        cr_assert(answer_to(&f, &s, t) == s.answer, "%zu", t);
    e = (ending){.by = 1};
    cr_assert(find(&f, &s, 2, 1000, &task) == F2L_UNKNOWN);
    const f2l_task timed = {.deadline = f2l_now() + 1};
    cr_assert(find(&f, &s, 12, 1000000, &timed) == F2L_OK);
    cr_assert(s.ended == F2L_STOP_TIME && !s.complete);
    cr_assert(find(&f, &s, 1, 1000, NULL) == F2L_OK && s.ended == F2L_STOP_NONE && s.complete);
    done(&f);
}

/* The word that was met is spelled with its cut last period, or with its suffix. */
Test(settle, words_are_spelled)
{
    uint32_t word[F2L_SETTLE_RUN];
    f2l_settle s = {.found = 7, .found_prefix = {1, {4}}, .found_period = {3, {0, 1, 2}}};
    f2l_settle_spell(word, &s);
    cr_assert_arr_eq(word, ((uint32_t[]){4, 0, 1, 2, 0, 1, 2}), 7 * sizeof *word);
    s.found = 6;
    s.found_suffix = (f2l_settle_word){2, {5, 3}};
    f2l_settle_spell(word, &s);
    cr_assert_arr_eq(word, ((uint32_t[]){4, 0, 1, 2, 5, 3}), 6 * sizeof *word);
}

Test(settle, limits_of_the_search)
{
    fixture f;
    f2l_settle s;
    open_run(&f);
    cr_assert(find(&f, &s, 12, 5, NULL) == F2L_OK);
    cr_assert(s.prefixes == 5 && s.periods == 4 && !s.complete);
    const sig_atomic_t cancel = 1;
    const f2l_task task = {.cancel = &cancel};
    cr_assert(find(&f, &s, 2, 1000, &task) == F2L_UNKNOWN);
    f.run.model.config.forget_gate = true;
    cr_assert(find(&f, &s, 2, 1000, NULL) == F2L_EDOMAIN && strstr(f.run.err.text, "forget gate"));
    f.run.model.config.forget_gate = false;
    f2l_buf text;
    f2l_buf_init(&text);
    s.verdict = F2L_SETTLE_TIE;
    cr_assert(f2l_settle_write(&text, &s, &(f2l_learned_files){0}, &f.run.err) == F2L_EDOMAIN);
    cr_assert_str_eq(f2l_settle_name(s.verdict), "tie");
    f2l_buf_clear(&text);
    done(&f);
}
