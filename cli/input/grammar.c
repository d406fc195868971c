#include "cli/input/grammar.h"
#include "models/network/wired/network_text.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <stdio.h>
#include <string.h>

void f2l_grammar_init(f2l_grammar *grammar)
{
    memset(grammar, 0, sizeof *grammar);
    f2l_buf_init(&grammar->bytes);
    f2l_buf_init(&grammar->symbols);
    f2l_buf_init(&grammar->joined);
    f2l_fsa_init(&grammar->fsa);
}

void f2l_grammar_clear(f2l_grammar *grammar)
{
    for (size_t i = 0; i < grammar->parts; i++) f2l_grammar_clear(&grammar->part[i]);
    f2l_free(grammar->part);
    f2l_fsa_clear(&grammar->fsa);
    f2l_buf_clear(&grammar->joined);
    f2l_buf_clear(&grammar->symbols);
    f2l_buf_clear(&grammar->bytes);
}

/* Warns about reading the grammar; with --strict it is an error. Returns 0 or the exit status. */
static int warn_of_reading(f2l_cli *cli, const f2l_input_options *o, const char *name, size_t line,
                           size_t column, const char *text)
{
    f2l_error err;
    if (o->strict) {
        f2l_fail_at(&err, line, column, "%s (--strict)", text);
        return f2l_cli_fail(cli, name, &err);
    }
    f2l_buf where;
    f2l_buf_init(&where);
    f2l_buf_text(&where, name);
    if (line) f2l_buf_printf(&where, ":%zu", line);
    if (line && column) f2l_buf_printf(&where, ":%zu", column);
    f2l_cli_warn(cli, where.failed ? name : where.data, "%s", text);
    f2l_buf_clear(&where);
    return 0;
}

/* Warns of what the reader took in one of several ways. Returns 0 or, with --strict, the exit
 * status. */
static int warn_of_notes(f2l_cli *cli, const f2l_input_options *o, const char *name,
                         const f2l_notes *notes)
{
    int code = 0;
    for (size_t i = 0; i < notes->count && code == 0; i++) {
        const f2l_note *note = &notes->item[i];
        char text[256];
        f2l_note_print(text, note);
        code = warn_of_reading(cli, o, name, note->line, note->column, text);
    }
    return code;
}

/* Warns of each step between the user's file and automaton.fsa, because the certificate speaks
 * about automaton.fsa only. The file names an added state, which is no reason to refuse where
 * --sink asked for it, and `check --source` compares the rest. Returns 0 or, with --strict, the
 * exit status. */
static int warn_of_steps(f2l_cli *cli, const f2l_input_options *o, const f2l_grammar *g)
{
    static const char outside[] = "this step is outside the certificate";
    const f2l_total_report *r = &g->total;
    const f2l_input_options lax = {.strict = o->strict && !(o->sink && g->fsa.has_added)};
    const char *compare = g->joined_to ? ""
                          : o->regex   ? ": compare with `fsa2lrnn check OUT --regex RE`"
                                       : ": compare with `fsa2lrnn check OUT --source FILE`";
    char text[256];
    int code = 0;
    if (r->determinised) {
        snprintf(text, sizeof text, "made deterministic: %zu states became %zu; %s%s",
                 r->states_before, g->fsa.states.count, outside, compare);
        code = warn_of_reading(cli, o, g->name, 0, 0, text);
    }
    if (code == 0 && r->sink_edges) {
        snprintf(text, sizeof text,
                 "a sink state '%s' was added for %zu missing transition%s%s%s; %s", r->sink_name,
                 r->sink_edges, r->sink_edges == 1 ? "" : "s",
                 g->rejects ? ", which reject in " : "", g->rejects ? g->syntax : "",
                 g->fsa.has_added ? "automaton.fsa names it" : outside);
        code = warn_of_reading(cli, &lax, g->name, 0, 0, text);
    }
    if (code == 0 && r->dropped) {
        snprintf(text, sizeof text, "%zu state%s that no word reaches %s dropped; %s%s", r->dropped,
                 r->dropped == 1 ? "" : "s", r->dropped == 1 ? "was" : "were", outside, compare);
        code = warn_of_reading(cli, o, g->name, 0, 0, text);
    }
    return code;
}

/* Checks the text of --read-as. Returns 0 or the exit status. */
static int check_read_as(f2l_cli *cli, const f2l_input_options *o)
{
    f2l_error err;
    f2l_read_as as = {0};
    if (!o->read_as) return 0;
    if (o->regex) return f2l_cli_usage(cli, "--read-as belongs to files, not to --regex");
    const f2l_status status = f2l_read_as_parse(&as, o->read_as, &err);
    f2l_read_as_clear(&as);
    if (status == F2L_OK) return 0;
    return f2l_cli_usage(cli, "--read-as, column %zu: %s", err.column, err.text);
}

int f2l_grammar_check(f2l_cli *cli, const f2l_input_options *options, const char *path)
{
    const f2l_input_options *o = options;
    if (o->regex && path)
        return f2l_cli_usage(cli, "--regex takes the place of the file '%s'", path);
    if (o->regex && (o->symbols || o->numeric))
        return f2l_cli_usage(cli, "--symbols and --numeric belong to AT&T files, not to --regex");
    if (o->regex && o->finite)
        return f2l_cli_usage(cli, "--finite-words belongs to HOA files, not to --regex");
    if (!o->regex && o->alphabet) return f2l_cli_usage(cli, "--alphabet belongs to --regex");
    if (!o->regex && o->tokens) return f2l_cli_usage(cli, "--tokens belongs to --regex");
    if (o->symbols && o->numeric)
        return f2l_cli_usage(cli, "--symbols and --numeric exclude each other");
    return check_read_as(cli, o);
}

/* Says in *err what is expected where the folder of a network was given. */
static void explain_folder(const char *folder, f2l_error *err)
{
    if (f2l_path_has(folder, "network.lrnn"))
        (void)f2l_fail(err, err->status,
                       "this is the folder of a network; an automaton is expected, such as "
                       "automaton.fsa in it");
}

/* Says in *err what is expected where a file beside a network was given, or its own. */
static void explain_file(const f2l_buf *bytes, f2l_error *err)
{
    const char *kind = bytes->data ? f2l_network_file_kind(bytes->data, bytes->size) : NULL;
    if (kind)
        (void)f2l_fail(err, err->status,
                       "this is %s; an automaton is expected, such as automaton.fsa beside it",
                       kind);
}

/* Reads the bytes of the files and sets the hash. After an error *at names the file. */
static f2l_status read_grammar_files(f2l_grammar *out, const char **at, const f2l_input_options *o,
                                     const char *path, f2l_error *err)
{
    *at = path ? f2l_cli_input_name(path) : "regex";
    out->name = *at;
    f2l_status status = path ? f2l_read_file(&out->bytes, path, 0, err) : F2L_OK;
    if (status != F2L_OK && f2l_path_is_folder(path)) explain_folder(path, err);
    if (status != F2L_OK) return status;
    const char *bytes = o->regex ? o->regex : out->bytes.data ? out->bytes.data : "";
    f2l_sha256_hex(bytes, o->regex ? strlen(bytes) : out->bytes.size, out->source);
    *at = o->symbols;
    return o->symbols ? f2l_read_file(&out->symbols, o->symbols, 0, err) : F2L_OK;
}

int f2l_grammar_open(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                     const char *path)
{
    f2l_error err;
    const char *at;
    const int code = f2l_grammar_check(cli, options, path);
    if (code) return code;
    return read_grammar_files(out, &at, options, path, &err) == F2L_OK
               ? 0
               : f2l_cli_fail(cli, at, &err);
}

/* Reads the file's bytes or the regular expression. */
static f2l_status import_grammar(f2l_nfa *out, const f2l_grammar *grammar, const f2l_task *task,
                                 const f2l_input_options *o, f2l_error *err)
{
    if (o->regex) return f2l_import_regex(out, o->regex, o->alphabet, o->tokens, err);
    const char *symbols = grammar->symbols.data ? grammar->symbols.data : "";
    const char *bytes = grammar->bytes.data ? grammar->bytes.data : "";
    f2l_read_as as = {0};
    f2l_status status = o->read_as ? f2l_read_as_parse(&as, o->read_as, err) : F2L_OK;
    const f2l_import_options import = {.as = o->read_as ? &as : NULL,
                                       .symbols = o->symbols ? symbols : NULL,
                                       .symbols_size = grammar->symbols.size,
                                       .numeric = o->numeric,
                                       .finite = o->finite,
                                       .max_states = (size_t)o->max_states};
    if (status == F2L_OK) status = f2l_import(out, bytes, grammar->bytes.size, &import, task, err);
    f2l_read_as_clear(&as);
    return status;
}

/* Makes the automaton as it is written of the bytes that were read, and gives them up. */
static f2l_status parse_grammar(f2l_nfa *out, f2l_grammar *grammar, const f2l_task *task,
                                const f2l_input_options *options, f2l_error *err)
{
    const f2l_status status = import_grammar(out, grammar, task, options, err);
    if (status == F2L_EFORMAT && !options->regex) explain_file(&grammar->bytes, err);
    f2l_buf_clear(&grammar->bytes);
    if (status != F2L_OK) return status;
    memcpy(grammar->syntax, out->source, sizeof grammar->syntax);
    if (out->has_added && !out->added_source[0] && !grammar->joined_to)
        memcpy(out->added_source, grammar->source, sizeof out->added_source);
    return F2L_OK;
}

int f2l_grammar_parse(f2l_nfa *out, f2l_grammar *grammar, f2l_cli *cli,
                      const f2l_input_options *options)
{
    f2l_error err;
    if (parse_grammar(out, grammar, &cli->task, options, &err) != F2L_OK)
        return f2l_cli_fail(cli, grammar->name, &err);
    return warn_of_notes(cli, options, grammar->name, &out->notes);
}

/* Makes the automaton total, as the options and the syntax say. */
static f2l_status make_total(f2l_grammar *out, const f2l_nfa *nfa, const f2l_input_options *o,
                             const f2l_task *task, f2l_error *err)
{
    out->rejects = nfa->partial && !o->sink && o->label == F2L_LABEL_ACCEPT;
    const f2l_total_options total = {.sink = o->sink || out->rejects,
                                     .max_states = (size_t)o->max_states,
                                     .source = out->joined_to ? NULL : out->source};
    return f2l_nfa_total(&out->fsa, &out->total, nfa, &total, task, err);
}

int f2l_grammar_read(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options)
{
    f2l_error err;
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    int code = f2l_grammar_parse(&nfa, out, cli, options);
    if (code == 0 && make_total(out, &nfa, options, &cli->task, &err) != F2L_OK)
        code = f2l_cli_fail(cli, out->name, &err);
    f2l_nfa_clear(&nfa);
    return code == 0 ? warn_of_steps(cli, options, out) : code;
}

f2l_status f2l_grammar_find(f2l_grammar *out, const f2l_input_options *options, const char *path,
                            const f2l_task *task, f2l_error *err)
{
    f2l_nfa nfa;
    const char *at;
    f2l_nfa_init(&nfa);
    f2l_status status = read_grammar_files(out, &at, options, path, err);
    if (status == F2L_OK) status = parse_grammar(&nfa, out, task, options, err);
    if (status == F2L_OK) status = make_total(out, &nfa, options, task, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(&out->fsa, (f2l_label)options->label, err);
    f2l_nfa_clear(&nfa);
    return status;
}
