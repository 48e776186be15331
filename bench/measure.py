"""Runs commands and measures what they used: CPU, wall time, memory, child processes."""

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    """What one run used; CPU and memory include the children that it waited for."""

    cpu: float  # seconds
    wall: float  # seconds
    peak: int  # bytes, of the largest process
    code: int


def run(argv, env, cwd="/", stdin=b""):
    """Runs a program with exactly this environment, its output thrown away."""
    with tempfile.TemporaryFile() as given, open(os.devnull, "r+b") as nothing:
        given.write(stdin)
        given.seek(0)
        actions = [(os.POSIX_SPAWN_DUP2, given.fileno(), 0)]
        actions += [(os.POSIX_SPAWN_DUP2, nothing.fileno(), fd) for fd in (1, 2)]
        back = os.getcwd()
        os.chdir(cwd)
        begin = time.monotonic()
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - begin
        os.chdir(back)
    cpu = usage.ru_utime + usage.ru_stime
    return Run(cpu, wall, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status))


def interleaved(times, *jobs):
    """Runs the jobs in turn, so that a busy machine slows all of them, and gives each one's median run by CPU
    and by wall time."""
    runs = [[] for _ in jobs]
    for turn in range(times + 1):
        for job, of_job in zip(jobs, runs):
            one = job()
            if turn:  # the first turn fills the caches
                of_job.append(one)
    return [
        Run(
            statistics.median(r.cpu for r in of_job),
            statistics.median(r.wall for r in of_job),
            max(r.peak for r in of_job),
            of_job[-1].code,
        )
        for of_job in runs
    ]


def children(argv, env, cwd="/", stdin=b""):
    """How many processes a run starts, or None without strace."""
    if not shutil.which("strace"):
        return None
    calls = ["strace", "-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", *argv]
    done = subprocess.run(calls, env=env, cwd=cwd, input=stdin, capture_output=True, check=False)
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    starts = [line for line in lines if re.search(r"\b(clone3?|v?fork)\(", line)]
    return len([line for line in starts if "CLONE_THREAD" not in line])


def report(what, value, unit, goal):
    """One line of the report. A missed goal is marked, and changes nothing else."""
    mark = "  MISSED" if value > goal else ""
    print(f"  {what:<62} {value:8.2f}{unit:<4} goal {goal:g}{unit}{mark}")
