/* depth-check AUTOMATON CERTIFICATE: can fewer than L layers not give the automaton's labels?
 *
 * The claim (theory/pages/layers.md, FK.8): no network of fewer than L layers gives the labels
 * after every word, in the model of fork-check, where a layer's letter is any function of the
 * letter read and of the states of the layers below, before and after it.
 *
 * A stage is a set R of classes and a set E of maps of R into R. In the first one R has all
 * classes, and E has the maps that words make. A tied set is one of maps in E such that in every
 * network some words that act as they do act alike on the first layer.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     layers L
 *   then for each stage
 *     set i word LETTERS     the map of a word that is not empty; only in the first stage
 *     set i images c_1 ..    the map of E that leads the classes of R, which are increasing, to
 *                            these; only in later stages
 *     set i product j k      all maps of set j followed by one of set k; j, k < i
 *     set i fork j k         F and P F together: P is the idempotent power of set k, and F the
 *                            idempotent power of the products of set j with P
 *     set i band j k         E F E and F E together, with E the idempotent power of set j and F the
 *                            idempotent power of set k
 *     descend c              Y is the last set of the stage. E of the next stage is the idempotent
 *                            power of Y, c is a class that a map of it leads a class of R to, and
 *                            R is c with all classes to which maps of it lead c; E is restricted
 *                            to R
 *   and at the end one of
 *     one c apart LETTERS    the last set is a single map, which leads c to d; after the word,
 *                            which is not empty, the labels of c and d differ
 *     two c d e apart LETTERS
 *                            maps of the last set lead c to d and to e; as before, for d and e
 *   and the line
 *     end
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c). Sets of one map
 * are tied, and products and the fork rule give tied sets (FK.6); for networks with finitely many
 * exact states the band rule does, too (OL.4 in theory/pages/one-layer.md). By FK.7, applied once
 * for each `descend`, a network of L layers for the automaton gives one of L - 1 layers for the
 * next stage. At the end one layer, or two, are needed (FK.8). So L is the number of lines
 * `descend` and 1 or 2.
 *
 *     s VERIFIED layers at least L [finite] label KIND letters K states Q classes C sets N
 *     fsa SHA256
 *         in one line, exit status 0; K, Q: of the file; N: tied sets of all stages; with `finite`
 *         some set is by the band rule, and the claim is for finitely many exact states only
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>
#include <string.h>

/* A set of maps, each a string of the places in R to which it leads the classes of R. */
typedef struct rung {
    const uint32_t *class; /* [classes] R, increasing */
    size_t classes;
    set *maps; /* E; NULL: the maps that words make */
    set *tied; /* [sets] */
    size_t sets, capacity;
} rung;

static uint32_t *map_of(const set *s, size_t i)
{
    return (uint32_t *)(void *)s->item[i].bytes;
}

static bool add_map(set *s, const rung *r, const uint32_t *map)
{
    const size_t size = r->classes * sizeof *map;
    spend(2 + r->classes);
    if (find(s, (name){(const char *)map, size}) != NONE) return false;
    uint32_t *copy = grab(r->classes, sizeof *copy);
    memcpy(copy, map, size);
    return add(s, (name){(const char *)copy, size});
}

/* Returns all maps of a followed by one of b. */
static set product_set(const rung *r, const set *a, const set *b)
{
    set out = {0};
    uint32_t *map = grab(r->classes, sizeof *map);
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            for (size_t c = 0; c < r->classes; c++) map[c] = map_of(b, j)[map_of(a, i)[c]];
            add_map(&out, r, map);
        }
    return out;
}

static bool same_set(const set *a, const set *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (find(b, a->item[i]) == NONE) return false;
    return true;
}

/* Returns the power of the set that is its own square: there is one, as there are finitely many
 * sets. */
static set power_of(const rung *r, const set *a)
{
    set power = *a;
    for (;;) {
        const set square = product_set(r, &power, &power);
        if (same_set(&square, &power)) return power;
        power = product_set(r, &power, a);
    }
}

/* Returns the place of a class in R, or NONE. */
static size_t place_in(const rung *r, size_t class)
{
    for (size_t i = 0; i < r->classes; i++)
        if (r->class[i] == class) return i;
    return NONE;
}

static size_t read_class(const rung *r, text *t, const char *before, size_t classes)
{
    const size_t place = place_in(r, number(t, before, 1, classes) - 1);
    if (place == NONE) reject(t, "the class is not in the stage");
    return place;
}

static set read_map(const machine *m, text *t, const rung *r)
{
    set out = {0};
    uint32_t *map = grab(r->classes, sizeof *map);
    if (!r->maps) {
        const word w = read_word(m, t, "word");
        if (w.length == 0) reject(t, "the word is empty");
        for (size_t c = 0; c < r->classes; c++) map[c] = (uint32_t)lead(m, c, &w);
    } else {
        expect(t, "images");
        for (size_t c = 0; c < r->classes; c++)
            map[c] = (uint32_t)read_class(r, t, " ", m->classes);
        end_line(t);
        if (find(r->maps, (name){(const char *)map, r->classes * sizeof *map}) == NONE)
            reject(t, "the map is not in the stage");
    }
    add_map(&out, r, map);
    return out;
}

/* Returns the maps of both sets. */
static set union_of(const rung *r, const set *a, const set *b)
{
    set both = {0};
    for (size_t i = 0; i < a->count; i++) add_map(&both, r, map_of(a, i));
    for (size_t i = 0; i < b->count; i++) add_map(&both, r, map_of(b, i));
    return both;
}

/* Reads a line of a rule; *finite: it is the band rule. */
static set read_rule(text *t, const rung *r, bool *finite)
{
    const bool band = comes(t, "band"), fork = comes(t, "fork");
    if (!r->tied) reject(t, "no set is tied yet");
    const char *const rule = band ? "band " : fork ? "fork " : "product ";
    const set *a = &r->tied[number(t, rule, 1, r->sets) - 1];
    const set *b = &r->tied[number(t, " ", 1, r->sets) - 1];
    end_line(t);
    *finite |= band;
    if (!band && !fork) return product_set(r, a, b);
    const set p = power_of(r, b);
    if (band) {
        const set e = power_of(r, a), fe = product_set(r, &p, &e), efe = product_set(r, &e, &fe);
        return union_of(r, &efe, &fe);
    }
    const set ap = product_set(r, a, &p), f = power_of(r, &ap), pf = product_set(r, &p, &f);
    return union_of(r, &f, &pf);
}

/* Returns the next stage, by the last set and the place of a class. */
static rung descend(text *t, const rung *r, size_t place)
{
    const set power = power_of(r, &r->tied[r->sets - 1]);
    bool *in = grab(r->classes, sizeof *in), reached = false;
    for (size_t i = 0; i < power.count; i++) {
        in[map_of(&power, i)[place]] = true;
        for (size_t c = 0; c < r->classes; c++) reached |= map_of(&power, i)[c] == place;
    }
    if (!reached) reject(t, "no map of the power leads to the class");
    in[place] = true;
    rung below = {.maps = grab(1, sizeof *below.maps)};
    uint32_t *class = grab(r->classes, sizeof *class), *to = grab(r->classes, sizeof *to);
    for (size_t c = 0; c < r->classes; c++) {
        to[c] = (uint32_t)below.classes;
        if (in[c]) class[below.classes++] = r->class[c];
    }
    below.class = class;
    uint32_t *map = grab(below.classes, sizeof *map);
    for (size_t i = 0; i < power.count; i++) {
        for (size_t c = 0; c < r->classes; c++)
            if (in[c]) map[to[c]] = to[map_of(&power, i)[c]];
        add_map(below.maps, &below, map);
    }
    return below;
}

static bool leads_to(const set *s, size_t from, size_t to)
{
    for (size_t i = 0; i < s->count; i++)
        if (map_of(s, i)[from] == to) return true;
    return false;
}

/* Reads the end, and returns the number of layers that the last stage needs. */
static size_t read_end(const machine *m, text *t, const rung *r)
{
    const bool two = comes(t, "two");
    const size_t c = read_class(r, t, two ? "two " : "one ", m->classes);
    const set *last = &r->tied[r->sets - 1];
    size_t d = c, e;
    if (two) {
        d = read_class(r, t, " ", m->classes);
        e = read_class(r, t, " ", m->classes);
        if (!leads_to(last, c, d) || !leads_to(last, c, e)) reject(t, "no map leads there");
    } else {
        if (last->count > 1) reject(t, "the last set has more than one map");
        e = map_of(last, 0)[c];
    }
    const word apart = read_word(m, t, " apart");
    if (apart.length == 0) reject(t, "the word is empty");
    if (!tells_apart(m, r->class[d], r -> class[e], &apart)) reject(t, "the labels do not differ");
    return two ? 2 : 1;
}

static void judge_depth(const machine *m, text *t)
{
    const size_t layers = number_line(t, "layers ", 1, MAX_FILE);
    size_t descents = 0, sets = 0;
    bool finite = false;
    uint32_t *class = grab(m->classes, sizeof *class);
    for (size_t c = 0; c < m->classes; c++) class[c] = (uint32_t)c;
    rung r = {.class = class, .classes = m->classes};
    while (!comes(t, "one ") && !comes(t, "two ")) {
        if (comes(t, "descend ")) {
            if (r.sets == 0) reject(t, "there is no set to descend by");
            const size_t place = read_class(&r, t, "descend ", m->classes);
            r = descend(t, &r, place);
            end_line(t);
            descents++;
            continue;
        }
        number(t, "set ", r.sets + 1, r.sets + 1);
        expect(t, " ");
        const bool map = comes(t, "word") || comes(t, "images");
        const set tied = map ? read_map(m, t, &r) : read_rule(t, &r, &finite);
        r.tied = grow(r.tied, r.sets, &r.capacity, sizeof *r.tied);
        r.tied[r.sets++] = tied;
        sets++;
    }
    if (r.sets == 0) reject(t, "there is no set to end with");
    if (descents + read_end(m, t, &r) != layers)
        reject(t, "the proof is for another number of layers than %zu", layers);
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    printf("s VERIFIED layers at least %zu%s", layers, finite ? " finite" : "");
    print_machine(m);
    printf(" sets %zu", sets);
}

const bound_program bound_self = {.name = "depth-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-depth 1",
                                  .judge = judge_depth};
