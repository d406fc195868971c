/* Checkpoints of a run: the words in them. */
#include "models/learn/train/impl.h"
#include <string.h>

enum {
    STEP,
    TOKENS,
    EVALUATED,
    END,
    LOG,
    FIRST_LOSS,
    LOSS,
    SECONDS,
    WINDOW_LOSS,
    WINDOW,
    WORDS = WINDOW + 7
};

static uint64_t bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static double double_of_word(uint64_t word)
{
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static f2l_train_checkpoint describe_checkpoint(const f2l_train_job *job, uint64_t word[WORDS])
{
    const f2l_trainee *t = job->trainee;
    return (f2l_train_checkpoint){.identity = job->identity,
                                  .number = t->number,
                                  .parameters = t->parameters,
                                  .states = t->states,
                                  .words = WORDS,
                                  .parameter = t->parameter,
                                  .mean = job->mean,
                                  .square = job->square,
                                  .state = t->state,
                                  .word = word};
}

static void fill_words(uint64_t word[WORDS], const f2l_train_job *job)
{
    const f2l_train_window *w = &job->window;
    const uint64_t window[7] = {w->batches,   w->tokens,     w->supervised, w->right,
                                w->sequences, w->right_ones, w->right_last};
    word[STEP] = job->step;
    word[TOKENS] = job->tokens;
    word[EVALUATED] = job->evaluated;
    word[END] = job->end;
    word[LOG] = job->dir->log_bytes;
    word[FIRST_LOSS] = bits(job->first_loss);
    word[LOSS] = bits(job->loss);
    word[SECONDS] = bits(f2l_train_seconds(job));
    word[WINDOW_LOSS] = bits(w->loss);
    memcpy(word + WINDOW, window, sizeof window);
}

static void take_words(f2l_train_job *job, const uint64_t word[WORDS])
{
    job->step = word[STEP];
    job->tokens = word[TOKENS];
    job->evaluated = word[EVALUATED];
    job->end = (f2l_train_end)word[END];
    job->first_loss = double_of_word(word[FIRST_LOSS]);
    job->loss = double_of_word(word[LOSS]);
    job->seconds_before = double_of_word(word[SECONDS]);
    job->window = (f2l_train_window){.loss = double_of_word(word[WINDOW_LOSS]),
                                     .batches = word[WINDOW],
                                     .tokens = word[WINDOW + 1],
                                     .supervised = word[WINDOW + 2],
                                     .right = word[WINDOW + 3],
                                     .sequences = word[WINDOW + 4],
                                     .right_ones = word[WINDOW + 5],
                                     .right_last = word[WINDOW + 6]};
}

f2l_status f2l_train_fetch(f2l_train_job *job, f2l_error *err)
{
    const f2l_trainee *t = job->trainee;
    return job->held ? t->engine->get(t->self, t->parameter, job->mean, job->square, err) : F2L_OK;
}

f2l_status f2l_train_save(f2l_train_job *job, f2l_error *err)
{
    uint64_t word[WORDS];
    f2l_status status = f2l_train_dir_sync(job->dir, err);
    if (status == F2L_OK) status = f2l_train_fetch(job, err);
    if (status != F2L_OK) return status;
    fill_words(word, job);
    const f2l_train_checkpoint checkpoint = describe_checkpoint(job, word);
    if (!f2l_train_checkpoint_finite(&checkpoint)) {
        job->end = F2L_TRAIN_DIVERGED;
        return f2l_fail(err, F2L_UNKNOWN, "diverged: a parameter is not finite after step %llu",
                        (unsigned long long)job->step);
    }
    /* A signal may interrupt the system calls, and a signal asks for exactly this checkpoint. */
    for (int tries = 0; tries < 3; tries++) {
        status = f2l_train_checkpoint_write(job->dir->checkpoint, &checkpoint, err);
        if (status != F2L_UNKNOWN) break;
    }
    if (status != F2L_OK) return status;
    job->saved_at = f2l_now();
    job->saved_step = job->step;
    return F2L_OK;
}

f2l_status f2l_train_load(bool *found, f2l_train_job *job, f2l_error *err)
{
    uint64_t word[WORDS];
    const f2l_train_checkpoint checkpoint = describe_checkpoint(job, word);
    f2l_status status = f2l_train_checkpoint_read(found, job->dir->checkpoint, &checkpoint, err);
    if (status != F2L_OK || !*found) return status;
    take_words(job, word);
    if (job->step > job->options->steps || word[END] >= F2L_TRAIN_DIVERGED)
        return f2l_fail(err, F2L_EFORMAT, "%s holds a step or an end that this run cannot have",
                        job->dir->checkpoint);
    return f2l_train_dir_cut(job->dir, word[LOG], err);
}
