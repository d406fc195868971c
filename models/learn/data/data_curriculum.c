#include "models/learn/data/data_curriculum.h"

f2l_status f2l_data_curriculum_begin(f2l_data_curriculum *c, const f2l_data *data, f2l_error *err)
{
    const size_t start = f2l_data_fit(data, c->start), limit = f2l_data_fit(data, c->limit);
    if (start == 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the curriculum cannot start at length %zu: the least possible is %zu",
                        c->start, data->least);
    if (limit < start)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the curriculum starts at length %zu, beyond its limit %zu", c->start,
                        c->limit);
    if (!(c->threshold > 0 && c->threshold < 1))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the curriculum's accuracy must be between 0 and 1, not %g", c->threshold);
    c->start = start;
    c->limit = limit;
    c->length = start;
    c->streak = 0;
    return F2L_OK;
}

f2l_data_range f2l_data_curriculum_range(const f2l_data_curriculum *c, const f2l_data *data)
{
    return (f2l_data_range){c->shorter_too ? data->least : c->length, c->length};
}

static size_t longer(const f2l_data_curriculum *c, const f2l_data *data)
{
    const size_t quarter = f2l_data_fit(data, c->length + c->length / 4);
    const size_t next = quarter > c->length ? quarter : f2l_data_after(data, c->length);
    return next < c->limit ? next : c->limit;
}

bool f2l_data_curriculum_report(f2l_data_curriculum *c, const f2l_data *data, double accuracy)
{
    if (!(accuracy > c->threshold)) {
        c->streak = 0;
        return false;
    }
    if (c->length >= c->limit) return false;
    const size_t patience = c->patience > 1 ? c->patience : 1;
    if (++c->streak < patience) return false;
    c->streak = 0;
    c->length = longer(c, data);
    return true;
}

f2l_status f2l_data_curriculum_resume(f2l_data_curriculum *c, const f2l_data *data, size_t length,
                                      size_t streak, f2l_error *err)
{
    f2l_data_curriculum reached = *c;
    const f2l_status status = f2l_data_curriculum_begin(&reached, data, err);
    if (status != F2L_OK) return status;
    while (reached.length < length && reached.length < reached.limit)
        reached.length = longer(&reached, data);
    const size_t patience = c->patience > 1 ? c->patience : 1;
    if (reached.length != length || streak >= patience)
        return f2l_fail(err, F2L_EDOMAIN, "this curriculum has no length %zu after %zu good steps",
                        length, streak);
    reached.streak = streak;
    *c = reached;
    return F2L_OK;
}
