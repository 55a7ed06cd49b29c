#include "app/python/program_site.h"

#include <algorithm>

namespace py = pybind11;

namespace shardlens {
namespace {

std::string textOf(PyObject* text) {
  const char* letters = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  if (letters == nullptr) PyErr_Clear();
  return letters == nullptr ? std::string() : std::string(letters);
}

// Returns the source text as tracebacks have it, also of notebook cells. Empty if there is none.
std::string sourceOf(const std::string& file) {
  constexpr std::size_t kMost = std::size_t{4} << 20;  // bytes
  try {
    const auto lines = py::module_::import("linecache").attr("getlines")(file);
    auto text = py::str("").attr("join")(lines).cast<std::string>();
    return text.size() <= kMost ? text : std::string();
  } catch (const std::exception&) {  // an exception of Python, or text that is not UTF-8
    return {};
  }
}

}  // namespace

ProgramSite::~ProgramSite() {
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire lock;
  for (const auto& [code, description] : codes_) Py_DECREF(code);
}

const ProgramSite::Code& ProgramSite::describe(PyCodeObject* code) {
  const auto [at, isNew] = codes_.try_emplace(code);
  if (!isNew) return at->second;
  Py_INCREF(code);
  Code& found = at->second;
  found.file = textOf(code->co_filename);
  found.function = textOf(code->co_name);
  found.isLibrary = found.file.empty() || found.file.front() == '<' ||
                    std::any_of(libraries_.begin(), libraries_.end(),
                                [&](const auto& folder) { return found.file.starts_with(folder); });
  // Interactive input has no file, but belongs to the program.
  if (found.file.starts_with("<stdin>") || found.file.starts_with("<ipython")) {
    found.isLibrary = false;
  }
  if (!found.isLibrary) addSource(found.file);
  return found;
}

void ProgramSite::addSource(const std::string& file) {
  if (!knownFiles_.insert(file).second) return;
  if (const auto text = sourceOf(file); !text.empty()) sources_(file, text);
}

void ProgramSite::setModule(std::string path) {
  module_ = std::move(path);
  setContext();
}

void ProgramSite::setPass(std::string pass) {
  pass_ = std::move(pass);
  setContext();
}

void ProgramSite::setContext() {
  const auto next = static_cast<int>(contexts_.size());
  context_ = contexts_.try_emplace({module_, pass_}, next).first->second;
}

const std::shared_ptr<const SiteRecord>& ProgramSite::at(const Place& place, PyFrameObject* frame) {
  auto& site = sites_[place];
  if (site) return site;
  SiteRecord record{.module = module_, .pass = pass_};
  if (frame != nullptr) {
    const Code& code = describe(place.code);
    record.file = code.file;
    record.line = PyFrame_GetLineNumber(frame);
    record.caller = code.function;
  }
  site = std::make_shared<const SiteRecord>(std::move(record));
  return site;
}

ProgramSite::Raised::Raised(ProgramSite& site, py::handle traceback) : site_(site) {
  for (py::object at = py::reinterpret_borrow<py::object>(traceback); !at.is_none();
       at = at.attr("tb_next")) {
    const py::object code = at.attr("tb_frame").attr("f_code");
    const Code& here = site.describe(reinterpret_cast<PyCodeObject*>(code.ptr()));
    if (here.isLibrary) continue;
    site.raised_ =
        std::make_shared<const SiteRecord>(SiteRecord{.file = here.file,
                                                      .line = at.attr("tb_lineno").cast<int>(),
                                                      .pass = site.pass_,
                                                      .caller = here.function});
  }
}

std::shared_ptr<const SiteRecord> ProgramSite::now() {
  if (raised_) return raised_;
  const py::gil_scoped_acquire lock;
  auto frame = py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto* const here = reinterpret_cast<PyFrameObject*>(frame.ptr());
    PyCodeObject* const code = PyFrame_GetCode(here);
    const Code& described = describe(code);
    Py_DECREF(code);
    if (!described.isLibrary) {
#if PY_VERSION_HEX >= 0x030B0000
      return at({code, PyFrame_GetLasti(here), context_}, here);
#else
      return at({code, PyFrame_GetLineNumber(here), context_}, here);
#endif
    }
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(here)));
  }
  return at({nullptr, 0, context_}, nullptr);
}

}  // namespace shardlens
