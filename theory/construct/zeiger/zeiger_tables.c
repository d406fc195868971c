/* Tables of circuits, each stored once. */
#include "numeric/base/mem.h"
#include "theory/construct/zeiger/impl.h"
#include <string.h>

#define FIRST_SLOTS 64

void f2l_zeiger_clear_tables(f2l_zeiger *z)
{
    for (size_t t = 0; t < z->tables; t++) {
        f2l_free(z->table[t].size);
        f2l_free(z->table[t].value);
    }
    f2l_free(z->table);
    f2l_free(z->slot);
    z->table = NULL;
    z->slot = NULL;
    z->tables = z->capacity = z->slots = z->bytes = 0;
}

static void fill(f2l_wired_table *table, const f2l_zeiger *z, const f2l_zeiger_rule *rule)
{
    uint32_t in[4] = {0};
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

static size_t hash(const f2l_wired_table *table)
{
    uint64_t h = table->entries * 31 + table->values;
    for (size_t e = 0; e < table->entries; e++) {
        h = (h ^ table->value[e]) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* Returns the slot of an equal table, or the empty slot where the table belongs. */
static size_t find_slot(const f2l_zeiger *z, const f2l_wired_table *table)
{
    size_t s = hash(table) & (z->slots - 1);
    while (z->slot[s] != 0 && !equal(&z->table[z->slot[s] - 1], table))
        s = (s + 1) & (z->slots - 1);
    return s;
}

static f2l_status grow_slots(f2l_zeiger *z, f2l_error *err)
{
    const size_t slots = z->slots ? 2 * z->slots : FIRST_SLOTS;
    size_t *slot = f2l_calloc(slots, sizeof *slot);
    if (!slot) return f2l_fail_memory(err);
    f2l_free(z->slot);
    z->slot = slot;
    z->slots = slots;
    for (size_t t = 0; t < z->tables; t++) slot[find_slot(z, &z->table[t])] = t + 1;
    return F2L_OK;
}

/* Adds the table unless an equal one is there, and takes ownership of it in every case. */
static f2l_status intern(f2l_zeiger *z, size_t *index, f2l_wired_table *table, f2l_error *err)
{
    f2l_status status = 2 * z->tables >= z->slots ? grow_slots(z, err) : F2L_OK;
    if (status == F2L_OK) {
        const size_t s = find_slot(z, table);
        if (z->slot[s] == 0 &&
            f2l_grow((void **)&z->table, &z->capacity, z->tables, sizeof *z->table)) {
            z->table[z->tables++] = *table;
            z->slot[s] = *index = z->tables;
            --*index;
            return f2l_meter_spend(&z->meter, sizeof *table + 3 * table->entries, (double)z->tables,
                                   0, err);
        }
        status = z->slot[s] == 0 ? f2l_fail_memory(err) : F2L_OK;
        if (status == F2L_OK) {
            *index = z->slot[s] - 1;
            z->bytes -= table->entries * sizeof *table->value;
        }
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
    fill(&table, z, rule);
    return intern(z, index, &table, err);
}

f2l_status f2l_zeiger_gate(f2l_zeiger *z, f2l_wired_gate *gate, const f2l_zeiger_rule *rule,
                           const uint32_t *wire, f2l_error *err)
{
    size_t table;
    f2l_status status = f2l_zeiger_table(z, &table, rule, err);
    return status == F2L_OK ? f2l_wired_gate_set(gate, table, rule->inputs, wire, err) : status;
}
