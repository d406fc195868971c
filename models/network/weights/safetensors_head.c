#include "models/network/net/head.h"
#include "models/network/net/same_letters.h"
#include "models/network/weights/safetensors.h"
#include <string.h>

/* Registers x / sqrt(norm2), which no type holds unless the root is rational. */
static void hold_over_sqrt(f2l_safetensors *file, const f2l_qvec *x, const mpq_t norm2)
{
    if (x->count == 0) return;
    if (!mpz_perfect_square_p(mpq_numref(norm2)) || !mpz_perfect_square_p(mpq_denref(norm2))) {
        memset(file->holds, 0, sizeof file->holds);
        return;
    }
    mpq_t root, quotient;
    mpq_inits(root, quotient, (mpq_ptr)NULL);
    mpz_sqrt(mpq_numref(root), mpq_numref(norm2));
    mpz_sqrt(mpq_denref(root), mpq_denref(norm2));
    for (size_t i = 0; i < x->count; i++) {
        mpq_div(quotient, x->value[i], root);
        f2l_safetensors_hold(file, quotient);
    }
    mpq_clears(root, quotient, (mpq_ptr)NULL);
}

void f2l_safetensors_hold_letters(f2l_safetensors *file, const f2l_head *head, size_t letters)
{
    mpq_t norm2;
    mpq_init(norm2);
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        f2l_safetensors_hold(file, transition->gate);
        f2l_safetensors_hold_vector(file, &transition->bias);
        for (size_t i = 0; i < transition->factors; i++) {
            const f2l_factor *factor = &transition->factor[i];
            f2l_safetensors_hold(file, factor->beta);
            f2l_key_norm2(norm2, head, factor);
            hold_over_sqrt(file, &factor->u, norm2);
            hold_over_sqrt(file, &factor->c, norm2);
        }
    }
    mpq_clear(norm2);
}

/* Puts the entries of v over |u| as one row of a key or value tensor: the dense tensor, the indices
 * or the numbers. */
static void put_vector(f2l_safetensors *file, const f2l_tensor *t, size_t row, const f2l_qvec *v,
                       const mpq_t norm2)
{
    for (size_t i = 0; i < v->count; i++) {
        size_t position = row * t->dim[2] + (file->sparse ? i : v->index[i]);
        if (t->integer)
            f2l_safetensors_put_index(file, t, position, v->index[i]);
        else
            f2l_safetensors_put(file, t, position,
                                f2l_format_round_over_sqrt(file->format, v->value[i], norm2));
    }
}

/* Copies the rows of letter `from` to letter x. */
static void copy_letter_rows(f2l_safetensors *file, const f2l_tensor *t, size_t x, size_t from)
{
    const size_t bytes = t->dim[1] * t->dim[2] * t->element;
    unsigned char *data = file->data + t->begin;
    if (bytes > 0) memcpy(data + x * bytes, data + from * bytes, bytes);
}

static void put_head_factors(f2l_safetensors *file, const f2l_tensor *t, bool key)
{
    const f2l_head *head = t->source;
    f2l_same_letters same = {0};
    mpq_t norm2;
    if (f2l_same_letters_find(&same, head, 1, t->dim[0], NULL) != F2L_OK) {
        file->no_memory = true;
        return;
    }
    mpq_init(norm2);
    if (t->integer) f2l_safetensors_pad(file, t);
    for (size_t x = 0; x < t->dim[0]; x++) {
        const size_t first = same.first[same.of[x]];
        if (first < x) {
            copy_letter_rows(file, t, x, first);
            continue;
        }
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            const f2l_factor *factor = &head->letter[x].factor[i];
            f2l_key_norm2(norm2, head, factor);
            put_vector(file, t, x * t->dim[1] + i, key ? &factor->u : &factor->c, norm2);
        }
    }
    mpq_clear(norm2);
    f2l_same_letters_clear(&same);
}

static void fill_key(f2l_safetensors *file, const f2l_tensor *t)
{
    put_head_factors(file, t, true);
}

static void fill_value(f2l_safetensors *file, const f2l_tensor *t)
{
    put_head_factors(file, t, false);
}

static void fill_beta(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_head *head = t->source;
    for (size_t x = 0; x < t->dim[0]; x++) {
        for (size_t i = 0; i < head->letter[x].factors; i++)
            f2l_safetensors_put(file, t, x * t->dim[1] + i,
                                f2l_format_round_q(file->format, head->letter[x].factor[i].beta));
    }
}

static void fill_gate(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_head *head = t->source;
    for (size_t x = 0; x < t->dim[0]; x++)
        f2l_safetensors_put(file, t, x, f2l_format_round_q(file->format, head->letter[x].gate));
}

static void fill_bias(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_head *head = t->source;
    const size_t numbers = file->sparse ? t->dim[1] : head->n * head->d;
    if (t->integer) f2l_safetensors_pad(file, t);
    for (size_t x = 0; x < t->dim[0]; x++) {
        const f2l_qvec *bias = &head->letter[x].bias;
        for (size_t i = 0; i < bias->count; i++) {
            const size_t position = x * numbers + (file->sparse ? i : bias->index[i]);
            if (t->integer)
                f2l_safetensors_put_index(file, t, position, bias->index[i]);
            else
                f2l_safetensors_put(file, t, position,
                                    f2l_format_round_q(file->format, bias->value[i]));
        }
    }
}

static void add_head_bias(f2l_safetensors *file, const f2l_head *head, size_t letters,
                          size_t biases, const char *prefix)
{
    f2l_tensor bias = {
        .fill = fill_bias, .source = head, .dims = 3, .dim = {letters, head->n, head->d}};
    if (file->sparse) {
        bias.dims = 2;
        bias.dim[1] = biases;
    }
    f2l_safetensors_add(file, bias, file->sparse ? "%s.bias_value" : "%s.bias", prefix);
    if (!file->sparse) return;
    bias.integer = true;
    f2l_safetensors_add(file, bias, "%s.bias_index", prefix);
}

void f2l_safetensors_add_letters(f2l_safetensors *file, const f2l_head *head, size_t letters,
                                 const char *prefix)
{
    const f2l_head_size size = f2l_head_measure(head, letters);
    f2l_tensor beta = {
        .fill = fill_beta, .source = head, .dims = 2, .dim = {letters, size.factors}};
    f2l_tensor gate = {.fill = fill_gate, .source = head, .dims = 1, .dim = {letters}};
    f2l_tensor key = {.fill = fill_key,
                      .source = head,
                      .dims = 3,
                      .dim = {letters, size.factors, file->sparse ? size.keys : head->n}};
    f2l_tensor value = {.fill = fill_value,
                        .source = head,
                        .dims = 3,
                        .dim = {letters, size.factors, file->sparse ? size.values : head->d}};
    f2l_safetensors_add(file, beta, "%s.beta", prefix);
    if (size.gated) f2l_safetensors_add(file, gate, "%s.gate", prefix);
    if (size.biases > 0) add_head_bias(file, head, letters, size.biases, prefix);
    f2l_safetensors_add(file, key, file->sparse ? "%s.key_value" : "%s.key", prefix);
    f2l_safetensors_add(file, value, file->sparse ? "%s.value_value" : "%s.value", prefix);
    if (!file->sparse) return;
    key.integer = value.integer = true;
    f2l_safetensors_add(file, key, "%s.key_index", prefix);
    f2l_safetensors_add(file, value, "%s.value_index", prefix);
}

/* Fills the dense tensor, the indices or the numbers. */
static void fill_initial(f2l_safetensors *file, const f2l_tensor *t)
{
    const f2l_qvec *initial = t->source;
    for (size_t i = 0; i < initial->count; i++) {
        if (t->integer)
            f2l_safetensors_put_index(file, t, i, initial->index[i]);
        else
            f2l_safetensors_put(file, t, t->dims == 1 ? i : initial->index[i],
                                f2l_format_round_q(file->format, initial->value[i]));
    }
}

void f2l_safetensors_add_initial(f2l_safetensors *file, const f2l_qvec *initial, size_t n, size_t d,
                                 const char *prefix)
{
    f2l_safetensors_add(
        file, (f2l_tensor){.fill = fill_initial, .source = initial, .dims = 2, .dim = {n, d}},
        "%s.initial", prefix);
}

void f2l_safetensors_add_initial_entries(f2l_safetensors *file, const f2l_qvec *initial,
                                         const char *prefix)
{
    f2l_tensor tensor = {
        .fill = fill_initial, .source = initial, .dims = 1, .dim = {initial->count}};
    f2l_safetensors_add(file, tensor, "%s.initial_value", prefix);
    tensor.integer = true;
    f2l_safetensors_add(file, tensor, "%s.initial_index", prefix);
}
