// berth: the one command. This file knows the sub-commands, -q and -v, and how an ending becomes an
// exit code.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include "tools/command.h"

namespace berth::tools {
namespace {

int run_command(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kUsage;  // not reached: CLI11 requires one
}

// An empty name is a script's variable that was never set: it means no file, no method, no pool.
void refuse_empty_values(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    for (CLI::Option* option : command.app->get_options()) {
      option->check([](const std::string& value) {
        return std::string(value.empty() ? "the value is empty" : "");
      });
    }
  }
}

// Says so when something that was printed did not get where it should.
bool output_is_lost(const Console& console) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return false;
  console.error("standard output", "cannot write");
  return true;
}

int main_guarded(int argc, char** argv) {
  CLI::App app("Compiles models into programs whose every byte of working memory is planned.",
               "berth");
  app.set_version_flag("--version", "berth " BERTH_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // -q and -v may stand anywhere
  Console console;
  app.add_flag("-q,--quiet", console.quiet, "say nothing but errors and what was asked for");
  app.add_flag("-v,--verbose", console.verbose, "say more");
  const std::vector<Command> commands = {
      add_compile_command(app, console), add_plan_command(app, console),
      add_inspect_command(app, console), add_replan_command(app, console),
      add_run_command(app, console),     add_diff_command(app, console)};
  refuse_empty_values(commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error, std::cout, std::cerr);
      return output_is_lost(console) ? static_cast<int>(kRefused) : static_cast<int>(kDone);
    }
    console.error("command line", error.what());
    console.remark("try: berth --help, berth COMMAND --help");
    return kUsage;
  }
  try {
    const int code = run_command(commands);
    return output_is_lost(console) ? static_cast<int>(kRefused) : code;
  } catch (const std::bad_alloc&) {
    console.error("", "out of memory");
    return kRefused;
  } catch (const std::exception& error) {
    console.error("", std::string("internal error: ") + error.what() +
                          "; please report it with the command line");
    return kBug;
  } catch (...) {
    console.error("", "internal error; please report it with the command line");
    return kBug;
  }
}

}  // namespace
}  // namespace berth::tools

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
#endif
  return berth::tools::main_guarded(argc, argv);
}
