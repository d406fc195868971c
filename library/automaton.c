#include "automata/import/import.h"
#include "library/impl.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <string.h>

void fsa2lrnn_automaton_free(fsa2lrnn_automaton *automaton)
{
    if (!automaton) return;
    f2l_fsa_clear(&automaton->fsa);
    f2l_buf_clear(&automaton->text);
    f2l_buf_clear(&automaton->notes);
    f2l_buf_clear(&automaton->name);
    f2l_buf_clear(&automaton->given);
    f2l_free(automaton);
}

/* Appends a line on each step that changed the caller's automaton. */
static void note_changes(fsa2lrnn_automaton *a)
{
    const f2l_total_report *r = &a->total;
    const char *line = "";
    for (size_t i = 0; i < r->notes.count; i++) {
        const f2l_note *note = &r->notes.item[i];
        char text[256];
        f2l_note_print(text, note);
        f2l_buf_text(&a->notes, line);
        if (note->line) f2l_buf_printf(&a->notes, "line %zu", note->line);
        if (note->line && note->column) f2l_buf_printf(&a->notes, ", column %zu", note->column);
        f2l_buf_printf(&a->notes, "%s%s", note->line ? ": " : "", text);
        line = "\n";
    }
    if (r->determinised) {
        f2l_buf_printf(&a->notes, "%smade deterministic: %zu states became %zu", line,
                       r->states_before, a->fsa.states.count);
        line = "\n";
    }
    if (r->sink_edges) {
        f2l_buf_printf(&a->notes, "%sa sink state '%s' was added, missing transitions: %zu%s%s",
                       line, r->sink_name, r->sink_edges, a->rejects ? "; they reject in " : "",
                       a->rejects ? a->syntax : "");
        line = "\n";
    }
    if (r->dropped)
        f2l_buf_printf(&a->notes, "%sunreachable states that were dropped: %zu", line, r->dropped);
    f2l_buf_text(&a->notes, "");
}

fsa2lrnn_automaton *library_automaton_new(void)
{
    fsa2lrnn_automaton *a = f2l_calloc(1, sizeof *a);
    if (a) f2l_fsa_init(&a->fsa);
    return a;
}

/* Fails with the first thing that reading took in one of several ways, or changed. */
static f2l_status refuse_notes(const fsa2lrnn_automaton *a, f2l_error *err)
{
    const f2l_notes *notes = &a->total.notes;
    char text[256];
    const char *first = text;
    if (notes->count > 0)
        f2l_note_print(text, &notes->item[0]);
    else
        first = a->notes.data;
    return f2l_fail_at(err, notes->count ? notes->item[0].line : 0,
                       notes->count ? notes->item[0].column : 0, "%.*s (strict)",
                       (int)strcspn(first, "\n"), first);
}

/* Makes *a from what a reader gave; a->sha256 is the source's. */
static f2l_status finish_reading(fsa2lrnn_automaton *a, const f2l_nfa *nfa,
                                 const fsa2lrnn_reading *reading, const f2l_task *task,
                                 f2l_error *err)
{
    const bool asked = reading && reading->sink,
               rejects = !asked && nfa->partial && nfa->has_accept;
    const f2l_total_options options = {.sink = asked || rejects,
                                       .max_states = reading ? reading->max_states : 0,
                                       .source = a->sha256};
    memcpy(a->syntax, nfa->source, sizeof a->syntax);
    f2l_status status = f2l_nfa_total(&a->fsa, &a->total, nfa, &options, task, err);
    if (status == F2L_OK) status = f2l_fsa_write(&a->text, &a->fsa, err);
    if (status == F2L_OK) status = f2l_buf_status(&a->text, err);
    if (status != F2L_OK) return status;
    a->rejects = rejects && a->total.sink_edges > 0;
    note_changes(a);
    if (reading && reading->strict && a->notes.size > 0) return refuse_notes(a, err);
    f2l_buf_text(&a->name, reading && reading->name ? reading->name : "automaton");
    status = f2l_buf_status(&a->notes, err);
    return status == F2L_OK ? f2l_buf_status(&a->name, err) : status;
}

/* Reads the bytes by the options, with what the caller says about labels. */
static f2l_status import_bytes(f2l_nfa *nfa, const char *bytes, size_t size,
                               const fsa2lrnn_reading *reading, const f2l_task *task,
                               f2l_error *err)
{
    f2l_import_options options = {0};
    f2l_read_as as = {0};
    f2l_status status = F2L_OK;
    if (reading)
        options = (f2l_import_options){.symbols = reading->symbols,
                                       .symbols_size = reading->symbols_size,
                                       .numeric = reading->numeric != 0,
                                       .finite = reading->finite != 0,
                                       .max_states = reading->max_states};
    if (reading && reading->read_as) {
        f2l_error why;
        options.as = &as;
        status = f2l_read_as_parse(&as, reading->read_as, &why);
        if (status == F2L_EFORMAT)
            status = f2l_fail(err, F2L_EFORMAT, "read_as, column %zu: %s", why.column, why.text);
        else if (status != F2L_OK)
            *err = why;
    }
    if (status == F2L_OK) status = f2l_import(nfa, bytes, size, &options, task, err);
    f2l_read_as_clear(&as);
    return status;
}

f2l_status library_automaton_read(fsa2lrnn_automaton *a, const char *bytes, size_t size,
                                  const fsa2lrnn_reading *reading, const f2l_task *task,
                                  f2l_error *err)
{
    f2l_nfa nfa;
    f2l_sha256_hex(bytes, size, a->sha256);
    f2l_nfa_init(&nfa);
    f2l_status status = import_bytes(&nfa, bytes, size, reading, task, err);
    if (status == F2L_OK) status = finish_reading(a, &nfa, reading, task, err);
    f2l_nfa_clear(&nfa);
    if (status != F2L_OK || (size == a->text.size && memcmp(bytes, a->text.data, size) == 0))
        return status;
    f2l_buf_bytes(&a->given, bytes, size);
    return f2l_buf_status(&a->given, err);
}

static f2l_status read_regex(fsa2lrnn_automaton *a, const char *regex, const char *alphabet,
                             const fsa2lrnn_reading *reading, const f2l_task *task, f2l_error *err)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_sha256_hex(regex, strlen(regex), a->sha256);
    f2l_status status =
        reading && (reading->read_as || reading->finite || reading->numeric || reading->symbols)
            ? f2l_fail(err, F2L_EFORMAT,
                       "read_as, finite, numeric and symbols are about files, not expressions")
            : F2L_OK;
    if (status == F2L_OK) status = f2l_import_regex(&nfa, regex, alphabet, false, err);
    if (status == F2L_OK) status = finish_reading(a, &nfa, reading, task, err);
    if (status == F2L_OK) f2l_sha256_hex(a->text.data, a->text.size, a->sha256);
    f2l_nfa_clear(&nfa);
    return status;
}

/* Sets *out to the automaton unless it failed; returns the status. */
static fsa2lrnn_status give_automaton(fsa2lrnn_automaton **out, fsa2lrnn_automaton *a,
                                      f2l_status status, fsa2lrnn_error *err,
                                      const f2l_error *inner)
{
    if (status == F2L_OK)
        *out = a;
    else
        fsa2lrnn_automaton_free(a);
    return library_error(err, status, inner);
}

fsa2lrnn_status fsa2lrnn_automaton_read(fsa2lrnn_automaton **out, const char *bytes, size_t size,
                                        const fsa2lrnn_reading *reading, const fsa2lrnn_task *task,
                                        fsa2lrnn_error *err)
{
    if (!out || (!bytes && size > 0)) return library_invalid(err, "an argument is NULL");
    f2l_error inner;
    library_task t;
    fsa2lrnn_automaton *a = library_automaton_new();
    if (!a) return library_error(err, f2l_fail_memory(&inner), &inner);
    library_task_begin(&t, task);
    const f2l_status status =
        library_automaton_read(a, size ? bytes : "", size, reading, &t.task, &inner);
    library_task_end(&t);
    return give_automaton(out, a, status, err, &inner);
}

fsa2lrnn_status fsa2lrnn_automaton_regex(fsa2lrnn_automaton **out, const char *regex,
                                         const char *alphabet, const fsa2lrnn_reading *reading,
                                         const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    if (!out || !regex) return library_invalid(err, "an argument is NULL");
    f2l_error inner;
    library_task t;
    fsa2lrnn_automaton *a = library_automaton_new();
    if (!a) return library_error(err, f2l_fail_memory(&inner), &inner);
    library_task_begin(&t, task);
    const f2l_status status = read_regex(a, regex, alphabet, reading, &t.task, &inner);
    library_task_end(&t);
    return give_automaton(out, a, status, err, &inner);
}

size_t fsa2lrnn_automaton_states(const fsa2lrnn_automaton *automaton)
{
    return automaton->fsa.states.count;
}

size_t fsa2lrnn_automaton_letters(const fsa2lrnn_automaton *automaton)
{
    return automaton->fsa.letters.count;
}

size_t fsa2lrnn_automaton_start(const fsa2lrnn_automaton *automaton)
{
    return automaton->fsa.start;
}

size_t fsa2lrnn_automaton_next(const fsa2lrnn_automaton *automaton, size_t state, size_t letter)
{
    const f2l_fsa *fsa = &automaton->fsa;
    const bool there = state < fsa->states.count && letter < fsa->letters.count;
    return there ? fsa->next[state * fsa->letters.count + letter] : FSA2LRNN_NONE;
}

const char *fsa2lrnn_automaton_state(const fsa2lrnn_automaton *automaton, size_t state)
{
    return library_name(&automaton->fsa.states, state);
}

const char *fsa2lrnn_automaton_letter(const fsa2lrnn_automaton *automaton, size_t letter)
{
    return library_name(&automaton->fsa.letters, letter);
}

const char *fsa2lrnn_automaton_label(const fsa2lrnn_automaton *automaton, const char *kind,
                                     size_t state, size_t letter)
{
    const f2l_fsa *fsa = &automaton->fsa;
    f2l_label label;
    f2l_error ignored;
    if (!kind || !library_label(&label, kind) || state >= fsa->states.count) return NULL;
    if (f2l_fsa_has_label(fsa, label, &ignored) != F2L_OK) return NULL;
    if (label != F2L_LABEL_EDGES) return f2l_fsa_label(fsa, label, state);
    return letter < fsa->letters.count ? f2l_fsa_edge_label(fsa, label, state, letter) : NULL;
}

const char *fsa2lrnn_automaton_text(const fsa2lrnn_automaton *automaton)
{
    return automaton->text.data;
}

const char *fsa2lrnn_automaton_notes(const fsa2lrnn_automaton *automaton)
{
    return automaton->notes.data ? automaton->notes.data : "";
}
