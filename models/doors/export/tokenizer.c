/* A tokenizer for the library `tokenizers`, whose tokens are the letters of a stock model. Words
 * are written as `run` reads them: letters between blanks, or run together where every letter is
 * one character. An unknown letter has no token, and the library refuses it. */
#include "models/doors/export/impl.h"
#include "numeric/json/json.h"
#include <string.h>

/* Names with a blank, which no letter has outside of quotes: the prefix's tokens cannot be written
 * in a word, and no token is named like the one that stands for all others. */
#define BEGIN "begin "
#define UNKNOWN "unknown letter"
#define QUOTED "\\\"(?:[^\\\"\\\\\\\\]|\\\\\\\\.)*\\\"|"

/* Returns whether every letter is one character, so that a word may be written without blanks. */
static bool are_characters(const f2l_names *letters)
{
    for (size_t a = 0; a < letters->count; a++)
        if (!f2l_utf8_is_character(f2l_names_get(letters, a))) return false;
    return true;
}

/* Appends a letter as a word spells it: a word of the grammar of .fsa needs no quotes there. */
static void spell_letter(f2l_buf *out, const char *name)
{
    if (f2l_name_is_plain(name))
        f2l_buf_text(out, name);
    else
        f2l_buf_name(out, name);
}

/* Appends a member for each letter, as a word spells it, and its number. */
static void add_letters(f2l_buf *out, const f2l_names *letters)
{
    f2l_buf name;
    f2l_buf_init(&name);
    for (size_t a = 0; a < letters->count; a++) {
        name.size = 0;
        spell_letter(&name, f2l_names_get(letters, a));
        out->failed = out->failed || name.failed;
        f2l_buf_text(out, a ? ", " : "");
        f2l_json_text(out, name.data ? name.data : "");
        f2l_buf_printf(out, ": %zu", a);
    }
    f2l_buf_clear(&name);
}

/* Appends the names of the prefix's tokens, or their numbers. */
static void add_prefix_list(f2l_buf *out, const json_t *prefix, bool names)
{
    for (size_t i = 0; i < json_array_size(prefix); i++)
        f2l_buf_printf(out, names ? "%s\"" BEGIN "%lld\"" : "%s%lld", i ? ", " : "",
                       (long long)json_integer_value(json_array_get(prefix, i)));
}

/* Appends a member for each token of the prefix; they follow the letters, each number once or, the
 * padding, at the beginning. */
static void add_prefix_tokens(f2l_buf *out, const json_t *prefix, json_int_t first)
{
    for (size_t i = 0; i < json_array_size(prefix); i++) {
        const json_int_t token = json_integer_value(json_array_get(prefix, i));
        if (token < first) continue;
        f2l_buf_printf(out, ", \"" BEGIN "%lld\": %lld", (long long)token, (long long)token);
        first = token + 1;
    }
}

static void add_tokenizer_json(f2l_buf *out, const f2l_names *letters, const json_t *prefix)
{
    f2l_buf_printf(out,
                   "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n"
                   "  \"added_tokens\": [],\n  \"normalizer\": null,\n"
                   "  \"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": {\"Regex\": \"" QUOTED
                   "[^ \\\\t\\\\r\\\\n]%s\"},\n"
                   "    \"behavior\": \"Removed\", \"invert\": true},\n"
                   "  \"post_processor\": {\"type\": \"TemplateProcessing\",\n"
                   "    \"single\": [{\"SpecialToken\": {\"id\": \"begin\", \"type_id\": 0}},\n"
                   "      {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}],\n"
                   "    \"pair\": [{\"SpecialToken\": {\"id\": \"begin\", \"type_id\": 0}},\n"
                   "      {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}},\n"
                   "      {\"Sequence\": {\"id\": \"B\", \"type_id\": 0}}],\n"
                   "    \"special_tokens\": {\"begin\": {\"id\": \"begin\", \"ids\": [",
                   are_characters(letters) ? "" : "+");
    add_prefix_list(out, prefix, false);
    f2l_buf_text(out, "],\n      \"tokens\": [");
    add_prefix_list(out, prefix, true);
    f2l_buf_text(out, "]}}},\n  \"decoder\": null,\n  \"model\": {\"type\": \"WordLevel\", "
                      "\"unk_token\": \"" UNKNOWN "\", \"vocab\": {");
    add_letters(out, letters);
    add_prefix_tokens(out, prefix, (json_int_t)letters->count);
    f2l_buf_text(out, "}}\n}\n");
}

#define CONFIG \
    "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n" \
    "  \"model_input_names\": [\"input_ids\", \"attention_mask\"],\n" \
    "  \"clean_up_tokenization_spaces\": false\n}\n"

/* Returns the prefix of the model, owned by the caller; NULL where it has none. */
static json_t *read_prefix(f2l_status *status, const f2l_exported *model, f2l_error *err)
{
    for (size_t i = 0; i < model->files; i++)
        if (strcmp(model->file[i].name, "prefix.json") == 0)
            return f2l_json_load(status, model->file[i].bytes.data, model->file[i].bytes.size,
                                 "prefix.json", err);
    *status = f2l_fail(err, F2L_EDOMAIN, "the target has no tokens, so no tokenizer");
    return NULL;
}

f2l_status f2l_export_tokenizer(f2l_exported *out, const f2l_exported *model,
                                const f2l_names *letters, f2l_error *err)
{
    f2l_buf tokenizer, config;
    f2l_buf_init(&tokenizer);
    f2l_buf_init(&config);
    f2l_status status = F2L_OK;
    json_t *prefix = read_prefix(&status, model, err);
    if (status == F2L_OK) {
        add_tokenizer_json(&tokenizer, letters, prefix);
        f2l_buf_text(&config, CONFIG);
        status = f2l_exported_add(out, "tokenizer.json", &tokenizer, err);
    }
    if (status == F2L_OK) status = f2l_exported_add(out, "tokenizer_config.json", &config, err);
    json_decref(prefix);
    f2l_buf_clear(&tokenizer);
    f2l_buf_clear(&config);
    return status;
}
