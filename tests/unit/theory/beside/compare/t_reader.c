#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/view.h"

/* States that are read side by side end with the answers of the whole words, which the model reads
 * at once. */
Test(reader, states_side_by_side_are_the_words)
{
    learned_case c;
    learned_s3(&c);
    learned_read(&c);
    const f2l_learned_sample *s = &c.sample;
    const f2l_seq_plan plan = {.sequences = s->words, .length = s->length};
    const f2l_seq_batch batch = {s->words, s->length, s->letter, NULL, NULL};
    f2l_seq_work_f32 *work = NULL;
    uint32_t *answer = f2l_calloc(s->states, sizeof *answer);
    float *side = f2l_calloc(s->words, s->numbers * sizeof *side);
    uint32_t letter[64], got[64];
    cr_assert(s->words <= 64 && answer && side);
    cr_assert(f2l_seq_work_new_f32(&work, &c.trained.model, &plan, NULL, &c.err) == F2L_OK);
    cr_assert(f2l_seq_answers_f32(answer, NULL, &batch, c.trained.parameters, work, &c.err) ==
              F2L_OK);
    for (size_t w = 0; w < s->words; w++)
        memcpy(side + w * s->numbers, s->start, s->numbers * sizeof *side);
    for (size_t t = 0; t < s->length; t++) {
        for (size_t w = 0; w < s->words; w++) letter[w] = s->letter[w * s->length + t];
        cr_assert(f2l_learned_step(got, NULL, side, &c.reader, letter, s->words, &c.err) == F2L_OK);
        for (size_t w = 0; w < s->words; w++) {
            cr_assert_eq(got[w], answer[w * s->length + t]);
            cr_assert_eq(s->answer[w * s->length + t], answer[w * s->length + t]);
        }
    }
    f2l_seq_work_free_f32(work);
    f2l_free(answer);
    f2l_free(side);
    learned_clear(&c);
}

/* Begin letter and padding letters are read, and the parts of a state are all of its numbers. */
Test(reader, begin_and_padding_letters)
{
    learned_case c;
    uint32_t word[] = {3, 1, 4}, answer = 0, all[7];
    learned_two_layers(&c);
    learned_read(&c);
    cr_assert(f2l_learned_run(&answer, &c.reader, word, 3, &c.err) == F2L_OK);
    const uint32_t letters[7] = {7, 3, 6, 1, 6, 4, 6};
    const f2l_seq_batch batch = {1, 7, letters, NULL, NULL};
    const f2l_seq_plan plan = {1, 7, false};
    f2l_seq_work_f32 *work = NULL;
    cr_assert(f2l_seq_work_new_f32(&work, &c.trained.model, &plan, NULL, &c.err) == F2L_OK);
    cr_assert(f2l_seq_answers_f32(all, NULL, &batch, c.trained.parameters, work, &c.err) == F2L_OK);
    cr_assert_eq(answer, all[6]);
    size_t numbers = 0;
    for (size_t p = 0; p < c.reader.parts; p++) {
        cr_assert_eq(c.reader.part[p].first, numbers);
        numbers += c.reader.part[p].count;
    }
    cr_assert(numbers == c.reader.numbers && c.reader.parts == 6);
    f2l_seq_work_free_f32(work);
    learned_clear(&c);
}

Test(reader, what_it_refuses)
{
    learned_case c;
    learned_s3(&c);
    f2l_data other = c.data;
    other.options.kind = F2L_DATA_ARITHMETIC;
    cr_assert_not_null(f2l_learned_obstacle(&c.trained.model.config, &other));
    other = c.data;
    other.labels.count = 5;
    f2l_learned_reader reader;
    cr_assert_eq(f2l_learned_reader_init(&reader, &c.trained.model, c.trained.parameters, &other,
                                         NULL, &c.err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(c.err.text, "5 labels"));
    f2l_learned_reader_clear(&reader);
    learned_clear(&c);
}
