#include "cli/terminal.h"
#include "numeric/base/task.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INTERVAL 0.2
#define WIDTH 79

void f2l_terminal_init(f2l_terminal *terminal, bool quiet)
{
    memset(terminal, 0, sizeof *terminal);
    terminal->enabled = !quiet && isatty(STDERR_FILENO);
}

/* Appends 1234567 as "1,234,567". */
static void append_with_commas(f2l_buf *out, double value)
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
    append_with_commas(out, terminal->done);
    if (terminal->total > 0) {
        f2l_buf_text(out, " of ");
        append_with_commas(out, terminal->total);
    }
}

static void draw_progress_line(f2l_terminal *t, double now)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_terminal_reached(t, &line);
    double seconds = now - t->phase_start,
           rate = seconds > 0 ? (t->done - t->phase_first) / seconds : 0;
    if (rate >= 1) {
        f2l_buf_text(&line, ", ");
        append_with_commas(&line, rate);
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

void f2l_terminal_reach(f2l_terminal *t, const char *phase, double done, double total)
{
    t->done = done;
    t->total = total;
    if (strncmp(t->phase, phase, sizeof t->phase - 1) == 0) return;
    snprintf(t->phase, sizeof t->phase, "%s", phase);
    t->phase_start = f2l_now();
    t->phase_first = done;
}

void f2l_terminal_progress(void *context, const char *phase, double done, double total)
{
    f2l_terminal *t = context;
    f2l_terminal_reach(t, phase, done, total);
    if (!t->enabled) return;
    const double now = f2l_now();
    if (now - t->last_shown >= INTERVAL) draw_progress_line(t, now);
}

/* Returns the number of columns that a line may take. */
static size_t line_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return WIDTH;
    return size.ws_col - 1U;
}

bool f2l_terminal_is_due(const f2l_terminal *t, double seconds)
{
    return t->enabled && f2l_now() - t->last_shown >= seconds;
}

void f2l_terminal_line(f2l_terminal *t, const char *text, double seconds)
{
    static const char gap[] = " ..";
    if (!f2l_terminal_is_due(t, seconds)) return;
    const size_t width = line_width(), size = strlen(text);
    const char *last = strrchr(text, ',');
    if (size <= width || !last || strlen(last) > width / 2) {
        fprintf(stderr, "\r\033[K%.*s", (int)width, text);
    } else {
        const size_t tail = strlen(last + 1) + sizeof gap - 1;
        fprintf(stderr, "\r\033[K%.*s%s%s", (int)(width - tail), text, gap, last + 1);
    }
    fflush(stderr);
    t->shown = true;
    t->last_shown = f2l_now();
}

void f2l_terminal_erase(f2l_terminal *terminal)
{
    if (!terminal->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    terminal->shown = false;
}
