/* `check-export`: whether a stock model that `export` wrote gives the automaton's labels. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include "models/doors/export/export.h"
#include "reports/networks/check_export_report.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct check_export_options {
    const char *fsa;
    bool another;
    uint64_t effort;
} check_export_options;

#define FIELD(name) offsetof(check_export_options, name)
static const f2l_option table[] = {
    {"fsa", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_AUTOMATON, 0, FIELD(fsa),
     "the automaton that the model must follow"},
    {"another-automaton", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(another),
     "FILE need not be the automaton that export.json names"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 1000000000, FIELD(effort),
     "limit on the work, in millions of counted steps of about 10 ns; 0: none (default: 10000)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

#define EFFORT 10000
#define ABOUT_LIMIT ((size_t)16 << 20)

typedef struct job {
    f2l_cli cli;
    check_export_options o;
    f2l_stock_files files;
    f2l_grammar automaton;
    f2l_stock_verdict verdict;
} job;

#define PARTS(part, clear) \
    part(f2l_stock_verdict, verdict), part(f2l_grammar, automaton), part(f2l_stock_files, files)
F2L_JOB(PARTS)

/* Refuses the folder of an export that is no language model, as its export.json says. Of any other
 * folder this says nothing: what is wrong with it is found when all files are read. */
static f2l_status refuse_other_target(const char *folder, f2l_error *err)
{
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_buf_printf(&path, "%s/export.json", folder);
    f2l_error unread;
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK && f2l_read_file(&text, path.data, ABOUT_LIMIT, &unread) == F2L_OK) {
        json_t *about = json_loadb(text.data ? text.data : "", text.size, 0, NULL);
        const char *name = json_string_value(json_object_get(about, "target"));
        for (const f2l_export_target *const *t = f2l_export_targets; name && *t; t++)
            if (strcmp((*t)->name, name) == 0 && !(*t)->library)
                status = f2l_fail(err, F2L_EDOMAIN,
                                  "an export to %s is no language model, of which there are "
                                  "fla-deltanet, fla-gated-deltaproduct and olmo-hybrid; "
                                  "`fsa2lrnn check` checks the network that was exported",
                                  name);
        json_decref(about);
    }
    f2l_buf_clear(&text);
    f2l_buf_clear(&path);
    return status;
}

static int read_export_automaton(job *j)
{
    const f2l_input_options none = {0};
    const int code = f2l_grammar_open(&j->automaton, &j->cli, &none, j->o.fsa);
    return code ? code : f2l_grammar_read(&j->automaton, &j->cli, &none);
}

static int print_check_export(job *j)
{
    const f2l_check_export_report report = {&j->verdict, &j->automaton.fsa, j->o.fsa};
    const int code = f2l_cli_report(&j->cli, &f2l_check_export_kind, &report);
    return code                                ? code
           : j->verdict.verdict == F2L_OK      ? 0
           : j->verdict.verdict == F2L_REFUTED ? F2L_EXIT_REFUTED
                                               : F2L_EXIT_UNKNOWN;
}

static int run_check_export(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_effort effort = {.limit = j->o.effort * F2L_STEPS};
    f2l_task task = j->cli.task;
    task.effort = &effort;
    if (j->cli.operands != 1)
        return f2l_cli_usage(&j->cli, "one folder is expected, which `export` wrote");
    if (!j->o.fsa) return f2l_cli_usage(&j->cli, "--fsa FILE is missing: the automaton");
    if (refuse_other_target(j->cli.operand[0], &err) != F2L_OK ||
        f2l_stock_files_read(&j->files, j->cli.operand[0], &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->cli.operand[0], &err);
    const int code = read_export_automaton(j);
    if (code) return code;
    if (f2l_stock_check(&j->verdict, &j->files, &j->automaton.fsa, j->o.another, &task, &err) !=
        F2L_OK)
        return f2l_cli_fail(&j->cli, j->cli.operand[0], &err);
    return print_check_export(j);
}

const f2l_command f2l_command_check_export = {
    .name = "check-export",
    .usage = (const char *const[]){"check-export DIR --fsa FILE [options]", NULL},
    .summary = "checks an exported language model, from its bytes, against the automaton",
    .description =
        "Reads the whole model that `export --to fla-deltanet`, `fla-gated-deltaproduct` or "
        "`olmo-hybrid` wrote to DIR, all tensors and config.json, and decides whether its largest "
        "logit after the prefix and every word is the label of the automaton. It knows nothing of "
        "the network that was exported: it runs the model on words until no new state comes up, in "
        "arithmetic of which every result is certain under the assumptions EB.1 of "
        "theory/pages/stock.md, and proves that nothing rounds in the heads.\n\n"
        "There is a verdict for each way of running the model: VERIFIED; REFUTED, with a word; or "
        "UNKNOWN, with the reason. The exit status is 0 when all ways that export.json claims to "
        "be exact are VERIFIED, 1 when one is REFUTED, and else 2. Names of letters and labels, "
        "and the kind of the labels, are taken from export.json.\n\n"
        "A line for each way names all that its verdict is about: `s VERIFIED export TARGET path "
        "PATH format FORMAT label KIND letters N labels N states N`, and the SHA-256 of the "
        "automaton's canonical text (fsa), of config.json (config), model.safetensors (model), "
        "prefix.json (prefix) and export.json (export).\n\n"
        "Refused are: a member of config.json, of the header of model.safetensors or of "
        "export.json, or a tensor, that the stock model does not have; a file whose SHA-256 is not "
        "the one in export.json; and any other file in DIR, since loaders obey files of many "
        "names: the exit status is 69, or 65 for a file that cannot be parsed. The sentences of "
        "README.md are not read.",
    .options = table,
    .no_grammar = "an automaton to check against has the form in which it was written",
    .files = {F2L_FILES_FOLDER},
    .examples = (const f2l_example[]){{"fsa2lrnn check-export s3-fla --fsa s3.lrnn/automaton.fsa",
                                       "check the model in s3-fla"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const check_export_options){.effort = EFFORT},
    .run = run_check_export};
