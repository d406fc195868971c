/* The heads' recurrence as a network (EB.26). */
#include "theory/certify/stock/impl.h"
#include <string.h>

static size_t count_used_letters(const f2l_written_stage *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->letter.index.count; i++) count += f2l_written_letter_used(g, i);
    return count;
}

static size_t count_codes(const f2l_written_stage *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->code.index.count; i++) count += f2l_written_code_used(g, i);
    return count;
}

static f2l_status push_all(f2l_qvec *out, const double *x, size_t n, f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; status == F2L_OK && i < n; i++) {
        mpq_set_d(value, x[i]);
        status = f2l_qvec_push(out, (uint32_t)i, value, err);
    }
    mpq_clear(value);
    return status;
}

/* Sets the factors of a head's letter, without factors with a key of 0. */
static f2l_status fill_written_letter(f2l_transition *out, const f2l_written_stage *g,
                                      const double *letter, size_t h, f2l_error *err)
{
    const f2l_written_head *head = &g->head[h];
    size_t count = 0, at = 0;
    for (size_t f = 0; f < g->model->factors; f++) {
        const double *x = f2l_written_factor_of(g, letter, h, f);
        const bool keyless = f2l_written_all_zero(x + 1, head->rows);
        if (keyless && x[0] != 0 && !f2l_written_all_zero(x + 1 + head->rows, head->columns))
            return f2l_fail(err, F2L_UNKNOWN, "head %zu: a value is written with a key of 0",
                            h + 1);
        count += !keyless;
    }
    f2l_status status = f2l_transition_set_factors(out, count, err);
    for (size_t f = 0; status == F2L_OK && f < g->model->factors; f++) {
        const double *x = f2l_written_factor_of(g, letter, h, f);
        if (f2l_written_all_zero(x + 1, head->rows)) continue;
        f2l_factor *to = &out->factor[at++];
        mpq_set_d(to->beta, x[0]);
        status = push_all(&to->u, x + 1, head->rows, err);
        if (status == F2L_OK) status = push_all(&to->c, x + 1 + head->rows, head->columns, err);
    }
    return status;
}

static f2l_status fill_head(f2l_head *out, const f2l_written_stage *g, size_t h, uint32_t start,
                            f2l_error *err)
{
    const f2l_written_head *head = &g->head[h];
    size_t at = 0;
    out->n = head->rows ? head->rows : 1;
    out->d = head->columns ? head->columns : 1;
    f2l_status status = push_all(&out->initial, f2l_written_row(&g->code, start) + head->state,
                                 head->rows * head->columns, err);
    for (uint32_t i = 0; status == F2L_OK && i < g->letter.index.count; i++)
        if (f2l_written_letter_used(g, i))
            status =
                fill_written_letter(&out->letter[at++], g, f2l_written_row(&g->letter, i), h, err);
    return status;
}

static f2l_status fill_layer(f2l_layer *out, const f2l_written_search *s, size_t l, size_t symbols,
                             f2l_error *err)
{
    const f2l_written_stage *g = &s->stage[l];
    const size_t heads = s->model->heads;
    size_t at = 0;
    f2l_status status = f2l_layer_set_heads(out, count_used_letters(g), heads, err);
    for (size_t h = 0; status == F2L_OK && h < heads; h++)
        status = fill_head(&out->head[h], g, h, s->start[l], err);
    if (status == F2L_OK) status = f2l_layer_set_codes(out, count_codes(g), symbols, false, err);
    for (uint32_t c = 0; status == F2L_OK && c < g->code.index.count; c++) {
        if (!f2l_written_code_used(g, c)) continue;
        for (size_t h = 0; status == F2L_OK && h < heads; h++)
            status = push_all(&out->code[at * heads + h],
                              f2l_written_row(&g->code, c) + g->head[h].state,
                              g->head[h].rows * g->head[h].columns, err);
        out->symbol[at++] = 0;
    }
    return status;
}

/* Names a letter of layer 1 by the automaton's first letter that gives it. */
static f2l_status add_letter_name(f2l_net *out, const f2l_written_search *s, uint32_t letter,
                                  f2l_error *err)
{
    const f2l_written_stage *g = &s->stage[0];
    size_t index;
    for (size_t a = 0; a < s->fsa->letters.count; a++) {
        /* A search that ended early has not stepped the streams of all letters. */
        const uint32_t stream = s->token[a];
        if (stream >= g->letters_room || g->letter_of[stream] != letter + 1) continue;
        const char *name = f2l_names_get(&s->fsa->letters, a);
        return f2l_names_add(&out->letters, name, strlen(name), &index, err);
    }
    return F2L_OK;
}

f2l_status f2l_written_net(f2l_net *out, const f2l_written_search *s, f2l_error *err)
{
    const size_t layers = s->model->layers;
    size_t index;
    f2l_status status = f2l_net_set_layers(out, layers, err);
    out->label = s->about->label;
    out->start = out->label == F2L_LABEL_EDGES ? F2L_NO_INDEX : 0;
    if (status == F2L_OK) status = f2l_names_add(&out->labels, "label", 5, &index, err);
    for (uint32_t i = 0; status == F2L_OK && i < s->stage[0].letter.index.count; i++)
        if (f2l_written_letter_used(&s->stage[0], i)) status = add_letter_name(out, s, i, err);
    for (size_t l = 0; status == F2L_OK && l < layers; l++) {
        const size_t symbols = l + 1 < layers ? count_used_letters(&s->stage[l + 1]) : 1;
        status = fill_layer(&out->layer[l], s, l, symbols, err);
    }
    return status;
}
