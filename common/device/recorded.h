/* recorded.h - a table of real measurements as a device: a GPU that somebody else had, replayed.
 *
 * The table is a tab-separated file (tsv.h), a row a configuration. Its columns are
 *
 *     knobs       integers
 *     times       every other column: one workload each, named as the column. A cell is a time above 0; or x or a
 *                 word (oom_smem), and then the configuration is illegal, for that reason.
 *     why         the reason of rows whose cell is x; else "-". The column may be missing: "illegal".
 *     NAME_sd     standard deviation of one measurement in column NAME, in the same unit
 *
 * and comments before the header may say more (case ignored):
 *
 *     # knobs: BM BN BK w s G S       which columns are knobs, in this order
 *     # unit: us                      of the times: ns, us, ms or s; us if not said
 *     # noise: 0.4%                   standard deviation of one measurement over its mean; 0.4 % if not said
 *     # device: H200                  else the file's name
 *     # Shapes M,N,K: square 4096,4096,4096; small 1024,1024,1024     matrix shape of each time column
 *
 * Without "# knobs" they are the columns at the left that hold nothing but integers. If fewer of these tell all rows
 * apart, then the next one that varies may be a time in whole numbers: the table is refused until it names its knobs.
 *
 * A configuration is legal if every column that is read has a time for it; to have one column's own legality, open
 * that column alone. Combinations of knob values that no row holds are illegal: "not recorded".
 * Lecture 1.3, with a real GPU in the place of the invented one. */
#ifndef RECORDED_H
#define RECORDED_H

#include "device/device.h"

enum { RECORDED_MAX_VALUES = 1 << 16, RECORDED_MAX_REASONS = 64 }; /* of one knob; of all rows */

/* The device of the table in the file; column: read that time column alone, NULL: all of them. Its workloads are the
 * time columns in their order, each named as its column; without "# Shapes" their m, n and k are 0. A reason is the
 * word in the file; the usual ones have a Chinese text too. Knobs are named as their columns; of a matmul with known
 * shapes BM BN BK w s G S are BLOCK_M … SPLIT_K, of something else the other way round: tuners go by these names.
 *
 * Dies with file, line and column if the table is refused: beside what tsv.h refuses no knob, a knob's cell that
 * is no integer, over SPACE_MAX_KNOBS knobs, RECORDED_MAX_VALUES values of one or SPACE_MAX_SIZE combinations, two
 * rows with the same values, a time that is 0, negative, infinite or no number, a column without a time, two
 * columns of one shape, over RECORDED_MAX_REASONS reasons. */
struct device *recorded_open(const char *path, const char *column);

#endif
