#include "tests/support/theory/horizon_support.h"

void horizon_sample_clear(horizon_sample *s)
{
    f2l_net_clear(&s->net);
    f2l_fsa_clear(&s->fsa);
}

void horizon_rotations(horizon_sample *s, const int *turn, size_t letters)
{
    char text[512] = "points 5\ntrack points 1\n";
    for (size_t x = 0; x < letters; x++) {
        const int j = turn[x];
        char line[64];
        snprintf(line, sizeof line, "permute r%d (1 %d %d %d %d)\n", j, 1 + j % 5, 1 + 2 * j % 5,
                 1 + 3 * j % 5, 1 + 4 * j % 5);
        if (j == 0) snprintf(line, sizeof line, "permute r0 ()\n");
        strcat(text, line);
    }
    fsa_from_text(&s->fsa, text);
    snprintf(s->name, sizeof s->name, "Z5, %zu letters", letters);
    hand_net(&s->net, &s->fsa, F2L_LABEL_STATES, 1);
    f2l_layer *layer = &s->net.layer[0];
    cr_assert_eq(f2l_layer_set_heads(layer, letters, 1, NULL), F2L_OK);
    f2l_head *head = &layer->head[0];
    head->n = 2;
    head->d = 1;
    f2l_field k;
    field_of_text(&k, "5 0 -5 0 1 interval 3/2 2");
    cr_assert_eq(f2l_head_set_field(head, &k, NULL), F2L_OK);
    /* cosine[i] is cos(18 i degrees), from 2 cos(i t) = 2 cos t 2 cos((i - 1) t) - 2 cos((i - 2)
     * t). */
    f2l_number cosine[20], minus;
    mpq_t q;
    mpq_init(q);
    f2l_number_init(&minus);
    for (size_t i = 0; i < 20; i++) {
        f2l_number_init(&cosine[i]);
        mpq_set_ui(q, i == 0 ? 2 : 1, 1);
        if (i < 2) f2l_number_put(&cosine[i], i, q);
        if (i < 2) continue;
        f2l_field_multiply(&cosine[i], &cosine[1], &cosine[i - 1], &k);
        fmpq_poly_sub(&cosine[i], &cosine[i], &cosine[i - 2]);
    }
    for (size_t i = 0; i < 20; i++) fmpq_poly_scalar_div_si(&cosine[i], &cosine[i], 2);
    const size_t sine = 15; /* sin(18 i degrees) = cosine[i + 15 mod 20] */
    for (size_t x = 0; x < letters; x++) {
        if (turn[x] == 0) continue;
        f2l_transition *t = &head->letter[x];
        cr_assert_eq(f2l_transition_set_factors(t, 2, NULL), F2L_OK);
        for (size_t f = 0; f < 2; f++) {
            const size_t half = 5 + (f == 0 ? 0 : 2 * (size_t)turn[x]);
            mpq_set_ui(t->factor[f].beta, 2, 1);
            fmpq_poly_neg(&minus, &cosine[(half + sine) % 20]);
            cr_assert_eq(f2l_push_number(&t->factor[f].u, 0, &minus, 4, NULL), F2L_OK);
            cr_assert_eq(f2l_push_number(&t->factor[f].u, 1, &cosine[half % 20], 4, NULL), F2L_OK);
        }
    }
    cr_assert_eq(f2l_layer_set_codes(layer, 5, 5, false, NULL), F2L_OK);
    for (size_t c = 0; c < 5; c++) {
        cr_assert_eq(f2l_push_number(&layer->code[c], 0, &cosine[4 * c], 4, NULL), F2L_OK);
        cr_assert_eq(f2l_push_number(&layer->code[c], 1, &cosine[(4 * c + sine) % 20], 4, NULL),
                     F2L_OK);
        layer->symbol[c] = (uint32_t)c;
    }
    cr_assert_eq(f2l_qvec_copy(&head->initial, &layer->code[0], NULL), F2L_OK);
    for (size_t i = 0; i < 20; i++) f2l_number_clear(&cosine[i]);
    f2l_number_clear(&minus);
    f2l_field_clear(&k);
    mpq_clear(q);
}

void horizon_permutations(horizon_sample *s, const char *text, bool naive)
{
    f2l_error err = {0};
    f2l_gset g;
    f2l_t3_report report;
    fsa_from_text(&s->fsa, text);
    snprintf(s->name, sizeof s->name, "T3, %s keys, %zu states", naive ? "naive" : "exact",
             s->fsa.states.count);
    f2l_net_init(&s->net);
    f2l_gset_init(&g);
    cr_assert_eq(f2l_gset_smallest(&g, &s->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_t3_build(&s->net, &report, &s->fsa, F2L_LABEL_STATES,
                              naive ? F2L_T3_NAIVE : F2L_T3_EXACT, &g, NULL, &err),
                 F2L_OK, "%s", err.text);
    memcpy(s->net.fsa_sha256, SAMPLE_SHA, sizeof s->net.fsa_sha256);
    f2l_gset_clear(&g);
}

void horizon_key(f2l_factor *factor, long a, long b, bool across, bool raw)
{
    const long u[2] = {across ? -b : a, across ? a : b};
    hand_vector(&factor->u, u, 2);
    mpq_set_si(factor->beta, 2, raw ? (unsigned long)(a * a + b * b) : 1);
    mpq_canonicalize(factor->beta);
}

void horizon_reset(f2l_transition *t, const f2l_qvec *initial, bool bias)
{
    mpq_set_ui(t->gate, 0, 1);
    if (bias) {
        cr_assert_eq(f2l_qvec_copy(&t->bias, initial, NULL), F2L_OK);
        return;
    }
    cr_assert_eq(f2l_transition_set_factors(t, 2, NULL), F2L_OK);
    for (size_t f = 0; f < 2; f++) {
        const long axis[2] = {f == 0, f == 1};
        hand_vector(&t->factor[f].u, axis, 2);
        mpq_set_ui(t->factor[f].beta, 1, 1);
        for (size_t i = 0; i < initial->count; i++)
            if (initial->index[i] / 2 == f)
                cr_assert_eq(
                    f2l_qvec_push(&t->factor[f].c, initial->index[i] % 2, initial->value[i], NULL),
                    F2L_OK);
    }
}

void horizon_random(horizon_sample *s, f2l_rng *r, horizon_kinds kinds)
{
    const size_t letters = 3 + kinds.resets;
    long a = 1 + (long)f2l_rng_below(r, 9), b = 1 + (long)f2l_rng_below(r, 9);
    f2l_net *net = &s->net;
    snprintf(s->name, sizeof s->name, "random (%ld, %ld)%s%s%s", a, b,
             kinds.resets ? " resets" : "", kinds.bias ? " bias" : "", kinds.raw ? " raw" : "");
    f2l_net_init(net);
    cr_assert_eq(f2l_net_set_layers(net, 1, NULL), F2L_OK);
    f2l_layer *layer = &net->layer[0];
    cr_assert_eq(f2l_layer_set_heads(layer, letters, 1, NULL), F2L_OK);
    f2l_head *head = &layer->head[0];
    head->n = head->d = 2;
    head->raw = kinds.raw;
    for (uint32_t i = 0; i < 4; i++)
        sample_push(&head->initial, i, 1 + (long)f2l_rng_below(r, 12), 1 + f2l_rng_below(r, 7));
    for (size_t x = 0; x < 3; x++) {
        f2l_transition *t = &head->letter[x];
        cr_assert_eq(f2l_transition_set_factors(t, x == 2 ? 2 : 1, NULL), F2L_OK);
        for (size_t f = 0; f < t->factors; f++)
            horizon_key(&t->factor[f], a, b, x == 1 || f == 1, kinds.raw);
    }
    if (kinds.resets) horizon_reset(&head->letter[3], &head->initial, kinds.bias);
    /* One code for now; an exact run needs a valid network. */
    f2l_qvec state[4];
    size_t states = 1, next[4][4];
    for (size_t q = 0; q < 4; q++) f2l_qvec_init(&state[q]);
    cr_assert_eq(f2l_qvec_copy(&state[0], &head->initial, NULL), F2L_OK);
    cr_assert_eq(f2l_layer_set_codes(layer, 1, letters, false, NULL), F2L_OK);
    layer->symbol[0] = 0;
    cr_assert_eq(f2l_qvec_copy(&layer->code[0], &head->initial, NULL), F2L_OK);
    for (size_t x = 0; x < letters; x++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", x);
        sample_name(&net->letters, name);
        sample_name(&net->labels, name);
    }
    f2l_exact *run;
    f2l_error err = {0};
    f2l_qvec to;
    f2l_qvec_init(&to);
    cr_assert_eq(f2l_exact_new(&run, net, &err), F2L_OK, "%s: %s", s->name, err.text);
    for (size_t q = 0; q < states; q++)
        for (size_t x = 0; x < letters; x++) {
            cr_assert_eq(f2l_exact_step_head(run, &to, 0, 0, x, &state[q], NULL), F2L_OK);
            size_t p = 0;
            while (p < states && f2l_qvec_compare(&state[p], &to) != 0) p++;
            cr_assert_lt(p, 4);
            if (p == states) cr_assert_eq(f2l_qvec_copy(&state[states++], &to, NULL), F2L_OK);
            next[q][x] = p;
        }
    f2l_exact_free(run);
    f2l_qvec_clear(&to);
    char text[1024] = "start q0\n";
    for (size_t q = 0; q < states; q++)
        for (size_t x = 0; x < letters; x++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "q%zu x%zu q%zu\n", q, x,
                     next[q][x]);
    fsa_from_text(&s->fsa, text);
    f2l_names_clear(&net->labels);
    f2l_names_init(&net->labels);
    for (size_t q = 0; q < states; q++) {
        char name[24];
        snprintf(name, sizeof name, "q%zu", q);
        sample_name(&net->labels, name);
    }
    memcpy(net->fsa_sha256, SAMPLE_SHA, sizeof net->fsa_sha256);
    cr_assert_eq(f2l_layer_set_codes(layer, states, states, false, NULL), F2L_OK);
    for (size_t q = 0; q < states; q++) {
        layer->symbol[q] = (uint32_t)q;
        cr_assert_eq(f2l_qvec_copy(&layer->code[q], &state[q], NULL), F2L_OK);
        f2l_qvec_clear(&state[q]);
    }
}

bool horizon_agrees(const horizon_sample *s, const char *format_text, const char *schedule_text,
                    uint64_t letters, uint64_t seed, f2l_horizon *out)
{
    f2l_format format;
    f2l_schedule schedule;
    char format_name[F2L_FORMAT_NAME], schedule_name[F2L_SCHEDULE_NAME];
    f2l_error err = {0};
    cr_assert_eq(f2l_format_parse(&format, format_name, format_text, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_schedule_parse(&schedule, schedule_name, schedule_text, &err), F2L_OK, "%s",
                 err.text);
    f2l_horizon_point *bound;
    size_t bounds;
    const f2l_status status =
        f2l_horizon_find(out, &bound, &bounds, &s->net, &format, &schedule, 0, NULL, &err);
    if (status == F2L_EDOMAIN) return false;
    cr_assert_eq(status, F2L_OK, "%s", err.text);
    cr_assert(out->known, "%s: %s", s->name, out->reason);
    f2l_net model;
    f2l_net_init(&model);
    model = s->net;
    const f2l_observe_options options = {
        .letters = letters, .seed = seed, .kinds = {true, true, true}};
    f2l_observed seen[F2L_WORDS_KINDS];
    f2l_observed_point *point[F2L_WORDS_KINDS];
    size_t points[F2L_WORDS_KINDS];
    cr_assert_eq(
        f2l_observe(seen, point, points, &model, &s->fsa, &format, &schedule, &options, NULL, &err),
        F2L_OK, "%s: %s", s->name, err.text);
    for (size_t k = 0; k < F2L_WORDS_KINDS; k++) {
        cr_assert(seen[k].failed == 0 || (!out->for_ever && seen[k].failed > out->letters),
                  "%s in %s, %s, seed %llu: horizon %llu, but %s fails at %llu", s->name,
                  format_text, schedule_text, (unsigned long long)seed,
                  (unsigned long long)out->letters, seen[k].word,
                  (unsigned long long)seen[k].failed);
        for (size_t i = 0; s->net.layers == 1 && i < points[k] && i < bounds; i++) {
            cr_assert_eq(point[k][i].length, bound[i].length);
            cr_assert(point[k][i].error <= bound[i].bound * (1 + 1e-9) + 1e-14,
                      "%s in %s, %s, seed %llu: error %.9g after %llu letters, bound %.9g", s->name,
                      format_text, schedule_text, (unsigned long long)seed, point[k][i].error,
                      (unsigned long long)point[k][i].length, bound[i].bound);
        }
        f2l_free(point[k]);
    }
    f2l_free(bound);
    return true;
}
