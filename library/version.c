#include "library/version.h"
#include "include/fsa2lrnn.h"

const char *f2l_version(void)
{
    return FSA2LRNN_VERSION;
}

const char *f2l_commit(void)
{
    return F2L_COMMIT;
}

const char *fsa2lrnn_version(void)
{
    return FSA2LRNN_VERSION;
}
