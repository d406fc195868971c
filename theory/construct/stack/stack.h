/* Networks of two layers of slots (theory/pages/two-layers.md, LL.1 and LL.2).
 *
 * The first layer is a *device*, a small automaton over the same letters that says nothing of the
 * automaton by itself. It is *good* if at each of its states the loops that act as idempotents e, f
 * on the states of the automaton that are possible there satisfy efe = fe. Then one more layer is
 * enough, and otherwise no layer on top of it is. */
#ifndef F2L_STACK_H
#define F2L_STACK_H

#include "theory/construct/orbits/orbits.h"
#include "theory/construct/stack/devices.h"

#define F2L_STACK_STATES 8  /* of the automaton */
#define F2L_STACK_MAPS 4096 /* that words make of its states */

typedef struct f2l_stack {
    /* With three layers: those below, which tell the edge of a quotient of the automaton; the
     * device is this quotient, and has no parts. NULL: two layers. */
    struct f2l_stack *lower;
    /* The first good device; vertices 0: none was found. */
    f2l_stack_component part[F2L_STACK_GROWN];
    size_t parts, vertices, letters;
    size_t start;            /* vertex at the start */
    uint32_t *next;          /* [vertices][letters] of the device */
    f2l_orbits_cover cover;  /* of the device, where one was sought and found */
    f2l_orbits below, above; /* the layers of the network: below tells the edge of the device;
                                without contents: no network was found */
    bool registers;          /* slots below keep what letters overwrite, to tell the edge */
} f2l_stack;

void f2l_stack_clear(f2l_stack *stack);

/* Searches for two layers that track the states of a minimal automaton whose states are all
 * reachable, and then for three, from `least` on and below `below` (0: any number); with `few` only
 * above devices with few vertices, which takes much less time and finds most networks. `lists`
 * keeps the devices for other automata; NULL: nothing is kept. Returns F2L_UNKNOWN where it found
 * no network; *out may have a good device then. F2L_EDOMAIN: no device of the list is good, or the
 * automaton is too large. */
typedef struct f2l_stack_bounds {
    size_t least, below;
    bool few;
} f2l_stack_bounds;
f2l_status f2l_stack_find(f2l_stack *out, f2l_stack_bounds bounds, f2l_stack_lists *lists,
                          const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);

/* Seeks no network, but a good device, and with `covered` one for which a group is found that shows
 * it to be enough without a theorem that is only cited. Without a good device out->vertices is 0,
 * and it stays open whether two layers are enough. F2L_UNKNOWN at a limit. */
f2l_status f2l_stack_find_device(f2l_stack *out, bool covered, f2l_stack_lists *lists,
                                 const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);

/* Seeks a quotient that two layers track, and that is good, so that three layers are enough; and
 * groups for both steps, as above. out->lower stays NULL where there is no quotient, and the covers
 * are empty where no groups were found. */
f2l_status f2l_stack_find_quotient(f2l_stack *out, f2l_stack_lists *lists, const f2l_fsa *fsa,
                                   const f2l_task *task, f2l_error *err);

/* Builds the network for labels of states of kind `label` into *out (initialised; replaced).
 * fsa_sha256 is left empty. */
f2l_status f2l_stack_build(f2l_net *out, const f2l_stack *stack, const f2l_fsa *fsa,
                           f2l_label label, const f2l_task *task, f2l_error *err);

#endif
