/* Languages of the families against independent definitions, and their tables against known
 * ones. */
#include "automata/family/family.h"
#include "tests/support/automata/import_support.h"
#include <stdio.h>

static void build(f2l_fsa *out, const char *kind, size_t numbers, uint64_t first, uint64_t second)
{
    uint64_t number[2] = {first, second};
    f2l_error err = {0};
    f2l_fsa_init(out);
    cr_assert_eq(f2l_family_build(out, kind, number, numbers, false, &err), F2L_OK, "%s: %s", kind,
                 err.text);
}

/* Calls `check` with every word over `letters` up to a length. */
static void for_words(const char *letters, size_t longest, const f2l_fsa *fsa, uint64_t parameter,
                      void (*check)(const f2l_fsa *, const char *, uint64_t))
{
    size_t k = strlen(letters), digit[16] = {0};
    for (size_t length = 0; length <= longest; length++) {
        char word[17];
        memset(digit, 0, sizeof digit);
        for (bool more = true; more;) {
            for (size_t i = 0; i < length; i++) word[i] = letters[digit[i]];
            word[length] = '\0';
            check(fsa, word, parameter);
            size_t i = 0;
            while (i < length && ++digit[i] == k) digit[i++] = 0;
            more = i < length;
        }
    }
}

static size_t count(const char *word, char c)
{
    size_t found = 0;
    for (; *word != '\0'; word++) found += *word == c;
    return found;
}

/* Returns whether no odd block of 1s is directly followed by an odd block of 0s, where blocks are
 * as long as possible. */
static bool tomita3(const char *word)
{
    bool odd_ones = false;
    while (*word != '\0') {
        size_t block = strspn(word, *word == '1' ? "1" : "0");
        if (*word == '0' && odd_ones && block % 2 == 1) return false;
        odd_ones = *word == '1' && block % 2 == 1;
        word += block;
    }
    return true;
}

static bool tomita7(const char *word)
{
    word += strspn(word, "0");
    word += strspn(word, "1");
    word += strspn(word, "0");
    word += strspn(word, "1");
    return *word == '\0';
}

static bool tomita(uint64_t number, const char *word)
{
    size_t zeros = count(word, '0'), ones = count(word, '1');
    switch (number) {
    case 1:
        return zeros == 0;
    case 2:
        while (strncmp(word, "10", 2) == 0) word += 2;
        return *word == '\0';
    case 3:
        return tomita3(word);
    case 4:
        return strstr(word, "000") == NULL;
    case 5:
        return zeros % 2 == 0 && ones % 2 == 0;
    case 6:
        return zeros % 3 == ones % 3;
    default:
        return tomita7(word);
    }
}

static void check_tomita(const f2l_fsa *fsa, const char *word, uint64_t number)
{
    cr_assert_eq(accepts(fsa, word), tomita(number, word), "tomita %llu on %s",
                 (unsigned long long)number, word);
}

Test(family_languages, tomita)
{
    for (uint64_t number = 1; number <= 7; number++) {
        f2l_fsa fsa;
        build(&fsa, "tomita", 1, number, 0);
        for_words("01", 12, &fsa, number, check_tomita);
        f2l_fsa_clear(&fsa);
    }
}

static void check_parity(const f2l_fsa *fsa, const char *word, uint64_t parameter)
{
    (void)parameter;
    bool odd = count(word, '1') % 2;
    cr_assert_eq(accepts(fsa, word), odd);
    cr_assert_str_eq(f2l_names_get(&fsa->states, run_word(fsa, word)), odd ? "odd" : "even");
}

Test(family_languages, parity)
{
    f2l_fsa fsa;
    build(&fsa, "parity", 0, 0, 0);
    for_words("01", 10, &fsa, 0, check_parity);
    f2l_fsa_clear(&fsa);
}

static void check_even_pairs(const f2l_fsa *fsa, const char *word, uint64_t parameter)
{
    (void)parameter;
    size_t pairs = 0;
    for (size_t i = 1; i < strlen(word); i++) pairs += word[i] != word[i - 1];
    cr_assert_eq(accepts(fsa, word), pairs % 2 == 0, "%s", word);
    if (*word != '\0')
        cr_assert_eq(accepts(fsa, word), word[0] == word[strlen(word) - 1], "%s", word);
}

Test(family_languages, even_pairs)
{
    f2l_fsa fsa;
    build(&fsa, "even-pairs", 0, 0, 0);
    for_words("01", 10, &fsa, 0, check_even_pairs);
    f2l_fsa_clear(&fsa);
}

static void check_repeat_01(const f2l_fsa *fsa, const char *word, uint64_t parameter)
{
    (void)parameter;
    bool right = strlen(word) % 2 == 0;
    for (size_t i = 0; word[i] != '\0'; i++) right = right && word[i] == "01"[i % 2];
    cr_assert_eq(accepts(fsa, word), right, "%s", word);
}

static void check_first(const f2l_fsa *fsa, const char *word, uint64_t parameter)
{
    (void)parameter;
    cr_assert_eq(accepts(fsa, word), word[0] == '1', "%s", word);
}

/* The place after all steps is the digit that ends the word. */
static void check_cycle_language(const f2l_fsa *fsa, const char *word, uint64_t m)
{
    const size_t steps = strspn(word, "=<>");
    uint64_t place = 0;
    for (size_t i = 0; i < steps; i++)
        place = (place + (word[i] == '>') + (word[i] == '<') * (m - 1)) % m;
    const bool right = strlen(word) == steps + 1 && word[steps] == (char)('0' + place);
    cr_assert_eq(accepts(fsa, word), right, "%s", word);
}

/* Digits and operators take turns until =, and the digit behind it is the value. */
static void check_modarith_language(const f2l_fsa *fsa, const char *word, uint64_t m)
{
    const size_t size = strlen(word);
    bool right = size >= 3 && size % 2 == 1 && word[size - 2] == '=';
    uint64_t value = 0;
    for (size_t i = 0; right && i < size; i++)
        right = (i % 2 == 0) == (strchr("012", word[i]) != NULL) &&
                (i % 2 == 0 || (word[i] == '=') == (i == size - 2));
    for (size_t i = 0; right && i + 2 < size; i += 2) {
        const uint64_t d = (uint64_t)(word[i] - '0');
        const char op = i > 0 ? word[i - 1] : '+';
        value = (op == '+' ? value + d : op == '-' ? value + m - d : value * d) % m;
    }
    right = right && word[size - 1] == (char)('0' + value);
    cr_assert_eq(accepts(fsa, word), right, "%s", word);
}

Test(family_languages, of_flare)
{
    static const struct {
        const char *kind, *letters;
        uint64_t number;
        size_t longest;
        void (*check)(const f2l_fsa *, const char *, uint64_t);
    } rows[] = {{"repeat-01", "01", 0, 9, check_repeat_01},
                {"first", "01", 0, 6, check_first},
                {"cycle-language", "<>=012", 3, 5, check_cycle_language},
                {"cycle-language", "<>=01", 2, 5, check_cycle_language},
                {"modarith-language", "012+-*=", 3, 5, check_modarith_language}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f2l_fsa fsa;
        build(&fsa, rows[i].kind, rows[i].number > 0, rows[i].number, 0);
        for_words(rows[i].letters, rows[i].longest, &fsa, rows[i].number, rows[i].check);
        f2l_fsa_clear(&fsa);
    }
}

/* Every kind of bracket is well-matched by itself, and never more than `depth` are open. */
static bool is_shuffle(const char *word, const char *kinds, size_t depth)
{
    for (size_t type = 0; type < 2; type++) {
        size_t open = 0;
        for (const char *at = word; *at; at++) {
            if (*at == kinds[2 * type] && ++open > depth) return false;
            if (*at == kinds[2 * type + 1] && open-- == 0) return false;
        }
        if (open > 0) return false;
    }
    return true;
}

static void check_shuffle(const f2l_fsa *fsa, const char *word, uint64_t depth)
{
    cr_assert_eq(accepts(fsa, word), is_shuffle(word, "()[]", (size_t)depth), "%s", word);
}

Test(family_languages, shuffle_dyck)
{
    for (uint64_t depth = 1; depth <= 3; depth++) {
        const uint64_t numbers[] = {2, depth};
        f2l_fsa fsa;
        f2l_error err = {0};
        f2l_fsa_init(&fsa);
        cr_assert_eq(f2l_family_build(&fsa, "shuffle-dyck", numbers, 2, false, &err), F2L_OK);
        cr_assert_eq(fsa.states.count, (depth + 1) * (depth + 1) + 1);
        for_words("()[]", 8, &fsa, depth, check_shuffle);
        f2l_fsa_clear(&fsa);
    }
    const uint64_t large[] = {19, 1000000};
    f2l_fsa fsa;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    cr_assert_eq(f2l_family_build(&fsa, "shuffle-dyck", large, 2, false, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "1000000 states"), "%s", err.text);
    f2l_fsa_clear(&fsa);
}

/* Whole pairs, and every bit that is read is the last one written. */
static void check_flipflop(const f2l_fsa *fsa, const char *word, uint64_t parameter)
{
    (void)parameter;
    char memory = '?';
    bool right = strlen(word) % 2 == 0;
    for (size_t i = 0; right && word[i]; i += 2) {
        right = strchr("wri", word[i]) && strchr("01", word[i + 1]) &&
                (word[i] != 'r' || word[i + 1] == memory);
        if (word[i] == 'w') memory = word[i + 1];
    }
    cr_assert_eq(accepts(fsa, word), right, "%s", word);
}

Test(family_languages, flipflop_language)
{
    f2l_fsa fsa;
    build(&fsa, "flipflop-language", 0, 0, 0);
    for_words("wri01", 7, &fsa, 0, check_flipflop);
    f2l_fsa_clear(&fsa);
}

/* The place is the sum of the steps modulo M, after every word of up to 8 letters. */
static void check_cycle(const f2l_fsa *fsa, size_t m, size_t letters, size_t word)
{
    static const int step[3] = {0, 1, -1};
    size_t state = fsa->start;
    int sum = 0;
    char name[24];
    for (size_t i = 0; i < letters; i++, word /= 3) {
        state = fsa->next[state * 3 + word % 3];
        sum += step[word % 3];
    }
    snprintf(name, sizeof name, "%zu", (size_t)(sum + (int)(8 * m)) % m);
    cr_assert_str_eq(f2l_names_get(&fsa->states, state), name);
}

Test(family_languages, cycle_navigation)
{
    for (uint64_t m = 2; m <= 7; m++) {
        f2l_fsa fsa;
        build(&fsa, "cycle-navigation", 1, m, 0);
        cr_assert(fsa.states.count == m && fsa.letters.count == 3);
        for (size_t letters = 0, words = 1; letters <= 8; letters++, words *= 3)
            for (size_t word = 0; word < words; word++) check_cycle(&fsa, (size_t)m, letters, word);
        f2l_fsa_clear(&fsa);
    }
}

static void check_definite(const f2l_fsa *fsa, const char *word, uint64_t k)
{
    size_t length = strlen(word);
    char expected[17];
    for (size_t i = 0; i < k; i++) expected[i] = length + i < k ? '0' : word[length + i - k];
    expected[k] = '\0';
    cr_assert_str_eq(f2l_names_get(&fsa->states, run_word(fsa, word)), expected);
    cr_assert_eq(accepts(fsa, word), length >= k && word[length - k] == '1');
}

Test(family_languages, definite)
{
    for (uint64_t k = 1; k <= 4; k++) {
        f2l_fsa fsa;
        build(&fsa, "definite", 1, k, 0);
        cr_assert_eq(fsa.states.count, (size_t)1 << k);
        for_words("01", 9, &fsa, k, check_definite);
        f2l_fsa_clear(&fsa);
    }
}

/* Follows the word with a stack of at most `depth` brackets and checks every state's name; the name
 * is "sink" once something went wrong. */
static void check_dyck(const f2l_fsa *fsa, const char *word, uint64_t depth)
{
    static const char open[] = "([{<", close[] = ")]}>";
    char stack[17];
    size_t height = 0;
    bool sunk = false;
    for (const char *c = word; *c != '\0' && !sunk; c++) {
        const char *opens = strchr(open, *c);
        if (opens != NULL) {
            sunk = height == depth;
            stack[height++] = *c;
        } else {
            sunk = height == 0 || stack[height - 1] != open[strchr(close, *c) - close];
            height -= !sunk;
        }
    }
    stack[height] = '\0';
    char number[8];
    snprintf(number, sizeof number, "%zu", height);
    const char *expected = sunk                      ? "sink"
                           : fsa->letters.count == 2 ? number
                           : height == 0             ? "empty"
                                                     : stack;
    cr_assert_str_eq(f2l_names_get(&fsa->states, run_word(fsa, word)), expected, "word %s", word);
    cr_assert_eq(accepts(fsa, word), !sunk && height == 0);
}

Test(family_languages, dyck)
{
    static const char *const letters[] = {"()", "([)]", "([{)]}"};
    static const size_t longest[] = {12, 7, 6};
    for (uint64_t types = 1; types <= 3; types++)
        for (uint64_t depth = 1; depth <= 3; depth++) {
            f2l_fsa fsa;
            build(&fsa, "dyck", 2, types, depth);
            for_words(letters[types - 1], longest[types - 1], &fsa, depth, check_dyck);
            f2l_fsa_clear(&fsa);
        }
    f2l_fsa many;
    build(&many, "dyck", 2, 6, 2);
    cr_assert_eq(many.states.count, 1 + 6 + 36 + 1);
    cr_assert_neq(f2l_names_find(&many.states, "6.1", 3), F2L_NO_INDEX);
    cr_assert_str_eq(f2l_names_get(&many.letters, 11), "close6");
    f2l_fsa_clear(&many);
}

/* Evaluates d op d op .. from left to right, or with * first. Returns m for an open expression, m +
 * 1 for an error. */
static uint64_t evaluate(const char *word, uint64_t m, bool precedence)
{
    uint64_t sum = 0, term = 0, sign = 1;
    char op = '+';
    for (size_t i = 0; word[i] != '\0'; i++) {
        bool digit = word[i] >= '0' && word[i] <= '9';
        if (digit != (i % 2 == 0)) return m + 1;
        if (!digit) {
            op = word[i];
            continue;
        }
        uint64_t d = (uint64_t)(word[i] - '0');
        if (!precedence) {
            sum = op == '+' ? sum + d : op == '-' ? sum + (m - d) : sum * d;
            sum %= m;
        } else if (op == '*') {
            term = term * d % m;
        } else {
            sum = (sum + sign * term) % m;
            sign = op == '-' ? m - 1 : 1;
            term = d;
        }
    }
    if (strlen(word) % 2 == 0) return m;
    return precedence ? (sum + sign * term) % m : sum;
}

static void check_value(const f2l_fsa *fsa, const char *word, uint64_t m, bool precedence)
{
    uint64_t value = evaluate(word, m, precedence);
    char expected[16];
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
    cr_assert_str_eq(f2l_fsa_label(fsa, F2L_LABEL_OUTPUTS, run_word(fsa, word)),
                     value == m       ? "open"
                     : value == m + 1 ? "error"
                                      : expected,
                     "modulo %llu: %s", (unsigned long long)m, word);
}

static void check_left_to_right(const f2l_fsa *fsa, const char *word, uint64_t m)
{
    check_value(fsa, word, m, false);
}

static void check_precedence(const f2l_fsa *fsa, const char *word, uint64_t m)
{
    check_value(fsa, word, m, true);
}

Test(family_languages, modular_arithmetic)
{
    static const char *const letters[] = {"01+-*", "012+-*", "0123+-*", "01234+-*"};
    for (uint64_t m = 2; m <= 5; m++) {
        f2l_fsa fsa;
        size_t longest = m < 4 ? 7 : 6;
        build(&fsa, "modarith", 1, m, 0);
        for_words(letters[m - 2], longest, &fsa, m, check_left_to_right);
        f2l_fsa_clear(&fsa);
        build(&fsa, "modarith-prec", 1, m, 0);
        for_words(letters[m - 2], longest, &fsa, m, check_precedence);
        f2l_fsa_clear(&fsa);
    }
}

/* Reads the next table of the golden file; returns false at its end. */
static bool read_known(FILE *file, char name[32], f2l_fsa *out)
{
    size_t states, letters;
    int c;
    f2l_fsa_init(out);
    while ((c = fgetc(file)) == '#')
        while (c != '\n' && c != EOF) c = fgetc(file);
    if (c == EOF || ungetc(c, file) == EOF ||
        fscanf(file, "%31s %zu %zu", name, &states, &letters) != 3)
        return false;
    out->next = f2l_calloc(states * letters, sizeof *out->next);
    for (size_t i = 0; i < states + letters; i++) {
        char text[24];
        size_t index;
        int size = snprintf(text, sizeof text, "%zu", i < states ? i : i - states);
        cr_assert_eq(f2l_names_add(i < states ? &out->states : &out->letters, text, (size_t)size,
                                   &index, NULL),
                     F2L_OK);
    }
    for (size_t a = 0; a < letters; a++)
        for (size_t q = 0; q < states; q++) {
            unsigned image;
            cr_assert_eq(fscanf(file, "%u ", &image), 1);
            out->next[q * letters + a] = image - 1;
        }
    return true;
}

Test(family_languages, tables_known_from_elsewhere)
{
    static const struct {
        const char *name, *kind;
        size_t numbers;
        uint64_t first, second;
    } known[] = {
        {"T4", "transformations", 1, 4, 0},
        {"ELEV5", "elevator", 1, 5, 0},
        {"ELEV5", "counter", 1, 4, 0},
        {"DYCK1_2", "dyck", 2, 1, 2},
        {"DYCK1_4", "dyck", 2, 1, 4},
        {"DYCK2_1", "dyck", 2, 2, 1},
        {"DYCK2_2", "dyck", 2, 2, 2},
        {"DYCK2_3", "dyck", 2, 2, 3},
        {"MODAR3_ltr", "modarith", 1, 3, 0},
        {"MODAR5_ltr", "modarith", 1, 5, 0},
        {"MODAR3_prec", "modarith-prec", 1, 3, 0},
        {"MODAR5_prec", "modarith-prec", 1, 5, 0},
        {"TOMITA1", "tomita", 1, 1, 0},
        {"TOMITA2", "tomita", 1, 2, 0},
        {"TOMITA3", "tomita", 1, 3, 0},
        {"TOMITA4", "tomita", 1, 4, 0},
        {"TOMITA5", "tomita", 1, 5, 0},
        {"TOMITA6", "tomita", 1, 6, 0},
        {"TOMITA7", "tomita", 1, 7, 0},
    };
    FILE *file = fopen("tests/golden/cascade-families.txt", "r");
    cr_assert_not_null(file);
    char name[32];
    f2l_fsa expected;
    size_t compared = 0;
    while (read_known(file, name, &expected)) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (strcmp(known[i].name, name) != 0) continue;
            f2l_fsa fsa;
            build(&fsa, known[i].kind, known[i].numbers, known[i].first, known[i].second);
            cr_assert(isomorphic(&expected, &fsa), "%s: %zu states", name, fsa.states.count);
            compared++;
            f2l_fsa_clear(&fsa);
        }
        f2l_fsa_clear(&expected);
    }
    f2l_fsa_clear(&expected);
    fclose(file);
    cr_assert_eq(compared, sizeof known / sizeof *known);
}
