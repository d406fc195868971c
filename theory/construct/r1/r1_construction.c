/* R1 and R2 as a construction: representations of the transition group, of a cover of it, or signed
 * permutations. */
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/facts/layout.h"
#include "theory/construct/construction.h"
#include "theory/construct/r1/r1.h"
#include <stdio.h>
#include <string.h>

#define HEADS_SHOWN 12
/* A search without bounds tries only groups of at most this many elements, and only lists of them
 * of at most this many numbers. */
#define MODEST_ORDER ((size_t)2000)
#define MODEST_LIST ((size_t)1 << 20)

/* What the rows share. */
typedef struct shared {
    bool has_least, tried;
    /* lower bounds from the orders of the letters: for any orthogonal matrices; for signed
     * permutations */
    f2l_compile_figures least, least_signed;
    f2l_status status; /* of the attempt to analyse the transition group */
    f2l_error why;
    f2l_r1 r1;
} shared;

static void clear_shared(void *data)
{
    shared *s = data;
    if (s->tried) f2l_r1_clear(&s->r1);
}

static const f2l_shared_kind kind = {sizeof(shared), clear_shared};

static size_t most_elements(const f2l_construct_job *job)
{
    const f2l_compile_options *o = job->options;
    if (o->all || f2l_compile_has_bounds(&o->bounds)) return 0;
    const size_t listed = MODEST_LIST / job->states + 1;
    return listed < MODEST_ORDER ? listed : MODEST_ORDER;
}

/* Raises the lower bound: a reflection has order 2; a product of two reflections can have any
 * order. */
static void raise_orthogonal(f2l_compile_figures *least, const uint32_t *power, size_t points)
{
    size_t primes = 0;
    for (size_t p = 2; p <= points; p++) primes += power[p] > 1;
    if (primes == 0) return;
    const bool involution = primes == 1 && power[2] == 2;
    const size_t factors = involution ? 1 : 2;
    if (factors > least->householders) least->householders = least->factors_per_token = factors;
    if (factors > least->states) least->states = factors;
}

/* Raises the lower bound for signed permutations. A cycle of n points has order n and rank n - 1,
 * or, with an odd number of changes of sign, order 2 n and rank n. So for every odd prime power q
 * of the order some cycle has a multiple of q points, and for 2^e some cycle has a multiple of
 * 2^(e-1). A cycle that serves several prime powers is no smaller than one for each, except that a
 * change of sign needs no point of its own. Heads of more than one point have even dimensions
 * (theory/rep/dyadic/dyadic.h). */
static void raise_signed(f2l_compile_figures *least, const uint32_t *power, size_t points)
{
    size_t odd = 0, factors = power[2] / 2, states = 0;
    for (size_t p = 3; p <= points; p++) {
        if (power[p] == 1) continue;
        odd += power[p];
        factors += power[p] - 1;
    }
    states = odd + odd % 2 + (power[2] > 2 || odd == 0 ? power[2] / 2 : 0);
    if (factors > least->factors_per_token) least->factors_per_token = factors;
    if (states > least->states) least->states = states;
}

/* Computes the lower bounds that the orders of the letters give, once for all rows. */
static f2l_status find_least(shared *s, const f2l_construct_job *job, f2l_error *err)
{
    const f2l_gset *set = &job->set;
    if (s->has_least) return F2L_OK;
    uint32_t *power = f2l_calloc(set->points + 3, sizeof *power);
    uint8_t *seen = f2l_calloc(set->points + 1, 1);
    s->least = s->least_signed =
        (f2l_compile_figures){.layers = 1, .states = 1, .key_dim = 1, .table_entries = job->states};
    for (size_t a = 0; power && seen && a < set->letters; a++) {
        f2l_perm_prime_powers(power, seen, set->image + a * set->points, set->points);
        raise_orthogonal(&s->least, power, set->points);
        raise_signed(&s->least_signed, power, set->points);
    }
    s->least_signed.householders = s->least.householders;
    s->has_least = power && seen;
    f2l_free(power);
    f2l_free(seen);
    return s->has_least ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status r1_applies(f2l_construct_job *job, f2l_error *err)
{
    f2l_status status = f2l_construct_represent(job, err);
    if (status != F2L_OK) return status;
    shared *s = f2l_construct_share(job, &kind, err);
    return s ? find_least(s, job, err) : F2L_ENOMEM;
}

static void set_least_r1(f2l_compile_figures *out, const f2l_construct_job *job)
{
    const shared *s = f2l_construct_shared(job, &kind);
    *out = job->variant->number == F2L_R1_DYADIC ? s->least_signed : s->least;
    if (!s->tried || s->status != F2L_OK || job->variant->number == F2L_R1_COVER) return;
    const size_t minimum = s->r1.tables.householders.minimum;
    if (minimum > out->householders) out->householders = minimum;
    if (minimum > out->factors_per_token) out->factors_per_token = minimum;
}

static f2l_status prepare_r1(f2l_construct_job *job, f2l_error *err)
{
    shared *s = f2l_construct_shared(job, &kind);
    if (!s->tried) {
        f2l_r1_init(&s->r1);
        s->tried = true;
        s->status = f2l_r1_analyse(&s->r1, job->subject, most_elements(job), job->task, &s->why);
    }
    return s->status == F2L_OK ? F2L_OK : f2l_fail(err, s->status, "%s", s->why.text);
}

static f2l_status build_r1_row(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err)
{
    const shared *s = f2l_construct_shared(job, &kind);
    snprintf(out->one_layer, sizeof out->one_layer, "permutation automaton");
    f2l_r1_report_init(out->detail);
    return f2l_r1_build(&out->net, out->detail, &s->r1, job->label,
                        (f2l_r1_variant)job->variant->number, NULL, job->task, err);
}

static void clear_r1_detail(void *detail)
{
    f2l_r1_report_clear(detail);
}

static void describe_r1(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_r1_report *r1 = c->detail;
    const f2l_fact o = f2l_say_object(in, "representations");
    f2l_say_count(o, "group_order", r1->order);
    f2l_say_count(o, "acting_order", r1->acting);
    const f2l_fact heads = f2l_say_list(o, "head_representations");
    for (size_t h = 0; h < r1->heads; h++) {
        const f2l_fact head = f2l_say_object(heads, NULL);
        f2l_say_count(head, "dimension", r1->head[h].dimension);
        f2l_say_truth(head, "signed_permutation", r1->head[h].permutes);
        f2l_say_count(head, "field_degree", r1->head[h].field_degree);
        f2l_say_count(head, "householders", r1->head[h].most);
    }
    f2l_say_count(o, "least_householders", r1->lower);
    f2l_say_truth(o, "minimal", r1->minimal);
    f2l_say_truth(o, "complete", r1->complete);
    f2l_say_text(o, "scope", r1->scope);
}

static void tell(f2l_buf *out, f2l_fact facts, const f2l_compile_result *c)
{
    const f2l_r1_report *r1 = c->detail;
    f2l_buf_printf(out, "the transition group has order %zu", r1->order);
    if (r1->acting != r1->order) f2l_buf_printf(out, "; a cover of order %zu acts", r1->acting);
    f2l_buf_text(out, "; dimensions of the heads: ");
    f2l_layout_items(out, f2l_get(facts, "representations.head_representations"), 0, HEADS_SHOWN,
                     "{dimension}{signed_permutation? (signed permutation)}{field_degree=1?| (over "
                     "a field of degree {field_degree})}",
                     ", ");
    if (r1->heads > HEADS_SHOWN) f2l_buf_printf(out, " and %zu more", r1->heads - HEADS_SHOWN);
}

static const f2l_variant variant[] = {{"R1", "dyadic keys", .number = F2L_R1_DYADIC},
                                      {"R1", "irreducible", .number = F2L_R1_GROUP, .rounds = true},
                                      {"R2", "cover", .number = F2L_R1_COVER, .rounds = true}};

const f2l_construction f2l_construction_r1 = {
    .variant = variant,
    .variants = sizeof variant / sizeof *variant,
    .applies = r1_applies,
    .least = set_least_r1,
    .prepare = prepare_r1,
    .detail = sizeof(f2l_r1_report),
    .build = build_r1_row,
    .proof = &f2l_proof_joint,
    .title = "permutation automaton, one layer",
    .describe = describe_r1,
    .tell = tell,
    .lines = "\n{representations.minimal?n_h is least|n_h is not known to be least}: "
             "{representations.scope}\n",
    .clear = clear_r1_detail};
