/* Lower bounds on the layers beside the networks of the compiler: no network that is verified
 * exactly has fewer layers than a bound (theory/pages/layers.md), and a bound of two or more by
 * tied sets goes with a fork.
 *
 * Without arguments: 100 random automata of 3 to 5 states and 2 or 3 letters, with all
 * constructions and with the diagonal ones in [0,1]. With arguments:
 *
 *     p_bound random N                     as many automata
 *     p_bound certificate fork|band|arcs|depth|separation|stack LABEL <AUTOMATON
 *                                          prints the certificate, or nothing where there is none;
 *                                          for bound_mutate.py and bounds_meet_networks.py */
#include "automata/family/family.h"
#include "automata/fsa/nfa.h"
#include "theory/compile/compile.h"
#include "theory/construct/construction.h"
#include "theory/construct/stack/stack.h"
#include "theory/obstruct/enough/enough.h"
#include "theory/obstruct/layers/layers.h"
#include "theory/obstruct/separation/one_layer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUTOMATA 100
#define MOST_STATES 8

typedef struct totals {
    f2l_stack_lists first_layers;
    size_t passed, failed, networks, several, exact;
    size_t built[MOST_STATES], met[MOST_STATES]; /* by number of states: automata with a network,
                                                    and those whose bound is met */
} totals;

/* Compiles the automaton for the target. Sets *least to the fewest layers of its networks with
 * finitely many states so far, and returns whether none has fewer than its bound. */
static bool compile(size_t *least, totals *t, const f2l_fsa *fsa, f2l_compile_target target,
                    const f2l_layers *bounds, f2l_error *err)
{
    const f2l_compile_options options = {.label = F2L_LABEL_STATES,
                                         .target = target,
                                         .gated = true,
                                         .merge_letters = true,
                                         .all = true,
                                         .schedule = f2l_schedule_find("every"),
                                         .first_layers = &t->first_layers,
                                         .effort = 100 * F2L_STEPS};
    f2l_compile_result r;
    bool good = true;
    f2l_compile_result_init(&r);
    const f2l_status status = f2l_compile(&r, fsa, &options, NULL, err);
    for (size_t i = 0; status == F2L_OK && i < r.entries; i++) {
        const f2l_compile_entry *e = &r.entry[i];
        if (e->outcome != F2L_COMPILE_BUILT || e->exact != F2L_OK) continue;
        t->networks++;
        const bool finite = e->states == F2L_COMPILE_STATES_FINITE;
        if (finite && e->figures.layers < *least) *least = e->figures.layers;
        if (e->figures.layers >= (finite ? bounds->least : bounds->margin)) continue;
        good = false;
        printf("FAILED: %s %s has %zu layers\n", e->theorem, e->variant, e->figures.layers);
    }
    f2l_compile_result_clear(&r);
    return good && (status == F2L_OK || status == F2L_EDOMAIN);
}

/* Returns whether the bounds agree with one another and with the networks. */
static bool agree(totals *t, const f2l_fsa *fsa, f2l_error *err)
{
    f2l_layers l;
    size_t least = SIZE_MAX;
    const size_t n = fsa->states.count;
    f2l_layers_init(&l);
    bool good = f2l_layers_find(&l, fsa, F2L_LABEL_STATES, NULL, NULL, err) == F2L_OK;
    good = good && l.fork.unsearched == 0 && l.tied.complete &&
           l.fork.found == (l.tied.layers >= 2) && l.arcs.layers <= l.tied.layers &&
           l.band.decided && l.band.found == (l.least >= 2);
    good = good && compile(&least, t, fsa, F2L_COMPILE_ANY, &l, err) &&
           compile(&least, t, fsa, F2L_COMPILE_POSITIVE, &l, err);
    if (least != SIZE_MAX && n < MOST_STATES) {
        t->built[n]++;
        t->met[n] += least == l.least || (l.least == 0 && least == 1);
    }
    t->several += l.least > 1;
    t->exact += l.least > 1 && least == l.least;
    f2l_layers_clear(&l);
    return good;
}

static void one(totals *t, uint64_t seed)
{
    f2l_fsa fsa;
    f2l_error err = {0};
    size_t dropped;
    const uint64_t number[] = {3 + seed % 3, 2 + seed / 3 % 2, seed};
    f2l_fsa_init(&fsa);
    bool good = f2l_family_build(&fsa, "random", number, 3, false, &err) == F2L_OK &&
                f2l_fsa_trim(&fsa, &dropped, &err) == F2L_OK;
    good = good && agree(t, &fsa, &err);
    f2l_fsa_clear(&fsa);
    t->passed += good;
    t->failed += !good;
    if (!good)
        printf("FAILED: random %u %u %u: %s\n", (unsigned)number[0], (unsigned)number[1],
               (unsigned)seed, err.text);
}

static int random_automata(size_t automata)
{
    totals t = {.passed = 0};
    for (uint64_t seed = 1; seed <= automata; seed++) one(&t, seed);
    f2l_stack_lists_clear(&t.first_layers);
    printf("%zu automata, %zu networks; bound above 1: %zu, %zu of them met\n", automata,
           t.networks, t.several, t.exact);
    for (size_t n = 1; n < MOST_STATES; n++)
        if (t.built[n]) printf("%zu states: bound met by %zu of %zu\n", n, t.met[n], t.built[n]);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed > 0 || t.exact == 0;
}

/* --- certificates --- */

static f2l_status write_kind(f2l_buf *out, const f2l_layers *l, const char *kind,
                             const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    if (strcmp(kind, "fork") == 0)
        return l->fork.found ? f2l_fork_certificate(out, &l->fork, fsa, label, err) : F2L_OK;
    if (strcmp(kind, "arcs") == 0)
        return l->arcs.layers > 0 ? f2l_arcs_certificate(out, &l->arcs, fsa, label, err) : F2L_OK;
    if (strcmp(kind, "band") == 0)
        return l->band.found ? f2l_band_certificate(out, &l->band, fsa, label, err) : F2L_OK;
    const f2l_tied *tied = l->tied_band.layers > l->tied.layers ? &l->tied_band : &l->tied;
    return tied->stages > 0 ? f2l_tied_certificate(out, tied, fsa, label, err) : F2L_OK;
}

static f2l_status write_stack(f2l_buf *out, const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    f2l_enough enough;
    f2l_enough_init(&enough);
    f2l_status status = f2l_enough_find(&enough, NULL, fsa, label, 2, NULL, err);
    if (status == F2L_OK && f2l_enough_covered(&enough))
        status = f2l_enough_certificate(out, &enough, fsa, label, err);
    f2l_enough_clear(&enough);
    return status;
}

static f2l_status write_certificate(f2l_buf *out, const char *kind, const f2l_fsa *fsa,
                                    f2l_label label, f2l_error *err)
{
    f2l_layers l;
    f2l_one_layer one;
    if (strcmp(kind, "stack") == 0) return write_stack(out, fsa, label, err);
    f2l_layers_init(&l);
    f2l_one_layer_init(&one);
    const bool of_layers = strcmp(kind, "separation") != 0;
    f2l_status status = of_layers ? f2l_layers_find(&l, fsa, label, NULL, NULL, err)
                                  : f2l_one_layer_find(&one, fsa, label, NULL, NULL, err);
    if (status == F2L_OK && of_layers) status = write_kind(out, &l, kind, fsa, label, err);
    if (status == F2L_OK && one.separation.verdict == F2L_SEPARATION_INFEASIBLE)
        status = f2l_one_layer_certificate(out, &one, fsa, label, err);
    f2l_layers_clear(&l);
    f2l_one_layer_clear(&one);
    return status;
}

static f2l_label label_named(const char *name)
{
    f2l_label label = F2L_LABEL_STATES;
    while (label < F2L_LABEL_EDGES && strcmp(f2l_label_name(label), name) != 0) label++;
    return label;
}

static int print_certificate(const char *kind, const char *label)
{
    f2l_buf text, out;
    f2l_nfa nfa;
    f2l_fsa fsa;
    f2l_total_report report;
    f2l_error err = {0};
    const f2l_total_options options = {0};
    f2l_buf_init(&text);
    f2l_buf_init(&out);
    f2l_nfa_init(&nfa);
    f2l_fsa_init(&fsa);
    f2l_status status = f2l_read_file(&text, "-", 0, &err);
    if (status == F2L_OK) status = f2l_fsa_read(&nfa, text.data, text.size, 0, NULL, &err);
    if (status == F2L_OK) status = f2l_nfa_total(&fsa, &report, &nfa, &options, NULL, &err);
    if (status == F2L_OK) status = write_certificate(&out, kind, &fsa, label_named(label), &err);
    if (status == F2L_OK && out.size > 0) fwrite(out.data, 1, out.size, stdout);
    if (status != F2L_OK) fprintf(stderr, "p_bound: %s\n", err.text);
    f2l_fsa_clear(&fsa);
    f2l_nfa_clear(&nfa);
    f2l_buf_clear(&out);
    f2l_buf_clear(&text);
    return status != F2L_OK;
}

int main(int count, char **argument)
{
    if (count == 4 && strcmp(argument[1], "certificate") == 0)
        return print_certificate(argument[2], argument[3]);
    if (count == 3 && strcmp(argument[1], "random") == 0)
        return random_automata(strtoul(argument[2], NULL, 10));
    return random_automata(AUTOMATA);
}
