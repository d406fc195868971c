/* Verdicts: exactly, and in a number format with an operation schedule. */
#include "library/impl.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

void fsa2lrnn_verdict_clear(fsa2lrnn_verdict *verdict)
{
    if (!verdict) return;
    f2l_free(verdict->word);
    verdict->word = NULL;
    verdict->length = 0;
}

/* Returns the first letter of the network that is in the class. */
static size_t first_letter(const f2l_letter_classes *classes, size_t class)
{
    size_t letter = class;
    while (f2l_letter_class(classes, letter) != class) letter++;
    return letter;
}

/* Sets the refuting word, and the text with both labels after it. In exact arithmetic a state that
 * equals no code has no label, and may be nearest to the right code. */
static f2l_status take_refuting_word(fsa2lrnn_verdict *out, const fsa2lrnn_network *n,
                                     const f2l_closure *c, bool nearest, f2l_error *err)
{
    const bool unequal = !nearest && c->uncoded && strcmp(c->got, "no code") == 0;
    out->length = c->word_length;
    out->word = f2l_calloc(c->word_length ? c->word_length : 1, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(err);
    for (size_t i = 0; i < c->word_length; i++)
        out->word[i] = first_letter(&n->model.classes, c->word[i]);
    snprintf(out->text, sizeof out->text, "expected %s, %s%s%s", c->expected,
             unequal ? "but the state equals no code; the nearest one was not asked" : "got ",
             unequal ? "" : c->got,
             !nearest && n->exact.unequal && !unequal ? "; by the nearest code" : "");
    return F2L_OK;
}

/* Sets the text for a proof by `rows` joint states, or by an outline. */
static void say_proof(fsa2lrnn_verdict *out, size_t rows, const f2l_outlined *by)
{
    if (!by)
        snprintf(out->text, sizeof out->text, "closure of %zu joint states", rows);
    else if (by->rule)
        snprintf(out->text, sizeof out->text, "the form of %s", by->rule);
    else
        snprintf(out->text, sizeof out->text, "local closure of %zu pairs", by->pairs);
}

f2l_status library_decide(fsa2lrnn_network *n, size_t rows, const f2l_task *task, f2l_error *err)
{
    if (n->decided) return F2L_OK;
    f2l_status status = library_merge_letters(n, err);
    if (status != F2L_OK) return status;
    f2l_round_exact_clear(&n->exact);
    f2l_round_exact_init(&n->exact);
    status = f2l_round_exactly(&n->exact, &n->judged, n->judges, n->outlined ? &n->outline : NULL,
                               rows, task, err);
    /* A verdict that only a limit left open is looked for again. */
    n->decided = status == F2L_OK && n->exact.closure.verdict != F2L_UNKNOWN;
    return status;
}

f2l_status library_take_exact(fsa2lrnn_verdict *out, const fsa2lrnn_network *n, f2l_error *err)
{
    const f2l_round_exact *e = &n->exact;
    out->verdict = (fsa2lrnn_status)e->closure.verdict;
    if (e->closure.verdict == F2L_REFUTED)
        return take_refuting_word(out, n, &e->closure, false, err);
    if (e->closure.verdict == F2L_UNKNOWN)
        snprintf(out->text, sizeof out->text, "%s", e->closure.reason);
    else
        say_proof(out, e->closure.rows, e->how == F2L_ROUND_BY_CLOSURE ? NULL : &e->outline->exact);
    return F2L_OK;
}

static f2l_status take_rounded(fsa2lrnn_verdict *out, const fsa2lrnn_network *n,
                               const f2l_rounded *r, f2l_error *err)
{
    uint64_t letters;
    out->verdict = (fsa2lrnn_status)r->verdict;
    if (!f2l_rounded_right_up_to(&letters, r) && (r->bounded || r->verdict == F2L_REFUTED)) {
        out->right_up_to = letters;
        out->right_up_to_known = 1;
    }
    if (r->verdict == F2L_REFUTED) return take_refuting_word(out, n, &r->closure, true, err);
    if (r->verdict == F2L_UNKNOWN)
        snprintf(out->text, sizeof out->text, "%s", r->reason);
    else if (r->how == F2L_ROUND_BY_EXACT)
        snprintf(out->text, sizeof out->text, "nothing rounds");
    else
        say_proof(out, r->closure.rows, r->how == F2L_ROUND_BY_CLOSURE ? NULL : &r->outlined);
    return F2L_OK;
}

f2l_status library_round(fsa2lrnn_verdict *out, library_row *row, const fsa2lrnn_network *n,
                         const f2l_round_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_round(&row->rounded, &n->judged, n->judges, &n->exact,
                                  &row->numbers.format, &row->numbers.schedule, options, task, err);
    return status == F2L_OK ? take_rounded(out, n, &row->rounded, err) : status;
}

/* Decides, and lets the network keep what was proved. *row becomes NULL when the network keeps it;
 * NULL: the verdict is exact. */
static f2l_status verify_network(fsa2lrnn_verdict *out, fsa2lrnn_network *n, library_row **row,
                                 const f2l_task *task, f2l_error *err)
{
    const f2l_round_options options = {.closure = {.jobs = task->jobs}};
    const bool decided = n->decided;
    f2l_status status = library_decide(n, 0, task, err);
    if (status == F2L_OK)
        status = *row ? library_round(out, *row, n, &options, task, err)
                      : library_take_exact(out, n, err);
    if (status == F2L_OK && *row) {
        status = library_keep_row(n, *row, err);
        *row = NULL;
    } else if (decided) {
        return status; /* the report says it already */
    }
    return status == F2L_OK ? library_prove(n, err) : status;
}

fsa2lrnn_status fsa2lrnn_verify(fsa2lrnn_verdict *out, fsa2lrnn_network *network,
                                const char *format, const char *schedule, const fsa2lrnn_task *task,
                                fsa2lrnn_error *err)
{
    f2l_error inner;
    library_row *row = NULL;
    library_task t;
    if (!out || !network) return library_invalid(err, "an argument is NULL");
    memset(out, 0, sizeof *out);
    out->verdict = FSA2LRNN_UNKNOWN;
    if (!format && schedule) return library_invalid(err, "a schedule belongs to a format");
    if (format && !(row = library_row_new()))
        return library_error(err, f2l_fail_memory(&inner), &inner);
    const fsa2lrnn_status known =
        row ? library_arithmetic(&row->numbers, format, schedule, err) : FSA2LRNN_OK;
    if (known != FSA2LRNN_OK || !network->has_fsa) {
        library_row_free(row);
        (void)f2l_fail(&inner, F2L_EDOMAIN, "the network has no automaton to compare with");
        return known != FSA2LRNN_OK ? known : library_error(err, F2L_EDOMAIN, &inner);
    }
    library_task_begin(&t, task);
    if (t.effort.limit > 0) t.task.effort = &t.effort;
    const f2l_status status = verify_network(out, network, &row, &t.task, &inner);
    library_task_end(&t);
    library_row_free(row);
    if (status != F2L_OK) {
        fsa2lrnn_verdict_clear(out);
        memset(out, 0, sizeof *out);
        out->verdict = FSA2LRNN_UNKNOWN;
    }
    return library_error(err, status, &inner);
}
