#include "reports/html/compare_part.h"
#include "reports/html/run_part.h"
#include "reports/html/study_part.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Appends the letters of a list, separated by spaces. */
static void put_compare_word(f2l_buf *out, const json_t *in, const char *list)
{
    for (size_t i = 0; i < f2l_record_size(in, list); i++)
        f2l_buf_printf(out, "%s%s", i > 0 ? " " : "",
                       json_string_value(f2l_record_item(in, list, i)));
}

/* Says which states of the given automaton the network does not tell apart, and a word that it
 * answers wrongly. */
static void say_fault(f2l_page *page, const json_t *found)
{
    f2l_buf text;
    f2l_buf_init(&text);
    if (strcmp(f2l_record_text(found, "clusters_are"), "quotient") == 0) {
        put_compare_word(&text, found, "with_start");
        f2l_page_say(page,
                     "The clusters of its states are a quotient of the automaton: with the start "
                     "they merge %s.",
                     text.data ? text.data : "");
    }
    f2l_buf_clear(&text);
    if (f2l_record_size(found, "wrong_word") > 0) {
        put_compare_word(&text, found, "wrong_word");
        f2l_page_say(page, "A word that the trained network answers wrongly: %s.",
                     text.data ? text.data : "");
    }
    f2l_buf_clear(&text);
}

/* Says what the automaton of the learned states is beside the given one. */
static void say_extraction(f2l_page *page, const json_t *found)
{
    const char *is = f2l_record_text(found, "extracted_is"),
               *reason = f2l_record_text(found, "reason");
    const size_t states = f2l_record_count(found, "extracted_states");
    f2l_page_heading(page, "The automaton of the learned states");
    if (strcmp(is, "equivalent") == 0)
        f2l_page_say(page,
                     "It has %zu states and is equivalent to the given automaton, as far as the "
                     "sampled words show: this is an observation, not a proof.",
                     states);
    else if (strcmp(is, "different") == 0)
        f2l_page_say(page, "It has %zu states and differs from the given automaton.", states);
    else
        f2l_page_say(page, "UNKNOWN: %s.",
                     reason[0] ? reason : "the answers are no function of the clusters of states");
    say_fault(page, found);
}

static f2l_status put_compare_accuracy(f2l_page *page, const json_t *record, f2l_error *err)
{
    f2l_chart chart;
    f2l_chart_init_accuracy(&chart, "Both networks on the same words, by length");
    f2l_chart_scores(&chart, "constructed", true, record, "constructed_scores");
    f2l_chart_scores(&chart, "trained", false, record, "scores");
    f2l_chart_kinds(&chart, record, "scores");
    const f2l_status status = f2l_chart_draw(page, &chart, err);
    f2l_chart_clear(&chart);
    return status;
}

/* Appends a cell with a number, empty where it is missing. */
static void put_number_cell(f2l_page *page, const json_t *in, const char *name)
{
    const double x = f2l_record_number(in, name);
    if (isfinite(x))
        f2l_page_cell(page, "%.3g", x);
    else
        f2l_page_cell(page, "%s", "");
}

static void put_irreps(f2l_page *page, const json_t *irreps)
{
    static const char *const titles[] = {"representation", "dimension", "learned",
                                         "least choice",   "factors",   NULL};
    const size_t count = f2l_record_size(irreps, "irrep_shares");
    if (count == 0) return;
    f2l_page_table(page, "Irreducible representations of the group", titles);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = f2l_record_item(irreps, "irrep_shares", i);
        f2l_page_row(page);
        f2l_page_cell(page, "chi%zu", i + 1);
        f2l_page_cell(page, "%zu", f2l_record_count(one, "dimension"));
        f2l_page_cell(page, "%s", f2l_record_truth(one, "learned") ? "yes" : "no");
        f2l_page_cell(page, "%s", f2l_record_truth(one, "least_choice") ? "yes" : "no");
        put_number_cell(page, one, "most_factors");
    }
    f2l_page_table_end(page);
}

/* Writes where a map goes from or to: a head, or all heads together. */
static void put_head_cell(f2l_page *page, const json_t *map, const char *head)
{
    if (f2l_record_get(map, head))
        f2l_page_cell(page, "head %zu", f2l_record_count(map, head));
    else
        f2l_page_cell(page, "all heads");
}

static void put_maps(f2l_page *page, const json_t *maps)
{
    static const char *const titles[] = {"trained", "constructed", "error to the constructed",
                                         "error to the trained", NULL};
    const size_t count = f2l_record_size(maps, "linear_maps");
    if (count == 0) return;
    f2l_page_table(page, "Linear maps between the states, on states that they were not fitted to",
                   titles);
    for (size_t i = 0; i < count; i++) {
        const json_t *map = f2l_record_item(maps, "linear_maps", i);
        f2l_page_row(page);
        put_head_cell(page, map, "learned_head");
        put_head_cell(page, map, "constructed_head");
        put_number_cell(page, map, "to_constructed");
        put_number_cell(page, map, "to_learned");
    }
    f2l_page_table_end(page);
}

f2l_status f2l_compare_part(f2l_page *page, const json_t *record, f2l_error *err)
{
    f2l_page_section(page, "compare", "Learned beside constructed");
    const json_t *found = f2l_record_get(record, "extraction");
    if (!found) {
        f2l_page_record(page, record, "Learned beside constructed");
        return F2L_OK;
    }
    say_extraction(page, found);
    const f2l_status status = put_compare_accuracy(page, record, err);
    put_irreps(page, f2l_record_get(record, "learned_irreps"));
    put_maps(page, f2l_record_get(record, "state_maps"));
    return status;
}
