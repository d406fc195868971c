/* The shift register of a definite automaton. Statements: theory/pages/definite.md. */
#include "theory/construct/register/register.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_CODES 1000000
#define MAX_NUMBERS 8000000 /* limit on the numbers of all codes together */
#define DIGIT_BASE 129      /* R3.6: columns hold 0 .. 128 */
/* Words of letter classes are numbered by length, then as numbers of base `classes` whose last
 * digit is the newest letter. */
typedef struct plan {
    const f2l_fsa *fsa;
    const f2l_definite *definite;
    const f2l_task *task;
    size_t slots, rows_per_slot; /* 2 rows, or 1 if there is no exchange */
    size_t classes;
    size_t words;    /* number of words of at most `slots` letters */
    size_t full;     /* number of the first word of `slots` letters */
    uint32_t *state; /* [words] state to which the word leads from the start */
    bool empty;      /* words shorter than `slots` are codes, too */
    size_t initial;  /* word that the register holds at first */
    size_t columns;
} plan;

static f2l_status refuse_register(const plan *p, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN,
                    "a register of %zu letters of %zu classes has too many "
                    "contents",
                    p->slots, p->classes);
}

static f2l_status count_words(plan *p, f2l_error *err)
{
    size_t words = 1, length = 1;
    for (size_t j = 0; j < p->slots; j++) {
        p->full = words;
        if (!f2l_mul_size(&length, length, p->classes) || !f2l_add_size(&words, words, length) ||
            words > 2 * MAX_CODES)
            return refuse_register(p, err);
    }
    p->words = words;
    return f2l_task_table(p->task, "register contents", words * sizeof *p->state, err);
}

/* Finds the state of every word. A word's number follows from the number of the word without its
 * last letter: words of one length are consecutive. */
static f2l_status find_states(plan *p, f2l_error *err)
{
    const size_t letters = p->fsa->letters.count;
    size_t *letter = f2l_calloc(p->classes, sizeof *letter);
    p->state = f2l_calloc(p->words, sizeof *p->state);
    if (letter && p->state) {
        for (size_t a = letters; a-- > 0;) letter[p->definite->letter_class[a]] = a;
        p->state[0] = (uint32_t)p->fsa->start;
        for (size_t w = 0; w < p->full; w++)
            for (size_t c = 0; c < p->classes; c++)
                p->state[w * p->classes + c + 1] = p->fsa->next[p->state[w] * letters + letter[c]];
    }
    f2l_free(letter);
    return letter && p->state ? F2L_OK : f2l_fail_memory(err);
}

static size_t codes_of(const plan *p)
{
    return p->empty ? p->words : p->words - p->full;
}

static f2l_status make_plan(plan *p, f2l_error *err)
{
    size_t symbols, numbers;
    f2l_status status = count_words(p, err);
    if (status == F2L_OK) status = find_states(p, err);
    if (status != F2L_OK) return status;
    for (p->initial = p->full; p->initial < p->words && p->state[p->initial] != p->fsa->start;)
        p->initial++;
    p->empty = p->initial == p->words;
    if (p->empty) p->initial = 0;
    p->rows_per_slot = p->slots == 1 ? 1 : 2;
    symbols = p->classes + p->empty;
    for (p->columns = 1; symbols > DIGIT_BASE; p->columns++)
        symbols = (symbols - 1) / DIGIT_BASE + 1;
    if (codes_of(p) > MAX_CODES ||
        !f2l_mul_size(&numbers, codes_of(p), p->slots * p->rows_per_slot * p->columns) ||
        numbers > MAX_NUMBERS)
        return refuse_register(p, err);
    return f2l_task_table(p->task, "register contents", numbers * 64, err);
}

/* Appends the digits of a symbol: 0 is an empty slot if slots may be empty, else class 0. */
static f2l_status push_symbol(f2l_qvec *v, const plan *p, size_t row, size_t symbol, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t j = 0; status == F2L_OK && j < p->columns; j++, symbol /= DIGIT_BASE)
        if (symbol % DIGIT_BASE)
            status = f2l_qvec_push_si(v, (uint32_t)(row * p->columns + j),
                                      (long)(symbol % DIGIT_BASE), 1, err);
    return status;
}

static f2l_status write_code(f2l_qvec *v, const plan *p, size_t word, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t slot = 0; status == F2L_OK && slot < p->slots; slot++) {
        size_t symbol = 0;
        if (word > 0) {
            symbol = (word - 1) % p->classes + p->empty;
            word = (word - 1) / p->classes;
        }
        for (size_t row = 0; status == F2L_OK && row < p->rows_per_slot; row++)
            status = push_symbol(v, p, slot * p->rows_per_slot + row, symbol, err);
    }
    return status;
}

/* Writes the exchange of slots i and i + 1; i counts from 0. */
static f2l_status write_slot_exchange(f2l_factor *factor, size_t i, f2l_error *err)
{
    f2l_status status = F2L_OK;
    mpq_set_ui(factor->beta, 2, 1);
    for (size_t row = 0; status == F2L_OK && row < 4; row++)
        status = f2l_qvec_push_si(&factor->u, (uint32_t)(2 * i + row), row < 2 ? 1 : -1, 1, err);
    return status;
}

static f2l_status letter_factors(f2l_transition *transition, const plan *p, size_t class,
                                 f2l_error *err)
{
    const size_t exchanges = p->slots - 1;
    f2l_status status = f2l_transition_set_factors(transition, exchanges + p->rows_per_slot, err);
    for (size_t i = 0; status == F2L_OK && i < exchanges; i++)
        status = write_slot_exchange(&transition->factor[i], exchanges - 1 - i, err);
    for (size_t row = 0; status == F2L_OK && row < p->rows_per_slot; row++) {
        f2l_factor *factor = &transition->factor[exchanges + row];
        mpq_set_ui(factor->beta, 1, 1);
        status = f2l_qvec_push_si(&factor->u, (uint32_t)row, 1, 1, err);
        if (status == F2L_OK) status = push_symbol(&factor->c, p, 0, class + p->empty, err);
    }
    return status;
}

static f2l_status add_register_codes(f2l_net *net, const plan *p, uint32_t *label_of,
                                     f2l_error *err)
{
    f2l_layer *layer = &net->layer[0];
    const size_t first = p->empty ? 0 : p->full;
    f2l_meter meter = {.task = p->task, .phase = "register contents"};
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < layer->codes; i++) {
        status = f2l_meter_spend(&meter, 20 + 10 * p->slots * p->columns, (double)i,
                                 (double)layer->codes, err);
        if (status != F2L_OK) break;
        layer->symbol[i] = label_of[p->state[first + i]];
        status = write_code(&layer->code[i], p, first + i, err);
    }
    return status;
}

/* Adds the labels; label_of[states] is filled for the states of codes. */
static f2l_status add_register_labels(f2l_net *net, const plan *p, uint32_t *label_of,
                                      f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t w = p->empty ? 0 : p->full; status == F2L_OK && w < p->words; w++) {
        const char *text = f2l_fsa_label(p->fsa, net->label, p->state[w]);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[p->state[w]] = (uint32_t)index;
    }
    net->start = label_of[p->fsa->start];
    return status;
}

static f2l_status build_register_net(f2l_net *out, const plan *p, f2l_error *err)
{
    const size_t letters = p->fsa->letters.count;
    uint32_t *label_of = f2l_calloc(p->fsa->states.count, sizeof *label_of);
    f2l_status status =
        label_of ? f2l_names_copy(&out->letters, &p->fsa->letters, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = add_register_labels(out, p, label_of, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&out->layer[0], letters, 1, err);
    if (status == F2L_OK) {
        f2l_head *head = &out->layer[0].head[0];
        head->n = p->slots * p->rows_per_slot;
        head->d = p->columns;
        status = write_code(&head->initial, p, p->initial, err);
        for (size_t a = 0; status == F2L_OK && a < letters; a++)
            status = letter_factors(&head->letter[a], p, p->definite->letter_class[a], err);
    }
    if (status == F2L_OK)
        status = f2l_layer_set_codes(&out->layer[0], codes_of(p), out->labels.count, false, err);
    if (status == F2L_OK) status = add_register_codes(out, p, label_of, err);
    f2l_free(label_of);
    return status;
}

f2l_status f2l_register_build(f2l_net *out, f2l_register_report *report, const f2l_fsa *fsa,
                              f2l_label label, const f2l_definite *definite, const f2l_task *task,
                              f2l_error *err)
{
    plan p = {.fsa = fsa, .definite = definite, .task = task, .classes = definite->classes};
    *report = (f2l_register_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (!definite->definite)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the automaton is not definite: no number of last letters decides "
                        "its state");
    p.slots = definite->k > 1 ? definite->k : 1;
    out->label = label;
    status = make_plan(&p, err);
    if (status == F2L_OK) status = build_register_net(out, &p, err);
    if (status == F2L_OK)
        *report =
            (f2l_register_report){.k = p.slots, .letter_classes = p.classes, .empty = p.empty};
    else
        f2l_net_clear(out);
    f2l_free(p.state);
    return status;
}
