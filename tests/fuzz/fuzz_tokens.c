/* Archives of tokens. What is opened has sequences that follow each other without a gap and places
 * of documents in ascending order, and reads the same in pieces of any size; a fault leaves nothing
 * open. */
#include "models/learn/data/tokens.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };

static void require(bool holds)
{
    if (!holds) abort();
}

static void look_at(const f2l_tokens *t)
{
    require(t->count > 0 && t->sequences > 0 && t->start[0] == 0);
    require(t->start[t->sequences] == t->count);
    for (size_t i = 0; i < t->sequences; i++) require(t->start[i] < t->start[i + 1]);
    for (size_t i = 0; i < t->documents; i++) {
        require(t->document[i] < t->count);
        require(i == 0 || t->document[i - 1] < t->document[i]);
    }
}

/* Reads the first tokens of a sequence at once, and one by one. */
static void read_twice(const f2l_tokens *t, size_t sequence)
{
    const size_t length = t->start[sequence + 1] - t->start[sequence];
    const size_t count = length < MOST ? length : MOST;
    const f2l_tokens_bounds bounds = {1000, 1000};
    uint32_t letter[MOST], label[MOST], one, answer;
    uint8_t mask[MOST], counts;
    f2l_error err = {0};
    if (f2l_tokens_read(letter, label, mask, t, bounds, sequence, 0, count, &err) != F2L_OK) {
        require(err.text[0] != '\0');
        return;
    }
    for (size_t i = 0; i < count; i++) {
        require(letter[i] < bounds.letters && (!mask[i] || label[i] < bounds.labels));
        require(f2l_tokens_read(&one, &answer, &counts, t, bounds, sequence, i, 1, &err) == F2L_OK);
        require(one == letter[i] && answer == label[i] && counts == mask[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_tokens t;
    f2l_error err = {0};
    f2l_tokens_init(&t);
    const f2l_status status = f2l_tokens_take(&t, data, size, &err);
    require(status == F2L_OK || status == F2L_EFORMAT);
    require(status == F2L_OK || err.text[0] != '\0');
    if (status == F2L_OK) {
        look_at(&t);
        read_twice(&t, 0);
        read_twice(&t, t.sequences - 1);
    }
    f2l_tokens_clear(&t);
    return 0;
}
