// bmrt from C++11: both headers.
#include <bmruntime_cpp.h>

int main() {
  bmruntime::Context context;
  bool bad = context.handle() == nullptr || context.load_bmodel("/no/such.bmodel") == BM_SUCCESS;
  std::vector<const char*> names;
  context.get_network_names(&names);
  bmruntime::Network network(context, "none", 0);
  bad |= !names.empty() || network.info() != nullptr || !network.Inputs().empty();
  const bm_shape_t shape = {2, {2, 3}};
  bad |= bmruntime::Count(shape) != 6 || !bmruntime::IsSameShape(shape, shape);
  return bad ? 1 : 0;
}
