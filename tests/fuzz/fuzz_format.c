/* Formats and schedules from text, and arithmetic in the formats: the first line is read as both;
 * the bytes after it are an operation and three operands. A spelled format reads back as the same;
 * every fast operation gives MPFR's result, in any format. A text that begins with "engine" is the
 * file of one. */
#include "models/network/engines/engine.h"
#include "models/network/schedule/store.h"
#include "numeric/format/choices.h"
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 3, LONGEST = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) abort();
}

static void check_refusal(f2l_status status, const f2l_error *err, size_t size)
{
    must(status == F2L_EFORMAT && err->status == F2L_EFORMAT && err->text[0] != '\0');
    must(err->column >= 1 && err->column <= size + 1);
}

/* Returns whether two values are the same number; NaN has many encodings. */
static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_operation(f2l_format *f, const uint8_t *data)
{
    static f2l_choices fast, exact;
    double x[OPERANDS];
    const int operation = data[0] % 5;
    memcpy(x, data + 1, sizeof x);
    const f2l_rounding rounding = f->rounding;
    f->rounding = F2L_ROUND_NEAREST_EVEN; /* operands are values */
    for (int i = 0; i < OPERANDS; i++) {
        x[i] = f2l_format_round(f, x[i]);
        must(same(x[i], f2l_format_round(f, x[i])));
        must(isnan(x[i]) || isinf(x[i]) || fabs(x[i]) <= f->largest);
    }
    f->rounding = rounding;
    f2l_choices_restart(&fast);
    f2l_choices_restart(&exact);
    bool more;
    do {
        f->choices = &fast;
        const double a = operation == 4 ? f2l_format_fma(f, x[0], x[1], x[2])
                                        : f2l_format_op(f, (f2l_operation)operation, x[0], x[1]);
        f->choices = &exact;
        const double b = operation == 4
                             ? f2l_format_fma_mpfr(f, x[0], x[1], x[2])
                             : f2l_format_op_mpfr(f, (f2l_operation)operation, x[0], x[1]);
        must(same(a, b));
        more = f2l_choices_next(&fast);
        must(more == f2l_choices_next(&exact));
    } while (more);
    f->choices = NULL;
}

static void check_format(const char *text, const uint8_t *data, size_t size)
{
    f2l_format f, g;
    f2l_error err = {0};
    char name[F2L_FORMAT_NAME], again[F2L_FORMAT_NAME];
    const f2l_status status = f2l_format_parse(&f, name, text, &err);
    if (status != F2L_OK) {
        check_refusal(status, &err, strlen(text));
        return;
    }
    must(f.name == name && f2l_format_parse(&g, again, name, NULL) == F2L_OK &&
         strcmp(name, again) == 0);
    must(f2l_format_same_values(&f, &g) && f.overflow == g.overflow && f.rounding == g.rounding);
    must(f2l_format_contains(&f, &g) && f2l_format_contains(f2l_format_find("fp64"), &f));
    if (size >= 1 + OPERANDS * sizeof(double)) check_operation(&f, data);
}

/* Stores numbers as the row does, with the first outcome of each draw: what it is said to keep
 * stays. */
static void check_store(const f2l_schedule *s)
{
    static f2l_choices choices;
    const double given[12] = {1, -1.25, 3, 0, 0x1p90, -0x1p-140, 127.5, 100, -127.5, 6, 0.3125, 7};
    double state[12], residual[12] = {0}, scratch[12];
    f2l_format format = *f2l_format_find("bf16");
    f2l_store store;
    format.choices = &choices;
    f2l_store_init(&store, s, &format);
    for (size_t n = 1; n <= 12; n += 11) {
        const bool keeps = f2l_store_keeps(&store, given, scratch, n, 1);
        memcpy(state, given, sizeof state);
        f2l_choices_restart(&choices);
        f2l_store_state(&store, state, residual, n, 1);
        for (size_t i = 0; i < n; i++) must(!keeps || state[i] == given[i]);
    }
}

static void check_schedule(const char *text)
{
    f2l_schedule s, t;
    f2l_error err = {0};
    char name[F2L_SCHEDULE_NAME], again[F2L_SCHEDULE_NAME];
    char all[F2L_SCHEDULE_NAME], all_again[F2L_SCHEDULE_NAME];
    const f2l_status status = f2l_schedule_parse(&s, name, text, &err);
    if (status != F2L_OK) {
        check_refusal(status, &err, strlen(text));
        return;
    }
    must(s.name == name && f2l_schedule_parse(&t, again, name, NULL) == F2L_OK &&
         strcmp(name, again) == 0);
    f2l_schedule_write(all, &s);
    f2l_schedule_write(all_again, &t);
    must(strlen(all) + 1 < F2L_SCHEDULE_NAME);
    if (!s.chunk && !s.exact_matrices) check_store(&s);
    must(s.row == t.row && s.eps == t.eps && s.raw == t.raw && strcmp(all, all_again) == 0);
}

static size_t lines_of(const char *text, size_t size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

static void look_at_rows(const f2l_engine *e)
{
    f2l_buf text;
    must(e->states > 0);
    f2l_buf_init(&text);
    f2l_engine_cite(&text, e);
    for (size_t k = 0; k < e->states; k++) {
        f2l_schedule s, again;
        char name[F2L_SCHEDULE_NAME], same[F2L_SCHEDULE_NAME];
        must(f2l_engine_schedule(&s, name, e, e->state[k], NULL) == F2L_OK);
        must(f2l_schedule_parse(&again, same, name, NULL) == F2L_OK && strcmp(name, same) == 0);
        f2l_engine_equals(&text, &s, e);
    }
    f2l_buf_clear(&text);
}

/* Files of engines. What is read has rows that are schedules, and reads the same again; a fault is
 * in one of the lines. */
static void check_engine(const uint8_t *data, size_t size)
{
    static f2l_engine e, again;
    f2l_error err = {0};
    const f2l_status status = f2l_engine_read(&e, (const char *)data, size, &err);
    if (status != F2L_OK) {
        must(status == F2L_EFORMAT && err.text[0] != '\0');
        must(size > F2L_ENGINE_BYTES ||
             (err.line >= 1 && err.line <= lines_of((const char *)data, size)));
        return;
    }
    must(f2l_engine_read(&again, (const char *)data, size, &err) == F2L_OK);
    must(memcmp(&e, &again, sizeof e) == 0);
    look_at_rows(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1];
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    const size_t first = end ? (size_t)(end - data) : size, used = end ? first + 1 : size;
    if (size >= 6 && memcmp(data, "engine", 6) == 0) {
        check_engine(data, size);
        return 0;
    }
    if (first > LONGEST) return 0;
    if (size > 0) memcpy(text, data, first);
    text[first] = '\0';
    check_format(text, data + used, size - used);
    check_schedule(text);
    return 0;
}
