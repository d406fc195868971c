#include "library/settings.h"

/* --- choices --- */

const char *f2l_choice_label(size_t index)
{
    return index <= F2L_LABEL_EDGES ? f2l_label_name((f2l_label)index) : NULL;
}

const char *f2l_choice_format(size_t index)
{
    return f2l_formats[index].name;
}

void f2l_choose_usual_formats(f2l_chosen *formats)
{
    if (formats->count > 0) return;
    for (; formats->count < F2L_USUAL_FORMATS; formats->count++)
        formats->index[formats->count] = formats->count;
}

const char *f2l_choice_schedule(size_t index)
{
    return f2l_schedules[index].name;
}

const char *f2l_choice_stepping(size_t index)
{
    return f2l_schedule_steps(&f2l_schedules[index]) ? f2l_schedules[index].name : NULL;
}

const char *f2l_choice_cascade(size_t index)
{
    static const char *const names[] = {"holonomy", "capped", "zeiger", "pure", NULL};
    return names[index];
}

static const char *choice_keys(size_t index)
{
    static const char *const names[] = {"dyadic", "naive", NULL};
    return names[index];
}

/* Returns the name of a target, in the order of f2l_compile_target from its second one. */
static const char *choice_target(size_t index)
{
    static const char *const names[] = {"diagonal", "complex", "diagonal-positive",
                                        "one-reflection", NULL};
    return names[index];
}

/* --- the tables --- */

#define FIELD(name) offsetof(f2l_settings, name)
const f2l_option f2l_settings_table[] = {
    {"keys", 0, F2L_OPTION_CHOICE, "KIND", choice_keys, 0, 0, FIELD(keys),
     "dyadic (default): keys that every binary format holds exactly; naive: the textbook keys (e_i "
     "- e_j)/sqrt 2"},
    {"cascade", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_cascade, 0, 0, FIELD(cascade),
     "build a cascade, even if one layer suffices: holonomy, capped or zeiger; pure means "
     "holonomy (default: a cascade only if needed, the better of holonomy and capped)"},
    {"gated", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(gated),
     "make the resets of a cascade by a gate of 0; a level that keeps the old state has a "
     "second layer if this takes fewer factors"},
    {"target", 0, F2L_OPTION_CHOICE, "CLASS", choice_target, 0, 0, FIELD(target),
     "a class of transition matrices: diagonal (real, entries in [-1,1]; all groups must be "
     "2-groups), complex (diagonal over the complex numbers; all groups must be solvable), "
     "diagonal-positive (entries in [0,1]; the automaton must be aperiodic, and the network "
     "has infinitely many states) or one-reflection (at most one factor per letter in every "
     "head, and no gates; all groups must be solvable)"},
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "number formats to verify in (default: bf16,fp16,fp32,fp64)"},
    {"schedule", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_stepping, 0, 0, FIELD(schedule),
     "order and rounding of the operations (default: every: each operation rounds)"},
    {"require", 0, F2L_OPTION_CHOICE, "FORMAT", f2l_choice_format, 0, 0, FIELD(require),
     "the exit status is the worse of the exact verdict and this format's (refuted is worse than "
     "unknown)"},
    {"weights-dtype", 0, F2L_OPTION_CHOICE, "TYPE", f2l_weights_dtype_name, 0, 0,
     FIELD(weights_dtype),
     "type of the numbers in weights.safetensors: bf16, f16, f32 or f64, rounded where it does not "
     "hold them, which the report says; auto (default): the narrowest that holds every number "
     "exactly, else f64"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most rows of a format's closure; beyond it the verdict is UNKNOWN (default: 1000000; "
     "with --pareto 100000 for rounded keys)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 1000000000, FIELD(effort),
     "limit on the search for the least network, in millions of counted steps (some "
     "milliseconds each), which are the same on every machine; the number formats may take "
     "half as many; 0: no limit (default: 1250, and more while nothing is VERIFIED)"},
    {"max-sets", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(max_sets),
     "most subsets of states in a cascade (default: 2000000, fewer for automata of thousands "
     "of states); the rule form has none"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const f2l_option f2l_bounds_table[] = {
    {"layers", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(layers), "at most N layers"},
    {"householders", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(householders),
     "at most N Householder factors of a head for a letter"},
    {"key-dim", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(key_dim),
     "key dimension at most N in every head"},
    {"exact-in", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(exact_in),
     "VERIFIED at all lengths in these number formats"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* --- what they mean --- */

static f2l_compile_cascade cascade_kind(size_t choice)
{
    static const f2l_compile_cascade kind[] = {F2L_COMPILE_HOLONOMY, F2L_COMPILE_CAPPED,
                                               F2L_COMPILE_ZEIGER, F2L_COMPILE_HOLONOMY};
    return choice == F2L_NO_CHOICE ? F2L_COMPILE_AUTO : kind[choice];
}

_Static_assert(F2L_MAX_CHOICES <= F2L_MAX_FORMATS, "all chosen formats fit into a list");

/* Sets the list to the formats. */
static void take_formats(const f2l_format **list, const f2l_chosen *formats)
{
    for (size_t i = 0; i < formats->count; i++) list[i] = &f2l_formats[formats->index[i]];
}

void f2l_settings_apply(f2l_compile_options *out, const f2l_settings *s)
{
    f2l_chosen formats = s->formats;
    const bool renew = s->effort == F2L_NO_EFFORT;
    *out = (f2l_compile_options){.naive_keys = s->keys == 1,
                                 .cascade = cascade_kind(s->cascade),
                                 .gated = s->gated,
                                 .max_sets = (size_t)s->max_sets,
                                 .renew = renew,
                                 .effort = F2L_STEPS * (renew ? F2L_USUAL_EFFORT : s->effort),
                                 .schedule = &f2l_schedules[s->schedule],
                                 .merge_letters = true,
                                 .float_rows = (size_t)s->limit,
                                 .bounds = {.layers = (size_t)s->layers,
                                            .householders = (size_t)s->householders,
                                            .key_dim = (size_t)s->key_dim}};
    if (s->target != F2L_NO_CHOICE) out->target = (f2l_compile_target)(s->target + 1);
    f2l_choose_usual_formats(&formats);
    take_formats(out->format, &formats);
    take_formats(out->bounds.exact_in, &s->exact_in);
}
