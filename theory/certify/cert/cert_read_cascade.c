/* The claim cascade of a certificate (grammar in theory/certify/cert/cascade_cert.c). */
#include "numeric/base/mem.h"
#include "theory/certify/cert/impl.h"
#include "theory/certify/closure/pairs.h"
#include <string.h>

#define WORD_BYTES 4
#define LINES_PER_POLL 4096

/* The fewest bytes of a line of each kind. */
enum {
    SET_BYTES = sizeof "set 1 level 1 members 1\n" - 1,
    LEVEL_BYTES = sizeof "level 1 layers 1 contexts 1 pairs 1\n" - 1,
    CONTEXT_BYTES = sizeof "context 1 letter 1 from 1 to 1\n" - 1,
    PAIR_BYTES = sizeof "pair 1 set 1 codes 1 next 1\n" - 1
};

/* The coordinate for a set and codes. */
struct f2l_cert_children {
    f2l_pairs key;        /* the set, then the codes of the level's layers, 4 bytes each */
    uint32_t *coordinate; /* [key.count] */
    size_t capacity;
};

void f2l_cert_clear_children(f2l_cert *cert)
{
    for (size_t l = 0; cert->children && l < cert->cascade.levels; l++) {
        f2l_pairs_clear(&cert->children[l].key);
        f2l_free(cert->children[l].coordinate);
    }
    f2l_free(cert->children);
    for (size_t l = 0; cert->letter && l < cert->cascade.levels; l++) f2l_free(cert->letter[l]);
    f2l_free(cert->letter);
}

static void put_key(unsigned char *key, uint32_t set, const size_t *code, size_t layers)
{
    f2l_pairs_put(key, WORD_BYTES, set);
    for (size_t i = 0; i < layers; i++)
        f2l_pairs_put(key + (i + 1) * WORD_BYTES, WORD_BYTES, code[i]);
}

bool f2l_cert_coordinate(const void *context, size_t l, uint32_t set, const size_t *code,
                         uint32_t *coordinate)
{
    const f2l_cert *cert = context;
    f2l_cert_children *children = &cert->children[l];
    unsigned char small[64], *key = small;
    size_t row = 0;
    if (children->key.width > sizeof small && !(key = f2l_calloc(children->key.width, 1)))
        return false;
    put_key(key, set, code, cert->layers[l]);
    const bool found = f2l_pairs_add(&children->key, key, &row, NULL, "", NULL) == F2L_OK;
    if (found) *coordinate = children->coordinate[row];
    if (key != small) f2l_free(key);
    return found;
}

static bool grow_cert_array(f2l_cert_reader *r, uint32_t **array, size_t *capacity, size_t count)
{
    return f2l_grow((void **)array, capacity, count, sizeof **array) || f2l_cert_no_memory(&r->s);
}

/* Reads `text`, then a number from 1 on, which becomes an index. */
static bool read_index(f2l_scan *s, uint32_t *out, const char *text, const char *what, size_t most)
{
    size_t number;
    if (!f2l_cert_value(s, text, &number, what, 1, most)) return false;
    *out = (uint32_t)(number - 1);
    return true;
}

static bool poll_lines(f2l_cert_reader *r, const char *phase, size_t line, size_t lines)
{
    if (line % LINES_PER_POLL != 0) return true;
    return f2l_scan_passed(&r->s,
                           f2l_task_poll(r->task, phase, (double)line, (double)lines, r->s.err));
}

/* Reads " q_1 .." in increasing order into r->members. */
static bool read_set_members(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    f2l_subsets *sets = &r->out->cascade.sets;
    size_t least = 1, member;
    memset(r->members, 0, sets->words * sizeof *r->members);
    do {
        if (!f2l_cert_value(s, " ", &member, "the member", least, sets->states)) return false;
        f2l_set_put(r->members, member - 1);
        least = member + 1;
    } while (f2l_scan_at_number(s));
    return true;
}

static bool add_set(f2l_cert_reader *r, size_t i, size_t start)
{
    uint32_t id;
    f2l_subsets *sets = &r->out->cascade.sets;
    if (!f2l_scan_passed(&r->s, f2l_subsets_add(sets, r->members, &id, r->s.err))) return false;
    if (id != i)
        return f2l_scan_fail(&r->s, start, "these are the members of set %zu too", (size_t)id + 1);
    return i % 256 != 0 ||
           f2l_scan_passed(&r->s, f2l_task_memory(r->task, "reading the certificate",
                                                  f2l_subsets_bytes(sets), r->s.err));
}

static bool read_cover(f2l_cert_reader *r, size_t i)
{
    f2l_cascade *c = &r->out->cascade;
    c->cover_at[i] = r->covers;
    if (!f2l_scan_next_is(&r->s, " cover")) return true;
    if (!f2l_scan_want(&r->s, " cover")) return false;
    do {
        if (!grow_cert_array(r, &c->cover, &r->cover_capacity, r->covers) ||
            !read_index(&r->s, &c->cover[r->covers++], " ", "the member of the cover", r->sets))
            return false;
    } while (f2l_scan_at_number(&r->s));
    c->cover_count[i] = (uint32_t)(r->covers - c->cover_at[i]);
    return true;
}

static bool read_cascade_set(f2l_cert_reader *r, size_t i)
{
    f2l_scan *s = &r->s;
    f2l_cascade *c = &r->out->cascade;
    const size_t start = s->at;
    size_t level;
    if (!f2l_scan_want(s, "set ") || !f2l_scan_ordinal(s, "the set", i) ||
        !f2l_cert_value(s, " level ", &level, "the level", 1, c->levels + 1) ||
        !f2l_scan_want(s, " members"))
        return false;
    c->lambda[i] = (uint32_t)level;
    return read_set_members(r) && add_set(r, i, start) && read_cover(r, i) &&
           f2l_scan_want(s, "\n");
}

static bool read_sets(f2l_cert_reader *r)
{
    f2l_cascade *c = &r->out->cascade;
    f2l_subsets_init(&c->sets, r->fsa->states.count);
    r->members = f2l_calloc(c->sets.words, sizeof *r->members);
    c->lambda = f2l_calloc(r->sets, sizeof *c->lambda);
    c->cover_count = f2l_calloc(r->sets, sizeof *c->cover_count);
    c->cover_at = f2l_calloc(r->sets, sizeof *c->cover_at);
    if (!r->members || !c->lambda || !c->cover_count || !c->cover_at)
        return f2l_cert_no_memory(&r->s);
    for (size_t i = 0; i < r->sets; i++)
        if (!poll_lines(r, "reading sets", i, r->sets) || !read_cascade_set(r, i)) return false;
    return true;
}

/* Reads context i of level l, whose first line has told whether the contexts name letters. */
static bool read_context(f2l_cert_reader *r, size_t l, size_t i)
{
    f2l_scan *s = &r->s;
    f2l_level *level = &r->out->cascade.level[l];
    f2l_context *out = &level->context[i];
    if (!f2l_scan_want(s, "context ") || !f2l_scan_ordinal(s, "the context", i) ||
        !read_index(s, &out->letter, " letter ", "the letter", r->fsa->letters.count) ||
        !read_index(s, &out->from, " from ", "the set", r->sets) ||
        !read_index(s, &out->to, " to ", "the set", r->sets))
        return false;
    uint32_t **letter = &r->out->letter[l];
    if (i == 0 && l > 0 && f2l_scan_next_is(s, " reads ")) {
        *letter = f2l_calloc(level->contexts, sizeof **letter);
        if (!*letter) return f2l_cert_no_memory(s);
    }
    return (!*letter || read_index(s, *letter + i, " reads ", "the letter", UINT32_MAX)) &&
           f2l_scan_want(s, "\n");
}

static bool read_level_contexts(f2l_cert_reader *r, size_t l, size_t count)
{
    f2l_level *level = &r->out->cascade.level[l];
    level->context = f2l_calloc(count, sizeof *level->context);
    if (!level->context) return f2l_cert_no_memory(&r->s);
    level->contexts = level->context_capacity = count;
    for (size_t i = 0; i < count; i++)
        if (!poll_lines(r, "reading contexts", i, count) || !read_context(r, l, i)) return false;
    return true;
}

/* Finds the coordinate whose member of the cover of `set` is `child`. */
static bool find_coordinate(const f2l_cascade *c, uint32_t set, uint32_t child,
                            uint32_t *coordinate)
{
    for (uint32_t i = 0; i < c->cover_count[set]; i++)
        if (c->cover[c->cover_at[set] + i] == child) {
            *coordinate = i;
            return true;
        }
    return false;
}

/* Adds the child of a pair. If the set belongs to another level, its child is the set itself, and
 * nothing is stored. */
static bool add_child(f2l_cert_reader *r, size_t l, uint32_t set, uint32_t child, size_t start)
{
    const f2l_cascade *c = &r->out->cascade;
    f2l_cert_children *children = &r->out->children[l];
    uint32_t coordinate;
    size_t at;
    if (c->lambda[set] != l + 1) return true;
    if (!find_coordinate(c, set, child, &coordinate))
        return f2l_scan_fail(&r->s, start, "the child is no member of the set's cover");
    const size_t count = children->key.count;
    if (!f2l_scan_passed(
            &r->s, f2l_pairs_add(&children->key, r->key, &at, r->task, "reading pairs", r->s.err)))
        return false;
    r->out->reads = true;
    if (at < count)
        return children->coordinate[at] == coordinate ||
               f2l_scan_fail(&r->s, start,
                             "another pair of this set and these codes has another child");
    if (!grow_cert_array(r, &children->coordinate, &children->capacity, count)) return false;
    children->coordinate[at] = coordinate;
    return true;
}

static bool read_pair(f2l_cert_reader *r, size_t l, size_t p)
{
    f2l_scan *s = &r->s;
    const size_t start = s->at;
    uint32_t set, code, child;
    if (!f2l_scan_want(s, "pair ") || !f2l_scan_ordinal(s, "the pair", p) ||
        !read_index(s, &set, " set ", "the set", r->sets) || !f2l_scan_want(s, " codes"))
        return false;
    f2l_pairs_put(r->key, WORD_BYTES, set);
    for (size_t i = 0; i < r->out->layers[l]; i++) {
        if (!read_index(s, &code, " ", "the code", UINT32_MAX)) return false;
        f2l_pairs_put(r->key + (i + 1) * WORD_BYTES, WORD_BYTES, code);
    }
    if (!f2l_scan_next_is(s, " child ")) return f2l_cert_skip_line(s);
    return read_index(s, &child, " child ", "the set", r->sets) &&
           add_child(r, l, set, child, start) && f2l_cert_skip_line(s);
}

static bool read_level_pairs(f2l_cert_reader *r, size_t l, size_t count)
{
    f2l_pairs *key = &r->out->children[l].key;
    f2l_pairs_init(key, (r->out->layers[l] + 1) * WORD_BYTES, count);
    r->key = f2l_calloc(r->out->layers[l] + 1, WORD_BYTES);
    if (!r->key) return f2l_cert_no_memory(&r->s);
    bool good = true;
    for (size_t p = 0; good && p < count; p++)
        good = poll_lines(r, "reading pairs", p, count) && read_pair(r, l, p);
    f2l_free(r->key);
    key->limit = key->count; /* so that a look-up never adds a key */
    return good;
}

static bool read_cascade_level(f2l_cert_reader *r, size_t l)
{
    f2l_scan *s = &r->s;
    size_t contexts, pairs;
    return f2l_scan_want(s, "level ") && f2l_scan_ordinal(s, "the level", l) &&
           f2l_scan_want(s, " layers ") &&
           f2l_scan_count(s, &r->out->layers[l], "the number of layers", 1, 1) &&
           f2l_scan_want(s, " contexts ") &&
           f2l_scan_count(s, &contexts, "the number of contexts", 1, CONTEXT_BYTES) &&
           f2l_scan_want(s, " pairs ") &&
           f2l_scan_count(s, &pairs, "the number of pairs", 1, PAIR_BYTES) &&
           f2l_scan_want(s, "\n") && read_level_contexts(r, l, contexts) &&
           read_level_pairs(r, l, pairs);
}

static bool read_levels(f2l_cert_reader *r)
{
    for (size_t l = 0; l < r->out->cascade.levels; l++)
        if (!read_cascade_level(r, l)) return false;
    return true;
}

bool f2l_cert_reader_cascade(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    f2l_cascade *c = &r->out->cascade;
    size_t levels;
    if (!f2l_scan_want(s, " sets ") ||
        !f2l_scan_count(s, &r->sets, "the number of sets", 1, SET_BYTES) ||
        !f2l_scan_want(s, " levels ") ||
        !f2l_scan_count(s, &levels, "the number of levels", 1, LEVEL_BYTES) ||
        !f2l_scan_want(s, "\n"))
        return false;
    c->fsa = r->fsa;
    c->level = f2l_calloc(levels, sizeof *c->level);
    r->out->layers = f2l_calloc(levels, sizeof *r->out->layers);
    r->out->children = f2l_calloc(levels, sizeof *r->out->children);
    r->out->letter = f2l_calloc(levels, sizeof *r->out->letter);
    if (!c->level || !r->out->layers || !r->out->children || !r->out->letter)
        return f2l_cert_no_memory(s);
    c->levels = levels;
    return read_sets(r) && read_levels(r) && f2l_cert_skip_lines(r, 1, "start ") &&
           f2l_cert_read_end(r, r->sets);
}
