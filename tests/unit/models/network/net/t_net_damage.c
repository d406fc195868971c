#include "numeric/base/mem.h"
#include "tests/support/models/net_support.h"

static void refuse_truncations(const char *sample)
{
    const size_t size = strlen(sample);
    f2l_error err;
    for (size_t n = 0; n < size; n++) {
        char *exact = malloc(n + 1); /* no byte after the text, so that the sanitizer sees reading
                                        past its end */
        char *copy = realloc(exact, n == 0 ? 1 : n);
        memcpy(copy, sample, n);
        cr_assert(read_status(copy, n, &err) == F2L_EFORMAT && err.line > 0, "%zu bytes", n);
        free(copy);
    }
}

Test(net_damage, every_truncation_is_refused)
{
    refuse_truncations(SAMPLE_FLIPFLOP);
    refuse_truncations(SAMPLE_PARTS);
    refuse_truncations(SAMPLE_FIELD);
}

static size_t changed_bytes(char *text, size_t runs, const char *alphabet, uint64_t seed)
{
    const size_t size = strlen(text);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    size_t accepted = 0;
    for (size_t i = 0; i < runs; i++) {
        size_t at = f2l_rng_below(&rng, size);
        char old = text[at];
        text[at] = f2l_rng_below(&rng, 2) ? alphabet[f2l_rng_below(&rng, strlen(alphabet))]
                                          : (char)f2l_rng_below(&rng, 256);
        f2l_net net;
        f2l_net_init(&net);
        if (f2l_net_read(&net, text, size, NULL) == F2L_OK) {
            char *again = text_of(&net);
            cr_assert(memcmp(again, text, size + 1) == 0, "seed %lu, mutation %zu",
                      (unsigned long)seed, i);
            free(again);
            accepted++;
        }
        f2l_net_clear(&net);
        text[at] = old;
    }
    return accepted;
}

Test(net_damage, a_changed_byte_is_refused_or_means_itself)
{
    char text[] = SAMPLE_FLIPFLOP, field[] = SAMPLE_FIELD;
    size_t accepted = changed_bytes(text, 20000, "0123456789 \n./:;-", 72);
    cr_assert(accepted > 100 && accepted < 19000, "%zu accepted", accepted);
    accepted = changed_bytes(field, 20000, "0123456789 \n./:;-,", 74);
    cr_assert(accepted > 100 && accepted < 19000, "%zu accepted", accepted);
}

#ifdef F2L_MEM_FAILURES
/* Reads the text with the first, the second, .. allocation failing until none fails; returns the
 * number of failures. */
static size_t failed_readings(const char *text)
{
    f2l_error err;
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = read_status(text, strlen(text), &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    return failures;
}

Test(net_damage, reading_parts_survives_every_failed_allocation)
{
    cr_assert(failed_readings(SAMPLE_PARTS) > 50);
}

Test(net_damage, reading_biases_survives_every_failed_allocation)
{
    cr_assert(failed_readings(SAMPLE_RAW) > 30);
}

Test(net_damage, reading_fields_survives_every_failed_allocation)
{
    cr_assert(failed_readings(SAMPLE_FIELD) > 60);
}

Test(net_damage, survives_every_failed_allocation)
{
    f2l_net net;
    f2l_error err;
    sample_s3_layers(&net);
    char *text = text_of(&net);
    cr_assert(failed_readings(text) > 100);
    for (size_t n = 1, last = 0; last + 1 == n; n++) {
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_net_write(&out, &net, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (status == F2L_OK && strcmp(out.data, text) == 0));
        if (status == F2L_ENOMEM) last = n;
        f2l_buf_clear(&out);
    }
    free(text);
    f2l_net_clear(&net);
}
#endif
