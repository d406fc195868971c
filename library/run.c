/* Words, letter by letter. */
#include "library/impl.h"
#include "numeric/base/mem.h"

fsa2lrnn_status fsa2lrnn_run_new(fsa2lrnn_run **out, const fsa2lrnn_network *network,
                                 const char *format, const char *schedule, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!out || !network) return library_invalid(err, "an argument is NULL");
    if (!format && schedule) return library_invalid(err, "a schedule belongs to a format");
    fsa2lrnn_run *run = f2l_calloc(1, sizeof *run);
    if (!run) return library_error(err, f2l_fail_memory(&inner), &inner);
    fsa2lrnn_status known =
        format ? library_arithmetic(&run->format, &run->schedule, format, schedule, err)
               : FSA2LRNN_OK;
    if (known == FSA2LRNN_OK) {
        f2l_status status = f2l_player_init(&run->player, &network->model,
                                            format ? &run->format : NULL, &run->schedule, &inner);
        if (status == F2L_OK) status = f2l_player_start(&run->player, &inner);
        known = library_error(err, status, &inner);
    }
    run->letters = network->face.letters->count;
    run->start = network->face.start;
    if (known == FSA2LRNN_OK)
        *out = run;
    else
        fsa2lrnn_run_free(run);
    return known;
}

void fsa2lrnn_run_free(fsa2lrnn_run *run)
{
    if (!run) return;
    f2l_player_clear(&run->player);
    f2l_free(run);
}

fsa2lrnn_status fsa2lrnn_run_start(fsa2lrnn_run *run, size_t *label, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!run) return library_invalid(err, "an argument is NULL");
    const f2l_status status = f2l_player_start(&run->player, &inner);
    if (status == F2L_OK && label) *label = run->start;
    return library_error(err, status, &inner);
}

fsa2lrnn_status fsa2lrnn_run_step(fsa2lrnn_run *run, size_t letter, size_t *label,
                                  fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!run || !label) return library_invalid(err, "an argument is NULL");
    if (letter >= run->letters)
        return library_invalid(err, "letter %zu is out of range: there are %zu", letter,
                               run->letters);
    return library_error(err, f2l_player_step(&run->player, letter, label, &inner), &inner);
}
