#include "theory/obstruct/separation/separation.h"
#include "theory/obstruct/separation/impl.h"
#include <stdio.h>
#include <string.h>

#define LEAST_MU 1e-10

void f2l_separation_init(f2l_separation *s)
{
    memset(s, 0, sizeof *s);
}

void f2l_separation_clear(f2l_separation *s)
{
    if (s->has_form) fmpq_mat_clear(s->form);
    f2l_chain_clear(&s->chain);
    f2l_separation_init(s);
}

/* Sets out to y^T G z for y = e_a - e_b and z = e_c - e_d. */
static void form_product(fmpq_t out, const fmpq_mat_t form, size_t a, size_t b, size_t c, size_t d)
{
    const size_t m = (size_t)fmpq_mat_nrows(form), y[2] = {a, b}, z[2] = {c, d};
    fmpq_zero(out);
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            if (y[s] == m || z[t] == m) continue;
            const fmpq *entry = fmpq_mat_entry(form, (slong)y[s], (slong)z[t]);
            (s == t ? fmpq_add : fmpq_sub)(out, out, entry);
        }
}

/* Returns whether the form separates two states. */
static bool form_separates(const fmpq_mat_t form, size_t p, size_t q)
{
    fmpq_t value;
    fmpq_init(value);
    form_product(value, form, p, q, p, q);
    const bool positive = fmpq_sgn(value) > 0;
    fmpq_clear(value);
    return positive;
}

static bool is_semidefinite(const fmpq_mat_t form, f2l_watch *watch)
{
    fmpq_mat_t lower;
    fmpq *pivot = _fmpq_vec_init(fmpq_mat_nrows(form));
    fmpq_mat_init(lower, fmpq_mat_nrows(form), fmpq_mat_nrows(form));
    const bool right = f2l_factor_form(lower, pivot, form, false, watch);
    fmpq_mat_clear(lower);
    _fmpq_vec_clear(pivot, fmpq_mat_nrows(form));
    return right;
}

/* Returns whether the form does not grow under the letter: over the vectors e_i - e_r of its
 * domain, whose last state is r. slack has m rows. */
static bool decreases(const fmpq_mat_t form, const f2l_maps *maps, size_t letter, fmpq_mat_t slack,
                      f2l_watch *watch)
{
    const size_t m = maps->states - 1;
    size_t r = m;
    fmpq_t entry;
    fmpq_init(entry);
    fmpq_mat_zero(slack);
    while (!f2l_maps_defined(maps, letter, r)) r--;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++) {
            fmpq *to = fmpq_mat_entry(slack, (slong)i, (slong)j);
            if (!f2l_maps_defined(maps, letter, i) || !f2l_maps_defined(maps, letter, j)) continue;
            const uint32_t *next = maps->next + letter;
            const size_t k = maps->letters;
            form_product(to, form, i, r, j, r);
            form_product(entry, form, next[i * k], next[r * k], next[j * k], next[r * k]);
            fmpq_sub(to, to, entry);
        }
    fmpq_clear(entry);
    return is_semidefinite(slack, watch);
}

static bool form_holds(const fmpq_mat_t form, const f2l_maps *maps, f2l_watch *watch)
{
    const size_t m = maps->states - 1;
    bool right = fmpq_mat_nrows(form) == (slong)m && is_semidefinite(form, watch);
    fmpq_mat_t slack;
    fmpq_mat_init(slack, (slong)m, (slong)m);
    for (size_t p = 1; right && p <= m; p++)
        for (size_t q = 0; right && q < p; q++)
            right = !f2l_maps_apart(maps, p, q) || form_separates(form, p, q);
    for (size_t w = 0; right && w < maps->letters; w++)
        right = decreases(form, maps, w, slack, watch);
    fmpq_mat_clear(slack);
    return right;
}

bool f2l_separation_form_holds(const fmpq_mat_t form, const f2l_maps *maps)
{
    return form_holds(form, maps, NULL);
}

/* Keeps the form at the path's point, if it is one. */
static bool keep_form(f2l_separation *out, const f2l_face *face, const double *x)
{
    fmpq_mat_t form;
    fmpq_mat_init(form, (slong)face->m, (slong)face->m);
    const bool right = f2l_round_form(form, face, x) && form_holds(form, face->maps, face->watch);
    if (right) {
        fmpq_mat_init_set(out->form, form);
        out->has_form = true;
        out->verdict = F2L_SEPARATION_FEASIBLE;
    }
    fmpq_mat_clear(form);
    return right;
}

static f2l_status try_step(bool *found, f2l_separation *out, f2l_face *face, const f2l_path *path,
                           f2l_error *err)
{
    /* Where strict complementarity fails, entries that vanish decay like a root of mu. */
    static const f2l_guess guess[] = {{1e-3, 1e-4}, {1e-4, 1e-5}, {1e-2, 1e-3}, {1e-2, 1e-2},
                                      {3e-2, 3e-2}, {1e-5, 1e-6}, {1e-1, 5e-2}};
    f2l_status status = F2L_OK;
    *found = false;
    if (path) f2l_path_dual(path->scratch, path);
    for (size_t i = 0; status == F2L_OK && !*found && i < sizeof guess / sizeof *guess; i++) {
        status = f2l_round_step(found, &out->chain, face, path ? path->scratch : NULL,
                                path ? path->most : face->m, &guess[i], err);
        if (status == F2L_OK) status = face->watch->status;
    }
    return status;
}

/* Follows the path until a form is found, or it ends at the greatest t, whose dual matrices are
 * tried as a step. */
static f2l_status walk_central_path(bool *found, f2l_separation *out, f2l_face *face,
                                    f2l_path *path, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool good = true;
    *found = false;
    for (double mu = 1; status == F2L_OK && good && mu >= LEAST_MU; mu *= 0.2) {
        good = f2l_path_follow(path, mu);
        if (good && path->t > 0 && keep_form(out, face, path->x)) return F2L_OK;
        status = face->watch->status;
        good = good && status == F2L_OK;
        if (good && (path->t < -0.1 || (mu < 1e-7 && path->t < 1e-5)))
            status = try_step(found, out, face, path, err);
        if (*found) return status;
    }
    return status;
}

/* Finds a form, or one step more. */
static f2l_status advance_separation(bool *found, f2l_separation *out, f2l_face *face,
                                     f2l_error *err)
{
    f2l_path path;
    f2l_status status = f2l_face_span(face, err);
    *found = false;
    if (status != F2L_OK) return status;
    status = f2l_path_init(&path, face, err);
    if (status == F2L_EDOMAIN) return try_step(found, out, face, NULL, err);
    if (status != F2L_OK) return status;
    status = walk_central_path(found, out, face, &path, err);
    f2l_path_clear(&path);
    return status;
}

static f2l_status search_separation(f2l_separation *out, f2l_face *face, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool refuted = false;
    /* For partial maps no chain is wanted, so that a search that must fail is left out. */
    if (face->maps->domain) status = f2l_distances_refute(&refuted, face->maps, face->watch, err);
    bool found = !refuted;
    while (status == F2L_OK && found && out->verdict == F2L_SEPARATION_UNKNOWN) {
        status = advance_separation(&found, out, face, err);
        if (status == F2L_OK && found && f2l_face_equal_pair(&out->chain.p, &out->chain.q, face)) {
            if (!face->maps->domain && f2l_chain_holds(&out->chain, face->maps, face->watch))
                out->verdict = F2L_SEPARATION_INFEASIBLE;
            found = false;
        }
        if (status == F2L_OK) status = face->watch->status;
    }
    if (out->verdict == F2L_SEPARATION_UNKNOWN)
        snprintf(out->reason, sizeof out->reason, "neither a form nor a chain could be rounded");
    if (out->verdict != F2L_SEPARATION_INFEASIBLE) f2l_chain_clear(&out->chain);
    return status;
}

f2l_status f2l_separation_build(f2l_separation *out, const f2l_maps *maps, const f2l_task *task,
                                f2l_error *err)
{
    f2l_face face;
    f2l_separation_init(out);
    if (maps->states == 1) {
        fmpq_mat_init(out->form, 0, 0);
        out->has_form = true;
        out->verdict = F2L_SEPARATION_FEASIBLE;
        return F2L_OK;
    }
    out->chain = (f2l_chain){.states = maps->states, .letters = maps->letters};
    f2l_watch watch;
    f2l_watch_start(&watch, task, "forms that separate states", err);
    f2l_status status = f2l_face_init(&face, maps, &watch, err);
    if (status != F2L_OK) return status;
    status = search_separation(out, &face, err);
    f2l_face_clear(&face);
    if (status != F2L_OK) f2l_separation_clear(out);
    return status;
}
