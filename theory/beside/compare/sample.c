#include "theory/beside/compare/sample.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <string.h>

enum { SEED = 1, STREAM = 26 };

void f2l_learned_sample_clear(f2l_learned_sample *s)
{
    f2l_free(s->used);
    f2l_free(s->letter);
    f2l_free(s->answer);
    f2l_free(s->given);
    f2l_free(s->start);
    f2l_free(s->state);
    *s = (f2l_learned_sample){.words = 0};
}

static f2l_status list_used(f2l_learned_sample *s, const f2l_data *data, f2l_error *err)
{
    const size_t letters = data->fsa->letters.count;
    s->used = f2l_calloc(letters, sizeof *s->used);
    if (s->used == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++)
        if (f2l_data_draws(data, a)) s->used[s->used_letters++] = (uint32_t)a;
    return s->used_letters > 0 ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "no letter came in training");
}

/* Sets *letters to the length of the longest of the shortest words to the states of the
 * automaton. */
static f2l_status farthest(size_t *letters, const f2l_learned_sample *s, const f2l_fsa *fsa,
                           f2l_error *err)
{
    const size_t states = fsa->states.count;
    size_t found = 1;
    uint32_t *queue = f2l_calloc(states, sizeof *queue);
    uint32_t *distance = f2l_calloc(states, sizeof *distance);
    *letters = 0;
    if (queue != NULL && distance != NULL) {
        for (size_t q = 0; q < states; q++) distance[q] = UINT32_MAX;
        queue[0] = (uint32_t)fsa->start;
        distance[fsa->start] = 0;
        for (size_t i = 0; i < found; i++)
            for (size_t a = 0; a < s->used_letters; a++) {
                const uint32_t to = fsa->next[queue[i] * fsa->letters.count + s->used[a]];
                if (distance[to] != UINT32_MAX) continue;
                distance[to] = distance[queue[i]] + 1;
                queue[found++] = to;
            }
        *letters = distance[queue[found - 1]];
    }
    const bool failed = queue == NULL || distance == NULL;
    f2l_free(queue);
    f2l_free(distance);
    return failed ? f2l_fail_memory(err) : F2L_OK;
}

static f2l_status allocate_sample(f2l_learned_sample *s, size_t wanted, size_t length,
                                  const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    s->length = length;
    s->words = (wanted + length - 1) / length;
    if (s->words < 2) s->words = 2;
    s->states = s->words * length;
    if (!f2l_mul_size(&bytes, s->states + 1, s->numbers) ||
        !f2l_mul_size(&bytes, bytes, sizeof *s->state))
        bytes = SIZE_MAX;
    const f2l_status status = f2l_task_memory(task, "states", bytes, err);
    if (status != F2L_OK) return status;
    s->letter = f2l_calloc(s->states, sizeof *s->letter);
    s->answer = f2l_calloc(s->states, sizeof *s->answer);
    s->given = f2l_calloc(s->states, sizeof *s->given);
    s->start = f2l_calloc(s->numbers, sizeof *s->start);
    s->state = f2l_calloc(s->states, s->numbers * sizeof *s->state);
    return s->letter && s->answer && s->given && s->start && s->state ? F2L_OK
                                                                      : f2l_fail_memory(err);
}

static f2l_status read_sample_word(f2l_learned_sample *s, f2l_learned_reader *r, size_t word,
                                   f2l_rng *rng, f2l_error *err)
{
    const f2l_fsa *fsa = r->data->fsa;
    const float *before = s->start;
    size_t q = fsa->start;
    f2l_status status = F2L_OK;
    for (size_t i = word * s->length; status == F2L_OK && i < (word + 1) * s->length; i++) {
        float *state = s->state + i * s->numbers;
        s->letter[i] = s->used[f2l_rng_below(rng, s->used_letters)];
        q = fsa->next[q * fsa->letters.count + s->letter[i]];
        s->given[i] = (uint32_t)q;
        memcpy(state, before, s->numbers * sizeof *state);
        status = f2l_learned_step(&s->answer[i], NULL, state, r, &s->letter[i], 1, err);
        before = state;
    }
    return status;
}

static size_t wanted_states(const f2l_fsa *fsa)
{
    const size_t states = fsa->states.count;
    if (states > F2L_SAMPLE_MOST / F2L_SAMPLE_EACH) return F2L_SAMPLE_MOST;
    const size_t wanted = F2L_SAMPLE_EACH * states;
    return wanted < F2L_SAMPLE_LEAST ? F2L_SAMPLE_LEAST : wanted;
}

f2l_status f2l_learned_sample_build(f2l_learned_sample *out, f2l_learned_reader *reader,
                                    size_t length, const f2l_task *task, f2l_error *err)
{
    f2l_rng rng;
    size_t far = 0;
    *out = (f2l_learned_sample){.numbers = reader->numbers};
    f2l_rng_init(&rng, SEED, STREAM);
    f2l_status status = list_used(out, reader->data, err);
    if (status == F2L_OK && length == 0) status = farthest(&far, out, reader->data->fsa, err);
    if (length == 0) length = 2 * far > F2L_SAMPLE_LENGTH ? 2 * far : F2L_SAMPLE_LENGTH;
    if (status == F2L_OK)
        status = allocate_sample(out, wanted_states(reader->data->fsa), length, task, err);
    if (status == F2L_OK) status = f2l_learned_begin(out->start, reader, err);
    for (size_t w = 0; status == F2L_OK && w < out->words; w++) {
        status = read_sample_word(out, reader, w, &rng, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "states", (double)w, (double)out->words, err);
    }
    return status;
}
