/* The network of D1 from a representation of the automaton. Statements: theory/pages/d1.md. */
#include "theory/construct/d1/d1.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/construct/d1/points.h"
#include <string.h>

static f2l_status charge_d1_rule(f2l_d1 *d, const f2l_d1_rule *rule, f2l_error *err)
{
    size_t entries = 1;
    for (size_t i = 0; i < rule->inputs; i++)
        if (!f2l_mul_size(&entries, entries, rule->size[i])) entries = SIZE_MAX;
    d->crowded = entries > F2L_D1_ENTRIES - d->entries;
    if (d->crowded)
        return f2l_fail(err, F2L_UNKNOWN, "the tables have more than %zu entries", F2L_D1_ENTRIES);
    d->entries += entries;
    f2l_status status = f2l_task_memory(d->task, "the tables of a wired network",
                                        d->entries * sizeof(uint32_t), err);
    if (status == F2L_OK)
        status = f2l_task_spend(d->task, "the tables of a wired network",
                                entries * sizeof(uint32_t), err);
    return status == F2L_OK ? f2l_task_poll(d->task, "the tables of a wired network", 0, 0, err)
                            : status;
}

static f2l_status add_table(f2l_d1 *d, const f2l_d1_rule *rule, f2l_error *err)
{
    f2l_wired_table *table = &d->net->table[d->tables];
    uint32_t in[3] = {0};
    f2l_status status = charge_d1_rule(d, rule, err);
    if (status == F2L_OK)
        status = f2l_wired_table_set(table, rule->inputs, rule->size, rule->values, err);
    if (status != F2L_OK) return status;
    for (size_t e = 0; e < table->entries; e++) {
        table->value[e] = rule->value(d, rule->x, in);
        for (size_t i = rule->inputs; i-- > 0;) { /* the last input runs fastest */
            if (++in[i] < rule->size[i]) break;
            in[i] = 0;
        }
    }
    d->tables++;
    return F2L_OK;
}

f2l_status f2l_d1_gate(f2l_d1 *d, f2l_wired_gate *gate, const f2l_d1_rule *rule,
                       const uint32_t *wire, f2l_error *err)
{
    f2l_status status = add_table(d, rule, err);
    return status == F2L_OK ? f2l_wired_gate_set(gate, d->tables - 1, rule->inputs, wire, err)
                            : status;
}

static size_t most_transpositions(const f2l_d1 *d)
{
    size_t most = 0;
    for (size_t i = 0; i < d->words.count; i++) {
        const uint32_t *image = f2l_rowset_get(&d->words.element, d->words.level[i], NULL);
        const size_t needed = d->points - f2l_perm_cycles(image, d->points);
        if (needed > most) most = needed;
    }
    return most;
}

/* Returns F2L_OK where portions of n_h transpositions are enough for the blocks of the clock
 * (D1.2), F2L_EDOMAIN where they are not. */
static f2l_status portions_are_enough(f2l_d1 *d, f2l_d1_report *report, f2l_error *err)
{
    f2l_status status = f2l_d1_level(d, d->block, err);
    if (status != F2L_OK) return status;
    report->transpositions = most_transpositions(d);
    return (report->transpositions + d->householders - 1) / d->householders <= d->block
               ? F2L_OK
               : F2L_EDOMAIN;
}

/* Chooses the fewest layers, then the shortest blocks. Ends at B n_h >= n - 1 at the latest. */
static f2l_status plan_clock(f2l_d1 *d, f2l_d1_report *report, f2l_error *err)
{
    const size_t longest = 2 * (d->points / d->householders + 1);
    for (size_t layers = 1; layers <= F2L_D1_CLOCK_LAYERS; layers++)
        for (size_t least = 2;; least = 2 * d->block + 2) {
            f2l_status status =
                f2l_d1_choose_clock(&d->clock, layers, d->householders, least, longest, err);
            if (status == F2L_EDOMAIN) break;
            d->block = f2l_d1_period(&d->clock, layers) / 2;
            if (status == F2L_OK) status = portions_are_enough(d, report, err);
            if (status != F2L_EDOMAIN) return status;
        }
    return f2l_fail(err, F2L_UNKNOWN, "%zu points need longer blocks than there are clocks for",
                    d->points);
}

f2l_status f2l_d1_put_stages(f2l_d1 *d, f2l_error *err)
{
    const size_t stages = d->clock.layers + 2;
    size_t *block_of = f2l_calloc(stages, sizeof *block_of);
    if (!block_of) return f2l_fail_memory(err);
    for (size_t l = 0; l < stages; l++) block_of[l] = l;
    f2l_status status = f2l_wired_set_stages(d->net, stages, block_of, err);
    f2l_free(block_of);
    for (size_t l = 1; status == F2L_OK && l <= d->clock.layers; l++)
        status = f2l_d1_start_clock(d, l, err);
    if (status != F2L_OK) return status;
    /* Row 0 is the code of the start. */
    return f2l_qvec_copy(&d->net->stage[stages - 1].initial[0],
                         &d->net->block[stages - 1].readout[0].code[0], err);
}

/* Returns the number of tables: the constant, one count per clock layer; pair, two masks, letter,
 * product, 2 B masks, portion, remainder; meaning, move, label. */
static size_t tables_of(const f2l_d1 *d)
{
    return 1 + d->clock.layers + 7 + 2 * d->block + 3;
}

f2l_status f2l_d1_begin(f2l_d1 *d, size_t tables, f2l_error *err)
{
    f2l_net *net = d->net;
    f2l_status status = f2l_names_copy(&net->letters, &d->fsa->letters, err);
    if (status == F2L_OK)
        status = f2l_reach_labels(&d->net->labels, &d->net->start, NULL, &d->reach, d->fsa,
                                  d->net->label, err);
    if (status == F2L_OK) status = f2l_wired_set_tables(net, tables, err);
    if (status == F2L_OK) status = f2l_wired_set_blocks(net, d->clock.layers + 2, err);
    for (size_t l = 1; status == F2L_OK && l <= d->clock.layers; l++)
        status = f2l_d1_put_clock(d, l, err);
    return status;
}

static f2l_status put_network(f2l_d1 *d, f2l_d1_report *report, f2l_error *err)
{
    f2l_status status = f2l_d1_begin(d, tables_of(d), err);
    if (status == F2L_OK) status = f2l_d1_put_ring(d, err);
    if (status == F2L_OK) status = f2l_d1_put_apply(d, report->keys, err);
    return status == F2L_OK ? f2l_d1_put_stages(d, err) : status;
}

static void fill_d1_report(const f2l_d1 *d, f2l_d1_report *report)
{
    f2l_net_size size;
    f2l_net_measure(&size, d->net);
    report->layers = size.layers;
    report->clock_layers = d->clock.layers;
    report->block = d->block;
    report->points = d->points;
    report->householders = size.householders;
    report->elements = d->words.element.count;
    report->products = f2l_d1_products(d) - (d->words.length[0] == d->block);
    report->factors = d->parts.factor.count;
    report->rests = d->parts.rest.count;
    report->pairs = d->rows.pairs;
    report->codes = d->rows.row.count;
    double words = 1; /* words of t letters */
    for (size_t t = 0; t < 2 * d->block; t++, words *= (double)d->letters) report->joint += words;
    report->joint += 2 * (double)d->block * (double)d->rows.pairs * words;
    memcpy(report->representation, d->set->origin, sizeof report->representation);
}

/* Returns an error early when the tables of products or of states would exceed their limits. */
static f2l_status check_room(f2l_d1 *d, f2l_error *err)
{
    const size_t rows = d->words.element.count + d->reach.states;
    d->crowded = rows > F2L_D1_ENTRIES / (d->letters + 1);
    if (!d->crowded) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN,
                    "the tables of %zu products and %zu states have more than "
                    "%zu entries",
                    d->words.element.count, d->reach.states, F2L_D1_ENTRIES);
}

static f2l_status build_d1_network(f2l_d1 *d, f2l_d1_report *report, f2l_error *err)
{
    f2l_status status = plan_clock(d, report, err);
    if (status == F2L_OK) status = check_room(d, err);
    if (status == F2L_OK) status = f2l_d1_split(d, err);
    if (status == F2L_OK) status = f2l_d1_close(d, err);
    if (status == F2L_OK) status = put_network(d, report, err);
    if (status == F2L_OK) fill_d1_report(d, report);
    return status;
}

f2l_status f2l_d1_open(f2l_d1 *d, f2l_d1_report *report, f2l_label label, f2l_error *err)
{
    f2l_merge merge;
    d->letters = d->fsa->letters.count;
    d->points = d->set->points;
    *report = (f2l_d1_report){0};
    f2l_net_clear(d->net);
    f2l_status status = f2l_fsa_check_label(d->fsa, label, err);
    if (status != F2L_OK) return status;
    if (!f2l_fsa_is_permutation(d->fsa, &merge)) return f2l_merge_fail(d->fsa, &merge, err);
    if (d->householders == 0 || d->letters == 0 || d->set->letters != d->letters)
        return f2l_fail(err, F2L_EDOMAIN,
                        "D1 needs a factor, letters, and a representation with the same letters");
    d->net->label = label;
    d->product = f2l_calloc(d->points, sizeof *d->product);
    return d->product ? f2l_reach_init(&d->reach, d->fsa, err) : f2l_fail_memory(err);
}

f2l_status f2l_d1_build(f2l_net *out, f2l_d1_report *report, const f2l_fsa *fsa, f2l_label label,
                        const f2l_gset *set, size_t householders, const f2l_task *task,
                        f2l_error *err)
{
    f2l_d1 d = {.net = out, .fsa = fsa, .set = set, .task = task, .householders = householders};
    f2l_status status = f2l_d1_open(&d, report, label, err);
    if (status == F2L_OK) status = build_d1_network(&d, report, err);
    report->crowded = status == F2L_UNKNOWN && d.crowded;
    if (status != F2L_OK) f2l_net_clear(out);
    f2l_reach_clear(&d.reach);
    f2l_d1_words_clear(&d.words);
    f2l_d1_parts_clear(&d.parts);
    f2l_d1_rows_clear(&d.rows);
    f2l_free(d.product);
    return status;
}
