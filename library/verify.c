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

/* Sets the refuting word, and the text with both labels after it. */
static f2l_status take_word(fsa2lrnn_verdict *out, const fsa2lrnn_network *n, const f2l_closure *c,
                            f2l_error *err)
{
    out->length = c->word_length;
    out->word = f2l_calloc(c->word_length ? c->word_length : 1, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(err);
    for (size_t i = 0; i < c->word_length; i++)
        out->word[i] = first_letter(n->face.classes, c->word[i]);
    snprintf(out->text, sizeof out->text, "expected %s, got %s", c->expected, c->got);
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

static f2l_status decide(fsa2lrnn_network *n, const f2l_task *task, f2l_error *err)
{
    if (n->decided) return F2L_OK;
    f2l_status status = library_merge_letters(n, err);
    if (status != F2L_OK) return status;
    f2l_round_exact_clear(&n->exact);
    f2l_round_exact_init(&n->exact);
    status = f2l_round_exactly(&n->exact, &n->judged, n->judges, n->outlined ? &n->outline : NULL,
                               0, task, err);
    /* A verdict that only a limit left open is looked for again. */
    n->decided = status == F2L_OK && n->exact.closure.verdict != F2L_UNKNOWN;
    return status;
}

static f2l_status exactly(fsa2lrnn_verdict *out, fsa2lrnn_network *n, const f2l_task *task,
                          f2l_error *err)
{
    f2l_status status = decide(n, task, err);
    if (status != F2L_OK) return status;
    const f2l_round_exact *e = &n->exact;
    out->verdict = (fsa2lrnn_status)e->closure.verdict;
    if (e->closure.verdict == F2L_REFUTED) return take_word(out, n, &e->closure, err);
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
    if (r->verdict == F2L_REFUTED) return take_word(out, n, &r->closure, err);
    if (r->verdict == F2L_UNKNOWN)
        snprintf(out->text, sizeof out->text, "%s", r->reason);
    else if (r->how == F2L_ROUND_BY_EXACT)
        snprintf(out->text, sizeof out->text, "nothing rounds");
    else
        say_proof(out, r->closure.rows, r->how == F2L_ROUND_BY_CLOSURE ? NULL : &r->outlined);
    return F2L_OK;
}

static f2l_status rounded(fsa2lrnn_verdict *out, fsa2lrnn_network *n, const f2l_format *format,
                          const f2l_schedule *schedule, const f2l_task *task, f2l_error *err)
{
    const f2l_round_options options = {.closure = {.jobs = task->jobs}};
    f2l_status status = decide(n, task, err);
    if (status != F2L_OK) return status;
    f2l_rounded *r = f2l_calloc(1, sizeof *r);
    if (!r) return f2l_fail_memory(err);
    f2l_rounded_init(r);
    status = f2l_round(r, &n->judged, n->judges, &n->exact, format, schedule, &options, task, err);
    if (status == F2L_OK) status = take_rounded(out, n, r, err);
    f2l_rounded_clear(r);
    f2l_free(r);
    return status;
}

fsa2lrnn_status fsa2lrnn_verify(fsa2lrnn_verdict *out, fsa2lrnn_network *network,
                                const char *format, const char *schedule, const fsa2lrnn_task *task,
                                fsa2lrnn_error *err)
{
    f2l_error inner;
    f2l_format arithmetic;
    f2l_schedule order;
    library_task t;
    if (!out || !network) return library_invalid(err, "an argument is NULL");
    memset(out, 0, sizeof *out);
    out->verdict = FSA2LRNN_UNKNOWN;
    if (!format && schedule) return library_invalid(err, "a schedule belongs to a format");
    if (format) {
        const fsa2lrnn_status known =
            library_arithmetic(&arithmetic, &order, format, schedule, err);
        if (known != FSA2LRNN_OK) return known;
    }
    if (!network->has_fsa)
        return library_error(
            err, f2l_fail(&inner, F2L_EDOMAIN, "the network has no automaton to compare with"),
            &inner);
    library_task_begin(&t, task);
    if (t.effort.limit > 0) t.task.effort = &t.effort;
    const f2l_status status = format ? rounded(out, network, &arithmetic, &order, &t.task, &inner)
                                     : exactly(out, network, &t.task, &inner);
    library_task_end(&t);
    if (status != F2L_OK) {
        fsa2lrnn_verdict_clear(out);
        memset(out, 0, sizeof *out);
        out->verdict = FSA2LRNN_UNKNOWN;
    }
    return library_error(err, status, &inner);
}
