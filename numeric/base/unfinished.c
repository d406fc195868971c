#include "numeric/base/unfinished.h"
#include "numeric/base/lock.h"
#include "numeric/base/task.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_SIZE (sizeof F2L_UNFINISHED_MARK - 1)
#define MARKED (MARK_SIZE + F2L_UNFINISHED_ENDING) /* bytes behind the name of the file */

static const char symbols[] = "abcdefghijklmnopqrstuvwxyz0123456789";
#define SYMBOLS (sizeof symbols - 1)

void f2l_unfinished_set(char *name, unsigned attempt)
{
    const uint64_t seed = (uint64_t)getpid() << 32 ^ (uint64_t)(f2l_now() * 1e9);
    uint64_t digits = (seed + attempt) * UINT64_C(0x9e3779b97f4a7c15) >> 16;
    char *ending = name + strlen(name) - F2L_UNFINISHED_ENDING;
    for (size_t i = 0; i < F2L_UNFINISHED_ENDING; i++, digits /= SYMBOLS)
        ending[i] = symbols[digits % SYMBOLS];
}

/* Returns the size of the name before what marks it as temporary; 0: nothing does. */
static size_t size_before_mark(const char *name)
{
    const size_t size = strlen(name);
    const bool marked =
        size > MARKED &&
        strspn(name + size - F2L_UNFINISHED_ENDING, symbols) == F2L_UNFINISHED_ENDING &&
        memcmp(name + size - MARKED, F2L_UNFINISHED_MARK, MARK_SIZE) == 0;
    return marked ? size - MARKED : 0;
}

bool f2l_is_unfinished(const char *name, const char *of)
{
    const size_t size = size_before_mark(name);
    return size > 0 && size == strlen(of) && memcmp(name, of, size) == 0;
}

static bool is_like(const char *name, const char *begin, size_t begins, const char *end)
{
    const size_t size = size_before_mark(name), ends = strlen(end);
    return size > 0 && size >= begins + ends && memcmp(name, begin, begins) == 0 &&
           memcmp(name + size - ends, end, ends) == 0;
}

bool f2l_is_unfinished_like(const char *name, const char *begin, const char *end)
{
    return is_like(name, begin, strlen(begin), end);
}

/* Returns whether the name is one of the pattern. */
static bool is_of_pattern(const char *name, const char *pattern)
{
    const char *star = strchr(pattern, '*');
    return star ? is_like(name, pattern, (size_t)(star - pattern), star + 1)
                : f2l_is_unfinished(name, pattern);
}

/* Removes the file if nobody has it locked. Who opens a file to write it locks it then, and looks
 * whether it still has its name. */
static void remove_unfinished(int folder, const char *name)
{
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) return;
    const int file = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return;
    if (f2l_lock_file_now(file) && f2l_lock_is_named(file, folder, name, AT_SYMLINK_NOFOLLOW))
        (void)unlinkat(folder, name, 0);
    (void)close(file);
}

void f2l_sweep_unfinished(const char *folder, const char *const *of, size_t count)
{
    const struct dirent *entry;
    DIR *entries = opendir(folder);
    while (entries && (entry = readdir(entries)) != NULL)
        for (size_t i = 0; i < count; i++)
            if (is_of_pattern(entry->d_name, of[i]))
                remove_unfinished(dirfd(entries), entry->d_name);
    if (entries) (void)closedir(entries);
}
