"""Measures Python's json.load() of a file. Needs no torch.

request  {"path": "/dev/shm/rank0.json"}
answer   {"wall": 812.5, "processor": 810.9}
"""
import json
import sys
import time

print("{}", flush=True)
for line in sys.stdin:
    wall, processor = time.perf_counter_ns(), time.process_time_ns()
    with open(json.loads(line)["path"], encoding="utf-8") as file:
        json.load(file)
    print(json.dumps({"wall": (time.perf_counter_ns() - wall) / 1e3,
                      "processor": (time.process_time_ns() - processor) / 1e3}), flush=True)
