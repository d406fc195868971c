#include "models/learn/train/train_options.h"
#include "numeric/json/members.h"
#include <math.h>

f2l_train_options f2l_train_options_default(uint64_t steps)
{
    return (f2l_train_options){.steps = steps,
                               .rate = 1e-3,
                               .beta1 = 0.9,
                               .beta2 = 0.95,
                               .epsilon = 1e-8,
                               .weight_decay = 0.01,
                               .clip = 1,
                               .warmup = steps < 2000 ? steps / 10 : 200,
                               .decay_from = steps / 2,
                               .decay = F2L_TRAIN_LINEAR,
                               .last_rate = 0,
                               .log_every = 100,
                               .sequences = 512,
                               .divergence = 10,
                               .checkpoint_seconds = 60};
}

static bool is_at_least(double x, double least)
{
    return isfinite(x) && x >= least;
}

/* Returns the fault of the numbers of the optimiser and its schedule, or NULL. */
static const char *wrong_rates(const f2l_train_options *o)
{
    if (!is_at_least(o->rate, 0) || o->rate == 0) return "the rate must be positive";
    if (!is_at_least(o->last_rate, 0) || o->last_rate > o->rate)
        return "the last rate must be between 0 and the rate";
    if (!is_at_least(o->beta1, 0) || o->beta1 >= 1 || !is_at_least(o->beta2, 0) || o->beta2 >= 1)
        return "beta1 and beta2 must be at least 0 and less than 1";
    if (!is_at_least(o->epsilon, 0) || o->epsilon == 0) return "epsilon must be positive";
    if (!is_at_least(o->weight_decay, 0) || o->weight_decay * o->rate > 1)
        return "weight decay must be at least 0, and at most 1 over the rate";
    if (!is_at_least(o->clip, 0)) return "the clip must be at least 0";
    if ((unsigned)o->decay >= F2L_TRAIN_DECAYS) return "no such decay";
    if (o->warmup > o->steps) return "the warm-up is longer than the run";
    if (o->decay_from > o->steps) return "the decay starts after the end of the run";
    return NULL;
}

static const char *wrong_looks(const f2l_train_options *o)
{
    if (o->log_every == 0) return "the log needs a line every step or more";
    if (o->lengths > 0 && o->sequences == 0) return "an evaluation needs a sequence";
    if (o->lengths == 0 && o->evaluate_every > 0) return "an evaluation needs a length";
    for (size_t i = 0; i < o->lengths; i++)
        if (o->length[i] <= (i == 0 ? 0 : o->length[i - 1]))
            return "the lengths of an evaluation must ascend from 1 on";
    if (!is_at_least(o->target, 0) || o->target > 1) return "the target must be between 0 and 1";
    if (o->target > 0 && o->lengths == 0) return "a target needs a length to evaluate";
    if (!is_at_least(o->divergence, 0) || (o->divergence != 0 && o->divergence <= 1))
        return "the factor for divergence must be 0 or more than 1";
    if (!is_at_least(o->checkpoint_seconds, 0))
        return "the time between checkpoints must be at "
               "least 0";
    return NULL;
}

f2l_status f2l_train_options_check(const f2l_train_options *options, f2l_error *err)
{
    if (options->steps == 0 || options->steps > (uint64_t)1 << 53)
        return f2l_fail(err, F2L_EDOMAIN, "a run needs between 1 and 2^53 steps");
    const char *wrong = wrong_rates(options);
    if (!wrong) wrong = wrong_looks(options);
    return wrong ? f2l_fail(err, F2L_EDOMAIN, "%s", wrong) : F2L_OK;
}

double f2l_train_rate(const f2l_train_options *options, uint64_t step)
{
    const f2l_train_options *o = options;
    if (step < o->warmup) return o->rate * ((double)(step + 1) / (double)o->warmup);
    const uint64_t from = o->decay_from > o->warmup ? o->decay_from : o->warmup;
    if (o->decay == F2L_TRAIN_CONSTANT || step < from) return o->rate;
    if (step >= o->steps) return o->last_rate;
    const double x = (double)(step - from) / (double)(o->steps - from);
    const double left = o->decay == F2L_TRAIN_LINEAR ? 1 - x : (1 + cos(acos(-1) * x)) / 2;
    return o->last_rate + (o->rate - o->last_rate) * left;
}

const char *f2l_train_decay_name(size_t decay)
{
    static const char *const name[F2L_TRAIN_DECAYS] = {"constant", "cosine", "linear"};
    return decay < F2L_TRAIN_DECAYS ? name[decay] : NULL;
}

#define ROW(...) F2L_MEMBER(f2l_train_options, __VA_ARGS__)
static const f2l_member rows[] = {
    ROW(steps, F2L_IN(0, 0x1p53)),
    ROW(rate, F2L_ANY),
    ROW(beta1, F2L_ANY),
    ROW(beta2, F2L_ANY),
    ROW(epsilon, F2L_ANY),
    ROW(weight_decay, F2L_ANY),
    ROW(clip, F2L_ANY),
    ROW(warmup, F2L_IN(0, 0x1p53)),
    F2L_MEMBER_ONE_OF("decay", f2l_train_options, decay, f2l_train_decay_name, F2L_ANY),
    ROW(decay_from, F2L_IN(0, 0x1p53)),
    ROW(last_rate, F2L_ANY),
    ROW(log_every, F2L_ANY),
    ROW(evaluate_every, F2L_ANY),
    F2L_MEMBER_LIST("lengths", f2l_train_options, length, lengths, F2L_IN(1, DBL_MAX)),
    ROW(sequences, F2L_ANY),
    ROW(target, F2L_ANY),
    ROW(divergence, F2L_ANY)};
const f2l_members f2l_train_options_members = F2L_MEMBERS(rows);
