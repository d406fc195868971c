/* --read-as: what the user says about the labels of a file. */
#include "automata/import/text/options.h"
#include "numeric/base/text.h"
#include <string.h>

static const char *const labels_name[] = {[F2L_LABELS_DEFAULT] = "default",
                                          [F2L_LABELS_LETTERS] = "letters",
                                          [F2L_LABELS_SETS] = "sets",
                                          [F2L_LABELS_GUARDS] = "guards",
                                          [F2L_LABELS_PAIRS] = "pairs"};

void f2l_read_as_clear(f2l_read_as *as)
{
    f2l_names_clear(&as->epsilon);
    *as = (f2l_read_as){0};
}

/* Sets as->labels to the kind that `value` names; returns whether there is one. */
static bool set_labels_kind(f2l_read_as *as, const char *value, size_t size)
{
    for (size_t i = F2L_LABELS_LETTERS; i < sizeof labels_name / sizeof *labels_name; i++) {
        if (strlen(labels_name[i]) != size || memcmp(labels_name[i], value, size) != 0) continue;
        as->labels = (f2l_labels_as)i;
        return true;
    }
    return false;
}

/* Reads one setting, text[0..size), which begins in column `column`. */
static f2l_status read_setting(f2l_read_as *out, const char *text, size_t size, size_t column,
                               f2l_error *err)
{
    static const char labels[] = "labels=", epsilon[] = "epsilon=";
    const size_t l = strlen(labels), e = strlen(epsilon);
    size_t index;
    if (size >= l && memcmp(text, labels, l) == 0) {
        if (out->labels) return f2l_fail_at(err, 1, column, "expected labels=KIND once");
        if (set_labels_kind(out, text + l, size - l)) return F2L_OK;
        return f2l_fail_at(err, 1, column + l,
                           "expected labels=letters, labels=sets, labels=guards or labels=pairs");
    }
    if (size < e || memcmp(text, epsilon, e) != 0)
        return f2l_fail_at(err, 1, column, "expected labels=KIND or epsilon=NAME");
    out->names_epsilon = true;
    return size == e ? F2L_OK : f2l_names_add(&out->epsilon, text + e, size - e, &index, err);
}

f2l_status f2l_read_as_parse(f2l_read_as *out, const char *text, f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_names_init(&out->epsilon);
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ",");
        status = read_setting(out, at, size, (size_t)(at - text) + 1, err);
        at += size;
        if (status != F2L_OK || *at == '\0') break;
    }
    if (status != F2L_OK) f2l_read_as_clear(out);
    return status;
}

f2l_status f2l_read_as_check(const f2l_read_as *as, unsigned kinds, bool epsilon,
                             const char *format, f2l_error *err)
{
    if (!as) return F2L_OK;
    if (as->labels != F2L_LABELS_DEFAULT && !(kinds >> as->labels & 1))
        return f2l_fail(err, F2L_EDOMAIN, "--read-as labels=%s says nothing about %s",
                        labels_name[as->labels], format);
    if (as->names_epsilon && !epsilon)
        return f2l_fail(err, F2L_EDOMAIN, "--read-as epsilon= says nothing about %s", format);
    return F2L_OK;
}

bool f2l_read_as_epsilon(const f2l_read_as *as, const char *label, size_t size,
                         const char *const *own)
{
    if (as && as->names_epsilon) return f2l_names_find(&as->epsilon, label, size) != F2L_NO_INDEX;
    return f2l_text_is_any(label, size, own);
}
