/* claim zeiger: the network is the rule form of a quotient of the automaton
 * (theory/pages/zeiger.md, Z.3), and then is right.
 *
 *     size layers L heads 1 householders 4N key n value 1  4N: no token takes more factors (Z.7)
 *     letters K states Q classes N                         K letters of stage 1; N > 1
 *     class c_1 .. c_Q                                     of each state, or 0
 *     like q_1 .. q_N                                      a state of each class
 *     from y x_1.a_1 x_2.a_2 ..                            y = 1..N: all classes x that some
 *                                                          letter leads to class y,
 *     end N                                                increasing, each with the first
 *                                                          letter that does; perhaps none
 *
 * What you must believe of `s VERIFIED zeiger`: Z.6 of theory/pages/zeiger.md, with label edges in
 * the form of Z.10, which is an induction on the length of words over Z.1 to Z.5. Its two
 * conditions are checked here:
 * 1. the classes are a quotient that keeps labels (check_classes: the start has a class; states
 *    of a class have one label, with label edges the same output by every letter, and every
 *    letter leads them to states of one class; every class has a state);
 * 2. the network is the form of that quotient: three blocks, of which the stages are 1, 2 .. 2,
 *    3; every gate of Z.3 in its order, with the wires said there and a table that is its
 *    function on all entries (next_gate); initial states, readouts, outputs; and slots that
 *    act as in Z.3. These are run in exact arithmetic on numbers that are all 0 or 1, equal ones
 *    in pairs, which are all that Z.5 has there, touch no other rows, and take at most as many
 *    factors as Z.3 writes for that (acts), from which Z.7 has the 4N of the verdict. How tables
 *    are shared and factors are written does not matter.
 * Z.3 has a gate for each class y and each x that some letter leads there. The lines `from`
 * list these, and one walk over all edges, by x and then by letter, must meet what they list,
 * all of it, each entry in its turn (check_sources): so they are the edges of the quotient, each
 * pair once, with its first letter. */
#include "theory/check/form.h"
#include <stdio.h>

/* Edges x.a by the class y to which they lead: the edges from at[y] on, up to at[y + 1]. */
typedef struct sources {
    struct edge {
        uint32_t x, a;
    } * edge;
    size_t *at; /* [n + 1] */
} sources;

static sources *read_sources(const form *f, text *t)
{
    sources *s = grab(1, sizeof *s);
    size_t count = 0, capacity = 0;
    s->at = grab(f->n + 1, sizeof *s->at);
    for (size_t y = 0; y < f->n; y++) {
        number(t, "from ", y + 1, y + 1);
        while (*t->at == ' ') {
            s->edge = grow(s->edge, count, &capacity, sizeof *s->edge);
            s->edge[count].x = (uint32_t)number(t, " ", 1, f->n) - 1;
            s->edge[count++].a = (uint32_t)number(t, ".", 1, f->k) - 1;
        }
        s->at[y + 1] = count;
        end_line(t);
    }
    return s;
}

void read_zeiger(problem *x, text *t)
{
    form *f = begin_form(x, t, 2);
    read_classes(f, t);
    f->from = read_sources(f, t);
    number_line(t, "end ", f->n, f->n);
    /* The network's own number is the sum over slots of the most factors of a value, which no token
     * attains (Z.7). */
    x->net.householders = 4 * f->n;
    snprintf(x->counts, sizeof x->counts, "classes %zu", f->n);
}

/* Checks the lines `from`. t: the first of these lines. met[y]: 1 + the last class from which an
 * edge to y was met. */
static void check_sources(const form *f, text *t)
{
    const sources *s = f->from;
    const size_t line = t->line;
    size_t *next = grab(f->n, sizeof *next);
    uint32_t *met = grab(f->n, sizeof *met);
    for (size_t y = 0; y < f->n; y++) next[y] = s->at[y];
    for (uint32_t x = 0; x < f->n; x++) {
        spend(1 + f->k / 8);
        for (uint32_t a = 0; a < f->k; a++) {
            const uint32_t y = to(f, x, a);
            if (met[y] == x + 1) continue;
            met[y] = x + 1;
            t->line = line + y;
            if (next[y] == s->at[y + 1] || s->edge[next[y]].x != x || s->edge[next[y]].a != a)
                reject(t, "class %zu leads here first by letter %zu", (size_t)x + 1, (size_t)a + 1);
            next[y]++;
        }
    }
    for (size_t y = 0; y < f->n; y++) {
        t->line = line + y;
        if (next[y] < s->at[y + 1])
            reject(t, "class %zu does not lead here", (size_t)s->edge[next[y]].x + 1);
    }
}

/* Returns whether v holds 1 at `at` and after it, and nothing else. */
static bool is_pair(const vector *v, size_t at)
{
    return v->count == 2 && v->entry[0].index == at && v->entry[1].index == at + 1 &&
           mpq_cmp_ui(v->entry[0].value, 1, 1) == 0 && mpq_cmp_ui(v->entry[1].value, 1, 1) == 0;
}

/* Returns whether the transition, which may change rows 2p, 2p + 1, 2q, 2q + 1 only, turns the
 * copies p and q, each of which is twice 0 or twice 1, into the two letters of `does`: 0, 1, the
 * old p, the old q. */
static bool acts(problem *x, const head *h, const transition *w, size_t p, size_t q,
                 const char *does)
{
    const size_t row[4] = {2 * p, 2 * p + 1, 2 * q, 2 * q + 1};
    bool right = mpq_cmp_ui(w->gate, 1, 1) == 0;
    for (const factor *f = w->factor; f < w->factor + w->factors; f++)
        for (size_t i = 0; i < f->w.count; i++)
            right = right && (f->w.entry[i].index / 2 == p || f->w.entry[i].index / 2 == q);
    for (unsigned long v = 0; right && v < 4; v++) {
        const unsigned long old[2] = {v / 2, v % 2};
        for (size_t i = 0; i < 4; i++) mpq_set_ui(x->state[row[i]], old[i / 2], 1);
        move(h, x->state, w);
        for (size_t i = 0; i < 4; i++) {
            const char c = does[i / 2];
            right =
                right && mpq_cmp_ui(x->state[row[i]], c >= 'p' ? old[c - 'p'] : c == '1', 1) == 0;
        }
    }
    return right;
}

/* Checks value v of slot x of a part: an exchange is one factor, and so is a row that becomes a
 * number. */
static void check_value(const form *f, size_t part, size_t x, size_t v)
{
    const size_t n = f->n, k = f->k, slot = part * n + x;
    const bool moves = part == 1 && v > 0 && v <= k;
    const char *by_g = v == 0 ? "pq" : moves ? "qp" : v == k + 1 ? "0q" : "1q";
    const char *does = part == 1 ? by_g : part == 0 ? (v ? "qp" : "p0") : v ? "pq" : "qp";
    const size_t most = does[0] == 'p' && does[1] == 'q' ? 0 : does[0] == 'q' ? 1 : 2;
    const transition *w = &f->b->head->slot[slot].on[v];
    const size_t saved = n + (moves ? to(f, x, v - 1) : x);
    need(f, w->factors <= most && acts(f->x, f->b->head, w, x, saved, does), "slot", slot + 1);
}

/* Checks the head. Slots 1 .. n and 2n + 1 .. 3n read the wire F, the others the wires from g on.
 * Copies: current states, then saved ones. */
static void check_head(const form *f, uint32_t F, uint32_t g)
{
    const size_t n = f->n, k = f->k;
    const head *h = f->b->head;
    need(f, h->n == 4 * n && h->d == 1 && h->slots == 3 * n, "head", 1);
    for (size_t j = 0; j < 3 * n; j++) {
        const size_t part = j / n, x = j % n;
        need(f, h->slot[j].wire == (part == 1 ? g + x : F), "slot", j + 1);
        for (size_t v = 0; v < (part == 1 ? k + 3 : 2); v++) check_value(f, part, x, v);
    }
    for (size_t i = 0; i < f->b->readouts; i++) {
        const struct readout *r = &f->b->readout[i];
        need(f,
             r->entries == 2 && r->codes == 2 && r->code[0].count == 0 && is_pair(&r->code[1], 0),
             "readout", i + 1);
    }
}

/* Checks I_y for every y: wire[y]. */
static void check_images(form *f, uint32_t *wire)
{
    const sources *s = f->from;
    for (size_t y = 0; y < f->n; y++) {
        wire[y] = UNSET;
        for (const struct edge *e = s->edge + s->at[y]; e < s->edge + s->at[y + 1]; e++)
            wire[y] = next_gate(f, IMAGE, e->x, y, 3, (uint32_t[]){wire[y], 0, 1 + e->x});
        if (wire[y] == UNSET) wire[y] = next_gate(f, SAME, 0, 0, 0, wire);
    }
}

/* Checks the level. Wires: 0 is the letter, 1 + x the old bits, 1 + n + y the new ones. */
static void check_level(form *f)
{
    const uint32_t n = (uint32_t)f->n, k = (uint32_t)f->k, letter = 0, old = 1, new = 1 + n;
    uint32_t *wire = grab(n, sizeof *wire), F = UNSET, g = UNSET;
    enter(f, 1, false);
    check_images(f, wire);
    const uint32_t r = (uint32_t)(f->c->first + f->next);
    for (uint32_t y = 0; y < n; y++) {
        const uint32_t in[] = {F, new + y, wire[y]};
        next_gate(f, FIRST, 0, 0, 3, in);
        F = next_gate(f, FOUND, 0, 0, 3, in);
    }
    for (uint32_t x = 0; x < n; x++)
        g = next_gate(f, ACTION, 0, 0, 4, (uint32_t[]){F, 0, old + x, r + 2 * x});
    check_head(f, F, g + 1 - n);
    const uint32_t current = g + 1, saved = current + n;
    enter(f, 1, true);
    for (uint32_t x = 0; x < n; x++) {
        wire[x] = UNSET;
        for (uint32_t a = 0; a < k; a++)
            wire[x] = next_gate(f, PICK, a, 0, 3, (uint32_t[]){wire[x], 0, current + to(f, x, a)});
    }
    check_outputs(f, 1, &letter, 2 * n, f->c->first + f->next);
    for (uint32_t x = 0; x < n; x++)
        next_gate(f, OLD, 0, 0, 4, (uint32_t[]){old + x, F, wire[x], saved + x});
    for (uint32_t y = 0; y < n; y++)
        next_gate(f, FIRST, 0, 0, 3, (uint32_t[]){UNSET, new + y, current + y});
}

/* Checks the stages: levels hold the classes other than the start, increasing. */
static void check_stages(form *f)
{
    const network *net = &f->x->net;
    const size_t n = f->n;
    need(f, net->blocks == 3 && net->stages == n + 1, "stages, of which there are", net->stages);
    for (size_t l = 0, c = 0; l <= n; l++) {
        const size_t kind = (l > 0) + (l == n);
        f->b = net->stage[l].block;
        need(f, f->b == &net->block[kind] && f->b->heads == kind % 2, "stage", l + 1);
        if (kind != 1) continue;
        c += c + 1 == f->class[f->x->a.start];
        need(f, is_pair(net->stage[l].initial, 2 * c++), "initial state of stage", l + 1);
    }
}

/* Checks the gates for a bit of the label's number; returns the wire of the last one. each: labels
 * of a class, its own one, or with label edges the outputs of its letters. */
static uint32_t check_label_bit(form *f, size_t each, size_t bit)
{
    const bool edges = f->x->net.kind == LABEL_EDGES;
    uint32_t wire = UNSET;
    for (size_t y = 0; y < f->n; y++) {
        const uint32_t *number = f->number + y * each, old = (uint32_t)(1 + y);
        bool has = false;
        spend(1 + each / 16);
        for (size_t i = 0; i < each; i++) has = has || (number[i] >> bit & 1);
        if (has && edges)
            wire = next_gate(f, OUTPUT, y, bit, 3, (uint32_t[]){wire, 0, old});
        else if (has)
            wire = next_gate(f, EITHER, 0, 0, 2, (uint32_t[]){wire, (uint32_t)(f->n + old)});
    }
    return wire == UNSET ? next_gate(f, SAME, 0, 0, 0, &wire) : wire;
}

/* Checks the last block. */
static void check_leave(form *f)
{
    const problem *x = f->x;
    const label kind = x->net.kind;
    const size_t each = kind == LABEL_EDGES ? f->k : 1;
    uint32_t wire[MOST_WIRES];
    size_t bits = 0;
    f->number = grab(product_of(f->n, each), sizeof *f->number);
    enter(f, 2, false);
    while (x->net.labels.count > (size_t)1 << bits) bits++;
    need(f, bits <= MOST_WIRES, "labels, of which there are", x->net.labels.count);
    for (size_t i = 0; i < f->n * each; i++) {
        const uint32_t like = f->like[i / each];
        const size_t at =
            find(&x->net.labels, kind == LABEL_EDGES ? label_after(&x->a, kind, like, i % each)
                                                     : label_of(&x->a, kind, like));
        need(f, at < x->net.labels.count, "labels lack the one of class", i / each + 1);
        f->number[i] = (uint32_t)at;
    }
    for (size_t bit = 0; bit < bits; bit++) wire[bits - 1 - bit] = check_label_bit(f, each, bit);
    const uint32_t last = next_gate(f, NUMBER, bits, 0, bits, wire);
    need(f, f->b->wires->outputs == 1 && *f->b->wires->output == last, "output", 1);
}

void check_zeiger(problem *x, text *t)
{
    form *f = x->form;
    const size_t n = f->n;
    const uint32_t letter = 0;
    uint32_t last = UNSET;
    check_classes(f, t);
    check_sources(f, t);
    check_stages(f);
    enter(f, 0, false);
    check_outputs(f, 1, &letter, 2 * n, 1);
    for (size_t i = 0; i < 2 * n; i++) next_gate(f, SAME, 1, 0, 0, &last);
    enter(f, 0, true);
    check_level(f);
    check_leave(f);
    enter(f, 2, true);
    enter(f, 0, false);
}
