/* Parts that move as a representation up to signs of the letters: A(a) P = e(a) P rho(a) with e(a)
 * = 1 or -1. If e is no character of the group, the state P determines the pair (g, s) of the
 * group's element and a sign, and rho x sign is a representation of the group of these pairs. There
 * the parts are searched again (O.8 of theory/pages/r1.md).
 *
 * For the signs: squares of words do not have them, A(u)^2 P = P rho(u)^2, so that P is nearly in
 * the space V of the X with A(u)^2 X = X rho(u)^2 for words u. That has few dimensions, and in V P
 * is an eigenvector of all the maps L_a: X -> A(a) X rho(a)^T, with the eigenvalue e(a), and so of
 * a random combination of them. */
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/beside/snap/impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words for V are drawn, as many as there are letters or more, of up to three letters. X with |X| =
 * 1 is in V if its form is at most 1; random X have 2. */
enum { LEAST_WORDS = 24, LONGEST_WORD = 3, MOST_DIMENSIONS = 64 };
#define IN_SPACE 1.0

/* Random combinations, and rounds in which signs and P are made to fit each other. */
enum { DRAWS = 8, ROUNDS = 12 };

/* A representation up to signs in a head. */
typedef struct candidate {
    size_t irrep, head;
    double defect;
    size_t factors, letter; /* the most of a letter with its sign; the first such letter */
    bool *minus;            /* [letters] where the sign is -1 */
} candidate;

typedef struct search {
    const f2l_snap_input *in;
    const f2l_r1 *r1;
    size_t letters, irreps, candidates;
    f2l_snap_irrep *irrep;
    candidate *candidate; /* [candidates], room for all heads and irreps */
    f2l_rng rng;
} search;

static void multiply_dense(double *to, const double *a, const double *b, size_t n)
{
    memset(to, 0, n * n * sizeof *to);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t k = 0; k < n; k++) to[i * n + k] += a[i * n + l] * b[l * n + k];
}

/* Sets to [n][n] to the square of the matrix of a word, whose first letter acts first. */
static void square_word_matrix(double *to, double *work, const double *letter, const size_t *word,
                               size_t length, size_t n)
{
    memcpy(work, letter + word[0] * n * n, n * n * sizeof *work);
    for (size_t i = 1; i < length; i++) {
        multiply_dense(to, letter + word[i] * n * n, work, n);
        memcpy(work, to, n * n * sizeof *work);
    }
    multiply_dense(to, work, work, n);
}

/* The search in one head for one representation. */
typedef struct fit {
    search *s;
    f2l_snap_head *head;
    const f2l_irrep_float *rho;
    size_t K, d, r;     /* r: dimension of V */
    double *basis;      /* [r][K d] of V, orthonormal; borrowed */
    double *map;        /* [letters][r][r] symmetric part of L_a in V */
    double *x, *turned; /* [K d] scratch */
} fit;

/* Sets to [K d] = L_a x. */
static void apply_fit_map(double *to, double *work, const fit *f, const double *x, size_t a)
{
    const size_t K = f->K, d = f->d;
    const double *letter = f->head->letter + a * K * K, *rho = f->rho->letter + a * d * d;
    memset(work, 0, K * d * sizeof *work);
    memset(to, 0, K * d * sizeof *to);
    for (size_t i = 0; i < K; i++)
        for (size_t k = 0; k < K; k++)
            for (size_t j = 0; j < d; j++) work[i * d + j] += letter[i * K + k] * x[k * d + j];
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t l = 0; l < d; l++) to[i * d + j] += work[i * d + l] * rho[j * d + l];
}

/* Finds V: the eigenvectors of words' squares with the least eigenvalues. */
static f2l_status find_space(f2l_snap_spectrum *out, fit *f, f2l_error *err)
{
    const size_t K = f->K, d = f->d, letters = f->s->letters,
                 words = letters > LEAST_WORDS ? letters : LEAST_WORDS;
    double *a = f2l_calloc(words, K * K * sizeof *a), *rho = f2l_calloc(words, d * d * sizeof *rho),
           *work = f2l_calloc(K * K, sizeof *work);
    *out = (f2l_snap_spectrum){0};
    f2l_status status = a && rho && work ? F2L_OK : f2l_fail_memory(err);
    for (size_t w = 0; status == F2L_OK && w < words; w++) {
        size_t word[LONGEST_WORD] = {w % letters};
        const size_t length = 1 + w / letters % LONGEST_WORD + f2l_rng_below(&f->s->rng, 2);
        const size_t used = length < LONGEST_WORD ? length : LONGEST_WORD;
        for (size_t i = 1; i < used; i++) word[i] = f2l_rng_below(&f->s->rng, letters);
        square_word_matrix(a + w * K * K, work, f->head->letter, word, used, K);
        square_word_matrix(rho + w * d * d, work, f->rho->letter, word, used, d);
    }
    if (status == F2L_OK)
        status =
            f2l_snap_spectrum_build(out, f->head->square, a, rho, words, K, d, f->s->in->task, err);
    f2l_free(a);
    f2l_free(rho);
    f2l_free(work);
    for (f->r = 0; status == F2L_OK && f->r < out->n && f->r < MOST_DIMENSIONS;) {
        if (out->value[out->n - 1 - f->r] > IN_SPACE) break;
        f->r++;
    }
    f->basis = status == F2L_OK ? out->vector + (out->n - f->r) * out->n : NULL;
    return status;
}

/* Fills the maps of the letters in V. */
static void fill_maps(fit *f)
{
    const size_t n = f->K * f->d, r = f->r;
    for (size_t a = 0; a < f->s->letters; a++)
        for (size_t j = 0; j < r; j++) {
            apply_fit_map(f->x, f->turned, f, f->basis + j * n, a);
            for (size_t i = 0; i < r; i++) {
                const double half = f2l_dense_dot(f->basis + i * n, f->x, n) / 2;
                f->map[(a * r + i) * r + j] += half;
                f->map[(a * r + j) * r + i] += half;
            }
        }
}

/* Returns y^T map y. */
static double value_of_form(const double *map, const double *y, size_t r)
{
    double sum = 0;
    for (size_t i = 0; i < r; i++) sum += y[i] * f2l_dense_dot(map + i * r, y, r);
    return sum;
}

/* Returns the mean over the letters of |y^T L_a y|: 1 where y is an eigenvector of all. */
static double score_of(const fit *f, const double *y)
{
    double sum = 0;
    for (size_t a = 0; a < f->s->letters; a++)
        sum += fabs(value_of_form(f->map + a * f->r * f->r, y, f->r));
    return sum / (double)f->s->letters;
}

/* Sets the rows of vector [r][r] to the eigenvectors of the sum of weight[a] L_a in V, by falling
 * eigenvalue; sum [r][r] and value [r] are scratch. Singular values are eigenvalues
 * after all of them are made positive. */
static f2l_status combine_eigenvectors(double *vector, double *value, double *sum, const fit *f,
                                       const double *weight, f2l_error *err)
{
    const size_t r = f->r;
    double shift = 1;
    memset(sum, 0, r * r * sizeof *sum);
    for (size_t a = 0; a < f->s->letters; a++) {
        shift += 2 * fabs(weight[a]);
        for (size_t i = 0; i < r * r; i++) sum[i] += weight[a] * f->map[a * r * r + i];
    }
    for (size_t i = 0; i < r; i++) sum[i * r + i] += shift;
    return f2l_dense_singular_values(value, vector, sum, r, r, err);
}

/* Sets minus to the signs at the best y that is found in V; *score is its score. */
static f2l_status start_signs(bool *minus, double *score, fit *f, f2l_error *err)
{
    const size_t r = f->r, letters = f->s->letters;
    double *vector = f2l_calloc(r * r, sizeof *vector), *value = f2l_calloc(r, sizeof *value),
           *sum = f2l_calloc(r * r, sizeof *sum), *weight = f2l_calloc(letters, sizeof *weight);
    f2l_status status = vector && value && sum && weight ? F2L_OK : f2l_fail_memory(err);
    *score = 0;
    for (size_t draw = 0; status == F2L_OK && draw < DRAWS; draw++) {
        for (size_t a = 0; a < letters; a++)
            weight[a] = ldexp((double)f2l_rng_u32(&f->s->rng), -31) - 1;
        status = combine_eigenvectors(vector, value, sum, f, weight, err);
        for (size_t i = 0; status == F2L_OK && i < r; i++) {
            const double here = score_of(f, vector + i * r);
            if (!(here > *score)) continue;
            *score = here;
            for (size_t a = 0; a < letters; a++)
                minus[a] = value_of_form(f->map + a * r * r, vector + i * r, r) < 0;
        }
    }
    f2l_free(vector);
    f2l_free(value);
    f2l_free(sum);
    f2l_free(weight);
    return status;
}

/* Fits P to the signs and the signs to P until they stay, and sets *defect to the last P's;
 * rho [letters][d][d] is scratch. */
static f2l_status refine_signs(bool *minus, double *defect, double *rho, fit *f, f2l_error *err)
{
    const size_t d = f->d, n = f->K * d, letters = f->s->letters;
    f2l_status status = F2L_OK;
    bool changed = true;
    for (size_t round = 0; status == F2L_OK && changed && round < ROUNDS; round++) {
        f2l_snap_spectrum found;
        for (size_t i = 0; i < letters * d * d; i++)
            rho[i] = minus[i / (d * d)] ? -f->rho->letter[i] : f->rho->letter[i];
        status = f2l_snap_spectrum_build(&found, f->head->square, f->head->letter, rho, letters,
                                         f->K, d, f->s->in->task, err);
        changed = false;
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            const double *x = found.vector + (n - 1) * n;
            apply_fit_map(f->x, f->turned, f, x, a);
            const bool now = f2l_dense_dot(f->x, x, n) < 0;
            changed = changed || now != minus[a];
            minus[a] = now;
        }
        if (status == F2L_OK) *defect = sqrt(fmax(found.value[n - 1], 0));
        f2l_snap_spectrum_clear(&found);
    }
    return status;
}

static void count_candidate_factors(candidate *c, const search *s)
{
    for (size_t a = 0; a < s->letters; a++) {
        const size_t count = f2l_snap_factors_of(s->r1, s->irrep[c->irrep].irrep, a, c->minus[a]);
        if (count > c->factors) c->letter = a;
        if (count > c->factors) c->factors = count;
    }
}

/* Returns whether minus times the character has fewer signs -1 than `least`, or as many and the
 * first difference of both is +. */
static bool is_smaller(const bool *minus, const bool *least, const bool *character, size_t letters)
{
    size_t now = 0, then = 0, first = letters;
    for (size_t a = 0; a < letters; a++) {
        const bool here = minus[a] != character[a];
        now += here;
        then += least[a];
        if (here != least[a] && first == letters) first = a;
    }
    return now < then || (now == then && first < letters && least[first]);
}

/* The signs e and e chi, for a character chi with values 1 and -1, belong to the same group of
 * pairs, up to (g, s) -> (g, s chi(g)), and to the representations rho and rho chi. Of all these
 * signs those with the fewest -1 are taken, so that it does not matter which rho came first. */
static f2l_status normalise_signs(bool *minus, const search *s, f2l_error *err)
{
    const f2l_r1_tables *t = &s->r1->tables;
    const f2l_characters *x = &t->characters;
    const size_t letters = s->letters;
    bool *least = f2l_calloc(letters, 2 * sizeof *least),
         *character = least ? least + letters : NULL;
    if (least == NULL) return f2l_fail_memory(err);
    memcpy(least, minus, letters * sizeof *least);
    for (size_t c = 0; c < x->characters; c++) {
        if (x->degree[c] != 1 || x->indicator[c] != 1) continue;
        for (size_t a = 0; a < letters; a++)
            character[a] = x->value[c * x->classes + t->classes.class_of[t->letter[a]]] != 1;
        if (!is_smaller(minus, least, character, letters)) continue;
        for (size_t a = 0; a < letters; a++) least[a] = minus[a] != character[a];
    }
    memcpy(minus, least, letters * sizeof *minus);
    f2l_free(least);
    return F2L_OK;
}

/* Finds the signs for one representation in one head, and appends them. */
static f2l_status add_candidate(search *s, f2l_snap_head *head, size_t irrep, f2l_error *err)
{
    const f2l_irrep_float *rho = &s->irrep[irrep].value;
    const size_t n = head->K * rho->dimension;
    fit f = {.s = s, .head = head, .rho = rho, .K = head->K, .d = rho->dimension};
    candidate *c = &s->candidate[s->candidates];
    f2l_snap_spectrum space;
    double *signed_rho = NULL, score = 0;
    f2l_status status = find_space(&space, &f, err);
    const bool some = status == F2L_OK && f.r > 0;
    if (some) {
        *c = (candidate){.irrep = irrep, .head = head->head, .defect = INFINITY};
        s->candidates++;
        c->minus = f2l_calloc(s->letters, sizeof *c->minus);
        signed_rho = f2l_calloc(s->letters, f.d * f.d * sizeof *signed_rho);
        f.map = f2l_calloc(s->letters, f.r * f.r * sizeof *f.map);
        f.x = f2l_calloc(n, sizeof *f.x);
        f.turned = f2l_calloc(n, sizeof *f.turned);
        const bool there = c->minus && signed_rho && f.map && f.x && f.turned;
        status = there ? F2L_OK : f2l_fail_memory(err);
    }
    if (some && status == F2L_OK) {
        fill_maps(&f);
        status = start_signs(c->minus, &score, &f, err);
    }
    if (some && status == F2L_OK) status = refine_signs(c->minus, &c->defect, signed_rho, &f, err);
    if (some && status == F2L_OK) {
        count_candidate_factors(c, s);
        status = normalise_signs(c->minus, s, err);
    }
    f2l_free(signed_rho);
    f2l_free(f.map);
    f2l_free(f.x);
    f2l_free(f.turned);
    f2l_snap_spectrum_clear(&space);
    return status;
}

static int by_defect(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->defect != y->defect) return x->defect < y->defect ? -1 : 1;
    if (x->head != y->head) return x->head < y->head ? -1 : 1;
    return (x->irrep > y->irrep) - (x->irrep < y->irrep);
}

static f2l_status find_candidates(search *s, f2l_error *err)
{
    const f2l_snap_input *in = s->in;
    const size_t heads = in->inspect->heads;
    f2l_status status =
        f2l_snap_list_irreps(&s->irrep, &s->irreps, s->r1, F2L_SNAP_UP_TO_SIGN, in, err);
    if (status != F2L_OK) return status;
    s->candidate = f2l_calloc(heads * s->irreps + 1, sizeof *s->candidate);
    if (s->candidate == NULL) return f2l_fail_memory(err);
    for (size_t h = 0; status == F2L_OK && h < heads; h++) {
        f2l_snap_head head;
        status = f2l_snap_head_init(&head, in, h, err);
        for (size_t i = 0; status == F2L_OK && i < s->irreps; i++) {
            if (s->irrep[i].known) status = add_candidate(s, &head, i, err);
            if (status == F2L_OK)
                status = f2l_task_poll(in->task, "snap", (double)(h * s->irreps + i),
                                       (double)(heads * s->irreps), err);
        }
        f2l_snap_head_clear(&head);
    }
    qsort(s->candidate, s->candidates, sizeof *s->candidate, by_defect);
    return status;
}

/* --- the group with signs --- */

/* Returns the number of elements on which all parts are trivial. */
static size_t kernel_of(const f2l_snap *snap)
{
    const f2l_r1_tables *t = &snap->r1.tables;
    size_t count = 0;
    for (size_t c = 0; c < t->classes.classes; c++) {
        bool trivial = true;
        for (size_t p = 0; p < snap->parts && trivial; p++) {
            const size_t irrep = snap->irrep[snap->part[p].irrep].irrep;
            trivial = f2l_householders_rank(&t->householders, irrep, c) == 0;
        }
        count += trivial ? t->classes.size[c] : 0;
    }
    return count;
}

/* Fills *trial, which is empty, with the parts for the group with signs; trial->has_group is false
 * where that is too large. */
static f2l_status try_signs(f2l_snap *trial, const f2l_snap *plain, const bool *minus, size_t signs,
                            const f2l_snap_input *in, f2l_error *err)
{
    f2l_error why;
    trial->within = plain->within;
    trial->heads = plain->heads;
    trial->letters = plain->letters;
    trial->key_dim = plain->key_dim;
    trial->value_dim = plain->value_dim;
    f2l_status status =
        f2l_r1_lift(&trial->r1, &plain->r1, minus, signs, F2L_SNAP_MAX_ORDER, in->task, &why);
    trial->has_group = status == F2L_OK;
    if (status == F2L_UNKNOWN) return f2l_task_poll(in->task, "snap", 0, 1, err);
    if (status != F2L_OK) return f2l_fail(err, status, "%s", why.text);
    return f2l_snap_find(trial, in, err);
}

/* Adds the signs of one candidate after another, each if with it fewer elements are left that the
 * parts do not tell from the identity, until it is the identity alone. */
static f2l_status add_signs(f2l_snap *out, bool *minus, f2l_snap_near_miss *miss, const search *s,
                            f2l_error *err)
{
    const f2l_snap_input *in = s->in;
    size_t signs = 0, kernel = kernel_of(out), order = out->r1.tables.group.order;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && kernel > 1 && i < s->candidates; i++) {
        const candidate *c = &s->candidate[i];
        if (c->defect > out->within || c->factors > in->inspect->householders) continue;
        f2l_snap trial;
        f2l_snap_init(&trial);
        memcpy(minus + signs * s->letters, c->minus, s->letters * sizeof *minus);
        status = try_signs(&trial, out, minus, signs + 1, in, err);
        if (status == F2L_OK && !trial.has_group) miss->limit = true;
        if (status == F2L_OK && trial.has_group && trial.r1.tables.group.order > order &&
            kernel_of(&trial) < kernel) {
            signs++;
            kernel = kernel_of(&trial);
            order = trial.r1.tables.group.order;
        }
        if (kernel == 1) {
            trial.cover = (f2l_snap_cover){out->r1.tables.group.order, signs, minus};
            f2l_snap_clear(out);
            *out = trial;
        } else
            f2l_snap_clear(&trial);
    }
    return status;
}

f2l_status f2l_snap_find_cover(f2l_snap *out, f2l_snap_near_miss *miss, const f2l_snap_input *in,
                               f2l_error *err)
{
    search s = {.in = in, .r1 = &out->r1, .letters = out->letters};
    *miss = (f2l_snap_near_miss){.defect = INFINITY};
    f2l_rng_init(&s.rng, 1, 1);
    f2l_status status = find_candidates(&s, err);
    bool *minus = f2l_calloc((s.candidates + 1) * s.letters, sizeof *minus);
    if (status == F2L_OK && minus == NULL) status = f2l_fail_memory(err);
    if (status == F2L_OK && s.candidates > 0) {
        const candidate *best = &s.candidate[0];
        miss->character = s.irrep[best->irrep].character;
        miss->head = best->head;
        miss->defect = best->defect;
        miss->factors = best->factors;
        miss->letter = best->letter;
        status = add_signs(out, minus, miss, &s, err);
    }
    if (out->cover.signs == 0) f2l_free(minus);
    for (size_t i = 0; i < s.candidates; i++) f2l_free(s.candidate[i].minus);
    f2l_free(s.candidate);
    f2l_snap_free_irreps(s.irrep, s.irreps);
    return status;
}
