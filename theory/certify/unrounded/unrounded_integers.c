#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <math.h>

/* Returns the places of a dyadic number; more than F2L_INTEGERS_PLACES when it is not dyadic, or
 * needs more. */
static int dyadic_places_of(const mpq_t x)
{
    const size_t bits = mpz_sizeinbase(mpq_denref(x), 2);
    const bool dyadic = bits <= F2L_INTEGERS_PLACES && mpz_popcount(mpq_denref(x)) == 1;
    return dyadic ? (int)bits - 1 : F2L_INTEGERS_PLACES + 1;
}

void f2l_integers_most(int *most, const f2l_qvec *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const int places = dyadic_places_of(v->value[i]);
        if (places > *most) *most = places;
    }
}

bool f2l_integers_scale(int64_t *out, const mpq_t x, int places)
{
    const int more = places - dyadic_places_of(x);
    if (more < 0 || mpz_sizeinbase(mpq_numref(x), 2) + (size_t)more > 62) return false;
    *out = mpz_get_si(mpq_numref(x)) * (INT64_C(1) << more);
    return true;
}

void f2l_integers_init(f2l_integer_steps *p, const f2l_steps *steps)
{
    *p = (f2l_integer_steps){.steps = steps};
    for (size_t a = 0; a < steps->letters; a++)
        for (size_t m = 0; m < steps->letter[a].factors; m++) {
            const f2l_step_factor *f = &steps->letter[a].factor[m];
            const int beta = dyadic_places_of(f->beta);
            if (beta > p->beta) p->beta = beta;
            f2l_integers_most(&p->key, &f->k);
            f2l_integers_most(&p->value, &f->v);
            p->factors++;
            p->numbers += f->k.count + f->v.count;
        }
}

static bool fill_integer_factor(f2l_integer_steps *p, f2l_integer_factor *out,
                                const f2l_step_factor *f, int64_t **pool)
{
    bool good = f2l_integers_scale(&out->beta, f->beta, p->beta);
    out->keys = f->k.count;
    out->values = f->v.count;
    out->row = f->k.index;
    out->column = f->v.index;
    out->order = f->order;
    out->sums = f->sums;
    out->key = *pool;
    out->value = *pool + out->keys;
    *pool = out->value + out->values;
    for (size_t i = 0; good && i < out->keys; i++)
        good = f2l_integers_scale(&out->key[i], f->k.value[i], p->key);
    for (size_t i = 0; good && i < out->values; i++)
        good = f2l_integers_scale(&out->value[i], f->v.value[i], p->sum);
    return good;
}

bool f2l_integers_fill(f2l_integer_steps *p, int state)
{
    const f2l_steps *steps = p->steps;
    p->state = state;
    p->sum = p->state + p->key > p->value ? p->state + p->key : p->value;
    p->scaled = p->sum + p->beta;
    p->product = p->scaled + p->key;
    if (p->product > F2L_INTEGERS_PLACES) return false;
    p->first = f2l_calloc(steps->letters, sizeof *p->first);
    p->factor = f2l_calloc(p->factors, sizeof *p->factor);
    p->pool = f2l_calloc(p->numbers, sizeof *p->pool);
    if (!p->first || !p->factor || !p->pool) return false;
    f2l_integer_factor *next = p->factor;
    int64_t *pool = p->pool;
    for (size_t a = 0; a < steps->letters; a++) {
        const f2l_step_letter *letter = &steps->letter[a];
        if (mpq_cmp_ui(letter->source->gate, 1, 1) != 0 || letter->source->bias.count > 0)
            return false;
        p->first[a] = (size_t)(next - p->factor);
        for (size_t m = 0; m < letter->factors; m++)
            if (!fill_integer_factor(p, next++, &letter->factor[m], &pool)) return false;
    }
    return true;
}

void f2l_integers_clear(f2l_integer_steps *p)
{
    f2l_free(p->first);
    f2l_free(p->factor);
    f2l_free(p->pool);
    *p = (f2l_integer_steps){0};
}

f2l_fit f2l_fit_of(const f2l_format *format, int places)
{
    f2l_fit f = {format, places, 0};
    const bool fine = format->subnormals ? -places >= format->emin - format->precision + 1
                                         : -places >= format->emin;
    const int bits = format->precision;
    if (fine && bits < 62 && ldexp(1, bits - places) <= format->largest)
        f.limit = (INT64_C(1) << bits) + 1;
    return f;
}

bool f2l_integer_in_ring(int64_t s, int places)
{
    const int64_t unit = INT64_C(1) << (places > 10 ? places - 10 : 0);
    const int64_t most = INT64_C(1) << (places + 12);
    return s % unit == 0 && s <= most && s >= -most;
}
