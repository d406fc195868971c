#include "numeric/base/mem.h"
#include "tests/support/automata/cascade_cases.h"
#include "tests/support/automata/cascade_support.h"

#define ANCHORS "tests/golden/cascade-anchors.txt"

/* Counts the sets Qw for all words w, by a list searched from the start (at most 64 states). */
static size_t images(const f2l_fsa *fsa)
{
    size_t n = fsa->states.count, k = fsa->letters.count, count = 1;
    uint64_t *list = calloc(4096, sizeof *list);
    list[0] = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    for (size_t head = 0; head < count; head++)
        for (size_t a = 0; a < k; a++) {
            uint64_t image = 0;
            for (size_t q = 0; q < n; q++)
                if (list[head] >> q & 1) image |= UINT64_C(1) << fsa->next[q * k + a];
            size_t at = 0;
            while (at < count && list[at] != image) at++;
            if (at == count) list[count++] = image;
            cr_assert_lt(count, 4096);
        }
    free(list);
    return count;
}

/* Counts the chains from Q down to singletons; covers have larger levels, so levels from the top
 * count up. */
static uint64_t chains(const f2l_cascade *c)
{
    uint64_t *below = calloc(c->sets.count, sizeof *below);
    for (size_t l = c->levels + 1; l > 0; l--)
        for (size_t x = 0; x < c->sets.count; x++) {
            if (c->lambda[x] != l) continue;
            below[x] = c->sets.size[x] == 1;
            for (size_t i = 0; i < c->cover_count[x]; i++)
                below[x] += below[c->cover[c->cover_at[x] + i]];
        }
    uint64_t all = below[0];
    free(below);
    return all;
}

static void widths(char *out, size_t size, const f2l_cascade *c)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t l = 0; l < c->levels; l++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", l ? "," : "", c->level[l].width);
}

/* Compares a cascade with one half of a line of anchors: KIND LEVELS CONTEXTS WIDTHS. */
static void compare(FILE *anchors, const char *name, const f2l_cascade *c)
{
    char kind[16], expected[256], found[256];
    size_t levels, contexts;
    f2l_cascade_size size;
    cr_assert_eq(fscanf(anchors, "%15s %zu %zu %255s", kind, &levels, &contexts, expected), 4, "%s",
                 name);
    f2l_cascade_measure(&size, c);
    widths(found, sizeof found, c);
    cr_assert_str_eq(kind, f2l_cascade_kind_name(c->kind));
    cr_assert_eq(size.levels, levels, "%s %s: %zu levels", name, kind, size.levels);
    cr_assert_eq(size.contexts, contexts, "%s %s: %zu contexts", name, kind, size.contexts);
    cr_assert_str_eq(found, expected, "%s %s: widths %s", name, kind, found);
}

Test(cascade, the_families_have_their_known_sizes)
{
    char name[64], anchor[64], chain_text[32];
    size_t image_count, count = 0;
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 60, 0); /* the seed */
    FILE *in = fopen(FAMILIES, "r"), *anchors = fopen(ANCHORS, "r");
    cr_assert(in && anchors, "run from the top folder");
    skip_comments(anchors);
    for (; table_read(&fsa, name, in); count++) {
        f2l_cascade c;
        cr_assert_eq(fscanf(anchors, "%63s %zu %31s", anchor, &image_count, chain_text), 3);
        cr_assert_str_eq(anchor, name);
        cr_assert_eq(images(&fsa), image_count, "%s", name);
        build(&c, &fsa, F2L_CASCADE_HOLONOMY);
        compare(anchors, name, &c);
        if (strcmp(chain_text, "-"))
            cr_assert_eq(chains(&c), strtoull(chain_text, NULL, 10), "%s", name);
        cr_assert_eq(disagreements(&c, 10, 100, &rng), 0, "%s", name);
        f2l_cascade_clear(&c);
        build(&c, &fsa, F2L_CASCADE_CAPPED);
        compare(anchors, name, &c);
        cr_assert_eq(disagreements(&c, 10, 100, &rng), 0, "%s", name);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
    cr_assert_eq(count, 57);
    fclose(in);
    fclose(anchors);
}

Test(cascade, zeiger_always_drops_one_point)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 3, 0); /* the seed */
    for (size_t n = 1; n <= 9; n++) {
        f2l_cascade c;
        table_random(&fsa, n, 3, &rng);
        build(&c, &fsa, F2L_CASCADE_ZEIGER);
        cr_assert_eq(c.levels, n - 1);
        cr_assert_eq(c.sets.count, ((size_t)1 << n) - 1);
        for (size_t l = 0; l < c.levels; l++) cr_assert_eq(c.level[l].width, n - l);
        cr_assert_eq(disagreements(&c, 5, 200, &rng), 0);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

Test(cascade, one_state_needs_no_level)
{
    for (int kind = 0; kind < 3; kind++) {
        f2l_fsa fsa;
        f2l_cascade c;
        uint32_t none[1] = {7};
        table_init(&fsa, 1, 2);
        build(&c, &fsa, (f2l_cascade_kind)kind);
        cr_assert_eq(c.levels, 0);
        f2l_cascade_encode(&c, 0, none);
        f2l_cascade_step(&c, 1, none);
        cr_assert_eq(f2l_cascade_decode(&c, none), 0);
        cr_assert_eq(none[0], 7, "there are no coordinates to write");
        f2l_cascade_clear(&c);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

/* Makes an automaton of one letter: a tail of `tail` states that leads into a cycle. */
static void rho(f2l_fsa *fsa, size_t tail, size_t cycle)
{
    table_init(fsa, tail + cycle, 1);
    for (size_t q = 0; q < tail + cycle; q++)
        table_set(fsa, q, 0, q + 1 < tail + cycle ? q + 1 : tail);
}

Test(cascade, one_letter)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 4, 0); /* the seed */
    for (size_t tail = 0; tail < 5; tail++)
        for (size_t cycle = 1; cycle < 5; cycle++)
            for (int kind = 0; kind < 3; kind++) {
                f2l_fsa fsa;
                f2l_cascade c;
                rho(&fsa, tail, cycle);
                build(&c, &fsa, (f2l_cascade_kind)kind);
                cr_assert_eq(disagreements(&c, 10, 30, &rng), 0, "%zu + %zu, %d", tail, cycle,
                             kind);
                if (kind != F2L_CASCADE_HOLONOMY) cr_assert_leq(c.levels, tail + cycle - 1);
                f2l_cascade_clear(&c);
                f2l_fsa_clear(&fsa);
            }
}

/* Makes a bounded counter with `extra` letters that permute nothing. */
static void counter(f2l_fsa *fsa, size_t states)
{
    table_init(fsa, states, 2);
    for (size_t q = 0; q < states; q++) {
        table_set(fsa, q, 0, q + 1 < states ? q + 1 : q);
        table_set(fsa, q, 1, q ? q - 1 : 0);
    }
}

static void cycle_and_reset(f2l_fsa *fsa, size_t states)
{
    table_init(fsa, states, 2);
    for (size_t q = 0; q < states; q++) table_set(fsa, q, 0, (q + 1) % states);
}

Test(cascade, more_states_than_a_word_has_bits)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0); /* the seed */
    for (size_t n = 63; n <= 130; n += n == 65 ? 63 : 1) {
        for (int kind = 0; kind < 2; kind++) {
            f2l_fsa fsa;
            f2l_cascade c;
            counter(&fsa, n);
            build(&c, &fsa, (f2l_cascade_kind)kind);
            cr_assert_eq(c.levels, n - 1);
            cr_assert_eq(disagreements(&c, 5, 300, &rng), 0);
            f2l_cascade_clear(&c);
            f2l_fsa_clear(&fsa);
            cycle_and_reset(&fsa, n);
            build(&c, &fsa, (f2l_cascade_kind)kind);
            cr_assert_eq(c.levels, 1);
            cr_assert_eq(c.level[0].width, n);
            cr_assert_eq(c.level[0].reflections, n - 1);
            cr_assert_eq(disagreements(&c, 5, 300, &rng), 0);
            f2l_cascade_clear(&c);
            f2l_fsa_clear(&fsa);
        }
    }
}

Test(cascade, ten_thousand_states)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 6, 0); /* the seed */
    for (int kind = 0; kind < 2; kind++) {
        f2l_fsa fsa;
        f2l_cascade c;
        cycle_and_reset(&fsa, 10000);
        build(&c, &fsa, (f2l_cascade_kind)kind);
        cr_assert_eq(c.levels, 1);
        cr_assert_eq(disagreements(&c, 2, 100, &rng), 0);
        f2l_cascade_clear(&c);
        f2l_fsa_clear(&fsa);
    }
}

static void refuses(const f2l_fsa *fsa, f2l_cascade_kind kind, size_t max_sets,
                    const f2l_task *task, const char *text)
{
    f2l_error err = {0};
    f2l_cascade c;
    cr_assert_eq(f2l_cascade_build(&c, fsa, kind, max_sets, task, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, text), "%s: %s", f2l_cascade_kind_name(kind), err.text);
    cr_assert_null(c.level, "cleared");
    cr_assert_null(c.image);
    f2l_cascade_clear(&c);
}

Test(cascade, limits_are_named)
{
    f2l_fsa fsa;
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop}, late = {.deadline = 1e-9}, small = {.memory = 3000};
    family(&fsa, "T10");
    for (int kind = 0; kind < 3; kind++) {
        char text[80];
        snprintf(text, sizeof text, "the %s cascade passed its limit of 100 subsets",
                 f2l_cascade_kind_name((f2l_cascade_kind)kind));
        refuses(&fsa, (f2l_cascade_kind)kind, 100, NULL, text);
        refuses(&fsa, (f2l_cascade_kind)kind, 0, &small, "memory limit reached");
    }
    f2l_fsa_clear(&fsa);
    counter(&fsa, 500); /* large enough for every phase to poll */
    refuses(&fsa, F2L_CASCADE_HOLONOMY, 0, &cancelled, "interrupted");
    refuses(&fsa, F2L_CASCADE_CAPPED, 0, &cancelled, "interrupted");
    refuses(&fsa, F2L_CASCADE_ZEIGER, 0, &cancelled, "interrupted");
    refuses(&fsa, F2L_CASCADE_CAPPED, 0, &late, "time limit reached");
    refuses(&fsa, F2L_CASCADE_ZEIGER, 1000, NULL,
            "the zeiger cascade passed its limit of 1000 "
            "subsets");
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
static void fails_cleanly(const char *name, f2l_cascade_kind kind)
{
    f2l_fsa fsa;
    f2l_cascade c;
    family(&fsa, name);
    for (int forever = 0; forever < 2; forever++)
        for (size_t n = 1;; n++) {
            f2l_mem_fail_after(n, forever);
            f2l_status status = f2l_cascade_build(&c, &fsa, kind, 0, NULL, NULL);
            f2l_mem_fail_after(0, false);
            if (status == F2L_OK) {
                cr_assert_gt(n, 20);
                f2l_cascade_clear(&c);
                break;
            }
            cr_assert_eq(status, F2L_ENOMEM, "%s, allocation %zu: %s", name, n,
                         f2l_status_name(status));
            cr_assert_null(c.level);
        }
    f2l_fsa_clear(&fsa);
}
#endif

Test(cascade, memory_failures_leave_nothing)
{
#ifdef F2L_MEM_FAILURES
    for (int kind = 0; kind < 3; kind++) {
        fails_cleanly("BECKS", (f2l_cascade_kind)kind);
        fails_cleanly("DEEP4", (f2l_cascade_kind)kind);
        fails_cleanly("TOMITA3", (f2l_cascade_kind)kind);
    }
#endif
}

Test(cascade, equal_input_gives_equal_tables)
{
    f2l_fsa fsa;
    f2l_rng rng;
    f2l_rng_init(&rng, 8, 0); /* the seed */
    for (int kind = 0; kind < 3; kind++) {
        f2l_cascade a, b;
        table_random(&fsa, 8, 3, &rng);
        build(&a, &fsa, (f2l_cascade_kind)kind);
        build(&b, &fsa, (f2l_cascade_kind)kind);
        cr_assert_eq(a.sets.count, b.sets.count);
        cr_assert_eq(memcmp(a.sets.bits, b.sets.bits, a.sets.count * sizeof *a.sets.bits), 0);
        cr_assert_eq(memcmp(a.lambda, b.lambda, a.sets.count * sizeof *a.lambda), 0);
        cr_assert_eq(a.levels, b.levels);
        for (size_t l = 0; l < a.levels; l++) {
            cr_assert_eq(a.level[l].contexts, b.level[l].contexts);
            cr_assert_eq(a.level[l].nexts, b.level[l].nexts);
            cr_assert_eq(
                memcmp(a.level[l].next, b.level[l].next, a.level[l].nexts * sizeof(uint32_t)), 0);
        }
        f2l_cascade_clear(&a);
        f2l_cascade_clear(&b);
        f2l_fsa_clear(&fsa);
    }
}
