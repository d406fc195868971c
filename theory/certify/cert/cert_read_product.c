/* The division of a product (theory/certify/forms/product_cert.c). */
#include "theory/certify/cert/impl.h"

enum { PART_BYTES = sizeof "part 1 stages 2 1 letters 1 classes 1\n" - 1 };

/* Reads the lines of part i. */
static bool read_division_part(f2l_cert_reader *r, size_t i)
{
    f2l_scan *s = &r->s;
    f2l_division_part *part = &r->out->division.part[i];
    const size_t states = r->fsa->states.count;
    size_t first;
    if (!f2l_scan_want(s, "part ") || !f2l_scan_ordinal(s, "the part", i) ||
        !f2l_cert_value(s, " stages ", &first, "the stage", 2, SIZE_MAX) ||
        !f2l_cert_value(s, " ", &part->stages, "the number of stages", 1, SIZE_MAX) ||
        !f2l_cert_value(s, " letters ", &part->letters, "the number of letters", 1,
                        r->fsa->letters.count) ||
        !f2l_cert_value(s, " classes ", &part->classes, "the number of classes", 1, states) ||
        !f2l_scan_want(s, "\n") || !f2l_scan_want(s, "class"))
        return false;
    part->first = first - 1;
    for (size_t q = 0; q < states; q++) {
        size_t class;
        if (!f2l_cert_value(s, " ", &class, "the class", 0, part->classes)) return false;
        part->class_of[q] = class ? (uint32_t)(class - 1) : UINT32_MAX;
    }
    return f2l_scan_want(s, "\n");
}

static bool read_shares(f2l_cert_reader *r, size_t block)
{
    f2l_scan *s = &r->s;
    const f2l_division *d = &r->out->division;
    bool good = f2l_scan_want(s, "divide ") && f2l_scan_ordinal(s, "the block", block);
    for (size_t i = 0; good && i < d->parts; i++) {
        f2l_share *share = &d->share[block * d->parts + i];
        good = f2l_cert_value(s, " ", &share->inputs, "inputs", 0, UINT32_MAX) &&
               f2l_cert_value(s, ".", &share->pres, "gates", 0, UINT32_MAX) &&
               f2l_cert_value(s, ".", &share->heads, "heads", 0, UINT32_MAX) &&
               f2l_cert_value(s, ".", &share->posts, "gates", 0, UINT32_MAX) &&
               f2l_cert_value(s, ".", &share->outputs, "outputs", 0, UINT32_MAX);
    }
    return good && f2l_scan_want(s, "\n");
}

/* Reads the claim of a part; the lines after it are for the checker. */
static bool read_part_claim(f2l_cert_reader *r, size_t i)
{
    static const struct {
        const char *line;
        f2l_cert_claim claim;
    } known[] = {{"claim exact\n", F2L_CERT_EXACT},
                 {"claim zeiger\n", F2L_CERT_ZEIGER},
                 {"claim d1\n", F2L_CERT_D1}};
    f2l_scan *s = &r->s;
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        if (!f2l_scan_next_is(s, known[c].line)) continue;
        r->out->division.part[i].claim = known[c].claim;
        if (!f2l_scan_want(s, known[c].line)) return false;
        while (!f2l_scan_next_is(s, "end "))
            if (!f2l_cert_skip_line(s)) return false;
        return f2l_cert_skip_line(s);
    }
    return f2l_scan_fail(s, s->at, "expected the claim of a part");
}

bool f2l_cert_reader_product(f2l_cert_reader *r)
{
    f2l_scan *s = &r->s;
    size_t parts, blocks;
    bool good = f2l_scan_want(s, " parts ") &&
                f2l_scan_count(s, &parts, "the number of parts", 2, PART_BYTES) &&
                f2l_scan_want(s, " blocks ") &&
                f2l_scan_count(s, &blocks, "the number of blocks", 2, 1) && f2l_scan_want(s, "\n");
    if (!good) return false;
    /* Every block but two has a line with a group of ten bytes or more for each part, and every
     * part has a line with two bytes or more for each state. */
    if (blocks - 2 > s->size / 10 / parts || r->fsa->states.count > s->size / 2 / parts)
        return f2l_scan_fail(s, s->at, "the file is too short for its parts");
    good = f2l_scan_passed(
        s, f2l_division_set(&r->out->division, parts, blocks, r->fsa->states.count, s->err));
    for (size_t i = 0; good && i < parts; i++) good = read_division_part(r, i);
    for (size_t b = 1; good && b + 1 < blocks; b++) good = read_shares(r, b);
    for (size_t i = 0; good && i < parts; i++) good = read_part_claim(r, i);
    return good && f2l_cert_read_end(r, parts);
}
