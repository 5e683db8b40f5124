/** How long a replaced Envoy may finish its connections, in seconds. */
export const DRAIN_TIME = { defaultS: 10, minS: 1, maxS: 3600 } as const;
