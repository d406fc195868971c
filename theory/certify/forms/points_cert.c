/* certificate.cert of a point form, spelled as d1_cert.c says:
 *     claim points
 *     size layers L heads H householders F key n value d  f2l_net_measure: L = C + 2
 *     letters K states Q rows R clock C block B points n marks m
 *     orbits o_1 .. o_n                                   of the points under the letters
 *     count t codes c_1 .. c_m                            t = 0 .. 2B: the codes of the clock's
 *                                                         heads after token t, layer by layer
 *     step h i y to g                                     from code h by the exchange of points i
 *                                                         < y of one orbit to code g: for all of
 *                                                         them, increasing (h, i, y)
 *     row i state q points x_1 .. x_m next j_1 .. j_K     i = 1 .. R: a state and the points of the
 *                                                         marks, and the rows after each letter;
 *                                                         row 1 is for the empty word
 *     end R
 *     sha256 HEX                                          of all bytes before this line
 * What a checker must find is in theory/pages/d1.md, D1.12. States are states of automaton.fsa. */
#include "numeric/base/mem.h"
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/forms/impl.h"

static void write_steps(f2l_buf *out, const f2l_d1_check *c)
{
    const size_t n = c->points;
    for (size_t h = 0; h < c->codes; h++)
        for (size_t i = 0; i + 1 < n; i++)
            for (size_t y = i + 1; y < n; y++) {
                const uint32_t to = c->edge[h * c->factors + 1 + i * n + y];
                if (to != F2L_D1_UNSET)
                    f2l_buf_printf(out, "step %zu %zu %zu to %zu\n", h + 1, i + 1, y + 1,
                                   (size_t)to + 1);
            }
}

static void write_found(f2l_buf *out, const f2l_d1_check *c)
{
    f2l_buf_printf(
        out, "letters %zu states %zu rows %zu clock %zu block %zu points %zu marks %zu\n",
        c->letters, c->fsa->states.count, c->row.count, c->clock, c->block, c->points, c->marks);
    f2l_buf_text(out, "orbits");
    for (size_t p = 0; p < c->points; p++) f2l_cert_number(out, " ", c->orbit[p]);
    f2l_buf_text(out, "\n");
    for (size_t t = 0; t <= 2 * c->block; t++) {
        f2l_cert_number(out, "count ", t);
        f2l_cert_indices(out, " codes", c->clock_code + t * c->clock_heads, c->clock_heads);
        f2l_buf_text(out, "\n");
    }
    write_steps(out, c);
    for (size_t i = 0; i < c->row.count; i++) {
        const uint32_t *row = f2l_rowset_get(&c->row, i, NULL);
        f2l_cert_number(out, "row ", i + 1);
        f2l_cert_number(out, " state ", (size_t)row[0] + 1);
        f2l_cert_indices(out, " points", row + 1, c->marks);
        f2l_cert_indices(out, " next", c->next + i * c->letters, c->letters);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_printf(out, "end %zu\n", c->row.count);
}

/* The verdict keeps no tables, so the network is checked again, here beside the states of
 * automaton.fsa. */
f2l_status f2l_points_certify(f2l_buf *out, const f2l_net *net, const f2l_form_verdict *verdict,
                              const f2l_fsa *fsa, const f2l_fsa *original, const uint32_t *classes,
                              const char network_sha256[65], f2l_error *err)
{
    const size_t begin = out->size;
    const f2l_face face = f2l_face_of_net(net);
    f2l_d1_check c = {.net = net, .fsa = original, .letters = original->letters.count};
    uint32_t *label;
    (void)fsa, (void)classes;
    if (verdict->verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN, "only a verified network has a certificate");
    f2l_status status = f2l_face_expect(&label, &face, original, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = f2l_points_check_exact(&c, err);
    if (status == F2L_OK) {
        const f2l_cert_head head = f2l_cert_head_of(net, network_sha256, "points");
        f2l_cert_write_head(out, &head);
        write_found(out, &c);
        status = f2l_cert_seal(out, begin, err);
    }
    f2l_d1_check_clear(&c);
    f2l_free(label);
    if (status != F2L_OK) out->size = begin;
    return status;
}
