#include "reports/automata/group_report.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUES_CLASSES 64 /* classes of the largest table whose values are told */
#define TABLE_CLASSES 12  /* classes of the largest table that the text shows */
#define CYCLES_BYTES 40   /* bytes of an element before the text cuts it */

/* --- facts --- */

static void say_structure(f2l_fact in, const f2l_group_report *r)
{
    const f2l_structure *s = r->structure;
    f2l_fact group = f2l_say_object(in, "structure");
    f2l_say_text(group, "name", r->name);
    f2l_say_count(group, "order", s->order);
    f2l_say_count(group, "exponent", r->classes->exponent);
    f2l_say_count(group, "centre", s->centre);
    f2l_say_truth(group, "abelian", s->abelian);
    f2l_say_truth(group, "nilpotent", s->nilpotent);
    f2l_say_truth(group, "solvable", s->solvable);
    f2l_say_counts(group, "derived_series", s->derived, s->derived_terms);
    f2l_say_counts(group, "abelian_quotient", s->quotient, s->quotients);
    f2l_fact factors = f2l_say_list(group, "composition_factors");
    for (size_t i = 0; i < s->factors; i++) f2l_say_text(factors, NULL, s->factor[i].name);
}

static void say_element(f2l_fact in, const f2l_group *g, uint32_t element)
{
    f2l_buf cycles;
    f2l_buf_init(&cycles);
    f2l_perm_write(&cycles, g->element + (size_t)element * g->degree, g->degree);
    f2l_say_buf(in, "element", &cycles);
}

static void say_classes(f2l_fact in, const f2l_group_report *r)
{
    const f2l_classes *all = r->classes;
    f2l_fact list = f2l_say_list(in, "conjugacy_classes");
    for (size_t c = 0; c < all->classes; c++) {
        f2l_fact one = f2l_say_object(list, NULL);
        say_element(one, r->group, all->representative[c]);
        f2l_say_count(one, "size", all->size[c]);
        f2l_say_count(one, "order", all->element_order[c]);
        f2l_say_count(one, "inverse", all->inverse[c] + 1);
        f2l_say_truth(one, "of_letters", r->householders->letter[c]);
    }
}

/* Tells the value in each class by its eigenvalues: pairs [j, multiplicity]. */
static void say_character_values(f2l_fact in, const f2l_group_report *r, size_t character,
                                 size_t *multiplicity)
{
    f2l_error err;
    f2l_fact values = f2l_say_list(in, "eigenvalue_counts");
    for (size_t c = 0; c < r->classes->classes; c++) {
        f2l_fact value = f2l_say_list(values, NULL);
        if (f2l_characters_eigenvalues(multiplicity, r->characters, r->classes, character, c,
                                       &err) != F2L_OK) {
            f2l_facts_fail(in, &err);
            return;
        }
        for (size_t j = 0; j < r->classes->exponent; j++)
            if (multiplicity[j])
                f2l_say_counts(value, NULL, (const size_t[]){j, multiplicity[j]}, 2);
    }
}

static void say_characters(f2l_fact in, const f2l_group_report *r)
{
    const f2l_characters *t = r->characters;
    f2l_error err;
    size_t *multiplicity = f2l_calloc(r->classes->exponent, sizeof *multiplicity);
    f2l_fact list = f2l_say_list(in, "characters");
    if (!multiplicity) {
        (void)f2l_fail_memory(&err);
        f2l_facts_fail(in, &err);
    }
    for (size_t i = 0; multiplicity && i < t->characters; i++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "degree", t->degree[i]);
        f2l_say_integer(one, "indicator", t->indicator[i]);
        f2l_say_count(one, "conjugate", t->conjugate[i] + 1);
        if (r->classes->classes > VALUES_CLASSES)
            f2l_say_null(one, "eigenvalue_counts");
        else
            say_character_values(one, r, i, multiplicity);
    }
    f2l_free(multiplicity);
}

static void say_fewest_factors(f2l_fact in, const f2l_group_report *r)
{
    const f2l_householders *h = r->householders;
    f2l_fact irreps = f2l_say_list(in, "real_irreps");
    for (size_t i = 0; i < h->irreps; i++) {
        f2l_fact one = f2l_say_object(irreps, NULL);
        f2l_say_count(one, "character", h->irrep[i].character + 1);
        f2l_say_count(one, "dimension", h->irrep[i].dimension);
        f2l_say_count(one, "rank", h->irrep[i].most);
    }
    f2l_fact fewest = f2l_say_object(in, "fewest_factors");
    f2l_say_text(fewest, "letters_are", r->all_letters ? "elements" : "automaton");
    f2l_say_count(fewest, "householders", h->minimum);
    f2l_fact heads = f2l_say_list(fewest, "irreps");
    for (size_t i = 0; i < h->heads; i++) f2l_say_count(heads, NULL, h->head[i] + 1);
    f2l_say_count(fewest, "dimension", h->dimension);
    f2l_say_truth(fewest, "least_dimension", h->least);
    f2l_say_known(fewest, "hidden_class", h->minimum > 0, h->hidden + 1);
    f2l_fact dyadic = f2l_say_object(in, "dyadic_keys");
    f2l_say_count(dyadic, "lower", r->dyadic->lower);
    f2l_say_count(dyadic, "upper", r->dyadic->upper);
    f2l_say_count(dyadic, "heads", r->dyadic->heads);
}

static void say_covers(f2l_fact in, const f2l_group_report *r)
{
    const f2l_cover *c = r->cover;
    f2l_fact covers = f2l_say_object(in, "covers");
    f2l_say_text(covers, "reason", c ? NULL : r->cover_reason);
    if (!c) return;
    f2l_say_truth(covers, "found", c->found);
    f2l_say_truth(covers, "complete", c->complete);
    f2l_say_count(covers, "lower", c->lower);
    f2l_say_count(covers, "extensions", c->extensions);
    f2l_say_known(covers, "householders", c->found, c->factors);
    f2l_say_known(covers, "order", c->found, c->group.order);
    f2l_say_known(covers, "kernel", c->found, c->kernel);
}

static void describe_group(f2l_fact out, const void *report)
{
    const f2l_group_report *r = report;
    f2l_say_automaton(out, r->grammar, NULL, r->group->degree, r->group->generators);
    say_structure(out, r);
    say_classes(out, r);
    say_characters(out, r);
    say_fewest_factors(out, r);
    say_covers(out, r);
}

/* --- text --- */

/* Begins a line of a table: the label in its first line, and the number of the line. */
static void begin_table_line(f2l_buf *out, const char *label, size_t i)
{
    f2l_buf_printf(out, "%-15s%zu: ", i ? "" : label, i + 1);
}

static void lay_element(f2l_buf *out, f2l_fact class_of)
{
    const char *cycles = f2l_get_text(class_of, "element");
    f2l_buf_printf(out, "%.*s%s", CYCLES_BYTES, cycles, strlen(cycles) > CYCLES_BYTES ? ".." : "");
}

static void lay_conjugacy_classes(f2l_buf *out, f2l_fact classes)
{
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++) {
        const f2l_fact one = f2l_get_item(classes, i);
        begin_table_line(out, "classes", i);
        f2l_layout(out, one, "{size} of order {order}, ");
        lay_element(out, one);
        f2l_layout(out, one, "{of_letters?  (letters)}\n");
    }
}

/* Appends a value for reading; the facts have the exact value. */
static void lay_value(f2l_buf *out, f2l_fact eigenvalues, uint64_t exponent)
{
    double re = 0, im = 0;
    char text[64];
    for (size_t i = 0; i < f2l_get_size(eigenvalues, ""); i++) {
        const f2l_fact pair = f2l_get_item(eigenvalues, i);
        const double j = f2l_get_number(f2l_get_item(pair, 0), "");
        const double angle = 2 * 3.14159265358979323846 * j / (double)exponent;
        const double multiplicity = f2l_get_number(f2l_get_item(pair, 1), "");
        re += multiplicity * cos(angle);
        im += multiplicity * sin(angle);
    }
    const double rounded = fabs(re) < 1e-9 ? 0 : re;
    if (fabs(im) > 1e-9)
        snprintf(text, sizeof text, "%.4g%+.4gi", rounded, im);
    else
        snprintf(text, sizeof text, "%.4g", rounded);
    f2l_buf_printf(out, " %8s", text);
}

static void lay_characters(f2l_buf *out, f2l_fact from)
{
    const f2l_fact characters = f2l_get(from, "characters");
    for (size_t i = 0; i < f2l_get_size(characters, ""); i++) {
        const f2l_fact one = f2l_get_item(characters, i);
        const f2l_fact values = f2l_get(one, "eigenvalue_counts");
        begin_table_line(out, "characters", i);
        f2l_layout(out, one, "indicator {indicator%2s} ");
        for (size_t c = 0; c < f2l_get_size(values, ""); c++)
            lay_value(out, f2l_get_item(values, c), f2l_get_count(from, "structure.exponent"));
        f2l_buf_text(out, "\n");
    }
}

static void lay_irreps(f2l_buf *out, f2l_fact irreps)
{
    const size_t n = f2l_get_size(irreps, "");
    f2l_buf_printf(out, "real irreps    %zu; a letter takes at most rank(rho(w) - I) reflections\n",
                   n);
    for (size_t i = 0; i < n && n <= TABLE_CLASSES; i++) {
        begin_table_line(out, "", i);
        f2l_layout(out, f2l_get_item(irreps, i),
                   "character {character}, dimension {dimension}, rank {rank}\n");
    }
}

static void lay_fewest(f2l_buf *out, f2l_fact fewest, f2l_fact classes)
{
    f2l_layout(out, fewest,
               "fewest factors n_h = {householders} for "
               "{letters_are=elements?all elements as letters|these letters}, over all one-layer "
               "networks with orthogonal transitions that generate the group itself (R1)\n"
               "               in real irreps{irreps* {.}}, {dimension} dimensions"
               "{least_dimension?, the least sum}\n");
    if (!f2l_is_known(fewest, "hidden_class")) return;
    f2l_layout(
        out, fewest,
        "               not fewer: all that take less are trivial on class {hidden_class}, ");
    lay_element(out, f2l_get_item(classes, f2l_get_count(fewest, "hidden_class") - 1));
    f2l_buf_text(out, "\n");
}

static void lay_dyadic(f2l_buf *out, f2l_fact keys)
{
    const bool known = f2l_get_count(keys, "lower") == f2l_get_count(keys, "upper");
    f2l_layout(out, keys,
               known
                   ? "dyadic keys    n_h = {upper} when every key is an exactly dyadic unit vector"
                   : "dyadic keys    n_h between {lower} (proved) and {upper} (built) with exactly "
                     "dyadic unit keys");
    f2l_layout(out, keys, "; {heads head} of signed permutations\n");
}

static void lay_group(f2l_buf *out, f2l_fact from)
{
    const f2l_fact classes = f2l_get(from, "conjugacy_classes");
    f2l_layout(out, from,
               "{automaton.name}: {automaton.letters} letters act on {automaton.states} points\n"
               "group          {structure.name}: order {structure.order}, ");
    f2l_buf_printf(out, "%zu classes", f2l_get_size(classes, ""));
    f2l_layout(out, f2l_get(from, "structure"),
               ", exponent {exponent}, centre of order {centre}\n"
               "               {abelian?abelian|{nilpotent?nilpotent|{solvable?solvable, not "
               "nilpotent|not solvable}}}; derived series {derived_series*{.}| > }\n"
               "{composition_factors?               composition factors"
               "{composition_factors* {.}}\n}");
    if (f2l_get_size(classes, "") <= TABLE_CLASSES) {
        lay_conjugacy_classes(out, classes);
        lay_characters(out, from);
    }
    lay_irreps(out, f2l_get(from, "real_irreps"));
    lay_fewest(out, f2l_get(from, "fewest_factors"), classes);
    lay_dyadic(out, f2l_get(from, "dyadic_keys"));
    if (f2l_is_known(from, "covers.reason"))
        f2l_layout(out, from, "covers         not searched: {covers.reason}\n");
    else
        f2l_layout(out, f2l_get(from, "covers"),
                   "covers         {found?n_h = {householders} through a group of order {order}, a "
                   "central extension by {kernel}|none with fewer factors found} ({extensions} "
                   "central extensions looked at{complete?, all of the kernels searched|, stopped "
                   "at a limit}; no cover in one orthogonal layer has less than {lower})\n");
}

const f2l_report_kind f2l_group_report_kind = {.name = "group",
                                               .describe = describe_group,
                                               .lay = lay_group,
                                               .style = {.indent = true, .digits = 17}};
