/* recorded.h - a table of real measurements as a device: a GPU that somebody else had, replayed.
 *
 * The table is a tab-separated file (tsv.h), a row a configuration. Its columns are
 *
 *     knobs            integers
 *     times            every other column: one workload each, named as the column. A cell is a time above 0; or x or
 *                      a word (oom_smem), the reason why there is none.
 *     why              the reason of rows whose cell is x. "-", or no such column: "illegal", this column's own rule.
 *     NAME_sd          standard error of the time in column NAME, in the same unit: of the recorded number, which may
 *                      be a mean, not of one run. x: not recorded
 *     NAME_compile_s   seconds that compiling it took. x: not recorded, and 1 s
 *
 * and comments before the header may say more (case ignored):
 *
 *     # knobs: BM BN BK w s G S       which columns are knobs, in this order
 *     # unit: us                      of the times: ns, us, ms or s; us if not said
 *     # noise: 0.4%                   standard error over time where no NAME_sd says it; 0.4 % if not said
 *     # rules: spill oom_smem         reasons that follow from the space's rules; constraints, invalid, spill and
 *                                     oom_smem if not said
 *     # device: H200                  else the file's name
 *     # columns: devices              they are one problem on several devices
 *     # Shapes M,N,K: square 4096,4096,4096; small 1024,1024,1024     matrix shape of each time column
 *     # cuBLAS (torch.mm) us: square 177.3; small 7.138              what the vendor's library takes, always in us
 *
 * Without "# knobs" they are the columns at the left that hold nothing but integers, unless the last of them may be a
 * time in whole numbers: then the table must name them.
 *
 * A reason that is a rule makes its configuration illegal: known before, free. So do "illegal" and "not recorded",
 * which no row means. Any other only a trial tells: the configuration is legal, is paid as others are, and comes back
 * failed. Illegal for the whole device is what is so for every column; device_space gives a column its own.
 *
 * Several files are one device if their knobs have the same names, order and values. Noise, unit and rules are a
 * file's own. A column is known by its M, N and K, and stands once. */
#ifndef RECORDED_H
#define RECORDED_H

#include "device/device.h"

enum { RECORDED_MAX_VALUES = 1 << 16, RECORDED_MAX_REASONS = 64 }; /* of one knob; of all files */
enum { RECORDED_SPARSE = 1000000, RECORDED_SPARSITY = 1000 }; /* over so many combinations, 1 in so many has a row */
enum { RECORDED_NAME = 60 };                                  /* bytes of a name that are shown */
#define RECORDED_LEAST_US 1e-6
#define RECORDED_MOST_US 1e12

/* The device of the tables in the files; column[i]: read that time column of file i alone, NULL: all. Its workloads are
 * the time columns in their order; without "# Shapes" their m, n and k are 0. Knobs are named as their columns; those
 * of a matmul with known shapes, BM BN BK w s G S, are BLOCK_M … SPLIT_K, those of something else the other way round:
 * tuners go by these names. Dies with file, line and column of what is refused. */
struct device *recorded_open(int files, const char *const *path, const char *const *column);

#endif
