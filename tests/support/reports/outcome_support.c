#include "tests/support/reports/outcome_support.h"
#include "numeric/base/sha256.h"

void history_make(f2l_history *h, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c)
{
    const f2l_train_score score[3] = {{8, 10, a, 100, 10 * a, 60, 0.5, {0}, {0}},
                                      {40, 10, b, 100, 10 * b, 60, 0.5, {0}, {0}},
                                      {256, 10, c, 100, 10 * c, 60, 0.5, {0}, {0}}};
    f2l_train_accuracies seen[3];
    for (size_t i = 0; i < 3; i++) seen[i] = f2l_train_accuracies_of(&score[i]);
    f2l_history_init(h);
    h->end = end;
    h->step = 100;
    h->tokens = 12345;
    h->seconds = 3.5;
    h->loss = end == F2L_TRAIN_DIVERGED ? (double)NAN : 0.125;
    for (size_t i = 1; i <= 250; i++) {
        const f2l_history_point point = {i, 1.0 / (double)i, 1e-3, i < 100 ? 0.5 : 1, 8 + i};
        cr_assert_eq(f2l_history_add_point(h, &point, NULL), F2L_OK);
    }
    cr_assert_eq(f2l_history_add_look(h, 50, seen, 3, NULL), F2L_OK);
    cr_assert_eq(f2l_history_add_look(h, 100, seen, 3, NULL), F2L_OK);
}

void add(f2l_outcome *w, uint32_t seed, f2l_train_end end, uint64_t a, uint64_t b, uint64_t c)
{
    f2l_history history;
    f2l_error err = {0};
    history_make(&history, end, a, b, c);
    cr_assert_eq(f2l_outcome_add(w, seed, &history, 0.5, false, &err), F2L_OK, "%s", err.text);
    f2l_history_clear(&history);
}

void outcome_make(f2l_outcome *w, const char *preset, const char *model, f2l_preset_setting setting)
{
    f2l_outcome_init(w);
    w->preset = f2l_preset_find(preset);
    w->model = f2l_preset_model_find(w->preset, model);
    w->setting = setting;
    w->scale = 0.1;
    w->rate = 1e-3;
    w->full_steps = 1000;
    w->steps = 100;
    w->batch = 64;
    strcpy(w->backend, "cpu");
    strcpy(w->device, "a \"machine\"");
    strcpy(w->version, "0");
    strcpy(w->commit, "c0ffee");
    strcpy(w->date, "2026-01-01");
}

void drop_recipe(f2l_outcome *w)
{
    json_decref(w->config);
    w->config = NULL;
    w->recipe[0] = '\0';
}

void take_config(f2l_outcome *w, const f2l_buf *text)
{
    drop_recipe(w);
    w->config = json_loadb(text->data, text->size, 0, NULL);
    cr_assert_not_null(w->config);
    f2l_sha256_hex(text->data, text->size, w->recipe);
}

void take_recipe(f2l_outcome *w, size_t more)
{
    const f2l_preset_choice choice = {
        .setting = w->setting, .model = w->model, .scale = 1, .seed = 7};
    f2l_preset_run run;
    f2l_buf text;
    f2l_preset_run_init(&run);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_preset_build(&run, w->preset, &choice, NULL), F2L_OK);
    run.experiment.batch += more;
    cr_assert_eq(f2l_preset_recipe_write(&text, &run, NULL), F2L_OK);
    take_config(w, &text);
    f2l_buf_clear(&text);
    f2l_preset_run_clear(&run);
}

void sample(f2l_outcome *w)
{
    outcome_make(w, "parity", "delta-signed", F2L_PRESET_PAPER);
    add(w, 4, F2L_TRAIN_COMPLETED, 10, 9, 8);
    add(w, 5, F2L_TRAIN_DIVERGED, 0, 0, 0);
    add(w, 6, F2L_TRAIN_REACHED, 10, 7, 5);
    add(w, 7, F2L_TRAIN_COMPLETED, 10, 8, 9);
    f2l_sha256_hex("weights", 7, w->seed[2].weights);
    w->seed[2].failing = (f2l_outcome_failing){
        .searched = true, .wrong_letters = 2, .word = "1 0", .letters_read = 90};
}

void outcome_text_of(f2l_buf *out, const f2l_outcome *w)
{
    f2l_error err = {0};
    f2l_buf_init(out);
    cr_assert_eq(f2l_outcome_write(out, w, &err), F2L_OK, "%s", err.text);
}

void reproduce_text_of(f2l_buf *out, const f2l_reproduce_report *report)
{
    f2l_error err = {0};
    f2l_buf_init(out);
    cr_assert_eq(f2l_report_as_text(out, &f2l_reproduce_report_kind, report, &err), F2L_OK, "%s",
                 err.text);
}

void reproduce_json_of(f2l_buf *out, const f2l_reproduce_report *report)
{
    f2l_error err = {0};
    f2l_buf_init(out);
    cr_assert_eq(f2l_report_as_json(out, &f2l_reproduce_report_kind, report, &err), F2L_OK, "%s",
                 err.text);
}

void append(f2l_outcomes *list, const f2l_outcome *w)
{
    f2l_buf text;
    f2l_error err = {0};
    outcome_text_of(&text, w);
    cr_assert_eq(f2l_outcomes_parse(list, text.data, text.size, &err), F2L_OK, "%s", err.text);
    f2l_buf_clear(&text);
}

void contains(const f2l_buf *text, const char *what, bool wanted)
{
    f2l_buf flat;
    f2l_buf_init(&flat);
    for (size_t i = 0; i < text->size; i++) {
        const bool blank = strchr(" \n", text->data[i]) != NULL;
        if (!blank)
            f2l_buf_bytes(&flat, &text->data[i], 1);
        else if (flat.size > 0 && flat.data[flat.size - 1] != ' ')
            f2l_buf_text(&flat, " ");
    }
    cr_assert_eq(flat.size > 0 && strstr(flat.data, what) != NULL, wanted, "%s: %s", what,
                 text->data);
    f2l_buf_clear(&flat);
}
