"""The signal by which a person retains what a recording of the end of a job has."""
import signal
import threading


class RetainingSignal:
    """Calls `retain("signal")` at SIGUSR1, until remove(). Does nothing if the program handles that
    signal, or outside of the main thread, where Python cannot install a handler."""

    def __init__(self, retain):
        self._retain = retain
        self._is_installed = (threading.current_thread() is threading.main_thread()
                              and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)
        if self._is_installed:
            signal.signal(signal.SIGUSR1, self._handle)

    def remove(self):
        if self._is_installed and signal.getsignal(signal.SIGUSR1) == self._handle:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)

    def _handle(self, number, frame):
        self._retain("signal")
