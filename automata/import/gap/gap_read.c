/* Transformations and permutations as GAP prints and reads them.
 *
 *     file   = { [ NAME ":=" ] value [ ";" ] }
 *     value  = power { "*" power }
 *     power  = item [ "^" INTEGER ]
 *     item   = "Transformation" "(" list [ "," list ] ")" | "IdentityTransformation"
 *            | "PartialPerm" "(" list [ "," list ] ")" | cycles | NAME | "[" values "]"
 *            | "rec" "(" NAME ":=" value { "," NAME ":=" value } ")" | CALL "(" values ")"
 *     CALL   = Group, Semigroup, Monoid and their longer spellings
 *
 * Every element is a letter: named by the variable or record component it is assigned to, else by
 * its number. Transformations give states 1..n with start 1; GAP leaves out trailing fixed points,
 * so that n is the largest degree. A partial permutation has no transition where it is not defined.
 * Permutations give the group form, tracking elements. A question such as `Size(S);`, or one about
 * a name, defines no letter and is passed over. */
#include "automata/import/gap/gap.h"
#include "automata/import/gap/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

static f2l_status value(f2l_gap *g, size_t *meaning, f2l_error *err);

/* Reads values separated by commas up to `end`. */
static f2l_status values(f2l_gap *g, char end, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t meaning;
    for (bool more = !f2l_gap_at(g, end); status == F2L_OK && more; more = f2l_gap_take(g, ','))
        status = value(g, &meaning, err);
    return status == F2L_OK ? f2l_gap_expect(g, end, err) : status;
}

static bool is_collection(const f2l_gap *g)
{
    static const char *const call[] = {
        "Group",        "GroupWithGenerators",   "GroupByGenerators",  "Semigroup",
        "Monoid",       "SemigroupByGenerators", "MonoidByGenerators", "InverseSemigroup",
        "InverseMonoid"};
    for (size_t i = 0; i < sizeof call / sizeof *call; i++)
        if (f2l_gap_word_is(g, call[i])) return true;
    return false;
}

/* Returns whether the word in hand begins a value that is read. */
static bool is_constructor(const f2l_gap *g)
{
    return is_collection(g) || f2l_gap_word_is(g, "Transformation") ||
           f2l_gap_word_is(g, "PartialPerm") || f2l_gap_word_is(g, "IdentityTransformation") ||
           f2l_gap_word_is(g, "rec");
}

/* Returns whether what follows is a call of a function that is not read: its value cannot be
 * known. */
static bool at_unread_call(f2l_gap *g)
{
    const size_t before = g->at;
    const bool called = f2l_gap_word(g, NULL) == F2L_OK && g->word.size > 0 && f2l_gap_at(g, '(');
    g->at = before;
    return called && !is_constructor(g);
}

/* Notes the statement at `at`. */
static void note_passed_over(f2l_gap *g, size_t at, const char *text)
{
    size_t line, column, end = at;
    while (end < g->size && g->bytes[end] != ';' && g->bytes[end] != '\n') end++;
    f2l_import_position(g->bytes, at, &line, &column);
    f2l_notes_add(&g->nfa->notes, text, g->bytes + at, end - at, line, column);
}

/* Reads ":=" and a value, for the name in g->word. */
static f2l_status assignment(f2l_gap *g, f2l_error *err)
{
    size_t known = g->names.count, name, start = g->word_at, meaning = F2L_GAP_UNREAD;
    f2l_status status = f2l_names_add(&g->names, g->word.data, g->word.size, &name, err);
    if (status != F2L_OK) return status;
    if (name != known) return f2l_gap_fail(g, start, "a name that is assigned twice", err);
    if (!f2l_grow((void **)&g->meaning, &g->meaning_capacity, name, sizeof *g->meaning))
        return f2l_fail_memory(err);
    g->meaning[name] = F2L_GAP_UNREAD; /* inside its own value */
    g->at += 2;
    if (g->session && at_unread_call(g)) {
        f2l_gap_skip_statement(g);
        note_passed_over(g, start, "was passed over: its value is not read");
        return F2L_OK;
    }
    const size_t elements = g->elements;
    status = value(g, &meaning, err);
    if (status != F2L_OK) return status;
    g->meaning[name] = meaning;
    if (g->elements > elements && meaning < g->elements && meaning >= elements)
        g->element[meaning].name = name;
    return F2L_OK;
}

static bool at_assignment(f2l_gap *g)
{
    return f2l_gap_at(g, ':') && g->at + 1 < g->size && g->bytes[g->at + 1] == '=';
}

static f2l_status read_gap_record(f2l_gap *g, f2l_error *err)
{
    f2l_status status = f2l_gap_expect(g, '(', err);
    for (bool more = !f2l_gap_at(g, ')'); status == F2L_OK && more; more = f2l_gap_take(g, ',')) {
        status = f2l_gap_word(g, err);
        if (status == F2L_OK && (g->word.size == 0 || !at_assignment(g)))
            return f2l_gap_fail(g, g->at, "expected NAME := VALUE", err);
        if (status == F2L_OK) status = assignment(g, err);
    }
    return status == F2L_OK ? f2l_gap_expect(g, ')', err) : status;
}

/* Returns F2L_EFORMAT at the word in hand. */
static f2l_status fail_expected_value(const f2l_gap *g, f2l_error *err)
{
    return f2l_gap_fail(g, g->word_at,
                        "expected Transformation( [ .. ] ), PartialPerm( [ .. ], [ .. ] ), a "
                        "permutation such as (1,2,3), a list or a group",
                        err);
}

/* Reads the generators of a group or semigroup, behind its word. */
static f2l_status read_generators(f2l_gap *g, f2l_error *err)
{
    if (g->has_group && g->generators == 0)
        f2l_notes_add(&g->nfa->notes,
                      "is a second group or semigroup; its generators are letters too",
                      g->word.data, g->word.size, 0, 0);
    g->has_group = true;
    g->generators++;
    f2l_status status = f2l_gap_expect(g, '(', err);
    if (status == F2L_OK) status = values(g, ')', err);
    g->generators--;
    return status;
}

/* Reads an item that begins with the word in hand. */
static f2l_status read_word_item(f2l_gap *g, size_t *meaning, f2l_error *err)
{
    *meaning = g->elements;
    if (f2l_gap_word_is(g, "Transformation")) return f2l_gap_transformation(g, err);
    if (f2l_gap_word_is(g, "PartialPerm")) return f2l_gap_partial(g, err);
    if (f2l_gap_word_is(g, "IdentityTransformation")) return f2l_gap_identity(g, err);
    *meaning = F2L_GAP_COLLECTION;
    if (f2l_gap_word_is(g, "rec")) return read_gap_record(g, err);
    if (is_collection(g)) return read_generators(g, err);
    /* A name refers to what it was assigned, which is a letter already. */
    const size_t name = f2l_names_find(&g->names, g->word.data, g->word.size);
    if (name == F2L_NO_INDEX) return fail_expected_value(g, err);
    *meaning = g->meaning[name];
    g->lists_by_name |= g->generators > 0 && *meaning == F2L_GAP_COLLECTION;
    return *meaning == F2L_GAP_UNREAD
               ? f2l_gap_fail(g, g->word_at, "the value of this name was not read", err)
               : F2L_OK;
}

static f2l_status read_item(f2l_gap *g, size_t *meaning, f2l_error *err)
{
    *meaning = g->elements;
    if (f2l_gap_at(g, '(')) return f2l_gap_permutation(g, err);
    *meaning = F2L_GAP_COLLECTION;
    if (f2l_gap_take(g, '[')) return values(g, ']', err);
    const f2l_status status = f2l_gap_word(g, err);
    if (status != F2L_OK) return status;
    return g->word.size == 0 ? fail_expected_value(g, err) : read_word_item(g, meaning, err);
}

/* Reads an item and its exponent, if it has one. */
static f2l_status read_power(f2l_gap *g, size_t *meaning, f2l_error *err)
{
    f2l_status status = read_item(g, meaning, err);
    if (status != F2L_OK || !f2l_gap_take(g, '^')) return status;
    uint32_t exponent = 0;
    const bool negative = f2l_gap_take(g, '-');
    f2l_gap_skip_blank(g);
    if (*meaning == F2L_GAP_COLLECTION)
        return f2l_gap_fail(g, g->at, "a power of what is no element", err);
    if (!(g->at < g->size && g->bytes[g->at] >= '0' && g->bytes[g->at] <= '9'))
        return f2l_gap_fail(g, g->at, "expected an integer as exponent", err);
    status = f2l_gap_point(g, true, &exponent, err);
    if (status == F2L_OK) status = f2l_gap_power(g, *meaning, negative, exponent, err);
    *meaning = g->elements - 1;
    return status;
}

/* Leaves, of the elements that an expression made, only its value. */
static void keep_last(f2l_gap *g, size_t elements, size_t images, size_t *meaning)
{
    if (*meaning == F2L_GAP_COLLECTION || *meaning < elements) return;
    f2l_gap_element e = g->element[*meaning];
    if (e.size > 0) memmove(g->image + images, g->image + e.first, e.size * sizeof *g->image);
    e.first = images;
    g->element[elements] = e;
    g->elements = elements + 1;
    g->images = images + e.size;
    *meaning = elements;
}

/* Reads an expression; *meaning is its element, or F2L_GAP_COLLECTION. */
static f2l_status value(f2l_gap *g, size_t *meaning, f2l_error *err)
{
    const size_t elements = g->elements, images = g->images;
    /* Deep enough for anything that GAP prints; the recursion must end somewhere. */
    if (g->depth == 32) return f2l_gap_fail(g, g->at, "lists nested too deeply", err);
    g->depth++;
    f2l_status status = read_power(g, meaning, err);
    while (status == F2L_OK && f2l_gap_take(g, '*')) {
        size_t right;
        status = read_power(g, &right, err);
        if (status == F2L_OK && (*meaning == F2L_GAP_COLLECTION || right == F2L_GAP_COLLECTION))
            status = f2l_gap_fail(g, g->at, "a product of what is no element", err);
        if (status == F2L_OK) status = f2l_gap_product(g, *meaning, right, err);
        *meaning = g->elements - 1;
    }
    if (status == F2L_OK) keep_last(g, elements, images, meaning);
    if (status == F2L_OK && g->generators > 0 && *meaning < g->elements)
        g->element[*meaning].listed = true;
    g->depth--;
    return status;
}

/* Returns whether the statement of this first word only asks: a call of a function that is not
 * known to change anything, or an expression of a name. */
static bool is_question(f2l_gap *g)
{
    static const char *const changes[] = {
        "Add",   "Append", "Read",     "ReadPackage", "for",    "while",
        "if",    "repeat", "function", "return",      "Insert", "Remove",
        "Apply", "Sort",   "Perform",  "Unbind",      "AddSet", "CallFuncList"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (f2l_gap_word_is(g, changes[i])) return false;
    if (is_constructor(g)) return false;
    return g->session || f2l_gap_word_is(g, "quit") || f2l_gap_at(g, '(') ||
           f2l_names_find(&g->names, g->word.data, g->word.size) != F2L_NO_INDEX;
}

/* Reads a statement. */
static f2l_status read_statement(f2l_gap *g, f2l_error *err)
{
    const size_t before = g->at;
    size_t meaning;
    f2l_status status = f2l_gap_word(g, err);
    if (status != F2L_OK) return status;
    if (g->word.size > 0 && at_assignment(g)) return assignment(g, err);
    if (g->word.size > 0 && is_question(g)) {
        const size_t at = g->word_at;
        f2l_gap_skip_statement(g);
        if (!g->session) note_passed_over(g, at, "was passed over: it defines no letter");
        return F2L_OK;
    }
    g->at = before;
    return value(g, &meaning, err);
}

static f2l_status statements(f2l_gap *g, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (;;) {
        while (f2l_gap_take(g, ';')) continue;
        if (g->at == g->size || status != F2L_OK) break;
        status = read_statement(g, err);
    }
    if (status == F2L_OK && g->elements == 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "no transformation or permutation; expected Transformation( [ .. ] )");
    return status;
}

/* Notes the letters that no group or semigroup of the file lists, where there is one. */
static void note_not_listed(f2l_gap *g)
{
    if (!g->has_group || g->lists_by_name) return;
    for (size_t i = 0; i < g->elements; i++) {
        if (g->element[i].listed || g->element[i].name == F2L_NO_INDEX) continue;
        const char *name = f2l_names_get(&g->names, g->element[i].name);
        f2l_notes_add(&g->nfa->notes,
                      "is a letter, though no group or semigroup has it as generator", name,
                      strlen(name), 0, 0);
    }
}

f2l_status f2l_import_gap(f2l_nfa *out, const char *bytes, size_t size,
                          const f2l_import_options *options, const f2l_task *task, f2l_error *err)
{
    f2l_gap g = {.bytes = bytes, .size = size, .nfa = out};
    char *cleaned = NULL;
    f2l_names_init(&g.names);
    f2l_buf_init(&g.word);
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status == F2L_OK)
        status = f2l_read_as_check(options ? options->as : NULL, 0, false, "GAP files", err);
    if (status == F2L_OK && size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) g.at = 3;
    if (status == F2L_OK && f2l_gap_is_session(bytes, size)) {
        cleaned = f2l_strndup(bytes, size);
        if (!cleaned) status = f2l_fail_memory(err);
        if (cleaned) f2l_gap_clean_session(cleaned, size);
        g.bytes = cleaned;
        g.session = true;
    }
    if (status == F2L_OK) status = statements(&g, err);
    if (status == F2L_OK) status = f2l_gap_build(&g, options ? options->max_states : 0, task, err);
    if (status == F2L_OK) note_not_listed(&g);
    f2l_names_clear(&g.names);
    f2l_buf_clear(&g.word);
    f2l_free(g.meaning);
    f2l_free(g.element);
    f2l_free(g.image);
    f2l_free(g.cycle);
    f2l_free(cleaned);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
