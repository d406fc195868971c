/* Rows of the cross product of a schedule's fields in enclosures: the bound of a horizon holds for
 * words that are simulated in the same row. */
#include "tests/support/models/schedule_rows.h"
#include "tests/support/theory/horizon_support.h"

#define SEED 2313

/* Returns whether there is a bound; where there is none, it has a reason. */
static bool is_bounded(const horizon_sample *s, const drawn_row *row)
{
    char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
    f2l_schedule schedule;
    f2l_format format;
    f2l_horizon h;
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row->schedule, NULL), F2L_OK);
    cr_assert_eq(f2l_format_parse(&format, format_name, row->format, NULL), F2L_OK);
    if (f2l_horizon_find(&h, NULL, NULL, &s->net, &format, &schedule, 0, NULL, NULL) != F2L_OK)
        return true; /* horizon_agrees looks at the status */
    cr_assert(h.known != (h.reason[0] != '\0'), "%s", name);
    return h.known;
}

/* Drops the fields that no statement bounds from half of the rows, which then are bounded. */
static void make_bounded(drawn_row *row)
{
    static const char *const dropped[] = {
        ",gate=", ",letters=", ",residual=", ",residual-scale=", ",stores=",
        ",ring=", ",second=",  ",prefill=",  ",handover="};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        char *at = strstr(row->schedule, dropped[i]);
        if (!at) continue;
        const char *end = at + 1 + strcspn(at + 1, ",");
        memmove(at, end, strlen(end) + 1);
    }
}

Test(horizon_rows, bounds_hold_for_simulated_words)
{
    drawn_rows rows;
    f2l_rng rng;
    size_t bounded = 0, finite = 0, scaled = 0, unstored = 0;
    f2l_rng_init(&rng, SEED, 1);
    draw_rows(&rows, SEED);
    for (size_t i = 0; i < rows.count; i++) {
        drawn_row *row = &rows.row[i];
        /* Errors that each reset brings back neither grow nor end: the search has no leap there. */
        const bool whole = strstr(row->schedule, "state=int") != NULL;
        const horizon_kinds kinds = {
            .resets = i % 4 == 1 && !whole, .bias = i % 4 > 1, .raw = i % 3 == 0};
        if (i % 2) make_bounded(row);
        for (size_t k = 0; k < 6; k++) {
            horizon_sample s;
            f2l_horizon h;
            horizon_random(&s, &rng, kinds);
            if (is_bounded(&s, row) &&
                horizon_agrees(&s, row->format, row->schedule, 300, SEED + i, &h)) {
                bounded++;
                finite += !h.for_ever;
                scaled += strstr(row->schedule, ",scale=") != NULL && h.letters > 0;
                unstored += strstr(row->schedule, ",read=") != NULL && h.letters > 0;
            }
            horizon_sample_clear(&s);
        }
    }
    cr_log_info("%zu rows, %zu bounded, %zu of these finite, %zu with scales, %zu read unstored",
                rows.count, bounded, finite, scaled, unstored);
    cr_assert_gt(bounded, 2 * rows.count);
    cr_assert_gt(finite, rows.count);
    cr_assert_gt(scaled, 256);
    cr_assert_gt(unstored, 64);
    drawn_rows_clear(&rows);
}
