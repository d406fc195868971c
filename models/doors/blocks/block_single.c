/* A head for each comparison of a number of the state with a threshold: for layers whose numbers
 * have many values. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <stdlib.h>

typedef struct coordinate {
    size_t head, row, column;
} coordinate;

typedef struct ranker {
    const f2l_layer *layer;
    coordinate *at; /* [coordinates] numbers that differ between codes */
    size_t coordinates;
    uint32_t *rank; /* [coordinates][codes] of the code's number among the numbers there */
} ranker;

static const mpq_t *number_of_code(const f2l_layer *layer, coordinate at, size_t code)
{
    return f2l_block_entry(&layer->code[code * layer->heads + at.head],
                           at.row * layer->head[at.head].d + at.column);
}

static int compare_numbers(const mpq_t *a, const mpq_t *b)
{
    if (a && b) return mpq_cmp(*a, *b);
    return a ? mpq_sgn(*a) : b ? -mpq_sgn(*b) : 0;
}

typedef struct ranked {
    const mpq_t *number;
    size_t code;
} ranked;

static int compare_ranked_numbers(const void *a, const void *b)
{
    return compare_numbers(((const ranked *)a)->number, ((const ranked *)b)->number);
}

/* Ranks the codes by their number at the coordinate, and keeps the coordinate if there are two. */
static void rank_codes(ranker *c, coordinate at, ranked *room)
{
    const size_t codes = c->layer->codes;
    uint32_t *rank = &c->rank[c->coordinates * codes], r = 0;
    for (size_t i = 0; i < codes; i++) room[i] = (ranked){number_of_code(c->layer, at, i), i};
    qsort(room, codes, sizeof *room, compare_ranked_numbers);
    for (size_t i = 0; i < codes; i++) {
        if (i > 0 && compare_numbers(room[i - 1].number, room[i].number) != 0) r++;
        rank[room[i].code] = r;
    }
    if (r > 0) c->at[c->coordinates++] = at;
}

static f2l_status rank_all(ranker *c, f2l_error *err)
{
    const f2l_layer *layer = c->layer;
    const size_t all = f2l_layer_numbers(layer);
    size_t numbers;
    if (!f2l_mul_size(&numbers, all, layer->codes) || numbers > F2L_BLOCK_TABLE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu codes of %zu numbers are more than the %zu that are searched",
                        layer->codes, all, F2L_BLOCK_TABLE);
    c->at = f2l_calloc(all, sizeof *c->at);
    c->rank = f2l_calloc(numbers, sizeof *c->rank);
    ranked *room = f2l_calloc(layer->codes, sizeof *room);
    const f2l_status status = c->at && c->rank && room ? F2L_OK : f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < layer->heads; h++)
        for (size_t row = 0; row < layer->head[h].n; row++)
            for (size_t column = 0; column < layer->head[h].d; column++)
                rank_codes(c, (coordinate){h, row, column}, room);
    f2l_free(room);
    return status;
}

/* Sets the threshold to the middle between the numbers of two neighbouring ranks. */
static void set_threshold(mpq_t out, const ranker *c, f2l_block_choice choice)
{
    const uint32_t *rank = &c->rank[choice.function * c->layer->codes];
    size_t below = 0, above = 0;
    for (size_t i = 0; i < c->layer->codes; i++) {
        if (rank[i] == choice.threshold) below = i;
        if (rank[i] == choice.threshold + 1) above = i;
    }
    const mpq_t *a = number_of_code(c->layer, c->at[choice.function], below),
                *b = number_of_code(c->layer, c->at[choice.function], above);
    mpq_set_ui(out, 0, 1);
    if (a) mpq_add(out, out, *a);
    if (b) mpq_add(out, out, *b);
    mpq_div_2exp(out, out, 1);
}

static f2l_status set_single_head(f2l_block_head *head, const ranker *c, f2l_block_choice choice,
                                  f2l_error *err)
{
    const coordinate at = c->at[choice.function];
    const uint32_t column = (uint32_t)at.column;
    f2l_status status = f2l_block_head_set_columns(head, 1, err);
    if (status == F2L_OK) status = f2l_block_column_set(&head->column[0], &column, 1, err);
    head->from = at.head;
    head->read[0] = (f2l_block_read){.row = {at.row}, .rows = 1};
    set_threshold(head->threshold, c, choice);
    return status;
}

typedef struct choices {
    f2l_block_choice *at;
    size_t count, capacity;
} choices;

/* Takes comparisons until codes that some letter decodes differently differ in one. */
static f2l_status take_comparisons(choices *out, f2l_block_chooser *chooser, f2l_error *err)
{
    f2l_block_chooser_start(chooser);
    while (f2l_block_chooser_open(chooser)) {
        const f2l_block_choice best = f2l_block_chooser_best(chooser);
        if (best.pairs == 0)
            return f2l_fail(err, F2L_EDOMAIN, "two codes with different symbols are equal");
        if (!f2l_grow((void **)&out->at, &out->capacity, out->count, sizeof *out->at))
            return f2l_fail_memory(err);
        out->at[out->count++] = best;
        f2l_block_chooser_split(chooser, best);
    }
    return F2L_OK;
}

f2l_status f2l_blocks_choose_single(f2l_block_layer *out, const f2l_layer *layer, f2l_error *err)
{
    ranker c = {.layer = layer};
    choices taken = {0};
    f2l_block_chooser chooser;
    f2l_status status = f2l_block_chooser_init(&chooser, layer->codes, err);
    if (status == F2L_OK) status = f2l_block_chooser_decoded(&chooser, layer, err);
    if (status == F2L_OK) status = rank_all(&c, err);
    chooser.rank = c.rank;
    chooser.functions = c.coordinates;
    if (status == F2L_OK) status = take_comparisons(&taken, &chooser, err);
    if (status == F2L_OK) status = f2l_block_layer_set_heads(out, taken.count, err);
    for (size_t h = 0; status == F2L_OK && c.at && h < taken.count; h++)
        status = set_single_head(&out->head[h], &c, taken.at[h], err);
    f2l_block_chooser_clear(&chooser);
    f2l_free(taken.at);
    f2l_free(c.at);
    f2l_free(c.rank);
    return status;
}
