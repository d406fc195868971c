/* The search for words z u^t w that are wrong at the limit (theory/pages/all-lengths.md). */
#include "theory/beside/horizon/learned_settle.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/settle_impl.h"
#include <math.h>
#include <string.h>

/* Prefixes that a period with a cycle is tried with, as AL.3 says that all of them are wrong or
 * tie. */
enum { GROUP_PREFIXES = 64, PREFIX_BYTES = 1 << 28 };
/* Suffixes, with the empty one; answers after the others that are looked at, about: as many
 * prefixes get suffixes, the shortest ones. */
enum { MOST_SUFFIXES = 256, SUFFIX_READS = 1 << 21 };
#define TIE 1e-9    /* of the sizes of what logits are sums of */
#define SURELY 1e-3 /* of a score that f2l_settle_reads say */

enum { RIGHT, TIED, WRONG };

const char *f2l_settle_name(f2l_settle_verdict verdict)
{
    static const char *const names[] = {"none", "tie", "fails"};
    return names[verdict];
}

void f2l_settle_next_word(f2l_settle_word *to, size_t letters)
{
    for (size_t i = to->count; i-- > 0;) {
        if (++to->letter[i] < letters) return;
        to->letter[i] = 0;
    }
    to->count++;
}

static void step(const f2l_settle_search *s, double *to, double *off, const double *from,
                 const double *from_off, size_t w)
{
    const f2l_seq_config *c = s->net.c;
    const size_t size = c->key_dim * c->value_dim;
    for (size_t h = 0; h < c->heads; h++) {
        const f2l_learned_off *o = &s->net.letter_off[w * c->heads + h];
        off[h] = from_off[h] * (1 + o->a) + o->a * f2l_learned_length(from + h * size, size) + o->b;
        f2l_learned_apply(to + h * size, from + h * size, &s->net, w, h, c->value_dim, true);
    }
}

/* --- prefixes --- */

/* Returns the number of words of at most that many letters, at most `most`. */
static size_t count_words(size_t letters, size_t length, size_t most)
{
    size_t count = 1, of_length = 1;
    for (size_t i = 0; i < length && count < most; i++) {
        of_length = of_length < most / letters + 1 ? of_length * letters : most;
        count += of_length;
    }
    return count < most ? count : most;
}

/* Walks the prefixes, shortest first: prefix i with the letter w follows in the order of i and w.
 */
static f2l_status walk_prefixes(f2l_settle_search *s, bool begin)
{
    const f2l_seq_config *c = s->net.c;
    const size_t letters = s->fsa->letters.count, H = c->heads, each = s->size + H;
    size_t count = count_words(letters, s->ask->length, s->ask->words);
    if (count > PREFIX_BYTES / sizeof(double) / each) count = PREFIX_BYTES / sizeof(double) / each;
    if (count == 0) count = 1;
    s->prefix = f2l_calloc(count, sizeof *s->prefix);
    s->memory = f2l_calloc(count * each, sizeof *s->memory);
    s->seen = f2l_calloc(count, sizeof *s->seen);
    if (!s->prefix || !s->memory || !s->seen) return f2l_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        f2l_settle_place *p = &s->prefix[i];
        p->at = s->memory + i * each;
        p->off = p->at + s->size;
        if (i > 0) {
            const f2l_settle_place *from = &s->prefix[(i - 1) / letters];
            const size_t w = (i - 1) % letters;
            p->word = from->word;
            p->word.letter[p->word.count++] = (uint32_t)w;
            p->state = s->fsa->next[from->state * letters + w];
            step(s, p->at, p->off, from->at, from->off, w);
            continue;
        }
        p->state = s->fsa->start;
        if (s->net.start) memcpy(p->at, s->net.start, s->size * sizeof *p->at);
        if (begin) step(s, p->at, p->off, p->at, p->off, letters);
    }
    s->out->prefixes = count;
    return F2L_OK;
}

/* --- periods --- */

/* Returns a state of the cycle that the period leads a state to in the end. */
static size_t settle_state(const f2l_settle_search *s, size_t state)
{
    while (s->cycle[state] == F2L_NO_INDEX) state = s->image[state];
    return state;
}

/* Sets s->answer, s->gap and s->sizes for s->o. */
static void find_answer(f2l_settle_search *s, const f2l_settle_word *u, size_t w)
{
    s->sizes = f2l_settle_logits(s, f2l_settle_last(s, u, w));
    s->answer = f2l_settle_largest(&s->gap, s);
}

/* Returns about how long the first wrong word is; times: how many times nearer the states must be
 * to the limit. */
static double score_of(const f2l_settle_search *s, size_t prefix, const f2l_settle_word *u,
                       size_t w, double times, double rate)
{
    const double periods = log(times) / -log(fmax(fmin(rate, 1 - 0x1p-40), 1e-6));
    return (double)(s->prefix[prefix].word.count + s->suffix.word[w].count) +
           (double)u->count * periods;
}

/* Takes what find_answer found as the limit of a prefix. */
static void judge(f2l_settle_search *s, size_t prefix, const f2l_settle_word *u, size_t w)
{
    const size_t state = settle_state(s, s->prefix[prefix].state);
    const bool tie = !(s->gap > TIE * s->sizes);
    if (!tie && f2l_settle_count_wrong(s, state, w, s->answer) == 0) return;
    s->seen[prefix] = tie ? TIED : WRONG;
    if (tie) return;
    if (!(s->rate > 0)) s->rate = f2l_limit_rate(&s->limit);
    const f2l_settle_claim c = {prefix, s->answer, w, *u,
                                score_of(s, prefix, u, w, 100 * s->sizes / s->gap, s->rate)};
    if (!(c.score < s->bar)) return;
    f2l_settle_keep(s, &c);
    s->bar = f2l_settle_bar(s, u);
}

/* Sets the limit of the period as claims take it. */
static void set_exact(f2l_settle_search *s, const f2l_settle_word *u)
{
    if (!s->exact) f2l_limit_set(&s->limit, u);
    s->exact = true;
}

/* Looks at one limit by itself. */
static void look_exactly(f2l_settle_search *s, size_t prefix, const f2l_settle_word *u, size_t w)
{
    const double *at = s->prefix[prefix].at;
    const size_t place = prefix % F2L_LEARNED_LANES;
    double *state = s->state + place * s->size;
    set_exact(s, u);
    if (w > 0 && s->state_of[place] != prefix) {
        f2l_limit_states(state, &s->limit, at);
        s->state_of[place] = prefix;
    }
    if (w == 0)
        f2l_limit_read(s->o, &s->limit, at);
    else
        f2l_suffixes_read(s->o, &s->suffix, w, state);
    find_answer(s, u, w);
    judge(s, prefix, u, w);
}

/* Returns whether a wrong limit's claim is surely not among those that are kept. */
static bool is_beyond(f2l_settle_search *s, size_t prefix, const f2l_settle_word *u, size_t w,
                      double gap)
{
    if (!(s->bar < INFINITY)) return false;
    const double rate = f2l_settle_reads_rate(s);
    return !isnan(rate) && score_of(s, prefix, u, w, 100 / gap, rate) > s->bar * (1 + SURELY);
}

/* Looks at a limit, of which the answer may be known. */
static void look_at(f2l_settle_search *s, size_t prefix, const f2l_settle_word *u, size_t w)
{
    const f2l_learned_largest *known = f2l_settle_reads_known(s, prefix, w);
    if (known) {
        const size_t state = settle_state(s, s->prefix[prefix].state);
        if (f2l_settle_count_wrong(s, state, w, known->label) == 0) return;
        if (is_beyond(s, prefix, u, w, known->gap)) {
            s->seen[prefix] = WRONG;
            return;
        }
    }
    look_exactly(s, prefix, u, w);
}

/* Returns whether these prefixes are known to be wrong with the period. */
static bool are_wrong(const f2l_settle_search *s, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (s->seen[from + i] != WRONG) return false;
    return true;
}

/* Reads answers of these prefixes that are not known, from this suffix and this prefix on, as many
 * as are read at once. */
static void read_ahead(f2l_settle_search *s, size_t from, size_t count, size_t w, size_t l)
{
    bool read = !s->reads.apply;
    for (; !read && w < s->suffix.count; w++, l = 0)
        for (; !read && l < count; l++)
            if (s->seen[from + l] != WRONG) read = f2l_settle_reads_ask(s, from + l, w);
    f2l_settle_reads_end(s);
}

/* Looks at these prefixes with all suffixes. A pair of words that is wrong gets no suffixes more.
 */
static void look_at_suffixes(f2l_settle_search *s, size_t from, size_t count,
                             const f2l_settle_word *u)
{
    for (size_t w = 1; w < s->suffix.count && !are_wrong(s, from, count); w++)
        for (size_t l = 0; l < count; l++) {
            if (s->seen[from + l] == WRONG) continue;
            if (!f2l_settle_reads_known(s, from + l, w)) read_ahead(s, from, count, w, l);
            look_at(s, from + l, u, w);
        }
}

/* Looks at `most` prefixes, as many at once as are read at once: also those beside the last ones
 * that get suffixes get them. */
static void look_at_prefixes(f2l_settle_search *s, size_t most, const f2l_settle_word *u)
{
    const size_t some = most < s->with_suffix ? most : s->with_suffix;
    for (size_t i = 0; s->reads.apply && i < most; i++) (void)f2l_settle_reads_ask(s, i, 0);
    f2l_settle_reads_end(s);
    for (size_t i = 0; i < most; i += F2L_LEARNED_LANES) {
        const size_t count = most - i < F2L_LEARNED_LANES ? most - i : F2L_LEARNED_LANES;
        for (size_t l = 0; l < count; l++) look_at(s, i + l, u, 0);
        if (i < some) look_at_suffixes(s, i, count, u);
    }
}

/* The same where all prefixes have one limit. */
static void look_at_limit(f2l_settle_search *s, size_t most, const f2l_settle_word *u)
{
    const size_t some = most < s->with_suffix ? most : s->with_suffix;
    f2l_limit_states(s->state, &s->limit, s->prefix[0].at);
    for (size_t w = 0; w < s->suffix.count; w++) {
        if (w == 0)
            f2l_limit_read(s->o, &s->limit, s->prefix[0].at);
        else
            f2l_suffixes_read(s->o, &s->suffix, w, s->state);
        find_answer(s, u, w);
        for (size_t i = 0; i < (w == 0 ? most : some); i++)
            if (s->seen[i] != WRONG) judge(s, i, u, w);
    }
}

static void look_at_period(f2l_settle_search *s, const f2l_settle_word *u)
{
    f2l_settle_cycles(s, u);
    f2l_settle_reads_set(s, u);
    s->rate = 0;
    s->bar = f2l_settle_bar(s, u);
    s->exact = false;
    for (size_t l = 0; l < F2L_LEARNED_LANES; l++) s->state_of[l] = F2L_NO_INDEX;
    if (s->reads.span.kind == F2L_SPAN_ROUGH) set_exact(s, u);
    const bool fits = s->exact ? s->limit.fits : s->reads.span.kind == F2L_SPAN_FINE;
    s->out->periods++;
    s->out->dependent += !fits;
    if (!fits) return;
    size_t most = s->out->prefixes;
    for (size_t q = 0; q < s->fsa->states.count; q++)
        if (s->cycle[q] != F2L_NO_INDEX && s->cycle_size[q] > 1)
            most = most < GROUP_PREFIXES ? most : GROUP_PREFIXES;
    memset(s->seen, RIGHT, most);
    if (s->reads.span.full)
        look_at_limit(s, most, u);
    else
        look_at_prefixes(s, most, u);
    for (size_t i = 0; i < most; i++) {
        s->out->wrong += s->seen[i] == WRONG;
        s->out->ties += s->seen[i] == TIED;
    }
}

/* Returns whether a word is a power of a shorter one. */
static bool is_power(const f2l_settle_word *u)
{
    for (size_t d = 1; d < u->count; d++) {
        bool same = u->count % d == 0;
        for (size_t i = d; same && i < u->count; i++) same = u->letter[i] == u->letter[i - d];
        if (same) return true;
    }
    return false;
}

static f2l_status look_at_periods(f2l_settle_search *s)
{
    const size_t letters = s->fsa->letters.count;
    f2l_settle_word u = {0};
    f2l_status status = F2L_OK;
    size_t words = 0;
    const size_t most = count_words(letters, s->ask->length, s->ask->words);
    while (status == F2L_OK && ++words < most &&
           (s->out->periods < letters || f2l_now() < s->end)) {
        const size_t length = u.count;
        f2l_settle_next_word(&u, letters);
        if (u.count > length) status = f2l_settle_run(s, false);
        if (status != F2L_OK) break;
        if (is_power(&u)) continue;
        look_at_period(s, &u);
        s->out->length = u.count;
        status = f2l_task_poll(s->task, "periods", (double)words, (double)most, s->err);
    }
    s->out->complete = words >= most &&
                       most == count_words(letters, s->ask->length, SIZE_MAX / 2 / letters) &&
                       s->out->prefixes == most;
    return status;
}

static f2l_status allocate(f2l_settle_search *s)
{
    const f2l_seq_config *c = s->net.c;
    const size_t states = s->fsa->states.count, hv = c->heads * c->value_dim;
    s->size = hv * c->key_dim;
    s->image = f2l_calloc(3 * states, sizeof *s->image);
    s->o = f2l_calloc(hv + c->heads + c->labels, sizeof *s->o);
    s->state = f2l_calloc(F2L_LEARNED_LANES * s->size, sizeof *s->state);
    if (!s->image || !s->o || !s->state) return f2l_fail_memory(s->err);
    s->cycle = s->image + states;
    s->cycle_size = s->cycle + states;
    s->radius = s->o + hv;
    s->logit = s->radius + c->heads;
    return F2L_OK;
}

/* Lists the suffixes, and sets which prefixes get them. */
static f2l_status list_suffixes(f2l_settle_search *s)
{
    const size_t letters = s->fsa->letters.count;
    const size_t count = count_words(letters, s->ask->suffix, MOST_SUFFIXES);
    const size_t periods = count_words(letters, s->ask->length, s->ask->words);
    s->out->suffixes = count;
    s->with_suffix = SUFFIX_READS / periods / count + F2L_LEARNED_LANES;
    return f2l_suffixes_init(&s->suffix, &s->net, s->fsa, count, s->err);
}

/* Returns until when periods are looked at: for the seconds, or for four fifths of the time that
 * the task has, which *timed says. */
static double end_of_search(double seconds, const f2l_task *task, bool *timed)
{
    const double now = f2l_now();
    *timed = task && task->deadline > 0 && (task->deadline - now) * 0.8 < seconds;
    return now + (*timed ? (task->deadline - now) * 0.8 : seconds);
}

/* Returns F2L_OK where a limit of the task ended the search after the first period, and says so in
 * *out. */
static f2l_status keep_found(f2l_settle *out, f2l_status status, const f2l_task *task)
{
    const f2l_stop stop = f2l_task_stop(task);
    if (status != F2L_UNKNOWN || stop == F2L_STOP_SIGNAL || out->periods == 0) return status;
    out->ended = stop;
    return F2L_OK;
}

f2l_status f2l_settle_find(f2l_settle *out, const f2l_seq *model, const double *parameters,
                           const f2l_fsa *fsa, bool begin, const f2l_settle_ask *ask,
                           const f2l_task *task, f2l_error *err)
{
    *out = (f2l_settle){0};
    bool timed;
    f2l_status status = f2l_learned_horizon_applies(&model->config, fsa, begin, err);
    if (status != F2L_OK) return status;
    f2l_settle_search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    *s = (f2l_settle_search){.fsa = fsa, .ask = ask, .out = out, .task = task, .err = err};
    s->end = end_of_search(ask->seconds, task, &timed);
    status = f2l_learned_net_build(&s->net, model, parameters, f2l_learned_scope_at(0), task, err);
    if (status == F2L_OK) status = allocate(s);
    if (status == F2L_OK) status = f2l_limit_init(&s->limit, &s->net, err);
    if (status == F2L_OK) status = walk_prefixes(s, begin);
    if (status == F2L_OK) status = list_suffixes(s);
    if (status == F2L_OK) status = f2l_settle_reads_init(s);
    if (status == F2L_OK) status = keep_found(out, look_at_periods(s), task);
    if (status == F2L_OK) status = keep_found(out, f2l_settle_try(s), task);
    if (status == F2L_OK && timed && !out->complete && f2l_now() >= s->end)
        out->ended = F2L_STOP_TIME;
    f2l_limit_clear(&s->limit);
    f2l_learned_net_clear(&s->net);
    f2l_free(s->image);
    f2l_free(s->o);
    f2l_free(s->prefix);
    f2l_free(s->memory);
    f2l_free(s->seen);
    f2l_free(s->state);
    f2l_suffixes_clear(&s->suffix);
    f2l_settle_reads_clear(&s->reads);
    f2l_free(s);
    return status;
}
