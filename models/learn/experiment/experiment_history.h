/* The course of a run, read from its log (log.jsonl of its folder), whether the run goes on, was
 * stopped or killed, or has ended. */
#ifndef F2L_EXPERIMENT_HISTORY_H
#define F2L_EXPERIMENT_HISTORY_H

#include "models/learn/data/train_score.h"
#include "models/learn/train/train.h"

/* A line of the log: means over the steps since the line before it. */
typedef struct f2l_history_point {
    uint64_t step; /* steps made */
    double loss, rate;
    double last_accuracy; /* fraction of the sequences that were right at their last answer */
    size_t length;        /* letters of the longest sequence of the last batch */
} f2l_history_point;

/* An evaluation. */
typedef struct f2l_history_look {
    uint64_t step;
    f2l_train_accuracies *score; /* [scores] */
    size_t scores;
    double distance; /* from the reference (f2l_trainee); NAN: there is none */
} f2l_history_look;

typedef struct f2l_history {
    f2l_train_end end; /* F2L_TRAIN_GOES_ON: the log has no end */
    uint64_t step, tokens;
    double loss;      /* running mean at the end, else the mean of the last line; NAN: none */
    double seconds;   /* spent up to the last line */
    char device[128]; /* "": the CPU */
    f2l_history_point *point; /* [points] */
    f2l_history_look *look;   /* [looks] */
    size_t points, looks, point_capacity, look_capacity;
} f2l_history;

void f2l_history_init(f2l_history *history);
void f2l_history_clear(f2l_history *history);

/* Appends one point, or one evaluation with a copy of the scores. */
f2l_status f2l_history_add_point(f2l_history *history, const f2l_history_point *point,
                                 f2l_error *err);
f2l_status f2l_history_add_look(f2l_history *history, uint64_t step,
                                const f2l_train_accuracies *score, size_t scores, f2l_error *err);

/* Reads the log of a folder of a run into *history (initialised empty; empty again after a
 * failure). A last line without its newline is left out, since a process may have been killed while
 * it wrote. F2L_EIO: no such file; F2L_EFORMAT, with the line: a line that no run writes. */
f2l_status f2l_history_read(f2l_history *history, const char *folder, f2l_error *err);

/* Reads the text of a log instead. */
f2l_status f2l_history_parse(f2l_history *history, const char *text, size_t size, f2l_error *err);

#endif
