/* Private to theory/ladder: members of a configuration. */
#ifndef F2L_THEORY_LADDER_IMPL_H
#define F2L_THEORY_LADDER_IMPL_H

#include "theory/ladder/ladder.h"

#define F2L_CONFIG_MISSING "is missing: without it it is not known which layers are of attention"
#define F2L_CONFIG_LAYERS 100000 /* the most layers of a model */

typedef struct f2l_config_members {
    const f2l_config_text *settings;
    const json_t *object; /* of the settings, or the text_config in them */
    f2l_error *err;
    f2l_status status; /* the first fault */
} f2l_config_members;

/* Keeps the fault, at the place of the name, unless there is one. */
void f2l_config_refuse(f2l_config_members *m, f2l_status status, const char *name,
                       const char *what);

/* Return the value, NULL where it is missing or null; and whether it is there. */
const json_t *f2l_config_get(const f2l_config_members *m, const char *name);
bool f2l_config_has(const f2l_config_members *m, const char *name);

/* Return a member of a kind, `usual` (NULL) where it is missing; another kind is refused. */
bool f2l_config_flag(f2l_config_members *m, const char *name, bool usual);
size_t f2l_config_count(f2l_config_members *m, const char *name, size_t usual);
double f2l_config_number(f2l_config_members *m, const char *name, double usual);
const char *f2l_config_word(f2l_config_members *m, const char *name);

/* Refuses settings that change the arithmetic and that no row is about, and names that are nearly
 * names that are read. */
void f2l_config_check_names(const f2l_ladder_config *out, f2l_config_members *m);

/* Sets the numbers of layers of each kind, for the base and class that are set. Refused: a setting
 * of another class, a class whose setting is missing, settings that contradict each other. */
void f2l_config_count_layers(f2l_ladder_config *out, f2l_config_members *m);

#endif
