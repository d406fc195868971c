/* Blocks `unrounded` in certificates (grammar in theory/pages/unrounded.md). */
#include "theory/certify/cert/cert_head.h"
#include "theory/certify/cert/cert_read.h"
#include "theory/certify/cert/float_cert.h"
#include "theory/certify/unrounded/impl.h"
#include <string.h>

static size_t line_end(const char *bytes, size_t at, size_t size)
{
    while (at < size && bytes[at] != '\n') at++;
    return at < size ? at + 1 : size;
}

static bool text_begins_with(const char *bytes, size_t at, size_t end, const char *with)
{
    const size_t n = strlen(with);
    return end - at >= n && memcmp(bytes + at, with, n) == 0;
}

/* Returns whether the fourth line is this one. */
static bool claims(const char *bytes, size_t size, const char *line)
{
    size_t at = 0;
    for (int before = 0; before < 3; before++) at = line_end(bytes, at, size);
    return text_begins_with(bytes, at, size, line);
}

/* Returns the position of a new block: after the claim, the fourth line, and the blocks that are
 * there; 0 when the claim is one about a format, which may have no block. *there: one of the blocks
 * begins with the line `heading`. */
static size_t block_place(const char *bytes, size_t size, const f2l_buf *heading, bool *there)
{
    static const char *const of_blocks[] = {"unrounded ", "set layer ", "vector ", "bound layer "};
    size_t at = 0, end;
    *there = false;
    if (!claims(bytes, size, "claim ") || claims(bytes, size, "claim float\n") ||
        claims(bytes, size, "claim refuted\n"))
        return 0;
    for (int line = 0; line < 3; line++) at = line_end(bytes, at, size);
    end = line_end(bytes, at, size);
    for (;;) {
        at = end;
        end = line_end(bytes, at, size);
        bool part = false;
        for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++)
            part = part || text_begins_with(bytes, at, end, of_blocks[i]);
        if (!part) return at;
        *there = *there || (end - at == heading->size &&
                            memcmp(bytes + at, heading->data, heading->size) == 0);
    }
}

static void write_vector_set(f2l_buf *out, const f2l_unrounded_set *set)
{
    f2l_buf_printf(out, "set layer %zu head %zu vectors %zu\n", set->layer + 1, set->head + 1,
                   set->count);
    for (size_t i = 0; i < set->count; i++) {
        if (set->column[i] == F2L_UNROUNDED_IMAGE)
            f2l_buf_text(out, "vector image");
        else if (set->column[i] == F2L_UNROUNDED_BACK)
            f2l_buf_text(out, "vector back");
        else
            f2l_buf_printf(out, "vector column %lu", (unsigned long)set->column[i] + 1);
        for (size_t k = 0; k < set->vector[i].count; k++) {
            f2l_buf_printf(out, " %lu:", (unsigned long)set->vector[i].index[k] + 1);
            f2l_buf_rational(out, set->vector[i].value[k]);
        }
        f2l_buf_text(out, "\n");
    }
}

static void write_bound(f2l_buf *out, const f2l_unrounded_bound *bound)
{
    f2l_buf_printf(out, "bound layer %zu head %zu %s places %d most ", bound->layer + 1,
                   bound->head + 1, bound->what, bound->places);
    f2l_buf_rational(out, bound->most);
    f2l_buf_text(out, "\n");
}

static void write_format_heading(f2l_buf *out, const f2l_format *format,
                                 const f2l_schedule *schedule)
{
    f2l_buf_text(out, "unrounded ");
    f2l_float_cert_format(out, format);
    f2l_buf_text(out, " ");
    f2l_float_cert_schedule(out, schedule);
    f2l_buf_text(out, "\n");
}

static void write_unrounded_block(f2l_buf *out, const f2l_unrounded *u, const f2l_buf *heading)
{
    f2l_buf_bytes(out, heading->data, heading->size);
    for (size_t i = 0; i < u->sets; i++) {
        write_vector_set(out, &u->set[i]);
        for (size_t k = 0; k < F2L_UNROUNDED_WHATS; k++)
            write_bound(out, &u->bound[i * F2L_UNROUNDED_WHATS + k]);
    }
}

/* Writes the block unless the claim is there already. */
static f2l_status write_beside(f2l_buf *out, const char *bytes, size_t size, const f2l_unrounded *u,
                               const f2l_buf *heading, f2l_error *err)
{
    bool there;
    const size_t begin = out->size, at = block_place(bytes, size, heading, &there);
    if (at == 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "the certificate does not claim anything of the exact "
                        "network");
    f2l_buf_bytes(out, bytes, at);
    if (!there) write_unrounded_block(out, u, heading);
    f2l_buf_bytes(out, bytes + at, size - F2L_CERT_SEAL_SIZE - at);
    return f2l_cert_seal(out, begin, err);
}

f2l_status f2l_unrounded_write(f2l_buf *out, const char *bytes, size_t size, const f2l_unrounded *u,
                               const f2l_format *format, const f2l_schedule *schedule,
                               f2l_error *err)
{
    if (u->verdict != F2L_OK)
        return f2l_fail(err, F2L_EDOMAIN, "only a proof that nothing rounds can be claimed");
    f2l_status known = f2l_cert_schedule_refuse(schedule, err);
    if (known != F2L_OK) return known;
    if (schedule->store.scale &&
        f2l_schedule_state_format(schedule, format)->rounding == F2L_ROUND_STOCHASTIC)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the checkers have no claim for a scaled state in a format that draws");
    if (text_begins_with(bytes, 0, size, "lrnn-certificate 1\n"))
        return f2l_fail(
            err, F2L_EFORMAT,
            "format version 1 is no longer read: this program reads lrnn-certificate 2 (compile "
            "again)");
    if (!f2l_cert_is_sealed(bytes, size))
        return f2l_fail(err, F2L_EFORMAT, "this is no certificate with a right seal");
    if (claims(bytes, size, "claim swaps\n"))
        return f2l_fail(err, F2L_EDOMAIN, "lrnn-check-unrounded does not know the claim swaps");
    f2l_buf heading;
    f2l_buf_init(&heading);
    write_format_heading(&heading, format, schedule);
    f2l_status status = f2l_buf_status(&heading, err);
    if (status == F2L_OK) status = write_beside(out, bytes, size, u, &heading, err);
    f2l_buf_clear(&heading);
    return status;
}
