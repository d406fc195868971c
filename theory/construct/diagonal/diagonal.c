#include "theory/construct/diagonal/diagonal.h"
#include "numeric/base/mem.h"
#include "theory/construct/diagonal/impl.h"

void f2l_diagonal_init(f2l_diagonal *d)
{
    *d = (f2l_diagonal){0};
}

void f2l_diagonal_clear(f2l_diagonal *d)
{
    for (size_t l = 0; d->level && l < d->levels; l++) f2l_refined_clear(&d->level[l]);
    for (size_t l = 0; d->frame && l < d->levels; l++) f2l_frame_clear(&d->frame[l]);
    f2l_free(d->level);
    f2l_free(d->frame);
    f2l_free(d->delays);
    f2l_diagonal_init(d);
}

bool f2l_diagonal_coordinate(const void *context, size_t l, uint32_t set, const size_t *code,
                             uint32_t *coordinate)
{
    const f2l_diagonal *d = context;
    const f2l_refined *r = &d->frame[l].of;
    const f2l_refine_part *p = f2l_refine_part_of(&d->level[l], d->cascade, set);
    uint32_t tuple = 0;
    for (size_t k = 0; k < r->layers; k++)
        tuple +=
            f2l_diagonal_tuple_of(r, k, k + 1 == r->layers && d->delays[l] ? code[k] / 2 : code[k]);
    tuple = f2l_frame_take(&d->frame[l], tuple);
    if (p->at[tuple] == F2L_NO_CONFIGURATION) return false;
    *coordinate = p->point[p->at[tuple]];
    return true;
}

typedef struct builder {
    f2l_net *net;
    f2l_diagonal *out;
    f2l_t4_report *report;
    const f2l_cascade *cascade;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_diagonal_target target;
    uint32_t *label_of;         /* [states] */
    uint32_t *coordinate;       /* [levels] of the start */
    uint32_t *stage;            /* [levels] the start chain's set there, or F2L_NO_SET */
    f2l_diagonal_plane **plane; /* [planes] one for each odd prime */
    size_t planes, plane_capacity;
} builder;

static void builder_clear(builder *b)
{
    for (size_t i = 0; i < b->planes; i++) {
        f2l_diagonal_plane_clear(b->plane[i]);
        f2l_free(b->plane[i]);
    }
    f2l_free(b->plane);
    f2l_free(b->label_of);
    f2l_free(b->coordinate);
    f2l_free(b->stage);
}

static f2l_status make_diagonal_room(builder *b, f2l_error *err)
{
    const size_t levels = b->cascade->levels;
    b->label_of = f2l_calloc(b->fsa->states.count, sizeof *b->label_of);
    b->coordinate = f2l_calloc(levels, sizeof *b->coordinate);
    b->stage = f2l_calloc(levels, sizeof *b->stage);
    b->report->level = f2l_calloc(levels, sizeof *b->report->level);
    b->report->layers = f2l_calloc(levels, sizeof *b->report->layers);
    b->out->level = f2l_calloc(levels, sizeof *b->out->level);
    b->out->frame = f2l_calloc(levels, sizeof *b->out->frame);
    b->out->delays = f2l_calloc(levels, sizeof *b->out->delays);
    if (!b->label_of || !b->coordinate || !b->stage || !b->report->level || !b->report->layers ||
        !b->out->level || !b->out->frame || !b->out->delays)
        return f2l_fail_memory(err);
    b->out->levels = levels;
    b->out->cascade = b->cascade;
    return F2L_OK;
}

/* Finds the stages of the chain that names the start. */
static void find_stages(builder *b)
{
    const f2l_cascade *c = b->cascade;
    uint32_t set = 0;
    f2l_cascade_encode(c, b->fsa->start, b->coordinate);
    for (size_t l = 0; l < c->levels; l++) {
        const bool here = c->lambda[set] == l + 1;
        b->stage[l] = here ? set : F2L_NO_SET;
        if (here) set = c->cover[c->cover_at[set] + b->coordinate[l]];
    }
}

static f2l_t4_plan plan_of(const builder *b, size_t l)
{
    const f2l_level *level = &b->cascade->level[l];
    return (f2l_t4_plan){.cascade = b->cascade,
                         .level = level,
                         .l = l + 1,
                         .task = b->task,
                         .gated = b->target != F2L_DIAGONAL_ONE,
                         .m = level->width};
}

/* Returns whether a reset loses an old coordinate that the next level needs. */
static bool needs_delay(const f2l_t4_plan *plan)
{
    bool lost = false;
    for (size_t i = 0; !lost && plan->l < plan->cascade->levels && i < plan->level->contexts; i++)
        lost = f2l_t4_loses(plan, &plan->level->context[i]);
    return lost;
}

static f2l_status refine_levels(builder *b, const f2l_components *groups, size_t *layers,
                                f2l_error *err)
{
    const bool real = b->target == F2L_DIAGONAL_REAL, one = b->target == F2L_DIAGONAL_ONE;
    f2l_status status = F2L_OK;
    *layers = 0;
    for (size_t l = 0; status == F2L_OK && l < b->cascade->levels; l++) {
        const f2l_t4_plan plan = plan_of(b, l);
        status = f2l_refine(&b->out->level[l], b->cascade, groups, l + 1, real, b->task, err);
        if (status == F2L_OK)
            status = f2l_frame_build(&b->out->frame[l], &b->out->level[l], l + 1, one,
                                     plan.level->resets > 0, err);
        b->out->delays[l] = needs_delay(&plan);
        b->report->layers[l] = b->out->frame[l].of.layers + b->out->delays[l];
        *layers += b->report->layers[l];
    }
    return status;
}

static f2l_status plane_for(f2l_diagonal_plane **out, builder *b, size_t prime, f2l_error *err)
{
    for (size_t i = 0; i < b->planes; i++) {
        *out = b->plane[i];
        if (b->plane[i]->plane.m == prime) return F2L_OK;
    }
    if (!f2l_grow((void **)&b->plane, &b->plane_capacity, b->planes, sizeof(f2l_diagonal_plane *)))
        return f2l_fail_memory(err);
    *out = f2l_calloc(1, sizeof **out);
    if (!*out) return f2l_fail_memory(err);
    b->plane[b->planes++] = *out;
    return f2l_diagonal_plane_init(*out, prime, err);
}

static f2l_status find_planes(f2l_diagonal_level *level, builder *b, f2l_error *err)
{
    const f2l_frame *f = level->frame;
    f2l_status status = F2L_OK;
    for (size_t i = 1; status == F2L_OK && i < f->of.coordinates; i++)
        if (f->kind[i] == F2L_CELL_PLANE || f->kind[i] == F2L_CELL_TURN)
            status = plane_for(&level->plane[i], b, f->prime[i], err);
    return status;
}

static void level_clear(f2l_diagonal_level *level)
{
    f2l_free(level->plane);
    f2l_free(level->letters);
    f2l_free(level->outcome);
    f2l_free(level->map);
    for (size_t i = 0; i < 2; i++) {
        f2l_free(level->number[i].of);
        f2l_free(level->number[i].seen);
    }
}

static f2l_status init_diagonal_level(f2l_diagonal_level *level, builder *b, size_t l,
                                      f2l_error *err)
{
    const f2l_frame *f = &b->out->frame[l];
    const f2l_refined *base = f->base, *r = &f->of;
    size_t most = 1, outcomes;
    for (size_t i = 0; i < base->parts; i++)
        if (base->part[i].configurations > most) most = base->part[i].configurations;
    *level = (f2l_diagonal_level){
        .plan = plan_of(b, l), .frame = f, .cells = r, .base = base, .delays = b->out->delays[l]};
    if (!f2l_mul_size(&outcomes, most, f->hidden)) return f2l_fail_memory(err);
    level->label_of = b->label_of;
    level->symbols =
        l + 1 < b->cascade->levels ? b->cascade->level[l + 1].contexts : b->net->labels.count;
    level->start = b->coordinate[l];
    if (b->stage[l] != F2L_NO_SET) {
        const f2l_refine_part *p = f2l_refine_part_of(base, b->cascade, b->stage[l]);
        level->start_tuple = f2l_frame_put(f, p->tuple[p->first[level->start]], 0);
    }
    f2l_status status = f2l_task_spend(
        b->task, "letters of a level",
        outcomes * sizeof *level->outcome + r->tuples * 4 * sizeof *level->number[0].of, err);
    if (status != F2L_OK) return status;
    level->plane = f2l_calloc(r->coordinates, sizeof(f2l_diagonal_plane *));
    level->letters = f2l_calloc(r->layers + 1, sizeof *level->letters);
    level->outcome = f2l_calloc(outcomes, sizeof *level->outcome);
    level->map = f2l_calloc(most, sizeof *level->map);
    bool room = level->plane && level->letters && level->outcome && level->map;
    for (size_t i = 0; i < 2; i++) {
        level->number[i].of = f2l_calloc(r->tuples, sizeof *level->number[i].of);
        level->number[i].seen = f2l_calloc(r->tuples, sizeof *level->number[i].seen);
        room = room && level->number[i].of && level->number[i].seen;
    }
    return room ? find_planes(level, b, err) : f2l_fail_memory(err);
}

/* Adds the figures of the level's layers to the report. */
static void report_diagonal_level(builder *b, size_t l, const f2l_layer *layer)
{
    f2l_t4_level *out = &b->report->level[l];
    const f2l_level *level = &b->cascade->level[l];
    *out = (f2l_t4_level){.delays = b->out->delays[l],
                          .cells = true,
                          .width = level->width,
                          .contexts = level->contexts,
                          .codes = layer->codes};
    for (const f2l_layer *at = layer; at < layer + b->report->layers[l]; at++) {
        size_t factors;
        f2l_t4_measure(&out->householders, &factors, at);
        out->factors += factors;
    }
    b->report->delays += out->delays;
    b->report->contexts += out->contexts;
}

static f2l_status build_level(builder *b, size_t l, f2l_layer *layer, f2l_error *err)
{
    f2l_diagonal_level level;
    f2l_status status =
        f2l_task_poll(b->task, "layers", (double)l, (double)b->cascade->levels, err);
    if (status != F2L_OK) return status;
    status = init_diagonal_level(&level, b, l, err);
    if (status == F2L_OK) status = f2l_diagonal_layers(layer, &level, err);
    if (status == F2L_OK) report_diagonal_level(b, l, layer);
    level_clear(&level);
    return status;
}

static f2l_status build_diagonal_layers(builder *b, const f2l_components *groups, f2l_error *err)
{
    const size_t levels = b->cascade->levels;
    size_t layers = 0, at = 0;
    f2l_status status = make_diagonal_room(b, err);
    if (status == F2L_OK) status = f2l_t4_add_labels(b->net, b->label_of, b->fsa, err);
    if (status == F2L_OK) status = f2l_names_copy(&b->net->letters, &b->fsa->letters, err);
    if (status == F2L_OK) status = refine_levels(b, groups, &layers, err);
    if (status == F2L_OK) status = f2l_net_set_layers(b->net, levels > 0 ? layers : 1, err);
    if (status == F2L_OK && levels == 0) status = f2l_t4_build_still(b->net, err);
    if (status == F2L_OK) find_stages(b);
    for (size_t l = 0; status == F2L_OK && l < levels; at += b->report->layers[l++])
        status = build_level(b, l, &b->net->layer[at], err);
    return status;
}

f2l_status f2l_diagonal_build(f2l_net *net, f2l_diagonal *out, f2l_t4_report *report,
                              const f2l_cascade *cascade, const f2l_components *groups,
                              const f2l_fsa *fsa, f2l_label label, f2l_diagonal_target target,
                              const f2l_task *task, f2l_error *err)
{
    f2l_net_clear(net);
    f2l_diagonal_clear(out);
    f2l_t4_report_clear(report);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    net->label = label;
    report->levels = cascade->levels;
    report->gated = target != F2L_DIAGONAL_ONE;
    builder b = {.net = net,
                 .out = out,
                 .report = report,
                 .cascade = cascade,
                 .fsa = fsa,
                 .task = task,
                 .target = target};
    status = build_diagonal_layers(&b, groups, err);
    builder_clear(&b);
    if (status == F2L_OK) return F2L_OK;
    f2l_net_clear(net);
    f2l_diagonal_clear(out);
    f2l_t4_report_clear(report);
    return status;
}
