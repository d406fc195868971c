/* The parts that claims zeiger, d1 and blocks share (form.h). */
#include "theory/check/form.h"
#include <string.h>

form *begin_form(problem *x, text *t, size_t least)
{
    form *f = x->form = grab(1, sizeof *f);
    *f = (form){.x = x, .t = x->lrnn, .b = x->net.block, .k = x->a.kinds};
    f->n = read_counts(x, t, " classes ", 2);
    if (f->n < least || f->n > x->a.states.count) reject(t, "no such form");
    return f;
}

void read_classes(form *f, text *t)
{
    const size_t states = f->x->a.states.count;
    f->class = grab(states, sizeof *f->class);
    f->like = grab(f->n, sizeof *f->like);
    end_line(t);
    expect(t, "class");
    for (size_t q = 0; q < states; q++) f->class[q] = (uint32_t)number(t, " ", 0, f->n);
    end_line(t);
    expect(t, "like");
    for (size_t c = 0; c < f->n; c++) f->like[c] = (uint32_t)number(t, " ", 1, states) - 1;
    end_line(t);
}

uint32_t class_after(const form *f, size_t class, size_t a)
{
    return f->class[f->x->a.next[f->like[class] * f->x->a.kinds + a]] - 1;
}

uint32_t to(const form *f, size_t class, size_t a)
{
    return f->moves ? f->moves->value[class * (f->k + 1) + 1 + a] : class_after(f, class, a);
}

void check_classes(form *f, text *t)
{
    const automaton *a = &f->x->a;
    const label kind = f->x->net.kind;
    const bool edges = kind == LABEL_EDGES;
    if (f->class[a->start] == 0) reject(t, "the start has no class");
    t->line++;
    for (size_t c = 0; c < f->n; c++)
        if (f->class[f->like[c]] != c + 1)
            reject(t, "state %zu is not of class %zu", (size_t)f->like[c] + 1, c + 1);
    for (size_t q = 0; q < a->states.count; q++) {
        const uint32_t class = f->class[q];
        if (class == 0) continue;
        const uint32_t like = f->like[class - 1];
        bool right = edges || same_name(label_of(a, kind, q), label_of(a, kind, like));
        spend(1 + f->k / (edges ? 2 : 8));
        for (size_t w = 0; w < f->k; w++) {
            const uint32_t after = f->class[a->next[q * f->k + w]];
            right = right && after > 0 && after - 1 == to(f, class - 1, w);
            if (edges)
                right =
                    right && same_name(label_after(a, kind, q, w), label_after(a, kind, like, w));
        }
        if (!right)
            reject(t, "state %zu is not like the others of its class, or leads to none", q + 1);
    }
    t->line++;
}

void need(const form *f, bool right, const char *what, size_t which)
{
    if (!right)
        reject(&f->t,
               "block %zu, %s %zu: not as in the form "
               "claimed",
               (size_t)(f->b - f->x->net.block) + 1, what, which);
}

/* Returns the label with this number, the highest bit first; the first label where none has it. */
static size_t label_at(const form *f, size_t bits, const uint32_t *bit)
{
    size_t number = 0;
    for (size_t i = 0; i < bits; i++) number = 2 * number + bit[i];
    return number < f->x->net.labels.count ? number : 0;
}

/* The rules of claim points. The exchange of point p, from 0, comes at place n - 2 - p of a block,
 * in a slot for each token. */
static size_t point_value(const form *f, rule r, size_t p, size_t q, const uint32_t v[MOST_WIRES])
{
    const size_t n = f->points, tau = v[0] % f->half, due = n - 2 - p, now = tau * f->slots + p;
    if (r == LETTER)
        return f->point_moves->value[(q ? p : v[0]) * (f->k + 1) + v[1]]; /* q: point p */
    if (r == HOME) return v[0] == p ? v[1] : v[0];              /* image of a point, image of p */
    if (r == LATER) return due / f->slots > tau ? 1 + v[1] : 0; /* count, image of p */
    if (r == NOW) return due / f->slots == tau ? 1 + v[1] : 0;
    if (r == JOIN) return v[0] ? v[0] : v[1];
    if (r == EXCHANGE) /* count, 1 + image; p: the slot */
        return v[1] && now + 1 < n ? (n - 2 - now) * n + v[1] : 0;
    if (v[1] == 0) return v[0]; /* EXCHANGED: point, 1 + what p is exchanged with */
    return v[0] == p ? v[1] - 1 : v[0] + 1 == v[1] ? p : v[0];
}

static size_t rule_value(const form *f, rule r, size_t p, size_t q, const uint32_t v[MOST_WIRES])
{
    if (r >= LETTER) return point_value(f, r, p, q, v);
    const bool here = (p < f->half) == (v[0] < f->half); /* row p, at count v[0] */
    if (r == IMAGE)
        return v[0] || (v[2] && to(f, p, v[1]) == q);  /* acc, a, X_p: does a lead p to q? */
    if (r == PICK) return v[0] || (v[2] && v[1] == p); /* acc, a, bit: is a the letter p? */
    if (r == FIRST) return !v[0] && v[1] && !v[2];     /* f, Y, I: is it the first Y without I? */
    if (r == FOUND) return v[0] || (v[1] && !v[2]);
    if (r == ACTION) return v[0] ? f->k + 1 + v[3] : v[2] ? 1 + v[1] : 0; /* F, a, X, r */
    if (r == OLD) return v[0] && !(v[1] ? v[3] : v[2]);                   /* X, F, v, saved */
    if (r == EITHER) return v[0] || v[1];                                 /* acc, Y */
    if (r == OUTPUT) /* acc, a, X_p: does the output of p by a have bit q? */
        return v[0] || (v[2] && f->number[p * f->k + v[1]] >> q & 1);
    if (r == NUMBER) return label_at(f, p, v); /* bits; p: how many */
    if (r == BOTH) return v[0] * f->k + v[1];  /* count, letter */
    if (r == ROW) /* count, row p: its letter, or none; q = 2: not the present letter */
        return (q > 0) == here && (q == 0 || p + q <= v[0] + 1) ? v[1] : 0;
    if (r == MOVED) return v[1] ? to(f, v[0], v[1] - 1) : v[0]; /* class, letter or none */
    if (r == NAME)
        return find(&f->x->net.labels, label_of(&f->x->a, f->x->net.kind, f->like[v[0]]));
    return p; /* SAME */
}

static size_t rule_values(const form *f, rule r, const struct lookup *table)
{
    if (r == ANY) return table->values;
    if (r == NUMBER || r == NAME) return f->x->net.labels.count;
    if (r == ACTION) return f->k + 3;
    if (r == BOTH) return 2 * f->half * f->k;
    if (r == LATER || r == NOW || r == JOIN) return f->points + 1;
    if (r >= LETTER) return r == EXCHANGE ? 1 + f->points * f->points : f->points;
    return r == ROW ? f->k + 1 : r == MOVED ? f->n : 2;
}

uint32_t next_gate(form *f, rule r, size_t p, size_t q, size_t wires, const uint32_t *wire)
{
    const size_t lacks = wires > 0 && wire[0] == UNSET, given = f->c->first + f->next;
    f->t.line = f->c->line + f->next;
    need(f, f->next < f->c->gates, "gate of wire", given + 1);
    const struct gate *g = &f->c->gate[f->next++];
    const struct lookup *table = f->table = g->table;
    bool right = table->inputs == wires - lacks && table->values == rule_values(f, r, table);
    right = right && memcmp(g->wire, wire + lacks, table->inputs * sizeof *wire) == 0;
    spend(1 + (r == ANY ? 0 : table->entries / 4));
    for (size_t e = 0; right && r != ANY && e < table->entries; e++) {
        uint32_t v[MOST_WIRES] = {0};
        for (size_t i = table->inputs, rest_of = e; i-- > 0; rest_of /= table->size[i])
            v[lacks + i] = (uint32_t)(rest_of % table->size[i]);
        right = table->value[e] == rule_value(f, r, p, q, v);
    }
    need(f, right, "gate of wire", given + 1);
    return (uint32_t)given;
}

void enter(form *f, size_t b, bool post)
{
    if (f->c) need(f, f->next == f->c->gates, "gate of wire", f->c->first + f->next + 1);
    f->b = &f->x->net.block[b];
    f->c = post ? &f->b->wires->post : &f->b->wires->pre;
    f->next = 0;
}

void check_outputs(const form *f, size_t wires, const uint32_t *wire, size_t more, size_t first)
{
    const struct circuits *w = f->b->wires;
    bool right = w->outputs == wires + more && memcmp(w->output, wire, wires * sizeof *wire) == 0;
    for (size_t i = 0; right && i < more; i++) right = w->output[wires + i] == first + i;
    need(f, right, "outputs, of which there are", w->outputs);
}
