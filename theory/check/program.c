/* The program around a checker: its files, its options, and the end of its output. */
#include "theory/check/reader.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns room for the bytes and a zero byte. The file has it from now on, so that a leak detector
 * finds it where the program ends before everything is read. */
static char *room_for(text *file, char *bytes, size_t size)
{
    char *larger = realloc(bytes, size + 1);
    if (!larger) give_up("out of memory");
    file->bytes = larger;
    return larger;
}

static void finish_text(text *file, char *bytes, size_t size)
{
    take_bytes(size);
    bytes[size] = '\0';
    *file = (text){file->path, bytes, bytes, bytes + size, 1};
}

/* Of a file that was not read there is no verdict: UNKNOWN. */
static _Noreturn void leave_unread(const char *path)
{
    fprintf(stderr, "%s: a file cannot be read: %s: %s\n", self_name, path, strerror(errno));
    puts("s UNKNOWN");
    exit(UNKNOWN);
}

static void read_file(text *t, const char *path)
{
    *t = (text){.path = path};
    FILE *file = fopen(path, "rb");
    if (!file) leave_unread(path);
    struct stat found;
    const bool sized = fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode);
    const size_t most = (rest.bytes < MAX_FILE ? rest.bytes : MAX_FILE) + 1;
    size_t size = 0, room = sized ? (size_t)found.st_size + 1 : 1 << 16;
    char *bytes = NULL;
    do {
        if (room > most) room = most;
        bytes = room_for(t, bytes, room);
        size += fread(bytes + size, 1, room - size, file);
        room *= 2;
    } while (size < most && !feof(file) && !ferror(file));
    if (ferror(file)) leave_unread(path);
    if (size > MAX_FILE) give_up("a file is too large");
    fclose(file);
    finish_text(t, bytes, size);
}

/* Reads the next bytes of standard input. */
static void read_piece(text *t, const char *path, size_t size)
{
    *t = (text){.path = path};
    if (size > MAX_FILE) give_up("a file is too large");
    char *bytes = room_for(t, NULL, size < rest.bytes ? size : rest.bytes);
    if (size > rest.bytes) take_bytes(size);
    if (fread(bytes, 1, size, stdin) != size) give_up("standard input ends before the files do");
    finish_text(t, bytes, size);
}

/* Takes leave of the process that lrnn-check left to write standard input, which has ended: where
 * the first process of a system does not ask after others' children, each would keep an entry. */
static void reap(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

void read_files(text *file, size_t count, char *const *path, const char *sizes, const options *o,
                size_t growth)
{
    const size_t times = o->budget > 0 ? o->budget : 1;
    size_t bytes = 0;
    rest.bytes = o->memory > 0 ? o->memory : times * BASE_BYTES;
    if (sizes && atexit(reap) != 0) give_up("out of memory");
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        if (sizes)
            read_piece(&file[i], path[i], strtoul(sizes, &end, 10));
        else
            read_file(&file[i], path[i]);
        if (sizes) sizes = *end == ',' ? end + 1 : end;
        bytes += left(&file[i]);
    }
    if (sizes && getchar() != EOF) give_up("standard input goes on behind the files");
    const size_t unread = rest.bytes;
    begin_budget(bytes, times, growth);
    if (o->memory > 0) rest.bytes = unread;
}

int end_output(int status)
{
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (fclose(stdout) == 0 && !failed) return status;
    fprintf(stderr, "%s: standard output: %s\n", self_name, strerror(errno));
    return UNKNOWN;
}

/* SIGALRM */
static void stop(int signal)
{
    static const char why[] = ": the limit of time was reached\n", unknown[] = "s UNKNOWN\n";
    (void)signal;
    if (write(STDERR_FILENO, self_name, strlen(self_name)) < 0 ||
        write(STDERR_FILENO, why, sizeof why - 1) < 0 ||
        write(STDOUT_FILENO, unknown, sizeof unknown - 1) < 0)
        _exit(UNKNOWN);
    _exit(UNKNOWN);
}

/* Returns a whole number, with K, M or G after it if `units`; 0: it is none. */
static size_t amount(const char *word, bool units)
{
    char *end;
    if (*word < '1' || *word > '9') return 0;
    errno = 0;
    const unsigned long value = strtoul(word, &end, 10);
    const char *unit = *end && units ? strchr("KMG", *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - "KMG" + 1) : 0;
    if (errno || (unit ? end[1] : *end) || value > SIZE_MAX >> shift) return 0;
    return value << shift;
}

int read_options(options *o, int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        size_t *to = strcmp(argv[i], "--budget") == 0       ? &o->budget
                     : strcmp(argv[i], "--memory") == 0     ? &o->memory
                     : strcmp(argv[i], "--time-limit") == 0 ? &o->seconds
                                                            : NULL;
        if (!to || *to != 0 || (*to = amount(argv[i + 1], to == &o->memory)) == 0) return -1;
    }
    return o->budget > 10000 || o->seconds > 1000000 ? -1 : i - 1;
}

void limit_time(const options *o)
{
    signal(SIGALRM, stop);
    if (o->seconds == 0) return;
    const unsigned before = alarm((unsigned)o->seconds); /* of the program that handed over */
    if (before > 0 && before < o->seconds) alarm(before);
}
