/** Nesting of messages that C++ protobuf takes, from JSON and from the wire; deeper documents would never reach an Envoy. */
export const MAX_DEPTH = 100;

/** More problems than this help nobody; a huge broken document must not fill memory with messages. */
export const MAX_VIOLATIONS = 200;

/**
 * Where a walk ends. Well beyond what a check lets through, however the two count: a part that is accepted and not walked would be
 * hidden from everything built on walks (references, private parts, host access).
 */
export const MAX_WALK_DEPTH = 5 * MAX_DEPTH;
