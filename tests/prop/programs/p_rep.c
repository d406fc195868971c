/* Characters, fewest factors, covers and certificates.
 *
 * Without arguments: random permutation groups against brute force (the seed is printed). With
 * arguments it prints what other test programs need:
 *
 *     p_rep table DEGREE CYCLES ..   the facts that gap_characters.py compares
 *     p_rep certificate generators|elements DEGREE CYCLES ..   a certificate for rep-check */
#include "tests/support/theory/rep_support.h"

#define SEED 20240917u
#define MOST_POINTS 8
#define MOST_IRREPS 11

static f2l_status read_arguments(rep *r, int count, char **argument)
{
    const size_t degree = strtoul(argument[0], NULL, 10), generators = (size_t)count - 1;
    uint32_t *image = calloc(generators * degree + 1, sizeof *image);
    f2l_status status = F2L_OK;
    for (size_t s = 0; status == F2L_OK && s < generators; s++)
        status = f2l_perm_read(image + s * degree, degree, argument[s + 1], strlen(argument[s + 1]),
                               1, 1, &r->err);
    if (status == F2L_OK) status = rep_build(r, image, generators, degree);
    free(image);
    return status;
}

static int fail(const rep *r)
{
    fprintf(stderr, "p_rep: %s\n", r->err.text);
    return 1;
}

static int print_table(int count, char **argument)
{
    rep r;
    f2l_householders h;
    if (read_arguments(&r, count, argument) != F2L_OK) return fail(&r);
    printf("order %zu classes %zu characters", r.group.order, r.classes.classes);
    for (size_t i = 0; i < r.characters.characters; i++)
        printf(" %zu:%d", r.characters.degree[i], r.characters.indicator[i]);
    for (int all = 0; all < 2; all++) {
        if (rep_householders(&h, &r, all) != F2L_OK) return fail(&r);
        printf(" %s %zu:%zu%s", all ? "elements" : "generators", h.minimum, h.dimension,
               h.least ? "" : "?");
        f2l_householders_clear(&h);
    }
    printf("\n");
    rep_clear(&r);
    return 0;
}

static int print_certificate(int count, char **argument)
{
    rep r;
    f2l_householders h;
    f2l_buf text;
    f2l_buf_init(&text);
    const bool all = strcmp(argument[0], "elements") == 0;
    if (read_arguments(&r, count - 1, argument + 1) != F2L_OK ||
        rep_householders(&h, &r, all) != F2L_OK || rep_certificate(&text, &r, &h, all) != F2L_OK)
        return fail(&r);
    fwrite(text.data, 1, text.size, stdout);
    f2l_buf_clear(&text);
    f2l_householders_clear(&h);
    rep_clear(&r);
    return 0;
}

/* Checks every product of two class sums, by counting all pairs of elements. */
static const char *algebra_fault(const rep *r)
{
    const size_t n = r->classes.classes, order = r->group.order;
    const f2l_characters *t = &r->characters;
    const uint64_t p = t->prime;
    uint64_t *count = calloc(n * n * n, sizeof *count);
    for (uint32_t x = 0; x < order; x++)
        for (uint32_t y = 0; y < order; y++) {
            const uint32_t *k = r->classes.class_of;
            count[(k[x] * n + k[y]) * n + k[f2l_group_multiply(&r->group, x, y)]]++;
        }
    const char *fault = NULL;
    for (size_t s = 0; s < n && !fault; s++) {
        const uint64_t *chi = t->value + s * n;
        for (size_t i = 0; i < n * n && !fault; i++) {
            /* |A| |B| chi(A) chi(B) = chi(1) sum over pairs of chi(x y) */
            uint64_t sum = 0;
            for (size_t c = 0; c < n; c++) sum = (sum + count[i * n + c] % p * chi[c]) % p;
            const uint64_t left =
                r->classes.size[i / n] * r->classes.size[i % n] % p * (chi[i / n] * chi[i % n] % p);
            if (left % p != t->degree[s] * sum % p) fault = "class algebra";
        }
    }
    free(count);
    return fault;
}

/* Returns a fault unless the eigenvalues agree with the character values, and the fixed space with
 * the eigenvalue 1. */
static const char *eigenvalue_fault(rep *r)
{
    const f2l_characters *t = &r->characters;
    size_t *m = calloc(t->exponent, sizeof *m);
    const char *fault = NULL;
    for (size_t s = 0; s < t->characters && !fault; s++)
        for (size_t c = 0; c < t->classes && !fault; c++) {
            if (f2l_characters_eigenvalues(m, t, &r->classes, s, c, &r->err) != F2L_OK)
                fault = "memory";
            uint64_t sum = 0, root = 1;
            size_t total = 0;
            for (size_t j = 0; j < t->exponent; j++) {
                sum = (sum + m[j] * root) % t->prime;
                root = root * t->root % t->prime;
                total += m[j];
            }
            if (root != 1 || total != t->degree[s] || sum != t->value[s * t->classes + c])
                fault = "eigenvalues";
            if (m[0] != f2l_characters_fixed(t, &r->classes, s, c)) fault = "fixed space";
        }
    free(m);
    return fault;
}

/* Finds the ranks of a set of irreps and their common kernel, element by element. */
static void examine(const rep *r, const f2l_householders *h, unsigned set, size_t *most,
                    size_t *dimension, bool *faithful)
{
    *most = *dimension = 0;
    for (size_t i = 0; i < h->irreps; i++) {
        if (!(set >> i & 1)) continue;
        *dimension += h->irrep[i].dimension;
        for (size_t c = 0; c < h->classes; c++)
            if (h->letter[c] && f2l_householders_rank(h, i, c) > *most)
                *most = f2l_householders_rank(h, i, c);
    }
    *faithful = true;
    for (uint32_t x = 1; x < r->group.order; x++) {
        bool moves = false;
        for (size_t i = 0; i < h->irreps && !moves; i++)
            moves = (set >> i & 1) && f2l_householders_rank(h, i, r->classes.class_of[x]) > 0;
        *faithful = *faithful && moves;
    }
}

/* Checks the least maximum over all sets of irreps, and the least dimension among the sets that
 * attain it. */
static const char *minimum_fault(const rep *r, const f2l_householders *h)
{
    size_t least = SIZE_MAX, smallest = SIZE_MAX, most, dimension;
    bool faithful;
    for (unsigned set = 0; set < 1u << h->irreps; set++) {
        examine(r, h, set, &most, &dimension, &faithful);
        if (!faithful || most > least || (most == least && dimension >= smallest)) continue;
        least = most;
        smallest = dimension;
    }
    if (least != h->minimum) return "minimum";
    if (h->least && smallest != h->dimension) return "dimension";
    unsigned set = 0;
    for (size_t i = 0; i < h->heads; i++) set |= 1u << h->head[i];
    examine(r, h, set, &most, &dimension, &faithful);
    if (!faithful || most > h->minimum || dimension != h->dimension) return "heads";
    for (size_t i = 0; i < h->irreps; i++)
        if (h->irrep[i].most < h->minimum && f2l_householders_rank(h, i, h->hidden) > 0)
            return "hidden class";
    return h->minimum == 0 || h->hidden > 0 ? NULL : "hidden class";
}

/* Returns permutations of the signed points of all heads, p and -p adjacent, after point 0, which
 * is fixed. */
static uint32_t *signed_points(const f2l_dyadic *d, size_t generators, size_t points)
{
    uint32_t *image = calloc(generators * points + 1, sizeof *image);
    for (size_t s = 0; s < generators; s++) {
        size_t from = 1;
        for (size_t i = 0; i < d->heads; from += 2 * d->head[i].points, i++)
            for (size_t p = 0; p < 2 * d->head[i].points; p++) {
                const int32_t v = d->head[i].image[s * d->head[i].points + p / 2];
                image[s * points + from + p] =
                    (uint32_t)(from + 2 * (size_t)(abs(v) - 1) + ((p % 2) ^ (v < 0)));
            }
    }
    return image;
}

/* Returns the number of factors of one element; *even says whether each head of more than one point
 * has an even number of signs. */
static size_t factors_of(const f2l_dyadic *d, const uint32_t *row, bool *even)
{
    size_t most = 0, from = 1;
    for (size_t i = 0; i < d->heads; from += 2 * d->head[i].points, i++) {
        int32_t *v = calloc(d->head[i].points, sizeof *v);
        bool odd = false;
        for (size_t p = 0; p < d->head[i].points; p++) {
            const uint32_t to = row[from + 2 * p] - (uint32_t)from;
            v[p] = to % 2 ? -(int32_t)(to / 2 + 1) : (int32_t)(to / 2 + 1);
            odd ^= to % 2;
        }
        const size_t factors = f2l_dyadic_factors(v, d->head[i].points);
        if (factors > most) most = factors;
        *even = *even && (!odd || d->head[i].points == 1);
        free(v);
    }
    return most;
}

/* Checks heads of signed permutations: they are a homomorphism (the group that acts on its points
 * and on theirs has no more elements), jointly faithful, and within the bound. */
static const char *heads_fault(const rep *r, const f2l_dyadic *d, bool all)
{
    size_t points = 1;
    for (size_t i = 0; i < d->heads; i++) points += 2 * d->head[i].points;
    const size_t generators = r->group.generators, degree = r->group.degree,
                 width = degree + points;
    uint32_t *alone = signed_points(d, generators, points);
    uint32_t *joint = calloc(generators * width + 1, sizeof *joint);
    for (size_t s = 0; s < generators; s++) {
        memcpy(joint + s * width, r->group.generator + s * degree, degree * sizeof *joint);
        for (size_t p = 0; p < points; p++)
            joint[s * width + degree + p] = (uint32_t)degree + alone[s * points + p];
    }
    const char *fault = NULL;
    f2l_group both, heads;
    if (f2l_group_build(&both, joint, generators, width, 0, NULL, NULL) != F2L_OK ||
        both.order != r->group.order)
        fault = "dyadic homomorphism";
    if (f2l_group_build(&heads, alone, generators, points, 0, NULL, NULL) != F2L_OK ||
        heads.order != r->group.order)
        fault = "dyadic kernel";
    size_t most = 0;
    bool even = true;
    for (size_t x = 0; x < (all ? heads.order : generators) && !fault; x++) {
        const size_t factors =
            factors_of(d, (all ? heads.element : heads.generator) + x * points, &even);
        if (factors > most) most = factors;
    }
    if (!fault && (!even || most != d->upper))
        fault = even ? "dyadic factors" : "an odd number of signs";
    f2l_group_clear(&both);
    f2l_group_clear(&heads);
    free(joint);
    free(alone);
    return fault;
}

static const char *dyadic_fault(rep *r, const f2l_householders *h, bool all)
{
    f2l_dyadic d;
    if (f2l_dyadic_build(&d, &r->group, &r->classes, &r->characters, h, 200000, NULL, &r->err) !=
        F2L_OK)
        return "dyadic";
    const char *fault =
        d.lower < h->minimum || d.lower > d.upper ? "dyadic bounds" : heads_fault(r, &d, all);
    f2l_dyadic_clear(&d);
    return fault;
}

/* Checks a cover: lifts lie over the letters, the projection is a homomorphism onto the group, and
 * factors are fewer. */
static const char *cover_fault(rep *r, const f2l_householders *h, bool all, size_t *covers)
{
    f2l_cover c;
    uint32_t *letter = rep_letters(r);
    const f2l_cover_options options = {.limit = 4, .order = 400, .extensions = 40};
    const char *fault = NULL;
    if (f2l_cover_build(&c, &r->group, &r->classes, h, all ? NULL : letter, r->group.generators,
                        &options, NULL, &r->err) != F2L_OK)
        return "cover";
    if (c.lower > h->minimum) fault = "cover bound";
    if (c.found) {
        (*covers)++;
        const rep of = {.group = c.group, .classes = c.classes, .characters = c.characters};
        if (c.factors >= h->minimum || c.factors < c.lower || c.householders.minimum != c.factors ||
            c.kernel * r->group.order != c.group.order)
            fault = "cover factors";
        for (size_t i = 0; i < c.letters; i++)
            if (c.projection[c.lift[i]] != (all ? i : letter[i])) fault = "cover lifts";
        for (uint32_t x = 0; x < c.group.order && !fault; x++)
            for (uint32_t y = 0; y < c.group.order && !fault; y++)
                if (c.projection[f2l_group_multiply(&c.group, x, y)] !=
                    f2l_group_multiply(&r->group, c.projection[x], c.projection[y]))
                    fault = "cover homomorphism";
        if (!fault && of.group.order <= 400) fault = rep_table_fault(&of);
    }
    f2l_cover_clear(&c);
    free(letter);
    return fault;
}

typedef struct totals {
    size_t passed, failed, searched, covers;
} totals;

static void one(totals *t, rep *r, const char *what)
{
    const char *fault = rep_table_fault(r);
    if (!fault && r->group.order <= 400) fault = algebra_fault(r);
    if (!fault && r->group.order <= 1000) fault = eigenvalue_fault(r);
    for (int all = 0; all < 2 && !fault; all++) {
        f2l_householders h;
        if (rep_householders(&h, r, all) != F2L_OK) {
            fault = "householders";
            break;
        }
        if (h.irreps <= MOST_IRREPS) {
            fault = minimum_fault(r, &h);
            t->searched++;
        }
        if (!fault) fault = dyadic_fault(r, &h, all);
        if (!fault && r->group.order <= 100) fault = cover_fault(r, &h, all, &t->covers);
        f2l_householders_clear(&h);
    }
    t->passed += !fault;
    t->failed += fault != NULL;
    if (fault) printf("FAILED: %s: %s %s\n", what, fault, r->err.text);
}

/* Draws generators; the groups are often small, because of powers of permutations and of two
 * separate sets of points. */
static void random_generators(uint32_t *image, size_t generators, size_t n, f2l_rng *rng)
{
    uint32_t first[MOST_POINTS];
    for (size_t s = 0; s < generators; s++) {
        uint32_t *x = image + s * n;
        const size_t cut = f2l_rng_below(rng, 2) ? n : f2l_rng_below(rng, n + 1);
        random_permutation(x, cut, rng);
        random_permutation(x + cut, n - cut, rng);
        for (size_t p = cut; p < n; p++) x[p] += (uint32_t)cut;
        for (size_t power = f2l_rng_below(rng, 4); power > 1; power--) {
            memcpy(first, x, n * sizeof *x);
            for (size_t p = 0; p < n; p++) x[p] = first[first[p]];
        }
    }
}

/* Draws signed permutations of four coordinates, p and -p adjacent: they generate, among others,
 * Q8, SL(2,3) and similar groups. */
static void random_signed(uint32_t *image, size_t generators, f2l_rng *rng)
{
    for (size_t s = 0; s < generators; s++) {
        uint32_t order[4];
        random_permutation(order, 4, rng);
        for (size_t p = 0; p < 4; p++) {
            const uint32_t sign = (uint32_t)f2l_rng_below(rng, 2);
            image[8 * s + 2 * p] = 2 * order[p] + sign;
            image[8 * s + 2 * p + 1] = 2 * order[p] + 1 - sign;
        }
    }
}

static bool is_short(void)
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return getenv("F2L_TEST_SHORT") != NULL;
#endif
}

int main(int count, char **argument)
{
    if (count > 2 && strcmp(argument[1], "table") == 0) return print_table(count - 2, argument + 2);
    if (count > 3 && strcmp(argument[1], "certificate") == 0)
        return print_certificate(count - 2, argument + 2);
    totals t = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 0);
    const size_t groups = is_short() ? 60 : 600;
    for (size_t i = 0; i < groups; i++) {
        rep r;
        char what[60];
        uint32_t image[3 * MOST_POINTS];
        const bool has_signs = i % 3 == 0;
        const size_t n = has_signs ? 8 : 1 + f2l_rng_below(&rng, 7),
                     generators = 1 + f2l_rng_below(&rng, 3);
        if (has_signs)
            random_signed(image, generators, &rng);
        else
            random_generators(image, generators, n, &rng);
        snprintf(what, sizeof what, "group %zu, %zu points", i, n);
        if (rep_build(&r, image, generators, n) == F2L_OK) {
            one(&t, &r, what);
        } else {
            t.failed++;
            printf("FAILED: %s: %s\n", what, r.err.text);
        }
        rep_clear(&r);
    }
    printf("seed %u: %zu groups; %zu searches over all sets of irreps, %zu covers "
           "found\n",
           SEED, groups, t.searched, t.covers);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed ? 1 : 0;
}
