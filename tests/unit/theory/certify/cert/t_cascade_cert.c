/* Certificates of cascades as text: one golden, one read back number by number, and cascades that
 * get none. */
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "tests/support/theory/local_support.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct fixture {
    local_fixture f;
    f2l_buf text;
    char network[65];
} fixture;

static void verify(fixture *x)
{
    f2l_buf_init(&x->text);
    f2l_sha256_hex("network", 7, x->network);
    cr_assert_eq(local_exact(&x->f), F2L_OK, "%s", x->f.err.text);
    cr_assert_eq(x->f.local.verdict, F2L_OK, "%s", x->f.local.reason);
}

/* Makes the automaton of all maps of n states. */
static void open_all(fixture *x, uint64_t n, bool gated)
{
    local_family(&x->f.fsa, "transformations", 1, n, 0, 0);
    local_build(&x->f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, gated);
    verify(x);
}

static void done(fixture *x)
{
    f2l_buf_clear(&x->text);
    local_clear(&x->f);
}

/* Networks as they are built, where each context has a letter of its own. */
static const f2l_local_reading plain = {NULL, NULL, NULL};

static f2l_status write(fixture *x)
{
    f2l_buf_clear(&x->text);
    return f2l_cascade_cert_write(&x->text, &x->f.net, &x->f.cascade, &x->f.local, &plain,
                                  &x->f.fsa, NULL, x->network, &x->f.err);
}

/* Checks that the text before the last line is `body` with the two hashes filled in, and that the
 * last line is its hash. */
static void check_text(const fixture *x, const char *body)
{
    f2l_buf expected;
    f2l_buf_init(&expected);
    f2l_buf_printf(&expected, "lrnn-certificate 2\nfsa %s\nnetwork %s\nclaim cascade\n%s",
                   x->f.net.fsa_sha256, x->network, body);
    char hex[65];
    f2l_sha256_hex(expected.data, expected.size, hex);
    f2l_buf_printf(&expected, "sha256 %s\n", hex);
    cr_assert_str_eq(x->text.data, expected.data);
    f2l_buf_clear(&expected);
}

Test(cascade_cert, flip_flop)
{
    fixture x;
    fsa_from_text(&x.f.fsa, "letters set reset keep\n"
                            "start off\n"
                            "off set on\n"
                            "on set on\n"
                            "off reset off\n"
                            "on reset off\n"
                            "off keep off\n"
                            "on keep on\n");
    local_build(&x.f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    verify(&x);
    cr_assert_eq(write(&x), F2L_OK);
    check_text(&x, "size layers 1 heads 1 householders 1 key 1 value 1\n"
                   "letters 3 states 2 sets 3 levels 1\n"
                   "set 1 level 1 members 1 2 cover 2 3\n"
                   "set 2 level 2 members 2\n"
                   "set 3 level 2 members 1\n"
                   "level 1 layers 1 contexts 3 pairs 2\n"
                   "context 1 letter 1 from 1 to 1\n"
                   "context 2 letter 2 from 1 to 1\n"
                   "context 3 letter 3 from 1 to 1\n"
                   "pair 1 set 1 codes 1 next 2 1 1\n"
                   "pair 2 set 1 codes 2 next 2 1 2\n"
                   "start 1\n"
                   "end 3\n");
    done(&x);
}

/* Moves *at behind `word` and a blank before it, if the text has them there. */
static bool word(const char **at, const char *expected)
{
    const size_t n = strlen(expected);
    const char *text = *at + (**at == ' ');
    if (strncmp(text, expected, n) != 0) return false;
    *at = text + n;
    return true;
}

static size_t number(const char **at)
{
    char *end;
    const size_t value = strtoul(*at, &end, 10);
    cr_assert_neq(end, *at, "a number at: %.40s", *at);
    *at = end;
    return value;
}

/* Checks level l (0-based) and moves *at behind it; id: set numbers of the text. */
static void check_level(const fixture *x, const char **at, const uint32_t *id, size_t l)
{
    const f2l_level *level = &x->f.cascade.level[l];
    const f2l_local_level *table = &x->f.local.level[l];
    cr_assert(word(at, "\nlevel") && number(at) == l + 1 && word(at, "layers"));
    cr_assert(number(at) == x->f.report.layers[l] && table->layers == x->f.report.layers[l]);
    cr_assert(word(at, "contexts") && number(at) == level->contexts);
    cr_assert(word(at, "pairs") && number(at) == table->pairs);
    for (size_t i = 0; i < level->contexts; i++) {
        const f2l_context *context = &level->context[i];
        cr_assert(word(at, "\ncontext") && number(at) == i + 1 && word(at, "letter"));
        cr_assert_eq(number(at), context->letter + 1);
        cr_assert(word(at, "from") && id[number(at)] == context->from);
        cr_assert(word(at, "to") && id[number(at)] == context->to);
    }
    for (size_t p = 0; p < table->pairs; p++) {
        cr_assert(word(at, "\npair") && number(at) == p + 1);
        cr_assert(word(at, "set") && id[number(at)] == table->set[p]);
        cr_assert(word(at, "codes"));
        for (size_t i = 0; i < table->layers; i++)
            cr_assert_eq(number(at), table->code[p * table->layers + i] + 1);
        cr_assert(word(at, "next"));
        for (size_t i = table->next_at[p]; i < table->next_at[p + 1]; i++)
            cr_assert_eq(number(at), table->next[i] + 1);
    }
}

/* Checks T_4 with three levels: the text agrees with the cascade and the tables. */
static void check_everything(bool gated)
{
    fixture x;
    open_all(&x, 4, gated);
    cr_assert_eq(x.f.report.delays, gated ? 2 : 0);
    cr_assert_eq(write(&x), F2L_OK);
    const f2l_cascade *c = &x.f.cascade;
    const char *at = strstr(x.text.data, "letters 3 states 4 sets ");
    uint32_t id[64];
    cr_assert_not_null(at);
    at += strlen("letters 3 states 4 sets ");
    const size_t sets = number(&at);
    cr_assert_eq(sets, 15);
    cr_assert(word(&at, "levels") && number(&at) == 3);
    /* Sets are identified by their members. */
    for (size_t i = 1; i <= sets; i++) {
        uint64_t members = 0;
        cr_assert(word(&at, "\nset") && number(&at) == i && word(&at, "level"));
        const size_t level = number(&at);
        cr_assert(word(&at, "members"));
        while (at[1] >= '0' && at[1] <= '9') members |= UINT64_C(1) << (number(&at) - 1);
        id[i] = f2l_subsets_find(&c->sets, &members);
        cr_assert_neq(id[i], F2L_NO_SET);
        cr_assert_eq(c->lambda[id[i]], level);
        if (word(&at, "cover"))
            while (*at == ' ') number(&at);
    }
    cr_assert_eq(id[1], 0);
    for (size_t l = 0; l < 3; l++) check_level(&x, &at, id, l);
    cr_assert(word(&at, "\nstart 1 1 1\nend 15\nsha256 "));
    cr_assert_eq(strlen(at), 65);
    done(&x);
}

Test(cascade_cert, everything_is_in_it)
{
    check_everything(false);
    check_everything(true);
}

/* The network is built on two classes, and the certificate names the states of automaton.fsa. */
Test(cascade_cert, sets_are_preimages)
{
    static const uint32_t classes[] = {0, 1, 0};
    fixture x;
    f2l_fsa original;
    fsa_from_text(&original, "letters a b\n"
                             "states p q r\n"
                             "start p\n"
                             "output p x\n"
                             "output q y\n"
                             "output r x\n"
                             "p a q\n"
                             "q a q\n"
                             "r a q\n"
                             "p b r\n"
                             "q b p\n"
                             "r b p\n");
    fsa_from_text(&x.f.fsa, "letters a b\n"
                            "start p\n"
                            "output p x\n"
                            "output q y\n"
                            "p a q\n"
                            "q a q\n"
                            "p b p\n"
                            "q b p\n");
    local_build(&x.f, F2L_CASCADE_CAPPED, F2L_LABEL_OUTPUTS, false);
    verify(&x);
    cr_assert_eq(f2l_cascade_cert_write(&x.text, &x.f.net, &x.f.cascade, &x.f.local, &plain,
                                        &original, classes, x.network, &x.f.err),
                 F2L_OK, "%s", x.f.err.text);
    check_text(&x, "size layers 1 heads 1 householders 1 key 1 value 1\n"
                   "letters 2 states 3 sets 3 levels 1\n"
                   "set 1 level 1 members 1 2 3 cover 3 2\n"
                   "set 2 level 2 members 2\n"
                   "set 3 level 2 members 1 3\n"
                   "level 1 layers 1 contexts 2 pairs 2\n"
                   "context 1 letter 1 from 1 to 1\n"
                   "context 2 letter 2 from 1 to 1\n"
                   "pair 1 set 1 codes 1 next 2 1\n"
                   "pair 2 set 1 codes 2 next 2 1\n"
                   "start 1\n"
                   "end 3\n");
    f2l_buf_clear(&x.text);
    cr_assert_eq(f2l_cascade_cert_write(&x.text, &x.f.net, &x.f.cascade, &x.f.local, &plain,
                                        &original, NULL, x.network, &x.f.err),
                 F2L_EDOMAIN);
    f2l_fsa_clear(&original);
    done(&x);
}

/* Unreachable points are states of the file, so the first set has them too. */
Test(cascade_cert, unreachable_points)
{
    static const uint32_t classes[] = {UINT32_MAX, 0, 1};
    fixture x;
    f2l_fsa original;
    fsa_from_text(&original, "points 3\ntrack points 2\npermute a (2 3)\n");
    fsa_from_text(&x.f.fsa, "letters a\nstates 2 3\nstart 2\n2 a 3\n3 a 2\n");
    local_build(&x.f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, false);
    verify(&x);
    cr_assert_eq(f2l_cascade_cert_write(&x.text, &x.f.net, &x.f.cascade, &x.f.local, &plain,
                                        &original, classes, x.network, &x.f.err),
                 F2L_OK, "%s", x.f.err.text);
    cr_assert_not_null(
        strstr(x.text.data, "\nset 1 level 1 members 1 2 3 cover 2 3\nset 2 level 2 members 2\n"));
    f2l_fsa_clear(&original);
    done(&x);
}

Test(cascade_cert, only_what_is_verified_gets_one)
{
    fixture x;
    open_all(&x, 3, true);
    cr_assert_eq(local_exact_within(&x.f, 1, NULL), F2L_OK);
    cr_assert_eq(write(&x), F2L_EDOMAIN);
    cr_assert_eq(local_in(&x.f, "bf16"), F2L_OK);
    cr_assert_eq(x.f.local.verdict, F2L_OK);
    cr_assert_eq(write(&x), F2L_EDOMAIN);
    cr_assert_eq(x.text.size, 0);
    done(&x);
}

#ifdef F2L_MEM_FAILURES
Test(cascade_cert, running_out_of_memory_is_reported)
{
    fixture x;
    open_all(&x, 3, true);
    for (size_t n = 1;; n++) {
        f2l_mem_fail_after(n, false);
        f2l_status status = write(&x);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        cr_assert_eq(status, F2L_ENOMEM);
    }
    done(&x);
}
#endif
