#include "models/learn/seq/mixer.h"
#include "numeric/json/members.h"
#include <string.h>

f2l_seq_config f2l_seq_config_default(size_t letters, size_t labels)
{
    const size_t width = 128;
    return (f2l_seq_config){.letters = letters,
                            .labels = labels,
                            .layers = 1,
                            .width = width,
                            .mlp = 4 * width,
                            .convolution = 0,
                            .epsilon = 1e-6,
                            .mixer = f2l_mixers[0],
                            .negative = true,
                            .heads = 4,
                            .householders = 1,
                            .key_dim = 32,
                            .value_dim = 32,
                            .slope = 1,
                            .additive = false,
                            .learned_start = true,
                            .forget_gate = false,
                            .silu_keys = false,
                            .normalise_keys = true,
                            .channels = 2 * width,
                            .states = 16,
                            .step_rank = width / 16};
}

static const char *mixer_name(size_t i)
{
    return f2l_mixers[i] != NULL ? f2l_mixers[i]->name : NULL;
}

/* A configuration with its mixer as a number in the table of mixers. */
typedef struct numbered {
    f2l_seq_config config;
    unsigned mixer;
} numbered;

#define ROW(member, ...) F2L_MEMBER_AS(#member, numbered, config.member, __VA_ARGS__)
#define SIZE(member, least, most) ROW(member, F2L_IN(least, most), .how = F2L_MAY_MISS)
#define REAL(member) ROW(member, F2L_POSITIVE, .how = F2L_MAY_MISS, .digits = 17)
#define FLAG(member) ROW(member, .how = F2L_MAY_MISS)
#define SPARE (F2L_MAY_MISS | F2L_SKIP_ZERO)
static const f2l_member rows[] = {
    SIZE(letters, 1, F2L_SEQ_MAX_SIZE),
    SIZE(labels, 1, F2L_SEQ_MAX_SIZE),
    SIZE(layers, 1, F2L_SEQ_MAX_LAYERS),
    SIZE(width, 1, F2L_SEQ_MAX_SIZE),
    SIZE(mlp, 0, F2L_SEQ_MAX_SIZE),
    SIZE(convolution, 0, 64),
    REAL(epsilon),
    F2L_MEMBER_ONE_OF("mixer", numbered, mixer, mixer_name, .how = F2L_MAY_MISS),
    FLAG(negative),
    ROW(initializer_range, F2L_POSITIVE, .how = SPARE, .digits = 17),
    SIZE(heads, 1, F2L_SEQ_MAX_SIZE),
    SIZE(householders, 1, F2L_SEQ_MAX_HOUSEHOLDERS),
    SIZE(key_dim, 1, F2L_SEQ_MAX_HEAD_DIM),
    SIZE(value_dim, 1, F2L_SEQ_MAX_HEAD_DIM),
    REAL(slope),
    ROW(clamped_betas, .how = SPARE),
    FLAG(additive),
    FLAG(learned_start),
    FLAG(forget_gate),
    ROW(output_gate, .how = SPARE),
    ROW(key_epsilon, F2L_POSITIVE, .how = SPARE, .digits = 17),
    ROW(exact_keys, .how = SPARE),
    ROW(ternary_keys, .how = SPARE),
    ROW(key_pull, F2L_POSITIVE, .how = SPARE, .digits = 17),
    FLAG(silu_keys),
    FLAG(normalise_keys),
    SIZE(channels, 1, F2L_SEQ_MAX_SIZE),
    SIZE(states, 1, F2L_SEQ_MAX_SIZE),
    SIZE(step_rank, 1, F2L_SEQ_MAX_SIZE),
    ROW(convolution_bias, .how = SPARE),
    ROW(window, F2L_IN(0, F2L_SEQ_MAX_SIZE), .how = SPARE)};
static const f2l_members members = F2L_MEMBERS(rows);

/* Returns the configuration, whose mixer is in the table. */
static numbered number_mixer(const f2l_seq_config *config)
{
    numbered n = {*config, 0};
    while (f2l_mixers[n.mixer] != NULL && f2l_mixers[n.mixer] != config->mixer) n.mixer++;
    return n;
}

/* Returns why betas or keys cannot be as they are asked for; NULL: they can. */
static const char *refuse_exact(const f2l_seq_config *c)
{
    if (c->ternary_keys && !c->exact_keys)
        return "ternary keys (ternary_keys) have no epsilon: they need exact_keys";
    if (c->key_pull > 0 && (!c->ternary_keys || c->key_dim < 2))
        return "only ternary keys (ternary_keys) of two numbers or more are pulled (key_pull)";
    if (!c->clamped_betas && !c->exact_keys) return NULL;
    if (c->mixer != f2l_mixers[0])
        return "clamped betas (clamped_betas) and exact keys (exact_keys) belong to the mixer "
               "delta";
    if (c->exact_keys && !c->normalise_keys)
        return "keys of any length (normalise_keys) are not exact (exact_keys)";
    if (c->exact_keys && c->key_epsilon > 0)
        return "exact keys (exact_keys) have no epsilon (key_epsilon)";
    return NULL;
}

f2l_status f2l_seq_config_check(const f2l_seq_config *config, f2l_error *err)
{
    if (config->mixer == NULL) return f2l_fail(err, F2L_EDOMAIN, "unknown mixer");
    const f2l_status status = f2l_members_check(config, &members, err);
    if (status != F2L_OK) return status;
    const char *why = config->mixer->refuses ? config->mixer->refuses(config) : NULL;
    if (why == NULL) why = refuse_exact(config);
    return why == NULL ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "%s", why);
}

f2l_status f2l_seq_config_write(f2l_buf *out, const f2l_seq_config *config, f2l_error *err)
{
    const f2l_status status = f2l_seq_config_check(config, err);
    if (status != F2L_OK) return status;
    const numbered n = number_mixer(config);
    f2l_members_write(out, &members, &n);
    return f2l_buf_status(out, err);
}

f2l_status f2l_seq_config_take(f2l_seq_config *config, const json_t *object, const char *what,
                               f2l_error *err)
{
    numbered n = number_mixer(config);
    const f2l_status status = f2l_members_read(&n, &members, object, what, err);
    if (status != F2L_OK) return status;
    *config = n.config;
    config->mixer = f2l_mixers[n.mixer];
    return F2L_OK;
}

f2l_status f2l_seq_config_read(f2l_seq_config *config, const char *text, size_t size,
                               f2l_error *err)
{
    static const char what[] = "the configuration";
    f2l_status status;
    json_t *object = f2l_json_load(&status, text, size, what, err);
    if (object != NULL) status = f2l_seq_config_take(config, object, what, err);
    if (err != NULL) err->line = err->column = 0; /* the text is inside another one */
    json_decref(object);
    return status;
}

f2l_status f2l_seq_config_same(const f2l_seq_config *a, const f2l_seq_config *b, f2l_error *err)
{
    const numbered x = number_mixer(a), y = number_mixer(b);
    f2l_status status = F2L_OK;
    f2l_buf left, right;
    f2l_buf_init(&left);
    f2l_buf_init(&right);
    for (size_t i = 0; i < members.count && status == F2L_OK; i++) {
        const f2l_members one = {&rows[i], 1, false};
        left.size = right.size = 0;
        f2l_members_write(&left, &one, &x);
        f2l_members_write(&right, &one, &y);
        status = f2l_buf_status(&left, err);
        if (status == F2L_OK) status = f2l_buf_status(&right, err);
        if (status == F2L_OK && strcmp(left.data, right.data) != 0)
            status = f2l_fail(err, F2L_EFORMAT, "%s differs: %s and %s", rows[i].name, left.data,
                              right.data);
    }
    f2l_buf_clear(&left);
    f2l_buf_clear(&right);
    return status;
}
