/* The network of L.10 from a cascade. Statements: theory/pages/blocks.md. */
#include "theory/construct/blocks/blocks.h"
#include "automata/gset/gset.h"
#include "numeric/base/mem.h"
#include "theory/construct/blocks/impl.h"
#include "theory/construct/d1/d1_ticks.h"

typedef struct plan {
    f2l_net *net;
    const f2l_cascade *cascade;
    const f2l_task *task;
    size_t householders;
    f2l_d1_ticks ticks;
    f2l_blocks_level *level; /* [levels] */
    uint32_t *label_of;      /* [states], with labels `edges` [states][letters] */
    uint32_t *start;         /* [levels] coordinates of the start */
} plan;

static f2l_status init_levels(plan *p, f2l_error *err)
{
    const f2l_cascade *c = p->cascade;
    f2l_status status = F2L_OK;
    const size_t each = p->net->label == F2L_LABEL_EDGES ? c->fsa->letters.count : 1;
    p->level = f2l_calloc(c->levels, sizeof *p->level);
    p->start = f2l_calloc(c->levels, sizeof *p->start);
    p->label_of = f2l_calloc(c->fsa->states.count, each * sizeof *p->label_of);
    if (!p->level || !p->start || !p->label_of) return f2l_fail_memory(err);
    f2l_cascade_encode(c, c->fsa->start, p->start);
    for (size_t l = 1; status == F2L_OK && l <= c->levels; l++)
        status = f2l_blocks_level_init(&p->level[l - 1], c, l, p->start[l - 1], p->task, err);
    return status;
}

/* Lists the products for the blocks of the clock; *most becomes the most factors that one needs. */
static f2l_status list_products(plan *p, size_t *most, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *most = 0;
    for (size_t l = 0; status == F2L_OK && l < p->cascade->levels; l++) {
        size_t needs = 0;
        status = f2l_blocks_products(&p->level[l], p->ticks.block, &needs, err);
        if (needs > *most) *most = needs;
    }
    return status;
}

/* Chooses the fewest layers, then the shortest blocks. Ends when a block has as many tokens as the
 * widest level has points, and one more. */
static f2l_status choose_blocks(plan *p, f2l_blocks_report *report, f2l_error *err)
{
    for (size_t least = 1;; least = p->ticks.block + 1) {
        f2l_status status = f2l_d1_ticks_choose(&p->ticks, p->householders, least, err);
        if (status == F2L_OK) status = list_products(p, &report->factors, err);
        if (status != F2L_OK) return status;
        if ((report->factors + p->householders - 1) / p->householders <= p->ticks.block)
            return F2L_OK;
    }
}

static f2l_status put_blocks(plan *p, f2l_error *err)
{
    const size_t levels = p->cascade->levels, clock = p->ticks.layers;
    f2l_blocks b = {.net = p->net, .task = p->task, .tables = p->ticks.tables};
    f2l_status status = f2l_wired_set_tables(
        p->net, p->ticks.tables + levels * f2l_blocks_tables(p->ticks.block), err);
    if (status == F2L_OK) status = f2l_wired_set_blocks(p->net, clock + 2 * levels, err);
    if (status == F2L_OK)
        status = f2l_d1_ticks_put(p->net, &p->ticks, p->cascade->fsa->letters.count, p->task, err);
    for (size_t l = 0; status == F2L_OK && l < levels; l++) {
        f2l_blocks_level *v = &p->level[l];
        const bool last = l + 1 == levels;
        v->next_symbols = last ? p->net->labels.count : p->cascade->level[l + 1].contexts;
        v->label_of = last ? p->label_of : NULL;
        v->edges = p->net->label == F2L_LABEL_EDGES;
        status = f2l_blocks_put_level(&b, v, clock + 2 * l, last, err);
    }
    return status;
}

/* Makes the stages; the points of a level are its first codes. */
static f2l_status put_stages(plan *p, f2l_error *err)
{
    const size_t stages = p->net->blocks, clock = p->ticks.layers;
    size_t *block_of = f2l_calloc(stages, sizeof *block_of);
    if (!block_of) return f2l_fail_memory(err);
    for (size_t l = 0; l < stages; l++) block_of[l] = l;
    f2l_status status = f2l_wired_set_stages(p->net, stages, block_of, err);
    f2l_free(block_of);
    if (status == F2L_OK) status = f2l_d1_ticks_start(p->net, &p->ticks, err);
    for (size_t l = 0; status == F2L_OK && l < p->cascade->levels; l++) {
        const size_t at = clock + 2 * l + 1;
        status = f2l_qvec_copy(&p->net->stage[at].initial[0],
                               &p->net->block[at].readout[0].code[p->start[l]], err);
    }
    return status;
}

static f2l_status put_labels(plan *p, f2l_error *err)
{
    f2l_reach reach;
    const f2l_fsa *fsa = p->cascade->fsa;
    f2l_status status = f2l_names_copy(&p->net->letters, &fsa->letters, err);
    p->net->start = F2L_NO_INDEX;
    if (status == F2L_OK && p->net->label == F2L_LABEL_EDGES)
        return f2l_fsa_edge_labels(&p->net->labels, p->label_of, fsa, err);
    if (status == F2L_OK) status = f2l_reach_init(&reach, fsa, err);
    if (status != F2L_OK) return status;
    status = f2l_reach_labels(&p->net->labels, &p->net->start, p->label_of, &reach, fsa,
                              p->net->label, err);
    f2l_reach_clear(&reach);
    return status;
}

static void fill_report(f2l_blocks_report *report, const plan *p)
{
    report->levels = p->cascade->levels;
    report->clock_layers = p->ticks.layers;
    report->block = p->ticks.block;
    for (size_t l = 0; l < report->levels; l++) {
        const f2l_blocks_level *v = &p->level[l];
        if (v->m > report->width) report->width = v->m;
        if (v->act.count > report->acts) report->acts = v->act.count;
        if (v->element.count > report->elements) report->elements = v->element.count;
        if (v->code.count > report->codes) report->codes = v->code.count;
    }
}

static f2l_status build_level_blocks(plan *p, f2l_blocks_report *report, f2l_error *err)
{
    f2l_status status = init_levels(p, err);
    if (status == F2L_OK) status = choose_blocks(p, report, err);
    for (size_t l = 0; status == F2L_OK && l < p->cascade->levels; l++)
        status = f2l_blocks_split(&p->level[l], p->householders, err);
    if (status == F2L_OK) status = put_labels(p, err);
    if (status == F2L_OK) status = put_blocks(p, err);
    if (status == F2L_OK) status = put_stages(p, err);
    if (status == F2L_OK) fill_report(report, p);
    return status;
}

f2l_status f2l_blocks_build(f2l_net *out, f2l_blocks_report *report, const f2l_cascade *cascade,
                            f2l_label label, size_t householders, const f2l_task *task,
                            f2l_error *err)
{
    plan p = {.net = out, .cascade = cascade, .task = task, .householders = householders};
    *report = (f2l_blocks_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_has_label(cascade->fsa, label, err);
    if (status != F2L_OK) return status;
    if (householders == 0 || cascade->levels == 0)
        return f2l_fail(err, F2L_EDOMAIN, "blocks need a factor and a cascade with a level");
    out->label = label;
    status = build_level_blocks(&p, report, err);
    if (status != F2L_OK) f2l_net_clear(out);
    for (size_t l = 0; p.level && l < cascade->levels; l++) f2l_blocks_level_clear(&p.level[l]);
    f2l_free(p.level);
    f2l_free(p.start);
    f2l_free(p.label_of);
    return status;
}
