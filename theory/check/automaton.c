/* AUTOMATON, deterministic and total because the form leaves no choice. The files have single
 * blanks, lines ended by LF and one spelling for every value; names are compared as they are
 * spelled.
 *     fsa 1
 *     letters NAME ..
 *     states NAME ..
 *     start STATE
 *     fsa added STATE source HEX may be absent: the state takes the transitions that the source,
 *                                a file with this SHA-256, lacks (check_added)
 *     accept STATE ..            may be absent
 *     output STATE NAME          one for every state in order, or none
 *     STATE LETTER STATE [NAME]  for every state, for every letter; NAME, the output, on
 *                                all of these lines or on none
 * or, by permutations that act from the right,
 *     fsa 1
 *     points N
 *     track elements|points START  states: the group's elements, breadth-first from the identity
 *     accept .. / output ..        and named by their cycles; or the points, named by numbers
 *     permute LETTER (1 2 3)(4 5)  for every letter; () is the identity */
#include "theory/check/reader.h"
#include <stdio.h>
#include <string.h>

name label_of(const automaton *a, label kind, size_t state)
{
    if (kind == LABEL_STATES) return a->states.item[state];
    if (kind == LABEL_OUTPUTS) return a->output[state];
    return a->accept[state] ? (name){"\"accept\"", 8} : (name){"reject", 6};
}

name label_after(const automaton *a, label kind, size_t state, size_t x)
{
    const size_t edge = state * a->kinds + x;
    return kind == LABEL_EDGES ? a->edge_output[edge] : label_of(a, kind, a->next[edge]);
}

void merge_letters(automaton *a, const text *t, const uint32_t *class, size_t classes)
{
    uint32_t *next = grab(product_of(a->states.count, classes), sizeof *next);
    name *output = a->edge_output ? grab(a->states.count * classes, sizeof *output) : NULL;
    for (size_t q = 0; q < a->states.count; q++)
        for (size_t w = a->kinds; w-- > 0;) { /* the first letter of each class comes last, and
                                                 stays */
            const size_t from = q * a->kinds + w, to = q * classes + class[w];
            next[to] = a->next[from];
            if (output) output[to] = a->edge_output[from];
        }
    for (size_t q = 0; q < a->states.count; q++)
        for (size_t w = 0; w < a->kinds; w++) {
            const size_t from = q * a->kinds + w, to = q * classes + class[w];
            if (next[to] != a->next[from] ||
                (output && !same_name(output[to], a->edge_output[from])))
                reject(t, "letter %zu does not act as its class does", w + 1);
        }
    a->next = next;
    a->edge_output = output;
    a->kinds = classes;
}

static void read_new_names(set *names, text *t)
{
    do {
        if (!add(names, read_name(t, " "))) reject(t, "a name is given twice");
    } while (*t->at == ' ');
    end_line(t);
}

static size_t read_known_name(const set *names, text *t, const char *before)
{
    const size_t index = find(names, read_name(t, before));
    if (index == NONE) reject(t, "an unknown name");
    return index;
}

/* Reads the line of the added state, if there is one. */
static void read_added(automaton *a, text *t)
{
    a->has_added = comes(t, "fsa ");
    if (!a->has_added) return;
    a->added = read_known_name(&a->states, t, "fsa added ");
    expect(t, " source ");
    a->source = (name){t->at, strspn(t->at, "0123456789abcdef")};
    if (a->source.size != 64) reject(t, "expected the SHA-256 of the source");
    t->at += a->source.size;
    end_line(t);
}

/* Rejects unless the added state is a rejecting state that no word leaves, other than the start.
 * Where states or transitions have outputs, no other state, and no transition to another state,
 * has its output. */
static void check_added(const automaton *a, const text *t)
{
    const size_t s = a->added, k = a->kinds;
    if (s == a->start) reject(t, "the added state is the start");
    if (a->accept[s]) reject(t, "the added state accepts");
    for (size_t w = 0; w < k; w++)
        if (a->next[s * k + w] != s) reject(t, "letter %zu leads out of the added state", w + 1);
    for (size_t q = 0; a->has_output && q < a->states.count; q++)
        if (q != s && same_name(a->output[q], a->output[s]))
            reject(t, "state %zu has the output of the added state", q + 1);
    for (size_t e = 0; a->edge_output && e < a->states.count * k; e++)
        if (same_name(a->edge_output[e], a->edge_output[s * k]) != (a->next[e] == s))
            reject(t, "the output of transition %zu is wrong beside the added state", e + 1);
}

void print_added(const automaton *a)
{
    if (!a->has_added) return;
    const name n = a->states.item[a->added];
    printf(" added %.*s absorbing%s source %.64s", n.size < INT_MAX ? (int)n.size : INT_MAX,
           n.bytes, a->has_accept ? " rejecting" : "", a->source.bytes);
}

/* Reads the accept and output lines. */
static void read_marks(automaton *a, text *t)
{
    a->accept = grab(a->states.count, sizeof *a->accept);
    a->output = grab(a->states.count, sizeof *a->output);
    a->has_accept = comes(t, "accept ") || comes(t, "accept\n");
    if (a->has_accept) expect(t, "accept");
    for (size_t least = 0, s; a->has_accept && *t->at == ' '; least = s + 1) {
        s = read_known_name(&a->states, t, " ");
        if (s < least) reject(t, "expected states in order");
        a->accept[s] = true;
    }
    if (a->has_accept) end_line(t);
    a->has_output = comes(t, "output ");
    for (size_t s = 0; a->has_output && s < a->states.count; s++) {
        expect_name(t, "output ", a->states.item[s]);
        a->output[s] = read_name(t, " ");
        end_line(t);
    }
}

/* Reads the line of one transition; the first line decides whether transitions have outputs. */
static void read_edge(automaton *a, text *t, size_t state, size_t letter)
{
    const size_t edge = state * a->kinds + letter;
    expect_name(t, "", a->states.item[state]);
    expect_name(t, " ", a->letters.item[letter]);
    a->next[edge] = (uint32_t)read_known_name(&a->states, t, " ");
    if (edge == 0 && *t->at == ' ')
        a->edge_output = grab(a->states.count * a->kinds, sizeof *a->edge_output);
    if (a->edge_output) a->edge_output[edge] = read_name(t, " ");
    end_line(t);
}

static void read_edges(automaton *a, text *t)
{
    expect(t, "letters");
    read_new_names(&a->letters, t);
    expect(t, "states");
    read_new_names(&a->states, t);
    a->start = read_known_name(&a->states, t, "start ");
    end_line(t);
    const text line = *t;
    read_added(a, t);
    read_marks(a, t);
    a->kinds = a->letters.count;
    if (a->states.count * a->kinds > left(t)) reject(t, "too few edges");
    a->next = grab(a->states.count * a->kinds, sizeof *a->next);
    for (size_t s = 0; s < a->states.count; s++)
        for (size_t w = 0; w < a->kinds; w++) read_edge(a, t, s, w);
    if (a->has_added) check_added(a, &line);
}

/* Reads () or cycles such as (1 2 3)(4 5), each from its least point, in the order of these. Point
 * p goes to image[p]. */
static uint32_t *read_cycles(text *t, size_t points)
{
    uint32_t *image = grab(points, sizeof *image);
    for (size_t p = 0; p < points; p++) image[p] = UNSET;
    const bool identity = comes(t, "()");
    if (identity) expect(t, "()");
    for (size_t least = 1; *t->at == '(' && !identity;) {
        const uint32_t first = (uint32_t)number(t, "(", least, points) - 1;
        uint32_t last = first;
        do {
            const uint32_t p = (uint32_t)number(t, " ", first + 2, points) - 1;
            if (p == last || image[p] != UNSET || image[last] != UNSET)
                reject(t, "a point is given twice");
            image[last] = p;
            last = p;
        } while (*t->at == ' ');
        image[last] = first;
        least = first + 2;
        expect(t, ")");
    }
    for (size_t p = 0; p < points; p++)
        if (image[p] == UNSET) image[p] = (uint32_t)p;
    return image;
}

/* Returns the permutation in the spelling of read_cycles, quoted as a name. */
static name cycle_name(const uint32_t *image, size_t points, bool *done)
{
    size_t moved = 0;
    for (size_t p = 0; p < points; p++) moved += image[p] != p;
    char *bytes = grab(12 * moved + 5, 1), *out = bytes;
    memset(done, 0, points);
    out += sprintf(out, "\"");
    for (size_t p = 0; p < points; p++) {
        if (done[p] || image[p] == p) continue;
        out += sprintf(out, "(%zu", p + 1);
        for (size_t q = image[p]; q != p; q = image[q]) {
            done[q] = true;
            out += sprintf(out, " %zu", q + 1);
        }
        out += sprintf(out, ")");
    }
    out += sprintf(out, out == bytes + 1 ? "()\"" : "\"");
    return (name){bytes, (size_t)(out - bytes)};
}

static void number_points(automaton *a, uint32_t *const *image, size_t points)
{
    a->next = grab(product_of(points, a->kinds), sizeof *a->next);
    for (size_t p = 0; p < points; p++) {
        char *bytes = grab(24, 1);
        add(&a->states, (name){bytes, (size_t)sprintf(bytes, "%zu", p + 1)});
        for (size_t w = 0; w < a->kinds; w++) a->next[p * a->kinds + w] = image[w][p];
    }
}

/* Numbers the elements breadth-first from the identity; element g, then letter w, sends p to
 * image[w][g[p]]. */
static void number_elements(automaton *a, uint32_t *const *image, size_t points)
{
    set elements = {0};
    size_t edges = 0, capacity = 0;
    uint32_t *spare = grab(points, sizeof *spare);
    for (size_t p = 0; p < points; p++) spare[p] = (uint32_t)p;
    add(&elements, (name){(const char *)spare, points * sizeof *spare});
    spare = grab(points, sizeof *spare);
    for (size_t g = 0; g < elements.count; g++)
        for (size_t w = 0; w < a->kinds; w++) {
            const uint32_t *from = (const void *)elements.item[g].bytes;
            for (size_t p = 0; p < points; p++) spare[p] = image[w][from[p]];
            const name to = {(const char *)spare, points * sizeof *spare};
            spend(1 + points / 16);
            if (add(&elements, to)) spare = grab(points, sizeof *spare);
            a->next = grow(a->next, edges, &capacity, sizeof *a->next);
            a->next[edges++] = (uint32_t)find(&elements, to);
        }
    bool *done = grab(points, sizeof *done);
    for (size_t g = 0; g < elements.count; g++)
        add(&a->states, cycle_name((const void *)elements.item[g].bytes, points, done));
}

static void read_group(automaton *a, text *t)
{
    const size_t points = number(t, "points ", 1, MAX_FILE);
    end_line(t);
    expect(t, "track ");
    const bool elements = comes(t, "elements");
    if (elements) whole_line(t, "elements");
    if (!elements) a->start = number_line(t, "points ", 1, points) - 1;
    text marks = *t; /* they name states, which the permutations define */
    while (left(t) > 0 && !comes(t, "permute ")) {
        while (*t->at != '\n' && left(t) > 0) t->at++;
        end_line(t);
    }
    const char *first = t->at;
    uint32_t **image = NULL;
    size_t capacity = 0;
    do {
        if (!add(&a->letters, read_name(t, "permute "))) reject(t, "a letter is given twice");
        expect(t, " ");
        image = grow(image, a->kinds, &capacity, sizeof *image);
        image[a->kinds++] = read_cycles(t, points);
        end_line(t);
    } while (left(t) > 0);
    (elements ? number_elements : number_points)(a, image, points);
    read_marks(a, &marks);
    if (marks.at != first) reject(&marks, "expected `permute`");
}

void read_automaton(automaton *a, text *t)
{
    whole_line(t, "fsa 1");
    (comes(t, "points") ? read_group : read_edges)(a, t);
    if (left(t) > 0) reject(t, "expected the end of the file");
}
