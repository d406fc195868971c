/* The label as a function of the words: a decision diagram with the words in their order. */
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include "theory/construct/subwords/impl.h"
#include <string.h>

typedef struct asker {
    f2l_subwords_tree *out;
    const f2l_subwords *subwords;
    f2l_meter *meter;
    uint32_t *node;  /* [contents] the node of word w + 1 that the content leads to */
    uint32_t *group; /* [contents] contents that agree on the words before w */
    uint32_t *child; /* [contents][2] of each group; UINT32_MAX: no content answers so */
} asker;

void f2l_subwords_tree_clear(f2l_subwords_tree *tree)
{
    for (size_t w = 0; w < F2L_SUBWORDS_MOST; w++) f2l_free(tree->child[w]);
    *tree = (f2l_subwords_tree){0};
}

/* Groups the contents by the words before w, and notes where the answers lead. */
static f2l_status group_contents(size_t *groups, const asker *a, size_t w, f2l_error *err)
{
    const f2l_subwords *s = a->subwords;
    const uint64_t before = ((uint64_t)1 << w) - 1;
    f2l_rowset known;
    f2l_rowset_init(&known);
    f2l_status status = F2L_OK;
    memset(a->child, 0xff, 2 * s->contents * sizeof *a->child);
    for (size_t i = 0; status == F2L_OK && i < s->contents; i++) {
        const uint64_t held = s->held[i] & before;
        const uint32_t row[] = {(uint32_t)held, (uint32_t)(held >> 32)};
        size_t at;
        status = f2l_rowset_add(&known, row, 2, &at, err);
        if (status != F2L_OK) break;
        a->group[i] = (uint32_t)at;
        a->child[2 * at + (s->held[i] >> w & 1)] = a->node[i];
    }
    *groups = known.count;
    f2l_rowset_clear(&known);
    return status;
}

/* Lets an answer that no content gives lead where the other one does. *asked: some answers
 * differ. */
static void fill_children(bool *asked, const asker *a, size_t groups)
{
    *asked = false;
    for (size_t g = 0; g < groups; g++) {
        uint32_t *child = &a->child[2 * g];
        if (child[0] == UINT32_MAX) child[0] = child[1];
        if (child[1] == UINT32_MAX) child[1] = child[0];
        *asked = *asked || child[0] != child[1];
    }
}

/* Numbers the nodes of word w: groups with equal answers are one node. */
static f2l_status number_nodes(const asker *a, size_t w, size_t groups, f2l_error *err)
{
    f2l_rowset nodes;
    f2l_rowset_init(&nodes);
    uint32_t *of_group = f2l_calloc(groups, sizeof *of_group);
    f2l_status status = of_group ? F2L_OK : f2l_fail_memory(err);
    for (size_t g = 0; status == F2L_OK && g < groups; g++) {
        size_t at;
        status = f2l_rowset_add(&nodes, &a->child[2 * g], 2, &at, err);
        of_group[g] = (uint32_t)at;
    }
    if (status == F2L_OK) {
        uint32_t *child = a->out->child[w] = f2l_calloc(nodes.count, 2 * sizeof *child);
        if (!child) status = f2l_fail_memory(err);
        for (size_t n = 0; child && n < nodes.count; n++)
            memcpy(&child[2 * n], f2l_rowset_get(&nodes, n, NULL), 2 * sizeof *child);
        a->out->nodes[w] = nodes.count;
        for (size_t i = 0; i < a->subwords->contents; i++) a->node[i] = of_group[a->group[i]];
    }
    f2l_free(of_group);
    f2l_rowset_clear(&nodes);
    return status;
}

static f2l_status ask_word(const asker *a, size_t w, f2l_error *err)
{
    size_t groups;
    bool asked;
    f2l_status status = f2l_meter_spend(a->meter, 100 * a->subwords->contents, 0, 0, err);
    if (status == F2L_OK) status = group_contents(&groups, a, w, err);
    if (status != F2L_OK) return status;
    fill_children(&asked, a, groups);
    a->out->nodes[w] = a->out->nodes[w + 1];
    return asked ? number_nodes(a, w, groups, err) : F2L_OK;
}

f2l_status f2l_subwords_ask(f2l_subwords_tree *out, const f2l_subwords *subwords, size_t labels,
                            f2l_meter *meter, f2l_error *err)
{
    const size_t contents = subwords->contents;
    const asker a = {out,
                     subwords,
                     meter,
                     f2l_calloc(contents, sizeof *a.node),
                     f2l_calloc(contents, sizeof *a.group),
                     f2l_calloc(contents, 2 * sizeof *a.child)};
    f2l_subwords_tree_clear(out);
    f2l_status status = a.node && a.group && a.child ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) memcpy(a.node, subwords->label, contents * sizeof *a.node);
    out->nodes[subwords->words] = labels;
    for (size_t w = subwords->words; status == F2L_OK && w-- > 0;) status = ask_word(&a, w, err);
    f2l_free(a.node);
    f2l_free(a.group);
    f2l_free(a.child);
    return status;
}
