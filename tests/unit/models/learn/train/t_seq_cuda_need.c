/* The device memory that is reported before a run equals the memory that the run then takes; the
 * host's operators replace a device's. */
#include "cuda/step/cuda_need.h"
#include "models/learn/train/seq_cuda_need.h"
#include "tests/support/cuda/host_kernels.h"
#include "tests/support/train/experiment_support.h"
#include "tests/support/train/seq_cuda_support.h"

/* An allocator that counts the bytes held now, and the greatest number ever held. */
static size_t held, most;

typedef union counted {
    size_t bytes;
    max_align_t aligned;
} counted;

static f2l_status count_alloc(void **out, size_t bytes, f2l_error *err)
{
    (void)err;
    counted *c = calloc(1, sizeof *c + bytes);
    cr_assert(c != NULL);
    c->bytes = bytes;
    held += bytes;
    if (held > most) most = held;
    *out = c + 1;
    return F2L_OK;
}
static void count_free(void *memory)
{
    if (memory == NULL) return;
    counted *c = (counted *)memory - 1;
    held -= c->bytes;
    free(c);
}

typedef struct counting {
    f2l_cuda_kernels step;
    f2l_cuda_answer_kernels all;
} counting;

static void counting_init(counting *c)
{
    c->step = f2l_cuda_kernels_host;
    c->step.alloc = count_alloc;
    c->step.free = count_free;
    c->all = f2l_cuda_answer_host;
    c->all.step = &c->step;
    held = most = 0;
}

Test(seq_cuda_need, is_what_a_run_takes)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int evaluated = 0; evaluated < 2; evaluated++) {
            task_case c;
            counting k;
            f2l_seq_cuda t;
            f2l_train_result result;
            f2l_error err = {0};
            f2l_train_options o = options_of(3);
            size_t bytes;
            task_init(&c, kind);
            counting_init(&k);
            c.options.curriculum.start = c.options.curriculum.limit;
            c.options.curriculum.shorter_too = false;
            c.device.kernels = &k.all;
            c.device.type = kind % 2 ? F2L_CUDA_F32 : F2L_CUDA_BF16;
            o.sequences = 30 + 75 * kind; /* also more than run side by side */
            o.lengths = (size_t)evaluated;
            if (!evaluated) o.evaluate_every = 0;
            cr_assert(f2l_seq_cuda_need(&bytes, &c.model, &c.options, evaluated ? o.sequences : 0,
                                        c.device.type, &k.all, &err) == F2L_OK,
                      "%s", err.text);
            cr_assert(held == 0 && most == 0, "memory was taken to find out how much would be");
            build_there(&t, &c);
            f2l_train_result_init(&result);
            cr_assert(f2l_train_run(&result, &t.trainee, &o, NULL, NULL, NULL, &err) == F2L_OK,
                      "%s", err.text);
            cr_assert_eq(bytes, most, "kind %zu: said %zu, taken %zu", kind, bytes, most);
            f2l_train_result_clear(&result);
            f2l_seq_cuda_clear(&t);
            cr_assert_eq(held, 0);
            task_clear(&c);
        }
}

Test(seq_cuda_need, several_devices_take_parts)
{
    task_case c;
    f2l_error err = {0};
    f2l_cuda_model map;
    size_t two, part, answer;
    task_init(&c, 1);
    c.options.devices = 2;
    cr_assert_eq(f2l_cuda_model_init(&map, &c.model, &err), F2L_OK);
    cr_assert_eq(f2l_seq_cuda_need(&two, &c.model, &c.options, 9, F2L_CUDA_BF16,
                                   &f2l_cuda_answer_host, &err),
                 F2L_OK);
    cr_assert_eq(f2l_cuda_step_need(&part, &map.shape, F2L_CUDA_BF16, 7, c.options.curriculum.limit,
                                    &f2l_cuda_kernels_host, &err),
                 F2L_OK);
    cr_assert_eq(f2l_cuda_answer_need(&answer, &map.shape, F2L_CUDA_F32, 9, 1 << 16,
                                      &f2l_cuda_answer_host, &err),
                 F2L_OK);
    const size_t others = two - part - answer, vector = c.model.parameters * sizeof(float);
    cr_assert(two > part + answer && others >= vector && others < vector + 1024);
    f2l_cuda_model_clear(&map);
    task_clear(&c);
}

Test(seq_cuda_need, what_devices_do_not_take_is_refused)
{
    task_case c;
    f2l_error err = {0};
    size_t bytes;
    task_init(&c, 0);
    f2l_seq_trainee_options o = c.options;
    o.batch = SIZE_MAX / 64;
    cr_assert_eq(
        f2l_seq_cuda_need(&bytes, &c.model, &o, 0, F2L_CUDA_F32, &f2l_cuda_answer_host, &err),
        F2L_EDOMAIN);
    cr_assert(strstr(err.text, "too large"), "%s", err.text);
    f2l_seq_clear(&c.model);
    f2l_seq_config config = config_of(0);
    config.key_dim = 2 * F2L_RECURRENT_DIM;
    cr_assert_eq(f2l_seq_init(&c.model, &config, &err), F2L_OK);
    cr_assert_eq(f2l_seq_cuda_need(&bytes, &c.model, &c.options, 0, F2L_CUDA_F32,
                                   &f2l_cuda_answer_host, &err),
                 F2L_EDOMAIN);
    cr_assert(strstr(err.text, "--backend cpu"), "%s", err.text);
    task_clear(&c);
}

#ifdef F2L_MEM_FAILURES
Test(seq_cuda_need, survives_a_machine_without_memory)
{
    task_case c;
    f2l_status status = F2L_ENOMEM;
    size_t bytes, n = 0;
    task_init(&c, 0);
    while (status == F2L_ENOMEM) {
        f2l_error err = {0};
        f2l_mem_fail_after(++n, true);
        status = f2l_seq_cuda_need(&bytes, &c.model, &c.options, 20, F2L_CUDA_F32,
                                   &f2l_cuda_answer_host, &err);
        f2l_mem_fail_after(0, false);
    }
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(n, 5);
    task_clear(&c);
}
#endif

/* The CPU needs no device memory; the need of CUDA is reported only where the backend exists. */
Test(seq_cuda_need, an_experiment_says_both)
{
    experiment_case c;
    f2l_experiment_need need;
    f2l_error err = {0};
    f2l_buf text;
    experiment_open(&c, 2);
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CPU, &err), F2L_OK);
    cr_assert(need.host > 0 && need.device == 0);
    const f2l_status there = f2l_backend_check(F2L_BACKEND_CUDA, &err);
    cr_assert_eq(f2l_experiment_needs(&need, &c.experiment, F2L_BACKEND_CUDA, &err), there);
    cr_assert_eq(there == F2L_OK, need.device > 0);
    need = (f2l_experiment_need){3 << 20, 5 << 19};
    f2l_buf_init(&text);
    f2l_experiment_need_text(&text, &need, 0);
    f2l_buf_text(&text, "; ");
    f2l_experiment_need_text(&text, &need, 2);
    need.device = 0;
    f2l_buf_text(&text, "; ");
    f2l_experiment_need_text(&text, &need, 1);
    cr_assert_str_eq(text.data, "3.0 MiB, and 2.5 MiB on the device; 3.0 MiB, and 2.5 MiB on each "
                                "of 2 devices; 3.0 MiB");
    f2l_buf_clear(&text);
    experiment_close(&c);
}
