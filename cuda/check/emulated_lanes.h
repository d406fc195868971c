/* Lanes of emulated warps, the shared memory of the running block, and the grid. Every lane is a
 * coroutine, and the lanes of a warp meet at each instruction that works on a whole warp (see
 * cuda/check/emulated_warp.h). */
#ifndef F2L_EMULATED_LANES_H
#define F2L_EMULATED_LANES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <ucontext.h>
#include <vector>
extern "C" {
#include "tests/support/cuda/replay_bf16.h"
}

namespace emulated {

constexpr size_t stack_bytes = 1 << 17, shared_bytes = 1 << 18;

struct meeting {
    int arrived = 0;
    long passed = 0;
};
struct warp {
    meeting here;
    int instruction = 0;
    uint32_t in[32][16], out[32][4];
};
struct lane {
    ucontext_t context;
    std::vector<char> stack;
    std::vector<std::function<void()>> copies;
    uint32_t thread;
    bool done;
};

inline std::vector<lane> lanes;
inline std::vector<warp> warps;
inline meeting block;
inline ucontext_t scheduler;
inline size_t current;
inline std::function<void()> kernel;
alignas(1024) inline unsigned char shared[shared_bytes];
inline bool late_copies;
inline bool f16;        /* the 16-bit type is fp16, not bf16 */
inline long conflicts;  /* rows of a matrix in one bank */
inline uint32_t across; /* threads of a block along x, if it has a second dimension; 0: all */

[[noreturn]] inline void wrong(const char *what)
{
    printf("FAIL %s\n", what);
    exit(1);
}
inline void wait_for(meeting &m, size_t all)
{
    const long before = m.passed;
    if (static_cast<size_t>(++m.arrived) == all) {
        m.arrived = 0;
        m.passed++;
    }
    while (m.passed == before) swapcontext(&lanes[current].context, &scheduler);
}
inline warp &mine(void)
{
    return warps[lanes[current].thread / 32];
}
inline uint32_t *result(void)
{
    return mine().out[lanes[current].thread % 32];
}

/* Runs `work` for all lanes of the warp, in the last lane to arrive: from in to out. */
template <typename Work> void together(int instruction, const uint32_t *in, int n, Work work)
{
    warp &w = mine();
    if (w.here.arrived && w.instruction != instruction)
        wrong("lanes of a warp meet at different instructions");
    w.instruction = instruction;
    for (int i = 0; i < n; i++) w.in[lanes[current].thread % 32][i] = in[i];
    if (w.here.arrived == 31) work(w);
    wait_for(w.here, 32);
}

inline void lane_main(void)
{
    kernel();
    lanes[current].done = true;
    swapcontext(&lanes[current].context, &scheduler);
}

inline uint32_t bits(float x)
{
    uint32_t y;
    memcpy(&y, &x, 4);
    return y;
}
inline float real(uint32_t x)
{
    float y;
    memcpy(&y, &x, 4);
    return y;
}
inline float half(uint32_t x, int i)
{
    if (f16) {
        const uint16_t word = static_cast<uint16_t>(x >> 16 * i);
        _Float16 y;
        memcpy(&y, &word, sizeof y);
        return static_cast<float>(y);
    }
    return f2l_replay_widen(static_cast<uint16_t>(x >> 16 * i));
}
inline unsigned char *at(uint32_t address, uint32_t bytes)
{
    if (address % bytes || address + bytes > shared_bytes) wrong("address in shared memory");
    return shared + address;
}
template <typename T> T load(uint32_t address)
{
    T x;
    memcpy(&x, at(address, sizeof x), sizeof x);
    return x;
}
template <typename T> void store(uint32_t address, const T &x)
{
    memcpy(at(address, sizeof x), &x, sizeof x);
}

struct index {
    struct {
        operator uint32_t() const
        {
            return across ? lanes[current].thread % across : lanes[current].thread;
        }
    } x;
    struct {
        operator uint32_t() const
        {
            return across ? lanes[current].thread / across : 0;
        }
    } y;
};
struct dimension {
    uint32_t x = 0, y = 0;
};

} // namespace emulated

static const emulated::index threadIdx;
static emulated::dimension blockIdx, blockDim, gridDim;

template <typename Kernel>
void emulate(uint32_t blocks, uint32_t threads, uint32_t seed, Kernel kernel)
{
    using namespace emulated;
    std::minstd_rand random(seed);
    lanes.resize(threads);
    warps.assign(threads / 32, warp());
    block = meeting();
    emulated::kernel = kernel;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        memset(shared, 0xff, sizeof shared);
        std::vector<size_t> order;
        for (uint32_t i = 0; i < threads; i++) {
            lane &l = lanes[i];
            order.push_back(i);
            l.thread = i;
            l.done = false;
            l.copies.clear();
            l.stack.resize(stack_bytes);
            getcontext(&l.context);
            l.context.uc_stack.ss_sp = l.stack.data();
            l.context.uc_stack.ss_size = stack_bytes;
            l.context.uc_link = nullptr;
            makecontext(&l.context, lane_main, 0);
        }
        for (bool any = true; any;) {
            any = false;
            std::shuffle(order.begin(), order.end(), random);
            for (const size_t i : order)
                if (!lanes[i].done) {
                    any = true;
                    current = i;
                    swapcontext(&scheduler, &lanes[i].context);
                }
        }
    }
}

#endif
