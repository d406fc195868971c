/* The inputs: operands, what folders hold, and the paths of a list. */
#include "cli/plan/plan_job.h"
#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdlib.h>
#include <string.h>

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

/* Takes what is an input of a command: the folder itself, or files in it. An output folder is no
 * place for automata. */
static f2l_status visit_inputs(void *context, f2l_folder_found *found, f2l_error *err)
{
    f2l_plan_job *j = context;
    f2l_error why;
    const char *mark = mark_of(j->planned.command->files[0]);
    switch (found->kind) {
    case F2L_FOLDER_ITSELF:
        found->enter = mark ? !f2l_path_has(found->path, mark)
                            : found->depth == 0 || !f2l_path_has(found->path, "work.json");
        return mark && !found->enter ? f2l_plan_take(j, found->path, NULL, err) : F2L_OK;
    case F2L_FOLDER_FILE:
        return mark || !is_looked_at(found->path) ? F2L_OK
                                                  : f2l_plan_take(j, found->path, NULL, err);
    case F2L_FOLDER_LINK:
        j->links++;
        return F2L_OK;
    case F2L_FOLDER_DEEP:
        (void)f2l_fail(&why, F2L_EDOMAIN, "folders are searched for inputs %d deep", DEEPEST);
        break;
    default:
        (void)f2l_fail(&why, F2L_EIO, "cannot read the folder: %.200s", err->text);
    }
    f2l_plan_leave_out(j, found->path, &why);
    return F2L_OK;
}

static f2l_status take_named(f2l_plan_job *j, const char *path, const char *where, f2l_error *err)
{
    return f2l_path_is_folder(path) ? f2l_folder_walk(path, DEEPEST, visit_inputs, j, err)
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
