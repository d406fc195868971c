#include "tests/support/train/inspect_support.h"

double *inspect_tensor(seq_case *s, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "layers.0.mixer.%s", name);
    const f2l_seq_tensor *t = f2l_seq_find(&s->model, full);
    cr_assert(t != NULL, "%s", full);
    return s->parameter + t->offset;
}

seq_case inspect_case(size_t letters, size_t heads, size_t factors, size_t key, size_t value)
{
    f2l_seq_config c = f2l_seq_config_default(letters, letters);
    f2l_error err = {0};
    c.width = letters;
    c.mlp = 0;
    c.heads = heads;
    c.householders = factors;
    c.key_dim = key;
    c.value_dim = value;
    c.epsilon = 1e-30;
    seq_case s;
    cr_assert(f2l_seq_init(&s.model, &c, &err) == F2L_OK, "%s", err.text);
    s.parameter = f2l_calloc(s.model.parameters, sizeof *s.parameter);
    double *embedding = s.parameter + f2l_seq_find(&s.model, "embedding.weight")->offset;
    double *norm = s.parameter + f2l_seq_find(&s.model, "layers.0.mixer_norm.weight")->offset;
    for (size_t a = 0; a < letters; a++) embedding[a * letters + a] = norm[a] = 1;
    return s;
}

void inspect_set(seq_case *s, size_t letter, size_t head, size_t factor, const double *key,
                 double beta)
{
    const f2l_seq_config *c = &s->model.config;
    const size_t row = factor * c->heads + head, letters = c->letters;
    double *k = inspect_tensor(s, "k_proj.weight"), *b = inspect_tensor(s, "b_proj.weight");
    const double logit = beta <= 0 ? -50 : beta >= 2 ? 50 : log(beta / (2 - beta));
    for (size_t i = 0; i < c->key_dim; i++) k[(row * c->key_dim + i) * letters + letter] = key[i];
    b[row * letters + letter] = logit / sqrt((double)letters);
}

void inspect_start(seq_case *s, size_t head, const double *start)
{
    const f2l_seq_config *c = &s->model.config;
    const size_t each = c->key_dim * c->value_dim;
    memcpy(inspect_tensor(s, "initial_state") + head * each, start, each * sizeof *start);
}

void inspect_build(f2l_inspect *x, const seq_case *s, const unsigned char *used)
{
    f2l_error err = {0};
    f2l_inspect_init(x);
    cr_assert(f2l_inspect_build(x, &s->model, s->parameter, used, NULL, &err) == F2L_OK, "%s",
              err.text);
}

void inspect_set_permutation(seq_case *s, size_t letter, size_t head, const uint32_t *image)
{
    const f2l_seq_config *c = &s->model.config;
    uint32_t left[16];
    size_t factor = 0;
    cr_assert(c->key_dim <= 16);
    for (uint32_t p = 0; p < c->key_dim; p++) left[p] = image[p];
    /* image = first exchange .. last exchange: remove the last one, which sends left[p] to its
     * place. */
    uint32_t pair[16][2];
    for (uint32_t p = 0; p < c->key_dim; p++) {
        if (left[p] == p) continue;
        const uint32_t q = left[p];
        pair[factor][0] = p;
        pair[factor++][1] = q;
        for (uint32_t i = 0; i < c->key_dim; i++)
            left[i] = left[i] == p ? q : left[i] == q ? p : left[i];
    }
    cr_assert(factor <= c->householders);
    for (size_t n = 0; n < c->householders; n++) {
        double key[16] = {0};
        const bool acts = n < factor;
        /* The pair that was removed last is applied first. */
        key[acts ? pair[factor - 1 - n][0] : 0] = 1;
        if (acts) key[pair[factor - 1 - n][1]] = -1;
        inspect_set(s, letter, head, n, key, acts ? 2 : 0);
    }
}
