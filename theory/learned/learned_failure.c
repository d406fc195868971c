#include "theory/learned/learned_failure.h"
#include "numeric/base/mem.h"

enum { LENGTH = 256, MOST_WORDS = 1024 };

/* Returns the shortest wrong beginning of the word u v u v .., below `most`. */
static f2l_status read_word(size_t *shortest, uint32_t u, uint32_t v, const f2l_fsa *fsa,
                            bool begin, const float *parameters, f2l_seq_work_f32 *work,
                            f2l_error *err)
{
    uint32_t letter[LENGTH + 1], answer[LENGTH + 1];
    const size_t first = begin ? 1 : 0;
    size_t state = fsa->start;
    letter[0] = (uint32_t)fsa->letters.count;
    for (size_t i = 0; i < LENGTH; i++) letter[first + i] = i % 2 == 0 ? u : v;
    const f2l_seq_batch batch = {.sequences = 1, .length = LENGTH + first, .letter = letter};
    const f2l_status status = f2l_seq_answers_f32(answer, NULL, &batch, parameters, work, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < LENGTH && (*shortest == 0 || i + 1 < *shortest); i++) {
        state = fsa->next[state * fsa->letters.count + letter[first + i]];
        if (answer[first + i] == state) continue;
        *shortest = i + 1;
        break;
    }
    return F2L_OK;
}

f2l_status f2l_learned_failure_find(f2l_learned_failure *out, const f2l_seq *model,
                                    const float *parameters, const f2l_fsa *fsa, bool begin,
                                    const f2l_task *task, f2l_error *err)
{
    const size_t letters = fsa->letters.count, pairs = letters * letters;
    const size_t words = pairs < MOST_WORDS ? pairs : MOST_WORDS;
    const f2l_seq_plan plan = {1, LENGTH + 1, false};
    f2l_seq_work_f32 *work = NULL;
    *out = (f2l_learned_failure){LENGTH, 0};
    f2l_status status = f2l_seq_work_new_f32(&work, model, &plan, task, err);
    for (size_t a = 0; status == F2L_OK && a < letters; a++)
        status =
            read_word(&out->length, (uint32_t)a, (uint32_t)a, fsa, begin, parameters, work, err);
    for (size_t i = 0; status == F2L_OK && letters > 0 && i < words; i++) {
        const size_t pair = i * pairs / words;
        status = read_word(&out->length, (uint32_t)(pair / letters), (uint32_t)(pair % letters),
                           fsa, begin, parameters, work, err);
        if (status == F2L_OK) status = f2l_task_poll(task, "words", (double)i, (double)words, err);
    }
    f2l_seq_work_free_f32(work);
    return status;
}
