/* Classes whose patterns ask for words that fix states: definite automata and their kin, and
 * R-trivial ones. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"

/* Returns the next pair from number *at on that a word fixes; false: there is none. */
static bool next_fixed_pair(const finer_search *s, size_t *at, size_t *p, size_t *q)
{
    const size_t n = s->part.states.count;
    for (; *at < n * n; ++*at) {
        *p = *at / n;
        *q = *at % n;
        if (*p < *q && s->cyclic[s->pairs.of[*at]]) {
            ++*at;
            return true;
        }
    }
    return false;
}

f2l_status f2l_finer_definite(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    f2l_finer_witness *w = &row->witness;
    size_t at = 0, p, q;
    row->member = F2L_TERNARY_YES;
    if (!next_fixed_pair(s, &at, &p, &q)) return F2L_OK;
    const uint32_t pair[] = {(uint32_t)p, (uint32_t)q};
    row->member = F2L_TERNARY_NO;
    w->first = "u w^n";
    w->second = "x w^n";
    f2l_status status = f2l_finer_loop(&w->word[F2L_FINER_W], s, pair, 2, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, p, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_X], s, s->fsa->start, q, err);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

/* Returns whether a word that is not empty fixes the state. */
static bool is_fixed(const finer_search *s, size_t p)
{
    const size_t k = s->part.letters.count, c = s->states.of[p];
    bool fixed = s->states.first[c + 1] - s->states.first[c] > 1;
    for (size_t a = 0; a < k && !fixed; a++) fixed = s->part.next[p * k + a] == p;
    return fixed;
}

/* Sets *most to the most edges between components on a path. */
static f2l_status find_longest_path(size_t *most, const finer_search *s, f2l_error *err)
{
    const size_t k = s->part.letters.count;
    size_t *length = f2l_calloc(s->states.count + 1, sizeof *length);
    if (!length) return f2l_fail_memory(err);
    *most = 0;
    for (size_t c = 0; c < s->states.count; c++) { /* a component leads to lower ones */
        for (size_t i = s->states.first[c]; i < s->states.first[c + 1]; i++)
            for (size_t a = 0; a < k; a++) {
                const size_t to = s->states.of[s->part.next[s->states.member[i] * k + a]];
                if (to != c && length[to] + 1 > length[c]) length[c] = length[to] + 1;
            }
        if (length[c] > *most) *most = length[c];
    }
    f2l_free(length);
    return F2L_OK;
}

f2l_status f2l_finer_reverse(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    const size_t n = s->part.states.count, k = s->part.letters.count;
    f2l_finer_witness *w = &row->witness;
    size_t p = 0, a = k;
    for (; p < n; p++) {
        if (!is_fixed(s, p)) continue;
        for (a = 0; a < k && s->part.next[p * k + a] == p; a++) {
        }
        if (a < k) break;
    }
    row->member = p < n ? F2L_TERNARY_NO : F2L_TERNARY_YES;
    if (p == n) return find_longest_path(&row->order, s, err);
    const uint32_t state = (uint32_t)p;
    w->first = "u w^n";
    w->second = "u w^n x";
    f2l_status status = f2l_finer_loop(&w->word[F2L_FINER_W], s, &state, 1, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, p, err);
    if (status == F2L_OK)
        status = f2l_finer_append(&w->word[F2L_FINER_X],
                                  &(f2l_word){.letter = &s->letter[a], .length = 1}, err);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

f2l_status f2l_finer_generalised(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    f2l_finer_witness *w = &row->witness;
    size_t at = 0, p, q;
    row->member = F2L_TERNARY_YES;
    while (row->member == F2L_TERNARY_YES && next_fixed_pair(s, &at, &p, &q))
        if (finer_leads(&s->ancestors, p, q) || finer_leads(&s->ancestors, q, p))
            row->member = F2L_TERNARY_NO;
    if (row->member == F2L_TERNARY_YES) return F2L_OK;
    if (!finer_leads(&s->ancestors, p, q)) {
        const size_t other = p;
        p = q;
        q = other;
    }
    const uint32_t pair[] = {(uint32_t)p, (uint32_t)q};
    w->first = "u w^n";
    w->second = "u w^n x w^n";
    f2l_status status = f2l_finer_loop(&w->word[F2L_FINER_W], s, pair, 2, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, p, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_X], s, p, q, err);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

f2l_status f2l_finer_r(f2l_finer_row *row, finer_search *s, f2l_error *err)
{
    const size_t n = s->part.states.count;
    f2l_finer_witness *w = &row->witness;
    f2l_word back = {0};
    size_t p = 0, q = n;
    for (; p < n && q == n; p++)
        for (q = p + 1; q < n && s->states.of[q] != s->states.of[p]; q++) {
        }
    row->member = q < n ? F2L_TERNARY_NO : F2L_TERNARY_YES;
    if (q >= n) return find_longest_path(&row->order, s, err);
    p--;
    w->first = "u w^n";
    w->second = "u w^n x";
    f2l_status status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, p, err);
    if (status == F2L_OK) status = f2l_finer_way(&w->word[F2L_FINER_X], s, p, q, err);
    if (status == F2L_OK) status = f2l_finer_way(&back, s, q, p, err);
    if (status == F2L_OK)
        status = f2l_finer_append(&w->word[F2L_FINER_W], &w->word[F2L_FINER_X], err);
    if (status == F2L_OK) status = f2l_finer_append(&w->word[F2L_FINER_W], &back, err);
    f2l_word_clear(&back);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}
