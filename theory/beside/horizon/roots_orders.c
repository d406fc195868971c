/* Orders of eigenvalues modulo a prime: which roots of unity no product of eigenvalues can be
 * (theory/pages/all-lengths.md, AL.16, AL.17). */
#include "numeric/exact/flint_headers.h"
#include "theory/beside/horizon/roots_impl.h"
#include <flint/nmod_mat.h>

/* Of a head: A', and rows, the first `rank` of which are independent, that are 0 on what no factor
 * shortens. */
typedef struct head {
    nmod_mat_t map, row; /* [K][K], [2 K][K] */
    slong rank;
} head;

static const f2l_seq_config *config_of(const f2l_roots_factors *f)
{
    return &f->model->config;
}

static void add_row(head *x, const ulong *row)
{
    for (slong j = 0; j < nmod_mat_ncols(x->row); j++) nmod_mat_entry(x->row, x->rank, j) = row[j];
    x->rank = nmod_mat_rref(x->row);
}

/* Adds y^T times the map. */
static void keep_orthogonal(head *x, const unsigned *y)
{
    const slong K = nmod_mat_ncols(x->map);
    const nmod_t m = x->map->mod;
    ulong row[F2L_LEARNED_MAX_DIM] = {0};
    for (slong i = 0; i < K; i++)
        for (slong j = 0; j < K; j++)
            row[j] = nmod_add(row[j], nmod_mul(y[i], nmod_mat_entry(x->map, i, j), m), m);
    add_row(x, row);
}

/* Multiplies the map by the reflection from the left; returns false where the prime divides the
 * square of its key. */
static bool reflect(head *x, const unsigned *y)
{
    const slong K = nmod_mat_ncols(x->map);
    const nmod_t m = x->map->mod;
    ulong square = 0;
    for (slong i = 0; i < K; i++) square = nmod_add(square, nmod_mul(y[i], y[i], m), m);
    if (square == 0) return false;
    const ulong scale = nmod_mul(2, nmod_inv(square, m), m);
    for (slong j = 0; j < K; j++) {
        ulong along = 0;
        for (slong i = 0; i < K; i++)
            along = nmod_add(along, nmod_mul(y[i], nmod_mat_entry(x->map, i, j), m), m);
        along = nmod_mul(along, scale, m);
        for (slong i = 0; i < K; i++)
            nmod_mat_entry(x->map, i, j) =
                nmod_sub(nmod_mat_entry(x->map, i, j), nmod_mul(y[i], along, m), m);
    }
    return true;
}

/* Adds the rows times the map behind them, again and again, until they span no more. */
static void close_rows(head *x)
{
    const slong K = nmod_mat_ncols(x->map);
    slong before = -1;
    nmod_mat_t moved;
    nmod_mat_init(moved, 2 * K, K, x->map->mod.n);
    while (x->rank > 0 && x->rank != before) {
        before = x->rank;
        nmod_mat_mul(moved, x->row, x->map);
        for (slong i = 0; i < before; i++)
            for (slong j = 0; j < K; j++)
                nmod_mat_entry(x->row, before + i, j) = nmod_mat_entry(moved, i, j);
        x->rank = nmod_mat_rref(x->row);
    }
    nmod_mat_clear(moved);
}

static bool read_head(head *x, const f2l_roots_factors *f, const unsigned *key,
                      const f2l_settle_word *word, size_t h)
{
    const f2l_seq_config *c = config_of(f);
    const size_t N = c->householders;
    nmod_mat_one(x->map);
    nmod_mat_zero(x->row);
    x->rank = 0;
    for (size_t s = 0; s < word->count * N; s++) {
        const size_t at = (word->letter[s / N] * c->heads + h) * N + s % N;
        const unsigned *y = key + at * c->key_dim;
        if (f->deed[at] == F2L_ROOTS_ORTHOGONAL) keep_orthogonal(x, y);
        if (f->deed[at] == F2L_ROOTS_REFLECTS && !reflect(x, y)) return false;
    }
    close_rows(x);
    return true;
}

/* Sets the largest exponent that can be useful: orders of eigenvalues of `degree` rows divide it
 * unless they are multiples of the order. */
static void set_exponent(fmpz_t e, slong degree, ulong prime, size_t order, size_t base)
{
    fmpz_t one, p;
    fmpz_init(one);
    fmpz_init_set_ui(p, base);
    fmpz_one(e);
    for (slong i = 1; i <= degree; i++) {
        fmpz_set_ui(one, prime);
        fmpz_pow_ui(one, one, (ulong)i);
        fmpz_sub_ui(one, one, 1);
        fmpz_lcm(e, e, one);
    }
    fmpz_remove(e, e, p);
    fmpz_mul_ui(e, e, order / base);
    for (slong size = 1; size < degree; size *= (slong)prime) fmpz_mul_ui(e, e, prime);
    fmpz_clear(one);
    fmpz_clear(p);
}

/* Returns whether the e-th power of the map is the identity on what the rows leave. */
static bool comes_back(head *x, const fmpz_t e)
{
    const slong K = nmod_mat_ncols(x->map), rank = x->rank;
    nmod_mat_t power, work;
    nmod_mat_init(power, K, K, x->map->mod.n);
    nmod_mat_init(work, K, K, x->map->mod.n);
    nmod_mat_one(power);
    for (ulong bit = fmpz_sizeinbase(e, 2); bit-- > 0;) {
        nmod_mat_mul(work, power, power);
        if (fmpz_tstbit(e, bit))
            nmod_mat_mul(power, work, x->map);
        else
            nmod_mat_swap(power, work);
    }
    for (slong i = 0; i < K; i++)
        for (slong j = 0; j < K; j++)
            nmod_mat_entry(x->row, rank + i, j) =
                nmod_sub(nmod_mat_entry(power, i, j), i == j, x->map->mod);
    nmod_mat_clear(power);
    nmod_mat_clear(work);
    return nmod_mat_rref(x->row) == rank;
}

bool f2l_roots_lacks(const f2l_roots_factors *f, const unsigned *key, unsigned prime,
                     const f2l_settle_word *word, size_t order, size_t base)
{
    const slong K = (slong)config_of(f)->key_dim;
    bool lacks = prime != base;
    head x;
    fmpz_t e;
    fmpz_init(e);
    nmod_mat_init(x.map, K, K, prime);
    nmod_mat_init(x.row, 2 * K, K, prime);
    for (size_t h = 0; lacks && h < config_of(f)->heads; h++) {
        lacks = read_head(&x, f, key, word, h);
        if (!lacks) break;
        set_exponent(e, K - x.rank, prime, order, base);
        lacks = comes_back(&x, e);
    }
    nmod_mat_clear(x.map);
    nmod_mat_clear(x.row);
    fmpz_clear(e);
    return lacks;
}
