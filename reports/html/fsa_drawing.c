#include "reports/html/fsa_drawing.h"
#include "automata/group/schreier.h"
#include "numeric/base/mem.h"
#include "reports/html/graph_sign.h"
#include <string.h>

#define MANY_LETTERS ((size_t)8)      /* of more, the ones that are missing are said */
#define STATE_CHARACTERS ((size_t)22) /* of a line of a state's name */
#define EDGE_CHARACTERS ((size_t)24)  /* of a line of the letters at an edge */
#define SHORT_LIST ((size_t)9)        /* bytes of letters that are written out in any case */
#define CIRCLE_CHARACTERS ((size_t)4) /* longer names are in boxes */
#define ROUTED_STATES ((size_t)24)    /* of a group: lines go around them */
#define DENSE_EDGES ((size_t)100)     /* of another automaton: lines go around its states */
#define FEW_STATES ((size_t)3)        /* of so few, all edges are drawn, and none is faint */
#define BACK ((size_t)3)              /* states with an edge to the start, which are dimmed then */

/* --- what is drawn --- */

static bool is_permutation(const f2l_fsa *fsa, size_t letter)
{
    bool met[F2L_DRAWN_STATES] = {false};
    for (size_t q = 0; q < fsa->states.count; q++) {
        const uint32_t to = fsa->next[q * fsa->letters.count + letter];
        if (met[to]) return false;
        met[to] = true;
    }
    return true;
}

static bool all_letters_permute(const f2l_fsa *fsa)
{
    size_t a = 0;
    while (a < fsa->letters.count && is_permutation(fsa, a)) a++;
    return a == fsa->letters.count;
}

/* Counts the drawn letters between each two states, and the edges. */
static void count_letters_between(f2l_fsa_drawing *d)
{
    const size_t states = d->fsa->states.count;
    memset(d->between, 0, states * states * sizeof *d->between);
    d->edges = 0;
    for (size_t q = 0; q < states; q++)
        for (size_t i = 0; i < d->letters; i++) {
            const uint32_t to = d->fsa->next[q * d->fsa->letters.count + d->letter[i]];
            d->edges += d->between[q * states + to]++ == 0;
        }
}

/* Draws only letters that generate the group of all: each that the ones before it do not. */
static f2l_status choose_generators(f2l_fsa_drawing *d, f2l_error *err)
{
    const f2l_fsa *fsa = d->fsa;
    const size_t states = fsa->states.count;
    uint32_t image[F2L_DRAWN_STATES];
    f2l_schreier group;
    size_t chosen = 0;
    bool grew;
    f2l_schreier_init(&group, states);
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < fsa->letters.count && status == F2L_OK; a++) {
        for (size_t q = 0; q < states; q++) image[q] = fsa->next[q * fsa->letters.count + a];
        status = f2l_schreier_add(&group, image, &grew, NULL, err);
        if (status == F2L_OK && grew) d->letter[chosen++] = a;
    }
    f2l_schreier_clear(&group);
    if (status != F2L_OK || chosen == 0) return status;
    d->generators = chosen < fsa->letters.count;
    d->letters = chosen;
    count_letters_between(d);
    return F2L_OK;
}

/* Finds sinks that do not accept: of those that do, the way there is what counts. */
static void find_faint_edges(f2l_fsa_drawing *d)
{
    const f2l_fsa *fsa = d->fsa;
    const size_t states = fsa->states.count, start = fsa->start;
    size_t back = 0;
    for (size_t q = 0; q < states && states > FEW_STATES; q++) {
        d->sink[q] = q != start && d->between[q * states + q] == d->letters &&
                     !(fsa->has_accept && fsa->accept[q]);
        back += q != start && d->between[q * states + start] > 0;
    }
    d->start_faint = !d->paired && back >= BACK;
}

f2l_status f2l_fsa_drawing_init(f2l_fsa_drawing *d, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    *d = (f2l_fsa_drawing){.fsa = fsa, .letters = letters};
    d->letter = f2l_calloc(letters + 1, sizeof *d->letter);
    if (!d->letter) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) d->letter[a] = a;
    if (states > F2L_DRAWN_STATES) return F2L_OK;
    d->between = f2l_calloc(states * states, sizeof *d->between);
    d->sink = f2l_calloc(states, sizeof *d->sink);
    if (!d->between || !d->sink) return f2l_fail_memory(err);
    count_letters_between(d);
    d->paired = states > FEW_STATES && all_letters_permute(fsa);
    f2l_status status = F2L_OK;
    if (d->paired && d->edges > 3 * states) status = choose_generators(d, err);
    if (status == F2L_OK) find_faint_edges(d);
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

void f2l_fsa_drawing_clear(f2l_fsa_drawing *d)
{
    f2l_free(d->letter);
    f2l_free(d->between);
    f2l_free(d->sink);
    *d = (f2l_fsa_drawing){.letters = 0};
}

bool f2l_fsa_drawing_fits(const f2l_fsa_drawing *d)
{
    return d->between && d->edges <= F2L_DRAWN_EDGES;
}

const char *f2l_letter_colour(const f2l_fsa_drawing *d, size_t letter)
{
    static const char *const colour[] = {" k0", " k1", " k2", " k3", " k4", " k5", " k6", " k7"};
    if (d->letters > sizeof colour / sizeof *colour || !f2l_fsa_drawing_fits(d)) return "";
    for (size_t i = 0; i < d->letters; i++)
        if (d->letter[i] == letter) return colour[i];
    return "";
}

/* --- edges --- */

static size_t count_between(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    return d->between[from * d->fsa->states.count + to];
}

/* Returns whether the i-th drawn letter leads from one state to the other. */
static bool leads(const f2l_fsa_drawing *d, size_t i, size_t from, size_t to)
{
    return d->fsa->next[from * d->fsa->letters.count + d->letter[i]] == to;
}

static const char *drawn_letter_name(const f2l_fsa_drawing *d, size_t i)
{
    return f2l_names_get(&d->fsa->letters, d->letter[i]);
}

/* Returns whether the same letters lead to and fro, so that one edge is drawn. */
static bool is_pair(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    if (!d->paired || from == to) return false;
    for (size_t i = 0; i < d->letters; i++)
        if (leads(d, i, from, to) != leads(d, i, to, from)) return false;
    return true;
}

static bool is_faint(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    return from != to && (d->sink[to] || (d->start_faint && to == d->fsa->start));
}

/* Appends the names of the letters that lead from one state to the other, or do not. */
static void put_letters_that(f2l_buf *out, const f2l_fsa_drawing *d, size_t from, size_t to,
                             bool lead)
{
    bool first = true;
    for (size_t i = 0; i < d->letters; i++) {
        if (leads(d, i, from, to) != lead) continue;
        f2l_buf_printf(out, "%s%s", first ? "" : ", ", drawn_letter_name(d, i));
        first = false;
    }
}

static void put_letter_list(f2l_buf *out, const f2l_fsa_drawing *d, size_t from, size_t to)
{
    put_letters_that(out, d, from, to, true);
}

/* Appends as many of the names as one line has room for, and how many are left. */
static void put_cut_list(f2l_buf *out, const f2l_fsa_drawing *d, size_t from, size_t to)
{
    size_t left = count_between(d, from, to);
    const size_t begin = out->size;
    for (size_t i = 0; i < d->letters && left > 0; i++) {
        if (!leads(d, i, from, to)) continue;
        const char *name = drawn_letter_name(d, i);
        if (out->size > begin && out->size - begin + strlen(name) + 6 > EDGE_CHARACTERS) break;
        f2l_buf_printf(out, "%s%s", out->size > begin ? ", " : "", name);
        left--;
    }
    if (left > 0) f2l_buf_printf(out, " +%zu", left);
}

/* Returns where most of the state's letters lead; a loop comes first. */
static size_t most_letters_to(const f2l_fsa_drawing *d, size_t from)
{
    size_t best = from;
    for (size_t to = 0; to < d->fsa->states.count; to++)
        if (count_between(d, from, to) > count_between(d, from, best)) best = to;
    return best;
}

typedef enum edge_label { EDGE_LIST, EDGE_CUT, EDGE_OTHERS, EDGE_ANY } edge_label;

/* Returns how the letters of an edge are written. */
static edge_label choose_edge_label(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    const size_t count = count_between(d, from, to);
    f2l_buf list;
    f2l_buf_init(&list);
    put_letter_list(&list, d, from, to);
    const size_t size = list.size;
    f2l_buf_clear(&list);
    if (count < 2 || size <= SHORT_LIST) return EDGE_LIST;
    if (count == d->letters && !is_pair(d, from, to)) return EDGE_ANY;
    if (count > 2 && !is_pair(d, from, to) && most_letters_to(d, from) == to) return EDGE_OTHERS;
    return size <= 2 * EDGE_CHARACTERS ? EDGE_LIST : EDGE_CUT;
}

/* Returns whether the colour alone tells the letter of an edge of a group, as its name is long. */
static bool is_told_by_colour(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    size_t i = 0;
    if (!d->paired || count_between(d, from, to) != 1) return false;
    while (!leads(d, i, from, to)) i++;
    return f2l_letter_colour(d, d->letter[i])[0] && strlen(drawn_letter_name(d, i)) > SHORT_LIST;
}

static void put_edge_label(f2l_buf *dot, const f2l_fsa_drawing *d, size_t from, size_t to,
                           edge_label how)
{
    f2l_buf text;
    f2l_buf_init(&text);
    if (is_told_by_colour(d, from, to)) {
        f2l_buf_text(dot, "\"\"");
        return;
    }
    if (how == EDGE_ANY || how == EDGE_OTHERS)
        f2l_buf_text(&text, how == EDGE_ANY ? "any" : "others");
    else if (how == EDGE_LIST)
        put_letter_list(&text, d, from, to);
    else
        put_cut_list(&text, d, from, to);
    f2l_dot_label(dot, text.data ? text.data : "", EDGE_CHARACTERS);
    if (text.failed) dot->failed = true;
    f2l_buf_clear(&text);
}

/* Returns whether there are too many edges for lines that go around states: they are straight, and
 * have their letters where they begin, since those to and fro lie on each other. */
static bool is_dense(const f2l_fsa_drawing *d)
{
    return d->edges > DENSE_EDGES && d->edges > 3 * d->fsa->states.count;
}

/* Returns whether the letters of an edge are said by the ones that it does not have. */
static bool has_most_letters(const f2l_fsa_drawing *d, size_t from, size_t to)
{
    return !d->generators && d->letters > MANY_LETTERS &&
           3 * count_between(d, from, to) > 2 * d->letters && !is_pair(d, from, to);
}

/* Appends the classes by which the letters of an edge find it, each with a blank behind it. */
static void put_edge_classes(f2l_buf *dot, const f2l_fsa_drawing *d, size_t from, size_t to,
                             size_t part)
{
    const bool most = has_most_letters(d, from, to);
    if (most) f2l_buf_printf(dot, "p%zu-most ", part);
    for (size_t i = 0; i < d->letters; i++)
        if (leads(d, i, from, to) != most)
            f2l_buf_printf(dot, "p%zu-%s%zu ", part, most ? "not" : "l", d->letter[i]);
}

static void put_drawn_edge(f2l_buf *dot, const f2l_fsa_drawing *d, size_t from, size_t to,
                           size_t part)
{
    const edge_label how = choose_edge_label(d, from, to);
    size_t last = 0;
    f2l_buf_printf(dot, "n%zu -> n%zu [%s=", from, to,
                   is_dense(d) && from != to ? "taillabel" : "label");
    put_edge_label(dot, d, from, to, how);
    if (is_pair(d, from, to)) f2l_buf_text(dot, ", dir=both");
    if (is_faint(d, from, to)) f2l_buf_text(dot, ", weight=0");
    f2l_buf_text(dot, ", class=\"");
    put_edge_classes(dot, d, from, to, part);
    for (size_t i = 0; i < d->letters; i++)
        if (leads(d, i, from, to)) last = d->letter[i];
    f2l_buf_printf(dot, "%s%s%s\"];\n", how == EDGE_ANY || how == EDGE_OTHERS ? "rest" : "drawn",
                   is_faint(d, from, to) ? " faint" : "",
                   count_between(d, from, to) == 1 ? f2l_letter_colour(d, last) : "");
}

static void put_drawn_edges(f2l_buf *dot, const f2l_fsa_drawing *d, size_t part)
{
    const size_t states = d->fsa->states.count;
    for (size_t from = 0; from < states; from++)
        for (size_t to = 0; to < states; to++) {
            if (count_between(d, from, to) == 0) continue;
            if (to < from && is_pair(d, from, to)) continue;
            put_drawn_edge(dot, d, from, to, part);
        }
}

/* --- the graph --- */

static bool is_drawn_accepting(const f2l_fsa_drawing *d, size_t state)
{
    return d->fsa->has_accept && d->fsa->accept[state];
}

/* Returns the bytes of the longest name of a state, at most a line's. */
static size_t longest_state_name(const f2l_fsa_drawing *d)
{
    size_t most = 0;
    for (size_t q = 0; q < d->fsa->states.count; q++) {
        const size_t size = strlen(f2l_names_get(&d->fsa->states, q));
        if (size > most) most = size;
    }
    return most < STATE_CHARACTERS ? most : STATE_CHARACTERS;
}

static void put_state_nodes(f2l_buf *dot, const f2l_fsa_drawing *d, size_t figure)
{
    const bool boxes = longest_state_name(d) > CIRCLE_CHARACTERS;
    f2l_buf_printf(dot, "node [%s];\n",
                   boxes ? "shape=box, style=rounded, margin=\"0.1,0.05\", height=0.3"
                         : "shape=circle, margin=0.04, width=0.4");
    for (size_t q = 0; q < d->fsa->states.count; q++) {
        f2l_buf_printf(dot, "n%zu [id=\"f%zu-s%zu\", class=\"%s\", label=", q, figure, q,
                       is_drawn_accepting(d, q) ? "accepting" : "state");
        f2l_dot_label(dot, f2l_names_get(&d->fsa->states, q), STATE_CHARACTERS);
        f2l_buf_text(dot, is_drawn_accepting(d, q) ? ", peripheries=2];\n" : "];\n");
    }
}

/* Appends the layout of a group, whose states look all alike: by springs. Lines that go around
 * states take long for many of them, which lie over straight ones then. */
static void put_group_layout(f2l_buf *dot, const f2l_fsa_drawing *d)
{
    f2l_buf_printf(dot, "layout=neato; overlap=false; splines=%s; outputorder=edgesfirst;\n",
                   d->fsa->states.count > ROUTED_STATES ? "line" : "true");
    f2l_buf_printf(dot, "edge [len=%.2f];\n", 1 + 0.08 * (double)longest_state_name(d));
}

void f2l_fsa_drawing_dot(f2l_buf *dot, const f2l_fsa_drawing *d, size_t part, size_t figure)
{
    f2l_graph_head(dot, figure);
    if (d->paired)
        put_group_layout(dot, d);
    else if (is_dense(d))
        f2l_buf_text(dot, "layout=neato; overlap=false; splines=line; outputorder=edgesfirst;\n"
                          "edge [len=5, labeldistance=2.5];\n");
    put_state_nodes(dot, d, figure);
    f2l_graph_start(dot, d->fsa->start);
    put_drawn_edges(dot, d, part);
    f2l_buf_text(dot, "}\n");
}

static void put_drawn_title(f2l_buf *out, size_t from, size_t to, bool edge, const void *drawing)
{
    const f2l_fsa_drawing *d = drawing;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, f2l_names_get(&d->fsa->states, from));
    if (edge) {
        f2l_buf_printf(&text, is_pair(d, from, to) ? " \xe2\x86\x94 %s: " : " \xe2\x86\x92 %s: ",
                       f2l_names_get(&d->fsa->states, to));
        if (!has_most_letters(d, from, to)) {
            put_letter_list(&text, d, from, to);
        } else {
            const bool all = count_between(d, from, to) == d->letters;
            f2l_buf_text(&text, all ? "every letter" : "every letter but ");
            put_letters_that(&text, d, from, to, false);
        }
    } else if (is_drawn_accepting(d, from))
        f2l_buf_text(&text, " (accepting)");
    f2l_html_text(out, text.data ? text.data : "");
    if (text.failed) out->failed = true;
    f2l_buf_clear(&text);
}

f2l_graph_titles f2l_fsa_drawing_titles(const f2l_fsa_drawing *d)
{
    return (f2l_graph_titles){.put = put_drawn_title, .context = d, .nodes = d->fsa->states.count};
}

/* --- the legend --- */

/* The signs that a graph has. */
typedef struct found_signs {
    bool sink, back, pair, others, any, cut, coloured, several;
} found_signs;

static found_signs find_signs(const f2l_fsa_drawing *d)
{
    const size_t states = d->fsa->states.count;
    found_signs f = {.sink = false};
    for (size_t from = 0; from < states; from++)
        for (size_t to = 0; to < states; to++) {
            const size_t count = count_between(d, from, to);
            if (count == 0) continue;
            const edge_label how = choose_edge_label(d, from, to);
            f.sink |= from != to && d->sink[to];
            f.back |= from != to && d->start_faint && to == d->fsa->start;
            f.pair |= is_pair(d, from, to);
            f.others |= how == EDGE_OTHERS;
            f.any |= how == EDGE_ANY;
            f.cut |= how == EDGE_CUT;
            f.coloured |= count == 1 && f2l_letter_colour(d, d->letter[0])[0];
            f.several |= count > 1;
        }
    return f;
}

static bool any_accepts(const f2l_fsa_drawing *d)
{
    for (size_t q = 0; q < d->fsa->states.count; q++)
        if (is_drawn_accepting(d, q)) return true;
    return false;
}

void f2l_fsa_drawing_legend(f2l_page *page, const f2l_fsa_drawing *d)
{
    const found_signs f = find_signs(d);
    f2l_page_raw(page, "<ul class=\"legend\" aria-label=\"signs of the graph\">\n");
    f2l_sign(page, F2L_SIGN_START, "the start");
    if (any_accepts(d)) f2l_sign(page, F2L_SIGN_ACCEPTING, "accepts: two rings");
    if (f.coloured)
        f2l_sign(page, F2L_SIGN_COLOURED,
                 f.several ? "an arrow has the colour of its letter, grey where several are merged"
                           : "an arrow has the colour of its letter");
    if (f.sink || f.back)
        f2l_sign(page, F2L_SIGN_FAINT,
                 f.sink && f.back ? "faint: into a sink, or back to the start"
                 : f.sink         ? "faint: into a sink, which no letter leaves"
                                  : "faint: back to the start");
    if (f.pair) f2l_sign(page, F2L_SIGN_PAIR, "the same letter leads both ways");
    if (f.any) f2l_sign(page, F2L_SIGN_ANY, "every letter");
    if (f.others) f2l_sign(page, F2L_SIGN_OTHERS, "every letter that no other arrow there names");
    if (f.cut)
        f2l_sign(page, F2L_SIGN_MORE, "two more letters: point at the arrow, or see the table");
    f2l_page_raw(page, "</ul>\n");
}
