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

/* Appends how many seeds were searched, and by how many letters each at most. */
static void lay_searched_seeds(f2l_buf *out, f2l_fact list)
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
        f2l_buf_text(out, "; not searched");
    else if (searched == seeds)
        f2l_buf_printf(out, " and a search of %zu letters a seed", letters);
    else
        f2l_buf_printf(out, " and a search of %zu letters in %zu of %zu seeds", letters, searched,
                       seeds);
}

/* Appends the lengths by seed, and among which words they are. */
static void lay_failing_lengths(f2l_buf *out, f2l_fact outcome)
{
    const f2l_fact list = f2l_get(outcome, "failing");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        f2l_buf_text(out, i ? ", " : "");
        f2l_layout(out, f2l_get_item(list, i), "{wrong_letters?{wrong_letters}|none}");
    }
    f2l_layout(out, f2l_get_item(list, 0), "; among {random_words} test words");
    lay_searched_seeds(out, list);
}

void f2l_outcome_lay_failing(f2l_buf *out, f2l_fact outcome)
{
    f2l_buf_text(out, F2L_OUTCOME_FAILING ": ");
    lay_failing_lengths(out, outcome);
}

f2l_status f2l_outcome_failing_text(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_outcome_say_failing(f2l_facts_root(&facts), outcome);
    if (outcome->seeds > 0) lay_failing_lengths(out, f2l_facts_root(&facts));
    return f2l_facts_end(&facts, out, err);
}
