// One function per construct over a cursor (text_cursor.h); no recursion, so no input can go deep.
// The first mistake ends it: its function answers false and so does everyone above.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "compiler/ir/lowered_cursor.h"
#include "compiler/ir/text.h"

namespace berth::ir {
namespace {

static_assert(std::endian::native == std::endian::little,
              "constants are little-endian, as in the file");

class Parser : private LoweredCursor {
 public:
  Parser(std::string_view text, const Blobs& blobs) : LoweredCursor(text, blobs) {}

  Result<Module> run() {
    Module module;
    bool ok = header();
    while (ok && !(skip_lines(), at_end())) {
      if (word_ahead() == "lowered") {
        ok = module.graphs.empty() ? lowered_module(&module)
                                   : fail("lowered modules stand before the graphs that call them");
        continue;
      }
      Graph graph;
      ok = parse_graph(&graph);
      if (ok) module.graphs.push_back(std::move(graph));
    }
    if (!ok) return error();
    return module;
  }

 private:
  // --- values ---

  bool defined_value(ValueId* out) {
    if (!expect("%")) return false;
    const size_t begin = at_ - 1;
    std::string name;
    if (!identifier("a value's name", &name)) return false;
    const auto found = values_.find(name);
    if (found == values_.end() || found->second == kNotYet)
      return fail_at(begin, "%" + name + " is not defined above");
    *out = found->second;
    return true;
  }

  // `%name : spec [origin="..."]`; the value is in the table afterwards, its name not yet in use by
  // arguments.
  bool declaration(Graph* graph, ValueKind kind, ValueId* out) {
    if (!expect("%")) return false;
    const size_t begin = at_ - 1;
    Value value;
    value.kind = kind;
    if (!identifier("a value's name", &value.name) || !expect(":") || !spec(&value.spec))
      return false;
    if (accept_word("origin") && !(expect("=") && string(&value.origin))) return false;
    *out = static_cast<ValueId>(graph->values.size());
    if (!values_.emplace(value.name, *out).second)
      return fail_at(begin, "%" + value.name + " is defined already");
    graph->values.push_back(std::move(value));
    return true;
  }

  // --- constants ---

  template <typename T>
  bool element_as(Bytes* out) {
    T element{};
    if constexpr (std::is_same_v<T, bool>) {
      if (accept_word("true")) {
        element = true;
      } else if (!accept_word("false")) {
        return fail_expected("true or false");
      }
    } else {
      if (!number(&element)) return false;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(&element);
    out->insert(out->end(), bytes, bytes + sizeof(T));
    return true;
  }

  bool element(ScalarType type, Bytes* out) {
    switch (type) {
      case ScalarType::kByte:
        return element_as<uint8_t>(out);
      case ScalarType::kChar:
        return element_as<int8_t>(out);
      case ScalarType::kShort:
        return element_as<int16_t>(out);
      case ScalarType::kInt:
        return element_as<int32_t>(out);
      case ScalarType::kLong:
        return element_as<int64_t>(out);
      case ScalarType::kUInt16:
        return element_as<uint16_t>(out);
      case ScalarType::kUInt32:
        return element_as<uint32_t>(out);
      case ScalarType::kUInt64:
        return element_as<uint64_t>(out);
      case ScalarType::kBool:
        return element_as<bool>(out);
      case ScalarType::kFloat:
        return element_as<float>(out);
      case ScalarType::kDouble:
        return element_as<double>(out);
      default:
        return fail(std::string(scalar_type_name(type)) + " has no literals; write hex");
    }
  }

  // Fixtures without pages of hex: splitmix64 (Steele, Lea, Flood 2014), the same bytes everywhere
  // and for ever.
  static Bytes random_bytes(const TensorSpec& spec, uint64_t seed) {
    uint64_t state = seed;
    const auto next = [&state] {
      uint64_t z = (state += 0x9e3779b97f4a7c15u);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      return z ^ (z >> 31);
    };
    Bytes bytes(static_cast<size_t>(spec.nbytes()));
    const size_t step = element_size(spec.dtype);
    for (size_t i = 0; i < bytes.size(); i += step) {
      uint64_t word[2] = {next(), 0};
      if (step == 16) word[1] = next();
      // Floats lie in [-1, 1), so that sums stay finite.
      const double unit = static_cast<double>(word[0] >> 41) / 4194304.0 - 1.0;
      if (spec.dtype == ScalarType::kBool) {
        word[0] &= 1;
      } else if (spec.dtype == ScalarType::kFloat) {
        word[0] = std::bit_cast<uint32_t>(static_cast<float>(unit));
      } else if (spec.dtype == ScalarType::kDouble) {
        word[0] = std::bit_cast<uint64_t>(unit);
      }
      std::memcpy(bytes.data() + i, word, step);
    }
    return bytes;
  }

  bool constant_data(const TensorSpec& spec, std::shared_ptr<const Bytes>* data) {
    skip_space();
    const size_t begin = at_;
    const uint64_t nbytes = spec.nbytes();
    Bytes literal;
    Bytes* out = &literal;
    if (accept_word("blob")) {
      if (!blob(data)) return false;
      if ((*data)->size() == nbytes) return true;
      return fail_at(begin, "a blob of " + std::to_string((*data)->size()) +
                                " bytes; the type has " + std::to_string(nbytes));
    }
    if (accept_word("hex")) {
      if (!hex(out)) return false;
    } else if (accept_word("splat")) {
      Bytes one;
      if (!expand_allowed(begin, nbytes) || !element(spec.dtype, &one)) return false;
      out->reserve(static_cast<size_t>(nbytes));
      while (out->size() < nbytes) out->insert(out->end(), one.begin(), one.end());
    } else if (accept_word("random")) {
      uint64_t seed = 0;
      if (!accept_word("seed")) return fail_expected("'seed' and a number");
      if (!expand_allowed(begin, nbytes) || !number(&seed)) return false;
      *out = random_bytes(spec, seed);
    } else {
      skip_space();
      if (peek() != '[')
        return fail_expected("hex \"..\", splat N, random seed N, blob \"..\" or a list [..]");
      if (!bracketed('[', ']', [&] { return element(spec.dtype, out); })) return false;
    }
    if (out->size() == nbytes) {
      *data = std::make_shared<const Bytes>(std::move(literal));
      return true;
    }
    return fail_at(begin,
                   std::to_string(out->size()) + " bytes; the type has " + std::to_string(nbytes));
  }

  // --- arguments and nodes ---

  template <typename T>
  bool push(Arg* list, T item) {
    auto* items = std::get_if<std::vector<T>>(list);
    if (items == nullptr) return fail("a list holds items of one kind; write 1.0 among doubles");
    items->push_back(item);
    return true;
  }

  bool list_item(Arg* list, bool first) {
    Arg item;
    const size_t begin = (skip_space(), at_);
    if (!single(&item)) return false;
    if (const auto* ref = std::get_if<Ref>(&item)) {
      if (first) *list = RefList{};
      return push(list, *ref);
    }
    if (const auto* integer = std::get_if<int64_t>(&item)) {
      if (first) *list = std::vector<int64_t>{};
      return push(list, *integer);
    }
    if (const auto* real = std::get_if<double>(&item)) {
      if (first) *list = std::vector<double>{};
      return push(list, *real);
    }
    if (const auto* boolean = std::get_if<bool>(&item)) {
      if (first) *list = std::vector<bool>{};
      return push(list, *boolean);
    }
    return fail_at(begin, "a list holds tensors, ints, doubles or bools");
  }

  bool list(Arg* out) {
    bool first = true;
    return bracketed('[', ']', [&] {
      const bool ok = list_item(out, first);
      first = false;
      return ok;
    });
  }

  // An argument that is no list.
  bool single(Arg* out) {
    skip_space();
    if (peek() == '%') {
      Ref ref;
      if (!defined_value(&ref.id)) return false;
      *out = ref;
      return true;
    }
    if (peek() == '"') {
      std::string text;
      if (!string(&text)) return false;
      *out = std::move(text);
      return true;
    }
    if (accept_word("none")) return *out = None{}, true;
    if (accept_word("true")) return *out = true, true;
    if (accept_word("false")) return *out = false, true;
    const std::string_view word = number_ahead();
    // 1.0 1e9 inf nan
    const bool is_double = word.find_first_of(".enEN") != std::string_view::npos;
    if (is_double) {
      double real = 0;
      if (!number(&real)) return false;
      *out = real;
      return true;
    }
    int64_t integer = 0;
    if (!number(&integer)) return false;
    *out = integer;
    return true;
  }

  bool argument(Arg* out) {
    skip_space();
    if (peek() == '[') {
      *out = std::vector<int64_t>{};
      return list(out);
    }
    // Empty lists of other kinds than int say their kind.
    if (accept("double[]")) return *out = std::vector<double>{}, true;
    if (accept("bool[]")) return *out = std::vector<bool>{}, true;
    if (accept("tensor[]")) return *out = RefList{}, true;
    return single(out);
  }

  // `given`: the attributes before this one.
  bool alloc_attribute(Node* node, std::vector<std::string_view>* given) {
    const std::string_view key = word_ahead();
    if (std::find(given->begin(), given->end(), key) != given->end())
      return fail("a second " + std::string(key) + "= of one alloc");
    given->push_back(key);
    if (accept_word("align")) return expect("=") && number(&node->alignment);
    if (accept_word("name")) return expect("=") && string(&node->scratch_name);
    if (accept_word("pool")) return expect("=") && string(&node->pool);
    if (!accept_word("role")) return fail_expected("align=, role=, name= or pool=");
    if (!expect("=")) return false;
    const std::string_view word = word_ahead();
    int role = 0;
    while (role < kRoleCount && word != role_name(static_cast<Role>(role))) ++role;
    if (role == kRoleCount) return fail_expected("the role op_scratch or delegate_scratch");
    node->role = static_cast<Role>(role);
    at_ += word.size();
    return true;
  }

  bool operator_name(Node* node) {
    const std::string_view word = word_ahead();
    if (word == "delegate") {
      at_ += word.size();
      node->kind = NodeKind::kDelegate;
      return expect("@") && identifier("the lowered module's name", &node->op);
    }
    if (word == "view" || word == "join" || word == "alloc") {
      node->kind = word == "view"   ? NodeKind::kView
                   : word == "join" ? NodeKind::kJoin
                                    : NodeKind::kAlloc;
    } else {
      if (word.find("::") == std::string_view::npos) {
        return fail_expected(
            "an operator (namespace::name.overload), view, join, alloc, delegate, input, "
            "const, output or '}'");
      }
      const size_t dot = word.find('.');
      node->op = word.substr(0, dot);
      if (dot != std::string_view::npos) node->overload = word.substr(dot + 1);
    }
    at_ += word.size();
    return true;
  }

  bool node_line(Graph* graph) {
    Node node;
    skip_space();
    const size_t first_result = graph->values.size();
    if (peek() == '%') {
      do {
        ValueId id = -1;
        if (!declaration(graph, ValueKind::kResult, &id)) return false;
        node.results.push_back(id);
      } while (accept(","));
      if (!expect("=")) return false;
    }
    // A node cannot use its own results: their names come into sight after its arguments.
    for (size_t v = first_result; v < graph->values.size(); ++v)
      values_[graph->values[v].name] = kNotYet;
    if (!operator_name(&node)) return false;
    std::vector<std::string_view> given;
    const bool args_ok = bracketed('(', ')', [&] {
      if (node.kind == NodeKind::kAlloc) return alloc_attribute(&node, &given);
      node.args.emplace_back();
      return argument(&node.args.back());
    });
    if (!args_ok) return false;
    for (size_t v = first_result; v < graph->values.size(); ++v)
      values_[graph->values[v].name] = static_cast<ValueId>(v);
    if (accept_word("in_place")) {
      const bool ok = bracketed('(', ')', [&] {
        InPlace& option = node.in_place.emplace_back();
        return number(&option.output) && expect("<-") && number(&option.argument);
      });
      if (!ok) return false;
    }
    graph->nodes.push_back(std::move(node));
    return true;
  }

  bool graph_line(Graph* graph) {
    ValueId id = -1;
    if (accept_word("input")) {
      if (!declaration(graph, ValueKind::kInput, &id)) return false;
      graph->inputs.push_back(id);
    } else if (accept_word("const")) {
      if (!declaration(graph, ValueKind::kConstant, &id) || !expect("=")) return false;
      if (!constant_data(graph->value(id).spec, &graph->value(id).data)) return false;
    } else if (accept_word("output")) {
      if (!defined_value(&id)) return false;
      graph->outputs.push_back(id);
    } else if (!node_line(graph)) {
      return false;
    }
    return end_of_line();
  }

  bool header() {
    skip_lines();
    if (!accept_word("berth.ir")) return fail("not a .bir text; its first line is 'berth.ir 1'");
    int version = 0;
    const size_t begin = (skip_space(), at_);
    if (!number(&version)) return false;
    if (version != 1)
      return fail_at(begin,
                     "version " + std::to_string(version) + " of the text form; 1 is known here");
    return end_of_line();
  }

  bool parse_graph(Graph* graph) {
    values_.clear();
    if (!accept_word("graph")) return fail_expected("'graph name {' or 'lowered @name {'");
    if (!identifier("the graph's name", &graph->name) || !expect("{") || !end_of_line())
      return false;
    while (true) {
      skip_lines();
      if (at_end()) return fail("graph " + graph->name + " without an end; it ends with '}'");
      if (accept("}")) return end_of_line();
      if (!graph_line(graph)) return false;
    }
  }

  static constexpr ValueId kNotYet = -1;

  std::unordered_map<std::string, ValueId> values_;  // of the graph being read
};

}  // namespace

Result<Module> parse(std::string_view text, const Blobs& blobs) {
  return Parser(text, blobs).run();
}

}  // namespace berth::ir
