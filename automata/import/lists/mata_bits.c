/* Formulas over bits in .mata files of type @NFA-bits, `(a0 & !a1) | \true`: each is written as a
 * union of cubes, and the cubes of all formulas are divided into letters that do not overlap. */
#include "automata/import/lists/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_DEPTH 100
#define MOST_CUBES 4096

typedef struct parser {
    const f2l_line *line;
    const f2l_word *word; /* of the formula, [words] */
    size_t words, at, offset, depth;
    f2l_cube *named; /* `given`: the bits of all formulas */
} parser;

/* Returns the byte that comes next, or NUL at the end. */
static char peek(const parser *p)
{
    return p->at < p->words ? p->word[p->at].text[p->offset] : '\0';
}

static void advance(parser *p, size_t bytes)
{
    p->offset += bytes;
    if (p->offset < p->word[p->at].size) return;
    p->at++;
    p->offset = 0;
}

static f2l_status fail_in_bits(const parser *p, const char *text, f2l_error *err)
{
    const size_t last = p->words - 1;
    const f2l_word *word = &p->word[p->at < p->words ? p->at : last];
    const size_t column = p->at < p->words ? word->column + p->offset : word->column + word->size;
    return f2l_fail_at(err, p->line->number, column, "%s", text);
}

static f2l_status push(f2l_cubes *list, const f2l_cube *c, f2l_error *err)
{
    if (list->count == MOST_CUBES)
        return f2l_fail(err, F2L_UNKNOWN, "a formula over bits is a union of more than %d cubes",
                        MOST_CUBES);
    return f2l_push_cube(list, c) ? F2L_OK : f2l_fail_memory(err);
}

/* Replaces *out by its union or its common part with `more`. */
static f2l_status join(f2l_cubes *out, const f2l_cubes *more, bool as_union, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (as_union) {
        for (size_t i = 0; i < more->count && status == F2L_OK; i++)
            status = push(out, &more->item[i], err);
        return status;
    }
    f2l_cubes common = {0};
    for (size_t i = 0; i < out->count; i++)
        for (size_t k = 0; k < more->count && status == F2L_OK; k++) {
            if (!f2l_cubes_overlap(&out->item[i], &more->item[k])) continue;
            const f2l_cube c = f2l_meet_cubes(&out->item[i], &more->item[k]);
            status = push(&common, &c, err);
        }
    f2l_free(out->item);
    *out = common;
    return status;
}

static f2l_status read_bits(parser *p, bool negated, bool conjunction, f2l_cubes *out,
                            f2l_error *err);

/* Returns whether the word goes on with the text, behind which no name goes on, and takes it. */
static bool take_text(parser *p, const char *text)
{
    const f2l_word *word = &p->word[p->at];
    const size_t size = strlen(text), left = word->size - p->offset;
    if (left < size || memcmp(word->text + p->offset, text, size) != 0) return false;
    if (left > size && !strchr("!&|()", word->text[p->offset + size])) return false;
    advance(p, size);
    return true;
}

/* Reads a bit, `a` and its number. */
static f2l_status read_bit(parser *p, bool negated, f2l_cubes *out, f2l_error *err)
{
    const f2l_word *word = &p->word[p->at];
    size_t bit = 0, end = p->offset + 1;
    while (end < word->size && word->text[end] >= '0' && word->text[end] <= '9' &&
           bit < F2L_MAX_CUBE)
        bit = 10 * bit + (size_t)(word->text[end++] - '0');
    if (end == p->offset + 1 || word->text[p->offset] != 'a' ||
        (end < word->size && !strchr("!&|()", word->text[end])))
        return fail_in_bits(p, "expected a bit a0, a1, .., \\true, \\false, ! or (", err);
    if (bit >= F2L_MAX_CUBE) return fail_in_bits(p, "a bit beyond a255", err);
    advance(p, end - p->offset);
    f2l_cube c = {0};
    c.given[bit / 64] = (uint64_t)1 << bit % 64;
    c.value[bit / 64] = negated ? 0 : c.given[bit / 64];
    p->named->given[bit / 64] |= c.given[bit / 64];
    return push(out, &c, err);
}

/* Reads any number of ! and an atom or a formula in parentheses. */
static f2l_status read_factor(parser *p, bool negated, f2l_cubes *out, f2l_error *err)
{
    const f2l_cube all = {0};
    for (; peek(p) == '!'; negated = !negated) advance(p, 1);
    if (peek(p) == '\0') return fail_in_bits(p, "the formula ends too early", err);
    if (take_text(p, "\\true") || take_text(p, "true"))
        return negated ? F2L_OK : push(out, &all, err);
    if (take_text(p, "\\false") || take_text(p, "false"))
        return negated ? push(out, &all, err) : F2L_OK;
    if (peek(p) != '(') return read_bit(p, negated, out, err);
    if (p->depth == MAX_DEPTH) return fail_in_bits(p, "parentheses nested too deeply", err);
    p->depth++;
    advance(p, 1);
    f2l_status status = read_bits(p, negated, false, out, err);
    if (status == F2L_OK && peek(p) != ')') return fail_in_bits(p, "expected &, | or )", err);
    p->depth--;
    if (status == F2L_OK) advance(p, 1);
    return status;
}

/* Reads factors with & between them, or such conjunctions with | between them. The negation of what
 * is read has & in the place of |. */
static f2l_status read_bits(parser *p, bool negated, bool conjunction, f2l_cubes *out,
                            f2l_error *err)
{
    const char mark = conjunction ? '&' : '|';
    f2l_status status =
        conjunction ? read_factor(p, negated, out, err) : read_bits(p, negated, true, out, err);
    while (status == F2L_OK && peek(p) == mark) {
        f2l_cubes more = {0};
        advance(p, 1);
        status = conjunction ? read_factor(p, negated, &more, err)
                             : read_bits(p, negated, true, &more, err);
        if (status == F2L_OK) status = join(out, &more, conjunction == negated, err);
        f2l_free(more.item);
    }
    return status;
}

/* Reads a formula that is new, and appends its cubes. */
static f2l_status add_bit_formula(f2l_bit_formulas *f, parser *p, f2l_error *err)
{
    f2l_cubes cubes = {0};
    const size_t formulas = f->text.count; /* with this one */
    f2l_status status = read_bits(p, false, false, &cubes, err);
    if (status == F2L_OK && peek(p) != '\0') status = fail_in_bits(p, "expected & or |", err);
    if (status == F2L_OK && !f2l_grow((void **)&f->end, &f->capacity, formulas - 1, sizeof *f->end))
        status = f2l_fail_memory(err);
    for (size_t i = 0; i < cubes.count && status == F2L_OK; i++)
        if (!f2l_push_cube(&f->cubes, &cubes.item[i])) status = f2l_fail_memory(err);
    if (status == F2L_OK) f->end[formulas - 1] = f->cubes.count;
    f2l_free(cubes.item);
    return status;
}

f2l_status f2l_bit_formula(f2l_bit_formulas *f, size_t *index, const f2l_line *line,
                           const f2l_word *word, size_t words, f2l_error *err)
{
    parser p = {.line = line, .word = word, .words = words, .named = &f->named};
    const size_t before = f->text.count;
    f2l_buf text;
    f2l_buf_init(&text);
    for (size_t i = 0; i < words; i++) {
        if (i > 0) f2l_buf_text(&text, " ");
        f2l_buf_bytes(&text, word[i].text, word[i].size);
    }
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_names_add(&f->text, text.data, text.size, index, err);
    f2l_buf_clear(&text);
    if (status == F2L_OK && f->text.count > before) status = add_bit_formula(f, &p, err);
    return status;
}

/* Writes all cubes as texts of 0, 1 and -, of the bits that the formulas name, in their order; one
 * - where they name none. Returns the number of bits in *bits, and the text of each cube in
 * index[]. */
static f2l_status write_cubes(f2l_names *out, uint32_t *index, size_t *bits,
                              const f2l_bit_formulas *f, f2l_error *err)
{
    size_t bit[F2L_MAX_CUBE] = {0}, count = 0, at = 0;
    for (size_t b = 0; b < F2L_MAX_CUBE; b++)
        if (f->named.given[b / 64] >> b % 64 & 1) bit[count++] = b;
    *bits = count > 0 ? count : 1;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < f->cubes.count && status == F2L_OK; i++) {
        char text[F2L_MAX_CUBE];
        for (size_t k = 0; k < *bits; k++) text[k] = f2l_cube_digit(&f->cubes.item[i], bit[k]);
        status = f2l_names_add(out, text, *bits, &at, err);
        index[i] = (uint32_t)at;
    }
    return status;
}

/* Lists the letters of each formula, each once; `cubes` are the letters of the texts of cubes. */
static f2l_status list_formula_letters(f2l_cube_letters *out, const f2l_bit_formulas *f,
                                       const f2l_cube_letters *cubes, const uint32_t *index,
                                       f2l_error *err)
{
    size_t count = 0, capacity = 0;
    size_t *taken = f2l_calloc(cubes->names.count, sizeof *taken); /* 1 + the last formula */
    out->first = f2l_calloc(f->text.count + 1, sizeof *out->first);
    f2l_status status = taken && out->first ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0, k = 0; i < f->text.count && status == F2L_OK; i++) {
        for (; k < f->end[i]; k++)
            for (size_t j = cubes->first[index[k]];
                 j < cubes->first[index[k] + 1] && status == F2L_OK; j++) {
                const uint32_t letter = cubes->letter[j];
                if (taken[letter] == i + 1) continue;
                taken[letter] = i + 1;
                if (f2l_grow((void **)&out->letter, &capacity, count, sizeof *out->letter))
                    out->letter[count++] = letter;
                else
                    status = f2l_fail_memory(err);
            }
        out->first[i + 1] = count;
    }
    f2l_free(taken);
    return status;
}

f2l_status f2l_bit_letters(f2l_nfa *nfa, const f2l_bit_formulas *f, f2l_error *err)
{
    f2l_names texts;
    f2l_cube_letters cubes = {0}, formulas = {0};
    size_t bits;
    uint32_t *index = f2l_calloc(f->cubes.count, sizeof *index);
    f2l_names_init(&texts);
    f2l_names_init(&cubes.names);
    f2l_names_init(&formulas.names);
    f2l_status status = index ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) status = write_cubes(&texts, index, &bits, f, err);
    if (status == F2L_OK && texts.count > 0)
        status = f2l_cube_letters_find(&cubes, &texts, bits, err);
    if (status == F2L_OK) status = f2l_names_copy(&nfa->letters, &cubes.names, err);
    if (status == F2L_OK) status = list_formula_letters(&formulas, f, &cubes, index, err);
    if (status == F2L_OK) status = f2l_divide_edges(nfa, &formulas, err);
    f2l_names_clear(&texts);
    f2l_cube_letters_clear(&cubes);
    f2l_cube_letters_clear(&formulas);
    f2l_free(index);
    return status;
}

void f2l_bit_formulas_init(f2l_bit_formulas *f)
{
    *f = (f2l_bit_formulas){0};
    f2l_names_init(&f->text);
}

void f2l_bit_formulas_clear(f2l_bit_formulas *f)
{
    f2l_names_clear(&f->text);
    f2l_free(f->cubes.item);
    f2l_free(f->end);
    f2l_bit_formulas_init(f);
}
