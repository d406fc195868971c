/* What the files of this folder share; private to it. */
#ifndef F2L_JSON_IMPL_H
#define F2L_JSON_IMPL_H

#include "automata/fsa/letter.h"
#include "automata/import/text/options.h"

#include <jansson.h>

/* What a key of the object is about. */
typedef enum f2l_json_role {
    F2L_JSON_STATES,
    F2L_JSON_LETTERS,
    F2L_JSON_TRANSITIONS,
    F2L_JSON_START,
    F2L_JSON_ACCEPT,
    F2L_JSON_KIND,  /* "DFA" or "NFA" */
    F2L_JSON_OTHER, /* a name or a comment, which says nothing about the language */
    F2L_JSON_FROM,  /* of a transition that is an object, as are the next two */
    F2L_JSON_LETTER,
    F2L_JSON_TO,
    F2L_JSON_ROLES /* their number; also: no role */
} f2l_json_role;

/* The values of an object by their roles, and their keys as they are spelled there; NULL: none. */
typedef struct f2l_json_roles {
    json_t *value[F2L_JSON_ROLES];
    const char *key[F2L_JSON_ROLES];
} f2l_json_roles;

struct f2l_json_reader;

/* Finds the roles first .. last of the keys of an object; F2L_EFORMAT for a key of no such role,
 * and for a second one of the same. `where` begins the error. */
f2l_status f2l_json_roles_find(f2l_json_roles *out, const struct f2l_json_reader *r, json_t *object,
                               f2l_json_role first, f2l_json_role last, const char *where,
                               f2l_error *err);

/* A name in a document: a text, or the digits of a whole number. */
typedef struct f2l_json_name {
    const char *text;
    size_t size;
    char digits[24];
} f2l_json_name;

f2l_status f2l_json_name_read(f2l_json_name *out, const json_t *value, const char *where,
                              f2l_error *err);

/* Returns F2L_EFORMAT: "where: `name` why", with the place of the name where it is there once. */
f2l_status f2l_json_refuse(const struct f2l_json_reader *r, const char *where, const char *name,
                           size_t size, const char *why, f2l_error *err);

/* A document that is being read. */
typedef struct f2l_json_reader {
    f2l_nfa *nfa;
    const f2l_read_as *as;
    const char *bytes; /* the document, for the places of errors */
    size_t size;
    f2l_json_roles roles;
    bool has_letters;  /* the alphabet is given, and no other letter is allowed */
    bool automata_lib; /* spelled as in automata-lib, whose one empty word is "" */
    f2l_set_edges set_edges;
} f2l_json_reader;

/* Finds a state, which must be among the states of the document. */
f2l_status f2l_json_state_find(size_t *out, const f2l_json_reader *r, const json_t *value,
                               const char *where, f2l_error *err);

/* Adds all transitions. */
f2l_status f2l_json_transitions_read(f2l_json_reader *r, f2l_error *err);

/* Adds the edges of a label, which may be the empty word or several letters. */
f2l_status f2l_json_label_add(f2l_json_reader *r, size_t from, const char *label, size_t size,
                              size_t to, f2l_error *err);

#endif
