#include "cli/input/join.h"
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(f2l_join_options, name)
const f2l_option f2l_join_table[] = {
    {"product", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(product),
     "read all grammars at once; a letter unknown to one of them leaves it where it is"},
    {"cascade-of", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(cascade_of),
     "feed each grammar to the next one, which reads the letter (state,letter), the state of the "
     "grammars before it, before the letter; where it has no such letter it reads the letter "
     "alone, and where it has not that one either it stays where it is; the last grammar gives "
     "acceptance and outputs"},
    {"apart", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(apart),
     "with --product: keep the letters of the grammars apart; a letter x of the second one becomes "
     "x.2, of the third one x.3"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static size_t count_inputs(const f2l_cli *cli, const f2l_input_options *options, size_t skip)
{
    return cli->operands - skip + (options->regex != NULL);
}

int f2l_join_check(f2l_cli *cli, const f2l_input_options *options, const f2l_join_options *join,
                   size_t skip)
{
    const size_t parts = count_inputs(cli, options, skip);
    const bool joins = join->product || join->cascade_of;
    if (join->product && join->cascade_of)
        return f2l_cli_usage(cli, "--product and --cascade-of exclude each other");
    if (join->apart && !join->product) return f2l_cli_usage(cli, "--apart belongs to --product");
    if (joins && parts < 2)
        return f2l_cli_usage(cli, "--%s takes two grammars or more; --regex counts as one",
                             join->product ? "product" : "cascade-of");
    if (parts == 0) return f2l_cli_usage(cli, "one grammar file is expected, or --regex");
    if (joins || parts == 1) return 0;
    if (cli->operands == skip + 1) /* the other one is --regex */
        return f2l_grammar_check(cli, options, cli->operand[skip]);
    return f2l_cli_usage(
        cli,
        "one grammar at a time, not '%s' and '%s'; --product and --cascade-of make one of several",
        cli->operand[skip], cli->operand[skip + 1]);
}

/* Appends the file's name without folders and, unless it is the last one, its ending. */
static void add_base_name(f2l_buf *out, const char *path, bool last)
{
    const char *base = path ? f2l_path_base(f2l_cli_input_name(path)) : "regex";
    if (out->size) f2l_buf_text(out, "+");
    f2l_buf_bytes(out, base, last ? strlen(base) : f2l_path_stem(base));
}

static int no_memory(f2l_cli *cli)
{
    f2l_error err;
    f2l_fail_memory(&err);
    return f2l_cli_fail(cli, NULL, &err);
}

int f2l_join_open(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join, size_t skip)
{
    const size_t parts = count_inputs(cli, options, skip), files = cli->operands - skip;
    const char *const *path = (const char *const *)cli->operand + skip;
    f2l_input_options file, regex;
    if (!join->product && !join->cascade_of)
        return f2l_grammar_open(out, cli, options, files ? path[0] : NULL);
    f2l_input_split(&file, &regex, options, files > 0);
    out->part = f2l_calloc(parts, sizeof *out->part);
    if (!out->part) return no_memory(cli);
    int code = 0;
    for (; out->parts < parts && code == 0; out->parts++) {
        const bool last = out->parts == files;
        f2l_grammar_init(&out->part[out->parts]);
        out->part[out->parts].joined_to = true;
        code = f2l_grammar_open(&out->part[out->parts], cli, last ? &regex : &file,
                                last ? NULL : path[out->parts]);
        add_base_name(&out->joined, last ? NULL : path[out->parts], out->parts + 1 == parts);
    }
    if (code == 0 && out->joined.failed) return no_memory(cli);
    out->name = out->joined.data;
    return code;
}

/* Adds what was done to a part when it was read. */
static void add_total(f2l_total_report *out, const f2l_total_report *part)
{
    if (part->sink_edges && !out->sink_edges)
        memcpy(out->sink_name, part->sink_name, sizeof out->sink_name);
    out->determinised |= part->determinised;
    out->states_before += part->states_before;
    out->sink_edges += part->sink_edges;
    out->dropped += part->dropped;
    f2l_notes_join(&out->notes, &part->notes);
}

/* Joins the automaton of part `index` to those before it. */
static f2l_status join_part(f2l_grammar *out, const f2l_join_options *join, size_t index,
                            f2l_error *err)
{
    f2l_fsa left = out->fsa, *right = &out->part[index].fsa;
    char mark[24];
    snprintf(mark, sizeof mark, ".%zu", index + 1);
    f2l_status status =
        join->apart ? f2l_family_mark_letters(right, mark, &left.letters, err) : F2L_OK;
    f2l_fsa_init(&out->fsa);
    if (status == F2L_OK)
        status = join->product ? f2l_family_product(&out->fsa, &left, right, err)
                               : f2l_family_cascade(&out->fsa, &left, right, err);
    f2l_fsa_clear(&left);
    return status;
}

/* Reads part `index`; --regex is the last one. */
static int read_joined_part(f2l_grammar *out, size_t index, f2l_cli *cli,
                            const f2l_input_options *options)
{
    f2l_input_options file, regex;
    const bool last = options->regex && index + 1 == out->parts;
    f2l_input_split(&file, &regex, options, out->parts > 1);
    return f2l_grammar_read(&out->part[index], cli, last ? &regex : &file);
}

int f2l_join_read(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join)
{
    f2l_error err;
    if (!out->parts) return f2l_grammar_read(out, cli, options);
    if (options->label == F2L_LABEL_EDGES) {
        (void)f2l_fail(&err, F2L_EDOMAIN,
                       "a product or cascade of grammars has no outputs of transitions (edges)");
        return f2l_cli_fail(cli, out->name, &err);
    }
    int code = read_joined_part(out, 0, cli, options);
    if (code == 0) {
        out->fsa = out->part[0].fsa;
        out->total = out->part[0].total;
        f2l_fsa_init(&out->part[0].fsa);
    }
    for (size_t i = 1; i < out->parts && code == 0; i++) {
        code = read_joined_part(out, i, cli, options);
        add_total(&out->total, &out->part[i].total);
        if (code == 0 && join_part(out, join, i, &err) != F2L_OK)
            code = f2l_cli_fail(cli, out->part[i].name, &err);
    }
    snprintf(out->syntax, sizeof out->syntax, "%s of %zu grammars",
             join->product ? "product" : "cascade", out->parts);
    return code;
}

int f2l_join_load(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join)
{
    int code = f2l_join_check(cli, options, join, 0);
    if (code == 0) code = f2l_join_open(out, cli, options, join, 0);
    return code ? code : f2l_join_read(out, cli, options, join);
}
