#include "theory/obstruct/spectrum/spectra.h"
#include "models/network/net/head_field.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_products_init(f2l_products *p)
{
    *p = (f2l_products){0};
}

void f2l_products_clear(f2l_products *p)
{
    f2l_free(p->negative);
    f2l_free(p->complex);
    f2l_products_init(p);
}

void f2l_spectra_init(f2l_spectra *s)
{
    *s = (f2l_spectra){0};
}

static void spectra_head_clear(f2l_head_spectra *h)
{
    for (size_t i = 0; h->spectrum && i < h->matrices; i++) f2l_spectrum_clear(&h->spectrum[i]);
    for (size_t i = 0; h->products && i < h->lengths; i++) f2l_products_clear(&h->products[i]);
    f2l_free(h->step);
    f2l_free(h->matrix_of);
    f2l_free(h->example);
    f2l_free(h->spectrum);
    f2l_free(h->products);
}

void f2l_spectra_clear(f2l_spectra *s)
{
    for (size_t h = 0; s->head && h < s->heads; h++) spectra_head_clear(&s->head[h]);
    f2l_free(s->head);
    f2l_spectra_init(s);
}

static bool gate_is_zero(const f2l_transition *t)
{
    return mpq_sgn(t->gate) == 0;
}

/* Returns true if gate, betas and keys are the same, or both gates are 0: the matrices are then the
 * same. */
static bool same_matrix(const f2l_transition *a, const f2l_transition *b)
{
    if (gate_is_zero(a) && gate_is_zero(b)) return true;
    bool same = a->factors == b->factors && mpq_equal(a->gate, b->gate);
    for (size_t f = 0; same && f < a->factors; f++)
        same = mpq_equal(a->factor[f].beta, b->factor[f].beta) &&
               f2l_qvec_compare(&a->factor[f].u, &b->factor[f].u) == 0;
    return same;
}

static uint64_t hash_of_letter_step(const f2l_head_spectra *h, size_t letter)
{
    uint64_t hash = F2L_HASH;
    for (size_t s = 0; s < h->slots; s++) {
        const f2l_transition *t = h->step[letter * h->slots + s];
        const size_t factors = gate_is_zero(t) ? 0 : t->factors;
        hash = f2l_hash(hash, factors);
        for (size_t f = 0; f < factors; f++) hash = f2l_hash(hash, f2l_qvec_hash(&t->factor[f].u));
    }
    return hash;
}

static bool same_letter(const f2l_head_spectra *h, size_t a, size_t b)
{
    bool same = true;
    for (size_t s = 0; same && s < h->slots; s++)
        same = same_matrix(h->step[a * h->slots + s], h->step[b * h->slots + s]);
    return same;
}

static f2l_status find_matrices(f2l_head_spectra *h, const f2l_task *task, f2l_error *err)
{
    h->matrix_of = f2l_calloc(h->letters, sizeof *h->matrix_of);
    h->example = f2l_calloc(h->letters, sizeof *h->example);
    uint64_t *hash = f2l_calloc(h->letters, sizeof *hash);
    f2l_status status = h->matrix_of && h->example && hash ? F2L_OK : f2l_fail_memory(err);
    for (size_t a = 0; a < h->letters && status == F2L_OK; a++) {
        const uint64_t mine = hash_of_letter_step(h, a);
        size_t m = 0;
        while (m < h->matrices && !(hash[m] == mine && same_letter(h, h->example[m], a))) m++;
        if (m == h->matrices) {
            hash[h->matrices] = mine;
            h->example[h->matrices++] = a;
        }
        h->matrix_of[a] = m;
        if (a % 256 == 255)
            status = f2l_task_poll(task, "letters", (double)a, (double)h->letters, err);
    }
    f2l_free(hash);
    return status;
}

static bool is_diagonal(const f2l_head_spectra *h)
{
    bool diagonal = f2l_head_is_plain(h->head);
    for (size_t i = 0; diagonal && i < h->letters * h->slots; i++)
        for (size_t f = 0; diagonal && f < h->step[i]->factors; f++)
            diagonal = h->step[i]->factor[f].u.count <= 1;
    return diagonal;
}

static f2l_status find_spectra(f2l_head_spectra *h, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    h->spectrum = f2l_calloc(h->matrices, sizeof *h->spectrum);
    if (!h->spectrum) return f2l_fail_memory(err);
    for (size_t m = 0; m < h->matrices && status == F2L_OK; m++) {
        status = f2l_task_poll(task, "spectra", (double)m, (double)h->matrices, err);
        if (status == F2L_OK)
            status = f2l_spectrum_of_product(
                &h->spectrum[m], h->head, &h->step[h->example[m] * h->slots], h->slots, true, err);
        if (status == F2L_EDOMAIN) status = F2L_OK; /* too many rows: n stays 0 */
    }
    return status;
}

static f2l_status keep_example(size_t **out, const size_t *product, size_t length, f2l_error *err)
{
    if (*out) return F2L_OK;
    *out = f2l_calloc(length, sizeof **out);
    if (!*out) return f2l_fail_memory(err);
    memcpy(*out, product, length * sizeof **out);
    return F2L_OK;
}

static f2l_status look_at_product(f2l_products *out, const f2l_head_spectra *h,
                                  const size_t *product, const f2l_transition **step,
                                  f2l_error *err)
{
    f2l_spectrum s;
    f2l_spectrum_init(&s);
    for (size_t i = 0; i < out->length; i++)
        for (size_t j = 0; j < h->slots; j++)
            step[i * h->slots + j] = h->step[h->example[product[i]] * h->slots + j];
    f2l_status status =
        f2l_spectrum_of_product(&s, h->head, step, out->length * h->slots, false, err);
    if (status != F2L_OK) return status;
    out->products++;
    out->kinds[s.kind]++;
    if (s.kind > out->worst) out->worst = s.kind;
    if (s.kind == F2L_SPECTRUM_REAL) return keep_example(&out->negative, product, out->length, err);
    return s.kind == F2L_SPECTRUM_COMPLEX ? keep_example(&out->complex, product, out->length, err)
                                          : F2L_OK;
}

size_t f2l_products_count(const f2l_head_spectra *h, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        if (!f2l_mul_size(&count, count, h->matrices)) return F2L_NO_INDEX;
    return count;
}

static f2l_status enumerate_products(f2l_products *out, const f2l_head_spectra *h, size_t most,
                                     const f2l_task *task, f2l_error *err)
{
    size_t *product = f2l_calloc(out->length, sizeof *product), i = 0;
    const f2l_transition **step = f2l_calloc(out->length * h->slots, sizeof(void *));
    f2l_status status = product && step ? F2L_OK : f2l_fail_memory(err);
    while (status == F2L_OK && i < out->length && out->products < most) {
        status = look_at_product(out, h, product, step, err);
        if (status == F2L_OK && out->products % 64 == 0)
            status = f2l_task_poll(task, "products", (double)out->products, 0, err);
        for (i = 0; i < out->length && ++product[i] == h->matrices; i++) product[i] = 0;
    }
    out->complete = status == F2L_OK && i == out->length;
    f2l_free(product);
    f2l_free(step);
    return status;
}

static bool letters_are_nonnegative(const f2l_head_spectra *h)
{
    bool all = true;
    for (size_t m = 0; all && m < h->matrices; m++)
        all = h->spectrum[m].n > 0 && h->spectrum[m].kind == F2L_SPECTRUM_NONNEGATIVE;
    return all;
}

f2l_status f2l_products_find(f2l_products *out, const f2l_head_spectra *h, size_t length,
                             size_t most, const f2l_task *task, f2l_error *err)
{
    f2l_products_clear(out);
    out->length = length;
    if (h->letters == 0) return F2L_OK; /* not complete */
    if (h->diagonal && f2l_products_count(h, length) > most) {
        out->complete = out->diagonal = true;
        out->worst = letters_are_nonnegative(h) ? F2L_SPECTRUM_NONNEGATIVE : F2L_SPECTRUM_REAL;
        return F2L_OK;
    }
    f2l_status status = enumerate_products(out, h, most, task, err);
    if (status == F2L_EDOMAIN) { /* a matrix of too many rows */
        out->complete = false;
        status = F2L_OK;
    }
    if (status != F2L_OK) f2l_products_clear(out);
    return status;
}

static f2l_status find_head_spectra(f2l_head_spectra *h, size_t lengths, size_t most,
                                    const f2l_task *task, f2l_error *err)
{
    h->products = f2l_calloc(lengths, sizeof *h->products);
    if (!h->products) return f2l_fail_memory(err);
    h->lengths = lengths;
    f2l_status status = F2L_OK;
    if (h->letters > 0) {
        status = find_matrices(h, task, err);
        if (status == F2L_OK) status = find_spectra(h, task, err);
        h->diagonal = status == F2L_OK && is_diagonal(h);
    }
    for (size_t i = 0; i < lengths && status == F2L_OK; i++)
        status = f2l_products_find(&h->products[i], h, i + 1, most, task, err);
    return status;
}

static f2l_status take_layer_head(f2l_head_spectra *out, const f2l_head *head, size_t letters,
                                  f2l_error *err)
{
    out->head = head;
    out->slots = 1;
    out->letters = letters;
    out->step = f2l_calloc(letters, sizeof(void *));
    if (!out->step) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) out->step[a] = &head->letter[a];
    return F2L_OK;
}

/* Sets first[slot * letters + i] for i < count[slot] to the different transitions of the slots. */
static void find_choices(size_t *first, size_t *count, const f2l_wired_head *w, size_t letters)
{
    for (size_t s = 0; s < w->slots; s++) {
        size_t *mine = &first[s * letters];
        for (size_t v = w->slot_at[s]; v < w->slot_at[s + 1]; v++) {
            size_t i = 0;
            while (i < count[s] && !same_matrix(&w->head.letter[mine[i]], &w->head.letter[v])) i++;
            if (i == count[s]) mine[count[s]++] = v;
        }
    }
}

static f2l_status combine_slots(f2l_head_spectra *out, const f2l_wired_head *w, const size_t *first,
                                const size_t *count, size_t letters, size_t most, f2l_error *err)
{
    size_t total = 1;
    for (size_t s = 0; s < w->slots; s++)
        if (!f2l_mul_size(&total, total, count[s]) || total > most)
            return F2L_OK; /* letters stays 0 */
    out->step = f2l_calloc(total * w->slots, sizeof(void *));
    if (!out->step) return f2l_fail_memory(err);
    out->letters = total;
    for (size_t a = 0; a < total; a++) {
        size_t rest = a;
        for (size_t s = w->slots; s-- > 0; rest /= count[s])
            out->step[a * w->slots + s] = &w->head.letter[first[s * letters + rest % count[s]]];
    }
    return F2L_OK;
}

static f2l_status take_wired_head(f2l_head_spectra *out, const f2l_wired_head *w, size_t most,
                                  f2l_error *err)
{
    const size_t letters = w->slot_at[w->slots];
    size_t room, *first = NULL, *count = f2l_calloc(w->slots, sizeof *count);
    out->head = &w->head;
    out->slots = w->slots;
    if (f2l_mul_size(&room, w->slots, letters)) first = f2l_calloc(room, sizeof *first);
    f2l_status status = first && count ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        find_choices(first, count, w, letters);
        status = combine_slots(out, w, first, count, letters, most, err);
    }
    f2l_free(first);
    f2l_free(count);
    return status;
}

static f2l_status make_spectra_room(f2l_spectra *out, const f2l_net *net, f2l_error *err)
{
    size_t heads = 0;
    for (size_t l = 0; l < net->layers; l++) heads += net->layer[l].heads;
    for (size_t s = 0; s < net->stages; s++) heads += net->block[net->stage[s].block].heads;
    out->head = f2l_calloc(heads, sizeof *out->head);
    return out->head ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status find_layers(f2l_spectra *out, const f2l_net *net, size_t lengths,
                              const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    out->layers = net->layers;
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads && status == F2L_OK; h++) {
            f2l_head_spectra *s = &out->head[out->heads++];
            s->layer = l;
            s->number = h;
            s->reads_letters = l == 0;
            status = take_layer_head(s, &net->layer[l].head[h], net->layer[l].letters, err);
            if (status == F2L_OK) status = find_head_spectra(s, lengths, out->most, task, err);
        }
    return status;
}

static f2l_status find_stages(f2l_spectra *out, const f2l_net *net, size_t lengths,
                              const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t s = 0; s < net->stages && status == F2L_OK; s++) {
        const f2l_wired_block *b = &net->block[net->stage[s].block];
        for (size_t h = 0; h < b->heads && status == F2L_OK; h++) {
            f2l_head_spectra *mine = &out->head[out->heads++];
            mine->layer = out->layers;
            mine->number = h;
            status = take_wired_head(mine, &b->head[h], out->most, err);
            if (status == F2L_OK) status = find_head_spectra(mine, lengths, out->most, task, err);
        }
        out->layers += b->heads > 0;
    }
    return status;
}

f2l_status f2l_spectra_find(f2l_spectra *out, const f2l_net *model, size_t lengths, size_t most,
                            const f2l_task *task, f2l_error *err)
{
    f2l_spectra_clear(out);
    out->model = model;
    out->most = most ? most : F2L_SPECTRA_MOST;
    f2l_status status = make_spectra_room(out, model, err);
    if (status == F2L_OK) status = find_layers(out, model, lengths, task, err);
    if (status == F2L_OK) status = find_stages(out, model, lengths, task, err);
    if (status != F2L_OK) f2l_spectra_clear(out);
    return status;
}
