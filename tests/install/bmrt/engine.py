"""engine.py LIBRARY MODEL: runs a model with a library that uses bmrt, as Python modules do."""
import ctypes
import sys


class Engine:
    def __init__(self, library, model):
        self.c = ctypes.CDLL(library)
        self.c.engine_open.restype = ctypes.c_void_p
        self.c.engine_board.restype = ctypes.c_char_p
        self.c.engine_input_bytes.restype = ctypes.c_size_t
        self.c.engine_process.restype = ctypes.c_long
        self.handle = ctypes.c_void_p(self.c.engine_open(model.encode()))
        if not self.handle:
            raise RuntimeError("the library cannot open " + model)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.c.engine_close(self.handle)

    def board(self):
        return self.c.engine_board().decode()

    def process(self, data):
        out = ctypes.create_string_buffer(1 << 20)
        size = self.c.engine_process(self.handle, data, ctypes.c_size_t(len(data)), out,
                                     ctypes.c_size_t(len(out)))
        if size < 0:
            raise RuntimeError("the net did not run")
        return out.raw[:size]

    def input_bytes(self):
        return self.c.engine_input_bytes(self.handle)


with Engine(*sys.argv[1:3]) as engine:
    made = bytes(i % 61 for i in range(engine.input_bytes()))
    first = engine.process(made)
    assert first and first == engine.process(made)
    assert "1684X" in engine.board(), engine.board()
    print(engine.board(), len(first), "bytes")
