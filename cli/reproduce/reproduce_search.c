/* The search for a short failing word of a run that has ended. */
#include "cli/reproduce/reproduce_outcome.h"
#include "cli/train/evaluate_weights.h"
#include <stdio.h>

#define RANDOM_LENGTHS 15

/* Sets the letters of the word, with blanks between them; nothing when they do not fit. */
static void put_word(f2l_outcome_failing *out, const f2l_failing *found, const f2l_data *data)
{
    f2l_buf text;
    f2l_buf_init(&text);
    for (size_t i = 0; i < found->letters; i++)
        f2l_buf_printf(&text, "%s%s", i ? " " : "", f2l_names_get(&data->letters, found->word[i]));
    if (!text.failed && text.size < sizeof out->word)
        snprintf(out->word, sizeof out->word, "%s", text.size ? text.data : "");
    f2l_buf_clear(&text);
}

/* --- random words --- */

/* Sets the lengths of random words, ascending, and returns how many there are: ever fewer of long
 * words, as far as words of the data can have them. */
static size_t set_random_lengths(f2l_train_score *score, size_t most, const f2l_data *data)
{
    static const size_t wanted[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 200};
    size_t count = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && count < most; i++) {
        const size_t length = f2l_data_fit(data, wanted[i]);
        if (length == 0 || (count > 0 && length <= score[count - 1].length)) continue;
        score[count++] = (f2l_train_score){.length = length};
    }
    return count;
}

/* Reads random words of 1 to 200 letters, with at most about `read` letters in all, and sets *wrong
 * to the shortest beginning with a wrong answer. Words of a list are none. */
static f2l_status try_random_words(f2l_data_wrong *wrong, uint64_t *letters_read,
                                   const f2l_reproduce_job *j, const f2l_checkpoint *trained,
                                   const f2l_data *data, uint64_t read, f2l_error *err)
{
    f2l_train_score score[RANDOM_LENGTHS];
    const size_t scores = set_random_lengths(score, RANDOM_LENGTHS, data);
    uint64_t letters = 0; /* of one word of each length; they are beginnings of one another where
                           * every answer counts */
    for (size_t i = 0; i < scores; i++)
        letters = score[i].length + (data->options.when == F2L_DATA_LAST ? letters : 0);
    const uint64_t words = scores > 0 ? read / letters : 0;
    *letters_read = 0;
    if (words == 0 || words > UINT32_MAX || data->options.kind == F2L_DATA_WORDS) return F2L_OK;
    const f2l_status status =
        f2l_experiment_evaluate(score, scores, wrong, (size_t)words, F2L_BACKEND_CPU,
                                &trained->model, trained->parameters, data, &j->cli->task, err);
    if (status == F2L_OK) *letters_read = words * letters;
    return status;
}

bool f2l_reproduce_is_searched(const f2l_outcome_failing *found, const f2l_reproduce_job *j)
{
    if (j->search == 0) return true;
    return j->search == F2L_FAILING_USUAL ? found->searched
                                          : f2l_outcome_failing_stands(found, j->search);
}

/* Fails where time, memory or a signal stopped the process: a search that is cut short is none,
 * since budgets are to be equal. */
static f2l_status check_whole_search(const f2l_reproduce_job *j, f2l_error *err)
{
    const f2l_stop stop = f2l_task_stop(&j->cli->task);
    if (stop == F2L_STOP_NONE) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "%s: in the search for a failing word", f2l_stop_text(stop));
}

/* Returns the letters that a search that memory ended counts as having been allowed: those that it
 * read, so that one with more memory is not taken for made; at least 1, since 0 is not known. */
static uint64_t letters_searched(const f2l_failing *found, uint64_t budget)
{
    const uint64_t read = found->read < budget ? found->read : budget;
    return read > 0 ? read : 1;
}

static f2l_status search_once(f2l_outcome_failing *out, const f2l_reproduce_job *j,
                              const f2l_experiment *experiment, const char *folder, f2l_error *err)
{
    f2l_checkpoint trained;
    f2l_data data;
    f2l_failing found = {0};
    f2l_settle_report settle;
    f2l_data_wrong wrong = {0};
    uint64_t random_letters = 0;
    f2l_checkpoint_init(&trained);
    f2l_data_init(&data);
    f2l_status status = f2l_checkpoint_read(&trained, folder, err);
    if (status == F2L_OK) status = f2l_experiment_data(&data, experiment, F2L_DATA_TEST, err);
    data.others_to = 0; /* the search reads words of its own */
    if (status == F2L_OK)
        status = try_random_words(&wrong, &random_letters, j, &trained, &data,
                                  f2l_failing_budget(&trained.model, j->search), err);
    const bool refused = status == F2L_UNKNOWN && f2l_task_stop(&j->cli->task) == F2L_STOP_NONE;
    if (refused) status = F2L_OK;
    if (status == F2L_OK)
        status = f2l_shortest_find(
            &found, &settle, &(f2l_shortest_ask){experiment, &trained, &data, &wrong, j->search},
            &j->cli->task, err);
    if (status == F2L_OK) status = check_whole_search(j, err);
    if (status == F2L_OK) {
        const bool cut = refused || found.limited;
        const uint64_t budget = f2l_failing_budget(&trained.model, j->search);
        *out = (f2l_outcome_failing){.searched = true,
                                     .wrong_letters = found.letters,
                                     .all_words_up_to = found.all_letters,
                                     .powers_tried = found.powers,
                                     .followed_words = found.followed,
                                     .letters_read = found.read + random_letters,
                                     .letters_allowed =
                                         cut ? letters_searched(&found, budget) : budget};
        const char *why = cut ? "it needs more memory than is allowed" : found.no_search;
        if (why) snprintf(out->no_search_reason, sizeof out->no_search_reason, "%s", why);
        put_word(out, &found, &data);
    }
    f2l_failing_clear(&found);
    f2l_data_clear(&data);
    f2l_checkpoint_clear(&trained);
    return status;
}

f2l_status f2l_reproduce_search(f2l_outcome_failing *known, const f2l_reproduce_job *j,
                                const f2l_experiment *experiment, const char *folder,
                                f2l_error *err)
{
    f2l_outcome_failing found;
    const f2l_status status = search_once(&found, j, experiment, folder, err);
    if (status != F2L_OK) return status;
    if (found.no_search_reason[0] && known->searched)
        f2l_cli_warn(j->cli, folder,
                     "the search did not get to its end: %s; what was found before is kept",
                     found.no_search_reason);
    f2l_outcome_failing_join(&found, known);
    *known = found;
    return F2L_OK;
}
