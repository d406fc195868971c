#include "tests/support/train/learned_support.h"
#include <math.h>

static void init(learned_case *c)
{
    memset(c, 0, sizeof *c);
    f2l_checkpoint_init(&c->trained);
    f2l_experiment_file_init(&c->run);
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->data);
}

#define OK(call) cr_assert((call) == F2L_OK, "%s", c->err.text)

void learned_s3(learned_case *c)
{
    static const char folder[] = "tests/data/learned-s3";
    init(c);
    OK(f2l_checkpoint_read(&c->trained, folder, &c->err));
    OK(f2l_experiment_file_read(&c->run, folder, &c->err));
    OK(f2l_experiment_data(&c->data, &c->run.experiment, F2L_DATA_TRAIN, &c->err));
}

void learned_symmetric(learned_case *c, size_t points, size_t heads, size_t columns,
                       const double *start)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .stream = 1};
    init(c);
    data_family(&c->fsa, "symmetric", points, false);
    data_build(&c->data, &options, &c->fsa);
    seq_case s = inspect_case(c->fsa.letters.count, heads, points - 1, points, columns);
    for (size_t h = 0; h < heads; h++) {
        for (size_t a = 0; a < c->fsa.letters.count; a++)
            inspect_set_permutation(&s, a, h, c->fsa.perm + a * points);
        inspect_start(&s, h, start + h * points * columns);
    }
    c->trained.model = s.model;
    c->trained.parameters = f2l_calloc(s.model.parameters, sizeof *c->trained.parameters);
    cr_assert_not_null(c->trained.parameters);
    for (size_t i = 0; i < s.model.parameters; i++)
        c->trained.parameters[i] = (float)s.parameter[i];
    f2l_free(s.parameter);
}

void learned_read(learned_case *c)
{
    OK(f2l_learned_reader_init(&c->reader, &c->trained.model, c->trained.parameters, &c->data, NULL,
                               &c->err));
    OK(f2l_learned_sample_build(&c->sample, &c->reader, 0, NULL, &c->err));
}

void learned_clear(learned_case *c)
{
    f2l_learned_sample_clear(&c->sample);
    f2l_learned_reader_clear(&c->reader);
    f2l_data_clear(&c->data);
    f2l_fsa_clear(&c->fsa);
    f2l_experiment_file_clear(&c->run);
    f2l_checkpoint_clear(&c->trained);
}

void learned_two_layers(learned_case *c)
{
    const f2l_data_options options = {.kind = F2L_DATA_AUTOMATON,
                                      .label = F2L_LABEL_STATES,
                                      .stream = 1,
                                      .tokens = 2,
                                      .begin = true};
    memset(c, 0, sizeof *c);
    f2l_experiment_file_init(&c->run);
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->data);
    data_family(&c->fsa, "symmetric", 3, false);
    data_build(&c->data, &options, &c->fsa);
    f2l_seq_config config = f2l_seq_config_default(c->data.letters.count, c->data.labels.count);
    config.layers = 2;
    config.width = 16;
    config.heads = 2;
    config.key_dim = config.value_dim = 4;
    config.mlp = 8;
    config.convolution = 3;
    cr_assert(f2l_seq_init(&c->trained.model, &config, &c->err) == F2L_OK, "%s", c->err.text);
    c->trained.parameters = f2l_calloc(c->trained.model.parameters, sizeof *c->trained.parameters);
    f2l_seq_start_f32(c->trained.parameters, &c->trained.model, 5);
}

void trained_run_open(trained_run *run, const char *folder)
{
    f2l_buf bytes;
    char path[100];
    f2l_experiment_file_init(&run->file);
    cr_assert(f2l_experiment_file_read(&run->file, folder, &run->err) == F2L_OK, "%s",
              run->err.text);
    f2l_buf_init(&bytes);
    (void)snprintf(path, sizeof path, "%s/weights.safetensors", folder);
    cr_assert(f2l_read_file(&bytes, path, 0, &run->err) == F2L_OK);
    cr_assert(f2l_seq_read_f32(&run->model, &run->stored, bytes.data, bytes.size, &run->err) ==
              F2L_OK);
    run->parameters = f2l_calloc(run->model.parameters, sizeof *run->parameters);
    for (size_t i = 0; i < run->model.parameters; i++) run->parameters[i] = (double)run->stored[i];
    f2l_buf_clear(&bytes);
}

void trained_run_clear(trained_run *run)
{
    f2l_free(run->parameters);
    f2l_free(run->stored);
    f2l_seq_clear(&run->model);
    f2l_experiment_file_clear(&run->file);
}

void limit_walk(const f2l_learned_net *net, double *state, const f2l_settle_word *word)
{
    const size_t V = net->c->value_dim, size = net->c->key_dim * V;
    for (size_t i = 0; i < word->count; i++)
        for (size_t h = 0; h < net->c->heads; h++)
            f2l_learned_apply(state + h * size, state + h * size, net, word->letter[i], h, V, true);
}

void limit_state_after(double *state, const f2l_learned_net *net, const f2l_settle_word *word)
{
    const size_t size = net->c->heads * net->c->key_dim * net->c->value_dim;
    memset(state, 0, size * sizeof *state);
    if (net->start) memcpy(state, net->start, size * sizeof *state);
    limit_walk(net, state, word);
}

void limit_read_states(double *o, const f2l_learned_net *net, const double *state, size_t letter)
{
    const size_t H = net->c->heads, K = net->c->key_dim, V = net->c->value_dim;
    memset(o, 0, H * V * sizeof *o);
    for (size_t i = 0; i < H * K; i++)
        for (size_t j = 0; j < V; j++)
            o[i / K * V + j] += net->query[letter * H * K + i] * state[i * V + j] / sqrt((double)K);
}
