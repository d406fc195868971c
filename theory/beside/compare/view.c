#include "theory/beside/compare/view.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_learned_view_clear(f2l_learned_view *v)
{
    f2l_free(v->owned);
    f2l_free(v->scratch);
    *v = (f2l_learned_view){.states = 0};
}

static void choose_probes(f2l_learned_view *v, const f2l_learned_sample *s)
{
    v->probes = s->used_letters < F2L_VIEW_PROBES ? s->used_letters : F2L_VIEW_PROBES;
    for (size_t i = 0; i < v->probes; i++) v->probe[i] = s->used[i * s->used_letters / v->probes];
}

f2l_status f2l_learned_view_row(float *row, const f2l_learned_view *v, f2l_learned_reader *reader,
                                const float *state, f2l_error *err)
{
    uint32_t answer[F2L_VIEW_PROBES];
    const size_t numbers = reader->numbers, labels = reader->model->config.labels;
    if (v->kind == F2L_VIEW_STATES) {
        memcpy(row, state, numbers * sizeof *row);
        return F2L_OK;
    }
    for (size_t i = 0; i < v->probes; i++)
        memcpy(v->scratch + i * numbers, state, numbers * sizeof *state);
    const f2l_status status =
        f2l_learned_step(answer, row, v->scratch, reader, v->probe, v->probes, err);
    for (size_t i = 0; status == F2L_OK && i < v->probes; i++) {
        float *logits = row + i * labels;
        double mean = 0;
        for (size_t k = 0; k < labels; k++) mean += (double)logits[k] / (double)labels;
        for (size_t k = 0; k < labels; k++) logits[k] -= (float)mean;
    }
    return status;
}

static f2l_status read_view_rows(f2l_learned_view *v, f2l_learned_reader *reader,
                                 const f2l_learned_sample *s, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    v->owned = f2l_calloc(v->states, v->numbers * sizeof *v->owned);
    v->scratch = f2l_calloc(v->probes, s->numbers * sizeof *v->scratch);
    if (!v->owned || !v->scratch) return f2l_fail_memory(err);
    v->row = v->owned;
    for (size_t i = 0; status == F2L_OK && i < v->states; i++) {
        status = f2l_learned_view_row(v->owned + i * v->numbers, v, reader,
                                      s->state + i * s->numbers, err);
        if (status == F2L_OK)
            status = f2l_task_poll(task, "logits", (double)i, (double)v->states, err);
    }
    return status;
}

f2l_status f2l_learned_view_build(f2l_learned_view *out, f2l_view_kind kind,
                                  f2l_learned_reader *reader, const f2l_learned_sample *sample,
                                  const f2l_task *task, f2l_error *err)
{
    *out = (f2l_learned_view){
        .kind = kind, .states = sample->states, .numbers = sample->numbers, .row = sample->state};
    if (kind == F2L_VIEW_STATES) return F2L_OK;
    choose_probes(out, sample);
    out->numbers = out->probes * reader->model->config.labels;
    return read_view_rows(out, reader, sample, task, err);
}
