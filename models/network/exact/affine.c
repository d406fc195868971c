#include "models/network/exact/affine.h"
#include "numeric/base/mem.h"

void f2l_affine_clear(f2l_affine *map)
{
    f2l_qvec_clear(&map->a);
    f2l_qvec_clear(&map->b);
    *map = (f2l_affine){0};
}

/* Sets *value to a number of a vector, 0 where it has no entry; *at is the position of the entry
 * before. */
static void take_number(mpq_t value, const f2l_qvec *v, size_t *at, size_t index)
{
    while (*at < v->count && v->index[*at] < index) ++*at;
    if (*at < v->count && v->index[*at] == index)
        mpq_set(value, v->value[*at]);
    else
        mpq_set_ui(value, 0, 1);
}

/* Appends column k of A: what the map makes of a row k of ones, less B. */
static f2l_status push_column(f2l_affine *map, const f2l_qvec *image, size_t k, f2l_error *err)
{
    size_t at = 0, before = 0;
    mpq_t value, constant;
    f2l_status status = F2L_OK;
    mpq_inits(value, constant, (mpq_ptr)NULL);
    for (size_t i = 0; status == F2L_OK && i < map->n; i++) {
        take_number(value, image, &at, i * map->d);
        take_number(constant, &map->b, &before, i * map->d);
        mpq_sub(value, value, constant);
        status = f2l_qvec_push(&map->a, (uint32_t)(k * map->n + i), value, err);
    }
    mpq_clears(value, constant, (mpq_ptr)NULL);
    return status;
}

f2l_status f2l_affine_find(f2l_affine *out, f2l_exact *run, size_t layer, size_t head,
                           size_t letter, f2l_error *err)
{
    const f2l_head *of = &f2l_exact_net(run)->layer[layer].head[head];
    f2l_qvec state;
    *out = (f2l_affine){.n = of->n, .d = of->d};
    f2l_qvec_init(&out->a);
    f2l_qvec_init(&out->b);
    f2l_qvec_init(&state);
    f2l_status status = f2l_exact_step_head(run, &out->b, layer, head, letter, &state, err);
    for (size_t k = 0; status == F2L_OK && k < of->n; k++) {
        f2l_qvec_clear(&state);
        for (size_t j = 0; status == F2L_OK && j < of->d; j++)
            status = f2l_qvec_push_si(&state, (uint32_t)(k * of->d + j), 1, 1, err);
        if (status == F2L_OK)
            status = f2l_exact_step_head(run, &state, layer, head, letter, &state, err);
        if (status == F2L_OK) status = push_column(out, &state, k, err);
    }
    f2l_qvec_clear(&state);
    if (status != F2L_OK) f2l_affine_clear(out);
    return status;
}

static void spread_vector(mpq_t *out, const f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) mpq_set(out[v->index[i]], v->value[i]);
}

void f2l_affine_image(mpq_t *low, mpq_t *high, const f2l_affine *map, mpq_t *from_low,
                      mpq_t *from_high)
{
    mpq_t product;
    mpq_init(product);
    for (size_t i = 0; i < map->n * map->d; i++) {
        mpq_set_ui(low[i], 0, 1);
        mpq_set_ui(high[i], 0, 1);
    }
    spread_vector(low, &map->b);
    spread_vector(high, &map->b);
    for (size_t i = 0; i < map->a.count; i++) {
        const size_t from = map->a.index[i] / map->n * map->d,
                     to = map->a.index[i] % map->n * map->d;
        const bool rises = mpq_sgn(map->a.value[i]) > 0;
        for (size_t j = 0; j < map->d; j++) {
            mpq_mul(product, map->a.value[i], rises ? from_low[from + j] : from_high[from + j]);
            mpq_add(low[to + j], low[to + j], product);
            mpq_mul(product, map->a.value[i], rises ? from_high[from + j] : from_low[from + j]);
            mpq_add(high[to + j], high[to + j], product);
        }
    }
    mpq_clear(product);
}

static f2l_status gather_vector(f2l_qvec *out, mpq_t *from, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_qvec_clear(out);
    for (size_t i = 0; status == F2L_OK && i < count; i++)
        status = f2l_qvec_push(out, (uint32_t)i, from[i], err);
    return status;
}

f2l_status f2l_affine_enclose(f2l_qvec *low, f2l_qvec *high, const f2l_affine *map,
                              const f2l_qvec *from_low, const f2l_qvec *from_high, f2l_error *err)
{
    const size_t numbers = map->n * map->d;
    mpq_t *all = f2l_calloc(numbers, 4 * sizeof *all);
    if (!all) return f2l_fail_memory(err);
    mpq_t *const image = all + 2 * numbers;
    for (size_t i = 0; i < 4 * numbers; i++) mpq_init(all[i]);
    spread_vector(all, from_low);
    spread_vector(all + numbers, from_high);
    f2l_affine_image(image, image + numbers, map, all, all + numbers);
    f2l_status status = gather_vector(low, image, numbers, err);
    if (status == F2L_OK) status = gather_vector(high, image + numbers, numbers, err);
    for (size_t i = 0; i < 4 * numbers; i++) mpq_clear(all[i]);
    f2l_free(all);
    return status;
}
