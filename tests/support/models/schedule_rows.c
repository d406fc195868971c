#include "tests/support/models/schedule_rows.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 7
#define TRIES 10000

/* The last field is the format of the claim; "" leaves a setting out. */
static const char *const fields[][MOST_VALUES + 1] = {
    {"sum=left", "sum=halves", NULL},
    {"fuse=none", "fuse=sum", "fuse=update", "fuse=both", NULL},
    {"work=format", "work=fp32", NULL},
    {"operands=none", "operands=tf32", "operands=bf16", NULL},
    {"state=format", "state=fp32", "state=fp16", "state=e4m3", "state=int8", "state=int16", NULL},
    {"", ":stochastic", NULL},
    {"letters=1", "letters=2", "letters=5", NULL},
    {"scale=none", "scale=amax", "scale=pow2", "scale=amax:bf16", NULL},
    {"block=row", "block=head", NULL},
    {"residual=none", "residual=load", "residual=feedback", "residual=load:e4m3",
     "residual=feedback:e5m2", NULL},
    {"read=stored", "read=unstored", NULL},
    {"keys=format", "keys=fp32", NULL},
    {"", "eps=1e-6,raw=16", NULL},
    {"bf16", "fp16", "fp32", "e4m3", "tf32", "bf16,round=zero", NULL}};

enum { FIELDS = sizeof fields / sizeof *fields, STOCHASTIC = 5, STATE = 4, FORMAT = FIELDS - 1 };
enum { SUM = 0, FUSE = 1, WORK = 2, OPERANDS = 3, SCALE = 7, BLOCK = 8, RESIDUAL = 9 };
enum { KEYS = 11, EPS = 12 };

typedef size_t choice[FIELDS];

static size_t values_of(size_t field)
{
    size_t n = 0;
    while (fields[field][n]) n++;
    return n;
}

/* Writes the row as text; returns whether there is such a row. */
static bool write_row(char out[F2L_SCHEDULE_NAME], const choice c)
{
    char text[F2L_SCHEDULE_NAME] = "every", format_name[F2L_FORMAT_NAME];
    f2l_schedule schedule;
    f2l_format format;
    /* `format` and `fp32` are widths, which do not draw. */
    if (c[STOCHASTIC] && c[STATE] < 2) return false;
    for (size_t f = 0; f < FORMAT; f++) {
        if (f != STOCHASTIC && fields[f][c[f]][0] == '\0') continue;
        if (f != STOCHASTIC) strcat(text, ",");
        strcat(text, fields[f][c[f]]);
    }
    if (f2l_schedule_parse(&schedule, out, text, NULL) != F2L_OK) return false;
    cr_assert_eq(f2l_format_parse(&format, format_name, fields[FORMAT][c[FORMAT]], NULL), F2L_OK);
    return f2l_schedule_check(&schedule, &format, NULL) == F2L_OK;
}

/* Returns whether no row has both values. */
static bool exclude(size_t f, size_t x, size_t g, size_t y)
{
    const bool in_format = f == WORK && x == 0;
    if (in_format && ((g == OPERANDS && y > 0) || (g == SCALE && y > 0))) return true;
    if (in_format && ((g == RESIDUAL && y > 0) || (g == BLOCK && y == 1))) return true;
    if (f == SUM && x == 1 && g == FUSE && (y == 1 || y == 3)) return true;
    if (f == SCALE && x == 0 && g == BLOCK && y == 1) return true;
    if (f == KEYS && x == 1 && g == EPS && y == 0) return true;
    return f == STATE && x < 2 && g == STOCHASTIC && y > 0;
}

/* Draws a row in which fields f and g have the values x and y. */
static bool draw_with(char text[F2L_SCHEDULE_NAME], choice c, f2l_rng *rng, size_t f, size_t x,
                      size_t g, size_t y)
{
    for (size_t t = 0; t < TRIES; t++) {
        for (size_t i = 0; i < FIELDS; i++) c[i] = f2l_rng_below(rng, values_of(i));
        c[f] = x;
        c[g] = y;
        if (write_row(text, c)) return true;
    }
    return false;
}

void draw_rows(drawn_rows *out, uint64_t seed)
{
    static bool covered[FIELDS][MOST_VALUES][FIELDS][MOST_VALUES];
    f2l_rng rng;
    size_t room = 0;
    f2l_rng_init(&rng, seed, 0);
    memset(covered, 0, sizeof covered);
    *out = (drawn_rows){0};
    for (size_t f = 0; f < FIELDS; f++)
        for (size_t g = f + 1; g < FIELDS; g++)
            for (size_t i = 0; i < values_of(f) * values_of(g); i++) {
                const size_t x = i / values_of(g), y = i % values_of(g);
                char text[F2L_SCHEDULE_NAME];
                choice c;
                if (covered[f][x][g][y]) continue;
                const bool found = draw_with(text, c, &rng, f, x, g, y);
                cr_assert(found != exclude(f, x, g, y), "seed %llu: %s and %s",
                          (unsigned long long)seed, fields[f][x], fields[g][y]);
                out->impossible += !found;
                if (!found) continue;
                if (out->count == room) {
                    room = 2 * room + 64;
                    out->row = realloc(out->row, room * sizeof *out->row);
                    cr_assert_not_null(out->row);
                }
                drawn_row *row = &out->row[out->count++];
                memcpy(row->schedule, text, sizeof row->schedule);
                row->format = fields[FORMAT][c[FORMAT]];
                for (size_t a = 0; a < FIELDS; a++)
                    for (size_t b = a + 1; b < FIELDS; b++) {
                        out->pairs += !covered[a][c[a]][b][c[b]];
                        covered[a][c[a]][b][c[b]] = true;
                    }
            }
}

void drawn_rows_clear(drawn_rows *rows)
{
    free(rows->row);
    *rows = (drawn_rows){0};
}
