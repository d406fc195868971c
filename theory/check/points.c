/* claim points: the network is a point form of the automaton, and right by D1.12 of
 * theory/pages/d1.md. A clock counts letters, a ring holds the last 2B of them, gates compute where
 * the letters of the block of B letters before this one take each of n points, and take this apart
 * into exchanges of two points, which the last head does a few at a time. Gates move the points
 * that its code has by the exchanges to come and by the letters of this block.
 *
 *     size layers L heads H householders N key n value d
 *     letters K states Q rows R clock C block B points n marks m
 *     orbits o_1 .. o_n          a number for each point
 *     count t codes c_1 .. c_m   as in claim d1 (d1.c)
 *     step h i y to g            for all codes h and all points i < y of one orbit, increasing: the
 *                                exchange of i and y leads the last head from code h to code g
 *     row i state q points x_1 .. x_m next j_1 .. j_K
 *                                i = 1 .. R: a state, points, and the row after each letter
 *     end R
 *
 * What you must believe of `s VERIFIED points`: D1.12 of theory/pages/d1.md. It needs the form
 * (check_point_ring, check_point_applying), where only T, the places of codes, the lists and the
 * counts may hold anything, D1.8 (a) to (c) (check_clock, check_points), and
 * (d) check_letters. T permutes the points for every letter, moves none without a letter, and keeps
 *     the numbers of the orbits line.
 * (e) check_exchanges. Values that exchange nothing do nothing in any slot. Each step listed is
 *     taken once, exactly, in every slot, and its codes have the points that the exchange demands.
 * (f) check_lists_of. Row 1 is the start with the points of the initial state's code; each row's
 *     next rows are its state and points after the letter; and the points give the state's label.
 * Table entries that no check reads may be anything. */
#include "theory/check/d1.h"
#include <stdio.h>
#include <string.h>

/* at[row]: its state, its points, its next rows. */
typedef struct points {
    size_t marks, rows, line; /* line: of the first step */
    size_t row_line;
    uint32_t *orbit, *step, *at;
    const struct lookup **place, **list; /* [marks] */
} points;

static points *points_of(const form *f)
{
    return f->x->own;
}

/* Reading */

static void read_exchanges(form *f, text *t)
{
    points *p = points_of(f);
    const size_t n = f->points, codes = f->d1->codes;
    p->line = t->line;
    p->step = grab(product_of(codes, product_of(n, n)), sizeof *p->step);
    for (size_t h = 0; h < codes; h++)
        for (size_t i = 0; i < n; i++)
            for (size_t y = i + 1; y < n; y++) {
                if (p->orbit[i] != p->orbit[y]) continue;
                number(t, "step ", h + 1, h + 1);
                number(t, " ", i + 1, i + 1);
                number(t, " ", y + 1, y + 1);
                p->step[(h * n + i) * n + y] = (uint32_t)number_line(t, " to ", 1, codes) - 1;
            }
}

static void read_lists(form *f, text *t)
{
    points *p = points_of(f);
    const size_t width = 1 + p->marks + f->k;
    p->row_line = t->line;
    uint32_t *at = p->at = grab(product_of(p->rows, width), sizeof *at);
    for (size_t i = 0; i < p->rows; i++) {
        number(t, "row ", i + 1, i + 1);
        *at++ = (uint32_t)number(t, " state ", 1, f->x->a.states.count) - 1;
        expect(t, " points");
        for (size_t x = 0; x < p->marks; x++) *at++ = (uint32_t)number(t, " ", 1, f->points) - 1;
        expect(t, " next");
        for (size_t a = 0; a < f->k; a++) *at++ = (uint32_t)number(t, " ", 1, p->rows) - 1;
        end_line(t);
    }
}

void read_points(problem *x, text *t)
{
    form *f = x->form = grab(1, sizeof *f);
    points *p = x->own = grab(1, sizeof *p);
    if (x->net.kind == LABEL_EDGES) reject(t, "no form gives the outputs of transitions");
    *f = (form){.x = x, .t = x->lrnn, .b = x->net.block, .k = x->a.kinds};
    d1 *d = f->d1 = grab(1, sizeof *d);
    p->rows = read_counts(x, t, " rows ", sizeof "row 1 state 1 points 1 next 1");
    d->clock = number(t, " clock ", 1, MAX_FILE);
    f->half = count_of(t, " block ", 1, sizeof "count 1 codes 1");
    f->points = count_of(t, " points ", 2, 2);
    p->marks = number(t, " marks ", 1, f->points);
    end_line(t);
    const block *last = &x->net.block[x->net.blocks - 1];
    if (x->net.blocks != d->clock + 2 || last->heads != 1 || last->readouts != 1)
        reject(t, "no such point form");
    d->codes = last->readout->codes;
    f->slots = last->head->slots;
    p->orbit = grab(f->points, sizeof *p->orbit);
    expect(t, "orbits");
    for (size_t i = 0; i < f->points; i++) p->orbit[i] = (uint32_t)number(t, " ", 1, f->points);
    end_line(t);
    read_counts_of_clock(f, t);
    read_exchanges(f, t);
    read_lists(f, t);
    number_line(t, "end ", p->rows, p->rows);
    snprintf(x->counts, sizeof x->counts, "block %zu points %zu rows %zu", f->half, f->points,
             p->rows);
}

/* The form */

/* Checks the images of all points after the letters on the wires from `before` on. */
static void check_point_images(form *f, uint32_t before, uint32_t *image)
{
    const size_t rows = 2 * f->half;
    need(f, f->c->gates > rows + 1, "gates, of which there are", f->c->gates);
    f->point_moves = f->c->gate[rows + 1].table;
    need(f,
         f->point_moves->inputs == 2 && f->point_moves->values == f->points &&
             f->point_moves->entries == product_of(f->points, f->k + 1),
         "gate", rows + 2);
    for (size_t i = 0; i < f->points; i++)
        for (uint32_t j = 0; j < rows; j++)
            image[i] =
                next_gate(f, LETTER, i, j == 0, 2, (uint32_t[]){j ? image[i] : UNSET, before + j});
}

/* Checks what slot s reads, and returns its wire. */
static uint32_t check_slot(form *f, size_t s, const uint32_t *image)
{
    uint32_t so_far = UNSET;
    need(f, s + 1 < f->points, "slots, of which there are", f->slots);
    for (size_t due = s; due + 1 < f->points; due += f->slots) {
        const size_t i = f->points - 2 - due;
        const uint32_t now = next_gate(f, NOW, i, 0, 2, (uint32_t[]){1, image[i]});
        so_far = due == s ? now : next_gate(f, JOIN, 0, 0, 2, (uint32_t[]){so_far, now});
    }
    return next_gate(f, EXCHANGE, s, 0, 2, (uint32_t[]){1, so_far});
}

/* Checks the ring. Wires: letter, count, both, rows, rows of the block before, images, images once
 * points have gone home, exchanges to come, slots, rows of this block. */
static void check_point_ring(form *f)
{
    const size_t rows = 2 * f->half, n = f->points;
    const uint32_t row = 3;
    uint32_t *image = grab(n, sizeof *image), *out = grab(f->slots + n - 1, sizeof *out), last = 0;
    enter(f, f->d1->clock, false);
    need(f, f->b->wires->size[1] == rows && f->half >= (n - 1 + f->slots - 1) / f->slots, "wire",
         2);
    next_gate(f, BOTH, 0, 0, 2, (uint32_t[]){1, 0});
    check_heads(f, 1, rows, 2);
    check_ring_head(f, rows);
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, false, 2, (uint32_t[]){1, row + j});
    check_point_images(f, (uint32_t)(row + rows), image);
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t x = i + 1; x < n; x++)
            image[x] = next_gate(f, HOME, i, 0, 2, (uint32_t[]){image[x], image[i]});
    for (size_t i = 0; i + 1 < n; i++)
        out[f->slots + i] = next_gate(f, LATER, i, 0, 2, (uint32_t[]){1, image[i]});
    for (size_t s = 0; s < f->slots; s++) last = out[s] = check_slot(f, s, image);
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, true, 2, (uint32_t[]){1, row + j});
    check_outputs(f, f->slots + n - 1, out, rows, last + 1);
}

/* Checks the gates that move a point, and returns the last wire. */
static uint32_t check_moved(form *f, uint32_t wire)
{
    const uint32_t to_come = (uint32_t)f->slots, row = (uint32_t)(f->slots + f->points - 1);
    for (size_t i = f->points - 1; i-- > 0;)
        wire = next_gate(f, EXCHANGED, i, 0, 2, (uint32_t[]){wire, to_come + (uint32_t)i});
    for (uint32_t j = 0; j < 2 * f->half; j++)
        wire = next_gate(f, LETTER, 0, false, 2, (uint32_t[]){wire, row + j});
    return wire;
}

/* Checks the applying block. Wires: slots, exchanges to come, rows of this block, code, places,
 * moved points, lists. */
static void check_point_applying(form *f)
{
    points *p = points_of(f);
    const uint32_t code = (uint32_t)(f->slots + f->points - 1 + 2 * f->half);
    uint32_t *at = grab(p->marks, sizeof *at), last = UNSET;
    p->place = grab(p->marks, sizeof(uint32_t *));
    p->list = grab(p->marks, sizeof(uint32_t *));
    enter(f, f->d1->clock + 1, false);
    for (size_t s = 0; s < f->slots; s++)
        need(f,
             f->b->head->slot[s].wire == s &&
                 f->b->head->slot[s].values == 1 + f->points * f->points,
             "slot", s + 1);
    enter(f, f->d1->clock + 1, true);
    for (size_t x = 0; x < p->marks; x++) {
        at[x] = next_gate(f, ANY, 0, 0, 1, &code);
        p->place[x] = f->table;
        need(f, f->table->values == f->points, "gate of wire", at[x] + 1);
    }
    for (size_t x = 0; x < p->marks; x++) at[x] = check_moved(f, at[x]);
    for (size_t x = 0; x < p->marks; x++) {
        last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, at[x]});
        p->list[x] = f->table;
    }
    check_outputs(f, 1, &last, 0, 0);
    enter(f, 0, false);
}

/* (d) to (f) */

static void check_letters(const form *f, const text *t)
{
    const points *p = points_of(f);
    bool *met = grab(f->points, sizeof *met);
    for (size_t a = 0; a <= f->k; a++) {
        memset(met, 0, f->points * sizeof *met);
        spend(1 + f->points / 8);
        for (size_t i = 0; i < f->points; i++) {
            const size_t after = f->point_moves->value[i * (f->k + 1) + a];
            if (met[after] || p->orbit[after] != p->orbit[i] || (a == 0 && after != i))
                reject(t, "letter %zu does not permute the points of each orbit", a);
            met[after] = true;
        }
    }
}

static bool is_idle(const transition *w)
{
    return w->factors == 0 && mpq_cmp_ui(w->gate, 1, 1) == 0;
}

/* Checks one step in every slot. */
static void check_exchange(const form *f, const text *t, size_t code, size_t i, size_t y)
{
    const points *p = points_of(f);
    problem *x = f->x;
    const head *h = f->b->head;
    const struct readout *r = f->b->readout;
    const size_t to_code = p->step[(code * f->points + i) * f->points + y];
    for (size_t s = 0; s < f->slots; s++) {
        put(x->state, r->entries, &r->code[code]);
        move(h, x->state, &h->slot[s].on[1 + i * f->points + y]);
        if (!state_is(x->state, r->entries, &r->code[to_code]))
            reject(t, "slot %zu leads to another state", s + 1);
    }
    for (size_t m = 0; m < p->marks; m++) {
        const size_t at = p->place[m]->value[code];
        if (p->place[m]->value[to_code] != (at == i ? y : at == y ? i : at))
            reject(t, "mark %zu is not where the exchange takes it", m + 1);
    }
}

/* Checks (e). t: the first of the lines `step`. */
static void check_exchanges(form *f, text *t)
{
    const points *p = points_of(f);
    const size_t n = f->points;
    f->b = &f->x->net.block[f->d1->clock + 1];
    for (size_t s = 0; s < f->slots; s++) {
        const struct slot *slot = &f->b->head->slot[s];
        need(f, is_idle(&slot->on[0]), "slot", s + 1);
        for (size_t i = 0; i + 1 < n; i++)
            need(f, is_idle(&slot->on[1 + i * n + i]), "slot", s + 1);
    }
    for (size_t code = 0; code < f->d1->codes; code++)
        for (size_t i = 0; i < n; i++)
            for (size_t y = i + 1; y < n; y++) {
                if (p->orbit[i] != p->orbit[y]) continue;
                check_exchange(f, t, code, i, y);
                t->line++;
            }
}

/* Checks the row's label and the rows after it. */
static void check_list(const form *f, const text *t, const uint32_t *row)
{
    const points *p = points_of(f);
    const automaton *a = &f->x->a;
    const size_t width = 1 + p->marks + f->k;
    size_t list = 0;
    spend(1 + p->marks * (1 + f->k) / 8);
    for (size_t m = 0; m < p->marks; m++)
        list = p->list[m]->value[(m ? list * f->points : 0) + row[1 + m]];
    if (list != find(&f->x->net.labels, label_of(a, f->x->net.kind, row[0])))
        reject(t, "the points give another label");
    for (size_t w = 0; w < f->k; w++) {
        const uint32_t *after = p->at + row[1 + p->marks + w] * width;
        bool right = after[0] == a->next[row[0] * f->k + w];
        for (size_t m = 0; right && m < p->marks; m++)
            right = after[1 + m] == f->point_moves->value[row[1 + m] * (f->k + 1) + 1 + w];
        if (!right) reject(t, "the row after letter %zu is another", w + 1);
    }
}

/* Checks (f). t: the first of the lines `row`. */
static void check_lists_of(const form *f, text *t)
{
    const points *p = points_of(f);
    problem *x = f->x;
    const struct readout *r = f->b->readout;
    size_t code = 0;
    put(x->state, r->entries, x->net.stage[f->d1->clock + 1].initial);
    while (code < r->codes && !state_is(x->state, r->entries, &r->code[code])) code++;
    if (code == r->codes) reject(t, "the last head's initial state is no code");
    bool right = p->at[0] == x->a.start;
    for (size_t m = 0; right && m < p->marks; m++) right = p->at[1 + m] == p->place[m]->value[code];
    if (!right) reject(t, "row 1 is not the start with the points of the initial state");
    for (size_t i = 0; i < p->rows; i++, t->line++)
        check_list(f, t, p->at + i * (1 + p->marks + f->k));
}

void check_points(problem *x, text *t)
{
    const network *net = &x->net;
    form *f = x->form;
    points *p = x->own;
    need(f, net->stages == net->blocks, "stages, of which there are", net->stages);
    for (size_t l = 0; l < net->stages; l++)
        need(f, net->stage[l].block == &net->block[l], "stage", l + 1);
    for (size_t l = 0; l < f->d1->clock; l++) check_count(f, l);
    check_point_ring(f);
    check_point_applying(f);
    check_letters(f, t);
    t->line++;
    check_clock(f, t);
    f->b = &net->block[f->d1->clock];
    need(f, net->stage[f->d1->clock].initial->count == 0, "initial state of head", 1);
    t->line = p->line;
    check_exchanges(f, t);
    t->line = p->row_line;
    check_lists_of(f, t);
}
