#include "numeric/facts/layout.h"
#include <criterion/criterion.h>

static void fill(f2l_fact root)
{
    f2l_say_text(root, "name", "odd");
    f2l_say_text(root, "blank", "a b");
    f2l_say_text(root, "none", NULL);
    f2l_say_count(root, "one", 1);
    f2l_say_count(root, "two", 2);
    f2l_say_count(root, "zero", 0);
    f2l_say_number(root, "share", 0.125);
    f2l_say_truth(root, "yes", true);
    f2l_say_truth(root, "no", false);
    f2l_fact list = f2l_say_list(root, "list");
    for (uint64_t i = 1; i <= 3; i++) {
        f2l_fact item = f2l_say_object(list, NULL);
        f2l_say_count(item, "width", i);
        f2l_say_truth(item, "last", i == 3);
    }
    f2l_fact plain = f2l_say_list(root, "plain");
    f2l_say_count(plain, NULL, 7);
    f2l_say_count(plain, NULL, 8);
    f2l_say_list(root, "empty");
}

static void expect(const char *text, const char *expected)
{
    f2l_facts facts;
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_facts_init(&facts);
    fill(f2l_facts_root(&facts));
    f2l_layout(&out, f2l_facts_root(&facts), text);
    f2l_buf_bytes(&out, "", 1);
    cr_assert_eq(f2l_facts_status(&facts, NULL), F2L_OK);
    cr_assert_str_eq(out.data, expected, "%s gives %s", text, out.data);
    f2l_buf_clear(&out);
    f2l_facts_clear(&facts);
}

Test(layout, values)
{
    expect("plain text", "plain text");
    expect("{name} has {two} and {share}", "odd has 2 and 0.125");
    expect("{one letter}, {two letter}, {one matrix/matrices}, {two matrix/matrices}",
           "1 letter, 2 letters, 1 matrix, 2 matrices");
    expect("[{name%-5s}][{two%4s}][{share%.1f}][{two%.2f}]", "[odd  ][   2][0.1][2.00]");
    expect("{name~} {blank~}", "odd \"a b\"");
}

Test(layout, choices)
{
    expect("{yes?a{two}|b}{no?a|b{one}}{none?c}{name?d}{zero?e|f}{one?g}", "a2b1dfg");
    expect("{list?h|i}{empty?j|k}", "hk");
    expect("{name=odd?even {two}|odd}{name=even?x|y}{two=2?z|w}{two=3?z|w}", "even 2yzw");
    expect("{yes?{no?a|{one?b|c}}|d}", "b");
}

Test(layout, lists)
{
    expect("{list*{width}{last?!}|, }", "1, 2, 3!");
    expect("<{plain*{.}|-}>", "<7-8>");
    expect("{empty*x|y}", "");
}

Test(layout, a_missing_fact_is_the_error_of_the_tree)
{
    f2l_facts facts;
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_facts_init(&facts);
    fill(f2l_facts_root(&facts));
    f2l_layout(&out, f2l_facts_root(&facts), "{yes?{nane}}{name}");
    cr_assert_eq(f2l_facts_status(&facts, NULL), F2L_EDOMAIN);
    f2l_buf_clear(&out);
    f2l_facts_clear(&facts);
}
