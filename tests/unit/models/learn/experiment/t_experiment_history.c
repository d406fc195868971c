#include "models/learn/experiment/experiment_history.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define START "{\"event\":\"start\",\"step\":0,\"steps\":4,\"device\":\"a GPU\"}\n"
#define STEP(step, loss) \
    "{\"event\":\"step\",\"step\":" step ",\"loss\":" loss \
    ",\"accuracy\":0.5,\"sequence_accuracy\":0,\"last_accuracy\":0.75,\"length\":9,\"rate\":0.01," \
    "\"gradient\":1,\"tokens\":77,\"timing\":{\"seconds\":1.5,\"tokens_per_second\":3}}\n"
#define LOOK \
    "{\"event\":\"evaluation\",\"step\":2,\"lengths\":[{\"length\":8,\"sequences\":3," \
    "\"sequence_accuracy\":0.5,\"accuracy\":0.75,\"scaled_accuracy\":0.5," \
    "\"constant_accuracy\":0.5," \
    "\"scaled_constant\":0}],\"timing\":{\"seconds\":2.5,\"evaluation\":1}}\n"
#define END \
    "{\"event\":\"completed\",\"step\":4,\"loss\":0.25,\"tokens\":99,\"timing\":{\"seconds\":3}}\n"

static f2l_status parse(f2l_history *h, const char *text, f2l_error *err)
{
    f2l_history_init(h);
    return f2l_history_parse(h, text, strlen(text), err);
}

/* A log with an end, and its beginnings: each has what its whole lines say. */
Test(experiment_history, as_far_as_it_goes)
{
    static const char log[] = START STEP("2", "0.5") LOOK STEP("4", "null") END;
    f2l_error err = {0};
    for (size_t size = 0; size < sizeof log; size++) {
        f2l_history h;
        f2l_history_init(&h);
        cr_assert_eq(f2l_history_parse(&h, log, size, &err), F2L_OK, "%zu: %s", size, err.text);
        const size_t look = sizeof START STEP("2", "0.5") LOOK - 1,
                     last = sizeof START STEP("2", "0.5") LOOK STEP("4", "null") - 1;
        cr_assert_eq(h.looks, size >= look);
        cr_assert_eq(h.points, (size >= sizeof START STEP("2", "0.5") - 1) + (size >= last));
        cr_assert_eq(h.end, size + 1 < sizeof log ? F2L_TRAIN_GOES_ON : F2L_TRAIN_COMPLETED);
        cr_assert_str_eq(h.device, size < sizeof START - 1 ? "" : "a GPU");
        if (size + 1 == sizeof log) {
            cr_assert(h.step == 4 && h.tokens == 99 && h.loss == 0.25 && h.seconds == 3);
            cr_assert(h.point[0].step == 2 && h.point[0].loss == 0.5 && h.point[0].length == 9);
            cr_assert(h.point[0].last_accuracy == 0.75 && h.point[0].rate == 0.01);
            cr_assert(isnan(h.point[1].loss));
            cr_assert(h.look[0].step == 2 && h.look[0].scores == 1);
            cr_assert(h.look[0].score[0].accuracy == 0.75 && h.look[0].score[0].length == 8);
        } else if (size >= last) {
            cr_assert(h.step == 4 && h.tokens == 77 && isnan(h.loss) && h.seconds == 1.5);
        }
        f2l_history_clear(&h);
    }
}

Test(experiment_history, refused)
{
    static const char *const bad[] = {
        "\n",
        "17\n",
        "{\"event\":\"step\"}\n",
        "{\"event\":\"step\",\"step\":1}\n",
        "{\"event\":\"evaluation\",\"step\":1,\"lengths\":[]}\n",
        "{\"event\":\"evaluation\",\"step\":1,\"lengths\":[{\"length\":8}]}\n",
        "{\"event\":\"completed\",\"step\":1}\n",
        "{\"event\":\"completed\",\"step\":-1,\"loss\":1,\"tokens\":1}\n",
        "{\"step\":1}\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f2l_history h;
        f2l_error err = {0};
        f2l_buf text;
        f2l_buf_init(&text);
        f2l_buf_printf(&text, "%s%s%s", START, LOOK, bad[i]);
        cr_assert_eq(parse(&h, text.data, &err), F2L_EFORMAT, "%s", bad[i]);
        cr_assert_eq(err.line, 3, "%s", bad[i]);
        cr_assert(h.looks == 0 && h.look == NULL);
        f2l_buf_clear(&text);
    }
    f2l_history h;
    f2l_error err = {0};
    f2l_history_init(&h);
    cr_assert_eq(f2l_history_read(&h, "/nowhere", &err), F2L_EIO);
}

#ifdef F2L_MEM_FAILURES
Test(experiment_history, out_of_memory)
{
    bool complete = false;
    for (size_t n = 1; !complete; n++) {
        f2l_history h;
        f2l_mem_fail_after(n, false);
        const f2l_status status = parse(&h, START STEP("2", "0.5") LOOK END, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %d", n, status);
        cr_assert(status == F2L_OK || h.point == NULL);
        complete = status == F2L_OK;
        f2l_history_clear(&h);
    }
}
#endif
