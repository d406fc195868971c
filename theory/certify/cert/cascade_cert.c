/* certificate.cert of a cascade, one spelling per table, indices from 1, every line ended by LF,
 * single spaces:
 *     lrnn-certificate 2
 *     fsa SHA256                                           of the bytes of automaton.fsa
 *     network SHA256                                       of the bytes of network.lrnn
 *     claim cascade
 *     size layers L heads H householders N key n value d   maxima (f2l_net_measure)
 *     letters K states Q sets F levels V                   Q: states of automaton.fsa
 *     set i level v members q_1 .. [cover j_1 ..]          set 1: all states; level V + 1:
 *                                                          final, no cover
 *     level v layers W contexts C pairs P                  v = 1 .. V, each followed by its
 *                                                          contexts and its pairs; its layers
 *                                                          are the next W of the network
 *     context x letter a from X to Y [reads m]             x = 1 .. C; X, Y set numbers; m, in
 *                                                          all contexts of a level or none, and
 *                                                          never of level 1: the letter that the
 *                                                          level's first layer reads for x, else
 *                                                          letter x
 *     pair p set Z codes c_1 .. c_W [child J] next n_1 ..  p = 1 .. P; J, in all pairs of a
 *                                                          level or none: the set child(Z,
 *                                                          cur(s)), which is else told by part 1
 *                                                          of c_1; next: the pair after every
 *                                                          context with X = Z, in their order
 *     start p_1 .. p_V                                     the initial pair of every level
 *     end F
 *     sha256 HEX                                           of all bytes before this line
 * Every pair is initial or a next of one before it. What the tables must satisfy is in
 * theory/certify/local/local.h. */
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/local/local.h"
#include <string.h>

typedef struct writer {
    f2l_buf *out;
    const f2l_net *net;
    const f2l_cascade *cascade;
    const f2l_local *local;
    const f2l_local_reading *reading;
    const f2l_fsa *original;
    const uint32_t *classes;
    uint32_t *number; /* [sets] number in the certificate, from 1; 0: left out */
    size_t numbers;
} writer;

static f2l_status bad_class(const f2l_fsa *fsa, size_t state, const char *what, f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN, "state %zu of %zu: its class has another %s", state + 1,
                    fsa->states.count, what);
}

f2l_status f2l_local_check_classes(const f2l_fsa *fsa, const f2l_fsa *quotient,
                                   const uint32_t *classes, f2l_label label, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    const bool edges = label == F2L_LABEL_EDGES;
    const bool same = classes || fsa->states.count == quotient->states.count;
    if (!same || letters != quotient->letters.count)
        return f2l_fail(err, F2L_EDOMAIN, "the cascade belongs to another automaton");
    for (size_t q = 0; q < fsa->states.count; q++) {
        const size_t at = classes ? classes[q] : q;
        if (at >= quotient->states.count) {
            if (q == fsa->start || at != UINT32_MAX) return bad_class(fsa, q, "number", err);
            continue;
        }
        if (q == fsa->start && at != quotient->start) return bad_class(fsa, q, "start", err);
        if (!edges && strcmp(f2l_fsa_label(fsa, label, q), f2l_fsa_label(quotient, label, at)) != 0)
            return bad_class(fsa, q, "label", err);
        for (size_t a = 0; a < letters; a++) {
            if (edges && strcmp(f2l_fsa_edge_label(fsa, label, q, a),
                                f2l_fsa_edge_label(quotient, label, at, a)) != 0)
                return bad_class(fsa, q, "output of a transition", err);
            const size_t to = fsa->next[q * letters + a];
            if ((classes ? classes[to] : to) != quotient->next[at * letters + a])
                return bad_class(fsa, q, "transition", err);
        }
    }
    return F2L_OK;
}

/* Numbers the sets that covers lead to from all states, in the order of their ids: contexts have no
 * others. */
static f2l_status number_sets(writer *w, f2l_error *err)
{
    const f2l_cascade *c = w->cascade;
    uint32_t *queue = f2l_calloc(c->sets.count, sizeof *queue);
    w->number = f2l_calloc(c->sets.count, sizeof *w->number);
    size_t tail = 0;
    if (queue && w->number) {
        queue[tail++] = 0;
        w->number[0] = 1;
        for (size_t head = 0; head < tail; head++) {
            const uint32_t x = queue[head];
            for (size_t i = 0; i < c->cover_count[x]; i++) {
                const uint32_t part = c->cover[c->cover_at[x] + i];
                if (w->number[part]) continue;
                w->number[part] = 1;
                queue[tail++] = part;
            }
        }
        for (size_t x = 0; x < c->sets.count; x++)
            if (w->number[x]) w->number[x] = (uint32_t)++w->numbers;
    }
    f2l_free(queue);
    return tail ? F2L_OK : f2l_fail_memory(err);
}

static void write_cascade_head(const writer *w, const char *network_sha256)
{
    const f2l_cert_head head = f2l_cert_head_of(w->net, network_sha256, "cascade");
    f2l_cert_write_head(w->out, &head);
    f2l_buf_printf(w->out, "letters %zu states %zu sets %zu levels %zu\n",
                   w->original->letters.count, w->original->states.count, w->numbers,
                   w->local->levels);
}

/* Writes the states of the original automaton in a set; the first set has all states, also
 * unreachable ones. */
static void write_members(const writer *w, size_t x)
{
    const uint64_t *set = f2l_subsets_get(&w->cascade->sets, (uint32_t)x);
    f2l_buf_text(w->out, " members");
    for (size_t q = 0; q < w->original->states.count; q++) {
        const uint32_t at = w->classes ? w->classes[q] : (uint32_t)q;
        if (x == 0 || (at != UINT32_MAX && f2l_set_has(set, at)))
            f2l_cert_number(w->out, " ", q + 1);
    }
}

static void write_sets(const writer *w)
{
    const f2l_cascade *c = w->cascade;
    for (size_t x = 0; x < c->sets.count; x++) {
        if (!w->number[x]) continue;
        f2l_cert_number(w->out, "set ", w->number[x]);
        f2l_cert_number(w->out, " level ", c->lambda[x]);
        write_members(w, x);
        if (c->cover_count[x]) f2l_buf_text(w->out, " cover");
        for (size_t i = 0; i < c->cover_count[x]; i++)
            f2l_cert_number(w->out, " ", w->number[c->cover[c->cover_at[x] + i]]);
        f2l_buf_bytes(w->out, "\n", 1);
    }
}

static void write_contexts(const writer *w, size_t l)
{
    const f2l_level *level = &w->cascade->level[l];
    const bool reads = w->reading->letter && w->reading->letter[l];
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context *x = &level->context[i];
        f2l_cert_number(w->out, "context ", i + 1);
        f2l_cert_number(w->out, " letter ", (size_t)x->letter + 1);
        f2l_cert_number(w->out, " from ", w->number[x->from]);
        f2l_cert_number(w->out, " to ", w->number[x->to]);
        if (reads) f2l_cert_number(w->out, " reads ", (size_t)w->reading->letter[l][i] + 1);
        f2l_buf_bytes(w->out, "\n", 1);
    }
}

static void write_pairs(const writer *w, const f2l_local_level *level)
{
    for (size_t p = 0; p < level->pairs; p++) {
        f2l_cert_number(w->out, "pair ", p + 1);
        f2l_cert_number(w->out, " set ", w->number[level->set[p]]);
        f2l_cert_indices(w->out, " codes", level->code + p * level->layers, level->layers);
        if (level->child) f2l_cert_number(w->out, " child ", w->number[level->child[p]]);
        f2l_cert_indices(w->out, " next", level->next + level->next_at[p],
                         level->next_at[p + 1] - level->next_at[p]);
        f2l_buf_bytes(w->out, "\n", 1);
    }
}

static void write_body(const writer *w, const char *network_sha256)
{
    write_cascade_head(w, network_sha256);
    write_sets(w);
    for (size_t l = 0; l < w->local->levels; l++) {
        const f2l_level *contexts = &w->cascade->level[l];
        const f2l_local_level *level = &w->local->level[l];
        f2l_buf_printf(w->out, "level %zu layers %zu contexts %zu pairs %zu\n", l + 1,
                       level->layers, contexts->contexts, level->pairs);
        write_contexts(w, l);
        write_pairs(w, level);
    }
    f2l_cert_indices(w->out, "start", w->local->start, w->local->levels);
    f2l_buf_printf(w->out, "\nend %zu\n", w->numbers);
}

f2l_status f2l_cascade_cert_write(f2l_buf *out, const f2l_net *net, const f2l_cascade *cascade,
                                  const f2l_local *local, const f2l_local_reading *reading,
                                  const f2l_fsa *original, const uint32_t *classes,
                                  const char network_sha256[65], f2l_error *err)
{
    if (local->verdict != F2L_OK || !local->level)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified exact closure has a certificate");
    f2l_status status = f2l_local_check_classes(original, cascade->fsa, classes, net->label, err);
    if (status != F2L_OK) return status;
    writer w = {.out = out,
                .net = net,
                .cascade = cascade,
                .local = local,
                .reading = reading,
                .original = original,
                .classes = classes};
    const size_t begin = out->size;
    status = number_sets(&w, err);
    if (status == F2L_OK) {
        write_body(&w, network_sha256);
        status = f2l_cert_seal(out, begin, err);
    }
    f2l_free(w.number);
    return status;
}
