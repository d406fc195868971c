/* Random words with labels for --write, --least-length and --balance. Every length is as frequent
 * as every other, up to one word; with --balance every label is as frequent as every other as a
 * last label, and words of one length and one last label are equally likely. */
#include "cli/input/network_file.h"
#include "cli/run/run.h"
#include "models/learn/data/data_ending.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_run_data_clear(f2l_run_data *data)
{
    f2l_free(data->length);
    f2l_free(data->letter);
    f2l_free(data->label);
    *data = (f2l_run_data){0};
}

/* What drawing needs beside the data. */
typedef struct drawing {
    f2l_run *j;
    const f2l_fsa *fsa;
    uint32_t *label_of; /* [states][letters] label after the letter */
    uint32_t *wanted;   /* [words] last label */
    size_t least, labels;
} drawing;

static f2l_status make_drawing_room(drawing *d, f2l_error *err)
{
    f2l_run *j = d->j;
    f2l_run_data *data = &j->data;
    size_t entries, bytes;
    data->words = (size_t)j->o.random;
    data->longest = (size_t)j->o.length;
    if (!f2l_mul_size(&entries, data->words, data->longest) ||
        !f2l_mul_size(&bytes, entries, 2 * sizeof *data->letter))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_memory(&j->cli.task, "drawing words", bytes, err);
    if (status != F2L_OK) return status;
    data->length = f2l_calloc(data->words, sizeof *data->length);
    data->letter = f2l_calloc(entries, sizeof *data->letter);
    data->label = f2l_calloc(entries, sizeof *data->label);
    d->wanted = f2l_calloc(data->words, sizeof *d->wanted);
    d->label_of = f2l_calloc(d->fsa->states.count * d->fsa->letters.count, sizeof *d->label_of);
    return data->length && data->letter && data->label && d->wanted && d->label_of
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Sets label_of to the network's numbers of the automaton's labels. */
static f2l_status number_labels(drawing *d, const f2l_net *net, f2l_error *err)
{
    const size_t letters = d->fsa->letters.count;
    d->labels = net->labels.count;
    for (size_t e = 0; e < d->fsa->states.count * letters; e++) {
        const char *name = f2l_fsa_edge_label(d->fsa, net->label, e / letters, e % letters);
        const size_t at = f2l_names_find(&net->labels, name, strlen(name));
        if (at == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "the network never gives the label '%.80s'", name);
        d->label_of[e] = (uint32_t)at;
    }
    return F2L_OK;
}

/* Deals the labels out evenly, in random order. */
static void deal_labels(drawing *d)
{
    const size_t words = d->j->data.words;
    f2l_rng rng;
    f2l_rng_init(&rng, d->j->o.seed, UINT64_MAX);
    for (size_t i = 0; i < words; i++) d->wanted[i] = (uint32_t)(i % d->labels);
    for (size_t i = words; i > 1; i--) {
        const size_t other = (size_t)f2l_rng_below(&rng, i);
        const uint32_t label = d->wanted[other];
        d->wanted[other] = d->wanted[i - 1];
        d->wanted[i - 1] = label;
    }
}

/* Draws the words that end with the label; lengths take turns among those that have such words. */
static f2l_status draw_ending(drawing *d, uint32_t label, f2l_error *err)
{
    f2l_run_data *data = &d->j->data;
    f2l_ending ending;
    size_t length = data->longest, tried = 0;
    f2l_status status =
        f2l_ending_init(&ending, d->fsa, d->label_of, label, data->longest, &d->j->cli.task, err);
    for (size_t i = 0; i < data->words && status == F2L_OK; i++) {
        f2l_rng rng;
        if (d->wanted[i] != label) continue;
        do {
            length = length == data->longest ? d->least : length + 1;
        } while (!f2l_ending_exists(&ending, length) && tried++ <= data->longest);
        if (!f2l_ending_exists(&ending, length))
            status =
                f2l_fail(err, F2L_EDOMAIN,
                         "no word of %zu to %zu letters ends with the label '%.80s', so that "
                         "labels cannot be balanced",
                         d->least, data->longest, fsa2lrnn_network_label(d->j->network, label));
        if (status != F2L_OK) break;
        tried = 0;
        f2l_rng_init(&rng, d->j->o.seed, i);
        data->length[i] = length;
        f2l_ending_draw(&ending, data->letter + i * data->longest, length, &rng);
        if (i % 1024 == 0)
            status = f2l_task_poll(&d->j->cli.task, "drawing words", (double)i, (double)data->words,
                                   err);
    }
    f2l_ending_clear(&ending);
    return status;
}

/* Draws words of uniform letters. Word i is the one that --random has as word i, as far as it
 * goes. */
static f2l_status draw_uniform(drawing *d, f2l_error *err)
{
    f2l_run_data *data = &d->j->data;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < data->words && status == F2L_OK; i++) {
        f2l_rng rng;
        f2l_rng_init(&rng, d->j->o.seed, i);
        data->length[i] = d->least + i % (data->longest - d->least + 1);
        for (size_t t = 0; t < data->length[i]; t++)
            data->letter[i * data->longest + t] =
                (uint32_t)f2l_rng_below(&rng, d->fsa->letters.count);
        if (i % 1024 == 0)
            status = f2l_task_poll(&d->j->cli.task, "drawing words", (double)i, (double)data->words,
                                   err);
    }
    return status;
}

/* Sets the labels of all words, by the automaton. */
static void label_words(drawing *d)
{
    f2l_run_data *data = &d->j->data;
    for (size_t i = 0; i < data->words; i++) {
        size_t state = d->fsa->start;
        for (size_t t = 0; t < data->length[i]; t++) {
            const size_t edge = state * d->fsa->letters.count + data->letter[i * data->longest + t];
            data->label[i * data->longest + t] = d->label_of[edge];
            state = d->fsa->next[edge];
        }
    }
}

static f2l_status draw_run_words(drawing *d, const f2l_net *net, f2l_error *err)
{
    f2l_status status = make_drawing_room(d, err);
    if (status == F2L_OK) status = number_labels(d, net, err);
    if (status != F2L_OK) return status;
    if (d->j->o.balance == F2L_RUN_BALANCE_LABELS) {
        deal_labels(d);
        for (uint32_t label = 0; label < d->labels && status == F2L_OK; label++)
            status = draw_ending(d, label, err);
    } else {
        status = draw_uniform(d, err);
    }
    if (status == F2L_OK) label_words(d);
    return status;
}

int f2l_run_draw(f2l_run *j)
{
    f2l_error err;
    f2l_network_file file;
    drawing d = {.j = j, .fsa = &file.automaton.fsa};
    d.least = (size_t)(j->o.least_length ? j->o.least_length : j->o.length);
    f2l_network_file_init(&file);
    int code = f2l_network_file_load(&file, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code == 0) code = f2l_network_file_load_automaton(&file, &j->cli);
    if (code == 0 && draw_run_words(&d, &file.model, &err) != F2L_OK)
        code = f2l_cli_fail(&j->cli, NULL, &err);
    f2l_free(d.label_of);
    f2l_free(d.wanted);
    f2l_network_file_clear(&file);
    return code;
}
