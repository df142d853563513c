/* A host in C, as a node would be written: embed MODEL.json MODEL.params.
 *
 * Four threads share one model on each device; the bytes of both devices are the same. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cvm/tally_cvm.h"

enum { THREADS = 4, RUNS = 3 };

struct File {
  char *bytes;
  int size;
};

static struct File ReadFile(const char *path) {
  struct File file = {NULL, 0};
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return file;
  fseek(stream, 0, SEEK_END);
  file.size = (int)ftell(stream);
  rewind(stream);
  file.bytes = malloc((size_t)file.size);
  if (file.bytes != NULL && fread(file.bytes, 1, (size_t)file.size, stream) != (size_t)file.size) file.size = -1;
  fclose(stream);
  return file;
}

struct Job {
  void *cpu, *formal;
  unsigned seed;
  int failures;
};

static void *Serve(void *argument) {
  struct Job *job = argument;
  unsigned long long input_size = 0, output_size = 0;
  job->failures += CVMAPIGetInputLength(job->cpu, &input_size) != CVMAPI_SUCCEED;
  job->failures += CVMAPIGetOutputLength(job->cpu, &output_size) != CVMAPI_SUCCEED;
  char *input = malloc(input_size), *output = malloc(output_size), *expected = malloc(output_size);
  for (int run = 0; run < RUNS; ++run) {
    for (unsigned long long i = 0; i < input_size; ++i) {
      job->seed = job->seed * 1664525u + 1013904223u;
      input[i] = (char)(job->seed >> 24);
    }
    job->failures += CVMAPIInference(job->formal, input, (int)input_size, expected) != CVMAPI_SUCCEED;
    job->failures += CVMAPIInference(job->cpu, input, (int)input_size, output) != CVMAPI_SUCCEED;
    job->failures += memcmp(output, expected, output_size) != 0;
  }
  free(input);
  free(output);
  free(expected);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const struct File graph = ReadFile(argv[1]), params = ReadFile(argv[2]);
  void *cpu = NULL, *formal = NULL;
  if (CVMAPILoadModel(graph.bytes, graph.size, params.bytes, params.size, &cpu, CVMAPI_CPU, 0) != CVMAPI_SUCCEED ||
      CVMAPILoadModel(graph.bytes, graph.size, params.bytes, params.size, &formal, CVMAPI_FORMAL, 0) !=
          CVMAPI_SUCCEED) {
    fprintf(stderr, "embed: %s is not loaded; TALLY_CVM_LOG=1 says why\n", argv[1]);
    return 1;
  }
  free(graph.bytes);
  free(params.bytes);

  pthread_t threads[THREADS];
  struct Job jobs[THREADS];
  int failures = 0;
  for (unsigned t = 0; t < THREADS; ++t) {
    jobs[t] = (struct Job){cpu, formal, t, 0};
    if (pthread_create(&threads[t], NULL, Serve, &jobs[t]) != 0) return 1;
  }
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], NULL);
    failures += jobs[t].failures;
  }
  CVMAPIFreeModel(cpu);
  CVMAPIFreeModel(formal);
  if (failures != 0) fprintf(stderr, "embed: %d calls failed or gave other bytes\n", failures);
  return failures != 0;
}
