/* The public interface, used as another program would use it. */
#include "include/fsa2lrnn.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char parity[] = "start even\naccept odd\n"
                             "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n";
/* All maps of three points, which need a cascade. */
static const char maps[] = "start a\na r b\nb r c\nc r a\na s b\nb s a\nc s c\n"
                           "a m a\nb m a\nc m c\n";

static fsa2lrnn_automaton *automaton_of(const char *text)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, text, strlen(text), NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    return a;
}

static fsa2lrnn_network *network_of(const char *text)
{
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = automaton_of(text);
    cr_assert(fsa2lrnn_compile(&n, a, NULL, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    fsa2lrnn_automaton_free(a);
    return n;
}

Test(library, version)
{
    char text[32];
    cr_assert_str_eq(fsa2lrnn_version(), FSA2LRNN_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", FSA2LRNN_VERSION_MAJOR, FSA2LRNN_VERSION_MINOR,
             FSA2LRNN_VERSION_PATCH);
    cr_assert_str_eq(text, FSA2LRNN_VERSION);
}

Test(library, errors_have_a_place)
{
    static const char wrong[] = "start even\neven 0 even\neven 1\n";
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, wrong, sizeof wrong - 1, NULL, NULL, &err) ==
              FSA2LRNN_EFORMAT);
    cr_assert(err.status == FSA2LRNN_EFORMAT && err.line == 3 && err.column > 0 && err.text[0]);
    static const char open_quote[] = "start even\neven 0 even\n  even 1 \"odd\n";
    cr_assert(fsa2lrnn_automaton_read(&a, open_quote, sizeof open_quote - 1, NULL, NULL, &err) ==
              FSA2LRNN_EFORMAT);
    cr_assert(err.line == 3 && err.column == 10, "%zu:%zu: %s", err.line, err.column, err.text);
    cr_assert(fsa2lrnn_automaton_read(&a, NULL, 0, NULL, NULL, &err) == FSA2LRNN_EFORMAT);
    cr_assert_null(a);
    /* An error is optional. */
    cr_assert(fsa2lrnn_automaton_read(&a, wrong, sizeof wrong - 1, NULL, NULL, NULL) ==
              FSA2LRNN_EFORMAT);
    cr_assert(fsa2lrnn_automaton_read(NULL, parity, 1, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_automaton_read(&a, NULL, 1, NULL, NULL, &err) == FSA2LRNN_EINVAL);
}

Test(library, other_syntaxes)
{
    fsa2lrnn_error err;
    fsa2lrnn_automaton *a = NULL;
    static const char dot[] = "digraph g {\n s0 [shape=\"doublecircle\"];\n __start0 -> s0;\n"
                              " s0 -> s1 [label=\"a\"];\n s1 -> s0 [label=\"a\"];\n}\n";
    cr_assert(fsa2lrnn_automaton_read(&a, dot, sizeof dot - 1, NULL, NULL, &err) == FSA2LRNN_OK,
              "%s", err.text);
    cr_assert(fsa2lrnn_automaton_states(a) == 2 && fsa2lrnn_automaton_letters(a) == 1);
    fsa2lrnn_automaton_free(a);
}

Test(library, notes)
{
    static const char partial[] = "start a\na 0 b\nb 0 b\nb 1 b\nc 0 a\nc 1 a\n";
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_automaton_read(&a, partial, sizeof partial - 1, NULL, NULL, &err) !=
              FSA2LRNN_OK);
    const fsa2lrnn_reading with_sink = {.sink = 1};
    cr_assert(fsa2lrnn_automaton_read(&a, partial, sizeof partial - 1, &with_sink, NULL, &err) ==
              FSA2LRNN_OK);
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "a sink state 'sink' was added"), "%s",
              fsa2lrnn_automaton_notes(a));
    cr_assert(strstr(fsa2lrnn_automaton_notes(a), "dropped: 1"));
    cr_assert(fsa2lrnn_automaton_states(a) == 3 && fsa2lrnn_automaton_letters(a) == 2);
    fsa2lrnn_automaton_free(a);
    a = automaton_of(parity);
    cr_assert_str_eq(fsa2lrnn_automaton_notes(a), "");
    fsa2lrnn_automaton *again = automaton_of(fsa2lrnn_automaton_text(a));
    cr_assert_str_eq(fsa2lrnn_automaton_text(a), fsa2lrnn_automaton_text(again));
    fsa2lrnn_automaton_free(a);
    fsa2lrnn_automaton_free(again);
}

static void expect_verdict(fsa2lrnn_network *n, const char *format, const char *schedule,
                           fsa2lrnn_status verdict)
{
    fsa2lrnn_verdict v;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_verify(&v, n, format, schedule, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(v.verdict == verdict, "%s %s: %s", format ? format : "exact",
              schedule ? schedule : "", v.text);
    cr_assert(v.text[0] && (verdict == FSA2LRNN_REFUTED) == (v.word != NULL));
    fsa2lrnn_verdict_clear(&v);
}

Test(library, verdicts)
{
    fsa2lrnn_verdict v;
    fsa2lrnn_error err;
    fsa2lrnn_network *n = network_of(maps);
    expect_verdict(n, NULL, NULL, FSA2LRNN_OK);
    expect_verdict(n, "bf16", NULL, FSA2LRNN_OK);
    expect_verdict(n, "bf16", "chunk64", FSA2LRNN_OK);
    cr_assert(fsa2lrnn_verify(&v, n, "bf17", NULL, NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(strstr(err.text, "bf17"));
    cr_assert(fsa2lrnn_verify(&v, n, "bf16", "sometimes", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(&v, n, NULL, "every", NULL, &err) == FSA2LRNN_EINVAL);
    cr_assert(fsa2lrnn_verify(NULL, n, NULL, NULL, NULL, &err) == FSA2LRNN_EINVAL);
    fsa2lrnn_network_free(n);
}

/* Keys are rounded in a format with few digits, so that some word is wrong; running this word shows
 * it. */
Test(library, refuted_with_a_word)
{
    static const char swaps[] = "points 4\ntrack elements\npermute a (1 2)\npermute b (2 3)\n"
                                "permute c (3 4)\n";
    fsa2lrnn_automaton *a = automaton_of(swaps);
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_run *rounded = NULL, *exact = NULL;
    fsa2lrnn_verdict v;
    fsa2lrnn_error err;
    size_t got = 0, expected = 0;
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "keys", "naive", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_verify(&v, n, "p=2,emin=-6,emax=7", "every", NULL, &err) == FSA2LRNN_OK);
    cr_assert(v.verdict == FSA2LRNN_REFUTED && v.length > 0, "%s", v.text);
    cr_assert(v.right_up_to_known && v.right_up_to == v.length - 1);
    cr_assert(fsa2lrnn_run_new(&rounded, n, "p=2,emin=-6,emax=7", NULL, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_run_new(&exact, n, NULL, NULL, &err) == FSA2LRNN_OK);
    for (size_t i = 0; i < v.length; i++) {
        cr_assert(got == expected, "wrong before the end of the word");
        cr_assert(fsa2lrnn_run_step(rounded, v.word[i], &got, &err) == FSA2LRNN_OK);
        cr_assert(fsa2lrnn_run_step(exact, v.word[i], &expected, &err) == FSA2LRNN_OK);
    }
    cr_assert(got != expected);
    fsa2lrnn_verdict_clear(&v);
    fsa2lrnn_run_free(rounded);
    fsa2lrnn_run_free(exact);
    fsa2lrnn_network_free(n);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
}

Test(library, options)
{
    static const char *const good[][2] = {{"label", "accept"},      {"layers", "3"},
                                          {"householders", "1"},    {"key-dim", "4"},
                                          {"limit", "1000"},        {"max-sets", "50"},
                                          {"formats", "bf16"},      {"exact-in", "bf16,fp32"},
                                          {"schedule", "acc32"},    {"keys", "dyadic"},
                                          {"cascade", "capped"},    {"target", "complex"},
                                          {"gated", "yes"},         {"formats", "fp32,e4m3,fp16"},
                                          {"weights-dtype", "f32"}, {"weights-dtype", "auto"}};
    static const char *const bad[][2] = {{"label", "labels"},
                                         {"effort", "10"},
                                         {"layers", "-1"},
                                         {"layers", ""},
                                         {"layers", "0"},
                                         {"layers", "1x"},
                                         {"formats", ""},
                                         {"formats", "bf16,"},
                                         {"formats", "bf17"},
                                         {"layers", "99999999999999999999"},
                                         {"schedule", "chunk64"},
                                         {"nothing", "1"},
                                         {"keys", ""},
                                         {"gated", "maybe"},
                                         {"weights-dtype", "fp32"}};
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(fsa2lrnn_options_set(o, good[i][0], good[i][1], &err) == FSA2LRNN_OK, "%s",
                  err.text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(fsa2lrnn_options_set(o, bad[i][0], bad[i][1], &err) == FSA2LRNN_EINVAL, "%s %s",
                  bad[i][0], bad[i][1]);
    cr_assert(fsa2lrnn_options_set(o, NULL, "1", &err) == FSA2LRNN_EINVAL);
    fsa2lrnn_options_free(o);
}

/* A bound that no network keeps gives no network, and bounds that some network keeps are kept. */
Test(library, bounds)
{
    fsa2lrnn_automaton *a = automaton_of(maps);
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "layers", "1", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_EDOMAIN, "%s", err.text);
    cr_assert_null(n);
    cr_assert(fsa2lrnn_options_set(o, "layers", "2", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_layers(n) <= 2);
    fsa2lrnn_network_free(n);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
}

Test(library, runs)
{
    fsa2lrnn_network *n = network_of(parity);
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_error err;
    size_t label = 9;
    const size_t one = fsa2lrnn_network_find_letter(n, "1");
    cr_assert(fsa2lrnn_network_letters(n) == 2 && fsa2lrnn_network_labels(n) == 2);
    cr_assert_str_eq(fsa2lrnn_network_letter(n, one), "1");
    cr_assert_null(fsa2lrnn_network_letter(n, 2));
    cr_assert_null(fsa2lrnn_network_label(n, 2));
    cr_assert(fsa2lrnn_network_find_letter(n, "2") == FSA2LRNN_NONE);
    for (int format = 0; format < 2; format++) {
        cr_assert(fsa2lrnn_run_new(&run, n, format ? "bf16" : NULL, NULL, &err) == FSA2LRNN_OK);
        cr_assert(fsa2lrnn_run_start(run, &label, &err) == FSA2LRNN_OK);
        cr_assert_str_eq(fsa2lrnn_network_label(n, label), "even");
        for (size_t i = 1; i < 100; i++) {
            cr_assert(fsa2lrnn_run_step(run, one, &label, &err) == FSA2LRNN_OK);
            cr_assert_str_eq(fsa2lrnn_network_label(n, label), i % 2 ? "odd" : "even");
        }
        cr_assert(fsa2lrnn_run_step(run, 2, &label, &err) == FSA2LRNN_EINVAL);
        fsa2lrnn_run_free(run);
    }
    fsa2lrnn_network_free(n);
}

/* --- folders and the checker --- */

static void remove_folder(const char *folder)
{
    static const char *const name[] = {"automaton.fsa", "network.lrnn", "certificate.cert",
                                       "weights.safetensors", "report.json"};
    char path[128];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        unlink(path);
    }
    rmdir(folder);
}

Test(library, folders_and_check)
{
    char base[] = "/tmp/f2l-library-XXXXXX", folder[64], path[3][96], line[FSA2LRNN_LINE];
    static const char *const file[] = {"automaton.fsa", "network.lrnn", "certificate.cert"};
    fsa2lrnn_network *n = network_of(maps), *again = NULL;
    fsa2lrnn_error err;
    cr_assert(mkdtemp(base) != NULL);
    snprintf(folder, sizeof folder, "%s/out", base);
    for (size_t i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, file[i]);
    cr_assert(fsa2lrnn_network_save(n, folder, 0, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_save(n, folder, 0, &err) == FSA2LRNN_EEXIST);
    cr_assert(fsa2lrnn_network_save(n, folder, 1, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_open(&again, folder, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert_str_eq(fsa2lrnn_network_text(n), fsa2lrnn_network_text(again));
    cr_assert_str_eq(fsa2lrnn_network_certificate(n), fsa2lrnn_network_certificate(again));
    expect_verdict(again, NULL, NULL, FSA2LRNN_OK);
    /* A checker that is not found, or prints nothing, gives UNKNOWN and never VERIFIED. */
    cr_assert(fsa2lrnn_check(line, "/nowhere/lrnn-check", path[0], path[1], path[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert_str_eq(line, "s UNKNOWN");
    cr_assert(fsa2lrnn_check(line, "/bin/true", path[0], path[1], path[2], &err) ==
              FSA2LRNN_UNKNOWN);
    cr_assert(fsa2lrnn_check(line, NULL, "--help", path[1], path[2], &err) == FSA2LRNN_EINVAL);
    fsa2lrnn_network_free(again);
    fsa2lrnn_network_free(n);
    remove_folder(folder);
    rmdir(base);
}

/* weights.safetensors has the type that is asked for; 1 / sqrt 2 is rounded into it. */
Test(library, the_type_of_the_weights)
{
    char base[] = "/tmp/f2l-library-XXXXXX", folder[64], path[96], text[8192];
    fsa2lrnn_automaton *a = automaton_of(parity);
    fsa2lrnn_options *o = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    cr_assert(mkdtemp(base) != NULL);
    snprintf(folder, sizeof folder, "%s/out", base);
    snprintf(path, sizeof path, "%s/weights.safetensors", folder);
    cr_assert(fsa2lrnn_options_new(&o, &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "keys", "naive", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_options_set(o, "weights-dtype", "f32", &err) == FSA2LRNN_OK);
    cr_assert(fsa2lrnn_compile(&n, a, o, NULL, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(fsa2lrnn_network_save(n, folder, 0, &err) == FSA2LRNN_OK, "%s", err.text);
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL && fseek(file, 8, SEEK_SET) == 0); /* behind the header's size */
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_assert(strstr(text, "\"dtype\":\"F32\"") && !strstr(text, "\"dtype\":\"F64\""), "%s", text);
    cr_assert(strstr(text, "\"rounding\":\"f32\"") != NULL, "%s", text);
    fsa2lrnn_network_free(n);
    fsa2lrnn_options_free(o);
    fsa2lrnn_automaton_free(a);
    remove_folder(folder);
    rmdir(base);
}

Test(library, a_program_that_prints_the_line)
{
    static const struct {
        const char *script;
        fsa2lrnn_status verdict, why; /* why: of the error */
    } row[] = {{"echo 's VERIFIED exact'", FSA2LRNN_OK, FSA2LRNN_OK},
               {"echo 's VERIFIED exact'; exit 1", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"printf 's VERIFIED exact'", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"echo 's VERIFIED exact'; kill -9 $$", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"echo 'c s VERIFIED '", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"echo 's NOT VERIFIED'; exit 1", FSA2LRNN_REFUTED, FSA2LRNN_REFUTED},
               {"echo 's NOT VERIFIED'", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"echo 's UNKNOWN'; exit 2", FSA2LRNN_UNKNOWN, FSA2LRNN_UNKNOWN},
               {"echo 'lrnn-check: a file cannot be read: n: Input/output error' >&2;"
                "echo 's UNKNOWN'; exit 2",
                FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"echo 's UNKNOWN'; kill -9 $$", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO},
               {"head -c 100000 /dev/zero | tr '\\0' x", FSA2LRNN_UNKNOWN, FSA2LRNN_EIO}};
    char path[] = "/tmp/f2l-checker-XXXXXX", line[FSA2LRNN_LINE];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int file = mkstemp(path);
        cr_assert(file >= 0 && dprintf(file, "#!/bin/sh\n%s\n", row[i].script) > 0);
        cr_assert(fchmod(file, 0700) == 0 && close(file) == 0);
        fsa2lrnn_error err = {.status = FSA2LRNN_OK};
        cr_assert(fsa2lrnn_check(line, path, "a", "n", "c", &err) == row[i].verdict, "%s: %s",
                  row[i].script, line);
        cr_assert(err.status == row[i].why, "%s: %s", row[i].script, err.text);
        unlink(path);
        memcpy(path + sizeof path - 7, "XXXXXX", 6);
    }
}

/* --- limits --- */

typedef struct patience {
    size_t calls, most;
} patience;

static int count_calls(void *context, const char *phase, double done, double total)
{
    patience *p = context;
    cr_assert(phase != NULL && done >= 0 && total >= 0);
    return ++p->calls > p->most;
}

Test(library, cancelled)
{
    fsa2lrnn_automaton *a = automaton_of(maps);
    fsa2lrnn_error err;
    patience p = {.most = 0};
    const fsa2lrnn_task task = {.progress = count_calls, .context = &p, .threads = 2};
    fsa2lrnn_network *n = NULL;
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_UNKNOWN, "%s", err.text);
    cr_assert(n == NULL && p.calls == 1);
    p = (patience){.most = SIZE_MAX};
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_OK, "%s", err.text);
    cr_assert(p.calls > 1);
    fsa2lrnn_network_free(n);
    fsa2lrnn_automaton_free(a);
}

Test(library, time_is_limited)
{
    const fsa2lrnn_task task = {.seconds = 1e-9};
    fsa2lrnn_automaton *a = automaton_of(maps);
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_error err;
    cr_assert(fsa2lrnn_compile(&n, a, NULL, &task, &err) == FSA2LRNN_UNKNOWN);
    cr_assert(n == NULL && strstr(err.text, "time limit"), "%s", err.text);
    fsa2lrnn_automaton_free(a);
}

Test(library, a_verdict_that_was_cancelled_is_looked_for_again)
{
    fsa2lrnn_error err;
    fsa2lrnn_verdict v;
    fsa2lrnn_network *n = network_of(maps);
    patience w = {.most = 0};
    const fsa2lrnn_task task = {.progress = count_calls, .context = &w};
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

/* Compiles and runs in a thread of its own; returns NULL when all went well. */
static void *work(void *text)
{
    fsa2lrnn_network *n = network_of(text);
    expect_verdict(n, "bf16", "every", FSA2LRNN_OK);
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

#ifdef F2L_MEM_FAILURES
/* Every allocation of a whole use fails once: nothing leaks, and the only error is ENOMEM. */
Test(library, out_of_memory)
{
    fsa2lrnn_automaton *a = NULL;
    fsa2lrnn_network *n = NULL;
    fsa2lrnn_run *run = NULL;
    fsa2lrnn_error err;
    fsa2lrnn_status status = FSA2LRNN_ENOMEM;
    for (size_t i = 1; status != FSA2LRNN_OK; i += 1 + i / 8) {
        f2l_mem_fail_after(i, true);
        status = fsa2lrnn_automaton_read(&a, parity, sizeof parity - 1, NULL, NULL, &err);
        if (status == FSA2LRNN_OK) status = fsa2lrnn_compile(&n, a, NULL, NULL, &err);
        if (status == FSA2LRNN_OK) status = fsa2lrnn_run_new(&run, n, NULL, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == FSA2LRNN_OK || status == FSA2LRNN_ENOMEM, "%zu: %s", i, err.text);
        fsa2lrnn_run_free(run);
        fsa2lrnn_network_free(n);
        fsa2lrnn_automaton_free(a);
        run = NULL, n = NULL, a = NULL;
    }
}
#endif
