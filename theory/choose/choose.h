/* One recommendation for an automaton: the network to take, the stock models that hold it, and what
 * is lost one step cheaper. */
#ifndef F2L_CHOOSE_H
#define F2L_CHOOSE_H

#include "models/doors/export/export.h"
#include "theory/choose/released.h"
#include "theory/compile/compile.h"
#include "theory/compile/fewest.h"
#include "theory/obstruct/layers/layers.h"

/* The usual effort, in F2L_STEPS: at most a second of one core. */
#define F2L_CHOOSE_EFFORT 100

/* A network that was sought. */
typedef struct f2l_sought {
    bool found;                  /* it is VERIFIED exactly, with finitely many states */
    f2l_compile_result compiled; /* the search, also where nothing was found */
    f2l_compile_entry entry;     /* if found: its figures and verdicts, as f2l_compile_record */
    const char *ended; /* what ended the search early: "effort", "time limit"; NULL: nothing did */
    char reason[256];  /* unless found: why */
    char unheld[256];  /* why a limit lets no model hold it; empty: none did */
} f2l_sought;

/* A step cheaper than the network to take, and what is known of it. */
typedef enum f2l_cheaper_step {
    F2L_CHEAPER_LAYERS,       /* one layer fewer */
    F2L_CHEAPER_EIGENVALUES,  /* none below 0: beta <= 1 */
    F2L_CHEAPER_HOUSEHOLDERS, /* n_h - 1 */
    F2L_CHEAPER_STEPS
} f2l_cheaper_step;

typedef enum f2l_cheaper_answer {
    F2L_CHEAPER_CANNOT,  /* proved, within the scope */
    F2L_CHEAPER_CAN,     /* at the price that the text says */
    F2L_CHEAPER_UNKNOWN, /* neither was proved nor built, within the limits */
    F2L_CHEAPER_NONE     /* there is nothing to save */
} f2l_cheaper_answer;

typedef struct f2l_cheaper {
    f2l_cheaper_answer answer;
    const char *statement; /* that shows the answer; "": none does */
    const char *scope;     /* of the statement; "": none */
    const char *shown_by;  /* "fork", "cycle_word", "odd_cycle_word": the witness; NULL: none */
    const f2l_sought *by;  /* the network that can; NULL: none was built */
    char text[320];
} f2l_cheaper;

/* A language model of another program, and the network that it holds. */
typedef struct f2l_holder {
    const f2l_export_target *target;
    const f2l_sought *held;        /* NULL: none of the networks; see reason */
    const f2l_export_dtype *dtype; /* of its weights */
    f2l_export_sizes sizes;
    f2l_exported files; /* config.json, and what is claimed of the exported model */
    char reason[320];
} f2l_holder;

#define F2L_HOLDERS 4

typedef struct f2l_choose {
    f2l_classify classify;
    f2l_layers layers;
    char open[80]; /* constructions that may have fewer layers (f2l_compile_say_open) */
    f2l_sought best;
    f2l_sought flatter; /* with fewer layers than the best, where no bound excludes that */
    f2l_sought other[2];
    /* Of `other`: with at most n_h - 1 factors of a head for a letter, and with one, where the best
     * network has more; NULL: it has one, or none. They may be the same. */
    const f2l_sought *fewer, *one;
    bool reflects; /* the best network has eigenvalues below 0 */
    /* The shortest of the usual formats in which it is VERIFIED at all lengths; NULL: none is. */
    const f2l_compile_entry_format *format;
    f2l_cheaper cheaper[F2L_CHEAPER_STEPS];
    f2l_holder holder[F2L_HOLDERS]; /* [holders] by the name of the target */
    size_t holders;
} f2l_choose;

void f2l_choose_init(f2l_choose *choose);
void f2l_choose_clear(f2l_choose *choose);

/* Chooses for `fsa`, which must be trimmed, deterministic and total, have the labels, and not
 * change while *out lives. The task's effort is the limit of the search for the best network; the
 * other parts have shares of as much. Returns F2L_OK also when a limit left something open, be it
 * everything; F2L_EDOMAIN where the automaton lacks the labels. */
f2l_status f2l_choose_find(f2l_choose *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err);

/* Returns the bytes of a number of the format: the least power of two. */
size_t f2l_choose_bytes(const f2l_format *format);

#endif
