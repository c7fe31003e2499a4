// SPDX-License-Identifier: BSD-3-Clause
/// \file  The command `seiche`, called many times under one mpiexec: for tests whose thousands of calls would else
/// mostly start and end MPI. Reads one JSON object a line from stdin, {"words": [...], "stdout": PATH, "stderr": PATH},
/// and answers each with the largest exit code of all ranks. A call that ends the processes ends this too, as it would
/// there.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "command.hpp"

namespace {

/// Sends what the commands write to `fd` into a file, for as long as it lives.
class Diverted {
 public:
  Diverted(int fd, const std::string& path) : fd_(fd), before_(dup(fd)) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) MPI_Abort(MPI_COMM_WORLD, 3);
    dup2(file, fd_);
    close(file);
  }
  ~Diverted() {
    std::fflush(nullptr);
    dup2(before_, fd_);
    close(before_);
  }
  Diverted(const Diverted&) = delete;
  Diverted& operator=(const Diverted&) = delete;

 private:
  int fd_, before_;
};

/// Sleeps until the request is done: ranks that wait for the next line would else take the cores from others.
void wait_asleep(MPI_Request request) {
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// The next line of rank 0's stdin, on all ranks; empty at its end.
std::string next_line(int rank) {
  std::string line;
  if (rank == 0) std::getline(std::cin, line);
  unsigned long length = line.size();
  MPI_Request told = MPI_REQUEST_NULL;
  MPI_Ibcast(&length, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD, &told);
  wait_asleep(told);
  line.resize(length);
  MPI_Bcast(line.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  return line;
}

/// Calls the command as a process of its own would be. \return the largest exit code of all ranks
int call(const nlohmann::json& asked) {
  std::vector<std::string> words{"seiche"};
  for (const auto& word : asked.at("words")) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  seiche::command::Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  const Diverted out(STDOUT_FILENO, asked.at("stdout")), err(STDERR_FILENO, asked.at("stderr"));
  int code = seiche::command::run_command(static_cast<int>(words.size()), argv.data(), session);
  std::cout.flush();
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (std::string line = next_line(rank); !line.empty(); line = next_line(rank)) {
    const int code = call(nlohmann::json::parse(line));
    if (rank == 0) std::cout << "code " << code << std::endl;
  }
  MPI_Finalize();
}
