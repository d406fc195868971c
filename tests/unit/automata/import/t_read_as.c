/* --read-as: its text, and what a format lets it say. */
#include "automata/import/labels.h"
#include "tests/support/automata/import_support.h"
#include <criterion/criterion.h>
#include <string.h>

static f2l_status parse(f2l_read_as *as, const char *text, f2l_error *err)
{
    *as = (f2l_read_as){0};
    return f2l_read_as_parse(as, text, err);
}

Test(read_as, text)
{
    static const struct {
        const char *text;
        size_t column;
    } bad[] = {{"", 1},
               {"sets", 1},
               {"labels=", 8},
               {"labels=default", 8},
               {"labels=set", 8},
               {"labels=sets,", 13},
               {"labels=sets,labels=letters", 13},
               {"epsilon=a,,epsilon=b", 11},
               {"epsilon", 1},
               {"epsilon=a,labels=x", 18}};
    f2l_read_as as;
    f2l_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(parse(&as, bad[i].text, &err), F2L_EFORMAT, "%s", bad[i].text);
        cr_assert_eq(err.column, bad[i].column, "%s: %zu", bad[i].text, err.column);
    }
    cr_assert_eq(parse(&as, "epsilon=i,labels=pairs,epsilon=tau", &err), F2L_OK);
    cr_assert(as.labels == F2L_LABELS_PAIRS && as.names_epsilon && as.epsilon.count == 2);
    f2l_read_as_clear(&as);
    cr_assert_eq(parse(&as, "epsilon=", &err), F2L_OK);
    cr_assert(as.names_epsilon && as.epsilon.count == 0);
    f2l_read_as_clear(&as);
}

/* Every name of the empty word is the format's own, the user's, or refused. */
Test(read_as, epsilon)
{
    static const char *const own[] = {"@0@", NULL};
    f2l_read_as as;
    f2l_error err;
    bool epsilon;
    cr_assert_eq(f2l_import_epsilon(&epsilon, NULL, "@0@", 3, own, 1, 1, &err), F2L_OK);
    cr_assert(epsilon);
    cr_assert_eq(f2l_import_epsilon(&epsilon, NULL, "x", 1, own, 1, 1, &err), F2L_OK);
    cr_assert(!epsilon);
    cr_assert_eq(f2l_import_epsilon(&epsilon, NULL, "eps", 3, own, 4, 5, &err), F2L_EFORMAT);
    cr_assert(err.line == 4 && err.column == 5 && strstr(err.text, "--read-as epsilon=eps"));
    cr_assert_eq(parse(&as, "epsilon=eps", &err), F2L_OK);
    cr_assert_eq(f2l_import_epsilon(&epsilon, &as, "eps", 3, own, 1, 1, &err), F2L_OK);
    cr_assert(epsilon);
    cr_assert_eq(f2l_import_epsilon(&epsilon, &as, "@0@", 3, own, 1, 1, &err), F2L_OK);
    cr_assert(!epsilon);
    cr_assert_eq(f2l_import_epsilon(&epsilon, &as, "", 0, own, 1, 1, &err), F2L_OK);
    cr_assert(epsilon, "an empty label is the empty word");
    f2l_read_as_clear(&as);
}

/* A reader obeys a setting, or refuses it. */
Test(read_as, every_format)
{
    static const char *const fsa = "start s\ns a s\n", *const att = "0\t0\t[a-c]\n0\n",
                             *const gap = "[ Transformation( [ 2, 1 ] ) ]\n",
                             *const hoa = "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY--\n"
                                          "State: 0 [t] 0\n--END--\n";
    const struct {
        const char *text, *as;
        size_t letters; /* 0: refused */
    } how[] = {{fsa, "labels=letters", 0}, {fsa, "epsilon=a", 0},     {att, "labels=letters", 1},
               {att, "labels=sets", 3},    {att, "labels=guards", 0}, {gap, "labels=letters", 0},
               {gap, "epsilon=", 0},       {hoa, "labels=guards", 2}, {hoa, "labels=sets", 0},
               {hoa, "epsilon=a", 0}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        f2l_error err = {0};
        f2l_fsa out;
        f2l_read_as as;
        f2l_fsa_init(&out);
        cr_assert_eq(parse(&as, how[i].as, &err), F2L_OK);
        const f2l_import_options options = {.as = &as};
        const f2l_status status = read_any(&out, how[i].text, &options, &err);
        if (how[i].letters == 0)
            cr_assert(status == F2L_EDOMAIN && strstr(err.text, "says nothing about"), "%s: %s",
                      how[i].as, err.text);
        else
            cr_assert(status == F2L_OK && out.letters.count == how[i].letters, "%s: %s", how[i].as,
                      err.text);
        f2l_fsa_clear(&out);
        f2l_read_as_clear(&as);
    }
}
