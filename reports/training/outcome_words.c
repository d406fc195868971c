/* The least accuracy of an outcome over the kinds of words. */
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include <math.h>

/* Sets value[seeds] to the least accuracy of each seed at a length, 0 for a seed without scores;
 * false where a seed was tested on random words alone, or none has scores. */
static bool collect_least(double *value, const f2l_outcome *w, size_t at)
{
    for (size_t i = 0; i < w->seeds; i++) {
        value[i] = w->seed[i].score ? f2l_train_least_of(&w->seed[i].score[at]) : 0;
        if (isnan(value[i])) return false;
    }
    return f2l_outcome_scored(w) != NULL;
}

void f2l_outcome_say_words(f2l_fact in, const f2l_outcome *w)
{
    f2l_error err;
    double *value = f2l_calloc(w->seeds + 1, sizeof *value);
    if (value == NULL) {
        f2l_facts_fail(in, (f2l_fail_memory(&err), &err));
        return;
    }
    size_t at = w->lengths;
    while (at > 0 && !collect_least(value, w, at - 1)) at--;
    if (at == 0) {
        f2l_say_null(in, "least_of_kinds");
    } else {
        const f2l_fact one = f2l_say_object(in, "least_of_kinds");
        f2l_say_count(one, "length", f2l_outcome_scored(w)->score[at - 1].length);
        f2l_say_values(one, "measured", value, w->seeds);
    }
    f2l_free(value);
}

void f2l_outcome_lay_words(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact least = f2l_get(outcome, "least_of_kinds");
    if (!f2l_is_known(least, "")) {
        f2l_buf_text(out, F2L_OUTCOME_NO_KINDS);
        return;
    }
    f2l_layout(out, least, "headline, words of {length letter} right in the kind with the least: ");
    f2l_reproduce_lay_measured(out, f2l_get(least, "measured"), f2l_get(least, "values"));
}
