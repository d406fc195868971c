/* The network of Zeiger's cover: enter, n - 1 times the level, leave. Statements:
 * theory/pages/zeiger.md. */
#include "theory/construct/zeiger/zeiger.h"
#include "numeric/base/mem.h"
#include "theory/construct/zeiger/impl.h"
#include <string.h>

#define BIT F2L_ZEIGER_BIT

enum { ENTER, LEVEL, LEAVE, BLOCKS };

static uint32_t always(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule, (void)in;
    return 1;
}

static uint32_t never(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule, (void)in;
    return 0;
}

/* Table entry for (Y_y). */
static uint32_t is_there(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return in[0];
}

/* Table entry for (one of those before, Y_y). */
static uint32_t one_is_there(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return in[0] || in[1];
}

/* Table entry for the bits of a label's number, the highest one first. */
static uint32_t label_of_bits(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    uint32_t label = 0;
    for (size_t i = 0; i < rule->inputs; i++) label = 2 * label + in[i];
    return label < z->net->labels.count ? label : 0;
}

f2l_status f2l_zeiger_inputs(const f2l_zeiger *z, f2l_wired_block *block, f2l_error *err)
{
    const size_t wires = 1 + 2 * z->n;
    f2l_status status = f2l_task_spend(z->task, "wiring", 2 * wires * sizeof(size_t), err);
    if (status != F2L_OK) return status;
    size_t *size = f2l_calloc(wires, sizeof *size);
    if (!size) return f2l_fail_memory(err);
    for (size_t i = 0; i < wires; i++) size[i] = i == 0 ? z->letters : BIT;
    status = f2l_wired_block_set_inputs(block, wires, size, err);
    f2l_free(size);
    return status;
}

/* Writes the first block: both stages are all states. */
static f2l_status put_enter(f2l_zeiger *z, f2l_wired_block *block, f2l_error *err)
{
    const size_t bits = 2 * z->n;
    const f2l_zeiger_rule rule = {.value = always, .values = BIT};
    f2l_status status = f2l_meter_spend(&z->meter, bits * F2L_ZEIGER_GATE_STEPS, 0, 0, err);
    if (status == F2L_OK) status = f2l_wired_block_set_inputs(block, 1, &z->letters, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, bits, 0, 0, 0, 1 + bits, err);
    for (size_t i = 0; status == F2L_OK && i < bits; i++) {
        status = f2l_zeiger_gate(z, &block->pre[i], &rule, NULL, err);
        block->output[1 + i] = (uint32_t)(1 + i);
    }
    return status;
}

static bool output_has_bit(const f2l_zeiger *z, const f2l_zeiger_rule *rule, uint32_t letter)
{
    return z->label[rule->x * z->letters + letter] >> rule->y & 1;
}

/* Table entry for (a, X_x): the output of x by a has bit y. */
static uint32_t output_first(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    return in[1] && output_has_bit(z, rule, in[0]);
}

/* Table entry for (so far, a, X_x). */
static uint32_t output_more(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    return in[0] || (in[2] && output_has_bit(z, rule, in[1]));
}

/* Returns the labels of a state: its own, or its outputs by the letters. */
static size_t labels_of_state(const f2l_zeiger *z)
{
    return z->net->label == F2L_LABEL_EDGES ? z->letters : 1;
}

/* Returns whether the number of a label of the state has this bit. */
static bool state_has_bit(const f2l_zeiger *z, size_t state, size_t bit)
{
    const size_t each = labels_of_state(z);
    bool has = false;
    for (size_t i = 0; i < each; i++) has = has || (z->label[state * each + i] >> bit & 1);
    return has;
}

/* Writes a gate of the chain for bit `bit`: the state, in the new stage, has a label with this bit;
 * with outputs of transitions, the state in the old stage and the letter have one (Z.10). */
static f2l_status put_label_gate(f2l_zeiger *z, f2l_wired_gate *gate, size_t state, size_t bit,
                                 const uint32_t *before, f2l_error *err)
{
    static const f2l_zeiger_rule first = {is_there, 1, {BIT}, BIT, .x = 0, .y = 0},
                                 more = {one_is_there, 2, {BIT, BIT}, BIT, .x = 0, .y = 0};
    const size_t k = z->letters;
    const f2l_zeiger_rule output = {output_first, 2, {k, BIT}, BIT, .x = state, .y = bit},
                          next = {output_more, 3, {BIT, k, BIT}, BIT, .x = state, .y = bit};
    const bool edges = z->net->label == F2L_LABEL_EDGES;
    const uint32_t held = (uint32_t)(1 + state + (edges ? 0 : z->n));
    const uint32_t by_letter[] = {before ? *before : 0, 0, held}, in[] = {by_letter[0], held};
    if (edges)
        return f2l_zeiger_gate(z, gate, before ? &next : &output, by_letter + (before ? 0 : 1),
                               err);
    return f2l_zeiger_gate(z, gate, before ? &more : &first, in + (before ? 0 : 1), err);
}

/* Writes the gates of bit `bit` of the label's number, from *at on. *wire becomes the last one. */
static f2l_status put_label_bit(f2l_zeiger *z, f2l_wired_block *block, size_t bit, size_t *at,
                                uint32_t *wire, f2l_error *err)
{
    static const f2l_zeiger_rule none = {.value = never, .values = F2L_ZEIGER_BIT};
    f2l_status status = F2L_OK;
    const size_t begin = *at;
    for (size_t y = 0; status == F2L_OK && y < z->n; y++) {
        if (!state_has_bit(z, y, bit)) continue;
        const uint32_t *before = *at == begin ? NULL : wire;
        status = put_label_gate(z, &block->pre[*at], y, bit, before, err);
        *wire = (uint32_t)(block->inputs + (*at)++);
    }
    if (*at > begin || status != F2L_OK) return status;
    *wire = (uint32_t)(block->inputs + *at);
    return f2l_zeiger_gate(z, &block->pre[(*at)++], &none, NULL, err);
}

/* Returns the number of bits of the labels' numbers, and sets *gates to the number of gates that
 * give these bits. */
static size_t label_bits(size_t *gates, const f2l_zeiger *z)
{
    size_t bits = 0;
    *gates = 0;
    for (; z->net->labels.count > (size_t)1 << bits; bits++) {
        size_t states = 0;
        for (size_t y = 0; y < z->n; y++) states += state_has_bit(z, y, bits);
        *gates += states ? states : 1;
    }
    return bits;
}

/* Writes the last block: the label of the state in the new stage, bit by bit. */
static f2l_status put_leave(f2l_zeiger *z, f2l_wired_block *block, f2l_error *err)
{
    size_t gates, at = 0;
    const size_t bits = label_bits(&gates, z);
    f2l_zeiger_rule whole = {
        .value = label_of_bits, .inputs = bits, .values = z->net->labels.count};
    uint32_t wire[F2L_ZEIGER_INPUTS] = {0};
    f2l_status status = f2l_meter_spend(&z->meter, gates * F2L_ZEIGER_GATE_STEPS, 0, 0, err);
    if (status == F2L_OK) status = f2l_zeiger_inputs(z, block, err);
    if (status == F2L_OK) status = f2l_wired_block_set(block, gates + 1, 0, 0, 0, 1, err);
    for (size_t bit = 0; status == F2L_OK && bit < bits; bit++) {
        whole.size[bit] = BIT;
        status = put_label_bit(z, block, bit, &at, &wire[bits - 1 - bit], err);
    }
    if (status == F2L_OK) status = f2l_zeiger_gate(z, &block->pre[at], &whole, wire, err);
    if (status == F2L_OK) block->output[0] = (uint32_t)(block->inputs + at);
    return status;
}

static f2l_status put_zeiger_labels(f2l_zeiger *z, f2l_error *err)
{
    f2l_status status = F2L_OK;
    z->net->start = F2L_NO_INDEX;
    if (z->net->label == F2L_LABEL_EDGES)
        return f2l_fsa_edge_labels(&z->net->labels, z->label, z->fsa, err);
    for (size_t q = 0; status == F2L_OK && q < z->n; q++) {
        const char *text = f2l_fsa_label(z->fsa, z->net->label, q);
        size_t index = 0;
        status = f2l_names_add(&z->net->labels, text, strlen(text), &index, err);
        z->label[q] = (uint32_t)index;
    }
    if (status == F2L_OK) z->net->start = z->label[z->fsa->start];
    return status;
}

#define STAGE_STEPS (100 + 2 * F2L_ENTRY_STEPS)

/* Adds the stages. Level l removes the l-th of the states other than the start, until only the
 * start is left. */
static f2l_status put_zeiger_stages(f2l_zeiger *z, f2l_error *err)
{
    size_t *block_of = f2l_calloc(z->n + 1, sizeof *block_of);
    if (!block_of) return f2l_fail_memory(err);
    f2l_status status = f2l_meter_spend(&z->meter, z->n * STAGE_STEPS, 0, 0, err);
    for (size_t l = 0; l <= z->n; l++) block_of[l] = l == 0 ? ENTER : l < z->n ? LEVEL : LEAVE;
    if (status == F2L_OK) status = f2l_wired_set_stages(z->net, z->n + 1, block_of, err);
    f2l_free(block_of);
    for (size_t l = 1; status == F2L_OK && l < z->n; l++) {
        const size_t removed = l - 1 < z->fsa->start ? l - 1 : l;
        for (size_t copy = 0; status == F2L_OK && copy < 2; copy++)
            status = f2l_qvec_push_si(&z->net->stage[l].initial[0], (uint32_t)(2 * removed + copy),
                                      1, 1, err);
    }
    return status;
}

static f2l_status build_zeiger_net(f2l_zeiger *z, f2l_error *err)
{
    f2l_net *net = z->net;
    f2l_status status = f2l_names_copy(&net->letters, &z->fsa->letters, err);
    if (status == F2L_OK) status = put_zeiger_labels(z, err);
    if (status == F2L_OK) status = f2l_wired_set_blocks(net, BLOCKS, err);
    if (status == F2L_OK) status = put_enter(z, &net->block[ENTER], err);
    if (status == F2L_OK) status = f2l_zeiger_level(z, &net->block[LEVEL], err);
    if (status == F2L_OK) status = put_leave(z, &net->block[LEAVE], err);
    if (status == F2L_OK) status = put_zeiger_stages(z, err);
    if (status == F2L_OK) status = f2l_wired_set_tables(net, z->tables, err);
    if (status != F2L_OK) return status;
    memcpy(net->table, z->table, z->tables * sizeof *z->table);
    z->tables = 0; /* they belong to the network now */
    return F2L_OK;
}

f2l_status f2l_zeiger_build(f2l_net *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                            f2l_error *err)
{
    f2l_zeiger z = {.net = out,
                    .fsa = fsa,
                    .task = task,
                    .meter = {.task = task, .phase = "wiring"},
                    .n = fsa->states.count,
                    .letters = fsa->letters.count};
    size_t wires;
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_has_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (z.n < 2 || z.letters == 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "an automaton of one state or without letters needs no wired network");
    if (!f2l_mul_size(&wires, z.n, 2 * z.letters + 16) || wires > UINT32_MAX ||
        4 * z.n > F2L_MAX_STATE)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu states and %zu letters are too many for a wired "
                        "network",
                        z.n, z.letters);
    out->label = label;
    z.label = f2l_calloc(z.n, labels_of_state(&z) * sizeof *z.label);
    status = z.label ? build_zeiger_net(&z, err) : f2l_fail_memory(err);
    f2l_free(z.label);
    f2l_zeiger_clear_tables(&z);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
