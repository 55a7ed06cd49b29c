#include "app/python/program_recording.h"

#include "app/python/recorded_values.h"
#include "core/base/refusal.h"
#include "core/trace/records/program_source.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include <exception>

namespace py = pybind11;

namespace shardlens {
namespace {

std::string textOf(const py::error_already_set& error) {
  if (!error.matches(PyExc_Exception)) return {};
  const py::str name = error.type().attr("__name__");
  return std::string(name) + ": " + std::string(py::str(error.value()));
}

// Returns "Type: message" of the exception being handled, as Python will see it. Empty for one that
// is not an Exception, as KeyboardInterrupt.
std::string failureText() {
  const py::gil_scoped_acquire lock;
  try {
    throw;
  } catch (const py::error_already_set& error) {
    return textOf(error);
  } catch (...) {
    const py::error_scope earlier;
    torch::translate_exception_to_python(std::current_exception());
    return textOf(py::error_already_set());
  }
}

}  // namespace

ProgramRecording::ProgramRecording(ProgramSession& session, const std::string& path,
                                   const std::vector<std::string>& values, std::string program,
                                   const std::string& arguments, std::vector<std::string> libraries)
    : session_(session),
      site_(std::make_shared<ProgramSite>(std::move(libraries),
                                          [this](const std::string& file, const std::string& text) {
                                            if (writer_ != nullptr)
                                              writer_->onMeta(sourceKey(file), text);
                                          })) {
  auto capture = recordedValues(values);
  if (session_.isRecording()) {
    throw Refusal("record: got a second recording, expected the first one to end");
  }
  writer_ = orRefuse(TraceWriter::create(path));
  site_->addSource(program);
  if (!arguments.empty()) writer_->onMeta("arguments", arguments);
  session_.record(*writer_, std::move(capture),
                  {.file = std::move(program),
                   .site = [site = site_] { return site->now(); },
                   .failure = failureText});
}

ProgramRecording::~ProgramRecording() {
  if (writer_ != nullptr) session_.stop();
}

void ProgramRecording::error(const std::string& message, py::handle traceback) {
  const ProgramSite::Raised there(*site_, traceback);
  session_.noteError(message);
}

void ProgramRecording::flush() {
  if (writer_ != nullptr) orRefuse(writer_->flush());
}

void ProgramRecording::close() {
  if (writer_ == nullptr) return;
  session_.stop();
  const auto writer = std::move(writer_);
  orRefuse(writer->close());
}

}  // namespace shardlens
