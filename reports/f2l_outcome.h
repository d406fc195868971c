/* What came out of `fsa2lrnn reproduce`: one row for a model of a preset, with everything that is needed to set it beside the
 * published numbers and to say what it is worth. As JSON (schema 1):
 *
 *   {"schema":1, "kind":"reproduce-outcome",
 *    "preset":"parity", "setting":"best", "model":"delta-signed",      names of f2l_preset.h
 *    "scale":1, "full_steps":1500, "steps":1500,                       steps wanted: scale times those of the whole recipe
 *    "batch":64, "rate":0.001,
 *    "backend":"cpu", "device":"...", "version":"0.1.0", "commit":"...", "timing":{"date":"2026-11-21"},
 *    "note":"...",                                                     may be missing
 *    "seeds":[{"seed":1, "end":"completed", "steps":1500, "tokens":..., "loss":..., "timing":{"seconds":95.1},
 *              "lengths":[{"length":40, "sequences":820, "sequence_accuracy":1, "accuracy":1, "scaled_accuracy":1}, ..]}, ..]}
 *
 * "end" is completed, reached or diverged; "loss" may be null. A seed that diverged has no lengths, all others have the same, ascending. A
 * file may hold one row, an array of rows, or an object whose member "rows" is one (its other members, such as remarks, are left
 * alone). */
#ifndef F2L_OUTCOME_H
#define F2L_OUTCOME_H

#include "f2l_preset.h"

typedef struct f2l_outcome_score {
    size_t length;
    uint64_t sequences;
    double sequence_accuracy, accuracy, scaled_accuracy;
} f2l_outcome_score;

typedef struct f2l_outcome_seed {
    uint32_t seed;
    f2l_train_end end;
    uint64_t steps, tokens; /* made, letters read */
    double seconds, loss;
    f2l_outcome_score *score; /* [f2l_outcome.lengths]; NULL: diverged */
} f2l_outcome_seed;

typedef struct f2l_outcome {
    const f2l_preset *preset;
    f2l_preset_setting setting;
    const f2l_preset_model *model;
    double scale, rate;
    uint64_t full_steps, steps;
    size_t batch;
    char backend[16], device[128], version[32], commit[64], date[32];
    char note[256];
    size_t lengths, seeds;
    f2l_outcome_seed *seed; /* [seeds] */
} f2l_outcome;

void f2l_outcome_init(f2l_outcome *outcome);
void f2l_outcome_clear(f2l_outcome *outcome);

/* Copies the result of one seed behind the others, without scores when it diverged. F2L_EDOMAIN when the run goes on, when it has no
 * scores, or other lengths than the seeds before. */
f2l_status f2l_outcome_add(f2l_outcome *outcome, uint32_t seed, const f2l_train_result *result,
                           f2l_error *err);

/* Appends the row and a newline. */
f2l_status f2l_outcome_write(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err);

typedef struct f2l_outcomes {
    f2l_outcome *row;
    size_t rows, capacity;
} f2l_outcomes;

void f2l_outcomes_init(f2l_outcomes *list);
void f2l_outcomes_clear(f2l_outcomes *list);

/* Appends the rows of a text. F2L_EFORMAT (with the position where JSON has one): no JSON, no rows, a member that is missing, unknown or
 * of a wrong type or range, an unknown preset, setting or model. On failure the list is as it was. */
f2l_status f2l_outcomes_parse(f2l_outcomes *list, const char *text, size_t size, f2l_error *err);

/* Appends the rows of a file, or of all files named outcome-*.json of a folder, in the order of their names. F2L_EDOMAIN: a folder
 * without any. The text of an error names the file. */
f2l_status f2l_outcomes_read(f2l_outcomes *list, const char *path, f2l_error *err);

/* A seed with scores, for the lengths; NULL when all diverged. */
const f2l_outcome_seed *f2l_outcome_scored(const f2l_outcome *outcome);

/* The measure of the papers, over the seeds that have scores: at their length `at` the sequence accuracy where every answer counts, the
 * scaled accuracy where the last one does; at == lengths: its mean over the lengths from 40 to 256. F2L_EDOMAIN: there is none. */
f2l_status f2l_outcome_measure(f2l_train_spread *spread, const f2l_outcome *outcome, size_t at,
                               f2l_error *err);

#endif
