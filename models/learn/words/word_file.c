#define _XOPEN_SOURCE 700 /* realpath */
#include "models/learn/words/word_file.h"
#include "models/learn/words/impl.h"
#include "models/learn/words/word_language.h"
#include "numeric/base/folder.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARTING "---\n" /* between the files of f2l_word_file_parse */

typedef struct format {
    const char *name;
    const char *ending; /* of the files; NULL: the format is a folder with the files below */
    const char *file[F2L_WORD_FILE_FILES];
    f2l_status (*read)(f2l_word_reader *reader, f2l_error *err);
} format;

static const format formats[] = {
    {"csv", ".csv", {NULL}, f2l_word_read_csv},
    {"flare", NULL, {"main.tok", "labels.txt", NULL}, f2l_word_read_flare},
    {"flare-prefix",
     NULL,
     {"main.tok", "labels.txt", "next-symbols.jsonl"},
     f2l_word_read_flare_prefix},
    {"flare-next",
     NULL,
     {"main.tok", "labels.txt", "next-symbols.jsonl"},
     f2l_word_read_flare_next},
    {"jsonl", ".jsonl", {NULL}, f2l_word_read_jsonl},
    {"npz", ".npz", {NULL}, f2l_word_read_npz},
    {"npz-labels", ".npz", {NULL}, f2l_word_read_npz_labels},
    {"npz-answers", ".npz", {NULL}, f2l_word_read_npz_answers}};
enum { FORMATS = sizeof formats / sizeof *formats, FLARE = 1 };

const char *f2l_word_file_format(size_t index)
{
    return index < FORMATS ? formats[index].name : NULL;
}

/* --- the source --- */

/* Returns the format whose ending the names of the files in the folder have; NULL: none. */
static const format *format_inside(const char *folder)
{
    const format *found = NULL;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir != NULL && found == NULL && (e = readdir(dir)) != NULL;)
        for (size_t i = 0; i < FORMATS && found == NULL; i++)
            if (formats[i].ending && f2l_path_is_named(e->d_name, formats[i].ending))
                found = &formats[i];
    if (dir) closedir(dir);
    return found;
}

static const format *format_of(const char *path)
{
    if (f2l_path_is_folder(path))
        return f2l_path_has(path, formats[FLARE].file[0]) ? &formats[FLARE] : format_inside(path);
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].ending && f2l_path_is_named(path, formats[i].ending)) return &formats[i];
    return NULL;
}

/* Returns the format, and sets *path to the path, which is a part of the source. */
static const format *split_source(const char **path, const char *source)
{
    const char *colon = strchr(source, ':');
    *path = source;
    for (size_t i = 0; colon && i < FORMATS; i++)
        if (strlen(formats[i].name) == (size_t)(colon - source) &&
            strncmp(formats[i].name, source, (size_t)(colon - source)) == 0) {
            *path = colon + 1;
            return &formats[i];
        }
    return format_of(source);
}

static f2l_status no_format(const char *source, f2l_error *err)
{
    f2l_buf list;
    f2l_buf_init(&list);
    for (size_t i = 0; i < FORMATS; i++)
        f2l_buf_printf(&list, "%s%s", i ? ", " : "", formats[i].name);
    const f2l_status status = f2l_fail(err, F2L_EDOMAIN,
                                       "the format of '%.200s' is not known: say FORMAT:PATH with "
                                       "one of %s or mlregtest",
                                       source, list.data ? list.data : "");
    f2l_buf_clear(&list);
    return status;
}

f2l_status f2l_word_file_test_of(f2l_buf *out, const char *source, f2l_error *err)
{
    const char *path;
    f2l_word_language language;
    if (f2l_word_language_parse(&language, source)) {
        f2l_word_language_put(out, &language, F2L_SET_DEV);
        return f2l_buf_status(out, err);
    }
    const format *f = split_source(&path, source);
    f2l_buf folder;
    if (f == NULL || f->ending) return F2L_OK;
    f2l_buf_init(&folder);
    f2l_buf_printf(&folder, "%s/datasets/test", path);
    f2l_status status = f2l_buf_status(&folder, err);
    if (status == F2L_OK && f2l_path_has(folder.data, f->file[0])) {
        f2l_buf_printf(out, "%s:%s", f->name, folder.data);
        status = f2l_buf_status(out, err);
    }
    f2l_buf_clear(&folder);
    return status;
}

/* --- files --- */

/* What is being read: the format, and the hash of all files. */
typedef struct import {
    const format *format;
    f2l_word_reader *reader;
    f2l_sha256 all;
    size_t files;
    char first[65]; /* hash of the first file */
    f2l_buf *file;  /* the user's, for messages */
} import;

static f2l_status open_word_file(f2l_word_lines *lines, const char *path, const f2l_task *task,
                                 f2l_error *err)
{
    if (f2l_path_is_folder(path)) return f2l_fail(err, F2L_EIO, "%s is a folder", path);
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return f2l_fail(err, F2L_EIO, "cannot open %s: %s", path, f2l_reason_of(errno).text);
    return f2l_word_lines_init(lines, file, task, err);
}

/* Adds "HASH  NAME", a line of sha256sum, for a file that was read to its end. */
static void add_hash(import *i, f2l_word_lines *lines, const char *path)
{
    char hex[65];
    f2l_sha256_final(&lines->hash, hex);
    if (i->files++ == 0) memcpy(i->first, hex, sizeof i->first);
    const char *base = f2l_path_base(path);
    f2l_sha256_update(&i->all, hex, 64);
    f2l_sha256_update(&i->all, "  ", 2);
    f2l_sha256_update(&i->all, base, strlen(base));
    f2l_sha256_update(&i->all, "\n", 1);
}

static f2l_status set_path(f2l_buf *out, const char *folder, const char *name, f2l_error *err)
{
    f2l_buf_clear(out);
    f2l_buf_printf(out, "%s%s%s", folder, name ? "/" : "", name ? name : "");
    return f2l_buf_status(out, err);
}

/* Reads one file, or the files of a folder that belong together. `name` NULL: the path is the
 * file. */
static f2l_status read_word_files(import *i, const char *path, const char *const *name,
                                  size_t files, f2l_error *err)
{
    f2l_word_lines lines[F2L_WORD_FILE_FILES] = {0};
    f2l_buf at[F2L_WORD_FILE_FILES];
    f2l_status status = F2L_OK;
    size_t opened = 0;
    f2l_word_reader *r = i->reader;
    for (size_t k = 0; k < F2L_WORD_FILE_FILES; k++) f2l_buf_init(&at[k]);
    for (size_t k = 0; k < files && status == F2L_OK; k++) {
        r->at_file = k;
        status = set_path(&at[k], path, name ? name[k] : NULL, err);
        if (status == F2L_OK) status = open_word_file(&lines[k], at[k].data, r->o->task, err);
        if (status != F2L_OK) break;
        r->file[k] = &lines[k];
        opened++;
    }
    if (status == F2L_OK) {
        r->at_file = 0;
        status = i->format->read(r, err);
    }
    if (at[r->at_file].data) (void)set_path(i->file, at[r->at_file].data, NULL, NULL);
    for (size_t k = 0; k < files && status == F2L_OK; k++) add_hash(i, &lines[k], at[k].data);
    for (size_t k = 0; k < opened; k++) f2l_word_lines_clear(&lines[k]);
    for (size_t k = 0; k < F2L_WORD_FILE_FILES; k++) f2l_buf_clear(&at[k]);
    return status;
}

/* Lists the names of a folder that have the ending, in order. */
static f2l_status list_word_files(f2l_folder_names *out, const char *folder, const char *ending,
                                  f2l_error *err)
{
    f2l_error why;
    const f2l_status status = f2l_folder_read(out, folder, "", ending, &why);
    if (status != F2L_OK) return f2l_fail(err, status, "cannot open %s: %s", folder, why.text);
    return out->count > 0 ? F2L_OK
                          : f2l_fail(err, F2L_EDOMAIN, "%s has no files *%s", folder, ending);
}

static f2l_status read_word_folder(import *i, const char *path, f2l_error *err)
{
    f2l_folder_names list;
    f2l_status status = list_word_files(&list, path, i->format->ending, err);
    for (size_t k = 0; k < list.count && status == F2L_OK; k++) {
        const char *one[] = {list.name[k]};
        status = read_word_files(i, path, one, 1, err);
    }
    f2l_folder_names_clear(&list);
    return status;
}

static size_t files_of(const format *f)
{
    size_t files = 0;
    while (files < F2L_WORD_FILE_FILES && f->file[files]) files++;
    return f->ending ? 1 : files;
}

/* Sets the source with an absolute path, and the hash. */
static f2l_status sign(f2l_word_list *out, import *i, const char *path, f2l_error *err)
{
    f2l_buf source;
    char *whole = realpath(path, NULL);
    f2l_buf_init(&source);
    f2l_buf_printf(&source, "%s:%s", i->format->name, whole ? whole : path);
    free(whole);
    const f2l_status status = f2l_buf_status(&source, err);
    out->source = source.data;
    f2l_sha256_final(&i->all, out->sha256);
    if (i->files == 1) memcpy(out->sha256, i->first, sizeof i->first);
    return status;
}

static f2l_status begin_word_reader(f2l_word_reader *r, f2l_word_list *out,
                                    const f2l_word_file_options *options, f2l_error *err)
{
    f2l_status status = F2L_OK;
    r->words = out;
    r->o = options;
    r->state = options->fsa ? options->fsa->start : 0;
    if (options->letters) status = f2l_word_list_use_letters(out, options->letters, err);
    if (status == F2L_OK && options->labels)
        status = f2l_word_list_use_labels(out, options->labels, err);
    return status;
}

f2l_status f2l_word_file_read(f2l_word_list *out, f2l_buf *file, const char *source,
                              const f2l_word_file_options *options, f2l_error *err)
{
    const char *path;
    f2l_word_language language;
    if (f2l_word_language_parse(&language, source)) {
        const f2l_status status = set_path(file, language.path, NULL, err);
        return status == F2L_OK ? f2l_word_language_read(out, &language, options, err) : status;
    }
import i = {.format = split_source(& path, source), .file = file };
    if (i.format == NULL) return no_format(source, err);
    i.reader = f2l_calloc(1, sizeof *i.reader);
    if (i.reader == NULL) return f2l_fail_memory(err);
    f2l_sha256_init(&i.all);
    f2l_status status = set_path(file, path, NULL, err);
    if (status == F2L_OK) status = begin_word_reader(i.reader, out, options, err);
    if (status == F2L_OK)
        status = i.format->ending == NULL
                     ? read_word_files(&i, path, i.format->file, files_of(i.format), err)
                 : f2l_path_is_folder(path) ? read_word_folder(&i, path, err)
                                            : read_word_files(&i, path, NULL, 1, err);
    if (status == F2L_OK) status = f2l_word_list_finish(out, err);
    if (status == F2L_OK) status = sign(out, &i, path, err);
    f2l_free(i.reader);
    if (status != F2L_OK) f2l_word_list_clear(out);
    return status;
}

/* --- a text in place of files --- */

/* Returns the bytes before the next parting line, or all. */
static size_t bytes_before_parting(const char *text, size_t size)
{
    const size_t n = strlen(PARTING);
    for (size_t at = 0; at + n <= size; at++)
        if ((at == 0 || text[at - 1] == '\n') && memcmp(text + at, PARTING, n) == 0) return at;
    return size;
}

f2l_status f2l_word_file_parse(f2l_word_list *out, size_t index, const char *text, size_t size,
                               const f2l_word_file_options *options, f2l_error *err)
{
    f2l_word_lines lines[F2L_WORD_FILE_FILES] = {0};
    const size_t files = files_of(&formats[index]);
    f2l_word_reader *r = f2l_calloc(1, sizeof *r);
    if (r == NULL) return f2l_fail_memory(err);
    f2l_status status = begin_word_reader(r, out, options, err);
    for (size_t k = 0; k < files && status == F2L_OK; k++) {
        const size_t part = k + 1 < files ? bytes_before_parting(text, size) : size;
        FILE *file = part > 0 ? fmemopen((char *)text, part, "rb") : fopen("/dev/null", "rbe");
        status =
            file ? f2l_word_lines_init(&lines[k], file, options->task, err) : f2l_fail_memory(err);
        r->file[k] = &lines[k];
        const size_t taken = part + (part < size ? strlen(PARTING) : 0);
        text += taken;
        size -= taken;
    }
    if (status == F2L_OK) status = formats[index].read(r, err);
    if (status == F2L_OK) status = f2l_word_list_finish(out, err);
    for (size_t k = 0; k < files; k++) f2l_word_lines_clear(&lines[k]);
    f2l_free(r);
    if (status != F2L_OK) f2l_word_list_clear(out);
    return status;
}
