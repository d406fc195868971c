#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"

size_t f2l_seq_state_count(const f2l_seq *model)
{
    return model->config.layers * model->config.mixer->state(&model->config);
}

/* Adds rows * width to *at and returns its old value. */
static size_t take_places(size_t *at, size_t rows, size_t width, bool *fits)
{
    const size_t old = *at;
    size_t count;
    if (!f2l_mul_size(&count, rows, width) || !f2l_add_size(at, *at, count)) *fits = false;
    return old;
}

bool f2l_seq_place(f2l_seq_places *places, const f2l_seq *model, const f2l_seq_plan *plan)
{
    const f2l_seq_config *c = &model->config;
    bool fits = true;
    size_t rows, at = 0;
    *places = (f2l_seq_places){0};
    if (!f2l_mul_size(&rows, plan->sequences, plan->length)) return false;
    size_t *width = places->width;
    width[F2L_SLOT_X] = width[F2L_SLOT_NORM] = width[F2L_SLOT_MIDDLE] = c->width;
    width[F2L_SLOT_MLP_NORM] = c->mlp > 0 ? c->width : 0;
    width[F2L_SLOT_MLP_GATE] = width[F2L_SLOT_MLP_UP] = width[F2L_SLOT_MLP_PRODUCT] = c->mlp;
    c->mixer->plan(width, c);
    for (size_t s = 0; s < F2L_SLOTS; s++)
        places->slot[s] = take_places(&at, rows, width[s], &fits);
    const size_t one = at;
    if (plan->training) {
        places->layer = one;
        (void)take_places(&at, one, c->layers - 1, &fits);
        places->gradient = take_places(&at, one, 1, &fits);
    }
    places->out = take_places(&at, rows, c->width, &fits);
    places->norm = take_places(&at, rows, c->width, &fits);
    places->logits = take_places(&at, rows, c->labels, &fits);
    if (plan->training) {
        places->out_gradient = take_places(&at, rows, c->width, &fits);
        places->norm_gradient = take_places(&at, rows, c->width, &fits);
        places->logits_gradient = take_places(&at, rows, c->labels, &fits);
    }
    places->total = at;
    return fits;
}

f2l_status f2l_seq_work_bytes(size_t *bytes, const f2l_seq *model, const f2l_seq_plan *plan,
                              size_t number, f2l_error *err)
{
    f2l_seq_places places;
    size_t rows_bytes; /* bytes of the marks of right answers, of a part, and of the struct */
    if (plan->sequences == 0 || plan->length == 0)
        return f2l_fail(err, F2L_EDOMAIN, "a plan without sequences or letters");
    if (!f2l_seq_place(&places, model, plan) || !f2l_mul_size(bytes, places.total, number) ||
        !f2l_mul_size(&rows_bytes, plan->sequences, plan->length) ||
        (plan->training && !f2l_mul_size(&rows_bytes, rows_bytes, 2 + 2 * sizeof(uint32_t))) ||
        !f2l_add_size(&rows_bytes, rows_bytes, sizeof(f2l_seq_places) + 64) ||
        !f2l_add_size(bytes, *bytes, rows_bytes))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu sequences of %zu letters need more memory than can "
                        "be counted",
                        plan->sequences, plan->length);
    return F2L_OK;
}
