/* Runs a fuzz target on stored inputs: the files on the command line, and the files in the folders
 * on the command line. */
#define _XOPEN_SOURCE 700 /* scandir */
#include "numeric/base/text.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay_file(const char *path)
{
    f2l_buf bytes;
    f2l_error err;
    f2l_buf_init(&bytes);
    if (f2l_read_file(&bytes, path, 0, &err) != F2L_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
    /* A block of exactly the input's size, so that reading past its end is seen. */
    uint8_t *exact = malloc(bytes.size > 0 ? bytes.size : 1);
    if (!exact) abort();
    for (size_t i = 0; i < bytes.size; i++) exact[i] = (uint8_t)bytes.data[i];
    LLVMFuzzerTestOneInput(exact, bytes.size);
    free(exact);
    f2l_buf_clear(&bytes);
    return 1;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static size_t replay(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) return replay_file(path);
    struct dirent **entry;
    int n = scandir(path, &entry, is_visible, alphasort);
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        f2l_buf name;
        f2l_buf_init(&name);
        f2l_buf_printf(&name, "%s/%s", path, entry[i]->d_name);
        count += replay(name.data);
        f2l_buf_clear(&name);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) count += replay(argv[i]);
    printf("%zu passed, 0 failed\n", count);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
