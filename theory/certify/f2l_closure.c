/* Exact closure. A joint state is one code index per layer, so the table is finite and its size is a count.
 */
#include "f2l_closure.h"
#include "f2l_mem.h"
#include "f2l_run_exact.h"
#include "f2l_search_impl.h"
#include <string.h>

#define DEFAULT_ROWS 50000000
#define CODE_BYTES 4

void f2l_closure_init(f2l_closure *c)
{
    *c = (f2l_closure){.verdict = F2L_UNKNOWN};
}

void f2l_closure_clear(f2l_closure *c)
{
    f2l_free(c->word);
    f2l_free(c->joint);
    f2l_free(c->state);
    f2l_free(c->next);
    f2l_closure_init(c);
}

typedef struct exact_context {
    f2l_exact *run;
    size_t layers;
    size_t *loaded, *joint; /* [layers] each, in one allocation */
} exact_context;

static void exact_load(void *context, const unsigned char *joint)
{
    exact_context *c = context;
    for (size_t l = 0; l < c->layers; l++)
        c->loaded[l] = (size_t)f2l_pairs_take(joint + l * CODE_BYTES, CODE_BYTES);
}

static void exact_store(const exact_context *c, unsigned char *joint)
{
    for (size_t l = 0; l < c->layers; l++) f2l_pairs_put(joint + l * CODE_BYTES, CODE_BYTES, c->joint[l]);
}

static f2l_status exact_step(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                             f2l_error *err)
{
    exact_context *c = context;
    size_t index;
    memcpy(c->joint, c->loaded, c->layers * sizeof *c->joint);
    f2l_status status = f2l_exact_step(c->run, c->joint, letter, &index, NULL, err);
    *label = F2L_NO_SYMBOL;
    if (status == F2L_EDOMAIN) return F2L_OK;
    if (status != F2L_OK) return status;
    *label = (uint32_t)index;
    exact_store(c, joint);
    return F2L_OK;
}

/* Hands the table over to `out` as plain arrays. */
static f2l_status keep_table(f2l_closure *out, f2l_search *search, size_t layers, f2l_error *err)
{
    const size_t rows = search->pairs.count;
    size_t entries, bytes;
    if (!f2l_mul_size(&entries, rows, layers) ||
        !f2l_mul_size(&bytes, rows, (layers + 1) * sizeof *out->joint))
        return f2l_fail_memory(err);
    bytes += f2l_pairs_bytes(&search->pairs) + search->pairs.other_bytes;
    f2l_status status = f2l_task_memory(search->task, search->phase, bytes, err);
    if (status != F2L_OK) return status;
    out->joint = f2l_calloc(entries, sizeof *out->joint);
    out->state = f2l_calloc(rows, sizeof *out->state);
    if (!out->joint || !out->state) return f2l_fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        const unsigned char *row = f2l_pairs_get(&search->pairs, r);
        for (size_t l = 0; l < layers; l++)
            out->joint[r * layers + l] = (uint32_t)f2l_pairs_take(row + l * CODE_BYTES, CODE_BYTES);
        out->state[r] = (uint32_t)f2l_search_state(search, r);
    }
    out->next = search->next;
    search->next = NULL;
    return F2L_OK;
}

static f2l_status close_exactly(f2l_closure *out, exact_context *context, const f2l_net *net,
                                const f2l_fsa *fsa, size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_machine machine = {net->layers * CODE_BYTES, context, exact_load, exact_step};
    f2l_search search;
    f2l_error why = {0};
    f2l_status status = f2l_search_init(&search, net, fsa, &machine, max_rows ? max_rows : DEFAULT_ROWS, true,
                                        task, "closing exactly", err);
    if (status != F2L_OK) return status;
    unsigned char *start = f2l_calloc(net->layers, CODE_BYTES);
    status = start ? f2l_exact_start(context->run, context->joint, &why) : f2l_fail_memory(&why);
    if (status == F2L_OK) {
        exact_store(context, start);
        status = f2l_search_run(&search, out, start, &why);
    } else if (status == F2L_EDOMAIN) {
        /* No word is wrong by that, but rows are codes, so this table cannot prove anything. */
        status = f2l_search_unknown(out, 0, &why);
    }
    if (status == F2L_OK && out->verdict == F2L_OK) {
        status = keep_table(out, &search, net->layers, &why);
        if (status == F2L_UNKNOWN) status = f2l_search_unknown(out, search.pairs.count, &why);
    }
    if (status != F2L_OK && err) *err = why;
    f2l_free(start);
    f2l_search_clear(&search);
    return status;
}

f2l_status f2l_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa, size_t max_rows,
                             const f2l_task *task, f2l_error *err)
{
    f2l_closure_clear(out);
    exact_context context = {.layers = net->layers};
    f2l_status status = f2l_exact_new(&context.run, net, err);
    if (status != F2L_OK) return status;
    context.loaded = f2l_calloc(net->layers, 2 * sizeof *context.loaded);
    context.joint = context.loaded ? context.loaded + net->layers : NULL;
    status =
        context.loaded ? close_exactly(out, &context, net, fsa, max_rows, task, err) : f2l_fail_memory(err);
    f2l_free(context.loaded);
    f2l_exact_free(context.run);
    if (status != F2L_OK) f2l_closure_clear(out);
    out->layers = net->layers;
    out->letters = net->letters.count;
    out->states = fsa->states.count;
    return status;
}
