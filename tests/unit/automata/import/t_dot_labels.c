/* What labels of DOT files mean: the rules of docs/formats.md, kind by kind. */
#include "tests/support/automata/import_support.h"
#include <stdio.h>

typedef struct kind {
    const char *labels;  /* of edges from p, with blanks between them; _ is a blank */
    const char *letters; /* that they give, in the same way; NULL: refused */
    const char *note;    /* a piece of the note or of the refusal; NULL: no note */
} kind;

/* Writes a graph with an edge for each label. */
static void write_graph(f2l_buf *out, const char *labels, const char *before)
{
    size_t state = 0;
    f2l_buf_printf(out, "digraph { i [shape=point]; i -> p; %s", before);
    while (*labels) {
        const size_t size = strcspn(labels, " ");
        f2l_buf_printf(out, " p -> q%zu [label=\"", state++);
        for (size_t i = 0; i < size; i++)
            f2l_buf_bytes(out, labels[i] == '_' ? " " : labels + i, 1);
        f2l_buf_text(out, "\"];");
        labels += size + (labels[size] == ' ');
    }
    f2l_buf_text(out, " }");
    f2l_buf_bytes(out, "", 1);
}

/* Writes the letters with blanks between them, and their own blanks as _. */
static void write_letters(f2l_buf *out, const f2l_nfa *nfa)
{
    for (size_t i = 0; i < nfa->letters.count; i++) {
        if (i) f2l_buf_text(out, " ");
        for (const char *at = f2l_names_get(&nfa->letters, i); *at; at++)
            f2l_buf_bytes(out, *at == ' ' ? "_" : at, 1);
    }
    f2l_buf_bytes(out, "", 1);
}

static void check_kind(const kind *k, const char *read_as)
{
    f2l_nfa nfa;
    f2l_buf text, letters;
    f2l_error err = {0};
    f2l_read_as as = {0};
    f2l_nfa_init(&nfa);
    f2l_buf_init(&text);
    f2l_buf_init(&letters);
    write_graph(&text, k->labels, "");
    if (read_as) cr_assert_eq(f2l_read_as_parse(&as, read_as, &err), F2L_OK, "%s", err.text);
    const f2l_import_options options = {.as = read_as ? &as : NULL};
    const f2l_status status = f2l_import_dot(&nfa, text.data, strlen(text.data), &options, &err);
    if (!k->letters) {
        cr_assert_eq(status, F2L_EFORMAT, "%s: %s", k->labels, f2l_status_name(status));
        cr_assert(err.line == 1 && err.column > 30, "%s: column %zu", k->labels, err.column);
        cr_assert_not_null(strstr(err.text, k->note), "%s: %s", k->labels, err.text);
    } else {
        cr_assert_eq(status, F2L_OK, "%s: %s", k->labels, err.text);
        write_letters(&letters, &nfa);
        cr_assert_str_eq(letters.data, k->letters, "%s: letters %s", k->labels, letters.data);
        cr_assert_eq(nfa.notes.count > 0, k->note != NULL, "%s: %zu notes", k->labels,
                     nfa.notes.count);
        if (k->note)
            cr_assert_not_null(strstr(nfa.notes.item[0].text, k->note), "%s: %s", k->labels,
                               nfa.notes.item[0].text);
    }
    f2l_read_as_clear(&as);
    f2l_buf_clear(&text);
    f2l_buf_clear(&letters);
    f2l_nfa_clear(&nfa);
}

static void check_kinds(const kind *kinds, size_t count, const char *read_as)
{
    for (size_t i = 0; i < count; i++) check_kind(&kinds[i], read_as);
}

#define CHECK(kinds, read_as) check_kinds(kinds, sizeof kinds / sizeof *kinds, read_as)
#define SEVERAL "several letters"
#define EMPTY "the empty word"
#define NOT_FORMULA "not as a formula"

Test(dot_labels, letters)
{
    static const kind kinds[] = {
        {"a b", "a b", NULL},
        {"press_button ('up',_1) f(a,b)", "press_button ('up',_1) f(a,b)", NULL},
        {"connect:80 close:80 x:1", "connect:80 close:80 x:1", NULL},
        {", | || - + [ ] -> /", ", | || - + [ ] -> /", NULL},
        {"/usr /bin v0.5 10", "/usr /bin v0.5 10", NULL},
        {"a! ?b", "a! ?b", NULL},
        {"* a", "* a", "not as any other letter"},
        {"a else", "a else", "not as any other letter"},
        {"ab a b", "ab a b", "not as a word of letters"},
        {"!a ?b", "!a ?b", NOT_FORMULA},
        {"true false", "true false", NOT_FORMULA},
        {"_a_ b", "a b", "without the blanks around it"},
        {"0,0 0,1 1,0", "0,0 0,1 1,0", "with its commas"},
    };
    CHECK(kinds, NULL);
}

Test(dot_labels, several_letters)
{
    static const kind kinds[] = {
        {"a,b c", "a b c", SEVERAL},
        {"0,1 2", "0 1 2", SEVERAL},
        {"a|b c", "a b c", SEVERAL},
        {"a_|_b c", "a b c", SEVERAL},
        {"a\\nb", "a b", SEVERAL},
        {"a\\lb\\l c", "a b c", SEVERAL},
        {"a\nb c", "a b c", SEVERAL},
        {"[a-c]", "a b c", SEVERAL},
        {"a-c d", "a b c d", SEVERAL},
        {"a..c", "a b c", SEVERAL},
        {"a_-_c", "a b c", SEVERAL},
        {"a\xe2\x80\x93"
         "c",
         "a b c", SEVERAL},
        {"a-bX-Y", "a b X Y", SEVERAL},
        {"a-c,1-2,_", NULL, "with an empty element"},
        {"a-c,1-2,x", "a b c 1 2 x", SEVERAL},
        {"+,-,*,/ a", "+ - * / a", SEVERAL},
        {"a, b", NULL, "with an empty element"},
        {"c-a", NULL, "runs backwards"},
        {"10-20", NULL, "range of numbers"},
        {"'a'..'c'", NULL, "quotation marks"},
        {"[^a]", NULL, "not in it"},
        {"[a]", NULL, "a set of one letter"},
        {"[a,b]", NULL, "in brackets"},
        {"[!a&b]", NULL, "in brackets"},
        {"[a-z]+", NULL, "regular expression"},
        {"a{2}", NULL, "regular expression"},
        {"{a,b}", NULL, "in brackets"},
        {"(a|b)", NULL, "in brackets"},
        {"0,0 1", NULL, "an element twice"},
        {"a_b a b", NULL, "list of letters"},
        {"a;b a b", NULL, "list of letters"},
        {"a+b a b", NULL, "list of letters"},
        {"a* b", NULL, "regular expression"},
        {"a(b|c)", NULL, "regular expression"},
        {"\xce\xa3 a", NULL, "does not name"},
        {"otherwise a", NULL, "does not name"},
        {"a,Z->AZ b", NULL, "has an arrow"},
        {"coin_[n>0]", NULL, "condition in brackets"},
    };
    CHECK(kinds, NULL);
}

Test(dot_labels, the_empty_word)
{
    static const kind kinds[] = {
        {"eps a", "a", EMPTY},         {"epsilon a", "a", EMPTY},   {"Epsilon a", "a", EMPTY},
        {"<eps> a", "a", EMPTY},       {"@0@ a", "a", EMPTY},       {"\xce\xb5 a", "a", EMPTY},
        {"\xcf\xb5 a", "a", EMPTY},    {"\xc9\x9b a", "a", EMPTY},  {"\xce\xbb a", "a", EMPTY},
        {"lambda a", "a", EMPTY},      {"&epsilon; a", "a", EMPTY}, {"&#955; a", "a", EMPTY},
        {"$\\epsilon$ a", "a", EMPTY}, {"\\lambda a", "a", EMPTY},  {"a,eps", "a", SEVERAL},
        {"_ a", NULL, "is blank"},
    };
    static const kind named[] = {{"eps i a", "eps a", NULL}}, none[] = {{"eps a", "eps a", NULL}};
    CHECK(kinds, NULL);
    CHECK(named, "epsilon=i");
    CHECK(none, "epsilon=");
}

Test(dot_labels, escapes)
{
    static const kind kinds[] = {
        {"\\u0061 b", "a b", NULL},
        {"\\\\U00000061", "a", NULL},
        {"\\\\", "\\", NULL},
        {"\\* a", "* a", "any other"},
        {"&lt; &amp;", "< &", NULL},
        {"&no; a", "&no; a", NULL},
        {"a\\n b", "a b", NULL},
        {"\\d", NULL, "does not know"},
        {"\\N", NULL, "replaces by a name"},
        {"\\u0000", NULL, "no character"},
    };
    CHECK(kinds, NULL);
}

Test(dot_labels, guards)
{
#define TWO "!a&!b a&!b !a&b a&b"
#define FORMULA "read as a formula"
    static const kind kinds[] = {
        {"!a a 1", "!a a", FORMULA},
        {"~a a true", "!a a", FORMULA},
        {"a_&_b ~a", TWO, FORMULA},
        {"a&&b !(a||b)", TWO, FORMULA},
        {"a_\xe2\x88\xa7_\xc2\xac"
         "b b",
         TWO, FORMULA},
        {"a_&amp;_b !a", TWO, FORMULA},
        {"a&b x?", NULL, "no formula over propositions"},
        {"true a", NULL, "labels=guards"},
        {"!0&1 a", NULL, "looks like a formula"},
        {"x<5_&_y>3", NULL, "looks like a formula"},
        {"a_and_b not_a", NULL, "labels=guards"},
        {"a&b\\n{0} !a", NULL, "mark of acceptance"},
    };
    static const kind asked[] = {{"a|b a", TWO, NULL},
                                 {"a_and_b not_a", TWO, NULL},
                                 {"1", "t", NULL},
                                 {"true a", "!a a", NULL},
                                 {"a?", NULL, "is no formula"}};
    CHECK(kinds, NULL);
    CHECK(asked, "labels=guards");
}

Test(dot_labels, numbers)
{
    static const kind kinds[] = {
        {"a_:_0.25 a_:_0.75", NULL, "stochastic"},
        {"a:0.5 a:1.0", NULL, "stochastic"},
        {"a/x:0.5 a/y:0.5", NULL, "stochastic"},
        {"0.5 1.0", NULL, "stochastic"},
        {"a_(0.5) b", NULL, "stochastic"},
        {"a,_0.5 b", NULL, "stochastic"},
        {"a:_12 b:_7", NULL, "a count"},
        {"a/0.5 b/1.5", NULL, "stochastic"},
        {"a/2.5 b/1", NULL, "an output or a weight"},
    };
    CHECK(kinds, NULL);
}

Test(dot_labels, pairs)
{
    static const kind kinds[] = {
        {"a/x b/y", "a b", NULL},
        {"a_/_x b_/_y/z", "a b", NULL},
        {"a/x\\nb/y c/z", "a b c", NULL},
        {"put/ get/x", "put get", NULL},
        {"get/text/html put/x", "get put", "first slash"},
        {"a/x/y b_/_c_/_d", "a b", "first slash"},
        {"a/x b", NULL, "has no output"},
        {"put/ get/", NULL, "empty output"},
        {"0/1,R 1/0,L", NULL, "Turing"},
        {"(_/_push(x) )_/_pop(x)", NULL, "stack"},
        {"a,Z/AZ b,A/A", NULL, "pushdown"},
        {"a&b/x !a/y", TWO, FORMULA},
    };
    static const kind asked[] = {{"a/x b/y/z", "a b", NULL}, {"a/x b", NULL, "has no output"}};
    CHECK(kinds, NULL);
    CHECK(asked, "labels=pairs");
}

Test(dot_labels, read_as)
{
    static const kind letters[] = {{"[a-c] a,b a&b \\d a/x eps", "[a-c] a,b a&b \\d a/x", EMPTY}};
    static const kind sets[] = {
        {"[a-c] a/x", "a b c a/x", NULL},
        {"[a,b] {c,d} (e|f)", "a b c d e f", NULL},
        {"[a] b", "a b", NULL},
        {"!a,b a", "!a b a", NOT_FORMULA},
        {"0,0 1", NULL, "an element twice"},
    };
    CHECK(letters, "labels=letters");
    CHECK(sets, "labels=sets");
}

/* A file may say how its labels are meant; the user's word counts more. */
Test(dot_labels, read_as_in_the_file)
{
    f2l_nfa nfa;
    f2l_error err = {0};
    f2l_read_as as = {.labels = F2L_LABELS_SETS};
    const f2l_import_options options = {.as = &as};
    static const char *const text =
        "digraph { read_as=\"labels=letters,epsilon=\"; i [shape=point]; i -> p; p -> p "
        "[label=\"[ab]\"]; p -> p [label=eps] }";
    f2l_nfa_init(&nfa);
    cr_assert_eq(f2l_import_dot(&nfa, text, strlen(text), NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 0), "[ab]");
    cr_assert(nfa.letters.count == 2 && nfa.notes.count == 0);
    f2l_nfa_clear(&nfa);
    cr_assert_eq(f2l_import_dot(&nfa, text, strlen(text), &options, &err), F2L_OK, "%s", err.text);
    cr_assert_str_eq(f2l_names_get(&nfa.letters, 0), "a");
    f2l_nfa_clear(&nfa);
    refused("digraph { read_as=\"labels=x\"; a -> b }", 1, 19, "read_as: expected labels=letters");
}

Test(dot_labels, pairs_of_states_that_accept)
{
    refused("digraph { i [shape=point]; i -> p; p [shape=doublecircle];\n"
            "p -> p [label=\"a/b\"] }",
            2, 3, "but states accept");
}

Test(dot_labels, too_many_propositions)
{
    refused_with("digraph { i [shape=point]; i -> p;\n"
                 "p -> p [label=\"!a&b&c&d&e&f&g&h&i&j&k&l&m\"] }",
                 NULL, F2L_UNKNOWN, 0, 0, "13 propositions");
}

Test(dot_labels, tables_of_bits_without_their_name)
{
    refused("digraph { init -> 0;\n0 -> 0 [label=\"0\\n1\"] }", 2, 3, "MONA_DFA");
    refused("digraph { init -> 0;\n0 -> 0 [label=\"X\"] }", 2, 3, "MONA_DFA");
}

Test(dot_labels, memory_failures)
{
    survives_memory_failures("digraph { i [shape=point]; i -> {p q}; p -> q [label=\"a-c,x\"]; "
                             "q -> p [label=<eps>]; p -> p [label=\"\\u0062\"] }");
    survives_memory_failures("digraph { i [shape=point]; i -> p; p -> p [label=\"!a & b / c\"]; "
                             "p -> p [label=\"a / d\"] }");
    survives_memory_failures("digraph { read_as=\"labels=letters\"; i -> p; p -> p [label=a] }");
}
