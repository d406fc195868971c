/* FLaRe: main.tok has a word on each line, letters separated by blanks, labels.txt has 0 or 1 for
 * each word (1: it is in the language), and next-symbols.jsonl has a line for each word of the
 * language: a list of {"s": "a b", "e": true}, one before each letter and one at the end, of the
 * letters that may follow and whether the word may end there. */
#include "models/learn/words/impl.h"
#include <jansson.h>
#include <string.h>

enum { WORDS, LABELS, NEXT };

typedef enum kind { LAST, PREFIXES, SETS } kind;

static f2l_status next_flare_line(f2l_word_reader *r, size_t file, f2l_word_file_span *line,
                                  bool *more, f2l_error *err)
{
    r->at_file = file;
    const f2l_status status =
        f2l_word_lines_next(r->file[file], &line->text, &line->size, more, err);
    line->line = r->file[file]->number;
    line->column = 1;
    return status;
}

/* Sets *positive to the label of the next word. */
static f2l_status next_label(bool *positive, f2l_word_file_span *at, f2l_word_reader *r,
                             f2l_error *err)
{
    bool more;
    f2l_word_file_span line;
    f2l_status status = next_flare_line(r, LABELS, &line, &more, err);
    if (status != F2L_OK) return status;
    if (!more)
        return f2l_fail_at(err, line.line + 1, 1, "the label of word %zu is missing",
                           r->file[WORDS]->number);
    if (!f2l_word_file_part(at, &line) || at->size != 1 || (*at->text != '0' && *at->text != '1'))
        return f2l_fail_at(err, at->line, at->column, "0 or 1 is expected");
    *positive = *at->text == '1';
    return F2L_OK;
}

/* --- next symbols --- */

/* Puts the label of a position, "a b" or "a b $", or whether the word may end there. */
static f2l_status put_position(f2l_buf *name, const json_t *value, kind what, size_t line,
                               f2l_error *err)
{
    const json_t *symbols = json_object_get(value, "s"), *end = json_object_get(value, "e");
    if (!json_is_string(symbols) || !json_is_boolean(end))
        return f2l_fail_at(err, line, 1,
                           "a list of {\"s\": \"LETTERS\", \"e\": true or false} is expected");
    name->size = 0;
    if (what == PREFIXES) {
        f2l_buf_text(name, json_is_true(end) ? "accept" : "reject");
    } else {
        f2l_buf_text(name, json_string_value(symbols));
        if (json_is_true(end)) f2l_buf_text(name, name->size > 0 ? " $" : "$");
    }
    return f2l_buf_status(name, err);
}

static f2l_status label_positions(f2l_word_reader *r, const json_t *list, kind what, size_t line,
                                  f2l_error *err)
{
    const size_t letters = f2l_word_list_open(r->words);
    f2l_buf name;
    f2l_status status = F2L_OK;
    if (!json_is_array(list) || json_array_size(list) != letters + 1)
        return f2l_fail_at(err, line, 1,
                           "a list of %zu sets is expected, for a word of %zu letters", letters + 1,
                           letters);
    f2l_buf_init(&name);
    for (size_t at = 0; at < letters && status == F2L_OK; at++) {
        status = put_position(&name, json_array_get(list, at + 1), what, line, err);
        if (status == F2L_OK)
            status = f2l_word_reader_label(
                r, at, (f2l_word_file_span){name.data ? name.data : "", name.size, line, 1}, err);
    }
    f2l_buf_clear(&name);
    return status;
}

static f2l_status read_positions(f2l_word_reader *r, kind what, f2l_error *err)
{
    bool more;
    json_error_t why;
    f2l_word_file_span line;
    f2l_status status = next_flare_line(r, NEXT, &line, &more, err);
    if (status != F2L_OK) return status;
    if (!more)
        return f2l_fail_at(err, line.line + 1, 1, "the next symbols of word %zu are missing",
                           r->file[WORDS]->number);
    json_t *list = json_loadb(line.text, line.size, JSON_REJECT_DUPLICATES, &why);
    if (list == NULL)
        return f2l_fail_at(err, line.line, why.column > 0 ? (size_t)why.column : 1,
                           "this is no JSON: %s", why.text);
    status = label_positions(r, list, what, line.line, err);
    json_decref(list);
    return status;
}

/* --- words --- */

static f2l_status read_flare_word(f2l_word_reader *r, f2l_word_file_span word, kind what,
                                  f2l_error *err)
{
    bool positive = false;
    f2l_word_file_span label = {0};
    f2l_status status = f2l_word_reader_letters(r, word, err);
    if (status == F2L_OK) status = next_label(&positive, &label, r, err);
    const size_t letters = f2l_word_list_open(r->words);
    if (status == F2L_OK && positive && what != LAST) {
        status = read_positions(r, what, err);
    } else if (status == F2L_OK && what == SETS) {
        f2l_word_reader_drop(r);
        return F2L_OK;
    } else if (status == F2L_OK && letters > 0) {
        label.text = positive ? "accept" : "reject";
        label.size = strlen(label.text);
        status = f2l_word_reader_label(r, letters - 1, label, err);
    }
    return status == F2L_OK ? f2l_word_reader_end(r, err) : status;
}

/* Refuses what follows the last word's line. */
static f2l_status check_flare_end(f2l_word_reader *r, size_t file, f2l_error *err)
{
    bool more;
    f2l_word_file_span line;
    const f2l_status status = next_flare_line(r, file, &line, &more, err);
    if (status != F2L_OK || !more) return status;
    return f2l_fail_at(err, line.line, 1, "there are more lines than words");
}

static f2l_status read_flare(f2l_word_reader *r, kind what, f2l_error *err)
{
    bool more = true;
    f2l_status status = F2L_OK;
    while (status == F2L_OK) {
        f2l_word_file_span word;
        status = next_flare_line(r, WORDS, &word, &more, err);
        if (status != F2L_OK || !more) break;
        status = read_flare_word(r, word, what, err);
    }
    if (status == F2L_OK) status = check_flare_end(r, LABELS, err);
    if (status == F2L_OK && what != LAST) status = check_flare_end(r, NEXT, err);
    return status;
}

f2l_status f2l_word_read_flare(f2l_word_reader *r, f2l_error *err)
{
    return read_flare(r, LAST, err);
}

f2l_status f2l_word_read_flare_prefix(f2l_word_reader *r, f2l_error *err)
{
    return read_flare(r, PREFIXES, err);
}

f2l_status f2l_word_read_flare_next(f2l_word_reader *r, f2l_error *err)
{
    return read_flare(r, SETS, err);
}
