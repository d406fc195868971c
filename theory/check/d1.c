/* claim d1: the network is a D1 form of a quotient of the automaton, and right by D1.8 of
 * theory/pages/d1.md. A clock counts letters, a ring holds the last 2B of them, gates multiply
 * the letters of the block of B letters before this one, look up what the last head does next
 * and which state its code then means, and move this state by the letters of this block.
 *
 *     size layers L heads H householders N key n value d
 *     letters K states Q classes N clock C block B elements G
 *                                K letters of stage 1
 *     class c_1 .. c_Q           of each state, or 0
 *     like q_1 .. q_N            a state of each class
 *     count t codes c_1 .. c_m   t = 0 .. 2B: the codes of the clock's heads, layer by layer,
 *                                after t tokens
 *     words j elements i ..      j = 0 .. B: V_j of D1.8 (d), increasing
 *     element i acts q_1 .. q_N  act(i) on the classes, for every i in some V_j, increasing i
 *     code h means q             the pairs of D1.8 (e), increasing h
 *     step h v to g              from code h the last head goes to code g by value v; increasing
 *     end N                      (h, v), each in some walk of (e)
 *
 * What you must believe of `s VERIFIED d1`: D1.8 of theory/pages/d1.md. It needs a quotient that
 * keeps labels (check_classes), the form, where only the tables T, F, R, M and counts may hold
 * anything (check_count, check_ring, check_applying), and (a) to (e). These speak of codes, sets
 * and maps that exist; the certificate lists them, and nothing is searched for:
 * (a) check_clock. The codes at t = 0 are the codes of the initial states, by comparison of
 *     vectors. From the codes after t tokens each head is moved once, exactly, by the value that
 *     the circuits give, and its state is the vector of the code listed for t + 1; the count is
 *     the count of t + 1. So by induction the list is the run of the clock. The last codes are
 *     the first ones, and codes of one readout differ, so all heads are in their initial states
 *     then.
 * (b) check_d1: the ring begins empty. (c) read_network: the label of the empty word.
 * (d) check_words. T(i, 0) = i for all elements; words 0 is element 1, which acts as the
 *     identity; for i in words j and each letter a, T(i, a) is in words j + 1, and its listed
 *     action is the action of i followed by a. So V_j and act are as D1.8 requires.
 * (e) check_steps, check_walks. Each step listed is taken once, in exact arithmetic, from the
 *     vector of one code to the vector of the other. A code has one line, so no two pairs have
 *     one code. For every pair (h, q) and every i in Pi, V_B and element 1, the walk through
 *     F(i, 1) .. F(i, B) uses listed steps, M means q act(i) at each of its codes, and it ends
 *     at a code that is listed with q act(i). The code whose vector is the initial state is
 *     listed with the class of the start. F and R are alike in both halves for i in Pi.
 * Elements of words j that no letter leads to, other elements that act, and steps that no walk
 * takes are refused. Table entries that no check reads may be anything. */
#include "theory/check/d1.h"
#include <stdio.h>
#include <string.h>

/* Reading */

void read_counts_of_clock(form *f, text *t)
{
    d1 *d = f->d1;
    const block *b = f->x->net.block;
    for (size_t l = 0; l < d->clock; l++) d->heads += b[l].readouts;
    const size_t tokens = 2 * f->half + 1;
    uint32_t *code = d->count = grab(product_of(tokens, d->heads), sizeof *code);
    for (size_t i = 0; i < tokens; i++) {
        number(t, "count ", i, i);
        expect(t, " codes");
        for (size_t l = 0; l < d->clock; l++)
            for (const struct readout *r = b[l].readout; r < b[l].readout + b[l].readouts; r++)
                *code++ = (uint32_t)number(t, " ", 1, r->codes) - 1;
        end_line(t);
    }
}

/* Reads the lines `words` of all lengths. */
static void read_words(form *f, text *t)
{
    d1 *d = f->d1;
    d->first = t->line;
    d->words = grab(f->half + 1, sizeof *d->words);
    for (size_t j = 0; j <= f->half; j++) {
        words *w = &d->words[j];
        number(t, "words ", j, j);
        w->element = read_numbers(t, " elements", 1, d->elements, &w->count);
        for (size_t i = 1; i < w->count; i++)
            if (w->element[i] <= w->element[i - 1]) reject(t, "expected increasing elements");
        end_line(t);
    }
}

static void read_acts(form *f, text *t)
{
    d1 *d = f->d1;
    size_t capacity = 0;
    d->row = grab(d->elements, sizeof *d->row);
    for (size_t least = 1; comes(t, "element ");) {
        const size_t i = number(t, "element ", least, d->elements);
        d->act = grow(d->act, d->rows, &capacity, product_of(f->n, sizeof *d->act));
        uint32_t *act = d->act + d->rows * f->n;
        d->row[i - 1] = (uint32_t)++d->rows;
        expect(t, " acts");
        for (size_t q = 0; q < f->n; q++) *act++ = (uint32_t)number(t, " ", 1, f->n) - 1;
        end_line(t);
        least = i + 1;
    }
}

static void read_means(form *f, text *t)
{
    d1 *d = f->d1;
    d->mean = grab(d->codes, sizeof *d->mean);
    for (size_t least = 1; comes(t, "code ");) {
        const size_t h = number(t, "code ", least, d->codes);
        d->mean[h - 1] = (uint32_t)number_line(t, " means ", 1, f->n);
        least = h + 1;
    }
}

static void read_steps_of_head(form *f, text *t)
{
    d1 *d = f->d1;
    size_t capacity = 0;
    d->line = t->line;
    d->step_at = grab(product_of(d->codes, d->values), sizeof *d->step_at);
    for (size_t least = 0; comes(t, "step ");) {
        const size_t h = number(t, "step ", 1, d->codes) - 1, v = number(t, " ", 1, d->values) - 1;
        const size_t g = number_line(t, " to ", 1, d->codes) - 1, at = h * d->values + v;
        if (at < least) reject(t, "expected increasing steps");
        d->step = grow(d->step, d->steps, &capacity, sizeof *d->step);
        d->step[d->steps++] = (step){(uint32_t)h, (uint32_t)v, (uint32_t)g, false};
        d->step_at[at] = (uint32_t)d->steps;
        least = at + 1;
    }
}

void read_d1_level(form *f, text *t)
{
    const block *applying = &f->x->net.block[f->d1->ring + 1];
    f->d1->codes = applying->readout->codes;
    f->d1->values = applying->head->slot->values;
    read_words(f, t);
    read_acts(f, t);
    read_means(f, t);
    read_steps_of_head(f, t);
}

void read_d1(problem *x, text *t)
{
    if (x->net.kind == LABEL_EDGES) reject(t, "no form gives the outputs of transitions");
    form *f = begin_form(x, t, 1);
    d1 *d = f->d1 = grab(1, sizeof *d);
    d->clock = d->ring = number(t, " clock ", 1, MAX_FILE);
    f->half = count_of(t, " block ", 1, sizeof "count 1 codes 1");
    d->elements = number(t, " elements ", 1, (size_t)(x->lrnn.end - x->lrnn.bytes)); /* they are in
                                                                                        tables */
    read_classes(f, t);
    const block *last = &x->net.block[x->net.blocks - 1];
    if (x->net.blocks != d->clock + 2 || last->readouts != 1) reject(t, "no such D1 form");
    read_counts_of_clock(f, t);
    read_d1_level(f, t);
    number_line(t, "end ", f->n, f->n);
    snprintf(x->counts, sizeof x->counts, "block %zu elements %zu classes %zu", f->half,
             d->elements, f->n);
}

/* The form */

void check_heads(form *f, size_t heads, size_t readouts, uint32_t wire)
{
    bool right = f->b->heads == heads && f->b->readouts == readouts;
    for (size_t h = 0; right && h < heads; h++)
        right = f->b->head[h].slots == 1 && f->b->head[h].slot->wire == wire;
    need(f, right, "heads, of which there are", f->b->heads);
    enter(f, (size_t)(f->b - f->x->net.block), true);
}

void check_count(form *f, size_t l)
{
    const uint32_t reads[] = {1, 2, 3};
    const size_t heads = f->x->net.block[l].heads > 1 ? 2 : 1;
    enter(f, l, false);
    if (l == 0) next_gate(f, ANY, 0, 0, 0, reads);
    check_heads(f, heads, heads, 1);
    const uint32_t count = next_gate(f, ANY, 0, 0, heads + (l > 0), reads + (l == 0));
    check_outputs(f, 2, (uint32_t[]){0, count}, 0, 0);
}

/* Returns whether the transition makes the row the unit vector of the column, whatever the row was,
 * and changes no other row. */
static bool writes(const head *h, size_t value, size_t row, size_t column)
{
    const transition *w = &h->slot->on[value];
    const factor *f = w->factor;
    if (w->factors != 1 || f->u.count != 1 || f->c.count != 1 || mpq_cmp_ui(w->gate, 1, 1) != 0)
        return false;
    const struct entry *u = f->u.entry, *c = f->c.entry;
    return mpq_cmp_ui(f->beta, 1, 1) == 0 && mpq_equal(u->value, c->value) && u->index == row &&
           c->index == column;
}

void check_ring_head(const form *f, size_t rows)
{
    const head *h = f->b->head;
    need(f, h->n == rows && h->d == f->k, "head", 1);
    for (size_t v = 0; v < rows * f->k; v++)
        need(f, writes(h, v, v / f->k, v % f->k), "value", v + 1);
    for (size_t j = 0; j < rows; j++) {
        const struct readout *r = &f->b->readout[j];
        bool right = r->codes == f->k + 1 && r->code->count == 0;
        for (size_t a = 0; right && a < f->k; a++) {
            const vector *v = &r->code[1 + a];
            right = v->count == 1 && v->entry->index == a && mpq_cmp_ui(v->entry->value, 1, 1) == 0;
        }
        need(f, right, "readout", j + 1);
    }
}

uint32_t check_chain(form *f, size_t rows, uint32_t before)
{
    uint32_t last = UNSET;
    need(f, f->c->gates > rows + 1, "gates, of which there are", f->c->gates);
    const struct lookup *product = f->d1->product = f->c->gate[rows + 1].table;
    for (uint32_t j = 0; j < rows; j++) {
        last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, before + j});
        const bool right =
            f->table->values == f->d1->elements && f->table->entries <= product->entries;
        const size_t size = f->table->entries * sizeof *f->table->value;
        spend(1 + (right ? f->table->entries / 16 : 0));
        need(f, right && memcmp(f->table->value, product->value, size) == 0, "gate of wire",
             last + 1);
    }
    return last;
}

/* Checks the ring. Wires: letter, count, both, rows, rows of the block before, products, rows of
 * this block, F, R. */
static void check_ring(form *f)
{
    const size_t rows = 2 * f->half;
    const uint32_t row = 3;
    uint32_t out[2];
    enter(f, f->d1->ring, false);
    need(f, f->b->wires->size[1] == rows, "wire", 2);
    next_gate(f, BOTH, 0, 0, 2, (uint32_t[]){1, 0});
    check_heads(f, 1, rows, 2);
    check_ring_head(f, rows);
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, false, 2, (uint32_t[]){1, row + j});
    const uint32_t last = check_chain(f, rows, (uint32_t)(row + rows));
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, true, 2, (uint32_t[]){1, row + j});
    out[0] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    f->d1->portion = f->table;
    out[1] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    f->d1->rest = f->table;
    check_outputs(f, 2, out, rows, last + 1);
}

/* Checks the applying block. Wires: F, R, rows of this block, code, states. */
static void check_applying(form *f)
{
    const uint32_t rows = (uint32_t)(2 * f->half);
    enter(f, f->d1->ring + 1, false);
    check_heads(f, 1, 1, 0);
    uint32_t last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){2 + rows, 1});
    f->d1->meaning = f->table;
    need(f, f->table->values == f->n, "gate of wire", last + 1);
    for (uint32_t j = 0; j < rows; j++)
        last = next_gate(f, MOVED, 0, 0, 2, (uint32_t[]){last, 2 + j});
    last = next_gate(f, NAME, 0, 0, 1, &last);
    check_outputs(f, 1, &last, 0, 0);
    enter(f, 0, false);
}

/* (a) to (e) */

/* Checks the step from the codes `now` to the codes of the next token, whose count is z, from 0. */
static void check_token(form *f, const text *t, const uint32_t *now, const uint32_t *after,
                        size_t z)
{
    problem *x = f->x;
    uint32_t count = 0;
    for (const block *b = x->net.block; b < x->net.block + f->d1->clock; b++) {
        uint32_t *wire = b->wires->value;
        if (b > x->net.block) wire[1] = count;
        look_up(wire, &b->wires->pre);
        for (size_t h = 0; h < b->heads; h++, now++, after++) {
            const head *of = &b->head[h];
            const struct readout *r = &b->readout[h];
            put(x->state + r->at, r->entries, &r->code[*now]);
            move(of, x->state + of->at, &of->slot->on[wire[1]]);
            if (!state_is(x->state + r->at, r->entries, &r->code[*after]))
                reject(t, "head %zu of layer %zu goes to another code", h + 1,
                       (size_t)(b - x->net.block) + 1);
            wire[2 + h] = *after;
        }
        look_up(wire, &b->wires->post);
        count = wire[2 + b->heads];
    }
    if (count != z) reject(t, "the count is %zu", (size_t)count + 1);
}

void check_clock(form *f, text *t)
{
    const d1 *d = f->d1;
    problem *x = f->x;
    const uint32_t *code = d->count;
    const size_t period = 2 * f->half;
    for (size_t l = 0; l < d->clock; l++)
        for (size_t h = 0; h < x->net.block[l].heads; h++, code++) {
            const struct readout *r = &x->net.block[l].readout[h];
            put(x->state, r->entries, &x->net.stage[l].initial[h]);
            if (!state_is(x->state, r->entries, &r->code[*code]))
                reject(t, "the initial state of head %zu of layer %zu is not this code", h + 1,
                       l + 1);
        }
    t->line++;
    for (size_t z = 0; z < period; z++, t->line++, code += d->heads)
        check_token(f, t, code - d->heads, code, z);
    if (memcmp(d->count, code - d->heads, d->heads * sizeof *code) != 0)
        reject(t, "the clock does not come back to its first codes");
}

/* Returns whether T(i, a) acts as i, then a. */
static bool follows(const form *f, const uint32_t *before, size_t a, const uint32_t *after)
{
    bool right = true;
    spend(1 + f->n / 8);
    for (size_t q = 0; right && q < f->n; q++) right = after[q] == to(f, before[q], a);
    return right;
}

static const uint32_t *act_of(const form *f, size_t element)
{
    return f->d1->act + ((size_t)f->d1->row[element] - 1) * f->n;
}

/* Checks words j + 1, whose line is t, from words j; here[element]: 2j + 1 for elements of words j
 * + 1, 2j + 2 once a letter leads there. done[element]: its actions were compared. */
static void check_longer(const form *f, const text *t, size_t j, size_t *here, bool *done)
{
    const d1 *d = f->d1;
    const words *now = &d->words[j], *longer = &d->words[j + 1];
    for (size_t i = 0; i < longer->count; i++) here[longer->element[i]] = 2 * j + 1;
    for (size_t i = 0; i < now->count; i++) {
        const size_t e = now->element[i];
        spend(1 + f->k / 8);
        for (size_t a = 0; a < f->k; a++) {
            const size_t after = d->product->value[e * (f->k + 1) + 1 + a];
            if (here[after] < 2 * j + 1)
                reject(t, "element %zu is missing: element %zu, then letter %zu", after + 1, e + 1,
                       a + 1);
            here[after] = 2 * j + 2;
            if (!done[e] && !follows(f, act_of(f, e), a, act_of(f, after)))
                reject(t, "element %zu does not act as element %zu, then letter %zu", after + 1,
                       e + 1, a + 1);
        }
        done[e] = true;
    }
    for (size_t i = 0; i < longer->count; i++)
        if (here[longer->element[i]] == 2 * j + 1)
            reject(t, "no letter leads to element %zu", (size_t)longer->element[i] + 1);
}

/* Checks that elements named by words have an action, and no others. t: the first of the lines
 * `words`. */
static void check_named(const form *f, const text *t)
{
    const d1 *d = f->d1;
    bool *named = grab(d->elements, sizeof *named);
    size_t count = 0;
    for (const words *w = d->words; w <= d->words + f->half; w++)
        for (size_t i = 0; i < w->count; i++) {
            const size_t e = w->element[i];
            if (d->row[e] == 0) reject(t, "element %zu has no line that says how it acts", e + 1);
            count += !named[e];
            named[e] = true;
        }
    if (count != d->rows) reject(t, "%zu elements act, and words name %zu", d->rows, count);
}

/* Checks (d). t: the first of the lines `words`. */
static void check_words(const form *f, text *t)
{
    const d1 *d = f->d1;
    size_t *here = grab(d->elements, sizeof *here);
    bool *done = grab(d->elements, sizeof *done);
    for (size_t i = 0; i < d->elements; i++)
        if (d->product->value[i * (f->k + 1)] != i)
            reject(t, "T changes element %zu without a letter", i + 1);
    check_named(f, t);
    if (d->words->count != 1 || *d->words->element != 0)
        reject(t, "the empty word is not element 1");
    for (size_t q = 0; q < f->n; q++)
        if (act_of(f, 0)[q] != q) reject(t, "element 1 is not the identity");
    for (size_t j = 0; j < f->half; j++) {
        t->line++;
        check_longer(f, t, j, here, done);
    }
}

/* Checks each step, exactly. Returns what the line of the initial state's code gives it. */
static uint32_t check_steps(form *f, text *t)
{
    problem *x = f->x;
    d1 *d = f->d1;
    const stage *last = &x->net.stage[d->ring + 1];
    const head *h = last->block->head;
    const struct readout *r = last->block->readout;
    for (size_t i = 0; i < d->steps; i++) {
        const step *s = &d->step[i];
        t->line = d->line + i;
        put(x->state, r->entries, &r->code[s->from]);
        move(h, x->state, &h->slot->on[s->value]);
        if (!state_is(x->state, r->entries, &r->code[s->to]))
            reject(t, "the head goes to another state");
    }
    t->line = d->line;
    put(x->state, r->entries, last->initial);
    size_t start = 0;
    while (start < d->codes &&
           (d->mean[start] == 0 || !state_is(x->state, r->entries, &r->code[start])))
        start++;
    if (start == d->codes) reject(t, "the last head's initial state is no code that means a class");
    return d->mean[start];
}

/* Takes the walk of D1.8 (e) from the code by the element. */
static void check_walk(form *f, const text *t, size_t code, size_t element)
{
    d1 *d = f->d1;
    const uint32_t mean = act_of(f, element)[d->mean[code] - 1];
    const size_t at = element * 2 * f->half;
    size_t now = code;
    spend(1 + f->half / 4);
    for (size_t z = at; z < at + f->half; z++) {
        const size_t s = d->step_at[now * d->values + d->portion->value[z]];
        if (s == 0)
            reject(t, "no step from code %zu by value %zu", now + 1,
                   (size_t)d->portion->value[z] + 1);
        d->step[s - 1].used = true;
        now = d->step[s - 1].to;
        if (d->meaning->value[now * d->rest->values + d->rest->value[z]] != mean)
            reject(t, "code %zu, after code %zu and element %zu, means another class", now + 1,
                   code + 1, element + 1);
    }
    if (d->mean[now] != mean + 1)
        reject(t, "code %zu, at the end of element %zu from code %zu, means another class", now + 1,
               element + 1, code + 1);
}

/* Returns whether F and R of the element are alike in both halves. */
static bool repeats(const form *f, size_t element)
{
    const size_t at = element * 2 * f->half, size = f->half * sizeof(uint32_t);
    const uint32_t *portion = f->d1->portion->value + at, *rest_of = f->d1->rest->value + at;
    spend(1 + f->half / 8);
    return memcmp(portion, portion + f->half, size) == 0 &&
           memcmp(rest_of, rest_of + f->half, size) == 0;
}

/* Checks all walks by an element of Pi. */
static void check_walks_by(form *f, const text *t, size_t element)
{
    if (!repeats(f, element)) reject(t, "element %zu: F and R differ in the halves", element + 1);
    for (size_t code = 0; code < f->d1->codes; code++)
        if (f->d1->mean[code] > 0) check_walk(f, t, code, element);
}

/* Checks (e). t: the first of the lines `step`. */
static void check_walks(form *f, text *t)
{
    const d1 *d = f->d1;
    const words *last = &d->words[f->half];
    if (*last->element != 0) check_walks_by(f, t, 0);
    for (size_t i = 0; i < last->count; i++) check_walks_by(f, t, last->element[i]);
    for (size_t i = 0; i < d->steps; i++, t->line++)
        if (!d->step[i].used) reject(t, "no walk takes this step");
}

uint32_t check_d1_level(form *f, text *t)
{
    f->b = &f->x->net.block[f->d1->ring];
    need(f, f->x->net.stage[f->d1->ring].initial->count == 0, "initial state of head", 1);
    t->line = f->d1->first;
    check_words(f, t);
    t->line = f->d1->line;
    const uint32_t start = check_steps(f, t);
    check_walks(f, t);
    return start;
}

void check_d1(problem *x, text *t)
{
    const network *net = &x->net;
    form *f = x->form;
    d1 *d = f->d1;
    check_classes(f, t);
    need(f, net->stages == net->blocks, "stages, of which there are", net->stages);
    for (size_t l = 0; l < net->stages; l++)
        need(f, net->stage[l].block == &net->block[l], "stage", l + 1);
    for (size_t l = 0; l < d->clock; l++) check_count(f, l);
    check_ring(f);
    check_applying(f);
    check_clock(f, t);
    if (check_d1_level(f, t) != f->class[x->a.start]) {
        t->line = d->line;
        reject(t, "the last head's initial state does not mean the start");
    }
}
