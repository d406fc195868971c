/* The text form of a wired network, network.lrnn: lines of tokens separated by single blanks, every
 * line ended by LF, no comments, no blank lines, one spelling per value, all numbering 1-based.
 *
 *     lrnn-wired 2
 *     fsa SHA256                                  of the bytes of automaton.fsa
 *     label states|outputs|accept
 *     letters K
 *     letter NAME                                 K lines, the automaton's order
 *     labels M
 *     symbol NAME                                 M lines
 *     start I                                     label of the empty word
 *     tables T
 *     table t inputs S .. values V entries v ..   t = 1..T: sizes of the inputs, perhaps none; the
 *                                                 number of values; one per tuple of inputs, the
 *                                                 last input fastest
 *     blocks B
 *     block b inputs S ..                         b = 1..B: sizes of the inputs, each followed by:
 *       pre P
 *       gate t w ..                               P lines: a table and the wires that it reads
 *       heads H
 *       head h key n value d slots J              h = 1..H, each followed by:
 *         slot j wire w                           j = 1..J, each followed by:
 *           on x gate G factors F                 x = 1.. for every value of w, each followed by F
 *                                                 lines:
 *             factor BETA u I:V .. [c J:V ..]     " c .." only when c is not zero
 *       readouts R
 *       readout r head h rows A B codes C         r = 1..R: rows A to B, each followed by:
 *         code i R.C:V ..                         i = 1..C; R counts from 1 within the readout
 *       post P
 *       gate t w ..                               P lines
 *       outputs w ..
 *     stages L
 *     stage l block b                             l = 1..L, each followed by:
 *       initial R.C:V ..                          a line for every head of the block
 *     end
 *
 * (Indentation here shows nesting; the file has none.) Wires are numbered within their block:
 * inputs, pre gates, readouts, post gates. NAME is spelled as in `.fsa` files. V, G and BETA are
 * rationals in lowest terms: "0", "-3", "5/2". */
#include "models/network/net/net_text.h"
#include "models/network/net/wired.h"

/* Appends " word" and the numbers. */
static void write_sizes(f2l_buf *out, const char *word, const size_t *size, size_t count)
{
    f2l_buf_text(out, " ");
    f2l_buf_text(out, word);
    for (size_t i = 0; i < count; i++) {
        f2l_buf_text(out, " ");
        f2l_buf_size(out, size[i]);
    }
}

static void write_ordinals(f2l_buf *out, const uint32_t *ordinal, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        f2l_buf_text(out, " ");
        f2l_buf_size(out, (size_t)ordinal[i] + 1);
    }
}

/* Appends the line "word number". */
static void write_heading(f2l_buf *out, const char *word, size_t number)
{
    f2l_buf_printf(out, "%s %zu\n", word, number);
}

static void write_table(f2l_buf *out, const f2l_wired_table *table, size_t t)
{
    f2l_buf_printf(out, "table %zu", t + 1);
    write_sizes(out, "inputs", table->size, table->inputs);
    f2l_buf_printf(out, " values %zu entries", table->values);
    write_ordinals(out, table->value, table->entries);
    f2l_buf_text(out, "\n");
}

static void write_gates(f2l_buf *out, const char *kind, const f2l_net *net,
                        const f2l_wired_gate *gate, size_t gates)
{
    write_heading(out, kind, gates);
    for (size_t g = 0; g < gates; g++) {
        f2l_buf_text(out, "gate ");
        f2l_buf_size(out, gate[g].table + 1);
        write_ordinals(out, gate[g].wire, net->table[gate[g].table].inputs);
        f2l_buf_text(out, "\n");
    }
}

static void write_wired_head(f2l_buf *out, const f2l_wired_head *head, size_t h)
{
    f2l_buf_printf(out, "head %zu key %zu value %zu slots %zu\n", h + 1, head->head.n, head->head.d,
                   head->slots);
    for (size_t j = 0; j < head->slots; j++) {
        f2l_buf_printf(out, "slot %zu wire %zu\n", j + 1, (size_t)head->wire[j] + 1);
        for (size_t x = head->slot_at[j]; x < head->slot_at[j + 1]; x++)
            f2l_put_transition(out, &head->head, &head->head.letter[x], x - head->slot_at[j]);
    }
}

static void write_readout(f2l_buf *out, const f2l_wired_readout *readout, size_t r, size_t d)
{
    f2l_buf_printf(out, "readout %zu head %zu rows %zu %zu codes %zu\n", r + 1, readout->head + 1,
                   readout->row + 1, readout->row + readout->rows, readout->codes);
    for (size_t c = 0; c < readout->codes; c++) {
        f2l_buf_text(out, "code ");
        f2l_buf_size(out, c + 1);
        f2l_put_state(out, &readout->code[c], d, 1);
        f2l_buf_text(out, "\n");
    }
}

static void write_block(f2l_buf *out, const f2l_net *net, size_t b)
{
    const f2l_wired_block *block = &net->block[b];
    f2l_buf_printf(out, "block %zu", b + 1);
    write_sizes(out, "inputs", block->input_size, block->inputs);
    f2l_buf_text(out, "\n");
    write_gates(out, "pre", net, block->pre, block->pres);
    write_heading(out, "heads", block->heads);
    for (size_t h = 0; h < block->heads; h++) write_wired_head(out, &block->head[h], h);
    write_heading(out, "readouts", block->readouts);
    for (size_t r = 0; r < block->readouts; r++)
        write_readout(out, &block->readout[r], r, block->head[block->readout[r].head].head.d);
    write_gates(out, "post", net, block->post, block->posts);
    f2l_buf_text(out, "outputs");
    write_ordinals(out, block->output, block->outputs);
    f2l_buf_text(out, "\n");
}

static void write_stage(f2l_buf *out, const f2l_net *net, size_t l)
{
    const f2l_wired_stage *stage = &net->stage[l];
    f2l_buf_printf(out, "stage %zu block %zu\n", l + 1, stage->block + 1);
    for (size_t h = 0; h < stage->heads; h++) {
        f2l_buf_text(out, "initial");
        f2l_put_state(out, &stage->initial[h], net->block[stage->block].head[h].head.d, 1);
        f2l_buf_text(out, "\n");
    }
}

f2l_status f2l_wired_write(f2l_buf *out, const f2l_net *net, f2l_error *err)
{
    f2l_status status = f2l_wired_validate(net, err);
    if (status == F2L_OK) status = f2l_check_sha256(net->fsa_sha256, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out,
                   "lrnn-wired 2\n"
                   "fsa %s\n"
                   "label %s\n",
                   net->fsa_sha256, f2l_label_name(net->label));
    f2l_put_names(out, "letters", "letter", &net->letters);
    f2l_put_letter_classes(out, &net->classes, net->letters.count);
    f2l_put_names(out, "labels", "symbol", &net->labels);
    f2l_put_start(out, net->start);
    write_heading(out, "tables", net->tables);
    for (size_t t = 0; t < net->tables; t++) write_table(out, &net->table[t], t);
    write_heading(out, "blocks", net->blocks);
    for (size_t b = 0; b < net->blocks; b++) write_block(out, net, b);
    write_heading(out, "stages", net->stages);
    for (size_t l = 0; l < net->stages; l++) write_stage(out, net, l);
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
