#include "numeric/base/mem.h"
#include "numeric/base/outdir.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every test works in a new empty folder. */
static char home[] = "/tmp/f2l-outdir-XXXXXX";

static void enter(void)
{
    cr_assert_not_null(mkdtemp(home));
    cr_assert_eq(chdir(home), 0);
}

static void leave(void)
{
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(rmdir(home), 0, "something was left in %s", home);
}

TestSuite(outdir, .init = enter, .fini = leave);

static size_t entries(const char *path)
{
    DIR *folder = opendir(path);
    size_t n = 0;
    const struct dirent *entry;
    cr_assert_not_null(folder);
    while ((entry = readdir(folder)) != NULL)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return n;
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_file(const char *path, const char *text)
{
    char bytes[100];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = '\0';
    cr_assert_str_eq(bytes, text);
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static void remove_out(void)
{
    static const char *const names[] = {"OUT/automaton.fsa", "OUT/network.lrnn", "OUT/report.json",
                                        "OUT/weights.safetensors", "OUT/certificate.cert"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
    cr_assert_eq(rmdir("OUT"), 0);
}

Test(outdir, whole_or_absent)
{
    f2l_outdir dir;
    f2l_error err;
    umask(027);
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(entries("."), 1);
    cr_assert_not(exists("OUT"));
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "lrnn 2\n", 7, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_outdir_write(&dir, "report.json", "", 0, &err), F2L_OK);
    cr_assert_not(exists("OUT"));
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
    f2l_outdir_close(&dir);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("."), 1);
    cr_assert_eq(entries("OUT"), 2);
    check_file("OUT/network.lrnn", "lrnn 2\n");
    check_file("OUT/report.json", "");
    struct stat info;
    cr_assert_eq(stat("OUT", &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0750);
    cr_assert_eq(stat("OUT/network.lrnn", &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0640);
    remove_out();
}

/* A held folder keeps what is not of the kind; what an earlier process left of the kind is removed,
 * and files come in one by one, from a stage or not, folders with their files. */
Test(outdir, a_held_folder_is_filled)
{
    static const char *const names[] = {"a", "b", "in/c", NULL}, *const folders[] = {"in", NULL};
    const f2l_outdir_kind kind = {.names = names, .folders = folders};
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(mkdir("OUT", 0777), 0);
    cr_assert_eq(mkdir("OUT/unfinished.f2l-tmp-000001", 0777), 0);
    put_file("OUT/unfinished.f2l-tmp-000001/a", "left");
    cr_assert_eq(mkdir("OUT/unfinished-000001", 0777), 0);
    put_file("OUT/unfinished-000001/a", "the user's");
    put_file("OUT/b", "old");
    put_file("OUT/work.json", "record");
    for (int staged = 0; staged < 2; staged++) {
        cr_assert_eq(f2l_outdir_open_held(&dir, "OUT/", &kind, &err), F2L_OK, "%s", err.text);
        cr_assert_not(exists("OUT/unfinished.f2l-tmp-000001") || exists("OUT/b") ||
                      exists("OUT/in"));
        if (staged) cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
        cr_assert_eq(f2l_outdir_write(&dir, "a", "new", 3, &err), F2L_OK, "%s", err.text);
        if (!staged) cr_assert_eq(f2l_outdir_write(&dir, "in/c", "c", 1, &err), F2L_OK);
        if (staged) cr_assert_eq(f2l_outdir_complete_stage(&dir), 0);
        cr_assert_not(exists("OUT/a"));
        cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
        f2l_outdir_close(&dir);
        check_file("OUT/a", "new");
        if (!staged) check_file("OUT/in/c", "c");
        check_file("OUT/work.json", "record");
        cr_assert_eq(entries("OUT"), staged ? 3 : 4);
    }
    cr_assert_eq(f2l_outdir_open_held(&dir, "OUT", &kind, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "a", "half", 4, &err), F2L_OK);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("OUT"), 2);
    check_file("OUT/unfinished-000001/a", "the user's");
    unlink("OUT/unfinished-000001/a");
    cr_assert_eq(rmdir("OUT/unfinished-000001"), 0);
    unlink("OUT/work.json");
    cr_assert_eq(rmdir("OUT"), 0);
}

Test(outdir, closing_without_commit_leaves_nothing)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "./OUT//", false, &err), F2L_OK);
    cr_assert_str_eq(dir.final_path, "./OUT");
    cr_assert_eq(f2l_outdir_write(&dir, "automaton.fsa", "x", 1, &err), F2L_OK);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("."), 0);
}

Test(outdir, an_existing_name_is_refused)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(mkdir("OUT", 0777), 0);
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "--force"));
    cr_assert_null(dir.temporary);
    cr_assert_null(dir.final_path);
    rmdir("OUT");
    put_file("OUT", "mine");
    /* --force is not advised where it would not help. */
    for (int force = 0; force < 2; force++) {
        cr_assert_eq(f2l_outdir_open(&dir, "OUT", force, &err), F2L_EEXIST);
        cr_assert_not_null(strstr(err.text, "is not a folder: it is not replaced"), "%s", err.text);
    }
    cr_assert_eq(f2l_outdir_open(&dir, "OUT/below", true, &err), F2L_EEXIST);
    check_file("OUT", "mine");
    unlink("OUT");
    cr_assert_eq(symlink("nowhere", "OUT"), 0);
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_EEXIST);
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_EEXIST);
    unlink("OUT");
    static const char *const bad[] = {"", "/", ".", "..", "a/..", "no/such/OUT"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int force = 0; force < 2; force++)
            cr_assert_eq(f2l_outdir_open(&dir, bad[i], force, &err), F2L_EEXIST, "%s", bad[i]);
}

Test(outdir, a_folder_that_cannot_be_written)
{
    f2l_outdir dir;
    f2l_error err;
    if (geteuid() != 0) {
        cr_assert_eq(mkdir("sealed", 0500), 0);
        cr_assert_eq(f2l_outdir_open(&dir, "sealed/OUT", false, &err), F2L_EEXIST);
        rmdir("sealed");
    }
    /* Nobody can create a folder there, not even the superuser. */
    cr_assert_eq(f2l_outdir_open(&dir, "/proc/self/OUT", false, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "/proc/self/OUT"));
}

Test(outdir, force_replaces_our_files)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(mkdir("OUT", 0777), 0);
    put_file("OUT/network.lrnn", "old");
    put_file("OUT/certificate.cert", "old");
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "new", 3, &err), F2L_OK);
    check_file("OUT/network.lrnn", "old");
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
    f2l_outdir_close(&dir);
    check_file("OUT/network.lrnn", "new");
    cr_assert_eq(entries("OUT"), 1);
    cr_assert_eq(entries("."), 1);
    remove_out();
    /* A name that is free, and an empty folder, can be replaced as well. */
    for (int empty = 0; empty < 2; empty++) {
        if (empty) cr_assert_eq(mkdir("OUT", 0777), 0);
        cr_assert_eq(f2l_outdir_open(&dir, "OUT/", true, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
        f2l_outdir_close(&dir);
        remove_out();
    }
}

Test(outdir, folder_of_another_kind)
{
    static const char *const names[] = {"notes.txt", "mark.json", NULL};
    static const f2l_outdir_kind kind = {.names = names, .mark = "mark.json"};
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, false, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "", 0, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_outdir_write(&dir, "notes.txt", "new", 3, &err), F2L_OK);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("."), 0);
    /* A notes.txt alone may be anybody's. */
    cr_assert_eq(mkdir("OUT", 0777), 0);
    put_file("OUT/notes.txt", "precious");
    cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, true, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "has no file 'mark.json'"));
    put_file("OUT/mark.json", "");
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_EEXIST);
    cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, true, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_outdir_write(&dir, "notes.txt", "new", 3, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
    f2l_outdir_close(&dir);
    check_file("OUT/notes.txt", "new");
    cr_assert_eq(entries("OUT"), 1);
    unlink("OUT/notes.txt");
    cr_assert_eq(rmdir("OUT"), 0);
}

Test(outdir, folders_in_it)
{
    static const char *const names[] = {"a.txt", "in/a.txt", "in/b.txt", NULL};
    static const char *const folders[] = {"in", "empty", NULL};
    static const f2l_outdir_kind kind = {.names = names, .mark = "a.txt", .folders = folders};
    f2l_outdir dir;
    f2l_error err;
    size_t bytes;
    char sha256[65];
    put_file("old", "abc");
    for (int commit = 0; commit < 2; commit++) {
        cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, false, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_outdir_write(&dir, "in/a.txt", "new", 3, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_outdir_copy(&dir, "in/b.txt", "old", NULL, &bytes, sha256, &err), F2L_OK,
                     "%s", err.text);
        cr_assert_eq(bytes, 3);
        cr_assert_str_eq(sha256,
                         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        if (commit) cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
        f2l_outdir_close(&dir);
        cr_assert_eq(entries("."), commit ? 2 : 1);
    }
    check_file("OUT/in/a.txt", "new");
    check_file("OUT/in/b.txt", "abc");
    cr_assert_eq(entries("OUT/empty"), 0);
    cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, false, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "exists already, and is not replaced"));
    cr_assert_eq(system("rm -r OUT old"), 0);
}

Test(outdir, copy_fails)
{
    static const char *const names[] = {"a.txt", NULL};
    static const f2l_outdir_kind kind = {.names = names};
    volatile sig_atomic_t stop = SIGINT;
    const f2l_task task = {.cancel = &stop};
    f2l_outdir dir;
    f2l_error err;
    size_t bytes;
    char sha256[65];
    cr_assert_eq(f2l_outdir_open_kind(&dir, "OUT", &kind, false, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_outdir_copy(&dir, "b.txt", "old", NULL, &bytes, sha256, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_outdir_copy(&dir, "a.txt", "old", NULL, &bytes, sha256, &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "cannot open 'old'"));
    cr_assert_eq(f2l_outdir_copy(&dir, "a.txt", ".", NULL, &bytes, sha256, &err), F2L_EIO);
    put_file("old", "abc");
    cr_assert_eq(f2l_outdir_copy(&dir, "a.txt", "old", &task, &bytes, sha256, &err), F2L_UNKNOWN);
    cr_assert_eq(f2l_outdir_copy(&dir, "a.txt", "old", NULL, &bytes, sha256, &err), F2L_OK, "%s",
                 err.text);
    f2l_outdir_close(&dir);
    unlink("old");
}

Test(outdir, force_keeps_files_that_are_not_ours)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(mkdir("OUT", 0777), 0);
    put_file("OUT/network.lrnn", "old");
    put_file("OUT/thesis.tex", "precious");
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_EEXIST);
    cr_assert_not_null(strstr(err.text, "thesis.tex"));
    unlink("OUT/thesis.tex");
    cr_assert_eq(mkdir("OUT/report.json", 0777), 0);
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_EEXIST);
    cr_assert_eq(rmdir("OUT/report.json"), 0);
    /* A file appears between open and commit. */
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_OK);
    put_file("OUT/thesis.tex", "precious");
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_EEXIST);
    f2l_outdir_close(&dir);
    check_file("OUT/network.lrnn", "old");
    check_file("OUT/thesis.tex", "precious");
    cr_assert_eq(entries("."), 1);
    unlink("OUT/thesis.tex");
    remove_out();
}

Test(outdir, a_name_taken_meanwhile)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    put_file("OUT", "somebody else's");
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_EEXIST);
    f2l_outdir_close(&dir);
    check_file("OUT", "somebody else's");
    unlink("OUT");
}

Test(outdir, only_known_files_and_each_once)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "../escape", "x", 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_outdir_write(&dir, "notes.txt", "x", 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_outdir_write(&dir, "report.json", "x", 1, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "report.json", "y", 1, &err), F2L_EIO);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("."), 0);
}

/* A limit on the size of files replaces a full disk: write fails in the middle. */
Test(outdir, a_failing_write_leaves_no_file)
{
    static char bytes[10000];
    f2l_outdir dir;
    f2l_error err;
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {5000, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    f2l_status status = f2l_outdir_write(&dir, "weights.safetensors", bytes, sizeof bytes, &err);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    cr_assert_eq(status, F2L_EIO);
    cr_assert_not_null(strstr(err.text, "weights.safetensors"));
    cr_assert_eq(entries(dir.temporary), 0);
    f2l_outdir_close(&dir);
    cr_assert_eq(entries("."), 0);
}

Test(outdir, abandon_removes_the_temporary_folder)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "automaton.fsa", "x", 1, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "weights.safetensors", "x", 1, &err), F2L_OK);
    f2l_outdir_abandon(&dir);
    cr_assert_eq(entries("."), 0);
    f2l_outdir_close(&dir);
}

/* After a commit that is stopped between its two renames, the old folder comes back. */
Test(outdir, abandon_gives_the_old_folder_its_name_back)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(mkdir("OUT", 0777), 0);
    put_file("OUT/network.lrnn", "old");
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", true, &err), F2L_OK);
    dir.aside = f2l_strndup("OUT.old-1", 9);
    cr_assert_eq(rename("OUT", "OUT.old-1"), 0);
    f2l_outdir_abandon(&dir);
    check_file("OUT/network.lrnn", "old");
    cr_assert_eq(entries("."), 1);
    /* After both renames the old folder is removed. */
    cr_assert_eq(mkdir("OUT.old-1", 0777), 0);
    put_file("OUT.old-1/network.lrnn", "older");
    f2l_outdir_abandon(&dir);
    check_file("OUT/network.lrnn", "old");
    cr_assert_eq(entries("."), 1);
    f2l_outdir_close(&dir);
    remove_out();
}

/* The last complete stage is published, even if another one has been begun. */
Test(outdir, the_last_complete_stage_is_published)
{
    f2l_outdir dir;
    f2l_error err;
    static const char *const text[] = {"first", "second", "third"};
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", text[i], strlen(text[i]), &err),
                     F2L_OK);
        cr_assert_eq(f2l_outdir_write(&dir, "report.json", "{}", 2, &err), F2L_OK);
        cr_assert_eq(entries(dir.temporary), i == 0 ? 1 : 2, "the one before stays until then");
        f2l_outdir_remove_stage(&dir, f2l_outdir_complete_stage(&dir));
        cr_assert_eq(entries(dir.temporary), 1);
    }
    cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "half", 4, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_rewrite(&dir, "report.json", "{1}", 3, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK, "%s", err.text);
    f2l_outdir_close(&dir);
    check_file("OUT/network.lrnn", "third");
    check_file("OUT/report.json", "{1}");
    cr_assert_eq(entries("OUT"), 2);
    cr_assert_eq(entries("."), 1);
    remove_out();
}

Test(outdir, a_dropped_stage_leaves_the_complete_one)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "good", 4, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_complete_stage(&dir), 0);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
        cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "bad", 3, &err), F2L_OK);
        f2l_outdir_drop_stage(&dir);
        cr_assert_eq(entries(dir.temporary), 1);
    }
    dir.hasty = true;
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_OK);
    f2l_outdir_close(&dir);
    check_file("OUT/network.lrnn", "good");
    cr_assert_eq(entries("."), 1);
    remove_out();
}

Test(outdir, stages_go_where_nothing_is_published)
{
    for (int abandoned = 0; abandoned < 2; abandoned++) {
        f2l_outdir dir;
        f2l_error err;
        cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
        for (size_t i = 0; i < 2; i++) {
            cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
            cr_assert_eq(f2l_outdir_write(&dir, "weights.safetensors", "x", 1, &err), F2L_OK);
            if (i == 0) f2l_outdir_complete_stage(&dir);
        }
        if (abandoned) f2l_outdir_abandon(&dir);
        if (abandoned) cr_assert_eq(entries("."), 0);
        /* Further writing is refused. */
        if (abandoned) cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "x", 1, &err), F2L_EIO);
        f2l_outdir_close(&dir);
        cr_assert_eq(entries("."), 0);
    }
}

/* When another file has taken the name, the stage is removed and this file stays. */
Test(outdir, a_stage_with_a_name_taken_meanwhile)
{
    f2l_outdir dir;
    f2l_error err;
    cr_assert_eq(f2l_outdir_open(&dir, "OUT", false, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_begin_stage(&dir, &err), F2L_OK);
    cr_assert_eq(f2l_outdir_write(&dir, "network.lrnn", "new", 3, &err), F2L_OK);
    f2l_outdir_complete_stage(&dir);
    put_file("OUT", "somebody else's");
    cr_assert_eq(f2l_outdir_commit(&dir, &err), F2L_EEXIST);
    f2l_outdir_close(&dir);
    check_file("OUT", "somebody else's");
    cr_assert_eq(entries("."), 1);
    unlink("OUT");
}

#ifdef F2L_MEM_FAILURES
Test(outdir, running_out_of_memory_leaves_nothing)
{
    f2l_outdir dir;
    f2l_error err;
    size_t n = 1;
    for (;; n++) {
        cr_assert_eq(mkdir("OUT", 0777), 0);
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_outdir_open(&dir, "OUT", true, &err);
        if (status == F2L_OK) status = f2l_outdir_commit(&dir, &err);
        f2l_mem_fail_after(0, false);
        f2l_outdir_close(&dir);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        cr_assert_eq(entries("."), 1);
        cr_assert_eq(rmdir("OUT"), 0);
        if (status == F2L_OK) break;
    }
    cr_assert_eq(n, 4);
}
#endif
