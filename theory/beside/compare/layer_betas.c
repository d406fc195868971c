#include "theory/beside/compare/layer_betas.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/mem.h"

/* A pass over the words of the sample, with begin and padding letters. */
typedef struct pass {
    const f2l_learned_reader *reader;
    const f2l_learned_sample *sample;
    size_t first, length; /* letters before the word's; letters of a row */
    f2l_seq_work_f32 *work;
    uint32_t *letter, *answer; /* [words][length] */
    double *value;             /* the betas of a head */
} pass;

static void fill_sample_letters(pass *p)
{
    const f2l_learned_sample *s = p->sample;
    const size_t tokens = p->reader->tokens;
    for (size_t w = 0; w < s->words; w++) {
        uint32_t *row = p->letter + w * p->length;
        if (p->first > 0) row[0] = f2l_data_begin_letter(p->reader->data);
        for (size_t i = 0; i < s->length * tokens; i++)
            row[p->first + i] = i % tokens == 0 ? s->letter[w * s->length + i / tokens]
                                                : (uint32_t)p->reader->data->fsa->letters.count;
    }
}

static f2l_status read_sample_words(pass *p, const f2l_task *task, f2l_error *err)
{
    const f2l_learned_sample *s = p->sample;
    const size_t factors = p->reader->model->config.householders;
    p->first = p->reader->data->options.begin;
    p->length = p->first + s->length * p->reader->tokens;
    const f2l_seq_plan plan = {.sequences = s->words, .length = p->length, .training = true};
    const size_t cells = s->words * p->length;
    f2l_status status = f2l_seq_work_new_f32(&p->work, p->reader->model, &plan, task, err);
    if (status != F2L_OK) return status;
    p->letter = f2l_calloc(cells, sizeof *p->letter);
    p->answer = f2l_calloc(cells, sizeof *p->answer);
    p->value = f2l_calloc(cells, factors * sizeof *p->value);
    if (!p->letter || !p->answer || !p->value) return f2l_fail_memory(err);
    fill_sample_letters(p);
    const f2l_seq_batch batch = {.sequences = s->words, .length = p->length, .letter = p->letter};
    return f2l_seq_answers_f32(p->answer, NULL, &batch, p->reader->parameters, p->work, err);
}

/* Takes the betas of the letters of the words. */
static void take_head_betas(f2l_inspect_spread *out, pass *p, size_t layer, size_t head)
{
    const f2l_seq_config *c = &p->reader->model->config;
    size_t width, count = 0;
    const float *beta = f2l_seq_layer_array_f32(&width, p->work, layer, F2L_DELTA_LETTER_BETA);
    for (size_t i = 0; i < p->sample->words * p->length; i++)
        for (size_t n = 0; n < c->householders && i % p->length >= p->first; n++)
            p->value[count++] = (double)beta[i * width + n * c->heads + head];
    f2l_inspect_spread_of(out, p->value, count, 0, c->negative ? 2 : 1);
}

f2l_status f2l_learned_layer_betas(f2l_inspect_spread **spread, const f2l_learned_reader *reader,
                                   const f2l_learned_sample *sample, const f2l_task *task,
                                   f2l_error *err)
{
    const f2l_seq_config *c = &reader->model->config;
    pass p = {.reader = reader, .sample = sample};
    *spread = NULL;
    if (c->mixer != &f2l_mixer_delta) return F2L_OK;
    f2l_status status = read_sample_words(&p, task, err);
    if (status == F2L_OK) {
        *spread = f2l_calloc(c->layers * c->heads, sizeof **spread);
        if (*spread == NULL) status = f2l_fail_memory(err);
    }
    for (size_t i = 0; status == F2L_OK && i < c->layers * c->heads; i++)
        take_head_betas(*spread + i, &p, i / c->heads, i % c->heads);
    if (p.work != NULL) f2l_seq_work_free_f32(p.work);
    f2l_free(p.letter);
    f2l_free(p.answer);
    f2l_free(p.value);
    return status;
}
