/* A wired network beside a form of a quotient of the automaton: the parts that claims zeiger, d1
 * and blocks share. The form defines for every gate which wires it reads and which function its
 * table is, so gates are compared in their order, without any search. */
#ifndef CHECK_FORM_H
#define CHECK_FORM_H

#include "theory/check/wired.h"

/* `next` is the next gate of the circuit c of block b. */
typedef struct form {
    problem *x;
    text t; /* a line of the network */
    const block *b;
    const circuit *c;
    size_t next, n, k;          /* n: classes, the states of the quotient; k: letters */
    uint32_t *class, *like;     /* [states] 1 .. n, or 0; [n] a state of each class */
    const struct lookup *table; /* table of the gate before `next` */
    size_t half;                /* d1: letters of a block */
    struct sources *from;       /* zeiger: the edges by their target */
    uint32_t *number;           /* zeiger: [n] of labels, or with label edges [n][k] */
    struct d1 *d1;              /* claim d1; claim blocks: of the level at hand */
    /* blocks: (state, 0 or 1 + letter) -> state, the machine of the level at hand; NULL: n and k
     * are of the quotient */
    const struct lookup *moves;
    struct blocks *blocks;
    size_t points, slots;             /* points: n, and the slots of the last head */
    const struct lookup *point_moves; /* points: T */
} form;

/* Reads "letters K states Q classes N", where N is `least` or more, but not the line's end; the
 * form becomes the problem's. */
form *begin_form(problem *x, text *t, size_t least);
/* Reads the end of that line, and the lines `class` and `like`. */
void read_classes(form *f, text *t);
/* Checks that the classes are a quotient that keeps labels, with label edges the outputs of all
 * transitions instead of labels of states, and that `like` is a state of each. t:
 * the line `class`, then the line after `like`. */
void check_classes(form *f, text *t);
/* Return the class to which the letter leads from the class; the second one, with f->moves, the
 * state of the machine. */
uint32_t class_after(const form *f, size_t class, size_t a);
uint32_t to(const form *f, size_t class, size_t a);

/* Rejects unless `right`; what, which: the part of block b that is not as in the form. */
void need(const form *f, bool right, const char *what, size_t which);

/* The most wires of a gate: the bits of a label's number. */
enum { MOST_WIRES = 32 };

/* The functions of gates; p, q: classes, a letter, a label or a value, depending on the rule. A
 * first wire that is missing counts as 0. */
typedef enum rule {
    SAME,
    IMAGE,
    PICK,
    FIRST,
    FOUND,
    ACTION,
    OLD,
    EITHER,
    OUTPUT,
    NUMBER,
    ANY,
    BOTH,
    ROW,
    MOVED,
    NAME,
    LETTER,
    HOME,
    LATER,
    NOW,
    JOIN,
    EXCHANGE,
    EXCHANGED
} rule;

/* Returns the wire of the next gate, which must read these wires, and have a table that follows the
 * rule. UNSET: the wire is missing. */
uint32_t next_gate(form *f, rule r, size_t p, size_t q, size_t wires, const uint32_t *wire);
/* Goes to the next circuit, after all gates of the one before. */
void enter(form *f, size_t b, bool post);
/* Checks that the block's outputs are these wires, and `more` from `first` on. */
void check_outputs(const form *f, size_t wires, const uint32_t *wire, size_t more, size_t first);

#endif
