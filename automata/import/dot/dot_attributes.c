/* The attributes of nodes and edges: what those that concern automata say, and which are known. */
#include "automata/import/dot/dot.h"
#include <string.h>

static char lower_dot_byte(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns whether the words are equal but for case; `word` is in lower case. */
static bool same_dot_word(const char *text, size_t size, const char *word)
{
    if (strlen(word) != size) return false;
    for (size_t i = 0; i < size; i++)
        if (lower_dot_byte(text[i]) != word[i]) return false;
    return true;
}

static bool in_dot_words(const char *text, size_t size, const char *const *words)
{
    for (; *words; words++)
        if (same_dot_word(text, size, *words)) return true;
    return false;
}

static void set_dot_flag(f2l_dot_attributes *a, uint32_t flag, bool on)
{
    a->flags = on ? a->flags | flag : a->flags & ~flag;
    a->given |= flag;
}

static void set_dot_shape(f2l_dot_attributes *a, const char *shape)
{
    static const char *const shapeless[] = {"none", "plain", "plaintext", NULL},
                             *const twice[] = {"doublecircle", "doubleoctagon", NULL};
    const size_t size = strlen(shape);
    set_dot_flag(a, F2L_DOT_SHAPELESS, in_dot_words(shape, size, shapeless));
    set_dot_flag(a, F2L_DOT_DOUBLE, in_dot_words(shape, size, twice));
    set_dot_flag(a, F2L_DOT_POINT, same_dot_word(shape, size, "point"));
}

/* A style is a list: "filled, bold". */
static void set_dot_style(f2l_dot_attributes *a, const char *style)
{
    static const char *const invisible[] = {"invis", "invisible", NULL}, *const dashed[] = {
                                                                             "dashed", "dotted",
                                                                             NULL};
    set_dot_flag(a, F2L_DOT_INVISIBLE | F2L_DOT_BOLD | F2L_DOT_DASHED, false);
    while (*style) {
        style += strspn(style, ", \t\n");
        const size_t size = strcspn(style, ", \t\n");
        if (in_dot_words(style, size, invisible)) a->flags |= F2L_DOT_INVISIBLE;
        if (same_dot_word(style, size, "bold")) a->flags |= F2L_DOT_BOLD;
        if (in_dot_words(style, size, dashed)) a->flags |= F2L_DOT_DASHED;
        style += size;
    }
}

static void set_dot_color(f2l_dot_attributes *a, const char *color)
{
    set_dot_flag(a, F2L_DOT_GREEN, same_dot_word(color, strlen(color), "#66cc33"));
    set_dot_flag(a, F2L_DOT_BLACK, same_dot_word(color, strlen(color), "black"));
}

static bool is_true_word(const char *value)
{
    static const char *const yes[] = {"1", "true", "yes", NULL};
    return in_dot_words(value, strlen(value), yes);
}

/* Sets what an attribute that concerns automata says; returns false for others. */
static bool set_dot_attribute(f2l_dot_attributes *a, const char *name, const char *value)
{
    static const char *const start[] = {"initial",  "root",       "start",     "isstart",
                                        "is_start", "is_initial", "isinitial", NULL},
                             *const accept[] = {"accepting",  "accept",  "final",
                                                "is_final",   "isfinal", "is_accepting",
                                                "acceptance", NULL};
    const size_t size = strlen(name);
    if (strcmp(name, "shape") == 0)
        set_dot_shape(a, value);
    else if (strcmp(name, "style") == 0)
        set_dot_style(a, value);
    else if (strcmp(name, "peripheries") == 0)
        set_dot_flag(a, F2L_DOT_RINGS, strlen(value) == 1 && *value >= '2' && *value <= '9');
    else if (strcmp(name, "fillcolor") == 0)
        set_dot_color(a, value);
    else if (strcmp(name, "dir") == 0)
        set_dot_flag(a, F2L_DOT_BACKWARDS, strcmp(value, "forward") != 0);
    else if (in_dot_words(name, size, start))
        set_dot_flag(a, F2L_DOT_START, is_true_word(value));
    else if (in_dot_words(name, size, accept))
        set_dot_flag(a, F2L_DOT_ACCEPT, is_true_word(value));
    else
        return false;
    return true;
}

/* The other attributes that are known to say nothing about the automaton: Graphviz's, and `key` of
 * networkx. */
static const char ornaments[] =
    " Damping K URL _background area arrowhead arrowsize arrowtail bb beautify bgcolor"
    " center charset class cluster clusterrank color colorscheme comment compound"
    " concentrate constraint decorate defaultdist dim dimen diredgeconstraints distortion"
    " dpi edgeURL edgehref edgetarget edgetooltip epsilon esep fixedsize fontcolor"
    " fontname fontnames fontpath fontsize forcelabels gradientangle group headURL head_lp"
    " headclip headhref headlabel headport headtarget headtooltip height href id image"
    " imagepath imagepos imagescale inputscale key labelURL label_scheme labelangle"
    " labeldistance labelfloat labelfontcolor labelfontname labelfontsize labelhref"
    " labeljust labelloc labeltarget labeltooltip landscape layer layerlistsep layers"
    " layerselect layersep layout len levels levelsgap lhead lheight linelength lp ltail"
    " lwidth margin maxiter mclimit mindist minlen mode model newrank nodesep nojustify"
    " normalize notranslate nslimit nslimit1 oneblock ordering orientation outputorder"
    " overlap overlap_scaling overlap_shrink pack packmode pad page pagedir pencolor"
    " penwidth pin pos quadtree quantum radius rank rankdir ranksep ratio rects regular"
    " remincross repulsiveforce resolution rotate rotation samehead sametail samplepoints"
    " scale searchsize sep shapefile showboxes sides size skew smoothing sortv splines"
    " stylesheet tailURL tail_lp tailclip tailhref taillabel tailport tailtarget"
    " tailtooltip target tooltip truecolor vertices viewport voro_margin weight width"
    " xdotversion xlabel xlp z ";

/* Returns whether the attribute is one of these; the last one found is remembered. */
static bool is_ornament(f2l_dot *dot, uint32_t text)
{
    if (dot->ornament == text) return true;
    const char *name = f2l_dot_text(dot, text);
    const size_t size = strcspn(name, " ");
    for (const char *at = ornaments; size > 0 && !name[size] && (at = strstr(at, name)); at++) {
        if (at[-1] != ' ' || at[size] != ' ') continue;
        dot->ornament = text;
        return true;
    }
    return false;
}

/* Refuses attributes of edges that make them something else than transitions. */
static f2l_status check_dot_attribute(const char *name, const char *value,
                                      const f2l_dot_token *place, f2l_error *err)
{
    static const char *const chance[] = {"probability", "prob", "p", NULL};
    if (strcmp(name, "modality") == 0 && strcmp(value, "MAY") == 0)
        return f2l_fail_at(err, place->line, place->column,
                           "a may-edge of a modal transition system, which has no one language: "
                           "delete the may-edges, or make them must-edges");
    if (in_dot_words(name, strlen(name), chance))
        return f2l_fail_at(err, place->line, place->column,
                           "the attribute `%s` is a probability: stochastic machines are refused",
                           name);
    return F2L_OK;
}

f2l_status f2l_dot_attribute(f2l_dot *dot, f2l_dot_attributes *a, const f2l_dot_token *name,
                             const f2l_dot_token *value, f2l_error *err)
{
    const char *key = f2l_dot_text(dot, name->text), *text = f2l_dot_text(dot, value->text);
    if (strcmp(key, "label") == 0) {
        a->label = value->text;
        return F2L_OK;
    }
    if (set_dot_attribute(a, key, text)) return F2L_OK;
    if (strcmp(key, "weight") == 0 && strchr(text, '.'))
        f2l_notes_add(dot->notes, "was taken as a weight of the drawing, not of a transition", text,
                      strlen(text), value->line, value->column);
    if (is_ornament(dot, name->text)) return F2L_OK;
    const f2l_status status = check_dot_attribute(key, text, name, err);
    if (status == F2L_OK && strcmp(key, "modality") != 0)
        f2l_notes_add(dot->notes, "is an attribute that Graphviz does not know: it was ignored",
                      key, strlen(key), name->line, name->column);
    return status;
}
