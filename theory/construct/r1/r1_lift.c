/* A group of pairs (element, signs) as the acting group. Statement: O.8 of theory/pages/r1.md. */
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <string.h>

/* Sets image [letters][points + 2 signs]: a letter acts on the group's points as it does, and
 * exchanges the two points of every sign that it changes. */
static void fill_images(uint32_t *image, const f2l_group *g, const bool *minus, size_t signs)
{
    const size_t degree = g->degree + 2 * signs, letters = g->generators;
    for (size_t a = 0; a < letters; a++) {
        uint32_t *to = image + a * degree;
        memcpy(to, g->generator + a * g->degree, g->degree * sizeof *to);
        for (size_t i = 0; i < 2 * signs; i++)
            to[g->degree + i] = (uint32_t)(g->degree + (minus[i / 2 * letters + a] ? i ^ 1 : i));
    }
}

f2l_status f2l_r1_lift(f2l_r1 *out, const f2l_r1 *r1, const bool *minus, size_t signs,
                       size_t max_order, const f2l_task *task, f2l_error *err)
{
    const f2l_group *g = &r1->tables.group;
    size_t cells;
    f2l_r1_init(out);
    uint32_t *image = f2l_mul_size(&cells, g->generators, g->degree + 2 * signs)
                          ? f2l_calloc(cells, sizeof *image)
                          : NULL;
    if (image == NULL) return f2l_fail_memory(err);
    fill_images(image, g, minus, signs);
    out->fsa = r1->fsa;
    f2l_status status = f2l_reach_init(&out->reach, r1->fsa, err);
    if (status == F2L_OK)
        status = f2l_r1_tables_build(&out->tables, image, g->generators, g->degree + 2 * signs,
                                     max_order ? max_order : F2L_R1_MAX_ORDER, task, err);
    f2l_free(image);
    if (status != F2L_OK) f2l_r1_clear(out);
    return status;
}
