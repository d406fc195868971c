/* Certificates as hints: everything that is read is in range, so that following it is safe, and no
 * certificate proves a network of another automaton. An input is the text from the claim on; the
 * hashes of the files and the seal are added. */
#include "automata/family/family.h"
#include "numeric/base/sha256.h"
#include "theory/certify/round/outline.h"
#include "theory/compile/compile.h"
#include <stdlib.h>

#define NETWORK_SHA256 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* The automaton of all maps of three states, in two networks: a cascade whose pairs name children,
 * and a wired one; and the automaton with one transition changed. */
typedef struct subject {
    f2l_fsa fsa, other;
    f2l_net cascade, wired;
} subject;

static void must(bool condition)
{
    if (!condition) abort();
}

static void build_family(f2l_fsa *fsa)
{
    const uint64_t three = 3;
    f2l_fsa_init(fsa);
    must(f2l_family_build(fsa, "transformations", &three, 1, false, NULL) == F2L_OK);
}

/* Builds a model, which is kept as long as the process. */
static void build_model(f2l_net *out, const f2l_fsa *fsa, const f2l_compile_options *options)
{
    static f2l_compile_result kept[2];
    static size_t used;
    f2l_compile_result *result = &kept[used++];
    f2l_compile_result_init(result);
    must(f2l_compile(result, fsa, options, NULL, NULL) == F2L_OK);
    *out = result->net;
}

static const subject *get_subject(void)
{
    static subject s;
    const f2l_compile_options one = {.target = F2L_COMPILE_ONE}, rule = {.max_sets = 2};
    if (s.fsa.letters.count > 0) return &s;
    build_family(&s.fsa);
    build_family(&s.other);
    s.other.next[0] = (s.other.next[0] + 1) % 3;
    build_model(&s.cascade, &s.fsa, &one);
    build_model(&s.wired, &s.fsa, &rule);
    must(!f2l_net_is_wired(&s.cascade) && f2l_net_is_wired(&s.wired));
    return &s;
}

static void surround(f2l_buf *out, const f2l_net *model, const char *data, size_t size)
{
    char hex[65];
    f2l_buf_printf(out,
                   "lrnn-certificate 2\n"
                   "fsa %s\n"
                   "network %s\n",
                   model->fsa_sha256, NETWORK_SHA256);
    f2l_buf_bytes(out, data, size);
    f2l_sha256_hex(out->data, out->size, hex);
    f2l_buf_printf(out, "sha256 %s\n", hex);
}

static void check_ranges(const f2l_cert *cert, const f2l_fsa *fsa)
{
    const f2l_cascade *c = &cert->cascade;
    for (size_t q = 0; cert->classes && q < fsa->states.count; q++)
        must(cert->classes[q] < cert->class_count || cert->classes[q] == UINT32_MAX);
    for (size_t x = 0; x < c->sets.count; x++) {
        must(c->lambda[x] >= 1 && c->lambda[x] <= c->levels + 1);
        for (size_t i = 0; i < c->cover_count[x]; i++)
            must(c->cover[c->cover_at[x] + i] < c->sets.count);
    }
    for (size_t l = 0; l < c->levels; l++)
        for (size_t i = 0; i < c->level[l].contexts; i++) {
            const f2l_context *x = &c->level[l].context[i];
            must(x->letter < fsa->letters.count && x->from < c->sets.count &&
                 x->to < c->sets.count);
        }
}

/* Returns whether the certificate proves the network right, exactly or in a format. */
static bool proves(const f2l_net *model, const f2l_fsa *fsa, const f2l_buf *text)
{
    f2l_outline outline;
    f2l_outlined by = {.verdict = F2L_UNKNOWN};
    f2l_error err = {0};
    f2l_outline_init(&outline);
    f2l_status status =
        f2l_outline_read(&outline, model, fsa, text->data, text->size, NETWORK_SHA256, NULL, &err);
    must(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    if (status == F2L_OK) {
        check_ranges(&outline.cert, fsa);
        must(f2l_outline_exact(&outline, 10000, NULL, NULL) == F2L_OK);
        must(f2l_outline_float(&by, &outline, f2l_format_find("bf16"), f2l_schedule_find("every"),
                               10000, NULL, NULL) == F2L_OK);
    }
    const bool proved = outline.exact.verdict == F2L_OK || by.verdict == F2L_OK;
    f2l_outline_clear(&outline);
    return proved;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const subject *s = get_subject();
    const f2l_net *const model[] = {&s->cascade, &s->wired};
    for (size_t i = 0; i < 2; i++) {
        f2l_buf text;
        f2l_buf_init(&text);
        surround(&text, model[i], (const char *)data, size);
        proves(model[i], &s->fsa, &text);
        must(!proves(model[i], &s->other, &text));
        f2l_buf_clear(&text);
    }
    return 0;
}
