/* certificate.cert of a blocks form, as for D1 (theory/certify/forms/d1_cert.c) up to `claim`:
 *     claim blocks
 *     size layers S heads H householders F key n value d  f2l_net_measure: S = C + 2 L
 *     letters K states Q classes N clock C block B levels L
 *     class c_1 .. c_Q, like q_1 .. q_N, count t codes ..  as for D1
 *     and for each level l = 1 .. L:
 *     level l nodes Z elements G
 *     letter x reads a from X to Y    the letters of the level that occur, increasing: the
 *                                     automaton's letter, and the nodes before and after it
 *     words j elements i ..           V_j of the level, as for D1
 *     element i acts s_1 .. s_m       act(i) on the states of the level
 *     code h means s                  as for D1
 *     step h v to g                   as for D1
 *     pair X s child Y                the pairs of node and state that occur, increasing, with a
 *                                     node of level l + 1, on the last level a class
 *     end N
 *     sha256 HEX                      of all bytes before this line
 * What a checker must find is in theory/pages/blocks.md, BL.3. */
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/forms/impl.h"
#include "theory/certify/local/local.h"

static void write_level(f2l_buf *out, const f2l_blocks_check *c, size_t l)
{
    const f2l_blocks_link *link = &c->link[l];
    const f2l_d1_check *level = &c->level[l];
    f2l_buf_printf(out, "level %zu nodes %zu elements %zu\n", l + 1, link->nodes, level->elements);
    for (size_t x = 0; x < link->letters; x++)
        if (link->reads[x] != F2L_D1_UNSET)
            f2l_buf_printf(out, "letter %zu reads %zu from %zu to %zu\n", x + 1,
                           (size_t)link->reads[x] + 1, (size_t)link->from[x] + 1,
                           (size_t)link->to[x] + 1);
    f2l_d1_write_level(out, level);
    for (size_t i = 0; i < link->nodes * level->states; i++)
        if (link->child[i] != F2L_D1_UNSET)
            f2l_buf_printf(out, "pair %zu %zu child %zu\n", i / level->states + 1,
                           i % level->states + 1, (size_t)link->child[i] + 1);
}

/* Writes what comes after the classes. The verdict keeps no tables, so the network is checked
 * again; *levels becomes the number of levels. */
static f2l_status write_block_levels(f2l_buf *out, size_t *levels, const f2l_net *net,
                                     const f2l_fsa *fsa, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_blocks_check c = {.net = net, .fsa = fsa};
    uint32_t *label;
    f2l_status status = f2l_face_expect_any(&label, &face, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = f2l_blocks_check_exact(&c, err);
    *levels = c.levels;
    if (status == F2L_OK) f2l_d1_write_clock(out, &c.base);
    for (size_t l = 0; status == F2L_OK && l < c.levels; l++) write_level(out, &c, l);
    f2l_free(label);
    f2l_blocks_check_clear(&c);
    return status;
}

f2l_status f2l_blocks_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err)
{
    const size_t begin = out->size;
    f2l_reach from = {0}, to = {0};
    f2l_buf found;
    size_t levels = 0;
    if (verdict->verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified network has a certificate");
    f2l_buf_init(&found);
    f2l_status status = f2l_local_check_classes(original, fsa, classes, net->label, err);
    if (status == F2L_OK) status = f2l_reach_init(&from, original, err);
    if (status == F2L_OK) status = f2l_reach_init(&to, fsa, err);
    if (status == F2L_OK) status = write_block_levels(&found, &levels, net, fsa, err);
    if (status == F2L_OK) {
        const f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "blocks");
        f2l_cert_write_head(out, &head);
        f2l_buf_printf(out, "letters %zu states %zu classes %zu clock %zu block %zu levels %zu\n",
                       original->letters.count, original->states.count, to.states,
                       verdict->clock_layers, verdict->block, levels);
        status = f2l_d1_write_classes(out, &from, &to, original->states.count, classes, err);
    }
    if (status == F2L_OK) status = f2l_buf_status(&found, err);
    if (status == F2L_OK) {
        f2l_buf_bytes(out, found.data, found.size);
        f2l_buf_printf(out, "end %zu\n", to.states);
        status = f2l_cert_seal(out, begin, err);
    }
    if (status != F2L_OK) out->size = begin;
    f2l_buf_clear(&found);
    f2l_reach_clear(&from);
    f2l_reach_clear(&to);
    return status;
}
