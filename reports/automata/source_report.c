#include "reports/automata/source_report.h"
#include "numeric/facts/layout.h"
#include <string.h>

static bool is_named(const f2l_source_comparison *c)
{
    return c->fsa->has_added && strcmp(c->fsa->source, c->sha256) == 0;
}

bool f2l_source_agrees(const f2l_source_comparison *c)
{
    return !c->difference->found && (!c->fsa->has_added || is_named(c));
}

void f2l_say_source(f2l_fact in, const char *name, const f2l_source_comparison *c)
{
    const f2l_difference *d = c->difference;
    const f2l_fact source = f2l_say_object(in, name);
    f2l_say_text(source, "source_name", c->name);
    f2l_say_text(source, "syntax", c->syntax);
    f2l_say_text(source, "sha256", c->sha256);
    f2l_say_text(source, "named_source", c->fsa->has_added ? c->fsa->source : NULL);
    f2l_say_text(source, "label_kind", f2l_label_name(c->label));
    f2l_say_truth(source, "equivalent", !d->found);
    if (!d->found) {
        f2l_say_null(source, "difference");
        return;
    }
    const f2l_fact difference = f2l_say_object(source, "difference");
    f2l_say_word(difference, "word", &c->fsa->letters, d->word, d->letters);
    const f2l_fact labels = f2l_say_list(difference, "label_pair");
    for (int i = 0; i < 2; i++) f2l_say_text(labels, NULL, d->label[i]);
}

void f2l_lay_source(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from, "source {source_name}, {syntax}: ");
    if (!f2l_is_known(from, "named_source"))
        f2l_layout(out, from, "sha256 {sha256}, which automaton.fsa does not name\n");
    else if (strcmp(f2l_get_text(from, "named_source"), f2l_get_text(from, "sha256")) == 0)
        f2l_layout(out, from, "sha256 {sha256}, as automaton.fsa names it\n");
    else
        f2l_layout(out, from,
                   "another file: its sha256 is {sha256}, and automaton.fsa names "
                   "{named_source}\n");
    if (f2l_get_truth(from, "equivalent")) {
        f2l_layout(out, from,
                   "source {source_name} and automaton.fsa: the same label after every "
                   "word (label: {label_kind}");
        if (strcmp(f2l_get_text(from, "label_kind"), "states") == 0)
            f2l_buf_text(out,
                         "; a state that stands for several of the source has a name of its own");
        f2l_buf_text(out, ")\n");
        return;
    }
    const f2l_fact difference = f2l_get(from, "difference");
    const f2l_fact word = f2l_get(difference, "word");
    f2l_layout(out, from, "source {source_name} and automaton.fsa: DIFFERENT after ");
    if (f2l_get_size(word, "") == 0)
        f2l_buf_text(out, "the empty word");
    else
        f2l_layout_items(out, word, 0, f2l_get_size(word, ""), "{.~}", " ");
    f2l_layout(out, difference, ": {label_pair*{.}| and }\n");
}
