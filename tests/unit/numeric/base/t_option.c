#include "numeric/base/option.h"
#include <criterion/criterion.h>
#include <string.h>

typedef struct record {
    bool flag;
    const char *text;
    uint64_t number, size;
    double seconds, real;
    size_t colour;
    f2l_chosen colours;
} record;

static const char *choice_colour(size_t index)
{
    static const char *const names[] = {"red", "green", "blue", NULL};
    return names[index];
}

#define FIELD(name) offsetof(record, name)
static const f2l_option table[] = {
    {"flag", 'f', F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(flag), ""},
    {"text", 0, F2L_OPTION_TEXT, "TEXT", NULL, 0, 0, FIELD(text), ""},
    {"number", 0, F2L_OPTION_NUMBER, "N", NULL, 2, 40, FIELD(number), ""},
    {"size", 0, F2L_OPTION_SIZE, "SIZE", NULL, 1024, 1 << 20, FIELD(size), ""},
    {"seconds", 0, F2L_OPTION_SECONDS, "TIME", NULL, 0, 0, FIELD(seconds), ""},
    {"real", 0, F2L_OPTION_REAL, "X", NULL, 0, 1, FIELD(real), ""},
    {"colour", 0, F2L_OPTION_CHOICE, "NAME", choice_colour, 0, 0, FIELD(colour), ""},
    {"colours", 0, F2L_OPTION_CHOICES, "LIST", choice_colour, 0, 0, FIELD(colours), ""},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static record set(const char *name, const char *text)
{
    record r = {.flag = false};
    f2l_error err = {.status = F2L_OK};
    const f2l_option *o = f2l_option_find(table, name, strlen(name), 0);
    cr_assert_not_null(o, "%s", name);
    cr_assert_eq(f2l_option_set(o, &r, text, &err), F2L_OK, "%s", err.text);
    return r;
}

/* Returns the message that refuses the text, or NULL. */
static const char *refuse(const char *name, const char *text)
{
    static f2l_error err;
    record r = {.flag = false};
    const f2l_option *o = f2l_option_find(table, name, strlen(name), 0);
    return f2l_option_set(o, &r, text, &err) == F2L_EDOMAIN ? err.text : NULL;
}

Test(option, finds_by_name_and_by_letter)
{
    cr_assert_eq(f2l_option_find(table, "size", 4, 0), &table[3]);
    cr_assert_eq(f2l_option_find(table, "numbers", 6, 0), &table[2]);
    cr_assert_eq(f2l_option_find(table, NULL, 0, 'f'), &table[0]);
    cr_assert_null(f2l_option_find(table, "siz", 3, 0));
    cr_assert_null(f2l_option_find(table, NULL, 0, 'g'));
}

Test(option, sets_fields)
{
    cr_assert(set("flag", NULL).flag);
    cr_assert_str_eq(set("text", "x y").text, "x y");
    cr_assert_eq(set("number", "40").number, 40);
    cr_assert_eq(set("size", "3K").size, 3072);
    cr_assert_eq(set("seconds", "1.5m").seconds, 90);
    cr_assert_eq(set("real", "5e-1").real, 0.5);
    cr_assert_eq(set("colour", "blue").colour, 2);
    const record r = set("colours", "blue,red");
    cr_assert(r.colours.count == 2 && r.colours.index[0] == 2 && r.colours.index[1] == 0);
}

Test(option, refuses_and_says_what_it_takes)
{
    static const char *const bad[][2] = {
        {"number", "1"},    {"number", "41"},  {"number", ""},      {"number", "-3"},
        {"number", "4x"},   {"size", "3"},     {"size", "2M"},      {"size", "2Kx"},
        {"seconds", "0"},   {"seconds", "2d"}, {"real", "1.1"},     {"real", "nan"},
        {"real", "0x1p-1"}, {"colour", "re"},  {"colours", "red,"}, {"colours", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not_null(refuse(bad[i][0], bad[i][1]), "%s %s", bad[i][0], bad[i][1]);
    cr_assert_str_eq(refuse("number", "1"), "--number takes a number from 2 to 40, not '1'");
    cr_assert_str_eq(refuse("colour", "x"), "--colour is one of: red, green, blue; not 'x'");
    cr_assert_str_eq(refuse("colours", "red,blue,red"), "--colours names 'red' twice");
}
