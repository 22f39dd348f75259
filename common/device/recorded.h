/* recorded.h - a table of real measurements as a device: a GPU that somebody else had, replayed.
 *
 * The table is a tab-separated file (tsv.h), a row a configuration. Its columns are
 *
 *     knobs       integers (lattice.h says which columns are knobs)
 *     times       every other column: one workload each, named as the column. A cell is a time above 0; or x or a
 *                 word (oom_smem), and then the configuration is illegal, for that reason.
 *     why         the reason of rows whose cell is x; else "-". The column may be missing: "illegal".
 *     NAME_sd     standard deviation of one measurement in column NAME, in the same unit
 *
 * and comments before the header may say more (case ignored):
 *
 *     # knobs: BM BN BK w s G S       which columns are knobs
 *     # unit: us                      of the times: ns, us, ms or s; us if not said
 *     # noise: 0.4%                   standard deviation of one measurement over its mean; 0.4 % if not said
 *     # device: H200                  else the file's name
 *     # Shapes M,N,K: square 4096,4096,4096; small 1024,1024,1024     matrix shape of each time column
 *
 * A configuration is legal if every column that is read has a time for it; to have one column's own legality, open
 * that column alone. Combinations of knob values that no row holds are illegal: "not recorded".
 * Lecture 1.3, with a real GPU in the place of the invented one. */
#ifndef RECORDED_H
#define RECORDED_H

#include "device/device.h"

/* The device of the table in the file; column: read that time column alone, NULL: all of them. On failure returns
 * NULL and writes to error[n] one line that names file, line and column and says what was expected. Refused are,
 * beside what tsv.h and lattice.h refuse: times that are 0, negative, infinite or no number, a column without a time,
 * two columns of one shape, over 64 reasons. A reason is the word in the file; the usual ones have a Chinese text
 * too. The device's knobs are named as the columns; of a matmul (recorded_is_matmul) BM BN BK w s G S are BLOCK_M …
 * SPLIT_K, of something else the other way round: tuners go by these names. */
struct device *recorded_open(const char *path, const char *column, char *error, size_t n);
void recorded_close(struct device *device);

/* All below: for a device that recorded_open returned. */

/* What was recorded, *count workloads in column order; a workload's id is its column's name. Without "# Shapes" m, n
 * and k are 0. They live as long as the device. */
const struct workload *recorded_workloads(const struct device *device, int *count);
const struct workload *recorded_find(const struct device *device, const char *id); /* NULL: none of that id */

/* The recorded workload that stands for w: with "# Shapes" the one with its M, N, K, else the one with its id. NULL:
 * none was recorded, and the device must not be asked about w. */
const struct workload *recorded_match(const struct device *device, const struct workload *w);

/* True if the knobs are the matmul's seven, in their order (matmul.h), with values from 1 to WORKLOAD_MAX_EXTENT, and
 * every column has its shape: then program features make sense. */
bool recorded_is_matmul(const struct device *device);

/* Standard deviation over mean of one measurement of this configuration, from NAME_sd; device->noise where there is
 * no such column or the configuration is illegal. */
double recorded_noise(const struct device *device, const struct workload *w, const int *values);

#endif
