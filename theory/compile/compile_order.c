/* Figures of networks, the order among them, and dominance. */
#include "models/network/net/net_orthonormal.h"
#include "models/network/net/same_letters.h"
#include "models/network/net/wired.h"
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

const f2l_compile_format *f2l_compile_in_bf16(const f2l_compile_result *c)
{
    const f2l_format *bf16 = f2l_format_find("bf16");
    const f2l_schedule *every = f2l_schedule_find("every");
    for (size_t i = 0; i < c->formats; i++)
        if (c->format[i].format == bf16 && c->format[i].schedule == every) return &c->format[i];
    return NULL;
}

/* Returns whether all x / sqrt(n2) are values of the format. */
static bool holds_vector(const f2l_format *format, const f2l_qvec *x, const mpq_t n2)
{
    mpq_t value, square;
    bool held = true;
    mpq_inits(value, square, NULL);
    for (size_t i = 0; held && i < x->count; i++) {
        const double rounded = f2l_format_round_over_sqrt(format, x->value[i], n2);
        held = isfinite(rounded);
        if (!held) break;
        mpq_set_d(value, rounded);
        mpq_mul(value, value, value);
        mpq_mul(value, value, n2);
        mpq_mul(square, x->value[i], x->value[i]);
        held = mpq_equal(value, square);
    }
    mpq_clears(value, square, NULL);
    return held;
}

static bool holds_letter(const f2l_format *format, const f2l_head *head,
                         const f2l_transition *letter)
{
    mpq_t n2, one;
    mpq_inits(n2, one, NULL);
    mpq_set_ui(one, 1, 1);
    bool held = f2l_format_holds(format, letter->gate) && holds_vector(format, &letter->bias, one);
    for (size_t j = 0; held && j < letter->factors; j++) {
        const f2l_factor *factor = &letter->factor[j];
        f2l_qvec_norm2(n2, &factor->u);
        if (head->raw) mpq_set(n2, one);
        held = f2l_format_holds(format, factor->beta) && holds_vector(format, &factor->u, n2) &&
               holds_vector(format, &factor->c, n2);
    }
    mpq_clears(n2, one, NULL);
    return held;
}

/* Returns whether the format holds the weights of all letters. Letters that act equally are
 * examined once; if there is no memory to find them, every letter is. */
static bool holds_letters(const f2l_format *format, const f2l_head *head, size_t letters)
{
    f2l_same_letters same = {0};
    const bool found = f2l_same_letters_find(&same, head, 1, letters, NULL) == F2L_OK;
    const size_t count = found ? same.count : letters;
    bool held = true;
    for (size_t k = 0; held && k < count; k++)
        held = holds_letter(format, head, &head->letter[found ? same.first[k] : k]);
    f2l_same_letters_clear(&same);
    return held;
}

/* Returns the same for stages. */
static bool holds_stages(const f2l_format *format, const f2l_net *net, const mpq_t one)
{
    bool held = true;
    for (size_t b = 0; held && b < net->blocks; b++)
        for (size_t h = 0; held && h < net->block[b].heads; h++) {
            const f2l_wired_head *head = &net->block[b].head[h];
            held = holds_letters(format, &head->head, head->slot_at[head->slots]);
        }
    for (size_t l = 0; held && l < net->stages; l++)
        for (size_t h = 0; held && h < net->stage[l].heads; h++)
            held = holds_vector(format, &net->stage[l].initial[h], one);
    return held;
}

/* Returns whether unit keys, values, and initial states of layers or stages are values of the
 * format. */
static bool holds_weights(const f2l_format *format, const f2l_net *net)
{
    bool held = f2l_net_joint(net) > 0 && f2l_net_is_plain(net);
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    held = held && holds_stages(format, net, one);
    for (size_t l = 0; held && l < net->layers; l++)
        for (size_t h = 0; held && h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            held = holds_vector(format, &head->initial, one) &&
                   holds_letters(format, head, net->layer[l].letters);
        }
    mpq_clear(one);
    return held;
}

/* True if a rule for wired networks makes the run equal to the exact one; or else if no weight is
 * rounded, and exchanges are exact, or there are no more joint states, or pairs, than in exact
 * arithmetic. */
bool f2l_compile_unrounded(const f2l_compile_result *c)
{
    const f2l_compile_format *f = f2l_compile_in_bf16(c);
    if (!f || f->closure.verdict != F2L_OK) return false;
    if (f->by_rule && c->rule) return true;
    if (!holds_weights(f->format, &c->net)) return false;
    if (f2l_net_has_boxes(&c->net))
        return false; /* with boxes equal numbers of rows prove nothing about the states */
    if (f->by_rule) return true;
    if (f->pairs) return f->pairs == c->pairs;
    return c->exact.verdict == F2L_OK && f->closure.rows == c->exact.rows;
}

/* Returns the rank. Exact verification comes first, since nothing counts without it. */
static f2l_compile_rank rank(bool exact, const char *ask, size_t bf16, const f2l_compile_figures *f,
                             bool published)
{
    return (f2l_compile_rank){{[F2L_BY_EXACT] = !exact,
                               [F2L_BY_ASKED] = ask != NULL,
                               [F2L_BY_BF16] = bf16,
                               [F2L_BY_LAYERS] = f->layers,
                               [F2L_BY_FACTORS] = f->factors_per_token,
                               [F2L_BY_STATES] = f->states,
                               [F2L_BY_ENTRIES] = f->table_entries,
                               [F2L_BY_PUBLISHED] = !published}};
}

f2l_compile_rank f2l_compile_rank_of(const f2l_compile_result *c, const char *ask, bool published)
{
    f2l_compile_figures figures;
    const f2l_compile_format *f = f2l_compile_in_bf16(c);
    const bool verified = f && f->closure.verdict == F2L_OK;
    f2l_compile_measure(&figures, c);
    return rank(c->exact.verdict == F2L_OK, ask,
                c->unrounded ? 0
                : verified   ? 1
                             : 2,
                &figures, published);
}

f2l_compile_rank f2l_compile_rank_least(const f2l_compile_figures *least, const char *ask,
                                        bool published)
{
    return rank(true, ask, 0, least, published);
}

bool f2l_compile_better(const f2l_compile_rank *a, const f2l_compile_rank *b)
{
    for (size_t i = 0; i < F2L_COMPILE_CRITERIA; i++)
        if (a->criterion[i] != b->criterion[i]) return a->criterion[i] < b->criterion[i];
    return false;
}

void f2l_compile_say_beaten(char *text, size_t size, const f2l_compile_rank *least,
                            const f2l_compile_rank *best)
{
    static const char *const noun[] = {[F2L_BY_LAYERS] = "layers",
                                       [F2L_BY_FACTORS] = "factors a token",
                                       [F2L_BY_STATES] = "state numbers",
                                       [F2L_BY_ENTRIES] = "table entries"};
    for (size_t i = F2L_BY_LAYERS; i <= F2L_BY_ENTRIES; i++) {
        if (least->criterion[i] == best->criterion[i]) continue;
        if (least->criterion[i] < best->criterion[i]) break;
        snprintf(text, size, "at least %zu %s", least->criterion[i], noun[i]);
        return;
    }
    snprintf(text, size, "no better figures");
}

static bool has_format(const f2l_compile_entry *entry, const f2l_compile_entry_format *f)
{
    for (size_t i = 0; i < entry->formats; i++)
        if (entry->format[i].format == f->format && entry->format[i].schedule == f->schedule)
            return entry->format[i].verdict == F2L_OK;
    return false;
}

/* Returns whether `a` is verified in every format that `b` is verified in. *more: `a` is also
 * verified in another one. */
static bool covers_formats(const f2l_compile_entry *a, const f2l_compile_entry *b, bool *more)
{
    for (size_t i = 0; i < b->formats; i++)
        if (b->format[i].verdict == F2L_OK && !has_format(a, &b->format[i])) return false;
    for (size_t i = 0; i < a->formats; i++)
        if (a->format[i].verdict == F2L_OK && !has_format(b, &a->format[i])) *more = true;
    return true;
}

/* Returns whether no figure of `a` is larger than the same figure of `b`. *less: some figure is
 * smaller. */
static bool no_larger(const f2l_compile_entry *a, const f2l_compile_entry *b, bool *less)
{
    const f2l_compile_figures *x = &a->figures, *y = &b->figures;
    const size_t pair[][2] = {
        {x->layers, y->layers},   {x->householders, y->householders},
        {x->key_dim, y->key_dim}, {x->factors_per_token, y->factors_per_token},
        {x->states, y->states},   {x->table_entries, y->table_entries},
        {a->gated, b->gated},     {!a->unrounded, !b->unrounded}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        if (pair[i][0] > pair[i][1]) return false;
        *less = *less || pair[i][0] < pair[i][1];
    }
    return true;
}

bool f2l_compile_dominates(const f2l_compile_entry *a, const f2l_compile_entry *b)
{
    bool less = false, more = false;
    return no_larger(a, b, &less) && covers_formats(a, b, &more) && (less || more);
}

bool f2l_compile_equal(const f2l_compile_entry *a, const f2l_compile_entry *b)
{
    bool differs = false;
    return no_larger(a, b, &differs) && covers_formats(a, b, &differs) && !differs;
}
