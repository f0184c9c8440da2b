#include "tools/host_backends.h"

#include "backends/reference/compile/reference_backend.h"
#include "backends/reference/runtime/reference_runtime.h"
#include "compiler/target/nearest.h"
#ifdef BERTH_HAS_ONEDNN
#include "backends/onednn/compile/onednn_backend.h"
#include "backends/onednn/runtime/onednn_runtime.h"
#endif

namespace berth::tools {

const std::vector<HostBackend>& host_backends() {
  static const std::vector<HostBackend> kBackends = {
      {&reference::compile_backend(), &reference::runtime_backend()},
#ifdef BERTH_HAS_ONEDNN
      {&onednn::compile_backend(), &onednn::runtime_backend()},
#endif
  };
  return kBackends;
}

runtime::Span<const runtime::Backend* const> host_runtime_backends() {
  static const std::vector<const runtime::Backend*> kBackends = [] {
    std::vector<const runtime::Backend*> list;
    for (const HostBackend& backend : host_backends()) list.push_back(backend.runtime);
    return list;
  }();
  return {kBackends.data(), kBackends.size()};
}

std::vector<std::string> backend_ids() {
  std::vector<std::string> ids;
  for (const HostBackend& backend : host_backends()) ids.emplace_back(backend.compile->id());
  return ids;
}

const delegate::Backend* find_backend(const std::string& id) {
  for (const HostBackend& backend : host_backends()) {
    if (backend.compile->id() == id) return backend.compile;
  }
  return nullptr;
}

Result<BackendText> parse_backend(const std::string& text) {
  BackendText out;
  size_t at = text.find(',');
  out.id = text.substr(0, at);
  if (find_backend(out.id) == nullptr) {
    return Error{"", "there is no backend \"" + out.id + "\" in this build; there are " +
                         target::name_list(backend_ids())};
  }
  while (at != std::string::npos) {
    const size_t end = text.find(',', at + 1);
    const std::string part = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error{"", "\"" + part + "\" is not key=value; write " + out.id + ",key=value"};
    const std::string key = part.substr(0, equals);
    if (delegate::find_spec(out.specs, key) != nullptr)
      return Error{"", "\"" + key + "\" is given twice for " + out.id};
    ir::CompileSpec& spec = out.specs.emplace_back();
    spec.key = key;
    for (const char c : part.substr(equals + 1)) spec.value.push_back(static_cast<std::byte>(c));
    at = end;
  }
  return out;
}

}  // namespace berth::tools
