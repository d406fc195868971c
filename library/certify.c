/* Networks that somebody else wrote. */
#include "automata/fsa/fsa_build.h"
#include "library/impl.h"
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/refute_cert.h"
#include "theory/obstruct/obstruct.h"
#include <stdio.h>
#include <string.h>

#define MOST_LETTERS 100000 /* of a run that refutes */

/* --- certificates of wrong networks --- */

/* Writes the certificate that the network is wrong in this arithmetic, on the word whose last
 * letter is repeated for ever. F2L_EDOMAIN where there is none. */
static f2l_status refute(f2l_buf *out, const fsa2lrnn_network *n, const f2l_closure *wrong,
                         const library_numbers *in, const f2l_task *task, f2l_error *err)
{
    char sha256[65];
    f2l_failure run;
    f2l_witness word;
    f2l_status status = f2l_fsa_check_label(n->judges, n->model.label, err);
    if (status != F2L_OK) return status;
    if (wrong->word_length == 0)
        return f2l_fail(err, F2L_EDOMAIN, "a certificate is about words with letters");
    status = f2l_cert_refuted_refuse(&n->model, &in->schedule, err);
    if (status != F2L_OK) return status;
    size_t *letter = f2l_calloc(wrong->word_length, sizeof *letter);
    if (!letter) return f2l_fail_memory(err);
    for (size_t i = 0; i < wrong->word_length; i++) letter[i] = wrong->word[i];
    f2l_witness_init(&word);
    status =
        f2l_witness_set(&word, n->judges, n->model.label, letter, wrong->word_length - 1, 1, err);
    if (status == F2L_OK)
        status = f2l_failure_find(&run, &n->judged, n->judges, &word, &in->format, &in->schedule,
                                  MOST_LETTERS, task, err);
    if (status == F2L_OK && (!run.recurs || !run.first))
        status = f2l_fail(err, F2L_EDOMAIN, "in %s %s %s", in->format.name, in->schedule.name,
                          run.recurs ? "the network is right on this word"
                                     : "no state recurred on this word");
    f2l_sha256_hex(n->text.data, n->text.size, sha256);
    const f2l_refuting_run refuting = {letter, wrong->word_length - 1, 1, run.preperiod,
                                       run.period};
    if (status == F2L_OK)
        status = f2l_refute_cert_write(out, &n->judged, n->judges, &refuting, &in->format,
                                       &in->schedule, sha256, err);
    f2l_witness_clear(&word);
    f2l_free(letter);
    return status;
}

/* Notes that the certificate is about this arithmetic. */
static void claim_in(fsa2lrnn_network *n, const library_numbers *in)
{
    snprintf(n->claim_format, sizeof n->claim_format, "%s", in->format.name);
    snprintf(n->claim_schedule, sizeof n->claim_schedule, "%s", in->schedule.name);
}

/* Writes the certificate that a network which is exactly wrong is wrong in a format, too. */
static f2l_status refute_somewhere(fsa2lrnn_network *n, const f2l_task *task, f2l_error *err)
{
    static const char *const format[] = {"fp64", "fp32", "bf16"};
    f2l_error why;
    f2l_status status = F2L_EDOMAIN;
    for (size_t i = 0; status == F2L_EDOMAIN && i < sizeof format / sizeof *format; i++) {
        const library_numbers numbers = {.format = *f2l_format_find(format[i]),
                                         .schedule = *f2l_schedule_find("every")};
        status = refute(&n->certificate, n, &n->exact.closure, &numbers, task, &why);
        if (status == F2L_OK) claim_in(n, &numbers);
    }
    if (status == F2L_EDOMAIN)
        return f2l_fail(err, status,
                        "lrnn-check knows refutations in number formats only, and there is none "
                        "in fp64, fp32 or bf16: %.200s",
                        why.text);
    if (status != F2L_OK) *err = why;
    return status;
}

/* --- networks of somebody else --- */

/* Copies the text of the network, which gets the automaton with its letters in the network's
 * order. */
static f2l_status adopt(fsa2lrnn_network *n, const fsa2lrnn_network *network,
                        const fsa2lrnn_automaton *automaton, f2l_error *err)
{
    f2l_buf_bytes(&n->text, network->text.data, network->text.size);
    f2l_status status = f2l_buf_status(&n->text, err);
    if (status == F2L_OK) status = library_load_model(n, err);
    if (status == F2L_OK) status = f2l_fsa_copy(&n->fsa, &automaton->fsa, err);
    if (status == F2L_OK) status = f2l_fsa_order_letters(&n->fsa, &n->model.letters, err);
    if (status == F2L_OK) status = f2l_network_check_names(&n->model, &n->fsa, err);
    if (status == F2L_OK) status = f2l_fsa_write(&n->fsa_text, &n->fsa, err);
    if (status == F2L_OK) status = f2l_buf_status(&n->fsa_text, err);
    n->has_fsa = status == F2L_OK;
    return status == F2L_OK ? library_merge_letters(n, err) : status;
}

/* Reads the certificate that the caller has, while the network names the automaton that it was
 * given with. */
static f2l_status read_outline(fsa2lrnn_network *n, const fsa2lrnn_claim *claim,
                               const f2l_task *task, f2l_error *err)
{
    char sha256[65];
    f2l_sha256_hex(n->text.data, n->text.size, sha256);
    const f2l_status status =
        f2l_outline_read(&n->outline, &n->judged, n->judges, claim->certificate,
                         claim->certificate_size, sha256, task, err);
    n->outlined = status == F2L_OK;
    return status;
}

/* Writes the text of the network again. */
static f2l_status write_text_again(fsa2lrnn_network *n, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = f2l_network_write(&text, &n->model, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status != F2L_OK) {
        f2l_buf_clear(&text);
        return status;
    }
    f2l_buf_clear(&n->text);
    n->text = text;
    return F2L_OK;
}

/* Lets the network name the automaton. */
static f2l_status rename_automaton(fsa2lrnn_network *n, f2l_error *err)
{
    char sha256[65];
    f2l_sha256_hex(n->fsa_text.data, n->fsa_text.size, sha256);
    n->renamed = strcmp(sha256, n->model.fsa_sha256) != 0;
    if (!n->renamed) return F2L_OK;
    f2l_net *const both[2] = {&n->model, &n->judged};
    for (size_t i = 0; i < 2; i++) memcpy(both[i]->fsa_sha256, sha256, sizeof sha256);
    return write_text_again(n, err);
}

/* Gives the network the boxes that prove it, if it is proved by boxes that were found. n->judged
 * has the same layers. */
static f2l_status take_boxes(fsa2lrnn_network *n, f2l_error *err)
{
    if (!f2l_boxes_are_found(&n->exact.boxes) || f2l_net_has_boxes(&n->model)) return F2L_OK;
    f2l_status status = f2l_boxes_give(&n->model, &n->exact.boxes, err);
    return status == F2L_OK ? write_text_again(n, err) : status;
}

/* Writes the certificate of the exact verdict. F2L_EDOMAIN where there is none. */
static f2l_status write_exact(fsa2lrnn_network *n, const f2l_task *task, f2l_error *err)
{
    bool changed;
    const f2l_status verdict = n->exact.closure.verdict;
    n->proved = true;
    f2l_status status = verdict == F2L_OK ? take_boxes(n, err) : F2L_OK;
    if (status != F2L_OK) return status;
    return verdict == F2L_OK        ? library_certify_exactly(n, &changed, err)
           : verdict == F2L_REFUTED ? refute_somewhere(n, task, err)
                                    : F2L_OK;
}

/* Writes the certificate of the row's verdict. F2L_EDOMAIN where there is none. */
static f2l_status write_rounded(fsa2lrnn_network *n, const library_row *row, const f2l_task *task,
                                f2l_error *err)
{
    char sha256[65];
    f2l_buf exactly;
    const f2l_rounded *r = &row->rounded;
    f2l_status status = F2L_OK;
    n->proved = true;
    claim_in(n, &row->numbers);
    if (r->verdict == F2L_UNKNOWN) return F2L_OK;
    if (r->verdict == F2L_REFUTED)
        return refute(&n->certificate, n, &r->closure, &row->numbers, task, err);
    f2l_buf_init(&exactly);
    f2l_sha256_hex(n->text.data, n->text.size, sha256);
    if (r->how == F2L_ROUND_BY_EXACT)
        status = f2l_round_certificate(&exactly, &n->exact, &n->judged, sha256, err);
    if (status == F2L_OK)
        status = f2l_rounded_certificate(&n->certificate, r, &n->judged, &exactly, sha256, err);
    f2l_buf_clear(&exactly);
    return status;
}

/* Adds to the text of a verdict why it has no certificate. */
static void say_without(fsa2lrnn_verdict *out, const f2l_error *why)
{
    const size_t used = strlen(out->text);
    snprintf(out->text + used, sizeof out->text - used, "; no certificate: %.250s", why->text);
}

/* Decides the claim, and writes certificate and report. *row becomes NULL when the network keeps
 * it. */
static f2l_status prove_claim(fsa2lrnn_verdict *out, fsa2lrnn_network *n, library_row **row,
                              const fsa2lrnn_claim *claim, const f2l_task *task, f2l_error *err)
{
    f2l_error why;
    const f2l_round_options options = {
        .closure = {.max_rows = claim->limit, .jobs = task->jobs, .keep = true}};
    f2l_status status = library_decide(n, claim->limit, task, err);
    if (status == F2L_OK)
        status = *row ? library_round(out, *row, n, &options, task, err)
                      : library_take_exact(out, n, err);
    if (status != F2L_OK) return status;
    status = *row ? write_rounded(n, *row, task, &why) : write_exact(n, task, &why);
    if (status != F2L_OK && status != F2L_EDOMAIN) {
        *err = why;
        return status;
    }
    if (status == F2L_EDOMAIN) say_without(out, &why);
    if (status == F2L_EDOMAIN) n->claim_format[0] = '\0';
    status = F2L_OK;
    if (*row) {
        f2l_rounded_forget(&(*row)->rounded);
        status = library_keep_row(n, *row, err);
        *row = NULL;
    }
    n->reports = true;
    return status == F2L_OK ? library_report(n, err) : status;
}

static f2l_status certify_network(fsa2lrnn_verdict *out, fsa2lrnn_network *n, library_row **row,
                                  const fsa2lrnn_network *network,
                                  const fsa2lrnn_automaton *automaton, const fsa2lrnn_claim *claim,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_status status = adopt(n, network, automaton, err);
    if (status == F2L_OK && claim->certificate)
        status = read_outline(n, claim, task, err);
    else if (status == F2L_OK)
        status = f2l_outline_find(&n->outline, &n->outlined, &n->judged, n->judges, task, err);
    if (status == F2L_OK) status = rename_automaton(n, err);
    return status == F2L_OK ? prove_claim(out, n, row, claim, task, err) : status;
}

fsa2lrnn_status fsa2lrnn_certify(fsa2lrnn_network **out, fsa2lrnn_verdict *verdict,
                                 const fsa2lrnn_network *network,
                                 const fsa2lrnn_automaton *automaton, const fsa2lrnn_claim *claim,
                                 const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    static const fsa2lrnn_claim usual;
    f2l_error inner;
    library_task t;
    library_row *row = NULL;
    if (!out || !verdict || !network || !automaton)
        return library_invalid(err, "an argument is NULL");
    if (!claim) claim = &usual;
    memset(verdict, 0, sizeof *verdict);
    verdict->verdict = FSA2LRNN_UNKNOWN;
    if (!claim->format && claim->schedule)
        return library_invalid(err, "a schedule belongs to a format");
    fsa2lrnn_network *n = library_network_new();
    if (!n || (claim->format && !(row = library_row_new()))) {
        fsa2lrnn_network_free(n);
        return library_error(err, f2l_fail_memory(&inner), &inner);
    }
    const fsa2lrnn_status known =
        row ? library_arithmetic(&row->numbers, claim->format, claim->schedule, err) : FSA2LRNN_OK;
    if (known != FSA2LRNN_OK) {
        library_row_free(row);
        fsa2lrnn_network_free(n);
        return known;
    }
    library_task_begin(&t, task);
    if (t.effort.limit > 0) t.task.effort = &t.effort;
    const f2l_status status =
        certify_network(verdict, n, &row, network, automaton, claim, &t.task, &inner);
    library_task_end(&t);
    library_row_free(row);
    if (status != F2L_OK) {
        fsa2lrnn_verdict_clear(verdict);
        memset(verdict, 0, sizeof *verdict);
        verdict->verdict = FSA2LRNN_UNKNOWN;
    }
    return library_give(out, n, status, err, &inner);
}
