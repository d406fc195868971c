/* A part of a product as a network and an automaton of its own. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/product.h"
#include <stdio.h>
#include <string.h>

void f2l_part_clear(f2l_part *part)
{
    f2l_names_clear(&part->net.letters);
    f2l_names_clear(&part->net.labels);
    f2l_free(part->net.block);
    f2l_free(part->net.stage);
    f2l_fsa_clear(&part->fsa);
    f2l_free(part->gate);
    f2l_free(part->head);
    f2l_free(part->readout);
    f2l_free(part->wire);
    *part = (f2l_part){0};
}

/* The work on one block for one part. */
typedef struct cutter {
    const f2l_net *net;
    const f2l_division *division;
    size_t part, block;
    const f2l_wired_block *from;
    f2l_share before, own; /* things of the block before the part's, and the part's */
    size_t readouts_before, readouts;
    f2l_part *out;
    size_t gates, heads, codes, wires; /* that *out has so far */
} cutter;

static f2l_share *share_of_part(const f2l_division *d, size_t block, size_t part)
{
    return &d->share[block * d->parts + part];
}

static void add_share(f2l_share *to, const f2l_share *more)
{
    to->inputs += more->inputs;
    to->pres += more->pres;
    to->heads += more->heads;
    to->posts += more->posts;
    to->outputs += more->outputs;
}

/* Goes to a block, whose shares fit it (check_shares). */
static void turn_to(cutter *c, size_t block)
{
    const f2l_division *d = c->division;
    c->block = block;
    c->from = &c->net->block[block];
    c->before = (f2l_share){0};
    c->own = *share_of_part(d, block, c->part);
    for (size_t i = 0; i < c->part; i++) add_share(&c->before, share_of_part(d, block, i));
    c->readouts_before = c->readouts = 0;
    for (size_t r = 0; r < c->from->readouts; r++) {
        c->readouts_before += c->from->readout[r].head < c->before.heads;
        c->readouts += c->from->readout[r].head >= c->before.heads &&
                       c->from->readout[r].head < c->before.heads + c->own.heads;
    }
}

/* --- which wires are whose --- */

/* Sets *out to the number of the block's wire in the part. */
static f2l_status wire_of_part(uint32_t *out, const cutter *c, size_t wire, f2l_error *err)
{
    const f2l_wired_block *b = c->from;
    const size_t from[] = {c->before.inputs, b->inputs + c->before.pres,
                           f2l_wired_first_readout(b) + c->readouts_before,
                           f2l_wired_first_post(b) + c->before.posts},
                 has[] = {c->own.inputs, c->own.pres, c->readouts, c->own.posts};
    size_t at = 0;
    for (size_t kind = 0; kind < 4; at += has[kind++])
        if (wire >= from[kind] && wire - from[kind] < has[kind]) {
            *out = (uint32_t)(at + wire - from[kind]);
            return F2L_OK;
        }
    return f2l_fail(err, F2L_UNKNOWN, "block %zu: part %zu reads wire %zu of another part",
                    c->block + 1, c->part + 1, wire + 1);
}

/* Sets *out to room for `count` wires, which are the part's numbers of the block's. */
static f2l_status take_wires(uint32_t **out, cutter *c, const uint32_t *from, size_t count,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = c->out->wire + c->wires;
    c->wires += count;
    for (size_t i = 0; status == F2L_OK && i < count; i++)
        status = wire_of_part(&(*out)[i], c, from[i], err);
    return status;
}

static f2l_status take_gates(f2l_wired_gate **out, cutter *c, const f2l_wired_gate *from,
                             size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = c->out->gate + c->gates;
    c->gates += count;
    for (size_t g = 0; status == F2L_OK && g < count; g++) {
        (*out)[g] = from[g];
        status =
            take_wires(&(*out)[g].wire, c, from[g].wire, c->net->table[from[g].table].inputs, err);
    }
    return status;
}

static f2l_status take_heads(f2l_wired_block *out, cutter *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->head = c->out->head + c->heads;
    out->readout = c->out->readout + c->codes;
    out->heads = c->own.heads;
    out->readouts = c->readouts;
    c->heads += out->heads;
    c->codes += out->readouts;
    for (size_t h = 0; status == F2L_OK && h < out->heads; h++) {
        const f2l_wired_head *from = &c->from->head[c->before.heads + h];
        out->head[h] = *from;
        status = take_wires(&out->head[h].wire, c, from->wire, from->slots, err);
    }
    for (size_t r = 0; r < out->readouts; r++) {
        out->readout[r] = c->from->readout[c->readouts_before + r];
        out->readout[r].head -= c->before.heads;
    }
    return status;
}

static f2l_status take_block(f2l_wired_block *out, cutter *c, f2l_error *err)
{
    const f2l_wired_block *from = c->from;
    *out = (f2l_wired_block){.inputs = c->own.inputs,
                             .input_size = from->input_size + c->before.inputs,
                             .pres = c->own.pres,
                             .posts = c->own.posts,
                             .outputs = c->own.outputs};
    f2l_status status = take_gates(&out->pre, c, from->pre + c->before.pres, out->pres, err);
    if (status == F2L_OK) status = take_heads(out, c, err);
    if (status == F2L_OK)
        status = take_gates(&out->post, c, from->post + c->before.posts, out->posts, err);
    if (status == F2L_OK)
        status = take_wires(&out->output, c, from->output + c->before.outputs, out->outputs, err);
    return status;
}

/* --- blocks that are equal --- */

static bool same_wire_list(const uint32_t *a, const uint32_t *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_gates(const f2l_net *net, const f2l_wired_gate *a, const f2l_wired_gate *b,
                       size_t count)
{
    bool same = true;
    for (size_t g = 0; same && g < count; g++)
        same = a[g].table == b[g].table &&
               same_wire_list(a[g].wire, b[g].wire, net->table[a[g].table].inputs);
    return same;
}

static bool same_wired_head(const f2l_wired_head *a, const f2l_wired_head *b)
{
    bool same = a->head.n == b->head.n && a->head.d == b->head.d && a->slots == b->slots &&
                same_wire_list(a->wire, b->wire, a->slots) &&
                memcmp(a->slot_at, b->slot_at, (a->slots + 1) * sizeof *a->slot_at) == 0;
    for (size_t x = 0; same && x < a->slot_at[a->slots]; x++)
        same = f2l_transition_equal(&a->head.letter[x], &b->head.letter[x]);
    return same;
}

static bool same_readout(const f2l_wired_readout *a, const f2l_wired_readout *b)
{
    bool same =
        a->head == b->head && a->row == b->row && a->rows == b->rows && a->codes == b->codes;
    for (size_t i = 0; same && i < a->codes; i++)
        same = f2l_qvec_compare(&a->code[i], &b->code[i]) == 0;
    return same;
}

static bool same_wired_block(const f2l_net *net, const f2l_wired_block *a, const f2l_wired_block *b)
{
    bool same = a->inputs == b->inputs && a->pres == b->pres && a->heads == b->heads &&
                a->readouts == b->readouts && a->posts == b->posts && a->outputs == b->outputs;
    same = same && memcmp(a->input_size, b->input_size, a->inputs * sizeof *a->input_size) == 0 &&
           same_wire_list(a->output, b->output, a->outputs) &&
           same_gates(net, a->pre, b->pre, a->pres) && same_gates(net, a->post, b->post, a->posts);
    for (size_t h = 0; same && h < a->heads; h++) same = same_wired_head(&a->head[h], &b->head[h]);
    for (size_t r = 0; same && r < a->readouts; r++)
        same = same_readout(&a->readout[r], &b->readout[r]);
    return same;
}

/* --- the network --- */

/* Makes the arrays that hold the part's share of all blocks. */
static f2l_status make_part_room(cutter *c, f2l_error *err)
{
    const f2l_net *net = c->net;
    f2l_part *out = c->out;
    size_t gates = 0, heads = 0, readouts = 0, wires = 0;
    for (size_t b = 1; b + 1 < net->blocks; b++) {
        turn_to(c, b);
        gates += c->own.pres + c->own.posts;
        heads += c->own.heads;
        readouts += c->readouts;
        wires += c->own.outputs;
        for (size_t g = 0; g < c->own.pres; g++)
            wires += net->table[c->from->pre[c->before.pres + g].table].inputs;
        for (size_t g = 0; g < c->own.posts; g++)
            wires += net->table[c->from->post[c->before.posts + g].table].inputs;
        for (size_t h = 0; h < c->own.heads; h++) wires += c->from->head[c->before.heads + h].slots;
    }
    out->gate = f2l_calloc(gates, sizeof *out->gate);
    out->head = f2l_calloc(heads, sizeof *out->head);
    out->readout = f2l_calloc(readouts, sizeof *out->readout);
    out->wire = f2l_calloc(wires, sizeof *out->wire);
    out->net.block = f2l_calloc(net->blocks, sizeof *out->net.block);
    out->net.stage = f2l_calloc(c->division->part[c->part].stages, sizeof *out->net.stage);
    return out->gate && out->head && out->readout && out->wire && out->net.block && out->net.stage
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Sets of[block] to the part's block for a block of the network. */
static f2l_status add_part_block(uint32_t *of, cutter *c, f2l_error *err)
{
    f2l_net *out = &c->out->net;
    const cutter before = *c;
    f2l_wired_block *now = &out->block[out->blocks];
    uint32_t at = 0;
    f2l_status status = take_block(now, c, err);
    if (status != F2L_OK) return status;
    while (at < out->blocks && !same_wired_block(c->net, now, &out->block[at])) at++;
    of[c->block] = at;
    if (at == out->blocks)
        out->blocks++;
    else
        *c = before;
    return F2L_OK;
}

static f2l_status cut_stages(cutter *c, f2l_error *err)
{
    const f2l_division_part *part = &c->division->part[c->part];
    const f2l_net *net = c->net;
    f2l_net *out = &c->out->net;
    f2l_status status = make_part_room(c, err);
    if (status != F2L_OK) return status;
    uint32_t *of = f2l_calloc(net->blocks, sizeof *of);
    if (!of) return f2l_fail_memory(err);
    memset(of, 0xff, net->blocks * sizeof *of);
    out->table = net->table;
    out->tables = net->tables;
    for (size_t l = 0; status == F2L_OK && l < part->stages; l++) {
        const f2l_wired_stage *from = &net->stage[part->first + l];
        turn_to(c, from->block);
        if (of[from->block] == UINT32_MAX) status = add_part_block(of, c, err);
        out->stage[l] =
            (f2l_wired_stage){of[from->block], c->own.heads, from->initial + c->before.heads};
    }
    out->stages = part->stages;
    f2l_free(of);
    return status;
}

/* --- the automaton of the classes --- */

/* Adds the names "1", "2", .., `count` of them. */
static f2l_status add_numerals(f2l_names *names, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; status == F2L_OK && i < count; i++) {
        char text[24];
        const int size = snprintf(text, sizeof text, "%zu", i + 1);
        status = f2l_names_add(names, text, (size_t)size, &index, err);
    }
    return status;
}

/* Adds the transitions of a state's class. kind[letter]: the part's letter. */
static f2l_status add_class_transitions(f2l_fsa *out, const f2l_division_part *part,
                                        const f2l_fsa *fsa, size_t q, const uint32_t *kind,
                                        f2l_error *err)
{
    for (size_t a = 0; a < fsa->letters.count; a++) {
        const uint32_t after = part->class_of[fsa->next[q * fsa->letters.count + a]];
        uint32_t *known = &out->next[part->class_of[q] * part->letters + kind[a]];
        if (after == UINT32_MAX || (*known != UINT32_MAX && *known != after))
            return f2l_fail(err, F2L_UNKNOWN, "the classes are no congruence at state %zu", q + 1);
        *known = after;
    }
    return F2L_OK;
}

static f2l_status make_part_automaton(f2l_fsa *out, const f2l_division_part *part,
                                      const f2l_fsa *fsa, const uint32_t *kind, f2l_error *err)
{
    const size_t edges = part->classes * part->letters;
    f2l_status status = add_numerals(&out->letters, part->letters, err);
    if (status == F2L_OK) status = add_numerals(&out->states, part->classes, err);
    if (status != F2L_OK) return status;
    out->next = f2l_calloc(edges, sizeof *out->next);
    out->accept = f2l_calloc(part->classes, sizeof *out->accept);
    if (!out->next || !out->accept) return f2l_fail_memory(err);
    memset(out->next, 0xff, edges * sizeof *out->next);
    if (part->class_of[fsa->start] == UINT32_MAX)
        return f2l_fail(err, F2L_UNKNOWN, "the start state has no class");
    out->start = part->class_of[fsa->start];
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++)
        if (part->class_of[q] != UINT32_MAX)
            status = add_class_transitions(out, part, fsa, q, kind, err);
    for (size_t e = 0; status == F2L_OK && e < edges; e++)
        if (out->next[e] == UINT32_MAX)
            status = f2l_fail(err, F2L_UNKNOWN, "a class or a letter of a part is not used");
    return status;
}

/* --- both --- */

/* Fails unless the parts' shares of a block are all of it. */
static f2l_status check_shares(const f2l_net *net, const f2l_division *d, size_t b, f2l_error *err)
{
    const f2l_wired_block *block = &net->block[b];
    f2l_share all = {0};
    bool fits = true;
    for (size_t i = 0; fits && i < d->parts; i++) {
        add_share(&all, share_of_part(d, b, i));
        fits = all.inputs <= block->inputs && all.pres <= block->pres &&
               all.heads <= block->heads && all.posts <= block->posts &&
               all.outputs <= block->outputs;
    }
    return fits && all.inputs == block->inputs && all.pres == block->pres &&
                   all.heads == block->heads && all.posts == block->posts &&
                   all.outputs == block->outputs
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "the parts are not all of block %zu", b + 1);
}

/* Fails unless outside its stages the part only passes one wire on. */
static f2l_status check_part_idles(const cutter *c, f2l_error *err)
{
    const f2l_share *s = &c->own;
    uint32_t wire = 1;
    if (s->inputs == 1 && s->pres + s->heads + s->posts == 0 && s->outputs == 1) {
        f2l_status status = wire_of_part(&wire, c, c->from->output[c->before.outputs], err);
        if (status != F2L_OK) return status;
    }
    return wire == 0 ? F2L_OK
                     : f2l_fail(err, F2L_UNKNOWN, "block %zu: part %zu does not pass its wire on",
                                c->block + 1, c->part + 1);
}

/* Fails unless in every stage the part reads as many wires as it gave in the stage before, one at
 * its beginning and its end. */
static f2l_status check_part_stages(cutter *c, f2l_error *err)
{
    const f2l_division_part *part = &c->division->part[c->part];
    const size_t last = c->net->stages - 1;
    size_t wires = 1;
    if (part->first == 0 || part->stages == 0 || part->stages >= last ||
        part->first > last - part->stages)
        return f2l_fail(err, F2L_UNKNOWN, "part %zu has stages that there are not", c->part + 1);
    for (size_t l = 1; l < last; l++) {
        const bool begins = l == part->first, ends = l + 1 == part->first + part->stages;
        turn_to(c, c->net->stage[l].block);
        f2l_status status = F2L_OK;
        if (l < part->first || l >= part->first + part->stages) status = check_part_idles(c, err);
        if (status != F2L_OK) return status;
        if ((begins || ends) && c->own.pres + c->own.heads + c->own.posts == 0)
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu: part %zu does not begin or end here",
                            l + 1, c->part + 1);
        if (c->own.inputs != wires || (begins && wires != 1) || (ends && c->own.outputs != 1))
            return f2l_fail(err, F2L_UNKNOWN, "stage %zu: part %zu does not read what it is given",
                            l + 1, c->part + 1);
        wires = c->own.outputs;
    }
    return F2L_OK;
}

/* Fails unless the first stage gives each part its letter, and the last one reads their labels. */
static f2l_status check_end_blocks(const f2l_net *net, const f2l_division *d, f2l_error *err)
{
    const f2l_wired_block *first = net->block, *last = &net->block[net->blocks - 1];
    bool fits = d->parts > 1 && net->blocks > 1 && d->blocks == net->blocks && net->stages > 2;
    fits = fits && first->heads == 0 && first->posts == 0 && first->pres == d->parts &&
           first->outputs == d->parts;
    fits = fits && last->heads == 0 && last->posts == 0 && last->inputs == d->parts &&
           last->outputs == 1;
    for (size_t i = 0; fits && i < d->parts; i++)
        fits = net->table[first->pre[i].table].inputs == 1 && first->pre[i].wire[0] == 0 &&
               first->output[i] == 1 + i &&
               net->table[first->pre[i].table].values == d->part[i].letters &&
               last->input_size[i] == d->part[i].classes;
    for (size_t l = 0; fits && l < net->stages; l++)
        fits = (net->stage[l].block == 0) == (l == 0) &&
               (net->stage[l].block == net->blocks - 1) == (l + 1 == net->stages);
    return fits ? F2L_OK
                : f2l_fail(err, F2L_UNKNOWN, "the first or the last stage is not as in a product");
}

f2l_status f2l_part_cut(f2l_part *out, const f2l_net *net, const f2l_division *division, size_t i,
                        const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    const f2l_division_part *part = &division->part[i];
    cutter c = {.net = net, .division = division, .part = i, .out = out};
    f2l_part_clear(out);
    f2l_status status = f2l_task_spend(task, "taking a part",
                                       f2l_wired_weigh(net) / 8 / division->parts +
                                           2 * fsa->states.count * (2 + fsa->letters.count),
                                       err);
    if (status == F2L_OK) status = check_end_blocks(net, division, err);
    for (size_t b = 1; status == F2L_OK && b + 1 < net->blocks; b++)
        status = check_shares(net, division, b, err);
    if (status == F2L_OK) status = check_part_stages(&c, err);
    if (status == F2L_OK) status = cut_stages(&c, err);
    if (status == F2L_OK)
        status = make_part_automaton(&out->fsa, part, fsa,
                                     net->table[net->block[0].pre[i].table].value, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->net.letters, &out->fsa.letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->net.labels, &out->fsa.states, err);
    out->net.label = F2L_LABEL_STATES;
    out->net.start = out->fsa.start;
    memcpy(out->net.fsa_sha256, net->fsa_sha256, sizeof out->net.fsa_sha256);
    return status;
}
