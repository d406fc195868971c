#include "tests/support/automata/definite_support.h"
#include "theory/compile/constructions.h"

void make(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next, const uint8_t *accept)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "letters");
    for (size_t a = 0; a < letters; a++) f2l_buf_printf(&text, " x%zu", a);
    f2l_buf_text(&text, "\nstates");
    for (size_t q = 0; q < n; q++) f2l_buf_printf(&text, " %zu", q);
    f2l_buf_text(&text, "\nstart 0\naccept");
    for (size_t q = 0; accept && q < n; q++)
        if (accept[q]) f2l_buf_printf(&text, " %zu", q);
    f2l_buf_text(&text, "\n");
    for (size_t i = 0; i < n * letters; i++)
        f2l_buf_printf(&text, "%zu x%zu %u\n", i / letters, i % letters, (unsigned)next[i]);
    f2l_buf_bytes(&text, "", 1);
    fsa_from_text(fsa, text.data);
    f2l_buf_clear(&text);
}

void make_trimmed(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next,
                  const uint8_t *accept)
{
    size_t dropped;
    make(fsa, n, letters, next, accept);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, NULL), F2L_OK);
}

size_t depth_of_pair(const f2l_fsa *fsa, size_t *depth, size_t p, size_t q)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t *mine = &depth[p < q ? p * n + q : q * n + p], best = 1;
    if (*mine) return *mine == 1 ? SIZE_MAX : *mine - 1;
    *mine = 1;
    for (size_t a = 0; a < k; a++) {
        size_t r = fsa->next[p * k + a], s = fsa->next[q * k + a], below;
        if (r == s) continue;
        below = depth_of_pair(fsa, depth, r, s);
        if (below == SIZE_MAX) return SIZE_MAX;
        if (below + 1 > best) best = below + 1;
    }
    *mine = best + 1;
    return best;
}

size_t k_of_pairs(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    size_t *depth = calloc(n * n, sizeof *depth), k = 0;
    for (size_t p = 0; p < n && k != SIZE_MAX; p++) {
        for (size_t q = p + 1; q < n && k != SIZE_MAX; q++) {
            size_t one = depth_of_pair(fsa, depth, p, q);
            if (one > k) k = one;
        }
    }
    free(depth);
    return k;
}

size_t find(const f2l_fsa *fsa)
{
    f2l_definite d;
    f2l_error err = {0};
    f2l_definite_init(&d);
    cr_assert_eq(f2l_definite_find(&d, fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(d.definite, d.k != SIZE_MAX);
    for (size_t a = 0; a < fsa->letters.count; a++) {
        cr_assert_lt(d.letter_class[a], d.classes);
        for (size_t b = 0; b < a; b++) {
            bool equal = true;
            for (size_t q = 0; q < fsa->states.count; q++)
                equal = equal && fsa->next[q * fsa->letters.count + a] ==
                                     fsa->next[q * fsa->letters.count + b];
            cr_assert_eq(d.letter_class[a] == d.letter_class[b], equal);
        }
    }
    const size_t k = d.k;
    f2l_definite_clear(&d);
    f2l_definite_clear(&d);
    return k;
}

bool permutes_or_resets(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    bool all = true;
    for (size_t a = 0; a < k; a++) {
        uint8_t *hit = calloc(n, 1);
        size_t images = 0;
        for (size_t q = 0; q < n; q++) {
            images += !hit[fsa->next[q * k + a]];
            hit[fsa->next[q * k + a]] = 1;
        }
        all = all && (images == n || images == 1);
        free(hit);
    }
    return all;
}

void compiled_init(compiled *c, f2l_label label)
{
    *c = (compiled){.options = {.label = label}};
    c->options.format[0] = f2l_format_find("bf16");
    c->options.format[1] = f2l_format_find("fp32");
    f2l_compile_result_init(&c->result);
}

void definite_compile(compiled *c, const f2l_fsa *fsa)
{
    cr_assert_eq(f2l_compile(&c->result, fsa, &c->options, NULL, &c->err), F2L_OK, "%s",
                 c->err.text);
    cr_assert_eq(c->result.exact.verdict, F2L_OK, "%s", c->result.exact.reason);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(c->result.format[i].closure.verdict, F2L_OK, "%s",
                     c->result.format[i].closure.reason);
    cr_assert_eq(f2l_net_validate(&c->result.net, &c->err), F2L_OK, "%s", c->err.text);
}

void check_certificate(compiled *c, const f2l_fsa *fsa)
{
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, &c->result, fsa, c->result.net.fsa_sha256, &c->err),
                 F2L_OK);
    f2l_buf_bytes(&text, "", 1);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\nsize layers 1 heads 1 "), "%s", text.data);
    f2l_buf_clear(&text);
}

const f2l_register_report *registers_of(const f2l_compile_result *r)
{
    return f2l_compile_detail(r, &f2l_construction_register);
}

void check_reason(const f2l_compile_result *r, size_t k, bool permutation, bool permutation_reset)
{
    char expected[64] = "";
    f2l_net_size size;
    f2l_net_measure(&size, &r->net);
    if (permutation)
        snprintf(expected, sizeof expected, "permutation automaton");
    else if (strcmp(r->theorem, "K") == 0)
        snprintf(expected, sizeof expected, "k-definite, k = %zu", k);
    else if (strcmp(r->theorem, "X") == 0 && size.layers == 1)
        snprintf(expected, sizeof expected, "a part of a product of %zu automata",
                 r->net.layer[0].heads);
    else if (strcmp(r->theorem, "K.6") == 0 || strcmp(r->theorem, "OL") == 0 ||
             ((strcmp(r->theorem, "EF") == 0 || strcmp(r->theorem, "PT") == 0) && size.layers == 1))
        snprintf(expected, sizeof expected, "%.63s", r->one_layer);
    else if (permutation_reset)
        snprintf(expected, sizeof expected, "permutation-reset");
    cr_assert_str_eq(r->one_layer, expected);
    cr_assert_str_eq(r->theorem, permutation ? "T3"
                                 : k != SIZE_MAX && k > 1 && strcmp(r->theorem, "K.6") != 0
                                     ? "K"
                                     : r->theorem);
    if (expected[0])
        cr_assert_eq(size.layers, 1);
    else
        cr_assert_gt(size.layers, 1);
}
