/* The files of networks that have a form, for lrnn-check-wired beside f2l_form. Included last,
 * because its names are short. */
#ifndef TESTS_FORM_FILES_H
#define TESTS_FORM_FILES_H

#include "numeric/base/sha256.h"
#include "theory/certify/forms/form.h"

#include "tests/support/check/check_lines.h"

#define ANOTHER 97 /* the exit status of a check that verifies something else than expected */

/* A network of a form with the verdict that its certificate claims. */
typedef struct formed {
    const f2l_form *form;
    const char *claim;
    const f2l_fsa *fsa;
    f2l_net *net; /* whose hash of the automaton is set */
    const f2l_form_verdict *verdict;
    char figures[200]; /* of the claim, in the checker's words */
} formed;

/* The three files of a network, and the text `expected` that the checker must print. */
typedef struct files {
    f2l_buf fsa, net, cert;
    char expected[600];
} files;

/* Writes the certificate of another network for this one, since no certificate can be written for
 * this one. */
static void write_as_listed(f2l_buf *out, const char *claimed, const f2l_buf *listed,
                            const f2l_net_size *size, const char *sha)
{
    char hex[65];
    const char *third = strstr(listed->data, "network "), *sizes = strstr(third, "\nsize ") + 1,
               *rest_of = after_line(sizes), *seal = strstr(rest_of, "sha256 ");
    f2l_buf_printf(out, "%.*snetwork %s\nclaim %s\n", (int)(third - listed->data), listed->data,
                   sha, claimed);
    f2l_buf_printf(out, "size layers %zu heads %zu householders %zu key %zu value %zu\n",
                   size->layers, size->heads, size->householders, size->key_dim, size->value_dim);
    f2l_buf_printf(out, "%.*s", (int)(seal - rest_of), rest_of);
    f2l_sha256_hex(out->data, out->size, hex);
    f2l_buf_printf(out, "sha256 %s\n", hex);
}

/* Writes the files; `listed` is a certificate whose lists this one is to repeat, or NULL. */
static void write_formed(files *out, const formed *f, const f2l_buf *listed)
{
    char sha[65];
    f2l_net_size size;
    f2l_buf_init(&out->fsa);
    f2l_buf_init(&out->net);
    f2l_buf_init(&out->cert);
    cr_assert_eq(f2l_fsa_write(&out->fsa, f->fsa, NULL), F2L_OK);
    f2l_sha256_hex(out->fsa.data, out->fsa.size, f->net->fsa_sha256);
    cr_assert_eq(f2l_wired_write(&out->net, f->net, NULL), F2L_OK);
    f2l_sha256_hex(out->net.data, out->net.size, sha);
    f2l_net_measure(&size, f->net);
    if (listed)
        write_as_listed(&out->cert, f->claim, listed, &size, sha);
    else
        cr_assert_eq(
            f->form->certify(&out->cert, f->net, f->verdict, f->fsa, f->fsa, NULL, sha, NULL),
            F2L_OK);
    snprintf(out->expected, sizeof out->expected,
             "s VERIFIED %s label states letters %zu states %zu layers %zu heads %zu "
             "householders %zu key %zu value %zu %s with wired fsa %s network %s\n",
             f->claim, f->fsa->letters.count, f->fsa->states.count, size.layers, size.heads,
             size.householders, size.key_dim, size.value_dim, f->figures, f->net->fsa_sha256, sha);
}

static void clear_files(files *f)
{
    f2l_buf_clear(&f->fsa);
    f2l_buf_clear(&f->net);
    f2l_buf_clear(&f->cert);
}

static text text_in(const f2l_buf *buf)
{
    return text_with("file", buf->data, buf->size);
}

/* Returns the exit status of the checker on these files; 0 only when it verifies exactly the
 * expected claim. */
static int checked(const files *f)
{
    char printed[1000];
    const text file[] = {text_in(&f->fsa), text_in(&f->net), text_in(&f->cert)};
    const int status = verdict_of_files(file, printed, sizeof printed);
    return status == VERIFIED && strcmp(printed, f->expected) != 0 ? ANOTHER : status;
}

#endif
