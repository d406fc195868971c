/* The finer classes, one after another. */
#include "theory/obstruct/finer/impl.h"
#include <stdio.h>

#define TWO_LAYERS \
    "two layers with finitely many exact states: a register of the last letters, and above it " \
    "cells for the first ones"
#define COUNTED \
    "the register and cells of two layers, and for each window a count up to a threshold, a " \
    "layer for each step of it (FC.15)"
#define CHAINED \
    "a register of the last letters, and above it flags that are only ever set, a layer for each " \
    "letter of the factors that follow one another (FC.17)"
#define ON_TIER "; the letters that keep every state move nothing (FC.13)"

const f2l_finer_kind f2l_finer_kinds[F2L_FINER_CLASSES] = {
    [F2L_FINER_DEFINITE] = {"definite", "definite", "FC.1",
                            "one layer: a register of the last k letters (K)"},
    [F2L_FINER_REVERSE] = {"reverse-definite", "reverse definite", "FC.2", TWO_LAYERS " (FC.10)"},
    [F2L_FINER_GENERALISED] = {"generalised-definite", "generalised definite", "FC.3",
                               TWO_LAYERS " (FC.10)"},
    [F2L_FINER_LOCAL] = {"locally-testable", "locally testable", "FC.4",
                         TWO_LAYERS ", and a flag for each window of letters (FC.11)"},
    [F2L_FINER_THRESHOLD] = {"locally-threshold-testable", "locally threshold testable",
                             "FC.14, FC.16", COUNTED},
    [F2L_FINER_DEPTH] = {"dot-depth-one", "of dot-depth one (piecewise locally testable)", "FC.16",
                         CHAINED},
    [F2L_FINER_TIER_DEFINITE] = {"tier-definite", "definite on its tier", "FC.1, FC.13",
                                 "one layer: a register of the last k letters (K)" ON_TIER},
    [F2L_FINER_TIER_REVERSE] = {"tier-reverse-definite", "reverse definite on its tier",
                                "FC.2, FC.13", TWO_LAYERS " (FC.10)" ON_TIER},
    [F2L_FINER_TIER_GENERALISED] = {"tier-generalised-definite", "generalised definite on its tier",
                                    "FC.3, FC.13", TWO_LAYERS " (FC.10)" ON_TIER},
    [F2L_FINER_TIER_LOCAL] = {"tier-locally-testable", "locally testable on its tier",
                              "FC.4, FC.13",
                              TWO_LAYERS ", and a flag for each window of letters (FC.11)" ON_TIER},
    [F2L_FINER_TIER_THRESHOLD] = {"tier-locally-threshold-testable",
                                  "locally threshold testable on its tier", "FC.14, FC.16, FC.13",
                                  COUNTED ON_TIER},
    [F2L_FINER_TIER_DEPTH] = {"tier-dot-depth-one", "of dot-depth one on its tier", "FC.16, FC.13",
                              CHAINED ON_TIER},
    [F2L_FINER_J] = {"j-trivial", "J-trivial (piecewise testable)", "FC.5",
                     "flags that are only ever set, as many layers as the longest subword has "
                     "letters (PT); one layer with a margin and infinitely many states (M.2)"},
    [F2L_FINER_R] = {"r-trivial", "R-trivial", "FC.6",
                     "resets in a known order: two layers for each change of state on the longest "
                     "path, with finitely many exact states (FC.12)"},
    [F2L_FINER_L] = {"l-trivial", "L-trivial", "FC.7",
                     "one layer with a margin and infinitely many states, beta = 1 alone (M.2)"},
    [F2L_FINER_DA] = {"da", "DA (two variables)", "FC.8",
                      "no more than star-free by any statement here"},
    [F2L_FINER_STAR_FREE] = {"star-free", "star-free (aperiodic)", "L.1, L.14",
                             "no reflections: each layer's betas are in [0, 1], as many layers as "
                             "the cascade has levels, infinitely many states (L.8)"}};

void f2l_finer_init(f2l_finer *finer)
{
    *finer = (f2l_finer){0};
    for (size_t i = 0; i < F2L_FINER_CLASSES; i++) finer->row[i].member = F2L_TERNARY_UNKNOWN;
}

void f2l_finer_clear(f2l_finer *finer)
{
    for (size_t i = 0; i < F2L_FINER_CLASSES; i++)
        for (size_t j = 0; j < F2L_FINER_WORDS; j++) f2l_word_clear(&finer->row[i].witness.word[j]);
    f2l_finer_init(finer);
}

static f2l_status copy_witness(f2l_finer_row *to, const f2l_finer_row *from, f2l_error *err)
{
    f2l_status status = F2L_OK;
    to->witness.first = from->witness.first;
    to->witness.second = from->witness.second;
    to->witness.p = from->witness.p;
    to->witness.q = from->witness.q;
    for (size_t i = 0; i < F2L_FINER_WORDS && status == F2L_OK; i++)
        status = f2l_finer_append(&to->witness.word[i], &from->witness.word[i], err);
    return status;
}

/* --- the rows --- */

/* Sets four rows, from `row` on, for all letters or those that are not neutral. */
static f2l_status find_local_rows(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    f2l_status status = f2l_finer_definite(&row[F2L_FINER_DEFINITE], s, err);
    if (status == F2L_OK) status = f2l_finer_reverse(&row[F2L_FINER_REVERSE], s, err);
    if (status == F2L_OK) status = f2l_finer_generalised(&row[F2L_FINER_GENERALISED], s, err);
    return status == F2L_OK ? f2l_finer_local(&row[F2L_FINER_LOCAL], s, err) : status;
}

/* J-trivial is both R-trivial and L-trivial; DA has both. */
static f2l_status find_order_rows(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    f2l_finer_row *j = &row[F2L_FINER_J], *r = &row[F2L_FINER_R], *l = &row[F2L_FINER_L];
    f2l_status status = f2l_finer_r(r, s, err);
    if (status == F2L_OK && r->member == F2L_TERNARY_YES)
        row[F2L_FINER_DA].member = F2L_TERNARY_YES;
    if (status == F2L_OK) status = f2l_finer_contents(l, &row[F2L_FINER_DA], s, err);
    const f2l_finer_row *no = r->member == F2L_TERNARY_NO   ? r
                              : l->member == F2L_TERNARY_NO ? l
                                                            : NULL;
    if (no) {
        j->member = F2L_TERNARY_NO;
        const f2l_status copied = copy_witness(j, no, err);
        return status == F2L_OK ? copied : status;
    }
    if (status == F2L_OK) j->member = F2L_TERNARY_YES;
    return status;
}

/* Takes what classify knows: whether the automaton is star-free, and of which k it is definite. */
static f2l_status take_known(f2l_finer *out, const f2l_classify *c, f2l_error *err)
{
    f2l_finer_row *free = &out->row[F2L_FINER_STAR_FREE];
    f2l_finer_witness *w = &free->witness;
    const f2l_word word = {.letter = c->any.letter, .length = c->any.length};
    out->neutral = f2l_finer_neutral(c->fsa);
    free->member = c->aperiodic;
    if (c->aperiodic != F2L_TERNARY_NO || !word.length ||
        word.length * c->any.period > F2L_FINER_MOST_LETTERS)
        return F2L_OK;
    const uint32_t start = (uint32_t)c->fsa->start;
    f2l_tuples search = {.fsa = c->fsa, .size = 1, .ends = f2l_tuples_at_target};
    bool found = true;
    search.target[0] = c->any.state[0];
    w->first = "u w^n";
    w->second = "u w^n x";
    f2l_status status = F2L_OK;
    if (start != c->any.state[0])
        status = f2l_tuples_find(&w->word[F2L_FINER_U], &found, &search, &start, NULL, err);
    if (status == F2L_OK && !found)
        status = f2l_fail(err, F2L_EDOMAIN, "a word of a pattern was not found");
    if (status == F2L_OK) status = f2l_finer_append(&w->word[F2L_FINER_X], &word, err);
    if (status == F2L_OK)
        status = f2l_finer_copy_word(&w->word[F2L_FINER_W], &word, c->any.period, err);
    return status == F2L_OK ? f2l_finer_settle(w, c->fsa, err) : status;
}

/* Sets the row to an answer that another row gives, with its words where it is no. */
static f2l_status take_answer(f2l_finer_row *row, const f2l_finer_row *from, f2l_error *err)
{
    row->member = from->member;
    return from->member == F2L_TERNARY_NO ? copy_witness(row, from, err) : F2L_OK;
}

/* Sets the row of dot-depth one, for all letters or for the letters of the tier. Locally testable
 * and J-trivial automata are of dot-depth one, and others than aperiodic ones are not. */
static f2l_status find_depth_row(f2l_finer *out, size_t first, finer_search *s, f2l_error *err)
{
    f2l_finer_row *row = &out->row[first + F2L_FINER_DEPTH];
    const size_t inside[] = {first + F2L_FINER_LOCAL, F2L_FINER_J, F2L_FINER_DEPTH};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (out->row[inside[i]].member == F2L_TERNARY_YES) {
            row->member = F2L_TERNARY_YES;
            return F2L_OK;
        }
    const f2l_finer_row *free = &out->row[F2L_FINER_STAR_FREE];
    if (free->member == F2L_TERNARY_NO) return take_answer(row, free, err);
    return f2l_finer_depth(row, s, err);
}

/* Sets the row of locally threshold testable: locally testable automata are, and automata
 * outside of dot-depth one are not (FC.16). */
static f2l_status find_threshold_row(f2l_finer *out, size_t first, const finer_search *s,
                                     f2l_error *err)
{
    f2l_finer_row *row = &out->row[first + F2L_FINER_THRESHOLD];
    const f2l_finer_row *local = &out->row[first + F2L_FINER_LOCAL],
                        *depth = &out->row[first + F2L_FINER_DEPTH];
    if (local->member == F2L_TERNARY_YES) return take_answer(row, local, err);
    if (depth->member == F2L_TERNARY_NO) return take_answer(row, depth, err);
    return depth->member == F2L_TERNARY_YES ? f2l_finer_threshold(row, s, err) : F2L_OK;
}

/* Without neutral letters the rows of the tier are the rows of all letters. */
static f2l_status copy_tier_rows(f2l_finer_row *row, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = F2L_FINER_DEFINITE; i <= F2L_FINER_DEPTH && status == F2L_OK; i++) {
        row[F2L_FINER_TIER_DEFINITE + i].order = row[i].order;
        status = take_answer(&row[F2L_FINER_TIER_DEFINITE + i], &row[i], err);
    }
    return status;
}

/* Sets the rows, those that may take long last; `part` has the letters of the tier. */
static f2l_status find_rows(f2l_finer *out, const f2l_classify *c, finer_search *s,
                            finer_search *part, f2l_error *err)
{
    const f2l_task *task = s->meter.task;
    const size_t tier = F2L_FINER_TIER_DEFINITE;
    f2l_status status = find_local_rows(out->row, s, err);
    if (c->definite && out->row[F2L_FINER_DEFINITE].member == F2L_TERNARY_YES)
        out->row[F2L_FINER_DEFINITE].order = c->k;
    if (status == F2L_OK && out->neutral)
        status = f2l_finer_search_init(part, c->fsa, false, task, err);
    if (status == F2L_OK && out->neutral) status = find_local_rows(out->row + tier, part, err);
    if (status == F2L_OK) status = find_order_rows(out->row, s, err);
    if (status == F2L_OK) status = find_depth_row(out, 0, s, err);
    if (status == F2L_OK && out->neutral) status = find_depth_row(out, tier, part, err);
    if (status != F2L_OK) return status;
    status = find_threshold_row(out, 0, s, err);
    if (!out->neutral || (status != F2L_OK && status != F2L_UNKNOWN)) return status;
    f2l_error why = {0};
    const f2l_status again = find_threshold_row(out, tier, part, &why);
    if (again != F2L_OK && err) *err = why;
    return again == F2L_OK ? status : again;
}

f2l_status f2l_finer_find(f2l_finer *out, const f2l_classify *c, const f2l_task *task,
                          f2l_error *err)
{
    finer_search s = {0}, part = {0};
    f2l_error why = {0}, copied = {0};
    f2l_finer_clear(out);
    f2l_status status = take_known(out, c, &why);
    if (status == F2L_OK) status = f2l_finer_search_init(&s, c->fsa, true, task, &why);
    if (status == F2L_OK) status = find_rows(out, c, &s, &part, &why);
    f2l_finer_search_clear(&s);
    f2l_finer_search_clear(&part);
    if (status == F2L_UNKNOWN) snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
    if ((status == F2L_OK || status == F2L_UNKNOWN) && !out->neutral) {
        const f2l_status tier = copy_tier_rows(out->row, &copied);
        if (tier != F2L_OK) {
            status = tier;
            why = copied;
        }
    }
    if (status != F2L_OK && status != F2L_UNKNOWN) {
        if (err) *err = why;
        f2l_finer_clear(out);
        return status;
    }
    return F2L_OK;
}
