/* The search for words z u^t w that are wrong at the limit (theory/pages/all-lengths.md). */
#include "theory/beside/horizon/learned_settle.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/limit.h"
#include "theory/beside/horizon/suffixes.h"
#include <math.h>
#include <string.h>

/* Claims whose T is found also after the time, and words that are run; prefixes that
 * a period with a cycle is tried with, as AL.3 says that all of them are wrong or tie; letters that
 * are run in all. */
enum { SURE_CLAIMS = 4, RUNS = 256, GROUP_PREFIXES = 64, RUN_LETTERS = 2000000 };
enum { PREFIX_BYTES = 1 << 28 };
/* Suffixes, with the empty one; answers after the others that are looked at, about: as many
 * prefixes get suffixes, the shortest ones. */
enum { MOST_SUFFIXES = 256, SUFFIX_READS = 1 << 21 };
#define TIE 1e-9 /* of the sizes of what logits are sums of */

/* A word, what the network's state after it is, and the automaton's. */
typedef struct place {
    f2l_settle_word word;
    size_t state;
    double *at, *off; /* [heads][key][value], [heads]; borrowed */
} place;

enum { RIGHT, TIED, WRONG };

/* A wrong limit. score: about how long the first wrong word is. */
typedef struct claim {
    size_t prefix, answer, suffix;
    f2l_settle_word period;
    double score;
} claim;

typedef struct search {
    f2l_learned_net net;
    f2l_limit limit;
    const f2l_fsa *fsa;
    const f2l_settle_ask *ask;
    f2l_settle *out;
    size_t size;   /* numbers of a state */
    place *prefix; /* [out->prefixes] */
    char *seen;    /* [out->prefixes] of the period: RIGHT, TIED or WRONG */
    f2l_suffixes suffix;
    size_t with_suffix;     /* prefixes that get suffixes */
    double *state;          /* [F2L_LEARNED_LANES][size] limits */
    double *memory;         /* of their numbers */
    claim claims[RUNS + 1]; /* by their scores */
    size_t count;
    /* of the period: the state after it, the least state of the cycle that this ends in, or NONE
     * where the state is in no cycle, and the cycle's size */
    size_t *image, *cycle, *cycle_size;
    double *o, *radius, *logit, rate; /* rate 0: unknown */
    double end;                       /* of the time */
    /* of o: the answer, how much its logit is larger, and the sizes of what logits are sums of */
    size_t answer;
    double gap, sizes;
    const f2l_task *task;
    f2l_error *err;
} search;

const char *f2l_settle_name(f2l_settle_verdict verdict)
{
    static const char *const names[] = {"none", "tie", "fails"};
    return names[verdict];
}

/* Sets *to to the next word of its length, letters being digits; returns false behind the last. */
static bool next_word(f2l_settle_word *to, size_t letters)
{
    for (size_t i = to->count; i-- > 0;) {
        if (++to->letter[i] < letters) return true;
        to->letter[i] = 0;
    }
    return false;
}

static void step(const search *s, double *to, double *off, const double *from,
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
static f2l_status walk_prefixes(search *s, bool begin)
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
        place *p = &s->prefix[i];
        p->at = s->memory + i * each;
        p->off = p->at + s->size;
        if (i > 0) {
            const place *from = &s->prefix[(i - 1) / letters];
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

/* --- answers --- */

/* Sets the logits, up to a positive factor, for s->o after a letter; returns the size of what they
 * are sums of. */
static double find_logits(search *s, size_t letter)
{
    f2l_learned_net *net = &s->net;
    const f2l_seq_config *c = net->c;
    const size_t n = c->width, hv = c->heads * c->value_dim, F = c->mlp;
    const f2l_learned_question q = {.letter = letter, .centre = s->o, .radius = s->radius};
    memset(s->radius, 0, c->heads * sizeof *s->radius);
    f2l_learned_head_norms(net, &q);
    for (size_t i = 0; i < n; i++)
        net->x[i] = net->embedding[letter * n + i] + f2l_learned_dot(net->m + i * hv, net->n, hv);
    const double scale = 1 / sqrt(f2l_learned_dot(net->x, net->x, n) / (double)n + c->epsilon);
    for (size_t i = 0; i < F; i++) {
        const double g = scale * f2l_learned_dot(net->gate + i * n, net->x, n);
        net->hidden[i] = g / (1 + exp(-g)) * scale * f2l_learned_dot(net->up + i * n, net->x, n);
    }
    double most = 0;
    for (size_t j = 0; j < c->labels; j++) {
        s->logit[j] = f2l_learned_dot(net->head + j * n, net->x, n) +
                      f2l_learned_dot(net->head_down + j * F, net->hidden, F);
        most = fmax(most, net->head_size[j]);
    }
    return most *
           (f2l_learned_length(net->x, n) + net->down_size * f2l_learned_length(net->hidden, F));
}

/* Returns the largest logit's label; sets *gap to how much larger it is than all others. */
static size_t find_largest(double *gap, const search *s)
{
    size_t best = 0;
    for (size_t j = 1; j < s->net.c->labels; j++)
        if (s->logit[j] > s->logit[best]) best = j;
    *gap = INFINITY;
    for (size_t j = 0; j < s->net.c->labels; j++)
        if (j != best) *gap = fmin(*gap, s->logit[best] - s->logit[j]);
    return best;
}

/* --- periods --- */

/* Sets where the period leads states, and its cycles. */
static void find_cycles(search *s, const f2l_settle_word *u)
{
    const size_t states = s->fsa->states.count, letters = s->fsa->letters.count;
    for (size_t q = 0; q < states; q++) {
        size_t p = q;
        for (size_t i = 0; i < u->count; i++) p = s->fsa->next[p * letters + u->letter[i]];
        s->image[q] = p;
        s->cycle[q] = F2L_NO_INDEX;
    }
    for (size_t q = 0; q < states; q++) {
        size_t size = 1, p = s->image[q];
        for (; p > q && size < states; size++) p = s->image[p];
        if (p != q) continue;
        for (size_t i = 0; i < size; i++, p = s->image[p]) {
            s->cycle[p] = q;
            s->cycle_size[p] = size;
        }
        s->out->group |= size > 1;
    }
}

/* Returns a state of the cycle that the period leads a state to in the end. */
static size_t settle_state(const search *s, size_t state)
{
    while (s->cycle[state] == F2L_NO_INDEX) state = s->image[state];
    return state;
}

/* Keeps a claim by its score, at most two of a period. */
static void keep(search *s, const claim *c)
{
    size_t of_period = 0, worst = 0, at = s->count;
    for (size_t i = 0; i < s->count; i++)
        if (memcmp(&s->claims[i].period, &c->period, sizeof c->period) == 0) {
            of_period++;
            worst = i;
        }
    if (of_period == 2 && !(c->score < s->claims[worst].score)) return;
    if (of_period == 2) {
        memmove(s->claims + worst, s->claims + worst + 1,
                (s->count - worst - 1) * sizeof *s->claims);
        at = --s->count;
    }
    for (; at > 0 && c->score < s->claims[at - 1].score; at--) s->claims[at] = s->claims[at - 1];
    s->claims[at] = *c;
    if (s->count < RUNS) s->count++;
}

/* Returns the last letter of z u^t w. */
static size_t last_letter(const search *s, const f2l_settle_word *u, size_t w)
{
    const f2l_settle_word *end = w > 0 ? &s->suffix.word[w] : u;
    return end->letter[end->count - 1];
}

/* Sets s->answer, s->gap and s->sizes for s->o. */
static void find_answer(search *s, const f2l_settle_word *u, size_t w)
{
    s->sizes = find_logits(s, last_letter(s, u, w));
    s->answer = find_largest(&s->gap, s);
}

/* Returns how many states of a cycle, which this one is of, the suffix leads to another state than
 * the answer. */
static size_t count_wrong(const search *s, size_t state, size_t w, size_t answer)
{
    const size_t *to = s->suffix.state + w * s->fsa->states.count;
    size_t wrong = 0;
    for (size_t i = 0; i < s->cycle_size[state]; i++, state = s->image[state])
        wrong += to[state] != answer;
    return wrong;
}

/* Takes what find_answer found as the limit of a prefix. */
static void judge(search *s, size_t prefix, const f2l_settle_word *u, size_t w)
{
    const size_t state = settle_state(s, s->prefix[prefix].state);
    const bool tie = !(s->gap > TIE * s->sizes);
    if (!tie && count_wrong(s, state, w, s->answer) == 0) return;
    s->seen[prefix] = tie ? TIED : WRONG;
    if (tie) return;
    if (!(s->rate > 0)) s->rate = fmin(f2l_limit_rate(&s->limit), 1 - 0x1p-40);
    const double periods = log(100 * s->sizes / s->gap) / -log(fmax(s->rate, 1e-6));
    const claim c = {prefix, s->answer, w, *u,
                     (double)(s->prefix[prefix].word.count + s->suffix.word[w].count) +
                         (double)u->count * periods};
    keep(s, &c);
}

/* Looks at up to as many prefixes as are read at once, from this one on, with one suffix. */
static void look_at_lanes(search *s, size_t from, size_t count, const f2l_settle_word *u, size_t w)
{
    f2l_learned_question q[F2L_LEARNED_LANES];
    bool right[F2L_LEARNED_LANES], all = true;
    const size_t hv = s->net.c->heads * s->net.c->value_dim, states = s->fsa->states.count;
    memset(s->radius, 0, s->net.c->heads * sizeof *s->radius);
    for (size_t l = 0; l < count; l++) {
        const place *p = &s->prefix[from + l];
        q[l] =
            (f2l_learned_question){.letter = last_letter(s, u, w),
                                   .right = s->suffix.state[w * states + settle_state(s, p->state)],
                                   .centre = s->o + (l + 1) * hv,
                                   .radius = s->radius};
        all &= s->seen[from + l] == WRONG;
        if (w == 0)
            f2l_limit_read(q[l].centre, &s->limit, p->at);
        else
            f2l_suffixes_read(q[l].centre, &s->suffix, w, s->state + l * s->size);
    }
    if (all) return;
    f2l_learned_answer_lanes(right, &s->net, q, count);
    for (size_t l = 0; l < count; l++) {
        const size_t state = settle_state(s, s->prefix[from + l].state);
        if (s->seen[from + l] == WRONG) continue;
        if (right[l] && count_wrong(s, state, w, q[l].right) == 0) continue;
        memcpy(s->o, q[l].centre, hv * sizeof *s->o);
        find_answer(s, u, w);
        judge(s, from + l, u, w);
    }
}

/* Looks at `most` prefixes. A pair of words that is wrong gets no suffixes more. */
static void look_at_prefixes(search *s, size_t most, const f2l_settle_word *u)
{
    const size_t some = most < s->with_suffix ? most : s->with_suffix;
    for (size_t i = 0; i < most; i += F2L_LEARNED_LANES) {
        const size_t count = most - i < F2L_LEARNED_LANES ? most - i : F2L_LEARNED_LANES;
        look_at_lanes(s, i, count, u, 0);
        for (size_t l = 0; i < some && l < count; l++)
            f2l_limit_states(s->state + l * s->size, &s->limit, s->prefix[i + l].at);
        for (size_t w = 1; i < some && w < s->suffix.count; w++) look_at_lanes(s, i, count, u, w);
    }
}

/* The same where all prefixes have one limit. */
static void look_at_limit(search *s, size_t most, const f2l_settle_word *u)
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

static void look_at_period(search *s, const f2l_settle_word *u)
{
    find_cycles(s, u);
    f2l_limit_set(&s->limit, u);
    s->rate = 0;
    s->out->periods++;
    s->out->dependent += !s->limit.fits;
    if (!s->limit.fits) return;
    size_t most = s->out->prefixes;
    for (size_t q = 0; q < s->fsa->states.count; q++)
        if (s->cycle[q] != F2L_NO_INDEX && s->cycle_size[q] > 1)
            most = most < GROUP_PREFIXES ? most : GROUP_PREFIXES;
    memset(s->seen, RIGHT, most);
    if (s->limit.full)
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

static f2l_status look_at_periods(search *s)
{
    const size_t letters = s->fsa->letters.count;
    f2l_settle_word u = {0};
    f2l_status status = F2L_OK;
    size_t words = 0;
    const size_t most = count_words(letters, s->ask->length, s->ask->words);
    while (status == F2L_OK && ++words < most &&
           (s->out->periods < letters || f2l_now() < s->end)) {
        if (u.count == 0 || !next_word(&u, letters)) u.count++;
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

/* --- the claim --- */

/* Returns whether LH.5 gives the claim's answer for all t >= after. */
static bool is_settled(search *s, const claim *c, size_t after)
{
    f2l_learned_margin margin;
    const place *p = &s->prefix[c->prefix];
    const f2l_learned_question q = {.letter = last_letter(s, &c->period, c->suffix),
                                    .right = c->answer,
                                    .centre = s->o,
                                    .radius = s->radius};
    f2l_limit_ball(s->o, s->radius, &s->limit, p->at, p->off, after, &s->suffix.word[c->suffix]);
    f2l_learned_answer(&margin, &s->net, &q);
    return f2l_learned_margin_is_enough(&margin);
}

/* Makes a claim the result where its words are shorter. */
static void try_claim(search *s, const claim *c)
{
    const place *p = &s->prefix[c->prefix];
    size_t least = 1, most = 1, tail = 0;
    find_cycles(s, &c->period);
    f2l_limit_set(&s->limit, &c->period);
    while (most < UINT32_MAX / 2 && !is_settled(s, c, most)) most *= 2;
    if (most >= UINT32_MAX / 2) return;
    while (least < most) {
        const size_t t = least + (most - least) / 2;
        if (is_settled(s, c, t))
            most = t;
        else
            least = t + 1;
    }
    size_t state = p->state;
    for (; s->cycle[state] == F2L_NO_INDEX; tail++) state = s->image[state];
    if (most < tail) most = tail;
    const f2l_settle_word *w = &s->suffix.word[c->suffix];
    const size_t wrong = count_wrong(s, state, c->suffix, c->answer);
    const double within = (double)(p->word.count + w->count) +
                          (double)(most + s->cycle_size[state] - wrong) * (double)c->period.count;
    if (s->out->verdict == F2L_SETTLE_FAILS && !(within < s->out->within)) return;
    s->out->verdict = F2L_SETTLE_FAILS;
    s->out->prefix = p->word;
    s->out->period = c->period;
    s->out->suffix = *w;
    s->out->answer = c->answer;
    s->out->cycle = s->cycle_size[state];
    s->out->wrong_states = wrong;
    s->out->after = most;
    s->out->within = within;
}

/* Reads a letter of a claim's word, and notes the word up to here where its answer is wrong, which
 * it then returns. */
static bool read_wrong(search *s, const claim *c, double *at, size_t *state, size_t letter,
                       size_t length)
{
    const f2l_seq_config *config = s->net.c;
    const size_t K = config->key_dim, V = config->value_dim;
    const double root = sqrt((double)K);
    *state = s->fsa->next[*state * s->fsa->letters.count + letter];
    memset(s->o, 0, config->heads * V * sizeof *s->o);
    for (size_t h = 0; h < config->heads; h++) {
        double *m = at + h * K * V, *o = s->o + h * V;
        const double *q = s->net.query + (letter * config->heads + h) * K;
        f2l_learned_apply(m, m, &s->net, letter, h, V, true);
        for (size_t j = 0; j < K * V; j++) o[j % V] += q[j / V] * m[j] / root;
    }
    double gap;
    find_logits(s, letter);
    const size_t answer = find_largest(&gap, s);
    if (answer == *state) return false;
    s->out->found = length;
    s->out->found_state = *state;
    s->out->found_answer = answer;
    s->out->found_prefix = s->prefix[c->prefix].word;
    s->out->found_period = c->period;
    s->out->found_suffix = (f2l_settle_word){0};
    return true;
}

/* Runs the suffix of a claim behind the states; returns whether an answer is wrong. */
static bool run_suffix(search *s, const claim *c, const double *at, size_t state, size_t length)
{
    const f2l_settle_word *w = &s->suffix.word[c->suffix];
    memcpy(s->state, at, s->size * sizeof *at);
    for (size_t i = 0; i < w->count; i++) {
        if (!read_wrong(s, c, s->state, &state, w->letter[i], length + i + 1)) continue;
        s->out->found_suffix = *w;
        s->out->found_suffix.count = i + 1;
        return true;
    }
    return false;
}

/* Runs a claim's words until an answer is wrong, for at most `most` letters; returns how many it
 * read, with the suffix behind each period. */
static size_t run_word(search *s, const claim *c, double *at, size_t most)
{
    const place *p = &s->prefix[c->prefix];
    const size_t behind = s->suffix.word[c->suffix].count;
    size_t state = p->state, length = p->word.count, read = length;
    memcpy(at, p->at, s->size * sizeof *at);
    for (size_t i = 0; length < most; i++) {
        const bool with = behind > 0 && i % c->period.count == 0 && length + behind <= most;
        if (with && run_suffix(s, c, at, state, length)) return read + behind;
        read += 1 + (with ? behind : 0);
        const size_t w = c->period.letter[i % c->period.count];
        if (read_wrong(s, c, at, &state, w, ++length)) return read;
    }
    return read;
}

/* Runs a claim's word for at most as many letters as are left, and fewer than the shortest wrong
 * word has. */
static void run_shorter(search *s, const claim *c, double *at, size_t *spent)
{
    size_t most = s->ask->run;
    if (s->out->found > 0 && s->out->found - 1 < most) most = s->out->found - 1;
    if (*spent < RUN_LETTERS) *spent += run_word(s, c, at, most);
}

static f2l_status try_claims(search *s)
{
    f2l_status status = F2L_OK;
    size_t spent = 0;
    double *at = f2l_calloc(s->size, sizeof *at);
    if (!at) status = f2l_fail_memory(s->err);
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        if (i < SURE_CLAIMS || (i < s->ask->claims && f2l_now() < s->end))
            try_claim(s, &s->claims[i]);
        run_shorter(s, &s->claims[i], at, &spent);
        status = f2l_task_poll(s->task, "words", (double)i, (double)s->count, s->err);
    }
    claim other = {.period = s->out->found_period}; /* the best period with other prefixes */
    for (size_t w = 0; w < s->suffix.count; w++)
        if (memcmp(&s->suffix.word[w], &s->out->found_suffix, sizeof *s->suffix.word) == 0)
            other.suffix = w;
    for (; status == F2L_OK && s->out->found > 0 && other.prefix < s->out->prefixes; other.prefix++)
        run_shorter(s, &other, at, &spent);
    f2l_free(at);
    if (s->out->verdict == F2L_SETTLE_NONE && s->out->wrong + s->out->ties > 0)
        s->out->verdict = F2L_SETTLE_TIE;
    return status;
}

static f2l_status allocate(search *s)
{
    const f2l_seq_config *c = s->net.c;
    const size_t states = s->fsa->states.count, hv = c->heads * c->value_dim;
    s->size = hv * c->key_dim;
    s->image = f2l_calloc(3 * states, sizeof *s->image);
    s->o = f2l_calloc((F2L_LEARNED_LANES + 1) * hv + c->heads + c->labels, sizeof *s->o);
    s->state = f2l_calloc(F2L_LEARNED_LANES * s->size, sizeof *s->state);
    if (!s->image || !s->o || !s->state) return f2l_fail_memory(s->err);
    s->cycle = s->image + states;
    s->cycle_size = s->cycle + states;
    s->radius = s->o + (F2L_LEARNED_LANES + 1) * hv;
    s->logit = s->radius + c->heads;
    return F2L_OK;
}

/* Lists the suffixes, and sets which prefixes get them. */
static f2l_status list_suffixes(search *s)
{
    const size_t letters = s->fsa->letters.count;
    const size_t count = count_words(letters, s->ask->suffix, MOST_SUFFIXES);
    const size_t periods = count_words(letters, s->ask->length, s->ask->words);
    s->out->suffixes = count;
    s->with_suffix = SUFFIX_READS / periods / count + F2L_LEARNED_LANES;
    return f2l_suffixes_init(&s->suffix, &s->net, s->fsa, count, s->err);
}

f2l_status f2l_settle_find(f2l_settle *out, const f2l_seq *model, const double *parameters,
                           const f2l_fsa *fsa, bool begin, const f2l_settle_ask *ask,
                           const f2l_task *task, f2l_error *err)
{
    *out = (f2l_settle){0};
    f2l_status status = f2l_learned_horizon_applies(&model->config, fsa, begin, err);
    if (status != F2L_OK) return status;
    search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    *s = (search){.fsa = fsa, .ask = ask, .out = out, .task = task, .err = err};
    s->end = f2l_now() + ask->seconds;
    status = f2l_learned_net_build(&s->net, model, parameters, f2l_learned_scope_at(0), task, err);
    if (status == F2L_OK) status = allocate(s);
    if (status == F2L_OK) status = f2l_limit_init(&s->limit, &s->net, err);
    if (status == F2L_OK) status = walk_prefixes(s, begin);
    if (status == F2L_OK) status = list_suffixes(s);
    if (status == F2L_OK) status = look_at_periods(s);
    if (status == F2L_OK) status = try_claims(s);
    f2l_limit_clear(&s->limit);
    f2l_learned_net_clear(&s->net);
    f2l_free(s->image);
    f2l_free(s->o);
    f2l_free(s->prefix);
    f2l_free(s->memory);
    f2l_free(s->seen);
    f2l_free(s->state);
    f2l_suffixes_clear(&s->suffix);
    f2l_free(s);
    return status;
}

static void write_word(f2l_buf *out, const char *name, const f2l_settle_word *word)
{
    f2l_buf_text(out, name);
    for (size_t i = 0; i < word->count; i++) f2l_buf_printf(out, " %u", word->letter[i] + 1);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_settle_write(f2l_buf *out, const f2l_settle *settle, const f2l_learned_files *files,
                            f2l_error *err)
{
    if (settle->verdict != F2L_SETTLE_FAILS)
        return f2l_fail(err, F2L_EDOMAIN, "no limit is proved wrong, so there is no certificate");
    f2l_learned_write_head(out, files, f2l_learned_scope_at(0)->name, "settles");
    write_word(out, "prefix", &settle->prefix);
    write_word(out, "period", &settle->period);
    if (settle->suffix.count > 0) write_word(out, "suffix", &settle->suffix);
    f2l_buf_printf(out, "answer %zu\nafter %zu\nend\n", settle->answer + 1, settle->after);
    return f2l_buf_status(out, err);
}
