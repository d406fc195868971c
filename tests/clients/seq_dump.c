/* Sequence models in the layout of flash-linear-attention, for fla_roundtrip.py.
 *
 * - seq_dump write DIR: writes DIR/CASE/ for every case below: model.safetensors and config.json in
 *   that layout, letters.u32 ([B][T]), logits.f64 ([B][T][labels]: in double precision from the
 *   weights as floats), case.json.
 * - seq_dump back CASE FOLDER: reads config.json and model.safetensors of FOLDER, which
 *   flash-linear-attention saved, and compares them with the case: the configuration, the weights
 *   bit for bit and the logits. Exit status 0: all equal. */
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/train/seq_f64.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SEQUENCES = 3, LENGTH = 192, POSITIONS = SEQUENCES * LENGTH };

static const struct {
    const char *name;
    bool diagonal, negative, forget_gate, silu;
    size_t householders, convolution, key_dim, value_dim, letters, labels, step_rank;
    double slope;
} sample[] = {{"delta-signed", false, true, false, false, 1, 0, 32, 32, 5, 9, 1, 1},
              {"delta-positive-conv", false, false, false, true, 1, 4, 32, 16, 7, 4, 1, 1},
              {"delta-slope", false, true, false, true, 1, 4, 32, 64, 6, 6, 1, 3},
              {"delta-narrow", false, true, false, false, 1, 0, 16, 16, 5, 5, 1, 1},
              {"product-2", false, true, false, true, 2, 0, 64, 32, 5, 9, 1, 1},
              {"product-3-conv", false, true, false, true, 3, 4, 32, 32, 6, 6, 1, 4},
              {"product-2-gate", false, false, true, true, 2, 4, 32, 32, 4, 8, 1, 1},
              {"product-1-gate", false, true, true, true, 1, 0, 32, 32, 4, 8, 1, 1},
              {"mamba", true, false, false, true, 1, 4, 1, 1, 5, 9, 4, 1},
              {"mamba-rank", true, false, false, true, 1, 3, 1, 1, 8, 3, 7, 1}};
#define CASES (sizeof sample / sizeof *sample)

static void need(f2l_status status, const f2l_error *err, const char *what)
{
    if (status == F2L_OK) return;
    fprintf(stderr, "seq_dump: %s: %s\n", what, err->text);
    exit(EXIT_FAILURE);
}

typedef struct model {
    f2l_seq seq;
    float *parameter;
    uint32_t letter[POSITIONS];
    double *logit; /* [POSITIONS][labels] */
} model;

static f2l_seq_config config_of(size_t number)
{
    f2l_seq_config c = f2l_seq_config_default(sample[number].letters, sample[number].labels);
    c.layers = 2;
    c.width = 64;
    c.mlp = sample[number].diagonal ? 0 : 96;
    c.mixer = sample[number].diagonal ? &f2l_mixer_diagonal : &f2l_mixer_delta;
    c.negative = sample[number].negative;
    c.additive = true;
    c.learned_start = false;
    c.forget_gate = sample[number].forget_gate;
    c.silu_keys = sample[number].silu;
    c.heads = 2;
    c.householders = sample[number].householders;
    c.convolution = sample[number].convolution;
    c.key_dim = sample[number].key_dim;
    c.value_dim = sample[number].value_dim;
    c.slope = sample[number].slope;
    c.channels = 128;
    c.states = 16;
    c.step_rank = sample[number].step_rank;
    return c;
}

/* Returns the logits of the first `labels` labels; the model may have more. */
static double *logits_of(const f2l_seq *seq, const float *parameter, const uint32_t *letter,
                         size_t labels)
{
    const f2l_seq_plan plan = {SEQUENCES, LENGTH, false};
    const f2l_seq_batch batch = {.sequences = SEQUENCES, .length = LENGTH, .letter = letter};
    const size_t all = seq->config.labels;
    f2l_error err = {0};
    f2l_seq_work_f64 *work;
    need(f2l_seq_work_new_f64(&work, seq, &plan, NULL, &err), &err, "memory");
    double *wide = calloc(seq->parameters, sizeof *wide),
           *logit = calloc(POSITIONS * all, sizeof *logit);
    if (wide == NULL || logit == NULL) need(f2l_fail_memory(&err), &err, "memory");
    for (size_t i = 0; i < seq->parameters; i++) wide[i] = (double)parameter[i];
    need(f2l_seq_logits_f64(logit, NULL, &batch, wide, work, &err), &err, "logits");
    for (size_t i = 0; i < POSITIONS; i++)
        memmove(logit + i * labels, logit + i * all, labels * sizeof *logit);
    f2l_seq_work_free_f64(work);
    free(wide);
    return logit;
}

/* Returns the shift of a tensor's numbers. It is larger for Mamba's steps, which start near 0.01,
 * where the rates of its states would hardly show. */
static float shift_of(const f2l_seq_tensor *tensor)
{
    return strstr(tensor->name, ".A_log") != NULL || strstr(tensor->name, ".dt_proj.") != NULL
               ? 4
               : 0.2F;
}

/* Builds a model with its first parameters, moved so that no tensor is constant and the logits
 * differ visibly. */
static void build(model *m, size_t number)
{
    const f2l_seq_config config = config_of(number);
    f2l_error err = {0};
    f2l_rng rng;
    need(f2l_seq_init(&m->seq, &config, &err), &err, "model");
    m->parameter = calloc(m->seq.parameters, sizeof *m->parameter);
    if (m->parameter == NULL) need(f2l_fail_memory(&err), &err, "memory");
    f2l_seq_start_f32(m->parameter, &m->seq, number + 1);
    f2l_rng_init(&rng, number, 1);
    for (size_t t = 0; t < m->seq.tensors; t++) {
        const f2l_seq_tensor *tensor = &m->seq.tensor[t];
        for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++)
            m->parameter[i] +=
                shift_of(tensor) * ((float)ldexp((double)f2l_rng_u32(&rng), -32) - 0.5F);
    }
    for (size_t i = 0; i < POSITIONS; i++)
        m->letter[i] = (uint32_t)f2l_rng_below(&rng, config.letters);
    m->logit = logits_of(&m->seq, m->parameter, m->letter, config.labels);
}

static void clear(model *m)
{
    free(m->parameter);
    free(m->logit);
    f2l_seq_clear(&m->seq);
}

static void write_to(const char *folder, const char *name, const void *bytes, size_t size)
{
    f2l_buf path;
    f2l_error err = {0};
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    need(f2l_buf_status(&path, &err), &err, "memory");
    need(f2l_write_file(path.data, bytes, size, &err), &err, path.data);
    f2l_buf_clear(&path);
}

static void read_from(f2l_buf *bytes, const char *folder, const char *name)
{
    f2l_buf path;
    f2l_error err = {0};
    f2l_buf_init(&path);
    f2l_buf_init(bytes);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    need(f2l_buf_status(&path, &err), &err, "memory");
    need(f2l_read_file(bytes, path.data, 0, &err), &err, path.data);
    f2l_buf_clear(&path);
}

static void write_case(const char *dir, size_t number)
{
    f2l_buf folder, file, config, about;
    f2l_error err = {0};
    model m;
    build(&m, number);
    f2l_buf_init(&folder);
    f2l_buf_init(&file);
    f2l_buf_init(&config);
    f2l_buf_init(&about);
    f2l_buf_printf(&folder, "%s/%s", dir, sample[number].name);
    (void)mkdir(folder.data, 0777); /* the writer below reports a failure */
    need(f2l_seq_write_fla_f32(&file, &m.seq, m.parameter, &err), &err, sample[number].name);
    need(f2l_seq_write_fla_config(&config, &m.seq, &err), &err, sample[number].name);
    f2l_buf_printf(&about,
                   "{\"sequences\":%d,\"length\":%d,\"labels\":%zu,\"parameters\":%zu,"
                   "\"model\":",
                   SEQUENCES, LENGTH, m.seq.config.labels, m.seq.parameters);
    need(f2l_seq_config_write(&about, &m.seq.config, &err), &err, "configuration");
    f2l_buf_text(&about, "}\n");
    write_to(folder.data, "model.safetensors", file.data, file.size);
    write_to(folder.data, "config.json", config.data, config.size);
    write_to(folder.data, "case.json", about.data, about.size);
    write_to(folder.data, "letters.u32", m.letter, sizeof m.letter);
    write_to(folder.data, "logits.f64", m.logit, POSITIONS * m.seq.config.labels * sizeof *m.logit);
    f2l_buf_clear(&folder);
    f2l_buf_clear(&file);
    f2l_buf_clear(&config);
    f2l_buf_clear(&about);
    clear(&m);
    puts(sample[number].name);
}

/* Returns whether the weights of the case equal the file's: the slope is multiplied into a float
 * and divided out again. */
static bool same_weights(const model *m, const f2l_buf *file)
{
    f2l_error err = {0};
    float *back = calloc(m->seq.parameters, sizeof *back);
    if (back == NULL) need(f2l_fail_memory(&err), &err, "memory");
    need(f2l_seq_read_fla_f32(back, &m->seq, file->data, file->size, &err), &err, "the weights");
    size_t different = 0;
    for (size_t t = 0; t < m->seq.tensors; t++) {
        const f2l_seq_tensor *tensor = &m->seq.tensor[t];
        const bool beta = strstr(tensor->name, ".b_proj.") != NULL;
        const double slope = beta ? m->seq.config.slope : 1;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++)
            different +=
                back[i] != (float)((double)(float)(slope * (double)m->parameter[i]) / slope);
    }
    free(back);
    if (different > 0) printf("%zu of %zu weights differ\n", different, m->seq.parameters);
    return different == 0;
}

/* Returns the greatest distance of the logits of the model as it is read without the case:
 * embedding and head have more rows, and the slope is 1. */
static double logits_apart(const model *m, const f2l_seq_config *config, const f2l_buf *file)
{
    f2l_error err = {0};
    f2l_seq seq;
    const size_t labels = m->seq.config.labels;
    need(f2l_seq_init(&seq, config, &err), &err, "the configuration");
    float *parameter = calloc(seq.parameters, sizeof *parameter);
    if (parameter == NULL) need(f2l_fail_memory(&err), &err, "memory");
    need(f2l_seq_read_fla_f32(parameter, &seq, file->data, file->size, &err), &err, "the weights");
    double *logit = logits_of(&seq, parameter, m->letter, labels), worst = 0;
    for (size_t i = 0; i < POSITIONS * labels; i++) {
        const double apart = fabs(logit[i] - m->logit[i]);
        if (!(apart <= worst)) worst = apart;
    }
    free(logit);
    free(parameter);
    f2l_seq_clear(&seq);
    return worst;
}

static int read_back(size_t number, const char *folder)
{
    f2l_buf config, file;
    f2l_error err = {0};
    f2l_seq_fla read;
    model m;
    build(&m, number);
    read_from(&config, folder, "config.json");
    read_from(&file, folder, "model.safetensors");
    need(f2l_seq_read_fla_config(&read, config.data, config.size, &err), &err, "config.json");
    const bool same = same_weights(&m, &file);
    const double apart = logits_apart(&m, &read.config, &file);
    printf("{\"case\":\"%s\",\"weights_equal\":%s,\"logits_apart\":%g}\n", sample[number].name,
           same ? "true" : "false", apart);
    f2l_buf_clear(&config);
    f2l_buf_clear(&file);
    clear(&m);
    return same && apart < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        (void)mkdir(argv[2], 0777);
        for (size_t i = 0; i < CASES; i++) write_case(argv[2], i);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; argc == 4 && strcmp(argv[1], "back") == 0 && i < CASES; i++)
        if (strcmp(argv[2], sample[i].name) == 0) return read_back(i, argv[3]);
    fprintf(stderr, "usage: seq_dump write DIR | seq_dump back CASE FOLDER\n");
    return EXIT_FAILURE;
}
