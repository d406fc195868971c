/* What `compare` computes. */
#include "cli/train/compare_job.h"
#include "models/learn/inspect/inspect_network.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include <cblas.h>
#include <stdio.h>

static f2l_status prepare_compared(f2l_compare_job *j, f2l_error *err)
{
    const f2l_status status = f2l_weights_parameters(&j->parameters, &j->weights.trained, err);
    return status == F2L_OK ? f2l_weights_file_used(&j->used, &j->weights, &j->data, err) : status;
}

/* Looks at the matrices of the learned letters, where the mixer has some. */
static f2l_status inspect_learned(f2l_compare_job *j, f2l_error *err)
{
    const f2l_seq *model = &j->weights.trained.model;
    if (model->config.mixer != &f2l_mixer_delta) return F2L_OK;
    f2l_status status =
        f2l_inspect_build(&j->inspect, model, j->parameters, j->used, &j->cli.task, err);
    if (status == F2L_OK)
        status = f2l_inspect_relations_build(&j->relations, &j->inspect, model, j->parameters,
                                             &j->data, F2L_INSPECT_THRESHOLD, &j->cli.task, err);
    return status == F2L_OK
               ? f2l_inspect_characters_build(&j->characters, &j->relations, &j->cli.task, err)
               : status;
}

/* Notes the reason where something does not apply to a network, which is no failure. */
static f2l_status unless_none(char *none, size_t room, f2l_status status, const f2l_error *why,
                              f2l_error *err)
{
    if (status == F2L_OK) return F2L_OK;
    if (status != F2L_EDOMAIN) return f2l_fail(err, status, "%s", why->text);
    snprintf(none, room, "%s", why->text);
    return F2L_OK;
}

static f2l_status inspect_constructed(f2l_compare_job *j, f2l_error *err)
{
    f2l_error why;
    if (j->net == NULL) {
        snprintf(j->no_constructed_heads, sizeof j->no_constructed_heads, "%s", j->no_network);
        return F2L_OK;
    }
    const f2l_status status =
        f2l_inspect_build_network(&j->constructed_inspect, j->net, j->constructed.letter,
                                  j->data.fsa->letters.count, j->used, &j->cli.task, &why);
    return unless_none(j->no_constructed_heads, sizeof j->no_constructed_heads, status, &why, err);
}

static f2l_status map_states(f2l_compare_job *j, f2l_error *err)
{
    f2l_error why;
    const char *none = j->net == NULL ? j->no_network : j->constructed.no_states;
    if (none != NULL) {
        snprintf(j->no_maps, sizeof j->no_maps, "%s", none);
        return F2L_OK;
    }
    const f2l_status status = f2l_state_maps_build(
        &j->maps, &j->reader, &j->sample, &j->constructed, j->o.threshold, &j->cli.task, &why);
    j->mapped = status == F2L_OK;
    return unless_none(j->no_maps, sizeof j->no_maps, status, &why, err);
}

/* Finds the representations of the constructed network, whose states were mapped. */
static f2l_status find_constructed_irreps(f2l_compare_job *j, f2l_error *err)
{
    f2l_learned_sample sample;
    f2l_status status = f2l_constructed_sample(&sample, &j->constructed, &j->sample, err);
    if (status == F2L_OK)
        status = f2l_learned_irreps_build(
            &j->constructed_irreps,
            &(f2l_learned_states){&sample, j->constructed.part, j->constructed.parts}, j->data.fsa,
            &j->cli.task, err);
    f2l_free(sample.state);
    return status;
}

/* Looks at states, where the network has some that can be kept. */
static f2l_status look_at_states(f2l_compare_job *j, f2l_error *err)
{
    const f2l_task *task = &j->cli.task;
    const f2l_checkpoint *trained = &j->weights.trained;
    const char *none = f2l_learned_obstacle(&trained->model.config, &j->data);
    if (none != NULL) {
        snprintf(j->no_maps, sizeof j->no_maps, "%s", none);
        return F2L_OK;
    }
    f2l_status status = f2l_learned_reader_init(&j->reader, &trained->model, trained->parameters,
                                                &j->data, task, err);
    if (status == F2L_OK)
        status =
            f2l_learned_sample_build(&j->sample, &j->reader, (size_t)j->o.word_length, task, err);
    j->sampled = status == F2L_OK;
    if (status == F2L_OK)
        status = f2l_extract_build(&j->extract, &j->reader, &j->sample, task, err);
    if (status == F2L_OK)
        status = f2l_learned_irreps_build(
            &j->irreps, &(f2l_learned_states){&j->sample, j->reader.part, j->reader.parts},
            j->data.fsa, task, err);
    if (status == F2L_OK && trained->model.config.layers > 1)
        status = f2l_learned_layer_betas(&j->layer_betas, &j->reader, &j->sample, task, err);
    if (status == F2L_OK) status = map_states(j, err);
    return status == F2L_OK && j->mapped ? find_constructed_irreps(j, err) : status;
}

static f2l_status evaluate_compared(f2l_compare_job *j, f2l_error *err)
{
    const f2l_checkpoint *trained = &j->weights.trained;
    const size_t sequences = (size_t)j->o.sequences;
    f2l_status status =
        f2l_experiment_evaluate(j->score, j->lengths, &j->wrong, sequences, F2L_BACKEND_CPU,
                                &trained->model, trained->parameters, &j->data, &j->cli.task, err);
    const f2l_shortest_ask ask = {f2l_weights_file_run(&j->weights), trained, &j->data, &j->wrong,
                                  j->o.search};
    if (status == F2L_OK)
        status = f2l_shortest_find(&j->failing, &j->settle, &ask, &j->cli.task, err);
    if (status == F2L_OK && j->net != NULL)
        status = f2l_constructed_evaluate(j->constructed_score, j->lengths, &j->constructed_wrong,
                                          sequences, &j->constructed, &j->data, &j->cli.task, err);
    return status;
}

f2l_status f2l_compare_analyse(f2l_compare_job *j, f2l_error *err)
{
    openblas_set_num_threads(1); /* equal input gives equal bytes */
    f2l_status status = prepare_compared(j, err);
    if (status == F2L_OK) status = inspect_learned(j, err);
    if (status == F2L_OK) status = inspect_constructed(j, err);
    if (status == F2L_OK) status = look_at_states(j, err);
    return status == F2L_OK ? evaluate_compared(j, err) : status;
}
