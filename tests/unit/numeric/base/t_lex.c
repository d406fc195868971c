#include "numeric/base/lex.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Writes all tokens of a text as `LINE:COLUMN KIND text;` with KIND B, Q or C, or the error as
 * `LINE:COLUMN!`. */
static void lex_all(f2l_buf *out, const char *bytes, size_t size)
{
    static const char kind[] = "BQC";
    f2l_lex lex;
    f2l_error err = {0};
    bool more = true;
    f2l_lex_init(&lex, bytes, size);
    while (more) {
        f2l_status status = f2l_lex_line(&lex, &more, &err);
        if (status != F2L_OK) {
            cr_assert_eq(status, F2L_EFORMAT);
            cr_assert_not(more);
            cr_assert_gt(strlen(err.text), 5);
            f2l_buf_printf(out, "%zu:%zu!", err.line, err.column);
            break;
        }
        cr_assert_eq(more, lex.count > 0);
        for (size_t i = 0; i < lex.count; i++) {
            const f2l_token *t = &lex.token[i];
            f2l_buf_printf(out, "%zu:%zu %c %.*s;", lex.line, t->column, kind[t->kind],
                           (int)t->size, t->text);
        }
    }
    f2l_lex_clear(&lex);
}

static void expect_bytes(const char *bytes, size_t size, const char *expected)
{
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_buf_text(&out, " ");
    lex_all(&out, bytes, size);
    cr_assert_str_eq(out.data + 1, expected, "'%s' gives '%s'", bytes, out.data + 1);
    f2l_buf_clear(&out);
}

static void expect(const char *text, const char *expected)
{
    expect_bytes(text, strlen(text), expected);
}

Test(lex, empty_inputs_have_no_tokens)
{
    expect("", "");
    expect("\n\n \t\n", "");
    expect("# only a comment", "");
    expect("\xef\xbb\xbf", "");
    expect_bytes(NULL, 0, "");
}

Test(lex, tokens_have_lines_and_byte_columns)
{
    expect("fsa 1\n\n  a\tb # c d\nlast", "1:1 B fsa;1:5 B 1;3:3 B a;3:5 B b;4:1 B last;");
    expect("a#b\n#\nc", "1:1 B a;3:1 B c;");
    expect("\xc3\xa9 x", "1:1 B \xc3\xa9;1:4 B x;");
    expect("\xef\xbb\xbf"
           "a b",
           "1:1 B a;1:3 B b;");
    expect("a' -> \\ ; [x]", "1:1 B a';1:4 B ->;1:7 B \\;1:9 B ;;1:11 B [x];");
}

Test(lex, carriage_return_only_before_line_feed)
{
    expect("a b\r\n\r\nc\r\n", "1:1 B a;1:3 B b;3:1 B c;");
    expect("a # x\r\nb", "1:1 B a;2:1 B b;");
    expect("a\rb\n", "1:2!");
    expect("a\r\r\n", "1:2!");
    expect("x\na\r", "1:1 B x;2:2!");
    expect("# a\rb\n", "1:4!");
}

Test(lex, quoted_names_are_json_strings)
{
    expect("\"a b\" \"\" \"#(\"", "1:1 Q a b;1:7 Q ;1:10 Q #(;");
    expect("\"x\"# c", "1:1 Q x;");
    expect("\"\\\"\\\\\\/\\n\\t\\r\\b\\f\"", "1:1 Q \"\\/\n\t\r\b\f;");
    expect("\"\\u0041\\u00e9\\u20AC\\ud83D\\uDE00\"",
           "1:1 Q A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;");
    expect("\"\x7f\"", "1:1 Q \x7f;");
    expect("\"eps\" eps", "1:1 Q eps;1:7 B eps;");
}

Test(lex, malformed_quotes_are_refused)
{
    expect("a \"b", "1:3!");
    expect("\"", "1:1!");
    expect("\"b\\", "1:3!");
    expect("\"b\\\"", "1:1!");
    expect("\"b\nc\"", "1:1!");
    expect("\"a\"b", "1:4!");
    expect("\"a\"\"b\"", "1:4!");
    expect("\"a\"(1)", "1:4!");
    expect("a\"b\"", "1:2!");
    expect("\"\\x\"", "1:2!");
    expect("\"\\u12\"", "1:2!");
    expect("\"\\u12g4\"", "1:2!");
    expect("\"\\u0000\"", "1:2!");
    expect("\"a\tb\"", "1:3!");
    expect("\"\x01\"", "1:2!");
}

Test(lex, lone_surrogates_are_refused)
{
    expect("\"\\ud800\"", "1:2!");
    expect("\"\\udc00\"", "1:2!");
    expect("\"\\ud800x\"", "1:2!");
    expect("\"\\ud800\\n\"", "1:2!");
    expect("\"\\ud800\\u0041\"", "1:2!");
    expect("\"\\ud800\\ud800\"", "1:2!");
    expect("\"\\ud800\\u00\"", "1:8!");
    expect("\"\xed\xa0\x80\"", "1:2!");
}

Test(lex, cycles_run_to_their_parenthesis)
{
    expect("permute a (1 2 3)(4\t5) ()",
           "1:1 B permute;1:9 B a;1:11 C (1 2 3);1:18 C (4\t5);1:24 C ();");
    expect("()# c", "1:1 C ();");
    expect("a (1 2", "1:3!");
    expect("(1 # 2)", "1:1!");
    expect("(1\n2)", "1:1!");
    expect("(1 (2))", "1:4!");
    expect("(1 \"2\")", "1:4!");
    expect("(1)a", "1:4!");
    expect("(1)\"a\"", "1:4!");
    expect("(1))", "1:4!");
    expect("a(1)", "1:2!");
    expect("a)", "1:2!");
    expect(") a", "1:1!");
    expect("(\x01)", "1:2!");
}

Test(lex, binary_bytes_are_refused)
{
    expect_bytes("ab\0c", 4, "1:3!");
    expect_bytes("# \0", 3, "1:3!");
    expect_bytes("\0\xff", 2, "1:1!");
    expect("a\nb \xff", "1:1 B a;2:3!");
    expect("# \xc3(", "1:3!");
    expect("a \xc0\x80", "1:3!");
    expect("\x7f"
           "ELF\x02\x01",
           "1:1!");
    expect("a\x1b[0m", "1:2!");
}

Test(lex, errors_name_the_trouble)
{
    f2l_lex lex;
    f2l_error err;
    bool more;
    f2l_lex_init(&lex,
                 "\x7f"
                 "ELF",
                 4);
    cr_assert_eq(f2l_lex_line(&lex, &more, &err), F2L_EFORMAT);
    cr_assert_not_null(strstr(err.text, "U+007F"));
    f2l_lex_clear(&lex);
    f2l_lex_init(&lex, "\x89PNG", 4);
    cr_assert_eq(f2l_lex_line(&lex, &more, &err), F2L_EFORMAT);
    cr_assert_not_null(strstr(err.text, "UTF-8"));
    f2l_lex_clear(&lex);
}

Test(lex, quoted_tokens_survive_the_growth_of_their_storage)
{
    f2l_buf text;
    f2l_lex lex;
    bool more;
    char want[24];
    f2l_buf_init(&text);
    for (size_t i = 0; i < 5000; i++) f2l_buf_printf(&text, "\"q %zu\" b%zu ", i, i);
    f2l_lex_init(&lex, text.data, text.size);
    cr_assert_eq(f2l_lex_line(&lex, &more, NULL), F2L_OK);
    cr_assert_eq(lex.count, 10000);
    for (size_t i = 0; i < 10000; i++) {
        snprintf(want, sizeof want, i % 2 ? "b%zu" : "q %zu", i / 2);
        cr_assert_eq(lex.token[i].size, strlen(want));
        cr_assert_eq(memcmp(lex.token[i].text, want, lex.token[i].size), 0);
    }
    f2l_lex_clear(&lex);
    f2l_buf_clear(&text);
}

/* Writes a name of 0 to 7 characters; small code points are frequent, surrogates and U+0000
 * excluded. */
static void random_name(f2l_rng *r, f2l_buf *out)
{
    static const uint32_t range[] = {0x30, 0x80, 0x800, 0x10000, 0x110000};
    for (size_t n = f2l_rng_below(r, 8); n > 0; n--) {
        uint32_t c = (uint32_t)f2l_rng_below(r, range[f2l_rng_below(r, 5)]);
        if (c == 0 || (c >= 0xd800 && c < 0xe000)) c = '(';
        f2l_buf_utf8(out, c);
    }
}

Test(lex, written_names_read_back)
{
    static const char *const keyword[] = {"eps", "fsa", "letters", "permute", "#",
                                          "",    "()",  "x y",     "\x7f"};
    f2l_rng r;
    f2l_rng_init(&r, 31337, 0); /* the seed */
    for (size_t round = 0; round < 20000; round++) {
        f2l_buf name, text;
        f2l_lex lex;
        bool more;
        f2l_buf_init(&name);
        f2l_buf_init(&text);
        if (round < sizeof keyword / sizeof *keyword)
            f2l_buf_text(&name, keyword[round]);
        else
            random_name(&r, &name);
        f2l_buf_text(&text, "x ");
        f2l_buf_name(&text, name.data ? name.data : "");
        f2l_buf_text(&text, " y");
        f2l_lex_init(&lex, text.data, text.size);
        cr_assert_eq(f2l_lex_line(&lex, &more, NULL), F2L_OK, "%s", text.data);
        cr_assert_eq(lex.count, 3);
        cr_assert_eq(lex.token[1].size, name.size);
        if (name.size > 0) cr_assert_eq(memcmp(lex.token[1].text, name.data, name.size), 0);
        f2l_lex_clear(&lex);
        f2l_buf_clear(&name);
        f2l_buf_clear(&text);
    }
}

Test(lex, token_is_compares_bare_tokens_only)
{
    const f2l_token bare = {F2L_TOKEN_BARE, "epsx", 3, 1}, quoted = {F2L_TOKEN_QUOTED, "eps", 3, 1};
    cr_assert(f2l_token_is(&bare, "eps"));
    cr_assert_not(f2l_token_is(&bare, "epsx"));
    cr_assert_not(f2l_token_is(&bare, "ep"));
    cr_assert_not(f2l_token_is(&quoted, "eps"));
}

static f2l_status size_of(const char *text, size_t max, size_t *out, f2l_error *err)
{
    const f2l_lex lex = {.line = 4};
    const f2l_token token = {text[0] == '"' ? F2L_TOKEN_QUOTED : F2L_TOKEN_BARE, text, strlen(text),
                             9};
    return f2l_token_size(&lex, &token, max, "the number of points", out, err);
}

Test(lex, sizes_are_plain_decimals)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      "01",
                                      "00",
                                      "1.5",
                                      "1e3",
                                      "0x10",
                                      "x",
                                      "1 ",
                                      "\"1",
                                      "101",
                                      "18446744073709551616",
                                      "99999999999999999999999999"};
    size_t out = 77;
    f2l_error err;
    cr_assert_eq(size_of("0", 0, &out, &err), F2L_OK);
    cr_assert_eq(out, 0);
    cr_assert_eq(size_of("100", 100, &out, &err), F2L_OK);
    cr_assert_eq(out, 100);
    cr_assert_eq(size_of("18446744073709551615", SIZE_MAX, &out, &err), F2L_OK);
    cr_assert_eq(out, SIZE_MAX);
    cr_assert_eq(size_of("18446744073709551616", SIZE_MAX, &out, &err), F2L_EFORMAT);
    cr_assert_eq(size_of("7", 5, &out, &err), F2L_EFORMAT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(size_of(bad[i], 100, &out, &err), F2L_EFORMAT, "%s", bad[i]);
        cr_assert_eq(err.line, 4);
        cr_assert_eq(err.column, 9);
        cr_assert_not_null(strstr(err.text, "the number of points"));
    }
}

#ifdef F2L_MEM_FAILURES
Test(lex, running_out_of_memory_is_reported)
{
    static const char text[] = "a b c d e f g h i j k l m n o p q r \"quoted \\u00e9 one\" (1 2)\n"
                               "b \"x\"\n";
    size_t failures = 0;
    for (int lasting = 0; lasting < 2; lasting++) {
        f2l_status status = F2L_ENOMEM;
        for (size_t n = 1; status != F2L_OK; n++) {
            f2l_lex lex;
            bool more = true;
            f2l_lex_init(&lex, text, sizeof text - 1);
            f2l_mem_fail_after(n, lasting);
            do status = f2l_lex_line(&lex, &more, NULL);
            while (status == F2L_OK && more);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM);
            failures += status == F2L_ENOMEM;
            f2l_lex_clear(&lex);
        }
    }
    cr_assert_geq(failures, 4);
}
#endif
