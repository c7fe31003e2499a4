// SPDX-License-Identifier: BSD-3-Clause
#include "containers/output_file.hpp"

#include <filesystem>

#include "comm/agree.hpp"

namespace seiche {

namespace {
constexpr std::size_t largest_run = std::size_t{8} << 20;
}  // namespace

OutputFile::OutputFile(const Communicator& comm, const std::string& path, Kind kind) : comm_(comm) {
  on_root(comm_, [&] {
    unfinished_ = std::make_unique<Unfinished>(path, kind);
    temporary_ = unfinished_->temporary();
  });
  broadcast(comm_, temporary_);
  in_unfinished_ = temporary_ == path;
}

void OutputFile::flush(const File& file) const {
  if (!in_unfinished_) file.flush();
}

void OutputFile::begin_flush(const std::set<std::string>& others) {
  flush_ = std::make_unique<Worker>();
  flush_->add([folder = temporary_, others] {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (others.find(entry.path().string()) == others.end()) flush_to_disk(entry.path().string());
    }
    flush_to_disk(folder);
  });
}

void OutputFile::commit() {
  on_root(comm_, [&] {
    if (flush_) flush_->wait(1);
    unfinished_->finish();
    unfinished_.reset();
  });
}

void RunWriter::add(std::int64_t offset, std::string_view bytes) {
  if (offset != begin_ + static_cast<std::int64_t>(run_.size()) || run_.size() > largest_run) {
    flush();
    begin_ = offset;
  }
  run_ += bytes;
}

void RunWriter::flush() {
  file_.write(begin_, std::as_bytes(std::span(run_)));
  begin_ += static_cast<std::int64_t>(run_.size());
  run_.clear();
}

}  // namespace seiche
