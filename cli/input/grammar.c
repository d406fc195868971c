#include "cli/input/grammar.h"
#include <string.h>

void f2l_grammar_init(f2l_grammar *grammar)
{
    memset(grammar, 0, sizeof *grammar);
    f2l_fsa_init(&grammar->fsa);
}

void f2l_grammar_clear(f2l_grammar *grammar)
{
    f2l_fsa_clear(&grammar->fsa);
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

static int finish(f2l_grammar *out, f2l_cli *cli, const char *name, const f2l_nfa *nfa,
                  f2l_status status, const f2l_grammar_options *options, f2l_error *err)
{
    if (status == F2L_OK) {
        memcpy(out->syntax, nfa->source, sizeof out->syntax);
        status = f2l_nfa_total(&out->fsa, &out->total, nfa, &options->total, &cli->task, err);
    }
    if (status != F2L_OK) return f2l_cli_fail(cli, name, err);
    warn(cli, name, out);
    return 0;
}

int f2l_grammar_read(f2l_grammar *out, f2l_cli *cli, const char *name, const f2l_buf *bytes,
                     const f2l_grammar_options *options)
{
    f2l_error err;
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import(&nfa, bytes->data ? bytes->data : "", bytes->size,
                                   &options->import, &cli->task, &err);
    int code = finish(out, cli, name, &nfa, status, options, &err);
    f2l_nfa_clear(&nfa);
    return code;
}

int f2l_grammar_open(f2l_grammar *out, f2l_cli *cli, const char *path,
                     const f2l_grammar_options *options)
{
    f2l_error err;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    const char *name = f2l_cli_input_name(path);
    const int code = f2l_read_file(&bytes, path, 0, &err) == F2L_OK
                         ? f2l_grammar_read(out, cli, name, &bytes, options)
                         : f2l_cli_fail(cli, name, &err);
    f2l_buf_clear(&bytes);
    return code;
}

int f2l_grammar_regex(f2l_grammar *out, f2l_cli *cli, const char *regex, const char *alphabet,
                      const f2l_grammar_options *options)
{
    f2l_error err;
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import_regex(&nfa, regex, alphabet, &err);
    int code = finish(out, cli, "regex", &nfa, status, options, &err);
    f2l_nfa_clear(&nfa);
    return code;
}
