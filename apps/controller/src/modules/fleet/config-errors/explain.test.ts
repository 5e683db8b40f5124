import { expect, it } from 'vitest';
import { suggestFix } from './explain.ts';

/** Literal messages of Envoy 1.39, and what the hint must mention. */
const SAID: ReadonlyArray<readonly [said: string, hint: RegExp]> = [
  ["cannot bind '127.0.0.1:18099': Address already in use", /uses this address/],
  ["cannot bind '198.51.100.7:19999': Cannot assign requested address", /does not have this address/],
  ["cannot bind '0.0.0.0:80': Permission denied", /below 1024/],
  ["route: unknown cluster 'nowhere'", /Name a cluster/],
  ['cannot create an EDS cluster without an EDS config', /eds_cluster_config/],
  [
    "malformed IP address: example.org. Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'",
    /STRICT_DNS/,
  ],
  ['missing ): /(a', /RE2/],
  ['invalid perl operator: (?!', /RE2/],
  ['no argument for repetition operator: *', /RE2/],
  ['Only a single wildcard domain is permitted in route r', /one virtual host/],
  [
    'Only unique values for domains are permitted. Duplicate entry of domain a.example.com in route r',
    /one virtual host/,
  ],
  [
    "error adding listener '127.0.0.1:19999': filter chain '' has the same matching rules defined as ''. duplicate matcher is: {}",
    /filter_chain_match/,
  ],
  ["Didn't find a registered implementation for 'x' with type URL: 'google.protobuf.Struct'", /does not have the ext/],
  [
    "Unable to parse JSON as proto (INVALID_ARGUMENT: could not find @type 'type.googleapis.com/foo.Bar')",
    /does not have the extension/,
  ],
  [
    "Protobuf message (type envoy.config.bootstrap.v3.Bootstrap reason INVALID_ARGUMENT: invalid JSON in envoy.config.bootstrap.v3.Bootstrap @ static_resources.clusters[0]: message envoy.config.cluster.v3.Cluster, near 1:704 (offset 703): no such field: 'conect_timeout') has unknown fields",
    /typing error/,
  ],
  [
    "Protobuf message (type envoy.config.bootstrap.v3.Bootstrap reason INVALID_ARGUMENT: unknown enum value: 'STATICC') has unknown fields",
    /typing error/,
  ],
  [
    'Failed to load private key from <inline>, Cause: error:0b000074:X.509 certificate routines:OPENSSL_internal:KEY_VALUES_MISMATCH',
    /not the one of the certificate/,
  ],
  [
    'Failed to load private key from <inline>, Cause: error:0900006e:PEM routines:OPENSSL_internal:NO_START_LINE',
    /PEM/,
  ],
  ['Failed to load certificate chain from <inline>', /PEM/],
  ['Failed to load incomplete private key from path: /nope/key.pem', /each Envoy runs as a user of its own/],
  ['Invalid duration: Expected positive duration: seconds: -1', /does not allow/],
  ["cluster manager: duplicate cluster 'c'", /rename or remove/],
];

it.each(SAID)('the hint exists for: %s', (said, hint) => {
  expect(suggestFix(said)).toMatch(hint);
});

it('an unknown message has no hint', () => {
  expect(suggestFix('the moon is in the wrong house')).toBeNull();
});

it('the hint for a file that Envoy cannot read says that each Envoy runs as its own user (fault L14)', () => {
  expect(suggestFix('Failed to load incomplete private key from path: /etc/tls/key.pem')).toMatch(
    /each Envoy runs as a user of its own/,
  );
});
