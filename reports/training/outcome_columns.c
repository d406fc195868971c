/* Arrays of structs as JSON objects with one list for each member. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"

#define ROW(type, member, least, most) \
    F2L_MEMBER(type, member, F2L_IN(least, most), .how = F2L_NULL)
#define SCORE(member, least, most) ROW(f2l_train_accuracies, member, least, most)
#define POINT(member, least, most) ROW(f2l_history_point, member, least, most)

static const f2l_member every_rows[] = {SCORE(length, 1, UINT32_MAX),
                                        SCORE(sequence_accuracy, 0, 1)};
static const f2l_member look_rows[] = {SCORE(length, 1, UINT32_MAX), SCORE(sequence_accuracy, 0, 1),
                                       SCORE(accuracy, 0, 1), SCORE(scaled_accuracy, -DBL_MAX, 1)};
static const f2l_member curve_rows[] = {POINT(step, 0, 0x1p53), POINT(loss, -DBL_MAX, DBL_MAX),
                                        POINT(rate, 0, DBL_MAX), POINT(length, 0, UINT32_MAX),
                                        POINT(last_accuracy, 0, 1)};
const f2l_columns f2l_every_columns = {F2L_MEMBERS(every_rows), sizeof(f2l_train_accuracies)},
                  f2l_look_columns = {F2L_MEMBERS(look_rows), sizeof(f2l_train_accuracies)},
                  f2l_curve_columns = {F2L_MEMBERS(curve_rows), sizeof(f2l_history_point)};

void f2l_columns_say(f2l_fact in, const char *name, const f2l_columns *c, const void *array,
                     size_t rows)
{
    const f2l_fact object = f2l_say_object(in, name);
    for (size_t k = 0; k < c->members.count; k++) {
        const f2l_member *m = &c->members.member[k];
        const f2l_fact list = f2l_say_list(object, m->name);
        for (size_t i = 0; i < rows; i++)
            f2l_member_say(list, NULL, m, (const char *)array + i * c->size);
    }
}

f2l_status f2l_columns_read(void **array, size_t *rows, const f2l_columns *c, const json_t *object,
                            const char *name, f2l_error *err)
{
    f2l_fault fault = {.text = "is no list as long as the others, or there are other lists"};
    const char *column = c->members.member[0].name;
    bool good = json_object_size(object) == c->members.count;
    *rows = json_array_size(json_object_get(object, c->members.member[0].name));
    *array = f2l_calloc(*rows + 1, c->size);
    if (*array == NULL) return f2l_fail_memory(err);
    for (size_t k = 0; k < c->members.count && good; k++) {
        const f2l_member *m = &c->members.member[k];
        const json_t *list = json_object_get(object, m->name);
        good = json_is_array(list) && json_array_size(list) == *rows;
        for (size_t i = 0; i < *rows && good; i++)
            good =
                f2l_member_read(&fault, (char *)*array + i * c->size, m, json_array_get(list, i));
        column = m->name;
    }
    if (good) return F2L_OK;
    f2l_free(*array);
    *array = NULL;
    *rows = 0;
    return f2l_fail(err, F2L_EFORMAT, "an outcome: the member \"%s.%s\" %s", name, column,
                    fault.text);
}
