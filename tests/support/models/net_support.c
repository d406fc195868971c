#include "tests/support/models/net_support.h"

char *text_of(const f2l_net *net)
{
    f2l_buf out;
    f2l_error err = {0};
    f2l_buf_init(&out);
    cr_assert(f2l_net_write(&out, net, &err) == F2L_OK, "%s", err.text);
    return out.data;
}

f2l_status read_status(const char *bytes, size_t size, f2l_error *err)
{
    f2l_net net;
    f2l_net_init(&net);
    *err = (f2l_error){0};
    f2l_status status = f2l_net_read(&net, bytes, size, err);
    if (status != F2L_OK) cr_assert(net.layers == 0 && net.layer == NULL && net.letters.count == 0);
    f2l_net_clear(&net);
    return status;
}
