"""Builds the package with scikit-build-core, and adds two settings for pip's --config-settings:

    engine=on|off           with or without the engine, which needs torch; on by default, and then a missing torch is an error
    window=auto|on|off      whether the window is built; auto, the default, builds it if Qt 6 is found
"""
from scikit_build_core import build as _scikit
from scikit_build_core.build import get_requires_for_build_sdist  # noqa: F401

# Each setting: the option of CMake, and its value for each value of the setting.
_SETTINGS = {"engine": ("SHARDLENS_TORCH_FREE", {"on": "OFF", "off": "ON"}),
             "window": ("SHARDLENS_WINDOW", {"auto": "AUTO", "on": "ON", "off": "OFF"})}


def _translated(settings):
    translated = {}
    for name, value in (settings or {}).items():
        if name in _SETTINGS:
            option, values = _SETTINGS[name]
            if value not in values:
                raise SystemExit(f"--config-settings {name}: got {value!r}, expected {' or '.join(values)}")
            name, value = f"cmake.define.{option}", values[value]
        translated[name] = value
    return translated


def get_requires_for_build_wheel(config_settings=None):
    return _scikit.get_requires_for_build_wheel(_translated(config_settings))


def get_requires_for_build_editable(config_settings=None):
    return _scikit.get_requires_for_build_editable(_translated(config_settings))


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _scikit.prepare_metadata_for_build_wheel(metadata_directory, _translated(config_settings))


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    return _scikit.prepare_metadata_for_build_editable(metadata_directory, _translated(config_settings))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _scikit.build_wheel(wheel_directory, _translated(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _scikit.build_editable(wheel_directory, _translated(config_settings), metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    return _scikit.build_sdist(sdist_directory, _translated(config_settings))
