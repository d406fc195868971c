#include "tests/support/models/wired_text_support.h"

f2l_status wired_read_status(const char *bytes, size_t size, f2l_error *err)
{
    f2l_net net;
    f2l_net_init(&net);
    *err = (f2l_error){0};
    f2l_status status = f2l_wired_read(&net, bytes, size, err);
    if (status != F2L_OK)
        cr_assert(net.stages == 0 && net.blocks == 0 && net.tables == 0 && !net.letters.count);
    f2l_net_clear(&net);
    return status;
}
