/* Runs on the words of one language (--data mlregtest:FILE): the network that is constructed for
 * it, and the accuracy of a run that has ended on the four test sets. */
#include "cli/reproduce/reproduce_outcome.h"
#include "models/doors/checkpoint/checkpoint.h"
#include "models/learn/words/word_language.h"
#include "theory/compile/compile.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The sets of MLRegTest on which a run is tested. */
static const f2l_word_set tested[] = {F2L_SET_SHORT_RANDOM, F2L_SET_SHORT_ADVERSARIAL,
                                      F2L_SET_LONG_RANDOM, F2L_SET_LONG_ADVERSARIAL};
_Static_assert(sizeof tested / sizeof *tested == F2L_REPRODUCE_SETS, "one list for each set");

/* Compiles the language for its accept label, and says what came of it. */
static f2l_status say_compiled(char *out, size_t room, const f2l_fsa *fsa, const f2l_task *task,
                               f2l_error *err)
{
    f2l_compile_options options;
    f2l_compile_result compiled;
    f2l_compile_figures size;
    memset(&options, 0, sizeof options);
    options.label = F2L_LABEL_ACCEPT;
    options.renew = true;
    options.effort = F2L_STEPS * F2L_USUAL_EFFORT;
    f2l_compile_result_init(&compiled);
    const f2l_status status = f2l_compile(&compiled, fsa, &options, task, err);
    if (status == F2L_OK && compiled.exact.verdict == F2L_OK) {
        f2l_compile_measure(&size, &compiled);
        snprintf(out, room,
                 "%s, %zu layer%s, n_h = %zu, VERIFIED for all words: right on all words of all "
                 "sets",
                 compiled.theorem, size.layers, size.layers == 1 ? "" : "s", size.householders);
    }
    f2l_compile_result_clear(&compiled);
    return status == F2L_OK || status == F2L_UNKNOWN || status == F2L_EDOMAIN ? F2L_OK : status;
}

f2l_status f2l_reproduce_language_open(f2l_reproduce_job *j, f2l_error *err)
{
    f2l_word_language language;
    f2l_fsa fsa;
    if (!f2l_word_language_parse(&language, j->request.words)) return F2L_OK;
    f2l_fsa_init(&fsa);
    f2l_status status = f2l_word_language_open(&fsa, &language, &j->cli->task, err);
    if (status == F2L_OK)
        status = say_compiled(j->constructed, sizeof j->constructed, &fsa, &j->cli->task, err);
    f2l_fsa_clear(&fsa);
    for (size_t i = 0; i < F2L_REPRODUCE_SETS && status == F2L_OK; i++) {
        f2l_buf source, file;
        const f2l_word_file_options options = {
            .letters = &j->words.letters, .labels = &j->words.labels, .task = &j->cli->task};
        f2l_buf_init(&source);
        f2l_buf_init(&file);
        f2l_word_language_put(&source, &language, tested[i]);
        status = f2l_buf_status(&source, err);
        if (status == F2L_OK)
            status = f2l_word_file_read(&j->set[i], &file, source.data, &options, err);
        f2l_buf_clear(&source);
        f2l_buf_clear(&file);
    }
    return status;
}

/* The evaluation of one set in a thread of its own. */
typedef struct set_test {
    const f2l_checkpoint *trained;
    const f2l_experiment *experiment;
    const f2l_word_list *words;
    f2l_task task; /* without progress, which has one thread */
    f2l_outcome_set *out;
    f2l_status status;
    f2l_error why;
} set_test;

/* Evaluates the weights on one list of words, all of them. */
static void *evaluate_set(void *context)
{
    set_test *t = context;
    f2l_experiment e = *t->experiment;
    f2l_data data;
    f2l_train_score score = {.length = t->words->longest};
    e.data.test = t->words;
    f2l_data_init(&data);
    t->status = f2l_experiment_data(&data, &e, F2L_DATA_TEST, &t->why);
    if (t->status == F2L_OK)
        t->status = f2l_experiment_evaluate(&score, 1, NULL, t->words->count, F2L_BACKEND_CPU,
                                            &t->trained->model, t->trained->parameters, &data,
                                            &t->task, &t->why);
    t->out->words = t->words->count;
    t->out->accuracy = f2l_train_sequence_accuracy(&score);
    f2l_data_clear(&data);
    return NULL;
}

/* Evaluates all sets at once, each in a thread, or here where none can be made. */
static f2l_status evaluate_sets(set_test test[F2L_REPRODUCE_SETS], f2l_error *err)
{
    pthread_t thread[F2L_REPRODUCE_SETS];
    bool made[F2L_REPRODUCE_SETS];
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < F2L_REPRODUCE_SETS; i++) {
        made[i] = pthread_create(&thread[i], NULL, evaluate_set, &test[i]) == 0;
        if (!made[i]) evaluate_set(&test[i]);
    }
    for (size_t i = 0; i < F2L_REPRODUCE_SETS; i++) {
        if (made[i]) pthread_join(thread[i], NULL);
        if (status == F2L_OK && test[i].status != F2L_OK) {
            status = test[i].status;
            if (err != NULL) *err = test[i].why;
        }
    }
    return status;
}

f2l_status f2l_reproduce_test(f2l_outcome_seed *out, const f2l_reproduce_job *j,
                              const f2l_experiment *experiment, const char *folder, f2l_error *err)
{
    f2l_checkpoint trained;
    if (j->set[0].count == 0) return F2L_OK;
    f2l_checkpoint_init(&trained);
    f2l_status status = f2l_checkpoint_read(&trained, folder, err);
    set_test test[F2L_REPRODUCE_SETS];
    for (size_t i = 0; i < F2L_REPRODUCE_SETS; i++) {
        snprintf(out->set[i].name, sizeof out->set[i].name, "%s", f2l_word_set_name(tested[i]));
        test[i] = (set_test){.trained = &trained,
                             .experiment = experiment,
                             .words = &j->set[i],
                             .task = j->cli->task,
                             .out = &out->set[i]};
        test[i].task.progress = NULL;
    }
    if (status == F2L_OK) status = evaluate_sets(test, err);
    if (status == F2L_OK) out->sets = F2L_REPRODUCE_SETS;
    f2l_checkpoint_clear(&trained);
    return status;
}
