#include "f2l_compile.h"
#include "f2l_definite.h"
#include "f2l_family.h"
#include "f2l_mem.h"
#include "fsa_text.h"
#include "t4_support.h"
#include <stdio.h>

/* States 0 .. n-1 with start 0, letters 0 .. k-1, and the given table. */
static void make(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next, const uint8_t *accept)
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

static void make_trimmed(f2l_fsa *fsa, size_t n, size_t letters, const uint32_t *next, const uint8_t *accept)
{
    size_t dropped;
    make(fsa, n, letters, next, accept);
    cr_assert_eq(f2l_fsa_trim(fsa, &dropped, NULL), F2L_OK);
}

/* By the definition: the least j <= limit such that every word of j letters takes all states to one; else
 * SIZE_MAX. At most 32 states; masks of the images of all words of a length. */
static size_t k_of_words(const f2l_fsa *fsa, size_t limit)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    static uint32_t image[1 << 14], longer[1 << 14];
    size_t images = 1;
    image[0] = (uint32_t)(((uint64_t)1 << n) - 1);
    for (size_t j = 0; j <= limit; j++) {
        size_t many = 0, count = 0;
        for (size_t i = 0; i < images; i++) many += (image[i] & (image[i] - 1)) != 0;
        if (!many) return j;
        for (size_t i = 0; i < images; i++) {
            for (size_t a = 0; a < k; a++) {
                uint32_t mask = 0;
                for (size_t q = 0; q < n; q++)
                    if (image[i] >> q & 1) mask |= (uint32_t)1 << fsa->next[q * k + a];
                size_t at = 0;
                while (at < count && longer[at] != mask) at++;
                if (at == count) longer[count++] = mask;
                cr_assert_lt(count, sizeof longer / sizeof *longer);
            }
        }
        memcpy(image, longer, count * sizeof *image);
        images = count;
    }
    return SIZE_MAX;
}

/* 1 plus the longest path from {p, q} in the graph of pairs; SIZE_MAX when a path closes. 0: unknown yet, 1:
 * on the path. */
static size_t depth_of_pair(const f2l_fsa *fsa, size_t *depth, size_t p, size_t q)
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

static size_t k_of_pairs(const f2l_fsa *fsa)
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

static size_t find(const f2l_fsa *fsa)
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
                equal =
                    equal && fsa->next[q * fsa->letters.count + a] == fsa->next[q * fsa->letters.count + b];
            cr_assert_eq(d.letter_class[a] == d.letter_class[b], equal);
        }
    }
    const size_t k = d.k;
    f2l_definite_clear(&d);
    f2l_definite_clear(&d);
    return k;
}

static bool permutes_or_resets(const f2l_fsa *fsa)
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

typedef struct compiled {
    f2l_compile_options options;
    f2l_compile_result result;
    f2l_error err;
} compiled;

static void compiled_init(compiled *c, f2l_label label)
{
    *c = (compiled){.options = {.label = label}};
    c->options.format[0] = f2l_format_find("bf16");
    c->options.format[1] = f2l_format_find("fp32");
    f2l_compile_result_init(&c->result);
}

static void compile(compiled *c, const f2l_fsa *fsa)
{
    cr_assert_eq(f2l_compile(&c->result, fsa, &c->options, NULL, &c->err), F2L_OK, "%s", c->err.text);
    cr_assert_eq(c->result.exact.verdict, F2L_OK, "%s", c->result.exact.reason);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(c->result.format[i].closure.verdict, F2L_OK, "%s", c->result.format[i].closure.reason);
    cr_assert_eq(f2l_net_validate(&c->result.net, &c->err), F2L_OK, "%s", c->err.text);
}

/* The certificate is the joint closure's, for a network of one layer. */
static void check_certificate(compiled *c, const f2l_fsa *fsa)
{
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, &c->result, fsa, c->result.net.fsa_sha256, &c->err), F2L_OK);
    f2l_buf_bytes(&text, "", 1);
    cr_assert_not_null(strstr(text.data, "\nclaim exact\nsize layers 1 heads 1 "), "%s", text.data);
    f2l_buf_clear(&text);
}

/* Says which of the three reasons there is, and that the network agrees. */
static void check_reason(const f2l_compile_result *r, size_t k, bool permutation, bool permutation_reset)
{
    char expected[64] = "";
    if (permutation)
        snprintf(expected, sizeof expected, "permutation automaton");
    else if (strcmp(r->theorem, "K") == 0)
        snprintf(expected, sizeof expected, "k-definite, k = %zu", k);
    else if (permutation_reset)
        snprintf(expected, sizeof expected, "permutation-reset");
    cr_assert_str_eq(r->one_layer, expected);
    cr_assert_str_eq(r->theorem, permutation ? "T3" : k != SIZE_MAX && k > 1 ? "K" : r->theorem);
    if (expected[0])
        cr_assert_eq(r->net.layers, 1);
    else
        cr_assert_gt(r->net.layers, 1);
}

/* K.1 and K.5 over all automata with 2 letters and at most 3 states. */
Test(definite, all_small_automata)
{
    size_t definite = 0, resets = 0, deep = 0;
    for (size_t n = 1; n <= 3; n++) {
        size_t tables = 1;
        for (size_t i = 0; i < 2 * n; i++) tables *= n;
        for (size_t t = 0; t < tables; t++) {
            uint32_t next[6];
            size_t rest = t;
            for (size_t i = 0; i < 2 * n; i++, rest /= n) next[i] = (uint32_t)(rest % n);
            f2l_fsa fsa;
            compiled c;
            make_trimmed(&fsa, n, 2, next, NULL);
            const size_t k = k_of_words(&fsa, 8), size = fsa.states.count;
            cr_assert_eq(find(&fsa), k);
            cr_assert_eq(k_of_pairs(&fsa), k);
            compiled_init(&c, F2L_LABEL_STATES);
            compile(&c, &fsa);
            check_reason(&c.result, k, f2l_fsa_is_permutation(&fsa, NULL), permutes_or_resets(&fsa));
            if (strcmp(c.result.theorem, "K") == 0) check_certificate(&c, &fsa);
            definite += k != SIZE_MAX;
            deep += k != SIZE_MAX && k > 1;
            resets += size > 1 && k == 1;
            f2l_compile_result_clear(&c.result);
            f2l_fsa_clear(&fsa);
        }
    }
    printf("%zu definite, %zu of them with resets only, %zu deeper\n", definite, resets, deep);
    cr_assert(definite > 100 && resets > 10 && deep > 10);
}

/* K.5 by the cascades themselves: one level iff every letter permutes or resets. */
Test(definite, one_level_means_permutation_reset)
{
    f2l_rng rng;
    size_t flat = 0;
    f2l_rng_init(&rng, 5, 0);
    for (size_t run = 0; run < 300; run++) {
        const size_t n = 2 + f2l_rng_below(&rng, 7), letters = 1 + f2l_rng_below(&rng, 4);
        uint32_t next[32];
        for (size_t a = 0; a < letters; a++) {
            uint32_t image[8];
            const size_t kind = f2l_rng_below(&rng, 5);
            const uint32_t target = (uint32_t)f2l_rng_below(&rng, n);
            for (uint32_t q = 0; q < n; q++) image[q] = q;
            for (size_t q = n; q-- > 1;) {
                const size_t other = f2l_rng_below(&rng, q + 1);
                const uint32_t moved = image[q];
                image[q] = image[other];
                image[other] = moved;
            }
            if (kind == 0 && run % 2) image[0] = image[1];
            for (size_t q = 0; q < n; q++) next[q * letters + a] = kind < 3 ? image[q] : target;
        }
        f2l_fsa fsa;
        make_trimmed(&fsa, n, letters, next, NULL);
        const bool expected = permutes_or_resets(&fsa);
        for (f2l_cascade_kind kind = F2L_CASCADE_HOLONOMY; kind <= F2L_CASCADE_CAPPED; kind++) {
            f2l_cascade cascade;
            f2l_error err = {0};
            cr_assert_eq(f2l_cascade_build(&cascade, &fsa, kind, 0, NULL, &err), F2L_OK, "%s", err.text);
            cr_assert_eq(cascade.levels <= 1, expected, "run %zu", run);
            f2l_cascade_clear(&cascade);
        }
        flat += expected && fsa.states.count > 1;
        f2l_fsa_clear(&fsa);
    }
    cr_assert_gt(flat, 50);
}

/* The last bits. With k = 1 a cascade of one level has the same layer, whose decoder lists every letter. */
Test(definite, family)
{
    for (size_t k = 1; k <= 4; k++) {
        const uint64_t number = k;
        f2l_fsa fsa;
        compiled c;
        f2l_net_size size;
        f2l_fsa_init(&fsa);
        cr_assert_eq(f2l_family_build(&fsa, "definite", &number, 1, false, NULL), F2L_OK);
        cr_assert_eq(find(&fsa), k);
        compiled_init(&c, F2L_LABEL_STATES);
        compile(&c, &fsa);
        check_reason(&c.result, k, false, k == 1);
        f2l_net_measure(&size, &c.result.net);
        cr_assert_eq(size.layers, 1);
        cr_assert_eq(size.codes, (size_t)1 << k);
        cr_assert_eq(size.householders, k == 1 ? 1 : k + 1);
        cr_assert_eq(size.states, k == 1 ? 1 : 2 * k);
        cr_assert_eq(c.result.registers.k, k);
        cr_assert_eq(c.result.registers.letter_classes, 2);
        cr_assert_not(c.result.registers.empty);
        cr_assert_eq(c.result.exact.rows, (size_t)1 << k);
        cr_assert_eq(c.result.format[0].closure.rows, (size_t)1 << k);
        check_certificate(&c, &fsa);
        runner r;
        f2l_rng rng;
        f2l_rng_init(&rng, k, 0);
        runner_init(&r, &c.result.net, &fsa);
        for (int word = 0; word < 20; word++) run_word(&r, &rng, 60);
        runner_clear(&r);
        /* A cascade on request has a layer for every level. */
        c.options.cascade = F2L_COMPILE_CAPPED;
        compile(&c, &fsa);
        cr_assert_str_eq(c.result.theorem, "T4");
        cr_assert(k == 1 || c.result.net.layers > 1);
        f2l_compile_result_clear(&c.result);
        f2l_fsa_clear(&fsa);
    }
}

/* Words of at most k letters of `letters` with random acceptance: quotients of these are all definite
 * automata. Shorter words are there when the start is one. */
static void random_definite(f2l_fsa *fsa, f2l_rng *rng, size_t k, size_t letters, bool shorter)
{
    size_t words = 1, full = 0;
    for (size_t j = 0; j < k; j++) {
        full = words;
        words = words * letters + 1;
    }
    uint32_t *next = calloc(words * letters, sizeof *next);
    uint8_t *accept = calloc(words, 1);
    const size_t base = shorter ? 0 : full;
    for (size_t w = base; w < words; w++) {
        accept[w - base] = f2l_rng_below(rng, 3) == 0;
        for (size_t a = 0; a < letters; a++) {
            size_t to = w * letters + a + 1;
            /* Beyond k letters the oldest goes: longer words follow the full ones in the same order. */
            if (to >= words) to = full + (to - words) % (words - full);
            next[(w - base) * letters + a] = (uint32_t)(to - base);
        }
    }
    make_trimmed(fsa, words - base, letters, next, accept);
    free(next);
    free(accept);
}

Test(definite, random_automata)
{
    f2l_rng rng;
    size_t deepest = 0, empty = 0, registers = 0;
    f2l_rng_init(&rng, 11, 0);
    printf("seed 11\n");
    for (size_t run = 0; run < 60; run++) {
        const size_t k = 1 + f2l_rng_below(&rng, 4), letters = 1 + f2l_rng_below(&rng, 3);
        f2l_fsa fsa, quotient;
        uint32_t *classes;
        compiled c;
        random_definite(&fsa, &rng, k, letters, run % 2);
        f2l_fsa_init(&quotient);
        cr_assert_eq(f2l_fsa_minimise(&quotient, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL), F2L_OK);
        const size_t full = find(&fsa), least = find(&quotient);
        cr_assert_leq(full, k);
        cr_assert_leq(least, full);
        cr_assert_eq(full, k_of_pairs(&fsa));
        cr_assert_eq(least, k_of_pairs(&quotient));
        compiled_init(&c, F2L_LABEL_ACCEPT);
        compile(&c, &fsa);
        check_reason(&c.result, least, f2l_fsa_is_permutation(&quotient, NULL),
                     permutes_or_resets(&quotient));
        if (strcmp(c.result.theorem, "K") == 0) {
            check_certificate(&c, &fsa);
            registers++;
            empty += c.result.registers.empty;
            if (least > deepest) deepest = least;
        }
        runner r;
        runner_init(&r, &c.result.net, &fsa);
        for (int word = 0; word < 5; word++) run_word(&r, &rng, 40);
        runner_clear(&r);
        f2l_compile_result_clear(&c.result);
        f2l_free(classes);
        f2l_fsa_clear(&quotient);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_eq(deepest, 4);
    cr_assert(empty > 5 && empty < registers);
}

/* One number needs no more than one column until there are more than 129 of them. */
Test(definite, many_classes_of_letters)
{
    for (size_t n = 128; n <= 131; n++) {
        uint32_t *next = calloc(n * n, sizeof *next);
        f2l_fsa fsa;
        compiled c;
        f2l_net_size size;
        for (size_t i = 0; i < n * n; i++) next[i] = (uint32_t)(i % n);
        make(&fsa, n, n, next, NULL);
        cr_assert_eq(find(&fsa), 1);
        compiled_init(&c, F2L_LABEL_STATES);
        compile(&c, &fsa);
        /* A cascade of one level would take n numbers. */
        cr_assert_str_eq(c.result.theorem, "K");
        cr_assert_str_eq(c.result.one_layer, "k-definite, k = 1");
        f2l_net_measure(&size, &c.result.net);
        cr_assert_eq(size.states, n <= 129 ? 1 : 2);
        cr_assert_eq(size.householders, 1);
        free(next);
        f2l_compile_result_clear(&c.result);
        f2l_fsa_clear(&fsa);
    }
}

/* s -> s1 -> .. -> end: as many slots as states but one, and letters of one class. */
Test(definite, chain)
{
    enum { N = 12 };
    uint32_t next[2 * N];
    f2l_fsa fsa;
    compiled c;
    for (uint32_t q = 0; q < N; q++) next[2 * q] = next[2 * q + 1] = q + 1 < N ? q + 1 : q;
    make(&fsa, N, 2, next, NULL);
    cr_assert_eq(find(&fsa), N - 1);
    compiled_init(&c, F2L_LABEL_STATES);
    compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "K");
    cr_assert_eq(c.result.registers.letter_classes, 1);
    cr_assert(c.result.registers.empty);
    cr_assert_eq(c.result.exact.rows, N);
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
}

static f2l_status build(f2l_net *net, const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_definite d;
    f2l_register_report report;
    f2l_definite_init(&d);
    f2l_status status = f2l_definite_find(&d, fsa, 0, task, err);
    if (status == F2L_OK) status = f2l_register_build(net, &report, fsa, F2L_LABEL_STATES, &d, task, err);
    f2l_definite_clear(&d);
    return status;
}

Test(definite, what_is_refused)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_definite d;
    f2l_error err = {0};
    compiled c;
    f2l_net_init(&net);
    f2l_definite_init(&d);
    /* Remembers whether there was an a. */
    fsa_from_text(&fsa, "start p\np a q\nq a q\np b p\nq b q\n");
    cr_assert_eq(find(&fsa), SIZE_MAX);
    cr_assert_eq(build(&net, &fsa, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "not definite"), "%s", err.text);
    cr_assert_eq(net.layers, 0);
    compiled_init(&c, F2L_LABEL_STATES);
    compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "T4");
    f2l_fsa_clear(&fsa);
    /* Limits. */
    const uint64_t five = 5;
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "definite", &five, 1, false, NULL), F2L_OK);
    cr_assert_eq(f2l_definite_find(&d, &fsa, 100, NULL, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "100"), "%s", err.text);
    cr_assert(!d.definite && !d.letter_class);
    const f2l_task small = {.memory = 100};
    cr_assert_eq(f2l_definite_find(&d, &fsa, 0, &small, &err), F2L_UNKNOWN);
    const f2l_task medium = {.memory = 8000};
    cr_assert_eq(build(&net, &fsa, &medium, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "register"), "%s", err.text);
    f2l_fsa_clear(&fsa);
    /* Too many contents: a cascade then. 24 letters in a chain whose letters only hurry or wait at the end. */
    enum { N = 24 };
    uint32_t next[2 * N];
    for (uint32_t q = 0; q < N; q++) {
        next[2 * q] = q + 1 < N ? q + 1 : q;
        next[2 * q + 1] = q + 2 < N ? q + 2 : N - 1;
    }
    make(&fsa, N, 2, next, NULL);
    cr_assert_eq(find(&fsa), N - 1);
    cr_assert_eq(build(&net, &fsa, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "23 letters of 2 classes"), "%s", err.text);
    compile(&c, &fsa);
    cr_assert_str_eq(c.result.theorem, "T4");
    cr_assert_str_eq(c.result.one_layer, "");
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(definite, running_out_of_memory_leaves_nothing)
{
    f2l_fsa fsa;
    f2l_net net;
    size_t n = 1;
    fsa_from_text(&fsa, "start s\ns a p\ns b q\np a p\np b q\nq a r\nq b q\nr a p\nr b q\n");
    f2l_net_init(&net);
    for (;; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = build(&net, &fsa, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
        cr_assert_eq(net.layers, 0);
    }
    cr_assert_gt(n, 20);
    f2l_net_clear(&net);
    compiled c;
    compiled_init(&c, F2L_LABEL_STATES);
    c.options.format[1] = NULL;
    for (n = 1;; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_compile(&c.result, &fsa, &c.options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
        cr_assert_eq(c.result.net.layers, 0);
    }
    cr_assert_str_eq(c.result.theorem, "K");
    f2l_compile_result_clear(&c.result);
    f2l_fsa_clear(&fsa);
}
#endif
