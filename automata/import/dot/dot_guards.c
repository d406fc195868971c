/* Formulas over propositions as labels, as Spot and LTLf2DFA write them. The letters are the
 * valuations of the propositions, as in HOA files: formulas are rewritten as labels of HOA and read
 * by automata/import/hoa_label.c. */
#include "automata/import/dot/dot.h"
#include "automata/import/hoa_label.h"
#include "numeric/base/mem.h"
#include <string.h>

/* What formulas of a file have in them. */
enum { SIGN_NOT = 1, SIGN_BOTH = 2, SIGN_WORD = 4, SIGN_CONSTANT = 8 };

typedef struct guards {
    f2l_names propositions;
    f2l_hoa_labels labels;
    f2l_buf hoa; /* the formula in hand, as HOA writes it */
    uint64_t *set;
} guards;

static bool is_proposition_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80 || (!first && c != '\0' && strchr("0123456789.@$'", c));
}

/* Appends the sign of logic at *at, and skips it; returns false where there is none. */
static bool rewrite_sign(f2l_buf *out, const char **at, unsigned *signs)
{
    static const struct {
        const char *text, *hoa;
        unsigned sign;
    } sign[] = {{"&&", "&", SIGN_BOTH},
                {"&", "&", SIGN_BOTH},
                {"/\\", "&", SIGN_BOTH},
                {"\xe2\x88\xa7", "&", SIGN_BOTH},
                {"||", "|", SIGN_BOTH},
                {"|", "|", 0},
                {"\\/", "|", SIGN_BOTH},
                {"\xe2\x88\xa8", "|", SIGN_BOTH},
                {"!", "!", SIGN_NOT},
                {"~", "!", SIGN_NOT},
                {"\xc2\xac", "!", SIGN_NOT},
                {"(", "(", 0},
                {")", ")", 0}};
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++) {
        const size_t size = strlen(sign[i].text);
        if (strncmp(*at, sign[i].text, size) != 0) continue;
        f2l_buf_text(out, sign[i].hoa);
        *signs |= sign[i].sign;
        *at += size;
        return true;
    }
    return false;
}

/* Appends a word: an operator, a constant, or the number of a proposition. */
static f2l_status rewrite_word(guards *g, const char *word, size_t size, unsigned *signs,
                               f2l_error *err)
{
    static const struct {
        const char *text, *hoa;
        unsigned sign;
    } known[] = {{"and", "&", SIGN_WORD},
                 {"or", "|", SIGN_WORD},
                 {"not", "!", SIGN_WORD},
                 {"true", "t", SIGN_CONSTANT},
                 {"True", "t", SIGN_CONSTANT},
                 {"false", "f", SIGN_CONSTANT},
                 {"False", "f", SIGN_CONSTANT},
                 {"TRUE", "t", SIGN_CONSTANT},
                 {"FALSE", "f", SIGN_CONSTANT},
                 {"tt", "t", SIGN_CONSTANT},
                 {"ff", "f", SIGN_CONSTANT},
                 {"\xe2\x8a\xa4", "t", SIGN_CONSTANT},
                 {"\xe2\x8a\xa5", "f", SIGN_CONSTANT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].text) != size || memcmp(known[i].text, word, size) != 0) continue;
        f2l_buf_printf(&g->hoa, " %s ", known[i].hoa);
        *signs |= known[i].sign;
        return F2L_OK;
    }
    size_t index;
    const f2l_status status = f2l_names_add(&g->propositions, word, size, &index, err);
    f2l_buf_printf(&g->hoa, " %zu ", index);
    return status;
}

/* Rewrites the formula into g->hoa; *good is false where it has signs that no formula has. */
static f2l_status rewrite_formula(guards *g, const char *at, bool *good, unsigned *signs,
                                  f2l_error *err)
{
    f2l_status status = F2L_OK;
    g->hoa.size = 0;
    *good = true;
    while (*at && *good && status == F2L_OK) {
        size_t size = 0;
        if (*at == ' ' || *at == '\t' || *at == '\n') {
            at++;
        } else if (rewrite_sign(&g->hoa, &at, signs)) {
            continue;
        } else if (*at == '0' || *at == '1') { /* alone: elsewhere it may number a proposition */
            f2l_buf_text(&g->hoa, *at == '1' ? " t " : " f ");
            *good = g->hoa.size == 3 && at[1] == '\0';
            at++;
        } else if (*at == '"' && strchr(at + 1, '"')) {
            size = (size_t)(strchr(at + 1, '"') - at) - 1;
            status = rewrite_word(g, at + 1, size, signs, err);
            at += size + 2;
        } else {
            while (is_proposition_byte(at[size], size == 0)) size++;
            *good = size > 0;
            if (*good) status = rewrite_word(g, at, size, signs, err);
            at += size;
        }
    }
    f2l_buf_bytes(&g->hoa, "", 1);
    return status == F2L_OK ? f2l_buf_status(&g->hoa, err) : status;
}

/* Reads g->hoa into g->set, or only checks it before there are sets. */
static f2l_status read_hoa_formula(guards *g, f2l_error *err)
{
    f2l_cursor lexer = f2l_cursor_start(g->hoa.data, g->hoa.size - 1);
    f2l_hoa_token token;
    f2l_status status = f2l_hoa_next(&lexer, &token, err);
    if (status == F2L_OK) status = f2l_hoa_label(&g->labels, g->set, &lexer, &token, err);
    if (status != F2L_OK || token.kind == F2L_HOA_END_OF_FILE) return status;
    return f2l_fail(err, F2L_EFORMAT, "expected an operator");
}

/* What pass over the labels finds. */
typedef struct survey {
    const f2l_dot_label *other;    /* the first that is no formula, or NULL */
    const f2l_dot_label *constant; /* the first with true or false in it */
    unsigned signs;
} survey;

/* Looks whether the input is a formula. */
static f2l_status survey_input(const f2l_dot_reader *r, guards *g, const f2l_dot_label *label,
                               const char *input, survey *out, f2l_error *err)
{
    unsigned signs = 0;
    bool good = !f2l_dot_is_epsilon(r, input, strlen(input));
    f2l_status status = F2L_OK;
    if (good) status = rewrite_formula(g, input, &good, &signs, err);
    if (good && status == F2L_OK) {
        status = read_hoa_formula(g, NULL);
        good = status == F2L_OK;
        if (status != F2L_ENOMEM) status = F2L_OK;
    }
    if (good) {
        out->signs |= signs;
        if ((signs & SIGN_CONSTANT) && !out->constant) out->constant = label;
    } else if (!out->other) {
        out->other = label;
    }
    return status;
}

/* Returns whether a label may have a sign of logic, or a constant, in it. */
static bool may_be_formulas(const f2l_dot_reader *r)
{
    static const char *const word[] = {"and", "or", "not", "rue", "alse"};
    for (size_t i = 0; i < r->labels.lines; i++) {
        const char *input = f2l_dot_shown(r, r->labels.line[i].input);
        if (strpbrk(input, "!~&|/\xc2\xe2")) return true;
        for (size_t k = 0; k < sizeof word / sizeof *word; k++)
            if (strstr(input, word[k])) return true;
    }
    return false;
}

static f2l_status survey_labels(const f2l_dot_reader *r, guards *g, survey *out, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        const f2l_dot_label *label = &r->labels.item[i];
        for (size_t k = 0; k < label->lines && status == F2L_OK; k++)
            status = survey_input(
                r, g, label, f2l_dot_shown(r, r->labels.line[label->line + k].input), out, err);
    }
    return status;
}

/* Decides by the rules whether labels are formulas: all are, and one has an operator that lists
 * have not. Refuses files in which they may be. */
static f2l_status decide_guards(const f2l_dot_reader *r, const guards *g, const survey *s,
                                bool *all, f2l_error *err)
{
    static const char say[] = "looks like a formula over propositions: --read-as labels=guards "
                              "says that it is";
    *all = !s->other && (s->signs & (SIGN_NOT | SIGN_BOTH));
    for (size_t i = 0; i < r->labels.count && *all; i++) {
        const char *text = f2l_dot_shown(r, r->labels.item[i].shown);
        if (strcmp(text, "T") == 0 || strcmp(text, "F") == 0)
            return f2l_dot_refuse_label(r, &r->labels.item[i],
                                        "is a constant or a proposition: write true or false for "
                                        "the constant; --read-as labels=guards makes it a "
                                        "proposition",
                                        err);
    }
    if (s->other && (s->signs & SIGN_BOTH))
        return f2l_dot_refuse_label(r, s->other,
                                    "is no formula over propositions, but other labels are", err);
    if (*all || s->other) return F2L_OK;
    if (s->signs & SIGN_WORD) return f2l_dot_refuse_label(r, &r->labels.item[0], say, err);
    if (s->constant && g->propositions.count > 0)
        return f2l_dot_refuse_label(r, s->constant, say, err);
    return F2L_OK;
}

static f2l_status read_guard_line(f2l_dot_reader *r, guards *g, f2l_dot_label *label,
                                  const f2l_dot_line *line, f2l_error *err)
{
    size_t output;
    bool good;
    unsigned signs = 0;
    f2l_status status = f2l_dot_line_output(r, line, &output, err);
    if (status == F2L_OK)
        status = rewrite_formula(g, f2l_dot_shown(r, line->input), &good, &signs, err);
    if (status == F2L_OK) status = read_hoa_formula(g, err);
    for (size_t w = 0; w < g->labels.words && status == F2L_OK; w++)
        for (uint64_t rest = g->set[w]; rest != 0 && status == F2L_OK; rest &= rest - 1)
            status =
                f2l_dot_add_part(r, label, 64 * w + (size_t)__builtin_ctzll(rest), output, err);
    return status;
}

/* Gives labels their parts: the valuations that make the formulas true. */
static f2l_status read_guard_labels(f2l_dot_reader *r, guards *g, const char *note, f2l_error *err)
{
    const size_t propositions = g->propositions.count;
    if (propositions > F2L_HOA_MAX_PROPOSITIONS)
        return f2l_fail(err, F2L_UNKNOWN,
                        "%zu propositions stand for 2^%zu letters; at most %d propositions are "
                        "read",
                        propositions, propositions, F2L_HOA_MAX_PROPOSITIONS);
    f2l_status status = f2l_hoa_labels_open(&g->labels, propositions, err);
    if (status == F2L_OK) status = f2l_hoa_add_letters(r->nfa, &g->propositions, err);
    if (status != F2L_OK) return status;
    g->set = f2l_calloc(g->labels.words, sizeof *g->set);
    if (!g->set) return f2l_fail_memory(err);
    for (size_t i = 0; i < r->labels.count && status == F2L_OK; i++) {
        f2l_dot_label *label = &r->labels.item[i];
        label->note = note;
        for (size_t k = 0; k < label->lines && status == F2L_OK; k++)
            status = read_guard_line(r, g, label, &r->labels.line[label->line + k], err);
    }
    return status;
}

f2l_status f2l_dot_read_guards(f2l_dot_reader *r, const char *asked, bool *all, f2l_error *err)
{
    *all = false;
    if (!asked && !may_be_formulas(r)) return F2L_OK;
    guards g = {.set = NULL};
    survey s = {NULL, NULL, 0};
    f2l_names_init(&g.propositions);
    f2l_hoa_labels_init(&g.labels);
    f2l_buf_init(&g.hoa);
    f2l_status status = survey_labels(r, &g, &s, err);
    *all = !s.other;
    if (status == F2L_OK && asked && s.other) status = f2l_dot_fail_label(r, s.other, asked, err);
    if (status == F2L_OK && !asked) status = decide_guards(r, &g, &s, all, err);
    if (status == F2L_OK && *all)
        status = read_guard_labels(
            r, &g, asked ? NULL : "was read as a formula: letters are valuations of propositions",
            err);
    f2l_names_clear(&g.propositions);
    f2l_hoa_labels_clear(&g.labels);
    f2l_buf_clear(&g.hoa);
    f2l_free(g.set);
    return status;
}
