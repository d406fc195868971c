/* Extensions as groups, and the cover that is returned. */
#include "numeric/base/mem.h"
#include "theory/rep/characters/members.h"
#include "theory/rep/cover/impl.h"
#include <string.h>

void f2l_extended_clear(f2l_extended *e)
{
    f2l_group_clear(&e->group);
    f2l_classes_clear(&e->classes);
    f2l_characters_clear(&e->characters);
    f2l_householders_clear(&e->householders);
    f2l_free(e->at);
    e->at = NULL;
}

/* Fills the images: (g, a) x = (g x, a + z), and the kernel's own generators. */
static void fill_extension_images(uint32_t *image, const f2l_presentation *p,
                                  const f2l_extension *x)
{
    const size_t points = p->group->order * x->kernel;
    for (size_t s = 0; s < p->generators + x->parts; s++)
        for (size_t point = 0; point < points; point++) {
            const size_t g = point / x->kernel, edge = g * p->generators + s;
            size_t a = point % x->kernel, to = 0, radix = 1;
            for (size_t i = 0; i < x->parts; i++) {
                const size_t z = s < p->generators ? f2l_edge_value(p, edge, x->values[i], x->q[i])
                                                   : (size_t)(s - p->generators == i);
                to += radix * ((a % x->q[i] + z) % x->q[i]);
                a /= x->q[i];
                radix *= x->q[i];
            }
            image[s * points + point] =
                (uint32_t)((s < p->generators ? p->next[edge] : g) * x->kernel + to);
        }
}

static f2l_status build_group(f2l_extended *e, const f2l_presentation *p, const f2l_extension *x,
                              const f2l_task *task, f2l_error *err)
{
    const size_t points = p->group->order * x->kernel, generators = p->generators + x->parts;
    uint32_t *image = f2l_calloc(generators, points * sizeof *image);
    e->at = f2l_calloc(points, sizeof *e->at);
    f2l_status status = image && e->at ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        fill_extension_images(image, p, x);
        status = f2l_group_build(&e->group, image, generators, points, points, task, err);
    }
    f2l_free(image);
    if (status == F2L_OK && e->group.order != points) /* R2.3 says that this cannot happen */
        status = f2l_fail(err, F2L_EDOMAIN, "an extension has the wrong order");
    for (uint32_t y = 0; status == F2L_OK && y < points; y++)
        e->at[e->group.element[y * points]] = y;
    return status;
}

f2l_status f2l_extended_build(f2l_extended *out, const f2l_presentation *p,
                              const f2l_extension *extension, const f2l_task *task, f2l_error *err)
{
    memset(out, 0, sizeof *out);
    out->kernel = extension->kernel;
    f2l_status status = build_group(out, p, extension, task, err);
    if (status == F2L_OK) status = f2l_classes_build(&out->classes, &out->group, task, err);
    if (status == F2L_OK)
        status = f2l_characters_build(&out->characters, &out->group, &out->classes, task, err);
    if (status == F2L_OK)
        status = f2l_householders_build(&out->householders, &out->classes, &out->characters, NULL,
                                        0, 1, task, err);
    if (status != F2L_OK) f2l_extended_clear(out);
    return status;
}

/* Chooses the lifts of all letters, as elements of the extension. A conjugate of a letter has a
 * lift in the same class. */
static void choose_lifts(uint32_t *lift, const f2l_extended *e, const f2l_classes *classes,
                         const f2l_letter_classes *kinds, const uint8_t *lifts,
                         const uint32_t *letter, size_t letters)
{
    for (size_t i = 0; i < letters; i++) {
        const uint32_t g = letter ? letter[i] : (uint32_t)i;
        size_t kind = 0, a = 0;
        while (kinds->class_number[kind] != classes->class_of[g]) kind++;
        const uint32_t wanted = f2l_extended_class(e, kinds->representative[kind], lifts[kind]);
        while (f2l_extended_class(e, g, a) != wanted) a++;
        lift[i] = e->at[g * e->kernel + a];
    }
}

/* Builds the subgroup that the lifts generate, acting on its own elements from the right. */
static f2l_status build_cover(f2l_cover *out, const f2l_members *h, const f2l_task *task,
                              f2l_error *err)
{
    uint32_t *image = f2l_calloc(h->generators, h->count * sizeof *image);
    if (!image) return f2l_fail_memory(err);
    for (size_t s = 0; s < h->generators; s++)
        for (size_t i = 0; i < h->count; i++)
            image[s * h->count + i] =
                h->at[f2l_group_multiply(h->group, h->member[i], h->generator[s])] - 1;
    f2l_status status =
        f2l_group_build(&out->group, image, h->generators, h->count, h->count, task, err);
    f2l_free(image);
    return status;
}

/* Names the elements: element y of the cover takes point 0, the identity, to the position of its
 * member. */
static f2l_status name_elements(f2l_cover *out, const f2l_extended *e, const f2l_members *h,
                                f2l_error *err)
{
    uint32_t *at = f2l_calloc(h->count, sizeof *at);
    out->projection = f2l_calloc(h->count, sizeof *out->projection);
    if (!at || !out->projection) {
        f2l_free(at);
        return f2l_fail_memory(err);
    }
    for (uint32_t y = 0; y < h->count; y++) {
        const uint32_t position = out->group.element[y * h->count];
        const uint32_t point = e->group.element[(size_t)h->member[position] * e->group.degree];
        at[position] = y;
        out->projection[y] = (uint32_t)(point / e->kernel);
    }
    for (size_t i = 0; i < out->letters; i++) out->lift[i] = at[h->at[out->lift[i]] - 1];
    f2l_free(at);
    return F2L_OK;
}

f2l_status f2l_cover_finish(f2l_cover *out, const f2l_extended *e, const f2l_group *group,
                            const f2l_classes *classes, const f2l_letter_classes *kinds,
                            const uint8_t *lifts, const uint32_t *letter, size_t letters,
                            const f2l_task *task, f2l_error *err)
{
    f2l_members h;
    f2l_status status = f2l_members_init(&h, &e->group, err);
    if (status != F2L_OK) return status;
    out->letters = letters;
    out->lift = f2l_calloc(letters, sizeof *out->lift);
    status = out->lift ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        choose_lifts(out->lift, e, classes, kinds, lifts, letter, letters);
        for (size_t i = 0; i < letters; i++) f2l_members_add(&h, out->lift[i]);
        status = build_cover(out, &h, task, err);
    }
    if (status == F2L_OK) status = name_elements(out, e, &h, err);
    out->kernel = h.count / group->order;
    f2l_members_clear(&h);
    if (status == F2L_OK) status = f2l_classes_build(&out->classes, &out->group, task, err);
    if (status == F2L_OK)
        status = f2l_characters_build(&out->characters, &out->group, &out->classes, task, err);
    if (status == F2L_OK)
        status = f2l_householders_build(&out->householders, &out->classes, &out->characters,
                                        out->lift, letters, 0, task, err);
    return status;
}
