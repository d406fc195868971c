/* The parts that checkers of lower bounds share: certificates about an automaton alone. bound.c has
 * the beginning of a certificate, the machine of its classes, words, and the program around it. */
#ifndef CHECK_BOUND_H
#define CHECK_BOUND_H

#include "theory/check/reader.h"

/* Both come from the Makefile. */
#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif
#ifndef LRNN_CHECK_SOURCES
#define LRNN_CHECK_SOURCES "unknown"
#endif

/* The automaton whose states are the classes that the certificate gives: bound.c checks that
 * letters lead the states of a class to one class, and that all its states have one label. So it
 * gives the labels of the automaton in the file. The start reaches all of them. next[class * kinds
 * + letter]. */
typedef struct machine {
    automaton a;
    label kind;
    char hex[65]; /* SHA-256 of the automaton's file */
    size_t classes, kinds, start;
    uint32_t *next, *member; /* member[class]: a state of the class */
} machine;

/* One of the programs. */
typedef struct bound_program {
    const char *name, *version, *sources; /* sources: their SHA-256 */
    const char *first;                    /* line 1 of its certificates */
    /* Reads and checks the lines after the classes, and prints the verdict's line up to the
     * automaton's hash. */
    void (*judge)(const machine *m, text *t);
} bound_program;

/* The program of which bound.c has the main function. */
extern const bound_program bound_self;

typedef struct word {
    uint32_t *letter;
    size_t length;
} word;

/* Reads "NAME l_1 .. l_n", with or without letters, and the end of the line. */
word read_word(const machine *m, text *t, const char *before);
/* Returns the class to which the word leads from a class. */
size_t lead(const machine *m, size_t from, const word *w);
/* Returns whether the label after the word tells the two classes apart. */
bool tells_apart(const machine *m, size_t p, size_t q, const word *w);
/* Prints " label KIND letters K states Q classes C". */
void print_machine(const machine *m);
/* Prints the verdict up to the classes. */
void print_bound(const machine *m, size_t layers);
/* Does the whole check of files in memory; prints the verdict and returns only when everything is
 * right. */
void judge_bound(const bound_program *p, text *fsa, text *t);

#endif
