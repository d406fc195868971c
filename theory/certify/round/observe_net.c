/* The network that is observed, and the exact states beside it. */
#include "models/network/weights/used_weights.h"
#include "numeric/base/mem.h"
#include "theory/certify/round/impl.h"
#include <string.h>

#define CODE_NUMBERS ((size_t)1 << 25)

static void clear_trail(f2l_trail *t)
{
    for (size_t l = 0; t->code && l < t->layers; l++) f2l_free(t->code[l]);
    f2l_free(t->code);
    f2l_free(t->joint);
    f2l_free(t->size);
    f2l_exact_free(t->exact);
    *t = (f2l_trail){0};
}

void f2l_observer_clear(f2l_observer *o)
{
    clear_trail(&o->trail);
    f2l_chunk_free(o->chunk);
    f2l_float_net_free(o->net);
    f2l_free(o->expected);
    f2l_free(o->joint);
    o->chunk = NULL;
    o->net = NULL;
    o->expected = NULL;
    o->joint = NULL;
}

/* Returns the codes of a layer as doubles; NULL when memory is out. */
static double *layer_codes_as_doubles(const f2l_layer *layer, size_t size)
{
    double *out = f2l_calloc(layer->codes * size, sizeof *out);
    for (size_t c = 0; out && c < layer->codes; c++)
        for (size_t h = 0, offset = c * size; h < layer->heads; h++) {
            const f2l_qvec *v = &layer->code[c * layer->heads + h];
            for (size_t i = 0; i < v->count; i++)
                out[offset + v->index[i]] = mpq_get_d(v->value[i]);
            offset += layer->head[h].n * layer->head[h].d;
        }
    return out;
}

static f2l_status fill_trail(f2l_trail *t, const f2l_float_net *rounded, const f2l_net *net,
                             f2l_error *err)
{
    const f2l_net *view = f2l_used_view(rounded);
    f2l_status status = f2l_net_check_layers(net, err);
    if (status != F2L_OK) return status;
    t->joint = f2l_calloc(net->layers, 3 * sizeof *t->joint);
    t->size = f2l_calloc(net->layers, 2 * sizeof *t->size);
    t->code = f2l_calloc(net->layers, sizeof *t->code);
    if (!t->joint || !t->size || !t->code) return f2l_fail_memory(err);
    t->layers = net->layers;
    t->start = t->joint + net->layers;
    t->spare = t->start + net->layers;
    t->offset = t->size + net->layers;
    size_t offset = 0;
    for (size_t l = 0; l < net->layers; l++) {
        t->size[l] = f2l_float_layer_decoded(rounded, l);
        t->offset[l] = offset;
        offset += f2l_float_layer_size(rounded, l);
        if (view->layer[l].codes > CODE_NUMBERS / t->size[l])
            return f2l_fail(err, F2L_EDOMAIN,
                            "the codes of layer %zu are too many to be "
                            "followed",
                            l + 1);
        t->code[l] = layer_codes_as_doubles(&view->layer[l], t->size[l]);
        if (!t->code[l]) return f2l_fail_memory(err);
    }
    status = f2l_exact_new(&t->exact, net, err);
    return status == F2L_OK ? f2l_exact_start(t->exact, t->start, err) : status;
}

static f2l_status take_model(f2l_observer *o, const f2l_net *model, f2l_error *err)
{
    f2l_status status = f2l_float_net_new(&o->net, model, &o->format, o->schedule, err);
    if (status != F2L_OK) return status;
    o->numbers = f2l_float_size(o->net);
    if (!f2l_schedule_steps(o->schedule)) return f2l_chunk_new(&o->chunk, o->net, err);
    f2l_error why = {0};
    status = fill_trail(&o->trail, o->net, model, &why);
    if (status == F2L_OK) return F2L_OK;
    clear_trail(&o->trail);
    return status == F2L_EDOMAIN ? F2L_OK : f2l_fail(err, status, "%s", why.text);
}

/* Returns the rounded operations of a letter: of the letter with the most operations, in every
 * head, with one factor in heads of stages. */
static uint64_t letter_cost(const f2l_net *net)
{
    f2l_net_size stages = {0};
    f2l_wired_measure(&stages, net);
    uint64_t cost = 3 * (uint64_t)stages.states;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            size_t most = 0;
            for (size_t x = 0; x < net->layer[l].letters; x++)
                if (head->letter[x].factors > most) most = head->letter[x].factors;
            cost += (uint64_t)(2 * most + 1) * head->n * head->d;
        }
    return cost;
}

static f2l_status check_start_label(const f2l_observer *o, size_t start, f2l_error *err)
{
    if (o->edges || o->expected[o->fsa->start] == start) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the network's start label is not the label of the "
                    "automaton's start state");
}

f2l_status f2l_observer_init(f2l_observer *o, const f2l_net *model, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule, uint64_t seed,
                             const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(model);
    memset(o, 0, sizeof *o);
    o->fsa = fsa;
    o->task = task;
    o->format = *format;
    o->schedule = schedule;
    f2l_rng_init(&o->chance, seed, 1);
    if (f2l_schedule_draws(schedule, format)) o->format.choices = &o->choices;
    o->edges = face.label == F2L_LABEL_EDGES;
    f2l_status status = f2l_face_expect_any(&o->expected, &face, fsa, err);
    if (status == F2L_OK) status = check_start_label(o, model->start, err);
    if (status == F2L_OK) status = take_model(o, model, err);
    o->cost = letter_cost(model);
    if (status == F2L_OK) {
        o->joint = f2l_calloc(o->numbers, 4 * sizeof *o->joint);
        if (!o->joint) status = f2l_fail_memory(err);
    }
    if (status != F2L_OK) {
        f2l_observer_clear(o);
        return status;
    }
    o->spare = o->joint + o->numbers;
    o->best = o->spare + o->numbers;
    o->anchor = o->best + o->numbers;
    return F2L_OK;
}

void f2l_observer_start(f2l_observer *o)
{
    o->state = o->fsa->start;
    o->points = 0;
    o->largest = 0;
    if (o->chunk)
        f2l_chunk_start(o->chunk);
    else
        f2l_float_start(o->net, o->joint);
    if (o->trail.exact)
        memcpy(o->trail.joint, o->trail.start, o->trail.layers * sizeof *o->trail.joint);
}

/* Draws the choices of stochastic rounding from `bit`; only those that a step used are drawn
 * anew. */
static void draw_choices(f2l_observer *o)
{
    f2l_choices *c = &o->choices;
    size_t used = c->count < F2L_MAX_CHOICES_TAKEN ? F2L_MAX_CHOICES_TAKEN : c->at;
    for (size_t i = 0; i < used; i += 32) {
        const uint32_t bits = f2l_rng_u32(&o->chance);
        for (size_t j = 0; j < 32 && i + j < F2L_MAX_CHOICES_TAKEN; j++)
            c->bit[i + j] = (unsigned char)(bits >> j & 1);
    }
    c->count = F2L_MAX_CHOICES_TAKEN;
    c->at = 0;
    c->overflow = false;
}

f2l_status f2l_observer_step(f2l_observer *o, uint32_t *label, double *joint, size_t letter,
                             f2l_error *err)
{
    if (o->format.choices) draw_choices(o);
    return f2l_float_step(o->net, joint, letter, label, err);
}

bool f2l_observer_follow(f2l_observer *o, size_t *codes, size_t letter)
{
    size_t label;
    if (f2l_exact_step(o->trail.exact, codes, letter, &label, NULL, NULL) == F2L_OK) return true;
    clear_trail(&o->trail);
    return false;
}

double f2l_observer_distance(const f2l_observer *o, const double *joint, const size_t *codes)
{
    const f2l_trail *t = &o->trail;
    double out = 0;
    for (size_t l = 0; l < t->layers; l++) {
        const double *code = t->code[l] + codes[l] * t->size[l], *state = joint + t->offset[l];
        double squares = 0;
        for (size_t i = 0; i < t->size[l]; i++)
            squares += (state[i] - code[i]) * (state[i] - code[i]);
        if (!(squares <= out)) out = squares;
    }
    return sqrt(out);
}

void f2l_observer_note(f2l_observer *o, uint64_t length, double error)
{
    if (!(error <= o->largest)) o->largest = error;
    if ((length & (length - 1)) == 0 && o->points < F2L_OBSERVE_POINTS)
        o->seen[o->points++] = o->largest;
}

bool f2l_observer_stopped(f2l_observer *o, uint64_t steps, uint64_t done, uint64_t total)
{
    static const char phase[] = "simulating";
    if (!o->stopped)
        o->stopped = f2l_task_spend(o->task, phase, steps * o->cost, NULL) != F2L_OK ||
                     f2l_task_poll(o->task, phase, (double)done, (double)total, NULL) != F2L_OK;
    return o->stopped;
}
