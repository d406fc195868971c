/* `parity`: searches networks with eigenvalues between 0 and 1 that compute parity by rounding. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "theory/obstruct/parity/psd_parity.h"
#include <string.h>

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
    {"network", 0, F2L_OPTION_FILE, "FILE", NULL, 0, 0, FIELD(network),
     "write the first network that is found; `round` takes it with the automaton of parity"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    parity_options o;
    f2l_buf text;
    json_t *list;
    bool written;
} job;

static void put_vector(f2l_buf *out, const char *name, const double *x, size_t n)
{
    f2l_buf_printf(out, ", %s (", name);
    for (size_t i = 0; i < n; i++) f2l_buf_printf(out, "%s%.17g", i ? ", " : "", x[i]);
    f2l_buf_text(out, ")");
}

static void put_weights(f2l_buf *out, const char *kind, const f2l_psd_weights *w)
{
    double norm2 = 0;
    if (w->n == 0) return;
    for (size_t i = 0; i < w->n; i++) norm2 += w->u[i] * w->u[i];
    f2l_buf_printf(out, "  %s: %u bits, %zu states: beta %.17g", kind, w->bits, w->states, w->beta);
    put_vector(out, "u", w->u, w->n);
    put_vector(out, "bias", w->bias, w->n);
    put_vector(out, "H_0", w->state[0], w->n);
    f2l_buf_printf(out, "; eigenvalue %.6g\n", 1 - w->beta * norm2);
}

static const char *verdict_name(f2l_psd_verdict verdict)
{
    static const char *const name[] = {"found", "none found", "none exists"};
    return name[verdict];
}

static void put_result(f2l_buf *out, const f2l_format *format, const f2l_schedule *schedule,
                       const f2l_psd_result *r)
{
    f2l_buf_printf(out, "%s %s, key dimension %zu: %s", format->name, schedule->name, r->n,
                   verdict_name(r->verdict));
    f2l_buf_printf(out, "%s%s\n", r->why[0] ? ": " : "", r->why);
    put_weights(out, "fewest bits", &r->fewest);
    put_weights(out, "without subnormal numbers", &r->normal);
    if (r->searched[0]) f2l_buf_printf(out, "  searched: %s\n", r->searched);
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; a && i < n; i++) json_array_append_new(a, json_real(x[i]));
    return a;
}

static json_t *weights(const f2l_psd_weights *w)
{
    if (w->n == 0) return json_null();
    return json_pack("{s:I, s:I, s:f, s:o, s:o, s:o}", "bits", (json_int_t)w->bits, "states",
                     (json_int_t)w->states, "beta", w->beta, "u", numbers(w->u, w->n), "bias",
                     numbers(w->bias, w->n), "initial", numbers(w->state[0], w->n));
}

static json_t *result(const f2l_format *format, const f2l_schedule *schedule,
                      const f2l_psd_result *r)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:b, s:I, s:o, s:o}", "format", format->name,
                     "schedule", schedule->name, "key_dim", (json_int_t)r->n, "verdict",
                     verdict_name(r->verdict), "why", r->why, "searched", r->searched, "exhaustive",
                     (int)r->exhaustive, "weights_tried", (json_int_t)r->weights, "fewest",
                     weights(&r->fewest), "normal", weights(&r->normal));
}

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

static f2l_status search(job *j, const f2l_format *format, const f2l_schedule *schedule,
                         f2l_error *err)
{
    const f2l_psd_options options = {(unsigned)j->o.bits, j->o.random, j->o.seed, j->o.try_anyway};
    f2l_psd_result r;
    f2l_status status =
        f2l_psd_search(&r, format, schedule, (size_t)j->o.key_dim, &options, &j->cli.task, err);
    if (status != F2L_OK) return status;
    put_result(&j->text, format, schedule, &r);
    json_array_append_new(j->list, result(format, schedule, &r));
    return j->o.network && !j->written && r.fewest.n ? write_network(j, &r.fewest, err) : F2L_OK;
}

static int run_job(job *j)
{
    f2l_error err;
    f2l_status status = F2L_OK;
    if (j->cli.operands)
        return f2l_cli_usage(&j->cli, "no operand is expected, not '%s'", j->cli.operand[0]);
    if (j->o.formats.count == 0) j->o.formats = (f2l_chosen){1, {0}};
    if (j->o.schedules.count == 0) j->o.schedules = (f2l_chosen){1, {0}};
    for (size_t f = 0; f < j->o.formats.count; f++)
        for (size_t s = 0; s < j->o.schedules.count && status == F2L_OK; s++)
            status = search(j, &f2l_formats[j->o.formats.index[f]],
                            &f2l_schedules[j->o.schedules.index[s]], &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    if (!j->cli.global.json) return f2l_cli_print(&j->cli, &j->text);
    return f2l_cli_print_value(&j->cli, json_pack("{s:i, s:O}", "schema", 1, "searches", j->list));
}

static int run(int argc, char **argv)
{
    job j;
    int status;
    memset(&j, 0, sizeof j);
    j.o.key_dim = j.o.seed = 1;
    f2l_buf_init(&j.text);
    j.list = json_array();
    if (f2l_cli_begin(&j.cli, &f2l_command_parity, argc, argv, &j.o, &status))
        status = f2l_cli_end(&j.cli, run_job(&j));
    json_decref(j.list);
    f2l_buf_clear(&j.text);
    return status;
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
    .examples =
        (const f2l_example[]){{"fsa2lrnn parity --formats bf16,e4m3 --schedules every,acc32",
                               "networks of one coordinate"},
                              {"fsa2lrnn parity --formats bf16 --key-dim 2 --random 10000000",
                               "networks of two coordinates, with random weights"},
                              {NULL, NULL}},
    .run = run};
