#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct case_of {
    const char *path, *base;
    size_t stem, folder;
} case_of;

/* Paths, their base names, and the lengths of the base name's stem and of the folder. */
static const case_of cases[] = {
    {"", "", 0, 0},
    {"/", "/", 1, 1},
    {"//", "//", 2, 2},
    {"a", "a", 1, 0},
    {"a/", "a/", 2, 2},
    {"a/b", "b", 1, 2},
    {"/a", "a", 1, 1},
    {"/a/b.fsa", "b.fsa", 1, 3},
    {"a.b/c", "c", 1, 4},
    {"a.b/c/", "a.b/c/", 1, 6},
    {"a//b.x", "b.x", 1, 3},
    {"a.b.fsa", "a.b.fsa", 3, 0},
    {".fsa", ".fsa", 4, 0},
    {"x/.fsa", ".fsa", 4, 2},
    {".a.fsa", ".a.fsa", 2, 0},
    {"a.", "a.", 1, 0},
    {"..", "..", 1, 0},
};

Test(path, parts_of_paths)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const case_of *c = &cases[i];
        cr_assert_str_eq(f2l_path_base(c->path), c->base, "%s", c->path);
        cr_assert_eq(f2l_path_stem(c->base), c->stem, "%s", c->path);
        cr_assert_eq(f2l_path_folder(c->path), c->folder, "%s", c->path);
    }
}

Test(path, parts_are_bytes_of_the_path)
{
    const char *path = "some/folder/name.fsa";
    cr_assert_eq(f2l_path_base(path), path + f2l_path_folder(path));
    cr_assert_eq(f2l_path_folder(path), 12);
}

Test(path, what_is_there)
{
    char folder[] = "/tmp/f2l-path-XXXXXX", file[64], below[64];
    static char name[2 * PATH_MAX];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(below, sizeof below, "%s/below", folder);
    FILE *f = fopen(file, "w");
    cr_assert(f && fclose(f) == 0);
    cr_assert_eq(mkdir(below, 0777), 0);
    cr_assert(f2l_path_is_folder(folder) && f2l_path_is_folder(below));
    cr_assert(!f2l_path_is_folder(file) && !f2l_path_is_folder(""));
    cr_assert(f2l_path_is_empty(below) && !f2l_path_is_empty(folder));
    cr_assert(!f2l_path_is_empty(file) && !f2l_path_is_empty(""));
    cr_assert(f2l_path_has(folder, "file"));
    cr_assert(!f2l_path_has(folder, "below"), "a folder is no file");
    cr_assert(!f2l_path_has(folder, "other") && !f2l_path_has(file, "file"));
    memset(name, '/', sizeof name - 1);
    memcpy(name + sizeof name - 5, "file", 4);
    cr_assert(!f2l_path_has(folder, name), "too long, though its beginning is there");
#ifdef F2L_MEM_FAILURES
    f2l_mem_fail_after(1, true);
    const bool there = f2l_path_has(folder, "file");
    f2l_mem_fail_after(0, false);
    cr_assert(there);
#endif
    cr_assert(unlink(file) == 0 && rmdir(below) == 0 && rmdir(folder) == 0);
}

Test(path, endings)
{
    cr_assert(f2l_path_ends("a/b.pt", ".pt") && f2l_path_ends(".pt", ".pt"));
    cr_assert(f2l_path_ends("", "") && f2l_path_ends("a", ""));
    cr_assert(f2l_path_is_named("a.pt", ".pt") && !f2l_path_is_named(".pt", ".pt"));
    cr_assert(!f2l_path_is_named("a.pth", ".pt") && !f2l_path_is_named("", ""));
    cr_assert(!f2l_path_ends("pt", ".pt") && !f2l_path_ends("a.pth", ".pt"));
}

Test(path, slashes_at_the_end_and_dots)
{
    cr_assert(f2l_path_trimmed("") == 0 && f2l_path_trimmed("/") == 1);
    cr_assert(f2l_path_trimmed("//") == 1 && f2l_path_trimmed("a") == 1);
    cr_assert(f2l_path_trimmed("a/b") == 3 && f2l_path_trimmed("a/b//") == 3);
    cr_assert(f2l_path_is_dots(".") && f2l_path_is_dots(".."));
    cr_assert(!f2l_path_is_dots("") && !f2l_path_is_dots("...") && !f2l_path_is_dots(".a"));
}
