/* Transformations and permutations as GAP prints and reads them.
 *
 *     file   = { [ NAME ":=" ] value [ ";" ] }
 *     value  = "Transformation" "(" list ")" | "IdentityTransformation" | cycles | NAME | "["
 * values "]" | "rec" "(" NAME ":=" value { "," NAME ":=" value } ")" | CALL "(" values ")" CALL   =
 * Group, Semigroup, Monoid and their longer spellings
 *
 * Every transformation or permutation is a letter: named by the variable or record component it is
 * assigned to, else by its number. Transformations give states 1..n with start 1; GAP leaves out
 * trailing fixed points, so that n is the largest degree. Permutations give the group form,
 * tracking elements. GAP breaks long lines with a backslash. */
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_POINT 1000000

typedef enum kind { NOTHING, TRANSFORMATION, PERMUTATION, IDENTITY } kind;

/* A letter: the images of the points 1..size at image[first..], 1-based. */
typedef struct element {
    kind kind;
    size_t first, size;
    size_t name; /* index into names, F2L_NO_INDEX: none */
} element;

typedef struct gap {
    const char *bytes;
    size_t size, at;
    size_t depth; /* of nested values */
    f2l_buf word; /* the word in hand, without the line breaks inside it */
    size_t word_at;
    f2l_names names; /* assigned */
    element *element;
    size_t elements, element_capacity;
    uint32_t *image;
    size_t images, image_capacity;
    uint32_t *cycle; /* points of the cycle in hand */
    size_t cycle_capacity;
} gap;

static f2l_status fail_at(const gap *g, size_t at, const char *text, f2l_error *err)
{
    size_t line, column;
    f2l_import_position(g->bytes, at, &line, &column);
    return f2l_fail_at(err, line, column, "%s", text);
}

/* Returns the length of a backslash and line end at `at`, otherwise 0: GAP breaks long lines with
 * them, even inside words. */
static size_t line_break(const gap *g, size_t at)
{
    if (at + 1 >= g->size || g->bytes[at] != '\\') return 0;
    if (g->bytes[at + 1] == '\n') return 2;
    return at + 2 < g->size && g->bytes[at + 1] == '\r' && g->bytes[at + 2] == '\n' ? 3 : 0;
}

static void skip_gap_blank(gap *g)
{
    while (g->at < g->size) {
        char c = g->bytes[g->at];
        size_t broken = line_break(g, g->at);
        if (broken > 0) {
            g->at += broken;
        } else if (c == '#') {
            while (g->at < g->size && g->bytes[g->at] != '\n') g->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            g->at++;
        } else {
            return;
        }
    }
}

static bool at_char(gap *g, char c)
{
    skip_gap_blank(g);
    return g->at < g->size && g->bytes[g->at] == c;
}

static bool take_gap_character(gap *g, char c)
{
    if (!at_char(g, c)) return false;
    g->at++;
    return true;
}

static f2l_status expect_gap_character(gap *g, char c, f2l_error *err)
{
    char text[] = "expected \"?\"";
    text[10] = c;
    return take_gap_character(g, c) ? F2L_OK : fail_at(g, g->at, text, err);
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Reads a run of letters, digits and _ into g->word, which is empty when there is none. */
static f2l_status read_gap_word(gap *g, f2l_error *err)
{
    skip_gap_blank(g);
    g->word_at = g->at;
    g->word.size = 0;
    while (g->at < g->size) {
        size_t broken = line_break(g, g->at);
        if (broken == 0 && !is_word_byte(g->bytes[g->at])) break;
        if (broken == 0) f2l_buf_bytes(&g->word, g->bytes + g->at, 1);
        g->at += broken == 0 ? 1 : broken;
    }
    return f2l_buf_status(&g->word, err);
}

static bool word_is(const gap *g, const char *text)
{
    return g->word.size == strlen(text) && memcmp(g->word.data, text, g->word.size) == 0;
}

static f2l_status read_point(gap *g, uint32_t *point, f2l_error *err)
{
    f2l_status status = read_gap_word(g, err);
    if (status != F2L_OK) return status;
    uint32_t value = 0;
    for (size_t i = 0; i < g->word.size; i++) {
        char c = g->word.data[i];
        if (c < '0' || c > '9')
            return fail_at(g, g->word_at, "expected a point (a positive integer)", err);
        value = 10 * value + (uint32_t)(c - '0');
        if (value > MAX_POINT) return fail_at(g, g->word_at, "a point beyond 1000000", err);
    }
    if (value == 0) return fail_at(g, g->word_at, "expected a point (a positive integer)", err);
    *point = value;
    return F2L_OK;
}

static f2l_status push_image(gap *g, uint32_t point, f2l_error *err)
{
    if (!f2l_grow((void **)&g->image, &g->image_capacity, g->images, sizeof *g->image))
        return f2l_fail_memory(err);
    g->image[g->images++] = point;
    return g->images <= F2L_IMPORT_MAX_EDGES
               ? F2L_OK
               : f2l_fail(err, F2L_UNKNOWN, "more than %zu images of points", F2L_IMPORT_MAX_EDGES);
}

static f2l_status add_element(gap *g, kind k, size_t first, size_t name, f2l_error *err)
{
    if (!f2l_grow((void **)&g->element, &g->element_capacity, g->elements, sizeof *g->element))
        return f2l_fail_memory(err);
    g->element[g->elements++] = (element){k, first, g->images - first, name};
    return F2L_OK;
}

/* Reads "( [ 2, 3, 1 ] )" after the word Transformation. */
static f2l_status transformation(gap *g, size_t name, f2l_error *err)
{
    size_t first = g->images, start = g->word_at;
    f2l_status status = expect_gap_character(g, '(', err);
    if (status == F2L_OK) status = expect_gap_character(g, '[', err);
    for (bool more = !at_char(g, ']'); status == F2L_OK && more;
         more = take_gap_character(g, ',')) {
        uint32_t point = 0;
        status = read_point(g, &point, err);
        if (status == F2L_OK) status = push_image(g, point, err);
    }
    if (status == F2L_OK) status = expect_gap_character(g, ']', err);
    if (status == F2L_OK) status = expect_gap_character(g, ')', err);
    for (size_t i = first; i < g->images && status == F2L_OK; i++)
        if (g->image[i] > g->images - first)
            status = fail_at(g, start, "a transformation of n points with an image beyond n", err);
    return status == F2L_OK ? add_element(g, TRANSFORMATION, first, name, err) : status;
}

/* Makes sure that the permutation from `first` on has an entry for `point`. */
static f2l_status extend_permutation(gap *g, size_t first, uint32_t point, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && g->images - first < point)
        status = push_image(g, (uint32_t)(g->images - first + 1), err);
    return status;
}

/* Reads one cycle, "(1,2,3)" or "()". */
static f2l_status cycle(gap *g, size_t first, f2l_error *err)
{
    size_t start = g->at, points = 0;
    f2l_status status = expect_gap_character(g, '(', err);
    for (bool more = !at_char(g, ')'); status == F2L_OK && more;
         more = take_gap_character(g, ',')) {
        uint32_t point = 0;
        status = read_point(g, &point, err);
        if (status == F2L_OK) status = extend_permutation(g, first, point, err);
        if (status == F2L_OK &&
            !f2l_grow((void **)&g->cycle, &g->cycle_capacity, points, sizeof *g->cycle))
            status = f2l_fail_memory(err);
        if (status != F2L_OK) return status;
        /* All points but the last one are linked already, so that a second occurrence shows. */
        if (g->image[first + point - 1] != point || (points > 0 && g->cycle[points - 1] == point))
            return fail_at(g, g->word_at, "a point twice in one permutation", err);
        g->cycle[points++] = point;
        if (points > 1) g->image[first + g->cycle[points - 2] - 1] = point;
    }
    if (status == F2L_OK) status = expect_gap_character(g, ')', err);
    if (status != F2L_OK) return status;
    if (points == 1)
        return fail_at(g, start, "a cycle of one point; fixed points are left out", err);
    if (points > 1) g->image[first + g->cycle[points - 1] - 1] = g->cycle[0];
    return F2L_OK;
}

static f2l_status permutation(gap *g, size_t name, f2l_error *err)
{
    size_t first = g->images;
    f2l_status status = cycle(g, first, err);
    while (status == F2L_OK && at_char(g, '(')) status = cycle(g, first, err);
    return status == F2L_OK ? add_element(g, PERMUTATION, first, name, err) : status;
}

static f2l_status value(gap *g, size_t name, f2l_error *err);

/* Reads values separated by commas up to `end`. */
static f2l_status values(gap *g, char end, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (bool more = !at_char(g, end); status == F2L_OK && more; more = take_gap_character(g, ','))
        status = value(g, F2L_NO_INDEX, err);
    return status == F2L_OK ? expect_gap_character(g, end, err) : status;
}

/* Reads ":=" and a value, for the name in g->word. */
static f2l_status assignment(gap *g, f2l_error *err)
{
    size_t known = g->names.count, name, start = g->word_at;
    f2l_status status = f2l_names_add(&g->names, g->word.data, g->word.size, &name, err);
    if (status != F2L_OK) return status;
    if (name != known) return fail_at(g, start, "a name that is assigned twice", err);
    g->at += 2;
    return value(g, name, err);
}

static bool at_assignment(gap *g)
{
    return at_char(g, ':') && g->at + 1 < g->size && g->bytes[g->at + 1] == '=';
}

static f2l_status read_gap_record(gap *g, f2l_error *err)
{
    f2l_status status = expect_gap_character(g, '(', err);
    for (bool more = !at_char(g, ')'); status == F2L_OK && more;
         more = take_gap_character(g, ',')) {
        status = read_gap_word(g, err);
        if (status == F2L_OK && (g->word.size == 0 || !at_assignment(g)))
            return fail_at(g, g->at, "expected NAME := VALUE", err);
        if (status == F2L_OK) status = assignment(g, err);
    }
    return status == F2L_OK ? expect_gap_character(g, ')', err) : status;
}

static bool is_collection(const gap *g)
{
    static const char *const call[] = {
        "Group",  "GroupWithGenerators",   "GroupByGenerators", "Semigroup",
        "Monoid", "SemigroupByGenerators", "MonoidByGenerators"};
    for (size_t i = 0; i < sizeof call / sizeof *call; i++)
        if (word_is(g, call[i])) return true;
    return false;
}

/* Reads a value that begins with a word. */
static f2l_status word_value(gap *g, size_t name, f2l_error *err)
{
    if (word_is(g, "Transformation")) return transformation(g, name, err);
    if (word_is(g, "IdentityTransformation")) return add_element(g, IDENTITY, g->images, name, err);
    if (word_is(g, "rec")) return read_gap_record(g, err);
    if (is_collection(g)) {
        f2l_status status = expect_gap_character(g, '(', err);
        return status == F2L_OK ? values(g, ')', err) : status;
    }
    /* A name refers to what it was assigned, which is a letter already. */
    if (f2l_names_find(&g->names, g->word.data, g->word.size) != F2L_NO_INDEX) return F2L_OK;
    return fail_at(g, g->word_at,
                   "expected Transformation( [ .. ] ), a permutation such as (1,2,3), a list or a "
                   "group",
                   err);
}

static f2l_status value(gap *g, size_t name, f2l_error *err)
{
    /* Deep enough for anything that GAP prints; the recursion must end somewhere. */
    if (g->depth == 32) return fail_at(g, g->at, "lists nested too deeply", err);
    g->depth++;
    f2l_status status;
    if (at_char(g, '(')) {
        status = permutation(g, name, err);
    } else if (take_gap_character(g, '[')) {
        status = values(g, ']', err);
    } else {
        status = read_gap_word(g, err);
        if (status == F2L_OK && g->word.size == 0)
            status =
                fail_at(g, g->at,
                        "expected Transformation( [ .. ] ), a permutation such as (1,2,3) or a "
                        "list",
                        err);
        if (status == F2L_OK) status = word_value(g, name, err);
    }
    g->depth--;
    return status;
}

static f2l_status statements(gap *g, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (;;) {
        while (take_gap_character(g, ';')) continue;
        if (g->at == g->size || status != F2L_OK) break;
        size_t before = g->at;
        status = read_gap_word(g, err);
        if (status == F2L_OK && g->word.size > 0 && at_assignment(g)) {
            status = assignment(g, err);
        } else if (status == F2L_OK) {
            g->at = before;
            status = value(g, F2L_NO_INDEX, err);
        }
    }
    if (status == F2L_OK && g->elements == 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "no transformation or permutation; expected Transformation( [ .. ] )");
    return status;
}

/* Sets the number of points, and whether the letters are permutations; GAP has no semigroup of both
 * sorts. */
static f2l_status sort_and_degree(const gap *g, kind *sort, size_t *degree, f2l_error *err)
{
    *sort = NOTHING;
    *degree = 1;
    for (size_t i = 0; i < g->elements; i++) {
        const element *e = &g->element[i];
        kind k = e->kind == IDENTITY ? TRANSFORMATION : e->kind;
        if (*sort != NOTHING && *sort != k)
            return f2l_fail(err, F2L_EFORMAT,
                            "letter %zu: permutations and transformations in one file", i + 1);
        *sort = k;
        if (e->size > *degree) *degree = e->size;
    }
    size_t entries;
    if (f2l_mul_size(&entries, *degree, g->elements) && entries <= F2L_IMPORT_MAX_EDGES)
        return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "%zu letters on %zu points are more than %zu transitions",
                    g->elements, *degree, F2L_IMPORT_MAX_EDGES);
}

static size_t image_under_letter(const gap *g, size_t letter, size_t point)
{
    const element *e = &g->element[letter];
    return point < e->size ? g->image[e->first + point] - 1 : point;
}

/* Adds the letters' names to `letters`; a letter without a name is called by its number, where
 * numbers that are taken are passed over. */
static f2l_status name_gap_letters(const gap *g, f2l_names *letters, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t next = 0, index;
    for (size_t i = 0; i < g->elements && status == F2L_OK; i++) {
        char text[24];
        const char *name = text;
        if (g->element[i].name != F2L_NO_INDEX) {
            name = f2l_names_get(&g->names, g->element[i].name);
        } else {
            do f2l_letter_default(text, next++, g->elements);
            while (f2l_names_find(&g->names, text, strlen(text)) != F2L_NO_INDEX);
        }
        status = f2l_names_add(letters, name, strlen(name), &index, err);
    }
    return status;
}

static f2l_status build_points(const gap *g, f2l_nfa *nfa, size_t degree, f2l_error *err)
{
    f2l_status status = name_gap_letters(g, &nfa->letters, err);
    for (size_t point = 1; point <= degree && status == F2L_OK; point++) {
        f2l_buf name;
        size_t index;
        f2l_buf_init(&name);
        f2l_buf_size(&name, point);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_nfa_state(nfa, name.data, name.size, &index, err);
        f2l_buf_clear(&name);
    }
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) nfa->is_start[0] = 1;
    for (size_t point = 0; point < degree; point++)
        for (size_t letter = 0; letter < g->elements && status == F2L_OK; letter++)
            status =
                f2l_nfa_add_edge(nfa, point, letter, image_under_letter(g, letter, point), err);
    return status;
}

static f2l_status build_gap_group(const gap *g, f2l_nfa *nfa, size_t degree, size_t max_states,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_fsa *fsa = &nfa->group;
    nfa->is_group = true;
    fsa->track = F2L_TRACK_ELEMENTS;
    fsa->points = degree;
    fsa->perm = f2l_calloc(g->elements * degree, sizeof *fsa->perm);
    if (fsa->perm == NULL) return f2l_fail_memory(err);
    for (size_t letter = 0; letter < g->elements; letter++)
        for (size_t point = 0; point < degree; point++)
            fsa->perm[letter * degree + point] = (uint32_t)image_under_letter(g, letter, point);
    f2l_status status = name_gap_letters(g, &fsa->letters, err);
    if (status != F2L_OK) return status;
    return f2l_fsa_from_permutations(fsa, 0, max_states == 0 ? 1000000 : max_states, task, err);
}

f2l_status f2l_import_gap_bounded(f2l_nfa *out, const char *bytes, size_t size, size_t max_states,
                                  const f2l_task *task, f2l_error *err)
{
    gap g = {.bytes = bytes, .size = size};
    f2l_names_init(&g.names);
    f2l_buf_init(&g.word);
    kind sort = NOTHING;
    size_t degree = 0;
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK && size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) g.at = 3;
    if (status == F2L_OK) status = statements(&g, err);
    if (status == F2L_OK) status = sort_and_degree(&g, &sort, &degree, err);
    if (status == F2L_OK)
        status = sort == PERMUTATION ? build_gap_group(&g, out, degree, max_states, task, err)
                                     : build_points(&g, out, degree, err);
    f2l_import_source(out, "GAP");
    f2l_names_clear(&g.names);
    f2l_buf_clear(&g.word);
    f2l_free(g.element);
    f2l_free(g.image);
    f2l_free(g.cycle);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}

f2l_status f2l_import_gap(f2l_nfa *out, const char *bytes, size_t size, f2l_error *err)
{
    return f2l_import_gap_bounded(out, bytes, size, 0, NULL, err);
}
