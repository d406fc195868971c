/* Words, letter by letter. */
#include "library/impl.h"
#include "numeric/base/mem.h"

static void expect_start(fsa2lrnn_run *run)
{
    const fsa2lrnn_network *n = run->network;
    run->state = n->fsa.start;
    run->expected = run->compares && n->model.label != F2L_LABEL_EDGES
                        ? f2l_fsa_label(&n->fsa, n->model.label, run->state)
                        : NULL;
}

static void expect_next(fsa2lrnn_run *run, size_t letter)
{
    const fsa2lrnn_network *n = run->network;
    run->expected = f2l_fsa_edge_label(&n->fsa, n->model.label, run->state, letter);
    run->state = n->fsa.next[run->state * n->fsa.letters.count + letter];
}

const char *fsa2lrnn_run_expected(const fsa2lrnn_run *run)
{
    return run->expected;
}

fsa2lrnn_status fsa2lrnn_run_new(fsa2lrnn_run **out, const fsa2lrnn_network *network,
                                 const char *format, const char *schedule, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!out || !network) return library_invalid(err, "an argument is NULL");
    if (!format && schedule) return library_invalid(err, "a schedule belongs to a format");
    fsa2lrnn_run *run = f2l_calloc(1, sizeof *run);
    if (!run) return library_error(err, f2l_fail_memory(&inner), &inner);
    fsa2lrnn_status known =
        format ? library_arithmetic(&run->numbers, format, schedule, err) : FSA2LRNN_OK;
    if (known == FSA2LRNN_OK) {
        f2l_status status =
            f2l_player_init(&run->player, &network->model, format ? &run->numbers.format : NULL,
                            &run->numbers.schedule, &inner);
        if (status == F2L_OK) status = f2l_player_start(&run->player, &inner);
        known = library_error(err, status, &inner);
    }
    run->network = network;
    run->compares = network->has_fsa;
    expect_start(run);
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
    library_free_caches();
}

fsa2lrnn_status fsa2lrnn_run_start(fsa2lrnn_run *run, size_t *label, fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!run) return library_invalid(err, "an argument is NULL");
    const f2l_status status = f2l_player_start(&run->player, &inner);
    expect_start(run);
    if (status == F2L_OK && label) *label = run->network->model.start;
    return library_error(err, status, &inner);
}

fsa2lrnn_status fsa2lrnn_run_step(fsa2lrnn_run *run, size_t letter, size_t *label,
                                  fsa2lrnn_error *err)
{
    f2l_error inner;
    if (!run || !label) return library_invalid(err, "an argument is NULL");
    const size_t letters = run->network->model.letters.count;
    if (letter >= letters)
        return library_invalid(err, "letter %zu is out of range: there are %zu", letter, letters);
    const f2l_status status = f2l_player_step(&run->player, letter, label, &inner);
    if (status == F2L_OK && run->compares) expect_next(run, letter);
    return library_error(err, status, &inner);
}
