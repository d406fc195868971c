/* Options of fsa2lrnn_compile, by the names that the command line has for them. */
#include "library/impl.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

fsa2lrnn_status fsa2lrnn_options_new(fsa2lrnn_options **out, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!out) return library_invalid(err, "an argument is NULL");
    fsa2lrnn_options *o = f2l_calloc(1, sizeof *o);
    if (!o) return library_error(err, f2l_fail_memory(&inner), &inner);
    o->compile.schedule = &f2l_schedules[0];
    for (; o->formats < F2L_USUAL_FORMATS; o->formats++)
        o->compile.format[o->formats] = &f2l_formats[o->formats];
    *out = o;
    return FSA2LRNN_OK;
}

void fsa2lrnn_options_free(fsa2lrnn_options *options)
{
    f2l_free(options);
}

/* Sets *out to the place of `value` in the NULL-terminated list. */
static bool choose(size_t *out, const char *const list[], const char *value)
{
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(list[i], value) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

/* Sets *out to the type of this name for weights.safetensors. */
static bool weights_dtype(f2l_weights_dtype *out, const char *value)
{
    const char *name;
    for (size_t i = 0; (name = f2l_weights_dtype_name(i)); i++) {
        if (strcmp(name, value) != 0) continue;
        *out = (f2l_weights_dtype)i;
        return true;
    }
    return false;
}

/* Reads a decimal number of at most `most`. */
static bool number(uint64_t *out, const char *value, uint64_t most)
{
    uint64_t n = 0;
    if (!*value) return false;
    for (; *value; value++) {
        if (*value < '0' || *value > '9') return false;
        const unsigned digit = (unsigned)(*value - '0');
        if (n > (most - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *out = n;
    return true;
}

/* Reads names of the table of formats, separated by commas, into list[*count]. */
static bool formats(const f2l_format **list, size_t *count, const char *value)
{
    const f2l_format *found[F2L_MAX_FORMATS] = {0};
    size_t n = 0;
    while (*value) {
        char name[32];
        const size_t size = strcspn(value, ",");
        if (size >= sizeof name || n == F2L_MAX_FORMATS) return false;
        memcpy(name, value, size);
        name[size] = '\0';
        found[n] = f2l_format_find(name);
        if (!found[n++]) return false;
        value += size;
        if (*value == ',' && !*++value) return false;
    }
    if (n == 0) return false;
    memcpy(list, found, sizeof found);
    *count = n;
    return true;
}

/* Sets an option that is a number: the rows say where each is kept; *known tells whether there is
 * one of this name. */
static bool set_number(fsa2lrnn_options *o, const char *name, const char *value, bool *known)
{
    f2l_compile_options *c = &o->compile;
    const struct {
        const char *name;
        size_t *at;
    } row[] = {{"layers", &c->bounds.layers},
               {"householders", &c->bounds.householders},
               {"key-dim", &c->bounds.key_dim},
               {"limit", &c->float_rows},
               {"max-sets", &c->max_sets}};
    uint64_t n;
    *known = true;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (strcmp(name, row[i].name) != 0) continue;
        if (!number(&n, value, 4000000000) || n == 0) return false;
        *row[i].at = (size_t)n;
        return true;
    }
    *known = false;
    return false;
}

bool library_label(f2l_label *out, const char *name)
{
    static const char *const labels[] = {"states", "outputs", "accept", "edges", NULL};
    size_t i;
    if (!choose(&i, labels, name)) return false;
    *out = (f2l_label)i;
    return true;
}

static bool set_choice(fsa2lrnn_options *o, const char *name, const char *value, bool *known)
{
    static const char *const keys[] = {"dyadic", "naive", NULL};
    static const char *const cascades[] = {"holonomy", "capped", "zeiger", NULL};
    static const char *const targets[] = {"diagonal", "complex", "diagonal-positive",
                                          "one-reflection", NULL};
    static const char *const answers[] = {"no", "yes", NULL};
    f2l_compile_options *c = &o->compile;
    size_t i;
    bool good = false;
    *known = true;
    if (strcmp(name, "label") == 0) {
        good = library_label(&c->label, value);
    } else if (strcmp(name, "keys") == 0) {
        if ((good = choose(&i, keys, value))) c->naive_keys = i == 1;
    } else if (strcmp(name, "cascade") == 0) {
        if ((good = choose(&i, cascades, value))) c->cascade = (f2l_compile_cascade)(i + 1);
    } else if (strcmp(name, "target") == 0) {
        if ((good = choose(&i, targets, value))) c->target = (f2l_compile_target)(i + 1);
    } else if (strcmp(name, "gated") == 0) {
        if ((good = choose(&i, answers, value))) c->gated = i == 1;
    } else if (strcmp(name, "weights-dtype") == 0) {
        good = weights_dtype(&o->weights, value);
    } else if (strcmp(name, "schedule") == 0) {
        const f2l_schedule *schedule = f2l_schedule_find(value);
        if ((good = schedule && f2l_schedule_steps(schedule))) c->schedule = schedule;
    } else {
        *known = false;
    }
    return good;
}

fsa2lrnn_status fsa2lrnn_options_set(fsa2lrnn_options *options, const char *name, const char *value,
                                     fsa2lrnn_error *err)
{
    if (!options || !name || !value) return library_invalid(err, "an argument is NULL");
    bool known = true, good;
    if (strcmp(name, "formats") == 0)
        good = formats(options->compile.format, &options->formats, value);
    else if (strcmp(name, "exact-in") == 0)
        good = formats(options->compile.bounds.exact_in, &options->exact_in, value);
    else if (!(good = set_number(options, name, value, &known)) && !known)
        good = set_choice(options, name, value, &known);
    if (good) return FSA2LRNN_OK;
    if (!known) return library_invalid(err, "there is no option '%.100s'", name);
    return library_invalid(err, "option %.100s does not take '%.100s'", name, value);
}
