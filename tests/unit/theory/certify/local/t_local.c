/* Local closures of cascade networks: they prove the same as joint closures, and refuse every
 * network whose layers do not fit together. */
#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/theory/local_cases.h"
#include "tests/support/theory/local_support.h"
#include <stdio.h>

static const f2l_cascade_kind kinds[] = {F2L_CASCADE_HOLONOMY, F2L_CASCADE_CAPPED,
                                         F2L_CASCADE_ZEIGER};

/* Steps the codes of the layers after context x and returns the symbol of the last one: each layer
 * reads the layer below. */
static uint32_t step_level(f2l_exact *run, const f2l_net *net, size_t first, size_t layers,
                           size_t x, const uint32_t *code, uint32_t *after)
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

/* Checks conditions (1) to (5) from the tables alone. */
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
        cr_assert_eq(f.local.verdict, F2L_OK, "%s, %s: %s", name,
                     f2l_cascade_kind_name(f.cascade.kind), f.local.reason);
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
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, good, label, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_local_check_classes(&fsa, &fsa, NULL, label, &err), F2L_OK);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_edge, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_number, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, bad_start, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, NULL, label, &err), F2L_EDOMAIN);
    /* A state that is left out must not be the target of other states. */
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, away, label, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_local_check_classes(&fsa, &quotient, good, F2L_LABEL_STATES, &err),
                 F2L_EDOMAIN);
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
