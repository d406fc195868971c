/* The door of the selective scan and of the convolution. */
#include "kernels/base/kernels_array.h"
#include "kernels/base/kernels_fail.h"
#include "kernels/scan.h"
#include <stdbool.h>
#ifdef F2L_HAVE_CUDA
#include "cuda/op/cuda_conv.h"
#include "cuda/op/cuda_select.h"
#endif

enum { OK = FSA2LRNN_KERNELS_OK, INVALID = FSA2LRNN_KERNELS_EINVAL };

typedef struct size_range {
    const char *name;
    int64_t value, least, most;
} size_range;

static int check_size_ranges(const size_range *r, int n, fsa2lrnn_kernels_error *err)
{
    for (int i = 0; i < n; i++)
        if (r[i].value < r[i].least || r[i].value > r[i].most)
            return f2l_kernels_fail(
                err, FSA2LRNN_KERNELS_EDOMAIN, "%s is %lld, and can be %lld to %lld", r[i].name,
                (long long)r[i].value, (long long)r[i].least, (long long)r[i].most);
    return OK;
}

/* EDOMAIN: the device does not take the type; EIO: the library has no kernels for it. */
static int check_device(int device, int type, fsa2lrnn_kernels_error *err)
{
    if (device == FSA2LRNN_KERNELS_CPU) return OK;
    if (type != FSA2LRNN_KERNELS_F32 && type != FSA2LRNN_KERNELS_BF16)
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EDOMAIN,
                                "type is %d, and can be f32 or bf16 on a GPU", type);
#ifdef F2L_HAVE_CUDA
    return OK;
#else
    return f2l_kernels_refuse_cuda(err);
#endif
}

static int plan_scan(fsa2lrnn_selective_scan *p, const fsa2lrnn_selective_scan *from,
                     fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(p, sizeof *p, from, "p", err);
    if (status) return status;
    const size_range ranges[] = {
        {"device", p->device, 0, FSA2LRNN_KERNELS_CPU},
        {"type", p->type, 0, FSA2LRNN_KERNELS_F64},
        {"batch", p->batch, 0, INT32_MAX},
        {"tokens", p->tokens, 0, INT32_MAX - 64},
        {"channels", p->channels, 1, 1 << 23},
        {"states", p->states, 1, 64},
        {"row", p->row ? p->row : p->states, p->states, 1 << 23},
        {"gate_row", p->gate_row ? p->gate_row : p->channels, p->channels, 1 << 23}};
    status = check_size_ranges(ranges, sizeof ranges / sizeof *ranges, err);
    if (status) return status;
    if (p->low != 0 && p->low != -1)
        return f2l_kernels_fail(err, INVALID, "low is %g, and can be 0 or -1", (double)p->low);
    if (!p->row) p->row = p->states;
    if (!p->gate_row) p->gate_row = p->channels;
    if (!f2l_kernels_countable((int64_t[]){p->batch, p->tokens, p->gate_row, p->row}, 4))
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EDOMAIN, "%lld x %lld tokens are too many",
                                (long long)p->batch, (long long)p->tokens);
    return check_device(p->device, p->type, err);
}

typedef struct named_array {
    const char *name;
    const void *data;
    int64_t rows, width, row;
    int type;
    bool written, optional;
} named_array;

static int check_arrays(const named_array *a, int n, fsa2lrnn_kernels_error *err)
{
    for (int i = 0; i < n; i++) {
        const int64_t stride[3] = {a[i].row, 0, 0};
        const f2l_kernels_shape shape = {a[i].name,         a[i].type,  1,
                                         {a[i].rows, 1, 1}, a[i].width, a[i].written};
        const int status = a[i].optional && !a[i].data
                               ? OK
                               : f2l_kernels_check_rows(a[i].data, stride, &shape, err);
        if (status) return status;
    }
    return OK;
}

static int parameter_type(int type)
{
    return type == FSA2LRNN_KERNELS_F64 ? FSA2LRNN_KERNELS_F64 : FSA2LRNN_KERNELS_F32;
}

static int check_scan_in(fsa2lrnn_selective_scan_in *in, const fsa2lrnn_selective_scan_in *from,
                         const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err)
{
    const int status = f2l_kernels_take(in, sizeof *in, from, "in", err);
    if (status) return status;
    const int64_t rows = p->batch * p->tokens, C = p->channels, N = p->states;
    const int wide = parameter_type(p->type);
    const named_array arrays[] = {{"u", in->u, rows, C, C, p->type, 0, 0},
                                  {"step", in->step, rows, C, C, p->type, 0, 0},
                                  {"gate", in->gate, rows, C, p->gate_row, p->type, 0, 0},
                                  {"write", in->write, rows, N, p->row, p->type, 0, 0},
                                  {"read", in->read, rows, N, p->row, p->type, 0, 0},
                                  {"bias", in->bias, 1, C, C, wide, 0, 0},
                                  {"state_log", in->state_log, C, N, N, wide, 0, 0},
                                  {"skip", in->skip, 1, C, C, wide, 0, 0}};
    return check_arrays(arrays, sizeof arrays / sizeof *arrays, err);
}

static int check_scan_grad(fsa2lrnn_selective_scan_grad *d,
                           const fsa2lrnn_selective_scan_grad *from,
                           const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err)
{
    const int status = f2l_kernels_take(d, sizeof *d, from, "grad", err);
    if (status) return status;
    const int64_t rows = p->batch * p->tokens, C = p->channels, N = p->states;
    const int wide = parameter_type(p->type);
    const named_array arrays[] = {{"dout", d->dout, rows, C, C, p->type, 0, 0},
                                  {"du", d->du, rows, C, C, p->type, 1, 0},
                                  {"dstep", d->dstep, rows, C, C, p->type, 1, 0},
                                  {"dgate", d->dgate, rows, C, p->gate_row, p->type, 1, 0},
                                  {"dwrite", d->dwrite, rows, N, p->row, p->type, 1, 0},
                                  {"dread", d->dread, rows, N, p->row, p->type, 1, 0},
                                  {"dbias", d->dbias, 1, C, C, wide, 1, 0},
                                  {"dstate_log", d->dstate_log, C, N, N, wide, 1, 0},
                                  {"dskip", d->dskip, 1, C, C, wide, 1, 0}};
    return check_arrays(arrays, sizeof arrays / sizeof *arrays, err);
}

static int plan_conv(fsa2lrnn_causal_conv1d *p, const fsa2lrnn_causal_conv1d *from,
                     fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(p, sizeof *p, from, "p", err);
    if (status) return status;
    const size_range ranges[] = {{"device", p->device, 0, FSA2LRNN_KERNELS_CPU},
                                 {"type", p->type, 0, FSA2LRNN_KERNELS_F64},
                                 {"batch", p->batch, 0, INT32_MAX},
                                 {"tokens", p->tokens, 0, INT32_MAX - 64},
                                 {"width", p->width, 1, INT32_MAX},
                                 {"taps", p->taps, 1, 64},
                                 {"x_row", p->x_row ? p->x_row : p->width, p->width, INT32_MAX},
                                 {"y_row", p->y_row ? p->y_row : p->width, p->width, INT32_MAX}};
    status = check_size_ranges(ranges, sizeof ranges / sizeof *ranges, err);
    if (status) return status;
    if (!p->x_row) p->x_row = p->width;
    if (!p->y_row) p->y_row = p->width;
    const int64_t row = p->x_row > p->y_row ? p->x_row : p->y_row;
    if (!f2l_kernels_countable((int64_t[]){p->batch, p->tokens, row}, 3))
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EDOMAIN, "%lld x %lld tokens are too many",
                                (long long)p->batch, (long long)p->tokens);
    return check_device(p->device, p->type, err);
}

static int check_conv_in(fsa2lrnn_causal_conv1d_in *in, const fsa2lrnn_causal_conv1d_in *from,
                         const fsa2lrnn_causal_conv1d *p, fsa2lrnn_kernels_error *err)
{
    const int status = f2l_kernels_take(in, sizeof *in, from, "in", err);
    if (status) return status;
    const int64_t rows = p->batch * p->tokens, D = p->width, kept = p->batch * (p->taps - 1);
    const int wide = parameter_type(p->type);
    const named_array arrays[] = {{"x", in->x, rows, D, p->x_row, p->type, 0, 0},
                                  {"weight", in->weight, D, p->taps, p->taps, wide, 0, 0},
                                  {"bias", in->bias, 1, D, D, wide, 0, 1},
                                  {"past", in->past, kept, D, D, p->type, 0, 1}};
    return check_arrays(arrays, sizeof arrays / sizeof *arrays, err);
}

#ifdef F2L_HAVE_CUDA
/* Hands the error of a CUDA operator on: the statuses have the same numbers. */
static int carry_error(f2l_status status, const f2l_error *from, fsa2lrnn_kernels_error *err)
{
    return status == F2L_OK ? OK : f2l_kernels_fail(err, (int)status, "%s", from->text);
}

static f2l_cuda_type cuda_type_of(int type)
{
    return type == FSA2LRNN_KERNELS_F32 ? F2L_CUDA_F32 : F2L_CUDA_BF16;
}

static f2l_cuda_select_shape cuda_scan(const fsa2lrnn_selective_scan *p)
{
    return (f2l_cuda_select_shape){.batch = (size_t)p->batch,
                                   .tokens = (size_t)p->tokens,
                                   .channels = (size_t)p->channels,
                                   .states = (size_t)p->states,
                                   .stride = (size_t)p->row,
                                   .gate_stride = (size_t)p->gate_row,
                                   .low = p->low,
                                   .type = cuda_type_of(p->type)};
}

static f2l_cuda_select_in cuda_scan_in(const fsa2lrnn_selective_scan_in *in)
{
    return (f2l_cuda_select_in){in->u,    in->step, in->gate,      in->write,
                                in->read, in->bias, in->state_log, in->skip};
}

static f2l_cuda_conv_shape cuda_conv(const fsa2lrnn_causal_conv1d *p)
{
    return (f2l_cuda_conv_shape){.batch = (size_t)p->batch,
                                 .tokens = (size_t)p->tokens,
                                 .width = (size_t)p->width,
                                 .taps = (size_t)p->taps,
                                 .type = cuda_type_of(p->type),
                                 .x_stride = (size_t)p->x_row,
                                 .y_stride = (size_t)p->y_row};
}
#endif

int fsa2lrnn_selective_scan_bytes(size_t *kept, size_t *backward_work,
                                  const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_selective_scan mine;
    size_t bytes[2] = {0, 0};
    int status = plan_scan(&mine, p, err);
#ifdef F2L_HAVE_CUDA
    f2l_error error;
    if (!status && mine.device == FSA2LRNN_KERNELS_CUDA) {
        const f2l_cuda_select_shape shape = cuda_scan(&mine);
        status =
            carry_error(f2l_cuda_select_bytes(&bytes[0], &bytes[1], &shape, &error), &error, err);
    }
#endif
    if (kept) *kept = bytes[0];
    if (backward_work) *backward_work = bytes[1];
    return status;
}

int fsa2lrnn_selective_scan_forward(void *out, void *kept, const fsa2lrnn_selective_scan_in *in,
                                    const fsa2lrnn_selective_scan *p, void *stream,
                                    fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_selective_scan mine;
    fsa2lrnn_selective_scan_in mine_in;
    (void)kept, (void)stream;
    int status = plan_scan(&mine, p, err);
    if (!status) status = check_scan_in(&mine_in, in, &mine, err);
    if (status) return status;
    const int64_t rows = mine.batch * mine.tokens, C = mine.channels;
    const named_array to = {"out", out, rows, C, C, mine.type, true, false};
    status = check_arrays(&to, 1, err);
    if (status) return status;
#ifdef F2L_HAVE_CUDA
    if (mine.device == FSA2LRNN_KERNELS_CUDA) {
        f2l_error error;
        const f2l_cuda_select_shape shape = cuda_scan(&mine);
        const f2l_cuda_select_in given = cuda_scan_in(&mine_in);
        return carry_error(f2l_cuda_select_forward(out, kept, &given, &shape, stream, &error),
                           &error, err);
    }
#endif
    return f2l_kernels_host_scan_forward(out, &mine_in, &mine, err);
}

int fsa2lrnn_selective_scan_backward(const fsa2lrnn_selective_scan_grad *grad, const void *kept,
                                     void *work, const fsa2lrnn_selective_scan_in *in,
                                     const fsa2lrnn_selective_scan *p, void *stream,
                                     fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_selective_scan mine;
    fsa2lrnn_selective_scan_in mine_in;
    fsa2lrnn_selective_scan_grad d;
    (void)kept, (void)work, (void)stream;
    int status = plan_scan(&mine, p, err);
    if (!status) status = check_scan_in(&mine_in, in, &mine, err);
    if (!status) status = check_scan_grad(&d, grad, &mine, err);
    if (status) return status;
#ifdef F2L_HAVE_CUDA
    if (mine.device == FSA2LRNN_KERNELS_CUDA) {
        f2l_error error;
        const f2l_cuda_select_shape shape = cuda_scan(&mine);
        const f2l_cuda_select_in given = cuda_scan_in(&mine_in);
        const f2l_cuda_select_grad to = {d.du,    d.dstep, d.dgate,      d.dwrite,
                                         d.dread, d.dbias, d.dstate_log, d.dskip};
        return carry_error(
            f2l_cuda_select_backward(&to, d.dout, kept, work, &given, &shape, stream, &error),
            &error, err);
    }
#endif
    return f2l_kernels_host_scan_backward(&d, &mine_in, &mine, err);
}

int fsa2lrnn_causal_conv1d_bytes(size_t *backward_work, const fsa2lrnn_causal_conv1d *p,
                                 fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_causal_conv1d mine;
    size_t bytes = 0;
    const int status = plan_conv(&mine, p, err);
#ifdef F2L_HAVE_CUDA
    if (!status && mine.device == FSA2LRNN_KERNELS_CUDA) {
        const f2l_cuda_conv_shape shape = cuda_conv(&mine);
        bytes = f2l_cuda_conv_work(&shape);
    }
#endif
    if (backward_work) *backward_work = bytes;
    return status;
}

int fsa2lrnn_causal_conv1d_forward(void *y, void *new_past, const fsa2lrnn_causal_conv1d_in *in,
                                   const fsa2lrnn_causal_conv1d *p, void *stream,
                                   fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_causal_conv1d mine;
    fsa2lrnn_causal_conv1d_in mine_in = {0};
    (void)stream;
    int status = plan_conv(&mine, p, err);
    if (!status) status = check_conv_in(&mine_in, in, &mine, err);
    if (status) return status;
    const int64_t kept = mine.batch * (mine.taps - 1);
    const named_array to[] = {
        {"y", y, mine.batch * mine.tokens, mine.width, mine.y_row, mine.type, true, false},
        {"new_past", new_past, kept, mine.width, mine.width, mine.type, true, true}};
    status = check_arrays(to, 2, err);
    if (!status && new_past && new_past == mine_in.past)
        status = f2l_kernels_fail(err, INVALID, "new_past is in->past");
    if (status) return status;
#ifdef F2L_HAVE_CUDA
    if (mine.device == FSA2LRNN_KERNELS_CUDA) {
        f2l_error error;
        const f2l_cuda_conv_shape shape = cuda_conv(&mine);
        if (!new_past != !mine_in.past)
            return f2l_kernels_fail(err, INVALID, "past and new_past: one of them is NULL");
        return carry_error(f2l_cuda_conv_forward(y, new_past, mine_in.past, mine_in.x,
                                                 mine_in.weight, mine_in.bias, &shape, stream,
                                                 &error),
                           &error, err);
    }
#endif
    f2l_kernels_host_conv_forward(y, new_past, &mine_in, &mine);
    return OK;
}

int fsa2lrnn_causal_conv1d_backward(const fsa2lrnn_causal_conv1d_grad *grad, void *work,
                                    const fsa2lrnn_causal_conv1d_in *in,
                                    const fsa2lrnn_causal_conv1d *p, void *stream,
                                    fsa2lrnn_kernels_error *err)
{
    fsa2lrnn_causal_conv1d mine;
    fsa2lrnn_causal_conv1d_in mine_in = {0};
    fsa2lrnn_causal_conv1d_grad d;
    (void)work, (void)stream;
    int status = plan_conv(&mine, p, err);
    if (!status) status = check_conv_in(&mine_in, in, &mine, err);
    if (!status) status = f2l_kernels_take(&d, sizeof d, grad, "grad", err);
    if (!status && mine_in.past)
        status = f2l_kernels_fail(err, INVALID, "past is given: there is no backward of a piece");
    if (status) return status;
    const int64_t rows = mine.batch * mine.tokens, D = mine.width, T = mine.taps;
    const int wide = parameter_type(mine.type);
    const named_array arrays[] = {{"dy", d.dy, rows, D, mine.y_row, mine.type, false, false},
                                  {"dx", d.dx, rows, D, mine.x_row, mine.type, true, true},
                                  {"dweight", d.dweight, D, T, T, wide, true, true},
                                  {"dbias", d.dbias, 1, D, D, wide, true, true}};
    status = check_arrays(arrays, 4, err);
    if (status) return status;
#ifdef F2L_HAVE_CUDA
    if (mine.device == FSA2LRNN_KERNELS_CUDA) {
        f2l_error error;
        const f2l_cuda_conv_shape shape = cuda_conv(&mine);
        return carry_error(f2l_cuda_conv_backward(d.dx, d.dweight, d.dbias, d.dy, mine_in.x,
                                                  mine_in.weight, work, &shape, stream, &error),
                           &error, err);
    }
#endif
    f2l_kernels_host_conv_backward(&d, &mine_in, &mine);
    return OK;
}
