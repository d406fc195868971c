/* OL as a construction: slots on a cover. */
#include "automata/fsa/fsa.h"
#include "numeric/base/mem.h"
#include "theory/construct/construction.h"
#include "theory/construct/orbits/orbits.h"
#include "theory/obstruct/bands/bands.h"
#include <stdio.h>
#include <string.h>

#define BAND_STEPS ((uint64_t)20 * F2L_STEPS)
#define MOST_STEPS ((uint64_t)400 * F2L_STEPS)

/* What the rows share: the automaton as a graph of one vertex, its maps, and the slots. */
typedef struct found {
    bool good, known; /* efe = fe for all idempotents; the slots are found */
    f2l_orbits_graph graph;
    uint32_t *below, *target;
    uint32_t *symbol; /* [targets] labels */
    f2l_names labels;
    f2l_orbits_maps maps;
    f2l_orbits orbits;
} found;

typedef struct detail {
    size_t slots, degree, order;
} detail;

static void clear_found_orbits(void *data)
{
    found *f = data;
    f2l_free(f->below);
    f2l_free(f->target);
    f2l_free(f->symbol);
    f2l_names_clear(&f->labels);
    f2l_orbits_maps_clear(&f->maps);
    f2l_orbits_clear(&f->orbits);
}

static const f2l_shared_kind kind = {sizeof(found), clear_found_orbits};

/* Returns the automaton whose labels the layer gives: with labels `edges` the quotient itself. */
static const f2l_fsa *tracked_automaton(const f2l_construct_job *job)
{
    return job->options->label == F2L_LABEL_EDGES ? &job->quotient->fsa : job->subject;
}

static f2l_status orbits_apply(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states, so T3 applies");
    if (job->options->least_layers > 1)
        return f2l_fail(err, F2L_EDOMAIN, "it has one layer, and at least %zu are needed",
                        job->options->least_layers);
    if (tracked_automaton(job)->states.count < 2)
        return f2l_fail(err, F2L_EDOMAIN, "it has one state");
    return F2L_OK;
}

static void set_least_orbits(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = 1,
                                 .householders = 1,
                                 .factors_per_token = 1,
                                 .key_dim = 1,
                                 .states = 1,
                                 .table_entries = 2};
    if (!f || !f->known || job->variant->naive) return;
    const f2l_slots *slots = &f->orbits.slots;
    out->householders = out->factors_per_token = slots->factors;
    out->key_dim = out->states = slots->row[slots->slots];
    out->table_entries = slots->states;
}

/* --- the search --- */

/* Sets the targets to the next states, and with labels of transitions to those and the labels. */
static f2l_status set_orbit_targets(found *f, const f2l_fsa *fsa, bool edges, f2l_error *err)
{
    const size_t n = fsa->states.count, cells = n * fsa->letters.count;
    f2l_status status = F2L_OK;
    if (edges) status = f2l_fsa_edge_labels(&f->labels, f->target, fsa, err);
    f->graph.targets = edges ? n * f->labels.count : n;
    f->symbol = f2l_calloc(f->graph.targets, sizeof *f->symbol);
    if (status == F2L_OK && !f->symbol) return f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < cells; i++) {
        const uint32_t label = f->target[i];
        f->target[i] = edges ? label * (uint32_t)n + fsa->next[i] : fsa->next[i];
        if (edges) f->symbol[f->target[i]] = label;
    }
    return status;
}

static f2l_status add_orbit_labels(found *f, const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&f->labels, text, strlen(text), &index, err);
        f->symbol[q] = (uint32_t)index;
    }
    return status;
}

static f2l_status open_found_orbits(found *f, const f2l_construct_job *job, f2l_error *err)
{
    const f2l_fsa *fsa = tracked_automaton(job);
    const bool edges = job->options->label == F2L_LABEL_EDGES;
    f->graph = (f2l_orbits_graph){.letters = fsa->letters.count,
                                  .vertices = 1,
                                  .states = fsa->states.count,
                                  .start_state = fsa->start,
                                  .next = fsa->next};
    f->below = f2l_calloc(fsa->letters.count, sizeof *f->below);
    f->target = f2l_calloc(fsa->states.count * fsa->letters.count, sizeof *f->target);
    if (!f->below || !f->target) return f2l_fail_memory(err);
    f->graph.below = f->below;
    f->graph.target = f->target;
    f2l_status status = set_orbit_targets(f, fsa, edges, err);
    return status == F2L_OK && !edges ? add_orbit_labels(f, fsa, job->label, err) : status;
}

/* Decides whether efe = fe for all idempotents, within a share of the steps. */
static f2l_status decide_bands(f2l_band *band, const found *f, const f2l_task *task, f2l_error *err)
{
    const f2l_band_table table = {f->graph.next, f->graph.states, f->graph.letters};
    f2l_effort *outer = task ? task->effort : NULL;
    const uint64_t left = outer && outer->limit ? outer->limit - outer->spent : UINT64_MAX;
    f2l_effort effort = {.limit = left < BAND_STEPS ? left + 1 : BAND_STEPS};
    f2l_task own = task ? *task : (f2l_task){0};
    own.effort = &effort;
    f2l_status status = f2l_band_search(band, &table, &own, err);
    return status == F2L_OK && outer ? f2l_task_spend(task, "bands", effort.spent, err) : status;
}

/* Where efe is not fe no layer of finitely many states exists (OL.2). */
static f2l_status prepare_orbits(f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_share(job, &kind, err);
    f2l_band band;
    if (!f) return F2L_ENOMEM;
    if (f->good) return F2L_OK;
    f2l_band_init(&band);
    f2l_status status = f->symbol ? F2L_OK : open_found_orbits(f, job, err);
    if (status == F2L_OK) status = decide_bands(&band, f, job->task, err);
    f->good = status == F2L_OK && band.decided && !band.found;
    if (status == F2L_OK && band.found)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "efe is not fe for some idempotents e, f of the transition semigroup");
    if (status == F2L_OK && !f->good) status = f2l_fail(err, F2L_UNKNOWN, "%.200s", band.reason);
    f2l_band_clear(&band);
    return status;
}

static f2l_status search_slots_once(found *f, const f2l_construct_job *job, f2l_error *err)
{
    if (f->known) return F2L_OK;
    f2l_status status = F2L_OK;
    if (!f->maps.image) status = f2l_orbits_maps_list(&f->maps, &f->graph, job->task, err);
    if (status == F2L_OK)
        status = f2l_orbits_find(&f->orbits, &f->graph, &f->maps, MOST_STEPS, job->task, err);
    f->known = status == F2L_OK;
    return status;
}

/* --- the network --- */

static f2l_status build_orbits_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_shared(job, &kind);
    const f2l_fsa *fsa = tracked_automaton(job);
    const size_t letters = fsa->letters.count;
    const bool edges = job->options->label == F2L_LABEL_EDGES;
    f2l_net *net = &out->net;
    f2l_status status = search_slots_once(f, job, err);
    if (status != F2L_OK) return status;
    *(detail *)out->detail = (detail){f->orbits.slots.slots, f->orbits.degree, f->orbits.order};
    snprintf(out->one_layer, sizeof out->one_layer, "told apart by %zu slots on a cover",
             f->orbits.slots.slots);
    net->label = edges ? F2L_LABEL_EDGES : job->label;
    net->start = edges ? F2L_NO_INDEX : f->symbol[fsa->start];
    uint32_t *letter = f2l_calloc(letters, sizeof *letter);
    if (!letter) status = f2l_fail_memory(err);
    for (uint32_t a = 0; letter && a < letters; a++) letter[a] = a;
    if (status == F2L_OK) status = f2l_names_copy(&net->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&net->labels, &f->labels, err);
    if (status == F2L_OK) status = f2l_net_set_layers(net, 1, err);
    if (status == F2L_OK)
        status = f2l_orbits_layer(&net->layer[0], &f->orbits, letter, letters, f->symbol,
                                  f->labels.count, job->variant->naive, job->task, err);
    f2l_free(letter);
    return status;
}

static void describe_orbits(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "orbits");
    f2l_say_count(o, "slot_count", d->slots);
    f2l_say_count(o, "cover_points", d->degree);
    f2l_say_count(o, "cover_order", d->order);
}

static const f2l_variant variant[] = {
    {.theorem = "OL", .name = "dyadic keys", .slow = true, .layers = true},
    {.theorem = "OL",
     .name = "naive keys",
     .naive = true,
     .rounds = true,
     .slow = true,
     .layers = true}};

const f2l_construction f2l_construction_orbits = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = orbits_apply,
    .least = set_least_orbits,
    .prepare = prepare_orbits,
    .detail = sizeof(detail),
    .build = build_orbits_row,
    .by_quotient = true,
    .proof = &f2l_proof_joint,
    .title = "slots on a cover, one layer",
    .describe = describe_orbits,
    .lines = "letters move {orbits.slot_count slot} by permutations of {orbits.cover_points "
             "point}, a group of order {orbits.cover_order}, and write them\n"
             "one layer\tsuffices: the states are {one_layer}\n"};
