/* Exported language models against parity: whatever the four files hold, there is a verdict or a
 * message. The input is the sizes of config.json, model.safetensors and prefix.json, four bytes
 * each, least byte first, and then the files, export.json last. */
#include "automata/family/family.h"
#include "theory/certify/stock/stock.h"
#include <stdlib.h>
#include <string.h>

#define STEPS 20000000

static void must(bool condition)
{
    if (!condition) abort();
}

/* Takes `size` bytes, or those that are left. */
static void take(f2l_buf *out, const uint8_t **data, size_t *left, size_t size)
{
    const size_t n = size < *left ? size : *left;
    f2l_buf_init(out);
    f2l_buf_bytes(out, *data, n);
    *data += n;
    *left -= n;
}

static size_t size_at(const uint8_t *data)
{
    return (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 | (size_t)data[3] << 24;
}

/* Checks that a verdict is complete. */
static void look_at(const f2l_stock_verdict *v, const f2l_fsa *fsa)
{
    bool refuted = false;
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++) {
        const f2l_status verdict = v->path[p].verdict;
        must(verdict == F2L_OK || verdict == F2L_REFUTED || verdict == F2L_UNKNOWN);
        must(verdict != F2L_UNKNOWN || v->path[p].reason[0]);
        must(verdict != F2L_OK || !v->wrong);
        refuted = refuted || verdict == F2L_REFUTED;
    }
    must(!refuted || v->wrong);
    for (size_t i = 0; i < v->length; i++) must(v->word[i] < fsa->letters.count);
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_stock_line(&line, v, 0);
    must(line.size > 0 && memchr(line.data, '\n', line.size) == NULL);
    f2l_buf_clear(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_fsa fsa;
    f2l_stock_files files;
    f2l_stock_verdict verdict;
    f2l_effort effort = {.limit = STEPS};
    const f2l_task task = {.effort = &effort};
    f2l_error err;
    if (size < 12) return 0;
    const size_t sizes[3] = {size_at(data), size_at(data + 4), size_at(data + 8)};
    data += 12;
    size -= 12;
    f2l_stock_files_init(&files);
    take(&files.config, &data, &size, sizes[0]);
    take(&files.tensors, &data, &size, sizes[1]);
    take(&files.prefix, &data, &size, sizes[2]);
    take(&files.about, &data, &size, size);
    const f2l_status same = f2l_stock_files_compare(&files, &err);
    must(same == F2L_EFORMAT || same == F2L_EDOMAIN); /* there is no README.md */
    f2l_fsa_init(&fsa);
    f2l_stock_verdict_init(&verdict);
    must(f2l_family_build(&fsa, "parity", NULL, 0, false, &err) == F2L_OK);
    const f2l_status status = f2l_stock_check(&verdict, &files, &fsa, true, &task, &err);
    must(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    if (status == F2L_OK) look_at(&verdict, &fsa);
    f2l_stock_verdict_clear(&verdict);
    f2l_fsa_clear(&fsa);
    f2l_stock_files_clear(&files);
    return 0;
}
