/* Prints values of approximate functions of a device, as JSON, for compare_kernels.py. */
#include <cmath>
#include <cstdio>
__global__ void f(const float *x, const float *y, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i], r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    o[i] = r;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a));
    o[n + i] = r;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    o[2 * n + i] = r;
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(a));
    o[3 * n + i] = r;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(a));
    o[4 * n + i] = r;
    asm("div.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(a));
    o[5 * n + i] = r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    o[6 * n + i] = r;
    o[7 * n + i] = expf(-a);
    o[8 * n + i] = __expf(-a);
    o[9 * n + i] = 1.0f / (1.0f + expf(-a));
    o[10 * n + i] = rsqrtf(a);
}
int main()
{
    const char *name[] = {"sqrt.approx", "sqrt.rn", "rsqrt.approx", "div.full",
                          "div.approx",  "div.rn",  "ex2.approx",   "expf(-x)",
                          "__expf(-x)",  "sigmoid", "rsqrtf"};
    float x[4096], y[4096];
    int n = 0;
    for (int j = -10; j <= 20; j++)
        for (int e = 0; e < 3; e++) {
            float s = ldexpf(1, 2 * j);
            x[n] = e == 0 ? s : e == 1 ? s + 1e-6f : nextafterf(s, 1e30f);
            y[n++] = ldexpf(1, j);
        }
    for (int j = 0; j <= 10; j++) {
        x[n] = ldexpf(1, j);
        y[n++] = 1;
        x[n] = sqrtf(ldexpf(1, 2 * j) + 1e-6f);
        y[n++] = ldexpf(1, j);
    }
    for (int a = 1; a <= 127; a++) {
        x[n] = a;
        y[n++] = 127;
        x[n] = a;
        y[n++] = 448;
        x[n] = a;
        y[n++] = 240;
    }
    x[n] = 0;
    y[n++] = 0;
    for (int i = 0; i < 200; i++) {
        x[n] = 16.0f + i * 0.005f;
        y[n++] = 1;
    }
    float *dx, *dy, *d, o[11 * 4096];
    cudaMalloc(&dx, 4 * n);
    cudaMalloc(&dy, 4 * n);
    cudaMalloc(&d, 44 * n);
    cudaMemcpy(dx, x, 4 * n, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, 4 * n, cudaMemcpyHostToDevice);
    f<<<(n + 127) / 128, 128>>>(dx, dy, d, n);
    cudaMemcpy(o, d, 44 * n, cudaMemcpyDeviceToHost);
    printf("{\"names\":[");
    for (int k = 0; k < 11; k++) printf("%s\"%s\"", k ? "," : "", name[k]);
    printf("],\"rows\":[");
    for (int i = 0; i < n; i++) {
        printf("%s[\"%a\",\"%a\"", i ? ",\n" : "", x[i], y[i]);
        for (int k = 0; k < 11; k++) printf(",\"%a\"", o[k * n + i]);
        printf("]");
    }
    printf("]}\n");
}
