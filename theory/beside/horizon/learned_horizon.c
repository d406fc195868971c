/* Which prefix and which norms the recursion of balls gets. */
#include "theory/beside/horizon/learned_horizon.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

/* The weights of LH.4 that are tried, and the number of pairs of a state and a letter above which
 * only the first is. */
static const double kappas[] = {0.03, 0.1, 0.01, 0.003};
enum { KAPPAS = sizeof kappas / sizeof *kappas, MANY_PAIRS = 1000 };

void f2l_learned_horizon_init(f2l_learned_horizon *out)
{
    *out = (f2l_learned_horizon){0};
}

void f2l_learned_horizon_clear(f2l_learned_horizon *out)
{
    f2l_free(out->form);
    f2l_free(out->norm);
    f2l_free(out->letter);
    f2l_free(out->last);
    f2l_learned_horizon_init(out);
}

double f2l_learned_words(const f2l_learned_horizon *horizon)
{
    double words = 0, of_length = 1;
    for (size_t i = 0; i < horizon->horizon && words < 1e300; i++) {
        of_length *= (double)horizon->group;
        words += of_length;
    }
    return words;
}

/* Returns why a network has no certificate of a kind, whatever its betas are; NULL: it has. */
static const char *find_certificate_obstacle(const f2l_seq_config *c)
{
    const f2l_seq_config usual = f2l_seq_config_default(1, 1);
    if (c->mixer != usual.mixer) return "the mixer is not delta";
    if (c->layers != 1) return "it has more than one layer";
    if (c->convolution > 0) return "it has a short convolution";
    if (c->forget_gate) return "it has a forget gate";
    if (c->output_gate) return "it has an output gate";
    if (!c->normalise_keys) return "its keys have no unit length";
    if (c->mlp == 0) return "it has no MLP (train --mlp 32 makes one)";
    if (c->key_epsilon > 0) return "its keys have an epsilon of their own";
    if (c->key_pull > 0)
        return "its keys are pulled (train --first-weights RUN/weights.safetensors --key-pull 0 "
               "goes on without)";
    if (c->epsilon < 1.001e-9) return "its epsilon is below 1e-9";
    if (c->key_dim > F2L_LEARNED_MAX_DIM || c->value_dim > F2L_LEARNED_MAX_DIM)
        return "its heads are larger than 64 x 64";
    if (c->heads > F2L_LEARNED_MAX_HEADS) return "it has more than 64 heads";
    return NULL;
}

/* Fails with why, or with what a certificate of any kind lacks. */
static f2l_status applies(const char *why, const f2l_seq_config *config, const f2l_fsa *fsa,
                          bool begin, f2l_error *err)
{
    const size_t more = begin ? 1 : 0;
    if (!why) why = find_certificate_obstacle(config);
    if (!why && (config->letters != fsa->letters.count + more ||
                 config->labels != fsa->states.count + more))
        why = "its letters and labels are not the automaton's letters and states";
    return why ? f2l_fail(err, F2L_EDOMAIN, "not in the class that horizon reads: %s", why)
               : F2L_OK;
}

f2l_status f2l_learned_horizon_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                       f2l_error *err)
{
    const char *why = NULL;
    if (config->exact_keys) why = "its keys have no epsilon (--exact-keys)";
    if (config->clamped_betas)
        why = "its betas are clamped (--clamped-betas), not a sigmoid; horizon --forever and "
              "--settle read it, with --exact-keys";
    return applies(why, config, fsa, begin, err);
}

f2l_status f2l_learned_exact_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                     f2l_error *err)
{
    const char *why = NULL;
    if (!config->exact_keys) why = "its keys have an epsilon (train --exact-keys)";
    if (!config->clamped_betas) why = "its betas are not clamped (train --clamped-betas)";
    return applies(why, config, fsa, begin, err);
}

f2l_status f2l_learned_finite_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                      f2l_error *err)
{
    const bool rational = config->key_dim == 1 || config->ternary_keys;
    return rational ? f2l_learned_exact_applies(config, fsa, begin, err)
                    : applies("its keys have several numbers and any direction (train "
                              "--ternary-keys)",
                              config, fsa, begin, err);
}

typedef struct search {
    f2l_learned_net net;
    const f2l_fsa *fsa;
    bool begin;
    const f2l_learned_ask *ask;
    size_t most_prefix;
    f2l_learned_pace pace;
    const f2l_task *task;
    f2l_error *err;
} search;

static bool allocate_horizon(f2l_learned_horizon *out, const search *s)
{
    const size_t H = out->heads, K = out->key;
    out->form = f2l_calloc(H * K * K, sizeof *out->form);
    out->norm = f2l_calloc(out->letters * H, sizeof *out->norm);
    out->letter = f2l_calloc(out->group, sizeof *out->letter);
    out->last = f2l_calloc(H, sizeof *out->last);
    for (size_t i = 0; out->letter && i < out->group; i++)
        out->letter[i] = s->ask->letters ? s->ask->letters[i] : (uint32_t)i;
    return out->form && out->norm && out->letter && out->last;
}

/* Makes the wrong word that a longer prefix found the limit of *out. */
static void take_limit(f2l_learned_horizon *out, const f2l_learned_horizon *found)
{
    memcpy(out->last, found->last, out->heads * sizeof *out->last);
    memcpy(out->word, found->word, sizeof out->word);
    out->word_length = found->word_length;
    out->wrong = found->wrong;
    out->state = found->state;
    out->letter_at = found->letter_at;
    out->other = found->other;
    out->difference = found->difference;
    out->spread = found->spread;
}

/* Builds a horizon and makes it *out where it is longer; sets *bound to a length which no horizon
 * that this search finds exceeds. */
static f2l_status try_prefix(f2l_learned_horizon *out, size_t *bound, search *s, double kappa,
                             size_t prefix)
{
    const f2l_seq_config *c = s->net.c;
    const size_t letters = s->fsa->letters.count;
    f2l_learned_horizon found = {.scope = s->ask->scope,
                                 .prefix = prefix,
                                 .letters = letters,
                                 .group = s->ask->letters ? s->ask->letter_count : letters,
                                 .states = s->fsa->states.count,
                                 .heads = c->heads,
                                 .key = c->key_dim};
    f2l_status status = allocate_horizon(&found, s) ? F2L_OK : f2l_fail_memory(s->err);
    if (status == F2L_OK)
        status = f2l_learned_walk_run(&found, &s->pace, &s->net, s->fsa, s->begin, s->ask, kappa,
                                      out->horizon, s->task, s->err);
    *bound = found.horizon;
    if (found.limited && found.difference < -found.spread) found.wrong = found.horizon + 1;
    if (found.horizon <= prefix) found.horizon = 0;
    const bool better = status == F2L_OK && (!out->form || found.horizon > out->horizon);
    if (status == F2L_OK && !better && found.wrong > 0) take_limit(out, &found);
    f2l_learned_horizon_clear(better ? out : &found);
    if (better) *out = found;
    return status;
}

/* Makes *out the horizon without a prefix, by the norms that give the longest. */
static f2l_status try_norms(f2l_learned_horizon *out, search *s)
{
    const bool many = s->fsa->states.count > MANY_PAIRS / s->fsa->letters.count;
    size_t bound;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && (i == 0 || out->limited) && i < (many ? 1 : KAPPAS); i++)
        status = try_prefix(out, &bound, s, kappas[i], 0);
    return status;
}

/* Tries this prefix. Where a word of at most prefix + 1 letters cannot be shown to be right, it
 * tries the prefix that proves all shorter ones. */
static f2l_status try_down(f2l_learned_horizon *out, search *s, size_t prefix)
{
    size_t bound;
    f2l_status status = try_prefix(out, &bound, s, out->kappa, prefix);
    while (status == F2L_OK && bound <= prefix && bound > out->horizon) {
        prefix = bound - 1;
        status = try_prefix(out, &bound, s, out->kappa, prefix);
    }
    return status;
}

/* Returns the seconds that a word of a prefix takes, with all that follows: as measured, or two
 * lengths more, which need one answer for each of their words. */
static double guess_word_seconds(const search *s, const f2l_learned_horizon *found)
{
    const double group = (double)found->group, states = (double)found->states;
    const size_t lengths = found->horizon > found->prefix ? found->horizon - found->prefix : 0;
    const double many = lengths > 2 ? 4 * (double)(lengths - 1) : 1.5;
    const double guess = s->pace.answer * group * (1 + many * fmin(group, states));
    return s->pace.word > 0 ? s->pace.word : guess;
}

/* Returns the longest prefix whose words take at most these seconds. */
static size_t prefix_in_time(const search *s, const f2l_learned_horizon *found, double seconds)
{
    size_t prefix = 0;
    for (double all = (double)found->group * guess_word_seconds(s, found);
         all <= seconds && prefix < s->most_prefix; prefix++)
        all *= (double)found->group;
    return prefix;
}

/* Tries a prefix for a small part of the time, which tells how long all of it can be. */
static f2l_status try_in_time(f2l_learned_horizon *out, search *s)
{
    const double end = f2l_now() + s->ask->seconds;
    const size_t first = prefix_in_time(s, out, 0.05 * s->ask->seconds);
    const f2l_status status = first > 0 ? try_down(out, s, first) : F2L_OK;
    if (status != F2L_OK || !out->limited) return status;
    if (out->wrong > 0) return F2L_OK;
    const size_t last = prefix_in_time(s, out, end - f2l_now());
    return last > first ? try_down(out, s, last) : F2L_OK;
}

/* Returns F2L_EDOMAIN where letters are not rising numbers of letters. */
static f2l_status check_asked_letters(const f2l_learned_ask *ask, const f2l_fsa *fsa,
                                      f2l_error *err)
{
    bool fine = !ask->letters || ask->letter_count > 0;
    for (size_t i = 0; ask->letters && i < ask->letter_count; i++)
        fine = fine && ask->letters[i] < fsa->letters.count &&
               (i == 0 || ask->letters[i - 1] < ask->letters[i]);
    return fine ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN, "the letters are not some of the automaton's");
}

f2l_status f2l_learned_horizon_build(f2l_learned_horizon *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool begin,
                                     const f2l_learned_ask *ask, const f2l_task *task,
                                     f2l_error *err)
{
    search s = {.fsa = fsa, .begin = begin, .ask = ask, .task = task, .err = err};
    const bool by_time = ask->prefix == F2L_LEARNED_BY_TIME;
    s.most_prefix = ask->most < F2L_LEARNED_MOST_PREFIX ? ask->most - 1 : F2L_LEARNED_MOST_PREFIX;
    f2l_status status = f2l_learned_horizon_applies(&model->config, fsa, begin, err);
    if (status == F2L_OK) status = check_asked_letters(ask, fsa, err);
    if (status != F2L_OK) return status;
    status = f2l_learned_net_build(&s.net, model, parameters, ask->scope, task, err);
    if (status == F2L_OK) status = try_norms(out, &s);
    if (status == F2L_OK && out->limited && ask->seconds > 0 && by_time)
        status = try_in_time(out, &s);
    if (status == F2L_OK && out->limited && !by_time && ask->prefix > 0)
        status = try_down(out, &s, ask->prefix < s.most_prefix ? ask->prefix : s.most_prefix);
    f2l_learned_net_clear(&s.net);
    if (status != F2L_OK) f2l_learned_horizon_clear(out);
    return status;
}
