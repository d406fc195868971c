#include "tests/support/theory/closure_machines.h"

void machine_open(machine *m, size_t xs, size_t ys)
{
    *m = (machine){.xs = xs, .ys = ys, .bad_x = xs};
    fsa_from_text(&m->fsa, "start 0\n0 a 0\n0 b 0\n0 c 1\n1 a 1\n1 b 1\n1 c 0\n");
    size_t index;
    cr_assert_eq(f2l_names_add(&m->labels, "0", 1, &index, NULL), F2L_OK);
    cr_assert_eq(f2l_names_add(&m->labels, "1", 1, &index, NULL), F2L_OK);
}

void machine_done(machine *m)
{
    f2l_names_clear(&m->labels);
    f2l_fsa_clear(&m->fsa);
}

void machine_start(const void *run, double *joint)
{
    (void)run;
    joint[0] = joint[1] = joint[2] = 0;
}

uint32_t machine_move(const machine *m, size_t *s, size_t letter, size_t bit)
{
    if (letter == 0) s[0] = (5 * s[0] + 1) % m->xs;
    if (letter == 1) s[1] = (s[1] + s[0] + 1 + bit) % m->ys;
    if (letter == 2) s[2] = 1 - s[2];
    if (s[0] == m->bad_x && s[1] == m->bad_y) return s[2] ? 0 : F2L_NO_SYMBOL;
    return (uint32_t)s[2];
}

f2l_status machine_step(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err)
{
    machine *m = run;
    size_t s[3] = {(size_t)joint[0], (size_t)joint[1], (size_t)joint[2]}, bit = 0;
    (void)err;
    for (size_t i = 0; m->choices && letter == 1 && i < m->bits; i++)
        bit = f2l_choices_take(m->choices);
    *label = machine_move(m, s, letter, bit);
    for (size_t i = 0; i < 3; i++) joint[i] = (double)s[i];
    if (m->stop && ++m->steps == m->stop_at) *m->stop = SIGINT;
    return F2L_OK;
}

f2l_status machine_close(f2l_closure *out, machine *m, f2l_numbers_options options,
                         const f2l_task *task, f2l_error *err)
{
    const f2l_numbers_machine numbers = {m, 3, machine_start, machine_step, 0};
    const f2l_face face = {&m->fsa.letters, &m->labels, F2L_LABEL_STATES, 0, NULL};
    options.choices = m->choices;
    f2l_closure_clear(out);
    return f2l_numbers_close_with(out, &numbers, &face, &m->fsa, f2l_format_find("fp32"), &options,
                                  task, err);
}

void machine_count(machine_table *t, const machine *m)
{
    const size_t most = m->xs * m->ys * 2;
    size_t *row_of = f2l_calloc(most, sizeof *row_of); /* row plus 1 */
    *t = (machine_table){.rows = 1};
    t->state = f2l_calloc(most, sizeof *t->state);
    t->length = f2l_calloc(most, sizeof *t->length);
    t->next = f2l_calloc(most * MACHINE_LETTERS, sizeof *t->next);
    row_of[0] = 1;
    for (size_t r = 0; r < t->rows && t->failure == 0; r++) {
        for (size_t a = 0; a < MACHINE_LETTERS; a++) {
            for (size_t bit = 0; bit < (m->choices ? 2 : 1); bit++) {
                size_t s[3] = {t->state[r] / 2 / m->ys, t->state[r] / 2 % m->ys, t->state[r] % 2};
                const uint32_t label = machine_move(m, s, a, bit);
                if (label != s[2] && t->failure == 0) t->failure = t->length[r] + 1;
                const size_t at = (s[0] * m->ys + s[1]) * 2 + s[2];
                if (row_of[at] == 0) {
                    t->state[t->rows] = at;
                    t->length[t->rows] = t->length[r] + 1;
                    row_of[at] = ++t->rows;
                }
                t->next[r * MACHINE_LETTERS + a] = (uint32_t)(row_of[at] - 1);
            }
        }
    }
    f2l_free(row_of);
}

void machine_table_clear(machine_table *t)
{
    f2l_free(t->state);
    f2l_free(t->length);
    f2l_free(t->next);
}

void machine_check(const f2l_closure *c, const machine *m, const machine_table *t)
{
    cr_assert_eq(c->verdict, F2L_OK, "%s", c->reason);
    cr_assert_eq(c->rows, t->rows);
    cr_assert_eq(c->size, 3);
    cr_assert_not_null(c->numbers);
    for (size_t r = 0; r < t->rows; r++) {
        const double *joint = c->numbers + 3 * r;
        cr_assert_eq(((size_t)joint[0] * m->ys + (size_t)joint[1]) * 2 + (size_t)joint[2],
                     t->state[r], "row %zu", r);
        cr_assert_eq(c->state[r], t->state[r] % 2);
    }
    if (m->choices)
        cr_assert_null(c->next); /* a letter leads to several rows */
    else
        cr_assert_arr_eq(c->next, t->next, t->rows * MACHINE_LETTERS * sizeof *t->next);
}
