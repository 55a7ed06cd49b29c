"""Cases for check_layers: a file, its include, and the expected complaint."""
import os
import tempfile
import unittest

from check_layers import violations

REFUSED = [
    ("core/model/spec.h", '"core/plan/planner.h"', "may include only core/model, core/base"),
    ("core/comm/simulated.cpp", '"core/ops/schema.h"', "may include only core/comm"),
    ("core/comm/nccl/device/comm_set.cpp", '"core/memory/copy.h"', "may include only core/comm/nccl"),
    ("core/ops/rules/embedding.cpp", "<ATen/ATen.h>", "uses torch"),
    ("core/ops/schema.h", '"core/trace/events/event_sink.h"', "may include only core/ops"),
    ("core/ops/schema.h", '"kernels/host.h"', "may include only core/ops"),
    ("core/tensor/dispatch/dispatch.cpp", "<QString>", "uses Qt"),
    ("core/tensor/dispatch/dispatch.cpp", "<QtCore/qstring.h>", "uses Qt"),
    ("core/trace/file/replay.cpp", '"snapshot.h"', "from the root"),
    ("kernels/host.cpp", '"core/base/check.h"', "may include only kernels"),
    ("ui/panels/mesh_panel.cpp", '"core/session/session.h"', "may include only ui/panels"),
    ("ui/text/format.cpp", '"ui/models/plan_model.h"', "may include only ui/text"),
    ("ui/scenes/mesh_scene.cpp", '"ui/models/plan_model.h"', "may include only ui/scenes"),
    ("ui/models/buffers_model.cpp", '"ui/scenes/buffer_scene.h"', "may include only ui/models"),
    ("ui/bridge/document.cpp", '"ui/shell/main_window.h"', "may include only ui/bridge"),
    ("ui/panels/mesh_panel.cpp", '"ui/bridge/cursor.h"', "may include only ui/panels"),
    ("app/gui/main.cpp", "<torch/library.h>", "uses torch"),
    ("app/cli/main.cpp", '"ui/shell/window.h"', "may include only app/cli"),
]
ALLOWED = [
    ("core/model/spec.h", '"core/base/result.h"'),
    ("core/tensor/dispatch/dispatch.cpp", "<c10/core/TensorImpl.h>"),
    ("core/ops/schema.h", '"core/plan/cost.h"'),
    ("core/memory/row_lookup.h", '"kernels/rows.h"'),
    ("ui/panels/mesh_panel.cpp", "<QtCharts/QChart>"),
    ("ui/panels/mesh_panel.cpp", '"ui/scenes/mesh_scene.h"'),
    ("ui/shell/main_window.cpp", '"ui/bridge/cursor.h"'),
    ("app/cli/main.cpp", '"shardlens_build.h"'),
]


def check(path, include):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, os.path.dirname(path)))
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write("#pragma once\n#include " + include + "\n")
        return list(violations(root))


class CheckLayers(unittest.TestCase):
    def test_refused(self):
        for path, include, why in REFUSED:
            with self.subTest(path=path, include=include):
                (line,) = check(path, include)
                self.assertTrue(line.startswith(path + ":2: "), line)
                self.assertIn(why, line)

    def test_allowed(self):
        for path, include in ALLOWED:
            with self.subTest(path=path, include=include):
                self.assertEqual(check(path, include), [])


if __name__ == "__main__":
    unittest.main()
