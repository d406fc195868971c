/* Arrays of structs as JSON objects with one list for each member. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <float.h>
#include <math.h>
#include <stddef.h>

#define AT(type, member) offsetof(type, member)
#define FRACTION(type, member) \
    { \
#member, AT(type, member), F2L_COLUMN_REAL, 0, 1 \
    }

static const f2l_column every_columns[] = {
    {"length", AT(f2l_train_accuracies, length), F2L_COLUMN_SIZE, 1, UINT32_MAX},
    FRACTION(f2l_train_accuracies, sequence_accuracy)};
static const f2l_column look_columns[] = {
    {"length", AT(f2l_train_accuracies, length), F2L_COLUMN_SIZE, 1, UINT32_MAX},
    FRACTION(f2l_train_accuracies, sequence_accuracy),
    FRACTION(f2l_train_accuracies, accuracy),
    {"scaled_accuracy", AT(f2l_train_accuracies, scaled_accuracy), F2L_COLUMN_REAL, -DBL_MAX, 1}};
static const f2l_column curve_columns[] = {
    {"step", AT(f2l_history_point, step), F2L_COLUMN_COUNT, 0, 0x1p53},
    {"loss", AT(f2l_history_point, loss), F2L_COLUMN_REAL, -DBL_MAX, DBL_MAX},
    {"rate", AT(f2l_history_point, rate), F2L_COLUMN_REAL, 0, DBL_MAX},
    {"length", AT(f2l_history_point, length), F2L_COLUMN_SIZE, 0, UINT32_MAX},
    FRACTION(f2l_history_point, last_accuracy)};

const f2l_columns f2l_every_columns = {every_columns, sizeof every_columns / sizeof *every_columns,
                                       sizeof(f2l_train_accuracies)};
const f2l_columns f2l_look_columns = {look_columns, sizeof look_columns / sizeof *look_columns,
                                      sizeof(f2l_train_accuracies)};
const f2l_columns f2l_curve_columns = {curve_columns, sizeof curve_columns / sizeof *curve_columns,
                                       sizeof(f2l_history_point)};

void f2l_columns_say(f2l_fact in, const char *name, const f2l_columns *c, const void *array,
                     size_t rows)
{
    f2l_fact object = f2l_say_object(in, name);
    for (size_t k = 0; k < c->columns; k++) {
        f2l_fact list = f2l_say_list(object, c->column[k].name);
        for (size_t i = 0; i < rows; i++) {
            const char *at = (const char *)array + i * c->size + c->column[k].offset;
            if (c->column[k].kind == F2L_COLUMN_REAL)
                f2l_say_number(list, NULL, *(const double *)(const void *)at);
            else if (c->column[k].kind == F2L_COLUMN_COUNT)
                f2l_say_count(list, NULL, *(const uint64_t *)(const void *)at);
            else
                f2l_say_count(list, NULL, *(const size_t *)(const void *)at);
        }
    }
}

/* Stores a value; returns false when it is out of its range. A number that is not finite is null.
 */
static bool store(char *at, const f2l_column *column, const json_t *value)
{
    if (column->kind == F2L_COLUMN_REAL) {
        const double x = json_is_null(value) ? (double)NAN : json_number_value(value);
        *(double *)(void *)at = x;
        return json_is_null(value) ||
               (json_is_number(value) && x >= column->least && x <= column->most);
    }
    const json_int_t n = json_integer_value(value);
    if (column->kind == F2L_COLUMN_COUNT)
        *(uint64_t *)(void *)at = (uint64_t)n;
    else
        *(size_t *)(void *)at = (size_t)n;
    return json_is_integer(value) && (double)n >= column->least && (double)n <= column->most;
}

f2l_status f2l_columns_read(void **array, size_t *rows, const f2l_columns *c, const json_t *object,
                            const char *name, f2l_error *err)
{
    bool good = json_is_object(object) && json_object_size(object) == c->columns;
    *rows = json_array_size(json_object_get(object, c->column[0].name));
    *array = f2l_calloc(*rows + 1, c->size);
    if (*array == NULL) return f2l_fail_memory(err);
    for (size_t k = 0; k < c->columns && good; k++) {
        const json_t *list = json_object_get(object, c->column[k].name);
        good = json_is_array(list) && json_array_size(list) == *rows;
        for (size_t i = 0; i < *rows && good; i++)
            good = store((char *)*array + i * c->size + c->column[k].offset, &c->column[k],
                         json_array_get(list, i));
    }
    if (good) return F2L_OK;
    f2l_free(*array);
    *array = NULL;
    *rows = 0;
    return f2l_fail(err, F2L_EFORMAT,
                    "an outcome's member \"%s\" has no lists of equal length, or "
                    "numbers out of their range",
                    name);
}
