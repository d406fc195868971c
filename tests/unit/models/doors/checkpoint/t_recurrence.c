#include "models/doors/checkpoint/recurrence.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/text.h"
#include "tests/support/train/seq_support.h"

#define SEED 31

/* A model of one layer without convolution, with every other option. */
static f2l_seq_config one_layer(void)
{
    f2l_seq_config c = small_config();
    c.layers = 1;
    c.convolution = 0;
    c.householders = 2;
    c.negative = c.additive = c.learned_start = c.forget_gate = c.normalise_keys = true;
    return c;
}

static float *floats_of(const seq_case *s)
{
    float *x = f2l_calloc(s->model.parameters, sizeof *x);
    for (size_t i = 0; i < s->model.parameters; i++) {
        x[i] = (float)s->parameter[i];
        s->parameter[i] = (double)x[i];
    }
    return x;
}

static void put(double *to, const f2l_qvec *from)
{
    for (size_t i = 0; i < from->count; i++) to[from->index[i]] = mpq_get_d(from->value[i]);
}

/* S <- G S, and then the factors of the letter: from the definition of a raw head. */
static void step(double *s, const f2l_head *head, size_t letter)
{
    const f2l_transition *t = &head->letter[letter];
    for (size_t i = 0; i < head->n * head->d; i++) s[i] *= mpq_get_d(t->gate);
    for (size_t f = 0; f < t->factors; f++) {
        double u[64] = {0}, c[64] = {0};
        put(u, &t->factor[f].u);
        put(c, &t->factor[f].c);
        for (size_t j = 0; j < head->d; j++) {
            double sum = -c[j];
            for (size_t i = 0; i < head->n; i++) sum += u[i] * s[i * head->d + j];
            for (size_t i = 0; i < head->n; i++)
                s[i * head->d + j] -= mpq_get_d(t->factor[f].beta) * u[i] * sum;
        }
    }
}

/* The states of the network are those of the model, on a word with every letter. */
Test(recurrence, follows_the_model)
{
    for (size_t change = 0; change < 6; change++) {
        f2l_seq_config c = one_layer();
        f2l_error err = {0};
        f2l_recurrence r;
        if (change == 1) c.additive = false;
        if (change == 2) c.learned_start = false;
        if (change == 3) c.forget_gate = false;
        if (change == 4) c.convolution = 1;
        if (change == 5) c.silu_keys = true;
        seq_case s = seq_case_of(&c, SEED + change);
        float *parameters = floats_of(&s);
        cr_assert(f2l_recurrence_build(&r, &s.model, parameters, NULL, &err) == F2L_OK, "%s",
                  err.text);
        const size_t each = c.key_dim * c.value_dim, numbers = c.heads * each;
        double *mine = f2l_calloc(numbers, sizeof *mine), logits[64],
               *state = f2l_calloc(f2l_seq_state_count(&s.model), sizeof *state);
        for (size_t h = 0; h < c.heads; h++) put(mine + h * each, &r.net.layer[0].head[h].initial);
        f2l_seq_work_f64 *work = work_of(&s.model, 1, 1, false);
        f2l_seq_state_start_f64(state, 1, s.parameter, &s.model);
        for (size_t t = 0; t < 12; t++) {
            const uint32_t letter = (uint32_t)(t * 5 % c.letters);
            const f2l_seq_batch batch = {.sequences = 1, .length = 1, .letter = &letter};
            cr_assert(f2l_seq_logits_f64(logits, state, &batch, s.parameter, work, NULL) == F2L_OK);
            for (size_t h = 0; h < c.heads; h++)
                step(mine + h * each, &r.net.layer[0].head[h], letter);
            for (size_t i = 0; i < numbers; i++)
                cr_assert(fabs(mine[i] - state[i]) < 1e-12 * (1 + fabs(state[i])),
                          "change %zu, letter %zu: %.17g, not %.17g", change, t, mine[i], state[i]);
        }
        f2l_seq_work_free_f64(work);
        f2l_free(state);
        f2l_free(mine);
        f2l_free(parameters);
        f2l_net_clear(&r.net);
        seq_case_free(&s);
    }
}

/* beta 2 on a key whose computed length is above 1 by rounding is lowered; a key of 0 is dropped.
 */
Test(recurrence, stays_in_the_class)
{
    f2l_seq_config c = one_layer();
    c.epsilon = 1e-300;
    c.householders = 1;
    size_t lowered = 0, dropped = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        f2l_error err = {0};
        f2l_recurrence r;
        seq_case s = seq_case_of(&c, seed);
        const f2l_seq_tensor *beta = f2l_seq_find(&s.model, "layers.0.mixer.b_proj.weight"),
                             *key = f2l_seq_find(&s.model, "layers.0.mixer.k_proj.weight");
        for (size_t i = 0; i < beta->count; i++) s.parameter[beta->offset + i] *= 1e4;
        if (seed == 39)
            for (size_t i = 0; i < key->count; i++) s.parameter[key->offset + i] = 0;
        float *parameters = floats_of(&s);
        cr_assert(f2l_recurrence_build(&r, &s.model, parameters, NULL, &err) == F2L_OK, "%s",
                  err.text);
        for (size_t h = 0; h < c.heads; h++)
            for (size_t x = 0; x < c.letters; x++) {
                const f2l_transition *t = &r.net.layer[0].head[h].letter[x];
                for (size_t f = 0; f < t->factors; f++) {
                    mpq_t square;
                    mpq_init(square);
                    f2l_qvec_norm2(square, &t->factor[f].u);
                    mpq_mul(square, square, t->factor[f].beta);
                    cr_assert(mpq_cmp_ui(square, 2, 1) <= 0);
                    mpq_clear(square);
                }
            }
        lowered += r.lowered;
        dropped += r.dropped;
        f2l_free(parameters);
        f2l_net_clear(&r.net);
        seq_case_free(&s);
    }
    cr_assert(lowered > 0 && dropped == c.heads * c.letters, "%zu, %zu", lowered, dropped);
}

Test(recurrence, what_has_no_network_is_refused)
{
    static const char *const why[] = {"diagonal", "more than one layer", "convolution",
                                      "beta |k|^2"};
    for (size_t change = 0; change < 4; change++) {
        f2l_seq_config c = one_layer();
        f2l_error err = {0};
        f2l_recurrence r;
        if (change == 0) c.mixer = &f2l_mixer_diagonal;
        if (change == 1) c.layers = 2;
        if (change == 2) c.convolution = 2;
        if (change == 3) c.normalise_keys = false;
        seq_case s = seq_case_of(&c, SEED);
        const f2l_seq_tensor *key = f2l_seq_find(&s.model, "layers.0.mixer.k_proj.weight");
        for (size_t i = 0; key != NULL && i < key->count; i++) s.parameter[key->offset + i] *= 10;
        float *parameters = floats_of(&s);
        cr_assert(f2l_recurrence_build(&r, &s.model, parameters, NULL, &err) == F2L_EDOMAIN);
        cr_assert(strstr(err.text, why[change]) != NULL, "%zu: %s", change, err.text);
        cr_assert(r.net.layers == 0);
        f2l_free(parameters);
        seq_case_free(&s);
    }
}
