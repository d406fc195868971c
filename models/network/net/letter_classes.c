#include "models/network/net/letter_classes.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_letter_classes_clear(f2l_letter_classes *classes)
{
    f2l_free(classes->of);
    *classes = (f2l_letter_classes){0};
}

f2l_status f2l_letter_classes_copy(f2l_letter_classes *out, const f2l_letter_classes *classes,
                                   size_t letters, f2l_error *err)
{
    f2l_letter_classes_clear(out);
    if (!classes->of) return F2L_OK;
    out->of = f2l_calloc(letters, sizeof *out->of);
    if (!out->of) return f2l_fail_memory(err);
    memcpy(out->of, classes->of, letters * sizeof *out->of);
    out->count = classes->count;
    return F2L_OK;
}

bool f2l_letter_classes_valid(const f2l_letter_classes *classes, size_t letters)
{
    size_t met = 0;
    if (!classes->of) return classes->count == 0;
    for (size_t a = 0; a < letters; a++) {
        if (classes->of[a] > met) return false;
        met += classes->of[a] == met;
    }
    return met == classes->count && met < letters;
}

f2l_status f2l_letter_classes_merge(f2l_names *letters, f2l_letter_classes *classes, f2l_error *err)
{
    f2l_names first;
    f2l_names_init(&first);
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && classes->of && a < letters->count; a++) {
        if (classes->of[a] != first.count) continue;
        const char *name = f2l_names_get(letters, a);
        size_t index;
        status = f2l_names_add(&first, name, strlen(name), &index, err);
    }
    if (status != F2L_OK || !classes->of) {
        f2l_names_clear(&first);
        return status;
    }
    f2l_names_clear(letters);
    *letters = first;
    f2l_letter_classes_clear(classes);
    return F2L_OK;
}
