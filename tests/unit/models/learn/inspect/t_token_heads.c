/* Losses of tokens by position, and what the heads do with them; tests/clients/tokens.py has the
 * numbers by another program. */
#include "models/learn/data/npz.h"
#include "models/learn/inspect/inspect_dense.h"
#include "models/learn/inspect/token_heads.h"
#include "models/learn/seq/mixer.h"
#include "tests/support/train/inspect_support.h"
#include "tests/support/train/seq_f64.h"

enum { TOKENS = 400, SEED = 77 };

/* An archive of random tokens of a model, as one sequence. */
typedef struct text {
    f2l_npz npz;
    f2l_tokens tokens;
    int32_t token[TOKENS];
} text;

static void make_text(text *t, size_t letters, size_t count, size_t documents,
                      const int32_t *document)
{
    f2l_error err = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, letters);
    for (size_t i = 0; i < count; i++) t->token[i] = (int32_t)(f2l_rng_u32(&rng) % letters);
    f2l_npz_init(&t->npz);
    f2l_npz_add_integers(&t->npz, "tokens", t->token, count, 0);
    if (document) f2l_npz_add_integers(&t->npz, "documents", document, documents, 0);
    cr_assert(f2l_npz_end(&t->npz, &err) == F2L_OK);
    f2l_tokens_init(&t->tokens);
    cr_assert(f2l_tokens_take(&t->tokens, t->npz.out.data, t->npz.out.size, &err) == F2L_OK);
}

static void clear_text(text *t)
{
    f2l_tokens_clear(&t->tokens);
    f2l_npz_clear(&t->npz);
}

/* Returns the loss of the next tokens from the logits of one pass, in extended precision. */
static double whole_loss(const seq_case *s, const text *t)
{
    const size_t labels = s->model.config.labels;
    uint32_t letter[TOKENS];
    double *logits = f2l_calloc(TOKENS * labels, sizeof *logits);
    long double loss = 0;
    for (size_t i = 0; i < TOKENS; i++) letter[i] = (uint32_t)t->token[i];
    const f2l_seq_batch batch = {.sequences = 1, .length = TOKENS, .letter = letter};
    f2l_seq_work_f64 *work = work_of(&s->model, 1, TOKENS, false);
    cr_assert(f2l_seq_logits_f64(logits, NULL, &batch, s->parameter, work, NULL) == F2L_OK);
    for (size_t i = 0; i + 1 < TOKENS; i++) {
        long double sum = 0;
        for (size_t c = 0; c < labels; c++) sum += expl((long double)logits[i * labels + c]);
        loss += logl(sum) - (long double)logits[i * labels + letter[i + 1]];
    }
    f2l_seq_work_free_f64(work);
    f2l_free(logits);
    return (double)loss;
}

/* The losses are those of one pass over the whole text, whatever the pieces; every class of model
 * has losses, and heads are known of two mixers. */
Test(token_heads, losses_are_of_the_whole_text)
{
    f2l_seq_config c;
    f2l_error err = {0};
    for (size_t number = 0; config_sample(&c, number); number++) {
        text t;
        f2l_token_heads heads;
        f2l_token_losses losses;
        c.labels = c.letters;
        seq_case s = seq_case_of(&c, SEED + number);
        make_text(&t, c.letters, TOKENS, 0, NULL);
        cr_assert(f2l_token_losses_measure(&losses, &s.model, s.parameter, &t.tokens, NULL, NULL,
                                           &err) == F2L_OK,
                  "%s", err.text);
        const double whole = whole_loss(&s, &t);
        cr_assert(losses.all.count == TOKENS - 1 && losses.bins == 9);
        cr_assert(losses.bin[0].count == 1 && losses.bin[7].count == 128 &&
                  losses.bin[8].count == 144);
        cr_assert(fabs(losses.all.loss - whole) < 1e-9 * whole, "configuration %zu: %g, not %g",
                  number, losses.all.loss, whole);
        f2l_token_heads_init(&heads);
        const bool known = c.mixer == &f2l_mixer_delta || c.mixer == &f2l_mixer_diagonal;
        const f2l_status status =
            f2l_token_heads_measure(&heads, &s.model, s.parameter, &t.tokens, NULL, &err);
        cr_assert_eq(status, known ? F2L_OK : F2L_EDOMAIN);
        cr_assert(known ? heads.losses.all.loss == losses.all.loss
                        : strstr(err.text, c.mixer->option) != NULL);
        f2l_token_heads_clear(&heads);
        clear_text(&t);
        seq_case_free(&s);
    }
}

/* Letter 0 reflects, letter 1 does nothing, and nothing is written, so that all is known. */
Test(token_heads, reflections)
{
    text t;
    f2l_token_heads x;
    f2l_error err = {0};
    static const double first[] = {1, 0}, second[] = {0, 1}, start[] = {3, 0, 0, 4};
    seq_case s = inspect_case(2, 1, 1, 2, 2);
    inspect_set(&s, 0, 0, 0, first, 2);
    inspect_set(&s, 1, 0, 0, second, 0);
    inspect_start(&s, 0, start);
    make_text(&t, 2, 40, 2, (const int32_t[]){0, 9});
    size_t zeros = 0, odd = 0;
    for (size_t i = 0; i < 40; i++) zeros += t.token[i] == 0;
    for (size_t i = 0; i < 40; i += 5) {
        size_t turns = 0;
        for (size_t k = i; k < i + 5; k++) turns += t.token[k] == 0;
        odd += turns % 2;
    }
    f2l_token_heads_init(&x);
    cr_assert(f2l_token_heads_measure(&x, &s.model, s.parameter, &t.tokens, NULL, &err) == F2L_OK,
              "%s", err.text);
    const f2l_token_head *h = &x.head[0];
    cr_assert(x.heads == 1 && h->betas.count == 40 && h->gates.count == 0);
    cr_assert(h->beta_above_19 == zeros && h->beta_low == 40 - zeros);
    cr_assert(h->one.values == 40 && h->one.near_minus == zeros && h->one.complex == 0);
    cr_assert(h->five.matrices == 8 && h->five.values == 16 && h->five.negative == odd);
    cr_assert(h->within.count == 0 && h->across.count == 39);
    cr_assert(fabs(h->greatest_norm - 5) < 1e-9);
    const double share = 3.0 / 7, rank = exp(-share * log(share) - (1 - share) * log(1 - share));
    for (size_t b = 0; b < 6; b++) {
        cr_assert(fabs(h->rank[b].sum / (double)h->rank[b].count - rank) < 1e-9);
        cr_assert(h->rank[b].count == (b == 0 || b == 5 ? 1 : 2));
    }
    for (size_t i = 0; i < 6; i++) cr_assert(h->start[i].count == 1, "%zu", i);
    cr_assert(h->start[6].count == 0, "the text ends before");
    f2l_token_heads_clear(&x);
    clear_text(&t);
    seq_case_free(&s);
}

Test(token_heads, stopped)
{
    text t;
    f2l_token_losses losses;
    f2l_error err = {0};
    volatile sig_atomic_t stop = 2;
    const f2l_task task = {.cancel = &stop};
    seq_case s = inspect_case(2, 1, 1, 2, 2);
    make_text(&t, 2, TOKENS, 0, NULL);
    cr_assert(f2l_token_losses_measure(&losses, &s.model, s.parameter, &t.tokens, NULL, &task,
                                       &err) == F2L_UNKNOWN);
    cr_assert(strstr(err.text, "tokens"), "%s", err.text);
    clear_text(&t);
    make_text(&t, 3, TOKENS, 0, NULL);
    cr_assert(f2l_token_losses_measure(&losses, &s.model, s.parameter, &t.tokens, NULL, NULL,
                                       &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "2 is none of the model's 2"), "%s", err.text);
    clear_text(&t);
    seq_case_free(&s);
}

Test(token_heads, spectrum)
{
    f2l_error err = {0};
    double singular[2], wide[] = {3, 0, 0, 0, 0, 4}, tall[] = {3, 0, 0, 0, 0, 4};
    cr_assert(f2l_dense_spectrum(singular, wide, 2, 3, &err) == F2L_OK);
    cr_assert(fabs(singular[0] - 4) < 1e-12 && fabs(singular[1] - 3) < 1e-12);
    cr_assert(f2l_dense_spectrum(singular, tall, 3, 2, &err) == F2L_OK);
    cr_assert(fabs(singular[0] - 4) < 1e-12 && fabs(singular[1] - 3) < 1e-12);
    cr_assert(fabs(f2l_dense_effective_rank((const double[]){1, 1, 1}, 3) - 3) < 1e-12);
    cr_assert(f2l_dense_effective_rank((const double[]){0, 0}, 2) == 0);
    wide[2] = NAN;
    cr_assert(f2l_dense_spectrum(singular, wide, 2, 3, &err) == F2L_EDOMAIN);
}
