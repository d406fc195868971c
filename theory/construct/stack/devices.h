/* Small devices made of slots, as first layers for other automata (OL.8): every layer of slots is
 * such a device, and the list does not depend on the automaton. */
#ifndef F2L_STACK_DEVICES_H
#define F2L_STACK_DEVICES_H

#include "automata/fsa/rowset.h"
#include "numeric/base/task.h"

#define F2L_STACK_LETTERS 4   /* of the automaton */
#define F2L_STACK_VERTICES 24 /* of a device */
#define F2L_STACK_SLOTS 4     /* of a component */
#define F2L_STACK_LISTED 3    /* slots of a component of a list */
#define F2L_STACK_PARTS 3     /* components of a device of a list */
#define F2L_STACK_GROWN 16    /* components of any device */

#define F2L_STACK_WRITTEN UINT8_MAX
#define F2L_STACK_CONTENTS 81 /* of a component: 0, 1 or 1/2 in each slot */
#define F2L_STACK_HALF 2      /* the content 1/2, which no letter writes */

/* Slots that letters move and write together. */
typedef struct f2l_stack_component {
    uint8_t slots, states;
    uint8_t source[F2L_STACK_LETTERS][F2L_STACK_SLOTS]; /* slot that is read, or F2L_STACK_WRITTEN
                                                         */
    uint8_t value[F2L_STACK_LETTERS][F2L_STACK_SLOTS];  /* of what is written: 0 or 1 */
    uint8_t initial[F2L_STACK_SLOTS];                   /* 0, 1 or F2L_STACK_HALF */
    uint8_t writes, cost; /* slots that letters write; these and the slots that letters move */
    uint8_t next[F2L_STACK_CONTENTS][F2L_STACK_LETTERS];
} f2l_stack_component;

typedef struct f2l_stack_device {
    size_t parts, vertices, cost;
    uint32_t part[F2L_STACK_PARTS]; /* components */
} f2l_stack_device;

typedef struct f2l_stack_list {
    uint64_t steps; /* that making it took */
    size_t letters, components, devices;
    bool few;             /* there are larger devices */
    size_t most_vertices; /* of a device */
    size_t component_capacity, device_capacity, order_capacity;
    f2l_stack_component *component; /* [components] no two with the same transitions; by slots */
    size_t of_slots[F2L_STACK_LISTED + 2]; /* first component with at least that number of slots */
    f2l_stack_device *device;              /* [devices] no two with the same transitions */
    f2l_rowset table; /* row i: [vertices][letters] of device i, vertices in order of search */
    uint32_t *order;  /* [devices] from the smallest to the largest */
} f2l_stack_list;

/* Lists components and devices for automata with this number of letters: all, or those with few
 * vertices, which are the first ones of `order` among all. */
f2l_status f2l_stack_list_make(f2l_stack_list *out, size_t letters, bool few, const f2l_task *task,
                               f2l_error *err);
void f2l_stack_list_clear(f2l_stack_list *list);

/* The lists that were made so far, for searches for many automata one after the other. */
struct f2l_stack_lists {
    f2l_stack_list list[2][F2L_STACK_LETTERS + 1]; /* [few]; letters 0: not made */
};
typedef struct f2l_stack_lists f2l_stack_lists;

/* Sets *out to a list, which is made where it is missing. The steps are spent in any case, so that
 * a search ends at the same place. */
f2l_status f2l_stack_lists_get(const f2l_stack_list **out, f2l_stack_lists *lists, size_t letters,
                               bool few, const f2l_task *task, f2l_error *err);
void f2l_stack_lists_clear(f2l_stack_lists *lists);

#endif
