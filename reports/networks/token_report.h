/* Reports on a model that reads tokens (models/learn/data/token_text.h), as text and JSON: its loss
 * by position, and what its heads do. All pointers are borrowed. */
#ifndef F2L_TOKEN_REPORT_H
#define F2L_TOKEN_REPORT_H

#include "models/learn/inspect/token_heads.h"
#include "reports/model/shared_facts.h"

typedef struct f2l_token_report {
    const char *weights; /* path of the file; the report shows the base name */
    const char *file;    /* of the tokens, likewise */
    const f2l_seq *model;
    const f2l_tokens *tokens;
    const f2l_token_losses *losses;
    const f2l_token_heads *heads; /* NULL in a report of losses */
    double seconds;
} f2l_token_report;

extern const f2l_report_kind f2l_token_losses_report_kind, f2l_token_heads_report_kind;

#endif
