#include "tests/support/models/field_samples.h"
#include "tests/support/numeric/field_values.h"

void field_of_text(f2l_field *k, const char *text)
{
    f2l_error err = {0};
    f2l_field_init(k);
    cr_assert_eq(f2l_field_read(k, text, strlen(text), &err), F2L_OK, "%s: %s", text, err.text);
}

void matrix_of_text(f2l_matrix *m, size_t rows, size_t columns, const char *text,
                    const f2l_field *k)
{
    cr_assert_eq(f2l_matrix_init(m, rows, columns, NULL), F2L_OK);
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t size = strcspn(text, " ");
        cr_assert(number_read(&m->entry[i], text, size, k), "%s", text);
        text += size + (text[size] == ' ');
    }
    cr_assert(*text == '\0');
}

void matrix_product(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b, const f2l_field *k)
{
    cr_assert_eq(f2l_matrix_init(out, a->rows, b->columns, NULL), F2L_OK);
    f2l_matrix_multiply(out, a, b, k);
}

void field_sample_close(field_sample *s)
{
    s->states = 1;
    for (size_t q = 0; q < s->states; q++) {
        for (size_t a = 0; a < s->letters; a++) {
            f2l_matrix image;
            size_t to = 0;
            matrix_product(&image, &s->letter[a], &s->state[q], &s->field);
            while (to < s->states && !f2l_matrix_equal(&image, &s->state[to])) to++;
            cr_assert(to < FIELD_SAMPLE_STATES);
            s->next[q][a] = (uint32_t)to;
            if (to == s->states)
                s->state[s->states++] = image;
            else
                f2l_matrix_clear(&image);
        }
    }
}

void field_sample_clear(field_sample *s)
{
    for (size_t a = 0; a < s->letters; a++) f2l_matrix_clear(&s->letter[a]);
    for (size_t q = 0; q < s->states; q++) f2l_matrix_clear(&s->state[q]);
    f2l_matrix_clear(&s->form);
    f2l_field_clear(&s->field);
    free(s);
}

field_sample *sample_rotations(size_t m, size_t first, size_t letters, bool mirrored)
{
    field_sample *s = calloc(1, sizeof *s);
    f2l_number trace;
    f2l_matrix turn, power;
    int64_t cosine[128] = {0};
    f2l_field_init(&s->field);
    f2l_number_init(&trace);
    cr_assert(m <= 128);
    cosine[1]++, cosine[m - 1]++;
    cr_assert_eq(f2l_field_cyclotomic_real(&s->field, &trace, cosine, 1, m, NULL), F2L_OK);
    matrix_of_text(&s->form, 2, 2, "2 0 0 2", &s->field);
    fmpq_poly_set(f2l_matrix_at(&s->form, 0, 1), &trace);
    fmpq_poly_set(f2l_matrix_at(&s->form, 1, 0), &trace);
    matrix_of_text(&turn, 2, 2, "0 -1 1 0", &s->field);
    fmpq_poly_set(f2l_matrix_at(&turn, 1, 1), &trace);
    matrix_of_text(&power, 2, 2, "1 0 0 1", &s->field);
    for (size_t i = 0; i < first + letters; i++) {
        f2l_matrix more;
        if (i >= first) matrix_product(&s->letter[s->letters++], &turn, &power, &s->field);
        matrix_product(&more, &turn, &power, &s->field);
        f2l_matrix_clear(&power);
        power = more;
    }
    if (mirrored) matrix_of_text(&s->letter[s->letters++], 2, 2, "0 1 1 0", &s->field);
    matrix_of_text(&s->state[0], 2, 1, mirrored ? "2 1" : "1 0", &s->field);
    f2l_matrix_clear(&turn);
    f2l_matrix_clear(&power);
    f2l_number_clear(&trace);
    field_sample_close(s);
    return s;
}

field_sample *sample_icosahedron(bool all, bool skew)
{
    /* The half turn about z, the cycle of the axes, and the half turn about (1, phi, 1/phi) / 2. */
    static const char *const turn[] = {"-1 0 0 0 -1 0 0 0 1", "0 0 1 1 0 0 0 1 0",
                                       ("-1/2 1/4,1/4 -1/4,1/4 1/4,1/4 -1/4,1/4 1/2 -1/4,1/4 1/2 "
                                        "-1/4,-1/4")};
    field_sample *s = calloc(1, sizeof *s);
    f2l_matrix change, inverse, half;
    field_of_text(&s->field, "-5 0 1 interval 2 3");
    matrix_of_text(&change, 3, 3, skew ? "1 0,1 2 0 1 -1,1/2 0 0 3" : "1 0 0 0 1 0 0 0 1",
                   &s->field);
    matrix_of_text(&inverse, 3, 3,
                   skew ? "1 0,-1 1/6,-1/3 0 1 1/3,-1/6 0 0 1/3" : "1 0 0 0 1 0 0 0 1", &s->field);
    matrix_product(&half, &change, &inverse, &s->field);
    cr_assert(f2l_matrix_is_one(&half));
    f2l_matrix_clear(&half);
    cr_assert_eq(f2l_matrix_init(&s->form, 3, 3, NULL), F2L_OK);
    f2l_matrix_transposed_multiply(&s->form, &change, &change, &s->field);
    for (size_t i = 0; i < 3; i++) {
        f2l_matrix plain;
        matrix_of_text(&plain, 3, 3, turn[i], &s->field);
        matrix_product(&half, &plain, &change, &s->field);
        matrix_product(&s->letter[s->letters++], &inverse, &half, &s->field);
        f2l_matrix_clear(&plain);
        f2l_matrix_clear(&half);
    }
    matrix_of_text(&s->state[0], 3, 3, "1 0 0 0 1 0 0 0 1", &s->field);
    field_sample_close(s);
    cr_assert_eq(s->states, 60);
    for (size_t q = 0; all && q < 60; q++) {
        if (q < 3) f2l_matrix_clear(&s->letter[q]);
        matrix_of_text(&half, 3, 3, "1 0 0 0 1 0 0 0 1", &s->field);
        matrix_product(&s->letter[q], &half, &s->state[q], &s->field);
        f2l_matrix_clear(&half);
    }
    if (all) {
        for (size_t q = 1; q < s->states; q++) f2l_matrix_clear(&s->state[q]);
        s->letters = 60;
        field_sample_close(s);
    }
    f2l_matrix_clear(&change);
    f2l_matrix_clear(&inverse);
    return s;
}

void field_sample_fsa(f2l_fsa *fsa, const field_sample *s)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "letters");
    for (size_t a = 0; a < s->letters; a++) f2l_buf_printf(&text, " g%zu", a + 1);
    f2l_buf_text(&text, "\nstates");
    for (size_t q = 0; q < s->states; q++) f2l_buf_printf(&text, " s%zu", q + 1);
    f2l_buf_text(&text, "\nstart s1\n");
    for (size_t q = 0; q < s->states; q++)
        for (size_t a = 0; a < s->letters; a++)
            f2l_buf_printf(&text, "s%zu g%zu s%u\n", q + 1, a + 1, s->next[q][a] + 1);
    fsa_from_text(fsa, text.data);
    f2l_buf_clear(&text);
}

void push_matrix(f2l_qvec *v, const f2l_matrix *m, size_t degree)
{
    for (size_t i = 0; i < m->rows * m->columns; i++)
        cr_assert_eq(f2l_push_number(v, i, &m->entry[i], degree, NULL), F2L_OK);
}

void field_sample_net(f2l_net *net, const field_sample *s, const f2l_fsa *fsa)
{
    const size_t degree = s->field.degree;
    f2l_net_init(net);
    cr_assert_eq(f2l_fsa_sha256(fsa, net->fsa_sha256, NULL), F2L_OK);
    cr_assert_eq(f2l_names_copy(&net->letters, &fsa->letters, NULL), F2L_OK);
    cr_assert_eq(f2l_names_copy(&net->labels, &fsa->states, NULL), F2L_OK);
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    f2l_layer *layer = &net->layer[0];
    cr_assert_eq(f2l_layer_set_heads(layer, s->letters, 1, NULL), F2L_OK);
    f2l_head *head = &layer->head[0];
    head->n = s->form.rows;
    head->d = s->state[0].columns;
    cr_assert_eq(f2l_head_set_field(head, &s->field, NULL), F2L_OK);
    cr_assert_eq(f2l_head_set_form(head, &s->form, NULL), F2L_OK);
    push_matrix(&head->initial, &s->state[0], degree);
    for (size_t a = 0; a < s->letters; a++) {
        f2l_reflections r;
        f2l_reflections_init(&r);
        cr_assert_eq(f2l_reflections_build(&r, &s->letter[a], &s->form, &s->field, NULL, NULL),
                     F2L_OK);
        cr_assert_eq(f2l_transition_set_factors(&head->letter[a], r.count, NULL), F2L_OK);
        for (size_t f = 0; f < r.count; f++) {
            mpq_set_ui(head->letter[a].factor[f].beta, 2, 1);
            for (size_t i = 0; i < head->n; i++)
                cr_assert_eq(f2l_push_number(&head->letter[a].factor[f].u, i,
                                             &r.vector[f * head->n + i], degree, NULL),
                             F2L_OK);
        }
        f2l_reflections_clear(&r);
    }
    cr_assert_eq(f2l_layer_set_codes(layer, s->states, s->states, false, NULL), F2L_OK);
    for (size_t q = 0; q < s->states; q++) {
        push_matrix(&layer->code[q], &s->state[q], degree);
        layer->symbol[q] = (uint32_t)q;
    }
}

void read_fields(f2l_field *k, size_t *count)
{
    static const char *const texts[] = {"0 1 interval -1 1", "-5 0 1 interval 2 3",
                                        "-1 -1 1 interval -1 0", "1 -3 0 1 interval 1 2",
                                        "-2 0 0 0 0 1 interval 1 2"};
    *count = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < *count; i++) field_of_text(&k[i], texts[i]);
}

void field_random_number(f2l_number *a, f2l_rng *rng, const f2l_field *k)
{
    mpq_t value;
    mpq_init(value);
    fmpq_poly_zero(a);
    for (size_t p = 0; p < k->degree; p++) {
        if (f2l_rng_below(rng, 2)) continue;
        mpq_set_si(value, (long)f2l_rng_below(rng, 19) - 9, f2l_rng_below(rng, 5) + 1);
        mpq_canonicalize(value);
        f2l_number_put(a, p, value);
    }
    mpq_clear(value);
}

void random_entries(f2l_qvec *v, f2l_rng *rng, size_t size, const f2l_field *k)
{
    f2l_number a;
    f2l_number_init(&a);
    for (size_t i = 0; i < size; i++) {
        field_random_number(&a, rng, k);
        if (f2l_rng_below(rng, 3) == 0) fmpq_poly_zero(&a);
        if (i == 0 && fmpq_poly_is_zero(&a)) fmpq_poly_one(&a);
        cr_assert_eq(f2l_push_number(v, i, &a, k->degree, NULL), F2L_OK);
    }
    f2l_number_clear(&a);
}

void random_form(f2l_matrix *form, f2l_rng *rng, size_t n, const f2l_field *k)
{
    f2l_matrix c;
    cr_assert_eq(f2l_matrix_init(&c, n, n, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_init(form, n, n, NULL), F2L_OK);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) field_random_number(f2l_matrix_at(&c, i, j), rng, k);
        if (fmpq_poly_is_zero(f2l_matrix_at(&c, i, i)))
            fmpq_poly_set_si(f2l_matrix_at(&c, i, i), 2);
    }
    f2l_matrix_transposed_multiply(form, &c, &c, k);
    f2l_matrix_clear(&c);
}

void random_net(f2l_net *net, f2l_rng *rng, const f2l_field *k, bool with_form)
{
    const size_t letters = 3;
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    sample_name(&net->letters, "a"), sample_name(&net->letters, "b"),
        sample_name(&net->letters, "c");
    sample_name(&net->labels, "q");
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_heads(&net->layer[0], letters, 1, NULL), F2L_OK);
    f2l_head *head = &net->layer[0].head[0];
    head->n = f2l_rng_below(rng, 4) + 1;
    head->d = f2l_rng_below(rng, 3) + 1;
    cr_assert_eq(f2l_head_set_field(head, k, NULL), F2L_OK);
    if (with_form) {
        f2l_matrix form;
        random_form(&form, rng, head->n, k);
        cr_assert_eq(f2l_head_set_form(head, &form, NULL), F2L_OK);
        f2l_matrix_clear(&form);
    }
    random_entries(&head->initial, rng, head->n * head->d, k);
    for (size_t x = 0; x < letters; x++) {
        f2l_transition *letter = &head->letter[x];
        mpq_set_ui(letter->gate, f2l_rng_below(rng, 3), 2);
        mpq_canonicalize(letter->gate);
        cr_assert_eq(f2l_transition_set_factors(letter, f2l_rng_below(rng, 4), NULL), F2L_OK);
        for (size_t i = 0; i < letter->factors; i++) {
            mpq_set_ui(letter->factor[i].beta, f2l_rng_below(rng, 7), 3);
            mpq_canonicalize(letter->factor[i].beta);
            random_entries(&letter->factor[i].u, rng, head->n, k);
            if (f2l_rng_below(rng, 2)) random_entries(&letter->factor[i].c, rng, head->d, k);
        }
    }
    cr_assert_eq(f2l_layer_set_codes(&net->layer[0], 1, 1, false, NULL), F2L_OK);
    cr_assert_eq(f2l_qvec_copy(&net->layer[0].code[0], &head->initial, NULL), F2L_OK);
}
