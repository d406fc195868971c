/* The main job: grammar in, OUT/ with network, certificate, weights and report out. */
#include "f2l_cli.h"
#include "f2l_commands.h"
#include "f2l_grammar.h"
#include "f2l_mem.h"
#include "f2l_outdir.h"
#include "f2l_report.h"
#include "f2l_sha256.h"
#include "f2l_signals.h"
#include "f2l_version.h"
#include "f2l_wired_weights.h"
#include <string.h>

typedef struct compile_options {
    const char *out, *regex, *alphabet, *symbols;
    bool force, sink, numeric, gated;
    size_t label, keys, cascade, schedule, require;
    f2l_choices formats;
    uint64_t limit, max_states, max_sets;
} compile_options;

static const char *key_choice(size_t index)
{
    static const char *const names[] = {"dyadic", "naive", NULL};
    return names[index];
}

#define FIELD(name) offsetof(compile_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "OUT", NULL, 0, 0, FIELD(out),
     "the output folder (default: the grammar's name with .lrnn, in the current folder)"},
    {"force", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(force), "replace an existing OUT"},
    {"label", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_label, 0, 0, FIELD(label),
     "what the network says after every letter: states (default), outputs or accept; the last two minimise "
     "first"},
    {"sink", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(sink),
     "let missing transitions lead to an added rejecting state instead of refusing them"},
    {"keys", 0, F2L_OPTION_CHOICE, "KIND", key_choice, 0, 0, FIELD(keys),
     "dyadic (default): keys that every binary format holds exactly; naive: the textbook keys (e_i - "
     "e_j)/sqrt 2"},
    {"cascade", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_cascade, 0, 0, FIELD(cascade),
     "build a cascade, also where one layer would do: holonomy, capped or zeiger; pure: holonomy (default: "
     "only where "
     "it is needed, the smaller of holonomy and capped)"},
    {"gated", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(gated),
     "resets of a cascade by a gate of 0, with a second layer for levels that keep the old state where that "
     "takes fewer factors"},
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "number formats to verify in (default: bf16,fp16,fp32,fp64)"},
    {"schedule", 0, F2L_OPTION_CHOICE, "NAME", f2l_choice_schedule, 0, 0, FIELD(schedule),
     "order and rounding of the operations (default: every, each operation rounds)"},
    {"require", 0, F2L_OPTION_CHOICE, "FORMAT", f2l_choice_format, 0, 0, FIELD(require),
     "the exit status is the worse of the exact verdict and this format's (refuted is worse than unknown)"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "rows of a format's closure before its verdict is UNKNOWN (default: 1000000)"},
    {"max-states", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(max_states),
     "states that determinising or listing a group may give (default: 1000000)"},
    {"max-sets", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(max_sets),
     "subsets of states that a cascade may take before its rule form, which takes none, is built instead "
     "(default: 2000000, fewer for automata of thousands of states)"},
    {"regex", 0, F2L_OPTION_TEXT, "RE", NULL, 0, 0, FIELD(regex),
     "compile this POSIX extended regular expression instead of a file; each character is a letter"},
    {"alphabet", 0, F2L_OPTION_TEXT, "LETTERS", NULL, 0, 0, FIELD(alphabet),
     "the letters of --regex (default: the characters it mentions)"},
    {"symbols", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(symbols),
     "symbol table of a numeric AT&T file"},
    {"numeric", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(numeric),
     "take the numbers of an AT&T file as letters"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    compile_options o;
    const char *source, *out; /* the user's file as messages name it; OUT */
    f2l_buf out_name, bytes, symbols;
    f2l_outdir dir;
    f2l_grammar grammar;
    f2l_compile_options compile;
    f2l_compile_result compiled;
    f2l_report report;
    double start;
} job;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The grammar's base name with its last extension replaced; a name that is only an extension is kept whole.
 */
static int default_out(job *j)
{
    f2l_error err;
    const char *base = base_name(j->source), *dot = strrchr(base, '.');
    f2l_buf_bytes(&j->out_name, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    f2l_buf_text(&j->out_name, ".lrnn");
    if (f2l_buf_status(&j->out_name, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    j->out = j->out_name.data;
    return 0;
}

static int check_usage(job *j)
{
    f2l_cli *cli = &j->cli;
    const compile_options *o = &j->o;
    if (o->regex) {
        if (cli->operands)
            return f2l_cli_usage(cli, "--regex takes the place of the file '%s'", cli->operand[0]);
        if (o->symbols || o->numeric)
            return f2l_cli_usage(cli, "--symbols and --numeric belong to AT&T files, not to --regex");
    } else if (o->alphabet) {
        return f2l_cli_usage(cli, "--alphabet belongs to --regex");
    } else if (cli->operands == 0) {
        return f2l_cli_usage(cli, "a grammar file, --regex or a command is expected");
    } else if (cli->operands > 1) {
        return f2l_cli_usage(cli, "one grammar at a time, not '%s' and '%s'", cli->operand[0],
                             cli->operand[1]);
    }
    if (o->symbols && o->numeric) return f2l_cli_usage(cli, "--symbols and --numeric exclude each other");
    if (o->out && !o->out[0]) return f2l_cli_usage(cli, "--out is empty");
    return 0;
}

static f2l_compile_cascade cascade_kind(size_t choice)
{
    static const f2l_compile_cascade kind[] = {F2L_COMPILE_HOLONOMY, F2L_COMPILE_CAPPED, F2L_COMPILE_ZEIGER,
                                               F2L_COMPILE_HOLONOMY};
    return choice == F2L_NO_CHOICE ? F2L_COMPILE_AUTO : kind[choice];
}

static void choose_formats(job *j)
{
    f2l_choices *formats = &j->o.formats;
    if (formats->count == 0) {
        while (f2l_formats[formats->count].name && formats->count < 4) {
            formats->index[formats->count] = formats->count;
            formats->count++;
        }
    }
    bool listed = j->o.require == F2L_NO_CHOICE;
    for (size_t i = 0; i < formats->count; i++) listed = listed || formats->index[i] == j->o.require;
    if (!listed && formats->count < F2L_MAX_CHOICES) formats->index[formats->count++] = j->o.require;
    for (size_t i = 0; i < formats->count && i < F2L_MAX_FORMATS; i++) {
        j->compile.format[i] = &f2l_formats[formats->index[i]];
    }
}

/* Bytes of the grammar and of the symbol table. */
static int read_files(job *j)
{
    f2l_error err;
    if (!j->o.regex && f2l_read_file(&j->bytes, j->cli.operand[0], 0, &err) != F2L_OK) {
        return f2l_cli_fail(&j->cli, j->source, &err);
    }
    if (j->o.symbols && f2l_read_file(&j->symbols, j->o.symbols, 0, &err) != F2L_OK) {
        return f2l_cli_fail(&j->cli, j->o.symbols, &err);
    }
    return 0;
}

static int read_grammar(job *j)
{
    f2l_error err;
    f2l_grammar_options options;
    memset(&options, 0, sizeof options);
    options.import.symbols = j->o.symbols ? (j->symbols.data ? j->symbols.data : "") : NULL;
    options.import.symbols_size = j->symbols.size;
    options.import.numeric = j->o.numeric;
    options.import.max_states = options.total.max_states = (size_t)j->o.max_states;
    options.total.sink = j->o.sink;
    int status = j->o.regex ? f2l_grammar_regex(&j->grammar, &j->cli, j->o.regex, j->o.alphabet, &options)
                            : f2l_grammar_read(&j->grammar, &j->cli, j->source, &j->bytes, &options);
    if (status) return status;
    if (f2l_fsa_check_label(&j->grammar.fsa, j->compile.label, &err) != F2L_OK) {
        return f2l_cli_fail(&j->cli, j->source, &err);
    }
    return 0;
}

/* Writes one file of OUT and notes it for the report; clears the buffer. */
static f2l_status put(job *j, const char *name, f2l_buf *bytes, f2l_error *err)
{
    f2l_status status = f2l_buf_status(bytes, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, name, bytes->data, bytes->size, err);
    if (status == F2L_OK) {
        f2l_report_file *file = &j->report.file[j->report.files++];
        file->name = name;
        file->bytes = bytes->size;
        f2l_sha256_hex(bytes->data, bytes->size, file->sha256);
    }
    f2l_buf_clear(bytes);
    return status;
}

static f2l_status put_automaton(job *j, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_fsa_write(&bytes, &j->grammar.fsa, err);
    if (status == F2L_OK) status = put(j, "automaton.fsa", &bytes, err);
    f2l_buf_clear(&bytes);
    return status;
}

/* The network, and its certificate when there is something to certify. */
static f2l_status put_network(job *j, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = j->compiled.zeiger ? f2l_wired_write(&bytes, &j->compiled.wired, err)
                                           : f2l_net_write(&bytes, &j->compiled.net, err);
    if (status == F2L_OK) status = put(j, "network.lrnn", &bytes, err);
    if (status == F2L_OK && j->compiled.exact.verdict == F2L_OK) {
        const char *sha256 = j->report.file[j->report.files - 1].sha256;
        status = f2l_compile_certificate(&bytes, &j->compiled, &j->grammar.fsa, sha256, err);
        if (status == F2L_OK) status = put(j, "certificate.cert", &bytes, err);
    }
    f2l_buf_clear(&bytes);
    return status;
}

static f2l_status put_weights(job *j, f2l_error *err)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    const f2l_fsa *fsa = &j->grammar.fsa;
    f2l_weights_report *weights = &j->report.weights;
    f2l_status status = j->compiled.zeiger
                            ? f2l_wired_weights_write(&bytes, weights, &j->compiled.wired, fsa, err)
                            : f2l_weights_write(&bytes, weights, &j->compiled.net, fsa, err);
    if (status == F2L_OK) status = put(j, "weights.safetensors", &bytes, err);
    f2l_buf_clear(&bytes);
    return status;
}

static void fill_report(job *j)
{
    f2l_report *r = &j->report;
    r->version = f2l_version();
    r->commit = f2l_commit();
    r->grammar = base_name(j->source);
    r->syntax = j->grammar.syntax;
    r->fsa = &j->grammar.fsa;
    memcpy(r->fsa_sha256, j->compiled.zeiger ? j->compiled.wired.fsa_sha256 : j->compiled.net.fsa_sha256,
           sizeof r->fsa_sha256);
    r->label = j->compile.label;
    r->total = j->grammar.total;
    r->compiled = &j->compiled;
    r->out = j->out;
}

/* Everything that OUT holds; *json is the report as well, for --json. */
static f2l_status write_out(job *j, f2l_buf *json, f2l_error *err)
{
    fill_report(j);
    f2l_status status = put_automaton(j, err);
    if (status == F2L_OK) status = put_network(j, err);
    if (status == F2L_OK) status = put_weights(j, err);
    if (status != F2L_OK) return status;
    j->report.total_seconds = f2l_now() - j->start;
    status = f2l_report_json(json, &j->report, err);
    if (status == F2L_OK) status = f2l_buf_status(json, err);
    if (status == F2L_OK) status = f2l_outdir_write(&j->dir, "report.json", json->data, json->size, err);
    return status;
}

static int worse(int a, int b)
{
    if (a == F2L_EXIT_REFUTED || b == F2L_EXIT_REFUTED) return F2L_EXIT_REFUTED;
    return a > b ? a : b;
}

static int verdict_status(f2l_status verdict)
{
    return verdict == F2L_OK ? 0 : verdict == F2L_REFUTED ? F2L_EXIT_REFUTED : F2L_EXIT_UNKNOWN;
}

static int exit_verdict(const job *j)
{
    int status = verdict_status(j->compiled.exact.verdict);
    for (size_t i = 0; j->o.require != F2L_NO_CHOICE && i < j->compiled.formats; i++) {
        const f2l_compile_format *f = &j->compiled.format[i];
        if (f->format == &f2l_formats[j->o.require])
            status = worse(status, verdict_status(f->closure.verdict));
    }
    return status;
}

static int print_result(job *j, f2l_buf *json)
{
    f2l_error err;
    f2l_buf text;
    f2l_terminal_erase(&j->cli.terminal);
    if (j->cli.global.json) return f2l_cli_print(&j->cli, json);
    if (j->cli.global.quiet) return 0;
    f2l_buf_init(&text);
    if (f2l_report_summary(&text, &j->report, &err) != F2L_OK) {
        f2l_buf_clear(&text);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    return f2l_cli_print(&j->cli, &text);
}

static int compile(job *j)
{
    f2l_error err;
    f2l_buf json;
    j->report.read_seconds = f2l_now() - j->start;
    if (f2l_compile(&j->compiled, &j->grammar.fsa, &j->compile, &j->cli.task, &err) != F2L_OK) {
        return f2l_cli_fail(&j->cli, j->source, &err);
    }
    /* A closure that was cancelled is an UNKNOWN verdict; the user asked to stop, not for that. */
    if (f2l_signals_caught()) return f2l_cli_interrupted(&j->cli, "nothing was written");
    f2l_buf_init(&json);
    f2l_status status = write_out(j, &json, &err);
    int code = 0;
    if (f2l_signals_caught()) {
        code = f2l_cli_interrupted(&j->cli, "nothing was written");
    } else {
        if (status == F2L_OK) status = f2l_outdir_commit(&j->dir, &err);
        code = status == F2L_OK ? print_result(j, &json) : f2l_cli_fail(&j->cli, j->out, &err);
    }
    f2l_buf_clear(&json);
    return code ? code : exit_verdict(j);
}

/* OUT is claimed before the work starts, so that nobody waits for a result that cannot be stored. */
static int run_job(job *j)
{
    f2l_error err;
    int status = check_usage(j);
    if (status) return status;
    j->source = j->o.regex ? "regex" : f2l_grammar_name(j->cli.operand[0]);
    j->out = j->o.out;
    j->compile.label = (f2l_label)j->o.label;
    j->compile.naive_keys = j->o.keys == 1;
    j->compile.cascade = cascade_kind(j->o.cascade);
    j->compile.gated = j->o.gated;
    j->compile.max_sets = (size_t)j->o.max_sets;
    j->compile.schedule = &f2l_schedules[j->o.schedule];
    j->compile.float_rows = (size_t)j->o.limit;
    choose_formats(j);
    if (!j->out && (status = default_out(j)) != 0) return status;
    status = read_files(j);
    if (status) return status;
    if (f2l_outdir_open(&j->dir, j->out, j->o.force, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->out, &err);
    f2l_signals_guard(&j->dir);
    status = read_grammar(j);
    if (status == 0) status = compile(j);
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    return status;
}

static int run(int argc, char **argv)
{
    job *j = f2l_calloc(1, sizeof *j);
    int status;
    if (!j) return F2L_EXIT_MEMORY;
    j->start = f2l_now();
    j->o.require = j->o.cascade = F2L_NO_CHOICE;
    f2l_grammar_init(&j->grammar);
    f2l_compile_result_init(&j->compiled);
    if (f2l_cli_begin(&j->cli, &f2l_command_compile, argc, argv, &j->o, &status)) {
        status = f2l_cli_end(&j->cli, run_job(j));
    }
    f2l_compile_result_clear(&j->compiled);
    f2l_grammar_clear(&j->grammar);
    f2l_buf_clear(&j->out_name);
    f2l_buf_clear(&j->bytes);
    f2l_buf_clear(&j->symbols);
    f2l_free(j);
    return status;
}

const f2l_command f2l_command_compile = {
    .name = "",
    .usage = (const char *const[]){"GRAMMAR [options]", "--regex RE [options]", NULL},
    .summary = "compiles finite automata to exact linear-RNN weights with a proof",
    .description =
        "Reads a finite automaton, builds a linear recurrent network (products of generalized Householder "
        "matrices, as in "
        "DeltaProduct) that tracks its state exactly, verifies the network in exact arithmetic and in number "
        "formats with "
        "every operation rounded, and writes the folder OUT: automaton.fsa, network.lrnn, certificate.cert, "
        "weights.safetensors, report.json. The certificate can be checked by lrnn-check alone.\n\n"
        "GRAMMAR is a .fsa file, AT&T text (OpenFst, foma), JFLAP .jff, a GAP list of Transformation([...]) "
        "or Graphviz DOT "
        "as AALpy and MONA write it, recognised by its content; - is standard input. A file named like a "
        "command is given "
        "as ./NAME.",
    .options = table,
    .examples = (const f2l_example[]){{"fsa2lrnn parity.fsa", "compile, verify and write parity.lrnn/"},
                                      {"fsa2lrnn s5.fsa --out s5-network --require bf16",
                                       "exit with 0 only if it is also exact in bf16 at all lengths"},
                                      {"fsa2lrnn --regex '(11)*' --label accept",
                                       "the network says accept or reject after every letter"},
                                      {NULL, NULL}},
    .run = run};
