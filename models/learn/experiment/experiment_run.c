/* Runs of an experiment, with and without folders. */
#include "automata/fsa/nfa.h"
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <string.h>

/* Appends the canonical text of the data's automaton. The text must read back as the same
 * automaton: states that cannot be reached from the start would be lost, and with them the numbers
 * of the answers. */
static f2l_status write_automaton(f2l_buf *text, const f2l_fsa *fsa, f2l_error *err)
{
    size_t dropped = 0;
    f2l_fsa copy;
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_total_options options = {.max_states = fsa->states.count};
    f2l_fsa_init(&copy);
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_fsa_write(text, fsa, err);
    if (status == F2L_OK) status = f2l_buf_status(text, err);
    if (status == F2L_OK)
        status = f2l_fsa_read(&nfa, text->data, text->size, fsa->states.count, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(&copy, &report, &nfa, &options, NULL, err);
    if (status == F2L_OK) dropped = fsa->states.count - copy.states.count;
    f2l_fsa_clear(&copy);
    f2l_nfa_clear(&nfa);
    if (dropped > 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu states of the automaton are never reached: drop "
                        "them first",
                        dropped);
    return status;
}

f2l_status f2l_experiment_create(f2l_train_dir *dir, const char *folder,
                                 const f2l_experiment_plan *plan,
                                 const f2l_train_provenance *provenance,
                                 const f2l_train_dir_file *more, f2l_error *err)
{
    const f2l_experiment *e = &plan->experiment;
    f2l_train_provenance who = provenance ? *provenance : (f2l_train_provenance){0};
    f2l_train_dir_file file[4];
    size_t files = 0;
    char hash[65];
    f2l_buf config, automaton, words;
    f2l_buf_init(&config);
    f2l_buf_init(&automaton);
    f2l_buf_init(&words);
    f2l_status status = f2l_experiment_plan_write(&config, plan, err);
    if (status == F2L_OK && e->fsa) status = write_automaton(&automaton, e->fsa, err);
    if (status == F2L_OK && e->fsa) {
        file[files++] = (f2l_train_dir_file){"automaton.fsa", automaton.data, automaton.size};
        f2l_sha256_hex(automaton.data, automaton.size, hash);
        if (who.grammar_sha256 == NULL) who.grammar_sha256 = hash;
    }
    if (status == F2L_OK && e->data.words && e->data.words->source) {
        status = f2l_experiment_write_words(&words, &e->data, err);
        file[files++] = (f2l_train_dir_file){"words.json", words.data, words.size};
    }
    if (e->first) {
        const f2l_buf *bytes = &e->first->bytes;
        file[files++] = (f2l_train_dir_file){F2L_EXPERIMENT_FIRST, bytes->data, bytes->size};
        who.weights_sha256 = e->first->sha256;
    }
    if (more) file[files++] = *more;
    if (status == F2L_OK)
        status = f2l_train_dir_create_with(dir, folder, config.data, &who, file, files, err);
    f2l_buf_clear(&config);
    f2l_buf_clear(&automaton);
    f2l_buf_clear(&words);
    return status;
}

f2l_status f2l_experiment_take_up(f2l_train_dir *dir, const char *folder,
                                  const f2l_experiment_plan *plan, f2l_error *err)
{
    f2l_buf here, there;
    f2l_buf_init(&here);
    f2l_buf_init(&there);
    f2l_status status = f2l_experiment_plan_write(&here, plan, err);
    if (status == F2L_OK)
        status = f2l_experiment_read_file(&there, folder, "config.json",
                                          F2L_EXPERIMENT_CONFIG_LIMIT, err);
    if (status == F2L_OK) status = f2l_experiment_compare(&here, &there, folder, err);
    if (status == F2L_OK) status = f2l_train_dir_open(dir, folder, here.data, err);
    f2l_buf_clear(&here);
    f2l_buf_clear(&there);
    return status;
}

static f2l_status open_folder(f2l_train_dir *dir, const char *folder, f2l_experiment_begin begin,
                              const f2l_experiment_plan *plan,
                              const f2l_train_provenance *provenance, f2l_error *err)
{
    if (begin == F2L_BEGIN_NEW)
        return f2l_experiment_create(dir, folder, plan, provenance, NULL, err);
    const f2l_status status = f2l_experiment_check_single(folder, err);
    return status == F2L_OK ? f2l_experiment_take_up(dir, folder, plan, err) : status;
}

/* Checks the need as one number, before anything is allocated or written. */
static f2l_status check_plan_memory(const f2l_experiment_plan *plan, f2l_backend backend,
                                    const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    const f2l_status status = f2l_experiment_plan_bytes(&bytes, plan, backend, err);
    return status == F2L_OK ? f2l_task_memory(task, "training", bytes, err) : status;
}

/* Runs a plan. The trainee is made first: no folder is begun for a run that does not get its
 * memory. */
static f2l_status run_plan(f2l_train_result *result, const f2l_experiment_plan *plan,
                           f2l_backend backend, const char *folder, f2l_experiment_begin begin,
                           const f2l_train_provenance *provenance, const f2l_train_watch *watch,
                           const f2l_task *task, f2l_error *err)
{
    f2l_train_dir dir;
    f2l_backend_trainee trainee;
    f2l_train_dir_init(&dir);
    f2l_status status = f2l_backend_build(&trainee, backend, &plan->model, &plan->train,
                                          &plan->test, &plan->options, task, err);
    if (status == F2L_OK && folder)
        status = open_folder(&dir, folder, begin, plan, provenance, err);
    if (status == F2L_OK)
        status = f2l_train_run(result, trainee.trainee, &plan->experiment.train,
                               folder ? &dir : NULL, watch, task, err);
    f2l_train_dir_clear(&dir);
    f2l_backend_clear(&trainee);
    return status;
}

f2l_status f2l_experiment_run(f2l_train_result *result, const f2l_experiment *experiment,
                              f2l_backend backend, const char *folder, f2l_experiment_begin begin,
                              const f2l_train_provenance *provenance, const f2l_train_watch *watch,
                              const f2l_task *task, f2l_error *err)
{
    f2l_experiment_plan plan;
    f2l_train_provenance who = provenance ? *provenance : (f2l_train_provenance){0};
    who.backend = f2l_backend_name(backend);
    f2l_experiment_plan_init(&plan);
    f2l_status status = f2l_backend_check(backend, err);
    if (status == F2L_OK) status = f2l_experiment_plan_build(&plan, experiment, err);
    if (status == F2L_OK) status = check_plan_memory(&plan, backend, task, err);
    if (status == F2L_OK)
        status = run_plan(result, &plan, backend, folder, begin, &who, watch, task, err);
    f2l_experiment_plan_clear(&plan);
    return status;
}
