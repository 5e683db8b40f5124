/** Hints for known errors of Envoy and the filter. The first match wins, so specific patterns come first. */
const HINTS: ReadonlyArray<{ readonly pattern: RegExp; readonly fix: string }> = [
  {
    pattern: /address already in use/i,
    fix: 'Another listener or program on the host uses this address. Choose another address or port, or stop the other one. The agent tries again at least once a minute.',
  },
  {
    pattern: /cannot assign requested address/i,
    fix: 'The host does not have this address. Listen on one that it has, or on 0.0.0.0 for all of them. If you add it to the host, the agent tries again within a minute.',
  },
  {
    pattern: /cannot bind.*permission denied/i,
    fix: 'Ports below 1024 need a right that the proxy does not have on this host. Choose a higher port, or give it the right.',
  },
  { pattern: /permission denied/i, fix: 'Allow the service user of the host to use this address or file.' },
  {
    pattern: /unknown cluster|no such cluster/i,
    fix: 'Name a cluster that exists in the configuration of this service, or create it.',
  },
  {
    pattern: /cannot create an EDS cluster without an EDS config/i,
    fix: 'A cluster of type EDS needs eds_cluster_config. Give it one, or list the endpoints with type STATIC or STRICT_DNS.',
  },
  {
    pattern: /malformed IP address/i,
    fix: 'An IP address is needed here. For a host name in a cluster, use type STRICT_DNS or LOGICAL_DNS.',
  },
  {
    pattern:
      /missing [)\]]:|unexpected \):|invalid perl operator|no argument for repetition operator|bad repetition operator|invalid (?:escape sequence|character class|named capture)|trailing \\|regex/i,
    fix: 'The regular expression is not valid RE2. Look for brackets that are not closed; look-around and back-references are not part of it.',
  },
  {
    pattern: /only (?:a single wildcard domain|unique values for domains) (?:is|are) permitted/i,
    fix: 'A domain may be in one virtual host of a route configuration only, and so may `*`. Remove it from the others.',
  },
  {
    pattern: /same matching rules|duplicate matcher/i,
    fix: 'Two filter chains of the listener match the same connections. Give one of them another filter_chain_match, or remove it.',
  },
  {
    pattern:
      /didn't find a registered implementation|could not find @type|unknown (?:extension|type)|unable to unpack/i,
    fix: 'This proxy version does not have the extension. Use another one, or a proxy version that has it.',
  },
  {
    pattern: /no such field|unknown enum value|has unknown fields/i,
    fix: 'This proxy version does not know the field or the value. Look for a typing error, or use a version that has it.',
  },
  {
    pattern: /KEY_VALUES_MISMATCH/i,
    fix: 'The private key is not the one of the certificate. Put in place the key that the certificate was made with.',
  },
  {
    pattern: /failed to load incomplete|no such file|invalid path|unable to read|does not exist/i,
    fix: 'The file does not exist, is empty, or the user of the service cannot read it: each Envoy runs as a user of its own. Name a file in the folder of the service, let that user read it, or give the content inline.',
  },
  {
    pattern: /failed to load (?:certificate chain|private key|trusted CA)|NO_START_LINE/i,
    fix: 'This is no complete PEM. It begins with a line -----BEGIN ...----- and ends with -----END ...-----; a key must not be encrypted.',
  },
  {
    pattern: /proto constraint validation failed|constraint|expected positive duration|invalid duration/i,
    fix: 'A field has a value that Envoy does not allow. The message names the field and the rule.',
  },
  { pattern: /duplicate|already exists/i, fix: 'Two of the same name or match: rename or remove one.' },
  {
    pattern: /certificate|private key|tls/i,
    fix: 'Check that certificate and private key belong together and are PEM, and that the chain is complete.',
  },
  {
    pattern: /deprecated/i,
    fix: 'Envoy refuses this field by default in this version. Use the field that took its place.',
  },
];

export function suggestFix(rawMessage: string): string | null {
  return HINTS.find(({ pattern }) => pattern.test(rawMessage))?.fix ?? null;
}
