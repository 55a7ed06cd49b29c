#include "app/python/program_recording.h"

#include "app/python/recorded_values.h"
#include "core/base/refusal.h"
#include "core/trace/records/program_source.h"

namespace shardlens {

ProgramRecording::ProgramRecording(World& world, const std::string& path,
                                   const std::vector<std::string>& values, std::string program,
                                   const std::string& arguments, std::vector<std::string> libraries)
    : world_(world),
      site_(std::make_shared<ProgramSite>(std::move(libraries),
                                          [this](const std::string& file, const std::string& text) {
                                            if (writer_ != nullptr)
                                              writer_->onMeta(sourceKey(file), text);
                                          })) {
  auto capture = recordedValues(values);
  if (world_.isRecording()) {
    throw Refusal("record: got a second recording, expected the first one to end");
  }
  writer_ = orRefuse(TraceWriter::create(path));
  site_->tellSource(program);
  if (!arguments.empty()) writer_->onMeta("arguments", arguments);
  world_.record(*writer_, std::move(capture), std::move(program),
                [site = site_] { return site->now(); });
}

ProgramRecording::~ProgramRecording() {
  if (writer_ != nullptr) world_.stop();
}

void ProgramRecording::flush() {
  if (writer_ != nullptr) orRefuse(writer_->flush());
}

void ProgramRecording::close() {
  if (writer_ == nullptr) return;
  world_.stop();
  const auto writer = std::move(writer_);
  orRefuse(writer->close());
}

}  // namespace shardlens
