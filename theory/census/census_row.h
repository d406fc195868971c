/* What is known of one automaton of the census: how few layers track its states, and the network
 * that shows it. */
#ifndef F2L_CENSUS_ROW_H
#define F2L_CENSUS_ROW_H

#include "automata/census/census.h"
#include "theory/construct/result.h"
#include "theory/construct/stack/stack.h"

/* What the decoder of one layer of Euclidean contractions has to read where each state has one code
 * (theory/pages/separation.md, SP.9): the code after the letter, the letter and this code, or the
 * code before the letter as well. NONE: whatever of these it reads, there is no such layer. */
typedef enum f2l_one_code {
    F2L_ONE_CODE_NONE,
    F2L_ONE_CODE_STATE,
    F2L_ONE_CODE_STEP,
    F2L_ONE_CODE_BEFORE,
    F2L_ONE_CODE_OPEN
} f2l_one_code;

/* The labels are the states. The figures are of a network that is VERIFIED in exact
 * arithmetic; the bounds hold for networks of Euclidean contractions with finitely many exact
 * states. */
typedef struct f2l_census_row {
    char name[(F2L_CENSUS_STATES + 1) * F2L_CENSUS_LETTERS]; /* f2l_census_name */
    size_t layers_at_least;                                  /* no network has fewer layers */
    char by[16];           /* the statement that shows it: "FK.3"; empty where it is 1 */
    f2l_one_code one_code; /* its decoder */
    char construction[16]; /* of the network: "T3"; empty: no network is VERIFIED */
    f2l_compile_figures figures;
    /* The fewest layers that a statement shows to be enough, where no network with so few was
     * found: "OL", "LL.2"; else 0 and empty. */
    size_t layers_enough;
    char enough_by[16];
    size_t least_householders; /* every network of one layer without gates has this many factors for
                                  some letter (LD.2) */
} f2l_census_row;

/* Limits on the search for one row. */
typedef struct f2l_census_limits {
    uint64_t effort;               /* steps for each search (numeric/base/task.h); 0: none */
    f2l_stack_lists *first_layers; /* as in f2l_compile_options */
} f2l_census_limits;

/* Finds the row of the automaton. A search that a limit ends leaves its bound as far as it came;
 * F2L_UNKNOWN only where the task was told to stop. */
f2l_status f2l_census_row_find(f2l_census_row *out, const f2l_census *census,
                               const f2l_census_limits *limits, const f2l_task *task,
                               f2l_error *err);

#endif
