#include "kernels/base/kernels_fail.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *fsa2lrnn_kernels_version(void)
{
    return FSA2LRNN_KERNELS_VERSION;
}

int f2l_kernels_fail(fsa2lrnn_kernels_error *err, int status, const char *format, ...)
{
    if (!err) return status;
    va_list values;
    va_start(values, format);
    err->status = status;
    vsnprintf(err->text, sizeof err->text, format, values);
    va_end(values);
    return status;
}

int f2l_kernels_refuse_cuda(fsa2lrnn_kernels_error *err)
{
    return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EIO,
                            "this libfsa2lrnn-kernels was built without CUDA (nvcc): it computes "
                            "on the CPU only");
}

int f2l_kernels_take(void *to, size_t size, const void *from, const char *name,
                     fsa2lrnn_kernels_error *err)
{
    size_t theirs;
    if (!from) return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL, "%s is NULL", name);
    memcpy(&theirs, from, sizeof theirs);
    if (theirs < sizeof theirs || theirs > 1 << 16)
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                "%s->size is %zu, and has to be the size of the structure, %zu",
                                name, theirs, size);
    for (size_t i = size; i < theirs; i++)
        if (((const unsigned char *)from)[i])
            return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                    "%s uses byte %zu, and version %s of the library knows %zu: "
                                    "a later one is needed",
                                    name, i, FSA2LRNN_KERNELS_VERSION, size);
    memset(to, 0, size);
    memcpy(to, from, theirs < size ? theirs : size);
    memcpy(to, &size, sizeof size);
    return FSA2LRNN_KERNELS_OK;
}
