#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "models/learn/op/op_linear.h"
#include <cblas.h>
#include <sys/mman.h>

f2l_status f2l_linear_ready(f2l_error *err)
{
    void *room =
        mmap(NULL, F2L_LINEAR_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return f2l_fail(err, F2L_ENOMEM,
                        "out of memory: products of matrices take %zu MiB of address space, which "
                        "is limited",
                        F2L_LINEAR_BUFFER >> 20);
    (void)munmap(room, F2L_LINEAR_BUFFER);
    float one = 1, square = 0; /* small products take no buffer, but this product always does */
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1, &one, 1, 0, &square, 1);
    return F2L_OK;
}
