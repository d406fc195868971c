/* Reports on training, as text or JSON: the results of a run, by length, beside the constructed
 * network; the resources that a run needs; and an evaluation of weights. All pointers are borrowed.
 */
#ifndef F2L_TRAIN_REPORT_H
#define F2L_TRAIN_REPORT_H

#include "models/learn/experiment/experiment_seeds.h"
#include "reports/model/shared_facts.h"
#include "reports/training/settle_report.h"
#include "theory/beside/compare/failing.h"
#include "theory/compile/compile.h"

typedef struct f2l_train_report {
    const char *source; /* "s5.fsa", "arithmetic modulo 5" */
    const f2l_experiment *experiment;
    const f2l_data *data;
    size_t parameters;
    const char *backend;
    const char *folder;                    /* NULL: nothing was written */
    bool fla;                              /* the weights are also in folder/fla */
    const f2l_compile_result *constructed; /* NULL: there is none */
    const char *why_none;                  /* the reason when there is none */
    size_t runs;                           /* >= 1 */
    const f2l_experiment_seed *run; /* [runs]; medians are over the runs that reached their end */
} f2l_train_report;

extern const f2l_report_kind f2l_train_report_kind;

/* The plan of a run: configuration, parameters, bytes of memory. */
typedef struct f2l_plan_report {
    const f2l_train_report *run; /* runs and run are not read */
    const f2l_experiment_need *need;
} f2l_plan_report;
extern const f2l_report_kind f2l_plan_report_kind;

/* Appends the model and the lengths of the training words: "delta, 1 layer of width 128, 4 heads of
 * 32 x 32, n_h = 4, eigenvalues in [-1, 1], B = 0, learned H_0, slope 4, MLP of 512; words of 4 to
 * 64 letters", or "40 letters, with all shorter ones". */
void f2l_train_experiment_text(f2l_buf *out, const f2l_experiment *experiment);

typedef struct f2l_evaluate_report {
    const char *weights; /* path of the file; the report shows the base name */
    const char *source;
    const f2l_data *data;
    const f2l_seq *model;
    size_t sequences, scores;
    const f2l_train_score *score; /* [scores] */
    size_t first_wrong; /* length of the shortest word with a wrong answer, in letters; 0: no wrong
                           answer */
    const f2l_failing *failing;
    const f2l_settle_report *settle;
    double seconds;
} f2l_evaluate_report;

extern const f2l_report_kind f2l_evaluate_report_kind;

#endif
