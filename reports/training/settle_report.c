#include "reports/training/settle_report.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"

static void say_settle_word(f2l_fact in, const char *name, const f2l_fsa *fsa,
                            const f2l_settle_word *word)
{
    f2l_say_word(in, name, &fsa->letters, word->letter, word->count);
}

/* The label behind the states is of the begin letter. */
static void say_answer(f2l_fact in, const char *name, const f2l_fsa *fsa, size_t answer)
{
    f2l_say_text(in, name,
                 answer < fsa->states.count ? f2l_names_get(&fsa->states, answer) : "begin");
}

void f2l_say_settle(f2l_fact in, const f2l_settle_report *report)
{
    const f2l_settle *s = &report->settle;
    const f2l_fsa *fsa = report->fsa;
    const f2l_fact one = f2l_say_object(in, "settles");
    f2l_say_reason(one, "no_settle_reason", report->why.text);
    if (report->why.text[0]) return;
    f2l_say_text(one, "settle_verdict", f2l_settle_name(s->verdict));
    f2l_say_text(one, "settle_scope", f2l_learned_scope_at(0)->name);
    if (s->verdict == F2L_SETTLE_FAILS) {
        say_settle_word(one, "settle_prefix", fsa, &s->prefix);
        say_settle_word(one, "settle_period", fsa, &s->period);
        say_settle_word(one, "settle_suffix", fsa, &s->suffix);
        say_answer(one, "settle_answer", fsa, s->answer);
        f2l_say_count(one, "cycle_states", s->cycle);
        f2l_say_count(one, "wrong_states", s->wrong_states);
        f2l_say_count(one, "settle_after", s->after);
        f2l_say_count(one, "settle_within", (uint64_t)s->within);
    }
    f2l_say_known(one, "found_letters", s->found > 0, s->found);
    if (s->found > 0) {
        say_settle_word(one, "found_prefix", fsa, &s->found_prefix);
        say_settle_word(one, "found_period", fsa, &s->found_period);
        say_settle_word(one, "found_suffix", fsa, &s->found_suffix);
        say_answer(one, "found_expected", fsa, s->found_state);
        say_answer(one, "found_got", fsa, s->found_answer);
    }
    f2l_say_count(one, "settle_length", s->length);
    f2l_say_count(one, "settle_prefixes", s->prefixes);
    f2l_say_count(one, "settle_periods", s->periods);
    f2l_say_count(one, "settle_suffixes", s->suffixes);
    f2l_say_count(one, "dependent_periods", s->dependent);
    f2l_say_truth(one, "settle_all", s->complete);
    f2l_say_text(one, "settle_ended", f2l_stop_name(s->ended));
    f2l_say_truth(one, "settle_group", s->group);
    f2l_say_count(one, "wrong_limits", s->wrong);
    f2l_say_count(one, "tied_limits", s->ties);
}

/* Appends the word of three lists: "a b (b a)^t b". */
static void lay_words(f2l_buf *out, f2l_fact one, const char *prefix, const char *period,
                      const char *suffix)
{
    f2l_layout_items(out, f2l_get(one, prefix), 0, F2L_SETTLE_MOST, "{.~} ", "");
    f2l_buf_text(out, "(");
    f2l_layout_items(out, f2l_get(one, period), 0, F2L_SETTLE_MOST, "{.~}", " ");
    f2l_buf_text(out, ")^t");
    f2l_layout_items(out, f2l_get(one, suffix), 0, F2L_SETTLE_MOST, " {.~}", "");
}

static void lay_claim(f2l_buf *out, f2l_fact one, int width)
{
    lay_words(out, one, "settle_prefix", "settle_period", "settle_suffix");
    f2l_layout(out, one,
               " is answered {settle_answer~} for every t >= {settle_after}, in the scope "
               "{settle_scope} (AL.5)\n");
    f2l_buf_printf(out, "%*s", width, "");
    f2l_layout(out, one,
               "wrong for {wrong_states} of {cycle_states} states of the cycle; a wrong word has "
               "at most {settle_within letter}\n");
}

/* Says which wrong word was met. Where a report has the shortest one that is known, which it is one
 * of, nothing is said. */
static void lay_found(f2l_buf *out, f2l_fact one, int width)
{
    f2l_buf_printf(out, "%-*s", width, "found");
    if (f2l_is_known(one, "found_letters")) {
        f2l_layout(out, one, "a wrong word of {found_letters letter}, by running ");
        lay_words(out, one, "found_prefix", "found_period", "found_suffix");
        f2l_layout(out, one, ": expected {found_expected~}, got {found_got~}\n");
    } else {
        f2l_buf_text(out, "no wrong word by running\n");
    }
}

void f2l_lay_settle(f2l_buf *out, f2l_fact from, int width)
{
    const f2l_fact one = f2l_get(from, "settles");
    if (f2l_is_known(one, "no_settle_reason")) return;
    f2l_buf_printf(out, "%-*s", width, "all lengths");
    if (f2l_has(one, "settle_after")) {
        f2l_buf_text(out, "fails eventually: ");
        lay_claim(out, one, width);
    } else {
        f2l_layout(out, one,
                   "{settle_verdict=tie?unknown: limits tie, or no length is proved for them (AL.6)"
                   "|no wrong limit was found, which proves nothing of other words}\n");
    }
    if (!f2l_has(from, "failing_word")) lay_found(out, one, width);
    f2l_buf_printf(out, "%-*s", width, "looked at");
    f2l_layout(out, one,
               "{settle_prefixes prefix/prefixes}, {settle_periods period}{settle_all?, all} of at "
               "most {settle_length letter}, {settle_suffixes suffix/suffixes}: "
               "{wrong_limits wrong limit}, {tied_limits tie}"
               "{settle_group?; some periods act as cycles: no margin for ever (AL.3)}"
               "{dependent_periods?; {dependent_periods period} left out, of dependent keys}\n");
    if (!f2l_is_known(one, "settle_ended")) return;
    f2l_buf_printf(out, "%-*s", width, "ended by");
    f2l_layout(out, one, "{settle_ended}, before all words were looked at\n");
}
