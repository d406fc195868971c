/* Local closure in rational arithmetic: a layer's local state is a code. */
#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "theory/certify/local/impl.h"

#define DEFAULT_PAIRS 50000000
#define CODE_BYTES 4

typedef struct exact_context {
    const f2l_net *net;
    f2l_exact *run;
    f2l_qvec *state; /* [most heads of a layer] */
    size_t heads;
} exact_context;

static f2l_status exact_enter(void *context, size_t layer, size_t *width,
                              const f2l_same_letters **same, f2l_error *err)
{
    const exact_context *c = context;
    (void)err;
    *width = CODE_BYTES;
    *same = f2l_exact_same_letters(c->run, layer);
    return F2L_OK;
}

static void put_local_code(unsigned char *state, size_t code)
{
    if (code != F2L_NO_INDEX) f2l_pairs_put(state, CODE_BYTES, code);
}

static f2l_status exact_start(void *context, size_t l, unsigned char *state, size_t *code,
                              f2l_error *err)
{
    exact_context *c = context;
    const f2l_layer *layer = &c->net->layer[l];
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_status status = f2l_qvec_copy(&c->state[h], &layer->head[h].initial, err);
        if (status != F2L_OK) return status;
    }
    *code = f2l_exact_find_code(c->run, l, c->state);
    put_local_code(state, *code);
    return F2L_OK;
}

static f2l_status exact_step(void *context, size_t l, size_t letter, const unsigned char *from,
                             unsigned char *state, size_t *code, f2l_error *err)
{
    exact_context *c = context;
    const size_t old = (size_t)f2l_pairs_take(from, CODE_BYTES);
    f2l_status status = f2l_exact_step_code(c->run, code, l, letter, old, err);
    if (status == F2L_OK) put_local_code(state, *code);
    return status;
}

static f2l_status allocate_exact_states(exact_context *c, f2l_error *err)
{
    for (size_t l = 0; l < c->net->layers; l++)
        if (c->net->layer[l].heads > c->heads) c->heads = c->net->layer[l].heads;
    c->state = f2l_calloc(c->heads, sizeof *c->state);
    for (size_t h = 0; c->state && h < c->heads; h++) f2l_qvec_init(&c->state[h]);
    return c->state ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_local_exact(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                           const size_t *layers, f2l_local_reading reading, const f2l_fsa *fsa,
                           size_t max_pairs, const f2l_task *task, f2l_error *err)
{
    exact_context context = {.net = net};
    const f2l_local_machine machine = {&context, exact_enter, exact_start, exact_step};
    f2l_local_clear(out);
    f2l_error why = {0};
    f2l_status status = f2l_exact_new_within(&context.run, net, task, &why);
    if (status != F2L_OK) return f2l_local_conclude(out, status, &why, err);
    status = allocate_exact_states(&context, err);
    if (status == F2L_OK)
        status = f2l_local_run(out, &machine, net, cascade, layers, reading, fsa, true,
                               max_pairs ? max_pairs : DEFAULT_PAIRS, task,
                               "checking the cascade exactly", err);
    for (size_t h = 0; context.state && h < context.heads; h++) f2l_qvec_clear(&context.state[h]);
    f2l_free(context.state);
    f2l_exact_free(context.run);
    return status;
}
