/* Tables of circuits, each stored once. */
#include "numeric/base/mem.h"
#include "theory/construct/zeiger/impl.h"
#include <string.h>

void f2l_zeiger_clear_tables(f2l_zeiger *z)
{
    for (size_t t = 0; t < z->tables; t++) {
        f2l_free(z->table[t].size);
        f2l_free(z->table[t].value);
    }
    f2l_free(z->table);
    f2l_index_clear(&z->index);
    z->table = NULL;
    z->tables = z->capacity = z->bytes = 0;
}

static void fill_zeiger_table(f2l_wired_table *table, const f2l_zeiger *z,
                              const f2l_zeiger_rule *rule)
{
    uint32_t in[F2L_ZEIGER_INPUTS] = {0};
    for (size_t e = 0; e < table->entries; e++) {
        table->value[e] = rule->value(z, rule, in);
        for (size_t i = rule->inputs; i-- > 0;) { /* the last input runs fastest */
            if (++in[i] < rule->size[i]) break;
            in[i] = 0;
        }
    }
}

static bool equal(const f2l_wired_table *a, const f2l_wired_table *b)
{
    return a->inputs == b->inputs && a->values == b->values && a->entries == b->entries &&
           memcmp(a->size, b->size, a->inputs * sizeof *a->size) == 0 &&
           memcmp(a->value, b->value, a->entries * sizeof *a->value) == 0;
}

static bool is_zeiger_table(const void *zeiger, size_t t, const void *table)
{
    return equal(&((const f2l_zeiger *)zeiger)->table[t], table);
}

static uint64_t hash_zeiger_table(const f2l_wired_table *table)
{
    const uint64_t begin = f2l_hash(f2l_hash(F2L_HASH, table->entries), table->values);
    return f2l_hash_bytes(begin, table->value, table->entries * sizeof *table->value);
}

static uint64_t hash_of_zeiger_table(const void *zeiger, size_t t)
{
    return hash_zeiger_table(&((const f2l_zeiger *)zeiger)->table[t]);
}

/* Adds the table unless an equal one is there, and takes ownership of it in every case. */
static f2l_status intern_zeiger_table(f2l_zeiger *z, size_t *index, f2l_wired_table *table,
                                      f2l_error *err)
{
    const uint64_t key = hash_zeiger_table(table);
    f2l_status status = F2L_OK;
    *index = f2l_index_find(&z->index, key, is_zeiger_table, z, table);
    if (*index != F2L_NO_INDEX) {
        z->bytes -= table->entries * sizeof *table->value;
    } else if (f2l_index_grow(&z->index, hash_of_zeiger_table, z) &&
               f2l_grow((void **)&z->table, &z->capacity, z->tables, sizeof *z->table)) {
        z->table[z->tables++] = *table;
        *index = f2l_index_add(&z->index, key);
        return f2l_meter_spend(&z->meter, sizeof *table + 3 * table->entries, (double)z->tables, 0,
                               err);
    } else {
        status = f2l_fail_memory(err);
    }
    f2l_free(table->size);
    f2l_free(table->value);
    return status;
}

f2l_status f2l_zeiger_table(f2l_zeiger *z, size_t *index, const f2l_zeiger_rule *rule,
                            f2l_error *err)
{
    f2l_wired_table table = {0};
    uint64_t entries = 1;
    for (size_t i = 0; i < rule->inputs; i++) entries = f2l_steps_of(entries, rule->size[i]);
    f2l_status status = f2l_meter_spend(&z->meter, 20 + entries, (double)z->tables, 0, err);
    if (status != F2L_OK) return status;
    status = f2l_wired_table_set(&table, rule->inputs, rule->size, rule->values, err);
    if (status != F2L_OK) return status;
    z->bytes += table.entries * sizeof *table.value;
    status = f2l_task_memory(z->task, "the tables of a wired network", z->bytes, err);
    if (status != F2L_OK) {
        f2l_free(table.size);
        f2l_free(table.value);
        return status;
    }
    fill_zeiger_table(&table, z, rule);
    return intern_zeiger_table(z, index, &table, err);
}

f2l_status f2l_zeiger_gate(f2l_zeiger *z, f2l_wired_gate *gate, const f2l_zeiger_rule *rule,
                           const uint32_t *wire, f2l_error *err)
{
    size_t table;
    f2l_status status = f2l_zeiger_table(z, &table, rule, err);
    return status == F2L_OK ? f2l_wired_gate_set(gate, table, rule->inputs, wire, err) : status;
}
