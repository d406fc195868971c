/* The gates of a Zeiger form, checked entry by entry. Wires of all blocks except the first: 0 is
 * the letter a, 1 + x whether x is in the old stage X, 1 + n + y whether y is in the new stage
 * Y. */
#include "automata/fsa/sources.h"
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"

/* Gates are checked in the order of their wires. */
typedef struct walk {
    f2l_zeiger_check *c;
    const f2l_wired_block *block;
    const char *name; /* name of the block */
    const f2l_wired_gate *gate;
    size_t gates, at; /* `at`: the next gate */
    uint32_t first;   /* wire of gate 0 */
} walk;

static f2l_status wrong_rule_gate(const walk *w, size_t gate, const char *what, f2l_error *err)
{
    const char *side = w->gate == w->block->pre ? "pre" : "post";
    return f2l_fail(err, F2L_UNKNOWN, "block \"%s\": %s gate %zu %s", w->name, side, gate + 1,
                    what);
}

#define MOST_INPUTS 32 /* the bits of a label's number */

/* The expected gate. `x`, `y`: constants of the value. */
typedef struct expectation {
    uint32_t (*value)(const f2l_zeiger_check *c, const struct expectation *e, const uint32_t *in);
    size_t inputs;
    uint32_t wire[MOST_INPUTS];
    size_t size[MOST_INPUTS], values;
    size_t x, y;
} expectation;

static bool same_wires(const expectation *e, const f2l_wired_gate *gate,
                       const f2l_wired_table *table)
{
    bool same = table->inputs == e->inputs && table->values == e->values;
    for (size_t i = 0; same && i < e->inputs; i++)
        same = gate->wire[i] == e->wire[i] && table->size[i] == e->size[i];
    return same;
}

/* Checks that the next gate is as expected; *wire (may be NULL) is its output. */
static f2l_status expect_rule_gate(walk *w, const expectation *e, uint32_t *wire, f2l_error *err)
{
    if (w->at == w->gates) return wrong_rule_gate(w, w->at, "is missing", err);
    const f2l_wired_gate *gate = &w->gate[w->at];
    const f2l_wired_table *table = &w->c->net->table[gate->table];
    if (!same_wires(e, gate, table))
        return wrong_rule_gate(w, w->at, "reads other wires or has other values", err);
    for (size_t entry = 0; entry < table->entries; entry++) {
        uint32_t in[MOST_INPUTS];
        size_t rest = entry;
        for (size_t i = e->inputs; i > 0; i--) {
            in[i - 1] = (uint32_t)(rest % e->size[i - 1]);
            rest /= e->size[i - 1];
        }
        if (table->value[entry] != e->value(w->c, e, in))
            return wrong_rule_gate(w, w->at, "has a wrong entry", err);
    }
    if (wire) *wire = w->first + (uint32_t)w->at;
    w->at++;
    return f2l_meter_spend(&w->c->meter, 4 + table->entries / 2, (double)w->at, (double)w->gates,
                           err);
}

static f2l_status no_more(const walk *w, f2l_error *err)
{
    return w->at == w->gates ? F2L_OK : wrong_rule_gate(w, w->at, "is one too many", err);
}

static f2l_status check_inputs(const f2l_zeiger_check *c, const walk *w, f2l_error *err)
{
    bool good = w->block->inputs == 1 + 2 * c->n && w->block->input_size[0] == c->k;
    for (size_t i = 1; good && i < w->block->inputs; i++) good = w->block->input_size[i] == 2;
    return good ? F2L_OK
                : f2l_fail(err, F2L_UNKNOWN, "block \"%s\": its inputs are no two stages", w->name);
}

static f2l_status wrong_outputs(const walk *w, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN, "block \"%s\": its outputs are other wires", w->name);
}

/* Enter: both stages are all states. */

static uint32_t expect_one(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e, (void)in;
    return 1;
}

static f2l_status check_enter(f2l_zeiger_check *c, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[0];
    walk w = {c, block, "enter", block->pre, block->pres, 0, 1};
    const expectation yes = {.value = expect_one, .values = 2};
    if (block->inputs != 1 || block->input_size[0] != c->k || block->heads || block->readouts ||
        block->posts)
        return f2l_fail(err, F2L_UNKNOWN, "block \"enter\" has other parts");
    bool good = block->outputs == 1 + 2 * c->n;
    for (size_t i = 0; good && i < block->outputs; i++) good = block->output[i] == i;
    if (!good) return wrong_outputs(&w, err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < 2 * c->n; i++)
        status = expect_rule_gate(&w, &yes, NULL, err);
    return status == F2L_OK ? no_more(&w, err) : status;
}

/* Leave: the number of the label, bit by bit. */

static uint32_t zero(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e, (void)in;
    return 0;
}

/* (Y_y) */
static uint32_t expect_same(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e;
    return in[0];
}

/* (before, Y_y) */
static uint32_t expect_either(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e;
    return in[0] == 1 || in[1] == 1;
}

static bool output_has(const f2l_zeiger_check *c, const expectation *e, size_t a)
{
    return c->label[e->x * c->k + a] >> e->y & 1;
}

/* (a, X_x) */
static uint32_t expect_output(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    return output_has(c, e, in[0]) ? in[1] : 0;
}

/* (before, a, X_x) */
static uint32_t expect_output_too(const f2l_zeiger_check *c, const expectation *e,
                                  const uint32_t *in)
{
    return in[2] == 1 && output_has(c, e, in[1]) ? 1 : in[0];
}

/* Returns whether some label of the state has the bit. */
static bool has_label_bit(const f2l_zeiger_check *c, size_t state, size_t bit)
{
    for (size_t i = state * c->each; i < (state + 1) * c->each; i++)
        if (c->label[i] >> bit & 1) return true;
    return false;
}

/* Checks the gate for the state in the chain of a bit, which with labels `edges` is Z.10's; any: it
 * is not the first gate. */
static f2l_status check_label_gate(walk *w, size_t state, size_t bit, bool any, uint32_t *wire,
                                   f2l_error *err)
{
    const f2l_zeiger_check *c = w->c;
    const uint32_t new = (uint32_t)(1 + c->n + state), old = (uint32_t)(1 + state);
    const expectation gate[2][2] = {
        {{expect_same, 1, {new}, {2}, 2, 0, 0}, {expect_either, 2, {*wire, new}, {2, 2}, 2, 0, 0}},
        {{expect_output, 2, {0, old}, {c->k, 2}, 2, state, bit},
         {expect_output_too, 3, {*wire, 0, old}, {2, c->k, 2}, 2, state, bit}}};
    return expect_rule_gate(w, &gate[c->net->label == F2L_LABEL_EDGES][any], wire, err);
}

/* (the highest bit, .., the lowest) */
static uint32_t expect_label_at(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    size_t number = 0;
    for (size_t i = 0; i < e->inputs; i++) number = 2 * number + in[i];
    return number < c->net->labels.count ? (uint32_t)number : 0;
}

/* Checks the gates for a bit of the label's number; *wire is the last one's. */
static f2l_status check_label_bit_gates(walk *w, size_t bit, uint32_t *wire, f2l_error *err)
{
    const f2l_zeiger_check *c = w->c;
    const expectation none = {.value = zero, .values = 2};
    f2l_status status = F2L_OK;
    bool any = false;
    for (size_t y = 0; status == F2L_OK && y < c->n; y++) {
        if (!has_label_bit(c, y, bit)) continue;
        status = check_label_gate(w, y, bit, any, wire, err);
        any = true;
    }
    return any || status != F2L_OK ? status : expect_rule_gate(w, &none, wire, err);
}

static f2l_status check_leaving_block(f2l_zeiger_check *c, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[2];
    const size_t labels = c->net->labels.count;
    walk w = {c, block, "leave", block->pre, block->pres, 0, (uint32_t)block->inputs};
    expectation whole = {.value = expect_label_at, .values = labels};
    uint32_t last = 0;
    f2l_status status = check_inputs(c, &w, err);
    if (status == F2L_OK && (block->heads || block->readouts || block->posts))
        status = f2l_fail(err, F2L_UNKNOWN, "block \"leave\" has other parts");
    while (labels > (size_t)1 << whole.inputs) whole.size[whole.inputs++] = 2;
    for (size_t bit = 0; status == F2L_OK && bit < whole.inputs; bit++)
        status = check_label_bit_gates(&w, bit, &whole.wire[whole.inputs - 1 - bit], err);
    if (status == F2L_OK) status = expect_rule_gate(&w, &whole, &last, err);
    if (status == F2L_OK) status = no_more(&w, err);
    if (status == F2L_OK && (block->outputs != 1 || block->output[0] != last))
        status = wrong_outputs(&w, err);
    return status;
}

/* Level, before the head. */

static bool edge(const f2l_zeiger_check *c, size_t x, size_t a, size_t y)
{
    return c->fsa->next[x * c->k + a] == y;
}

/* (a, X_x) */
static uint32_t expect_coming_state(const f2l_zeiger_check *c, const expectation *e,
                                    const uint32_t *in)
{
    return edge(c, e->x, in[0], e->y) ? in[1] : 0;
}

/* (before, a, X_x) */
static uint32_t comes_too(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    return edge(c, e->x, in[1], e->y) && in[2] == 1 ? 1 : in[0];
}

/* (Y_y, I_y), and (Y_y, current y) after the head */
static uint32_t without(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e;
    return in[1] == 1 ? 0 : in[0];
}

/* (found before, Y_y, I_y) */
static uint32_t found_here(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e;
    return in[0] == 0 && in[1] == 1 && in[2] == 0;
}

static uint32_t found_by_now(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c, (void)e;
    return in[0] == 1 || (in[1] == 1 && in[2] == 0);
}

/* (reset, a, X_x, r_x) */
static uint32_t action_of(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)e;
    if (in[0] == 1) return (uint32_t)c->k + (in[3] == 1 ? 2 : 1);
    return in[2] == 1 ? in[1] + 1 : 0;
}

/* Checks I_y; *wire is its wire. */
static f2l_status check_image(walk *w, const f2l_sources *sources, size_t y, uint32_t *wire,
                              f2l_error *err)
{
    const f2l_zeiger_check *c = w->c;
    const expectation none = {.value = zero, .values = 2};
    uint32_t node = sources->first[y];
    if (node == F2L_NO_SOURCE) return expect_rule_gate(w, &none, wire, err);
    const uint32_t least = sources->from[node];
    const expectation first = {expect_coming_state, 2, {0, 1 + least}, {c->k, 2}, 2, least, y};
    f2l_status status = expect_rule_gate(w, &first, wire, err);
    while (status == F2L_OK && (node = sources->link[node]) != F2L_NO_SOURCE) {
        const uint32_t x = sources->from[node];
        const expectation next = {comes_too, 3, {*wire, 0, 1 + x}, {2, c->k, 2}, 2, x, y};
        status = expect_rule_gate(w, &next, wire, err);
    }
    return status;
}

/* Checks all I_y; image[n] are their wires. */
static f2l_status check_rule_images(walk *w, uint32_t *image, f2l_error *err)
{
    f2l_zeiger_check *c = w->c;
    f2l_sources sources;
    f2l_status status = f2l_meter_spend(&c->meter, c->n * (8 + 2 * c->k), 0, 0, err);
    if (status == F2L_OK) status = f2l_sources_init(&sources, c->fsa, err);
    if (status != F2L_OK) return status;
    for (size_t y = 0; status == F2L_OK && y < c->n; y++)
        status = check_image(w, &sources, y, &image[y], err);
    f2l_sources_clear(&sources);
    return status;
}

static f2l_status check_pre(walk *w, f2l_error *err)
{
    f2l_zeiger_check *c = w->c;
    const uint32_t images = (uint32_t)c->n + 1; /* wires of Y */
    uint32_t *image = f2l_calloc(c->n, sizeof *image), *removed = f2l_calloc(c->n, sizeof *removed);
    f2l_status status = image && removed ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = check_rule_images(w, image, err);
    for (uint32_t y = 0; status == F2L_OK && y < c->n; y++) {
        const uint32_t before = c->reset;
        const expectation start = {without, 2, {images, image[0]}, {2, 2}, 2, 0, 0};
        const expectation here = {found_here, 3, {before, images + y, image[y]}, {2, 2, 2}, 2,
                                  0,          0};
        const expectation now = {
            found_by_now, 3, {before, images + y, image[y]}, {2, 2, 2}, 2, 0, 0};
        status = expect_rule_gate(w, y ? &here : &start, &removed[y], err);
        if (status == F2L_OK) status = expect_rule_gate(w, y ? &now : &start, &c->reset, err);
    }
    for (uint32_t x = 0; status == F2L_OK && x < c->n; x++) {
        uint32_t wire;
        const expectation act = {
            action_of, 4, {c->reset, 0, 1 + x, removed[x]}, {2, c->k, 2, 2}, c->k + 3, 0, 0};
        status = expect_rule_gate(w, &act, &wire, err);
        if (x == 0) c->action = wire;
    }
    f2l_free(image);
    f2l_free(removed);
    return status == F2L_OK ? no_more(w, err) : status;
}

/* Level, after the head. */

/* (a, current x b), b = e->x */
static uint32_t held(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c;
    return in[0] == e->x ? in[1] : 0;
}

/* (before, a, current x b) */
static uint32_t held_too(const f2l_zeiger_check *c, const expectation *e, const uint32_t *in)
{
    (void)c;
    return in[1] == e->x && in[2] == 1 ? 1 : in[0];
}

/* (X_x, reset, v_x, saved x) */
static uint32_t expect_staying_state(const f2l_zeiger_check *c, const expectation *e,
                                     const uint32_t *in)
{
    (void)c, (void)e;
    const uint32_t removed = in[1] == 1 ? in[3] : in[2];
    return removed == 1 ? 0 : in[0];
}

static f2l_status check_post(walk *w, f2l_error *err)
{
    const f2l_zeiger_check *c = w->c;
    const uint32_t n = (uint32_t)c->n, current = (uint32_t)f2l_wired_first_readout(w->block);
    const uint32_t *output = w->block->output;
    uint32_t *moved = f2l_calloc(n, sizeof *moved);
    bool named = output[0] == 0;
    f2l_status status = moved ? F2L_OK : f2l_fail_memory(err);
    for (uint32_t x = 0; status == F2L_OK && x < n; x++) {
        for (size_t b = 0; status == F2L_OK && b < c->k; b++) {
            const uint32_t target = current + c->fsa->next[x * c->k + b];
            const expectation first = {held, 2, {0, target}, {c->k, 2}, 2, b, 0};
            const expectation next = {held_too, 3, {moved[x], 0, target}, {2, c->k, 2}, 2, b, 0};
            status = expect_rule_gate(w, b ? &next : &first, &moved[x], err);
        }
    }
    for (uint32_t x = 0; status == F2L_OK && x < n; x++) {
        uint32_t wire;
        const expectation old = {expect_staying_state,
                                 4,
                                 {1 + x, c->reset, moved[x], current + n + x},
                                 {2, 2, 2, 2},
                                 2,
                                 0,
                                 0};
        status = expect_rule_gate(w, &old, &wire, err);
        named = named && output[1 + x] == wire;
    }
    for (uint32_t y = 0; status == F2L_OK && y < n; y++) {
        uint32_t wire;
        const expectation new = {without, 2, {1 + n + y, current + y}, {2, 2}, 2, 0, 0};
        status = expect_rule_gate(w, &new, &wire, err);
        named = named && output[1 + n + y] == wire;
    }
    f2l_free(moved);
    if (status == F2L_OK) status = no_more(w, err);
    return status == F2L_OK && !named ? wrong_outputs(w, err) : status;
}

/* Readouts: two rows each, in order, 0 0 or 1 1. */
static f2l_status check_readouts(const f2l_zeiger_check *c, const f2l_wired_block *block,
                                 f2l_error *err)
{
    for (size_t r = 0; r < 2 * c->n; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        bool good = readout->head == 0 && readout->row == 2 * r && readout->rows == 2 &&
                    readout->codes == 2 && readout->code[0].count == 0 &&
                    readout->code[1].count == 2;
        for (size_t i = 0; good && i < 2; i++)
            good =
                readout->code[1].index[i] == i && mpq_cmp_ui(readout->code[1].value[i], 1, 1) == 0;
        if (!good) return f2l_fail(err, F2L_UNKNOWN, "readout %zu does not read a bit", r + 1);
    }
    return F2L_OK;
}

static f2l_status check_level_block(f2l_zeiger_check *c, f2l_error *err)
{
    const f2l_wired_block *block = &c->net->block[1];
    walk pre = {c, block, "level", block->pre, block->pres, 0, (uint32_t)block->inputs};
    walk post = {
        c, block, "level", block->post, block->posts, 0, (uint32_t)f2l_wired_first_post(block)};
    f2l_status status = check_inputs(c, &pre, err);
    if (status == F2L_OK && (block->heads != 1 || block->readouts != 2 * c->n))
        status = f2l_fail(err, F2L_UNKNOWN,
                          "block \"level\" has not one head and %zu "
                          "readouts",
                          2 * c->n);
    if (status == F2L_OK && block->outputs != 1 + 2 * c->n) status = wrong_outputs(&pre, err);
    if (status == F2L_OK) status = check_readouts(c, block, err);
    if (status == F2L_OK) status = check_pre(&pre, err);
    return status == F2L_OK ? check_post(&post, err) : status;
}

f2l_status f2l_zeiger_check_circuits(f2l_zeiger_check *c, f2l_error *err)
{
    f2l_status status = check_enter(c, err);
    if (status == F2L_OK) status = check_level_block(c, err);
    return status == F2L_OK ? check_leaving_block(c, err) : status;
}
