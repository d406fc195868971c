/* Settings as Python prints them: the values that they become, and the place of what is refused. */
#include "theory/ladder/config_text.h"
#include <criterion/criterion.h>
#include <string.h>

/* Checks that the text has the settings of `json`. */
static void same(const char *text, const char *json)
{
    f2l_config_text read;
    f2l_error err = {0};
    cr_assert_eq(f2l_config_text_read(&read, text, strlen(text), &err), F2L_OK, "%s: %s", text,
                 err.text);
    json_t *want = json_loads(json, 0, NULL);
    cr_assert(want && json_equal(read.object, want), "%s", text);
    cr_assert_str_eq(read.form, "arguments");
    json_decref(want);
    f2l_config_text_clear(&read);
}

Test(config_python, values)
{
    same("Namespace()", "{}");
    same("argparse.Namespace(a=1,)", "{\"a\": 1}");
    same("namespace( a = -2.5 ,\n b = 'c\\'\\x41\\u00e9\\n' )",
         "{\"a\": -2.5, \"b\": \"c'A\\u00e9\\n\"}");
    same("Namespace(a=[True, False, None], b=(1, (2,), (3), ()), c={'d': {}, \"e\": []})",
         "{\"a\": [true, false, null], \"b\": [1, [2], 3, []], \"c\": {\"d\": {}, \"e\": []}}");
    same("Namespace(a=inf, b=-inf, c=3e-05)", "{\"a\": 1e308, \"b\": -1e308, \"c\": 3e-05}");
    same("Namespace(a=torch.bfloat16, b=<A.b: 5>, c=f(<g<h>>, i='j)', k=[1]), l=2)",
         "{\"a\": \"torch.bfloat16\", \"b\": \"<A.b: 5>\", \"c\": \"f(<g<h>>, i='j)', k=[1])\", "
         "\"l\": 2}");
    same("Namespace(a_b=1, **{'c-d': 'True'})", "{\"a_b\": 1, \"c_d\": \"True\"}");
    same(" \n{ 'a': 1}\n", "{\"a\": 1}");
    same("['x', '--a-b', '4', '--c', '--d=e']", "{\"a_b\": 4, \"c\": true, \"d\": \"e\"}");
}

/* Every text that is cut off is refused, at a place inside it. */
Test(config_python, cut_texts)
{
    static const char whole[] =
        "Namespace(a=[1, {'b': ('c\\x41', <d>)}],\n e=f(1, h=i.j), **{'k': -1.5})";
    for (size_t size = 10; size < sizeof whole - 1; size++) {
        f2l_config_text read;
        f2l_error err = {0};
        cr_assert_eq(f2l_config_text_read(&read, whole, size, &err), F2L_EFORMAT, "%zu", size);
        cr_assert(err.text[0] && err.column >= 1 && err.column <= size + 1, "%zu", size);
        cr_assert_leq(err.line, memchr(whole, '\n', size) ? 2 : 1);
        cr_assert_null(read.object);
    }
    f2l_config_text read;
    cr_assert_eq(f2l_config_text_read(&read, whole, sizeof whole - 1, NULL), F2L_OK);
    f2l_config_text_clear(&read);
}
