/* Few chains that tell all labels apart: while two words lead to equal contents and different
 * labels, a chain that tells most of these pairs apart is added; then chains that are not needed
 * are left out or shortened. */
#include "numeric/base/hash.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/construct/copies/impl.h"
#include <string.h>

#define MOST_ROWS ((size_t)1 << 17) /* pairs of a content and a state */
#define MOST_PAIRS 256              /* of words that have to be told apart */
#define NEW_PAIRS 24                /* from one closure */
#define MASK_WORDS (MOST_PAIRS / 64)
#define MOST_TWOS 1024 /* chains of which every two are tried together */

/* A word, of letters; two of them are to be told apart. */
typedef struct history {
    uint16_t *letter;
    size_t length;
} history;

typedef struct row {
    uint64_t content;
    uint32_t state, parent, letter;
} row;

typedef struct search {
    const f2l_fsa *fsa;
    const uint32_t *label_of; /* [states] */
    f2l_copies_pool pool;
    size_t chosen[F2L_COPIES_MAX_SLOTS], levels[F2L_COPIES_MAX_SLOTS], count;
    history pair[MOST_PAIRS][2];
    size_t pairs;
    row *row; /* [rows] */
    size_t rows, room;
    f2l_index index, contents; /* rows by content and state; the first rows of contents */
    uint32_t *first;           /* [codes] */
    size_t codes, first_room;
} search;

/* Keeps only the first pairs of words. */
static void forget_pairs(search *s, size_t kept)
{
    for (; s->pairs > kept; s->pairs--) {
        f2l_free(s->pair[s->pairs - 1][0].letter);
        f2l_free(s->pair[s->pairs - 1][1].letter);
    }
}

static void clear_search(search *s)
{
    forget_pairs(s, 0);
    f2l_copies_pool_clear(&s->pool);
    f2l_index_clear(&s->index);
    f2l_index_clear(&s->contents);
    f2l_free(s->row);
    f2l_free(s->first);
}

/* A chain with fewer levels, which has no data of its own. */
static f2l_copy_chain cut_chain(const search *s, size_t i)
{
    f2l_copy_chain out = s->pool.chain[s->chosen[i]];
    out.levels = s->levels[i];
    return out;
}

static uint64_t below(size_t bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static uint64_t step_contents(const search *s, uint64_t contents, size_t letter)
{
    uint64_t out = 0;
    for (size_t i = 0, at = 0; i < s->count; at += s->levels[i++]) {
        const uint64_t mine = contents >> at & below(s->levels[i]);
        out |= (f2l_copy_step(&s->pool.chain[s->chosen[i]], mine, letter) & below(s->levels[i]))
               << at;
    }
    return out;
}

static uint64_t start_contents(const search *s)
{
    uint64_t out = 0;
    for (size_t i = 0, at = 0; i < s->count; at += s->levels[i++])
        out |= (s->pool.chain[s->chosen[i]].start & below(s->levels[i])) << at;
    return out;
}

/* --- the closure --- */

static uint64_t hash_row(const void *rows, size_t i)
{
    const row *r = (const row *)rows + i;
    return f2l_hash(f2l_hash(F2L_HASH, r->content), r->state);
}

static bool is_row(const void *rows, size_t i, const void *key)
{
    const row *r = (const row *)rows + i, *k = key;
    return r->content == k->content && r->state == k->state;
}

static uint64_t hash_content(const void *data, size_t i)
{
    const search *s = data;
    return f2l_hash(F2L_HASH, s->row[s->first[i]].content);
}

static bool is_content(const void *data, size_t i, const void *key)
{
    const search *s = data;
    return s->row[s->first[i]].content == *(const uint64_t *)key;
}

/* Adds the row unless it is there. *met is the first row with its content. */
static f2l_status add_row(search *s, size_t *met, const row *r, f2l_error *err)
{
    const uint64_t hash = f2l_hash(f2l_hash(F2L_HASH, r->content), r->state),
                   content = f2l_hash(F2L_HASH, r->content);
    *met = F2L_NO_INDEX;
    if (f2l_index_find(&s->index, hash, is_row, s->row, r) != F2L_NO_INDEX) return F2L_OK;
    if (s->rows == MOST_ROWS)
        return f2l_fail(err, F2L_UNKNOWN, "chains of copies reach too many contents");
    if (!f2l_grow((void **)&s->row, &s->room, s->rows, sizeof *s->row) ||
        !f2l_grow((void **)&s->first, &s->first_room, s->codes, sizeof *s->first) ||
        !f2l_index_grow(&s->index, hash_row, s->row) ||
        !f2l_index_grow(&s->contents, hash_content, s))
        return f2l_fail_memory(err);
    s->row[s->rows++] = *r;
    f2l_index_add(&s->index, hash);
    const size_t code = f2l_index_find(&s->contents, content, is_content, s, &r->content);
    if (code == F2L_NO_INDEX) {
        s->first[s->codes++] = (uint32_t)s->rows - 1;
        f2l_index_add(&s->contents, content);
    }
    *met = code == F2L_NO_INDEX ? s->rows - 1 : s->first[code];
    return F2L_OK;
}

static f2l_status take_history(history *out, const search *s, size_t at, f2l_error *err)
{
    out->length = 0;
    for (size_t r = at; r > 0; r = s->row[r].parent) out->length++;
    out->letter = f2l_calloc(out->length + 1, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (size_t r = at, i = out->length; r > 0; r = s->row[r].parent)
        out->letter[--i] = (uint16_t)s->row[r].letter;
    return F2L_OK;
}

static f2l_status add_pair(search *s, size_t a, size_t b, f2l_error *err)
{
    if (s->pairs == MOST_PAIRS) return F2L_OK;
    f2l_status status = take_history(&s->pair[s->pairs][0], s, a, err);
    if (status != F2L_OK) return status;
    status = take_history(&s->pair[s->pairs][1], s, b, err);
    s->pairs++;
    return status;
}

/* Closes the chosen chains beside the automaton, until `most` pairs of words are found, which are
 * kept, or with `most` 0 one, which is not. */
static f2l_status close_chains(search *s, size_t *clashes, size_t most, f2l_error *err)
{
    const size_t letters = s->fsa->letters.count;
    size_t met;
    s->rows = s->codes = *clashes = 0;
    f2l_index_empty(&s->index, 0);
    f2l_index_empty(&s->contents, 0);
    const row start = {start_contents(s), (uint32_t)s->fsa->start, 0, 0};
    f2l_status status = add_row(s, &met, &start, err);
    for (size_t i = 0; status == F2L_OK && i < s->rows && *clashes < (most > 0 ? most : 1); i++) {
        status = f2l_meter_spend(&s->pool.meter, letters * (8 + s->count), (double)i, 0, err);
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            const row from = s->row[i];
            const row to = {step_contents(s, from.content, a),
                            s->fsa->next[from.state * letters + a], (uint32_t)i, (uint32_t)a};
            status = add_row(s, &met, &to, err);
            if (status != F2L_OK || met == F2L_NO_INDEX ||
                s->label_of[s->row[met].state] == s->label_of[to.state])
                continue;
            ++*clashes;
            if (most > 0) status = add_pair(s, met, s->rows - 1, err);
        }
    }
    return status;
}

/* --- the choice --- */

static uint64_t content_after(const f2l_copy_chain *chain, const history *h)
{
    uint64_t out = chain->start;
    for (size_t i = 0; i < h->length; i++) out = f2l_copy_step(chain, out, h->letter[i]);
    return out & below(chain->levels);
}

static bool tells_apart(const f2l_copy_chain *chain, const history pair[2])
{
    return content_after(chain, &pair[0]) != content_after(chain, &pair[1]);
}

/* Adds the chain that tells most of the pairs apart which are left, for its slots. */
static f2l_status choose_chain(search *s, bool *left, size_t slots, f2l_error *err)
{
    size_t best = F2L_NO_INDEX;
    double most = 0;
    f2l_status status = f2l_meter_spend(&s->pool.meter, s->pool.count * s->pairs * 16, 0, 0, err);
    for (size_t i = 0; status == F2L_OK && i < s->pool.count; i++) {
        const f2l_copy_chain *chain = &s->pool.chain[i];
        size_t apart = 0;
        if (slots + chain->levels > F2L_COPIES_MAX_SLOTS) continue;
        for (size_t p = 0; p < s->pairs; p++) apart += left[p] && tells_apart(chain, s->pair[p]);
        const double worth = (double)apart / (double)(1 + chain->levels + chain->factors);
        if (worth <= most) continue;
        most = worth;
        best = i;
    }
    if (status != F2L_OK) return status;
    if (best == F2L_NO_INDEX || s->count == F2L_COPIES_MAX_SLOTS)
        return f2l_fail(err, F2L_UNKNOWN,
                        "no chains of copies were found that tell its states "
                        "apart%s",
                        s->pool.cut ? ", though not all of them were tried" : "");
    s->chosen[s->count] = best;
    s->levels[s->count++] = s->pool.chain[best].levels;
    for (size_t p = 0; p < s->pairs; p++)
        left[p] = left[p] && !tells_apart(&s->pool.chain[best], s->pair[p]);
    return F2L_OK;
}

/* The pairs that a chain tells apart. */
typedef struct coverage {
    uint64_t word[MASK_WORDS];
} coverage;

static bool covers_all(const coverage *a, const coverage *b, size_t pairs)
{
    bool all = true;
    for (size_t i = 0; all && i < MASK_WORDS && i * 64 < pairs; i++)
        all = (a->word[i] | b->word[i]) == below(pairs - i * 64);
    return all;
}

static size_t price(const f2l_copy_chain *chain)
{
    return 2 * chain->levels + chain->factors;
}

/* Chooses the cheapest chain, or two, that tell all pairs apart; *found is whether there are. */
static f2l_status choose_two(search *s, bool *found, f2l_error *err)
{
    const f2l_copies_pool *pool = &s->pool;
    const size_t twos = pool->count < MOST_TWOS ? pool->count : MOST_TWOS;
    const uint64_t steps = pool->count * (s->pairs * 8 + 8) + twos * twos / 4;
    size_t least = SIZE_MAX;
    f2l_status status = f2l_meter_spend(&s->pool.meter, steps, 0, 0, err);
    coverage *of = status == F2L_OK ? f2l_calloc(pool->count + 1, sizeof *of) : NULL;
    if (!of) return status == F2L_OK ? f2l_fail_memory(err) : status;
    for (size_t i = 0; i < pool->count; i++)
        for (size_t p = 0; p < s->pairs; p++)
            of[i].word[p / 64] |= (uint64_t)tells_apart(&pool->chain[i], s->pair[p]) << p % 64;
    for (size_t i = 0; i < pool->count; i++)
        for (size_t j = i; j < (i < twos ? twos : i + 1); j++) {
            const size_t mine = price(&pool->chain[i]) + (j > i ? price(&pool->chain[j]) : 0);
            if (mine >= least || !covers_all(&of[i], &of[j], s->pairs)) continue;
            least = mine;
            s->count = 1 + (j > i);
            s->chosen[0] = i;
            s->chosen[1] = j;
        }
    for (size_t i = 0; i < s->count; i++) s->levels[i] = pool->chain[s->chosen[i]].levels;
    *found = least < SIZE_MAX;
    f2l_free(of);
    return status;
}

static size_t chosen_slots(const search *s)
{
    size_t slots = 0;
    for (size_t i = 0; i < s->count; i++) slots += s->levels[i];
    return slots;
}

/* Adds chains until all pairs are told apart. */
static f2l_status tell_pairs_apart(search *s, f2l_error *err)
{
    bool left[MOST_PAIRS] = {false}, any = false;
    for (size_t p = 0; p < s->pairs; p++) {
        left[p] = true;
        for (size_t i = 0; left[p] && i < s->count; i++) {
            const f2l_copy_chain chain = cut_chain(s, i);
            left[p] = !tells_apart(&chain, s->pair[p]);
        }
        any = any || left[p];
    }
    f2l_status status = F2L_OK;
    while (status == F2L_OK && any) {
        status = choose_chain(s, left, chosen_slots(s), err);
        any = false;
        for (size_t p = 0; p < s->pairs; p++) any = any || left[p];
    }
    return status;
}

/* Takes `levels` levels from chain i, which is left out where none stay. */
static void shorten(search *s, size_t i, size_t levels)
{
    s->levels[i] -= levels;
    if (s->levels[i] > 0) return;
    s->count--;
    memmove(&s->chosen[i], &s->chosen[i + 1], (s->count - i) * sizeof *s->chosen);
    memmove(&s->levels[i], &s->levels[i + 1], (s->count - i) * sizeof *s->levels);
}

/* Leaves out what is not needed, whole chains first, and closes what stays. */
static f2l_status prune_chains(search *s, f2l_error *err)
{
    size_t clashes;
    f2l_status status = F2L_OK;
    for (int whole = 1; status == F2L_OK && whole >= 0; whole--)
        for (size_t i = s->count; status == F2L_OK && i-- > 0;) {
            const search before = *s;
            if (s->count == 1 && s->levels[i] == 1) break;
            shorten(s, i, whole ? s->levels[i] : 1);
            status = close_chains(s, &clashes, 0, err);
            if (status != F2L_OK || clashes == 0) continue;
            s->count = before.count;
            memcpy(s->chosen, before.chosen, sizeof s->chosen);
            memcpy(s->levels, before.levels, sizeof s->levels);
        }
    return status == F2L_OK ? close_chains(s, &clashes, 0, err) : status;
}

/* Chooses chains of the pool until all labels are told apart. */
static f2l_status choose_chains(search *s, f2l_error *err)
{
    size_t clashes = 1;
    bool few = true;
    f2l_status status = F2L_OK;
    s->count = 0;
    while (status == F2L_OK && clashes > 0) {
        status = close_chains(s, &clashes, few ? 2 : NEW_PAIRS, err);
        if (status != F2L_OK || clashes == 0) break;
        if (s->pairs == MOST_PAIRS)
            return f2l_fail(err, F2L_UNKNOWN, "too many words have to be told apart");
        few = few && s->pairs < MOST_PAIRS / 2;
        if (few) status = choose_two(s, &few, err);
        if (!few && status == F2L_OK) status = tell_pairs_apart(s, err);
    }
    if (status == F2L_OK) status = prune_chains(s, err);
    if (status == F2L_OK && s->codes > F2L_COPIES_MAX_CODES)
        return f2l_fail(err, F2L_UNKNOWN, "chains of copies have %zu contents", s->codes);
    return status;
}

/* Tries functions of the state first, of which fewer are enough where they are. */
static f2l_status search_chains(search *s, f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = f2l_copies_pool_functions(&s->pool, err);
    if (status != F2L_OK) return status;
    status = choose_chains(s, &why);
    if (status != F2L_UNKNOWN || f2l_task_goes_on(s->pool.meter.task, "chains", err) != F2L_OK) {
        if (status != F2L_OK && err) *err = why;
        return status;
    }
    forget_pairs(s, MOST_PAIRS / 8);
    status = f2l_copies_pool_marks(&s->pool, err);
    return status == F2L_OK ? choose_chains(s, err) : status;
}

/* --- the result --- */

void f2l_copies_clear(f2l_copies *copies)
{
    for (size_t i = 0; i < copies->chains; i++) f2l_copy_chain_clear(&copies->chain[i]);
    f2l_free(copies->chain);
    f2l_free(copies->content);
    f2l_free(copies->state);
    *copies = (f2l_copies){0};
}

/* Returns the least 1/eps with (1 + eps^2)^(levels - 1) <= 4/3, so that errors are at most 1/4. */
static unsigned find_inverse(size_t levels)
{
    for (unsigned m = 2;; m++) {
        double grown = 1;
        for (size_t i = 1; i < levels; i++) grown *= 1 + 1 / ((double)m * m);
        if (grown <= 4.0 / 3) return m;
    }
}

/* Copies chain i, and gives it the factors that its levels take. */
static f2l_status copy_chain(f2l_copy_chain *out, const search *s, size_t i, f2l_error *err)
{
    const f2l_copy_chain *from = &s->pool.chain[s->chosen[i]];
    const size_t letters = s->fsa->letters.count;
    *out = (f2l_copy_chain){.levels = s->levels[i],
                            .start = from->start & below(s->levels[i]),
                            .write = f2l_calloc(letters, sizeof *out->write),
                            .copy = f2l_calloc(letters, sizeof *out->copy)};
    if (!out->write || !out->copy) return f2l_fail_memory(err);
    memcpy(out->write, from->write, letters * sizeof *out->write);
    for (size_t a = 0; a < letters; a++) out->copy[a] = from->copy[a] & below(out->levels);
    return F2L_OK;
}

static f2l_status take_result(f2l_copies *out, const search *s, f2l_error *err)
{
    *out = (f2l_copies){.letters = s->fsa->letters.count, .codes = s->codes, .inverse = 2};
    out->chain = f2l_calloc(s->count, sizeof *out->chain);
    out->content = f2l_calloc(s->codes, sizeof *out->content);
    out->state = f2l_calloc(s->codes, sizeof *out->state);
    f2l_status status = out->chain && out->content && out->state ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < s->count; i++) {
        status = copy_chain(&out->chain[i], s, i, err);
        out->chains = i + 1;
        out->slots += s->levels[i];
        if (s->levels[i] > out->levels) out->levels = s->levels[i];
    }
    if (status != F2L_OK) return status;
    out->inverse = find_inverse(out->levels);
    for (size_t c = 0; c < s->codes; c++) {
        out->content[c] = s->row[s->first[c]].content;
        out->state[c] = s->row[s->first[c]].state;
    }
    for (size_t a = 0; a < out->letters; a++) {
        size_t factors = 0;
        for (size_t i = 0; i < out->chains; i++)
            factors += (size_t)__builtin_popcountll(out->chain[i].copy[a]) +
                       (out->chain[i].write[a] != F2L_COPIES_KEPT);
        if (factors > out->factors) out->factors = factors;
    }
    return F2L_OK;
}

/* Numbers the labels of the states. */
static f2l_status number_labels(uint32_t *label_of, const f2l_fsa *fsa, f2l_label label,
                                f2l_error *err)
{
    f2l_names names = {0};
    f2l_status status = F2L_OK;
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        const char *text = f2l_fsa_label(fsa, label, q);
        size_t index = 0;
        status = f2l_names_add(&names, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    f2l_names_clear(&names);
    return status;
}

f2l_status f2l_copies_find(f2l_copies *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err)
{
    uint32_t label_of[F2L_COPIES_MAX_STATES];
    *out = (f2l_copies){0};
    if (fsa->states.count > F2L_COPIES_MAX_STATES || fsa->letters.count > UINT16_MAX)
        return f2l_fail(err, F2L_UNKNOWN, "it has more than %d states, or too many letters",
                        F2L_COPIES_MAX_STATES);
    f2l_status status = number_labels(label_of, fsa, label, err);
    search *s = status == F2L_OK ? f2l_calloc(1, sizeof *s) : NULL;
    if (!s) return status == F2L_OK ? f2l_fail_memory(err) : status;
    s->fsa = fsa;
    s->label_of = label_of;
    s->pool = (f2l_copies_pool){.fsa = fsa, .meter = {.task = task, .phase = "chains of copies"}};
    status = search_chains(s, err);
    if (status == F2L_OK) status = take_result(out, s, err);
    if (status != F2L_OK) f2l_copies_clear(out);
    clear_search(s);
    f2l_free(s);
    return status;
}
