/* Formats and schedules in which nothing rounds (unrounded.c), and chunk64 among them (chunk64.c).
 */
#ifndef CHECK_UNROUNDED_H
#define CHECK_UNROUNDED_H

#include "theory/check/real.h"

/* A format and a schedule in which nothing rounds, and its line in the certificate. */
typedef struct unrounded {
    schedule schedule;
    text line;
    name words;          /* FORMAT SCHEDULE */
    struct proof *proof; /* chunk64: of all heads */
    struct unrounded *next;
} unrounded;

/* The program's hooks: lines of the certificate, the check after the exact claim's, the verdicts.
 */
void read_unrounded(problem *x, text *t);
void check_unrounded(problem *x);
void print_unrounded(const problem *x, const char *word);

/* Rejects unless `right`, with what is rounded where. */
void need_exact(const unrounded *u, bool right, const char *what, size_t l, const head *h,
                const block *b);

/* chunk64.c: reads the lines of all heads, and checks one of them. */
struct proof *read_proofs(const problem *x, text *t);
void check_chunks(problem *x, const unrounded *u, size_t l, const head *h, size_t number_of_proof);

#endif
