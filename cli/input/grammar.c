#include "cli/input/grammar.h"
#include "numeric/base/mem.h"
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

/* Warns of each step between the user's file and automaton.fsa, because the certificate speaks
 * about automaton.fsa only. */
static void warn(f2l_cli *cli, const char *name, const f2l_grammar *g)
{
    const f2l_total_report *r = &g->total;
    if (r->determinised) {
        f2l_cli_warn(cli, name,
                     "made deterministic: %zu states became %zu; this step is outside the "
                     "certificate",
                     r->states_before, g->fsa.states.count);
    }
    if (r->sink_edges) {
        f2l_cli_warn(
            cli, name,
            "a sink state '%s' was added for %zu missing transition%s; this step is outside the "
            "certificate",
            r->sink_name, r->sink_edges, r->sink_edges == 1 ? "" : "s");
    }
    if (r->dropped) {
        f2l_cli_warn(cli, name,
                     "%zu state%s that no word reaches %s dropped; this step is outside the "
                     "certificate",
                     r->dropped, r->dropped == 1 ? "" : "s", r->dropped == 1 ? "was" : "were");
    }
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
    return 0;
}

int f2l_grammar_open(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                     const char *path)
{
    f2l_error err;
    const int code = f2l_grammar_check(cli, options, path);
    if (code) return code;
    out->name = path ? f2l_cli_input_name(path) : "regex";
    if (path && f2l_read_file(&out->bytes, path, 0, &err) != F2L_OK)
        return f2l_cli_fail(cli, out->name, &err);
    if (options->symbols && f2l_read_file(&out->symbols, options->symbols, 0, &err) != F2L_OK)
        return f2l_cli_fail(cli, options->symbols, &err);
    return 0;
}

int f2l_grammar_parse(f2l_nfa *out, f2l_grammar *grammar, f2l_cli *cli,
                      const f2l_input_options *options)
{
    f2l_error err;
    const char *symbols = grammar->symbols.data ? grammar->symbols.data : "";
    const char *bytes = grammar->bytes.data ? grammar->bytes.data : "";
    const f2l_import_options import = {.symbols = options->symbols ? symbols : NULL,
                                       .symbols_size = grammar->symbols.size,
                                       .numeric = options->numeric,
                                       .finite = options->finite,
                                       .max_states = (size_t)options->max_states};
    const f2l_status status =
        options->regex
            ? f2l_import_regex(out, options->regex, options->alphabet, options->tokens, &err)
            : f2l_import(out, bytes, grammar->bytes.size, &import, &cli->task, &err);
    f2l_buf_clear(&grammar->bytes);
    if (status != F2L_OK) return f2l_cli_fail(cli, grammar->name, &err);
    memcpy(grammar->syntax, out->source, sizeof grammar->syntax);
    if (out->letter_sets)
        f2l_cli_warn(cli, grammar->name, "%zu label%s read as several letters, the first is `%s`",
                     out->letter_sets, out->letter_sets == 1 ? " was" : "s were", out->letter_set);
    return 0;
}

int f2l_grammar_read(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options)
{
    f2l_error err;
    f2l_nfa nfa;
    const f2l_total_options total = {options->sink, (size_t)options->max_states};
    f2l_nfa_init(&nfa);
    int code = f2l_grammar_parse(&nfa, out, cli, options);
    if (code == 0 &&
        f2l_nfa_total(&out->fsa, &out->total, &nfa, &total, &cli->task, &err) != F2L_OK)
        code = f2l_cli_fail(cli, out->name, &err);
    f2l_nfa_clear(&nfa);
    if (code == 0) warn(cli, out->name, out);
    return code;
}
