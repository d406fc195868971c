#include "reports/page/letters_title.h"

#define ROOM ((size_t)22) /* bytes of names in a title */

void f2l_letters_title_init(f2l_letters_title *t)
{
    *t = (f2l_letters_title){.letters = 0};
    f2l_buf_init(&t->title);
    f2l_buf_init(&t->classes);
}

void f2l_letters_title_clear(f2l_letters_title *t)
{
    f2l_buf_clear(&t->title);
    f2l_buf_clear(&t->classes);
    t->letters = 0;
}

void f2l_letters_title_add(f2l_letters_title *t, const f2l_names *letters, size_t letter,
                           size_t part)
{
    if (t->classes.size == 0 || letter != t->last + 1) {
        t->from = letter;
        t->at = t->classes.size;
    }
    t->last = letter;
    t->classes.size = t->at;
    f2l_buf_printf(&t->classes, "%sp%zu-l%zu", t->at ? " " : "", part, t->from);
    if (letter > t->from) f2l_buf_printf(&t->classes, "-%zu", letter);
    if (t->title.size >= ROOM) {
        t->letters++;
        return;
    }
    if (t->title.size) f2l_buf_text(&t->title, ", ");
    f2l_buf_text(&t->title, f2l_names_get(letters, letter));
}

void f2l_letters_title_end(f2l_letters_title *t)
{
    if (t->letters > 0) f2l_buf_printf(&t->title, " and %zu more", t->letters);
}
