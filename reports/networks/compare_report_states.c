/* The facts of a comparison that are about states: automaton, representations, maps. */
#include "automata/fsa/perm.h"
#include "reports/networks/compare_parts.h"
#include <string.h>

/* Returns what the clusters are beside the states of the automaton. */
static const char *relation_of(const f2l_extract *x)
{
    const bool refines = x->pairs == x->clusters, merges = x->pairs == x->given_moore.states.count;
    return refines && merges ? "states"
           : refines         ? "parts of states"
           : merges          ? "quotient"
                             : "neither";
}

static const char *verdict_of(const f2l_extract *x)
{
    if (!x->fits) return "unknown";
    if (!x->difference.found) return "equivalent";
    return x->confirmed ? "different" : "unknown";
}

static void say_difference(f2l_fact in, const f2l_extract *x, const f2l_data *data)
{
    const f2l_difference *d = &x->difference;
    f2l_say_text(in, "network_answer", d->found ? f2l_names_get(&data->labels, x->answer) : NULL);
    if (!d->found) {
        f2l_say_null(in, "difference");
        return;
    }
    f2l_fact one = f2l_say_object(in, "difference");
    f2l_say_word(one, "word", &x->given.letters, d->word, d->letters);
    f2l_fact pair = f2l_say_list(one, "label_pair");
    f2l_say_text(pair, NULL, d->label[0]);
    f2l_say_text(pair, NULL, d->label[1]);
}

static void say_clusters(f2l_fact in, const f2l_extract *x)
{
    const bool found = x->clusters > 0;
    f2l_say_text(in, "seen_in", !found ? NULL : x->view == F2L_VIEW_STATES ? "states" : "logits");
    f2l_say_known(in, "sample_clusters", found, x->gap.clusters);
    f2l_say_known(in, "gap_directions", found, x->gap.directions);
    f2l_say_number(in, "gap_within", found ? x->gap.within : NAN);
    f2l_say_number(in, "gap_between", found ? x->gap.between : NAN);
    f2l_say_number(in, "merged_below", found ? f2l_gap_radius(&x->gap) : NAN);
    f2l_say_known(in, "state_clusters", found, x->clusters);
    f2l_say_known(in, "sample_transitions", found, x->steps);
    f2l_say_known(in, "other_states", found, x->other_state);
    f2l_say_known(in, "other_answers", found, x->other_answer);
    f2l_say_text(in, "clusters_are", found ? relation_of(x) : NULL);
    f2l_fact with = f2l_say_list(in, "with_start");
    for (size_t i = 0; i < x->with_starts; i++)
        f2l_say_text(with, NULL,
                     f2l_fsa_label(&x->given_moore, F2L_LABEL_OUTPUTS, x->with_start[i]));
}

/* Puts the wrong answers of the sample, and a short word that is answered wrongly. */
static void say_wrong(f2l_fact in, const f2l_extract *x)
{
    f2l_say_count(in, "sample_wrong", x->wrong);
    if (x->wrong_letters > 0)
        f2l_say_word(in, "wrong_word", &x->given.letters, x->wrong_word, x->wrong_letters);
    else
        f2l_say_null(in, "wrong_word");
}

void f2l_compare_say_extraction(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_extract *x = r->extract;
    const f2l_learned_sample *s = r->sample;
    f2l_fact one = f2l_say_object(in, "extraction");
    f2l_say_text(one, "reason", s == NULL ? r->no_maps : x->reason[0] ? x->reason : NULL);
    f2l_say_text(one, "extracted_is", s == NULL ? "unknown" : verdict_of(x));
    if (s == NULL) return;
    f2l_say_count(one, "sample_words", s->words);
    f2l_say_count(one, "sample_length", s->length);
    f2l_say_count(one, "sample_states", s->states);
    say_clusters(one, x);
    f2l_say_known(one, "extracted_states", x->fits, x->moore.states.count);
    f2l_say_count(one, "given_states", x->given_moore.states.count);
    say_wrong(one, x);
    say_difference(one, x, r->learned->data);
}

/* --- representations --- */

static void say_irrep(f2l_fact list, const f2l_compare_report *r, size_t irrep)
{
    const f2l_learned_irreps *x = r->irreps, *c = r->constructed_irreps;
    const f2l_real_irrep *i = &x->least.irrep[irrep];
    f2l_fact one = f2l_say_object(list, NULL);
    bool chosen = false;
    for (size_t h = 0; h < x->least.heads; h++) chosen = chosen || x->least.head[h] == irrep;
    f2l_say_count(one, "dimension", i->dimension);
    f2l_say_integer(one, "indicator", x->characters.indicator[i->character]);
    f2l_say_count(one, "most_factors", i->most);
    f2l_say_truth(one, "least_choice", chosen);
    f2l_say_truth(one, "learned", x->learned[irrep]);
    f2l_say_number(one, "constructed_share",
                   c != NULL && c->why_none == NULL ? c->share[(c->parts - 1) * c->irreps + irrep]
                                                    : NAN);
    f2l_fact share = f2l_say_list(one, "state_shares"), ratio = f2l_say_list(one, "share_ratios");
    for (size_t p = 0; p < x->parts; p++) {
        f2l_say_number(share, NULL, x->share[p * x->irreps + irrep]);
        f2l_say_number(ratio, NULL, x->ratio[p * x->irreps + irrep]);
    }
}

void f2l_compare_say_irreps(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_learned_irreps *x = r->irreps;
    f2l_fact one = f2l_say_object(in, "learned_irreps");
    const char *why = r->sample == NULL ? r->no_maps : x->why_none;
    f2l_say_text(one, "reason", why);
    if (why != NULL) return;
    f2l_say_count(one, "order", x->group.order);
    f2l_fact list = f2l_say_list(one, "irrep_shares");
    for (size_t i = 0; i < x->irreps; i++) say_irrep(list, r, i);
    f2l_say_numbers(one, "explained_share", x->between, x->parts);
    f2l_say_count(one, "learned_dimension", x->dimension);
    f2l_say_count(one, "learned_factors", x->most);
    f2l_say_count(one, "common_kernel", x->kernel);
    f2l_say_count(one, "least_total_dimension", x->least.dimension);
    f2l_say_count(one, "least_factors", x->least.minimum);
    f2l_say_truth(one, "is_least", x->is_least);
}

/* --- maps --- */

/* Puts the number of a head from 1 on; null for all heads together. */
static void say_part(f2l_fact in, const char *layer, const char *head, const f2l_learned_part *part,
                     size_t i, size_t parts)
{
    f2l_say_known(in, layer, i < parts, i < parts ? part[i].layer + 1 : 0);
    const bool known = i < parts && part[i].head != F2L_NO_INDEX;
    f2l_say_known(in, head, known, known ? part[i].head + 1 : 0);
}

static void say_map(f2l_fact list, const f2l_compare_report *r, size_t learned, size_t constructed)
{
    const f2l_state_maps *m = r->maps;
    const f2l_state_map *to = &m->to_constructed[learned * m->constructed + constructed],
                        *back = &m->to_learned[constructed * m->learned + learned];
    f2l_fact one = f2l_say_object(list, NULL);
    say_part(one, "learned_layer", "learned_head", r->reader->part, learned, r->reader->parts);
    say_part(one, "constructed_layer", "constructed_head", r->exact->part, constructed,
             r->exact->parts);
    f2l_say_count(one, "learned_rank", m->learned_rank[learned]);
    f2l_say_count(one, "constructed_rank", m->constructed_rank[constructed]);
    f2l_say_number(one, "to_constructed_fitted", to->fitted);
    f2l_say_number(one, "to_constructed", to->held_out);
    f2l_say_number(one, "to_learned_fitted", back->fitted);
    f2l_say_number(one, "to_learned", back->held_out);
}

void f2l_compare_say_maps(f2l_fact in, const f2l_compare_report *r)
{
    const f2l_state_maps *m = r->maps;
    f2l_fact one = f2l_say_object(in, "state_maps");
    f2l_say_text(one, "reason", m == NULL ? r->no_maps : NULL);
    if (m == NULL) return;
    f2l_say_number(one, "threshold", r->threshold);
    f2l_say_count(one, "fitted_states", m->states);
    f2l_say_count(one, "held_out_states", m->held_out);
    f2l_fact list = f2l_say_list(one, "linear_maps");
    /* All heads together, which are the last part, are not said again where there is one head. */
    const size_t learned = m->learned - (m->learned == 2),
                 constructed = m->constructed - (m->constructed == 2);
    for (size_t i = 0; i < learned; i++)
        for (size_t k = 0; k < constructed; k++) say_map(list, r, i, k);
}
