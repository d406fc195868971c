/* Small sequence models for tests: configurations, random batches, losses. */
#ifndef TESTS_SEQ_SUPPORT_H
#define TESTS_SEQ_SUPPORT_H

#include "models/learn/seq/seq.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/train/seq_f64.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Returns a configuration of two layers with small odd sizes. */
f2l_seq_config small_config(void);

/* Sets c to sample `number`; the samples have every mixer and option at least once on and once off.
 * Returns false after the last. */
bool config_sample(f2l_seq_config *c, size_t number);

/* A model with initial parameters, moved a little so that no tensor is constant. */
typedef struct seq_case {
    f2l_seq model;
    double *parameter;
} seq_case;

seq_case seq_case_of(const f2l_seq_config *config, uint64_t seed);

void seq_case_free(seq_case *s);

#define BATCH_CELLS 64

/* Random letters and labels; about two of three positions are supervised. */
typedef struct seq_batch {
    uint32_t letter[BATCH_CELLS], label[BATCH_CELLS];
    unsigned char mask[BATCH_CELLS];
    f2l_seq_batch batch;
} seq_batch;

void seq_batch_fill(seq_batch *b, const f2l_seq *model, size_t sequences, size_t length,
                    uint64_t seed);

f2l_seq_work_f64 *work_of(const f2l_seq *model, size_t sequences, size_t length, bool training);

/* Returns the sum of -log softmax over the supervised positions, from the logits, in extended
 * precision. */
double seq_loss(const f2l_seq *model, const double *parameter, const f2l_seq_batch *batch,
                f2l_seq_work_f64 *work);

/* Returns the gradient of weight * loss over the batch, which the caller frees. */
double *seq_gradient_of(f2l_seq_score *score, const seq_case *s, const f2l_seq_batch *batch,
                        double weight, f2l_seq_work_f64 *work);

/* Checks the gradient of every parameter of a model, in double, against differences of fourth
 * order; `number` names the configuration in messages. */
void seq_check_gradient(const f2l_seq_config *config, size_t number, uint64_t seed);

/* Checks that the logits of a word that is read in pieces, with the state carried on, are the
 * logits of the word that is read at once; the word has 3 pieces of `letters` letters. */
void seq_check_pieces(const seq_case *s, size_t letters);

#endif
