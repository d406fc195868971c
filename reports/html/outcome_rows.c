#include "reports/html/folder_list.h"
#include "reports/html/outcome_part.h"
#include <string.h>

static f2l_status add_outcome_row(json_t *rows, json_t *row, const char *file, f2l_error *err)
{
    if (!json_is_object(row)) return F2L_OK;
    if (json_object_set_new(row, "file", json_stringn(file, strlen(file))) != 0 ||
        json_array_append(rows, row) != 0)
        return f2l_fail_memory(err);
    return F2L_OK;
}

/* Adds the rows of a file, which holds one, an array of them, or an object with such an array. */
static f2l_status add_file(json_t *rows, const char *folder, const char *name, f2l_error *err)
{
    json_t *file;
    f2l_status status = f2l_record_read(&file, folder, name, err);
    json_t *list = json_is_array(file) ? file : json_object_get(file, "rows");
    if (status == F2L_OK && !list) status = add_outcome_row(rows, file, name, err);
    for (size_t i = 0; i < json_array_size(list) && status == F2L_OK; i++)
        status = add_outcome_row(rows, json_array_get(list, i), name, err);
    json_decref(file);
    return status;
}

f2l_status f2l_outcome_rows(json_t **rows, const char *folder, f2l_error *err)
{
    f2l_folder_names list;
    *rows = NULL;
    f2l_status status = f2l_folder_list(&list, folder, "outcome-", ".json", err);
    if (status == F2L_OK && !(*rows = json_array())) status = f2l_fail_memory(err);
    for (size_t i = 0; i < list.count && status == F2L_OK; i++)
        status = add_file(*rows, folder, list.name[i], err);
    f2l_folder_names_clear(&list);
    return status;
}
