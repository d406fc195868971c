/* The circuits of a level (theory/pages/zeiger.md, Z.3): the new stages, and the inputs of the
 * head. */
#include "automata/fsa/sources.h"
#include "numeric/base/mem.h"
#include "theory/construct/zeiger/impl.h"

#define BIT F2L_ZEIGER_BIT

/* Table entries of the rules; `in` is in the order of the gate's wires. */

static uint32_t give_zero(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule, (void)in;
    return 0;
}

static bool letter_leads(const f2l_zeiger *z, const f2l_zeiger_rule *rule, uint32_t letter)
{
    return z->fsa->next[rule->x * z->letters + letter] == rule->y;
}

/* (a, X_x) */
static uint32_t image_first(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    return in[1] && letter_leads(z, rule, in[0]);
}

/* (so far, a, X_x) */
static uint32_t image_more(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    return in[0] || (in[2] && letter_leads(z, rule, in[1]));
}

static uint32_t but_not(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return in[0] && !in[1];
}

/* (some y before this one is free, Y_y, I_y) */
static uint32_t first_free(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return !in[0] && in[1] && !in[2];
}

static uint32_t some_free(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return in[0] || (in[1] && !in[2]);
}

/* (reset, a, X_x, r_x) */
static uint32_t action(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)rule;
    if (in[0]) return (uint32_t)z->letters + 1 + in[3];
    return in[2] ? 1 + in[1] : 0;
}

/* (a, current of x rule->x) */
static uint32_t moves_first(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z;
    return in[1] && in[0] == rule->x;
}

/* (so far, a, current of x rule->x) */
static uint32_t moved_more(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z;
    return in[0] || (in[2] && in[1] == rule->x);
}

/* (X_x, reset, moved to, saved) */
static uint32_t old_next(const f2l_zeiger *z, const f2l_zeiger_rule *rule, const uint32_t *in)
{
    (void)z, (void)rule;
    return in[0] && !(in[1] ? in[3] : in[2]);
}

/* A block while it is written: gates are in the order of their wires. */
typedef struct writer {
    f2l_zeiger *z;
    f2l_wired_block *block;
    f2l_sources sources;
    size_t pre, post; /* gates written */
    uint32_t *image;  /* [n] wire of I_y */
    uint32_t removed; /* wires of r_y: removed + 2 y */
    uint32_t reset;   /* so far: some earlier y is free */
    uint32_t action, current, saved;
} writer;

/* Wire 0 is the letter. */
static uint32_t old_bit(size_t x)
{
    return (uint32_t)(1 + x);
}

static uint32_t new_bit(const writer *w, size_t y)
{
    return (uint32_t)(1 + w->z->n + y);
}

/* Adds the next gate; *wire is its output. */
static f2l_status put_pre(writer *w, uint32_t *wire, const f2l_zeiger_rule *rule,
                          const uint32_t *in, f2l_error *err)
{
    *wire = (uint32_t)(w->block->inputs + w->pre);
    return f2l_zeiger_gate(w->z, &w->block->pre[w->pre++], rule, in, err);
}

static f2l_status put_post(writer *w, uint32_t *wire, const f2l_zeiger_rule *rule,
                           const uint32_t *in, f2l_error *err)
{
    *wire = (uint32_t)(f2l_wired_first_post(w->block) + w->post);
    return f2l_zeiger_gate(w->z, &w->block->post[w->post++], rule, in, err);
}

/* Adds I_y: some x of the old stage goes to y. */
static f2l_status put_image_bit(writer *w, size_t y, f2l_error *err)
{
    const size_t k = w->z->letters;
    uint32_t node = w->sources.first[y], *wire = &w->image[y];
    if (node == F2L_NO_SOURCE)
        return put_pre(w, wire, &(f2l_zeiger_rule){.value = give_zero, .values = BIT}, NULL, err);
    f2l_zeiger_rule first = {image_first, 2, {k, BIT}, BIT, .x = w->sources.from[node], .y = y};
    const uint32_t in[] = {0, old_bit(first.x)};
    f2l_status status = put_pre(w, wire, &first, in, err);
    while (status == F2L_OK && (node = w->sources.link[node]) != F2L_NO_SOURCE) {
        f2l_zeiger_rule more = {image_more, 3, {BIT, k, BIT}, BIT, .x = w->sources.from[node],
                                .y = y};
        const uint32_t with[] = {*wire, 0, old_bit(more.x)};
        status = put_pre(w, wire, &more, with, err);
    }
    return status;
}

/* Adds the first state of the new stage outside the image, bit by bit; the last "some" is the
 * reset. */
static f2l_status put_free(writer *w, f2l_error *err)
{
    const f2l_zeiger_rule start = {but_not, 2, {BIT, BIT}, BIT, 0, 0};
    const f2l_zeiger_rule first = {first_free, 3, {BIT, BIT, BIT}, BIT, 0, 0};
    const f2l_zeiger_rule some = {some_free, 3, {BIT, BIT, BIT}, BIT, 0, 0};
    f2l_status status = F2L_OK;
    w->removed = (uint32_t)(w->block->inputs + w->pre);
    for (size_t y = 0; status == F2L_OK && y < w->z->n; y++) {
        const uint32_t in[] = {w->reset, new_bit(w, y), w->image[y]};
        uint32_t ignored;
        status = y == 0 ? put_pre(w, &ignored, &start, in + 1, err)
                        : put_pre(w, &ignored, &first, in, err);
        if (status == F2L_OK)
            status = y == 0 ? put_pre(w, &w->reset, &start, in + 1, err)
                            : put_pre(w, &w->reset, &some, in, err);
    }
    return status;
}

static f2l_status put_pres(writer *w, f2l_error *err)
{
    const size_t n = w->z->n, k = w->z->letters;
    const f2l_zeiger_rule act = {action, 4, {BIT, k, BIT, BIT}, k + 3, 0, 0};
    f2l_status status = F2L_OK;
    for (size_t y = 0; status == F2L_OK && y < n; y++) status = put_image_bit(w, y, err);
    if (status == F2L_OK) status = put_free(w, err);
    w->action = (uint32_t)(w->block->inputs + w->pre);
    for (size_t x = 0; status == F2L_OK && x < n; x++) {
        const uint32_t in[] = {w->reset, 0, old_bit(x), w->removed + (uint32_t)(2 * x)};
        uint32_t ignored;
        status = put_pre(w, &ignored, &act, in, err);
    }
    return status;
}

/* Adds v_x: the coordinate held now is the state to which the letter sends x. */
static f2l_status put_moved(writer *w, size_t x, uint32_t *wire, f2l_error *err)
{
    const size_t k = w->z->letters;
    const uint32_t *next = w->z->fsa->next + x * k;
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < k; a++) {
        const uint32_t in[] = {*wire, 0, w->current + next[a]};
        const f2l_zeiger_rule first = {moves_first, 2, {k, BIT}, BIT, .x = a, .y = 0};
        const f2l_zeiger_rule more = {moved_more, 3, {BIT, k, BIT}, BIT, .x = a, .y = 0};
        status =
            a == 0 ? put_post(w, wire, &first, in + 1, err) : put_post(w, wire, &more, in, err);
    }
    return status;
}

/* Adds both stages without their coordinates, and the outputs. */
static f2l_status put_stage_bits(writer *w, const uint32_t *moved, f2l_error *err)
{
    const size_t n = w->z->n;
    const f2l_zeiger_rule old = {old_next, 4, {BIT, BIT, BIT, BIT}, BIT, 0, 0};
    const f2l_zeiger_rule new = {but_not, 2, {BIT, BIT}, BIT, 0, 0};
    f2l_status status = F2L_OK;
    w->block->output[0] = 0;
    for (size_t x = 0; status == F2L_OK && x < n; x++) {
        const uint32_t in[] = {old_bit(x), w->reset, moved[x], w->saved + (uint32_t)x};
        status = put_post(w, &w->block->output[1 + x], &old, in, err);
    }
    for (size_t y = 0; status == F2L_OK && y < n; y++) {
        const uint32_t in[] = {new_bit(w, y), w->current + (uint32_t)y};
        status = put_post(w, &w->block->output[1 + n + y], &new, in, err);
    }
    return status;
}

static f2l_status put_zeiger_posts(writer *w, f2l_error *err)
{
    const size_t n = w->z->n;
    uint32_t *moved = f2l_calloc(n, sizeof *moved);
    f2l_status status = moved ? F2L_OK : f2l_fail_memory(err);
    for (size_t x = 0; status == F2L_OK && x < n; x++) status = put_moved(w, x, &moved[x], err);
    if (status == F2L_OK) status = put_stage_bits(w, moved, err);
    f2l_free(moved);
    return status;
}

#define READOUT_STEPS (160 + 2 * F2L_ENTRY_STEPS)

/* Adds the readouts: a pair of equal rows each, current copies first. */
static f2l_status put_readouts(f2l_zeiger *z, f2l_wired_block *block, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t r = 0; status == F2L_OK && r < block->readouts; r++) {
        status = f2l_meter_spend(&z->meter, READOUT_STEPS, (double)r, (double)block->readouts, err);
        if (status != F2L_OK) break;
        f2l_wired_readout *readout = &block->readout[r];
        status = f2l_wired_readout_set(readout, 0, 2 * r, 2, 2, err);
        for (uint32_t row = 0; status == F2L_OK && row < 2; row++)
            status = f2l_qvec_push_si(&readout->code[1], row, 1, 1, err);
    }
    return status;
}

static f2l_status put_block(writer *w, f2l_error *err)
{
    const size_t n = w->z->n, k = w->z->letters;
    const size_t pres = w->sources.nodes + w->sources.empty + 3 * n;
    const uint64_t gates = pres + (k + 2) * n;
    f2l_status status = f2l_meter_spend(
        &w->z->meter, gates * F2L_ZEIGER_GATE_STEPS + 2 * n * READOUT_STEPS / 2, 0, 0, err);
    if (status == F2L_OK)
        status = f2l_wired_block_set(w->block, pres, 1, 2 * n, (k + 2) * n, 1 + 2 * n, err);
    if (status != F2L_OK) return status;
    w->current = (uint32_t)f2l_wired_first_readout(w->block);
    w->saved = w->current + (uint32_t)n;
    status = put_pres(w, err);
    if (status == F2L_OK)
        status = f2l_zeiger_head(w->z, &w->block->head[0], w->reset, w->action, err);
    if (status == F2L_OK) status = put_readouts(w->z, w->block, err);
    return status == F2L_OK ? put_zeiger_posts(w, err) : status;
}

f2l_status f2l_zeiger_level(f2l_zeiger *z, f2l_wired_block *block, f2l_error *err)
{
    writer w = {.z = z, .block = block};
    const size_t n = z->n;
    f2l_status status = f2l_zeiger_inputs(z, block, err);
    if (status == F2L_OK)
        status =
            f2l_task_spend(z->task, "wiring", (n * z->letters + n) * 2 * sizeof(uint32_t), err);
    if (status == F2L_OK) status = f2l_sources_init(&w.sources, z->fsa, err);
    if (status != F2L_OK) return status;
    w.image = f2l_calloc(z->n, sizeof *w.image);
    status = w.image ? put_block(&w, err) : f2l_fail_memory(err);
    f2l_free(w.image);
    f2l_sources_clear(&w.sources);
    return status;
}
