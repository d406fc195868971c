/* The report on a trained network beside the constructed one (theory/beside/compare), as text and
 * JSON. All pointers are borrowed. */
#ifndef F2L_COMPARE_REPORT_H
#define F2L_COMPARE_REPORT_H

#include "models/learn/data/train_score.h"
#include "reports/networks/inspect_report.h"
#include "reports/training/settle_report.h"
#include "theory/beside/compare/extract.h"
#include "theory/beside/compare/failing.h"
#include "theory/beside/compare/irreps.h"
#include "theory/beside/compare/layer_betas.h"
#include "theory/beside/compare/state_map.h"

/* Results of one of the networks by length. */
typedef struct f2l_compare_scores {
    const f2l_train_score *score; /* [scores] */
    size_t scores, first_wrong;   /* as in f2l_evaluate_report; scores 0: it was not measured */
} f2l_compare_scores;

typedef struct f2l_compare_report {
    const f2l_inspect_report *learned; /* inspect without heads: there are no matrices of letters */
    const char *no_heads;              /* why there are none; NULL: there are */
    const char *network;               /* path of the constructed network; NULL: see theorem */
    const char *theorem;               /* construction of the main job; NULL: not known */
    const f2l_net *net;                /* NULL: there is none, or it is wired */
    const char *no_network;            /* why it is not compared; NULL: it is */
    const f2l_inspect *constructed;    /* its first layer */
    const char *no_constructed_heads;  /* why that is not shown; NULL: it is */
    const f2l_learned_reader *reader;
    const f2l_learned_sample *sample; /* NULL, like extract: see no_states */
    const f2l_extract *extract;
    const f2l_constructed *exact; /* NULL without net */
    const f2l_state_maps *maps;   /* NULL: see no_maps */
    const char *no_maps;
    double threshold;                      /* of the maps */
    const f2l_inspect_spread *layer_betas; /* [layers][heads]; NULL: of the first layer only, with
                                            * its letters */
    const f2l_learned_irreps *irreps;
    const f2l_learned_irreps *constructed_irreps; /* of the same group; NULL: not known */
    f2l_compare_scores scores, constructed_scores;
    const f2l_failing *failing;
    const f2l_settle_report *settle;
    size_t sequences;
    size_t rows; /* number of letters that the text shows */
    double seconds;
    const char *file; /* path of the JSON, for the text; NULL: it was not written */
} f2l_compare_report;

extern const f2l_report_kind f2l_compare_report_kind;

#endif
