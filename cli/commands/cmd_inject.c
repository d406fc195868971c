/* `inject`: an automaton beside a language model. */
#include "cli/commands.h"
#include "cli/input/network_file.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "library/version.h"
#include "models/doors/inject/inject.h"
#include "reports/networks/inject_report.h"
#include "theory/certify/unrounded/export_proof.h"

#define EFFORT 3000                     /* limit on all proofs, in millions of counted steps */
#define TOKENS_LIMIT ((size_t)64 << 20) /* bytes of a file of tokens */

typedef struct inject_options {
    const char *out, *tokens, *dtype, *fsa;
} inject_options;

static const char *name_short_dtype(size_t index)
{
    const f2l_export_dtype *const *all = f2l_export_short_dtypes;
    return all[index] ? all[index]->name : NULL;
}

#define FIELD(name) offsetof(inject_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "OUT", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder to write, whole or not at all; it must not exist"},
    {"tokens", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(tokens),
     "lines `LETTER TOKEN-NUMBER`, `-` for standard input; a letter may have several tokens "
     "(default: the tokens of MODEL's tokenizer with the letters' names; if it has not all of "
     "them, letter i is token i)"},
    {"dtype", 0, F2L_OPTION_TEXT, "TYPE", name_short_dtype, 0, 0, FIELD(dtype),
     "the type of the branch's numbers (default: bfloat16 if nothing rounds in it, else float16)"},
    F2L_NETWORK_FSA_OPTION,
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    inject_options o;
    f2l_network_file net;
    f2l_base_model checkpoint;
    f2l_letter_tokens tokens;
    f2l_inject inject;
    f2l_outdir_kind kind;
    f2l_outdir dir;
} job;

#define PARTS(part, clear) \
    part(f2l_inject, inject), part(f2l_letter_tokens, tokens), part(f2l_base_model, checkpoint), \
        part(f2l_network_file, net)
F2L_JOB(PARTS)

static int check_inject_usage(job *j)
{
    if (j->cli.operands != 2)
        return f2l_cli_usage(&j->cli, "a network and the folder of a language model are expected");
    if (!j->o.out) return f2l_cli_usage(&j->cli, "--out OUT is missing");
    if (j->o.dtype)
        j->inject.job.dtype = f2l_export_dtype_find(f2l_export_short_dtypes, j->o.dtype);
    if (j->o.dtype && !j->inject.job.dtype)
        return f2l_cli_usage(&j->cli, "--dtype takes one of: bfloat16, float16; not '%s'",
                             j->o.dtype);
    return 0;
}

/* Reads which tokens are letters. */
static int find_tokens(job *j)
{
    f2l_error err;
    f2l_buf text;
    f2l_status status;
    const f2l_names *letters = &j->net.model.letters;
    if (!j->o.tokens) {
        status = f2l_letter_tokens_find(&j->tokens, letters, &j->checkpoint, &err);
        return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->cli.operand[1], &err);
    }
    f2l_buf_init(&text);
    status = f2l_read_file(&text, j->o.tokens, TOKENS_LIMIT, &err);
    if (status == F2L_OK)
        status = f2l_letter_tokens_read(&j->tokens, letters, j->checkpoint.vocab, &text, &err);
    f2l_buf_clear(&text);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, f2l_cli_input_name(j->o.tokens), &err);
}

static f2l_inject_report inject_report_of(const job *j)
{
    return (f2l_inject_report){.network = j->cli.operand[0],
                               .model = j->cli.operand[1],
                               .out = j->o.out,
                               .version = f2l_version(),
                               .commit = f2l_commit(),
                               .inject = &j->inject};
}

static f2l_status write_injected_files(job *j, f2l_error *err)
{
    f2l_buf json;
    f2l_status status = f2l_inject_write(&j->inject, &j->dir, &j->cli.task, err);
    const f2l_inject_report report = inject_report_of(j);
    f2l_buf_init(&json);
    if (status == F2L_OK) status = f2l_report_as_json(&json, &f2l_inject_report_kind, &report, err);
    if (status == F2L_OK)
        status = f2l_outdir_write(&j->dir, F2L_INJECT_ABOUT, json.data, json.size, err);
    if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, err);
    f2l_buf_clear(&json);
    return status;
}

static int show_injected(job *j)
{
    const f2l_inject_report report = inject_report_of(j);
    if (j->cli.global.quiet && !j->cli.global.json) return 0;
    return f2l_cli_report(&j->cli, &f2l_inject_report_kind, &report);
}

static int make_injected(job *j)
{
    f2l_error err;
    f2l_effort effort = {.limit = (uint64_t)EFFORT * F2L_STEPS};
    f2l_task task = j->cli.task;
    task.effort = &effort;
    j->inject.checkpoint = &j->checkpoint;
    j->inject.tokens = &j->tokens;
    j->inject.job.prove = f2l_export_prove;
    j->inject.job.task = &task;
    j->inject.job.model = &j->net.model;
    j->inject.job.network = j->cli.operand[0];
    j->inject.job.automaton = j->net.paths.fsa.data;
    j->inject.job.fsa = &j->net.automaton.fsa;
    const f2l_status status = f2l_inject_make(&j->inject, &err);
    j->inject.job.task = NULL;
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->net.paths.network.data, &err);
}

static int write_injected(job *j)
{
    f2l_error err;
    j->kind = (f2l_outdir_kind){
        .names = j->inject.name, .mark = F2L_INJECT_ABOUT, .folders = f2l_inject_folders};
    if (f2l_outdir_open_kind(&j->dir, j->o.out, &j->kind, false, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.out, &err);
    f2l_signals_guard(&j->dir);
    if (f2l_signals_caught()) return f2l_cli_interrupted(&j->cli, "nothing was written");
    if (write_injected_files(j, &err) != F2L_OK) return f2l_cli_fail(&j->cli, j->o.out, &err);
    return show_injected(j);
}

static int run_inject(void *context)
{
    job *j = context;
    f2l_error err;
    int code = check_inject_usage(j);
    if (code == 0) code = f2l_network_file_load(&j->net, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code == 0) code = f2l_network_file_load_automaton(&j->net, &j->cli);
    if (code == 0 && f2l_base_model_open(&j->checkpoint, j->cli.operand[1], &err) != F2L_OK)
        code = f2l_cli_fail(&j->cli, j->cli.operand[1], &err);
    if (code == 0) code = find_tokens(j);
    if (code == 0) code = make_injected(j);
    if (code == 0) code = write_injected(j);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    return code;
}

const f2l_command f2l_command_inject = {
    .name = "inject",
    .usage = (const char *const[]){"inject NET MODEL -o OUT [options]", NULL},
    .summary = "adds an automaton beside a language model, as a branch with its own stream",
    .description =
        "MODEL is the folder of a causal language model as Hugging Face has it: config.json, "
        "tensors as safetensors, a tokenizer. OUT gets its files byte for byte (base/), NET as a "
        "stock model with an embedding, norms, mixers and tables of its own (branch/), a "
        "projection from NET's labels into the embeddings of MODEL (inject.safetensors), and "
        "model.py, which runs all of it with PyTorch and transformers. Tokens that are no letters "
        "leave the automaton where it is.\n\n"
        "At first the projection is -0, and adding -0 changes no number: the old outputs are "
        "equal, bit for bit where MODEL's kernels are deterministic. The branch's label is exact "
        "after every token, whatever becomes of the projection and of MODEL in training.\n\n"
        "The stream of MODEL is not made wider: RMSNorm divides by a mean over all channels, so "
        "that new channels would change what the old ones give.\n\n"
        "Weights in .pt or .bin files are refused, since they may run programs when they are read; "
        "transformers converts them: from_pretrained, then save_pretrained.",
    .options = table,
    .no_grammar = "a network has the automaton that it was built from",
    .files = {F2L_FILES_NETWORK, F2L_FILES_FOLDER},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn inject s3.lrnn OLMo -o OLMo-s3", "letters are tokens of the tokenizer"},
            {"fsa2lrnn inject s3.lrnn OLMo -o OLMo-s3 --tokens s3.tokens", "with a list of tokens"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_inject};
