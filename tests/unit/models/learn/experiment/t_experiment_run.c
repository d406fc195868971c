#include "models/learn/experiment/experiment_history.h"
#include "models/learn/seq/seq_file.h"
#include "tests/support/train/experiment_support.h"
#include <sys/resource.h>

/* Sets the flag when the run has made this many steps (watch) or is in its nth evaluation
 * (task). */
typedef struct breaker {
    volatile sig_atomic_t flag;
    uint64_t step;
    size_t evaluation, seen;
    bool signal; /* raise SIGTERM instead, whose handler sets the flag */
} breaker;

static void at_step(void *context, const f2l_train_progress *progress)
{
    breaker *b = context;
    if (b->step == 0 || progress->step != b->step) return;
    if (b->signal)
        (void)raise(SIGTERM);
    else
        b->flag = SIGTERM;
}

static void at_evaluation(void *context, const char *phase, double done, double total)
{
    breaker *b = context;
    (void)total;
    if (strcmp(phase, "evaluation") != 0 || done > 0) return;
    if (b->evaluation > 0 && ++b->seen == b->evaluation) b->flag = SIGTERM;
}

static f2l_status broken_run(const train_place *p, const f2l_experiment *e,
                             f2l_experiment_begin begin, breaker *b, uint64_t *step, f2l_error *err)
{
    const f2l_train_watch watch = {.progress = at_step, .context = b};
    const f2l_task task = {.cancel = &b->flag, .progress = at_evaluation, .context = b};
    return experiment_run(p, e, begin, &watch, &task, step, err);
}

static void whole_run(experiment_outcome *o, const f2l_experiment *e)
{
    train_place p;
    f2l_error err = {0};
    train_place_open(&p);
    cr_assert(experiment_run(&p, e, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK, "%s",
              err.text);
    experiment_outcome_read(o, &p);
    train_place_close(&p);
}

/* Interrupts new runs at every step and in every evaluation, one place for each run, and resumes
 * them. */
static void interrupt_everywhere(const f2l_experiment *e)
{
    experiment_outcome whole, resumed;
    whole_run(&whole, e);
    for (uint64_t k = 1; k <= 2 * e->train.steps; k++) {
        const bool in_evaluation = k > e->train.steps;
        breaker b = {.step = in_evaluation ? 0 : k,
                     .evaluation = in_evaluation ? (size_t)(k - e->train.steps) : 0};
        f2l_error err = {0};
        uint64_t step = 0;
        train_place p;
        train_place_open(&p);
        const f2l_status status = broken_run(&p, e, F2L_BEGIN_NEW, &b, &step, &err);
        if (status == F2L_OK) { /* the run has fewer evaluations */
            cr_assert(in_evaluation && b.flag == 0);
            train_place_close(&p);
            break;
        }
        cr_assert(status == F2L_UNKNOWN && strstr(err.text, "interrupted"), "%s", err.text);
        if (!in_evaluation) cr_assert_eq(step, k);
        cr_assert(experiment_run(&p, e, F2L_BEGIN_RESUME, NULL, NULL, &step, &err) == F2L_OK, "%s",
                  err.text);
        cr_assert_eq(step, e->train.steps);
        experiment_outcome_read(&resumed, &p);
        experiment_outcome_equal(&whole, &resumed);
        experiment_outcome_clear(&resumed);
        train_place_close(&p);
    }
    experiment_outcome_clear(&whole);
}

/* Interrupts one run after every single step. */
static void interrupt_always(const f2l_experiment *e)
{
    experiment_outcome whole, resumed;
    train_place p;
    whole_run(&whole, e);
    train_place_open(&p);
    for (uint64_t k = 1; k <= e->train.steps; k++) {
        breaker b = {.step = k};
        uint64_t step;
        f2l_error err = {0};
        const f2l_status status =
            broken_run(&p, e, k == 1 ? F2L_BEGIN_NEW : F2L_BEGIN_RESUME, &b, &step, &err);
        cr_assert(status == F2L_UNKNOWN && step == k, "%s", err.text);
    }
    cr_assert_eq(experiment_run(&p, e, F2L_BEGIN_RESUME, NULL, NULL, NULL, NULL), F2L_OK);
    experiment_outcome_read(&resumed, &p);
    experiment_outcome_equal(&whole, &resumed);
    experiment_outcome_clear(&resumed);
    /* A run that has ended is only evaluated again; nothing changes. */
    cr_assert_eq(experiment_run(&p, e, F2L_BEGIN_RESUME, NULL, NULL, NULL, NULL), F2L_OK);
    experiment_outcome_read(&resumed, &p);
    experiment_outcome_equal(&whole, &resumed);
    experiment_outcome_clear(&resumed);
    train_place_close(&p);
    experiment_outcome_clear(&whole);
}

Test(experiment_run, resumes_to_the_same_bits_delta)
{
    experiment_case c;
    for (size_t number = 0; number < 3; number++) {
        experiment_open(&c, experiment_short() ? 5 : 12);
        cr_assert(experiment_model(&c.experiment, number));
        c.experiment.data.begin = number == 2;
        c.experiment.model.initializer_range = number == 1 ? 0.02 : 0;
        interrupt_everywhere(&c.experiment);
        interrupt_always(&c.experiment);
        experiment_close(&c);
    }
}

Test(experiment_run, resumes_to_the_same_bits_diagonal)
{
    experiment_case c;
    for (size_t number = 3; number < 5; number++) {
        experiment_open(&c, experiment_short() ? 5 : 12);
        cr_assert(experiment_model(&c.experiment, number));
        interrupt_everywhere(&c.experiment);
        interrupt_always(&c.experiment);
        experiment_close(&c);
    }
}

/* A run from given weights begins with these bits, and goes on to the same bits when it is stopped,
 * also before its first checkpoint, when the folder's copy is all there is. */
Test(experiment_run, starts_from_given_weights)
{
    experiment_case c;
    experiment_outcome taught;
    f2l_first_weights first;
    f2l_error err = {0};
    experiment_open(&c, experiment_short() ? 3 : 6);
    whole_run(&taught, &c.experiment);
    f2l_first_weights_init(&first);
    cr_assert(f2l_first_weights_parse(&first, taught.weights.data, taught.weights.size, &err) ==
                  F2L_OK,
              "%s", err.text);
    c.experiment.first = &first;
    interrupt_everywhere(&c.experiment);
    interrupt_always(&c.experiment);
    /* With a rate that changes nothing, the weights at the end are the weights at the start. */
    experiment_outcome same;
    c.experiment.train.rate = 1e-300;
    c.experiment.seed++;
    whole_run(&same, &c.experiment);
    cr_assert(experiment_same(&same.weights, &taught.weights));
    cr_assert(strstr(same.config.data, first.sha256));
    experiment_outcome_clear(&same);
    experiment_outcome_clear(&taught);
    f2l_first_weights_clear(&first);
    experiment_close(&c);
}

/* With a reference every evaluation tells the distance from it, the first one before any step; the
 * weights are the same as without. */
Test(experiment_run, tells_the_distance_from_a_reference)
{
    experiment_case c;
    experiment_outcome plain, told;
    f2l_first_weights first;
    f2l_history h;
    train_place p;
    f2l_error err = {0};
    experiment_open(&c, 4);
    c.experiment.train.evaluate_every = 2;
    whole_run(&plain, &c.experiment);
    f2l_first_weights_init(&first);
    cr_assert_eq(f2l_first_weights_parse(&first, plain.weights.data, plain.weights.size, NULL),
                 F2L_OK);
    c.experiment.reference = &first;
    train_place_open(&p);
    cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK,
              "%s", err.text);
    f2l_history_init(&h);
    cr_assert_eq(f2l_history_read(&h, p.run, NULL), F2L_OK);
    cr_assert(h.looks == 3 && h.look[0].step == 0 && h.look[1].step == 2 && h.look[2].step == 4);
    cr_assert(h.look[0].distance > h.look[1].distance && h.look[1].distance > 0);
    cr_assert(!(h.look[2].distance > 0) && !(h.look[2].distance < 0));
    experiment_outcome_read(&told, &p);
    cr_assert(experiment_same(&plain.weights, &told.weights));
    cr_assert(experiment_same(&plain.config, &told.config));
    experiment_outcome_clear(&told);
    experiment_outcome_clear(&plain);
    interrupt_everywhere(&c.experiment);
    f2l_history_clear(&h);
    train_place_close(&p);
    f2l_first_weights_clear(&first);
    experiment_close(&c);
}

/* Expressions are run without an automaton. */
Test(experiment_run, runs_expressions)
{
    f2l_error err = {0};
    const f2l_data_options data = {
        .kind = F2L_DATA_BRACKETS, .when = F2L_DATA_LAST, .modulus = 5, .times = true};
    f2l_experiment e;
    cr_assert(f2l_experiment_default(&e, &data, NULL, 6, &err) == F2L_OK, "%s", err.text);
    experiment_shrink(&e);
    train_place p;
    f2l_buf text;
    train_place_open(&p);
    cr_assert(experiment_run(&p, &e, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK, "%s",
              err.text);
    cr_assert_eq(train_entries(p.run, "automaton", false), 0);
    f2l_experiment_file file;
    f2l_experiment_file_init(&file);
    cr_assert(f2l_experiment_file_read(&file, p.run, &err) == F2L_OK, "%s", err.text);
    experiment_text(&text, &e);
    cr_assert(experiment_same(&text, &file.config));
    f2l_buf_clear(&text);
    cr_assert(experiment_run(&p, &file.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err) ==
              F2L_OK);
    f2l_experiment_file_clear(&file);
    train_place_close(&p);
}

/* The folder is enough to repeat the run elsewhere with the same result; it also has the grammar's
 * hash. */
Test(experiment_run, a_folder_can_be_repeated)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    experiment_outcome first, second;
    f2l_experiment_file file;
    f2l_buf text;
    char hash[65];
    experiment_open(&c, 10);
    train_place_open(&p);
    cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK,
              "%s", err.text);
    experiment_outcome_read(&first, &p);
    f2l_experiment_file_init(&file);
    cr_assert(f2l_experiment_file_read(&file, p.run, &err) == F2L_OK, "%s", err.text);
    whole_run(&second, &file.experiment);
    experiment_outcome_equal(&first, &second);
    cr_assert_eq(f2l_fsa_sha256(&c.fsa, hash, NULL), F2L_OK);
    train_read(&text, &p, "provenance.json");
    cr_assert(strstr(text.data, hash));
    f2l_buf_clear(&text);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_fsa_write(&text, &c.fsa, NULL), F2L_OK);
    cr_assert(experiment_same(&text, &first.automaton));
    f2l_buf_clear(&text);
    f2l_experiment_file_clear(&file);
    experiment_outcome_clear(&first);
    experiment_outcome_clear(&second);
    train_place_close(&p);
    experiment_close(&c);
}

/* Another seed gives another run, with other data and other first weights. */
Test(experiment_run, seeds_differ)
{
    experiment_case c;
    experiment_outcome first, second;
    experiment_open(&c, 4);
    whole_run(&first, &c.experiment);
    c.experiment.seed++;
    whole_run(&second, &c.experiment);
    cr_assert(!experiment_same(&first.weights, &second.weights));
    cr_assert(!experiment_same(&first.log, &second.log));
    experiment_outcome_clear(&first);
    experiment_outcome_clear(&second);
    experiment_close(&c);
}

static breaker *raised;
static void on_signal(int number)
{
    raised->flag = number;
}

/* SIGTERM with a handler that sets the task's flag, as in the program, saves the run. */
Test(experiment_run, a_signal_saves)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    uint64_t step = 0;
    breaker b = {.step = 7, .signal = true};
    experiment_outcome whole, resumed;
    struct sigaction action = {.sa_handler = on_signal};
    raised = &b;
    cr_assert_eq(sigaction(SIGTERM, &action, NULL), 0);
    experiment_open(&c, 12);
    whole_run(&whole, &c.experiment);
    train_place_open(&p);
    cr_assert_eq(broken_run(&p, &c.experiment, F2L_BEGIN_NEW, &b, &step, &err), F2L_UNKNOWN);
    cr_assert(step == 7 && b.flag == SIGTERM && strstr(err.text, "holds step 7"), "%s", err.text);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err),
                 F2L_OK);
    experiment_outcome_read(&resumed, &p);
    experiment_outcome_equal(&whole, &resumed);
    experiment_outcome_clear(&whole);
    experiment_outcome_clear(&resumed);
    train_place_close(&p);
    experiment_close(&c);
}

/* The memory need is reported, and nothing is written. */
Test(experiment_run, memory_is_said_before_the_start)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    f2l_experiment_need need;
    experiment_open(&c, 3);
    train_place_open(&p);
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CPU, &err), F2L_OK);
    const f2l_task tight = {.memory = need.host - 1}, enough = {.memory = need.host};
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, &tight, NULL, &err),
                 F2L_UNKNOWN);
    cr_assert(strstr(err.text, "needs") && strstr(err.text, "training"), "%s", err.text);
    cr_assert_eq(train_entries(p.folder, "", false), 0);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, &enough, NULL, &err),
                 F2L_OK);
    train_place_close(&p);
    c.experiment.model.width = c.experiment.model.mlp = F2L_SEQ_MAX_SIZE;
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CPU, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_gt(need.host, (size_t)1 << 42);
    experiment_close(&c);
}

/* AddressSanitizer keeps freed memory for a while. */
#ifdef __SANITIZE_ADDRESS__
enum { SLACK = 64 << 20, SLACK_LONG = 8 << 20 };
#else
enum { SLACK = 4 << 20, SLACK_LONG = 1 << 19 };
#endif

static size_t resident(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss * 1024;
}

/* The process grows by about the reported need, neither by more nor by much less. */
Test(experiment_run, memory_is_as_said)
{
    experiment_case c;
    train_place p;
    f2l_experiment_need need;
    f2l_error err = {0};
    experiment_open(&c, 1);
    c.experiment.train.lengths = c.experiment.train.evaluate_every = 0;
    train_place_open(&p);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, NULL), F2L_OK);
    train_place_close(&p);
    c.experiment.model.width = experiment_short() ? 32 : 512; /* OpenBLAS has its buffers by now */
    c.experiment.model.mlp = 2048;
    train_place_open(&p);
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CPU, &err), F2L_OK);
    const size_t before = resident();
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, NULL), F2L_OK);
    const size_t grown = resident() - before;
    cr_log_info("said %zu bytes, grown by %zu", need.host, grown);
    if (!experiment_short())
        cr_assert(grown <= need.host + SLACK && grown >= need.host / 3,
                  "said %zu bytes, grown by %zu", need.host, grown);
    train_place_close(&p);
    experiment_close(&c);
}

Test(experiment_run, refuses)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    f2l_train_result result;
    experiment_open(&c, 3);
    train_place_open(&p);
    f2l_train_result_init(&result);
    cr_assert_eq(f2l_experiment_run(&result, &c.experiment, F2L_BACKENDS, p.run, F2L_BEGIN_NEW,
                                    NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err),
                 F2L_EIO);
    cr_assert(strstr(err.text, "config.json"), "%s", err.text);
    cr_assert_eq(train_entries(p.folder, "", false), 0);
    const f2l_experiment good = c.experiment;
    const size_t odd[] = {6, 21};
    const size_t batch[] = {0, (size_t)1 << 32};
    for (size_t i = 0; i < 2; i++) {
        c.experiment.batch = batch[i];
        cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                     F2L_EDOMAIN);
        cr_assert(strstr(err.text, "batch"), "%s", err.text);
        c.experiment = good;
    }
    c.experiment.data.tokens = 2;
    c.experiment.train.length = odd;
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "21"), "%s", err.text);
    c.experiment = good;
    c.experiment.model.heads = 0;
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    c.experiment = good;
    cr_assert_eq(train_entries(p.folder, "", false), 0, "a refused run left something");
    cr_assert_eq(experiment_run(&p, &good, F2L_BEGIN_NEW, NULL, NULL, NULL, &err), F2L_OK);
    cr_assert_eq(experiment_run(&p, &good, F2L_BEGIN_NEW, NULL, NULL, NULL, &err), F2L_EEXIST);
    cr_assert(strstr(err.text, "not empty"), "%s", err.text);
    train_place_close(&p);
    experiment_close(&c);
}

/* States that are not reachable would be dropped when the folder is read: such a run is not
 * begun. */
Test(experiment_run, refuses_unreachable_states)
{
    train_place p;
    f2l_error err = {0};
    experiment_case c;
    size_t index;
    experiment_open(&c, 3);
    f2l_fsa_clear(&c.fsa);
    f2l_fsa_init(&c.fsa);
    cr_assert(f2l_names_add(&c.fsa.letters, "a", 1, &index, NULL) == F2L_OK &&
              f2l_names_add(&c.fsa.states, "p", 1, &index, NULL) == F2L_OK &&
              f2l_names_add(&c.fsa.states, "q", 1, &index, NULL) == F2L_OK);
    c.fsa.next = f2l_calloc(2, sizeof *c.fsa.next); /* both lead to p */
    c.fsa.accept = f2l_calloc(2, 1);
    train_place_open(&p);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "never reached"), "%s", err.text);
    cr_assert_eq(train_entries(p.folder, "", false), 0);
    train_place_close(&p);
    experiment_close(&c);
}

/* The streamed evaluation of the trained weights agrees with the run's last evaluation on similar
 * words. */
Test(experiment_run, evaluates_what_was_trained)
{
    experiment_case c;
    train_place p;
    f2l_error err = {0};
    f2l_buf file;
    f2l_seq model;
    float *parameters;
    f2l_data data;
    f2l_train_score score[2] = {{.length = 6}, {.length = 20}},
                    again[2] = {{.length = 6}, {.length = 20}};
    f2l_data_wrong wrong = {.length = 0};
    experiment_open(&c, 150);
    c.experiment.model.householders = 2;
    c.experiment.batch = 32;
    train_place_open(&p);
    cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err) == F2L_OK,
              "%s", err.text);
    train_read(&file, &p, "weights.safetensors");
    cr_assert(f2l_seq_read_f32(&model, &parameters, file.data, file.size, &err) == F2L_OK, "%s",
              err.text);
    f2l_data_init(&data);
    cr_assert_eq(f2l_experiment_data(&data, &c.experiment, F2L_DATA_TEST, &err), F2L_OK);
    cr_assert(f2l_experiment_evaluate(score, 2, &wrong, 50, F2L_BACKEND_CPU, &model, parameters,
                                      &data, NULL, &err) == F2L_OK,
              "%s", err.text);
    /* by whole words at once */
    f2l_seq_work_f32 *work;
    f2l_data_batch batch;
    const f2l_seq_plan plan = {50, 20, false};
    f2l_data_batch_init(&batch);
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, (f2l_data_range){20, 20}, 0, 0, 50, &err),
                 F2L_OK);
    cr_assert_eq(f2l_seq_work_new_f32(&work, &model, &plan, NULL, &err), F2L_OK);
    uint32_t *answer = f2l_calloc(50 * 20, sizeof *answer);
    const f2l_seq_batch b = {.sequences = 50, .length = 20, .letter = batch.letter};
    cr_assert_eq(f2l_seq_answers_f32(answer, NULL, &b, parameters, work, &err), F2L_OK);
    f2l_train_tally tally;
    cr_assert_eq(f2l_train_tally_init(&tally, again, 2, 50, NULL), F2L_OK);
    f2l_train_tally_add(&tally, answer, batch.label, batch.mask, 20);
    f2l_train_tally_clear(&tally);
    for (size_t i = 0; i < 2; i++) {
        cr_assert(score[i].right == again[i].right && score[i].right_ones == again[i].right_ones &&
                      score[i].sequences == 50,
                  "%zu and %zu of length %zu", (size_t)score[i].right, (size_t)again[i].right,
                  score[i].length);
    }
    cr_log_info("right %zu of %zu, first wrong %zu", (size_t)score[1].right,
                (size_t)score[1].supervised, wrong.length);
    cr_assert((wrong.length == 0) == (score[1].right == score[1].supervised));
    f2l_free(answer);
    f2l_seq_work_free_f32(work);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_free(parameters);
    f2l_seq_clear(&model);
    f2l_buf_clear(&file);
    train_place_close(&p);
    experiment_close(&c);
}

/* A million letters need no more memory than a thousand; and an interruption reports the
 * progress. */
Test(experiment_run, long_words_need_no_more_memory, .timeout = 300)
{
    experiment_case c;
    f2l_error err = {0};
    f2l_seq model;
    f2l_data data;
    f2l_train_score brief = {.length = 1000},
                    score[2] = {{.length = 1000}, {.length = experiment_short() ? 20000 : 1000000}};
    experiment_open(&c, 1);
    f2l_seq_config *m = &c.experiment.model;
    m->width = m->mlp = 4;
    m->heads = 1;
    m->key_dim = m->value_dim = 2;
    cr_assert_eq(f2l_seq_init(&model, m, &err), F2L_OK);
    float *parameters = f2l_calloc(model.parameters, sizeof *parameters);
    f2l_seq_start_f32(parameters, &model, 1);
    f2l_data_init(&data);
    cr_assert_eq(f2l_experiment_data(&data, &c.experiment, F2L_DATA_TEST, &err), F2L_OK);
    cr_assert(f2l_experiment_evaluate(&brief, 1, NULL, 2, F2L_BACKEND_CPU, &model, parameters,
                                      &data, NULL, &err) == F2L_OK);
    const size_t before = resident();
    const double from = f2l_now();
    cr_assert(f2l_experiment_evaluate(score, 2, NULL, 2, F2L_BACKEND_CPU, &model, parameters, &data,
                                      NULL, &err) == F2L_OK);
    cr_log_info("2 * %zu letters in %.2f s, grown by %zu bytes", score[1].length, f2l_now() - from,
                resident() - before);
    if (!experiment_short()) cr_assert_leq(resident() - before, (size_t)SLACK_LONG);
    cr_assert(score[0].right == brief.right && score[1].supervised == 2 * score[1].length);
    cr_assert(score[1].right > score[1].length / 5 && score[1].right < score[1].length / 2, "%llu",
              (unsigned long long)score[1].right);
    const f2l_task task = {.deadline = f2l_now() + 0.05};
    score[0] = (f2l_train_score){.length = 10000000};
    cr_assert_eq(f2l_experiment_evaluate(score, 1, NULL, 40, F2L_BACKEND_CPU, &model, parameters,
                                         &data, &task, &err),
                 F2L_UNKNOWN);
    cr_assert(strstr(err.text, "evaluation") && strstr(err.text, "of 400000000"), "%s", err.text);
    f2l_data_clear(&data);
    f2l_free(parameters);
    f2l_seq_clear(&model);
    experiment_close(&c);
}

#ifdef F2L_MEM_FAILURES
/* Each allocation of a run fails once: this gives an error, and a folder that is absent or can be
 * resumed. */
Test(experiment_run, memory_failures, .timeout = 300)
{
    experiment_case c;
    experiment_outcome whole, resumed;
    size_t n = 1, begun = 0;
    f2l_status status = F2L_ENOMEM;
    experiment_open(&c, 2);
    whole_run(&whole, &c.experiment);
    for (; status != F2L_OK; n += experiment_short() ? 11 : 1) {
        train_place p;
        f2l_error err = {0};
        train_place_open(&p);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n, err.text);
        if (train_entries(p.folder, "", false) > 0) {
            begun++;
            cr_assert(experiment_run(&p, &c.experiment, F2L_BEGIN_RESUME, NULL, NULL, NULL, &err) ==
                          F2L_OK,
                      "allocation %zu: %s", n, err.text);
            experiment_outcome_read(&resumed, &p);
            experiment_outcome_equal(&whole, &resumed);
            experiment_outcome_clear(&resumed);
        }
        train_place_close(&p);
    }
    cr_log_info("%zu allocations, after %zu of which there was a folder", n - 1, begun);
    cr_assert(n > 50 && begun > 2);
    experiment_outcome_clear(&whole);
    experiment_close(&c);
}
#endif
