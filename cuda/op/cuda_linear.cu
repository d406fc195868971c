/* Products of matrices by cuBLASLt (cuda/op/cuda_linear.h). CPU reference: f2l_linear_forward,
 * f2l_linear_backward in models/learn/op/op_linear.c. */
#include "cuda/device/cuda_common.cuh"
#include <cublasLt.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
extern "C" {
#include "cuda/op/cuda_linear.h"
#include "numeric/base/mem.h"
}

constexpr unsigned MOST_CHOICES = 16;

struct f2l_cuda_blas {
    void *library;
    cublasLtHandle_t handle;
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtDestroy) destroy;
    decltype(&cublasLtGetVersion) version;
    decltype(&cublasLtMatmulDescCreate) description_new;
    decltype(&cublasLtMatmulDescDestroy) description_free;
    decltype(&cublasLtMatmulDescSetAttribute) description_set;
    decltype(&cublasLtMatrixLayoutCreate) layout_new;
    decltype(&cublasLtMatrixLayoutDestroy) layout_free;
    decltype(&cublasLtMatmulPreferenceCreate) preference_new;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_free;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
    decltype(&cublasLtMatmulAlgoGetHeuristic) ways;
    decltype(&cublasLtMatmul) multiply;
};

struct f2l_cuda_product {
    const f2l_cuda_blas *blas;
    f2l_cuda_product_shape shape;
    size_t work_bytes, needed;
    cublasLtMatmulDesc_t description;
    cublasLtMatrixLayout_t left, right, result; /* as cuBLASLt sees them: its columns are our rows,
                                                 * so left is b, right is a */
    cublasLtMatmulAlgo_t way;
};

static f2l_status refused(const char *what, cublasStatus_t code, f2l_error *err)
{
    return f2l_fail(err, F2L_EIO, "cuBLASLt refused %s: status %d", what, (int)code);
}

template <typename F> static bool find_blas_symbol(F *function, void *library, const char *name)
{
    void *found = dlsym(library, name);
    *function = reinterpret_cast<F>(found);
    return found != NULL;
}

static bool find_all(f2l_cuda_blas *b)
{
    return find_blas_symbol(&b->create, b->library, "cublasLtCreate") &&
           find_blas_symbol(&b->destroy, b->library, "cublasLtDestroy") &&
           find_blas_symbol(&b->version, b->library, "cublasLtGetVersion") &&
           find_blas_symbol(&b->description_new, b->library, "cublasLtMatmulDescCreate") &&
           find_blas_symbol(&b->description_free, b->library, "cublasLtMatmulDescDestroy") &&
           find_blas_symbol(&b->description_set, b->library, "cublasLtMatmulDescSetAttribute") &&
           find_blas_symbol(&b->layout_new, b->library, "cublasLtMatrixLayoutCreate") &&
           find_blas_symbol(&b->layout_free, b->library, "cublasLtMatrixLayoutDestroy") &&
           find_blas_symbol(&b->preference_new, b->library, "cublasLtMatmulPreferenceCreate") &&
           find_blas_symbol(&b->preference_free, b->library, "cublasLtMatmulPreferenceDestroy") &&
           find_blas_symbol(&b->preference_set, b->library,
                            "cublasLtMatmulPreferenceSetAttribute") &&
           find_blas_symbol(&b->ways, b->library, "cublasLtMatmulAlgoGetHeuristic") &&
           find_blas_symbol(&b->multiply, b->library, "cublasLtMatmul");
}

/* Opens the library: first by the loader's search, then in the folders of CUDA's installers. */
static void *open_library(void)
{
    static const char *const name[] = {
        "libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13", "libcublasLt.so.12",
        "/usr/local/cuda/lib64/libcublasLt.so.12"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        void *library = dlopen(name[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

f2l_status f2l_cuda_blas_new(f2l_cuda_blas **out, f2l_error *err)
{
    *out = NULL;
    f2l_cuda_blas *b = (f2l_cuda_blas *)f2l_calloc(1, sizeof *b);
    if (!b) return f2l_fail_memory(err);
    b->library = open_library();
    if (!b->library || !find_all(b)) {
        f2l_cuda_blas_free(b);
        return f2l_fail(
            err, F2L_EDOMAIN,
            "products of matrices need libcublasLt.so.13 or .12, which this machine does not have");
    }
    const cublasStatus_t code = b->create(&b->handle);
    if (code != CUBLAS_STATUS_SUCCESS) {
        b->handle = NULL;
        f2l_cuda_blas_free(b);
        return refused("to start", code, err);
    }
    *out = b;
    return F2L_OK;
}

void f2l_cuda_blas_free(f2l_cuda_blas *blas)
{
    if (!blas) return;
    if (blas->handle) (void)blas->destroy(blas->handle);
    if (blas->library) (void)dlclose(blas->library);
    f2l_free(blas);
}

size_t f2l_cuda_blas_version(const f2l_cuda_blas *blas)
{
    return blas->version();
}

/* Returns the greatest power of two that divides the address, for the heuristics. */
static uint32_t alignment(const void *p)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(p);
    uint32_t power = 256;
    while (at % power) power /= 2;
    return power;
}

static cudaDataType_t data_type(f2l_cuda_type type)
{
    return type == F2L_CUDA_F32 ? CUDA_R_32F : CUDA_R_16BF;
}

/* Makes the layout of a matrix: a row-major [rows][columns] matrix is a column-major one of
 * `columns` rows. */
static cublasStatus_t layout(cublasLtMatrixLayout_t *out, const f2l_cuda_blas *b,
                             f2l_cuda_type type, size_t rows, size_t columns, size_t stride)
{
    return b->layout_new(out, data_type(type), columns, rows, (int64_t)stride);
}

/* Describes c^T = b^T a^T, all column-major: b as stored is b^T already, unless it was stored
 * transposed. */
static cublasStatus_t describe(f2l_cuda_product *p)
{
    const f2l_cuda_blas *b = p->blas;
    const f2l_cuda_product_shape *s = &p->shape;
    const cublasOperation_t no = CUBLAS_OP_N, yes = CUBLAS_OP_T;
    cublasStatus_t code = b->description_new(&p->description, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->description_set(p->description, CUBLASLT_MATMUL_DESC_TRANSA,
                                  s->transpose_b ? &yes : &no, sizeof no);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->description_set(p->description, CUBLASLT_MATMUL_DESC_TRANSB,
                                  s->transpose_a ? &yes : &no, sizeof no);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = layout(&p->left, b, s->in, s->transpose_b ? s->n : s->k,
                      s->transpose_b ? s->k : s->n, s->ldb);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = layout(&p->right, b, s->in, s->transpose_a ? s->k : s->m,
                      s->transpose_a ? s->m : s->k, s->lda);
    if (code == CUBLAS_STATUS_SUCCESS) code = layout(&p->result, b, s->out, s->m, s->n, s->ldc);
    return code;
}

static cublasStatus_t prefer(cublasLtMatmulPreference_t preference, const f2l_cuda_product *p,
                             const void *x, const void *y, const void *z)
{
    const f2l_cuda_blas *b = p->blas;
    /* Parts of a split sum are floats that a second launch adds; in-place sums, where blocks wait
     * for each other, are excluded. */
    const uint32_t sums =
        CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE |
        (p->shape.out == F2L_CUDA_F32 ? CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE : 0);
    const uint32_t at[3] = {alignment(x), alignment(y), alignment(z)};
    cublasStatus_t code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &p->work_bytes, sizeof p->work_bytes);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &sums,
                                 sizeof sums);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &at[1],
                                 sizeof at[1]);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &at[0],
                                 sizeof at[0]);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &at[2],
                                 sizeof at[2]);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->preference_set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &at[2],
                                 sizeof at[2]);
    return code;
}

static f2l_status choose_algorithm(f2l_cuda_product *p, const void *x, const void *y, const void *z,
                                   unsigned choice, f2l_error *err)
{
    const f2l_cuda_blas *b = p->blas;
    cublasLtMatmulHeuristicResult_t way[MOST_CHOICES];
    cublasLtMatmulPreference_t preference = NULL;
    int found = 0;
    cublasStatus_t code = b->preference_new(&preference);
    if (code == CUBLAS_STATUS_SUCCESS) code = prefer(preference, p, x, y, z);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = b->ways(b->handle, p->description, p->left, p->right, p->result, p->result,
                       preference, choice ? MOST_CHOICES : 1, way, &found);
    if (preference) (void)b->preference_free(preference);
    if (code != CUBLAS_STATUS_SUCCESS && code != CUBLAS_STATUS_NOT_SUPPORTED)
        return refused("a product", code, err);
    if ((unsigned)found <= choice)
        return f2l_fail(err, F2L_UNKNOWN,
                        "cuBLASLt offers %d ways for a product of %zu x %zu x %zu", found,
                        p->shape.m, p->shape.n, p->shape.k);
    p->way = way[choice].algo;
    p->needed = way[choice].workspaceSize;
    return F2L_OK;
}

static bool usable(const f2l_cuda_product_shape *s)
{
    return s->m <= INT_MAX && s->n <= INT_MAX && s->k <= INT_MAX && s->m > 0 && s->n > 0 &&
           s->k > 0 && s->lda >= (s->transpose_a ? s->m : s->k) &&
           s->ldb >= (s->transpose_b ? s->k : s->n) && s->ldc >= s->n &&
           (s->in == F2L_CUDA_BF16 || s->out == F2L_CUDA_F32);
}

f2l_status f2l_cuda_product_new(f2l_cuda_product **out, f2l_cuda_blas *blas,
                                const f2l_cuda_product_shape *shape, const void *a, const void *b,
                                const void *c, size_t work_bytes, unsigned choice, f2l_error *err)
{
    *out = NULL;
    if (!usable(shape) || choice >= MOST_CHOICES)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a product of %zu x %zu x %zu with rows of %zu, %zu and %zu is not "
                        "possible",
                        shape->m, shape->n, shape->k, shape->lda, shape->ldb, shape->ldc);
    f2l_cuda_product *p = (f2l_cuda_product *)f2l_calloc(1, sizeof *p);
    if (!p) return f2l_fail_memory(err);
    p->blas = blas;
    p->shape = *shape;
    p->work_bytes = work_bytes;
    const cublasStatus_t code = describe(p);
    f2l_status status = code == CUBLAS_STATUS_SUCCESS ? choose_algorithm(p, a, b, c, choice, err)
                                                      : refused("a product", code, err);
    if (status == F2L_OK)
        *out = p;
    else
        f2l_cuda_product_free(p);
    return status;
}

void f2l_cuda_product_free(f2l_cuda_product *product)
{
    if (!product) return;
    const f2l_cuda_blas *b = product->blas;
    if (product->left) (void)b->layout_free(product->left);
    if (product->right) (void)b->layout_free(product->right);
    if (product->result) (void)b->layout_free(product->result);
    if (product->description) (void)b->description_free(product->description);
    f2l_free(product);
}

f2l_status f2l_cuda_product_run(void *c, const void *a, const void *b,
                                const f2l_cuda_product *product, void *work, void *stream,
                                f2l_error *err)
{
    const f2l_cuda_product *p = product;
    const float one = 1, beta = p->shape.add ? 1 : 0;
    const cublasStatus_t code =
        p->blas->multiply(p->blas->handle, p->description, &one, b, p->left, a, p->right, &beta, c,
                          p->result, c, p->result, &p->way, work, p->work_bytes, on(stream));
    return code == CUBLAS_STATUS_SUCCESS ? F2L_OK : refused("a product", code, err);
}

size_t f2l_cuda_product_work(const f2l_cuda_product *product)
{
    return product->needed;
}
