/* The command `run`, on the public interface: options and loading (cli/run/cmd_run.c), words in and
 * labels out (cli/run/run_words.c), random words against the automaton (cli/run/run_random.c),
 * which may be drawn by length and label (cli/run/run_data.c), or come from a file
 * (cli/run/run_file.c), and written (cli/run/run_write.c). */
#ifndef F2L_RUN_H
#define F2L_RUN_H

#include "cli/input/network_paths.h"
#include "cli/interface.h"
#include "models/learn/data/word_list.h"
#include "numeric/base/names.h"

typedef struct f2l_run_options {
    size_t format, schedule; /* format F2L_NO_CHOICE: exact */
    bool from_start, stream;
    uint64_t random, length, least_length, seed; /* least_length 0: all words have `length` */
    size_t balance;                              /* f2l_run_balance; F2L_NO_CHOICE: not at all */
    const char *fsa, *write, *words;
} f2l_run_options;

typedef enum f2l_run_balance {
    F2L_RUN_BALANCE_LABELS /* as many words for each last label */
} f2l_run_balance;

/* Random words with their labels by the automaton. */
typedef struct f2l_run_data {
    size_t words, longest;
    size_t *length;   /* [words] */
    uint32_t *letter; /* [words][longest] */
    uint32_t *label;  /* [words][longest] indices into the network's labels */
} f2l_run_data;

typedef struct f2l_run {
    f2l_cli cli;
    f2l_run_options o;
    f2l_network_paths paths;
    f2l_names letters; /* of the network */
    fsa2lrnn_network *network;
    fsa2lrnn_run *play;
    f2l_word_list list; /* of --data */
    f2l_run_data data;  /* with --write, --least-length or --balance; otherwise no words */
} f2l_run;

/* Run the network on the given words, or on random words; return the exit status. */
int f2l_run_words(f2l_run *run);
int f2l_run_random(f2l_run *run);

/* Draws the words into j->data, and computes their labels; returns 0, or the exit status after the
 * message. */
int f2l_run_draw(f2l_run *run);
/* Reads the words of --data into j->list; every label must be the automaton's. Returns 0, or the
 * exit status after the message. */
int f2l_run_read_words(f2l_run *run);
void f2l_run_data_clear(f2l_run_data *data);

/* Writes j->data to --write: JSON lines, or NumPy's arrays by the name's end. Returns 0, or the
 * exit status after the message. */
int f2l_run_write(f2l_run *run);

/* Returns "exact" or the format's name. */
const char *f2l_run_arithmetic(const f2l_run *run);

/* Start a word and read a letter; return F2L_OK or the error as the inside has it. *label becomes
 * FSA2LRNN_NONE where there is none. */
f2l_status f2l_run_start(f2l_run *run, size_t *label, f2l_error *err);
f2l_status f2l_run_step(f2l_run *run, size_t letter, size_t *label, f2l_error *err);

/* Appends a label for a line of text: `?` for FSA2LRNN_NONE (the state decoded to nothing), so that
 * a label with the name ? is quoted. */
void f2l_run_put_label(const f2l_run *run, f2l_buf *out, size_t label);

/* Returns the label for JSON, a string or null, owned by the caller. */
json_t *f2l_run_json_label(const f2l_run *run, size_t label);

#endif
