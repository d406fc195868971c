/* Published numbers, each with its source, and earlier results of the recipe of this project
 * (models/experiment/preset.h). */
#ifndef F2L_PUBLISHED_H
#define F2L_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct f2l_published {
    const char *preset; /* of models/experiment/preset.h; NULL past the last */
    const char *model;  /* a model of the preset, or the name of another network */
    size_t length; /* letters; 0: the papers' mean over lengths 40 to 256, or no length is given */
    double value;  /* NAN: the finding is in words */
    double deviation; /* published deviation; 0: none */
    const char *what; /* "best of 3", or the finding */
    const char *source;
    bool paper; /* true: from a paper; false: from a run of this project */
} f2l_published;

extern const f2l_published f2l_published_numbers[];

#endif
