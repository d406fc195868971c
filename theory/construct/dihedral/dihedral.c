/* The two layers of T5 and D2. Statements: theory/pages/dihedral.md. */
#include "theory/construct/dihedral/dihedral.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/construct/dihedral/dihedral_plane.h"
#include <string.h>

#define NONE UINT32_MAX

/* A letter of the second layer is a reflection F R^j; for D2 also the parity after the token, which
 * the decoder needs. */
typedef struct builder {
    f2l_net *net;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_reach reach;
    f2l_dihedral_group group;
    f2l_dihedral_plane plane;
    uint32_t *number; /* [2][m] number of the letter (parity, j); NONE: it does not occur */
    uint32_t *key;    /* [2 * m] j of the letters that occur */
    uint8_t *parity;  /* [2 * m] parity of these letters; 0 for T5 */
    size_t letters;
} builder;

/* Returns the exponent of the reflection by which the token acts when the parity becomes `after`
 * (D2.5). */
static size_t exponent(const builder *b, size_t a, size_t after)
{
    const size_t k = b->group.exponent[a], m = b->group.m;
    const size_t before = b->group.reflection[a] ? after : 1 - after;
    return before == 0 ? k : (m - k) % m;
}

static uint32_t *code_number_of(const builder *b, size_t a, size_t after)
{
    return &b->number[(b->group.dihedral ? after : 0) * b->group.m + exponent(b, a, after)];
}

static f2l_status number_letters(builder *b, f2l_error *err)
{
    const size_t m = b->group.m;
    b->number = f2l_calloc(2 * m, sizeof *b->number);
    b->key = f2l_calloc(2 * m, sizeof *b->key);
    b->parity = f2l_calloc(2 * m, sizeof *b->parity);
    if (!b->number || !b->key || !b->parity) return f2l_fail_memory(err);
    for (size_t i = 0; i < 2 * m; i++) b->number[i] = NONE;
    for (size_t a = 0; a < b->fsa->letters.count; a++)
        for (size_t after = 0; after < 2; after++) {
            uint32_t *number = code_number_of(b, a, after);
            if (*number != NONE) continue;
            b->key[b->letters] = (uint32_t)exponent(b, a, after);
            b->parity[b->letters] = b->group.dihedral && after == 1;
            *number = (uint32_t)b->letters++;
        }
    return F2L_OK;
}

static f2l_status set_reflection(f2l_transition *letter, f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(letter, 1, err);
    if (status == F2L_OK) mpq_set_ui(letter->factor[0].beta, 2, 1);
    return status;
}

/* Adds the first layer: the sign, which every rotation changes. */
static f2l_status put_parity(builder *b, f2l_error *err)
{
    f2l_layer *layer = &b->net->layer[0];
    const size_t letters = b->fsa->letters.count;
    f2l_status status = f2l_layer_set_heads(layer, letters, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_codes(layer, 2, b->letters, true, err);
    if (status != F2L_OK) return status;
    f2l_head *head = &layer->head[0];
    head->n = head->d = 1;
    status = f2l_qvec_push_si(&head->initial, 0, 1, 1, err);
    for (size_t a = 0; a < letters && status == F2L_OK; a++) {
        if (b->group.reflection[a]) continue;
        status = set_reflection(&head->letter[a], err);
        if (status == F2L_OK) status = f2l_qvec_push_si(&head->letter[a].factor[0].u, 0, 1, 1, err);
    }
    for (size_t p = 0; p < 2 && status == F2L_OK; p++) {
        status = f2l_qvec_push_si(&layer->code[p], 0, p == 0 ? 1 : -1, 1, err);
        for (size_t a = 0; a < letters; a++) layer->symbol[a * 2 + p] = *code_number_of(b, a, p);
    }
    return status;
}

static f2l_status put_dihedral_head(builder *b, f2l_head *head, f2l_error *err)
{
    const f2l_dihedral_plane *plane = &b->plane;
    head->n = plane->n;
    head->d = 1;
    f2l_status status = f2l_head_set_field(head, &plane->field, err);
    if (status == F2L_OK && !plane->embedded) status = f2l_head_set_form(head, &plane->form, err);
    if (status == F2L_OK) status = f2l_dihedral_point(&head->initial, plane, 0, 0, err);
    for (size_t x = 0; x < b->letters && status == F2L_OK; x++) {
        status = f2l_task_spend(b->task, "building reflections",
                                F2L_TRANSITION_STEPS + F2L_FACTOR_STEPS + 8 * F2L_ENTRY_STEPS, err);
        if (status == F2L_OK) status = set_reflection(&head->letter[x], err);
        if (status == F2L_OK)
            status = f2l_dihedral_key(&head->letter[x].factor[0].u, plane, b->key[x], err);
        if (status == F2L_OK)
            status =
                f2l_task_poll(b->task, "building reflections", (double)x, (double)b->letters, err);
    }
    return status;
}

/* Returns the label of the state to which turn^k mirror^e takes the start. */
static uint32_t symbol_of_turn(const builder *b, size_t k, size_t e)
{
    const f2l_group *group = &b->group.group;
    const uint32_t element = b->group.element[e * b->group.m + k];
    const size_t state = b->reach.state[group->element[element * group->degree + b->reach.start]];
    const char *text = f2l_fsa_label(b->fsa, b->net->label, state);
    return (uint32_t)f2l_names_find(&b->net->labels, text, strlen(text));
}

/* Adds the codes: code f m + k is F^f R^k h, that is F^p g h with g = turn^k mirror^(f + p); for
 * T5, g is the one without mirror. */
static f2l_status put_points(builder *b, f2l_error *err)
{
    f2l_layer *layer = &b->net->layer[1];
    const size_t m = b->group.m, codes = 2 * m;
    f2l_status status = f2l_layer_set_heads(layer, b->letters, 1, err);
    if (status == F2L_OK)
        status = f2l_layer_set_codes(layer, codes, b->net->labels.count, b->group.dihedral, err);
    if (status == F2L_OK) status = put_dihedral_head(b, &layer->head[0], err);
    for (size_t c = 0; c < codes && status == F2L_OK; c++) {
        const size_t f = c / m, k = c % m;
        status = f2l_dihedral_point(&layer->code[c], &b->plane, f, k, err);
        if (!b->group.dihedral) layer->symbol[c] = symbol_of_turn(b, k, 0);
        for (size_t x = 0; b->group.dihedral && x < b->letters; x++)
            layer->symbol[x * codes + c] = symbol_of_turn(b, k, f ^ b->parity[x]);
    }
    return status;
}

static bool is_dyadic(const mpq_t x)
{
    return mpz_popcount(mpq_denref(x)) == 1;
}

static bool all_dyadic(const f2l_qvec *v)
{
    bool dyadic = true;
    for (size_t i = 0; dyadic && i < v->count; i++) dyadic = is_dyadic(v->value[i]);
    return dyadic;
}

/* Returns whether u/|u| is dyadic. */
static bool dyadic_key(const f2l_qvec *u)
{
    mpq_t norm;
    mpq_init(norm);
    f2l_qvec_norm2(norm, u);
    bool dyadic = mpz_perfect_square_p(mpq_numref(norm)) && mpz_perfect_square_p(mpq_denref(norm));
    mpz_sqrt(mpq_numref(norm), mpq_numref(norm));
    mpz_sqrt(mpq_denref(norm), mpq_denref(norm));
    mpq_inv(norm, norm);
    for (size_t i = 0; dyadic && i < u->count; i++) {
        mpq_t unit;
        mpq_init(unit);
        mpq_mul(unit, u->value[i], norm);
        dyadic = is_dyadic(unit);
        mpq_clear(unit);
    }
    mpq_clear(norm);
    return dyadic;
}

static bool dyadic_layer(const f2l_layer *layer)
{
    const f2l_head *head = &layer->head[0];
    bool dyadic = f2l_head_is_plain(head) && all_dyadic(&head->initial);
    for (size_t x = 0; dyadic && x < layer->letters; x++)
        dyadic = dyadic_key(&head->letter[x].factor[0].u);
    for (size_t c = 0; dyadic && c < layer->codes; c++) dyadic = all_dyadic(&layer->code[c]);
    return dyadic;
}

static void fill_dihedral_report(const builder *b, f2l_dihedral_report *report)
{
    const size_t m = b->group.m;
    *report = (f2l_dihedral_report){.dihedral = b->group.dihedral,
                                    .m = m,
                                    .degree = b->plane.field.degree,
                                    .codes = 2 * m,
                                    .dyadic = dyadic_layer(&b->net->layer[1])};
    for (size_t j = 0; j < m; j++)
        report->reflections += b->number[j] != NONE || b->number[m + j] != NONE;
}

static f2l_status build_dihedral_network(builder *b, f2l_dihedral_report *report, f2l_error *err)
{
    f2l_status status = f2l_reach_init(&b->reach, b->fsa, err);
    if (status == F2L_OK)
        status = f2l_dihedral_recognise(&b->group, b->fsa, &b->reach, b->task, err);
    if (status == F2L_OK) status = f2l_dihedral_plane_init(&b->plane, b->group.m, err);
    if (status == F2L_OK) status = number_letters(b, err);
    if (status == F2L_OK) status = f2l_names_copy(&b->net->letters, &b->fsa->letters, err);
    if (status == F2L_OK)
        status = f2l_reach_labels(&b->net->labels, &b->net->start, NULL, &b->reach, b->fsa,
                                  b->net->label, err);
    if (status == F2L_OK) status = f2l_net_set_layers(b->net, 2, err);
    if (status == F2L_OK) status = put_parity(b, err);
    if (status == F2L_OK) status = put_points(b, err);
    if (status == F2L_OK) fill_dihedral_report(b, report);
    return status;
}

f2l_status f2l_dihedral_build(f2l_net *out, f2l_dihedral_report *report, const f2l_fsa *fsa,
                              f2l_label label, const f2l_task *task, f2l_error *err)
{
    builder b = {.net = out, .fsa = fsa, .task = task};
    f2l_merge merge;
    *report = (f2l_dihedral_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (!f2l_fsa_is_permutation(fsa, &merge)) return f2l_merge_fail(fsa, &merge, err);
    out->label = label;
    status = build_dihedral_network(&b, report, err);
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_dihedral_plane_clear(&b.plane);
    f2l_dihedral_group_clear(&b.group);
    f2l_reach_clear(&b.reach);
    f2l_free(b.number);
    f2l_free(b.key);
    f2l_free(b.parity);
    return status;
}
