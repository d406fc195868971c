#include "theory/construct/contraction/contraction.h"
#include "numeric/base/mem.h"
#include "theory/construct/contraction/impl.h"
#include <string.h>

/* The network under construction. */
typedef struct plan {
    const f2l_fsa *fsa;
    f2l_maps maps;
    f2l_code_space space;
    f2l_contraction_factors *factors; /* [letters] */
} plan;

static f2l_status push(f2l_qvec *v, size_t index, const fmpq_t x, f2l_error *err)
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
            status = push(&head->form, i * head->n + j, entry, err);
            fmpq_clear(entry);
        }
    return status;
}

/* Sets c to u^T G z. */
static f2l_status set_write(f2l_factor *out, const f2l_code_space *s, const fmpq *u, const fmpq *z,
                            f2l_error *err)
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
    const f2l_status status = push(&out->c, 0, sum, err);
    fmpq_clear(sum);
    fmpq_clear(row);
    return status;
}

static f2l_status write_letter(f2l_transition *out, const plan *p, size_t letter, f2l_error *err)
{
    const f2l_contraction_factors *factors = &p->factors[letter];
    const f2l_code_space *s = &p->space;
    fmpq *z = _fmpq_vec_init((slong)s->dim);
    f2l_contraction_fixed_point(z, s, &p->maps, letter);
    f2l_status status = f2l_transition_set_factors(out, factors->count, err);
    for (size_t f = 0; f < factors->count && status == F2L_OK; f++) {
        const f2l_contraction_factor *from = &factors->factor[f];
        mpq_set_ui(out->factor[f].beta, from->beta, 1);
        for (size_t i = 0; i < from->size && status == F2L_OK; i++)
            status = push(&out->factor[f].u, i, from->u + i, err);
        if (status == F2L_OK) status = set_write(&out->factor[f], s, from->u, z, err);
    }
    _fmpq_vec_clear(z, (slong)s->dim);
    return status;
}

static f2l_status write_code(f2l_qvec *out, const f2l_code_space *s, size_t state, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < s->dim && status == F2L_OK; i++)
        status = push(out, i, fmpq_mat_entry(s->code, (slong)state, (slong)i), err);
    return status;
}

/* Adds a code for each state, with its label. */
static f2l_status write_codes(f2l_net *net, const plan *p, f2l_error *err)
{
    const size_t states = p->fsa->states.count;
    uint32_t *label_of = f2l_calloc(states, sizeof *label_of);
    f2l_status status = label_of ? F2L_OK : f2l_fail_memory(err);
    for (size_t q = 0; q < states && status == F2L_OK; q++) {
        const char *text = f2l_fsa_label(p->fsa, net->label, q);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    if (status == F2L_OK) net->start = label_of[p->fsa->start];
    if (status == F2L_OK)
        status = f2l_layer_set_codes(&net->layer[0], states, net->labels.count, false, err);
    for (size_t q = 0; q < states && status == F2L_OK; q++) {
        net->layer[0].symbol[q] = label_of[q];
        status = write_code(&net->layer[0].code[q], &p->space, q, err);
    }
    f2l_free(label_of);
    return status;
}

static f2l_status write_net(f2l_net *out, const plan *p, f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &p->fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK)
        status = f2l_layer_set_heads(&out->layer[0], p->fsa->letters.count, 1, err);
    if (status != F2L_OK) return status;
    f2l_head *head = &out->layer[0].head[0];
    head->n = p->space.dim + p->space.extra;
    head->d = 1;
    status = set_form(head, &p->space, err);
    if (status == F2L_OK) status = write_code(&head->initial, &p->space, p->fsa->start, err);
    for (size_t a = 0; a < p->fsa->letters.count && status == F2L_OK; a++)
        status = write_letter(&head->letter[a], p, a, err);
    return status == F2L_OK ? write_codes(out, p, err) : status;
}

static f2l_status build(f2l_net *out, plan *p, const fmpq_mat_t form, const f2l_task *task,
                        f2l_error *err)
{
    f2l_status status = f2l_code_space_init(&p->space, &p->maps, form, err);
    for (size_t a = 0; a < p->maps.letters && status == F2L_OK; a++) {
        status = f2l_task_goes_on(task, "factors of contractions", err);
        if (status == F2L_OK) status = f2l_contraction_factorise(&p->factors[a], &p->space, a, err);
    }
    return status == F2L_OK ? write_net(out, p, err) : status;
}

/* Finds a form. */
static f2l_status find_form(f2l_separation *s, const plan *p, const f2l_task *task, f2l_error *err)
{
    const f2l_status status = f2l_separation_build(s, &p->maps, task, err);
    if (status != F2L_OK || s->verdict == F2L_SEPARATION_FEASIBLE) return status;
    if (s->verdict == F2L_SEPARATION_INFEASIBLE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the states %s and %s have one code wherever letters act as contractions",
                        f2l_names_get(&p->fsa->states, s->chain.p),
                        f2l_names_get(&p->fsa->states, s->chain.q));
    return f2l_fail(err, F2L_UNKNOWN, "no form was found, and no proof that there is none: %s",
                    s->reason);
}

f2l_status f2l_contraction_build(f2l_net *out, f2l_contraction_report *report, const f2l_fsa *fsa,
                                 f2l_label label, const f2l_task *task, f2l_error *err)
{
    plan p = {.fsa = fsa, .maps = {fsa->states.count, fsa->letters.count, fsa->next}};
    f2l_separation s;
    *report = (f2l_contraction_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (fsa->states.count < 2 || fsa->states.count > F2L_CONTRACTION_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "forms are sought for 2 to %d states",
                        F2L_CONTRACTION_STATES);
    out->label = label;
    f2l_separation_init(&s);
    p.factors = f2l_calloc(fsa->letters.count, sizeof *p.factors);
    status = p.factors ? find_form(&s, &p, task, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = build(out, &p, s.form, task, err);
    if (status == F2L_OK)
        *report = (f2l_contraction_report){p.space.dim, p.space.extra};
    else
        f2l_net_clear(out);
    for (size_t a = 0; p.factors && a < fsa->letters.count; a++)
        f2l_contraction_factors_clear(&p.factors[a]);
    f2l_free(p.factors);
    f2l_code_space_clear(&p.space);
    f2l_separation_clear(&s);
    return status;
}
