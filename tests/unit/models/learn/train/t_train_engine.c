/* Trainees that make their updates themselves, on another device: the runs are the same, bit for
 * bit, also when they move between devices. */
#include "models/learn/train/adamw.h"
#include "tests/support/train/train_support.h"

static const char config[] = "{\"model\":\"logistic\"}\n";

/* The logistic model with its numbers out of reach: between put and get only `away` counts. */
typedef struct distant {
    logistic near;
    f2l_train_engine engine;
    float parameter[LOGISTIC_PARAMETERS], mean[LOGISTIC_PARAMETERS], square[LOGISTIC_PARAMETERS];
    size_t puts, gets, get_fails; /* get_fails: the get that fails, 1-based; 0: none */
} distant;

static f2l_status distant_advance(void *self, f2l_train_batch *batch, double *norm,
                                  const f2l_train_pace *pace, uint64_t step, const f2l_task *task,
                                  f2l_error *err)
{
    distant *d = self;
    float gradient[LOGISTIC_PARAMETERS] = {0};
    d->near.trainee.parameter = d->parameter;
    const f2l_status status = logistic_gradient(&d->near, batch, gradient, step, task, err);
    d->near.trainee.parameter = &d->near.parameter;
    if (status != F2L_OK) return status;
    *norm = sqrt(f2l_adamw_squares_f32(gradient, LOGISTIC_PARAMETERS));
    if (!isfinite(*norm)) return F2L_OK;
    for (size_t i = 0, first = 0; i < 2; first += d->near.group[i].count, i++) {
        const f2l_train_group *g = &d->near.group[i];
        const f2l_adamw how = {.rate = pace->rate * g->rate,
                               .decay = pace->weight_decay * g->weight_decay,
                               .beta1 = pace->beta1,
                               .beta2 = pace->beta2,
                               .epsilon = pace->epsilon,
                               .scale =
                                   pace->clip > 0 && *norm > pace->clip ? pace->clip / *norm : 1,
                               .time = pace->time};
        f2l_adamw_update_f32(d->parameter + first, d->mean + first, d->square + first,
                             gradient + first, g->count, &how);
    }
    return F2L_OK;
}

static f2l_status distant_put(void *self, const void *parameter, const void *mean,
                              const void *square, f2l_error *err)
{
    distant *d = self;
    (void)err;
    d->puts++;
    memcpy(d->parameter, parameter, sizeof d->parameter);
    memcpy(d->mean, mean, sizeof d->mean);
    memcpy(d->square, square, sizeof d->square);
    /* From now on these numbers are out of date and must not be used. */
    for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++) d->near.parameter.f32[i] = NAN;
    return F2L_OK;
}

static f2l_status distant_get(void *self, void *parameter, void *mean, void *square, f2l_error *err)
{
    distant *d = self;
    if (++d->gets == d->get_fails) return f2l_fail(err, F2L_EIO, "the wall is too high");
    memcpy(parameter, d->parameter, sizeof d->parameter);
    memcpy(mean, d->mean, sizeof d->mean);
    memcpy(square, d->square, sizeof d->square);
    return F2L_OK;
}

static f2l_status distant_evaluate(void *self, f2l_train_score *score, size_t scores,
                                   size_t sequences, uint64_t step, const f2l_task *task,
                                   f2l_error *err)
{
    distant *d = self;
    d->near.trainee.parameter = d->parameter;
    const f2l_status status =
        logistic_evaluate(&d->near, score, scores, sequences, step, task, err);
    d->near.trainee.parameter = &d->near.parameter;
    return status;
}

static void distant_init(distant *d, uint64_t seed)
{
    *d = (distant){.engine = {.backend = "far", .device = "the \"other\" side"}};
    logistic_init(&d->near, 4, seed);
    d->engine.advance = distant_advance;
    d->engine.put = distant_put;
    d->engine.get = distant_get;
    d->near.trainee.self = d;
    d->near.trainee.engine = &d->engine;
    d->near.trainee.gradient = NULL;
    d->near.trainee.evaluate = distant_evaluate;
}

static f2l_status run(f2l_train_result *result, const f2l_trainee *trainee,
                      const f2l_train_options *o, f2l_train_dir *dir, const f2l_task *task,
                      f2l_error *err)
{
    f2l_train_result_init(result);
    return f2l_train_run(result, trainee, o, dir, NULL, task, err);
}

/* Sets out to the log without the line that names the device. */
static void log_of(f2l_buf *out, const train_place *p)
{
    f2l_buf text;
    train_log(&text, p);
    f2l_buf_init(out);
    const char *first = strchr(text.data, '\n');
    cr_assert_not_null(first);
    f2l_buf_text(out, first);
    f2l_buf_clear(&text);
}

static void same_result(const f2l_train_result *a, const f2l_train_result *b)
{
    cr_assert(a->end == b->end && a->step == b->step && a->tokens == b->tokens &&
              a->loss == b->loss);
    cr_assert_eq(a->scores, b->scores);
    cr_assert_arr_eq(a->score, b->score, a->scores * sizeof *a->score);
}

Test(train_engine, is_the_same_run)
{
    logistic l;
    distant d;
    f2l_train_result here, there;
    f2l_train_options o = logistic_options(130);
    o.clip = 0.1;
    logistic_init(&l, 4, 5);
    distant_init(&d, 5);
    cr_assert_eq(run(&here, &l.trainee, &o, NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(run(&there, &d.near.trainee, &o, NULL, NULL, NULL), F2L_OK);
    same_result(&here, &there);
    cr_assert_arr_eq(l.parameter.f32, d.near.parameter.f32, sizeof l.parameter.f32);
    cr_assert_arr_eq(l.state, d.near.state, sizeof l.state);
    cr_assert_eq(d.puts, 1);
    f2l_train_result_clear(&here);
    f2l_train_result_clear(&there);
}

/* A run whose processes alternate between here and there is the same run. */
Test(train_engine, goes_on_here_and_there)
{
    train_place whole, pieces;
    f2l_train_dir dir;
    logistic l;
    distant d;
    f2l_train_result first, last;
    f2l_buf a, b;
    f2l_error err = {0};
    const f2l_train_options o = logistic_options(160);
    train_place_open(&whole);
    train_dir_make(&dir, &whole, config);
    logistic_init(&l, 4, 9);
    cr_assert_eq(run(&first, &l.trainee, &o, &dir, NULL, &err), F2L_OK, "%s", err.text);
    f2l_train_dir_clear(&dir);
    train_place_open(&pieces);
    f2l_status status = F2L_UNKNOWN;
    for (size_t process = 0; status != F2L_OK; process++) {
        volatile sig_atomic_t flag = 0;
        const f2l_task task = {.cancel = &flag};
        logistic_init(&l, 4, 9);
        distant_init(&d, 9);
        l.flag = d.near.flag = &flag;
        l.flag_at = d.near.flag_at = 31 * process + 20;
        if (process == 0)
            train_dir_make(&dir, &pieces, config);
        else
            cr_assert_eq(f2l_train_dir_open(&dir, pieces.run, config, &err), F2L_OK, "%s",
                         err.text);
        status = run(&last, process % 2 ? &l.trainee : &d.near.trainee, &o, &dir, &task, &err);
        if (status != F2L_OK) {
            cr_assert_eq(status, F2L_UNKNOWN, "%s", err.text);
            cr_assert_eq(last.step, 31 * process + 20);
            f2l_train_result_clear(&last);
        }
        f2l_train_dir_clear(&dir);
        cr_assert_lt(process, 20);
    }
    same_result(&first, &last);
    train_read(&a, &whole, "weights.safetensors");
    train_read(&b, &pieces, "weights.safetensors");
    cr_assert(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    f2l_buf_clear(&a);
    f2l_buf_clear(&b);
    log_of(&a, &whole);
    log_of(&b, &pieces);
    cr_assert_str_eq(a.data, b.data);
    f2l_buf_clear(&a);
    f2l_buf_clear(&b);
    train_read(&a, &pieces, "log.jsonl");
    cr_assert_not_null(strstr(a.data, ",\"backend\":\"far\",\"device\":\"the \\\"other\\\" "
                                      "side\"}"),
                       "%s", a.data);
    f2l_buf_clear(&a);
    f2l_train_result_clear(&first);
    f2l_train_result_clear(&last);
    train_place_close(&whole);
    train_place_close(&pieces);
}

Test(train_engine, diverges_as_others_do)
{
    static const char *const expected[] = {"at step 77 the loss is nan",
                                           "at step 78 the length of the gradient is inf"};
    for (size_t i = 0; i < 2; i++) {
        train_place p;
        f2l_train_dir dir;
        distant d;
        f2l_train_result result;
        f2l_error err = {0};
        f2l_train_options o = logistic_options(400);
        train_place_open(&p);
        train_dir_make(&dir, &p, config);
        distant_init(&d, 2);
        if (i == 0)
            d.near.bad_step = 77;
        else
            d.near.bad_gradient = 78;
        o.checkpoint_seconds = 0;
        cr_assert_eq(run(&result, &d.near.trainee, &o, &dir, NULL, &err), F2L_UNKNOWN);
        cr_assert_eq(result.end, F2L_TRAIN_DIVERGED);
        cr_assert_not_null(strstr(err.text, expected[i]), "%s", err.text);
        cr_assert_not_null(strstr(err.text, i == 0 ? "holds step 76" : "holds step 77"), "%s",
                           err.text);
        f2l_train_result_clear(&result);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
}

/* Numbers that the device does not give are a failure of the run, and the last checkpoint stays. */
Test(train_engine, a_device_that_fails)
{
    train_place p;
    f2l_train_dir dir;
    distant d;
    f2l_train_result result;
    f2l_error err = {0};
    f2l_train_options o = logistic_options(40);
    o.evaluate_every = 0;
    o.checkpoint_seconds = 0;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    distant_init(&d, 2);
    d.get_fails = 13;
    cr_assert_eq(run(&result, &d.near.trainee, &o, &dir, NULL, &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "too high"), "%s", err.text);
    cr_assert_not_null(strstr(err.text, "holds step 12"), "%s", err.text);
    f2l_train_result_clear(&result);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
    distant_init(&d, 2);
    d.get_fails = 1;
    cr_assert_eq(run(&result, &d.near.trainee, &o, NULL, NULL, &err), F2L_EIO);
    f2l_train_result_clear(&result);
}

Test(train_engine, needs_a_way_to_make_a_step)
{
    distant d;
    f2l_train_result result;
    f2l_error err = {0};
    const f2l_train_options o = logistic_options(40);
    distant_init(&d, 2);
    d.engine.get = NULL;
    cr_assert_eq(run(&result, &d.near.trainee, &o, NULL, NULL, &err), F2L_EDOMAIN);
    d.near.trainee.engine = NULL;
    cr_assert_eq(run(&result, &d.near.trainee, &o, NULL, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "a way to make a step"));
}
