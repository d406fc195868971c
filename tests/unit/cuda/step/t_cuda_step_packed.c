/* A step over packed words (cuda/step/cuda_step.h), replayed with the host's operators on memory
 * that is NaN where nothing was written: beside the same step over padded words. */
#include "models/learn/seq/mixer.h"
#include "models/learn/train/cuda_model.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/seq_support.h"

enum { SEQUENCES = 24, LENGTH = 15, CELLS = SEQUENCES * LENGTH };

/* The rows of the last pass. */
static size_t rows_seen;

static f2l_status note_rows(f2l_cuda_score *score, uint8_t *right, void *dlogits,
                            const float *logits, const uint32_t *label, const uint8_t *mask,
                            const float *weight, void *work, const f2l_cuda_loss_shape *shape,
                            void *stream, f2l_error *err)
{
    rows_seen = f2l_cuda_loss_rows(shape);
    return f2l_cuda_kernels_host.loss(score, right, dlogits, logits, label, mask, weight, work,
                                      shape, stream, err);
}

typedef struct words {
    uint32_t letter[CELLS], label[CELLS], lengths[SEQUENCES];
    uint8_t mask[CELLS];
    size_t letters;
    f2l_cuda_step_batch padded, packed;
} words;

static void draw_words(words *w, uint64_t seed)
{
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    *w = (words){0};
    for (size_t i = 0; i < SEQUENCES; i++) {
        const size_t length = i == 7 ? LENGTH : 1 + (size_t)f2l_rng_below(&rng, LENGTH);
        w->lengths[i] = (uint32_t)length;
        w->letters += length;
        for (size_t at = i * LENGTH; at < i * LENGTH + length; at++) {
            w->letter[at] = (uint32_t)f2l_rng_below(&rng, 5);
            w->label[at] = (uint32_t)f2l_rng_below(&rng, 7);
            w->mask[at] = f2l_rng_below(&rng, 3) > 0;
        }
    }
    w->padded = (f2l_cuda_step_batch){SEQUENCES, LENGTH, w->letter, w->label, w->mask, NULL};
    w->packed = w->padded;
    w->packed.lengths = w->lengths;
}

/* A model and its step; `gradient` is of the last batch. */
typedef struct side {
    seq_case s;
    f2l_cuda_kernels kernels;
    f2l_cuda_model map;
    f2l_cuda_step *step;
    float *gradient;
    f2l_cuda_score score;
} side;

static void side_open(side *x, const f2l_seq_config *config, f2l_cuda_type type)
{
    f2l_error err = {0};
    x->s = seq_case_of(config, 20);
    const size_t count = x->s.model.parameters;
    float *parameter = f2l_calloc(count, sizeof *parameter);
    for (size_t i = 0; i < count; i++) parameter[i] = (float)x->s.parameter[i];
    x->gradient = f2l_calloc(count, sizeof *x->gradient);
    x->kernels = f2l_cuda_kernels_host;
    x->kernels.loss = note_rows;
    cr_assert(f2l_cuda_model_init(&x->map, &x->s.model, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_cuda_step_new(&x->step, &x->map.shape, type, &x->kernels, &err) == F2L_OK, "%s",
              err.text);
    cr_assert(f2l_cuda_step_put(x->step, parameter, NULL, NULL, &err) == F2L_OK);
    f2l_free(parameter);
}

static void side_close(side *x)
{
    f2l_cuda_step_free(x->step);
    f2l_cuda_model_clear(&x->map);
    seq_case_free(&x->s);
    f2l_free(x->gradient);
}

static void read_batch(side *x, const f2l_cuda_step_batch *batch)
{
    f2l_error err = {0};
    cr_assert(f2l_cuda_step_gradient(x->step, batch, 0.25, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_cuda_step_gradient_get(x->gradient, x->step, &err) == F2L_OK);
    cr_assert(f2l_cuda_step_score(&x->score, NULL, x->step, &err) == F2L_OK);
}

static double apart(const float *a, const float *b, size_t n)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        error += pow((double)a[i] - (double)b[i], 2);
        size += pow((double)b[i], 2);
    }
    return sqrt(error / size);
}

/* Returns whether two scores are equal. */
static bool same_score(const f2l_cuda_score *a, const f2l_cuda_score *b)
{
    return a->loss == b->loss && a->supervised == b->supervised && a->right == b->right &&
           a->sequences == b->sequences && a->right_ones == b->right_ones &&
           a->right_last == b->right_last;
}

static f2l_seq_config delta_of(size_t kind)
{
    f2l_seq_config c = f2l_seq_config_default(5, 7);
    c.width = 12;
    c.mlp = kind == 2 ? 0 : 20;
    c.heads = 2;
    c.key_dim = 8;
    c.value_dim = kind == 0 ? 8 : 4;
    c.layers = 1 + kind;
    c.householders = kind == 1 ? 1 : 2;
    c.convolution = kind == 2 ? 6 : 4;
    c.additive = c.silu_keys = kind != 2;
    c.forget_gate = kind == 1;
    return c;
}

/* The loss, whose rows are added in the same order, and the answers have the same bits; gradients
 * are sums over other rows. A batch has the same bits again, also after another one. */
static void check_packed(const f2l_seq_config *config, f2l_cuda_type type, double tolerance)
{
    side padded, packed;
    words w, other;
    side_open(&padded, config, type);
    side_open(&packed, config, type);
    const size_t count = packed.s.model.parameters;
    float *first = f2l_calloc(count, sizeof *first);
    cr_assert(f2l_cuda_step_packs(&packed.map.shape));
    draw_words(&w, 1);
    draw_words(&other, 2);
    read_batch(&padded, &w.padded);
    cr_assert_eq(rows_seen, SEQUENCES * (LENGTH + 1));
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 2) read_batch(&packed, &other.packed);
        read_batch(&packed, &w.packed);
        cr_assert(rows_seen >= w.letters && rows_seen < w.letters + 16 && rows_seen % 16 == 0);
        cr_assert(same_score(&packed.score, &padded.score));
        const double error = apart(packed.gradient, padded.gradient, count);
        cr_assert(error <= tolerance, "gradients differ by %g", error);
        if (turn == 0) memcpy(first, packed.gradient, count * sizeof *first);
        cr_assert(memcmp(first, packed.gradient, count * sizeof *first) == 0);
    }
    /* The step goes from one layout to the other. */
    read_batch(&packed, &w.padded);
    cr_assert(memcmp(packed.gradient, padded.gradient, count * sizeof *first) == 0);
    f2l_free(first);
    side_close(&padded);
    side_close(&packed);
}

Test(cuda_step_packed, has_the_loss_and_the_gradient_of_padded_words)
{
    for (size_t kind = 0; kind < 3; kind++) {
        const f2l_seq_config config = delta_of(kind);
        check_packed(&config, F2L_CUDA_F32, 1e-6);
        check_packed(&config, F2L_CUDA_BF16, 1e-4);
    }
}

/* gla, rwkv7, attention, mLSTM and diagonal, with and without convolutions. */
Test(cuda_step_packed, other_mixers_too)
{
    enum { MIXERS = 5 };
    static const f2l_mixer *const mixer[MIXERS] = {&f2l_mixer_gla, &f2l_mixer_rwkv7,
                                                   &f2l_mixer_attention, &f2l_mixer_mlstm,
                                                   &f2l_mixer_diagonal};
    for (size_t i = 0; i < 2 * MIXERS; i++) {
        f2l_seq_config config = delta_of(0);
        config.mixer = mixer[i / 2];
        config.layers = 2;
        config.householders = 1;
        config.convolution = i % 2 && i / 2 != 2 ? 4 : 0;
        config.window = i == 4 ? 3 : 0;
        config.channels = 8, config.states = 3;
        config.step_rank = 2;
        config.epsilon = 0.1;
        check_packed(&config, F2L_CUDA_F32, 1e-6);
        check_packed(&config, F2L_CUDA_BF16, 1e-4);
    }
}

/* Words of one length have the rows of padded words, and so the bits. */
Test(cuda_step_packed, words_of_one_length)
{
    const f2l_seq_config config = delta_of(0);
    side padded, packed;
    words w;
    draw_words(&w, 3);
    for (size_t i = 0; i < SEQUENCES; i++) w.lengths[i] = LENGTH;
    w.padded.mask = w.packed.mask = NULL;
    side_open(&padded, &config, F2L_CUDA_F32);
    side_open(&packed, &config, F2L_CUDA_F32);
    read_batch(&padded, &w.padded);
    read_batch(&packed, &w.packed);
    cr_assert_eq(packed.score.supervised, CELLS);
    cr_assert(same_score(&packed.score, &padded.score));
    cr_assert(apart(packed.gradient, padded.gradient, packed.s.model.parameters) < 1e-6);
    /* Without a mask all letters of words are supervised, and no others. */
    for (size_t i = 0; i < SEQUENCES; i++) w.lengths[i] = 2;
    read_batch(&packed, &w.packed);
    cr_assert_eq(packed.score.supervised, 2 * SEQUENCES);
    side_close(&padded);
    side_close(&packed);
}

/* Without a convolution the first layer of delta is by letter: its words stay padded. */
Test(cuda_step_packed, delta_without_a_convolution_stays_padded)
{
    f2l_seq_config config = delta_of(0);
    side padded, packed;
    words w;
    config.convolution = 0;
    draw_words(&w, 4);
    side_open(&padded, &config, F2L_CUDA_F32);
    side_open(&packed, &config, F2L_CUDA_F32);
    cr_assert(!f2l_cuda_step_packs(&packed.map.shape));
    read_batch(&padded, &w.padded);
    read_batch(&packed, &w.packed);
    cr_assert_eq(rows_seen, SEQUENCES * (LENGTH + 1));
    cr_assert(memcmp(packed.gradient, padded.gradient,
                     packed.s.model.parameters * sizeof *packed.gradient) == 0);
    side_close(&padded);
    side_close(&packed);
}

static void refuse(side *x, words *w, const char *why)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_cuda_step_gradient(x->step, &w->packed, 1, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, why), "%s", err.text);
}

Test(cuda_step_packed, wrong_lengths_are_refused)
{
    const f2l_seq_config config = delta_of(0);
    side x;
    words w;
    side_open(&x, &config, F2L_CUDA_F32);
    draw_words(&w, 5);
    w.lengths[3] = 0;
    refuse(&x, &w, "a word of 0 letters in a batch of up to 15");
    w.lengths[3] = LENGTH + 1;
    refuse(&x, &w, "a word of 16 letters");
    w.lengths[3] = 4;
    w.mask[3 * LENGTH + 4] = 1;
    refuse(&x, &w, "a label counts behind the end of its word");
    draw_words(&w, 5);
    read_batch(&x, &w.packed);
    side_close(&x);
}
