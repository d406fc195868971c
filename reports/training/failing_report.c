#include "reports/training/failing_report.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include <string.h>

#define SHOWN_LETTERS 12 /* of a long word */

static void say_label(f2l_fact in, const char *name, const f2l_data *data, bool known,
                      uint32_t label)
{
    known = known && label < data->labels.count;
    f2l_say_text(in, name, known ? f2l_names_get(&data->labels, label) : NULL);
}

void f2l_say_failing(f2l_fact in, const f2l_failing *f, const f2l_data *data, size_t random)
{
    const bool known = f->letters > 0;
    f2l_fact one = f2l_say_object(in, "failing_word");
    f2l_say_known(one, "wrong_letters", known, f->letters);
    if (known)
        f2l_say_word(one, "wrong_word", &data->letters, f->word, f->letters);
    else
        f2l_say_null(one, "wrong_word");
    say_label(one, "expected", data, known, f->expected);
    say_label(one, "got", data, known, f->got);
    f2l_say_count(one, "all_words_up_to", f->all_letters);
    f2l_say_count(one, "powers_tried", f->powers);
    f2l_say_count(one, "followed_words", f->followed);
    f2l_say_truth(one, "limit_word", f->met);
    f2l_say_count(one, "random_words", random);
    f2l_say_truth(one, "other_kinds", random > 0 && data->others_to > 0);
    f2l_say_count(one, "letters_read", f->read);
    f2l_say_truth(one, "search_limited", f->limited);
    f2l_say_text(one, "no_search_reason", f->no_search);
}

/* Begins a line below the label. */
static void lay_begin(f2l_buf *out, const char *label)
{
    f2l_buf_printf(out, "%*s", (int)strlen(label), "");
}

/* Appends what was tried. */
static void lay_failing_scope(f2l_buf *out, f2l_fact word)
{
    f2l_layout(out, word,
               "{all_words_up_to?all words of up to {all_words_up_to letter}, |}"
               "{powers_tried?{powers_tried power} of words of up to 3 letters, |}"
               "{followed_words?{followed_words word} of least margin, |}"
               "{limit_word?a word whose limit is wrong, |}"
               "{random_words?{random_words random word}|no random words}"
               "{other_kinds?, sink-free and periodic words}"
               "{search_limited?; a limit ended the search}"
               "{no_search_reason?; no search: {no_search_reason}}\n");
}

void f2l_lay_failing(f2l_buf *out, f2l_fact from, const char *label)
{
    const f2l_fact word = f2l_get(from, "failing_word");
    const f2l_fact letters = f2l_get(word, "wrong_word");
    f2l_buf_text(out, label);
    if (f2l_is_known(word, "wrong_letters")) {
        f2l_layout(out, word, "{wrong_letters letter}, the shortest wrong word known:");
        f2l_layout_items(out, letters, 0, SHOWN_LETTERS, " {.~}", "");
        f2l_buf_text(out, f2l_get_size(letters, "") > SHOWN_LETTERS ? " ..\n" : "\n");
        lay_begin(out, label);
        f2l_layout(out, word, "expected {expected~}{got?, got {got~}}\n");
    } else if (f2l_has(from, "first_wrong") && f2l_is_known(from, "first_wrong")) {
        f2l_layout(out, from, "{first_wrong letter}, of a word of the list, which is not kept\n");
    } else {
        f2l_buf_text(out, "no wrong word is known, which proves nothing\n");
    }
    lay_begin(out, label);
    f2l_buf_text(out, "tried: ");
    lay_failing_scope(out, word);
}
