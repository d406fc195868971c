/* All components of one, two and three slots, up to their transitions. */
#include "numeric/base/mem.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

/* Most writes of all letters together: [letters][slots]. */
static const uint8_t most_writes[F2L_STACK_LETTERS + 1][F2L_STACK_LISTED + 1] = {
    {0}, {0, 1, 2, 3}, {0, 2, 4, 3}, {0, 3, 3, 1}, {0, 4, 2, 0}};

/* What a letter does to the slots of a component. */
typedef struct action {
    uint8_t source[F2L_STACK_SLOTS], value[F2L_STACK_SLOTS], writes, moves;
} action;

#define ACTIONS 86 /* of three slots */

/* Sets action to number `code` of all ways to read or write each slot; returns false where a slot
 * is read twice. */
static bool decode_action(action *out, size_t slots, size_t code)
{
    unsigned read = 0;
    *out = (action){.writes = 0};
    for (size_t i = 0; i < slots; i++, code /= slots + 2) {
        const size_t from = code % (slots + 2);
        if (from >= slots) {
            out->source[i] = F2L_STACK_WRITTEN;
            out->value[i] = (uint8_t)(from - slots);
            out->writes++;
            continue;
        }
        if (read >> from & 1U) return false;
        read |= 1U << from;
        out->source[i] = (uint8_t)from;
        if (from != i) out->moves++;
    }
    return true;
}

static size_t list_actions(action *out, size_t slots)
{
    size_t codes = 1, count = 0;
    for (size_t i = 0; i < slots; i++) codes *= slots + 2;
    for (size_t code = 0; code < codes; code++) count += decode_action(&out[count], slots, code);
    return count;
}

/* Returns whether letters move contents between all slots; otherwise they are several components.
 */
static bool is_connected(const f2l_stack_component *c, size_t letters)
{
    unsigned joined = 1;
    for (size_t round = 0; round < F2L_STACK_LISTED; round++)
        for (size_t a = 0; a < letters; a++)
            for (size_t i = 0; i < c->slots; i++) {
                const size_t from = c->source[a][i];
                if (from == F2L_STACK_WRITTEN) continue;
                if (joined >> from & 1U) joined |= 1U << i;
                if (joined >> i & 1U) joined |= 1U << from;
            }
    return joined == (1U << c->slots) - 1;
}

void f2l_stack_step(uint8_t *to, const uint8_t *from, const f2l_stack_component *c, size_t letter)
{
    for (size_t i = 0; i < c->slots; i++)
        to[i] = c->source[letter][i] == F2L_STACK_WRITTEN ? c->value[letter][i]
                                                          : from[c->source[letter][i]];
}

static size_t pack_contents(const uint8_t *content, size_t slots)
{
    size_t packed = 0;
    for (size_t i = 0; i < slots; i++) packed = 3 * packed + content[i];
    return packed;
}

void f2l_stack_find_contents(f2l_stack_component *c, size_t letters)
{
    uint8_t content[F2L_STACK_CONTENTS][F2L_STACK_SLOTS], number[F2L_STACK_CONTENTS] = {0};
    memcpy(content[0], c->initial, sizeof c->initial);
    number[pack_contents(c->initial, c->slots)] = 1;
    c->states = 1;
    for (size_t s = 0; s < c->states; s++)
        for (size_t a = 0; a < letters; a++) {
            uint8_t to[F2L_STACK_SLOTS];
            f2l_stack_step(to, content[s], c, a);
            uint8_t *at = &number[pack_contents(to, c->slots)];
            if (!*at) {
                memcpy(content[c->states], to, sizeof to);
                *at = ++c->states;
            }
            c->next[s][a] = (uint8_t)(*at - 1);
        }
}

/* The components while they are listed. */
typedef struct listing {
    f2l_stack_list *list;
    f2l_rowset seen; /* transitions */
    action action[ACTIONS];
    size_t actions;
    f2l_stack_component component; /* under work */
} listing;

static f2l_status add_component(listing *l, const uint8_t *initial, f2l_error *err)
{
    f2l_stack_list *list = l->list;
    f2l_stack_component *c = &l->component;
    uint32_t row[F2L_STACK_CONTENTS * F2L_STACK_LETTERS];
    size_t index, size = 0;
    memcpy(c->initial, initial, sizeof c->initial);
    f2l_stack_find_contents(c, list->letters);
    if (c->states < 2) return F2L_OK;
    for (size_t s = 0; s < c->states; s++)
        for (size_t a = 0; a < list->letters; a++) row[size++] = c->next[s][a];
    f2l_status status = f2l_rowset_add(&l->seen, row, size, &index, err);
    if (status != F2L_OK) return status;
    if (index < list->components) {
        if (c->slots == list->component[index].slots && c->cost < list->component[index].cost)
            list->component[index] = *c;
        return F2L_OK;
    }
    if (!f2l_grow((void **)&list->component, &list->component_capacity, list->components,
                  sizeof *list->component))
        return f2l_fail_memory(err);
    list->component[list->components++] = *c;
    return F2L_OK;
}

/* Adds the component under work with each of its initial contents. */
static f2l_status add_initials(listing *l, f2l_error *err)
{
    static const uint8_t initial[3][F2L_STACK_SLOTS] = {
        {0}, {F2L_STACK_HALF, F2L_STACK_HALF, F2L_STACK_HALF, F2L_STACK_HALF}, {1}};
    f2l_status status = F2L_OK;
    if (!is_connected(&l->component, l->list->letters)) return F2L_OK;
    for (size_t i = 0; i < 3 && status == F2L_OK; i++)
        if (i == 2 ? l->component.slots > 1 : l->component.writes > 0)
            status = add_component(l, initial[i], err);
    return status;
}

/* Adds the components whose first `letter` letters are set, with at most `writes` further writes.
 */
static f2l_status choose_actions(listing *l, size_t letter, size_t writes, f2l_error *err)
{
    f2l_stack_component *c = &l->component;
    f2l_status status = F2L_OK;
    if (letter == l->list->letters) return add_initials(l, err);
    for (size_t i = 0; i < l->actions && status == F2L_OK; i++) {
        const action *x = &l->action[i];
        if (x->writes > writes) continue;
        memcpy(c->source[letter], x->source, sizeof x->source);
        memcpy(c->value[letter], x->value, sizeof x->value);
        c->writes = (uint8_t)(c->writes + x->writes);
        c->cost = (uint8_t)(c->cost + x->writes + x->moves);
        status = choose_actions(l, letter + 1, writes - x->writes, err);
        c->writes = (uint8_t)(c->writes - x->writes);
        c->cost = (uint8_t)(c->cost - x->writes - x->moves);
    }
    return status;
}

f2l_status f2l_stack_components(f2l_stack_list *list, f2l_error *err)
{
    listing l = {.list = list};
    f2l_status status = F2L_OK;
    f2l_rowset_init(&l.seen);
    for (size_t slots = 1; slots <= F2L_STACK_LISTED && status == F2L_OK; slots++) {
        list->of_slots[slots] = list->components;
        l.component = (f2l_stack_component){.slots = (uint8_t)slots, .cost = (uint8_t)slots};
        l.actions = list_actions(l.action, slots);
        status = choose_actions(&l, 0, most_writes[list->letters][slots], err);
    }
    list->of_slots[F2L_STACK_LISTED + 1] = list->components;
    f2l_rowset_clear(&l.seen);
    return status;
}
