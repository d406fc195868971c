#include "automata/algebra/moore.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_TRANSITIONS ((size_t)1 << 22)

typedef struct builder {
    const f2l_fsa *mealy;
    const f2l_task *task;
    f2l_rowset pairs; /* rows (state, output) */
    f2l_fsa fsa;      /* the machine on the pairs */
    size_t start;
} builder;

/* Adds the pairs that the letters lead `state` to. */
static f2l_status add_followers(builder *b, size_t state, f2l_error *err)
{
    const size_t letters = b->mealy->letters.count;
    f2l_status status = F2L_OK;
    for (size_t e = state * letters; e < (state + 1) * letters && status == F2L_OK; e++) {
        const uint32_t pair[2] = {b->mealy->next[e], b->mealy->edge_output[e]};
        size_t index;
        status = f2l_rowset_add(&b->pairs, pair, 2, &index, err);
    }
    if (status == F2L_OK && b->pairs.count > MAX_TRANSITIONS / letters)
        return f2l_fail(err, F2L_UNKNOWN, "the Moore machine has more than %zu transitions",
                        MAX_TRANSITIONS);
    return status == F2L_OK ? f2l_task_spend(b->task, "outputs of transitions", letters, err)
                            : status;
}

/* Finds the pairs that words other than the empty one lead to, and then the start: the first such
 * pair with the Mealy machine's start, or a new one. */
static f2l_status find_followed_pairs(builder *b, f2l_error *err)
{
    const uint32_t q0 = (uint32_t)b->mealy->start;
    f2l_status status = add_followers(b, q0, err);
    b->start = SIZE_MAX;
    for (size_t p = 0; p < b->pairs.count && status == F2L_OK; p++) {
        const uint32_t q = f2l_rowset_get(&b->pairs, p, NULL)[0];
        if (q == q0 && b->start == SIZE_MAX) b->start = p;
        status = add_followers(b, q, err);
    }
    if (status != F2L_OK || b->start != SIZE_MAX) return status;
    const uint32_t first[2] = {q0, b->mealy->edge_output[0]};
    return f2l_rowset_add(&b->pairs, first, 2, &b->start, err);
}

static f2l_status add_state_name(builder *b, const uint32_t *pair, f2l_error *err)
{
    size_t index;
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, f2l_names_get(&b->mealy->states, pair[0]));
    f2l_buf_text(&name, "/");
    f2l_buf_text(&name, f2l_names_get(&b->mealy->edge_outputs, pair[1]));
    while (!name.failed && f2l_names_find(&b->fsa.states, name.data, name.size) != F2L_NO_INDEX)
        f2l_buf_text(&name, "'");
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = f2l_names_add(&b->fsa.states, name.data, name.size, &index, err);
    f2l_buf_clear(&name);
    return status;
}

/* Makes the Moore machine on the pairs. */
static f2l_status make_machine(builder *b, f2l_error *err)
{
    const size_t letters = b->mealy->letters.count, pairs = b->pairs.count;
    f2l_fsa *fsa = &b->fsa;
    fsa->start = b->start;
    fsa->accept = f2l_calloc(pairs, 1);
    fsa->output = f2l_calloc(pairs, sizeof *fsa->output);
    if (!fsa->accept || !fsa->output) return f2l_fail_memory(err);
    f2l_status status = f2l_fsa_table(&fsa->next, pairs, letters, b->task, err);
    if (status == F2L_OK) status = f2l_names_copy(&fsa->letters, &b->mealy->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&fsa->outputs, &b->mealy->edge_outputs, err);
    for (size_t p = 0; p < pairs && status == F2L_OK; p++) {
        const uint32_t *pair = f2l_rowset_get(&b->pairs, p, NULL);
        status = add_state_name(b, pair, err);
        fsa->output[p] = pair[1];
        for (size_t a = 0; a < letters; a++) {
            const size_t e = pair[0] * letters + a;
            const uint32_t to[2] = {b->mealy->next[e], b->mealy->edge_output[e]};
            size_t index = 0;
            if (status == F2L_OK) status = f2l_rowset_add(&b->pairs, to, 2, &index, err);
            fsa->next[p * letters + a] = (uint32_t)index;
        }
    }
    return status == F2L_OK ? f2l_fsa_number_outputs(fsa, err) : status;
}

/* Returns whether some transition leads to the start. */
static bool start_is_entered(const f2l_fsa *fsa)
{
    for (size_t e = 0; e < fsa->states.count * fsa->letters.count; e++)
        if (fsa->next[e] == fsa->start) return true;
    return false;
}

/* Moves the start to another state from which all letters lead where they lead from the start: the
 * start's own output is read after the empty word only, so that any output serves. */
static f2l_status merge_start(f2l_fsa *fsa, f2l_error *err)
{
    const size_t letters = fsa->letters.count, old = fsa->start;
    const uint32_t *row = fsa->next + old * letters;
    size_t same = 0, dropped;
    if (start_is_entered(fsa)) return F2L_OK;
    while (same < fsa->states.count &&
           (same == old || memcmp(fsa->next + same * letters, row, letters * sizeof *row) != 0))
        same++;
    if (same == fsa->states.count) return F2L_OK;
    fsa->start = same;
    return f2l_fsa_trim(fsa, &dropped, err);
}

f2l_status f2l_moore_build(f2l_fsa *out, const f2l_fsa *mealy, const f2l_task *task, f2l_error *err)
{
    builder b = {.mealy = mealy, .task = task};
    uint32_t *class_of = NULL;
    f2l_status status = f2l_fsa_has_label(mealy, F2L_LABEL_EDGES, err);
    if (status != F2L_OK) return status;
    f2l_rowset_init(&b.pairs);
    f2l_fsa_init(&b.fsa);
    status = find_followed_pairs(&b, err);
    if (status == F2L_OK) status = make_machine(&b, err);
    if (status == F2L_OK)
        status = f2l_fsa_minimise(out, &class_of, &b.fsa, F2L_LABEL_OUTPUTS, task, err);
    if (status == F2L_OK) status = merge_start(out, err);
    f2l_rowset_clear(&b.pairs);
    f2l_fsa_clear(&b.fsa);
    f2l_free(class_of);
    if (status != F2L_OK) f2l_fsa_clear(out);
    return status;
}
