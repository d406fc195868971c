/* horizon --forever: is the network right on all words? */
#include "cli/horizon/horizon_job.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"

enum { SHOWN = 12 }; /* letters of a word, from its end */

f2l_status f2l_horizon_forever(f2l_horizon_job *j, f2l_error *err)
{
    const f2l_experiment *run = &j->weights.run.experiment;
    f2l_status status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    return status == F2L_OK ? f2l_learned_forever_build(&j->forever, &j->weights.trained.model,
                                                        j->parameters, run->fsa, run->data.begin,
                                                        f2l_learned_scope_at(j->o.scope),
                                                        j->o.seconds, &j->cli.task, err)
                            : status;
}

static size_t followed_heads(const f2l_learned_forever *p)
{
    size_t count = 0;
    for (size_t h = 0; p->followed && h < p->heads; h++) count += p->followed[h];
    return count;
}

static void describe_forever(f2l_fact out, const void *report)
{
    static const char *const name[] = {"contraction", "size", "wrong",  "open",
                                       "time",        "beta", "format", "states"};
    const f2l_horizon_job *j = report;
    const f2l_learned_forever *p = &j->forever;
    const f2l_names *letters = &j->weights.run.experiment.fsa->letters;
    const bool proved = p->end == F2L_FOREVER_PROVED, word = p->word_length > 0;
    f2l_say_text(out, "forever_verdict",
                 proved                        ? "proved"
                 : p->end == F2L_FOREVER_WRONG ? "wrong"
                                               : "unknown");
    f2l_say_text(out, "forever_scope", p->scope->name);
    f2l_say_text(out, "forever_limit", proved ? NULL : name[p->end - F2L_FOREVER_NORM]);
    f2l_say_count(out, "suffix_nodes", p->nodes);
    f2l_say_count(out, "suffix_leaves", p->leaves);
    f2l_say_count(out, "suffix_letters", p->depth);
    f2l_say_number(out, "largest_norm", p->norm);
    f2l_say_text(out, "largest_norm_letter", f2l_names_get(letters, p->letter));
    f2l_say_count(out, "limiting_head", p->head + 1);
    f2l_say_known(out, "joint_states", p->finite && proved, p->joint);
    f2l_say_known(out, "followed_heads", p->finite && proved, followed_heads(p));
    f2l_say_known(out, "limiting_letters", word, p->word_length);
    if (word)
        f2l_say_word(out, "limiting_word", letters, p->word, p->word_length);
    else
        f2l_say_null(out, "limiting_word");
}

/* Appends the last letters of a word. */
static void lay_end(f2l_buf *out, f2l_fact from, size_t letters)
{
    const size_t first = letters > SHOWN ? letters - SHOWN : 0;
    f2l_buf_text(out, first > 0 ? ".. " : "");
    f2l_layout_items(out, f2l_get(from, "limiting_word"), first, letters, "{.~}", " ");
}

static void lay_why(f2l_buf *out, f2l_fact from, const f2l_learned_forever *p)
{
    f2l_buf_text(out, "because        ");
    switch (p->end) {
    case F2L_FOREVER_NORM:
        f2l_layout(out, from,
                   "letter {largest_norm_letter~} does not shorten all that head {limiting_head} "
                   "remembers: its norm is {largest_norm%.12g} (AL.7 asks for less than 1)\n");
        return;
    case F2L_FOREVER_LARGE:
        f2l_layout(out, from,
                   "the states of head {limiting_head} are not shown to be below 4000\n");
        return;
    case F2L_FOREVER_INEXACT:
        f2l_layout(out, from,
                   "not in this class: letter {largest_norm_letter~} has a beta inside its range, "
                   "or a key near another one, in head {limiting_head} (AL.12)\n");
        return;
    case F2L_FOREVER_ROUNDED:
        f2l_layout(out, from,
                   "not in this class: letter {largest_norm_letter~} rounds the state of head "
                   "{limiting_head} each time in {forever_scope} (AL.13)\n");
        return;
    case F2L_FOREVER_ENDLESS:
        f2l_layout(out, from,
                   "not in this class: the states of head {limiting_head} are more than are "
                   "tried, or infinitely many (AL.12)\n");
        return;
    case F2L_FOREVER_WRONG:
        f2l_layout(out, from, "a word of {limiting_letters letter} is answered wrongly: ");
        break;
    case F2L_FOREVER_OPEN:
        f2l_layout(out, from,
                   p->finite ? "the answer to a word of {limiting_letters letter} is not decided: "
                             : "the answer is not decided after a suffix of {limiting_letters "
                               "letter}: ");
        break;
    case F2L_FOREVER_LATE:
    case F2L_FOREVER_PROVED:
        f2l_layout(out, from,
                   p->word_length > 0
                       ? "--prefix-time was over at a suffix of {limiting_letters letter}: "
                       : "--prefix-time was over before all states were known\n");
        if (p->word_length == 0) return;
    }
    lay_end(out, from, p->word_length);
    f2l_buf_text(out, "\n");
}

static void lay_forever(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_horizon_job *j = report;
    const f2l_learned_forever *p = &j->forever;
    f2l_layout(out, from,
               "all lengths    {forever_verdict=proved?proved right on every word of every length "
               "({joint_states?AL.12|AL.9})|{forever_verdict=wrong?not right|unknown}}\n");
    f2l_horizon_lay_scope(out, p->scope);
    if (p->end != F2L_FOREVER_PROVED) lay_why(out, from, p);
    if (p->finite && p->end == F2L_FOREVER_PROVED)
        f2l_layout(out, from,
                   "states         {joint_states} of the automaton and {followed_heads head} "
                   "together\n");
    if (p->nodes > 0)
        f2l_layout(out, from,
                   "suffixes       {suffix_nodes}, {suffix_leaves leaf/leaves}, of at most "
                   "{suffix_letters letter}\n");
    if (j->o.out && p->end == F2L_FOREVER_PROVED)
        f2l_buf_printf(out, "certificate    %s\n", j->o.out);
}

const f2l_report_kind f2l_horizon_forever_kind = {.name = "forever",
                                                  .describe = describe_forever,
                                                  .lay_beside = lay_forever,
                                                  .style = {.digits = 6}};
