/* The settings of a schedule, one entry each; private to this folder. */
#ifndef F2L_SCHEDULE_FIELDS_H
#define F2L_SCHEDULE_FIELDS_H

#include "models/network/schedule/schedule.h"

/* A value between two commas of the text. */
typedef struct f2l_setting_value {
    const char *text;
    size_t size;
} f2l_setting_value;

/* A setting is a word, and then `words` are the values of the enumeration or bool at the offset
 * `at`; or `read` returns false when the value is not one of it, and `write` appends it. */
typedef struct f2l_setting {
    const char *name;
    const char *expected;     /* its values, for messages and help */
    const char *sentence;     /* what it says, for help */
    const char *const *words; /* NULL-terminated */
    size_t at, bytes;
    bool (*read)(f2l_schedule *out, f2l_setting_value v);
    void (*write)(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule);
    /* Returns why the setting's value is not for the schedule, or does nothing in it; else NULL. */
    const char *(*refuse)(const f2l_schedule *s);
    bool chunked;   /* chunk64 has it, too */
    unsigned known; /* set of f2l_schedule_knower */
} f2l_setting;

extern const f2l_setting f2l_settings[];
extern const size_t f2l_settings_count;

/* Reads one value of a setting. */
bool f2l_setting_read(f2l_schedule *out, const f2l_setting *setting, f2l_setting_value v);
/* Appends NAME=VALUE. */
void f2l_setting_write(char out[F2L_SCHEDULE_NAME], const f2l_setting *setting,
                       const f2l_schedule *schedule);
/* Returns whether the setting is spelled differently in two schedules. */
bool f2l_setting_differs(const f2l_setting *setting, const f2l_schedule *a, const f2l_schedule *b);
bool f2l_setting_value_is(f2l_setting_value v, const char *word);
void f2l_schedule_append(char out[F2L_SCHEDULE_NAME], const char *text);

/* Readers and writers of values that are more than a word (fields_read.c). */
#define F2L_SETTING(name) \
    bool f2l_read_##name(f2l_schedule *out, f2l_setting_value v); \
    void f2l_write_##name(char out[F2L_SCHEDULE_NAME], const f2l_schedule *s)
F2L_SETTING(sum);
F2L_SETTING(fuse);
F2L_SETTING(operands);
F2L_SETTING(state);
F2L_SETTING(letters);
F2L_SETTING(scale);
F2L_SETTING(most);
F2L_SETTING(block);
F2L_SETTING(draw);
F2L_SETTING(residual);
F2L_SETTING(output);
F2L_SETTING(ring);
F2L_SETTING(handover);
F2L_SETTING(squares);
F2L_SETTING(eps);
F2L_SETTING(raw);
#undef F2L_SETTING

#endif
