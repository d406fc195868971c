/* Letters that act alike are merged before anything is built; files give the network all letters
 * again, with their classes. */
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include "theory/compile/impl.h"

f2l_status f2l_compile_merge_letters(f2l_compile_letters **out, const f2l_fsa *fsa,
                                     const f2l_task *task, f2l_error *err)
{
    uint32_t *class_of;
    size_t classes;
    *out = NULL;
    if (fsa->perm) return F2L_OK;
    f2l_status status = f2l_fsa_letter_classes(&class_of, &classes, fsa, task, err);
    if (status != F2L_OK) return status;
    if (classes == fsa->letters.count) {
        f2l_free(class_of);
        return F2L_OK;
    }
    f2l_compile_letters *letters = f2l_calloc(1, sizeof *letters);
    if (!letters) {
        f2l_free(class_of);
        return f2l_fail_memory(err);
    }
    f2l_fsa_init(&letters->fsa);
    letters->classes = (f2l_letter_classes){.count = classes, .of = class_of};
    status = f2l_fsa_copy(&letters->fsa, fsa, err);
    if (status == F2L_OK) status = f2l_fsa_merge_letters(&letters->fsa, class_of, classes, err);
    if (status == F2L_OK)
        *out = letters;
    else
        f2l_compile_letters_free(letters);
    return status;
}

void f2l_compile_model(f2l_net *out, const f2l_compile_result *result, const f2l_fsa *fsa)
{
    *out = result->net;
    if (!result->letters) return;
    out->letters = fsa->letters;
    out->classes = result->letters->classes;
}

const f2l_names *f2l_compile_names(const f2l_compile_result *result, const f2l_fsa *fsa)
{
    return result->letters ? &result->letters->fsa.letters : &fsa->letters;
}

f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result,
                                   const f2l_fsa *fsa, const char network_sha256[65],
                                   f2l_error *err)
{
    const f2l_fsa *merged = result->letters ? &result->letters->fsa : fsa;
    return result->by->proof->certificate(out, result, merged, network_sha256, err);
}
