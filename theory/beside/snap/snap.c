#include "theory/beside/snap/snap.h"
#include "models/learn/seq/delta/seq_delta.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/impl.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void f2l_snap_init(f2l_snap *out)
{
    memset(out, 0, sizeof *out);
    f2l_r1_init(&out->r1);
    f2l_net_init(&out->net);
    f2l_r1_report_init(&out->report);
    f2l_closure_init(&out->closure);
}

void f2l_snap_clear(f2l_snap *out)
{
    f2l_snap_free_irreps(out->irrep, out->irreps);
    for (size_t i = 0; i < out->parts; i++) {
        f2l_free(out->part[i].basis);
        f2l_free(out->part[i].distance);
        f2l_free(out->part[i].start);
        f2l_free(out->part[i].centre);
    }
    f2l_free(out->part);
    f2l_free(out->cover.minus);
    f2l_r1_clear(&out->r1);
    f2l_net_clear(&out->net);
    f2l_r1_report_clear(&out->report);
    f2l_closure_clear(&out->closure);
    f2l_snap_init(out);
}

/* Sets the verdict with its reason. */
__attribute__((format(printf, 3, 4))) static f2l_status
conclude_snap(f2l_snap *out, f2l_snap_verdict verdict, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(out->reason, sizeof out->reason, format, list);
    va_end(list);
    out->verdict = verdict;
    return F2L_OK;
}

/* Returns why no network of this class can be snapped; NULL: it may. */
static const char *why_not_snapped(const f2l_seq_config *c, const f2l_data *data)
{
    if (data == NULL) return "no run lies beside the weights, so that the automaton is not known";
    if (data->fsa == NULL || data->options.kind != F2L_DATA_AUTOMATON)
        return "the data are not an automaton's";
    if (data->options.tokens > 1) return "a transition takes several letters";
    if (c->mixer != &f2l_mixer_delta)
        return "only the mixer delta multiplies states by reflections";
    if (c->layers != 1) return "the network has more than one layer";
    if (c->convolution > 1) return "keys depend on more than one letter, by the convolution";
    return NULL;
}

/* Returns a letter of the automaton that never came in training, or F2L_NO_INDEX. */
static size_t missing_letter(const f2l_inspect *x, size_t letters)
{
    for (size_t a = 0; a < letters; a++)
        if (!x->used[a]) return a;
    return F2L_NO_INDEX;
}

static f2l_status find_group(f2l_snap *out, const f2l_snap_input *in, f2l_error *err)
{
    f2l_error why;
    f2l_status status = f2l_r1_analyse(&out->r1, in->data->fsa, F2L_SNAP_MAX_ORDER, in->task, &why);
    out->has_group = status == F2L_OK;
    if (status == F2L_OK) return F2L_OK;
    if (status == F2L_EDOMAIN) return conclude_snap(out, F2L_SNAP_IMPOSSIBLE, "%s", why.text);
    if (status != F2L_UNKNOWN) return f2l_fail(err, status, "%s", why.text);
    status = f2l_task_poll(in->task, "snap", 0, 1, err);
    return status == F2L_OK ? conclude_snap(out, F2L_SNAP_UNKNOWN, "%s", why.text) : status;
}

/* --- the exact network --- */

/* The number of irreps that the parts have, with room for all. */
static f2l_status list_part_irreps(uint32_t **irrep, const f2l_snap *snap, f2l_error *err)
{
    *irrep = f2l_calloc(snap->parts + 1, sizeof **irrep);
    if (*irrep == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < snap->parts; i++) (*irrep)[i] = snap->irrep[snap->part[i].irrep].irrep;
    return F2L_OK;
}

/* Sets near[i] to the start of part i in the basis of the exact matrices. */
static f2l_status list_starts(double **near, const f2l_snap *snap, f2l_error *err)
{
    for (size_t i = 0; i < snap->parts; i++) {
        const f2l_irrep_float *rho = &snap->irrep[snap->part[i].irrep].value;
        near[i] = f2l_calloc(rho->dimension, sizeof *near[i]);
        if (near[i] == NULL) return f2l_fail_memory(err);
        memcpy(near[i], snap->part[i].start, rho->dimension * sizeof *near[i]);
        f2l_irrep_float_exact_basis(near[i], rho);
    }
    return F2L_OK;
}

/* Builds the network of the parts, and closes it. */
static f2l_status build_exact(f2l_snap *out, const uint32_t *irrep, const double *const *near,
                              const f2l_snap_input *in, f2l_error *err)
{
    const f2l_data *data = in->data;
    const f2l_r1_choice choice = {out->parts, irrep, near};
    const f2l_r1_options options = {.choice = out->parts > 0 ? &choice : NULL};
    f2l_error why;
    f2l_status status = f2l_r1_build(&out->net, &out->report, &out->r1, data->options.label,
                                     F2L_R1_GROUP, &options, in->task, &why);
    if (status == F2L_UNKNOWN) {
        status = f2l_task_poll(in->task, "snap", 0, 1, err);
        return status == F2L_OK ? conclude_snap(out, F2L_SNAP_UNKNOWN, "%s", why.text) : status;
    }
    if (status != F2L_OK) return f2l_fail(err, status, "%s", why.text);
    status = f2l_fsa_sha256(data->fsa, out->net.fsa_sha256, err);
    if (status == F2L_OK)
        status = f2l_closure_exact(&out->closure, &out->net, data->fsa, 0, in->task, err);
    if (status != F2L_OK) return status;
    if (out->closure.verdict == F2L_OK) return conclude_snap(out, F2L_SNAP_SNAPPED, "%s", "");
    if (out->closure.verdict == F2L_UNKNOWN)
        return conclude_snap(out, F2L_SNAP_UNKNOWN, "%s", out->closure.reason);
    return f2l_fail(err, F2L_EDOMAIN, "the exact network is wrong, which R1 excludes");
}

static f2l_status build_snapped_net(f2l_snap *out, const f2l_snap_input *in, f2l_error *err)
{
    uint32_t *irrep = NULL;
    double **near = f2l_calloc(out->parts, sizeof(double *));
    f2l_status status = near ? list_starts(near, out, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = list_part_irreps(&irrep, out, err);
    if (status == F2L_OK) status = build_exact(out, irrep, (const double *const *)near, in, err);
    for (size_t i = 0; near != NULL && i < out->parts; i++) f2l_free(near[i]);
    f2l_free(near);
    f2l_free(irrep);
    return status;
}

/* --- what is missing --- */

static bool has_part(const f2l_snap *s, size_t irrep)
{
    bool has = false;
    for (size_t p = 0; p < s->parts; p++) has = has || s->part[p].irrep == irrep;
    return has;
}

/* Concludes that the parts do not determine the element, and says what came nearest of the other
 * representations. */
static f2l_status conclude_missing(f2l_snap *out)
{
    const f2l_snap_irrep *best = NULL;
    const bool some = out->parts > 0;
    size_t others = 0, unknown = 0;
    for (size_t i = 0; i < out->irreps; i++) {
        if (has_part(out, i)) continue;
        others++;
        unknown += !out->irrep[i].known;
        if (best == NULL || out->irrep[i].nearest < best->nearest) best = &out->irrep[i];
    }
    if (best == NULL)
        return conclude_snap(
            out, F2L_SNAP_IMPOSSIBLE, "%s",
            some ? "the parts that were found determine only a quotient of the group, "
                   "and as few factors can express no other representation"
                 : "the group has no representation, but the trivial one, that as few "
                   "factors can express");
    if (unknown > 0)
        return conclude_snap(
            out, F2L_SNAP_UNKNOWN,
            "exact matrices were not found for %zu of %zu %srepresentations, and %s", unknown,
            others, some ? "other " : "",
            some ? "the parts that were found determine only a quotient of the group"
                 : "no head moves as one of the others");
    return conclude_snap(
        out, F2L_SNAP_IMPOSSIBLE,
        "%s within %g%s and is used: the nearest is chi%zu in head %zu, with the defect "
        "%.3g",
        some ? "the parts that were found determine only a quotient of the group, and "
               "no part moves as another representation"
             : "no part of a head moves as an irreducible representation",
        out->within, best->nearest > out->within ? "" : ", with no letter far off,",
        best->character + 1, best->nearest_head + 1, best->nearest);
}

/* Adds to the reason what the heads are nearer to up to signs, and why that does not do. */
static void add_near_miss(f2l_snap *out, const f2l_snap_near_miss *miss, const f2l_snap_input *in)
{
    const size_t used = strlen(out->reason);
    const bool near = miss->defect <= out->within;
    char why[160] = "";
    for (size_t i = 0; i < out->irreps; i++)
        if (miss->defect > 0.99 * out->irrep[i].nearest) return;
    if (miss->defect == INFINITY) return;
    if (miss->limit)
        (void)snprintf(why, sizeof why,
                       ", but a limit was reached, or a group with signs has more than %d elements",
                       F2L_SNAP_MAX_ORDER);
    else if (near && miss->factors > in->inspect->householders)
        (void)snprintf(why, sizeof why, ", but with its sign the letter '%.60s' takes %zu factors",
                       f2l_names_get(&in->data->letters, miss->letter), miss->factors);
    else if (near)
        (void)snprintf(why, sizeof why,
                       ", but the parts for the group with these signs do not determine its "
                       "element");
    (void)snprintf(
        out->reason + used, sizeof out->reason - used,
        "; up to signs of the letters the nearest is chi%zu in head %zu, with the defect "
        "%.3g%s",
        miss->character + 1, miss->head + 1, miss->defect, why);
    if (miss->limit) out->verdict = F2L_SNAP_UNKNOWN;
}

/* --- the search --- */

static f2l_status find_letter_values(f2l_snap_input *in, f2l_seq_letters *letters, f2l_error *err)
{
    f2l_seq_letters_init(letters);
    if (!in->model->config.additive) return F2L_OK;
    const f2l_status status = f2l_seq_letters_build(letters, in->model, in->parameters,
                                                    F2L_SEQ_LETTER_ARRAYS, in->task, err);
    in->value = letters->array[F2L_DELTA_LETTER_VALUE];
    return status;
}

f2l_status f2l_snap_find(f2l_snap *out, const f2l_snap_input *in, f2l_error *err)
{
    uint32_t *irrep = NULL;
    f2l_status status =
        f2l_snap_list_irreps(&out->irrep, &out->irreps, &out->r1, F2L_SNAP_EXPRESSED, in, err);
    for (size_t h = 0; status == F2L_OK && h < out->heads; h++)
        status = f2l_snap_find_parts(out, in, h, err);
    if (status == F2L_OK) status = list_part_irreps(&irrep, out, err);
    if (status == F2L_OK) out->faithful = f2l_r1_faithful(&out->r1, irrep, out->parts);
    f2l_free(irrep);
    return status;
}

static f2l_status find_snap(f2l_snap *out, const f2l_snap_input *in, f2l_error *err)
{
    f2l_snap_near_miss miss = {.defect = INFINITY};
    f2l_status status = f2l_snap_find(out, in, err);
    if (status == F2L_OK && !out->faithful) status = f2l_snap_find_cover(out, &miss, in, err);
    if (status != F2L_OK) return status;
    if (out->faithful) return build_snapped_net(out, in, err);
    status = conclude_missing(out);
    if (status == F2L_OK) add_near_miss(out, &miss, in);
    return status;
}

f2l_status f2l_snap_build(f2l_snap *out, const f2l_inspect *inspect, const f2l_seq *model,
                          const double *parameters, const f2l_data *data, double within,
                          const f2l_task *task, f2l_error *err)
{
    f2l_snap_input in = {inspect, model, parameters, data, NULL, task};
    const char *why = why_not_snapped(&model->config, data);
    out->within = within;
    if (why != NULL) return conclude_snap(out, F2L_SNAP_IMPOSSIBLE, "%s", why);
    out->heads = inspect->heads;
    out->letters = data->fsa->letters.count;
    out->key_dim = inspect->key_dim;
    out->value_dim = inspect->value_dim;
    const size_t missing = missing_letter(inspect, out->letters);
    if (missing != F2L_NO_INDEX)
        return conclude_snap(out, F2L_SNAP_IMPOSSIBLE, "the letter '%s' never came in training",
                             f2l_names_get(&data->letters, missing));
    f2l_status status = find_group(out, &in, err);
    if (status != F2L_OK || !out->has_group) return status;
    f2l_seq_letters values;
    status = find_letter_values(&in, &values, err);
    if (status == F2L_OK) status = find_snap(out, &in, err);
    f2l_seq_letters_clear(&values);
    return status;
}
