/* The alphabet, the answers and the possible lengths of a task. */
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void f2l_data_init(f2l_data *data)
{
    *data = (f2l_data){0};
    f2l_names_init(&data->letters);
    f2l_names_init(&data->labels);
}

void f2l_data_clear(f2l_data *data)
{
    f2l_names_clear(&data->letters);
    f2l_names_clear(&data->labels);
    f2l_free(data->answer);
    f2l_free(data->stays);
    f2l_free(data->threshold);
    f2l_data_part_free(data->part);
    f2l_data_init(data);
}

static f2l_status add_name_text(f2l_names *names, const char *text, f2l_error *err)
{
    size_t index;
    return f2l_names_add(names, text, strlen(text), &index, err);
}

/* Sets threshold[a] = floor(2^53 (w_0 + .. + w_a) / sum). The parts run through the same sums as
 * the total, so that the last letter with a positive weight gets exactly 2^53, and every number
 * finds a letter. The weights are divided by the greatest one first, so their sum does not
 * overflow. */
static f2l_status set_thresholds(f2l_data *out, const double *weight, size_t letters,
                                 f2l_error *err)
{
    double greatest = 0, sum = 0, part = 0;
    for (size_t a = 0; a < letters; a++) {
        if (!(weight[a] >= 0) || !isfinite(weight[a]))
            return f2l_fail(err, F2L_EDOMAIN,
                            "the weight of letter %zu must be finite and at "
                            "least 0",
                            a + 1);
        if (weight[a] > greatest) greatest = weight[a];
    }
    if (greatest == 0) return f2l_fail(err, F2L_EDOMAIN, "all letters have weight 0");
    out->threshold = f2l_calloc(letters, sizeof *out->threshold);
    if (out->threshold == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) sum += weight[a] / greatest;
    for (size_t a = 0; a < letters; a++) {
        part += weight[a] / greatest;
        out->threshold[a] = (uint64_t)floor(part / sum * 0x1p53);
    }
    return F2L_OK;
}

/* Appends a name that no other has: `text`, or `text` with a number. */
static f2l_status add_new_name(f2l_names *names, const char *text, f2l_error *err)
{
    char name[40];
    snprintf(name, sizeof name, "%s", text);
    for (size_t i = 2; f2l_names_find(names, name, strlen(name)) != F2L_NO_INDEX; i++)
        snprintf(name, sizeof name, "%s%zu", text, i);
    return add_name_text(names, name, err);
}

static f2l_status copy_labels(f2l_data *out, const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    if (label == F2L_LABEL_STATES) return f2l_names_copy(&out->labels, &fsa->states, err);
    if (label == F2L_LABEL_OUTPUTS) return f2l_names_copy(&out->labels, &fsa->outputs, err);
    const f2l_status status = add_name_text(&out->labels, "reject", err);
    return status == F2L_OK ? add_name_text(&out->labels, "accept", err) : status;
}

static uint32_t answer_of(const f2l_fsa *fsa, f2l_label label, size_t state)
{
    return label == F2L_LABEL_STATES    ? (uint32_t)state
           : label == F2L_LABEL_OUTPUTS ? fsa->output[state]
                                        : fsa->accept[state] != 0;
}

static f2l_status build_data_of_automaton(f2l_data *out, const f2l_data_options *options,
                                          const f2l_fsa *fsa, f2l_error *err)
{
    if (fsa == NULL) return f2l_fail(err, F2L_EDOMAIN, "no automaton is given");
    if (fsa->letters.count == 0 || fsa->states.count == 0)
        return f2l_fail(err, F2L_EDOMAIN, "the automaton has no letters");
    f2l_status status = f2l_fsa_check_label(fsa, options->label, err);
    if (status != F2L_OK) return status;
    out->fsa = fsa;
    out->least = out->stride = f2l_data_tokens(out);
    if (out->least >= F2L_DATA_HEADER)
        return f2l_fail(err, F2L_EDOMAIN, "%zu letters per transition are too many", out->least);
    out->answer = f2l_calloc(fsa->states.count, sizeof *out->answer);
    if (out->answer == NULL) return f2l_fail_memory(err);
    for (size_t s = 0; s < fsa->states.count; s++)
        out->answer[s] = answer_of(fsa, options->label, s);
    if (options->weight) status = set_thresholds(out, options->weight, fsa->letters.count, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_data_build_walks(out, err);
    if (status == F2L_OK && out->stride > 1) status = add_new_name(&out->letters, "pad", err);
    return status == F2L_OK ? copy_labels(out, fsa, options->label, err) : status;
}

static f2l_status build_arithmetic(f2l_data *out, const f2l_data_options *options, f2l_error *err)
{
    const bool brackets = options->kind == F2L_DATA_BRACKETS;
    if (options->modulus < 2 || options->modulus > 1000)
        return f2l_fail(err, F2L_EDOMAIN, "the modulus must be 2..1000, not %zu", options->modulus);
    if (brackets && options->when == F2L_DATA_EVERY)
        return f2l_fail(err, F2L_EDOMAIN,
                        "an expression with brackets has a value only after its last letter");
    out->least = options->equals ? 2 : 1;
    out->stride = brackets ? 1 : 2;
    f2l_status status = F2L_OK;
    char digit[24];
    for (size_t d = 0; d < options->modulus && status == F2L_OK; d++) {
        snprintf(digit, sizeof digit, "%zu", d);
        status = add_name_text(&out->letters, digit, err);
        if (status == F2L_OK) status = add_name_text(&out->labels, digit, err);
    }
    static const char *const sign[] = {"+", "-", "*", "(", ")", "="};
    const bool used[] = {true, true, options->times, brackets, brackets, options->equals};
    for (size_t i = 0; i < 6 && status == F2L_OK; i++)
        if (used[i]) status = add_name_text(&out->letters, sign[i], err);
    return status;
}

f2l_status f2l_data_build(f2l_data *out, const f2l_data_options *options, const f2l_fsa *fsa,
                          f2l_error *err)
{
    out->options = *options;
    out->options.weight = NULL;
    f2l_status status;
    if (options->stream == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "streams of data are numbered from 1");
    else if (options->kind != F2L_DATA_AUTOMATON && (options->live != 0 || options->periodic != 0))
        status = f2l_fail(err, F2L_EDOMAIN,
                          "live and periodic words (--live, --periodic) belong to automata");
    else if (options->kind == F2L_DATA_AUTOMATON)
        status = build_data_of_automaton(out, options, fsa, err);
    else if (options->kind == F2L_DATA_WORDS)
        status = f2l_data_build_words(out, options, fsa, err);
    else if (options->kind == F2L_DATA_RECALL)
        status = f2l_data_build_recall(out, options, err);
    else
        status = build_arithmetic(out, options, err);
    if (status == F2L_OK && options->begin) status = add_new_name(&out->letters, "begin", err);
    if (status == F2L_OK && options->begin) status = add_new_name(&out->labels, "begin", err);
    if (status != F2L_OK) f2l_data_clear(out);
    return status;
}

size_t f2l_data_fit(const f2l_data *data, size_t length)
{
    if (data->part) return f2l_data_words_fit(data->part, length);
    if (length >= F2L_DATA_HEADER) length = F2L_DATA_HEADER - 1;
    return length < data->least ? 0 : length - (length - data->least) % data->stride;
}

bool f2l_data_has_prefixes(const f2l_data *data)
{
    return data->options.when == F2L_DATA_EVERY && data->options.kind != F2L_DATA_RECALL;
}

size_t f2l_data_after(const f2l_data *data, size_t length)
{
    return data->part ? f2l_data_words_after(data->part, length) : length + data->stride;
}

bool f2l_data_draws(const f2l_data *data, size_t letter)
{
    if (letter >= data->letters.count) return false;
    if (data->threshold == NULL || letter >= data->fsa->letters.count) return true;
    return data->threshold[letter] > (letter > 0 ? data->threshold[letter - 1] : 0);
}

size_t f2l_data_read_length(const f2l_data *data, size_t length)
{
    return length + data->options.begin;
}

uint32_t f2l_data_begin_letter(const f2l_data *data)
{
    return (uint32_t)data->letters.count - 1;
}

double f2l_data_chance(const f2l_data *data)
{
    const size_t labels = data->labels.count - data->options.begin;
    return labels < 2 ? 0 : 1.0 / (double)labels;
}
