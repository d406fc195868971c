#include "theory/beside/compare/constructed.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include <string.h>

enum { SIDE_BY_SIDE = 32 };

void f2l_constructed_clear(f2l_constructed *c)
{
    f2l_free(c->letter);
    f2l_free(c->label);
    f2l_free(c->part);
    f2l_free(c->joint);
    f2l_free(c->lost);
    f2l_free(c->last);
    f2l_exact_free(c->run);
    f2l_net_clear(&c->plain);
    *c = (f2l_constructed){.numbers = 0};
    f2l_net_init(&c->plain);
}

static f2l_status match_names(f2l_constructed *c, f2l_error *err)
{
    const f2l_names *letters = &c->data->fsa->letters, *labels = &c->net->labels;
    c->letter = f2l_calloc(letters->count, sizeof *c->letter);
    c->label = f2l_calloc(labels->count, sizeof *c->label);
    if (c->letter == NULL || c->label == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters->count; a++) {
        const char *name = f2l_names_get(letters, a);
        const size_t at = f2l_names_find(&c->net->letters, name, strlen(name));
        if (at == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "the network does not read the letter '%.60s'", name);
        c->letter[a] = (uint32_t)f2l_letter_class(&c->net->classes, at);
    }
    for (size_t i = 0; i < labels->count; i++) {
        const char *name = f2l_names_get(labels, i);
        const size_t at = f2l_names_find(&c->data->labels, name, strlen(name));
        c->label[i] = at == F2L_NO_INDEX ? UINT32_MAX : (uint32_t)at;
    }
    return F2L_OK;
}

/* Lists the heads with the places of their numbers. */
static f2l_status list_constructed_parts(f2l_constructed *c, f2l_error *err)
{
    size_t heads = 0;
    for (size_t l = 0; l < c->net->layers; l++) heads += c->net->layer[l].heads;
    c->part = f2l_calloc(heads, sizeof *c->part);
    if (c->part == NULL) return f2l_fail_memory(err);
    for (size_t l = 0; l < c->net->layers; l++)
        for (size_t h = 0; h < c->net->layer[l].heads; h++) {
            const f2l_head *head = &c->net->layer[l].head[h];
            if (head->n > F2L_CONSTRUCTED_MOST / head->d ||
                c->numbers + head->n * head->d > F2L_CONSTRUCTED_MOST) {
                c->no_states =
                    "a joint state of the constructed network has more than 4096 numbers";
                return F2L_OK;
            }
            c->part[c->parts++] = (f2l_learned_part){l, h, c->numbers, head->n * head->d};
            c->numbers += head->n * head->d;
        }
    return F2L_OK;
}

static f2l_status prepare_states(f2l_constructed *c, f2l_error *err)
{
    if (f2l_net_has_boxes(c->net)) {
        c->no_states = "states of the constructed network are known by intervals only";
        return F2L_OK;
    }
    const f2l_status status = list_constructed_parts(c, err);
    return status == F2L_OK && c->no_states == NULL ? f2l_net_orthonormal(&c->plain, c->net, 0, err)
                                                    : status;
}

f2l_status f2l_constructed_init(f2l_constructed *out, const f2l_net *net, const f2l_data *data,
                                const f2l_task *task, f2l_error *err)
{
    *out = (f2l_constructed){.net = net, .data = data};
    f2l_net_init(&out->plain);
    f2l_status status = match_names(out, err);
    if (status == F2L_OK) status = prepare_states(out, err);
    if (status == F2L_OK) status = f2l_exact_new_within(&out->run, net, task, err);
    if (status != F2L_OK) return status;
    out->joint = f2l_calloc(net->layers * SIDE_BY_SIDE, sizeof *out->joint);
    out->lost = f2l_calloc(SIDE_BY_SIDE, sizeof *out->lost);
    out->last = f2l_calloc(SIDE_BY_SIDE, sizeof *out->last);
    return out->joint && out->lost && out->last ? F2L_OK : f2l_fail_memory(err);
}

/* Sets state[numbers] to the numbers of the codes in c->joint. */
static void take_state(double *state, const f2l_constructed *c)
{
    memset(state, 0, c->numbers * sizeof *state);
    for (size_t p = 0; p < c->parts; p++) {
        const f2l_layer *layer = &c->plain.layer[c->part[p].layer];
        const f2l_qvec *code =
            &layer->code[c->joint[c->part[p].layer] * layer->heads + c->part[p].head];
        for (size_t i = 0; i < code->count; i++)
            state[c->part[p].first + code->index[i]] = mpq_get_d(code->value[i]);
    }
}

f2l_status f2l_constructed_walk(double *state, f2l_constructed *c, const uint32_t *word,
                                size_t length, f2l_error *err)
{
    f2l_status status = f2l_exact_start(c->run, c->joint, err);
    for (size_t i = 0; status == F2L_OK && i < length; i++) {
        size_t label;
        status = f2l_exact_step(c->run, c->joint, c->letter[word[i]], &label, NULL, err);
        if (status == F2L_OK) take_state(state + i * c->numbers, c);
    }
    return status;
}

f2l_status f2l_constructed_sample(f2l_learned_sample *out, f2l_constructed *c,
                                  const f2l_learned_sample *sample, f2l_error *err)
{
    const size_t numbers = c->numbers, each = sample->length * numbers;
    f2l_status status = F2L_OK;
    *out = *sample;
    out->numbers = numbers;
    out->answer = NULL;
    out->start = NULL;
    out->state = f2l_calloc(sample->states, numbers * sizeof *out->state);
    double *walked = f2l_calloc(each, sizeof *walked);
    if (out->state == NULL || walked == NULL) status = f2l_fail_memory(err);
    for (size_t w = 0; status == F2L_OK && w < sample->words; w++) {
        status = f2l_constructed_walk(walked, c, sample->letter + w * sample->length,
                                      sample->length, err);
        for (size_t i = 0; status == F2L_OK && i < each; i++)
            out->state[w * each + i] = (float)walked[i];
    }
    f2l_free(walked);
    return status;
}

static f2l_status begin_constructed(void *context, size_t sequences, f2l_error *err)
{
    f2l_constructed *c = context;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < sequences; i++) {
        c->lost[i] = false;
        c->last[i] = UINT32_MAX;
        status = f2l_exact_start(c->run, c->joint + i * c->net->layers, err);
    }
    return status;
}

/* Reads one letter of sequence `i`: letters that are not the automaton's change nothing. A state
 * without a code is no failure: its answers are wrong. */
static f2l_status read_constructed_letter(f2l_constructed *c, size_t i, uint32_t letter,
                                          f2l_error *err)
{
    size_t label;
    if (letter >= c->data->fsa->letters.count || c->lost[i]) return F2L_OK;
    const f2l_status status =
        f2l_exact_step(c->run, c->joint + i * c->net->layers, c->letter[letter], &label, NULL, err);
    c->lost[i] = status == F2L_EDOMAIN;
    c->last[i] = status == F2L_OK ? c->label[label] : UINT32_MAX;
    return c->lost[i] ? F2L_OK : status;
}

static f2l_status read_constructed_letters(void *context, uint32_t *answer, const uint32_t *letter,
                                           size_t sequences, size_t count, f2l_error *err)
{
    f2l_constructed *c = context;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < sequences; i++)
        for (size_t t = 0; status == F2L_OK && t < count; t++) {
            status = read_constructed_letter(c, i, letter[i * count + t], err);
            answer[i * count + t] = c->last[i];
        }
    return status;
}

f2l_status f2l_constructed_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                    size_t sequences, f2l_constructed *c, const f2l_data *data,
                                    const f2l_task *task, f2l_error *err)
{
    const f2l_data_plan plan = {
        .sequences = sequences, .side_by_side = SIDE_BY_SIDE, .step = F2L_DATA_TEST_STEP};
    const f2l_data_reader reader = {
        .context = c, .begin = begin_constructed, .read = read_constructed_letters};
    return f2l_data_evaluate(score, scores, wrong, data, &reader, &plan, task, err);
}
