#include "reports/page/words.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The text of docs/glossary.md, with a NUL behind it; the Makefile says that this object depends on
 * the file. A row of its table is `| **word**, **word** | meaning | where it is defined |`. */
__asm__(".section .rodata\n"
        ".global f2l_glossary\n"
        "f2l_glossary: .incbin \"docs/glossary.md\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char f2l_glossary[];

const char f2l_words_style[] =
    "a.word{color:inherit;text-decoration:underline dotted}"
    ".words{display:grid;grid-template-columns:auto 1fr;gap:0 1em}"
    ".words dt{grid-column:1;font-weight:600}.words dd{grid-column:2;margin:0}"
    "@media(max-width:600px){.words{display:block}}\n";

enum { MOST_WORDS = 512, MOST_TOKENS = 3 };

/* A text that is not ended by a NUL. */
typedef struct span {
    const char *at;
    size_t size;
} span;

typedef struct entry {
    span word, meaning;
    size_t row;
} entry;

typedef struct glossary {
    entry entry[MOST_WORDS];
    size_t count, rows;
    bool used[MOST_WORDS]; /* [rows] */
} glossary;

/* Words that sentences also use as in everyday English: they are linked in column titles alone. */
static const char *const everyday[] = {
    "accept",   "block",      "bound",  "box",       "branch",   "built",  "cast",   "character",
    "claim",    "class",      "code",   "complex",   "context",  "cover",  "cycle",  "edges",
    "elements", "equal",      "every",  "exact",     "field",    "float",  "form",   "format",
    "group",    "head",       "index",  "label",     "layer",    "letter", "level",  "nearest",
    "network",  "observed",   "others", "outputs",   "outside",  "pair",   "part",   "period",
    "points",   "product",    "raw",    "recurrent", "register", "right",  "row",    "search",
    "slot",     "snap",       "source", "stage",     "state",    "step",   "symbol", "target",
    "track",    "transition", "value",  "weights",   "word",     NULL};

/* --- the glossary --- */

static bool same_word(span a, const char *b, size_t size)
{
    return a.size == size && strncasecmp(a.at, b, size) == 0;
}

/* Returns the end of the cell that begins at `at`: the next bar that is not escaped. */
static const char *find_cell_end(const char *at)
{
    while (*at && *at != '\n' && !(*at == '|' && at[-1] != '\\')) at++;
    return at;
}

/* Adds the words of a row, whose line begins at `line`. */
static void add_row(glossary *g, const char *line)
{
    const char *end = find_cell_end(line + 1);
    const char *meaning = *end == '|' ? end + 2 : end;
    const span about = {meaning, (size_t)(find_cell_end(meaning) - meaning)};
    for (const char *at = strstr(line, "**"); at && at < end && g->count < MOST_WORDS;) {
        const char *word = at + 2, *stop = strstr(word, "**");
        if (!stop || stop >= end) break;
        g->entry[g->count++] = (entry){{word, (size_t)(stop - word)}, about, g->rows};
        at = strstr(stop + 2, "**");
    }
    g->rows++;
}

static void read_glossary(glossary *g)
{
    *g = (glossary){.count = 0};
    for (const char *line = f2l_glossary; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, "| **", 4) == 0) add_row(g, line);
    }
}

static const entry *find_word(const glossary *g, const char *at, size_t size)
{
    for (size_t i = 0; i < g->count; i++)
        if (same_word(g->entry[i].word, at, size)) return &g->entry[i];
    return size > 3 && at[size - 1] == 's' ? find_word(g, at, size - 1) : NULL;
}

static bool is_everyday(const entry *e)
{
    size_t i = 0;
    while (everyday[i] && !same_word(e->word, everyday[i], strlen(everyday[i]))) i++;
    return everyday[i] != NULL;
}

/* Appends a meaning without the signs of Markdown. */
static void put_meaning(f2l_buf *out, span meaning)
{
    f2l_buf plain;
    f2l_buf_init(&plain);
    for (size_t i = 0; i < meaning.size; i++)
        if (!strchr("`*\\", meaning.at[i])) f2l_buf_bytes(&plain, meaning.at + i, 1);
    while (plain.size && plain.data[plain.size - 1] == ' ') plain.data[--plain.size] = '\0';
    f2l_html_text(out, plain.data ? plain.data : "");
    out->failed = out->failed || plain.failed;
    f2l_buf_clear(&plain);
}

/* --- the page --- */

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t measure_word(const char *at)
{
    size_t size = 0;
    while (is_in_word(at[size])) size++;
    return size;
}

/* Returns the entry of the longest phrase of the glossary at `at`, of *size bytes; NULL: none. */
static const entry *find_phrase(const glossary *g, const char *at, size_t *size)
{
    const entry *found = NULL;
    for (size_t n = 0, end = 0; n < MOST_TOKENS; n++) {
        end += measure_word(at + end);
        const entry *here = find_word(g, at, end);
        if (here) *size = end;
        found = here ? here : found;
        if (at[end] != ' ' || !is_in_word(at[end + 1])) break;
        end++;
    }
    return found;
}

static void put_link(f2l_buf *out, const entry *e, const char *text, size_t size)
{
    f2l_buf_printf(out, "<a class=\"word\" href=\"#word-%zu\" title=\"", e->row);
    put_meaning(out, e->meaning);
    f2l_buf_text(out, "\">");
    f2l_buf_bytes(out, text, size);
    f2l_buf_text(out, "</a>");
}

/* Appends the text up to the next tag, with its new words as links; returns its end. In titles
 * everyday words are linked, too. */
static const char *put_linked(f2l_buf *out, glossary *g, const char *at, bool titles)
{
    while (*at && *at != '<') {
        size_t size = measure_word(at);
        const entry *e = size ? find_phrase(g, at, &size) : NULL;
        if (size == 0) size = 1;
        if (e && !g->used[e->row] && (titles || !is_everyday(e))) {
            g->used[e->row] = true;
            put_link(out, e, at, size);
        } else
            f2l_buf_bytes(out, at, size);
        at += size;
    }
    return at;
}

/* What holds words of the program: the beginnings of elements, without `<`. */
static const char *const places[] = {"th scope=\"col\"", "span>",   "p>", "p class=\"note\"",
                                     "figcaption",       "caption", NULL};

/* Returns the index of the place that begins at `tag`, or -1. */
static int find_place(const char *tag)
{
    for (int i = 0; places[i]; i++)
        if (strncmp(tag, places[i], strlen(places[i])) == 0) return i;
    return -1;
}

static void link_words(f2l_buf *out, glossary *g, const char *at)
{
    int place = -1;
    while (*at) {
        if (*at != '<' && place >= 0) {
            at = put_linked(out, g, at, place == 0);
            continue;
        }
        const char *end = strpbrk(at + 1, *at == '<' ? ">" : "<");
        if (*at == '<') place = find_place(at + 1);
        if (*at == '<' && end) end++;
        if (!end) end = at + strlen(at);
        f2l_buf_bytes(out, at, (size_t)(end - at));
        at = end;
    }
}

static void put_words(f2l_buf *out, const glossary *g)
{
    if (!memchr(g->used, 1, sizeof g->used)) return;
    f2l_buf_text(out, "<section id=\"words\">\n<h2>Words</h2>\n<dl class=\"words\">\n");
    for (size_t i = 0; i < g->count; i++) {
        const entry *e = &g->entry[i];
        const bool first = i == 0 || g->entry[i - 1].row != e->row;
        if (!g->used[e->row]) continue;
        f2l_buf_printf(out, first ? "<dt id=\"word-%zu\">" : "<dt>", e->row);
        f2l_buf_bytes(out, e->word.at, e->word.size);
        f2l_buf_text(out, "</dt>");
        if (i + 1 < g->count && g->entry[i + 1].row == e->row) continue;
        f2l_buf_text(out, "<dd>");
        put_meaning(out, e->meaning);
        f2l_buf_text(out, "</dd>\n");
    }
    f2l_buf_text(out, "</dl>\n</section>\n");
}

void f2l_page_link_words(f2l_page *page)
{
    static const char body[] = "<main>";
    const char *at = page->html.data ? strstr(page->html.data, body) : NULL;
    if (!at || page->html.failed) return;
    glossary g;
    f2l_buf out;
    f2l_buf_init(&out);
    read_glossary(&g);
    f2l_buf_bytes(&out, page->html.data, (size_t)(at - page->html.data));
    link_words(&out, &g, at);
    put_words(&out, &g);
    f2l_buf_clear(&page->html);
    page->html = out;
}
