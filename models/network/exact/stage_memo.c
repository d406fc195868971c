#include "models/network/exact/stage_memo.h"
#include "numeric/base/mem.h"
#include <stdint.h>
#include <string.h>

#define FIRST_STEPS 256          /* that are computed before rows are made */
#define MOST_ROWS ((size_t)4096) /* of a head */
#define MOST_BYTES ((size_t)1 << 18)

void f2l_stage_memo_init(f2l_stage_memo *memo, size_t slots, size_t readouts)
{
    *memo = (f2l_stage_memo){.slots = slots, .readouts = readouts};
}

void f2l_stage_memo_clear(f2l_stage_memo *memo)
{
    f2l_free(memo->row);
    *memo = (f2l_stage_memo){0};
}

static size_t memo_width(const f2l_stage_memo *memo)
{
    return 1 + memo->slots + 2 * memo->readouts;
}

static void make_rows(f2l_stage_memo *memo)
{
    const size_t bytes = memo_width(memo) * sizeof *memo->row;
    size_t rows = MOST_ROWS;
    while (rows * bytes > MOST_BYTES) rows /= 2;
    memo->row = rows > 0 ? f2l_calloc(rows, bytes) : NULL;
    memo->rows = memo->row ? rows : 0;
}

static uint64_t mix_numbers(uint64_t hash, const size_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ number[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

bool f2l_stage_memo_find(f2l_stage_memo *memo, size_t *after, const size_t *letter,
                         const size_t *before)
{
    memo->at = NULL;
    if (memo->rows == 0 && ++memo->steps == FIRST_STEPS) make_rows(memo);
    if (memo->rows == 0) return false;
    const uint64_t hash =
        mix_numbers(mix_numbers(memo->slots, letter, memo->slots), before, memo->readouts);
    size_t *at = memo->row + (hash & (memo->rows - 1)) * memo_width(memo);
    memo->at = at;
    if (at[0] == 0 || memcmp(at + 1, letter, memo->slots * sizeof *at) != 0 ||
        memcmp(at + 1 + memo->slots, before, memo->readouts * sizeof *at) != 0) {
        at[0] = 0; /* until what is after is known */
        memcpy(at + 1, letter, memo->slots * sizeof *at);
        memcpy(at + 1 + memo->slots, before, memo->readouts * sizeof *at);
        return false;
    }
    memcpy(after, at + 1 + memo->slots + memo->readouts, memo->readouts * sizeof *at);
    return true;
}

void f2l_stage_memo_keep(f2l_stage_memo *memo, const size_t *after)
{
    size_t *at = memo->at;
    if (!at) return;
    at[0] = 1;
    memcpy(at + 1 + memo->slots + memo->readouts, after, memo->readouts * sizeof *at);
}
