/* .ba files of RABIT. */
#include "tests/support/automata/import_support.h"

static const char *const safe = "[0]\na,[0]->[1]\nb,[1]->[0]\nb,[0]->[0]\n[0]\n[1]\n";

Test(import_ba, reads_safety)
{
    accepts_one(safe, "bab", "aa");
    accepts_one("a,p->q\nb,q->p\n", "aba", "b");
    accepts_one("s\na,s->s\nb,s->t\na,t->s\n", "baa", "bb");
    accepts_one("[0]\r\na,[0]->[1]\r\na,[1]->[0]\r\nb,[0]->[0]\r\n", "baab", "ab");
    accepts_one("\n[1]\n\na,[1]->[2]\na,[2]->[2]\nb,[3]->[3]\n", "aaa", "b");
    accepts_one("p\na,p->q\na,p->r\nb,q->p\na,r->p\np\nq\nr\n", "aaab", "bb");
    accepts_one("a,a->b\nb,b->a\na\nb\n", "ab", "ba");
    accepts_one("\xef\xbb\xbf"
                "a,0->1\nb,1->0\n",
                "ab", "b");
}

Test(import_ba, words_without_an_infinite_run_behind_them_are_rejected)
{
    /* Behind b there is a run of one more letter, and none of two. */
    const char *text = "a,0->0\nb,0->1\na,1->2\n";
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    accepts_one(text, "aa", "b");
    accepts_one(text, "", "ba");
    cr_assert_eq(f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL), F2L_OK);
    cr_assert_eq(nfa.notes.count, 1);
    cr_assert_eq(nfa.notes.item[0].count, 2);
    cr_assert_not_null(strstr(nfa.notes.item[0].text, "dead end"));
    f2l_nfa_clear(&nfa);
}

Test(import_ba, refuses)
{
    refused_with("[0]\na,[0]->[1]\nb,[1]->[0]\n[1]\n", NULL, F2L_EDOMAIN, 0, 0,
                 "1 of 2 states accept");
    refused("a,0->1\n2\n", 0, 0, "is on no transition");
    refused("a,0->1\n0\nb,1->0\n", 3, 1, "behind an accepting state (line 2)");
    refused("a,0->1\nb,0->1,2\n", 2, 1, "expected a transition");
    refused("a,0->1\n0->1\n", 2, 1, "expected a transition");
    refused("a,0->1\na,b\n", 2, 1, "expected a transition");
    refused("a,0->1\n,0->1\n", 2, 1, "expected a transition");
    refused("a,0->1\na,0->\n", 2, 1, "expected a transition");
    refused("0\na,0->1\n,->\n", 3, 1, "expected a transition");
    const f2l_import_options options = {.as = &(const f2l_read_as){.names_epsilon = true}};
    refused_with(safe, &options, F2L_EDOMAIN, 0, 0, "epsilon= says nothing about .ba");
}

Test(import_ba, memory_failures)
{
    survives_memory_failures(safe);
}
