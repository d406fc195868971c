/* Folders that the library writes and reads, and lrnn-check on their files. */
#include "include/fsa2lrnn.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
static const char resets[] = "start a\na x b\nb x a\na r a\nb r a\n";

static fsa2lrnn_network *compiled(const char *text)
{
    fsa2lrnn_error err;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_automaton *a = NULL;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    cr_assert(fsa2lrnn_compile(&n, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    fsa2lrnn_automaton_free(a);
    return n;
}

typedef struct place {
    char folder[64], out[96], file[3][128];
} place;

static void place_init(place *p)
{
    static const char *const name[] = {"automaton.fsa", "network.lrnn", "certificate.cert"};
    snprintf(p->folder, sizeof p->folder, "/tmp/f2l-library-XXXXXX");
    cr_assert(mkdtemp(p->folder) != NULL);
    snprintf(p->out, sizeof p->out, "%s/out", p->folder);
    for (size_t i = 0; i < 3; i++)
        snprintf(p->file[i], sizeof p->file[i], "%s/%s", p->out, name[i]);
}

static void place_clear(const place *p)
{
    static const char *const other[] = {"weights.safetensors", "report.json"};
    char path[160];
    for (size_t i = 0; i < 3; i++) remove(p->file[i]);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", p->out, other[i]);
        remove(path);
    }
    remove(p->out);
    cr_assert(rmdir(p->folder) == 0, "more was left than the five files");
}

/* Changes the byte that lies `ahead` bytes behind the start of the first `what`. */
static void spoil(const char *path, const char *what, size_t ahead, char byte)
{
    char text[8192];
    FILE *f = fopen(path, "r+b");
    cr_assert(f != NULL);
    const size_t size = fread(text, 1, sizeof text - 1, f);
    text[size] = '\0';
    const char *at = strstr(text, what);
    cr_assert(at != NULL && at[ahead] != byte);
    cr_assert(fseek(f, (long)(at - text) + (long)ahead, SEEK_SET) == 0);
    cr_assert(fputc(byte, f) == byte && fclose(f) == 0);
}

Test(folders, writes_and_reads_folders)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(resets), *again = NULL;
    cr_assert(fsa2lrnn_network_open(&again, p.out, NULL, &err) == FSA2LRNN_EIO && !again);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_EEXIST);
    cr_assert(fsa2lrnn_network_save(n, p.out, 1, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_open(&again, p.out, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert_str_eq(fsa2lrnn_network_text(again), fsa2lrnn_network_text(n));
    cr_assert_str_eq(fsa2lrnn_network_certificate(again), fsa2lrnn_network_certificate(n));
    cr_assert(fsa2lrnn_verify(&v, again, "bf16", "recurrent", NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_OK, "%s", v.text);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_network_free(again);
    again = NULL;
    spoil(p.file[0], "start ", 6, 'b');
    cr_assert(fsa2lrnn_network_open(&again, p.out, NULL, &err) == FSA2LRNN_EFORMAT && !again);
    fsa2lrnn_network_free(n);
    place_clear(&p);
}

Test(folders, checks_a_triple)
{
    fsa2lrnn_error err;
    char line[FSA2LRNN_LINE];
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(parity);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK);
    fsa2lrnn_network_free(n);
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) == FSA2LRNN_OK,
              "%s: %s", err.text, line);
    cr_assert(strncmp(line, "s VERIFIED exact ", 17) == 0);
    cr_assert(fsa2lrnn_check(line, "/nowhere/lrnn-check", p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert(strstr(err.text, "/nowhere/lrnn-check") && err.status == FSA2LRNN_EIO);
    cr_assert_str_eq(line, "s UNKNOWN");
    cr_assert(fsa2lrnn_check(line, "true", p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert_str_eq(line, "s UNKNOWN");
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], "/nowhere.cert", &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert(strstr(err.text, "a file cannot be read: /nowhere.cert: ") &&
              err.status == FSA2LRNN_EIO);
    cr_assert_str_eq(line, "s UNKNOWN");
    spoil(p.file[2], "sha256 ", 7, 'x');
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_REFUTED);
    cr_assert_str_eq(line, "s NOT VERIFIED");
    place_clear(&p);
}

/* Where the program reaps its children itself, the exit status is not known. */
Test(folders, a_check_without_an_exit_status_is_unknown)
{
    fsa2lrnn_error err;
    char line[FSA2LRNN_LINE];
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(parity);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK);
    fsa2lrnn_network_free(n);
    cr_assert(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    signal(SIGCHLD, SIG_DFL);
    place_clear(&p);
}

#ifdef F2L_MEM_FAILURES
/* Uses every function of a folder once. */
static fsa2lrnn_status use(const place *p)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_network *n = NULL, *again = NULL;
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_verdict v = {0};
    size_t label;
    fsa2lrnn_status s = fsa2lrnn_automaton_read(&a, parity, sizeof parity - 1, NULL, NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_compile(&n, a, NULL, NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_network_save(n, p->out, 1, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_network_open(&again, p->out, NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_verify(&v, again, "bf16", "every", NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_run_new(&run, again, "bf16", NULL, NULL);
    if (s == FSA2LRNN_OK) s = fsa2lrnn_run_step(run, 1, &label, NULL);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_run_free(run);
    fsa2lrnn_network_free(again);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
    return s;
}

Test(folders, out_of_memory)
{
    place p;
    place_init(&p);
    fsa2lrnn_status s = FSA2LRNN_ENOMEM;
    size_t n = 1, tried = 0;
    for (; s != FSA2LRNN_OK; n += 1 + n / 50, tried++) {
        f2l_mem_fail_after(n, true);
        s = use(&p);
        f2l_mem_fail_after(0, false);
        cr_assert(s == FSA2LRNN_ENOMEM || s == FSA2LRNN_OK, "allocation %zu: status %d", n, (int)s);
    }
    cr_assert(tried > 100);
    place_clear(&p);
}
#endif
