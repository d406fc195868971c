#include "automata/group/impl.h"
#include "numeric/base/names.h"
#include <flint/ulong_extras.h>
#include <stdio.h>
#include <string.h>

/* Returns the least i >= 0 with a^i = x, or F2L_NO_INDEX. */
static size_t logarithm(const f2l_group *g, uint32_t a, uint32_t x)
{
    uint32_t y = 0;
    for (size_t i = 0;; i++) {
        if (y == x) return i;
        y = f2l_group_multiply(g, y, a);
        if (y == 0) return F2L_NO_INDEX;
    }
}

static bool has_order(const f2l_classes *c, size_t order)
{
    for (size_t k = 0; k < c->classes; k++)
        if (c->element_order[k] == order) return true;
    return false;
}

/* G = <a, b> with <a> of order n and index 2, and a^b = a^k. Where k = -1, b^2 is a power of a that
 * b both inverts and fixes: it is 1, and G is dihedral, or of order 2, and G is dicyclic. Where n =
 * 2^m > 4 and k = n/2 - 1, the power of a that b^2 is has an exponent killed by k - 1, so that b^2
 * is 1 or a^(n/2), and b may be replaced by b a: G is semidihedral. */
static bool name_cyclic_half(f2l_buf *out, const f2l_group_view *v)
{
    const f2l_group *g = v->g;
    const size_t n = g->order / 2;
    size_t k = 0, s = 0;
    while (k < v->c->classes && v->c->element_order[k] != n) k++;
    if (g->order % 2 != 0 || k == v->c->classes) return false;
    const uint32_t a = v->c->representative[k];
    uint32_t b;
    do b = (uint32_t)f2l_group_find(g, g->generator + g->need[s++] * g->degree);
    while (logarithm(g, a, b) != F2L_NO_INDEX);
    const size_t power = logarithm(g, a, f2l_group_conjugate(g, a, b));
    const bool two = f2l_prime_of_power(g->order) == 2;
    if (power == n - 1 && f2l_group_multiply(g, b, b) == 0)
        f2l_buf_printf(out, n == 3 ? "S_%zu" : "D_%zu", n);
    else if (power == n - 1)
        f2l_buf_printf(out, two ? "Q_%zu" : "Dic_%zu", two ? g->order : n / 2);
    else if (two && n > 4 && power == n / 2 - 1)
        f2l_buf_printf(out, "SD_%zu", g->order);
    else
        return false;
    return true;
}

/* Groups of small order that the orders of their derived subgroups determine.
 * 24, 8: G' has an automorphism of order 3 that fixes no coset of [G',G'], so it is Q_8, and G is
 * Q_8:Z_3. 120 and perfect: no simple group has order 120, so G is a perfect central extension of
 * A_5 by Z_2, and the Schur multiplier of A_5 has order 2. 48, 24, 8: G' is SL(2,3), with
 * automorphism group S_4. Its centraliser has order 2 (with 4, G' would be the derived subgroup of
 * SL(2,3)), so G is one of the two stem extensions of S_4 by Z_2; the binary octahedral one has a
 * single involution. */
static bool name_small(f2l_buf *out, const f2l_group_view *v)
{
    const f2l_structure *s = v->s;
    const char *name = NULL;
    if (s->order == 24 && s->derived_terms > 1 && s->derived[1] == 8) name = "SL(2,3)";
    if (s->order == 120 && s->derived_terms == 1) name = "SL(2,5)";
    if (s->order == 48 && s->derived_terms > 2 && s->derived[1] == 24 && s->derived[2] == 8)
        for (size_t k = 0; k < v->c->classes && !name; k++)
            if (v->c->element_order[k] == 2 && v->c->size[k] > 1) name = "GL(2,3)";
    if (name) f2l_buf_text(out, name);
    return name != NULL;
}

/* Returns whether no element but 1 commutes with all of h, which is normal. */
static bool centralises_nothing(const f2l_group_view *v, const f2l_subgroup *h)
{
    for (size_t k = 1; k < v->c->classes; k++) {
        bool commutes = true;
        for (size_t s = 0; s < h->generators && commutes; s++)
            commutes = f2l_subgroup_commute(v->g, v->c->representative[k], h->generator[s]);
        if (commutes) return false;
    }
    return true;
}

/* Groups between a simple group T and Aut(T), T < G. Aut(A_n) = S_n for n > 3 except 6;
 * Aut(PSL(2,p)) = PGL(2,p) for a prime p; Aut(PSL(2,8)) = PGammaL(2,8) has index 3 over it; the
 * three groups between A_6 and Aut(A_6) = PGammaL(2,9) differ in their elements of order 6 and 10.
 */
static bool name_between(f2l_buf *out, const f2l_group_view *v, const f2l_simple_factor *t)
{
    const size_t index = v->g->order / t->order;
    size_t n;
    char close;
    if (t->order == 360 && (index == 2 || index == 4)) {
        f2l_buf_text(out, index == 4            ? "PGammaL(2,9)"
                          : has_order(v->c, 6)  ? "S_6"
                          : has_order(v->c, 10) ? "PGL(2,9)"
                                                : "M_10");
        return true;
    }
    if (index == 2 && sscanf(t->name, "A_%zu", &n) == 1) {
        f2l_buf_printf(out, "S_%zu", n);
        return true;
    }
    if (sscanf(t->name, "PSL(2,%zu%c", &n, &close) != 2) return false;
    if (!(index == 2 && n_is_prime(n)) && !(index == 3 && n == 8)) return false;
    f2l_buf_printf(out, index == 2 ? "PGL(2,%zu)" : "PGammaL(2,%zu)", n);
    return true;
}

/* Names simple groups, and groups whose last derived subgroup is simple with trivial centraliser:
 * they act faithfully on it by conjugation. */
static f2l_status name_almost_simple(f2l_buf *out, bool *done, const f2l_group_view *v,
                                     f2l_subgroup *h, f2l_error *err)
{
    const f2l_structure *s = v->s;
    const f2l_simple_factor *t = NULL;
    for (size_t i = 0; i < s->factors; i++)
        if (!n_is_prime(s->factor[i].order)) t = &s->factor[i];
    if (!t || t->order != s->derived[s->derived_terms - 1] || strncmp(t->name, "non", 3) == 0)
        return F2L_OK;
    if (t->order == s->order) {
        f2l_buf_text(out, t->name);
        *done = true;
        return F2L_OK;
    }
    f2l_status status = f2l_subgroup_generate(h, h->letter, v->g->needed, err);
    while (status == F2L_OK && h->order > t->order) {
        uint32_t term[F2L_SUBGROUP_GENERATORS];
        memcpy(term, h->generator, sizeof term);
        status = f2l_subgroup_commutators(h, term, h->generators, term, h->generators, err);
    }
    if (status == F2L_OK && centralises_nothing(v, h)) *done = name_between(out, v, t);
    return status;
}

/* Returns whether h is elementary abelian, given that it is generated by elements of one prime
 * order, and its own centraliser. */
static bool is_affine_socle(const f2l_group_view *v, const f2l_subgroup *h)
{
    size_t centraliser = 0;
    for (size_t s = 0; s < h->generators; s++)
        for (size_t t = 0; t < s; t++)
            if (!f2l_subgroup_commute(v->g, h->generator[s], h->generator[t])) return false;
    for (size_t k = 0; k < v->c->classes; k++) {
        bool commutes = true;
        for (size_t s = 0; s < h->generators && commutes; s++)
            commutes = f2l_subgroup_commute(v->g, v->c->representative[k], h->generator[s]);
        if (commutes) centraliser += v->c->size[k];
    }
    return centraliser == h->order;
}

/* Returns whether some element of order q - 1 permutes the q - 1 members other than 1 in one
 * cycle. */
static bool has_singer_cycle(const f2l_group_view *v, const f2l_subgroup *h)
{
    const size_t q = h->order;
    size_t k = 0, length = 0;
    while (k < v->c->classes && v->c->element_order[k] != q - 1) k++;
    if (k == v->c->classes) return false;
    uint32_t x = h->generator[0];
    do {
        x = f2l_group_conjugate(v->g, x, v->c->representative[k]);
        length++;
    } while (x != h->generator[0]);
    return length == q - 1;
}

/* G with a normal V = Z_p^k of order q that is its own centraliser, so that H = G/V lies in
 * GL(k,p). q = p: |H| divides p - 1, so V has a complement, cyclic. q = 4: A_4, or H = S_3 =
 * GL(2,2), where a Sylow 2-subgroup is D_4 and splits over V, hence G does (Gaschuetz). q = 8: |H|
 * = 21 is the normaliser of a Sylow subgroup of GL(3,2), and odd. |H| = 168: there are two
 * extensions, and only the one that does not split has elements of order 8. q = 9: subgroups of
 * order 16, 24 (index 2) and 48 of GL(2,3) are unique up to conjugation and hold -1, so V has a
 * complement: the centraliser of an element that acts as -1.
 * |H| = q - 1 and H cyclic with one orbit: an irreducible element of that order generates the
 * multiplicative group of the field with q elements (Schur), and V has a complement since the
 * orders are coprime. */
static bool name_affine(f2l_buf *out, const f2l_group_view *v, const f2l_subgroup *h)
{
    static const struct {
        size_t q, order;
        const char *name;
    } affine[] = {
        {4, 3, "A_4"},           {4, 6, "S_4"},       {8, 21, "AGammaL(1,8)"}, {8, 168, "AGL(3,2)"},
        {9, 16, "AGammaL(1,9)"}, {9, 24, "ASL(2,3)"}, {9, 48, "AGL(2,3)"},
    };
    const size_t q = h->order, order = v->g->order / q;
    if (n_is_prime(q)) {
        if (order == 2)
            f2l_buf_printf(out, q == 3 ? "S_%zu" : "D_%zu", q);
        else
            f2l_buf_printf(out, "Z_%zu:Z_%zu", q, order);
        return true;
    }
    for (size_t i = 0; i < sizeof affine / sizeof *affine; i++) {
        if (affine[i].q != q || affine[i].order != order) continue;
        if (order == 168 && has_order(v->c, 8)) return false;
        f2l_buf_text(out, affine[i].name);
        return true;
    }
    if (order != q - 1 || !has_singer_cycle(v, h)) return false;
    f2l_buf_printf(out, "AGL(1,%zu)", q);
    return true;
}

/* Tries the normal closures of classes of prime order whose members commute. The filter spares most
 * of the others: members of such a closure commute with their conjugates. */
static f2l_status try_affine(f2l_buf *out, bool *done, const f2l_group_view *v, f2l_subgroup *h,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t k = 1; status == F2L_OK && !*done && k < v->c->classes; k++) {
        const uint32_t x = v->c->representative[k];
        bool commutes = n_is_prime(v->c->element_order[k]);
        for (size_t s = 0; s < v->g->needed && commutes; s++)
            commutes = f2l_subgroup_commute(v->g, x, f2l_group_conjugate(v->g, x, h->letter[s]));
        if (!commutes) continue;
        status = f2l_subgroup_generate(h, &x, 1, err);
        if (status == F2L_OK) status = f2l_subgroup_close(h, err);
        if (status != F2L_OK || !is_affine_socle(v, h)) continue;
        *done = name_affine(out, v, h);
        break; /* where there is a name, the closure is minimal and holds all abelian normal
                  subgroups */
    }
    return status;
}

f2l_status f2l_group_name_known(f2l_buf *out, bool *done, const f2l_group_view *view,
                                const f2l_task *task, f2l_error *err)
{
    f2l_subgroup h;
    if (view->s->abelian) return F2L_OK;
    *done = name_cyclic_half(out, view) || name_small(out, view);
    if (*done) return F2L_OK;
    f2l_status status = f2l_subgroup_init(&h, view->g, task, err);
    if (status != F2L_OK) return status;
    status = name_almost_simple(out, done, view, &h, err);
    if (status == F2L_OK && !*done) status = try_affine(out, done, view, &h, err);
    f2l_subgroup_clear(&h);
    return status;
}
