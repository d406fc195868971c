#include "tests/support/theory/t3_support.h"

void t3_build(fixture *f, f2l_label label, f2l_t3_keys keys)
{
    f2l_error err = {0};
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_t3_build(&f->net, &f->report, &f->fsa, label, keys, &f->set, NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_net_validate(&f->net, &err), F2L_OK, "%s", err.text);
}

void represent(fixture *f)
{
    f2l_error err = {0};
    f2l_gset_init(&f->set);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
}

void t3_open_text(fixture *f, const char *text)
{
    fsa_from_text(&f->fsa, text);
    represent(f);
}

void t3_open_family(fixture *f, const char *kind, uint64_t n, bool generators)
{
    f2l_error err = {0};
    f2l_fsa_init(&f->fsa);
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s",
                 err.text);
    represent(f);
}

void t3_done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

void letter_matrix(dense *a, const f2l_transition *letter)
{
    const size_t n = a->rows;
    mpq_t norm, sum, t;
    mpq_inits(norm, sum, t, NULL);
    for (size_t i = 0; i < n * n; i++) mpq_set_ui(a->at[i], i / n == i % n, 1);
    for (size_t f = 0; f < letter->factors; f++) {
        dense u;
        dense_init(&u, n, 1);
        dense_load(&u, &letter->factor[f].u);
        cr_assert_eq(letter->factor[f].c.count, 0);
        mpq_set_ui(norm, 0, 1);
        for (size_t i = 0; i < n; i++) {
            mpq_mul(t, u.at[i], u.at[i]);
            mpq_add(norm, norm, t);
        }
        for (size_t j = 0; j < n; j++) {
            mpq_set_ui(sum, 0, 1);
            for (size_t i = 0; i < n; i++) {
                mpq_mul(t, u.at[i], a->at[i * n + j]);
                mpq_add(sum, sum, t);
            }
            mpq_mul(sum, sum, letter->factor[f].beta);
            mpq_div(sum, sum, norm);
            for (size_t i = 0; i < n; i++) {
                mpq_mul(t, sum, u.at[i]);
                mpq_sub(a->at[i * n + j], a->at[i * n + j], t);
            }
        }
        dense_clear(&u);
    }
    mpq_clears(norm, sum, t, NULL);
}

void t3_check_words(const fixture *f, uint64_t seed)
{
    const f2l_layer *layer = &f->net.layer[0];
    const f2l_head *head = &layer->head[0];
    const size_t letters = f->fsa.letters.count;
    dense *a = calloc(letters, sizeof *a), s, t;
    for (size_t x = 0; x < letters; x++) {
        dense_init(&a[x], head->n, head->n);
        letter_matrix(&a[x], &head->letter[x]);
    }
    dense_init(&s, head->n, head->d);
    dense_init(&t, head->n, head->d);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (int word = 0; word < 4; word++) {
        size_t q = f->fsa.start;
        dense_load(&s, &head->initial);
        for (int step = 0; step < 40; step++) {
            const size_t x = (size_t)f2l_rng_below(&rng, letters);
            dense_multiply(&t, &a[x], &s);
            const dense swap = s;
            s = t;
            t = swap;
            q = f->fsa.next[q * letters + x];
            size_t found = layer->codes;
            for (size_t c = 0; c < layer->codes; c++) {
                if (!dense_equals(&s, &layer->code[c])) continue;
                cr_assert_eq(found, layer->codes, "two equal codes");
                found = c;
            }
            cr_assert_lt(found, layer->codes, "step %d: no code", step);
            cr_assert_str_eq(f2l_names_get(&f->net.labels, layer->symbol[found]),
                             f2l_fsa_label(&f->fsa, f->net.label, q));
        }
    }
    for (size_t x = 0; x < letters; x++) dense_clear(&a[x]);
    dense_clear(&s);
    dense_clear(&t);
    free(a);
}

void check_exact(const fixture *f)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_exact(&c, &f->net, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(c.verdict, F2L_OK, "%s %s", c.expected, c.got);
    f2l_closure_clear(&c);
}

f2l_status verdict_in(const fixture *f, const char *format, size_t *rows)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_float(&c, &f->net, &f->fsa, f2l_format_find(format),
                                   f2l_schedule_find("every"), 20000, NULL, &err),
                 F2L_OK, "%s", err.text);
    const f2l_status verdict = c.verdict;
    *rows = c.rows;
    f2l_closure_clear(&c);
    return verdict;
}
