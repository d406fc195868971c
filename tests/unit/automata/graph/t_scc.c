#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <string.h>

enum { NODES = 24, LETTERS = 3 };

typedef struct edges {
    uint32_t to[NODES * LETTERS];
} edges;

/* Draws edges that lead at most `back` nodes back, so that there are many components or few; each
 * is left out with chance gaps / 8. */
static edges draw(f2l_rng *rng, size_t back, size_t gaps)
{
    edges out;
    for (size_t i = 0; i < NODES * LETTERS; i++) {
        const size_t node = i / LETTERS, from = node > back ? node - back : 0;
        out.to[i] = (uint32_t)(from + f2l_rng_below(rng, NODES - from));
        if (f2l_rng_below(rng, 8) < gaps) out.to[i] = F2L_NO_NODE;
    }
    return out;
}

static void close_reach(bool reach[NODES][NODES], const edges *e)
{
    memset(reach, 0, NODES * sizeof *reach);
    for (size_t p = 0; p < NODES; p++) {
        reach[p][p] = true;
        for (size_t a = 0; a < LETTERS; a++)
            if (e->to[p * LETTERS + a] != F2L_NO_NODE) reach[p][e->to[p * LETTERS + a]] = true;
    }
    for (size_t k = 0; k < NODES; k++)
        for (size_t p = 0; p < NODES; p++)
            for (size_t q = 0; q < NODES; q++)
                reach[p][q] = reach[p][q] || (reach[p][k] && reach[k][q]);
}

static void check_lists(const f2l_scc *scc)
{
    bool there[NODES] = {false};
    cr_assert_eq(scc->first[0], 0);
    cr_assert_eq(scc->first[scc->count], NODES);
    for (size_t c = 0; c < scc->count; c++) {
        cr_assert_lt(scc->first[c], scc->first[c + 1]);
        for (size_t i = scc->first[c]; i < scc->first[c + 1]; i++) {
            cr_assert_eq(scc->of[scc->member[i]], c);
            cr_assert_not(there[scc->member[i]]);
            there[scc->member[i]] = true;
        }
    }
}

/* Two nodes are in one component when each reaches the other; no edge leads to a component with a
 * higher number. */
Test(scc, against_closure)
{
    f2l_rng rng;
    f2l_error err;
    f2l_meter meter = {0};
    size_t single = 0, all = 0;
    f2l_rng_init(&rng, 5, 0);
    for (size_t round = 0; round < 400; round++) {
        static bool reach[NODES][NODES];
        f2l_scc scc;
        const edges e = draw(&rng, round % 7 * 4, round / 7 % 5);
        const f2l_graph graph = f2l_graph_of_table(e.to, NODES, LETTERS);
        close_reach(reach, &e);
        cr_assert_eq(f2l_scc_build(&scc, &graph, &meter, &err), F2L_OK);
        check_lists(&scc);
        for (size_t p = 0; p < NODES; p++)
            for (size_t q = 0; q < NODES; q++) {
                cr_assert_eq(scc.of[p] == scc.of[q], reach[p][q] && reach[q][p]);
                if (reach[p][q]) cr_assert_leq(scc.of[q], scc.of[p]);
            }
        single += scc.count == NODES;
        all += scc.count == 1;
        f2l_scc_clear(&scc);
    }
    cr_assert(single > 5 && all > 5, "%zu, %zu", single, all);
}

/* The edges of numbers: letter a < 300 stays, the last one adds 1, up to the end of the graph, from
 * where it leads back to half of the nodes. */
static uint32_t next_number(const f2l_graph *graph, uint32_t node, size_t letter)
{
    if (letter + 1 < graph->letters) return node;
    return node + 1 < graph->nodes ? node + 1 : (uint32_t)(graph->nodes / 2);
}

/* A search of a million nodes deep, and more letters than a byte counts. */
Test(scc, deep)
{
    f2l_scc scc;
    f2l_meter meter = {0};
    const f2l_graph graphs[] = {{.nodes = 1000000, .letters = 1, .next = next_number, .steps = 1},
                                {.nodes = 500, .letters = 301, .next = next_number, .steps = 1}};
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        const size_t nodes = graphs[g].nodes;
        cr_assert_eq(f2l_scc_build(&scc, &graphs[g], &meter, NULL), F2L_OK);
        cr_assert_eq(scc.count, nodes / 2 + 1);
        cr_assert_eq(scc.first[1], nodes / 2, "the circle comes first");
        for (uint32_t i = 0; i < nodes / 2; i++) {
            cr_assert_eq(scc.member[i], nodes - 1 - i, "the last one met comes first");
            cr_assert_eq(scc.of[i], nodes / 2 - i);
        }
        f2l_scc_clear(&scc);
    }
}

Test(scc, empty)
{
    f2l_scc scc;
    f2l_meter meter = {0};
    const f2l_graph graph = f2l_graph_of_table(NULL, 0, 2);
    cr_assert_eq(f2l_scc_build(&scc, &graph, &meter, NULL), F2L_OK);
    cr_assert_eq(scc.count, 0);
    cr_assert_eq(scc.first[0], 0);
    f2l_scc_clear(&scc);
}

Test(scc, refused)
{
    f2l_scc scc;
    f2l_error err;
    f2l_effort effort = {.limit = 99};
    const f2l_task task = {.effort = &effort};
    f2l_meter meter = {.task = &task, .phase = "the components"};
    f2l_graph graph = {.nodes = 100, .letters = 1, .next = next_number, .steps = 1};
    cr_assert_eq(f2l_scc_build(&scc, &graph, &meter, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "the components"));
    cr_assert(!scc.of && !scc.member && !scc.first && scc.count == 0);
    graph.nodes = (size_t)INT32_MAX + 1;
    cr_assert_eq(f2l_scc_build(&scc, &graph, &meter, &err), F2L_EDOMAIN);
    cr_assert(!scc.of && !scc.member && !scc.first && scc.count == 0);
#ifdef F2L_MEM_FAILURES
    graph.nodes = 100;
    meter.task = NULL;
    for (size_t n = 1; n <= 4; n++) {
        f2l_mem_fail_after(n, false);
        cr_assert_eq(f2l_scc_build(&scc, &graph, &meter, &err), F2L_ENOMEM);
        f2l_mem_fail_after(0, false);
        cr_assert(!scc.of && !scc.member && !scc.first && scc.count == 0);
    }
#endif
}
