#include "models/network/wired/network_text.h"
#include <string.h>

static bool begins(const char *bytes, size_t size, const char *text)
{
    return size >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

/* Returns whether eight bytes of a length are before a header in JSON. */
static bool is_safetensors(const char *bytes, size_t size)
{
    return size > 9 && bytes[7] == '\0' && memcmp(bytes + 8, "{\"", 2) == 0;
}

const char *f2l_network_file_kind(const char *bytes, size_t size)
{
    return begins(bytes, size, "lrnn ") || begins(bytes, size, "lrnn-wired ") ? "a network"
           : begins(bytes, size, "lrnn-certificate ")                         ? "a certificate"
           : is_safetensors(bytes, size)                                      ? "a file of weights"
                                                                              : NULL;
}

/* Refuses a file that is not the one of a network. */
static f2l_status refuse_other_file(const char *bytes, size_t size, f2l_error *err)
{
    const char *kind = f2l_network_file_kind(bytes, size);
    if (kind)
        return f2l_fail_at(err, 1, 1,
                           "this is %s; its network is expected, network.lrnn or the folder that "
                           "has both",
                           kind);
    return f2l_fail_at(err, 1, 1,
                       "%s; a network is expected, which begins with `lrnn`: network.lrnn or its "
                       "folder, which `fsa2lrnn FILE` makes of an automaton",
                       size ? "this is no network" : "the file is empty");
}

f2l_status f2l_network_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    if (begins(bytes, size, "lrnn-wired ")) return f2l_wired_read(out, bytes, size, err);
    if (begins(bytes, size, "lrnn ")) return f2l_net_read(out, bytes, size, err);
    return refuse_other_file(bytes, size, err);
}

f2l_status f2l_network_check_hash(const f2l_net *net, const char sha256[65], f2l_error *err)
{
    if (strcmp(sha256, net->fsa_sha256) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "this is not the automaton of the network: its SHA-256 is %.12s..., expected "
                    "%.12s...",
                    sha256, net->fsa_sha256);
}

f2l_status f2l_network_check_names(const f2l_net *net, const f2l_fsa *fsa, f2l_error *err)
{
    if (!f2l_names_equal(&fsa->letters, &net->letters))
        return f2l_fail(err, F2L_EFORMAT, "the letters are not the network's");
    return f2l_fsa_has_label(fsa, net->label, err);
}

f2l_status f2l_network_write(f2l_buf *out, const f2l_net *net, f2l_error *err)
{
    return f2l_net_is_wired(net) ? f2l_wired_write(out, net, err) : f2l_net_write(out, net, err);
}
