#include "theory/obstruct/separation/one_layer.h"
#include "automata/fsa/futures.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

void f2l_one_layer_init(f2l_one_layer *one)
{
    memset(one, 0, sizeof *one);
}

void f2l_one_layer_clear(f2l_one_layer *one)
{
    f2l_separation_clear(&one->separation);
    f2l_free(one->class_of);
    f2l_word_clear(&one->apart);
    f2l_one_layer_init(one);
}

const char *f2l_decoder_name(f2l_decoder decoder)
{
    static const char *const name[] = {"state", "step", "before"};
    return name[decoder];
}

bool f2l_one_layer_builds(const f2l_one_layer *one)
{
    return one->separation.verdict == F2L_SEPARATION_FEASIBLE && one->decoder == F2L_DECODER_STATE;
}

/* Finds the word that tells the states of the chain's pair apart. */
static f2l_status find_apart(f2l_one_layer *out, const f2l_fsa *least, f2l_label label,
                             const f2l_task *task, f2l_error *err)
{
    const f2l_chain *chain = &out->separation.chain;
    const uint32_t pair[] = {(uint32_t)chain->p, (uint32_t)chain->q};
    const f2l_tuples search = {
        .fsa = least, .size = 2, .ends = f2l_tuples_are_apart, .label = label};
    bool found;
    f2l_status status = f2l_tuples_find(&out->apart, &found, &search, pair, task, err);
    if (status != F2L_OK || found) return status;
    return f2l_fail(err, F2L_EDOMAIN, "no word tells states %u and %u apart", pair[0], pair[1]);
}

/* The search for the first decoder that does. */
typedef struct search {
    f2l_one_layer *out;
    const f2l_fsa *least;
    f2l_futures futures;
    uint8_t *apart; /* [states][states] whether the decoder needs different codes */
} search;

/* Sets the pairs that need different codes where the code before the letter, the letter and the
 * code after it decide: those with different futures. */
static void need_futures(search *s)
{
    const size_t n = s->least->states.count;
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < n; q++)
            s->apart[p * n + q] = s->futures.class_of[p] != s->futures.class_of[q];
}

/* Adds the pairs that some letter leads to, for a decoder that does not read the code before. */
static void need_letters(search *s)
{
    const size_t n = s->least->states.count, k = s->least->letters.count;
    const uint32_t *next = s->least->next;
    for (size_t a = 0; a < k; a++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = 0; q < n; q++)
                if (next[p * k + a] != next[q * k + a])
                    s->apart[next[p * k + a] * n + next[q * k + a]] = 1;
}

/* Decides for one decoder; sets *ends where the answer is the answer. */
static f2l_status decide_for_decoder(bool *ends, search *s, f2l_decoder decoder,
                                     const f2l_task *task, f2l_error *err)
{
    const uint32_t *class_of = s->futures.class_of;
    f2l_separation *separation = &s->out->separation;
    f2l_maps maps = f2l_maps_of(s->least);
    need_futures(s);
    if (decoder == F2L_DECODER_STEP) need_letters(s);
    if (decoder != F2L_DECODER_STATE) maps.apart = s->apart;
    f2l_separation_clear(separation);
    s->out->decoder = decoder;
    const f2l_status status = f2l_separation_build(separation, &maps, task, err);
    *ends = decoder == F2L_DECODER_BEFORE || separation->verdict == F2L_SEPARATION_FEASIBLE ||
            (separation->verdict == F2L_SEPARATION_INFEASIBLE &&
             class_of[separation->chain.p] != class_of[separation->chain.q]) ||
            s->futures.classes == s->least->states.count;
    return status;
}

/* Tries the decoders; the labels of transitions are not functions of the states they lead to. */
static f2l_status decide_all(search *s, f2l_label label, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool ends = false;
    for (int i = label == F2L_LABEL_EDGES ? F2L_DECODER_BEFORE : F2L_DECODER_STATE;
         status == F2L_OK && !ends && i <= F2L_DECODER_BEFORE; i++)
        status = decide_for_decoder(&ends, s, (f2l_decoder)i, task, err);
    if (status == F2L_OK && s->out->separation.verdict == F2L_SEPARATION_INFEASIBLE)
        status = find_apart(s->out, s->least, label, task, err);
    return status;
}

static f2l_status find_one_layer(f2l_one_layer *out, const f2l_fsa *least, f2l_label label,
                                 const f2l_one_layer_limits *limits, const f2l_task *task,
                                 f2l_error *err)
{
    const size_t states = limits && limits->states ? limits->states : F2L_ONE_LAYER_STATES,
                 letters = limits && limits->letters ? limits->letters : F2L_ONE_LAYER_LETTERS,
                 n = least->states.count;
    if (n > states || least->letters.count > letters) {
        snprintf(out->separation.reason, sizeof out->separation.reason,
                 "not tried: more than %zu states or %zu letters", states, letters);
        return F2L_OK;
    }
    search s = {.out = out, .least = least, .apart = f2l_calloc(n, n)};
    f2l_status status =
        s.apart ? f2l_futures_find(&s.futures, least, label, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = decide_all(&s, label, task, err);
    f2l_futures_clear(&s.futures);
    f2l_free(s.apart);
    return status;
}

f2l_status f2l_one_layer_find(f2l_one_layer *out, const f2l_fsa *fsa, f2l_label label,
                              const f2l_one_layer_limits *limits, const f2l_task *task,
                              f2l_error *err)
{
    f2l_fsa least;
    f2l_fsa_init(&least);
    f2l_one_layer_init(out);
    f2l_status status = f2l_fsa_minimal(&least, &out->class_of, fsa, label, task, err);
    if (status == F2L_OK) {
        out->states = least.states.count;
        status = find_one_layer(out, &least, label, limits, task, err);
    }
    f2l_fsa_clear(&least);
    if (status != F2L_OK) f2l_one_layer_clear(out);
    return status;
}

static void write_fraction(f2l_buf *out, const fmpq *x)
{
    char *text = fmpq_get_str(NULL, 10, x);
    f2l_buf_text(out, text);
    flint_free(text);
}

static void write_vector(f2l_buf *out, const fmpq *z, size_t states)
{
    for (size_t i = 0; i < states; i++) {
        if (fmpq_is_zero(&z[i])) continue;
        f2l_buf_printf(out, " %zu:", i + 1);
        write_fraction(out, &z[i]);
    }
    f2l_buf_text(out, "\n");
}

static void write_term(f2l_buf *out, const f2l_chain_term *t, size_t states)
{
    static const char *const word[] = {"form", "letter", "known", "slack"};
    f2l_buf_text(out, word[t->kind]);
    if (t->kind == F2L_CHAIN_LETTER || t->kind == F2L_CHAIN_SLACK)
        f2l_buf_printf(out, " %zu", t->letter + 1);
    if (!t->y) {
        f2l_buf_text(out, " ");
        write_fraction(out, t->scale);
    }
    write_vector(out, t->z, states);
    if (!t->y) return;
    f2l_buf_text(out, "with");
    write_vector(out, t->y, states);
}

f2l_status f2l_one_layer_certificate(f2l_buf *out, const f2l_one_layer *one, const f2l_fsa *fsa,
                                     f2l_label label, f2l_error *err)
{
    const f2l_chain *chain = &one->separation.chain;
    if (one->separation.verdict != F2L_SEPARATION_INFEASIBLE)
        return f2l_fail(err, F2L_EDOMAIN, "no chain proves that one layer does not suffice");
    f2l_status status = f2l_bound_begin(out, "separation", fsa, label, one->class_of, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "pair %zu %zu\napart", chain->p + 1, chain->q + 1);
    f2l_word_write(out, "", &one->apart);
    for (size_t i = 0; i < chain->terms; i++) {
        if (i == 0 || chain->term[i].step != chain->term[i - 1].step) f2l_buf_text(out, "step\n");
        write_term(out, &chain->term[i], chain->states);
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
