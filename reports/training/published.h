/* Published numbers as data, each with its source, and what the recipe of this project gave before
 * (models/experiment/preset.h). */
#ifndef F2L_PUBLISHED_H
#define F2L_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct f2l_published {
    const char *preset; /* of models/experiment/preset.h; NULL past the last */
    const char *model;  /* one of the preset's, or another network's name */
    size_t length; /* letters; 0: the papers' mean over lengths 40 to 256, or no length is given */
    double value;  /* NAN: a finding in words */
    double deviation; /* as published with it; 0: none */
    const char *what; /* "best of 3", or the finding */
    const char *source;
    bool paper; /* false: a run of this project */
} f2l_published;

extern const f2l_published f2l_published_numbers[];

#endif
