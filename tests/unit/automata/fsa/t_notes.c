/* Notes of readers: a kind is there once, with its first place and the number of places. */
#include "automata/fsa/notes.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(notes, first_place_and_count)
{
    f2l_notes notes = {0}, more = {0}, all = {0};
    char text[256];
    f2l_notes_add(&notes, "was read", "a\tb", 3, 4, 7);
    f2l_notes_add(&notes, "was read", "c", 1, 5, 1);
    f2l_notes_add(&notes, "is a file", "", 0, 0, 0);
    cr_assert(notes.count == 2 && notes.item[0].line == 4 && notes.item[0].column == 7);
    f2l_note_print(text, &notes.item[0]);
    cr_assert(strstr(text, "was read (the first of 2)") && !strchr(text, '\t'), "%s", text);
    f2l_note_print(text, &notes.item[1]);
    cr_assert_str_eq(text, "is a file");
    cr_assert(f2l_notes_places(&notes, "was read") == 2 && f2l_notes_places(&notes, "x") == 0);
    f2l_notes_add(&more, "was read", "d", 1, 1, 1);
    f2l_notes_add(&more, "is left out", "e", 1, 2, 2);
    f2l_notes_join(&all, &notes);
    f2l_notes_join(&all, &more);
    cr_assert(all.count == 3 && all.item[0].count == 3 && all.item[0].line == 4);
    cr_assert_str_eq(all.item[2].first, "e");
}

Test(notes, more_kinds_than_there_is_room_for)
{
    static char kind[F2L_MAX_NOTES + 5][16];
    f2l_notes notes = {0};
    char text[256];
    for (size_t i = 0; i < F2L_MAX_NOTES + 5; i++) {
        snprintf(kind[i], sizeof kind[i], "kind %zu", i);
        f2l_notes_add(&notes, kind[i], "x", 1, i + 1, 1);
    }
    cr_assert_eq(notes.count, F2L_MAX_NOTES);
    cr_assert_eq(notes.item[F2L_MAX_NOTES - 1].count, 6);
    memset(kind[0], 'k', sizeof kind[0] - 1);
    f2l_note_print(text, &notes.item[0]);
    cr_assert(strlen(text) < sizeof text);
}
