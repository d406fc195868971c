/* The products of few letters: the only part of the group that a ring of blocks needs
 * (theory/pages/d1.md, D1.2). */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"

#define FIRST_ROOM 64

void f2l_d1_words_clear(f2l_d1_words *words)
{
    f2l_rowset_clear(&words->element);
    f2l_free(words->next);
    f2l_free(words->from);
    f2l_free(words->letter);
    f2l_free(words->level);
    f2l_free(words->other);
    f2l_free(words->length);
    *words = (f2l_d1_words){0};
}

static bool grow_word_array(uint32_t **array, size_t room, size_t width)
{
    size_t count;
    if (!f2l_mul_size(&count, room, width)) return false;
    uint32_t *grown = f2l_realloc(*array, count, sizeof *grown);
    if (!grown) return false;
    *array = grown;
    return true;
}

/* Makes room for every element that is listed. */
static f2l_status grow_words(f2l_d1 *d, f2l_error *err)
{
    f2l_d1_words *w = &d->words;
    const size_t k = d->letters, room = w->capacity ? 2 * w->capacity : FIRST_ROOM;
    if (w->element.count <= w->capacity) return F2L_OK;
    d->crowded = w->element.count > F2L_D1_ENTRIES / (k + 1 + d->points);
    if (d->crowded)
        return f2l_fail(err, F2L_UNKNOWN, "blocks of %zu tokens have too many products: over %zu",
                        d->block, w->capacity);
    f2l_status status =
        f2l_task_table(d->task, "the products of a block",
                       room * (k + 5) * sizeof *w->next + f2l_rowset_bytes(&w->element), err);
    if (status != F2L_OK) return status;
    if (!grow_word_array(&w->next, room, k) || !grow_word_array(&w->from, room, 1) ||
        !grow_word_array(&w->letter, room, 1) || !grow_word_array(&w->level, room, 1) ||
        !grow_word_array(&w->other, room, 1) || !grow_word_array(&w->length, room, 1))
        return f2l_fail_memory(err);
    for (size_t i = w->capacity * k; i < room * k; i++) w->next[i] = F2L_D1_NONE;
    for (size_t i = w->capacity; i < room; i++) w->length[i] = 0;
    w->capacity = room;
    return F2L_OK;
}

static f2l_status add_word_element(f2l_d1 *d, size_t *index, f2l_error *err)
{
    f2l_status status = f2l_rowset_add(&d->words.element, d->product, d->points, index, err);
    return status == F2L_OK ? grow_words(d, err) : status;
}

/* Lists the product of element `e` and letter `a`. */
static f2l_status follow_word(f2l_d1 *d, uint32_t e, size_t a, uint32_t *to, f2l_error *err)
{
    f2l_d1_words *w = &d->words;
    const size_t n = d->points, at = (size_t)e * d->letters + a, before = w->element.count;
    size_t index = w->next[at];
    if (index == F2L_D1_NONE) {
        const uint32_t *image = f2l_rowset_get(&w->element, e, NULL),
                       *letter = d->set->image + a * n;
        for (size_t p = 0; p < n; p++) d->product[p] = letter[image[p]];
        f2l_status status = add_word_element(d, &index, err);
        if (status != F2L_OK) return status;
        w->next[at] = (uint32_t)index;
        if (index == before) {
            w->from[index] = e;
            w->letter[index] = (uint32_t)a;
        }
    }
    *to = (uint32_t)index;
    return F2L_OK;
}

/* Makes the products of `length` letters from the products of length - 1 letters. */
static f2l_status next_level(f2l_d1 *d, size_t length, f2l_error *err)
{
    f2l_d1_words *w = &d->words;
    size_t found = 0;
    f2l_meter meter = {.task = d->task, .phase = "products of a block"};
    for (size_t i = 0; i < w->count; i++) {
        f2l_status status =
            f2l_meter_spend(&meter, d->letters * (2 + d->points), (double)i, (double)w->count, err);
        for (size_t a = 0; a < d->letters; a++) {
            uint32_t to;
            if (status == F2L_OK) status = follow_word(d, w->level[i], a, &to, err);
            if (status != F2L_OK) return status;
            if (w->length[to] == length) continue;
            w->length[to] = (uint32_t)length;
            w->other[found++] = to;
        }
    }
    uint32_t *level = w->level;
    w->level = w->other;
    w->other = level;
    w->count = found;
    return F2L_OK;
}

/* Sets level[] to the empty product. */
static f2l_status first_level(f2l_d1 *d, f2l_error *err)
{
    f2l_d1_words *w = &d->words;
    size_t identity;
    for (size_t p = 0; p < d->points; p++) d->product[p] = (uint32_t)p;
    f2l_status status = add_word_element(d, &identity, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < w->element.count; i++) w->length[i] = 0;
    w->level[0] = (uint32_t)identity;
    w->count = 1;
    w->at = 0;
    return F2L_OK;
}

f2l_status f2l_d1_level(f2l_d1 *d, size_t length, f2l_error *err)
{
    f2l_d1_words *w = &d->words;
    f2l_status status = w->count == 0 || w->at > length ? first_level(d, err) : F2L_OK;
    while (status == F2L_OK && w->at < length) {
        status = next_level(d, w->at + 1, err);
        w->at++;
    }
    return status;
}
