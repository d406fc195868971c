/* check_scan [SEED]: the diagonal scan on the device against its replay on the CPU, bit for bit,
 * and against the reference in double precision. Prints one line per shape and type; exit status 1
 * when anything failed. */
#include "cuda/check/check_recurrent_device.h"
#include "cuda/lab/cuda_scan.h"
#include "tests/support/models/scan_support.h"
#include <time.h>

static const char *const name[SCAN_OUTPUTS] = {"h", "da", "db", "dh0"};

typedef struct arrays {
    device_array in[SCAN_INPUTS], out[SCAN_OUTPUTS], state, work;
} arrays;

static void arrays_init(arrays *d, const scan_sample *s, size_t shift, int poison, void *stream)
{
    const size_t number = s->bf16 ? 2 : 4;
    for (int i = 0; i < SCAN_INPUTS; i++)
        d->in[i] = device_of(s->number[i],
                             i != SCAN_H0 ? s->n * number
                             : s->started ? s->shape.width * 4
                                          : 0,
                             i != SCAN_H0 ? shift : 0, stream);
    for (int i = 0; i < SCAN_OUTPUTS; i++)
        d->out[i] = device_filled(scan_bytes(s, i), i == SCAN_DH0 ? 0 : poison,
                                  i != SCAN_DH0 ? shift : 0, stream);
    d->state = device_filled(s->shape.batch * s->shape.width * 4, 0, 0, stream);
    d->work = device_filled(f2l_cuda_scan_work(&s->shape), poison, 0, stream);
}

static bool arrays_clear(arrays *d, void *stream)
{
    bool whole = device_read(NULL, &d->state, stream) && device_read(NULL, &d->work, stream);
    for (int i = 0; i < SCAN_INPUTS; i++)
        whole &= device_read(NULL, &d->in[i], stream), device_clear(&d->in[i]);
    for (int i = 0; i < SCAN_OUTPUTS; i++)
        whole &= device_read(NULL, &d->out[i], stream), device_clear(&d->out[i]);
    device_clear(&d->state), device_clear(&d->work);
    return whole;
}

/* Compares device and replay. `overlap`: h in the array of b, db in the array of dh. */
static bool same(const scan_sample *s, const scan_results *want, size_t shift, bool overlap,
                 void *stream)
{
    arrays d;
    f2l_error err = {0};
    bool good = true;
    const f2l_cuda_type type = s->bf16 ? F2L_CUDA_BF16 : F2L_CUDA_F32;
    arrays_init(&d, s, shift, overlap ? 0 : 0xff, stream);
    const float *h0 = s->started ? (const float *)d.in[SCAN_H0].data : NULL;
    const device_array *h = overlap ? &d.in[SCAN_B] : &d.out[SCAN_H],
                       *db = overlap ? &d.in[SCAN_DH] : &d.out[SCAN_DB];
    demand(f2l_cuda_scan_forward(h->data, NULL, d.in[SCAN_A].data, d.in[SCAN_B].data, h0,
                                 d.work.data, type, &s->shape, stream, &err),
           &err);
    demand(f2l_cuda_scan_backward(overlap ? NULL : d.out[SCAN_DA].data, db->data,
                                  overlap ? NULL : (float *)d.out[SCAN_DH0].data,
                                  d.in[SCAN_DH].data, h->data, d.in[SCAN_A].data, h0, d.work.data,
                                  type, &s->shape, stream, &err),
           &err);
    const device_array *result[] = {h, &d.out[SCAN_DA], db, &d.out[SCAN_DH0]};
    for (int i = 0; i < SCAN_OUTPUTS; i++) {
        if (overlap && (i == SCAN_DA || i == SCAN_DH0)) continue;
        void *got = malloc(result[i]->bytes + 1);
        good &= device_read(got, result[i], stream);
        if (result[i]->bytes && memcmp(got, want->number[i], result[i]->bytes) != 0) {
            good = false;
            printf("FAIL %s differs from the replay\n", name[i]);
        }
        free(got);
    }
    return arrays_clear(&d, stream) && good;
}

/* Checks a run from a state, which is 0 or h0 at first: h must be the same, and the state must be
 * the last h before its rounding. */
static bool carried(const scan_sample *s, void *stream)
{
    arrays d;
    f2l_error err = {0};
    const size_t channels = s->shape.batch * s->shape.width;
    const f2l_cuda_type type = s->bf16 ? F2L_CUDA_BF16 : F2L_CUDA_F32;
    float *state = calloc(channels + 1, sizeof *state), *got = calloc(channels + 1, sizeof *got);
    void *h = malloc(scan_bytes(s, SCAN_H) + 1), *there = malloc(scan_bytes(s, SCAN_H) + 1);
    for (size_t i = 0; s->started && i < channels; i++)
        state[i] = ((const float *)s->number[SCAN_H0])[i % s->shape.width];
    arrays_init(&d, s, 0, 0xff, stream);
    demand(f2l_cuda_to_device(d.state.data, state, channels * 4, stream, &err), &err);
    demand(f2l_replay_scan_forward(h, state, s->number[SCAN_A], s->number[SCAN_B], NULL, s->bf16,
                                   &s->shape, &err),
           &err);
    demand(f2l_cuda_scan_forward(d.out[SCAN_H].data, (float *)d.state.data, d.in[SCAN_A].data,
                                 d.in[SCAN_B].data, NULL, d.work.data, type, &s->shape, stream,
                                 &err),
           &err);
    bool good = device_read(got, &d.state, stream) && device_read(there, &d.out[SCAN_H], stream);
    good &= memcmp(got, state, channels * 4) == 0 && memcmp(there, h, scan_bytes(s, SCAN_H)) == 0;
    if (!good) printf("FAIL a scan from a state differs from the replay\n");
    free(state), free(got), free(h), free(there);
    return arrays_clear(&d, stream) && good;
}

static bool check_shape(f2l_scan_shape shape, bool bf16, bool started, uint64_t seed, void *stream)
{
    scan_sample s;
    scan_results want;
    f2l_error err = {0};
    scan_sample_init(&s, shape, bf16, started, seed);
    demand(scan_both(&want, &s, &err), &err);
    bool good = same(&s, &want, 0, false, stream);
    good &= same(&s, &want, bf16 ? 2 : 4, false, stream);
    good &= same(&s, &want, 0, true, stream);
    if (s.n) good &= carried(&s, stream);
    for (int i = 0; i < SCAN_OUTPUTS; i++) good &= scan_error(&want, &s, i) <= scan_allowed(&s, i);
    printf("%s scan B%zu T%zu D%zu %s%s %zu "
           "chunks;",
           good ? "ok" : "FAIL", shape.batch, shape.tokens, shape.width, bf16 ? "bf16" : "fp32",
           started ? " h0" : "", f2l_scan_chunks(&shape));
    for (int i = 0; i < SCAN_OUTPUTS; i++) printf(" %s %.1e", name[i], scan_error(&want, &s, i));
    printf("\n");
    scan_results_clear(&want), scan_sample_clear(&s);
    return good;
}

int main(int argc, char **argv)
{
    static const f2l_scan_shape list[] = {
        {1, 1, 1},   {2, 7, 3}, {3, 64, 5}, {2, 65, 4},   {2, 300, 3},    {40, 9, 2},
        {1, 513, 8}, {2, 0, 3}, {0, 5, 3},  {1, 5000, 1}, {3, 1000, 132}, {70, 130, 2048}};
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_error err = {0};
    f2l_cuda_device device;
    void *stream;
    bool good = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    demand(f2l_cuda_device_get(&device, &err), &err);
    demand(f2l_cuda_stream_new(&stream, &err), &err);
    printf("check_scan on %s, seed %llu; errors against "
           "double\n",
           device.name, (unsigned long long)seed);
    for (size_t i = 0; i < 4 * sizeof list / sizeof *list; i++)
        good &= check_shape(list[i / 4], i & 1, i & 2, seed + i, stream);
    printf("%s scan\n", good ? "ok" : "FAIL");
    f2l_cuda_stream_free(stream);
    return good ? 0 : 1;
}
