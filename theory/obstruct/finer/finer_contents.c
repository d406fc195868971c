/* L-trivial automata, and automata in DA: patterns in which the letters of some words are among the
 * letters of a word that fixes two states (FC.7, FC.8). In a component of the graph of pairs such a
 * word has at most the letters on its edges, and may have all; so one pair of each is tried. */
#include "numeric/base/mem.h"
#include "theory/obstruct/finer/impl.h"
#include <stdlib.h>
#include <string.h>

/* The letters on the edges of a component of pairs. */
typedef struct alphabet {
    const uint64_t *letters; /* [words] a set */
    size_t words;
    uint32_t component;
} alphabet;

/* The automaton with the letters of one alphabet. */
typedef struct contents_part {
    finer_search s; /* whose part, letter, states and ancestors are set */
    const alphabet *of;
} contents_part;

static int compare_alphabets(const void *a, const void *b)
{
    const alphabet *x = a, *y = b;
    const int order = memcmp(x->letters, y->letters, x->words * sizeof *x->letters);
    return order ? order : (x->component > y->component) - (x->component < y->component);
}

/* Returns the number of the pair to which the letter leads, or SIZE_MAX: it makes them one. */
static size_t lead_both(const finer_search *s, size_t pair, size_t letter)
{
    const size_t n = s->part.states.count, k = s->part.letters.count;
    const size_t x = s->part.next[pair / n * k + letter], y = s->part.next[pair % n * k + letter];
    return x == y ? SIZE_MAX : finer_pair(s, x, y);
}

static void collect_letters(uint64_t *letters, const finer_search *s, uint32_t component)
{
    for (size_t i = s->pairs.first[component]; i < s->pairs.first[component + 1]; i++)
        for (size_t a = 0; a < s->part.letters.count; a++) {
            const size_t to = lead_both(s, s->pairs.member[i], a);
            if (to != SIZE_MAX && s->pairs.of[to] == component)
                letters[a / 64] |= (uint64_t)1 << a % 64;
        }
}

/* Lists the alphabets of all components with cycles, equal ones side by side. */
static f2l_status list_alphabets(alphabet **list, uint64_t **sets, size_t *count, finer_search *s,
                                 f2l_error *err)
{
    const size_t words = (s->part.letters.count + 63) / 64 + 1;
    const size_t n = s->part.states.count;
    size_t cycles = 0;
    for (size_t c = 0; c < s->pairs.count; c++) cycles += s->cyclic[c];
    f2l_status status = f2l_meter_spend(
        &s->meter, n * n * s->part.letters.count + cycles * (words * 8 + 32), 0, 0, err);
    if (status != F2L_OK) return status;
    *list = f2l_calloc(cycles + 1, sizeof **list);
    *sets = f2l_calloc(cycles + 1, words * sizeof **sets);
    if (!*list || !*sets) return f2l_fail_memory(err);
    for (size_t c = 0; c < s->pairs.count; c++) {
        if (!s->cyclic[c]) continue;
        uint64_t *letters = *sets + *count * words;
        collect_letters(letters, s, (uint32_t)c);
        (*list)[(*count)++] =
            (alphabet){.letters = letters, .words = words, .component = (uint32_t)c};
    }
    qsort(*list, *count, sizeof **list, compare_alphabets);
    return F2L_OK;
}

static void clear_part(contents_part *part)
{
    f2l_finer_search_clear(&part->s);
    part->of = NULL;
}

/* Makes the automaton with the letters of the alphabet. */
static f2l_status make_contents_part(contents_part *out, const alphabet *of, const finer_search *s,
                                     f2l_error *err)
{
    const size_t n = s->part.states.count, k = s->part.letters.count;
    clear_part(out);
    *out = (contents_part){.s = {.fsa = s->fsa, .meter = s->meter}, .of = of};
    f2l_fsa *part = &out->s.part;
    out->s.letter = f2l_calloc(k + 1, sizeof *out->s.letter);
    part->next = f2l_calloc(n * k + 1, sizeof *part->next);
    if (!out->s.letter || !part->next) return f2l_fail_memory(err);
    size_t count = 0;
    for (size_t a = 0; a < k; a++)
        if (of->letters[a / 64] >> a % 64 & 1) out->s.letter[count++] = (uint32_t)a;
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < count; a++)
            part->next[q * count + a] = s->part.next[q * k + out->s.letter[a]];
    for (size_t a = 0; a < count; a++) out->s.letter[a] = s->letter[out->s.letter[a]];
    part->states.count = n;
    part->letters.count = count;
    part->start = s->part.start;
    const f2l_graph graph = f2l_graph_of_table(part->next, n, count);
    f2l_status status = f2l_scc_build(&out->s.states, &graph, &out->s.meter, err);
    if (status != F2L_OK) return status;
    return f2l_finer_ancestors(&out->s.ancestors, part, &out->s.states, &out->s.meter, err);
}

/* --- witnesses --- */

/* What a search for an edge with a letter that is still needed knows. */
typedef struct covering {
    const finer_search *s;
    const contents_part *part;
    uint8_t *needed; /* [letters of the whole automaton] */
    size_t left;
} covering;

static void need_letters(covering *c, const f2l_word *word)
{
    for (size_t i = 0; i < word->length; i++) {
        c->left += !c->needed[word->letter[i]];
        c->needed[word->letter[i]] = 1;
    }
}

/* Ends a search at an edge of the component whose letter is needed. */
static bool ends_at_needed(const f2l_tuples *search, const uint32_t *from, size_t letter,
                           const uint32_t *to)
{
    const covering *c = search->context;
    (void)from;
    return c->needed[c->part->s.letter[letter]] && to[0] != to[1] &&
           c->s->pairs.of[finer_pair(c->s, to[0], to[1])] == c->part->of->component;
}

/* Appends a word to the loop, and takes its letters from those that are needed. */
static f2l_status lengthen_loop(f2l_word *loop, covering *c, f2l_word *by, uint32_t *at,
                                f2l_error *err)
{
    for (size_t i = 0; i < by->length; i++) {
        const uint32_t a = by->letter[i] = c->part->s.letter[by->letter[i]];
        c->left -= c->needed[a];
        c->needed[a] = 0;
    }
    for (size_t i = 0; i < 2; i++) at[i] = (uint32_t)f2l_word_lead(c->s->fsa, at[i], by);
    const f2l_status status = f2l_finer_append(loop, by, err);
    f2l_word_clear(by);
    return status;
}

/* Sets the word to one that fixes p and q and has all letters that are needed. */
static f2l_status find_covering_loop(f2l_word *out, covering *c, size_t p, size_t q, f2l_error *err)
{
    uint32_t at[] = {(uint32_t)p, (uint32_t)q};
    f2l_tuples search = {.fsa = &c->part->s.part, .size = 2, .ends = ends_at_needed, .context = c};
    f2l_status status = F2L_OK;
    bool found = true;
    for (bool last = false; status == F2L_OK && found && !last;) {
        f2l_word by = {0};
        last = c->left == 0;
        if (last && out->length > 0 && at[0] == p && at[1] == q) break;
        search.ends = last ? f2l_tuples_at_target : ends_at_needed;
        search.target[0] = (uint32_t)p;
        search.target[1] = (uint32_t)q;
        status = f2l_tuples_find(&by, &found, &search, at, c->s->meter.task, err);
        if (status == F2L_OK && found) status = lengthen_loop(out, c, &by, at, err);
    }
    if (status == F2L_OK && !found)
        return f2l_fail(err, F2L_EDOMAIN, "a word of a pattern was not found");
    return status;
}

/* Sets u, x, w and perhaps y of a witness: r leads to p by x, and with `two` to q by y; otherwise p
 * is r, and x leads to q. */
static f2l_status show_contents(f2l_finer_row *row, const finer_search *s,
                                const contents_part *part, size_t r, const size_t pair[2], bool two,
                                f2l_error *err)
{
    f2l_finer_witness *w = &row->witness;
    covering c = {.s = s, .part = part, .needed = f2l_calloc(s->fsa->letters.count + 1, 1)};
    if (!c.needed) return f2l_fail_memory(err);
    row->member = F2L_TERNARY_NO;
    w->first = two ? "u x w^n" : "u w^n";
    w->second = two ? "u y w^n" : "u w^n x w^n";
    f2l_status status = f2l_finer_way(&w->word[F2L_FINER_U], s, s->fsa->start, r, err);
    if (status == F2L_OK)
        status = f2l_finer_way(&w->word[F2L_FINER_X], &part->s, r, pair[two ? 0 : 1], err);
    if (status == F2L_OK && two)
        status = f2l_finer_way(&w->word[F2L_FINER_Y], &part->s, r, pair[1], err);
    need_letters(&c, &w->word[F2L_FINER_X]);
    need_letters(&c, &w->word[F2L_FINER_Y]);
    if (status == F2L_OK)
        status = find_covering_loop(&w->word[F2L_FINER_W], &c, pair[0], pair[1], err);
    f2l_free(c.needed);
    return status == F2L_OK ? f2l_finer_settle(w, s->fsa, err) : status;
}

/* --- the patterns --- */

/* Returns a state that leads to both, one of them if possible; the number of states: none does. */
static size_t find_common(const contents_part *part, size_t p, size_t q)
{
    const finer_ancestors *a = &part->s.ancestors;
    const size_t n = part->s.part.states.count;
    if (finer_leads(a, p, q)) return p;
    if (finer_leads(a, q, p)) return q;
    for (size_t j = 0; j < a->words; j++) {
        const uint64_t both = a->row[p * a->words + j] & a->row[q * a->words + j];
        if (both) return 64 * j + (size_t)__builtin_ctzll(both);
    }
    return n;
}

/* Tries the pair that stands for its component. */
static f2l_status try_component(f2l_finer_row *l, f2l_finer_row *da, const finer_search *s,
                                const contents_part *part, f2l_error *err)
{
    const size_t n = s->part.states.count;
    const size_t member = s->pairs.member[s->pairs.first[part->of->component]];
    const size_t pair[] = {member / n, member % n}, turned[] = {member % n, member / n};
    const size_t common = find_common(part, pair[0], pair[1]);
    f2l_status status = F2L_OK;
    if (common == n) return F2L_OK;
    if (l->member == F2L_TERNARY_UNKNOWN)
        status = show_contents(l, s, part, common, pair, true, err);
    if (status != F2L_OK || da->member != F2L_TERNARY_UNKNOWN) return status;
    if (common == pair[0]) return show_contents(da, s, part, pair[0], pair, false, err);
    if (common == pair[1]) return show_contents(da, s, part, pair[1], turned, false, err);
    return F2L_OK;
}

static f2l_status try_alphabets(f2l_finer_row *l, f2l_finer_row *da, finer_search *s,
                                const alphabet *list, size_t count, f2l_error *err)
{
    contents_part part = {0};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        if (l->member != F2L_TERNARY_UNKNOWN && da->member != F2L_TERNARY_UNKNOWN) break;
        status = f2l_meter_spend(&s->meter, 10 + s->ancestors.words, 0, 0, err);
        if (status == F2L_OK && (!part.of || memcmp(part.of->letters, list[i].letters,
                                                    list[i].words * sizeof *list[i].letters) != 0))
            status = make_contents_part(&part, &list[i], s, err);
        part.of = &list[i];
        if (status == F2L_OK) status = try_component(l, da, s, &part, err);
    }
    clear_part(&part);
    if (status != F2L_OK) return status;
    if (l->member == F2L_TERNARY_UNKNOWN) l->member = F2L_TERNARY_YES;
    if (da->member == F2L_TERNARY_UNKNOWN) da->member = F2L_TERNARY_YES;
    return F2L_OK;
}

f2l_status f2l_finer_contents(f2l_finer_row *l, f2l_finer_row *da, finer_search *s, f2l_error *err)
{
    alphabet *list = NULL;
    uint64_t *sets = NULL;
    size_t count = 0;
    f2l_status status = list_alphabets(&list, &sets, &count, s, err);
    if (status == F2L_OK) status = try_alphabets(l, da, s, list, count, err);
    f2l_free(list);
    f2l_free(sets);
    return status;
}
