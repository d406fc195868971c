#include "theory/construct/result.h"
#include "numeric/base/mem.h"
#include "theory/certify/swaps/swaps.h"
#include "theory/construct/construction.h"

void f2l_compile_quotient_free(f2l_compile_quotient *quotient)
{
    if (!quotient) return;
    f2l_fsa_clear(&quotient->fsa);
    f2l_fsa_clear(&quotient->moore);
    f2l_free(quotient->classes);
    f2l_free(quotient);
}

void f2l_compile_letters_free(f2l_compile_letters *letters)
{
    if (!letters) return;
    f2l_fsa_clear(&letters->fsa);
    f2l_letter_classes_clear(&letters->classes);
    f2l_free(letters);
}

void f2l_compile_result_init(f2l_compile_result *r)
{
    *r = (f2l_compile_result){0};
    f2l_net_init(&r->net);
    f2l_closure_init(&r->exact);
}

void f2l_compile_result_clear(f2l_compile_result *r)
{
    f2l_net_clear(&r->net);
    if (r->detail && r->by->clear) r->by->clear(r->detail);
    f2l_free(r->detail);
    f2l_closure_clear(&r->exact);
    for (size_t i = 0; i < r->formats; i++) f2l_closure_clear(&r->format[i].closure);
    f2l_compile_quotient_free(r->quotient);
    f2l_compile_letters_free(r->letters);
    f2l_free(r->entry);
    f2l_compile_result_init(r);
}

const uint32_t *f2l_compile_classes(const f2l_compile_result *result)
{
    return result->quotient ? result->quotient->classes : NULL;
}

const char *f2l_compile_statement(const f2l_compile_result *result, bool in_formats)
{
    if (result->rule) return in_formats ? result->rule->format : result->rule->exact;
    if (!result->exact.swaps) return NULL;
    return in_formats ? F2L_SWAPS_FORMAT : F2L_SWAPS_EXACT;
}

void *f2l_compile_detail(const f2l_compile_result *result, const f2l_construction *by)
{
    return result->by == by ? result->detail : NULL;
}

size_t f2l_compile_householders(const f2l_compile_result *result, size_t layer)
{
    const f2l_construction *by = result->by;
    return by->householders ? by->householders(result, layer) : by->factors(result, layer);
}

/* Replaces the factors of the slots of stages by the factors that tokens take. */
static void count_token_factors(f2l_compile_figures *out, const f2l_compile_result *result)
{
    const f2l_net *net = &result->net;
    for (size_t s = 0, layer = 0; s < net->stages; s++) {
        if (net->stage[s].heads == 0) continue;
        if (layer++ == 0) out->householders = out->factors_per_token = 0;
        const size_t householders = f2l_compile_householders(result, layer);
        if (householders > out->householders) out->householders = householders;
        out->factors_per_token += result->by->factors(result, layer);
    }
}

void f2l_compile_measure(f2l_compile_figures *out, const f2l_compile_result *result)
{
    f2l_net_size size;
    f2l_net_measure(&size, &result->net);
    *out = (f2l_compile_figures){
        size.layers,    size.heads,     size.householders,      size.key_dim,
        size.value_dim, size.states,    size.factors_per_token, size.table_entries,
        size.codes,     size.parameters};
    if (result->by && result->by->factors) count_token_factors(out, result);
}

void f2l_construct_say_circuits(f2l_fact in, const f2l_compile_result *c)
{
    f2l_net_size size;
    f2l_net_measure(&size, &c->net);
    f2l_say_count(in, "gates", size.gates);
    f2l_say_count(in, "table_entries", size.table_entries);
}

bool f2l_compile_has_bounds(const f2l_compile_bounds *bounds)
{
    return bounds->layers || bounds->householders || bounds->key_dim || bounds->exact_in[0];
}
