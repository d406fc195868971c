#include "automata/group/classes.h"
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define POLL 16384

void f2l_classes_init(f2l_classes *c)
{
    memset(c, 0, sizeof *c);
}

void f2l_classes_clear(f2l_classes *c)
{
    f2l_free(c->class_of);
    f2l_free(c->representative);
    f2l_free(c->size);
    f2l_free(c->element_order);
    f2l_free(c->inverse);
    f2l_free(c->power_at);
    f2l_free(c->power);
    f2l_classes_init(c);
}

/* A class before it has its final number. */
typedef struct found_class {
    uint32_t first, order;
    size_t size, number;
} found_class;

typedef struct class_list {
    found_class *item;
    size_t count, room;
    uint32_t *queue;   /* [order] elements class by class */
    uint32_t *inverse; /* [needed][degree] of the generators */
} class_list;

/* Appends the elements conjugate to queue[0], which class_of marks already, to the queue; returns
 * the number of elements in it. */
static size_t orbit(uint32_t *class_of, uint32_t *queue, const f2l_group *g,
                    const uint32_t *inverse)
{
    const uint32_t number = class_of[queue[0]];
    size_t count = 1;
    for (size_t head = 0; head < count; head++)
        for (size_t s = 0; s < g->needed; s++) {
            const uint32_t *a = g->generator + g->need[s] * g->degree;
            const uint32_t y = f2l_group_conjugate_by(g, queue[head], inverse + s * g->degree, a);
            if (class_of[y] != UINT32_MAX) continue;
            class_of[y] = number;
            queue[count++] = y;
        }
    return count;
}

/* Steps from x through its powers; returns the order, and the elements x^0, x^1, .. in `power`
 * unless NULL. */
static uint32_t walk_powers(uint32_t *power, const f2l_group *g, uint32_t x)
{
    uint32_t base[F2L_GROUP_LEVELS], image[F2L_GROUP_LEVELS], order = 0, y = 0;
    const uint32_t *row = f2l_group_row(g, x);
    for (size_t l = 0; l < g->levels; l++) base[l] = g->level[l].base;
    do {
        if (power) power[order] = y;
        order++;
        for (size_t l = 0; l < g->levels; l++) base[l] = row[base[l]];
        memcpy(image, base, sizeof image);
        y = f2l_group_number(g, image);
    } while (y != 0);
    return order;
}

static f2l_status find_conjugacy_classes(class_list *list, uint32_t *class_of, const f2l_group *g,
                                         const f2l_task *task, f2l_error *err)
{
    size_t done = 0;
    f2l_meter meter = {.task = task, .phase = "conjugacy classes"};
    f2l_status status =
        f2l_meter_spend(&meter, 2 * g->order * sizeof *class_of, 0, (double)g->order, err);
    if (status != F2L_OK) return status;
    for (size_t x = 0; x < g->order; x++) class_of[x] = UINT32_MAX;
    for (uint32_t x = 0; x < g->order; x++) {
        if (class_of[x] != UINT32_MAX) continue;
        if (!f2l_grow((void **)&list->item, &list->room, list->count, sizeof *list->item))
            return f2l_fail_memory(err);
        list->queue[done] = x;
        class_of[x] = (uint32_t)list->count;
        found_class *k = &list->item[list->count];
        *k = (found_class){.first = x, .order = walk_powers(NULL, g, x), .number = list->count};
        k->size = orbit(class_of, list->queue + done, g, list->inverse);
        list->count++;
        done += k->size;
        status = f2l_meter_spend(&meter, 4 * k->order + 8 * k->size * g->needed, (double)done,
                                 (double)g->order, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

static int compare_classes(const void *left, const void *right)
{
    const found_class *a = left, *b = right;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Gives the classes their final order; list->queue becomes the new number of every old one. */
static f2l_status number_classes(f2l_classes *out, class_list *list, const f2l_group *g,
                                 f2l_error *err)
{
    out->representative = f2l_calloc(list->count, sizeof *out->representative);
    out->size = f2l_calloc(list->count, sizeof *out->size);
    out->element_order = f2l_calloc(list->count, sizeof *out->element_order);
    out->inverse = f2l_calloc(list->count, sizeof *out->inverse);
    out->power_at = f2l_calloc(list->count + 1, sizeof *out->power_at);
    if (!out->representative || !out->size || !out->element_order || !out->inverse ||
        !out->power_at)
        return f2l_fail_memory(err);
    out->classes = list->count;
    if (list->item) qsort(list->item, list->count, sizeof *list->item, compare_classes);
    for (size_t c = 0; c < list->count; c++) {
        const found_class *k = &list->item[c];
        out->representative[c] = k->first;
        out->size[c] = k->size;
        out->element_order[c] = k->order;
        out->power_at[c + 1] = out->power_at[c] + k->order;
        list->queue[k->number] = (uint32_t)c;
    }
    for (size_t x = 0; x < g->order; x++) out->class_of[x] = list->queue[out->class_of[x]];
    return F2L_OK;
}

/* Sets the powers up to the exponent, which divides the order and so fits. */
static f2l_status fill_powers(f2l_classes *out, const f2l_group *g, const f2l_task *task,
                              f2l_error *err)
{
    const size_t entries = out->power_at[out->classes];
    size_t bytes, polled = 0;
    if (!f2l_mul_size(&bytes, entries, sizeof *out->power)) return f2l_fail_memory(err);
    f2l_status status = f2l_task_memory(task, "the power maps of a group", bytes, err);
    if (status == F2L_OK && bytes > F2L_GROUP_BYTES)
        return f2l_fail(err, F2L_UNKNOWN, "the powers of %zu classes take too much memory to list",
                        out->classes);
    if (status == F2L_OK) status = f2l_task_spend(task, "power maps", 2 * bytes, err);
    if (status != F2L_OK) return status;
    out->power = f2l_calloc(entries, sizeof *out->power);
    if (!out->power) return f2l_fail_memory(err);
    out->exponent = 1;
    for (size_t c = 0; status == F2L_OK && c < out->classes; c++) {
        uint32_t *power = out->power + out->power_at[c];
        const uint32_t order = walk_powers(power, g, out->representative[c]);
        for (uint32_t i = 1; i < order; i++) power[i] = out->class_of[power[i]]; /* 0 stays 0 */
        out->inverse[c] = power[order - 1];
        out->exponent *= order / n_gcd(out->exponent, order);
        if (out->power_at[c] < polled + POLL) continue;
        polled = out->power_at[c];
        status = f2l_task_poll(task, "power maps", (double)polled, (double)entries, err);
    }
    return status;
}

static f2l_status prepare_class_list(class_list *list, f2l_classes *out, const f2l_group *g,
                                     f2l_error *err)
{
    size_t cells;
    if (!f2l_mul_size(&cells, g->needed, g->degree)) return f2l_fail_memory(err);
    out->class_of = f2l_calloc(g->order, sizeof *out->class_of);
    list->queue = f2l_calloc(g->order, sizeof *list->queue);
    list->inverse = f2l_calloc(cells, sizeof *list->inverse);
    if (!out->class_of || !list->queue || !list->inverse) return f2l_fail_memory(err);
    for (size_t s = 0; s < g->needed; s++)
        for (uint32_t p = 0; p < g->degree; p++)
            list->inverse[s * g->degree + g->generator[g->need[s] * g->degree + p]] = p;
    return F2L_OK;
}

f2l_status f2l_classes_build(f2l_classes *out, const f2l_group *g, const f2l_task *task,
                             f2l_error *err)
{
    class_list list = {0};
    f2l_classes_init(out);
    f2l_status status = prepare_class_list(&list, out, g, err);
    if (status == F2L_OK) status = find_conjugacy_classes(&list, out->class_of, g, task, err);
    if (status == F2L_OK) status = number_classes(out, &list, g, err);
    if (status == F2L_OK) status = fill_powers(out, g, task, err);
    f2l_free(list.item);
    f2l_free(list.queue);
    f2l_free(list.inverse);
    if (status != F2L_OK) f2l_classes_clear(out);
    return status;
}

uint32_t f2l_classes_power(const f2l_classes *c, uint32_t class_number, size_t i)
{
    return c->power[c->power_at[class_number] + i % c->element_order[class_number]];
}
