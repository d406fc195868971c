/* The inputs: operands, what folders hold, and the paths of a list. */
#include "cli/plan/plan_job.h"
#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEEPEST 64 /* folders in folders */
#define LARGEST_LIST ((size_t)256 << 20)

/* The file by which a folder is an input: of the folder of a network or of a run. */
static const char *mark_of(f2l_files files)
{
    return files == F2L_FILES_NETWORK     ? "network.lrnn"
           : files == F2L_FILES_AUTOMATON ? "certificate.cert"
           : files == F2L_FILES_WEIGHTS   ? "weights.safetensors"
                                          : NULL;
}

/* Returns whether a file of a folder is looked at: its name ends like the names of automata. Most
 * .txt in folders are none. */
static bool is_looked_at(const char *name)
{
    for (size_t i = 0; f2l_files_ending(F2L_FILES_GRAMMAR, i); i++)
        if (strcmp(f2l_files_ending(F2L_FILES_GRAMMAR, i), ".txt") != 0 &&
            f2l_path_is_named(name, f2l_files_ending(F2L_FILES_GRAMMAR, i)))
            return true;
    return false;
}

/* --- folders --- */

static f2l_status search_folder(f2l_plan_job *j, const char *folder, size_t depth, f2l_error *err);

/* Looks at a file or a folder in a folder; links to folders are not followed. */
static f2l_status search_entry(f2l_plan_job *j, const char *path, size_t depth, f2l_error *err)
{
    struct stat about;
    const char *mark = mark_of(j->planned.command->files[0]);
    const bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    if (stat(path, &about) != 0) return F2L_OK;
    if (S_ISDIR(about.st_mode)) return link ? F2L_OK : search_folder(j, path, depth + 1, err);
    if (mark || !S_ISREG(about.st_mode) || !is_looked_at(path)) return F2L_OK;
    return f2l_plan_take(j, path, NULL, err);
}

/* Takes the inputs of a folder: the folder itself, or what is in it. An output folder is no place
 * for automata. */
static f2l_status search_folder(f2l_plan_job *j, const char *folder, size_t depth, f2l_error *err)
{
    f2l_error why;
    f2l_folder_names list;
    const char *mark = mark_of(j->planned.command->files[0]);
    if (mark && f2l_path_has(folder, mark)) return f2l_plan_take(j, folder, NULL, err);
    if (depth > DEEPEST) return F2L_OK;
    if (!mark && depth > 0 && f2l_path_has(folder, "work.json")) return F2L_OK;
    f2l_status status = f2l_folder_read(&list, folder, "", "", &why);
    if (status != F2L_OK) (void)f2l_fail(err, status, "cannot read the folder: %s", why.text);
    if (status == F2L_EIO) {
        f2l_plan_leave_out(j, folder, err);
        status = F2L_OK;
    }
    for (size_t i = 0; i < list.count && status == F2L_OK; i++) {
        f2l_buf path;
        const size_t size = strlen(folder);
        if (list.name[i][0] == '.') continue; /* hidden */
        f2l_buf_init(&path);
        f2l_buf_printf(&path, "%s%s%s", folder, size && folder[size - 1] == '/' ? "" : "/",
                       list.name[i]);
        status = f2l_buf_status(&path, err);
        if (status == F2L_OK) status = search_entry(j, path.data, depth, err);
        f2l_buf_clear(&path);
    }
    f2l_folder_names_clear(&list);
    return status;
}

static f2l_status take_named(f2l_plan_job *j, const char *path, const char *where, f2l_error *err)
{
    return f2l_path_is_folder(path) ? search_folder(j, path, 0, err)
                                    : f2l_plan_take(j, path, where, err);
}

/* --- the list --- */

/* Takes the paths of the list, one a line; empty lines and those that begin with # are none. */
static f2l_status take_list(f2l_plan_job *j, f2l_error *err)
{
    f2l_buf text, where;
    size_t line = 0;
    f2l_buf_init(&text);
    f2l_buf_init(&where);
    f2l_status status = f2l_read_file(&text, j->o.list, LARGEST_LIST, err);
    if (status == F2L_OK && text.size > 0 && memchr(text.data, '\0', text.size))
        status = f2l_fail(err, F2L_EFORMAT, "the list has a NUL byte: it is one path a line");
    f2l_buf_text(&text, "");
    for (char *at = text.data, *next; status == F2L_OK && at && *at; at = next) {
        const size_t size = strcspn(at, "\n");
        next = at + size + (at[size] == '\n');
        line++;
        at[size - (size > 0 && at[size - 1] == '\r')] = '\0';
        if (!*at || *at == '#') continue;
        where.size = 0;
        f2l_buf_printf(&where, "%s:%zu: %s", j->o.list, line, at);
        status = f2l_buf_status(&where, err);
        if (status == F2L_OK) status = take_named(j, at, where.data, err);
    }
    f2l_buf_clear(&text);
    f2l_buf_clear(&where);
    return status;
}

/* Appends the one unit of a command whose operands are words, or of an expression. */
static f2l_status take_words(f2l_plan_job *j, f2l_error *err)
{
    f2l_plan_unit *unit;
    const f2l_status status = f2l_plan_add(&unit, j, err);
    return status == F2L_OK ? f2l_plan_look_at(unit, j, err) : status;
}

int f2l_plan_find_inputs(f2l_plan_job *j)
{
    f2l_error err;
    f2l_status status = F2L_OK;
    const f2l_planned *p = &j->planned;
    const bool words = p->command->files[0] == F2L_FILES_NONE;
    const bool regex = p->input && p->input->regex;
    if (words && j->o.list)
        return f2l_cli_usage(&j->cli, "--list is for files, and %s reads none", p->command->name);
    if (regex && (p->operands || j->o.list))
        return f2l_cli_usage(&j->cli, "--regex takes the place of files");
    if (words || regex) {
        status = take_words(j, &err);
    } else {
        for (size_t i = 0; i < p->operands && status == F2L_OK; i++)
            status = take_named(j, p->operand[i], NULL, &err);
        if (status == F2L_OK && j->o.list) status = take_list(j, &err);
    }
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.list, &err);
}
