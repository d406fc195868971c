/* Temporary files: which names are some, and that sweeping takes those of dead processes alone. */
#include "tests/support/numeric/lock_stall.h"

#include "numeric/base/lock.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include "numeric/base/unfinished.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Test(unfinished, names)
{
    static const char *const yes[][2] = {{"a.json.f2l-tmp-abc123", "a.json"},
                                         {"a.f2l-tmp-abcxyz", "a"}};
    static const char *const no[][2] = {{"a.json", "a.json"},
                                        {"a.json.f2l-tmp-abc12", "a.json"},
                                        {"a.json.f2l-tmp-abc1234", "a.json"},
                                        {"a.json.f2l-tmp-abc-12", "a.json"},
                                        {"a.json.f2l-tmp_abc123", "a.json"},
                                        {"a.json.tmp-backup", "a.json"},
                                        {"a.json.f2l-tmp-Backup", "a.json"},
                                        {"b.json.f2l-tmp-abc123", "a.json"},
                                        {".f2l-tmp-abc123", ""},
                                        {"aa.f2l-tmp-abc123", "a"},
                                        {"a.f2l-tmp-abc123", "*"},
                                        {"", ""},
                                        {"a.f2l-tmp-abc123.f2l-tmp-abc123", "a"}};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        cr_assert(f2l_is_unfinished(yes[i][0], yes[i][1]), "%s", yes[i][0]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        cr_assert(!f2l_is_unfinished(no[i][0], no[i][1]), "%s", no[i][0]);
    cr_assert(f2l_is_unfinished_like("seed-1.f2l-tmp-abc123", "seed-", ""));
    cr_assert(f2l_is_unfinished_like("outcome-a.json.f2l-tmp-abc123", "outcome-", ".json"));
    cr_assert(!f2l_is_unfinished_like("outcome.json.f2l-tmp-abc123", "outcome-", ".json"));
    cr_assert(!f2l_is_unfinished_like("outcome-json.f2l-tmp-abc123", "outcome-", "-json"));
    cr_assert(!f2l_is_unfinished_like("seed-1", "seed-", ""));
}

typedef struct place {
    char folder[64], file[96];
} place;

static void place_open(place *p)
{
    strcpy(p->folder, "/tmp/f2l-test-XXXXXX");
    cr_assert_not_null(mkdtemp(p->folder));
    snprintf(p->file, sizeof p->file, "%s/outcome-x.json", p->folder);
}

static bool is_there(const place *p, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return access(path, F_OK) == 0;
}

static void put(const place *p, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("half", file) >= 0 && fclose(file) == 0);
}

static void take(const place *p, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    cr_assert_eq(unlink(path), 0, "%s", name);
}

static const char *const swept[] = {"outcome-*.json", "report.md"};

Test(unfinished, those_of_dead_processes_go)
{
    static const char *const gone[] = {"outcome-a.json.f2l-tmp-abc123",
                                       "outcome-.json.f2l-tmp-abc123", "report.md.f2l-tmp-000000"};
    static const char *const kept[] = {"outcome-a.json", "report.md.f2l-tmp-00000",
                                       "report.html.f2l-tmp-000000", "report.md.tmp-backup"};
    place p;
    place_open(&p);
    for (size_t i = 0; i < 3; i++) put(&p, gone[i]);
    for (size_t i = 0; i < 4; i++) put(&p, kept[i]);
    f2l_sweep_unfinished(p.folder, swept, 2);
    for (size_t i = 0; i < 3; i++) cr_assert(!is_there(&p, gone[i]), "%s", gone[i]);
    for (size_t i = 0; i < 4; i++) take(&p, kept[i]);
    f2l_sweep_unfinished("/nowhere/at/all", swept, 2);
    cr_assert_eq(rmdir(p.folder), 0);
}

/* Writes the file again and again. Returns the exit status: 1 after a failure. */
static int keep_writing(const place *p, double seconds)
{
    f2l_error err;
    for (const double end = f2l_now() + seconds; f2l_now() < end;)
        if (f2l_write_file(p->file, p->file, strlen(p->file), &err) != F2L_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    return 0;
}

/* Three processes write while three others sweep: no write fails, whenever it is looked at. */
Test(unfinished, those_that_are_written_stay)
{
    enum { PROCESSES = 6 };
    pid_t process[PROCESSES];
    place p;
    place_open(&p);
    for (int i = 0; i < PROCESSES; i++) {
        process[i] = fork();
        cr_assert_geq(process[i], 0);
        if (process[i] == 0 && i % 2) _exit(keep_writing(&p, 0.6));
        if (process[i] > 0) continue;
        for (const double end = f2l_now() + 0.6; f2l_now() < end;)
            f2l_sweep_unfinished(p.folder, swept, 2);
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int how = 0;
        cr_assert_eq(waitpid(process[i], &how, 0), process[i]);
        cr_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0, "process %d: %d", i, how);
    }
    take(&p, "outcome-x.json");
    f2l_sweep_unfinished(p.folder, swept, 2);
    cr_assert_eq(rmdir(p.folder), 0);
}

/* A locked temporary file stays for other processes, and goes when its lock is gone. */
Test(unfinished, one_that_is_locked_stays)
{
    static const char name[] = "report.md.f2l-tmp-live00";
    char path[160];
    place p;
    place_open(&p);
    put(&p, name);
    snprintf(path, sizeof path, "%s/%s", p.folder, name);
    const int file = open(path, O_WRONLY);
    cr_assert(file >= 0 && f2l_lock_file(file));
    const pid_t sweeper = fork();
    cr_assert_geq(sweeper, 0);
    if (sweeper == 0) {
        f2l_sweep_unfinished(p.folder, swept, 2);
        _exit(0);
    }
    cr_assert_eq(waitpid(sweeper, NULL, 0), sweeper);
    cr_assert(is_there(&p, name));
    cr_assert_eq(close(file), 0);
    f2l_sweep_unfinished(p.folder, swept, 2);
    cr_assert_eq(rmdir(p.folder), 0);
}

/* Others that meet a writer's temporary file before its lock. */
typedef struct others {
    const place *place;
    size_t times; /* that they do something */
    int held;     /* the file that they locked */
} others;

static void sweep_meanwhile(void *of)
{
    const others *o = of;
    if (stall.stalls <= o->times) f2l_sweep_unfinished(o->place->folder, swept, 2);
}

/* Locks the temporary file, as a process does that was stopped before it removes it. */
static void hold_meanwhile(void *of)
{
    others *o = of;
    const struct dirent *entry;
    DIR *folder = opendir(o->place->folder);
    while (stall.stalls <= o->times && o->held < 0 && (entry = readdir(folder)) != NULL)
        if (f2l_is_unfinished(entry->d_name, "outcome-x.json")) {
            o->held = openat(dirfd(folder), entry->d_name, O_WRONLY | O_CLOEXEC);
            cr_assert(f2l_lock_file_now(o->held));
        }
    cr_assert_eq(closedir(folder), 0);
}

static f2l_status write_among(others *o, void (*act)(void *of), const char *text, f2l_error *err)
{
    stall = (lock_stall){.act = act, .of = o};
    const f2l_status status = f2l_write_file(o->place->file, text, strlen(text), err);
    stall.act = NULL;
    return status;
}

static void check_text(const place *p, const char *text)
{
    f2l_buf read;
    f2l_buf_init(&read);
    cr_assert_eq(f2l_read_file(&read, p->file, 0, NULL), F2L_OK);
    cr_assert_str_eq(read.data, text);
    f2l_buf_clear(&read);
}

/* A writer whose file was swept before it was locked takes another one, up to eight times; then it
 * says so, and the file is as it was. */
Test(unfinished, a_writer_that_was_swept_begins_again)
{
    f2l_error err = {0};
    place p;
    place_open(&p);
    others o = {.place = &p, .times = 1, .held = -1};
    cr_assert_eq(write_among(&o, sweep_meanwhile, "one", &err), F2L_OK, "%s", err.text);
    cr_assert_eq(stall.stalls, 2);
    check_text(&p, "one");
    o.times = 8;
    cr_assert_eq(write_among(&o, sweep_meanwhile, "eight", &err), F2L_OK, "%s", err.text);
    cr_assert_eq(stall.stalls, 9);
    check_text(&p, "eight");
    o.times = 9;
    cr_assert_eq(write_among(&o, sweep_meanwhile, "nine", &err), F2L_EIO);
    cr_assert_not_null(strstr(err.text, "its temporary file is removed"), "%s", err.text);
    check_text(&p, "eight");
    take(&p, "outcome-x.json");
    cr_assert_eq(rmdir(p.folder), 0);
}

/* The same where the other process has the lock, and has not removed the file. */
Test(unfinished, a_writer_whose_file_is_locked_takes_another)
{
    f2l_error err = {0};
    place p;
    place_open(&p);
    others o = {.place = &p, .times = 1, .held = -1};
    cr_assert_eq(write_among(&o, hold_meanwhile, "two", &err), F2L_OK, "%s", err.text);
    check_text(&p, "two");
    cr_assert(!f2l_lock_is_named(o.held, AT_FDCWD, p.file, 0), "the other may remove it");
    cr_assert(o.held >= 0 && close(o.held) == 0);
    f2l_sweep_unfinished(p.folder, swept, 2);
    take(&p, "outcome-x.json");
    cr_assert_eq(rmdir(p.folder), 0);
}
