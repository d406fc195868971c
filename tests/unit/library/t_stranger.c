/* The interface of the library, as a program of somebody else uses it. */
#include "include/fsa2lrnn.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
/* S3 on three points by two generators, and a reset beside a swap. */
static const char symmetric[] = "track elements\npoints 3\npermute a (1 2)\npermute b (1 2 3)\n";
static const char resets[] = "start a\na x b\nb x a\na r a\nb r a\n";

static fsa2lrnn_automaton *automaton_of(const char *text)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = NULL;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), 0, NULL, &err) == FSA2LRNN_OK,
              "%zu:%zu: %s", err.line, err.column, err.text);
    return a;
}

/* Compiles with one option, or with none. */
static fsa2lrnn_network *compiled(const char *text, const char *name, const char *value)
{
    fsa2lrnn_error err;
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_automaton *a = automaton_of(text);
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    if (name) cr_assert(fsa2lrnn_options_set(o, name, value, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
    return n;
}

/* Returns the label after a word of letters that are one character each. */
static const char *after(const fsa2lrnn_network *n, const char *format, const char *word)
{
    fsa2lrnn_error err;
    fsa2lrnn_run *run = NULL;
    size_t label = FSA2LRNN_NONE;
    cr_assert(fsa2lrnn_run_new(&run, n, format, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_run_start(run, &label, &err) == FSA2LRNN_OK);
    for (; *word; word++) {
        const char letter[2] = {*word, '\0'};
        cr_assert(fsa2lrnn_run_step(run, fsa2lrnn_network_find_letter(n, letter), &label, &err) ==
                  FSA2LRNN_OK);
    }
    fsa2lrnn_run_free(run);
    return fsa2lrnn_network_label(n, label);
}

Test(library, version_is_of_the_header)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FSA2LRNN_VERSION_MAJOR, FSA2LRNN_VERSION_MINOR,
             FSA2LRNN_VERSION_PATCH);
    cr_assert_str_eq(fsa2lrnn_version(), FSA2LRNN_VERSION);
    cr_assert_str_eq(fsa2lrnn_version(), text);
}

/* --- reading --- */

Test(library, reads_and_says_where_text_is_wrong)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = automaton_of(parity), *none = NULL;
    cr_assert(fsa2lrnn_automaton_states(a) == 2 && fsa2lrnn_automaton_letters(a) == 2);
    cr_assert(strncmp(fsa2lrnn_automaton_text(a), "fsa 1\nletters 0 1\n", 18) == 0);
    cr_assert_str_eq(fsa2lrnn_automaton_notes(a), "");
    fsa2lrnn_automaton_free(a);
    static const char bad[] = "start even\neven 0 even\n  even 1 \"odd\n";
    cr_assert(fsa2lrnn_automaton_read(&none, bad, sizeof bad - 1, 0, NULL, &err) ==
              FSA2LRNN_EFORMAT);
    cr_assert(err.status == FSA2LRNN_EFORMAT && err.line == 3 && err.column == 10, "%zu:%zu: %s",
              err.line, err.column, err.text);
    cr_assert(!none && err.text[0]);
    cr_assert(fsa2lrnn_automaton_read(&none, "", 0, 0, NULL, &err) == FSA2LRNN_EFORMAT);
    cr_assert(fsa2lrnn_automaton_read(&none, NULL, 0, 0, NULL, NULL) == FSA2LRNN_EFORMAT);
    cr_assert(!none);
}

Test(library, reads_other_syntaxes_and_says_what_it_changed)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = NULL;
    static const char dot[] = "digraph g {\n s0 [shape=\"doublecircle\"];\n __start0 -> s0;\n"
                              " s0 -> s1 [label=\"a\"];\n s1 -> s0 [label=\"a\"];\n}\n";
    cr_assert(fsa2lrnn_automaton_read(&a, dot, sizeof dot - 1, 0, NULL, &err) == FSA2LRNN_OK, "%s",
              err.text);
    cr_assert(fsa2lrnn_automaton_states(a) == 2 && fsa2lrnn_automaton_letters(a) == 1);
    fsa2lrnn_automaton_free(a);
    static const char partial[] = "start p\naccept q\np x p\np x q\nq y q\n";
    a = NULL;
    cr_assert(fsa2lrnn_automaton_read(&a, partial, sizeof partial - 1, 0, NULL, &err) ==
                  FSA2LRNN_EFORMAT ||
              err.status == FSA2LRNN_EDOMAIN);
    cr_assert(!a);
    cr_assert(fsa2lrnn_automaton_read(&a, partial, sizeof partial - 1, 1, NULL, &err) ==
                  FSA2LRNN_OK,
              "%s", err.text);
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "made deterministic: 2 states became "));
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "\na sink state "));
    fsa2lrnn_automaton_free(a);
}

/* --- compiling --- */

Test(library, compiles_runs_and_verifies)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_network *n = compiled(parity, NULL, NULL);
    cr_assert(fsa2lrnn_network_layers(n) == 1 && fsa2lrnn_network_letters(n) == 2 &&
              fsa2lrnn_network_labels(n) == 2);
    cr_assert_str_eq(fsa2lrnn_network_letter(n, 1), "1");
    cr_assert(!fsa2lrnn_network_letter(n, 2) && !fsa2lrnn_network_label(n, FSA2LRNN_NONE));
    cr_assert(fsa2lrnn_network_find_letter(n, "2") == FSA2LRNN_NONE);
    cr_assert(strncmp(fsa2lrnn_network_text(n), "lrnn 1\n", 7) == 0);
    cr_assert(strstr(fsa2lrnn_network_certificate(n), "claim exact"));
    static const char *const formats[] = {NULL, "bf16", "p=5,emin=-6,emax=7", "e4m3"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        cr_assert_str_eq(after(n, formats[i], ""), "even");
        cr_assert_str_eq(after(n, formats[i], "0110100"), "odd");
        cr_assert_str_eq(after(n, formats[i], "01101001"), "even");
        cr_assert(fsa2lrnn_verify(&v, n, formats[i], NULL, NULL, &err) == FSA2LRNN_OK, "%s",
                  err.text);
        cr_assert(v.verdict == FSA2LRNN_OK && !v.word && v.length == 0 && v.text[0]);
        fsa2lrnn_verdict_clear(&v);
    }
    fsa2lrnn_network_free(n);
}

/* The shortest word that refutes is one: exactly the network has the automaton's label after it,
 * and in the format another. */
Test(library, a_refuting_word_refutes)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_network *n = compiled(symmetric, "keys", "naive");
    cr_assert(fsa2lrnn_verify(&v, n, "p=3,emin=-6,emax=7", "every", NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    cr_assert(v.verdict == FSA2LRNN_REFUTED, "%d: %s", (int)v.verdict, v.text);
    cr_assert(v.length > 0 && v.right_up_to_known && v.right_up_to == v.length - 1);
    fsa2lrnn_run *exact = NULL, *rounded = NULL;
    cr_assert(fsa2lrnn_run_new(&exact, n, NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_run_new(&rounded, n, "p=3,emin=-6,emax=7", "every", &err) == FSA2LRNN_OK);
    for (size_t i = 0; i < v.length; i++) {
        size_t right, got;
        cr_assert(fsa2lrnn_run_step(exact, v.word[i], &right, &err) == FSA2LRNN_OK);
        cr_assert(fsa2lrnn_run_step(rounded, v.word[i], &got, &err) == FSA2LRNN_OK);
        cr_assert((right == got) == (i + 1 < v.length));
    }
    fsa2lrnn_run_free(exact);
    fsa2lrnn_run_free(rounded);
    fsa2lrnn_verdict_clear(&v);
    cr_assert(!v.word && v.length == 0);
    fsa2lrnn_network_free(n);
}

Test(library, options_act)
{
    fsa2lrnn_error err;
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = compiled(parity, "label", "accept");
    cr_assert_str_eq(after(n, NULL, "1"), "accept");
    fsa2lrnn_network_free(n);
    n = compiled(resets, "cascade", "capped");
    cr_assert(strstr(fsa2lrnn_network_certificate(n), "claim"));
    fsa2lrnn_network_free(n);
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    static const char *const good[][2] = {
        {"label", "states"},   {"effort", "0"},        {"effort", "1000000000"},
        {"layers", "1"},       {"householders", "2"},  {"key-dim", "4000000000"},
        {"limit", "10"},       {"max-sets", "5"},      {"formats", "bf16,fp32"},
        {"exact-in", "e4m3"},  {"schedule", "acc32"},  {"keys", "dyadic"},
        {"cascade", "zeiger"}, {"target", "diagonal"}, {"target", "one-reflection"},
        {"gated", "no"}};
    static const char *const bad[][2] = {{"label", "edges"},
                                         {"effort", "-1"},
                                         {"effort", "1000000001"},
                                         {"layers", "0"},
                                         {"layers", ""},
                                         {"key-dim", "4000000001"},
                                         {"limit", "1e3"},
                                         {"formats", "bf16,"},
                                         {"formats", ""},
                                         {"formats", "bf16,,fp32"},
                                         {"exact-in", "bf17"},
                                         {"schedule", "chunk64"},
                                         {"keys", "Naive"},
                                         {"cascade", "pure "},
                                         {"gated", "true"},
                                         {"--label", "accept"},
                                         {"", ""}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(fsa2lrnn_options_set(o, good[i][0], good[i][1], &err) == FSA2LRNN_OK, "%s: %s",
                  good[i][0], err.text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(fsa2lrnn_options_set(o, bad[i][0], bad[i][1], &err) == FSA2LRNN_EINVAL,
                  "%s takes '%s'", bad[i][0], bad[i][1]);
    fsa2lrnn_options_free(o);
}

Test(library, no_network_is_an_answer)
{
    fsa2lrnn_error err;
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_automaton *a = automaton_of(symmetric);
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "target", "diagonal", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(!n && err.text[0]);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
}

Test(library, arguments_are_looked_at)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    char line[FSA2LRNN_LINE];
    size_t label;
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_network *n = compiled(parity, NULL, NULL);
    fsa2lrnn_run *run = NULL;
    cr_assert(fsa2lrnn_automaton_read(NULL, "", 0, 0, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(err.status == FSA2LRNN_EINVAL && err.line == 0);
    cr_assert(fsa2lrnn_automaton_read(&a, NULL, 1, 0, NULL, NULL) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_options_new(NULL, NULL) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_options_set(NULL, "label", "accept", NULL) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_compile(NULL, a, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_compile(&n, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_network_open(&n, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_network_save(n, NULL, 0, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_network_save(NULL, "x", 0, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(NULL, n, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, n, NULL, "every", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, n, "bf17", NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, n, "bf16", "never", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, n, "fp64", "acc32", NULL, &err) == FSA2LRNN_EDOMAIN);
    cr_assert(v.verdict == FSA2LRNN_UNKNOWN && !v.word);
    cr_assert(fsa2lrnn_check(line, NULL, NULL, "b", "c", &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_check(line, NULL, "a", "--help", "c", &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_run_new(&run, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_run_new(&run, n, "bf16", "never", &err) == FSA2LRNN_EINVAL && !run);
    cr_assert(fsa2lrnn_run_new(&run, n, NULL, NULL, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_run_step(run, 2, &label, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_run_step(run, FSA2LRNN_NONE, &label, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_run_step(run, 0, NULL, &err) == FSA2LRNN_EINVAL);
    fsa2lrnn_run_free(run);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
    fsa2lrnn_automaton_free(NULL);
    fsa2lrnn_options_free(NULL);
    fsa2lrnn_network_free(NULL);
    fsa2lrnn_run_free(NULL);
    fsa2lrnn_verdict_clear(NULL);
}

/* --- limits --- */

typedef struct watch {
    size_t calls, most; /* calls so far; the call that cancels, 0: none does */
} watch;

static int count(void *context, const char *phase, double done, double total)
{
    watch *w = context;
    cr_assert(phase && phase[0] && done >= 0 && total >= 0);
    return ++w->calls == w->most;
}

Test(library, the_callback_cancels)
{
    fsa2lrnn_error err;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_automaton *a = automaton_of(symmetric);
    watch w = {0};
    fsa2lrnn_task task = {.progress = count, .context = &w};
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_OK);
    cr_assert(w.calls > 0);
    fsa2lrnn_network_free(n);
    n = NULL;
    w = (watch){.most = 1};
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_UNKNOWN);
    cr_assert(!n && err.status == FSA2LRNN_UNKNOWN && strstr(err.text, "interrupted"), "%s",
              err.text);
    task = (fsa2lrnn_task){.seconds = 1e-9};
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_UNKNOWN);
    cr_assert(!n && strstr(err.text, "time limit"), "%s", err.text);
    fsa2lrnn_automaton_free(a);
}

Test(library, a_verdict_that_was_cancelled_is_looked_for_again)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_network *n = compiled(symmetric, NULL, NULL);
    watch w = {.most = 1};
    const fsa2lrnn_task task = {.progress = count, .context = &w};
    const fsa2lrnn_status status = fsa2lrnn_verify(&v, n, "bf16", "every", &task, &err);
    cr_assert(w.calls > 0);
    cr_assert(status == FSA2LRNN_UNKNOWN ||
              (status == FSA2LRNN_OK && v.verdict == FSA2LRNN_UNKNOWN && v.text[0]));
    fsa2lrnn_verdict_clear(&v);
    cr_assert(fsa2lrnn_verify(&v, n, "bf16", "every", NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_OK, "%s", v.text);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_network_free(n);
}

/* Compiles and runs on its own; returns NULL when all went well. */
static void *work(void *text)
{
    fsa2lrnn_network *n = compiled(text, NULL, NULL);
    for (size_t i = 0; i < 20; i++) cr_assert_str_eq(after(n, "bf16", "1"), "odd");
    fsa2lrnn_network_free(n);
    return NULL;
}

Test(library, objects_of_two_threads_do_not_meet)
{
    pthread_t thread[2];
    char text[2][sizeof parity];
    for (size_t i = 0; i < 2; i++) {
        memcpy(text[i], parity, sizeof parity);
        cr_assert(pthread_create(&thread[i], NULL, work, text[i]) == 0);
    }
    for (size_t i = 0; i < 2; i++) cr_assert(pthread_join(thread[i], NULL) == 0);
}

/* --- folders and lrnn-check --- */

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

/* Changes the byte at the first occurrence of `what`, `ahead` bytes on. */
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

Test(library, writes_and_reads_folders)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(resets, NULL, NULL), *again = NULL;
    cr_assert(fsa2lrnn_network_open(&again, p.out, NULL, &err) == FSA2LRNN_EIO && !again);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_EEXIST);
    cr_assert(fsa2lrnn_network_save(n, p.out, 1, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_open(&again, p.out, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert_str_eq(fsa2lrnn_network_text(again), fsa2lrnn_network_text(n));
    cr_assert_str_eq(fsa2lrnn_network_certificate(again), fsa2lrnn_network_certificate(n));
    cr_assert_str_eq(after(again, "fp32", "xrx"), after(n, NULL, "x"));
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

Test(library, checks_a_triple)
{
    fsa2lrnn_error err;
    char line[FSA2LRNN_LINE];
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(parity, NULL, NULL);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK);
    fsa2lrnn_network_free(n);
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) == FSA2LRNN_OK,
              "%s: %s", err.text, line);
    cr_assert(strncmp(line, "s VERIFIED exact ", 17) == 0);
    cr_assert(fsa2lrnn_check(line, "/nowhere/lrnn-check", p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert(strstr(err.text, "/nowhere/lrnn-check") && err.status == FSA2LRNN_UNKNOWN);
    cr_assert_str_eq(line, "s UNKNOWN");
    cr_assert(fsa2lrnn_check(line, "true", p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert_str_eq(line, "s UNKNOWN");
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], "/nowhere.cert", NULL) !=
              FSA2LRNN_OK);
    spoil(p.file[2], "sha256 ", 7, 'x');
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_REFUTED);
    cr_assert_str_eq(line, "s NOT VERIFIED");
    place_clear(&p);
}

/* Where the program reaps its children itself, the exit status is not known. */
Test(library, a_check_without_an_exit_status_is_unknown)
{
    fsa2lrnn_error err;
    char line[FSA2LRNN_LINE];
    place p;
    place_init(&p);
    fsa2lrnn_network *n = compiled(parity, NULL, NULL);
    cr_assert(fsa2lrnn_network_save(n, p.out, 0, &err) == FSA2LRNN_OK);
    fsa2lrnn_network_free(n);
    cr_assert(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    cr_assert(fsa2lrnn_check(line, NULL, p.file[0], p.file[1], p.file[2], &err) ==
              FSA2LRNN_UNKNOWN);
    signal(SIGCHLD, SIG_DFL);
    place_clear(&p);
}

#ifdef F2L_MEM_FAILURES
/* Everything once. */
static fsa2lrnn_status use(const place *p)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_network *n = NULL, *again = NULL;
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_verdict v = {0};
    size_t label;
    fsa2lrnn_status s = fsa2lrnn_automaton_read(&a, parity, sizeof parity - 1, 0, NULL, NULL);
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

Test(library, out_of_memory)
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
