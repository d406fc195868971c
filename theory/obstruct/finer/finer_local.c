/* Locally testable automata: the two conditions of Kim, McNaughton and McCloskey (1991), as FC.4
 * of theory/pages/finer.md has them. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"

/* A pair that a word fixes, p leading to q, from which a word s leads to states only one of which
 * leads back to q. */
typedef struct uneven {
    size_t p, q;
    bool found;
} uneven;

/* The pairs that were met, with the search that meets them. */
typedef struct local_walk {
    const finer_search *s;
    uint64_t *met;   /* [(n n + 63) / 64] ordered pairs */
    uint32_t *stack; /* of ordered pairs, p n + q */
    size_t count, capacity;
} local_walk;

static f2l_status push_pair(local_walk *w, size_t x, size_t y, f2l_error *err)
{
    const size_t at = x * w->s->part.states.count + y;
    if (x == y || w->met[at / 64] >> at % 64 & 1) return F2L_OK;
    if (!f2l_grow((void **)&w->stack, &w->capacity, w->count, sizeof *w->stack))
        return f2l_fail_memory(err);
    w->met[at / 64] |= (uint64_t)1 << at % 64;
    w->stack[w->count++] = (uint32_t)at;
    return F2L_OK;
}

/* Follows pairs whose states both lead back to q; sets *found when a letter keeps this for one of
 * them only. What an earlier q of the same component has met need not be met again. */
static f2l_status walk_from(local_walk *w, bool *found, size_t p, size_t q, f2l_error *err)
{
    const f2l_fsa *part = &w->s->part;
    const size_t n = part->states.count, k = part->letters.count;
    f2l_meter meter = w->s->meter;
    f2l_status status = push_pair(w, p, q, err);
    while (status == F2L_OK && !*found && w->count > 0) {
        const size_t at = w->stack[--w->count], x = at / n, y = at % n;
        status = f2l_meter_spend(&meter, 2 + 4 * k, 0, 0, err);
        for (size_t a = 0; a < k && status == F2L_OK && !*found; a++) {
            const size_t xa = part->next[x * k + a], ya = part->next[y * k + a];
            const bool back = finer_leads(&w->s->ancestors, ya, q);
            *found = finer_leads(&w->s->ancestors, xa, q) != back;
            if (back && !*found) status = push_pair(w, xa, ya, err);
        }
    }
    return status;
}

static f2l_status find_uneven(uneven *out, const finer_search *s, f2l_error *err)
{
    const size_t n = s->part.states.count;
    local_walk w = {.s = s};
    f2l_status status = f2l_task_table(s->meter.task, s->meter.phase, n * n / 8, err);
    if (status != F2L_OK) return status;
    w.met = f2l_calloc((n * n + 63) / 64, sizeof *w.met);
    if (!w.met) return f2l_fail_memory(err);
    for (size_t i = 0; i < n * n && status == F2L_OK && !out->found; i++) {
        const size_t p = i / n, q = i % n;
        if (p == q || !finer_fixed(s, p, q) || !finer_leads(&s->ancestors, p, q)) continue;
        *out = (uneven){.p = p, .q = q};
        status = walk_from(&w, &out->found, p, q, err);
    }
    f2l_free(w.met);
    f2l_free(w.stack);
    return status;
}

/* Ends a search at a pair of which one state leads back to target[0]. */
static bool ends_uneven(const f2l_tuples *search, const uint32_t *from, size_t letter,
                        const uint32_t *to)
{
    const finer_search *s = search->context;
    (void)from;
    (void)letter;
    return finer_leads(&s->ancestors, to[0], search->target[0]) !=
           finer_leads(&s->ancestors, to[1], search->target[0]);
}

/* Sets the word to s t, where s is the shortest word as in FC.4, and t leads back to q. */
static f2l_status find_way_back(f2l_word *out, bool *from_p, finer_search *s, const uneven *u,
                                f2l_error *err)
{
    const uint32_t pair[] = {(uint32_t)u->p, (uint32_t)u->q};
    const f2l_tuples search = {
        .fsa = &s->part, .size = 2, .ends = ends_uneven, .target = {(uint32_t)u->q}, .context = s};
    f2l_word back = {0};
    bool found;
    f2l_status status = f2l_tuples_find(out, &found, &search, pair, s->meter.task, err);
    if (status != F2L_OK) return status;
    if (!found) return f2l_fail(err, F2L_EDOMAIN, "a word of a pattern was not found");
    for (size_t i = 0; i < out->length; i++) out->letter[i] = s->letter[out->letter[i]];
    size_t at = f2l_word_lead(s->fsa, u->p, out);
    *from_p = finer_leads(&s->ancestors, at, u->q);
    if (!*from_p) at = f2l_word_lead(s->fsa, u->q, out);
    status = f2l_finer_way(&back, s, at, u->q, err);
    if (status == F2L_OK) status = f2l_finer_append(out, &back, err);
    f2l_word_clear(&back);
    return status;
}

static f2l_status show_uneven(f2l_finer_witness *w, finer_search *s, const uneven *u,
                              f2l_error *err)
{
    f2l_word way = {0};
    bool from_p = false;
    f2l_status status = find_way_back(&way, &from_p, s, u, err);
    w->first = from_p ? "u w^n x w^n" : "u w^n x w^n y w^n";
    w->second = from_p ? "u w^n x w^n x w^n" : "u w^n y w^n x w^n";
    if (status == F2L_OK && !from_p)
        status = f2l_finer_way(&w->word[F2L_FINER_X], s, u->p, u->q, err);
    w->word[from_p ? F2L_FINER_X : F2L_FINER_Y] = way;
    return status;
}

/* Looks for a fixed pair in one component of the states. */
static bool find_fixed_together(const finer_search *s, uneven *out)
{
    for (size_t c = 0; c < s->states.count; c++) {
        const uint32_t *member = s->states.member + s->states.first[c];
        const size_t members = s->states.first[c + 1] - s->states.first[c];
        for (size_t i = 0; i < members; i++)
            for (size_t j = i + 1; j < members; j++)
                if (finer_fixed(s, member[i], member[j])) {
                    *out = (uneven){.p = member[i], .q = member[j], .found = true};
                    return true;
                }
    }
    return false;
}

f2l_status f2l_finer_local(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    f2l_finer_witness *w = &row->witness;
    uneven u = {0};
    const bool together = find_fixed_together(s, &u);
    f2l_status status = together ? F2L_OK : find_uneven(&u, s, err);
    if (status != F2L_OK) return status;
    row->member = u.found ? F2L_TERNARY_NO : F2L_TERNARY_YES;
    if (!u.found) return F2L_OK;
    const uint32_t pair[] = {(uint32_t)u.p, (uint32_t)u.q};
    status = f2l_finer_loop(&w->word[F2L_FINER_W], s, pair, 2, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, u.p, err);
    if (status == F2L_OK && !together) status = show_uneven(w, s, &u, err);
    if (status == F2L_OK && together) {
        w->first = "u w^n x w^n y w^n";
        w->second = "u w^n x w^n y w^n x w^n";
        status = f2l_finer_way(&w->word[F2L_FINER_X], s, u.p, u.q, err);
        if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_Y], s, u.q, u.p, err);
    }
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}
