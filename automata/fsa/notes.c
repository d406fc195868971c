#include "automata/fsa/notes.h"
#include "automata/fsa/fsa_build.h"
#include <stdio.h>
#include <string.h>

/* Returns the note of the kind, a new one with count 0 where there is none yet. */
static f2l_note *find_note(f2l_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->item[i].text, text) == 0) return &notes->item[i];
    if (notes->count == F2L_MAX_NOTES) return &notes->item[F2L_MAX_NOTES - 1];
    notes->item[notes->count].text = text;
    return &notes->item[notes->count++];
}

void f2l_notes_add(f2l_notes *notes, const char *text, const char *shown, size_t size, size_t line,
                   size_t column)
{
    f2l_note *note = find_note(notes, text);
    if (note->count++ > 0) return;
    note->line = line;
    note->column = column;
    f2l_shown(note->first, shown, size);
}

size_t f2l_notes_places(const f2l_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->item[i].text, text) == 0) return notes->item[i].count;
    return 0;
}

void f2l_notes_join(f2l_notes *notes, const f2l_notes *from)
{
    for (size_t i = 0; i < from->count; i++) {
        f2l_note *note = find_note(notes, from->item[i].text);
        const size_t before = note->count;
        if (before == 0) *note = from->item[i];
        note->count = before + from->item[i].count;
    }
}

void f2l_note_print(char out[256], const f2l_note *note)
{
    int n = note->first[0] ? snprintf(out, 256, "`%s` %s", note->first, note->text)
                           : snprintf(out, 256, "%s", note->text);
    if (note->count > 1 && n > 0 && n < 256)
        snprintf(out + n, 256 - (size_t)n, " (the first of %zu)", note->count);
}
