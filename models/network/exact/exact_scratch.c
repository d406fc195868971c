#include "models/network/exact/exact.h"
#include "numeric/base/mem.h"

f2l_status f2l_scratch_init(f2l_scratch *s, size_t numbers, size_t columns, f2l_error *err)
{
    *s = (f2l_scratch){0};
    s->slot = f2l_calloc(numbers, sizeof *s->slot);
    s->column = f2l_calloc(columns, sizeof *s->column);
    s->active = f2l_calloc(columns, sizeof *s->active);
    s->write = f2l_calloc(columns, sizeof *s->write);
    if (s->slot != NULL && s->column != NULL && s->active != NULL && s->write != NULL)
        return F2L_OK;
    f2l_scratch_clear(s);
    return f2l_fail_memory(err);
}

void f2l_scratch_clear(f2l_scratch *s)
{
    for (size_t i = 0; i < s->big_ready; i++) mpq_clear(s->big[i]);
    f2l_free(s->slot);
    f2l_free(s->touched);
    f2l_free(s->order);
    f2l_free(s->small);
    f2l_free(s->big);
    f2l_free(s->column);
    f2l_free(s->active);
    f2l_free(s->write);
    *s = (f2l_scratch){0};
}

void f2l_scratch_reset(f2l_scratch *s)
{
    for (size_t i = 0; i < s->count; i++) s->slot[s->touched[i]] = 0;
    for (size_t i = 0; i < s->columns; i++) s->active[s->column[i]] = 0;
    s->count = s->columns = 0;
}

static bool resize_scratch_array(void *array, size_t capacity, size_t size)
{
    void **at = array;
    void *resized = f2l_realloc(*at, capacity, size);
    if (resized == NULL) return false;
    *at = resized;
    return true;
}

bool f2l_scratch_reserve(f2l_scratch *s, size_t extra)
{
    size_t need = s->count + extra;
    if (need <= s->capacity) return true;
    size_t capacity = need < 32 ? 64 : 2 * need;
    if (!resize_scratch_array(&s->touched, capacity, sizeof *s->touched) ||
        !resize_scratch_array(&s->order, capacity, sizeof *s->order) ||
        !resize_scratch_array(&s->small, capacity, sizeof *s->small) ||
        !resize_scratch_array(&s->big, capacity, sizeof *s->big))
        return false;
    s->capacity = capacity;
    return true;
}

void f2l_scratch_activate(f2l_scratch *s, uint32_t column)
{
    if (s->active[column]) return;
    s->active[column] = 1;
    s->column[s->columns++] = column;
}

size_t f2l_scratch_touch(f2l_scratch *s, uint32_t coordinate)
{
    if (s->slot[coordinate] != 0) return s->slot[coordinate] - 1;
    size_t at = s->count++;
    s->touched[at] = coordinate;
    s->slot[coordinate] = (uint32_t)s->count;
    s->small[at] = 0;
    if (at == s->big_ready)
        mpq_init(s->big[s->big_ready++]);
    else
        mpq_set_ui(s->big[at], 0, 1);
    return at;
}
