/* The rows of the ladder: what each class of models can and cannot do (theory/ladder.md). */
#include "f2l_classify_impl.h"

const char *f2l_ladder_verdict_name(f2l_ladder_verdict verdict)
{
    static const char *const name[] = {"can",       "can (published)", "cannot", "cannot unless TC0 = NC1",
                                       "not known", "UNKNOWN"};
    return name[verdict];
}

#define MONOTONE                                                                                             \
    "any number of layers and any decoders; exact arithmetic with finitely many reachable states, and "      \
    "every "                                                                                                 \
    "number format with monotone rounding where a step is a h + b, also when product and sum round each"
#define LIMIT "a limit was reached before the groups of this automaton were known"

static void undecided(f2l_ladder_row *row)
{
    row->verdict = F2L_LADDER_UNKNOWN;
    row->scope = LIMIT;
}

/* What finitely many exact states allow below the row's verdict (L.5). */
static const char *finite_exact(const f2l_classify *c)
{
    if (!c->idempotent)
        return "with finitely many exact states it cannot (L.5): some letter does not do twice what it does "
               "once";
    if (c->hold_or_reset)
        return "every letter holds or resets, so that one layer with finitely many exact states suffices too";
    return "whether finitely many exact states suffice is not known; every letter is idempotent, as they "
           "need (L.5)";
}

static void can_decay(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->statement = "L.8, R8";
    row->scope =
        "exact arithmetic with infinitely many states in disjoint intervals; a format's verdict is its own";
    row->construction = "R8, compile --target diagonal-positive";
    row->layers = c->levels;
    row->householders = row->dimension = c->levels > 0;
    row->remark = finite_exact(c);
}

static void diagonal_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        undecided(row);
    } else if (c->aperiodic == F2L_TERNARY_YES) {
        can_decay(row, c);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = "L.3 (T1 over words)";
        row->scope = MONOTONE;
        row->witness = true;
    }
}

static void diagonal_real(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->two_groups == F2L_TERNARY_UNKNOWN) {
        undecided(row);
    } else if (c->two_groups == F2L_TERNARY_YES) {
        row->verdict = F2L_LADDER_CAN;
        row->statement = "L.9";
        row->scope = "exact arithmetic with finitely many states; entries -1, 0 and 1";
        row->construction = "L.9, compile --target diagonal";
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = "L.4 (T2 over words)";
        row->scope = MONOTONE;
        row->odd = true;
    }
}

static void diagonal_complex(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->solvable == F2L_TERNARY_UNKNOWN) {
        undecided(row);
    } else if (c->solvable == F2L_TERNARY_YES) {
        row->verdict = F2L_LADDER_CAN;
        row->statement = "L.9";
        row->scope =
            "exact arithmetic with finitely many states; entries 0 and roots of unity, algebraic numbers "
            "that formats round";
        row->construction = "L.9, compile --target complex";
    } else {
        row->verdict = F2L_LADDER_UNLESS;
        row->statement = "L.6, L.11";
        row->scope =
            "any number of layers. Without condition in exact arithmetic with finitely many reachable "
            "states (L.6); unless TC0 = NC1 where a layer is computed as its sums of products to "
            "logarithmic precision (L.11); not known where every step rounds";
    }
}

static void deltanet_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        undecided(row);
    } else if (c->aperiodic == F2L_TERNARY_YES) {
        can_decay(row, c);
    } else {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = c->any.length == 1 ? "L.7, T1" : "L.7";
        row->scope =
            c->any.length == 1
                ? "any number of layers, exact arithmetic with finitely many reachable states, or with one "
                  "rounding of the state after exact products (T1: the word is a letter). FALSE where each "
                  "operation rounds: bf16 holds networks for parity (P8 and P10 of theory/parity.md)"
                : "any number of layers, exact arithmetic with finitely many reachable states. Not claimed "
                  "under rounding: the word is no letter, and where each operation rounds it is FALSE (P8 "
                  "and P10 of theory/parity.md)";
        row->witness = true;
    }
}

static void deltanet(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->householders = 1;
    row->scope = "exact arithmetic with finitely many states, one factor for each letter";
    if (!c->groups && c->permutation) {
        row->statement = row->construction = "T3";
        row->layers = 1;
    } else if (c->permutation) {
        row->statement = "D1";
        row->construction = "D1";
        row->layers = 4;
        if (c->householders == 1) {
            row->statement = row->construction = "R1";
            row->layers = 1;
            row->dimension = c->dimension;
        }
    } else {
        row->statement = "L.10";
        row->construction = "L.10";
        row->layers = c->levels ? 2 + 2 * c->levels : 0;
        if (c->two_groups == F2L_TERNARY_YES)
            row->construction = "L.10, compile --target diagonal";
        else
            row->remark = "in general not built by the compiler, which has more factors, or a gate";
    }
}

static void deltaproduct(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->scope = "exact arithmetic with finitely many states, eigenvalues in [-1,1]";
    if (c->permutation) {
        row->statement = row->construction = c->householders ? "R1" : "T3";
        row->layers = 1;
        row->householders = c->householders;
        row->dimension = c->dimension;
        if (c->householders)
            row->remark =
                "the fewest factors of one layer whose transitions are orthogonal and generate the group "
                "itself (R1)";
    } else if (c->definite) {
        row->statement = row->construction = "K";
        row->layers = 1;
        row->householders = c->k > 1 ? c->k + 1 : c->k;
        row->dimension = c->k > 1 ? 2 * c->k : c->k;
    } else {
        row->statement = row->construction = "T4";
        row->layers = c->levels;
    }
}

static void gated(f2l_ladder_row *row, const f2l_classify *c)
{
    deltaproduct(row, c);
    if (c->permutation || c->definite) return;
    row->statement = "T4.11";
    row->construction = "T4, compile --gated";
    row->layers = 0;
    row->scope = "exact arithmetic with finitely many states; resets by a gate of 0";
}

static void rwkv7(f2l_ladder_row *row, const f2l_classify *c)
{
    (void)c;
    row->verdict = F2L_LADDER_PUBLISHED;
    row->statement = "L.13";
    row->scope = "its paper claims all regular languages (arXiv 2503.14456); not checked here";
}

static void pd_ssm(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->statement = row->construction = "L.12";
    row->scope = "exact arithmetic with entries 0 and 1, in every format; transitions are column-one-hot";
    row->layers = 1;
    row->dimension = c->fsa->states.count;
    row->remark = "not compiled here: the transitions of the automaton are the weights";
}

static void transformer(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->solvable == F2L_TERNARY_UNKNOWN) {
        undecided(row);
        return;
    }
    if (c->solvable == F2L_TERNARY_NO) {
        row->verdict = F2L_LADDER_UNLESS;
        row->statement = "L.11";
        row->scope =
            "fixed depth and logarithmic precision (Merrill and Sabharwal 2023, with Barrington 1989)";
        return;
    }
    row->verdict = F2L_LADDER_PUBLISHED;
    row->statement = "L.13";
    row->scope = "for every length another network of the same depth (Liu et al. 2023); not checked here";
    if (c->aperiodic == F2L_TERNARY_YES)
        row->remark =
            "all lengths by one network with masked hard attention, which recognises exactly the star-free "
            "languages (Yang, Chiang and Angluin 2024); not checked here";
}

typedef struct rung {
    const char *id, *name, *models;
    void (*fill)(f2l_ladder_row *row, const f2l_classify *c);
} rung;

static const rung rungs[F2L_LADDER_CLASSES] = {
    [F2L_LADDER_DIAGONAL_POSITIVE] = {"diagonal-positive", "diagonal [0,1]", "Mamba, GLA, mLSTM",
                                      diagonal_positive},
    [F2L_LADDER_DIAGONAL_REAL] = {"diagonal", "diagonal [-1,1]", "", diagonal_real},
    [F2L_LADDER_DIAGONAL_COMPLEX] = {"complex", "complex diagonal", "", diagonal_complex},
    [F2L_LADDER_DELTANET_POSITIVE] = {"deltanet-positive", "DeltaNet [0,1]", "", deltanet_positive},
    [F2L_LADDER_DELTANET] = {"deltanet", "DeltaNet [-1,1]", "", deltanet},
    [F2L_LADDER_DELTAPRODUCT] = {"deltaproduct", "DeltaProduct [-1,1]", "", deltaproduct},
    [F2L_LADDER_GATED] = {"gated", "Gated DeltaProduct", "", gated},
    [F2L_LADDER_RWKV7] = {"rwkv7", "RWKV-7", "", rwkv7},
    [F2L_LADDER_PD_SSM] = {"pd-ssm", "PD-SSM", "", pd_ssm},
    [F2L_LADDER_TRANSFORMER] = {"transformer", "Transformer", "fixed depth", transformer}};

void f2l_classify_rows(f2l_classify *out)
{
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) {
        f2l_ladder_row *row = &out->row[i];
        *row = (f2l_ladder_row){.id = rungs[i].id,
                                .name = rungs[i].name,
                                .models = rungs[i].models,
                                .statement = "",
                                .scope = "",
                                .remark = "",
                                .construction = ""};
        rungs[i].fill(row, out);
    }
}
