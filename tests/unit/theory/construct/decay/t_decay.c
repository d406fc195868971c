/* R8: aperiodic automata on decaying numbers, closed over boxes; and boxes of networks in
 * general. */
#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/theory/local_support.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/horizon/horizon.h"
#include "theory/certify/unrounded/unrounded.h"
#include "theory/construct/decay/decay.h"
#include <stdio.h>
#include <stdlib.h>

/* Builds as local_build does, from the cascade by holonomy. */
static f2l_status build(local_fixture *f)
{
    f->err = (f2l_error){0};
    f->report = (f2l_t4_report){0};
    f2l_net_init(&f->net);
    f2l_local_init(&f->local);
    cr_assert_eq(f2l_cascade_build(&f->cascade, &f->fsa, F2L_CASCADE_HOLONOMY, 0, NULL, &f->err),
                 F2L_OK);
    f2l_status status =
        f2l_decay_build(&f->net, &f->report, &f->cascade, &f->fsa, F2L_LABEL_STATES, NULL, &f->err);
    if (status == F2L_OK) status = f2l_fsa_sha256(&f->fsa, f->net.fsa_sha256, &f->err);
    return status;
}

/* Checks all letters of all heads: one row, and S <- a S + b with 0 <= a <= 1. */
static void check_class(const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++) {
            const f2l_head *head = &net->layer[l].head[h];
            cr_assert_eq(head->n, 1);
            for (size_t x = 0; x < net->layer[l].letters; x++)
                for (size_t i = 0; i < head->letter[x].factors; i++)
                    cr_assert_leq(mpq_cmp_ui(head->letter[x].factor[i].beta, 1, 1), 0);
        }
}

/* A walk of the rational states, which decodes them by their boxes and never by the edges of
 * codes. */
typedef struct walker {
    f2l_exact *run;
    f2l_qvec *state; /* [layers] states of one head each */
} walker;

static void walk(const local_fixture *f, f2l_rng *rng, size_t length)
{
    walker w = {.state = calloc(f->net.layers, sizeof *w.state)};
    size_t q = f->fsa.start;
    const size_t letters = f->fsa.letters.count;
    cr_assert_eq(f2l_exact_new(&w.run, &f->net, NULL), F2L_OK);
    for (size_t l = 0; l < f->net.layers; l++) {
        f2l_qvec_init(&w.state[l]);
        cr_assert_eq(f->net.layer[l].heads, 1);
        cr_assert_eq(f2l_qvec_copy(&w.state[l], &f->net.layer[l].head[0].initial, NULL), F2L_OK);
    }
    for (size_t t = 0; t < length; t++) {
        const size_t letter = f2l_rng_below(rng, letters);
        size_t x = letter;
        for (size_t l = 0; l < f->net.layers; l++) {
            cr_assert_eq(f2l_exact_step_head(w.run, &w.state[l], l, 0, x, &w.state[l], NULL),
                         F2L_OK);
            const size_t code = f2l_exact_find_code(w.run, l, &w.state[l]);
            cr_assert_neq(code, F2L_NO_INDEX);
            x = f2l_layer_symbol(&f->net.layer[l], x, code);
            cr_assert_neq(x, F2L_NO_SYMBOL);
        }
        q = f->fsa.next[q * letters + letter];
        cr_assert_str_eq(f2l_names_get(&f->net.labels, x), f2l_names_get(&f->fsa.states, q));
    }
    for (size_t l = 0; l < f->net.layers; l++) f2l_qvec_clear(&w.state[l]);
    free(w.state);
    f2l_exact_free(w.run);
}

/* Checks that writing, reading and writing gives the same text. */
static void check_text(const f2l_net *net)
{
    f2l_buf text, again;
    f2l_net copy;
    f2l_error err = {0};
    f2l_buf_init(&text);
    f2l_buf_init(&again);
    f2l_net_init(&copy);
    cr_assert_eq(f2l_net_write(&text, net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_net_read(&copy, text.data, text.size, &err), F2L_OK, "%zu:%zu: %s", err.line,
                 err.column, err.text);
    cr_assert_eq(f2l_net_write(&again, &copy, &err), F2L_OK, "%s", err.text);
    cr_assert(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    f2l_net_clear(&copy);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
}

static void check_all(local_fixture *f, size_t runs, size_t length, bool formats)
{
    f2l_rng rng;
    cr_assert_eq(build(f), F2L_OK, "%s", f->err.text);
    check_class(&f->net);
    check_text(&f->net);
    f2l_closure joint;
    f2l_closure_init(&joint);
    cr_assert_eq(f2l_closure_exact(&joint, &f->net, &f->fsa, 0, NULL, &f->err), F2L_OK, "%s",
                 f->err.text);
    cr_assert_eq(joint.verdict, F2L_OK, "%s", joint.reason);
    f2l_closure_clear(&joint);
    if (f->cascade.levels > 0) {
        cr_assert_eq(local_exact(f), F2L_OK, "%s", f->err.text);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s", f->local.reason);
    }
    f2l_rng_init(&rng, 8, 0);
    for (size_t i = 0; i < runs; i++) walk(f, &rng, length);
    for (size_t i = 0; formats && f->cascade.levels > 0 && i < 2; i++) {
        static const char *const name[] = {"bf16", "fp16"};
        cr_assert_eq(local_in(f, name[i]), F2L_OK);
        cr_assert_eq(f->local.verdict, F2L_OK, "%s: %s", name[i], f->local.reason);
    }
    local_clear(f);
}

typedef struct sample {
    const char *kind;
    size_t numbers;
    uint64_t a, b;
} sample;

Test(decay, aperiodic_families)
{
    static const sample all[] = {
        {"tomita", 1, 1, 0},   {"tomita", 1, 2, 0},   {"tomita", 1, 4, 0},  {"tomita", 1, 7, 0},
        {"flipflop", 0, 0, 0}, {"counter", 1, 2, 0},  {"counter", 1, 5, 0}, {"elevator", 1, 4, 0},
        {"definite", 1, 1, 0}, {"definite", 1, 3, 0}, {"dyck", 2, 1, 4},    {"dyck", 2, 2, 2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        local_fixture f;
        printf("%s %zu\n", all[i].kind, (size_t)all[i].a);
        local_family(&f.fsa, all[i].kind, all[i].numbers, all[i].a, all[i].b, 0);
        check_all(&f, 200, 300, i < 7);
    }
}

Test(decay, groups_are_refused)
{
    static const sample all[] = {{"parity", 0, 0, 0}, {"cyclic", 1, 3, 0}, {"tomita", 1, 3, 0},
                                 {"tomita", 1, 5, 0}, {"tomita", 1, 6, 0}, {"modarith", 1, 3, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        local_fixture f;
        local_family(&f.fsa, all[i].kind, all[i].numbers, all[i].a, all[i].b, 0);
        cr_assert_eq(build(&f), F2L_EDOMAIN);
        cr_assert_not_null(strstr(f.err.text, "not aperiodic"), "%s", f.err.text);
        cr_assert(f.net.layers == 0 && !f.report.level);
        local_clear(&f);
    }
}

/* Returns whether no word permutes two or three points in a cycle, by listing the monoid of at most
 * 27 maps of 3 points. */
static bool is_aperiodic(const uint32_t next[6])
{
    bool in[27] = {false};
    uint8_t map[27][3], queue[27];
    size_t tail = 1;
    memcpy(map[5], (uint8_t[]){0, 1, 2}, 3);
    in[5] = true;
    queue[0] = 5; /* 0 + 3 + 2: the identity is 0 * 9 + 1 * 3 + 2 */
    for (size_t head = 0; head < tail; head++) {
        const uint8_t *m = map[queue[head]];
        for (size_t a = 0; a < 2; a++) {
            uint8_t image[3];
            for (size_t q = 0; q < 3; q++) image[q] = (uint8_t)next[m[q] * 2 + a];
            const size_t id = image[0] * 9u + image[1] * 3u + image[2];
            if (in[id]) continue;
            in[id] = true;
            memcpy(map[id], image, 3);
            queue[tail++] = (uint8_t)id;
        }
    }
    for (size_t i = 0; i < tail; i++)
        for (size_t q = 0; q < 3; q++) {
            const uint8_t *m = map[queue[i]];
            /* After three steps a point is on its cycle. */
            const uint8_t p = m[m[m[q]]];
            if (m[p] != p) return false;
        }
    return true;
}

Test(decay, all_automata_of_three_states_and_two_letters)
{
    size_t aperiodic = 0, groups = 0;
    for (size_t code = 0; code < 729; code++) {
        local_fixture f;
        size_t dropped, rest = code;
        fsa_from_text(&f.fsa, "fsa 1\n"
                              "letters a b\n"
                              "states 0 1 2\n"
                              "start 0\n"
                              "0 a 1\n"
                              "0 b 2\n"
                              "1 a 0\n"
                              "1 b 0\n"
                              "2 a 0\n"
                              "2 b 0\n");
        cr_assert_eq(f.fsa.states.count, 3);
        for (size_t i = 0; i < 6; i++, rest /= 3) f.fsa.next[i] = (uint32_t)(rest % 3);
        cr_assert_eq(f2l_fsa_trim(&f.fsa, &dropped, NULL), F2L_OK);
        uint32_t next[6] = {0, 0, 1, 1, 2, 2}; /* unused states stay where they are */
        memcpy(next, f.fsa.next, f.fsa.states.count * 2 * sizeof *next);
        if (is_aperiodic(next)) {
            check_all(&f, 2, 100, code % 10 == 0);
            aperiodic++;
        } else {
            cr_assert_eq(build(&f), F2L_EDOMAIN);
            local_clear(&f);
            groups++;
        }
    }
    printf("%zu aperiodic, %zu not\n", aperiodic, groups);
    cr_assert(aperiodic == 249 && groups == 480);
}

/* --- boxes in general --- */

/* A network of one number: letter 1 halves it and adds a half, letter 2 negates and halves it. The
 * intervals are around 1/2 and around -1/2, with a gap between them. */
static const char text_head[] =
    "lrnn 2\n"
    "fsa 0000000000000000000000000000000000000000000000000000000000000000\n"
    "field Q\n"
    "label states\n"
    "letters 2\n"
    "letter a\n"
    "letter b\n"
    "labels 2\n"
    "symbol p\n"
    "symbol q\n"
    "start 1\n"
    "layers 1\n"
    "layer 1 letters 2 heads 1 codes 2 symbols 2 decode state\n"
    "head 1 key 1 value 1\n"
    "initial 1.1:1/2\n"
    "on 1 gate 1 factors 1\n"
    "factor 1/2 u 1:1 c 1:1\n"
    "on 2 gate 1/2 factors 1\n"
    "factor 2 u 1:1\n";
static const char text_codes[] = "code 1 1 1.1:1/2\ncode 2 2 1.1:-1/2\n";
static const char text_boxes[] = "box 1 1.1:0,1\nbox 2 1.1:-1/2,0\n";

static f2l_status read_net(f2l_net *net, const char *codes, const char *boxes, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%s%s%send\n", text_head, codes, boxes);
    f2l_net_init(net);
    *err = (f2l_error){0};
    f2l_status status = f2l_net_read(net, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

Test(decay, boxes_are_read_strictly)
{
    static const struct {
        const char *boxes, *fault; /* fault NULL: accepted */
        size_t line;
    } all[] = {{"box 1 1.1:1/4,1\nbox 2 1.1:-1,-1/8\n", NULL, 0},
               {"box 1 1.1:1/2,1/2\nbox 2 1.1:-1/2,-1/2\n", NULL, 0},
               {text_boxes, "middle", 22},
               {"box 1 1.1:1/4,1\nbox 2 1.1:-1,0\n", "middle", 23},
               {"box 1 1.1:3/4,1\nbox 2 1.1:-1,-1/8\n", "outside", 22},
               {"box 1 1.1:1/4,1\nbox 2 1.1:-1/4,-1/8\n", "outside", 23},
               {"box 1 1.1:1,1/4\nbox 2 1.1:-1,-1/8\n", "outside", 22},
               {"box 1 1.1:1/4,1\n", "expected `box`", 23},
               {"box 1 1.1:1/4,1 \nbox 2 1.1:-1,-1/8\n", "end of the line", 22},
               {"box 1 1.1:1/4\nbox 2 1.1:-1,-1/8\n", "expected `,`", 22},
               {"box 1 1.1:2/8,1\nbox 2 1.1:-1,-1/8\n", "lowest terms", 22},
               {"box 1\nbox 2 1.1:-1,-1/8\n", "expected ` `", 22},
               {"box 2 1.1:1/4,1\nbox 1 1.1:-1,-1/8\n", "must be 1", 22},
               {"box 1 1.2:1/4,1\nbox 2 1.1:-1,-1/8\n", "must be 1", 22},
               {"box 1 1.1:1/4,1\nbox 2 1.1:-1,-1/8\nbox 3 1.1:5,5\n", "expected", 24}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        f2l_net net;
        f2l_error err;
        const f2l_status status = read_net(&net, text_codes, all[i].boxes, &err);
        if (!all[i].fault) {
            cr_assert_eq(status, F2L_OK, "%zu:%zu: %s", err.line, err.column, err.text);
            check_text(&net);
        } else {
            cr_assert_eq(status, F2L_EFORMAT, "%zu", i);
            cr_assert(strstr(err.text, all[i].fault) && err.line == all[i].line,
                      "%zu: line %zu: %s", i, err.line, err.text);
        }
        f2l_net_clear(&net);
    }
}

/* A network of two numbers, whose letter projects them on the line of (1, 2). */
static f2l_status read_projection(f2l_net *net, const char *boxes, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_net_init(net);
    *err = (f2l_error){0};
    f2l_buf_printf(&text,
                   "lrnn 2\n"
                   "fsa %064d\n"
                   "field Q\n"
                   "label states\n"
                   "letters 1\n"
                   "letter a\n"
                   "labels 1\n"
                   "symbol p\n"
                   "start 1\n"
                   "layers 1\n"
                   "layer 1 letters 1 heads 1 codes 2 symbols 1 decode state\n"
                   "head 1 key 2 value 1\n"
                   "initial\n"
                   "on 1 gate 1 factors 1\n"
                   "factor 1 u 1:2 2:-1\n"
                   "code 1 1\n"
                   "code 2 1 1.1:4 2.1:1\n"
                   "%send\n",
                   0, boxes);
    f2l_status status = f2l_net_read(net, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* The image is enclosed as a whole: factor by factor, or corner by corner of low and high, it would
 * be another box. */
Test(decay, keys_of_several_entries)
{
    static const struct {
        const char *boxes, *fault;
        size_t next; /* from code 1 */
    } all[] = {{"box 1 1.1:-1,1 2.1:-2,2\nbox 2 1.1:4,4 2.1:1,1\n", NULL, 0},
               {"box 1 1.1:-1,1 2.1:-2,15/8\nbox 2 1.1:4,4 2.1:1,1\n", NULL, F2L_NO_INDEX},
               {"box 1 1.1:-1,7/8 2.1:-2,2\nbox 2 1.1:4,4 2.1:1,1\n", NULL, F2L_NO_INDEX},
               {"box 1 1.1:-1,1 2.1:-2,2\nbox 2 1.1:3,4 2.1:-2,1\n", NULL, 0}, /* by both */
               {"box 1 1.1:-1,2 2.1:-2,2\nbox 2 1.1:4,4 2.1:1,1\n", "reaches the middle", 0},
               {"box 1 1.1:-1,1 2.1:-2,2\nbox 2 1.1:1,4 2.1:-2,1\n", "reaches the middle", 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        f2l_net net;
        f2l_error err;
        f2l_exact *run;
        size_t to;
        const f2l_status status = read_projection(&net, all[i].boxes, &err);
        cr_assert_eq(status, all[i].fault ? F2L_EFORMAT : F2L_OK, "%zu: %s", i, err.text);
        cr_assert(!all[i].fault || strstr(err.text, all[i].fault), "%zu: %s", i, err.text);
        if (status == F2L_OK) {
            cr_assert_eq(f2l_exact_new(&run, &net, &err), F2L_OK, "%s", err.text);
            cr_assert_eq(f2l_exact_step_code(run, &to, 0, 0, 0, &err), F2L_OK, "%s", err.text);
            cr_assert_eq(to, all[i].next, "%zu: %zu", i, to);
            f2l_exact_free(run);
        }
        f2l_net_clear(&net);
    }
}

/* A box that a letter takes partly out of a box has no next code, wherever its code goes. */
Test(decay, the_whole_box_counts)
{
    static const struct {
        const char *boxes;
        size_t next[2]; /* after letters a and b from code 1 */
    } all[] = {{"box 1 1.1:1/4,1\nbox 2 1.1:-1,-1/8\n", {0, 1}},
               {"box 1 1.1:1/4,7/8\nbox 2 1.1:-1,-1/8\n", {F2L_NO_INDEX, 1}},
               {"box 1 1.1:1/4,1\nbox 2 1.1:-1,-1/4\n", {0, F2L_NO_INDEX}},
               {"box 1 1.1:1/2,1\nbox 2 1.1:-1/2,-1/4\n", {0, 1}},
               {"box 1 1.1:1/2,1\nbox 2 1.1:-1/2,-3/8\n", {0, F2L_NO_INDEX}}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        f2l_net net;
        f2l_error err;
        f2l_exact *run;
        cr_assert_eq(read_net(&net, text_codes, all[i].boxes, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_exact_new(&run, &net, &err), F2L_OK);
        for (size_t x = 0; x < 2; x++) {
            size_t to;
            cr_assert_eq(f2l_exact_step_code(run, &to, 0, x, 0, &err), F2L_OK);
            cr_assert_eq(to, all[i].next[x], "%zu, letter %zu: %zu", i, x + 1, to);
        }
        f2l_exact_free(run);
        f2l_net_clear(&net);
    }
}

/* A network with boxes must not get proofs that need exact states to be codes. */
Test(decay, boxes_are_no_exact_states)
{
    local_fixture f;
    f2l_unrounded unrounded;
    f2l_horizon horizon;
    f2l_net model = {0};
    local_family(&f.fsa, "counter", 1, 2, 0, 0);
    cr_assert_eq(build(&f), F2L_OK);
    cr_assert(f2l_net_has_boxes(&f.net));
    model = f.net;
    f2l_unrounded_init(&unrounded);
    cr_assert_eq(f2l_unrounded_find(&unrounded, &model, f2l_format_find("fp32"),
                                    f2l_schedule_find("every"), NULL, &f.err),
                 F2L_OK);
    cr_assert(unrounded.verdict == F2L_UNKNOWN && strstr(unrounded.reason, "boxes"));
    f2l_unrounded_clear(&unrounded);
    cr_assert_eq(f2l_horizon_find(&horizon, NULL, NULL, &f.net, f2l_format_find("bf16"),
                                  f2l_schedule_find("every"), 0, NULL, &f.err),
                 F2L_OK);
    cr_assert(!horizon.known && strstr(horizon.reason, "boxes"));
    local_clear(&f);
}

/* With any other weight of a reset, or another box, the table stays open or the boxes are
 * refused. */
Test(decay, changed_weights_are_not_verified)
{
    size_t refused = 0;
    for (size_t kind = 0; kind < 4; kind++) {
        local_fixture f;
        local_family(&f.fsa, "counter", 1, 3, 0, 0);
        cr_assert_eq(build(&f), F2L_OK);
        for (size_t l = 0; l < f.net.layers; l++) {
            f2l_layer *layer = &f.net.layer[l];
            if (!layer->low) continue;
            for (size_t x = 0; kind < 2 && x < layer->letters; x++)
                if (layer->head[0].letter[x].factors > 0)
                    mpq_set_ui(layer->head[0].letter[x].factor[0].beta, kind == 0 ? 5 : 2,
                               kind == 0 ? 8 : 3);
            for (size_t c = 0; kind >= 2 && c < layer->codes; c++) {
                f2l_qvec *end = kind == 2 ? &layer->high[c] : &layer->low[c];
                mpq_t shift;
                mpq_init(shift);
                mpq_set_si(shift, kind == 2 ? -1 : 1, 64);
                for (size_t i = 0; i < end->count; i++)
                    mpq_add(end->value[i], end->value[i], shift);
                mpq_clear(shift);
            }
        }
        cr_assert_eq(f2l_net_validate(&f.net, &f.err), F2L_OK, "%s", f.err.text);
        cr_assert_eq(local_exact(&f), F2L_OK);
        refused += f.local.verdict == F2L_UNKNOWN;
        local_clear(&f);
    }
    cr_assert_eq(refused, 4);
}

#ifdef F2L_MEM_FAILURES
Test(decay, memory_failures)
{
    local_fixture f;
    size_t failures = 0;
    local_family(&f.fsa, "counter", 1, 3, 0, 0);
    cr_assert_eq(build(&f), F2L_OK);
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_net_write(&text, &f.net, NULL), F2L_OK);
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_net copy;
        f2l_net_init(&copy);
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status =
            f2l_decay_build(&f.net, &f.report, &f.cascade, &f.fsa, F2L_LABEL_STATES, NULL, &f.err);
        if (status == F2L_OK) status = local_exact(&f);
        if (status == F2L_OK) status = f2l_net_read(&copy, text.data, text.size, &f.err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        failures += status == F2L_ENOMEM;
        f2l_net_clear(&copy);
    }
    cr_assert(f.local.verdict == F2L_OK && failures > 100, "%zu", failures);
    f2l_buf_clear(&text);
    local_clear(&f);
}
#endif
