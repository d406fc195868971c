/* The folder of a run: its files, its lock, its log. */
#include "tests/support/numeric/lock_stall.h"

#include "models/learn/train/train_abandoned.h"
#include "numeric/base/lock.h"
#include "numeric/base/mem.h"
#include "tests/support/train/train_support.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static const char config[] = "{\"a\":1}\n";

static void put(const train_place *p, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->run, name);
    cr_assert_eq(f2l_write_file(path, "x", 1, NULL), F2L_OK);
}

Test(train_dir, a_folder_is_made_once_and_opened_again)
{
    train_place p;
    f2l_train_dir dir, other;
    f2l_error err = {0};
    f2l_buf text;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    train_read(&text, &p, "provenance.json");
    char expected[400];
    snprintf(
        expected, sizeof expected,
        "{\"version\":\"1\",\"commit\":\"c0ffee\",\"date\":\"2026-01-01\",\"config_sha256\":\"%s\","
        "\"command\":[\"fsa2lrnn\",\"train\",\"a \\\"b\\\"\\u000a\xef\xbf\xbd\"]}\n",
        dir.identity);
    cr_assert_str_eq(text.data, expected);
    f2l_buf_clear(&text);
    train_read(&text, &p, "config.json");
    cr_assert_str_eq(text.data, config);
    f2l_buf_clear(&text);
    f2l_train_dir_clear(&dir);
    f2l_train_dir_clear(&dir);
    const f2l_train_provenance none = {0};
    cr_assert_eq(f2l_train_dir_create(&other, p.run, config, &none, &err), F2L_EEXIST);
    cr_assert_null(other.path);
    cr_assert_eq(f2l_train_dir_open(&other, p.run, "{\"a\":2}\n", &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "another configuration"), "%s", err.text);
    cr_assert_eq(f2l_train_dir_open(&other, p.folder, config, &err), F2L_EIO, "no config.json");
    put(&p, "checkpoint.f2l-tmp-a1b2c3");
    put(&p, "weights.safetensors.f2l-tmp-a1b2c3");
    put(&p, "mine.f2l-tmp-a1b2c3");
    put(&p, "checkpoint.tmp-backup");
    cr_assert_eq(f2l_train_dir_open(&other, p.run, config, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(train_entries(p.run, "", false), 5, "config, provenance, log, two of mine");
    f2l_train_dir_clear(&other);
    train_place_close(&p);
}

Test(train_dir, an_empty_folder_may_be_used_and_a_wrong_place_may_not)
{
    train_place p;
    f2l_train_dir dir;
    f2l_error err = {0};
    const f2l_train_provenance none = {0};
    train_place_open(&p);
    cr_assert_eq(mkdir(p.run, 0700), 0);
    train_dir_make(&dir, &p, config);
    f2l_train_dir_clear(&dir);
    char inside[160];
    snprintf(inside, sizeof inside, "%s/config.json", p.run);
    cr_assert_eq(f2l_train_dir_create(&dir, inside, config, &none, &err), F2L_EEXIST);
    snprintf(inside, sizeof inside, "%s/there/is/none", p.run);
    cr_assert_eq(f2l_train_dir_create(&dir, inside, config, &none, &err), F2L_EEXIST);
    cr_assert_eq(dir.log, -1);
    train_place_close(&p);
}

Test(train_dir, two_processes_do_not_share_a_run)
{
    train_place p;
    f2l_train_dir dir, other;
    int status;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    const pid_t child = fork();
    if (child == 0) {
        f2l_error err = {0};
        const f2l_status result = f2l_train_dir_open(&other, p.run, config, &err);
        _exit(result == F2L_EDOMAIN && strstr(err.text, "another process") ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    f2l_train_dir_clear(&dir);
    const pid_t second = fork();
    if (second == 0) _exit(f2l_train_dir_open(&other, p.run, config, NULL) == F2L_OK ? 0 : 1);
    cr_assert_eq(waitpid(second, &status, 0), second);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    train_place_close(&p);
}

/* Makes a folder as a killed process leaves it beside the run; returns its open log. */
static int leave(const train_place *p, const char *ending, const char *last)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s", p->run, ending);
    cr_assert_eq(mkdir(path, 0700), 0);
    const char *const name[] = {"provenance.json", "automaton.fsa.f2l-tmp-a1b2c3", last};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s/%s", p->run, ending, name[i]);
        cr_assert_eq(f2l_write_file(path, "x", 1, NULL), F2L_OK);
    }
    snprintf(path, sizeof path, "%s%s/log.jsonl", p->run, ending);
    const int log = open(path, O_RDWR | O_CREAT, 0600);
    cr_assert_geq(log, 0);
    return log;
}

Test(train_dir, folders_that_killed_processes_left_are_removed)
{
    train_place p;
    f2l_train_dir dir;
    const f2l_train_provenance none = {0};
    const f2l_train_dir_file file = {"automaton.fsa", "y", 1};
    train_place_open(&p);
    cr_assert_eq(close(leave(&p, ".f2l-tmp-00000a", "automaton.fsa")), 0);
    cr_assert_eq(close(leave(&p, ".f2l-tmp-00000b", "of-another.txt")), 0);
    cr_assert_eq(close(leave(&p, "0.f2l-tmp-00000c", "automaton.fsa")), 0, "of another run");
    cr_assert_eq(close(leave(&p, ".tmp-backup", "automaton.fsa")), 0, "a copy of the user's");
    const int log = leave(&p, ".f2l-tmp-00000d", "automaton.fsa");
    cr_assert(f2l_lock_file(log), "its process works");
    cr_assert_eq(f2l_train_dir_create_with(&dir, p.run, config, &none, &file, 1, NULL), F2L_OK);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(close(log), 0);
    cr_assert_eq(train_entries(p.folder, "run", false), 5, "the run, b, c, d, the copy");
    char path[200];
    snprintf(path, sizeof path, "%s.f2l-tmp-00000a", p.run);
    cr_assert_neq(access(path, F_OK), 0);
    static const char *const kept[] = {".f2l-tmp-00000b", "0.f2l-tmp-00000c", ".f2l-tmp-00000d",
                                       ".tmp-backup"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", p.run, kept[i]);
        cr_assert_eq(train_entries(path, "", true), 4, "%s", kept[i]);
    }
    train_place_close(&p);
}

typedef struct late {
    char from[200], to[200];
    int log;
} late;

/* What a process does whose run is complete while another one waits for its lock. */
static void *name_folder(void *of)
{
    const late *l = of;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    (void)rename(l->from, l->to);
    (void)close(l->log);
    return NULL;
}

/* The folder that is looked at may be the run of another process by the time that its lock ends. */
Test(train_dir, a_folder_that_gets_its_name_meanwhile_is_kept)
{
    train_place p;
    f2l_train_dir dir;
    pthread_t thread;
    const f2l_train_provenance none = {0};
    const f2l_train_dir_file file = {"automaton.fsa", "y", 1};
    train_place_open(&p);
    late l = {.log = leave(&p, ".f2l-tmp-00000a", "automaton.fsa")};
    snprintf(l.from, sizeof l.from, "%s.f2l-tmp-00000a", p.run);
    snprintf(l.to, sizeof l.to, "%s-named", p.run);
    cr_assert(f2l_lock_file(l.log));
    cr_assert_eq(pthread_create(&thread, NULL, name_folder, &l), 0);
    cr_assert_eq(f2l_train_dir_create_with(&dir, p.run, config, &none, &file, 1, NULL), F2L_OK);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(train_entries(l.to, "", true), 4);
    train_place_close(&p);
}

static void remove_meanwhile(void *of)
{
    const train_place *p = of;
    if (stall.stalls == 1) (void)f2l_train_remove_all_abandoned(p->run, NULL);
}

/* A folder whose log is not locked yet is taken for one that a killed process left: its process
 * makes another one. */
Test(train_dir, a_folder_that_is_removed_before_its_lock_is_made_again)
{
    train_place p;
    f2l_train_dir dir;
    f2l_error err = {0};
    train_place_open(&p);
    stall = (lock_stall){.act = remove_meanwhile, .of = &p};
    train_dir_make(&dir, &p, config);
    stall.act = NULL;
    cr_assert_gt(stall.stalls, 1);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, &err), F2L_OK, "%s", err.text);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(train_entries(p.folder, "run", false), 1);
    train_place_close(&p);
}

static void line(f2l_train_dir *dir, const char *text)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_text(&b, text);
    cr_assert_eq(f2l_train_dir_line(dir, &b, NULL), F2L_OK);
    f2l_buf_clear(&b);
}

Test(train_dir, the_log_grows_by_lines_and_is_cut)
{
    train_place p;
    f2l_train_dir dir;
    f2l_buf text;
    train_place_open(&p);
    train_dir_make(&dir, &p, config);
    line(&dir, "one");
    line(&dir, "two");
    cr_assert_eq(f2l_train_dir_sync(&dir, NULL), F2L_OK);
    f2l_train_dir_clear(&dir);
    cr_assert_eq(f2l_train_dir_open(&dir, p.run, config, NULL), F2L_OK);
    cr_assert_eq(dir.log_bytes, 8);
    line(&dir, "three");
    cr_assert_eq(f2l_train_dir_cut(&dir, 100, NULL), F2L_OK);
    cr_assert_eq(dir.log_bytes, 14);
    cr_assert_eq(f2l_train_dir_cut(&dir, 8, NULL), F2L_OK);
    line(&dir, "3");
    train_read(&text, &p, "log.jsonl");
    cr_assert_str_eq(text.data, "one\ntwo\n3\n");
    f2l_buf_clear(&text);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}

static const f2l_train_dir_file more[] = {{"automaton.fsa", "fsa 1\n", 6}, {"sweep.json", "{}", 2}};

/* Further files can be written, also in a folder that exists already. */
Test(train_dir, more_files)
{
    train_place p;
    f2l_train_dir dir;
    f2l_buf text;
    const f2l_train_provenance none = {0};
    for (int made = 0; made < 3; made++) {
        char path[120];
        train_place_open(&p);
        if (made == 1) cr_assert_eq(mkdir(p.run, 0777), 0);
        snprintf(path, sizeof path, "%s%s", p.run, made == 2 ? "//" : "");
        cr_assert_eq(f2l_train_dir_create_with(&dir, path, config, &none, more, 2, NULL), F2L_OK);
        cr_assert_eq(train_entries(p.run, "", false), 5);
        cr_assert_eq(train_entries(p.folder, "", false), 1);
        cr_assert_str_eq(dir.path, path);
        line(&dir, "one");
        train_read(&text, &p, "log.jsonl");
        cr_assert_str_eq(text.data, "one\n");
        f2l_buf_clear(&text);
        train_read(&text, &p, "automaton.fsa");
        cr_assert_str_eq(text.data, "fsa 1\n");
        f2l_buf_clear(&text);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
}

/* A disk that is full at any byte of the folder's files gives an error, and nothing is left. */
Test(train_dir, nothing_is_left_of_a_folder_that_fails)
{
    train_place p;
    f2l_train_dir dir;
    f2l_error err = {0};
    struct rlimit limit;
    const f2l_train_provenance none = {0};
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit before = limit;
    signal(SIGXFSZ, SIG_IGN);
    for (size_t made = 0; made < 2; made++) {
        f2l_status status = F2L_EIO;
        size_t failures = 0;
        train_place_open(&p);
        if (made) cr_assert_eq(mkdir(p.run, 0777), 0);
        for (limit.rlim_cur = 0; status != F2L_OK; limit.rlim_cur++) {
            cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
            status = f2l_train_dir_create_with(&dir, p.run, config, &none, more, 2, &err);
            cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
            if (status == F2L_OK) break;
            failures++;
            cr_assert(status == F2L_EIO && strstr(err.text, "too large"), "%s", err.text);
            cr_assert_eq(train_entries(p.folder, "", false), made);
            cr_assert_eq(train_entries(p.run, "", false), 0);
        }
        cr_assert_gt(failures, 10);
        f2l_train_dir_clear(&dir);
        train_place_close(&p);
    }
    cr_assert_eq(f2l_train_dir_create_with(&dir, "/nowhere/run", config, &none, more, 2, &err),
                 F2L_EEXIST);
    cr_assert(strstr(err.text, "/nowhere/run:"), "%s", err.text);
}

#ifdef F2L_MEM_FAILURES
Test(train_dir, memory)
{
    train_place p;
    f2l_train_dir dir;
    f2l_status status = F2L_ENOMEM;
    const f2l_train_provenance none = {0};
    size_t n = 1;
    train_place_open(&p);
    for (; status != F2L_OK; n++) {
        train_run_remove(&p);
        f2l_mem_fail_after(n, true);
        status = f2l_train_dir_create(&dir, p.run, config, &none, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !dir.path && dir.log == -1));
        if (status != F2L_OK) cr_assert_eq(train_entries(p.folder, "", false), 0);
    }
    cr_assert_gt(n, 8);
    f2l_train_dir_clear(&dir);
    status = F2L_ENOMEM;
    for (n = 1; status != F2L_OK; n++) {
        f2l_mem_fail_after(n, false);
        status = f2l_train_dir_open(&dir, p.run, config, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !dir.path));
    }
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_text(&b, "line");
    f2l_mem_fail_after(1, true);
    cr_assert_eq(f2l_train_dir_line(&dir, &b, NULL), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(dir.log_bytes, 0);
    f2l_buf_clear(&b);
    f2l_train_dir_clear(&dir);
    train_place_close(&p);
}
#endif
