/* The readable comparison: states. */
#include "numeric/facts/layout.h"
#include "reports/networks/compare_parts.h"
#include <math.h>

enum { LETTERS = 40, SHOWN = 8 }; /* letters of a word, names of a list */

/* --- the automaton --- */

static void lay_compared_word(f2l_buf *out, f2l_fact word)
{
    const size_t letters = f2l_get_size(word, "");
    f2l_layout_items(out, word, 0, letters < LETTERS ? letters : LETTERS, "{.~}", " ");
    if (letters > LETTERS) f2l_buf_text(out, " ..");
}

static void lay_gap(f2l_buf *out, f2l_fact x)
{
    f2l_layout(out, x,
               "             {sample_clusters cluster}, in the first {gap_directions direction} of "
               "{seen_in=states?the states|what the network says after a letter more}:\n"
               "             neighbours within a cluster at most {gap_within%.3g} apart, clusters "
               "at least {gap_between%.3g}; merged below {merged_below%.3g}\n"
               "             {state_clusters cluster} that words lead to; {other_states} of "
               "{sample_transitions transition} of the sample lead to another one, "
               "{other_answers} give another answer\n");
}

/* Says what the clusters are beside the states of the automaton. */
static void lay_relation(f2l_buf *out, f2l_fact x)
{
    const f2l_fact with = f2l_get(x, "with_start");
    const size_t n = f2l_get_size(with, "");
    f2l_layout(out, x,
               "             {clusters_are=states?one cluster for each state of the automaton|}"
               "{clusters_are=parts of states?every cluster belongs to one of the "
               "{given_states state} of the automaton|}"
               "{clusters_are=neither?the clusters are no quotient of the automaton|}"
               "{clusters_are=quotient?the clusters are a quotient of the automaton, whose "
               "{given_states state} they merge|}");
    if (f2l_is(x, "clusters_are", "quotient")) {
        f2l_buf_text(out, "; with the start: ");
        f2l_layout_items(out, with, 0, n < SHOWN ? n : SHOWN, "{.~}", ", ");
        if (n > SHOWN) f2l_buf_text(out, ", ..");
    }
    f2l_buf_text(out, "\n");
}

static void lay_difference(f2l_buf *out, f2l_fact x)
{
    const f2l_fact difference = f2l_get(x, "difference");
    f2l_buf_text(out, "             shortest word on which they differ: ");
    lay_compared_word(out, f2l_get(difference, "word"));
    f2l_buf_text(out, "\n             automaton and clusters give ");
    f2l_layout_items(out, f2l_get(difference, "label_pair"), 0, 2, "{.~}", " and ");
    f2l_layout(out, x, "; the network answers {network_answer~}\n");
}

static void lay_verdict(f2l_buf *out, f2l_fact x)
{
    f2l_layout(
        out, x,
        "{extracted_states?             minimal: {extracted_states state}; the given automaton "
        "has {given_states}\n|}");
    if (f2l_is(x, "extracted_is", "equivalent"))
        f2l_buf_text(out,
                     "             equivalent to the given automaton: seen on these words, not "
                     "proved\n");
    else if (!f2l_is_known(x, "extracted_states"))
        f2l_layout(
            out, x,
            "             UNKNOWN: {other_states?letters do not act on the clusters|the answers "
            "are not functions of the cluster and the letter}\n");
    else
        f2l_layout(
            out, x,
            "             {extracted_is=different?different from the given automaton|UNKNOWN: "
            "the network does not do on the word below what its clusters say}\n");
    if (f2l_is_known(x, "difference")) lay_difference(out, x);
    if (!f2l_is_known(x, "wrong_word")) return;
    f2l_layout(out, x,
               "             {sample_wrong answer} of the sample wrong; answered wrongly: ");
    lay_compared_word(out, f2l_get(x, "wrong_word"));
    f2l_buf_printf(out, " (%zu letters)\n", f2l_get_size(x, "wrong_word"));
}

void f2l_compare_lay_extraction(f2l_buf *out, f2l_fact from)
{
    const f2l_fact x = f2l_get(from, "extraction");
    f2l_buf_text(out, "\nautomaton    that the learned states form");
    if (f2l_has(x, "sample_words"))
        f2l_layout(out, x,
                   ": {sample_states state}, after every letter of {sample_words word} of "
                   "{sample_length letter}");
    f2l_layout(out, x, "\n{reason?             UNKNOWN: {reason}\n|}");
    if (f2l_is_known(x, "reason")) return;
    lay_gap(out, x);
    lay_relation(out, x);
    lay_verdict(out, x);
}

/* --- representations --- */

static void lay_irrep(f2l_buf *out, f2l_fact one, size_t i)
{
    const double constructed = f2l_get_number(one, "constructed_share");
    f2l_buf_printf(out, "  rho%-3zu", i + 1);
    f2l_layout(out, one,
               "{dimension%9s}  {most_factors%6s}  {learned?yes|no }      {least_choice?yes|no } ");
    if (isnan(constructed))
        f2l_buf_printf(out, "  %7s  ", "-");
    else
        f2l_buf_printf(out, "  %7.3f  ", constructed);
    f2l_layout_items(out, f2l_get(one, "state_shares"), 0, f2l_get_size(one, "state_shares"),
                     "{.%6.3f}", " ");
    f2l_buf_text(out, "\n");
}

void f2l_compare_lay_irreps(f2l_buf *out, f2l_fact from)
{
    const f2l_fact x = f2l_get(from, "learned_irreps");
    f2l_layout(out, x, "\nirreps       {reason?not looked at: {reason}\n|}");
    if (f2l_is_known(x, "reason")) return;
    const f2l_fact irreps = f2l_get(x, "irrep_shares");
    f2l_layout(out, x,
               "of the group of order {order}; share of the states that each explains: of the "
               "constructed network,\n             and of the learned one head by head and all "
               "together\n");
    f2l_buf_printf(out, "  %-6s%9s  %6s  %-7s  %-5s  %s  learned\n", "", "dimension",
                   "n_h >=", "learned", "least", "constr.");
    for (size_t i = 1; i < f2l_get_size(irreps, ""); i++)
        lay_irrep(out, f2l_get_item(irreps, i), i);
    f2l_layout(out, x,
               "             learned: total dimension {learned_dimension}, up to {learned_factors "
               "factor}; least choice (R1): {least_total_dimension}, {least_factors factor}\n"
               "             {is_least?this is the least choice|}");
    if (f2l_get_truth(x, "is_least"))
        f2l_buf_text(out, "\n");
    else if (f2l_get_count(x, "common_kernel") > 1)
        f2l_layout(out, x,
                   "not faithful: {common_kernel element} of the group act as the identity in it; "
                   "a network that tells them apart\n             all the same has states whose "
                   "means cancel, as in a cover\n");
    else
        f2l_buf_text(out, "faithful, but not the least choice\n");
}

/* --- maps --- */

/* Appends one error as a column. */
static void lay_error(f2l_buf *out, double value)
{
    if (isnan(value))
        f2l_buf_printf(out, "  %11s", "-");
    else
        f2l_buf_printf(out, "  %11.4f", value);
}

static void lay_side(f2l_buf *out, f2l_fact map, const char *layer, const char *head)
{
    if (!f2l_is_known(map, layer))
        f2l_buf_printf(out, "  %-11s", "all");
    else if (f2l_is_known(map, head))
        f2l_buf_printf(out, "  %zu.%-9zu", (size_t)f2l_get_count(map, layer),
                       (size_t)f2l_get_count(map, head));
    else
        f2l_buf_printf(out, "  layer %-5zu", (size_t)f2l_get_count(map, layer));
}

void f2l_compare_lay_maps(f2l_buf *out, f2l_fact from)
{
    const f2l_fact x = f2l_get(from, "state_maps");
    f2l_layout(out, x, "\nmaps         {reason?not looked for: {reason}\n|}");
    if (f2l_is_known(x, "reason")) return;
    f2l_layout(
        out, x,
        "linear, with a constant, between states after the same words; relative error on "
        "{held_out_states state} to which\n             they were not fitted ({fitted_states} "
        "were): 0 is perfect, 1 is no better than the mean\n");
    f2l_buf_printf(out, "  %-11s  %-11s  %11s  %11s  %11s\n", "learned", "constructed",
                   "learned ->", "-> learned", "directions");
    const f2l_fact list = f2l_get(x, "linear_maps");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact map = f2l_get_item(list, i);
        lay_side(out, map, "learned_layer", "learned_head");
        lay_side(out, map, "constructed_layer", "constructed_head");
        lay_error(out, f2l_get_number(map, "to_constructed"));
        lay_error(out, f2l_get_number(map, "to_learned"));
        f2l_layout(out, map, "  {learned_rank%6s}, {constructed_rank}\n");
    }
}
