#include "backends/onednn/shared/onednn_primitive.h"

#include <algorithm>

// From the library's own OpenMP, whatever compiler builds this.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace berth::onednn {
namespace {

using dnnl::memory;

struct IsaName {
  const char* name;
  dnnl_cpu_isa_t isa;
};
constexpr IsaName kIsas[] = {{"sse41", dnnl_cpu_isa_sse41},
                             {"avx", dnnl_cpu_isa_avx},
                             {"avx2", dnnl_cpu_isa_avx2},
                             {"avx512_core", dnnl_cpu_isa_avx512_core},
                             {"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
                             {"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16}};

memory::dims dims_of(const std::vector<int32_t>& list) { return {list.begin(), list.end()}; }

dnnl::primitive_attr attributes_of(const Op& op, dnnl::scratchpad_mode mode) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(mode);
  dnnl::post_ops posts;
  for (const Post& post : op.posts) {
    const auto algorithm = static_cast<dnnl::algorithm>(post.algorithm);
    if (post.input >= 0) {
      posts.append_binary(algorithm, desc_of(op.dst));
    } else {
      posts.append_eltwise(1.0f, algorithm, post.alpha, post.beta);
    }
  }
  attributes.set_post_ops(posts);
  return attributes;
}

Quality quality_of(const std::string& name) {
  if (name.find("gemm") != std::string::npos) return Quality::kHidden;
  return name.rfind("ref", 0) == 0 || name.rfind("simple", 0) == 0 ? Quality::kPlain
                                                                   : Quality::kGood;
}

// The best of the library's implementations. Its descriptors only go forward, and look at `desc`
// whenever they do: so the best is counted first and gone to then, while `desc` is still there.
template <typename Forward>
dnnl::primitive_desc best_of(const typename Forward::desc& desc,
                             const dnnl::primitive_attr& attributes) {
  int best = 0, index = 0;
  Quality quality = Quality::kPlain;
  typename Forward::primitive_desc look(desc, attributes, cpu_engine());
  do {
    const Quality here = quality_of(look.impl_info_str());
    if (here < quality) quality = here, best = index;
    ++index;
  } while (quality != Quality::kGood && look.next_impl());
  typename Forward::primitive_desc found(desc, attributes, cpu_engine());
  for (int i = 0; i < best; ++i) found.next_impl();
  return found;
}

dnnl::primitive_desc make_convolution(const Op& op, const dnnl::primitive_attr& attributes) {
  const memory::desc weights(dims_of(op.weights.sizes), memory::data_type::f32,
                             memory::format_tag::any);
  memory::dims dilation = dims_of(op.dilation);
  for (auto& d : dilation) --d;  // the library counts the holes
  const memory::dims padding = dims_of(op.padding);
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, desc_of(op.src),
      weights, bias_desc(op), desc_of(op.dst), dims_of(op.stride), dilation, padding, padding);
  return best_of<dnnl::convolution_forward>(desc, attributes);
}

dnnl::primitive_desc make_desc(const Op& op, dnnl::scratchpad_mode mode) {
  const dnnl::primitive_attr attributes = attributes_of(op, mode);
  const auto algorithm = static_cast<dnnl::algorithm>(op.algorithm);
  const auto inference = dnnl::prop_kind::forward_inference;
  switch (static_cast<Kind>(op.kind)) {
    case Kind::kConvolution:
      return make_convolution(op, attributes);
    case Kind::kPool: {
      const memory::dims padding = dims_of(op.padding);
      const dnnl::pooling_forward::desc desc(inference, algorithm, desc_of(op.src), desc_of(op.dst),
                                             dims_of(op.stride), dims_of(op.kernel), padding,
                                             padding);
      return best_of<dnnl::pooling_forward>(desc, attributes);
    }
    case Kind::kSoftmax: {
      const dnnl::softmax_v2_forward::desc desc(inference, algorithm, desc_of(op.src),
                                                desc_of(op.dst), op.axis);
      return best_of<dnnl::softmax_v2_forward>(desc, attributes);
    }
    case Kind::kEltwise: {
      const dnnl::eltwise_forward::desc desc(inference, algorithm, desc_of(op.src), op.alpha,
                                             op.beta);
      return best_of<dnnl::eltwise_forward>(desc, attributes);
    }
    case Kind::kMatmul: {
      const dnnl::matmul::desc desc(desc_of(op.src), desc_of(op.other), bias_desc(op),
                                    desc_of(op.dst));
      return best_of<dnnl::matmul>(desc, attributes);
    }
    case Kind::kBinary:
      break;
  }
  const dnnl::binary::desc desc(algorithm, desc_of(op.src), desc_of(op.other), desc_of(op.dst));
  return best_of<dnnl::binary>(desc, attributes);
}

}  // namespace

ThreadCount::ThreadCount(uint32_t threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(static_cast<int>(threads));
}
ThreadCount::~ThreadCount() { omp_set_num_threads(before_); }

const dnnl::engine& cpu_engine() {
  static const dnnl::engine kEngine(dnnl::engine::kind::cpu, 0);
  return kEngine;
}

bool use_isa(uint32_t isa) {
  if (isa == 0) return true;
  const auto wanted = static_cast<dnnl_cpu_isa_t>(isa);
  // Refused when it is set already, maybe to the same.
  (void)!dnnl_set_max_cpu_isa(wanted);
  return dnnl_get_effective_cpu_isa() == wanted;
}

uint32_t find_isa(const std::string& name) {
  for (const IsaName& isa : kIsas) {
    if (name == isa.name) return static_cast<uint32_t>(isa.isa);
  }
  return 0;
}

std::string isa_names() {
  std::string names;
  for (const IsaName& isa : kIsas) names += (names.empty() ? "" : ", ") + std::string(isa.name);
  return names;
}

memory::desc desc_of(const View& view) {
  return {dims_of(view.sizes), memory::data_type::f32, dims_of(view.strides)};
}

memory::desc bias_desc(const Op& op) {
  if (op.bias_at == 0) return {};
  if (op.kind != static_cast<uint32_t>(Kind::kMatmul))
    return {{op.dst.sizes[1]}, memory::data_type::f32, memory::format_tag::x};
  View row = op.dst;  // the same for all rows
  std::fill(row.sizes.begin(), row.sizes.end() - 1, 1);
  std::fill(row.strides.begin(), row.strides.end() - 1, row.sizes.back());
  row.strides.back() = 1;
  return desc_of(row);
}

std::unique_ptr<Primitive> make_primitive(const Op& op, dnnl::scratchpad_mode mode) {
  try {
    auto out = std::make_unique<Primitive>();
    out->desc = make_desc(op, mode);
    out->name = out->desc.impl_info_str();
    out->quality = quality_of(out->name);
    out->scratch_bytes = out->desc.query_md(dnnl::query::scratchpad_md).get_size();
    if (op.kind == static_cast<uint32_t>(Kind::kConvolution)) {
      out->weights = out->desc.query_md(dnnl::query::weights_md);
      out->reorders_weights = out->weights != desc_of(op.weights);
    }
    return out;
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace berth::onednn
