"""A llama.cpp server on this machine until standard input ends: ``live_server.py MODEL PORT CONTEXT``."""

from __future__ import annotations

import os
import sys

import xllamacpp

MODEL_NAME = "smollm2-135m-instruct"


def main() -> None:
    """Serve, say so, and end with whoever started this."""
    path, port, context_tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context_tokens
    params.n_parallel = 1
    # Threads of llama.cpp wait for each other by spinning: with all cores taken, and the machine busy
    # with anything else, it comes to a crawl.
    threads = max(1, (os.cpu_count() or 1) // 2)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
