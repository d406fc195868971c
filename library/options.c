/* Options of fsa2lrnn_compile, by the names that the command line has for them. */
#include "library/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

fsa2lrnn_status fsa2lrnn_options_new(fsa2lrnn_options **out, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!out) return library_invalid(err, "an argument is NULL");
    fsa2lrnn_options *o = f2l_calloc(1, sizeof *o);
    if (!o) return library_error(err, f2l_fail_memory(&inner), &inner);
    o->settings = (f2l_settings)F2L_SETTINGS_USUAL;
    *out = o;
    return FSA2LRNN_OK;
}

void fsa2lrnn_options_free(fsa2lrnn_options *options)
{
    f2l_free(options);
}

bool library_label(f2l_label *out, const char *name)
{
    const size_t found = f2l_choice_find(f2l_choice_label, name, strlen(name));
    if (found != F2L_NO_CHOICE) *out = (f2l_label)found;
    return found != F2L_NO_CHOICE;
}

/* Returns the option of this name, or NULL. The effort belongs to the task, and what is required of
 * the verdicts to the caller. */
static const f2l_option *find_option(const char *name)
{
    const size_t size = strlen(name);
    const f2l_option *o = f2l_option_find(f2l_settings_table, name, size, 0);
    if (strcmp(name, "effort") == 0 || strcmp(name, "require") == 0) return NULL;
    return o ? o : f2l_option_find(f2l_bounds_table, name, size, 0);
}

/* Sets a flag to "yes" or "no", and other options to what the text says. */
static bool set_option(f2l_settings *settings, const f2l_option *o, const char *value)
{
    const bool yes = strcmp(value, "yes") == 0;
    if (o->kind != F2L_OPTION_FLAG) return f2l_option_set(o, settings, value, NULL) == F2L_OK;
    if (yes || strcmp(value, "no") == 0) *(bool *)((char *)settings + o->offset) = yes;
    return yes || strcmp(value, "no") == 0;
}

fsa2lrnn_status fsa2lrnn_options_set(fsa2lrnn_options *options, const char *name, const char *value,
                                     fsa2lrnn_error *err)
{
    if (!options || !name || !value) return library_invalid(err, "an argument is NULL");
    const bool is_label = strcmp(name, "label") == 0;
    const f2l_option *o = find_option(name);
    if (!o && !is_label) return library_invalid(err, "there is no option '%.100s'", name);
    const bool good =
        is_label ? library_label(&options->label, value) : set_option(&options->settings, o, value);
    if (good) return FSA2LRNN_OK;
    return library_invalid(err, "option %.100s does not take '%.100s'", name, value);
}
