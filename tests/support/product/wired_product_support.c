#include "tests/support/product/wired_product_support.h"
#include "models/network/schedule/schedule.h"
#include "tests/support/automata/cascade_support.h"
#include <criterion/criterion.h>

void side_random(f2l_fsa *fsa, size_t factors, size_t most, size_t letters, f2l_rng *rng)
{
    size_t size[SIDE_MOST], n = 1;
    uint32_t table[SIDE_MOST][16][16];
    for (size_t i = 0; i < factors; i++) {
        n *= size[i] = 2 + f2l_rng_below(rng, most - 1);
        for (size_t a = 0; a < letters; a++) {
            const bool acts = f2l_rng_below(rng, 3) != 0;
            for (size_t q = 0; q < size[i]; q++)
                table[i][q][a] = (uint32_t)(acts ? f2l_rng_below(rng, size[i]) : q);
        }
    }
    table_init(fsa, n, letters);
    for (size_t e = 0; e < n * letters; e++) {
        size_t left = e / letters, unit = 1, to = 0;
        for (size_t i = 0; i < factors; i++) {
            to += unit * table[i][left % size[i]][e % letters];
            left /= size[i];
            unit *= size[i];
        }
        table_set(fsa, e / letters, e % letters, to);
    }
    cr_assert_eq(f2l_fsa_trim(fsa, &n, NULL), F2L_OK);
}

/* Fills part i. */
static void make_part(side_case *s, size_t i, bool compile)
{
    const f2l_compile_options options = {.label = F2L_LABEL_STATES};
    cr_assert_eq(f2l_fsa_quotient(&s->quotient[i], &s->fsa, s->subdirect.class_of[i],
                                  s->subdirect.classes[i], false, false, NULL, &s->err),
                 F2L_OK);
    if (compile)
        cr_assert_eq(f2l_compile(&s->built[i], &s->quotient[i], &options, NULL, &s->err), F2L_OK,
                     "%s", s->err.text);
    cr_assert_eq(f2l_wired_part_make(&s->part[i], &s->built[i], &s->quotient[i], NULL, &s->err),
                 F2L_OK, "%s", s->err.text);
}

bool side_take_apart(side_case *s, bool compile)
{
    f2l_net_init(&s->net);
    s->division = (f2l_division){0};
    f2l_subdirect_init(&s->subdirect);
    for (size_t i = 0; i < SIDE_MOST; i++) {
        f2l_fsa_init(&s->quotient[i]);
        f2l_compile_result_init(&s->built[i]);
        s->part[i] = (f2l_wired_part){0};
    }
    if (s->fsa.states.count < 2 || f2l_subdirect_find(&s->subdirect, &s->fsa, NULL, NULL) != F2L_OK)
        return false;
    if (s->subdirect.parts > SIDE_MOST) return false;
    for (size_t i = 0; i < s->subdirect.parts; i++) make_part(s, i, compile);
    return true;
}

f2l_status side_build(side_case *s, f2l_label label, const f2l_task *task)
{
    f2l_wired_factor factor[SIDE_MOST];
    for (size_t i = 0; i < s->subdirect.parts; i++)
        factor[i] = (f2l_wired_factor){s->part[i].net, s->part[i].letter_of,
                                       s->subdirect.class_of[i], s->part[i].claim};
    f2l_status status = f2l_wired_product_build(&s->net, &s->division, &s->fsa, label, factor,
                                                s->subdirect.parts, task, &s->err);
    return status == F2L_OK ? f2l_fsa_sha256(&s->fsa, s->net.fsa_sha256, &s->err) : status;
}

f2l_status side_verify(side_case *s, const char *format)
{
    f2l_form_verdict verdict;
    cr_assert_eq(f2l_product_verify(&verdict, &s->net, &s->division, &s->fsa, false,
                                    format ? f2l_format_find(format) : NULL,
                                    format ? f2l_schedule_find("every") : NULL, NULL, &s->err),
                 F2L_OK, "%s", s->err.text);
    snprintf(s->err.text, sizeof s->err.text, "%s", verdict.reason);
    return verdict.verdict;
}

void side_clear(side_case *s)
{
    for (size_t i = 0; i < SIDE_MOST; i++) {
        f2l_wired_part_clear(&s->part[i]);
        f2l_compile_result_clear(&s->built[i]);
        f2l_fsa_clear(&s->quotient[i]);
    }
    f2l_net_clear(&s->net);
    f2l_division_clear(&s->division);
    f2l_subdirect_clear(&s->subdirect);
    f2l_fsa_clear(&s->fsa);
}
