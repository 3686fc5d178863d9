exec "$TPUTWIN" debug --dap
