/* Heads over real number fields, and forms: lines of NETWORK (network.c) between those of a head
 * and of its initial state, field c_0 .. c_r interval A B                  if V below may be
 * a_0,a_1,.. for a_0 + a_1 alpha + .. form R.C:V ..                                  G, with R <=
 * C, if it is not the identity and u^T G stands where u^T does in network.c: factor BETA u c is S
 * <- S - (BETA / u^T G u) u (u^T G S - c^T).
 *
 * Here alpha is the only root between A and B of c_0 + .. + c_r x^r, r > 1, which is monic, with
 * integers as coefficients and no multiple roots (sturm). It should be irreducible, but that is not
 * checked. Numbers are polynomials modulo this one: equal ones are equal at alpha, and edges need
 * no more. Different ones may be equal at alpha if it is reducible, so numbers that have to be
 * different or positive are enclosed in intervals of rationals: any two codes (separate), u^T G u
 * and 0 (prepare), and so G is positive definite (read_form). There is no verdict where an interval
 * of alpha that was halved 1,024 times is too wide for that. */
#include "theory/check/field.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 1024 }; /* the most often that an interval is halved */

/* A head's numbers: polynomials of degrees 0 .. r - 1. low[i], high[i]: the powers of the ends of
 * an interval that has alpha but not 0 inside, and was halved `bits` times. form: -G, n x n, or
 * NULL. column: scratch, zero, [n r]. */
typedef struct field {
    algebra base; /* first, so that a head's `k` points to the field, too */
    size_t bits;
    mpq_t *polynomial, *low, *high, *p, *q, product, ratio; /* [r + 1]; from p on scratch, [2r + 2]
                                                             */
    mpq_t *form, *column;
} field;

static field *field_of(const head *h)
{
    return (field *)h->k;
}

/* Subtracts a b from out. */
static void subtract(field *k, mpq_t *out, const mpq_t a, mpq_t *b, size_t count)
{
    spend(1 + count / 16);
    for (size_t i = 0; i < count; i++) {
        if (mpq_sgn(b[i]) == 0) continue;
        mpq_mul(k->product, a, b[i]);
        mpq_sub(out[i], out[i], k->product);
        spend_on(out[i]);
    }
}

/* Subtracts multiples of b, which has degree m, from a until this has no powers m .. n - 1. */
static void divide(field *k, mpq_t *a, size_t n, mpq_t *b, size_t m, size_t count)
{
    spend(1 + n / 16);
    while (n-- > m) {
        if (mpq_sgn(a[n]) == 0) continue;
        mpq_div(k->ratio, a[n], b[m]);
        subtract(k, a + n - m, k->ratio, b, count);
    }
}

/* Reduces p to a number. */
static void reduce(field *k)
{
    const size_t r = k->base.degree;
    divide(k, k->p, 2 * r - 1, k->polynomial, r, r + 1);
}

static int sign_at(field *k, mpq_t *polynomial, const mpq_t x)
{
    mpq_set_ui(k->product, 0, 1);
    for (size_t i = k->base.degree + 1; i-- > 0;) {
        mpq_mul(k->product, k->product, x);
        mpq_add(k->product, k->product, polynomial[i]);
        spend_on(k->product);
    }
    return mpq_sgn(k->product);
}

/* Computes Sturm's chain from a and b on, by Euclid's algorithm with signs: returns the last
 * polynomial, or NULL if it is no number. Every operation on a polynomial is also done on the one r
 * + 1 places after it. changes, if not NULL: the number of sign changes of the chain at low minus
 * the number at high. */
static mpq_t *sturm(field *k, mpq_t *a, mpq_t *b, int *changes)
{
    const size_t r = k->base.degree;
    for (;;) {
        size_t m = r + 1;
        while (m > 0 && mpq_sgn(b[m - 1]) == 0) m--;
        if (changes) *changes += (sign_at(k, a, k->low[1]) < 0) != (sign_at(k, b, k->low[1]) < 0);
        if (changes) *changes -= (sign_at(k, a, k->high[1]) < 0) != (sign_at(k, b, k->high[1]) < 0);
        if (m < 2) return m > 0 ? b : NULL;
        mpq_abs(k->ratio, b[m - 1]); /* lest coefficients become long */
        for (size_t i = 0; i < 2 * r + 2; i++) {
            mpq_div(b[i], b[i], k->ratio);
            spend_on(b[i]);
        }
        divide(k, a, r + 1, b, m - 1, 2 * r + 2);
        for (size_t i = 0; i < 2 * r + 2; i++) mpq_neg(a[i], a[i]);
        mpq_t *const before = a;
        a = b;
        b = before;
    }
}

/* Halves the interval 64 times. */
static void refine(field *k)
{
    const int below = sign_at(k, k->polynomial, k->low[1]);
    if ((k->bits += 64) > MAX_BITS) give_up("numbers are too close to each other or to 0");
    for (size_t i = 0; i < 64; i++) {
        mpq_add(k->product, k->low[1], k->high[1]);
        mpq_div_2exp(k->ratio, k->product, 1);
        mpq_set(sign_at(k, k->polynomial, k->ratio) == below ? k->low[1] : k->high[1], k->ratio);
    }
    for (size_t i = 2; i < k->base.degree; i++) {
        mpq_mul(k->low[i], k->low[i - 1], k->low[1]);
        mpq_mul(k->high[i], k->high[i - 1], k->high[1]);
        spend_on(k->low[i]);
        spend_on(k->high[i]);
    }
}

/* Adds to the interval from sum[0] to sum[1] an interval that holds the number; a power rises or
 * falls from low to high. */
static void enclose(field *k, mpq_t *sum, mpq_t *a)
{
    for (size_t i = 0; i < k->base.degree; i++) {
        mpq_mul(k->product, a[i], k->low[i]);
        mpq_mul(k->ratio, a[i], k->high[i]);
        const bool rises = mpq_cmp(k->product, k->ratio) <= 0;
        mpq_add(sum[!rises], sum[!rises], k->product);
        mpq_add(sum[rises], sum[rises], k->ratio);
        spend_on(sum[0]);
        spend_on(sum[1]);
    }
}

/* Subtracts w^T S from p, for a column at s of a matrix S with d columns. */
static void subtract_product(field *k, const vector *w, mpq_t *s, size_t d)
{
    const size_t r = k->base.degree;
    for (size_t i = 0; i < w->count; i++) {
        const struct entry *e = &w->entry[i];
        subtract(k, k->p + e->index % r, e->value, s + e->index / r * d * r, r);
    }
    reduce(k);
}

/* Does S <- S - u (c^T - w^T S), column by column; S is n x d, at s. */
static void apply_over(const head *h, mpq_t *s, size_t d, const factor *f)
{
    field *k = field_of(h);
    const size_t r = k->base.degree;
    const struct entry *c = f->c.entry;
    for (size_t j = 0; j < d; j++, s += r) {
        clear(k->p, 2 * r);
        for (; c < behind(&f->c) && c->index / r == j; c++) mpq_set(k->p[c->index % r], c->value);
        subtract_product(k, &f->w, s, d);
        for (size_t power = 0;;) {
            spend(1 + (f->u.count + r) / 16);
            for (const struct entry *u = f->u.entry; u < behind(&f->u); u++)
                /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no degree is 0 */
                if (u->index % r == power) subtract(k, s + u->index / r * d * r, u->value, k->p, r);
            if (++power == r) break;
            for (size_t i = r; i > 0; i--) mpq_swap(k->p[i], k->p[i - 1]); /* times alpha */
            reduce(k);
        }
    }
}

/* Returns the numbers at a, which become 0, as a vector. */
static vector take(mpq_t *a, size_t count)
{
    vector v = {0};
    spend(1 + count / 16);
    for (size_t i = 0; i < count; i++) v.count += mpq_sgn(a[i]) != 0;
    struct entry *e = v.entry = grab(v.count, sizeof *e);
    for (size_t i = 0; i < count; i++) {
        if (mpq_sgn(a[i]) == 0) continue;
        e->index = i;
        mpq_init(e->value);
        mpq_swap(e++->value, a[i]);
    }
    return v;
}

/* Returns G u. */
static vector times_form(const head *h, const vector *u)
{
    field *k = field_of(h);
    const size_t r = k->base.degree;
    if (!k->form) return *u;
    for (size_t i = 0; i < h->n; i++) {
        clear(k->p, 2 * r);
        subtract_product(k, u, k->form + i * h->n * r, 1);
        for (size_t power = 0; power < r; power++) mpq_swap(k->column[i * r + power], k->p[power]);
    }
    return take(k->column, h->n * r);
}

/* Ends the program, with UNKNOWN or a rejection, unless the number -p is positive. */
static void need_positive(field *k, const text *t)
{
    for (;; refine(k)) {
        clear(k->q, 2);
        enclose(k, k->q, k->p);
        if (mpq_sgn(k->q[1]) < 0) return;
        if (mpq_sgn(k->q[0]) >= 0) reject(t, "u^T G u is not positive");
    }
}

/* Returns the number c / -p. */
static vector divided(field *k, const text *t, const mpq_t c)
{
    const size_t r = k->base.degree;
    clear(k->p + r, r + 2); /* after p comes its multiplier */
    clear(k->q, 2 * r + 2);
    for (size_t i = 0; i <= r; i++) mpq_set(k->q[i], k->polynomial[i]);
    mpq_set_si(k->p[r + 1], -1, 1);
    mpq_t *last = sturm(k, k->q, k->p, NULL);
    if (last) {
        mpq_div(k->ratio, c, last[0]);
        for (size_t i = 0; i < r; i++) mpq_mul(last[i], last[r + 1 + i], k->ratio);
        return take(last, r);
    }
    reject(t, "u^T G u has no inverse modulo the polynomial");
}

/* Sets w = G u, and turns u and BETA into what apply_over needs: -u BETA / u^T w. */
static void prepare_over(head *h, factor *f, const text *t)
{
    field *k = field_of(h);
    const size_t r = k->base.degree;
    factor scaling = {.u = f->u};
    f->w = times_form(h, &f->u);
    for (const struct entry *e = f->u.entry; e < behind(&f->u); e++)
        mpq_set(k->column[e->index], e->value);
    clear(k->p, 2 * r + 2);
    subtract_product(k, &f->w, k->column, 1);
    clear(k->column, h->n * r);
    need_positive(k, t);
    scaling.c = divided(k, t, f->beta);
    apply_over(h, k->column, 1, &scaling);
    f->u = take(k->column, h->n * r);
}

/* Returns a field without its polynomial: Q where the degree is 1. */
static field *new_field(size_t degree)
{
    mpq_t *a = zeros(product_of(7, degree + 1));
    field *k = grab(1, sizeof *k);
    *k = (field){.base = {degree, prepare_over, apply_over}, .polynomial = a};
    k->low = a + degree + 1;
    k->high = k->low + degree + 1;
    k->p = k->high + degree + 1;
    k->q = k->p + 2 * degree + 2;
    mpq_inits(k->product, k->ratio, NULL);
    mpq_set_ui(k->low[0], 1, 1);
    mpq_set_ui(k->high[0], 1, 1);
    return k;
}

/* Reads "field c_0 .. c_r interval A B". */
static field *read_field(text *t)
{
    size_t spaces = 0;
    expect(t, "field");
    size_t span = strspn(t->at, " -0123456789"); /* it ends at a number that is no integer */
    while (span-- > 0) spaces += t->at[span] == ' ';
    if (spaces < 4) reject(t, "expected a polynomial of degree 2 or more");
    const size_t r = spaces - 2;
    field *k = new_field(r);
    mpq_t *a = k->polynomial;
    for (size_t i = 0; i <= r; i++) {
        rational(t, " ", a[i], 0);
        mpq_set(k->p[i], a[i]);
        mpq_set_ui(k->product, i, 1);
        if (i > 0) mpq_mul(k->q[i - 1], k->product, a[i]);
    }
    if (mpq_sgn(a[0]) == 0 || mpq_cmp_ui(a[r], 1, 1) != 0)
        reject(t, "expected c_0 != 0 and c_r = 1");
    rational(t, " interval ", k->low[1], 0);
    rational(t, " ", k->high[1], 0);
    int roots = 0;
    if (sign_at(k, a, k->low[1]) == 0 || sign_at(k, a, k->high[1]) == 0 ||
        !sturm(k, k->p, k->q, &roots) || roots != 1)
        reject(t, "expected one root in the interval, and no multiple ones");
    end_line(t);
    do refine(k);
    while (mpq_sgn(k->low[1]) * mpq_sgn(k->high[1]) < 0);
    return k;
}

/* Reads the entries of "form R.C:V .." as a matrix. */
static void read_entries(const head *h, text *t)
{
    const size_t n = h->n, r = degree_of(h);
    mpq_t *form = field_of(h)->form = zeros(product_of(product_of(n, n), r));
    expect(t, "form");
    const vector v = read_vector(t, n, n, r);
    bool identity = v.count == n;
    for (const struct entry *e = v.entry; e < behind(&v); e++) {
        const size_t power = e->index % r, i = e->index / r / n, j = e->index / r % n;
        if (i > j) reject(t, "expected nothing below the diagonal");
        mpq_neg(form[(i * n + j) * r + power], e->value);
        mpq_neg(form[(j * n + i) * r + power], e->value);
        identity = identity && power == 0 && mpq_cmp_ui(e->value, 1, 1) == 0;
    }
    if (identity) reject(t, "expected no form that is the identity");
}

/* Reads "form R.C:V ..", which is positive definite if the unit vectors still have positive squares
 * after each is made orthogonal to the ones before it. */
static void read_form(head *h, text *t)
{
    field *k = field_of(h);
    const size_t n = h->n, r = k->base.degree;
    read_entries(h, t);
    factor *f = grab(n, sizeof *f);
    for (size_t i = 0; i < n; i++) {
        mpq_init(f[i].beta);
        mpq_set_ui(f[i].beta, 1, 1);
        mpq_set_ui(k->column[i * r], 1, 1);
        for (size_t j = 0; j < i; j++) apply_over(h, k->column, 1, &f[j]);
        f[i].u = take(k->column, n * r);
        prepare_over(h, &f[i], t);
    }
    end_line(t);
}

void read_geometry(head *h, text *t, network *net)
{
    const bool over_field = comes(t, "field ");
    if (!over_field && !comes(t, "form")) return;
    field *k = over_field ? read_field(t) : new_field(1);
    k->column = zeros(product_of(h->n, k->base.degree));
    h->k = &k->base;
    net->has_field = net->has_field || over_field;
    if (!comes(t, "form")) return;
    net->has_form = true;
    read_form(h, t);
}

static int by_least(const void *a, const void *b)
{
    return mpq_cmp(a, b);
}

/* Adds to the interval at `sum` an interval that holds the sum of all numbers of the code, each
 * times a weight of its place. */
static void enclose_sum(field *k, const head *h, const vector *v, mpq_t *sum)
{
    const size_t r = k->base.degree;
    mpq_t weight;
    mpq_init(weight);
    clear(k->p, r);
    for (struct entry *e = v->entry; e < behind(v); e++) {
        uint64_t w = (h->at + e->index / r + 1) * 0x9e3779b97f4a7c15u;
        w = (w ^ w >> 32) * 0xd6e8feb86659fd93u;
        mpq_set_ui(weight, (unsigned long)(w ^ w >> 32), 1);
        subtract(k, &k->p[e->index % r], weight, &e->value, 1);
    }
    enclose(k, sum, k->p);
    mpq_clear(weight);
}

/* Separates the codes: their intervals are made smaller until no two of them meet. Over Q it is
 * enough that codes are spelled differently. */
void separate(const block *y, size_t codes)
{
    size_t most = 1;
    for (const head *h = y->head; h < y->head + y->heads; h++) most = MAXIMUM(most, degree_of(h));
    if (most == 1) return;
    field *q = new_field(1);
    mpq_t *sum = zeros(2 * codes);
    for (size_t apart = 1;;) {
        clear(sum, 2 * codes);
        for (size_t i = 0; i < codes * y->heads; i++) {
            const head *h = &y->head[i % y->heads];
            enclose_sum(h->k ? field_of(h) : q, h, &y->readout[i % y->heads].code[i / y->heads],
                        sum + 2 * (i / y->heads));
        }
        spend(product_of(16, codes));
        qsort(sum, codes, 2 * sizeof *sum, by_least);
        for (apart = 1; apart < codes && mpq_cmp(sum[2 * apart - 1], sum[2 * apart]) < 0;) apart++;
        if (apart == codes) return;
        for (const head *h = y->head; h < y->head + y->heads; h++)
            if (degree_of(h) > 1) refine(field_of(h));
    }
}
