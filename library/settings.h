/* The options of `fsa2lrnn compile`, for the command line and for fsa2lrnn_options_set: one table
 * with their names, values and bounds, and what they mean to the compiler. */
#ifndef F2L_SETTINGS_H
#define F2L_SETTINGS_H

#include "models/network/weights/weights.h"
#include "numeric/base/option.h"
#include "numeric/base/task.h"
#include "theory/compile/compile.h"

/* The value of an --effort that was not given; numeric/base/task.h has its unit and its default. */
#define F2L_NO_EFFORT UINT64_MAX

/* The values of both tables. Numbers that are 0 were not given. */
typedef struct f2l_settings {
    size_t keys, schedule, weights_dtype;
    size_t cascade, target, require; /* F2L_NO_CHOICE: not given */
    bool gated;
    f2l_chosen formats, exact_in;
    uint64_t limit, max_sets, effort, layers, householders, key_dim;
} f2l_settings;

/* What the settings are where none is given, for an initialiser. */
#define F2L_SETTINGS_USUAL \
    { \
        .cascade = F2L_NO_CHOICE, .target = F2L_NO_CHOICE, .require = F2L_NO_CHOICE, \
        .effort = F2L_NO_EFFORT \
    }

extern const f2l_option f2l_settings_table[], f2l_bounds_table[];

/* Sets *out to what the settings say; its label is the first one. */
void f2l_settings_apply(f2l_compile_options *out, const f2l_settings *settings);

/* --- choices, also of other commands --- */

/* Return choice `index` of the labels "states", "outputs", "accept", of the formats, and of the
 * schedules; NULL past the last. Several commands share these choices. */
const char *f2l_choice_label(size_t index);
const char *f2l_choice_format(size_t index);
const char *f2l_choice_schedule(size_t index);
/* Chooses the usual formats, unless some are chosen. */
void f2l_choose_usual_formats(f2l_chosen *formats);
/* Returns schedule `index` of the schedules that step letter by letter: all but chunk64. */
const char *f2l_choice_stepping(size_t index);
/* Returns "holonomy", "capped", "zeiger" or "pure". */
const char *f2l_choice_cascade(size_t index);

#endif
