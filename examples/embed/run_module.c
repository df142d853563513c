/* A module in a C program: run_module MODULE.tally INPUT.npy prints what a run costs and gives. INPUT.npy has
 * bytes in the shape of the module's only parameter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tally.h>

/* The elements of a small file of NumPy's format 1.0: a header whose length is at its bytes 8 and 9. */
static int8_t *read_npy(const char *path, size_t *size) {
  static uint8_t file[1 << 20];
  FILE *stream = fopen(path, "rb");
  const size_t read = stream == NULL ? 0 : fread(file, 1, sizeof file, stream);
  if (stream != NULL) fclose(stream);
  if (read < 10 || memcmp(file, "\x93NUMPY\x01", 7) != 0) return NULL;
  const size_t header = 10 + file[8] + 256 * (size_t)file[9];
  if (header > read) return NULL;
  *size = read - header;
  return (int8_t *)file + header;
}

static int fail(const tally_error *error) {
  fprintf(stderr, "error[%s]: %s\n", error->label, error->message);
  return 1;
}

static int run_module(const char *path, int8_t *elements, size_t size) {
  tally_error error = {.size = sizeof error};
  tally_module module; /* a module that is valid, or null */
  if (tally_module_load_file(path, NULL, &module, &error)) return fail(&error);
  tally_module_info info = {.size = sizeof info};
  tally_value_info scores = {.size = sizeof scores};
  tally_module_get_info(module, &info, &error);
  tally_module_result(module, 0, &scores, &error);

  tally_plan plan; /* for any number of threads at once */
  if (tally_plan_make(module, NULL, &plan, &error)) return fail(&error);
  tally_module_close(module); /* the plan keeps it */

  tally_run_options options = {.size = sizeof options};
  options.gas_limit = 20000000;
  tally_tensor input = {.data = elements, .bytes = size, .storage = TALLY_I8};
  tally_tensor result = {.data = malloc(scores.bytes),
                         .bytes = scores.bytes,
                         .storage = scores.storage,
                         .rank = scores.rank,
                         .shape = scores.shape};
  if (tally_plan_run(plan, &input, 1, &result, 1, &options, &error)) return fail(&error);

  uint8_t digest[32];
  tally_tensor_digest(&result, digest, &error);
  printf("%lld gas, digest ", (long long)info.gas);
  for (int i = 0; i < 32; ++i) printf("%02x", digest[i]);
  printf("\n");
  free(result.data);
  tally_plan_close(plan);
  return 0;
}

int main(int argc, char **argv) {
  size_t size = 0;
  int8_t *elements = argc == 3 ? read_npy(argv[2], &size) : NULL;
  if (elements == NULL) {
    fprintf(stderr, "usage: run_module MODULE.tally INPUT.npy, a file of bytes\n");
    return 2;
  }
  return run_module(argv[1], elements, size);
}
