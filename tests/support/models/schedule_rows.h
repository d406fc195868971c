/* Schedules drawn at random from the cross product of a row's fields, so that each pair of values
 * of two fields that can go together is in some row. For the tests of every arithmetic that walks a
 * step. */
#ifndef TESTS_SCHEDULE_ROWS_H
#define TESTS_SCHEDULE_ROWS_H

#include "models/network/schedule/schedule.h"
#include "numeric/base/rng.h"

/* A row and a format that it is for, as the texts that f2l_schedule_parse and f2l_format_parse
 * read. */
typedef struct drawn_row {
    char schedule[F2L_SCHEDULE_NAME];
    const char *format;
} drawn_row;

typedef struct drawn_rows {
    size_t count, pairs, impossible; /* pairs that rows cover; pairs that no row can have */
    drawn_row *row;                  /* [count] */
} drawn_rows;

/* Draws the rows. Fails the test when two values are in no row although each field's meaning lets
 * them go together (the cases are listed in the function that decides it). */
void draw_rows(drawn_rows *out, uint64_t seed);
void drawn_rows_clear(drawn_rows *rows);

#endif
