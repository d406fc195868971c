/* Rows of products of factors without reflections, and of erase gates for each channel
 * (theory/pages/ladder.md, theory/pages/gdn2.md). */
#include "theory/obstruct/classify/impl.h"

bool f2l_ladder_fill_cannot(f2l_ladder_row *row, const f2l_classify *c, const char *statement,
                            const char *scope)
{
    if (c->aperiodic == F2L_TERNARY_YES) return false;
    if (c->aperiodic == F2L_TERNARY_UNKNOWN) {
        f2l_ladder_undecided(row);
        return true;
    }
    row->verdict = F2L_LADDER_CANNOT;
    row->statement = statement;
    row->scope = scope;
    row->witness = true;
    return true;
}

static const char products[] =
    "any number of layers and of factors, with gates in [0,1] for each channel; "
    "" F2L_SCOPE_SEPARATED ". Not claimed under rounding; " F2L_SCOPE_NEAREST;

/* Fills the row; nothing is said of finitely many exact states, as L.5 is about one factor. */
void f2l_ladder_products_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_cannot(row, c, "L.7, L.16", products)) return;
    f2l_ladder_can_decay(row, c);
    row->remark = "";
}

/* Sets what GD.2 says of finitely many exact states; `otherwise` where it says nothing. */
static void remark_finite(f2l_ladder_row *row, const f2l_classify *c, const char *otherwise)
{
    row->remark = c->idempotent ? otherwise
                                : "with finitely many exact states it cannot (GD.2): some letter "
                                  "does not do twice what it does once";
}

void f2l_ladder_kda_positive(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_cannot(row, c, "L.7, L.16", products)) return;
    f2l_ladder_can_decay(row, c);
    remark_finite(row, c, "the network of DeltaNet [0,1], with all gates 1");
}

void f2l_ladder_kda(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_deltanet(row, c);
    row->scope = "exact arithmetic with finitely many states: with all gates 1 it is DeltaNet "
                 "[-1,1]";
}

bool f2l_ladder_fill_by_letters(f2l_ladder_row *row, const f2l_classify *c, const char *statement)
{
    row->remark = F2L_REMARK_GROWTH;
    if (c->letter_cycles) {
        row->verdict = F2L_LADDER_CANNOT;
        row->statement = statement;
        row->scope = "any number of layers; " F2L_SCOPE_SEPARATED;
        row->witness = c->any.length == 1;
        return true;
    }
    if (c->aperiodic == F2L_TERNARY_YES) return false;
    row->verdict = F2L_LADDER_CAN;
    row->statement = row->construction = "RL.17";
    row->scope = "exact arithmetic with decoders that tell states apart by finitely many closed "
                 "convex sets of positive distance from each other, the scope of `cannot` in this "
                 "row (L.16): there are infinitely many states, which grow; a format's verdict is "
                 "its own";
    row->layers = 3;
    row->householders = 1;
    row->dimension = 2 * c->fsa->states.count;
    row->remark = "not compiled here: the network is long to write and grows, by words that turn "
                  "a state, which no letter does";
    return true;
}

/* Fills the row of (I - k (b o k)^T) diag(w) with b and w in [0,1]. */
void f2l_ladder_gdn2(f2l_ladder_row *row, const f2l_classify *c)
{
    if (f2l_ladder_fill_by_letters(row, c, "GD.7")) {
        if (row->verdict == F2L_LADDER_CAN)
            row->remark = "not compiled here. Where words act as cycles it cannot with finitely "
                          "many exact states and no short convolution (GD.2); nor, where words of "
                          "two letters do, with one decay for all channels (GD.10)";
        return;
    }
    f2l_ladder_can_decay(row, c);
    remark_finite(
        row, c,
        "the network of diagonal [0,1], with b the same in all channels; " F2L_REMARK_GROWTH);
}

void f2l_ladder_gdn2_double(f2l_ladder_row *row, const f2l_classify *c)
{
    f2l_ladder_deltanet(row, c);
    row->remark = F2L_REMARK_GROWTH;
    row->scope = "exact arithmetic with finitely many states: with b the same in all channels and "
                 "no decay it is DeltaNet [-1,1] (GD.8)";
}
