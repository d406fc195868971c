/* From chosen quotients to the representation: one set with all letters on it, and the code of the
 * start state. */
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Indicators tried in one orbit before all its colours are taken. */
#define MAX_INDICATORS 8

f2l_status f2l_gset_assemble(f2l_gset *out, const f2l_gset_action *base, const f2l_gset_part *part,
                             size_t parts, f2l_error *err)
{
    size_t letters = base[0].letters, points = 0, entries;
    for (size_t i = 0; i < parts; i++) points += part[i].blocks;
    out->letters = letters;
    out->points = points;
    out->orbits = parts;
    if (!f2l_mul_size(&entries, letters, points)) return f2l_fail_memory(err);
    out->image = f2l_calloc(entries, sizeof *out->image);
    out->orbit = f2l_calloc(parts + 1, sizeof *out->orbit);
    out->code = f2l_calloc(points, sizeof *out->code);
    if (out->image == NULL || out->orbit == NULL || out->code == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < parts; i++) {
        const f2l_gset_action *b = &base[part[i].base];
        size_t first = out->orbit[i];
        out->orbit[i + 1] = first + part[i].blocks;
        for (size_t a = 0; a < letters; a++) {
            const uint32_t *from = b->image + a * b->points;
            uint32_t *to = out->image + a * points + first;
            for (size_t p = 0; p < b->points; p++) {
                uint32_t x = part[i].label != NULL ? part[i].label[p] : (uint32_t)p;
                uint32_t y = part[i].label != NULL ? part[i].label[from[p]] : from[p];
                to[x] = (uint32_t)first + y;
            }
        }
    }
    return F2L_OK;
}

/* Returns the code of an orbit's first colour: an indicator is 0/1, the textbook H_0 of more values
 * is (1 .. n). */
static uint32_t first_code(size_t colours)
{
    return colours > 2;
}

void f2l_gset_code_all(f2l_gset *g)
{
    for (size_t o = 0; o < g->orbits; o++) {
        uint32_t first = first_code(g->orbit[o + 1] - g->orbit[o]);
        for (size_t p = g->orbit[o]; p < g->orbit[o + 1]; p++) {
            g->code[p] = first + (uint32_t)(p - g->orbit[o]);
            if (g->code[p] >= g->colours) g->colours = g->code[p] + 1;
        }
    }
}

typedef struct coding {
    const f2l_gset *g;
    const uint32_t *colour, *mine; /* all rows, and the start's */
    size_t states, start;
    uint32_t *value; /* [points] of every colour */
    uint32_t *size;  /* [points] of every colour: how many points of the start's row have it; 0: no
                        such colour */
    uint64_t *same;
} coding;

static bool told_apart(const coding *c)
{
    f2l_gset_colours_same(c->same, c->colour, c->value, c->states, c->g->points, c->start);
    return f2l_gset_bits_count(c->same, c->states) == 1;
}

static void number_colours(const coding *c, size_t orbit)
{
    size_t first = c->g->orbit[orbit], end = c->g->orbit[orbit + 1], colours = 0;
    for (size_t p = first; p < end; p++)
        colours += c->mine[p] == p; /* a colour is the number of its least point */
    uint32_t next = first_code(colours);
    for (size_t p = first; p < end; p++)
        if (c->mine[p] == p) c->value[p] = next++;
}

/* Replaces the orbit's colours by the indicator of one of them, the smallest possible; keeps them
 * all when none of the first few tells the states apart. */
static void reduce_orbit(const coding *c, size_t orbit)
{
    size_t first = c->g->orbit[orbit], end = c->g->orbit[orbit + 1], tried = 0;
    for (uint32_t size = 1; size <= (end - first) / 2 && tried < MAX_INDICATORS; size++) {
        for (size_t p = first; p < end && tried < MAX_INDICATORS; p++) {
            if (c->size[p] != size) continue;
            for (size_t x = first; x < end; x++) c->value[x] = x == p;
            if (told_apart(c)) return;
            tried++;
        }
    }
    number_colours(c, orbit);
}

f2l_status f2l_gset_code(f2l_gset *g, bool *apart, const uint32_t *colour, size_t states,
                         size_t start, f2l_error *err)
{
    coding c = {.g = g,
                .colour = colour,
                .mine = colour + start * g->points,
                .states = states,
                .start = start};
    c.value = f2l_calloc(g->points, sizeof *c.value);
    c.size = f2l_calloc(g->points, sizeof *c.size);
    c.same = f2l_calloc(F2L_GSET_WORDS(states), sizeof *c.same);
    f2l_status status =
        c.value != NULL && c.size != NULL && c.same != NULL ? F2L_OK : f2l_fail_memory(err);
    *apart = false;
    if (status == F2L_OK) {
        for (size_t p = 0; p < g->points; p++) c.size[c.mine[p]]++;
        for (size_t o = 0; o < g->orbits; o++) number_colours(&c, o);
        *apart = told_apart(&c);
        for (size_t o = 0; o < g->orbits && *apart; o++) reduce_orbit(&c, o);
        for (size_t p = 0; p < g->points; p++) {
            g->code[p] = c.value[c.mine[p]];
            if (g->code[p] >= g->colours) g->colours = g->code[p] + 1;
        }
    }
    f2l_free(c.value);
    f2l_free(c.size);
    f2l_free(c.same);
    return status;
}
