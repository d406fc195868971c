/* Random words and their labels as a file: JSON lines, or an archive of arrays for NumPy. */
#include "cli/run/run.h"
#include "models/learn/data/npz.h"
#include "models/learn/data/word_json.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Appends a line for each word: {"word": [..], "labels": [..], "label": the last}. */
static f2l_status put_lines(f2l_buf *out, const f2l_run_data *data, const f2l_names *letters,
                            const f2l_names *labels, f2l_error *err)
{
    f2l_word_json json;
    f2l_status status = f2l_word_json_init(&json, letters, labels, err);
    for (size_t i = 0; i < data->words && status == F2L_OK && !out->failed; i++) {
        const size_t from = i * data->longest, length = data->length[i];
        f2l_word_json_put(out, &json, data->letter + from, length, data->label + from,
                          data->label[from + length - 1]);
    }
    f2l_word_json_clear(&json);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

/* Appends the archive; beyond the end of a word letters and labels are -1. */
static f2l_status put_arrays(f2l_buf *out, const f2l_run_data *data, const f2l_names *letters,
                             const f2l_names *labels, f2l_error *err)
{
    const size_t entries = data->words * data->longest;
    f2l_npz npz;
    int32_t *value = f2l_calloc(entries > data->words ? entries : data->words, sizeof *value);
    if (!value) return f2l_fail_memory(err);
    f2l_npz_init(&npz);
    for (int labelled = 0; labelled < 2; labelled++) {
        const uint32_t *from = labelled ? data->label : data->letter;
        for (size_t i = 0; i < entries; i++)
            value[i] = i % data->longest < data->length[i / data->longest] ? (int32_t)from[i] : -1;
        f2l_npz_add_integers(&npz, labelled ? "labels" : "letters", value, data->words,
                             data->longest);
    }
    for (size_t i = 0; i < data->words; i++) value[i] = (int32_t)data->length[i];
    f2l_npz_add_integers(&npz, "lengths", value, data->words, 0);
    f2l_npz_add_names(&npz, "letter_names", letters);
    f2l_npz_add_names(&npz, "label_names", labels);
    const f2l_status status = f2l_npz_end(&npz, err);
    f2l_buf_clear(out);
    *out = npz.out;
    f2l_buf_init(&npz.out);
    f2l_npz_clear(&npz);
    f2l_free(value);
    return status;
}

/* Lists the network's labels. */
static f2l_status list_labels(f2l_names *out, const f2l_run *j, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; i < fsa2lrnn_network_labels(j->network) && status == F2L_OK; i++) {
        const char *name = fsa2lrnn_network_label(j->network, i);
        status = f2l_names_add(out, name, strlen(name), &index, err);
    }
    return status;
}

int f2l_run_write(f2l_run *j)
{
    const char *dot = strrchr(j->o.write, '.');
    f2l_error err;
    f2l_buf text;
    f2l_names labels;
    f2l_buf_init(&text);
    f2l_names_init(&labels);
    f2l_status status = list_labels(&labels, j, &err);
    if (status == F2L_OK && strcmp(dot, ".npz") == 0)
        status = put_arrays(&text, &j->data, &j->letters, &labels, &err);
    else if (status == F2L_OK)
        status = put_lines(&text, &j->data, &j->letters, &labels, &err);
    if (status == F2L_OK) status = f2l_write_file(j->o.write, text.data, text.size, &err);
    f2l_names_clear(&labels);
    f2l_buf_clear(&text);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.write, &err);
}
