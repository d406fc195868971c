/* A trained model, from the folder of a run, from a file, or from the folder of another program
 * (models/doors/checkpoint/checkpoint.h), with its run where there is one. */
#ifndef F2L_EVALUATE_WEIGHTS_H
#define F2L_EVALUATE_WEIGHTS_H

#include "cli/cli.h"
#include "models/doors/checkpoint/checkpoint.h"
#include "models/learn/experiment/experiment_seeds.h"
#include "reports/training/settle_report.h"
#include "theory/beside/compare/failing.h"

/* The option for the search for a short wrong word (theory/beside/compare/failing.h). */
#define F2L_SEARCH(field) \
    { \
        "search", 0, F2L_OPTION_NUMBER, "N", NULL, 0, UINT32_MAX, field, \
            "letters that may be read in the search for a short wrong word (default: 100000, and " \
            "fewer for large networks; 0: no search)" \
    }

typedef struct f2l_weights_file {
    f2l_buf name; /* path of the file of weights, or of the folder of another program */
    f2l_checkpoint trained;
    bool has_run; /* `run` is set, to the run that the weights are from */
    f2l_experiment_file run;
} f2l_weights_file;

void f2l_weights_file_init(f2l_weights_file *file);
void f2l_weights_file_clear(f2l_weights_file *file);

/* Loads the weights; returns 0, or the exit status after the message. *file must not move
 * afterwards. */
int f2l_weights_file_load(f2l_weights_file *file, f2l_cli *cli, const char *path);

/* Sets *out, owned by the caller, to the parameters in double. */
f2l_status f2l_weights_parameters(double **out, const f2l_checkpoint *trained, f2l_error *err);

/* Returns the run that the weights are from; NULL: none is known. */
const f2l_experiment *f2l_weights_file_run(const f2l_weights_file *file);

/* What the weights are of; borrowed. */
typedef struct f2l_shortest_ask {
    const f2l_experiment *run; /* of the weights; NULL: none is known, or the data are of another */
    const f2l_checkpoint *trained;
    const f2l_data *data;
    const f2l_data_wrong *seen; /* as of f2l_failing_known */
    uint64_t search;            /* letters, as of f2l_failing_find; 0: no search of either kind */
} f2l_shortest_ask;

/* F2L_EDOMAIN with the reason where the run's task is another one than the state after every letter
 * of any word; NULL: there is no run. */
f2l_status f2l_run_tracks(const f2l_experiment *run, f2l_error *err);

/* Looks for words whose limit is wrong; F2L_EDOMAIN where the run or the network is not of the
 * class, and failures of f2l_settle_find. */
f2l_status f2l_run_settle(f2l_settle *out, const f2l_experiment *run, const f2l_checkpoint *trained,
                          const f2l_settle_ask *ask, const f2l_task *task, f2l_error *err);

/* The shortest wrong word that is known, the one figure of evaluate, compare, horizon and
 * reproduce. Looks first for short words z u^t w whose limit is wrong, into *settle, for which
 * failures are reasons why there is no such search, and then for the shortest wrong word of any
 * kind, into *out; the word that the first search met by running is one of those that the second
 * one reads. Ownership and failures as of f2l_failing_find. */
f2l_status f2l_shortest_find(f2l_failing *out, f2l_settle_report *settle,
                             const f2l_shortest_ask *ask, const f2l_task *task, f2l_error *err);

/* Sets (*out)[letters of the model], owned by the caller, to which letters the data draw.
 * F2L_EFORMAT when the data have another number of letters or labels than the model. */
f2l_status f2l_weights_file_used(unsigned char **out, const f2l_weights_file *file,
                                 const f2l_data *data, f2l_error *err);

/* Sets *path, initialised empty, to the path of the automaton that `import` put into the folder; it
 * remains empty where there is none. Returns 0, or the exit status after the message. */
int f2l_weights_file_automaton(f2l_buf *path, f2l_cli *cli, const char *folder);

/* Options for the words that are letters and labels. */
typedef struct f2l_word_options {
    const char *letters, *labels;
} f2l_word_options;
#define F2L_WORDS_TITLE "Options for the vocabulary of another program"
extern const f2l_option f2l_words_table[];

/* Restricts a model of another program to the letters and labels of the data, which are the words
 * that the options name, or the first ones of its vocabulary; warns when answers are left out that
 * the model could give. Refuses the options for our own layout, and changes nothing there. Returns
 * 0, or the exit status after the message. */
int f2l_weights_file_restrict(f2l_weights_file *file, f2l_cli *cli, const f2l_word_options *o,
                              size_t letters, size_t labels);

enum { F2L_MOST_WORDS = 4096 };
/* Reads up to F2L_MOST_WORDS words, "0,17,400", each below `vocabulary` and once, into
 * word[*words]. Returns 0, or 64 after the message, which names the option. */
int f2l_words_read(uint32_t *word, size_t *words, f2l_cli *cli, const char *option,
                   const char *text, size_t vocabulary);

#endif
