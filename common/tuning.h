/* tuning.h - the table of contents of common/, in reading order: each room knows only those above it. */
#ifndef TUNING_H
#define TUNING_H

/* ---- the same bits, the same words, everywhere ---- */
#include "base/die.h"
#include "base/xalloc.h"
#include "base/text.h"
#include "base/mathx.h"
#include "base/rng.h"
#include "base/stats.h"

/* ---- what is tuned, and on what ---- */
#include "space/space.h"
#include "space/workload.h"
#include "space/matmul.h"
#include "device/device.h"
#include "device/hypogpu.h"
#include "device/tsv.h"
#include "device/lattice.h"
#include "device/recorded.h"
#include "device/minitriton.h"
#include "device/triton.h"

/* ---- where a search space comes from ---- */
#include "space/compute.h"
#include "space/sketch.h"
#include "space/nest.h"

/* ---- the door, and those who pay at it ---- */
#include "device/measurer.h"
#include "model/features.h"
#include "model/gbdt.h"
#include "model/ridge.h"
#include "search/strategy.h"
#include "tuner.h"
#include "trial_line.h"
#include "trial_log.h"
#include "model/cost_model.h"
#include "search/strategies.h"
#include "search/scheduler.h"

/* ---- what a reader sees ---- */
#include "report/table.h"
#include "report/layout.h"
#include "report/report.h"
#include "report/facts.h"
#include "report/options.h"
#include "report/figure.h"
#include "experiment.h"
#include "report/program.h"

#endif
