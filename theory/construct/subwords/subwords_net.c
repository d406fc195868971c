/* The wired network: a stage for each length, a head for each word. A head holds whether its word
 * is a subword of what was read. The head of a word that a longer one repeats the last letter of
 * tells also whether it was so before the last letter. */
#include "numeric/base/mem.h"
#include "theory/construct/subwords/impl.h"
#include <string.h>

#define ONE_ROW 1   /* of a head: 0, or 1 once the word was read */
#define TWO_PAIRS 4 /* equal pairs of rows: the same, and 1 where the last letter completed it */

typedef struct builder {
    f2l_net *net;
    const f2l_subwords *subwords;
    const f2l_fsa *fsa;
    f2l_subwords_tree tree;
    size_t gate_table[F2L_SUBWORDS_MOST], ask_table[F2L_SUBWORDS_MOST];
    size_t tables;
    f2l_meter meter;
} builder;

/* The words of one length, and the wires of their stage. */
typedef struct stage {
    size_t first, words;  /* words first .. first + words - 1 */
    size_t before, given; /* words of the stage before; how many of them are inputs */
    bool node;            /* an input: the node of the first word */
    size_t asked;         /* of the words: gates after the heads */
    size_t handed;        /* of the words: outputs */
} stage;

static bool is_asked(const builder *b, size_t w)
{
    return b->tree.child[w] != NULL;
}

/* Returns the number of codes of the word's head. */
static size_t codes_of(const builder *b, size_t w)
{
    return b->subwords->word[w].twice ? 3 : 2;
}

static size_t parent_codes(const builder *b, size_t w)
{
    const uint32_t parent = b->subwords->word[w].parent;
    return parent == F2L_SUBWORDS_NONE ? 1 : codes_of(b, parent);
}

/* Returns whether the code of a head says that the word was read before the last letter. It may say
 * so of a word that was completed by this letter, where no longer word repeats the letter. */
static bool was_read(size_t codes, size_t code)
{
    return codes == 1 || code + 1 == codes;
}

/* --- tables --- */

/* Makes the table of the gate before the head of word w: whether a letter and the parent's code
 * complete the word. Words with equal tables have one. */
static f2l_status make_gate(builder *b, f2l_wired_table *table, size_t w, f2l_error *err)
{
    const size_t codes = parent_codes(b, w), size[] = {b->fsa->letters.count, codes};
    const uint32_t letter = b->subwords->word[w].letter;
    for (size_t v = 0; v < w; v++)
        if (b->subwords->word[v].letter == letter && parent_codes(b, v) == codes) {
            b->gate_table[w] = b->gate_table[v];
            return F2L_OK;
        }
    f2l_status status = f2l_wired_table_set(&table[b->tables], codes > 1 ? 2 : 1, size, 2, err);
    for (size_t c = 0; status == F2L_OK && c < codes; c++)
        table[b->tables].value[letter * codes + c] = was_read(codes, c);
    b->gate_table[w] = b->tables++;
    return status;
}

/* Makes the table of the gate after the heads that asks for word w. */
static f2l_status make_question(builder *b, f2l_wired_table *table, size_t w, f2l_error *err)
{
    const size_t nodes = b->tree.nodes[w], codes = codes_of(b, w);
    const size_t size[] = {nodes, codes};
    f2l_wired_table *own = &table[b->tables];
    f2l_status status = nodes > 1 ? f2l_wired_table_set(own, 2, size, b->tree.nodes[w + 1], err)
                                  : f2l_wired_table_set(own, 1, &codes, b->tree.nodes[w + 1], err);
    for (size_t n = 0; status == F2L_OK && n < nodes; n++)
        for (size_t c = 0; c < codes; c++)
            own->value[n * codes + c] = b->tree.child[w][2 * n + (c > 0)];
    b->ask_table[w] = b->tables++;
    return status;
}

static f2l_status make_tables(builder *b, f2l_error *err)
{
    const size_t words = b->subwords->words;
    f2l_status status = f2l_wired_set_tables(b->net, 2 * words, err);
    for (size_t w = 0; status == F2L_OK && w < words; w++) {
        status = f2l_meter_spend(&b->meter, 200 + 3 * (b->fsa->letters.count + b->tree.nodes[w]),
                                 (double)w, (double)words, err);
        if (status == F2L_OK) status = make_gate(b, b->net->table, w, err);
        if (status == F2L_OK && is_asked(b, w)) status = make_question(b, b->net->table, w, err);
    }
    b->net->tables = b->tables; /* the rest is empty */
    return status;
}

/* --- heads --- */

/* Writes value / 1 into `count` rows, one factor each. */
static f2l_status write_rows(f2l_factor *factor, uint32_t row, size_t count, long value,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        mpq_set_ui(factor[i].beta, 1, 1);
        status = f2l_qvec_push_si(&factor[i].u, row + (uint32_t)i, 1, 1, err);
        if (status == F2L_OK) status = f2l_qvec_push_si(&factor[i].c, 0, value, 1, err);
    }
    return status;
}

/* From rows (x, x, 0, 0) makes (1, 1, 1 - x, 1 - x). */
static f2l_status complete_pairs(f2l_factor *factor, f2l_error *err)
{
    f2l_status status = f2l_qvec_push_si(&factor->c, 0, 2, 1, err);
    mpq_set_ui(factor->beta, 2, 1);
    for (uint32_t i = 0; status == F2L_OK && i < TWO_PAIRS; i++)
        status = f2l_qvec_push_si(&factor->u, i, 1, 1, err);
    return status;
}

/* Fills the head's transitions: value 0 of its wire keeps, value 1 completes the word. */
static f2l_status fill_transitions(f2l_wired_head *head, bool twice, f2l_error *err)
{
    f2l_transition *keep = &head->head.letter[0], *complete = &head->head.letter[1];
    f2l_status status = f2l_transition_set_factors(complete, twice ? 3 : 1, err);
    if (status != F2L_OK || !twice)
        return status == F2L_OK ? write_rows(complete->factor, 0, 1, 1, err) : status;
    status = f2l_transition_set_factors(keep, 2, err);
    if (status == F2L_OK) status = write_rows(keep->factor, 2, 2, 0, err);
    if (status == F2L_OK) status = write_rows(complete->factor, 2, 2, 0, err);
    return status == F2L_OK ? complete_pairs(&complete->factor[2], err) : status;
}

/* Fills the codes: not read; completed by the last letter, where this is told; read. */
static f2l_status fill_codes(f2l_wired_readout *readout, bool twice, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t c = 1; c < readout->codes; c++) {
        const uint32_t ones = !twice ? ONE_ROW : c == 1 ? TWO_PAIRS : TWO_PAIRS / 2;
        for (uint32_t i = 0; status == F2L_OK && i < ones; i++)
            status = f2l_qvec_push_si(&readout->code[c], i, 1, 1, err);
    }
    return status;
}

static f2l_status add_head(builder *b, f2l_wired_block *block, const stage *s, size_t i,
                           f2l_error *err)
{
    const bool twice = b->subwords->word[s->first + i].twice;
    const size_t rows = twice ? TWO_PAIRS : ONE_ROW, values = 2;
    const uint32_t wire = (uint32_t)(block->inputs + i);
    f2l_status status = f2l_wired_head_set(&block->head[i], rows, 1, 1, &wire, &values, err);
    if (status == F2L_OK) status = fill_transitions(&block->head[i], twice, err);
    if (status == F2L_OK)
        status =
            f2l_wired_readout_set(&block->readout[i], i, 0, rows, codes_of(b, s->first + i), err);
    return status == F2L_OK ? fill_codes(&block->readout[i], twice, err) : status;
}

/* --- stages --- */

static stage stage_of(const builder *b, size_t first)
{
    const f2l_subwords *s = b->subwords;
    stage out = {.first = first, .node = b->tree.nodes[first] > 1};
    while (first + out.words < s->words &&
           s->word[first + out.words].length == s->word[first].length) {
        out.asked += is_asked(b, first + out.words);
        out.handed += s->word[first + out.words].read;
        out.words++;
    }
    while (out.before < first &&
           s->word[first - out.before - 1].length + 1 == s->word[first].length) {
        out.before++;
        out.given += s->word[first - out.before].read;
    }
    return out;
}

/* Returns the input with the code of a word of the stage before. */
static uint32_t input_of(const builder *b, const stage *s, size_t word)
{
    uint32_t at = 1 + s->node;
    for (size_t w = s->first - s->before; w < word; w++) at += b->subwords->word[w].read;
    return at;
}

static f2l_status set_inputs(builder *b, f2l_wired_block *block, const stage *s, f2l_error *err)
{
    size_t size[2 + F2L_SUBWORDS_MOST] = {b->fsa->letters.count}, inputs = 1;
    if (s->node) size[inputs++] = b->tree.nodes[s->first];
    for (size_t w = s->first - s->before; w < s->first; w++)
        if (b->subwords->word[w].read) size[inputs++] = codes_of(b, w);
    return f2l_wired_block_set_inputs(block, inputs, size, err);
}

static f2l_status add_gates(builder *b, f2l_wired_block *block, const stage *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < s->words; i++) {
        const size_t w = s->first + i;
        const uint32_t parent = b->subwords->word[w].parent;
        const bool root = parent == F2L_SUBWORDS_NONE;
        const uint32_t wire[] = {0, root ? 0 : input_of(b, s, parent)};
        status = f2l_wired_gate_set(&block->pre[i], b->gate_table[w], root ? 1 : 2, wire, err);
    }
    return status;
}

/* Adds the questions about the words; *node is the wire of the last answer. */
static f2l_status add_questions(uint32_t *node, builder *b, f2l_wired_block *block, const stage *s,
                                f2l_error *err)
{
    const size_t readouts = block->inputs + s->words, posts = readouts + s->words;
    size_t at = 0;
    f2l_status status = F2L_OK;
    *node = 1;
    for (size_t i = 0; status == F2L_OK && i < s->words; i++) {
        const size_t w = s->first + i;
        const uint32_t code = (uint32_t)(readouts + i), both[] = {*node, code};
        const bool root = b->tree.nodes[w] == 1;
        if (!is_asked(b, w)) continue;
        status = f2l_wired_gate_set(&block->post[at], b->ask_table[w], root ? 1 : 2,
                                    root ? &code : both, err);
        *node = (uint32_t)(posts + at++);
    }
    return status;
}

/* Makes the stage; a later one reads the letter, the node, and the codes of words that have a
 * longer one, in this order. */
static f2l_status write_stage(builder *b, size_t number, const stage *s, bool last, f2l_error *err)
{
    f2l_wired_block *block = &b->net->block[number];
    const bool node = !last && b->tree.nodes[s->first + s->words] > 1;
    const size_t outputs = last ? 1 : 1 + node + s->handed;
    size_t at = 0;
    uint32_t answer = 0;
    f2l_status status = set_inputs(b, block, s, err);
    if (status == F2L_OK)
        status = f2l_wired_block_set(block, s->words, s->words, s->words, s->asked, outputs, err);
    if (status == F2L_OK) status = add_gates(b, block, s, err);
    for (size_t i = 0; status == F2L_OK && i < s->words; i++)
        status = add_head(b, block, s, i, err);
    if (status == F2L_OK) status = add_questions(&answer, b, block, s, err);
    if (status != F2L_OK) return status;
    if (!last) block->output[at++] = 0;
    if (last || node) block->output[at++] = answer;
    for (size_t i = 0; !last && i < s->words; i++)
        if (b->subwords->word[s->first + i].read)
            block->output[at++] = (uint32_t)(block->inputs + s->words + i);
    return F2L_OK;
}

static f2l_status write_stages(builder *b, f2l_error *err)
{
    const f2l_subwords *s = b->subwords;
    const size_t stages = s->word[s->words - 1].length;
    size_t block_of[F2L_SUBWORDS_MOST];
    f2l_status status = f2l_wired_set_blocks(b->net, stages, err);
    for (size_t l = 0, first = 0; status == F2L_OK && l < stages; l++) {
        const stage one = stage_of(b, first);
        status = write_stage(b, l, &one, l + 1 == stages, err);
        first += one.words;
        block_of[l] = l;
    }
    return status == F2L_OK ? f2l_wired_set_stages(b->net, stages, block_of, err) : status;
}

/* Adds the labels in the order of subwords->label_of. */
static f2l_status add_labels(builder *b, f2l_label label, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < b->fsa->states.count; q++) {
        const char *text = f2l_fsa_label(b->fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&b->net->labels, text, strlen(text), &index, err);
    }
    b->net->start = b->subwords->label_of[b->fsa->start];
    return status;
}

f2l_status f2l_subwords_build(f2l_net *out, const f2l_subwords *subwords, const f2l_fsa *fsa,
                              f2l_label label, const f2l_task *task, f2l_error *err)
{
    builder b = {
        .net = out, .subwords = subwords, .fsa = fsa, .meter = {.task = task, .phase = "subwords"}};
    f2l_net_clear(out);
    out->label = label;
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = add_labels(&b, label, err);
    if (status == F2L_OK)
        status = f2l_subwords_ask(&b.tree, subwords, out->labels.count, &b.meter, err);
    if (status == F2L_OK) status = make_tables(&b, err);
    if (status == F2L_OK) status = write_stages(&b, err);
    f2l_subwords_tree_clear(&b.tree);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
