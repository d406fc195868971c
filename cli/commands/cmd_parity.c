/* `parity`: searches networks with eigenvalues between 0 and 1 that compute parity by rounding. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "numeric/facts/layout.h"
#include "theory/obstruct/parity/psd_parity.h"

typedef struct parity_options {
    f2l_chosen formats, schedules;
    uint64_t key_dim, bits, random, seed;
    bool try_anyway;
    const char *network;
} parity_options;

#define FIELD(name) offsetof(parity_options, name)
static const f2l_option table[] = {
    {"formats", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_format, 0, 0, FIELD(formats),
     "number formats (default: bf16)"},
    {"schedules", 0, F2L_OPTION_CHOICES, "LIST", f2l_choice_stepping, 0, 0, FIELD(schedules),
     "operation schedules (default: every)"},
    {"key-dim", 0, F2L_OPTION_NUMBER, "N", NULL, 1, F2L_PSD_KEY, FIELD(key_dim),
     "key dimension (default: 1)"},
    {"bits", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 24, FIELD(bits),
     "for key dimension 1: try all weights of up to N significant bits together (default: 9; "
     "all weights of formats of 8 bits are tried)"},
    {"random", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1000000000000, FIELD(random),
     "for larger key dimensions: number of random weights to try (default: 1000000)"},
    {"seed", 0, F2L_OPTION_NUMBER, "S", NULL, 0, UINT64_MAX, FIELD(seed),
     "seed of the random weights (default: 1)"},
    {"try-anyway", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(try_anyway),
     "search even if a theorem excludes every network"},
    {"network", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_NETWORK, 0, FIELD(network),
     "write the first network that is found; `round` takes it with the automaton of parity"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    parity_options o;
    f2l_facts facts;
    f2l_fact list; /* the results */
    bool written;
} job;

#define PARTS(part, clear) part(f2l_facts, facts)
F2L_JOB(PARTS)

/* --- facts --- */

static void say_weights(f2l_fact in, const char *name, const f2l_psd_weights *w)
{
    if (w->n == 0) {
        f2l_say_null(in, name);
        return;
    }
    f2l_fact one = f2l_say_object(in, name);
    f2l_say_count(one, "bits", w->bits);
    f2l_say_count(one, "state_values", w->states);
    f2l_say_number(one, "beta", w->beta);
    f2l_say_numbers(one, "u", w->u, w->n);
    f2l_say_numbers(one, "bias", w->bias, w->n);
    f2l_say_numbers(one, "initial", w->state[0], w->n);
}

static void say_result(f2l_fact list, const f2l_format *format, const f2l_schedule *schedule,
                       const f2l_psd_result *r)
{
    static const char *const result[] = {"found", "none found", "none exists"};
    f2l_fact one = f2l_say_object(list, NULL);
    f2l_say_arithmetic(one, format, schedule);
    f2l_say_count(one, "key_dim", r->n);
    f2l_say_text(one, "search_result", result[r->verdict]);
    f2l_say_reason(one, "reason", r->why);
    f2l_say_text(one, "searched", r->searched);
    f2l_say_truth(one, "exhaustive", r->exhaustive);
    f2l_say_count(one, "weights_tried", r->weights);
    say_weights(one, "fewest", &r->fewest);
    say_weights(one, "normal", &r->normal);
}

/* --- text --- */

static void lay_vector(f2l_buf *out, const char *name, f2l_fact vector)
{
    f2l_buf_printf(out, ", %s (", name);
    f2l_layout_items(out, vector, 0, SIZE_MAX, "{.%.17g}", ", ");
    f2l_buf_text(out, ")");
}

static void lay_weights(f2l_buf *out, const char *kind, f2l_fact weights)
{
    const f2l_fact u = f2l_get(weights, "u");
    double norm2 = 0;
    for (size_t i = 0; i < f2l_get_size(u, ""); i++) {
        const double x = f2l_get_number(f2l_get_item(u, i), "");
        norm2 += x * x;
    }
    f2l_buf_printf(out, "  %s: ", kind);
    f2l_layout(out, weights, "{bits} bits, {state_values} states: beta {beta%.17g}");
    lay_vector(out, "u", u);
    lay_vector(out, "bias", f2l_get(weights, "bias"));
    lay_vector(out, "H_0", f2l_get(weights, "initial"));
    f2l_buf_printf(out, "; eigenvalue %.6g\n", 1 - f2l_get_number(weights, "beta") * norm2);
}

static void lay_result(f2l_buf *out, f2l_fact result)
{
    f2l_layout(out, result,
               "{format} {schedule}, nearest code, key dimension {key_dim}: {search_result}"
               "{reason?: {reason}}\n");
    if (f2l_is_known(result, "fewest")) lay_weights(out, "fewest bits", f2l_get(result, "fewest"));
    if (f2l_is_known(result, "normal"))
        lay_weights(out, "without subnormal numbers", f2l_get(result, "normal"));
    f2l_layout(out, result, "{searched?  searched: {searched}\n}");
}

static int print_searches(job *j)
{
    f2l_buf text;
    f2l_error err;
    if (j->cli.global.json) return f2l_cli_print_facts(&j->cli, &j->facts);
    f2l_buf_init(&text);
    for (size_t i = 0; i < f2l_get_size(j->list, ""); i++)
        lay_result(&text, f2l_get_item(j->list, i));
    return f2l_cli_show(&j->cli, &text, f2l_facts_status(&j->facts, &err), &err);
}

/* --- the search --- */

static f2l_status write_network(job *j, const f2l_psd_weights *w, f2l_error *err)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf bytes;
    f2l_net_init(&net);
    f2l_fsa_init(&fsa);
    f2l_buf_init(&bytes);
    f2l_status status = f2l_psd_automaton(&fsa, err);
    if (status == F2L_OK) status = f2l_psd_network(&net, w, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(&fsa, net.fsa_sha256, err);
    if (status == F2L_OK) status = f2l_net_write(&bytes, &net, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.network, bytes.data, bytes.size, err);
    j->written = status == F2L_OK;
    f2l_buf_clear(&bytes);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
    return status;
}

static f2l_status search_format(job *j, const f2l_format *format, const f2l_schedule *schedule,
                                f2l_error *err)
{
    const f2l_psd_options options = {(unsigned)j->o.bits, j->o.random, j->o.seed, j->o.try_anyway};
    f2l_psd_result r;
    f2l_status status =
        f2l_psd_search(&r, format, schedule, (size_t)j->o.key_dim, &options, &j->cli.task, err);
    if (status != F2L_OK) return status;
    say_result(j->list, format, schedule, &r);
    return j->o.network && !j->written && r.fewest.n ? write_network(j, &r.fewest, err) : F2L_OK;
}

static int run_parity(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_status status = F2L_OK;
    if (j->cli.operands)
        return f2l_cli_usage(&j->cli, "no operand is expected, not '%s'", j->cli.operand[0]);
    f2l_say_report(f2l_facts_root(&j->facts), "parity");
    j->list = f2l_say_list(f2l_facts_root(&j->facts), "searches");
    if (j->o.formats.count == 0) j->o.formats = (f2l_chosen){1, {0}};
    if (j->o.schedules.count == 0) j->o.schedules = (f2l_chosen){1, {0}};
    for (size_t f = 0; f < j->o.formats.count; f++)
        for (size_t s = 0; s < j->o.schedules.count && status == F2L_OK; s++)
            status = search_format(j, &f2l_formats[j->o.formats.index[f]],
                                   &f2l_schedules[j->o.schedules.index[s]], &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    return print_searches(j);
}

const f2l_command f2l_command_parity = {
    .name = "parity",
    .usage = (const char *const[]){"parity [--formats LIST] [--schedules LIST] [--key-dim N] "
                                   "[options]",
                                   NULL},
    .summary = "searches networks with eigenvalues in [0, 1] that compute parity by rounding",
    .description = "No network whose transitions have eigenvalues between 0 and 1 only computes "
                   "parity exactly, but in a number format a network may compute it by rounding. "
                   "The command searches, in each format and schedule, the networks of one raw "
                   "head whose letter 1 has one factor and a bias, and verifies by closure the "
                   "networks that it finds. theory/pages/parity.md says which networks cannot "
                   "exist, and why; \"none found\" claims nothing beyond the ranges printed.",
    .options = table,
    .no_grammar = "the automaton is parity",
    .examples =
        (const f2l_example[]){{"fsa2lrnn parity --formats bf16,e4m3 --schedules every,acc32",
                               "networks of one coordinate"},
                              {"fsa2lrnn parity --formats bf16 --key-dim 2 --random 10000000",
                               "networks of two coordinates, with random weights"},
                              {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const parity_options){.key_dim = 1, .seed = 1},
    .run = run_parity};
