/* An evaluation on words of every kind. */
#include "models/learn/data/data_evaluate.h"
#include "models/learn/data/impl.h"
#include "numeric/base/mem.h"

/* Returns the number of scores at which other words than random ones are tested. */
static size_t count_others(const f2l_train_score *score, size_t scores, const f2l_data *data)
{
    size_t count = 0;
    while (count < scores && score[count].length <= data->others_to) count++;
    return count;
}

/* Keeps the shorter one of two words with a wrong answer. */
static void take_wrong(f2l_data_wrong *wrong, const f2l_data_wrong *other, f2l_walk walk)
{
    if (wrong == NULL || other->length == 0) return;
    if (wrong->length > 0 && wrong->length <= other->length) return;
    *wrong = *other;
    wrong->walk = walk;
}

/* Sets the counts of one kind of words in the scores; `one` has room for them. */
static f2l_status evaluate_walk(f2l_train_score *score, f2l_train_score *one, size_t scores,
                                f2l_data_wrong *wrong, const f2l_data *data, f2l_walk walk,
                                const f2l_data_reader *reader, const f2l_data_plan *plan,
                                const f2l_task *task, f2l_error *err)
{
    const f2l_data words = f2l_data_of_walk(data, walk);
    f2l_data_plan fewer = *plan;
    f2l_data_wrong found = {0};
    if (fewer.sequences > F2L_WALK_SEQUENCES) fewer.sequences = F2L_WALK_SEQUENCES;
    for (size_t i = 0; i < scores; i++) one[i] = (f2l_train_score){.length = score[i].length};
    const f2l_status status =
        f2l_data_evaluate_own(one, scores, &found, &words, reader, &fewer, task, err);
    for (size_t i = 0; i < scores; i++) {
        f2l_train_words *to = walk == F2L_WALK_LIVE ? &score[i].live : &score[i].periodic;
        *to = (f2l_train_words){one[i].sequences, one[i].right_ones};
    }
    take_wrong(wrong, &found, walk);
    return status;
}

f2l_status f2l_data_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                             const f2l_data *data, const f2l_data_reader *reader,
                             const f2l_data_plan *plan, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_data_evaluate_own(score, scores, wrong, data, reader, plan, task, err);
    const size_t others = status == F2L_OK ? count_others(score, scores, data) : 0;
    if (others == 0) return status;
    f2l_train_score *one = f2l_calloc(others, sizeof *one);
    if (one == NULL) return f2l_fail_memory(err);
    for (f2l_walk walk = F2L_WALK_LIVE; walk < F2L_WALKS && status == F2L_OK; walk++)
        if (f2l_data_has_walk(data, walk))
            status = evaluate_walk(score, one, others, wrong, data, walk, reader, plan, task, err);
    f2l_free(one);
    return status;
}
