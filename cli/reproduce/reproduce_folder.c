#include "cli/reproduce/reproduce_folder.h"
#include "cli/work/lock.h"
#include "numeric/base/folder.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE 65536

static f2l_status file_of(f2l_buf *path, const char *folder, f2l_error *err)
{
    f2l_buf_printf(path, "%s/" F2L_REPRODUCE_FILE, folder);
    return f2l_buf_status(path, err);
}

/* Returns whether the folder has nothing but a reproduce.json without a byte: a process was killed
 * between making it and writing it, or could not lock it. */
static bool is_hardly_begun(const char *folder)
{
    struct stat about;
    f2l_folder_names names;
    f2l_buf path;
    f2l_buf_init(&path);
    const bool empty = file_of(&path, folder, NULL) == F2L_OK && stat(path.data, &about) == 0 &&
                       S_ISREG(about.st_mode) && about.st_size == 0;
    f2l_buf_clear(&path);
    if (!empty || f2l_folder_read(&names, folder, "", "", NULL) != F2L_OK) return false;
    const bool alone = names.count == 1;
    f2l_folder_names_clear(&names);
    return alone;
}

/* Checks a folder that is there: the first file of a folder of reproduce, beside the record of the
 * work, is its reproduce.json, so one that has anything else and not this file is another folder.
 */
static f2l_status check_reproduce_folder(const char *folder, f2l_reproduce_begin begin,
                                         f2l_error *err)
{
    if (f2l_path_is_empty(folder)) return F2L_OK;
    if (begin == F2L_REPRODUCE_NEW && is_hardly_begun(folder)) return F2L_OK;
    if (begin == F2L_REPRODUCE_NEW)
        return f2l_fail(err, F2L_EEXIST,
                        "%s exists already; go on with it by --resume %s, or name another folder "
                        "with -o",
                        folder, folder);
    if (f2l_path_has(folder, F2L_REPRODUCE_FILE) || f2l_work_is_new(folder)) return F2L_OK;
    return f2l_fail(err, F2L_EEXIST, "%s has other files, and no " F2L_REPRODUCE_FILE, folder);
}

/* Makes the folder, or checks the one that is there. */
static f2l_status make_reproduce_folder(size_t *made, const char *folder, f2l_reproduce_begin begin,
                                        f2l_error *err)
{
    if (begin == F2L_REPRODUCE_CONTINUE) {
        const f2l_status status = f2l_work_make_folder(made, folder, err);
        return status == F2L_OK ? check_reproduce_folder(folder, begin, err) : status;
    }
    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return f2l_fail(err, F2L_EEXIST, "cannot make %s: %s", folder, f2l_reason_of(errno).text);
    return check_reproduce_folder(folder, begin, err);
}

f2l_status f2l_reproduce_folder_open(int *lock, const char *folder, f2l_reproduce_begin begin,
                                     const f2l_reproduce_request *request, f2l_error *err)
{
    static const char *const written[] = {"outcome-*.json", "report.html", "report.md"};
    size_t made = 0;
    f2l_buf text;
    f2l_buf_init(&text);
    *lock = -1;
    const bool resumed = begin == F2L_REPRODUCE_RESUME;
    f2l_status status = f2l_reproduce_request_write(&text, request, err);
    if (status == F2L_OK && !resumed) status = make_reproduce_folder(&made, folder, begin, err);
    if (status == F2L_OK) status = f2l_work_lock(lock, folder, F2L_REPRODUCE_FILE, !resumed, err);
    if (status == F2L_OK && !resumed)
        status = f2l_work_settle(*lock, folder, F2L_REPRODUCE_FILE, &text, err);
    f2l_buf_clear(&text);
    if (status == F2L_OK) f2l_sweep_unfinished(folder, written, sizeof written / sizeof *written);
    if (status == F2L_OK) return F2L_OK;
    if (*lock >= 0) (void)close(*lock);
    *lock = -1;
    f2l_work_remove_folder(made, folder);
    return status;
}

f2l_status f2l_reproduce_folder_read(f2l_reproduce_request *request, const char *folder,
                                     f2l_error *err)
{
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = file_of(&path, folder, err);
    if (status == F2L_OK && access(path.data, F_OK) != 0)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "%s is no folder of reproduce: it has no " F2L_REPRODUCE_FILE, folder);
    if (status == F2L_OK) status = f2l_read_file(&text, path.data, LARGEST_FILE, err);
    if (status == F2L_OK && text.size == 0)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "nothing was begun in %s: its " F2L_REPRODUCE_FILE
                          " is empty; begin anew by fsa2lrnn reproduce PRESET -o %s",
                          folder, folder);
    if (status == F2L_OK)
        status = f2l_reproduce_request_parse(request, text.data ? text.data : "", text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}
