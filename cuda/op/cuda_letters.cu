/* Kernels of cuda/op/cuda_letters.h. CPU reference: f2l_embed_forward, f2l_embed_backward in
 * models/learn/op/op_embed.c. */
#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/op/cuda_letters.h"
}

constexpr unsigned TILE = 1024, CHUNK = F2L_CUDA_LETTER_ROWS, LANES = 32, PARTS = 8, SCAN = 1024;

/* The arrays of an index: counts by (letter, tile), which become the first place of each; the first
 * place and the first piece of each letter, and the ends; the rows, sorted; the letter of each
 * piece. */
typedef struct places {
    uint32_t *count, *first, *piece, *order, *owner;
    size_t tiles, pieces;
} places;

/* Returns the most pieces: every letter has at most one piece that is not full. */
static size_t most_pieces(size_t rows, size_t letters)
{
    const size_t partial = letters < rows ? letters : rows;
    return rows / CHUNK + partial;
}

static places places_of(const void *index, size_t rows, size_t letters)
{
    places p;
    p.tiles = (rows + TILE - 1) / TILE;
    p.pieces = most_pieces(rows, letters);
    p.count = (uint32_t *)index;
    p.first = p.count + letters * p.tiles;
    p.piece = p.first + letters + 1;
    p.order = p.piece + letters + 1;
    p.owner = p.order + rows;
    return p;
}

size_t f2l_cuda_letters_bytes(size_t rows, size_t letters)
{
    const size_t tiles = (rows + TILE - 1) / TILE;
    return (letters * tiles + 2 * (letters + 1) + rows + most_pieces(rows, letters)) *
           sizeof(uint32_t);
}

/* Goes through a tile, 32 rows of a warp at a time: the first lane of each letter counts for all
 * lanes with that letter, so a place depends on the order of the rows alone. PLACE: counts start
 * from `count` and the rows are put into `order`. */
template <bool PLACE>
static __global__ void go_through(uint32_t *count, uint32_t *order, const uint32_t *letter,
                                  unsigned rows, unsigned letters, unsigned tiles)
{
    extern __shared__ uint32_t here[]; /* [letters] */
    for (unsigned l = threadIdx.x; l < letters; l += 32)
        here[l] = PLACE ? count[(size_t)l * tiles + blockIdx.x] : 0;
    __syncwarp();
    const unsigned from = blockIdx.x * TILE, end = from + TILE < rows ? from + TILE : rows;
    for (unsigned start = from; start < end; start += 32) {
        const unsigned row = start + threadIdx.x;
        const unsigned active = __ballot_sync(0xffffffffu, row < end);
        if (row < end) {
            const uint32_t mine = letter[row];
            const unsigned same = __match_any_sync(active, mine),
                           before = same & ((1u << threadIdx.x) - 1);
            const uint32_t base = here[mine];
            __syncwarp(active);
            if (PLACE) order[base + __popc(before)] = row;
            if (before == 0) here[mine] = base + __popc(same);
        }
        __syncwarp();
    }
    for (unsigned l = threadIdx.x; !PLACE && l < letters; l += 32)
        count[(size_t)l * tiles + blockIdx.x] = here[l];
}

/* Computes exclusive sums of n numbers by one block; every thread returns the total. value(i) is
 * read, put(i, sum) written. */
template <typename Value, typename Put>
static __device__ uint32_t scan_block(unsigned n, Value value, Put put)
{
    __shared__ uint32_t total[SCAN];
    const unsigned per = (n + SCAN - 1) / SCAN, from = threadIdx.x * per;
    const unsigned end = from + per < n ? from + per : n;
    uint32_t sum = 0;
    for (unsigned i = from; i < end; i++) sum += value(i);
    total[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = 1; step < SCAN; step *= 2) {
        const uint32_t left = threadIdx.x >= step ? total[threadIdx.x - step] : 0;
        __syncthreads();
        total[threadIdx.x] += left;
        __syncthreads();
    }
    uint32_t before = total[threadIdx.x] - sum;
    const uint32_t all = total[SCAN - 1];
    for (unsigned i = from; i < end; i++) {
        const uint32_t own = value(i);
        put(i, before);
        before += own;
    }
    __syncthreads(); /* `total` may be used again */
    return all;
}

static __global__ void __launch_bounds__(SCAN) find_places(places p, unsigned letters)
{
    const unsigned tiles = (unsigned)p.tiles;
    const uint32_t rows = scan_block(
        letters * tiles, [&](unsigned i) { return p.count[i]; },
        [&](unsigned i, uint32_t sum) { p.count[i] = sum; });
    for (unsigned l = threadIdx.x; l < letters; l += SCAN) p.first[l] = p.count[(size_t)l * tiles];
    if (threadIdx.x == 0) p.first[letters] = rows;
    __syncthreads();
    const uint32_t pieces = scan_block(
        letters, [&](unsigned l) { return (p.first[l + 1] - p.first[l] + CHUNK - 1) / CHUNK; },
        [&](unsigned l, uint32_t sum) { p.piece[l] = sum; });
    if (threadIdx.x == 0) p.piece[letters] = pieces;
}

/* Sets the letter of each piece; one block per letter. */
static __global__ void name_pieces(places p)
{
    const uint32_t end = p.piece[blockIdx.x + 1];
    for (uint32_t i = p.piece[blockIdx.x] + threadIdx.x; i < end; i += blockDim.x)
        p.owner[i] = blockIdx.x;
}

f2l_status f2l_cuda_letters_index(void *index, const uint32_t *letter, size_t rows, size_t letters,
                                  void *stream, f2l_error *err)
{
    if (letters > F2L_CUDA_LETTERS_MAX || rows > INT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "%zu rows of %zu letters are too many for an index", rows,
                        letters);
    if (rows == 0 || letters == 0) return F2L_OK;
    const places p = places_of(index, rows, letters);
    const size_t shared = letters * sizeof(uint32_t); /* at most 32 KB */
    const unsigned tiles = (unsigned)p.tiles, r = (unsigned)rows, l = (unsigned)letters;
    go_through<false><<<tiles, 32, shared, on(stream)>>>(p.count, p.order, letter, r, l, tiles);
    find_places<<<1, SCAN, 0, on(stream)>>>(p, l);
    go_through<true><<<tiles, 32, shared, on(stream)>>>(p.count, p.order, letter, r, l, tiles);
    name_pieces<<<l, 128, 0, on(stream)>>>(p);
    return launched("an index of letters", err);
}

/* Computes partial [pieces][width]: each part adds every PARTS-th row of a piece, then the parts
 * are added. */
template <typename T, int VEC>
static __global__ void __launch_bounds__(LANES *PARTS)
    sum_pieces(float *partial, const T *x, size_t stride, unsigned width, places p,
               unsigned letters)
{
    __shared__ float part[PARTS][LANES * VEC];
    const unsigned column = (blockIdx.y * LANES + threadIdx.x) * VEC;
    const uint32_t piece = blockIdx.x;
    if (piece >= p.piece[letters])
        return; /* the grid has room for the greatest possible number of
                 * pieces */
    const uint32_t letter = p.owner[piece],
                   from = p.first[letter] + (piece - p.piece[letter]) * CHUNK;
    const uint32_t stop = p.first[letter + 1], end = from + CHUNK < stop ? from + CHUNK : stop;
    float sum[VEC], a[CHUNK / PARTS][VEC];
    uint32_t row[CHUNK / PARTS];
#pragma unroll
    for (int k = 0; k < CHUNK / PARTS; k++) {
        const uint32_t at = from + k * PARTS + threadIdx.y;
        row[k] = at < end ? p.order[at] : 0;
    }
#pragma unroll
    for (int k = 0; k < CHUNK / PARTS; k++) {
        if (column < width && from + k * PARTS + threadIdx.y < end) {
            take(a[k], x + row[k] * stride + column);
        } else {
#pragma unroll
            for (int i = 0; i < VEC; i++) a[k][i] = 0;
        }
    }
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        sum[i] = 0;
#pragma unroll
        for (int k = 0; k < CHUNK / PARTS; k++) sum[i] += a[k][i];
        part[threadIdx.y][threadIdx.x * VEC + i] = sum[i];
    }
    __syncthreads();
    const unsigned thread = threadIdx.y * LANES + threadIdx.x;
    for (unsigned c = thread; c < LANES * VEC; c += LANES * PARTS) {
        float total = 0;
        for (int k = 0; k < PARTS; k++) total += part[k][c];
        if (blockIdx.y * LANES * VEC + c < width)
            partial[(size_t)piece * width + blockIdx.y * LANES * VEC + c] = total;
    }
}

static __global__ void __launch_bounds__(LANES *PARTS)
    add_pieces(float *sum, size_t stride, bool add, const float *partial, unsigned width, places p)
{
    __shared__ float part[PARTS][LANES];
    const unsigned column = blockIdx.x * LANES + threadIdx.x;
    const uint32_t letter = blockIdx.y, end = p.piece[letter + 1];
    float total = 0;
    if (column < width) {
#pragma unroll 4
        for (uint32_t i = p.piece[letter] + threadIdx.y; i < end; i += PARTS)
            total += partial[(size_t)i * width + column];
    }
    part[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y != 0 || column >= width) return;
    for (int k = 1; k < PARTS; k++) total += part[k][threadIdx.x];
    float *to = sum + letter * stride + column;
    *to = (add ? *to : 0) + total;
}

size_t f2l_cuda_letters_work(size_t rows, size_t letters, size_t width)
{
    return most_pieces(rows, letters) * width * sizeof(float);
}

template <typename T, int VEC>
static void launch_pieces(float *partial, const T *x, size_t stride, unsigned width,
                          const places &p, unsigned letters, void *stream)
{
    const dim3 grid((unsigned)p.pieces, (width + LANES * VEC - 1) / (LANES * VEC));
    sum_pieces<T, VEC>
        <<<grid, dim3(LANES, PARTS), 0, on(stream)>>>(partial, x, stride, width, p, letters);
}

f2l_status f2l_cuda_letters_sum(float *sum, size_t sum_stride, bool add, const void *x,
                                size_t x_stride, size_t width, f2l_cuda_type type,
                                const void *index, void *work, size_t rows, size_t letters,
                                void *stream, f2l_error *err)
{
    if (letters > F2L_CUDA_LETTERS_MAX || rows > INT32_MAX || width > 65535 * LANES)
        return f2l_fail(err, F2L_EDOMAIN, "%zu rows of %zu numbers by %zu letters are too many",
                        rows, width, letters);
    if (letters == 0 || width == 0) return F2L_OK;
    if (rows == 0) { /* an index of no rows was never made */
        if (!add)
            (void)cudaMemset2DAsync(sum, sum_stride * sizeof *sum, 0, width * sizeof *sum, letters,
                                    on(stream));
        return launched("a sum by letter", err);
    }
    const places p = places_of(index, rows, letters);
    const bool wide = aligned(x) && x_stride % 8 == 0 && width % 8 == 0;
    const unsigned w = (unsigned)width, l = (unsigned)letters;
    float *partial = (float *)work;
    if (type == F2L_CUDA_F32 && wide)
        launch_pieces<float, 8>(partial, (const float *)x, x_stride, w, p, l, stream);
    else if (type == F2L_CUDA_F32)
        launch_pieces<float, 1>(partial, (const float *)x, x_stride, w, p, l, stream);
    else if (wide)
        launch_pieces<bf16, 8>(partial, (const bf16 *)x, x_stride, w, p, l, stream);
    else
        launch_pieces<bf16, 1>(partial, (const bf16 *)x, x_stride, w, p, l, stream);
    add_pieces<<<dim3((w + LANES - 1) / LANES, l), dim3(LANES, PARTS), 0, on(stream)>>>(
        sum, sum_stride, add, partial, w, p);
    return launched("a sum by letter", err);
}

template <typename T, int VEC>
static __global__ void embed(T *y, const T *table, const uint32_t *letter, unsigned pieces,
                             unsigned per_row, size_t width)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= pieces) return;
    const unsigned row = i / per_row, column = (i - row * per_row) * VEC;
    float a[VEC];
    take(a, table + letter[row] * width + column);
    put(y + row * width + column, a);
}

template <typename T>
static void launch_embed(T *y, const T *table, const uint32_t *letter, unsigned rows, size_t width,
                         bool wide, void *stream)
{
    const unsigned per_row = (unsigned)(wide ? width / 8 : width), pieces = rows * per_row,
                   blocks = (pieces + 255) / 256;
    if (wide)
        embed<T, 8><<<blocks, 256, 0, on(stream)>>>(y, table, letter, pieces, per_row, width);
    else
        embed<T, 1><<<blocks, 256, 0, on(stream)>>>(y, table, letter, pieces, per_row, width);
}

f2l_status f2l_cuda_embed_forward(void *y, const void *table, const uint32_t *letter, size_t rows,
                                  size_t width, f2l_cuda_type type, void *stream, f2l_error *err)
{
    if (rows == 0 || width == 0) return F2L_OK;
    if (width > INT32_MAX / rows)
        return f2l_fail(err, F2L_EDOMAIN, "%zu rows of %zu numbers are too many", rows, width);
    const bool wide = aligned(y) && aligned(table) && width % 8 == 0;
    if (type == F2L_CUDA_F32)
        launch_embed((float *)y, (const float *)table, letter, (unsigned)rows, width, wide, stream);
    else
        launch_embed((bf16 *)y, (const bf16 *)table, letter, (unsigned)rows, width, wide, stream);
    return launched("an embedding", err);
}
