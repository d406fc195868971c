/* The work behind `reproduce`: model after model in a folder. */
#ifndef F2L_REPRODUCE_JOB_H
#define F2L_REPRODUCE_JOB_H

#include "f2l_outcome.h"
#include "f2l_reproduce_request.h"
#include "f2l_train_run.h"

typedef struct f2l_reproduce_job {
    f2l_cli *cli;
    f2l_reproduce_request request;
    f2l_train_identity identity;
    double checkpoint_seconds; /* below 0: not given */
    const char *folder;
    bool resume; /* the folder is there, with the request */
} f2l_reproduce_job;

/* Trains what has no outcome yet, writes outcomes into the folder and appends all of them to the list. Returns 0, or the exit status
 * after the message. */
int f2l_reproduce_job_run(f2l_reproduce_job *job, f2l_outcomes *list);

/* Prints what would be trained and what it takes. */
int f2l_reproduce_job_plan(f2l_reproduce_job *job);

#endif
