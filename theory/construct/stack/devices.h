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

/* Which devices a list has, by their vertices: a longer list begins with the order of a shorter
 * one. Most searches end within the fewest, and those above devices with few vertices in any case.
 */
typedef enum f2l_stack_size {
    F2L_STACK_FEWEST,
    F2L_STACK_FEW,
    F2L_STACK_ALL,
    F2L_STACK_SIZES
} f2l_stack_size;

typedef struct f2l_stack_list {
    uint64_t steps; /* that making it counts: the fewest count the steps of the few */
    size_t letters, components, devices;
    f2l_stack_size size;
    bool is_short;        /* there are larger devices */
    size_t most_vertices; /* of a device */
    size_t component_capacity, device_capacity, order_capacity;
    f2l_stack_component *component; /* [components] no two with the same transitions; by slots */
    size_t of_slots[F2L_STACK_LISTED + 2]; /* first component with at least that number of slots */
    f2l_stack_device *device;              /* [devices] no two with the same transitions */
    f2l_rowset table; /* row i: [vertices][letters] of device i, vertices in order of search */
    uint32_t *order;  /* [devices] from the smallest to the largest */
} f2l_stack_list;

/* Lists components, and the devices of this size, for automata with this number of letters. */
f2l_status f2l_stack_list_make(f2l_stack_list *out, size_t letters, f2l_stack_size size,
                               const f2l_task *task, f2l_error *err);
void f2l_stack_list_clear(f2l_stack_list *list);

/* A device that is not in a list (grow.h). */
typedef struct f2l_stack_grown {
    f2l_stack_component part[F2L_STACK_GROWN];
    size_t parts, vertices; /* vertices 0: none was found */
    uint32_t *next;         /* [vertices][letters] owned */
} f2l_stack_grown;

void f2l_stack_grown_clear(f2l_stack_grown *grown);

/* What growing a device for an automaton led to. */
typedef struct f2l_stack_growth {
    size_t letters, states, start; /* of the automaton */
    uint32_t *next;                /* [states][letters] owned */
    f2l_stack_grown grown;
    uint64_t steps; /* that it took */
} f2l_stack_growth;

#define F2L_STACK_GROWTHS 8 /* that are kept, the last ones */

/* The lists that were made so far, for searches for many automata one after the other; several
 * searches for one automaton need the same device. */
struct f2l_stack_lists {
    f2l_stack_list list[F2L_STACK_SIZES][F2L_STACK_LETTERS + 1]; /* letters 0: not made */
    f2l_stack_growth growth[F2L_STACK_GROWTHS]; /* number i at i % F2L_STACK_GROWTHS */
    size_t growths;
};
typedef struct f2l_stack_lists f2l_stack_lists;

/* Sets *out to a list, which is made where it is missing. The steps are spent in any case, so that
 * a search ends at the same place. */
f2l_status f2l_stack_lists_get(const f2l_stack_list **out, f2l_stack_lists *lists, size_t letters,
                               f2l_stack_size size, const f2l_task *task, f2l_error *err);
void f2l_stack_lists_clear(f2l_stack_lists *lists);

#endif
