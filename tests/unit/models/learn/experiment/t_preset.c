#include "models/learn/experiment/preset.h"
#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static f2l_preset_choice choice_of(const f2l_preset *preset, f2l_preset_setting setting,
                                   const char *model, double scale)
{
    return (f2l_preset_choice){.setting = setting,
                               .model = f2l_preset_model_find(preset, model),
                               .scale = scale,
                               .seed = 1};
}

static void build(f2l_preset_run *run, const char *name, f2l_preset_setting setting,
                  const char *model, double scale)
{
    f2l_error err = {0};
    const f2l_preset *preset = f2l_preset_find(name);
    cr_assert(preset != NULL && f2l_preset_model_find(preset, model) != NULL, "%s %s", name, model);
    const f2l_preset_choice choice = choice_of(preset, setting, model, scale);
    f2l_preset_run_init(run);
    cr_assert_eq(f2l_preset_build(run, preset, &choice, &err), F2L_OK, "%s: %s", name, err.text);
}

/* Everything in the tables can be run, in a memory that does not depend on the batch, and has a
 * small checkpoint. */
Test(preset, all_of_them)
{
    size_t count = 0;
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            const f2l_preset_model *m;
            if (f2l_preset_check(p, setting, NULL) != F2L_OK || p->kind == F2L_DATA_WORDS) continue;
            cr_assert(f2l_preset_model_at(p, setting, 0) != NULL && p->source[0] && p->text[0]);
            for (size_t i = 0; (m = f2l_preset_model_at(p, setting, i)) != NULL; i++, count++) {
                f2l_preset_run run;
                f2l_error err = {0};
                f2l_experiment_need need;
                f2l_seq shape;
                build(&run, p->name, setting, m->name, 1);
                const f2l_experiment *e = &run.experiment;
                cr_assert_eq(f2l_experiment_check(e, &err), F2L_OK, "%s %s %s: %s", p->name,
                             f2l_preset_setting_name((size_t)s), m->name, err.text);
                cr_assert_eq(f2l_experiment_needs(&need, e, F2L_BACKEND_CPU, &err), F2L_OK, "%s",
                             err.text);
                cr_assert_lt(need.host, (size_t)1 << 30, "%s %s: %zu bytes", p->name, m->name,
                             need.host);
                cr_assert_eq(f2l_seq_init(&shape, &e->model, &err), F2L_OK, "%s", err.text);
                /* a checkpoint (models/learn/train/train_checkpoint.h) is under 16 MiB; models that
                 * are not of the recipe's paper have 12 MiB a layer: those with another number of
                 * layers, with a forget gate, and further mixers */
                const bool own = m->layers == 0 && !m->forget_gate &&
                                 (m->mixer == &f2l_mixer_delta || m->mixer == &f2l_mixer_diagonal);
                const size_t most = own ? 16 : 12 * e->model.layers;
                cr_assert(95 * shape.parameters / 8 + 1024 < most << 20, "%s %s: %zu parameters",
                          p->name, m->name, shape.parameters);
                cr_assert(e->train.steps == run.full_steps && e->train.lengths >= 2 &&
                          e->train.sequences > 0);
                cr_assert(m->mixer == e->model.mixer && m->negative == e->model.negative &&
                          m->householders == e->model.householders &&
                          m->forget_gate == e->model.forget_gate &&
                          (m->layers == 0 || m->layers == e->model.layers));
                f2l_seq_clear(&shape);
                f2l_preset_run_clear(&run);
                f2l_preset_run_clear(&run);
            }
        }
    cr_log_info("%zu experiments", count);
    cr_assert_geq(count, 60);
}

/* A preset of words needs some, and takes their lengths, letters and labels. */
Test(preset, of_words)
{
    const f2l_preset *preset = f2l_preset_find("mlregtest");
    f2l_preset_run run;
    f2l_word_list words;
    f2l_error err = {0};
    f2l_preset_choice choice = choice_of(preset, F2L_PRESET_BEST, "nh2", 0.01);
    f2l_preset_run_init(&run);
    cr_assert_eq(f2l_preset_build(&run, preset, &choice, &err), F2L_EDOMAIN);
    cr_assert_str_eq(err.text, "mlregtest has no words of its own");
    f2l_word_list_init(&words);
    for (size_t i = 0; i < 20; i++) {
        size_t index;
        for (size_t at = 0; at < 20 + i % 10; at++) {
            const char letter = (char)('a' + (at + i) % 3);
            cr_assert_eq(f2l_word_list_number_letter(&index, &words, &letter, 1, NULL), F2L_OK);
            cr_assert_eq(f2l_word_list_letter(&words, index, NULL), F2L_OK);
        }
        cr_assert_eq(
            f2l_word_list_number_label(&index, &words, i % 2 ? "yes" : "no", i % 2 ? 3 : 2, NULL),
            F2L_OK);
        cr_assert_eq(f2l_word_list_label(&words, 19 + i % 10, index, NULL), F2L_OK);
        cr_assert_eq(f2l_word_list_end(&words, NULL), F2L_OK);
    }
    cr_assert_eq(f2l_word_list_finish(&words, NULL), F2L_OK);
    choice.words = choice.test = &words;
    cr_assert_eq(f2l_preset_build(&run, preset, &choice, &err), F2L_OK, "%s", err.text);
    const f2l_seq_config *c = &run.experiment.model;
    cr_assert(c->letters == 3 && c->labels == 2 && c->width == 64 && c->mlp == 256 &&
              c->householders == 2 && c->layers == 2 && c->additive);
    cr_assert(run.experiment.train.lengths == 1 && run.experiment.train.length[0] == 29);
    cr_assert(run.experiment.train.steps == 15 && run.full_steps == 1500);
    cr_assert(!f2l_preset_is_scaled(preset) && f2l_preset_is_scaled(f2l_preset_find("parity")));
    f2l_preset_run_clear(&run);
    f2l_word_list_clear(&words);
}

/* The figures of the papers, written down a second time, agree. */
Test(preset, figures)
{
    f2l_preset_run run;
    const f2l_experiment *e = &run.experiment;
    build(&run, "parity", F2L_PRESET_PAPER, "delta-signed", 1);
    cr_assert(e->train.steps == 100000 && e->batch == 1024 && e->model.layers == 2 &&
              e->model.width == 128);
    cr_assert(e->model.heads == 4 && e->model.key_dim == 128 && e->model.convolution == 4 &&
              e->model.additive);
    cr_assert(!e->model.learned_start && e->model.silu_keys && e->model.slope == 1);
    cr_assert(e->train.weight_decay == 0.1 && e->train.warmup == 10000 &&
              e->train.last_rate == 1e-6);
    cr_assert(e->train.decay == F2L_TRAIN_COSINE && e->train.clip == 0 && e->train.beta2 == 0.999);
    cr_assert(e->data.when == F2L_DATA_LAST && e->curriculum.limit == 40 &&
              e->curriculum.start == 40 && e->curriculum.shorter_too);
    cr_assert(e->train.length[0] == 40 && e->train.length[e->train.lengths - 1] == 256);
    f2l_preset_run_clear(&run);
    build(&run, "parity", F2L_PRESET_RELEASED, "diagonal-positive", 1);
    cr_assert(e->train.steps == 20000 && e->batch == 256 && e->train.decay == F2L_TRAIN_COSINE &&
              e->train.warmup == 2000 && e->train.weight_decay == 0 && e->train.last_rate == 1e-6);
    cr_assert(e->model.mlp == 0 && e->model.channels == 256 && !e->model.negative);
    f2l_preset_run_clear(&run);
    build(&run, "modarith", F2L_PRESET_PAPER, "delta-signed", 1);
    cr_assert(e->model.layers == 3 && e->train.clip == 1 && e->data.times && e->data.modulus == 5);
    f2l_preset_run_clear(&run);
    build(&run, "modarith-brackets", F2L_PRESET_RELEASED, "delta-signed", 1);
    cr_assert(e->model.layers == 2 && !e->data.times && e->data.equals &&
              e->data.kind == F2L_DATA_BRACKETS && e->model.key_dim == 32 && e->train.clip == 0);
    f2l_preset_run_clear(&run);
    build(&run, "s5", F2L_PRESET_PAPER, "nh4", 1);
    cr_assert(e->model.householders == 4 && e->model.layers == 1 && e->model.convolution == 0);
    cr_assert(e->model.key_dim == 32 && e->model.width == 128 && e->model.heads == 12 &&
              e->curriculum.start == 128 && e->curriculum.limit == 128 && e->data.begin &&
              e->model.initializer_range == .006);
    /* 100 epochs of 99 in a hundred of about 2 million sequences */
    cr_assert(fabs((double)e->train.steps * (double)e->batch / 1.98e8 - 1) < 1e-3);
    f2l_preset_run_clear(&run);
    build(&run, "s5", F2L_PRESET_RELEASED, "nh4", 1);
    cr_assert(fabs((double)e->train.steps * (double)e->batch / 1.98e8 - 1) < 1e-3);
    cr_assert(e->batch == 1024 && e->model.heads == 12 && e->model.mlp == 512 && e->data.begin &&
              e->model.additive && !e->model.learned_start && e->model.silu_keys &&
              e->train.clip == 0 && e->train.weight_decay == 1e-6 && e->train.warmup == 0);
    f2l_preset_run_clear(&run);
    build(&run, "s3", F2L_PRESET_RELEASED, "nh2", 1);
    cr_assert(e->batch == 2048 && e->model.heads == 8 && e->train.steps == 4900);
    /* an evaluation after every epoch, at every length to 512, and the end at .99 there */
    cr_assert(e->train.evaluate_every == 49 && e->train.target == .99 && e->train.lengths == 512 &&
              e->train.length[511] == 512);
    f2l_preset_run_clear(&run);
    build(&run, "z60", F2L_PRESET_PAPER, "delta-positive", 1);
    cr_assert(e->train.steps * e->batch == 160000000 && e->train.rate == 1e-4 &&
              e->curriculum.limit == 32);
    f2l_preset_run_clear(&run);
    build(&run, "s5", F2L_PRESET_BEST, "nh4", 1);
    cr_assert(!e->model.additive && e->model.learned_start && e->model.heads == 8 &&
              e->model.width == 128 && e->model.initializer_range == .02);
    cr_assert(e->curriculum.start == 64 && e->curriculum.limit == 512 &&
              e->train.decay == F2L_TRAIN_LINEAR && e->model.convolution == 0);
    f2l_preset_run_clear(&run);
    build(&run, "s5-cycles", F2L_PRESET_BEST, "nh2", 1);
    cr_assert(e->curriculum.start == 4 && e->curriculum.limit > e->curriculum.start);
    f2l_preset_run_clear(&run);
    /* options of this project's recipe that are added to the published ones reach the model too */
    build(&run, "modarith", F2L_PRESET_BEST, "delta-signed-5", 1);
    cr_assert(e->model.convolution == 4 && e->model.layers == 5 && e->model.additive &&
              e->data.times);
    cr_assert(e->curriculum.shorter_too && e->curriculum.limit == 39 && e->curriculum.start == 3);
    f2l_preset_run_clear(&run);
    build(&run, "modarith-brackets", F2L_PRESET_BEST, "diagonal-signed", 1);
    cr_assert(e->model.convolution == 4 && e->model.mixer == &f2l_mixer_diagonal &&
              e->curriculum.shorter_too);
    f2l_preset_run_clear(&run);
    build(&run, "s5-tokens", F2L_PRESET_BEST, "delta-signed", 1);
    cr_assert(e->model.convolution == 4 && e->model.layers == 2 && !e->model.additive &&
              !e->curriculum.shorter_too);
    f2l_preset_run_clear(&run);
    build(&run, "s5", F2L_PRESET_BEST, "nh4-values", 1);
    cr_assert(e->model.additive && !e->model.learned_start);
    f2l_preset_run_clear(&run);
    static const char *const five[] = {"s5-swaps", "s5-cycles", "s5-tokens"};
    for (size_t i = 0; i < 3; i++) {
        build(&run, five[i], F2L_PRESET_PAPER, "delta-positive", 1);
        cr_assert(e->model.layers == 5 && !e->model.negative && e->model.convolution == 0 &&
                  e->model.additive);
        cr_assert(e->train.steps * e->batch == 160000000 && e->train.rate == 1e-4 &&
                  e->train.clip == 1 && e->train.weight_decay == 0.01 && e->batch == 512 &&
                  e->model.width == 128 && e->model.heads == 4);
        cr_assert(e->curriculum.start == e->curriculum.limit &&
                  e->curriculum.limit == (i == 2 ? 64 : 32));
        cr_assert_eq(e->data.tokens, i == 2 ? 4 : 0);
        f2l_preset_run_clear(&run);
    }
    /* several layers of one reflection; gates */
    static const struct {
        const char *preset, *model;
        size_t layers;
    } deep[] = {{"s3", "nh1-3", 3}, {"s4", "nh1-6", 6}, {"a5", "nh1-3", 3}, {"s5", "nh1-10", 10}};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        build(&run, deep[i].preset, F2L_PRESET_PAPER, deep[i].model, 1);
        cr_assert(e->model.layers == deep[i].layers && e->model.householders == 1 &&
                  e->model.negative && !e->model.forget_gate);
        f2l_preset_run_clear(&run);
    }
    build(&run, "cycle-navigation", F2L_PRESET_PAPER, "gated-positive", 1);
    cr_assert(e->model.forget_gate && !e->model.negative && e->model.layers == 2 &&
              e->model.mlp == 0 && e->batch == 256 && e->train.steps == 100000 &&
              e->train.rate == 2e-3 && e->train.last_rate == 1e-5 && e->train.warmup == 10000 &&
              e->data.when == F2L_DATA_LAST && e->curriculum.limit == 40);
    f2l_preset_run_clear(&run);
    build(&run, "even-pairs", F2L_PRESET_BEST, "nh2", 1);
    cr_assert(e->data.label == F2L_LABEL_ACCEPT && e->model.labels == 2 && !e->model.additive);
    f2l_preset_run_clear(&run);
    /* no convolution after DeltaNet's projections; Mamba keeps its own */
    build(&run, "z60", F2L_PRESET_PAPER, "diagonal-signed", 1);
    cr_assert(e->model.convolution == 4 && e->model.mixer == &f2l_mixer_diagonal);
    f2l_preset_run_clear(&run);
}

Test(preset, letters)
{
    static const struct {
        const char *preset, *model;
        size_t letters, drawn, labels;
    } expected[] = {{"parity", "delta-signed", 2, 2, 2},
                    {"modarith", "delta-signed", 8, 8, 5},
                    {"modarith-brackets", "delta-signed", 10, 10, 5},
                    /* groups have the begin letter, and its label */
                    {"s3", "nh2", 7, 7, 7},
                    {"s4", "nh2", 25, 25, 25},
                    {"a5", "nh2", 61, 61, 61},
                    {"s5", "nh4", 121, 121, 121},
                    {"s5-swaps", "delta-signed", 120, 11, 120},  /* identity, 10 swaps, .. */
                    {"s5-cycles", "delta-signed", 120, 31, 120}, /* .. and 20 cycles of 3 points */
                    {"s5-tokens", "delta-signed", 121, 121, 120},
                    {"z60", "delta-signed", 60, 60, 60},
                    {"even-pairs", "gated-signed", 2, 2, 2},
                    {"cycle-navigation", "gated-nh2", 3, 3, 5}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        f2l_preset_run run;
        f2l_data data;
        f2l_error err = {0};
        size_t drawn = 0;
        build(&run, expected[i].preset, F2L_PRESET_PAPER, expected[i].model, 1);
        f2l_data_init(&data);
        cr_assert_eq(f2l_experiment_data(&data, &run.experiment, F2L_DATA_TRAIN, &err), F2L_OK,
                     "%s", err.text);
        for (size_t a = 0; a < data.letters.count; a++) drawn += f2l_data_draws(&data, a);
        cr_assert(data.letters.count == expected[i].letters && drawn == expected[i].drawn &&
                      data.labels.count == expected[i].labels,
                  "%s: %zu letters, %zu drawn, %zu labels", expected[i].preset, data.letters.count,
                  drawn, data.labels.count);
        f2l_data_clear(&data);
        f2l_preset_run_clear(&run);
    }
}

/* A scale changes only the steps, the warm-up and the evaluations. */
Test(preset, scale)
{
    static const double scale[] = {1e-9, 1e-4, 0.0123, 0.5, 1, 3};
    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
        f2l_preset_run run, full;
        build(&full, "modarith", F2L_PRESET_PAPER, "diagonal-signed", 1);
        build(&run, "modarith", F2L_PRESET_PAPER, "diagonal-signed", scale[i]);
        const double steps = round(scale[i] * 100000);
        cr_assert_eq(run.experiment.train.steps, steps < 1 ? 1 : (uint64_t)steps);
        cr_assert_eq(run.full_steps, 100000);
        cr_assert_eq(run.experiment.train.warmup, run.experiment.train.steps / 10);
        cr_assert_eq(f2l_experiment_check(&run.experiment, NULL), F2L_OK);
        cr_assert(run.experiment.batch == full.experiment.batch &&
                  run.experiment.train.rate == full.experiment.train.rate &&
                  run.experiment.model.layers == full.experiment.model.layers);
        f2l_preset_run_clear(&run);
        f2l_preset_run_clear(&full);
    }
}

/* With four letters an element, the answer counts after the fourth letter, and is the product of
 * the elements up to it. */
Test(preset, tokens)
{
    f2l_preset_run run;
    f2l_data data;
    f2l_data_batch batch;
    f2l_error err = {0};
    build(&run, "s5-tokens", F2L_PRESET_PAPER, "delta-signed", 1);
    f2l_data_init(&data);
    f2l_data_batch_init(&batch);
    cr_assert_eq(f2l_experiment_data(&data, &run.experiment, F2L_DATA_TRAIN, &err), F2L_OK, "%s",
                 err.text);
    const f2l_data_range range = {64, 64};
    cr_assert_eq(f2l_data_batch_fill(&batch, &data, range, 0, 0, 20, &err), F2L_OK, "%s", err.text);
    cr_assert(batch.length == 64 && batch.counted == 20 * 16);
    for (size_t i = 0; i < 20; i++) {
        uint32_t state = (uint32_t)run.fsa.start;
        for (size_t t = 0; t < 64; t++) {
            const uint32_t letter = batch.letter[64 * i + t];
            cr_assert((letter == 120) == (t % 4 != 0) && batch.mask[64 * i + t] == (t % 4 == 3));
            if (letter < 120) state = run.fsa.next[(size_t)state * run.fsa.letters.count + letter];
            if (t % 4 == 3) cr_assert_eq(batch.label[64 * i + t], state);
        }
    }
    for (size_t i = 0; i < run.experiment.train.lengths; i++)
        cr_assert_eq(run.experiment.train.length[i] % 4, 0);
    f2l_data_batch_clear(&batch);
    f2l_data_clear(&data);
    f2l_preset_run_clear(&run);
}

/* The network that a CPU trains in seconds has no MLP, whatever the mixer. */
Test(preset, small_parity)
{
    static const char *const name[] = {"delta-signed", "diagonal-signed", "attention"};
    for (size_t i = 0; i < 3; i++) {
        f2l_preset_run run;
        build(&run, "parity", F2L_PRESET_BEST, name[i], 1);
        const f2l_seq_config *c = &run.experiment.model;
        cr_assert(c->width == 64 && c->mlp == 0 && c->channels == 128);
        cr_assert(c->heads == 2 && c->key_dim == 32 && c->value_dim == 32);
        cr_assert(run.experiment.train.steps == 300 && run.experiment.curriculum.limit == 128);
        f2l_preset_run_clear(&run);
    }
}

Test(preset, rate)
{
    f2l_preset_run run;
    const f2l_preset *preset = f2l_preset_find("parity");
    f2l_preset_choice choice = choice_of(preset, F2L_PRESET_PAPER, "delta-signed", 1);
    choice.rate = 1e-2;
    choice.seed = 77;
    f2l_preset_run_init(&run);
    cr_assert_eq(f2l_preset_build(&run, preset, &choice, NULL), F2L_OK);
    cr_assert(run.experiment.train.rate == 1e-2 && run.experiment.seed == 77);
    cr_assert_eq(run.experiment.train.last_rate, 1e-6);
    f2l_preset_run_clear(&run);
}

static void refused(const char *name, f2l_preset_setting setting, const char *model, double scale,
                    const char *why)
{
    f2l_preset_run run;
    f2l_error err = {0};
    const f2l_preset *preset = f2l_preset_find(name);
    const f2l_preset_choice choice = choice_of(preset, setting, model, scale);
    f2l_preset_run_init(&run);
    cr_assert_eq(f2l_preset_build(&run, preset, &choice, &err), F2L_EDOMAIN, "%s %s %g", name,
                 model, scale);
    cr_assert(strstr(err.text, why) != NULL, "%s", err.text);
    cr_assert(run.length == NULL && run.weight == NULL && run.fsa.states.count == 0);
}

Test(preset, refused)
{
    cr_assert(f2l_preset_find("s6") == NULL && f2l_preset_find("") == NULL);
    cr_assert(f2l_preset_model_find(f2l_preset_find("s3"), "delta-signed") == NULL);
    cr_assert(f2l_preset_setting_name(F2L_PRESET_SETTINGS) == NULL);
    refused("z60", F2L_PRESET_RELEASED, "delta-signed", 1, "it has paper, best");
    refused("s5", F2L_PRESET_PAPER, "nh4-values", 1, "not part of");
    refused("z60", F2L_PRESET_PAPER, "nh2", 1, "not part of");
    refused("s3", F2L_PRESET_BEST, "nh2", 0, "scale");
    refused("s3", F2L_PRESET_BEST, "nh2", -1, "scale");
    refused("s3", F2L_PRESET_BEST, "nh2", (double)NAN, "scale");
    refused("s3", F2L_PRESET_BEST, "nh2", (double)INFINITY, "scale");
    refused("s3", F2L_PRESET_BEST, "nh2", 1e300, "scale");
    cr_assert_eq(f2l_preset_check(f2l_preset_find("s3"), (f2l_preset_setting)99, NULL),
                 F2L_EDOMAIN);
    cr_assert_str_eq(f2l_preset_remark(f2l_preset_find("z60"), F2L_PRESET_RELEASED), "");
}

#ifdef F2L_MEM_FAILURES
Test(preset, out_of_memory)
{
    static const char *const name[] = {"s5-swaps", "s5-tokens", "parity", "modarith"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const f2l_preset *preset = f2l_preset_find(name[i]);
        const f2l_preset_choice choice = choice_of(preset, F2L_PRESET_PAPER, "delta-signed", 1);
        bool complete = false;
        size_t n = 1;
        for (; !complete; n++) {
            f2l_preset_run run;
            f2l_preset_run_init(&run);
            f2l_mem_fail_after(n, false);
            const f2l_status status = f2l_preset_build(&run, preset, &choice, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%s, allocation %zu: %d", name[i],
                      n, status);
            complete = status == F2L_OK;
            f2l_preset_run_clear(&run);
        }
        cr_assert_gt(n, 5);
    }
}
#endif
