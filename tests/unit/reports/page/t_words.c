#include "reports/page/words.h"
#include <criterion/criterion.h>
#include <string.h>

static size_t count(const f2l_buf *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text->data; at && (at = strstr(at, part)); at++) n++;
    return n;
}

/* Makes a page with this element between <main> and the words. */
static void make_page(f2l_page *p, const char *element)
{
    f2l_page_init(p);
    f2l_page_raw(p, "<title>dyadic</title><main>");
    f2l_page_raw(p, element);
    f2l_page_link_words(p);
}

static void expect(const char *element, const char *part, size_t times)
{
    f2l_page p;
    make_page(&p, element);
    cr_assert_eq(count(&p.html, part), times, "%s: %s", element, p.html.data);
    f2l_page_clear(&p);
}

Test(words, first_occurrence_is_linked_with_its_meaning)
{
    f2l_page p;
    make_page(&p, "<p>a dyadic key, and a dyadic one</p>");
    cr_assert_eq(count(&p.html, ">dyadic</a>"), 1, "%s", p.html.data);
    cr_assert_eq(count(&p.html, "<dt id=\"word-"), 2, "%s", p.html.data);
    cr_assert_eq(count(&p.html, "an integer divided by a power of 2"), 2);
    cr_assert_eq(count(&p.html, "<title>dyadic</title><main>"), 1);
    f2l_page_clear(&p);
}

Test(words, longest_phrases_plurals_and_capitals_are_found)
{
    expect("<p>the key dimension</p>", ">key dimension</a>", 1);
    expect("<p>the key dimension</p>", ">key</a>", 0);
    expect("<p>two capped covers</p>", ">capped covers</a>", 1);
    expect("<p>VERIFIED for all</p>", ">VERIFIED</a>", 1);
    expect("<p>dyadically, pre-dyadic</p>", "<a ", 0);
}

Test(words, everyday_words_are_linked_in_titles_alone)
{
    expect("<p>for every word</p>", "<a ", 0);
    expect("<th scope=\"col\">every</th>", ">every</a>", 1);
}

Test(words, data_are_not_linked)
{
    expect("<th scope=\"row\">dyadic</th><td>gate</td>", "<a ", 0);
    expect("<svg><text>dyadic</text></svg><pre>gate</pre><h2>cascade</h2>", "<a ", 0);
    expect("<p>a <b>gate</b> b</p><button>gate</button>", "<a ", 0);
    expect("<p>1 &lt; 2</p>", "<section", 0);
}

Test(words, meanings_have_no_signs_of_markdown)
{
    f2l_page p;
    make_page(&p, "<p>key, n_h, Householder, capped</p><th scope=\"col\">word</th>");
    const char *words = strstr(p.html.data, "<section");
    cr_assert(words && strstr(words, "k = u/|u| of a factor"), "%s", p.html.data);
    cr_assert(!strpbrk(words, "*`\\"), "%s", words);
    cr_assert(strstr(words, "a finite sequence of letters"));
    f2l_page_clear(&p);
}
