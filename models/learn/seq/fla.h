/* The classes of flash-linear-attention as which models are stored (models/learn/seq/seq_file.h):
 * one row for each class, in the folder of its mixer. */
#ifndef F2L_SEQ_FLA_H
#define F2L_SEQ_FLA_H

#include "models/learn/seq/seq_file.h"

struct json_t;

/* The members of config.json; the first that is missing or has a wrong type is remembered. */
typedef struct f2l_fla_members {
    const struct json_t *object;
    const char *bad; /* NULL: none */
} f2l_fla_members;

/* Return the value of a member, 1 or false if it is bad; sizes are positive. */
size_t f2l_fla_size(f2l_fla_members *m, const char *name);
double f2l_fla_real(f2l_fla_members *m, const char *name);
/* Returns `otherwise` for a missing member. */
bool f2l_fla_flag(f2l_fla_members *m, const char *name, bool otherwise);
/* Returns whether the member is this text. */
bool f2l_fla_has_text(const f2l_fla_members *m, const char *name, const char *text);
/* Returns whether the member is missing or null. */
bool f2l_fla_is_absent(const f2l_fla_members *m, const char *name);
/* Returns whether the name is in the list, which NULL ends. */
bool f2l_fla_is_in(const char *const *list, const char *name);
/* Appends a member with a comma before it. */
void f2l_fla_put_flag(f2l_buf *out, const char *name, bool flag);

/* A member of config.json of which models here have one value: this flag, or this text, or null. */
typedef struct f2l_fla_rule {
    const char *member, *text; /* "": null; "a|b": a or b; "1": the number 1 */
    bool flag;                 /* when text is NULL */
} f2l_fla_rule;

typedef struct f2l_fla_class {
    const char *type, *name; /* model_type and architecture: "mamba", "MambaForCausalLM" */
    const char *base, *layers_norm, *mixer, *norm; /* parts of the names of tensors */
    size_t sloped; /* the mixer's tensor with the factor config.slope; F2L_SEQ_NONE: none */
    bool (*shares)(size_t tensor); /* whether heads may share it; NULL: they share none */
    /* Returns the reason why the class cannot express the model, or NULL. */
    const char *(*obstacle)(const f2l_seq_config *config);
    /* Appends the members of config.json that only this class has, each after a comma. */
    void (*write)(f2l_buf *out, const f2l_seq_config *config);
    /* The members that `read` reads, and the members of which models here have one value only;
     * NULL past the last. */
    const char *const *member;
    const f2l_fla_rule *rule;
    /* Reads them into model->config, which has its letters, labels, layers and width, and the
     * mixer, and sets model->share when it is not 1. */
    void (*read)(f2l_seq_fla *model, f2l_fla_members *m);
    const char *also; /* another model_type of the class; NULL: none */
} f2l_fla_class;

#endif
