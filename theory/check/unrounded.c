/* Lines `unrounded` of a certificate: in these formats and schedules nothing rounds, so that the
 * claim holds there unchanged (theory/pages/unrounded.md, U1).
 *
 *     unrounded FORMAT SCHEDULE  after the claim, for each one in which nothing rounds; no two
 *                                alike
 *     [with chunk64 the lines of chunk64.c]
 *
 * Checked are U2 to U6, and for chunk64 U7 to U10: weights are numbers of the format, and so is
 * every number that the schedule forms from the initial states and all codes, by all letters.
 * The claim has been checked: words lead to no other states. */
#include "theory/check/unrounded.h"
#include <stdio.h>
#include <string.h>

/* Scratch of the check: a state of a block, room for a step, codes and readouts that a slot
 * touches. */
typedef struct unrounded_room {
    unrounded *first, **last;
    set words;
    real *in;
    step_room room;
    uint32_t *found, *touched;
} unrounded_room;

void read_unrounded(problem *x, text *t)
{
    unrounded_room *m = x->more = grab(1, sizeof *m);
    m->last = &m->first;
    while (comes(t, "unrounded ")) {
        unrounded *u = *m->last = grab(1, sizeof *u);
        m->last = &u->next;
        u->line = *t;
        expect(t, "unrounded ");
        const char *from = t->at;
        const format data = read_format(t);
        expect(t, " ");
        u->schedule = read_schedule(t, data);
        u->words = (name){from, (size_t)(t->at - from)};
        if (!add(&m->words, u->words)) reject(t, "a format and schedule is given twice");
        end_line(t);
        if (u->schedule.order == CHUNK64) u->proof = read_proofs(x, t);
    }
}

void need_exact(const unrounded *u, bool right, const char *what, size_t l, const head *h,
                const block *b)
{
    if (!right)
        reject(&u->line,
               "layer or block %zu, head %zu: %s is "
               "rounded",
               l + 1, (size_t)(h - b->head) + 1, what);
}

/* Writes the numbers of v to the state m->in, from `at` on; returns whether they are exact. */
static bool put_exact(const unrounded_room *m, const format *f, size_t at, size_t entries,
                      const vector *v)
{
    for (size_t i = 0; i < entries; i++) m->in[at + i] = (real){0, 0};
    lost = false;
    for (const struct entry *e = v->entry; e < behind(v); e++)
        m->in[at + e->index] = weight(f, e->value, NULL);
    return !lost;
}

/* Returns whether each step from the head's state in m->in is exact. m->in becomes the state after
 * it. */
static bool step_exact(const unrounded_room *m, const schedule *s, const head *h, const turn *w)
{
    lost = false;
    turn_head(s, h, w, m->in + h->at, &m->room);
    return !lost;
}

/* Returns H_0, or a code, of a head. */
static const vector *state_of(const problem *x, size_t l, size_t h, size_t code)
{
    const struct readout *r = &x->net.block[l].readout[h];
    return code < r->codes ? &r->code[code] : &x->net.stage[l].initial[h];
}

/* Checks U4a where the heads of a layer share a scale: H_0 and the codes stay when the layer is
 * stored, at the start and later. */
static void check_shared_scale(const problem *x, const unrounded *u, size_t l)
{
    const unrounded_room *m = x->more;
    const block *y = &x->net.block[l];
    const size_t codes = u->schedule.row.layers ? y->readout->codes : 0;
    for (size_t c = 0; u->schedule.row.layers && c <= codes; c++)
        for (int start = 0; start < 2; start++) {
            for (const head *h = y->head; h < y->head + y->heads; h++)
                need_exact(u,
                           put_exact(m, &u->schedule.state, h->at, h->entries,
                                     state_of(x, l, (size_t)(h - y->head), c)),
                           "a state", l, h, y);
            lost = false;
            keep_layer(&u->schedule, y, m->in, start == 1, &m->room);
            need_exact(u, !lost, "a state of all heads", l, y->head, y);
        }
}

/* Checks U2: the letters from H_0 and all codes. */
static void check_layer(problem *x, const unrounded *u, size_t l)
{
    const unrounded_room *m = x->more;
    const schedule *s = &u->schedule;
    const block *y = &x->net.block[l];
    need_layer(&s->row, y);
    for (const head *h = y->head; h < y->head + y->heads; h++) {
        const struct readout *r = &y->readout[h - y->head];
        need_exact(u, make_turns(s, h), "a weight", l, h, y);
        for (size_t c = 0; c <= r->codes; c++) {
            const vector *v = state_of(x, l, (size_t)(h - y->head), c);
            const format *f = c < r->codes ? &s->state : &s->weights;
            need_exact(u, put_exact(m, f, h->at, h->entries, v), "a state", l, h, y);
            need_exact(u, start_head(s, h, m->in + h->at, &m->room), "a state", l, h, y);
            for (size_t w = 0; s->order != CHUNK64 && w < y->letters; w++) {
                if (w > 0) put_exact(m, f, h->at, h->entries, v);
                need_exact(u, step_exact(m, s, h, &h->slot->in[w]), "a step", l, h, y);
            }
        }
    }
}

/* Marks the rows that keys or the gate touch. */
static void touch(bool *row, const head *h, const transition *w)
{
    memset(row, mpq_cmp_ui(w->gate, 1, 1) != 0, h->n);
    for (const factor *f = w->factor; f < w->factor + w->factors; f++)
        for (const struct entry *e = f->w.entry; e < f->w.entry + f->w.count; e++)
            row[e->index] = true;
}

/* Checks U5: a value of the only slot, from all combinations of codes in the readouts that have a
 * row it touches. */
static void check_combinations(problem *x, const unrounded *u, size_t l, const head *h,
                               size_t value, const bool *row)
{
    const unrounded_room *m = x->more;
    const block *b = &x->net.block[l];
    uint32_t *code = m->found, *touched = m->touched;
    size_t count = 0, i;
    spend(1 + (b->readouts + h->n) / 16);
    for (size_t r = 0; r < b->readouts; r++) {
        const struct readout *in = &b->readout[r];
        bool is = false;
        if (in->at < h->at || in->at >= h->at + h->entries) continue;
        for (size_t k = (in->at - h->at) / h->d; k < (in->at - h->at + in->entries) / h->d; k++)
            is = is || row[k];
        if (is) touched[count++] = (uint32_t)r;
    }
    do {
        spend(1 + h->entries / 4);
        for (size_t k = 0; k < h->entries; k++) m->in[h->at + k] = (real){0, 0};
        for (i = 0; i < count; i++) {
            const struct readout *in = &b->readout[touched[i]];
            put_exact(m, &u->schedule.state, in->at, in->entries, &in->code[code[i]]);
        }
        need_exact(u, step_exact(m, &u->schedule, h, &h->slot->in[value]), "a step", l, h, b);
        for (i = 0; i < count && ++code[i] == b->readout[touched[i]].codes; i++) code[i] = 0;
    } while (i < count);
}

static bool is_paired(const real *state, size_t n)
{
    bool right = true;
    for (size_t i = 0; i < n; i++)
        right = right && same_real(state[i], state[i / 2 * 2]) &&
                (state[i].m == 0 || same_real(state[i], one));
    return right;
}

/* Checks U6: a value of a slot, from all paired states that are 0 where the value touches nothing,
 * to paired states. */
static void check_paired(problem *x, const unrounded *u, size_t l, const head *h, const turn *w,
                         const bool *row)
{
    const unrounded_room *m = x->more;
    size_t touched[10], pairs = 0;
    for (size_t i = 0; i < h->n; i += 2) {
        if (!row[i] && !row[i + 1]) continue;
        if (pairs < sizeof touched / sizeof *touched)
            touched[pairs++] = i;
        else
            give_up("a slot touches too many pairs of rows");
    }
    for (size_t state = 0; state < (size_t)1 << pairs; state++) {
        real *S = m->in + h->at;
        for (size_t i = 0; i < h->n; i++) S[i] = (real){0, 0};
        for (size_t i = 0; i < pairs; i++)
            S[touched[i]] = S[touched[i] + 1] = (real){state >> i & 1, 0};
        need_exact(u, step_exact(m, &u->schedule, h, w), "a step", l, h, &x->net.block[l]);
        if (!is_paired(S, h->n)) give_up("a head with several slots whose states are not pairs");
    }
}

static void check_block(problem *x, const unrounded *u, size_t l)
{
    const unrounded_room *m = x->more;
    const schedule *s = &u->schedule;
    const block *b = &x->net.block[l];
    for (const struct readout *r = b->readout; r < b->readout + b->readouts; r++)
        for (size_t c = 0; c < r->codes; c++)
            need_exact(u, put_exact(m, &s->state, r->at, r->entries, &r->code[c]), "a code", l,
                       b->head, b);
    for (const head *h = b->head; h < b->head + b->heads; h++) {
        bool *row = grab(h->n, sizeof *row);
        need_exact(u, make_turns(s, h), "a weight", l, h, b);
        if (h->slots > 1 && (h->d > 1 || h->n % 2 > 0))
            give_up("a head with several slots that is not of pairs");
        for (const stage *at = x->net.stage; at < x->net.stage + x->net.stages; at++)
            for (size_t v = 0; at->block == b && v < h->slot->values; v++) {
                const vector *initial = &at->initial[h - b->head];
                need_exact(u, put_exact(m, &s->weights, h->at, h->entries, initial),
                           "an initial state", l, h, b);
                if (h->slots > 1 && !is_paired(m->in + h->at, h->n))
                    give_up("an initial state is not of pairs");
                if (h->slots == 1)
                    need_exact(u, step_exact(m, s, h, &h->slot->in[v]), "a step", l, h, b);
            }
        for (const struct slot *j = h->slot; j < h->slot + h->slots; j++)
            for (size_t v = 0; v < j->values; v++) {
                touch(row, h, &j->on[v]);
                if (h->slots == 1)
                    check_combinations(x, u, l, h, v, row);
                else
                    check_paired(x, u, l, h, &j->in[v], row);
            }
    }
}

void check_unrounded(problem *x)
{
    unrounded_room *m = x->more;
    size_t most = 0;
    for (size_t l = 0; l < x->net.blocks; l++) most = MAXIMUM(most, x->net.block[l].readouts);
    m->in = grab(x->net.entries, sizeof *m->in);
    m->room = make_room(&x->net);
    m->found = grab(most, sizeof *m->found);
    m->touched = grab(most, sizeof *m->touched);
    for (const unrounded *u = m->first; u; u = u->next)
        for (size_t l = 0, heads = 0; l < x->net.blocks; heads += x->net.block[l++].heads) {
            const void *before = newest_memory();
            if (x->net.wired && u->schedule.order == ENGINE) give_up("a row in a wired network");
            (x->net.wired ? check_block : check_layer)(x, u, l);
            check_shared_scale(x, u, l);
            for (size_t h = 0; u->proof && h < x->net.block[l].heads; h++)
                check_chunks(x, u, l, &x->net.block[l].head[h], heads + h);
            free_newer(before); /* the weights in this format */
        }
}

void print_unrounded(const problem *x, const char *word)
{
    const unrounded_room *m = x->more;
    char tail[sizeof x->tail];
    for (const unrounded *u = m->first; u; u = u->next) {
        snprintf(tail, sizeof tail, " %.*s", (int)u->words.size, u->words.bytes);
        print_verdict(x, "unrounded ", word, tail);
    }
}
