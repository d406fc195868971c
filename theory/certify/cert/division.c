#include "theory/certify/cert/division.h"
#include "numeric/base/mem.h"

void f2l_division_clear(f2l_division *division)
{
    for (size_t i = 0; division->part && i < division->parts; i++)
        f2l_free(division->part[i].class_of);
    f2l_free(division->part);
    f2l_free(division->share);
    *division = (f2l_division){0};
}

f2l_status f2l_division_set(f2l_division *out, size_t parts, size_t blocks, size_t states,
                            f2l_error *err)
{
    size_t shares;
    bool room = f2l_mul_size(&shares, parts, blocks);
    f2l_division_clear(out);
    out->parts = parts;
    out->blocks = blocks;
    out->part = f2l_calloc(parts, sizeof *out->part);
    out->share = room ? f2l_calloc(shares, sizeof *out->share) : NULL;
    room = out->part && out->share;
    for (size_t i = 0; room && i < parts; i++) {
        out->part[i].class_of = f2l_calloc(states, sizeof *out->part[i].class_of);
        room = out->part[i].class_of != NULL;
    }
    if (room) return F2L_OK;
    f2l_division_clear(out);
    return f2l_fail_memory(err);
}
