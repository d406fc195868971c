#include "theory/beside/compare/reader.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

const char *f2l_learned_obstacle(const f2l_seq_config *c, const f2l_data *data)
{
    if (data->options.kind != F2L_DATA_AUTOMATON || data->fsa == NULL)
        return "its data are not given by an automaton";
    if (c->mixer == &f2l_mixer_attention)
        return "its mixer is attention, whose state is the last letters themselves";
    return NULL;
}

/* Lists the parts: the heads of every layer, and what is left of it. */
static f2l_status list_parts(f2l_learned_reader *r, f2l_error *err)
{
    const f2l_seq_config *c = &r->model->config;
    const bool heads = c->mixer == &f2l_mixer_delta;
    const size_t layer = r->numbers / c->layers, each = c->key_dim * c->value_dim;
    const size_t kept = heads ? c->heads : 0;
    r->part = f2l_calloc(c->layers * (kept + 1), sizeof *r->part);
    if (r->part == NULL) return f2l_fail_memory(err);
    for (size_t l = 0; l < c->layers; l++) {
        for (size_t h = 0; h < kept; h++)
            r->part[r->parts++] = (f2l_learned_part){l, h, l * layer + h * each, each};
        if (layer > kept * each)
            r->part[r->parts++] =
                (f2l_learned_part){l, F2L_NO_INDEX, l * layer + kept * each, layer - kept * each};
    }
    return F2L_OK;
}

static f2l_status check_data_sizes(const f2l_seq_config *c, const f2l_data *data, f2l_error *err)
{
    const char *why = f2l_learned_obstacle(c, data);
    if (why != NULL) return f2l_fail(err, F2L_EDOMAIN, "%s", why);
    if (data->letters.count == c->letters && data->labels.count == c->labels) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the automaton gives %zu letters and %zu labels, the network has %zu and %zu",
                    data->letters.count, data->labels.count, c->letters, c->labels);
}

static f2l_status allocate_reader(f2l_learned_reader *r, f2l_error *err)
{
    const size_t rows = r->side * r->tokens;
    r->letter = f2l_calloc(rows, sizeof *r->letter);
    r->answer = f2l_calloc(rows, sizeof *r->answer);
    r->logits = f2l_calloc(rows, r->model->config.labels * sizeof *r->logits);
    return r->letter && r->answer && r->logits ? F2L_OK : f2l_fail_memory(err);
}

/* Returns the number of states that can be read side by side: the model's order of the numbers is
 * one state after the other where a state is one array. */
static size_t side_of(const f2l_seq_config *c)
{
    return c->mixer == &f2l_mixer_delta && c->layers == 1 && c->convolution <= 1 ? F2L_LEARNED_SIDE
                                                                                 : 1;
}

f2l_status f2l_learned_reader_init(f2l_learned_reader *out, const f2l_seq *model,
                                   const float *parameters, const f2l_data *data,
                                   const f2l_task *task, f2l_error *err)
{
    *out = (f2l_learned_reader){.model = model, .parameters = parameters, .data = data};
    f2l_status status = check_data_sizes(&model->config, data, err);
    if (status != F2L_OK) return status;
    out->side = side_of(&model->config);
    out->tokens = data->options.tokens > 1 ? data->options.tokens : 1;
    const f2l_seq_plan plan = {.sequences = out->side, .length = out->tokens};
    out->numbers = f2l_seq_state_count(model);
    status = f2l_seq_work_new_f32(&out->work, model, &plan, task, err);
    if (status == F2L_OK) status = list_parts(out, err);
    return status == F2L_OK ? allocate_reader(out, err) : status;
}

void f2l_learned_reader_clear(f2l_learned_reader *r)
{
    if (r->work != NULL) f2l_seq_work_free_f32(r->work);
    f2l_free(r->part);
    f2l_free(r->letter);
    f2l_free(r->answer);
    f2l_free(r->logits);
    *r = (f2l_learned_reader){.model = NULL};
}

f2l_status f2l_learned_begin(float *state, f2l_learned_reader *r, f2l_error *err)
{
    f2l_seq_state_start_f32(state, 1, r->parameters, r->model);
    if (!r->data->options.begin) return F2L_OK;
    r->letter[0] = f2l_data_begin_letter(r->data);
    const f2l_seq_batch batch = {.sequences = 1, .length = 1, .letter = r->letter};
    return f2l_seq_answers_f32(r->answer, state, &batch, r->parameters, r->work, err);
}

/* Returns the label with the largest logit, the least one on a tie; UINT32_MAX: a logit is not a
 * number. */
static uint32_t largest_label(const float *logits, size_t labels)
{
    uint32_t at = 0;
    for (size_t i = 0; i < labels; i++) {
        if (isnan(logits[i])) return UINT32_MAX;
        if (logits[i] > logits[at]) at = (uint32_t)i;
    }
    return at;
}

/* Reads the letters in count <= side states. */
static f2l_status read_side(uint32_t *answer, float *logits, float *state, f2l_learned_reader *r,
                            const uint32_t *letter, size_t count, f2l_error *err)
{
    const size_t tokens = r->tokens, labels = r->model->config.labels;
    for (size_t i = 0; i < count * tokens; i++)
        r->letter[i] = i % tokens == 0 ? letter[i / tokens] : (uint32_t)r->data->fsa->letters.count;
    const f2l_seq_batch batch = {.sequences = count, .length = tokens, .letter = r->letter};
    const f2l_status status =
        f2l_seq_logits_f32(r->logits, state, &batch, r->parameters, r->work, err);
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        const float *last = r->logits + (i * tokens + tokens - 1) * labels;
        answer[i] = largest_label(last, labels);
        if (answer[i] == UINT32_MAX)
            return f2l_fail(err, F2L_EDOMAIN, "the network gives a logit that is not a number");
        if (logits != NULL) memcpy(logits + i * labels, last, labels * sizeof *logits);
    }
    return status;
}

f2l_status f2l_learned_step(uint32_t *answer, float *logits, float *state, f2l_learned_reader *r,
                            const uint32_t *letter, size_t count, f2l_error *err)
{
    const size_t labels = r->model->config.labels;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < count; i += r->side) {
        const size_t left = count - i;
        status =
            read_side(answer + i, logits == NULL ? NULL : logits + i * labels,
                      state + i * r->numbers, r, letter + i, left < r->side ? left : r->side, err);
    }
    return status;
}

f2l_status f2l_learned_run(uint32_t *answer, f2l_learned_reader *r, const uint32_t *word,
                           size_t letters, f2l_error *err)
{
    float *state = f2l_calloc(r->numbers, sizeof *state);
    f2l_status status = state == NULL ? f2l_fail_memory(err) : F2L_OK;
    if (status == F2L_OK) status = f2l_learned_begin(state, r, err);
    for (size_t i = 0; status == F2L_OK && i < letters; i++)
        status = f2l_learned_step(answer, NULL, state, r, &word[i], 1, err);
    f2l_free(state);
    return status;
}
