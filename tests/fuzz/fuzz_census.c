/* The table of a census of 2 states and 2 letters: what is read is written as it was. */
#include "numeric/base/mem.h"
#include "reports/automata/census_report.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_census census;
    f2l_census_row *row;
    size_t rows;
    f2l_error err = {0};
    f2l_buf again;
    f2l_buf_init(&again);
    if (f2l_census_begin(&census, 2, 2, &err) != F2L_OK) abort();
    const f2l_status status = f2l_census_read(&row, &rows, &census, (const char *)data, size, &err);
    if (status != F2L_OK) {
        if (status != F2L_EFORMAT || err.line < 1 || err.column < 1) abort();
        return 0;
    }
    f2l_census_heading(&again);
    for (size_t i = 0; i < rows; i++) f2l_census_line(&again, &row[i]);
    if (again.size != size || memcmp(again.data, data, size) != 0) abort();
    f2l_buf_clear(&again);
    f2l_free(row);
    return 0;
}
