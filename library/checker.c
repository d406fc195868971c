/* The feature macro is for dladdr1, which tells where the library is. */
#define _GNU_SOURCE
#include "library/checker.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKER "lrnn-check"

/* --- where it is --- */

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* Sets `path` to lrnn-check at `place` as seen from the folder of the file `me`. Returns whether it
 * is there; not where `me` has no folder. */
static bool found_near(char *path, size_t room, const char *me, const char *place)
{
    const char *slash = strrchr(me, '/');
    const int folder = slash ? (int)(slash - me) + 1 : 0;
    const int n = snprintf(path, room, "%.*s%s" CHECKER, folder, me, place);
    return slash && n > 0 && (size_t)n < room && is_program(path);
}

/* Looks beside the program that this library is linked into. Only the system knows where that is:
 * the name by which it was called is the caller's choice. */
static bool is_beside_program(char *path, size_t room)
{
    char *me = realpath("/proc/self/exe", NULL);
    const bool found = me && found_near(path, room, me, "");
    free(me);
    return found;
}

/* Looks above and in the folder of the library's own file. */
static bool is_around(char *path, size_t room, const char *library)
{
    return found_near(path, room, library, "../bin/") ||
           found_near(path, room, library, "../../bin/") || found_near(path, room, library, "");
}

/* Looks around the library's own file, first by the name by which it was loaded and then where
 * links lead. */
static bool is_beside_library(char *path, size_t room, const char *library)
{
    if (is_around(path, room, library)) return true;
    char *real = realpath(library, NULL);
    const bool found = real && is_around(path, room, real);
    free(real);
    return found;
}

static bool is_beside(char *path, size_t room)
{
    static const char here; /* an address in this library */
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name)
        return false;
    /* The program itself has an empty name in the loader's list. A name that is no path from the
     * root was one in the folder of then, which may be another one now. */
    if (map->l_name[0] == '\0') return is_beside_program(path, room);
    return map->l_name[0] == '/' && is_beside_library(path, room, map->l_name);
}

static bool is_on_path(char *path, size_t room)
{
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t size = strcspn(at, ":");
        const int n = snprintf(path, room, "%.*s/" CHECKER, (int)size, at);
        if (*at == '/' && n > 0 && (size_t)n < room && is_program(path)) return true;
        at += size + (at[size] == ':');
    }
    return false;
}

library_checker_place library_checker_find(char *path, size_t room)
{
    if (is_beside(path, room)) return LIBRARY_CHECKER_BESIDE;
    return is_on_path(path, room) ? LIBRARY_CHECKER_ON_PATH : LIBRARY_CHECKER_NONE;
}

/* --- what it says --- */

/* The texts with which lrnn-check and its companions give up for a reason of the machine; behind
 * the first one comes which file, and why. The checkers exit with the same status for all reasons,
 * so tests/cli/checkers/t_check_reasons.py compares these with the texts in their sources: each
 * text there is in this list, or in the test's list of those that are about the files. */
static const char *const of_machine[] = {
    "a file cannot be read",
    "out of memory",
    "the files cannot be handed to the program for them",
    "the folder of this program cannot be found",
    "this triple needs a program that is not there",
    "standard input ends before the files do",
    "standard input goes on behind the files",
    "the limit of time was reached",
};

bool library_checker_is_of_machine(const char *reason)
{
    const char *text = strstr(reason, ": "); /* behind the name of the program */
    if (!text) return false;
    text += 2;
    /* The path of a companion that cannot be run comes before the text about it. */
    if (*text == '/') return true;
    for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
        if (strncmp(text, of_machine[i], strlen(of_machine[i])) == 0) return true;
    return false;
}
