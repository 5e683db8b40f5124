/** Limits a path before it is read. Envoy accepts 60 KiB of headers by default; no real path is this long. */
export const PATH_CHARACTERS_MAX = 4096;
export const SEGMENTS_MAX = 32;
/** A longer segment is a value. */
export const SEGMENT_CHARACTERS_MAX = 128;

/** Limits the hosts of one learner. Further ones share one bucket. */
export const HOSTS_MAX = 1000;
/** Limits the tree of one host. A node is a segment in its place, and takes some 300 bytes. */
export const NODES_MAX = 60_000;
/** Words that one place remembers before they are decided for good. */
export const CHILDREN_MAX = 256;
/** Words of one place that are never merged for good while it has more words than these, the most frequent ones. */
export const POPULAR_KEPT = 64;
/** Values of one parameter whose counts are known. */
export const VALUES_MAX = 64;
/** Paths that were never answered and are known by name, per host. */
export const PROBES_MAX = 1000;
