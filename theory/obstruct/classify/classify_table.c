/* The rows of the ladder: the abilities and limits of each class of models
 * (theory/pages/ladder.md). */
#include "theory/obstruct/classify/impl.h"

const char *f2l_ladder_verdict_name(f2l_ladder_verdict verdict)
{
    static const char *const name[] = {
        "can", "can (published)", "cannot", "cannot unless TC0 = NC1", "not known", "UNKNOWN"};
    return name[verdict];
}

#define MONOTONE \
    "any number of layers; " F2L_SCOPE_SEPARATED \
    ", or by nearest codes (OB.3); and every number format with monotone rounding where a step " \
    "is a h + b, " \
    "also when product and sum round each, in a recurrence run step by step, not as a scan or " \
    "in chunks"
#define LIMIT "a limit was reached before the groups of this automaton were known"

/* Returns the largest value of a figure of the groups: L.6' requires as many layers. */
static size_t longest_group_figure(const f2l_classify *c,
                                   size_t (*length)(const f2l_ladder_group *))
{
    size_t most = 0;
    for (size_t i = 0; i < c->groups; i++)
        if (length(&c->group[i]) > most) most = length(&c->group[i]);
    return most;
}

static size_t derived(const f2l_ladder_group *g)
{
    return g->derived;
}

static size_t squares_of_group(const f2l_ladder_group *g)
{
    return g->squares;
}

void f2l_ladder_undecided(f2l_ladder_row *row)
{
    row->verdict = F2L_LADDER_UNKNOWN;
    row->scope = LIMIT;
}

/* Returns what finitely many exact states allow below the row's verdict (L.5). */
static const char *finite_exact(const f2l_classify *c)
{
    if (!c->idempotent)
        return "with finitely many exact states it cannot (L.5): some letter does not do twice "
               "what it does once";
    if (c->hold_or_reset)
        return "every letter holds or resets, so that one layer with finitely many exact states "
               "suffices too";
    return "whether finitely many exact states suffice is not known; every letter is idempotent, "
           "as they need (L.5)";
}

void f2l_ladder_can_decay(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->statement = "L.8, R8";
    row->scope = "exact arithmetic with decoders that tell states apart by finitely many closed "
                 "convex sets of positive distance from each other, the scope of `cannot` in this "
                 "row (L.16): there are infinitely many states, in disjoint intervals; a format's "
                 "verdict is its own";
    row->construction = "R8, compile --target diagonal-positive";
    row->layers = c->levels;
    row->householders = row->dimension = c->levels > 0;
    row->remark = finite_exact(c);
}

static void diagonal_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
    } else if (c->aperiodic == F2L_TERNARY_YES) {
        f2l_ladder_can_decay(row, c);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = "L.3, L.16";
        row->scope = MONOTONE;
        row->witness = true;
    }
}

void f2l_ladder_diagonal_real(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->two_groups == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
    } else if (c->two_groups == F2L_TERNARY_YES) {
        row->verdict = F2L_LADDER_CAN;
        row->statement = "L.9";
        row->scope = "exact arithmetic with finitely many states; entries -1, 0 and 1";
        row->construction = "L.9, compile --target diagonal";
        row->layers_at_least = longest_group_figure(c, squares_of_group);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = "L.4, L.16";
        row->scope = MONOTONE;
        row->odd = true;
    }
}

void f2l_ladder_diagonal_complex(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->solvable == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
    } else if (c->solvable == F2L_TERNARY_YES) {
        row->verdict = F2L_LADDER_CAN;
        row->statement = "L.9";
        row->scope =
            "exact arithmetic with finitely many states; entries 0 and roots of unity, algebraic "
            "numbers that formats round";
        row->construction = "L.9, compile --target complex";
        row->layers_at_least = longest_group_figure(c, derived);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = "L.6', L.11";
        row->scope =
            "any number of layers. Without condition in exact arithmetic with finitely many "
            "reachable states (L.6'); unless TC0 = NC1 where a layer is computed as its sums of "
            "products to logarithmic precision (L.11); not known where every step rounds";
        row->pair = true;
    }
}

static void deltanet_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
    } else if (c->aperiodic == F2L_TERNARY_YES) {
        f2l_ladder_can_decay(row, c);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = c->any.length == 1 ? "L.7, L.16, T1" : "L.7, L.16";
        row->scope =
            c->any.length == 1
                ? "any number of layers; " F2L_SCOPE_SEPARATED
                  "; and for DeltaNet itself one rounding of "
                  "the state after exact products (T1: the word is a letter). FALSE where each "
                  "operation rounds: bf16 holds networks for parity (P8 and P10 of "
                  "theory/pages/parity.md); " F2L_SCOPE_NEAREST
                : "any number of layers; " F2L_SCOPE_SEPARATED
                  ". Not claimed under rounding: the word is no "
                  "letter, and where each operation rounds it is FALSE (P8 and P10 of "
                  "theory/pages/parity.md); " F2L_SCOPE_NEAREST;
        row->witness = true;
    }
}

static void put_figures(f2l_ladder_row *row, const f2l_t4_figures *f)
{
    row->layers = f->layers;
    row->householders = f->householders;
    row->dimension = f->key_dim;
}

/* Fills the row: one layer if a letter takes one factor there, two for Z_m and D_m, otherwise four
 * (L.10 with one level). */
static void deltanet_permutation(f2l_ladder_row *row, const f2l_classify *c)
{
    row->layers = 1;
    if (!c->groups && c->groups_known) {
        row->statement = row->construction = "T3";
    } else if (c->householders == 1) {
        row->statement = row->construction = "R1";
        row->dimension = c->dimension;
    } else if (c->reflections == 1) {
        row->statement = row->construction = "T3";
        row->dimension = c->points;
    } else if (c->turn) {
        row->statement = row->construction = c->dihedral ? "D2" : "T5";
        row->layers = 2;
        row->dimension = c->turn == 3 ? 4 : 2;
    } else {
        row->statement = "L.10";
        row->construction = "L.10, or D1 with dyadic weights, which has more layers beyond 7 "
                            "points";
        row->layers = 4;
    }
}

size_t f2l_ladder_least_levels(const f2l_classify *c)
{
    const size_t most = c->fsa->states.count - 1;
    return c->levels && c->levels < most ? c->levels : most;
}

void f2l_ladder_deltanet(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->householders = 1;
    row->scope = "exact arithmetic with finitely many states, one factor for each letter";
    if (c->permutation) {
        deltanet_permutation(row, c);
        return;
    }
    row->statement = row->construction = "L.10";
    row->layers = 2 + 2 * f2l_ladder_least_levels(c);
    if (c->cascade.householders == 1 && c->cascade.layers <= row->layers) {
        row->statement = row->construction = c->definite && c->k == 1 ? "K" : "T4";
        put_figures(row, &c->cascade);
    } else if (c->solvable == F2L_TERNARY_YES) {
        row->construction = "L.10, compile --target one-reflection (G.10), whose layers are others";
    } else {
        row->construction =
            "L.10, compile --target one-reflection (BL.4), whose clock may have more "
            "layers";
    }
}

static void permutation_layer(f2l_ladder_row *row, const f2l_classify *c)
{
    row->layers = 1;
    if (c->householders) {
        row->statement = row->construction = "R1";
        row->householders = c->householders;
        row->dimension = c->dimension;
        row->remark =
            "the fewest factors of one layer whose transitions are orthogonal and generate the "
            "group itself (R1)";
        return;
    }
    row->statement = row->construction = "T3";
    row->householders = c->reflections;
    row->dimension = c->points;
}

/* Fills the row for any automaton: by holonomy, or in |Q| - 1 levels where holonomy has more or its
 * sets exceeded a limit (T4.7). */
static void deltaproduct(f2l_ladder_row *row, const f2l_classify *c)
{
    const size_t most = c->fsa->states.count - 1;
    row->verdict = F2L_LADDER_CAN;
    row->scope = "exact arithmetic with finitely many states, eigenvalues in [-1,1]";
    if (c->permutation) {
        permutation_layer(row, c);
    } else if (c->definite) {
        row->statement = row->construction = "K";
        row->layers = 1;
        row->householders = c->k > 1 ? c->k + 1 : c->k;
        row->dimension = c->k > 1 ? 2 * c->k : c->k;
    } else {
        row->statement = row->construction = "T4";
        put_figures(row, &c->cascade);
        if (row->layers && row->layers <= most) return;
        row->statement = row->construction = "T4.7, T4.9";
        row->layers = most;
        row->householders = row->dimension = 0;
    }
}

static void gated(f2l_ladder_row *row, const f2l_classify *c)
{
    deltaproduct(row, c);
    if (c->permutation || c->definite) return;
    row->statement = "T4.11";
    row->construction = "T4, compile --gated";
    put_figures(row, &c->gated);
    if (!row->layers) row->layers = 2 * (c->fsa->states.count - 1) - 1;
    row->scope = "exact arithmetic with finitely many states; resets by a gate of 0";
}

/* Fills the row for diag(w) - k (a k)^T with w in [0.54, 1], a in [0, 1]^n: a letter's eigenvalues
 * lie in (-0.46, 1]. */
static void rwkv7(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_by_letters(row, c, "L.18")) return;
    f2l_ladder_can_decay(row, c);
    row->remark = "the network of diagonal [0,1], with w = 1 and a = beta";
}

static void rwkv7_double(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_deltanet(row, c);
    row->scope = "exact arithmetic with finitely many states: it contains DeltaNet [-1,1], by w = "
                 "1 and a = beta / 2. Its paper claims all regular languages (arXiv 2503.14456)";
}

void f2l_ladder_table(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->statement = row->construction = "L.12";
    row->scope = "exact arithmetic with entries 0 and 1, in every format; transitions are "
                 "column-one-hot";
    row->layers = 1;
    row->dimension = c->fsa->states.count;
    row->remark = "not compiled here: the transitions of the automaton are the weights";
}

void f2l_ladder_attention(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->solvable == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
        return;
    }
    if (c->solvable == F2L_TERNARY_NO) {
        row->verdict = F2L_LADDER_UNLESS;
        row->statement = "L.11";
        row->scope =
            "fixed depth and logarithmic precision (Merrill and Sabharwal 2023, with Barrington "
            "1989)";
        row->pair = true;
        return;
    }
    row->verdict = F2L_LADDER_PUBLISHED;
    row->statement = "L.13";
    row->scope = "for every length another network of the same depth (Liu et al. 2023); not "
                 "checked here";
    if (c->aperiodic == F2L_TERNARY_YES)
        row->remark =
            "all lengths by one network with hard attention, strict masking and without position "
            "embeddings: such networks recognise exactly the star-free languages (Yang, Chiang and "
            "Angluin 2024); not checked here";
}

typedef void fill_row(f2l_ladder_row *row, const f2l_classify *c);

static fill_row *const fill[F2L_LADDER_CLASSES] = {
    [F2L_LADDER_DIAGONAL_POSITIVE] = diagonal_positive,
    [F2L_LADDER_DIAGONAL_REAL] = f2l_ladder_diagonal_real,
    [F2L_LADDER_DIAGONAL_COMPLEX] = f2l_ladder_diagonal_complex,
    [F2L_LADDER_DELTANET_POSITIVE] = deltanet_positive,
    [F2L_LADDER_DELTANET] = f2l_ladder_deltanet,
    [F2L_LADDER_DELTAPRODUCT_POSITIVE] = f2l_ladder_products_positive,
    [F2L_LADDER_DELTAPRODUCT] = deltaproduct,
    [F2L_LADDER_GATED_POSITIVE] = f2l_ladder_products_positive,
    [F2L_LADDER_GATED] = gated,
    [F2L_LADDER_KDA_POSITIVE] = f2l_ladder_kda_positive,
    [F2L_LADDER_KDA] = f2l_ladder_kda,
    [F2L_LADDER_GDN2] = f2l_ladder_gdn2,
    [F2L_LADDER_GDN2_DOUBLE] = f2l_ladder_gdn2_double,
    [F2L_LADDER_RWKV7] = rwkv7,
    [F2L_LADDER_RWKV7_DOUBLE] = rwkv7_double,
    [F2L_LADDER_PD_SSM] = f2l_ladder_table,
    [F2L_LADDER_PD_SSM_SOFT] = f2l_ladder_pd_ssm_soft,
    [F2L_LADDER_MOORE_SSM] = f2l_ladder_moore_ssm,
    [F2L_LADDER_BLOCK_DIAGONAL] = f2l_ladder_block_diagonal,
    [F2L_LADDER_COMPLEX_KDA_POSITIVE] = f2l_ladder_complex_kda_positive,
    [F2L_LADDER_COMPLEX_KDA] = f2l_ladder_complex_kda,
    [F2L_LADDER_COMPLEX_KDA_BEYOND] = f2l_ladder_complex_kda,
    [F2L_LADDER_MAMBA3] = f2l_ladder_mamba3,
    [F2L_LADDER_MOMENTUM] = f2l_ladder_momentum,
    [F2L_LADDER_MOMENTUM_PLAIN] = f2l_ladder_momentum_plain,
    [F2L_LADDER_KACZMARZ] = f2l_ladder_kaczmarz,
    [F2L_LADDER_FIXED_POINT] = f2l_ladder_fixed_point,
    [F2L_LADDER_M2RNN] = f2l_ladder_m2rnn,
    [F2L_LADDER_LOG_LINEAR_POSITIVE] = f2l_ladder_log_linear_positive,
    [F2L_LADDER_LOG_LINEAR] = f2l_ladder_log_linear,
    [F2L_LADDER_PATH] = f2l_ladder_path,
    [F2L_LADDER_HYBRID_DIAGONAL] = f2l_ladder_hybrid_diagonal,
    [F2L_LADDER_HYBRID_POSITIVE] = f2l_ladder_hybrid_positive,
    [F2L_LADDER_HYBRID_LETTERS] = f2l_ladder_hybrid_letters,
    [F2L_LADDER_TRANSFORMER] = f2l_ladder_attention};

void f2l_classify_rows(f2l_classify *out)
{
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        f2l_ladder_row *row = &out->row[i];
        *row = (f2l_ladder_row){.id = f2l_ladder_models[i].id,
                                .name = f2l_ladder_models[i].name,
                                .models = f2l_ladder_models[i].models,
                                .statement = "",
                                .scope = "",
                                .remark = "",
                                .construction = "",
                                .reached_by = ""};
        fill[i](row, out);
        f2l_ladder_decide_reached(row, f2l_ladder_models[i].reach, out);
    }
}
