#include "tests/support/models/safetensors_support.h"

void automaton_with(f2l_fsa *fsa, const f2l_names *letters)
{
    f2l_fsa_init(fsa);
    cr_assert(f2l_names_copy(&fsa->letters, letters, NULL) == F2L_OK);
    sample_name(&fsa->states, "q \"0\"\\");
    sample_name(&fsa->states, "\xc3\xa9\n");
}

void weights_parse(weights *w)
{
    cr_assert(w->report.bytes == w->bytes.size && w->bytes.size > 8);
    size_t length = 0;
    for (size_t i = 0; i < 8; i++) length |= (size_t)(unsigned char)w->bytes.data[i] << 8 * i;
    cr_assert(length % 8 == 0 && length + 8 <= w->bytes.size && w->bytes.data[8] == '{');
    json_error_t why;
    w->header = json_loadb(w->bytes.data + 8, length, JSON_REJECT_DUPLICATES, &why);
    cr_assert(w->header != NULL, "%s", why.text);
    w->data = (const unsigned char *)w->bytes.data + 8 + length;
    w->data_bytes = w->bytes.size - 8 - length;
}

void weights_free(weights *w)
{
    json_decref(w->header);
    f2l_buf_clear(&w->bytes);
}

size_t element_size(const char *dtype)
{
    if (strcmp(dtype, "F64") == 0) return 8;
    return strcmp(dtype, "F32") == 0 || strcmp(dtype, "I32") == 0 ? 4 : 2;
}
