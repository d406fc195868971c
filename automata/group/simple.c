#include "automata/group/impl.h"
#include <flint/ulong_extras.h>
#include <stdio.h>

size_t f2l_exact_log(size_t n, size_t base)
{
    const int k = n_remove(&n, base);
    return n == 1 ? (size_t)k : 0;
}

size_t f2l_prime_of_power(size_t n)
{
    n_factor_t factors;
    n_factor_init(&factors);
    n_factor(&factors, n, 1);
    return factors.num == 1 ? factors.p[0] : 0;
}

/* The simple groups of order below 10^6 other than PSL(2,q) with q = 7, 8 and q > 10. */
static const struct {
    size_t order;
    const char *name;
} others[] = {
    {60, "A_5"},        {360, "A_6"},         {2520, "A_7"},        {5616, "PSL(3,3)"},
    {6048, "PSU(3,3)"}, {7920, "M_11"},       {20160, "A_8"},       {25920, "PSp(4,3)"},
    {29120, "Sz(8)"},   {62400, "PSU(3,4)"},  {95040, "M_12"},      {126000, "PSU(3,5)"},
    {175560, "J_1"},    {181440, "A_9"},      {372000, "PSL(3,5)"}, {443520, "M_22"},
    {604800, "J_2"},    {979200, "PSp(4,4)"},
};

bool f2l_simple_name(char *name, size_t size, size_t order, bool six)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].order == order) {
            snprintf(name, size, "%s", order == 20160 && !six ? "PSL(3,4)" : others[i].name);
            return true;
        }
    for (size_t q = 7; q <= 125; q++) /* PSL(2,9) is A_6; 127 gives 1,024,128 */
        if (f2l_prime_of_power(q) && q * (q * q - 1) / (q % 2 ? 2 : 1) == order) {
            snprintf(name, size, "PSL(2,%zu)", q);
            return true;
        }
    return false;
}
