/* The class of diagonal matrices that a network is in (theory/pages/diagonal.md, G.8). */
#include "models/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/diagonal/diagonal.h"

#define PLANE 2

const char *f2l_diagonal_class_name(f2l_diagonal_class c)
{
    static const char *const name[] = {"diagonal [0,1]", "diagonal [-1,1]", "complex diagonal",
                                       "not diagonal"};
    return name[c];
}

/* Returns whether 1 - beta < 0. */
static bool negates(const f2l_factor *f)
{
    return mpq_cmp_ui(f->beta, 1, 1) > 0;
}

/* Returns whether the product of the factors' numbers 1 - beta on the axis of factor k is
 * negative. */
static bool negative(const f2l_transition *t, size_t k)
{
    bool minus = false;
    for (size_t i = 0; i < t->factors; i++) {
        if (t->factor[i].u.index[0] != t->factor[k].u.index[0]) continue;
        if (mpq_cmp_ui(t->factor[i].beta, 1, 1) == 0) return false;
        minus ^= negates(&t->factor[i]);
    }
    return minus;
}

/* Returns the class of a head all of whose keys are axes, so that its matrices are diagonal. */
static f2l_diagonal_class real_class(const f2l_head *head, size_t letters)
{
    bool minus = false;
    if (!f2l_head_is_plain(head) || head->raw) return F2L_CLASS_OTHER;
    for (size_t a = 0; a < letters; a++) {
        const f2l_transition *t = &head->letter[a];
        for (size_t k = 0; k < t->factors; k++)
            if (t->factor[k].u.count != 1) return F2L_CLASS_OTHER;
        for (size_t k = 0; mpq_sgn(t->gate) != 0 && !minus && k < t->factors; k++)
            minus = negative(t, k);
    }
    return minus ? F2L_CLASS_REAL : F2L_CLASS_POSITIVE;
}

/* A subspace of at most two dimensions: rows in echelon form. */
typedef struct plane {
    mpq_t *row[PLANE]; /* [n] */
    mpq_t *rest;       /* [n] */
    size_t rows, pivot[PLANE], n;
} plane;

static f2l_status plane_init(plane *p, size_t n, f2l_error *err)
{
    *p = (plane){.n = n};
    p->rest = f2l_calloc((PLANE + 1) * n, sizeof *p->rest);
    if (!p->rest) return f2l_fail_memory(err);
    for (size_t i = 0; i < (PLANE + 1) * n; i++) mpq_init(p->rest[i]);
    for (size_t i = 0; i < PLANE; i++) p->row[i] = p->rest + (i + 1) * n;
    return F2L_OK;
}

static void plane_clear(plane *p)
{
    for (size_t i = 0; p->rest && i < (PLANE + 1) * p->n; i++) mpq_clear(p->rest[i]);
    f2l_free(p->rest);
}

/* Subtracts rest[pivot] times the row from rest. */
static void reduce(plane *p, size_t row, mpq_t scratch[2])
{
    mpq_set(scratch[1], p->rest[p->pivot[row]]);
    for (size_t i = 0; i < p->n; i++) {
        mpq_mul(scratch[0], scratch[1], p->row[row][i]);
        mpq_sub(p->rest[i], p->rest[i], scratch[0]);
    }
}

/* Adds the vector to the plane; returns false when the plane would become three-dimensional. */
static bool take_in(plane *p, const f2l_qvec *u)
{
    mpq_t scratch[2];
    size_t pivot = 0;
    for (size_t i = 0; i < p->n; i++) mpq_set_ui(p->rest[i], 0, 1);
    for (size_t i = 0; i < u->count; i++) mpq_set(p->rest[u->index[i]], u->value[i]);
    mpq_init(scratch[0]);
    mpq_init(scratch[1]);
    for (size_t i = 0; i < p->rows; i++) reduce(p, i, scratch);
    while (pivot < p->n && mpq_sgn(p->rest[pivot]) == 0) pivot++;
    const bool new = pivot < p->n;
    if (new && p->rows < PLANE) {
        mpq_set(scratch[0], p->rest[pivot]);
        for (size_t i = 0; i < p->n; i++) mpq_div(p->row[p->rows][i], p->rest[i], scratch[0]);
        p->pivot[p->rows++] = pivot;
    } else if (new) {
        p->rows = PLANE + 1;
    }
    mpq_clear(scratch[0]);
    mpq_clear(scratch[1]);
    return p->rows <= PLANE;
}

/* Returns whether the letter has gate 0 or an even number of reflections. */
static bool turns(const f2l_transition *t)
{
    bool good = t->factors % 2 == 0;
    if (mpq_sgn(t->gate) == 0) return true;
    for (size_t i = 0; good && i < t->factors; i++) good = mpq_cmp_ui(t->factor[i].beta, 2, 1) == 0;
    return good;
}

/* Sets *yes for heads of rotations of one plane, times gates: these commute. */
static f2l_status is_complex(bool *yes, const f2l_head *head, size_t letters, f2l_error *err)
{
    plane p;
    *yes = !head->raw && (head->n == PLANE || f2l_head_is_plain(head));
    for (size_t a = 0; *yes && a < letters; a++) *yes = turns(&head->letter[a]);
    if (!*yes || head->n == PLANE) return F2L_OK;
    f2l_status status = plane_init(&p, head->n, err);
    for (size_t a = 0; status == F2L_OK && *yes && a < letters; a++) {
        const f2l_transition *t = &head->letter[a];
        for (size_t k = 0; *yes && mpq_sgn(t->gate) != 0 && k < t->factors; k++)
            *yes = take_in(&p, &t->factor[k].u);
    }
    plane_clear(&p);
    return status;
}

f2l_status f2l_diagonal_classify(f2l_diagonal_class *out, const f2l_net *net, f2l_error *err)
{
    *out = F2L_CLASS_POSITIVE;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; h < layer->heads && *out != F2L_CLASS_OTHER; h++) {
            bool turning = false;
            f2l_diagonal_class mine = real_class(&layer->head[h], layer->letters);
            f2l_status status = F2L_OK;
            if (mine == F2L_CLASS_OTHER)
                status = is_complex(&turning, &layer->head[h], layer->letters, err);
            if (status != F2L_OK) return status;
            if (turning) mine = F2L_CLASS_COMPLEX;
            if (mine > *out) *out = mine;
        }
    }
    return F2L_OK;
}
