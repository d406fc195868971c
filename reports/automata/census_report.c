#include "reports/automata/census_report.h"
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include <string.h>

/* --- the table --- */

static const char *const one_code[] = {"none", "state", "step", "before", "open"};
#define DECODERS (sizeof one_code / sizeof *one_code)

/* The columns that are numbers; figures of the network are empty where there is no network. */
typedef struct column {
    const char *name;
    size_t offset;
    bool always;
} column;

#define FIGURE(name) offsetof(f2l_census_row, figures) + offsetof(f2l_compile_figures, name)
static const column number[] = {
    {"least_householders", offsetof(f2l_census_row, least_householders), true},
    {"layers", FIGURE(layers), false},
    {"heads", FIGURE(heads), false},
    {"householders", FIGURE(householders), false},
    {"key_dim", FIGURE(key_dim), false},
    {"value_dim", FIGURE(value_dim), false},
    {"state_numbers", FIGURE(states), false},
    {"factors_per_token", FIGURE(factors_per_token), false}};
#define NUMBERS (sizeof number / sizeof *number)

static size_t *find_row_number(f2l_census_row *row, const column *c)
{
    return (size_t *)(void *)((char *)row + c->offset);
}

void f2l_census_heading(f2l_buf *out)
{
    f2l_buf_text(
        out, "automaton,layers_at_least,by,layers_enough,enough_by,one_code_decoder,construction");
    for (size_t i = 0; i < NUMBERS; i++) f2l_buf_printf(out, ",%s", number[i].name);
    f2l_buf_text(out, "\n");
}

void f2l_census_line(f2l_buf *out, const f2l_census_row *row)
{
    f2l_census_row copy = *row;
    f2l_buf_printf(out, "%s,%zu,%s,", row->name, row->layers_at_least, row->by);
    if (row->layers_enough) f2l_buf_size(out, row->layers_enough);
    f2l_buf_printf(out, ",%s,%s,%s", row->enough_by, one_code[row->one_code], row->construction);
    for (size_t i = 0; i < NUMBERS; i++) {
        f2l_buf_text(out, ",");
        if (number[i].always || row->construction[0])
            f2l_buf_size(out, *find_row_number(&copy, &number[i]));
    }
    f2l_buf_text(out, "\n");
}

/* --- reading it --- */

/* A place in the text of a table. */
typedef struct cursor {
    const char *text, *end;
    size_t line;
    const char *begin; /* of the line */
} cursor;

static f2l_status fail_in_census(const cursor *c, const char *what, f2l_error *err)
{
    const size_t column_number = (size_t)(c->text - c->begin) + 1;
    return f2l_fail_at(err, c->line, column_number, "%s", what);
}

/* Sets [*field, +*size) to the field and goes behind the sign that ends it, which must be `last`.
 */
static bool take_census_field(cursor *c, const char **field, size_t *size, char last)
{
    *field = c->text;
    *size = 0;
    while (c->text + *size < c->end && !strchr(",\n", c->text[*size])) ++*size;
    if (c->text + *size >= c->end || c->text[*size] != last) return false;
    c->text += *size + 1;
    return true;
}

/* Copies a field of letters, digits and points that is shorter than `room`. */
static bool copy_word(char *out, size_t room, const char *field, size_t size)
{
    if (size >= room) return false;
    for (size_t i = 0; i < size; i++) {
        const char x = field[i];
        const bool plain = (x >= 'A' && x <= 'Z') || (x >= 'a' && x <= 'z') ||
                           (x >= '0' && x <= '9') || x == '.' || x == '-';
        if (!plain) return false;
    }
    memcpy(out, field, size);
    out[size] = '\0';
    return true;
}

/* Reads a number without leading zeros of at most nine digits. */
static bool read_census_number(size_t *out, const char *field, size_t size)
{
    if (size < 1 || size > 9 || (field[0] == '0' && size > 1)) return false;
    *out = 0;
    for (size_t i = 0; i < size; i++) {
        if (field[i] < '0' || field[i] > '9') return false;
        *out = *out * 10 + (size_t)(field[i] - '0');
    }
    return true;
}

static bool read_one_code(f2l_one_code *out, const char *field, size_t size)
{
    for (size_t i = 0; i < DECODERS; i++)
        if (size == strlen(one_code[i]) && memcmp(field, one_code[i], size) == 0) {
            *out = (f2l_one_code)i;
            return true;
        }
    return false;
}

/* Reads the numbers of a line, to its end. */
static f2l_status read_census_numbers(f2l_census_row *row, cursor *c, f2l_error *err)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        const cursor before = *c;
        const char *field;
        size_t size;
        if (!take_census_field(c, &field, &size, i + 1 < NUMBERS ? ',' : '\n'))
            return fail_in_census(&before, "the next column or the end of the line is expected",
                                  err);
        if (!number[i].always && !row->construction[0]) {
            if (size > 0) return fail_in_census(&before, "a figure without a construction", err);
        } else if (!read_census_number(find_row_number(row, &number[i]), field, size)) {
            return fail_in_census(&before, "a number is expected", err);
        }
    }
    return F2L_OK;
}

/* Reads the columns layers_at_least, by, layers_enough and enough_by; the last two are both empty
 * or none. */
static f2l_status read_layer_bounds(f2l_census_row *row, cursor *c, f2l_error *err)
{
    const char *field;
    size_t size;
    cursor before = *c;
    if (!take_census_field(c, &field, &size, ',') ||
        !read_census_number(&row->layers_at_least, field, size))
        return fail_in_census(&before, "a number of layers is expected", err);
    before = *c;
    if (!take_census_field(c, &field, &size, ',') ||
        !copy_word(row->by, sizeof row->by, field, size))
        return fail_in_census(&before, "the number of a statement is expected", err);
    before = *c;
    if (!take_census_field(c, &field, &size, ',') ||
        (size > 0 && (!read_census_number(&row->layers_enough, field, size) ||
                      row->layers_enough < row->layers_at_least)))
        return fail_in_census(&before, "nothing or a number of layers that are enough is expected",
                              err);
    before = *c;
    if (!take_census_field(c, &field, &size, ',') ||
        !copy_word(row->enough_by, sizeof row->enough_by, field, size) ||
        (size > 0) != (row->layers_enough > 0))
        return fail_in_census(&before,
                              "the statement that shows that the layers are enough is "
                              "expected",
                              err);
    return F2L_OK;
}

static f2l_status read_census_line(f2l_census_row *row, cursor *c, f2l_census *census,
                                   f2l_error *err)
{
    const char *field;
    size_t size;
    cursor before = *c;
    f2l_buf expected;
    *row = (f2l_census_row){0};
    f2l_buf_init(&expected);
    if (!f2l_census_next(census))
        return fail_in_census(c, "the list has no automaton after the last", err);
    f2l_census_name(&expected, census);
    f2l_status status = f2l_buf_status(&expected, err);
    const bool is_next = status == F2L_OK && take_census_field(c, &field, &size, ',') &&
                         size == expected.size && memcmp(field, expected.data, size) == 0;
    if (is_next) memcpy(row->name, expected.data, expected.size + 1);
    f2l_buf_clear(&expected);
    if (status != F2L_OK) return status;
    if (!is_next) return fail_in_census(&before, "the next automaton of the list is expected", err);
    status = read_layer_bounds(row, c, err);
    if (status != F2L_OK) return status;
    before = *c;
    if (!take_census_field(c, &field, &size, ',') || !read_one_code(&row->one_code, field, size))
        return fail_in_census(&before, "state, step, before, none or open is expected", err);
    before = *c;
    if (!take_census_field(c, &field, &size, ',') ||
        !copy_word(row->construction, sizeof row->construction, field, size))
        return fail_in_census(&before, "the name of a construction is expected", err);
    return read_census_numbers(row, c, err);
}

static f2l_status read_census_heading(cursor *c, f2l_error *err)
{
    f2l_buf heading;
    f2l_buf_init(&heading);
    f2l_census_heading(&heading);
    f2l_status status = f2l_buf_status(&heading, err);
    if (status == F2L_OK && ((size_t)(c->end - c->text) < heading.size ||
                             memcmp(c->text, heading.data, heading.size) != 0))
        status = fail_in_census(c, "the heading of a census is expected", err);
    c->text += heading.size;
    f2l_buf_clear(&heading);
    return status;
}

f2l_status f2l_census_read(f2l_census_row **out, size_t *rows, f2l_census *census, const char *text,
                           size_t size, f2l_error *err)
{
    cursor c = {.text = text, .end = text + size, .line = 1, .begin = text};
    size_t capacity = 0;
    *out = NULL;
    *rows = 0;
    f2l_status status = read_census_heading(&c, err);
    while (status == F2L_OK && c.text < c.end) {
        c.line++;
        c.begin = c.text;
        if (!f2l_grow((void **)out, &capacity, *rows, sizeof **out)) {
            status = f2l_fail_memory(err);
            break;
        }
        status = read_census_line(&(*out)[*rows], &c, census, err);
        ++*rows;
    }
    if (status == F2L_OK) return F2L_OK;
    f2l_free(*out);
    *out = NULL;
    *rows = 0;
    return status;
}

/* --- the summary --- */

#define MOST_LAYERS 8 /* more than any row has: a cascade has fewer layers than states */
#define MOST_ENOUGH 2 /* by OL and LL.2 */

/* Puts how many automata have these bounds on the layers, and how many of them have one layer with
 * one code for each state; 0: no network, and no statement that fewer are enough. */
static void say_layer_bounds(f2l_fact list, const f2l_census_report *r, size_t least, size_t most,
                             size_t enough)
{
    size_t automata = 0, codes[DECODERS] = {0};
    for (size_t i = 0; i < r->rows; i++) {
        const f2l_census_row *row = &r->row[i];
        const size_t layers = row->construction[0] ? row->figures.layers : 0;
        if (row->layers_at_least != least || layers != most || row->layers_enough != enough)
            continue;
        automata++;
        codes[row->one_code]++;
    }
    if (automata == 0) return;
    const f2l_fact bounds = f2l_say_object(list, NULL);
    f2l_say_count(bounds, "layers_at_least", least);
    f2l_say_known(bounds, "layers", most > 0, most);
    f2l_say_known(bounds, "layers_enough", enough > 0, enough);
    f2l_say_count(bounds, "census_automata", automata);
    f2l_say_count(bounds, "one_code_state", codes[F2L_ONE_CODE_STATE]);
    f2l_say_count(bounds, "one_code_step", codes[F2L_ONE_CODE_STEP]);
    f2l_say_count(bounds, "one_code_before", codes[F2L_ONE_CODE_BEFORE]);
    f2l_say_count(bounds, "one_code_none", codes[F2L_ONE_CODE_NONE]);
    f2l_say_count(bounds, "one_code_open", codes[F2L_ONE_CODE_OPEN]);
}

static void describe_census(f2l_fact out, const void *report)
{
    const f2l_census_report *r = report;
    size_t settled = 0, proved = 0;
    for (size_t i = 0; i < r->rows; i++) {
        settled += r->row[i].construction[0] != '\0' &&
                   r->row[i].layers_at_least == r->row[i].figures.layers;
        proved += r->row[i].layers_at_least == r->row[i].layers_enough;
    }
    f2l_say_count(out, "states", r->states);
    f2l_say_count(out, "letters", r->letters);
    f2l_say_count(out, "census_automata", r->automata);
    f2l_say_count(out, "searched_automata", r->rows);
    f2l_say_count(out, "settled_automata", settled);
    f2l_say_count(out, "proved_automata", proved);
    const f2l_fact list = f2l_say_list(out, "layer_bounds");
    for (size_t least = 1; least <= MOST_LAYERS; least++)
        for (size_t enough = 0; enough <= MOST_ENOUGH; enough++)
            for (size_t most = 0; most <= MOST_LAYERS; most++)
                say_layer_bounds(list, r, least, most, enough);
}

static void lay_census(f2l_buf *out, f2l_fact from)
{
    const f2l_fact list = f2l_get(from, "layer_bounds");
    f2l_layout(
        out, from,
        "{census_automata automaton/automata} of {states state} and {letters letter}, up to names: "
        "{searched_automata} searched, {settled_automata} with the least number of "
        "layers{proved_automata?, {proved_automata} more for which it is known}\n");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact bounds = f2l_get_item(list, i);
        const uint64_t least = f2l_get_count(bounds, "layers_at_least");
        if (f2l_is_known(bounds, "layers_enough"))
            f2l_layout(out, bounds,
                       f2l_get_count(bounds, "layers_enough") == least
                           ? "exactly {layers_at_least layer} by a theorem, no network built"
                           : "at least {layers_at_least}, at most {layers_enough layer} by a "
                             "theorem, no network built");
        else if (!f2l_is_known(bounds, "layers"))
            f2l_layout(out, bounds, "at least {layers_at_least}, no network");
        else if (f2l_get_count(bounds, "layers") == least)
            f2l_layout(out, bounds, "exactly {layers_at_least layer}");
        else
            f2l_layout(out, bounds, "at least {layers_at_least}, at most {layers layer}");
        f2l_layout(
            out, bounds,
            ": {census_automata automaton/automata}; one layer with one code for each state: "
            "decoder state {one_code_state}, step {one_code_step}, before {one_code_before}, none "
            "{one_code_none}, open {one_code_open}\n");
    }
}

const f2l_report_kind f2l_census_report_kind = {
    .name = "census", .describe = describe_census, .lay = lay_census, .style = {.digits = 17}};
