#include "reports/html/folder_list.h"
#include "reports/html/record.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "f2l-record-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

Test(record, facts_that_are_missing_or_of_another_type)
{
    json_t *o;
    f2l_error err;
    cr_assert_not_null(mkdtemp(folder));
    write_file("a.json",
               "{\"a\": {\"b\": 3, \"c\": null, \"d\": \"x\"}, \"l\": [1, 2], \"n\": -4}");
    cr_assert_eq(f2l_record_read(&o, folder, "a.json", &err), F2L_OK);
    cr_assert_eq(f2l_record_count(o, "a.b"), 3);
    cr_assert_eq(f2l_record_count(o, "a.c"), 0);
    cr_assert_eq(f2l_record_count(o, "a.d"), 0);
    cr_assert_eq(f2l_record_count(o, "n"), 0);
    cr_assert(isnan(f2l_record_number(o, "a.d")) && f2l_record_number(o, "n") == -4);
    cr_assert_str_eq(f2l_record_text(o, "a.d"), "x");
    cr_assert_str_eq(f2l_record_text(o, "a.b"), "");
    cr_assert_str_eq(f2l_record_text(o, "a.d.e"), "");
    cr_assert_null(f2l_record_get(o, "a.c"));
    cr_assert_eq(f2l_record_size(o, "l"), 2);
    cr_assert_eq(f2l_record_size(o, "a"), 0);
    cr_assert_null(f2l_record_item(o, "l", 2));
    cr_assert_eq(f2l_record_size(NULL, "a"), 0);
    json_decref(o);
    cr_assert_eq(f2l_record_read(&o, folder, "none.json", &err), F2L_OK);
    cr_assert_null(o);
    write_file("a.json", "{\"a\":\n 3,}");
    cr_assert_eq(f2l_record_read(&o, folder, "a.json", &err), F2L_EFORMAT);
    cr_assert_eq(strncmp(err.text, "a.json:2:", 9), 0, "%s", err.text);
    remove_file("a.json");
    rmdir(folder);
}

Test(record, lines)
{
    json_t *lines;
    f2l_error err;
    cr_assert_not_null(mkdtemp(folder));
    write_file("log", "{\"a\":1}\n{\"a\":2}\n{\"a\":");
    cr_assert_eq(f2l_record_read_lines(&lines, folder, "log", &err), F2L_OK);
    cr_assert_eq(json_array_size(lines), 2);
    json_decref(lines);
    write_file("log", "{\"a\":1}\n}\n");
    cr_assert_eq(f2l_record_read_lines(&lines, folder, "log", &err), F2L_EFORMAT);
    json_decref(lines);
    remove_file("log");
    rmdir(folder);
}

Test(record, names_in_a_folder)
{
    static const char *const name[] = {"seed-10", "seed-9", "seed-", "other", "seed-9b"};
    f2l_folder_names found;
    f2l_error err;
    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < 5; i++) write_file(name[i], "");
    cr_assert_eq(f2l_folder_list(&found, folder, "seed-", "", &err), F2L_OK);
    cr_assert_eq(found.count, 3);
    cr_assert_str_eq(found.name[0], "seed-9");
    cr_assert_str_eq(found.name[1], "seed-9b");
    cr_assert_str_eq(found.name[2], "seed-10");
    f2l_folder_names_clear(&found);
    cr_assert_eq(f2l_folder_list(&found, "there-is-none", "a", "b", &err), F2L_OK);
    cr_assert_eq(found.count, 0);
    for (size_t i = 0; i < 5; i++) remove_file(name[i]);
    rmdir(folder);
}
