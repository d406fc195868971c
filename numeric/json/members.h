/* Structs as objects of JSON. A table has a row for each member: its name, where its value lies in
 * the struct, and which values it may have. Reading, checking and writing walk the same table, so
 * that a member is named once.
 *
 *   static const f2l_member rows[] = {F2L_MEMBER(shape, width, F2L_IN(1, 64)),
 *                                     F2L_MEMBER(shape, bias, .how = F2L_MAY_MISS)};
 *   static const f2l_members shape_members = F2L_MEMBERS(rows);
 *
 * The kind of a member follows from the type of its place, so that the two cannot differ. */
#ifndef F2L_MEMBERS_H
#define F2L_MEMBERS_H

#include "numeric/facts/facts.h"
#include "numeric/json/json.h"
#include <float.h>
#include <stddef.h>

typedef enum f2l_member_kind {
    F2L_WHOLE,  /* an unsigned integer of 4 or 8 bytes */
    F2L_REAL,   /* double, finite */
    F2L_TRUTH,  /* bool */
    F2L_TEXT,   /* char[], ended by a zero */
    F2L_ONE_OF, /* an enum; a name in JSON */
    F2L_WHOLES, /* const size_t *, and its length at count_at; reading allocates it */
    F2L_REALS,  /* const double *, in the same way */
    F2L_PART,   /* an object with a table of its own, whose struct begins at the place */
    F2L_VALUE   /* json_t *, a value of any kind, which is borrowed from the object that is read */
} f2l_member_kind;

/* How a member may be missing, left out or null. */
enum {
    F2L_MAY_MISS = 1,   /* read: it may be missing, and the place keeps its value */
    F2L_SKIP_ZERO = 2,  /* may be 0 despite its bounds; 0, false and "" are not written */
    F2L_SKIP_NAN = 4,   /* may be NAN, which is not written */
    F2L_NULL = 8,       /* NAN, "" and a list without a place are null in JSON */
    F2L_IS_LIST = 16,   /* of F2L_VALUE: a list of at least `least` values */
    F2L_IS_OBJECT = 32, /* of F2L_VALUE: an object */
};

typedef struct f2l_member {
    const char *name;
    f2l_member_kind kind;
    unsigned how;
    size_t at, size;    /* of the place, in bytes */
    size_t count_at;    /* of a list, where its length is */
    double least, most; /* of a number, both 0: any; `least` also of the size of a text or value */
    int digits;         /* of a number that is written as text; 0: as many as read back */
    const char *(*name_of)(size_t); /* of F2L_ONE_OF: the names, NULL past the last */
    const struct f2l_members *part;
} f2l_member;

typedef struct f2l_members {
    const f2l_member *member; /* [count] */
    size_t count;
    bool others; /* members that are not in the table are allowed, and left alone */
} f2l_members;

#define F2L_MEMBERS(rows) \
    { \
        rows, sizeof(rows) / sizeof *(rows), false \
    }
#define F2L_MEMBERS_AMONG(rows) \
    { \
        rows, sizeof(rows) / sizeof *(rows), true \
    }
#define F2L_IN(least_, most_) .least = (least_), .most = (most_)
#define F2L_ANY F2L_IN(0, 0)
#define F2L_POSITIVE F2L_IN(DBL_TRUE_MIN, DBL_MAX)
/* NOLINTBEGIN(bugprone-sizeof-expression): the place may be a pointer */
#define F2L_PLACE(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)
/* NOLINTEND(bugprone-sizeof-expression) */
#define F2L_KIND_OF(place) \
    _Generic((place), bool: F2L_TRUTH, double: F2L_REAL, char *: F2L_TEXT, \
             json_t *: F2L_VALUE, uint32_t: F2L_WHOLE, unsigned long: F2L_WHOLE, \
             unsigned long long: F2L_WHOLE, const size_t *: F2L_WHOLES, \
             const double *: F2L_REALS)

/* A member that is named as its place; a member with another name; an enum; an object; a list,
 * with the length in `count`. The last arguments set bounds and what else differs from 0. */
#define F2L_MEMBER(type, member, ...) F2L_MEMBER_AS(#member, type, member, __VA_ARGS__)
#define F2L_MEMBER_AS(text, type, member, ...) \
    { \
        .name = (text), .kind = F2L_KIND_OF(((type *)0)->member), F2L_PLACE(type, member), \
        __VA_ARGS__ \
    }
#define F2L_MEMBER_ONE_OF(text, type, member, names, ...) \
    { \
        .name = (text), .kind = F2L_ONE_OF, F2L_PLACE(type, member), .name_of = (names), \
        __VA_ARGS__ \
    }
#define F2L_MEMBER_PART(text, offset, members, ...) \
    { \
        .name = (text), .kind = F2L_PART, .at = (offset), .part = (members), __VA_ARGS__ \
    }
#define F2L_MEMBER_LIST(text, type, member, count, ...) \
    F2L_MEMBER_AS(text, type, member, .count_at = offsetof(type, count), __VA_ARGS__)

/* Reads the object, which must have the members of the table and no others, into *record.
 * F2L_EFORMAT with `what`, the path of the member and what is wrong with it: "WHAT: the member
 * "train.rate" is 0, which is not a positive number". Lists that were read are the caller's also
 * after a failure (f2l_free each). */
f2l_status f2l_members_read(void *record, const f2l_members *members, const json_t *object,
                            const char *what, f2l_error *err);

/* F2L_EDOMAIN with the first number of the record that is outside its bounds. */
f2l_status f2l_members_check(const void *record, const f2l_members *members, f2l_error *err);

/* Appends the record as an object in one line, without values (F2L_VALUE); or puts its members as
 * facts, without lists of numbers and values that are NULL. */
void f2l_members_write(f2l_buf *out, const f2l_members *members, const void *record);
void f2l_members_say(f2l_fact in, const f2l_members *members, const void *record);

/* --- single members, of tables that are laid out in another way --- */

typedef struct f2l_fault {
    bool memory;    /* it was out */
    char text[160]; /* else: "is not a number" */
} f2l_fault;

/* Reads a value, NULL for a missing one; false with the fault. */
bool f2l_member_read(f2l_fault *fault, void *record, const f2l_member *member, json_t *value);
/* Puts the value under a name, NULL: into a list. */
void f2l_member_say(f2l_fact in, const char *name, const f2l_member *member, const void *record);
/* Returns the number of F2L_WHOLE that is at this place. */
static inline uint64_t f2l_member_whole(const f2l_member *member, const void *at)
{
    return member->size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

#endif
