#include "models/experiment/experiment_history.h"
#include "models/experiment/impl.h"
#include "numeric/base/mem.h"
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

/* Returns the member, which may be null in the log for a number that is not finite; sets *good to
 * false when it is missing or no number. */
static double real(const json_t *line, const char *name, bool *good)
{
    const json_t *value = json_object_get(line, name);
    if (json_is_null(value)) return (double)NAN;
    *good = *good && json_is_number(value);
    return json_number_value(value);
}

static uint64_t count(const json_t *line, const char *name, bool *good)
{
    const json_t *value = json_object_get(line, name);
    *good = *good && json_is_integer(value) && json_integer_value(value) >= 0;
    return *good ? (uint64_t)json_integer_value(value) : 0;
}

static f2l_status take_step(f2l_history *h, const json_t *line, bool *good, f2l_error *err)
{
    const f2l_history_point point = {.step = h->step,
                                     .loss = real(line, "loss", good),
                                     .rate = real(line, "rate", good),
                                     .last_accuracy = real(line, "last_accuracy", good),
                                     .length = (size_t)count(line, "length", good)};
    h->tokens = count(line, "tokens", good);
    h->loss = point.loss;
    return *good ? f2l_history_add_point(h, &point, err) : F2L_OK;
}

static f2l_train_accuracies take_score(const json_t *object, bool *good)
{
    return (f2l_train_accuracies){.length = (size_t)count(object, "length", good),
                                  .sequences = count(object, "sequences", good),
                                  .sequence_accuracy = real(object, "sequence_accuracy", good),
                                  .accuracy = real(object, "accuracy", good),
                                  .scaled_accuracy = real(object, "scaled_accuracy", good),
                                  .constant_accuracy = real(object, "constant_accuracy", good),
                                  .scaled_constant = real(object, "scaled_constant", good)};
}

static f2l_status take_look(f2l_history *h, const json_t *line, bool *good, f2l_error *err)
{
    const json_t *lengths = json_object_get(line, "lengths");
    const size_t scores = json_array_size(lengths);
    f2l_train_accuracies *score = f2l_calloc(scores + 1, sizeof *score);
    if (score == NULL) return f2l_fail_memory(err);
    *good = *good && scores > 0;
    for (size_t i = 0; i < scores; i++) score[i] = take_score(json_array_get(lengths, i), good);
    const f2l_status status = *good ? f2l_history_add_look(h, h->step, score, scores, err) : F2L_OK;
    if (*good && status == F2L_OK && json_object_get(line, "distance"))
        h->look[h->looks - 1].distance = real(line, "distance", good);
    f2l_free(score);
    return status;
}

static void take_end(f2l_history *h, const json_t *line, f2l_train_end end, bool *good)
{
    h->end = end;
    h->loss = real(line, "loss", good);
    h->tokens = count(line, "tokens", good);
}

static void take_start(f2l_history *h, const json_t *line)
{
    const char *device = json_string_value(json_object_get(line, "device"));
    if (device && strlen(device) < sizeof h->device) memcpy(h->device, device, strlen(device) + 1);
}

static f2l_status take_line(f2l_history *h, const json_t *line, size_t number, f2l_error *err)
{
    static const char *const end[] = {"", "completed", "reached", "diverged"};
    const char *event = json_string_value(json_object_get(line, "event"));
    const json_t *seconds = json_object_get(json_object_get(line, "timing"), "seconds");
    bool good = event != NULL;
    f2l_status status = F2L_OK;
    h->step = count(line, "step", &good);
    if (json_is_number(seconds)) h->seconds = json_number_value(seconds);
    if (good && strcmp(event, "step") == 0) status = take_step(h, line, &good, err);
    if (good && strcmp(event, "evaluation") == 0) status = take_look(h, line, &good, err);
    for (int e = F2L_TRAIN_COMPLETED; good && e <= F2L_TRAIN_DIVERGED; e++)
        if (strcmp(event, end[e]) == 0) take_end(h, line, (f2l_train_end)e, &good);
    if (good) take_start(h, line);
    if (status != F2L_OK || good) return status;
    return f2l_fail_at(err, number, 1, "this is no line of a log of training");
}

f2l_status f2l_history_parse(f2l_history *h, const char *text, size_t size, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const char *end;
    for (size_t number = 1; status == F2L_OK && size > 0 && (end = memchr(text, '\n', size));
         number++) {
        const size_t bytes = (size_t)(end - text);
        json_t *line = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
        status = take_line(h, line, number, err);
        json_decref(line);
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
