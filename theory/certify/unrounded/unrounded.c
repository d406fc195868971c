#include "theory/certify/unrounded/unrounded.h"
#include "models/network/net/same_letters.h"
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <stdio.h>
#include <string.h>

void f2l_unrounded_init(f2l_unrounded *u)
{
    *u = (f2l_unrounded){.verdict = F2L_UNKNOWN};
}

void f2l_unrounded_clear(f2l_unrounded *u)
{
    for (size_t i = 0; i < u->bounds; i++) mpq_clear(u->bound[i].most);
    f2l_free(u->bound);
    for (size_t i = 0; i < u->sets; i++) {
        for (size_t k = 0; k < u->set[i].count; k++) f2l_qvec_clear(&u->set[i].vector[k]);
        f2l_free(u->set[i].vector);
        f2l_free(u->set[i].column);
    }
    f2l_free(u->set);
    f2l_unrounded_init(u);
}

/* Collects the columns of H_0 and of the codes of a head, each once (U2). */
static f2l_status start_columns(f2l_vectors *out, const f2l_layer *layer, size_t h, f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    f2l_status status = f2l_vectors_add_state(out, &head->initial, head->d, 0, err);
    for (size_t c = 0; c < layer->codes && status == F2L_OK; c++)
        status = f2l_vectors_add_state(out, &layer->code[c * layer->heads + h], head->d, 0, err);
    return status;
}

/* Sets numbers[size] to a state's. */
static void spread_state(double *numbers, const f2l_qvec *state, size_t size)
{
    for (size_t i = 0; i < size; i++) numbers[i] = 0;
    for (size_t k = 0; k < state->count; k++) numbers[state->index[k]] = mpq_get_d(state->value[k]);
}

/* Checks that a state is stored as it is (U4a). Numbers that fp32 has not were refused before. */
static f2l_status check_stored(const f2l_step_place *place, const char *what, const f2l_qvec *state,
                               const f2l_head *head, const f2l_unrounded_run *run, f2l_error *err)
{
    const size_t size = head->n * head->d;
    double *given = f2l_calloc(size, 2 * sizeof *given);
    if (given == NULL) return f2l_fail_memory(err);
    spread_state(given, state, size);
    const bool same = f2l_store_keeps(&run->store, given, given + size, head->n, head->d);
    f2l_free(given);
    char why[128];
    (void)snprintf(why, sizeof why, "%s changes when it is stored in %s", what,
                   run->store.format.name);
    return same ? F2L_OK : f2l_unrounded_stop(place, why, err);
}

static bool is_tensor(const f2l_schedule *schedule)
{
    return schedule->store.scale && schedule->store.block == F2L_BLOCK_TENSOR;
}

/* Checks that a layer's states are stored as they are where its heads share a scale: H_0, and all
 * codes. */
static f2l_status check_tensor(const f2l_layer *layer, const f2l_step_place *place,
                               const f2l_unrounded_run *run, f2l_error *err)
{
    const size_t size = f2l_layer_numbers(layer);
    double *given = f2l_calloc(size, 2 * sizeof *given);
    if (given == NULL) return f2l_fail_memory(err);
    bool same = true;
    for (size_t c = 0; same && c <= layer->codes; c++) {
        double *at = given;
        for (size_t h = 0; h < layer->heads; h++) {
            const size_t numbers = layer->head[h].n * layer->head[h].d;
            spread_state(at,
                         c == layer->codes ? &layer->head[h].initial
                                           : &layer->code[c * layer->heads + h],
                         numbers);
            at += numbers;
        }
        same = f2l_store_keeps(&run->store, given, given + size, size, 1);
    }
    f2l_free(given);
    return same ? F2L_OK
                : f2l_unrounded_stop(
                      place, "a code changes when all heads are stored with one scale", err);
}

bool f2l_unrounded_in_ring(const mpq_t x)
{
    mpq_t units;
    mpq_init(units);
    mpq_mul_2exp(units, x, 10);
    mpq_abs(units, units);
    const bool fits = mpz_cmp_ui(mpq_denref(units), 1) == 0 && mpq_cmp_ui(units, 1 << 22, 1) <= 0;
    mpq_clear(units);
    return fits;
}

static f2l_status check_ring(const f2l_step_place *place, const f2l_qvec *state, f2l_error *err)
{
    for (size_t i = 0; i < state->count; i++)
        if (!f2l_unrounded_in_ring(state->value[i]))
            return f2l_unrounded_stop(
                place, "a code has a number that is no multiple of 2^-10 or more than 2^12", err);
    return F2L_OK;
}

static f2l_status check_initial_state(const f2l_step_place *place, const char *what,
                                      const f2l_qvec *state, const f2l_head *head,
                                      const f2l_unrounded_run *run, f2l_error *err)
{
    f2l_status status = f2l_unrounded_state(place, what, state, head->d, run->kept, err);
    if (status == F2L_OK && (run->schedule->read_unstored || run->schedule->output))
        status = f2l_unrounded_state(place, what, state, head->d, &run->output, err);
    if (status == F2L_OK && run->ring) status = check_ring(place, state, err);
    if (status == F2L_OK && run->schedule->prefill)
        status = f2l_unrounded_state(place, what, state, head->d,
                                     f2l_schedule_handover_format(run->schedule), err);
    if (status == F2L_OK && f2l_schedule_stores(run->schedule) && !is_tensor(run->schedule))
        status = check_stored(place, what, state, head, run, err);
    return status;
}

static f2l_status check_states(const f2l_layer *layer, size_t h, const f2l_unrounded_run *run,
                               const f2l_step_place *place, f2l_error *err)
{
    const f2l_head *head = &layer->head[h];
    f2l_status status =
        f2l_unrounded_state(place, "the initial state", &head->initial, head->d, run->format, err);
    if (status == F2L_OK)
        status = check_initial_state(place, "the initial state", &head->initial, head, run, err);
    for (size_t c = 0; c < layer->codes && status == F2L_OK; c++) {
        char name[48];
        (void)snprintf(name, sizeof name, "code %zu", c + 1);
        status =
            check_initial_state(place, name, &layer->code[c * layer->heads + h], head, run, err);
    }
    if (status == F2L_OK && h == 0 && is_tensor(run->schedule))
        status = check_tensor(layer, place, run, err);
    return status;
}

/* Checks U4 for every letter from every column. */
static f2l_status step_all(const f2l_steps *steps, const f2l_vectors *start,
                           const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err)
{
    f2l_step_room room;
    bool exact;
    f2l_status status = f2l_unrounded_small(&exact, steps, start, run, err);
    f2l_meter meter = {.task = run->task, .phase = "steps"};
    if (status != F2L_OK || exact) return status;
    status = f2l_step_room_init(&room, steps->n, err);
    if (status != F2L_OK) return status;
    if (run->schedule->exact_matrices) status = f2l_step_matrices(&room, steps, run, place, err);
    for (size_t a = 0; a < steps->letters && status == F2L_OK; a++) {
        place->letter = a;
        for (size_t i = 0; i < start->count && status == F2L_OK; i++) {
            if (start->vector[i].count == 0 &&
                f2l_step_keeps_zero(&steps->letter[a], steps->d, start->column[i]))
                continue;
            status = f2l_meter_spend(&meter, 60 + 40 * steps->letter[a].factors, (double)a,
                                     (double)steps->letters, err);
            f2l_step_room_load(&room, &start->vector[i]);
            if (status == F2L_OK)
                status = f2l_step_column(&room, steps, a, start->column[i], run, place, err);
        }
    }
    f2l_step_room_clear(&room);
    return status;
}

/* Steps all letters letter by letter; what the schedules share is made at the first of them. */
static f2l_status step_head(const f2l_layer *layer, size_t h, size_t at, const f2l_steps *steps,
                            const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err)
{
    f2l_vectors start = {0};
    f2l_unrounded_scan *scan = run->shared ? &run->shared->scan[at] : NULL;
    const bool scans = scan && !scan->tried && !run->schedule->exact_matrices;
    f2l_status status = scans ? start_columns(&start, layer, h, err) : F2L_OK;
    if (status == F2L_OK && scans)
        status = f2l_unrounded_scan_head(scan, steps, &start, run->task, err);
    bool states = false;
    const bool steps_fit =
        status == F2L_OK && scan && f2l_unrounded_scan_allows(&states, scan, run);
    if (status == F2L_OK && !states) status = check_states(layer, h, run, place, err);
    if (status == F2L_OK && !steps_fit && !scans) status = start_columns(&start, layer, h, err);
    if (status == F2L_OK && !steps_fit) status = step_all(steps, &start, run, place, err);
    f2l_vectors_clear(&start);
    return status;
}

/* Looks at chunks of letters. */
static f2l_status chunk_head(f2l_unrounded *out, const f2l_layer *layer, size_t h, size_t at,
                             const f2l_steps *steps, const f2l_unrounded_run *run,
                             f2l_step_place *place, f2l_error *err)
{
    f2l_vectors start = {0};
    f2l_status status = check_states(layer, h, run, place, err);
    if (status == F2L_OK) status = start_columns(&start, layer, h, err);
    if (status == F2L_OK)
        status = f2l_unrounded_chunk_head(out, at, steps, &start, run, place, err);
    f2l_vectors_clear(&start);
    return status;
}

static f2l_status find_head_unrounded(f2l_unrounded *out, const f2l_net *net, size_t l, size_t h,
                                      size_t at, const f2l_unrounded_run *run, f2l_error *err)
{
    const f2l_layer *layer = &net->layer[l];
    f2l_step_place place = {.part = "layer",
                            .index = l,
                            .head = h,
                            .letter = F2L_NO_INDEX,
                            .letters = l == 0 ? &net->letters : NULL};
    f2l_steps steps = {0};
    f2l_same_letters same = {0};
    f2l_head head = {0}; /* the first of all letters that act equally, which is also the first that
                            fails */
    f2l_status status = f2l_same_letters_find(&same, &layer->head[h], 1, layer->letters, err);
    if (status == F2L_OK) status = f2l_same_letters_head(&head, &layer->head[h], &same, err);
    place.of = same.first;
    if (status == F2L_OK) status = f2l_steps_init(&steps, &head, same.count, run, &place, err);
    if (status == F2L_OK && !f2l_schedule_steps(run->schedule))
        status = chunk_head(out, layer, h, at, &steps, run, &place, err);
    else if (status == F2L_OK)
        status = step_head(layer, h, at, &steps, run, &place, err);
    f2l_steps_clear(&steps);
    f2l_free(head.letter);
    f2l_same_letters_clear(&same);
    return status;
}

static f2l_status find_net(f2l_unrounded *out, const f2l_net *net, const f2l_unrounded_run *run,
                           f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t heads = 0, at = 0;
    for (size_t l = 0; l < net->layers; l++) heads += net->layer[l].heads;
    if (!f2l_schedule_steps(run->schedule)) {
        out->set = f2l_calloc(heads, sizeof *out->set);
        out->bound = f2l_calloc(heads, F2L_UNROUNDED_WHATS * sizeof *out->bound);
        if (out->set == NULL || out->bound == NULL) return f2l_fail_memory(err);
        out->sets = heads;
    }
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads && status == F2L_OK; h++, at++) {
            const uint64_t weights =
                f2l_head_weigh(&net->layer[l].head[h], net->layer[l].letters, 20, 100, 40);
            status = f2l_task_spend(run->task, "heads",
                                    weights + f2l_codes_weigh(&net->layer[l], 10, 10), err);
            if (status == F2L_OK)
                status = f2l_task_poll(run->task, "heads", (double)at, (double)heads, err);
            if (status == F2L_OK) status = find_head_unrounded(out, net, l, h, at, run, err);
        }
    return status;
}

/* Sets the formats that the schedule computes in. Returns F2L_UNKNOWN when the schedule is not for
 * the format. */
static f2l_status set_formats(f2l_unrounded_run *run, f2l_error *err)
{
    const bool wide = run->schedule->work == F2L_WIDTH_FP32;
    const f2l_format *f = run->format;
    run->fp32 = f2l_format_find("fp32");
    run->plain = f2l_schedule_is_plain(run->schedule);
    const bool within = f->precision <= 24 && f->largest <= run->fp32->largest &&
                        f->emin - f->precision + 1 >= -149;
    run->inner = f2l_schedule_work_format(run->schedule, f);
    run->kept = f2l_schedule_kept_format(run->schedule, f);
    if (run->schedule->operands) run->operands = f2l_store_format(run->schedule->operands);
    f2l_store_init(&run->store, run->schedule, f);
    run->output = f2l_schedule_output_format(run->schedule, f);
    if (run->schedule->store.ring) run->ring = f2l_schedule_ring_format(run->schedule, f);
    run->nearest = *f;
    run->nearest.rounding = F2L_ROUND_NEAREST_EVEN;
    run->nearest.choices = NULL;
    if ((wide || run->schedule->eps >= 0) && !within)
        return f2l_fail(err, F2L_UNKNOWN, "%s%s is for formats whose values fp32 has",
                        run->schedule->name, wide ? "" : " with a key normalisation");
    if ((!run->schedule->exact_matrices && !run->schedule->chunk &&
         f2l_schedule_check(run->schedule, f, err) != F2L_OK))
        return F2L_UNKNOWN;
    const char *const unknown = f2l_schedule_unknown(run->schedule, F2L_KNOWS_UNROUNDED);
    if (unknown)
        return f2l_fail(err, F2L_UNKNOWN, "no statement says of `%s` where nothing rounds",
                        unknown);
    if (run->schedule->exact_matrices && run->schedule->eps >= 0)
        return f2l_fail(err, F2L_UNKNOWN, "the schedule cast has no key normalisation");
    return F2L_OK;
}

/* Checks that nothing rounds in the chunks of a prompt. */
static f2l_status check_prompt(const f2l_net *model, const f2l_unrounded_run *run, f2l_error *err)
{
    f2l_unrounded chunks;
    f2l_schedule schedule = *f2l_schedule_find("chunk64");
    const f2l_schedule *decode = run->schedule;
    if (decode->prefill != F2L_PREFILL_CHUNK) return F2L_OK;
    schedule.decode = decode->decode;
    schedule.norm = decode->norm;
    schedule.norm_in_format = decode->norm_in_format;
    schedule.squares = decode->squares;
    schedule.eps = decode->eps;
    schedule.raw = decode->raw;
    f2l_unrounded_init(&chunks);
    f2l_status status = f2l_unrounded_find(&chunks, model, run->format, &schedule, run->task, err);
    if (status == F2L_OK && chunks.verdict != F2L_OK)
        status = f2l_fail(err, F2L_UNKNOWN, "in the prompt's chunks: %.200s", chunks.reason);
    f2l_unrounded_clear(&chunks);
    return status;
}

/* Checks that the network is one for the schedule's ring. */
static f2l_status check_rings(const f2l_net *model, const f2l_unrounded_run *run, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t l = 0; run->ring && l < model->layers; l++)
        for (size_t h = 0; status == F2L_OK && h < model->layer[l].heads; h++)
            status = f2l_ring_check(&model->layer[l].head[h], model->layer[l].letters, err);
    return status;
}

static f2l_status decide_unrounded(f2l_unrounded *out, const f2l_net *model, f2l_unrounded_run *run,
                                   f2l_error *err)
{
    f2l_status status = set_formats(run, err);
    if (status == F2L_OK) status = f2l_schedule_check_decoder(run->schedule, model, err);
    if (status == F2L_OK) status = check_rings(model, run, err);
    if (status == F2L_OK) status = check_prompt(model, run, err);
    if (status == F2L_EDOMAIN) status = F2L_UNKNOWN;
    if (status != F2L_OK) return status;
    if (f2l_net_has_boxes(model))
        return f2l_fail(err, F2L_UNKNOWN, "a layer has boxes: its states are not its codes");
    status = find_net(out, model, run, err);
    return status == F2L_OK ? f2l_unrounded_wired(model, run, err) : status;
}

static f2l_status count_steps(uint64_t *steps, const f2l_layer *layer, size_t h, f2l_error *err)
{
    f2l_same_letters same = {0};
    f2l_status status = f2l_same_letters_find(&same, &layer->head[h], 1, layer->letters, err);
    for (size_t k = 0; status == F2L_OK && k < same.count; k++)
        *steps += (uint64_t)layer->codes * layer->head[h].letter[same.first[k]].factors;
    f2l_same_letters_clear(&same);
    return status;
}

f2l_status f2l_unrounded_steps(uint64_t *steps, const f2l_net *net, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *steps = 0;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; status == F2L_OK && h < net->layer[l].heads; h++)
            status = count_steps(steps, &net->layer[l], h, err);
    return status;
}

f2l_unrounded_shared *f2l_unrounded_share(const f2l_net *net)
{
    f2l_unrounded_shared *shared = f2l_calloc(1, sizeof *shared);
    for (size_t l = 0; shared && l < net->layers; l++) shared->heads += net->layer[l].heads;
    if (shared) shared->scan = f2l_calloc(shared->heads, sizeof *shared->scan);
    if (!shared || shared->scan) return shared;
    f2l_free(shared);
    return NULL;
}

void f2l_unrounded_shared_clear(f2l_unrounded_shared *shared)
{
    for (size_t i = 0; shared && i < shared->heads; i++) f2l_unrounded_scan_clear(&shared->scan[i]);
    if (shared) f2l_free(shared->scan);
    f2l_free(shared);
}

f2l_status f2l_unrounded_find(f2l_unrounded *out, const f2l_net *model, const f2l_format *format,
                              const f2l_schedule *schedule, const f2l_task *task, f2l_error *err)
{
    return f2l_unrounded_find_shared(out, model, NULL, format, schedule, task, err);
}

f2l_status f2l_unrounded_find_shared(f2l_unrounded *out, const f2l_net *model,
                                     f2l_unrounded_shared *shared, const f2l_format *format,
                                     const f2l_schedule *schedule, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_unrounded_clear(out);
    f2l_error why = {0};
    f2l_status status =
        shared && shared->valid ? F2L_OK : f2l_net_validate_within(model, task, &why);
    if (status == F2L_UNKNOWN) {
        (void)snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
        return F2L_OK;
    }
    if (status != F2L_OK) {
        if (err != NULL) *err = why;
        return status;
    }
    if (shared) shared->valid = true;
    f2l_unrounded_run run = {
        .format = format, .schedule = schedule, .shared = shared, .task = task};
    status = decide_unrounded(out, model, &run, &why);
    if (status != F2L_OK && status != F2L_UNKNOWN) {
        f2l_unrounded_clear(out);
        if (err != NULL) *err = why;
        return status;
    }
    out->verdict = status;
    (void)snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
    return F2L_OK;
}
