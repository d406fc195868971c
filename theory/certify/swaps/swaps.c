/* The form SW.1: points, and the moves of letters. */
#include "theory/certify/swaps/swaps.h"
#include "numeric/base/mem.h"
#include "theory/certify/swaps/impl.h"
#include <string.h>

/* Networks below this product of codes and factors of all letters are closed by applying factors:
 * about 2,000 states with two letters, where that takes 40 ms and lrnn-check takes 2 s. */
#define FEW_STEPS ((uint64_t)1 << 23)

void f2l_swaps_clear(f2l_swaps *swaps)
{
    f2l_free(swaps->copy);
    f2l_free(swaps->image);
    *swaps = (f2l_swaps){0};
}

bool f2l_swaps_pays(const f2l_net *net)
{
    if (net->layers != 1 || net->layer[0].heads != 1) return false;
    const f2l_layer *layer = &net->layer[0];
    const uint64_t factors = f2l_head_weigh(&layer->head[0], layer->letters, 0, 1, 0);
    return f2l_steps_of(layer->codes, factors) > FEW_STEPS;
}

/* Returns whether the numbers are x and -x. */
static bool is_negative_of(const mpq_t a, const mpq_t b)
{
    return mpq_sgn(a) == -mpq_sgn(b) && mpz_cmpabs(mpq_numref(a), mpq_numref(b)) == 0 &&
           mpz_cmp(mpq_denref(a), mpq_denref(b)) == 0;
}

/* The rows of one of the points of a factor, as they come. */
typedef struct circle {
    size_t rows;
    uint32_t first, last;
} circle;

/* Makes `to` the next row after `from`; returns false where another row is. */
static bool link_rows(f2l_swaps *s, uint32_t from, uint32_t to)
{
    if (s->copy[from] == F2L_SWAPS_UNSET) s->copy[from] = to;
    return s->copy[from] == to;
}

static bool add_circle_row(f2l_swaps *s, circle *of, uint32_t row)
{
    const bool right = of->rows == 0 || link_rows(s, of->last, row);
    if (of->rows++ == 0) of->first = row;
    of->last = row;
    return right;
}

/* Makes the circles of both points of the factor, or finds them as they are. Returns why the factor
 * is no exchange; NULL: it is one. */
static const char *find_points(f2l_swaps *s, const f2l_factor *factor)
{
    const f2l_qvec *u = &factor->u;
    circle plus = {0}, minus = {0};
    bool right = true;
    if (mpq_cmp_ui(factor->beta, 2, 1) != 0) return "beta is not 2";
    if (factor->c.count > 0) return "something is written";
    for (size_t i = 0; i < u->count; i++) {
        const bool same = mpq_equal(u->value[i], u->value[0]) != 0;
        if (!same && !is_negative_of(u->value[i], u->value[0]))
            return "the key has numbers of different size";
        right = add_circle_row(s, same ? &plus : &minus, u->index[i]) && right;
    }
    if (plus.rows != minus.rows) return "the points of the key have different numbers of copies";
    right = right && link_rows(s, plus.last, plus.first) && link_rows(s, minus.last, minus.first);
    return right ? NULL : "a point has other rows in another factor";
}

/* Finds the points of one letter. */
static f2l_status find_letter_points(f2l_swaps *s, size_t letter, f2l_error *err)
{
    const f2l_transition *by = &s->layer->head[0].letter[letter];
    if (mpq_cmp_ui(by->gate, 1, 1) != 0 || by->bias.count > 0)
        return f2l_fail(err, F2L_UNKNOWN, "letter %zu has a gate or a bias", letter + 1);
    for (size_t i = 0; i < by->factors; i++) {
        const char *fault = find_points(s, &by->factor[i]);
        if (fault)
            return f2l_fail(err, F2L_UNKNOWN,
                            "factor %zu of letter %zu exchanges no two points: %s", i + 1,
                            letter + 1, fault);
    }
    return F2L_OK;
}

/* Returns whether the numbers of each point are equal in all of its rows. */
static bool copies_of_points_agree(const f2l_swaps *s, const f2l_qvec *state)
{
    for (size_t i = 0; i < state->count; i++) {
        const size_t d = s->d, row = state->index[i] / d, column = state->index[i] % d;
        if (s->copy[row] == row) continue;
        const size_t other = s->copy[row] * d + column;
        size_t low = 0, high = state->count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (state->index[middle] < other)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == state->count || state->index[low] != other ||
            !mpq_equal(state->value[low], state->value[i]))
            return false;
    }
    return true;
}

static f2l_status check_code_copies(const f2l_swaps *s, f2l_error *err)
{
    if (!copies_of_points_agree(s, &s->layer->head[0].initial))
        return f2l_fail(err, F2L_UNKNOWN, "the copies of a point differ in the initial state");
    for (size_t c = 0; c < s->layer->codes; c++)
        if (!copies_of_points_agree(s, &s->layer->code[c]))
            return f2l_fail(err, F2L_UNKNOWN, "the copies of a point differ in code %zu", c + 1);
    return F2L_OK;
}

/* Returns the steps of a walk through the keys of a letter. */
static uint64_t steps_of_letter_keys(const f2l_swaps *s, size_t letter)
{
    const f2l_head one = {.letter = &s->layer->head[0].letter[letter]};
    return f2l_head_weigh(&one, 1, 20, 4, 1);
}

static f2l_status find_swapped_points(f2l_swaps *s, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "finding points"};
    const size_t letters = s->layer->letters;
    f2l_status status = f2l_task_table(task, meter.phase, s->n * sizeof *s->copy, err);
    if (status != F2L_OK) return status;
    s->copy = f2l_calloc(s->n, sizeof *s->copy);
    if (!s->copy) return f2l_fail_memory(err);
    memset(s->copy, 0xFF, s->n * sizeof *s->copy);
    for (size_t a = 0; a < letters && status == F2L_OK; a++) {
        status =
            f2l_meter_spend(&meter, steps_of_letter_keys(s, a), (double)a, (double)letters, err);
        if (status == F2L_OK) status = find_letter_points(s, a, err);
    }
    /* A row that no factor has is a point. */
    for (size_t r = 0; r < s->n; r++)
        if (s->copy[r] == F2L_SWAPS_UNSET) s->copy[r] = (uint32_t)r;
    if (status == F2L_OK)
        status = f2l_meter_spend(&meter, f2l_codes_weigh(s->layer, 2, 2), 0, 0, err);
    return status == F2L_OK ? check_code_copies(s, err) : status;
}

f2l_status f2l_swaps_find(f2l_swaps *s, const f2l_net *net, const f2l_task *task, f2l_error *err)
{
    if (net->layers != 1 || net->layer[0].heads != 1)
        return f2l_fail(err, F2L_UNKNOWN, "the network has not one layer with one head");
    const f2l_layer *layer = &net->layer[0];
    const f2l_head *head = &layer->head[0];
    if (head->field || head->form.count > 0 || head->raw || head->unit || layer->low)
        return f2l_fail(err, F2L_UNKNOWN, "the head is raw or not over Q, or the layer has boxes");
    *s = (f2l_swaps){.layer = layer, .n = head->n, .d = head->d};
    return find_swapped_points(s, task, err);
}

/* Exchanges what came from the rows of the two points of an exchange. */
static void exchange_sources(uint32_t *from, const f2l_qvec *u)
{
    size_t minus = 0;
    for (size_t plus = 0; plus < u->count; plus++) {
        if (!mpq_equal(u->value[plus], u->value[0])) continue;
        while (mpq_equal(u->value[minus], u->value[0])) minus++;
        const uint32_t kept = from[u->index[plus]];
        from[u->index[plus]] = from[u->index[minus]];
        from[u->index[minus++]] = kept;
    }
}

/* Composes the exchanges of a letter; `from` is scratch. */
static void compose_exchanges(f2l_swaps *s, uint32_t *from, size_t letter)
{
    const f2l_transition *by = &s->layer->head[0].letter[letter];
    for (size_t r = 0; r < s->n; r++) from[r] = (uint32_t)r;
    for (size_t i = 0; i < by->factors; i++) exchange_sources(from, &by->factor[i].u);
    for (size_t r = 0; r < s->n; r++) s->image[letter * s->n + from[r]] = (uint32_t)r;
}

f2l_status f2l_swaps_compose(f2l_swaps *s, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "composing exchanges"};
    const size_t letters = s->layer->letters;
    size_t entries, bytes;
    if (!f2l_mul_size(&entries, s->n, letters + 1) ||
        !f2l_mul_size(&bytes, entries, sizeof *s->image))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_table(task, meter.phase, bytes, err);
    if (status != F2L_OK) return status;
    uint32_t *from = f2l_calloc(s->n, sizeof *from);
    s->image = f2l_calloc(letters, s->n * sizeof *s->image);
    if (!from || !s->image) status = f2l_fail_memory(err);
    for (size_t a = 0; a < letters && status == F2L_OK; a++) {
        status = f2l_meter_spend(&meter, s->n + steps_of_letter_keys(s, a), (double)a,
                                 (double)letters, err);
        if (status == F2L_OK) compose_exchanges(s, from, a);
    }
    f2l_free(from);
    return status;
}
