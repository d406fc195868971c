#include "models/learn/data/data.h"
#include "models/learn/seq/delta/seq_constructed.h"
#include "models/learn/seq/seq_match.h"
#include "numeric/base/mem.h"
#include "tests/support/theory/compile_support.h"
#include <math.h>

/* A constructed network, a model that holds it, and its parameters. */
typedef struct start {
    fixture f;
    f2l_data data;
    f2l_seq model;
    float *parameter;
} start;

static void build_data(start *s, bool begin)
{
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .seed = 1, .stream = F2L_DATA_TEST, .begin = begin};
    f2l_data_init(&s->data);
    cr_assert_eq(f2l_data_build(&s->data, &options, &s->f.fsa, &s->f.err), F2L_OK);
}

static f2l_seq_config config_of(const start *s)
{
    f2l_seq_config c;
    f2l_seq_constructed_need need;
    cr_assert_eq(f2l_seq_config_match(&c, &s->f.result.net, s->data.letters.count,
                                      s->data.labels.count, NULL),
                 F2L_OK);
    cr_assert_eq(f2l_seq_constructed_needs(&need, &s->f.result.net, NULL), F2L_OK);
    if (c.heads < need.heads) c.heads = need.heads;
    if (c.width < need.width) c.width = need.width;
    c.mlp = 24;
    return c;
}

static f2l_status write(start *s, const f2l_seq_config *c, double logit)
{
    const f2l_seq_constructed_names names = {&s->data.letters, &s->data.labels};
    cr_assert(f2l_seq_init(&s->model, c, &s->f.err) == F2L_OK, "%s", s->f.err.text);
    s->parameter = f2l_calloc(s->model.parameters, sizeof *s->parameter);
    f2l_seq_start_f32(s->parameter, &s->model, 5);
    return f2l_seq_constructed_f32(s->parameter, &s->model, &s->f.result.net, &names, logit,
                                   &s->f.err);
}

static void open_start(start *s, const char *kind, uint64_t number, double logit)
{
    open_family(&s->f, kind, number, false);
    cr_assert_eq(compile(&s->f, NULL), F2L_OK, "%s", s->f.err.text);
    build_data(s, false);
    const f2l_seq_config c = config_of(s);
    cr_assert(write(s, &c, logit) == F2L_OK, "%s", s->f.err.text);
}

static void forget_model(start *s)
{
    f2l_seq_clear(&s->model);
    f2l_free(s->parameter);
}

static void close_start(start *s)
{
    forget_model(s);
    f2l_data_clear(&s->data);
    compile_done(&s->f);
}

/* Checks the labels of one sequence against the constructed network in exact arithmetic. */
static void check_exact(const start *s, const uint32_t *letter, const uint32_t *answer,
                        size_t length)
{
    const f2l_net *net = &s->f.result.net;
    f2l_exact *run;
    size_t joint[1], label;
    cr_assert_eq(f2l_exact_new(&run, net, NULL), F2L_OK);
    cr_assert_eq(f2l_exact_start(run, joint, NULL), F2L_OK);
    for (size_t t = 0; t < length; t++) {
        cr_assert_eq(f2l_exact_step(run, joint, f2l_letter_class(&net->classes, letter[t]), &label,
                                    NULL, NULL),
                     F2L_OK);
        cr_assert_str_eq(f2l_names_get(&net->labels, label),
                         f2l_names_get(&s->data.labels, answer[t]), "letter %zu", t);
    }
    f2l_exact_free(run);
}

/* Checks words of `length` letters before any step: answers as the exact network, a loss near 0,
 * and a finite gradient that reaches every tensor but the first two of the MLP, whose last is 0. */
static void check_start(const start *s, size_t sequences, size_t length)
{
    const f2l_seq_plan plan = {sequences, length, true};
    f2l_data_batch batch;
    f2l_seq_work_f32 *work;
    f2l_seq_score score;
    f2l_error err = {0};
    f2l_data_batch_init(&batch);
    const f2l_data_range range = {length, length};
    cr_assert_eq(f2l_data_batch_fill(&batch, &s->data, range, 0, 0, sequences, &err), F2L_OK);
    const f2l_seq_batch b = {sequences, length, batch.letter, batch.label, batch.mask};
    cr_assert_eq(f2l_seq_work_new_f32(&work, &s->model, &plan, NULL, &err), F2L_OK);
    float *gradient = f2l_calloc(s->model.parameters, sizeof *gradient);
    uint32_t *answer = f2l_calloc(sequences * length, sizeof *answer);
    cr_assert_eq(f2l_seq_gradient_f32(&score, gradient, &b, s->parameter, 1, work, NULL, &err),
                 F2L_OK);
    cr_assert_eq(score.right, sequences * length);
    cr_assert_lt(score.loss / (double)score.supervised, 1e-4);
    cr_assert_eq(f2l_seq_answers_f32(answer, NULL, &b, s->parameter, work, &err), F2L_OK);
    for (size_t q = 0; q < sequences; q++)
        check_exact(s, batch.letter + q * length, answer + q * length, length);
    for (size_t t = 0; t < s->model.tensors; t++) {
        const f2l_seq_tensor *tensor = &s->model.tensor[t];
        double most = 0;
        for (size_t i = 0; i < tensor->count; i++) {
            cr_assert(isfinite(gradient[tensor->offset + i]), "%s", tensor->name);
            most = fmax(most, fabs((double)gradient[tensor->offset + i]));
        }
        const bool behind = strstr(tensor->name, "mlp_norm") || strstr(tensor->name, "gate_proj") ||
                            strstr(tensor->name, "up_proj");
        cr_assert_eq(most > 0, !behind, "%s: %g", tensor->name, most);
    }
    f2l_free(gradient);
    f2l_free(answer);
    f2l_seq_work_free_f32(work);
    f2l_data_batch_clear(&batch);
}

static const struct {
    const char *kind;
    uint64_t number;
} family[] = {{"parity", 0},    {"cyclic", 5},    {"cyclic", 12},    {"dihedral", 5},
              {"symmetric", 3}, {"symmetric", 4}, {"alternating", 5}};

Test(seq_constructed, right_before_any_step)
{
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        start s;
        open_start(&s, family[i].kind, family[i].number, 16);
        check_start(&s, 3, 1000);
        close_start(&s);
    }
}

/* With betas of 1.96 in place of 2 the state is deformed from letter to letter: short words are
 * right. */
Test(seq_constructed, right_with_small_logits)
{
    start s;
    open_start(&s, "symmetric", 3, 4);
    check_start(&s, 16, 8);
    close_start(&s);
}

/* Acceptance as label: the codes of S_4 in four dimensions, of which every third state is accepted,
 * are not the two sides of a plane. */
Test(seq_constructed, what_has_no_linear_read_out)
{
    start s;
    open_family(&s.f, "symmetric", 4, false);
    for (size_t q = 0; q < s.f.fsa.states.count; q++) s.f.fsa.accept[q] = q % 3 == 0;
    s.f.options.label = F2L_LABEL_ACCEPT;
    cr_assert_eq(compile(&s.f, NULL), F2L_OK);
    const f2l_data_options options = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_ACCEPT, .stream = F2L_DATA_TEST};
    f2l_data_init(&s.data);
    cr_assert_eq(f2l_data_build(&s.data, &options, &s.f.fsa, NULL), F2L_OK);
    const f2l_seq_config c = config_of(&s);
    cr_assert_eq(write(&s, &c, 16), F2L_EDOMAIN);
    cr_assert(strstr(s.f.err.text, "--label states"), "%s", s.f.err.text);
    close_start(&s);
}

static void refused(start *s, const f2l_seq_config *c, const char *text)
{
    cr_assert_eq(write(s, c, 16), F2L_EDOMAIN);
    cr_assert(strstr(s->f.err.text, text), "%s", s->f.err.text);
    forget_model(s);
}

Test(seq_constructed, what_does_not_fit)
{
    start s;
    open_family(&s.f, "symmetric", 3, false);
    cr_assert_eq(compile(&s.f, NULL), F2L_OK);
    build_data(&s, false);
    const f2l_seq_config base = config_of(&s);
    f2l_seq_config c = base;
    c.heads = 3;
    refused(&s, &c, "at least 4 heads of 4 x 4, 2 factors and width 10; the model has 3 heads");
    c = base;
    c.width = 9;
    refused(&s, &c, "width 10; ");
    c = base;
    c.value_dim = 3;
    refused(&s, &c, "needs at least");
    c = base;
    c.householders = 1;
    refused(&s, &c, "needs at least");
    c = base;
    c.layers = 2;
    refused(&s, &c, "one layer of the mixer delta");
    c = base;
    c.negative = false;
    refused(&s, &c, "eigenvalues in [-1, 1]");
    c = base;
    c.convolution = 1;
    refused(&s, &c, "convolution");
    f2l_data_clear(&s.data);
    build_data(&s, true);
    c = base;
    c.letters++;
    c.labels++;
    c.width++;
    refused(&s, &c, "the data have 7 letters and the constructed network has 6");
    f2l_data_clear(&s.data);
    compile_done(&s.f);
}

/* Resets are no reflections; a cascade has several layers. */
Test(seq_constructed, other_networks)
{
    static const char *const text[] = {"start p\np a q\nq a q\np b p\nq b p\n",
                                       "start p\np a q\nq a p\np b p\nq b p\n"};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        f2l_seq_constructed_need need;
        open_text(&f, text[i]);
        cr_assert_eq(compile(&f, NULL), F2L_OK);
        cr_assert_eq(f2l_seq_constructed_needs(&need, &f.result.net, &f.err), F2L_EDOMAIN);
        cr_assert(strstr(f.err.text, "training starts from"), "%s", f.err.text);
        compile_done(&f);
    }
}
