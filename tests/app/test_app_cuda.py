#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=600 suite=all flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@ --fake @OAK_FAKE_CUDA@
# TEST name=long_app_cuda_np@np@ np={1,3} timeout=600 suite=long --oak @oak@ --mpiexec @mpiexec@ --np @np@ --fake @OAK_FAKE_CUDA@
"""The devices cuda and hip on a machine without a GPU, for CTest: the real oak command with stand-ins of driver and
run-time compiler (fake_cuda/fake.h) that work, or fail in one way each. A failure gives one clear message, once, and an
exit status that is not 0; device.name=auto then runs on the CPU, silently if there is no GPU at all.

usage: test_app_cuda.py --oak OAK --mpiexec "mpiexec -n" --np N --fake FOLDER [--only WORD] [--show]"""
import csv
import ctypes
import os
import re
import shlex
import subprocess
import sys
import tempfile

import oak_test
from oak_test import GOOD, LIMIT, MPIEXEC, PROBLEMS, judge, run

DRIVER = "oak: device cuda is not used: "
# name: (words of OAK_FAKE_CUDA, environment, keys, what the message must say, does auto warn)
# auto None: the run starts on the GPU, and fails with auto as well.
CASES = {
    "no driver": ("", {"LD_LIBRARY_PATH": "/nowhere"}, [], [r"no NVIDIA driver", r"libcuda\.so\.1", r"device\.name = cpu"],
                  False),
    "driver without functions": ("", {"LD_LIBRARY_PATH": "{fake}/old"}, [], [r"cuGetErrorName", r"too old", r"CUDA 12"],
                                 False),
    "no GPU": ("init=100", {}, [], [r"no NVIDIA GPU", r"device\.name = cpu"], False),
    "no GPU visible": ("count=0", {"CUDA_VISIBLE_DEVICES": "7"}, [], [r"no NVIDIA GPU", r"CUDA_VISIBLE_DEVICES = 7"],
                       False),
    "driver and kernel differ": ("init=803", {}, [], [r"does not start", r"CUDA_ERROR_803", r"reboot"], True),
    "old driver": ("version=11080", {}, [], [r"CUDA 11\.8", r"12\.0 or later", r"update the driver"], True),
    "old GPU": ("capability=61", {}, [], [r"fake GPU 0", r"6\.1", r"7\.0"], True),
    "GPU in use": ("context=46", {}, [], [r"GPU \d", r"CUDA_ERROR_46", r"compute mode"], True),
    "no NVRTC": ("", {"OAK_NVRTC": "/nowhere/libnvrtc.so"}, [],
                 [r"OAK_NVRTC = /nowhere/libnvrtc\.so", r"fake GPU \d", r"No such file"], True),
    "NVRTC newer than the driver": ("nvrtc=13010 version=12040", {}, [],
                                    [r"NVRTC 13\.1", r"CUDA 12\.4", r"libnvrtc\.so\.12"], True),
    "fails on one rank": ("rank=1 init=803", {}, [], [r"does not start"], True),
    "NVRTC without built-ins": ("compile=7", {}, ["device.flags=-DNOT_IN_THE_CACHE"], [r"does not compile", r"libnvrtc-builtins"], None),
    "NVRTC refuses an option": ("", {}, ["device.flags=-O1 --unknown"], [r"--unknown", r"device\.flags", r"NVRTC 12\.0"],
                                None),
    "kernel that does not compile": ("", {}, ["problem.name={problems}/broken.c"], [r"broken\.c:\d+", r"no_such_name"],
                                     None),
    "kernel that does not load": ("load=209", {}, [], [r"loading a kernel", r"CUDA_ERROR_209", r"OAK_NVRTC"], None),
    "no memory": ("memory=1", {}, ["mesh.min_level=5", "mesh.max_level=5"],
                  [r"no memory for \d+ blocks", r"cannot allocate \S+ MiB of memory on GPU \d: .* of 1 MiB are free",
                   r"fewer blocks"], None),
    "kernel that cannot be launched": ("launch=701,30", {}, [], [r"launching kernel 'oak_\w+'", r"CUDA_ERROR_701"], None),
    "kernel fault": ("fault=700,30", {}, [],
                     [r"kernel '\w+' or one before it failed on GPU \d", r"illegal memory access", r"OAK_GPU_SYNC=1",
                      r"the checking tool"], None),
    "kernel fault, waiting": ("fault=700,30", {"OAK_GPU_SYNC": "1"}, [],
                              [r"kernel '\w+' failed on GPU \d", r"illegal memory access", r"the checking tool"], None),
}
# Cases in which device hip has another message.
CASES.update({
    "hip: no ROCm": ("", {"LD_LIBRARY_PATH": "/nowhere"}, [], [r"no ROCm", r"libamdhip64\.so", r"ROCM_PATH", r"device\.name = cpu"], None),
    "hip: no GPU": ("init=101", {}, [], [r"no AMD GPU", r"(/dev/kfd|rocminfo)", r"device\.name = cpu"], None),
    "hip: no GPU visible": ("count=0", {"ROCR_VISIBLE_DEVICES": "7"}, [], [r"no AMD GPU", r"ROCR_VISIBLE_DEVICES = 7"], None),
    "hip: old ROCm": ("version=50100000", {}, [], [r"HIP 5\.1", r"5\.2 or later"], None),
    "hip: GPU in use": ("context=46", {}, [], [r"GPU \d", r"hipError_46"], None),
    "hip: no hipRTC": ("", {"OAK_HIPRTC": "/nowhere/libhiprtc.so"}, [],
                       [r"OAK_HIPRTC = /nowhere/libhiprtc\.so", r"fake GPU \d", r"No such file"], None),
    "hip: kernel that does not compile": ("", {}, ["problem.name={problems}/broken.c"], [r"hipRTC 12\.0 for gfx90a", r"broken\.c:\d+"],
                                          None),
    "hip: kernel that does not load": ("load=209", {}, [], [r"loading a kernel", r"hipError_209", r"OAK_HIPRTC"], None),
    "hip: no memory": ("memory=1", {}, ["mesh.min_level=5", "mesh.max_level=5"],
                       [r"cannot allocate \S+ MiB of memory on GPU \d: .* of 1 MiB are free", r"fewer blocks"], None),
    "hip: kernel fault": ("fault=700,30 wave=32", {}, [], [r"kernel '\w+' or one before it failed on GPU \d", r"OAK_GPU_SYNC=1", r"rocgdb"],
                          None),
})
# A fault at any launch of a run, on the last rank: no other rank waits for it.
for launch in (1, 5, 9, 13, 22, 31, 40, 61, 82, 101):
    CASES[f"fault of launch {launch} on one rank"] = (
        f"rank={{last}} fault=719,{launch}", {}, [], [r"kernel '\w+' or one before it failed", r"CUDA_ERROR_719"], None)
# A fault in the middle of a run, for each transport of data between ranks.
for transport in ("direct", "nccl", "staged"):
    CASES[f"fault in the middle, {transport}"] = (
        "count=8 rank={last} fault=700,300", {}, [f"device.transport={transport}", "run.max_steps=100"],
        [r"kernel '\w+' or one before it failed on GPU \d", r"illegal memory access"], None)
# Words of OAK_FAKE_CUDA, keys: what the head of a run says about data between ranks.
WAYS = {
    "auto": ("count=8", [], r"read each other's memory in place"),
    "memory that cannot be shared": ("count=8 ipc=1", ["device.transport=direct"],
                                     r"cannot share memory: .*CUDA_ERROR_1\b.*messages by NCCL"),
    "... and no NCCL": ("count=8 ipc=1 nccl=1", [], r"cannot share memory: .*messages by MPI through .*NCCL failed"),
    "... on one of the ranks": ("count=8 rank={last} ipc=1", [], r"cannot share memory: .*messages by NCCL"),
    "NCCL with too few GPUs": ("count=1", ["device.transport=nccl"], r"messages by MPI through .*share 1 GPUs"),
}
ABORT = re.compile(r"^-{20,}\n(MPI_ABORT was invoked|prterun has exited).*?^-{20,}\n", re.M | re.S)


def has_library(*names):
    for name in names:
        try:
            return bool(ctypes.CDLL(name))
        except OSError:
            pass
    return False


def lines(text):
    return [line for line in text.splitlines() if not MPIEXEC.match(line)]


def environment(fake, words, changes, last):
    env = dict(os.environ, LD_LIBRARY_PATH=f"{fake}/new:{os.environ.get('LD_LIBRARY_PATH', '')}", OAK_NVRTC=f"{fake}/new/libnvrtc.so.12",
               OAK_HIPRTC=f"{fake}/new/libhiprtc.so.7", ROCM_PATH="", OAK_FAKE_CUDA=words.format(last=last))
    for name in ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "OAK_GPU_SYNC"):
        env.pop(name, None)
    return {**env, **{name: value.format(fake=fake) for name, value in changes.items()}}


def try_case(name, options, work):
    """Faults of one case, and what it said."""
    words, changes, keys, patterns, warns = CASES[name]
    if name == "no driver" and has_library("libcuda.so.1") or \
            name == "hip: no ROCm" and has_library("libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"):
        raise oak_test.Skipped("this machine has a driver")
    if ("rank=1" in words or "on one rank" in name or "in the middle" in name) and options.np < 2:
        raise oak_test.Skipped("needs several ranks")
    keys = [key.format(problems=PROBLEMS) for key in keys]
    os.environ.update(environment(options.fake, words, changes, options.np - 1))
    arguments = ["run.ini", "--overwrite", "refine.variable=rho", "refine.criterion=lohner", "mesh.adapt_every=2", "run.max_steps=20",
                 "run.end_time=1", *keys]
    device = "hip" if name.startswith("hip:") else "cuda"
    text, code, _ = run([*options.launch, "run", *arguments, "device.name=" + device], work, LIMIT)
    text = text.replace("compute-sanitizer", "the checking tool")  # no sign of a crash
    if name == "fault in the middle, nccl":  # others wait in NCCL, which only MPI_Abort ends
        text = ABORT.sub("", text.replace("\0", ""))  # Open MPI 5 ends its text with a zero
    wrong = judge(text, code, patterns, many_lines="kernel that does not c" in name or name.startswith("NVRTC"))
    said = text
    if warns is None:
        return wrong, said
    text, code, _ = run([*options.launch, "run", *arguments, "device.name=auto", "--quiet"], work, LIMIT)
    said += text
    warnings = [line for line in lines(text) if line]
    if code != 0:
        wrong.append(f"auto: exit status {code}")
    if len(warnings) != int(warns):
        wrong.append(f"auto: {len(warnings)} lines on standard error instead of {int(warns)}")
    if warns:
        wrong += [f"auto: the warning does not match /{p}/" for p in [DRIVER] + patterns if not re.search(p, text)]
    return wrong, said


def info(options, work):
    """oak info says what there is and why it cannot be used."""
    wrong = []
    for words, pattern in (("", r"device +cuda: fake GPU 0, 4\.0 GiB, compute capability 9\.0, CUDA 13\.0, NVRTC 12\.0"),
                           ("version=11080", r"device +cuda: not usable: .*11\.8"),
                           ("wave=32", r"device +hip: fake GPU 0, 4\.0 GiB, gfx1030, HIP 6\.0, hipRTC 12\.0")):
        os.environ.update(environment(options.fake, words, {}, 0))
        path = os.path.join(work, "info")
        code = os.system(f"{shlex.quote(options.oak)} info >{path} 2>&1")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if code != 0 or not re.search(pattern, text):
            wrong.append(f"info: exit status {code}, no /{pattern}/ in:\n{text}")
    return wrong, ""


def way(name, options, work):
    """A run in which memory cannot be shared says what it does instead, in its first lines, and ends well."""
    if options.np == 1:
        raise oak_test.Skipped("needs several ranks")
    words, keys, pattern = WAYS[name]
    os.environ.update(environment(options.fake, words, {}, options.np - 1))
    path = os.path.join(work, "head")
    code = os.system(f"{options.mpiexec} {options.np} {shlex.quote(options.oak)} run {work}/run.ini device.name=cuda device.flags=-O1 "
                     f"{' '.join(keys)} >{path} 2>&1")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head = "\n".join(text.splitlines()[:12])
    return ([] if code == 0 and re.search(pattern, head) else [f"exit status {code}, no /{pattern}/ in the head"]), text


# Outputs of a run by dimension: (keys, files of the run: how many begin and end with these words)
OUTPUTS = {
    2: (["mesh.adapt_every=2", "run.max_steps=12", "checkpoint.keep=9", "output.plot_steps=2", "output.part.kind=plotfile",
         "output.part.precision=single", "output.part.every_steps=3", "output.part.variables=rho mach schlieren",
         "output.part.region=0.05 0 0.2 0.13", "output.part.files=2", "output.fields.kind=xdmf", "output.fields.every_steps=4",
         "output.corner.kind=xdmf", "output.corner.every_steps=4", "output.corner.region=0.3 0.2 0.7 0.6"],
        {("chk", ".oak"): 4, ("plt", "/Header"): 7, ("fields_", "_00000.raw"): 4, ("part_", "/Header"): 5, ("corner_", ".xdmf"): 4}),
    3: (["mesh.dim=3", "mesh.adapt_every=2", "run.max_steps=4", "output.plot_first_last=no", "output.grid.kind=plotfile",
         "output.grid.every_steps=1", "output.grid.variables=rho speed",
         "output.top.kind=picture", "output.top.axis=x", "output.top.every_steps=2", "output.top.width=64",
         "output.top.region=0.3 0.2 0.1 0.7 0.6 0.8", "output.cross.kind=picture", "output.cross.every_steps=2",
         "output.cross.width=64", "output.level.kind=slice", "output.level.every_steps=2", "output.level.format=npy"],
        {("grid_", "/Header"): 5, ("top_", ".png"): 3, ("cross_", ".png"): 3, ("level_", ".npy"): 3})}
VTKHDF = {2: ["output.boxes.kind=vtkhdf", "output.boxes.every_steps=3", "output.boxes.precision=single", "output.boxes.variables=rho mach",
              "output.cut.kind=vtkhdf", "output.cut.every_steps=4", "output.cut.region=0.3 0.2 0.7 0.6"],
          3: ["output.boxes.kind=vtkhdf", "output.boxes.every_steps=2", "output.cut.kind=vtkhdf", "output.cut.every_steps=3",
              "output.cut.region=0.3 0.2 0.1 0.7 0.6 0.8"]}


def files_of(folder):
    """The bytes of all files, without the parts that contain the keys of the run."""
    found = {}
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        paths = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(folder, file)) for name in names]
        if file.endswith((".oak", ".vtkhdf", ".xdmf", ".png", ".npy")):
            paths = [os.path.join(folder, file)]
        for path in paths:
            with open(path, "rb") as stream:
                data = head = stream.read()
            if file.endswith(".oak"):  # without its texts, and the checksums of its records, which continue that of the texts
                data = bytearray(data[192 + int.from_bytes(data[24:32], "little"):])
                for record in range(int.from_bytes(head[32:40], "little")):
                    data[32 * record + 28:32 * record + 32] = bytes(4)
            found[os.path.relpath(path, folder)] = data
    return found


def background(dim, options, work):
    """Outputs and checkpoints that are copied from the GPU during later time steps have the same bits as those that the
    run waits for. This also holds if the GPU has too little memory for the copies. A copy that fails ends the run."""
    keys, counts = OUTPUTS[dim]
    keys = keys + ["refine.variable=rho", "refine.criterion=lohner", "run.end_time=1", "device.name=cuda", "device.flags=-O1"]
    if subprocess.run([options.oak, "run", "run.ini", "--check", "output.a.kind=vtkhdf"], cwd=work, check=False, timeout=LIMIT,
                      capture_output=True).returncode:
        oak_test.skip_part("background", "oak was built without HDF5")
    else:
        keys += VTKHDF[dim]
        counts = {**counts, ("boxes_", ".vtkhdf"): 5 if dim == 2 else 3, ("cut_", ".vtkhdf"): 4 if dim == 2 else 3}

    def states(name, words, buffer, every=3):
        os.environ.update(environment(options.fake, words, {}, options.np - 1))
        folder = os.path.join(work, name)
        text, code, _ = run([*options.launch, "run", "run.ini", "--quiet", *keys, f"checkpoint.steps={every if dim == 2 else 0}",
                             f"output.buffer={buffer}", f"output.folder={folder}"], work, LIMIT)
        return text, code, files_of(folder)

    text, code, waited = states("waited", "", 0)
    found = {words: sum(name.startswith(words[0]) and name.endswith(words[1]) for name in waited) for words in counts}
    if code != 0 or found != counts:
        return [f"exit status {code}, {found} of {sorted(waited)}"], text
    for name, words in (("late", "late=10 nvrtc=13000"), ("little", "memory=14 fetch=1"))[:4 - dim]:
        text, code, found = states(name, words, 64)
        if code != 0 or found != waited:
            return [f"{name}: exit status {code}; different: {[f for f in waited if waited[f] != found.get(f)]}"], text
    for name, every in (("failed", 3), ("failed_plots", 0))[dim - 2:]:
        text, code, found = states(name, "late=10 rank={last} fetch=1", 64, every)
        wrong = judge(text, code, [r"copying from the GPU", r"CUDA_ERROR_1\b"])
        if wrong or [file for file in found if not re.match("(plt|[a-z]+_)000000|[a-z]+\\.xdmf", file)]:
            return wrong + [f"{name}: there are {sorted(found)}"], text
    return [], text


def overlap(options, work):
    """A run does not wait for a file when the next one of the same output is due, but there are never more than 4."""
    os.environ.update(environment(options.fake, "late=400", {}, 0))
    done = subprocess.run([*options.launch, "run", "run.ini", "run.end_time=1", "run.max_steps=5", "run.report_every=1", "device.name=cuda",
                           "device.flags=-O1", "output.plot_first_last=no", "output.a.kind=xdmf", "output.a.variables=rho",
                           "output.a.every_steps=1"], cwd=work, text=True, timeout=LIMIT, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    came = re.findall(r"^ +(\d) +[\d.]|^wrote .*a_00000(\d)\.xdmf", done.stdout, re.M)
    steps, files = [[i for i, pair in enumerate(came) if pair[which]] for which in (0, 1)]
    if done.returncode != 0 or len(steps) != 6 or len(files) != 6:
        return [f"exit status {done.returncode}, {came}"], done.stdout
    return ([] if steps[4] < files[0] and files[3] < steps[5] else [f"lines came as {came}"]), done.stdout


HISTORY = """INITIAL(at, q) {
  q[RHO] = 1 + 0.3 * sin(7 * at->x[0]) * cos(4 * at->x[1] + 1);
  q[VX] = at->x[0] < 0.4 ? 0.2 : at->x[1];
  q[VY] = at->x[1] > 0.7;
  q[PRS] = 1 + 0.1 * at->x[0] * at->x[1];
}
FIELD(height, at) { return floor(3 * at->x[0]) - at->x[1]; }
FIELD_STORED(zero)
OUTPUT(rough, at, q) { return at->x[0] < 0.3 ? NAN : at->x[1] > 0.8 ? INFINITY : at->x[1] < 0.1 ? -INFINITY : floor(5 * at->x[1]); }
"""


def history(options, work):
    """Extrema and their places, means and totals are the same as on a CPU, and the same on any number of ranks. Some
    extrema have the same value in several cells, and some fields have values that are not finite."""
    oak_test.write(work, "history.c", HISTORY)
    names = "rho mx my E p mach vorticity rough height zero level block"
    keys = ["problem.name=./history.c", "refine.variable=rho", "refine.criterion=lohner", "mesh.adapt_every=2", "run.max_steps=3",
            "run.end_time=1", "device.flags=-O1", "output.plot_first_last=no"]
    for name, region in (("all", ""), ("part", "0.07 0.3 0.9 0.95"), ("small", "0.251 0.251 0.252 0.252")):
        keys += [f"output.{name}.{key}" for key in ("kind=history", "every_steps=1", f"variables={names}", *([f"region={region}"] if region else []))]
    os.environ.update(environment(options.fake, "count=8 lanes=1", {}, 0))
    found = {}
    for device, np in (("cuda", options.np), ("cuda", 1), ("cpu", options.np)):
        folder = os.path.join(work, f"{device}{np}")
        launch = [*shlex.split(options.mpiexec), str(np), options.oak] if np > 1 else [options.oak]
        text, code, _ = run([*launch, "run", "run.ini", "--quiet", *keys, f"device.name={device}", f"output.folder={folder}", "--overwrite"],
                            work, LIMIT)
        if code != 0 or lines(text):
            return [f"{device}: exit status {code}"], text
        for name in ("all", "part", "small"):
            with open(os.path.join(folder, f"{name}.csv"), encoding="utf-8") as file:
                found[device, np, name] = list(csv.DictReader(file))
    wrong = []
    for name in ("all", "part", "small"):
        cuda, cpu = found["cuda", options.np, name], found["cpu", options.np, name]
        if len(cuda) != 4 or cuda != found["cuda", 1, name]:
            wrong.append(f"{name}: {len(cuda)} rows, or they depend on the ranks")
        for a, b in zip(cuda, cpu):
            wrong += [f"{name}, step {a['step']}: {key} is {a[key]}, on a CPU {b[key]}" for key in a if a[key] != b[key] and
                      ("_at_" in key or not abs(float(a[key]) - float(b[key])) < 1e-12)]
    best = {key: float(value) for key, value in found["cuda", options.np, "all"][0].items()}
    if not (best["min_rough"] == 0 and best["max_rough"] == 3 and best["max_rough_at_x"] < 0.35 and best["max_my"] > 0):
        wrong.append(f"extrema of the first row: {best}")
    if found["cuda", options.np, "small"][0]["mean_rho"] != "nan":
        wrong.append("a region without cells has a mean")
    return wrong, ""


def works(options, work):
    """A run on the stand-in ends well, is on the GPU, and gives the CPU's totals."""
    totals = []
    os.environ.update(environment(options.fake, "", {}, 0))
    for device in ("auto", "cpu"):
        folder = os.path.join(work, device)
        text, code, _ = run([*options.ranks, "run", "run.ini", "--quiet",
                             f"device.name={device}", f"output.folder={folder}", "device.flags=-O1"], work, LIMIT)
        if code != 0 or lines(text):
            return [f"{device}: exit status {code}"], text
        with open(os.path.join(folder, "diagnostics.csv"), encoding="utf-8") as file:
            totals.append([float(word) for word in file.read().splitlines()[-1].split(",")])
    far = max(abs(a - b) for a, b in zip(*totals))
    done = subprocess.run([options.oak, "diff", "auto", "cpu", "--tolerance", "1e-12"], cwd=work, text=True, timeout=LIMIT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ([f"totals differ by {far}"] if far > 1e-12 else []) + (["plotfiles differ"] if done.returncode else []), done.stdout


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np", "fake")
    tests = {name: lambda work, name=name: try_case(name, options, work) for name in CASES}
    tests.update({"info": lambda work: info(options, work), "a run that works": lambda work: works(options, work),
                  "background": lambda work: background(2, options, work), "background 3D": lambda work: background(3, options, work),
                  "background, next file": lambda work: overlap(options, work), "history": lambda work: history(options, work)})
    tests.update({f"way: {name}": lambda work, name=name: way(name, options, work) for name in WAYS})
    before = dict(os.environ)

    def case(test):
        try:
            with tempfile.TemporaryDirectory(prefix="oak_cuda_") as work:
                oak_test.write(work, "run.ini", GOOD.format(work=work) + "diagnostics_every = 1\n")
                return test(work)
        finally:
            os.environ.clear()
            os.environ.update(before)

    return oak_test.run_cases(options, {name: lambda test=test: case(test) for name, test in tests.items()})


if __name__ == "__main__":
    sys.exit(main())
