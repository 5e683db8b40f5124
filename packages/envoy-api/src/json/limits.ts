/** Nesting of messages that C++ protobuf takes, from JSON and from the wire; deeper documents would never reach an Envoy. */
export const MAX_DEPTH = 100;

/** More problems than this help nobody; a huge broken document must not fill memory with messages. */
export const MAX_VIOLATIONS = 200;
