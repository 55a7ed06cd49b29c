"""The hooks of the recorder of jobs: a failing hook changes nothing for the caller."""
import gc
import threading
import unittest
import weakref

from shardlens import _jobs


def no_trace():
    return None


class Hooks(unittest.TestCase):
    def setUp(self):
        self.calls, self.failures = [], []
        self.thread = _jobs.WatchedThread(no_trace, no_trace)

    def plain(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        if args == ("raise",):
            raise ValueError("of the job")
        return ["result", *args]

    def hooked(self, watch, thread=None):
        return _jobs.hook(self.plain, watch, thread or self.thread, self.failures.append)

    def test_a_hook_receives_the_call_and_its_arguments(self):
        hooked = self.hooked(lambda call, *args, **kwargs: call("first", *args, **kwargs) + ["seen"])
        self.assertEqual(hooked(1, two=2), ["result", "first", 1, "seen"])
        self.assertEqual(self.calls, [(("first", 1), {"two": 2})])

    def test_a_hook_that_fails_before_the_call(self):
        hooked = self.hooked(lambda call, *args: 1 / 0)
        self.assertEqual([hooked(1), hooked(2)], [["result", 1], ["result", 2]])
        self.assertEqual(self.calls, [((1,), {}), ((2,), {})])
        self.assertEqual([type(error) for error in self.failures], [ZeroDivisionError])

    def test_a_hook_that_fails_after_the_call(self):
        hooked = self.hooked(lambda call, *args: call(*args)[5])
        self.assertEqual(hooked(1), ["result", 1])
        self.assertEqual(self.calls, [((1,), {})])
        self.assertEqual([type(error) for error in self.failures], [IndexError])

    def test_an_exception_of_the_job_is_not_a_failure_of_the_hook(self):
        hooked = self.hooked(lambda call, *args: call(*args))
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "of the job"):
                hooked("raise")
        self.assertEqual(self.failures, [])

    def test_a_hook_that_fails_while_it_handles_an_exception_of_the_job(self):
        def watch(call, *args):
            try:
                return call(*args)
            finally:
                raise LookupError("of the hook")
        with self.assertRaisesRegex(ValueError, "of the job"):
            self.hooked(watch)("raise")
        self.assertEqual(self.calls, [(("raise",), {})])
        self.assertEqual([str(error) for error in self.failures], ["of the hook"])

    def test_an_interrupt_reaches_the_job(self):
        def watch(call):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.hooked(watch)()
        self.assertEqual(self.failures, [])

    def test_an_interrupt_before_the_call_reaches_the_job(self):
        def interrupted():
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.hooked(lambda call: call(), _jobs.WatchedThread(interrupted, no_trace))()
        self.assertEqual((self.calls, self.failures), ([], []))

    def test_a_failure_that_cannot_be_reported(self):
        def report(error):
            raise error
        hooked = _jobs.hook(self.plain, lambda call: 1 / 0, self.thread, report)
        self.assertEqual(hooked(), ["result"])

    def test_calls_of_other_threads_and_traced_calls_are_not_watched(self):
        seen = []

        def watch(call):
            seen.append(threading.get_ident())
            return call()
        thread = threading.Thread(target=self.hooked(watch))
        thread.start()
        thread.join()
        self.hooked(watch, _jobs.WatchedThread(lambda: "a trace", no_trace))()
        self.assertEqual((seen, len(self.calls)), ([], 2))
        thread = threading.Thread(target=self.hooked(watch, _jobs.WatchedThread(no_trace, lambda: "a node")))
        thread.start()  # one of autograd's
        thread.join()
        self.assertEqual((len(seen), len(self.calls)), (1, 3))

    def test_a_hook_and_its_call_leave_no_garbage(self):
        class Kept:
            pass

        def watch(call, kept):
            call("raise")
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        hooked = self.hooked(watch)
        kept = Kept()
        is_alive = weakref.ref(kept)
        try:
            hooked(kept)
        except ValueError as error:
            error.__traceback__ = None
        del kept
        self.assertIsNone(is_alive())
        with self.assertRaises(TypeError):
            type(hooked)()


if __name__ == "__main__":
    unittest.main()
