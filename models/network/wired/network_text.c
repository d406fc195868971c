#include "models/network/wired/network_text.h"
#include <string.h>

f2l_status f2l_network_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err)
{
    static const char wired[] = "lrnn-wired ";
    if (size >= sizeof wired - 1 && memcmp(bytes, wired, sizeof wired - 1) == 0)
        return f2l_wired_read(out, bytes, size, err);
    return f2l_net_read(out, bytes, size, err);
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
