/* The table of a schedule's settings. A new one is an entry here, with a member of f2l_schedule:
 * what looks at schedules does not know it, and says so, until its bit is in `known`. */
#include "models/network/schedule/fields.h"
#include "models/network/schedule/store.h"
#include <stddef.h>
#include <stdio.h>

static const char *const widths[] = {"format", "fp32", NULL};
static const char *const wide_first[] = {"fp32", "format", NULL};
static const char *const gates[] = {"early", "late", "folded", NULL};
static const char *const quotients[] = {"inverse", "divide", "two", NULL};
static const char *const clamps[] = {"symmetric", "full", "none", NULL};
static const char *const pairs[] = {"no", "reversed", NULL};
static const char *const residual_scales[] = {"none", "amax", "pow2", NULL};
static const char *const readings[] = {"stored", "unstored", NULL};
static const char *const norms[] = {"reciprocal", "quotient", "rsqrt", "outside",
                                    "max",        "rms",      NULL};
static const char *const decoders[] = {"nearest", "linear", NULL};
static const char *const betas[] = {"format", "fp32", "logit", "logit-format", NULL};
static const char *const store_times[] = {"letter", "factor", NULL};
static const char *const seconds[] = {"none", "head", NULL};
static const char *const prefills[] = {"none", "unstored", "chunk64", NULL};

/* --- what is not for a schedule, or does nothing in it --- */

static const char *refuse_fuse(const f2l_schedule *s)
{
    const bool trees = s->order.sum == F2L_SUM_HALVES || s->order.sum == F2L_SUM_BUTTERFLY;
    return trees && s->order.fused_sum
               ? "sums by halves have no fused products: fuse is none or update with them"
               : NULL;
}

static const char *refuse_gate(const f2l_schedule *s)
{
    return s->order.gate == F2L_GATE_FOLDED && s->operands
               ? "gate=folded is not for operands that are rounded: operands is none with it"
               : NULL;
}

static const char *refuse_operands(const f2l_schedule *s)
{
    return s->operands && strcmp(s->operands, "fp32") == 0
               ? "operands=fp32 rounds nothing: operations with operands are in fp32"
               : NULL;
}

static const char *refuse_letters(const f2l_schedule *s)
{
    return s->store.letters == 1 || f2l_schedule_stores(s) || s->store.ring
               ? NULL
               : "letters is for a state that is rounded when it is stored: "
                 "state or scale is missing";
}

static const char *refuse_stores(const f2l_schedule *s)
{
    if (!f2l_schedule_stores(s)) return "stores is for a state that is rounded when it is stored";
    if (s->store.letters > 1) return "stores=factor stores in each letter: letters is 1 with it";
    if (s->store.residual) return "stores=factor is not for stores with residuals";
    return s->store.scale && s->store.block == F2L_BLOCK_TENSOR
               ? "stores=factor stores a head at a time: block=tensor is not for it"
               : NULL;
}

static const char *refuse_ring(const f2l_schedule *s)
{
    if (s->work != F2L_WIDTH_FP32) return "a ring is for operations in fp32";
    if (s->store.letters < 2) return "ring is for stores that wait: letters is missing";
    if (!s->read_unstored)
        return "with a ring the numbers before the store are decoded: "
               "read=unstored is missing";
    return s->store.residual || s->operands ? "ring is not for residuals and operands" : NULL;
}

static const char *refuse_prefill(const f2l_schedule *s)
{
    if (s->store.ring) return "a prompt before a ring is not known: prefill is none with ring";
    return s->work == F2L_WIDTH_FP32 ? NULL : "prefill is for operations in fp32";
}

static const char *refuse_handover(const f2l_schedule *s)
{
    return s->prefill ? NULL : "handover is for a state after a prompt: prefill is missing";
}

/* Returns `why` where a setting needs operations in fp32, and they are not. */
static const char *needs_fp32(const f2l_schedule *s, bool needs, const char *why)
{
    return needs && s->work != F2L_WIDTH_FP32 ? why : NULL;
}

static const char *refuse_beta(const f2l_schedule *s)
{
    return needs_fp32(s, s->beta, "beta is for operations in fp32: work=fp32 is missing");
}

static const char *refuse_decay(const f2l_schedule *s)
{
    return needs_fp32(s, s->wide_gate, "decay is for operations in fp32: work=fp32 is missing");
}

static bool has_amax(const f2l_schedule *s)
{
    return s->store.scale == F2L_SCALE_AMAX;
}

static bool is_integer(const f2l_schedule *s)
{
    return s->store.format && f2l_store_is_integer(s->store.format);
}

static const char *refuse_scale(const f2l_schedule *s)
{
    const char *const format = s->store.scale_format;
    return format && strcmp(format, "fp32") == 0 && s->store.quotient
               ? "a scale in fp32 has quotient=inverse: with the others it is scale=amax"
               : NULL;
}

static const char *refuse_quotient(const f2l_schedule *s)
{
    if (s->store.scale == F2L_SCALE_STATIC && s->store.quotient == F2L_QUOTIENT_TWO)
        return "a static scale is one number: quotient is inverse or divide with it";
    return has_amax(s) || s->store.scale == F2L_SCALE_STATIC
               ? NULL
               : "quotient is for scale=amax and scale=static: powers of two have one quotient";
}

static const char *refuse_most(const f2l_schedule *s)
{
    if (!has_amax(s) && s->store.scale != F2L_SCALE_POW2)
        return "most is for scale=amax and scale=pow2, which take the largest number to it";
    if (!s->store.format) return "most is for a state in a format of its own: state is missing";
    const f2l_format *format = f2l_store_format(s->store.format);
    return f2l_format_round_nearest(format, s->store.most) == s->store.most
               ? NULL
               : "most is a number of the state's format";
}

static const char *refuse_clamp(const f2l_schedule *s)
{
    if (s->store.clamp == F2L_CLAMP_FULL)
        return is_integer(s) ? NULL
                             : "clamp=full is for states in integers, which have a number less";
    if (s->store.clamp == F2L_CLAMP_SYMMETRIC) return NULL;
    if (is_integer(s) || (s->store.format && strcmp(s->store.format, "e2m1") == 0))
        return "clamp=none is for formats that overflow: integers and e2m1 saturate";
    return s->store.scale ? NULL : "clamp=none is for scales: scale is missing";
}

static const char *refuse_block(const f2l_schedule *s)
{
    return s->store.scale ? NULL : "block is for scales: scale is missing";
}

static const char *refuse_second(const f2l_schedule *s)
{
    const f2l_schedule_store *store = &s->store;
    const bool narrow = store->scale_format && f2l_store_format(store->scale_format) &&
                        f2l_store_format(store->scale_format)->precision <= 4;
    if (!has_amax(s) || !narrow) return "second is for scale=amax:e4m3 and scale=amax:e5m2";
    if (store->quotient) return "a second scale has quotient=inverse";
    if (store->block == F2L_BLOCK_TENSOR)
        return "a second scale is one for a head: block=tensor is not for it";
    return store->format ? NULL : "second is for a state in a format of its own: state is missing";
}

static const char *refuse_draw(const f2l_schedule *s)
{
    if (!s->store.stochastic) return "draw is for a state that is stored with :stochastic";
    return s->store.draw != F2L_DRAW_FLOOR || is_integer(s)
               ? NULL
               : "draw=floor is for states in integers";
}

static const char *refuse_pair(const f2l_schedule *s)
{
    if (s->store.draw == F2L_DRAW_ANY) return "pair is for a number of bits: draw is missing";
    if (s->store.residual) return "pair is not for stores with residuals";
    if (s->store.scale && s->store.block == F2L_BLOCK_GROUP && s->store.block_size % 2)
        return "pair=reversed needs an even group: pairs are the rows i and i + 1, i even";
    return !s->store.scale || s->store.block <= F2L_BLOCK_GROUP
               ? NULL
               : "pairs are numbers of a row: block is row or group with them";
}

/* Returns whether the format rounds an error below half a unit to 0. */
static bool needs_scale(const char *format)
{
    return format && (f2l_store_is_integer(format) || strcmp(format, "e2m1") == 0);
}

static const char *refuse_residual(const f2l_schedule *s)
{
    return needs_scale(s->store.residual_format) && !s->store.residual_scale
               ? "a residual in integers or e2m1 needs a scale of its own, which rounds an error "
                 "below 1/2 to 0 without: residual-scale is missing"
               : NULL;
}

static const char *refuse_residual_scale(const f2l_schedule *s)
{
    const char *const format = s->store.residual_format;
    if (!s->store.residual) return "residual-scale is for residuals: residual is missing";
    return needs_scale(format) || (format && f2l_store_format(format)->precision <= 4)
               ? NULL
               : "residual-scale is for residuals in integers, e2m1, e4m3 or e5m2";
}

static const char *refuse_reading(const f2l_schedule *s)
{
    return f2l_schedule_stores(s) || s->work == F2L_WIDTH_FP32
               ? NULL
               : "the numbers before the store are those after it: state is missing";
}

#define ONLY_WITH_EPS(name) \
    static const char *refuse_##name(const f2l_schedule *s) \
    { \
        return s->eps < 0 ? #name " is for keys that are normalised: eps is missing" : NULL; \
    }
ONLY_WITH_EPS(keys)
ONLY_WITH_EPS(norm)
ONLY_WITH_EPS(squares)
ONLY_WITH_EPS(raw)

static const char *refuse_norm_in(const f2l_schedule *s)
{
    return s->eps < 0 ? "norm-in is for keys that are normalised: eps is missing" : NULL;
}

/* --- the table --- */

#define STORE_FORMATS "bf16, fp16, fp32, tf32, e4m3, e5m2, e2m1, int4, int8 or int16"
#define WORDS(list, member) \
    list, offsetof(f2l_schedule, member), sizeof(((f2l_schedule *)NULL)->member), NULL, NULL
#define VALUES(name) NULL, 0, 0, f2l_read_##name, f2l_write_##name
enum {
    ALWAYS = F2L_KNOWS_PLAIN | F2L_KNOWS_UNROUNDED | F2L_KNOWS_HORIZON | F2L_KNOWS_POWERS |
             F2L_KNOWS_CERTIFICATE,
    STEP = ALWAYS & ~F2L_KNOWS_PLAIN,
    STORE = F2L_KNOWS_UNROUNDED | F2L_KNOWS_POWERS | F2L_KNOWS_CERTIFICATE | F2L_KNOWS_HORIZON
};

/* clang-format off */
/* In the order of the canonical spelling. */
const f2l_setting f2l_settings[] = {
    {"sum", "left, halves, butterfly, lanes:W or blocks:M, the last two perhaps with :CHAINS",
     "order in which products of key and state are summed", VALUES(sum), NULL, false, ALWAYS},
    {"fuse", "none, sum, update or both",
     "products that are rounded once together with the sum or difference they go into",
     VALUES(fuse), refuse_fuse, false, ALWAYS},
    {"gate", "early, late or folded",
     "the gate multiplies the state first, or the sum and then the state, or the key of the sum",
     WORDS(gates, order.gate), refuse_gate, false,
     F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"work", "format or fp32", "what operations round into",
     WORDS(widths, work), NULL, false, ALWAYS},
    {"operands", "none, " STORE_FORMATS, "factors of products with the key are rounded into it",
     VALUES(operands), refuse_operands, false, STEP},
    {"state", "format, " STORE_FORMATS ", or one of these with :stochastic",
     "what the state is stored in, to nearest or to one of its neighbours",
     VALUES(state), NULL, false, ALWAYS},
    {"letters", "a number of letters from 1 to 4096", "letters from one store to the next",
     VALUES(letters), refuse_letters, false, F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"stores", "letter or factor", "a state is stored after a letter, or after each factor of it",
     WORDS(store_times, order.store_factors), refuse_stores, false,
     F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"ring", "none, format, or a format but integers",
     "between stores a ring of keys and updates is kept in it, from which the state is made again",
     VALUES(ring), refuse_ring, false, F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"scale", "none, amax, pow2, mx, amax:F or static:X, F being bf16, fp16, tf32, fp32, e4m3, "
     "e5m2 or ue8m0", "numbers of a block are multiplied by one number before the store",
     VALUES(scale), refuse_scale, false, STORE},
    {"quotient", "inverse, divide or two",
     "the scale as Q/amax and its inverse, as a divisor amax/Q, or as both quotients",
     WORDS(quotients, store.quotient), refuse_quotient, false, STORE},
    {"most", "largest, or a number of the state's format", "what the largest number becomes",
     VALUES(most), refuse_most, false, STORE},
    {"clamp", "symmetric, full or none",
     "scaled numbers that are too large: cut off, at -128 for int8, or as the format overflows",
     WORDS(clamps, store.clamp), refuse_clamp, false, STORE},
    {"block", "row, group:N, tile:R, head or tensor", "the numbers that share a scale",
     VALUES(block), refuse_block, false, STORE},
    {"second", "none or head",
     "scales in e4m3 or e5m2 are scaled by one number of fp32 for the head, as nvfp4 does",
     WORDS(seconds, store.second), refuse_second, false,
     F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"draw", "any, top:B, bottom:B or floor:B",
     "random bits of a stochastic store, and where they are added",
     VALUES(draw), refuse_draw, false, STORE & ~F2L_KNOWS_POWERS},
    {"pair", "no or reversed", "two numbers that follow each other share their random bits",
     WORDS(pairs, store.paired), refuse_pair, false, STORE & ~F2L_KNOWS_POWERS},
    {"residual", "none, load or feedback, the last two perhaps with :F, F being " STORE_FORMATS,
     "the error of the store is kept, and added when the state is loaded or stored again",
     VALUES(residual), refuse_residual, false, F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"residual-scale", "none, amax or pow2", "scale of the residuals, by the same blocks",
     WORDS(residual_scales, store.residual_scale), refuse_residual_scale, false,
     F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"read", "stored or unstored", "the numbers that are decoded: after the store, or before it",
     WORDS(readings, read_unstored), refuse_reading, false, STORE},
    {"output", "usual, or a format but integers, perhaps with :saturate",
     "what the numbers that are decoded are cast to; usual: the format, if they are read unstored",
     VALUES(output), NULL, false, STORE & ~F2L_KNOWS_POWERS},
    {"keys", "format or fp32", "what keys that are normalised are rounded into",
     WORDS(widths, wide_keys), refuse_keys, false, ALWAYS},
    {"beta", "format, fp32, logit or logit-format",
     "the format of beta; or of its logit, beta being 2 sigmoid(b) in fp32, or that in the format",
     WORDS(betas, beta), refuse_beta, false, STEP},
    {"decay", "format or fp32", "the format of the gate",
     WORDS(widths, wide_gate), refuse_decay, false, STEP},
    {"prefill", "none, unstored or chunk64",
     "a prompt is read first, without stores, or in chunks (where nothing rounds)",
     WORDS(prefills, prefill), refuse_prefill, false, F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"handover", "fp32, or a format but integers",
     "the state after the prompt is rounded into it before its first store",
     VALUES(handover), refuse_handover, false, F2L_KNOWS_UNROUNDED | F2L_KNOWS_CERTIFICATE},
    {"decode", "nearest or linear", "the code of a state: the nearest, or the nearest direction",
     WORDS(decoders, decode), NULL, true,
     F2L_KNOWS_UNROUNDED | F2L_KNOWS_POWERS | F2L_KNOWS_CERTIFICATE},
    {"norm", "reciprocal, quotient, rsqrt, outside, max or rms", "how keys are normalised",
     WORDS(norms, norm), refuse_norm, true, ALWAYS},
    {"norm-in", "fp32 or format", "operations of the norm are rounded into fp32 only, or into the "
     "format after that", WORDS(wide_first, norm_in_format), refuse_norm_in, true, ALWAYS},
    {"squares", "left, halves, butterfly, lanes:W or blocks:M, the last two perhaps with :CHAINS",
     "order in which the squares of the norm are summed", VALUES(squares), refuse_squares, true,
     ALWAYS},
    {"eps", "0, or a number of fp32 from 1e-45 on, in at most 31 decimal digits and signs",
     "keys are normalised, with this eps, from raw keys", VALUES(eps), NULL, true, ALWAYS},
    {"raw", "a number of fp32 from 1e-45 on, in at most 31 decimal digits and signs",
     "largest coordinate of a raw key", VALUES(raw), refuse_raw, true, ALWAYS}};
/* clang-format on */
const size_t f2l_settings_count = sizeof f2l_settings / sizeof f2l_settings[0];

/* --- access --- */

bool f2l_setting_value_is(f2l_setting_value v, const char *word)
{
    return strlen(word) == v.size && memcmp(word, v.text, v.size) == 0;
}

void f2l_schedule_append(char out[F2L_SCHEDULE_NAME], const char *text)
{
    const size_t used = strlen(out), size = strnlen(text, F2L_SCHEDULE_NAME - 1 - used);
    memcpy(out + used, text, size);
    out[used + size] = '\0';
}

/* Returns the number of the word that the schedule has. */
static unsigned get_word(const f2l_setting *setting, const f2l_schedule *s)
{
    const char *const at = (const char *)s + setting->at;
    unsigned word = 0;
    if (setting->bytes == sizeof(bool)) return *(const bool *)at;
    memcpy(&word, at, sizeof word);
    return word;
}

bool f2l_setting_read(f2l_schedule *out, const f2l_setting *setting, f2l_setting_value v)
{
    char *const at = (char *)out + setting->at;
    if (!setting->words) return setting->read(out, v);
    for (unsigned i = 0; setting->words[i]; i++) {
        if (!f2l_setting_value_is(v, setting->words[i])) continue;
        if (setting->bytes == sizeof(bool))
            *(bool *)at = i == 1;
        else
            memcpy(at, &i, sizeof i);
        return true;
    }
    return false;
}

void f2l_setting_write(char out[F2L_SCHEDULE_NAME], const f2l_setting *setting,
                       const f2l_schedule *schedule)
{
    f2l_schedule_append(out, setting->name);
    f2l_schedule_append(out, "=");
    if (setting->words)
        f2l_schedule_append(out, setting->words[get_word(setting, schedule)]);
    else
        setting->write(out, schedule);
}

bool f2l_setting_differs(const f2l_setting *setting, const f2l_schedule *a, const f2l_schedule *b)
{
    if (setting->words) return get_word(setting, a) != get_word(setting, b);
    char one[F2L_SCHEDULE_NAME], other[F2L_SCHEDULE_NAME];
    one[0] = other[0] = '\0';
    setting->write(one, a);
    setting->write(other, b);
    return strcmp(one, other) != 0;
}

void f2l_schedule_write_setting(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule, size_t i)
{
    f2l_setting_write(out, &f2l_settings[i], schedule);
}

const char *f2l_schedule_setting(size_t i)
{
    return i < f2l_settings_count ? f2l_settings[i].name : NULL;
}

void f2l_schedule_help(f2l_buf *out)
{
    f2l_buf_text(out, "NAME, a schedule, and then settings with commas between:\n\n");
    for (const f2l_schedule *row = f2l_schedules; row->name; row++)
        f2l_buf_printf(out, "%-12s %s\n", row->name, row->what);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < f2l_settings_count; i++) {
        const f2l_setting *s = &f2l_settings[i];
        f2l_buf_printf(out, "%s=: %s\n    %s\n", s->name, s->expected, s->sentence);
    }
}

const char *f2l_schedule_unknown(const f2l_schedule *schedule, f2l_schedule_knower knower)
{
    for (size_t i = 0; i < f2l_settings_count; i++)
        if (!(f2l_settings[i].known & knower) &&
            f2l_setting_differs(&f2l_settings[i], schedule, &f2l_schedules[0]))
            return f2l_settings[i].name;
    return NULL;
}
