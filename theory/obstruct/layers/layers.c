#include "theory/obstruct/layers/layers.h"

void f2l_layers_init(f2l_layers *layers)
{
    *layers = (f2l_layers){.by = "", .margin_by = ""};
}

void f2l_layers_clear(f2l_layers *layers)
{
    f2l_fork_clear(&layers->fork);
    f2l_arcs_clear(&layers->arcs);
    f2l_band_clear(&layers->band);
    f2l_tied_clear(&layers->tied);
    f2l_tied_clear(&layers->tied_band);
    f2l_layers_init(layers);
}

const f2l_layers_limits f2l_layers_little = {
    .fork = 2 * F2L_STEPS, .band = 2 * F2L_STEPS, .arcs = 2 * F2L_STEPS, .tied = 2 * F2L_STEPS};

#define LEAST_SHARE ((uint64_t)6 * F2L_STEPS) /* of arcs and tied sets */

f2l_layers_limits f2l_layers_limits_of(uint64_t effort)
{
    uint64_t little = effort / 64;
    if (effort > 0 && little < LEAST_SHARE) little = effort < LEAST_SHARE ? effort : LEAST_SHARE;
    return (f2l_layers_limits){
        .fork = effort / 4, .band = effort / 8, .arcs = little, .tied = little};
}

/* Returns the task with an effort of its own. */
static f2l_task with_effort(const f2l_task *task, f2l_effort *effort, uint64_t limit)
{
    f2l_task own = task ? *task : (f2l_task){0};
    *effort = (f2l_effort){.limit = limit};
    own.effort = effort;
    return own;
}

/* Takes a bound that holds with a margin and is better, or as good and holds with windows, too. */
static void take_better_bound(f2l_layers *out, size_t least, const char *by, bool windows)
{
    if (least < out->least || (least == out->least && !(windows && !out->windows))) return;
    out->least = out->margin = least;
    out->by = out->margin_by = least > 1 ? by : "";
    out->windows = windows;
}

/* Takes a bound for finitely many states where it is better than all others. */
static void take_finite_bound(f2l_layers *out, size_t least, const char *by)
{
    if (least <= out->least) return;
    out->least = least;
    out->by = by;
    out->windows = false;
    out->finite = true;
}

static f2l_status find_fork_and_band(f2l_layers *out, const f2l_fsa *fsa, f2l_label label,
                                     const f2l_layers_limits *limits, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_effort effort;
    f2l_task own = with_effort(task, &effort, limits->fork);
    f2l_status status = f2l_fork_find(&out->fork, fsa, label, &own, err);
    if (status != F2L_OK) return status;
    if (out->fork.found) take_better_bound(out, 2, "FK.3", out->fork.still.length > 0);
    own = with_effort(task, &effort, limits->band);
    return f2l_band_find(&out->band, fsa, label, &out->fork, &own, err);
}

/* Finds bounds by tied sets: with the band rule where that can be better. */
static f2l_status find_tied_bounds(f2l_layers *out, const f2l_fsa *fsa, f2l_label label,
                                   const f2l_layers_limits *limits, const f2l_task *task,
                                   f2l_error *err)
{
    static const f2l_tied_limits bands = {.bands = true};
    f2l_effort effort;
    f2l_task own = with_effort(task, &effort, limits->tied);
    f2l_status status = f2l_tied_find(&out->tied, fsa, label, NULL, &own, err);
    if (status != F2L_OK) return status;
    take_better_bound(out, out->tied.layers, "FK.8", false);
    if (!out->band.found || out->least + 1 >= out->band.states) return F2L_OK;
    own = with_effort(task, &effort, limits->tied);
    return f2l_tied_find(&out->tied_band, fsa, label, &bands, &own, err);
}

f2l_status f2l_layers_find(f2l_layers *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_layers_limits *limits, const f2l_task *task, f2l_error *err)
{
    static const f2l_layers_limits none = {0};
    f2l_effort effort;
    f2l_layers_clear(out);
    if (!limits) limits = &none;
    f2l_status status = find_fork_and_band(out, fsa, label, limits, task, err);
    if (status == F2L_OK && !limits->no_arcs) {
        const f2l_task own = with_effort(task, &effort, limits->arcs);
        status = f2l_arcs_find(&out->arcs, fsa, label, &own, err);
        if (status == F2L_OK)
            take_better_bound(out, out->arcs.layers, "FK.10", out->arcs.still.length > 0);
    }
    if (status == F2L_OK && !limits->no_tied)
        status = find_tied_bounds(out, fsa, label, limits, task, err);
    if (status == F2L_OK && out->band.found) take_finite_bound(out, 2, "OL.3");
    if (status == F2L_OK) take_finite_bound(out, out->tied_band.layers, "OL.4");
    if (status != F2L_OK) f2l_layers_clear(out);
    return status;
}
