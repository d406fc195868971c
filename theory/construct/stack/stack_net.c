/* The network of two layers: the symbols of the first are the edges of the device. */
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

static f2l_status add_stack_layers(f2l_net *net, const f2l_stack *stack, const uint32_t *number,
                                   const uint32_t *label_of, const f2l_task *task, f2l_error *err)
{
    const size_t edges = stack->vertices * stack->letters;
    f2l_status status = f2l_net_set_layers(net, 2, err);
    if (status == F2L_OK)
        status = f2l_orbits_layer(&net->layer[0], &stack->below, number, stack->letters, number,
                                  edges, false, task, err);
    if (status == F2L_OK)
        status = f2l_orbits_layer(&net->layer[1], &stack->above, number, edges, label_of,
                                  net->labels.count, false, task, err);
    return status;
}

f2l_status f2l_stack_build(f2l_net *out, const f2l_stack *stack, const f2l_fsa *fsa,
                           f2l_label label, const f2l_task *task, f2l_error *err)
{
    const size_t edges = stack->vertices * stack->letters;
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
    if (status == F2L_OK) status = add_stack_layers(out, stack, number, label_of, task, err);
    f2l_free(label_of);
    f2l_free(number);
    if (status != F2L_OK) f2l_net_clear(out);
    return status;
}
