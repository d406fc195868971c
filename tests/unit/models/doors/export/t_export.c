/* Every target on networks in layers and wired ones. What the files do is tested by programs that
 * read them: tests/clients/export.py. */
#include "models/doors/export/export.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/models/safetensors_support.h"
#include "tests/support/models/wired_samples.h"
#include "theory/certify/cert/export_cert.h"
#include "theory/certify/unrounded/export_proof.h"
#include <criterion/criterion.h>

typedef struct fixture {
    f2l_net model;
    f2l_fsa fsa;
    f2l_export_job job;
} fixture;

static void open_sample(fixture *f, const char *text)
{
    f2l_error err;
    f2l_net_init(&f->model);
    cr_assert_eq(f2l_network_read(&f->model, text, strlen(text), &err), F2L_OK, "%s", err.text);
    f->job = (f2l_export_job){.model = &f->model,
                              .fsa = &f->fsa,
                              .dtype = &f2l_export_float32,
                              .network = "sample",
                              .automaton = "sample.fsa",
                              .prove = f2l_export_prove,
                              .certify = f2l_export_certify,
                              .proof = {.verdict = F2L_UNKNOWN, .reason = "it was not asked"}};
    automaton_with(&f->fsa, &f->job.model->letters);
}

/* Returns whether the target is a stock model, which takes only some networks: the first of
 * the samples, and perhaps others. */
static bool is_stock(const f2l_export_target *target)
{
    return strncmp(target->name, "fla-", 4) == 0 || strcmp(target->name, "olmo-hybrid") == 0;
}

static void close_sample(fixture *f)
{
    f2l_net_clear(&f->model);
    f2l_fsa_clear(&f->fsa);
}

static const f2l_export_target *find_target(const char *name)
{
    for (size_t t = 0; f2l_export_targets[t]; t++)
        if (strcmp(f2l_export_targets[t]->name, name) == 0) return f2l_export_targets[t];
    return NULL;
}

static bool is_listed(const char *name)
{
    for (size_t i = 0; f2l_export_names[i]; i++)
        if (strcmp(f2l_export_names[i], name) == 0) return true;
    return false;
}

static const f2l_export_file *file_of(const f2l_exported *exported, const char *name)
{
    for (size_t i = 0; i < exported->files; i++)
        if (strcmp(exported->file[i].name, name) == 0) return &exported->file[i];
    cr_assert(false, "%s is missing", name);
    return NULL;
}

static const char *const samples[] = {SAMPLE_PARITY, SAMPLE_FLIPFLOP, SAMPLE_PARTS, SAMPLE_WIRED};
#define SAMPLES (sizeof samples / sizeof *samples)

/* Gives the wired sample its automaton, a counter modulo 4, which Coq's target reads. */
static void give_counter(fixture *f)
{
    static const uint32_t next[4][3] = {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 0, 0}};
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_names_clear(&f->fsa.states);
    for (size_t i = 0; i < 4; i++) sample_name(&f->fsa.states, (const char[]){(char)('0' + i), 0});
    f->fsa.next = f2l_calloc(12, sizeof *f->fsa.next);
    cr_assert_not_null(f->fsa.next);
    memcpy(f->fsa.next, next, sizeof next);
    cr_assert_eq(f2l_fsa_write(&text, &f->fsa, NULL), F2L_OK);
    f2l_sha256_hex(text.data, text.size, f->model.fsa_sha256);
    f2l_buf_clear(&text);
}

Test(export, every_target_writes_listed_files)
{
    for (size_t s = 0; s < SAMPLES; s++)
        for (size_t t = 0; f2l_export_targets[t]; t++) {
            fixture f;
            f2l_exported exported;
            f2l_error err;
            const f2l_export_target *target = f2l_export_targets[t];
            open_sample(&f, samples[s]);
            const bool wired = f2l_net_is_wired(&f.model);
            if (wired) give_counter(&f);
            if (target->dtype) f.job.dtype = target->dtype[0];
            f2l_exported_init(&exported);
            const f2l_status status = f2l_export_model(&exported, target, &f.job, &err);
            /* The samples have no certificates; of what a wired one becomes one is made. */
            if ((target->certificate && !wired) ||
                (is_stock(target) && s > 0 && status != F2L_OK)) {
                cr_assert_eq(status, F2L_EDOMAIN, "%s", target->name);
                cr_assert_eq(exported.files, 0);
                close_sample(&f);
                continue;
            }
            cr_assert_eq(status, F2L_OK, "%s: %s", target->name, err.text);
            cr_assert_geq(exported.files, 2);
            cr_assert_geq(exported.claims, 1);
            for (size_t i = 0; i < exported.files; i++) {
                cr_assert(is_listed(exported.file[i].name), "%s", exported.file[i].name);
                cr_assert_gt(exported.file[i].bytes.size, 0);
            }
            for (size_t i = 0; i < exported.claims; i++) cr_assert(exported.claim[i].text[0]);
            cr_assert_not_null(
                strstr(file_of(&exported, "README.md")->bytes.data, exported.claim[0].text));
            f2l_exported_clear(&exported);
            close_sample(&f);
        }
}

/* Returns the tokenizer of a model that reads letters of these names and then the prefix. */
static char *tokenizer_for(const char *const *letter, size_t letters, const char *prefix)
{
    f2l_exported model, out;
    f2l_names names;
    f2l_buf bytes;
    f2l_error err;
    f2l_names_init(&names);
    f2l_buf_init(&bytes);
    f2l_exported_init(&model);
    f2l_exported_init(&out);
    for (size_t i = 0; i < letters; i++) sample_name(&names, letter[i]);
    f2l_buf_text(&bytes, prefix);
    model.file[model.files++] = (f2l_export_file){.name = "prefix.json", .bytes = bytes};
    cr_assert_eq(f2l_export_tokenizer(&out, &model, &names, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(out.files, 2);
    cr_assert_str_eq(out.file[0].name, "tokenizer.json");
    cr_assert_str_eq(out.file[1].name, "tokenizer_config.json");
    char *text = f2l_calloc(out.file[0].bytes.size + 1, 1);
    cr_assert_not_null(text);
    memcpy(text, out.file[0].bytes.data, out.file[0].bytes.size);
    f2l_names_clear(&names);
    f2l_exported_clear(&model);
    f2l_exported_clear(&out);
    return text;
}

Test(export, tokenizers_spell_letters_as_words_do)
{
    static const char *const names[] = {"a", "start", "two words", "q\"", "#", "\xc3\xa9"};
    char *text = tokenizer_for(names, 6, "[6, 6, 7, 8]");
    cr_assert_not_null(strstr(text, "\"vocab\": {\"a\": 0, \"start\": 1, "
                                    "\"\\\"two words\\\"\": 2, \"\\\"q\\\\\\\"\\\"\": 3, "
                                    "\"\\\"#\\\"\": 4, \"\xc3\xa9\": 5, \"begin 6\": 6, "
                                    "\"begin 7\": 7, \"begin 8\": 8}"),
                       "%s", text);
    cr_assert_not_null(strstr(text, "\"ids\": [6, 6, 7, 8]"), "%s", text);
    cr_assert_not_null(strstr(text, "[^ \\\\t\\\\r\\\\n]+\"}"), "%s", text);
    f2l_free(text);
}

Test(export, letters_of_one_character_need_no_blanks)
{
    static const char *const names[] = {"a", " ", "\xc3\xa9"};
    char *text = tokenizer_for(names, 3, "[3]");
    cr_assert_not_null(strstr(text, "[^ \\\\t\\\\r\\\\n]\"}"), "%s", text);
    cr_assert_not_null(strstr(text, "\"\\\" \\\"\": 1"), "%s", text);
    f2l_free(text);
}

Test(export, only_a_model_of_tokens_has_a_tokenizer)
{
    f2l_exported model, out;
    f2l_names names;
    f2l_error err;
    f2l_names_init(&names);
    f2l_exported_init(&model);
    f2l_exported_init(&out);
    cr_assert_eq(f2l_export_tokenizer(&out, &model, &names, &err), F2L_EDOMAIN);
    cr_assert_eq(out.files, 0);
    f2l_names_clear(&names);
}

Test(export, targets_are_in_order)
{
    for (size_t t = 1; f2l_export_targets[t]; t++)
        cr_assert_lt(strcmp(f2l_export_targets[t - 1]->name, f2l_export_targets[t]->name), 0);
}

/* The claim follows the proof, and rounded weights are never called exact. */
Test(export, claims)
{
    for (int proved = 0; proved < 2; proved++)
        for (size_t t = 0; f2l_export_targets[t]; t++) {
            const f2l_export_target *target = f2l_export_targets[t];
            fixture f;
            f2l_exported exported;
            if (is_stock(target) || target->certificate) continue;
            open_sample(&f, SAMPLE_FLIPFLOP); /* its keys are 3/5, 4/5 */
            if (proved) f.job.proof.verdict = F2L_OK;
            f2l_exported_init(&exported);
            cr_assert_eq(f2l_export_model(&exported, target, &f.job, NULL), F2L_OK);
            cr_assert_eq(exported.claim[0].exact, proved && target->schedules, "%s", target->name);
            if (!proved && target->schedules)
                cr_assert_not_null(strstr(exported.claim[0].text, "it was not asked"));
            f2l_exported_clear(&exported);
            close_sample(&f);
        }
}

/* Gives the automaton edges, and sets the job's certificate, owned by the caller, to the lines of
 * one of the claim that targets read. */
static void certify(fixture *f, const char *claim)
{
    f2l_export_job *job = &f->job;
    char fsa_hex[65], net_hex[65];
    f2l_buf fsa, net;
    f2l_buf_init(&fsa);
    f2l_buf_init(&net);
    f2l_buf_init(&job->certificate);
    f->fsa.next = f2l_calloc(f->fsa.states.count * f->fsa.letters.count, sizeof *f->fsa.next);
    cr_assert_not_null(f->fsa.next);
    cr_assert_eq(f2l_fsa_write(&fsa, job->fsa, NULL), F2L_OK);
    cr_assert_eq(f2l_net_write(&net, job->model, NULL), F2L_OK);
    f2l_sha256_hex(fsa.data, fsa.size, fsa_hex);
    f2l_sha256_hex(net.data, net.size, net_hex);
    f2l_buf_printf(&job->certificate, "lrnn-certificate 2\nfsa %s\nnetwork %s\nclaim %s\n", fsa_hex,
                   net_hex, claim);
    f2l_buf_clear(&fsa);
    f2l_buf_clear(&net);
}

static void expect_coq(const fixture *f, const char *why)
{
    f2l_exported exported;
    f2l_error err = {0};
    f2l_exported_init(&exported);
    const f2l_status status = f2l_export_model(&exported, find_target("coq"), &f->job, &err);
    cr_assert_eq(status, why ? F2L_EDOMAIN : F2L_OK, "%s", err.text);
    cr_assert(!why || strstr(err.text, why), "%s", err.text);
    f2l_exported_clear(&exported);
}

Test(export, what_coq_refuses)
{
    fixture f;
    open_sample(&f, SAMPLE_FIELD);
    expect_coq(&f, "heads over a number field or with a form");
    close_sample(&f);
    open_sample(&f, SAMPLE_PARITY);
    expect_coq(&f, "there is no certificate.cert beside the network");
    certify(&f, "exact");
    expect_coq(&f, NULL);
    f.job.certificate.data[f.job.certificate.size - sizeof "x\nclaim exact"] = 'x'; /* of a hash */
    expect_coq(&f, "is about other files");
    f2l_buf_clear(&f.job.certificate);
    f2l_free(f.fsa.next);
    certify(&f, "d1");
    expect_coq(&f, "has another claim");
    f2l_buf_clear(&f.job.certificate);
    close_sample(&f);
}

#ifdef F2L_MEM_FAILURES
Test(export, out_of_memory)
{
    for (size_t s = 0; s < SAMPLES; s++)
        for (size_t t = 0; f2l_export_targets[t]; t++) {
            size_t n = 0;
            f2l_status status = F2L_ENOMEM;
            fixture f;
            const bool certified = f2l_export_targets[t]->certificate;
            if (is_stock(f2l_export_targets[t]) ? s > 0 : s % 2 == 0) continue;
            open_sample(&f, samples[s]);
            if (f2l_net_is_wired(&f.model))
                give_counter(&f);
            else if (certified)
                certify(&f, "exact");
            if (f2l_export_targets[t]->dtype) f.job.dtype = f2l_export_targets[t]->dtype[0];
            while (status == F2L_ENOMEM) {
                f2l_exported exported;
                f2l_exported_init(&exported);
                n++;
                f2l_mem_fail_after(n, n % 2 == 0);
                status = f2l_export_model(&exported, f2l_export_targets[t], &f.job, NULL);
                f2l_mem_fail_after(0, false);
                cr_assert(status == F2L_OK || exported.files == 0);
                f2l_exported_clear(&exported);
            }
            cr_assert_eq(status, F2L_OK);
            cr_assert_gt(n, 3);
            if (certified) f2l_buf_clear(&f.job.certificate);
            close_sample(&f);
        }
}
#endif
