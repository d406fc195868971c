#include "reports/model/shared_facts.h"
#include "automata/fsa/letter.h"
#include "automata/fsa/word.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include <math.h>

#define MOST_WORD 1000   /* letters of a word that facts have */
#define SHOWN_LETTERS 12 /* of a word that a line has */

void f2l_say_report(f2l_fact in, const char *name)
{
    f2l_say_count(in, "schema", F2L_REPORT_SCHEMA);
    f2l_say_text(in, "report", name);
}

void f2l_say_tool(f2l_fact in, const char *version, const char *commit)
{
    f2l_fact tool = f2l_say_object(in, "tool");
    f2l_say_text(tool, "version", version);
    f2l_say_text(tool, "commit", commit);
}

f2l_status f2l_report_as_json(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                              f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_say_report(f2l_facts_root(&facts), kind->name);
    kind->describe(f2l_facts_root(&facts), report);
    const f2l_status status = f2l_facts_write(out, &facts, kind->style, err);
    f2l_facts_clear(&facts);
    return status;
}

f2l_status f2l_report_as_text(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                              f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    kind->describe(root, report);
    if (kind->lay)
        kind->lay(out, root);
    else
        kind->lay_beside(out, root, report);
    return f2l_facts_end(&facts, out, err);
}

f2l_status f2l_report_write(f2l_buf *out, const f2l_report_kind *kind, const void *report,
                            bool as_json, f2l_error *err)
{
    return as_json ? f2l_report_as_json(out, kind, report, err)
                   : f2l_report_as_text(out, kind, report, err);
}

void f2l_say_files(f2l_fact in, const f2l_hashed_file *file, size_t files)
{
    const f2l_fact list = f2l_say_list(in, "files");
    for (size_t i = 0; i < files; i++) {
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "name", file[i].name);
        f2l_say_count(one, "bytes", file[i].bytes);
        f2l_say_text(one, "sha256", file[i].sha256);
    }
}

f2l_fact f2l_say_automaton(f2l_fact in, const char *path, const char *sha256, size_t states,
                           size_t letters)
{
    f2l_fact automaton = f2l_say_object(in, "automaton");
    f2l_say_text(automaton, "name", path ? f2l_path_base(path) : NULL);
    f2l_say_text(automaton, "sha256", sha256);
    f2l_say_count(automaton, "states", states);
    f2l_say_count(automaton, "letters", letters);
    return automaton;
}

void f2l_say_label_kind(f2l_fact in, f2l_label label)
{
    f2l_say_text(in, "label_kind", f2l_label_name(label));
}

const char *f2l_verdict_name(f2l_status verdict)
{
    return verdict == F2L_OK ? "VERIFIED" : verdict == F2L_REFUTED ? "REFUTED" : "UNKNOWN";
}

void f2l_say_word(f2l_fact in, const char *name, const f2l_names *all, const uint32_t *index,
                  size_t n)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < n; i++) f2l_say_text(list, NULL, f2l_names_get(all, index[i]));
}

void f2l_say_judged_words(f2l_fact in, const f2l_fsa *fsa)
{
    static const char *const name[2] = {"rejected_word", "accepted_word"};
    for (size_t i = 2; fsa->has_accept && i-- > 0;) {
        f2l_word word = {0};
        f2l_error ignored;
        bool found;
        const f2l_status status = f2l_word_judged(&word, &found, fsa, i, NULL, &ignored);
        if (status == F2L_OK && found && word.length <= MOST_WORD)
            f2l_say_word(in, name[i], &fsa->letters, word.letter, word.length);
        else
            f2l_say_null(in, name[i]);
        f2l_word_clear(&word);
    }
}

/* Appends the beginning of a word. */
static void lay_judged_word(f2l_buf *out, const char *before, f2l_fact automaton, const char *name)
{
    const f2l_fact word = f2l_get(automaton, name);
    const size_t size = f2l_is_known(automaton, name) ? f2l_get_size(word, "") : 0;
    f2l_buf_text(out, before);
    if (!f2l_is_known(automaton, name))
        f2l_buf_text(out, "none");
    else if (size == 0)
        f2l_buf_text(out, "the empty word");
    f2l_layout_items(out, word, 0, size < SHOWN_LETTERS ? size : SHOWN_LETTERS, "{.~}", " ");
    if (size > SHOWN_LETTERS) f2l_buf_printf(out, " .. (%zu letters)", size);
}

void f2l_lay_judged_words(f2l_buf *out, f2l_fact automaton)
{
    if (!f2l_has(automaton, "accepted_word")) return;
    lay_judged_word(out, "shortest       accepted: ", automaton, "accepted_word");
    lay_judged_word(out, "; rejected: ", automaton, "rejected_word");
    f2l_buf_text(out, "\n");
}

void f2l_say_labels_read(f2l_fact in, const f2l_total_report *steps)
{
    f2l_say_count(in, "letter_sets", f2l_notes_places(&steps->notes, F2L_NOTE_SET));
    f2l_say_count(in, "empty_transitions", steps->empty_edges);
}

static void say_witness(f2l_fact in, const f2l_verdict *v)
{
    if (v->verdict != F2L_REFUTED || !v->wrong) {
        f2l_say_null(in, "witness");
        return;
    }
    f2l_fact witness = f2l_say_object(in, "witness");
    f2l_say_word(witness, "word", v->letters, v->wrong->word, v->wrong->word_length);
    f2l_say_text(witness, "expected", v->wrong->expected);
    f2l_say_text(witness, "got", v->wrong->got);
}

void f2l_say_verdict(f2l_fact in, const f2l_verdict *v)
{
    const bool refuted = v->verdict == F2L_REFUTED;
    f2l_say_text(in, "verdict", f2l_verdict_name(v->verdict));
    f2l_say_text(in, "how", v->how);
    f2l_say_known(in, "joint_states", v->counted, v->joint_states);
    f2l_say_known(in, "pairs", v->pairs > 0, v->pairs);
    f2l_say_text(in, "statement", v->statement);
    say_witness(in, v);
    f2l_say_known(in, "wrong_after", refuted, v->wrong ? v->wrong->word_length : v->wrong_after);
    f2l_say_reason(in, "reason", v->verdict != F2L_OK && v->reason ? v->reason : "");
}

void f2l_say_decoder(f2l_fact in, bool nearest)
{
    f2l_say_text(in, "decoder", nearest ? "nearest" : "equal");
}

void f2l_say_arithmetic(f2l_fact in, const f2l_format *format, const f2l_schedule *schedule)
{
    f2l_say_text(in, "format", format ? format->name : NULL);
    f2l_say_text(in, "schedule", schedule ? schedule->name : NULL);
    if (schedule && schedule->decode == F2L_DECODE_LINEAR)
        f2l_say_text(in, "decoder", "linear");
    else
        f2l_say_decoder(in, format != NULL);
}

void f2l_say_arithmetic_data(f2l_fact in, const f2l_format *format, const f2l_schedule *schedule)
{
    f2l_fact f = f2l_say_object(in, "format_data");
    f2l_say_integer(f, "precision", format->precision);
    f2l_say_integer(f, "emin", format->emin);
    f2l_say_integer(f, "emax", format->emax);
    f2l_say_number(f, "largest", format->largest);
    f2l_say_truth(f, "subnormals", format->subnormals);
    f2l_say_text(f, "overflow", f2l_overflow_name(format->overflow));
    f2l_say_text(f, "rounding", f2l_rounding_name(format->rounding));
    f2l_fact s = f2l_say_object(in, "schedule_data");
    const bool normalises = schedule->eps >= 0;
    f2l_say_number(s, "eps", normalises ? schedule->eps : NAN);
    f2l_say_number(s, "raw", normalises ? schedule->raw : NAN);
    char settings[F2L_SCHEDULE_NAME];
    f2l_schedule_write(settings, schedule);
    f2l_say_text(s, "settings", settings);
}

void f2l_say_horizon(f2l_fact in, bool known, bool for_ever, uint64_t letters)
{
    if (!known) {
        f2l_say_null(in, "horizon");
        return;
    }
    f2l_fact horizon = f2l_say_object(in, "horizon");
    f2l_say_known(horizon, "letters", !for_ever, letters);
    f2l_say_truth(horizon, "for_ever", for_ever);
}

void f2l_say_ternary(f2l_fact in, const char *name, bool known, bool value)
{
    if (known)
        f2l_say_truth(in, name, value);
    else
        f2l_say_null(in, name);
}

void f2l_say_counts(f2l_fact in, const char *name, const size_t *value, size_t n)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < n; i++) f2l_say_count(list, NULL, value[i]);
}

void f2l_say_numbers(f2l_fact in, const char *name, const double *value, size_t n)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < n; i++) f2l_say_number(list, NULL, value[i]);
}
