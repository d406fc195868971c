#include "models/learn/experiment/experiment_history.h"
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include "numeric/json/members.h"
#include <math.h>
#include <string.h>

#define LARGEST_LOG ((size_t)1 << 30)

void f2l_history_init(f2l_history *history)
{
    *history = (f2l_history){.loss = (double)NAN};
}

void f2l_history_clear(f2l_history *history)
{
    for (size_t i = 0; i < history->looks; i++) f2l_free(history->look[i].score);
    f2l_free(history->look);
    f2l_free(history->point);
    f2l_history_init(history);
}

f2l_status f2l_history_add_point(f2l_history *h, const f2l_history_point *point, f2l_error *err)
{
    if (!f2l_grow((void **)&h->point, &h->point_capacity, h->points, sizeof *h->point))
        return f2l_fail_memory(err);
    h->point[h->points++] = *point;
    return F2L_OK;
}

f2l_status f2l_history_add_look(f2l_history *h, uint64_t step, const f2l_train_accuracies *score,
                                size_t scores, f2l_error *err)
{
    if (!f2l_grow((void **)&h->look, &h->look_capacity, h->looks, sizeof *h->look))
        return f2l_fail_memory(err);
    f2l_train_accuracies *copy = f2l_calloc(scores, sizeof *copy);
    if (copy == NULL) return f2l_fail_memory(err);
    memcpy(copy, score, scores * sizeof *copy);
    h->look[h->looks++] = (f2l_history_look){step, copy, scores, (double)NAN};
    return F2L_OK;
}

/* --- lines --- */

/* What is kept of a line; which members it has depends on the event. */
typedef struct line {
    char event[24], device[128];
    f2l_history_point point;
    uint64_t tokens;
    double seconds, distance;
    json_t *lengths;
} line;

#define ROW(member, ...) F2L_MEMBER(line, member, __VA_ARGS__)
#define POINT(member, ...) F2L_MEMBER_AS(#member, line, point.member, __VA_ARGS__)
static const f2l_member timing_rows[] = {ROW(seconds, .how = F2L_MAY_MISS)};
static const f2l_members timing_members = F2L_MEMBERS_AMONG(timing_rows);
static const f2l_member line_rows[] = {
    ROW(event, F2L_ANY), POINT(step, F2L_ANY), ROW(device, .how = F2L_MAY_MISS),
    F2L_MEMBER_PART("timing", 0, &timing_members, .how = F2L_MAY_MISS)};
static const f2l_member step_rows[] = {POINT(loss, .how = F2L_NULL), POINT(rate, .how = F2L_NULL),
                                       POINT(last_accuracy, .how = F2L_NULL),
                                       POINT(length, F2L_ANY), ROW(tokens, F2L_ANY)};
static const f2l_member look_rows[] = {ROW(lengths, .how = F2L_IS_LIST, .least = 1),
                                       ROW(distance, .how = F2L_MAY_MISS | F2L_NULL)};
static const f2l_member end_rows[] = {POINT(loss, .how = F2L_NULL), ROW(tokens, F2L_ANY)};
static const f2l_members line_members = F2L_MEMBERS_AMONG(line_rows),
                         step_members = F2L_MEMBERS_AMONG(step_rows),
                         look_members = F2L_MEMBERS_AMONG(look_rows),
                         end_members = F2L_MEMBERS_AMONG(end_rows);

static const char what[] = "this line of a log";

static f2l_status take_step(f2l_history *h, line *l, const json_t *object, f2l_error *err)
{
    const f2l_status status = f2l_members_read(l, &step_members, object, what, err);
    h->tokens = l->tokens;
    h->loss = l->point.loss;
    return status == F2L_OK ? f2l_history_add_point(h, &l->point, err) : status;
}

static f2l_status take_look(f2l_history *h, line *l, const json_t *object, f2l_error *err)
{
    f2l_status status = f2l_members_read(l, &look_members, object, what, err);
    const size_t scores = status == F2L_OK ? json_array_size(l->lengths) : 0;
    f2l_train_accuracies *score = f2l_calloc(scores + 1, sizeof *score);
    if (score == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < scores && status == F2L_OK; i++) {
        status = f2l_train_accuracies_read(&score[i], json_array_get(l->lengths, i),
                                           "a score of this line", err);
        if (status == F2L_OK && isnan(score[i].constant_accuracy))
            status = f2l_fail(err, F2L_EFORMAT, "a score of this line has no constant_accuracy");
    }
    if (status == F2L_OK) status = f2l_history_add_look(h, h->step, score, scores, err);
    if (status == F2L_OK) h->look[h->looks - 1].distance = l->distance;
    f2l_free(score);
    return status;
}

static f2l_status take_end_of_run(f2l_history *h, line *l, const json_t *object, f2l_train_end end,
                                  f2l_error *err)
{
    const f2l_status status = f2l_members_read(l, &end_members, object, what, err);
    h->end = end;
    h->loss = l->point.loss;
    h->tokens = l->tokens;
    return status;
}

static f2l_status take_line(f2l_history *h, const json_t *object, f2l_error *err)
{
    line l = {.seconds = h->seconds, .distance = (double)NAN};
    f2l_status status = f2l_members_read(&l, &line_members, object, what, err);
    if (status != F2L_OK) return status;
    h->step = l.point.step;
    h->seconds = l.seconds;
    if (l.device[0] != '\0') memcpy(h->device, l.device, sizeof h->device);
    if (strcmp(l.event, "step") == 0) return take_step(h, &l, object, err);
    if (strcmp(l.event, "evaluation") == 0) return take_look(h, &l, object, err);
    for (int e = F2L_TRAIN_COMPLETED; e <= F2L_TRAIN_DIVERGED; e++)
        if (strcmp(l.event, f2l_train_end_name((f2l_train_end)e)) == 0)
            return take_end_of_run(h, &l, object, (f2l_train_end)e, err);
    return F2L_OK;
}

f2l_status f2l_history_parse(f2l_history *h, const char *text, size_t size, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const char *end;
    for (size_t number = 1; status == F2L_OK && size > 0 && (end = memchr(text, '\n', size));
         number++) {
        const size_t bytes = (size_t)(end - text);
        f2l_error why = {0};
        json_t *object = f2l_json_load(&status, text, bytes, what, &why);
        if (object) status = take_line(h, object, &why);
        json_decref(object);
        if (status == F2L_EFORMAT) f2l_fail_at(err, number, 1, "%s", why.text);
        if (status == F2L_ENOMEM) f2l_fail_memory(err);
        text += bytes + 1;
        size -= bytes + 1;
    }
    if (status != F2L_OK) f2l_history_clear(h);
    return status;
}

f2l_status f2l_history_read(f2l_history *h, const char *folder, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = f2l_experiment_read_file(&text, folder, "log.jsonl", LARGEST_LOG, err);
    if (status == F2L_OK) status = f2l_history_parse(h, text.data ? text.data : "", text.size, err);
    f2l_buf_clear(&text);
    return status;
}
