/* Certificates beside networks: a certificate that is read proves its own claim and no other. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/theory/outline_support.h"

#define SEED 20261128

static void open(outline_fixture *x, size_t which)
{
    outline_open(x, which);
    cr_assert_eq(outline_read(x, &x->job.fsa, x->text.data, x->text.size), F2L_OK,
                 "%zu: %zu:%zu: %s", which, x->job.err.line, x->job.err.column, x->job.err.text);
}

/* A verified certificate is written again with the same bytes. */
Test(outline, certificates_again)
{
    for (size_t which = 0; which < OUTLINES; which++) {
        outline_fixture x;
        f2l_buf again;
        open(&x, which);
        f2l_buf_init(&again);
        cr_assert_str_eq(f2l_outline_claim(&x.outline), outline_expected_claim(which));
        cr_assert_eq(f2l_outline_exact(&x.outline, 0, NULL, &x.job.err), F2L_OK);
        const f2l_status status =
            f2l_outline_certificate(&again, &x.outline, NETWORK_SHA256, &x.job.err);
        if (f2l_outline_has_structure(&x.outline)) {
            cr_assert_eq(x.outline.exact.verdict, F2L_OK, "%zu: %s", which, x.outline.exact.reason);
            cr_assert_eq(status, F2L_OK, "%zu: %s", which, x.job.err.text);
            cr_assert_str_eq(again.data, x.text.data);
        } else {
            cr_assert_eq(status, F2L_EDOMAIN);
            cr_assert_eq(x.outline.cert.rows, 2);
        }
        f2l_buf_clear(&again);
        outline_done(&x);
    }
}

/* Every format that the main job verifies is verified by the outline. */
Test(outline, formats_of_the_main_job)
{
    for (size_t which = 0; which < OUTLINES - 1; which++) {
        outline_fixture x;
        f2l_outlined by;
        open(&x, which);
        const f2l_compile_result *r = &x.job.result;
        cr_assert_gt(r->formats, 0);
        for (size_t i = 0; i < r->formats; i++) {
            cr_assert_eq(r->format[i].closure.verdict, F2L_OK);
            cr_assert_eq(f2l_outline_float(&by, &x.outline, r->format[i].format,
                                           r->format[i].schedule, 0, NULL, &x.job.err),
                         F2L_OK, "%s", x.job.err.text);
            cr_assert_eq(by.verdict, F2L_OK, "%zu: %s", which, by.reason);
            cr_assert_eq(by.pairs, r->format[i].pairs);
            cr_assert_eq(by.rule != NULL, r->format[i].by_rule);
        }
        outline_done(&x);
    }
}

/* Lines about places without rounding are ignored. */
Test(outline, blocks)
{
    outline_fixture x;
    f2l_buf text;
    open(&x, 0);
    f2l_buf_init(&text);
    const char *size = strstr(x.text.data, "size ");
    f2l_buf_bytes(&text, x.text.data, (size_t)(size - x.text.data));
    f2l_buf_text(&text, "unrounded format precision 8\n"
                        "set layer 1 head 1 vectors 1\n"
                        "vector image 1:1\n"
                        "bound layer 1 head 1 w places 0 most 1\n");
    f2l_buf_text(&text, size);
    outline_seal(&text);
    cr_assert_eq(outline_read(&x, &x.job.fsa, text.data, text.size), F2L_OK, "%s", x.job.err.text);
    f2l_buf_clear(&text);
    outline_done(&x);
}

/* --- damage --- */

/* Writes the text with the first `old` replaced, and seals it again. */
static void replace(f2l_buf *out, const f2l_buf *text, const char *old, const char *new)
{
    const char *at = strstr(text->data, old);
    cr_assert_not_null(at, "%s", old);
    f2l_buf_clear(out);
    f2l_buf_bytes(out, text->data, (size_t)(at - text->data));
    f2l_buf_text(out, new);
    f2l_buf_text(out, at + strlen(old));
    outline_seal(out);
}

static size_t lines_before(const char *text, const char *at)
{
    size_t lines = 0;
    for (; text < at; text++) lines += *text == '\n';
    return lines;
}

static void refused(outline_fixture *x, const char *old, const char *new, const char *says)
{
    f2l_buf text;
    f2l_buf_init(&text);
    replace(&text, &x->text, old, new);
    cr_expect_eq(outline_read(x, &x->job.fsa, text.data, text.size), F2L_EFORMAT, "%s", new);
    cr_expect(strstr(x->job.err.text, says), "%s: %s", new, x->job.err.text);
    const size_t line = 1 + lines_before(x->text.data, strstr(x->text.data, old));
    cr_expect(x->job.err.line == line && x->job.err.column > 0, "%s: %zu:%zu, not line %zu", new,
              x->job.err.line, x->job.err.column, line);
    f2l_buf_clear(&text);
}

Test(outline, damaged_cascades)
{
    outline_fixture x;
    open(&x, 1);
    refused(&x, "lrnn-certificate 2", "lrnn-certificate 7", "expected `2`");
    refused(&x, "network 00", "network 01", "of another network");
    refused(&x, "fsa ", "fsa x", "of another automaton");
    refused(&x, "claim cascade", "claim float", "claims nothing of the exact network");
    refused(&x, "states 3 sets", "states 4 sets", "the number of states must be 3");
    refused(&x, "letters 3", "letters 2", "the number of letters must be 3");
    refused(&x, " sets ", " sets 9999", "more than the rest of the file can hold");
    refused(&x, "set 1 level 1", "set 1 level 9", "the level must be from 1 to");
    refused(&x, "members 1 2 3", "members 1 3 2", "the member must be from 4");
    refused(&x, "members 1 2 3", "members 1 2 4", "the member must be 3 here");
    refused(&x, "set 2 ", "set 3 ", "the set must be 2 here");
    refused(&x, "cover ", "cover 99 ", "the member of the cover must be from 1");
    refused(&x, "context 1 letter 1", "context 1 letter 4", "the letter must be from 1 to 3");
    refused(&x, "from 1 to 1", "from 1 to 0", "the set must be from 1");
    refused(&x, "pair 1 set 1", "pair 1 set 77", "the set must be from 1");
    refused(&x, " child ", " child 77", "the set must be from 1");
    refused(&x, "pair 1 set 1", "pair 01 set 1", "may not begin with 0");
    refused(&x, "start ", "begin ", "expected `start`");
    outline_done(&x);
}

Test(outline, damaged_forms)
{
    outline_fixture x;
    open(&x, 3);
    refused(&x, "class 1", "class 5", "the class must be from 0 to 4");
    refused(&x, "classes 4", "classes 5", "the number of classes must be from 1 to 4");
    refused(&x, "end 4", "end 3", "the count must be 4 here");
    outline_done(&x);
    open(&x, 4);
    refused(&x, "clock ", "clock x", "expected the number of clock layers");
    outline_done(&x);
}

/* A partition that is well formed, but no partition into classes of this automaton, is refused. */
Test(outline, other_classes)
{
    static const struct {
        const char *new, *end, *says;
    } lie[] = {{"classes 4\nclass 1 2 3 3", "end 4", "only 3 of 4 classes"},
               {"classes 4\nclass 0 2 3 4", "end 4", "only 3 of 4 classes"},
               {"classes 3\nclass 0 1 2 3", "end 3", "start state has no class"},
               {"classes 3\nclass 1 2 3 0", "end 3", "to a state that has none"}};
    outline_fixture x;
    f2l_buf text, half;
    f2l_buf_init(&text);
    f2l_buf_init(&half);
    open(&x, 3);
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        replace(&half, &x.text, "classes 4\nclass 1 2 3 4", lie[i].new);
        replace(&text, &half, "end 4", lie[i].end);
        cr_expect_neq(outline_read(&x, &x.job.fsa, text.data, text.size), F2L_OK, "%zu", i);
        cr_expect(strstr(x.job.err.text, lie[i].says), "%zu: %s", i, x.job.err.text);
    }
    f2l_buf_clear(&half);
    f2l_buf_clear(&text);
    outline_done(&x);
}

/* No proper part of a certificate is a certificate, and a change of any byte is noticed; of every
 * fifth in short. */
Test(outline, every_byte)
{
    const size_t step = brute_force_is_short() ? 5 : 1;
    for (size_t which = 1; which < OUTLINES; which++) {
        outline_fixture x;
        f2l_buf text;
        open(&x, which);
        f2l_buf_init(&text);
        f2l_buf_bytes(&text, x.text.data, x.text.size);
        for (size_t i = 0; i < text.size; i += step) {
            cr_assert_eq(outline_read(&x, &x.job.fsa, text.data, i), F2L_EFORMAT, "cut at %zu", i);
            cr_assert(x.job.err.line > 0 && x.job.err.column > 0);
            text.data[i] ^= 1;
            cr_assert_eq(outline_read(&x, &x.job.fsa, text.data, text.size), F2L_EFORMAT,
                         "byte %zu", i);
            cr_assert_gt(x.job.err.line, 0);
            text.data[i] ^= 1;
        }
        f2l_buf_clear(&text);
        outline_done(&x);
    }
}

/* --- lies --- */

/* Replaces one number that follows a space, below the claim, by another, and seals the text
 * again. */
static void lie(f2l_buf *out, const f2l_buf *text, f2l_rng *rng)
{
    const size_t body = (size_t)(strstr(text->data, "letters ") - text->data),
                 end = text->size - 80;
    size_t at, size;
    do {
        at = body + f2l_rng_below(rng, end - body);
        size = strspn(text->data + at, "0123456789");
    } while (text->data[at - 1] != ' ' || size == 0);
    f2l_buf_clear(out);
    f2l_buf_bytes(out, text->data, at);
    f2l_buf_printf(out, "%zu", (size_t)(1 + f2l_rng_below(rng, 8)));
    f2l_buf_text(out, text->data + at + size);
    outline_seal(out);
}

/* Reads changed certificates and follows them; counts those that are followed and those that prove
 * the network. */
static void follow(outline_fixture *x, const f2l_fsa *fsa, size_t lies, size_t *followed,
                   size_t *proved)
{
    f2l_buf text;
    f2l_rng rng;
    f2l_buf_init(&text);
    f2l_rng_init(&rng, SEED, 0);
    for (size_t i = 0; i < lies; i++) {
        f2l_outlined by = {.verdict = F2L_UNKNOWN};
        lie(&text, &x->text, &rng);
        const f2l_status status = outline_read(x, fsa, text.data, text.size);
        cr_assert(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN, "%s",
                  x->job.err.text);
        if (status != F2L_OK || !f2l_outline_has_structure(&x->outline)) continue;
        cr_assert_eq(f2l_outline_exact(&x->outline, 0, NULL, &x->job.err), F2L_OK, "%s",
                     x->job.err.text);
        cr_assert_eq(f2l_outline_float(&by, &x->outline, f2l_format_find("bf16"),
                                       f2l_schedule_find("every"), 0, NULL, &x->job.err),
                     F2L_OK, "%s", x->job.err.text);
        ++*followed;
        *proved += x->outline.exact.verdict == F2L_OK || by.verdict == F2L_OK;
    }
    f2l_buf_clear(&text);
}

/* Sends one transition to another state with another label. */
static void change_automaton(f2l_fsa *fsa, f2l_label label)
{
    const size_t k = fsa->letters.count;
    uint32_t *to = &fsa->next[fsa->start * k];
    for (size_t q = 0; q < fsa->states.count; q++)
        if (strcmp(f2l_fsa_label(fsa, label, q), f2l_fsa_label(fsa, label, *to)) != 0) {
            *to = (uint32_t)q;
            return;
        }
    cr_assert_fail("all labels are the same");
}

/* No certificate can prove a network of another automaton. */
Test(outline, lies_prove_nothing)
{
    const size_t share = brute_force_is_short() ? 5 : 1;
    size_t followed = 0, proved = 0, right = 0;
    for (size_t which = 0; which < OUTLINES; which++) {
        outline_fixture x;
        open(&x, which);
        follow(&x, &x.job.fsa, 500 / share, &followed, &right);
        change_automaton(&x.job.fsa, x.job.options.label);
        follow(&x, &x.job.fsa, 1500 / share, &followed, &proved);
        outline_done(&x);
    }
    cr_assert_gt(followed, 1500 / share);
    cr_assert_gt(right, 50 / share);
    cr_assert_eq(proved, 0);
}

/* The certificate of an ordinary network is refused beside a wired one. */
Test(outline, another_kind)
{
    outline_fixture x, y;
    open(&x, 0);
    outline_open(&y, 3);
    x.model = y.model;
    f2l_buf text;
    f2l_buf_init(&text);
    replace(&text, &x.text, x.job.result.net.fsa_sha256, y.job.result.net.fsa_sha256);
    cr_assert_eq(outline_read(&x, &x.job.fsa, text.data, text.size), F2L_EFORMAT);
    cr_assert(strstr(x.job.err.text, "a network that is wired"), "%s", x.job.err.text);
    f2l_buf_clear(&text);
    outline_done(&x);
    outline_done(&y);
}

#ifdef F2L_MEM_FAILURES
Test(outline, memory)
{
    for (size_t which = 0; which < OUTLINES; which++) {
        outline_fixture x;
        f2l_status status = F2L_ENOMEM;
        open(&x, which);
        for (size_t n = 1; status != F2L_OK; n++) {
            f2l_mem_fail_after(n, true);
            status = outline_read(&x, &x.job.fsa, x.text.data, x.text.size);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s", x.job.err.text);
        }
        outline_done(&x);
    }
}
#endif
