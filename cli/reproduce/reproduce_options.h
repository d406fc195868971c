/* The options of `reproduce`, and the request that they make. */
#ifndef F2L_REPRODUCE_OPTIONS_H
#define F2L_REPRODUCE_OPTIONS_H

#include "cli/reproduce/reproduce_job.h"

typedef struct f2l_reproduce_options {
    bool table, dry_run, plan, no_report;
    bool one_of_many; /* one language of a folder: the table is printed once, at the end */
    size_t setting, backend;
    const char *model, *rate, *out, *resume, *recipe, *words, *test;
    double held_out;                  /* below 0: not given */
    double scale, checkpoint_seconds; /* checkpoint_seconds -1: not given */
    uint64_t seed, seeds, gpus;       /* gpus 0: not given */
    uint64_t search;
} f2l_reproduce_options;

/* Makes the request that the operands and options ask for, but for its words. Returns 0, or the
 * exit status after the message. */
int f2l_reproduce_request_make(f2l_cli *cli, f2l_reproduce_request *request,
                               const f2l_reproduce_options *options);

/* Opens the words of the job, and for new work puts them into its request; for --resume words that
 * --data and --test name must have the same hashes. Returns 0, or the exit status after the
 * message. */
int f2l_reproduce_words_open(f2l_reproduce_job *job, const f2l_reproduce_options *options);

#endif
