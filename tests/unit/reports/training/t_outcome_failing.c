/* The short failing words of an outcome. */
#include "tests/support/reports/outcome_support.h"

/* The failing word of a seed is the shorter one of the search's and of the shortest test words with
 * a wrong answer; a seed without a search says so. */
Test(outcome_failing, failing_words)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_buf text;
    f2l_outcomes_init(&list);
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_BEST);
    for (uint32_t i = 0; i < 4; i++) add(&w, i + 1, F2L_TRAIN_COMPLETED, 10, i < 2 ? 10 : 7, 6);
    w.seed[0].failing = (f2l_outcome_failing){.searched = true, .letters_read = 500};
    w.seed[1].failing = (f2l_outcome_failing){
        .searched = true, .wrong_letters = 17, .word = "1 0", .letters_read = 700};
    /* a search of random words only */
    w.seed[3].failing = (f2l_outcome_failing){.searched = true,
                                              .wrong_letters = 41,
                                              .letters_read = 60,
                                              .no_search_reason = "its mixer is attention"};
    append(&list, &w);
    const f2l_reproduce_report report = {.outcomes = &list};
    reproduce_text_of(&text, &report);
    contains(&text, "in letters, of each seed: 256, 17, 40, 40; among", true);
    contains(&text, "and a search of 700 letters in 3 of 4 seeds", true);
    f2l_buf_clear(&text);
    reproduce_json_of(&text, &report);
    contains(&text, "{\"seed\":2,\"wrong_letters\":17,\"by_search\":true,\"letters_read\":700,",
             true);
    contains(&text, "{\"seed\":3,\"wrong_letters\":40,\"by_search\":false,\"letters_read\":null,",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

/* A search that memory ended takes nothing away from an earlier one, and is no search of its
 * letters; a whole one takes its place, but for a shorter word. */
Test(outcome_failing, failing_join)
{
    const f2l_outcome_failing old = {.searched = true,
                                     .wrong_letters = 17,
                                     .word = "1 0",
                                     .all_words_up_to = 9,
                                     .letters_read = 900,
                                     .letters_allowed = 1000};
    f2l_outcome_failing refused = {.searched = true,
                                   .letters_read = 4,
                                   .letters_allowed = 1,
                                   .no_search_reason = "it needs more memory than is allowed"};
    cr_assert(!f2l_outcome_failing_stands(&refused, 5000));
    f2l_outcome_failing joined = refused;
    f2l_outcome_failing_join(&joined, &(f2l_outcome_failing){.searched = false});
    cr_assert(joined.letters_read == 4 && joined.no_search_reason[0]);
    f2l_outcome_failing_join(&joined, &old);
    cr_assert(joined.wrong_letters == 17 && strcmp(joined.word, "1 0") == 0);
    cr_assert(joined.all_words_up_to == 9 && joined.letters_read == 900 &&
              joined.letters_allowed == 1000 && !joined.no_search_reason[0]);
    cr_assert(f2l_outcome_failing_stands(&joined, 1000) &&
              !f2l_outcome_failing_stands(&joined, 5000));
    refused.wrong_letters = 12;
    snprintf(refused.word, sizeof refused.word, "1 1");
    f2l_outcome_failing_join(&refused, &old);
    cr_assert(refused.wrong_letters == 12 && strcmp(refused.word, "1 1") == 0 &&
              refused.letters_allowed == 1000);
    joined = (f2l_outcome_failing){
        .searched = true, .all_words_up_to = 11, .letters_read = 4900, .letters_allowed = 5000};
    f2l_outcome_failing_join(&joined, &old);
    cr_assert(joined.wrong_letters == 17 && joined.all_words_up_to == 11 &&
              joined.letters_allowed == 5000 && joined.letters_read == 4900);
}

/* A search stands where more letters would add nothing to it. */
Test(outcome_failing, failing_stands)
{
    f2l_outcome_failing found = {.searched = true, .letters_read = 500, .letters_allowed = 400};
    cr_assert(f2l_outcome_failing_stands(&found, 400) && !f2l_outcome_failing_stands(&found, 401));
    found.wrong_letters = 7, found.all_words_up_to = 5;
    cr_assert(!f2l_outcome_failing_stands(&found, 401));
    found.all_words_up_to = 6; /* all shorter words are right */
    cr_assert(f2l_outcome_failing_stands(&found, UINT64_MAX));
    found = (f2l_outcome_failing){.searched = true, .letters_read = 500};
    cr_assert(f2l_outcome_failing_stands(&found, 250) && !f2l_outcome_failing_stands(&found, 251));
    found.searched = false;
    cr_assert(!f2l_outcome_failing_stands(&found, 1));
}

/* A row that was not searched says why where its date tells it: programs did not search before. */
Test(outcome_failing, not_searched)
{
    static const struct {
        const char *date, *text;
    } rows[] = {
        {"2026-11-22", "not searched, since the row was recorded before programs did so"},
        {"2026-11-29", "not searched, since the row was recorded before programs did so"},
        {"2026-11-30", "40; among 30 test words; not searched"},
        {"", "40; among 30 test words; not searched"},
    };
    f2l_outcome w;
    f2l_buf text;
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_BEST);
    add(&w, 1, F2L_TRAIN_COMPLETED, 10, 7, 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(w.date, sizeof w.date, "%s", rows[i].date);
        f2l_buf_init(&text);
        cr_assert_eq(f2l_outcome_failing_text(&text, &w, NULL), F2L_OK);
        const char *at = strstr(text.data, rows[i].text);
        cr_assert(at != NULL && at[strlen(rows[i].text)] == '\0', "%s: %s", rows[i].date,
                  text.data);
        f2l_buf_clear(&text);
    }
    f2l_outcome_clear(&w);
}
