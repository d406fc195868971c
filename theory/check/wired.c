/* A wired network begins with `lrnn-wired 2`, has no line `field`, and after `start` instead of
 * layers what follows. A wire has a size N and values 1..N. Within a block wires are numbered:
 * inputs, pre gates, readouts, post gates. The input of stage 1 is the letter, the inputs of
 * others are the outputs of the stage before, the output of the last is the label:
 *     tables T
 *       table t inputs N .. values V entries v ..  N: sizes, perhaps none; the last input runs
 *                                                  fastest
 *     blocks B
 *       block b inputs N ..
 *         pre P                                    P times:
 *           gate t w ..                            what table t gives for the wires w, which
 *                                                  come before
 *         heads H
 *           head h key n value d slots J           J times, and done in this order:
 *             slot j wire w                        an input or a pre gate; for each of its
 *                                                  values:
 *               on x gate G factors F              as in network.c
 *         readouts R                               in order, they divide the rows of the heads:
 *           readout r head h rows A B codes C      which code the rows hold after the step
 *             code i R.C:V ..                      rows count from 1
 *         post P                                   as pre
 *         outputs w ..
 *     stages L
 *       stage l block b
 *         initial R.C:V ..                         for each head
 *     end */
#include "theory/check/wired.h"
#include <string.h>

static void read_lookup(struct lookup *f, text *t)
{
    size_t entries = 1;
    expect(t, " inputs");
    if (!comes(t, " values")) f->size = read_numbers(t, "", 0, MAX_FILE, &f->inputs);
    for (size_t i = 0; i < f->inputs; i++) {
        entries *= f->size[i];
        if (entries > left(t)) reject(t, "the file is too short for the table");
    }
    f->values = number(t, " values ", 1, MAX_FILE);
    f->value = read_numbers(t, " entries", 1, f->values, &f->entries);
    if (f->entries != entries) reject(t, "expected %zu entries", entries);
    end_line(t);
}

static void add_wire(struct circuits *w, size_t size)
{
    w->size = grow(w->size, w->wires, &w->capacity, sizeof *w->size);
    w->size[w->wires++] = (uint32_t)size;
}

static void read_circuit(circuit *c, text *t, const char *word, struct circuits *w,
                         const network *net)
{
    c->gate = grab_lines(t, word, 0, sizeof "gate 1", &c->gates, sizeof *c->gate);
    c->first = w->wires;
    c->line = t->line;
    for (struct gate *g = c->gate; g < c->gate + c->gates; g++) {
        g->table = &net->table[number(t, "gate ", 1, net->tables) - 1];
        if (g->table->inputs > left(t)) reject(t, "the file is too short for the table's wires");
        g->wire = grab(g->table->inputs, sizeof *g->wire);
        for (size_t i = 0; i < g->table->inputs; i++) {
            g->wire[i] = (uint32_t)number(t, " ", 1, w->wires) - 1;
            if (w->size[g->wire[i]] != g->table->size[i])
                reject(t, "the table reads wires of other sizes");
        }
        end_line(t);
        c->reads += g->table->inputs;
        add_wire(w, g->table->values);
    }
}

static void read_heads(block *b, text *t, network *net)
{
    static const char least[] = "head 1 key 1 value 1 slots 1",
                      slot[] = "slot 1 wire 1\non 1 gate 1 factors 0";
    const struct circuits *w = b->wires;
    b->head = grab_lines(t, "heads ", 0, sizeof least, &b->heads, sizeof *b->head);
    for (size_t i = 0; i < b->heads; i++) {
        head *h = read_dimensions(b, t, i);
        place(b, h);
        h->slot = grab_lines(t, " slots ", 1, sizeof slot, &h->slots, sizeof *h->slot);
        for (size_t j = 0; j < h->slots; j++) {
            number(t, "slot ", j + 1, j + 1);
            h->slot[j].wire = number_line(t, " wire ", 1, w->wires) - 1; /* all so far: inputs and
                                                                            pre gates */
            read_slot(&h->slot[j], t, h, w->size[h->slot[j].wire], net);
        }
    }
}

/* Reads the codes of a readout; equal codes are spelled alike. */
static void read_codes_of(struct readout *r, text *t, size_t rows, size_t columns)
{
    set spelled = {0};
    r->code = grab_lines(t, " codes ", 1, sizeof "code 1", &r->codes, sizeof *r->code);
    for (size_t c = 0; c < r->codes; c++) {
        number(t, "code ", c + 1, c + 1);
        const char *from = t->at;
        r->code[c] = read_vector(t, rows, columns, 1);
        if (!add(&spelled, (name){from, (size_t)(t->at - from)})) reject(t, "two codes are equal");
        end_line(t);
    }
}

/* Reads the readouts, which divide the rows of the heads, in order. */
static void read_readouts(block *b, text *t)
{
    static const char least[] = "readout 1 head 1 rows 1 1 codes 1";
    size_t h = 0, row = 0;
    b->readout = grab_lines(t, "readouts ", 0, sizeof least, &b->readouts, sizeof *b->readout);
    for (size_t i = 0; i < b->readouts; i++) {
        struct readout *r = &b->readout[i];
        if (h == b->heads) reject(t, "no rows are left for this readout");
        number(t, "readout ", i + 1, i + 1);
        number(t, " head ", h + 1, h + 1);
        number(t, " rows ", row + 1, row + 1);
        r->at = b->head[h].at + row * b->head[h].d;
        const size_t last = number(t, " ", row + 1, b->head[h].n);
        r->entries = (last - row) * b->head[h].d;
        read_codes_of(r, t, last - row, b->head[h].d);
        add_wire(b->wires, r->codes);
        row = last < b->head[h].n ? last : 0;
        h += row == 0;
    }
    if (h < b->heads) reject(t, "no readout for row %zu of head %zu", row + 1, h + 1);
    b->joint = b->readouts;
}

/* Returns a number for the sizes of wires. */
static size_t sizes_number(set *sizes, const uint32_t *size, size_t count)
{
    return intern(sizes, (name){(const char *)size, count * sizeof *size});
}

static void read_block(block *b, text *t, network *net, set *sizes)
{
    struct circuits *w = b->wires = grab(1, sizeof *w);
    uint32_t *size = read_numbers(t, " inputs", 0, MAX_FILE, &w->inputs);
    end_line(t);
    for (size_t i = 0; i < w->inputs; i++) add_wire(w, size[i]);
    w->reads = sizes_number(sizes, size, w->inputs);
    read_circuit(&w->pre, t, "pre ", w, net);
    read_heads(b, t, net);
    read_readouts(b, t);
    read_circuit(&w->post, t, "post ", w, net);
    w->output = read_numbers(t, "outputs", 1, w->wires, &w->outputs);
    end_line(t);
    size = grab(w->outputs, sizeof *size);
    for (size_t i = 0; i < w->outputs; i++) size[i] = w->size[w->output[i]];
    w->gives = sizes_number(sizes, size, w->outputs);
    w->value = grab(w->wires, sizeof *w->value);
    w->given = grab(w->outputs, sizeof *w->given);
}

static void read_stages(network *net, text *t, size_t letters, set *sizes)
{
    const uint32_t ends[2] = {(uint32_t)letters, (uint32_t)net->labels.count};
    net->stage =
        grab_lines(t, "stages ", 1, sizeof "stage 1 block 1", &net->stages, sizeof *net->stage);
    size_t given = sizes_number(sizes, &ends[0], 1);
    for (size_t l = 0; l < net->stages; l++) {
        number(t, "stage ", l + 1, l + 1);
        const block *b = &net->block[number_line(t, " block ", 1, net->blocks) - 1];
        if (b->wires->reads != given) reject(t, "stage %zu does not read what it is given", l + 1);
        if (b->heads > left(t)) reject(t, "the file is too short for the initial states");
        net->stage[l] = (stage){b, grab(b->heads, sizeof(vector))};
        for (size_t h = 0; h < b->heads; h++)
            net->stage[l].initial[h] = read_initial(t, &b->head[h]);
        add_stage(net, b);
        given = b->wires->gives;
    }
    if (given != sizes_number(sizes, &ends[1], 1))
        reject(t, "the last stage does not give one label");
}

void read_wired(network *net, text *t, size_t letters)
{
    static const char least[] = "block 1 inputs 1\npre 0\nheads 0\nreadouts 0\npost 0\noutputs 1";
    set sizes = {0};
    net->table = grab_lines(t, "tables ", 0, sizeof "table 1 inputs values 1 entries 1",
                            &net->tables, sizeof *net->table);
    for (size_t i = 0; i < net->tables; i++) {
        number(t, "table ", i + 1, i + 1);
        read_lookup(&net->table[i], t);
    }
    net->block = grab_lines(t, "blocks ", 1, sizeof least, &net->blocks, sizeof *net->block);
    for (size_t i = 0; i < net->blocks; i++) {
        number(t, "block ", i + 1, i + 1);
        read_block(&net->block[i], t, net, &sizes);
    }
    read_stages(net, t, letters, &sizes);
}

void look_up(uint32_t *wire, const circuit *c)
{
    spend(1 + (c->gates + c->reads) / 16);
    for (size_t g = 0; g < c->gates; g++) {
        const struct lookup *f = c->gate[g].table;
        size_t entry = 0;
        for (size_t i = 0; i < f->inputs; i++)
            entry = entry * f->size[i] + wire[c->gate[g].wire[i]];
        wire[c->first + g] = f->value[entry];
    }
}

/* Returns whether the wires lead the heads from these codes to those. */
static bool leads_block(problem *x, const block *b, const uint32_t *from, const uint32_t *to)
{
    for (size_t i = 0; i < b->readouts; i++)
        put(x->state + b->readout[i].at, b->readout[i].entries, &b->readout[i].code[from[i]]);
    for (const head *h = b->head; h < b->head + b->heads; h++) {
        spend(1 + h->slots / 4);
        for (const struct slot *j = h->slot; j < h->slot + h->slots; j++)
            move(h, x->state + h->at, &j->on[b->wires->value[j->wire]]);
    }
    return is_code(x, b, to);
}

size_t pass_wired(problem *x, const text *t, const char *what, const level *y, size_t letter,
                  const uint32_t *from, const uint32_t *to)
{
    if (!x->net.wired) return pass_layers(x, t, what, y, letter, from, to);
    const uint32_t first = (uint32_t)letter, *given = &first;
    for (const stage *s = y->y; s < y->y + y->stages; s++) {
        const block *b = s->block;
        struct circuits *w = b->wires;
        memcpy(w->value, given, w->inputs * sizeof *given);
        look_up(w->value, &w->pre);
        if (!leads_block(x, b, from, to))
            reject(t, "%s %zu: layer %zu goes to another state", what, letter + 1,
                   (size_t)(s - x->net.stage) + 1);
        memcpy(w->value + w->pre.first + w->pre.gates, to, b->readouts * sizeof *to);
        look_up(w->value, &w->post);
        spend(1 + w->outputs / 16);
        for (size_t i = 0; i < w->outputs; i++) w->given[i] = w->value[w->output[i]];
        given = w->given;
        from += b->joint;
        to += b->joint;
    }
    return *given;
}

const grammar wired_grammar = {.wired = read_wired};
const claim exact_claims[EXACT_CLAIMS] = {
    {"exact", true, true, NULL, read_rows, check_rows},
    {"cascade", true, false, NULL, read_cascade, check_cascade},
    {"zeiger", false, true, NULL, read_zeiger, check_zeiger},
    {"d1", false, true, NULL, read_d1, check_d1},
    {"blocks", false, true, NULL, read_blocks, check_blocks},
    {"points", false, true, NULL, read_points, check_points},
    {"product", false, true, NULL, read_product, check_product}};
