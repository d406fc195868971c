#include "numeric/base/mem.h"
#include "tests/support/models/wired_weights_support.h"

Test(wired_weights, the_counter_is_written_whole)
{
    f2l_net net;
    wired_counter(&net);
    expect_all(&net, "BF16", true, false);
    f2l_net_clear(&net);
}

Test(wired_weights, random_networks_are_written_whole)
{
    const sample_shape dyadic = {1, 1, 1, 4, 2, 3, 1, true, 6},
                       other = {1, 1, 1, 4, 2, 3, 1, false, 9};
    f2l_rng rng;
    f2l_rng_init(&rng, 96, 0);
    size_t rounded = 0;
    for (size_t n = 0; n < 100; n++) {
        f2l_net net;
        f2l_error err = {0};
        hand_wired_random(&net, &rng, n % 2 ? &other : &dyadic);
        cr_assert(f2l_wired_validate(&net, &err) == F2L_OK, "seed 96, network %zu: %s", n,
                  err.text);
        weights w = wired_written(&net);
        const bool exact = w.report.exact;
        cr_assert(exact || n % 2, "seed 96, network %zu", n);
        rounded += !exact;
        weights_free(&w);
        expect_all(&net, n % 2 ? NULL : "BF16", exact, false);
        f2l_net_clear(&net);
    }
    cr_assert(rounded > 10);
}

static const char *metadata(const weights *w, const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(w->header, "__metadata__"), key));
    cr_assert(text != NULL, "%s", key);
    return text;
}

static void expect_names(const weights *w, const char *key, const f2l_names *names)
{
    json_t *array = json_loads(metadata(w, key), 0, NULL);
    cr_assert(json_array_size(array) == names->count, "%s", key);
    for (size_t i = 0; i < names->count; i++)
        cr_assert_str_eq(json_string_value(json_array_get(array, i)), f2l_names_get(names, i));
    json_decref(array);
}

Test(wired_weights, metadata_say_what_the_labels_are)
{
    f2l_net net;
    f2l_fsa fsa;
    wired_counter(&net);
    f2l_names_clear(&net.labels);
    for (size_t q = 0; q < 7; q++) sample_name(&net.labels, (const char[]){(char)('a' + q), '\0'});
    sample_name(&net.labels, "\"\\\n");
    net.label = F2L_LABEL_OUTPUTS;
    automaton_with(&fsa, &net.letters);
    weights w = wired_written(&net);
    expect_names(&w, "labels", &net.labels);
    expect_names(&w, "letters", &net.letters);
    expect_names(&w, "states", &fsa.states);
    cr_assert_str_eq(metadata(&w, "kind"), "wired");
    cr_assert_str_eq(metadata(&w, "start"), "5");
    cr_assert_str_eq(metadata(&w, "label"), "outputs");
    cr_assert_str_eq(metadata(&w, "format"), "bf16");
    cr_assert_str_eq(metadata(&w, "rounding"), "exact");
    cr_assert_str_eq(metadata(&w, "schema"), "1");
    cr_assert_str_eq(metadata(&w, "tool"), "fsa2lrnn");
    cr_assert_str_eq(metadata(&w, "fsa_sha256"), SAMPLE_SHA);
    cr_assert(json_object_size(json_object_get(w.header, "__metadata__")) == 11);
    const char *key, *last = "";
    json_t *value;
    json_object_foreach(json_object_get(w.header, "__metadata__"), key, value)
    {
        cr_assert(strcmp(last, key) < 0, "%s after %s", key, last);
        last = key;
    }
    weights_free(&w);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

/* Numbers of every kind count when the type is chosen. */
Test(wired_weights, takes_the_narrowest_type_that_holds_all)
{
    for (size_t kind = 0; kind < 6; kind++) {
        f2l_net net;
        wired_counter(&net);
        f2l_wired_block *block = &net.block[1];
        f2l_transition *letter = &block->head[1].head.letter[5];
        mpq_ptr number[] = {block->readout[2].code[0].value[0],
                            net.stage[3].initial[1].value[0],
                            letter->gate,
                            letter->factor[0].beta,
                            letter->factor[0].c.value[0],
                            letter->factor[0].u.value[0]};
        static const struct {
            long numerator, denominator;
            const char *dtype;
            bool exact;
        } to[] = {{257, 1, "F16", true}, {65537, 1, "F32", true},
                  {1, 3, "F64", false},  {16777217, 16777216, "F64", true},
                  {257, 1, "F16", true}, {3, 1, "F64", false}};
        mpq_set_si(number[kind], to[kind].numerator, (unsigned long)to[kind].denominator);
        expect_all(&net, to[kind].dtype, to[kind].exact, false);
        f2l_net_clear(&net);
    }
}

/* Makes a network of one stage and one head of 40,000 rows: dense codes alone would take 160 MB. */
static void large_net(f2l_net *net)
{
    static const size_t two[] = {2}, stages[] = {0}, rows[] = {39999, 1}, codes[] = {1000, 2};
    static const uint32_t wire[] = {0}, read[] = {2}, same[] = {0, 1};
    f2l_net_init(net);
    strcpy(net->fsa_sha256, SAMPLE_SHA);
    for (size_t i = 0; i < 2; i++) {
        sample_name(&net->letters, i ? "1" : "0");
        sample_name(&net->labels, i ? "odd" : "even");
    }
    cr_assert(f2l_wired_set_tables(net, 1, NULL) == F2L_OK &&
              f2l_wired_set_blocks(net, 1, NULL) == F2L_OK);
    wired_table(net, 0, 1, two, 2, same);
    f2l_wired_block *block = &net->block[0];
    cr_assert(f2l_wired_block_set_inputs(block, 1, two, NULL) == F2L_OK);
    cr_assert(f2l_wired_block_set(block, 0, 1, 2, 1, 1, NULL) == F2L_OK);
    wired_gate(net, &block->post[0], 0, read);
    block->output[0] = 3;
    cr_assert(f2l_wired_head_set(&block->head[0], 40000, 2, 1, wire, two, NULL) == F2L_OK);
    f2l_transition *letter = &block->head[0].head.letter[1];
    cr_assert(f2l_transition_set_factors(letter, 2, NULL) == F2L_OK);
    mpq_set_ui(letter->factor[0].beta, 2, 1);
    sample_push(&letter->factor[0].u, 39999, 3, 1);
    mpq_set_ui(letter->factor[1].beta, 1, 2);
    for (uint32_t i = 0; i < 4; i++) sample_push(&letter->factor[1].u, 9999 * i, i % 2 ? 1 : -1, 1);
    sample_push(&letter->factor[1].c, 1, 5, 1);
    for (size_t r = 0; r < 2; r++) {
        f2l_wired_readout *readout = &block->readout[r];
        cr_assert(f2l_wired_readout_set(readout, 0, r == 0 ? 0 : rows[0], rows[r], codes[r],
                                        NULL) == F2L_OK);
        for (uint32_t c = 0; c < codes[r]; c++) {
            if (r == 0 && c % 2 == 0) sample_push(&readout->code[c], c, c % 4 ? -1 : 1, 2);
            sample_push(&readout->code[c], r == 0 ? 2000 + 77 * c : c, 3, 4);
        }
    }
    cr_assert(f2l_wired_set_stages(net, 1, stages, NULL) == F2L_OK);
    sample_push(&net->stage[0].initial[0], 79999, 3, 4);
}

Test(wired_weights, large_networks_are_written_sparsely)
{
    f2l_net net;
    large_net(&net);
    expect_all(&net, "BF16", true, true);
    weights w = wired_written(&net);
    cr_assert(w.bytes.size < 200000 && json_object_get(w.header, "blocks.0.heads.0.key") == NULL);
    weights_free(&w);
    f2l_net_clear(&net);
}

/* Checks that the counter's weights are refused with this word after `change` has changed the
 * network or the automaton. */
static void expect_refused(void (*change)(f2l_net *net, f2l_fsa *fsa), const char *word)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf out;
    f2l_weights_report report = {.bytes = 7};
    f2l_error err = {0};
    f2l_buf_init(&out);
    wired_counter(&net);
    automaton_with(&fsa, &net.letters);
    change(&net, &fsa);
    f2l_status status = f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, &err);
    cr_assert(status == F2L_EDOMAIN && report.bytes == 0, "%s: %s", word, f2l_status_name(status));
    cr_assert(strstr(err.text, word) != NULL, "%s instead of %s", err.text, word);
    f2l_buf_clear(&out);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

static void other_letters(f2l_net *net, f2l_fsa *fsa)
{
    (void)net;
    sample_name(&fsa->letters, "another");
}

static void invalid_gate(f2l_net *net, f2l_fsa *fsa)
{
    (void)fsa;
    mpq_set_ui(net->block[1].head[0].head.letter[0].gate, 2, 1);
}

static void large_initial(f2l_net *net, f2l_fsa *fsa)
{
    (void)fsa;
    mpq_ptr number = net->stage[2].initial[1].value[0];
    mpq_mul_2exp(number, number, 1024);
}

static void large_code(f2l_net *net, f2l_fsa *fsa)
{
    (void)fsa;
    mpq_ptr number = net->block[1].readout[2].code[0].value[0];
    mpq_mul_2exp(number, number, 1024);
}

/* Adds a table with a value that I32 cannot hold. */
static void large_value(f2l_net *net, f2l_fsa *fsa)
{
    (void)fsa;
    net->table = f2l_realloc(net->table, 7, sizeof *net->table);
    cr_assert(net->table != NULL);
    net->table[net->tables++] = (f2l_wired_table){0};
    wired_table(net, 6, 0, NULL, 3000000000, (const uint32_t[]){(uint32_t)INT32_MAX + 1});
}

Test(wired_weights, refuses_what_does_not_belong_together)
{
    expect_refused(other_letters, "letters");
    expect_refused(invalid_gate, "gate");
    expect_refused(large_initial, "too large");
    expect_refused(large_code, "too large");
    expect_refused(large_value, "2^31");
}

/* A type that is asked for is taken, and named where numbers are rounded into it. */
Test(wired_weights, types_that_are_asked_for)
{
    static const struct {
        long numerator;
        unsigned long denominator;
        f2l_weights_dtype dtype;
        const char *name, *rounding;
        double is;
    } to[] = {{257, 1, F2L_WEIGHTS_BF16, "BF16", "bf16", 256},
              {259, 1, F2L_WEIGHTS_BF16, "BF16", "bf16", 260},
              {257, 1, F2L_WEIGHTS_F16, "F16", "exact", 257},
              {257, 1, F2L_WEIGHTS_F32, "F32", "exact", 257},
              {16777217, 1, F2L_WEIGHTS_F32, "F32", "f32", 16777216},
              {1, 3, F2L_WEIGHTS_F16, "F16", "f16", 0x1.554p-2},
              {1, 3, F2L_WEIGHTS_F64, "F64", "f64", 0x1.5555555555555p-2}};
    f2l_net net;
    wired_counter(&net);
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        mpq_set_si(net.stage[2].initial[1].value[0], to[i].numerator, to[i].denominator);
        weights w = wired_written_as(&net, to[i].dtype);
        json_t *initial = json_object_get(w.header, "stages.2.heads.1.initial");
        cr_assert_str_eq(w.report.dtype, to[i].name);
        cr_assert_str_eq(metadata(&w, "rounding"), to[i].rounding);
        cr_assert_eq(w.report.exact, strcmp(to[i].rounding, "exact") == 0);
        cr_assert_eq(wired_number(w.data + offset(initial, 0), to[i].name), to[i].is);
        weights_free(&w);
    }
    f2l_fsa fsa;
    f2l_buf out;
    f2l_weights_report report;
    f2l_error err = {0};
    f2l_buf_init(&out);
    automaton_with(&fsa, &net.letters);
    mpq_set_si(net.stage[2].initial[1].value[0], 65520, 1);
    cr_assert(f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_F16, &err) == F2L_EDOMAIN &&
              strstr(err.text, "too large for F16") != NULL && report.bytes == 0);
    f2l_buf_clear(&out);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}

Test(wired_weights, the_largest_i32_is_written)
{
    f2l_net net;
    wired_counter(&net);
    large_value(&net, NULL);
    net.table[6].value[0] = INT32_MAX;
    expect_all(&net, "BF16", true, false);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(wired_weights, survives_every_failed_allocation)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_buf whole;
    f2l_weights_report report;
    wired_counter(&net);
    automaton_with(&fsa, &net.letters);
    f2l_buf_init(&whole);
    cr_assert(f2l_weights_write(&whole, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL) == F2L_OK);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = f2l_weights_write(&out, &report, &net, &fsa, F2L_WEIGHTS_AUTO, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
        if (status == F2L_OK) /* all of the file is there */
            cr_assert(out.size == whole.size && memcmp(out.data, whole.data, out.size) == 0);
        f2l_buf_clear(&out);
    }
    cr_assert(failures > 12, "%zu", failures);
    f2l_buf_clear(&whole);
    f2l_fsa_clear(&fsa);
    f2l_net_clear(&net);
}
#endif
