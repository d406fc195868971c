#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "tests/support/train/seq_support.h"
#include <jansson.h>

#define SEED 31

static f2l_buf written(const seq_case *s)
{
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert(f2l_seq_write_f64(&out, &s->model, s->parameter, &err) == F2L_OK, "%s", err.text);
    return out;
}

Test(seq_file, what_is_written_is_read)
{
    f2l_seq_config c;
    for (size_t number = 0; config_sample(&c, number); number++) {
        seq_case s = seq_case_of(&c, SEED);
        f2l_buf file = written(&s), again;
        f2l_seq model;
        double *parameter;
        float *narrow;
        f2l_error err = {0};
        cr_assert(f2l_seq_read_f64(&model, &parameter, file.data, file.size, &err) == F2L_OK, "%s",
                  err.text);
        cr_assert(model.parameters == s.model.parameters && model.config.mixer == c.mixer);
        cr_assert(memcmp(parameter, s.parameter, model.parameters * sizeof *parameter) == 0);
        f2l_buf_init(&again);
        cr_assert(f2l_seq_write_f64(&again, &model, parameter, NULL) == F2L_OK);
        cr_assert(again.size == file.size && memcmp(again.data, file.data, file.size) == 0);
        f2l_seq_clear(&model);
        cr_assert(f2l_seq_read_f32(&model, &narrow, file.data, file.size, &err) == F2L_OK);
        for (size_t i = 0; i < model.parameters; i++) cr_assert(narrow[i] == (float)parameter[i]);
        f2l_buf_clear(&again);
        cr_assert(f2l_seq_write_f32(&again, &model, narrow, NULL) == F2L_OK &&
                  again.size < file.size);
        f2l_free(narrow);
        f2l_seq_clear(&model);
        cr_assert(f2l_seq_read_f32(&model, &narrow, again.data, again.size, &err) == F2L_OK);
        for (size_t i = 0; i < model.parameters; i++) cr_assert(narrow[i] == (float)parameter[i]);
        f2l_free(narrow);
        f2l_seq_clear(&model);
        f2l_free(parameter);
        f2l_buf_clear(&file);
        f2l_buf_clear(&again);
        seq_case_free(&s);
    }
}

/* The header and the data of a file, parsed by the test. */
typedef struct parsed {
    json_t *header;
    const char *data;
} parsed;

static parsed parse(const f2l_buf *file)
{
    uint64_t length = 0;
    for (size_t i = 0; i < 8; i++) length |= (uint64_t)(unsigned char)file->data[i] << 8 * i;
    cr_assert(length % 8 == 0 && length + 8 <= file->size);
    parsed p = {json_loadb(file->data + 8, length, JSON_REJECT_DUPLICATES, NULL),
                file->data + 8 + length};
    cr_assert(p.header != NULL);
    return p;
}

/* Returns a file of `header` (whose reference it takes) with the data of another file. */
static f2l_buf joined(json_t *header, const f2l_buf *file)
{
    f2l_buf out;
    char *text = json_dumps(header, JSON_COMPACT | JSON_PRESERVE_ORDER);
    uint64_t length = strlen(text), old = 0;
    unsigned char little[8];
    for (size_t i = 0; i < 8; i++) little[i] = (unsigned char)(length >> 8 * i);
    for (size_t i = 0; i < 8; i++) old |= (uint64_t)(unsigned char)file->data[i] << 8 * i;
    f2l_buf_init(&out);
    f2l_buf_bytes(&out, little, 8);
    f2l_buf_bytes(&out, text, length);
    f2l_buf_bytes(&out, file->data + 8 + old, file->size - 8 - old);
    free(text);
    json_decref(header);
    return out;
}

static void expect_refused(const f2l_buf *file, size_t size, const char *what)
{
    f2l_seq model;
    double *parameter;
    f2l_error err = {0};
    f2l_status status = f2l_seq_read_f64(&model, &parameter, file->data, size, &err);
    cr_assert(status == F2L_EFORMAT, "%s", what);
    cr_assert(parameter == NULL && model.tensor == NULL && err.text[0] != '\0');
}

Test(seq_file, damaged_files_are_refused)
{
    f2l_seq_config c = small_config();
    seq_case s = seq_case_of(&c, SEED);
    f2l_buf file = written(&s);
    for (size_t size = 0; size < file.size; size += size < 100 ? 1 : 97)
        expect_refused(&file, size, "cut");
    for (size_t change = 0; change < 13; change++) {
        parsed p = parse(&file);
        json_t *tensor = json_object_get(p.header, "layers.1.mixer.k_proj.weight"),
               *about = json_object_get(p.header, "__metadata__");
        if (change == 0) json_object_del(p.header, "norm.weight");
        if (change == 1) json_object_set_new(p.header, "other.weight", json_deep_copy(tensor));
        if (change == 2) json_object_set_new(tensor, "dtype", json_string("I64"));
        if (change == 3) json_array_set_new(json_object_get(tensor, "shape"), 0, json_integer(13));
        if (change == 4) json_array_append_new(json_object_get(tensor, "shape"), json_integer(1));
        if (change == 5)
            json_array_set_new(json_object_get(tensor, "data_offsets"), 1, json_integer(8000000));
        if (change == 6)
            json_array_set_new(json_object_get(tensor, "data_offsets"), 0, json_integer(-8));
        if (change == 7) json_object_del(p.header, "__metadata__");
        if (change == 8) json_object_set_new(about, "kind", json_string("wired"));
        if (change == 9) json_object_set_new(about, "config", json_string("{\"layers\":0}"));
        if (change == 10) json_object_set_new(about, "schema", json_string("2"));
        if (change == 11) json_object_set_new(tensor, "dtype", json_string("F32"));
        if (change == 12) { /* numbers of another tensor; the tensor's own are unused */
            const json_t *other = json_object_get(p.header, "layers.0.mixer.k_proj.weight");
            json_object_set_new(tensor, "data_offsets",
                                json_deep_copy(json_object_get(other, "data_offsets")));
        }
        f2l_buf bad = joined(p.header, &file);
        char what[32];
        snprintf(what, sizeof what, "change %zu", change);
        expect_refused(&bad, bad.size, what);
        f2l_buf_clear(&bad);
    }
    f2l_buf longer;
    f2l_buf_init(&longer);
    f2l_buf_bytes(&longer, file.data, file.size);
    f2l_buf_bytes(&longer, "01234567", 8);
    expect_refused(&longer, longer.size, "bytes that belong to no tensor");
    f2l_buf_clear(&longer);
    double x = NAN;
    memcpy(file.data + file.size - 16, &x, sizeof x);
    expect_refused(&file, file.size, "NaN");
    f2l_buf_clear(&file);
    s.parameter[5] = INFINITY;
    cr_assert(f2l_seq_write_f64(&file, &s.model, s.parameter, NULL) == F2L_EDOMAIN);
    f2l_buf_clear(&file);
    seq_case_free(&s);
}

/* A configuration that promises more numbers than the file has is refused before memory is
 * taken. */
Test(seq_file, short_files_cost_no_memory)
{
    f2l_seq_config c = small_config();
    seq_case s = seq_case_of(&c, SEED);
    f2l_buf file = written(&s), config;
    parsed p = parse(&file);
    f2l_error err;
    f2l_buf_init(&config);
    c.letters = c.width = c.mlp = F2L_SEQ_MAX_SIZE;
    cr_assert(f2l_seq_config_write(&config, &c, NULL) == F2L_OK);
    json_object_set_new(json_object_get(p.header, "__metadata__"), "config",
                        json_string(config.data));
    f2l_buf bad = joined(p.header, &file);
    f2l_seq model;
    float *parameter;
    cr_assert(f2l_seq_read_f32(&model, &parameter, bad.data, bad.size, &err) == F2L_EFORMAT);
    cr_assert(strstr(err.text, "too short") != NULL, "%s", err.text);
    f2l_buf_clear(&bad);
    f2l_buf_clear(&config);
    f2l_buf_clear(&file);
    seq_case_free(&s);
}

/* Sets c to a sample that flash-linear-attention can express; returns false after the last. */
static bool fla_sample(f2l_seq_config *c, size_t number)
{
    *c = small_config();
    c->additive = true;
    c->learned_start = false;
    c->width = 8;
    c->key_dim = c->value_dim = 4;
    if (number < 2) { /* DeltaNet */
        c->householders = 1;
        c->silu_keys = number == 1;
        c->convolution = number == 1 ? 4 : 0;
    } else if (number < 4) {
        c->householders = number == 2 ? 3 : 1;
        c->silu_keys = true;
        c->forget_gate = number == 3;
        c->slope = 4;
    } else {
        c->mixer = &f2l_mixer_diagonal;
        c->negative = false;
        c->mlp = 0;
        c->convolution = 4;
    }
    return number < 5;
}

Test(seq_file, the_layout_of_fla_is_written_and_read)
{
    static const char *const norm[] = {"model.norm.weight", "backbone.norm_f.weight"},
                             *const embedding[] = {"model.embeddings.weight",
                                                   "backbone.embeddings.weight"};
    f2l_seq_config c;
    f2l_seq_fla read;
    f2l_error err = {0};
    for (size_t number = 0; fla_sample(&c, number); number++) {
        const size_t mamba = number == 4;
        seq_case s = seq_case_of(&c, SEED);
        f2l_buf file, config;
        f2l_seq model;
        f2l_buf_init(&file);
        f2l_buf_init(&config);
        cr_assert(f2l_seq_write_fla_f64(&file, &s.model, s.parameter, &err) == F2L_OK, "%s",
                  err.text);
        cr_assert(f2l_seq_write_fla_config(&config, &s.model, &err) == F2L_OK);
        parsed p = parse(&file);
        cr_assert(json_object_size(p.header) == s.model.tensors + 1);
        cr_assert(json_object_get(p.header, norm[mamba]) != NULL);
        const json_t *rows = json_object_get(json_object_get(p.header, embedding[mamba]), "shape"),
                     *head = json_object_get(json_object_get(p.header, "lm_head.weight"), "shape");
        cr_assert(json_integer_value(json_array_get(rows, 0)) == 4 &&
                  json_integer_value(json_array_get(head, 0)) == 4);
        const json_t *first =
            json_object_get(p.header, mamba ? "backbone.layers.1.mixer.A_log"
                                            : "model.layers.1.attn.q_proj.weight");
        cr_assert(first != NULL);
        cr_assert(json_object_get(p.header, mamba ? "backbone.layers.1.norm.weight"
                                                  : "model.layers.1.attn_norm.weight") != NULL);
        cr_assert(mamba ||
                  json_object_get(p.header, "model.layers.0.mlp.down_proj.weight") != NULL);
        cr_assert(mamba || json_object_get(p.header, "model.layers.0.mlp_norm.weight") != NULL);
        json_decref(p.header);
        cr_assert(f2l_seq_read_fla_config(&read, config.data, config.size, &err) == F2L_OK, "%s",
                  err.text);
        cr_assert(read.config.letters == 4 && read.config.labels == 4 && read.config.slope == 1 &&
                  read.config.negative == c.negative && read.share == 1);
        cr_assert(f2l_seq_init(&model, &read.config, &err) == F2L_OK);
        double *parameter = f2l_calloc(model.parameters, sizeof *parameter);
        cr_assert(f2l_seq_read_fla_f64(parameter, &model, file.data, file.size, &err) == F2L_OK,
                  "%s", err.text);
        /* The models answer alike: the slope is in the weights, and the added letter is never
         * used. */
        seq_batch b;
        double x[BATCH_CELLS * 4], y[BATCH_CELLS * 4];
        seq_batch_fill(&b, &s.model, 4, 8, SEED);
        f2l_seq_work_f64 *one = work_of(&s.model, 4, 8, false), *two = work_of(&model, 4, 8, false);
        cr_assert(f2l_seq_logits_f64(x, NULL, &b.batch, s.parameter, one, NULL) == F2L_OK);
        cr_assert(f2l_seq_logits_f64(y, NULL, &b.batch, parameter, two, NULL) == F2L_OK);
        for (size_t i = 0; i < 4 * 8 * 4; i++)
            cr_assert(fabs(x[i] - y[i]) < 1e-4, "%zu: %g, %g", number, x[i], y[i]);
        /* Read back into the model with its slope, the weights are the same as floats. */
        double *back = f2l_calloc(s.model.parameters, sizeof *back);
        cr_assert(f2l_seq_read_fla_f64(back, &s.model, file.data, file.size, &err) == F2L_OK, "%s",
                  err.text);
        for (size_t i = 0; i < s.model.parameters; i++)
            cr_assert(back[i] == (double)(float)s.parameter[i]);
        f2l_free(back);
        f2l_free(parameter);
        f2l_seq_work_free_f64(one);
        f2l_seq_work_free_f64(two);
        f2l_seq_clear(&model);
        f2l_buf_clear(&file);
        f2l_buf_clear(&config);
        seq_case_free(&s);
    }
}

Test(seq_file, what_fla_has_not_is_refused)
{
    for (size_t change = 0; change < 11; change++) {
        f2l_seq_config c;
        f2l_error err = {0};
        static const char *const why[] = {"H_0",         "values",   "normalised",  "no MLP",
                                          "epsilon",     "SiLU",     "eigenvalues", "have no MLP",
                                          "convolution", "expand_v", "expand would"};
        (void)fla_sample(&c, (change >= 6 && change < 9) || change == 10 ? 4 : change == 5 ? 2 : 0);
        if (change == 0) c.learned_start = true;
        if (change == 1) {
            c.additive = false;
            c.learned_start = true;
        }
        if (change == 2) c.normalise_keys = false;
        if (change == 3) c.mlp = 0;
        if (change == 4) c.epsilon = 1e-5;
        if (change == 5) c.silu_keys = false;
        if (change == 6) c.negative = true;
        if (change == 7) c.mlp = 5;
        if (change == 8) c.convolution = 0;
        if (change == 9) { /* 49 (1 / 49) < 1 */
            c.width = 49;
            c.heads = c.value_dim = 1;
            c.key_dim = 49;
        }
        if (change == 10) { /* 11 (15 / 11) < 15 */
            c.width = 11;
            c.channels = 15;
        }
        seq_case s = seq_case_of(&c, SEED);
        f2l_buf file;
        f2l_buf_init(&file);
        cr_assert(f2l_seq_write_fla_f64(&file, &s.model, s.parameter, &err) == F2L_EDOMAIN, "%zu",
                  change);
        cr_assert(strstr(err.text, why[change]) != NULL, "%zu: %s", change, err.text);
        cr_assert(f2l_seq_write_fla_config(&file, &s.model, NULL) == F2L_EDOMAIN && file.size == 0);
        seq_case_free(&s);
    }
}

Test(seq_file, configurations_of_fla_that_differ_are_refused)
{
#define USUAL \
    "{\"model_type\":\"delta_net\",\"vocab_size\":8,\"num_hidden_layers\":1,\"hidden_size\":8," \
    "\"num_" \
    "heads\":2," \
    "\"intermediate_size\":4,\"norm_eps\":1e-6,\"expand_k\":1,\"expand_v\":1," \
    "\"qk_activation\":\"silu\"," \
    "\"use_short_conv\":false,\"allow_neg_eigval\":true"
    static const struct {
        const char *text;
        f2l_status status;
    } sample[] = {{USUAL "}", F2L_OK},
                  {USUAL ",\"use_gate\":true}", F2L_OK},
                  {USUAL ",\"use_gate\":1}", F2L_EFORMAT},
                  {USUAL ",\"window\":null}", F2L_OK},
                  {USUAL ",\"window\":false}", F2L_EDOMAIN},
                  {USUAL ",\"conv_bias\":true}", F2L_EDOMAIN},
                  {USUAL ",\"use_beta\":false}", F2L_EDOMAIN},
                  {USUAL ",\"qk_norm\":\"sum\"}", F2L_EDOMAIN},
                  {USUAL ",\"hidden_act\":\"powlu\"}", F2L_EDOMAIN},
                  {USUAL ",\"hidden_act\":\"swish\",\"attn\":null,"
                         "\"attnres_block_size\":null}",
                   F2L_OK},
                  {USUAL ",\"attn\":{\"layers\":[0]}}", F2L_EDOMAIN},
                  {USUAL ",\"attnres_block_size\":2}", F2L_EDOMAIN},
                  {USUAL ",\"tie_word_embeddings\":true}", F2L_OK},
                  {USUAL ",\"tie_word_embeddings\":1}", F2L_EFORMAT},
                  {USUAL ",\"norm_eps\":1e-5}", F2L_EFORMAT}, /* given twice */
                  {USUAL ",\"vocab_size\":9}", F2L_EFORMAT},
                  {"{\"model_type\":\"rwkv7\"}", F2L_EDOMAIN},
                  {"{\"model_type\":\"delta_net\"}", F2L_EFORMAT},
                  {"[1]", F2L_EFORMAT},
                  {"", F2L_EFORMAT}};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        f2l_seq_fla read = {.config = small_config(), .share = 1};
        f2l_error err = {0};
        f2l_status status =
            f2l_seq_read_fla_config(&read, sample[i].text, strlen(sample[i].text), &err);
        cr_assert(status == sample[i].status, "%zu: %s", i, err.text);
        const f2l_seq_config c = read.config;
        cr_assert(c.width == (status == F2L_OK ? 8 : 6));
        if (status == F2L_OK)
            cr_assert(c.key_dim == 4 && c.heads == 2 && c.silu_keys && c.negative &&
                      c.convolution == 0);
    }
}

/* MambaConfig of flash-linear-attention writes dt_rank and norm_eps, and the width of the MLP may
 * be left open. */
Test(seq_file, configurations_that_fla_writes_are_read)
{
#define MAMBA \
    "{\"model_type\":\"mamba\",\"vocab_size\":8,\"num_hidden_layers\":1,\"hidden_size\":40," \
    "\"intermediate_" \
    "size\":80," \
    "\"state_size\":4,\"conv_kernel\":4,\"use_conv_bias\":false"
#define DELTA \
    "{\"model_type\":\"delta_net\",\"vocab_size\":8,\"num_hidden_layers\":1,\"hidden_size\":100," \
    "\"num_" \
    "heads\":2," \
    "\"norm_eps\":1e-6,\"expand_k\":1,\"expand_v\":1,\"qk_activation\":\"silu\"," \
    "\"use_short_conv\":false," \
    "\"allow_neg_eigval\":true"
    static const struct {
        const char *text;
        f2l_status status;
        size_t rank, mlp;
        double epsilon;
    } sample[] = {
        {MAMBA ",\"dt_rank\":5,\"norm_eps\":1e-5}", F2L_OK, 5, 0, 1e-5},
        {MAMBA ",\"dt_rank\":\"auto\",\"norm_eps\":1e-5}", F2L_OK, 3, 0, 1e-5},
        {MAMBA ",\"time_step_rank\":7,\"layer_norm_epsilon\":1e-6}", F2L_OK, 7, 0, 1e-6},
        {MAMBA ",\"dt_rank\":5,\"time_step_rank\":7,\"norm_eps\":1e-5,"
               "\"layer_norm_epsilon\":1}",
         F2L_OK, 5, 0, 1e-5},
        {MAMBA ",\"dt_rank\":\"most\",\"norm_eps\":1e-5}", F2L_EFORMAT, 0, 0, 0},
        {MAMBA ",\"dt_rank\":5}", F2L_EFORMAT, 0, 0, 0},
        {DELTA "}", F2L_OK, 8, 512, 1e-6},                                               /* 266 */
        {DELTA ",\"intermediate_size\":null,\"hidden_ratio\":8}", F2L_OK, 8, 768, 1e-6}, /* 533 */
        {DELTA ",\"intermediate_size\":3,\"hidden_ratio\":8}", F2L_OK, 8, 3, 1e-6},
        {DELTA ",\"hidden_ratio\":\"two\"}", F2L_EFORMAT, 0, 0, 0}};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        f2l_seq_fla read = {.config = small_config(), .share = 1};
        f2l_error err = {0};
        f2l_status status =
            f2l_seq_read_fla_config(&read, sample[i].text, strlen(sample[i].text), &err);
        cr_assert(status == sample[i].status, "%zu: %s", i, err.text);
        if (status != F2L_OK) continue;
        const f2l_seq_config c = read.config;
        cr_assert(c.step_rank == sample[i].rank && c.mlp == sample[i].mlp &&
                      c.epsilon == sample[i].epsilon,
                  "%zu: rank %zu, MLP %zu, epsilon %g", i, c.step_rank, c.mlp, c.epsilon);
    }
}

#ifdef F2L_MEM_FAILURES
Test(seq_file, survives_without_memory)
{
    f2l_seq_config c;
    (void)fla_sample(&c, 1);
    seq_case s = seq_case_of(&c, SEED);
    f2l_buf file = written(&s);
    for (size_t kind = 0; kind < 4; kind++) {
        size_t n = 1;
        for (; n < 200; n++) {
            f2l_seq model = {0};
            double *parameter = NULL;
            f2l_buf out;
            f2l_status status;
            f2l_buf_init(&out);
            f2l_mem_fail_after(n, n % 2);
            if (kind == 0)
                status = f2l_seq_read_f64(&model, &parameter, file.data, file.size, NULL);
            else if (kind == 1)
                status = f2l_seq_write_f64(&out, &s.model, s.parameter, NULL);
            else if (kind == 2)
                status = f2l_seq_write_fla_f64(&out, &s.model, s.parameter, NULL);
            else
                status = f2l_seq_write_fla_config(&out, &s.model, NULL);
            f2l_mem_fail_after(0, false);
            f2l_free(parameter);
            f2l_seq_clear(&model);
            f2l_buf_clear(&out);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "kind %zu, allocation %zu", kind,
                      n);
            if (status == F2L_OK) break;
        }
        cr_assert(n > 1 && n < 200);
    }
    f2l_buf_clear(&file);
    seq_case_free(&s);
}
#endif
