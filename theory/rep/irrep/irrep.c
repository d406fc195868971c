#include "theory/rep/irrep/irrep.h"
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"
#include <string.h>

/* Number of candidates kept for each character, and number of these that are tried for an
 * orthonormal
 * basis. */
#define CANDIDATES 32
#define MAX_SIGN_CHARACTERS 256
/* Limit on the planes that are searched for lines. */
#define PLANES 4

void f2l_irrep_init(f2l_irrep *r)
{
    *r = (f2l_irrep){0};
    f2l_field_init(&r->field);
}

void f2l_irrep_clear(f2l_irrep *r)
{
    for (size_t l = 0; l < r->letters; l++) f2l_matrix_clear(&r->letter[l]);
    f2l_free(r->letter);
    f2l_matrix_clear(&r->form);
    f2l_field_clear(&r->field);
    *r = (f2l_irrep){0};
}

f2l_status f2l_irrep_word(f2l_matrix *out, const f2l_irrep *r, const size_t *letter, size_t length,
                          f2l_error *err)
{
    f2l_matrix next;
    f2l_status status = f2l_matrix_init(&next, r->dimension, r->dimension, err);
    if (status != F2L_OK) return status;
    f2l_matrix_one(out);
    for (size_t i = 0; i < length; i++) {
        f2l_matrix_multiply(&next, &r->letter[letter[i]], out, &r->field);
        f2l_matrix swap = next;
        next = *out;
        *out = swap;
    }
    f2l_matrix_clear(&next);
    return F2L_OK;
}

/* A subgroup of the pool with a suitable character to {1, -1} (I.3). */
typedef struct candidate {
    size_t subgroup, order;
    uint32_t mask;
} candidate;

typedef struct quest {
    size_t character;
    size_t wanted;                /* multiplicity */
    candidate list[CANDIDATES];   /* largest subgroups first */
    candidate planes[CANDIDATES]; /* the same for twice the multiplicity (I.8) */
    size_t count, plane_count;
} quest;

static void insert_candidate(candidate *list, size_t *count, candidate c)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].order < c.order) at--;
    if (at == CANDIDATES) return;
    if (*count == CANDIDATES) --*count;
    memmove(list + at + 1, list + at, (*count - at) * sizeof c);
    list[at] = c;
    ++*count;
}

typedef struct search {
    const f2l_irrep_world *world;
    f2l_pool pool;
    quest *quest; /* [quests] */
    size_t quests;
    size_t looked;   /* number of subgroups that were compared with the quests */
    uint64_t *count; /* [classes] signed members modulo p */
    uint32_t *mask;  /* [MAX_SIGN_CHARACTERS] */
} search;

/* Compares <chi|H, lambda> with the wanted value, for all quests: |H| <chi|H, lambda> = sum of
 * lambda(h) chi(h), and the multiplicity is at most chi(1) < p / 2. */
static void look_at_subgroup(search *s, size_t number, uint32_t mask)
{
    const f2l_sign_group *h = &s->pool.group[number];
    const f2l_characters *t = s->world->characters;
    memset(s->count, 0, t->classes * sizeof *s->count);
    for (size_t i = 0; i < h->order; i++) {
        uint64_t *count = &s->count[s->world->classes->class_of[h->member[i]]];
        *count = (*count + (f2l_sign_is_minus(mask, h->parity[i]) ? t->prime - 1 : 1)) % t->prime;
    }
    for (size_t i = 0; i < s->quests; i++) {
        quest *q = &s->quest[i];
        const uint64_t *chi = t->value + q->character * t->classes;
        const uint64_t once = h->order % t->prime * q->wanted % t->prime;
        const candidate c = {.subgroup = number, .order = h->order, .mask = mask};
        uint64_t sum = 0;
        for (size_t j = 0; j < t->classes; j++)
            if (s->count[j] != 0) sum = (sum + s->count[j] * chi[j]) % t->prime;
        if (sum == once) insert_candidate(q->list, &q->count, c);
        if (sum == 2 * once % t->prime) insert_candidate(q->planes, &q->plane_count, c);
    }
}

/* Compares the subgroups that the pool has gained since the last call. */
static f2l_status look_at_new_subgroups(search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (; s->looked < s->pool.groups && status == F2L_OK; s->looked++) {
        const size_t masks =
            f2l_sign_characters(s->mask, MAX_SIGN_CHARACTERS, &s->pool.group[s->looked]);
        for (size_t i = 0; i < masks; i++) look_at_subgroup(s, s->looked, s->mask[i]);
        status = f2l_task_poll(s->world->task, "subgroups", (double)s->looked, 0, err);
    }
    return status;
}

static bool all_found(const search *s)
{
    for (size_t q = 0; q < s->quests; q++)
        if (s->quest[q].count == 0) return false;
    return true;
}

/* Grows the pool for a while, and longer as long as some quest has no candidate and new subgroups
 * are found. */
static f2l_status collect_subgroups(search *s, f2l_error *err)
{
    f2l_status status = look_at_new_subgroups(s, err);
    size_t from = 0, idle = 0;
    while (status == F2L_OK && idle < 3) {
        const size_t groups = s->pool.groups;
        const uint64_t limit = all_found(s) ? F2L_POOL_WORK : 20 * F2L_POOL_WORK;
        if (s->pool.work >= limit) break;
        status = f2l_pool_grow(&s->pool, from, limit, err);
        from = groups;
        idle = s->pool.groups == groups ? idle + 1 : 0;
        if (status == F2L_OK) status = look_at_new_subgroups(s, err);
    }
    return status;
}

static f2l_status quest_search_init(search *s, const f2l_irrep_world *world,
                                    const size_t *character, size_t count, f2l_error *err)
{
    const f2l_characters *t = world->characters;
    *s = (search){.world = world, .quests = count};
    f2l_status status = f2l_pool_init(&s->pool, world, err);
    if (status != F2L_OK) return status;
    s->quest = f2l_calloc(count, sizeof *s->quest);
    s->count = f2l_calloc(t->classes, sizeof *s->count);
    s->mask = f2l_calloc(MAX_SIGN_CHARACTERS, sizeof *s->mask);
    if (!s->quest || !s->count || !s->mask) return f2l_fail_memory(err);
    for (size_t q = 0; q < count; q++) {
        s->quest[q].character = character[q];
        s->quest[q].wanted = t->indicator[character[q]] == -1 ? 2 : 1;
    }
    return F2L_OK;
}

static void search_clear(search *s)
{
    f2l_pool_clear(&s->pool);
    f2l_free(s->quest);
    f2l_free(s->count);
    f2l_free(s->mask);
}

/* The data for making one representation. */
typedef struct maker {
    const search *s;
    const quest *q;
    f2l_psi psi;
    f2l_orbit o;
    uint32_t *basis; /* [dimension] */
    bool found;
} maker;

static void maker_clear(maker *m)
{
    f2l_free(m->basis);
    f2l_orbit_clear(&m->o);
    f2l_psi_clear(&m->psi);
}

static f2l_status open_orbit(maker *m, const candidate *c, f2l_error *err)
{
    f2l_orbit_clear(&m->o);
    return f2l_orbit_init(&m->o, &m->psi, m->s->world, &m->s->pool.group[c->subgroup], c->mask,
                          err);
}

/* Chooses the largest subgroup whose lines hold an orthonormal basis, otherwise the largest. */
static f2l_status choose_subgroup(maker *m, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < m->q->count && status == F2L_OK && !m->found; i++) {
        status = open_orbit(m, &m->q->list[i], err);
        if (status == F2L_OK) status = f2l_orbit_frame(m->basis, &m->found, &m->o, err);
    }
    if (status != F2L_OK || m->found || m->q->count == 0) return status;
    status = open_orbit(m, &m->q->list[0], err);
    return status == F2L_OK ? f2l_orbit_spin(m->basis, &m->found, &m->o, err) : status;
}

/* Chooses the first of a few planes with a line in the field (I.8). If there is none, *best is the
 * plane that the least square root splits, and *radicand that root's square. */
static f2l_status choose_plane(maker *m, size_t *best, ulong *radicand, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool split = false;
    *radicand = 0;
    for (size_t i = 0; i < m->q->plane_count && i < PLANES && status == F2L_OK && !m->found; i++) {
        ulong d = 0;
        status = open_orbit(m, &m->q->planes[i], err);
        if (status == F2L_OK) status = f2l_orbit_split(&m->o, &split, &d, err);
        if (status == F2L_OK && split) status = f2l_orbit_frame(m->basis, &m->found, &m->o, err);
        if (status == F2L_OK && split && !m->found)
            status = f2l_orbit_spin(m->basis, &m->found, &m->o, err);
        if (d == 0 || (*radicand != 0 && *radicand <= d)) continue;
        *radicand = d;
        *best = i;
    }
    return status;
}

/* Tries again with the square root in the field. */
static f2l_status extend_field(maker *m, size_t best, ulong radicand, f2l_error *err)
{
    bool split = false;
    const size_t character = m->q->character;
    f2l_orbit_clear(&m->o);
    f2l_psi_clear(&m->psi);
    f2l_status status = f2l_psi_init(&m->psi, m->s->world, character, radicand, err);
    if (status == F2L_OK) status = open_orbit(m, &m->q->planes[best], err);
    if (status == F2L_OK) status = f2l_orbit_split(&m->o, &split, &radicand, err);
    return status == F2L_OK && split ? f2l_orbit_spin(m->basis, &m->found, &m->o, err) : status;
}

static f2l_status realise(f2l_irrep *out, const quest *q, const search *s, f2l_error *err)
{
    maker m = {.s = s, .q = q};
    size_t best = 0;
    ulong radicand = 0;
    f2l_status status = f2l_psi_init(&m.psi, s->world, q->character, 0, err);
    if (status != F2L_OK) return status;
    m.basis = f2l_calloc(m.psi.dimension, sizeof *m.basis);
    status = m.basis ? choose_subgroup(&m, err) : f2l_fail_memory(err);
    if (status == F2L_OK && !m.found) status = choose_plane(&m, &best, &radicand, err);
    if (status == F2L_OK && !m.found && radicand > 0)
        status = extend_field(&m, best, radicand, err);
    if (status == F2L_OK && m.found)
        status = f2l_orbit_matrices(out, &m.o, m.basis, err);
    else if (status == F2L_OK)
        status = f2l_fail(err, F2L_UNKNOWN,
                          "no subgroup was found that gives matrices for "
                          "character %zu",
                          q->character + 1);
    maker_clear(&m);
    return status;
}

f2l_status f2l_irreps_build(f2l_irrep *out, f2l_status *found, const size_t *character,
                            size_t count, const f2l_group *group, const f2l_classes *classes,
                            const f2l_characters *characters, const f2l_task *task, f2l_error *err)
{
    const f2l_irrep_world world = {
        .group = group, .classes = classes, .characters = characters, .task = task};
    search s;
    f2l_error why = {0}, first = {0};
    for (size_t i = 0; i < count; i++) out[i] = (f2l_irrep){0}, found[i] = F2L_UNKNOWN;
    f2l_status status = quest_search_init(&s, &world, character, count, err);
    if (status == F2L_OK) status = collect_subgroups(&s, err);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        found[i] = realise(&out[i], &s.quest[i], &s, &why);
        if (found[i] == F2L_UNKNOWN && first.status == F2L_OK) first = why;
        if (found[i] != F2L_OK && found[i] != F2L_UNKNOWN) {
            status = found[i];
            if (err) *err = why;
        }
        if (status == F2L_OK)
            status = f2l_task_poll(task, "representations", (double)i, (double)count, err);
    }
    search_clear(&s);
    for (size_t i = 0; i < count && status != F2L_OK; i++)
        f2l_irrep_clear(&out[i]), found[i] = status;
    if (status == F2L_OK && first.status != F2L_OK) {
        status = F2L_UNKNOWN;
        if (err) *err = first;
    }
    return status;
}
