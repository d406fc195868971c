#include "models/learn/inspect/inspect.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/layer_betas.h"

/* The betas of the words of one layer are the betas of their letters, as inspect has them. */
Test(layer_betas, one_layer_has_the_betas_of_its_letters)
{
    learned_case c;
    f2l_inspect x;
    f2l_inspect_spread *spread;
    learned_s3(&c);
    learned_read(&c);
    const size_t count = c.trained.model.parameters, N = c.trained.model.config.householders;
    double *wide = f2l_calloc(count, sizeof *wide);
    double *value = f2l_calloc(c.sample.states * N, sizeof *value);
    cr_assert(wide != NULL && value != NULL);
    for (size_t i = 0; i < count; i++) wide[i] = (double)c.trained.parameters[i];
    f2l_inspect_init(&x);
    cr_assert(f2l_inspect_build(&x, &c.trained.model, wide, NULL, NULL, &c.err) == F2L_OK);
    cr_assert(f2l_learned_layer_betas(&spread, &c.reader, &c.sample, NULL, &c.err) == F2L_OK);
    for (size_t h = 0; h < x.heads; h++) {
        f2l_inspect_spread other;
        for (size_t i = 0; i < c.sample.states * N; i++)
            value[i] = x.head[h].beta[c.sample.letter[i / N] * N + i % N];
        f2l_inspect_spread_of(&other, value, c.sample.states * N, 0, 2);
        cr_assert(spread[h].count == other.count && spread[h].near_high == other.near_high);
        for (size_t q = 0; q < F2L_INSPECT_QUANTILES; q++)
            cr_assert(fabs(spread[h].quantile[q] - other.quantile[q]) < 1e-5);
    }
    f2l_free(spread);
    f2l_inspect_clear(&x);
    f2l_free(wide);
    f2l_free(value);
    learned_clear(&c);
}

static float *tensor(learned_case *c, const char *name, size_t *count)
{
    const f2l_seq_tensor *t = f2l_seq_find(&c->trained.model, name);
    cr_assert_not_null(t, "%s", name);
    *count = t->count;
    return c->trained.parameters + t->offset;
}

static void copy(learned_case *c, const char *to, const char *from)
{
    size_t a, b;
    float *x = tensor(c, to, &a), *y = tensor(c, from, &b);
    cr_assert_eq(a, b);
    memcpy(x, y, a * sizeof *x);
}

/* Makes a network of two layers, of which the first one adds nothing and the second one has its
 * norm and its betas. */
static void twins(learned_case *c)
{
    const f2l_data_options options = {.kind = F2L_DATA_AUTOMATON,
                                      .label = F2L_LABEL_STATES,
                                      .stream = 1,
                                      .tokens = 2,
                                      .begin = true};
    size_t count;
    memset(c, 0, sizeof *c);
    f2l_experiment_file_init(&c->run);
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->data);
    data_family(&c->fsa, "symmetric", 3, false);
    data_build(&c->data, &options, &c->fsa);
    f2l_seq_config config = f2l_seq_config_default(c->data.letters.count, c->data.labels.count);
    config.layers = config.heads = config.householders = 2;
    config.width = 16;
    config.key_dim = config.value_dim = 4;
    config.mlp = 0;
    cr_assert(f2l_seq_init(&c->trained.model, &config, &c->err) == F2L_OK, "%s", c->err.text);
    c->trained.parameters = f2l_calloc(c->trained.model.parameters, sizeof *c->trained.parameters);
    f2l_seq_start_f32(c->trained.parameters, &c->trained.model, 5);
    float *out = tensor(c, "layers.0.mixer.o_proj.weight", &count);
    memset(out, 0, count * sizeof *out);
    copy(c, "layers.1.mixer.b_proj.weight", "layers.0.mixer.b_proj.weight");
    copy(c, "layers.1.mixer_norm.weight", "layers.0.mixer_norm.weight");
}

Test(layer_betas, layers_with_equal_input_and_weights_have_equal_betas)
{
    learned_case c;
    f2l_inspect_spread *spread;
    twins(&c);
    learned_read(&c);
    cr_assert(f2l_learned_layer_betas(&spread, &c.reader, &c.sample, NULL, &c.err) == F2L_OK);
    for (size_t h = 0; h < 2; h++) {
        /* Two factors of two letters, the automaton's and the padding letter. */
        cr_assert_eq(spread[h].count, 4 * c.sample.states);
        cr_assert_eq(memcmp(&spread[h], &spread[2 + h], sizeof *spread), 0);
    }
    cr_assert(spread[0].quantile[0] < spread[0].quantile[6]);
    f2l_free(spread);
    size_t count;
    float *beta = tensor(&c, "layers.1.mixer.b_proj.weight", &count);
    memset(beta, 0, count * sizeof *beta);
    cr_assert(f2l_learned_layer_betas(&spread, &c.reader, &c.sample, NULL, &c.err) == F2L_OK);
    cr_assert(spread[2].quantile[0] == 1 && spread[3].quantile[6] == 1);
    f2l_free(spread);
    learned_clear(&c);
}
