#include "tests/support/train/train_support.h"

double logistic_get(const logistic *l, size_t i)
{
    return l->trainee.number == 8 ? ((const double *)l->trainee.parameter)[i]
                                  : (double)((const float *)l->trainee.parameter)[i];
}

void logistic_add(const logistic *l, void *array, size_t i, double x)
{
    if (l->trainee.number == 8)
        ((double *)array)[i] += x;
    else
        ((float *)array)[i] += (float)x;
}

int logistic_sample(const logistic *l, double x[LOGISTIC_FEATURES], uint64_t stream, uint64_t row,
                    size_t used)
{
    double sum = 0.1;
    f2l_rng r;
    f2l_rng_init(&r, l->seed + (row << 32), stream);
    for (size_t i = 0; i < LOGISTIC_FEATURES; i++) {
        x[i] = i < used ? (double)f2l_rng_u32(&r) / 2147483648.0 - 1 : 0;
        sum += x[i] * (i % 2 ? -1.0 : 0.5 + (double)i);
    }
    return sum > 0;
}

double logistic_output(const logistic *l, const double x[LOGISTIC_FEATURES])
{
    double z = logistic_get(l, LOGISTIC_FEATURES);
    for (size_t i = 0; i < LOGISTIC_FEATURES; i++) z += x[i] * logistic_get(l, i);
    return z;
}

f2l_status logistic_gradient(void *self, f2l_train_batch *batch, void *gradient, uint64_t step,
                             const f2l_task *task, f2l_error *err)
{
    logistic *l = self;
    const size_t used = (size_t)l->state[0];
    l->gradients++;
    if (l->flag && !l->flag_in_evaluation && step == l->flag_at) *l->flag = SIGTERM;
    if (l->pause > 0) nanosleep(&(struct timespec){.tv_nsec = l->pause}, NULL);
    for (uint64_t row = 0; row < LOGISTIC_BATCH; row++) {
        double x[LOGISTIC_FEATURES];
        const int label = logistic_sample(l, x, step, row, used);
        const double z = logistic_output(l, x), p = 1 / (1 + exp(-z));
        for (size_t i = 0; i < LOGISTIC_FEATURES; i++)
            logistic_add(l, gradient, i, (p - label) * x[i] / (double)LOGISTIC_BATCH);
        logistic_add(l, gradient, LOGISTIC_FEATURES, (p - label) / (double)LOGISTIC_BATCH);
        batch->loss += (log1p(exp(-fabs(z))) + fmax(z, 0) - label * z) / (double)LOGISTIC_BATCH;
        batch->right += (z > 0) == label;
    }
    f2l_status status = f2l_task_poll(task, "gradient", 1, 1, err); /* stops like a real gradient */
    if (status != F2L_OK) return status;
    batch->tokens = LOGISTIC_BATCH * used;
    batch->length = used;
    batch->supervised = batch->sequences = LOGISTIC_BATCH;
    batch->right_ones = batch->right_last = batch->right;
    if (l->bad_step == step + 1) batch->loss = NAN;
    if (l->bad_gradient == step + 1) logistic_add(l, gradient, 2, INFINITY);
    if (batch->right * 10 > LOGISTIC_BATCH * 9 && used < LOGISTIC_FEATURES) l->state[0]++;
    l->state[1] = step + 1;
    return F2L_OK;
}

f2l_status logistic_evaluate(void *self, f2l_train_score *score, size_t scores, size_t sequences,
                             uint64_t step, const f2l_task *task, f2l_error *err)
{
    logistic *l = self;
    l->evaluations++;
    if (l->flag && l->flag_in_evaluation && step == l->flag_at) *l->flag = SIGTERM;
    for (size_t s = 0; s < scores; s++) {
        const f2l_status status = f2l_task_poll(task, "evaluation", (double)s, (double)scores, err);
        if (status != F2L_OK) return status;
        for (uint64_t row = 0; row < sequences; row++) {
            double x[LOGISTIC_FEATURES];
            const int label = logistic_sample(l, x, UINT64_MAX, row, score[s].length);
            score[s].right += (logistic_output(l, x) > 0) == label;
        }
        score[s].sequences = score[s].supervised = sequences;
        score[s].right_ones = score[s].right;
        score[s].chance = 0.5;
    }
    return F2L_OK;
}

f2l_status logistic_write(void *self, const char *path, f2l_error *err)
{
    logistic *l = self;
    l->writes++;
    return f2l_write_file(path, &l->parameter, LOGISTIC_PARAMETERS * l->trainee.number, err);
}

void logistic_init(logistic *l, size_t number, uint64_t seed)
{
    *l = (logistic){.group = {{LOGISTIC_FEATURES, 1, 1}, {1, 2, 0}}, .state = {2, 0}, .seed = seed};
    l->trainee = (f2l_trainee){.self = l,
                               .number = number,
                               .parameters = LOGISTIC_PARAMETERS,
                               .parameter = &l->parameter,
                               .group = l->group,
                               .groups = 2,
                               .chance_loss = 0.7,
                               .state = l->state,
                               .states = 2,
                               .gradient = logistic_gradient,
                               .evaluate = logistic_evaluate,
                               .write = logistic_write};
    for (size_t i = 0; i < LOGISTIC_PARAMETERS; i++)
        logistic_add(l, &l->parameter, i, 0.01 * (double)i - 0.03);
}

f2l_train_options logistic_options(uint64_t steps)
{
    f2l_train_options o = f2l_train_options_default(steps);
    o.rate = 0.05;
    o.log_every = 7;
    o.evaluate_every = 50;
    o.length = logistic_length;
    o.lengths = 3;
    o.sequences = 100;
    o.checkpoint_seconds = 1000;
    return o;
}

void train_place_open(train_place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/f2l-train-XXXXXX");
    cr_assert_not_null(mkdtemp(p->folder));
    snprintf(p->run, sizeof p->run, "%s/run", p->folder);
}

size_t train_entries(const char *folder, const char *prefix, bool removed)
{
    char name[400];
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (strncmp(e->d_name, prefix, strlen(prefix)) != 0) continue;
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        if (removed) (void)remove(name);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

void train_run_remove(const train_place *p)
{
    train_entries(p->run, "", true);
    (void)rmdir(p->run);
}

void train_place_close(const train_place *p)
{
    train_run_remove(p);
    train_entries(p->folder, "", true);
    cr_assert_eq(rmdir(p->folder), 0);
}

void train_read(f2l_buf *out, const train_place *p, const char *name)
{
    char path[160];
    f2l_error err = {0};
    snprintf(path, sizeof path, "%s/%s", p->run, name);
    f2l_buf_init(out);
    cr_assert_eq(f2l_read_file(out, path, 0, &err), F2L_OK, "%s", err.text);
}

void train_log(f2l_buf *out, const train_place *p)
{
    f2l_buf text;
    train_read(&text, p, "log.jsonl");
    f2l_buf_init(out);
    for (const char *line = text.data; line && *line;) {
        const char *stop = strchr(line, '\n');
        cr_assert_not_null(stop, "the log ends in the middle of a line: %s", line);
        const char *timing = strstr(line, ",\"timing\"");
        if (strncmp(line, "{\"event\":\"resume\"", 17) != 0)
            f2l_buf_bytes(out, line, (size_t)((timing && timing < stop ? timing : stop) - line));
        f2l_buf_text(out, "\n");
        if (strncmp(line, "{\"event\":\"resume\"", 17) == 0) out->data[--out->size] = '\0';
        line = stop + 1;
    }
    f2l_buf_clear(&text);
}

void train_dir_make(f2l_train_dir *dir, const train_place *p, const char *config)
{
    static const char *const argument[] = {"fsa2lrnn", "train", "a \"b\"\n\xff"};
    const f2l_train_provenance provenance = {.version = "1",
                                             .commit = "c0ffee",
                                             .date = "2026-01-01",
                                             .argument = argument,
                                             .arguments = 3};
    f2l_error err = {0};
    cr_assert_eq(f2l_train_dir_create(dir, p->run, config, &provenance, &err), F2L_OK, "%s",
                 err.text);
}
