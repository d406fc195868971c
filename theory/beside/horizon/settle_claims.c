/* Wrong limits: the length from which one is proved to be the answer, and wrong words that are met
 * by running. */
#include "numeric/base/mem.h"
#include "theory/beside/horizon/settle_impl.h"
#include <math.h>
#include <string.h>

/* Claims whose T is found also after the time, or until one has a T; letters that are run in all,
 * an eighth of what is left after the periods of one length, and products, where these are fewer
 * letters. */
enum { SURE_CLAIMS = 16, RUN_LETTERS = 2000000 };
#define RUN_PRODUCTS 4e10

void f2l_settle_keep(f2l_settle_search *s, const f2l_settle_claim *c)
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
    if (s->count < F2L_SETTLE_RUNS) s->count++;
}

/* Returns whether LH.5 gives the claim's answer for all t >= after. */
static bool is_settled(f2l_settle_search *s, const f2l_settle_claim *c, size_t after)
{
    f2l_learned_margin margin;
    const f2l_settle_place *p = &s->prefix[c->prefix];
    const f2l_learned_question q = {.letter = f2l_settle_last(s, &c->period, c->suffix),
                                    .right = c->answer,
                                    .centre = s->o,
                                    .radius = s->radius};
    f2l_limit_ball(s->o, s->radius, &s->limit, p->at, p->off, after, &s->suffix.word[c->suffix]);
    f2l_learned_answer(&margin, &s->net, &q);
    return f2l_learned_margin_is_enough(&margin);
}

/* Returns the least t from which on a claim is settled, at most `most`; 0: there is none. */
static size_t settled_from(f2l_settle_search *s, const f2l_settle_claim *c, size_t most)
{
    size_t least = 1, top = 1;
    if (!is_settled(s, c, most)) return 0;
    while (top < most && !is_settled(s, c, top)) top *= 2;
    if (top > most) top = most;
    while (least < top) {
        const size_t t = least + (top - least) / 2;
        if (is_settled(s, c, t))
            top = t;
        else
            least = t + 1;
    }
    return top;
}

/* Makes a claim the result where its words are shorter. */
static void try_claim(f2l_settle_search *s, const f2l_settle_claim *c)
{
    const f2l_settle_place *p = &s->prefix[c->prefix];
    const f2l_settle_word *w = &s->suffix.word[c->suffix];
    f2l_settle_cycles(s, &c->period);
    f2l_limit_set(&s->limit, &c->period);
    size_t state = p->state, tail = 0;
    for (; s->cycle[state] == F2L_NO_INDEX; tail++) state = s->image[state];
    const size_t wrong = f2l_settle_count_wrong(s, state, c->suffix, c->answer);
    const size_t more = s->cycle_size[state] - wrong, ends = p->word.count + w->count;
    size_t most = UINT32_MAX / 2;
    if (s->out->verdict == F2L_SETTLE_FAILS) {
        const double room = ceil((s->out->within - (double)ends) / (double)c->period.count) - 1;
        most = (size_t)fmin(fmax(room - (double)more, 0), (double)most);
    }
    if (most < 1 || most < tail) return;
    size_t after = settled_from(s, c, most);
    if (after == 0) return;
    if (after < tail) after = tail;
    s->out->verdict = F2L_SETTLE_FAILS;
    s->out->prefix = p->word;
    s->out->period = c->period;
    s->out->suffix = *w;
    s->out->answer = c->answer;
    s->out->cycle = s->cycle_size[state];
    s->out->wrong_states = wrong;
    s->out->after = after;
    s->out->within = (double)ends + (double)(after + more) * (double)c->period.count;
}

/* Reads a letter of a claim's word, and notes the word up to here where its answer is wrong, which
 * it then returns. */
static bool read_wrong(f2l_settle_search *s, const f2l_settle_claim *c, double *at, size_t *state,
                       size_t letter, size_t length)
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
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < V; j++) o[j] += q[i] * m[i * V + j] / root;
    }
    double gap;
    f2l_settle_logits(s, letter);
    const size_t answer = f2l_settle_largest(&gap, s);
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
static bool run_suffix(f2l_settle_search *s, const f2l_settle_claim *c, const double *at,
                       size_t state, size_t length)
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
static size_t run_word(f2l_settle_search *s, const f2l_settle_claim *c, double *at, size_t most)
{
    const f2l_settle_place *p = &s->prefix[c->prefix];
    const size_t behind = s->suffix.word[c->suffix].count;
    size_t state = p->state, length = p->word.count, read = length;
    memcpy(at, p->at, s->size * sizeof *at);
    for (size_t i = 0; length < most; i++) {
        if (i % 256 == 0 && f2l_task_stop(s->task)) break;
        const bool with = behind > 0 && i % c->period.count == 0 && length + behind <= most;
        if (with && run_suffix(s, c, at, state, length)) return read + behind;
        read += 1 + (with ? behind : 0);
        const size_t w = c->period.letter[i % c->period.count];
        if (read_wrong(s, c, at, &state, w, ++length)) return read;
    }
    return read;
}

/* Runs a claim's word for fewer letters than the shortest wrong word has, if letters are left. */
static void run_shorter(f2l_settle_search *s, const f2l_settle_claim *c, double *at, size_t until)
{
    size_t most = s->ask->run;
    if (s->out->found > 0 && s->out->found - 1 < most) most = s->out->found - 1;
    if (s->spent < until) s->spent += run_word(s, c, at, most);
}

/* Runs the best period with all prefixes. */
static f2l_status run_prefixes(f2l_settle_search *s, double *at, size_t until)
{
    f2l_status status = F2L_OK;
    f2l_settle_claim c = {.period = s->out->found_period};
    for (size_t w = 0; w < s->suffix.count; w++)
        if (memcmp(&s->suffix.word[w], &s->out->found_suffix, sizeof *s->suffix.word) == 0)
            c.suffix = w;
    for (; status == F2L_OK && s->out->found > 0 && c.prefix < s->out->prefixes; c.prefix++) {
        run_shorter(s, &c, at, until);
        status =
            f2l_task_poll(s->task, "words", (double)c.prefix, (double)s->out->prefixes, s->err);
    }
    return status;
}

/* Returns how many letters may be run in all. */
static size_t run_letters(const f2l_settle_search *s)
{
    const f2l_seq_config *c = s->net.c;
    const size_t hv = c->heads * c->value_dim, n = c->width;
    const size_t each = hv * c->key_dim * (2 * c->householders + 1) + hv * n + 2 * c->mlp * n +
                        c->labels * (n + c->mlp);
    return (size_t)fmin(RUN_LETTERS, RUN_PRODUCTS / (double)each);
}

f2l_status f2l_settle_run(f2l_settle_search *s, bool last)
{
    const size_t all = run_letters(s), until = last ? all : s->spent + (all - s->spent) / 8;
    f2l_status status = F2L_OK;
    double *at = f2l_calloc(s->size, sizeof *at);
    if (!at) return f2l_fail_memory(s->err);
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        run_shorter(s, &s->claims[i], at, until);
        status = f2l_task_poll(s->task, "words", (double)i, (double)s->count, s->err);
    }
    if (status == F2L_OK) status = run_prefixes(s, at, until);
    f2l_free(at);
    return status;
}

f2l_status f2l_settle_try(f2l_settle_search *s)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        const bool needed = i < SURE_CLAIMS || s->out->verdict == F2L_SETTLE_NONE;
        if (needed || (i < s->ask->claims && f2l_now() < s->end)) try_claim(s, &s->claims[i]);
        status = f2l_task_poll(s->task, "claims", (double)i, (double)s->count, s->err);
    }
    if (s->out->verdict == F2L_SETTLE_NONE && s->out->wrong + s->out->ties > 0)
        s->out->verdict = F2L_SETTLE_TIE;
    return status == F2L_OK ? f2l_settle_run(s, true) : status;
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

void f2l_settle_spell(uint32_t *word, const f2l_settle *settle)
{
    const f2l_settle_word *z = &settle->found_prefix, *u = &settle->found_period;
    const f2l_settle_word *w = &settle->found_suffix;
    const size_t end = settle->found - w->count;
    for (size_t i = 0; i < end; i++)
        word[i] = i < z->count ? z->letter[i] : u->letter[(i - z->count) % u->count];
    memcpy(word + end, w->letter, w->count * sizeof *word);
}
