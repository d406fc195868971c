#define _XOPEN_SOURCE 700 /* setitimer, symlink */
#include "numeric/base/mem.h"
#include "numeric/base/text.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* A new folder; folder_remove removes it with everything in it. */
typedef struct folder {
    char path[64], file[80];
} folder;

static folder folder_new(void)
{
    folder f;
    strcpy(f.path, "/tmp/f2l-test-XXXXXX");
    cr_assert_not_null(mkdtemp(f.path));
    snprintf(f.file, sizeof f.file, "%s/file", f.path);
    return f;
}

/* Returns the number of entries of the folder; `unlink_all` removes them too. */
static size_t folder_entries(const folder *f, bool unlink_all)
{
    char name[400];
    size_t count = 0;
    DIR *dir = opendir(f->path);
    for (struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(name, sizeof name, "%s/%s", f->path, e->d_name);
        if (unlink_all) unlink(name);
        count++;
    }
    closedir(dir);
    return count;
}

static void folder_remove(const folder *f)
{
    folder_entries(f, true);
    cr_assert_eq(rmdir(f->path), 0);
}

static void expect_content(const char *path, const char *bytes, size_t n)
{
    f2l_buf b;
    f2l_error err = {0};
    f2l_buf_init(&b);
    cr_assert_eq(f2l_read_file(&b, path, 0, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(b.size, n);
    if (n > 0) cr_assert_eq(memcmp(b.data, bytes, n), 0);
    f2l_buf_clear(&b);
}

Test(file, what_is_written_is_read)
{
    static const size_t size[] = {0, 1, 4096, 65535, 65536, 65537, 1000003};
    folder f = folder_new();
    char *bytes = malloc(1000003);
    for (size_t i = 0; i < 1000003; i++) bytes[i] = (char)(i * 31 >> 3);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        cr_assert_eq(f2l_write_file(f.file, bytes, size[i], NULL), F2L_OK);
        expect_content(f.file, bytes, size[i]);
        cr_assert_eq(folder_entries(&f, false), 1);
    }
    free(bytes);
    folder_remove(&f);
}

Test(file, a_new_file_has_usual_permissions_and_an_old_one_keeps_its_own)
{
    folder f = folder_new();
    struct stat s;
    umask(027);
    cr_assert_eq(f2l_write_file(f.file, "a", 1, NULL), F2L_OK);
    stat(f.file, &s);
    cr_assert_eq(s.st_mode & 0777, 0640);
    chmod(f.file, 0604);
    cr_assert_eq(f2l_write_file(f.file, "b", 1, NULL), F2L_OK);
    stat(f.file, &s);
    cr_assert_eq(s.st_mode & 0777, 0604);
    folder_remove(&f);
}

Test(file, a_symbolic_link_stays_one)
{
    folder f = folder_new();
    char link[96];
    struct stat s;
    snprintf(link, sizeof link, "%s/link", f.path);
    cr_assert_eq(f2l_write_file(f.file, "old", 3, NULL), F2L_OK);
    cr_assert_eq(symlink("file", link), 0);
    cr_assert_eq(f2l_write_file(link, "new", 3, NULL), F2L_OK);
    cr_assert_eq(lstat(link, &s), 0);
    cr_assert(S_ISLNK(s.st_mode));
    expect_content(f.file, "new", 3);
    cr_assert_eq(folder_entries(&f, false), 2);
    folder_remove(&f);
}

Test(file, a_relative_path_works)
{
    folder f = folder_new();
    cr_assert_eq(chdir(f.path), 0);
    cr_assert_eq(f2l_write_file("file", "x", 1, NULL), F2L_OK);
    expect_content("file", "x", 1);
    cr_assert_eq(chdir("/"), 0);
    folder_remove(&f);
}

Test(file, places_that_cannot_hold_a_file)
{
    folder f = folder_new();
    f2l_error err;
    char below[96];
    cr_assert_eq(f2l_write_file(f.path, "x", 1, &err), F2L_EEXIST);
    cr_assert_eq(f2l_write_file("/nonexistent-f2l/file", "x", 1, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "cannot be created"));
    cr_assert_not_null(strstr(err.text, "/nonexistent-f2l/file"));
    cr_assert_eq(f2l_write_file("/proc/f2l", "x", 1, &err), F2L_EEXIST);
    cr_assert_eq(f2l_write_file(f.file, "x", 1, &err), F2L_OK);
    snprintf(below, sizeof below, "%s/below", f.file);
    cr_assert_eq(f2l_write_file(below, "x", 1, &err), F2L_EEXIST);
    folder_remove(&f);
}

Test(file, a_full_device_is_an_io_error)
{
    f2l_error err;
    cr_assert_eq(f2l_write_file("/dev/full", "x", 1, &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "/dev/full"));
    cr_assert_eq(f2l_write_file("/dev/null", "x", 1, &err), F2L_OK);
}

/* A file-size limit replaces a full disk: the old content stays, and nothing else is left. */
Test(file, a_failed_write_leaves_nothing_behind)
{
    folder f = folder_new();
    f2l_error err;
    char *bytes = calloc(100000, 1);
    cr_assert_eq(f2l_write_file(f.file, "old", 3, &err), F2L_OK);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = {50000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    cr_assert_eq(f2l_write_file(f.file, bytes, 100000, &err), F2L_EIO);
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_content(f.file, "old", 3);
    cr_assert_eq(folder_entries(&f, false), 1);
    free(bytes);
    folder_remove(&f);
}

Test(file, pipes_are_written_and_read_directly)
{
    int end[2];
    char path[32], got[8] = {0};
    f2l_buf b;
    f2l_buf_init(&b);
    cr_assert_eq(pipe(end), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", end[1]);
    cr_assert_eq(f2l_write_file(path, "through", 7, NULL), F2L_OK);
    cr_assert_eq(read(end[0], got, 7), 7);
    cr_assert_str_eq(got, "through");
    cr_assert_eq(write(end[1], "back", 4), 4);
    cr_assert_eq(dup2(end[0], STDIN_FILENO), STDIN_FILENO);
    close(end[1]);
    cr_assert_eq(f2l_read_file(&b, "-", 0, NULL), F2L_OK);
    cr_assert_eq(b.size, 4);
    cr_assert_eq(memcmp(b.data, "back", 4), 0);
    f2l_buf_clear(&b);
}

Test(file, what_cannot_be_read)
{
    f2l_buf b;
    f2l_error err;
    f2l_buf_init(&b);
    cr_assert_eq(f2l_read_file(&b, "/nonexistent-f2l", 0, &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "/nonexistent-f2l"));
    cr_assert_eq(f2l_read_file(&b, "/tmp", 0, &err), F2L_EIO);
    cr_assert_eq(b.size, 0);
    f2l_buf_clear(&b);
}

Test(file, a_limit_is_kept)
{
    folder f = folder_new();
    f2l_buf b;
    f2l_error err;
    f2l_buf_init(&b);
    cr_assert_eq(f2l_write_file(f.file, "12345", 5, NULL), F2L_OK);
    cr_assert_eq(f2l_read_file(&b, f.file, 5, &err), F2L_OK);
    cr_assert_eq(b.size, 5);
    cr_assert_eq(f2l_read_file(&b, f.file, 4, &err), F2L_EFORMAT);
    cr_assert_eq(b.size, 0);
    cr_assert_eq(err.line, 0);
    cr_assert_eq(f2l_read_file(&b, "/dev/zero", 1 << 20, &err), F2L_EFORMAT);
    f2l_buf_clear(&b);
    folder_remove(&f);
}

static void ignore_alarm(int number)
{
    (void)number;
}

/* A timer fires again and again, so that one of its signals comes while the read waits. */
Test(file, a_signal_ends_a_waiting_read)
{
    int end[2];
    f2l_buf b;
    f2l_error err;
    struct sigaction action = {0};
    const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    f2l_buf_init(&b);
    cr_assert_eq(pipe(end), 0);
    cr_assert_eq(dup2(end[0], STDIN_FILENO), STDIN_FILENO);
    action.sa_handler = ignore_alarm;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    f2l_status status = f2l_read_file(&b, "-", 0, &err);
    setitimer(ITIMER_REAL, &never, NULL);
    cr_assert_eq(status, F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"));
    f2l_buf_clear(&b);
}

#ifdef F2L_MEM_FAILURES
Test(file, running_out_of_memory_is_reported)
{
    folder f = folder_new();
    size_t failures = 0;
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_mem_fail_after(n, true);
        status = f2l_write_file(f.file, "abc", 3, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        cr_assert_eq(folder_entries(&f, false), status == F2L_OK);
        failures += status == F2L_ENOMEM;
    }
    status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_mem_fail_after(n, true);
        status = f2l_read_file(&b, f.file, 0, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && b.data == NULL));
        failures += status == F2L_ENOMEM;
        f2l_buf_clear(&b);
    }
    cr_assert_geq(failures, 3);
    folder_remove(&f);
}
#endif
