#include "cli/train/import_network.h"
#include <stdio.h>
#include <string.h>

enum { SEED = 1 };

void f2l_import_network_init(f2l_import_network *out)
{
    memset(out, 0, sizeof *out);
    f2l_net_init(&out->recurrence.net);
}

void f2l_import_network_clear(f2l_import_network *out)
{
    f2l_net_clear(&out->recurrence.net);
    f2l_import_network_init(out);
}

/* Returns why the data have no automaton that the network's letters are of, or NULL. */
static const char *find_data_obstacle(const f2l_data *data)
{
    if (data == NULL || data->options.kind != F2L_DATA_AUTOMATON)
        return "a network needs an automaton: --grammar names one";
    if (data->options.label == F2L_LABEL_EDGES)
        return "labels of transitions are not functions of the state";
    return data->options.tokens > 1
               ? "the model reads more than one letter for a transition of the automaton"
               : NULL;
}

f2l_status f2l_import_network_build(f2l_import_network *out, const f2l_checkpoint *trained,
                                    const f2l_data *data, const f2l_task *task, f2l_error *err)
{
    f2l_error why = {0};
    const char *text = f2l_recurrence_obstacle(&trained->model.config);
    if (text == NULL) text = find_data_obstacle(data);
    if (text != NULL) {
        snprintf(out->why_none, sizeof out->why_none, "%s", text);
        return F2L_OK;
    }
    f2l_status status =
        f2l_recurrence_build(&out->recurrence, &trained->model, trained->parameters, task, &why);
    if (status == F2L_OK)
        status = f2l_fit_codes(&out->recurrence.net, &out->fit, data->fsa, data->options.label,
                               &data->labels, data->answer, SEED, task, &why);
    if (status == F2L_OK) return f2l_fsa_sha256(data->fsa, out->recurrence.net.fsa_sha256, err);
    f2l_net_clear(&out->recurrence.net);
    if (status != F2L_EDOMAIN) {
        *err = why;
        return status;
    }
    snprintf(out->why_none, sizeof out->why_none, "%s", why.text);
    return F2L_OK;
}
