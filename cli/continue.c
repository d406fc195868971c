#include "cli/continue.h"
#include "cli/continue_request.h"
#include "cli/draw.h"
#include "cli/signals.h"
#include "cli/work/lock.h"
#include "cli/work/record.h"
#include "cli/work/request.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const f2l_option f2l_work_table[] = {
    {"continue", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, offsetof(f2l_global, go_on),
     "work in the folder --out, which gets a record of the work: begin it, go on after a kill, or "
     "do nothing where it is done, with the status 0 whatever the verdict (docs/cluster.md)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const f2l_option f2l_work_out_table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FOLDER", NULL, F2L_FILES_FOLDER, 0, offsetof(f2l_global, folder),
     "with --continue: the folder of the work, which gets result.json"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static const f2l_work_kind *kind_of(const f2l_cli *cli)
{
    return cli->command->work;
}

/* Returns whether the result is the JSON that the command prints. */
static bool is_printed(const f2l_cli *cli)
{
    const f2l_work_kind *kind = kind_of(cli);
    if (kind->keeps) return false;
    return !kind->result || (kind->printed_with && f2l_given_has(&cli->given, kind->printed_with));
}

static const char *result_of(const f2l_cli *cli)
{
    return kind_of(cli)->result && !is_printed(cli) ? kind_of(cli)->result : F2L_WORK_RESULT;
}

/* --- the folder --- */

/* Returns the field that holds the value of the command's own --out. */
static const char **out_field(f2l_cli *cli)
{
    f2l_option_group group;
    const char *value;
    const f2l_option *o = f2l_options_match(cli->command, "--out", &group, &value);
    char *values = (char *)cli + cli->command->values_at + group.offset;
    return (const char **)(void *)(values + o->offset);
}

/* Sets the folder, and lets --out name the file in it. Returns 0, or the status of wrong usage. */
static int choose_work_folder(f2l_cli *cli)
{
    f2l_error err;
    const f2l_work_kind *kind = kind_of(cli);
    const char **out = kind->own_out ? out_field(cli) : &cli->global.folder;
    if (!*out || !**out)
        return f2l_cli_usage(cli, "--continue works in a folder: --out FOLDER is missing");
    if (f2l_given_has(&cli->given, "force"))
        return f2l_cli_usage(cli, "--continue and --force exclude each other");
    cli->work.folder = *out;
    if (!kind->file) return 0;
    f2l_buf_printf(&cli->work.file, "%s/%s", *out, kind->file);
    if (f2l_buf_status(&cli->work.file, &err) != F2L_OK) return f2l_cli_fail(cli, NULL, &err);
    *out = cli->work.file.data;
    return 0;
}

/* Refuses a folder that has files and no record, unless the command itself looks at them. */
static f2l_status check_work_folder(const f2l_cli *cli, f2l_error *err)
{
    const char *folder = cli->work.folder;
    if (kind_of(cli)->keeps || f2l_path_has(folder, F2L_WORK_FILE) || f2l_work_is_new(folder))
        return F2L_OK;
    return f2l_fail(err, F2L_EEXIST, "%s has other files, and no " F2L_WORK_FILE, folder);
}

/* Makes and locks the folder; sets *there to the record that it has, or NULL. */
static f2l_status take_folder(f2l_cli *cli, json_t **there, f2l_error *err)
{
    f2l_work *w = &cli->work;
    *there = NULL;
    f2l_status status = f2l_work_make_folder(&w->made, w->folder, err);
    if (status == F2L_OK) status = check_work_folder(cli, err);
    if (status == F2L_OK) status = f2l_work_lock(&w->lock, w->folder, F2L_WORK_LOCK, true, err);
    if (status == F2L_OK) f2l_work_sweep(w->folder, kind_of(cli)->file, kind_of(cli)->result);
    if (status == F2L_OK) status = f2l_work_record_read(there, w->folder, err);
    w->renewed = *there == NULL;
    return status;
}

/* --- work that is done --- */

/* Appends a file of the folder. */
static f2l_status read_work_file(f2l_buf *text, const f2l_cli *cli, const char *name,
                                 f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", cli->work.folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_read_file(text, path.data, 0, err);
    f2l_buf_clear(&path);
    return status;
}

/* Returns whether the record says done and its result is there as it was written. */
static bool is_done(const f2l_cli *cli, const json_t *there)
{
    char sha256[65];
    const char *state = f2l_work_record_text(there, "state");
    const char *result = f2l_work_record_text(there, "result");
    const char *expected = f2l_work_record_text(there, "result_sha256");
    if (!state || strcmp(state, F2L_WORK_DONE) != 0) return false;
    if (!f2l_work_record_holds(there, cli->work.folder)) return false;
    if (!result) return true; /* the verdict is all that there is */
    return expected && f2l_path_has(cli->work.folder, result) &&
           f2l_sha256_in(sha256, cli->work.folder, result, NULL) == F2L_OK &&
           strcmp(sha256, expected) == 0;
}

/* Prints the result with --json, otherwise a line on the work; nothing with --quiet. */
static int show_done(f2l_cli *cli, const json_t *record)
{
    f2l_error err;
    f2l_buf text;
    f2l_status status = F2L_OK;
    const char *result = f2l_work_record_text(record, "result");
    f2l_buf_init(&text);
    if (cli->global.json && result) {
        status = read_work_file(&text, cli, result, &err);
    } else if (!cli->global.json && !cli->global.quiet) {
        f2l_buf_printf(&text, "%s: done in %.3g s, exit status %d%s%s\n", cli->work.folder,
                       json_number_value(json_object_get(record, "seconds")),
                       f2l_work_record_exit(record), result ? ", " : "", result ? result : "");
    }
    return f2l_cli_show(cli, &text, status, &err);
}

/* Draws the pages where a signal ended the work while it drew them, after its result was there. */
static void draw_missing_pages(f2l_cli *cli, int status)
{
    const char *folder = cli->work.folder;
    if (!kind_of(cli)->draws || f2l_given_has(&cli->given, "no-report")) return;
    if (!f2l_path_has(folder, "network.lrnn")) return;
    if (f2l_path_has(folder, "report.html") && f2l_path_has(folder, "report.md")) return;
    f2l_cli_draw(cli, folder, status);
}

/* --- the beginning --- */

/* Keeps the JSON that the command prints, where that is its result. */
static void keep_printed(f2l_cli *cli)
{
    if (!is_printed(cli)) return;
    cli->work.keeps_printed = true;
    cli->work.echoes = cli->global.json;
    cli->global.json = true;
}

/* Takes up the folder: the work is done, or its record says begun from now on. */
static int take_up(f2l_cli *cli, json_t *there, bool *over)
{
    f2l_error err;
    f2l_work *w = &cli->work;
    f2l_status status = F2L_OK;
    if (there && !kind_of(cli)->keeps) status = f2l_work_compare(there, w->record, w->folder, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, NULL, &err);
    if (there && !kind_of(cli)->keeps && is_done(cli, there)) {
        *over = true;
        const int shown = show_done(cli, there);
        draw_missing_pages(cli, shown);
        return shown;
    }
    status = f2l_work_record_write(w->record, w->folder, &err);
    if (status != F2L_OK) return f2l_cli_fail(cli, NULL, &err);
    w->on = true;
    keep_printed(cli);
    return 0;
}

int f2l_continue_begin(f2l_cli *cli, bool *over)
{
    f2l_error err;
    json_t *there;
    const f2l_work_kind *kind = kind_of(cli);
    if (!kind) return 0;
    if (!cli->global.go_on) {
        if (!cli->global.folder) return 0;
        return f2l_cli_usage(cli, "--out belongs to --continue, which works in a folder");
    }
    /* The command names its folder itself, and keeps it. */
    if (kind->keeps && !*out_field(cli)) return 0;
    cli->work.start = f2l_now();
    const int code = choose_work_folder(cli);
    if (code) return code;
    if (f2l_continue_request(cli, &err) != F2L_OK || take_folder(cli, &there, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    const int taken = take_up(cli, there, over);
    json_decref(there);
    return taken;
}

/* --- the end --- */

/* Returns whether a limit or a signal ended the work before its verdict, so that it can go on. */
static bool is_cut_short(const f2l_cli *cli, int status)
{
    const f2l_global *g = &cli->global;
    if (status > F2L_EXIT_SIGNAL || status == F2L_EXIT_MEMORY) return true;
    if (status != F2L_EXIT_UNKNOWN) return false;
    /* a limit for each part of the work is no limit of the process */
    const bool each = g->time_limit > 0 && cli->task.deadline <= 0;
    return each || f2l_watchdog_stopped() != F2L_WATCHDOG_NONE;
}

static const char *cause_of_end(const f2l_cli *cli, int status)
{
    if (f2l_signals_caught()) return f2l_signals_name(f2l_signals_caught());
    if (cli->work.reason[0]) return cli->work.reason;
    return status == F2L_EXIT_MEMORY || f2l_signals_is_memory_short() ? "memory limit reached"
                                                                      : "time limit reached";
}

/* Returns the reason as JSON, without the bytes at its end that are no whole character. */
static json_t *reason_as_json(const char *reason)
{
    json_t *text = NULL;
    size_t size = strlen(reason);
    if (size == 0) return json_null();
    for (size_t cut = 0; !text && cut < 4 && cut < size; cut++)
        text = json_stringn(reason, size - cut);
    return text ? text : json_string("a message that is not UTF-8");
}

static bool set_real(json_t *record, const char *name, double value)
{
    return json_object_set_new(record, name, json_real(value)) == 0;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Puts what the work took. */
static bool put_usage(f2l_cli *cli)
{
    struct rusage use;
    json_t *record = cli->work.record;
    if (getrusage(RUSAGE_SELF, &use) != 0) return true;
    return set_real(record, "seconds", f2l_now() - cli->work.start) &&
           set_real(record, "cpu_seconds", seconds_of(use.ru_utime) + seconds_of(use.ru_stime)) &&
           set_real(record, "memory_mib", (double)use.ru_maxrss / 1024);
}

/* Puts the name and the hash of the result, where it is there. */
static f2l_status put_result(f2l_cli *cli, f2l_error *err)
{
    char sha256[65];
    f2l_work *w = &cli->work;
    f2l_status status = F2L_OK;
    const char *name = result_of(cli);
    if (w->keeps_printed) {
        f2l_buf path;
        f2l_buf_init(&path);
        f2l_buf_printf(&path, "%s/%s", w->folder, name);
        status = f2l_buf_status(&path, err);
        if (status == F2L_OK) status = f2l_buf_status(&w->printed, err);
        if (status == F2L_OK)
            status = f2l_write_file(path.data, w->printed.data, w->printed.size, err);
        f2l_buf_clear(&path);
    }
    if (status != F2L_OK || !f2l_path_has(w->folder, name)) return status;
    status = f2l_sha256_in(sha256, w->folder, name, err);
    if (status == F2L_OK &&
        (json_object_set_new(w->record, "result", json_string(name)) != 0 ||
         json_object_set_new(w->record, "result_sha256", json_string(sha256)) != 0))
        status = f2l_fail_memory(err);
    return status;
}

/* Puts the hash of the files that the work made, where there are any. */
static f2l_status put_made(f2l_work *w, f2l_error *err)
{
    char sha256[65];
    const f2l_status status = f2l_work_hash_made(sha256, w->folder, err);
    if (status != F2L_OK || !sha256[0]) return status;
    return json_object_set_new(w->record, "made_sha256", json_string(sha256)) == 0
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Puts the state and what belongs to it. */
static bool put_state(f2l_cli *cli, int status, bool done, bool cut)
{
    json_t *record = cli->work.record;
    const char *reason = cut ? cause_of_end(cli, status) : cli->work.reason;
    return json_object_set_new(record, "state",
                               json_string(done ? F2L_WORK_DONE : F2L_WORK_FAILED)) == 0 &&
           json_object_set_new(record, "exit_status", json_integer(status)) == 0 &&
           json_object_set_new(record, "reason", reason_as_json(reason)) == 0 && put_usage(cli);
}

/* Removes the record of a folder in which nothing was begun, and what was made of the folder. */
static void forget_folder(f2l_cli *cli)
{
    static const char *const name[] = {F2L_WORK_FILE, F2L_WORK_LOCK};
    f2l_work *w = &cli->work;
    for (size_t i = 0; i < 2; i++) {
        f2l_buf path;
        f2l_buf_init(&path);
        f2l_buf_printf(&path, "%s/%s", w->folder, name[i]);
        if (!path.failed) (void)unlink(path.data);
        f2l_buf_clear(&path);
    }
    f2l_work_remove_folder(w->made, w->folder);
}

/* Returns whether the command began nothing: its usage was wrong, or, where it has a folder of its
 * own, the folder has nothing. */
static bool is_nothing_begun(const f2l_cli *cli, int status)
{
    const bool nothing = status == F2L_EXIT_USAGE || kind_of(cli)->keeps;
    return nothing && cli->work.renewed && f2l_work_is_new(cli->work.folder);
}

/* Writes the result and the record; returns the status with --continue. `cut`: it was cut short. */
static int record_end(f2l_cli *cli, int status, bool cut, f2l_error *err)
{
    f2l_work *w = &cli->work;
    f2l_status written = F2L_OK;
    const bool done = !cut && status <= F2L_EXIT_UNKNOWN;
    const int code = done ? 0 : cut ? F2L_EXIT_UNKNOWN : status;
    w->on = false;
    if (is_nothing_begun(cli, status)) {
        forget_folder(cli);
        return code;
    }
    if (done) written = put_result(cli, err);
    if (done && written == F2L_OK) written = put_made(w, err);
    if (written == F2L_OK && !put_state(cli, status, done, cut)) written = f2l_fail_memory(err);
    if (written == F2L_OK) written = f2l_work_record_write(w->record, w->folder, err);
    return written == F2L_OK ? code : F2L_EXIT_IO;
}

int f2l_continue_leave(f2l_cli *cli, int status)
{
    f2l_error err;
    if (!cli->work.on) return status;
    /* What was printed is not whole, so that only files can be the result. */
    const bool cut = cli->work.keeps_printed || status > F2L_EXIT_REFUTED;
    const int code = record_end(cli, status, cut, &err);
    return cut ? F2L_EXIT_UNKNOWN : code;
}

/* Prints what the work printed, or the line on work that is done. */
static int show_end(f2l_cli *cli, bool done)
{
    f2l_error err;
    f2l_work *w = &cli->work;
    if (!w->keeps_printed) return 0;
    w->keeps_printed = false;
    cli->global.json = w->echoes;
    if (done) return show_done(cli, w->record);
    return w->echoes ? f2l_cli_show(cli, &w->printed, f2l_buf_status(&w->printed, &err), &err) : 0;
}

int f2l_continue_end(f2l_cli *cli, int status)
{
    f2l_error err = {.status = F2L_OK};
    if (!cli->work.on) return status;
    const bool cut = is_cut_short(cli, status);
    f2l_watchdog_hold();
    const int code = record_end(cli, status, cut, &err);
    f2l_watchdog_release();
    if (err.status != F2L_OK) return f2l_cli_fail(cli, cli->work.folder, &err);
    const int shown = show_end(cli, code == 0);
    return code ? code : shown;
}

void f2l_continue_clear(f2l_cli *cli)
{
    if (!kind_of(cli)) return;
    if (cli->work.lock >= 0) (void)close(cli->work.lock);
    f2l_buf_clear(&cli->work.file);
    f2l_buf_clear(&cli->work.printed);
    json_decref(cli->work.record);
}

f2l_status f2l_continue_outdir(f2l_outdir *dir, const f2l_cli *cli, const char *path,
                               const f2l_outdir_kind *kind, bool force, f2l_error *err)
{
    const bool held = cli->work.on && strcmp(path, cli->work.folder) == 0;
    if (held) return f2l_outdir_open_held(dir, path, kind, err);
    return f2l_outdir_open_kind(dir, path, kind, force || cli->work.on, err);
}
