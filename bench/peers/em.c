/* Dawid-Skene EM, the same loop as src/kernels: products instead of logs, E and M step in one pass.
   cc -O3 -march=native -DK=4 em.c -lm -o em;  ./em labels.bin ITERATIONS
   labels.bin: int32 N, T, W, then task[N] (sorted), worker[N], label[N]. Prints JSON. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double expect(int T, const int *starts, const int *rows, const double *rates, const double *prior,
                     double *posterior, double *counts, double *totals, double *largest_change) {
  double log_likelihood = 0, product = 1, change = 0, sums[K] = {0};
  for (int t = 0; t < T; t++) {
    double v[K];
    for (int k = 0; k < K; k++) v[k] = prior[k];
    for (int j = starts[t]; j < starts[t + 1]; j++) {
      const double *rate = rates + (size_t)rows[j] * K;
      for (int k = 0; k < K; k++) v[k] *= rate[k];
      if (((j - starts[t]) & 7) == 7) {
        double most = v[0];
        for (int k = 1; k < K; k++) if (v[k] > most) most = v[k];
        if (most < 1e-100 || most > 1e100) {
          log_likelihood += log(most);
          for (int k = 0; k < K; k++) v[k] /= most;
        }
      }
    }
    double sum = 0;
    for (int k = 0; k < K; k++) sum += v[k];
    if (sum < 1e-100 || sum > 1e100) {
      log_likelihood += log(sum);
    } else {
      product *= sum;
      if (product < 1e-100 || product > 1e100) {
        log_likelihood += log(product);
        product = 1;
      }
    }
    double inverse = 1 / sum, *belief = posterior + (size_t)t * K;
    for (int k = 0; k < K; k++) {
      v[k] *= inverse;
      double d = fabs(v[k] - belief[k]);
      if (d > change) change = d;
      belief[k] = v[k];
      sums[k] += v[k];
    }
    for (int j = starts[t]; j < starts[t + 1]; j++) {
      double *count = counts + (size_t)rows[j] * K;
      for (int k = 0; k < K; k++) count[k] += v[k];
    }
  }
  for (int k = 0; k < K; k++) totals[k] = sums[k];
  *largest_change = change;
  return log_likelihood + log(product);
}

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  int iterations = argc > 2 ? atoi(argv[2]) : 30, head[3];
  if (!file || fread(head, 4, 3, file) != 3) return 1;
  int N = head[0], T = head[1], W = head[2];
  int *task = malloc(4L * N), *worker = malloc(4L * N), *label = malloc(4L * N);
  if (fread(task, 4, N, file) + fread(worker, 4, N, file) + fread(label, 4, N, file) != 3UL * N) return 1;
  int *starts = calloc(T + 1, 4), *rows = malloc(4L * N);
  for (int i = 0; i < N; i++) starts[task[i] + 1]++;
  for (int t = 0; t < T; t++) starts[t + 1] += starts[t];
  for (int i = 0; i < N; i++) rows[i] = worker[i] * K + label[i];
  size_t cells = (size_t)W * K * K;
  double *rates = malloc(8 * cells), *counts = calloc(cells, 8), *posterior = calloc((size_t)T * K, 8);
  double prior[K], totals[K] = {0}, change;
  for (int t = 0; t < T; t++)
    for (int j = starts[t]; j < starts[t + 1]; j++) posterior[(size_t)t * K + rows[j] % K] += 1.0 / (starts[t + 1] - starts[t]);
  for (int t = 0; t < T; t++)
    for (int k = 0; k < K; k++) {
      totals[k] += posterior[(size_t)t * K + k];
      for (int j = starts[t]; j < starts[t + 1]; j++) counts[(size_t)rows[j] * K + k] += posterior[(size_t)t * K + k];
    }
  double best = 1e9, last = 0, sum = 0;
  for (int iteration = 0; iteration < iterations; iteration++) {
    for (int k = 0; k < K; k++) prior[k] = totals[k] / T;
    for (int w = 0; w < W; w++)
      for (int k = 0; k < K; k++) {
        double total = 0;
        for (int l = 0; l < K; l++) total += rates[((size_t)w * K + l) * K + k] = fmax(1e-10, counts[((size_t)w * K + l) * K + k] + 0.01);
        for (int l = 0; l < K; l++) rates[((size_t)w * K + l) * K + k] /= total;
      }
    memset(counts, 0, 8 * cells);
    double start = cpu();
    last = expect(T, starts, rows, rates, prior, posterior, counts, totals, &change);
    double seconds = cpu() - start;
    sum += seconds;
    if (seconds < best) best = seconds;
  }
  printf("{\"iterationSeconds\": %.6f, \"meanSeconds\": %.6f, \"logLikelihood\": %.6f}\n", best, sum / iterations, last);
  return 0;
}
