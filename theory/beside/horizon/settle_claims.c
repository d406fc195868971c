/* Wrong limits: the length from which one is proved to be the answer, and wrong words that are met
 * by running. */
#include "numeric/base/clones.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/settle_impl.h"
#include <math.h>
#include <string.h>

/* Claims whose T is found also after the time, or until one has a T; letters that are run in all,
 * an eighth of what is left after the periods of one length, and products, where these are fewer
 * letters. */
enum { SURE_CLAIMS = 16, RUN_LETTERS = 2000000 };
#define RUN_PRODUCTS 4e10

double f2l_settle_bar(const f2l_settle_search *s, const f2l_settle_word *period)
{
    size_t of_period = 0, worst = 0;
    for (size_t i = 0; i < s->count; i++)
        if (memcmp(&s->claims[i].period, period, sizeof *period) == 0) {
            of_period++;
            worst = i;
        }
    if (of_period == 2) return s->claims[worst].score;
    return s->count == F2L_SETTLE_RUNS ? s->claims[s->count - 1].score : INFINITY;
}

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

/* An answer to the word up to a letter: of how many letters of the suffix, and how many letters
 * were read for it. */
typedef struct reading {
    size_t length, suffix, state, read;
} reading;

/* A claim's words that are run, and answers that are not looked at yet. */
typedef struct run {
    f2l_settle_search *s;
    const f2l_settle_claim *claim;
    double *at, *o, *radius; /* states, questions */
    f2l_learned_question question[F2L_LEARNED_LANES];
    reading reading[F2L_LEARNED_LANES];
    size_t waiting, wrong; /* letters that were read when an answer was wrong; 0: none */
} run;

/* Notes the word up to here as a wrong one. */
static void note_wrong(run *r, const reading *x, size_t answer)
{
    f2l_settle *out = r->s->out;
    r->wrong = x->read;
    out->found = x->length;
    out->found_state = x->state;
    out->found_answer = answer;
    out->found_prefix = r->s->prefix[r->claim->prefix].word;
    out->found_period = r->claim->period;
    out->found_suffix = (f2l_settle_word){0};
    if (x->suffix == 0) return;
    out->found_suffix = r->s->suffix.word[r->claim->suffix];
    out->found_suffix.count = x->suffix;
}

/* Looks at the answers that wait, up to the first wrong one; only f2l_settle_logits tells answers
 * that are near to each other. */
static void look_at_answers(run *r)
{
    f2l_settle_search *s = r->s;
    f2l_learned_largest found[F2L_LEARNED_LANES];
    if (r->waiting > 0) f2l_learned_largest_lanes(found, &s->net, r->question, r->waiting);
    for (size_t l = 0; l < r->waiting && r->wrong == 0; l++) {
        size_t answer = found[l].label;
        if (!(found[l].gap > F2L_SPAN_NEAR)) {
            double gap;
            memcpy(s->o, r->question[l].centre,
                   s->net.c->heads * s->net.c->value_dim * sizeof *s->o);
            f2l_settle_logits(s, r->question[l].letter);
            answer = f2l_settle_largest(&gap, s);
        }
        if (answer != r->reading[l].state) note_wrong(r, &r->reading[l], answer);
    }
    r->waiting = 0;
}

/* Adds q^T m / root to o [columns]. */
F2L_CLONES static void read_head(double *o, const double *q, const double *m, size_t rows,
                                 size_t columns, double root)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) o[j] += q[i] * m[i * columns + j] / root;
}

/* Reads a letter behind the states `at` and the automaton's state. */
static void read_letter(run *r, double *at, reading *x, size_t letter)
{
    const f2l_settle_search *s = r->s;
    const f2l_seq_config *config = s->net.c;
    const size_t K = config->key_dim, V = config->value_dim, hv = config->heads * V;
    const double root = sqrt((double)K);
    double *centre = r->o + r->waiting * hv;
    memset(centre, 0, hv * sizeof *centre);
    for (size_t h = 0; h < config->heads; h++) {
        double *m = at + h * K * V;
        const double *q = s->net.query + (letter * config->heads + h) * K;
        f2l_learned_apply(m, m, &s->net, letter, h, V, true);
        read_head(centre + h * V, q, m, K, V, root);
    }
    x->state = s->fsa->next[x->state * s->fsa->letters.count + letter];
    x->length++;
    r->question[r->waiting] =
        (f2l_learned_question){.letter = letter, .centre = centre, .radius = r->radius};
    r->reading[r->waiting] = *x;
    if (++r->waiting == F2L_LEARNED_LANES) look_at_answers(r);
}

/* Runs the suffix of a claim behind the states. */
static void run_suffix(run *r, reading x)
{
    f2l_settle_search *s = r->s;
    const f2l_settle_word *w = &s->suffix.word[r->claim->suffix];
    memcpy(s->state, r->at, s->size * sizeof *r->at);
    x.read += w->count;
    for (x.suffix = 1; x.suffix <= w->count && r->wrong == 0; x.suffix++)
        read_letter(r, s->state, &x, w->letter[x.suffix - 1]);
}

/* Runs a claim's words until an answer is wrong, for at most `most` letters; returns how many it
 * read, with the suffix behind each period. Several answers are looked at at once: letters behind a
 * wrong one do not count. */
static size_t run_word(run *r, size_t most)
{
    const f2l_settle_search *s = r->s;
    const f2l_settle_claim *c = r->claim;
    const f2l_settle_place *p = &s->prefix[c->prefix];
    const size_t behind = s->suffix.word[c->suffix].count;
    reading x = {.length = p->word.count, .state = p->state, .read = p->word.count};
    r->wrong = r->waiting = 0;
    memcpy(r->at, p->at, s->size * sizeof *r->at);
    for (size_t i = 0; x.length < most && r->wrong == 0; i++) {
        if (i % 256 == 0 && f2l_task_stop(s->task)) break;
        const bool with = behind > 0 && i % c->period.count == 0 && x.length + behind <= most;
        if (with) run_suffix(r, x);
        x.read += 1 + (with ? behind : 0);
        if (r->wrong == 0) read_letter(r, r->at, &x, c->period.letter[i % c->period.count]);
    }
    look_at_answers(r);
    return r->wrong > 0 ? r->wrong : x.read;
}

/* Runs a claim's word for fewer letters than the shortest wrong word has, if letters are left. */
static void run_shorter(run *r, const f2l_settle_claim *c, size_t until)
{
    f2l_settle_search *s = r->s;
    size_t most = s->ask->run;
    if (s->out->found > 0 && s->out->found - 1 < most) most = s->out->found - 1;
    r->claim = c;
    if (s->spent < until) s->spent += run_word(r, most);
    r->claim = NULL;
}

/* Runs the best period with all prefixes. */
static f2l_status run_prefixes(run *r, size_t until)
{
    f2l_settle_search *s = r->s;
    f2l_status status = F2L_OK;
    f2l_settle_claim c = {.period = s->out->found_period};
    for (size_t w = 0; w < s->suffix.count; w++)
        if (memcmp(&s->suffix.word[w], &s->out->found_suffix, sizeof *s->suffix.word) == 0)
            c.suffix = w;
    for (; status == F2L_OK && s->out->found > 0 && c.prefix < s->out->prefixes; c.prefix++) {
        run_shorter(r, &c, until);
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
    const size_t hv = s->net.c->heads * s->net.c->value_dim;
    f2l_status status = F2L_OK;
    run r = {.s = s};
    r.at = f2l_calloc(s->size + F2L_LEARNED_LANES * hv + s->net.c->heads, sizeof *r.at);
    if (!r.at) return f2l_fail_memory(s->err);
    r.o = r.at + s->size;
    r.radius = r.o + F2L_LEARNED_LANES * hv;
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        run_shorter(&r, &s->claims[i], until);
        status = f2l_task_poll(s->task, "words", (double)i, (double)s->count, s->err);
    }
    if (status == F2L_OK) status = run_prefixes(&r, until);
    f2l_free(r.at);
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
