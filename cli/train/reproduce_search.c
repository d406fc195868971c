/* The search for a short failing word of a run that has ended. */
#include "cli/train/reproduce_job.h"
#include "models/doors/checkpoint/checkpoint.h"
#include "theory/beside/compare/failing.h"
#include <stdio.h>

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

f2l_status f2l_reproduce_search(f2l_outcome_failing *out, const f2l_reproduce_job *j,
                                const f2l_experiment *experiment, const char *folder,
                                f2l_error *err)
{
    f2l_checkpoint trained;
    f2l_data data;
    f2l_failing found = {0};
    f2l_checkpoint_init(&trained);
    f2l_data_init(&data);
    f2l_status status = f2l_checkpoint_read(&trained, folder, err);
    if (status == F2L_OK) status = f2l_experiment_data(&data, experiment, F2L_DATA_TEST, err);
    if (status == F2L_OK)
        status = f2l_failing_find(&found, &trained.model, trained.parameters, &data, NULL,
                                  j->search, &j->cli->task, err);
    if (status == F2L_OK) {
        *out = (f2l_outcome_failing){.searched = !found.limited,
                                     .wrong_letters = found.letters,
                                     .all_words_up_to = found.all_letters,
                                     .powers_tried = found.powers,
                                     .followed_words = found.followed,
                                     .letters_read = found.read};
        if (found.no_search)
            snprintf(out->no_search_reason, sizeof out->no_search_reason, "%s", found.no_search);
        put_word(out, &found, &data);
    }
    f2l_failing_clear(&found);
    f2l_data_clear(&data);
    f2l_checkpoint_clear(&trained);
    return status;
}
