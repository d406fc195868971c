#include "numeric/base/mem.h"
#include "theory/obstruct/impl.h"
#include <string.h>

void f2l_machine_clear(f2l_machine *m)
{
    f2l_float_net_free(m->net);
    f2l_exact_free(m->codes);
    f2l_rational_free(m->rational);
    *m = (f2l_machine){0};
}

static f2l_status init_format(f2l_machine *m, const f2l_net *model, const f2l_format *format,
                              const f2l_schedule *schedule, f2l_error *err)
{
    m->bytes = sizeof(double);
    m->kind = F2L_MACHINE_FLOAT;
    f2l_status status = f2l_float_net_new(&m->net, model, format, schedule, err);
    if (status == F2L_OK) m->items = f2l_float_size(m->net);
    return status;
}

static f2l_status init_exact(f2l_machine *m, const f2l_net *model, bool rational, f2l_error *err)
{
    if (!rational) {
        m->kind = F2L_MACHINE_CODES;
        m->bytes = sizeof(size_t);
        m->items = f2l_net_joint(model);
        return f2l_exact_new(&m->codes, model, err);
    }
    m->kind = F2L_MACHINE_RATIONAL;
    m->bytes = sizeof(f2l_qvec);
    f2l_status status = f2l_rational_new(&m->rational, model, err);
    if (status == F2L_OK) m->items = f2l_rational_heads(m->rational);
    return status;
}

f2l_status f2l_machine_init(f2l_machine *m, const f2l_net *model, const f2l_format *format,
                            const f2l_schedule *schedule, bool rational, f2l_error *err)
{
    *m = (f2l_machine){0};
    f2l_status status =
        format ? init_format(m, model, format, schedule, err) : init_exact(m, model, rational, err);
    if (status != F2L_OK) f2l_machine_clear(m);
    return status;
}

f2l_status f2l_spot_init(f2l_spot *p, const f2l_machine *m, f2l_error *err)
{
    *p = (f2l_spot){.joint = f2l_calloc(m->items, m->bytes)};
    if (!p->joint) return f2l_fail_memory(err);
    f2l_qvec *v = p->joint;
    for (size_t i = 0; m->kind == F2L_MACHINE_RATIONAL && i < m->items; i++) f2l_qvec_init(&v[i]);
    return F2L_OK;
}

void f2l_spot_clear(f2l_spot *p, const f2l_machine *m)
{
    f2l_qvec *v = p->joint;
    for (size_t i = 0; v && m->kind == F2L_MACHINE_RATIONAL && i < m->items; i++)
        f2l_qvec_clear(&v[i]);
    f2l_free(p->joint);
    *p = (f2l_spot){0};
}

f2l_status f2l_spot_copy(f2l_spot *out, const f2l_spot *p, const f2l_machine *m, f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->state = p->state;
    if (m->kind != F2L_MACHINE_RATIONAL) {
        if (m->items > 0) memcpy(out->joint, p->joint, m->items * m->bytes);
        return F2L_OK;
    }
    f2l_qvec *to = out->joint;
    const f2l_qvec *from = p->joint;
    for (size_t i = 0; i < m->items && status == F2L_OK; i++)
        status = f2l_qvec_copy(&to[i], &from[i], err);
    return status;
}

/* Returns whether two spots are equal. Doubles have no -0 here, and are finite: f2l_machine_step
 * ensures this. */
bool f2l_spot_equal(const f2l_spot *a, const f2l_spot *b, const f2l_machine *m)
{
    if (a->state != b->state) return false;
    if (m->kind != F2L_MACHINE_RATIONAL)
        return m->items == 0 || memcmp(a->joint, b->joint, m->items * m->bytes) == 0;
    const f2l_qvec *x = a->joint, *y = b->joint;
    bool equal = true;
    for (size_t i = 0; equal && i < m->items; i++) equal = f2l_qvec_compare(&x[i], &y[i]) == 0;
    return equal;
}

/* Replaces -0 by +0; returns F2L_EDOMAIN where a number is not finite. */
static f2l_status settle_state_numbers(double *x, size_t count, f2l_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) return f2l_fail(err, F2L_EDOMAIN, "the state is not finite");
        if (x[i] == 0) x[i] = 0;
    }
    return F2L_OK;
}

f2l_status f2l_machine_start(f2l_machine *m, f2l_spot *p, f2l_error *err)
{
    switch (m->kind) {
    case F2L_MACHINE_FLOAT:
        f2l_float_start(m->net, p->joint);
        return settle_state_numbers(p->joint, m->items, err);
    case F2L_MACHINE_CODES:
        return f2l_exact_start(m->codes, p->joint, err);
    case F2L_MACHINE_RATIONAL:
        break;
    }
    return f2l_rational_start(m->rational, p->joint, err);
}

f2l_status f2l_machine_step(f2l_machine *m, f2l_spot *p, size_t letter, uint32_t *label,
                            f2l_error *err)
{
    size_t found = 0;
    f2l_status status = F2L_OK;
    *label = F2L_NO_SYMBOL;
    switch (m->kind) {
    case F2L_MACHINE_FLOAT:
        status = f2l_float_step(m->net, p->joint, letter, label, err);
        return status == F2L_OK ? settle_state_numbers(p->joint, m->items, err) : status;
    case F2L_MACHINE_CODES:
        status = f2l_exact_step(m->codes, p->joint, letter, &found, NULL, err);
        break;
    case F2L_MACHINE_RATIONAL:
        return f2l_rational_step(m->rational, p->joint, letter, label, err);
    }
    if (status == F2L_OK) *label = (uint32_t)found;
    return status;
}
