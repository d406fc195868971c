/* A first layer or a quotient for the minimal automaton, and the certificate of the former
 * (docs/man/stack-check.1). */
#include "theory/obstruct/enough/enough.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/fork.h"

void f2l_enough_init(f2l_enough *enough)
{
    *enough = (f2l_enough){.class_of = NULL};
}

void f2l_enough_clear(f2l_enough *enough)
{
    f2l_stack_clear(&enough->stack);
    f2l_free(enough->class_of);
    f2l_enough_init(enough);
}

/* Returns whether the status says that the search found what it could. */
static bool is_open(f2l_status status)
{
    return status == F2L_OK || status == F2L_UNKNOWN || status == F2L_EDOMAIN;
}

f2l_status f2l_enough_find(f2l_enough *out, f2l_stack_lists *lists, const f2l_fsa *fsa,
                           f2l_label label, size_t least, const f2l_task *task, f2l_error *err)
{
    f2l_fsa minimal;
    f2l_error why;
    f2l_fsa_init(&minimal);
    f2l_enough_clear(out);
    f2l_status status = f2l_fsa_minimal(&minimal, &out->class_of, fsa, label, task, &why);
    if (status == F2L_OK && least <= 2)
        status = f2l_stack_find_device(&out->stack, true, lists, &minimal, task, &why);
    if (is_open(status) && out->class_of && out->stack.vertices == 0)
        status = f2l_stack_find_quotient(&out->stack, lists, &minimal, task, &why);
    f2l_fsa_clear(&minimal);
    if (is_open(status)) return F2L_OK;
    f2l_enough_clear(out);
    return f2l_fail(err, status, "%s", why.text);
}

static void write_component(f2l_buf *out, const f2l_stack_component *c, size_t letter, size_t first,
                            size_t slots)
{
    for (size_t i = 0; i < c->slots; i++) {
        const size_t from = c->source[letter][i];
        f2l_buf_printf(out, " %zu",
                       from == F2L_STACK_WRITTEN ? slots + 1 + c->value[letter][i]
                                                 : first + from + 1);
    }
}

static void write_first_layer(f2l_buf *out, const f2l_stack *stack)
{
    size_t slots = 0;
    for (size_t i = 0; i < stack->parts; i++) slots += stack->part[i].slots;
    f2l_buf_printf(out, "slots %zu\ninitial", slots);
    for (size_t i = 0; i < stack->parts; i++)
        for (size_t k = 0; k < stack->part[i].slots; k++)
            f2l_buf_printf(out, " %u", stack->part[i].initial[k]);
    f2l_buf_text(out, "\n");
    for (size_t a = 0; a < stack->letters; a++) {
        f2l_buf_text(out, "letter");
        for (size_t i = 0, first = 0; i < stack->parts; first += stack->part[i++].slots)
            write_component(out, &stack->part[i], a, first, slots);
        f2l_buf_text(out, "\n");
    }
}

f2l_status f2l_enough_certificate(f2l_buf *out, const f2l_enough *enough, const f2l_fsa *fsa,
                                  f2l_label label, f2l_error *err)
{
    const f2l_stack *stack = &enough->stack;
    const f2l_orbits_cover *cover = &stack->cover;
    if (!f2l_enough_covered(enough))
        return f2l_fail(err, F2L_EDOMAIN, "there is no first layer with a group");
    f2l_status status = f2l_bound_begin(out, "stack", fsa, label, enough->class_of, err);
    if (status != F2L_OK) return status;
    write_first_layer(out, stack);
    f2l_buf_printf(out, "device %zu points %zu\n", stack->vertices, cover->degree);
    for (size_t e = 0; e < stack->vertices * stack->letters; e++) {
        f2l_buf_text(out, "edges");
        for (size_t i = 0; i < cover->degree; i++)
            f2l_buf_printf(out, " %u", cover->image[e * cover->degree + i] + 1U);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
