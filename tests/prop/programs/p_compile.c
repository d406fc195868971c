/* Brute force over the whole main job: every automaton is compiled, with the lower bounds on its
 * layers as the main job finds them; it must be VERIFIED exactly and in bf16, must have no fewer
 * layers than the bound, must give a certificate, and must run exactly on a random word of 1,000
 * letters. The kinds of cascade and the gated form alternate, so that levels with a delay are
 * tested too. */
#include "models/network/exact/run_exact.h"
#include "tests/support/automata/brute_force.h"
#include "theory/compile/compile.h"
#include "theory/construct/stack/stack.h"
#include "theory/construct/t4/t4_construction.h"
#include "theory/obstruct/layers/layers.h"

#define SEED 20261121
#define LETTERS_PER_WORD 1000

typedef struct totals {
    f2l_stack_lists first_layers;
    size_t passed, failed, t3, r1, t4, k, one_layer, delayed, most_layers;
} totals;

static f2l_compile_options options_of(totals *t)
{
    static const f2l_compile_cascade kind[] = {F2L_COMPILE_AUTO, F2L_COMPILE_AUTO,
                                               F2L_COMPILE_CAPPED, F2L_COMPILE_HOLONOMY};
    const size_t turn = t->passed + t->failed;
    f2l_compile_options o = {.label = F2L_LABEL_STATES, .first_layers = &t->first_layers};
    o.cascade = kind[turn % 4];
    o.gated = turn / 4 % 2;
    o.format[0] = f2l_format_find("bf16");
    o.schedule = f2l_schedule_find("every");
    o.effort = F2L_USUAL_EFFORT * (uint64_t)F2L_STEPS; /* as the main job */
    return o;
}

/* Returns the number of letters on which the network's label differs from the automaton's state. */
static size_t wrong_letters(const f2l_net *net, const f2l_fsa *fsa, f2l_rng *rng)
{
    f2l_exact *run = NULL;
    size_t state = fsa->start, label = net->start, wrong = 0;
    size_t *joint = calloc(f2l_net_joint(net), sizeof *joint);
    bool ok = joint && f2l_exact_new(&run, net, NULL) == F2L_OK &&
              f2l_exact_start(run, joint, NULL) == F2L_OK;
    for (size_t t = 0; ok && t <= LETTERS_PER_WORD; t++) {
        wrong +=
            strcmp(f2l_names_get(&net->labels, label), f2l_names_get(&fsa->states, state)) != 0;
        size_t a = f2l_rng_below(rng, fsa->letters.count);
        state = fsa->next[state * fsa->letters.count + a];
        ok = f2l_exact_step(run, joint, a, &label, NULL, NULL) == F2L_OK;
    }
    f2l_exact_free(run);
    free(joint);
    return ok ? wrong : LETTERS_PER_WORD;
}

/* Returns the layers of the network; of stages those that have heads. */
static size_t layers_of(const f2l_compile_result *r)
{
    f2l_net_size size;
    f2l_net_measure(&size, &r->net);
    return size.layers;
}

/* Compiles within the lower bounds; *bounded: the network, whose states are finitely many, has no
 * fewer layers. */
static f2l_status compile_within_bounds(f2l_compile_result *out, bool *bounded, const f2l_fsa *fsa,
                                        totals *t, f2l_error *err)
{
    f2l_compile_options options = options_of(t);
    f2l_layers layers;
    f2l_layers_init(&layers);
    f2l_status status = f2l_layers_find(&layers, fsa, options.label, &f2l_layers_little, NULL, err);
    options.least_layers = layers.least;
    options.margin_layers = layers.margin;
    if (status == F2L_OK) status = f2l_compile(out, fsa, &options, NULL, err);
    *bounded = status == F2L_OK && layers_of(out) >= layers.least;
    f2l_layers_clear(&layers);
    return status;
}

static void one(f2l_fsa *fsa, const char *what, f2l_rng *rng, void *context)
{
    totals *t = context;
    f2l_compile_result r;
    f2l_error err = {0};
    f2l_buf certificate;
    size_t dropped, wrong = 0, turn = t->passed + t->failed;
    bool bounded = false;
    char zero[65];
    memset(zero, '0', 64);
    zero[64] = '\0';
    f2l_compile_result_init(&r);
    f2l_buf_init(&certificate);
    f2l_status status = f2l_fsa_trim(fsa, &dropped, &err);
    if (status == F2L_OK) status = compile_within_bounds(&r, &bounded, fsa, t, &err);
    bool good = status == F2L_OK && bounded && r.exact.verdict == F2L_OK && r.formats == 1 &&
                r.format[0].closure.verdict == F2L_OK &&
                f2l_compile_certificate(&certificate, &r, fsa, zero, &err) == F2L_OK;
    if (good) wrong = wrong_letters(&r.net, fsa, rng);
    good = good && wrong == 0;
    t->passed += good;
    t->failed += !good;
    if (!good && t->failed < 20)
        printf("FAILED: %s (turn %zu): status %s, exact %s, %zu wrong letters %s\n", what, turn,
               f2l_status_name(status), f2l_status_name(r.exact.verdict), wrong, err.text);
    if (good) {
        t->t3 += strcmp(r.theorem, "T3") == 0;
        t->r1 += strcmp(r.theorem, "R1") == 0;
        t->t4 += strcmp(r.theorem, "T4") == 0;
        t->k += strcmp(r.theorem, "K") == 0;
        t->one_layer += layers_of(&r) == 1;
        t->delayed += f2l_t4_detail_of(&r) && f2l_t4_detail_of(&r)->report.delays > 0;
        if (layers_of(&r) > t->most_layers) t->most_layers = layers_of(&r);
    }
    f2l_buf_clear(&certificate);
    f2l_compile_result_clear(&r);
}

int main(void)
{
    totals t = {.passed = 0};
    const size_t random = brute_force(SEED, one, &t);
    printf("seed %d, %zu random automata: %zu by T3, %zu by R1, %zu by T4, %zu of them with "
           "delays, %zu by K; %zu in one layer, at most %zu layers\n",
           SEED, random, t.t3, t.r1, t.t4, t.delayed, t.k, t.one_layer, t.most_layers);
    f2l_stack_lists_clear(&t.first_layers);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed != 0 || t.delayed == 0;
}
