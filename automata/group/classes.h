/* Conjugacy classes of a listed group, and their power maps. */
#ifndef F2L_CLASSES_H
#define F2L_CLASSES_H

#include "automata/group/group.h"

/* Classes of a group, which own their tables: the class of the identity first, then by element
 * order, by size, and by their first element, which is the representative. */
typedef struct f2l_classes {
    size_t classes;
    uint32_t *class_of;       /* [order] */
    uint32_t *representative; /* [classes] element; class 0 is the class of the identity */
    size_t *size;             /* [classes] */
    uint32_t *element_order;  /* [classes] */
    uint32_t *inverse;        /* [classes] class of the inverses */
    size_t exponent;          /* exponent of the group */
    size_t *power_at;         /* [classes + 1] */
    uint32_t *power; /* power[power_at[c] + i] = class of representative^i, i = 0 .. element_order -
                        1 */
} f2l_classes;

void f2l_classes_init(f2l_classes *c);
void f2l_classes_clear(f2l_classes *c);

/* Finds the classes of g. F2L_UNKNOWN when the tables would exceed the task's memory or 2 GiB, or
 * when the task is stopped. */
f2l_status f2l_classes_build(f2l_classes *out, const f2l_group *g, const f2l_task *task,
                             f2l_error *err);

/* Returns the class of the i-th powers of the elements of a class, for any i >= 0. */
uint32_t f2l_classes_power(const f2l_classes *c, uint32_t class_number, size_t i);

#endif
