/* Labels of HOA files: Boolean expressions over atomic propositions, evaluated to sets of
 * letters. Letter i is the valuation in which proposition j is true when bit j of i is 1. */
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_DEPTH 100
/* Sets that an expression of that depth needs: one for | and one for & in each parenthesis. */
#define SETS (2 * (MAX_DEPTH + 2))

typedef struct parser {
    f2l_hoa_labels *labels;
    f2l_cursor *lexer;
    f2l_hoa_token *token;
    size_t depth, used; /* open parentheses; sets in use */
} parser;

void f2l_hoa_labels_init(f2l_hoa_labels *l)
{
    *l = (f2l_hoa_labels){0};
    f2l_names_init(&l->aliases);
}

void f2l_hoa_labels_clear(f2l_hoa_labels *l)
{
    f2l_names_clear(&l->aliases);
    f2l_free(l->alias_set);
    f2l_free(l->work);
    f2l_hoa_labels_init(l);
}

f2l_status f2l_hoa_labels_open(f2l_hoa_labels *l, size_t propositions, f2l_error *err)
{
    l->propositions = propositions;
    l->words = propositions <= 6 ? 1 : (size_t)1 << (propositions - 6);
    l->last = propositions >= 6 ? UINT64_MAX : ((uint64_t)1 << ((size_t)1 << propositions)) - 1;
    size_t entries;
    if (f2l_mul_size(&entries, l->aliases.count, l->words))
        l->alias_set = f2l_calloc(entries, sizeof *l->alias_set);
    l->work = f2l_calloc(SETS * l->words, sizeof *l->work);
    return l->alias_set == NULL || l->work == NULL ? f2l_fail_memory(err) : F2L_OK;
}

/* Returns room for one more set, or NULL while there are no sets. */
static uint64_t *borrow(parser *p)
{
    const f2l_hoa_labels *l = p->labels;
    return l->words > 0 ? l->work + p->used++ * l->words : NULL;
}

static void give_back(parser *p)
{
    p->used -= p->labels->words > 0;
}

static f2l_status next_label_token(parser *p, f2l_error *err)
{
    return f2l_hoa_next(p->lexer, p->token, err);
}

static bool at_label_mark(const parser *p, char punctuation)
{
    return p->token->kind == F2L_HOA_PUNCTUATION && p->token->punctuation == punctuation;
}

static f2l_status fail_in_hoa_label(const parser *p, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, p->token->line, p->token->column, "%s", text);
}

/* Sets the letters in which the proposition is true. */
static void proposition(const f2l_hoa_labels *l, uint64_t *set, size_t j)
{
    static const uint64_t pattern[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                        0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    for (size_t w = 0; w < l->words; w++)
        set[w] = (j < 6 ? pattern[j] : w >> (j - 6) & 1 ? UINT64_MAX : 0) & l->last;
}

static f2l_status take_proposition(parser *p, uint64_t *set, f2l_error *err)
{
    const f2l_hoa_labels *l = p->labels;
    if (l->words > 0 && p->token->number >= l->propositions)
        return f2l_fail_at(err, p->token->line, p->token->column,
                           "there is no proposition %zu; the header AP: has %zu", p->token->number,
                           l->propositions);
    proposition(l, set, p->token->number);
    return next_label_token(p, err);
}

static f2l_status take_alias(parser *p, uint64_t *set, f2l_error *err)
{
    const f2l_hoa_labels *l = p->labels;
    const size_t i = f2l_names_find(&l->aliases, p->token->text, p->token->size);
    if (i == F2L_NO_INDEX)
        return fail_in_hoa_label(p, "an alias that no header Alias: before it defines", err);
    if (l->words > 0) memcpy(set, l->alias_set + i * l->words, l->words * sizeof *set);
    return next_label_token(p, err);
}

static f2l_status disjunction(parser *p, uint64_t *set, f2l_error *err);

static f2l_status parenthesis(parser *p, uint64_t *set, f2l_error *err)
{
    if (p->depth == MAX_DEPTH) return fail_in_hoa_label(p, "parentheses nested too deeply", err);
    p->depth++;
    f2l_status status = next_label_token(p, err);
    if (status == F2L_OK) status = disjunction(p, set, err);
    if (status == F2L_OK && !at_label_mark(p, ')'))
        return fail_in_hoa_label(p, "expected &, | or )", err);
    p->depth--;
    return status == F2L_OK ? next_label_token(p, err) : status;
}

/* Reads any number of ! and an atom. */
static f2l_status literal(parser *p, uint64_t *set, f2l_error *err)
{
    const f2l_hoa_labels *l = p->labels;
    f2l_status status = F2L_OK;
    bool negated = false;
    for (; status == F2L_OK && at_label_mark(p, '!'); negated = !negated)
        status = next_label_token(p, err);
    if (status != F2L_OK) return status;
    switch (p->token->kind) {
    case F2L_HOA_INT:
        status = take_proposition(p, set, err);
        break;
    case F2L_HOA_ALIAS:
        status = take_alias(p, set, err);
        break;
    case F2L_HOA_BOOLEAN:
        for (size_t w = 0; w < l->words; w++) set[w] = *p->token->text == 't' ? l->last : 0;
        status = next_label_token(p, err);
        break;
    default:
        if (!at_label_mark(p, '('))
            return fail_in_hoa_label(
                p, "expected the number of a proposition, an alias, t, f, ! or (", err);
        status = parenthesis(p, set, err);
    }
    for (size_t w = 0; w < l->words && negated; w++) set[w] = ~set[w] & l->last;
    return status;
}

static f2l_status conjunction(parser *p, uint64_t *set, f2l_error *err)
{
    const size_t words = p->labels->words;
    uint64_t *more = borrow(p);
    f2l_status status = literal(p, set, err);
    while (status == F2L_OK && at_label_mark(p, '&')) {
        status = next_label_token(p, err);
        if (status == F2L_OK) status = literal(p, more, err);
        for (size_t w = 0; w < words && status == F2L_OK; w++) set[w] &= more[w];
    }
    give_back(p);
    return status;
}

static f2l_status disjunction(parser *p, uint64_t *set, f2l_error *err)
{
    const size_t words = p->labels->words;
    uint64_t *more = borrow(p);
    f2l_status status = conjunction(p, set, err);
    while (status == F2L_OK && at_label_mark(p, '|')) {
        status = next_label_token(p, err);
        if (status == F2L_OK) status = conjunction(p, more, err);
        for (size_t w = 0; w < words && status == F2L_OK; w++) set[w] |= more[w];
    }
    give_back(p);
    return status;
}

f2l_status f2l_hoa_label(f2l_hoa_labels *labels, uint64_t *set, f2l_cursor *lexer,
                         f2l_hoa_token *token, f2l_error *err)
{
    parser p = {labels, lexer, token, 0, 0};
    return disjunction(&p, set, err);
}

f2l_status f2l_hoa_add_letters(f2l_nfa *nfa, const f2l_names *propositions, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t i = 0; i >> propositions->count == 0 && status == F2L_OK; i++) {
        size_t index;
        name.size = 0;
        if (propositions->count == 0) f2l_buf_text(&name, "t");
        for (size_t j = 0; j < propositions->count; j++) {
            if (j > 0) f2l_buf_text(&name, "&");
            if (!(i >> j & 1)) f2l_buf_text(&name, "!");
            f2l_buf_text(&name, f2l_names_get(propositions, j));
        }
        status = f2l_buf_status(&name, err);
        if (status == F2L_OK) status = f2l_nfa_letter(nfa, name.data, name.size, &index, err);
    }
    f2l_buf_clear(&name);
    return status;
}
