#include "numeric/base/folder.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes down what is met, without the folder's own name. */
static f2l_status note_found(void *context, f2l_folder_found *found, f2l_error *err)
{
    static const char kind[] = "dfl>x";
    f2l_buf *text = context;
    f2l_buf_printf(text, "%c%zu%s ", kind[found->kind], found->depth,
                   found->depth ? strrchr(found->path, '/') : "");
    found->enter = strstr(found->path, "/keep") == NULL;
    return strstr(found->path, "/stop") ? f2l_fail(err, F2L_EDOMAIN, "stop") : F2L_OK;
}

/* Files and folders come in the order of their names; what is hidden, a link to nothing, and what
 * is in a folder that is not entered do not come; links to folders and folders too deep are told.
 */
Test(folder, walk)
{
    char folder[] = "/tmp/f2l-folder-XXXXXX", command[512];
    f2l_buf text;
    f2l_error err;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p a/b/c keep/in .h && touch z a/f keep/in/f .h/f && ln -s a link && "
             "ln -s z file && ln -s nothing none",
             folder);
    cr_assert_eq(system(command), 0);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_folder_walk(folder, 2, note_found, &text, &err), F2L_OK);
    cr_assert_str_eq(text.data, "d0 d1/a d2/b >3/c f2/f f1/file d1/keep l1/link f1/z ");
    text.size = 0;
    snprintf(command, sizeof command, "touch %s/a/stop", folder);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(f2l_folder_walk(folder, 2, note_found, &text, &err), F2L_EDOMAIN);
    cr_assert_str_eq(text.data, "d0 d1/a d2/b >3/c f2/f f2/stop ");
    text.size = 0;
    cr_assert_eq(f2l_folder_walk("/there-is-none", 2, note_found, &text, &err), F2L_OK);
    cr_assert_str_eq(text.data, "d0 x0 ");
    cr_assert_str_eq(err.text, f2l_reason_of(ENOENT).text);
    f2l_buf_clear(&text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}
