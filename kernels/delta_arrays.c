#include "kernels/base/kernels_array.h"
#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include "kernels/delta.h"

enum { INVALID = FSA2LRNN_KERNELS_EINVAL };

/* The shapes of all arrays; the name and whether it is written are the caller's. */
static f2l_kernels_shape shape_of(const char *name, char kind, bool written,
                                  const fsa2lrnn_delta_product *p)
{
    const int64_t rows =
        kind == 'k' || kind == 'v' || kind == 'b' ? p->tokens * p->factors : p->tokens;
    f2l_kernels_shape s = {name, p->type, 3, {p->batch, rows, p->heads}, p->value, written};
    if (kind == 'q' || kind == 'k') s.size[2] = p->key_heads, s.last = p->key;
    if (kind == 'b' || kind == 'g') s.type = p->beta_type;
    if (kind == 'b' || (kind == 'g' && p->gate == FSA2LRNN_KERNELS_GATE_HEAD))
        s.rank = 2, s.last = p->heads;
    else if (kind == 'g')
        s.last = p->key;
    return s;
}

static int check_kind(const fsa2lrnn_kernels_array *array, const char *name, char kind,
                      bool written, const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    const f2l_kernels_shape shape = shape_of(name, kind, written, p);
    return f2l_kernels_check_array(array, &shape, err);
}

static int check_state(const void *states, const char *name, int type, fsa2lrnn_kernels_error *err)
{
    if ((uintptr_t)states % f2l_kernels_bytes_of(type))
        return f2l_kernels_fail(err, INVALID, "%s is not aligned to its numbers of %zu bytes", name,
                                f2l_kernels_bytes_of(type));
    return FSA2LRNN_KERNELS_OK;
}

int f2l_kernels_delta_in(fsa2lrnn_delta_product_in *in, const fsa2lrnn_delta_product_in *from,
                         const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(in, sizeof *in, from, "in", err);
    if (status) return status;
    if (!in->g.data != (p->gate == FSA2LRNN_KERNELS_NO_GATE) && p->batch > 0 && p->tokens > 0)
        return f2l_kernels_fail(err, INVALID, "g is %s, and gate is %d",
                                in->g.data ? "given" : "NULL", p->gate);
    status = check_kind(&in->q, "q", 'q', false, p, err);
    if (!status) status = check_kind(&in->k, "k", 'k', false, p, err);
    if (!status && in->v.data) status = check_kind(&in->v, "v", 'v', false, p, err);
    if (!status) status = check_kind(&in->beta, "beta", 'b', false, p, err);
    if (!status && in->g.data) status = check_kind(&in->g, "g", 'g', false, p, err);
    return status ? status : check_state(in->initial, "initial", p->state_type, err);
}

int f2l_kernels_delta_out(fsa2lrnn_delta_product_out *out, const fsa2lrnn_delta_product_out *from,
                          const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(out, sizeof *out, from, "out", err);
    if (!status) status = check_kind(&out->out, "out", 'o', true, p, err);
    return status ? status : check_state(out->final, "final", p->state_type, err);
}

int f2l_kernels_delta_grad(fsa2lrnn_delta_product_grad *grad,
                           const fsa2lrnn_delta_product_grad *from,
                           const fsa2lrnn_delta_product_in *in, const fsa2lrnn_delta_product *p,
                           fsa2lrnn_kernels_error *err)
{
    int status = f2l_kernels_take(grad, sizeof *grad, from, "grad", err);
    if (status) return status;
    if (p->state_indices)
        return f2l_kernels_fail(err, INVALID, "state_indices are for inference: no gradients");
    if ((grad->dv.data && !in->v.data) || (grad->dg.data && !in->g.data))
        return f2l_kernels_fail(err, INVALID, "%s is wanted, and %s is NULL",
                                grad->dv.data && !in->v.data ? "dv" : "dg",
                                grad->dv.data && !in->v.data ? "v" : "g");
    const struct {
        const fsa2lrnn_kernels_array *array;
        const char *name;
        char kind;
    } written[] = {{&grad->dq, "dq", 'q'},
                   {&grad->dk, "dk", 'k'},
                   {&grad->dv, "dv", 'v'},
                   {&grad->dbeta, "dbeta", 'b'},
                   {&grad->dg, "dg", 'g'}};
    status = check_kind(&grad->dout, "dout", 'o', false, p, err);
    for (int i = 0; !status && i < 5; i++)
        if (written[i].array->data)
            status = check_kind(written[i].array, written[i].name, written[i].kind, true, p, err);
    const int wide = p->type == FSA2LRNN_KERNELS_F64 ? FSA2LRNN_KERNELS_F64 : FSA2LRNN_KERNELS_F32;
    if (!status) status = check_state(grad->dfinal, "dfinal", wide, err);
    return status ? status : check_state(grad->dinitial, "dinitial", p->state_type, err);
}
