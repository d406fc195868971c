#include "numeric/base/path.h"
#include <criterion/criterion.h>

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
