/* Cubes that may overlap, inputs of a Mealy machine or parts of formulas, divided into letters that
 * do not. Letters begin as an empty list; a cube that is added meets the letters before it: each
 * that it overlaps in part is divided into the common part and the rest, and what is left of the
 * cube at the end is new. */
#include "automata/import/lists/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define WORDS F2L_CUBE_WORDS
#define MOST_LETTERS 65536
#define MOST_PIECES 4096

static f2l_cube read_cube(const char *text, size_t bits)
{
    f2l_cube c = {0};
    for (size_t i = 0; i < bits; i++) {
        if (text[i] != '-') c.given[i / 64] |= (uint64_t)1 << i % 64;
        if (text[i] == '1') c.value[i / 64] |= (uint64_t)1 << i % 64;
    }
    return c;
}

bool f2l_cubes_overlap(const f2l_cube *a, const f2l_cube *b)
{
    for (size_t w = 0; w < WORDS; w++)
        if ((a->value[w] ^ b->value[w]) & a->given[w] & b->given[w]) return false;
    return true;
}

bool f2l_push_cube(f2l_cubes *list, const f2l_cube *c)
{
    if (!f2l_grow((void **)&list->item, &list->capacity, list->count, sizeof *list->item))
        return false;
    list->item[list->count++] = *c;
    return true;
}

/* Appends pieces that do not overlap, and together are what `a` has beyond `b`, which overlap. */
static bool push_difference(f2l_cubes *out, const f2l_cube *a, const f2l_cube *b)
{
    f2l_cube rest = *a;
    for (size_t i = 0; i < F2L_MAX_CUBE; i++) {
        const size_t w = i / 64;
        const uint64_t bit = (uint64_t)1 << i % 64;
        if (!(b->given[w] & bit) || (rest.given[w] & bit)) continue;
        rest.given[w] |= bit;
        f2l_cube piece = rest;
        piece.value[w] |= ~b->value[w] & bit;
        if (!f2l_push_cube(out, &piece)) return false;
        rest.value[w] |= b->value[w] & bit;
    }
    return true;
}

f2l_cube f2l_meet_cubes(const f2l_cube *a, const f2l_cube *b)
{
    f2l_cube c;
    for (size_t w = 0; w < WORDS; w++) {
        c.given[w] = a->given[w] | b->given[w];
        c.value[w] = a->value[w] | b->value[w];
    }
    return c;
}

/* Replaces each cube of *rest by what it has beyond `taken`. */
static bool subtract_cube(f2l_cubes *rest, const f2l_cube *taken)
{
    f2l_cubes left = {0};
    bool ok = true;
    for (size_t i = 0; i < rest->count && ok; i++)
        ok = f2l_cubes_overlap(&rest->item[i], taken)
                 ? push_difference(&left, &rest->item[i], taken)
                 : f2l_push_cube(&left, &rest->item[i]);
    f2l_free(rest->item);
    *rest = left;
    return ok;
}

/* Adds a cube to letters that do not overlap, and divides them; returns whether memory sufficed. */
static bool add_cube(f2l_cubes *letters, const f2l_cube *c)
{
    f2l_cubes rest = {0};
    bool ok = f2l_push_cube(&rest, c);
    const size_t before = letters->count;
    for (size_t i = 0; i < before && ok && letters->count <= MOST_PIECES; i++) {
        const f2l_cube letter = letters->item[i];
        if (!f2l_cubes_overlap(&letter, c)) continue;
        letters->item[i] = f2l_meet_cubes(&letter, c);
        ok = push_difference(letters, &letter, c) && subtract_cube(&rest, &letter);
    }
    for (size_t i = 0; i < rest.count && ok; i++) ok = f2l_push_cube(letters, &rest.item[i]);
    f2l_free(rest.item);
    return ok;
}

/* Returns whether all cubes have - in the same places: different ones do not overlap then. */
static bool same_dashes(const f2l_names *texts, size_t bits)
{
    const f2l_cube first = read_cube(f2l_names_get(texts, 0), bits);
    for (size_t i = 1; i < texts->count; i++) {
        const f2l_cube c = read_cube(f2l_names_get(texts, i), bits);
        if (memcmp(c.given, first.given, sizeof c.given) != 0) return false;
    }
    return true;
}

static f2l_status name_letters(f2l_names *out, const f2l_cubes *letters, size_t bits,
                               f2l_error *err)
{
    char text[F2L_MAX_CUBE];
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; i < letters->count && status == F2L_OK; i++) {
        const f2l_cube *c = &letters->item[i];
        for (size_t b = 0; b < bits; b++) text[b] = f2l_cube_digit(c, b);
        status = f2l_names_add(out, text, bits, &index, err);
    }
    return status;
}

/* Lists the letters of each cube: all that overlap it. */
static f2l_status list_letters(f2l_cube_letters *out, const f2l_names *texts,
                               const f2l_cubes *letters, size_t bits, f2l_error *err)
{
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < texts->count; i++) {
        const f2l_cube c = read_cube(f2l_names_get(texts, i), bits);
        for (size_t k = 0; k < letters->count; k++) {
            if (!f2l_cubes_overlap(&c, &letters->item[k])) continue;
            if (!f2l_grow((void **)&out->letter, &capacity, count, sizeof *out->letter))
                return f2l_fail_memory(err);
            out->letter[count++] = (uint32_t)k;
        }
        out->first[i + 1] = count;
    }
    return F2L_OK;
}

/* Makes each cube a letter. */
static f2l_status take_cubes(f2l_cube_letters *out, const f2l_names *texts, f2l_error *err)
{
    if (texts->count > MOST_LETTERS)
        return f2l_fail(err, F2L_UNKNOWN, "more than %d letters", MOST_LETTERS);
    out->letter = f2l_calloc(texts->count, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (size_t i = 0; i < texts->count; i++) {
        out->letter[i] = (uint32_t)i;
        out->first[i + 1] = i + 1;
    }
    return f2l_names_copy(&out->names, texts, err);
}

/* Divides cubes that may overlap. */
static f2l_status divide_cubes(f2l_cube_letters *out, const f2l_names *texts, size_t bits,
                               f2l_error *err)
{
    f2l_cubes letters = {0};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < texts->count && status == F2L_OK; i++) {
        const f2l_cube c = read_cube(f2l_names_get(texts, i), bits);
        if (!add_cube(&letters, &c)) status = f2l_fail_memory(err);
        if (status == F2L_OK && letters.count > MOST_PIECES)
            status = f2l_fail(err, F2L_UNKNOWN,
                              "inputs or formulas overlap, and divide into more than %d letters",
                              MOST_PIECES);
    }
    if (status == F2L_OK) status = name_letters(&out->names, &letters, bits, err);
    if (status == F2L_OK) status = list_letters(out, texts, &letters, bits, err);
    f2l_free(letters.item);
    return status;
}

f2l_status f2l_cube_letters_find(f2l_cube_letters *out, const f2l_names *texts, size_t bits,
                                 f2l_error *err)
{
    *out = (f2l_cube_letters){0};
    f2l_names_init(&out->names);
    out->first = f2l_calloc(texts->count + 1, sizeof *out->first);
    f2l_status status = out->first ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = same_dashes(texts, bits) ? take_cubes(out, texts, err)
                                          : divide_cubes(out, texts, bits, err);
    if (status != F2L_OK) f2l_cube_letters_clear(out);
    return status;
}

f2l_status f2l_divide_edges(f2l_nfa *nfa, const f2l_cube_letters *letters, f2l_error *err)
{
    const size_t *first = letters->first;
    size_t edges = 0, at = 0;
    for (size_t e = 0; e < nfa->edges; e++) {
        edges += first[nfa->edge[e].letter + 1] - first[nfa->edge[e].letter];
        if (edges > F2L_IMPORT_MAX_EDGES)
            return f2l_fail(err, F2L_UNKNOWN, "more than %zu transitions", F2L_IMPORT_MAX_EDGES);
    }
    f2l_edge *divided = f2l_calloc(edges, sizeof *divided);
    if (!divided) return f2l_fail_memory(err);
    for (size_t e = 0; e < nfa->edges; e++) {
        const f2l_edge *edge = &nfa->edge[e];
        for (size_t i = first[edge->letter]; i < first[edge->letter + 1]; i++)
            divided[at++] = (f2l_edge){edge->from, letters->letter[i], edge->to, edge->output};
    }
    f2l_free(nfa->edge);
    nfa->edge = divided;
    nfa->edges = nfa->edge_capacity = edges;
    return F2L_OK;
}

void f2l_cube_letters_clear(f2l_cube_letters *letters)
{
    f2l_names_clear(&letters->names);
    f2l_free(letters->letter);
    f2l_free(letters->first);
    *letters = (f2l_cube_letters){0};
}
