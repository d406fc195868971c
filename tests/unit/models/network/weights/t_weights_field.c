#include "models/network/net/net_orthonormal.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/weights_support.h"
#include <jansson.h>
#include <stdlib.h>

static const char *basis_of(const weights *w)
{
    return json_string_value(json_object_get(json_object_get(w->header, "__metadata__"), "basis"));
}

/* The file has the numbers of the rounded view, whose stored keys have length 1. */
Test(weights_field, fields_are_written_in_an_orthonormal_basis)
{
    field_sample *const samples[] = {sample_rotations(5, 0, 2, true),
                                     sample_icosahedron(false, true)};
    for (size_t i = 0; i < 2; i++) {
        f2l_fsa fsa;
        f2l_net net, view;
        field_sample_fsa(&fsa, samples[i]);
        field_sample_net(&net, samples[i], &fsa);
        f2l_net_init(&view);
        cr_assert(f2l_net_orthonormal(&view, &net, 0, NULL) == F2L_OK);
        weights w = written(&net);
        cr_assert(basis_of(&w) != NULL && strcmp(basis_of(&w), "orthonormal") == 0);
        cr_assert(!w.report.exact && strcmp(w.report.dtype, "F64") == 0);
        cr_assert_str_eq(metadata(&w, "rounding"), "f64");
        expect_layout(&w);
        expect_head(&w, &view, 0, 0);
        weights_free(&w);
        f2l_net_clear(&net), f2l_net_clear(&view);
        f2l_fsa_clear(&fsa);
        field_sample_clear(samples[i]);
    }
}

/* A form whose orthonormal basis is dyadic is exact; the metadata of a network without forms name
 * no basis. */
Test(weights_field, a_form_can_be_exact)
{
    f2l_net net, view;
    char *text = sample_edited(SAMPLE_PARITY, "initial 1.1:1", "form 1.1:1/4\ninitial 1.1:1");
    sample_read(&net, text);
    f2l_net_init(&view);
    cr_assert(f2l_net_orthonormal(&view, &net, 0, NULL) == F2L_OK);
    weights w = written(&net);
    cr_assert(basis_of(&w) != NULL && w.report.exact && strcmp(w.report.dtype, "BF16") == 0);
    expect_head(&w, &view, 0, 0);
    cr_assert(number(&w, tensor_of(&w, 0, 0, "initial"), 0) == 0.5);
    cr_assert(number(&w, tensor_of(&w, 0, 0, "key"), 1) == 1);
    weights_free(&w);
    f2l_net_clear(&net), f2l_net_clear(&view);
    free(text);
    sample_read(&net, SAMPLE_PARITY);
    w = written(&net);
    cr_assert(basis_of(&w) == NULL);
    weights_free(&w);
    f2l_net_clear(&net);
}
