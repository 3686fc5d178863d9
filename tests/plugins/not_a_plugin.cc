// A shared object without the plugin interface.
extern "C" int something_else() { return 0; }
