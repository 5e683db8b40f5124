/** Envoy's behaviour beyond its API descriptors, observed with real Envoys. */
export interface Capabilities {
  /**
   * Whether virtual hosts can be loaded one by one over the aggregated stream. 1.36 refuses the route configuration,
   * 1.39 accepts it.
   */
  readonly virtualHostDiscovery: boolean;
}

export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { virtualHostDiscovery: major > 1 || minor >= 39 };
}
