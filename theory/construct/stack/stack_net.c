/* The network: the symbols of layers below are the edges of the device above them. */
#include "numeric/base/mem.h"
#include "theory/construct/stack/stack.h"
#include <string.h>

/* Sets label_of[states], and the labels and the start of the network. */
static f2l_status add_stack_labels(f2l_net *net, uint32_t *label_of, const f2l_fsa *fsa,
                                   f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, net->label, q);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    net->start = label_of[fsa->start];
    return status;
}

/* Builds the layers of the stack, from number `at` on, where the last gives symbol[targets]. */
static f2l_status add_stack_layers(f2l_net *net, size_t at, const f2l_stack *stack,
                                   const uint32_t *number, const uint32_t *symbol, size_t symbols,
                                   const f2l_task *task, f2l_error *err)
{
    const size_t edges = stack->vertices * stack->letters;
    f2l_status status =
        stack->lower ? add_stack_layers(net, at, stack->lower, number, number, edges, task, err)
                     : f2l_orbits_layer(&net->layer[at], &stack->below, number, stack->letters,
                                        number, edges, false, task, err);
    if (status == F2L_OK)
        status = f2l_orbits_layer(&net->layer[at + (stack->lower ? 2 : 1)], &stack->above, number,
                                  edges, symbol, symbols, false, task, err);
    return status;
}

f2l_status f2l_stack_build(f2l_net *out, const f2l_stack *stack, const f2l_fsa *fsa,
                           f2l_label label, const f2l_task *task, f2l_error *err)
{
    const f2l_stack *lower = stack->lower;
    size_t edges = stack->vertices * stack->letters;
    if (lower && lower->vertices * lower->letters > edges) edges = lower->vertices * lower->letters;
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    out->label = label;
    uint32_t *label_of = f2l_calloc(fsa->states.count, sizeof *label_of);
    uint32_t *number = f2l_calloc(edges, sizeof *number); /* each edge and letter is itself */
    for (uint32_t e = 0; number && e < edges; e++) number[e] = e;
    status = label_of && number ? f2l_names_copy(&out->letters, &fsa->letters, err)
                                : f2l_fail_memory(err);
    if (status == F2L_OK) status = add_stack_labels(out, label_of, fsa, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, lower ? 3 : 2, err);
    if (status == F2L_OK)
        status = add_stack_layers(out, 0, stack, number, label_of, out->labels.count, task, err);
    f2l_free(label_of);
    f2l_free(number);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
