/* Weights from safetensors files: a file that is read has tensors that lie in the file, and its
 * eigenvalues can be found; a refused file leaves nothing behind. */
#include "models/network/weights/safetensors_read.h"
#include "theory/obstruct/spectrum/spectra.h"
#include <stdlib.h>

static void must(bool condition)
{
    if (!condition) abort();
}

static size_t bits; /* bits of the longest number */

/* Checks that indices are below the limit, that no number is zero, and that all are dyadic. */
static void look_at(const f2l_qvec *v, size_t limit)
{
    for (size_t i = 0; i < v->count; i++) {
        must(v->index[i] < limit && mpq_sgn(v->value[i]) != 0);
        must(i == 0 || v->index[i - 1] < v->index[i]);
        must(mpz_popcount(mpq_denref(v->value[i])) == 1);
        const size_t mine =
            mpz_sizeinbase(mpq_numref(v->value[i]), 2) + mpz_sizeinbase(mpq_denref(v->value[i]), 2);
        if (mine > bits) bits = mine;
    }
}

static size_t look_at_head(const f2l_head *head, size_t letters)
{
    size_t factors = 0;
    must(head->raw && head->n > 0 && head->d > 0 && head->n <= F2L_MAX_STATE / head->d);
    look_at(&head->initial, head->n * head->d);
    for (size_t x = 0; x < letters; x++) {
        look_at(&head->letter[x].bias, head->n * head->d);
        for (size_t f = 0; f < head->letter[x].factors; f++, factors++) {
            look_at(&head->letter[x].factor[f].u, head->n);
            look_at(&head->letter[x].factor[f].c, head->d);
        }
    }
    return factors;
}

/* Checks that enclosures are intervals, and that multiplicities add up. */
static void find_eigenvalues(const f2l_net *model)
{
    f2l_spectra s;
    f2l_spectra_init(&s);
    f2l_status status = f2l_spectra_find(&s, model, 1, 64, NULL, NULL);
    must(status == F2L_OK || status == F2L_UNKNOWN);
    for (size_t h = 0; h < s.heads; h++)
        for (size_t m = 0; m < s.head[h].matrices; m++) {
            const f2l_spectrum *one = &s.head[h].spectrum[m];
            size_t total = 0;
            for (size_t i = 0; i < one->distinct; i++) {
                must(one->value[i].re_low <= one->value[i].re_high);
                must(one->value[i].im_low <= one->value[i].im_high);
                total += one->value[i].multiplicity;
            }
            must(total == one->n && one->real <= one->distinct && one->negative <= one->real);
        }
    f2l_spectra_clear(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_net model;
    size_t factors = 0, most = 0;
    f2l_net_init(&model);
    bits = 0;
    f2l_error err;
    const f2l_status status = f2l_safetensors_read(&model, (const char *)data, size, &err);
    must(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    must((status == F2L_OK) == (model.layers > 0));
    for (size_t l = 0; l < model.layers; l++)
        for (size_t h = 0; h < model.layer[l].heads; h++) {
            const f2l_head *head = &model.layer[l].head[h];
            factors += look_at_head(head, model.layer[l].letters);
            if (head->n > most) most = head->n;
        }
    if (status == F2L_OK && size <= 1024 && factors <= 8 && most <= 64 && bits <= 64)
        find_eigenvalues(&model);
    f2l_net_clear(&model);
    return 0;
}
