#include "models/learn/experiment/first_weights.h"
#include "models/learn/seq/seq_file.h"
#include "tests/support/train/experiment_support.h"
#include <math.h>

/* Makes the weights of a model as a file has them. */
static void make(f2l_first_weights *first, const f2l_seq_config *config)
{
    f2l_seq model;
    f2l_buf file;
    f2l_error err = {0};
    f2l_buf_init(&file);
    f2l_first_weights_init(first);
    cr_assert_eq(f2l_seq_init(&model, config, &err), F2L_OK);
    float *parameter = f2l_calloc(model.parameters, sizeof *parameter);
    f2l_seq_start_f32(parameter, &model, 3);
    cr_assert_eq(f2l_seq_write_f32(&file, &model, parameter, &err), F2L_OK);
    cr_assert_eq(f2l_first_weights_parse(first, file.data, file.size, &err), F2L_OK);
    cr_assert_eq(memcmp(first->parameter, parameter, model.parameters * sizeof *parameter), 0);
    f2l_free(parameter);
    f2l_seq_clear(&model);
    f2l_buf_clear(&file);
}

/* Checks the experiment with these weights; the message must have `text`. */
static void refused(const experiment_case *c, const f2l_seq_config *config, const char *text)
{
    f2l_first_weights first;
    f2l_error err = {0};
    f2l_experiment e = c->experiment;
    make(&first, config);
    e.first = &first;
    cr_assert_eq(f2l_experiment_check(&e, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, text), "%s", err.text);
    f2l_first_weights_clear(&first);
}

Test(first_weights, other_shapes_are_named)
{
    experiment_case c;
    experiment_open(&c, 4);
    f2l_seq_config base = c.experiment.model, other = base;
    base.letters = other.letters = c.fsa.letters.count;
    base.labels = other.labels = c.fsa.states.count;
    other.width++;
    refused(&c, &other, "the tensor embedding.weight is ");
    other = base;
    other.letters++;
    refused(&c, &other, "7 x ");
    other = base;
    other.mlp = base.mlp ? 0 : 8;
    refused(&c, &other, "mlp");
    other = base;
    other.forget_gate = true;
    refused(&c, &other, "have a tensor ");
    other = base;
    other.slope = 2 * base.slope; /* the same tensors */
    f2l_first_weights first;
    make(&first, &other);
    c.experiment.first = &first;
    cr_assert_eq(f2l_experiment_check(&c.experiment, NULL), F2L_OK);
    f2l_first_weights_clear(&first);
    experiment_close(&c);
}

/* Noise of size s moves every tensor by about s times its length, and is a function of the seed. */
Test(first_weights, noise)
{
    f2l_seq model;
    const f2l_seq_config config = f2l_seq_config_default(6, 6);
    cr_assert_eq(f2l_seq_init(&model, &config, NULL), F2L_OK);
    const size_t count = model.parameters;
    float *exact = f2l_calloc(count, sizeof *exact), *one = f2l_calloc(count, sizeof *one),
          *two = f2l_calloc(count, sizeof *two);
    f2l_seq_start_f32(exact, &model, 3);
    memcpy(one, exact, count * sizeof *one);
    memcpy(two, exact, count * sizeof *two);
    f2l_seq_perturb_f32(one, &model, 0.1, 1);
    f2l_seq_perturb_f32(two, &model, 0.1, 1);
    cr_assert_eq(memcmp(one, two, count * sizeof *one), 0);
    f2l_seq_perturb_f32(two, &model, 0.1, 2);
    cr_assert_neq(memcmp(one, two, count * sizeof *one), 0);
    for (size_t t = 0; t < model.tensors; t++) {
        double moved = 0, length = 0;
        for (size_t i = 0; i < model.tensor[t].count; i++) {
            const double x = (double)exact[model.tensor[t].offset + i],
                         d = (double)one[model.tensor[t].offset + i] - x;
            moved += d * d;
            length += x * x;
        }
        cr_assert_float_eq(sqrt(moved / length), 0.1, 0.04, "%s", model.tensor[t].name);
    }
    f2l_free(exact);
    f2l_free(one);
    f2l_free(two);
    f2l_seq_clear(&model);
}

Test(first_weights, files_that_are_no_weights)
{
    f2l_first_weights first;
    f2l_error err = {0};
    f2l_first_weights_init(&first);
    cr_assert_eq(f2l_first_weights_read(&first, "no such file", &err), F2L_EIO);
    cr_assert_eq(f2l_first_weights_parse(&first, "x", 1, &err), F2L_EFORMAT);
    cr_assert(first.parameter == NULL && first.bytes.data == NULL);
}

/* The folder of a run holds its first weights; another file in their place is refused. */
Test(first_weights, the_folder_keeps_them)
{
    experiment_case c;
    train_place p;
    f2l_first_weights first;
    f2l_experiment_file file;
    f2l_error err = {0};
    f2l_buf path;
    experiment_open(&c, 2);
    f2l_seq_config config = c.experiment.model;
    config.letters = c.fsa.letters.count;
    config.labels = c.fsa.states.count;
    make(&first, &config);
    c.experiment.first = &first;
    train_place_open(&p);
    cr_assert_eq(experiment_run(&p, &c.experiment, F2L_BEGIN_NEW, NULL, NULL, NULL, &err), F2L_OK);
    f2l_experiment_file_init(&file);
    cr_assert(f2l_experiment_file_read(&file, p.run, &err) == F2L_OK, "%s", err.text);
    cr_assert_str_eq(file.experiment.first->sha256, first.sha256);
    f2l_experiment_file_clear(&file);
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/first.safetensors", p.run);
    first.bytes.data[first.bytes.size - 1] ^= 1;
    cr_assert_eq(f2l_write_file(path.data, first.bytes.data, first.bytes.size, NULL), F2L_OK);
    cr_assert_eq(f2l_experiment_file_read(&file, p.run, &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, "first_weights"), "%s", err.text);
    cr_assert_eq(remove(path.data), 0);
    cr_assert_eq(f2l_experiment_file_read(&file, p.run, &err), F2L_EIO);
    f2l_buf_clear(&path);
    train_place_close(&p);
    f2l_first_weights_clear(&first);
    experiment_close(&c);
}
