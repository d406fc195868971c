/* The class of diagonal matrices that a network is in (theory/pages/diagonal.md, G.8). */
#include "models/network/net/head_field.h"
#include "theory/construct/diagonal/diagonal.h"
#include <flint/fmpq_mat.h>

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

/* Returns whether the letter has gate 0 or an even number of reflections. */
static bool letter_turns(const f2l_transition *t)
{
    bool good = t->factors % 2 == 0;
    if (mpq_sgn(t->gate) == 0) return true;
    for (size_t i = 0; good && i < t->factors; i++) good = mpq_cmp_ui(t->factor[i].beta, 2, 1) == 0;
    return good;
}

/* Returns whether the keys of letters with a gate span a plane at most. */
static bool spans_plane(const f2l_head *head, size_t letters)
{
    fmpq_mat_t keys; /* a basis of the keys so far, then the next key */
    slong rank = 0;
    fmpq_mat_init(keys, PLANE + 1, (slong)head->n);
    for (size_t a = 0; rank <= PLANE && a < letters; a++) {
        const f2l_transition *t = &head->letter[a];
        for (size_t k = 0; rank <= PLANE && mpq_sgn(t->gate) != 0 && k < t->factors; k++) {
            const f2l_qvec *u = &t->factor[k].u;
            for (size_t i = 0; i < u->count; i++)
                fmpq_set_mpq(fmpq_mat_entry(keys, rank, u->index[i]), u->value[i]);
            rank = fmpq_mat_rref(keys, keys);
        }
    }
    fmpq_mat_clear(keys);
    return rank <= PLANE;
}

/* Returns true for heads of rotations of one plane, times gates: these commute. */
static bool is_complex(const f2l_head *head, size_t letters)
{
    if (head->raw || (head->n != PLANE && !f2l_head_is_plain(head))) return false;
    for (size_t a = 0; a < letters; a++)
        if (!letter_turns(&head->letter[a])) return false;
    return head->n == PLANE || spans_plane(head, letters);
}

f2l_diagonal_class f2l_diagonal_classify(const f2l_net *net)
{
    f2l_diagonal_class out = F2L_CLASS_POSITIVE;
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t h = 0; h < layer->heads && out != F2L_CLASS_OTHER; h++) {
            f2l_diagonal_class mine = real_class(&layer->head[h], layer->letters);
            if (mine == F2L_CLASS_OTHER && is_complex(&layer->head[h], layer->letters))
                mine = F2L_CLASS_COMPLEX;
            if (mine > out) out = mine;
        }
    }
    return out;
}
