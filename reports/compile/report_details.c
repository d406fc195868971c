/* Lines of the summary on the constructions that are neither T3 nor a register nor a cascade with
 * tables. */
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"

#define HEADS_SHOWN 12

static void start(f2l_buf *out, int indent)
{
    f2l_buf_printf(out, "%*s", indent, "");
}

static void write_circuits(f2l_buf *out, const f2l_wired *net)
{
    f2l_wired_size size;
    f2l_wired_measure(&size, net);
    f2l_report_count(out, size.gates, "look-up");
    f2l_buf_printf(out, " a token (%zu table entries)\n", size.table_entries);
}

/* Appends the rule; all layers are alike, so they are not listed. */
static void write_rule(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    start(out, indent);
    f2l_buf_printf(out,
                   "each level forgets one of %zu states; sets of states travel as bits "
                   "through ",
                   c->zeiger->fsa->states.count);
    write_circuits(out, &c->wired);
    if (!c->zeiger->reason[0]) return;
    start(out, indent);
    f2l_buf_printf(out, "no cascade with tables: %s\n", c->zeiger->reason);
}

/* Appends the purpose of the layers: the clock, the ring of the last two blocks, and the layer that
 * applies the older block. */
static void write_blocks(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    const f2l_d1_report *d1 = &c->d1->report;
    start(out, indent);
    f2l_buf_text(out, "while a block of ");
    f2l_report_count(out, d1->block, "letter");
    f2l_buf_printf(out,
                   " is read, the product of the one before, at most %zu transpositions, is "
                   "applied\n",
                   d1->transpositions);
    start(out, indent);
    f2l_buf_text(out, "on ");
    f2l_report_count(out, d1->points, "point");
    f2l_buf_printf(out, " (%s); keys: %s\n", d1->representation, d1->keys);
    start(out, indent);
    write_circuits(out, &c->wired);
}

static void write_heads(f2l_buf *out, const f2l_r1_report *r1)
{
    for (size_t h = 0; h < r1->heads; h++) {
        const f2l_r1_head *head = &r1->head[h];
        if (h == HEADS_SHOWN) {
            f2l_buf_printf(out, " and %zu more", r1->heads - h);
            return;
        }
        f2l_buf_printf(out, "%s%zu", h ? ", " : "", head->dimension);
        if (head->permutes) f2l_buf_text(out, " (signed permutation)");
        if (head->field_degree > 1)
            f2l_buf_printf(out, " (over a field of degree %zu)", head->field_degree);
    }
}

static void write_representations(f2l_buf *out, const f2l_r1_report *r1, int indent)
{
    start(out, indent);
    f2l_buf_printf(out, "the transition group has order %zu", r1->order);
    if (r1->acting != r1->order) f2l_buf_printf(out, "; a cover of order %zu acts", r1->acting);
    f2l_buf_text(out, "; dimensions of the heads: ");
    write_heads(out, r1);
    f2l_buf_text(out, "\n");
    start(out, indent);
    f2l_buf_printf(out, "%s: %s\n", r1->minimal ? "n_h is least" : "n_h is not known to be least",
                   r1->scope);
}

static void write_rotations(f2l_buf *out, const f2l_dihedral_report *d, int indent)
{
    start(out, indent);
    f2l_buf_printf(
        out,
        "the transition group is %s_%zu; the first layer is the parity of its rotations, the "
        "second a vector of the plane",
        d->dihedral ? "D" : "Z", d->m);
    if (d->degree > 1) f2l_buf_printf(out, " over a field of degree %zu", d->degree);
    f2l_buf_text(out, "\n");
}

void f2l_report_details(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    if (c->zeiger)
        write_rule(out, c, indent);
    else if (c->d1)
        write_blocks(out, c, indent);
    else if (c->r1)
        write_representations(out, c->r1, indent);
    else if (c->dihedral.m)
        write_rotations(out, &c->dihedral, indent);
}
