/* What the files of the command `horizon` share; private to this folder. */
#ifndef F2L_HORIZON_JOB_H
#define F2L_HORIZON_JOB_H

#include "cli/cli.h"
#include "cli/train/evaluate_weights.h"
#include "theory/beside/horizon/learned_forever.h"
#include "theory/beside/horizon/learned_roots.h"

typedef struct f2l_horizon_options {
    const char *out;
    const char *letters;
    uint64_t most, search, prefix; /* prefix above F2L_LEARNED_MOST_PREFIX: by time */
    double seconds;
    size_t scope; /* of f2l_learned_scope_at */
    bool no_report, settle, forever;
    uint64_t words; /* letters of the words of --settle */
} f2l_horizon_options;

typedef struct f2l_horizon_job {
    f2l_cli cli;
    f2l_horizon_options o;
    f2l_weights_file weights;
    double *parameters;
    uint32_t *letter; /* of --letters */
    f2l_learned_horizon horizon;
    f2l_settle_report settle;    /* of --settle, in place of the horizon, or beside it */
    f2l_roots roots;             /* of --settle, where betas are clamped and keys exact */
    f2l_learned_forever forever; /* of --forever, the same */
    f2l_data data;
    f2l_failing failing;
    f2l_learned_files files;
} f2l_horizon_job;

/* Appends the line that says what numbers a proof is about. */
void f2l_horizon_lay_scope(f2l_buf *out, const f2l_learned_scope *scope);

/* Sets j->settle. Failures as of f2l_settle_find. */
f2l_status f2l_horizon_settle(f2l_horizon_job *j, f2l_error *err);
/* The report of a f2l_horizon_job whose settle is set. */
extern const f2l_report_kind f2l_horizon_settle_kind;

/* Whether --settle asks for roots of unity: states need not settle where betas are clamped and keys
 * exact. */
bool f2l_horizon_asks_roots(const f2l_horizon_job *j);
/* Sets j->roots. Failures as of f2l_roots_find. */
f2l_status f2l_horizon_roots(f2l_horizon_job *j, f2l_error *err);
/* The report of a f2l_horizon_job whose roots are set. */
extern const f2l_report_kind f2l_horizon_roots_kind;

/* Sets j->forever. Failures as of f2l_learned_forever_build. */
f2l_status f2l_horizon_forever(f2l_horizon_job *j, f2l_error *err);
/* The report of a f2l_horizon_job whose `forever` is set. */
extern const f2l_report_kind f2l_horizon_forever_kind;

#endif
