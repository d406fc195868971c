#include "tests/support/theory/compile_support.h"

void set_up(fixture *f)
{
    f->options = (f2l_compile_options){.schedule = f2l_schedule_find("every")};
    for (size_t i = 0; i < F2L_USUAL_FORMATS; i++) f->options.format[i] = &f2l_formats[i];
    f2l_compile_result_init(&f->result);
    f->err = (f2l_error){0};
}

const f2l_t3_report *t3_of(const f2l_compile_result *r)
{
    return f2l_compile_detail(r, &f2l_construction_t3);
}

void open_family(fixture *f, const char *kind, uint64_t number, bool generators)
{
    set_up(f);
    f2l_fsa_init(&f->fsa);
    const bool counted =
        number > 0 && strcmp(kind, "parity") != 0 && strcmp(kind, "quaternion") != 0;
    cr_assert_eq(f2l_family_build(&f->fsa, kind, &number, counted, generators, &f->err), F2L_OK,
                 "%s", f->err.text);
}

void open_text(fixture *f, const char *text)
{
    set_up(f);
    fsa_from_text(&f->fsa, text);
}

f2l_status compile(fixture *f, const f2l_task *task)
{
    return f2l_compile(&f->result, &f->fsa, &f->options, task, &f->err);
}

void compile_done(fixture *f)
{
    f2l_compile_result_clear(&f->result);
    f2l_compile_result_clear(&f->result);
    f2l_fsa_clear(&f->fsa);
}

void check_words(const fixture *f, uint64_t seed)
{
    const f2l_net *net = &f->result.net;
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    for (int word = 0; word < 20; word++) {
        size_t joint[16], state = f->fsa.start, label;
        cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
        for (int t = 0; t < 50; t++) {
            const size_t a = (size_t)f2l_rng_below(&rng, f->fsa.letters.count);
            cr_assert_eq(f2l_exact_step(run, joint, a, &label, NULL, NULL), F2L_OK);
            state = f->fsa.next[state * f->fsa.letters.count + a];
            cr_assert_str_eq(f2l_names_get(&net->labels, label),
                             f2l_fsa_label(&f->fsa, net->label, state));
        }
    }
    f2l_exact_free(run);
}

void check_theorem(fixture *f, const char *theorem)
{
    const f2l_compile_result *r = &f->result;
    char hex[65];
    cr_assert_eq(compile(f, NULL), F2L_OK, "%s", f->err.text);
    cr_assert_str_eq(r->theorem, theorem);
    cr_assert_eq(f2l_t4_detail_of(r) != NULL, strcmp(theorem, "T4") == 0);
    cr_assert_eq(r->exact.verdict, F2L_OK, "%s", r->exact.reason);
    cr_assert_eq(f2l_fsa_sha256(&f->fsa, hex, NULL), F2L_OK);
    cr_assert_str_eq(r->net.fsa_sha256, hex);
    cr_assert_eq(r->net.label, f->options.label);
    cr_assert_eq(f2l_net_validate(&r->net, &f->err), F2L_OK, "%s", f->err.text);
    check_words(f, 1);
}

void check_cascade(fixture *f)
{
    f2l_buf text;
    check_theorem(f, "T4");
    const f2l_compile_result *r = &f->result;
    const f2l_t4_detail *t4 = f2l_t4_detail_of(r);
    cr_assert_eq(t4->local.verdict, F2L_OK);
    cr_assert_eq(r->net.layers, t4->cascade.levels + t4->report.delays);
    for (size_t k = 0; k < r->formats; k++) {
        cr_assert_eq(r->format[k].closure.verdict, F2L_OK, "%s", r->format[k].closure.reason);
        cr_assert_eq(r->format[k].pairs, t4->local.pairs);
    }
    f2l_buf_init(&text);
    cr_assert_eq(f2l_compile_certificate(&text, r, &f->fsa, r->net.fsa_sha256, &f->err), F2L_OK,
                 "%s", f->err.text);
    cr_assert_not_null(strstr(text.data, "\nclaim cascade\n"));
    f2l_buf_clear(&text);
}
