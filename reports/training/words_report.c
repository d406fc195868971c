/* Accuracy on sink-free and periodic words, beside random ones. */
#include "models/learn/data/data_walk.h"
#include "numeric/facts/layout.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <stdio.h>

void f2l_say_headline(f2l_fact in, const f2l_train_score *score, size_t n)
{
    size_t at = n;
    while (at > 0 && isnan(f2l_train_least_accuracy(&score[at - 1]))) at--;
    if (at == 0) {
        f2l_say_null(in, "headline");
        return;
    }
    const f2l_train_score *s = &score[at - 1];
    const double least = f2l_train_least_accuracy(s);
    const f2l_walk walk = f2l_train_sequence_accuracy(s) == least ? F2L_WALK_RANDOM
                          : f2l_train_live_accuracy(s) == least   ? F2L_WALK_LIVE
                                                                  : F2L_WALK_PERIODIC;
    const f2l_fact one = f2l_say_object(in, "headline");
    f2l_say_count(one, "length", s->length);
    f2l_say_text(one, "least_kind", f2l_walk_name(walk));
    f2l_say_number(one, "sequence_accuracy", least);
}

/* Returns the accuracy `name` of a row, or the median of a spread of that name. */
static double accuracy_of(f2l_fact row, const char *name, bool spreads)
{
    char path[64];
    if (!f2l_is_known(row, name)) return (double)NAN;
    snprintf(path, sizeof path, "%.40s%s", name, spreads ? ".median" : "");
    return f2l_get_number(row, path);
}

static void lay_accuracy(f2l_buf *out, double accuracy)
{
    if (isnan(accuracy))
        f2l_buf_printf(out, "  %10s", "-");
    else
        f2l_buf_printf(out, "  %10.3f", accuracy < 1 && accuracy > 0.999 ? 0.999 : accuracy);
}

/* Returns the number of rows on which other words than random ones were tested. */
static size_t tested_rows(f2l_fact rows, const char *least, bool spreads)
{
    size_t count = f2l_get_size(rows, "");
    while (count > 0 && isnan(accuracy_of(f2l_get_item(rows, count - 1), least, spreads))) count--;
    return count;
}

void f2l_lay_words(f2l_buf *out, f2l_fact rows, size_t runs)
{
    const bool spreads = runs > 0;
    static const char *const one[] = {"sequence_accuracy", "sink_free_accuracy",
                                      "periodic_accuracy", "least_accuracy"},
                             *const of_runs[] = {"sequence_accuracies", "sink_free_accuracies",
                                                 "periodic_accuracies", "least_accuracies"};
    const char *const *name = spreads ? of_runs : one;
    const size_t count = tested_rows(rows, name[3], spreads);
    if (count == 0) return;
    f2l_buf_printf(out, "\nwords right, by kind%s\n%10s", runs > 1 ? "; medians" : "", "length");
    for (size_t walk = 0; walk < F2L_WALKS; walk++)
        f2l_buf_printf(out, "  %10s", f2l_walk_name(walk));
    f2l_buf_printf(out, "  %10s\n", "least");
    for (size_t i = 0; i < count; i++) {
        const f2l_fact row = f2l_get_item(rows, i);
        f2l_layout(out, row, "{length%10s}");
        for (size_t k = 0; k < 4; k++) lay_accuracy(out, accuracy_of(row, name[k], spreads));
        f2l_buf_text(out, "\n");
    }
    const f2l_fact last = f2l_get_item(rows, count - 1);
    f2l_buf_printf(out, "headline: %.3f of the words of ", accuracy_of(last, name[3], spreads));
    f2l_layout(out, last, "{length letter} right, in the kind with the least\n");
}
