/* Published numbers, each with its source, and earlier results of the recipe of this project
 * (models/learn/experiment/preset.h). */
#ifndef F2L_PUBLISHED_H
#define F2L_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct f2l_published {
    const char *preset; /* of models/learn/experiment/preset.h; NULL past the last */
    const char *model;  /* a model of the preset, or the name of another network */
    size_t length; /* letters; 0: the papers' mean over lengths 40 to 256, or no length is given */
    double value;  /* NAN: the finding is in words */
    double deviation; /* published deviation; 0: none */
    const char *what; /* "best of 3", what is measured where it is another measure, or the finding
                       */
    const char *source;
    bool paper; /* true: from a paper; false: from a run of this project */
} f2l_published;

extern const f2l_published f2l_published_numbers[];

/* A published average of accuracies, not scaled, over the four regular tasks f2l_published_suite;
 * its parts are among f2l_published_numbers. */
typedef struct f2l_published_average {
    const char *model;
    double value;
    const char *source; /* NULL past the last */
} f2l_published_average;

extern const f2l_published_average f2l_published_averages[];
/* The names of their presets. */
#define F2L_PUBLISHED_SUITE 4
extern const char *const f2l_published_suite[F2L_PUBLISHED_SUITE];

/* A network that this program constructs for a preset's automaton with no more Householder factors
 * a head than the model of the preset has, in layers that are joined by look-ups in place of an
 * MLP: `fsa2lrnn compile` with the bound on n_h. tests/cli/t_reproduce.py constructs each and
 * compares. */
typedef struct f2l_constructed {
    const char *preset, *model; /* NULL past the last */
    const char *theorem;        /* "D1" */
    size_t layers, householders;
    const char *verified; /* number formats in which it is VERIFIED for all words, every operation
                             rounded, besides exactly */
} f2l_constructed;

extern const f2l_constructed f2l_constructed_networks[];

#endif
