/* The program around a checker: its files, its options, and the end of its output. */
#include "theory/check/reader.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) reject(&(text){.path = path}, "%s", strerror(errno));
    struct stat found;
    const bool sized = fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode);
    size_t size = 0, capacity = sized ? (size_t)found.st_size + 2 : 0; /* for the end of file, and
                                                                          the zero byte */
    char *bytes = sized ? grab(capacity, 1) : NULL;
    while (!ferror(file) && !feof(file)) {
        bytes = grow(bytes, size, &capacity, 1);
        size += fread(bytes + size, 1, capacity - size, file);
        if (size > MAX_FILE) give_up("a file is too large");
    }
    if (ferror(file)) reject(&(text){.path = path}, "%s", strerror(errno));
    fclose(file);
    bytes = grow(bytes, size, &capacity, 1);
    bytes[size] = '\0';
    return (text){path, bytes, bytes, bytes + size, 1};
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
    if (o->seconds > 0) alarm((unsigned)o->seconds);
}
