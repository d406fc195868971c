/* One layer more, above two that track a quotient of the automaton (OL.10, LL.2). */
#include "numeric/base/mem.h"
#include "theory/construct/stack/impl.h"
#include "theory/construct/stack/quotients.h"
#include <stdio.h>
#include <string.h>

#define EACH (400 * (uint64_t)F2L_STEPS) /* steps of a search for slots above a quotient */

typedef struct climber {
    f2l_stack *out;
    f2l_stack_aim aim;
    f2l_stack_lists *lists;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_orbits_maps maps;
    f2l_orbits_graph graph; /* the automaton above the quotient under work */
    bool good;              /* some quotient is */
} climber;

/* Sets *out to the quotient, whose names are numbers; to be cleared in any case. */
static f2l_status make_quotient(f2l_fsa *out, const f2l_fsa *fsa, const uint8_t *class_of,
                                size_t classes, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    for (size_t c = 0; c < classes && status == F2L_OK; c++) {
        char name[24];
        size_t index;
        snprintf(name, sizeof name, "%zu", c);
        status = f2l_names_add(&out->states, name, strlen(name), &index, err);
    }
    if (status != F2L_OK) return status;
    out->next = f2l_calloc(classes * letters, sizeof *out->next);
    if (!out->next) return f2l_fail_memory(err);
    for (size_t q = 0; q < fsa->states.count; q++)
        for (size_t a = 0; a < letters; a++)
            out->next[class_of[q] * letters + a] = class_of[fsa->next[q * letters + a]];
    out->start = class_of[fsa->start];
    return F2L_OK;
}

/* Lets the two layers below tell the edge of the quotient. */
static f2l_status tell_quotient_edges(f2l_stack *lower, const f2l_fsa *quotient,
                                      const f2l_task *task, f2l_error *err)
{
    const f2l_slots *slots = &lower->above.slots;
    const f2l_orbits_graph graph = {.letters = lower->letters,
                                    .vertices = lower->vertices,
                                    .below = lower->next,
                                    .states = quotient->states.count,
                                    .start_state = quotient->start,
                                    .next = quotient->next};
    bool registers;
    uint8_t *initial = f2l_calloc(slots->slots, 1);
    if (!initial) return f2l_fail_memory(err);
    memcpy(initial, slots->value, slots->slots);
    f2l_status status = f2l_stack_tell_edges(&registers, &lower->above, graph, &initial, task, err);
    f2l_free(initial);
    return status;
}

/* Seeks slots above the quotient, or only a cover of its edges: with signs, then with any group. */
static f2l_status seek_top(climber *c, f2l_error *err)
{
    f2l_status status = F2L_UNKNOWN;
    for (int signs = 1; signs >= 0 && status == F2L_UNKNOWN; signs--) {
        c->graph.signs = signs;
        status =
            c->aim == F2L_STACK_AIM_COVER
                ? f2l_orbits_cover_find(&c->out->cover, &c->graph, &c->maps, EACH, c->task, err)
                : f2l_orbits_find(&c->out->above, &c->graph, &c->maps, EACH, c->task, err);
    }
    return status;
}

/* Keeps the quotient as the device of *out. */
static f2l_status keep_quotient(f2l_stack *out, const f2l_fsa *quotient, f2l_error *err)
{
    const size_t size = quotient->states.count * quotient->letters.count;
    f2l_free(out->next);
    out->next = f2l_calloc(size, sizeof *out->next);
    if (!out->next) return f2l_fail_memory(err);
    memcpy(out->next, quotient->next, size * sizeof *out->next);
    out->vertices = quotient->states.count;
    out->start = quotient->start;
    out->letters = quotient->letters.count;
    return F2L_OK;
}

/* Makes the layers for a quotient that is good. F2L_EDOMAIN: two layers are not known to be enough
 * for it. */
static f2l_status climb_quotient(climber *c, const f2l_fsa *quotient, f2l_error *err)
{
    f2l_stack *out = c->out;
    f2l_stack_clear(out);
    out->lower = f2l_calloc(1, sizeof *out->lower);
    if (!out->lower) return f2l_fail_memory(err);
    f2l_status status = f2l_stack_seek(out->lower, c->aim, c->lists, quotient, c->task, err);
    if (status == F2L_OK && out->lower->vertices == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "no first layer was found for a quotient");
    if (status == F2L_OK) status = keep_quotient(out, quotient, err);
    if (status != F2L_OK || c->aim == F2L_STACK_AIM_DEVICE) return status;
    if (c->aim >= F2L_STACK_AIM_NETWORK)
        status = tell_quotient_edges(out->lower, quotient, c->task, err);
    else if (!out->lower->cover.image)
        status = f2l_fail(err, F2L_UNKNOWN, "no group was found for two layers of a quotient");
    return status == F2L_OK ? seek_top(c, err) : status;
}

/* Tries a quotient; F2L_EDOMAIN: it is not good, or needs more layers. */
static f2l_status try_quotient(climber *c, const uint8_t *class_of, size_t classes, f2l_error *err)
{
    bool good = false;
    f2l_fsa quotient;
    f2l_fsa_init(&quotient);
    f2l_status status = make_quotient(&quotient, c->fsa, class_of, classes, err);
    if (status == F2L_OK) {
        c->graph.vertices = classes;
        c->graph.start = quotient.start;
        c->graph.below = quotient.next;
        status = f2l_orbits_is_good(&good, NULL, &c->graph, &c->maps, c->task, err);
    }
    c->good = c->good || good;
    if (status == F2L_OK)
        status = good ? climb_quotient(c, &quotient, err)
                      : f2l_fail(err, F2L_EDOMAIN, "the quotient is not good");
    f2l_fsa_clear(&quotient);
    return status;
}

static f2l_status try_quotients(climber *c, const f2l_stack_quotients *quotients, f2l_error *err)
{
    f2l_status status = F2L_EDOMAIN;
    bool open = false;
    for (size_t i = 0; i < quotients->count; i++) {
        status = try_quotient(c, quotients->class_of + i * quotients->states, quotients->classes[i],
                              err);
        if (status != F2L_EDOMAIN && status != F2L_UNKNOWN) return status;
        if (f2l_task_stop(c->task) != F2L_STOP_NONE) return status;
        open = open || status == F2L_UNKNOWN;
    }
    f2l_stack_clear(c->out);
    if (open)
        return f2l_fail(err, F2L_UNKNOWN, "a quotient is good, but no %s found for three layers",
                        c->aim == F2L_STACK_AIM_COVER ? "groups were" : "slots were");
    return f2l_fail(err, F2L_EDOMAIN,
                    "no quotient was found that two layers track and above which one is enough");
}

f2l_status f2l_stack_seek_deeper(f2l_stack *out, f2l_stack_aim aim, f2l_stack_lists *lists,
                                 const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_stack_quotients quotients = {.count = 0};
    climber c = {.out = out,
                 .aim = aim,
                 .lists = lists,
                 .fsa = fsa,
                 .task = task,
                 .graph = {.letters = fsa->letters.count,
                           .states = fsa->states.count,
                           .start_state = fsa->start,
                           .next = fsa->next,
                           .targets = fsa->states.count,
                           .target = fsa->next}};
    f2l_stack_clear(out);
    if (fsa->letters.count > F2L_STACK_LETTERS)
        return f2l_fail(err, F2L_EDOMAIN, "first layers are sought for at most %d letters",
                        F2L_STACK_LETTERS);
    f2l_status status = f2l_stack_quotients_list(&quotients, fsa, F2L_STACK_STATES, err);
    if (status == F2L_OK && quotients.count == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "it has no quotient");
    c.graph.vertices = 1;
    if (status == F2L_OK) status = f2l_orbits_maps_list(&c.maps, &c.graph, task, err);
    if (status == F2L_OK && c.maps.count > F2L_STACK_MAPS)
        status = f2l_fail(err, F2L_EDOMAIN, "words make more than %d maps of the states",
                          F2L_STACK_MAPS);
    if (status == F2L_OK) status = try_quotients(&c, &quotients, err);
    f2l_orbits_maps_clear(&c.maps);
    f2l_stack_quotients_clear(&quotients);
    return status;
}

/* --- what is called from outside --- */

static f2l_status find_stack(f2l_stack *out, f2l_stack_bounds bounds, f2l_stack_lists *lists,
                             const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    const f2l_stack_aim aim = bounds.few ? F2L_STACK_AIM_SOON : F2L_STACK_AIM_NETWORK;
    f2l_status status = f2l_fail(err, F2L_EDOMAIN, "at least %zu layers are needed", bounds.least);
    if (bounds.least <= 2) status = f2l_stack_seek(out, aim, lists, fsa, task, err);
    if (status != F2L_EDOMAIN || (bounds.below > 0 && bounds.below <= 3)) return status;
    f2l_error why = {0};
    const f2l_status deeper = f2l_stack_seek_deeper(out, aim, lists, fsa, task, &why);
    if (deeper == F2L_EDOMAIN && bounds.least <= 2) return status;
    return deeper == F2L_OK ? F2L_OK : f2l_fail(err, deeper, "%s", why.text);
}

/* The lists are made once for all searches of a call, also where the caller keeps none. */
f2l_status f2l_stack_find(f2l_stack *out, f2l_stack_bounds bounds, f2l_stack_lists *lists,
                          const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_stack_lists own = {.list = {{{.letters = 0}}}};
    const f2l_status status = find_stack(out, bounds, lists ? lists : &own, fsa, task, err);
    f2l_stack_lists_clear(&own);
    return status;
}

f2l_status f2l_stack_find_device(f2l_stack *out, bool covered, f2l_stack_lists *lists,
                                 const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    const f2l_stack_aim aim = covered ? F2L_STACK_AIM_COVER : F2L_STACK_AIM_DEVICE;
    f2l_stack_lists own = {.list = {{{.letters = 0}}}};
    const f2l_status status = f2l_stack_seek(out, aim, lists ? lists : &own, fsa, task, err);
    f2l_stack_lists_clear(&own);
    return status;
}

f2l_status f2l_stack_find_quotient(f2l_stack *out, f2l_stack_lists *lists, const f2l_fsa *fsa,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_stack_lists own = {.list = {{{.letters = 0}}}};
    if (lists == NULL) lists = &own;
    f2l_status status = f2l_stack_seek_deeper(out, F2L_STACK_AIM_COVER, lists, fsa, task, err);
    if (status == F2L_UNKNOWN)
        status = f2l_stack_seek_deeper(out, F2L_STACK_AIM_DEVICE, lists, fsa, task, err);
    f2l_stack_lists_clear(&own);
    return status;
}
