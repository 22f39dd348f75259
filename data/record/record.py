#!/usr/bin/env python3
"""Records the search space of a Triton fp16 matmul on this machine's GPU, as a table that the programs read.

    python3 record.py my_gpu.tsv                                  the whole space: 26,250 rows, hours
    python3 record.py my_gpu.tsv --knobs BM=64,128 s=3,4,5 G=8    a part of it
    python3 record.py try.tsv --dry-run                           no GPU: made-up times, to see what comes out
    python3 record.py --serve decode_qkv                          no table: measures what a tuner asks for, one shape,
                                                                  as common/device/live.h says

Configurations come in random order, so a recording that was stopped early is a fair sample of the space; what is
missing counts as "not recorded". The same command goes on where it stopped. Each cell is the mean time of one launch
in microseconds, or why there is none: spill, oom_smem, compile_error, launch_error, wrong.
"""
import argparse
import itertools
import math
import os
import random
import statistics
import sys
import time

try:
    import torch
    import triton
    import triton.language as tl
except ImportError:
    torch = None                # --dry-run does without

KNOBS = {                       # as a table's columns; NAMES: as a tuner knows them
    "BM": (16, 32, 64, 128, 256), "BN": (16, 32, 64, 128, 256), "BK": (16, 32, 64, 128, 256),
    "w": (1, 2, 4, 8, 16), "s": (1, 2, 3, 4, 5, 6, 7), "G": (1, 8), "S": (1, 4, 16),
}
NAMES = dict(zip(KNOBS, ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages", "GROUP_M", "SPLIT_K")))
SHAPES = {                      # M, N, K of C[M,N] = A[M,K] B[K,N]
    "square": (4096, 4096, 4096), "prefill_qkv": (512, 12288, 4096), "ffn_up": (512, 22016, 4096),
    "ffn_down": (512, 4096, 11008), "decode_qkv": (16, 12288, 4096), "wgrad": (512, 512, 32768),
    "small": (1024, 1024, 1024),
}
MOST_ACCUMULATORS = 512         # a thread; with more, registers spill and compiling takes minutes
INPUT_BYTES = 200_000_000       # launches rotate among so many bytes of inputs: more than any L2 cache holds
BATCH_US = 1000                 # launches are timed in batches of about this long …
MOST_LAUNCHES = 20              # … but not more than this many
HOLD_CYCLES = 5_000_000         # the GPU waits so long until a batch is queued, or we would time Python
SAMPLES = 5                     # served: the median of so many batches
REASONS = {"OutOfResources": "oom_smem", "CompilationError": "compile_error", "PTXASError": "compile_error"}

if torch:
    @triton.jit(do_not_specialize=["GROUP_M", "SPLIT_K"])       # run-time numbers: one compile for all their values
    def matmul(a_ptr, b_ptr, c_ptr, M, N, K, GROUP_M, SPLIT_K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        """One BM x BN tile of C over one of SPLIT_K runs of K-blocks. All is row-major, K a multiple of BK. With
        SPLIT_K > 1, c is [SPLIT_K, M, N] in fp32."""
        pid = tl.program_id(0)
        split = tl.program_id(1)
        rows = tl.cdiv(M, BM)
        columns = tl.cdiv(N, BN)
        first = pid // (GROUP_M * columns) * GROUP_M            # GROUP_M rows of tiles are walked column by column,
        height = min(rows - first, GROUP_M)                     # so that blocks that run together share inputs in L2
        within = pid % (GROUP_M * columns)
        m = (first + within % height) * BM + tl.arange(0, BM)
        n = within // height * BN + tl.arange(0, BN)
        begin = split * (K // BK) // SPLIT_K
        end = (split + 1) * (K // BK) // SPLIT_K
        k = begin * BK + tl.arange(0, BK)
        a = a_ptr + m[:, None] * K + k[None, :]
        b = b_ptr + k[:, None] * N + n[None, :]
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(begin, end):
            tile_a = tl.load(a, mask=m[:, None] < M, other=0.0)
            tile_b = tl.load(b, mask=n[None, :] < N, other=0.0)
            sums = tl.dot(tile_a, tile_b, sums)
            a += BK
            b += BK * N
        c = c_ptr + split * M * N + m[:, None] * N + n[None, :]
        tl.store(c, sums.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))

    @triton.jit
    def add_splits(part_ptr, c_ptr, size, S: tl.constexpr, BLOCK: tl.constexpr):
        """c = the sum of S fp32 matrices, in fp16."""
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        sums = tl.zeros((BLOCK,), dtype=tl.float32)
        for split in tl.static_range(S):
            sums += tl.load(part_ptr + split * size + at, mask=at < size, other=0.0)
        tl.store(c_ptr + at, sums.to(tl.float16), mask=at < size)


class Gpu:
    """One shape's inputs on the GPU, and measurements with them."""
    def __init__(self, M, N, K, most_splits):
        copies = max(2, math.ceil(INPUT_BYTES / (2 * (M * K + K * N))))
        half = dict(device="cuda", dtype=torch.float16)
        self.shape, self.copies = (M, N, K), copies
        self.a = [torch.randn(M, K, **half) for _ in range(copies)]
        self.b = [torch.randn(K, N, **half) for _ in range(copies)]
        self.c = torch.empty(M, N, **half)
        self.right = self.a[0] @ self.b[0]
        self.part = torch.empty(most_splits * M * N if most_splits > 1 else 0, device="cuda", dtype=torch.float32)

    @staticmethod
    def name():
        return torch.cuda.get_device_name(0)

    def launch(self, i, BM, BN, BK, w, s, G, S):
        M, N, K = self.shape
        matmul[(triton.cdiv(M, BM) * triton.cdiv(N, BN), S)](
            self.a[i % self.copies], self.b[i % self.copies], self.part if S > 1 else self.c, M, N, K, G, S,
            BM=BM, BN=BN, BK=BK, num_warps=w, num_stages=s)
        if S > 1:
            add_splits[(triton.cdiv(M * N, 1024),)](self.part, self.c, M * N, S=S, BLOCK=1024)

    def batch_us(self, launches, config):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(HOLD_CYCLES)
        begin.record()
        for i in range(launches):
            self.launch(i, *config)
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1000 / launches

    def measure(self, config):
        """Microseconds a launch, or the reason why there are none."""
        self.c.fill_(math.nan)                                  # what a kernel does not write is seen
        try:
            self.launch(0, *config)                             # compiles
            error = (self.c.float() - self.right.float()).norm() / self.right.float().norm()
            if not error.item() < 1e-2:
                return "wrong"
            estimate = self.batch_us(1, config)
            return self.batch_us(max(1, min(MOST_LAUNCHES, int(BATCH_US / estimate))), config)
        except Exception as e:                                  # their names have moved between Triton's versions
            print(f"{config}: {type(e).__name__}: {' '.join(str(e).split())[:100]}", file=sys.stderr)
            return REASONS.get(type(e).__name__, "launch_error")

    @staticmethod
    def broken():
        """After some errors a process can never use the GPU again."""
        try:
            torch.cuda.synchronize()
            return False
        except Exception:
            return True


class MadeUp:
    """For --dry-run: times that only look like times."""
    def __init__(self, M, N, K, most_splits):
        self.shape = M, N, K

    @staticmethod
    def name():
        return "DRY RUN: made-up times"

    def measure(self, config):
        (M, N, K), (BM, BN, BK, w, s, G, S) = self.shape, config
        if (BM + BN) * BK * 2 * s > 200_000:
            return "oom_smem"
        waves = math.ceil(math.ceil(M / BM) * math.ceil(N / BN) * S / 132)
        one_wave = BM * BN * K / S / 4e6 * (1 + 32 / BM + 32 / BN + 1 / s + abs(w - 4) / 8)
        return 5 + waves * one_wave + (8 if S > 1 else 0)

    @staticmethod
    def broken():
        return False


def pairs(words, known):
    """{"BM": (64, 128)} from ["BM=64,128"]; known: the names allowed, or None for any."""
    found = {}
    for word in words:
        name, _, numbers = word.partition("=")
        if not all(x.isdigit() and int(x) > 0 for x in numbers.split(",")) or (known and name not in known):
            sys.exit(f"record.py: {word}: expected NAME=NUMBER,…{', NAME of ' + ' '.join(known) if known else ''}")
        found[name] = tuple(map(int, numbers.split(",")))
    return found


def noise_percent(benches):
    """Median over the shapes of the relative standard deviation of ten measurements of one plain configuration."""
    spread = []
    for bench in benches:
        times = [bench.measure((64, 64, 32, 4, 3, 8, 1)) for _ in range(10)]
        if not any(isinstance(t, str) for t in times):
            spread.append(100 * statistics.stdev(times) / statistics.mean(times))
    return statistics.median(spread) if spread else 0.4


def head(name, noise, shapes):
    return (f"# device: {name}\n# unit: us\n# noise: {noise:.2f}%\n# knobs: {' '.join(KNOBS)}\n# Shapes M,N,K: "
            + "; ".join(f"{shape} {M},{N},{K}" for shape, (M, N, K) in shapes.items()) + "\n"
            + "\t".join([*KNOBS, *shapes]) + "\n")


def excluded(config):
    """A rule of our own: known before anything is built."""
    BM, BN, _, w, *_ = config
    return BM * BN > MOST_ACCUMULATORS * 32 * w


def served(bench, config, out):
    """time_us, sd_us, compile_s and invalidity, as cells; says when it runs."""
    if excluded(config):
        return ",,,constraints"
    row = ",".join(map(str, config))
    print("building", row, file=out, flush=True)
    began = time.time()
    first = bench.measure(config)                               # compiles; from then on Triton has the kernel
    compile_s = time.time() - began
    if isinstance(first, str):
        return f",,{compile_s:.3f}," + {"wrong": "correctness", "launch_error": "runtime"}.get(first, "compile")
    print("running", row, file=out, flush=True)
    times = [bench.measure(config) for _ in range(SAMPLES)]
    if any(isinstance(t, str) for t in times):
        return f",,{compile_s:.3f},runtime"
    error = 1.2533 * statistics.stdev(times) / math.sqrt(SAMPLES)           # of a median
    return f"{statistics.median(times):.4f},{error:.4f},{compile_s:.3f},correct"


def serve(machine, knobs, name, shape):
    """The device's side of the dialogue on stdin and stdout, until stdin ends. What Triton prints goes to stderr: it
    shows the whole code where ptxas refuses it."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    bench = machine(*shape, max(knobs["S"]))
    header = ",".join(NAMES[knob] for knob in knobs)
    while question := sys.stdin.readline().split():
        rows = int(question[1]) if len(question) == 2 and question[1].isdigit() else None
        if question == ["Space"]:
            version = f"Triton {triton.__version__}, PyTorch {torch.__version__}" if torch else "none"
            print(f"device={machine.name()}\ncompiler={version}\nflags=\nkernel=record.py matmul fp16\n"
                  f"workload={name} {'x'.join(map(str, shape))}", file=out)
            for knob, values in knobs.items():
                print(f"{NAMES[knob]}:{','.join(map(str, sorted(values)))}", file=out)
            print(file=out, flush=True)
            continue
        if question[0] not in ("Check", "Request") or rows is None:
            sys.exit(f"record.py: {' '.join(question)}: expected Space, Check N or Request N")
        if sys.stdin.readline().strip() != header:
            sys.exit(f"record.py: expected the header {header}")
        configs = [tuple(map(int, sys.stdin.readline().split(","))) for _ in range(rows)]
        print(header + ("," if question[0] == "Check" else ",time_us,sd_us,compile_s,") + "invalidity", file=out, flush=True)
        for config in configs:
            answer = served(bench, config, out) if question[0] == "Request" else \
                "constraints" if excluded(config) else "correct"
            print(",".join(map(str, config)), answer, sep=",", file=out, flush=question[0] == "Request")
            if answer.endswith("runtime") and machine.broken():
                sys.exit("record.py: the GPU context is broken")           # the tuner starts us again
        out.flush()


def recorded(path, shapes):
    """The configurations that the file holds already; None: there is no file. A half-written last line is cut off."""
    try:
        with open(path, "rb") as f:
            text = f.read()
    except FileNotFoundError:
        return None
    whole = text[:text.rfind(b"\n") + 1]
    rows = [line.split("\t") for line in whole.decode().splitlines() if not line.startswith("#")]
    if not rows or rows[0] != [*KNOBS, *shapes]:
        sys.exit(f"record.py: {path}: is no recording of these shapes; choose another file")
    with open(path, "rb+") as f:
        f.truncate(len(whole))
    return {tuple(map(int, row[:len(KNOBS)])) for row in rows[1:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?")
    parser.add_argument("--serve", nargs="?", const="square", metavar="SHAPE", help="speak with a tuner (square)")
    parser.add_argument("--knobs", nargs="+", default=[], metavar="NAME=VALUE,…", help="only these values of a knob")
    parser.add_argument("--shapes", nargs="+", default=[], metavar="NAME=M,N,K", help="other shapes than the seven")
    parser.add_argument("--dry-run", action="store_true", help="no GPU: made-up times")
    options = parser.parse_args()
    knobs = {**KNOBS, **pairs(options.knobs, KNOBS)}
    shapes = pairs(options.shapes, None) or SHAPES
    for name, shape in shapes.items():
        if len(shape) != 3 or any(shape[2] % BK for BK in knobs["BK"]):
            sys.exit(f"record.py: shape {name}: expected M,N,K with K a multiple of every BK, {knobs['BK']}")
    if not options.dry_run and not (torch and torch.cuda.is_available()):
        sys.exit("record.py: needs PyTorch, Triton and a GPU; without them there is --dry-run")

    machine = MadeUp if options.dry_run else Gpu
    if options.serve:
        if options.serve not in shapes:
            sys.exit(f"record.py: --serve {options.serve}: expected a shape: {' '.join(shapes)}")
        return serve(machine, knobs, options.serve, shapes[options.serve])
    if not options.table:
        sys.exit("record.py: expected a file for the table, or --serve")
    done = recorded(options.table, shapes)
    benches = [machine(*shape, max(knobs["S"])) for shape in shapes.values()]
    table = open(options.table, "a", buffering=1)               # a line at a time: nothing is lost when it is stopped
    if done is None:
        done = set()
        table.write(head(machine.name(), noise_percent(benches), shapes))
    todo = [config for config in itertools.product(*knobs.values()) if config not in done]
    random.Random(0).shuffle(todo)
    began = time.time()
    for count, config in enumerate(todo, 1):
        cells = []
        for bench in benches:
            if excluded(config):
                cells.append("spill")
            elif cells and cells[0] in ("oom_smem", "compile_error"):       # for one shape, so for all
                cells.append(cells[0])
            else:
                cells.append(bench.measure(config))
        shown = [cell if isinstance(cell, str) else f"{cell:.4g}" for cell in cells]
        table.write("\t".join([*map(str, config), *shown]) + "\n")
        if "launch_error" in cells and machine.broken():
            sys.exit("record.py: the GPU context is broken; start again, it goes on from here")
        if count % 100 == 0 or count == len(todo):
            left = (time.time() - began) / count * (len(todo) - count)
            print(f"{count} of {len(todo)}, {left / 60:.0f} min to go", file=sys.stderr)


if __name__ == "__main__":
    main()
