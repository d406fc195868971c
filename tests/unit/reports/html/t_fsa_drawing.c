#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "reports/html/component_graph.h"
#include "reports/html/fsa_drawing.h"
#include "tests/support/automata/cascade_support.h"
#include "tests/support/automata/fsa_text.h"
#include <stdlib.h>

static f2l_fsa fsa;
static f2l_fsa_drawing drawing;
static f2l_buf dot;

/* Draws `fsa`. */
static void draw(void)
{
    f2l_error err;
    cr_assert_eq(f2l_fsa_drawing_init(&drawing, &fsa, &err), F2L_OK);
    f2l_buf_init(&dot);
    f2l_fsa_drawing_dot(&dot, &drawing, 0, 0);
}

static void draw_text(const char *text)
{
    fsa_from_text(&fsa, text);
    draw();
}

static void forget(void)
{
    f2l_buf_clear(&dot);
    f2l_fsa_drawing_clear(&drawing);
    f2l_fsa_clear(&fsa);
}

static void expect(const char *part)
{
    cr_assert_not_null(strstr(dot.data, part), "%s in %s", part, dot.data);
}

static void expect_title(size_t from, size_t to, bool edge, const char *expected)
{
    f2l_buf text;
    const f2l_graph_titles titles = f2l_fsa_drawing_titles(&drawing);
    f2l_buf_init(&text);
    titles.put(&text, from, to, edge, titles.context);
    cr_assert_str_eq(text.data, expected);
    f2l_buf_clear(&text);
}

static bool legend_has(const char *part)
{
    f2l_page page;
    f2l_page_init(&page);
    f2l_fsa_drawing_legend(&page, &drawing);
    const bool has = strstr(page.html.data, part) != NULL;
    cr_assert_eq(page.md.size, 0);
    f2l_page_clear(&page);
    return has;
}

Test(fsa_drawing, of_few_states_all_is_drawn)
{
    draw_text("start e\naccept o\ne 0 e\ne 1 o\no 0 o\no 1 e\n");
    cr_assert(!drawing.generators && !drawing.paired && drawing.edges == 4);
    expect("n0 [id=\"f0-s0\", class=\"state\", label=\"e\"];");
    expect("n1 [id=\"f0-s1\", class=\"accepting\", label=\"o\", peripheries=2];");
    expect("n0 -> n1 [label=\"1\", class=\"p0-l1 drawn k1\"];");
    cr_assert(legend_has("two rings") && legend_has("the start") && legend_has("colour"));
    cr_assert(!legend_has("faint") && !legend_has("both ways") && !legend_has("others"));
    expect_title(1, 1, false, "o (accepting)");
    expect_title(1, 0, true, "o \xe2\x86\x92 e: 1");
    forget();
}

Test(fsa_drawing, of_a_group_generators_are_drawn)
{
    f2l_error err;
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "symmetric", (const uint64_t[]){4}, 1, false, &err),
                 F2L_OK);
    draw();
    cr_assert(drawing.generators && drawing.paired && drawing.letters == 3);
    cr_assert_eq(drawing.edges, 24 * 3);
    cr_assert_str_eq(f2l_letter_colour(&drawing, drawing.letter[2]), " k2");
    cr_assert_str_eq(f2l_letter_colour(&drawing, 0), "", "the identity is not drawn");
    size_t lines = 0;
    for (const char *c = dot.data; (c = strstr(c, "dir=both")); c++) lines++;
    cr_assert_eq(lines, 36, "transpositions lead both ways");
    cr_assert(legend_has("both ways"));
    forget();
}

/* Letters that no other arrow names, and what all letters do. */
Test(fsa_drawing, long_lists)
{
    draw_text("start a\na aa a\na bb a\na cc a\na dd b\nb aa b\nb bb b\nb cc b\nb dd b\n");
    expect("n0 -> n0 [label=\"others\", class=\"p0-l0 p0-l1 p0-l2 rest\"];");
    expect("n1 -> n1 [label=\"any\"");
    cr_assert(legend_has("no other arrow"));
    expect_title(0, 0, true, "a \xe2\x86\x92 a: aa, bb, cc");
    forget();
    table_init(&fsa, 3, 40);
    for (size_t a = 0; a < 40; a++) table_set(&fsa, 0, a, a < 21);
    draw();
    expect("n0 -> n0 [label=\"22, 23, 24, 25, 26 +14\"");
    expect("n0 -> n1 [label=\"others\"");
    cr_assert(legend_has("two more letters"));
    forget();
}

/* Of many letters, the ones that an edge does not have are said. */
Test(fsa_drawing, most_letters)
{
    table_init(&fsa, 2, 12);
    for (size_t a = 0; a < 12; a++) table_set(&fsa, 0, a, a == 3 || a == 5);
    for (size_t a = 0; a < 12; a++) table_set(&fsa, 1, a, a < 4);
    table_set(&fsa, 0, 0, 0);
    draw();
    expect("n0 -> n0 [label=\"others\", class=\"p0-most p0-not3 p0-not5 rest\"];");
    expect("class=\"p0-l3 p0-l5 drawn\"];");
    expect_title(0, 0, true, "1 \xe2\x86\x92 1: every letter but 4, 6");
    forget();
    table_init(&fsa, 1, 12);
    draw();
    expect("n0 -> n0 [label=\"any\", class=\"p0-most rest\"];");
    expect_title(0, 0, true, "1 \xe2\x86\x92 1: every letter");
    forget();
}

/* A sink that does not accept, and the start where three states lead back to it. */
Test(fsa_drawing, faint_edges)
{
    draw_text("start a\naccept b\na x b\na y c\nb x c\nb y d\nc x d\nc y s\nd x s\nd y c\n"
              "s x s\ns y s\n");
    expect("n2 -> n4 [label=\"y\", weight=0, class=\"p0-l1 drawn faint k1\"];");
    cr_assert(legend_has("into a sink, which no letter leaves") && !drawing.start_faint);
    forget();
    draw_text("start a\na x b\nb x c\nc x d\nd x a\na r a\nb r a\nc r a\nd r a\n");
    expect("n1 -> n0 [label=\"r\", weight=0, class=\"p0-l1 drawn faint k1\"];");
    cr_assert(legend_has("faint: back to the start"));
    forget();
}

Test(fsa_drawing, large_automata_do_not_fit)
{
    f2l_error err;
    table_init(&fsa, F2L_DRAWN_STATES + 1, 1);
    cr_assert_eq(f2l_fsa_drawing_init(&drawing, &fsa, &err), F2L_OK);
    cr_assert(!f2l_fsa_drawing_fits(&drawing));
    cr_assert_str_eq(f2l_letter_colour(&drawing, 0), "");
    f2l_fsa_drawing_clear(&drawing);
    f2l_fsa_clear(&fsa);
}

/* What is said of a chain of that many states, of which a last one is a loop. */
static void check_chain(size_t states, const char *said)
{
    f2l_error err;
    f2l_page page;
    setenv("PATH", "/nowhere", 1);
    table_init(&fsa, states, 2);
    for (size_t q = 0; q < states; q++)
        for (size_t a = 0; a < 2; a++) table_set(&fsa, q, a, q + 1 < states ? q + 1 : q);
    f2l_page_init(&page);
    cr_assert_eq(f2l_component_graph(&page, &fsa, &err), F2L_OK);
    cr_assert_not_null(strstr(page.html.data, said), "%s", page.html.data);
    cr_assert_null(strstr(page.md.data, "drawn"), "Markdown has no drawings");
    f2l_page_clear(&page);
    f2l_fsa_clear(&fsa);
}

Test(component_graph, says_how_many)
{
    check_chain(1, "All states reach each other");
    check_chain(70, "It has 70 strongly connected components");
    check_chain(300, "not drawn: dot is not installed");
}

#ifdef F2L_MEM_FAILURES
Test(component_graph, memory)
{
    f2l_error err;
    f2l_page page;
    setenv("PATH", "/nowhere", 1);
    table_init(&fsa, 70, 1);
    for (size_t n = 1; n < 60; n++) {
        f2l_page_init(&page);
        f2l_mem_fail_after(n, false);
        const f2l_status status = f2l_component_graph(&page, &fsa, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %s", n, err.text);
        f2l_page_clear(&page);
    }
    f2l_fsa_clear(&fsa);
}
#endif
