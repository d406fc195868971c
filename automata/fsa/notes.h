/* Notes of a reader about what it took in one of several ways: warnings for the user, which
 * --strict refuses. A kind of note is there once, with the number of its places and the first. */
#ifndef F2L_NOTES_H
#define F2L_NOTES_H

#include <stddef.h>

#define F2L_MAX_NOTES 24

typedef struct f2l_note {
    const char *text;    /* what was done, static: "was read as several letters" */
    size_t count;        /* places */
    size_t line, column; /* of the first, 1-based; 0: none */
    char first[64];      /* what is there, as messages show it */
} f2l_note;

/* All zero: no notes. Copies are independent. */
typedef struct f2l_notes {
    f2l_note item[F2L_MAX_NOTES];
    size_t count;
} f2l_notes;

/* Counts a place where `text`, a static string, is true of shown[0..size). A kind beyond
 * F2L_MAX_NOTES is counted with the last. */
void f2l_notes_add(f2l_notes *notes, const char *text, const char *shown, size_t size, size_t line,
                   size_t column);

/* Returns the number of places of the kind. */
size_t f2l_notes_places(const f2l_notes *notes, const char *text);

/* Adds the notes of `from`, which is about another file, to *notes. */
void f2l_notes_join(f2l_notes *notes, const f2l_notes *from);

/* Writes the note as a sentence without its place: "`[0-9]` was read as several letters (the first
 * of 2)". */
void f2l_note_print(char out[256], const f2l_note *note);

#endif
