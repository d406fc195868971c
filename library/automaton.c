#include "automata/import/import.h"
#include "library/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

void fsa2lrnn_automaton_free(fsa2lrnn_automaton *automaton)
{
    if (!automaton) return;
    f2l_fsa_clear(&automaton->fsa);
    f2l_buf_clear(&automaton->text);
    f2l_buf_clear(&automaton->notes);
    f2l_free(automaton);
}

/* Appends a line on each step that changed the caller's automaton. */
static void note(fsa2lrnn_automaton *a)
{
    const f2l_total_report *r = &a->total;
    const char *line = "";
    if (r->determinised) {
        f2l_buf_printf(&a->notes, "made deterministic: %zu states became %zu", r->states_before,
                       a->fsa.states.count);
        line = "\n";
    }
    if (r->sink_edges) {
        f2l_buf_printf(&a->notes, "%sa sink state '%s' was added, missing transitions: %zu", line,
                       r->sink_name, r->sink_edges);
        line = "\n";
    }
    if (r->dropped)
        f2l_buf_printf(&a->notes, "%sunreachable states that were dropped: %zu", line, r->dropped);
    f2l_buf_text(&a->notes, "");
}

f2l_status library_automaton_read(f2l_fsa *out, f2l_total_report *total, char syntax[24],
                                  const char *bytes, size_t size, bool sink, const f2l_task *task,
                                  f2l_error *err)
{
    const f2l_import_options import = {0};
    const f2l_total_options options = {.sink = sink};
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import(&nfa, bytes, size, &import, task, err);
    if (status == F2L_OK) {
        memcpy(syntax, nfa.source, sizeof nfa.source);
        status = f2l_nfa_total(out, total, &nfa, &options, task, err);
    }
    f2l_nfa_clear(&nfa);
    return status;
}

static f2l_status read(fsa2lrnn_automaton *a, const char *bytes, size_t size, bool sink,
                       const f2l_task *task, f2l_error *err)
{
    f2l_status status =
        library_automaton_read(&a->fsa, &a->total, a->syntax, bytes, size, sink, task, err);
    if (status == F2L_OK) status = f2l_fsa_write(&a->text, &a->fsa, err);
    if (status == F2L_OK) status = f2l_buf_status(&a->text, err);
    if (status != F2L_OK) return status;
    note(a);
    return f2l_buf_status(&a->notes, err);
}

fsa2lrnn_status fsa2lrnn_automaton_read(fsa2lrnn_automaton **out, const char *bytes, size_t size,
                                        int sink, const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    if (!out || (!bytes && size > 0)) return library_invalid(err, "an argument is NULL");
    f2l_error inner;
    library_task t;
    fsa2lrnn_automaton *a = f2l_calloc(1, sizeof *a);
    if (!a) return library_error(err, f2l_fail_memory(&inner), &inner);
    f2l_fsa_init(&a->fsa);
    f2l_buf_init(&a->text);
    f2l_buf_init(&a->notes);
    library_task_begin(&t, task);
    const f2l_status status = read(a, size ? bytes : "", size, sink != 0, &t.task, &inner);
    library_task_end(&t);
    if (status == F2L_OK)
        *out = a;
    else
        fsa2lrnn_automaton_free(a);
    return library_error(err, status, &inner);
}

size_t fsa2lrnn_automaton_states(const fsa2lrnn_automaton *automaton)
{
    return automaton->fsa.states.count;
}

size_t fsa2lrnn_automaton_letters(const fsa2lrnn_automaton *automaton)
{
    return automaton->fsa.letters.count;
}

const char *fsa2lrnn_automaton_text(const fsa2lrnn_automaton *automaton)
{
    return automaton->text.data;
}

const char *fsa2lrnn_automaton_notes(const fsa2lrnn_automaton *automaton)
{
    return automaton->notes.data ? automaton->notes.data : "";
}
