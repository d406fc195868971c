#include "tests/support/train/experiment_cases.h"

f2l_status parse(f2l_experiment_file *file, const f2l_buf *config, const f2l_fsa *fsa,
                 f2l_error *err)
{
    f2l_buf automaton;
    f2l_buf_init(&automaton);
    if (fsa) cr_assert_eq(f2l_fsa_write(&automaton, fsa, NULL), F2L_OK);
    f2l_experiment_file_init(file);
    const f2l_status status = f2l_experiment_file_parse(file, config->data, config->size,
                                                        automaton.data, automaton.size, err);
    f2l_buf_clear(&automaton);
    return status;
}

void base(experiment_case *c, bool expressions)
{
    f2l_error err = {0};
    const f2l_data_options data = {
        .kind = F2L_DATA_ARITHMETIC, .modulus = 3, .when = F2L_DATA_LAST};
    experiment_open(c, 4);
    if (!expressions) return;
    cr_assert(f2l_experiment_default(&c->experiment, &data, NULL, 4, &err) == F2L_OK, "%s",
              err.text);
    experiment_shrink(&c->experiment);
    c->experiment.train.lengths = 0;
}
