#include "models/learn/seq/delta/seq_delta.h"
#include "numeric/base/rng.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/horizon/forever_impl.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define LAST "tests/data/learned-last"
enum { MOST = F2L_FOREVER_DIRECTIONS, STATE = 64, LETTERS = 400 };

typedef struct fixture {
    trained_run run;
    f2l_learned_forever proof;
} fixture;

static void open_run(fixture *f, const char *folder)
{
    trained_run_open(&f->run, folder);
    f2l_learned_forever_init(&f->proof);
}

static f2l_status build(fixture *f, size_t scope, double seconds)
{
    f2l_learned_forever_clear(&f->proof);
    return f2l_learned_forever_build(&f->proof, &f->run.model, f->run.parameters, &f->run.file.fsa,
                                     false, f2l_learned_scope_at(scope), seconds, NULL,
                                     &f->run.err);
}

static void done(fixture *f)
{
    f2l_learned_forever_clear(&f->proof);
    trained_run_clear(&f->run);
}

static double *tensor(fixture *f, size_t index, size_t *count)
{
    *count = f->run.model.tensor[index].count;
    return f->run.parameters + f->run.model.tensor[index].offset;
}

/* Returns the least room that the set of a state has for the network's states. */
static double room_in_set(const f2l_learned_forever *p, const double *state, size_t q)
{
    const size_t K = p->key, V = p->value;
    double room = INFINITY;
    for (size_t h = 0; h < p->heads; h++)
        for (size_t i = 0; i < V * p->many[h]; i++) {
            const size_t v = i % V, d = i / V;
            double at = 0;
            for (size_t k = 0; k < K; k++)
                at += p->direction[(h * MOST + d) * K + k] * state[(h * K + k) * V + v];
            room = fmin(room, p->set[((q * p->heads + h) * V + v) * MOST + d] - at);
        }
    return room;
}

/* Words of all letters, and of one letter nearly always, stay in the sets; an interval or polygon
 * that is a thousandth of its number smaller does not hold all states. */
static void check_words(fixture *f)
{
    f2l_learned_net net;
    f2l_rng rng;
    const f2l_learned_forever *p = &f->proof;
    const size_t letters = f->run.file.fsa.letters.count, size = p->key * p->value;
    double least = INFINITY, state[STATE];
    cr_assert(p->heads * size <= STATE);
    cr_assert(f2l_learned_net_build(&net, &f->run.model, f->run.parameters, p->scope, NULL,
                                    &f->run.err) == F2L_OK);
    f2l_rng_init(&rng, 3, 0);
    for (size_t word = 0; word < 50; word++) {
        size_t q = f->run.file.fsa.start, often = f2l_rng_below(&rng, letters);
        memcpy(state, net.start, p->heads * size * sizeof *state);
        for (size_t i = 0; i < LETTERS; i++) {
            const size_t any = f2l_rng_below(&rng, letters);
            const size_t w = word % 2 && f2l_rng_below(&rng, 9) > 0 ? often : any;
            least = fmin(least, room_in_set(p, state, q));
            for (size_t h = 0; h < p->heads; h++)
                f2l_learned_apply(state + h * size, state + h * size, &net, w, h, p->value, true);
            q = f->run.file.fsa.next[q * letters + w];
        }
    }
    cr_assert(least > 0 && least < 0.01, "%g", least);
    f2l_learned_net_clear(&net);
}

/* Returns the number of leaves of a whole tree, which ends with the last node. */
static size_t leaves_of(const f2l_learned_forever *p, size_t letters)
{
    size_t open = letters, leaves = 0;
    for (size_t i = 0; i < p->nodes; i++) {
        cr_assert(open > 0);
        open += p->tree[i] == F2L_FOREVER_INNER ? letters - 1 : (size_t)-1;
        leaves += p->tree[i] != F2L_FOREVER_INNER;
    }
    cr_assert(open == 0);
    return leaves;
}

Test(forever, is_proved)
{
    fixture f;
    open_run(&f, LAST);
    for (size_t scope = 0; scope < 3; scope++) {
        f2l_buf text;
        const f2l_learned_files files = {"a", "b", "c"};
        cr_assert(build(&f, scope, 60) == F2L_OK, "%s", f.run.err.text);
        cr_assert(f.proof.end == F2L_FOREVER_PROVED && f.proof.norm < 1);
        cr_assert(f.proof.leaves == leaves_of(&f.proof, f.run.file.fsa.letters.count));
        cr_assert(f.proof.leaves < f.proof.nodes && f.proof.depth > 1);
        check_words(&f);
        f2l_buf_init(&text);
        cr_assert(f2l_learned_forever_write(&text, &f.proof, &files, &f.run.err) == F2L_OK);
        cr_assert(strncmp(text.data, "learned-cert 1\nfsa a\nconfig b\n", 30) == 0);
        cr_assert(strstr(text.data, "\nclaim forever\ndirections ") != NULL);
        f2l_buf_clear(&text);
    }
    done(&f);
}

/* What a head of this network keeps of a letter does not fade where a key is 0. */
Test(forever, needs_contraction)
{
    fixture f;
    f2l_buf text;
    size_t count;
    const f2l_learned_files files = {"a", "b", "c"};
    open_run(&f, LAST);
    const size_t *mixer = f.run.model.layer[0].mixer;
    double *keys = tensor(&f, mixer[F2L_DELTA_KEY], &count);
    memset(keys, 0, count / 2 * sizeof *keys); /* of the first factor */
    cr_assert(build(&f, 0, 60) == F2L_OK);
    cr_assert(f.proof.end == F2L_FOREVER_NORM && fabs(f.proof.norm - 1) < 1e-9);
    cr_assert(f.proof.nodes == 0);
    f2l_buf_init(&text);
    cr_assert(f2l_learned_forever_write(&text, &f.proof, &files, &f.run.err) == F2L_EDOMAIN);
    f2l_buf_clear(&text);
    done(&f);
}

Test(forever, finds_wrong_words)
{
    fixture f;
    size_t count;
    open_run(&f, LAST);
    double *head = tensor(&f, f.run.model.head, &count);
    for (size_t i = 0; i < count; i++) head[i] = -head[i];
    cr_assert(build(&f, 0, 60) == F2L_OK);
    cr_assert(f.proof.end == F2L_FOREVER_WRONG && f.proof.word_length == 1);
    memset(head, 0, count * sizeof *head); /* all labels are alike */
    cr_assert(build(&f, 0, 60) == F2L_OK);
    cr_assert(f.proof.end == F2L_FOREVER_OPEN && f.proof.word_length == 1);
    done(&f);
}

Test(forever, ends_in_time)
{
    fixture f;
    open_run(&f, LAST);
    cr_assert(build(&f, 0, -1) == F2L_OK);
    cr_assert(f.proof.end == F2L_FOREVER_LATE);
    volatile sig_atomic_t stop = 1;
    const f2l_task task = {.cancel = &stop};
    f2l_learned_forever_clear(&f.proof);
    cr_assert(f2l_learned_forever_build(&f.proof, &f.run.model, f.run.parameters, &f.run.file.fsa,
                                        false, f2l_learned_scope_at(0), 60, &task,
                                        &f.run.err) == F2L_UNKNOWN);
    cr_assert(f.proof.tree == NULL && f.proof.set == NULL);
    done(&f);
}

Test(forever, other_classes)
{
    fixture f;
    open_run(&f, "tests/data/learned-s3");
    cr_assert(build(&f, 0, 60) == F2L_EDOMAIN &&
              strstr(f.run.err.text, "key dimensions of 1 and 2"));
    f.run.model.config.convolution = 4;
    cr_assert(build(&f, 0, 60) == F2L_EDOMAIN && strstr(f.run.err.text, "short convolution"));
    done(&f);
}
