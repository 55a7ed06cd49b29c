"""Measures DuckDB on the tables of a Parquet export, from the start of a connection to the last row. Needs no torch.

request  {"folder": "/dev/shm/run.parquet", "sql": "SELECT count(*) FROM events", "threads": 2}
answer   {"wall": 812.5, "processor": 1510.9, "rows": 1}
"""
import json
import pathlib
import sys
import time

try:
    import duckdb
except ImportError as missing:
    print(json.dumps({"missing": str(missing)}), flush=True)
    sys.exit()


def measure(folder, sql, threads):
    wall, processor = time.perf_counter_ns(), time.process_time_ns()
    with duckdb.connect(config={"threads": threads}) as database:
        for table in sorted(pathlib.Path(folder).iterdir()):
            if not table.is_dir():
                continue
            files = table / ("kind=*/*.parquet" if table.name == "events" else "*.parquet")
            database.execute(f"CREATE VIEW {table.name} AS SELECT * FROM read_parquet('{files}')")
        rows = len(database.execute(sql).fetchall())
    return {"wall": (time.perf_counter_ns() - wall) / 1e3,
            "processor": (time.process_time_ns() - processor) / 1e3, "rows": rows}


print("{}", flush=True)
for line in sys.stdin:
    print(json.dumps(measure(**json.loads(line))), flush=True)
