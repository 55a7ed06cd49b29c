# How long a ctest entry takes on a quiet machine with 2 cores, in seconds, where that is more than 12. The limit of
# an entry is ten times as long, and at least 120 s (see shardlens_ctest). `SHARDLENS_PATIENCE=N tests/run` multiplies
# these limits, the deadlines in tests and the product's heartbeats, for machines that are slower still.
set(quiet_seconds
  cli.follow.1 35 cli.follow.2 35 cli.gloo 17 cli.merge 13 cli.reproduce 15 cli.strike.1 40 cli.strike.2 40
  cli.verify 13 comm_test 38 oracle.gloo 16 python.bugs 14 python.checkpoint 33 python.job 50 python.run 21
  python.sweep 25 python.upstream 30 python.verify 40 python.world 26 rules_test.1 22 rules_test.2 22
  ui_command_test.1 20 ui_command_test.2 20 ui_command_test.3 20 ui_command_test.4 20 ui_command_test.xvfb 40
  ui_engine_test.1 18 ui_engine_test.2 18 ui_hostile_test.1 20 ui_hostile_test.2 13 ui_window_test.1 18
  ui_window_test.2 18)

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
