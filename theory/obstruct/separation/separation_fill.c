/* The equations of a guess for the sieve. */
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include "theory/obstruct/separation/wide.h"
#include <string.h>

/* Returns the fraction, to all digits where above and below a double holds what is there. */
static f2l_wide wide_of(const fmpq *x)
{
    const fmpz *above = fmpq_numref(x), *below = fmpq_denref(x);
    if (fmpz_bits(above) > 53 || fmpz_bits(below) > 53) return (f2l_wide){fmpq_get_d(x), 0};
    const f2l_wide p = {(double)fmpz_get_si(above), 0};
    return fmpz_is_one(below) ? p : f2l_wide_quotient(p, (f2l_wide){(double)fmpz_get_si(below), 0});
}

/* A block of a form without the rows and columns that are 0, as most are, and its range. */
typedef struct part {
    size_t m, ranks;
    size_t count, *at;         /* rows that are not 0: at[count] */
    double *value, *value_low; /* [count][count] */
    double *half, *half_low;   /* [ranks] scratch */
    double *range, *range_low; /* [m][ranks] the range, transposed */
    double *number;            /* memory of all of them */
} part;

static bool open_part(part *p, size_t m)
{
    *p = (part){.m = m, .at = f2l_calloc(m, sizeof *p->at)};
    p->number = f2l_calloc(4 * m + 2, m * sizeof *p->number);
    if (!p->at || !p->number) return false;
    p->value = p->number;
    p->value_low = p->value + m * m;
    p->range = p->value_low + m * m;
    p->range_low = p->range + m * m;
    p->half = p->range_low + m * m;
    p->half_low = p->half + m;
    return true;
}

static void close_part(part *p)
{
    f2l_free(p->at);
    f2l_free(p->number);
}

static void take_range(part *p, const fmpq_mat_t range)
{
    p->ranks = (size_t)fmpq_mat_nrows(range);
    for (size_t i = 0; i < p->ranks; i++)
        for (size_t c = 0; c < p->m; c++) {
            const f2l_wide x = wide_of(fmpq_mat_entry(range, (slong)i, (slong)c));
            p->range[c * p->ranks + i] = x.high;
            p->range_low[c * p->ranks + i] = x.low;
        }
}

static void take_block(part *p, const fmpq_mat_t block, const double *number)
{
    p->count = 0;
    for (size_t i = 0; i < p->m; i++) {
        size_t j = 0;
        while (j < p->m && number[i * p->m + j] == 0) j++;
        if (j < p->m) p->at[p->count++] = i;
    }
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < p->count; j++) {
            const f2l_wide x = wide_of(fmpq_mat_entry(block, (slong)p->at[i], (slong)p->at[j]));
            p->value[i * p->count + j] = x.high;
            p->value_low[i * p->count + j] = x.low;
        }
}

/* Adds to row[unknowns of the block] what the block says. */
WIDE_CLONES static void write_row(double *row, double *low, part *p)
{
    const size_t n = p->ranks;
    for (size_t c = 0; c < p->count; c++) {
        const double *own = p->range + p->at[c] * n, *own_low = p->range_low + p->at[c] * n;
        memset(p->half, 0, n * sizeof *p->half);
        memset(p->half_low, 0, n * sizeof *p->half_low);
        for (size_t d = 0; d < p->count; d++) {
            const f2l_wide x = {p->value[c * p->count + d], p->value_low[c * p->count + d]};
            const size_t at = p->at[d] * n;
            if (x.high != 0)
                f2l_wide_add_multiple(p->half, p->half_low, p->range + at, p->range_low + at, x, n);
        }
        for (size_t j = 0, at = 0; j < n; at += ++j) {
            const f2l_wide twice = {2 * p->half[j], 2 * p->half_low[j]};
            if (twice.high == 0) continue;
            f2l_wide_add_multiple(row + at, low + at, own, own_low, twice, j + 1);
        }
    }
    for (size_t j = 0, at = 0; j < n; at += ++j) {
        row[at + j] /= 2;
        low[at + j] /= 2;
    }
}

f2l_status f2l_sieve_fill(f2l_sieve *s, const f2l_face *face, fmpq_mat_t *range, f2l_error *err)
{
    const size_t m = face->m;
    part p;
    const f2l_status status = open_part(&p, m) ? F2L_OK : f2l_fail_memory(err);
    for (size_t b = 0, at = 0; b < face->blocks && status == F2L_OK; b++) {
        take_range(&p, range[b]);
        for (size_t k = 0; k < face->forms && f2l_face_goes_on(face); k++) {
            const size_t block = k * face->blocks + b, to = k * s->columns + at;
            take_block(&p, face->value[block], face->number + block * m * m);
            write_row(s->row + to, s->low + to, &p);
        }
        at += p.ranks * (p.ranks + 1) / 2;
    }
    close_part(&p);
    s->sure = f2l_watch_goes_on(face->watch, (uint64_t)s->rows * s->rows * s->columns / 16);
    if (s->sure && status == F2L_OK) f2l_sieve_reduce(s);
    return status;
}
