#include "theory/beside/compare/state_map.h"
#include "numeric/base/mem.h"
#include "theory/beside/compare/least_squares.h"
#include <string.h>

/* The states of both networks: the first rows are fitted to. */
typedef struct pairs {
    double *learned, *constructed;                     /* [rows][numbers] */
    f2l_learned_part *learned_part, *constructed_part; /* the last one is everything */
    size_t learned_numbers, constructed_numbers, rows;
} pairs;

void f2l_state_maps_clear(f2l_state_maps *m)
{
    f2l_free(m->learned_rank);
    f2l_free(m->constructed_rank);
    f2l_free(m->to_constructed);
    f2l_free(m->to_learned);
    *m = (f2l_state_maps){.learned = 0};
}

static void pairs_clear(pairs *p)
{
    f2l_free(p->learned);
    f2l_free(p->constructed);
    f2l_free(p->learned_part);
    f2l_free(p->constructed_part);
}

/* Copies the parts and adds everything as the last one. */
static f2l_learned_part *with_all(const f2l_learned_part *part, size_t parts, size_t numbers)
{
    f2l_learned_part *out = f2l_calloc(parts + 1, sizeof *out);
    if (out == NULL) return NULL;
    memcpy(out, part, parts * sizeof *out);
    out[parts] = (f2l_learned_part){.first = 0, .count = numbers};
    return out;
}

static f2l_status allocate_state_maps(f2l_state_maps *m, pairs *p, size_t rows,
                                      const f2l_learned_reader *reader, const f2l_constructed *c,
                                      const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    p->learned_numbers = reader->numbers;
    p->constructed_numbers = c->numbers;
    /* rows of both, copies and the transposes of LAPACK */
    if (!f2l_mul_size(&bytes, rows * 6, (reader->numbers + c->numbers) * sizeof(double)))
        bytes = SIZE_MAX;
    const f2l_status status = f2l_task_memory(task, "maps between states", bytes, err);
    if (status != F2L_OK) return status;
    p->learned = f2l_calloc(rows, p->learned_numbers * sizeof *p->learned);
    p->constructed = f2l_calloc(rows, p->constructed_numbers * sizeof *p->constructed);
    p->learned_part = with_all(reader->part, reader->parts, reader->numbers);
    p->constructed_part = with_all(c->part, c->parts, c->numbers);
    m->learned_rank = f2l_calloc(m->learned, sizeof *m->learned_rank);
    m->constructed_rank = f2l_calloc(m->constructed, sizeof *m->constructed_rank);
    m->to_constructed = f2l_calloc(m->learned, m->constructed * sizeof *m->to_constructed);
    m->to_learned = f2l_calloc(m->learned, m->constructed * sizeof *m->to_learned);
    return p->learned && p->constructed && p->learned_part && p->constructed_part &&
                   m->learned_rank && m->constructed_rank && m->to_constructed && m->to_learned
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Returns whether the first t letters of word w begin one of the first `words` words. */
static bool word_start_is_known(const f2l_learned_sample *s, size_t w, size_t t, size_t words)
{
    size_t i = 0;
    while (i < words &&
           memcmp(s->letter + i * s->length, s->letter + w * s->length, t * sizeof *s->letter) != 0)
        i++;
    return i < words;
}

/* Takes the states of both networks after the letters of word w, from letter `from` on. */
static void take_word_states(pairs *p, const f2l_learned_sample *s, const double *walked, size_t w,
                             size_t from)
{
    for (size_t t = from; t < s->length; t++) {
        const float *state = s->state + (w * s->length + t) * s->numbers;
        double *to = p->learned + p->rows * s->numbers;
        for (size_t i = 0; i < s->numbers; i++) to[i] = (double)state[i];
        memcpy(p->constructed + p->rows * p->constructed_numbers,
               walked + t * p->constructed_numbers, p->constructed_numbers * sizeof *walked);
        p->rows++;
    }
}

/* Takes the states that maps are fitted to, after the first `words` words, and then the ones after
 * the letters of as many other words that do not begin a word before. */
static f2l_status take_fitted_states(f2l_state_maps *m, pairs *p, const f2l_learned_sample *s,
                                     f2l_constructed *c, size_t words, f2l_error *err)
{
    f2l_status status = F2L_OK;
    double *walked = f2l_calloc(s->length, c->numbers * sizeof *walked);
    if (walked == NULL) return f2l_fail_memory(err);
    for (size_t w = 0; status == F2L_OK && w < 2 * words; w++) {
        size_t from = 0;
        while (w >= words && from < s->length && word_start_is_known(s, w, from + 1, words)) from++;
        status = f2l_constructed_walk(walked, c, s->letter + w * s->length, s->length, err);
        if (status == F2L_OK) take_word_states(p, s, walked, w, from);
    }
    f2l_free(walked);
    m->states = words * s->length;
    m->held_out = p->rows - m->states;
    return status;
}

static f2l_status fit_all(f2l_state_maps *m, const pairs *p, double threshold, const f2l_task *task,
                          f2l_error *err)
{
    const f2l_columns learned = {p->learned, p->learned_numbers, p->learned_numbers},
                      constructed = {p->constructed, p->constructed_numbers,
                                     p->constructed_numbers};
    const size_t all = m->learned + m->constructed;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < m->learned; i++) {
        const f2l_columns from = {p->learned + p->learned_part[i].first, p->learned_numbers,
                                  p->learned_part[i].count};
        status = f2l_least_squares(m->to_constructed + i * m->constructed, &m->learned_rank[i],
                                   from, constructed, p->constructed_part, m->constructed,
                                   m->states, p->rows, threshold, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "maps between states", (double)i, (double)all, err);
    }
    for (size_t i = 0; status == F2L_OK && i < m->constructed; i++) {
        const f2l_columns from = {p->constructed + p->constructed_part[i].first,
                                  p->constructed_numbers, p->constructed_part[i].count};
        status = f2l_least_squares(m->to_learned + i * m->learned, &m->constructed_rank[i], from,
                                   learned, p->learned_part, m->learned, m->states, p->rows,
                                   threshold, err);
    }
    return status;
}

f2l_status f2l_state_maps_build(f2l_state_maps *out, const f2l_learned_reader *reader,
                                const f2l_learned_sample *sample, f2l_constructed *c,
                                double threshold, const f2l_task *task, f2l_error *err)
{
    pairs p = {.learned = NULL};
    *out = (f2l_state_maps){.learned = reader->parts + 1, .constructed = c->parts + 1};
    size_t words = sample->words / 2;
    if (words * sample->length > F2L_STATE_MAP_STATES && sample->length < F2L_STATE_MAP_STATES)
        words = F2L_STATE_MAP_STATES / sample->length;
    f2l_status status =
        allocate_state_maps(out, &p, 2 * words * sample->length, reader, c, task, err);
    if (status == F2L_OK) status = take_fitted_states(out, &p, sample, c, words, err);
    if (status == F2L_OK) status = fit_all(out, &p, threshold, task, err);
    pairs_clear(&p);
    return status;
}
