/* Folders that processes were making for a run when they were killed. */
#include "models/learn/train/train_abandoned.h"
#include "numeric/base/lock.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Files that runs begin with; the log is locked by the process that works. */
static const char *const first_files[] = {"config.json", "provenance.json",   "automaton.fsa",
                                          "words.json",  "first.safetensors", "sweep.json"};

static bool is_first_file(const char *name)
{
    for (size_t i = 0; i < sizeof first_files / sizeof *first_files; i++)
        if (strcmp(name, first_files[i]) == 0 || f2l_is_unfinished(name, first_files[i]))
            return true;
    return false;
}

/* Returns whether the folder has a log and files that runs begin with, and nothing else. */
static bool has_only_first_files(DIR *entries)
{
    bool only = true;
    for (const struct dirent *entry; only && (entry = readdir(entries));)
        only = f2l_path_is_dots(entry->d_name) || strcmp(entry->d_name, "log.jsonl") == 0 ||
               is_first_file(entry->d_name);
    rewinddir(entries);
    return only;
}

/* The log goes last, so that a folder without one is empty. */
void f2l_train_remove_abandoned(int parent, const char *name)
{
    const struct dirent *entry;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    const int log =
        folder < 0 ? -1 : openat(folder, "log.jsonl", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool locked = log >= 0 && f2l_lock_file(log) &&
                        f2l_lock_is_named(folder, parent, name, AT_SYMLINK_NOFOLLOW);
    DIR *entries = locked ? fdopendir(folder) : NULL;
    if (entries && has_only_first_files(entries)) {
        while ((entry = readdir(entries)) != NULL)
            if (is_first_file(entry->d_name)) (void)unlinkat(folder, entry->d_name, 0);
        (void)unlinkat(folder, "log.jsonl", 0);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    if (log < 0 && folder >= 0) (void)unlinkat(parent, name, AT_REMOVEDIR); /* if it is empty */
    if (log >= 0) close(log);
    if (entries)
        closedir(entries); /* and the folder */
    else if (folder >= 0)
        close(folder);
}

f2l_status f2l_train_remove_all_abandoned(const char *path, f2l_error *err)
{
    const struct dirent *entry;
    char *whole = f2l_strndup(path, f2l_path_trimmed(path));
    if (!whole) return f2l_fail_memory(err);
    const char *base = f2l_path_base(whole);
    const size_t above = (size_t)(base - whole);
    char *parent = f2l_strndup(above ? whole : ".", above ? above : 1);
    DIR *entries = parent ? opendir(parent) : NULL;
    while (entries && (entry = readdir(entries)) != NULL)
        if (f2l_is_unfinished(entry->d_name, base))
            f2l_train_remove_abandoned(dirfd(entries), entry->d_name);
    if (entries) closedir(entries);
    f2l_free(whole);
    f2l_free(parent);
    return parent ? F2L_OK : f2l_fail_memory(err);
}
