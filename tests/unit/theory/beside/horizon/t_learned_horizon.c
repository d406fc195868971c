#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/failing.h"
#include "theory/beside/horizon/learned_horizon.h"
#include <criterion/criterion.h>
#include <string.h>

#define RUN "tests/data/learned-s3"

typedef struct fixture {
    trained_run run;
    size_t prefix;
    f2l_learned_horizon horizon;
} fixture;

static void open_run(fixture *f)
{
    f->prefix = 3;
    trained_run_open(&f->run, RUN);
    f2l_learned_horizon_init(&f->horizon);
}

static f2l_status build_in(fixture *f, size_t scope, size_t most)
{
    f2l_learned_horizon_clear(&f->horizon);
    const f2l_learned_ask ask = {
        .scope = f2l_learned_scope_at(scope), .most = most, .prefix = f->prefix};
    return f2l_learned_horizon_build(&f->horizon, &f->run.model, f->run.parameters,
                                     &f->run.file.fsa, false, &ask, NULL, &f->run.err);
}

static f2l_status build(fixture *f, size_t most)
{
    return build_in(f, 0, most);
}

static void done(fixture *f)
{
    f2l_learned_horizon_clear(&f->horizon);
    trained_run_clear(&f->run);
}

/* Returns the number of words of `length` letters that are answered wrongly somewhere. */
static size_t wrong_words(fixture *f, size_t length)
{
    enum { MOST = 8 };
    uint32_t letter[MOST], answer[MOST];
    const size_t letters = f->run.file.fsa.letters.count;
    const f2l_seq_plan plan = {1, MOST, false};
    f2l_seq_work_f32 *work = NULL;
    size_t words = 1, wrong = 0;
    cr_assert(length <= MOST);
    cr_assert(f2l_seq_work_new_f32(&work, &f->run.model, &plan, NULL, &f->run.err) == F2L_OK);
    for (size_t i = 0; i < length; i++) words *= letters;
    for (size_t u = 0; u < words; u++) {
        size_t rest = u, state = f->run.file.fsa.start;
        bool right = true;
        for (size_t i = 0; i < length; i++, rest /= letters) letter[i] = (uint32_t)(rest % letters);
        const f2l_seq_batch batch = {.sequences = 1, .length = length, .letter = letter};
        cr_assert(f2l_seq_answers_f32(answer, NULL, &batch, f->run.stored, work, &f->run.err) ==
                  F2L_OK);
        for (size_t i = 0; i < length; i++) {
            state = f->run.file.fsa.next[state * letters + letter[i]];
            right = right && answer[i] == state;
        }
        wrong += right ? 0 : 1;
    }
    f2l_seq_work_free_f32(work);
    return wrong;
}

Test(learned_horizon, all_words_are_right)
{
    fixture f;
    open_run(&f);
    cr_assert(build(&f, 5) == F2L_OK, "%s", f.run.err.text);
    cr_assert(f.horizon.horizon == 5 && !f.horizon.limited);
    cr_assert(wrong_words(&f, 5) == 0);
    done(&f);
}

/* Without prefixes two letters are proved, and the third is limited by the balls. */
Test(learned_horizon, is_limited)
{
    fixture f;
    open_run(&f);
    cr_assert(build(&f, 1) == F2L_OK);
    cr_assert(f.horizon.horizon == 1 && f.horizon.prefix == 0);
    cr_assert(build(&f, 100) == F2L_OK);
    cr_assert(f.horizon.horizon >= 5 && f.horizon.horizon < 60);
    cr_assert(f.horizon.limited && !(f.horizon.difference > f.horizon.spread));
    f2l_data data;
    f2l_failing failing;
    f2l_data_init(&data);
    cr_assert_eq(f2l_experiment_data(&data, &f.run.file.experiment, F2L_DATA_TEST, &f.run.err),
                 F2L_OK);
    cr_assert_eq(f2l_failing_find(&failing, &f.run.model, f.run.stored, &data, NULL,
                                  F2L_FAILING_USUAL, NULL, &f.run.err),
                 F2L_OK);
    cr_assert(failing.letters > f.horizon.horizon);
    f2l_failing_clear(&failing);
    f2l_data_clear(&data);
    done(&f);
}

/* Norms are larger in a format. */
Test(learned_horizon, formats)
{
    fixture f;
    double norm[3];
    open_run(&f);
    for (size_t scope = 0; scope < 3; scope++) {
        cr_assert(build_in(&f, scope, 2) == F2L_OK && f.horizon.horizon == 2);
        cr_assert_str_eq(f.horizon.scope->name, f2l_learned_scope_at(scope)->name);
        norm[scope] = f.horizon.norm[0];
    }
    cr_assert(f2l_learned_scope_at(3) == NULL);
    cr_assert(norm[1] > norm[0] && norm[1] < norm[0] + 0.01, "%g %g", norm[0], norm[1]);
    cr_assert(norm[2] == norm[0]); /* in whole units */
    const f2l_seq_tensor *head = &f.run.model.tensor[f.run.model.head];
    for (size_t i = 0; i < head->count; i++) f.run.parameters[head->offset + i] *= 4096;
    cr_assert(build_in(&f, 0, 2) == F2L_OK && f.horizon.horizon == 2);
    cr_assert(build_in(&f, 1, 2) == F2L_EDOMAIN && strstr(f.run.err.text, "may overflow in fp32"));
    done(&f);
}

/* A letter that acts as another one is answered wrongly at once. */
Test(learned_horizon, broken_letter)
{
    fixture f;
    open_run(&f);
    const size_t width = f.run.model.config.width;
    double *embedding = f.run.parameters + f.run.model.tensor[f.run.model.embedding].offset;
    memcpy(embedding + 2 * width, embedding + width, width * sizeof *embedding);
    cr_assert(build(&f, 100) == F2L_OK);
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_learned_files files = {"", "", ""};
    cr_assert(f.horizon.horizon == 0 && f.horizon.limited && f.horizon.letter_at == 2);
    cr_assert(f2l_learned_horizon_write(&text, &f.horizon, &files, &f.run.err) == F2L_EDOMAIN);
    f2l_buf_clear(&text);
    done(&f);
}

Test(learned_horizon, other_networks)
{
    fixture f;
    open_run(&f);
    f2l_seq_config *c = &f.run.model.config;
    c->convolution = 4;
    cr_assert(build(&f, 5) == F2L_EDOMAIN && strstr(f.run.err.text, "short convolution"));
    c->convolution = 0;
    c->layers = 2;
    cr_assert(build(&f, 5) == F2L_EDOMAIN && strstr(f.run.err.text, "more than one layer"));
    c->layers = 1;
    c->forget_gate = true;
    cr_assert(build(&f, 5) == F2L_EDOMAIN && strstr(f.run.err.text, "forget gate"));
    c->forget_gate = false;
    c->labels = 7;
    cr_assert(build(&f, 5) == F2L_EDOMAIN && strstr(f.run.err.text, "labels"));
    c->labels = 6;
    c->epsilon = 1e-10;
    cr_assert(build(&f, 5) == F2L_EDOMAIN && strstr(f.run.err.text, "epsilon"));
    c->epsilon = 1e-6;
    cr_assert(build(&f, 5) == F2L_OK);
    done(&f);
}

/* Longer prefixes prove more words, fewer letters longer ones, and the length without a prefix is
 * the one that is asked for by no time. */
Test(learned_horizon, prefixes_and_letters)
{
    fixture f;
    size_t length[4];
    open_run(&f);
    for (f.prefix = 0; f.prefix < 4; f.prefix++) {
        cr_assert_eq(build(&f, 100), F2L_OK);
        cr_assert_eq(f.horizon.prefix, f.prefix);
        length[f.prefix] = f.horizon.horizon;
    }
    cr_assert(length[0] == 2 && length[1] == 3 && length[2] == 4 && length[3] == 5);
    cr_assert_float_eq(f2l_learned_words(&f.horizon), 9330, 0.5);
    f.prefix = F2L_LEARNED_BY_TIME;
    cr_assert(build(&f, 100) == F2L_OK && f.horizon.horizon == 2);
    const uint32_t letters[] = {2, 3};
    f2l_learned_ask ask = {f2l_learned_scope_at(0), 100, letters, 2, 6, 0};
    f2l_learned_horizon_clear(&f.horizon);
    cr_assert_eq(f2l_learned_horizon_build(&f.horizon, &f.run.model, f.run.parameters,
                                           &f.run.file.fsa, false, &ask, NULL, &f.run.err),
                 F2L_OK);
    cr_assert(f.horizon.horizon >= 8 && f.horizon.group == 2 && f.horizon.letter[1] == 3);
    const uint32_t bad[] = {3, 2};
    ask.letters = bad;
    f2l_learned_horizon_clear(&f.horizon);
    cr_assert_eq(f2l_learned_horizon_build(&f.horizon, &f.run.model, f.run.parameters,
                                           &f.run.file.fsa, false, &ask, NULL, &f.run.err),
                 F2L_EDOMAIN);
    done(&f);
}

/* A wrong word of three letters, which balls alone do not tell from a right one, is met by the
 * prefix and named as the limit. */
Test(learned_horizon, wrong_words)
{
    fixture f;
    open_run(&f);
    f.run.parameters[f.run.model.tensor[f.run.model.head].offset] += 40;
    cr_assert_eq(build(&f, 100), F2L_OK);
    cr_assert(f.horizon.limited && f.horizon.wrong > 0 && f.horizon.wrong <= 5);
    cr_assert_eq(f.horizon.word_length, f.horizon.wrong);
    for (size_t i = 0; i < f.horizon.wrong; i++) cr_assert(f.horizon.word[i] < 6);
    cr_assert(wrong_words(&f, f.horizon.wrong) == 0); /* in the unchanged weights */
    done(&f);
}
