/* Accuracy, by length, of a reader of letters (such as a network): 10^6 letters and more in memory
 * that does not depend on the length. */
#ifndef F2L_DATA_EVALUATE_H
#define F2L_DATA_EVALUATE_H

#include "models/learn/data/data_walk.h"
#include "models/learn/data/train_score.h"

/* The reader to measure: it reads several sequences side by side and answers after every letter. */
typedef struct f2l_data_reader {
    void *context;
    /* Forgets all letters read and prepares for this many sequences. */
    f2l_status (*begin)(void *context, size_t sequences, f2l_error *err);
    /* Reads the next `count` letters of each sequence: letter[sequences][count] ->
     * answer[sequences][count], numbers of labels; UINT32_MAX is never right. */
    f2l_status (*read)(void *context, uint32_t *answer, const uint32_t *letter, size_t sequences,
                       size_t count, f2l_error *err);
} f2l_data_reader;

/* The step whose test data all evaluations read, so that runs of one seed are tested on the same
 * words, whatever their number of steps; with separate sequences for each length also the steps
 * after it. */
enum { F2L_DATA_TEST_STEP = 0 };

typedef struct f2l_data_plan {
    size_t sequences;    /* number of sequences for every length; 1..2^32 - 1 */
    size_t side_by_side; /* at most this many are read at once; 0: 64 */
    size_t chunk;        /* letters of each sequence handed over at once; 0: 256 */
    uint64_t step;       /* step of the data */
    unsigned jobs; /* threads that make letters, beside the reader; with 0 and 1 the reader waits
                    * for its letters. The letters do not depend on it */
} f2l_data_plan;

/* The shortest beginning of a sequence after which an answer that counts was wrong. */
typedef struct f2l_data_wrong {
    size_t length;     /* in letters; 0: no answer was wrong */
    size_t whole;      /* letters of the sequence */
    uint64_t step;     /* of the data, not of words */
    uint32_t sequence; /* number of the sequence in the step */
    f2l_walk walk;     /* the kind of word */
} f2l_data_wrong;

/* Adds to score[scores], whose lengths are set (ascending, possible ones) and counts zero, and sets
 * their chance and constant. Where beginnings of sequences are sequences (f2l_data_has_prefixes),
 * they have the greatest length, and the other scores count their prefixes; otherwise every score
 * has separate sequences, of the steps plan->step, plan->step + 1, .. . Words of a list are read
 * once, at most plan->sequences of each length: where they may be cut, a length has all words that
 * are not shorter, cut to it; otherwise the words that are longer than the length before it, and
 * not longer than it. With data->others_to live words, where the data have them
 * (f2l_data_has_walk), and periodic words are tested after these, at most F2L_WALK_SEQUENCES of
 * each. *wrong (NULL: not wanted) is the first wrong answer. F2L_EDOMAIN: no scores or sequences,
 * or a length that is not possible or not ascending; otherwise errors of the reader and the task
 * are passed on. The task's progress counts the letters of all sequences. Memory: about 13 bytes
 * for every letter of side_by_side x chunk, twice that with jobs > 1, and 16 bytes for every score
 * and label. */
f2l_status f2l_data_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                             const f2l_data *data, const f2l_data_reader *reader,
                             const f2l_data_plan *plan, const f2l_task *task, f2l_error *err);

#endif
