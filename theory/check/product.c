/* claim product: the network has the networks of quotients of the automaton side by side
 * (theory/pages/product.md, X.4), each of which is right for its quotient.
 *
 *     size layers L heads H householders N key n value d  N: the most of the parts' own figures
 *     letters K states Q parts M blocks B                 M, B > 1
 *     part i stages F C letters K_i classes N_i           M times: the part has stages F .. F+C-1
 *     class c_1 .. c_Q                                    of each state in 1 .. N_i, or 0
 *     divide b I.P.H.G.O ..                               b = 2..B-1, for each part: inputs, pre
 *                                                         gates, heads, post gates and outputs of
 *                                                         block b that are the part's, in order
 *     claim exact|zeiger|d1                               M times: the part's own claim, and its
 *     letters K_i states N_i ..                           lines from there to its end; states are
 *     ..                                                  the part's classes
 *     end ..
 *     end M
 *
 * What you must believe of `s VERIFIED product`: X.4 of theory/pages/product.md, which is an
 * induction on the stages, and for each part what its own claim rests on. Its conditions are
 * checked here:
 * 1. stage 1 is block 1 and gives each part its letter, a function of the automaton's letter; the
 *    last stage is block B, and reads the parts' labels; no other stage is one of these two;
 * 2. inputs, pre gates, heads with their readouts, post gates and outputs of every other block
 *    are divided among the parts, and what is of one part reads wires of that part only (of_part);
 *    a part gives as many wires as it reads in the next stage, and outside its stages it passes
 *    one wire on. It has more in the first and the last of its stages (cut_part);
 * 3. the classes of each part are a congruence: the start has a class, and from a state that has
 *    one the class after a letter depends on the class and the part's letter only (follow);
 * 4. each part, as a network of its own that gives the number of the class, satisfies its claim
 *    about the automaton of its classes. So it gives the class of the state after every word;
 * 5. the last stage, given the classes of a state, gives the label of this state (check_join), for
 *    all states that have a class in every part, among which are all that words lead to. */
#include "theory/check/wired.h"
#include <stdio.h>
#include <string.h>

/* How many things of a block belong to one part. */
typedef struct share {
    size_t inputs, pres, heads, readouts, posts, outputs;
} share;

typedef struct part {
    problem y; /* the part as a network and an automaton of its own */
    size_t first, stages;
    uint32_t *class; /* [states] 1 .. n, or 0 */
    const claim *claim;
    text lines; /* of its claim */
} part;

typedef struct joined {
    problem *x;
    part *part;
    size_t parts;
    share *share; /* [blocks][parts] */
    text t;       /* a line of the network */
} joined;

static share *share_of(const joined *p, const block *b, size_t i)
{
    return &p->share[(size_t)(b - p->x->net.block) * p->parts + i];
}

/* 1. the stages at the ends */

static void check_ends(const joined *p, const text *t)
{
    const network *net = &p->x->net;
    const block *first = net->block, *last = &net->block[net->blocks - 1];
    const struct circuits *w = first->wires;
    bool right = net->stages > 2 && first->heads == 0 && last->heads == 0;
    right = right && w->post.gates == 0 && last->wires->post.gates == 0;
    right = right && w->pre.gates == p->parts && w->outputs == p->parts;
    right = right && last->wires->inputs == p->parts && last->wires->outputs == 1;
    for (size_t i = 0; right && i < p->parts; i++)
        right = w->pre.gate[i].table->inputs == 1 && w->pre.gate[i].wire[0] == 0 &&
                w->output[i] == 1 + i;
    for (size_t l = 0; right && l < net->stages; l++)
        right = (net->stage[l].block == first) == (l == 0) &&
                (net->stage[l].block == last) == (l + 1 == net->stages);
    if (!right) reject(t, "the first or the last stage is not as in a product");
}

/* 2. what is whose */

/* The things of a block before the things of a part, in all, and of the part itself. */
typedef struct cut {
    const joined *p;
    const block *b;
    share before, own;
    size_t part;
} cut;

static cut cut_of(const joined *p, const block *b, size_t which)
{
    cut c = {.p = p, .b = b, .own = *share_of(p, b, which), .part = which};
    spend(1 + which / 2);
    for (size_t i = 0; i < which; i++) {
        const share *s = share_of(p, b, i);
        c.before.inputs += s->inputs;
        c.before.pres += s->pres;
        c.before.heads += s->heads;
        c.before.readouts += s->readouts;
        c.before.posts += s->posts;
        c.before.outputs += s->outputs;
    }
    return c;
}

/* The wires of a part in a block are four ranges: inputs, pre gates, readouts, post gates. */
typedef struct wire_range {
    size_t from, wires;
} wire_range;

static void ranges_of(wire_range out[4], const cut *c)
{
    const struct circuits *w = c->b->wires;
    out[0] = (wire_range){c->before.inputs, c->own.inputs};
    out[1] = (wire_range){w->inputs + c->before.pres, c->own.pres};
    out[2] = (wire_range){w->inputs + w->pre.gates + c->before.readouts, c->own.readouts};
    out[3] = (wire_range){w->post.first + c->before.posts, c->own.posts};
}

/* Returns the number that a wire of the block has in the part; rejects a wire of another one. */
static uint32_t of_part(const cut *c, size_t wire)
{
    wire_range r[4];
    size_t at = 0;
    ranges_of(r, c);
    spend(1);
    for (size_t i = 0; i < 4; at += r[i++].wires)
        if (wire >= r[i].from && wire < r[i].from + r[i].wires)
            return (uint32_t)(at + wire - r[i].from);
    reject(&c->p->t, "block %zu: part %zu reads wire %zu, which is not its own",
           (size_t)(c->b - c->p->x->net.block) + 1, c->part + 1, wire + 1);
}

static circuit cut_circuit(const cut *c, const circuit *from, size_t before, size_t gates,
                           size_t first)
{
    circuit out = {.gates = gates, .first = first, .line = from->line + before};
    out.gate = grab(gates, sizeof *out.gate);
    for (size_t g = 0; g < gates; g++) {
        const struct gate *old = &from->gate[before + g];
        out.gate[g] = (struct gate){old->table, grab(old->table->inputs, sizeof(uint32_t))};
        for (size_t i = 0; i < old->table->inputs; i++)
            out.gate[g].wire[i] = of_part(c, old->wire[i]);
        out.reads += old->table->inputs;
    }
    return out;
}

static void cut_circuits(block *out, const cut *c)
{
    const struct circuits *from = c->b->wires;
    const share *own = &c->own;
    struct circuits *w = out->wires = grab(1, sizeof *w);
    wire_range r[4];
    size_t at = 0;
    w->inputs = own->inputs;
    w->outputs = own->outputs;
    w->wires = own->inputs + own->pres + own->readouts + own->posts;
    w->size = grab(w->wires, sizeof *w->size);
    ranges_of(r, c);
    for (size_t i = 0; i < 4; at += r[i++].wires)
        memcpy(w->size + at, from->size + r[i].from, r[i].wires * sizeof *w->size);
    w->pre = cut_circuit(c, &from->pre, c->before.pres, own->pres, own->inputs);
    w->post = cut_circuit(c, &from->post, c->before.posts, own->posts, w->wires - own->posts);
    w->output = grab(own->outputs, sizeof *w->output);
    for (size_t i = 0; i < own->outputs; i++)
        w->output[i] = of_part(c, from->output[c->before.outputs + i]);
    w->value = grab(w->wires, sizeof *w->value);
    w->given = grab(w->outputs, sizeof *w->given);
}

static void cut_heads(block *out, const cut *c)
{
    const size_t at = c->own.heads > 0 ? c->b->head[c->before.heads].at : 0;
    out->heads = c->own.heads;
    out->readouts = out->joint = c->own.readouts;
    out->head = grab(out->heads, sizeof *out->head);
    out->readout = grab(out->readouts, sizeof *out->readout);
    for (size_t i = 0; i < out->heads; i++) {
        head *h = &out->head[i];
        *h = c->b->head[c->before.heads + i];
        h->at -= at;
        out->entries += h->entries;
        h->slot = grab(h->slots, sizeof *h->slot);
        for (size_t j = 0; j < h->slots; j++) {
            h->slot[j] = c->b->head[c->before.heads + i].slot[j];
            h->slot[j].wire = of_part(c, h->slot[j].wire);
        }
    }
    for (size_t i = 0; i < out->readouts; i++) {
        out->readout[i] = c->b->readout[c->before.readouts + i];
        out->readout[i].at -= at;
    }
}

static bool same_vector(const vector *a, const vector *b)
{
    bool same = a->count == b->count;
    spend(1 + a->count);
    for (size_t i = 0; same && i < a->count; i++)
        same = a->entry[i].index == b->entry[i].index &&
               mpq_equal(a->entry[i].value, b->entry[i].value);
    return same;
}

static bool same_circuit(const circuit *a, const circuit *b)
{
    bool same = a->gates == b->gates;
    for (size_t g = 0; same && g < a->gates; g++) {
        const size_t inputs = a->gate[g].table->inputs;
        spend(1 + inputs / 4);
        same = a->gate[g].table == b->gate[g].table &&
               memcmp(a->gate[g].wire, b->gate[g].wire, inputs * sizeof(uint32_t)) == 0;
    }
    return same;
}

/* Returns whether two heads act alike, value by value: transitions that are spelled alike do. */
static bool same_head(const head *a, const head *b)
{
    bool same = a->n == b->n && a->d == b->d && a->slots == b->slots;
    for (size_t j = 0; same && j < a->slots; j++) {
        same = a->slot[j].wire == b->slot[j].wire && a->slot[j].values == b->slot[j].values;
        for (size_t v = 0; same && v < a->slot[j].values; v++) {
            spend(1 + a->slot[j].on[v].spelled.size / 64);
            same = same_name(a->slot[j].on[v].spelled, b->slot[j].on[v].spelled);
        }
    }
    return same;
}

static bool same_block(const block *a, const block *b)
{
    const struct circuits *v = a->wires, *w = b->wires;
    bool same = v->inputs == w->inputs && v->outputs == w->outputs && v->wires == w->wires &&
                a->heads == b->heads && a->readouts == b->readouts;
    spend(1 + (v->wires + v->outputs) / 16);
    same = same && memcmp(v->size, w->size, v->wires * sizeof *v->size) == 0 &&
           memcmp(v->output, w->output, v->outputs * sizeof *v->output) == 0;
    same = same && same_circuit(&v->pre, &w->pre) && same_circuit(&v->post, &w->post);
    for (size_t h = 0; same && h < a->heads; h++) same = same_head(&a->head[h], &b->head[h]);
    for (size_t r = 0; same && r < a->readouts; r++) {
        const struct readout *f = &a->readout[r], *g = &b->readout[r];
        same = f->at == g->at && f->entries == g->entries && f->codes == g->codes;
        for (size_t c = 0; same && c < f->codes; c++) same = same_vector(&f->code[c], &g->code[c]);
    }
    return same;
}

/* Sets of[block] to the block of the part's own network that the block has for the part: equal
 * ones are one. */
static void cut_blocks(part *own, size_t *of, const joined *p)
{
    const network *net = &p->x->net;
    const size_t which = (size_t)(own - p->part);
    network *out = &own->y.net;
    out->block = grab(net->blocks, sizeof *out->block);
    for (size_t b = 0; b < net->blocks; b++) of[b] = NONE;
    for (size_t l = own->first; l < own->first + own->stages; l++) {
        const size_t b = (size_t)(net->stage[l].block - net->block);
        if (of[b] != NONE) continue;
        const cut c = cut_of(p, net->stage[l].block, which);
        block *now = &out->block[out->blocks];
        cut_circuits(now, &c);
        cut_heads(now, &c);
        of[b] = 0;
        while (of[b] < out->blocks && !same_block(now, &out->block[of[b]])) of[b]++;
        if (of[b] == out->blocks)
            out->blocks++;
        else
            *now = (block){0};
    }
}

/* Rejects unless the part, which is not at work in the block, passes its one wire on. */
static void check_idle(const joined *p, const block *b, size_t which, const text *t)
{
    const cut c = cut_of(p, b, which);
    const share *s = &c.own;
    if (s->inputs != 1 || s->pres + s->heads + s->posts > 0 || s->outputs != 1 ||
        of_part(&c, b->wires->output[c.before.outputs]) != 0)
        reject(t, "block %zu: part %zu does not only pass its wire on",
               (size_t)(b - p->x->net.block) + 1, which + 1);
}

/* Returns a number as a name. */
static name numeral(size_t number)
{
    char *out = grab(24, 1);
    return (name){out, (size_t)snprintf(out, 24, "%zu", number)};
}

static void count(set *names, size_t items)
{
    for (size_t i = 0; i < items; i++) add(names, numeral(i + 1));
}

/* Makes the part's own network. */
static void cut_part(part *own, const joined *p, const text *t)
{
    const network *net = &p->x->net;
    const size_t which = (size_t)(own - p->part), last = net->stages - 1;
    network *out = &own->y.net;
    size_t *of = grab(net->blocks, sizeof *of), wires = 1;
    spend(1 + last);
    for (size_t l = 1; l < last; l++) {
        const share *s = share_of(p, net->stage[l].block, which);
        const bool works = l >= own->first && l < own->first + own->stages;
        if (!works) check_idle(p, net->stage[l].block, which, t);
        if ((l == own->first || l + 1 == own->first + own->stages) &&
            s->pres + s->heads + s->posts == 0)
            reject(t, "stage %zu: part %zu does not begin or end here", l + 1, which + 1);
        if (s->inputs != wires || (l == own->first && wires != 1))
            reject(t, "stage %zu: part %zu does not read what it gave", l + 1, which + 1);
        wires = s->outputs;
        if (l + 1 == own->first + own->stages && wires != 1)
            reject(t, "stage %zu: part %zu does not give one label", l + 1, which + 1);
    }
    if (net->block[net->blocks - 1].wires->size[which] != own->y.a.states.count)
        reject(t, "part %zu does not give one of its classes", which + 1);
    cut_blocks(own, of, p);
    out->wired = true;
    out->kind = LABEL_STATES;
    out->table = net->table;
    out->tables = net->tables;
    count(&out->labels, own->y.a.states.count);
    out->stages = own->stages;
    out->stage = grab(own->stages, sizeof *out->stage);
    for (size_t l = 0; l < own->stages; l++) {
        const stage *from = &net->stage[own->first + l];
        const cut c = cut_of(p, from->block, which);
        out->stage[l] = (stage){&out->block[of[from->block - net->block]],
                                from->block->heads > 0 ? from->initial + c.before.heads : NULL};
        add_stage(out, out->stage[l].block);
    }
}

/* 3. the automaton of a part's classes */

/* Adds the transitions of the state by all letters; the part's letter is what the first stage
 * gives. */
static void follow(part *own, const joined *p, size_t state, const uint32_t *kind, const text *t)
{
    const automaton *a = &p->x->a;
    const size_t k = own->y.a.kinds, class = own->class[state] - 1;
    spend(1 + a->kinds / 4);
    for (size_t letter = 0; letter < a->kinds; letter++) {
        const uint32_t after = own->class[a->next[state * a->kinds + letter]];
        uint32_t *known = &own->y.a.next[class * k + kind[letter]];
        if (after == 0 || (*known != UNSET && *known != after - 1))
            reject(t, "letter %zu leads state %zu to another class than states like it", letter + 1,
                   state + 1);
        *known = after - 1;
    }
}

static void make_automaton(part *own, const joined *p, size_t n, size_t k, const text *t)
{
    const automaton *a = &p->x->a;
    automaton *out = &own->y.a;
    const size_t i = (size_t)(own - p->part), edges = product_of(n, k);
    const struct lookup *table = p->x->net.block->wires->pre.gate[i].table;
    if (table->values != k) reject(t, "the first stage gives part %zu other letters", i + 1);
    out->kinds = k;
    count(&out->letters, k);
    count(&out->states, n);
    out->next = grab(edges, sizeof *out->next);
    memset(out->next, 0xff, edges * sizeof *out->next);
    if (own->class[a->start] == 0) reject(t, "the start has no class");
    out->start = own->class[a->start] - 1;
    for (size_t q = 0; q < a->states.count; q++)
        if (own->class[q] > 0) follow(own, p, q, table->value, t);
    for (size_t e = 0; e < edges; e++)
        if (out->next[e] == UNSET)
            reject(t, "class %zu has no state, or letter %zu of the part is not used", e / k + 1,
                   e % k + 1);
}

/* Reading */

static void read_part(joined *p, text *t, size_t i)
{
    part *own = &p->part[i];
    const size_t states = p->x->a.states.count;
    text line = *t;
    number(t, "part ", i + 1, i + 1);
    own->first = number(t, " stages ", 2, MAX_FILE) - 1;
    own->stages = number(t, " ", 1, MAX_FILE);
    if (own->first + own->stages >= p->x->net.stages) reject(t, "there are no such stages");
    const size_t k = number(t, " letters ", 1, p->x->a.kinds),
                 n = number_line(t, " classes ", 1, states);
    own->class = grab(states, sizeof *own->class);
    expect(t, "class");
    for (size_t q = 0; q < states; q++) own->class[q] = (uint32_t)number(t, " ", 0, n);
    end_line(t);
    own->y = (problem){.program = p->x->program, .lrnn = p->x->lrnn};
    make_automaton(own, p, n, k, &line);
}

/* Sets the readouts of a share: readouts of a block are in the order of its heads. */
static void count_readouts(share *s, const block *b, size_t *heads, size_t *readouts)
{
    *heads += s->heads;
    const size_t end = *heads < b->heads ? b->head[*heads].at : b->entries;
    while (*readouts < b->readouts && b->readout[*readouts].at < end) {
        s->readouts++;
        ++*readouts;
    }
}

static void read_division(joined *p, text *t, size_t number_of)
{
    const block *b = &p->x->net.block[number_of];
    const struct circuits *w = b->wires;
    size_t inputs = 0, pres = 0, heads = 0, readouts = 0, posts = 0, outputs = 0;
    const text line = *t;
    number(t, "divide ", number_of + 1, number_of + 1);
    for (size_t i = 0; i < p->parts; i++) {
        share *s = share_of(p, b, i);
        inputs += s->inputs = number(t, " ", 1, w->inputs - inputs);
        pres += s->pres = number(t, ".", 0, w->pre.gates - pres);
        s->heads = number(t, ".", 0, b->heads - heads);
        posts += s->posts = number(t, ".", 0, w->post.gates - posts);
        outputs += s->outputs = number(t, ".", 1, w->outputs - outputs);
        count_readouts(s, b, &heads, &readouts);
    }
    if (inputs != w->inputs || pres != w->pre.gates || heads != b->heads ||
        readouts != b->readouts || posts != w->post.gates || outputs != w->outputs)
        reject(&line, "the parts are not all of the block");
    end_line(t);
}

/* Reads the part's own claim. */
static void read_claim_of(part *own, text *t)
{
    const claim *known = own->y.program->claims;
    expect(t, "claim ");
    for (size_t i = 0; i < own->y.program->claim_kinds && !own->claim; i++) {
        const size_t size = strlen(known[i].word);
        if (known[i].wired && known[i].check != check_product && comes(t, known[i].word) &&
            t->at[size] == '\n')
            own->claim = &known[i];
    }
    if (!own->claim) reject(t, "expected the claim of a part");
    whole_line(t, own->claim->word);
    own->lines = *t;
    own->claim->read(&own->y, t);
}

void read_product(problem *x, text *t)
{
    joined *p = x->own = grab(1, sizeof *p);
    *p = (joined){.x = x, .t = x->lrnn};
    const text line = *t;
    if (x->net.kind == LABEL_EDGES) reject(t, "no product gives the outputs of transitions");
    p->parts = read_counts(x, t, " parts ", sizeof "part 1 stages 2 1 letters 1 classes 1");
    number_line(t, " blocks ", x->net.blocks, x->net.blocks);
    if (p->parts < 2) reject(&line, "a product has two parts or more");
    check_ends(p, &line);
    p->part = grab(p->parts, sizeof *p->part);
    p->share = grab(product_of(x->net.blocks, p->parts), sizeof *p->share);
    for (size_t i = 0; i < p->parts; i++) read_part(p, t, i);
    for (size_t b = 1; b + 1 < x->net.blocks; b++) read_division(p, t, b);
    x->net.householders = 0;
    for (size_t i = 0; i < p->parts; i++) {
        part *own = &p->part[i];
        cut_part(own, p, &line);
        read_claim_of(own, t);
        x->net.householders = MAXIMUM(x->net.householders, own->y.net.householders);
    }
    number_line(t, "end ", p->parts, p->parts);
    snprintf(x->counts, sizeof x->counts, "parts %zu", p->parts);
}

/* 4. and 5. */

/* Checks that the last stage gives the state's label, given its classes. */
static void check_join(const joined *p, size_t state, const text *t)
{
    const network *net = &p->x->net;
    struct circuits *w = net->block[net->blocks - 1].wires;
    for (size_t i = 0; i < p->parts; i++) {
        if (p->part[i].class[state] == 0) return;
        w->value[i] = p->part[i].class[state] - 1;
    }
    spend(1 + p->parts / 4);
    look_up(w->value, &w->pre);
    const name given = net->labels.item[w->value[w->output[0]]];
    if (!same_name(given, label_of(&p->x->a, net->kind, state)))
        reject(t, "the last stage does not give the label of state %zu", state + 1);
}

void check_product(problem *x, text *t)
{
    const joined *p = x->own;
    for (size_t i = 0; i < p->parts; i++) {
        part *own = &p->part[i];
        text lines = own->lines;
        own->y.state = zeros(own->y.net.entries);
        lines.line++;
        own->claim->check(&own->y, &lines);
    }
    for (size_t q = 0; q < x->a.states.count; q++) check_join(p, q, t);
}
