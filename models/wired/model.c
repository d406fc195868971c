#include "models/wired/model.h"
#include <string.h>

void f2l_model_init(f2l_model *model)
{
    f2l_net_init(&model->net);
    f2l_wired_init(&model->wired);
}

void f2l_model_clear(f2l_model *model)
{
    f2l_net_clear(&model->net);
    f2l_wired_clear(&model->wired);
}

bool f2l_model_is_wired(const f2l_model *model)
{
    return model->wired.stages > 0;
}

f2l_model_face f2l_model_look(const f2l_model *model)
{
    const f2l_wired *w = &model->wired;
    const f2l_net *n = &model->net;
    if (f2l_model_is_wired(model))
        return (f2l_model_face){&w->letters, &w->labels,    w->start,
                                w->label,    w->fsa_sha256, &w->classes};
    return (f2l_model_face){&n->letters, &n->labels,    n->start,
                            n->label,    n->fsa_sha256, &n->classes};
}

f2l_status f2l_model_merge_letters(f2l_model *model, f2l_error *err)
{
    if (f2l_model_is_wired(model))
        return f2l_letter_classes_merge(&model->wired.letters, &model->wired.classes, err);
    return f2l_letter_classes_merge(&model->net.letters, &model->net.classes, err);
}

f2l_status f2l_model_read(f2l_model *out, const char *bytes, size_t size, f2l_error *err)
{
    static const char wired[] = "lrnn-wired ";
    if (size >= sizeof wired - 1 && memcmp(bytes, wired, sizeof wired - 1) == 0)
        return f2l_wired_read(&out->wired, bytes, size, err);
    return f2l_net_read(&out->net, bytes, size, err);
}

f2l_status f2l_model_check_hash(const f2l_model_face *face, const char sha256[65], f2l_error *err)
{
    if (strcmp(sha256, face->fsa_sha256) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "this is not the automaton of the network: its SHA-256 is %.12s..., expected "
                    "%.12s...",
                    sha256, face->fsa_sha256);
}

f2l_status f2l_model_check_names(const f2l_model_face *face, const f2l_fsa *fsa, f2l_error *err)
{
    if (!f2l_names_equal(&fsa->letters, face->letters))
        return f2l_fail(err, F2L_EFORMAT, "the letters are not the network's");
    return f2l_fsa_has_label(fsa, face->label, err);
}

f2l_status f2l_model_write(f2l_buf *out, const f2l_model *model, f2l_error *err)
{
    return f2l_model_is_wired(model) ? f2l_wired_write(out, &model->wired, err)
                                     : f2l_net_write(out, &model->net, err);
}
