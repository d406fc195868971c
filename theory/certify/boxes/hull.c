/* The least boxes of a layer that are closed under its edges, by policy iteration (Howard 1960) on
 * the ends of their intervals. Each end is at least, or at most, a given number, and affine
 * functions of other ends, one for each edge that leads to its code. */
#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "theory/certify/boxes/impl.h"
#include <string.h>

#define PASSES 3         /* improvements, one after the other, before ends are solved together */
#define MOST_TOGETHER 96 /* ends that are solved together */
#define MOST_BITS 10000  /* of a numerator or denominator, which files hold */
#define MORE_ROUNDS 64   /* beyond the number of codes */

enum { LOW, HIGH };

typedef struct hull {
    const f2l_layer *layer;
    const f2l_code_edges *edges;
    const uint32_t *letter; /* [classes] a letter of each class */
    size_t numbers;         /* of a state, head by head */
    f2l_affine *map;        /* [classes][heads] */
    uint32_t **entry;       /* [classes][heads] -> [n][n] the entry of A by row and column, + 1 */
    mpq_t *end[2];          /* [codes][numbers] */
    uint32_t *by[2];        /* [codes][numbers] the edge that gives the end, + 1; 0: a number */
    mpq_t *image[2];        /* [numbers] scratch */
    uint32_t *place;        /* [2 * codes * numbers] scratch: of an end in its component */
    f2l_meter meter;
    uint64_t spent;
} hull;

static f2l_status spend(hull *u, uint64_t steps, f2l_error *err)
{
    u->spent += steps;
    if (u->spent > F2L_BOXES_STEPS)
        return f2l_fail(err, F2L_UNKNOWN, "the boxes still grow after %llu million steps",
                        (unsigned long long)(F2L_BOXES_STEPS / F2L_STEPS));
    return f2l_meter_spend(&u->meter, steps, 0, 0, err);
}

static void clear_rationals(mpq_t *of, size_t count)
{
    for (size_t i = 0; of && i < count; i++) mpq_clear(of[i]);
    f2l_free(of);
}

static mpq_t *new_rationals(size_t count)
{
    mpq_t *out = f2l_calloc(count, sizeof *out);
    for (size_t i = 0; out && i < count; i++) mpq_init(out[i]);
    return out;
}

static void clear_hull(hull *u)
{
    const size_t maps = u->edges->classes * u->layer->heads, ends = u->edges->codes * u->numbers;
    for (size_t i = 0; u->map && i < maps; i++) f2l_affine_clear(&u->map[i]);
    for (size_t i = 0; u->entry && i < maps; i++) f2l_free(u->entry[i]);
    for (size_t side = 0; side < 2; side++) {
        clear_rationals(u->end[side], ends);
        clear_rationals(u->image[side], u->numbers);
        f2l_free(u->by[side]);
    }
    f2l_free(u->map);
    f2l_free(u->entry);
    f2l_free(u->place);
}

static f2l_status allocate_hull(hull *u, f2l_error *err)
{
    const size_t maps = u->edges->classes * u->layer->heads;
    size_t ends;
    if (!f2l_mul_size(&ends, u->edges->codes, u->numbers) || ends > INT32_MAX / 2) {
        (void)f2l_fail(err, F2L_UNKNOWN, "too many numbers of codes");
        return F2L_UNKNOWN; /* so that an analyser sees that it is no success */
    }
    f2l_status status =
        f2l_task_table(u->meter.task, "boxes", ends * 2 * (sizeof(mpq_t) + 56), err);
    if (status != F2L_OK) return status;
    u->map = f2l_calloc(maps, sizeof *u->map);
    u->entry = f2l_calloc(maps, sizeof *u->entry);
    u->place = f2l_calloc(2 * ends, sizeof *u->place);
    bool made = u->map && u->entry && u->place;
    for (size_t side = 0; side < 2; side++) {
        u->end[side] = new_rationals(ends);
        u->image[side] = new_rationals(u->numbers);
        u->by[side] = f2l_calloc(ends, sizeof **u->by);
        made = made && u->end[side] && u->image[side] && u->by[side];
    }
    return made ? F2L_OK : f2l_fail_memory(err);
}

/* Finds what the letters of a class do to a head. */
static f2l_status find_map(hull *u, f2l_exact *run, size_t layer, size_t class, size_t h,
                           f2l_error *err)
{
    const size_t at = class * u->layer->heads + h, n = u->layer->head[h].n;
    f2l_status status =
        f2l_meter_spend(&u->meter,
                        (n + 1) * f2l_head_weigh(&u->layer->head[h], u->layer->letters, 2, 8, 2) /
                                u->layer->letters +
                            n * n,
                        0, 0, err);
    if (status == F2L_OK)
        status = f2l_affine_find(&u->map[at], run, layer, h, u->letter[class], err);
    if (status != F2L_OK) return status;
    u->entry[at] = f2l_calloc(n * n, sizeof **u->entry);
    if (!u->entry[at]) return f2l_fail_memory(err);
    const f2l_qvec *a = &u->map[at].a;
    for (size_t i = 0; i < a->count; i++)
        u->entry[at][a->index[i] % n * n + a->index[i] / n] = (uint32_t)i + 1;
    return F2L_OK;
}

/* Moves an end of the code, so that the box holds the number. */
static void hold_number(hull *u, size_t code, size_t number, mpq_srcptr value)
{
    const size_t at = code * u->numbers + number;
    if (mpq_cmp(value, u->end[LOW][at]) < 0) mpq_set(u->end[LOW][at], value);
    if (mpq_cmp(value, u->end[HIGH][at]) > 0) mpq_set(u->end[HIGH][at], value);
}

/* Begins with the codes, and with the initial state in the box of its code. */
static void hold_codes(hull *u, size_t start)
{
    const f2l_layer *layer = u->layer;
    mpq_t zero;
    mpq_init(zero);
    for (size_t h = 0, first = 0; h < layer->heads;
         first += layer->head[h].n * layer->head[h].d, h++) {
        for (size_t c = 0; c < layer->codes; c++)
            for (size_t i = 0; i < layer->code[c * layer->heads + h].count; i++) {
                const f2l_qvec *code = &layer->code[c * layer->heads + h];
                const size_t at = c * u->numbers + first + code->index[i];
                mpq_set(u->end[LOW][at], code->value[i]);
                mpq_set(u->end[HIGH][at], code->value[i]);
            }
        const f2l_qvec *initial = &layer->head[h].initial;
        for (size_t k = 0, at = 0; k < layer->head[h].n * layer->head[h].d; k++) {
            const bool has = at < initial->count && initial->index[at] == k;
            hold_number(u, start, first + k, has ? initial->value[at++] : zero);
        }
    }
    mpq_clear(zero);
}

/* Improves the ends of the box of `to` by the image of the box of `from` under letters of a class.
 * Returns whether some end moved. */
static bool improve_by(hull *u, size_t from, size_t class, size_t to)
{
    const f2l_layer *layer = u->layer;
    const uint32_t edge = (uint32_t)(from * u->edges->classes + class) + 1;
    bool moved = false;
    for (size_t h = 0, first = 0; h < layer->heads; h++) {
        const f2l_affine *map = &u->map[class * layer->heads + h];
        const size_t at = from * u->numbers + first;
        f2l_affine_image(u->image[LOW], u->image[HIGH], map, &u->end[LOW][at], &u->end[HIGH][at]);
        for (size_t k = 0; k < map->n * map->d; k++)
            for (int side = LOW; side <= HIGH; side++) {
                const size_t end = to * u->numbers + first + k;
                const int order = mpq_cmp(u->image[side][k], u->end[side][end]);
                if (side == LOW ? order >= 0 : order <= 0) continue;
                mpq_swap(u->image[side][k], u->end[side][end]);
                u->by[side][end] = edge;
                moved = true;
            }
        first += map->n * map->d;
    }
    return moved;
}

/* Improves all ends once; sets *moved where some did. */
static f2l_status improve_all(hull *u, bool *moved, f2l_error *err)
{
    const f2l_code_edges *e = u->edges;
    *moved = false;
    for (size_t i = 0; i < e->codes * e->classes; i++) {
        if (e->next[i] == F2L_NO_SYMBOL) continue;
        uint64_t steps = 4;
        for (size_t h = 0; h < u->layer->heads; h++) {
            const f2l_affine *map = &u->map[i % e->classes * u->layer->heads + h];
            steps += 4 * map->a.count * map->d + 2 * map->n * map->d;
        }
        const f2l_status status = spend(u, steps, err);
        if (status != F2L_OK) return status;
        if (improve_by(u, i / e->classes, i % e->classes, e->next[i])) *moved = true;
    }
    return F2L_OK;
}

/* --- ends that are solved together --- */

/* An end as an affine function: b + the sum over k of A_ik times the end at dep_k. */
typedef struct function {
    const f2l_affine *map;
    const uint32_t *entry; /* [n] of row i */
    size_t first, from, row, column, side;
} function;

/* An end is a node: side * codes * numbers + code * numbers + number. Returns whether an edge gives
 * it, and sets *out to its function. */
static bool function_of(function *out, const hull *u, uint32_t node)
{
    const size_t ends = u->edges->codes * u->numbers, side = node / ends, end = node % ends;
    const uint32_t by = u->by[side][end];
    *out = (function){0};
    if (by == 0) return false;
    const size_t class = (by - 1) % u->edges->classes;
    size_t h = 0, number = end % u->numbers;
    out->first = 0;
    for (; number >= u->layer->head[h].n * u->layer->head[h].d; h++) {
        const size_t size = u->layer->head[h].n * u->layer->head[h].d;
        number -= size;
        out->first += size;
    }
    out->map = &u->map[class * u->layer->heads + h];
    out->from = (by - 1) / u->edges->classes;
    out->row = number / out->map->d;
    out->column = number % out->map->d;
    out->entry = u->entry[class * u->layer->heads + h] + out->row * out->map->n;
    out->side = side;
    return true;
}

/* Returns the end that the function has in column k of A, F2L_NO_NODE where there is none. */
static uint32_t argument_of(const function *f, const hull *u, size_t k)
{
    if (k >= f->map->n || f->entry[k] == 0) return F2L_NO_NODE;
    const size_t ends = u->edges->codes * u->numbers;
    const bool rises = mpq_sgn(f->map->a.value[f->entry[k] - 1]) > 0;
    const size_t side = rises ? f->side : 1 - f->side;
    return (uint32_t)(side * ends + f->from * u->numbers + f->first + k * f->map->d + f->column);
}

static uint32_t next_end(const f2l_graph *graph, uint32_t node, size_t letter)
{
    function f;
    return function_of(&f, graph->context, node) ? argument_of(&f, graph->context, letter)
                                                 : F2L_NO_NODE;
}

static mpq_t *end_at(const hull *u, uint32_t node)
{
    const size_t ends = u->edges->codes * u->numbers;
    return &u->end[node / ends][node % ends];
}

/* Fills row i of the equations (1 - A) x = b of a component's ends. */
static void fill_equation(const hull *u, mpq_t *row, const function *f, size_t i, size_t count)
{
    const uint32_t at = (uint32_t)(f->row * f->map->d + f->column);
    mpq_t product;
    mpq_init(product);
    for (size_t j = 0; j <= count; j++) mpq_set_ui(row[j], j == i, 1);
    for (size_t j = 0; j < f->map->b.count; j++)
        if (f->map->b.index[j] == at) mpq_set(row[count], f->map->b.value[j]);
    for (size_t k = 0; k < f->map->n; k++) {
        const uint32_t node = argument_of(f, u, k);
        if (node == F2L_NO_NODE) continue;
        mpq_srcptr a = f->map->a.value[f->entry[k] - 1];
        const uint32_t place = u->place[node];
        if (place > 0) {
            mpq_sub(row[place - 1], row[place - 1], a);
        } else {
            mpq_mul(product, a, *end_at(u, node));
            mpq_add(row[count], row[count], product);
        }
    }
    mpq_clear(product);
}

/* Solves `count` equations in rows of count + 1 numbers; returns false where they do not determine
 * the unknowns, else each row ends with its unknown. */
static bool eliminate(mpq_t *row, size_t count)
{
    const size_t width = count + 1;
    mpq_t ratio, product;
    mpq_inits(ratio, product, (mpq_ptr)NULL);
    size_t done = 0;
    for (; done < count; done++) {
        size_t pivot = done;
        while (pivot < count && mpq_sgn(row[pivot * width + done]) == 0) pivot++;
        if (pivot == count) break;
        for (size_t j = 0; j < width; j++) mpq_swap(row[pivot * width + j], row[done * width + j]);
        mpq_set(ratio, row[done * width + done]);
        for (size_t j = done; j < width; j++)
            mpq_div(row[done * width + j], row[done * width + j], ratio);
        for (size_t i = 0; i < count; i++) {
            if (i == done || mpq_sgn(row[i * width + done]) == 0) continue;
            mpq_set(ratio, row[i * width + done]);
            for (size_t j = done; j < width; j++) {
                mpq_mul(product, ratio, row[done * width + j]);
                mpq_sub(row[i * width + j], row[i * width + j], product);
            }
        }
    }
    mpq_clears(ratio, product, (mpq_ptr)NULL);
    return done == count;
}

/* Moves the ends of a component to the solution, if it is no step back. */
static void take_solution(hull *u, mpq_t *row, const uint32_t *member, size_t count)
{
    const size_t ends = u->edges->codes * u->numbers;
    bool forward = true;
    for (size_t i = 0; forward && i < count; i++) {
        const int order = mpq_cmp(row[i * (count + 1) + count], *end_at(u, member[i]));
        forward = member[i] / ends == LOW ? order <= 0 : order >= 0;
    }
    for (size_t i = 0; forward && i < count; i++)
        mpq_swap(*end_at(u, member[i]), row[i * (count + 1) + count]);
}

static f2l_status solve_component(hull *u, const uint32_t *member, size_t count, f2l_error *err)
{
    function f;
    if (count == 1 && !function_of(&f, u, member[0])) return F2L_OK;
    if (count > MOST_TOGETHER)
        return f2l_fail(err, F2L_UNKNOWN, "%zu ends of boxes depend on each other", count);
    f2l_status status = spend(u, 8 * count * count * count + 8, err);
    mpq_t *row = status == F2L_OK ? new_rationals(count * (count + 1)) : NULL;
    if (!row) return status == F2L_OK ? f2l_fail_memory(err) : status;
    for (size_t i = 0; i < count; i++) u->place[member[i]] = (uint32_t)i + 1;
    for (size_t i = 0; i < count && function_of(&f, u, member[i]); i++) {
        /* all ends of a cycle are given by edges */
        fill_equation(u, row + i * (count + 1), &f, i, count);
    }
    if (eliminate(row, count)) take_solution(u, row, member, count);
    for (size_t i = 0; i < count; i++) u->place[member[i]] = 0;
    clear_rationals(row, count * (count + 1));
    for (size_t i = 0; i < count; i++)
        if (mpz_sizeinbase(mpq_denref(*end_at(u, member[i])), 2) > MOST_BITS)
            return f2l_fail(err, F2L_UNKNOWN, "the ends of the boxes become long");
    return F2L_OK;
}

/* Solves all ends together, each as the function that is the best for it now. */
static f2l_status solve_ends(hull *u, f2l_error *err)
{
    f2l_scc scc;
    size_t rows = 0;
    for (size_t h = 0; h < u->layer->heads; h++)
        if (u->layer->head[h].n > rows) rows = u->layer->head[h].n;
    const f2l_graph graph = {.nodes = 2 * u->edges->codes * u->numbers,
                             .letters = rows,
                             .next = next_end,
                             .context = u,
                             .steps = 4 + rows};
    f2l_status status = f2l_scc_build(&scc, &graph, &u->meter, err);
    for (size_t i = 0; status == F2L_OK && i < scc.count; i++)
        status =
            solve_component(u, scc.member + scc.first[i], scc.first[i + 1] - scc.first[i], err);
    f2l_scc_clear(&scc);
    return status;
}

static f2l_status close_hull(hull *u, f2l_error *err)
{
    bool moved = true;
    for (size_t round = 0; round < u->edges->codes + MORE_ROUNDS; round++) {
        for (size_t pass = 0; pass < PASSES; pass++) {
            f2l_status status = improve_all(u, &moved, err);
            if (status != F2L_OK || !moved) return status;
        }
        f2l_status status = solve_ends(u, err);
        if (status != F2L_OK) return status;
    }
    return f2l_fail(err, F2L_UNKNOWN, "boxes grow from round to round");
}

/* Writes the ends as the boxes of the layer. */
static f2l_status write_hull(f2l_layer *boxed, const hull *u, f2l_error *err)
{
    f2l_status status = f2l_layer_set_boxes(boxed, err);
    for (size_t c = 0; status == F2L_OK && c < boxed->codes; c++)
        for (size_t h = 0, at = c * u->numbers; h < boxed->heads; h++)
            for (size_t k = 0; status == F2L_OK && k < boxed->head[h].n * boxed->head[h].d;
                 k++, at++) {
                const size_t i = c * boxed->heads + h;
                status = f2l_qvec_push(&boxed->low[i], (uint32_t)k, u->end[LOW][at], err);
                if (status == F2L_OK)
                    status = f2l_qvec_push(&boxed->high[i], (uint32_t)k, u->end[HIGH][at], err);
            }
    return status;
}

f2l_status f2l_hull_find(f2l_layer *boxed, f2l_exact *run, size_t layer,
                         const f2l_code_edges *edges, size_t start, const f2l_task *task,
                         f2l_error *err)
{
    hull u = {.layer = &f2l_exact_net(run)->layer[layer],
              .edges = edges,
              .letter = f2l_exact_same_letters(run, layer)->first,
              .meter = {.task = task, .phase = "looking for boxes"}};
    for (size_t h = 0; h < u.layer->heads; h++)
        u.numbers += u.layer->head[h].n * u.layer->head[h].d;
    f2l_status status = allocate_hull(&u, err);
    for (size_t i = 0; status == F2L_OK && i < edges->classes * u.layer->heads; i++)
        status = find_map(&u, run, layer, i / u.layer->heads, i % u.layer->heads, err);
    if (status == F2L_OK) hold_codes(&u, start);
    if (status == F2L_OK) status = close_hull(&u, err);
    if (status == F2L_OK) status = write_hull(boxed, &u, err);
    clear_hull(&u);
    return status;
}
