#include "models/train/train_options.h"
#include "numeric/json/json.h"
#include <math.h>
#include <string.h>

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

static const char *const decay_name[F2L_TRAIN_DECAYS] = {"constant", "cosine", "linear"};

const char *f2l_train_decay_name(f2l_train_decay decay)
{
    return (unsigned)decay < F2L_TRAIN_DECAYS ? decay_name[decay] : "?";
}

bool f2l_train_decay_find(f2l_train_decay *decay, const char *name)
{
    for (int i = 0; i < F2L_TRAIN_DECAYS; i++)
        if (strcmp(name, decay_name[i]) == 0) {
            *decay = (f2l_train_decay)i;
            return true;
        }
    return false;
}

static void count_member(f2l_buf *out, const char *name, uint64_t value)
{
    f2l_buf_printf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void number_member(f2l_buf *out, const char *name, double value)
{
    f2l_buf_printf(out, ",\"%s\":", name);
    f2l_json_number(out, value);
}

void f2l_train_options_json(f2l_buf *out, const f2l_train_options *options)
{
    const f2l_train_options *o = options;
    f2l_buf_printf(out, "{\"steps\":%llu", (unsigned long long)o->steps);
    number_member(out, "rate", o->rate);
    number_member(out, "beta1", o->beta1);
    number_member(out, "beta2", o->beta2);
    number_member(out, "epsilon", o->epsilon);
    number_member(out, "weight_decay", o->weight_decay);
    number_member(out, "clip", o->clip);
    count_member(out, "warmup", o->warmup);
    f2l_buf_printf(out, ",\"decay\":\"%s\"", f2l_train_decay_name(o->decay));
    count_member(out, "decay_from", o->decay_from);
    number_member(out, "last_rate", o->last_rate);
    count_member(out, "log_every", o->log_every);
    count_member(out, "evaluate_every", o->evaluate_every);
    f2l_buf_text(out, ",\"lengths\":[");
    for (size_t i = 0; i < o->lengths; i++)
        f2l_buf_printf(out, "%s%zu", i ? "," : "", o->length[i]);
    f2l_buf_text(out, "]");
    count_member(out, "sequences", o->sequences);
    number_member(out, "target", o->target);
    number_member(out, "divergence", o->divergence);
    f2l_buf_text(out, "}");
}
