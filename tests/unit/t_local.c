/* Local closures of cascade networks: they prove what joint closures prove, and refuse every network whose
 * layers do not fit together. */
#include "f2l_closure.h"
#include "f2l_mem.h"
#include "f2l_rng.h"
#include "f2l_run_exact.h"
#include "local_support.h"
#include <stdio.h>

static const f2l_cascade_kind kinds[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED, F2L_CASCADE_ZEIGER};

static uint32_t child(const f2l_cascade *c, uint32_t set, size_t level, uint32_t coordinate)
{
    if (c->lambda[set] != level) return set;
    cr_assert_lt(coordinate, c->cover_count[set]);
    return c->cover[c->cover_at[set] + coordinate];
}

/* The codes of the layers after context x, and what the last one hands on: each reads the one below. */
static uint32_t step_level(f2l_exact *run, const f2l_net *net, size_t first, size_t layers, size_t x,
                           const uint32_t *code, uint32_t *after)
{
    f2l_qvec state[2];
    size_t letter = x;
    for (size_t h = 0; h < 2; h++) f2l_qvec_init(&state[h]);
    for (size_t i = 0; i < layers; i++) {
        const f2l_layer *layer = &net->layer[first + i];
        cr_assert_leq(layer->heads, 2);
        for (size_t h = 0; h < layer->heads; h++)
            cr_assert_eq(f2l_exact_step_head(run, &state[h], first + i, h, letter,
                                             &layer->code[code[i] * layer->heads + h], NULL),
                         F2L_OK);
        const size_t found = f2l_exact_find_code(run, first + i, state);
        cr_assert_neq(found, F2L_NO_INDEX);
        after[i] = (uint32_t)found;
        letter = f2l_layer_symbol(layer, letter, found);
        cr_assert_neq(letter, F2L_NO_SYMBOL);
    }
    for (size_t h = 0; h < 2; h++) f2l_qvec_clear(&state[h]);
    return (uint32_t)letter;
}

/* Conditions (1) to (5) again, from the tables alone. */
static void check_tables(const local_fixture *f)
{
    const f2l_cascade *c = &f->cascade;
    size_t pairs = 0, first = 0;
    f2l_exact *run;
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    for (size_t l = 0; l < f->local.levels; l++) {
        const f2l_local_level *table = &f->local.level[l];
        const f2l_layer *layer = &f->net.layer[first];
        const size_t layers = f->report.layers[l];
        size_t named = 0; /* the last pair that an earlier one leads to */
        uint32_t after[2];
        cr_assert(table->layers == layers && layers <= 2);
        for (size_t p = 0; p < table->pairs; p++) {
            size_t edge = table->next_at[p];
            const uint32_t *code = &table->code[p * layers];
            const uint32_t old = layer->part[code[0] * layer->parts];
            cr_assert_leq(p, named);
            for (size_t i = 0; i < c->level[l].contexts; i++) {
                const f2l_context *x = &c->level[l].context[i];
                if (x->from != table->set[p]) continue;
                const uint32_t q = table->next[edge++];
                cr_assert_eq(table->set[q], x->to);
                const uint32_t symbol = step_level(run, &f->net, first, layers, i, code, after);
                cr_assert_eq(memcmp(after, &table->code[q * layers], layers * sizeof *after), 0);
                if (q > named) named = q;
                const uint32_t from = child(c, x->from, l + 1, old);
                const uint32_t to = child(c, x->to, l + 1, layer->part[after[0] * layer->parts]);
                if (l + 1 < f->local.levels) {
                    cr_assert_eq(symbol, local_context(&c->level[l + 1], x->letter, from, to));
                    continue;
                }
                cr_assert_eq(c->sets.size[from], 1);
                F2L_SET_EACH(s, f2l_subsets_get(&c->sets, from), c->sets.words)
                {
                    const size_t state = f->fsa.next[s * f->fsa.letters.count + x->letter];
                    cr_assert_str_eq(f2l_names_get(&f->net.labels, symbol),
                                     f2l_fsa_label(&f->fsa, f->net.label, state));
                }
            }
            cr_assert_eq(edge, table->next_at[p + 1]);
        }
        pairs += table->pairs;
        first += layers;
    }
    cr_assert_eq(first, f->net.layers);
    cr_assert_eq(pairs, f->local.pairs);
    f2l_exact_free(run);
}

static void check_formats(local_fixture *f)
{
    static const char *const format[] = {"bf16", "fp16", "fp32", "fp64"};
    const size_t pairs = f->local.pairs;
    for (size_t i = 0; i < (f->report.delays ? 4 : 2); i++) {
        cr_assert_eq(local_in(f, format[i]), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s: %s", format[i], f->local.reason);
        /* Keys and writes are dyadic, so that nothing is ever rounded. */
        cr_assert_eq(f->local.pairs, pairs);
        cr_assert_null(f->local.level);
    }
}

static f2l_status joint_verdict(const local_fixture *f)
{
    f2l_closure closure;
    f2l_closure_init(&closure);
    cr_assert_eq(f2l_closure_exact(&closure, &f->net, &f->fsa, 300000, NULL, NULL), F2L_OK);
    const f2l_status verdict = closure.verdict;
    f2l_closure_clear(&closure);
    return verdict;
}

static void check_all_kinds(const f2l_fsa *fsa, const char *name, bool jointly)
{
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_fsa_write(&text, fsa, NULL), F2L_OK);
    for (size_t k = 0; k < 6; k++) {
        local_fixture f;
        if (kinds[k / 2] == F2L_CASCADE_ZEIGER && fsa->states.count > 8) continue; /* all subsets */
        fsa_from_text(&f.fsa, text.data);
        local_build(&f, kinds[k / 2], F2L_LABEL_STATES, k % 2 == 1);
        cr_assert_eq(local_exact(&f), F2L_OK, "%s", f.err.text);
        cr_assert_eq(f.local.verdict, F2L_OK, "%s, %s: %s", name, f2l_cascade_kind_name(f.cascade.kind),
                     f.local.reason);
        check_tables(&f);
        if (jointly) cr_assert_eq(joint_verdict(&f), F2L_OK);
        check_formats(&f);
        local_clear(&f);
    }
    f2l_buf_clear(&text);
}

Test(local, families)
{
    static const struct {
        const char *kind;
        size_t numbers;
        uint64_t a, b;
        bool jointly;
    } family[] = {{"transformations", 1, 3, 0, true},
                  {"transformations", 1, 4, 0, true},
                  {"transformations", 1, 5, 0, false},
                  {"flipflop", 0, 0, 0, true},
                  {"counter", 1, 4, 0, true},
                  {"elevator", 1, 5, 0, true},
                  {"definite", 1, 2, 0, true},
                  {"dyck", 2, 1, 3, true},
                  {"modarith-prec", 1, 3, 0, false},
                  {"tomita", 1, 7, 0, true},
                  {"cyclic", 1, 5, 0, true}};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        f2l_fsa fsa;
        local_family(&fsa, family[i].kind, family[i].numbers, family[i].a, family[i].b, 0);
        check_all_kinds(&fsa, family[i].kind, family[i].jointly);
        f2l_fsa_clear(&fsa);
    }
}

Test(local, random_automata)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        f2l_fsa fsa;
        size_t dropped;
        char name[32];
        snprintf(name, sizeof name, "seed %d", (int)seed);
        local_family(&fsa, "random", 3, 2 + seed % 4, 2 + seed % 2, seed);
        cr_assert_eq(f2l_fsa_trim(&fsa, &dropped, NULL), F2L_OK);
        if (fsa.states.count > 1) check_all_kinds(&fsa, name, fsa.states.count < 5);
        f2l_fsa_clear(&fsa);
    }
}

/* The published wiring: what a layer hands on is its state after the update, for the old stage as well. */
static size_t wire_literally(local_fixture *f)
{
    const f2l_cascade *c = &f->cascade;
    size_t changed = 0;
    for (size_t l = 0; l + 1 < f->net.layers; l++) {
        f2l_layer *layer = &f->net.layer[l];
        for (size_t i = 0; i < layer->letters; i++) {
            const f2l_context *x = &c->level[l].context[i];
            const bool reads = c->lambda[x->from] == l + 1, writes = c->lambda[x->to] == l + 1;
            if (!reads) continue;
            layer->reads[i] = 0; /* the current coordinate: as many values as the saved one */
            for (uint32_t v = 0; v < layer->part_values[0]; v++) {
                if (v >= c->cover_count[x->from] || (writes && v >= c->cover_count[x->to])) continue;
                const uint32_t from = child(c, x->from, l + 1, v), to = child(c, x->to, l + 1, v);
                uint32_t symbol = local_context(&c->level[l + 1], x->letter, from, to);
                /* Where the wrong stages make no letter of the next layer it gets any with the input letter.
                 */
                for (uint32_t k = 0; symbol == F2L_NO_SYMBOL; k++)
                    if (c->level[l + 1].context[k].letter == x->letter) symbol = k;
                uint32_t *entry = &layer->symbol[layer->symbol_at[i] + v];
                changed += *entry != symbol;
                *entry = symbol;
            }
        }
    }
    return changed;
}

/* Every letter takes every code of a layer to a code: what a closure of single layers asks. */
static void check_layers_alone(const f2l_net *net)
{
    f2l_exact *run;
    f2l_qvec state;
    f2l_qvec_init(&state);
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    for (size_t l = 0; l < net->layers; l++) {
        const f2l_layer *layer = &net->layer[l];
        for (size_t code = 0; code < layer->codes; code++)
            for (size_t x = 0; x < layer->letters; x++) {
                cr_assert_eq(f2l_exact_step_head(run, &state, l, 0, x, &layer->code[code], NULL), F2L_OK);
                cr_assert_neq(f2l_exact_find_code(run, l, &state), F2L_NO_INDEX);
            }
    }
    f2l_qvec_clear(&state);
    f2l_exact_free(run);
}

/* Letters of a random word after which the label is wrong, or missing. */
static size_t wrong_letters(const local_fixture *f, size_t length)
{
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    size_t *joint = f2l_calloc(f->net.layers, sizeof *joint), state = f->fsa.start, wrong = 0;
    cr_assert_eq(f2l_exact_new(&run, &f->net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t t = 0; t < length; t++) {
        const size_t a = (size_t)f2l_rng_below(&rng, f->fsa.letters.count);
        size_t label;
        state = f->fsa.next[state * f->fsa.letters.count + a];
        const bool said = f2l_exact_step(run, joint, a, &label, NULL, NULL) == F2L_OK;
        wrong += !said ||
                 strcmp(f2l_names_get(&f->net.labels, label), f2l_fsa_label(&f->fsa, f->net.label, state));
    }
    f2l_free(joint);
    f2l_exact_free(run);
    return wrong;
}

Test(local, literal_wiring_is_refused)
{
    for (uint64_t n = 3; n <= 4; n++) {
        local_fixture f;
        local_family(&f.fsa, "transformations", 1, n, 0, 0);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
        cr_assert_eq(wrong_letters(&f, 2000), 0);
        check_layers_alone(&f.net);
        cr_assert_gt(wire_literally(&f), 0);
        cr_assert_eq(f2l_net_validate(&f.net, &f.err), F2L_OK, "%s", f.err.text);
        const size_t wrong = wrong_letters(&f, 2000);
        printf("T_%d, wired literally: wrong after %zu of 2000 letters\n", (int)n, wrong);
        cr_assert_gt(wrong, 500);
        check_layers_alone(&f.net);
        cr_assert_eq(joint_verdict(&f), F2L_REFUTED);
        cr_assert_eq(local_exact(&f), F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.local.reason, "hands on"), "%s", f.local.reason);
        cr_assert_null(f.local.level);
        cr_assert_eq(local_in(&f, "bf16"), F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        local_clear(&f);
    }
}

static void open_t3(local_fixture *f)
{
    local_family(&f->fsa, "transformations", 1, 3, 0, 0);
    local_build(f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(f->net.layers, 2);
}

static void check_refused(local_fixture *f, const char *why)
{
    cr_assert_eq(local_exact(f), F2L_OK, "%s", f->err.text);
    cr_assert_eq(f->local.verdict, F2L_UNKNOWN, "%s", why);
    cr_assert_not_null(strstr(f->local.reason, why), "%s, not: %s", why, f->local.reason);
}

/* Any symbol of either decoder changed, whether it is a context or a label. */
Test(local, every_symbol_counts)
{
    local_fixture f;
    open_t3(&f);
    size_t used = 0;
    for (size_t l = 0; l < 2; l++) {
        f2l_layer *layer = &f.net.layer[l];
        for (size_t k = 0; k < layer->symbol_at[layer->letters]; k++) {
            const uint32_t right = layer->symbol[k];
            if (right == F2L_NO_SYMBOL) continue;
            for (uint32_t wrong = 0; wrong < layer->symbols; wrong++) {
                if (wrong == right) continue;
                layer->symbol[k] = wrong;
                cr_assert_eq(local_exact(&f), F2L_OK);
                cr_assert_neq(f.local.verdict, F2L_OK, "layer %zu, symbol %zu: %u for %u", l + 1, k, wrong,
                              right);
                used++;
            }
            layer->symbol[k] = F2L_NO_SYMBOL;
            check_refused(&f, "no symbol");
            layer->symbol[k] = right;
        }
    }
    printf("%zu wrong symbols\n", used);
    cr_assert_gt(used, 50);
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK);
    local_clear(&f);
}

Test(local, what_must_fit)
{
    local_fixture f;
    open_t3(&f);
    f.net.start = (f.net.start + 1) % f.net.labels.count;
    check_refused(&f, "empty word");
    f.net.start = (f.net.start + f.net.labels.count - 1) % f.net.labels.count;
    const size_t start = f.fsa.start;
    f.fsa.start = (start + 1) % 3;
    check_refused(&f, "do not name the start");
    f.fsa.start = start;
    /* A coordinate that the code does not have. */
    f2l_layer *layer = &f.net.layer[0];
    const uint32_t part = layer->part[0];
    layer->part[0] = (part + 1) % 3;
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    layer->part[0] = part;
    /* A wrong cover. */
    uint32_t *cover = &f.cascade.cover[f.cascade.cover_at[0]];
    const uint32_t first = cover[0];
    cover[0] = cover[1];
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    cover[0] = first;
    /* A wrong transition. */
    f.fsa.next[0] = (f.fsa.next[0] + 1) % 3;
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_neq(f.local.verdict, F2L_OK);
    f.fsa.next[0] = (f.fsa.next[0] + 2) % 3;
    /* A weight that leads astray. */
    for (size_t x = 0; x < layer->letters; x++) {
        f2l_transition *t = &layer->head[0].letter[x];
        if (t->factors == 0) continue;
        mpq_t beta;
        mpq_init(beta);
        mpq_set(beta, t->factor[0].beta);
        mpq_set_si(t->factor[0].beta, 3, 2);
        check_refused(&f, "no code");
        mpq_set(t->factor[0].beta, beta);
        mpq_clear(beta);
    }
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK, "%s", f.local.reason);
    local_clear(&f);
}

Test(local, other_shapes)
{
    static const size_t wrong[][2] = {{0, 2}, {2, 0}, {2, 1}, {1, 2}, {SIZE_MAX, 3}};
    local_fixture f, g;
    open_t3(&f);
    local_family(&g.fsa, "transformations", 1, 4, 0, 0);
    local_build(&g, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(f2l_local_exact(&f.local, &f.net, &g.cascade, g.report.layers, &f.fsa, 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.local.reason, "2 layers, which are not those of 3 levels"), "%s",
                       f.local.reason);
    cr_assert_eq(f2l_local_exact(&f.local, &f.net, &f.cascade, f.report.layers, &g.fsa, 0, NULL, &f.err),
                 F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(f2l_local_exact(&f.local, &f.net, &f.cascade, wrong[i], &f.fsa, 0, NULL, &f.err),
                     F2L_OK);
        cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(f.local.reason, "not those of 2 levels"), "%s", f.local.reason);
    }
    f.net.layer[1].parts = 0;
    check_refused(&f, "no part decoder");
    f.net.layer[1].parts = 1;
    local_clear(&f);
    local_clear(&g);
}

Test(local, limits_give_no_verdict)
{
    volatile sig_atomic_t flag = SIGTERM;
    const f2l_task cancelled = {.cancel = &flag}, poor = {.memory = 500};
    local_fixture f;
    open_t3(&f);
    cr_assert_eq(local_exact(&f), F2L_OK);
    const size_t pairs = f.local.pairs;
    for (size_t limit = 1; limit <= pairs; limit++) {
        cr_assert_eq(local_exact_within(&f, limit, NULL), F2L_OK);
        cr_assert_eq(f.local.verdict, limit < pairs ? F2L_UNKNOWN : F2L_OK);
        if (limit < pairs) cr_assert_not_null(strstr(f.local.reason, "pairs reached"), "%s", f.local.reason);
        cr_assert_leq(f.local.pairs, limit);
    }
    cr_assert_eq(local_exact_within(&f, 0, &cancelled), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_eq(local_exact_within(&f, 0, &poor), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(f.local.reason, "memory"), "%s", f.local.reason);
    local_clear(&f);
}

/* Pairs grow with the stages, not with the chains: T_7 has 5,040 of these. */
Test(local, more_chains_than_anyone_closes_over)
{
    local_fixture f;
    local_family(&f.fsa, "transformations", 1, 7, 0, 0);
    local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    cr_assert_eq(local_exact(&f), F2L_OK);
    cr_assert_eq(f.local.verdict, F2L_OK, "%s", f.local.reason);
    printf("T_7: %zu pairs on %zu levels\n", f.local.pairs, f.local.levels);
    check_formats(&f);
    local_clear(&f);
}

Test(local, classes)
{
    static const uint32_t good[] = {0, 0, 1}, bad_edge[] = {0, 1, 1}, bad_number[] = {0, 0, 2};
    static const uint32_t away[] = {0, 0, UINT32_MAX}, bad_start[] = {1, 1, 0};
    f2l_fsa fsa, quotient;
    f2l_error err;
    fsa_from_text(&fsa, "start p\noutput p x\noutput q x\noutput r y\n"
                        "p a r\nq a r\nr a q\np b p\nq b p\nr b r\n");
    fsa_from_text(&quotient, "start p\noutput p x\noutput r y\np a r\nr a p\np b p\nr b r\n");
    const f2l_label label = F2L_LABEL_OUTPUTS;
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, good, label, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_local_check_classes(&fsa, &fsa, NULL, label, &err), F2L_OK);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_edge, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_number, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_start, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, NULL, label, &err), F2L_EDOMAIN);
    /* A state left out must not be one that others lead to. */
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, away, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, good, F2L_LABEL_STATES, &err), F2L_EDOMAIN);
    f2l_fsa_clear(&fsa);
    f2l_fsa_clear(&quotient);
}

#ifdef F2L_MEM_FAILURES
Test(local, running_out_of_memory_leaves_nothing)
{
    local_fixture f;
    open_t3(&f);
    for (int rounded = 0; rounded < 2; rounded++) {
        size_t n = 1;
        for (;; n++) {
            f2l_mem_fail_after(n, false);
            f2l_status status = rounded ? local_in(&f, "bf16") : local_exact(&f);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) break;
            cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %s", n, f.err.text);
            cr_assert_null(f.local.level);
            cr_assert_eq(f.local.pairs, 0);
        }
        cr_assert_gt(n, 20);
        cr_assert_eq(f.local.verdict, F2L_OK);
    }
    local_clear(&f);
}
#endif
