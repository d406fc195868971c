#include "automata/fsa/fsa_build.h"
#include "automata/import/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* What an acceptance condition is made of. */
typedef struct condition {
    size_t atoms, operators, set; /* set: of the last atom */
    bool infinitely, negated;     /* the last atom is Inf; it is of a complement */
    bool value;                   /* of the last constant */
} condition;

static f2l_status next_header_token(f2l_hoa_header *h, f2l_error *err)
{
    return f2l_hoa_next(&h->lexer, &h->token, err);
}

static f2l_status fail_in_hoa_header(const f2l_hoa_header *h, const char *text, f2l_error *err)
{
    return f2l_fail_at(err, h->token.line, h->token.column, "%s", text);
}

static bool at_header_mark(const f2l_hoa_header *h, char punctuation)
{
    return h->token.kind == F2L_HOA_PUNCTUATION && h->token.punctuation == punctuation;
}

static bool token_is_named(const f2l_hoa_token *token, const char *name)
{
    return token->size == strlen(name) && memcmp(token->text, name, token->size) == 0;
}

static f2l_status take_int(f2l_hoa_header *h, size_t *out, const char *what, f2l_error *err)
{
    if (h->token.kind != F2L_HOA_INT)
        return f2l_fail_at(err, h->token.line, h->token.column, "expected %s", what);
    *out = h->token.number;
    return next_header_token(h, err);
}

static f2l_status once(const f2l_hoa_header *h, bool *seen, f2l_error *err)
{
    if (*seen) return fail_in_hoa_header(h, "a header that was there already", err);
    *seen = true;
    return F2L_OK;
}

static f2l_status read_hoa_states(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status = once(h, &h->has_states, err);
    if (status == F2L_OK) status = next_header_token(h, err);
    return status == F2L_OK ? take_int(h, &h->states, "the number of states", err) : status;
}

static f2l_status read_hoa_start(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status = next_header_token(h, err);
    const f2l_hoa_token token = h->token;
    size_t state;
    if (status == F2L_OK) status = take_int(h, &state, "the number of a start state", err);
    if (status != F2L_OK) return status;
    if (at_header_mark(h, '&'))
        return fail_in_hoa_header(h, "alternation: start states that hold at once (&) are not read",
                                  err);
    if (!f2l_grow((void **)&h->start, &h->start_capacity, h->starts, sizeof *h->start))
        return f2l_fail_memory(err);
    h->start[h->starts++] = token;
    return F2L_OK;
}

/* Appends a string without its escapes: \" is ", and \c is c. */
static void unescape(f2l_buf *out, const f2l_hoa_token *token)
{
    for (size_t i = 0; i < token->size; i++) {
        if (token->text[i] == '\\' && i + 1 < token->size) i++;
        f2l_buf_bytes(out, token->text + i, 1);
    }
}

static f2l_status add_proposition(f2l_hoa_header *h, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    unescape(&text, &h->token);
    f2l_status status = f2l_buf_status(&text, err);
    size_t index, before = h->propositions.count;
    if (status == F2L_OK)
        status =
            f2l_names_add(&h->propositions, text.size > 0 ? text.data : "", text.size, &index, err);
    f2l_buf_clear(&text);
    if (status == F2L_OK && index != before)
        return fail_in_hoa_header(h, "a proposition is there twice", err);
    return status == F2L_OK ? next_header_token(h, err) : status;
}

static f2l_status read_propositions(f2l_hoa_header *h, f2l_error *err)
{
    size_t count = 0;
    f2l_status status = once(h, &h->has_propositions, err);
    if (status == F2L_OK) status = next_header_token(h, err);
    if (status == F2L_OK) status = take_int(h, &count, "the number of propositions", err);
    if (status == F2L_OK && count > F2L_HOA_MAX_PROPOSITIONS)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu propositions stand for 2^%zu letters; at most %d propositions are "
                        "read",
                        count, count, F2L_HOA_MAX_PROPOSITIONS);
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        if (h->token.kind != F2L_HOA_STRING)
            return fail_in_hoa_header(h, "expected the name of a proposition, as many as AP: says",
                                      err);
        status = add_proposition(h, err);
    }
    if (status == F2L_OK && h->token.kind == F2L_HOA_STRING)
        return fail_in_hoa_header(h, "more names of propositions than AP: says", err);
    return status;
}

/* Checks the syntax of an alias; which letters it stands for is known after the whole header. */
static f2l_status read_alias(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status = next_header_token(h, err);
    if (status != F2L_OK) return status;
    const f2l_hoa_token name = h->token;
    if (name.kind != F2L_HOA_ALIAS) return fail_in_hoa_header(h, "expected the alias, @NAME", err);
    if (f2l_names_find(&h->labels.aliases, name.text, name.size) != F2L_NO_INDEX)
        return fail_in_hoa_header(h, "an alias that is defined already", err);
    if (!f2l_grow((void **)&h->alias, &h->alias_capacity, h->labels.aliases.count,
                  sizeof *h->alias))
        return f2l_fail_memory(err);
    h->alias[h->labels.aliases.count] = h->lexer;
    status = next_header_token(h, err);
    if (status == F2L_OK) status = f2l_hoa_label(&h->labels, NULL, &h->lexer, &h->token, err);
    size_t index;
    return status == F2L_OK ? f2l_names_add(&h->labels.aliases, name.text, name.size, &index, err)
                            : status;
}

/* Reads Inf(2), Fin(!0), .. */
static f2l_status read_atom(f2l_hoa_header *h, condition *c, f2l_error *err)
{
    c->infinitely = token_is_named(&h->token, "Inf");
    if (!c->infinitely && !token_is_named(&h->token, "Fin"))
        return fail_in_hoa_header(h, "expected Inf or Fin", err);
    f2l_status status = next_header_token(h, err);
    if (status == F2L_OK && !at_header_mark(h, '('))
        return fail_in_hoa_header(h, "expected (", err);
    if (status == F2L_OK) status = next_header_token(h, err);
    c->negated = status == F2L_OK && at_header_mark(h, '!');
    if (c->negated) status = next_header_token(h, err);
    if (status == F2L_OK && h->token.kind == F2L_HOA_INT && h->token.number >= h->sets)
        return fail_in_hoa_header(h, "an acceptance set beyond the number in Acceptance:", err);
    if (status == F2L_OK) status = take_int(h, &c->set, "the number of an acceptance set", err);
    if (status == F2L_OK && !at_header_mark(h, ')'))
        return fail_in_hoa_header(h, "expected )", err);
    c->atoms++;
    return status == F2L_OK ? next_header_token(h, err) : status;
}

/* Reads t, f, Inf(..) or Fin(..). */
static f2l_status read_operand(f2l_hoa_header *h, condition *c, f2l_error *err)
{
    if (h->token.kind == F2L_HOA_NAME) return read_atom(h, c, err);
    if (h->token.kind != F2L_HOA_BOOLEAN)
        return fail_in_hoa_header(h, "expected an acceptance condition: t, f, Inf(..) or Fin(..)",
                                  err);
    c->value = *h->token.text == 't';
    return next_header_token(h, err);
}

/* Reads an acceptance condition. Only its constants and single atoms are understood, so that the
 * priorities of & and | do not matter; parity conditions nest deeply. */
static f2l_status read_condition(f2l_hoa_header *h, condition *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t depth = 0;
    while (status == F2L_OK) {
        for (; status == F2L_OK && at_header_mark(h, '('); depth++)
            status = next_header_token(h, err);
        if (status == F2L_OK) status = read_operand(h, c, err);
        for (; status == F2L_OK && depth > 0 && at_header_mark(h, ')'); depth--)
            status = next_header_token(h, err);
        if (status != F2L_OK || (!at_header_mark(h, '&') && !at_header_mark(h, '|'))) break;
        c->operators++;
        status = next_header_token(h, err);
    }
    if (status == F2L_OK && depth > 0) return fail_in_hoa_header(h, "expected &, | or )", err);
    return status;
}

static f2l_status read_acceptance(f2l_hoa_header *h, f2l_error *err)
{
    condition c = {0};
    f2l_status status = once(h, &h->has_acceptance, err);
    if (status == F2L_OK) status = next_header_token(h, err);
    if (status == F2L_OK) status = take_int(h, &h->sets, "the number of acceptance sets", err);
    const f2l_hoa_token token = h->token;
    if (status == F2L_OK) status = read_condition(h, &c, err);
    if (status != F2L_OK) return status;
    if (c.operators == 0 && c.atoms == 0 && c.value) return F2L_OK;
    if (c.operators == 0 && c.atoms == 0)
        return f2l_fail_at(err, token.line, token.column, "acceptance f: no word is accepted");
    if (c.operators > 0 || c.atoms == 0 || !c.infinitely || c.negated) {
        const f2l_hoa_token *name = &h->acceptance_name;
        char shown[F2L_SHOWN];
        f2l_shown(shown, name->size ? name->text : "this", name->size ? name->size : 4);
        return f2l_fail_at(err, token.line, token.column,
                           "%s acceptance speaks of infinite words only; read are t, and with "
                           "--finite-words Inf(0)",
                           shown);
    }
    if (!h->finite)
        return f2l_fail_at(err, token.line, token.column,
                           "Buchi acceptance speaks of infinite words; with --finite-words the "
                           "marked states accept finite words");
    h->marks = true;
    h->marked = c.set;
    return F2L_OK;
}

/* Skips the values of a header that does not matter. */
static f2l_status skip_values(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status;
    do status = next_header_token(h, err);
    while (status == F2L_OK &&
           (h->token.kind == F2L_HOA_NAME || h->token.kind == F2L_HOA_INT ||
            h->token.kind == F2L_HOA_BOOLEAN || h->token.kind == F2L_HOA_STRING));
    return status;
}

/* Keeps the name of the acceptance condition for messages. */
static f2l_status read_acceptance_name(f2l_hoa_header *h, f2l_error *err)
{
    const f2l_status status = next_header_token(h, err);
    if (status != F2L_OK || h->token.kind != F2L_HOA_NAME) return status;
    h->acceptance_name = h->token;
    return skip_values(h, err);
}

static f2l_status read_item(f2l_hoa_header *h, f2l_error *err)
{
    const f2l_hoa_token *token = &h->token;
    if (token->kind != F2L_HOA_HEADER)
        return fail_in_hoa_header(h, "expected a header or --BODY--", err);
    if (token_is_named(token, "States")) return read_hoa_states(h, err);
    if (token_is_named(token, "Start")) return read_hoa_start(h, err);
    if (token_is_named(token, "AP")) return read_propositions(h, err);
    if (token_is_named(token, "Alias")) return read_alias(h, err);
    if (token_is_named(token, "Acceptance")) return read_acceptance(h, err);
    if (token_is_named(token, "acc-name")) return read_acceptance_name(h, err);
    if (*token->text >= 'A' && *token->text <= 'Z') {
        char shown[F2L_SHOWN];
        return f2l_fail_at(err, token->line, token->column,
                           "header `%s`: not known here, and its capital says that it changes "
                           "what the automaton means",
                           f2l_shown(shown, token->text, token->size));
    }
    return skip_values(h, err);
}

static f2l_status read_version(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status = next_header_token(h, err);
    if (status != F2L_OK) return status;
    if (h->token.kind != F2L_HOA_HEADER || !token_is_named(&h->token, "HOA"))
        return fail_in_hoa_header(h, "expected HOA: v1", err);
    status = next_header_token(h, err);
    if (status == F2L_OK && (h->token.kind != F2L_HOA_NAME || !token_is_named(&h->token, "v1")))
        return fail_in_hoa_header(h, "expected v1, the version that is read", err);
    return status == F2L_OK ? next_header_token(h, err) : status;
}

static f2l_status evaluate_aliases(f2l_hoa_header *h, f2l_error *err)
{
    f2l_hoa_labels *l = &h->labels;
    f2l_status status = f2l_hoa_labels_open(l, h->propositions.count, err);
    for (size_t i = 0; i < l->aliases.count && status == F2L_OK; i++) {
        f2l_cursor lexer = h->alias[i];
        f2l_hoa_token token;
        status = f2l_hoa_next(&lexer, &token, err);
        if (status == F2L_OK)
            status = f2l_hoa_label(l, l->alias_set + i * l->words, &lexer, &token, err);
    }
    return status;
}

/* Checks what the header says with all of it known. */
static f2l_status check_hoa_header(const f2l_hoa_header *h, f2l_error *err)
{
    if (!h->has_acceptance) return fail_in_hoa_header(h, "expected a header Acceptance:", err);
    for (size_t i = 0; i < h->starts && h->has_states; i++)
        if (h->start[i].number >= h->states)
            return f2l_fail_at(err, h->start[i].line, h->start[i].column,
                               "start state %zu; States: says that there are %zu",
                               h->start[i].number, h->states);
    return F2L_OK;
}

void f2l_hoa_header_init(f2l_hoa_header *h)
{
    *h = (f2l_hoa_header){0};
    f2l_names_init(&h->propositions);
    f2l_hoa_labels_init(&h->labels);
}

void f2l_hoa_header_clear(f2l_hoa_header *h)
{
    f2l_names_clear(&h->propositions);
    f2l_hoa_labels_clear(&h->labels);
    f2l_free(h->start);
    f2l_free(h->alias);
    f2l_hoa_header_init(h);
}

f2l_status f2l_hoa_header_read(f2l_hoa_header *h, f2l_error *err)
{
    f2l_status status = read_version(h, err);
    while (status == F2L_OK && h->token.kind != F2L_HOA_BODY) status = read_item(h, err);
    if (status == F2L_OK) status = check_hoa_header(h, err);
    return status == F2L_OK ? evaluate_aliases(h, err) : status;
}
