/* The search for a period whose cycle no root of unity turns with (theory/pages/all-lengths.md,
 * AL.15 - AL.17). */
#include "theory/beside/horizon/learned_roots.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/roots_impl.h"
#include <flint/ulong_extras.h>

/* Primes that are tried, at most, and all numbers of keys modulo these. */
enum { PRIMES = 64, MOST_KEYS = 1 << 24 };

typedef struct search {
    f2l_learned_net net;
    f2l_roots_factors factors;
    const f2l_fsa *fsa;
    f2l_roots *out;
    size_t numbers, primes; /* of the keys; primes that are tried */
    unsigned prime[PRIMES];
    unsigned *key[PRIMES];  /* NULL: not yet */
    size_t *state, reached; /* states that words lead to */
    size_t *size;           /* [states] of its cycle, or 0 */
    f2l_error *err;
} search;

static f2l_status begin_search(search *s)
{
    const f2l_seq_config *c = s->net.c;
    const size_t states = s->fsa->states.count, letters = s->fsa->letters.count;
    s->numbers = c->letters * c->heads * c->householders * c->key_dim;
    for (unsigned p = 3; s->primes < PRIMES && (s->primes + 1) * s->numbers <= MOST_KEYS; p += 2)
        if (n_is_prime(p)) s->prime[s->primes++] = p;
    s->state = f2l_calloc(2 * states, sizeof *s->state);
    if (!s->state) return f2l_fail_memory(s->err);
    s->size = s->state + states;
    s->state[s->reached++] = s->fsa->start;
    s->size[s->fsa->start] = 1; /* for now: it is reached */
    for (size_t i = 0; i < s->reached; i++)
        for (size_t w = 0; w < letters; w++) {
            const size_t next = s->fsa->next[s->state[i] * letters + w];
            if (s->size[next]++ == 0) s->state[s->reached++] = next;
        }
    return F2L_OK;
}

static size_t after(const search *s, size_t state, const f2l_settle_word *u)
{
    for (size_t i = 0; i < u->count; i++)
        state = s->fsa->next[state * s->fsa->letters.count + u->letter[i]];
    return state;
}

/* Sets the sizes of the cycles of the states that words lead to; returns whether one has several.
 */
static bool find_cycles(search *s, const f2l_settle_word *u)
{
    bool several = false;
    for (size_t i = 0; i < s->reached; i++) s->size[s->state[i]] = 0;
    for (size_t i = 0; i < s->reached; i++) {
        size_t size = 1, p = after(s, s->state[i], u);
        for (; p != s->state[i] && size <= s->reached; size++) p = after(s, p, u);
        for (size_t j = 0; size <= s->reached && j < size; j++, p = after(s, p, u))
            s->size[p] = size;
        several |= size <= s->reached && size > 1;
    }
    return several;
}

/* Returns whether no rotation of the word comes before it: all rotations have the same cycles, and
 * matrices with the same eigenvalues other than 0. */
static bool comes_first(const f2l_settle_word *u)
{
    for (size_t by = 1; by < u->count; by++)
        for (size_t i = 0; i < u->count; i++) {
            const uint32_t a = u->letter[i], b = u->letter[(i + by) % u->count];
            if (b < a) return false;
            if (b > a) break;
        }
    return true;
}

static bool is_irrational(const search *s, const f2l_settle_word *u)
{
    const size_t each = s->net.c->heads * s->net.c->householders;
    for (size_t i = 0; i < u->count * each; i++)
        if (s->factors.deed[u->letter[i / each] * each + i % each] == F2L_ROOTS_UNKNOWN)
            return true;
    return false;
}

/* Looks for a prime modulo which no head has the order, a power of `base`. */
static f2l_status try_order(search *s, const f2l_settle_word *u, size_t cycle, size_t order,
                            size_t base)
{
    for (size_t i = 0; i < s->primes && !s->out->refuted; i++) {
        if (!s->key[i]) {
            s->key[i] = f2l_calloc(s->numbers, sizeof **s->key);
            if (!s->key[i]) return f2l_fail_memory(s->err);
            f2l_roots_factors_keys(s->key[i], &s->factors, s->prime[i]);
        }
        if (!f2l_roots_lacks(&s->factors, s->key[i], s->prime[i], u, order, base)) continue;
        s->out->refuted = true;
        s->out->period = *u;
        s->out->cycle = cycle;
        s->out->order = order;
        s->out->prime = s->prime[i];
    }
    return F2L_OK;
}

/* Tries the largest power of every prime that divides a cycle. */
static f2l_status look_at_cycles(search *s, const f2l_settle_word *u)
{
    f2l_status status = F2L_OK;
    for (size_t base = 2; base <= s->reached && status == F2L_OK && !s->out->refuted; base++) {
        size_t order = 1, cycle = 1;
        if (!n_is_prime(base)) continue;
        for (size_t i = 0; i < s->reached; i++)
            while (s->size[s->state[i]] > 0 && s->size[s->state[i]] % (order * base) == 0) {
                order *= base;
                cycle = s->size[s->state[i]];
            }
        if (order > 1) status = try_order(s, u, cycle, order, base);
    }
    return status;
}

static f2l_status look_at_periods(search *s, const f2l_roots_ask *ask, const f2l_task *task)
{
    f2l_roots *out = s->out;
    f2l_settle_word u = {0};
    f2l_status status = F2L_OK;
    const double end = f2l_now() + ask->seconds;
    while (status == F2L_OK && !out->refuted && out->periods < ask->words && f2l_now() < end) {
        f2l_settle_next_word(&u, s->fsa->letters.count);
        if (u.count > ask->length) break;
        status = f2l_task_poll(task, "periods", (double)out->periods, 0, s->err);
        if (status != F2L_OK) break;
        out->length = u.count;
        out->periods++;
        if (!comes_first(&u) || !find_cycles(s, &u)) continue;
        out->cycles++;
        if (is_irrational(s, &u))
            out->irrational++;
        else
            status = look_at_cycles(s, &u);
    }
    if (status == F2L_OK && u.count <= ask->length) f2l_settle_next_word(&u, s->fsa->letters.count);
    out->complete = u.count > ask->length;
    const f2l_stop stop = f2l_task_stop(task);
    if (status != F2L_UNKNOWN || stop == F2L_STOP_SIGNAL) return status;
    out->ended = stop;
    return F2L_OK;
}

f2l_status f2l_roots_find(f2l_roots *out, const f2l_seq *model, const double *parameters,
                          const f2l_fsa *fsa, bool begin, const f2l_roots_ask *ask,
                          const f2l_task *task, f2l_error *err)
{
    *out = (f2l_roots){0};
    f2l_status status = f2l_learned_exact_applies(&model->config, fsa, begin, err);
    if (status != F2L_OK) return status;
    search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    *s = (search){.fsa = fsa, .out = out, .err = err};
    status = f2l_learned_net_build(&s->net, model, parameters, f2l_learned_scope_at(0), task, err);
    if (status == F2L_OK) {
        status = f2l_roots_factors_read(&s->factors, &s->net, model, parameters, err);
        if (status == F2L_OK) status = begin_search(s);
        if (status == F2L_OK) status = look_at_periods(s, ask, task);
    }
    f2l_learned_net_clear(&s->net);
    for (size_t i = 0; i < PRIMES; i++) f2l_free(s->key[i]);
    f2l_roots_factors_clear(&s->factors);
    f2l_free(s->state);
    f2l_free(s);
    return status;
}

f2l_status f2l_roots_write(f2l_buf *out, const f2l_roots *roots, const f2l_learned_files *files,
                           f2l_error *err)
{
    if (!roots->refuted)
        return f2l_fail(err, F2L_EDOMAIN, "nothing is refuted, of which there is no certificate");
    f2l_learned_write_head(out, files, f2l_learned_scope_at(0)->name, "roots");
    f2l_buf_text(out, "period");
    for (size_t i = 0; i < roots->period.count; i++)
        f2l_buf_printf(out, " %u", roots->period.letter[i] + 1);
    f2l_buf_printf(out, "\norder %zu\nprime %zu\nend\n", roots->order, roots->prime);
    return f2l_buf_status(out, err);
}
