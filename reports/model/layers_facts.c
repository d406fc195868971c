#include "reports/model/layers_facts.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include "reports/phrases.h"

#define WORD 40 /* letters of a word that are shown */
#define SUMMARY_WIDTH 100

/* Returns the name of the first state of the caller's automaton in the class. */
static const char *name_of_layers_class(const f2l_fsa *fsa, const uint32_t *class_of, size_t class)
{
    for (size_t q = 0; q < fsa->states.count; q++)
        if (class_of[q] == class) return f2l_names_get(&fsa->states, q);
    return "";
}

static void say_fork(f2l_fact in, const f2l_fork *fork, const f2l_fsa *fsa)
{
    if (!fork->found) {
        f2l_say_null(in, "fork");
        return;
    }
    const f2l_fact out = f2l_say_object(in, "fork");
    const f2l_fact states = f2l_say_list(out, "fork_states");
    const size_t state[] = {fork->s, fork->p, fork->q};
    for (int i = 0; i < 3; i++)
        f2l_say_text(states, NULL, name_of_layers_class(fsa, fork->class_of, state[i]));
    f2l_say_word(out, "reach_word", &fsa->letters, fork->reach.letter, fork->reach.length);
    f2l_say_word(out, "u_word", &fsa->letters, fork->u.letter, fork->u.length);
    f2l_say_word(out, "v_word", &fsa->letters, fork->v.letter, fork->v.length);
    f2l_say_word(out, "apart_word", &fsa->letters, fork->apart.letter, fork->apart.length);
    if (fork->still.length > 0)
        f2l_say_word(out, "still_word", &fsa->letters, fork->still.letter, fork->still.length);
    else
        f2l_say_null(out, "still_word");
}

static void say_band(f2l_fact in, const f2l_band *band, const f2l_fsa *fsa)
{
    if (!band->found) {
        f2l_say_null(in, "band");
        return;
    }
    const f2l_fact out = f2l_say_object(in, "band");
    const f2l_fact states = f2l_say_list(out, "band_states");
    for (int i = 0; i < F2L_BAND_STATES; i++)
        f2l_say_text(states, NULL, name_of_layers_class(fsa, band->class_of, band->state[i]));
    f2l_say_word(out, "reach_word", &fsa->letters, band->reach.letter, band->reach.length);
    f2l_say_word(out, "u_word", &fsa->letters, band->u.letter, band->u.length);
    f2l_say_word(out, "v_word", &fsa->letters, band->v.letter, band->v.length);
    f2l_say_word(out, "apart_word", &fsa->letters, band->apart.letter, band->apart.length);
}

/* Puts the lower bounds, with their scopes. */
static void say_least(f2l_fact out, const f2l_layers *l)
{
    f2l_say_count(out, "layers_at_least", l->least > 0 ? l->least : 1);
    f2l_say_reason(out, "least_by", l->by);
    f2l_say_text(out, "scope", l->least < 2 ? NULL : l->finite ? "finite" : "margin");
    f2l_say_count(out, "margin_at_least", l->margin > 0 ? l->margin : 1);
    f2l_say_reason(out, "margin_by", l->margin_by);
    f2l_say_truth(out, "with_windows", l->windows);
}

/* Returns the number of layers that a theorem shows to be enough where no network with so few was
 * built, 0: none; *by is the theorem. */
static size_t layers_by_theorem(const char **by, const f2l_layers_facts *facts)
{
    const bool one = f2l_layers_one_suffices(facts->layers);
    const size_t known = one ? 1 : facts->enough ? f2l_enough_layers(facts->enough) : 0;
    *by = one ? "OL" : "LL.2";
    return known == 0 || (facts->most > 0 && facts->most <= known) ? 0 : known;
}

/* Puts the fewest layers that are known to do: of the network, or by a theorem. */
static void say_most(f2l_fact out, const f2l_layers_facts *facts)
{
    const char *by;
    const size_t known = layers_by_theorem(&by, facts);
    f2l_say_known(out, "most_layers", known || facts->most > 0, known ? known : facts->most);
    f2l_say_text(out, "most_by", known ? by : facts->most > 0 ? facts->most_by : NULL);
    f2l_say_truth(out, "most_is_built", !known && facts->is_built);
    f2l_say_known(out, "built_layers", facts->is_built, facts->most);
    f2l_say_text(out, "built_by", facts->is_built ? facts->most_by : NULL);
    f2l_say_reason(out, "fewer_by", facts->open);
    f2l_say_text(out, "two_by",
                 !facts->enough || f2l_enough_layers(facts->enough) == 0 ? NULL
                 : f2l_enough_covered(facts->enough)                     ? "group"
                                                                         : "Ash");
}

void f2l_say_layers(f2l_fact in, const f2l_layers_facts *facts)
{
    if (!facts) {
        f2l_say_null(in, "layers_needed");
        return;
    }
    const f2l_layers *l = facts->layers;
    const f2l_fact out = f2l_say_object(in, "layers_needed");
    say_least(out, l);
    say_most(out, facts);
    if (l->band.decided)
        f2l_say_truth(out, "one_suffices", !l->band.found);
    else
        f2l_say_null(out, "one_suffices");
    f2l_say_reason(out, "band_reason", l->band.decided ? "" : l->band.reason);
    say_band(out, &l->band, facts->fsa);
    say_fork(out, &l->fork, facts->fsa);
    f2l_say_known(out, "unsearched_pairs", !l->fork.found, l->fork.unsearched);
    f2l_say_reason(out, "reason", l->fork.reason);
    if (l->arcs.layers > 0) {
        const f2l_fact arcs = f2l_say_list(out, "arc_states");
        for (size_t i = 0; i < l->arcs.states; i++)
            f2l_say_text(arcs, NULL,
                         name_of_layers_class(facts->fsa, l->arcs.class_of, l->arcs.state[i]));
    } else {
        f2l_say_null(out, "arc_states");
    }
}

/* --- text --- */

static void lay_shortened_word(f2l_buf *line, f2l_fact word)
{
    const size_t length = f2l_get_size(word, "");
    f2l_layout_items(line, word, 0, WORD, "{.~}", " ");
    if (length > WORD) f2l_buf_printf(line, " .. (%zu letters)", length);
}

#define FINITE \
    "for exact networks of contractions with finitely many states; a layer with infinitely many " \
    "states, or one that rounds, may do it"

/* Returns what shows that two layers are enough, or three. */
static const char *shown_by(f2l_fact from)
{
    if (!f2l_is(from, "two_by", "group")) return "existence by Ash's theorem";
    return f2l_get_count(from, "most_layers") == 2
               ? "a small first layer and a group show it"
               : "a quotient that fewer layers track and groups show it";
}

/* Appends what shows that these layers are enough, and the network that was built. */
static void lay_built(f2l_buf *line, f2l_fact from)
{
    if (!f2l_is(from, "most_by", "LL.2") || f2l_get_truth(from, "most_is_built")) return;
    f2l_buf_printf(line, "; %s; no network built", shown_by(from));
    f2l_layout(line, from, "{built_layers?, {built_layers layer} by {built_by} were}");
}

static void lay_bounds(f2l_buf *line, f2l_fact from)
{
    const uint64_t least = f2l_get_count(from, "layers_at_least");
    const bool known = f2l_is_known(from, "most_layers");
    if (f2l_is(from, "most_by", "OL") && !f2l_get_truth(from, "most_is_built")) {
        f2l_layout(line, from,
                   "exactly 1: one layer suffices (OL, existence by Ash's theorem; no network "
                   "built){built_layers?; {built_layers layer} by {built_by}"
                   "{fewer_by?; UNKNOWN whether {fewer_by} has fewer}}");
    } else if (known && f2l_get_count(from, "most_layers") == least) {
        f2l_layout(line, from,
                   "exactly {layers_at_least} ({least_by?{least_by}, }{most_by}"
                   "{most_is_built?|, which was not built})");
        lay_built(line, from);
    } else {
        f2l_layout(line, from, "at least {layers_at_least}{least_by? ({least_by})}");
        if (known)
            f2l_layout(line, from,
                       ", at most {most_layers} by {most_by}"
                       "{most_is_built?|, which was not built}");
        if (known && f2l_is(from, "most_by", "LL.2") && !f2l_get_truth(from, "most_is_built"))
            f2l_buf_printf(line, " (%s)", shown_by(from));
        if (known) f2l_layout(line, from, "{fewer_by?; UNKNOWN whether {fewer_by} has fewer}");
    }
    if (f2l_is(from, "scope", "finite")) f2l_buf_text(line, ", " FINITE);
}

/* Appends "u = a b takes s to p, .."; the ways are pairs of places in the list of names. */
static void lay_band_word(f2l_buf *line, f2l_fact band, const char *name, const char *word,
                          const char *ways)
{
    f2l_buf_printf(line, "; %s = ", name);
    lay_shortened_word(line, f2l_get(band, word));
    f2l_buf_printf(line, " %s", ways);
}

static void lay_band(f2l_buf *line, f2l_fact from)
{
    const f2l_fact band = f2l_get(from, "band");
    f2l_buf_text(line, "at least 2 layers (OL.3): the states s, p, r, t, q, t' = ");
    f2l_layout_items(line, f2l_get(band, "band_states"), 0, F2L_BAND_STATES, "{.~}", ", ");
    lay_band_word(line, band, "u", "u_word", "takes s to p, r to t, q to t' and fixes p, t, t'");
    lay_band_word(line, band, "v", "v_word", "takes p to r, s to q and fixes r, q");
    f2l_buf_text(line, "; " FINITE);
}

static void lay_no_band(f2l_buf *line, f2l_fact from)
{
    if (f2l_is_known(from, "one_suffices"))
        f2l_buf_text(line, "efe = fe for all idempotents e and f: one layer suffices (OL)");
    else
        f2l_layout(line, from,
                   "UNKNOWN whether efe = fe for all idempotents{band_reason? ({band_reason})}");
}

static void lay_fork(f2l_buf *line, f2l_fact from)
{
    const f2l_fact fork = f2l_get(from, "fork");
    const f2l_fact states = f2l_get(fork, "fork_states");
    f2l_buf_text(line, "u = ");
    lay_shortened_word(line, f2l_get(fork, "u_word"));
    f2l_buf_text(line, " takes ");
    f2l_layout_items(line, states, 0, 2, "{.~}", " to ");
    f2l_buf_text(line, ", v = ");
    lay_shortened_word(line, f2l_get(fork, "v_word"));
    f2l_buf_text(line, " takes ");
    f2l_layout_items(line, states, 0, 1, "{.~}", "");
    f2l_layout_items(line, states, 2, 3, " to {.~}", "");
    f2l_buf_text(line, ", and both fix ");
    f2l_layout_items(line, states, 1, 3, "{.~}", " and ");
    f2l_buf_text(line, ": one layer does not suffice");
}

static void lay_no_fork(f2l_buf *line, f2l_fact from)
{
    if (f2l_get_count(from, "unsearched_pairs") == 0)
        f2l_buf_text(line, "there is none");
    else
        f2l_layout(line, from,
                   "none was found; not searched: {unsearched_pairs pair}{reason? ({reason})}");
}

static void lay_band_line(f2l_buf *out, f2l_fact needed, size_t indent, size_t width)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_is_known(needed, "band"))
        lay_band(&line, needed);
    else
        lay_no_band(&line, needed);
    f2l_report_line(out, "bands", &line, indent, width);
}

/* Appends the scope of the bound that holds with a margin, where there is one. */
static void lay_margin_scope(f2l_buf *out, f2l_fact needed, size_t indent, size_t width)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_get_count(needed, "margin_at_least") < 2) return;
    if (f2l_is(needed, "scope", "finite"))
        f2l_layout(&line, needed, "at least {margin_at_least} ({margin_by}): this ");
    else
        f2l_buf_text(&line, "the ");
    f2l_layout(&line, needed,
               "bound holds for exact arithmetic, for any n_h, heads, dimensions, gates and "
               "decoders, where letters act as contractions in the Euclidean norm (or another "
               "quadratic one) and words lead to finitely many states, or to bounded states with a "
               "margin; {with_windows?also with|not with} short convolutions; never for a number "
               "format");
    f2l_report_line(out, "scope", &line, indent, width);
}

void f2l_lay_layers(f2l_buf *out, f2l_fact from, size_t indent, size_t width)
{
    f2l_buf line;
    if (!f2l_is_known(from, "layers_needed")) return;
    const f2l_fact needed = f2l_get(from, "layers_needed");
    f2l_buf_init(&line);
    lay_bounds(&line, needed);
    f2l_report_line(out, "layers", &line, indent, width);
    lay_band_line(out, needed, indent, width);
    if (f2l_is_known(needed, "fork"))
        lay_fork(&line, needed);
    else
        lay_no_fork(&line, needed);
    f2l_report_line(out, "fork", &line, indent, width);
    lay_margin_scope(out, needed, indent, width);
}

void f2l_lay_layer_bounds(f2l_buf *out, f2l_fact from, int indent)
{
    f2l_buf line;
    if (!f2l_is_known(from, "layers_needed")) return;
    const f2l_fact needed = f2l_get(from, "layers_needed");
    f2l_buf_init(&line);
    lay_bounds(&line, needed);
    f2l_report_label(out, "layers", indent);
    if (line.failed) out->failed = true;
    f2l_buf_printf(out, "%s%s\n", line.data ? line.data : "",
                   f2l_is(needed, "scope", "margin") ? "; exact, contractions, finitely many states"
                                                     : "");
    f2l_buf_clear(&line);
    if (f2l_is(needed, "least_by", "OL.3"))
        lay_band_line(out, needed, (size_t)indent, SUMMARY_WIDTH);
}
