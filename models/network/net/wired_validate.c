/* Validation: the conditions of the class declared in models/network/net/wired.h. */
#include "models/network/net/code_index.h"
#include "models/network/net/head.h"
#include "models/network/net/net_text.h"
#include "models/network/net/wired.h"

/* The place of a fault, for the texts; all members count from 0. */
typedef struct place {
    const f2l_net *net;
    size_t block;
    f2l_error *err;
} place;

static const f2l_wired_block *block_at(const place *at)
{
    return &at->net->block[at->block];
}

static bool in_range(size_t values)
{
    return values > 0 && values <= F2L_WIRED_MOST;
}

static f2l_status validate_table(const f2l_wired_table *table, size_t t, f2l_error *err)
{
    size_t entries = 1;
    for (size_t i = 0; i < table->inputs; i++) {
        if (!in_range(table->size[i]))
            return f2l_fail(err, F2L_EDOMAIN, "table %zu: input %zu has no values or too many",
                            t + 1, i + 1);
        if (entries > F2L_MAX_TABLE / table->size[i])
            return f2l_fail(err, F2L_EDOMAIN, "table %zu has more than %zu entries", t + 1,
                            F2L_MAX_TABLE);
        entries *= table->size[i];
    }
    if (table->entries != entries)
        return f2l_fail(err, F2L_EDOMAIN, "table %zu has %zu entries for %zu arguments", t + 1,
                        table->entries, entries);
    if (!in_range(table->values))
        return f2l_fail(err, F2L_EDOMAIN, "table %zu gives no values or too many", t + 1);
    for (size_t e = 0; e < entries; e++) {
        if (table->value[e] >= table->values)
            return f2l_fail(err, F2L_EDOMAIN, "table %zu, entry %zu: value %zu is not one of %zu",
                            t + 1, e + 1, (size_t)table->value[e] + 1, table->values);
    }
    return F2L_OK;
}

/* Validates gate number g among the pre or post gates, which gives wire `wire`. */
static f2l_status validate_gate(const place *at, const char *kind, size_t g,
                                const f2l_wired_gate *gate, size_t wire)
{
    if (gate->table >= at->net->tables)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu, %s gate %zu: table %zu is not one of %zu",
                        at->block + 1, kind, g + 1, gate->table + 1, at->net->tables);
    const f2l_wired_table *table = &at->net->table[gate->table];
    for (size_t i = 0; i < table->inputs; i++) {
        if (gate->wire[i] >= wire)
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, %s gate %zu: it gives wire %zu and reads wire %zu, which "
                            "comes later",
                            at->block + 1, kind, g + 1, wire + 1, (size_t)gate->wire[i] + 1);
        size_t size = f2l_wired_wire_size(at->net, block_at(at), gate->wire[i]);
        if (size != table->size[i])
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, %s gate %zu: wire %zu has %zu values, and table %zu wants "
                            "%zu",
                            at->block + 1, kind, g + 1, (size_t)gate->wire[i] + 1, size,
                            gate->table + 1, table->size[i]);
    }
    return F2L_OK;
}

static f2l_status validate_slot(const place *at, size_t h, size_t j)
{
    const f2l_wired_block *block = block_at(at);
    const f2l_wired_head *head = &block->head[h];
    if (head->wire[j] >= f2l_wired_slot_wires(block))
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu, slot %zu: wire %zu is neither an input nor a pre "
                        "gate",
                        at->block + 1, h + 1, j + 1, (size_t)head->wire[j] + 1);
    size_t size = f2l_wired_wire_size(at->net, block, head->wire[j]);
    if (head->slot_at[j + 1] - head->slot_at[j] != size)
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu, slot %zu: %zu transitions for a wire of %zu values",
                        at->block + 1, h + 1, j + 1, head->slot_at[j + 1] - head->slot_at[j], size);
    for (size_t v = 0; v < size; v++) {
        size_t factor;
        const char *fault =
            f2l_transition_fault(&factor, &head->head, &head->head.letter[head->slot_at[j] + v]);
        if (fault == NULL && head->head.letter[head->slot_at[j] + v].bias.count > 0) {
            fault = "wired networks have no biases";
            factor = F2L_NO_INDEX;
        }
        if (fault != NULL && factor == F2L_NO_INDEX)
            return f2l_fail(at->err, F2L_EDOMAIN, "block %zu, head %zu, slot %zu, value %zu: %s",
                            at->block + 1, h + 1, j + 1, v + 1, fault);
        if (fault != NULL)
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, head %zu, slot %zu, value %zu, "
                            "factor %zu: %s",
                            at->block + 1, h + 1, j + 1, v + 1, factor + 1, fault);
    }
    return F2L_OK;
}

static f2l_status validate_head(const place *at, size_t h)
{
    const f2l_wired_head *head = &block_at(at)->head[h];
    if (!f2l_head_in_range(&head->head))
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu: a state of %zu x %zu numbers is out of range",
                        at->block + 1, h + 1, head->head.n, head->head.d);
    if (!f2l_head_is_plain(&head->head))
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu: heads of wired networks have neither a field nor a "
                        "form",
                        at->block + 1, h + 1);
    if (head->head.raw)
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu: heads of wired networks are "
                        "not raw",
                        at->block + 1, h + 1);
    if (head->head.initial.count > 0)
        return f2l_fail(at->err, F2L_EDOMAIN,
                        "block %zu, head %zu has an initial state; those belong to stages",
                        at->block + 1, h + 1);
    if (head->slots == 0)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu, head %zu has no slots", at->block + 1,
                        h + 1);
    f2l_status status = F2L_OK;
    for (size_t j = 0; j < head->slots && status == F2L_OK; j++) status = validate_slot(at, h, j);
    return status;
}

static f2l_status validate_codes(const place *at, size_t r)
{
    const f2l_wired_readout *readout = &block_at(at)->readout[r];
    size_t d = block_at(at)->head[readout->head].head.d;
    if (readout->codes == 0 || readout->codes > F2L_MAX_TABLE)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu, readout %zu: %zu codes are out of range",
                        at->block + 1, r + 1, readout->codes);
    for (size_t c = 0; c < readout->codes; c++) {
        if (!f2l_vector_fits(&readout->code[c], readout->rows * d))
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, readout %zu, code %zu: it does not fit the rows and "
                            "columns",
                            at->block + 1, r + 1, c + 1);
    }
    f2l_wired_view view;
    f2l_code_index index;
    f2l_wired_view_set(&view, readout, d);
    f2l_status status = f2l_code_index_build(&index, &view.layer, at->err);
    if (status != F2L_OK) return status;
    if (index.second != F2L_NO_INDEX)
        status =
            f2l_fail(at->err, F2L_EDOMAIN, "block %zu, readout %zu: codes %zu and %zu are equal",
                     at->block + 1, r + 1, index.first + 1, index.second + 1);
    f2l_code_index_clear(&index);
    return status;
}

/* Validates the readouts: by head, then by row, without gap or overlap; the next readout must begin
 * at (head, row). */
static f2l_status validate_readouts(const place *at)
{
    const f2l_wired_block *block = block_at(at);
    size_t head = 0, row = 0;
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < block->readouts && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        if (head == block->heads || readout->head != head || readout->row != row ||
            readout->rows == 0 || readout->rows > block->head[head].head.n - row)
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, readout %zu does not continue where the one before it ends",
                            at->block + 1, r + 1);
        row += readout->rows;
        if (row == block->head[head].head.n) {
            head++;
            row = 0;
        }
        status = validate_codes(at, r);
    }
    if (status == F2L_OK && head < block->heads)
        status = f2l_fail(at->err, F2L_EDOMAIN, "block %zu: no readout reads row %zu of head %zu",
                          at->block + 1, row + 1, head + 1);
    return status;
}

static f2l_status validate_outputs(const place *at)
{
    const f2l_wired_block *block = block_at(at);
    if (block->outputs == 0)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu has no outputs", at->block + 1);
    for (size_t o = 0; o < block->outputs; o++) {
        if (block->output[o] >= f2l_wired_wires(block))
            return f2l_fail(at->err, F2L_EDOMAIN,
                            "block %zu, output %zu: wire %zu is not one of %zu", at->block + 1,
                            o + 1, (size_t)block->output[o] + 1, f2l_wired_wires(block));
    }
    return F2L_OK;
}

static f2l_status validate_block(const place *at)
{
    const f2l_wired_block *block = block_at(at);
    if (block->inputs == 0)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu has no inputs", at->block + 1);
    for (size_t i = 0; i < block->inputs; i++) {
        if (!in_range(block->input_size[i]))
            return f2l_fail(at->err, F2L_EDOMAIN, "block %zu: input %zu has no values or too many",
                            at->block + 1, i + 1);
    }
    if (f2l_wired_wires(block) > F2L_WIRED_MOST)
        return f2l_fail(at->err, F2L_EDOMAIN, "block %zu has too many wires", at->block + 1);
    f2l_status status = F2L_OK;
    for (size_t g = 0; g < block->pres && status == F2L_OK; g++)
        status = validate_gate(at, "pre", g, &block->pre[g], block->inputs + g);
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++) status = validate_head(at, h);
    if (status == F2L_OK) status = validate_readouts(at);
    for (size_t g = 0; g < block->posts && status == F2L_OK; g++)
        status = validate_gate(at, "post", g, &block->post[g], f2l_wired_first_post(block) + g);
    return status == F2L_OK ? validate_outputs(at) : status;
}

f2l_status f2l_wired_check_joint(const f2l_net *net, size_t l, f2l_error *err)
{
    const f2l_wired_block *block = &net->block[net->stage[l].block];
    const f2l_wired_block *before = l == 0 ? NULL : &net->block[net->stage[l - 1].block];
    size_t given = before == NULL ? 1 : before->outputs;
    /* The stage before it met the same two blocks. */
    if (l > 1 && l + 1 < net->stages && before == block &&
        net->stage[l - 2].block == net->stage[l].block)
        return F2L_OK;
    if (block->inputs != given)
        return f2l_fail(err, F2L_EDOMAIN, "stage %zu takes %zu wires but is given %zu", l + 1,
                        block->inputs, given);
    for (size_t i = 0; i < given; i++) {
        size_t size = before == NULL ? f2l_letter_kinds(&net->classes, &net->letters)
                                     : f2l_wired_wire_size(net, before, before->output[i]);
        if (size != block->input_size[i])
            return f2l_fail(err, F2L_EDOMAIN,
                            "stage %zu: input %zu has %zu values but is given %zu", l + 1, i + 1,
                            block->input_size[i], size);
    }
    if (l + 1 < net->stages) return F2L_OK;
    if (block->outputs != 1 ||
        f2l_wired_wire_size(net, block, block->output[0]) != net->labels.count)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the last stage does not give one wire with the %zu labels",
                        net->labels.count);
    return F2L_OK;
}

static f2l_status validate_stage(const f2l_net *net, size_t l, f2l_error *err)
{
    const f2l_wired_stage *stage = &net->stage[l];
    if (stage->block >= net->blocks)
        return f2l_fail(err, F2L_EDOMAIN, "stage %zu: block %zu is not one of %zu", l + 1,
                        stage->block + 1, net->blocks);
    const f2l_wired_block *block = &net->block[stage->block];
    if (stage->heads != block->heads)
        return f2l_fail(err, F2L_EDOMAIN, "stage %zu has %zu initial states for %zu heads", l + 1,
                        stage->heads, block->heads);
    for (size_t h = 0; h < stage->heads; h++) {
        if (!f2l_vector_fits(&stage->initial[h], block->head[h].head.n * block->head[h].head.d))
            return f2l_fail(err, F2L_EDOMAIN,
                            "stage %zu, head %zu: the initial state does not fit its "
                            "dimensions",
                            l + 1, h + 1);
    }
    return f2l_wired_check_joint(net, l, err);
}

f2l_status f2l_wired_validate(const f2l_net *net, f2l_error *err)
{
    if (net->letters.count == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no letters");
    f2l_status status =
        f2l_check_face(&net->letters, &net->classes, &net->labels, net->label, net->start, err);
    if (status != F2L_OK) return status;
    if (net->stages == 0) return f2l_fail(err, F2L_EDOMAIN, "the network has no stages");
    if (net->layers > 0)
        return f2l_fail(err, F2L_EDOMAIN, "the network has layers beside its stages");
    for (size_t t = 0; t < net->tables && status == F2L_OK; t++)
        status = validate_table(&net->table[t], t, err);
    for (size_t b = 0; b < net->blocks && status == F2L_OK; b++)
        status = validate_block(&(place){net, b, err});
    for (size_t l = 0; l < net->stages && status == F2L_OK; l++)
        status = validate_stage(net, l, err);
    return status;
}
