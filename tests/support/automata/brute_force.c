#include "tests/support/automata/brute_force.h"

bool brute_force_is_short(void)
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return getenv("F2L_TEST_SHORT") != NULL;
#endif
}

bool brute_force_is_whole(void)
{
    return !brute_force_is_short() && getenv("F2L_TEST_WHOLE") != NULL;
}

size_t brute_force_share(size_t count)
{
    return brute_force_is_short() ? count / 10 : brute_force_is_whole() ? count : count * 3 / 10;
}

size_t brute_force(uint64_t seed, brute_force_test *test, void *context)
{
    const bool less = brute_force_is_short();
    const size_t random = brute_force_share(10000);
    char what[64];
    f2l_fsa fsa;
    f2l_rng rng;
    for (size_t n = 1; n <= 3; n++) {
        size_t tables = 1;
        for (size_t i = 0; i < 2 * n; i++) tables *= n;
        f2l_rng_init(&rng, seed, n);
        for (size_t code = 0; code < tables; code += less && n == 3 ? 10 : 1) {
            size_t rest = code;
            table_init(&fsa, n, 2);
            for (size_t i = 0; i < 2 * n; i++, rest /= n) fsa.next[i] = (uint32_t)(rest % n);
            snprintf(what, sizeof what, "table %zu of %zu states", code, n);
            test(&fsa, what, &rng, context);
            f2l_fsa_clear(&fsa);
        }
    }
    for (size_t i = 0; i < random; i++) {
        f2l_rng_init(&rng, seed, 1000 + i);
        table_random(&fsa, 4 + i % 7, 2, &rng);
        snprintf(what, sizeof what, "seed %llu, stream %zu", (unsigned long long)seed, 1000 + i);
        test(&fsa, what, &rng, context);
        f2l_fsa_clear(&fsa);
    }
    return random;
}
