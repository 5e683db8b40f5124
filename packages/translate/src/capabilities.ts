/** What an Envoy version takes beyond what its API says. Each line is something seen with real Envoys. */
export interface Capabilities {
  /** Virtual hosts one by one over the aggregated stream. 1.36 refuses the route configuration, 1.39 takes it. */
  readonly virtualHostDiscovery: boolean;
}

export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { virtualHostDiscovery: major > 1 || minor >= 39 };
}
