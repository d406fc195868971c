/* Layers on streams and states, each pair computed once, and labels of streams (EB.23, EB.24). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <stdio.h>
#include <string.h>

f2l_status f2l_written_room_for(void **table, size_t *capacity, size_t index, size_t size,
                                f2l_error *err)
{
    while (index >= *capacity) {
        const size_t before = *capacity;
        if (!f2l_grow(table, capacity, before, size)) return f2l_fail_memory(err);
        memset((char *)*table + before * size, 0, (*capacity - before) * size);
    }
    return F2L_OK;
}

static void note_unknown(f2l_written_search *s, size_t layer, const char *place, const char *fault)
{
    if (s->unknown[0]) return;
    if (layer < s->model->layers)
        snprintf(s->unknown, sizeof s->unknown, "layer %zu, %s: %s", layer + 1, place, fault);
    else
        snprintf(s->unknown, sizeof s->unknown, "%s: %s", place, fault);
}

static uint64_t map_steps(const f2l_written_matrix *m)
{
    return m->rows / 4 + m->first[m->rows] / 2;
}

/* Steps to find a letter, and to compute a layer. */
static uint64_t letter_steps(const f2l_written_stage *g)
{
    const f2l_written_layer *l = g->layer;
    return g->model->width + g->letter.length / 2 + map_steps(&l->query) + map_steps(&l->key) +
           map_steps(&l->value) + map_steps(&l->beta);
}

static uint64_t mix_steps(const f2l_written_stage *g)
{
    const f2l_written_layer *l = g->layer;
    return 2 * g->model->width + g->model->inner / 2 + g->code.length * g->model->factors +
           map_steps(&l->output) + map_steps(&l->gate) + map_steps(&l->up) + map_steps(&l->down);
}

/* Adds a stream that layer `at` reads, or that comes after the last; *id is F2L_WRITTEN_NONE where
 * it is not certain. */
f2l_status f2l_written_add_stream(uint32_t *id, f2l_written_search *s, size_t at, const double *x,
                                  double squares, f2l_error *err)
{
    const bool last = at == s->model->layers;
    f2l_written_rows *rows = last ? &s->last : &s->stage[at].stream;
    const f2l_written_live *live = last ? &s->live : &s->stage[at].live;
    double *row = f2l_calloc(live->count + 1, sizeof *row);
    if (!row) return f2l_fail_memory(err);
    const char *fault = f2l_written_reduce(row, live, x, s->model->width, squares);
    f2l_status status = F2L_OK;
    *id = F2L_WRITTEN_NONE;
    if (fault)
        note_unknown(s, at, "the stream", fault);
    else
        status = f2l_written_rows_add(id, rows, row, s->meter.task, err);
    f2l_free(row);
    return status;
}

/* Finds the letter that the heads of a layer read from the stream. */
static f2l_status find_stream_letter(uint32_t *letter, f2l_written_search *s, size_t layer,
                                     uint32_t stream, f2l_error *err)
{
    f2l_written_stage *g = &s->stage[layer];
    f2l_status status = f2l_written_room_for((void **)&g->letter_of, &g->letters_room, stream,
                                             sizeof *g->letter_of, err);
    if (status != F2L_OK) return status;
    if (g->letter_of[stream]) {
        *letter = g->letter_of[stream] - 1;
        return F2L_OK;
    }
    const size_t width = s->model->width;
    double *x = f2l_calloc(width + g->letter.length, sizeof *x);
    if (!x) return f2l_fail_memory(err);
    double *room = x + width;
    status = f2l_meter_spend(&s->meter, letter_steps(g), 0, 0, err);
    if (status == F2L_OK) {
        const double squares =
            f2l_written_expand(x, width, &g->live, f2l_written_row(&g->stream, stream));
        const char *fault = f2l_written_letter(room, g, x, squares);
        *letter = F2L_WRITTEN_NONE;
        if (fault)
            note_unknown(s, layer, "what the heads read", fault);
        else
            status = f2l_written_rows_add(letter, &g->letter, room, s->meter.task, err);
    }
    if (status == F2L_OK && *letter != F2L_WRITTEN_NONE) g->letter_of[stream] = *letter + 1;
    f2l_free(x);
    return status;
}

/* Computes the layer on a stream and a state. */
static f2l_status compute(uint32_t *next_stream, uint32_t *next_code, f2l_written_search *s,
                          size_t layer, uint32_t letter, uint32_t stream, uint32_t code,
                          f2l_error *err)
{
    f2l_written_stage *g = &s->stage[layer];
    const size_t width = s->model->width;
    double *room = f2l_calloc(width + g->code.length, sizeof *room);
    if (!room) return f2l_fail_memory(err);
    const double squares =
        f2l_written_expand(room, width, &g->live, f2l_written_row(&g->stream, stream));
    f2l_status status = f2l_meter_spend(&s->meter, mix_steps(g), 0, 0, err);
    if (status == F2L_OK) {
        const char *place = "heads", *fault = f2l_written_mix(room, room + width, g,
                                                              f2l_written_row(&g->letter, letter),
                                                              f2l_written_row(&g->code, code));
        if (!fault) place = "SwiGLU", fault = f2l_written_mlp(room, g, squares);
        if (fault)
            note_unknown(s, layer, place, fault);
        else
            status = f2l_written_add_stream(next_stream, s, layer + 1, room, squares, err);
        if (!fault && status == F2L_OK)
            status = f2l_written_rows_add(next_code, &g->code, room + width, s->meter.task, err);
    }
    f2l_free(room);
    return status;
}

f2l_status f2l_written_step_layer(uint32_t *stream, uint32_t *code, f2l_written_search *s,
                                  size_t layer, f2l_error *err)
{
    f2l_written_stage *g = &s->stage[layer];
    const double key[2] = {*stream, *code};
    uint32_t id, letter = F2L_WRITTEN_NONE, next_stream = F2L_WRITTEN_NONE, next_code = 0;
    const uint32_t pairs = g->pair.index.count;
    f2l_status status = f2l_written_rows_add(&id, &g->pair, key, s->meter.task, err);
    if (status == F2L_OK && id == pairs) {
        size_t room = g->next_room;
        status = find_stream_letter(&letter, s, layer, *stream, err);
        if (status == F2L_OK && letter != F2L_WRITTEN_NONE)
            status = compute(&next_stream, &next_code, s, layer, letter, *stream, *code, err);
        if (status == F2L_OK)
            status = f2l_written_room_for((void **)&g->next_stream, &room, id,
                                          sizeof *g->next_stream, err);
        if (status == F2L_OK)
            status = f2l_written_room_for((void **)&g->next_code, &g->next_room, id,
                                          sizeof *g->next_code, err);
        if (status != F2L_OK) return status;
        g->next_stream[id] = next_stream;
        g->next_code[id] = next_code;
    }
    if (status != F2L_OK) return status;
    *code = g->next_code[id];
    *stream = g->next_stream[id];
    return F2L_OK;
}

/* Returns the number of the largest logit, F2L_WRITTEN_TIE where several are largest. */
static uint32_t largest_logit_or_tie(const double *logit, size_t n)
{
    size_t best = 0, equal = 0;
    for (size_t i = 1; i < n; i++)
        if (logit[i] > logit[best]) best = i;
    for (size_t i = 0; i < n; i++) equal += logit[i] == logit[best];
    return equal == 1 ? (uint32_t)best : F2L_WRITTEN_TIE;
}

f2l_status f2l_written_find_label(uint32_t *label, f2l_written_search *s, uint32_t stream,
                                  f2l_error *err)
{
    const f2l_written_model *m = s->model;
    f2l_status status =
        f2l_written_room_for((void **)&s->label, &s->label_room, stream, sizeof *s->label, err);
    if (status != F2L_OK) return status;
    *label = s->label[stream] - 1;
    if (s->label[stream]) return F2L_OK;
    double *room = f2l_calloc(m->width + m->vocab, sizeof *room);
    if (!room) return f2l_fail_memory(err);
    const double squares =
        f2l_written_expand(room, m->width, &s->live, f2l_written_row(&s->last, stream));
    const char *fault = f2l_written_norm(room, room, m->last_norm, m->width, m->width, squares,
                                         m->epsilon, m->format);
    if (!fault) fault = f2l_written_map(room + m->width, &m->labels, room, m->format);
    if (!fault) *label = largest_logit_or_tie(room + m->width, m->vocab);
    if (fault)
        note_unknown(s, m->layers, "logits", fault), *label = F2L_WRITTEN_NONE;
    else
        s->label[stream] = *label + 1;
    f2l_free(room);
    return F2L_OK;
}
