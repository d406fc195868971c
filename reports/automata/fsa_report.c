#include "reports/automata/fsa_report.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"

#define LETTERS 40 /* letters of a list or a word that the text shows */

/* Appends the beginning of a list of names. */
static void lay_names(f2l_buf *out, f2l_fact list)
{
    f2l_layout_items(out, list, 0, LETTERS, "{.~}", " ");
    if (f2l_get_size(list, "") > LETTERS) f2l_buf_text(out, " ..");
}

/* --- info --- */

static void say_as_written(f2l_fact out, const f2l_nfa *nfa)
{
    const bool group = nfa->is_group;
    const size_t states = group ? nfa->group.states.count : nfa->states.count;
    const uint8_t *accept = group ? nfa->group.accept : nfa->accept;
    size_t starts = group, empty = 0, accepting = 0;
    for (size_t s = 0; s < states; s++) {
        starts += !group && nfa->is_start[s];
        accepting += accept[s];
    }
    for (size_t i = 0; i < nfa->edges; i++) empty += nfa->edge[i].letter == F2L_EPSILON;
    f2l_say_count(out, "start_states", starts);
    f2l_say_count(out, "transitions", group ? states * nfa->group.letters.count : nfa->edges);
    f2l_say_count(out, "empty_transitions", empty);
    f2l_say_known(out, "accepting_states", group ? nfa->group.has_accept : nfa->has_accept,
                  accepting);
}

static void describe_info(f2l_fact out, const void *report)
{
    const f2l_fsa_info *r = report;
    const f2l_nfa *nfa = r->nfa;
    const f2l_names *letters = nfa->is_group ? &nfa->group.letters : &nfa->letters;
    const f2l_names *states = nfa->is_group ? &nfa->group.states : &nfa->states;
    const f2l_fact automaton =
        f2l_say_automaton(out, r->grammar, NULL, states->count, letters->count);
    f2l_say_text(automaton, "syntax", r->syntax);
    f2l_say_labels_read(automaton, r->steps);
    f2l_say_judged_words(automaton, r->total);
    const f2l_fact list = f2l_say_list(out, "fsa_letters");
    for (size_t a = 0; a < letters->count; a++) f2l_say_text(list, NULL, f2l_names_get(letters, a));
    say_as_written(out, nfa);
    f2l_say_truth(out, "deterministic", !r->steps->determinised);
    f2l_say_count(out, "missing_transitions", r->steps->sink_edges);
    f2l_say_count(out, "deterministic_states", r->total->states.count);
    f2l_say_text(out, "label_kind", r->labelled ? f2l_label_name(r->label) : NULL);
    f2l_say_known(out, "minimal_states", r->minimal > 0, r->minimal);
}

static void lay_info(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from,
               "{automaton.name}: {automaton.syntax}, {automaton.states state}, {automaton.letters "
               "letter}\nletters        ");
    lay_names(out, f2l_get(from, "fsa_letters"));
    f2l_layout(out, f2l_get(from, "automaton"),
               "{letter_sets?\nlabels         {letter_sets} for several letters}");
    f2l_layout(out, from,
               "\ntransitions    {transitions}{empty_transitions?, {empty_transitions} for the "
               "empty word}\n"
               "start states   {start_states}\n");
    if (f2l_is_known(from, "accepting_states"))
        f2l_layout(out, from, "accepting      {accepting_states state}\n");
    f2l_layout(out, from,
               "deterministic  {deterministic?yes|no}, "
               "{missing_transitions?{missing_transitions transition} missing|total}; "
               "{deterministic_states state} when deterministic and total\n");
    if (f2l_is_known(from, "minimal_states"))
        f2l_layout(out, from, "minimal        {minimal_states state}, by {label_kind}\n");
    f2l_lay_judged_words(out, f2l_get(from, "automaton"));
}

const f2l_report_kind f2l_fsa_info_kind = {
    .name = "fsa-info", .describe = describe_info, .lay = lay_info, .style = {.digits = 17}};

/* --- comparison --- */

static void describe_comparison(f2l_fact out, const void *report)
{
    const f2l_fsa_comparison *r = report;
    const f2l_difference *d = r->difference;
    const f2l_fact names = f2l_say_list(out, "automata");
    for (int i = 0; i < 2; i++) f2l_say_text(names, NULL, r->name[i]);
    f2l_say_text(out, "label_kind", f2l_label_name(r->label));
    f2l_say_truth(out, "equivalent", !d->found);
    if (!d->found) {
        f2l_say_null(out, "difference");
        return;
    }
    const f2l_fact difference = f2l_say_object(out, "difference");
    f2l_say_word(difference, "word", r->letters, d->word, d->letters);
    const f2l_fact labels = f2l_say_list(difference, "label_pair");
    for (int i = 0; i < 2; i++) f2l_say_text(labels, NULL, d->label[i]);
}

static void lay_equivalence(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from, "{automata*{.}| and } ");
    if (f2l_get_truth(from, "equivalent")) {
        f2l_layout(out, from, "are equivalent (label: {label_kind})\n");
        return;
    }
    const f2l_fact difference = f2l_get(from, "difference");
    const f2l_fact word = f2l_get(difference, "word");
    f2l_buf_text(out, "differ after ");
    if (f2l_get_size(word, "") == 0)
        f2l_buf_text(out, "the empty word");
    else
        f2l_layout_items(out, word, 0, f2l_get_size(word, ""), "{.~}", " ");
    f2l_layout(out, difference, ": {label_pair*{.}| and }\n");
}

const f2l_report_kind f2l_fsa_comparison_kind = {.name = "fsa-equivalent",
                                                 .describe = describe_comparison,
                                                 .lay = lay_equivalence,
                                                 .style = {.digits = 17}};
