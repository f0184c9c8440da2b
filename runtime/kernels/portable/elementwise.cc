#include "runtime/kernels/portable/elementwise.h"

#include <cstring>

#include "runtime/core/resize.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

constexpr size_t kComputeSizes[] = {sizeof(float), sizeof(double), sizeof(int64_t)};

size_t size_of(Compute compute) { return kComputeSizes[static_cast<int>(compute)]; }

union ComputeNumber {
  float f;
  double d;
  int64_t i;
};

// The numbers, packed as an array of `compute`.
void convert_numbers(Compute compute, const Number* numbers, int count, void* to) {
  for (int k = 0; k < count; ++k) {
    const Number& given = numbers[k];
    const bool exact = given.dtype != ScalarType::kDouble;
    const void* from = exact ? static_cast<const void*>(&given.integer) : &given.number;
    load_block(compute, exact ? ScalarType::kLong : ScalarType::kDouble, from, 0, 1, 1,
               static_cast<uint8_t*>(to) + static_cast<size_t>(k) * size_of(compute));
  }
}

bool all_same_shape(const Operands& inputs) {
  for (int j = 1; j < inputs.count(); ++j) {
    if (!same_shape(inputs[j], inputs[0])) return false;
  }
  return true;
}

Status resize_to_broadcast(const Operands& inputs, Tensor& out) {
  if (all_same_shape(inputs)) return resize(out, inputs[0].sizes, inputs[0].rank);
  int rank = 0;
  for (int j = 0; j < inputs.count(); ++j) rank = inputs[j].rank > rank ? inputs[j].rank : rank;
  int32_t sizes[kMaxRank];
  for (int d = 0; d < rank; ++d) {
    sizes[d] = 1;
    for (int j = 0; j < inputs.count(); ++j) {
      const int own = d - (rank - inputs[j].rank);
      if (own < 0 || inputs[j].sizes[own] == 1) continue;
      KERNEL_REQUIRE(sizes[d] == 1 || sizes[d] == inputs[j].sizes[own], kBadShape);
      sizes[d] = inputs[j].sizes[own];
    }
  }
  return resize(out, sizes, static_cast<uint32_t>(rank));
}

// One call of run_elements, once all is checked.
class ElementRun {
 public:
  ElementRun(const ElementOperator& op, Compute compute, const Operands& inputs, const Tensor& out,
             const void* numbers)
      : inputs_(inputs),
        out_(out),
        numbers_(numbers),
        loop_(op.loops[static_cast<int>(compute)]),
        compute_(compute),
        result_size_(op.is_predicate ? 1 : size_of(compute)) {
    const ScalarType native = native_dtype(compute);
    out_direct_ = out.dtype == (op.is_predicate ? ScalarType::kBool : native);
    for (int j = 0; j < inputs.count(); ++j) {
      const Tensor& input = inputs[j];
      data_[j] = input.data;
      direct_[j] = input.dtype == native;
      if (direct_[j] || input.numel() != 1) continue;
      // One element for all of the output is converted once.
      load_block(compute, input.dtype, input.data, 0, 1, 1, &single_[j]);
      data_[j] = &single_[j];
      direct_[j] = true;
    }
  }

  // The innermost loop of a walk: offsets and steps in elements, out's first.
  void run(const size_t (&offset)[kMaxInputs + 1], size_t count,
           const size_t (&step)[kMaxInputs + 1]) const {
    if (runs_directly(step)) {
      const void* from[kMaxInputs];
      for (int j = 0; j < inputs_.count(); ++j) {
        from[j] = static_cast<const uint8_t*>(data_[j]) + offset[j + 1] * size_of(compute_);
      }
      loop_(from, step + 1, out_.as_mutable<uint8_t>() + offset[0] * result_size_, count, numbers_);
      return;
    }
    alignas(8) uint8_t blocks[kMaxInputs][kBlockBytes];
    alignas(8) uint8_t results[kBlockBytes];
    const Compute stored = result_size_ == 1 ? Compute::kInteger : compute_;
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      const void* from[kMaxInputs];
      size_t steps[kMaxInputs];
      for (int j = 0; j < inputs_.count(); ++j) {
        const size_t at = offset[j + 1] + begin * step[j + 1];
        from[j] = blocks[j];
        steps[j] = step[j + 1] != 0 ? 1 : 0;
        if (direct_[j] && step[j + 1] <= 1) {
          from[j] = static_cast<const uint8_t*>(data_[j]) + at * size_of(compute_);
        } else {
          load_block(compute_, direct_[j] ? native_dtype(compute_) : inputs_[j].dtype, data_[j], at,
                     step[j + 1], steps[j] != 0 ? length : 1, blocks[j]);
        }
      }
      loop_(from, steps, results, length, numbers_);
      store_results(stored, results, length, offset[0] + begin * step[0], step[0]);
    }
  }

 private:
  bool runs_directly(const size_t (&step)[kMaxInputs + 1]) const {
    bool direct = out_direct_ && step[0] == 1;
    for (int j = 0; j < inputs_.count(); ++j) direct = direct && direct_[j] && step[j + 1] <= 1;
    return direct;
  }

  void store_results(Compute stored, uint8_t* results, size_t length, size_t at,
                     size_t step) const {
    if (result_size_ != 1) {
      store_block(stored, out_.dtype, results, length, out_.data, at, step);
      return;
    }
    int64_t numbers[kBlock];
    load_block(stored, ScalarType::kBool, results, 0, 1, length, numbers);
    store_block(stored, out_.dtype, numbers, length, out_.data, at, step);
  }

  const Operands& inputs_;
  const Tensor& out_;
  const void* numbers_;
  ElementLoop loop_;
  Compute compute_;
  bool out_direct_;
  size_t result_size_;
  const void* data_[kMaxInputs];
  bool direct_[kMaxInputs];  // of the compute type already
  ComputeNumber single_[kMaxInputs];
};

}  // namespace

Number read_number(const EValue& value) {
  Number number;
  if (value.tag == Tag::kDouble) {
    number.number = value.number;
    return number;
  }
  number.integer = value.tag == Tag::kBool ? (value.boolean ? 1 : 0) : value.integer;
  number.number = static_cast<double>(number.integer);
  number.dtype = value.tag == Tag::kBool ? ScalarType::kBool : ScalarType::kLong;
  return number;
}

Operands& Operands::add(const EValue& value) {
  Number& number = values_[count_];
  number = read_number(value);
  Tensor& tensor = numbers_[count_];
  tensor.dtype = number.dtype == ScalarType::kDouble ? ScalarType::kDouble : ScalarType::kLong;
  tensor.data = number.dtype == ScalarType::kDouble ? static_cast<void*>(&number.number)
                                                    : static_cast<void*>(&number.integer);
  tensors_[count_++] = &tensor;
  promotion_.add_number(number.dtype);
  return *this;
}

bool Operands::have_arithmetic() const {
  for (int j = 0; j < count_; ++j) {
    if (!has_arithmetic(tensors_[j]->dtype)) return false;
  }
  return true;
}

Status run_elements(const ElementOperator& op, ScalarType common, const Operands& inputs,
                    Tensor& out, const Number* numbers, int number_count) {
  const Compute compute = compute_of(common);
  KERNEL_REQUIRE(inputs.have_arithmetic() && has_arithmetic(out.dtype), kBadArguments);
  KERNEL_REQUIRE(op.loops[static_cast<int>(compute)] != nullptr, kBadArguments);
  KERNEL_REQUIRE(op.is_predicate || can_store(common, out.dtype), kBadArguments);
  KERNEL_TRY(resize_to_broadcast(inputs, out));
  const size_t count = out.numel();
  if (count == 0) return Status::kOk;

  ComputeNumber converted[kMaxNumbers];
  convert_numbers(compute, numbers, number_count, converted);
  const ElementRun run(op, compute, inputs, out, converted);
  size_t offset[kMaxInputs + 1] = {};
  size_t step[kMaxInputs + 1] = {1};
  bool flat = true;
  for (int j = 0; j < inputs.count(); ++j) {
    const bool repeated = count != 1 && inputs[j].numel() == 1;
    step[j + 1] = repeated ? 0 : 1;
    flat = flat && (repeated || same_layout(inputs[j], out));
  }
  if (flat) {
    run.run(offset, count, step);
    return Status::kOk;
  }

  size_t strides[kMaxInputs + 1][kMaxRank];
  compute_strides(out, strides[0]);
  for (int j = 0; j < inputs.count(); ++j) compute_strides(inputs[j], strides[j + 1]);
  LoopNest<kMaxInputs + 1> nest;
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    const int32_t size = out.sizes[dim];
    size_t steps[kMaxInputs + 1] = {strides[0][dim]};
    for (int j = 0; j < inputs.count(); ++j) {
      // Sizes fit: out has the broadcast shape.
      broadcast_step(inputs[j], strides[j + 1], out.rank, dim, size, &steps[j + 1]);
    }
    nest.append(static_cast<size_t>(size), steps);
  }
  nest.for_each_run([&](const size_t(&at)[kMaxInputs + 1], size_t length,
                        const size_t(&steps)[kMaxInputs + 1]) { run.run(at, length, steps); });
  return Status::kOk;
}

bool run_dense_floats(const ElementOperator& op, const Tensor& a, const Tensor& b,
                      const Tensor& out, float number) {
  const ElementLoop loop = op.loops[static_cast<int>(Compute::kFloat)];
  bool same = loop != nullptr && a.dtype == ScalarType::kFloat && b.dtype == ScalarType::kFloat &&
              out.dtype == ScalarType::kFloat && a.rank == out.rank && b.rank == out.rank;
  size_t count = 1;
  for (int d = 0; same && d < out.rank; ++d) {
    same = a.sizes[d] == out.sizes[d] && b.sizes[d] == out.sizes[d] &&
           a.dim_order[d] == out.dim_order[d] && b.dim_order[d] == out.dim_order[d];
    count *= static_cast<size_t>(out.sizes[d]);
  }
  if (!same) return false;
  const void* inputs[] = {a.data, b.data};
  const size_t steps[] = {1, 1};
  loop(inputs, steps, out.data, count, &number);
  return true;
}

Status run_unary(const ElementOperator& op, const Args& args, bool float_only) {
  const Tensor& self = args.tensor(0);
  if (!op.is_predicate && run_dense_floats(op, self, self, args.tensor(1))) return Status::kOk;
  Operands inputs;
  inputs.add(self);
  const ScalarType common = inputs.promoted();
  return run_elements(op, float_only ? as_floating(common) : common, inputs, args.tensor(1));
}

Status run_binary(const ElementOperator& op, const Args& args, bool float_only) {
  const Tensor &self = args.tensor(0), &other = args.tensor(1);
  if (!op.is_predicate && run_dense_floats(op, self, other, args.tensor(2))) return Status::kOk;
  Operands inputs;
  inputs.add(self).add(other);
  const ScalarType common = inputs.promoted();
  return run_elements(op, float_only ? as_floating(common) : common, inputs, args.tensor(2));
}

Status run_tensor_number(const ElementOperator& op, const Args& args, bool float_only) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.value(1));
  const ScalarType common = inputs.promoted();
  return run_elements(op, float_only ? as_floating(common) : common, inputs, args.tensor(2));
}

}  // namespace berth::runtime
