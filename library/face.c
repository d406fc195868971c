/* What a network says of itself. */
#include "library/impl.h"
#include <string.h>

size_t fsa2lrnn_network_layers(const fsa2lrnn_network *network)
{
    f2l_net_size size;
    f2l_net_measure(&size, &network->model);
    return size.layers;
}

size_t fsa2lrnn_network_letters(const fsa2lrnn_network *network)
{
    return network->model.letters.count;
}

size_t fsa2lrnn_network_labels(const fsa2lrnn_network *network)
{
    return network->model.labels.count;
}

const char *library_name(const f2l_names *names, size_t i)
{
    return i < names->count ? f2l_names_get(names, i) : NULL;
}

const char *fsa2lrnn_network_letter(const fsa2lrnn_network *network, size_t letter)
{
    return library_name(&network->model.letters, letter);
}

const char *fsa2lrnn_network_label(const fsa2lrnn_network *network, size_t label)
{
    return library_name(&network->model.labels, label);
}

size_t fsa2lrnn_network_find_letter(const fsa2lrnn_network *network, const char *letter)
{
    const f2l_names *letters = &network->model.letters;
    return letter ? f2l_names_find(letters, letter, strlen(letter)) : FSA2LRNN_NONE;
}

const char *fsa2lrnn_network_text(const fsa2lrnn_network *network)
{
    return network->text.data;
}

static const char *text(const f2l_buf *bytes)
{
    return bytes->data ? bytes->data : "";
}

const char *fsa2lrnn_network_automaton(const fsa2lrnn_network *network)
{
    return text(&network->fsa_text);
}

const char *fsa2lrnn_network_certificate(const fsa2lrnn_network *network)
{
    return text(&network->certificate);
}

const char *fsa2lrnn_network_report(const fsa2lrnn_network *network)
{
    return text(&network->report);
}
