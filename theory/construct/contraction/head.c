#include "theory/construct/contraction/head.h"
#include "numeric/base/mem.h"
#include "theory/construct/contraction/impl.h"

static f2l_status push_fraction(f2l_qvec *v, size_t index, const fmpq_t x, f2l_error *err)
{
    mpq_t value;
    if (fmpq_is_zero(x)) return F2L_OK;
    mpq_init(value);
    fmpq_get_mpq(value, x);
    const f2l_status status = f2l_qvec_push(v, (uint32_t)index, value, err);
    mpq_clear(value);
    return status;
}

/* Writes the form; the identity is written as no form. */
static f2l_status set_form(f2l_head *head, const f2l_code_space *s, f2l_error *err)
{
    bool identity = fmpq_mat_is_one(s->form) != 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < s->extra; i++) identity &= fmpz_is_one(s->weight + i) != 0;
    for (size_t i = 0; i < head->n && status == F2L_OK && !identity; i++)
        for (size_t j = 0; j < head->n && status == F2L_OK; j++) {
            fmpq_t entry;
            fmpq_init(entry);
            if (i < s->dim && j < s->dim)
                fmpq_set(entry, fmpq_mat_entry(s->form, (slong)i, (slong)j));
            else if (i == j)
                fmpq_set_fmpz(entry, s->weight + (i - s->dim));
            status = push_fraction(&head->form, i * head->n + j, entry, err);
            fmpq_clear(entry);
        }
    return status;
}

/* Sets c to u^T G z / 2^halves. */
static f2l_status set_write(f2l_factor *out, const f2l_code_space *s, const fmpq *u, const fmpq *z,
                            unsigned halves, f2l_error *err)
{
    fmpq_t sum, row;
    fmpq_init(sum);
    fmpq_init(row);
    for (size_t i = 0; i < s->dim; i++) {
        fmpq_zero(row);
        for (size_t j = 0; j < s->dim; j++)
            fmpq_addmul(row, fmpq_mat_entry(s->form, (slong)i, (slong)j), z + j);
        fmpq_addmul(sum, row, u + i);
    }
    fmpq_div_2exp(sum, sum, halves);
    const f2l_status status = push_fraction(&out->c, 0, sum, err);
    fmpq_clear(sum);
    fmpq_clear(row);
    return status;
}

/* Sets a factor but for what it writes. */
static f2l_status set_contraction_factor(f2l_factor *out, const f2l_contraction_factor *from,
                                         f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_set_ui(out->beta, from->beta, 1);
    for (size_t i = 0; i < from->size && status == F2L_OK; i++)
        status = push_fraction(&out->u, i, from->u + i, err);
    return status;
}

f2l_status f2l_contraction_letter(f2l_transition *out, const f2l_contraction *c, size_t letter,
                                  f2l_error *err)
{
    const f2l_contraction_factors *factors = &c->factors[letter];
    const f2l_code_space *s = &c->space;
    const fmpq *centre = fmpq_mat_entry(s->centre, (slong)letter, 0),
               *shift = fmpq_mat_entry(s->shift, (slong)letter, 0);
    const size_t last = factors->count - (factors->shifts ? 1 : 0),
                 moves = factors->count - (factors->shifts ? 2 : 0);
    f2l_status status = f2l_transition_set_factors(out, factors->count, err);
    for (size_t f = 0; f < factors->count && status == F2L_OK; f++) {
        const f2l_contraction_factor *from = &factors->factor[f];
        status = set_contraction_factor(&out->factor[f], from, err);
        if (status == F2L_OK && f < moves)
            status = set_write(&out->factor[f], s, from->u, centre, 0, err);
        if (status == F2L_OK && factors->shifts && f == last)
            status = set_write(&out->factor[f], s, from->u, shift, 1, err);
    }
    return status;
}

f2l_status f2l_contraction_code(f2l_qvec *out, const f2l_contraction *c, size_t state,
                                f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < c->space.dim && status == F2L_OK; i++)
        status = push_fraction(out, i, fmpq_mat_entry(c->space.code, (slong)state, (slong)i), err);
    return status;
}

f2l_status f2l_contraction_head(f2l_head *head, const f2l_contraction *c, size_t start,
                                f2l_error *err)
{
    head->n = c->space.dim + c->space.extra;
    head->d = 1;
    const f2l_status status = set_form(head, &c->space, err);
    return status == F2L_OK ? f2l_contraction_code(&head->initial, c, start, err) : status;
}

f2l_status f2l_contraction_init(f2l_contraction *out, const f2l_maps *maps, const fmpq_mat_t form,
                                const f2l_task *task, f2l_error *err)
{
    f2l_watch watch;
    f2l_watch_start(&watch, task, "factors of contractions", err);
    *out = (f2l_contraction){.letters = maps->letters};
    out->factors = f2l_calloc(maps->letters, sizeof *out->factors);
    f2l_status status = out->factors ? f2l_code_space_init(&out->space, maps, form, &watch, err)
                                     : f2l_fail_memory(err);
    for (size_t a = 0; a < maps->letters && status == F2L_OK; a++)
        status = f2l_contraction_factorise(&out->factors[a], &out->space, a, &watch, err);
    return status;
}

void f2l_contraction_clear(f2l_contraction *c)
{
    for (size_t a = 0; c->factors && a < c->letters; a++)
        f2l_contraction_factors_clear(&c->factors[a]);
    f2l_free(c->factors);
    f2l_code_space_clear(&c->space);
    *c = (f2l_contraction){0};
}
