/* Closure modulo powers of two on networks of two states, by hand. */
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/net_samples.h"
#include "theory/certify/projective/projective.h"

typedef struct closed {
    f2l_net net;
    f2l_fsa fsa;
    f2l_projective found;
} closed;

static void read_parity_automaton(f2l_fsa *fsa)
{
    fsa_from_text(fsa, "fsa 1\nletters 0 1\nstates even odd\nstart even\n"
                       "even 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n");
}

static void close_edited(closed *c, const char *from, const char *to, const char *schedule)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule row;
    char *text = sample_edited(SAMPLE_PARITY, from, to);
    f2l_net_init(&c->net);
    sample_read(&c->net, text);
    free(text);
    read_parity_automaton(&c->fsa);
    f2l_projective_init(&c->found);
    cr_assert_eq(f2l_schedule_parse(&row, name, schedule, NULL), F2L_OK);
    cr_assert_eq(f2l_projective_close(&c->found, &c->net, &c->fsa, f2l_format_find("bf16"), &row, 0,
                                      NULL, NULL),
                 F2L_OK);
}

static void clear_closed(closed *c)
{
    f2l_projective_clear(&c->found);
    f2l_fsa_clear(&c->fsa);
    f2l_net_clear(&c->net);
}

Test(projective, a_reflection_keeps_the_size)
{
    closed c;
    close_edited(&c, "on 1", "on 1", "serving,state=int8,scale=amax");
    cr_assert_eq(c.found.verdict, F2L_OK, "%s", c.found.reason);
    cr_assert_eq(c.found.rows, 2);
    cr_assert_eq(c.found.gain, F2L_GAIN_BOUNDED);
    cr_assert_eq(c.found.least, 0);
    cr_assert_eq(c.found.most, 0);
    clear_closed(&c);
}

/* With gate 1/2 the state has infinitely many values before it underflows, and two directions. */
Test(projective, a_gate_shrinks_the_state)
{
    closed c;
    close_edited(&c, "on 1 gate 1", "on 1 gate 1/2", "serving,state=int8,scale=amax");
    cr_assert_eq(c.found.verdict, F2L_OK, "%s", c.found.reason);
    cr_assert_eq(c.found.rows, 2);
    cr_assert_eq(c.found.gain, F2L_GAIN_SHRINKS);
    /* The size is 2^-t after t letters: the block becomes zeros, whose nearest code is no one's. */
    cr_assert_gt(c.found.wrong, 100);
    cr_assert_lt(c.found.wrong, 200);
    cr_assert_str_eq(c.found.got, "no code");
    cr_assert_eq(c.found.letters - c.found.prefix, 1);
    cr_assert_eq(c.found.power, -1);
    cr_assert(c.found.replayed);
    clear_closed(&c);
}

Test(projective, wrong_words_are_wrong_in_the_format_too)
{
    closed c;
    close_edited(&c, "factors 1\nfactor 2 u 1:1", "factors 1\nfactor 1/2 u 1:1",
                 "serving,state=int8,scale=pow2");
    cr_assert_eq(c.found.verdict, F2L_REFUTED, "%s", c.found.reason);
    cr_assert_eq(c.found.letters, 1);
    cr_assert_eq(c.found.word[0], 1);
    clear_closed(&c);
}

/* Each of these has an absolute unit, or several outcomes. */
Test(projective, what_does_not_commute_is_left_open)
{
    static const struct {
        const char *from, *to, *schedule, *reason;
    } open[] = {
        {"on 1", "on 1", "serving,state=int8", "few exponents and no scale"},
        {"on 1", "on 1", "serving,state=int8:stochastic,scale=amax", "stochastically"},
        {"on 1", "on 1", "serving,state=int8,scale=amax,residual=load", "residuals"},
        {"on 1", "on 1", "serving,state=int8,scale=amax,letters=2", "several letters"},
        {"on 1", "on 1", "serving,state=int8,scale=amax:e4m3", "scale's format has few exponents"},
        {"on 1", "on 1", "serving,state=bf16,scale=amax", "up to 65,536"},
        {"on 1", "on 1", "serving,operands=e4m3,state=int8,scale=amax", "exponents of fp32"},
        {"on 1", "on 1", "cast", "no sums"},
        {"u 1:1", "u 1:1 c 1:1", "serving,state=int8,scale=amax", "writes a value"},
        {"factors 1", "factors 1 bias 1.1:1", "serving,state=int8,scale=amax", "bias"},
        {"code 2 2 1.1:-1", "code 2 2 1.1:-2", "serving,state=int8,scale=amax", "several lengths"},
    };
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        closed c;
        close_edited(&c, open[i].from, open[i].to, open[i].schedule);
        cr_assert_eq(c.found.verdict, F2L_UNKNOWN, "%zu", i);
        cr_assert(strstr(c.found.reason, open[i].reason), "%zu: %s", i, c.found.reason);
        clear_closed(&c);
    }
}
