#include "tests/support/theory/r1_support.h"
#include "tests/support/numeric/field_values.h"

void r1_analyse(r1_sample *s)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_r1_analyse(&s->r1, &s->fsa, 0, NULL, &err), F2L_OK, "%s: %s", s->name,
                 err.text);
    f2l_net_init(&s->net);
    f2l_r1_report_init(&s->report);
}

void r1_open_text(r1_sample *s, const char *name, const char *text)
{
    s->name = name;
    fsa_from_text(&s->fsa, text);
    r1_analyse(s);
}

void r1_open_family(r1_sample *s, const char *kind, uint64_t n, bool generators)
{
    f2l_error err = {0};
    s->name = kind;
    f2l_fsa_init(&s->fsa);
    cr_assert_eq(f2l_family_build(&s->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s",
                 err.text);
    r1_analyse(s);
}

void r1_close(r1_sample *s)
{
    f2l_net_clear(&s->net);
    f2l_r1_report_clear(&s->report);
    f2l_r1_clear(&s->r1);
    f2l_fsa_clear(&s->fsa);
}

void r1_build(r1_sample *s, f2l_r1_variant variant, f2l_label label)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_r1_build(&s->net, &s->report, &s->r1, label, variant, NULL, NULL, &err),
                 F2L_OK, "%s %d: %s", s->name, (int)variant, err.text);
    cr_assert_eq(f2l_net_validate(&s->net, &err), F2L_OK, "%s: %s", s->name, err.text);
}

void r1_verify(const r1_sample *s)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_exact(&c, &s->net, &s->fsa, 0, NULL, &err), F2L_OK, "%s: %s", s->name,
                 err.text);
    cr_assert_eq(c.verdict, F2L_OK, "%s: expected %s, got %s %s", s->name, c.expected, c.got,
                 c.reason);
    cr_assert_eq(c.rows, s->net.layer[0].codes, "%s", s->name); /* no code is superfluous */
    f2l_closure_clear(&c);
}

void r1_doubles(double *out, size_t n, const f2l_qvec *v, const f2l_head *head)
{
    f2l_field rational;
    f2l_number a;
    f2l_field_init(&rational);
    f2l_number_init(&a);
    for (size_t i = 0; i < n; i++) out[i] = 0;
    for (size_t at = 0, i; at < v->count;) {
        f2l_take_number(&a, &i, &at, v, f2l_head_degree(head));
        cr_assert_lt(i, n);
        out[i] = number_double(&a, f2l_head_over(head, &rational));
    }
    f2l_number_clear(&a);
    f2l_field_clear(&rational);
}

void r1_reflect(double *x, const double *u, const double *form, size_t n, double beta)
{
    double ux = 0, uu = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double g = form ? form[i * n + j] : i == j;
            ux += u[i] * g * x[j];
            uu += u[i] * g * u[j];
        }
    for (size_t i = 0; i < n; i++) x[i] -= beta * ux / uu * u[i];
}

void r1_float_step(const f2l_head *head, r1_float_head *f, size_t letter)
{
    const f2l_transition *t = &head->letter[letter];
    for (size_t i = 0; i < t->factors; i++) {
        r1_doubles(f->u, head->n, &t->factor[i].u, head);
        r1_reflect(f->x, f->u, f->form, head->n, mpq_get_d(t->factor[i].beta));
    }
}

r1_float_head *r1_float_open(const f2l_layer *layer)
{
    r1_float_head *f = calloc(layer->heads, sizeof *f);
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_head *head = &layer->head[h];
        const size_t n = head->n;
        f[h].u = calloc(n, sizeof(double));
        f[h].x = calloc(n, sizeof(double));
        f[h].code = calloc(layer->codes * n, sizeof(double));
        if (head->form.count > 0) {
            f[h].form = calloc(n * n, sizeof(double));
            r1_doubles(f[h].form, n * n, &head->form, head);
        }
        r1_doubles(f[h].x, n, &head->initial, head);
        for (size_t c = 0; c < layer->codes; c++)
            r1_doubles(f[h].code + c * n, n, &layer->code[c * layer->heads + h], head);
    }
    return f;
}

void r1_float_close(r1_float_head *f, size_t heads)
{
    for (size_t h = 0; h < heads; h++) free(f[h].form), free(f[h].u), free(f[h].x), free(f[h].code);
    free(f);
}

size_t r1_float_code(const f2l_layer *layer, const r1_float_head *f)
{
    size_t found = layer->codes;
    for (size_t c = 0; c < layer->codes; c++) {
        double distance = 0, size = 1;
        for (size_t h = 0; h < layer->heads; h++)
            for (size_t i = 0; i < layer->head[h].n; i++) {
                const double code = f[h].code[c * layer->head[h].n + i];
                distance = fmax(distance, fabs(f[h].x[i] - code));
                size = fmax(size, fabs(code));
            }
        if (distance > 1e-7 * size) continue;
        cr_assert_eq(found, layer->codes, "two codes are as good as equal");
        found = c;
    }
    return found;
}

void r1_walk(const r1_sample *s, uint64_t seed, size_t steps)
{
    const f2l_layer *layer = &s->net.layer[0];
    const size_t letters = s->fsa.letters.count;
    r1_float_head *f = r1_float_open(layer);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    size_t q = s->fsa.start;
    for (size_t t = 0; t < steps; t++) {
        const size_t a = (size_t)f2l_rng_below(&rng, letters);
        for (size_t h = 0; h < layer->heads; h++) r1_float_step(&layer->head[h], &f[h], a);
        q = s->fsa.next[q * letters + a];
        const size_t c = r1_float_code(layer, f);
        cr_assert_lt(c, layer->codes, "%s, step %zu: no code", s->name, t);
        cr_assert_str_eq(f2l_names_get(&s->net.labels, layer->symbol[c]),
                         f2l_fsa_label(&s->fsa, s->net.label, q), "%s, step %zu", s->name, t);
    }
    r1_float_close(f, layer->heads);
}

void r1_check_report(const r1_sample *s)
{
    const f2l_r1_report *r = &s->report;
    f2l_net_size size;
    f2l_net_measure(&size, &s->net);
    cr_assert_eq(size.householders, r->householders);
    cr_assert_eq(size.heads, r->heads);
    cr_assert_eq(size.codes, r->codes);
    cr_assert_eq(r->codes % r->states, 0);
    cr_assert_eq(r->order, s->r1.tables.group.order);
    cr_assert(r->lower <= r->householders && r->minimal == (r->lower == r->householders));
    cr_assert_gt(strlen(r->scope), 40);
    for (size_t h = 0; h < r->heads; h++)
        for (size_t a = 0; a < r->letters; a++) {
            cr_assert_eq(r->head[h].rank[a], s->net.layer[0].head[h].letter[a].factors);
            if (r->variant != F2L_R1_GROUP || s->r1.tables.householders.heads == 0) continue;
            const f2l_r1_tables *t = &s->r1.tables;
            const uint32_t c = t->classes.class_of[t->letter[a]];
            size_t irrep = 0; /* the table gives their number */
            while (t->householders.irrep[irrep].character != r->head[h].character) irrep++;
            cr_assert_eq(r->head[h].rank[a], f2l_householders_rank(&t->householders, irrep, c));
        }
}

void r1_check(const r1_sample *s)
{
    r1_verify(s);
    r1_walk(s, 5 + s->report.order, 60);
    r1_check_report(s);
}
