/* Words of --data, whose labels must be the automaton's. */
#include "cli/input/network_file.h"
#include "cli/run/run.h"
#include "models/learn/words/word_file.h"
#include <string.h>

/* Sets the names of the labels that the automaton gives. */
static f2l_status name_automaton_labels(f2l_names *out, const f2l_network_file *file,
                                        f2l_error *err)
{
    const f2l_fsa *fsa = &file->automaton.fsa;
    f2l_status status = F2L_OK;
    for (size_t e = 0; e < fsa->states.count * fsa->letters.count && status == F2L_OK; e++) {
        size_t index;
        const char *name = f2l_fsa_edge_label(fsa, file->model.label, e / fsa->letters.count,
                                              e % fsa->letters.count);
        status = f2l_names_add(out, name, strlen(name), &index, err);
    }
    return status;
}

static int read_run_words(f2l_run *j, const f2l_network_file *file)
{
    f2l_error err;
    f2l_names labels;
    f2l_buf place;
    const f2l_word_file_options options = {.letters = &j->letters,
                                           .labels = &labels,
                                           .fsa = &file->automaton.fsa,
                                           .label = file->model.label,
                                           .task = &j->cli.task};
    f2l_names_init(&labels);
    f2l_buf_init(&place);
    f2l_status status = name_automaton_labels(&labels, file, &err);
    if (status == F2L_OK && !f2l_names_equal(&j->letters, &file->automaton.fsa.letters))
        status =
            f2l_fail(&err, F2L_EDOMAIN, "the network and its automaton differ in their letters");
    if (status == F2L_OK) status = f2l_word_file_read(&j->list, &place, j->o.words, &options, &err);
    f2l_terminal_erase(&j->cli.terminal);
    const int code =
        status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, place.data ? place.data : j->o.words, &err);
    f2l_buf_clear(&place);
    f2l_names_clear(&labels);
    return code;
}

int f2l_run_read_words(f2l_run *j)
{
    f2l_network_file file;
    f2l_network_file_init(&file);
    int code = f2l_network_file_load(&file, &j->cli, j->cli.operand[0], j->o.fsa);
    if (code == 0) code = f2l_network_file_load_automaton(&file, &j->cli);
    if (code == 0) code = read_run_words(j, &file);
    f2l_network_file_clear(&file);
    j->o.random = j->list.count;
    j->o.length = j->list.longest;
    return code;
}
