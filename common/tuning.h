/* tuning.h - the table of contents of common/, in reading order: each room knows only those above it. */
#ifndef TUNING_H
#define TUNING_H

/* ---- the same bits, the same words, everywhere ---- */
#include "xalloc.h"
#include "text.h"
#include "mathx.h"
#include "rng.h"
#include "stats.h"

/* ---- what is tuned, and on what ---- */
#include "space.h"
#include "workload.h"
#include "device.h"
#include "hypogpu.h"
#include "tsv.h"
#include "lattice.h"
#include "recorded.h"
#include "minitriton.h"
#include "triton.h"

/* ---- where a search space comes from ---- */
#include "compute.h"
#include "sketch.h"
#include "nest.h"

/* ---- the door, and those who pay at it ---- */
#include "measurer.h"
#include "feature.h"
#include "gbdt.h"
#include "ridge.h"
#include "strategy.h"
#include "tuner.h"
#include "trial_line.h"
#include "trial_log.h"
#include "cost_model.h"
#include "strategies/strategies.h"
#include "scheduler.h"

/* ---- what a reader sees ---- */
#include "table.h"
#include "layout.h"
#include "report.h"
#include "facts.h"
#include "options.h"
#include "figure.h"
#include "experiment.h"
#include "program.h"

#endif
