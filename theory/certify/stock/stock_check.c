#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <stdio.h>
#include <string.h>

void f2l_stock_verdict_init(f2l_stock_verdict *v)
{
    *v = (f2l_stock_verdict){.verdict = F2L_UNKNOWN};
}

void f2l_stock_verdict_clear(f2l_stock_verdict *v)
{
    f2l_free(v->word);
    f2l_names_clear(&v->letters);
    f2l_names_clear(&v->labels);
    f2l_stock_verdict_init(v);
}

/* --- the wrong word --- */

static f2l_status take_wrong_word(f2l_stock_verdict *out, const f2l_written_search *s,
                                  f2l_error *err)
{
    const uint32_t last = s->wrong_letter;
    const size_t labels = s->about->labels.count;
    const char *text = "several labels";
    char number[40];
    if (s->wrong_answer < labels) {
        text = f2l_names_get(&s->about->labels, s->wrong_answer);
    } else if (s->wrong_answer != F2L_WRITTEN_TIE) {
        snprintf(number, sizeof number, "token %lu, no label", (unsigned long)s->wrong_answer);
        text = number;
    }
    snprintf(out->expected, sizeof out->expected, "%s", s->expected);
    snprintf(out->answer, sizeof out->answer, "%s", text);
    out->wrong = true;
    if (s->wrong_node == F2L_WRITTEN_NONE) return F2L_OK;
    out->length = 1;
    for (uint32_t n = s->wrong_node; s->parent[n] != F2L_WRITTEN_NONE; n = s->parent[n])
        out->length++;
    out->word = f2l_calloc(out->length, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(err);
    size_t at = out->length - 1;
    out->word[at] = last;
    for (uint32_t n = s->wrong_node; s->parent[n] != F2L_WRITTEN_NONE; n = s->parent[n])
        out->word[--at] = s->by[n];
    return F2L_OK;
}

/* --- verdicts --- */

static void all_unknown(f2l_stock_verdict *out, const char *reason)
{
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++) {
        out->path[p].verdict = F2L_UNKNOWN;
        snprintf(out->path[p].reason, sizeof out->path[p].reason, "%s", reason);
    }
}

/* Decides the paths once the model in exact heads is known to be right, or wrong. */
static f2l_status decide_paths(f2l_stock_verdict *out, const f2l_written_search *s,
                               const f2l_task *task, f2l_error *err)
{
    const f2l_written_path *path = s->model->kind->path;
    char room[200];
    f2l_net net;
    const char *fault = f2l_written_prefix_fault(room, s);
    if (fault) {
        all_unknown(out, fault);
        return F2L_OK;
    }
    const bool empty = out->wrong && out->length == 0;
    f2l_net_init(&net);
    f2l_error why;
    f2l_status status = empty ? F2L_OK : f2l_written_net(&net, s, &why);
    if (status == F2L_UNKNOWN) all_unknown(out, why.text);
    for (size_t p = 0; status == F2L_OK && p < F2L_STOCK_CHECK_PATHS; p++) {
        status = f2l_written_heads(&out->path[p], s, empty ? NULL : &net, &path[p], task, &why);
        if (out->wrong && out->path[p].verdict == F2L_OK) out->path[p].verdict = F2L_REFUTED;
    }
    f2l_net_clear(&net);
    if (status == F2L_OK || status == F2L_UNKNOWN) return F2L_OK;
    if (err) *err = why;
    return status;
}

static void count_stock_search(f2l_stock_verdict *out, const f2l_written_search *s)
{
    out->joint_states = s->node.index.count;
    for (size_t l = 0; s->stage && l < s->model->layers; l++) {
        out->pairs += s->stage[l].pair.index.count;
        out->codes += s->stage[l].code.index.count;
    }
}

/* Sets the verdict of all claimed paths. */
static void conclude_stock_verdict(f2l_stock_verdict *out)
{
    out->verdict = F2L_OK;
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++) {
        const f2l_status verdict = out->path[p].verdict;
        if (!out->path[p].claimed || out->verdict == F2L_REFUTED || verdict == F2L_OK) continue;
        out->verdict = verdict;
    }
}

static f2l_status run_stock_search(f2l_stock_verdict *out, const f2l_written_model *model,
                                   const f2l_written_about *about, const f2l_fsa *fsa,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_written_search s;
    f2l_error why = {0};
    f2l_status status = f2l_written_search_init(&s, model, about, fsa, task, &why);
    if (status == F2L_OK) status = f2l_written_search_all(&s, &why);
    count_stock_search(out, &s);
    if (status == F2L_OK && s.wrong) status = take_wrong_word(out, &s, &why);
    if (status == F2L_UNKNOWN || (status == F2L_OK && !s.wrong && s.unknown[0])) {
        all_unknown(out, status == F2L_UNKNOWN ? why.text : s.unknown);
        status = F2L_OK;
    } else if (status == F2L_OK) {
        status = decide_paths(out, &s, task, &why);
    }
    f2l_written_search_clear(&s);
    if (status != F2L_OK && err) *err = why;
    return status;
}

/* Looks whether the automaton is the one that export.json names, with its label of the empty word.
 */
static f2l_status check_named_automaton(const f2l_stock_verdict *v, const f2l_written_about *about,
                                        const f2l_fsa *fsa, f2l_error *err)
{
    if (strcmp(v->fsa_sha256, about->fsa_sha256) != 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "export.json names another automaton, of SHA-256 %s; the automaton that is "
                        "given has %s",
                        about->fsa_sha256, v->fsa_sha256);
    if (about->fsa_states != fsa->states.count)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: automaton: states is not %zu",
                        fsa->states.count);
    const f2l_status status = f2l_fsa_has_label(fsa, about->label, err);
    if (status != F2L_OK) return status;
    const char *start =
        about->label == F2L_LABEL_EDGES ? NULL : f2l_fsa_label(fsa, about->label, fsa->start);
    const size_t wanted =
        start ? f2l_names_find(&about->labels, start, strlen(start)) : F2L_NO_INDEX;
    return wanted == about->start
               ? F2L_OK
               : f2l_fail(
                     err, F2L_EDOMAIN,
                     "export.json: start_label is not the automaton's label of the empty word");
}

static void describe_stock(f2l_stock_verdict *out, const f2l_written_model *model,
                           const f2l_written_about *about, const f2l_stock_files *files,
                           const f2l_fsa *fsa)
{
    const f2l_buf *bytes[F2L_STOCK_HASHED] = {&files->config, &files->tensors, &files->prefix,
                                              &files->about};
    for (size_t i = 0; i < F2L_STOCK_HASHED; i++)
        out->file[i] = f2l_hash_file(f2l_written_file[i], bytes[i]->data, bytes[i]->size);
    memcpy(out->named_sha256, about->fsa_sha256, sizeof out->named_sha256);
    out->target = model->kind->target;
    out->label = about->label;
    out->states = fsa->states.count;
    out->type = model->kind->type;
    out->format = model->format->name;
    out->layers = model->layers;
    out->heads = model->heads;
    out->width = model->width;
    out->parameters = model->numbers;
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++)
        out->path[p] = (f2l_stock_path_verdict){.name = model->kind->path[p].name,
                                                .claimed = about->claimed[p],
                                                .verdict = F2L_UNKNOWN};
}

/* Moves the names into the verdict. */
static void take_names(f2l_stock_verdict *out, f2l_written_about *about)
{
    out->letters = about->letters;
    out->labels = about->labels;
    f2l_names_init(&about->letters);
    f2l_names_init(&about->labels);
}

f2l_status f2l_stock_check(f2l_stock_verdict *out, const f2l_stock_files *files, const f2l_fsa *fsa,
                           bool another, const f2l_task *task, f2l_error *err)
{
    f2l_written_model model = {0};
    f2l_written_about about = {0};
    f2l_status status = f2l_written_config(&model, &files->config, err);
    if (status == F2L_OK) status = f2l_written_tensors(&model, &files->tensors, err);
    if (status == F2L_OK) status = f2l_written_about_read(&about, &model, files, err);
    if (status == F2L_OK) {
        describe_stock(out, &model, &about, files, fsa);
        status = f2l_fsa_sha256(fsa, out->fsa_sha256, err);
    }
    if (status == F2L_OK && !another) status = check_named_automaton(out, &about, fsa, err);
    if (status == F2L_OK) status = run_stock_search(out, &model, &about, fsa, task, err);
    if (status == F2L_OK) {
        conclude_stock_verdict(out);
        take_names(out, &about);
    }
    f2l_written_about_clear(&about);
    f2l_written_model_clear(&model);
    return status;
}
