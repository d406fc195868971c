/* Serving engines as rows of a schedule: files of one field a line, which say where a kernel is and
 * what it does (docs/engines.md). Presets are the files of this folder. */
#ifndef F2L_ENGINE_H
#define F2L_ENGINE_H

#include "models/network/schedule/schedule.h"
#include "numeric/base/text.h"

#define F2L_ENGINE_BYTES ((size_t)1 << 16) /* largest size of a file */
#define F2L_ENGINE_VALUE 160               /* bytes of a value, with its NUL */
#define F2L_ENGINE_STATES 8

/* What a file says of the kernel; then `row` and `state`, and the settings of the row. */
typedef enum f2l_engine_field {
    F2L_ENGINE_NAME,
    F2L_ENGINE_SOURCE,
    F2L_ENGINE_REPOSITORY,
    F2L_ENGINE_COMMIT,
    F2L_ENGINE_PATH,
    F2L_ENGINE_FUNCTION,
    F2L_ENGINE_READ,
    F2L_ENGINE_NOTE,
    F2L_ENGINE_BETA, /* the most that beta can be: 0 (no factors), 1, or 2, which is usual */
    F2L_ENGINE_ROW,
    F2L_ENGINE_STATE,
    F2L_ENGINE_FIELDS
} f2l_engine_field;

typedef struct f2l_engine {
    char value[F2L_ENGINE_FIELDS][F2L_ENGINE_VALUE]; /* "": not given */
    char settings[F2L_SCHEDULE_NAME];                /* "sum=halves,fuse=update", without state */
    size_t states;
    char state[F2L_ENGINE_STATES][32]; /* the words of `state` */
} f2l_engine;

/* Reads a file. F2L_EFORMAT, with the line and the field's name, for an unknown, repeated or
 * missing field, a value that the field has not, and a row that is none: a scale of a state that is
 * neither an integer nor of 8 bits, a residual without a scale, and what f2l_schedule_parse
 * refuses. */
f2l_status f2l_engine_read(f2l_engine *out, const char *bytes, size_t size, f2l_error *err);

/* Sets the schedule of one state of the engine, "" where it has only one. F2L_EFORMAT: it has no
 * such state, or several and none is named. */
f2l_status f2l_engine_schedule(f2l_schedule *out, char name[F2L_SCHEDULE_NAME],
                               const f2l_engine *engine, const char *state, f2l_error *err);

/* Sets *out to preset number i; false: there are no more. */
bool f2l_engine_preset(f2l_engine *out, size_t i);
/* Sets *out to the preset of the first `size` bytes of the name; F2L_EFORMAT: there is none. */
f2l_status f2l_engine_find(f2l_engine *out, const char *name, size_t size, f2l_error *err);

/* Returns why the engine has no exact weights for the network, whatever it rounds: its beta is at
 * most 1 and the network reflects, or it has no factors at all (`beta-most`); or with norm=rms the
 * keys carry the factor n^-1/2, which is a power of two only where the key dimension n of a head is
 * a power of four. NULL: it has. */
const char *f2l_engine_lacks(const f2l_engine *engine, const f2l_net *net);

/* Appends where the kernel is, when it was read, and the note. */
void f2l_engine_cite(f2l_buf *out, const f2l_engine *engine);
/* Appends the presets, NAME/STATE with commas between, whose rows equal the schedule, but for
 * the engine itself, with its range of beta. */
void f2l_engine_equals(f2l_buf *out, const f2l_schedule *schedule, const f2l_engine *engine);
/* Returns whether both engines have weights for the same networks. */
bool f2l_engine_same_range(const f2l_engine *a, const f2l_engine *b);
/* Appends all presets with citations and rows. */
void f2l_engine_help(f2l_buf *out);

#endif
