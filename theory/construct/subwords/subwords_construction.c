/* PT as a construction. */
#include "theory/construct/construction.h"
#include "theory/construct/subwords/subwords.h"
#include <stdio.h>

typedef struct found {
    bool known;
    f2l_subwords subwords;
} found;

typedef struct detail {
    size_t words, longest, repeated, contents;
} detail;

static void clear_found_subwords(void *data)
{
    f2l_subwords_clear(&((found *)data)->subwords);
}

static const f2l_shared_kind kind = {sizeof(found), clear_found_subwords};

static f2l_status subwords_applies(f2l_construct_job *job, f2l_error *err)
{
    if (job->permutes)
        return f2l_fail(err, F2L_EDOMAIN, "every letter permutes the states, so T3 applies");
    if (job->states < job->subject->states.count)
        return f2l_fail(err, F2L_EDOMAIN, "some states are not reached");
    return f2l_construct_states_only(job, err);
}

static f2l_status prepare_subwords(f2l_construct_job *job, f2l_error *err)
{
    found *f = f2l_construct_share(job, &kind, err);
    if (!f) return F2L_ENOMEM;
    if (f->known) return F2L_OK;
    f2l_status status = f2l_subwords_find(&f->subwords, job->subject, job->label, job->task, err);
    f->known = status == F2L_OK;
    return status;
}

static void set_least_subwords(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const found *f = f2l_construct_shared(job, &kind);
    *out = (f2l_compile_figures){.layers = 1,
                                 .householders = 1,
                                 .factors_per_token = 1,
                                 .key_dim = 1,
                                 .states = 1,
                                 .table_entries = 2};
    if (!f || !f->known) return;
    const f2l_subwords *s = &f->subwords;
    out->layers = s->word[s->words - 1].length;
    out->factors_per_token = out->states = s->words;
    for (size_t w = 0; w < s->words; w++) {
        if (!s->word[w].twice) continue;
        out->factors_per_token += 2;
        out->states += 3;
        out->householders = 3;
        out->key_dim = 4;
    }
}

static f2l_status build_subwords_row(f2l_compile_result *out, f2l_construct_job *job,
                                     f2l_error *err)
{
    const f2l_subwords *s = &((const found *)f2l_construct_shared(job, &kind))->subwords;
    detail *d = out->detail;
    *d = (detail){
        .words = s->words, .longest = s->word[s->words - 1].length, .contents = s->contents};
    for (size_t w = 0; w < s->words; w++) d->repeated += s->word[w].twice;
    if (d->longest <= 1)
        snprintf(out->one_layer, sizeof out->one_layer, "told apart by the letters that occurred");
    return f2l_subwords_build(&out->net, s, job->subject, job->label, job->task, err);
}

static void describe_subwords(f2l_fact in, const f2l_compile_result *c)
{
    const detail *d = c->detail;
    const f2l_fact o = f2l_say_object(in, "subwords");
    f2l_say_count(o, "subword_count", d->words);
    f2l_say_count(o, "longest_subword", d->longest);
    f2l_say_count(o, "repeated_letters", d->repeated);
    f2l_say_count(o, "subword_sets", d->contents);
}

static const f2l_variant variant[] = {{.theorem = "PT", .name = "subwords", .published = true}};

const f2l_construction f2l_construction_subwords = {
    .variant = variant,
    .variants = 1,
    .applies = subwords_applies,
    .least = set_least_subwords,
    .prepare = prepare_subwords,
    .detail = sizeof(detail),
    .build = build_subwords_row,
    .proof = &f2l_proof_joint,
    .title = "subwords, a layer for each length",
    .describe = describe_subwords,
    .lines = "the label depends on which of {subwords.subword_count word} of at most "
             "{subwords.longest_subword letter} are subwords of the input: a head for each\n"
             "{one_layer?one layer\tsuffices: the states are {one_layer}\n}"};
