/* Searches that are saved, interrupted and resumed. */
#include "numeric/base/text.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/theory/closure_machines.h"
#include "theory/certify/closure/closure.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    char folder[64], path[96], part[104]; /* `part` is a file of the user */
} place;

static void open_place(place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/f2l-closure-XXXXXX");
    cr_assert_not_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/search", p->folder);
    snprintf(p->part, sizeof p->part, "%s.part", p->path);
    cr_assert_eq(f2l_write_file(p->part, "mine", 4, NULL), F2L_OK);
}

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static void close_place(const place *p)
{
    f2l_buf part;
    f2l_buf_init(&part);
    cr_assert_eq(f2l_read_file(&part, p->part, 0, NULL), F2L_OK);
    cr_assert(part.size == 4 && memcmp(part.data, "mine", 4) == 0);
    f2l_buf_clear(&part);
    (void)remove(p->part);
    (void)remove(p->path);
    cr_assert_eq(rmdir(p->folder), 0);
}

static f2l_saving saving_in(const place *p, size_t rows, double seconds)
{
    f2l_saving saving = {.path = p->path, .rows = rows, .seconds = seconds};
    memset(saving.identity, 'a', sizeof saving.identity - 1);
    return saving;
}

Test(closure_save, going_on_ends_as_if_never_interrupted)
{
    machine m;
    machine_table table;
    f2l_closure c;
    place p;
    open_place(&p);
    machine_open(&m, 32, 27);
    machine_count(&table, &m);
    f2l_closure_init(&c);
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        size_t limits = 0;
        for (size_t limit = 1; limit < table.rows; limit = limit + limit / 3 + 1, limits++) {
            f2l_saving saving = saving_in(&p, 1, 1000);
            const f2l_numbers_options options = {
                .max_rows = limit, .jobs = jobs, .keep = true, .saving = &saving};
            cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
            cr_assert_eq(c.verdict, F2L_UNKNOWN);
            cr_assert_eq(c.rows, limit);
            cr_assert_not_null(strstr(c.reason, "joint states reached; saved in "
                                                "/tmp/f2l"),
                               "%s", c.reason);
            cr_assert(exists(p.path));
        }
        cr_assert_gt(limits, 10);
        /* A limit lower than the number of saved rows loses nothing. */
        f2l_saving saving = saving_in(&p, 1, 1000);
        f2l_numbers_options options = {.max_rows = 3, .keep = true, .saving = &saving};
        cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
        cr_assert_eq(c.verdict, F2L_UNKNOWN);
        saving = saving_in(&p, 1, 1000);
        options.max_rows = 0;
        cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
        machine_check(&c, &m, &table);
        cr_assert_not(exists(p.path), "it is of no more use");
    }
    f2l_closure_clear(&c);
    machine_table_clear(&table);
    machine_done(&m);
    close_place(&p);
}

Test(closure_save, interrupted_again_and_again)
{
    for (int kind = 0; kind < 3; kind++) { /* a function, a wrong one, a relation */
        machine m;
        machine_table table;
        f2l_closure c;
        f2l_choices choices;
        place p;
        volatile sig_atomic_t stop = 0;
        const f2l_task task = {.cancel = &stop};
        open_place(&p);
        machine_open(&m, 16, 27);
        if (kind == 1) {
            m.bad_x = 11;
            m.bad_y = 26;
        }
        m.choices = kind == 2 ? &choices : NULL;
        m.bits = 1;
        machine_count(&table, &m);
        cr_assert_eq(table.failure > 0, kind == 1);
        m.stop = &stop;
        m.stop_at = kind == 1 ? 120 : 1000;
        f2l_closure_init(&c);
        size_t runs = 0;
        do {
            f2l_saving saving = saving_in(&p, 1, 1000);
            const f2l_numbers_options options = {.keep = true, .saving = &saving};
            stop = 0;
            m.steps = 0;
            cr_assert_eq(machine_close(&c, &m, options, &task, NULL), F2L_OK);
            cr_assert(c.verdict != F2L_UNKNOWN || strstr(c.reason, "interrupted"), "%s", c.reason);
            m.stop_at += 100;
            runs++;
            cr_assert_lt(runs, 100);
        } while (c.verdict == F2L_UNKNOWN);
        printf("kind %d: %zu runs\n", kind, runs);
        cr_assert_gt(runs, 2);
        if (kind == 0) machine_check(&c, &m, &table);
        if (kind == 1) cr_assert_eq(c.verdict, F2L_REFUTED);
        if (kind == 1) cr_assert_eq(c.word_length, table.failure);
        if (kind == 2) cr_assert_eq(c.verdict, F2L_OK);
        if (kind == 2) cr_assert_eq(c.rows, table.rows);
        f2l_closure_clear(&c);
        machine_table_clear(&table);
        machine_done(&m);
        close_place(&p);
    }
}

/* The number of polls at which the file existed. */
typedef struct watch {
    const char *path;
    size_t polls, seen;
} watch;

static void look(void *context, const char *phase, double done, double total)
{
    watch *w = context;
    (void)phase, (void)done, (void)total;
    w->polls++;
    w->seen += exists(w->path);
}

Test(closure_save, now_and_then_and_not_when_small)
{
    machine m;
    f2l_closure c;
    place p;
    open_place(&p);
    machine_open(&m, 16, 27);
    f2l_closure_init(&c);
    static const struct {
        size_t rows;
        double seconds;
        bool seen;
    } kind[] = {{100, 0, true}, {100000, 0, false}, {100, 1000, false}};
    for (size_t i = 0; i < 3; i++) {
        watch w = {.path = p.path};
        const f2l_task task = {.progress = look, .context = &w};
        f2l_saving saving = saving_in(&p, kind[i].rows, kind[i].seconds);
        const f2l_numbers_options options = {.saving = &saving};
        cr_assert_eq(machine_close(&c, &m, options, &task, NULL), F2L_OK);
        cr_assert_eq(c.verdict, F2L_OK);
        cr_assert_gt(w.polls, 10);
        cr_assert_eq(w.seen > 0, kind[i].seen);
        cr_assert_not(exists(p.path));
    }
    f2l_saving saving = saving_in(&p, 100000, 0);
    const f2l_numbers_options options = {.max_rows = 200, .saving = &saving};
    cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
    cr_assert_str_eq(c.reason, "limit of 200 joint states reached");
    cr_assert_not(exists(p.path));
    f2l_closure_clear(&c);
    machine_done(&m);
    close_place(&p);
}

/* Resumes from these bytes and returns the status. The file must stay unchanged. */
static f2l_status go_on_from(const place *p, machine *m, const char *bytes, size_t size)
{
    f2l_closure c;
    f2l_buf back;
    f2l_error err = {0};
    f2l_saving saving = saving_in(p, 1, 1000);
    const f2l_numbers_options options = {.keep = true, .saving = &saving};
    FILE *file = fopen(p->path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
    f2l_closure_init(&c);
    const f2l_status status = machine_close(&c, m, options, NULL, &err);
    if (status != F2L_OK) {
        cr_assert_not_null(strstr(err.text, p->path), "%s", err.text);
        f2l_buf_init(&back);
        cr_assert_eq(f2l_read_file(&back, p->path, 0, NULL), F2L_OK);
        cr_assert_eq(back.size, size);
        cr_assert(size == 0 || memcmp(back.data, bytes, size) == 0);
        f2l_buf_clear(&back);
    }
    f2l_closure_clear(&c);
    return status;
}

Test(closure_save, damaged_and_foreign_files_are_refused_and_left_alone)
{
    machine m;
    f2l_closure c;
    place p;
    f2l_buf text;
    open_place(&p);
    machine_open(&m, 8, 9);
    f2l_closure_init(&c);
    f2l_saving saving = saving_in(&p, 1, 1000);
    const f2l_numbers_options options = {.max_rows = 40, .keep = true, .saving = &saving};
    cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    f2l_closure_clear(&c);
    f2l_buf_init(&text);
    cr_assert_eq(f2l_read_file(&text, p.path, 0, NULL), F2L_OK);
    cr_assert_eq(go_on_from(&p, &m, text.data, text.size), F2L_OK);
    for (size_t i = 0; i < text.size; i++) {
        for (int bit = 0; bit < 8; bit += 1 + (int)(i % 3)) {
            text.data[i] ^= (char)(1 << bit);
            const f2l_status status = go_on_from(&p, &m, text.data, text.size);
            cr_assert(status == F2L_EFORMAT || status == F2L_EDOMAIN, "byte %zu: %s", i,
                      f2l_status_name(status));
            cr_assert_eq(status == F2L_EDOMAIN, i >= 8 && i < 72, "byte %zu", i);
            text.data[i] ^= (char)(1 << bit);
        }
    }
    for (size_t n = 0; n < text.size; n++)
        cr_assert_neq(go_on_from(&p, &m, text.data, n), F2L_OK, "%zu bytes", n);
    f2l_buf_bytes(&text, "x", 1);
    cr_assert_eq(go_on_from(&p, &m, text.data, text.size), F2L_EFORMAT);
    cr_assert_eq(go_on_from(&p, &m, "my notes\n", 9), F2L_EFORMAT);
    /* Each field is set to its largest value. */
    for (size_t field = 0; field < 7; field++) {
        char kept[8];
        memcpy(kept, text.data + 72 + 8 * field, 8);
        memset(text.data + 72 + 8 * field, 0xFF, 8);
        cr_assert_eq(go_on_from(&p, &m, text.data, text.size - 1), F2L_EFORMAT);
        memcpy(text.data + 72 + 8 * field, kept, 8);
    }
    f2l_buf_clear(&text);
    machine_done(&m);
    close_place(&p);
}

Test(closure_save, where_nothing_can_be_written)
{
    machine m;
    f2l_closure c;
    f2l_error err;
    place p;
    open_place(&p);
    machine_open(&m, 16, 27);
    f2l_closure_init(&c);
    f2l_saving saving = saving_in(&p, 1, 0);
    saving.path = "/tmp/f2l-there-is-no-such-folder/search";
    f2l_numbers_options options = {.max_rows = 100, .saving = &saving};
    cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(c.reason, "; not saved: cannot create"), "%s", c.reason);
    options.max_rows = 0;
    cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
    cr_assert_eq(c.verdict, F2L_OK);
    saving = saving_in(&p, 1, 0);
    saving.path = p.folder;
    cr_assert_neq(machine_close(&c, &m, options, NULL, &err), F2L_OK);
    f2l_closure_clear(&c);
    machine_done(&m);
    close_place(&p);
}

/* A file belongs to the network, the automaton, the format, the schedule and the kind of search. */
Test(closure_save, a_network_goes_on_and_others_do_not)
{
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure c, whole;
    f2l_error err;
    place p;
    open_place(&p);
    fsa_from_text(&fsa, hand_elements_text);
    hand_elements(&net, &fsa);
    f2l_closure_init(&c);
    f2l_closure_init(&whole);
    const f2l_format *fp32 = f2l_format_find("fp32");
    const f2l_schedule *every = f2l_schedule_find("every");
    f2l_closure_float_options options = {.keep = true};
    cr_assert_eq(f2l_closure_float_with(&whole, &net, &fsa, fp32, every, &options, NULL, NULL),
                 F2L_OK);
    options.max_rows = 150;
    options.checkpoint = p.path;
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, fp32, every, &options, NULL, NULL), F2L_OK);
    cr_assert_not(exists(p.path), "10,000,000 rows are not there");
    cr_assert_eq(
        f2l_closure_float_saving(&c, &net, &fsa, fp32, every, &options, 100, 1000, NULL, NULL),
        F2L_OK);
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    cr_assert(exists(p.path));
    options.max_rows = 0;
    const f2l_schedule other = {.name = "every", .row = "every", .eps = 0, .raw = 1};
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, f2l_format_find("bf16"), every, &options,
                                        NULL, &err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "another network"), "%s", err.text);
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, fp32, &other, &options, NULL, &err),
                 F2L_EDOMAIN);
    options.keep = false;
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, fp32, every, &options, NULL, &err),
                 F2L_EDOMAIN);
    options.keep = true;
    mpq_set_si(net.layer[0].head[0].letter[0].factor[0].beta, 1, 1);
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, fp32, every, &options, NULL, &err),
                 F2L_EDOMAIN);
    mpq_set_si(net.layer[0].head[0].letter[0].factor[0].beta, 2, 1);
    cr_assert(exists(p.path));
    options.jobs = 2;
    cr_assert_eq(f2l_closure_float_with(&c, &net, &fsa, fp32, every, &options, NULL, &err), F2L_OK,
                 "%s", err.text);
    cr_assert_eq(c.verdict, F2L_OK);
    cr_assert_eq(c.rows, whole.rows);
    cr_assert_arr_eq(c.numbers, whole.numbers, c.rows * c.size * sizeof *c.numbers);
    cr_assert_arr_eq(c.next, whole.next, c.rows * c.letters * sizeof *c.next);
    cr_assert_not(exists(p.path));
    f2l_closure_clear(&whole);
    f2l_closure_clear(&c);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
    close_place(&p);
}

#ifdef F2L_MEM_FAILURES
Test(closure_save, running_out_of_memory_loses_nothing)
{
    machine m;
    machine_table table;
    f2l_closure c;
    place p;
    open_place(&p);
    machine_open(&m, 16, 27);
    machine_count(&table, &m);
    f2l_closure_init(&c);
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; status != F2L_OK; n++) {
        f2l_saving saving = saving_in(&p, 1, 1000);
        f2l_numbers_options options = {.max_rows = 400, .keep = true, .saving = &saving};
        cr_assert_eq(machine_close(&c, &m, options, NULL, NULL), F2L_OK);
        cr_assert_eq(c.verdict, F2L_UNKNOWN);
        f2l_error err = {0};
        saving = saving_in(&p, 1, 1000);
        options.max_rows = 0;
        f2l_mem_fail_after(n, false);
        status = machine_close(&c, &m, options, NULL, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && exists(p.path)), "%s", err.text);
    }
    cr_assert_gt(n, 15);
    machine_check(&c, &m, &table);
    /* The last allocation of saving is the name of the temporary file. */
    for (n = 1; n < 100; n++) {
        f2l_saving saving = saving_in(&p, 1, 1000);
        const f2l_numbers_options options = {.max_rows = 5, .saving = &saving};
        f2l_mem_fail_after(n, false);
        status = machine_close(&c, &m, options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
    }
    cr_assert_eq(c.verdict, F2L_UNKNOWN);
    cr_assert_not_null(strstr(c.reason, "; not saved: out of memory"), "%s", c.reason);
    f2l_closure_clear(&c);
    machine_table_clear(&table);
    machine_done(&m);
    close_place(&p);
}
#endif
