/* The shortest failing word that is known of each seed of an outcome: of a search, and of the test
 * words, whose lengths bound it. */
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"

/* Returns the least length among the scores with a wrong sequence; 0: there is none. */
static size_t least_wrong_length(const f2l_train_accuracies *score, size_t scores)
{
    for (size_t i = 0; i < scores; i++)
        if (score[i].sequence_accuracy < 1) return score[i].length;
    return 0;
}

/* Returns the length of the shortest test word that is known to fail; 0: none is. The list of every
 * length, where it is there, is finer. */
static size_t shortest_failing_test_word(const f2l_outcome *w, const f2l_outcome_seed *s)
{
    return s->every   ? least_wrong_length(s->every, s->everys)
           : s->score ? least_wrong_length(s->score, w->lengths)
                      : 0;
}

static size_t count_test_words(const f2l_outcome *w, const f2l_outcome_seed *s)
{
    size_t sum = 0;
    for (size_t i = 0; s->score != NULL && i < w->lengths; i++) sum += s->score[i].sequences;
    return sum;
}

bool f2l_outcome_failing_stands(const f2l_outcome_failing *found, uint64_t letters)
{
    const bool shortest =
        found->wrong_letters > 0 && found->wrong_letters <= found->all_words_up_to + 1;
    /* random words are read beside the search, as many letters at most */
    const uint64_t allowed =
        found->letters_allowed > 0 ? found->letters_allowed : found->letters_read / 2;
    return found->searched && (shortest || letters <= allowed);
}

void f2l_outcome_failing_join(f2l_outcome_failing *to, const f2l_outcome_failing *old)
{
    if (!old->searched) return;
    const bool less = to->no_search_reason[0] && to->letters_read < old->letters_read;
    const bool shorter = to->wrong_letters > 0 &&
                         (old->wrong_letters == 0 || to->wrong_letters <= old->wrong_letters);
    f2l_outcome_failing joined = less ? *old : *to;
    joined.wrong_letters = shorter ? to->wrong_letters : old->wrong_letters;
    memcpy(joined.word, shorter ? to->word : old->word, sizeof joined.word);
    if (to->all_words_up_to > joined.all_words_up_to) joined.all_words_up_to = to->all_words_up_to;
    if (old->all_words_up_to > joined.all_words_up_to)
        joined.all_words_up_to = old->all_words_up_to;
    *to = joined;
}

void f2l_outcome_say_failing(f2l_fact in, const f2l_outcome *w)
{
    f2l_fact list = f2l_say_list(in, "failing");
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_outcome_seed *s = &w->seed[i];
        const size_t found = (size_t)s->failing.wrong_letters,
                     tested = shortest_failing_test_word(w, s);
        const bool by_search = found > 0 && (tested == 0 || found <= tested);
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "seed", s->seed);
        f2l_say_known(one, "wrong_letters", found + tested > 0, by_search ? found : tested);
        f2l_say_truth(one, "by_search", by_search);
        f2l_say_known(one, "letters_read", s->failing.searched && s->failing.letters_read > 0,
                      s->failing.letters_read);
        f2l_say_count(one, "random_words", count_test_words(w, s));
    }
}

/* From this day on every program of the records searches; before it some, or none, did. */
#define SEARCHES_FROM "2026-11-30"

/* Appends how many seeds of a row of this date were searched, and by how many letters each at most;
 * or why none was, where the date tells it. */
static void lay_searched_seeds(f2l_buf *out, f2l_fact list, const char *date)
{
    const size_t seeds = f2l_get_size(list, "");
    size_t searched = 0, letters = 0;
    for (size_t i = 0; i < seeds; i++) {
        const f2l_fact one = f2l_get_item(list, i);
        if (!f2l_is_known(one, "letters_read")) continue;
        const size_t read = f2l_get_count(one, "letters_read");
        letters = read > letters ? read : letters;
        searched++;
    }
    if (searched == 0)
        f2l_buf_printf(out, "; not searched%s",
                       date[0] != '\0' && strcmp(date, SEARCHES_FROM) < 0
                           ? ", since the row was recorded before programs did so"
                           : "");
    else if (searched == seeds)
        f2l_buf_printf(out, " and a search of %zu letters a seed", letters);
    else
        f2l_buf_printf(out, " and a search of %zu letters in %zu of %zu seeds", letters, searched,
                       seeds);
}

/* Appends the lengths by seed, and among which words they are; `date` is the row's. */
static void lay_failing_lengths(f2l_buf *out, f2l_fact outcome, const char *date)
{
    const f2l_fact list = f2l_get(outcome, "failing");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        f2l_buf_text(out, i ? ", " : "");
        f2l_layout(out, f2l_get_item(list, i), "{wrong_letters?{wrong_letters}|none}");
    }
    f2l_layout(out, f2l_get_item(list, 0), "; among {random_words} test words");
    lay_searched_seeds(out, list, date);
}

void f2l_outcome_lay_failing(f2l_buf *out, f2l_fact outcome)
{
    f2l_buf_text(out, F2L_OUTCOME_FAILING ": ");
    lay_failing_lengths(out, outcome, f2l_get_text(outcome, "row.timing.date"));
}

f2l_status f2l_outcome_failing_text(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_outcome_say_failing(f2l_facts_root(&facts), outcome);
    if (outcome->seeds > 0) lay_failing_lengths(out, f2l_facts_root(&facts), outcome->date);
    return f2l_facts_end(&facts, out, err);
}
