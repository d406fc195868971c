/* A training run as one value: data, model, optimiser, curriculum, seed. Each run of `train` and
 * `reproduce` is one such value, and the folder of a run holds all of it, so that a run can be
 * resumed, evaluated or repeated from its folder alone.
 *
 * The folder is described in models/learn/train/train_dir.h; config.json is the text of
 * f2l_experiment_write, and the automaton of the data lies beside it as automaton.fsa in canonical
 * text. */
#ifndef F2L_EXPERIMENT_H
#define F2L_EXPERIMENT_H

#include "models/learn/data/data.h"
#include "models/learn/data/data_curriculum.h"
#include "models/learn/experiment/first_weights.h"
#include "models/learn/seq/seq.h"
#include "models/learn/train/backend.h"
#include "models/learn/train/train.h"

typedef struct f2l_experiment {
    f2l_data_options data; /* seed and stream are set from `seed`, and need not be set here; weights
                              are borrowed */
    const f2l_fsa *fsa; /* for F2L_DATA_AUTOMATON, and for F2L_DATA_WORDS where it gives the labels,
                         * else NULL; borrowed; every state reachable from the start */
    f2l_seq_config model; /* letters and labels are set from the data */
    f2l_train_options train;
    f2l_data_curriculum curriculum;     /* the options only, not the state */
    size_t batch, positions;            /* as in f2l_seq_trainee_options */
    uint32_t seed;                      /* seed of the data and of the first parameters */
    const f2l_first_weights *first;     /* the first parameters, of the model's shape; NULL: random;
                                         * borrowed */
    const f2l_first_weights *reference; /* of the model's shape: evaluations tell the distance from
                                         * them, also before the first step; NULL: none; borrowed.
                                         * Not in config.json */
    double step_limit;                  /* as there, too */
    unsigned devices, device; /* as in f2l_seq_trainee_options; not in config.json. A sweep spreads
                               * its runs over the devices */
} f2l_experiment;

/* Sets *experiment to the recipe that is known to work (docs/training.md, Recipe and
 * options) for the given data: the model is f2l_seq_config_default with slope 4, lengths from
 * 4 to 64 by curriculum (threshold 0.9), batch 256, seed 1, no evaluation lengths. If the data have
 * no word of 4 letters the curriculum starts with the shortest. */
f2l_status f2l_experiment_default(f2l_experiment *experiment, const f2l_data_options *data,
                                  const f2l_fsa *fsa, uint64_t steps, f2l_error *err);

/* Returns what the data are of, for a report: the name of the file of words, "automaton.fsa",
 * "recall" or "expressions". */
const char *f2l_experiment_source(const f2l_experiment *experiment);

/* Builds the data of the experiment in *out, which is initialised empty; the stream is
 * F2L_DATA_TRAIN or F2L_DATA_TEST. The latter's words are random, and evaluations test live and
 * periodic words, too, up to 4 times the longest trained length. */
f2l_status f2l_experiment_data(f2l_data *out, const f2l_experiment *experiment, uint32_t stream,
                               f2l_error *err);

/* Fails with F2L_EDOMAIN and the first reason for which the experiment cannot be run from its first
 * step to its last evaluation. */
f2l_status f2l_experiment_check(const f2l_experiment *experiment, f2l_error *err);

/* Appends config.json:
 *   {"schema":1,"data":{...},"model":{...},"train":{...},"curriculum":{...},"batch":..,
 *    "positions":..,"seed":..}
 * with a last member "first_weights", the SHA-256 of the file, where first weights are given,
 * and a newline, in one spelling: equal experiments give equal bytes. A 0 for a default (tokens,
 * patience, positions) is written as the default, and lengths that the data do not have as the next
 * shorter ones. The automaton is named by the SHA-256 of its canonical text. checkpoint_seconds is
 * not written. F2L_EDOMAIN as f2l_experiment_check. */
f2l_status f2l_experiment_write(f2l_buf *out, const f2l_experiment *experiment, f2l_error *err);

/* An experiment read from the folder of a run, with everything that it borrows, owned. It must not
 * be moved. */
typedef struct f2l_experiment_file {
    f2l_experiment experiment; /* checkpoint_seconds is the value of f2l_train_options_default */
    f2l_fsa fsa;
    double *weight;
    size_t *length;
    f2l_word_list words, test; /* empty: the data have none */
    f2l_first_weights first;   /* empty: they are random */
    f2l_buf config;            /* the text of config.json */
} f2l_experiment_file;
/* The places of words, as f2l_word_file_read takes them, in place of those that the folder names in
 * words.json; NULL: these. */
typedef struct f2l_experiment_words {
    const char *words, *test;
} f2l_experiment_words;
void f2l_experiment_file_init(f2l_experiment_file *file);
void f2l_experiment_file_clear(f2l_experiment_file *file);
/* Reads config.json, automaton.fsa and the words of the folder into *file (initialised empty; empty
 * again after a failure). F2L_EIO: no such folder or file; F2L_EFORMAT: damaged, with line and
 * column where JSON has them; members that are unknown or missing, another automaton than the one
 * that config.json names, and any spelling but f2l_experiment_write's are refused. */
f2l_status f2l_experiment_file_read(f2l_experiment_file *file, const char *folder, f2l_error *err);
/* The same, with words from other places. Words of another hash than config.json names are
 * F2L_EDOMAIN. */
f2l_status f2l_experiment_file_read_with(f2l_experiment_file *file, const char *folder,
                                         const f2l_experiment_words *words, const f2l_task *task,
                                         f2l_error *err);
/* Reads an experiment from texts instead; `automaton` may be NULL where the data need none. Words
 * and first weights must be in *file already where the run needs them. */
f2l_status f2l_experiment_file_parse(f2l_experiment_file *file, const char *config,
                                     size_t config_size, const char *automaton,
                                     size_t automaton_size, f2l_error *err);

/* Returns about how many seconds a run takes on one such device or core, for words as long as they
 * can grow: mostly more than it does. By recorded rates of H100s and H200s; for plans only. */
double f2l_experiment_seconds(const f2l_experiment *experiment, f2l_backend backend);
/* Appends "about 40 s", "about 2.5 min" or "about 3.1 h". */
void f2l_experiment_seconds_text(f2l_buf *out, double seconds);

/* Bytes of this machine's memory that a run takes in total, and bytes of a device's memory
 * (f2l_backend_device_bytes; 0 on the CPU), which are shown to the user before the start.
 * F2L_EDOMAIN also as f2l_backend_check. */
typedef struct f2l_experiment_need {
    size_t host, device;
} f2l_experiment_need;
f2l_status f2l_experiment_needs(f2l_experiment_need *need, const f2l_experiment *experiment,
                                f2l_backend backend, f2l_error *err);
/* Appends "12.5 MiB", or "12.5 MiB, and 4373.2 MiB on the device" ("on each of 2 devices"), for
 * `devices` devices. */
void f2l_experiment_need_text(f2l_buf *out, const f2l_experiment_need *need, unsigned devices);

/* The required contents of a folder when it is opened. */
typedef enum f2l_experiment_begin {
    F2L_BEGIN_NEW,   /* the folder must be new or empty: F2L_EEXIST */
    F2L_BEGIN_RESUME /* the folder must hold this experiment: F2L_EDOMAIN with the first member that
                        differs */
} f2l_experiment_begin;

/* Trains as f2l_train_run does. `folder` NULL: nothing is written. The result is initialised by the
 * caller. Everything that can be refused is refused before anything is written:
 * f2l_experiment_check, f2l_backend_check, and F2L_UNKNOWN, with the need, when task->memory is too
 * small. A folder that could not be completed is removed again. For a resumed run the checkpoint is
 * compared too; the folder's provenance.json stays. */
f2l_status f2l_experiment_run(f2l_train_result *result, const f2l_experiment *experiment,
                              f2l_backend backend, const char *folder, f2l_experiment_begin begin,
                              const f2l_train_provenance *provenance, const f2l_train_watch *watch,
                              const f2l_task *task, f2l_error *err);

/* Evaluates weights (float, of f2l_seq_read_f32) at the lengths of score[scores], on sequences of
 * step 0 of `data`, which is meant to be the test stream (f2l_experiment_data); words of any length
 * in memory that does not depend on it. *wrong (NULL: not wanted) as in f2l_data_evaluate.
 * F2L_EDOMAIN: the data and the model differ in the number of letters or labels, or lengths that
 * the data do not have; or an error of the backend (f2l_backend_check, f2l_seq_cuda_takes). */
f2l_status f2l_experiment_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                   size_t sequences, f2l_backend backend, const f2l_seq *model,
                                   const float *parameters, const f2l_data *data,
                                   const f2l_task *task, f2l_error *err);

#endif
