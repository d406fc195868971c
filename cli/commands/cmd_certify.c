/* `certify`: proves a network that somebody else wrote, through the library's interface, and writes
 * the folder with its certificate. */
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include "cli/input/network_paths.h"
#include "cli/interface.h"
#include "cli/signals.h"
#include "numeric/base/outdir.h"
#include <string.h>
#include <unistd.h>

typedef struct certify_options {
    f2l_input_options input;
    const char *out, *format, *schedule, *certificate;
    uint64_t limit, effort;
    bool force;
} certify_options;

#define FIELD(name) offsetof(certify_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "OUT", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the output folder (default: only the verdict is printed)"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force), "replace an existing OUT"},
    {"format", 0, F2L_OPTION_TEXT, "FORMAT", f2l_choice_format, 0, 0, FIELD(format),
     "prove the network in a number format, as `round` takes it (default: exactly)"},
    {"schedule", 0, F2L_OPTION_TEXT, "SCHEDULE", f2l_choice_schedule, 0, 0, FIELD(schedule),
     "order and rounding of the operations in --format, as `round` takes it (default: every)"},
    {"certificate", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_CERTIFICATE, 0, FIELD(certificate),
     "a certificate of NETWORK, which names the levels or the form that it may be proved by "
     "(default: certificate.cert beside NETWORK, if there is one)"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most joint states of a closure (default: 1000000)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 4000000000, FIELD(effort),
     "limit on the proof, in millions of counted steps, which are the same on every machine "
     "(default: 0, no limit)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    certify_options o;
    f2l_grammar grammar;
    f2l_network_paths paths;
    f2l_buf network, certificate; /* bytes of the files */
    f2l_outdir dir;
    fsa2lrnn_automaton *automaton;
    fsa2lrnn_network *given, *proved;
    fsa2lrnn_verdict verdict;
} job;

#define PARTS(part, clear) \
    clear(fsa2lrnn_verdict_clear(&j->verdict)), clear(fsa2lrnn_network_free(j->proved)), \
        clear(fsa2lrnn_network_free(j->given)), clear(fsa2lrnn_automaton_free(j->automaton)), \
        part(f2l_buf, certificate), part(f2l_buf, network), part(f2l_network_paths, paths), \
        part(f2l_grammar, grammar)
F2L_JOB(PARTS)

/* --- reading --- */

/* Returns the kind of the network's labels as far as it matters for missing transitions. No name
 * in the text has the end of a line in it. */
static f2l_label label_of_given(const job *j)
{
    const char *text = j->network.data ? j->network.data : "";
    return strstr(text, "\nlabel accept\n") ? F2L_LABEL_ACCEPT : F2L_LABEL_STATES;
}

static int read_certified_automaton(job *j)
{
    f2l_error inner;
    f2l_buf text;
    fsa2lrnn_error err;
    const fsa2lrnn_task task = f2l_cli_interface_task(&j->cli);
    const fsa2lrnn_reading reading = {.max_states = (size_t)j->o.input.max_states};
    j->o.input.label = label_of_given(j);
    const int code = f2l_grammar_read(&j->grammar, &j->cli, &j->o.input);
    if (code) return code;
    f2l_buf_init(&text);
    f2l_status status = f2l_fsa_write(&text, &j->grammar.fsa, &inner);
    if (status == F2L_OK) status = f2l_buf_status(&text, &inner);
    fsa2lrnn_status read = FSA2LRNN_OK;
    if (status == F2L_OK)
        read = fsa2lrnn_automaton_read(&j->automaton, text.data, text.size, &reading, &task, &err);
    f2l_buf_clear(&text);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->grammar.name, &inner);
    return read == FSA2LRNN_OK ? 0 : f2l_cli_refuse(&j->cli, j->grammar.name, &err);
}

static int read_certified_network(job *j)
{
    f2l_error inner;
    fsa2lrnn_error err;
    const char *given = j->cli.operand[j->cli.operands - 1];
    f2l_status status = f2l_network_paths_find(&j->paths, given, NULL, &inner);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &inner);
    if (f2l_read_file(&j->network, j->paths.network.data, 0, &inner) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->paths.network.data, &inner);
    if (fsa2lrnn_network_read(&j->given, j->network.data, j->network.size, &err) != FSA2LRNN_OK)
        return f2l_cli_refuse(&j->cli, j->paths.network.data, &err);
    if (!j->o.certificate && access(j->paths.certificate.data, F_OK) != 0) return 0;
    const char *path = j->o.certificate ? j->o.certificate : j->paths.certificate.data;
    status = f2l_read_file(&j->certificate, path, 0, &inner);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, path, &inner);
}

/* --- proving --- */

static fsa2lrnn_status certify_claim(job *j, fsa2lrnn_error *err)
{
    fsa2lrnn_task task = f2l_cli_interface_task(&j->cli);
    task.effort = (unsigned long)j->o.effort;
    const fsa2lrnn_claim claim = {.format = j->o.format,
                                  .schedule = j->o.schedule,
                                  .certificate = j->certificate.data,
                                  .certificate_size = j->certificate.size,
                                  .limit = (size_t)j->o.limit};
    return fsa2lrnn_certify(&j->proved, &j->verdict, j->given, j->automaton, &claim, &task, err);
}

/* Proves the network; a certificate that nobody named is left out where it is of something else. */
static int prove_network(job *j)
{
    fsa2lrnn_error err;
    const char *certificate = j->o.certificate ? j->o.certificate : j->paths.certificate.data;
    fsa2lrnn_status status = certify_claim(j, &err);
    const bool misled = status == FSA2LRNN_EFORMAT && j->certificate.size > 0;
    if (misled && !j->o.certificate) {
        f2l_cli_warn(&j->cli, certificate, "%s; it is not used", err.text);
        f2l_buf_clear(&j->certificate);
        status = certify_claim(j, &err);
    } else if (misled) {
        return f2l_cli_refuse(&j->cli, certificate, &err);
    }
    return status == FSA2LRNN_OK ? 0 : f2l_cli_refuse(&j->cli, j->paths.network.data, &err);
}

/* --- writing --- */

/* The files of OUT, in order. */
typedef struct out_file {
    const char *name;
    const char *(*text)(const fsa2lrnn_network *network);
} out_file;
static const out_file out_files[] = {{"automaton.fsa", fsa2lrnn_network_automaton},
                                     {"network.lrnn", fsa2lrnn_network_text},
                                     {"certificate.cert", fsa2lrnn_network_certificate},
                                     {"report.json", fsa2lrnn_network_report}};

/* Returns whether there is a certificate, without which nothing is written. */
static bool is_certified(const job *j)
{
    return fsa2lrnn_network_certificate(j->proved)[0] != '\0';
}

static f2l_status write_certified_files(job *j, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < sizeof out_files / sizeof *out_files; i++) {
        const char *text = out_files[i].text(j->proved);
        status = f2l_outdir_write(&j->dir, out_files[i].name, text, strlen(text), err);
    }
    return status == F2L_OK ? f2l_outdir_flush(&j->dir, err) : status;
}

static int write_out(job *j)
{
    f2l_error err;
    f2l_status status = write_certified_files(j, &err);
    if (status == F2L_OK) {
        f2l_watchdog_hold();
        status = f2l_outdir_commit(&j->dir, &err);
        f2l_watchdog_release();
    }
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.out, &err);
}

/* --- printing --- */

static void lay_refuting_word(f2l_buf *out, const job *j)
{
    if (j->verdict.length == 0) f2l_buf_text(out, " the empty word");
    for (size_t i = 0; i < j->verdict.length; i++) {
        f2l_buf_text(out, " ");
        f2l_buf_name(out, fsa2lrnn_network_letter(j->proved, j->verdict.word[i]));
    }
}

static void lay_files(f2l_buf *out, const job *j)
{
    for (size_t i = 0; i < sizeof out_files / sizeof *out_files; i++)
        f2l_buf_printf(out, "%-14s %s/%s\n", i == 0 ? "files" : "", j->o.out, out_files[i].name);
    const char *text = fsa2lrnn_network_text(j->proved);
    if (strstr(text, "\nbox ") && !strstr(j->network.data, "\nbox "))
        f2l_buf_text(out, "               network.lrnn has lines `box`, which the given one lacks: "
                          "intervals of states that prove it\n");
    else if (strcmp(text, j->network.data) != 0)
        f2l_buf_text(out, "               network.lrnn differs from the given one in the line fsa, "
                          "which names this automaton\n");
    f2l_buf_printf(out, "check it       lrnn-check");
    for (size_t i = 0; i < 3; i++) f2l_buf_printf(out, " %s/%s", j->o.out, out_files[i].name);
    f2l_buf_text(out, "\n");
}

static void lay_certified(f2l_buf *out, const job *j)
{
    char arithmetic[64] = "exact";
    const fsa2lrnn_verdict *v = &j->verdict;
    const char *decoder = j->o.format ? " by the nearest code" : "";
    if (j->o.format)
        snprintf(arithmetic, sizeof arithmetic, "%.30s %.30s", j->o.format,
                 j->o.schedule ? j->o.schedule : "every");
    f2l_buf_printf(out, "%-14s ", arithmetic);
    if (v->verdict == FSA2LRNN_OK) {
        f2l_buf_printf(out, "VERIFIED for all words%s (%s)\n", decoder, v->text);
    } else if (v->verdict == FSA2LRNN_REFUTED) {
        f2l_buf_printf(out, "REFUTED%s after", decoder);
        lay_refuting_word(out, j);
        f2l_buf_printf(out, " (%s)\n", v->text);
    } else {
        f2l_buf_printf(out, "UNKNOWN: %s\n", v->text);
        if (j->certificate.size == 0)
            f2l_buf_text(out,
                         "hint           a certificate of NETWORK (--certificate FILE) may name "
                         "the levels or the parts by which it can be proved\n");
    }
    if (j->dir.committed) lay_files(out, j);
}

static int print_certified(job *j)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_terminal_erase(&j->cli.terminal);
    if (j->cli.global.json)
        f2l_buf_text(&text, fsa2lrnn_network_report(j->proved));
    else if (!j->cli.global.quiet)
        lay_certified(&text, j);
    return f2l_cli_print(&j->cli, &text);
}

/* Returns the exit status of the verdict, after a message where it has no certificate. */
static int conclude_certify(job *j)
{
    f2l_error err;
    const fsa2lrnn_status verdict = j->verdict.verdict;
    if (verdict == FSA2LRNN_UNKNOWN && f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, "nothing was written");
    if (verdict == FSA2LRNN_UNKNOWN) return F2L_EXIT_UNKNOWN;
    if (verdict == FSA2LRNN_REFUTED) return F2L_EXIT_REFUTED;
    if (is_certified(j)) return 0;
    (void)f2l_fail(&err, F2L_EDOMAIN, "VERIFIED, but there is no certificate: nothing was written");
    return f2l_cli_fail(&j->cli, j->paths.network.data, &err);
}

/* --- the command --- */

static int check_usage(job *j)
{
    f2l_cli *cli = &j->cli;
    const size_t expected = j->o.input.regex ? 1 : 2;
    if (cli->operands != expected)
        return f2l_cli_usage(cli, "%s expected",
                             expected == 1 ? "with --regex one network is"
                                           : "an automaton and a network are");
    if (j->o.out && !j->o.out[0]) return f2l_cli_usage(cli, "--out is empty");
    if (j->o.force && !j->o.out) return f2l_cli_usage(cli, "--force belongs to --out");
    if (j->o.schedule && !j->o.format) return f2l_cli_usage(cli, "--schedule belongs to --format");
    return 0;
}

/* Claims OUT before the work starts, so that nobody waits for a result that cannot be stored. */
static int claim_out(job *j)
{
    f2l_error err;
    if (!j->o.out) return 0;
    if (f2l_outdir_open(&j->dir, j->o.out, j->o.force, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.out, &err);
    f2l_signals_guard(&j->dir);
    return 0;
}

static int run_certify_job(job *j)
{
    int code = check_usage(j);
    if (code == 0)
        code = f2l_grammar_open(&j->grammar, &j->cli, &j->o.input,
                                j->o.input.regex ? NULL : j->cli.operand[0]);
    if (code == 0) code = read_certified_network(j);
    if (code == 0) code = claim_out(j);
    if (code == 0) code = read_certified_automaton(j);
    if (code == 0) code = prove_network(j);
    if (code == 0 && j->o.out && is_certified(j)) code = write_out(j);
    if (code == 0) code = print_certified(j);
    return code ? code : conclude_certify(j);
}

static int run_certify(void *context)
{
    job *j = context;
    const int code = run_certify_job(j);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    return code;
}

const f2l_command f2l_command_certify = {
    .name = "certify",
    .usage = (const char *const[]){"certify AUTOMATON NETWORK [-o OUT] [options]",
                                   "certify --regex RE NETWORK [-o OUT] [options]", NULL},
    .summary = "proves a network that somebody else wrote, and writes its certificate",
    .description =
        "Decides whether NETWORK, a file in the form of lrnn(5) or a folder with network.lrnn, "
        "gives every word the label of AUTOMATON: exactly, or in a number format. AUTOMATON may be "
        "in any syntax, its letters in any order, and it need not be minimal or deterministic; but "
        "letters that NETWORK takes as one class must act alike in it, as they do in the minimal "
        "automaton if NETWORK is right (fsa minimise). "
        "The proof is a closure of joint states, the form of a theorem, or the levels that a "
        "certificate of NETWORK names; nothing is believed. Where exact states equal no codes, as "
        "when they are infinitely many, boxes around the codes of layers over Q are looked for "
        "that hold them, in which the code is the nearest one; network.lrnn then has them.\n\n"
        "OUT gets automaton.fsa in canonical form with the letters in the order of NETWORK, "
        "network.lrnn, whose line fsa names this automaton, certificate.cert and report.json, and "
        "lrnn-check accepts them. Where the network is exactly wrong, the certificate is that it "
        "is wrong in a number format, fp64 if possible. Nothing is written without a certificate.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, offsetof(certify_options, input)}},
    .no_label = "a network says which labels it gives",
    .files = {F2L_FILES_AUTOMATON, F2L_FILES_NETWORK},
    .examples =
        (const f2l_example[]){{"fsa2lrnn certify parity.fsa theirs.lrnn -o proved.lrnn",
                               "prove it, and write the folder"},
                              {"fsa2lrnn certify parity.fsa theirs.lrnn --format bf16 -o bf16.lrnn",
                               "the same in bf16"},
                              {"fsa2lrnn certify --regex '(aa)*' theirs.lrnn", "only the verdict"},
                              {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_certify};
