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
static f2l_status set_option(f2l_settings *settings, const f2l_option *o, const char *value,
                             f2l_error *err)
{
    const bool yes = strcmp(value, "yes") == 0;
    if (o->kind != F2L_OPTION_FLAG) return f2l_option_set(o, settings, value, err);
    if (!yes && strcmp(value, "no") != 0)
        return f2l_fail(err, F2L_EDOMAIN, "--%s is one of: yes, no; not '%.100s'", o->name, value);
    *(bool *)((char *)settings + o->offset) = yes;
    return F2L_OK;
}

/* Sets the kind of labels by its name. */
static f2l_status set_label(fsa2lrnn_options *options, const char *value, f2l_error *err)
{
    static const f2l_option label = {
        "label", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_label, 0, 0, 0, NULL};
    size_t found;
    const f2l_status status = f2l_option_set(&label, &found, value, err);
    if (status == F2L_OK) options->label = (f2l_label)found;
    return status;
}

fsa2lrnn_status fsa2lrnn_options_set(fsa2lrnn_options *options, const char *name, const char *value,
                                     fsa2lrnn_error *err)
{
    if (!options || !name || !value) return library_invalid(err, "an argument is NULL");
    const bool is_label = strcmp(name, "label") == 0;
    const f2l_option *o = find_option(name);
    if (!o && !is_label) return library_invalid(err, "there is no option '%.100s'", name);
    f2l_error inner;
    const f2l_status status = is_label ? set_label(options, value, &inner)
                                       : set_option(&options->settings, o, value, &inner);
    if (status == F2L_OK) return FSA2LRNN_OK;
    /* Behind the "--" of the command line. */
    return library_invalid(err, "%s", inner.text + strspn(inner.text, "-"));
}
