#include "reports/html/graph_sign.h"

#define LINE "<path d=\"M1 10h26\"/><polygon points=\"25,7 32,10 25,13\"/>"

/* What is drawn of each, on 34 x 20, and in words. */
static const struct {
    const char *class, *drawing, *words;
} signs[] = {
    [F2L_SIGN_START] = {"edge", "<circle class=\"dot\" cx=\"3\" cy=\"10\" r=\"2.5\"/>" LINE,
                        "arrow from a dot"},
    [F2L_SIGN_ACCEPTING] = {"node accepting",
                            "<ellipse cx=\"17\" cy=\"10\" rx=\"6\" ry=\"6\"/>"
                            "<ellipse cx=\"17\" cy=\"10\" rx=\"9\" ry=\"9\"/>",
                            "two rings"},
    [F2L_SIGN_COLOURED] = {"edge k0", LINE, "coloured arrow"},
    [F2L_SIGN_FAINT] = {"edge faint", LINE, "faint arrow"},
    [F2L_SIGN_PAIR] = {"edge",
                       "<path d=\"M8 10h18\"/><polygon points=\"25,7 32,10 25,13\"/>"
                       "<polygon points=\"9,7 2,10 9,13\"/>",
                       "arrow with two heads"},
    [F2L_SIGN_OTHERS] = {"edge rest", "", "others"},
    [F2L_SIGN_ANY] = {"edge rest", "", "any"},
    [F2L_SIGN_MORE] = {"edge", "", "+2"},
    [F2L_SIGN_BOX] = {"node state",
                      "<path d=\"M5 3h24q3 0 3 3v8q0 3-3 3h-24q-3 0-3-3v-8q0-3 3-3z\"/>", "box"},
    [F2L_SIGN_COUNT] = {"edge", "", "5"},
};

void f2l_sign(f2l_page *page, f2l_graph_sign sign, const char *meaning)
{
    f2l_page_raw(page, "<li>");
    if (signs[sign].drawing[0])
        f2l_page_rawf(page,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph sign\" role=\"img\" "
                      "aria-label=\"%s\" width=\"34\" height=\"20\" viewBox=\"0 0 34 20\">"
                      "<g class=\"%s\">%s</g></svg>",
                      signs[sign].words, signs[sign].class, signs[sign].drawing);
    else
        f2l_page_rawf(page, "<span class=\"sign%s\">%s</span>",
                      sign == F2L_SIGN_OTHERS || sign == F2L_SIGN_ANY ? " rest" : "",
                      signs[sign].words);
    f2l_html_text(&page->html, meaning);
    f2l_page_raw(page, "</li>\n");
}
