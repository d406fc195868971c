/* Checkpoints of training runs. The first byte selects whether the rest is the file, or the file
 * without the SHA-256 at its end, which is then added: otherwise mutations would never get past the
 * SHA-256. A checkpoint that is read is finite and is written again as the same bytes; a refused
 * checkpoint changes nothing. */
#define _GNU_SOURCE /* memfd_create */
#include "models/learn/train/train_checkpoint.h"
#include "numeric/base/sha256.h"
#include "tests/support/train/seq_fuzz.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PARAMETERS = 3, STATES = 2, WORDS = 4 };
static const char identity[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

typedef struct run {
    unsigned char parameter[3][8 * PARAMETERS];
    uint64_t state[STATES], word[WORDS];
} run;

static f2l_train_checkpoint checkpoint_of(run *r, size_t number)
{
    memset(r, 0x11, sizeof *r);
    return (f2l_train_checkpoint){.identity = identity,
                                  .number = number,
                                  .parameters = PARAMETERS,
                                  .states = STATES,
                                  .words = WORDS,
                                  .parameter = r->parameter[0],
                                  .mean = r->parameter[1],
                                  .square = r->parameter[2],
                                  .state = r->state,
                                  .word = r->word};
}

/* Writes the checkpoint again; writing needs a path whose folder can hold a temporary file. */
static void write_again(const f2l_train_checkpoint *checkpoint, const f2l_buf *file)
{
    char path[64];
    f2l_buf same;
    f2l_buf_init(&same);
    snprintf(path, sizeof path, "/tmp/fuzz-checkpoint-%ld", (long)getpid());
    must(f2l_train_checkpoint_write(path, checkpoint, NULL) == F2L_OK);
    must(f2l_read_file(&same, path, 0, NULL) == F2L_OK);
    (void)unlink(path);
    must(same.size == file->size && memcmp(same.data, file->data, same.size) == 0);
    f2l_buf_clear(&same);
}

static void read_one(const char *path, const f2l_buf *file, size_t number)
{
    run r, before;
    bool found = false;
    f2l_error err = {0};
    const f2l_train_checkpoint checkpoint = checkpoint_of(&r, number);
    before = r;
    const f2l_status status = f2l_train_checkpoint_read(&found, path, &checkpoint, &err);
    must(found);
    must(status == F2L_OK || status == F2L_EDOMAIN || status == F2L_EFORMAT);
    if (status == F2L_OK) {
        must(f2l_train_checkpoint_finite(&checkpoint));
        write_again(&checkpoint, file);
    } else {
        must(memcmp(&r, &before, sizeof r) == 0 && err.text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    f2l_buf file;
    char path[64], digest[65];
    f2l_buf_init(&file);
    f2l_buf_bytes(&file, data + 1, size - 1);
    f2l_sha256_hex(data + 1, size - 1, digest);
    if (data[0] != 0) f2l_buf_text(&file, digest);
    const int fd = memfd_create("checkpoint", 0);
    must(fd >= 0 && write(fd, file.data, file.size) == (ssize_t)file.size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_one(path, &file, 4);
    read_one(path, &file, 8);
    (void)close(fd);
    f2l_buf_clear(&file);
    return 0;
}
