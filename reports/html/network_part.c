#include "reports/html/network_part.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/head_field.h"
#include "models/network/net/same_letters.h"
#include "numeric/exact/field_ball.h"
#include "reports/page/drawn_matrix.h"
#include "reports/page/letters_title.h"
#include <string.h>

#define CARDS ((size_t)24) /* of a head */
#define HEADS ((size_t)6)  /* of a layer */
#define LAYERS ((size_t)16)
#define COLUMNS ((size_t)16)    /* of the widest B that is drawn */
#define BYTES ((size_t)1 << 20) /* of the page, after which no further head is drawn */
#define BITS 64

typedef struct drawer {
    f2l_page *page;
    const f2l_net *net;
    f2l_exact *run;
    size_t layer, head;
    f2l_same_letters same;
} drawer;

static const f2l_head *drawn_head_of(const drawer *d)
{
    return &d->net->layer[d->layer].head[d->head];
}

/* Sets *out to a number of the head's field. */
static void take_drawn_number(f2l_drawn_number *out, const f2l_number *a, const f2l_head *head)
{
    f2l_buf text;
    mpq_t q;
    if (head->field) {
        arb_t ball;
        arb_init(ball);
        f2l_field_enclose(ball, a, BITS, head->field);
        out->value = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
        arb_clear(ball);
        return;
    }
    mpq_init(q);
    f2l_number_get(q, a, 0);
    out->value = mpq_get_d(q);
    f2l_buf_init(&text);
    f2l_buf_rational(&text, q);
    if (text.data && text.size < sizeof out->text) memcpy(out->text, text.data, text.size + 1);
    f2l_buf_clear(&text);
    mpq_clear(q);
}

/* Copies column `column` of the head's state, without the numbers of `minus` (NULL: nothing), to
 * column `to` of the matrix. */
static void take_column(f2l_drawn_matrix *m, size_t to, const f2l_number *state, size_t column,
                        const f2l_head *head, const f2l_number *minus)
{
    f2l_number difference;
    f2l_number_init(&difference);
    for (size_t i = 0; i < m->rows; i++) {
        const size_t at = i * head->d + column;
        if (minus)
            fmpq_poly_sub(&difference, &state[at], &minus[at]);
        else
            fmpq_poly_set(&difference, &state[at]);
        take_drawn_number(&m->number[i * (m->rows + m->columns) + to], &difference, head);
    }
    f2l_number_clear(&difference);
}

/* Sets state [n * d] to the state after the letter, from the state that is the unit vector `unit`
 * in its first column, or from zero (unit = n). */
static f2l_status step_drawn_state(f2l_number *state, const drawer *d, size_t letter, size_t unit,
                                   f2l_error *err)
{
    const f2l_head *head = drawn_head_of(d);
    const size_t degree = f2l_head_degree(head);
    f2l_qvec from, to;
    f2l_qvec_init(&from);
    f2l_qvec_init(&to);
    f2l_status status = F2L_OK;
    if (unit < head->n)
        status = f2l_qvec_push_si(&from, (uint32_t)(unit * head->d * degree), 1, 1, err);
    if (status == F2L_OK)
        status = f2l_exact_step_head(d->run, &to, d->layer, d->head, letter, &from, err);
    if (status == F2L_OK) f2l_vector_numbers(state, head->n * head->d, &to, degree);
    f2l_qvec_clear(&from);
    f2l_qvec_clear(&to);
    return status;
}

static f2l_status fill_network_matrix(f2l_drawn_matrix *m, f2l_number *zero, f2l_number *state,
                                      const drawer *d, size_t letter, f2l_error *err)
{
    const f2l_head *head = drawn_head_of(d);
    f2l_status status = step_drawn_state(zero, d, letter, head->n, err);
    for (size_t j = 0; j < m->columns && status == F2L_OK; j++)
        take_column(m, m->rows + j, zero, j, head, NULL);
    for (size_t j = 0; j < m->rows && status == F2L_OK; j++) {
        status = step_drawn_state(state, d, letter, j, err);
        if (status == F2L_OK) take_column(m, j, state, 0, head, zero);
    }
    return status == F2L_OK ? f2l_drawn_matrix_solve(m, err) : status;
}

/* Builds what a letter does to a head, exactly. */
static f2l_status matrix_of(f2l_drawn_matrix *m, const drawer *d, size_t letter, bool writes,
                            f2l_error *err)
{
    const f2l_head *head = drawn_head_of(d);
    const size_t numbers = head->n * head->d;
    f2l_number *zero = f2l_numbers_new(numbers), *state = f2l_numbers_new(numbers);
    f2l_status status =
        f2l_drawn_matrix_init(m, head->n, writes && head->d <= COLUMNS ? head->d : 0, err);
    if (status == F2L_OK && (!zero || !state)) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = fill_network_matrix(m, zero, state, d, letter, err);
    f2l_numbers_free(zero, numbers);
    f2l_numbers_free(state, numbers);
    return status;
}

/* Returns whether some letter adds something to the state. */
static bool head_writes(const f2l_head *head, size_t letters)
{
    for (size_t a = 0; a < letters; a++) {
        const f2l_transition *t = &head->letter[a];
        if (t->bias.count > 0) return true;
        for (size_t f = 0; f < t->factors; f++)
            if (t->factor[f].c.count > 0) return true;
    }
    return false;
}

/* Sets the title of a class of letters: the automaton's letters in the first layer, and their
 * number in the others, where letters are contexts. */
static void put_title(f2l_letters_title *t, const drawer *d, size_t class)
{
    const f2l_net *net = d->net;
    size_t contexts = 0;
    for (size_t a = 0; d->layer == 0 && a < net->letters.count; a++)
        if (d->same.of[f2l_letter_class(&net->classes, a)] == class)
            f2l_letters_title_add(t, &net->letters, a, d->page->part);
    for (size_t a = 0; d->layer > 0 && a < d->same.letters; a++) contexts += d->same.of[a] == class;
    if (d->layer > 0)
        f2l_buf_printf(&t->title, "%zu context%s", contexts, contexts == 1 ? "" : "s");
    f2l_letters_title_end(t);
}

static f2l_status draw_class(const drawer *d, size_t class, bool adds, f2l_error *err)
{
    f2l_drawn_matrix m = {.rows = 0};
    f2l_letters_title t;
    f2l_letters_title_init(&t);
    put_title(&t, d, class);
    f2l_status status = matrix_of(&m, d, d->same.first[class], adds, err);
    if (status == F2L_OK) status = f2l_buf_status(&t.title, err);
    if (status == F2L_OK)
        f2l_matrix_card(d->page, &m, t.title.data ? t.title.data : "",
                        t.classes.data ? t.classes.data : "");
    f2l_drawn_matrix_clear(&m);
    f2l_letters_title_clear(&t);
    return status;
}

static f2l_status draw_head(drawer *d, f2l_error *err)
{
    const f2l_head *head = drawn_head_of(d);
    const size_t letters = d->net->layer[d->layer].letters;
    f2l_page_subheading(d->page, "Layer %zu, head %zu: %zu x %zu", d->layer + 1, d->head + 1,
                        head->n, head->d);
    if (head->n > F2L_DRAWN_ROWS) {
        f2l_page_about_drawing(d->page,
                               "Layer %zu, head %zu: matrices of more than %d rows are not drawn.",
                               d->layer + 1, d->head + 1, F2L_DRAWN_ROWS);
        return F2L_OK;
    }
    const bool adds = head_writes(head, letters);
    f2l_status status = f2l_same_letters_find(&d->same, head, 1, letters, err);
    f2l_page_raw(d->page, "<div class=\"cards\">\n");
    for (size_t c = 0; c < d->same.count && c < CARDS && status == F2L_OK; c++)
        status = draw_class(d, c, adds, err);
    f2l_page_raw(d->page, "</div>\n");
    f2l_buf_text(&d->page->md, "\n");
    if (d->same.count > CARDS)
        f2l_page_about_drawing(d->page,
                               "Layer %zu, head %zu: %zu of %zu different transitions are drawn.",
                               d->layer + 1, d->head + 1, CARDS, d->same.count);
    f2l_same_letters_clear(&d->same);
    return status;
}

static f2l_status draw_layers(drawer *d, bool *folded, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *folded = false;
    const size_t begin = d->page->html.size;
    for (d->layer = 0; d->layer < d->net->layers && status == F2L_OK; d->layer++) {
        const size_t heads = d->net->layer[d->layer].heads;
        if (d->layer == LAYERS || d->page->html.size - begin > BYTES) {
            f2l_page_about_drawing(
                d->page, "The matrices of layer %zu and further ones are not drawn.", d->layer + 1);
            return F2L_OK;
        }
        if (d->layer == 1) f2l_page_fold(d->page, "Further layers", false);
        *folded |= d->layer == 1;
        for (d->head = 0; d->head < heads && d->head < HEADS && status == F2L_OK; d->head++)
            status = draw_head(d, err);
        if (heads > HEADS)
            f2l_page_about_drawing(d->page, "Layer %zu: %zu of %zu heads are drawn.", d->layer + 1,
                                   HEADS, heads);
    }
    return status;
}

f2l_status f2l_network_part(f2l_page *page, const f2l_net *net, f2l_error *err)
{
    bool folded = false;
    drawer d = {.page = page, .net = net};
    f2l_page_section(page, "matrices", "What each letter does");
    if (net->layers == 0) {
        f2l_page_note(page, "The layers of this network read tuples of wires in place of letters: "
                            "there is no matrix for each letter.");
        return F2L_OK;
    }
    f2l_page_say(page, "Reading a letter maps the state S of a head to A S + B.");
    f2l_page_about_drawing(page,
                           "A is drawn on the left, and where some letter of the head writes, "
                           "B beside it; the disc has the eigenvalues of A. Letters that act "
                           "alike are drawn once.");
    f2l_page_key(page);
    f2l_status status = f2l_exact_new(&d.run, net, err);
    if (status == F2L_OK) status = draw_layers(&d, &folded, err);
    if (folded) f2l_page_fold_end(page);
    f2l_exact_free(d.run);
    return status;
}
