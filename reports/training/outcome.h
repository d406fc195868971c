/* The outcome of `fsa2lrnn reproduce` for one model of a preset: a row with everything that is
 * needed to set it beside the published numbers and to say what it is worth. As JSON (schema 1):
 *
 *   {"schema":1, "kind":"reproduce-outcome",
 *    "preset":"parity", "setting":"best", "model":"delta-signed",
 *    "scale":1, "full_steps":1500, "steps":1500,
 *    "batch":64, "rate":0.001,
 *    "backend":"cpu", "device":"...", "devices":1,
 *    "version":"0.1.0", "commit":"...", "recipe":"...",
 *    "trained":"delta, 2 layers of width 128, ..; words of 4 to 128 letters",
 *    "timing":{"date":"2026-11-21", "seconds":95.1, "device_seconds":95.1},
 *    "note":"...",
 *    "seeds":[{"seed":1, "end":"completed", "steps":1500, "tokens":..., "loss":...,
 *              "timing":{"seconds":95.1, "share":1},
 *              "lengths":[{"length":40, "sequences":820, "sequence_accuracy":1,
 *                          "accuracy":1, "scaled_accuracy":1}, ..]}, ..]}
 *
 * "preset", "setting" and "model" are names of models/experiment/preset.h. "steps" is the number of
 * steps wanted: "scale" times the steps of the whole recipe. "end" is completed, reached or
 * diverged; "loss" may be null. A seed that diverged has no lengths; all others have the same ones,
 * ascending.
 *
 * Members that may be missing: "devices" (1), the number of devices over which the runs were
 * spread; "recipe", the SHA-256 of the config.json of seed 0, which keeps rows of different recipes
 * apart; "trained", the recipe in words (f2l_train_experiment_text); "note"; "share" (1), the part
 * of its device that a run had beside others; "seconds" and "device_seconds", the sums of the
 * seeds' seconds and of seconds times share, which is the time that the devices were taken.
 *
 * A file may hold one row, an array of rows, or an object whose member "rows" is such an array; its
 * other members, such as remarks, are left alone. */
#ifndef F2L_OUTCOME_H
#define F2L_OUTCOME_H

#include "models/experiment/preset.h"

typedef struct f2l_outcome_score {
    size_t length;
    uint64_t sequences;
    double sequence_accuracy, accuracy, scaled_accuracy;
} f2l_outcome_score;

typedef struct f2l_outcome_seed {
    uint32_t seed;
    f2l_train_end end;
    uint64_t steps, tokens; /* steps made, letters read */
    double seconds, share, loss;
    f2l_outcome_score *score; /* [f2l_outcome.lengths]; NULL: diverged */
} f2l_outcome_seed;

typedef struct f2l_outcome {
    const f2l_preset *preset;
    f2l_preset_setting setting;
    const f2l_preset_model *model;
    double scale, rate;
    uint64_t full_steps, steps;
    size_t batch;
    size_t devices; /* >= 1 */
    char backend[16], device[128], version[32], commit[64], date[32];
    char recipe[65];   /* "": not known */
    char trained[256]; /* "": not known */
    char note[256];
    size_t lengths, seeds;
    f2l_outcome_seed *seed; /* [seeds] */
} f2l_outcome;

void f2l_outcome_init(f2l_outcome *outcome);
void f2l_outcome_clear(f2l_outcome *outcome);

/* Appends a copy of the result of one seed, with its share; without scores when the seed diverged.
 * F2L_EDOMAIN when the run has not ended, has no scores, or has other lengths than the earlier
 * seeds. */
f2l_status f2l_outcome_add(f2l_outcome *outcome, uint32_t seed, const f2l_train_result *result,
                           double share, f2l_error *err);

/* Return sums over the seeds: of their seconds, and of their device seconds (the same on
 * processors). */
double f2l_outcome_seconds(const f2l_outcome *outcome);
double f2l_outcome_device_seconds(const f2l_outcome *outcome);

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
 * or model. On failure the list is unchanged. */
f2l_status f2l_outcomes_parse(f2l_outcomes *list, const char *text, size_t size, f2l_error *err);

/* Appends the rows of a file, or of all files named outcome-*.json of a folder, in the order of
 * their names. F2L_EDOMAIN: a folder without any. The text of an error names the file. */
f2l_status f2l_outcomes_read(f2l_outcomes *list, const char *path, f2l_error *err);

/* Returns a seed with scores, which give the lengths; NULL when all seeds diverged. */
const f2l_outcome_seed *f2l_outcome_scored(const f2l_outcome *outcome);

/* Computes the spread of the papers' measure over the seeds that have scores: at their length
 * number `at` the sequence accuracy if every answer counts, the scaled accuracy if only the last
 * answer counts; for at == lengths the mean of the measure over the lengths from 40 to 256.
 * F2L_EDOMAIN when there is no score. */
f2l_status f2l_outcome_measure(f2l_train_spread *spread, const f2l_outcome *outcome, size_t at,
                               f2l_error *err);

/* Merges rows that differ only in their seeds into one row, at the place of the first, in the order
 * of the seeds: preset, setting, model, scale, steps, batch, rate, lengths, backend, device and
 * note are equal, and so is the recipe, or the commit when neither row has a recipe; no seed is in
 * both rows. The merged row names all commits, and the range of dates. On failure some rows may
 * have been merged already; the others are unchanged. */
f2l_status f2l_outcomes_merge(f2l_outcomes *list, f2l_error *err);

/* Rows that differ only in the rate: the number of rates, and the row that is best by the median
 * over its seeds (by the mean, when medians are equal) of the published measure
 * (f2l_outcome_measure), averaged over the lengths 40 to 256 if only the last answer counts, over
 * all lengths if every answer counts. A seed that diverged counts as 0, the score of guessing. */
typedef struct f2l_outcome_rates {
    size_t rates;
    size_t best; /* index in the list */
} f2l_outcome_rates;
f2l_status f2l_outcomes_rates(f2l_outcome_rates *out, const f2l_outcomes *list, size_t row,
                              f2l_error *err);

#endif
