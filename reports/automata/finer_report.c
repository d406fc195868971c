/* The finer classes of `classify`: their facts, one line of its report, and a text of their own. */
#include "numeric/facts/layout.h"
#include "reports/automata/classify_report.h"
#include "reports/automata/impl.h"
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"
#include <string.h>

#define INDENT 14 /* columns of the labels */
#define WIDTH 98  /* columns of a line */
#define SHOWN 40  /* letters of a word that are shown */

static void say_outside(f2l_fact in, const f2l_fsa *fsa, const f2l_finer_witness *w)
{
    static const char *const name[F2L_FINER_WORDS] = {"word_u", "word_w", "word_x", "word_y",
                                                      "word_v", "word_z", "word_t"};
    if (!w->first) {
        f2l_say_null(in, "told_apart");
        return;
    }
    f2l_fact two = f2l_say_object(in, "told_apart");
    f2l_say_text(two, "first_words", w->first);
    f2l_say_text(two, "second_words", w->second);
    for (size_t i = 0; i < F2L_FINER_WORDS; i++)
        f2l_say_word(two, name[i], &fsa->letters, w->word[i].letter, w->word[i].length);
    f2l_say_text(two, "first_leads_to", f2l_names_get(&fsa->states, w->p));
    f2l_say_text(two, "second_leads_to", f2l_names_get(&fsa->states, w->q));
}

void f2l_say_finer(f2l_fact in, const f2l_finer *finer, const f2l_fsa *fsa)
{
    f2l_say_count(in, "neutral_letters", finer ? finer->neutral : 0);
    f2l_say_reason(in, "finer_reason", finer ? finer->reason : "");
    f2l_fact list = f2l_say_list(in, "finer_classes");
    for (size_t i = 0; finer && i < F2L_FINER_CLASSES; i++) {
        const f2l_finer_kind *kind = &f2l_finer_kinds[i];
        const f2l_finer_row *row = &finer->row[i];
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "finer_class", kind->id);
        f2l_say_text(one, "finer_name", kind->name);
        f2l_say_ternary(one, "is_member", row->member != F2L_TERNARY_UNKNOWN,
                        row->member == F2L_TERNARY_YES);
        f2l_say_text(one, "statement", kind->statement);
        f2l_say_text(one, "buys", kind->buys);
        f2l_say_known(one, "finer_order", row->order > 0, row->order);
        say_outside(one, fsa, &row->witness);
    }
}

/* Appends the names of the classes with this answer, and `before`; nothing where there are none.
 * Without neutral letters the classes of the tier say the same, and are left out. */
static void lay_names(f2l_buf *line, f2l_fact from, const char *before, bool known, bool member)
{
    const f2l_fact classes = f2l_get(from, "finer_classes");
    const bool tier = f2l_get_count(from, "neutral_letters") > 0;
    bool some = false;
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++) {
        const f2l_fact one = f2l_get_item(classes, i);
        const bool is_known = f2l_is_known(one, "is_member");
        if (!tier && strncmp(f2l_get_text(one, "finer_class"), "tier-", 5) == 0) continue;
        if (is_known != known || (known && f2l_get_truth(one, "is_member") != member)) continue;
        f2l_buf_text(line, some ? ", " : line->size ? "; " : "");
        if (!some) f2l_buf_text(line, before);
        f2l_layout(line, one, "{finer_class}");
        some = true;
    }
}

void f2l_lay_finer(f2l_buf *out, f2l_fact from, size_t indent, size_t width)
{
    f2l_buf line;
    if (f2l_get_size(from, "finer_classes") == 0) return;
    f2l_buf_init(&line);
    lay_names(&line, from, "", true, true);
    lay_names(&line, from, "not ", true, false);
    lay_names(&line, from, "UNKNOWN whether ", false, false);
    f2l_report_line(out, "finer", &line, indent, width);
}

/* --- the text of its own --- */

/* Appends a label and what follows it, wrapped. */
static void lay_part(f2l_buf *out, const char *label, f2l_buf *line)
{
    f2l_report_line(out, label, line, INDENT, WIDTH);
}

static void lay_one_word(f2l_buf *line, f2l_fact outside, const char *path, const char *name)
{
    const f2l_fact word = f2l_get(outside, path);
    if (f2l_get_size(word, "") == 0) return;
    f2l_buf_printf(line, "%s%s = ", line->size ? "; " : "", name);
    f2l_layout_items(line, word, 0, SHOWN, "{.~}", " ");
    if (f2l_get_size(word, "") > SHOWN) f2l_buf_text(line, " ..");
}

/* Appends the two families of words that show that the automaton is not in the class. */
static void lay_outside(f2l_buf *out, f2l_fact outside)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_layout(&line, outside,
               "for n = 1, 2, .. {first_words} leads to {first_leads_to~} and {second_words} to "
               "{second_leads_to~}");
    lay_part(out, "  witness", &line);
    f2l_buf_init(&line);
    lay_one_word(&line, outside, "word_u", "u");
    lay_one_word(&line, outside, "word_w", "w");
    lay_one_word(&line, outside, "word_v", "v");
    lay_one_word(&line, outside, "word_x", "x");
    lay_one_word(&line, outside, "word_y", "y");
    lay_one_word(&line, outside, "word_z", "z");
    lay_one_word(&line, outside, "word_t", "t");
    lay_part(out, "  words", &line);
}

static void lay_finer_class(f2l_buf *out, f2l_fact one)
{
    const bool known = f2l_is_known(one, "is_member");
    const bool member = known && f2l_get_truth(one, "is_member");
    f2l_buf line;
    f2l_layout(out, one, "\n{finer_name}: ");
    f2l_buf_text(out, member ? "yes" : known ? "no" : "UNKNOWN");
    f2l_layout(out, one, ", by {statement}\n");
    f2l_buf_init(&line);
    f2l_layout(&line, one, "{buys}{finer_order?; here {finer_order}}");
    if (member) lay_part(out, "  buys", &line);
    f2l_buf_clear(&line);
    if (known && !member && f2l_is_known(one, "told_apart"))
        lay_outside(out, f2l_get(one, "told_apart"));
}

static void lay_finer_report(f2l_buf *out, f2l_fact from)
{
    const f2l_fact classes = f2l_get(from, "finer_classes");
    f2l_layout(out, from,
               "{automaton.name}: {automaton.states state}, {automaton.letters letter}, labels "
               "{label_kind}, {neutral_letters neutral letter}\n");
    f2l_lay_finer(out, from, INDENT, WIDTH);
    f2l_layout(out, from, "{finer_reason?limit         {finer_reason}\n}");
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++)
        lay_finer_class(out, f2l_get_item(classes, i));
    f2l_buf_text(out, "\nThe statements are proved, or their sources named, in "
                      "theory/pages/finer.md and ladder.md.\n");
}

const f2l_report_kind f2l_finer_report_kind = {.name = "classify",
                                               .describe = f2l_classify_report_describe,
                                               .lay = lay_finer_report,
                                               .style = {.digits = 17}};
