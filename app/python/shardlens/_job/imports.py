"""Hooks of modules that the program may import later."""
import sys
from importlib.abc import Loader


class ImportWatch:
    """Calls `imported(module)` for the module `name`: now if it was imported, else after its import."""

    def __init__(self, name, imported):
        self._finder = Finder(name, imported)
        if name in sys.modules:
            imported(sys.modules[name])
        else:
            sys.meta_path.insert(0, self._finder)

    def remove(self):
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)


class Finder:
    """Calls `imported(module)` after each import of the module `name`."""

    def __init__(self, name, imported):
        self._name, self.imported = name, imported

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in list(sys.meta_path)
                                  if finder is not self and hasattr(finder, "find_spec"))), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self.imported)
        return spec


class _Loader(Loader):
    """Loads a module by `loader`, which it gives back to the module, and then calls `imported(module)`."""

    def __init__(self, loader, imported):
        self._loader, self._imported = loader, imported

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._imported(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)
