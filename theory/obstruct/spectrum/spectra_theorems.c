#include "numeric/base/mem.h"
#include "theory/obstruct/spectrum/spectra.h"

/* Returns the limit on the products: where not all can be examined, a few may still show that one
 * has a non-real eigenvalue. */
static size_t how_many(const f2l_spectra *s, size_t h, size_t length)
{
    const size_t all = f2l_products_count(&s->head[h], length),
                 few = length < 64 ? 64 : 4096 / length + 1;
    return all <= s->most || few > s->most ? s->most : few;
}

/* Returns products of one length of one head, known or computed now. *spare holds products computed
 * now. */
static f2l_status products_of(const f2l_products **out, f2l_products *spare, const f2l_spectra *s,
                              size_t h, size_t length, const f2l_task *task, f2l_error *err)
{
    const f2l_head_spectra *head = &s->head[h];
    *out = spare;
    if (length <= head->lengths) *out = &head->products[length - 1];
    return length <= head->lengths
               ? F2L_OK
               : f2l_products_find(spare, head, length, how_many(s, h, length), task, err);
}

/* Decides for all heads of all layers whether products of lengths given by the layer are of no
 * worse kind. */
static f2l_status apply_theorem(f2l_theorem *out, const f2l_spectra *s, bool doubling,
                                f2l_spectrum_kind allowed, const f2l_task *task, f2l_error *err)
{
    f2l_products spare;
    f2l_status status = F2L_OK;
    f2l_products_init(&spare);
    *out = (f2l_theorem){.applies = F2L_APPLIES_YES};
    for (size_t h = 0; h < s->heads && status == F2L_OK && out->applies != F2L_APPLIES_NO; h++) {
        const f2l_head_spectra *head = &s->head[h];
        const f2l_products *p = NULL;
        const size_t length = doubling && head->layer < 32 ? (size_t)1 << head->layer : 1;
        if (!doubling || head->layer < 32)
            status = products_of(&p, &spare, s, h, length, task, err);
        if (status != F2L_OK) break;
        const bool forbids = p && p->worst <= allowed && p->complete,
                   allows = p && p->worst > allowed;
        if (forbids || (!allows && out->applies == F2L_APPLIES_UNKNOWN)) continue;
        *out = (f2l_theorem){allows ? F2L_APPLIES_NO : F2L_APPLIES_UNKNOWN, head->layer,
                             head->number, length};
    }
    f2l_products_clear(&spare);
    return status;
}

f2l_status f2l_spectra_t1(f2l_theorem *out, const f2l_spectra *s, const f2l_task *task,
                          f2l_error *err)
{
    return apply_theorem(out, s, false, F2L_SPECTRUM_NONNEGATIVE, task, err);
}

f2l_status f2l_spectra_t2(f2l_theorem *out, const f2l_spectra *s, const f2l_task *task,
                          f2l_error *err)
{
    return apply_theorem(out, s, true, F2L_SPECTRUM_REAL, task, err);
}

/* Finds the spectrum of the word itself in a head of the first layer of an ordinary network. */
static f2l_status word_kind(f2l_spectrum_kind *out, const f2l_head_spectra *h, const size_t *word,
                            size_t length, f2l_error *err)
{
    f2l_spectrum s;
    f2l_spectrum_init(&s);
    const f2l_transition **step = f2l_calloc(length, sizeof(void *));
    if (!step) return f2l_fail_memory(err);
    for (size_t i = 0; i < length; i++) step[i] = h->step[word[i]];
    f2l_status status = f2l_spectrum_of_product(&s, h->head, step, length, false, err);
    *out = s.kind;
    f2l_free(step);
    return status;
}

/* Finds the effect of one head on the period: *kind, or out->real when this is not decided. */
static f2l_status head_kind(f2l_spectrum_kind *kind, f2l_period *out, const f2l_spectra *s,
                            size_t h, const size_t *word, size_t length, const f2l_task *task,
                            f2l_error *err)
{
    const f2l_head_spectra *head = &s->head[h];
    const f2l_products *p = NULL;
    f2l_products spare;
    *kind = F2L_SPECTRUM_NONNEGATIVE;
    out->real = F2L_APPLIES_YES;
    if (head->reads_letters) {
        f2l_status status = word_kind(kind, head, word, length, err);
        if (status == F2L_EDOMAIN) out->real = F2L_APPLIES_UNKNOWN;
        return status == F2L_EDOMAIN ? F2L_OK : status;
    }
    f2l_products_init(&spare);
    f2l_status status = products_of(&p, &spare, s, h, (size_t)out->period, task, err);
    if (status == F2L_OK) {
        *kind = p->worst;
        if (!p->complete && *kind != F2L_SPECTRUM_COMPLEX) out->real = F2L_APPLIES_UNKNOWN;
    }
    f2l_products_clear(&spare);
    return status;
}

f2l_status f2l_spectra_period(f2l_period *out, const f2l_spectra *s, const size_t *word,
                              size_t length, const f2l_task *task, f2l_error *err)
{
    f2l_spectrum_kind worst = F2L_SPECTRUM_NONNEGATIVE;
    *out = (f2l_period){.known = true, .period = length};
    for (size_t h = 0; h < s->heads; h++) {
        f2l_spectrum_kind kind;
        if (h > 0 && s->head[h].layer != s->head[h - 1].layer) {
            out->period *= worst == F2L_SPECTRUM_REAL ? 2 : 1;
            worst = F2L_SPECTRUM_NONNEGATIVE;
        }
        f2l_status status = head_kind(&kind, out, s, h, word, length, task, err);
        if (status != F2L_OK) return status;
        if (kind == F2L_SPECTRUM_COMPLEX) out->real = F2L_APPLIES_NO;
        if (kind > worst) worst = kind;
        out->layer = s->head[h].layer;
        out->head = s->head[h].number;
        out->known = out->real == F2L_APPLIES_YES;
        if (!out->known) return F2L_OK;
    }
    out->period *= worst == F2L_SPECTRUM_REAL ? 2 : 1;
    return F2L_OK;
}
