/* Turning an automaton as it was read into a deterministic, total and trimmed one. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "automata/fsa/nfa.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

static f2l_status check_given(const f2l_nfa *nfa, f2l_error *err)
{
    if (nfa->letters.count == 0) return f2l_fail(err, F2L_EDOMAIN, "the automaton has no letters");
    for (size_t s = 0; s < nfa->states.count; s++)
        if (nfa->is_start[s]) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "the automaton has no start state");
}

static f2l_status check_state_outputs(const f2l_nfa *nfa, const f2l_edge_index *x, f2l_error *err)
{
    if (nfa->outputs.count == 0) return F2L_OK;
    for (size_t s = 0; s < nfa->states.count; s++) {
        if (x->number[s] == UINT32_MAX || (nfa->output && nfa->output[s] != UINT32_MAX)) continue;
        char shown[F2L_SHOWN];
        const char *name = f2l_names_get(&nfa->states, s);
        return f2l_fail(err, F2L_EDOMAIN,
                        "state `%s` has no output, but others have: expected one for every state",
                        f2l_shown(shown, name, strlen(name)));
    }
    return F2L_OK;
}

static f2l_status refuse_edge_outputs(const f2l_nfa *nfa, f2l_error *err)
{
    if (nfa->edge_outputs.count == 0) return F2L_OK;
    return f2l_fail(
        err, F2L_EDOMAIN,
        "outputs of transitions belong to deterministic automata: one start state, no eps, and one "
        "edge for every state and letter");
}

static bool is_deterministic(const f2l_nfa *nfa, const f2l_edge_index *x)
{
    size_t starts = 0;
    for (size_t s = 0; s < nfa->states.count; s++) starts += nfa->is_start[s];
    if (starts != 1) return false;
    for (size_t i = 0; i < x->edges; i++) {
        const f2l_edge *e = &x->edge[i];
        if (e->letter == F2L_EPSILON ||
            (i > 0 && e[-1].from == e->from && e[-1].letter == e->letter))
            return false;
    }
    return true;
}

static f2l_status fail_missing(const f2l_names *states, size_t s, const f2l_names *letters,
                               size_t a, size_t missing, f2l_error *err)
{
    char state[F2L_SHOWN], letter[F2L_SHOWN];
    const char *p = f2l_names_get(states, s), *w = f2l_names_get(letters, a);
    return f2l_fail(
        err, F2L_EDOMAIN,
        "%zu transition%s missing, the first from state `%s` on letter `%s`; --sink adds a "
        "rejecting sink",
        missing, missing == 1 ? " is" : "s are", f2l_shown(state, p, strlen(p)),
        f2l_shown(letter, w, strlen(w)));
}

/* Refuses a table of deterministic edges with a hole from the counts alone, before the table is
 * allocated. */
static f2l_status check_missing(const f2l_nfa *nfa, const f2l_edge_index *x, f2l_error *err)
{
    const size_t k = nfa->letters.count;
    size_t entries;
    if (!f2l_mul_size(&entries, x->reachable, k))
        return f2l_fail(err, F2L_UNKNOWN, "the table of %zu states by %zu letters is too large",
                        x->reachable, k);
    if (entries == x->edges) return F2L_OK;
    for (size_t s = 0; s < nfa->states.count; s++) {
        const size_t given = x->first[s + 1] - x->first[s];
        if (x->number[s] == UINT32_MAX || given == k) continue;
        size_t a = 0;
        while (a < given && x->edge[x->first[s] + a].letter == a) a++;
        return fail_missing(&nfa->states, s, &nfa->letters, a, entries - x->edges, err);
    }
    return F2L_OK;
}

static f2l_status copy_states(f2l_fsa *out, const f2l_nfa *nfa, const f2l_edge_index *x,
                              f2l_error *err)
{
    const bool outputs = nfa->outputs.count > 0;
    out->accept = f2l_calloc(x->reachable, sizeof *out->accept);
    if (outputs) out->output = f2l_calloc(x->reachable, sizeof *out->output);
    if (!out->accept || (outputs && !out->output)) return f2l_fail_memory(err);
    if (x->reachable == nfa->states.count) {
        const f2l_status status = f2l_names_copy(&out->states, &nfa->states, err);
        if (status != F2L_OK) return status;
    }
    for (size_t s = 0; s < nfa->states.count; s++) {
        const size_t i = x->number[s];
        if (i == UINT32_MAX) continue;
        if (x->reachable < nfa->states.count) {
            const char *name = f2l_names_get(&nfa->states, s);
            size_t index;
            const f2l_status status = f2l_names_add(&out->states, name, strlen(name), &index, err);
            if (status != F2L_OK) return status;
        }
        out->accept[i] = nfa->accept[s];
        if (outputs) out->output[i] = nfa->output[s];
        if (nfa->is_start[s]) out->start = i;
    }
    return F2L_OK;
}

static f2l_status copy_deterministic(f2l_fsa *out, const f2l_nfa *nfa, const f2l_edge_index *x,
                                     bool sink, const f2l_task *task, f2l_error *err)
{
    const size_t k = nfa->letters.count;
    f2l_status status = sink ? F2L_OK : check_missing(nfa, x, err);
    if (status == F2L_OK) status = f2l_fsa_table(&out->next, x->reachable, k, task, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &nfa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &nfa->outputs, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->edge_outputs, &nfa->edge_outputs, err);
    if (status == F2L_OK && nfa->edge_outputs.count > 0)
        status = f2l_fsa_table(&out->edge_output, x->reachable, k, task, err);
    if (status == F2L_OK) status = copy_states(out, nfa, x, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < x->edges; i++) {
        const f2l_edge *e = &x->edge[i];
        const size_t at = x->number[e->from] * k + e->letter;
        out->next[at] = x->number[e->to];
        if (out->edge_output) out->edge_output[at] = e->output;
    }
    return F2L_OK;
}

/* Sets the name "sink", or "sink" with the least number from 2 that makes it a new name. */
static f2l_status add_sink_name(f2l_names *names, char name[64], f2l_error *err)
{
    snprintf(name, 64, "sink");
    for (size_t i = 2; f2l_names_find(names, name, strlen(name)) != F2L_NO_INDEX; i++)
        snprintf(name, 64, "sink%zu", i);
    size_t index;
    return f2l_names_add(names, name, strlen(name), &index, err);
}

static bool extend_array(void *array, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *longer = f2l_realloc(old, count, size);
    if (!longer) return false;
    memcpy(array, &longer, sizeof longer);
    return true;
}

/* Gives the holes among the first `old` transitions, and the transitions after them, a new
 * output. */
static f2l_status add_sink_output(f2l_fsa *out, size_t old, size_t entries, f2l_error *err)
{
    char label[64];
    const f2l_status status = add_sink_name(&out->edge_outputs, label, err);
    const uint32_t output = (uint32_t)(out->edge_outputs.count - 1);
    for (size_t i = 0; i < entries; i++)
        if (i >= old || out->edge_output[i] == UINT32_MAX) out->edge_output[i] = output;
    return status;
}

/* Sends the holes of the table to one new rejecting state. When states have outputs, the state has
 * a new output; when transitions have outputs, the transitions to the state have a new output. */
static f2l_status add_sink(f2l_fsa *out, f2l_total_report *report, f2l_error *err)
{
    const size_t n = out->states.count, k = out->letters.count;
    size_t entries;
    if (!f2l_mul_size(&entries, n + 1, k) ||
        !extend_array(&out->next, entries, sizeof *out->next) ||
        !extend_array(&out->accept, n + 1, sizeof *out->accept) ||
        (out->output && !extend_array(&out->output, n + 1, sizeof *out->output)) ||
        (out->edge_output && !extend_array(&out->edge_output, entries, sizeof *out->edge_output)))
        return f2l_fail_memory(err);
    f2l_status status = add_sink_name(&out->states, report->sink_name, err);
    if (status == F2L_OK && out->output) {
        char label[64];
        status = add_sink_name(&out->outputs, label, err);
        out->output[n] = (uint32_t)(out->outputs.count - 1);
    }
    if (status == F2L_OK && out->edge_output) status = add_sink_output(out, n * k, entries, err);
    if (status != F2L_OK) return status;
    out->accept[n] = 0;
    for (size_t i = 0; i < n * k; i++) {
        if (out->next[i] != UINT32_MAX) continue;
        out->next[i] = (uint32_t)n;
        report->sink_edges++;
    }
    for (size_t a = 0; a < k; a++) out->next[n * k + a] = (uint32_t)n;
    return F2L_OK;
}

/* Names the added state and the source, which every reader of the text can then compare. */
static void name_added(f2l_fsa *out, size_t added, const char *source)
{
    out->has_added = source && strlen(source) + 1 == sizeof out->source;
    out->added = added;
    if (out->has_added) memcpy(out->source, source, sizeof out->source);
}

static f2l_status close_holes(f2l_fsa *out, f2l_total_report *report,
                              const f2l_total_options *options, f2l_error *err)
{
    const size_t k = out->letters.count, entries = out->states.count * k;
    size_t first = entries, holes = 0;
    for (size_t i = entries; i-- > 0;)
        if (out->next[i] == UINT32_MAX) {
            first = i;
            holes++;
        }
    if (holes == 0) return F2L_OK;
    if (!options->sink)
        return fail_missing(&out->states, first / k, &out->letters, first % k, holes, err);
    const f2l_status status = add_sink(out, report, err);
    if (status == F2L_OK) name_added(out, out->states.count - 1, options->source);
    return status;
}

static f2l_status total(f2l_fsa *out, f2l_total_report *report, const f2l_nfa *nfa,
                        const f2l_edge_index *x, const f2l_total_options *options,
                        const f2l_task *task, f2l_error *err)
{
    f2l_status status = check_state_outputs(nfa, x, err);
    if (status != F2L_OK) return status;
    report->dropped = nfa->states.count - x->reachable;
    report->determinised = !is_deterministic(nfa, x);
    if (report->determinised) status = refuse_edge_outputs(nfa, err);
    if (status != F2L_OK) return status;
    if (report->determinised)
        status = f2l_nfa_subsets(
            out, nfa, x, options->max_states ? options->max_states : F2L_MAX_STATES, task, err);
    else
        status = copy_deterministic(out, nfa, x, options->sink, task, err);
    out->has_accept = nfa->has_accept;
    if (status == F2L_OK && nfa->has_added && !report->determinised &&
        x->number[nfa->added] != UINT32_MAX)
        name_added(out, x->number[nfa->added],
                   nfa->added_source[0] ? nfa->added_source : options->source);
    if (status == F2L_OK) status = close_holes(out, report, options, err);
    if (status == F2L_OK) status = f2l_fsa_number_outputs(out, err);
    return status;
}

f2l_status f2l_nfa_total(f2l_fsa *out, f2l_total_report *report, const f2l_nfa *nfa,
                         const f2l_total_options *options, const f2l_task *task, f2l_error *err)
{
    *report = (f2l_total_report){.notes = nfa->notes};
    if (nfa->is_group) {
        report->states_before = nfa->group.states.count;
        return f2l_fsa_copy(out, &nfa->group, err);
    }
    report->states_before = nfa->states.count;
    for (size_t e = 0; e < nfa->edges; e++)
        report->empty_edges += nfa->edge[e].letter == F2L_EPSILON;
    f2l_edge_index x = {0};
    f2l_status status = check_given(nfa, err);
    if (status == F2L_OK) status = f2l_edge_index_build(&x, nfa, err);
    if (status == F2L_OK) status = total(out, report, nfa, &x, options, task, err);
    if (status != F2L_OK) f2l_fsa_clear(out);
    f2l_edge_index_clear(&x);
    return status;
}
