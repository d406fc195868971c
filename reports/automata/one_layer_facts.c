#include "reports/automata/one_layer_facts.h"
#include "numeric/facts/layout.h"
#include "reports/phrases.h"
#include <string.h>

/* Returns the name of the first state of the caller's automaton in the class. */
static const char *name_of_merged_class(const f2l_fsa *fsa, const uint32_t *class_of, size_t class)
{
    for (size_t q = 0; q < fsa->states.count; q++)
        if (class_of[q] == class) return f2l_names_get(&fsa->states, q);
    return "";
}

void f2l_say_one_layer(f2l_fact in, const f2l_one_layer *one, const f2l_fsa *fsa)
{
    static const char *const word[] = {"unknown", "feasible", "infeasible"};
    if (!one) {
        f2l_say_null(in, "one_code_layer");
        return;
    }
    const f2l_separation *s = &one->separation;
    const bool infeasible = s->verdict == F2L_SEPARATION_INFEASIBLE;
    const f2l_fact out = f2l_say_object(in, "one_code_layer");
    f2l_say_text(out, "one_code", word[s->verdict]);
    if (s->verdict == F2L_SEPARATION_FEASIBLE)
        f2l_say_text(out, "one_code_decoder", f2l_decoder_name(one->decoder));
    else
        f2l_say_null(out, "one_code_decoder");
    if (infeasible) {
        const f2l_fact pair = f2l_say_list(out, "equal_codes");
        f2l_say_text(pair, NULL, name_of_merged_class(fsa, one->class_of, s->chain.p));
        f2l_say_text(pair, NULL, name_of_merged_class(fsa, one->class_of, s->chain.q));
    } else {
        f2l_say_null(out, "equal_codes");
    }
    f2l_say_known(out, "chain_steps", infeasible, s->chain.steps);
    f2l_say_reason(out, "reason", s->reason);
}

/* Returns what the decoder reads. */
static const char *reads(const char *decoder)
{
    return strcmp(decoder, "state") == 0  ? "the code after a letter"
           : strcmp(decoder, "step") == 0 ? "a letter and the code after it"
                                          : "a letter and the codes before and after it";
}

void f2l_lay_one_layer(f2l_buf *out, f2l_fact from, size_t indent, size_t width)
{
    f2l_buf line;
    if (!f2l_is_known(from, "one_code_layer")) return;
    const f2l_fact one = f2l_get(from, "one_code_layer");
    const char *verdict = f2l_get_text(one, "one_code");
    f2l_buf_init(&line);
    if (strcmp(verdict, "feasible") == 0) {
        f2l_layout(&line, one,
                   "one layer with one code for each state exists (SP.9), in exact arithmetic with "
                   "real weights, for decoder {one_code_decoder}, which reads ");
        f2l_buf_text(&line, reads(f2l_get_text(one, "one_code_decoder")));
    } else if (strcmp(verdict, "infeasible") == 0) {
        f2l_buf_text(&line, "one layer cannot have one code for each state, in exact arithmetic "
                            "with contractions, whether the decoder reads the code before a "
                            "letter, the letter or the code after it: ");
        f2l_layout_items(&line, f2l_get(one, "equal_codes"), 0, 2, "{.~}", " and ");
        f2l_layout(&line, one,
                   " would have equal codes (SP.3, {chain_steps step}); several codes "
                   "for a state are not excluded by this");
    } else {
        f2l_layout(&line, one,
                   "whether one layer can have one code for each state is "
                   "UNKNOWN{reason? ({reason})}");
    }
    f2l_report_line(out, "one code", &line, indent, width);
}
