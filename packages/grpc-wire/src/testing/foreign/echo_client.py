"""Calls the echo service of the tests with grpcio (gRPC core in C): ADDRESS PATH CALLS MESSAGES BYTES."""
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc

address, path = sys.argv[1], sys.argv[2]
calls, messages, size = (int(text) for text in sys.argv[3:6])


def call(method):
    sent = [b"echo:%d:" % n + b"x" * size for n in range(messages)]
    return list(method(iter(sent), timeout=60)) == sent


with grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)]) as channel:
    method = channel.stream_stream(path)
    with ThreadPoolExecutor(calls) as pool:
        done = list(pool.map(call, [method] * calls))
print(f"echoed {sum(done)} of {calls} calls")
