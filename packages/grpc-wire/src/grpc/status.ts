/** gRPC status codes that the wire itself uses (grpc/status.proto). */
export const STATUS = { ok: 0, resourceExhausted: 8, unimplemented: 12, internal: 13, unavailable: 14 } as const;

export const STATUS_MAX = 16;
