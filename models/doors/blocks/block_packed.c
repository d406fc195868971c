/* Heads with many columns: where sums of columns, or of rows, have the values 0 and 1 alone, the
 * norm after a head makes +1 and -1 of all of its columns at once (EB.5). */
#include "models/doors/blocks/packed.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct row_sum {
    size_t head, row[F2L_BLOCK_SUM], rows;
} row_sum;

typedef struct column_reading {
    size_t reading, column;
} column_reading;

typedef struct slot {
    size_t head;
    size_t *reading; /* [views] F2L_NO_INDEX: none yet */
    bool *column;    /* [of the family] */
} slot;

typedef struct packer {
    f2l_block_source from;
    f2l_block_head *family; /* [heads of the network] the columns that there may be; 0: none */
    row_sum *reading;
    column_reading *function;
    uint32_t *rank; /* [functions][codes] 0 or 1 */
    slot *slot;
    size_t readings, functions, slots, reading_room, function_room, slot_room;
} packer;

/* --- what queries may read --- */

static f2l_status add_reading(packer *p, const row_sum *r, f2l_error *err)
{
    if (!f2l_grow((void **)&p->reading, &p->reading_room, p->readings, sizeof *p->reading))
        return f2l_fail_memory(err);
    for (size_t j = 0; j < p->family[r->head].columns; j++) {
        if (!f2l_grow((void **)&p->function, &p->function_room, p->functions, sizeof *p->function))
            return f2l_fail_memory(err);
        p->function[p->functions++] = (column_reading){p->readings, j};
    }
    p->reading[p->readings++] = *r;
    return F2L_OK;
}

/* Returns whether half of the sum of the rows' numbers is a number of the format in every key. */
static bool key_sums_fit(const packer *p, const row_sum *r)
{
    const f2l_head *from = &p->from.layer->head[r->head];
    bool fits = true;
    mpq_t sum;
    mpq_init(sum);
    for (size_t a = 0; a < p->from.made->acts; a++) {
        const f2l_transition *t = &from->letter[p->from.made->of_act[a]];
        for (size_t f = 0; fits && f < t->factors; f++) {
            mpq_set_ui(sum, 0, 1);
            for (size_t i = 0; i < r->rows; i++) {
                const mpq_t *x = f2l_block_entry(&t->factor[f].u, r->row[i]);
                if (x) mpq_add(sum, sum, *x);
            }
            fits = f2l_block_quotient_fits(p->from.format, sum, &t->factor[f].u);
        }
    }
    mpq_clear(sum);
    return fits;
}

/* Returns whether no code has numbers that are not zero in both rows. */
static bool rows_disjoint(const packer *p, size_t head, size_t a, size_t b)
{
    for (size_t c = 0; c < p->from.layer->codes; c++)
        if (f2l_block_compare(f2l_block_code_entry(p->from.layer, head, a, 0, c), NULL) != 0 &&
            f2l_block_compare(f2l_block_code_entry(p->from.layer, head, b, 0, c), NULL) != 0)
            return false;
    return true;
}

/* Gathers rows from `first` on that are not in a group yet, of which a code has one at most. */
static size_t gather_group(const packer *p, size_t head, size_t first, bool *taken, size_t *row)
{
    size_t rows = 0;
    for (size_t r = first; r < p->from.layer->head[head].n; r++) {
        bool fits = !taken[r] && f2l_block_row_varies(p->from.layer, head, r);
        for (size_t i = 0; fits && i < rows; i++) fits = rows_disjoint(p, head, row[i], r);
        if (!fits) continue;
        taken[r] = true;
        row[rows++] = r;
    }
    return rows;
}

/* Adds a reading for each digit of numbers that the rows of a group get, such that no digit is set
 * in more than F2L_BLOCK_SUM rows. Few digits are tried first. */
static f2l_status add_digit_readings(packer *p, size_t head, const size_t *row, size_t rows,
                                     f2l_error *err)
{
    row_sum digit[16];
    size_t digits = 1, placed = 0;
    for (; digits <= 16; digits++) {
        placed = 0;
        for (size_t k = 0; k < digits; k++) digit[k] = (row_sum){.head = head};
        for (int ones = 1; ones <= 2; ones++)
            for (size_t code = 1; code < (size_t)1 << digits && placed < rows; code++) {
                bool room = __builtin_popcountll(code) == ones;
                for (size_t k = 0; room && k < digits; k++)
                    room = !(code >> k & 1) || digit[k].rows < F2L_BLOCK_SUM;
                for (size_t k = 0; room && k < digits; k++)
                    if (code >> k & 1) digit[k].row[digit[k].rows++] = row[placed];
                placed += room;
            }
        if (placed == rows) break;
    }
    f2l_status status = F2L_OK;
    for (size_t k = 0; status == F2L_OK && placed == rows && k < digits; k++)
        if (digit[k].rows > 1 && key_sums_fit(p, &digit[k]))
            status = add_reading(p, &digit[k], err);
    return status;
}

static f2l_status add_sums(packer *p, size_t head, f2l_error *err)
{
    const size_t n = p->from.layer->head[head].n;
    bool *taken = f2l_calloc(n, sizeof *taken);
    size_t *row = f2l_calloc(n, sizeof *row);
    f2l_status status = taken && row ? F2L_OK : f2l_fail_memory(err);
    for (size_t r = 0; status == F2L_OK && r < n; r++) {
        if (taken[r]) continue;
        const size_t rows = gather_group(p, head, r, taken, row);
        if (rows > 2) status = add_digit_readings(p, head, row, rows, err);
    }
    f2l_free(taken);
    f2l_free(row);
    return status;
}

static f2l_status add_readings(packer *p, size_t head, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (p->family[head].columns == 0) return F2L_OK;
    if (p->from.layer->head[head].d == 1 && mpq_sgn(p->family[head].column[0].shift) == 0)
        status = add_sums(p, head, err);
    for (size_t r = 0; status == F2L_OK && r < p->from.layer->head[head].n; r++)
        if (f2l_block_row_varies(p->from.layer, head, r))
            status = add_reading(p, &(row_sum){.head = head, .row = {r}, .rows = 1}, err);
    return status;
}

/* Tabulates all functions; *good becomes false where some sum is neither 0 nor 1. */
static f2l_status tabulate(bool *good, packer *p, f2l_error *err)
{
    const size_t codes = p->from.layer->codes;
    size_t numbers;
    *good = f2l_mul_size(&numbers, p->functions, codes) && numbers <= F2L_BLOCK_TABLE;
    if (!*good) return F2L_OK;
    p->rank = f2l_calloc(numbers, sizeof *p->rank);
    if (!p->rank) return f2l_fail_memory(err);
    mpq_t sum;
    mpq_init(sum);
    for (size_t i = 0; i < p->functions; i++) {
        const row_sum *r = &p->reading[p->function[i].reading];
        f2l_block_read read = {.rows = r->rows};
        f2l_block_head head = p->family[r->head];
        memcpy(read.row, r->row, sizeof read.row);
        head.read = &read;
        for (size_t c = 0; c < codes; c++) {
            f2l_block_sum(sum, p->from.layer, &head, 0, p->function[i].column, c);
            *good = *good && (mpq_sgn(sum) == 0 || mpq_cmp_ui(sum, 1, 1) == 0);
            p->rank[i * codes + c] = mpq_sgn(sum) > 0;
        }
    }
    mpq_clear(sum);
    return F2L_OK;
}

/* --- heads --- */

static f2l_status add_slot(packer *p, size_t head, f2l_error *err)
{
    if (!f2l_grow((void **)&p->slot, &p->slot_room, p->slots, sizeof *p->slot))
        return f2l_fail_memory(err);
    slot *s = &p->slot[p->slots++];
    *s = (slot){.head = head};
    s->reading = f2l_calloc(p->from.made->views, sizeof *s->reading);
    s->column = f2l_calloc(p->family[head].columns, sizeof *s->column);
    if (!s->reading || !s->column) return f2l_fail_memory(err);
    for (size_t v = 0; v < p->from.made->views; v++) s->reading[v] = F2L_NO_INDEX;
    return F2L_OK;
}

/* Puts the function into a head that reads the same in this view, or nothing yet. */
static f2l_status place_function(packer *p, size_t view, size_t function, f2l_error *err)
{
    const size_t reading = p->function[function].reading, head = p->reading[reading].head;
    size_t at = 0;
    while (at < p->slots && (p->slot[at].head != head || p->slot[at].reading[view] != reading))
        at++;
    if (at == p->slots)
        for (at = 0; at < p->slots; at++)
            if (p->slot[at].head == head && p->slot[at].reading[view] == F2L_NO_INDEX) break;
    const f2l_status status = at == p->slots ? add_slot(p, head, err) : F2L_OK;
    if (status != F2L_OK) return status;
    p->slot[at].reading[view] = reading;
    p->slot[at].column[p->function[function].column] = true;
    return F2L_OK;
}

static f2l_status choose_view(bool *chosen, packer *p, f2l_block_chooser *chooser, size_t view,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (p->from.made->views == 1)
        status = f2l_block_chooser_decoded(chooser, p->from.layer, err);
    else
        for (size_t c = 0; c < p->from.layer->codes; c++)
            chooser->kind[c] = p->from.layer->part[c * p->from.layer->parts + view];
    f2l_block_chooser_start(chooser);
    while (status == F2L_OK && *chosen && f2l_block_chooser_open(chooser)) {
        const f2l_block_choice best = f2l_block_chooser_best(chooser);
        *chosen = best.pairs > 0 && p->function;
        if (*chosen) status = place_function(p, view, best.function, err);
        if (*chosen) f2l_block_chooser_split(chooser, best);
    }
    return status;
}

static f2l_status choose_functions(bool *chosen, packer *p, f2l_error *err)
{
    f2l_block_chooser chooser;
    f2l_status status = f2l_block_chooser_init(&chooser, p->from.layer->codes, err);
    chooser.rank = p->rank;
    chooser.functions = p->functions;
    for (size_t v = 0; status == F2L_OK && *chosen && v < p->from.made->views; v++)
        status = choose_view(chosen, p, &chooser, v, err);
    f2l_block_chooser_clear(&chooser);
    for (size_t s = 0; status == F2L_OK && s < p->slots; s++) {
        size_t columns = 0;
        for (size_t j = 0; j < p->family[p->slot[s].head].columns; j++)
            columns += p->slot[s].column[j];
        *chosen = *chosen && columns <= F2L_BLOCK_COLUMNS;
    }
    return status;
}

/* Sets what the head reads in every view; where nothing is asked for, what another view reads. */
static void set_reads(f2l_block_head *head, const packer *p, const slot *s)
{
    size_t some = 0;
    while (s->reading[some] == F2L_NO_INDEX) some++;
    for (size_t v = 0; v < p->from.made->views; v++) {
        const size_t at = s->reading[v] == F2L_NO_INDEX ? s->reading[some] : s->reading[v];
        head->read[v].rows = p->reading[at].rows;
        memcpy(head->read[v].row, p->reading[at].row, sizeof head->read[v].row);
    }
}

static f2l_status set_packed_head(f2l_block_head *head, const packer *p, const slot *s,
                                  f2l_error *err)
{
    const f2l_block_head *family = &p->family[s->head];
    size_t columns = 0, at = 0;
    for (size_t j = 0; j < family->columns; j++) columns += s->column[j];
    f2l_status status = f2l_block_head_set_columns(head, columns, err);
    head->from = s->head;
    mpq_set_ui(head->threshold, 1, 2);
    for (size_t j = 0; status == F2L_OK && j < family->columns; j++) {
        const f2l_block_column *from = &family->column[j];
        if (!s->column[j]) continue;
        status = f2l_block_column_set(&head->column[at], from->of, from->count, err);
        if (status != F2L_OK) break;
        mpq_set(head->column[at].factor, from->factor);
        mpq_set(head->column[at++].shift, from->shift);
    }
    set_reads(head, p, s);
    return status;
}

static void packer_clear(packer *p)
{
    for (size_t h = 0; p->family && h < p->from.layer->heads; h++)
        f2l_block_head_clear(&p->family[h]);
    for (size_t s = 0; s < p->slots; s++) {
        f2l_free(p->slot[s].reading);
        f2l_free(p->slot[s].column);
    }
    f2l_free(p->family);
    f2l_free(p->reading);
    f2l_free(p->function);
    f2l_free(p->rank);
    f2l_free(p->slot);
}

f2l_status f2l_blocks_choose_packed(bool *chosen, f2l_block_layer *out, const f2l_layer *layer,
                                    const f2l_format *format, bool digits, f2l_error *err)
{
    packer p = {.from = {layer, out, format, digits}};
    p.family = f2l_calloc(layer->heads, sizeof *p.family);
    f2l_status status = p.family || layer->heads == 0 ? F2L_OK : f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < layer->heads; h++) {
        status = f2l_block_family_choose(&p.family[h], &p.from, h, err);
        if (status == F2L_OK) status = add_readings(&p, h, err);
    }
    *chosen = false;
    if (status == F2L_OK) status = tabulate(chosen, &p, err);
    if (status == F2L_OK && *chosen) status = choose_functions(chosen, &p, err);
    if (status == F2L_OK && *chosen) status = f2l_block_layer_set_heads(out, p.slots, err);
    for (size_t s = 0; status == F2L_OK && *chosen && s < p.slots; s++)
        status = set_packed_head(&out->head[s], &p, &p.slot[s], err);
    out->packed = *chosen;
    packer_clear(&p);
    return status;
}
