/* Weights of AT&T text. */
#include "automata/import/impl.h"
#include <string.h>

/* Returns the offset behind the digits at offset i. */
static size_t scan_digits(const char *text, size_t size, size_t i, bool *nonzero)
{
    for (; i < size && text[i] >= '0' && text[i] <= '9'; i++) *nonzero |= text[i] != '0';
    return i;
}

/* Returns what the text says if it is an infinity, else F2L_ATT_NO_WEIGHT. */
static f2l_att_weight weigh_infinity(const char *text, size_t size)
{
    static const char *const name[] = {"inf", "Inf", "INF", "Infinity", "infinity", "INFINITY"};
    const bool sign = size > 0 && (text[0] == '-' || text[0] == '+');
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strlen(name[i]) == size - sign && memcmp(name[i], text + sign, size - sign) == 0)
            return sign && text[0] == '-' ? F2L_ATT_WEIGHTED : F2L_ATT_IS_NOT;
    return F2L_ATT_NO_WEIGHT;
}

f2l_att_weight f2l_att_weigh(const char *text, size_t size)
{
    size_t i = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const f2l_att_weight infinity = weigh_infinity(text, size);
    if (infinity != F2L_ATT_NO_WEIGHT) return infinity;
    bool nonzero = false, ignored = false;
    size_t from = i;
    i = scan_digits(text, size, i, &nonzero);
    size_t digits = i - from;
    if (i < size && text[i] == '.') {
        from = i + 1;
        i = scan_digits(text, size, from, &nonzero);
        digits += i - from;
    }
    if (digits == 0) return F2L_ATT_NO_WEIGHT;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < size && (text[i] == '-' || text[i] == '+')) i++;
        from = i;
        i = scan_digits(text, size, i, &ignored);
        if (i == from) return F2L_ATT_NO_WEIGHT;
    }
    if (i != size) return F2L_ATT_NO_WEIGHT;
    return nonzero ? F2L_ATT_WEIGHTED : F2L_ATT_IS_THERE;
}
