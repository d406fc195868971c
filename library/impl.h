/* What the files of library/ share: the handles of include/fsa2lrnn.h. */
#ifndef F2L_LIBRARY_IMPL_H
#define F2L_LIBRARY_IMPL_H

#include "automata/fsa/nfa.h"
#include "include/fsa2lrnn.h"
#include "library/settings.h"
#include "models/network/weights/weights.h"
#include "models/network/wired/network_text.h"
#include "models/network/wired/player.h"
#include "numeric/base/sha256.h"
#include "numeric/base/task.h"
#include "theory/certify/round/round.h"
#include "theory/compile/compile.h"
#include <pthread.h>

struct fsa2lrnn_automaton {
    f2l_fsa fsa;
    f2l_buf text, notes, name; /* name: of the grammar, for reports */
    f2l_buf given;             /* the text that was read; empty where it is canonical */
    f2l_total_report total;
    bool rejects;    /* a state was added that nobody asked for: by the syntax, missing transitions
                      * reject, which is about the label accept alone */
    char syntax[24]; /* as in f2l_nfa */
    char sha256[65]; /* of the text that was read; of the canonical text of an expression */
};

struct fsa2lrnn_options {
    f2l_settings settings;
    f2l_label label;
};

/* Arithmetic by name; format.name and schedule.name are in the structure, which is not copied. */
typedef struct library_numbers {
    f2l_format format;
    f2l_schedule schedule;
    char format_name[F2L_FORMAT_NAME], schedule_name[F2L_SCHEDULE_NAME];
} library_numbers;

/* A verdict in a format, for the report. */
typedef struct library_row {
    library_numbers numbers;
    f2l_rounded rounded;
} library_row;

struct fsa2lrnn_network {
    f2l_fsa fsa; /* where `has_fsa` */
    bool has_fsa;
    /* What verdicts are found for; library_merge_letters makes it. Letters of a class are one
     * letter there. */
    f2l_fsa merged;        /* empty if there are no classes */
    f2l_net judged;        /* borrowed from `model` and `merged` */
    const f2l_fsa *judges; /* `merged` or `fsa`; NULL: not made */
    f2l_buf fsa_text, text, certificate, weights, report;
    f2l_net model;
    f2l_outline outline; /* of the certificate, where `outlined` */
    bool outlined;
    f2l_round_exact exact; /* where `decided` */
    bool decided;
    bool compiled; /* certificate and report are the compiler's */
    bool renamed;  /* fsa2lrnn_certify changed the line `fsa` of the text */
    bool proved;   /* the certificate is of the verdict that was found here, or there is none */
    bool reports;  /* the report is of the verdicts that were found here */
    /* Arithmetic of the certificate; empty: exact. */
    char claim_format[F2L_FORMAT_NAME], claim_schedule[F2L_SCHEDULE_NAME];
    library_row **row; /* [rows] verdicts in formats, owned */
    size_t rows, row_room;
};

struct fsa2lrnn_run {
    f2l_player player;
    library_numbers numbers;         /* the run's own, where it is not exact */
    bool compares;                   /* the network has its automaton */
    const fsa2lrnn_network *network; /* borrowed */
    size_t state;                    /* of the automaton, if there is one */
    const char *expected;            /* what fsa2lrnn_run_expected returns */
};

/* A caller's task as the inside takes it; library_task_begin borrows `from`. */
typedef struct library_task {
    f2l_task task; /* without effort, which verdicts alone count here */
    f2l_effort effort;
    const fsa2lrnn_task *from;
    pthread_mutex_t lock;
    volatile sig_atomic_t cancelled;
} library_task;

/* Sets *t from the caller's task, which may be NULL. library_task_end must follow. */
void library_task_begin(library_task *t, const fsa2lrnn_task *from);
void library_task_end(library_task *t);

/* Makes what verdicts of n, which has its automaton, are found for. F2L_EDOMAIN when letters of a
 * class act in different ways. */
f2l_status library_merge_letters(fsa2lrnn_network *n, f2l_error *err);

/* Frees what FLINT and MPFR keep for the next call in this thread: the caller's thread may end
 * without a word to us. */
void library_free_caches(void);

/* Copies an inner error to the caller's, which may be NULL; returns the status. */
fsa2lrnn_status library_error(fsa2lrnn_error *out, f2l_status status, const f2l_error *err);
/* Returns FSA2LRNN_EINVAL with a text. */
fsa2lrnn_status library_invalid(fsa2lrnn_error *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets *out from names (schedule NULL: "every"). FSA2LRNN_EINVAL, or EDOMAIN when the schedule is
 * not for the format. */
fsa2lrnn_status library_arithmetic(library_numbers *out, const char *format, const char *schedule,
                                   fsa2lrnn_error *err);

/* Returns name i, NULL out of range. */
const char *library_name(const f2l_names *names, size_t i);
/* Sets *out to the kind of labels with this name; returns false where there is none. */
bool library_label(f2l_label *out, const char *name);

/* Returns an empty automaton, NULL without memory. */
fsa2lrnn_automaton *library_automaton_new(void);
/* Reads a grammar into *a, which is empty. */
f2l_status library_automaton_read(fsa2lrnn_automaton *a, const char *bytes, size_t size,
                                  const fsa2lrnn_reading *reading, const f2l_task *task,
                                  f2l_error *err);
/* Returns an empty network, NULL without memory. */
fsa2lrnn_network *library_network_new(void);
/* Reads n->text. */
f2l_status library_load_model(fsa2lrnn_network *n, f2l_error *err);
/* Sets *out to the network unless it failed; returns the status. */
fsa2lrnn_status library_give(fsa2lrnn_network **out, fsa2lrnn_network *n, f2l_status status,
                             fsa2lrnn_error *err, const f2l_error *inner);
/* Sets file[5] to the files of the folder that there are, all but the report; returns their number.
 */
size_t library_files(f2l_hashed_file *file, const fsa2lrnn_network *n);

/* Return an empty row, NULL without memory; free one; and make one part of n, in place of an
 * earlier one of the same arithmetic, or free it. */
library_row *library_row_new(void);
void library_row_free(library_row *row);
f2l_status library_keep_row(fsa2lrnn_network *n, library_row *row, f2l_error *err);

/* Decides the exact verdict, n->exact, unless it was decided; rows 0: the usual limit. */
f2l_status library_decide(fsa2lrnn_network *n, size_t rows, const f2l_task *task, f2l_error *err);
/* Sets *out to the exact verdict, or decides the row and sets *out to its verdict, after
 * library_decide. */
f2l_status library_take_exact(fsa2lrnn_verdict *out, const fsa2lrnn_network *n, f2l_error *err);
f2l_status library_round(fsa2lrnn_verdict *out, library_row *row, const fsa2lrnn_network *n,
                         const f2l_round_options *options, const f2l_task *task, f2l_error *err);

/* Makes the certificate of the exact verdict the network's; sets *changed where it was another, but
 * for lines about formats in which nothing rounds. F2L_EDOMAIN where there is none. */
f2l_status library_certify_exactly(fsa2lrnn_network *n, bool *changed, f2l_error *err);
/* Writes the report of the verdicts. */
f2l_status library_report(fsa2lrnn_network *n, f2l_error *err);
/* Writes certificate and report of what is decided, of a network that was not compiled here. A
 * network whose automaton is not in canonical form keeps its certificate. */
f2l_status library_prove(fsa2lrnn_network *n, f2l_error *err);

#endif
