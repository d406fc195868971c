/* Reads the text form of a wired network (grammar in models/network/wired/wired_write.c). Each
 * check of f2l_wired_validate is made here as soon as its value is read, so that errors have a
 * position. */
#include "models/network/net/scan.h"
#include "models/network/net/wired.h"
#include "numeric/base/mem.h"

/* Least bytes, as in models/network/net/scan.h. */
enum {
    TABLE_BYTES = sizeof "table 1 inputs values 1 entries 1\n" - 1,
    BLOCK_BYTES = sizeof "block 1 inputs 1\npre 0\nheads 0\nreadouts 0\npost 0\noutputs 1\n" - 1,
    GATE_BYTES = sizeof "gate 1\n" - 1,
    SLOT_BYTES = sizeof "slot 1 wire 1\n" - 1 + F2L_SCAN_TRANSITION_BYTES,
    HEAD_BYTES = sizeof "head 1 key 1 value 1 slots 1\n" - 1 + SLOT_BYTES,
    CODE_BYTES = sizeof "code 1\n" - 1,
    READOUT_BYTES = sizeof "readout 1 head 1 rows 1 1 codes 1\n" - 1 + CODE_BYTES,
    STAGE_BYTES = sizeof "stage 1 block 1\n" - 1,
    INITIAL_BYTES = sizeof "initial\n" - 1,
    ITEM_BYTES = sizeof " 1" - 1 /* of a list on one line */
};

/* Returns a zeroed array whose length the rest of the file can hold; NULL with the failure
 * noted. */
static void *make_read_array(f2l_scan *s, size_t count, size_t size)
{
    void *array = f2l_calloc(count, size);
    if (array == NULL) (void)f2l_scan_passed(s, f2l_fail_memory(s->err));
    return array;
}

/* Reads the line "word number", a count. */
static bool read_heading(f2l_scan *s, size_t *out, const char *word, const char *what, size_t least,
                         size_t bytes)
{
    return f2l_scan_want(s, word) && f2l_scan_want(s, " ") &&
           f2l_scan_count(s, out, what, least, bytes) && f2l_scan_want(s, "\n");
}

/* Reads blank-led sizes of wires as long as there are any. *size, owned by the caller, is set also
 * on failure. */
static bool read_sizes(f2l_scan *s, size_t **size, size_t *count, const char *what)
{
    size_t capacity = 0;
    for (*count = 0; f2l_scan_at_number(s); (*count)++) {
        if (!f2l_grow((void **)size, &capacity, *count, sizeof **size))
            return f2l_scan_passed(s, f2l_fail_memory(s->err));
        if (!f2l_scan_want(s, " ") || !f2l_scan_size(s, &(*size)[*count], what, 1, F2L_WIRED_MOST))
            return false;
    }
    return true;
}

/* Reads the values after `entries`; the rest of the file must be able to hold the table. */
static bool read_values(f2l_scan *s, f2l_wired_table *table, const size_t *size, size_t inputs,
                        size_t values)
{
    size_t entries = 1, most = (s->size - s->at) / ITEM_BYTES;
    for (size_t i = 0; i < inputs; i++) {
        if (entries > most / size[i])
            return f2l_scan_fail(s, s->at,
                                 "the table has more entries than the rest of the file "
                                 "can hold");
        entries *= size[i];
    }
    f2l_error why = {0};
    f2l_status status = f2l_wired_table_set(table, inputs, size, values, &why);
    if (status == F2L_EDOMAIN) return f2l_scan_fail(s, s->at, "%s", why.text);
    if (status != F2L_OK) return f2l_scan_passed(s, f2l_fail_memory(s->err));
    for (size_t e = 0; e < entries; e++) {
        size_t value;
        if (!f2l_scan_want(s, " ") || !f2l_scan_size(s, &value, "the value", 1, values))
            return false;
        table->value[e] = (uint32_t)(value - 1);
    }
    return f2l_scan_want(s, "\n");
}

static bool read_wired_table(f2l_scan *s, f2l_wired_table *table, size_t t)
{
    size_t *size = NULL, inputs, values;
    if (!f2l_scan_want(s, "table ") || !f2l_scan_ordinal(s, "the table", t)) return false;
    bool good = f2l_scan_want(s, " inputs") &&
                read_sizes(s, &size, &inputs, "the size of the input") &&
                f2l_scan_want(s, " values ") &&
                f2l_scan_size(s, &values, "the number of values", 1, F2L_WIRED_MOST) &&
                f2l_scan_want(s, " entries") && read_values(s, table, size, inputs, values);
    f2l_free(size);
    return good;
}

/* Reads one wire of the block below `limit`, which has `values` values unless `values` is 0. */
static bool read_wire(f2l_scan *s, uint32_t *out, const f2l_net *net, const f2l_wired_block *block,
                      size_t limit, size_t values)
{
    size_t start = s->at, wire;
    if (!f2l_scan_size(s, &wire, "the wire", 1, limit)) return false;
    *out = (uint32_t)(wire - 1);
    if (values == 0 || f2l_wired_wire_size(net, block, wire - 1) == values) return true;
    return f2l_scan_fail(s, start, "wire %zu has %zu values, and the table wants %zu", wire,
                         f2l_wired_wire_size(net, block, wire - 1), values);
}

/* Reads the gate that gives wire `wire`. */
static bool read_gate(f2l_scan *s, f2l_wired_gate *gate, const f2l_net *net,
                      const f2l_wired_block *block, size_t wire)
{
    size_t start = s->at, table;
    if (!f2l_scan_want(s, "gate ") || !f2l_scan_size(s, &table, "the table", 1, net->tables))
        return false;
    const f2l_wired_table *look_up = &net->table[table - 1];
    if (look_up->inputs > (s->size - s->at) / ITEM_BYTES)
        return f2l_scan_fail(s, start,
                             "the gate reads more wires than the rest of the file can hold");
    gate->table = table - 1;
    gate->wire = make_read_array(s, look_up->inputs, sizeof *gate->wire);
    if (gate->wire == NULL) return false;
    for (size_t i = 0; i < look_up->inputs; i++) {
        if (!f2l_scan_want(s, " ")) return false;
        if (!read_wire(s, &gate->wire[i], net, block, wire, look_up->size[i])) return false;
    }
    return f2l_scan_want(s, "\n");
}

/* Reads the gates of one kind; *count is the block's number of them, `first` the wire of the first
 * one. */
static bool read_gates(f2l_scan *s, f2l_wired_gate **gate, size_t *count, const char *kind,
                       const f2l_net *net, const f2l_wired_block *block, size_t first)
{
    size_t gates;
    if (!read_heading(s, &gates, kind, "the number of gates", 0, GATE_BYTES)) return false;
    *gate = make_read_array(s, gates, sizeof **gate);
    if (*gate == NULL) return false;
    *count = gates;
    for (size_t g = 0; g < gates; g++) {
        if (!read_gate(s, &(*gate)[g], net, block, first + g)) return false;
    }
    return true;
}

static bool read_wired_slot(f2l_scan *s, f2l_wired_head *head, size_t *capacity, const f2l_net *net,
                            const f2l_wired_block *block, size_t j)
{
    uint32_t wire;
    if (!f2l_scan_want(s, "slot ") || !f2l_scan_ordinal(s, "the slot", j) ||
        !f2l_scan_want(s, " wire "))
        return false;
    size_t start = s->at;
    if (!read_wire(s, &wire, net, block, f2l_wired_slot_wires(block), 0)) return false;
    size_t values = f2l_wired_wire_size(net, block, wire);
    if (values > (s->size - s->at) / F2L_SCAN_TRANSITION_BYTES)
        return f2l_scan_fail(s, start,
                             "transitions for the %zu values of wire %zu are more than the rest of "
                             "the file can hold",
                             values, (size_t)wire + 1);
    if (!f2l_scan_want(s, "\n")) return false;
    if (!f2l_scan_passed(s, f2l_wired_head_add(head, capacity, wire, values, s->err))) return false;
    for (size_t x = 0; x < values; x++) {
        f2l_transition *transition = &head->head.letter[head->slot_at[j] + x];
        if (!f2l_scan_transition(s, &head->head, transition, false, "the value", x)) return false;
    }
    return true;
}

static bool read_wired_head(f2l_scan *s, f2l_wired_head *head, const f2l_net *net,
                            const f2l_wired_block *block, size_t h)
{
    size_t n, d, slots, capacity = 0;
    if (!f2l_scan_want(s, "head ") || !f2l_scan_ordinal(s, "the head", h) ||
        !f2l_scan_want(s, " key "))
        return false;
    if (!f2l_scan_size(s, &n, "the key dimension", 1, F2L_MAX_STATE) ||
        !f2l_scan_want(s, " value "))
        return false;
    if (!f2l_scan_size(s, &d, "the value dimension", 1, F2L_MAX_STATE / n) ||
        !f2l_scan_want(s, " slots "))
        return false;
    if (!f2l_scan_count(s, &slots, "the number of slots", 1, SLOT_BYTES) || !f2l_scan_want(s, "\n"))
        return false;
    if (!f2l_scan_passed(s, f2l_wired_head_begin(head, n, d, slots, s->err))) return false;
    for (size_t j = 0; j < slots; j++) {
        if (!read_wired_slot(s, head, &capacity, net, block, j)) return false;
    }
    return true;
}

static bool read_wired_heads(f2l_scan *s, const f2l_net *net, f2l_wired_block *block)
{
    size_t heads;
    if (!read_heading(s, &heads, "heads", "the number of heads", 0, HEAD_BYTES)) return false;
    block->head = make_read_array(s, heads, sizeof *block->head);
    if (block->head == NULL) return false;
    block->heads = heads;
    for (size_t h = 0; h < heads; h++) {
        if (!read_wired_head(s, &block->head[h], net, block, h)) return false;
    }
    return true;
}

static bool read_readout_codes(f2l_scan *s, f2l_wired_readout *readout, size_t d)
{
    size_t first_line = s->line;
    for (size_t c = 0; c < readout->codes; c++) {
        if (!f2l_scan_want(s, "code ") || !f2l_scan_ordinal(s, "the code", c)) return false;
        if (!f2l_scan_entries(s, &readout->code[c], readout->rows, d, 1) || !f2l_scan_want(s, "\n"))
            return false;
    }
    f2l_wired_view view;
    f2l_wired_view_set(&view, readout, d);
    return f2l_scan_codes_differ(s, &view.layer, first_line);
}

/* Reads readout r, which must begin at the given row of the given head. */
static bool read_readout(f2l_scan *s, f2l_wired_block *block, size_t r, size_t head, size_t row)
{
    size_t value, last, codes;
    if (!f2l_scan_want(s, "readout ") || !f2l_scan_ordinal(s, "the readout", r)) return false;
    if (head == block->heads) return f2l_scan_fail(s, s->at, "every row has a readout already");
    const f2l_head *shape = &block->head[head].head;
    if (!f2l_scan_want(s, " head ") || !f2l_scan_size(s, &value, "the head", head + 1, head + 1))
        return false;
    if (!f2l_scan_want(s, " rows ") || !f2l_scan_size(s, &value, "the first row", row + 1, row + 1))
        return false;
    if (!f2l_scan_want(s, " ") || !f2l_scan_size(s, &last, "the last row", row + 1, shape->n))
        return false;
    if (!f2l_scan_want(s, " codes ")) return false;
    size_t start = s->at;
    if (!f2l_scan_count(s, &codes, "the number of codes", 1, CODE_BYTES)) return false;
    if (codes > F2L_MAX_TABLE) return f2l_scan_fail(s, start, "%zu codes are too many", codes);
    if (!f2l_scan_want(s, "\n")) return false;
    f2l_wired_readout *readout = &block->readout[r];
    if (!f2l_scan_passed(s, f2l_wired_readout_set(readout, head, row, last - row, codes, s->err)))
        return false;
    return read_readout_codes(s, readout, shape->d);
}

static bool read_wired_readouts(f2l_scan *s, f2l_wired_block *block)
{
    size_t readouts, head = 0, row = 0;
    if (!read_heading(s, &readouts, "readouts", "the number of readouts", block->heads,
                      READOUT_BYTES))
        return false;
    block->readout = make_read_array(s, readouts, sizeof *block->readout);
    if (block->readout == NULL) return false;
    block->readouts = readouts;
    for (size_t r = 0; r < readouts; r++) {
        if (!read_readout(s, block, r, head, row)) return false;
        row += block->readout[r].rows;
        if (row < block->head[head].head.n) continue;
        head++;
        row = 0;
    }
    if (head == block->heads) return true;
    return f2l_scan_fail(s, s->at, "row %zu of head %zu has no readout", row + 1, head + 1);
}

static bool read_outputs(f2l_scan *s, const f2l_net *net, f2l_wired_block *block)
{
    size_t capacity = 0;
    if (!f2l_scan_want(s, "outputs")) return false;
    do {
        if (!f2l_grow((void **)&block->output, &capacity, block->outputs, sizeof *block->output))
            return f2l_scan_passed(s, f2l_fail_memory(s->err));
        if (!f2l_scan_want(s, " ")) return false;
        if (!read_wire(s, &block->output[block->outputs], net, block, f2l_wired_wires(block), 0))
            return false;
        block->outputs++;
    } while (f2l_scan_next_is(s, " "));
    return f2l_scan_want(s, "\n");
}

static bool read_wired_block(f2l_scan *s, const f2l_net *net, f2l_wired_block *block, size_t b)
{
    if (!f2l_scan_want(s, "block ") || !f2l_scan_ordinal(s, "the block", b) ||
        !f2l_scan_want(s, " inputs"))
        return false;
    if (!read_sizes(s, &block->input_size, &block->inputs, "the size of the input")) return false;
    if (block->inputs == 0) return f2l_scan_fail(s, s->at, "a block has at least one input");
    if (!f2l_scan_want(s, "\n")) return false;
    if (!read_gates(s, &block->pre, &block->pres, "pre", net, block, block->inputs)) return false;
    if (!read_wired_heads(s, net, block) || !read_wired_readouts(s, block)) return false;
    if (!read_gates(s, &block->post, &block->posts, "post", net, block,
                    f2l_wired_first_post(block)))
        return false;
    if (f2l_wired_wires(block) > F2L_WIRED_MOST)
        return f2l_scan_fail(s, s->at, "the block has too many wires");
    return read_outputs(s, net, block);
}

static bool read_stage(f2l_scan *s, f2l_net *net, size_t l)
{
    size_t number;
    f2l_error why = {0};
    if (!f2l_scan_want(s, "stage ") || !f2l_scan_ordinal(s, "the stage", l) ||
        !f2l_scan_want(s, " block "))
        return false;
    size_t start = s->at;
    if (!f2l_scan_size(s, &number, "the block", 1, net->blocks)) return false;
    const f2l_wired_block *block = &net->block[number - 1];
    if (block->heads > (s->size - s->at) / INITIAL_BYTES)
        return f2l_scan_fail(s, start,
                             "block %zu has more heads than the rest of the file can hold", number);
    if (!f2l_scan_passed(s, f2l_wired_stage_set(net, l, number - 1, s->err))) return false;
    if (f2l_wired_check_joint(net, l, &why) != F2L_OK)
        return f2l_scan_fail(s, start, "%s", why.text);
    if (!f2l_scan_want(s, "\n")) return false;
    for (size_t h = 0; h < block->heads; h++) {
        const f2l_head *shape = &block->head[h].head;
        if (!f2l_scan_want(s, "initial")) return false;
        if (!f2l_scan_entries(s, &net->stage[l].initial[h], shape->n, shape->d, 1)) return false;
        if (!f2l_scan_want(s, "\n")) return false;
    }
    return true;
}

static bool read_preamble(f2l_scan *s, f2l_net *net)
{
    if (!f2l_scan_version(s, "lrnn-wired") || !f2l_scan_sha256(s, net->fsa_sha256)) return false;
    if (!f2l_scan_label_kind(s, &net->label)) return false;
    if (!f2l_scan_names(s, &net->letters, "letters ", "letter ", "letter")) return false;
    return f2l_scan_letter_classes(s, &net->classes, net->letters.count) &&
           f2l_scan_names(s, &net->labels, "labels ", "symbol ", "symbol") &&
           f2l_scan_start(s, &net->start, net->label, net->labels.count);
}

static bool read_wired_net(f2l_scan *s, f2l_net *net)
{
    size_t tables, blocks, stages;
    if (!read_preamble(s, net)) return false;
    if (!read_heading(s, &tables, "tables", "the number of tables", 0, TABLE_BYTES)) return false;
    if (!f2l_scan_passed(s, f2l_wired_set_tables(net, tables, s->err))) return false;
    for (size_t t = 0; t < tables; t++) {
        if (!read_wired_table(s, &net->table[t], t)) return false;
    }
    if (!read_heading(s, &blocks, "blocks", "the number of blocks", 1, BLOCK_BYTES)) return false;
    if (!f2l_scan_passed(s, f2l_wired_set_blocks(net, blocks, s->err))) return false;
    for (size_t b = 0; b < blocks; b++) {
        if (!read_wired_block(s, net, &net->block[b], b)) return false;
    }
    if (!read_heading(s, &stages, "stages", "the number of stages", 1, STAGE_BYTES)) return false;
    if (!f2l_scan_passed(s, f2l_wired_stages_begin(net, stages, s->err))) return false;
    for (size_t l = 0; l < stages; l++) {
        if (!read_stage(s, net, l)) return false;
    }
    return f2l_scan_end(s);
}

f2l_status f2l_wired_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    f2l_scan s;
    f2l_scan_init(&s, bytes, size, err);
    if (!read_wired_net(&s, out)) f2l_net_clear(out);
    f2l_scan_clear(&s);
    return s.status;
}
