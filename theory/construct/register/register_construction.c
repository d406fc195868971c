/* K as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/register/register.h"
#include <stdio.h>

/* What f2l_definite_find says of the subject. */
typedef struct found {
    bool known;
    f2l_definite definite;
} found;

static void clear_register_detail(void *data)
{
    f2l_definite_clear(&((found *)data)->definite);
}

static const f2l_shared_kind kind = {sizeof(found), clear_register_detail};

/* A permutation automaton never forgets a state, so it is definite only if it has one state, and
 * then T3 serves it. */
static f2l_status register_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "no word makes a permutation automaton forget its state");
    found *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    if (!f->known) {
        f2l_status status = f2l_definite_find(&f->definite, job->subject, 0, job->task, err);
        if (status != F2L_OK) return status;
        f->known = true;
    }
    return f->definite.definite ? F2L_OK
                                : f2l_fail(err, F2L_EDOMAIN, "the automaton is not definite");
}

static void set_least_register(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    const size_t k = f->definite.k;
    out->layers = 1;
    out->householders = out->factors_per_token = k > 1 ? k + 1 : k;
    out->key_dim = out->states = k > 1 ? 2 * k : k;
    out->table_entries = job->states;
}

static f2l_status build_register_row(f2l_compile_result *out, f2l_construct_job *job,
                                     f2l_error *err)
{
    const found *f = f2l_construct_shared(job, &kind);
    snprintf(out->one_layer, sizeof out->one_layer, "k-definite, k = %zu", f->definite.k);
    return f2l_register_build(&out->net, out->detail, job->subject, job->label, &f->definite,
                              job->task, err);
}

static void describe_register(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_register_report *k = c->detail;
    const f2l_fact o = f2l_say_object(in, "register");
    f2l_say_count(o, "k", k->k);
    f2l_say_count(o, "letter_classes", k->letter_classes);
    f2l_say_truth(o, "empty_at_first", k->empty);
}

static const f2l_variant variant[] = {{.theorem = "K", .name = "register"}};

const f2l_construction f2l_construction_register = {
    .variant = variant,
    .variants = 1,
    .applies = register_applies,
    .least = set_least_register,
    .detail = sizeof(f2l_register_report),
    .build = build_register_row,
    .proof = &f2l_proof_joint,
    .title = "definite automaton, one layer",
    .describe = describe_register,
    .lines = "a register of the last {register.k letter}, told apart by {register.letter_classes "
             "class/classes}; at first it {register.empty_at_first?is empty|holds a word that "
             "leads to the start}\n"
             "one layer\tsuffices: the automaton is {one_layer}\n"};
