/* Schedules as text: the name of a row and the settings in which a schedule differs from it. */
#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value between two commas of the text. */
typedef struct value {
    const char *text;
    size_t size;
} value;

/* The settings whose values are words. */
enum { SUM, FUSE, WORK, BLOCK, READ, KEYS, BETA, DECAY, DECODE, NORM, SQUARES, WORDS };

/* One setting: the values of setting number `word` are `words`, or else write appends its value to
 * the text, and read returns false when the value is not one of it. The message says what was
 * expected. */
typedef struct setting {
    const char *name;
    const char *expected;
    const char *const *words; /* NULL-terminated */
    int word;
    bool (*read)(f2l_schedule *out, value v);
    void (*write)(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule);
} setting;

static bool value_is(value v, const char *word)
{
    return strlen(word) == v.size && memcmp(word, v.text, v.size) == 0;
}

/* Sets *out to the index of the value among the words, NULL-terminated. */
static bool read_setting_value(int *out, value v, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (value_is(v, words[i])) {
            *out = i;
            return true;
        }
    return false;
}

/* Removes `tail` from the end of the value if it is there. */
static bool take_tail(value *v, const char *tail)
{
    const size_t size = strlen(tail);
    if (v->size < size || memcmp(v->text + v->size - size, tail, size) != 0) return false;
    v->size -= size;
    return true;
}

/* Sets *out to the table's name of a format. */
static bool read_store_format(const char **out, value v)
{
    char name[32];
    if (v.size >= sizeof name) return false;
    memcpy(name, v.text, v.size);
    name[v.size] = '\0';
    const f2l_format *format = f2l_store_format(name);
    if (!format) return false;
    *out = format->name;
    return true;
}

static void append_to_name(char out[F2L_SCHEDULE_NAME], const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, F2L_SCHEDULE_NAME - used, "%s", text);
}

static const char *const sums[] = {"left", "halves", NULL};
static const char *const fusions[] = {"none", "sum", "update", "both", NULL};
static const char *const widths[] = {"format", "fp32", NULL};
static const char *const scales[] = {"none", "amax", "pow2", NULL};
static const char *const blocks[] = {"row", "head", NULL};
static const char *const residuals[] = {"none", "load", "feedback", NULL};
static const char *const readings[] = {"stored", "unstored", NULL};
static const char *const norms[] = {"reciprocal", "quotient", "rsqrt", "outside",
                                    "max",        "rms",      NULL};
static const char *const decoders[] = {"nearest", "linear", NULL};

/* Sets word[] to the index of each setting's value among its words. */
static void get_words(int word[WORDS], const f2l_schedule *schedule)
{
    const f2l_schedule_order *order = &schedule->order;
    word[SUM] = (int)order->sum;
    word[FUSE] = order->fused_sum + 2 * order->fused_update;
    word[WORK] = (int)schedule->work;
    word[BLOCK] = (int)schedule->store.block;
    word[READ] = schedule->read_unstored;
    word[KEYS] = schedule->wide_keys;
    word[BETA] = schedule->wide_beta;
    word[DECAY] = schedule->wide_gate;
    word[DECODE] = (int)schedule->decode;
    word[NORM] = (int)schedule->norm;
    word[SQUARES] = schedule->halved_squares;
}

/* Sets the settings from word[]. */
static void set_schedule_words(f2l_schedule *out, const int word[WORDS])
{
    out->order = (f2l_schedule_order){(f2l_sum_order)word[SUM], (word[FUSE] & 1) != 0,
                                      (word[FUSE] & 2) != 0};
    out->work = (f2l_schedule_width)word[WORK];
    out->store.block = (f2l_scale_block)word[BLOCK];
    out->read_unstored = word[READ] == 1;
    out->wide_keys = word[KEYS] == 1;
    out->wide_beta = word[BETA] == 1;
    out->wide_gate = word[DECAY] == 1;
    out->decode = (f2l_decode)word[DECODE];
    out->norm = (f2l_norm)word[NORM];
    out->halved_squares = word[SQUARES] == 1;
}

static bool read_operands(f2l_schedule *out, value v)
{
    out->operands = NULL;
    return value_is(v, "none") || read_store_format(&out->operands, v);
}

static void write_operands(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    append_to_name(out, schedule->operands ? schedule->operands : "none");
}

/* "fp32" is a width, which has one spelling. */
static bool read_state(f2l_schedule *out, value v)
{
    int i;
    const bool stochastic = take_tail(&v, ":stochastic");
    out->store.stochastic = stochastic;
    out->store.format = NULL;
    if (!stochastic && read_setting_value(&i, v, widths)) {
        out->state = (f2l_schedule_width)i;
        return true;
    }
    out->state = F2L_WIDTH_FP32;
    return read_store_format(&out->store.format, v);
}

static void write_store_state(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    const f2l_schedule_store *store = &schedule->store;
    append_to_name(out, store->format ? store->format : widths[schedule->state]);
    if (store->stochastic) append_to_name(out, ":stochastic");
}

static bool read_store_letters(f2l_schedule *out, value v)
{
    unsigned letters = 0;
    for (size_t i = 0; i < v.size; i++) {
        if (v.text[i] < '0' || v.text[i] > '9' || letters > F2L_STORE_LETTERS) return false;
        letters = 10 * letters + (unsigned)(v.text[i] - '0');
    }
    out->store.letters = letters;
    return letters >= 1 && letters <= F2L_STORE_LETTERS;
}

static void write_store_letters(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    char text[16];
    snprintf(text, sizeof text, "%u", schedule->store.letters);
    append_to_name(out, text);
}

/* Reads a word of `words`, and after a colon a format, which fp32 leaves unsaid. */
static bool read_word_and_format(int *word, const char **format, value v, const char *const *words)
{
    const char *colon = memchr(v.text, ':', v.size);
    const value kind = {v.text, colon ? (size_t)(colon - v.text) : v.size};
    *format = NULL;
    if (!read_setting_value(word, kind, words) || (colon && *word == 0)) return false;
    if (!colon) return true;
    const value name = {colon + 1, v.size - kind.size - 1};
    if (!read_store_format(format, name)) return false;
    if (strcmp(*format, "fp32") == 0) *format = NULL;
    return true;
}

static bool read_scale(f2l_schedule *out, value v)
{
    int i;
    const char *format;
    if (!read_word_and_format(&i, &format, v, scales)) return false;
    const bool colon = memchr(v.text, ':', v.size) != NULL;
    if (colon && (i != F2L_SCALE_AMAX || (format && f2l_store_is_integer(format)))) return false;
    out->store.scale = (f2l_scale)i;
    out->store.scale_format = format;
    return true;
}

static void write_scale(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    append_to_name(out, scales[schedule->store.scale]);
    if (!schedule->store.scale_format) return;
    append_to_name(out, ":");
    append_to_name(out, schedule->store.scale_format);
}

static bool read_residual(f2l_schedule *out, value v)
{
    int i;
    if (!read_word_and_format(&i, &out->store.residual_format, v, residuals)) return false;
    out->store.residual = (f2l_residual)i;
    return true;
}

static void write_residual(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    append_to_name(out, residuals[schedule->store.residual]);
    if (!schedule->store.residual_format) return;
    append_to_name(out, ":");
    append_to_name(out, schedule->store.residual_format);
}

/* Reads a number from 0 to the largest of fp32 in decimal digits: only an exponent may have a
 * sign. */
static bool read_raw_number(double *out, value v)
{
    char copy[32], *end;
    if (v.size == 0 || v.size >= sizeof copy || !strchr("0123456789", v.text[0])) return false;
    for (size_t i = 0; i < v.size; i++)
        if (v.text[i] == '\0' || !strchr("0123456789.e+-", v.text[i])) return false;
    memcpy(copy, v.text, v.size);
    copy[v.size] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite((float)*out);
}

/* Writes the fewest digits that read back as the same number. */
static void write_shortest_number(char out[32], double x)
{
    int digits = 1;
    do snprintf(out, 32, "%.*g", digits, x);
    while (strtod(out, NULL) != x && ++digits <= 17);
}

static bool read_eps(f2l_schedule *out, value v)
{
    return read_raw_number(&out->eps, v);
}

static void write_eps(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    char text[32];
    write_shortest_number(text, schedule->eps);
    append_to_name(out, text);
}

static bool read_raw(f2l_schedule *out, value v)
{
    return read_raw_number(&out->raw, v) && (float)out->raw > 0;
}

static void write_raw(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    char text[32];
    write_shortest_number(text, schedule->raw);
    append_to_name(out, text);
}

#define STORE_FORMATS "bf16, fp16, fp32, tf32, e4m3, e5m2, int4, int8 or int16"

/* In the order of the canonical spelling. */
static const setting settings[] = {
    {"sum", "left or halves", sums, SUM, NULL, NULL},
    {"fuse", "none, sum, update or both", fusions, FUSE, NULL, NULL},
    {"work", "format or fp32", widths, WORK, NULL, NULL},
    {"operands", "none, " STORE_FORMATS, NULL, 0, read_operands, write_operands},
    {"state", "format, " STORE_FORMATS ", or one of these with :stochastic", NULL, 0, read_state,
     write_store_state},
    {"letters", "a number of letters from 1 to 4096", NULL, 0, read_store_letters,
     write_store_letters},
    {"scale", "none, amax or pow2, or amax:F, F being bf16, fp16, tf32, fp32, e4m3 or e5m2", NULL,
     0, read_scale, write_scale},
    {"block", "row or head", blocks, BLOCK, NULL, NULL},
    {"residual", "none, load or feedback, the last two perhaps with :F, F being " STORE_FORMATS,
     NULL, 0, read_residual, write_residual},
    {"read", "stored or unstored", readings, READ, NULL, NULL},
    {"keys", "format or fp32", widths, KEYS, NULL, NULL},
    {"beta", "format or fp32", widths, BETA, NULL, NULL},
    {"decay", "format or fp32", widths, DECAY, NULL, NULL},
    {"decode", "nearest or linear", decoders, DECODE, NULL, NULL},
    {"norm", "reciprocal, quotient, rsqrt, outside, max or rms", norms, NORM, NULL, NULL},
    {"squares", "left or halves", sums, SQUARES, NULL, NULL},
    {"eps", "a non-negative number of fp32, in decimal digits", NULL, 0, read_eps, write_eps},
    {"raw", "a positive number of fp32, in decimal digits", NULL, 0, read_raw, write_raw}};

enum { SETTINGS = sizeof settings / sizeof settings[0], EPS = SETTINGS - 2, RAW = SETTINGS - 1 };
enum { FUSED = 1, STORED_LETTERS = 5, STORED_BLOCK = 7, RESIDUAL = 8, READING = 9, WIDE_KEYS = 10 };
enum { DECODED = 13, NORMED = 14, SQUARED = 15 };

static bool read_value(f2l_schedule *out, const setting *s, value v)
{
    int word[WORDS];
    if (!s->words) return s->read(out, v);
    get_words(word, out);
    if (!read_setting_value(&word[s->word], v, s->words)) return false;
    set_schedule_words(out, word);
    return true;
}

static void write_setting(char out[F2L_SCHEDULE_NAME], size_t i, const f2l_schedule *schedule)
{
    int word[WORDS];
    const setting *s = &settings[i];
    append_to_name(out, s->name);
    append_to_name(out, "=");
    get_words(word, schedule);
    if (s->words)
        append_to_name(out, s->words[word[s->word]]);
    else
        s->write(out, schedule);
}

void f2l_schedule_write(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    char chunk[32];
    snprintf(out, F2L_SCHEDULE_NAME, "%s", schedule->exact_matrices ? "exact" : "rounded");
    snprintf(chunk, sizeof chunk, ",chunk=%u", schedule->chunk);
    append_to_name(out, chunk);
    for (size_t i = 0; i < SETTINGS; i++) {
        append_to_name(out, ",");
        write_setting(out, i, schedule);
    }
}

/* Returns the row whose name is the first `size` bytes. */
static const f2l_schedule *find_row(const char *text, size_t size)
{
    for (const f2l_schedule *row = f2l_schedules; row->name; row++)
        if (value_is((value){text, size}, row->name)) return row;
    return NULL;
}

/* Reads one setting, from..end - 1, whose first byte is at column `column`, which given[] keeps. */
static f2l_status read_setting(f2l_schedule *out, size_t given[SETTINGS], const char *from,
                               const char *end, size_t column, f2l_error *err)
{
    const size_t chunk_settings = DECODED; /* the only ones of chunk64 */
    for (size_t i = out->chunk ? chunk_settings : 0; i < SETTINGS; i++) {
        const size_t name = strlen(settings[i].name);
        if (strncmp(from, settings[i].name, name) != 0 || from[name] != '=') continue;
        if (given[i]) return f2l_fail_at(err, 1, column, "%s is given twice", settings[i].name);
        given[i] = column;
        const char *at = from + name + 1;
        if (read_value(out, &settings[i], (value){at, (size_t)(end - at)})) return F2L_OK;
        return f2l_fail_at(err, 1, column + name + 1, "expected %s", settings[i].expected);
    }
    if (out->chunk)
        return f2l_fail_at(err, 1, column,
                           "expected a setting: decode, norm, squares, eps or raw, and =");
    return f2l_fail_at(
        err, 1, column,
        "expected a setting: sum, fuse, work, operands, state, letters, scale, block, "
        "residual, read, keys, beta, decay, decode, norm, squares, eps or raw, and =");
}

/* Returns whether setting i is spelled differently in two schedules. */
static bool differs(size_t i, const f2l_schedule *made, const f2l_schedule *row)
{
    char one[F2L_SCHEDULE_NAME] = "", other[F2L_SCHEDULE_NAME] = "";
    write_setting(one, i, made);
    write_setting(other, i, row);
    return strcmp(one, other) != 0;
}

/* Returns why setting i does nothing in the schedule, or NULL. */
static const char *idle(size_t i, const f2l_schedule *s)
{
    const char *const residual = s->store.residual_format;
    switch (i) {
    case FUSED:
        return s->order.sum == F2L_SUM_HALVES && s->order.fused_sum
                   ? "sums by halves have no fused products: fuse is none or update with them"
                   : NULL;
    case STORED_LETTERS:
        return f2l_schedule_stores(s) ? NULL
                                      : "letters is for a state that is rounded when it is stored: "
                                        "state or scale is missing";
    case STORED_BLOCK:
        return s->store.scale ? NULL : "block is for scales: scale is missing";
    case RESIDUAL:
        return residual && f2l_store_is_integer(residual)
                   ? "residuals have no scale, and integers round an error below 1/2 to 0"
                   : NULL;
    case READING:
        return f2l_schedule_stores(s) || s->work == F2L_WIDTH_FP32
                   ? NULL
                   : "the numbers before the store are those after it: state is missing";
    case WIDE_KEYS:
        return s->eps < 0 ? "keys is for keys that are normalised: eps is missing" : NULL;
    case NORMED:
        return s->eps < 0 ? "norm is for keys that are normalised: eps is missing" : NULL;
    case SQUARED:
        return s->eps < 0 ? "squares is for keys that are normalised: eps is missing" : NULL;
    case RAW:
        return s->eps < 0 ? "raw is for keys that are normalised: eps is missing" : NULL;
    default:
        return NULL;
    }
}

/* Refuses a given setting that changes no step, at its column; one that repeats the row is kept. */
static f2l_status refuse_idle(const f2l_schedule *made, const f2l_schedule *row,
                              const size_t given[SETTINGS], f2l_error *err)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (!given[i] || (i != RAW && !differs(i, made, row))) continue;
        const char *const why = idle(i, made);
        if (why) return f2l_fail_at(err, 1, given[i], "%s", why);
    }
    return F2L_OK;
}

static void write_name(char name[F2L_SCHEDULE_NAME], const f2l_schedule *made,
                       const f2l_schedule *row)
{
    snprintf(name, F2L_SCHEDULE_NAME, "%s", row->name);
    for (size_t i = 0; i < SETTINGS; i++) {
        char text[F2L_SCHEDULE_NAME] = "";
        if (!differs(i, made, row) && (i != RAW || made->eps < 0)) continue;
        write_setting(text, i, made);
        append_to_name(name, ",");
        append_to_name(name, text);
    }
}

f2l_status f2l_schedule_parse(f2l_schedule *out, char name[F2L_SCHEDULE_NAME], const char *text,
                              f2l_error *err)
{
    const char *at = text + strcspn(text, ",");
    const f2l_schedule *row = find_row(text, (size_t)(at - text));
    if (!row) return f2l_fail_at(err, 1, 1, "there is no schedule of this name");
    f2l_schedule made = *row;
    size_t given[SETTINGS] = {0};
    if (*at == ',' && made.exact_matrices)
        return f2l_fail_at(err, 1, (size_t)(at - text) + 1, "cast has no settings");
    while (*at == ',') {
        const char *from = at + 1;
        at = from + strcspn(from, ",");
        f2l_status status = read_setting(&made, given, from, at, (size_t)(from - text) + 1, err);
        if (status != F2L_OK) return status;
    }
    f2l_status status = refuse_idle(&made, row, given, err);
    if (status != F2L_OK) return status;
    write_name(name, &made, row);
    made.name = name;
    *out = made;
    return F2L_OK;
}
