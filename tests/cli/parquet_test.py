"""`export` to Parquet: the tables and the shipped queries give the same rows in DuckDB and in Spark as in `query`."""
import importlib.util
import json
import shutil
import unittest

from support import GALLERY, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario

QUERIES = sorted((GALLERY.parent / "sql").glob("*.sql"))
TABLES = ["events", "collectives", "arrivals", "tensors", "shard_values", "problems", "roles", "divergences",
          "placements", "ledger", "bookmarks", "meta"]


def files_of(folder, table):
    return str(folder / table / ("kind=*/*.parquet" if table == "events" else "*.parquet"))


def in_duckdb(folder, statements):
    import duckdb
    database = duckdb.connect()
    for table in TABLES:
        database.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files_of(folder, table)}')")
    return [database.execute(statement).fetchall() for statement in statements]


def in_spark(folder, statements):
    from pyspark.sql import SparkSession
    # One partition: the default of 200 makes each query of these small tables take a second.
    session = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", 1).getOrCreate())
    try:
        for table in TABLES:
            session.read.parquet(str(folder / table)).createOrReplaceTempView(table)
        return [[tuple(row) for row in session.sql(statement).collect()] for statement in statements]
    finally:
        session.stop()


def columns_of(table):
    # Integers of JSON texts and hidden columns make SELECT * differ, and events has its partition column last.
    return {"events": "id, time, duration, bytes, name, detail, ranks, line, step, kind, verdict, inputs, site,"
                      " process_group, sequence, exposed, from_placements, to_placements"}.get(table, "*")


class ExportedRuns(ProgramTest):
    def setUp(self):
        super().setUp()
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED, title="a lookup"))
        self.expect(0, "run", "--record", "a.shardlens", name)
        self.run_processes(2, "--record", "two", name)

    def expect(self, code, *args):
        done = self.run_program(*args)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def expect_same_rows(self, engine):
        statements = [f"SELECT {columns_of(table)} FROM {table} ORDER BY 1, 2" for table in TABLES]
        statements += [query.read_text(encoding="utf-8") for query in QUERIES]
        for run in ("a.shardlens", "two", GALLERY / "18-a-deadlock"):
            self.expect(0, "export", run, "--to", "run.parquet")
            for statement, found in zip(statements, engine(self.folder / "run.parquet", statements)):
                with self.subTest(run=run, statement=statement):
                    expected = self.rows(statement, run)
                    self.assertEqual(len(found), len(expected))
                    for one, other in zip(found, expected):
                        for cell, same in zip(one, other, strict=True):
                            self.assertEqual(cell, same)


@unittest.skipIf(importlib.util.find_spec("pyspark") is None, "no pyspark")
@unittest.skipIf(shutil.which("java") is None, "no Java")
class InSpark(ExportedRuns):
    def test_spark_gives_the_rows_of_query(self):
        self.expect_same_rows(in_spark)


class Parquet(ExportedRuns):
    def test_duckdb_gives_the_rows_of_query(self):
        if importlib.util.find_spec("duckdb") is None:
            self.skipTest("no duckdb")
        self.expect_same_rows(in_duckdb)

    def test_the_deadlock_is_the_first_divergence(self):
        query = (GALLERY.parent / "sql" / "first_divergence.sql").read_text(encoding="utf-8")
        self.assertEqual(self.rows(query, GALLERY / "18-a-deadlock"),
                         [("0-3", "0 default_pg", 2, 2, 1, "all_reduce", "all_reduce", 2, 4)])

    def test_the_answer_counts_the_rows(self):
        done = self.expect(0, "export", "--json", "a.shardlens", "--to", "run.parquet")
        written = json.loads(done.stdout)
        [(events,)] = self.rows("SELECT COUNT(*) FROM events", "a.shardlens")
        self.assertEqual(written["rows"]["events"], events)
        self.assertEqual(list(written["rows"]), TABLES)

    def test_an_export_replaces_an_earlier_one_and_nothing_else(self):
        for _ in range(2):
            self.expect(0, "export", "a.shardlens", "--to", "run.parquet")
        self.assertEqual([path.name for path in self.folder.glob("run.parquet*")], ["run.parquet"])
        precious = self.folder / "mine.parquet"
        precious.mkdir()
        (precious / "notes.txt").write_text("mine")
        done = self.expect(2, "export", "a.shardlens", "--to", "mine.parquet")
        self.assertEqual(done.stderr, "shardlens: mine.parquet: exists and is no earlier export: remove it, or choose"
                                      " another name\n")
        self.assertEqual([path.name for path in precious.iterdir()], ["notes.txt"])

    def test_a_folder_where_the_export_begins_is_kept(self):
        begun = self.folder / "run.parquet.part"
        begun.mkdir()
        (begun / "notes.txt").write_text("mine")
        done = self.expect(2, "export", "a.shardlens", "--to", "run.parquet")
        self.assertEqual(done.stderr, "shardlens: run.parquet.part is in the way: remove it\n")
        self.assertEqual([path.name for path in begun.iterdir()], ["notes.txt"])

    def test_parts_of_a_run_are_refused(self):
        done = self.expect(2, "export", "a.shardlens", "--step", "1", "--to", "run.parquet")
        self.assertEqual(done.stderr, "shardlens: --step: parquet is of the whole run: omit it\n")


if __name__ == "__main__":
    unittest.main()
