#include "tests/support/models/schedule_rows.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 9
#define TRIES 3000

/* The last field is the format of the claim; "" leaves a setting out. */
static const char *const fields[][MOST_VALUES + 1] = {
    {"sum=left", "sum=halves", "sum=butterfly", "sum=lanes:2", "sum=blocks:2:2", "sum=lanes:4:2",
     NULL},
    {"fuse=none", "fuse=sum", "fuse=update", "fuse=both", NULL},
    {"gate=early", "gate=late", "gate=folded", NULL},
    {"work=format", "work=fp32", NULL},
    {"operands=none", "operands=tf32", "operands=bf16", NULL},
    {"state=format", "state=fp32", "state=fp16", "state=e4m3", "state=int8", "state=int16",
     "state=e2m1", NULL},
    {"", ":stochastic", NULL},
    {"letters=1", "letters=2", "letters=5", NULL},
    {"scale=none", "scale=amax", "scale=pow2", "scale=amax:bf16", "scale=amax:ue8m0", "scale=mx",
     "scale=static:0.013", "scale=amax:e4m3", "scale=amax:fp32", NULL},
    {"quotient=inverse", "quotient=divide", "quotient=two", NULL},
    {"most=largest", "most=6", NULL},
    {"clamp=symmetric", "clamp=full", "clamp=none", NULL},
    {"block=row", "block=group:2", "block=tile:2", "block=head", "block=tensor", NULL},
    {"draw=any", "draw=top:3", "draw=bottom:7", "draw=floor:5", NULL},
    {"pair=no", "pair=reversed", NULL},
    {"residual=none", "residual=load", "residual=feedback", "residual=load:e4m3",
     "residual=feedback:int4", NULL},
    {"residual-scale=none", "residual-scale=amax", "residual-scale=pow2", NULL},
    {"read=stored", "read=unstored", NULL},
    {"output=usual", "output=fp16", "output=e4m3:saturate", NULL},
    {"keys=format", "keys=fp32", NULL},
    {"", "eps=1e-6,raw=4", NULL},
    {"norm-in=fp32", "norm-in=format", NULL},
    {"beta=format", "beta=fp32", "beta=logit", "beta=logit-format", NULL},
    {"stores=letter", "stores=factor", NULL},
    {"ring=none", "ring=format", "ring=fp16", NULL},
    {"second=none", "second=head", NULL},
    {"prefill=none", "prefill=unstored", NULL},
    {"handover=fp32", "handover=bf16", "handover=e4m3", NULL},
    {"bf16", "fp16", "fp32", "e4m3", "tf32", "bf16,round=zero", NULL}};

enum {
    SUM,
    FUSE,
    GATE,
    WORK,
    OPERANDS,
    STATE,
    STOCHASTIC,
    LETTERS,
    SCALE,
    QUOTIENT,
    MOST,
    CLAMP,
    BLOCK,
    DRAW,
    PAIR,
    RESIDUAL,
    RESIDUAL_SCALE,
    READ,
    OUTPUT,
    KEYS,
    EPS,
    NORM_IN,
    BETA,
    STORES,
    RING,
    SECOND,
    PREFILL,
    HANDOVER,
    FORMAT,
    FIELDS
};

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

#define IN(set, value) (((set) >> (value)&1) != 0)

/* Returns whether these values of two fields exclude each other; f < g. Sets are of values, the
 * least bit for the first. */
static bool exclude(size_t f, size_t x, size_t g, size_t y)
{
    static const struct {
        size_t f;
        unsigned x;
        size_t g;
        unsigned y;
    } pairs[] = {/* operations in the format */
                 {WORK, 1, OPERANDS, 6},
                 {WORK, 1, SCALE, 510},
                 {WORK, 1, RESIDUAL, 30},
                 {WORK, 1, OUTPUT, 6},
                 {WORK, 1, QUOTIENT, 6},
                 {WORK, 1, MOST, 2},
                 {WORK, 1, CLAMP, 4},
                 {WORK, 1, BLOCK, 30},
                 {WORK, 1, RESIDUAL_SCALE, 6},
                 /* order */
                 {SUM, 6, FUSE, 10},
                 {GATE, 4, OPERANDS, 6},
                 /* what draws */
                 {STATE, 3, STOCHASTIC, 2},
                 {STATE, 3, DRAW, 14},
                 {STATE, 3, PAIR, 2},
                 {STATE, 79, DRAW, 8},
                 {STOCHASTIC, 1, DRAW, 14},
                 {STOCHASTIC, 1, PAIR, 2},
                 {DRAW, 1, PAIR, 2},
                 {CLAMP, 4, DRAW, 8},
                 {BLOCK, 28, PAIR, 2},
                 {PAIR, 2, RESIDUAL, 30},
                 {PAIR, 2, RESIDUAL_SCALE, 6},
                 /* scales */
                 {SCALE, 1, BLOCK, 30},
                 {SCALE, 1, QUOTIENT, 6},
                 {SCALE, 292, QUOTIENT, 6},
                 {SCALE, 64, QUOTIENT, 4},
                 {SCALE, 97, MOST, 2},
                 {SCALE, 1, CLAMP, 4},
                 {STATE, 3, MOST, 2},
                 {STATE, 79, CLAMP, 2},
                 {STATE, 112, CLAMP, 4},
                 /* residuals */
                 {RESIDUAL, 15 & ~8U, RESIDUAL_SCALE, 6},
                 {RESIDUAL, 16, RESIDUAL_SCALE, 1},
                 /* keys */
                 {KEYS, 2, EPS, 1},
                 {EPS, 1, NORM_IN, 2},
                 {WORK, 1, BETA, 14},
                 /* when it is stored, and prompts */
                 {BLOCK, 16, STORES, 2},
                 {LETTERS, 6, STORES, 2},
                 {RESIDUAL, 30, STORES, 2},
                 {RESIDUAL_SCALE, 6, STORES, 2},
                 {WORK, 1, RING, 6},
                 {LETTERS, 1, RING, 6},
                 {READ, 1, RING, 6},
                 {OPERANDS, 6, RING, 6},
                 {RESIDUAL, 30, RING, 6},
                 {RESIDUAL_SCALE, 6, RING, 6},
                 {STORES, 2, RING, 6},
                 {WORK, 1, SECOND, 2},
                 {SCALE, 383, SECOND, 2},
                 {QUOTIENT, 6, SECOND, 2},
                 {STATE, 3, SECOND, 2},
                 {BLOCK, 16, SECOND, 2},
                 {WORK, 1, PREFILL, 2},
                 {RING, 6, PREFILL, 2},
                 {WORK, 1, HANDOVER, 6},
                 {RING, 6, HANDOVER, 6},
                 {PREFILL, 1, HANDOVER, 6}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].f == f && pairs[i].g == g && IN(pairs[i].x, x) && IN(pairs[i].y, y))
            return true;
    return false;
}

/* Values of one field without which some values of another field are not for any row, or nearly. */
static void imply_values(choice c, f2l_rng *rng, size_t f, size_t g)
{
    static const struct {
        size_t f, g, from, values; /* if c[f] > 0, c[g] is from .. from + values - 1 */
    } needs[] = {{PAIR, DRAW, 1, 3},        {DRAW, STOCHASTIC, 1, 1},
                 {STOCHASTIC, STATE, 2, 5}, {QUOTIENT, SCALE, 1, 1},
                 {MOST, SCALE, 1, 4},       {BLOCK, SCALE, 1, 7},
                 {MOST, STATE, 2, 5},       {RESIDUAL_SCALE, RESIDUAL, 3, 2},
                 {NORM_IN, EPS, 1, 1},      {KEYS, EPS, 1, 1},
                 {SCALE, WORK, 1, 1},       {OUTPUT, WORK, 1, 1},
                 {RESIDUAL, WORK, 1, 1},    {OPERANDS, WORK, 1, 1},
                 {RESIDUAL, STATE, 2, 5},   {LETTERS, STATE, 2, 5},
                 {SECOND, SCALE, 7, 1},     {SECOND, STATE, 2, 5},
                 {SECOND, WORK, 1, 1},      {RING, LETTERS, 1, 2},
                 {RING, READ, 1, 1},        {RING, WORK, 1, 1},
                 {STORES, STATE, 2, 5},     {HANDOVER, PREFILL, 1, 1},
                 {PREFILL, WORK, 1, 1},     {BETA, WORK, 1, 1}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        const size_t to = needs[i].g, last = needs[i].from + needs[i].values;
        if (c[needs[i].f] == 0 || to == f || to == g) continue;
        if (c[to] < needs[i].from || c[to] >= last)
            c[to] = needs[i].from + f2l_rng_below(rng, needs[i].values);
    }
}

/* Draws a row in which fields f and g have the values x and y; other fields often have their first
 * value, with which most others go. */
static bool draw_with(char text[F2L_SCHEDULE_NAME], choice c, f2l_rng *rng, size_t f, size_t x,
                      size_t g, size_t y)
{
    for (size_t t = 0; t < TRIES; t++) {
        for (size_t i = 0; i < FIELDS; i++)
            c[i] = f2l_rng_below(rng, 5) ? 0 : f2l_rng_below(rng, values_of(i));
        c[f] = x;
        c[g] = y;
        imply_values(c, rng, f, g);
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
