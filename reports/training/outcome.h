/* The outcome of `fsa2lrnn reproduce` for one model of a preset: a row with everything that is
 * needed to set it beside the published numbers and to say what it is worth. As JSON (schema 2):
 *
 *   {"schema":2, "kind":"reproduce-outcome",
 *    "preset":"parity", "setting":"best", "model":"delta-signed",
 *    "scale":1, "full_steps":1500, "steps":1500,
 *    "batch":64, "rate":0.001,
 *    "backend":"cpu", "device":"...", "devices":1,
 *    "version":"0.1.0", "commit":"...", "recipe":"...",
 *    "trained":"delta, 2 layers of width 128, ..; words of 4 to 128 letters",
 *    "timing":{"date":"2026-11-21", "seconds":95.1, "device_seconds":95.1},
 *    "note":"...", "constructed":"T4, 2 layers, ..", "config":{...},
 *    "seeds":[{"seed":1, "end":"completed", "steps":1500, "tokens":..., "loss":...,
 *              "weights":"...", "timing":{"seconds":95.1, "share":1},
 *              "lengths":[{"length":40, "sequences":820, "sequence_accuracy":1,
 *                          "accuracy":1, "scaled_accuracy":1,
 *                          "constant_accuracy":0.5, "scaled_constant":0}, ..],
 *              "every_length":{"length":[1, 2, ..], "sequence_accuracy":[1, 1, ..]},
 *              "word_sets":[{"name":"short-random", "words":1000, "accuracy":0.98}, ..],
 *              "failing_word":{"wrong_letters":7, "word":"1 0 ..", "all_words_up_to":4,
 *                 "powers_tried":30, "followed_words":200, "letters_read":100000,
 *                 "letters_allowed":100000,
 *                 "no_search_reason":null},
 *              "evaluations":[{"step":375, "scores":{"length":[40, ..],
 *                 "sequence_accuracy":[..], "accuracy":[..], "scaled_accuracy":[..]}}, ..],
 *              "curve":{"step":[15, ..], "loss":[..], "rate":[..], "length":[..],
 *                       "last_accuracy":[..]}}, ..]}
 *
 * A row is written when a run begins and at every evaluation, so that runs that stop or are killed
 * are in the table. "preset", "setting" and "model" are names of models/learn/experiment/preset.h.
 * "steps" is the number of steps wanted: "scale" times the steps of the whole recipe. "end" is
 * completed, reached, diverged, stopped (by a signal or a failure) or running (the process goes on,
 * or was killed); "loss" may be null. "lengths" has the last evaluation: no lengths for a seed that
 * diverged or has no evaluation yet; all others have the same ones, ascending.
 *
 * "weights" is the SHA-256 of the seed's weights.safetensors; null for a run that has not ended,
 * and where it is not known.
 *
 * Members that may be missing: "weights"; "devices" (1), the number of devices over which the runs
 * were spread, whose names are "device", with "; " between them; "recipe", the SHA-256 of the
 * config.json of seed 0, which keeps rows of different recipes apart; "config", that config.json,
 * from which the hash is computed again when the row is read (outcome_recipe.c);
 * "trained", the recipe in words (f2l_train_experiment_text); "note"; "constructed", of words of
 * one language: the network that is constructed for it; "word_sets", the fractions of right answers
 * on its test sets; "share" (1), the part of its device that a run had beside others, or the
 * processors that it used, on average; "seconds" and "device_seconds", the sums of the seeds'
 * seconds and of seconds times share, which is the time that the devices were taken, or processor
 * time (rows until 2026-11-29: time); "sink_free_accuracy" and "periodic_accuracy", of the other
 * kinds of words (models/learn/data/data_walk.h); "constant_accuracy" and "scaled_constant", the
 * best constant answer on the same words; "every_length", where more lengths were evaluated than a
 * table shows; "failing_word", the shortest wrong word that a search of the ended run found
 * (wrong_letters 0: none), which is missing where none was made; in it "letters_allowed", as many
 * as the search might have read (rows until 2026-11-30: not known); "evaluations"; "curve", at most
 * F2L_OUTCOME_POINTS lines of the log, evenly spread.
 *
 * Rows of schema 1 have the ends completed, reached and diverged, and none of "constant_accuracy",
 * "scaled_constant", "every_length", "evaluations", "curve". Their test words depended on their
 * number of steps. Where they have "config", it was added later: it has the hash "recipe".
 *
 * A file may hold one row, an array of rows, or an object whose member "rows" is such an array; its
 * other members, such as remarks, are left alone. */
#ifndef F2L_OUTCOME_H
#define F2L_OUTCOME_H

#include "models/learn/experiment/experiment_history.h"
#include "models/learn/experiment/preset.h"

#define F2L_OUTCOME_POINTS ((size_t)100)

/* The least number of seeds of an average; of fewer, tables and pages have no figure, but say how
 * many are missing. docs/figures reads this line, too. */
#define F2L_OUTCOME_LEAST_SEEDS ((size_t)3)

/* The fraction of right answers on one set of words (models/learn/data/word_sets.h). */
typedef struct f2l_outcome_set {
    char name[32]; /* "short-random" */
    uint64_t words;
    double accuracy;
} f2l_outcome_set;

#define F2L_OUTCOME_SETS 8

/* What a search for a short wrong word found (theory/beside/compare/failing.h). */
typedef struct f2l_outcome_failing {
    bool searched;          /* otherwise nothing else is set */
    uint64_t wrong_letters; /* of the shortest wrong word found; 0: none */
    char word[1024];        /* its letters, with blanks between them; "": none, or longer */
    uint64_t all_words_up_to, powers_tried, followed_words, letters_read;
    uint64_t letters_allowed;  /* 0: not known */
    char no_search_reason[96]; /* "": words were read */
} f2l_outcome_failing;

typedef struct f2l_outcome_seed {
    uint32_t seed;
    f2l_train_end end; /* F2L_TRAIN_GOES_ON: stopped, or running */
    bool stopped;
    uint64_t steps, tokens; /* steps made, letters read */
    double seconds, share, loss;
    char weights[65];            /* SHA-256 of weights.safetensors; "": not known */
    f2l_train_accuracies *score; /* [f2l_outcome.lengths]; NULL: diverged, or not evaluated yet */
    f2l_train_accuracies *every; /* [everys] lengths and sequence accuracies; NULL: none */
    size_t everys;
    f2l_outcome_set set[F2L_OUTCOME_SETS]; /* [sets] of a run that has ended */
    size_t sets;
    f2l_outcome_failing failing;
    f2l_history course; /* its points and evaluations alone */
} f2l_outcome_seed;

typedef struct f2l_outcome {
    const f2l_preset *preset;
    f2l_preset_setting setting;
    const f2l_preset_model *model;
    double scale, rate;
    uint64_t full_steps, steps;
    size_t batch;
    size_t devices; /* >= 1 */
    char backend[16], version[32], commit[64], date[32];
    char device[512];  /* of all seeds, with "; " between them (f2l_outcome_add_devices) */
    char recipe[65];   /* "": not known */
    char trained[256]; /* "": not known */
    char note[256];
    char constructed[160]; /* the network that is constructed for the same language; "": none */
    struct json_t *config; /* owned; NULL: not known */
    size_t lengths, seeds;
    f2l_outcome_seed *seed; /* [seeds] */
} f2l_outcome;

void f2l_outcome_init(f2l_outcome *outcome);
void f2l_outcome_clear(f2l_outcome *outcome);

/* Appends a seed from the history of its run, with its share of the device; `stopped` tells a run
 * without an end from one that goes on. F2L_EDOMAIN when the history has other lengths than the
 * earlier seeds. */
f2l_status f2l_outcome_add(f2l_outcome *outcome, uint32_t seed, const f2l_history *history,
                           double share, bool stopped, f2l_error *err);

/* Returns the seed of this number, or NULL; NULL of NULL. */
const f2l_outcome_seed *f2l_outcome_seed_of(const f2l_outcome *outcome, uint32_t seed);

/* Adds devices, a list with "; " between them, to those on which the seeds were trained: each
 * whole, and once. Where the room ends, the list ends with "; others". */
void f2l_outcome_add_devices(f2l_outcome *outcome, const char *devices);

/* Returns the share of a run that took `seconds` in all: `share` since `before` was recorded (NULL:
 * from the beginning), and the recorded one until then. */
double f2l_outcome_share(const f2l_outcome_seed *before, double seconds, double share);

/* Returns whether a search that may read `letters` letters adds nothing to what was found: as many
 * were allowed before, or no shorter word is wrong. */
bool f2l_outcome_failing_stands(const f2l_outcome_failing *found, uint64_t letters);

/* Joins a search to what was found of the same weights before: the shorter word is kept, and of a
 * search that memory ended what the one before did beyond it. */
void f2l_outcome_failing_join(f2l_outcome_failing *to, const f2l_outcome_failing *old);

/* Returns how many of `seeds` seeds are missing of those that an average takes. */
static inline size_t f2l_outcome_missing(size_t seeds)
{
    return seeds < F2L_OUTCOME_LEAST_SEEDS ? F2L_OUTCOME_LEAST_SEEDS - seeds : 0;
}

/* Returns whether all seeds have ended: completed, reached or diverged. */
bool f2l_outcome_ended(const f2l_outcome *outcome);

/* Return sums over the seeds: of their seconds, and of their device seconds (the same on
 * processors). */
double f2l_outcome_seconds(const f2l_outcome *outcome);
double f2l_outcome_device_seconds(const f2l_outcome *outcome);

/* Returns whether every seed has a curve, or goes on. */
bool f2l_outcome_has_curves(const f2l_outcome *outcome);

/* Appends the lengths of the shortest wrong words that are known of the seeds, and among which
 * words they are; one line, to be put behind F2L_OUTCOME_FAILING. */
f2l_status f2l_outcome_failing_text(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err);
#define F2L_OUTCOME_FAILING "shortest failing word found, in letters, of each seed"
#define F2L_OUTCOME_NO_CURVES "recorded without curves"
#define F2L_OUTCOME_NO_KINDS "measured on random words alone, which hide failures"

/* Appends the row as JSON and a newline. */
f2l_status f2l_outcome_write(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err);

typedef struct f2l_outcomes {
    f2l_outcome *row;
    size_t rows, capacity;
} f2l_outcomes;

void f2l_outcomes_init(f2l_outcomes *list);
void f2l_outcomes_clear(f2l_outcomes *list);

/* Appends the rows of a JSON text. F2L_EFORMAT (with the position of an error of JSON): no JSON, no
 * rows, a member that is missing, unknown or of a wrong type or range, an unknown preset, setting
 * or model, a recipe that is not the hash of the row's configuration. On failure the list is
 * unchanged. */
f2l_status f2l_outcomes_parse(f2l_outcomes *list, const char *text, size_t size, f2l_error *err);

/* Appends the rows of a file, or of all files named outcome-*.json of a folder, in the order of
 * their names. F2L_EDOMAIN: a folder without any. The text of an error names the file. */
f2l_status f2l_outcomes_read(f2l_outcomes *list, const char *path, f2l_error *err);

/* Returns a seed with scores, which give the lengths; NULL when no seed has any. */
const f2l_outcome_seed *f2l_outcome_scored(const f2l_outcome *outcome);

/* Sets value[seeds] to the papers' measure of every seed: at the length number `at` the sequence
 * accuracy if every answer counts, the scaled accuracy if only the last answer counts; for at ==
 * lengths its mean over the lengths from 40 to 256 by the trapezoid rule over the evaluated
 * lengths. The last evaluation of a run that has not ended counts; a seed without scores counts as
 * 0, the score of guessing, so that no median is one over the survivors. Returns false when no seed
 * has scores, or there is no such length. */
bool f2l_outcome_values(double *value, const f2l_outcome *outcome, size_t at);
/* Computes the spread of these values; F2L_EDOMAIN when there are none. */
f2l_status f2l_outcome_measure(f2l_train_spread *spread, const f2l_outcome *outcome, size_t at,
                               f2l_error *err);
/* Returns the mean, over the seeds with scores, of what the best constant answer has in that
 * measure (scaled accuracy) on the test words; NAN when it is not known or every answer counts. */
double f2l_outcome_constant(const f2l_outcome *outcome, size_t at);

/* Merges rows that differ only in their seeds into one row, at the place of the first, in the order
 * of the seeds: preset, setting, model, scale, steps, batch, rate, lengths, backend and device are
 * equal, and so is the recipe, or commit and note when neither row has a recipe; no seed is in both
 * rows. The merged row names all commits and notes, and the range of dates. On failure some rows
 * may have been merged already; the others are unchanged. */
f2l_status f2l_outcomes_merge(f2l_outcomes *list, f2l_error *err);

/* Rates of one experiment: rows that agree in everything but rate, commit, date and seeds: in their
 * configurations where both have one, else in the note. Rows of one rate are one candidate, with
 * all of their seeds (each once). Only the candidates with the most seeds are compared, by the
 * median over the seeds (by the mean, when medians are equal) of the measure averaged by the
 * trapezoid rule over the lengths 40 to 256 if only the last answer counts, over all lengths if
 * every answer counts. */
typedef struct f2l_outcome_rates {
    size_t rates;    /* candidates */
    size_t compared; /* candidates with the most seeds; a best one is named from 2 on */
    size_t seeds;    /* of each of them */
    double best;     /* the best rate; NAN: fewer than two are compared */
} f2l_outcome_rates;
f2l_status f2l_outcomes_rates(f2l_outcome_rates *out, const f2l_outcomes *list, size_t row,
                              f2l_error *err);

#endif
