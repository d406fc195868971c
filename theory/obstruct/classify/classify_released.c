/* Rows of layers as they are released, and of the ranges that they reach without rounding
 * (theory/pages/released.md). */
#include "theory/obstruct/classify/impl.h"

/* --- the range that is reached --- */

const char *f2l_ladder_reach_claim(f2l_ladder_reach reach)
{
    switch (reach) {
    case F2L_REACH_SAME:
        return "the same: no end of the range is needed";
    case F2L_REACH_DEFINITE:
        return "definite automata can (RL.2); others cannot (RL.1)";
    case F2L_REACH_APERIODIC:
        return "aperiodic automata can (RL.3); others cannot (RL.3)";
    case F2L_REACH_POWERS:
        return "definite automata can (RL.2); where a letter holds something it cannot (RL.4); "
               "others are not known";
    case F2L_REACH_HOLDS:
        return "where a letter holds something it cannot (RL.4); others are not known";
    case F2L_REACH_FIXED:
        return "automata that are not definite cannot (RL.1); of definite ones nothing is known";
    case F2L_REACH_BESIDE:
        return "definite automata can (RL.2, RL.14); others are not known";
    default:
        return "not known";
    }
}

/* Sets the verdict to "can" or "cannot" by a statement each, or to UNKNOWN. */
static void decide(f2l_ladder_row *row, f2l_ternary can, const char *by, const char *against)
{
    row->reached = can == F2L_TERNARY_YES  ? F2L_LADDER_CAN
                   : can == F2L_TERNARY_NO ? F2L_LADDER_CANNOT
                                           : F2L_LADDER_UNKNOWN;
    row->reached_by = can == F2L_TERNARY_YES ? by : can == F2L_TERNARY_NO ? against : "";
}

/* Returns whether the automaton is definite: one that is not aperiodic is not. */
static f2l_ternary is_definite(const f2l_classify *c)
{
    if (c->definite) return F2L_TERNARY_YES;
    return c->definite_known || c->letters_hold || c->aperiodic == F2L_TERNARY_NO
               ? F2L_TERNARY_NO
               : F2L_TERNARY_UNKNOWN;
}

void f2l_ladder_decide_reached(f2l_ladder_row *row, f2l_ladder_reach reach, const f2l_classify *c)
{
    const f2l_ternary definite = is_definite(c);
    row->reached = reach == F2L_REACH_SAME ? row->verdict : F2L_LADDER_OPEN;
    row->reached_by = reach == F2L_REACH_SAME ? row->statement : "";
    if (reach == F2L_REACH_DEFINITE) decide(row, definite, "RL.2", "RL.1");
    if (reach == F2L_REACH_APERIODIC) decide(row, c->aperiodic, "RL.3", "RL.3");
    if (reach == F2L_REACH_FIXED && definite != F2L_TERNARY_YES) decide(row, definite, "", "RL.1");
    if (reach == F2L_REACH_BESIDE && definite != F2L_TERNARY_NO)
        decide(row, definite, "RL.2, RL.14", "");
    if ((reach == F2L_REACH_POWERS || reach == F2L_REACH_HOLDS) && c->letters_hold)
        decide(row, F2L_TERNARY_NO, "RL.2", "RL.4");
    else if (reach == F2L_REACH_POWERS && definite != F2L_TERNARY_NO)
        decide(row, definite, "RL.2", "RL.4");
}

/* --- rows with a construction for every automaton --- */

void f2l_ladder_pd_ssm_soft(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_table(row, c);
    row->statement = row->construction = "L.12, RL.13";
    row->scope = "exact arithmetic with entries 0 and 1, the ends of the softmax and of |d|, which "
                 "training reaches by rounding only";
}

void f2l_ladder_moore_ssm(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_table(row, c);
    row->statement = row->construction = "L.12, RL.13";
    row->scope = "exact arithmetic with entries 0 and 1; the transitions are the table of the "
                 "automaton. Of its paper the abstract was read";
}

void f2l_ladder_block_diagonal(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_table(row, c);
    row->statement = row->construction = "RL.7";
    row->scope = "exact arithmetic with entries 0 and 1, in one block of as many rows as states. "
                 "With blocks of 2 rows, or of 4, groups are restricted (L.17)";
}

/* Fills the row of one reflection for each letter, with another statement and scope. */
static void fill_with_reflections(f2l_ladder_row *row, const f2l_classify *c, const char *scope)
{
    f2l_ladder_deltanet(row, c);
    row->scope = scope;
}

void f2l_ladder_complex_kda(f2l_ladder_row *row, const f2l_classify *c)
{
    fill_with_reflections(row, c,
                          "exact arithmetic with finitely many states: with gates of 1 it is "
                          "DeltaNet [-1,1] (RL.5)");
}

void f2l_ladder_momentum_plain(f2l_ladder_row *row, const f2l_classify *c)
{
    fill_with_reflections(row, c,
                          "exact arithmetic with finitely many states: with alpha = 0 and beta = "
                          "mu = 1 the momentum is the state of DeltaNet [-1,1] (RL.10)");
}

void f2l_ladder_log_linear(f2l_ladder_row *row, const f2l_classify *c)
{
    fill_with_reflections(row, c,
                          "exact arithmetic with finitely many states of the base: with equal "
                          "weights of all levels it is its base (RL.11)");
}

void f2l_ladder_path(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_deltanet(row, c);
    row->statement = "RL.12";
    row->construction = "L.10, RL.12";
    row->layers = 2 + 2 * f2l_ladder_least_levels(c);
    row->scope = "exact arithmetic; for each length another network of the same depth and width, "
                 "with logits of order log of the length, behind a first position that is no "
                 "letter. One network for all lengths is not claimed";
    row->remark = "not compiled here: layers as in L.10, with keys for its writes";
    row->householders = 1;
    row->dimension = 0;
}

void f2l_ladder_m2rnn(f2l_ladder_row *row, const f2l_classify *c)
{
    row->verdict = F2L_LADDER_CAN;
    row->statement = row->construction = "RL.8";
    row->scope = "exact arithmetic with separating decoders, with forget gates from 0 on; "
                 "infinitely many states, a margin for each. It is not linear: nothing here bounds "
                 "it. Of its paper the equation was read";
    row->remark = "not compiled here: a unit for each state and letter";
    row->layers = 1;
    row->dimension = c->fsa->states.count * c->fsa->letters.count + 1;
}

/* --- rows that depend on the groups --- */

void f2l_ladder_complex_kda_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_diagonal_real(row, c);
    if (row->verdict == F2L_LADDER_CAN) {
        row->statement = "L.9, RL.5";
        row->remark = "the network of diagonal [-1,1], with beta = 0, and 1 for its entries 0";
    } else if (row->verdict == F2L_LADDER_CANNOT) {
        row->statement = "RL.5";
        row->scope = "any number of layers, with any beta below 2; " F2L_SCOPE_SEPARATED;
    }
}

void f2l_ladder_mamba3(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_cannot(
            row, c, "RL.6",
            "any number of layers, while A_floor > 0: what rotates decays. " F2L_SCOPE_SEPARATED
            ". With A_floor = 0 it is complex diagonal")) {
        return;
    }
    f2l_ladder_can_decay(row, c);
    row->statement = "L.8, RL.6";
    row->remark = "the network of diagonal [0,1], with angles of 0 and steps of 0 or 1";
}

void f2l_ladder_kaczmarz(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_cannot(
            row, c, "RL.9, L.7, L.16",
            "any number of layers, while the epsilon in the rate is positive, even with steps up "
            "to 2. " F2L_SCOPE_SEPARATED ". Not claimed under rounding; " F2L_SCOPE_NEAREST)) {
        return;
    }
    f2l_ladder_can_decay(row, c);
    row->remark = "the network of Gated DeltaNet [0,1]";
}

void f2l_ladder_momentum(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->letter_cycles) {
        (void)f2l_ladder_fill_cannot(
            row, c, "RL.10",
            "any number of layers, in exact arithmetic with finitely many states, with negative "
            "eigenvalues or without; for p = alpha k, the default");
    } else if (c->aperiodic == F2L_TERNARY_NO) {
        row->verdict = F2L_LADDER_OPEN;
        row->statement = "RL.10";
        row->scope = "RL.10 excludes automata in which a letter acts as a cycle; here words do, "
                     "and no letter";
    } else if (c->aperiodic == F2L_TERNARY_YES) {
        f2l_ladder_can_decay(row, c);
        row->statement = "L.8, RL.10";
        row->remark = "the network of Gated DeltaNet [0,1], with mu = 0, which min_log_mu excludes";
    } else {
        f2l_ladder_undecided(row);
    }
}

/* Fills the row by the layers beside or below, or says that nothing else is known. */
static void aperiodic_or_open(f2l_ladder_row *row, const f2l_classify *c, const char *statement,
                              const char *scope)
{
    if (c->aperiodic == F2L_TERNARY_YES) {
        f2l_ladder_can_decay(row, c);
        row->remark = "the network of its base";
    } else if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
    } else {
        row->verdict = F2L_LADDER_OPEN;
        row->statement = statement;
        row->scope = scope;
    }
}

void f2l_ladder_log_linear_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    aperiodic_or_open(row, c, "RL.11",
                      "beyond its base it tracks lengths modulo powers of two (RL.11); which "
                      "other automata that are not aperiodic, is not known: the layer depends on "
                      "the position, so L.3 and L.7 say nothing");
}

/* Returns the number of layers of RL.15, with as many types of words as there can be. */
static size_t most_fixed_point_layers(const f2l_classify *c)
{
    size_t digits = 1;
    while (((size_t)1 << digits) < 2 * (size_t)c->fsa->states.count) digits++;
    return (size_t)c->fsa->letters.count * c->fsa->states.count + digits;
}

void f2l_ladder_fixed_point(f2l_ladder_row *row, const f2l_classify *c)
{
    if (!f2l_ladder_fill_by_letters(row, c, "RL.15")) {
        f2l_ladder_can_decay(row, c);
        row->remark = "the network of diagonal [0,1], with the mixer I";
        return;
    }
    row->remark = "";
    if (row->verdict != F2L_LADDER_CAN) return;
    row->statement = row->construction = "RL.15";
    row->layers = most_fixed_point_layers(c);
    row->remark = "not compiled here: layers of counters, each twice as slow as the one below, and "
                  "copies of coordinates by mixers of rank one; words act as cycles, letters do "
                  "not";
}

void f2l_ladder_hybrid_diagonal(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->aperiodic == F2L_TERNARY_YES) {
        f2l_ladder_can_decay(row, c);
        row->remark = "the network of its recurrent layers";
        return;
    }
    f2l_ladder_attention(row, c);
    if (row->verdict == F2L_LADDER_UNLESS)
        row->scope = "fixed depth and logarithmic precision, of the recurrent layers too, which "
                     "are diagonal and computed as sums of products (L.11, RL.14)";
}

void f2l_ladder_hybrid_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->solvable != F2L_TERNARY_NO) {
        f2l_ladder_hybrid_diagonal(row, c);
        return;
    }
    row->verdict = F2L_LADDER_OPEN;
    row->statement = "RL.14";
    row->scope =
        "attention alone cannot unless TC0 = NC1 (L.11); of both together nothing is known";
}

void f2l_ladder_hybrid_letters(f2l_ladder_row *row, const f2l_classify *c)
{
    if (c->letter_cycles) {
        f2l_ladder_hybrid_positive(row, c);
    } else if (!f2l_ladder_fill_by_letters(row, c, "")) {
        f2l_ladder_can_decay(row, c);
        row->remark = "the network of its recurrent layers";
    }
}
