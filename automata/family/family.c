#include "automata/family/family.h"
#include "automata/family/impl.h"
#include "numeric/base/mem.h"
#include <inttypes.h>
#include <string.h>

#define MANY UINT64_MAX

/* The table that users see; the ranges and builders below are in the same order. */
const f2l_family f2l_families[] = {
    {"parity", "", "even or odd number of 1s", 0, 0},
    {"cyclic", "M [--generators]", "sums modulo M", 1, 1},
    {"symmetric", "N [--generators]", "all permutations of N points; every one is a letter", 1, 1},
    {"alternating", "N [--generators]", "the even permutations of N points", 1, 1},
    {"dihedral", "M [--generators]", "the symmetries of a regular M-gon (2M of them)", 1, 1},
    {"quaternion", "[--generators]", "the quaternion group 1, -1, i, -i, j, -j, k, -k", 0, 0},
    {"swaps", "N", "arrangements of N pieces, as of chess; every swap of two places is a letter", 1,
     1},
    {"product", "FILE FILE ..", "automata that read the same word", 0, 0},
    {"cascade", "FILE FILE ..",
     "automata each of which reads the state of those before it and the letter", 0, 0},
    {"direct", "GROUP GROUP .. [--generators]",
     "direct product of groups such as S3, A4, Z6 and Q8", 0, 0},
    {"flipflop", "", "one bit: set, reset, keep", 0, 0},
    {"counter", "N", "a saturating counter: counts up and down, stopping at 0 and N", 1, 1},
    {"elevator", "N", "up and down between floors 1 and N", 1, 1},
    {"definite", "K", "remembers the last K bits", 1, 1},
    {"dyck", "TYPES DEPTH",
     "well-matched brackets of TYPES kinds, nested up to DEPTH; deeper goes to a sink", 2, 2},
    {"shuffle-dyck", "TYPES DEPTH",
     "brackets of TYPES kinds, each kind well-matched by itself and open at most DEPTH times", 2,
     2},
    {"flipflop-language", "", "every bit that is read is the one written last (w, r, i, 0, 1)", 0,
     0},
    {"modarith", "M", "value of d op d op .. modulo M with + - *, evaluated from left to right", 1,
     1},
    {"modarith-prec", "M", "the same where * binds before + and -", 1, 1},
    {"tomita", "NUMBER", "Tomita's languages 1..7 over 0 and 1", 1, 1},
    {"even-pairs", "", "an even number of neighbours that differ, in words over 0 and 1", 0, 0},
    {"repeat-01", "", "01 any number of times", 0, 0},
    {"first", "", "words over 0 and 1 that begin with 1", 0, 0},
    {"cycle-language", "M", "steps =, > and < on a cycle of M from 0, then the place they lead to",
     1, 1},
    {"modarith-language", "M",
     "d op d op .. = d with + - *, evaluated from left to right modulo M, that are right", 1, 1},
    {"cycle-navigation", "M", "a place on a cycle of M: stay, one forward, one back", 1, 1},
    {"random", "N K SEED", "N states, K letters, every transition drawn uniformly", 3, 3},
    {"transformations", "N", "generators of all maps of N points: cycle, swap, merge", 1, 1},
    {"order-preserving", "N", "generators of all maps of a chain of N points that keep its order",
     1, 1},
    {NULL, NULL, NULL, 0, 0},
};

typedef struct range {
    uint64_t least, most;
} range;

typedef struct kind {
    f2l_family_builder *build; /* NULL: not built from numbers */
    range all[3], few; /* ranges of the arguments; `few` replaces the first one with --generators */
} kind;

static const kind kinds[] = {
    {f2l_family_parity, {{0, 0}}, {0, 0}},
    {f2l_family_cyclic, {{1, 2000}}, {1, 1000000}},
    {f2l_family_symmetric, {{1, 6}}, {1, 9}},
    {f2l_family_alternating, {{1, 7}}, {1, 9}},
    {f2l_family_dihedral, {{1, 200}}, {1, 1000}},
    {f2l_family_quaternion, {{0, 0}}, {0, 0}},
    {f2l_family_swaps, {{2, 9}}, {0, 0}},
    {NULL, {{0, 0}}, {0, 0}},
    {NULL, {{0, 0}}, {0, 0}},
    {NULL, {{0, 0}}, {0, 0}},
    {f2l_family_flipflop, {{0, 0}}, {0, 0}},
    {f2l_family_counter, {{1, 1000000}}, {0, 0}},
    {f2l_family_elevator, {{1, 1000000}}, {0, 0}},
    {f2l_family_definite, {{1, 20}}, {0, 0}},
    {f2l_family_dyck, {{1, 1000}, {1, 1000000}}, {0, 0}},
    {f2l_family_shuffle_dyck, {{1, 19}, {1, 1000000}}, {0, 0}},
    {f2l_family_flipflop_language, {{0, 0}}, {0, 0}},
    {f2l_family_modarith, {{2, 500}}, {0, 0}},
    {f2l_family_modarith_prec, {{2, 50}}, {0, 0}},
    {f2l_family_tomita, {{1, 7}}, {0, 0}},
    {f2l_family_even_pairs, {{0, 0}}, {0, 0}},
    {f2l_family_repeat_01, {{0, 0}}, {0, 0}},
    {f2l_family_first, {{0, 0}}, {0, 0}},
    {f2l_family_cycle_language, {{2, 500}}, {0, 0}},
    {f2l_family_modarith_language, {{2, 500}}, {0, 0}},
    {f2l_family_cycle_navigation, {{2, 1000000}}, {0, 0}},
    {f2l_family_random, {{1, 1000000}, {1, 10000}, {0, MANY}}, {0, 0}},
    {f2l_family_transformations, {{2, 1000000}}, {0, 0}},
    {f2l_family_order_preserving, {{2, 1000}}, {0, 0}},
};
_Static_assert(sizeof kinds / sizeof *kinds + 1 == sizeof f2l_families / sizeof *f2l_families,
               "every family has its ranges and builder");

f2l_status f2l_family_names(f2l_names *names, const char *const *text, size_t count, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = 0; i < count && status == F2L_OK; i++)
        status = f2l_names_add(names, text[i], strlen(text[i]), &index, err);
    return status;
}

f2l_status f2l_family_numbers(f2l_names *names, size_t first, size_t last, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t i = first; i <= last && status == F2L_OK; i++) {
        name.size = 0;
        f2l_buf_size(&name, i);
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_names_add(names, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_family_tables(f2l_fsa *fsa, f2l_error *err)
{
    size_t entries;
    if (f2l_mul_size(&entries, fsa->states.count, fsa->letters.count)) {
        fsa->next = f2l_calloc(entries, sizeof *fsa->next);
        fsa->accept = f2l_calloc(fsa->states.count, 1);
    }
    return fsa->next == NULL || fsa->accept == NULL ? f2l_fail_memory(err) : F2L_OK;
}

void f2l_family_edge(f2l_fsa *fsa, size_t state, size_t letter, size_t target)
{
    fsa->next[state * fsa->letters.count + letter] = (uint32_t)target;
}

static f2l_status unknown_kind(const char *name, f2l_error *err)
{
    f2l_buf list;
    f2l_buf_init(&list);
    for (const f2l_family *f = f2l_families; f->name != NULL; f++) {
        if (f != f2l_families) f2l_buf_text(&list, ", ");
        f2l_buf_text(&list, f->name);
    }
    f2l_status status = f2l_buf_status(&list, err);
    if (status == F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN, "unknown kind \"%.60s\"; expected one of %s", name,
                          list.data);
    f2l_buf_clear(&list);
    return status;
}

/* Refuses a value out of range: "argument 2 of dyck must be 1..1000000, not 0". */
static f2l_status check_range(const f2l_family *family, size_t i, range r, uint64_t value,
                              bool generators, f2l_error *err)
{
    if (value >= r.least && value <= r.most) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "argument %zu of %s%s must be %" PRIu64 "..%" PRIu64 ", not %" PRIu64, i + 1,
                    family->name, generators ? " --generators" : "", r.least, r.most, value);
}

static f2l_status build_kind(f2l_fsa *out, const f2l_family *family, const kind *k,
                             const uint64_t *number, size_t numbers, bool generators,
                             f2l_error *err)
{
    if (k->build == NULL)
        return f2l_fail(err, F2L_EDOMAIN, "%s is not built from numbers: %s %s", family->name,
                        family->name, family->arguments);
    if (numbers < family->min_numbers || numbers > family->max_numbers)
        return f2l_fail(err, F2L_EDOMAIN, "expected %s%s%s, which has %zu number%s, not %zu",
                        family->name, family->arguments[0] == '\0' ? "" : " ", family->arguments,
                        family->min_numbers, family->min_numbers == 1 ? "" : "s", numbers);
    if (generators && strstr(family->arguments, "--generators") == NULL)
        return f2l_fail(err, F2L_EDOMAIN, "%s has no --generators form", family->name);
    for (size_t i = 0; i < numbers; i++) {
        range r = generators && i == 0 ? k->few : k->all[i];
        f2l_status status = check_range(family, i, r, number[i], generators, err);
        if (status != F2L_OK) return status;
    }
    return k->build(out, number, generators, err);
}

f2l_status f2l_family_build(f2l_fsa *out, const char *name, const uint64_t *number, size_t numbers,
                            bool generators, f2l_error *err)
{
    for (size_t i = 0; f2l_families[i].name != NULL; i++) {
        if (strcmp(f2l_families[i].name, name) != 0) continue;
        f2l_status status =
            build_kind(out, &f2l_families[i], &kinds[i], number, numbers, generators, err);
        if (status != F2L_OK) f2l_fsa_clear(out);
        return status;
    }
    return unknown_kind(name, err);
}
