#include "numeric/base/folder.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names are in the order of their bytes, "." and ".." are none of them, and a name that is only
 * the beginning and the end has nothing between. */
Test(folder, names_in_order)
{
    static const char *const made[] = {"b-2.x", "b-10.x", "b-.x", ".x", "a"};
    char folder[] = "/tmp/f2l-folder-XXXXXX", path[128];
    f2l_folder_names names;
    f2l_error err;
    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        FILE *file = fopen(path, "w");
        cr_assert_not_null(file);
        fclose(file);
    }
    cr_assert_eq(f2l_folder_read(&names, folder, "b-", ".x", &err), F2L_OK);
    cr_assert_eq(names.count, 2);
    cr_assert_str_eq(names.name[0], "b-10.x");
    cr_assert_str_eq(names.name[1], "b-2.x");
    f2l_folder_names_clear(&names);
    cr_assert_eq(f2l_folder_read(&names, folder, "", "", &err), F2L_OK);
    cr_assert_eq(names.count, 5);
    cr_assert_str_eq(names.name[0], ".x");
    f2l_folder_names_clear(&names);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    rmdir(folder);
}

Test(folder, that_is_not_there)
{
    f2l_folder_names names;
    f2l_error err;
    cr_assert_eq(f2l_folder_read(&names, "/there-is-none", "", "", &err), F2L_EIO);
    cr_assert_str_eq(err.text, f2l_reason_of(ENOENT).text);
    cr_assert_eq(names.count, 0);
}
