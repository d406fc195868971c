/* `run` on words of the user: labels out, line by line or as a stream. */
#include "cli/input/words.h"
#include "cli/run/run.h"
#include "cli/signals.h"
#include "numeric/base/mem.h"
#include "numeric/base/visible.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POLL_EVERY 4096
#define DRAIN_AT ((size_t)1 << 16)

/* The output of the word being read. */
typedef struct line {
    f2l_run *run;
    f2l_buf out;
    size_t words, labels; /* words before this one; labels of this one */
    bool undecoded;       /* some label of any word */
} line;

/* Sends what the buffer holds; false when the output refuses it. */
static bool drain(line *l, bool flush)
{
    bool good = f2l_cli_write(&l->run->cli, l->out.data, l->out.size, flush);
    l->out.size = 0;
    return good && !l->out.failed;
}

static void put_json_label(line *l, size_t label)
{
    json_t *value = f2l_run_json_label(l->run, label);
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    f2l_buf_visible(&l->out, text ? text : "", text ? strlen(text) : 0, "");
    if (!text) l->out.failed = true;
    free(text);
    json_decref(value);
}

static void add_label(line *l, size_t label)
{
    bool json = l->run->cli.global.json, stream = l->run->o.stream;
    if (label == FSA2LRNN_NONE) l->undecoded = true;
    if (stream && json) {
        f2l_buf_text(&l->out, "{\"label\":");
    } else if (!stream && l->labels++) {
        f2l_buf_text(&l->out, json ? "," : " ");
    }
    if (json) {
        put_json_label(l, label);
    } else {
        f2l_run_put_label(l->run, &l->out, label);
    }
    if (stream) f2l_buf_text(&l->out, json ? "}\n" : "\n");
}

static f2l_status start_word(line *l, f2l_error *err)
{
    size_t label;
    l->labels = 0;
    const f2l_status status = f2l_run_start(l->run, &label, err);
    /* Where labels are on transitions the empty word has none. */
    if (status == F2L_OK && l->run->o.from_start && label != FSA2LRNN_NONE) add_label(l, label);
    return status;
}

/* The letters of one word, which are all known: a line with an unknown letter prints nothing. */
typedef struct letters {
    uint32_t *item;
    size_t count, capacity;
} letters;

static f2l_status play_word(line *l, const letters *word, f2l_error *err)
{
    bool json = l->run->cli.global.json;
    if (json) f2l_buf_printf(&l->out, "{\"number\":%zu,\"labels\":[", l->words + 1);
    f2l_status status = start_word(l, err);
    for (size_t t = 0; t < word->count && status == F2L_OK; t++) {
        size_t label;
        status = f2l_run_step(l->run, word->item[t], &label, err);
        if (status != F2L_OK) break;
        add_label(l, label);
        if (l->out.size >= DRAIN_AT && !drain(l, false)) break;
        if (t % POLL_EVERY == POLL_EVERY - 1) {
            status =
                f2l_task_poll(&l->run->cli.task, "letters", (double)t, (double)word->count, err);
        }
    }
    f2l_buf_text(&l->out, json ? "]}\n" : "\n");
    l->words++;
    return status;
}

static f2l_status play_lines(line *l, f2l_words *in, f2l_error *err)
{
    letters word = {NULL, 0, 0};
    f2l_status status = F2L_OK;
    for (;;) {
        f2l_word_event event;
        size_t letter;
        status = f2l_words_next(in, &event, &letter, err);
        if (status != F2L_OK || event == F2L_WORD_END) break;
        if (event == F2L_WORD_LETTER) {
            if (!f2l_grow((void **)&word.item, &word.capacity, word.count, sizeof *word.item)) {
                status = f2l_fail_memory(err);
                break;
            }
            word.item[word.count++] = (uint32_t)letter;
            continue;
        }
        status = play_word(l, &word, err);
        word.count = 0;
        if (!drain(l, false)) break;
        if (status == F2L_OK)
            status = f2l_task_poll(&l->run->cli.task, "words", (double)l->words, 0, err);
        if (status != F2L_OK) break;
    }
    f2l_free(word.item);
    return status;
}

/* Plays one endless word: a label per letter, flushed at once. */
static f2l_status play_stream(line *l, f2l_words *in, f2l_error *err)
{
    f2l_status status = start_word(l, err);
    double count = 0;
    while (status == F2L_OK && drain(l, true)) {
        f2l_word_event event;
        size_t letter, label;
        status = f2l_words_next(in, &event, &letter, err);
        if (status != F2L_OK || event == F2L_WORD_END) break;
        if (event == F2L_WORD_LINE_END) continue;
        status = f2l_run_step(l->run, letter, &label, err);
        if (status != F2L_OK) break;
        add_label(l, label);
        status = f2l_task_poll(&l->run->cli.task, "letters", ++count, 0, err);
    }
    drain(l, true);
    return status;
}

static int finish_line(line *l, const char *name, f2l_status status, f2l_error *err)
{
    f2l_cli *cli = &l->run->cli;
    if (l->out.failed) {
        f2l_fail_memory(err);
        return f2l_cli_fail(cli, NULL, err);
    }
    if (cli->write_failed) return 0;
    if (f2l_signals_caught()) return f2l_cli_interrupted(cli, "the labels printed are right");
    if (status != F2L_OK) return f2l_cli_fail(cli, name, err);
    return l->undecoded ? F2L_EXIT_REFUTED : 0;
}

int f2l_run_words(f2l_run *run)
{
    f2l_error err;
    const char *path = run->cli.operands > 1 ? run->cli.operand[1] : "-",
               *name = f2l_cli_input_name(path);
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) {
        f2l_fail(&err, F2L_EIO, "cannot open %s: %s", path, strerror(errno));
        return f2l_cli_fail(&run->cli, name, &err);
    }
    f2l_words in;
    line l = {.run = run};
    f2l_words_init(&in, file, &run->letters);
    f2l_buf_init(&l.out);
    f2l_status status = run->o.stream ? play_stream(&l, &in, &err) : play_lines(&l, &in, &err);
    int code = finish_line(&l, name, status, &err);
    f2l_buf_clear(&l.out);
    f2l_words_clear(&in);
    if (file != stdin) fclose(file);
    return code;
}
