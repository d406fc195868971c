#include "theory/certify/round/outline.h"
#include "numeric/base/mem.h"
#include "theory/certify/forms/product.h"
#include <string.h>

void f2l_outline_init(f2l_outline *outline)
{
    *outline = (f2l_outline){.exact = {.verdict = F2L_UNKNOWN}};
    f2l_cert_init(&outline->cert);
    f2l_fsa_init(&outline->quotient);
    f2l_local_init(&outline->local);
}

void f2l_outline_clear(f2l_outline *outline)
{
    f2l_cert_clear(&outline->cert);
    f2l_fsa_clear(&outline->quotient);
    f2l_local_clear(&outline->local);
    f2l_outline_init(outline);
}

bool f2l_outline_has_structure(const f2l_outline *outline)
{
    return outline->cert.claim != F2L_CERT_EXACT && outline->cert.claim != F2L_CERT_SWAPS;
}

const char *f2l_outline_claim(const f2l_outline *outline)
{
    static const char *const name[] = {"exact",  "cascade", "zeiger", "d1",
                                       "blocks", "product", "swaps",  "points"};
    return name[outline->cert.claim];
}

/* --- reading --- */

/* Finds the first state of every class. */
static f2l_status find_representatives(uint32_t *first, const f2l_cert *cert, const f2l_fsa *fsa,
                                       f2l_error *err)
{
    size_t found = 0;
    memset(first, 0xFF, cert->class_count * sizeof *first);
    for (size_t q = 0; q < fsa->states.count; q++) {
        const uint32_t class = cert->classes[q];
        if (class == UINT32_MAX || first[class] != UINT32_MAX) continue;
        first[class] = (uint32_t)q;
        found++;
    }
    if (found == cert->class_count) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "only %zu of %zu classes have a state", found,
                    cert->class_count);
}

/* Adds one state of the quotient, with the edges of its representative `q`. */
static f2l_status add_class(f2l_fsa *out, const f2l_cert *cert, const f2l_fsa *fsa, size_t q,
                            f2l_error *err)
{
    const size_t k = fsa->letters.count, class = out->states.count;
    const char *name = f2l_names_get(&fsa->states, q);
    size_t index;
    for (size_t a = 0; a < k; a++) {
        out->next[class * k + a] = cert->classes[fsa->next[q * k + a]];
        if (fsa->edge_output) out->edge_output[class * k + a] = fsa->edge_output[q * k + a];
        if (out->next[class * k + a] == UINT32_MAX)
            return f2l_fail(err, F2L_EFORMAT, "class %zu leads to a state that has none",
                            class + 1);
    }
    out->accept[class] = fsa->accept[q];
    if (fsa->output) out->output[class] = fsa->output[q];
    return f2l_names_add(&out->states, name, strlen(name), &index, err);
}

static f2l_status allocate_quotient(f2l_fsa *out, const f2l_fsa *fsa, size_t classes,
                                    f2l_error *err)
{
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &fsa->outputs, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->edge_outputs, &fsa->edge_outputs, err);
    if (status != F2L_OK) return status;
    out->next = f2l_calloc(classes, fsa->letters.count * sizeof *out->next);
    out->accept = f2l_calloc(classes, sizeof *out->accept);
    if (fsa->output) out->output = f2l_calloc(classes, sizeof *out->output);
    if (fsa->edge_output)
        out->edge_output = f2l_calloc(classes, fsa->letters.count * sizeof *out->edge_output);
    return out->next && out->accept && (out->output || !fsa->output) &&
                   (out->edge_output || !fsa->edge_output)
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Builds the automaton of the classes; a wired form is compared with this automaton. */
static f2l_status build_quotient(f2l_fsa *out, const f2l_cert *cert, const f2l_fsa *fsa,
                                 f2l_label label, f2l_error *err)
{
    uint32_t *first = f2l_calloc(cert->class_count, sizeof *first);
    f2l_status status = first ? find_representatives(first, cert, fsa, err) : f2l_fail_memory(err);
    if (status == F2L_OK && cert->classes[fsa->start] == UINT32_MAX)
        status = f2l_fail(err, F2L_EFORMAT, "the start state has no class");
    if (status == F2L_OK) status = allocate_quotient(out, fsa, cert->class_count, err);
    for (size_t c = 0; c < cert->class_count && status == F2L_OK; c++)
        status = add_class(out, cert, fsa, first[c], err);
    f2l_free(first);
    if (status != F2L_OK) return status;
    out->start = cert->classes[fsa->start];
    out->has_accept = fsa->has_accept;
    return f2l_local_check_classes(fsa, out, cert->classes, label, err);
}

static f2l_status read_structure(f2l_outline *o, f2l_error *err)
{
    f2l_status status = f2l_cert_check_claim(&o->cert, o->model, err);
    if (status == F2L_OK && o->cert.classes)
        status = build_quotient(&o->quotient, &o->cert, o->fsa, o->model->label, err);
    return status;
}

f2l_status f2l_outline_read(f2l_outline *out, const f2l_net *model, const f2l_fsa *fsa,
                            const char *bytes, size_t size, const char *network_sha256,
                            const f2l_task *task, f2l_error *err)
{
    const f2l_cert_files files = {model->fsa_sha256, network_sha256};
    f2l_outline_clear(out);
    out->model = model;
    out->fsa = fsa;
    f2l_status status = f2l_cert_read(&out->cert, bytes, size, fsa, &files, task, err);
    if (status == F2L_OK) status = read_structure(out, err);
    if (status != F2L_OK) f2l_outline_clear(out);
    return status;
}

/* --- cascades --- */

/* Returns the reading: where pairs name no children, part 1 of the first layer's code is the
 * coordinate. */
static f2l_local_reading reading_of(const f2l_cert *cert)
{
    return (f2l_local_reading){.coordinate = cert->reads ? f2l_cert_coordinate : NULL,
                               .context = cert,
                               .letter = cert->letter};
}

static void take_local(f2l_outlined *out, const f2l_local *local)
{
    *out = (f2l_outlined){.verdict = local->verdict, .pairs = local->pairs};
    if (local->verdict != F2L_OK) memcpy(out->reason, local->reason, sizeof out->reason);
}

static f2l_status cascade_float(f2l_outlined *out, const f2l_outline *o, const f2l_format *format,
                                const f2l_schedule *schedule, size_t max_pairs,
                                const f2l_task *task, f2l_error *err)
{
    f2l_local local;
    f2l_local_init(&local);
    f2l_status status =
        f2l_local_float(&local, o->model, &o->cert.cascade, o->cert.layers, reading_of(&o->cert),
                        o->fsa, format, schedule, max_pairs, task, err);
    if (status == F2L_OK) take_local(out, &local);
    f2l_local_clear(&local);
    return status;
}

/* --- forms --- */

/* Returns the form that the claim names; NULL: it names none. */
static const f2l_form *form_of(const f2l_outline *o)
{
    const f2l_cert_claim claim = o->cert.claim;
    return claim == F2L_CERT_ZEIGER    ? &f2l_form_zeiger
           : claim == F2L_CERT_D1      ? &f2l_form_d1
           : claim == F2L_CERT_BLOCKS  ? &f2l_form_blocks
           : claim == F2L_CERT_POINTS  ? &f2l_form_points
           : claim == F2L_CERT_PRODUCT ? &f2l_form_product
                                       : NULL;
}

/* Compares the network with the form; with `format` NULL in exact arithmetic. */
static f2l_status compare_with_form(f2l_outlined *out, f2l_form_verdict *verdict,
                                    const f2l_outline *o, const f2l_format *format,
                                    const f2l_schedule *schedule, const f2l_task *task,
                                    f2l_error *err)
{
    const f2l_form *form = form_of(o);
    f2l_status status = o->cert.claim == F2L_CERT_PRODUCT
                            ? f2l_product_verify(verdict, o->model, &o->cert.division, o->fsa,
                                                 false, format, schedule, task, err)
                            : form->verify(verdict, o->model,
                                           o->cert.claim == F2L_CERT_POINTS ? o->fsa : &o->quotient,
                                           format, schedule, task, err);
    if (status != F2L_OK) return status;
    *out = (f2l_outlined){.verdict = verdict->verdict, .rule = format ? form->format : form->exact};
    if (verdict->verdict != F2L_OK) memcpy(out->reason, verdict->reason, sizeof out->reason);
    return F2L_OK;
}

/* --- all claims --- */

f2l_status f2l_outline_exact(f2l_outline *o, size_t max_pairs, const f2l_task *task, f2l_error *err)
{
    if (form_of(o)) return compare_with_form(&o->exact, &o->formed, o, NULL, NULL, task, err);
    if (o->cert.claim != F2L_CERT_CASCADE) return F2L_OK;
    f2l_status status = f2l_local_exact(&o->local, o->model, &o->cert.cascade, o->cert.layers,
                                        reading_of(&o->cert), o->fsa, max_pairs, task, err);
    if (status == F2L_OK) take_local(&o->exact, &o->local);
    return status;
}

f2l_status f2l_outline_float(f2l_outlined *out, const f2l_outline *o, const f2l_format *format,
                             const f2l_schedule *schedule, size_t max_pairs, const f2l_task *task,
                             f2l_error *err)
{
    f2l_form_verdict verdict;
    *out = (f2l_outlined){.verdict = F2L_UNKNOWN};
    /* The statements of forms are about nearest codes. */
    if (form_of(o) && schedule->decode != F2L_DECODE_NEAREST) return F2L_OK;
    if (form_of(o)) return compare_with_form(out, &verdict, o, format, schedule, task, err);
    return o->cert.claim == F2L_CERT_CASCADE
               ? cascade_float(out, o, format, schedule, max_pairs, task, err)
               : F2L_OK;
}

/* Sets the outline of a claim as if a certificate had named it. */
static f2l_status suppose(f2l_outline *o, f2l_cert_claim claim, const f2l_net *model,
                          const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_fsa quotient;
    f2l_outline_clear(o);
    o->model = model;
    o->fsa = fsa;
    o->cert.claim = claim;
    f2l_status status = f2l_cert_check_claim(&o->cert, o->model, err);
    if (status != F2L_OK || claim == F2L_CERT_POINTS) return status;
    f2l_fsa_init(&quotient);
    status = f2l_fsa_minimal(&quotient, &o->cert.classes, fsa, model->label, task, err);
    o->cert.class_count = quotient.states.count;
    f2l_fsa_clear(&quotient);
    return status == F2L_OK ? read_structure(o, err) : status;
}

f2l_status f2l_outline_find(f2l_outline *out, bool *found, const f2l_net *model, const f2l_fsa *fsa,
                            const f2l_task *task, f2l_error *err)
{
    static const f2l_cert_claim claims[] = {F2L_CERT_POINTS, F2L_CERT_ZEIGER, F2L_CERT_D1,
                                            F2L_CERT_BLOCKS};
    *found = false;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        f2l_error why;
        f2l_status status = suppose(out, claims[i], model, fsa, task, &why);
        if (status == F2L_OK) status = f2l_outline_exact(out, 0, task, &why);
        *found = status == F2L_OK && out->exact.verdict == F2L_OK;
        if (*found) return F2L_OK;
        if (status == F2L_ENOMEM) {
            *err = why;
            return status;
        }
    }
    f2l_outline_clear(out);
    return F2L_OK;
}

f2l_status f2l_outline_certificate(f2l_buf *out, const f2l_outline *o,
                                   const char network_sha256[65], f2l_error *err)
{
    const f2l_form *form = form_of(o);
    if (o->cert.claim == F2L_CERT_PRODUCT)
        return f2l_product_certify(out, o->model, &o->cert.division, o->fsa, network_sha256, NULL,
                                   err);
    if (form)
        return form->certify(out, o->model, &o->formed, &o->quotient, o->fsa, o->cert.classes,
                             network_sha256, err);
    const f2l_local_reading reading = reading_of(&o->cert);
    if (o->cert.claim == F2L_CERT_CASCADE)
        return f2l_cascade_cert_write(out, o->model, &o->cert.cascade, &o->local, &reading, o->fsa,
                                      NULL, network_sha256, err);
    return f2l_fail(err, F2L_EDOMAIN, "the claim exact has no outline");
}
