#include "tests/support/theory/outline_support.h"

void outline_compile(outline_fixture *x)
{
    fixture *f = &x->job;
    cr_assert_eq(compile(f, NULL), F2L_OK, "%s", f->err.text);
    f2l_buf_init(&x->text);
    f2l_outline_init(&x->outline);
    cr_assert_eq(f2l_compile_certificate(&x->text, &f->result, &f->fsa, NETWORK_SHA256, &f->err),
                 F2L_OK, "%s", f->err.text);
    x->model = f->result.net; /* borrowed */
}

void outline_done(outline_fixture *x)
{
    f2l_outline_clear(&x->outline);
    f2l_buf_clear(&x->text);
    compile_done(&x->job);
}

f2l_status outline_read(outline_fixture *x, const f2l_fsa *fsa, const char *text, size_t size)
{
    x->job.err = (f2l_error){0};
    return f2l_outline_read(&x->outline, &x->model, fsa, text, size, NETWORK_SHA256, NULL,
                            &x->job.err);
}

void outline_seal(f2l_buf *text)
{
    char hex[65];
    text->size -= F2L_CERT_SEAL_SIZE;
    f2l_sha256_hex(text->data, text->size, hex);
    f2l_buf_printf(text, "sha256 %s\n", hex);
}

void outline_open(outline_fixture *x, size_t which)
{
    fixture *f = &x->job;
    switch (which) {
    case 0:
        open_family(f, "transformations", 3, false);
        break;
    case 1:
        open_family(f, "transformations", 3, false);
        f->options.target = F2L_COMPILE_ONE;
        break;
    case 2:
        open_text(f, "start p\n"
                     "accept q s\n"
                     "p a q\n"
                     "q a s\n"
                     "r a p\n"
                     "s a q\n"
                     "p b r\n"
                     "q b p\n"
                     "r b r\n"
                     "s b r\n");
        f->options.label = F2L_LABEL_ACCEPT;
        f->options.cascade = F2L_COMPILE_CAPPED; /* other networks are better */
        break;
    case 3:
        open_family(f, "transformations", 4, false);
        f->options.max_sets = 2;
        break;
    case 4:
        open_family(f, "symmetric", 4, true);
        f->options.bounds.householders = 2;
        f->options.bounds.exact_in[0] = f2l_format_find("bf16");
        break;
    default:
        open_family(f, "parity", 0, false);
        break;
    }
    outline_compile(x);
}

const char *outline_expected_claim(size_t which)
{
    static const char *const claim[OUTLINES] = {"cascade", "cascade", "cascade",
                                                "zeiger",  "d1",      "exact"};
    return claim[which];
}
