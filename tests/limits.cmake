# How long a ctest entry takes when tests/run runs four at a time on a quiet machine with 2 cores, in seconds,
# where that is more than 12. The limit of an entry is ten times as long, and at least 120 s (see
# shardlens_ctest). `SHARDLENS_PATIENCE=N tests/run` multiplies these limits, the deadlines in tests and the
# product's heartbeats, for machines that are slower still.
set(quiet_seconds
  cli.check 13 cli.checkpoint 20 cli.command_line 15 cli.dry 16 cli.follow.1 30 cli.follow.2 39 cli.gloo 22 cli.merge 18
  cli.parquet_spark 100 cli.record 18 cli.reproduce 26 cli.strike.1 35 cli.strike.2 35 cli.strike.3 35 cli.torchrun 13 cli.verify 29
  comm_test 40 handbook.blocks_run 55 handbook.pictures 15 handbook.site 20 oracle.gloo 35 python.bugs 26
  python.checkpoint.1 35 python.checkpoint.2 35 python.comm_mode 13 python.groups 30 python.job.1 40
  python.job.2 40 python.job.3 40 python.job.4 40 python.planted 30 python.programs 30 python.run.1 35 python.run.2 35 python.run.3 35
  python.survival.1 40 python.survival.2 40 python.sweep 60 python.upstream 60 python.verify.1 35
  python.verify.2 35 python.world 60 rules_test.1 40 rules_test.2 40 tensor_test 17 tensor_test_deferring 22
  ui_command_test.4 14 ui_command_test.xvfb 20 ui_engine_test.1 13 ui_engine_test.2 31 ui_hostile_test.1 33
  ui_window_test.1 23 ui_window_test.2 19)

# Sets `result` to the seconds of this entry, 1 if the table does not list it.
function(shardlens_quiet_seconds name result)
  set(${result} 1 PARENT_SCOPE)
  list(FIND quiet_seconds ${name} place)
  if(NOT place EQUAL -1)
    math(EXPR place "${place} + 1")
    list(GET quiet_seconds ${place} seconds)
    set(${result} ${seconds} PARENT_SCOPE)
  endif()
endfunction()
