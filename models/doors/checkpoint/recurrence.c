#include "models/doors/checkpoint/recurrence.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/seq_letters.h"
#include "numeric/base/mem.h"
#include <string.h>

/* By how much rounding may lift beta u^T u above 2. */
#define ROUNDING 1e-12

const char *f2l_recurrence_obstacle(const f2l_seq_config *c)
{
    if (c->mixer == &f2l_mixer_diagonal)
        return "its mixer is diagonal: inspect shows the decays of its letters";
    if (c->mixer != &f2l_mixer_delta) return "its mixer is not delta";
    if (c->layers != 1)
        return "it has more than one layer, and what the later ones do with a letter depends on "
               "the word: inspect shows the first layer";
    return c->convolution > 1
               ? "it has a convolution, so that keys depend on more than the letter: inspect shows "
                 "the matrices of a letter that is repeated"
               : NULL;
}

static f2l_status set_vector_of_doubles(f2l_qvec *out, const double *x, size_t count,
                                        f2l_error *err)
{
    mpq_t q;
    f2l_status status = F2L_OK;
    mpq_init(q);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        if (x[i] == 0) continue;
        mpq_set_d(q, x[i]);
        status = f2l_qvec_push(out, (uint32_t)i, q, err);
    }
    mpq_clear(q);
    return status;
}

/* Lowers beta to 2 / u^T u where it is above by rounding, and refuses it where it is not. */
static f2l_status limit(f2l_factor *factor, size_t *lowered, f2l_error *err)
{
    mpq_t norm, product;
    f2l_status status = F2L_OK;
    mpq_inits(norm, product, (mpq_ptr)NULL);
    f2l_qvec_norm2(norm, &factor->u);
    mpq_mul(product, factor->beta, norm);
    if (mpq_cmp_ui(product, 2, 1) > 0) {
        if (mpq_get_d(product) > 2 * (1 + ROUNDING))
            status =
                f2l_fail(err, F2L_EDOMAIN,
                         "its keys are so long that beta |k|^2 is %.6g: networks have at most 2",
                         mpq_get_d(product));
        mpq_set_ui(product, 2, 1);
        mpq_div(factor->beta, product, norm);
        (*lowered)++;
    }
    mpq_clears(norm, product, (mpq_ptr)NULL);
    return status;
}

/* Sets one factor; one with key 0 is left for the caller to drop. */
static f2l_status set_factor(f2l_factor *out, const f2l_seq_letters *from, size_t at,
                             const f2l_seq_config *c, size_t *lowered, f2l_error *err)
{
    const double *value = from->array[F2L_DELTA_LETTER_VALUE];
    mpq_set_d(out->beta, from->array[F2L_DELTA_LETTER_BETA][at]);
    f2l_status status = set_vector_of_doubles(
        &out->u, from->array[F2L_DELTA_LETTER_KEY] + at * c->key_dim, c->key_dim, err);
    if (status == F2L_OK && value != NULL)
        status = set_vector_of_doubles(&out->c, value + at * c->value_dim, c->value_dim, err);
    return status == F2L_OK && out->u.count > 0 ? limit(out, lowered, err) : status;
}

static bool is_zero(const double *x, size_t count)
{
    size_t i = 0;
    while (i < count && x[i] == 0) i++;
    return i == count;
}

static f2l_status set_letter(f2l_recurrence *out, f2l_transition *to, const f2l_seq_letters *from,
                             size_t letter, size_t head, const f2l_seq_config *c, f2l_error *err)
{
    const double *gate = from->array[F2L_DELTA_LETTER_GATE],
                 *key = from->array[F2L_DELTA_LETTER_KEY];
    size_t factors = 0;
#define PLACE(n) ((letter * c->householders + (n)) * c->heads + head)
    for (size_t n = 0; n < c->householders; n++)
        factors += !is_zero(key + PLACE(n) * c->key_dim, c->key_dim);
    out->dropped += c->householders - factors;
    f2l_status status = f2l_transition_set_factors(to, factors, err);
    if (gate != NULL) mpq_set_d(to->gate, gate[letter * c->heads + head]);
    for (size_t n = 0, f = 0; status == F2L_OK && n < c->householders; n++)
        if (!is_zero(key + PLACE(n) * c->key_dim, c->key_dim))
            status = set_factor(&to->factor[f++], from, PLACE(n), c, &out->lowered, err);
#undef PLACE
    return status;
}

static f2l_status set_start(f2l_head *head, size_t h, const f2l_seq *model, const float *parameters,
                            f2l_error *err)
{
    const size_t tensor = f2l_seq_first_state(model, 0), count = head->n * head->d;
    if (tensor == F2L_SEQ_NONE) return F2L_OK;
    const float *from = parameters + model->tensor[tensor].offset + h * count;
    double *start = f2l_calloc(count, sizeof *start);
    if (start == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < count; i++) start[i] = (double)from[i];
    const f2l_status status = set_vector_of_doubles(&head->initial, start, count, err);
    f2l_free(start);
    return status;
}

static f2l_status fill_recurrence(f2l_recurrence *out, const f2l_seq_letters *from,
                                  const f2l_seq *model, const float *parameters, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    f2l_status status = f2l_net_set_layers(&out->net, 1, err);
    if (status == F2L_OK)
        status = f2l_layer_set_heads(&out->net.layer[0], c->letters, c->heads, err);
    for (size_t h = 0; status == F2L_OK && h < c->heads; h++) {
        f2l_head *head = &out->net.layer[0].head[h];
        head->raw = true;
        head->n = c->key_dim;
        head->d = c->value_dim;
        status = set_start(head, h, model, parameters, err);
        for (size_t x = 0; status == F2L_OK && x < c->letters; x++)
            status = set_letter(out, &head->letter[x], from, x, h, c, err);
    }
    return status;
}

f2l_status f2l_recurrence_build(f2l_recurrence *out, const f2l_seq *model, const float *parameters,
                                const f2l_task *task, f2l_error *err)
{
    const char *why = f2l_recurrence_obstacle(&model->config);
    f2l_seq_letters letters;
    *out = (f2l_recurrence){.lowered = 0};
    f2l_net_init(&out->net);
    if (why != NULL) return f2l_fail(err, F2L_EDOMAIN, "%s", why);
    double *wide = f2l_calloc(model->parameters, sizeof *wide);
    if (wide == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < model->parameters; i++) wide[i] = (double)parameters[i];
    f2l_seq_letters_init(&letters);
    f2l_status status =
        f2l_seq_letters_build(&letters, model, wide, F2L_SEQ_LETTER_ARRAYS, task, err);
    f2l_free(wide);
    if (status == F2L_OK) status = fill_recurrence(out, &letters, model, parameters, err);
    f2l_seq_letters_clear(&letters);
    if (status != F2L_OK) f2l_net_clear(&out->net);
    return status;
}
