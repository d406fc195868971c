#include "models/doors/inject/tokens.h"
#include "models/doors/inject/impl.h"
#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

void f2l_letter_tokens_init(f2l_letter_tokens *tokens)
{
    *tokens = (f2l_letter_tokens){.pairs = 0};
}

void f2l_letter_tokens_clear(f2l_letter_tokens *tokens)
{
    f2l_free(tokens->pair);
    f2l_letter_tokens_init(tokens);
}

static f2l_status add_letter_token(f2l_letter_tokens *out, size_t letter, size_t token,
                                   f2l_error *err)
{
    if (!f2l_grow((void **)&out->pair, &out->capacity, out->pairs, sizeof *out->pair))
        return f2l_fail_memory(err);
    out->pair[out->pairs++] = (f2l_letter_token){letter, token};
    return F2L_OK;
}

static int by_token(const void *a, const void *b)
{
    const f2l_letter_token *x = a, *y = b;
    return (x->token > y->token) - (x->token < y->token);
}

static int by_letter(const void *a, const void *b)
{
    const f2l_letter_token *x = a, *y = b;
    return x->letter == y->letter ? by_token(a, b) : x->letter > y->letter ? 1 : -1;
}

/* Returns F2L_EFORMAT where a token has two letters, or a letter none; sorts by letter. */
static f2l_status check_letter_tokens(f2l_letter_tokens *t, const f2l_names *letters,
                                      f2l_error *err)
{
    size_t found = 0;
    if (t->pairs > 0) qsort(t->pair, t->pairs, sizeof *t->pair, by_token);
    for (size_t i = 1; i < t->pairs; i++)
        if (t->pair[i].token == t->pair[i - 1].token)
            return f2l_fail(err, F2L_EFORMAT, "token %zu has two letters: '%.100s' and '%.100s'",
                            t->pair[i].token, f2l_names_get(letters, t->pair[i - 1].letter),
                            f2l_names_get(letters, t->pair[i].letter));
    if (t->pairs > 0) qsort(t->pair, t->pairs, sizeof *t->pair, by_letter);
    for (size_t i = 0; i < t->pairs && t->pair[i].letter <= found; i++)
        if (t->pair[i].letter == found) found++;
    return found == letters->count ? F2L_OK
                                   : f2l_fail(err, F2L_EFORMAT, "the letter '%.100s' has no token",
                                              f2l_names_get(letters, found));
}

static f2l_status read_token_line(f2l_letter_tokens *out, const f2l_lex *lex,
                                  const f2l_names *letters, size_t vocab, f2l_error *err)
{
    const f2l_token *name = lex->token;
    size_t token;
    if (lex->count != 2)
        return f2l_fail_at(err, lex->line, name->column, "expected `LETTER TOKEN-NUMBER`");
    const size_t letter = f2l_names_find(letters, name->text, name->size);
    if (letter == F2L_NO_INDEX)
        return f2l_fail_at(err, lex->line, name->column, "'%.*s' is no letter of the network",
                           name->size < 100 ? (int)name->size : 100, name->text);
    const f2l_status status = f2l_token_size(
        lex, &lex->token[1], vocab - 1, "the number of a token, below vocab_size,", &token, err);
    return status == F2L_OK ? add_letter_token(out, letter, token, err) : status;
}

f2l_status f2l_letter_tokens_read(f2l_letter_tokens *out, const f2l_names *letters, size_t vocab,
                                  const f2l_buf *text, f2l_error *err)
{
    f2l_lex lex;
    bool more = true;
    out->from = F2L_TOKENS_FILE;
    f2l_lex_init(&lex, text->data, text->size);
    f2l_status status = f2l_lex_line(&lex, &more, err);
    while (status == F2L_OK && more) {
        status = read_token_line(out, &lex, letters, vocab, err);
        if (status == F2L_OK) status = f2l_lex_line(&lex, &more, err);
    }
    f2l_lex_clear(&lex);
    return status == F2L_OK ? check_letter_tokens(out, letters, err) : status;
}

/* --- the tokenizer's own tokens --- */

/* Returns the number of the token, or F2L_NO_INDEX: of a list of tokens with scores, its place. */
static size_t in_vocabulary(const json_t *vocabulary, const char *name)
{
    const json_t *number = json_object_get(vocabulary, name);
    if (json_is_integer(number) && json_integer_value(number) >= 0)
        return (size_t)json_integer_value(number);
    for (size_t i = 0; i < json_array_size(vocabulary); i++) {
        const char *text = json_string_value(json_array_get(json_array_get(vocabulary, i), 0));
        if (text && strcmp(text, name) == 0) return i;
    }
    return F2L_NO_INDEX;
}

static size_t among_added(const json_t *added, const char *name)
{
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *one = json_array_get(added, i), *number = json_object_get(one, "id");
        const char *text = json_string_value(json_object_get(one, "content"));
        if (text && strcmp(text, name) == 0 && json_is_integer(number) &&
            json_integer_value(number) >= 0)
            return (size_t)json_integer_value(number);
    }
    return F2L_NO_INDEX;
}

/* Adds the letters' tokens; *all says whether every letter is one. */
static f2l_status look_up_vocabulary(f2l_letter_tokens *out, const f2l_names *letters,
                                     const json_t *json, bool *all, f2l_error *err)
{
    const json_t *model = json_object_get(json, "model");
    const json_t *vocabulary = model ? json_object_get(model, "vocab") : json;
    f2l_status status = F2L_OK;
    *all = true;
    for (size_t i = 0; status == F2L_OK && *all && i < letters->count; i++) {
        const char *name = f2l_names_get(letters, i);
        size_t token = among_added(json_object_get(json, "added_tokens"), name);
        if (token == F2L_NO_INDEX) token = in_vocabulary(vocabulary, name);
        *all = token != F2L_NO_INDEX;
        if (*all) status = add_letter_token(out, i, token, err);
    }
    return status;
}

static f2l_status add_numbers(f2l_letter_tokens *out, const f2l_names *letters, f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->pairs = 0;
    out->from = F2L_TOKENS_NUMBERS;
    for (size_t i = 0; status == F2L_OK && i < letters->count; i++)
        status = add_letter_token(out, i, i, err);
    return status;
}

f2l_status f2l_letter_tokens_find(f2l_letter_tokens *out, const f2l_names *letters,
                                  const f2l_base_model *c, f2l_error *err)
{
    static const char *const known[] = {"tokenizer.json", "vocab.json", NULL};
    f2l_status status = F2L_OK;
    bool all = false;
    for (size_t i = 0; status == F2L_OK && !all && known[i]; i++) {
        json_t *json;
        if (!f2l_base_model_has(c, known[i])) continue;
        out->pairs = 0;
        status = f2l_base_model_json(&json, c, known[i], err);
        if (status == F2L_OK) status = look_up_vocabulary(out, letters, json, &all, err);
        json_decref(json);
    }
    out->from = F2L_TOKENS_TOKENIZER;
    if (status == F2L_OK && !all) status = add_numbers(out, letters, err);
    for (size_t i = 0; status == F2L_OK && i < out->pairs; i++)
        if (out->pair[i].token >= c->vocab)
            status =
                f2l_fail(err, F2L_EDOMAIN,
                         "the letter '%.100s' is token %zu, and the model has %zu: --tokens "
                         "FILE says which tokens are letters",
                         f2l_names_get(letters, out->pair[i].letter), out->pair[i].token, c->vocab);
    return status == F2L_OK ? check_letter_tokens(out, letters, err) : status;
}
