#include "f2l_terminal.h"
#include "f2l_task.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL 0.2
#define WIDTH 79

void f2l_terminal_init(f2l_terminal *terminal, bool quiet)
{
    memset(terminal, 0, sizeof *terminal);
    terminal->enabled = !quiet && isatty(STDERR_FILENO);
}

/* 1234567 -> "1,234,567" */
static void count(f2l_buf *out, double value)
{
    char digits[64];
    int size = snprintf(digits, sizeof digits, "%.0f", value);
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) f2l_buf_text(out, ",");
        f2l_buf_bytes(out, &digits[i], 1);
    }
}

static void duration(f2l_buf *out, double seconds)
{
    if (seconds < 60) {
        f2l_buf_printf(out, "%.0f s", seconds);
    } else if (seconds < 3600) {
        f2l_buf_printf(out, "%.0f min", seconds / 60);
    } else {
        f2l_buf_printf(out, "%.1f h", seconds / 3600);
    }
}

void f2l_terminal_reached(const f2l_terminal *terminal, f2l_buf *out)
{
    if (!terminal->phase[0]) return;
    f2l_buf_printf(out, "%s: ", terminal->phase);
    count(out, terminal->done);
    if (terminal->total > 0) {
        f2l_buf_text(out, " of ");
        count(out, terminal->total);
    }
}

static void draw(f2l_terminal *t, double now)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_terminal_reached(t, &line);
    double seconds = now - t->phase_start, rate = seconds > 0 ? (t->done - t->phase_first) / seconds : 0;
    if (rate >= 1) {
        f2l_buf_text(&line, ", ");
        count(&line, rate);
        f2l_buf_text(&line, "/s");
    }
    if (rate > 0 && t->total > t->done) {
        f2l_buf_text(&line, ", ");
        duration(&line, (t->total - t->done) / rate);
        f2l_buf_text(&line, " left");
    }
    if (line.data) fprintf(stderr, "\r\033[K%.*s", WIDTH, line.data);
    fflush(stderr);
    f2l_buf_clear(&line);
    t->shown = true;
    t->last_shown = now;
}

void f2l_terminal_progress(void *context, const char *phase, double done, double total)
{
    f2l_terminal *t = context;
    bool new_phase = strncmp(t->phase, phase, sizeof t->phase - 1) != 0;
    t->done = done;
    t->total = total;
    if (new_phase) snprintf(t->phase, sizeof t->phase, "%s", phase);
    if (!t->enabled) return;
    double now = f2l_now();
    if (new_phase) {
        t->phase_start = now;
        t->phase_first = done;
    }
    if (now - t->last_shown >= INTERVAL) draw(t, now);
}

void f2l_terminal_erase(f2l_terminal *terminal)
{
    if (!terminal->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    terminal->shown = false;
}
