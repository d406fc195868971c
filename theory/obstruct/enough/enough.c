/* A first layer or a quotient for the minimal automaton, and their certificate
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

/* Writes the permutations of the edges of a device, its vertices in this order. */
static void write_edges(f2l_buf *out, const f2l_stack *stack, const uint32_t *order)
{
    const f2l_orbits_cover *cover = &stack->cover;
    const size_t row = stack->letters * cover->degree;
    for (size_t v = 0; v < stack->vertices; v++)
        for (size_t i = 0; i < row; i++) {
            if (i % cover->degree == 0) f2l_buf_text(out, i > 0 ? "\nedges" : "edges");
            f2l_buf_printf(out, " %u%s", cover->image[order[v] * row + i] + 1U,
                           i + 1 == row ? "\n" : "");
        }
}

/* Sets order[vertices] to the vertices as a search by letters meets them, and place[vertices] to
 * their places in it. */
static void order_vertices(uint32_t *order, uint32_t *place, const f2l_stack *stack)
{
    size_t met = 1;
    for (size_t v = 0; v < stack->vertices; v++) place[v] = UINT32_MAX;
    order[0] = (uint32_t)stack->start;
    place[stack->start] = 0;
    for (size_t i = 0; i < met; i++)
        for (size_t a = 0; a < stack->letters; a++) {
            const uint32_t to = stack->next[order[i] * stack->letters + a];
            if (place[to] != UINT32_MAX) continue;
            place[to] = (uint32_t)met;
            order[met++] = to;
        }
}

static void write_next(f2l_buf *out, const f2l_stack *stack, const uint32_t *order,
                       const uint32_t *place)
{
    for (size_t v = 0; v < stack->vertices; v++) {
        f2l_buf_text(out, "next");
        for (size_t a = 0; a < stack->letters; a++)
            f2l_buf_printf(out, " %u", place[stack->next[order[v] * stack->letters + a]] + 1U);
        f2l_buf_text(out, "\n");
    }
}

/* Writes the layers: the first one, and for each one above it the device and the permutations. */
static f2l_status write_layers(f2l_buf *out, const f2l_stack *stack, f2l_error *err)
{
    f2l_status status = stack->lower ? write_layers(out, stack->lower, err) : F2L_OK;
    if (status != F2L_OK) return status;
    uint32_t *order = f2l_calloc(stack->vertices, sizeof *order);
    uint32_t *place = f2l_calloc(stack->vertices, sizeof *place);
    if (order && place) {
        order_vertices(order, place, stack);
        if (!stack->lower) write_first_layer(out, stack);
        f2l_buf_printf(out, "device %zu points %zu\n", stack->vertices, stack->cover.degree);
        if (stack->lower) write_next(out, stack, order, place);
        write_edges(out, stack, order);
    }
    f2l_free(order);
    f2l_free(place);
    return order && place ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_enough_certificate(f2l_buf *out, const f2l_enough *enough, const f2l_fsa *fsa,
                                  f2l_label label, f2l_error *err)
{
    if (!f2l_enough_covered(enough))
        return f2l_fail(err, F2L_EDOMAIN, "there is no first layer with a group");
    f2l_status status = f2l_bound_begin(out, "stack", fsa, label, enough->class_of, err);
    if (status == F2L_OK) status = write_layers(out, &enough->stack, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
