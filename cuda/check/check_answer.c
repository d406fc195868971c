/* check_answer [host] [SEED]: evaluations on the device against the CPU. First the selective
 * recurrence with its state carried on against doubles, and in pieces bit for bit. Then models of
 * every kind, in float and bf16, whose words are read in pieces of several lengths: the answers
 * must equal the answers of f2l_seq_logits_f64 wherever a logit is clear of the next one (by `open`
 * times the spread of the logits). Each line prints the number of clear answers, of answers that
 * differ at all, and of answers that differ between the ways of cutting the words. Then the seconds
 * that long words take. Exit status 1 when anything failed. With `host` the host's operators
 * replace the device's: a test of this program. */
#include "cuda/check/check_answer_stream.h"
#include "cuda/step/cuda_answer.h"
#include "cuda/step/cuda_mixer.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"
#include "models/learn/seq/dplr/seq_dplr.h"
#include "models/learn/train/cuda_model.h"
#include "numeric/base/mem.h"
#include "numeric/base/task.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/seq_f64.h"
#include <time.h>

static const f2l_cuda_answer_kernels *kernels = &f2l_cuda_answer_device;

enum { ATTENTION = 2, MLSTM };
static const f2l_mixer *const other_mixers[] = {&f2l_mixer_gla, &f2l_mixer_rwkv7,
                                                &f2l_mixer_attention, &f2l_mixer_mlstm};
typedef struct trial {
    const char *name;
    size_t layers, width, mlp, heads, householders, dim, letters, labels;
    bool additive, gate, start, positive;
    size_t sequences, length;
    /* channels > 0: the diagonal mixer; else rank > 0: by the number of householders gla (0), rwkv7
     * (1), ATTENTION, to the last `states` letters (0: the default), or MLSTM */
    size_t convolution, channels, states, rank;
} trial;

static const trial trials[] = {
    {"delta, n=4", 1, 64, 128, 2, 4, 32, 24, 24, false, false, true, false, 9, 150, 0, 0, 0, 0},
    {"delta, three layers", 3, 32, 0, 2, 1, 16, 6, 8, true, false, true, false, 7, 100, 0, 0, 0, 0},
    {"gate, two layers", 2, 48, 64, 3, 2, 16, 9, 7, true, true, false, true, 6, 120, 0, 0, 0, 0},
    {"convolution, n=2", 2, 64, 128, 2, 2, 32, 24, 24, true, false, true, false, 8, 120, 4, 0, 0,
     0},
    {"convolution, gate", 2, 48, 64, 3, 1, 16, 9, 7, true, true, true, false, 5, 90, 3, 0, 0, 0},
    {"convolution of 64", 1, 44, 36, 3, 2, 16, 7, 9, true, false, false, true, 5, 150, 64, 0, 0, 0},
    {"convolution of 1, B = 0", 2, 32, 48, 2, 1, 16, 6, 6, false, true, true, false, 4, 60, 1, 0, 0,
     0},
    {"diagonal, N=16", 2, 64, 128, 0, 0, 0, 24, 24, false, false, false, false, 9, 120, 4, 128, 16,
     4},
    {"diagonal, N=1, bare", 1, 64, 0, 0, 0, 0, 7, 5, false, false, false, true, 6, 100, 0, 96, 1,
     2},
    {"diagonal, odd sizes", 3, 36, 20, 0, 0, 0, 5, 9, false, false, false, false, 5, 77, 3, 45, 5,
     3},
    {"diagonal, N=64", 1, 32, 64, 0, 0, 0, 6, 6, false, false, false, false, 3, 90, 2, 40, 64, 8},
    {"convolution, long", 1, 32, 32, 2, 1, 16, 6, 6, true, true, false, false, 2, 6000, 4, 0, 0, 0},
    {"diagonal, long", 1, 32, 32, 0, 0, 0, 6, 6, false, false, false, false, 2, 6000, 4, 64, 16, 4},
    {"gla, two layers", 2, 48, 64, 3, 0, 16, 9, 7, false, false, false, true, 6, 120, 4, 0, 0, 5},
    {"rwkv7", 1, 64, 128, 2, 1, 32, 24, 24, false, false, false, false, 9, 120, 0, 0, 0, 8},
    {"rwkv7, D=64, odd", 2, 66, 20, 1, 1, 64, 5, 9, false, false, false, false, 5, 77, 3, 0, 0, 3},
    {"rwkv7, long", 1, 32, 32, 2, 1, 16, 6, 6, false, false, false, true, 2, 6000, 0, 0, 0, 4},
    {"attention", 2, 64, 128, 4, ATTENTION, 16, 24, 24, true, false, false, false, 9, 120, 0, 0, 0,
     1},
    {"attention, window 30", 3, 36, 20, 3, ATTENTION, 10, 5, 9, true, false, false, false, 5, 90, 0,
     0, 30, 1},
    {"attention, long", 1, 32, 32, 2, ATTENTION, 16, 6, 6, true, false, false, false, 2, 3000, 0, 0,
     6, 1},
    {"mlstm", 2, 64, 128, 4, MLSTM, 16, 24, 24, true, false, false, false, 9, 120, 0, 0, 0, 1},
    {"mlstm, convolution", 1, 64, 0, 1, MLSTM, 128, 7, 5, true, false, false, false, 6, 90, 4, 0, 0,
     1},
    {"mlstm, long", 1, 32, 32, 2, MLSTM, 16, 6, 6, true, false, false, false, 2, 3000, 0, 0, 0, 1}};

typedef struct model {
    f2l_seq seq;
    f2l_cuda_model m;
    float *parameter;
} model;

static void change(const model *m, size_t number, float factor, float add)
{
    const f2l_seq_tensor *t = &m->seq.tensor[number];
    for (size_t i = 0; i < t->count; i++)
        m->parameter[t->offset + i] = factor * m->parameter[t->offset + i] + add;
}

/* Changes the first parameters, with which the answer depends on the last letter, so that the
 * mixers, and in the diagonal mixer the states, matter more. */
static void make_states_count(const model *m)
{
    change(m, m->seq.embedding, 0.2F, 0);
    for (size_t l = 0; l < m->seq.config.layers; l++) {
        const f2l_seq_layer *layer = &m->seq.layer[l];
        const bool diagonal = m->seq.config.mixer == &f2l_mixer_diagonal;
        change(m, layer->mixer[m->m.shape.mixer->out], 8, 0);
        if (!diagonal) continue;
        change(m, layer->mixer[F2L_DIAGONAL_SELECT], 4, 0);
        change(m, layer->mixer[F2L_DIAGONAL_STEP_BIAS], 1, 4);
        change(m, layer->mixer[F2L_DIAGONAL_STATE_LOG], 1, -2);
        change(m, layer->mixer[F2L_DIAGONAL_SKIP], 0.1F, 0);
    }
}

static model model_of(const trial *t)
{
    model out;
    f2l_seq_config c = f2l_seq_config_default(t->letters, t->labels);
    c.layers = t->layers, c.width = t->width, c.mlp = t->mlp, c.convolution = t->convolution;
    c.negative = !t->positive;
    if (t->channels > 0) {
        c.mixer = &f2l_mixer_diagonal;
        c.channels = t->channels, c.states = t->states, c.step_rank = t->rank;
    } else {
        c.heads = t->heads, c.householders = t->householders, c.key_dim = c.value_dim = t->dim;
        c.additive = t->additive, c.forget_gate = t->gate, c.silu_keys = t->additive;
        c.learned_start = t->start;
    }
    if (t->channels == 0 && t->rank > 0) {
        c.mixer = other_mixers[t->householders];
        c.window = t->states;
        if (t->householders == MLSTM) c.epsilon = 0.01; /* as in the tests of steps */
        c.householders = 1;
        c.step_rank = t->rank;
        c.learned_start = true;
    }
    RUN(f2l_seq_init(&out.seq, &c, &why));
    RUN(f2l_cuda_model_init(&out.m, &out.seq, &why));
    out.parameter = calloc(out.seq.parameters, sizeof *out.parameter);
    f2l_seq_start_f32(out.parameter, &out.seq, f2l_rng_u64(&run_rng));
    for (size_t i = 0; i < out.seq.parameters; i++) out.parameter[i] += (float)(0.05 * draw());
    make_states_count(&out);
    return out;
}

static void model_clear(model *m)
{
    f2l_cuda_model_clear(&m->m);
    f2l_seq_clear(&m->seq);
    free(m->parameter);
}

static uint32_t *words_of(const trial *t)
{
    uint32_t *letter = calloc(t->sequences * t->length, sizeof *letter);
    for (size_t i = 0; i < t->sequences * t->length; i++)
        letter[i] = (uint32_t)draw_below(t->letters);
    return letter;
}

/* Copies `count` letters of each word from letter `at` on, or back: [sequences][count] and
 * [sequences][length]. */
static void cut(uint32_t *piece, const uint32_t *word, const trial *t, size_t at, size_t count)
{
    for (size_t r = 0; r < t->sequences; r++)
        memcpy(piece + r * count, word + r * t->length + at, count * sizeof *piece);
}
static void paste(uint32_t *word, const uint32_t *piece, const trial *t, size_t at, size_t count)
{
    for (size_t r = 0; r < t->sequences; r++)
        memcpy(word + r * t->length + at, piece + r * count, count * sizeof *word);
}

/* The CPU's answers, and the margin of each of them, in units of the spread of the logits. */
typedef struct expected {
    uint32_t *answer;
    double *margin;
} expected;

static void judge_logits(expected *e, size_t i, const double *logits, size_t labels)
{
    double second = -INFINITY, mean = 0, square = 0;
    uint32_t best = 0;
    for (uint32_t c = 1; c < labels; c++)
        if (logits[c] > logits[best]) best = c;
    for (uint32_t c = 0; c < labels; c++) {
        if (c != best) second = fmax(second, logits[c]);
        mean += logits[c] / (double)labels;
    }
    for (uint32_t c = 0; c < labels; c++) square += pow(logits[c] - mean, 2) / (double)labels;
    e->answer[i] = best;
    e->margin[i] = (logits[best] - second) / sqrt(square);
}

static expected expect(const trial *t, const model *m, const uint32_t *word)
{
    enum { PIECE = 50 };
    const size_t rows = t->sequences * t->length, labels = t->labels;
    const f2l_seq_plan plan = {t->sequences, PIECE, false};
    expected e = {calloc(rows, sizeof *e.answer), doubles(rows)};
    double *wide = doubles(m->seq.parameters), *logits = doubles(t->sequences * PIECE * labels),
           *state = doubles(t->sequences * f2l_seq_state_count(&m->seq));
    uint32_t *letter = calloc(t->sequences * PIECE, sizeof *letter);
    f2l_seq_work_f64 *work;
    for (size_t i = 0; i < m->seq.parameters; i++) wide[i] = (double)m->parameter[i];
    RUN(f2l_seq_work_new_f64(&work, &m->seq, &plan, NULL, &why));
    f2l_seq_state_start_f64(state, t->sequences, wide, &m->seq);
    for (size_t at = 0, count; at < t->length; at += count) {
        count = t->length - at < PIECE ? t->length - at : PIECE;
        const f2l_seq_batch batch = {t->sequences, count, letter, NULL, NULL};
        cut(letter, word, t, at, count);
        RUN(f2l_seq_logits_f64(logits, state, &batch, wide, work, &why));
        for (size_t i = 0; i < t->sequences * count; i++)
            judge_logits(&e, i / count * t->length + at + i % count, logits + i * labels, labels);
    }
    f2l_seq_work_free_f64(work);
    free(wide), free(logits), free(state), free(letter);
    return e;
}

/* Reads pieces of `first` letters, each next one `growth` longer up to `most`. */
static void read_words(uint32_t *out, f2l_cuda_answer *a, const trial *t, const uint32_t *word,
                       size_t first, size_t growth, size_t most)
{
    uint32_t *letter = calloc(t->sequences * most, sizeof *letter),
             *answer = calloc(t->sequences * most, sizeof *answer);
    RUN(f2l_cuda_answer_begin(a, t->sequences, &why));
    for (size_t at = 0, count, length = first; at < t->length; at += count) {
        count = length < t->length - at ? length : t->length - at;
        length = length + growth <= most ? length + growth : first;
        cut(letter, word, t, at, count);
        RUN(f2l_cuda_answer_read(answer, a, letter, count, &why));
        paste(out, answer, t, at, count);
    }
    free(letter), free(answer);
}

/* Returns the number of positions whose answer is not the first answer after the same letter. */
static size_t remembered(const trial *t, const expected *e, const uint32_t *word)
{
    uint32_t first[256];
    size_t count = 0, rows = t->sequences * t->length;
    for (size_t i = rows; i-- > 0;) first[word[i]] = e->answer[i];
    for (size_t i = 0; i < rows; i++) count += e->answer[i] != first[word[i]];
    return count;
}

static void check_model(const trial *t, f2l_cuda_type type)
{
    static const size_t cuts[][3] = {{1, 0, 1}, {1, 1, 7}, {5, 0, 5}, {64, 0, 64}};
    const bool is_long = t->length > 1000;
    const size_t rows = t->sequences * t->length, most = is_long ? 777 : t->length;
    const double open = type == F2L_CUDA_F32 ? 1e-3 : 0.2;
    model m = model_of(t);
    uint32_t *word = words_of(t), *got = calloc(rows, sizeof *got),
             *whole = calloc(rows, sizeof *whole);
    expected e = expect(t, &m, word);
    size_t clear = 0, wrong = 0, other = 0, apart = 0, read = 0;
    f2l_cuda_answer *a;
    RUN(f2l_cuda_answer_new(&a, &m.m.shape, type, t->sequences + 1, (t->sequences + 1) * most,
                            kernels, &why));
    RUN(f2l_cuda_answer_put(a, m.parameter, &why));
    read_words(whole, a, t, word, most, 0, most);
    for (size_t n = 0; n <= (is_long ? 1 : LENGTH(cuts)); n++) {
        if (n == 0)
            memcpy(got, whole, rows * sizeof *got);
        else
            read_words(got, a, t, word, is_long ? 64 : cuts[n - 1][0], cuts[n - 1][1],
                       is_long ? 64 : cuts[n - 1][2]);
        for (size_t i = 0; i < rows; i++, read++) {
            clear += e.margin[i] > open;
            wrong += e.margin[i] > open && got[i] != e.answer[i];
            other += got[i] != e.answer[i];
            apart += got[i] != whole[i];
        }
    }
    const size_t memory = remembered(t, &e, word);
    const bool good = wrong == 0 && clear > read / 2 && memory > rows / 50 &&
                      apart <= (type == F2L_CUDA_F32 ? read / 1000 : read / 50);
    printf("%s %-24s %s %zu of %zu clear, %zu of them wrong, %zu others, %zu by the cut; %.0f%% by "
           "memory\n",
           good ? "ok  " : "FAIL", t->name, type == F2L_CUDA_F32 ? "fp32" : "bf16", clear, read,
           wrong, other - wrong, apart, 100 * (double)memory / (double)rows);
    failures += !good;
    f2l_cuda_answer_free(a);
    model_clear(&m);
    free(word), free(got), free(whole), free(e.answer), free(e.margin);
}

/* Times words side by side, as many as an evaluation has. */
static void measure(const trial *t, f2l_cuda_type type)
{
    enum { PIECE = 128 };
    model m = model_of(t);
    uint32_t *word = words_of(t), *answer = calloc(t->sequences * PIECE, sizeof *answer);
    f2l_cuda_answer *a;
    RUN(f2l_cuda_answer_new(&a, &m.m.shape, type, t->sequences, t->sequences * PIECE, kernels,
                            &why));
    RUN(f2l_cuda_answer_put(a, m.parameter, &why));
    RUN(f2l_cuda_answer_begin(a, t->sequences, &why));
    RUN(f2l_cuda_answer_read(answer, a, word, PIECE, &why));
    const double from = f2l_now();
    size_t count = 0;
    for (; count < t->length; count += PIECE)
        RUN(f2l_cuda_answer_read(answer, a, word, PIECE, &why));
    const double seconds = f2l_now() - from;
    printf("time %-24s %s %zu words side by side: %.3g letters/s of all, %.2f s for 10^6 letters, "
           "%.0f MB\n",
           t->name, type == F2L_CUDA_F32 ? "fp32" : "bf16", t->sequences,
           (double)(count * t->sequences) / seconds, 1e6 * seconds / (double)count,
           (double)f2l_cuda_answer_bytes(a) / 1e6);
    f2l_cuda_answer_free(a);
    model_clear(&m);
    free(word), free(answer);
}

static const trial measured[] = {{"delta, n=4", 1, 128, 512, 4, 4, 32, 120, 120, false, false, true,
                                  false, 512, 12800, 0, 0, 0, 0},
                                 {"convolution, n=2", 1, 128, 512, 4, 2, 32, 24, 24, true, false,
                                  true, false, 512, 12800, 4, 0, 0, 0},
                                 {"diagonal, two layers", 2, 128, 512, 0, 0, 0, 2, 2, false, false,
                                  false, false, 512, 12800, 4, 256, 16, 8}};

int main(int argc, char **argv)
{
    const bool host = argc > 1 && strcmp(argv[1], "host") == 0;
    const char *number = argc > 1 + host ? argv[1 + host] : NULL;
    const uint64_t seed = number ? strtoull(number, NULL, 0) : (uint64_t)time(NULL);
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* results are printed even when the program is
                                             * killed */
    printf("check_answer, seed %llu\n", (unsigned long long)seed);
    f2l_rng_init(&run_rng, seed, 4);
    if (host) {
        kernels = &f2l_cuda_answer_host;
    } else {
        RUN(f2l_cuda_stream_new(&run_stream, &why));
        stream_operator();
    }
    for (size_t i = 0; i < LENGTH(trials); i++)
        for (size_t k = 0; k < 2; k++) check_model(&trials[i], types[k]);
    for (size_t i = 0; i < LENGTH(measured) && !host; i++)
        for (size_t k = 0; k < 2; k++) measure(&measured[i], types[k]);
    if (run_stream) f2l_cuda_stream_free(run_stream);
    printf("%s\n", failures ? "FAIL" : "all ok");
    return failures ? 1 : 0;
}
