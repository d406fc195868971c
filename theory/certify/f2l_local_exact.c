/* Local closure in rational arithmetic: a local state is a code. */
#include "f2l_local_impl.h"
#include "f2l_mem.h"
#include "f2l_run_exact.h"

#define DEFAULT_PAIRS 50000000
#define CODE_BYTES 4

typedef struct exact_context {
    const f2l_net *net;
    f2l_exact *run;
    f2l_qvec *state; /* [most heads of a layer] */
    size_t heads, layer, code;
} exact_context;

static f2l_status exact_enter(void *context, size_t layer, size_t *width, f2l_error *err)
{
    exact_context *c = context;
    (void)err;
    c->layer = layer;
    *width = CODE_BYTES;
    return F2L_OK;
}

static f2l_status exact_start(void *context, unsigned char *state, f2l_error *err)
{
    exact_context *c = context;
    const f2l_layer *layer = &c->net->layer[c->layer];
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_status status = f2l_qvec_copy(&c->state[h], &layer->head[h].initial, err);
        if (status != F2L_OK) return status;
    }
    const size_t code = f2l_exact_find_code(c->run, c->layer, c->state);
    f2l_pairs_put(state, CODE_BYTES, code == F2L_NO_INDEX ? UINT32_MAX : code);
    return F2L_OK;
}

static size_t exact_load(void *context, const unsigned char *state)
{
    exact_context *c = context;
    c->code = (size_t)f2l_pairs_take(state, CODE_BYTES);
    return c->code == UINT32_MAX ? F2L_NO_INDEX : c->code;
}

static f2l_status exact_step(void *context, size_t letter, unsigned char *state, size_t *code, f2l_error *err)
{
    exact_context *c = context;
    const f2l_layer *layer = &c->net->layer[c->layer];
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_status status = f2l_exact_step_head(c->run, &c->state[h], c->layer, h, letter,
                                                &layer->code[c->code * layer->heads + h], err);
        if (status != F2L_OK) return status;
    }
    *code = f2l_exact_find_code(c->run, c->layer, c->state);
    if (*code != F2L_NO_INDEX) f2l_pairs_put(state, CODE_BYTES, *code);
    return F2L_OK;
}

f2l_status f2l_local_exact(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade, const f2l_fsa *fsa,
                           size_t max_pairs, const f2l_task *task, f2l_error *err)
{
    exact_context context = {.net = net};
    const f2l_local_machine machine = {&context, exact_enter, exact_start, exact_load, exact_step};
    f2l_local_clear(out);
    f2l_status status = f2l_exact_new(&context.run, net, err);
    if (status != F2L_OK) return status;
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].heads > context.heads) context.heads = net->layer[l].heads;
    context.state = f2l_calloc(context.heads, sizeof *context.state);
    status = context.state ? F2L_OK : f2l_fail_memory(err);
    for (size_t h = 0; context.state && h < context.heads; h++) f2l_qvec_init(&context.state[h]);
    if (status == F2L_OK)
        status = f2l_local_run(out, &machine, net, cascade, fsa, true, max_pairs ? max_pairs : DEFAULT_PAIRS,
                               task, "checking the cascade exactly", err);
    for (size_t h = 0; context.state && h < context.heads; h++) f2l_qvec_clear(&context.state[h]);
    f2l_free(context.state);
    f2l_exact_free(context.run);
    return status;
}
