/* What is lost one step cheaper: the verdicts of the ladder, of the lower bounds and of the
 * searches, put beside the network to take. */
#include "theory/choose/impl.h"
#include <stdio.h>
#include <string.h>

#define SAY(out, ...) snprintf((out)->text, sizeof(out)->text, __VA_ARGS__)

/* The scope of the lower bounds (theory/obstruct/layers/layers.h), and what all statements of the
 * ladder that exclude a class have in common: `classify` has each whole. */
#define BOUNDED \
    "exact arithmetic, letters that act as contractions, finitely many states (or bounded ones " \
    "with a margin); never a number format"
#define FINITE \
    "exact networks of contractions with finitely many states; a layer with infinitely many " \
    "states, or one that rounds, may do it"
#define SEPARATED \
    "exact arithmetic, any number of layers, decoders that keep states apart (finitely many " \
    "states, or L.16); not claimed for number formats here"

/* Returns whether one layer with fewer factors is excluded by the bound of LD.2, which is for
 * layers without gates whose decoder reads the letter and the state after it. */
static bool needs_factors(const f2l_choose *c)
{
    const f2l_compile_figures *best = &c->best.entry.figures;
    const f2l_least_word *word = &c->classify.least.word[F2L_LEAST_HEADS];
    return best->layers == 1 && word->length > 0 && word->bound >= best->householders;
}

typedef struct one_layer {
    char text[80];
} one_layer;

/* Returns what is known of one layer with fewer factors, to be put behind a sentence about the
 * network `by` (NULL: none): the bound of LD.2, or R1, whose network a search passes over where
 * another one is right in more formats. */
static one_layer say_one_layer(const f2l_choose *c, const f2l_sought *by)
{
    one_layer line = {""};
    const size_t least = c->classify.householders;
    if (needs_factors(c))
        snprintf(line.text, sizeof line.text, "; one layer without gates cannot (LD.2)");
    else if (least > 0 && least < c->best.entry.figures.householders &&
             (!by || by->entry.figures.layers > 1))
        snprintf(line.text, sizeof line.text,
                 "; one layer can with n_h = %zu (R1), in exact arithmetic", least);
    return line;
}

/* Says what a network that is cheaper in one figure costs in the others. */
static void compare_with_network(f2l_cheaper *out, const f2l_choose *c, const f2l_sought *by)
{
    const f2l_compile_figures *mine = &by->entry.figures, *best = &c->best.entry.figures;
    out->answer = F2L_CHEAPER_CAN;
    out->by = by;
    out->statement = by->entry.theorem;
    SAY(out,
        "%zu layer%s in the place of %zu, %zu factor%s a token in the place of %zu, %zu state "
        "number%s in the place of %zu%s",
        mine->layers, mine->layers == 1 ? "" : "s", best->layers, mine->factors_per_token,
        mine->factors_per_token == 1 ? "" : "s", best->factors_per_token, mine->states,
        mine->states == 1 ? "" : "s", best->states, say_one_layer(c, by).text);
}

static void compare_layers(f2l_cheaper *out, const f2l_choose *c)
{
    const size_t layers = c->best.entry.figures.layers;
    const size_t least = c->layers.least > 0 ? c->layers.least : 1;
    if (layers <= 1) {
        out->answer = F2L_CHEAPER_NONE;
        SAY(out, "one layer is the least");
        return;
    }
    if (c->flatter.found) {
        compare_with_network(out, c, &c->flatter);
        return;
    }
    out->statement = c->layers.by;
    out->shown_by = strcmp(c->layers.by, "FK.3") == 0 && c->layers.fork.found   ? "fork"
                    : strcmp(c->layers.by, "OL.3") == 0 && c->layers.band.found ? "band"
                                                                                : NULL;
    if (least > 1) out->scope = c->layers.finite ? FINITE : BOUNDED;
    if (least == layers) {
        out->answer = F2L_CHEAPER_CANNOT;
        SAY(out, "%zu layers are the fewest", layers);
        return;
    }
    if (f2l_layers_one_suffices(&c->layers)) {
        out->answer = F2L_CHEAPER_CAN;
        out->statement = "OL";
        SAY(out,
            "one layer suffices, by the statement and Ash's theorem: none was built, and "
            "%zu were",
            layers);
        return;
    }
    out->answer = F2L_CHEAPER_UNKNOWN;
    const char *by = c->open[0] ? "; not ruled out: " : "";
    if (least > 1)
        SAY(out, "at least %zu are needed, and %zu were built%s%s", least, layers, by, c->open);
    else
        SAY(out, "no lower bound was found, and %zu were built%s%s", layers, by, c->open);
}

/* Puts what the rung of the ladder says. */
static void take_rung(f2l_cheaper *out, const f2l_ladder_row *row)
{
    out->statement = row->statement;
    out->scope = row->verdict == F2L_LADDER_CANNOT ? SEPARATED : row->scope;
    out->shown_by = row->odd ? "odd_cycle_word" : row->witness ? "cycle_word" : NULL;
    switch (row->verdict) {
    case F2L_LADDER_CAN:
        out->answer = F2L_CHEAPER_CAN;
        break;
    case F2L_LADDER_CANNOT:
        out->answer = F2L_CHEAPER_CANNOT;
        SAY(out, "in no number of layers");
        return;
    default:
        out->answer = F2L_CHEAPER_UNKNOWN;
        SAY(out, "%s",
            row->verdict == F2L_LADDER_OPEN ? "not known"
                                            : "a limit was reached before its groups were known");
    }
}

static void compare_eigenvalues(f2l_cheaper *out, const f2l_choose *c)
{
    const f2l_ladder_row *row = &c->classify.row[F2L_LADDER_DELTANET_POSITIVE];
    if (!c->reflects) {
        out->answer = F2L_CHEAPER_NONE;
        SAY(out, "the network has beta <= 1");
        return;
    }
    take_rung(out, row);
    if (row->verdict != F2L_LADDER_CAN) return;
    out->scope = "exact arithmetic; verdicts in number formats: compile --target "
                 "diagonal-positive, for labels of states";
    SAY(out, "%s%s", c->classify.hold_or_reset ? "" : "with infinitely many states; ", row->remark);
}

/* Says what is known where no network with fewer factors was built: the ladder knows how many
 * layers suffice. */
static void compare_by_ladder(f2l_cheaper *out, const f2l_choose *c)
{
    const f2l_ladder_row *row = &c->classify.row[F2L_LADDER_DELTANET];
    const one_layer one = say_one_layer(c, NULL);
    if (row->verdict != F2L_LADDER_CAN) {
        SAY(out, "no network was found within the limits%s", one.text);
        return;
    }
    out->answer = F2L_CHEAPER_CAN;
    out->statement = row->statement;
    out->scope = row->scope;
    SAY(out, "n_h = 1 in %zu layers, by the statement: none was built within the limits%s",
        row->layers, one.text);
}

static void compare_factors(f2l_cheaper *out, const f2l_choose *c)
{
    const size_t n = c->best.entry.figures.householders;
    const f2l_ladder_row *row = &c->classify.row[F2L_LADDER_DIAGONAL_REAL];
    if (n == 0) {
        out->answer = F2L_CHEAPER_NONE;
        SAY(out, "no letter has a factor");
    } else if (n > 1 && c->fewer->found) {
        compare_with_network(out, c, c->fewer);
    } else if (n > 1 && c->one->found) {
        compare_with_network(out, c, c->one);
    } else if (n > 1) {
        compare_by_ladder(out, c);
    } else {
        take_rung(out, row);
        if (row->verdict == F2L_LADDER_CAN)
            SAY(out, "a diagonal layer with entries in [-1,1] and gates of 0 can; few released "
                     "layers have entries below 0");
    }
}

void f2l_choose_compare(f2l_choose *out)
{
    static void (*const compare[F2L_CHEAPER_STEPS])(f2l_cheaper *, const f2l_choose *) = {
        [F2L_CHEAPER_LAYERS] = compare_layers,
        [F2L_CHEAPER_EIGENVALUES] = compare_eigenvalues,
        [F2L_CHEAPER_HOUSEHOLDERS] = compare_factors};
    for (int i = 0; i < F2L_CHEAPER_STEPS; i++) {
        out->cheaper[i] =
            (f2l_cheaper){.answer = F2L_CHEAPER_UNKNOWN, .statement = "", .scope = ""};
        if (out->best.found)
            compare[i](&out->cheaper[i], out);
        else
            SAY(&out->cheaper[i], "no network to compare with was found");
    }
}
