#include "cli/engines/engines_cells.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCHEMA "fsa2lrnn-engines/1"
#define LARGEST ((size_t)256 << 20)
#define SAVE_SECONDS 5.0 /* longest time between two writings of the file */

/* --- the file --- */

/* Returns the first line: what all cells of a file share. The caller owns it. */
static json_t *head_of(const f2l_engines_cells *c)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I}", "schema", SCHEMA, "version", f2l_version(),
                     "commit", f2l_commit(), "format", c->report->format->name, "effort",
                     (json_int_t)c->report->effort, "letters", (json_int_t)c->report->letters,
                     "limit", (json_int_t)c->report->limit);
}

/* Writes every setting of the row, so that equal texts mean equal steps. */
static void key_of_row(char out[F2L_SCHEDULE_NAME], const f2l_engines_cells *c, size_t row)
{
    f2l_schedule_write(out, c->report->row[row].schedule);
}

static json_t *cell_to_json(const f2l_engines_cells *c, size_t i)
{
    char row[F2L_SCHEDULE_NAME];
    const f2l_engines_cell *cell = &c->cell[i];
    key_of_row(row, c, i % c->report->rows);
    return json_pack("{s:s,s:s,s:i,s:i,s:I,s:I,s:b,s:I,s:s,s:s}", "network",
                     c->source[i / c->report->rows].sha256, "row", row, "verdict",
                     (int)cell->verdict, "how", (int)cell->how, "wrong_after",
                     (json_int_t)cell->wrong_after, "right_up_to", (json_int_t)cell->right_up_to,
                     "bounded", (int)cell->bounded, "joint_states", (json_int_t)cell->joint_states,
                     "word", cell->word, "reason", cell->reason);
}

/* Sets *out; returns false where the line is no cell. */
static bool cell_from_json(f2l_engines_cell *out, const json_t *line)
{
    int verdict, how, bounded;
    json_int_t wrong, right, joint;
    const char *word, *reason;
    if (json_unpack((json_t *)line, "{s:i,s:i,s:I,s:I,s:b,s:I,s:s,s:s}", "verdict", &verdict, "how",
                    &how, "wrong_after", &wrong, "right_up_to", &right, "bounded", &bounded,
                    "joint_states", &joint, "word", &word, "reason", &reason) != 0 ||
        (verdict != F2L_OK && verdict != F2L_REFUTED && verdict != F2L_UNKNOWN) || how < 0 ||
        how > F2L_ROUND_BY_POWERS || wrong < 0 || joint < 0)
        return false;
    *out = (f2l_engines_cell){.decided = true,
                              .verdict = (f2l_status)verdict,
                              .how = (f2l_round_how)how,
                              .wrong_after = (uint64_t)wrong,
                              .right_up_to = (uint64_t)right,
                              .bounded = bounded,
                              .joint_states = (size_t)joint};
    snprintf(out->word, sizeof out->word, "%s", word);
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    return true;
}

/* Takes a line into all cells that it decides. Lines about other networks are left alone. */
static f2l_status take_line(f2l_engines_cells *c, const json_t *line, size_t number, f2l_error *err)
{
    f2l_engines_cell cell;
    char row[F2L_SCHEDULE_NAME];
    const char *network = json_string_value(json_object_get(line, "network"));
    const char *of_row = json_string_value(json_object_get(line, "row"));
    if (!network || !of_row || !cell_from_json(&cell, line))
        return f2l_fail_at(err, number, 1, "a cell of the table of engines is expected");
    for (size_t i = 0; i < c->report->rows; i++) {
        key_of_row(row, c, i);
        if (strcmp(row, of_row) != 0) continue;
        for (size_t n = 0; n < c->report->nets; n++) {
            f2l_engines_cell *at = &c->cell[n * c->report->rows + i];
            if (!at->none && strcmp(c->source[n].sha256, network) == 0) *at = cell;
        }
    }
    return F2L_OK;
}

/* A last line without its end was cut off by a kill, and counts as missing. */
static f2l_status take_lines(f2l_engines_cells *c, const f2l_buf *text, f2l_error *err)
{
    f2l_status status = F2L_OK;
    json_t *head = head_of(c);
    size_t number = 1;
    if (!head) return f2l_fail_memory(err);
    for (const char *at = text->data, *end; status == F2L_OK && at && *at; at = end + 1, number++) {
        end = strchr(at, '\n');
        if (!end) break;
        json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
        if (!line)
            status = f2l_fail_at(err, number, 1, "a line of JSON is expected");
        else if (number > 1)
            status = take_line(c, line, number, err);
        else if (!json_equal(line, head))
            status = f2l_fail_at(err, 1, 1,
                                 "the cells are of another version, commit, format, effort, limit "
                                 "or number of letters: name another file");
        json_decref(line);
    }
    json_decref(head);
    return status;
}

f2l_status f2l_engines_cells_read(f2l_engines_cells *cells, f2l_error *err)
{
    struct stat about;
    f2l_buf text;
    if (!cells->path || (stat(cells->path, &about) != 0 && errno == ENOENT)) return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, cells->path, LARGEST, err);
    if (status == F2L_OK) status = take_lines(cells, &text, err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status put_line(f2l_buf *out, json_t *line, f2l_error *err)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text) return f2l_fail_memory(err);
    f2l_buf_printf(out, "%s\n", text);
    free(text);
    return f2l_buf_status(out, err);
}

/* Writes the file anew with all cells that are decided. */
static f2l_status write_cells(const f2l_engines_cells *c, f2l_error *err)
{
    f2l_buf text;
    if (!c->path) return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = put_line(&text, head_of(c), err);
    for (size_t i = 0; status == F2L_OK && i < c->report->nets * c->report->rows; i++)
        if (c->cell[i].decided && !c->cell[i].none && !f2l_engines_is_copy(c->report, i))
            status = put_line(&text, cell_to_json(c, i), err);
    if (status == F2L_OK) status = f2l_write_file(c->path, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* --- the work --- */

typedef struct team {
    f2l_engines_cells *cells;
    const f2l_task *task;
    double saved;         /* time of the last writing (f2l_now) */
    pthread_mutex_t lock; /* of all below, and of the cells' file */
    size_t next, done, total;
    f2l_status status;
    f2l_error err;
} team;

/* Decides one cell; a cell that the task ended is left open. */
static f2l_status decide_cell(f2l_engines_cell *out, const team *t, size_t i, f2l_error *err)
{
    f2l_rounded row;
    f2l_engines_report *r = t->cells->report;
    const f2l_engines_source *source = &t->cells->source[i / r->rows];
    const f2l_round_options options = {.closure = {.max_rows = (size_t)r->limit, .jobs = 1},
                                       .observe = {.letters = r->letters,
                                                   .seed = 1,
                                                   .kinds = {r->letters, r->letters, r->letters}}};
    f2l_effort effort = {.limit = r->effort * F2L_STEPS};
    f2l_task task = *t->task;
    task.effort = &effort;
    task.jobs = 1;
    task.progress = NULL;
    f2l_rounded_init(&row);
    row.format = r->format;
    row.schedule = r->row[i % r->rows].schedule;
    f2l_status status = f2l_round(&row, source->model, source->fsa, &source->exact, r->format,
                                  row.schedule, &options, &task, err);
    if (status == F2L_OK) f2l_engines_cell_take(out, &row);
    if (status == F2L_OK && row.verdict == F2L_UNKNOWN && f2l_task_stop(&task)) {
        out->decided = false;
        status = f2l_task_poll(&task, "engines", 0, 0, err);
    }
    f2l_rounded_clear(&row);
    if (status == F2L_EDOMAIN) { /* this row is not for such a network */
        *out = (f2l_engines_cell){.none = true, .decided = true};
        snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
        return F2L_OK;
    }
    return status;
}

/* Takes the next cell that is missing; returns false where there is none, or the work ended. */
static bool take_next(team *t, size_t *i)
{
    const f2l_engines_report *r = t->cells->report;
    for (; t->next < t->total && t->status == F2L_OK; t->next++)
        if (!t->cells->cell[t->next].decided && !f2l_engines_is_copy(r, t->next)) {
            *i = t->next++;
            return true;
        }
    return false;
}

static void finish_cell(team *t, size_t i, const f2l_engines_cell *cell, f2l_status status,
                        const f2l_error *err)
{
    f2l_error why;
    if (status == F2L_OK) {
        t->cells->cell[i] = *cell;
        t->done++;
        status = F2L_OK;
        if (f2l_now() > t->saved + SAVE_SECONDS) {
            status = write_cells(t->cells, &why);
            t->saved = f2l_now();
        }
        if (status == F2L_OK)
            status = f2l_task_poll(t->task, "cells", (double)t->done, (double)t->total, &why);
        err = &why;
    }
    if (status != F2L_OK && t->status == F2L_OK) {
        t->status = status;
        t->err = *err;
    }
}

static void *work(void *context)
{
    team *t = context;
    size_t i;
    pthread_mutex_lock(&t->lock);
    while (take_next(t, &i)) {
        f2l_error err;
        f2l_engines_cell cell = {0};
        pthread_mutex_unlock(&t->lock);
        const f2l_status status = decide_cell(&cell, t, i, &err);
        pthread_mutex_lock(&t->lock);
        finish_cell(t, i, &cell, status, &err);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Gives cells of equal rows the verdict of the first. */
static void copy_equal(f2l_engines_cells *c)
{
    const f2l_engines_report *r = c->report;
    for (size_t i = 0; i < r->nets * r->rows; i++)
        if (f2l_engines_is_copy(r, i) && !c->cell[i].none)
            c->cell[i] = c->cell[i - i % r->rows + r->row[i % r->rows].same];
}

#define MOST_THREADS 256

f2l_status f2l_engines_cells_decide(f2l_engines_cells *cells, const f2l_task *task, f2l_error *err)
{
    pthread_t thread[MOST_THREADS];
    size_t threads = 0;
    const size_t asked = task->jobs < MOST_THREADS ? task->jobs : MOST_THREADS;
    team t = {.cells = cells,
              .task = task,
              .saved = f2l_now(),
              .total = cells->report->nets * cells->report->rows,
              .lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < t.total; i++) t.done += cells->cell[i].decided;
    while (threads + 1 < asked && pthread_create(&thread[threads], NULL, work, &t) == 0) threads++;
    work(&t);
    for (size_t i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    copy_equal(cells);
    f2l_error unsaved;
    const f2l_status saved = write_cells(cells, &unsaved);
    if (t.status != F2L_OK) *err = t.err;
    if (saved == F2L_OK || t.status == F2L_EIO) return t.status;
    *err = unsaved;
    return saved;
}
